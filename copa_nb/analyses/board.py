"""The board of a leaderboard that prints ties, from tables as maintainers have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Self

import numpy as np
import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, left_out, parameter, settings
from copa_nb.checks import called, column, listed, setting
from copa_nb.comparisons.board import Board
from copa_nb.comparisons.many_items import SummedMeasurements
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements
from copa_nb.costs import MOST_SECONDS_OF_REPORTS
from copa_nb.ranking.criterion import resolve_p, resolve_weights
from copa_nb.run_options import options, said
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives
from copa_nb.text import is_numeric, label, listing, plural

_LAYOUT = "layout"
_MOST_NAMED = 3
_LONG_NAME = 24  # characters of a name that pictures number


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class BoardAnalysis(Analysis):
    """A leaderboard with ties: tiers, possible ranks, what more items would resolve, and files to publish."""

    name = "board"
    notebook = "yours/board"
    title = "Leaderboard with ties"
    bundled = "binary tasks of the bundled AutoML benchmark"
    about = "systems and items, further files of the board, the last board, and the forecast"
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
    more: int = parameter(2, "how many times as many items the forecast has; 1: no forecast", least=1)
    n_simulations: int = parameter(19, "simulated tables of the forecast", least=2)
    seed: int = parameter(0, "seed of the draws", least=0)
    board: str = parameter("", "what the board is called", flag="--title", metavar="TEXT")
    date: str = parameter("", "state of the scores, e.g. 2026-11-01", metavar="DATE")
    since: str = parameter("", "board.json of an earlier run, to report what changed", metavar="FILE")

    # --------------------------------------------------------------------------------------------------- the table

    def check_values(self) -> None:
        """Refuse an order of the norm below 1."""
        resolve_p(self.p)

    def load(self, folder: Path | str = ".") -> pd.DataFrame:
        """Return the board as one row per system and item, with the metrics of all files as columns."""
        frame = tables.flat(super().load(folder))
        if not self.directions:
            return frame  # for what only asks for the columns
        found = self._arranged(frame, self.place.stem)
        layout, notes = found.attrs[_LAYOUT], list(found.attrs["notes"])
        for file in self.join:
            if not (Path(folder) / file).is_file():
                raise FileNotFoundError(f"{called('join')} names {file!r}, but there is no such file.")
            other = tables.flat(tables.read_once(Path(folder) / file, file, self.reading))
            found, note = _joined(found, self._further(other, Path(file), layout), layout, file)
            notes += note
        found.attrs = {**frame.attrs, _LAYOUT: layout, "notes": [*frame.attrs.get("notes", ()), *notes]}
        return found

    def _arranged(self, frame: pd.DataFrame, name: str) -> pd.DataFrame:
        """Return one row per system and item, whichever of the two layouts the table has."""
        system = self.system or _first_text(frame)
        column(frame, system, "system")
        measured = [one for one in self.directions if one in frame.columns]
        if measured:
            item = self._item_of(frame, system, measured)
            # A row without any value was not measured.
            found = frame[frame[measured].notna().any(axis="columns")]
            note = [] if item == self.item else [f"Read as one row per {system} and {item}."]
        else:
            item = self.item or "item"
            found = self._melted(frame, system, item, self._metric_of(name))
            note = [f"Read as one row per {system}: each of {found[item].nunique():,} columns of numbers is an item."]
        found = found.reset_index(drop=True)
        found.attrs = {_LAYOUT: {"system": system, "item": item}, "notes": note}
        return found

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

    def _metric_of(self, name: str) -> str:
        """Return the metric of a table whose columns are items: the only one, or that which the file is named after."""
        if len(self.directions) == 1 or name in self.directions:
            return name if name in self.directions else next(iter(self.directions))
        raise ValueError(
            f"{called('maximize')} and {called('minimize')} name {listed(self.directions)}, which are not columns of "
            f"{name!r}. If its columns are items, name the file after its metric, e.g. "
            f"{next(iter(self.directions))}{self.place.suffix or '.csv'}."
        )

    def _melted(self, frame: pd.DataFrame, system: str, item: str, metric: str) -> pd.DataFrame:
        """Return the values of a table whose columns are items, one row each; empty cells are left out."""
        kept = [system, *(name for name in self.show if name in frame.columns and name != system)]
        items = [name for name in frame.columns if name not in kept]
        for name in items:
            tables.need_numbers(frame[name], "table", self.reading.get("decimal"), verb="has the column")
        if twice := frame[system][frame[system].duplicated()].tolist():
            raise ValueError(
                f"{called('table')} has {twice[0]!r} in several rows, and no column is called "
                f"{listed(self.directions)}. Name the column of the values with {called('maximize')} or "
                f"{called('minimize')}, or rename the rows."
            )
        if means := [name for name in items if _is_mean(frame[items], name)]:
            raise ValueError(
                f"{called('table')} has the column {means[0]!r}, which is the mean of the others and no item; list it "
                f"in {called('show')}, or remove it."
            )
        return frame.melt(kept, items, var_name=item, value_name=metric).dropna(subset=[metric])

    def _further(self, frame: pd.DataFrame, file: Path, layout: Mapping[str, str]) -> pd.DataFrame:
        """Return a further file as values by system and item, by system, or by item."""
        keys = [name for name in layout.values() if name in frame.columns]
        measured = [one for one in (*self.directions, self.cluster) if one in frame.columns]
        if not keys:
            raise ValueError(
                f"{called('join')} names {str(file)!r}, which has none of the columns {listed(layout.values())}; its "
                f"columns are {listed(frame.columns)}."
            )
        if measured:
            return frame[[*keys, *(name for name in frame.columns if name not in keys)]]
        return self._melted(frame, layout["system"], layout["item"], self._metric_of(file.stem))

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table without a source of uncertainty, weights that are no shares, and another earlier board."""
        resolve_weights(Objectives.of(self.directions), self.weights or None)
        for name in ("system", "item", "cluster", "repeat"):
            if given := getattr(self, name):
                column(table, given, name)
        words = {"nan_policy": self.nan_policy, "bounds": self.ends, **self.columns_in(table)}
        measurements(DescribedFrame.of(table, self.directions, **words))
        if self.since:
            self._earlier(".")

    def columns_in(self, table: pd.DataFrame) -> dict[str, Any]:
        """Return keywords that name columns, those that were detected among them."""
        columns = self.given(("cluster", "repeat", "standard_error", "known"))
        layout = getattr(table, "attrs", {}).get(_LAYOUT, {"system": self.system, "item": self.item})
        return {"system": layout["system"], "item": layout["item"] or None, **columns}

    def _earlier(self, folder: Path | str) -> Board:
        path = Path(folder) / self.since
        if not path.is_file():
            raise FileNotFoundError(f"{called('since')} is {self.since!r}, but there is no such file.")
        return Board.read(path)

    # ----------------------------------------------------------------------------------------------------- the run

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled benchmark."""
        from copa_nb.datasets import load_amlb

        table = load_amlb(problem_type="binary", time_limit="1h")
        asked = self if self.directions else replace(self, maximize=["result"])
        asked = replace(asked, system=self.system or "framework", item=self.item or "task")
        table.attrs[_LAYOUT] = {"system": asked.system, "item": asked.item}
        return asked, table

    def choose(self, table: Any) -> tuple[Any, Answer, dict[str, str]]:
        """Form tiers of a board that is read in pieces, and say who may rank first."""
        self.check_values()
        unnamed = [called(name) for name in ("system", "item") if not getattr(self, name)]
        given = [called(name) for name in ("join", "show") if getattr(self, name)]
        if unnamed or given:
            raise ValueError(
                f"{called('table')} is read in pieces, which needs {listing(unnamed)} to be named."
                if unnamed
                else f"{listing(given)} needs the whole table in memory, which is read in pieces here; join in its "
                "engine first, or name a single file."
            )
        found = self.measure(table)
        return found.board, found.answer, found.files

    def measure(self, table: Any) -> BoardFindings:
        """Form tiers, and simulate larger tables."""
        asked = {**self.columns_in(table), **self.given(("alpha", "n_resamples", "nan_policy", "p"))}
        with options(max_seconds=said().limit(MOST_SECONDS_OF_REPORTS)):
            tiers = ask(
                table,
                "board",
                objectives=self.directions,
                weights=self.weights or None,
                bounds=self.ends,
                rng=self.seed,
                **asked,
            )
        forecast = None
        if self.more > 1 and not isinstance(tiers.inputs, SummedMeasurements):
            forecast = tiers.forecast(times=self.more, n_simulations=self.n_simulations, rng=self.seed)
        published = tiers.published(title=self.board, date=self.date, forecast=forecast)
        changes = published.since(self._earlier(".")) if self.since else None
        return BoardFindings(analysis=self, table=table, board=published, changes=changes)


@dataclass(frozen=True, kw_only=True, eq=False)
class BoardFindings(Findings):
    """The board.

    Parameters
    ----------
    board : Board
        Of ``df.moo.board()``, as it is published.
    changes : BoardChanges or None
        Of ``board.since(...)``.
    """

    board: Any
    changes: Any

    @property
    def forecast(self) -> Any:
        """What more items would resolve; None if it was not asked for."""
        return self.board.projection

    @property
    def has_long_names(self) -> bool:
        """Whether names are so long that pictures number them."""
        return max(len(str(one)) for one in self.board.table.index) > _LONG_NAME

    @property
    def most_drawn(self) -> int:
        """How many systems a picture has room for."""
        return 12 if self.has_long_names else 20

    @property
    def files(self) -> dict[str, str]:
        """What is published, by the names of the files."""
        return {f"board{ending}": content for ending, content in self.board.files().items()}

    @cached_property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by system."""
        return settings(self.table, self.board.table.index.name, self.analysis.show)

    @property
    def printed(self) -> pd.DataFrame:
        """The table of the board as it is printed, by system."""
        return self.board.printed.reset_index().set_index(self.board.printed.columns[0])

    @property
    def used(self) -> set[Any]:
        """The columns that the analysis names or has detected."""
        return super().used | {name for name in self.analysis.columns_in(self.table).values() if isinstance(name, str)}

    @property
    def unasked(self) -> str:
        """What would add the sections that the report leaves out; empty if it has them all."""
        further = {} if self.forecast else {"more": "what more items would resolve"}
        earlier = {} if self.changes else {"since": "what changed since an earlier state"}
        return left_out(further | earlier)

    @property
    def _named(self) -> str:
        """Who has the best mean and who may also rank first, where the headline only counts them."""
        best = [label(one) for one in self.board.may_be_first]
        if len(best) < 2 or all(one in self.board.headline for one in best):
            return ""
        rest = len(best) - 1 - _MOST_NAMED
        others = best[1 : 1 + _MOST_NAMED] + [f"{rest:,} more"] * (rest > 0)
        return f"{best[0]} ranks first by its measurements; {listing(others)} may also rank first."

    @property
    def answer(self) -> Answer:
        """Who may rank first, what is resolved, what more items would resolve, and what changed."""
        board, systems = self.board, plural(self.board.table.index.name, "systems")
        return Answer(
            board.headline,
            filled(
                self._named,
                f"One system is significantly ahead in {board.n_ordered:,} of {board.n_pairs:,} pairs.",
                board.projection.outcome if board.projection else "",
                self.changes.explain() if self.changes else "",
            ),
            question=f"Which of {len(board.table):,} {systems} rank first by {listing(self.spoken.values())}, and "
            "which ties are open?",
            certainty=board.guarantee.explain(),
            used="board",
            values={"best": board.may_be_first, "pairs": board.n_pairs, "ordered": board.n_ordered},
        )


def _first_text(frame: pd.DataFrame) -> str:
    found = [str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
    if not found:
        raise ValueError(
            f"{called('system')} is empty, and no column is text; name the column that tells the systems apart: "
            f"{listed(frame.columns)}."
        )
    return found[0]


def _is_mean(values: pd.DataFrame, name: str) -> bool:
    """Whether a column is the mean of all others, as far as its decimals go."""
    others, own = values.drop(columns=name).mean(axis="columns"), values[name]
    if others.isna().all() or len(values) < 3 or values.shape[1] < 3 or own.nunique() < 3:
        return False
    decimals = next((d for d in range(9) if np.allclose(own.round(d), own, rtol=0, atol=1e-12, equal_nan=True)), 9)
    return bool(((others - own).abs().dropna() <= 0.51 * 10.0**-decimals).all()) and decimals > 0


def _joined(
    found: pd.DataFrame, other: pd.DataFrame, layout: Mapping[str, str], file: str
) -> tuple[pd.DataFrame, list[str]]:
    """Join a further file by the keys that it has, and note what only one of them has."""
    keys = [name for name in layout.values() if name in other.columns and name in found.columns]
    if other.duplicated(keys).any():
        row = other[other.duplicated(keys)].iloc[0]
        raise ValueError(
            f"{called('join')} names {file!r}, which has several rows for {listing(str(row[key]) for key in keys)}; "
            "average them first."
        )
    if both := sorted(set(found.columns) & set(other.columns) - set(keys)):
        raise ValueError(
            f"{called('join')} names {file!r}, which has the column {both[0]!r}, as another file of the board does; "
            "rename one of them."
        )
    for key in keys:
        if found[key].dtype != other[key].dtype:
            found, other = (part.assign(**{key: part[key].astype(str)}) for part in (found, other))
    notes = []
    for key in keys:
        here, there = set(found[key]), set(other[key])
        if not here & there:
            raise ValueError(
                f"{called('join')} names {file!r}, whose {key!r} has no value in common with the other files, e.g. "
                f"{next(iter(other[key]))!r} and {next(iter(found[key]))!r}."
            )
        if here - there:
            notes.append(f"{file} lacks {len(here - there):,} of {len(here):,} values of {key}.")
        if there - here:
            notes.append(f"{file} has {len(there - here):,} values of {key} that the other files lack.")
    # A file of prices or of families adds to rows that are there; one of scores may have further ones.
    return found.merge(other, on=keys, how="outer" if len(keys) == len(layout) else "left", sort=False), notes
