"""Kemeny's ranking where linear programming is not enough, and where time runs out."""

import itertools

import numpy as np
import pytest

from copa_nb.partial_orders.arrays.consensus import _by_solver, _moved, kemeny_optima, kemeny_ranking


def all_optima(counts):
    """Rankings of fewest contradictions, by looking at all rankings."""
    values = {}
    for ranking in itertools.permutations(range(len(counts))):
        places = np.array(ranking)
        values[ranking] = counts[places[:, None] > places[None, :]].sum()
    fewest = min(values.values())
    return {ranking for ranking, value in values.items() if value == fewest}


def test_a_fence_needs_integers():
    # Each of three items stands above its own rail, the rails above the other two items: the linear program finds
    # halves that contradict less than any ranking does.
    counts = np.zeros((6, 6), dtype=int)
    for i, j in itertools.product(range(3), repeat=2):
        counts[(i, 3 + i) if i == j else (3 + j, i)] = 1
    places, optimal = kemeny_ranking(counts)
    assert optimal
    assert tuple(places.tolist()) in all_optima(counts)


@pytest.mark.parametrize("n", [0, 1])
def test_one_item_is_ranked(n):
    places, optimal = kemeny_ranking(np.zeros((n, n), dtype=int))
    assert places.tolist() == [0] * n
    assert places.dtype == np.int64
    assert optimal is True


def test_bordas_ranking_stands_in_where_there_is_no_time():
    counts = np.random.default_rng(1).integers(0, 9, (12, 12))
    np.fill_diagonal(counts, 0)
    places, optimal = kemeny_ranking(counts, time_limit=0.0)
    assert optimal is False
    scores = counts.sum(axis=1) - counts.sum(axis=0)
    assert (np.diff(scores[np.argsort(places)]) <= 0).all()


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("find", [kemeny_optima, lambda counts, most: _by_solver(counts, most, 60.0)])
def test_all_optimal_rankings_are_found(seed, find):
    rng = np.random.default_rng(seed)
    counts = rng.integers(0, 3, (int(rng.integers(2, 6)),) * 2)
    np.fill_diagonal(counts, 0)
    expected = all_optima(counts)
    found = find(counts, most=1000)
    assert {tuple(row) for row in found.positions.tolist()} == expected
    assert found.n_optima == len(expected)
    assert found.optimal
    assert found.counted
    stands_above = np.any([np.less.outer(row, row) for row in expected], axis=0)
    np.testing.assert_array_equal(found.above, stands_above)


def test_optima_are_counted_beyond_those_listed():
    found = kemeny_optima(np.zeros((9, 9), dtype=int), most=7)
    assert found.positions.shape == (7, 9)
    assert found.positions[0].tolist() == list(range(9))
    assert found.n_optima == 362880
    assert found.counted


def test_large_components_say_when_not_all_optima_are_known():
    found = kemeny_optima(np.zeros((16, 16), dtype=int), most=7)
    assert (len(found.positions), found.n_optima, found.counted) == (7, 7, False)


def test_larger_components_are_ranked_after_another():
    # Two cycles of three, the first above the second: 3 x 3 optimal rankings.
    counts = np.zeros((6, 6), dtype=int)
    counts[:3, 3:] = 5
    for i, j in ((0, 1), (1, 2), (2, 0), (3, 4), (4, 5), (5, 3)):
        counts[i, j] = 1
    found = kemeny_optima(counts)
    assert found.n_optima == 9
    assert (found.positions[:, :3] < 3).all()


def test_optima_that_no_move_of_single_items_leads_to_are_found():
    rows = ["021110", "001021", "120121", "110010", "210200", "000220"]
    counts = np.array([[int(count) for count in row] for row in rows])
    first, _ = kemeny_ranking(counts)
    expected = all_optima(counts)
    moved = _moved([tuple(np.argsort(first).tolist())], counts, 1000)
    assert len(moved) < len(expected)
    found = _by_solver(counts, 1000, 60.0)
    assert {tuple(row) for row in found.positions.tolist()} == expected
    assert (found.n_optima, found.optimal, found.counted) == (len(expected), True, True)


def test_no_items_have_one_ranking():
    found = kemeny_optima(np.zeros((0, 0), dtype=int))
    assert found.positions.shape == (1, 0)
    assert (found.n_optima, found.optimal, found.counted) == (1, True, True)
    assert found.above.shape == (0, 0)
