"""Ranks counted over pieces against ranks counted over the whole."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from copa_nb.selection.arrays import partial_counts
from copa_nb.selection.arrays.partial_counts import add_counts, better_in_piece
from tests.strategies import WITH_INFINITIES, values


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
    np.testing.assert_array_equal(add_counts(counts), (whole[None] < rows[:, None]).sum(axis=1))


def test_many_rows_are_placed_by_sorting_and_few_by_comparing(monkeypatch):
    sorted_for = []

    def by_sorting(rows, piece):
        sorted_for.append(len(rows))
        return np.zeros(rows.shape, dtype=np.int64)

    monkeypatch.setattr(partial_counts, "strictly_better", by_sorting)
    for n in (1, 7, 8, 100):
        better_in_piece(np.zeros((n, 2)), np.zeros((5, 2)))
    assert sorted_for == [8, 100]
