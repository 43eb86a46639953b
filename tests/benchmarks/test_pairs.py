"""Pairs of options: how settings are made, what is stored of them, and some of them simulated again in small."""

import inspect

import numpy as np
import pytest

from benchmarks.error_rates import pairs, table
from copa_nb.accessor import PandasMoo
from copa_nb.tables.description import WORDS
from tests.benchmarks.test_error_rates import too_often

SETTINGS = [setting for verb in pairs.VERBS for setting in pairs.settings_of(verb)]
FAMILIES = {family.name: family for family in pairs.FAMILIES}
# Every answer rightly says that gaps are assumed to be random; runs that are left out are also too few for skewness.
WITH_GAPS = {"pairwise", "omit"}


def is_well_behaved(setting):
    """Whether nothing in a setting is to be doubted; these are the exceptions.

    Without the numbers behind standard errors, nobody knows how precise these are. The cost in question is a column of
    prices, and at its worst a price that is missing, and not declared as known, differs from all others. After a choice
    from eight, means of twenty costs are so skewed that their intervals miss in 8% of tables.
    """
    pair = {*setting.pair}
    uncounted = "standard_error" in pair and "n" not in pair
    price_missing = setting.verb.name == "cheaper()" and "bounds" in pair and "known" not in pair
    few_costs = setting.verb.name == "intervals()" and "runs" in pair and "costs" in setting.family.name
    return setting.family.well_behaved and WITH_GAPS.isdisjoint(pair) and not (uncounted or price_missing or few_costs)


def stored():
    whats = {verb.what for verb in pairs.VERBS}
    return [row for row in table.read(table.TABLE) if row["what"] in whats]


def verb_of(name):
    return next(verb for verb in pairs.VERBS if verb.name == name)


def test_every_option_is_a_keyword_of_its_verb():
    named = {"check() of false claims": set(pairs.OPTIONS), "mean_ranks().board()": {"pairwise", "baseline"}}
    for verb in pairs.VERBS:
        method = getattr(PandasMoo, verb.call.__name__, verb.call)
        keywords = {*WORDS, "objectives", *inspect.signature(method).parameters}
        assert {
            pairs.OPTIONS[name].keyword for name in verb.options if name not in named.get(verb.name, ())
        } <= keywords


@pytest.mark.slow
@pytest.mark.parametrize("family", [one for one in pairs.FAMILIES if not one.selective], ids=lambda family: family.name)
@pytest.mark.parametrize("options", [("repeat", "cluster"), ("margin", "known"), ("runs", "known")], ids=" and ".join)
def test_options_keep_the_true_means(family, options):
    """Differences of means over 4,000 items, within five standard errors of 60-item tables."""
    setting = pairs.Setting(verb_of("cheaper()"), options, family)
    benchmark = setting.benchmark
    rng = np.random.default_rng(0)
    means = np.stack([benchmark.table(rng).groupby("system")["score"].mean().to_numpy() for _ in range(80)])
    differences = means - means[:, -1:] - (benchmark.truth["score"] - benchmark.truth["score"].iloc[-1]).to_numpy()
    error = differences.std(axis=0, ddof=1) / np.sqrt(80)
    slack = 0.5 if "costs" in family.name else 0.0  # few large values: the standard error is too small itself
    assert (np.abs(differences.mean(axis=0)) <= 5 * error + slack * error.max() * 5 + 1e-9).all()


def test_options_change_the_table_and_the_call():
    normal = FAMILIES["normal"]
    rng = np.random.default_rng(0)
    of = {
        pair: pairs.Setting(verb_of("board()"), pair, normal).benchmark
        for pair in (("repeat", "cluster"), ("known", "standard_error"), ("runs", "omit"), ("cluster", "pairwise"))
    }
    assert of["repeat", "cluster"].reading == {"item": "item", "repeat": "repeat", "cluster": "cluster"}
    assert len(of["repeat", "cluster"].table(rng)) == 6 * pairs.N_ITEMS * pairs.N_REPEATS
    assert "item" not in of["known", "standard_error"].reading
    assert len(of["known", "standard_error"].table(rng)) == 6
    runs = of["runs", "omit"].table(rng)
    assert len(runs) == 6 * pairs.N_RUNS
    assert runs["score"].isna().any()
    assert len(of["cluster", "pairwise"].table(rng)) < 6 * pairs.N_ITEMS


def test_all_pairs_are_stored():
    rows = {(row["what"], row["setting"]) for row in stored()}
    for setting in SETTINGS:
        alone = (setting.verb.what, str(setting))
        assert alone in rows or (alone[0], f"{' and '.join(setting.pair)}: all families") in rows, alone


def test_what_is_silent_too_often_rests_on_many_tables():
    for verb in pairs.VERBS:
        rows = [row for row in stored() if row["what"] == verb.what and row["actual"]]
        numbers = [int(row["simulations"]) for row in rows]
        many = [number > 2 * min(numbers) for number in numbers]
        assert sum(many) >= pairs.N_WORST
        rounded = pairs.NOMINAL + 1e-3
        assert all(table.silent(row) <= rounded for row, one in zip(rows, many, strict=True) if not one)


def test_most_right_answers_about_well_behaved_tables_carry_no_caveat():
    """At least three in five, or as many as two Monte Carlo errors of 20 answers leave of these."""
    rows = {(row["what"], row["setting"]): row for row in stored() if row["labeled if right"]}
    found = {
        (setting.verb.name, str(setting)): float(rows[setting.verb.what, str(setting)]["labeled if right"])
        for setting in SETTINGS
        if is_well_behaved(setting) and (setting.verb.what, str(setting)) in rows
    }
    assert len(found) > 200
    assert np.mean([*found.values()]) < 0.1
    assert not {names: share for names, share in found.items() if share > 0.4 + 2 * np.sqrt(0.4 * 0.6 / 20)}


# A few of each kind, of few tables.
LIVE = [
    ("compare()", ("cluster", "known"), "bimodal"),
    ("compare()", ("cluster", "known"), "distilled (alike, but for a loss of .6 on 3% of the items)"),
    ("board()", ("known", "pairwise"), "missing by value, right or wrong at .7"),
    ("confident_front()", ("cluster", "known"), "normal"),
    ("cheaper()", ("margin", "known"), "near the ceiling (.97)"),
    ("intervals()", ("where", "known"), "right or wrong at .7"),
    ("check() of false claims", ("margin", "repeat"), "shared seeds"),
    ("hv_test()", ("paired", "one-sided"), "normal"),
    ("audit()", ("unit of means", "one-sided"), "bimodal"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("verb", "pair", "family"), LIVE, ids=str)
def test_pairs_are_wrong_without_a_caveat_as_rarely_as_stated(verb, pair, family):
    setting = pairs.Setting(verb_of(verb), pair, FAMILIES[family])
    rate = setting.rate(4)
    assert rate.n + rate.refused == 4
    assert rate.n, rate.note
    assert not too_often(lambda n: [setting.rate(n)])


def test_verbs_refuse_what_pairs_leave_out():
    setting = pairs.Setting(verb_of("board()"), ("runs", "n"), FAMILIES["normal"])
    rate = setting.rate(10)
    assert (rate.n, rate.refused) == (0, pairs.ENOUGH_REFUSALS)
    assert "`n` is 'values'" in rate.note


def test_stored_refusals_are_what_verbs_say_now():
    """Every fourth pair that is refused for all families, asked of the first one."""
    notes = {(row["what"], row["setting"]): row["note"] for row in stored() if row["refused"] == "1.00"}
    first = {(setting.verb.what, setting.pair): setting for setting in reversed(SETTINGS)}
    refused = [
        (setting, notes[what, name])
        for (what, pair), setting in first.items()
        if (what, name := f"{' and '.join(pair)}: all families") in notes
    ]
    assert len(refused) > 40
    for setting, note in refused[::4]:
        assert setting.rate(1).note == note


@pytest.mark.slow
@pytest.mark.parametrize("verb", pairs.VERBS, ids=lambda verb: verb.name)
def test_a_sample_of_pairs_is_wrong_without_a_caveat_as_rarely_as_stated(verb):
    settings = pairs.settings_of(verb)
    chosen = np.random.default_rng(len(settings)).choice(len(settings), 8, replace=False)
    for number in chosen.tolist():
        assert not too_often(lambda n, setting=settings[number]: [setting.rate(n)])
