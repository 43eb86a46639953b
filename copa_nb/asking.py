"""How a verb is asked of a described table: which rows it sees, and which words it is told.

Verbs on rows answer for systems: for the rows of the table where these are systems or candidates, for means where they
are scores on items, or runs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from copa_nb import checks
from copa_nb.comparisons.means_of_systems import means_of_systems
from copa_nb.results.result import of_groups
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import Description
from copa_nb.tables.frames import ForeignFrame, InPieces, in_pieces, pandas_of, read_frame
from copa_nb.tables.objectives import Objectives, resolve_objectives


@dataclass(frozen=True)
class DescribedTable:
    """A table with its description, which verbs are asked of.

    Parameters
    ----------
    frame : DataFrame, ForeignFrame or InPieces
        The table.
    description : Description
        What its columns are.
    groups : label or list of labels, optional
        Columns that split it.
    """

    frame: Any
    description: Description
    groups: Any = None

    @property
    def columns(self) -> pd.DataFrame:
        """The table as pandas, without rows where it is read in pieces."""
        return cast("pd.DataFrame", pandas_of(self.frame))

    def objectives(self) -> Objectives:
        """What is good, or an error that says how to describe it."""
        return resolve_objectives(self.columns, self.description.objectives)

    def answer(self, function: Callable[..., Any], options: Mapping[str, Any], *, of_rows: bool = False) -> Any:
        """Ask the function behind a verb; those that are `of_rows` see one row for each system or candidate."""
        self.description.check_roles(self.columns)
        if of_rows:
            self.description.check_objectives(self.columns)
        averaged = of_rows and self.is_measured
        if self.groups is not None and (averaged or not getattr(function, "takes_groups", False)):
            return self._of_groups(function, options, of_rows=of_rows)
        frame = self._rows() if of_rows else self.frame
        description = Description.of_frame(pandas_of(frame)) if averaged else self.description
        origin = frame if isinstance(frame, ForeignFrame) else None
        described = DescribedFrame(pandas_of(frame), description, self.groups, origin)
        if isinstance(frame, InPieces):
            return frame.answer(function.__name__, described, **options)
        if origin is not None and "where" in options:
            options = {**options, "where": origin.mask(options["where"])}
        answer = function(described, **options)
        answer = answer if origin is None else origin.back(answer)
        # A choice that is refined later is told what it was made on.
        remember = getattr(answer, "described_as", None)
        return answer if remember is None else remember(self.columns if averaged else None, self._roles())

    @property
    def is_measured(self) -> bool:
        """Whether rows are scores on items, or runs, of which systems have several."""
        return self.description.kind(self.columns) in ("items", "runs")

    def _roles(self) -> dict[str, Any]:
        """What columns say how precise values are, by the words that verbs know."""
        words = ("system", "item", "cluster", "repeat", "standard_error", "n", "known")
        return {word: value for word in words if (value := self.description.get(word)) is not None}

    def rows(self) -> pd.DataFrame:
        """What verbs on rows see, as pandas: one row for each system or candidate."""
        self.description.check_roles(self.columns)
        self.description.check_objectives(self.columns)
        frame = self._rows()
        if isinstance(frame, InPieces):
            raise TypeError(
                "a picture needs the whole table, which is read in pieces here; draw its front, "
                "table.moo.front(), or a sample of its rows."
            )
        return cast("pd.DataFrame", pandas_of(frame))

    def _rows(self) -> Any:
        """The table with one row for each system or candidate."""
        system = self.description.get("system")
        if self.is_measured:
            return self._means(self.objectives())
        if self.description.kind(self.columns) == "search" or system is None:
            return self.frame
        return named_by(self.frame, system)

    def _means(self, objectives: Objectives) -> Any:
        if isinstance(self.frame, InPieces):
            raise TypeError(
                "rows of this table are scores on items, or runs, and it is read in pieces, where systems are not "
                "averaged. Average them in its engine first, or read it into memory: table.to_pandas()."
            )
        if self.description.get("system") is None:
            raise ValueError(
                "rows of this table are scores on items, or runs, of systems that are not named; say which column "
                'names them: df.moo.define(system="...").'
            )
        means = means_of_systems(self.columns, self.description, objectives)
        if not isinstance(self.frame, ForeignFrame):
            return means
        return ForeignFrame(self.frame.back(means), means, self.description.get("system"))

    def _of_groups(self, function: Callable[..., Any], options: Mapping[str, Any], *, of_rows: bool) -> Any:
        frame = self.frame
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(
                f"`by` splits pandas frames for `{function.__name__}`, not a {type(frame).__name__}; filter the rows "
                "of each group instead."
            )
        names = as_names(self.groups)
        parts = frame.groupby(names if len(names) > 1 else names[0], sort=False, dropna=False)
        tables = {cast("Hashable", label): DescribedTable(part, self.description) for label, part in parts}
        return of_groups(tables, self.groups, lambda table: table.answer(function, options, of_rows=of_rows))


def readable(frame: Any) -> Any:
    """A table as verbs take it: of pandas, of another library with its pandas side, or read in pieces."""
    if isinstance(frame, pd.DataFrame | ForeignFrame):
        return frame
    pieces = in_pieces(frame)
    found = read_frame(frame) if pieces is None else pieces
    return checks.frame(frame) if found is None else found


def named_by(frame: Any, system: Any) -> Any:
    """The same table with rows that are named by one of its columns."""
    if isinstance(frame, InPieces):
        return frame.named_by(system)
    known = pandas_of(frame)
    if set(as_names(system)) & set(known.index.names):
        return frame
    named = known.set_index(system)
    return ForeignFrame(frame.native, named, system) if isinstance(frame, ForeignFrame) else named
