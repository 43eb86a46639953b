"""Scores of a chosen system: simultaneous intervals, compared with scipy and brute force, and their coverage."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from benchmarks.error_rates import after_choice as simulated
from copa_nb.comparisons.arrays import after_choice as arrays
from tests import asked
from tests.asked import scores_after_choice
from tests.over_runs import over_runs
from tests.said import sentence


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
    found = scores_after_choice(frame, **OPTIONS, n_resamples=400_000)
    own = frame.loc[frame["model"] == found.best, "score"]
    row = found.table.loc["score"]
    expected = stats.t.interval(0.95, 59, own.mean(), stats.sem(own))
    assert (row["naive_low"], row["naive_high"]) == pytest.approx(expected, rel=0.01, abs=0.003)
    assert own.mean() == pytest.approx(frame.groupby("model")["score"].mean().max())


def test_right_answers_have_jeffreys_interval():
    """The quantiles of the beta distribution, and the exact interval of Clopper and Pearson at the ends."""
    limit = stats.norm.ppf(0.975)
    for right in (0, 1, 40, 49, 50):
        ((low, high),) = arrays.intervals(np.array([right / 50]), np.zeros(1), np.array([limit]), np.array([50.0]))
        expected = stats.beta.ppf([0.025, 0.975], right + 0.5, 50 - right + 0.5)
        exact = stats.binomtest(right, 50).proportion_ci(method="exact")
        expected = {0: (0.0, exact.high), 50: (exact.low, 1.0)}.get(right, expected)
        assert (low, high) == pytest.approx(expected)


def test_independent_systems_have_the_limit_of_sidak():
    deviations, _ = arrays.unit_deviations(np.random.default_rng(0).normal(size=(20_000, 12, 1)), None)
    expected = stats.norm.ppf((1 + 0.95 ** (1 / 12)) / 2)
    limit = arrays.largest_of_all(deviations, np.zeros((12, 1)), 0.95, 100_000, np.random.default_rng(1))
    assert limit == pytest.approx(expected, abs=0.02)
    # Systems without any spread, and those whose errors are mostly due to something else, count as independent.
    alike = np.repeat(deviations[:, :1], 12, axis=1)
    for found, apart in ((0 * alike, np.zeros((12, 1))), (alike, np.full((12, 1), 1e3))):
        limit = arrays.largest_of_all(found, apart, 0.95, 100_000, np.random.default_rng(1))
        assert limit == pytest.approx(expected, abs=0.02)


def test_equal_columns_count_once_also_with_fewer_items_than_columns():
    column = np.random.default_rng(0).normal(size=(8, 1, 1))
    deviations, freedom = arrays.unit_deviations(np.repeat(column, 30, axis=1), None)
    limit = arrays.largest_of_all(deviations, np.zeros((30, 1)), 0.95, 100_000, np.random.default_rng(1))
    assert limit == pytest.approx(stats.norm.ppf(0.975), abs=0.03)
    assert freedom == 7


def test_clusters_have_the_variance_of_their_sums():
    rng = np.random.default_rng(0)
    scores, clusters = rng.normal(size=(30, 2, 1)), np.repeat([0, 1, 2], [5, 10, 15])
    deviations, freedom = arrays.unit_deviations(scores, clusters)
    sums = [(scores[clusters == one] - scores.mean(axis=0)).sum(axis=0) for one in range(3)]
    assert (deviations**2).sum(axis=0) == pytest.approx(sum(part**2 for part in sums) * 1.5 / 30**2)
    assert freedom == pytest.approx(30**2 / (5**2 + 10**2 + 15**2) - 1)


def test_a_limit_on_measured_scores_leaves_the_intervals_as_they_are_and_one_on_known_prices_does_not():
    """On another sample, other systems would pass."""
    frame = log(30, 100).assign(price=lambda table: table["model"] + 1.0)
    options = {**OPTIONS, "objectives": {"score": "max", "price": "min"}, "weights": {"score": 1}, "known": "price"}
    every = scores_after_choice(frame, **options)
    best = frame.groupby("model")["score"].mean().nlargest(3).min()
    limits = [f"score >= {best}", lambda means: means["score"] >= best, f"score >= {best} and price < 1000"]
    for where in limits:
        limited = scores_after_choice(frame, **options, where=where)
        assert limited.n_candidates == 30
        assert limited.best == every.best
        bounds = ["score", "low", "high", "naive_low", "naive_high"]
        pd.testing.assert_frame_equal(limited.table[bounds], every.table[bounds])
    few = scores_after_choice(frame, **options, where="price <= 3")
    alone = scores_after_choice(frame[frame["price"] <= 3], **options)
    assert few.n_candidates == 3
    assert few.table.loc["score", ["low", "high"]].tolist() == alone.table.loc["score", ["low", "high"]].tolist()


@pytest.mark.slow
def test_the_optimism_of_a_limit_is_that_of_the_truth():
    """The cheapest of the systems that pass is chosen by its price, but it passes by luck."""
    measured, optimism = [], []
    for seed in range(40):
        frame = log(20, 100, seed).assign(price=lambda table: 1.0 + table["model"] % 7)
        found = scores_after_choice(
            frame, system="model", item="task", objectives={"score": "max", "price": "min"}, weights={"price": 1},
            known="price", where="score >= 0.72", n_resamples=1000,
        )  # fmt: skip
        measured.append(found.table.loc["score", "score"] - 0.7)
        optimism.append(found.table.loc["score", "optimism"])
    assert np.mean(measured) > 0.03
    assert np.mean(optimism) == pytest.approx(np.mean(measured), rel=0.3)


def test_the_optimism_is_that_of_brute_force_and_of_the_truth():
    """Of 20 equal systems the best of 100 tasks is as much too good as the largest of 20 means."""
    excess, measured = [], []
    for seed in range(40):
        frame = log(20, 100, seed)
        row = scores_after_choice(frame, **OPTIONS, n_resamples=1000).table.loc["score"]
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
    row = scores_after_choice(frame, **{**OPTIONS, "objectives": {"score": "min"}}).table.loc["score"]
    assert row["optimism"] < 0
    assert row["corrected"] > row["score"]


def test_known_prices_have_no_interval():
    frame = log(5, 50).assign(price=lambda table: table["model"] + 1.0)
    found = scores_after_choice(
        frame, system="model", item="task", objectives={"score": "max", "price": "min"}, known="price", p=1
    )
    row = found.table.loc["price"]
    assert row["low"] == row["high"] == row["score"] == row["corrected"]
    assert sentence(found, "intervals.reasons.known")["value"] == row["score"]


@pytest.mark.slow
def test_coverage_holds_where_the_naive_one_fails():
    setting = "best of 20 equal systems, right or wrong at 0.7, 100 items"
    valid, naive = simulated.rates(60, {setting: simulated.SETTINGS[setting]})
    assert valid.actual >= 0.88
    assert naive.actual < 0.8


@pytest.mark.parametrize(
    "options", [{}, {"p": 1, "weights": {"cost": 0.9}}, {"p": 2, "weights": {"cost": 0.8}}, {"normalize": "minmax"}]
)
def test_a_selection_passes_on_its_criterion(options):
    rng = np.random.default_rng(1)
    frame = log(8, 30, seed=1, draw=normal).assign(cost=rng.lognormal(size=240))  # each criterion has another choice
    means = frame.groupby("model")[["score", "cost"]].mean()
    pick = asked.copa(means, objectives={"score": "max", "cost": "min"}, **options)
    found = pick.intervals(frame, system="model", item="task")
    assert found.best == pick.best
    with pytest.raises(ValueError, match="have means that lead to"):
        pick.intervals(frame[frame["model"] != pick.best], system="model", item="task")


def test_mistakes_are_named():
    with pytest.raises(ValueError, match="`confidence_level` is 2"):
        scores_after_choice(log(3, 10), **OPTIONS, confidence_level=2)
    with pytest.raises(ValueError, match="`n_resamples` is 10"):
        scores_after_choice(log(3, 10), **OPTIONS, n_resamples=10)


def test_independent_runs_have_students_interval_with_sidaks_level():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"model": np.repeat(range(8), 6), "run": list(range(6)) * 8, "score": rng.normal(size=48)})
    found = scores_after_choice(runs, system="model", repeat="run", objectives={"score": "max"})
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
    found = scores_after_choice(
        table, standard_error={"score": "se"}, objectives={"score": "max", "price": "min"}, weights={"score": 1}
    )
    assert found.best == "b"
    expected = stats.norm.interval(0.95 ** (1 / 3), 0.8, 0.03)
    assert found.table.loc["score", ["low", "high"]].tolist() == pytest.approx(expected)
    assert found.table.loc["price", ["low", "high", "optimism"]].tolist() == [2.0, 2.0, 0.0]
    assert [one["name"] for one in found.parts() if one["say"] == "intervals.reasons.score"] == ["score"]


@pytest.mark.slow
def test_the_optimism_of_standard_errors_is_that_of_the_best_of_equal_systems():
    rng, n, error = np.random.default_rng(1), 20, 0.1
    maximum = np.array([rng.normal(size=n).max() for _ in range(20_000)]).mean()
    found = []
    for _ in range(150):
        table = pd.DataFrame({"score": rng.normal(0, error, n), "se": error})
        chosen = scores_after_choice(
            table, standard_error={"score": "se"}, objectives={"score": "max"}, n_resamples=1000, rng=rng
        )
        found.append(chosen.table.loc["score", "optimism"])
    assert np.mean(found) == pytest.approx(error * maximum, rel=0.12)


def test_resampled_runs_come_with_the_scores_of_the_choice():
    rng = np.random.default_rng(0)
    runs = pd.DataFrame({"model": np.repeat(list("abcde"), 5), "run": list(range(5)) * 5, "score": rng.normal(size=25),
                         "cost": rng.random(25)})  # fmt: skip
    ways = {"objectives": {"score": "max", "cost": "min"}, "system": "model", "repeat": "run"}
    found = over_runs(runs, **ways, n_resamples=50)
    expected = scores_after_choice(runs, **ways)
    assert found.scores.best == found.best
    pd.testing.assert_frame_equal(found.scores.table, expected.table)
    assert sentence(found, "choice.certainty.scores")["n"] == 5
    paired = over_runs(runs, **ways, paired=True, n_resamples=50)
    items = scores_after_choice(runs, objectives=ways["objectives"], system="model", item="run")
    pd.testing.assert_frame_equal(paired.scores.table, items.table)
    single = over_runs(runs[runs["run"] == 0], **ways, n_resamples=50)
    assert single.scores is None


def repeated(values):
    """A table of scores of shape (systems, items, repeats)."""
    system, item, repeat = np.indices(values.shape).reshape(3, -1)
    return pd.DataFrame({"model": system, "task": item, "run": repeat, "score": values.ravel()})


def names_of(found):
    return [caveat.name for caveat in found.guarantee.warnings]


def test_skewed_costs_are_warned_of_and_even_ones_are_not():
    ways = {**OPTIONS, "objectives": {"score": "min"}}
    for seed in range(10):
        for sigma in (1, 1.5, 2):
            costs = log(20, 100, seed, lambda rng, shape, sigma=sigma: np.exp(sigma * rng.normal(size=shape)))
            assert "skewed" in names_of(scores_after_choice(costs, **ways, n_resamples=1000))
        rare = log(20, 100, seed, lambda rng, shape: (rng.random(shape) < 0.05) * rng.lognormal(size=shape))
        assert "skewed" in names_of(scores_after_choice(rare, **ways, n_resamples=1000))
        for draw in (normal, None, lambda rng, shape: rng.random(shape) - 0.5):
            assert names_of(scores_after_choice(log(20, 100, seed, draw), **OPTIONS, n_resamples=1000)) == []


def test_shares_stay_inside_their_range_and_answers_without_a_failure_have_an_interval():
    rng = np.random.default_rng(0)
    frame = repeated((rng.random((5, 60, 1)) < [[[0.97]]] * np.ones((5, 60, 3))) * 1.0)
    clusters = frame[frame["run"] == 0].assign(group=lambda table: table["task"] // 4, score=1.0)
    for table, options in ((frame, {"repeat": "run"}), (clusters, {"cluster": "group"})):
        found = scores_after_choice(table, **OPTIONS, **options)
        low, high = found.table.loc["score", ["low", "high"]]
        assert 0.5 < low < high <= 1
    # Fifteen clusters without a failure are no more than fifteen answers, with Student's limit of five systems.
    tail = stats.norm.sf(stats.t.isf((1 - 0.95 ** (1 / 5)) / 2, 14))
    assert low == pytest.approx(tail ** (1 / 15), rel=0.02)


def test_repetitions_that_all_items_share_add_their_variance():
    """The mean square between seeds less that of the rest, by least squares."""
    rng = np.random.default_rng(2)
    shape = (1, 30, 4)
    values = rng.normal(size=shape) + rng.normal(size=(1, 30, 1)) + rng.normal(size=(1, 1, 4))
    frame = repeated(np.concatenate([values, values + 1.0]))
    one = frame[frame["model"] == 1]
    items, seeds = pd.get_dummies(one["task"], dtype=float), pd.get_dummies(one["run"], dtype=float)
    without, full = (
        np.linalg.lstsq(design, one["score"], rcond=None)[0] @ np.transpose(design) - one["score"]
        for design in (items.to_numpy(), np.hstack([items, seeds]))
    )
    of_seeds = (((without**2).sum() - (full**2).sum()) / 3 - (full**2).sum() / (29 * 3)) / (30 * 4)
    of_items = one.groupby("task")["score"].mean().var() / 30
    total = of_items + of_seeds
    freedom = total**2 / (of_items**2 / 29 + of_seeds**2 / 6)
    found = scores_after_choice(frame, **OPTIONS, repeat="run", n_resamples=400_000)
    row = found.table.loc["score"]
    half = stats.t.isf(0.025, freedom) * np.sqrt(total)
    assert found.best == 1
    assert (row["naive_high"] - row["naive_low"]) / 2 == pytest.approx(half, rel=0.01)
    assert names_of(found).count("few_repeats") == 1
    # The same scores without seeds in common: every item has its own.
    own = scores_after_choice(
        frame.assign(run=frame["run"] + 4 * frame["task"]), **OPTIONS, repeat="run", n_resamples=400_000
    )
    row = own.table.loc["score"]
    half = stats.t.isf(0.025, 29) * np.sqrt(of_items)
    assert (row["naive_high"] - row["naive_low"]) / 2 == pytest.approx(half, rel=0.01)
    assert "few_repeats" not in names_of(own)


def test_counted_shares_have_jeffreys_interval_with_sidaks_level():
    table = pd.DataFrame({"score": [0.7, 0.9, 1.0], "n": [100, 100, 50]}, index=list("abc"))
    table["se"] = np.sqrt(table["score"] * (1 - table["score"]) / table["n"])
    tail = (1 - 0.95 ** (1 / 3)) / 2
    for scale in (1, 100):
        scaled = table.assign(score=table["score"] * scale, se=table["se"] * scale)
        options = {"standard_error": {"score": "se"}, "n": "n", "objectives": {"score": "max"}}
        found = scores_after_choice(scaled, **options)
        assert found.best == "c"
        assert found.table.loc["score", ["low", "high"]].tolist() == pytest.approx([scale * tail ** (1 / 50), scale])
        found = scores_after_choice(scaled.drop("c"), **options)
        tail_of_two = (1 - 0.95 ** (1 / 2)) / 2
        expected = scale * stats.beta.ppf([tail_of_two, 1 - tail_of_two], 90.5, 10.5)
        assert found.table.loc["score", ["low", "high"]].tolist() == pytest.approx(expected, rel=1e-3)
        assert names_of(found) == []


def test_counted_means_have_students_interval():
    table = pd.DataFrame({"score": [250.0, 300.0], "se": [3.0, 2.0], "n": [30, 40]}, index=list("ab"))
    found = scores_after_choice(table, standard_error={"score": "se"}, n="n", objectives={"score": "max"})
    expected = stats.t.interval(0.95 ** (1 / 2), 39, 300.0, 2.0)
    assert found.table.loc["score", ["low", "high"]].tolist() == pytest.approx(expected)


@pytest.mark.slow
@pytest.mark.parametrize(
    "setting",
    [
        "best of 50 equal systems that pass 0.75, right or wrong at 0.7, 100 items",
        "best of 20 equal systems, log-normal costs (sigma 1.5), 200 items",
        "best of 20 equal systems, costs of 0 on 95% of 100 items",
        "best of 20 equal systems, three attempts at 0.97 on each of 100 items, half of the items alike",
        "best of 20 equal systems, 400 items with 3 seeds that all share, which vary by 0.3",
        "best of 20 equal systems, right or wrong at 0.97, clusters of 1 to 20 items",
        "best of 20 equal systems, standard errors of right or wrong at 0.995, 100 items, counted",
    ],
)
def test_intervals_miss_as_often_as_they_may_or_say_why(setting):
    valid, _ = simulated.rates(25, {setting: simulated.SETTINGS[setting]})
    assert valid.refused == 0
    assert valid.keeps_level_or_warns
