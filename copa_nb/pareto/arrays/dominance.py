"""Pareto dominance on arrays in which smaller is better.

y dominates z iff y <= z in every objective and y < z in at least one.
"""

from __future__ import annotations

import moocore
import numpy as np

from copa_nb.arrays.compiled import compiled_pays
from copa_nb.pareto.arrays.large_fronts import large_front, prefilter

# moocore counts objectives in a byte.
_MOST_COLUMNS = 255


def nondominated(values: np.ndarray, *, keep: str = "all") -> np.ndarray:
    """Mark the rows that no other row dominates.

    Parameters
    ----------
    values : ndarray of float64 or int32, shape (n, k)
        Costs without NaN, infinite values are legal; or their ranks, which dominate each other as they do.
    keep : {"all", "first"}
        Whether rows that are equal everywhere stay together, or only the first of them stays.

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> nondominated(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [1.0, 2.0]]))
    array([ True,  True, False,  True])
    >>> nondominated(np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0]]), keep="first")
    array([ True,  True, False])
    """
    if values.shape[1] == 1:
        return _single_objective(values[:, 0], keep)
    return large_front(values, keep, _front) if compiled_pays(len(values)) else _front(values, keep)


def contenders(values: np.ndarray) -> np.ndarray:
    """Find rows that include the whole front and, in a large table, perhaps some dominated rows.

    For decisions that only rows on the front can win: in a large table it is cheaper to judge a few more rows than to
    find the front exactly.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs without NaN.

    Returns
    -------
    ndarray of int64
        Positions, ascending. Their front is the front of all rows.
    """
    if values.shape[1] == 1 or not compiled_pays(len(values)):
        return np.flatnonzero(nondominated(values))
    alive = prefilter(np.ascontiguousarray(values.T))
    return np.arange(len(values)) if alive is None else np.flatnonzero(alive)


def layers(values: np.ndarray) -> np.ndarray:
    """Number the successive fronts: 1 for the front, 2 for the front without it, and so on.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs without NaN.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> layers(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0], [3.0, 3.0]]))
    array([1, 1, 2, 3])
    """
    if values.shape[1] == 1:
        return np.unique(values[:, 0], return_inverse=True)[1].astype(np.int64) + 1
    if values.shape[1] > _MOST_COLUMNS:
        return _peel(values)
    return np.asarray(moocore.pareto_rank(_finite(values)), dtype=np.int64) + 1


def dominates(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tell which rows of `first` dominate which rows of `second`.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n, k) and (m, k)
        Costs.

    Returns
    -------
    ndarray of bool, shape (n, m)
    """
    no_worse = (first[:, None, :] <= second[None, :, :]).all(axis=2)
    better = (first[:, None, :] < second[None, :, :]).any(axis=2)
    return np.asarray(no_worse & better)


def _front(values: np.ndarray, keep: str) -> np.ndarray:
    if values.shape[1] > _MOST_COLUMNS:
        return _front_by_pairs(values, keep)
    mask: np.ndarray = moocore.is_nondominated(_finite(values), keep_weakly=keep == "all")
    return mask


def _front_by_pairs(values: np.ndarray, keep: str) -> np.ndarray:
    mask = np.array([not dominates(values, row[None]).any() for row in values])
    if keep == "first":
        mask[np.setdiff1d(np.arange(len(values)), np.unique(values, axis=0, return_index=True)[1])] = False
    return mask


def _peel(values: np.ndarray) -> np.ndarray:
    numbers = np.zeros(len(values), dtype=np.int64)
    while not numbers.all():
        rows = np.flatnonzero(numbers == 0)
        numbers[rows[_front_by_pairs(values[rows], "all")]] = numbers.max() + 1
    return numbers


def _finite(values: np.ndarray) -> np.ndarray:
    """Replace columns that hold infinite values by their ranks, which dominance cannot tell from them.

    moocore crashes (segmentation fault) on three objectives with infinite values.
    """
    infinite = ~np.isfinite(values).all(axis=0)
    if not infinite.any():
        return values
    ranked = values.copy()
    for k in np.flatnonzero(infinite):
        ranked[:, k] = np.unique(values[:, k], return_inverse=True)[1]
    return ranked


def _single_objective(column: np.ndarray, keep: str) -> np.ndarray:
    best = column == column.min()
    if keep == "first":
        first = int(np.argmax(best))
        best[:] = False
        best[first] = True
    return best
