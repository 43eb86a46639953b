import itertools

import numpy as np
import pytest
from scipy import stats

from copa_nb.significance.arrays.per_run import joint_null, per_run_tests
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions

OPTIONS = HypervolumeTestOptions()


def welch(a, b, axis):
    return stats.ttest_ind(a, b, equal_var=False, axis=axis).statistic


@pytest.mark.parametrize(("n_first", "n_second"), [(5, 5), (4, 7), (7, 3)])
@pytest.mark.parametrize("alternative", ["two-sided", "greater", "less"])
def test_equal_scipy(n_first, n_second, alternative):
    rng = np.random.default_rng(n_first)
    values = rng.normal(size=(3, n_first + n_second))
    first = rng.permutation(n_first + n_second) < n_first
    options = HypervolumeTestOptions(alternative=alternative)
    tests = per_run_tests(values, first, options)
    assert tests.exact
    assert tests.studentised
    for i, row in enumerate(values):
        a, b = row[first], row[~first]
        expected = stats.ttest_ind(a, b, equal_var=False, alternative=alternative)
        permuted = stats.permutation_test(
            (a, b), lambda a, b: abs(welch(a, b, 0)), alternative="greater", n_resamples=np.inf, vectorized=False
        ) if alternative == "two-sided" and n_first == n_second else stats.permutation_test(
            (a, b), welch, alternative=alternative, n_resamples=np.inf, vectorized=True
        )  # fmt: skip
        ranks = stats.mannwhitneyu(a, b, method="exact", alternative=alternative)
        assert tests.statistic[i] == pytest.approx(expected.statistic)
        assert tests.t_pvalue[i] == pytest.approx(expected.pvalue)
        assert tests.permutation_pvalue[i] == pytest.approx(permuted.pvalue)
        assert tests.rank_pvalue[i] == pytest.approx(ranks.pvalue)
        assert tests.superiority[i] == pytest.approx(ranks.statistic / (n_first * n_second))
        assert tests.pvalue[i] == max(tests.permutation_pvalue[i], tests.t_pvalue[i])


def test_within_blocks_it_is_the_paired_test():
    rng = np.random.default_rng(0)
    values = rng.normal(size=(2, 12))
    first, blocks = np.arange(12) < 6, np.tile(np.arange(6), 2)
    tests = per_run_tests(values, first, OPTIONS, blocks=blocks)
    for i, row in enumerate(values):
        difference = row[:6] - row[6:]
        null = [stats.ttest_1samp(difference * signs, 0.0).statistic for signs in itertools.product([-1, 1], repeat=6)]
        expected = stats.ttest_rel(row[:6], row[6:])
        assert tests.statistic[i] == pytest.approx(expected.statistic)
        assert tests.t_pvalue[i] == pytest.approx(expected.pvalue)
        assert tests.permutation_pvalue[i] == np.mean(np.abs(null) >= abs(expected.statistic) - 1e-9)


def test_order_of_rows_and_sides_do_not_matter():
    rng = np.random.default_rng(1)
    values, first = rng.normal(size=(4, 20)), np.arange(20) < 8
    options = HypervolumeTestOptions(n_resamples=200, rng=3)
    tests, shuffle = per_run_tests(values, first, options), rng.permutation(20)
    moved = per_run_tests(values[:, shuffle], first[shuffle], options)
    swapped = per_run_tests(values, ~first, options)
    for name in ("pvalue", "rank_pvalue", "permutation_pvalue"):
        np.testing.assert_allclose(getattr(tests, name), getattr(moved, name), rtol=1e-12)
        np.testing.assert_allclose(getattr(tests, name), getattr(swapped, name), rtol=1e-12)
    np.testing.assert_allclose(tests.superiority, 1 - swapped.superiority)
    one_by_one = [per_run_tests(row[None, :], first, options).pvalue[0] for row in values]
    np.testing.assert_allclose(tests.pvalue, one_by_one, rtol=1e-12)


def test_runs_without_spread_and_single_runs():
    first = np.arange(8) < 4
    tests = per_run_tests(np.array([[1.0] * 4 + [0.0] * 4, [1.0] * 8]), first, OPTIONS)
    assert tests.statistic.tolist() == [np.inf, 0.0]
    assert tests.pvalue.tolist() == [2 / 70, 1.0]
    assert tests.superiority.tolist() == [1.0, 0.5]
    alone = per_run_tests(np.array([[5.0, 1, 2, 3, 4]]), np.arange(5) < 1, OPTIONS)
    assert not alone.studentised
    assert alone.pvalue[0] == alone.permutation_pvalue[0] == pytest.approx(2 / 5)


@pytest.mark.parametrize("blocks", [None, np.tile(np.arange(6), 3)])
def test_the_joint_null_holds_under_any_difference_of_means(blocks):
    """Residuals are permuted, so that one system that differs changes nothing for the others."""
    values, systems = np.random.default_rng(2).normal(size=18), np.repeat([0, 1, 2], 6)
    pairs = [([0], [1]), ([0, 1], [2])]
    options = {"blocks": blocks, "alternative": "two-sided", "n_resamples": 3000, "rng": 0}
    pvalues, null = joint_null(values, systems, pairs, **options)
    moved, same = joint_null(values + 10 * (systems == 2), systems, pairs, **options)
    np.testing.assert_allclose(null, same)
    assert pvalues[0] == pytest.approx(moved[0])
    assert moved[1] < 0.001
    # Of one pair, they are p-values: uniform, but for few runs.
    assert (null <= 0.05).mean(axis=0) == pytest.approx(0.05, abs=0.02)
    lone, _ = joint_null(values[:7], systems[:7], pairs[:1], **{**options, "blocks": None})
    assert lone.tolist() == [1.0]
