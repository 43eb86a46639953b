"""Intervals of bounded means by betting, compared with the definition and with what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.comparisons.arrays import betting


def capital(values, mean, alpha):
    """Capital of bets that the mean is larger, one value after the other."""
    n, wealth = len(values), 1.0
    sums, squares = 0.5, 0.25
    for t, value in enumerate(values):
        bet = min(np.sqrt(2 * np.log(1 / alpha) / (n * squares / (t + 1))), 0.75 / mean)
        wealth *= 1 + bet * (value - mean)
        sums += value
        squares += (value - sums / (t + 2)) ** 2
    return wealth


@given(st.integers(1, 30), st.floats(0.05, 0.95), st.integers(0, 100))
def test_capital_is_that_of_bets_one_after_the_other(n, mean, seed):
    values = np.random.default_rng(seed).random(n)
    orders, weights = betting._of_units(values, None)
    expected = np.mean([capital(one, mean, 0.025) for one in orders])
    found = betting._log_capital(orders, weights, betting._bets(orders, weights, 0.025), mean)
    assert np.exp(found) == pytest.approx(expected, rel=1e-9)


@given(st.integers(2, 40), st.integers(0, 100), st.sampled_from([None, 3]))
def test_interval_and_pvalue_agree(n, seed, size):
    values = np.random.default_rng(seed).uniform(-1, 1, n)
    clusters = None if size is None else np.arange(n) // size
    low, high = betting.betting_interval(values, -1, 1, 0.1, clusters)
    assert -1 <= low <= high <= 1
    for limit in (low, high):
        below = betting.betting_pvalue(values, limit + 1e-6, -1, 1, 0.05, clusters)
        above = betting.betting_pvalue(-values, -limit + 1e-6, -1, 1, 0.05, clusters)
        if limit == high and high < 1 - 1e-5:
            assert below <= 0.05 * (1 + 1e-9)
        if limit == low and low > -1 + 1e-5:
            assert above <= 0.05 * (1 + 1e-9)


def test_mirror_image_and_other_units():
    values = np.random.default_rng(0).beta(2, 5, 60)
    low, high = betting.betting_interval(values, 0, 1, 0.05)
    assert betting.betting_interval(-values, -1, 0, 0.05) == pytest.approx((-high, -low))
    assert betting.betting_interval(100 * values, 0, 100, 0.05) == pytest.approx((100 * low, 100 * high))


@pytest.mark.parametrize("n", [10, 50, 300])
@pytest.mark.parametrize("share", [0.02, 0.5])
def test_rare_values_are_covered(n, share):
    """Where t-intervals miss most of the time: nearly all values are equal."""
    rng = np.random.default_rng(n)
    missed = 0
    for _ in range(100):
        low, high = betting.betting_interval((rng.random(n) < share) * 1.0, 0, 1, 0.05)
        missed += not low <= share <= high
    assert missed <= 10  # 5 expected at most; 10 or fewer with a probability of .99
