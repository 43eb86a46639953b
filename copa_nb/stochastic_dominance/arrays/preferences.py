"""What a utility must respect on a set of points: the relations R1 and R2, without the rows that others imply.

A point holds the values of one entity on one problem, larger is better. By eq. 1 of Jansen et al. (arXiv:2406.03924),

- (x, y) is in R1 if x is at least as good as y in every metric: then u(x) >= u(y);
- ((x, y), (v, w)) is in R2 if both pairs are in R1, ``x >= v >= w >= y`` in every ordinal metric, and the difference
  ``x - y`` is at least ``v - w`` in every cardinal one: then u(x) - u(y) >= u(v) - u(w).

A pair in R1 is described by the vector (-ordinal part of y, ordinal part of x, cardinal part of x - y), and R2 is the
componentwise order of these vectors. Both relations are transitive, so that their covers imply all other rows: a few
rows for each pair instead of one for every two pairs.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copa_nb.arrays.compiled import kernels, warn_if_plain

# Differences that are equal on paper differ by rounding errors; relative to the largest value.
_ROUNDING = 1e-12
# The order of the pairs is found by comparing each with each: beyond this it takes minutes.
MOST_PAIRS = 150_000
_PAIRS_WORTH_A_WORD = 30_000
# Of fewer rows, numpy finds all covers in a twentieth of a second; the search takes three seconds to be compiled.
_ROWS_WORTH_COMPILING = 1000


@dataclass(frozen=True)
class UtilityBounds:
    """Points and the rows ``u[plus].sum() - u[minus].sum() >= gap`` that bound a utility of them.

    Parameters
    ----------
    n_points : int
        Points, the worst and the best one included.
    worst, best : int
        Which points have the utilities 0 and 1.
    order : ndarray of int, shape (n, 2)
        Covers of R1: upper and lower point.
    exchanges : ndarray of int, shape (m, 4)
        Covers of R2: x, w, y, v with ``u[x] + u[w] - u[y] - u[v] >= gap``.
    equal : ndarray of int, shape (l, 4)
        Pairs of R2 that stand in relation both ways: the same sum is 0.
    """

    n_points: int
    worst: int
    best: int
    order: np.ndarray
    exchanges: np.ndarray
    equal: np.ndarray


def pooled_points(values: np.ndarray, ordinal: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find the distinct points, the worst and the best corner included.

    Parameters
    ----------
    values : ndarray, shape (n, d)
        Larger is better.
    ordinal : ndarray of bool, shape (d,)
        Metrics of which only the order counts.

    Returns
    -------
    points : ndarray, shape (m, d)
        Sorted so that no point stands above a later one; the first is the worst corner, the last the best. Ordinal
        metrics are replaced by their ranks.
    which : ndarray of int, shape (n,)
        The point of each row.
    """
    coordinates = values.astype(float)
    for k in np.flatnonzero(ordinal):
        coordinates[:, k] = np.unique(values[:, k], return_inverse=True)[1]
    everything = np.vstack([coordinates, coordinates.min(axis=0), coordinates.max(axis=0)])
    points, which = np.unique(everything, axis=0, return_inverse=True)
    place = np.argsort(np.argsort(_heights(points), kind="stable"), kind="stable")
    sorted_points = np.empty_like(points)
    sorted_points[place] = points
    return sorted_points, place[which.ravel()[: len(values)]]


def without_rounding_errors(values: np.ndarray) -> np.ndarray:
    """Make values equal that differ by no more than rounding errors: each becomes the smallest of its neighbors.

    Otherwise one point would be above another although their difference counts as none, and no utility respects both.

    Parameters
    ----------
    values : ndarray
        Finite values of one cardinal metric.

    Examples
    --------
    >>> without_rounding_errors(np.array([0.1 + 0.2, 0.3, 0.4])).tolist()
    [0.3, 0.3, 0.4]
    """
    distinct, which = np.unique(values, return_inverse=True)
    scale = np.abs(distinct).max()
    if scale == 0:
        return values
    # Twice, so that no difference that remains is rounded to none. Divided first: the largest differences overflow.
    starts = np.diff(distinct / scale, prepend=-np.inf) > 2 * _ROUNDING
    first_of = np.maximum.accumulate(np.where(starts, np.arange(len(distinct)), 0))
    snapped: np.ndarray = distinct[first_of][which.reshape(values.shape)]
    return snapped


def preferences(points: np.ndarray, ordinal: np.ndarray) -> UtilityBounds:
    """Find the rows that bound a utility.

    Parameters
    ----------
    points : ndarray, shape (m, d)
        From :func:`pooled_points`.
    ordinal : ndarray of bool, shape (d,)
        Metrics of which only the order counts.

    Returns
    -------
    UtilityBounds

    Raises
    ------
    ValueError
        If there are too many pairs.
    """
    order = np.column_stack(_covers(points))
    none = np.empty((0, 4), dtype=np.int64)
    exchanges, equal = none, none
    if not ordinal.all():
        upper, lower = _pairs_above(points)
        vectors = _pair_vectors(points, ordinal, upper, lower)
        distinct, which = np.unique(vectors, axis=0, return_inverse=True)
        which = which.ravel()
        by_class = np.argsort(which, kind="stable")
        first = by_class[np.searchsorted(which[by_class], np.arange(len(distinct)))]
        follows = np.flatnonzero(which[by_class[1:]] == which[by_class[:-1]])
        equal = _rows(by_class[follows + 1], by_class[follows], upper, lower)
        sorting = np.argsort(_heights(distinct), kind="stable")
        if len(distinct) >= _PAIRS_WORTH_A_WORD:
            warn_if_plain(f"{len(distinct):,} pairs of points")
        high, low = _covers(distinct[sorting])
        exchanges = _rows(first[sorting[high]], first[sorting[low]], upper, lower)
        exchanges = exchanges[~_follows_from_order(points, exchanges)]
    return UtilityBounds(len(points), 0, len(points) - 1, order, exchanges, equal)


def _covers(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find which row covers which in the componentwise order; see ``preferences_kernels.py``."""
    found: tuple[np.ndarray, np.ndarray] = kernels(__name__, pays=len(rows) >= _ROWS_WORTH_COMPILING).covers(rows)
    return found


def _heights(points: np.ndarray) -> np.ndarray:
    """A number for each point that is larger for points above it, exactly."""
    ranks = [np.unique(column, return_inverse=True)[1].ravel() for column in points.T]
    return np.sum(ranks, axis=0)


def _pairs_above(points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    above = np.ones((len(points), len(points)), dtype=bool)
    for column in points.T:
        above &= column[:, None] >= column
    np.fill_diagonal(above, False)
    upper, lower = np.nonzero(above)
    if len(upper) > MOST_PAIRS:
        raise ValueError(
            f"there are {len(upper):,} pairs of comparable points, more than the {MOST_PAIRS:,} that can be ordered; "
            "compare fewer systems or items, or reduce the classes of ordinal objectives with `bins`."
        )
    return upper, lower


def _pair_vectors(points: np.ndarray, ordinal: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    cardinal = points[:, ~ordinal]
    scale = np.abs(cardinal).max(axis=0)
    # Divided first: differences of the largest numbers overflow.
    cardinal = cardinal / np.where(scale > 0, scale, 1.0)
    differences = np.round((cardinal[upper] - cardinal[lower]) / _ROUNDING)
    return np.column_stack([-points[lower][:, ordinal], points[upper][:, ordinal], differences])


def _rows(outer: np.ndarray, inner: np.ndarray, upper: np.ndarray, lower: np.ndarray) -> np.ndarray:
    return np.column_stack([upper[outer], lower[inner], lower[outer], upper[inner]])


def _follows_from_order(points: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Whether x >= v and w >= y, which R1 has rows for."""
    x, w, y, v = points[rows].transpose(1, 0, 2)
    follows: np.ndarray = (x >= v).all(axis=1) & (w >= y).all(axis=1)
    return follows
