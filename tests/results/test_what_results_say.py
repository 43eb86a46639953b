"""Sentences and summaries of results, on tables small enough to work them out by hand."""

import dataclasses
import html
import re

import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import datasets
from copa_nb.partial_orders.arrays.ufg_sampling import Effort
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.selection.elicitation import Elicitation
from tests import asked
from tests.said import said_by, sentence

MODELS = pd.DataFrame(
    {"accuracy": [0.9, 0.8, 0.5], "co2_kg": [9.0, 3.0, 1.0]}, index=["large", "medium", "small"]
).moo.define(accuracy="max", co2_kg="min")


def chains(*orders):
    """A sample of linear orders, each a word from best to worst."""
    items = sorted(orders[0])
    relations = np.array([[[word.index(i) < word.index(j) for j in items] for i in items] for word in orders])
    return PosetSample(relations, pd.Index(items), pd.Index(range(1, len(orders) + 1), name="task"))


# Selections, navigations, references.


def test_a_selection_on_another_scale_says_its_values_and_no_trade_of_ranks():
    # By min-max medium is a quarter of the range from the best in both.
    choice = MODELS.moo.copa(p=1, normalize="minmax")
    scaled = sentence(choice, "choice.details.scaled")
    assert [(one["name"], one["value"]) for one in scaled["values"]] == [
        ("accuracy", pytest.approx(0.25)), ("CO₂", pytest.approx(0.25)),
    ]  # fmt: skip
    assert "choice.details.trade" not in said_by(choice)


def test_an_objective_without_weight_is_said_to_break_ties_only():
    choice = MODELS.moo.copa(weights={"co2_kg": 0.0})
    assert sentence(choice, "choice.headline.best_and_last")["last"] == ["CO₂"]
    assert sentence(choice, "choice.details.ignored") == {"objectives": ["CO₂"]}
    assert "choice.details.trade" not in said_by(choice)


def test_a_light_objective_may_stand_at_any_place():
    # One of three places in the objective of weight .95 weighs .95 / .05 = 19 places in the other.
    trade = sentence(MODELS.moo.copa(weights={"accuracy": 0.95}), "choice.details.trade")
    assert trade["costs"] == [{"say": "choice.phrases.ranking_last", "objectives": ["CO₂"]}]


def test_a_hypervolume_is_a_number_that_says_its_reference_point():
    # Against accuracy 0.4 and 10 kg: 0.5 * 1, then 0.4 * 6 more, then 0.1 * 2 more.
    found = MODELS.moo.hypervolume(reference={"accuracy": 0.4, "co2_kg": 10.0})
    assert float(found) == pytest.approx(0.5 * 1 + 0.4 * 6 + 0.1 * 2)
    assert repr(found) == "<Hypervolume 3.1, reference point (accuracy=0.4, co2_kg=10)>"
    row = found.table.iloc[0]
    assert (row["rows on the front"], row["rows beyond the reference point"], row["method"]) == (3, 0, "exact")
    assert "hypervolume.details.comparable" in said_by(found)


def test_an_approximate_hypervolume_says_its_seed_and_error():
    cloud = pd.DataFrame(np.random.default_rng(0).dirichlet(np.ones(6), size=200), columns=list("abcdef"))
    found = asked.hypervolume(cloud, objectives=dict.fromkeys("abcdef", "min"))
    assert not found.exact
    assert found.table["method"][0] == "approximated along 8,192 directions, seed 0"
    method = sentence(found, "hypervolume.details.approximate")["method"]
    assert method in html.unescape(found._repr_html_())
    assert "seed 0" in repr(found)


def test_a_path_says_where_each_choice_holds():
    path = MODELS.moo.copa(p=1).navigate("co2_kg", importances=[0.0, 0.25, 0.5, 0.75, 1.0])
    # Ranks (0, 2/3), (1/3, 1/3), (2/3, 0): the ends win below and above one half; there all are equal.
    assert (path.at(0.1), path.at(0.9)) == ("large", "small")
    ranges = path.table
    assert ranges.loc["large", "importance_from"] == 0
    assert ranges.loc["small", "importance_to"] == 1
    found = sentence(path, "navigation.reasons.ranges")
    assert (found["low"], found["high"]) == (0, 1)
    assert (found["ranges"][0]["name"], found["ranges"][0]["low"]) == ("large", 0)
    assert repr(path).startswith(f"<Navigation of 'co2_kg': {path.n_distinct} of 3 front rows over 5 α, evenness ")


def test_a_sweep_that_changes_nothing_says_so():
    best = MODELS.loc[["large"]].assign(co2_kg=0.5)
    path = (
        pd.concat([MODELS.loc[["medium", "small"]], best]).moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg")
    )
    assert sentence(path, "navigation.headline.only")["name"] == "large"


def test_a_comparison_of_criteria_says_who_is_chosen_by_which():
    # By accuracy the order is large, medium, small; by cost it is the reverse.
    found = MODELS.moo.copa().criteria(["accuracy", "co2_kg"])
    assert sentence(found, "criteria.headline.named") == {"rows": ["large", "small"], "n": 2, "criteria": 2}
    each = sentence(found, "criteria.reasons.chosen")["each"]
    assert [(one["row"], one["criteria"]) for one in each] == [("large", ["accuracy"]), ("small", ["co2_kg"])]
    assert sentence(found, "criteria.reasons.swing") == {"widest": 2, "names": ["small", "large"]}
    assert sentence(found, "criteria.details.agreement")["tau"] == -1


def test_standings_say_who_is_ahead_and_how_often_it_is_first():
    rows = pd.DataFrame({"model": list("abab"), "task": list("xxyy"), "score": [2.0, 1.0, 2.0, 2.0]})
    found = asked.mean_ranks(rows.moo(score="max"), system="model", item="task")
    # On y both are first: a is no worse than anybody on either task, b is behind one of two on x.
    assert sentence(found, "mean_ranks.headline.best") == {"best": "a", "rows": 2, "systems": "models"}
    best, following = sentence(found, "mean_ranks.reasons.best"), sentence(found, "mean_ranks.reasons.next")
    assert (best["share"], best["mean_rank"], following["share"], following["mean_rank"]) == (1, 1, 0.75, 1.5)
    assert sentence(found, "mean_ranks.reasons.won")["n"] == 2


def test_the_seeds_needed_are_a_line():
    needed = copa_nb.power(solve="runs", effect=0.3, noise=0.05, n_simulations=40)
    assert repr(needed) == f"<RunsNeeded: {needed.n_runs}, for a power of 0.8 at an effect of 30%>"


def test_a_frozen_population_shows_its_quartiles_in_its_own_units():
    frozen = copa_nb.Reference.fit(MODELS)
    assert repr(frozen) == "<Reference: 3 rows × 2 objectives (accuracy ↑, co2_kg ↓)>"
    html = frozen._repr_html_()
    rows = html.split("<tr>")
    for word, (accuracy, co2_kg) in {"smallest": (0.5, 1), "median": (0.8, 3), "largest": (0.9, 9)}.items():
        row = next(row for row in rows if word in row)
        assert f">{accuracy}<" in row
        assert f">{co2_kg}<" in row
    assert "Frozen population of 3 rows" in html


# Methods by the criteria of "Mind the Gap".


def method(validation, test):
    costs = {"a": "min", "b": "min"}
    frames = (pd.DataFrame(rows, columns=list(costs)) for rows in (validation, test))
    frame, on_test = frames
    return asked.gap(frame, test=on_test, objectives=costs, reference={"a": 10.0, "b": 10.0})


SHAKY = method([[1, 3], [2, 2], [3, 1]], [[4, 4], [6, 6], [7, 3]])
SOLID = method([[1, 2], [2, 1]], [[1, 2], [2, 1]])


def test_a_comparison_holds_the_numbers_behind_its_verdicts():
    result = SOLID.compare(SHAKY, names=("solid", "shaky"))
    expected = {"solid": [80, 80, 80, 0, 0], "shaky": [78, 25, 39, 14, SHAKY.summary["relative_gap"]]}
    pd.testing.assert_frame_equal(
        result.numbers, pd.DataFrame(expected, index=result.numbers.index, dtype=float), check_names=False
    )
    assert " ".join(result.table["why"]) in result.explain()
    html = result._repr_html_()
    assert "solid compared with shaky" in html
    assert "Reference point (a = 10, b = 10)." in html
    assert repr(result).endswith("; hypervolume: solid, dominance: solid, robustness: solid>")


def test_repeated_verdicts_are_the_most_frequent_with_their_shares():
    single = SOLID.compare(SHAKY, names=("solid", "shaky"))
    even = SOLID.compare(SOLID, names=("solid", "shaky"))
    result = copa_nb.results.RepeatedComparison(
        {0: single, 1: even, 2: single, 3: single}, ("solid", "shaky"), "bootstrap"
    )
    assert (result.dominance.better, result.robustness.better) == ("solid", "solid")
    assert "solid in 3 and shaky in 0 of the 4 resamples of the test set" in str(result.dominance)
    assert "no statement in 1" in result.robustness.sentence
    assert result.table.loc["hypervolume"].tolist() == [0.75, 0.0, 0.25]
    assert repr(result).startswith("<RepeatedComparison over 4 bootstrap; hypervolume: 75% solid, ")
    rarely = copa_nb.results.RepeatedComparison({0: even, 1: even, 2: single}, ("solid", "shaky"), "repetitions")
    assert rarely.hypervolume.better is None


# Partial orders.


def test_consensus_says_what_the_rankings_contradict():
    # Two groups rank a, b, c and one b, c, a. Kemeny's ranking contradicts "b above a" and "c above a" of the
    # third; by Borda a and b are equal. The one generic set, of both orders, holds all of these: depth 1.
    merged = chains("abc", "abc", "bca").consensus()
    assert sentence(merged, "consensus.headline.first") == {"names": ["a", "b", "c"]}
    assert sentence(merged, "consensus.reasons.contradicts") == {"n": 2}
    depths = sentence(merged, "consensus.details.depths")
    assert (depths["name"], depths["kemeny"], depths["borda"], depths["central"]) == ("1", 1, 1, 1)
    assert {"consensus.certainty.unique", "consensus.details.agrees"} <= said_by(merged).keys()
    assert repr(merged) == "<Consensus of 3 orders: best by Kemeny 'a'>"
    assert "best by Kemeny" in merged._repr_html_()
    out_of_time = dataclasses.replace(merged, optimal=False)
    assert sentence(out_of_time, "consensus.reasons.contradicts_so_far") == {"n": 2}
    # The same in another order of the groups: of equally deep orders the first is the most central.
    turned = chains("bca", "abc", "abc").consensus()
    assert sentence(turned, "consensus.details.reverses") == {"kemeny": 2, "borda": 1}
    assert turned.contradicted.to_numpy().tolist() == [["Kemeny", "b", "a"], ["Kemeny", "c", "a"], ["Borda", "c", "a"]]


def test_agreement_of_some_orders_in_words():
    found = chains("abcd", "bacd", "abdc").depth().agreement(3)
    assert sentence(found, "agreement.headline.shared") == {"n": 4, "items": ["1", "2", "3"]}
    assert found.pairs == [("a", "c"), ("a", "d"), ("b", "c"), ("b", "d")]
    assert list(zip(*np.nonzero(found.absent.to_numpy()), strict=True)) == [(2, 0), (2, 1), (3, 0), (3, 1)]
    assert repr(found) == "<Agreement of 3 orders: 4 pairs shared>"
    assert "a above c and d" in found._repr_html_()
    assert "Agreement of 3 orders: 4 pairs shared<" in found._repr_html_()
    assert "agreement.headline.none" in said_by(chains("ab", "ba").depth().agreement(2))


def test_sentences_call_things_what_the_columns_call_them():
    rows = datasets.load_uci_classifiers()
    said = {"system": "classifier", "item": "dataset", "objectives": {"accuracy": "max", "brier_score": "min"}}
    posets = asked.posets(rows, **said).explain()
    assert "Each of 16 data sets orders the 8 classifiers; " in posets
    front = asked.gsd_front(rows, **said, progress=False)
    test = front.test(front.front[0], n_resamples=19)
    assert "Over 16 data sets, " in front.explain()
    assert " of 8 classifiers " in front.explain()
    assert "brier score" in front.explain()
    assert " of 8 classifiers" in test.explain()
    assert "conservative if data sets differ in difficulty" in test.explain()
    sure = asked.confident_front(
        rows, system="classifier", item="dataset", objectives={"accuracy": "max"}, n_resamples=200
    )
    assert sentence(sure, "confident_front.details.measured") == {"measured": "16 data sets"}
    for text in (posets, front.explain(), test.explain(), sure.explain()):
        assert not re.search(r"group|items|entit|=True|\(\)|_", text)


def test_depths_in_words():
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    exact = sample.depth()
    ends = sentence(exact, "depths.reasons.depths")
    assert (ends["deepest"], ends["shallowest"]) == (["P2", "P3", "P5"], ["P8"])
    assert (ends["most"], ends["least"]) == pytest.approx((0.6492891, 0.29383886))
    assert sentence(sample.depth(max_card=2), "depths.details.limited") == {"n": 2}
    sampled = sample.depth(method="sample", rng=0, confidence_level=0.9)
    assert "(estimated)" in repr(sampled)
    assert "depths.details.widest" in said_by(sampled)
    assert list(sampled.table.columns) == ["depth", "low", "high", "rank", "pairs"]
    alone = sample.depth(orders=sample.relation("P8"))
    assert alone.summary["sd"] == 0
    assert alone.depth["given"] == pytest.approx(exact.depth["P8"])


@pytest.mark.parametrize(
    ("seconds", "limit", "words"),
    [(100, 60, "100 seconds"), (119 * 60, 600, "119 minutes"), (7200, 600, "2 hours"), (1e9, 600, "32 years")],
)
def test_a_run_that_would_take_long_says_how_long(seconds, limit, words, monkeypatch):
    rng = np.random.default_rng(0)
    sample = chains(*dict.fromkeys("".join(rng.permutation(list("abcde"))) for _ in range(25)))
    assert len(sample) > 14
    monkeypatch.setattr(
        "copa_nb.partial_orders.arrays.ufg_sampling.forecast", lambda *_, **options: Effort(1e9, seconds, np.zeros(3))
    )
    refused = pytest.raises(ValueError, match=f"forecast to take {words}, more than `max_seconds` = {limit}")
    with refused, copa_nb.options(max_seconds=limit):
        sample.depth()
    # Where estimates would do as well, nobody waits as long.
    assert sample.depth(method="auto", rng=0, n_samples=400, max_card=2).method == "sample"
    with copa_nb.options(max_seconds=1e10):
        assert sample.depth(method="auto", max_card=2).method == "exact"


def test_a_suite_in_words():
    sample = asked.posets(datasets.load_deepobs(), system="optimizer", item="problem")
    review = sample.review(k=1)
    spread = review.dispersion
    assert spread["range"] == pytest.approx(0.6492891 - 0.29383886, abs=1e-7)
    assert spread["distinct"] == 6 / 8
    said = sentence(review, "suite_review.reasons.spread")
    assert (said["range"], said["distinct"]["count"], said["distinct"]["n"]) == (spread["range"], 6, 8)
    assert sentence(review, "suite_review.reasons.center_of_one")["pairs"] == 3
    assert sentence(review, "suite_review.details.twins") == {"names": ["P2", "P3", "P5"]}
    assert repr(review) == f"<SuiteReview: 8 problems, {len(review.removable)} could be left out>"
    assert "could be left out" in review._repr_html_()
    kept = dataclasses.replace(review, removable=[], k=3)
    assert sentence(kept, "suite_review.headline.none") == {"n": 8}
    assert sentence(kept, "suite_review.reasons.center")["k"] == 3


def test_two_suites_in_words():
    one, other = chains("abc", "abc", "acb", "abc"), chains("cba", "cba", "bca", "acb")
    found = one.compare(other, names=("old", "new"), rng=0, n_resamples=50)
    # "a above c" holds in 4 of 4 and 1 of 4; "a above b" likewise; the first of the largest is named.
    largest = {"above": "a", "below": "b", "more": "old", "less": "new", "share": 0.75}
    assert sentence(found, "suite_comparison.reasons.largest") == largest
    assert repr(found) == f"<SuiteComparison: old and new, p = {found.pvalue:.3g}>"
    swapped = other.compare(one, names=("new", "old"), rng=0, n_resamples=50)
    assert sentence(swapped, "suite_comparison.reasons.largest") == largest
    assert swapped.statistic == pytest.approx(found.statistic)
    assert found.statistic == pytest.approx((found.shares.to_numpy() ** 2).sum())


# Preferences asked for.


def test_an_elicitation_says_what_is_left():
    start = Elicitation.of(MODELS.moo.copa(), n_draws=200)
    assert sentence(start, "elicitation.reasons.possible") == {"n": 0, "possible": 3, "front": 3}
    assert repr(start).startswith("<Elicitation: 0 answers, 3 rows can still be best, leading ")
    assert start.table["share of weights"].sum() == pytest.approx(1)
    assert start.table.index[0] == start.best
    assert "Weights that agree with the answers" in start._repr_html_()
    done = start.answer("first", ("large", "medium")).answer("first", ("large", "small"))
    assert done.converged
    assert sentence(done, "elicitation.headline.converged") == {"n": 2, "best": "large"}
    # Answers in a circle: nobody with such weights prefers the middle to both and the ends to the middle.
    clash = done.answer("second", ("large", "small"))
    assert repr(clash).startswith("<Elicitation: 3 answers, contradictory, leading ")
    assert sentence(clash, "elicitation.headline.conflict") == {"n": 3}
    answers = sentence(clash, "elicitation.reasons.conflict")["answers"]
    assert answers[0]["number"] == 2
    assert "large is better than" in answers[0]["answer"]


def test_a_simulated_user_calls_rows_equal_within_the_indifference():
    # With even weights and p = 1 all three rows are equal, so that every answer is "equal".
    done = Elicitation.of(MODELS.moo.copa(p=1), n_draws=200).simulate_user({"co2_kg": 0.5}, indifference=0.01)
    assert {answer.choice for answer in done.answers} == {"equal"}
    middle = done.weight_ranges.loc["co2_kg", "mean"]
    assert middle == pytest.approx(0.5, abs=0.02)


# Headlines.

AGENTS = [f"large model with {tools}" for tools in ("tools", "search", "memory", "reflection")]


def _runs_of_agents():
    rng = np.random.default_rng(3)
    rows = pd.MultiIndex.from_product([AGENTS, range(8)], names=["agent", "task"]).to_frame(index=False)
    skill = rows["agent"].map(dict(zip(AGENTS, (0.3, 0.5, 0.7, 0.7), strict=True)))
    for name in ("val_accuracy", "test_accuracy", "val_recall", "test_recall"):
        rows[name] = skill + 0.1 * rng.normal(size=len(rows))
    return rows


HEADLINES = {
    "gap": lambda rows: rows.moo(BOTH).gap(),
    "gaps of agents": lambda rows: rows.moo(BOTH).by("agent").gap(),
    "gaps of two agents": lambda rows: rows[rows["agent"].isin(AGENTS[:2])].moo(BOTH).by("agent").gap(),
    "GSD front": lambda rows: rows.moo(OF_ONE, system="agent", item="task").gsd_front().test(n_resamples=99),
    "posets": lambda rows: rows.moo(OF_ONE, system="agent", item="task").posets(),
    "depths": lambda rows: rows.replace({"task": dict(enumerate(AGENTS * 2))}).drop_duplicates(["agent", "task"]).moo(
        OF_ONE, system="agent", item="task"
    ).posets().depth(),
    "audit": lambda rows: rows.moo(OF_ONE, system="agent", repeat="task").audit(),
    "audit of a claim": lambda rows: rows.moo(OF_ONE, system="agent", repeat="task").audit([AGENTS[3:0:-2]]),
}  # fmt: skip
BOTH = {"accuracy": "max", "recall": "max"}
OF_ONE = {"val_accuracy": "max", "val_recall": "max"}


@pytest.mark.parametrize("kind", HEADLINES)
def test_headlines_have_room_for_long_names(kind):
    with copa_nb.options(progress=False):
        answer = HEADLINES[kind](_runs_of_agents()).to_answer()
    assert len(answer.headline.split()) <= 14
    assert len(re.findall(r"(?<![\w.])\d[\d.,]*", answer.headline)) <= 2
    assert len(" ".join(answer.lines).split()) <= 70
