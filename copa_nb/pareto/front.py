"""Pareto fronts of a table."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.pareto.arrays import dominance
from copa_nb.pareto.arrays.unknown_costs import certain_and_possible_front
from copa_nb.tables.columns import positions_by_group
from copa_nb.tables.described_frame import DescribedFrame, takes_groups
from copa_nb.tables.frames import with_column
from copa_nb.tables.missing_values import BOUNDS
from copa_nb.tables.objectives import ObjectiveMatrix, ObjectivesLike, to_minimization
from copa_nb.tables.rows import warn_of_runs

KEEP = ("all", "first")
_CERTAIN = "certain"


@takes_groups
def front(table: DescribedFrame, *, keep: str = "all") -> Any:
    """Return the Pareto-optimal rows, as they were."""
    checks.one_of("keep", keep, KEEP)
    are_bounded = table.policy(BOUNDS) == BOUNDS
    if are_bounded and _CERTAIN in table.frame.columns:
        raise ValueError(
            f'`frame` has a column {_CERTAIN!r}, which nan_policy="bounds" adds; rename it, or use layers(1).'
        )
    certain, possible = _bounded_masks(table, keep) if are_bounded else _masks(table, keep)
    if table.groups is None:
        warn_of_runs(table.frame)
    rows = table.rows_in_kind(possible)
    return with_column(rows, _CERTAIN, certain[possible]) if are_bounded else rows


@takes_groups
def layers(table: DescribedFrame, most: int | None = None) -> pd.Series:
    """Number the successive fronts (non-dominated sorting)."""
    if most is not None:
        checks.integer("most", most)
    index = table.frame.index
    if table.policy(BOUNDS) == BOUNDS:
        if most != 1:
            raise ValueError('`nan_policy="bounds"` is for the front alone; ask for `layers(1)`, or for `front()`.')
        certain, possible = _bounded_masks(table, "all")
        found = pd.Series(np.where(possible, 1, 2), index=index, name="layer", dtype="Int64")
        return found.mask(possible & ~certain)
    matrix = table.costs()
    numbers = np.zeros(len(index), dtype=np.int64)
    for rows in _groups(table, matrix.positions):
        numbers[matrix.positions[rows]] = _first_layers(matrix.values[rows], most)
    series = pd.Series(numbers, index=index, name="layer")
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


def _masks(table: DescribedFrame, keep: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are on the front, twice: whatever is missing does not matter."""
    matrix = table.costs()
    if table.groups is None and not matrix.n_omitted:
        mask = dominance.nondominated(matrix.values, keep=keep)
        return mask, mask
    mask = np.zeros(len(table.frame), dtype=bool)
    for rows in _groups(table, matrix.positions):
        mask[matrix.positions[rows]] = dominance.nondominated(matrix.values[rows], keep=keep)
    return mask, mask


def _bounded_masks(table: DescribedFrame, keep: str) -> tuple[np.ndarray, np.ndarray]:
    """Rows that are on the front whatever is missing, and rows that may be."""
    if keep != "all":
        raise ValueError(
            '`keep` is "first", but which rows are equal depends on the missing values; with nan_policy="bounds", pass '
            'keep="all".'
        )
    costs = table.bounded_costs()
    certain, possible = np.zeros((2, len(table.frame)), dtype=bool)
    for rows in _groups(table, np.arange(len(table.frame))):
        certain[rows], possible[rows] = certain_and_possible_front(costs.low[rows], costs.high[rows])
    return certain, possible


def _groups(table: DescribedFrame, positions: np.ndarray) -> list[Any]:
    """Rows of the matrix that belong together: all of them, or those of each group."""
    if table.groups is None:
        return [slice(None)]
    return list(positions_by_group(table.frame.iloc[positions], table.groups).values())
