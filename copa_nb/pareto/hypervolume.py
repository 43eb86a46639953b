"""Indicators of a front's quality: the hypervolume."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, resolve_objectives, to_minimisation
from copa_nb.pareto.arrays import dominance
from copa_nb.pareto.arrays import hypervolume as core
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.results import Grouped, by_group


@dataclass(frozen=True, repr=False)
class Hypervolume:
    """Hypervolume of a table's front, with all that is needed to compare it.

    Parameters
    ----------
    value : float
        Volume between the front and the reference point, in the product of the objectives' units.
    reference : dict of objective to value
        The reference point, in the objectives' own units.
    exact : bool
        False if the value was approximated because the exact one would cost too much.
    method : str
        Algorithm.
    n_front : int
        Rows on the front.
    n_beyond : int
        Rows that are not better than the reference point in every objective and so add nothing.
    objectives : Objectives
        Names and directions.
    """

    value: float
    reference: dict[Hashable, float]
    exact: bool
    method: str
    n_front: int
    n_beyond: int
    objectives: Objectives

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        how = "" if self.exact else f", {self.method}"
        point = ", ".join(f"{name}={text.number(value)}" for name, value in self.reference.items())
        return f"<Hypervolume {text.number(self.value, 6)}, reference point ({point}){how}>"

    def _repr_html_(self) -> str:
        return text.card("Hypervolume", [], text.html_table(self.table.T.astype(object), caption=self._caption()))

    @property
    def table(self) -> pd.DataFrame:
        """One row: the value, the reference point per objective, and how it was computed."""
        point = {f"reference {label}": self.reference[name]
                 for name, label in zip(self.objectives, self.objectives.labels, strict=True)}  # fmt: skip
        row = {"hypervolume": self.value, **point, "exact": self.exact, "method": self.method,
               "rows on the front": self.n_front, "rows beyond the reference point": self.n_beyond}  # fmt: skip
        return pd.DataFrame([row])

    def _caption(self) -> str:
        return "Values are comparable only under the same reference point."


def hypervolume(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    by: Any = None,
    nan_policy: str = "raise",
    rng: int = 0,
) -> Hypervolume | Grouped[Hypervolume]:
    """Measure the volume that the front of a table dominates.

    Parameters
    ----------
    frame : DataFrame
        One row per model.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    reference : "worst", mapping of objective to value, or Reference
        The reference point, in the objectives' own units. "worst" takes the worst observed value of
        each, moved outwards by `margin` of the range; use a fixed point to compare tables.
    margin : float
        See `reference`.
    by : label or list of labels, optional
        One value per group; "worst" is then taken over the whole table, so that groups compare.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.
    rng : int
        Seed of the approximation, where one is needed.

    Returns
    -------
    Hypervolume, or a mapping of group to Hypervolume
        ``float(result)`` is the value.

    Raises
    ------
    ValueError
        For a reference point that is incomplete or infinite.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> points = pd.DataFrame({"cost": [1.0, 2.0, 3.0], "time": [1.0, 3.0, 0.5]})
    >>> copa_nb.hypervolume(points, objectives={"cost": "min", "time": "min"}, reference={"cost": 4, "time": 4})
    <Hypervolume 9.5, reference point (cost=4, time=4)>
    """
    resolved = resolve_objectives(frame, objectives)
    if by is not None:
        whole = to_minimisation(frame, resolved, nan_policy=nan_policy)
        shared = in_own_units(whole, reference_point(whole, reference, margin=margin))
        return by_group(frame, by, lambda group: _hypervolume(group, resolved, shared, margin, nan_policy, rng))
    return _hypervolume(frame, resolved, reference, margin, nan_policy, rng)


def _hypervolume(
    frame: pd.DataFrame,
    objectives: Objectives,
    reference: ReferencePointLike,
    margin: float,
    nan_policy: str,
    rng: int,
) -> Hypervolume:
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    point = reference_point(matrix, reference, margin=margin)
    n_front = int(dominance.nondominated(matrix.values).sum())
    return measured(matrix, point, n_front, count_beyond(matrix.values, point), rng)


def count_beyond(values: np.ndarray, point: np.ndarray) -> int:
    """Count the rows that are not better than a reference point in every objective."""
    return int((~(values < point).all(axis=1)).sum())


def measured(matrix: ObjectiveMatrix, point: np.ndarray, n_front: int, n_beyond: int, rng: int) -> Hypervolume:
    """Measure rows, all of a table or only its front, against a reference point of costs."""
    inside = (matrix.values < point).all(axis=1)
    if not np.isfinite(matrix.values[inside]).all():
        raise ValueError(
            "a row is infinitely good in some objective, so the hypervolume is infinite; drop or clip that value."
        )
    result = core.hypervolume(matrix.values, point, rng=rng)
    return Hypervolume(
        result.value,
        in_own_units(matrix, point),
        result.exact,
        result.method,
        n_front,
        n_beyond,
        matrix.objectives,
    )
