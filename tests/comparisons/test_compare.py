"""Two systems on the same items, compared with scipy, statsmodels, brute force and what verdicts mean."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import linalg, optimize, stats

from copa_nb.comparisons.arrays import paired
from copa_nb.comparisons.arrays.betting import betting_interval
from copa_nb.comparisons.arrays.verdicts import verdict_of
from copa_nb.results.sentences import SENTENCES
from tests import asked
from tests.said import said_by, sentence

SIDES = {"new": "B", "baseline": "A", "system": "agent", "item": "task"}


def log(a, b, name="score", **columns):
    """One row per agent and task."""
    n = len(a)
    return pd.DataFrame(
        {"agent": ["A"] * n + ["B"] * n, "task": [*range(n)] * 2, name: np.concatenate([a, b])}
        | {key: np.concatenate(pair) for key, pair in columns.items()}
    )


def drawn(n, seed=0):
    rng = np.random.default_rng(seed)
    shared = rng.normal(size=n)
    return shared + rng.normal(size=n), shared + rng.normal(0.3, 1, size=n)


def test_continuous_scores_are_compared_by_the_paired_t_test():
    a, b = drawn(30)
    row = asked.compare(log(a, b), **SIDES, objectives={"score": "max"}).table.loc["score"]
    test = stats.ttest_rel(b, a)
    low, high = test.confidence_interval(0.95)
    assert row["pvalue"] == pytest.approx(test.pvalue, rel=1e-12)
    assert (row["low"], row["high"]) == pytest.approx((low, high), rel=1e-12)
    assert row["standard_error"] == pytest.approx(stats.sem(b - a), rel=1e-12)
    assert (row["wins"], row["losses"]) == ((b > a).sum(), (b < a).sum())
    assert row["test"] == "paired t"


def test_costs_are_the_mirror_image():
    a, b = drawn(30)
    score = asked.compare(log(a, b), **SIDES, objectives={"score": "max"}).table.loc["score"]
    cost = asked.compare(log(a, b), **SIDES, objectives={"score": "min"}).table.loc["score"]
    shared = ["new", "baseline", "difference", "low", "high", "pvalue"]
    assert cost[shared].astype(float).to_numpy() == pytest.approx(score[shared].astype(float).to_numpy())
    assert (cost["wins"], cost["losses"]) == (score["losses"], score["wins"])


def by_matrices(gains, clusters):
    """Standard error of a mean and degrees of freedom by the definition of bias-reduced linearization."""
    n = len(gains)
    design = np.ones((n, 1))
    bread = np.linalg.inv(design.T @ design)
    left_over = np.eye(n) - design @ bread @ design.T
    residuals = left_over @ gains
    sandwich, columns = 0.0, []
    for code in np.unique(clusters):
        rows = np.flatnonzero(clusters == code)
        adjustment = linalg.fractional_matrix_power(left_over[np.ix_(rows, rows)], -0.5).real
        weights = (bread @ design[rows].T @ adjustment).ravel()
        sandwich += (weights @ residuals[rows]) ** 2
        columns.append(left_over[:, rows] @ weights)
    eigenvalues = np.linalg.eigvalsh(np.array(columns) @ np.array(columns).T)
    return np.sqrt(sandwich), eigenvalues.sum() ** 2 / (eigenvalues**2).sum()


@pytest.mark.parametrize("sizes", [[2, 5, 8, 10, 15, 1, 1], [60, *[5] * 7], [4] * 8])
def test_clusters_have_bias_reduced_standard_errors(sizes):
    n = sum(sizes)
    a, b = drawn(n)
    clusters = np.repeat(range(len(sizes)), sizes)
    frame = log(a, b).assign(passage=[*clusters] * 2)
    row = asked.compare(frame, **SIDES, cluster="passage", objectives={"score": "max"}).table.loc["score"]
    error, freedom = by_matrices(b - a, clusters)
    assert row["standard_error"] == pytest.approx(error, rel=1e-9)
    assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(row["difference"]) / error, freedom), rel=1e-6)
    assert row["high"] - row["difference"] == pytest.approx(stats.t.isf(0.025, freedom) * error, rel=1e-6)


def test_equal_clusters_agree_with_statsmodels():
    sm = pytest.importorskip("statsmodels.api")
    a, b = drawn(40)
    equal = log(a, b).assign(passage=[*np.repeat(range(8), 5)] * 2)
    row = asked.compare(equal, **SIDES, cluster="passage", objectives={"score": "max"}).table.loc["score"]
    fit = sm.OLS(b - a, np.ones(40)).fit(cov_type="cluster", cov_kwds={"groups": np.repeat(range(8), 5)}, use_t=True)
    assert row["pvalue"] == pytest.approx(fit.pvalues[0], rel=1e-12)


def test_clusters_of_which_few_hold_most_items_are_warned_of():
    def warned(sizes):
        a, b = drawn(sum(sizes))
        frame = log(a, b).assign(passage=[*np.repeat(range(len(sizes)), sizes)] * 2)
        found = asked.compare(frame, **SIDES, cluster="passage", objectives={"score": "max"})
        return "few_clusters" in [one.name for one in found.guarantee.warnings]

    assert warned([1000, *[1] * 20])
    assert warned([200, 200, 200, *[5] * 30])
    assert not warned([500, *[39] * 5])
    assert not warned([5] * 10)


def test_right_and_wrong_answers_are_compared_by_mcnemar_and_tango():
    rng = np.random.default_rng(3)
    a, b = (rng.random(80) < 0.6).astype(float), (rng.random(80) < 0.75).astype(float)
    row = asked.compare(log(a, b), **SIDES, objectives={"score": "max"}).table.loc["score"]
    wins, losses = int((b > a).sum()), int((b < a).sum())
    exact = stats.binomtest(wins, wins + losses).pvalue
    assert row["pvalue"] == pytest.approx(exact - stats.binom.pmf(wins, wins + losses, 0.5), rel=1e-12)
    assert (row["test"], row["wins"], row["losses"]) == ("McNemar", wins, losses)
    assert (row["low"], row["high"]) == paired.tango_interval(wins, losses, 80, 0.95)
    percentages = log(100 * a, 100 * b)
    scaled = asked.compare(percentages, **SIDES, objectives={"score": "max"}).table.loc["score"]
    assert scaled["low"] == pytest.approx(100 * row["low"])
    assert scaled["pvalue"] == row["pvalue"]


def test_mcnemar_agrees_with_statsmodels():
    tables = pytest.importorskip("statsmodels.stats.contingency_tables")
    for wins, losses in ((10, 2), (5, 4), (0, 7), (30, 12)):
        exact = tables.mcnemar([[50, wins], [losses, 20]], exact=True).pvalue
        point = stats.binom.pmf(wins, wins + losses, 0.5)
        assert paired.mcnemar_mid_p(wins, losses) == pytest.approx(exact - point, rel=1e-12)
        score = tables.mcnemar([[50, wins], [losses, 20]], exact=False, correction=False).statistic
        assert paired.tango_statistic(0.0, wins, losses, 80) ** 2 == pytest.approx(score, rel=1e-12)


@given(st.integers(0, 12), st.integers(0, 12), st.integers(0, 20), st.floats(-0.9, 0.9))
def test_tango_restricts_the_most_likely_shares(wins, losses, ties, difference):
    """Its variance is that of the shares that are most likely under the hypothesis, found by brute force."""
    n = wins + losses + ties
    if n == 0:
        return
    lowest, highest = max(0.0, -difference), (1 - difference) / 2

    def unlikely(share):
        terms = ((wins, share + difference), (losses, share), (ties, 1 - 2 * share - difference))
        return -sum(count * np.log(max(part, 1e-300)) for count, part in terms if count)

    grid = np.linspace(lowest, highest, 2001)
    near = grid[np.argmin([unlikely(share) for share in grid])]
    step = (highest - lowest) / 2000
    share = optimize.minimize_scalar(
        unlikely, bounds=(max(lowest, near - step), min(highest, near + step)), method="bounded",
        options={"xatol": 1e-12},
    ).x  # fmt: skip
    variance = n * (2 * share + difference * (1 - difference))
    expected = (wins - losses - n * difference) / np.sqrt(variance) if variance > 1e-6 else None
    if expected is not None:
        assert paired.tango_statistic(difference, wins, losses, n) == pytest.approx(expected, rel=1e-3, abs=1e-3)


@given(st.integers(0, 40), st.integers(0, 40), st.integers(0, 60), st.sampled_from([0.9, 0.95, 0.983]))
def test_interval_and_test_of_right_answers_agree(wins, losses, ties, level):
    n = wins + losses + ties
    if n < 2:
        return
    gains = np.repeat([1.0, -1.0, 0.0], [wins, losses, ties])[:, None, None]
    found = paired.paired_differences(gains, clusters=None, scales=np.ones(1), reaches=np.full(1, np.inf))
    low, high = found.intervals(level)[0]
    assert (low > 0 or high < 0) == (found.pvalues(level)[0] < 1 - level)
    assert -1 <= low <= (wins - losses) / n <= high <= 1


def epochs(n_items, n_repeats, *, seeds=0.0, rng):
    """Scores of two equal agents; every seed makes an agent better or worse on all tasks."""
    effects = seeds * rng.normal(size=(2, 1, n_repeats))
    scores = effects + rng.normal(size=(1, n_items, 1)) + rng.normal(size=(2, n_items, n_repeats))
    agent, task, epoch = np.indices(scores.shape).reshape(3, -1)
    return pd.DataFrame({"agent": np.array(["A", "B"])[agent], "task": task, "epoch": epoch, "score": scores.ravel()})


def test_shared_repeats_add_their_own_variance():
    """Variance between items, between repeats and of single values by the definitions of a two-way layout."""
    n, m = 25, 4
    frame = epochs(n, m, seeds=0.5, rng=np.random.default_rng(0))
    wide = frame.pivot_table(index=["task", "epoch"], columns="agent", values="score")
    gains = (wide["B"] - wide["A"]).unstack("epoch")
    of_items = gains.mean(axis=1).var() / n
    of_repeats = gains.mean(axis=0).var() / m
    left = gains.sub(gains.mean(axis=1), axis=0).sub(gains.mean(axis=0), axis=1) + gains.to_numpy().mean()
    single = (left.to_numpy() ** 2).sum() / ((n - 1) * (m - 1)) / (n * m)
    total = of_items + max(of_repeats - single, 0)
    freedom = total**2 / (of_items**2 / (n - 1) + of_repeats**2 / (m - 1))
    found = asked.compare(frame, **SIDES, repeat="epoch", objectives={"score": "max"})
    row = found.table.loc["score"]
    assert row["standard_error"] == pytest.approx(np.sqrt(total))
    assert row["pvalue"] == pytest.approx(2 * stats.t.sf(abs(row["difference"]) / np.sqrt(total), freedom))
    assert found.guarantee.sampled == "independent tasks and values of epoch"
    assert "25 tasks with 4 repetitions each" in found.explain()


@pytest.mark.slow
@pytest.mark.parametrize("seeds", [0.0, 0.1, 0.5])
def test_shared_repeats_keep_their_level(seeds):
    rng = np.random.default_rng(1)
    wrong = [
        asked.compare(
            epochs(100, 5, seeds=seeds, rng=rng), **SIDES, repeat="epoch", objectives={"score": "max"}
        ).decided
        for _ in range(150)
    ]
    assert np.mean(wrong) <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / 150)


def test_few_shared_repeats_are_warned_of_or_refused():
    rng = np.random.default_rng(0)
    options = {**SIDES, "repeat": "epoch", "objectives": {"score": "max"}}
    for n_repeats, warned in ((3, True), (4, False)):
        found = asked.compare(epochs(50, n_repeats, rng=rng), **options)
        assert ("few_repeats" in [one.name for one in found.guarantee.warnings]) == warned
    with pytest.raises(ValueError, match="`repeat` has only two values, shared by all items"):
        asked.compare(epochs(50, 2, rng=rng), **options)
    frame = epochs(50, 4, rng=rng)
    with pytest.raises(ValueError, match="1 of 50 items were not measured for every system and repetition"):
        asked.compare(frame.drop(index=3), **options)
    with pytest.raises(ValueError, match="`system` A has 2 rows for item 0"):
        asked.compare(pd.concat([frame, frame.head(1)]), **options)


def test_repetitions_of_single_items_are_averaged():
    """No label is under two items: each repetition belongs to its item alone."""
    frame = epochs(25, 4, rng=np.random.default_rng(0))
    frame = frame.assign(epoch=frame["task"] * 4 + frame["epoch"])
    means = frame.groupby(["agent", "task"])["score"].mean().unstack("agent")
    result = asked.compare(frame, **SIDES, repeat="epoch", objectives={"score": "max"})
    assert result.table.loc["score", "pvalue"] == pytest.approx(stats.ttest_rel(means["B"], means["A"]).pvalue)
    fewer = asked.compare(frame.drop(index=[0, 1, 140]), **SIDES, repeat="epoch", objectives={"score": "max"})
    assert "2 to 4 repetitions" in fewer.explain()


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
@pytest.mark.parametrize("right_or_wrong", [True, False])
def test_fewer_than_six_items_decide_nothing(n, right_or_wrong):
    """All of n items agree with a probability of 2**(1 - n) for two equal systems, whatever the size of differences."""
    a, b = np.zeros(n), np.ones(n) if right_or_wrong else 1 + np.arange(n) / 1e6
    found = asked.compare(log(a, b), **SIDES, objectives={"score": "max"}, margin={"score": 0.5})
    row = found.table.loc["score"]
    assert row["pvalue"] == 2.0 ** (1 - n)
    assert found.decided == (n == 6)
    assert ("at least 6 are needed" in found.explain()) == (n < 6)
    if right_or_wrong and n < 6:
        assert (row["low"], row["high"]) == (-1, 1)


def test_preferences_are_no_right_answers():
    """Of -1, 0 and 1, a difference of 1 may be a whole preference or half of one."""
    rng = np.random.default_rng(0)
    a, b = rng.integers(-1, 2, size=(2, 40)).astype(float)
    row = asked.compare(log(a, b), **SIDES, objectives={"score": "max"}).table.loc["score"]
    assert row["test"] == "paired t"
    assert row["pvalue"] == pytest.approx(stats.ttest_rel(b, a).pvalue)
    errors = asked.compare(log(1.0 * (a == 0), 1.0 * (b == 0)), **SIDES, objectives={"score": "min"}).table.loc["score"]
    assert errors["test"] == "McNemar"


@pytest.mark.parametrize(
    ("gains", "margins", "verdict"),
    [
        ([(1, 2), (1, 2)], (0, 0), "dominates"),
        ([(-2, -1), (-2, -1)], (0, 0), "is dominated"),
        ([(1, 2)], (0,), "better"),
        ([(1, 2), (0, 0)], (0, 0), "dominates"),
        ([(1, 2), (-1, 1)], (0, 2), "better"),
        ([(-2, -1), (-1, 1)], (0, 2), "worse"),
        ([(1, 2), (-1, 1)], (0, 0.5), "undecided"),
        ([(-1, 1), (-1, 1)], (2, 2), "equivalent"),
        ([(1, 2), (-2, -1)], (3, 3), "equivalent"),
        ([(1, 2), (-2, -1)], (0, 0), "trade-off"),
        ([(1, 2), (-2, -1), (-5, 5)], (0, 0, 0), "trade-off"),
        ([(0, 0), (0, 0)], (0, 0), "equivalent"),
    ],
)
def test_joint_verdicts(gains, margins, verdict):
    assert verdict_of(np.array(gains, dtype=float), np.array(margins, dtype=float)) == verdict


@given(st.lists(st.tuples(st.floats(-3, 3), st.floats(0, 3), st.floats(0, 2)), min_size=1, max_size=4), st.randoms())
def test_a_verdict_holds_wherever_the_true_gains_are_in_their_intervals(rows, random):
    intervals = np.array([(low, low + width) for low, width, _ in rows])
    margins = np.array([margin for *_, margin in rows])
    verdict = str(verdict_of(intervals, margins))
    truth = np.array([random.uniform(low, high) for low, high in intervals])
    holds = {
        "dominates": (truth > 0).all() or (intervals == 0).any(),
        "is dominated": (truth < 0).all() or (intervals == 0).any(),
        "better": (truth > 0).any() and (truth >= -margins).all(),
        "worse": (truth < 0).any() and (truth <= margins).all(),
        "equivalent": (np.abs(truth) <= margins).all(),
        "trade-off": (truth > 0).any() and (truth < 0).any(),
        "undecided": True,
    }
    assert holds[verdict]


def test_all_intervals_hold_together():
    a, b = drawn(50)
    frame = log(a, b, cost=drawn(50, 1), time=drawn(50, 2))
    ways = {"score": "max", "cost": "min", "time": "min"}
    table = asked.compare(frame, **SIDES, objectives=ways).table
    test = stats.ttest_rel(b, a)
    assert table.loc["score", "adjusted"] == pytest.approx(1 - (1 - test.pvalue) ** 3)
    assert table.loc["score", "low"] == pytest.approx(test.confidence_interval(0.95 ** (1 / 3)).low)


def test_known_objectives_need_no_test():
    a, b = drawn(40)
    frame = log(a, b + 2, price=(np.full(40, 3.0), np.full(40, 1.0)))
    ways = {"score": "max", "price": "min"}
    found = asked.compare(frame, **SIDES, objectives=ways, known="price")
    assert found.verdict == "dominates"
    row = found.table.loc["price"]
    assert (row["low"], row["high"], row["difference"], row["test"]) == (-2, -2, -2, "known")
    assert found.table.loc["score", "adjusted"] == pytest.approx(found.table.loc["score", "pvalue"])
    undeclared = asked.compare(frame, **SIDES, objectives=ways)
    assert undeclared.verdict == "undecided"
    assert np.isinf(undeclared.table.loc["price", "low"])
    assert any("declare them with `known`" in note for note in undeclared.guarantee.remarks)


def test_all_right_is_not_known_to_be_equal():
    ones = np.ones(20)
    row = asked.compare(log(ones, ones), **SIDES, objectives={"score": "max"}).table.loc["score"]
    assert row["high"] == pytest.approx(stats.norm.ppf(0.975) ** 2 / (20 + stats.norm.ppf(0.975) ** 2), rel=1e-6)
    assert row["verdict"] == "undecided"


def test_items_of_one_system_are_left_out_in_pairs():
    a, b = drawn(20)
    frame = log(a, b).drop(index=[3])
    found = asked.compare(frame, **SIDES, objectives={"score": "max"}, nan_policy="pairwise")
    kept = np.arange(20) != 3
    assert found.table.loc["score", "pvalue"] == pytest.approx(stats.ttest_rel(b[kept], a[kept]).pvalue)
    assert [caveat.name for caveat in found.guarantee.warnings] == ["few_units", "missing_values"]
    assert "1 tasks lack a value of one of the systems, and the result is about the 19 others" in found.explain()


@pytest.mark.parametrize("margin", [0.0, 0.3])
@pytest.mark.parametrize("cluster", [None, "passage"])
def test_the_worst_case_spans_both_fillings(cluster, margin):
    """Of right and wrong answers and of others, with clusters and a margin."""
    rng = np.random.default_rng(1)
    right = rng.random((2, 60)) < [[0.4], [0.8]]
    frame = log(*right.astype(float), time=drawn(60), passage=(np.arange(60) // 3,) * 2)
    ways = {"score": "max", "time": "min"}
    options = {**SIDES, "objectives": ways, "cluster": cluster, "margin": {"score": margin}}
    lowest, highest = frame[list(ways)].min(), frame[list(ways)].max()
    gaps = frame.copy()
    gaps.loc[[0, 5, 70], ["score"]] = np.nan
    gaps.loc[[3, 70], ["time"]] = np.nan
    is_new = (gaps["agent"] == "B").to_numpy()
    fillings = []
    for favors_new in (False, True):
        high = is_new == favors_new
        filled = gaps.copy()
        filled["score"] = gaps["score"].fillna(pd.Series(np.where(high, highest["score"], lowest["score"])))
        filled["time"] = gaps["time"].fillna(pd.Series(np.where(high, lowest["time"], highest["time"])))
        fillings.append(asked.compare(filled, **options).table)
    found = asked.compare(gaps, **options, nan_policy="bounds")
    np.testing.assert_allclose(found.table["low"], np.minimum(*(one["low"] for one in fillings)))
    np.testing.assert_allclose(found.table["high"], np.maximum(*(one["high"] for one in fillings)))
    np.testing.assert_allclose(found.table["difference"], np.mean([one["difference"] for one in fillings], axis=0))
    np.testing.assert_allclose(found.table["pvalue"], np.maximum(*(one["pvalue"] for one in fillings)))
    assert "missing_values" not in [caveat.name for caveat in found.guarantee.warnings]
    assert "5 of 240 values (2%) are missing. The intervals hold whatever these are" in found.explain()
    with pytest.raises(ValueError, match="need not settle it"):
        found.needed()


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("values", [(0.0, 1.0), pytest.param((0.0, 1.0, 2.0, 3.0, 4.0), marks=pytest.mark.slow)])
def test_no_filling_contradicts_the_worst_case(seed, values):
    rng = np.random.default_rng(seed)
    scores = rng.choice(values, size=(2, 15))
    scores[:, 0] = values[0], values[-1]
    scores[1, 1:12] = values[-1]  # so that there is something to decide
    missing = [(0, 5), (1, 7), (1, 13)]
    options = {**SIDES, "objectives": {"score": "max"}}
    gaps = log(*scores)
    gaps.loc[[side * 15 + task for side, task in missing], "score"] = np.nan
    ends, little = {"score": (values[0], values[-1])}, 0.02 * values[-1]
    found = asked.compare(gaps, **options, nan_policy="bounds", bounds=ends).table.loc["score"]
    for filling in itertools.product(values, repeat=len(missing)):
        for (side, task), value in zip(missing, filling, strict=True):
            scores[side, task] = value
        row = asked.compare(log(*scores), **options).table.loc["score"]
        assert found["verdict"] in ("undecided", row["verdict"])
        assert found["low"] - little <= row["low"]
        assert row["high"] <= found["high"] + little


def test_failures_that_are_left_out_do_not_make_a_system_better():
    """Equal systems, one of which lacks half of what it failed: "better" in pairs, but not in the worst case."""
    rng = np.random.default_rng(0)
    n_wrong, n_wrong_in_pairs = 0, 0
    for _ in range(40):
        a, b = (rng.random((2, 100)) < 0.6).astype(float)
        frame = log(a, b)
        failed = frame.index[(frame["agent"] == "B") & (frame["score"] == 0)]
        frame.loc[failed[: len(failed) // 2], "score"] = np.nan
        options = {**SIDES, "objectives": {"score": "max"}}
        found = asked.compare(frame, **options, nan_policy="bounds")
        n_wrong += found.verdict in ("better", "dominates")
        pairs = asked.compare(frame, **options, nan_policy="pairwise")
        (caveat,) = [one for one in pairs.guarantee.warnings if one.name == "missing_values"]
        assert ("the verdict is 'undecided' in place of" in caveat.sentence) == (pairs.verdict != found.verdict)
        n_wrong_in_pairs += pairs.verdict in ("better", "dominates")
    assert n_wrong <= 4
    assert n_wrong_in_pairs >= 10


def test_a_missing_value_of_what_is_known_is_the_one_that_is_known():
    a, b = drawn(40)
    frame = log(a, b + 2, price=(np.full(40, 3.0), np.full(40, 1.0)))
    frame.loc[7, "price"] = np.nan
    found = asked.compare(
        frame, **SIDES, objectives={"score": "max", "price": "min"}, known="price", nan_policy="bounds"
    )
    row = found.table.loc["price"]
    assert (row["low"], row["high"], row["difference"]) == (-2, -2, -2)


def test_other_systems_do_not_matter():
    a, b = drawn(20)
    frame = log(a, b)
    third = frame.head(20).assign(agent="C", score=9.0).head(7)
    found = asked.compare(pd.concat([third, frame]), **SIDES, objectives={"score": "max"})
    alone = asked.compare(frame, **SIDES, objectives={"score": "max"})
    pd.testing.assert_frame_equal(found.table, alone.table)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"new": "Z"}, "`new` is 'Z', which is not a system; systems are 'A', 'B'"),
        ({"baseline": "B"}, "`new` and `baseline` are both 'B'"),
        ({"margin": {"cost": 0.1}}, "`margin` names 'cost', which is not an objective"),
        ({"margin": {"score": -1}}, "`margin` of 'score' is -1"),
        ({"alpha": 2}, "`alpha` is 2"),
    ],
)
def test_mistakes_are_named(options, message):
    a, b = drawn(10)
    with pytest.raises(ValueError, match=message):
        asked.compare(log(a, b), **{**SIDES, **options}, objectives={"score": "max"})
    with pytest.raises(TypeError, match=r"`margin` is 0\.1; objectives have units"):
        asked.compare(log(a, b), **SIDES, margin=0.1, objectives={"score": "max"})


def test_the_picture_shows_what_the_table_has():
    a, b = drawn(60)
    frame = log(a, b + 1, cost=drawn(60, 1))
    found = asked.compare(frame, **SIDES, objectives={"score": "max", "cost": "min"}, margin={"cost": 1.0})
    ax = found.plot()
    assert [label.get_text() for label in ax.get_yticklabels()] == ["score", "cost"]
    lines = [collection.get_segments()[0] for collection in ax.collections]
    (score, cost, *_) = [line for line in lines if line[0][1] == line[1][1]]
    assert (score[:, 0] > 0).all()
    row = found.table.loc["cost"]
    assert cost[1][0] / cost[0][0] == pytest.approx(row["low"] / row["high"])
    assert "A is better" in ax.get_xlabel()


def test_intervals_without_a_verdict_are_warned_of_when_a_rare_loss_would_leave_them():
    """Sixty items of two systems that are alike, in clusters of three; the true difference is .018."""
    rng = np.random.default_rng(0)
    alike = 0.7 + 0.1 * rng.uniform(-1, 1, 60)
    frame = log(alike, alike + 0.02 * rng.uniform(-1, 1, 60), page=(np.arange(60) // 3,) * 2)
    options = {**SIDES, "objectives": {"score": "max"}}
    for cluster in (None, "page"):
        found = asked.compare(frame, cluster=cluster, **options)
        assert found.verdict == "undecided"
        assert "rare_losses" in [one.name for one in found.guarantee.warnings]
    # Where systems differ as much as a loss, the interval is wide enough for one more.
    differing = frame.assign(score=np.where(frame["agent"] == "B", rng.uniform(0, 1, 120), frame["score"]))
    right = frame.assign(score=(rng.random(120) < 0.7).astype(float))
    for other in (differing, right):
        found = asked.compare(other, cluster="page", **options)
        assert "rare_losses" not in [one.name for one in found.guarantee.warnings]


def distilled(rng, n=50):
    """Cheaper, and alike on most tasks; on 3% of them, .6 worse: a mean loss of .018."""
    a = np.clip(0.7 + 0.1 * rng.normal(size=n), 0, 1)
    b = np.clip(a + 0.02 * rng.normal(size=n), 0, 1)
    b = np.where(rng.random(n) < 0.03, np.maximum(b - 0.6, 0), b)
    return log(a, b, price=(np.full(n, 2.0), np.full(n, 1.0)))


def is_not_worse(frame, **options):
    """What a comparison finds, and whether it is that the new system is not worse."""
    found = asked.compare(frame, **SIDES, objectives={"score": "max"}, **options)
    return found, found.table.loc["score", "verdict"] in ("not worse", "equivalent", "better")


def is_equivalent(frame, **options):
    """What a search for a cheaper system finds, and whether it is the new one."""
    options |= {"system": "agent", "item": "task", "known": "price", "objectives": {"score": "max", "price": "min"}}
    found = asked.cheaper(frame, "A", cost="price", **options)
    return found, found.best == "B"


@pytest.mark.parametrize("verb", [is_not_worse, pytest.param(is_equivalent, marks=pytest.mark.slow)])
def test_rare_losses_are_warned_of_or_bet_on(verb):
    rng = np.random.default_rng(0)
    options = {"margin": {"score": 0.0179}}
    wrong = unwarned = wrong_with_range = 0
    for _ in range(60):
        frame = distilled(rng)
        found, is_wrong = verb(frame, **options)
        wrong += is_wrong
        unwarned += is_wrong and "rare_losses" not in [one.name for one in found.guarantee.warnings]
        wrong_with_range += verb(frame, **options, bounds={"score": (0, 1)})[1]
    assert wrong > 6  # a tenth; without a range, no test can know
    assert (unwarned, wrong_with_range) == (0, 0)


def test_a_range_changes_test_guarantee_and_warnings():
    rng = np.random.default_rng(0)
    frame = log(rng.beta(5, 2, 200), rng.beta(8, 2, 200), cost=(rng.random(200), rng.random(200)))
    options = {**SIDES, "objectives": {"score": "max", "cost": "min"}}
    found = asked.compare(frame, **options)
    bounded = asked.compare(frame, **options, bounds={"score": (0, 1), "cost": (0, 1)})
    assert found.guarantee.warnings == ()
    assert bounded.guarantee.warnings == ()
    assert (found.guarantee.basis, bounded.guarantee.basis) == ("asymptotic", "exact")
    assert bounded.table["test"].tolist() == ["betting", "betting"]
    assert bounded.table.loc["score", "verdict"] == "better"
    level = 0.95**0.5
    gains = frame["score"][200:].to_numpy() - frame["score"][:200].to_numpy()
    assert tuple(bounded.table.loc["score", ["low", "high"]]) == pytest.approx(
        betting_interval(gains, -1, 1, 1 - level)
    )
    only = asked.compare(frame, **options, bounds={"cost": (0, 1)})
    assert only.table["test"].tolist() == ["paired t", "betting"]
    assert only.guarantee.basis == "asymptotic"
    shuffled = frame.sample(frac=1, random_state=0)
    assert asked.compare(shuffled, **options, bounds={"cost": (0, 1)}).table.loc["cost", "low"] == (
        pytest.approx(only.table.loc["cost", "low"])
    )
    assert bounded.guarantee.method.startswith("betting on values in a declared range")


def test_a_range_with_clusters_and_known_objectives():
    rng = np.random.default_rng(0)
    frame = log(rng.random(60), rng.random(60), price=(np.full(60, 2.0), np.full(60, 1.0)))
    frame = frame.assign(passage=frame["task"] // 5)
    found = asked.compare(
        frame, **SIDES, cluster="passage", known="price", bounds={"score": (0, 1), "price": (0, 9)},
        objectives={"score": "max", "price": "min"},
    )  # fmt: skip
    assert found.table["test"].tolist() == ["betting", "known"]
    gains = frame["score"][60:].to_numpy() - frame["score"][:60].to_numpy()
    expected = betting_interval(gains, -1, 1, 0.05, np.arange(60) // 5)
    assert tuple(found.table.loc["score", ["low", "high"]]) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ({"score": (0, 0.5)}, "`bounds` of 'score' is .*, and its values lie between"),
        ({"score": (0, None)}, "`bounds` of 'score' has an open end"),
        ({"cost": (0, 1)}, "`bounds` names 'cost', which is not an objective"),
    ],
)
def test_ranges_are_checked(bounds, message):
    rng = np.random.default_rng(0)
    with pytest.raises(ValueError, match=message):
        asked.compare(log(rng.random(50), rng.random(50)), **SIDES, objectives={"score": "max"}, bounds=bounds)
    with pytest.raises(ValueError, match=r"`bounds` .* all items share the values of epoch\. Average them first"):
        asked.compare(
            epochs(20, 4, rng=rng), **SIDES, repeat="epoch", objectives={"score": "max"}, bounds={"score": (-99, 99)}
        )


def test_tables_that_behave_are_not_warned_of():
    """Scores of normal errors on 30 tasks or more, and accuracies on 100."""
    rng = np.random.default_rng(0)
    warned = []
    for n, margin in ((30, 1.5), (100, 0.6)):
        for _ in range(20):
            level = 2 * rng.normal(size=n)
            frame = log(level + rng.normal(size=n), level + rng.normal(size=n))
            found = asked.compare(frame, **SIDES, objectives={"score": "max"}, margin={"score": margin})
            warned.append(bool(found.guarantee.warnings))
    for _ in range(20):
        frame = log((rng.random(100) < 0.7) * 1.0, (rng.random(100) < 0.85) * 1.0)
        found = asked.compare(frame, **SIDES, objectives={"score": "max"}, margin={"score": 0.1})
        warned.append(bool(found.guarantee.warnings))
    assert np.mean(warned) < 0.1


def test_of_two_systems_either_may_be_left_out():
    rng = np.random.default_rng(0)
    frame = log(rng.random(30), rng.random(30))
    view = frame.moo({"score": "max"}, system=SIDES["system"], item=SIDES["item"])
    first, second = dict.fromkeys(frame[SIDES["system"]])
    for sides in ((), (second,), (second, first)):
        found = view.compare(*sides)
        assert (found.new, found.baseline) == (second, first)
    assert view.compare(baseline=second).new == first
    third = pd.concat([frame, frame.assign(**{SIDES["system"]: "third"})])
    with pytest.raises(ValueError, match="`baseline` is left out, and the table has"):
        third.moo({"score": "max"}, system=SIDES["system"], item=SIDES["item"]).compare(second)
    with pytest.raises(ValueError, match="`new` is left out, and the table has"):
        third.moo({"score": "max"}, system=SIDES["system"], item=SIDES["item"]).compare()


def test_the_headline_says_what_to_do_with_the_verdict():
    a, b = drawn(60)
    frame = log(a, b + 3, cost=(a, b + 3))
    options = {**SIDES, "objectives": {"score": "max", "cost": "min"}}
    found = asked.compare(frame, **options)
    assert found.verdict == "trade-off"
    traded = sentence(found, "compare.headline.trade_off_of_two")
    assert (traded["gain"]["say"], traded["loss"]["say"]) == ("compare.phrases.more", "compare.phrases.more")
    assert traded["gain"]["value"] == traded["loss"]["value"] == abs(found.table.loc["score", "difference"])
    dominates = asked.compare(frame, **SIDES, objectives={"score": "max", "cost": "max"})
    assert sentence(dominates, "compare.headline.dominates")["better"] == ["score", "cost"]
    kept = asked.compare(frame, **SIDES, objectives={"score": "min", "cost": "min"})
    assert sentence(kept, "compare.headline.is_dominated")["worse"] == ["score", "cost"]
    for one in (found, dominates, kept):
        answer = one.to_answer()
        assert len(answer.headline.split()) <= 14
        assert len(" ".join([*answer.lines, answer.certainty]).split()) <= 70
        assert one.explain().startswith(f"{answer.headline}. ")


# Gains of the new system in each objective, and the margin of all: the intervals are about 0.3 wide on both sides.
GAINS_OF_HEADLINES = {
    "dominates": ([3, 3], 0),
    "is_dominated": ([-3, -3], 0),
    "better": ([3], 0),
    "better_not_worse": ([3, 0], 5),
    "worse": ([-3], 0),
    "worse_not_better": ([-3, 0], 5),
    "equivalent": ([0, 0], 5),
    "trade_off": ([3, 3, -3], 0),
    "trade_off_of_two": ([3, -3], 0),
    "open": ([0, 0], 0),
    "better_and_open": ([3, 0], 0),
    "worse_and_open": ([-3, 0], 0),
    "better_and_margins": ([3, -0.2], 0.3),
    "worse_and_margins": ([-3, 0.2], 0.3),
}


@pytest.mark.slow
def test_every_verdict_has_its_headline():
    assert GAINS_OF_HEADLINES.keys() == SENTENCES["compare"]["headline"].keys()
    noise = stats.zscore(np.random.default_rng(0).normal(size=60))
    for key, (gains, margin) in GAINS_OF_HEADLINES.items():
        columns = {f"score_{k}": (np.zeros(60), gain + noise) for k, gain in enumerate(gains)}
        frame = log(*columns["score_0"], "score_0", **columns)
        objectives = dict.fromkeys(columns, "max")
        found = asked.compare(frame, **SIDES, objectives=objectives, margin=dict.fromkeys(columns, margin))
        assert f"compare.headline.{key}" in said_by(found), (key, found.table)
        assert "{" not in found.to_answer().headline
