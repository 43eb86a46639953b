"""Frozen populations: placing new models without moving the others."""

from __future__ import annotations

__all__ = ["Reference"]

import hashlib
import json
import math
import os
import warnings
from collections.abc import Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.ranking.arrays.ranks import empirical_cdf, rank_sums
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import Objectives, ObjectivesLike, to_minimization

FORMAT = "copa_nb.reference/1"
# Beyond this many ranges of the population, how far a cost is away no longer counts.
_FAR = 1e12


@dataclass(frozen=True, repr=False, eq=False)
class Reference:
    """A population that ranks are taken over, and a reference point, both frozen.

    Ranks depend on which rows are in the table. A Reference keeps the population of one table, so that a model
    added later is placed in it without changing the rank û of any other, and hypervolumes of different tables
    share one reference point.

    Parameters
    ----------
    objectives : Objectives
        Names and directions.
    values : ndarray of float64, shape (n, k)
        The population's costs, each column sorted ascending; read-only.
    reference_point : dict of objective to float
        Reference point of the hypervolume, in the objectives' own units.
    source : dict
        Where the population comes from: at least ``sha256`` of the objective values and ``rows``.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "co2_kg": [3.0, 1.0]}, index=["a", "b"])
    >>> reference = copa_nb.Reference.fit(models, objectives={"accuracy": "max", "co2_kg": "min"})
    >>> reference
    <Reference: 2 rows × 2 objectives (accuracy ↑, co2_kg ↓)>
    >>> reference.place(pd.DataFrame({"accuracy": [0.85], "co2_kg": [0.5]}, index=["new"]))
         accuracy  co2_kg
    new       0.5     0.0
    """

    paper = "javaloy2025copa"

    objectives: Objectives
    values: np.ndarray
    reference_point: dict[Hashable, float]
    source: dict[str, Any]

    @classmethod
    @any_frame
    def fit(
        cls,
        frame: pd.DataFrame,
        *,
        objectives: ObjectivesLike = None,
        reference_point: Any = "worst",
        reference_margin: float = 0.1,
        nan_policy: str = "raise",
    ) -> Reference:
        """Freeze the population of a table.

        Parameters
        ----------
        frame : DataFrame
            One row per model.
        objectives : mapping of column to {"max", "min"}, optional
            Overrides what ``define`` has set.
        reference_point : "worst" or mapping of objective to value
            What to freeze as the hypervolume's reference point.
        reference_margin : float
            Share of the range by which "worst" is moved outwards.
        nan_policy : {"raise", "omit", "worst"}
            See :func:`copa_nb.tables.objectives.to_minimization`.

        Raises
        ------
        ValueError
            For missing values under ``nan_policy="raise"``, an empty table, or a reference point that is incomplete.
        TypeError
            If an objective is not numeric.
        """
        from copa_nb.pareto import reference_points

        matrix = to_minimization(frame, objectives, nan_policy=nan_policy)
        if reference_point == "worst" and not np.isfinite(matrix.values.max(axis=0)).all():
            # Ranks can be frozen all the same; a hypervolume will ask for a point of its own.
            point: dict[Hashable, float] = {}
        else:
            costs = reference_points.reference_point(matrix, reference_point, reference_margin=reference_margin)
            point = reference_points.in_own_units(matrix, costs)
        digest = hashlib.sha256(repr(matrix.objectives.directions).encode())
        digest.update(matrix.values.tobytes())
        source = {"sha256": digest.hexdigest(), "rows": len(matrix.values)}
        if isinstance(frame.attrs.get("source"), dict):
            source["origin"] = frame.attrs["source"]
        return cls(matrix.objectives, _frozen(np.sort(matrix.values, axis=0)), point, source)

    @any_frame
    def place(self, frame: pd.DataFrame, *, nan_policy: str = "raise") -> pd.DataFrame:
        """Give û of each row within the frozen population (0 best); see :meth:`df.moo.normalize
        <copa_nb.accessor.Moo.normalize>`.

        Raises
        ------
        ValueError
            If a column of the population is missing, or values are missing under ``nan_policy="raise"``.
        """
        matrix = to_minimization(frame, self.objectives, nan_policy=nan_policy)
        placed = np.full((len(frame), len(self.objectives)), np.nan)
        placed[matrix.positions] = empirical_cdf(matrix.values, self.values)
        return pd.DataFrame(placed, index=frame.index, columns=self.objectives.names)

    def check(self, objectives: Objectives) -> None:
        """Refuse a table with other objectives or directions.

        Raises
        ------
        ValueError
            If the names or directions differ.
        """
        if dict(objectives.directions) != dict(self.objectives.directions):
            raise ValueError(
                f"`reference` was frozen for ({', '.join(self.objectives.labels)}), but the objectives are "
                f"({', '.join(objectives.labels)}); pass the same objectives, or fit a new Reference."
            )

    def population(self, objectives: Objectives) -> np.ndarray:
        """The frozen costs with columns in the order of `objectives`.

        Raises
        ------
        ValueError
            If the names or directions differ.
        """
        self.check(objectives)
        return self.values[:, [self.objectives.position(name) for name in objectives]]

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the reference as JSON, and return the path."""
        target = Path(path)
        partial = target.with_name(target.name + ".part")
        partial.write_text(json.dumps(self.to_dict(), indent=1, ensure_ascii=False), encoding="utf-8")
        partial.replace(target)
        return target

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> Reference:
        """Read what :meth:`save` wrote.

        Raises
        ------
        ValueError
            For a file that `save` has not written.
        """
        try:
            content = json.loads(Path(path).read_text(encoding="utf-8"))
            return cls.from_dict(content)
        except (json.JSONDecodeError, KeyError, TypeError, AttributeError) as error:
            raise ValueError(f"`path` {str(path)!r} does not hold a reference written by Reference.save.") from error

    def to_dict(self) -> dict[str, Any]:
        """Plain JSON content: directions, population in the objectives' own units, reference point, source.

        Raises
        ------
        TypeError
            For objectives whose labels are not strings.
        """
        for name in self.objectives:
            if not isinstance(name, str):
                raise TypeError(f"`save` needs objectives with string labels; {name!r} is {type(name).__name__}.")
        own = self.values * self.objectives.signs
        return {
            "format": FORMAT,
            "objectives": self.objectives.to_dict(),
            "population": {name: [_to_json(v) for v in own[:, k]] for k, name in enumerate(self.objectives)},
            "reference_point": {str(name): value for name, value in self.reference_point.items()},
            "source": self.source,
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Reference:
        """Rebuild from :meth:`to_dict`.

        Raises
        ------
        KeyError
            For a mapping that `to_dict` has not made.
        """
        if content.get("format") != FORMAT:
            raise KeyError("format")
        objectives = Objectives.of(content["objectives"])
        columns = [[float(v) for v in content["population"][name]] for name in objectives]
        own = np.array(columns, dtype=float).T
        values = np.sort(own * objectives.signs + 0.0, axis=0)
        return cls(objectives, _frozen(values), dict(content["reference_point"]), dict(content["source"]))

    def __repr__(self) -> str:
        rows, count = self.values.shape
        return f"<Reference: {rows:,} rows × {count} objectives ({', '.join(self.objectives.labels)})>"

    def _repr_html_(self) -> str:
        own = pd.DataFrame(self.values * self.objectives.signs, columns=self.objectives.labels)
        summary = own.quantile([0.0, 0.25, 0.5, 0.75, 1.0], interpolation="nearest")
        summary.index = pd.Index(["smallest", "lower quartile", "median", "upper quartile", "largest"])
        caption = f"Frozen population of {len(own):,} rows, sha256 {self.source['sha256'][:12]}…"
        return text.html_table(summary, caption=caption)


def tie_keys(values: np.ndarray, table: np.ndarray, frozen: np.ndarray | None = None) -> np.ndarray:
    """Keys that break ties of the criterion: how many rows are strictly better, summed over objectives.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows that tie.
    table : ndarray of float64, shape (n, k)
        Costs of the table that better rows are counted in.
    frozen : ndarray of float64, shape (q, k), optional
        A frozen population to count them in instead. Rows that tie there, such as rows that beat all of it, are ordered
        by the sum of their costs in units of the population's ranges, then by the costs themselves: no other row of the
        table matters, and a row that dominates another still comes before it.

    Returns
    -------
    ndarray of int64, shape (m,)
        Sums, or the order that they stand for; smaller is better.

    Examples
    --------
    >>> frozen = np.array([[1.0, 1.0], [2.0, 3.0]])
    >>> tie_keys(np.array([[0.5, 0.5], [0.0, 0.5], [2.0, 0.5]]), frozen, frozen)
    array([1, 0, 2])
    """
    if frozen is None:
        return rank_sums(values, table)
    finite = np.where(np.isfinite(frozen), frozen, np.nan)
    with np.errstate(over="ignore", invalid="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a column without finite values
        ranges = np.nanmax(finite, axis=0) - np.nanmin(finite, axis=0)
        scaled = values / np.where(np.isfinite(ranges) & (ranges > 0), ranges, 1.0)
    # Clipped, so that an infinitely good and an infinitely bad cost of one row have a sum.
    distances = np.clip(scaled, -_FAR, _FAR).sum(axis=1)
    keys = (rank_sums(values, frozen), distances, *values.T)
    order = np.lexsort(keys[::-1])
    differs = np.zeros(len(order), dtype=bool)
    for key in keys:
        ordered = key[order]
        differs[1:] |= ordered[1:] != ordered[:-1]
    places = np.empty(len(order), dtype=np.int64)
    places[order] = np.cumsum(differs)
    return places


def _frozen(values: np.ndarray) -> np.ndarray:
    values.setflags(write=False)
    return values


def _to_json(value: float) -> float | str:
    return float(value) if math.isfinite(value) else repr(float(value))
