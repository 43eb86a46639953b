"""Fronts of costs that are known between two ends, each cell independently of all others.

A row is certainly on the front if nothing dominates it whatever the costs are, and possibly if nothing does for some
costs. Both are exact. A row's chances are worst at its own largest costs and at the smallest costs of each other row,
which dominates it or not independently of the rest; and best the other way round.
"""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.compiled import kernels
from copa_nb.arrays.parallel import in_threads, row_slices
from copa_nb.pareto.arrays.dominance import nondominated


def certain_and_possible_front(low: np.ndarray, high: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Mark the rows that are on the front for all costs within the ends, and those that are for some.

    Parameters
    ----------
    low, high : ndarray of float64, shape (n, k)
        Ends of the costs, without NaN; infinite ends are legal.

    Returns
    -------
    certain, possible : ndarray of bool, shape (n,)

    Examples
    --------
    >>> low = np.array([[1.0, 2.0], [2.0, -np.inf], [3.0, 3.0]])
    >>> high = np.array([[1.0, 2.0], [2.0, np.inf], [3.0, 3.0]])
    >>> certain_and_possible_front(low, high)
    (array([ True, False, False]), array([ True,  True, False]))
    """
    certain, possible = nondominated(low), nondominated(high)
    open_rows = np.flatnonzero((low < high).any(axis=1))
    if len(open_rows) == 0:
        return certain, possible
    # What dominates a row that is dominated does so, too: only the front of the others' largest costs matters.
    possible_others = np.flatnonzero(possible)
    # A row on the first front of the smallest costs may be the very row that is asked about. Then those matter that
    # it alone dominates, which are on the second front.
    behind = np.flatnonzero(~certain)
    certain_others = np.concatenate(
        [np.flatnonzero(certain), behind[nondominated(low[behind])] if len(behind) else behind]
    )
    # Nothing dominates a row that may be the best of all in some objective.
    best = (low[open_rows] < high.min(axis=0)).any(axis=1)
    possible[open_rows[best]] = True
    asked = open_rows[~best]
    possible[asked] = ~_beaten(low, asked, high, possible_others)
    certain[open_rows] = ~_beaten(high, open_rows, low, certain_others)
    return certain, possible


def _beaten(costs: np.ndarray, rows: np.ndarray, others: np.ndarray, other_rows: np.ndarray) -> np.ndarray:
    """Which of some rows a different row dominates, whose costs are in another array."""
    loops = kernels(__name__)
    asked, given = np.ascontiguousarray(costs[rows]), others[other_rows]
    # Those that are good all round come first: they dominate most.
    order = np.argsort(np.argsort(given, axis=0).sum(axis=1), kind="stable")
    given, names = np.ascontiguousarray(given[order]), other_rows[order]
    beaten = np.empty(len(rows), dtype=bool)
    work = asked.size * max(1, len(given) // 8)
    in_threads(
        lambda piece: loops.mark_beaten(asked, rows, given, names, *piece, beaten), row_slices(len(rows), work), work
    )
    return beaten
