"""Who wins under each of many weight vectors.

The criterion of every row under every weight vector is evaluated in a form that is quick and need not be
exact in the last digits; the few rows that come near the smallest value are then judged exactly.
"""

from __future__ import annotations

import numpy as np

from copa_nb.parallel import compiled_pays, in_threads, row_slices
from copa_nb.selection.arrays.criterion import weighted_norm, winners

# Up to this order powers of values between 0 and 1 can be summed; beyond it the largest term stands for them.
_LARGEST_POWER = 16.0
# Far wider than rounding, and than the digits that count as a tie.
_MARGIN = 1e-9
_UNDERFLOW = 1e-250


def winners_along(
    normalized: np.ndarray, weights: np.ndarray, p: float, rank_sums: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Find the winner, and its criterion, under each weight vector.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Objectives of the rows on a common scale, 0 best.
    weights : ndarray of float64, shape (m, k)
        Weight vectors.
    p, rank_sums
        As in :func:`copa_nb.selection.arrays.criterion.winners`.

    Returns
    -------
    chosen : ndarray of int64, shape (m,)
        The first winner under each weight vector.
    scores : ndarray of float64, shape (m,)
        Its criterion.

    Examples
    --------
    >>> u = np.array([[0.0, 0.8], [0.4, 0.4], [0.8, 0.0]])
    >>> winners_along(u, np.array([[0.9, 0.1], [0.5, 0.5]]), np.inf, np.array([1, 2, 1]))[0]
    array([0, 1])
    """
    chosen, scores = np.empty(len(weights), dtype=np.int64), np.empty(len(weights))
    for step, rows in enumerate(_near_winners(normalized, weights, p)):
        near = normalized if rows is None else normalized[rows]
        sums = rank_sums if rows is None else rank_sums[rows]
        best = winners(near, weights[step], p, sums)[:1]
        scores[step] = weighted_norm(near[best], weights[step], p)[0]
        chosen[step] = best[0] if rows is None else rows[best[0]]
    return chosen, scores


def _near_winners(normalized: np.ndarray, weights: np.ndarray, p: float) -> list[np.ndarray] | list[None]:
    """For each weight vector the rows that may win; None stands for all of them."""
    everyone: list[None] = [None] * len(weights)
    if not compiled_pays(len(normalized)):
        return everyone
    smallest, largest = normalized.min(), normalized.max()
    if smallest < 0 or not np.isfinite(largest):
        return everyone
    columns = np.ascontiguousarray(normalized.T)
    if p > _LARGEST_POWER:
        # The norm is at least its largest term and at most k^(1/p) times it.
        return _within(columns, weights, True, columns.shape[0] ** (1.0 / p) * (1.0 + _MARGIN))
    if p == 1.0:
        return _within(columns, weights, False, 1.0 + _MARGIN)
    powers = (columns / largest if largest > 0 else columns) ** p
    return _within(powers, weights**p, False, 1.0 + p * _MARGIN)


def _within(columns: np.ndarray, weights: np.ndarray, maximum: bool, factor: float) -> list[np.ndarray]:
    from copa_nb.selection.arrays.sweep_kernels import ROWS_PER_BLOCK, rows_within, smallest_by_block

    blocks = -(-columns.shape[1] // ROWS_PER_BLOCK)
    minima = np.empty((blocks, len(weights)))
    work = columns.size * len(weights)
    in_threads(
        lambda piece: smallest_by_block(columns, weights, maximum, *piece, minima), row_slices(blocks, work), work
    )
    limits = minima.min(axis=0) * factor + _UNDERFLOW
    found = np.empty(columns.shape[1], dtype=np.int64)
    near = []
    for step, limit in enumerate(limits):
        count = rows_within(columns, weights[step], maximum, np.ascontiguousarray(minima[:, step]), limit, found)
        near.append(found[:count].copy())
    return near
