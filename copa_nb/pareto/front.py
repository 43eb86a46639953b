"""Pareto fronts of a table."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.pareto.arrays import dominance
from copa_nb.pareto.arrays.unknown_costs import certain_and_possible_front
from copa_nb.tables.columns import positions_by_group
from copa_nb.tables.frames import any_frame, in_pieces, pandas_of, read_frame, take_rows, with_column
from copa_nb.tables.missing_values import BOUNDS, WITH_BOUNDS, Bounds, bounded_costs, bounds_without_policy
from copa_nb.tables.objectives import ObjectiveMatrix, ObjectivesLike, to_minimization
from copa_nb.tables.rows import warn_of_runs

KEEP = ("all", "first")
_CERTAIN = "certain"


def front(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    keep: str = "all",
    by: Any = None,
    nan_policy: str = "raise",
    bounds: Bounds = None,
) -> pd.DataFrame:
    """Return the Pareto-optimal rows, as they were."""
    pieces = in_pieces(frame)
    if pieces is not None:
        options = {"objectives": objectives, "keep": keep, "by": by, "nan_policy": nan_policy, "bounds": bounds}
        return cast(pd.DataFrame, pieces.answer("front", **options))
    table = read_frame(frame) or frame  # once: a query need not give its rows in the same order again
    if nan_policy == BOUNDS and _CERTAIN in pandas_of(table).columns:
        raise ValueError(
            f'`frame` has a column {_CERTAIN!r}, which nan_policy="bounds" adds; rename it, or use layers(1).'
        )
    certain, possible = _front_masks(table, objectives, keep, by, nan_policy, bounds)
    if by is None:
        warn_of_runs(pandas_of(table))
    rows = take_rows(table, possible)
    return with_column(rows, _CERTAIN, certain[possible]) if nan_policy == BOUNDS else rows


@any_frame
def layers(
    frame: pd.DataFrame,
    most: int | None = None,
    *,
    objectives: ObjectivesLike = None,
    by: Any = None,
    nan_policy: str = "raise",
    bounds: Bounds = None,
) -> pd.Series:
    """Number the successive fronts (non-dominated sorting)."""
    if most is not None:
        checks.integer("most", most)
    if nan_policy == BOUNDS:
        if most != 1:
            raise ValueError('`nan_policy="bounds"` is for the front alone; ask for `layers(1)`, or for `front()`.')
        certain, possible = _front_masks(frame, objectives, "all", by, nan_policy, bounds)
        found = pd.Series(np.where(possible, 1, 2), index=frame.index, name="layer", dtype="Int64")
        return found.mask(possible & ~certain)
    if bounds is not None:
        raise bounds_without_policy(nan_policy)
    matrix = to_minimization(frame, objectives, nan_policy=nan_policy)
    numbers = np.zeros(len(frame), dtype=np.int64)
    for rows in _groups(frame, by, matrix.positions):
        numbers[matrix.positions[rows]] = _first_layers(matrix.values[rows], most)
    series = pd.Series(numbers, index=frame.index, name="layer")
    return series.astype("Int64").mask(series == 0) if matrix.n_omitted else series


def _first_layers(costs: np.ndarray, most: int | None) -> np.ndarray:
    """Number the layers; those behind the last that is looked for share a number."""
    if most is None:
        return dominance.layers(costs)
    numbers = np.full(len(costs), most + 1, dtype=np.int64)
    left = np.arange(len(costs))
    for number in range(1, most + 1):
        first = dominance.nondominated(costs[left])
        numbers[left[first]] = number
        left = left[~first]
        if not len(left):
            break
    return numbers


def matrix_with_front(frame: pd.DataFrame, objectives: ObjectivesLike) -> tuple[ObjectiveMatrix, np.ndarray]:
    """Return the costs of a table and the positions of its front, for pictures of the whole table."""
    matrix = to_minimization(frame, objectives)
    return matrix, front_of_candidates(matrix)


def front_of_candidates(matrix: ObjectiveMatrix, keep: str = "all") -> np.ndarray:
    """Rows of a matrix that may be chosen and that no other of these dominates."""
    allowed = matrix.allowed()
    return allowed[dominance.nondominated(matrix.values[allowed], keep=keep)]


@any_frame
def _front_masks(
    frame: pd.DataFrame, objectives: ObjectivesLike, keep: str, by: Any, nan_policy: str, bounds: Bounds
) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are on the front whatever is missing, and rows that may be."""
    checks.one_of("keep", keep, KEEP)
    checks.one_of("nan_policy", nan_policy, WITH_BOUNDS)
    if nan_policy == BOUNDS:
        return _bounded_masks(frame, objectives, keep, by, bounds)
    if bounds is not None:
        raise bounds_without_policy(nan_policy)
    matrix = to_minimization(frame, objectives, nan_policy=nan_policy)
    if by is None and not matrix.n_omitted:
        mask = dominance.nondominated(matrix.values, keep=keep)
        return mask, mask
    mask = np.zeros(len(frame), dtype=bool)
    for rows in _groups(frame, by, matrix.positions):
        mask[matrix.positions[rows]] = dominance.nondominated(matrix.values[rows], keep=keep)
    return mask, mask


def _bounded_masks(
    frame: pd.DataFrame, objectives: ObjectivesLike, keep: str, by: Any, bounds: Bounds
) -> tuple[np.ndarray, np.ndarray]:
    if keep != "all":
        raise ValueError(
            '`keep` is "first", but which rows are equal depends on the missing values; with nan_policy="bounds", pass '
            'keep="all".'
        )
    costs = bounded_costs(frame, objectives, bounds=bounds)
    certain, possible = np.zeros((2, len(frame)), dtype=bool)
    for rows in _groups(frame, by, np.arange(len(frame))):
        certain[rows], possible[rows] = certain_and_possible_front(costs.low[rows], costs.high[rows])
    return certain, possible


def _groups(frame: pd.DataFrame, by: Any, positions: np.ndarray) -> list[Any]:
    """Rows of the matrix that belong together: all of them, or those of each group."""
    if by is None:
        return [slice(None)]
    return list(positions_by_group(frame.iloc[positions], by).values())
