"""Compiled passes over rows that are already sorted by one key: ranks, and order among ties."""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.compiled import compiled

_SHORT_RUN = 16
# Longer runs of rows whose numbers agree in their leading bits alone are left to another way of sorting.
_LONG_RUN = 32
_SIGN = np.uint64(1 << 63)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)


@compiled
def pack_keys(bits, lowest, lost_bits, row_bits, keys):  # type: ignore[no-untyped-def]
    """Join the leading bits of numbers, in the order of the numbers, with their rows.

    `bits` are the numbers' own, and `lowest` is the smallest of them once they are ordered.
    """
    for row in range(len(bits)):
        ordered = bits[row]
        if ordered == _SIGN:
            ordered = _ZERO  # -0.0 is equal to 0.0
        ordered = ~ordered if ordered & _SIGN else ordered | _SIGN
        keys[row] = ((ordered - lowest) >> lost_bits) << row_bits | np.uint64(row)


@compiled
def ranks_from_keys(keys, row_bits, exact, column, ranks):  # type: ignore[no-untyped-def]
    """Give every row the number of rows with a smaller value, from sorted keys; rows that tie share it.

    Unless keys are exact, rows that agree in their leading bits are compared by their values. Returns False,
    and leaves `ranks` unfinished, if a long run of them would have to be sorted. Uses `keys` up.
    """
    n = len(keys)
    mask = (_ONE << row_bits) - _ONE
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and keys[end] >> row_bits == keys[begin] >> row_bits:
            end += 1
        if end - begin == 1 or exact:
            for i in range(begin, end):
                ranks[keys[i] & mask] = begin
        else:
            tie = True
            for i in range(begin, end):
                keys[i] &= mask
                tie = tie and column[keys[i]] == column[keys[begin]]
            if not tie:
                if end - begin > _LONG_RUN:
                    return False
                _insertion_sort(keys, begin, end, column, column)
            start = begin
            for i in range(begin, end):
                if i > begin and column[keys[i]] != column[keys[i - 1]]:
                    start = i
                ranks[keys[i]] = start
        begin = end
    return True


@compiled
def rank_packed(keys, row_bits, second, third, start, stop, order, ranks):  # type: ignore[no-untyped-def]
    """Order rows by exact packed keys, then the second, the third, and their position, and rank them from 1.

    Both `order` and `ranks` run from the best row to the worst; rows that tie in all keys share a rank. `ranks`
    may lie in the memory of `keys`. Only places from `start` to `stop` are settled; neither may cut rows apart
    that agree in the first key.
    """
    mask = (_ONE << row_bits) - _ONE
    begin = start
    while begin < stop:
        end = begin + 1
        order[begin] = keys[begin] & mask
        while end < stop and keys[end] >> row_bits == keys[begin] >> row_bits:
            order[end] = keys[end] & mask
            end += 1
        ranks[begin] = begin + 1
        if end - begin > 1:
            if end - begin > _SHORT_RUN:
                _heap_sort(order, begin, end, second, third)
            else:
                _insertion_sort(order, begin, end, second, third)
            for i in range(begin + 1, end):
                row, before = order[i], order[i - 1]
                same = second[row] == second[before] and third[row] == third[before]
                ranks[i] = ranks[i - 1] if same else i + 1
        begin = end


@compiled
def ranks_from_order(order, column, ranks):  # type: ignore[no-untyped-def]
    """Give every row the number of rows with a smaller value; rows that tie share it."""
    start = 0
    for i in range(len(order)):
        if i > 0 and column[order[i]] != column[order[i - 1]]:
            start = i
        ranks[order[i]] = start


@compiled
def sort_ties(order, first, second, third):  # type: ignore[no-untyped-def]
    """Sort each run of rows that tie in the first key by the second, the third, and their position."""
    n = len(order)
    begin = 0
    while begin < n:
        end = begin + 1
        while end < n and first[order[end]] == first[order[begin]]:
            end += 1
        if end - begin > _SHORT_RUN:
            _heap_sort(order, begin, end, second, third)
        elif end - begin > 1:
            _insertion_sort(order, begin, end, second, third)
        begin = end


@compiled
def ranks_of_keys(order, first, second, third, ranks):  # type: ignore[no-untyped-def]
    """Rank rows from 1 in their order; rows that tie in all three keys share the lowest rank."""
    start = 0
    for i in range(len(order)):
        row, before = order[i], order[i - 1]
        if i > 0 and (first[row] != first[before] or second[row] != second[before] or third[row] != third[before]):
            start = i
        ranks[i] = start + 1


@compiled
def _goes_before(a, b, second, third):  # type: ignore[no-untyped-def]
    if second[a] != second[b]:
        return second[a] < second[b]
    if third[a] != third[b]:
        return third[a] < third[b]
    return a < b


@compiled
def _insertion_sort(order, begin, end, second, third):  # type: ignore[no-untyped-def]
    for i in range(begin + 1, end):
        row = order[i]
        place = i
        while place > begin and _goes_before(row, order[place - 1], second, third):
            order[place] = order[place - 1]
            place -= 1
        order[place] = row


@compiled
def _heap_sort(order, begin, end, second, third):  # type: ignore[no-untyped-def]
    size = end - begin
    for root in range(size // 2 - 1, -1, -1):
        _sink(order, begin, root, size, second, third)
    for last in range(size - 1, 0, -1):
        order[begin], order[begin + last] = order[begin + last], order[begin]
        _sink(order, begin, 0, last, second, third)


@compiled
def _sink(order, begin, root, size, second, third):  # type: ignore[no-untyped-def]
    while 2 * root + 1 < size:
        child = 2 * root + 1
        if child + 1 < size and _goes_before(order[begin + child], order[begin + child + 1], second, third):
            child += 1
        if not _goes_before(order[begin + root], order[begin + child], second, third):
            return
        order[begin + root], order[begin + child] = order[begin + child], order[begin + root]
        root = child
