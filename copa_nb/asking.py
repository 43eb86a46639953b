"""How a verb is asked of a described table: which rows it sees, and which words it is told.

Verbs on rows answer for systems: for the rows of the table where these are systems or candidates, for means where they
are scores on items, or runs.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, cast

import pandas as pd

from copa_nb import checks
from copa_nb.comparisons.means_of_systems import means_of_systems
from copa_nb.results.result import of_groups
from copa_nb.tables.columns import as_names, read_labels
from copa_nb.tables.description import WORDS, Description
from copa_nb.tables.frames import ForeignFrame, InPieces, in_pieces, pandas_of, read_frame
from copa_nb.tables.objectives import Objectives, resolve_objectives

# What verbs can do about missing values; the others leave rows out or count them as the worst.
_POLICIES = {
    "mean_ranks": ("omit", "pairwise"),
    "posets": ("omit", "worst", "pairwise"),
}
_OF_ITEMS, _OF_MEANS, _OF_ROWS, _OF_BOUNDED = (
    ("pairwise", "bounds"), ("omit", "pairwise", "bounds"), ("omit", "worst"), ("omit", "worst", "bounds"),
)  # fmt: skip
# Words that are told under other names, or only where a policy needs them.
_TOLD = tuple(word for word in WORDS if word not in ("nan_policy", "bounds", "show"))
_SEARCHES = ("gap",)


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

    def answer(self, function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
        """Ask the function behind a verb, with its options and the words that it takes."""
        parameters = inspect.signature(function).parameters
        self.description.check_roles(self.columns)
        on_rows = not {"system", "validation"} & parameters.keys()
        averaged = on_rows and self.description.kind(self.columns) in ("items", "runs")
        if self.groups is not None and ("by" not in parameters or averaged):
            return self._of_groups(function, options)
        if on_rows:
            self.description.check_objectives(self.columns)
        words = self._words(function, parameters, averaged=averaged)
        given = {name: value for name, value in options.items() if value is not None or name not in words}
        frame = self._rows(averaged=averaged) if on_rows else self.frame
        answer = function(frame, **{**words, **given})
        # A choice that is refined later is told what it was made on.
        remember = None if isinstance(self.frame, InPieces) else getattr(answer, "described_as", None)
        return answer if remember is None else remember(self.columns if averaged else None, self._roles())

    def _roles(self) -> dict[str, Any]:
        """What columns say how precise values are, by the words that verbs know."""
        words = ("system", "item", "cluster", "repeat", "standard_error", "n", "known")
        return {word: value for word in words if (value := self.description.get(word)) is not None}

    def _words(self, function: Callable[..., Any], parameters: Mapping[str, Any], *, averaged: bool) -> dict[str, Any]:
        """What the function is told of the table."""
        said = {word: self.description.get(word) for word in _TOLD if word in parameters}
        words = {word: value for word, value in said.items() if value is not None}
        if self.description.objectives is not None:
            words["objectives"] = self.description.objectives
        if function.__name__ in _SEARCHES:
            words.pop("repeat", None)
            words |= self._searches()
        elif self.groups is not None:
            words["by"] = self.groups
        policy = self.description.get("nan_policy")
        of_items = self.description.get("item") is not None
        if policy is None or averaged or policy not in _policies(function, parameters, of_items=of_items):
            return words
        words["nan_policy"] = policy
        if policy == "bounds":
            words["bounds"] = self.description.get("bounds")
        return words

    def _searches(self) -> dict[str, Any]:
        """What tells searches apart, where there are several; None for a word that tells nothing apart."""
        by = self.description.get("system") if self.groups is None else self.groups
        told = {"by": by, "repeat": self.description.get("repeat")}
        apart = {
            option: columns if columns is not None and self._tells_apart(columns) else None
            for option, columns in told.items()
            if option != "by" or self.groups is None
        }
        if {*as_names(by)} & {*as_names(apart["repeat"])}:
            apart["repeat"] = None
        return apart | ({} if self.groups is None else {"by": self.groups})

    def _tells_apart(self, columns: Any) -> bool:
        # How many labels a table in pieces has is known after the pass.
        return isinstance(self.frame, InPieces) or len(read_labels(self.columns, columns, "by").index) > 1

    def rows(self) -> pd.DataFrame:
        """What verbs on rows see, as pandas: one row for each system or candidate."""
        self.description.check_roles(self.columns)
        self.description.check_objectives(self.columns)
        averaged = self.description.kind(self.columns) in ("items", "runs")
        frame = self._rows(averaged=averaged)
        if isinstance(frame, InPieces):
            raise TypeError(
                "a picture needs the whole table, which is read in pieces here; draw its front, "
                "table.moo.front(), or a sample of its rows."
            )
        return cast("pd.DataFrame", pandas_of(frame))

    def _rows(self, *, averaged: bool) -> Any:
        """The table with one row for each system or candidate."""
        system = self.description.get("system")
        if averaged:
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

    def _of_groups(self, function: Callable[..., Any], options: Mapping[str, Any]) -> Any:
        frame = self.frame
        if not isinstance(frame, pd.DataFrame):
            raise TypeError(
                f"`by` splits pandas frames for `{function.__name__}`, not a {type(frame).__name__}; filter the rows "
                "of each group instead."
            )
        names = as_names(self.groups)
        parts = frame.groupby(names if len(names) > 1 else names[0], sort=False, dropna=False)
        tables = {cast("Hashable", label): DescribedTable(part, self.description) for label, part in parts}
        return of_groups(tables, self.groups, lambda table: table.answer(function, options))


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


def _policies(function: Callable[..., Any], parameters: Mapping[str, Any], *, of_items: bool) -> tuple[str, ...]:
    if function.__name__ in _POLICIES:
        return _POLICIES[function.__name__]
    if "standard_error" in parameters or {"item", "known"} <= parameters.keys():
        return _OF_ITEMS if of_items else _OF_MEANS
    return _OF_BOUNDED if "bounds" in parameters else _OF_ROWS
