"""The verb ``gap``: what a front chosen on validation data is worth on test data (section 3)."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace
from typing import Any

from copa_nb import checks, text
from copa_nb.generalization.groups import GapOfGroups
from copa_nb.generalization.one_search import measure_gap
from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.generalization.result import Gap
from copa_nb.generalization.scores import PairedScores, pair_scores, parts_of
from copa_nb.generalization.searches import BOUNDS, Searches
from copa_nb.generalization.ties import labeled, measure_ties
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame, takes_groups

# Of rows with equal scores: all, the first, or every way to keep one of them.
KEEP_OR_BOUNDS = (*KEEP, BOUNDS)


@takes_groups
def gap(
    table: DescribedFrame,
    *,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
) -> Gap:
    """Take the Pareto front on validation scores and measure what it is worth on test scores."""
    checks.one_of("keep", keep, KEEP_OR_BOUNDS)
    scores = pair_scores(table, where)
    point = scores.reference(reference, reference_margin)
    (by, repeat), order = _searches_apart(table), table.say("order")
    asked = {part: repr(name) for part, name in zip(("validation", "test"), parts_of(table), strict=True)}
    asked |= {"where": _as_code(where)} if where is not None else {}
    asked |= {"order": repr(order)} if order is not None else {}
    searches = Searches.of(scores, by=by, repeat=repeat, order=order, reference=point, keep=keep, asked=asked)
    return gap_of(
        scores if scores.candidates is None else scores.take(scores.allowed()), point, keep=keep, by=by, repeat=repeat,
        reference_given=not isinstance(reference, str), searches=searches,
    )  # fmt: skip


def columns_of_searches(table: DescribedFrame) -> tuple[Any, Any]:
    """Columns that may tell searches apart: those that split the table or name systems, and those of repetitions."""
    by = table.say("system") if table.groups is None else table.groups
    repeat = table.say("repeat")
    return by, None if {*as_names(by)} & {*as_names(repeat)} else repeat


def _searches_apart(table: DescribedFrame) -> tuple[Any, Any]:
    """Those of the columns that do: a single system, or a single repetition, is no search among others."""
    by, repeat = columns_of_searches(table)
    if table.groups is None and by is not None and len(table.labels("system").index) < 2:
        by = None
    if repeat is not None and len(table.labels("repeat").index) < 2:
        repeat = None
    return by, repeat


def _as_code(where: Where) -> str:
    return repr(where) if isinstance(where, str) else str(getattr(where, "__name__", "where"))


def gap_of(
    candidates: PairedScores, reference: dict[Hashable, float], *, keep: str, by: Any, repeat: Any,
    reference_given: bool, searches: Searches | None = None,
) -> Gap:  # fmt: skip
    """Measure the gap of the rows that may be on a front, by group and by repetition; see :func:`gap`."""
    if keep == BOUNDS and repeat is not None:
        raise ValueError(
            f"keep='bounds' is measured of single searches, and `repeat`={repeat!r} makes several; measure each by "
            "itself: leave the repetitions out of the description, and split the table with df.moo.by(...)."
        )

    def measure(part: PairedScores, among: Searches | None, group: str = "") -> Gap:
        if keep == BOUNDS:
            return labeled(measure_ties(part, reference, reference_given=reference_given), group, among)
        found = measure_gap(part, reference, keep=keep, reference_given=reference_given)
        return replace(found, _group=group, _searches=among)

    def measure_repeats(part: PairedScores, among: Searches | None, group: str = "") -> Gap:
        found = part.by_group(repeat, "repeat", lambda rows, label: measure(rows, among and among.of_repetition(label)))
        return GapOfRepeats(found, "repetitions", _group=group, _searches=among)

    measured = measure if repeat is None else measure_repeats
    if by is None:
        return measured(candidates, searches)
    found = candidates.by_group(
        by, "by", lambda rows, label: measured(rows, searches and searches.of_group(label), text.label(label))
    )
    return GapOfGroups(found.results, by, searches)
