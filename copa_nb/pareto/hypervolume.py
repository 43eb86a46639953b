"""The hypervolume of a table's front."""

from __future__ import annotations

__all__ = ["Hypervolume"]

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.pareto.arrays import dominance
from copa_nb.pareto.arrays.hypervolume import hypervolume as volume
from copa_nb.pareto.arrays.hypervolume import refuse_infinite
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.results.grouping import per_group
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives


@dataclass(frozen=True, repr=False, eq=False)
class Hypervolume(Worded):
    """Hypervolume of a table's front, with everything needed to compare it.

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
    n_beyond : int
        Rows that are not better than the reference point in every objective and so add nothing.
    objectives : Objectives
        Names and directions.
    front : DataFrame
        Rows on the front: the objectives in their own units.
    """

    value: float
    reference: dict[Hashable, float]
    exact: bool
    method: str
    n_beyond: int
    objectives: Objectives
    front: pd.DataFrame = field(repr=False)

    plot = Offered()

    @property
    def n_front(self) -> int:
        """Rows on the front."""
        return len(self.front)

    def __float__(self) -> float:
        return self.value

    def __repr__(self) -> str:
        how = "" if self.exact else f", {self.method}"
        point = ", ".join(f"{name}={text.number(value)}" for name, value in self.reference.items())
        return f"<Hypervolume {text.number(self.value, 6)}, reference point ({point}){how}>"

    def parts(self) -> list[Part]:
        """The value, how it was approximated, and what it is comparable with."""
        front = part("hypervolume.headline.front", n=self.n_front, value=self.value)
        how = [] if self.exact else [part("hypervolume.details.approximate", method=self.method)]
        return [front, *how, part("hypervolume.details.comparable")]

    def _card(self) -> str:
        shown = self.table.rename(columns=self.objectives.reference_titles).T.astype(object)
        return text.card("Hypervolume", [self.explain()], text.html_table(shown))

    @property
    def table(self) -> pd.DataFrame:
        """One row: the value, the reference point per objective, and how it was computed."""
        point = {f"reference {label}": self.reference[name]
                 for name, label in zip(self.objectives, self.objectives.labels, strict=True)}  # fmt: skip
        row = {"hypervolume": self.value, **point, "exact": self.exact, "method": self.method,
               "rows on the front": self.n_front, "rows beyond the reference point": self.n_beyond}  # fmt: skip
        return pd.DataFrame([row])


def _for_all_groups(table: DescribedFrame, options: dict[str, Any]) -> tuple[DescribedFrame, dict[str, Any]]:
    """One reference point for all groups."""
    matrix = table.costs()
    given = {name: options.pop(name) for name in ("reference", "reference_margin") if name in options}
    point = reference_point(matrix, **given)
    return table.saying(matrix.objectives), options | {"reference": in_own_units(matrix, point)}


@per_group(_for_all_groups)
def hypervolume(
    table: DescribedFrame, *, reference: ReferencePointLike = "worst", reference_margin: float = 0.1
) -> Hypervolume:
    """Measure the volume that the front of a table dominates."""
    matrix = table.costs()
    point = reference_point(matrix, reference, reference_margin=reference_margin)
    front = np.flatnonzero(dominance.nondominated(matrix.values))
    return measured(matrix, point, front, count_beyond(matrix.values, point), rng=0)


def count_beyond(values: np.ndarray, point: np.ndarray) -> int:
    """Count the rows that are not better than a reference point in every objective."""
    return int((~(values < point).all(axis=1)).sum())


def measured(
    matrix: ObjectiveMatrix,
    point: np.ndarray,
    front: np.ndarray,
    n_beyond: int,
    rng: int | np.random.Generator | None,
) -> Hypervolume:
    """Measure rows, of which `front` are on the front, against a reference point of costs."""
    refuse_infinite(matrix.values, point)
    result = volume(matrix.values, point, rng=rng)
    return Hypervolume(
        result.value,
        in_own_units(matrix, point),
        result.exact,
        result.method,
        n_beyond,
        matrix.objectives,
        pd.DataFrame(
            matrix.original()[front],
            index=matrix.index[front],
            columns=pd.Index(matrix.objectives.names, tupleize_cols=False),
        ),
    )
