"""COPA and the hypervolume of a table in pieces: decided among the few rows that can win."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.hypervolume import Hypervolume, count_beyond, measured
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.ranking.arrays import criterion as arrays
from copa_nb.ranking.arrays.ranks import better_in_piece, empirical_cdf
from copa_nb.ranking.criterion import Criterion, WeightsLike
from copa_nb.ranking.normalize import normalizer_from
from copa_nb.ranking.populations import Reference, tie_keys
from copa_nb.results.answer import Answer
from copa_nb.results.sentences import part, say
from copa_nb.selection.copa import Selection, SelectionInputs
from copa_nb.selection.criteria import OTHER_METHODS, Criteria, CriterionLike
from copa_nb.selection.decision import facts_of, question_of
from copa_nb.streams.batches import Batches, Plan, Table, ask, refuse_bounds
from copa_nb.streams.passes import (
    ByGroup,
    Gathered,
    add_up,
    check_all,
    conclude,
    gather_rows,
    settle,
    warn_omitted,
)
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PartitionedSelection(Selection):
    """A :class:`~copa_nb.results.Selection` that holds the rows that could win, not the whole table.

    ``best``, ``tied``, ``score`` and the values and places of every row are those that pandas gives.
    ``scores``, ``table``, ``matrix`` and ``normalized`` cover the Pareto-optimal candidates only, since no
    other row can win, and ``rank`` is the rank among these.

    Parameters
    ----------
    better : ndarray of int64, shape (m, k)
        How many rows of the whole table are strictly better, by candidate and objective.
    n_allowed, n_rows : int
        Rows that could be chosen, and rows, in the whole table.
    place : callable
        Puts the rows on a scale taken over the whole table: ``place(how, reference)``.
    scanned : Scan, optional
        The table, where it can be read again.
    """

    # Unlike that of a decision on a whole table, its page has never named the paper.
    paper = ""

    better: np.ndarray = field(repr=False)
    n_allowed: int
    n_rows: int
    place: Callable[[str, Any], np.ndarray] = field(repr=False)
    scanned: Any = field(default=None, repr=False)

    _internals = Selection._internals | {"better", "n_allowed", "n_rows", "place", "scanned"}

    @property
    def scored_rows(self) -> str:
        """What the rows are that have a score."""
        return "Pareto-optimal rows"

    @property
    def front(self) -> np.ndarray:
        """All rows that are kept: ndarray of int64."""
        return np.arange(len(self.candidates))

    def rank_sums(self, rows: np.ndarray | None = None) -> np.ndarray:
        """What breaks ties, by row; see :meth:`copa_nb.results.Selection.rank_sums`. Counted over the whole table."""
        frozen = self.reference.population(self.objectives) if isinstance(self.reference, Reference) else None
        keys = _tie_keys(self.better, self.matrix.values, frozen)
        return keys if rows is None else keys[rows]

    def on_scale(self, normalize: str, reference: Any = None) -> np.ndarray:
        """Costs of the rows that are kept, on a scale taken over the whole table."""
        return self.place(normalize, reference)

    def criteria(self, criteria: Sequence[CriterionLike] | None = None) -> Criteria:
        """Rank the rows that are kept under several criteria; see :meth:`copa_nb.results.Selection.criteria`.

        Scores are those of the whole table, as pandas gives them, and the winner of every criterion is among the rows.
        Ranks are among these: ranking every row of the table would need all of it in memory.

        Raises
        ------
        ValueError
            For methods from the literature, which take sums over the whole table.
        """
        for item in () if criteria is None else criteria:
            if item in OTHER_METHODS:
                raise ValueError(
                    f"`criteria` holds {item!r}, which takes sums over the whole table; leave it out, or rank the "
                    "Pareto-optimal rows, which `front` returns, among themselves."
                )
        return super().criteria(criteria)

    def to_answer(self) -> Answer:
        """Which row is chosen, and why; how stable the choice is takes the whole table in memory."""
        return Answer.of(
            [*self.parts(), part("choice.certainty.unmeasured")],
            question=say(question_of(self)),
            used="copa",
            values=facts_of(self),
        )

    def counts(self) -> tuple[int, int]:
        """How many rows of the whole table could be chosen, and how many it has."""
        return self.n_allowed, self.n_rows

    def to_parquet(self, path: str | Path) -> Path:
        """Write the score and the normalized values of every row of the table to a Parquet file, piece by piece.

        For ranks, the sorted objectives are in memory, eight bytes a value.

        Parameters
        ----------
        path : str or Path
            The file; an interrupted write leaves no part of it.

        Returns
        -------
        Path

        Raises
        ------
        TypeError
            For a table of Dask, and for a choice within a group.
        """
        if self.scanned is None:
            raise TypeError(
                "`to_parquet` reads the whole table again, which only a choice among all rows of copa_nb.scan(...) "
                "can; on Dask: ddf.map_partitions(copa_nb.Reference.fit(sample).place).to_parquet(path)."
            )
        written: Path = self.scanned.write_scores(self, path)
        return written

    def elicit(self, **options: Any) -> NoReturn:
        """Refuse: the choice that follows from the answers needs the whole table."""
        raise TypeError(
            "`elicit` needs the whole table, which is not in memory; run it on a sample of rows, e.g. "
            "ddf.sample(frac=0.01).compute().moo.copa(...).elicit()."
        )

    def explore(self, **options: Any) -> NoReturn:
        """Refuse: the page ranks all rows anew at every move."""
        raise TypeError(
            "`explore` needs the whole table, which is not in memory; run it on the rows of the front, e.g. "
            "copa_nb.moo(table).front(), or on a sample."
        )

    def rank_intervals(self, confidence_level: float = 0.95, simultaneous: bool = False) -> NoReturn:
        """Refuse: whether values tie is a matter of all rows."""
        raise TypeError(
            "`rank_intervals` needs the whole table, which is not in memory; run it on a sample of rows, e.g. "
            "ddf.sample(frac=0.01).compute().moo.copa(...).rank_intervals()."
        )

    def stability(self, *args: Any, **options: Any) -> NoReturn:
        """Refuse: resampling a population needs all of it."""
        raise TypeError(
            "`stability` resamples the whole table, which is not in memory; run it on a sample of rows, e.g. "
            "ddf.sample(frac=0.01).compute().moo.copa(...).stability(). `sensitivity()` works here."
        )


def copa(
    frame: Batches,
    described: DescribedFrame,
    *,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Any = None,
    normalize: str = "cdf",
    reference: Any = None,
) -> Any:
    """Choose a row by preference from a table in pieces; see ``df.moo.copa()``.

    Two passes, whatever the size of the table: the first finds the rows that can win, the second counts how many rows
    are strictly better than each of them. The choice equals pandas' to the last tie.

    Parameters
    ----------
    frame : table in pieces
        One row per model.
    described : DescribedFrame
        What its columns are.
    p, weights, normalize, reference
        As for ``df.moo.copa()``.
    where : str, or a condition of the engine, optional
        Who may be chosen. A function is called once, with the table of the engine, and returns such a condition.

    Returns
    -------
    PartitionedSelection, or a mapping of group to it

    See Also
    --------
    copa_nb.accessor.Moo.copa : The same in memory.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... )
    >>> table = copa_nb.scan([models[:2], models[2:]], accuracy="max", co2_kg="min")
    >>> copa_nb.moo(table).copa()
    <Selection 'medium' (tied with 1 more) among 4 candidates, p=∞, cdf, weights accuracy=0.5, co2_kg=0.5>
    >>> copa_nb.moo(table).copa(where="co2_kg < 3").best
    'small'
    """
    refuse_bounds(described)
    table = ask(frame, described, where=where, reference=reference, contenders=nondominated)
    criterion = Criterion.of(table.plan.objectives, p, weights, normalize, reference)
    return _decide(table, partial(_select, plan=table.plan, criterion=criterion))


def hypervolume(
    frame: Batches,
    described: DescribedFrame,
    *,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
) -> Any:
    """Measure the volume that the front of a table in pieces dominates; see ``df.moo.hypervolume()``.

    One pass, and a second one only if rows lie beyond the reference point and must be counted.

    Parameters
    ----------
    frame : table in pieces
        One row per model.
    described : DescribedFrame
        What its columns are.
    reference, reference_margin
        As for ``df.moo.hypervolume()``.

    Returns
    -------
    Hypervolume, or a mapping of group to it
        The value agrees with pandas' to rounding.

    See Also
    --------
    copa_nb.accessor.Moo.hypervolume : The same in memory.
    """
    table = ask(frame, described, contenders=nondominated)
    plan = table.plan
    first = gather_rows(table)
    measure = partial(_measure, plan=plan)
    groups: ByGroup = frame.value(first)
    points = _points(groups, plan, reference, reference_margin)
    for gathered in [*([] if plan.by is None else [check_all(groups, plan)]), *groups.values()]:
        warn_omitted(gathered)
    beyond = dict.fromkeys(groups, 0)
    if any((points[group] <= gathered.nadir).any() for group, gathered in groups.items()):
        beyond = frame.value(add_up(table, count_beyond, points))
    return conclude(groups, plan, measure, points, beyond)


def _points(
    groups: ByGroup, plan: Plan, reference: ReferencePointLike, reference_margin: float
) -> dict[Hashable, np.ndarray]:
    """Reference point of each group in costs: one for all groups, so that they are comparable."""
    whole = check_all(groups, plan)
    # Two rows with the extremes of the table, which is all that "worst" looks at.
    extremes = ObjectiveMatrix(np.stack([whole.ideal, whole.nadir]), plan.objectives, np.arange(2), pd.RangeIndex(2))
    point = reference_point(extremes, reference, reference_margin=reference_margin)
    if plan.by is not None:
        conclude(groups, plan, lambda gathered: None)
        # Through the objectives' own units, as pandas passes it on to the groups.
        point = reference_point(extremes, in_own_units(extremes, point))
    return dict.fromkeys(groups, point)


def _measure(gathered: Gathered, point: np.ndarray, n_beyond: int, *, plan: Plan) -> Hypervolume:
    return measured(gathered.matrix(plan), point, np.arange(len(gathered.costs)), n_beyond, rng=0)


# ------------------------------------------------------------------------------------------------ from rows to results


def _decide(table: Table, finish: Callable[[Gathered, np.ndarray], Any]) -> Any:
    """Gather the rows that can win, count who is better than they are, and finish every group."""
    batches = table.batches
    batches.check_passes(2)
    # Settled before the second pass is built: the two share the tasks that load partitions, and in one
    # graph Dask would keep every partition between its two readers.
    first = settle(table, gather_rows(table))
    counts = add_up(table, _count_better, batches.call(_costs, first))
    return batches.value(batches.call(conclude, first, table.plan, finish, counts))


def _costs(groups: dict[Hashable, Gathered]) -> dict[Hashable, np.ndarray]:
    return {group: gathered.costs for group, gathered in groups.items()}


def _count_better(population: np.ndarray, costs: np.ndarray) -> np.ndarray:
    return better_in_piece(costs, population)


def _place(gathered: Gathered, counts: np.ndarray, plan: Plan, how: str, reference: Any) -> np.ndarray:
    """Put the rows gathered on a scale taken over the whole table; see ``df.moo.normalize()``."""
    frozen = reference.population(plan.objectives) if isinstance(reference, Reference) else None
    baseline = None if reference is None or frozen is not None else (reference, gathered.reference_rows)
    if how == "cdf" and baseline is None:
        return counts / gathered.n_kept if frozen is None else empirical_cdf(gathered.costs, frozen)
    # Of the population, these scales look at the extremes only.
    population = np.stack([gathered.ideal, gathered.nadir]) if frozen is None else frozen
    return normalizer_from(plan.objectives, how, population, baseline)(gathered.costs)


def _tie_keys(counts: np.ndarray, values: np.ndarray, frozen: np.ndarray | None) -> np.ndarray:
    """What breaks ties; see :func:`copa_nb.ranking.populations.tie_keys`."""
    return counts.sum(axis=1) if frozen is None else tie_keys(values, values, frozen)


def _select(gathered: Gathered, counts: np.ndarray, *, plan: Plan, criterion: Criterion) -> PartitionedSelection:
    placed = _place(gathered, counts, plan, criterion.normalize, criterion.reference)
    sums = _tie_keys(counts, gathered.costs, criterion.frozen(plan.objectives))
    scores, ordered, ranks = arrays.best_to_worst(placed, criterion.weights, criterion.p, sums)
    labels = gathered.rows.index
    tied: list[Hashable] = list(labels[ordered[ranks == 1]])
    reference = criterion.reference
    return PartitionedSelection(
        best=tied[0],
        tied=tied,
        scores=pd.Series(scores, index=labels, name="score"),
        ordered=ordered,
        ranks=ranks,
        weights=criterion.named_weights(plan.objectives),
        p=criterion.p,
        normalize=criterion.normalize,
        normalized_costs=placed,
        population_size=len(reference.values) if isinstance(reference, Reference) else gathered.n_kept,
        inputs=SelectionInputs(
            frame=gathered.rows,
            objectives=plan.objectives,
            candidates=np.ones(len(scores), dtype=bool),
            n_omitted=gathered.n_omitted,
            where=plan.where,
            reference=reference,
        ),
        on_front=gathered.on_front(),
        better=counts,
        n_allowed=gathered.n_candidates,
        n_rows=gathered.n_kept,
        place=partial(_place, gathered, counts, plan),
    )
