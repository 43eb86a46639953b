"""Falls of the best of n candidates, compared with all subsets and with the maximum of normal numbers."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from copa_nb.generalization.arrays.falls import fall_of_best


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), min_size=1, max_size=7), st.data())
def test_all_subsets_give_the_same(rows, data):
    costs, falls = np.array(rows, dtype=float).T
    n = data.draw(st.integers(1, len(rows)))
    best = [
        falls[list(one)][costs[list(one)] == costs[list(one)].min()].mean() for one in combinations(range(len(rows)), n)
    ]
    assert fall_of_best(costs, falls, n) == pytest.approx(np.mean(best))


@pytest.mark.parametrize("n", [1, 5, 50])
def test_equal_candidates_fall_by_the_expected_maximum_of_noise(n):
    rng = np.random.default_rng(0)
    validation, test = rng.normal(size=(2, 200_000))
    x = np.linspace(-9, 9, 20_001)
    expected = np.trapezoid(x * n * stats.norm.pdf(x) * stats.norm.cdf(x) ** (n - 1), x)
    assert fall_of_best(-validation, validation - test, n) == pytest.approx(expected, abs=0.03)
