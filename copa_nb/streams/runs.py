"""Tests and audits of runs in pieces: the rows that matter are gathered, the rest is pandas'."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.ranking.populations import Reference
from copa_nb.significance import audit as pandas_audit
from copa_nb.significance import hv_test as pandas_test
from copa_nb.significance.audit import Audit
from copa_nb.streams.batches import Batches, Table, WholeTableNeededError, as_list, ask
from copa_nb.streams.passes import ByGroup, check_seen, gather_rows, warn_omitted
from copa_nb.tables.columns import read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import RowsOmittedWarning


def hv_test(
    frame: Batches, described: DescribedFrame, new: Any, baseline: Any, *, reference: Any = "worst", **options: Any
) -> Any:
    """Test a claim on a table of runs in pieces; see ``df.moo.hv_test()``.

    One pass gathers the runs of the systems named and the rows at the extremes of the table, from which
    the reference point is taken; the test itself then is pandas', with the same p.

    Parameters
    ----------
    frame : table in pieces
        One row per system and repeat.
    described : DescribedFrame
        What its columns are.
    new, baseline, reference, **options
        As for ``df.moo.hv_test()``.

    Returns
    -------
    HypervolumeTest

    Raises
    ------
    ValueError
        As pandas' verb does. Systems that are not there are named; those that are, are not listed.

    See Also
    --------
    copa_nb.accessor.Moo.hv_test : The same in memory.
    """
    named = {"new": as_list(new), "baseline": as_list(baseline)}
    options |= {"new": new, "baseline": baseline, "reference": reference}
    return _gather_and_run(frame, described, pandas_test.hv_test, named, options)


def audit(
    frame: Batches, described: DescribedFrame, claims: Any = None, *, reference: Any = "worst", **options: Any
) -> Audit:
    """Test the claims named on a table of runs in pieces; see ``df.moo.audit()``.

    One pass gathers the runs of the systems that `claims` name, and the rows at the extremes of the table or of each
    domain; the audit itself then is pandas'.

    Parameters
    ----------
    frame : table in pieces
        One row per system and repeat (and domain).
    described : DescribedFrame
        What its columns are, and which of them make domains.
    claims, reference, **options
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
        domains = "" if described.groups is not None else ", or the columns that make domains: .by('task')"
        raise WholeTableNeededError(
            "`audit` without `claims` compares every two systems, which needs the whole table in memory; name the "
            f"claims, e.g. claims=[('new', 'baseline')]{domains}."
        )
    claims = claims if isinstance(claims, pd.DataFrame | str) else list(claims)
    options |= {"claims": claims, "reference": reference}
    outcome: Audit = _gather_and_run(
        frame, described, pandas_audit.audit, {"claims": _systems_claimed(claims)}, options
    )
    return outcome


def _systems_claimed(claims: Any) -> list[Hashable]:
    """Systems that claims name, in whatever form they are given; pandas' verb says what is wrong with others."""
    if isinstance(claims, pd.DataFrame):
        claims = claims[[name for name in ("new", "baseline") if name in claims]].itertuples(index=False, name=None)
    pairs = [pair for pair in claims if isinstance(pair, tuple | list)]
    return [label for pair in pairs for side in pair for label in as_list(side)]


def _gather_and_run(
    frame: Batches, described: DescribedFrame, verb: Callable[..., Any], named: dict[str, list[Hashable]],
    options: dict[str, Any],
) -> Any:  # fmt: skip
    system, omits = described.named("system"), described.policy("omit") == "omit"
    wanted = [label for labels in named.values() for label in labels]
    table = ask_of_runs(frame, described, options["reference"], contenders=_extremes,
                        needed=partial(_runs_of, system=system, wanted=wanted, omits=omits))  # fmt: skip
    groups: ByGroup = frame.value(gather_rows(table))
    for gathered in groups.values():
        warn_omitted(check_seen(gathered, table.plan))
    # Group after group, which the verbs take apart again: so groups stay in order of first appearance.
    rows = pd.concat([check_seen(gathered, table.plan).rows for gathered in groups.values() or [None]])
    systems = read_labels(rows, system, "system").labels
    for argument, labels in named.items():
        for label in labels:
            if label not in systems:
                raise ValueError(f"`{argument}` names {label!r}, which is not a system of the table.")
    with warnings.catch_warnings():
        # Announced before, with the count of the whole table.
        warnings.simplefilter("ignore", RowsOmittedWarning)
        return verb(replace(described.saying(table.plan.objectives), frame=rows), **options)


def ask_of_runs(frame: Batches, described: DescribedFrame, reference: Any, **question: Any) -> Table:
    """Check a question about runs; see :func:`copa_nb.streams.batches.ask`."""
    # A Reference may supply the objectives; other reference points name no row.
    frozen = reference if isinstance(reference, Reference) else None
    return ask(frame, described, reference=frozen, system=described.named("system"), repeat=described.say("repeat"),
               **question)  # fmt: skip


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
