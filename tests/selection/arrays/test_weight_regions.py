import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.ranking.arrays.criterion import tie_key, weighted_norm, winners
from copa_nb.ranking.arrays.ranks import empirical_cdf, strictly_better
from copa_nb.selection.arrays.weight_regions import alpha_intervals, importance_factor, simplex_grid

ORDERS = [1.0, 1.5, 2.0, 8.0, 300.0, np.inf]


def ranked(n, k, seed, levels=None):
    """Front rows of a random table: û and rank sums, with many ties if `levels` is given."""
    rng = np.random.default_rng(seed)
    values = rng.random((n, k)) if levels is None else rng.integers(0, levels, size=(n, k)).astype(float)
    front = values[nondominated(values)]
    return empirical_cdf(front, values), strictly_better(front, values).sum(axis=1)


def winner(u, weights, p, sums):
    return int(winners(u, weights, p, sums)[0])


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(1, 40), k=st.integers(2, 4), seed=st.integers(0, 10_000), p=st.sampled_from(ORDERS),
    levels=st.sampled_from([None, 3, 6]),
)  # fmt: skip
def test_intervals_agree_with_a_fine_search(n, k, seed, p, levels):
    u, sums = ranked(n, k, seed, levels)
    rest = np.random.default_rng(seed).dirichlet(np.ones(k - 1))
    rest = np.concatenate(([0.0], rest))
    intervals = alpha_intervals(u, rest, 0, p, sums)
    assert intervals[0].low == 0.0
    assert intervals[-1].high == 1.0
    for one, next_one in itertools.pairwise(intervals):
        assert one.high == next_one.low
        assert one.winner != next_one.winner
    alphas = np.random.default_rng(seed + 1).random(60)
    ends = np.array([interval.high for interval in intervals])
    for alpha in alphas:
        if np.abs(ends - alpha).min() < 1e-9:
            continue
        weights = np.concatenate(([alpha], (1 - alpha) * rest[1:]))
        found, expected = intervals[int(np.searchsorted(ends, alpha))].winner, winner(u, weights, p, sums)
        if found != expected:
            # At p = 300 all but the largest term vanishes: rows that share it tie in the digits that decide.
            norms = tie_key(weighted_norm(u[[found, expected]], weights, p))
            assert p == 300.0
            assert norms[0] == norms[1]


def test_two_objectives_by_hand():
    u = np.array([[0.0, 0.75], [0.25, 0.25], [0.5, 0.0]])
    intervals = alpha_intervals(u, np.array([0.0, 1.0]), 0, 1.0, np.array([3, 2, 2]))
    # At p = 1: .75 (1-a) = .25 gives 2/3, and .25 = .5 a gives 1/2.
    assert [(i.winner, round(i.low, 12), round(i.high, 12)) for i in intervals] == [
        (2, 0.0, 0.5),
        (1, 0.5, round(2 / 3, 12)),
        (0, round(2 / 3, 12), 1.0),
    ]


@settings(max_examples=40, deadline=None)
@given(
    n=st.integers(2, 25), k=st.integers(2, 4), seed=st.integers(0, 10_000), p=st.sampled_from(ORDERS),
    levels=st.sampled_from([None, 4]),
)  # fmt: skip
def test_no_smaller_change_of_the_ratios_unseats_the_winner(n, k, seed, p, levels):
    u, sums = ranked(n, k, seed, levels)
    rng = np.random.default_rng(seed)
    weights = rng.dirichlet(np.ones(k))
    best = winner(u, weights, p, sums)
    factor, rival, moved = importance_factor(u, weights, p, best)
    if rival is None:
        factor = 1e6
    else:
        # At the weights returned, the rival is level with the winner, and they are a change by `factor`.
        ratios = moved / weights
        assert ratios.max() / ratios.min() <= factor * (1 + 1e-9)
        scores = weighted_norm(u, moved, p)
        assert scores[rival] <= scores[best] * (1 + 1e-9) + 1e-15
    inside = factor ** (0.999 / 2)
    for _ in range(30):
        change = inside ** rng.choice([-1.0, 1.0, rng.uniform(-1, 1)], size=k)
        scores = weighted_norm(u, weights * change / (weights * change).sum(), p)
        assert scores[best] <= scores.min() * (1 + 1e-9) + 1e-15


def test_a_row_that_is_best_everywhere_cannot_be_unseated():
    u = np.array([[0.0, 0.0], [0.5, 0.5]])
    assert importance_factor(u, np.array([0.5, 0.5]), 2.0, 0)[:2] == (np.inf, None)


@pytest.mark.parametrize("p", [1.0, 2.0, np.inf])
def test_an_objective_without_weight_stays_out_of_it(p):
    rng = np.random.default_rng(2)
    for _ in range(10):
        u, weights = rng.random((8, 3)), np.append(rng.dirichlet(np.ones(2)), 0.0)
        best = winner(u, weights, p, np.zeros(8, dtype=int))
        factor, rival, moved = importance_factor(u, weights, p, best)
        expected = importance_factor(u[:, :2], weights[:2], p, best)
        assert factor == pytest.approx(expected[0])
        assert rival == expected[1]
        np.testing.assert_allclose(moved, np.append(expected[2], 0.0))


def test_the_grid_tiles_the_triangle():
    grid = simplex_grid(12)
    assert grid.shape == (144, 3)
    assert (grid > 0).all()
    np.testing.assert_allclose(grid.sum(axis=1), 1.0)
    np.testing.assert_allclose(grid.mean(axis=0), 1 / 3)
    assert len(np.unique(grid.round(9), axis=0)) == 144


@pytest.mark.parametrize(
    ("rows", "odds"),
    [
        # Level in the first objective: the second row ties as soon as its .3 is no more than odds · .5, and
        # then has the smaller sum.
        ([[0.5, 0.4, 0.4], [0.5, 0.6, 0.0]], 0.6),
        # Level at .2 in the others: the second row has the smaller sum until odds · .4 exceeds .2.
        ([[0.2, 0.4, 0.4], [0.4, 0.4, 0.0]], 0.5),
        # Level as before, until the sums cross: .4 + .2 odds = .39 + .22 odds.
        ([[0.2, 0.4, 0.4], [0.22, 0.4, 0.38]], 0.5),
    ],
)
def test_ties_at_infinity_change_the_winner_where_they_should(rows, odds):
    u = np.array(rows)
    intervals = alpha_intervals(u, np.array([0.0, 0.5, 0.5]), 0, np.inf, np.array([1, 1]))
    ends = [interval.high for interval in intervals[:-1]]
    assert any(abs(end - odds / (1 + odds)) < 1e-12 for end in ends)
    for interval in intervals:
        for alpha in np.linspace(interval.low, interval.high, 9)[1:-1]:
            weights = np.array([alpha, (1 - alpha) / 2, (1 - alpha) / 2])
            assert winner(u, weights, np.inf, np.array([1, 1])) == interval.winner


@settings(max_examples=60, deadline=None)
@given(n=st.integers(2, 30), k=st.integers(3, 4), seed=st.integers(0, 10_000), levels=st.integers(2, 5))
def test_intervals_at_infinity_with_ties_agree_with_a_fine_search(n, k, seed, levels):
    u, sums = ranked(n, k, seed, levels)
    rest = np.concatenate(([0.0], np.full(k - 1, 1 / (k - 1))))
    intervals = alpha_intervals(u, rest, 0, np.inf, sums)
    for interval in intervals:
        for alpha in np.linspace(interval.low, interval.high, 23)[1:-1]:
            assert winner(u, (1 - alpha) * rest + alpha * (rest == 0), np.inf, sums) == interval.winner
