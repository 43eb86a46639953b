"""Tests and audits of runs in partitions: the rows that matter are gathered, the rest is pandas'."""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.base import compute as compute_all
from dask.dataframe.dispatch import make_meta
from dask.delayed import delayed

from copa_nb import checks
from copa_nb.columns import column_or_level, read_labels
from copa_nb.dask.passes import ByGroup, check_seen, gather_in_parts, merge_parts, warn_omitted
from copa_nb.dask.table import Plan, Table, WholeTableNeededError, as_list, check_question
from copa_nb.objectives import ObjectivesLike, RowsOmittedWarning, to_minimization
from copa_nb.selection.populations import Reference
from copa_nb.significance import audit as pandas_audit
from copa_nb.significance import hv_test as pandas_test
from copa_nb.significance.audit import Audit, adjusted

_DOMAIN, _PARTITION, _ROW = _ADDED = ["(domain)", "(partition)", "(row)"]


def hv_test(
    frame: dd.DataFrame,
    *,
    system: Any,
    new: Any,
    baseline: Any,
    repeat: Any = None,
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
        One row per system and repeat.
    system, new, baseline, repeat, objectives, reference, nan_policy, **options
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

    See Also
    --------
    copa_nb.hv_test : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> table = dd.from_pandas(runs, npartitions=3).moo(accuracy="max", cost="min")
    >>> table.hv_test(system="agent", repeat="run", new="A", baseline="B")
    <HypervolumeTest Δ=0.1902, p=0.02857 (exact)>
    """
    settings = {"system": system, "repeat": repeat, "new": new, "baseline": baseline, "reference": reference,
                "nan_policy": nan_policy, **options}  # fmt: skip
    named = {"new": as_list(new), "baseline": as_list(baseline)}
    return _gather_and_run(frame, pandas_test.hv_test, named, settings, objectives, compute=compute)


def audit(
    frame: dd.DataFrame,
    *,
    system: Any,
    repeat: Any = None,
    claims: Any = None,
    by: Any = None,
    objectives: ObjectivesLike = None,
    reference: Any = "worst",
    nan_policy: str = "raise",
    **options: Any,
) -> Audit:
    """Test many claims on a table of runs in partitions; see :func:`copa_nb.audit`.

    One pass gathers the runs of the systems that `claims` name, and the rows at the extremes of the table or of each
    domain; the audit itself then is pandas'. Without `claims`, every domain is audited where its rows are brought
    together (the one verb that shuffles).

    Parameters
    ----------
    frame : dask DataFrame
        One row per system and repeat (and domain).
    system, repeat, claims, by, objectives, reference, nan_policy, **options
        As for :func:`copa_nb.audit`. Without `by`, `claims` must say which systems matter; without `claims`, all runs
        of a domain must fit in a worker's memory.

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

    See Also
    --------
    copa_nb.audit : The same in memory.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> runs = pd.DataFrame({
    ...     "task": ["x"] * 8, "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> table = dd.from_pandas(runs, npartitions=3).moo(accuracy="max", cost="min")
    >>> table.audit(system="agent", repeat="run", by="task").table[["task", "new", "baseline", "pvalue"]].round(3)
      task new baseline  pvalue
    0    x   A        B   0.029
    """
    if claims is not None and not isinstance(claims, pd.DataFrame | str):
        claims = list(claims)
    settings = {"system": system, "repeat": repeat, "claims": claims, "reference": reference, "nan_policy": nan_policy,
                **options}  # fmt: skip
    if claims is None and by is not None:
        return _audit_domains(_check_runs(frame, settings, objectives=objectives, by=by), settings)
    if claims is None:
        raise WholeTableNeededError(
            "`audit` without `claims` compares every two systems, which needs the whole table in memory; name the "
            "claims, e.g. claims=[('new', 'baseline')], or the columns that make domains: by='task'."
        )
    named = {"claims": _systems_claimed(claims)}
    outcome: Audit = _gather_and_run(frame, pandas_audit.audit, named, settings, objectives, by=by)
    return outcome


def _systems_claimed(claims: Any) -> list[Hashable]:
    """Systems that claims name, in whatever form they are given; pandas' verb says what is wrong with others."""
    if isinstance(claims, pd.DataFrame):
        claims = claims[[name for name in ("new", "baseline") if name in claims]].itertuples(index=False, name=None)
    pairs = [pair for pair in claims if isinstance(pair, tuple | list)]
    return [label for pair in pairs for side in pair for label in as_list(side)]


def _gather_and_run(
    frame: dd.DataFrame, verb: Any, named: dict[str, list[Hashable]], settings: dict[str, Any],
    objectives: ObjectivesLike, *, by: Any = None, compute: bool = True,
) -> Any:  # fmt: skip
    system, omits = settings["system"], settings["nan_policy"] == "omit"
    wanted = [label for labels in named.values() for label in labels]
    table = _check_runs(frame, settings, objectives=objectives, by=by, contenders=_extremes,
                        needed=partial(_runs_of, system=system, wanted=wanted, omits=omits))  # fmt: skip
    first = merge_parts(gather_in_parts(table), table.plan)
    options = settings if by is None else {**settings, "by": by}
    run = partial(_run, plan=table.plan, verb=partial(verb, **options), named=named, system=system)
    if not compute:
        return delayed(run)(first)
    groups: ByGroup = first.compute()
    for gathered in groups.values():
        warn_omitted(check_seen(gathered, table.plan), stacklevel=3)
    return run(groups)


def _check_runs(frame: dd.DataFrame, settings: dict[str, Any], **question: Any) -> Table:
    reference = settings["reference"]
    # A Reference may supply the objectives; other reference points name no row.
    frozen = reference if isinstance(reference, Reference) else None
    return check_question(frame, reference=frozen, nan_policy=settings["nan_policy"], system=settings["system"],
                          repeat=settings["repeat"], **question)  # fmt: skip


def _runs_of(
    part: pd.DataFrame, complete: np.ndarray, *, system: Any, wanted: list[Hashable], omits: bool
) -> np.ndarray:
    """Mark the runs of the systems wanted, and what will be omitted, for the caveat that counts it."""
    systems = read_labels(part, system, "system")
    codes = [code for code, label in enumerate(systems.labels) if label in wanted]
    return np.isin(systems.codes, codes) | (~complete & omits)


def _extremes(costs: np.ndarray) -> np.ndarray:
    """Mark the first row with the smallest, and the first with the largest cost of each objective."""
    marked = np.zeros(len(costs), dtype=bool)
    marked[[*costs.argmin(axis=0), *costs.argmax(axis=0)]] = True
    return marked


def _run(groups: ByGroup, *, plan: Plan, verb: Any, named: dict[str, list[Hashable]], system: Any) -> Any:
    # Group after group, which the verbs take apart again: so groups stay in order of first appearance.
    rows = pd.concat([check_seen(gathered, plan).rows for gathered in groups.values() or [None]])
    systems = read_labels(rows, system, "system").labels
    for argument, labels in named.items():
        for label in labels:
            if label not in systems:
                raise ValueError(f"`{argument}` names {label!r}, which is not a system of the table.")
    with warnings.catch_warnings():
        # Announced before, with the count of the whole table.
        warnings.simplefilter("ignore", RowsOmittedWarning)
        return verb(rows, objectives=plan.objectives)


def _audit_domains(table: Table, settings: dict[str, Any]) -> Audit:
    """Bring the rows of every domain together, audit each, and adjust p-values over all claims."""
    settings = {**settings, "rng": checks.seed(settings.get("rng", 0)), "n_jobs": 1, "progress": False}
    meta = _with_places(make_meta(table.frame), table.plan.by)
    placed = table.frame.map_partitions(_with_places, table.plan.by, meta=meta, enforce_metadata=False)
    parts = placed.shuffle(on=[_DOMAIN]).to_delayed()
    found = compute_all(*(delayed(_audit)(part, table.plan, settings) for part in parts))
    audits = [audit for _, audit in sorted(itertools.chain(*found), key=lambda placed: placed[0])]
    if not audits:
        to_minimization(table.plan.empty, table.plan.objectives)
    claims = pd.concat([audit.table for audit in audits if len(audit.table)] or [audits[0].table], ignore_index=True)
    tests = [test for audit in audits for test in audit.tests]
    references = {domain: point for audit in audits for domain, point in audit.references.items()}
    n_comparisons = sum(audit.n_comparisons for audit in audits)
    claims = adjusted(claims, n_comparisons, audits[0].options.alpha)
    return replace(audits[0], table=claims, tests=tests, references=references, n_comparisons=n_comparisons)


def _with_places(part: pd.DataFrame, by: Any, partition_info: Any = None) -> pd.DataFrame:
    """Note which domain rows belong to, and their places: a shuffle does not keep the order, on which tests depend."""
    number = partition_info["number"] if partition_info else 0
    columns = pd.DataFrame({i: column_or_level(part, name).array for i, name in enumerate(as_list(by))})
    domain = pd.util.hash_pandas_object(columns, index=False).to_numpy()
    return part.assign(**{_DOMAIN: domain, _PARTITION: number, _ROW: np.arange(len(part), dtype=np.int64)})


def _audit(part: pd.DataFrame, plan: Plan, settings: dict[str, Any]) -> list[tuple[tuple[int, int], Audit]]:
    """Audit every domain of a shuffled partition; with the place of its first row."""
    audits = []
    for _, rows in part.sort_values([_PARTITION, _ROW], kind="stable").groupby(_DOMAIN):
        first = int(rows[_PARTITION].iloc[0]), int(rows[_ROW].iloc[0])
        runs = rows.drop(columns=_ADDED)
        audits.append((first, pandas_audit.audit(runs, by=plan.by, objectives=plan.objectives, **settings)))
    return audits
