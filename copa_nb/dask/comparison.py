"""Rankings of a few rows of a table in partitions, under several criteria."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np

from copa_nb import checks
from copa_nb.dask.findings import Findings
from copa_nb.dask.passes import decide
from copa_nb.dask.plan import Plan, ask
from copa_nb.dask.scales import placed
from copa_nb.objectives import ObjectivesLike
from copa_nb.selection.compare import (
    DEFAULT_CRITERIA,
    OTHER_METHODS,
    Comparison,
    CriterionLike,
    check_criteria,
    is_alone,
    rank_rows,
)
from copa_nb.selection.criterion import WeightsLike, resolve_weights
from copa_nb.selection.populations import Reference


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
        As for :func:`copa_nb.compare`, but "borda", "topsis" and "weighted sum", which take sums over the
        whole table.
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
    labels = None if rows is None else _labels(rows)
    table = ask(frame, objectives=objectives, reference=reference, by=by, nan_policy=nan_policy, labels=labels)
    keys = check_criteria(criteria, table.plan.objectives)
    for item, key in keys.items():
        if key in OTHER_METHODS:
            raise ValueError(
                f"`criteria` holds {item!r}, which takes sums over the whole table; leave it out, or compare "
                "the Pareto-optimal rows among themselves: ddf.moo.front().compute().moo.compare(...)."
            )
    weight = resolve_weights(table.plan.objectives, weights)
    finish = partial(_compare, plan=table.plan, criteria=keys, weight=weight, reference=reference)
    return decide(table, finish, compute=compute)


def _labels(rows: Sequence[Hashable]) -> tuple[Hashable, ...]:
    if isinstance(rows, str) or not isinstance(rows, Sequence) or len(rows) == 0:
        raise TypeError(f"`rows` is {rows!r}; give a list of row labels, or None for the Pareto-optimal rows.")
    return tuple(rows)


def _compare(
    found: Findings, counts: np.ndarray, *, plan: Plan, criteria: dict[CriterionLike, str | float],
    weight: np.ndarray, reference: Any,
) -> Comparison:  # fmt: skip
    assert found.rows is not None
    absent = [label for label in plan.labels or () if label not in found.rows.index]
    if absent:
        raise ValueError(f"`rows` names {checks.listed(absent)}, which are not in the index (or were omitted).")
    frozen = reference if isinstance(reference, Reference) else None

    def aggregated(key: str | float) -> tuple[np.ndarray, np.ndarray, float]:
        if key == "mean":
            return found.costs, weight, 1.0
        if is_alone(key, plan.objectives):
            return found.costs[:, [plan.objectives.position(key)]], np.ones(1), 1.0
        if isinstance(key, str):
            against = reference if key == "relative" else frozen
            return placed(found, counts, key, against, plan), weight, 1.0
        return placed(found, counts, "cdf", frozen, plan), weight, key

    return rank_rows(found.rows, found.matrix(plan), criteria, weight, counts.sum(axis=1), aggregated)
