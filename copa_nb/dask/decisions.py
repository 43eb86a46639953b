"""COPA over a table in partitions: choose, navigate and compare among the few rows that can win."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import delayed

from copa_nb import checks
from copa_nb.dask.passes import Gathered, conclude, gather_in_parts, merge_parts, second_pass, settle
from copa_nb.dask.table import Plan, Table, check_question
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.selection.arrays import criterion as arrays
from copa_nb.selection.arrays.ranks import better_in_piece, empirical_cdf
from copa_nb.selection.compare import (
    DEFAULT_CRITERIA,
    OTHER_METHODS,
    Comparison,
    CriterionLike,
    rank_rows,
    read_criteria,
)
from copa_nb.selection.copa import Selection, SelectionInputs
from copa_nb.selection.criterion import Criterion, WeightsLike
from copa_nb.selection.navigate import Navigation, check_swept, sweep_steps, trace_path
from copa_nb.selection.normalize import normalizer_from
from copa_nb.selection.populations import Reference, tie_keys


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PartitionedSelection(Selection):
    """A :class:`~copa_nb.Selection` that holds the rows that could win, not the whole table.

    ``best``, ``tied``, ``score`` and the values and places of every row are those that pandas gives.
    ``scores``, ``table``, ``matrix`` and ``normalized`` cover the Pareto-optimal candidates only, since no
    other row can win, and ``rank`` is the rank among these.

    Parameters
    ----------
    better : ndarray of int64, shape (m, k)
        How many rows of the whole table are strictly better, by candidate and objective.
    n_allowed, n_rows : int
        Rows that could be chosen, and rows, in the whole table.
    """

    better: np.ndarray = field(repr=False)
    n_allowed: int
    n_rows: int

    @property
    def scored_rows(self) -> str:
        """What the rows are that have a score."""
        return "Pareto-optimal rows"

    @property
    def front(self) -> np.ndarray:
        """All rows that are kept: ndarray of int64."""
        return np.arange(len(self.candidates))

    def rank_sums(self) -> np.ndarray:
        """What breaks ties, by row; see :meth:`copa_nb.Selection.rank_sums`. Counted over the whole table."""
        frozen = self.reference.population(self.objectives) if isinstance(self.reference, Reference) else None
        return _tie_keys(self.better, self.matrix.values, frozen)

    def counts(self) -> tuple[int, int]:
        """How many rows of the whole table could be chosen, and how many it has."""
        return self.n_allowed, self.n_rows

    def stability(self, **options: Any) -> NoReturn:
        """Refuse: resampling a population needs all of it."""
        raise TypeError(
            "`stability` resamples the whole table, which is not in memory; run it on a sample of rows: "
            "ddf.sample(frac=0.01).compute().moo.copa(...).stability(). `sensitivity()` works here."
        )


def copa(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Any = None,
    normalize: str = "cdf",
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    compute: bool = True,
) -> Any:
    """Choose a model by preference from a table in partitions; see :func:`copa_nb.copa`.

    Two passes over the table, whatever its size: the first finds the rows that can win, the second counts
    how many rows are strictly better than each of them. The choice equals pandas' to the last tie.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, p, weights, normalize, reference, by, nan_policy
        As for :func:`copa_nb.copa`.
    where : str, dask Series or callable, optional
        Who may be chosen. A function is called once, with the dask frame, and returns a dask Series.
    compute : bool
        Whether to decide now. If not, the work is returned as a ``dask.delayed`` object, which can be
        computed with others; rows omitted for missing values are then counted, but not warned of.

    Returns
    -------
    PartitionedSelection, a mapping of group to it, or Delayed

    Raises
    ------
    ValueError, TypeError
        As pandas' verb does, and for a `where` that is not lazy.

    See Also
    --------
    copa_nb.copa : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... )
    >>> table = dd.from_pandas(models, npartitions=2, sort=False).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.copa()
    <Selection 'medium' (tied with 1 more) among 4 candidates, p=∞, cdf, weights accuracy=0.5, co2_kg=0.5>
    >>> table.moo.copa(where="co2_kg < 3").best
    'small'
    """
    table = check_question(frame, objectives=objectives, where=where, reference=reference, by=by,
                           nan_policy=nan_policy, contenders=nondominated)  # fmt: skip
    criterion = Criterion.of(table.plan.objectives, p, weights, normalize, reference)
    return _decide(table, partial(_select, plan=table.plan, criterion=criterion), compute=compute)


def navigate(
    frame: dd.DataFrame,
    objective: Hashable,
    *,
    importances: int | Sequence[float] = 101,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    normalize: str = "cdf",
    where: Any = None,
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    compute: bool = True,
) -> Any:
    """Sweep the importance of one objective over a table in partitions; see :func:`copa_nb.navigate`.

    Two passes, however many steps. ``path`` equals pandas'; ``matrix`` and ``positions`` are about the
    Pareto-optimal candidates, not the whole table.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objective, importances, objectives, p, normalize, reference, by, nan_policy
        As for :func:`copa_nb.navigate`.
    where, compute
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    Navigation, a mapping of group to Navigation, or Delayed

    See Also
    --------
    copa_nb.navigate : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... )
    >>> table = dd.from_pandas(models, npartitions=2, sort=False).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.navigate("co2_kg").at(0.5)
    'medium'
    """
    table = check_question(frame, objectives=objectives, where=where, reference=reference, by=by,
                           nan_policy=nan_policy, contenders=nondominated)  # fmt: skip
    check_swept(table.plan.objectives, objective)
    criterion = Criterion.of(table.plan.objectives, p, None, normalize, reference)
    sweep = partial(
        _navigate, plan=table.plan, criterion=criterion, objective=objective, importances=sweep_steps(importances)
    )
    return _decide(table, sweep, compute=compute)


def compare(
    frame: dd.DataFrame,
    criteria: Sequence[CriterionLike] = DEFAULT_CRITERIA,
    *,
    rows: Sequence[Hashable] | None = None,
    objectives: ObjectivesLike = None,
    weights: WeightsLike = None,
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    compute: bool = True,
) -> Any:
    """Rank a few rows of a table in partitions under several criteria; see :func:`copa_nb.compare`.

    Scores are those of the whole table, as pandas gives them. Ranks are among the rows shown: ranking
    every row of the table would need all of it in memory.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    criteria : sequence
        As for :func:`copa_nb.compare`, but for methods from the literature, which take sums over the whole table.
    rows : sequence of labels, optional
        Rows to rank. By default the Pareto-optimal rows, among which is the winner of every criterion.
    objectives, weights, reference, by, nan_policy
        As for :func:`copa_nb.compare`.
    compute : bool
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    Comparison, a mapping of group to Comparison, or Delayed

    Raises
    ------
    ValueError
        As pandas' verb does; for rows that are not there, and criteria that need the whole table.

    See Also
    --------
    copa_nb.compare : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7], "co2_kg": [9.0, 3.0, 2.0]}, index=["large", "medium", "small"]
    ... )
    >>> table = dd.from_pandas(models, npartitions=2, sort=False).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.compare(["mean", "inf"], rows=["large", "small"]).ranks
           mean  inf
    large     2    1
    small     1    1
    """
    if rows is not None and (isinstance(rows, str) or not isinstance(rows, Sequence) or len(rows) == 0):
        raise TypeError(f"`rows` is {rows!r}; give a list of row labels, or None for the Pareto-optimal rows.")
    which: dict[str, Any] = {"contenders": nondominated} if rows is None else {"needed": partial(_named, labels=rows)}
    table = check_question(frame, objectives=objectives, reference=reference, by=by, nan_policy=nan_policy, **which)
    keys = read_criteria(criteria, table.plan.objectives)
    for item, key in keys.items():
        if key in OTHER_METHODS:
            raise ValueError(
                f"`criteria` holds {item!r}, which takes sums over the whole table; leave it out, or compare "
                "the Pareto-optimal rows among themselves: ddf.moo.front().compute().moo.compare(...)."
            )
    base = Criterion.of(table.plan.objectives, weights=weights, reference=reference)
    rank = partial(_compare, plan=table.plan, criteria=keys, base=base, labels=list(rows or []))
    return _decide(table, rank, compute=compute)


def _named(part: pd.DataFrame, complete: np.ndarray, *, labels: Sequence[Hashable]) -> np.ndarray:
    marked: np.ndarray = part.index.isin(labels) & complete
    return marked


# ------------------------------------------------------------------------------------------------ from rows to results


def _decide(table: Table, finish: Callable[[Gathered, np.ndarray], Any], *, compute: bool) -> Any:
    """Gather the rows that can win, count who is better than they are, and finish every group."""
    first = merge_parts(gather_in_parts(table), table.plan)
    if compute:
        # Settled before the second pass is built: the two share the tasks that load partitions, and in one
        # graph Dask would keep every partition between its two readers.
        first = settle(first, table.plan)
    counts = second_pass(table, _count_better, delayed(_costs)(first))
    result = delayed(conclude)(first, table.plan, finish, counts)
    return result.compute() if compute else result


def _costs(groups: dict[Hashable, Gathered]) -> dict[Hashable, np.ndarray]:
    return {group: gathered.costs for group, gathered in groups.items()}


def _count_better(population: np.ndarray, costs: np.ndarray) -> np.ndarray:
    return better_in_piece(costs, population)


def _place(gathered: Gathered, counts: np.ndarray, plan: Plan, how: str, reference: Any) -> np.ndarray:
    """Put the rows gathered on a scale taken over the whole table; see :func:`copa_nb.normalize`."""
    frozen = reference.population(plan.objectives) if isinstance(reference, Reference) else None
    baseline = None if reference is None or frozen is not None else (reference, gathered.reference_rows)
    if how == "cdf" and baseline is None:
        return counts / gathered.n_kept if frozen is None else empirical_cdf(gathered.costs, frozen)
    # Of the population, these scales look at the extremes only.
    population = np.stack([gathered.ideal, gathered.nadir]) if frozen is None else frozen
    return normalizer_from(plan.objectives, how, population, baseline)(gathered.costs)


def _tie_keys(counts: np.ndarray, values: np.ndarray, frozen: np.ndarray | None) -> np.ndarray:
    """What breaks ties; see :func:`copa_nb.selection.populations.tie_keys`."""
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
    )


def _navigate(
    gathered: Gathered,
    counts: np.ndarray,
    *,
    plan: Plan,
    criterion: Criterion,
    objective: Hashable,
    importances: np.ndarray,
) -> Navigation:
    placed = _place(gathered, counts, plan, criterion.normalize, criterion.reference)
    every = np.arange(len(placed))
    sums = _tie_keys(counts, gathered.costs, criterion.frozen(plan.objectives))
    return trace_path(gathered.matrix(plan), criterion, objective, importances, every, placed, sums)


def _compare(
    gathered: Gathered, counts: np.ndarray, *, plan: Plan, criteria: dict[CriterionLike, str | float],
    base: Criterion, labels: list[Hashable],
) -> Comparison:  # fmt: skip
    absent = [label for label in labels if label not in gathered.rows.index]
    if absent:
        raise ValueError(f"`rows` names {checks.listed(absent)}, which are not in the index (or were omitted).")
    place = partial(_place, gathered, counts, plan)
    sums = _tie_keys(counts, gathered.costs, base.frozen(plan.objectives))
    return rank_rows(gathered.matrix(plan), criteria, base, sums, place)
