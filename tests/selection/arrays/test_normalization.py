"""Scales at the edges of what they take: zeros, ceilings, infinities and ranges beyond a float."""

import numpy as np
import pytest

from copa_nb.selection.arrays.normalization import DegenerateColumnError, ceiling_scale, minmax_scale, relative_scale


@pytest.mark.parametrize("scale", [minmax_scale, relative_scale])
@pytest.mark.parametrize("column", [0, 1, 2])
@pytest.mark.parametrize("value", [np.inf, -np.inf])
def test_an_infinite_value_is_refused_in_its_column(scale, column, value):
    population = np.array([[1.0, 2.0, 3.0], [2.0, 3.0, 4.0]])
    population[1, column] = value
    if scale is relative_scale and value > 0:
        # Only the best value and the range are needed, and the range is infinite.
        with pytest.raises(DegenerateColumnError, match="more than a float can hold") as caught:
            scale(population)
    else:
        with pytest.raises(DegenerateColumnError, match="infinite values") as caught:
            scale(population)
    assert caught.value.column == column


def test_ranges_beyond_a_float_are_refused_in_their_column():
    population = np.array([[1.0, -1.5e308], [2.0, 1.5e308]])
    for scale in (minmax_scale, relative_scale):
        with pytest.raises(DegenerateColumnError, match="more than a float can hold") as caught:
            scale(population)
        assert caught.value.column == 1
    # Every column on its own: values of one beside the best of another are no range.
    scaled = relative_scale(np.array([[-1.5e308, 1.0], [-1.4e308, 1.5e308]]))
    assert scaled.origin.tolist() == [-1.5e308, 1.0]


def test_relative_to_a_row():
    population = np.array([[2.0, -4.0], [3.0, -1.0]])
    scaled = relative_scale(population, np.array([4.0, -2.0])).apply(population)
    np.testing.assert_allclose(scaled, [[-0.5, -1.0], [-0.25, 0.5]])
    with pytest.raises(DegenerateColumnError, match="reference value of zero") as caught:
        relative_scale(population, np.array([4.0, 0.0]))
    assert caught.value.column == 1
    with pytest.raises(DegenerateColumnError, match="best value of zero"):
        relative_scale(np.array([[0.0], [1.0]]))


def test_a_constant_column_has_no_range():
    with pytest.raises(DegenerateColumnError, match="one value only") as caught:
        minmax_scale(np.array([[1.0, 3.0], [2.0, 3.0]]))
    assert caught.value.column == 1
    assert str(caught.value) == caught.value.reason


@pytest.mark.parametrize(
    ("scores", "ceiling"),
    [([0.0, 0.5], 1.0), ([0.2, 1.0], 1.0), ([0.2, 1.001], 100.0), ([0.0, 100.0], 100.0), ([0.0, 0.0], 1.0)],
)
def test_the_ceiling_of_a_score_is_one_or_a_hundred(scores, ceiling):
    costs = np.column_stack([[3.0, 0.0], -np.array(scores)])
    scaled = ceiling_scale(costs, np.array([False, True])).apply(costs)
    np.testing.assert_allclose(scaled, np.column_stack([[3.0, 0.0], ceiling - np.array(scores)]))


@pytest.mark.parametrize("scores", [[0.5, 100.5], [-0.5, 0.5]])
@pytest.mark.parametrize("column", [0, 1])
def test_scores_without_a_known_ceiling_are_refused(scores, column):
    costs, maximised = np.ones((2, 2)), np.array([column == 0, column == 1])
    costs[:, column] = -np.array(scores)
    with pytest.raises(DegenerateColumnError, match=r"outside \[0, 1\] and \[0, 100\]") as caught:
        ceiling_scale(costs, maximised)
    assert caught.value.column == column


@pytest.mark.parametrize("column", [0, 1])
def test_negative_costs_are_refused_as_they_are(column):
    costs = np.ones((2, 2))
    costs[0, column] = -0.25
    with pytest.raises(DegenerateColumnError, match="negative costs") as caught:
        ceiling_scale(costs, np.zeros(2, dtype=bool))
    assert caught.value.column == column
