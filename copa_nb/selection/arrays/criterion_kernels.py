"""Compiled evaluation of COPA's criterion: from ranks, and of many weight vectors to find out which rows may win."""

from __future__ import annotations

import numpy as np

from copa_nb.compiled import compiled

ROWS_PER_BLOCK = 512


@compiled
def largest_and_sum(counts, population_size, weights, start, largest, sums):  # type: ignore[no-untyped-def]
    """Evaluate the criterion at p = infinity and at p = 1 for the rows from `start` on that there is room for.

    Parameters
    ----------
    counts : ndarray of int, shape (k, n)
        Strictly better rows of the population, one objective after the other.
    population_size : int
        Rows of the population.
    weights : ndarray of float64, shape (k,)
        Of the objectives.
    start : int
        First row.
    largest, sums : ndarray of float64, shape (m,)
        Filled with the largest weighted share, and their sum in the order of the objectives.
    """
    largest[:] = 0.0
    sums[:] = 0.0
    for k in range(len(counts)):
        for row in range(len(sums)):
            # Divided first, as everywhere: another order of operations gives other last digits.
            share = np.divide(counts[k, start + row], population_size) * weights[k]
            sums[row] += share
            largest[row] = max(largest[row], share)


@compiled
def smallest_by_block(columns, weights, maximum, first, last, minima):  # type: ignore[no-untyped-def]
    """Fill `minima`, of shape (blocks, weight vectors), with the smallest criterion of each block of rows.

    The criterion is the largest weighted cost, or their sum if `maximum` is False. Columns have shape (k, n).
    """
    terms = np.empty(ROWS_PER_BLOCK)
    n = columns.shape[1]
    for block in range(first, last):
        start = block * ROWS_PER_BLOCK
        size = min(ROWS_PER_BLOCK, n - start)
        for a in range(len(weights)):
            _evaluate(columns, weights[a], maximum, start, size, terms)
            smallest = np.inf
            for i in range(size):
                smallest = min(smallest, terms[i])
            minima[block, a] = smallest


@compiled
def rows_within(columns, weights, maximum, minima, limit, rows):  # type: ignore[no-untyped-def]
    """Collect the rows whose criterion is at most `limit`; returns how many. `minima` are those of the blocks."""
    terms = np.empty(ROWS_PER_BLOCK)
    n = columns.shape[1]
    count = 0
    for block in range(len(minima)):
        if minima[block] > limit:
            continue
        start = block * ROWS_PER_BLOCK
        size = min(ROWS_PER_BLOCK, n - start)
        _evaluate(columns, weights, maximum, start, size, terms)
        for i in range(size):
            if terms[i] <= limit:
                rows[count] = start + i
                count += 1
    return count


@compiled
def _evaluate(columns, weights, maximum, start, size, terms):  # type: ignore[no-untyped-def]
    terms[:size] = 0.0
    for k in range(len(columns)):
        weight = weights[k]
        if weight == 0:
            continue
        column = columns[k, start : start + size]
        if maximum:
            for i in range(size):
                terms[i] = max(terms[i], weight * column[i])
        else:
            for i in range(size):
                terms[i] += weight * column[i]
