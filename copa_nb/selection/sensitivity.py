"""How much the choice depends on the weights: regions of weights, and the margin before the choice changes."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import Where
from copa_nb.docstrings import shared_parameters
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results import Grouped, PlotMethod, Result
from copa_nb.selection.arrays import weight_regions as arrays
from copa_nb.selection.arrays.criterion import winners_along
from copa_nb.selection.copa import Selection, copa
from copa_nb.selection.criterion import WeightsLike, write_p
from copa_nb.selection.normalize import ReferenceLike

# Triangles along an edge of the weight triangle: shares are then good to about a percent.
_GRID_RESOLUTION = 100


@dataclass(frozen=True, repr=False, eq=False)
class Sensitivity(Result):
    """In which regions of weights each row is chosen, and how far the weights can move before the choice changes.

    Parameters
    ----------
    selection : Selection
        The choice in question.
    intervals : DataFrame
        Per objective, the range of its weight over which the choice stays the same while the other weights
        keep their proportions: ``weight``, ``low``, ``high`` (exact), and which rows are chosen beyond
        (``below``, ``above``).
    factor : float
        The importance of any objective relative to any other may be wrong by up to this factor before another row does
        as well. Infinite if no importance can change the choice.
    rival : label or None
        The row that does as well then.
    rival_weights : dict of objective to float
        Weights, as near as possible, at which it does.
    regions : DataFrame
        Every row that is chosen somewhere, by share of all weight vectors: ``share``; with two objectives
        exact, with ``low`` and ``high``, the range of the first objective's weight.
    weights : ndarray of float64, shape (m, k)
        Weight vectors that were tried (empty with two objectives, where the ranges are exact).
    chosen : ndarray of int64, shape (m,)
        Row of `regions` that is chosen under each of them.
    best_row : int or None
        Row of `regions` that holds the choice in question; None if no weights that were tried lead to it.
    """

    selection: Selection
    intervals: pd.DataFrame
    factor: float
    rival: Hashable | None
    rival_weights: dict[Hashable, float]
    regions: pd.DataFrame
    weights: np.ndarray = field(repr=False)
    chosen: np.ndarray = field(repr=False)
    best_row: int | None = None

    @classmethod
    def of(
        cls, selection: Selection, *, n_weights: int = 10_000, rng: int | np.random.Generator | None = 0
    ) -> Sensitivity:
        """See how a choice that was made depends on the weights; see :func:`copa_nb.sensitivity`."""
        n_weights, generator = checks.integer("n_weights", n_weights), checks.generator(rng)
        problem = _Problem.of(selection)
        factor, rival, moved = arrays.importance_factor(problem.normalized, problem.weights, selection.p, problem.best)
        tried, chosen, regions, best_row = _regions(problem, n_weights, generator)
        return cls(
            selection=selection,
            intervals=_intervals(problem, list(selection.weights)),
            factor=factor,
            rival=None if rival is None else problem.labels[rival],
            rival_weights=dict(zip(selection.weights, moved.tolist(), strict=True)),
            regions=regions,
            weights=tried,
            chosen=chosen,
            best_row=best_row,
        )

    @property
    def table(self) -> pd.DataFrame:
        """Return :attr:`intervals`."""
        return self.intervals

    @property
    def best_share(self) -> float:
        """Share of all weight vectors that lead to the choice in question."""
        return 0.0 if self.best_row is None else float(self.regions["share"].iloc[self.best_row])

    def explain(self) -> str:
        """Say in words how far the weights can move before the choice changes."""
        best = text.label(self.selection.best)
        if self.rival is None:
            return f"{best} stays the choice however the importance of the objectives is changed."
        return (
            f"{best} stays the choice as long as no ratio between two weights is off by more than a factor of "
            f"{self.factor:.3g}; then {text.label(self.rival)} does as well. Of all weights, "
            f"{text.percent(self.best_share)} lead to {best}."
        )

    plot = PlotMethod("plot_weight_regions")

    def __repr__(self) -> str:
        regions = f"{len(self.regions)} rows chosen somewhere"
        return f"<Sensitivity of {self.selection.best!r}: factor {self.factor:.3g}, {regions}>"

    def _repr_html_(self) -> str:
        ranges = text.html_table(
            self.intervals,
            caption=f"Range of each weight over which {self.selection.best} is chosen, the others in proportion; "
            f"p = {write_p(self.selection.p)}.",
        )
        regions = text.html_table(self.regions, caption="Share of all weight vectors that lead to each row.", most=8)
        return text.card("How much do the weights matter?", [self.explain()], ranges, regions)


@shared_parameters
def sensitivity(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    n_weights: int = 10_000,
    rng: int | np.random.Generator | None = 0,
    by: Any = None,
    nan_policy: str = "raise",
) -> Sensitivity | Grouped[Sensitivity]:
    """See how the choice depends on the weights (those of equations 9 to 11 in [1]_).

    Parameters
    ----------
    %(frame)s
    objectives, p, weights, where, normalize, reference, by, nan_policy
        As in :func:`copa_nb.copa`.
    n_weights : int
        With four objectives or more, weight vectors drawn (uniformly among all) to estimate the shares of
        `regions`. With two they are exact; with three a grid of 10,000 is used.
    %(rng)s

    Returns
    -------
    Sensitivity, or a mapping of group to Sensitivity

    Raises
    ------
    ValueError
        For one objective, or normalised values below zero (relative to a row that others beat).

    See Also
    --------
    navigate : What is selected along the weight of one objective.
    stability : How much the choice depends on the data.

    References
    ----------
    %(copa_paper)s

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> result = models.moo.sensitivity()
    >>> result.regions.loc["medium", ["low", "high"]].tolist()
    [0.5, 0.75]
    >>> round(result.factor, 9), result.rival
    (1.0, 'small')
    >>> result.intervals.loc["accuracy", ["below", "above"]].tolist()
    ['small', 'large']
    """
    generator = checks.generator(rng)
    selected = copa(
        frame, objectives=objectives, p=p, weights=weights, where=where, normalize=normalize, reference=reference,
        by=by, nan_policy=nan_policy,
    )  # fmt: skip
    if isinstance(selected, Grouped):
        results = {group: Sensitivity.of(one, n_weights=n_weights, rng=generator) for group, one in selected.items()}
        return Grouped(results, selected.by)
    return Sensitivity.of(selected, n_weights=n_weights, rng=generator)


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
    def of(cls, selection: Selection) -> _Problem:
        matrix = selection.matrix
        if len(matrix.objectives) < 2:
            raise ValueError("with one objective there are no weights to vary; define at least two objectives.")
        allowed = np.flatnonzero(selection.candidates)
        front = allowed[nondominated(matrix.values[allowed])]
        normalized = selection.placed[front]
        if (normalized < 0).any():
            raise ValueError(
                "some objectives are better than the reference row, so normalised values are negative, for which "
                'regions of weights are not computed; use normalize="cdf", or no reference row.'
            )
        return cls(
            normalized=normalized,
            rank_sums=selection.rank_sums()[front],
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


def _intervals(problem: _Problem, names: list[Hashable]) -> pd.DataFrame:
    rows = []
    for k in range(len(problem.weights)):
        ranges = problem.along(k)
        weight = problem.weights[k]
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


def _regions(
    problem: _Problem, n_weights: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray, pd.DataFrame, int | None]:
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
        winners = winners_along(problem.normalized, weights, problem.p, problem.rank_sums)
        times = np.bincount(winners, minlength=len(problem.labels))
        rows = np.argsort(-times, kind="stable")[: int((times > 0).sum())]
        values = pd.DataFrame({"share": times[rows] / len(weights)})
        places = np.empty(len(problem.labels), dtype=np.int64)
        places[rows] = np.arange(len(rows))
        chosen = places[winners]
    own = np.flatnonzero(rows == problem.best)
    return weights, chosen, values.set_axis(problem.labels[rows]), int(own[0]) if len(own) else None
