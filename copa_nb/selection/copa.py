"""COPA's decision: which model, given how much each objective counts."""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import ONLY_MISSING, Where, candidate_mask
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, snapshot, to_minimisation
from copa_nb.parallel import in_threads
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results import Grouped, by_group, plot_function
from copa_nb.selection.arrays import criterion
from copa_nb.selection.arrays.ranks import Placed, RankShares, rank_sums
from copa_nb.selection.criterion import WeightsLike, resolve_p, resolve_weights, write_p
from copa_nb.selection.explanation import explain_selection
from copa_nb.selection.normalize import HOW, ReferenceLike, place_rows
from copa_nb.selection.populations import Reference, placed_objectives

if TYPE_CHECKING:
    from copa_nb.selection.sensitivity import Sensitivity
    from copa_nb.selection.stability import Stability

COMPUTED = ("rank", "score", "front")


@dataclass(frozen=True, repr=False, eq=False)
class Selection:
    """Which row COPA selects, and the ranking behind it.

    Parameters
    ----------
    best : label
        The selected row (the first of them, if several tie).
    tied : list of labels
        All rows that share the first place: usually just `best`.
    scores : Series
        The criterion for every row, smaller is better, on the frame's index (without omitted rows).
    ordered : ndarray of int64
        Rows that may be chosen, from best to worst.
    ranks : ndarray of int64
        Their ranks, in that order; 1 is best, rows that tie share the lowest.
    weights : dict of objective to float
        The weights used; they sum to 1.
    p : float
        Order of the norm.
    normalize : str
        Normalisation.
    objectives : Objectives
        Names and directions.
    positions : ndarray of int64 or None
        Rows of `frame` that `scores` are of, if some were left out for missing values.
    n_omitted : int
        How many were.
    placed : ndarray of float64 or RankShares, shape (n, k)
        Their costs on the common scale; ranks as counts, which take half the memory of shares.
    candidates : ndarray of bool, shape (n,)
        Rows that `where` allowed.
    population_size : int
        Rows that the ranks were taken over.
    reference : Reference, row label or None
        Frozen population, or the reference row of "relative".
    frame : DataFrame
        The table itself.
    where : str, mask, callable or None
        The constraint behind `candidates`.
    on_front : ndarray of bool, optional
        Rows that are Pareto-optimal among all rows, if they are known.

    Attributes
    ----------
    matrix : ObjectiveMatrix
        The costs that the decision was made on. Read from `frame` when they are first asked for, so that a
        decision takes no more memory than its ranks do.
    table : DataFrame
        The candidates from best to worst: ``rank``, ``score``, ``front`` (whether the row is
        Pareto-optimal among all rows), the objectives' values, and ``u_<objective>``, their normalised
        values. Laid out, and the front found, when it is first asked for: it is larger than everything else
        here, and where 100,000 rows of seven objectives are all on the front, finding that out takes ten
        times as long as the decision. ``best``, ``tied``, ``scores`` and ``explain()`` do without it.
    """

    best: Hashable
    tied: list[Hashable]
    scores: pd.Series
    ordered: np.ndarray
    ranks: np.ndarray
    weights: dict[Hashable, float]
    p: float
    normalize: str
    objectives: Objectives
    positions: np.ndarray | None
    n_omitted: int
    placed: Placed
    candidates: np.ndarray
    population_size: int
    reference: ReferenceLike
    frame: pd.DataFrame = field(repr=False)
    where: Where = field(default=None, repr=False)
    on_front: np.ndarray | None = field(default=None, repr=False)

    @functools.cached_property
    def table(self) -> pd.DataFrame:
        """The candidates from best to worst."""
        if self.on_front is not None:
            return _table(self, self.on_front)
        # The costs are not kept beside the table, which holds the same values.
        placed = self.placed
        return _table(
            self, nondominated(placed.counts.T if isinstance(placed, RankShares) else self._read_costs().values)
        )

    @functools.cached_property
    def matrix(self) -> ObjectiveMatrix:
        """The costs that the decision was made on."""
        return self._read_costs()

    def _read_costs(self) -> ObjectiveMatrix:
        # Rows with gaps were kept only as the worst.
        kept = to_minimisation(self._kept_rows(), self.objectives, nan_policy="worst")
        positions = kept.positions if self.positions is None else self.positions
        return replace(kept, positions=positions, n_omitted=self.n_omitted)

    def _kept_rows(self) -> pd.DataFrame:
        return self.frame if self.positions is None else self.frame.iloc[self.positions]

    @property
    def normalized(self) -> np.ndarray:
        """Costs on the common scale: ndarray of float64, shape (n, k)."""
        return self.placed[:]

    @property
    def position(self) -> int:
        """Row that was selected, counted without omitted rows."""
        return int(self._positions[0])

    @property
    def _positions(self) -> np.ndarray:
        return self.ordered[self.ranks == 1]

    def rank_sums(self) -> np.ndarray:
        """Sum over objectives of how many rows are strictly better, by row."""
        return rank_sums(self.matrix.values)

    def counts(self) -> tuple[int, int]:
        """How many rows could be chosen, and how many rows there are."""
        return int(self.candidates.sum()), len(self.candidates)

    def explain(self) -> str:
        """Say the decision in words: where the row stands, and what the weights trade for what."""
        return " ".join(explain_selection(self))

    def stability(self, **options: Any) -> Stability:
        """How sure is the choice? Resample the population, or the seeds; see :func:`copa_nb.stability`.

        Parameters
        ----------
        **options
            ``n_resamples``, ``rng``, ``over``, and for runs ``seed``, ``model`` and ``paired``. Everything
            else is as it was for this decision.

        Returns
        -------
        Stability
        """
        from copa_nb.selection.stability import stability

        # Omitted rows were announced when the decision was made.
        kept = self._kept_rows()
        # Candidates among runs do not say which models may be chosen: that is asked of their means.
        where = self.candidates if options.get("seed") is None else self.where
        result = stability(
            kept, objectives=self.objectives, p=self.p, weights=list(self.weights.values()), where=where,
            normalize=self.normalize, reference=self.reference, nan_policy="worst", **options,
        )  # fmt: skip
        return cast("Stability", result)

    def sensitivity(self, *, n_weights: int = 10_000, rng: int | np.random.Generator | None = 0) -> Sensitivity:
        """How much does the choice depend on the weights? See :func:`copa_nb.sensitivity`.

        Parameters
        ----------
        n_weights : int
            Weight vectors drawn where regions are estimated.
        rng : int or Generator, optional
            Seed of these draws.

        Returns
        -------
        Sensitivity
        """
        from copa_nb.selection.sensitivity import of_selection

        return of_selection(self, checks.integer("n_weights", n_weights), checks.generator(rng))

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the front with the selected row (two objectives) or bars of its standing (more).

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; the current Axes if omitted.
        **kwargs
            Passed on to :func:`copa_nb.plots.plot_front` or :func:`copa_nb.plots.plot_selection`.

        Returns
        -------
        matplotlib Axes
        """
        draw = plot_function("plot_front" if len(self.objectives) == 2 else "plot_selection")
        return draw(self, ax=ax, **kwargs)

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def __repr__(self) -> str:
        also = f" (tied with {len(self.tied) - 1} more)" if len(self.tied) > 1 else ""
        return (
            f"<Selection {self.best!r}{also} of {self.counts()[0]:,} candidates, p={write_p(self.p)}, "
            f"{self.normalize}, weights {self._weights_text()}>"
        )

    def _repr_html_(self) -> str:
        caption = (
            f"p = {write_p(self.p)}, normalisation {self.normalize}, weights {self._weights_text()}; ranks over "
            f"{self.population_size:,} rows, {self.counts()[0]:,} candidates, "
            f"{self.n_omitted:,} rows omitted for missing values."
        )
        headers: dict[object, str] = dict(zip(self.objectives.names, self.objectives.labels, strict=True))
        table = text.html_table(self.table, caption=caption, headers=headers, most=8)
        return text.card(f"Selected: {self.best}", explain_selection(self), table)

    def _weights_text(self) -> str:
        return ", ".join(f"{name}={weight:.3g}" for name, weight in self.weights.items())


def copa(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
) -> Selection | Grouped[Selection]:
    """Choose a model by preference: ranks per objective, aggregated by a weighted p-norm.

    The criterion is (Σ (w_k u_k)^p)^(1/p) with u_k the share of the population that is strictly better
    in objective k; the smallest value wins (Javaloy, Vergari and Valera, COPA, equations 3 to 11). The
    selected row is Pareto-optimal among the candidates for every p and every weight: ties in the criterion
    are broken by its value at p = 1, then by the unweighted mean rank.

    Parameters
    ----------
    frame : DataFrame
        One row per model, one column per metric.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    p : float or "inf"
        Order of the norm, from 1 (a weakness can be made up for) to infinity (the worst weighted rank
        decides).
    weights : mapping of objective to share, or sequence, optional
        Importance. Objectives left out share the rest of the weight evenly.
    where : str, mask or callable, optional
        Who may be chosen, e.g. ``"latency_ms <= 50"``. Ranks are over all rows nevertheless.
    normalize : {"cdf", "minmax", "relative", "none"}
        How to make objectives comparable; see :func:`copa_nb.normalize`.
    reference : Reference or row label, optional
        Frozen population; or the reference row for "relative".
    by : label or list of labels, optional
        One decision per group, with ranks taken within the group.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.

    Returns
    -------
    Selection, or a mapping of group to Selection
        ``best``, ``table``, ``explain()``, ``stability()``, ``sensitivity()``, ``plot()``.

    Raises
    ------
    ValueError
        For p below 1, negative or all-zero weights, a constraint that nothing fulfils, an unknown name.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> models.moo.copa().best
    'medium'
    >>> models.moo.copa(weights={"co2_kg": 0.9}).best
    'tiny'
    >>> models.moo.copa(where="co2_kg < 3").table[["rank", "score", "accuracy", "u_accuracy"]]
           rank  score  accuracy  u_accuracy
    small     1  0.250       0.7        0.50
    tiny      2  0.375       0.6        0.75
    """
    checks.one_of("normalize", normalize, HOW)
    resolved = placed_objectives(frame, objectives, reference)
    if by is not None:
        return by_group(
            frame, by,
            lambda group: _select(group, resolved, p, weights, _within(where, frame, group), normalize, reference,
                                  nan_policy),
        )  # fmt: skip
    return _select(frame, resolved, p, weights, where, normalize, reference, nan_policy)


def _select(
    frame: pd.DataFrame,
    objectives: ObjectivesLike,
    p: float | str,
    weights: WeightsLike,
    where: Where,
    normalize: str,
    reference: ReferenceLike,
    nan_policy: str,
) -> Selection:
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    order = resolve_p(p)
    weight = resolve_weights(matrix.objectives, weights)
    candidates = candidate_mask(frame, where)
    if matrix.n_omitted:
        candidates = candidates[matrix.positions]
    if not candidates.any():
        raise ValueError(ONLY_MISSING)
    placed, sums = place_rows(matrix, None, normalize, reference)
    if candidates.all():
        scores, ordered, ranks = criterion.best_to_worst(placed, weight, order, sums)
    else:
        scores = criterion.weighted_norm(placed, weight, order)
        allowed = np.flatnonzero(candidates)
        _, positions, ranks = criterion.best_to_worst(placed[allowed], weight, order, sums[allowed])
        ordered = allowed[positions]
    tied = list(matrix.index[ordered[ranks == 1]])
    return Selection(
        best=tied[0],
        tied=tied,
        scores=pd.Series(scores, index=matrix.index, name="score", copy=False),
        ordered=ordered,
        ranks=ranks,
        weights=dict(zip(matrix.objectives, weight.tolist(), strict=True)),
        p=order,
        normalize=normalize,
        objectives=matrix.objectives,
        positions=matrix.positions if matrix.n_omitted else None,
        n_omitted=matrix.n_omitted,
        placed=placed,
        candidates=candidates,
        population_size=len(reference.values) if isinstance(reference, Reference) else len(matrix.values),
        reference=reference,
        frame=snapshot(frame),
        where=where,
    )


def _table(selection: Selection, on_front: np.ndarray) -> pd.DataFrame:
    """Lay out the candidates from best to worst, as :attr:`Selection.table`; the front is given by row."""
    frame, placed, rows = selection.frame, selection.placed, selection.ordered
    names = selection.objectives.names
    kept = slice(None) if selection.positions is None else selection.positions

    def own_values(name: Hashable) -> Any:
        column = frame[name]
        if isinstance(column.dtype, np.dtype):
            return column.to_numpy()[kept].take(rows)
        return column.array[kept].take(rows)

    def places(k: int) -> np.ndarray:
        return placed.taken(rows, k) if isinstance(placed, RankShares) else placed[:, k].take(rows)

    gather: dict[Hashable, Callable[[], Any]] = {
        "score": partial(selection.scores.to_numpy().take, rows),
        "front": partial(on_front.take, rows),
    }
    for name in names:
        # An objective may itself be called "score"; neither column may hide the other.
        gather[f"{name} (value)" if name in COMPUTED else name] = partial(own_values, name)
    gather |= {f"u_{name}": partial(places, k) for k, name in enumerate(names)}
    found = in_threads(lambda column: column(), list(gather.values()), len(rows) * len(gather))
    columns = {"rank": selection.ranks} | dict(zip(gather, found, strict=True))
    labels = selection.scores.index
    # The usual labels are row numbers, and those are there already.
    numbered = isinstance(labels, pd.RangeIndex) and labels.equals(pd.RangeIndex(len(labels)))
    index = pd.Index(rows, name=labels.name, copy=False) if numbered else labels.take(rows)
    return pd.DataFrame(columns, index=index, copy=False)


def _within(where: Where, frame: pd.DataFrame, group: pd.DataFrame) -> Where:
    """Restrict a mask over the whole frame to one group; expressions and functions are evaluated there."""
    if where is None or isinstance(where, str) or callable(where):
        return where
    whole = pd.Series(candidate_mask(frame, where), index=pd.RangeIndex(len(frame)))
    rows = pd.Series(np.arange(len(frame)), index=frame.index)
    return whole.to_numpy()[rows.loc[group.index].to_numpy()] if frame.index.is_unique else where
