"""Compiled passes over rows that are already sorted by one key: ranks, and order among ties."""

from __future__ import annotations

from copa_nb.core.compiled import compiled

_SHORT_RUN = 16


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
        ranks[row] = start + 1


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
