"""Kemeny's ranking where linear programming is not enough, and where time runs out."""

import itertools

import numpy as np
import pytest

from copa_nb.partial_orders.arrays.consensus import kemeny_ranking


def contradicted(counts, places):
    return counts[np.asarray(places)[:, None] > np.asarray(places)[None, :]].sum()


def test_a_fence_needs_integers():
    # Each of three items stands above its own rail, the rails above the other two items: the linear program finds
    # halves that contradict less than any ranking does.
    counts = np.zeros((6, 6), dtype=int)
    for i, j in itertools.product(range(3), repeat=2):
        counts[(i, 3 + i) if i == j else (3 + j, i)] = 1
    places, optimal = kemeny_ranking(counts)
    assert optimal
    assert sorted(places) == list(range(6))
    fewest = min(contradicted(counts, ranking) for ranking in itertools.permutations(range(6)))
    assert contradicted(counts, places) == fewest


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
