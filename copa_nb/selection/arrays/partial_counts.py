"""Ranks counted piece by piece: how many rows of one piece of a population are strictly better.

Counts over pieces add up to the count over the whole, so the rank of a few rows in a population of any
size needs no more than one piece in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from copa_nb.selection.arrays.ranks import strictly_better

# Below this many rows to place, comparing each with the whole column beats sorting the column.
_FEW = 8


def better_in_piece(values: np.ndarray, piece: np.ndarray) -> np.ndarray:
    """Count the rows of one piece that are strictly better, per row and objective.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows to place.
    piece : ndarray of float64, shape (n, k)
        Costs of one piece of the population; may be empty.

    Returns
    -------
    ndarray of int64, shape (m, k)

    Examples
    --------
    >>> better_in_piece(np.array([[2.0], [5.0]]), np.array([[1.0], [2.0], [3.0]]))
    array([[1],
           [3]])
    """
    if len(values) < _FEW:
        return np.array([(piece < row).sum(axis=0) for row in values], dtype=np.int64).reshape(values.shape)
    return strictly_better(values, piece)


def add_counts(counts: Iterable[np.ndarray]) -> np.ndarray:
    """Add the counts of all pieces; the order does not matter.

    Examples
    --------
    >>> add_counts([np.array([[1], [3]]), np.array([[0], [2]])])
    array([[1],
           [5]])
    """
    total: np.ndarray = np.stack(list(counts)).sum(axis=0, dtype=np.int64)
    return total
