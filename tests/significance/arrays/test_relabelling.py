import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from copa_nb.significance.arrays import relabelling


def rows(chunks):
    return [tuple(row.tolist()) for chunk in chunks for row in chunk]


@pytest.mark.parametrize(("size", "n_first", "n_blocks"), [(6, 3, 1), (5, 1, 1), (2, 1, 5), (3, 2, 3), (4, 0, 2)])
def test_every_split_once(size, n_first, n_blocks):
    found = rows(relabelling.all_splits(size, n_first, n_blocks))
    one_block = [c for c in itertools.product([False, True], repeat=size) if sum(c) == n_first]
    expected = {sum(blocks, ()) for blocks in itertools.product(one_block, repeat=n_blocks)}
    assert len(found) == relabelling.count_splits(size, n_first, n_blocks)
    assert set(found) == expected
    assert len(set(found)) == len(found)


@pytest.mark.parametrize(("counts", "n_blocks"), [([2, 2, 1], 1), ([1, 1, 1], 2), ([3, 2], 1)])
def test_every_labeling_once(counts, n_blocks):
    found = rows(relabelling.all_labelings(counts, n_blocks))
    block = np.repeat(np.arange(len(counts)), counts).tolist()
    one_block = set(itertools.permutations(block))
    expected = {sum(blocks, ()) for blocks in itertools.product(one_block, repeat=n_blocks)}
    assert set(found) == expected
    assert len(found) == relabelling.count_labelings(counts, n_blocks) == len(expected)


@settings(max_examples=50, deadline=None)
@given(st.integers(1, 9), st.integers(0, 9), st.integers(1, 4), st.integers(0, 10**6))
def test_random_splits_keep_the_size_of_each_side_in_each_block(size, n_first, n_blocks, seed):
    n_first = min(n_first, size)
    drawn = np.concatenate(list(relabelling.random_splits(size, n_first, n_blocks, 50, np.random.default_rng(seed))))
    assert drawn.shape == (50, n_blocks * size)
    assert (drawn.reshape(50, n_blocks, size).sum(axis=2) == n_first).all()


def test_random_splits_are_uniform():
    drawn = np.concatenate(list(relabelling.random_splits(5, 2, 1, 50_000, np.random.default_rng(1))))
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 10
    chi_squared = ((counts - 5_000) ** 2 / 5_000).sum()
    assert chi_squared < 27.9  # 99.9 % quantile, 9 degrees of freedom


def test_random_labelings_keep_counts_and_are_uniform():
    drawn = np.concatenate(list(relabelling.random_labelings([2, 1, 1], 1, 24_000, np.random.default_rng(1))))
    _, counts = np.unique(drawn, axis=0, return_counts=True)
    assert len(counts) == 12
    assert ((counts - 2_000) ** 2 / 2_000).sum() < 31.3
    blocks = np.concatenate(list(relabelling.random_labelings([1, 1, 1], 4, 100, np.random.default_rng(1))))
    assert (np.sort(blocks.reshape(100, 4, 3), axis=2) == [0, 1, 2]).all()


def test_chunks_are_bounded(monkeypatch):
    monkeypatch.setattr("copa_nb.significance.arrays.relabelling._CHUNK_CELLS", 100)
    chunks = list(relabelling.random_splits(10, 5, 1, 95, np.random.default_rng(0)))
    assert [len(chunk) for chunk in chunks] == [10] * 9 + [5]
    assert len(rows(relabelling.all_splits(2, 1, 7))) == len(set(rows(relabelling.all_splits(2, 1, 7)))) == 128
