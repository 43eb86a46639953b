"""Front and hypervolume of a table in partitions."""

from __future__ import annotations

from collections.abc import Hashable
from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.dataframe.dispatch import make_meta
from dask.delayed import delayed

from copa_nb import checks
from copa_nb.dask.passes import (
    ByGroup,
    Gathered,
    check_all,
    conclude,
    gather_in_parts,
    merge_parts,
    second_pass,
    warn_omitted,
    without_rows,
)
from copa_nb.dask.table import Plan, check_question
from copa_nb.objectives import ObjectiveMatrix, ObjectivesLike
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.hypervolume import Hypervolume, count_beyond, measured
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point


def front(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    keep: str = "all",
    by: Any = None,
    nan_policy: str = "raise",
) -> dd.DataFrame:
    """Return the Pareto-optimal rows of a table in partitions, lazily; see :func:`copa_nb.front`.

    One pass. Every partition keeps the rows of its own front; only their costs travel to be compared.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, keep, by, nan_policy
        As for :func:`copa_nb.front`.

    Returns
    -------
    dask DataFrame
        Rows of `frame` in their order and partitions, with index, columns, dtypes and directions kept.
        ``.compute()`` gives what pandas gives. What only the data can show, missing values above all, is
        refused when it is computed.

    See Also
    --------
    copa_nb.front : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.front().compute()
       accuracy  co2_kg
    a       0.9       3
    b       0.8       1
    """
    checks.one_of("keep", keep, KEEP)
    table = check_question(frame, objectives=objectives, by=by, nan_policy=nan_policy, all_columns=True,
                           contenders=partial(nondominated, keep=keep))  # fmt: skip
    parts = gather_in_parts(table)
    # Only costs travel: rows stay where they were read.
    known = [delayed(without_rows)(part) for part in parts]
    places = delayed(_places)(merge_parts(known, table.plan), table.plan)
    meta = make_meta(frame)
    pieces = [delayed(_rows)(part, places, number, meta) for number, part in enumerate(parts)]
    divisions = frame.divisions if frame.known_divisions else None
    return dd.from_delayed(pieces, meta=meta, divisions=divisions, verify_meta=False)


def _places(groups: ByGroup, plan: Plan) -> np.ndarray:
    """Partition and position of every row on the front, over all groups; in order."""
    warn_omitted(check_all(groups, plan), stacklevel=1)
    places = np.concatenate([gathered.places for gathered in groups.values()])
    return places[np.lexsort((places[:, 1], places[:, 0]))]


def _rows(part: ByGroup, places: np.ndarray, number: int, meta: pd.DataFrame) -> pd.DataFrame:
    """Rows of one partition that are on the front of the whole table."""
    if not part:
        return meta
    stay = places[places[:, 0] == number, 1]
    groups = list(part.values())
    rows = pd.concat([gathered.rows for gathered in groups])
    positions = np.concatenate([gathered.places[:, 1] for gathered in groups])
    order = np.argsort(positions)
    return rows.iloc[order[np.isin(positions[order], stay)]]


def hypervolume(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    by: Any = None,
    nan_policy: str = "raise",
    rng: int | np.random.Generator | None = 0,
    compute: bool = True,
) -> Any:
    """Measure the volume that the front of a table in partitions dominates; see :func:`copa_nb.hypervolume`.

    One pass, and a second one only if rows lie beyond the reference point and must be counted.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, reference, reference_margin, by, nan_policy, rng
        As for :func:`copa_nb.hypervolume`.
    compute : bool
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    Hypervolume, a mapping of group to Hypervolume, or Delayed
        The value agrees with pandas' to rounding.

    See Also
    --------
    copa_nb.hypervolume : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> points = dd.from_pandas(pd.DataFrame({"cost": [1.0, 2.0, 3.0], "time": [1.0, 3.0, 0.5]}), npartitions=2)
    >>> points.moo(cost="min", time="min").hypervolume(reference={"cost": 4, "time": 4})
    <Hypervolume 9.5, reference point (cost=4, time=4)>
    """
    table = check_question(frame, objectives=objectives, by=by, nan_policy=nan_policy, contenders=nondominated)
    plan = table.plan
    first = merge_parts(gather_in_parts(table), plan)
    measure = partial(_measure, plan=plan, rng=rng)
    if not compute:
        points = delayed(_points)(first, plan, reference, reference_margin)
        return delayed(conclude)(first, plan, measure, points, second_pass(table, count_beyond, points))
    groups: ByGroup = first.compute()
    points = _points(groups, plan, reference, reference_margin)
    for gathered in [*([] if by is None else [check_all(groups, plan)]), *groups.values()]:
        warn_omitted(gathered, stacklevel=2)
    beyond = dict.fromkeys(groups, 0)
    if any((points[group] <= gathered.nadir).any() for group, gathered in groups.items()):
        beyond = second_pass(table, count_beyond, points).compute()
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


def _measure(gathered: Gathered, point: np.ndarray, n_beyond: int, *, plan: Plan, rng: Any) -> Hypervolume:
    return measured(gathered.matrix(plan), point, np.arange(len(gathered.costs)), n_beyond, rng)
