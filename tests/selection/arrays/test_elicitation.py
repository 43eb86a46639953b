"""Weights that agree with comparisons, where the answer is known by hand."""

import numpy as np
import pytest

from copa_nb.selection.arrays.weight_constraints import Comparisons, criterion_keys, interior_weights, minimal_conflict


@pytest.mark.parametrize(("p", "expected"), [(1.0, [1, 2]), (2.0, [1, np.sqrt(2)]), (np.inf, [1, 2])])
def test_interior_weights_keep_as_far_from_every_edge_as_they_can(p, expected):
    # The statement says w_0 <= w_1: room s on all sides of w^p (of w, for the maximum) is largest at (1/3, 2/3).
    said = Comparisons(np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]]), np.ones(1), p)
    np.testing.assert_allclose(interior_weights(said), np.array(expected) / np.sum(expected), atol=1e-6)


@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_factors_loosen_a_statement(p):
    # (w_0 · 1) <= 3 (w_1 · 0.5) leaves w_0 up to 0.6, and so does its half of "about equal".
    said = Comparisons(np.array([[1.0, 0.0]]), np.array([[0.0, 0.5]]), np.array([3.0]), p)
    weights = np.column_stack([[0.55, 0.59, 0.61, 0.65], [0.45, 0.41, 0.39, 0.35]])
    assert said.agree(weights).tolist() == [True, True, False, False]
    assert said.agree(interior_weights(said)[None])[0]


def test_without_statements_everything_agrees_and_weights_are_even():
    nothing = Comparisons.none(4, 2.0)
    assert nothing.agree(np.full((3, 4), 0.25)).tolist() == [True] * 3
    assert interior_weights(nothing).tolist() == [0.25] * 4


def test_ties_of_the_maximum_are_broken_by_the_sum():
    rows = np.array([[0.5, 0.2], [0.5, 0.3], [0.5, 0.1], [0.4, 0.4]])
    weights = np.array([[0.5, 0.5], [0.2, 0.8]])
    keys = criterion_keys(rows, weights, np.inf)
    assert np.argsort(keys[0]).tolist() == [3, 2, 0, 1]
    np.testing.assert_allclose(keys, (weights[:, None] * rows).max(axis=2), rtol=1e-8)
    np.testing.assert_allclose(criterion_keys(rows, weights, 3.0), ((weights[:, None] * rows) ** 3).sum(axis=2))


@pytest.mark.parametrize("clash", [{0, 1}, {1, 3}, {0, 2, 3}, {2}])
def test_a_conflict_is_cut_down_to_what_clashes(clash):
    assert minimal_conflict(range(4), lambda kept: not clash <= set(kept)) == sorted(clash)
