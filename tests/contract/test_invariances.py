"""Answers with a seed depend on what the table holds: not on the order of its rows, column names or units."""

import numpy as np
import pandas as pd
import pytest

from copa_nb.selection.elicitation import Elicitation
from tests import asked
from tests.over_runs import over_runs

# Names may repeat, as in tables of runs.
pytestmark = pytest.mark.filterwarnings("ignore::copa_nb.tables.objectives.RunsWarning")

SEED = 1
WAYS = {"accuracy": "max", "cost": "min", "latency": "min"}
RENAMED = {"accuracy": "b", "cost": "c", "latency": "a"}
# Powers of two change no digit.
SCALES = {"accuracy": 64.0, "cost": 0.25, "latency": 1024.0}


def shuffled(frame, seed):
    return frame.sample(frac=1, random_state=seed)


def models(index="names"):
    rng = np.random.default_rng(4)
    accuracy = rng.integers(1, 9, 24)
    frame = pd.DataFrame(
        {"accuracy": accuracy, "cost": accuracy + rng.integers(1, 5, 24), "latency": rng.integers(1, 9, 24)},
        dtype=float,
    )
    labels = {
        "names": [f"m{row % 20}" for row in range(24)],  # some names repeat
        "numbers": range(24),
        "mixed": [row if row % 2 else f"m{row}" for row in range(24)],
    }
    return frame.set_index(pd.Index(labels[index]))


def trade_offs():
    rng = np.random.default_rng(8)
    place = rng.permutation(12) + 1.0
    return pd.DataFrame(
        {"accuracy": place, "cost": place**2, "latency": rng.integers(1, 9, 12).astype(float)},
        index=[f"m{row}" for row in range(12)],
    )


def runs():
    rng = np.random.default_rng(5)
    rows = [(f"m{model}", f"s{seed}", *(model % 3 + rng.normal(0, 1, 3))) for model in range(9) for seed in range(4)]
    return pd.DataFrame(rows, columns=["model", "seed", *WAYS])


def suite():
    rng = np.random.default_rng(6)
    quality = rng.permutation(5)
    rows = [
        (f"o{item}", f"p{problem}", *(quality[item] + rng.normal(0, 2.5, 3)))
        for problem in range(14)
        for item in range(5)
    ]
    return pd.DataFrame(rows, columns=["optimizer", "problem", *WAYS])


def choice(frame, ways, **options):
    return _shares(asked.copa(frame.moo(ways), **{"p": 2, **options}).stability(n_resamples=150, rng=3), ways)


def choice_of_runs(frame, ways, **options):
    return _shares(over_runs(frame, objectives=ways, p=2, repeat="seed", n_resamples=150, rng=3, **options), ways)


def _shares(found, ways):
    """Rows are told by their values too, since names may repeat."""
    return found.table.reset_index().drop(columns=list(ways)).rename(columns={"index": "model"})


def choice_by_group(frame):
    grouped = frame.assign(group=[f"g{int(value) % 2}" for value in frame["latency"]])
    found = asked.copa(grouped.moo(accuracy="max", cost="min"), by="group").each("stability", n_resamples=60)
    return pd.concat({group: result.share for group, result in found.items()}).rename("share").reset_index()


def acceptability(frame, ways):
    found = frame.moo(ways).copa().sensitivity().acceptability(n_resamples=100)
    return found.reset_index()


def questions(frame, ways):
    state, asked = Elicitation.of(frame.moo(ways).copa(), n_draws=50, rng=3), []
    for _ in range(4):
        question = state.ask()
        if question is None:
            break
        asked.append((question.first, question.second, question.gain))
        state = state.answer("first")
    possible = state.potentially_optimal["share of weights"].reset_index().set_axis(["model", "share"], axis=1)
    return pd.concat([pd.DataFrame(asked, columns=["first", "second", "gain"]), possible])


def intervals(frame, ways):
    # Intervals of equal names are told by their ends.
    return frame.moo(ways).copa().rank_intervals().reset_index()


def depths(frame, ways, **options):
    found = asked.posets(frame.moo(ways), system="optimizer", item="problem").depth(**options)
    return found.table.reset_index()


def depth_bootstrap(frame, ways):
    kept = frame[frame["problem"].isin([f"p{k}" for k in range(8)])]
    return asked.posets(kept.moo(ways), system="optimizer", item="problem").depth().bootstrap(40, rng=1).reset_index()


def suites(frame, ways):
    whole = asked.posets(frame.moo(ways), system="optimizer", item="problem")
    halves = [whole.only([name for name in whole.items if (int(name[1:]) < 7) == first]) for first in (True, False)]
    found = halves[0].compare(halves[1], n_resamples=99, rng=2)
    return pd.DataFrame({"statistic": [found.statistic], "pvalue": [found.pvalue]})


def gsd(frame, ways, **options):
    kept = frame[frame["problem"].isin([f"p{k}" for k in range(6)]) & frame["optimizer"].isin(["o0", "o1", "o2"])]
    front = asked.gsd_front(kept.moo({name: ways[name] for name in list(ways)[:2]}), system="optimizer", item="problem")
    test = front.test("o1", n_resamples=29, rng=3, **options)
    return pd.concat([test.statistics, test.pvalues, test.null_distributions.mean()], axis=1).reset_index()


VERBS = {
    "stability": (models, choice),
    "stability of numbered rows": (lambda: models("numbers"), choice),
    "stability of mixed labels": (lambda: models("mixed"), choice),
    "stability, min-max": (models, lambda f, w: choice(f, w, normalize="minmax", p="inf")),
    "stability over seeds": (runs, lambda f, w: choice_of_runs(f, w, system="model")),
    "stability over paired seeds": (runs, lambda f, w: choice_of_runs(f, w, system="model", paired=True)),
    "stability over both": (runs, lambda f, w: choice_of_runs(f.set_index("model"), w, over="both")),
    "acceptability": (lambda: models("mixed"), acceptability),
    "elicit": (lambda: models("mixed"), questions),
    "elicit with every row on the front": (trade_offs, questions),
    "rank_intervals": (models, intervals),
    "depth": (suite, depths),
    "depth from random sets": (suite, lambda f, w: depths(f, w, method="sample", n_samples=400, rng=2)),
    "bootstrap of depths": (suite, depth_bootstrap),
    "compare_suites": (suite, suites),
    "gsd_test": (suite, gsd),
    "gsd_test, paired": (suite, lambda f, w: gsd(f, w, paired=True)),
}


def assert_same(found, expected):
    """Compare tables whatever the order of their rows."""
    parts = [
        table.sort_values(list(table), key=lambda c: c.astype(str), ignore_index=True) for table in (found, expected)
    ]
    pd.testing.assert_frame_equal(*parts, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("verb", VERBS)
def test_an_answer_depends_on_what_the_table_holds_alone(verb):
    """Not on the order of rows, not on names of columns, not on units."""
    table, answer = VERBS[verb]
    frame = table()
    expected = answer(frame, WAYS)
    renamed = answer(frame.rename(columns=RENAMED), {RENAMED[name]: way for name, way in WAYS.items()})
    assert_same(answer(shuffled(frame, SEED), WAYS), expected)
    assert_same(renamed.set_axis(list(expected), axis=1), expected)
    assert_same(answer(frame.assign(**{name: frame[name] * SCALES[name] for name in WAYS}), WAYS), expected)


def test_groups_may_come_in_any_order():
    frame = models("mixed")
    assert_same(choice_by_group(frame.sort_values("latency", ascending=False)), choice_by_group(frame))


def test_models_and_instances_of_a_bootstrap_may_come_in_any_order():
    rng = np.random.default_rng(7)
    truth = pd.Series(rng.integers(0, 2, 40), index=[f"i{k}" for k in range(40)])
    place = np.linspace(0.1, 0.9, 8)
    scores = {"precision": place, "recall": 1 - place}
    frame = pd.DataFrame(
        {f"{part}_{name}": scores[name] for part in ("val", "test") for name in scores},
        index=[f"m{k}" for k in range(8)],
    )
    wrong = rng.random((8, 40)) < 0.3
    predictions = pd.DataFrame(np.where(wrong, 1 - truth, truth), index=frame.index, columns=truth.index)
    names = ("precision", "recall")
    options = {"objectives": dict.fromkeys(names, "max"), "reference": dict.fromkeys(names, 0)}
    drawn = {"n_resamples": 20, "rng": 5}
    expected = asked.gap(frame, **options).bootstrap(predictions, truth, **drawn)
    instances = shuffled(truth, SEED)
    other = shuffled(predictions, SEED + 1)[instances.index]
    found = asked.gap(shuffled(frame, SEED), **options).bootstrap(other, instances, **drawn)
    pd.testing.assert_frame_equal(found.table, expected.table, rtol=1e-12)
