import itertools

import numpy as np
import pytest
from scipy import stats

from copa_nb.significance.arrays.per_run import mean_differences, per_run_tests, t_pvalues
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
    assert tests.studentized
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
        if n_first != n_second:
            freedom = min(n_first, n_second) - 1
            sizes = {
                "two-sided": 2 * stats.t.sf(abs(expected.statistic), freedom),
                "greater": stats.t.sf(expected.statistic, freedom),
                "less": stats.t.cdf(expected.statistic, freedom),
            }
            assert tests.t_pvalue[i] == pytest.approx(sizes[alternative])
        else:
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


def test_the_smaller_side_gives_the_degrees_of_freedom_of_unequal_numbers():
    """Equal means, 2 runs of standard deviation 1 or 4 and 20 others: Welch's own rejects in 12% and 10%."""
    rng = np.random.default_rng(0)
    for deviation in (1.0, 4.0):
        values = rng.standard_normal((4000, 22)) * np.where(np.arange(22) < 2, deviation, 1.0)
        first = np.arange(22) < 2
        welch = stats.ttest_ind(values[:, first], values[:, ~first], equal_var=False, axis=1)
        means = mean_differences(values, first, None)
        np.testing.assert_allclose(means.statistic, welch.statistic)
        expected = 2 * stats.t.sf(np.abs(welch.statistic), 1)
        assert (welch.pvalue <= 0.05).mean() > 0.08
        assert (expected <= 0.05).mean() <= 0.05
        np.testing.assert_allclose(t_pvalues(means.statistic, means.freedom, "two-sided"), expected)


@pytest.mark.parametrize("scale", [1e-200, 1.0, 1e200])
def test_intervals_equal_those_of_scipy(scale):
    rng = np.random.default_rng(3)
    values, first = scale * rng.normal(size=(2, 12)), np.arange(12) < 6
    low, high = mean_differences(values, first, None).interval(0.9)
    paired = mean_differences(values, first, np.tile(np.arange(6), 2)).interval(0.9)
    for i, row in enumerate(values / scale):
        expected = stats.ttest_ind(row[:6], row[6:], equal_var=False).confidence_interval(0.9)
        np.testing.assert_allclose([low[i] / scale, high[i] / scale], expected)
        expected = stats.ttest_rel(row[:6], row[6:]).confidence_interval(0.9)
        np.testing.assert_allclose([paired[0][i] / scale, paired[1][i] / scale], expected)
