"""Audits of many domains: each is audited where its rows are brought together."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd
from dask.base import compute
from dask.delayed import delayed

from copa_nb import checks
from copa_nb.columns import positions_by_group
from copa_nb.dask.plan import Plan, Table, listed_columns
from copa_nb.objectives import to_minimisation
from copa_nb.significance.audit import Audit, adjusted
from copa_nb.significance.audit import audit as pandas_audit

_PARTITION, _ROW = "(partition)", "(row)"


def audit_by_domain(table: Table, settings: dict[str, Any]) -> Audit:
    """Bring the rows of every domain together, audit each, and adjust p-values over all claims.

    Parameters
    ----------
    table : Table
        Its plan's `by` makes the domains.
    settings : dict
        Everything else that :func:`copa_nb.audit` takes, but the objectives.
    """
    plan = table.plan
    columns = plan.by if isinstance(plan.by, list) else [plan.by]
    settings = _steady(settings)
    claims = settings.pop("claims")
    by_claim = isinstance(claims, pd.DataFrame) and set(columns) <= set(claims.columns)
    frame = table.frame[listed_columns(plan, settings["system"], settings["seed"])]
    meta = _place(frame._meta)
    placed = frame.map_partitions(_place, meta=meta, enforce_metadata=False)
    together = placed.shuffle(on=columns)
    parts = [delayed(_audit)(part, plan, columns, claims, by_claim, settings) for part in together.to_delayed()]
    audits = [part for parts in compute(*parts) for part in parts]
    if not audits:
        to_minimisation(plan.empty, plan.objectives)
    if by_claim:
        _check_domains(claims, columns, audits)
        audits.sort(key=lambda found: found[1])
    else:
        audits.sort(key=lambda found: found[0])
    return _joined([found[2] for found in audits], [found[1] for found in audits] if by_claim else None, columns)


def _steady(settings: dict[str, Any]) -> dict[str, Any]:
    """One seed for all tests, drawn once; a list of pairs that can be read more than once."""
    rng, claims = settings.get("rng", 0), settings["claims"]
    if isinstance(rng, np.random.Generator):
        rng = int(rng.integers(2**31))
    if claims is not None and not isinstance(claims, pd.DataFrame | str):
        claims = list(claims)
    return {**settings, "rng": rng, "claims": claims, "n_jobs": 1, "progress": False}


def _place(part: pd.DataFrame, partition_info: Any = None) -> pd.DataFrame:
    """Note where rows come from: a shuffle does not keep their order, and tests depend on it."""
    number = partition_info["number"] if partition_info else 0
    return part.assign(**{_PARTITION: number, _ROW: np.arange(len(part), dtype=np.int64)})


def _audit(
    part: pd.DataFrame, plan: Plan, columns: list[Hashable], claims: Any, by_claim: bool, settings: dict[str, Any]
) -> list[tuple[tuple[int, int], list[int], Audit]]:
    """Audit every domain of a shuffled partition; gives its first place, its claims and the outcome."""
    if len(part) == 0:
        return []
    ordered = part.sort_values([_PARTITION, _ROW], kind="stable")
    places = ordered[[_PARTITION, _ROW]].to_numpy()
    runs = ordered.drop(columns=[_PARTITION, _ROW])
    found = []
    for domain, rows in positions_by_group(runs, columns if len(columns) > 1 else columns[0]).items():
        mine = _claims_of(domain, claims, columns) if by_claim else []
        outcome = pandas_audit(
            runs.iloc[rows], by=columns, objectives=plan.objectives,
            claims=claims.iloc[mine] if by_claim else claims, **settings,
        )  # fmt: skip
        first = places[rows[0]]
        found.append(((int(first[0]), int(first[1])), mine, outcome))
    return found


def _claims_of(domain: Hashable, claims: pd.DataFrame, columns: list[Hashable]) -> list[int]:
    keys = claims[columns].itertuples(index=False, name=None)
    return [i for i, key in enumerate(keys) if (key[0] if len(columns) == 1 else key) == domain]


def _check_domains(claims: pd.DataFrame, columns: list[Hashable], audits: list[Any]) -> None:
    covered = {number for _, mine, _ in audits for number in mine}
    domains = [domain for _, _, outcome in audits for domain in outcome.references]
    for number in range(len(claims)):
        if number not in covered:
            key = tuple(claims[columns].iloc[number])
            domain = key[0] if len(columns) == 1 else key
            raise ValueError(
                f"`claims` names the domain {domain!r}, which is not in the table; domains are "
                f"{checks.listed(domains)}.{checks.nearest(domain, domains)}"
            )


def _joined(audits: list[Audit], numbers: list[list[int]] | None, columns: list[Hashable]) -> Audit:
    table = pd.concat([audit.table for audit in audits if len(audit.table)] or [audits[0].table], ignore_index=True)
    tests = [test for audit in audits for test in audit.tests]
    if numbers is not None:
        order = np.argsort([number for mine in numbers for number in mine], kind="stable")
        table, tests = table.iloc[order].reset_index(drop=True), [tests[i] for i in order]
    references = {domain: point for audit in audits for domain, point in audit.references.items()}
    return Audit(adjusted(table), tests, references, columns, audits[0].objectives, audits[0].options)
