"""Passes over a table in pieces: reduce every piece, merge in a tree, conclude from what is left.

The first pass gathers the few rows that an answer depends on, with counts and extremes of all others; the second
adds up, part by part, what the whole table says about those rows. Then the pandas verb's own functions conclude.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.ranking.normalize import rows_named
from copa_nb.results.result import Grouped, of_groups
from copa_nb.streams.batches import Piece, Plan, Table
from copa_nb.tables.candidates import ONLY_MISSING, allowed_mask, nothing_allowed
from copa_nb.tables.frames import rows_at, stacked
from copa_nb.tables.objectives import (
    SHOWN_LABELS,
    ObjectiveMatrix,
    RowsOmittedWarning,
    count_as_worst,
    missing_message,
    none_left,
    to_minimization,
)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Gathered:
    """Rows that an answer depends on, and counts and extremes of all rows, of one group in one or several pieces.

    Parameters
    ----------
    n_rows, n_kept, n_allowed, n_candidates : int
        Rows; those that the policy for missing values keeps; those that the constraint allows; both.
    n_missing : ndarray of int64, shape (k,)
        Missing values by objective.
    first_missing : list of lists of (piece, position, label)
        The first rows without a value, by objective.
    ideal, nadir : ndarray of float64, shape (k,)
        Smallest and largest costs of the rows kept.
    reference_rows : ndarray of float64, shape (r, k)
        Costs of the rows that bear the name of the reference row.
    overall : ndarray of float64, shape (q, k), or None
        Costs of the front of all rows kept, where a constraint makes it another one.
    costs : ndarray of float64, shape (m, k)
        Costs of the rows gathered.
    needed : ndarray of bool, shape (m,)
        Those gathered whatever their costs.
    places : ndarray of int64, shape (m, 2)
        Their pieces and positions in these.
    rows : DataFrame
        The rows gathered; of any library, where a pass takes them with all columns.
    """

    n_rows: int
    n_kept: int
    n_allowed: int
    n_candidates: int
    n_missing: np.ndarray
    first_missing: list[list[tuple[int, int, Hashable]]]
    ideal: np.ndarray
    nadir: np.ndarray
    reference_rows: np.ndarray
    overall: np.ndarray | None
    costs: np.ndarray
    needed: np.ndarray
    places: np.ndarray
    rows: pd.DataFrame

    @property
    def n_omitted(self) -> int:
        """Rows left out for missing values."""
        return self.n_rows - self.n_kept

    def matrix(self, plan: Plan) -> ObjectiveMatrix:
        """The rows gathered, in the form that the analyses take."""
        return ObjectiveMatrix(
            self.costs, plan.objectives, np.arange(len(self.costs)), self.rows.index, self.n_omitted, frame=self.rows
        )

    def on_front(self) -> np.ndarray:
        """Mark the rows gathered that no row of the table dominates."""
        if self.overall is None:
            return np.ones(len(self.costs), dtype=bool)
        return nondominated(np.concatenate([self.costs, self.overall]))[: len(self.costs)]


ByGroup = dict[Hashable, Gathered]


def gather_rows(table: Table) -> Any:
    """Gather rows by group: the first pass."""
    return table.reduce(gather, merge=partial(merge_groups, plan=table.plan))


def add_up(table: Table, function: Callable[[np.ndarray, Any], Any], arguments: Any) -> Any:
    """Add up ``function(costs, arguments[group])`` over all pieces, by group: the second pass.

    `arguments` may be the result of a pass that is not computed yet.
    """
    return table.reduce(_apply, function, arguments, merge=_added)


# ----------------------------------------------------------------------------------------------------- one piece


def gather(piece: Piece, plan: Plan) -> ByGroup:
    """Gather rows of one piece by group."""
    part, number, mask = piece.frame, piece.number, piece.mask
    if len(part) == 0:
        return {}
    costs, missing, complete = plan.read(part)
    allowed = allowed_mask(part, plan.where if mask is None else mask)
    needed = np.zeros(len(part), dtype=bool) if plan.needed is None else plan.needed(part, complete)
    matters = complete & allowed | needed
    gathered = {}
    for group, rows in plan.groups(part).items():
        kept = rows[complete[rows]]
        population, gaps = _take(costs, kept), _take(missing, rows)
        eligible = rows[matters[rows]]
        chosen = eligible[_choose(_take(costs, eligible), needed[eligible], plan)]
        named = kept[:0] if plan.reference_row is None else kept[rows_named(part.index[kept], plan.reference_row)]
        gathered[group] = Gathered(
            n_rows=len(rows),
            n_kept=len(kept),
            n_allowed=int(allowed[rows].sum()),
            n_candidates=int(allowed[kept].sum()),
            n_missing=gaps.sum(axis=0),
            first_missing=[
                [(number, int(row), part.index[row]) for row in rows[column][:SHOWN_LABELS]] for column in gaps.T
            ],
            ideal=population.min(axis=0, initial=np.inf),
            nadir=population.max(axis=0, initial=-np.inf),
            reference_rows=costs[named],
            overall=_front(population) if plan.restricted else None,
            costs=costs[chosen],
            needed=needed[chosen],
            places=np.column_stack([np.full(len(chosen), number), chosen]),
            rows=part.iloc[chosen] if piece.rows_at is None else piece.rows_at(chosen),
        )
    return gathered


def _choose(costs: np.ndarray, needed: np.ndarray, plan: Plan) -> np.ndarray:
    """Mark the rows to gather: those needed, and those of the others that contend by their costs."""
    if plan.contenders is None or len(costs) == 0:
        return needed
    complete = ~np.isnan(costs).any(axis=1) if np.isnan(costs.min()) else np.ones(len(costs), dtype=bool)
    rows = np.flatnonzero(complete)
    chosen = needed.copy()
    chosen[rows] |= plan.contenders(_take(costs, rows)) if len(rows) else False
    return chosen


def _take(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows, ascending; all of them without a copy."""
    return values if len(rows) == len(values) else values[rows]


def _front(costs: np.ndarray) -> np.ndarray:
    # One of several equal rows is enough to tell who is dominated.
    return costs[nondominated(costs, keep="first")] if len(costs) else costs


def _apply(piece: Piece, plan: Plan, function: Callable[[np.ndarray, Any], Any], arguments: Any) -> dict[Hashable, Any]:
    if len(piece.frame) == 0:
        return {}
    costs, _, complete = plan.read(piece.frame)
    # A group that is new says that the source has changed, which is refused once the pass is over.
    return {
        group: function(_take(costs, rows[complete[rows]]), arguments[group])
        for group, rows in plan.groups(piece.frame).items()
        if group in arguments
    }


# --------------------------------------------------------------------------------------------------------- merging


def merge_groups(parts: Sequence[ByGroup], plan: Plan) -> ByGroup:
    """Merge pieces that follow each other; groups stay in order of first appearance."""
    groups: dict[Hashable, list[Gathered]] = {}
    for part in parts:
        for group, gathered in part.items():
            groups.setdefault(group, []).append(gathered)
    return {group: merge(members, plan) for group, members in groups.items()}


def merge(parts: list[Gathered], plan: Plan) -> Gathered:
    """Merge what was gathered in several pieces or groups."""
    if len(parts) == 1:
        return parts[0]

    def each(name: str) -> list[Any]:
        return [getattr(part, name) for part in parts]

    costs, needed = np.concatenate(each("costs")), np.concatenate(each("needed"))
    chosen = _choose(costs, needed, plan)
    overall = [part.overall for part in parts if part.overall is not None]
    # Empty frames would have a say in the dtypes.
    frames = [part.rows for part in parts if len(part.rows)] or [parts[0].rows]
    return Gathered(
        **{name: sum(each(name)) for name in ("n_rows", "n_kept", "n_allowed", "n_candidates", "n_missing")},
        first_missing=[
            sorted((gap for gaps in columns for gap in gaps), key=lambda gap: gap[:2])[:SHOWN_LABELS]
            for columns in zip(*each("first_missing"), strict=True)
        ],
        ideal=np.min(each("ideal"), axis=0),
        nadir=np.max(each("nadir"), axis=0),
        reference_rows=np.concatenate(each("reference_rows")),
        overall=_front(np.concatenate(overall)) if overall else None,
        costs=costs[chosen],
        needed=needed[chosen],
        places=np.concatenate(each("places"))[chosen],
        rows=rows_at(stacked(frames), np.flatnonzero(chosen)),
    )


def _added(parts: list[dict[Hashable, Any]]) -> dict[Hashable, Any]:
    groups = dict.fromkeys(group for part in parts for group in part)
    return {group: sum(part[group] for part in parts if group in part) for group in groups}


# ------------------------------------------------------------------------------------------------------ concluding


def check_seen(gathered: Gathered | None, plan: Plan, *, instead: str = "") -> Gathered:
    """Refuse what pandas refuses, in the same words, once the whole table was seen.

    Parameters
    ----------
    gathered : Gathered or None
        What was seen; None of a table without rows.
    plan : Plan
    instead : str
        What may be done about missing values, if not what the gate offers.
    """
    if gathered is None:
        to_minimization(plan.empty, plan.objectives)
        raise AssertionError("an empty table must not pass")
    if plan.nan_policy != "worst" and gathered.n_missing.any():
        none_kept = plan.nan_policy == "omit" and gathered.n_kept == 0
        labels = [[label for _, _, label in gaps] for gaps in gathered.first_missing]
        message = missing_message(
            plan.objectives,
            gathered.n_missing.tolist(),
            labels,
            gathered.n_rows,
            instead=count_as_worst() if none_kept else instead,
        )
        if plan.nan_policy == "raise":
            raise ValueError(message)
        if none_kept:
            raise ValueError(none_left(message))
    if plan.restricted and gathered.n_allowed == 0:
        raise ValueError(nothing_allowed(plan.where, gathered.n_rows))
    if gathered.n_candidates == 0:
        raise ValueError(ONLY_MISSING)
    return gathered


def check_all(groups: ByGroup, plan: Plan, *, instead: str = "") -> Gathered:
    """Merge all groups, and refuse what pandas refuses for the table as a whole; see :func:`check_seen`."""
    return check_seen(merge(list(groups.values()), plan) if groups else None, plan, instead=instead)


def warn_omitted(gathered: Gathered) -> None:
    """Say how many rows were left out."""
    if gathered.n_omitted:
        message = f"{gathered.n_omitted} of {gathered.n_rows} rows have a missing objective and are left out"
        warnings.warn(message, RowsOmittedWarning, stacklevel=checks.callers_level())


def conclude(
    groups: ByGroup, plan: Plan, verb: Callable[..., Result], *by_group: Mapping[Hashable, Any]
) -> Result | Grouped[Result]:
    """Check every group and apply ``verb(gathered, *values of the group)``; an error names the group it arose in."""

    def of_group(group: Hashable) -> Result:
        return verb(check_seen(groups.get(group), plan), *(values[group] for values in by_group))

    if plan.by is None or not groups:
        return of_group(None)
    return of_groups({group: group for group in groups}, plan.by, of_group)


def without_rows(groups: ByGroup) -> ByGroup:
    """Leave the rows where they are and pass on what is known of them."""
    return {
        group: replace(gathered, rows=pd.DataFrame(index=range(len(gathered.rows))))
        for group, gathered in groups.items()
    }


def settle(table: Table, first: Any) -> Any:
    """Keep the result of the first pass where it was computed; refuse or warn as pandas does."""
    kept = table.batches.keep(first)
    for gathered in table.batches.value(table.batches.call(_seen, kept, table.plan)):
        warn_omitted(gathered)
    return kept


def _seen(groups: ByGroup, plan: Plan) -> list[Gathered]:
    conclude(groups, plan, lambda gathered: None)
    return [replace(g, costs=g.costs[:0], rows=g.rows.iloc[:0], overall=None) for g in groups.values()]


def places_of(groups: ByGroup, plan: Plan) -> np.ndarray:
    """Piece and position of every row gathered, over all groups; in order. Refuses and warns as pandas does."""
    warn_omitted(check_all(groups, plan))
    places = np.concatenate([gathered.places for gathered in groups.values()])
    return places[np.lexsort((places[:, 1], places[:, 0]))]
