"""Compiled kernel: the pairs of a componentwise order that no third element explains."""

from __future__ import annotations

import numpy as np

from copa_nb.arrays.compiled import compiled


@compiled
def covers(rows):  # type: ignore[no-untyped-def]
    """Find which row covers which in the componentwise order.

    Parameters
    ----------
    rows : ndarray of float64, shape (n, d)
        Distinct, and sorted so that no row stands above a later one (by the sum of their ranks, say).

    Returns
    -------
    upper, lower : ndarray of int64
        ``rows[upper[k]] >= rows[lower[k]]`` in every component with no row between the two; sorted by `lower`.
    """
    n, d = rows.shape
    room = 16 * n + 16
    upper = np.empty(room, dtype=np.int64)
    lower = np.empty(room, dtype=np.int64)
    found = 0
    for low in range(n):
        first = found
        for high in range(low + 1, n):
            above = True
            for k in range(d):
                if rows[high, k] < rows[low, k]:
                    above = False
                    break
            if not above:
                continue
            # The covers found so far come earlier in the sorting, so only they can stand in between.
            for c in range(first, found):
                between = True
                for k in range(d):
                    if rows[high, k] < rows[upper[c], k]:
                        between = False
                        break
                if between:
                    above = False
                    break
            if not above:
                continue
            if found == room:
                longer = np.empty(2 * room, dtype=np.int64)
                longer[:room] = upper
                upper = longer
                longer = np.empty(2 * room, dtype=np.int64)
                longer[:room] = lower
                lower = longer
                room *= 2
            upper[found] = high
            lower[found] = low
            found += 1
    return upper[:found].copy(), lower[:found].copy()
