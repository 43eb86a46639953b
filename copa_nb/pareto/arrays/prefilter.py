"""Fronts of large tables: drop what a few strong rows dominate before anything exact is asked.

Most rows of a table are dominated by some row that is good all round, so one linear compiled pass against
the rows with the smallest sums leaves little to do.  Where it would not, a sample says so and the pass is
left out.  What remains is exact: a sweep over sorted rows for two and three objectives, blocks of rows for
more, and moocore where few rows are left.
A dropped row is dominated by a row that stays, or by one that such a row dominates, so the front is the
same.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from copa_nb.parallel import in_threads, row_slices
from copa_nb.pareto.arrays.block_front import front_by_blocks
from copa_nb.sorting import column_ranks

_SAMPLE = 1024
# Strong rows that are tried before the others, which are tried all at once.
_TRIED_FIRST = 8
# Fewer rows than this are compared one by one sooner than they are put in blocks.
_ROWS_WORTH_BLOCKS = 1_000
# Against fewer dropped rows the pass does not pay for itself.
_WORTH_DROPPING = 1 / 3

Front = Callable[[np.ndarray, str], np.ndarray]


def large_front(values: np.ndarray, keep: str, exact: Front) -> np.ndarray:
    """Mark the rows that no other row dominates.

    Parameters
    ----------
    values : ndarray of float64 or int32, shape (n, k), k >= 2
        Costs without NaN, or their ranks; fastest if each column is contiguous.
    keep : {"all", "first"}
        See :func:`copa_nb.pareto.arrays.dominance.nondominated`.
    exact : callable
        Finds the front of what is left, if that is little, for four objectives and more.

    Returns
    -------
    ndarray of bool, shape (n,)
    """
    columns = np.ascontiguousarray(values.T)
    varying = [k for k, column in enumerate(columns) if not _is_constant(column)]
    if len(varying) < len(columns):
        # What all rows have alike tells none of them apart, but would have to be sorted.
        columns = columns[varying]
    if len(columns) < 2:
        return _front_of_one(columns, len(values), keep)
    alive = undominated_by_strong_rows(columns)
    if alive is None:
        columns = columns.astype(np.float64, copy=False)
        return _exact_front(columns, columns.T, keep, exact)
    rows = np.flatnonzero(alive)
    left = np.take(columns, rows, axis=1).astype(np.float64, copy=False)
    mask = np.zeros(len(values), dtype=bool)
    mask[rows[_exact_front(left, left.T, keep, exact)]] = True
    return mask


def _is_constant(column: np.ndarray) -> bool:
    return bool(column[0] == column[-1] and (column == column[0]).all())


def _front_of_one(columns: np.ndarray, n_rows: int, keep: str) -> np.ndarray:
    """Mark the smallest values of one objective, or everyone if there is none."""
    best = columns[0] == columns[0].min() if len(columns) else np.ones(n_rows, dtype=bool)
    if keep == "first":
        best[np.argmax(best) + 1 :] = False
    return np.asarray(best)


def undominated_by_strong_rows(columns: np.ndarray) -> np.ndarray | None:
    """Mark the rows that the strongest rows leave standing; None if a sample says that most would be.

    Parameters
    ----------
    columns : ndarray of float64 or int32, shape (k, n)
        Costs without NaN, or their ranks, one objective after the other.
    """
    n_objectives, n_rows = columns.shape
    sample = np.ascontiguousarray(columns[:, :: max(1, n_rows // _SAMPLE)])
    origin, step = _scale(sample)
    # With many objectives each row dominates less, so that more of them pay.
    count = 32 if n_objectives <= 3 else 128
    trial = _undominated(sample, _strongest(sample, origin, step, 32))
    if np.count_nonzero(trial) > (1 - _WORTH_DROPPING) * sample.shape[1]:
        return None
    return _undominated(columns, _strongest(columns, origin, step, count))


def _scale(sample: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Origin and inverse unit per objective, from finite values: the best, and the median's distance to it."""
    origin, step = np.zeros(len(sample)), np.ones(len(sample))
    for k, column in enumerate(sample):
        finite = column[np.isfinite(column)]
        if len(finite):
            origin[k] = finite.min()
            unit = np.median(finite) / 2 - origin[k] / 2  # halves, lest the difference overflows
            step[k] = 0.5 / unit if unit > 1e-300 else 1.0
    return origin, step


def _strongest(columns: np.ndarray, origin: np.ndarray, step: np.ndarray, count: int) -> np.ndarray:
    """The rows with the smallest sums of scaled costs: ndarray of float64, shape (at most count, k)."""
    from copa_nb.pareto.arrays.front_kernels import keep_strongest

    def collect(piece: tuple[int, int]) -> tuple[np.ndarray, np.ndarray]:
        scores, rows = np.full(count, np.inf), np.full(count, -1)
        keep_strongest(columns, origin, step, *piece, scores, rows)
        return scores, rows

    found = in_threads(collect, row_slices(columns.shape[1], columns.size), columns.size)
    rows = np.concatenate([rows for _, rows in found])
    best = np.argsort(np.concatenate([scores for scores, _ in found]))[:count]
    return np.ascontiguousarray(columns[:, rows[best][rows[best] >= 0]].T)


def _undominated(columns: np.ndarray, strong: np.ndarray) -> np.ndarray:
    from copa_nb.pareto.arrays.front_kernels import LANES, mark_undominated

    # With few objectives hardly a row is left after the first ones.
    few = len(strong) if len(columns) <= 3 else _TRIED_FIRST + (len(strong) - _TRIED_FIRST) % LANES
    many = np.ascontiguousarray(strong[few:].T)
    alive = np.empty(columns.shape[1], dtype=bool)
    pieces = row_slices(columns.shape[1], columns.size)
    in_threads(lambda piece: mark_undominated(columns, strong[:few], many, *piece, alive), pieces, columns.size)
    return alive


def _exact_front(columns: np.ndarray, values: np.ndarray, keep: str, exact: Front) -> np.ndarray:
    from copa_nb.pareto.arrays.front_kernels import front_of_three, front_of_two
    from copa_nb.sorting_kernels import sort_ties

    if len(columns) > 3:
        return exact(values, keep) if len(values) < _ROWS_WORTH_BLOCKS else front_by_blocks(columns, keep)
    mask = np.zeros(columns.shape[1], dtype=bool)
    order = np.argsort(columns[0])
    if len(columns) == 2:
        front_of_two(order, columns[0], columns[1], keep == "all", mask)
    else:
        sort_ties(order, columns[0], columns[1], columns[2])
        front_of_three(order, columns, column_ranks(columns[1]), keep == "all", mask)
    return mask
