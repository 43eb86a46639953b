"""Compiled search for rows that dominate a row, among blocks of rows that lie near each other.

Rows come as ranks, so that comparisons are of integers and columns of any units are alike. A block holds
`lanes` rows as an array of shape (columns, lanes); the last column is the sum of the others.
"""

from __future__ import annotations

import numpy as np

from copa_nb.bit_kernels import lowest_bit
from copa_nb.compiled import compiled

_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def pack_places(ranks, digits, shift, row_bits, keys):  # type: ignore[no-untyped-def]
    """Join the leading digits of a row's ranks, interleaved, with the row: sorted, near rows are neighbours.

    Ranks have shape (k, n); of each, binary digits from `shift + digits` down to `shift` are taken.
    """
    n_columns, n_rows = ranks.shape
    for row in range(n_rows):
        place = _ZERO
        for digit in range(shift + digits - 1, shift - 1, -1):
            for k in range(n_columns):
                place = place << _ONE | np.uint64(ranks[k, row] >> digit) & _ONE
        keys[row] = place << row_bits | np.uint64(row)


@compiled
def fill_blocks(ranks, order, blocks, corners):  # type: ignore[no-untyped-def]
    """Lay rows out block by block in the given order, and note the smallest of each column in a block."""
    n_columns, n_rows = ranks.shape
    lanes = blocks.shape[2]
    for place in range(n_rows):
        block, lane, row = place // lanes, place % lanes, order[place]
        total = ranks[0, row]
        total -= ranks[0, row]
        for k in range(n_columns):
            blocks[block, k, lane] = ranks[k, row]
            total += ranks[k, row]
        blocks[block, n_columns, lane] = total
        for k in range(n_columns + 1):
            corners[block, k] = min(corners[block, k], blocks[block, k, lane])


@compiled
def note_blocks(corners, first, last, widths, sets):  # type: ignore[no-untyped-def]
    """Note which blocks may hold a row that is no worse, by column and level.

    `sets`, of shape (columns, levels, words), gets a bit for every block from `first` to `last` whose smallest
    rank lies in that level or in a lower one; a level is `widths` ranks wide.
    """
    n_columns, levels, words = sets.shape
    sets[:] = _ZERO
    for block in range(first, last):
        word, bit = (block - first) // 64, _ONE << np.uint64((block - first) % 64)
        for k in range(n_columns):
            sets[k, corners[block, k] // widths[k], word] |= bit
    for k in range(n_columns):
        for level in range(1, levels):
            for word in range(words):
                sets[k, level, word] |= sets[k, level - 1, word]


@compiled
def drop_dominated(blocks, first, sets, widths, keep_all, start, stop, alive):  # type: ignore[no-untyped-def]
    """Unmark the rows, from place `start` to `stop`, that a row of the noted blocks dominates.

    With `keep_all` False a row that is equal to one before it is unmarked too. Blocks are numbered from `first`.
    """
    n_columns, _, words = sets.shape
    lanes = blocks.shape[2]
    found = np.empty(words, dtype=np.uint64)
    row = np.empty(n_columns, dtype=blocks.dtype)
    last = n_columns - 1
    for place in range(start, stop):
        if not alive[place]:
            continue
        for k in range(n_columns):
            row[k] = blocks[place // lanes, k, place % lanes]
        own_sum = row[last]
        if keep_all:
            if own_sum == 0:
                continue
            row[last] -= 1  # whoever is no worse and has a smaller sum is better somewhere
        for k in range(n_columns):
            level = row[k] // widths[k]
            if k == 0:
                for word in range(words):
                    found[word] = sets[k, level, word]
            else:
                for word in range(words):
                    found[word] &= sets[k, level, word]
        for word in range(words):
            left = found[word]
            while left != _ZERO and alive[place]:
                block = first + 64 * word + lowest_bit(left)
                left &= left - _ONE
                no_worse = ~_ZERO
                k = 0
                while k < n_columns and no_worse != _ZERO:
                    these = _ZERO
                    for lane in range(lanes):
                        these |= np.uint64(blocks[block, k, lane] <= row[k]) << np.uint64(lane)
                    no_worse &= these
                    k += 1
                while no_worse != _ZERO and alive[place]:
                    lane = lowest_bit(no_worse)
                    no_worse &= no_worse - _ONE
                    earlier = block * lanes + lane < place
                    if keep_all or blocks[block, last, lane] < own_sum or earlier:
                        alive[place] = False
            if not alive[place]:
                break
