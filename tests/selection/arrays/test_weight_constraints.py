import itertools

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.optimize import minimize, nnls

from copa_nb.selection.arrays.weight_constraints import (
    Comparisons,
    Conditions,
    criterion_keys,
    feasible,
    interior_weights,
    minimal_conflict,
    minimal_conflicts,
    most_even,
    ranges,
)


def conditions(rows, bounds, equal=None, counts=None):
    rows = np.asarray(rows, dtype=float).reshape(len(bounds), -1)
    equal = np.ones(len(bounds), dtype=bool) if equal is None else np.asarray(equal)
    counts = np.ones(rows.shape[1], dtype=bool) if counts is None else np.asarray(counts)
    return Conditions(rows, np.asarray(bounds, dtype=float), equal, counts)


def ratios(statements, k):
    """Rows for "i counts t times j"."""
    rows = np.zeros((len(statements), k))
    for row, (i, t, j) in zip(rows, statements, strict=True):
        row[i], row[j] = 1.0, -t
    return conditions(rows, np.zeros(len(rows)))


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.integers(2, 5), st.integers(1, 5))
def test_consistent_ratios_are_met_exactly(seed, k, m):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.ones(k)) + 0.01
    pairs = [rng.choice(k, 2, replace=False) for _ in range(m)]
    given_ = ratios([(i, truth[i] / truth[j], j) for i, j in pairs], k)
    assert feasible(given_)
    weights = most_even(given_)
    assert weights.sum() == pytest.approx(1.0, abs=1e-12)
    np.testing.assert_allclose(given_.rows @ weights, 0.0, atol=1e-9)


def test_extreme_but_consistent_ratios_are_no_conflict():
    given_ = ratios([(0, 1e5, 1), (1, 1e4, 2)], 3)
    assert feasible(given_)
    assert minimal_conflicts(given_) == []


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 9999))
def test_conflicts_are_conflicts_and_minimal(seed):
    rng = np.random.default_rng(seed)
    statements = [(*rng.choice(4, 2, replace=False), rng.choice([0.5, 2.0, 3.0])) for _ in range(6)]
    given_ = ratios([(i, t, j) for i, j, t in statements], 4)
    conflicts = minimal_conflicts(given_)
    assert bool(conflicts) == (not feasible(given_))
    for conflict in conflicts:
        assert not feasible(given_.only(conflict))
        for smaller in itertools.combinations(conflict, len(conflict) - 1):
            assert feasible(given_.only(list(smaller)))
    dropped = {conflict[-1] for conflict in conflicts}
    assert feasible(given_.only([i for i in range(6) if i not in dropped]))


def test_the_most_even_weights_have_the_largest_entropy():
    given_ = conditions([[1, -3, 0, 0], [0, 0, 1, 1]], [0.0, 0.3], equal=[False, True])
    weights = most_even(given_)

    def negative_entropy(w):
        return float((w * np.log(w)).sum())

    found = minimize(
        negative_entropy, [0.4, 0.1, 0.2, 0.3], method="SLSQP", bounds=[(1e-6, 1)] * 4, options={"ftol": 1e-14},
        constraints=[{"type": "eq", "fun": lambda w: w.sum() - 1}, {"type": "eq", "fun": lambda w: w[2] + w[3] - 0.3},
                     {"type": "ineq", "fun": lambda w: w[0] - 3 * w[1]}],
    )  # fmt: skip
    np.testing.assert_allclose(weights, found.x, atol=1e-5)
    assert negative_entropy(weights) <= found.fun + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 9999), st.integers(3, 6), st.integers(1, 4))
# A bound just below an equation of the same weight: a narrow ridge, on which one search stops early.
@example(4433, 3, 3)
def test_the_most_even_weights_are_optimal(seed, k, m):
    rng = np.random.default_rng(seed)
    truth = rng.dirichlet(np.full(k, 5.0))
    rows = rng.integers(0, 2, (m, k)).astype(float)
    equal = rng.random(m) < 0.5
    given_ = conditions(rows, rows @ truth - np.where(equal, 0.0, 0.05 * rng.random(m)), equal)
    weights = most_even(given_)
    slack = rows @ weights - given_.bounds
    assert (np.abs(slack[equal]) < 1e-9).all()
    assert (slack > -1e-9).all()
    # Where entropy is largest its slope is a combination of the conditions that bind, pushed upwards by inequalities.
    slope, binding = np.log(weights), np.abs(slack) < 1e-7
    columns = np.column_stack([rows[binding].T, np.ones(k), -np.ones(k), -rows[binding & equal].T])
    assert nnls(columns, slope)[1] < 1e-5


def test_weights_that_nobody_counts_agree_with_nothing():
    assert minimal_conflicts(conditions([[1, -1]], [0.0], counts=[False, False])) == [[]]


def test_repeated_conditions_do_no_harm():
    once, twice = (conditions([[1, -3, 0]] * n, [0.0] * n) for n in (1, 2))
    np.testing.assert_allclose(most_even(once), most_even(twice), atol=1e-9)


def test_ranges_by_hand():
    # a >= 3 b and c = .2: a from .6 to .8, b from 0 to .2.
    limits = ranges(conditions([[1, -3, 0], [0, 0, 1]], [0.0, 0.2], equal=[False, True]))
    np.testing.assert_allclose(limits, [[0.6, 0.8], [0.0, 0.2], [0.2, 0.2]], atol=1e-8)


def test_what_does_not_count_is_zero():
    given_ = conditions([[1, -1, 0]], [0.0], counts=[True, True, False])
    np.testing.assert_allclose(most_even(given_), [0.5, 0.5, 0.0])
    assert not feasible(conditions([[1, -1]], [0.0], counts=[False, True]))
    assert feasible(conditions([[0, 0]], [0.0], counts=[False, False])) is False
    # One weight that counts is 1, whatever the other would have been.
    assert feasible(conditions([[1, 5]], [1.0], counts=[True, False])) is True
    assert feasible(conditions([[1, 5]], [0.5], counts=[True, False])) is False
    np.testing.assert_array_equal(most_even(conditions([[1, 5]], [1.0], counts=[True, False])), [1.0, 0.0])
    np.testing.assert_allclose(ranges(conditions([[1, 5]], [1.0], counts=[True, False])), [[1, 1], [0, 0]])


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
    nothing = Comparisons(np.empty((0, 4)), np.empty((0, 4)), np.empty(0), 2.0)
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
