"""Scales at the edges of what they take: zeros, ceilings, infinities and ranges beyond a float."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from copa_nb.ranking.arrays.normalization import (
    DegenerateColumnError,
    ceiling_scale,
    mean_rank,
    minmax_scale,
    ratio_shortfalls,
    relative_scale,
    topsis,
)


@pytest.mark.parametrize("scale", [minmax_scale, relative_scale])
@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_refused_in_its_column(scale, column, value):
    population = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    population[1, column] = value
    if scale is relative_scale and value > 0:
        # Only the best value and the range are needed, and the range is infinite.
        with pytest.raises(DegenerateColumnError, match="the range of a float") as caught:
            scale(population)
    else:
        with pytest.raises(DegenerateColumnError, match="infinite values") as caught:
            scale(population)
    assert caught.value.column == column


def test_ranges_beyond_a_float_are_refused_in_their_column():
    population = np.array([[1.0, -1.5e308], [2.0, 1.5e308]])
    for scale in (minmax_scale, relative_scale):
        with pytest.raises(DegenerateColumnError, match="the range of a float") as caught:
            scale(population)
        assert caught.value.column == 1
    # Every column on its own: values of one beside the best of another are no range.
    scaled = relative_scale(np.array([[-1.5e308, 1.0], [-1.4e308, 1.5e308]]))
    assert scaled.origin.tolist() == [-1.5e308, 1.0]


def test_relative_to_a_row():
    population = np.array([[2.0, -4.0], [3.0, -1.0]])
    scaled = relative_scale(population, np.array([4.0, -2.0]))(population)
    np.testing.assert_allclose(scaled, [[-0.5, -1.0], [-0.25, 0.5]])
    with pytest.raises(DegenerateColumnError, match="reference value of zero") as caught:
        relative_scale(population, np.array([4.0, 0.0]))
    assert caught.value.column == 1
    with pytest.raises(DegenerateColumnError, match="best value of zero"):
        relative_scale(np.array([[0.0], [1.0]]))


def test_a_constant_column_has_no_range():
    with pytest.raises(DegenerateColumnError, match="only one value") as caught:
        minmax_scale(np.array([[1.0, 3.0], [2.0, 3.0]]))
    assert caught.value.column == 1
    assert str(caught.value) == caught.value.reason


@pytest.mark.parametrize(
    ("scores", "ceiling"),
    [([0.0, 0.5], 1.0), ([0.2, 1.0], 1.0), ([0.2, 1.001], 100.0), ([0.0, 100.0], 100.0), ([0.0, 0.0], 1.0)],
)
def test_the_ceiling_of_a_score_is_one_or_a_hundred(scores, ceiling):
    costs = np.column_stack([[3.0, 0.0], -np.array(scores)])
    scaled = ceiling_scale(costs, np.array([False, True]))(costs)
    np.testing.assert_allclose(scaled, np.column_stack([[3.0, 0.0], ceiling - np.array(scores)]))


@pytest.mark.parametrize("scores", [[0.5, 100.5], [-0.5, 0.5]])
@pytest.mark.parametrize("column", [0, 1])
def test_scores_without_a_known_ceiling_are_refused(scores, column):
    costs, maximized = np.ones((2, 2)), np.array([column == 0, column == 1])
    costs[:, column] = -np.array(scores)
    with pytest.raises(DegenerateColumnError, match=r"outside \[0, 1\] and \[0, 100\]") as caught:
        ceiling_scale(costs, maximized)
    assert caught.value.column == column


@pytest.mark.parametrize("column", [0, 1])
def test_negative_costs_are_refused_as_they_are(column):
    costs = np.ones((2, 2))
    costs[0, column] = -0.25
    with pytest.raises(DegenerateColumnError, match="negative costs") as caught:
        ceiling_scale(costs, np.zeros(2, dtype=bool))
    assert caught.value.column == column


MATRIX = np.array([[0.61, 1.05, 0.24], [1.05, 0.41, 0.52], [0.93, 0.51, 0.65], [0.13, 0.85, 0.64]])
TYPES = np.array([1, -1, -1])
WEIGHTS = np.array([0.5, 0.3, 0.2])
# Computed with pymcdm 1.4.0: TOPSIS(vector_normalization) and WSM(linear_normalization).
PYMCDM_TOPSIS = [0.47513844060113425, 0.8627100767222128, 0.7624322964037586, 0.11083627872151318]
PYMCDM_WSM = [0.6076190476190475, 0.8923076923076924, 0.7578797672915321, 0.2816106442577031]


def test_topsis_agrees_with_pymcdm():
    costs = -TYPES * MATRIX
    np.testing.assert_allclose(1 - topsis(costs, costs, WEIGHTS), PYMCDM_TOPSIS)


def test_the_weighted_sum_agrees_with_pymcdm():
    costs = -TYPES * MATRIX
    np.testing.assert_allclose(1 - ratio_shortfalls(costs, costs, TYPES > 0) @ WEIGHTS, PYMCDM_WSM)


@given(st.integers(0, 5000), st.integers(1, 30), st.integers(1, 6))
def test_mean_ranks_are_average_ranks(seed, n, levels):
    values = np.random.default_rng(seed).integers(0, levels, size=(n, 2)).astype(float)
    np.testing.assert_allclose(mean_rank(values, values), (rankdata(values, axis=0) - 0.5) / n)


def test_degenerate_columns():
    same = np.ones((3, 2))
    np.testing.assert_allclose(topsis(same, same, np.array([0.5, 0.5])), 0.5)
    zero = np.array([[0.0, 1.0], [0.0, 2.0]])
    np.testing.assert_allclose(topsis(zero, zero, np.array([0.5, 0.5])), [0.0, 1.0])
    with pytest.raises(DegenerateColumnError, match="infinite"):
        topsis(np.array([[np.inf, 1.0]]), np.array([[np.inf, 1.0]]), np.array([0.5, 0.5]))
    with pytest.raises(DegenerateColumnError, match="not positive"):
        ratio_shortfalls(zero, zero, np.array([False, False]))


def test_topsis_refuses_infinite_values():
    costs = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    costs[2, 1] = np.inf
    with pytest.raises(DegenerateColumnError, match="infinite") as caught:
        topsis(costs[:2], costs, np.array([0.5, 0.5]))
    assert caught.value.column == 1


@pytest.mark.parametrize("bad", [0.0, 1.0, np.inf, np.nan])
@pytest.mark.parametrize(("maximized", "sign"), [(True, 1.0), (False, -1.0)])
def test_ratios_need_positive_values_in_both_tables(bad, maximized, sign):
    # As costs: of a score that is zero, negative or infinite, and of a cost that is.
    good = np.full((2, 2), -sign)
    wrong = good.copy()
    wrong[1, 1] = sign * bad
    kinds = np.array([maximized, maximized])
    np.testing.assert_array_equal(ratio_shortfalls(good, good, kinds), 0.0)
    for values, population in ((wrong, good), (good, wrong)):
        with pytest.raises(DegenerateColumnError, match="not positive and finite") as caught:
            ratio_shortfalls(values, population, kinds)
        assert caught.value.column == 1


@pytest.mark.parametrize("unit", [1e-300, 1e-10])
def test_scaled_values_beyond_a_float_are_refused_without_a_warning(unit):
    costs = np.array([[unit, 1.0], [1e300, 2.0]])
    with pytest.raises(DegenerateColumnError, match="the range of a float once it is scaled") as caught:
        relative_scale(costs)(costs)
    assert caught.value.column == 0
