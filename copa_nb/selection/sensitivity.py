"""Where in the space of weights each row is chosen, and how far the weights can move before the choice changes."""

from __future__ import annotations

__all__ = ["Sensitivity"]

from collections.abc import Hashable
from dataclasses import dataclass, field, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.pareto.front import front_of_candidates
from copa_nb.ranking.arrays.criterion import winners, winners_along
from copa_nb.ranking.arrays.ranks import RankShares
from copa_nb.ranking.criterion import Criterion, write_p
from copa_nb.ranking.populations import Reference
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.selection.arrays import weight_regions as arrays
from copa_nb.selection.stability import resample_population
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, row_in_words

# Triangles along an edge of the weight triangle: shares are then good to about a percent.
_RESAMPLES_OF_A_REPORT, _LARGE = 200, 100_000  # of a table; rows of one that is not resampled
_GRID_RESOLUTION = 100


class Chosen(Protocol):
    """What is asked of a choice: what it was made from and by which criterion; a ``Selection`` has it."""

    @property
    def best(self) -> Hashable:
        """Name of the row."""

    @property
    def weights(self) -> dict[Hashable, float]:
        """Of the objectives."""

    @property
    def p(self) -> float:
        """Order of the norm."""

    @property
    def normalize(self) -> str:
        """Normalization."""

    @property
    def reference(self) -> Any:
        """Frozen population, or row of comparison."""

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""

    @property
    def matrix(self) -> ObjectiveMatrix:
        """The costs that it was made on."""

    @property
    def inputs(self) -> Any:
        """The table and the question."""

    @property
    def candidates(self) -> np.ndarray:
        """Rows that may be chosen."""

    @property
    def normalized_costs(self) -> np.ndarray | RankShares:
        """Normalized values of all rows."""

    @property
    def position(self) -> int:
        """Row of the choice."""

    def rank_sums(self, rows: np.ndarray | None = None) -> np.ndarray:
        """Sums of the ranks of all rows, or of some."""

    def on_scale(self, normalize: str, reference: Any) -> np.ndarray:
        """Normalized values of all rows, by another normalization."""

    def counts(self) -> tuple[int, int]:
        """Rows that may be chosen, and rows of the population."""


@dataclass(frozen=True, repr=False, eq=False)
class Sensitivity(Worded):
    """In which regions of weights each row is chosen, and how far the weights can move before the choice changes.

    Parameters
    ----------
    selection : Chosen
        The choice in question.
    intervals : DataFrame
        Per objective, the range of its weight over which the choice stays the same while the other weights
        keep their proportions: ``weight``, ``low``, ``high`` (exact), and which rows are chosen beyond
        (``below``, ``above``).
    factor : float
        Every ratio of two weights may change by up to this factor before another row draws level. Infinite if no
        weights can change the choice.
    rival : label or None
        The row that draws level then.
    rival_weights : dict of objective to float
        Weights, as near as possible, at which it does.
    regions : DataFrame
        Every row that is chosen somewhere, by share of all weight vectors (its first-rank acceptability index):
        ``share``; with two objectives exact, with ``low`` and ``high``, the range of the first objective's weight.
    weights : ndarray of float64, shape (m, k)
        Weight vectors that were tried (empty with two objectives, where the ranges are exact).
    chosen : ndarray of int64, shape (m,)
        Row of `regions` that is chosen under each of them.
    best_row : int or None
        Row of `regions` that holds the choice in question; None if no weights that were tried lead to it.
    region_rows : ndarray of int64
        Which of the Pareto-optimal candidates, in the order of the table, each row of `regions` is.
    paths : DataFrame
        What is selected as one weight goes from 0 to 1 while the others keep their proportions: per ``objective`` and
        ``selected`` row, from ``low`` to ``high`` (exact), with its ``place`` on the front, from 1, where the objective
        is worst, to the number of rows there.
    n_front : int
        How many rows are on the front of those that may be chosen.
    """

    paper = "javaloy2025copa"

    _internals = frozenset(("best_row", "chosen", "n_front", "of", "region_rows"))

    selection: Chosen
    intervals: pd.DataFrame
    factor: float
    rival: Hashable | None
    rival_weights: dict[Hashable, float]
    regions: pd.DataFrame
    weights: np.ndarray = field(repr=False)
    chosen: np.ndarray = field(repr=False)
    best_row: int | None = None
    region_rows: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    paths: pd.DataFrame = field(default_factory=pd.DataFrame, repr=False)
    n_front: int = 0

    @classmethod
    def of(
        cls, selection: Chosen, *, n_weights: int = 10_000, rng: int | np.random.Generator | None = 0
    ) -> Sensitivity:
        """Measure how a given choice depends on the weights; see :meth:`copa_nb.results.Selection.sensitivity`.

        Raises
        ------
        ValueError
            For normalized values below zero, or fewer than one weight vector.
        """
        n_weights, generator = checks.integer("n_weights", n_weights), checks.generator(rng)
        problem = _Problem.of(selection)
        factor, rival, moved = arrays.importance_factor(problem.normalized, problem.weights, selection.p, problem.best)
        tried, chosen, regions, region_rows = _regions(problem, n_weights, generator)
        names = list(selection.weights)
        ranges = [problem.along(k) for k in range(len(names))]
        return cls(
            selection=selection,
            intervals=_intervals(problem, names, ranges),
            factor=factor,
            rival=None if rival is None else problem.labels[rival],
            rival_weights=dict(zip(selection.weights, moved.tolist(), strict=True)),
            regions=regions,
            weights=tried,
            chosen=chosen,
            best_row=next((i for i, row in enumerate(region_rows.tolist()) if row == problem.best), None),
            region_rows=region_rows,
            paths=_paths(problem, names, ranges),
            n_front=len(problem.labels),
        )

    @property
    def table(self) -> pd.DataFrame:
        """Return :attr:`intervals`."""
        return self.intervals

    @property
    def best_share(self) -> float:
        """Share of all weight vectors that lead to the choice in question."""
        return 0.0 if self.best_row is None else float(self.regions["share"].iloc[self.best_row])

    def parts(self) -> list[Part]:
        """Which share of all weights choose the row, and how far its weights can change before the choice does."""
        frame = self.selection.inputs.frame
        best = row_in_words(frame, self.selection.best)
        rival = None if self.rival is None else row_in_words(frame, self.rival)
        share = {"best": best, "share": self.best_share}
        headline = part(f"sensitivity.headline.{'any' if rival is None else 'share'}", **share)
        return [headline, against_other_weights(self.factor, rival)]

    def acceptability(
        self, *, n_resamples: int = 500, rng: int | np.random.Generator | None = 0, most: int = 10
    ) -> pd.DataFrame:
        """Describe the rows chosen somewhere in the terms of stochastic multicriteria acceptability analysis [1]_.

        Parameters
        ----------
        n_resamples : int
            Resamples of the population for the confidence factors.
        rng : int, Generator or None
            Seed of the resamples.
        most : int
            How many rows, those of the largest regions first.

        Returns
        -------
        DataFrame
            ``acceptability``: first-rank acceptability index, the share of all weight vectors that lead to the row.
            ``central_<objective>``: central weights, the mean of these vectors. ``confidence``: confidence factor, how
            often the row is chosen under its central weights when the population is resampled (1 or 0 where ranks are
            over a frozen population, which has no rows to resample).

        Raises
        ------
        ValueError
            For a table that was read in pieces (Dask): the population is resampled in memory.

        References
        ----------
        .. [1] R. Lahdelma and P. Salminen, "SMAA-2: Stochastic multicriteria acceptability analysis for group decision
           making", Operations Research 49(3), 2001. https://doi.org/10.1287/opre.49.3.444.11220

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.6], "co2_kg": [9, 3, 1]}, index=list("abc"))
        >>> result = models.moo(accuracy="max", co2_kg="min").copa().sensitivity().acceptability(n_resamples=100)
        >>> result[["acceptability", "central_accuracy"]].round(3).loc["b"].tolist()
        [0.333, 0.5]
        """
        count, seed = checks.integer("n_resamples", n_resamples), checks.seed(rng)
        rows, shares, central = self._central_weights()
        selection = self.selection
        if selection.counts()[1] > len(selection.matrix.values):
            raise ValueError(
                "`acceptability` resamples the population, which is not in memory; use a sample of the rows."
            )
        matrix = replace(selection.matrix, candidates=selection.candidates)
        front, confidence = front_of_candidates(matrix), []
        for row, weights in zip(rows[:most], central[:most], strict=True):
            criterion = Criterion(weights, selection.p, selection.normalize, selection.reference)
            if isinstance(selection.reference, Reference):
                placed, sums = selection.normalized_costs[front], selection.rank_sums(front)
                confidence.append(float(winners(placed, weights, selection.p, sums)[0] == row))
                continue
            _, chosen, _ = resample_population(matrix, criterion, count, np.random.default_rng(seed))
            confidence.append(float((chosen == row).mean()))
        columns = {"acceptability": shares[:most]}
        columns |= {f"central_{name}": central[:most, k] for k, name in enumerate(selection.weights)}
        labels = matrix.index[front[rows[:most]]]
        return pd.DataFrame({**columns, "confidence": confidence}, index=labels)

    def _central_weights(self) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Rows of the front that are chosen somewhere, largest region first: their shares and mean weights."""
        if len(self.weights):
            each, winning = self.weights, self.region_rows[self.chosen]
            sizes = np.full(len(each), 1.0 / len(each))
        else:
            low, high = (self.regions[end].to_numpy() for end in ("low", "high"))
            middle = (low + high) / 2
            each, winning, sizes = np.column_stack([middle, 1.0 - middle]), self.region_rows, high - low
        rows, places = np.unique(winning, return_inverse=True)
        shares = np.bincount(places, sizes)
        central = np.stack([np.bincount(places, sizes * column) for column in each.T], axis=1) / shares[:, None]
        order = np.argsort(-shares, kind="stable")
        return rows[order], shares[order], central[order]

    plot = Offered()

    def printed_tables(self) -> list[PrintedTable]:
        """How far each weight can move, and which weights lead to which row."""
        is_large = len(self.selection.candidates) > _LARGE
        accepted = self.acceptability(n_resamples=1 if is_large else _RESAMPLES_OF_A_REPORT)
        if is_large:
            accepted = accepted.drop(columns="confidence")
        central = {f"central_{name}": f"mean weight of {text.spoken(name)}" for name in self.selection.objectives}
        return [
            PrintedTable(
                frame=self.table.rename(index=text.spoken),
                name="sensitivity",
                caption="How far each weight can move before another row is chosen.",
            ),
            PrintedTable(
                frame=accepted,
                name="acceptability",
                caption="Share of all weights that lead to each row (first-rank acceptability), the mean of these "
                "weights (central weights), and how often they choose the row in resamples (confidence factor; up to "
                "100,000 rows).",
                headers={name: title for name, title in central.items() if name in accepted},
            ),
        ]

    def __repr__(self) -> str:
        regions = f"{len(self.regions)} rows chosen somewhere"
        return f"<Sensitivity of {self.selection.best!r}: factor {self.factor:.3g}, {regions}>"

    def _card(self) -> str:
        ranges = text.html_table(
            self.intervals,
            caption=f"Range of each weight over which {self.selection.best} is chosen, the others in proportion; "
            f"p = {write_p(self.selection.p)}.",
        )
        regions = text.html_table(self.regions, caption="Share of all weight vectors that select each row.", most=8)
        return text.card("How much do the weights matter?", [self.explain()], ranges, regions)


def against_other_weights(factor: float, rival: str | None) -> Part:
    """How far the ratios of weights can change before another row draws level."""
    if rival is None:
        return part("choice.certainty.weights_any")
    if text.number(factor, 3) == "1":
        return part("choice.certainty.weights_level", rival=rival)
    return part("choice.certainty.weights", rival=rival, factor=factor)


def point_of_change(selection: Chosen) -> tuple[float, Hashable | None] | None:
    """Find how far the ratios of weights can change before another row draws level, and which row; None if unknown.

    The same as ``factor`` and ``rival`` of a sensitivity, without the regions of weights.
    """
    if (selection.normalized_costs[:] < 0).any():
        return None
    problem = _Problem.of(selection)
    factor, rival, _ = arrays.importance_factor(problem.normalized, problem.weights, selection.p, problem.best)
    return factor, None if rival is None else problem.labels[rival]


@dataclass(frozen=True)
class _Problem:
    """The Pareto-optimal candidates of a choice; no other row can be chosen under any weights."""

    normalized: np.ndarray
    rank_sums: np.ndarray
    p: float
    labels: pd.Index
    weights: np.ndarray
    best: int

    @classmethod
    def of(cls, selection: Chosen) -> _Problem:
        matrix = selection.matrix
        if len(matrix.objectives) < 2:
            raise ValueError("with one objective there are no weights to vary; define at least two objectives.")
        front = front_of_candidates(replace(matrix, candidates=selection.candidates))
        normalized = selection.normalized_costs[front]
        if (normalized < 0).any():
            raise ValueError(
                "some objectives are better than the reference row, so normalized values are negative, for which "
                'regions of weights are not computed; use normalize="cdf", or no reference row.'
            )
        return cls(
            normalized=normalized,
            rank_sums=selection.rank_sums(front),
            p=selection.p,
            labels=matrix.index[front],
            weights=np.array(list(selection.weights.values())),
            best=int(np.flatnonzero(front == selection.position)[0]),
        )

    def along(self, swept: int) -> list[arrays.Interval]:
        """Ranges of one weight, the others in proportion (evenly, if they are all zero)."""
        rest = self.weights.copy()
        rest[swept] = 0.0
        if rest.sum() == 0:
            rest = np.ones(len(rest))
            rest[swept] = 0.0
        return arrays.alpha_intervals(self.normalized, rest / rest.sum(), swept, self.p, self.rank_sums)


def _intervals(problem: _Problem, names: list[Hashable], along: list[list[arrays.Interval]]) -> pd.DataFrame:
    rows = []
    for weight, ranges in zip(problem.weights, along, strict=True):
        around = [i for i, one in enumerate(ranges) if one.low - 1e-12 <= weight <= one.high + 1e-12]
        # Where two ranges meet, the choice made is what counts.
        here = next((i for i in around if ranges[i].winner == problem.best), around[0])
        rows.append(
            {
                "weight": weight,
                "low": ranges[here].low,
                "high": ranges[here].high,
                "below": problem.labels[ranges[here - 1].winner] if here > 0 else None,
                "above": problem.labels[ranges[here + 1].winner] if here + 1 < len(ranges) else None,
            }
        )
    return pd.DataFrame(rows, index=pd.Index(names, name="objective", tupleize_cols=False))


def _paths(problem: _Problem, names: list[Hashable], along: list[list[arrays.Interval]]) -> pd.DataFrame:
    rows = []
    for name, values, ranges in zip(names, problem.normalized.T, along, strict=True):
        # Places are counted from the worst value, as steps of a growing weight take them.
        worse = len(values) - np.searchsorted(np.sort(values), values, side="right")
        rows += [(name, problem.labels[one.winner], one.low, one.high, worse[one.winner] + 1) for one in ranges]
    return pd.DataFrame(rows, columns=["objective", "selected", "low", "high", "place"])


def _regions(
    problem: _Problem, n_weights: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame, np.ndarray]:
    count = len(problem.weights)
    if count == 2:
        ranges = sorted(problem.along(0), key=lambda one: one.low - one.high)
        rows = np.array([one.winner for one in ranges])
        values = pd.DataFrame(
            [(one.high - one.low, one.low, one.high) for one in ranges], columns=["share", "low", "high"]
        )
        weights, chosen = np.empty((0, 2)), np.empty(0, dtype=np.int64)
    else:
        weights = arrays.simplex_grid(_GRID_RESOLUTION) if count == 3 else rng.dirichlet(np.ones(count), size=n_weights)
        winning = winners_along(problem.normalized, weights, problem.p, problem.rank_sums)
        times = np.bincount(winning, minlength=len(problem.labels))
        rows = np.argsort(-times, kind="stable")[: int((times > 0).sum())]
        values = pd.DataFrame({"share": times[rows] / len(weights)})
        places = np.empty(len(problem.labels), dtype=np.int64)
        places[rows] = np.arange(len(rows))
        chosen = places[winning]
    return weights, chosen, values.set_axis(problem.labels[rows]), rows
