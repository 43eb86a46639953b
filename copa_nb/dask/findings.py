"""The first pass: what each partition tells, and how what they tell is merged."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb.candidates import ONLY_MISSING, allowed_mask, nothing_allowed
from copa_nb.dask.plan import Plan
from copa_nb.objectives import SHOWN_LABELS, ObjectiveMatrix, missing_message, to_minimisation
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.selection.normalize import rows_named

# Where a value is missing: partition, position in it, label of the row.
Gap = tuple[int, int, Hashable]


@dataclass(frozen=True)
class Findings:
    """What is known of one group of rows after the first pass, in one partition or in several.

    Parameters
    ----------
    n_rows, n_kept, n_allowed, n_candidates : int
        Rows; those that the policy for missing values keeps; those that the constraint allows; both.
    n_missing : ndarray of int64, shape (k,)
        Missing values by objective.
    without : list of lists of (partition, position, label)
        The first rows without a value, by objective.
    ideal, nadir : ndarray of float64, shape (k,)
        Smallest and largest costs of the rows kept.
    costs : ndarray of float64, shape (m, k)
        Costs of the rows on the front of the candidates (or of the rows asked for).
    places : ndarray of int64, shape (m, 2)
        Partition and position in it of those rows.
    rows : DataFrame or None
        Those rows.
    overall : ndarray of float64, shape (q, k), or None
        Costs of the front of all rows kept, where a constraint makes it another one.
    named : ndarray of float64, shape (r, k)
        Costs of the rows that bear the name of the reference row.
    """

    n_rows: int
    n_kept: int
    n_allowed: int
    n_candidates: int
    n_missing: np.ndarray
    without: list[list[Gap]]
    ideal: np.ndarray
    nadir: np.ndarray
    costs: np.ndarray
    places: np.ndarray
    rows: pd.DataFrame | None
    overall: np.ndarray | None
    named: np.ndarray

    @property
    def n_omitted(self) -> int:
        """Rows left out for missing values."""
        return self.n_rows - self.n_kept

    def matrix(self, plan: Plan) -> ObjectiveMatrix:
        """The rows found, in the form that the analyses take."""
        assert self.rows is not None
        return ObjectiveMatrix(self.costs, plan.objectives, np.arange(len(self.costs)), self.rows.index, self.n_omitted)

    def on_front(self) -> np.ndarray:
        """Mark the rows found that no row of the table dominates."""
        if self.overall is None:
            return np.ones(len(self.costs), dtype=bool)
        return nondominated(np.concatenate([self.costs, self.overall]))[: len(self.costs)]


ByGroup = dict[Hashable, Findings]


def examine(part: pd.DataFrame, mask: pd.Series | None, plan: Plan, partition_info: Any = None) -> ByGroup:
    """Make the findings of one partition."""
    if len(part) == 0:
        return {}
    number = partition_info["number"] if partition_info else 0
    costs, missing = plan.read(part)
    allowed = allowed_mask(part, plan.where if mask is None else mask)
    return {
        group: _examine(part, costs, missing, allowed, rows, plan, number) for group, rows in plan.groups(part).items()
    }


def _examine(
    part: pd.DataFrame, costs: np.ndarray, missing: np.ndarray, allowed: np.ndarray, rows: np.ndarray, plan: Plan,
    number: int,
) -> Findings:  # fmt: skip
    gaps = _taken(missing, rows)
    kept = rows[plan.complete(gaps)] if gaps.any() else rows
    candidates = kept[allowed[kept]]
    population = _taken(costs, kept)
    chosen = candidates[_choose(part, costs, candidates, plan)]
    count = len(plan.objectives)
    named = kept[:0] if plan.reference_row is None else kept[rows_named(part.index[kept], plan.reference_row)]
    return Findings(
        n_rows=len(rows),
        n_kept=len(kept),
        n_allowed=int(allowed[rows].sum()),
        n_candidates=len(candidates),
        n_missing=gaps.sum(axis=0),
        without=[first_gaps(part.index, rows[gaps[:, k]], number) for k in range(count)],
        ideal=population.min(axis=0, initial=np.inf),
        nadir=population.max(axis=0, initial=-np.inf),
        costs=costs[chosen],
        places=np.column_stack([np.full(len(chosen), number), chosen]),
        rows=part.iloc[chosen],
        overall=_front(population) if plan.restricted else None,
        named=costs[named],
    )


def _choose(part: pd.DataFrame, costs: np.ndarray, candidates: np.ndarray, plan: Plan) -> np.ndarray:
    if plan.labels is not None:
        return part.index[candidates].isin(plan.labels)
    if len(candidates) == 0:
        return np.zeros(0, dtype=bool)
    return nondominated(_taken(costs, candidates), keep=plan.keep)


def _taken(values: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """Some rows, ascending; all of them without a copy."""
    return values if len(rows) == len(values) else values[rows]


def _front(costs: np.ndarray) -> np.ndarray:
    # One of several equal rows is enough to tell who is dominated.
    return costs[nondominated(costs, keep="first")] if len(costs) else costs


def merge(parts: Sequence[ByGroup], plan: Plan) -> ByGroup:
    """Merge the findings of partitions that follow each other; groups stay in order of first appearance."""
    groups: dict[Hashable, list[Findings]] = {}
    for part in parts:
        for group, findings in part.items():
            groups.setdefault(group, []).append(findings)
    return {group: _merged(findings, plan) for group, findings in groups.items()}


def _merged(parts: list[Findings], plan: Plan) -> Findings:
    if len(parts) == 1:
        return parts[0]
    costs = np.concatenate([part.costs for part in parts])
    stays = np.ones(len(costs), dtype=bool)
    if plan.labels is None and len(costs):
        stays = nondominated(costs, keep=plan.keep)
    overall = [part.overall for part in parts if part.overall is not None]
    return Findings(
        n_rows=sum(part.n_rows for part in parts),
        n_kept=sum(part.n_kept for part in parts),
        n_allowed=sum(part.n_allowed for part in parts),
        n_candidates=sum(part.n_candidates for part in parts),
        n_missing=np.sum([part.n_missing for part in parts], axis=0),
        without=merged_gaps([part.without for part in parts]),
        ideal=np.min([part.ideal for part in parts], axis=0),
        nadir=np.max([part.nadir for part in parts], axis=0),
        costs=costs[stays],
        places=np.concatenate([part.places for part in parts])[stays],
        rows=_merged_rows([part.rows for part in parts if part.rows is not None], stays),
        overall=_front(np.concatenate(overall)) if overall else None,
        named=np.concatenate([part.named for part in parts]),
    )


def _merged_rows(frames: list[pd.DataFrame], stays: np.ndarray) -> pd.DataFrame | None:
    if not frames:
        return None
    # Empty frames would have a say in the dtypes.
    filled = [frame for frame in frames if len(frame)] or frames[:1]
    return (filled[0] if len(filled) == 1 else pd.concat(filled))[stays]


def first_gaps(index: pd.Index, rows: np.ndarray, number: int) -> list[Gap]:
    """Name the first rows of a partition that lack a value."""
    return [(number, int(row), index[row]) for row in rows[:SHOWN_LABELS]]


def merged_gaps(parts: Sequence[list[list[Gap]]]) -> list[list[Gap]]:
    """Name the first rows of several partitions, or groups, that lack a value, by objective."""
    return [
        sorted((gap for gaps in column for gap in gaps), key=lambda gap: gap[:2])[:SHOWN_LABELS]
        for column in zip(*parts, strict=True)
    ]


def together(found: ByGroup) -> Findings | None:
    """Counts and extremes over all groups; the costs and rows in it are those of one group only."""
    groups = list(found.values())
    if not groups:
        return None
    return replace(
        groups[0],
        n_rows=sum(group.n_rows for group in groups),
        n_kept=sum(group.n_kept for group in groups),
        n_allowed=sum(group.n_allowed for group in groups),
        n_candidates=sum(group.n_candidates for group in groups),
        n_missing=np.sum([group.n_missing for group in groups], axis=0),
        without=merged_gaps([group.without for group in groups]),
        ideal=np.min([group.ideal for group in groups], axis=0),
        nadir=np.max([group.nadir for group in groups], axis=0),
    )


def without_rows(found: ByGroup) -> ByGroup:
    """Leave the rows where they are and pass on what is known of them."""
    return {group: replace(findings, rows=None) for group, findings in found.items()}


class Gaps(Protocol):
    """Whatever counted the missing values of a table."""

    @property
    def n_rows(self) -> int:
        """Rows."""

    @property
    def n_missing(self) -> np.ndarray:
        """Missing values by objective."""

    @property
    def without(self) -> list[list[Gap]]:
        """The first rows without a value, by objective."""


def check_missing(found: Gaps, plan: Plan) -> None:
    """Refuse missing values where the policy says so."""
    if plan.nan_policy == "raise" and found.n_missing.any():
        raise ValueError(_missing(found, plan))


def _missing(found: Gaps, plan: Plan) -> str:
    labels = [[label for _, _, label in gaps] for gaps in found.without]
    return missing_message(plan.objectives, found.n_missing.tolist(), labels, found.n_rows)


def check(found: Findings | None, plan: Plan) -> Findings:
    """Refuse what pandas refuses, in the same words, once the whole table was seen."""
    if found is None or found.n_rows == 0:
        to_minimisation(plan.empty, plan.objectives)
        raise AssertionError("an empty table must not pass")
    check_missing(found, plan)
    if plan.nan_policy == "omit" and found.n_kept == 0:
        raise ValueError(f'`nan_policy="omit"` leaves no row: {_missing(found, plan)}')
    if plan.restricted and found.n_allowed == 0:
        raise ValueError(nothing_allowed(plan.where, found.n_rows))
    if found.n_candidates == 0:
        raise ValueError(ONLY_MISSING)
    return found
