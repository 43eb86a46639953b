"""What every task has to know about a table and a question."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.candidates import allowed_mask
from copa_nb.columns import column_or_level, positions_by_group
from copa_nb.dask.directions import described
from copa_nb.objectives import (
    NAN_POLICIES,
    Objectives,
    ObjectivesLike,
    check_columns,
    costs_with_gaps,
    resolve_objectives,
)
from copa_nb.selection.populations import Reference


@dataclass(frozen=True)
class Plan:
    """A question, in a form that travels to the workers.

    Parameters
    ----------
    objectives : Objectives
        Names and directions.
    nan_policy : {"raise", "omit", "worst"}
        What missing values mean.
    where : str or None
        Expression that says who may be chosen.
    restricted : bool
        Whether anything says so (an expression, or a column of True and False beside the table).
    by : label, list of labels or None
        Columns that make groups.
    keep : {"all", "first"}
        Which of several equal rows stay on the front.
    reference_row : label or None
        Row that "relative" compares with.
    labels : tuple of labels, or None
        Rows to look at instead of the front.
    empty : DataFrame
        The table without rows.
    """

    objectives: Objectives
    nan_policy: str
    where: str | None
    restricted: bool
    by: Any
    keep: str
    reference_row: Hashable
    labels: tuple[Hashable, ...] | None
    empty: pd.DataFrame

    def read(self, part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
        """Give the costs of a partition under the policy, and which values are missing.

        Under "omit" (and "raise") the costs still hold NaN where values are missing.
        """
        check_columns(part, self.objectives)
        costs = costs_with_gaps(part, self.objectives)
        missing = np.isnan(costs)
        if self.nan_policy == "worst":
            costs[missing] = np.inf
        return costs, missing

    def complete(self, missing: np.ndarray) -> np.ndarray:
        """Mark the rows that the policy keeps (under "raise", those that need no refusal)."""
        if self.nan_policy == "worst":
            return np.ones(len(missing), dtype=bool)
        return np.asarray(~missing.any(axis=1))

    def groups(self, part: pd.DataFrame) -> dict[Hashable, np.ndarray]:
        """Rows of a partition by group, in order of first appearance."""
        return {None: np.arange(len(part))} if self.by is None else positions_by_group(part, self.by)


@dataclass(frozen=True)
class Table:
    """A dask frame with a plan, as the one who asks holds it.

    Parameters
    ----------
    frame : dask DataFrame
        The table.
    mask : dask Series or None
        Who may be chosen, row by row.
    plan : Plan
        The question.
    """

    frame: dd.DataFrame
    mask: dd.Series | None
    plan: Plan

    def columns(self) -> list[Hashable]:
        """Columns that answer the question: what else a file holds is never read."""
        by = self.plan.by if isinstance(self.plan.by, list) else [self.plan.by]
        wanted = {*self.plan.objectives, *by}
        return [c for c in self.frame.columns if c in wanted or (self.plan.where and str(c) in self.plan.where)]


def ask(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    where: Any = None,
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    keep: str = "all",
    labels: tuple[Hashable, ...] | None = None,
) -> Table:
    """Check a question as far as that is possible without reading the table."""
    empty = described(frame)
    resolved = resolve_objectives(empty, objectives, reference)
    checks.one_of("nan_policy", nan_policy, NAN_POLICIES)
    for name in [] if by is None else by if isinstance(by, list) else [by]:
        column_or_level(empty, name)
    mask = _mask(frame, empty, where, by)
    expression = where if isinstance(where, str) else None
    row = None if isinstance(reference, Reference) else reference
    plan = Plan(resolved, nan_policy, expression, where is not None, by, keep, row, labels, empty)
    return Table(frame, mask, plan)


def _mask(frame: dd.DataFrame, empty: pd.DataFrame, where: Any, by: Any) -> dd.Series | None:
    if where is None or isinstance(where, str):
        allowed_mask(empty, where)
        return None
    if callable(where) and by is not None:
        raise ValueError(
            "`where` is a function, which pandas calls group by group; with `by=` on dask give an expression, e.g. "
            '"latency_ms <= 50", or a dask Series of True and False.'
        )
    mask: Any = where(frame) if callable(where) else where
    if not isinstance(mask, dd.Series):
        raise TypeError(
            f"`where` gives {type(mask).__name__} for a dask frame; give an expression, a dask Series of True and "
            'False, or a function of the dask frame that returns one: where=lambda frame: frame["latency_ms"] <= 50.'
        )
    if not pd.api.types.is_bool_dtype(mask.dtype):
        raise TypeError(f"`where` must give True or False for every row, not {mask.dtype}; write a comparison.")
    if mask.npartitions != frame.npartitions or (mask.known_divisions and mask.divisions != frame.divisions):
        raise ValueError("`where` is a dask Series with other partitions than the frame; build it from the frame.")
    return mask


def listed_columns(plan: Plan, *names: Any) -> list[Hashable]:
    """Columns of the plan and those named (each a label, a list of labels or None), once each."""
    every = [plan.by, *names]
    flat = [name for given in every if given is not None for name in (given if isinstance(given, list) else [given])]
    for name in flat:
        checks.column(plan.empty, name, "system")
    return list(dict.fromkeys([*flat, *plan.objectives]))
