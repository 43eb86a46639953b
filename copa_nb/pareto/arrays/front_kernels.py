"""Compiled passes of :mod:`copa_nb.pareto.arrays.large_fronts`.

Columns come as arrays of shape (k, n), one objective after the other in memory. Blocks come as ranks, so that
comparisons are of integers and all units are alike: a block is an array of shape (columns, lanes), with one row per
lane; its last column is the sum of the others.
"""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.bit_kernels import lowest_bit
from copa_nb.arrays.compiled import compiled

LANES = 8
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def keep_strongest(columns, origin, step, start, stop, scores, rows):  # type: ignore[no-untyped-def]
    """Collect the rows with the smallest sums of scaled costs, smallest first.

    `scores` starts as +inf and `rows` as -1; both have as many places as rows are wanted.
    """
    last = len(scores) - 1
    for row in range(start, stop):
        score = 0.0
        for k in range(len(columns)):
            # An infinite cost counts as very bad or very good; the sum must stay a number.
            score += min(max((columns[k, row] - origin[k]) * step[k], -1e6), 1e6)
        if score < scores[last]:
            place = last
            while place > 0 and scores[place - 1] > score:
                scores[place] = scores[place - 1]
                rows[place] = rows[place - 1]
                place -= 1
            scores[place] = score
            rows[place] = row


@compiled
def mark_undominated(columns, few, many, start, stop, alive):  # type: ignore[no-untyped-def]
    """Mark the rows that no strong row dominates.

    The strongest, `few` of shape (s, k), are tried one after the other, since they dominate most rows; `many`, of
    shape (k, a multiple of `LANES`), are tried at once by the processor's vectors.
    """
    n_columns, n_many = many.shape
    for row in range(start, stop):
        dominated = False
        for s in range(len(few)):
            no_worse, better = True, False
            for k in range(n_columns):
                if few[s, k] > columns[k, row]:
                    no_worse = False
                    break
                if few[s, k] < columns[k, row]:
                    better = True
            if no_worse and better:
                dominated = True
                break
        first = 0
        while first < n_many and not dominated:
            left = ~_ZERO
            k = 0
            while k < n_columns and left != _ZERO:
                cost = columns[k, row]
                these = _ZERO
                for lane in range(LANES):
                    these |= np.uint64(many[k, first + lane] <= cost) << np.uint64(lane)
                left &= these
                k += 1
            while left != _ZERO and not dominated:
                lane = lowest_bit(left)
                left &= left - _ONE
                for k in range(n_columns):
                    dominated |= many[k, first + lane] < columns[k, row]
            first += LANES
        alive[row] = not dominated


@compiled
def front_of_two(order, first, second, keep_all, mask):  # type: ignore[no-untyped-def]
    """Mark the front of two objectives, given the order of rows by the first.

    Among rows that are equal in the first, only those with the smallest second cost can be on the front,
    and they are if no row before them has as small a one.
    """
    n = len(order)
    begin = 0
    smallest = np.inf
    while begin < n:
        end = begin
        lowest = second[order[begin]]
        while end < n and first[order[end]] == first[order[begin]]:
            lowest = min(lowest, second[order[end]])
            end += 1
        if begin == 0 or lowest < smallest:
            kept = n
            for i in range(begin, end):
                if second[order[i]] == lowest:
                    if keep_all:
                        mask[order[i]] = True
                    kept = min(kept, order[i])
            mask[kept] = True
            smallest = lowest
        begin = end


@compiled
def front_of_three(order, columns, second_ranks, keep_all, mask):  # type: ignore[no-untyped-def]
    """Mark the front of three objectives, given the rows in lexicographic order.

    Whatever dominates a row comes before it. A tree of prefix minima over the ranks in the second
    objective tells the smallest third cost among the rows before it that are no worse in the second.
    """
    n = len(order)
    tree = np.full(n + 1, np.inf)
    lowest_second = n
    for i in range(n):
        row = order[i]
        if i > 0:
            before = order[i - 1]
            same = True
            for k in range(3):
                same = same and columns[k, row] == columns[k, before]
            if same:
                # Equal rows share the verdict; they stand next to each other, the first given first.
                mask[row] = keep_all and mask[before]
                continue
        third = columns[2, row]
        if third == np.inf:
            # Nothing is worse than infinity, so any row before that is no worse in the second dominates.
            dominated = lowest_second <= second_ranks[row]
        else:
            smallest = np.inf
            place = second_ranks[row] + 1
            while place > 0:
                smallest = min(smallest, tree[place])
                place -= place & -place
            dominated = smallest <= third
        mask[row] = not dominated
        if not dominated:
            lowest_second = min(lowest_second, second_ranks[row])
            place = second_ranks[row] + 1
            while place <= n:
                tree[place] = min(tree[place], third)
                place += place & -place


@compiled
def interleave(ranks, digits, shift, row_bits, keys):  # type: ignore[no-untyped-def]
    """Join the leading digits of a row's ranks, interleaved, with the row: sorted, near rows are neighbors.

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
    """Lay rows out block by block in this order; a block's corner is the smallest value of each column in it."""
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
def fill_sets(corners, first, last, widths, sets):  # type: ignore[no-untyped-def]
    """Fill the sets of blocks that may hold a row that is no worse, by column and level.

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
    """Unmark the rows, from place `start` to `stop`, that a row of these blocks dominates.

    With `keep_all` False a row that is equal to one before it is unmarked too. Blocks are numbered from `first`.
    """
    n_columns, _, words = sets.shape
    lanes = blocks.shape[2]
    candidates = np.empty(words, dtype=np.uint64)
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
            row[last] -= 1  # a row that is no worse and has a smaller sum is better somewhere
        for k in range(n_columns):
            level = row[k] // widths[k]
            if k == 0:
                for word in range(words):
                    candidates[word] = sets[k, level, word]
            else:
                for word in range(words):
                    candidates[word] &= sets[k, level, word]
        for word in range(words):
            left = candidates[word]
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
