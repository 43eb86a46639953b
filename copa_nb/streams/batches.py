"""A table in pieces and what is asked of it: directions, the columns that matter, and what is refused unread."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
import pandas as pd

from copa_nb.ranking.populations import Reference
from copa_nb.tables.candidates import allowed_mask
from copa_nb.tables.columns import column_or_level, positions_by_group
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.frames import InPieces
from copa_nb.tables.missing_values import BOUNDS
from copa_nb.tables.objectives import NAN_POLICIES, Objectives, costs_with_gaps

Merge = Callable[[list[Any]], Any]
ROWS_IN_MEMORY = 2_000_000


class WholeTableNeededError(TypeError):
    """An answer would need the whole table in one machine's memory."""


def refuse(verb: str, instead: Mapping[str, str], default: str) -> NoReturn:
    """Say why a verb does not run in passes, and what to call instead."""
    advice = instead.get(verb, default).format(verb=verb)
    raise WholeTableNeededError(f"`{verb}` needs the whole table in one machine's memory; {advice}.")


@dataclass(frozen=True)
class Piece:
    """Rows that follow each other.

    Parameters
    ----------
    number : int
        Their place among the pieces, from 0.
    frame : DataFrame
        The columns that matter.
    mask : Series or ndarray of bool, optional
        Who may be chosen, where the engine has evaluated it.
    rows_at : callable, optional
        Gives some of the rows with all columns, in the kind in which they go back, where those are wanted.
    """

    number: int
    frame: pd.DataFrame
    mask: Any = None
    rows_at: Callable[[np.ndarray], Any] | None = None


class Batches(InPieces):
    """A table that is read in pieces. An engine says how a pass is made; everything else is the same for all.

    Attributes
    ----------
    rows_in_memory : int
        Rows that verbs may hold that need several together, such as all of an item.
    """

    rows_in_memory: int = ROWS_IN_MEMORY

    @property
    def _is_read_again_at_ease(self) -> bool:
        """Whether a second look at a few rows costs little; what makes the table may have to be computed for it."""
        return False

    def pieces(self, table: Table) -> Iterator[Piece]:
        """Read the columns that matter, piece by piece, on this machine."""
        raise NotImplementedError

    @abstractmethod
    def condition(self, where: Any, by: Any) -> Any:
        """Check a constraint that is no expression in text, and return what :meth:`reduce` evaluates."""

    @abstractmethod
    def reduce(self, table: Table, function: Callable[..., Any], *arguments: Any, merge: Merge) -> Any:
        """Make one pass: apply ``function(piece, *arguments)`` to every piece, merge neighbors until one is left."""

    def call(self, function: Callable[..., Any], *values: Any) -> Any:
        """Apply a function to results of passes, when they are there."""
        return function(*values)

    def value(self, result: Any) -> Any:
        """Return the result of a pass."""
        return result

    def keep(self, result: Any) -> Any:
        """Return the result of a pass where it was computed, once and for all."""
        return result

    def check_passes(self, passes: int) -> None:
        """Refuse more passes than the table can be read."""


@dataclass(frozen=True)
class Plan:
    """What is asked of a table, in a form that travels to other processes.

    Parameters
    ----------
    objectives : Objectives
        Names and directions.
    nan_policy : {"raise", "omit", "worst"}
        How missing values are treated.
    where : str or None
        Expression that says who may be chosen.
    restricted : bool
        Whether anything says so (an expression, or a condition that the engine evaluates).
    by : label, list of labels or None
        Columns that make groups.
    reference_row : label or None
        Row that "relative" compares with.
    needed : callable or None
        Marks rows to gather: ``needed(frame, complete) -> mask``.
    contenders : callable or None
        Marks further rows to gather by their costs, in a piece and again whenever pieces are merged, e.g. those that no
        other row dominates: ``contenders(costs) -> mask``.
    empty : DataFrame
        The table without rows.
    """

    objectives: Objectives
    nan_policy: str
    where: str | None
    restricted: bool
    by: Any
    reference_row: Hashable
    needed: Callable[[pd.DataFrame, np.ndarray], np.ndarray] | None
    contenders: Callable[[np.ndarray], np.ndarray] | None
    empty: pd.DataFrame

    def read(self, part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the costs of a piece, which values are missing, and which rows the policy keeps.

        Under "omit" and "raise" costs are NaN where values are missing.
        """
        costs = costs_with_gaps(part, self.objectives)
        missing = np.isnan(costs)
        if self.nan_policy == "worst":
            costs[missing] = np.inf
            return costs, missing, np.ones(len(costs), dtype=bool)
        return costs, missing, ~missing.any(axis=1)

    def groups(self, part: pd.DataFrame) -> dict[Hashable, np.ndarray]:
        """Rows of a piece by group, in order of first appearance."""
        return {None: np.arange(len(part))} if self.by is None else positions_by_group(part, self.by)


@dataclass(frozen=True)
class Table:
    """A table in pieces with what is asked of it.

    Parameters
    ----------
    batches : Batches
        The table.
    columns : list of labels
        The columns that matter; what else a file holds is not read.
    mask : object
        What the engine evaluates to tell who may be chosen; None if it is nothing.
    plan : Plan
        The question.
    """

    batches: Batches
    columns: list[Hashable]
    mask: Any
    plan: Plan

    def reduce(self, function: Callable[..., Any], *arguments: Any, merge: Merge) -> Any:
        """Make one pass; see :meth:`Batches.reduce`."""
        return self.batches.reduce(self, function, self.plan, *arguments, merge=merge)


def ask(
    batches: Batches,
    table: DescribedFrame,
    *,
    where: Any = None,
    reference: Any = None,
    needed: Callable[[pd.DataFrame, np.ndarray], np.ndarray] | None = None,
    contenders: Callable[[np.ndarray], np.ndarray] | None = None,
    **labels: Any,
) -> Table:
    """Check a question as far as that is possible without reading the table.

    Parameters
    ----------
    batches : Batches
        The table.
    table : DescribedFrame
        What its columns are, and which of them split it.
    where, reference
        As for ``df.moo.copa()``.
    needed, contenders
        See :class:`Plan`.
    **labels
        Further columns that matter, by argument.
    """
    empty, by = table.frame, table.groups
    resolved = table.objectives(reference)
    names = [(argument, name) for argument, given in {"by": by, **labels}.items() for name in as_list(given)]
    for argument, name in names:
        column_or_level(empty, name, argument)
    expression = where if isinstance(where, str) else None
    if expression is not None:
        allowed_mask(empty, expression)
    mask = None if where is None or expression is not None else batches.condition(where, by)
    wanted = {*resolved, *(name for _, name in names)}
    columns: list[Hashable] = [c for c in empty.columns if c in wanted or (expression and str(c) in expression)]
    row = None if isinstance(reference, Reference) else reference
    policy = table.policy(*NAN_POLICIES)
    plan = Plan(resolved, policy, expression, where is not None, by, row, needed, contenders, empty)
    return Table(batches, columns, mask, plan)


def refuse_bounds(described: DescribedFrame) -> None:
    """Refuse to answer for all values of missing cells, which a verb in memory would do.

    Raises
    ------
    WholeTableNeededError
        For a table with ``nan_policy="bounds"``.
    """
    if described.policy(BOUNDS) == BOUNDS:
        raise WholeTableNeededError(
            f"`nan_policy` is {BOUNDS!r}, which needs the whole table in one machine's memory; say 'omit' or 'worst' "
            "of this table, or read it: table.to_pandas()."
        )


def as_list(names: Any) -> list[Any]:
    """Return one label, several, or None as a list."""
    if names is None:
        return []
    return list(names) if isinstance(names, list | set | frozenset | pd.Index | np.ndarray) else [names]
