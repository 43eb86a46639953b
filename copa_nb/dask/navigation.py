"""Navigating the front of a table in partitions."""

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
from copa_nb.selection.criterion import resolve_p
from copa_nb.selection.navigate import Navigation, check_swept, sweep_steps, trace_path
from copa_nb.selection.normalize import HOW


def navigate(
    frame: dd.DataFrame,
    objective: Hashable,
    *,
    alphas: int | Sequence[float] = 101,
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
    objective, alphas, objectives, p, normalize, reference, by, nan_policy
        As for :func:`copa_nb.navigate`.
    where, compute
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    Navigation, a mapping of group to Navigation, or Delayed

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
    checks.one_of("normalize", normalize, HOW)
    table = ask(frame, objectives=objectives, where=where, reference=reference, by=by, nan_policy=nan_policy)
    check_swept(table.plan.objectives, objective)
    finish = partial(
        _navigate, plan=table.plan, objective=objective, alphas=sweep_steps(alphas), p=resolve_p(p),
        normalize=normalize, reference=reference,
    )  # fmt: skip
    return decide(table, finish, compute=compute)


def _navigate(
    found: Findings, counts: np.ndarray, *, plan: Plan, objective: Hashable, alphas: np.ndarray, p: float,
    normalize: str, reference: Any,
) -> Navigation:  # fmt: skip
    assert found.rows is not None
    normalized = placed(found, counts, normalize, reference, plan)
    every = np.arange(len(found.costs))
    return trace_path(
        found.rows, found.matrix(plan), objective, alphas, p, normalize, every, normalized, counts.sum(axis=1)
    )
