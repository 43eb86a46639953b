"""Fronts with confidence: shares against another library, verdicts against their definition, error rates in small."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import copa_nb
from copa_nb.pareto.arrays import uncertainty
from copa_nb.significance.confident_front import DOMINATED, ON_FRONT, OPEN
from tests.benchmarks.error_rates import confident_front as simulation

OBJECTIVES = {"right": "max", "cost": "min"}


def scores_of(means, n_items=60, spread=0.5, seed=0):
    rng = np.random.default_rng(seed)
    rows = [
        (f"m{entity}", item, right + spread * rng.standard_normal(), cost + spread * rng.standard_normal())
        for entity, (right, cost) in enumerate(means)
        for item in range(n_items)
    ]
    return pd.DataFrame(rows, columns=["model", "item", "right", "cost"])


def test_shares_equal_those_of_evalstats_on_the_same_indices():
    peer = pytest.importorskip("evalstats.core.pareto", reason="the package to compare with is not installed")
    rng = np.random.default_rng(1)
    scores = rng.integers(0, 6, size=(40, 7, 2)).astype(float)  # whole numbers: no sum is rounded
    ours = uncertainty.from_items(scores[:, None], n_resamples=700, rng=np.random.default_rng(9))
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
    result = copa_nb.confident_front(pd.concat([frame, worse]), system="model", item="item", objectives=OBJECTIVES)
    assert result.table.loc["m0", "share"] == 1
    assert result.table.loc["worse", "verdict"] == DOMINATED
    assert result.table.loc["worse", "dominated_by"] == "m0"


def test_independent_runs_of_two_systems_are_welch():
    """With two entities and one objective the limit is that of Welch's test."""
    rng = np.random.default_rng(3)
    first, second = rng.normal(0, 1, 6), rng.normal(1.8, 3, 9)
    measured = uncertainty.from_runs([first[:, None], second[:, None]], n_resamples=40_000, rng=rng)
    statistic = (second.mean() - first.mean()) ** 2 / measured.variances[0, 0, 1]
    expected = stats.ttest_ind(first, second, equal_var=False)
    assert statistic == pytest.approx(expected.statistic**2)
    # Step-down over both directions: the two-sided p.
    limit = uncertainty._quantile(uncertainty._largest(measured, np.ones((1, 2, 2), dtype=bool)), 0.95)
    assert limit == pytest.approx(stats.t.isf(0.025, expected.df) ** 2, rel=0.06)


def test_items_of_two_systems_are_the_paired_t_test():
    rng = np.random.default_rng(4)
    scores = rng.standard_normal((200, 1, 2, 1))
    measured = uncertainty.from_items(scores, n_resamples=20_000, rng=rng)
    expected = stats.ttest_rel(scores[:, 0, 0, 0], scores[:, 0, 1, 0])
    difference = measured.means[1, 0] - measured.means[0, 0]
    assert difference**2 / measured.variances[0, 0, 1] == pytest.approx(expected.statistic**2)
    limit = uncertainty._quantile(uncertainty._largest(measured, np.ones((1, 2, 2), dtype=bool)), 0.95)
    assert limit == pytest.approx(stats.t.isf(0.025, 199) ** 2, rel=0.06)


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
    result = copa_nb.confident_front(models, noise={"right": "se"}, objectives=OBJECTIVES)
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
    by_error = copa_nb.confident_front(models, noise={"right": "se"}, objectives=OBJECTIVES)
    by_ends = copa_nb.confident_front(ends, noise={"right": ("low", "high")}, objectives=OBJECTIVES)
    pd.testing.assert_frame_equal(by_error.table, by_ends.table)


@given(st.integers(0, 2**32 - 1), st.integers(2, 6))
def test_laws(seed, n):
    """Conservative within central within optimistic; who dominates is better in everything; units are nothing."""
    rng = np.random.default_rng(seed)
    frame = scores_of(rng.normal(0, 1, size=(n, 2)), n_items=25, seed=seed)
    result = copa_nb.confident_front(frame, system="model", item="item", objectives=OBJECTIVES, n_resamples=100)
    assert set(result.conservative) <= set(result.central) <= set(result.optimistic)
    for name, row in result.table[result.table["verdict"] == DOMINATED].iterrows():
        other = result.table.loc[row["dominated_by"]]
        assert other["right"] >= row["right"], name
        assert other["cost"] <= row["cost"], name
    verdicts = dict(zip(result.table.index, result.table["verdict"], strict=True))
    scaled = frame.assign(right=frame["right"] * 7 + 3, cost=frame["cost"] * 0.5)
    again = copa_nb.confident_front(scaled, system="model", item="item", objectives=OBJECTIVES, n_resamples=100)
    assert dict(zip(again.table.index, again.table["verdict"], strict=True)) == verdicts


def test_more_confidence_leaves_more_open():
    frame = scores_of([(0, 0), (0.2, 0.2), (-0.2, 0.3), (0.4, 0.1)], n_items=80)
    counts = []
    for alpha in (0.3, 0.05, 0.001):
        result = copa_nb.confident_front(frame, system="model", item="item", objectives=OBJECTIVES, alpha=alpha)
        counts.append((result.table["verdict"] == OPEN).sum())
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
    result = copa_nb.confident_front(frame, system="model", item="item", repeat="try", objectives=OBJECTIVES)
    assert result.measured == "30 items with 3 repetitions each"
    assert set(result.conservative) == {"a", "b"}
    assert result.table.loc["c", "dominated_by"] == "a"


def test_words_and_card():
    frame = scores_of([(0, 0), (3, 3), (1, 4)])
    result = copa_nb.confident_front(frame, system="model", item="item", objectives=OBJECTIVES)
    assert "2 are on the front for sure (m0 and m1)" in result.explain()
    assert "at most 5 %" in result.explain()
    assert "dominated" in result._repr_html_()
    assert ON_FRONT in set(result.table["verdict"])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"system": "model"}, "how precise"),
        ({"item": "item"}, "`system` is missing"),
        ({"system": "model", "item": "item", "alpha": 2}, "`alpha`"),
        ({"system": "model", "item": "item", "n_resamples": 10}, "`n_resamples`"),
        ({"system": "model", "item": "item", "nan_policy": "worst"}, "`nan_policy`"),
        ({"noise": {"speed": "cost"}}, "no objective"),
        ({"noise": {"right": "right"}}, "at least 0"),
        ({"noise": {"right": ("a", "b", "c")}}, "two ends"),
    ],
)
def test_what_is_refused(options, message):
    frame = scores_of([(0, 0), (1, 1)], n_items=5)
    with pytest.raises(ValueError, match=message):
        copa_nb.confident_front(frame, objectives=OBJECTIVES, **options)


def test_incomplete_items_are_refused_or_left_out():
    frame = scores_of([(0, 0), (1, 1)], n_items=10).drop(index=3)
    with pytest.raises(ValueError, match="1 of 10 items"):
        copa_nb.confident_front(frame, system="model", item="item", objectives=OBJECTIVES)
    result = copa_nb.confident_front(frame, system="model", item="item", objectives=OBJECTIVES, nan_policy="omit")
    assert result.n_omitted == 1
    assert "1 incomplete" in result.explain()


def test_repeated_rows_single_runs_and_infinite_scores_are_refused():
    frame = scores_of([(0, 0), (1, 1)], n_items=5)
    with pytest.raises(ValueError, match="2 rows for item 0"):
        copa_nb.confident_front(pd.concat([frame, frame.head(1)]), system="model", item="item", objectives=OBJECTIVES)
    with pytest.raises(ValueError, match="single run"):
        copa_nb.confident_front(frame.iloc[:6], system="model", repeat="item", objectives=OBJECTIVES)
    with pytest.raises(ValueError, match="infinite"):
        copa_nb.confident_front(
            frame.assign(cost=np.inf), system="model", item="item", objectives=OBJECTIVES
        )  # fmt: skip


@pytest.mark.parametrize("setting", list(simulation.SETTINGS))
def test_any_wrong_verdict_is_as_rare_as_it_says(setting, monkeypatch):
    monkeypatch.setattr(simulation, "SETTINGS", {setting: simulation.SETTINGS[setting]})
    rate = next(simulation.rates(60))
    assert stats.binom.sf(rate.hits - 1, rate.n, 0.07) > 1e-3


def test_runs_that_do_not_vary_are_known():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({
        "system": np.repeat(["still", "worse", "noisy"], 5), "run": np.tile(range(5), 3),
        "error": np.concatenate([np.full(5, 0.1), np.full(5, 0.2), rng.normal(0.15, 0.05, 5)]),
        "cost": np.concatenate([np.full(5, 1.0), np.full(5, 2.0), rng.normal(1.5, 0.1, 5)]),
    })  # fmt: skip
    found = copa_nb.confident_front(runs, system="system", repeat="run", objectives={"error": "min", "cost": "min"})
    assert found.table.loc["worse", "verdict"] == "dominated"
    assert found.table.loc["worse", "dominated_by"] == "still"
    assert found.table.loc["still", "verdict"] == "on the front"
