"""Compiled passes over large tables: what a few strong rows dominate, and fronts of two or three objectives.

Columns come as arrays of shape (k, n), one objective after the other in memory.
"""

from __future__ import annotations

import numpy as np

from copa_nb.bit_kernels import lowest_bit
from copa_nb.compiled import compiled

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

    The strongest, `few` of shape (s, k), are tried one after the other, since they settle most rows; `many`, of
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
            # Nothing is worse than infinite, so any row before that is no worse in the second dominates.
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
