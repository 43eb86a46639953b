"""Scores of a chosen system: simultaneous intervals, compared with scipy and brute force, and their coverage."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import copa_nb
from copa_nb.selection.arrays import after_choice as arrays
from tests.benchmarks.error_rates import after_choice as simulated


def log(n_systems, n_items, seed=0, draw=None):
    rng = np.random.default_rng(seed)
    values = (rng.random((n_systems, n_items)) < 0.7) * 1.0 if draw is None else draw(rng, (n_systems, n_items))
    system, item = np.indices(values.shape).reshape(2, -1)
    return pd.DataFrame({"model": system, "task": item, "score": values.ravel()})


def normal(rng, shape):
    return rng.normal(size=shape)


OPTIONS = {"system": "model", "item": "task", "objectives": {"score": "max"}}


def test_the_naive_interval_is_that_of_one_system():
    frame = log(10, 60, draw=normal)
    found = copa_nb.scores_after_choice(frame, **OPTIONS, n_resamples=400_000)
    own = frame.loc[frame["model"] == found.best, "score"]
    row = found.table.loc["score"]
    expected = stats.t.interval(0.95, 59, own.mean(), stats.sem(own))
    assert (row["naive_low"], row["naive_high"]) == pytest.approx(expected, rel=0.01, abs=0.003)
    assert own.mean() == pytest.approx(frame.groupby("model")["score"].mean().max())


def test_right_answers_have_wilsons_interval():
    found = arrays.intervals(
        np.array([0.8]), np.array([0.1]), 1.959963984540054, n_items=50, freedom=49.0, right_or_wrong=np.array([True])
    )
    expected = stats.binomtest(40, 50).proportion_ci(method="wilson")
    assert found[0] == pytest.approx([expected.low, expected.high])


def test_independent_systems_have_the_limit_of_sidak():
    deviations, _ = arrays.unit_deviations(np.random.default_rng(0).normal(size=(20_000, 12, 1)), None)
    limit = arrays.largest_of_all(deviations, 0.95, 100_000, np.random.default_rng(1))
    assert limit == pytest.approx(stats.norm.ppf((1 + 0.95 ** (1 / 12)) / 2), abs=0.02)


def test_equal_columns_count_once_also_with_fewer_items_than_columns():
    column = np.random.default_rng(0).normal(size=(8, 1, 1))
    deviations, freedom = arrays.unit_deviations(np.repeat(column, 30, axis=1), None)
    limit = arrays.largest_of_all(deviations, 0.95, 100_000, np.random.default_rng(1))
    assert limit == pytest.approx(stats.norm.ppf(0.975), abs=0.03)
    assert freedom == 7


def test_clusters_have_the_variance_of_their_sums():
    rng = np.random.default_rng(0)
    scores, clusters = rng.normal(size=(30, 2, 1)), np.repeat([0, 1, 2], [5, 10, 15])
    deviations, freedom = arrays.unit_deviations(scores, clusters)
    sums = [(scores[clusters == one] - scores.mean(axis=0)).sum(axis=0) for one in range(3)]
    assert (deviations**2).sum(axis=0) == pytest.approx(sum(part**2 for part in sums) * 1.5 / 30**2)
    assert freedom == pytest.approx(30**2 / (5**2 + 10**2 + 15**2) - 1)


def test_the_interval_widens_with_the_candidates_and_where_limits_them():
    frame = log(30, 100)
    every = copa_nb.scores_after_choice(frame, **OPTIONS)
    few = copa_nb.scores_after_choice(frame[frame["model"].isin([every.best, 0, 1])], **OPTIONS)
    first, second = every.table.loc["score"], few.table.loc["score"]
    assert first["low"] < second["low"] < second["naive_low"]
    assert (every.n_candidates, few.n_candidates) == (30, 3)
    best = frame.groupby("model")["score"].mean().nlargest(3).min()
    limited = copa_nb.scores_after_choice(frame, **OPTIONS, where=f"score >= {best}")
    assert limited.n_candidates < 30
    assert limited.best == every.best


def test_the_optimism_is_that_of_brute_force_and_of_the_truth():
    """Of 20 equal systems the best of 100 tasks is as much too good as the largest of 20 means."""
    excess, measured = [], []
    for seed in range(40):
        frame = log(20, 100, seed)
        row = copa_nb.scores_after_choice(frame, **OPTIONS, n_resamples=1000).table.loc["score"]
        measured.append(row["score"] - 0.7)
        excess.append(row["optimism"])
        assert row["corrected"] == pytest.approx(row["score"] - row["optimism"])
    assert np.mean(excess) == pytest.approx(np.mean(measured), rel=0.2)
    costs = -np.random.default_rng(0).normal(size=(40, 5, 1))
    found = arrays.optimism(costs, None, lambda means: means[..., 0].argmin(axis=1), 3, np.random.default_rng(2))
    rng, expected = np.random.default_rng(2), []
    for _ in range(3):
        fold = rng.permutation(40) % 10
        for one in range(10):
            kept, out = costs[fold != one].mean(axis=0)[:, 0], costs[fold == one].mean(axis=0)[:, 0]
            expected.append(out[kept.argmin()] - kept.min())
    assert found[0] == pytest.approx(np.mean(expected) * np.sqrt(0.9))


def test_costs_are_optimistic_downwards():
    frame = log(15, 80, draw=lambda rng, shape: rng.lognormal(size=shape))
    row = copa_nb.scores_after_choice(frame, **{**OPTIONS, "objectives": {"score": "min"}}).table.loc["score"]
    assert row["optimism"] < 0
    assert row["corrected"] > row["score"]


def test_known_prices_have_no_interval():
    frame = log(5, 50).assign(price=lambda table: table["model"] + 1.0)
    found = copa_nb.scores_after_choice(
        frame, system="model", item="task", objectives={"score": "max", "price": "min"}, known="price", p=1
    )
    row = found.table.loc["price"]
    assert row["low"] == row["high"] == row["score"] == row["corrected"]
    assert "declared as known" in found.explain()


def test_the_choice_is_that_of_copa():
    rng = np.random.default_rng(3)
    frame = log(8, 30, draw=normal).assign(cost=rng.lognormal(size=240))
    ways = {"score": "max", "cost": "min"}
    for options in ({}, {"p": 1, "weights": {"cost": 0.9}}, {"normalize": "minmax"}):
        found = copa_nb.scores_after_choice(frame, system="model", item="task", objectives=ways, **options)
        means = frame.groupby("model")[["score", "cost"]].mean()
        assert found.best == copa_nb.copa(means, objectives=ways, **options).best


def test_coverage_holds_where_the_naive_one_fails():
    setting = "best of 20 equal systems, right or wrong at 0.7, 100 items"
    valid, naive = simulated.rates(60, {setting: simulated.SETTINGS[setting]})
    assert valid.actual >= 0.88
    assert naive.actual < 0.8


def test_a_selection_passes_on_its_criterion():
    rng = np.random.default_rng(3)
    frame = log(8, 30, draw=normal).assign(cost=rng.lognormal(size=240))
    means = frame.groupby("model")[["score", "cost"]].mean()
    pick = copa_nb.copa(means, objectives={"score": "max", "cost": "min"}, p=2, weights={"cost": 0.8})
    found = pick.scores_after_choice(frame, system="model", item="task")
    assert found.best == pick.best
    with pytest.raises(ValueError, match="whose means lead to"):
        pick.scores_after_choice(frame[frame["model"] != pick.best], system="model", item="task")


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="`confidence_level` is 2"):
        copa_nb.scores_after_choice(log(3, 10), **OPTIONS, confidence_level=2)
    with pytest.raises(ValueError, match="`n_resamples` is 10"):
        copa_nb.scores_after_choice(log(3, 10), **OPTIONS, n_resamples=10)


def test_independent_runs_have_students_interval_with_sidaks_level():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"model": np.repeat(range(8), 6), "run": list(range(6)) * 8, "score": rng.normal(size=48)})
    found = copa_nb.scores_after_choice(runs, system="model", repeat="run", objectives={"score": "max"})
    own = runs.loc[runs["model"] == found.best, "score"]
    row = found.table.loc["score"]
    naive = stats.t.interval(0.95, 5, own.mean(), stats.sem(own))
    assert (row["naive_low"], row["naive_high"]) == pytest.approx(naive)
    assert (row["low"], row["high"]) == pytest.approx(stats.t.interval(0.95 ** (1 / 8), 5, own.mean(), stats.sem(own)))
    assert found.best == runs.groupby("model")["score"].mean().idxmax()
    assert "whichever of the 8 candidates is chosen" in found.guarantee.holds
    assert found.guarantee.basis == "exact for normal errors"


def test_standard_errors_have_normal_intervals_and_exact_columns_none():
    table = pd.DataFrame(
        {"score": [0.7, 0.8, 0.75], "se": [0.02, 0.03, 0.01], "price": [1.0, 2.0, 3.0]}, index=list("abc")
    )
    found = copa_nb.scores_after_choice(
        table, standard_error={"score": "se"}, objectives={"score": "max", "price": "min"}, weights={"score": 1}
    )
    assert found.best == "b"
    expected = stats.norm.interval(0.95 ** (1 / 3), 0.8, 0.03)
    assert found.table.loc["score", ["low", "high"]].tolist() == pytest.approx(expected)
    assert found.table.loc["price", ["low", "high", "optimism"]].tolist() == [2.0, 2.0, 0.0]
    assert found.explain().split("error")[0]


def test_the_optimism_of_standard_errors_is_that_of_the_best_of_equal_systems():
    rng, n, error = np.random.default_rng(1), 20, 0.1
    maximum = np.array([rng.normal(size=n).max() for _ in range(20_000)]).mean()
    found = []
    for _ in range(150):
        table = pd.DataFrame({"score": rng.normal(0, error, n), "se": error})
        chosen = copa_nb.scores_after_choice(
            table, standard_error={"score": "se"}, objectives={"score": "max"}, n_resamples=1000, rng=rng
        )
        found.append(chosen.table.loc["score", "optimism"])
    assert np.mean(found) == pytest.approx(error * maximum, rel=0.12)


def test_resampled_runs_come_with_the_scores_of_the_choice():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"model": np.repeat(list("abcde"), 5), "run": list(range(5)) * 5, "score": rng.normal(size=25),
                         "cost": rng.random(25)})  # fmt: skip
    ways = {"objectives": {"score": "max", "cost": "min"}, "system": "model", "repeat": "run"}
    found = copa_nb.stability(runs, **ways, n_resamples=50)
    expected = copa_nb.scores_after_choice(runs, **ways)
    assert found.scores.best == found.best
    pd.testing.assert_frame_equal(found.scores.table, expected.table)
    assert "with 95% intervals that allow for the choice from 5" in found.explain()
    paired = copa_nb.stability(runs, **ways, paired=True, n_resamples=50)
    items = copa_nb.scores_after_choice(runs, objectives=ways["objectives"], system="model", item="run")
    pd.testing.assert_frame_equal(paired.scores.table, items.table)
    single = copa_nb.stability(runs[runs["run"] == 0], **ways, n_resamples=50)
    assert single.scores is None
