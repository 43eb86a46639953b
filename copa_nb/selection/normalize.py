"""Objectives of a table on a common scale."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.columns import positions_by_group
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, to_minimisation
from copa_nb.selection.arrays import normalization as core
from copa_nb.selection.arrays.ranks import Placed, empirical_cdf, rank_sums, shares_and_rank_sums
from copa_nb.selection.populations import Reference, placed_objectives

ReferenceLike: TypeAlias = "Reference | Hashable | None"
HOW = ("cdf", "minmax", "relative", "none")


@dataclass(frozen=True)
class Normalizer:
    """A fitted normalisation: maps costs of shape (n, k) to a common scale, 0 best.

    Parameters
    ----------
    how : {"cdf", "minmax", "relative", "none"}
        Which one.
    population : ndarray of float64, shape (m, k)
        Costs that it was fitted on.
    transform : callable
        The map.
    """

    how: str
    population: np.ndarray
    transform: Callable[[np.ndarray], np.ndarray]

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Map costs."""
        return self.transform(values)


def normalize(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    how: str = "cdf",
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> pd.DataFrame:
    """Put the objectives on a common scale on which 0 is best.

    Parameters
    ----------
    frame : DataFrame
        One row per model.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    how : {"cdf", "minmax", "relative", "none"}
        "cdf": share of the population that is strictly better (COPA, equation 6; ties share the lowest
        value). "minmax": (y - ideal) / (nadir - ideal). "relative": (y - ideal) / abs(ideal), or against
        the row named by `reference`. "none": costs as they are; a score to be maximised becomes its
        shortfall from 1 (if all values lie in [0, 1]) or from 100 (in [0, 100]).
    reference : Reference or row label, optional
        A frozen population to take ranks, ideal and nadir over; or, for "relative", the row to compare
        with.
    by : label or list of labels, optional
        Take each group as a population of its own.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.

    Returns
    -------
    DataFrame
        On the index of `frame`, one column per objective, smaller is better. Rows left out by
        ``nan_policy="omit"`` hold NaN.

    Raises
    ------
    ValueError
        For a constant column under "minmax", a zero ideal under "relative", a score without a known
        ceiling under "none", each naming the column.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.8], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> copa_nb.normalize(models, objectives={"accuracy": "max", "co2_kg": "min"}).round(2)
       accuracy  co2_kg
    a      0.00    0.67
    b      0.33    0.00
    c      0.33    0.33
    """
    resolved = placed_objectives(frame, objectives, reference)
    matrix = to_minimisation(frame, resolved, nan_policy=nan_policy)
    scaled = np.full((len(frame), len(resolved)), np.nan)
    if by is None:
        scaled[matrix.positions] = fit_normalizer(matrix, how, reference)(matrix.values)
    else:
        for rows in positions_by_group(frame.iloc[matrix.positions], by).values():
            group = ObjectiveMatrix(matrix.values[rows], resolved, matrix.positions[rows], matrix.index[rows])
            scaled[group.positions] = fit_normalizer(group, how, reference)(group.values)
    return pd.DataFrame(scaled, index=frame.index, columns=resolved.names)


def fit_normalizer(matrix: ObjectiveMatrix, how: str, reference: ReferenceLike = None) -> Normalizer:
    """Fit a normalisation on a table, or on the frozen population of a Reference.

    Raises
    ------
    ValueError
        For an unknown name, an unknown reference row, or a column that cannot be scaled.
    """
    checks.one_of("how" if how not in HOW else "normalize", how, HOW)
    frozen = isinstance(reference, Reference)
    population = reference.population(matrix.objectives) if isinstance(reference, Reference) else matrix.values
    row = None if reference is None or frozen else _reference_row(matrix, reference)
    return normalizer_from(matrix.objectives, how, population, row, reference)


def place_rows(
    matrix: ObjectiveMatrix, rows: np.ndarray | None, how: str, reference: ReferenceLike = None
) -> tuple[Placed, np.ndarray]:
    """Put rows of a table on the common scale, and count who is better; ranks are counted once for both.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        The table that normalisation and counts are taken over.
    rows : ndarray of int64, shape (m,), optional
        Which rows; all of them if omitted.
    how, reference
        As in :func:`fit_normalizer`.

    Returns
    -------
    placed : ndarray of float64 or RankShares, shape (m, k)
        Those rows on the common scale.
    rank_sums : ndarray of int64, shape (m,)
        How many rows of the table are strictly better, summed over objectives.
    """
    values = matrix.values
    if rows is not None and len(rows) < len(values):
        values = np.take(values.T, rows, axis=1).T
    if how == "cdf" and reference is None:
        return shares_and_rank_sums(values, matrix.values)
    return fit_normalizer(matrix, how, reference)(values), rank_sums(values, matrix.values)


def normalizer_from(
    objectives: Objectives, how: str, population: np.ndarray, row: np.ndarray | None, reference: ReferenceLike
) -> Normalizer:
    """Fit a normalisation on costs.

    Parameters
    ----------
    objectives : Objectives
        Names and directions of the columns.
    how : {"cdf", "minmax", "relative", "none"}
        Which one. All but "cdf" look at the smallest and the largest costs of the population only.
    population : ndarray of float64, shape (m, k)
        Costs to fit on.
    row : ndarray of float64, shape (k,), optional
        Costs of the row that "relative" compares with.
    reference : label
        What the user calls that row.
    """
    if row is not None and how != "relative":
        raise ValueError(
            f'`reference` names the row {reference!r}, which only normalize="relative" uses; pass a Reference to '
            "freeze the population."
        )
    if how == "cdf":
        return Normalizer(how, population, lambda values: empirical_cdf(values, population))
    try:
        if how == "minmax":
            scale = core.minmax_scale(population)
        elif how == "relative":
            scale = core.relative_scale(population, row)
        else:
            scale = core.ceiling_scale(population, objectives.signs < 0)
    except core.DegenerateColumnError as error:
        raise ValueError(f"objective {objectives.names[error.column]!r} {error.reason}.") from error
    return Normalizer(how, population, scale.apply)


def _reference_row(matrix: ObjectiveMatrix, label: Hashable) -> np.ndarray:
    found = rows_named(matrix.index, label)
    if len(found) != 1:
        raise ValueError(f"{not_one_row(label, len(found))}{checks.nearest(label, matrix.index)}")
    row: np.ndarray = matrix.values[found[0]]
    return row


def rows_named(index: pd.Index, label: Hashable) -> np.ndarray:
    """Positions of a label in an index."""
    if isinstance(label, tuple):
        return np.array([i for i, known in enumerate(index) if known == label], dtype=int)
    return np.flatnonzero(index == label)


def not_one_row(label: Hashable, count: int) -> str:
    """Say that a reference row is missing or ambiguous."""
    problem = "is not in the index" if count == 0 else f"stands for {count} rows"
    return f"`reference` is {label!r}, which {problem}; name one row, or pass a Reference."
