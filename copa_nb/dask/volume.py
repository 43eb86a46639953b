"""The hypervolume of a table in partitions."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import delayed

from copa_nb.dask.findings import ByGroup, Findings, check, together
from copa_nb.dask.graphs import in_tree, over_partitions
from copa_nb.dask.passes import first_pass, in_groups, warn_omitted
from copa_nb.dask.plan import Plan, Table, ask
from copa_nb.objectives import ObjectiveMatrix, ObjectivesLike
from copa_nb.pareto.hypervolume import Hypervolume, count_beyond, measured
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.results import Grouped

Beyond = dict[Hashable, int]


def hypervolume(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    by: Any = None,
    nan_policy: str = "raise",
    rng: int = 0,
    compute: bool = True,
) -> Any:
    """Measure the volume that the front of a table in partitions dominates; see :func:`copa_nb.hypervolume`.

    One pass, and a second one only if rows lie beyond the reference point and must be counted.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, reference, margin, by, nan_policy, rng
        As for :func:`copa_nb.hypervolume`.
    compute : bool
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    Hypervolume, a mapping of group to Hypervolume, or Delayed
        The value agrees with pandas' to rounding.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> points = dd.from_pandas(pd.DataFrame({"cost": [1.0, 2.0, 3.0], "time": [1.0, 3.0, 0.5]}), npartitions=2)
    >>> points.moo(cost="min", time="min").hypervolume(reference={"cost": 4, "time": 4})
    <Hypervolume 9.5, reference point (cost=4, time=4)>
    """
    table = ask(frame, objectives=objectives, by=by, nan_policy=nan_policy)
    first = first_pass(table)
    if not compute:
        points = delayed(_points)(first, table.plan, reference, margin)
        return delayed(_measure)(first, points, _beyond(table, points), table.plan, rng)
    found: ByGroup = first.compute()
    points = _points(found, table.plan, reference, margin)
    for findings in ([] if by is None else [check(together(found), table.plan)]) + list(found.values()):
        warn_omitted(findings.n_omitted, findings.n_rows, stacklevel=2)
    if all((points[group] > findings.nadir).all() for group, findings in found.items()):
        beyond = dict.fromkeys(found, 0)
    else:
        beyond = _beyond(table, points).compute()
    return _measure(found, points, beyond, table.plan, rng)


def _points(found: ByGroup, plan: Plan, reference: ReferencePointLike, margin: float) -> dict[Hashable, np.ndarray]:
    """Reference point of each group in costs: one for all groups, so that they compare."""
    whole = _extremes(check(together(found), plan), plan)
    point = reference_point(whole, reference, margin=margin)
    if plan.by is None:
        return {None: point}
    in_groups(found, plan, lambda group, findings: findings)
    # Through the objectives' own units, as pandas passes it on to the groups.
    shared = reference_point(whole, in_own_units(whole, point))
    return dict.fromkeys(found, shared)


def _extremes(whole: Findings, plan: Plan) -> ObjectiveMatrix:
    """A table of two rows with the extremes of the whole one, which is all that "worst" looks at."""
    return ObjectiveMatrix(np.stack([whole.ideal, whole.nadir]), plan.objectives, np.arange(2), pd.RangeIndex(2))


def _beyond(table: Table, points: Any) -> Any:
    parts = over_partitions(table.frame, None, _count, table.plan, points, columns=table.columns())
    return in_tree(parts, _added)


def _count(part: pd.DataFrame, mask: None, plan: Plan, points: dict[Hashable, np.ndarray]) -> Beyond:
    if len(part) == 0:
        return {}
    costs, missing = plan.read(part)
    kept = plan.complete(missing)
    return {group: count_beyond(costs[rows[kept[rows]]], points[group]) for group, rows in plan.groups(part).items()}


def _added(parts: list[Beyond]) -> Beyond:
    groups = dict.fromkeys(group for part in parts for group in part)
    return {group: sum(part.get(group, 0) for part in parts) for group in groups}


def _measure(
    found: ByGroup, points: dict[Hashable, np.ndarray], beyond: Beyond, plan: Plan, rng: int
) -> Hypervolume | Grouped[Hypervolume]:
    def one(group: Hashable, findings: Findings) -> Hypervolume:
        return measured(findings.matrix(plan), points[group], len(findings.costs), beyond[group], rng)

    results = in_groups(found, plan, one)
    return results[None] if plan.by is None else Grouped(results, plan.by)
