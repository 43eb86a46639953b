"""The two passes of a decision: who can win, and where they stand."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from dask.base import persist
from dask.delayed import Delayed, delayed

from copa_nb.dask.findings import ByGroup, Findings, check, examine, merge
from copa_nb.dask.graphs import in_tree, over_partitions
from copa_nb.dask.plan import Plan, Table
from copa_nb.objectives import RowsOmittedWarning
from copa_nb.results import Grouped
from copa_nb.selection.arrays.ranks import add_counts, better_in_piece

Result = TypeVar("Result")
Counts = dict[Hashable, np.ndarray]


def decide(table: Table, finish: Callable[[Findings, np.ndarray], Result], *, compute: bool) -> Any:
    """Find the rows that can win, count who is better than they are, and conclude.

    Parameters
    ----------
    table : Table
        The frame and the question.
    finish : callable
        Makes the result from the findings and the counts, shape (m, k), of each group.
    compute : bool
        Whether to do so now, or to return the work as a ``dask.delayed`` object.

    Returns
    -------
    result, mapping of group to result, or Delayed
    """
    first = first_pass(table)
    if compute:
        # Settled before the second pass is built: the two share the tasks that load partitions, and in one
        # graph Dask would keep every partition between its two readers.
        first = settle(first, table.plan)
    second = second_pass(table, first)
    result = delayed(conclude)(first, second, table.plan, finish)
    return result.compute() if compute else result


def first_pass(table: Table) -> Delayed:
    """Findings by group, merged over all partitions."""
    parts = over_partitions(table.frame, table.mask, examine, table.plan, columns=table.columns())
    return in_tree(parts, partial(merge, plan=table.plan))


def second_pass(table: Table, first: Delayed) -> Delayed:
    """Counts of strictly better rows by group, added over all partitions."""
    costs = delayed(_costs)(first)
    parts = over_partitions(table.frame, None, _count, table.plan, costs, columns=table.columns())
    return in_tree(parts, _added)


def settle(first: Delayed, plan: Plan) -> Delayed:
    """Run the first pass, leave its result where it was computed, refuse or warn as pandas does."""
    (kept,) = persist(first)
    for omitted, rows in delayed(_checked)(kept, plan).compute():
        warn_omitted(omitted, rows, stacklevel=5)
    return kept


def warn_omitted(omitted: int, rows: int, *, stacklevel: int) -> None:
    """Say how many rows were left out."""
    if omitted:
        message = f"{omitted} of {rows} rows have a missing objective and are left out"
        warnings.warn(message, RowsOmittedWarning, stacklevel=stacklevel + 1)


def in_groups(found: ByGroup, plan: Plan, verb: Callable[[Hashable, Findings], Result]) -> dict[Hashable, Result]:
    """Check the findings of every group and apply a verb; an error names the group it arose in."""
    results: dict[Hashable, Result] = {}
    nothing: dict[Hashable, Findings | None] = {None: None}
    for group, findings in (found or nothing).items():
        try:
            results[group] = verb(group, check(findings, plan))
        except (ValueError, TypeError) as error:
            if plan.by is None or not found:
                raise
            raise type(error)(f"in group {group!r} of `by`={plan.by!r}: {error}") from error
    return results


def conclude(
    found: ByGroup, counts: Counts, plan: Plan, finish: Callable[[Findings, np.ndarray], Result]
) -> Result | Grouped[Result]:
    """Make the result of every group."""
    results = in_groups(found, plan, lambda group, findings: finish(findings, counts[group]))
    return results[None] if plan.by is None else Grouped(results, plan.by)


def _checked(found: ByGroup, plan: Plan) -> list[tuple[int, int]]:
    return list(in_groups(found, plan, lambda group, findings: (findings.n_omitted, findings.n_rows)).values())


def _costs(found: ByGroup) -> dict[Hashable, np.ndarray]:
    return {group: findings.costs for group, findings in found.items()}


def _count(part: pd.DataFrame, mask: None, plan: Plan, costs: dict[Hashable, np.ndarray]) -> Counts:
    if len(part) == 0:
        return {}
    population, missing = plan.read(part)
    complete = plan.complete(missing)
    if plan.by is None and complete.all():
        return {None: better_in_piece(costs[None], population)}
    return {
        group: better_in_piece(costs[group], population[rows[complete[rows]]])
        for group, rows in plan.groups(part).items()
    }


def _added(parts: list[Counts]) -> Counts:
    groups = dict.fromkeys(group for part in parts for group in part)
    return {group: add_counts(part[group] for part in parts if group in part) for group in groups}
