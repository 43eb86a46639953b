"""The board of a leaderboard that prints ties, from tables as maintainers have them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, parameter
from copa_nb.checks import called, column, listed, setting
from copa_nb.comparisons.board import Board
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements
from copa_nb.ranking.criterion import resolve_p, resolve_weights
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives
from copa_nb.text import is_numeric, listing


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BoardAnalysis(Analysis):
    """A leaderboard with ties: tiers, possible ranks, what more items would resolve, and files to publish."""

    name = verb = "board"
    only_of_notebook = ("board", "date", "since", "join")
    in_cell: ClassVar[Mapping[str, str]] = {"board": "title", "since": "earlier"}
    notebook = "yours/board"
    title = "Leaderboard with ties"
    about = "systems and items, further files of the board, and the last board"
    offered = ("weights", "p", "join", "board", "since")
    what_is_measured = "metrics"

    nan_policy: str = parameter("raise", "missing values and items", choices=MEASUREMENT_POLICIES)
    bounds: dict[str, Any] = parameter(
        {},
        'with nan_policy "bounds", what a missing value may be, e.g. {example}; by default what was observed',
        example={"accuracy": "0:1"},
        objective=True,
        metavar="COL=LOW:HIGH",
    )
    system: str = parameter(
        "", "column that names what is compared, e.g. model; empty: the first column of text", metavar="COL"
    )
    item: str = parameter(
        "",
        "column of the items that systems were measured on; empty: detected, or every column of numbers is an item",
        metavar="COL",
    )
    join: list[str] = parameter(
        [],
        "further files of the board, joined by system and item: one per metric, named like it, if columns are items",
        metavar="FILE",
    )
    cluster: str = parameter(
        "", "column of groups in which items are drawn: passages, families of tasks", metavar="COL"
    )
    repeat: str = parameter(
        "",
        "column of repetitions: of each item if there are items, otherwise independent runs of each system",
        metavar="COL",
    )
    standard_error: dict[str, str] = parameter(
        {},
        "instead of items or runs, columns of standard errors, e.g. {example}",
        example={"accuracy": "accuracy_se"},
        metavar="COL=COL",
    )
    known: list[str] = parameter(
        [], "metrics without error, with one value per system, such as a list price", objective=True
    )
    weights: dict[str, float] = parameter(
        {}, "weight per metric, e.g. {example}; the rest is split evenly", example={"cost": 0.2}, objective=True,
        flag="--weight",
    )  # fmt: skip
    p: str = parameter("inf", 'order of the norm that joins metrics: a number from 1, or "inf"')
    alpha: float = parameter(0.05, "probability, over new samples, that any true rank is outside its interval",
        is_fraction=True)  # fmt: skip
    n_resamples: int = parameter(2000, "draws of errors", least=100)
    board: str = parameter("", "what the board is called", flag="--title", metavar="TEXT")
    date: str = parameter("", "state of the scores, e.g. 2026-11-01", metavar="DATE")
    since: str = parameter("", "board.json of an earlier run, to report what changed", metavar="FILE")

    def check_values(self) -> None:
        """Refuse an order of the norm below 1."""
        resolve_p(self.p)

    def variables(
        self, cell: Mapping[str, Any], stated: Iterable[str] = (), *, folder: Path | str = "."
    ) -> dict[str, Any]:
        """Return what the parameters cell is set to, with the layout of the table; see :meth:`Analysis.variables`."""
        found = super().variables(cell, stated, folder=folder)
        if self.has_table and self.directions:
            found["words"] = {**found["words"], **({"join": self.join} if self.join else {}), **self.layout(folder)}
        return found

    def load(self, folder: Path | str = ".") -> pd.DataFrame:
        """Return the board as one row per system and item, with the metrics of all files as columns."""
        return tables.flat(self.described(folder)) if self.directions else super().load(folder)

    def layout(self, folder: Path | str = ".") -> dict[str, Any]:
        """What the table shows of its layout: the column of systems, and that of items or that columns are items."""
        frame = super().load(folder)
        system = self.system or _first_text(frame)
        column(frame, system, "system")
        measured = [one for one in self.directions if one in frame.columns]
        if not measured:
            return {"system": system, "wide": True}
        item = self._item_of(frame, system, measured)
        return {"system": system, "item": item} if item else {"system": system}

    def _item_of(self, frame: pd.DataFrame, system: str, measured: Sequence[str]) -> str:
        """Return the column of items of a table with one row per system and item; empty where there is none."""
        if self.item:
            column(frame, self.item, "item")
            return self.item
        if self.repeat or self.standard_error:
            return ""
        taken = {system, self.cluster, *measured, *self.show}
        rest = [str(name) for name in frame.columns if name not in taken]
        fitting = [name for name in rest if not frame.duplicated([system, name]).any() and frame[name].notna().all()]
        words = [name for name in fitting if not is_numeric(frame[name])]
        chosen = words if len(words) == 1 else fitting
        if not frame[system].duplicated().any():
            raise ValueError(
                f"{called('table')} has one row per {system}, with one value of {listed(measured)}: a single value "
                f"does not show its noise. Give scores on items, with {called('item')}, repeated runs, with "
                f"{called('repeat')}, or {setting('standard_error', {measured[0]: f'{measured[0]}_se'})}."
            )
        if len(chosen) != 1:
            several = f"{listed(chosen)} could be" if chosen else f"of {listed(rest) or 'no other columns'}, none is"
            raise ValueError(
                f"{called('item')} is empty, and {several} the column that tells the rows of a {system} apart; name it."
            )
        return chosen[0]

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table without a source of uncertainty, weights that are no shares, and another earlier board."""
        resolve_weights(Objectives.of(self.directions), self.weights or None)
        for name in ("system", "item", "cluster", "repeat"):
            if given := getattr(self, name):
                column(table, given, name)
        columns = self.given(("cluster", "repeat", "standard_error", "known"))
        said = table.moo.description
        words = {"nan_policy": self.nan_policy, "bounds": self.ends, **columns}
        words |= {word: said[word] for word in ("system", "item") if word in said}
        measurements(DescribedFrame.of(table, self.directions, **words))
        if self.since and not Path(self.since).is_file():
            raise FileNotFoundError(f"{called('since')} is {self.since!r}, but there is no such file.")
        if self.since:
            Board.read(self.since)

    def check_pieces(self) -> None:
        """Refuse what a table that is read in pieces cannot be asked."""
        unnamed = [called(name) for name in ("system", "item") if not getattr(self, name)]
        given = [called(name) for name in ("join", "show") if getattr(self, name)]
        if unnamed:
            raise ValueError(f"{called('table')} is read in pieces, which needs {listing(unnamed)} to be named.")
        if given:
            raise ValueError(
                f"{listing(given)} needs the whole table in memory, which is read in pieces here; join in its engine "
                "first, or name a single file."
            )


def _first_text(frame: pd.DataFrame) -> str:
    found = [str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
    if not found:
        raise ValueError(
            f"{called('system')} is empty, and no column is text; name the column that tells the systems apart: "
            f"{listed(frame.columns)}."
        )
    return found[0]
