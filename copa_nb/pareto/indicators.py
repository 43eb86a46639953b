"""Quality indicators of fronts, one row per run."""

from __future__ import annotations

__all__ = ["Indicators"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.pareto.arrays import indicators as arrays
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.hypervolume import hypervolume
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part, say
from copa_nb.tables.columns import Labels
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, to_minimization

INDICATORS = ("hypervolume", *arrays.INDICATORS)
_BETTER = {"hypervolume": "max", **dict.fromkeys(arrays.INDICATORS, "min")}


@dataclass(frozen=True, repr=False, eq=False)
class Indicators(Worded):
    """Indicators of each run, with what they were measured against.

    Parameters
    ----------
    table : DataFrame
        One row per run, one column per indicator, with directions defined: ``result.table.moo.copa()`` works.
    reference : dict of objective to value
        Reference point of the hypervolume, in own units.
    reference_front : DataFrame
        Points that the other indicators measure the distance to.
    normalize : {"minmax", "none"}
        Whether objectives are scaled to [0, 1] by their range over all rows.
    objectives : Objectives
        Names and directions.
    """

    table: pd.DataFrame
    reference: dict[Hashable, float]
    reference_front: pd.DataFrame
    normalize: str
    objectives: Objectives

    def __repr__(self) -> str:
        return f"<Indicators {', '.join(map(str, self.table.columns))} of {len(self.table)} runs>"

    @drawn
    def plot(self, ax: Any = None, *, which: str | None = None) -> Any:
        """Draw one indicator of each run.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.
        which : str, optional
            One of the columns of the table; the first if omitted.

        Returns
        -------
        matplotlib Axes

        Raises
        ------
        ValueError
            For an indicator that was not computed.
        """
        from copa_nb.plotting.rows import draw_rows

        name = self.table.columns[0] if which is None else which
        checks.one_of("which", name, tuple(self.table.columns))
        better = "larger" if name == "hypervolume" else "smaller"
        return draw_rows(self.table[name], f"{name} ({better} is better)", ax=ax)

    def parts(self) -> list[Part]:
        """The range of the first indicator, and what the indicators were measured against."""
        point = ", ".join(f"{text.spoken(name)} = {text.number(value, 3)}" for name, value in self.reference.items())
        scale = "scaled" if self.normalize == "minmax" else "own_units"
        found = {"point": point, "n": len(self.reference_front)}
        return [self.part_of(self.table.columns[0]), part(f"indicators.details.{scale}", **found)]

    def part_of(self, name: str) -> Part:
        """The range of an indicator over the runs."""
        values = self.table[name]
        found = {"low": float(values.min()), "high": float(values.max()), "n": len(values)}
        return part("indicators.headline.range", name=name, **found)


def measure_indicators(
    matrix: ObjectiveMatrix,
    runs: Labels,
    which: Sequence[str] | str,
    *,
    reference: ReferencePointLike,
    reference_margin: float,
    reference_front: pd.DataFrame | None,
    normalize: str,
) -> Indicators:
    """Measure the front of each run; see :meth:`copa_nb.results.Attainment.indicators`."""
    chosen = [which] if isinstance(which, str) else list(which)
    for name in chosen:
        checks.one_of("which", name, INDICATORS)
    checks.one_of("normalize", normalize, ("minmax", "none"))
    if not np.isfinite(matrix.values).all():
        raise ValueError("the table has infinite values, to which no distance can be measured; leave these rows out.")
    bound = reference_point(matrix, reference, reference_margin=reference_margin)
    ideal, spread = matrix.values.min(axis=0), np.ptp(matrix.values, axis=0)
    if normalize == "none":
        ideal, spread = np.zeros_like(ideal), np.ones_like(spread)
    spread = np.where(spread > 0, spread, 1.0)
    names = pd.Index(matrix.objectives.names, tupleize_cols=False)
    if reference_front is None:
        rows = np.flatnonzero(nondominated(matrix.values, keep="first"))
        target, index = matrix.values[rows], matrix.index[rows]
    else:
        target, index = to_minimization(reference_front, matrix.objectives).values, reference_front.index
    compared = pd.DataFrame(target * matrix.objectives.signs + 0.0, index=index, columns=names)
    costs, front, corner = (matrix.values - ideal) / spread, (target - ideal) / spread, (bound - ideal) / spread
    values = {
        name: [
            hypervolume(costs[rows], corner).value if name == "hypervolume" else arrays.value(costs[rows], front, name)
            for rows in runs.positions().values()
        ]
        for name in chosen
    }
    table = pd.DataFrame(values, index=runs.index)
    table.attrs["moo"] = {"objectives": {name: _BETTER[name] for name in chosen}}
    return Indicators(table, in_own_units(matrix, bound), compared, normalize, matrix.objectives)


@describes(Indicators.plot)
def _in_words(result: Indicators, *, which: str | None = None) -> Picture:
    name = which or str(result.table.columns[0])
    values = result.table[name]
    return Picture(
        finding=say(result.part_of(name)),
        caption=f"The indicator {name} of each run.",
        alt=f"Horizontal lines with the indicator {name} of each of {len(values):,} runs.",
        data=result.table,
    )
