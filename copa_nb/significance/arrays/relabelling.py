"""Ways to hand out labels to rows: all of them where they are few, random ones otherwise.

Labels are exchanged among all rows, or within blocks (matched seeds or folds) of equal size. Everything
comes in chunks of bounded size, so that memory does not grow with the number of relabellings.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

_CHUNK_CELLS = 1 << 20


def count_splits(size: int, n_first: int, n_blocks: int = 1) -> int:
    """Number of ways to choose `n_first` of `size` rows in each of `n_blocks` blocks.

    Examples
    --------
    >>> count_splits(10, 5), count_splits(2, 1, n_blocks=10)
    (252, 1024)
    """
    return math.comb(size, n_first) ** n_blocks


def all_splits(size: int, n_first: int, n_blocks: int = 1) -> Iterator[np.ndarray]:
    """Enumerate every split.

    Parameters
    ----------
    size : int
        Rows in a block.
    n_first : int
        How many of them belong to the first side.
    n_blocks : int
        Blocks; the rows of a block are neighbours.

    Yields
    ------
    ndarray of bool, shape (b, n_blocks * size)
        True where a row belongs to the first side; all chunks together hold each split once.

    Examples
    --------
    >>> np.concatenate(list(all_splits(3, 1))).astype(int)
    array([[1, 0, 0],
           [0, 1, 0],
           [0, 0, 1]])
    """
    chosen = np.array(list(itertools.combinations(range(size), n_first)), dtype=np.int64)
    within = np.zeros((len(chosen), size), dtype=bool)
    np.put_along_axis(within, chosen.reshape(len(chosen), n_first), True, axis=1)
    return _products(within, n_blocks)


def random_splits(
    size: int, n_first: int, n_blocks: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Draw splits, each with the same probability and independently of the others.

    Parameters
    ----------
    size, n_first, n_blocks : int
        See :func:`all_splits`.
    n_resamples : int
        How many.
    rng : numpy Generator
        Source of randomness.

    Yields
    ------
    ndarray of bool, shape (b, n_blocks * size)
    """
    for rows in _chunks(n_resamples, size * n_blocks):
        # Selection sampling: a row is taken with probability (still to take) / (still to come).
        uniform = rng.random((size, n_blocks * rows), dtype=np.float32)
        taken = np.empty((size, n_blocks * rows), dtype=bool)
        missing = np.full(n_blocks * rows, n_first, dtype=np.float32)
        for i in range(size):
            np.less(uniform[i] * np.float32(size - i), missing, out=taken[i])
            missing -= taken[i]
        # The transpose keeps one row of points contiguous, which is what the sweeps read.
        yield taken.reshape(size, n_blocks, rows).transpose(1, 0, 2).reshape(n_blocks * size, rows).T


def count_labelings(counts: Sequence[int], n_blocks: int = 1) -> int:
    """Number of distinct ways to hand out labels, the i-th label `counts[i]` times in each block.

    Examples
    --------
    >>> count_labelings([2, 2, 2])
    90
    """
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return int(ways**n_blocks)


def all_labelings(counts: Sequence[int], n_blocks: int = 1) -> Iterator[np.ndarray]:
    """Enumerate every distinct labeling.

    Parameters
    ----------
    counts : sequence of int
        How often each label occurs in a block.
    n_blocks : int
        Blocks; the rows of a block are neighbours.

    Yields
    ------
    ndarray of int8, shape (b, n_blocks * sum(counts))

    Examples
    --------
    >>> len(np.concatenate(list(all_labelings([2, 1, 1]))))
    12
    """
    if len(counts) == 2:
        return (_second_side(splits) for splits in all_splits(sum(counts), counts[0], n_blocks))
    labelings = np.full((1, sum(counts)), -1, dtype=np.int8)
    for label, count in enumerate(counts):
        extended = []
        for labeling in labelings:
            free = np.flatnonzero(labeling < 0)
            for chosen in itertools.combinations(free, count):
                filled = labeling.copy()
                filled[list(chosen)] = label
                extended.append(filled)
        labelings = np.array(extended, dtype=np.int8)
    return _products(labelings, n_blocks)


def random_labelings(
    counts: Sequence[int], n_blocks: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Draw labelings, each with the same probability and independently of the others.

    Parameters
    ----------
    counts, n_blocks : sequence of int, int
        See :func:`all_labelings`.
    n_resamples : int
        How many.
    rng : numpy Generator
        Source of randomness.

    Yields
    ------
    ndarray of int8, shape (b, n_blocks * sum(counts))
    """
    if len(counts) == 2:
        yield from map(_second_side, random_splits(sum(counts), counts[0], n_blocks, n_resamples, rng))
        return
    block = np.repeat(np.arange(len(counts), dtype=np.int8), counts)
    for rows in _chunks(n_resamples, len(block) * n_blocks):
        drawn = rng.permuted(np.broadcast_to(block, (rows * n_blocks, len(block))), axis=1)
        yield drawn.reshape(rows, n_blocks * len(block))


def _second_side(splits: np.ndarray) -> np.ndarray:
    """Label 0 for the first side, 1 for the second."""
    return (~splits).astype(np.int8)


def _products(within: np.ndarray, n_blocks: int) -> Iterator[np.ndarray]:
    """Combine the ways of one block over all blocks."""
    if n_blocks == 1:
        yield within
        return
    total = len(within) ** n_blocks
    start = 0
    for rows in _chunks(total, within.shape[1] * n_blocks):
        codes = np.arange(start, start + rows)
        digits = [codes // len(within) ** position % len(within) for position in range(n_blocks)]
        yield np.concatenate([within[digit] for digit in digits], axis=1)
        start += rows


def _chunks(total: int, width: int) -> Iterator[int]:
    rows = max(1, _CHUNK_CELLS // max(width, 1))
    for start in range(0, total, rows):
        yield min(rows, total - start)
