"""Tests and audits of runs in partitions: the rows that matter are gathered, the rest is pandas'."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import delayed

from copa_nb.dask.domains import audit_by_domain
from copa_nb.dask.findings import Gap, check_missing, first_gaps, merged_gaps
from copa_nb.dask.graphs import in_tree, over_partitions
from copa_nb.dask.passes import warn_omitted
from copa_nb.dask.plan import Plan, ask, listed_columns
from copa_nb.dask.refusals import WholeTableNeededError
from copa_nb.objectives import ObjectivesLike, RowsOmittedWarning
from copa_nb.significance import audit as pandas_audit
from copa_nb.significance import hv_test as pandas_significance
from copa_nb.significance.audit import Audit
from copa_nb.significance.runs import numbered


@dataclass(frozen=True)
class _Gathered:
    """Rows that a test depends on, in order: its systems' runs, the table's extremes, rows with gaps."""

    rows: pd.DataFrame
    places: np.ndarray
    n_rows: int
    n_missing: np.ndarray
    without: list[list[Gap]]
    extremes: np.ndarray
    extreme_places: np.ndarray


def hv_test(
    frame: dd.DataFrame,
    *,
    system: Any,
    new: Any,
    baseline: Any,
    seed: Any = None,
    objectives: ObjectivesLike = None,
    reference: Any = "worst",
    nan_policy: str = "raise",
    compute: bool = True,
    **options: Any,
) -> Any:
    """Test a claim on a table of runs in partitions; see :func:`copa_nb.hv_test`.

    One pass gathers the runs of the systems named and the rows at the extremes of the table, from which
    the reference point is taken; the test itself then is pandas', with the same p.

    Parameters
    ----------
    frame : dask DataFrame
        One row per system and seed.
    system, new, baseline, seed, objectives, reference, nan_policy, **options
        As for :func:`copa_nb.hv_test`.
    compute : bool
        As for :func:`copa_nb.dask.copa`.

    Returns
    -------
    HypervolumeTest or Delayed

    Raises
    ------
    ValueError
        As pandas' verb does. Systems that are not there are named; those that are, are not listed.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> table = dd.from_pandas(runs, npartitions=3).moo(accuracy="max", cost="min")
    >>> table.hv_test(system="agent", seed="run", new="A", baseline="B")
    <HypervolumeTest Δ=0.1902, p=0.02857 (exact)>
    """
    settings = {"system": system, "seed": seed, "new": new, "baseline": baseline, "reference": reference,
                "nan_policy": nan_policy, **options}  # fmt: skip
    named = {"new": _as_list(new), "baseline": _as_list(baseline)}
    return _gather_and_run(frame, pandas_significance.hv_test, named, settings, objectives=objectives, compute=compute)


def audit(
    frame: dd.DataFrame,
    *,
    system: Any,
    seed: Any = None,
    claims: Any = None,
    by: Any = None,
    objectives: ObjectivesLike = None,
    reference: Any = "worst",
    nan_policy: str = "raise",
    **options: Any,
) -> Audit:
    """Test many claims on a table of runs in partitions; see :func:`copa_nb.audit`.

    With `by`, every domain is audited where its rows are brought together (the one verb that shuffles);
    p-values are adjusted over all claims. Without, `claims` must say which systems matter.

    Parameters
    ----------
    frame : dask DataFrame
        One row per system and seed (and domain).
    system, seed, claims, by, objectives, reference, nan_policy, **options
        As for :func:`copa_nb.audit`. All runs of a domain must fit in a worker's memory.

    Returns
    -------
    Audit
        Equal to pandas', in the same order.

    Raises
    ------
    WholeTableNeededError
        Without `by` and without `claims`.
    ValueError
        As pandas' verb does.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> runs = pd.DataFrame({
    ...     "task": ["x"] * 8, "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> table = dd.from_pandas(runs, npartitions=3).moo(accuracy="max", cost="min")
    >>> table.audit(system="agent", seed="run", by="task").table[["task", "new", "baseline", "pvalue"]].round(3)
      task new baseline  pvalue
    0    x   A        B   0.029
    """
    settings = {"system": system, "seed": seed, "claims": claims, "reference": reference, "nan_policy": nan_policy,
                **options}  # fmt: skip
    if by is not None:
        table = ask(frame, objectives=objectives, by=by, nan_policy=nan_policy, reference=_frozen(reference))
        return audit_by_domain(table, settings)
    if claims is None:
        raise WholeTableNeededError(
            "`audit` without `claims` compares every two systems, which needs the whole table in memory; name the "
            "claims, e.g. claims=[('new', 'baseline')], or the columns that make domains: by='task'."
        )
    if not isinstance(claims, pd.DataFrame):
        claims = settings["claims"] = list(claims)
    pairs = zip(claims["new"], claims["baseline"], strict=True) if isinstance(claims, pd.DataFrame) else claims
    named = {"claims": [label for pair in pairs for side in pair for label in _as_list(side)]}
    outcome: Audit = _gather_and_run(frame, pandas_audit.audit, named, settings, objectives=objectives, compute=True)
    return outcome


def _gather_and_run(
    frame: dd.DataFrame, verb: Any, named: dict[str, list[Hashable]], settings: dict[str, Any], *, objectives: Any,
    compute: bool,
) -> Any:  # fmt: skip
    table = ask(
        frame, objectives=objectives, nan_policy=settings["nan_policy"], reference=_frozen(settings["reference"])
    )
    columns = listed_columns(table.plan, settings["system"], settings["seed"])
    wanted = [label for labels in named.values() for label in labels]
    parts = over_partitions(frame, None, _gather, table.plan, settings["system"], wanted, columns=columns)
    gathered = in_tree(parts, _merged)
    if not compute:
        return delayed(_run)(gathered, table.plan, verb, named, settings)
    rows = gathered.compute()
    omitted = int(rows.rows[table.plan.objectives.names].isna().any(axis=1).sum()) if rows is not None else 0
    if omitted and settings["nan_policy"] == "omit":
        warn_omitted(omitted, rows.n_rows, stacklevel=3)
    return _run(rows, table.plan, verb, named, settings)


def _run(
    gathered: _Gathered | None, plan: Plan, verb: Any, named: dict[str, list[Hashable]], settings: dict[str, Any]
) -> Any:
    rows = plan.empty if gathered is None else gathered.rows
    if gathered is not None:
        check_missing(gathered, plan)
        _, known = numbered(rows, settings["system"], "system")
        for argument, labels in named.items():
            for label in labels:
                if label not in known:
                    raise ValueError(f"`{argument}` names {label!r}, which is not a system of the table.")
    with warnings.catch_warnings():
        # Announced before, with the count of the whole table.
        warnings.simplefilter("ignore", RowsOmittedWarning)
        return verb(rows, objectives=plan.objectives, **settings)


def _gather(
    part: pd.DataFrame, mask: None, plan: Plan, system: Any, wanted: list[Hashable], partition_info: Any = None
) -> _Gathered | None:
    if len(part) == 0:
        return None
    costs, missing = plan.read(part)
    codes, labels = numbered(part, system, "system")
    needed = np.isin(codes, [code for code, label in enumerate(labels) if label in wanted])
    gaps = ~plan.complete(missing)
    kept = np.flatnonzero(~gaps)
    at = np.concatenate([kept[costs[kept].argmin(axis=0)], kept[costs[kept].argmax(axis=0)]]) if len(kept) else kept
    needed[gaps] |= plan.nan_policy == "omit"
    chosen = np.union1d(np.flatnonzero(needed), at)
    number = partition_info["number"] if partition_info else 0
    count = len(plan.objectives)
    # Where a partition has nothing to offer, its extremes lose against any others.
    extremes = np.diag(costs[at][:, np.tile(np.arange(count), 2)]) if len(at) else np.repeat([np.inf, -np.inf], count)
    places = np.full((2 * count, 2), -1)
    places[: len(at)] = np.column_stack([np.full(len(at), number), at])
    return _Gathered(
        rows=part.iloc[chosen],
        places=np.column_stack([np.full(len(chosen), number), chosen, needed[chosen]]),
        n_rows=len(part),
        n_missing=missing.sum(axis=0),
        without=[first_gaps(part.index, np.flatnonzero(missing[:, k]), number) for k in range(count)],
        extremes=extremes,
        extreme_places=places,
    )


def _merged(parts: Sequence[_Gathered | None]) -> _Gathered | None:
    filled = [part for part in parts if part is not None]
    if len(filled) < 2:
        return filled[0] if filled else None
    values = np.stack([part.extremes for part in filled])
    count = values.shape[1] // 2
    winners = np.concatenate([values[:, :count].argmin(axis=0), values[:, count:].argmax(axis=0)])
    columns = np.arange(2 * count)
    at = np.stack([part.extreme_places for part in filled])[winners, columns]
    places = np.concatenate([part.places for part in filled])
    # Rows that were the extreme of a part only are dropped on the way.
    extreme = (places[:, None, :2] == at[None]).all(axis=2).any(axis=1)
    stays = extreme | (places[:, 2] == 1)
    return _Gathered(
        rows=pd.concat([part.rows for part in filled])[stays],
        places=places[stays],
        n_rows=sum(part.n_rows for part in filled),
        n_missing=np.sum([part.n_missing for part in filled], axis=0),
        without=merged_gaps([part.without for part in filled]),
        extremes=values[winners, columns],
        extreme_places=at,
    )


def _as_list(given: Any) -> list[Hashable]:
    return list(given) if isinstance(given, list | set | frozenset | pd.Index | np.ndarray) else [given]


def _frozen(reference: Any) -> Any:
    """A Reference may supply the objectives; other reference points name no row."""
    from copa_nb.selection.populations import Reference

    return reference if isinstance(reference, Reference) else None
