"""Attainment surfaces: what fronts a system reaches in which share of its runs, and where two systems differ."""

from __future__ import annotations

__all__ = ["Attainment"]

import bisect
import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import moocore
import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.sorting import column_ranks
from copa_nb.pareto.indicators import Indicators, measure_indicators
from copa_nb.pareto.reference_points import ReferencePointLike, reference_point
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.tables.columns import Labels, as_names, read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives

LEVELS = (0.25, 0.5, 0.75)
NORMALIZATIONS = ("none", "cdf")
# Hypervolumes that differ by less than this share of themselves are equal up to rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, repr=False, eq=False)
class Attainment(Worded):
    """Empirical attainment function of each system's runs.

    Parameters
    ----------
    points : dict of system to ndarray, shape (n_points, n_objectives)
        Costs of all points of all runs.
    runs : dict of system to ndarray of int, shape (n_points,)
        Run of each point, counted from 0, in ascending order.
    matrix : ObjectiveMatrix
        The table that they come from.
    normalize : {"none", "cdf"}
        The values themselves, or their ranks among all rows of the table.
    """

    paper = "grunert2001attainment"

    points: dict[Hashable, np.ndarray]
    runs: dict[Hashable, np.ndarray]
    matrix: ObjectiveMatrix
    normalize: str
    _labels: Labels = field(repr=False, compare=False)

    def __repr__(self) -> str:
        runs = ", ".join(f"{text.label(name)}: {self.n_runs(name)} runs" for name in list(self.points)[:6])
        return f"<Attainment of {len(self.points)} systems ({runs}{', …' if len(self.points) > 6 else ''})>"

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return self.matrix.objectives

    @property
    def table(self) -> pd.DataFrame:
        """The surfaces at a quarter, a half and three quarters of the runs, one row per corner."""
        return self.surfaces()

    def n_runs(self, system: Hashable) -> int:
        """Runs of one system."""
        return int(self.runs[self._known(system)].max()) + 1

    def surfaces(self, levels: Sequence[float] = LEVELS) -> pd.DataFrame:
        """Points that at least a share of the runs attain, and that no other such point dominates.

        Parameters
        ----------
        levels : sequence of float
            Shares of the runs, above 0 and up to 1.

        Returns
        -------
        DataFrame
            Columns ``system``, ``level`` and the objectives; in ranks, 0 is best.
        """
        parts = []
        for system in self.points:
            for level in levels:
                corners = self._signed(self.surface(system, level))
                columns = [[system] * len(corners), [float(level)] * len(corners), *corners.T]
                parts.append(pd.DataFrame(dict(enumerate(columns))))
        table = pd.concat(parts, ignore_index=True)
        # Names last: of tuples pandas would make a MultiIndex, and of equal names one column.
        table.columns = pd.Index(["system", "level", *self.objectives.names], dtype=object, tupleize_cols=False)
        return table

    def surface(self, system: Hashable, level: float) -> np.ndarray:
        """Corners of one surface as costs, shape (n, n_objectives); see :meth:`surfaces`.

        Raises
        ------
        ValueError
            For an unknown system, or a level that is not a share above 0 and up to 1.
        """
        if not 0 < float(level) <= 1:
            raise ValueError(f"`levels` holds {level!r}; a level is a share of the runs, above 0 and up to 1.")
        return self._attained_by(max(1, math.ceil(float(level) * self.n_runs(system) - 1e-9)), system)

    def attained(self, system: Hashable, point: Mapping[Hashable, float]) -> float:
        """Share of a system's runs with a point that is at least as good as this one in every objective.

        Parameters
        ----------
        system : label
        point : mapping of objective to value
            In own units (in ranks with ``normalize="cdf"``).
        """
        values = np.array([float(point[name]) for name in self.objectives.names])
        costs = values * (1.0 if self.normalize == "cdf" else self.objectives.signs)
        reached = (self.points[self._known(system)] <= costs).all(axis=1)
        return len(np.unique(self.runs[system][reached])) / self.n_runs(system)

    def vorobev(
        self, system: Hashable, *, reference: ReferencePointLike = "worst", reference_margin: float = 0.1
    ) -> dict[str, Any]:
        """Vorob'ev expectation and deviation: the surface of average size, and how far runs differ from it [1]_.

        Parameters
        ----------
        system : label
        reference : "worst", mapping of objective to value, or Reference
            Reference point of the hypervolumes; in ranks always 1.
        reference_margin : float
            Share of each objective's range by which "worst" is moved outwards.

        Returns
        -------
        dict
            ``level``: Vorob'ev threshold, the largest share of the runs whose surface has at least the mean
            hypervolume. ``surface`` (DataFrame): Vorob'ev expectation, the surface at this level. ``hypervolume``: of
            this surface. ``mean_hypervolume``: mean over the runs. ``deviation``: mean hypervolume of the symmetric
            difference of a run and the surface.

        References
        ----------
        .. [1] M. Binois, D. Ginsbourger and O. Roustant, "Quantifying uncertainty on Pareto fronts with Gaussian
           process conditional simulations", European Journal of Operational Research 243(2), 2015.
        """
        points, runs, n = self.points[self._known(system)], self.runs[system], self.n_runs(system)
        bound = np.ones(points.shape[1])
        if self.normalize == "none":
            bound = reference_point(self.matrix, reference, reference_margin=reference_margin)
        volume = moocore.Hypervolume(ref=bound)
        mean = float(np.mean([volume(points[runs == run]) for run in range(n)]))
        # Surfaces shrink as more runs must attain them; that of any single run has at least the mean hypervolume.
        needed = bisect.bisect_right(
            range(1, n + 1), -mean * (1 - _ROUNDING), key=lambda count: -volume(self._attained_by(count, system))
        )
        corners = self._attained_by(needed, system)
        return {
            "level": needed / n,
            "surface": pd.DataFrame(dict(zip(self.objectives.names, self._signed(corners).T, strict=True))),
            "hypervolume": float(volume(corners)),
            "mean_hypervolume": mean,
            # Rounding can leave less than nothing where all runs are equal.
            "deviation": max(0.0, float(moocore.vorob_dev(points, runs, ref=bound, ve=corners))),
        }

    def differences(self, first: Hashable, second: Hashable) -> pd.DataFrame:
        """Where two systems differ, as rectangles: share of runs of `first` less that of `second` that attain them.

        Parameters
        ----------
        first, second : label
            Systems; two objectives only.

        Returns
        -------
        DataFrame
            Two opposite corners of each rectangle, as ``from`` and ``to`` of each objective (infinite where it is
            open), and ``difference``, which is never 0: no rows where both attain every point equally often.

        Raises
        ------
        ValueError
            With more than two objectives, or for an unknown system.
        """
        if len(self.objectives) != 2:
            raise ValueError(f"differences() is for two objectives, not {len(self.objectives)}; choose two of them.")
        counts = [self.n_runs(self._known(name)) for name in (first, second)]
        # moocore compares counts of runs: repeat every run as often as makes their numbers equal, and these are shares.
        steps = math.lcm(*counts)
        both = [self._repeated(name, steps // n) for name, n in zip((first, second), counts, strict=True)]
        # moocore fails to make a table of no rectangles, but lists the points of equal systems.
        differ = moocore.eafdiff(*both, intervals=steps)[:, -1].any()
        found = moocore.eafdiff(*both, intervals=steps, rectangles=True) if differ else np.empty((0, 5))
        found = found[found[:, 4] != 0]
        signs = np.ones(2) if self.normalize == "cdf" else self.objectives.signs
        columns = {}
        for k, name in enumerate(self.objectives.names):
            columns[f"{name} from"], columns[f"{name} to"] = found[:, k] * signs[k], found[:, k + 2] * signs[k]
        return pd.DataFrame({**columns, "difference": found[:, 4] / steps})

    plot = Offered()

    def indicators(
        self,
        which: Sequence[str] | str = ("hypervolume", "igd+", "epsilon"),
        *,
        reference: ReferencePointLike = "worst",
        reference_margin: float = 0.1,
        reference_front: pd.DataFrame | None = None,
        normalize: str = "minmax",
    ) -> Indicators:
        """Summarize the front of each run in one number: hypervolume, IGD+ [1]_, additive epsilon [2]_, R2.

        Parameters
        ----------
        which : list of {"hypervolume", "igd+", "epsilon", "r2"}
            Indicators. R2 is exact for two objectives, otherwise a mean over 1,024 weights.
        reference : "worst", mapping of objective to value, or Reference
            Reference point of the hypervolume, in the objectives' own units.
        reference_margin : float
            Share of each objective's range by which "worst" is moved outwards.
        reference_front : DataFrame, optional
            Points to measure distances to; the front of all rows if omitted.
        normalize : {"minmax", "none"}
            Scale objectives to [0, 1] by their range over all rows, so that units do not matter, or leave them as they
            are.

        Returns
        -------
        Indicators

        Raises
        ------
        ValueError
            For an unknown indicator, or with infinite values, to which no distance can be measured.

        References
        ----------
        .. [1] H. Ishibuchi, H. Masuda, Y. Tanigaki and Y. Nojima, "Modified Distance Calculation in Generational
           Distance and Inverted Generational Distance", EMO 2015.
        .. [2] E. Zitzler, L. Thiele, M. Laumanns, C. M. Fonseca and V. Grunert da Fonseca, "Performance Assessment of
           Multiobjective Optimizers: An Analysis and Review", IEEE Transactions on Evolutionary Computation 7, 2003.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({"run": [1, 1, 2, 2], "cost": [0.0, 4.0, 1.0, 4.0], "time": [4.0, 0.0, 4.0, 1.0]})
        >>> runs.moo(cost="min", time="min", repeat="run").attainment().indicators("epsilon").table["epsilon"].tolist()
        [0.0, 0.25]
        """
        return measure_indicators(
            self.matrix, self._labels, which, reference=reference, reference_margin=reference_margin,
            reference_front=reference_front, normalize=normalize,
        )  # fmt: skip

    def parts(self) -> list[Part]:
        """The largest mean hypervolume, and that of each system with how far its runs differ."""
        found = {system: self.vorobev(system) for system in self.points}
        means = {text.label(system): one["mean_hypervolume"] for system, one in found.items()}
        best = max(means, key=lambda name: means[name])
        headline = part(f"attainment.headline.{'best' if len(means) > 1 else 'one'}", name=best, value=means[best])
        return [
            headline,
            *(
                part("attainment.reasons.system", name=text.label(system), mean=one["mean_hypervolume"],
                     deviation=one["deviation"], n=self.n_runs(system))
                for system, one in found.items()
            ),
        ]  # fmt: skip

    def _attained_by(self, count: int, system: Hashable) -> np.ndarray:
        """Corners of the surface that at least this many runs attain, as costs."""
        points, runs, n = self.points[system], self.runs[system], self.n_runs(system)
        found = np.asarray(moocore.eaf(points, runs, percentiles=[100 * count / n]))
        return np.unique(found[:, :-1], axis=0)  # in one order, whatever that of the rows

    def _repeated(self, system: Hashable, times: int) -> np.ndarray:
        """Points with the number of their run, every run as often as given, under a number of its own each time."""
        points, runs, n = self.points[system], self.runs[system], self.n_runs(system)
        return np.vstack([np.column_stack([points, runs + n * copy]) for copy in range(times)])

    def _signed(self, corners: np.ndarray) -> np.ndarray:
        return corners if self.normalize == "cdf" else corners * self.objectives.signs + 0.0

    def _known(self, system: Hashable) -> Hashable:
        if system not in self.points:
            raise ValueError(
                f"`system` is {system!r}; known systems are "
                f"{checks.listed(self.points)}.{checks.nearest(system, self.points)}"
            )
        return system


def attainment(table: DescribedFrame, *, normalize: str = "none") -> Attainment:
    """Which points each system attains in which share of its runs: the empirical attainment function."""
    checks.one_of("normalize", normalize, NORMALIZATIONS)
    matrix = table.costs()
    if len(matrix.objectives) not in (2, 3):
        raise ValueError(
            f"`objectives` has {len(matrix.objectives)} entries; attainment surfaces are computed for two or three. "
            "Choose some."
        )
    costs = matrix.values
    if normalize == "cdf":
        costs = np.column_stack([column_ranks(np.ascontiguousarray(column)) for column in costs.T]) / len(costs)
    elif not np.isfinite(costs).all():
        raise ValueError('`frame` has infinite values, for which no surface can be computed; use normalize="cdf".')
    system, repeat = table.say("system"), table.named("repeat")
    repeats = table.labels("repeat", matrix.positions)
    systems = _one_system(len(repeats.codes)) if system is None else table.labels("system", matrix.positions)
    named = repeat if system is None else [*as_names(system), *as_names(repeat)]
    # moocore takes consecutive points for one run.
    rows_of = {name: rows[np.argsort(repeats.codes[rows], kind="stable")] for name, rows in systems.positions().items()}
    return Attainment(
        points={name: costs[rows] for name, rows in rows_of.items()},
        runs={name: np.unique(repeats.codes[rows], return_inverse=True)[1] for name, rows in rows_of.items()},
        matrix=matrix,
        normalize=normalize,
        _labels=read_labels(table.frame.iloc[matrix.positions], named, "repeat"),
    )


def _one_system(n_rows: int) -> Labels:
    """All rows as those of one system."""
    return Labels(np.zeros(n_rows, dtype=np.int64), pd.Index(["all rows"]))
