"""Ranks as an empirical cumulative distribution: what makes objectives comparable in COPA.

û_i = #{j : y_j < y_i} / N (paper, equation 6), with strict "<": ties share the lowest value, the best
row is 0 and the worst distinct value is at most (N - 1) / N.
"""

from __future__ import annotations

import numpy as np


def empirical_cdf(values: np.ndarray, population: np.ndarray | None = None) -> np.ndarray:
    """Share of the population that is strictly better, per row and objective.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to place.
    population : ndarray of float64, shape (m, k), optional
        Costs of the rows that the shares are taken over; `values` itself if omitted.

    Returns
    -------
    ndarray of float64, shape (n, k)
        û in [0, 1]; 0 is best. 1 is reached only by rows that are worse than the whole population.

    Examples
    --------
    >>> empirical_cdf(np.array([[3.0], [1.0], [1.0], [2.0]]))[:, 0]
    array([0.75, 0.  , 0.  , 0.5 ])
    >>> empirical_cdf(np.array([[5.0]]), population=np.array([[1.0], [2.0]]))
    array([[1.]])
    """
    counts = strictly_better(values, values if population is None else population)
    return counts / (len(values) if population is None else len(population))


def strictly_better(values: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Count, per row and objective, the rows of the population with a smaller cost.

    Returns
    -------
    ndarray of int64, shape (n, k)
    """
    counts = np.empty(values.shape, dtype=np.int64)
    for k in range(values.shape[1]):
        if population is values:
            counts[:, k] = _own_ranks(np.ascontiguousarray(values[:, k]))
        else:
            counts[:, k] = np.searchsorted(np.sort(population[:, k]), values[:, k], side="left")
    return counts


def _own_ranks(column: np.ndarray) -> np.ndarray:
    # Ranks with method "min", counted from 0: one argsort, then each run of ties gets its start.
    order = np.argsort(column)
    ordered = column[order]
    starts = np.empty(len(column), dtype=bool)
    starts[0] = True
    np.not_equal(ordered[1:], ordered[:-1], out=starts[1:])
    positions = np.arange(len(column))
    ranks = np.empty(len(column), dtype=np.int64)
    ranks[order] = np.maximum.accumulate(np.where(starts, positions, 0))
    return ranks
