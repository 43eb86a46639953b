"""Fronts with confidence: shares against another library, verdicts against their definition, error rates in small."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from copa_nb.comparisons.arrays import skewness, uncertainty
from copa_nb.comparisons.confident_front import DOMINATED, ON_FRONT, UNDECIDED
from tests import asked
from tests.said import sentence

OBJECTIVES = {"right": "max", "cost": "min"}
ON_ITEMS = {"system": "model", "item": "item", "objectives": OBJECTIVES}


def scores_of(means, n_items=60, spread=0.5, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{entity}", item, right + spread * rng.standard_normal(), cost + spread * rng.standard_normal())
        for entity, (right, cost) in enumerate(means)
        for item in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "right", "cost"])


NOTHING_KNOWN = np.zeros(2, dtype=bool)


def test_shares_equal_those_of_evalstats_on_the_same_indices():
    peer = pytest.importorskip("evalstats.core.pareto", reason="the package to compare with is not installed")
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 6, size=(40, 7, 2)).astype(float)  # whole numbers: no sum is rounded
    ours = uncertainty.from_items(scores[:, None], NOTHING_KNOWN, n_resamples=700, rng=np.random.default_rng(9))
    theirs = peer.pareto_bootstrap(
        -scores[:, :, 0].T, -scores[:, :, 1].T, list("abcdefg"), 700, np.random.default_rng(9)
    )  # fmt: skip
    np.testing.assert_array_equal(uncertainty.front_shares(ours.draws), theirs.p_frontier)


def test_shares_by_brute_force_with_three_objectives():
    draws = np.random.default_rng(2).integers(0, 4, size=(50, 3, 6)).astype(float)
    expected = np.zeros(6)
    for draw, i in itertools.product(draws, range(6)):
        others = (draw[:, [j]] for j in range(6) if j != i)
        expected[i] += not any((o <= draw[:, [i]]).all() and (o < draw[:, [i]]).any() for o in others)
    np.testing.assert_allclose(uncertainty.front_shares(draws), expected / 50)


def test_items_are_resampled_for_all_together():
    """Two models that differ by a constant on every item keep their order in every resample."""
    frame = scores_of([(0, 0)], n_items=20, spread=3)
    worse = frame.assign(model="worse", right=frame["right"] - 0.01, cost=frame["cost"] + 0.01)
    result = asked.confident_front(pd.concat([frame, worse]), **ON_ITEMS)
    assert result.table.loc["m0", "share"] == 1
    assert result.table.loc["worse", "verdict"] == DOMINATED
    assert result.table.loc["worse", "dominated_by"] == "m0"


def test_independent_runs_of_two_systems_are_welch():
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 2, 6), rng.normal(1.8, 3, 9)
    measured = uncertainty.from_runs([first[:, None], second[:, None]], NOTHING_KNOWN[:1], n_resamples=100, rng=rng)
    for margin in (0.5, 0.0):
        expected = stats.ttest_ind(first, second + margin, equal_var=False, alternative="less").pvalue
        assert uncertainty.pvalues_within(measured, 1, np.array([margin]))[0, 0] == pytest.approx(expected)
    for alpha, found in ((2.02 * expected, True), (1.98 * expected, False)):  # Holm's adjustment for both directions
        assert uncertainty.significantly_better(measured, alpha=alpha)[0, 0, 1] == found


@pytest.mark.parametrize(("better", "worse"), [(9, 0), (12, 2), (7, 1), (3, 0), (0, 0), (15, 5)])
def test_right_and_wrong_answers_of_two_systems_are_mcnemar_exact(better, worse):
    """Whatever both have right or wrong, the sign test of the questions on which they differ decides."""
    answers = np.ones((better + worse + 30, 1, 2, 1))
    answers[:better, 0, 1], answers[better : better + worse, 0, 0], answers[-10:] = 0, 0, 0
    rng = np.random.default_rng(4)
    measured = uncertainty.from_items(-answers, NOTHING_KNOWN[:1], n_resamples=60_000, rng=rng)
    expected = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
    for alpha in (0.001, 0.01, 0.05, 0.2):
        found = uncertainty.significantly_better(measured, alpha=alpha)[0]
        assert found[0, 1] == (expected <= alpha), (alpha, expected)
        assert not found[1, 0]


def test_items_of_two_systems_are_tested_by_all_signs():
    scores = np.random.default_rng(5).exponential(size=(9, 1, 2, 1))
    measured = uncertainty.from_items(scores, NOTHING_KNOWN[:1], n_resamples=600, rng=np.random.default_rng(0))
    difference = scores[:, 0, 1, 0] - scores[:, 0, 0, 0]
    expected = stats.permutation_test(
        (difference,), np.mean, permutation_type="samples", n_resamples=np.inf, alternative="two-sided"
    ).pvalue
    found = [
        uncertainty.significantly_better(measured, alpha=alpha).any() for alpha in (expected - 0.004, expected + 0.004)
    ]
    assert found == [False, True]


def test_without_a_loss_in_n_answers_the_bound_is_exact():
    """A system that is worse in a share m of questions shows no loss in (1 - m) ** n of samples."""
    answers = np.ones((30, 1, 2, 1))
    measured = uncertainty.from_items(-answers, NOTHING_KNOWN[:1], n_resamples=100, rng=np.random.default_rng(6))
    found = uncertainty.pvalues_within(measured, 0, np.array([0.05]))[1, 0]
    assert found == pytest.approx(0.95**30, abs=0.015)


def test_nearly_equal_systems_beside_a_distant_one_keep_their_difference():
    rng = np.random.default_rng(8)
    scores = rng.normal(size=(40, 4))
    scores[:, 1] = scores[:, 0] + 1e-7 * rng.normal(size=40)
    scores[:, 2:] += 1e9
    expected = [[((scores[:, i] - scores[:, j]) ** 2).sum() for j in range(4)] for i in range(4)]
    np.testing.assert_allclose(skewness.squared_differences(scores), expected, rtol=1e-6)


@pytest.mark.parametrize("n", [1, 4, 19, 20])
def test_a_limit_is_exceeded_by_a_further_draw_as_rarely_as_it_says(n):
    """Of n + 1 draws each is as likely to be the further one, and ties aside k of them exceed the (n + 1 - k)th."""
    values = np.random.default_rng(n).permutation(n).astype(float)
    for level in (0.2, 0.5, 0.8, 0.9, 0.95):
        limit = uncertainty._quantile(values, level)
        enough = [value for value in range(n) if (n - value) / (n + 1) <= 1 - level + 1e-12]
        assert limit == min(enough, default=np.inf)


def test_known_objectives_leave_nothing_open():
    models = pd.DataFrame({"right": [0.9, 0.8, 0.7, 0.8], "cost": [3.0, 1.0, 2.0, 1.0], "se": 0.0}, index=list("abcd"))
    result = asked.confident_front(models, standard_error={"right": "se"}, known="right", objectives=OBJECTIVES)
    assert sorted(result.conservative) == sorted(result.optimistic) == sorted(models.moo(OBJECTIVES).front().index)
    assert result.table.loc["c", "verdict"] == DOMINATED
    pd.testing.assert_frame_equal(result.table[["right", "cost"]].sort_index(), models[["right", "cost"]])
    assert set(result.table["share"]) == {0.0, 1.0}


def test_an_interval_is_as_good_as_its_standard_error():
    models = pd.DataFrame(
        {"right": [0.9, 0.8, 0.7], "cost": [3.0, 1.0, 2.0], "se": [0.02, 0.03, 0.04]}, index=list("abc")
    )
    half = stats.norm.isf(0.025) * models["se"]
    ends = models.assign(low=models["right"] - half, high=models["right"] + half)
    by_error = asked.confident_front(models, standard_error={"right": "se"}, objectives=OBJECTIVES)
    by_ends = asked.confident_front(ends, standard_error={"right": ("low", "high")}, objectives=OBJECTIVES)
    pd.testing.assert_frame_equal(by_error.table, by_ends.table)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_laws(seed, n):
    """Conservative within central within optimistic; who dominates is better in everything."""
    rng = np.random.default_rng(seed)
    frame = scores_of(rng.normal(0, 1, size=(n, 2)), n_items=25, seed=seed)
    result = asked.confident_front(frame, **ON_ITEMS, n_resamples=100)
    assert set(result.conservative) <= set(result.central) <= set(result.optimistic)
    for name, row in result.table[result.table["verdict"] == DOMINATED].iterrows():
        other = result.table.loc[row["dominated_by"]]
        assert other["right"] >= row["right"], name
        assert other["cost"] <= row["cost"], name


def test_more_confidence_leaves_more_open():
    frame = scores_of([(0, 0), (0.2, 0.2), (-0.2, 0.3), (0.4, 0.1)], n_items=80)
    counts = []
    for alpha in (0.3, 0.05, 0.001):
        result = asked.confident_front(frame, **ON_ITEMS, alpha=alpha)
        counts.append((result.table["verdict"] == UNDECIDED).sum())
    assert counts == sorted(counts)


def test_repetitions_within_items():
    rng = np.random.default_rng(6)
    rows = [
        (model, item, repeat, right + difficulty + 0.3 * rng.standard_normal(), cost)
        for item, difficulty in enumerate(rng.standard_normal(30))
        for model, right, cost in (("a", 0.5, 2.0), ("b", 0.0, 1.0), ("c", 0.0, 3.0))
        for repeat in range(3)
    ]
    frame = pd.DataFrame(rows, columns=["model", "item", "try", "right", "cost"])
    result = asked.confident_front(frame, system="model", item="item", repeat="try", objectives=OBJECTIVES)
    assert result.measured == "30 items with 3 repetitions each"
    assert set(result.conservative) == {"a", "b"}
    assert result.table.loc["c", "dominated_by"] == "a"


def test_words():
    frame = scores_of([(0, 0), (3, 3), (1, 4)])
    result = asked.confident_front(frame, **ON_ITEMS)
    assert sentence(result, "confident_front.headline.decided") == {"sure": ["m0", "m1"]}
    verdicts = sentence(result, "confident_front.reasons.verdicts")
    assert {name: one["n"] for name, one in verdicts.items()} == {"sure": 2, "undecided": 0, "dominated": 1}
    assert "In 95% of repeated samples of independent items, all verdicts are right." in result.explain()
    assert "dominated" in result._repr_html_()


@pytest.mark.parametrize(
    ("change", "options", "message"),
    [
        ({}, {"system": "model"}, "source of uncertainty"),
        ({}, {"item": "item"}, "`system` is needed"),
        ({}, {**ON_ITEMS, "alpha": 2}, "`alpha`"),
        ({}, {**ON_ITEMS, "n_resamples": 10}, "`n_resamples`"),
        ({}, {**ON_ITEMS, "known": ["cost"]}, "`known` names 'cost', which has several values for m0"),
        ({}, {**ON_ITEMS, "known": "price"}, "`known`"),
        ({}, {"standard_error": {"speed": "cost"}}, "not an objective"),
        ({}, {"standard_error": {"right": "right"}}, "at least 0"),
        ({}, {"standard_error": {"right": ("a", "b", "c")}}, "two ends"),
        ({"item": 0}, ON_ITEMS, "5 rows for item 0"),
        ({"model": ["m0"] * 9 + ["m1"], "item": range(10)}, {"system": "model", "repeat": "item"}, "single run"),
        ({"cost": np.inf}, ON_ITEMS, "infinite"),
    ],
)
def test_what_is_refused(change, options, message):
    frame = scores_of([(0, 0), (1, 1)], n_items=5).assign(**change)
    with pytest.raises(ValueError, match=message):
        asked.confident_front(frame, **{"objectives": OBJECTIVES, **options})


def front_of_runs(values):
    """Verdicts on systems of which each run has an error and a cost."""
    rows = [(system, run, *costs) for system, runs in values.items() for run, costs in enumerate(runs)]
    frame = pd.DataFrame(rows, columns=["system", "run", "error", "cost"])
    return asked.confident_front(frame.moo(error="min", cost="min"), system="system", repeat="run").table


def test_runs_that_do_not_vary_have_the_noise_of_the_others():
    rng = np.random.default_rng(0)
    noisy = list(zip(rng.normal(0.15, 0.05, 5), rng.normal(1.5, 0.1, 5), strict=True))
    table = front_of_runs({"still": [(0.1, 1.0)] * 5, "worse": [(0.2, 2.0)] * 5, "noisy": noisy})
    assert table.loc["worse", "dominated_by"] == "still"
    close = front_of_runs({"still": [(0.1, 1.0)] * 5, "worse": [(0.11, 1.01)] * 5, "noisy": noisy})
    assert set(close.loc[["still", "worse"], "verdict"]) == {UNDECIDED}


def test_two_equal_runs_are_no_certainty():
    """An accuracy of 19 in 20 tasks twice, against 20 in 20 twice."""
    assert set(front_of_runs({"a": [(0.05, 1.0)] * 2, "b": [(0.0, 0.9)] * 2})["verdict"]) == {UNDECIDED}


def test_twenty_right_answers_are_not_an_accuracy_of_one():
    frame = pd.DataFrame([(m, q, 1.0, price) for m, price in (("a", 1.0), ("b", 2.0)) for q in range(20)],
                         columns=["model", "question", "right", "price"])  # fmt: skip
    options = {"system": "model", "item": "question", "objectives": {"right": "max", "price": "min"}}
    result = asked.confident_front(frame, known="price", **options)
    assert result.table.loc["b", "verdict"] == UNDECIDED
    assert result.table.loc["a", "verdict"] == ON_FRONT  # b is known to be dearer
    assert "declare it with `known`" in asked.confident_front(frame, **options).explain()


def test_seeds_that_all_questions_share_count_as_a_sample():
    rng = np.random.default_rng(9)
    lucky = rng.normal(0, 0.5, size=(3, 2))  # seed by model
    rows = [
        (model, question, seed, lucky[seed, m] + rng.normal(0, 0.1))
        for m, model in enumerate("ab") for question in range(200) for seed in range(3)
    ]  # fmt: skip
    frame = pd.DataFrame(rows, columns=["model", "question", "seed", "right"])
    options = {"system": "model", "item": "question", "objectives": {"right": "max"}}
    shared = asked.board(frame, repeat="seed", **options)
    assert shared.may_be_first == shared.table.index.tolist()
    assert "questions and values of seed" in shared.explain()
    means = frame.groupby(["model", "question"], as_index=False)["right"].mean()
    assert len(asked.board(means, **options).may_be_first) == 1  # for these three seeds alone


def test_skewed_items_are_named():
    rng = np.random.default_rng(10)
    frame = scores_of([(0, 0), (0, 0), (0, 0)], n_items=40)
    plain = asked.confident_front(frame, **ON_ITEMS).explain()
    heavy = frame.assign(cost=rng.lognormal(0, frame["model"].map({"m0": 0.1, "m1": 1, "m2": 2})))
    assert "skewed" not in plain
    assert "Values of cost are skewed" in asked.confident_front(heavy, **ON_ITEMS).explain()


def test_the_plot_of_objectives_that_are_called_true_and_false():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"system": np.repeat(["A", "B"], 6), "run": [*range(6)] * 2})
    frame[True], frame[False] = rng.random((2, 12))
    front = asked.confident_front(frame, system="system", repeat="run", objectives={True: "max", False: "min"})
    ax = front.plot()
    drawn = np.vstack([collection.get_offsets() for collection in ax.collections if len(collection.get_offsets())])
    means = frame.set_index(["system", "run"]).groupby("system").mean().to_numpy()
    for mean in means[:, ::-1]:  # the cost is across
        assert np.isclose(drawn, mean).all(axis=1).any()
