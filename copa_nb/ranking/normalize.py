"""Objectives of a table on a common scale: COPA's ranks (equation 9), and the scales that they are compared with."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import add_shared
from copa_nb.ranking.arrays import normalization as core
from copa_nb.ranking.populations import Reference
from copa_nb.tables.columns import positions_by_group
from copa_nb.tables.described_frame import DescribedFrame, takes_groups
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives

ReferenceLike: TypeAlias = "Reference | Hashable | None"
Scale: TypeAlias = Callable[[np.ndarray], np.ndarray]
HOW = tuple(core.NORMALIZATIONS)
_CHOICES = "{" + ", ".join(f'"{name}"' for name in HOW) + "}"

add_shared("normalize", f"normalize : {_CHOICES}", "How to make objectives comparable; see ``df.moo.normalize()``.")
add_shared(
    "method", f"method : {_CHOICES}", " ".join(f'"{one.name}": {one.meaning}.' for one in core.NORMALIZATIONS.values())
)


@takes_groups
def normalize(table: DescribedFrame, *, method: str = "cdf", reference: ReferenceLike = None) -> pd.DataFrame:
    """Put the objectives on a common scale on which 0 is best."""
    matrix = table.costs(reference=reference)
    scaled = np.full((len(table.frame), len(matrix.objectives)), np.nan)
    for group in split_by_group(matrix, table.groups):
        scaled[group.positions] = fit_normalizer(group, method, reference)(group.values)
    return pd.DataFrame(scaled, index=table.frame.index, columns=matrix.objectives.names)


def split_by_group(matrix: ObjectiveMatrix, by: Any) -> list[ObjectiveMatrix]:
    """One matrix per group of rows, in order of first appearance in the table; all rows together if `by` is None."""
    if by is None or matrix.frame is None:
        return [matrix]
    complete = positions_by_group(matrix.frame.iloc[matrix.positions], by)
    return [matrix.take(complete[group]) for group in positions_by_group(matrix.frame, by) if group in complete]


def fit_normalizer(matrix: ObjectiveMatrix, method: str, reference: ReferenceLike = None) -> Scale:
    """Fit a scale on a table, or on the frozen population of a Reference.

    Raises
    ------
    ValueError
        For an unknown name, an unknown baseline row, or a column that cannot be scaled.
    """
    if isinstance(reference, Reference):
        return normalizer_from(matrix.objectives, method, reference.population(matrix.objectives))
    baseline = None if reference is None else (reference, matrix.values[rows_named(matrix.index, reference)])
    return normalizer_from(matrix.objectives, method, matrix.values, baseline, matrix.index)


def rows_named(index: pd.Index, label: Hashable) -> np.ndarray:
    """Positions of a label in an index."""
    if isinstance(label, tuple):
        return np.array([i for i, other in enumerate(index) if other == label], dtype=int)
    return np.flatnonzero(index == label)


def normalizer_from(
    objectives: Objectives,
    method: str,
    population: np.ndarray,
    baseline: tuple[Hashable, np.ndarray] | None = None,
    labels: Iterable[object] = (),
) -> Scale:
    """Fit a scale on costs.

    Parameters
    ----------
    objectives : Objectives
        Names and directions of the columns.
    method : str
        Name of a normalization; see :data:`~copa_nb.ranking.arrays.normalization.NORMALIZATIONS`.
    population : ndarray of float64, shape (m, k)
        Costs to fit on.
    baseline : tuple of label and ndarray of float64, shape (1, k), optional
        The row that "relative" divides by, and its costs; an array of another length is an error.
    labels : iterable of labels
        Rows of the table, for a hint where the baseline is misspelled.

    Returns
    -------
    callable
        Maps costs of shape (n, k) to the scale, on which 0 is best: for all but "cdf", a
        :class:`~copa_nb.ranking.arrays.normalization.Scale` with its origin and unit.
    """
    checks.one_of("method", method, HOW)
    row = None
    if baseline is not None:
        label, rows = baseline
        if len(rows) != 1:
            problem = f"names {len(rows)} rows" if len(rows) else "is not in the index"
            raise ValueError(
                f"`reference` is {label!r}, which {problem}; name one row, or pass a Reference."
                f"{checks.nearest(label, labels)}"
            )
        row = rows[0]
        if not core.NORMALIZATIONS[method].takes_row:
            takes = " or ".join(f'"{one.name}"' for one in core.NORMALIZATIONS.values() if one.takes_row)
            raise ValueError(
                f"`reference` names the row {label!r}, which only normalize={takes} uses; pass a Reference to "
                "freeze the population."
            )
    try:
        return core.NORMALIZATIONS[method].fit(population, objectives.signs < 0, row)
    except core.DegenerateColumnError as error:
        raise ValueError(f"objective {objectives.names[error.column]!r} {error.reason}.") from error
