"""Compiled evaluation of COPA's criterion from ranks."""

from __future__ import annotations

import numpy as np

from copa_nb.compiled import compiled


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
