"""Ranks against a count of all pairs, and counts over pieces of a population against those over the whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

from copa_nb.ranking.arrays.ranks import (
    better_in_piece,
    empirical_cdf,
    rank_sums,
    shares_and_rank_sums,
    strictly_better,
)
from tests.strategies import WITH_INFINITIES, values


@given(values(elements=WITH_INFINITIES))
def test_cdf_is_scipys_minimum_rank(array):
    expected = (rankdata(array, method="min", axis=0) - 1) / len(array)
    np.testing.assert_array_equal(empirical_cdf(array), expected)


@given(values(min_columns=2, max_columns=2), st.data())
def test_rows_are_placed_in_a_population(population, data):
    rows = data.draw(values(min_columns=2, max_columns=2))
    counted = (population[None, :, :] < rows[:, None, :]).sum(axis=1)
    np.testing.assert_array_equal(strictly_better(rows, population), counted)
    assert (empirical_cdf(rows, population) == counted / len(population)).all()
    for sums in (rank_sums(rows, population), shares_and_rank_sums(rows, population)[1]):
        assert sums.dtype == np.int64
        np.testing.assert_array_equal(sums, counted.sum(axis=1))
    np.testing.assert_array_equal(rank_sums(rows), strictly_better(rows, rows).sum(axis=1))


def test_shares_read_like_the_array_that_they_stand_for():
    rng = np.random.default_rng(0)
    array = rng.integers(0, 9, (30, 3)).astype(float)
    shares, whole = shares_and_rank_sums(array)[0], empirical_cdf(array)
    assert (shares.shape, shares.size, len(shares)) == (whole.shape, whole.size, len(whole))
    rows = rng.permutation(30)[:7]
    for key in (3, slice(2, 9), slice(None), rows, array[:, 0] > 4, (slice(None), 1), (rows, 2)):
        np.testing.assert_array_equal(shares[key], whole[key])
    np.testing.assert_array_equal(shares.taken(rows, 1), whole[rows, 1])
    np.testing.assert_array_equal(shares, whole)
    assert np.asarray(shares, dtype=np.float32).dtype == np.float32


@given(st.integers(1, 3), st.integers(0, 20), st.integers(1, 4), st.data())
def test_counts_of_pieces_add_up_to_those_of_the_whole(k, n_values, n_pieces, data):
    rows = data.draw(values(WITH_INFINITIES, min_rows=n_values, max_rows=n_values, min_columns=k, max_columns=k))
    pieces = [
        data.draw(values(WITH_INFINITIES, min_rows=0, max_rows=9, min_columns=k, max_columns=k))
        for _ in range(n_pieces)
    ]
    counts = [better_in_piece(rows, piece) for piece in pieces]
    assert all(count.dtype == np.int64 and count.shape == rows.shape for count in counts)
    whole = np.concatenate(pieces)
    np.testing.assert_array_equal(sum(counts), (whole[None] < rows[:, None]).sum(axis=1))
