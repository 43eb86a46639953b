"""Reference points of the hypervolume: the worst observed values, the user's own, or a frozen one."""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Mapping
from typing import Any, Protocol, TypeAlias

import numpy as np

from copa_nb import checks
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives


class FrozenReference(Protocol):
    """What a hypervolume needs from a frozen population: its reference point, and a check of the objectives."""

    @property
    def reference_point(self) -> Mapping[Any, float]:
        """Value of each objective in its own units."""

    def check(self, objectives: Objectives) -> None:
        """Refuse objectives that differ from the population's."""


ReferencePointLike: TypeAlias = "str | Mapping[str, float] | Mapping[Hashable, float] | FrozenReference"

# The worst value, moved outwards by a share of the range, or of the value itself.
WORST, WORST_MULTIPLE = "worst", "worst_multiple"


def reference_point(
    matrix: ObjectiveMatrix, reference: ReferencePointLike = "worst", *, reference_margin: float = 0.1
) -> np.ndarray:
    """Turn a user's reference point into costs.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        Costs of the table.
    reference : "worst", "worst_multiple", mapping of objective to value, or Reference
        The worst observed value of each objective, moved outwards by `reference_margin` of the observed range or of
        the value itself; or a value per objective in its own units; or a frozen :class:`~copa_nb.Reference`, whose
        point is used as it is.
    reference_margin : float
        Share of the range (nadir - ideal) by which "worst" is moved outwards, so that the worst rows count
        too. Where the range is zero, the share of the value itself (or 1 for a zero). "worst_multiple" takes the share
        of the value everywhere: 1.1 times the largest cost, 0.9 times the smallest accuracy.

    Returns
    -------
    ndarray of float64, shape (k,)
        Costs (smaller is better).

    Raises
    ------
    ValueError
        For an unknown word, missing or extra objectives, or values that are not finite.

    Examples
    --------
    >>> import pandas as pd
    >>> from copa_nb.tables.objectives import to_minimization
    >>> table = pd.DataFrame({"accuracy": [0.5, 1.0], "co2_kg": [1.0, 3.0]})
    >>> matrix = to_minimization(table, {"accuracy": "max", "co2_kg": "min"})
    >>> reference_point(matrix)
    array([-0.45,  3.2 ])
    >>> reference_point(matrix, "worst_multiple")
    array([-0.45,  3.3 ])
    >>> reference_point(matrix, {"accuracy": 0, "co2_kg": 10})
    array([ 0., 10.])
    """
    if isinstance(reference, str):
        checks.one_of("reference", reference, (WORST, WORST_MULTIPLE))
        return _worst(matrix, reference_margin, multiple=reference == WORST_MULTIPLE)
    if isinstance(reference, Mapping):
        return _in_costs(matrix, reference)
    point = getattr(reference, "reference_point", None)
    if point is None:
        raise TypeError(
            f'`reference` must be "worst", a mapping of objective to value, or a Reference, not '
            f"{type(reference).__name__}."
        )
    return _in_costs(matrix, point)


def in_own_units(matrix: ObjectiveMatrix, point: np.ndarray) -> dict[Hashable, float]:
    """Write a point of costs as values of the objectives in their own directions."""
    return dict(zip(matrix.objectives.names, (float(v) for v in matrix.original(point)), strict=True))


def _worst(matrix: ObjectiveMatrix, reference_margin: float, *, multiple: bool) -> np.ndarray:
    if (
        not isinstance(reference_margin, numbers.Real)
        or not np.isfinite(float(reference_margin))
        or float(reference_margin) < 0
    ):
        raise ValueError(f"`reference_margin` is {reference_margin!r}; it must be a finite number of at least 0.")
    ideal, nadir = matrix.values.min(axis=0), matrix.values.max(axis=0)
    for name, value in zip(matrix.objectives, nadir, strict=True):
        if not np.isfinite(value):
            raise ValueError(
                f'`reference`="worst" needs finite values, but objective {name!r} has an infinite worst value; '
                f"give a finite point: reference={{{name!r}: ..., ...}}."
            )
    with np.errstate(over="ignore"):
        spread = np.where(np.isfinite(ideal), nadir - ideal, 0.0)
    with np.errstate(over="ignore", invalid="ignore"):
        step = np.where((spread > 0) & (not multiple), spread, np.where(nadir != 0, np.abs(nadir), 1.0))
        point: np.ndarray = nadir + float(reference_margin) * step
    for name, value in zip(matrix.objectives, point, strict=True):
        if not np.isfinite(value):
            raise ValueError(
                f'`reference`="worst" exceeds the range of a float for objective {name!r}; rescale the column, '
                f"e.g. frame[{name!r}] / 1e300."
            )
    return point


def _in_costs(matrix: ObjectiveMatrix, reference: Mapping[Any, float]) -> np.ndarray:
    names = matrix.objectives.names
    missing = [name for name in names if name not in reference]
    extra = [name for name in reference if name not in names]
    if missing or extra:
        problem = f"lacks {checks.listed(missing)}" if missing else f"names {checks.listed(extra)}"
        raise ValueError(f"`reference` {problem}; it needs one value for each objective: {checks.listed(names)}.")
    values = np.array([reference[name] for name in names], dtype=float)
    if not np.isfinite(values).all():
        raise ValueError(f"`reference` is {dict(reference)!r}; every value must be finite.")
    point: np.ndarray = values * matrix.objectives.signs + 0.0
    return point
