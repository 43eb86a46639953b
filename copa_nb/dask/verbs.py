"""The verbs in passes as functions of a dask DataFrame, and the two that Dask answers in a way of its own."""

from __future__ import annotations

import itertools
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
from copa_nb.dask.partitions import IN_PASSES, Partitions, in_tree
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import KEEP
from copa_nb.run_options import options
from copa_nb.significance import audit as pandas_audit
from copa_nb.significance.audit import Audit, adjusted
from copa_nb.streams import decisions, runs
from copa_nb.streams.batches import Table, as_list, ask, refuse_bounds
from copa_nb.streams.passes import ByGroup, gather, merge_groups, places_of, without_rows
from copa_nb.tables.columns import column_or_level
from copa_nb.tables.described_frame import DescribedFrame

_DOMAIN, _PARTITION, _ROW = _ADDED = ["(domain)", "(partition)", "(row)"]


def front(partitions: Partitions, described: DescribedFrame, *, keep: str = "all") -> dd.DataFrame:
    """Return the Pareto-optimal rows of a table in partitions, lazily; see ``df.moo.front()``.

    One pass. Every partition keeps the rows of its own front; only their costs travel to be compared.

    Parameters
    ----------
    partitions : Partitions
        One row per model.
    described : DescribedFrame
        What its columns are.
    keep : str
        As for ``df.moo.front()``.

    Returns
    -------
    dask DataFrame
        Rows of `frame` in their order and partitions, with index, columns, dtypes and directions kept.
        ``.compute()`` gives what pandas gives. What only the data can show, missing values above all, is
        refused when it is computed.

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
    frame = partitions.frame
    refuse_bounds(described)
    table = ask(partitions, described, contenders=partial(nondominated, keep=keep))
    parts = partitions.parts(table, gather, table.plan, columns=False)
    # Only costs travel: rows stay where they were read.
    known = [delayed(without_rows)(part) for part in parts]
    merged = in_tree(known, partial(merge_groups, plan=table.plan))
    places = delayed(places_of)(merged, table.plan)
    meta = make_meta(frame)
    pieces = [delayed(_rows)(part, places, number, meta) for number, part in enumerate(parts)]
    divisions = frame.divisions if frame.known_divisions else None
    return dd.from_delayed(pieces, meta=meta, divisions=divisions, verify_meta=False)


def _rows(part: ByGroup, places: np.ndarray, number: int, meta: pd.DataFrame) -> pd.DataFrame:
    if not part:
        return meta
    rows = pd.concat([gathered.rows for gathered in part.values()])
    found = np.concatenate([gathered.places[:, 1] for gathered in part.values()])
    order = np.argsort(found)
    return rows.iloc[order[np.isin(found[order], places[places[:, 0] == number, 1])]]


def audit(
    partitions: Partitions, described: DescribedFrame, claims: Any = None, *, reference: Any = "worst", **options: Any
) -> Audit:
    """Test many claims on a table of runs in partitions; see ``df.moo.audit()``.

    One pass gathers the runs of the systems that `claims` name, and the rows at the extremes of the table or of each
    domain; the audit itself then is pandas'. Without `claims`, every domain is audited where its rows are brought
    together (the one verb that shuffles).

    Parameters
    ----------
    partitions : Partitions
        One row per system and repeat (and domain).
    described : DescribedFrame
        What its columns are, and which of them make domains.
    claims, reference, **options
        As for ``df.moo.audit()``. Without domains, `claims` must say which systems matter;
        without `claims`, all runs of a domain must fit in a worker's memory.

    Returns
    -------
    Audit
        Equal to pandas', in the same order.

    Raises
    ------
    WholeTableNeededError
        Without domains and without `claims`.
    ValueError
        As pandas' verb does.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> runs = pd.DataFrame({
    ...     "task": ["x"] * 8, "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> table = dd.from_pandas(runs, npartitions=3).moo(accuracy="max", cost="min", system="agent", repeat="run")
    >>> table.by("task").audit().table[["task", "new", "baseline", "pvalue"]].round(3)
      task new baseline  pvalue
    0    x   A        B   0.029
    """
    if claims is not None or described.groups is None:
        return runs.audit(partitions, described, claims, reference=reference, **options)
    return _audit_domains(
        runs.ask_of_runs(partitions, described, reference), described, {"reference": reference, **options}
    )


def _audit_domains(table: Table, described: DescribedFrame, settings: dict[str, Any]) -> Audit:
    """Bring the rows of every domain together, audit each, and adjust p-values over all claims."""
    settings = {**settings, "rng": checks.seed(settings.get("rng", 0))}
    frame = table.batches.frame[table.columns]  # type: ignore[attr-defined]
    meta = _with_places(make_meta(frame), table.plan.by)
    placed = frame.map_partitions(_with_places, table.plan.by, meta=meta, enforce_metadata=False)
    parts = placed.shuffle(on=[_DOMAIN]).to_delayed()
    audited = described.saying(table.plan.objectives)
    found = compute_all(*(delayed(_audit)(part, audited, settings) for part in parts))
    audits = [audit for _, audit in sorted(itertools.chain(*found), key=lambda placed: placed[0])]
    if not audits:
        audited.costs()  # which refuses a table without rows
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


def _audit(
    part: pd.DataFrame, described: DescribedFrame, settings: dict[str, Any]
) -> list[tuple[tuple[int, int], Audit]]:
    """Audit every domain of a shuffled partition; with the place of its first row."""
    audits = []
    for _, rows in part.sort_values([_PARTITION, _ROW], kind="stable").groupby(_DOMAIN):
        first = int(rows[_PARTITION].iloc[0]), int(rows[_ROW].iloc[0])
        of_domain = replace(described, frame=rows.drop(columns=_ADDED))
        with options(n_jobs=1, scheduler=None):
            audits.append((first, pandas_audit.audit(of_domain, **settings)))
    return audits


IN_PASSES.update(front=front, copa=decisions.copa, hypervolume=decisions.hypervolume, hv_test=runs.hv_test, audit=audit)
