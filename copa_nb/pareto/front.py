"""Pareto fronts of a table."""

from __future__ import annotations

__all__ = ["front", "is_front", "layers"]

from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.columns import positions_by_group
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame, pandas_of, read_frame, take_rows
from copa_nb.objectives import ObjectiveMatrix, ObjectivesLike, to_minimization, warn_of_runs
from copa_nb.pareto.arrays import dominance

KEEP = ("all", "first")


@shared_parameters
def front(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    keep: str = "all",
    by: Any = None,
    nan_policy: str = "raise",
) -> pd.DataFrame:
    """Return the Pareto-optimal rows, as they were.

    A row is Pareto-optimal if no other row is at least as good in every objective and better in one.

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    keep : {"all", "first"}
        Whether rows with equal objectives stay together on the front, or only the first does.
    %(by)s
    %(nan_policy)s

    Returns
    -------
    DataFrame
        Rows of `frame` in their order, with index, columns and dtypes kept.

    Raises
    ------
    %(gate_errors)s

    See Also
    --------
    is_front : the same as a mask.
    layers : successive fronts.
    copa_nb.copa : select one row of the front.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> copa_nb.front(models, objectives={"accuracy": "max", "co2_kg": "min"})
       accuracy  co2_kg
    a       0.9       3
    b       0.8       1
    """
    table = read_frame(frame) or frame  # once: a query need not give its rows in the same order again
    mask = _front_mask(table, objectives, keep, by, nan_policy)
    if by is None:
        warn_of_runs(pandas_of(table))
    return take_rows(table, mask)


@any_frame
@shared_parameters
def is_front(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    keep: str = "all",
    by: Any = None,
    nan_policy: str = "raise",
) -> pd.Series:
    """Mark the Pareto-optimal rows.

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    keep : {"all", "first"}
        See :func:`front`.
    %(by)s
    %(nan_policy)s

    Returns
    -------
    Series of bool
        On the index of `frame`, named "is_front". Rows left out by ``nan_policy="omit"`` are False.

    Raises
    ------
    %(gate_errors)s

    See Also
    --------
    front : the rows themselves.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> models.moo(accuracy="max", co2_kg="min").is_front().tolist()
    [True, True, False]
    """
    mask = _front_mask(frame, objectives, keep, by, nan_policy)
    return pd.Series(mask, index=frame.index, name="is_front")


@any_frame
@shared_parameters
def layers(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> pd.Series:
    """Number the successive fronts (non-dominated sorting).

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    %(by)s
    %(nan_policy)s

    Returns
    -------
    Series of int64
        1 for the front, 2 for the front of the remaining rows, and so on; on the index of `frame`, named "layer".
        With rows left out by ``nan_policy="omit"`` the dtype is Int64 and those are <NA>.

    Raises
    ------
    %(gate_errors)s

    See Also
    --------
    front : the first layer, as rows.

    References
    ----------
    .. [1] K. Deb, A. Pratap, S. Agarwal and T. Meyarivan, "A Fast and Elitist Multiobjective Genetic Algorithm:
       NSGA-II", IEEE Transactions on Evolutionary Computation 6 (2002), https://doi.org/10.1109/4235.996017.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> copa_nb.layers(models, objectives={"accuracy": "max", "co2_kg": "min"}).tolist()
    [1, 1, 2]
    """
    matrix = to_minimization(frame, objectives, nan_policy=nan_policy)
    numbers = np.zeros(len(frame), dtype=np.int64)
    for rows in _groups(frame, by, matrix.positions):
        numbers[matrix.positions[rows]] = dominance.layers(matrix.values[rows])
    series = pd.Series(numbers, index=frame.index, name="layer")
    return series.astype("Int64").mask(series == 0) if matrix.n_omitted else series


def matrix_with_front(frame: pd.DataFrame, objectives: ObjectivesLike) -> tuple[ObjectiveMatrix, np.ndarray]:
    """Return the costs of a table and the positions of its front, for pictures of the whole table."""
    matrix = to_minimization(frame, objectives)
    return matrix, front_of_candidates(matrix)


def front_of_candidates(matrix: ObjectiveMatrix, keep: str = "all") -> np.ndarray:
    """Rows of a matrix that may be chosen and that no other of these dominates."""
    allowed = matrix.allowed()
    return allowed[dominance.nondominated(matrix.values[allowed], keep=keep)]


@any_frame
def _front_mask(frame: pd.DataFrame, objectives: ObjectivesLike, keep: str, by: Any, nan_policy: str) -> np.ndarray:
    checks.one_of("keep", keep, KEEP)
    matrix = to_minimization(frame, objectives, nan_policy=nan_policy)
    if by is None and not matrix.n_omitted:
        return dominance.nondominated(matrix.values, keep=keep)
    mask = np.zeros(len(frame), dtype=bool)
    for rows in _groups(frame, by, matrix.positions):
        mask[matrix.positions[rows]] = dominance.nondominated(matrix.values[rows], keep=keep)
    return mask


def _groups(frame: pd.DataFrame, by: Any, positions: np.ndarray) -> list[Any]:
    """Rows of the matrix that belong together: all of them, or those of each group."""
    if by is None:
        return [slice(None)]
    return list(positions_by_group(frame.iloc[positions], by).values())
