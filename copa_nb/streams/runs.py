"""Tests and audits of runs in pieces: the rows that matter are gathered, the rest is pandas'."""

from __future__ import annotations

import warnings
from collections.abc import Hashable
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.ranking.populations import Reference
from copa_nb.significance import audit as pandas_audit
from copa_nb.significance import hv_test as pandas_test
from copa_nb.significance.audit import Audit
from copa_nb.streams.batches import Batches, Plan, Table, WholeTableNeededError, as_list, ask
from copa_nb.streams.passes import ByGroup, check_seen, gather_rows, warn_omitted
from copa_nb.tables.columns import read_labels
from copa_nb.tables.objectives import ObjectivesLike, RowsOmittedWarning


def hv_test(
    frame: Batches,
    new: Any,
    baseline: Any,
    *,
    system: Any,
    repeat: Any = None,
    objectives: ObjectivesLike = None,
    reference: Any = "worst",
    nan_policy: str = "raise",
    compute: bool = True,
    **options: Any,
) -> Any:
    """Test a claim on a table of runs in pieces; see ``df.moo.hv_test()``.

    One pass gathers the runs of the systems named and the rows at the extremes of the table, from which
    the reference point is taken; the test itself then is pandas', with the same p.

    Parameters
    ----------
    frame : table in pieces
        One row per system and repeat.
    new, baseline, system, repeat, objectives, reference, nan_policy, **options
        As for ``df.moo.hv_test()``.
    compute : bool
        As for :func:`copa_nb.streams.decisions.copa`.

    Returns
    -------
    HypervolumeTest or Delayed

    Raises
    ------
    ValueError
        As pandas' verb does. Systems that are not there are named; those that are, are not listed.

    See Also
    --------
    copa_nb.accessor.Moo.hv_test : The same in memory.
    """
    settings = {"system": system, "repeat": repeat, "new": new, "baseline": baseline, "reference": reference,
                "nan_policy": nan_policy, **options}  # fmt: skip
    named = {"new": as_list(new), "baseline": as_list(baseline)}
    return _gather_and_run(frame, pandas_test.hv_test, named, settings, objectives, compute=compute)


def audit(
    frame: Batches,
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
    """Test the claims named on a table of runs in pieces; see ``df.moo.audit()``.

    One pass gathers the runs of the systems that `claims` name, and the rows at the extremes of the table or of each
    domain; the audit itself then is pandas'.

    Parameters
    ----------
    frame : table in pieces
        One row per system and repeat (and domain).
    system, repeat, claims, by, objectives, reference, nan_policy, **options
        As for ``df.moo.audit()``; `claims` must say which systems matter.

    Returns
    -------
    Audit
        Equal to pandas', in the same order.

    Raises
    ------
    WholeTableNeededError
        Without `claims`.
    ValueError
        As pandas' verb does.

    See Also
    --------
    copa_nb.accessor.Moo.audit : The same in memory.
    """
    if claims is None:
        domains = "" if by is not None else ", or the columns that make domains: by='task'"
        raise WholeTableNeededError(
            "`audit` without `claims` compares every two systems, which needs the whole table in memory; name the "
            f"claims, e.g. claims=[('new', 'baseline')]{domains}."
        )
    claims = claims if isinstance(claims, pd.DataFrame | str) else list(claims)
    settings = {"system": system, "repeat": repeat, "claims": claims, "reference": reference, "nan_policy": nan_policy,
                **options}  # fmt: skip
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
    frame: Batches, verb: Any, named: dict[str, list[Hashable]], settings: dict[str, Any],
    objectives: ObjectivesLike, *, by: Any = None, compute: bool = True,
) -> Any:  # fmt: skip
    system, omits = settings["system"], settings["nan_policy"] == "omit"
    wanted = [label for labels in named.values() for label in labels]
    table = ask_of_runs(frame, settings, objectives=objectives, by=by, contenders=_extremes,
                        needed=partial(_runs_of, system=system, wanted=wanted, omits=omits))  # fmt: skip
    first = gather_rows(table)
    options = settings if by is None else {**settings, "by": by}
    run = partial(_run, plan=table.plan, verb=partial(verb, **options), named=named, system=system)
    if not compute:
        return frame.call(run, first)
    groups: ByGroup = frame.value(first)
    for gathered in groups.values():
        warn_omitted(check_seen(gathered, table.plan))
    return run(groups)


def ask_of_runs(frame: Batches, settings: dict[str, Any], **question: Any) -> Table:
    """Check a question about runs; see :func:`copa_nb.streams.batches.ask`."""
    reference = settings["reference"]
    # A Reference may supply the objectives; other reference points name no row.
    frozen = reference if isinstance(reference, Reference) else None
    return ask(frame, reference=frozen, nan_policy=settings["nan_policy"], system=settings["system"],
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
