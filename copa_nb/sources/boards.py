"""Boards as maintainers have them: a column for each item, and further files that join the first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.checks import called, column, listed, setting
from copa_nb.sources.files import read_table
from copa_nb.text import is_numeric, listing

ITEM = "item"


@dataclass(frozen=True)
class BoardLayout:
    """How a board is read.

    Parameters
    ----------
    objectives : sequence of str
        The metrics.
    system, item : str
        Columns that name systems and items; where columns are items, what the column of items is to be called.
    cluster : str
        Column of groups of items.
    show : sequence of str
        Further columns, which are no items.
    reading : mapping
        Options of the function that reads files.
    """

    objectives: Sequence[str]
    system: str
    item: str
    cluster: str
    show: Sequence[str]
    reading: Mapping[str, Any]

    @property
    def keys(self) -> list[str]:
        """The columns by which further files are joined."""
        return [self.system, self.item]


def arranged(frame: pd.DataFrame, path: Path, layout: BoardLayout, *, wide: bool, join: Sequence[str]) -> pd.DataFrame:
    """Return one row per system and item, with the metrics of all files as columns.

    Parameters
    ----------
    frame : DataFrame
        The first file.
    path : Path
        Where it is: a file whose columns are items is named after its metric.
    layout : BoardLayout
        What columns are.
    wide : bool
        Whether columns of numbers are items.
    join : sequence of str
        Further files, from the folder of the first: joined by system and item, by system, or by item.

    Raises
    ------
    FileNotFoundError, ValueError
        For files that do not join, with the reason.
    """
    column(frame, layout.system, "system")
    attrs, notes = dict(frame.attrs), list(frame.attrs.get("notes", ()))
    found = frame
    if wide:
        found = _melted(frame, layout, _metric_of(path, layout), "table")
        notes.append(
            f"Read as one row per {layout.system}: each of {found[layout.item].nunique():,} columns of numbers is an "
            "item."
        )
    for name in join:
        file = path.parent / name
        if not file.is_file():
            raise FileNotFoundError(f"{called('join')} names {name!r}, but there is no such file.")
        further = _further(read_table(file, **layout.reading), file, layout)
        found, note = _joined(found, further, layout.keys, name)
        notes += note
    found = found.reset_index(drop=True)
    found.attrs = {**attrs, "notes": notes}
    return found


def _metric_of(path: Path, layout: BoardLayout) -> str:
    """Return the metric of a table whose columns are items: the only one, or that which the file is named after."""
    if len(layout.objectives) == 1 or path.stem in layout.objectives:
        return path.stem if path.stem in layout.objectives else layout.objectives[0]
    raise ValueError(
        f"{called('objectives')} has {listed(layout.objectives)}, which are not columns of {path.stem!r}. If its "
        f"columns are items, name the file after its metric, e.g. {layout.objectives[0]}{path.suffix or '.csv'}."
    )


def _melted(frame: pd.DataFrame, layout: BoardLayout, metric: str, argument: str) -> pd.DataFrame:
    """Return the values of a table whose columns are items, one row each; empty cells are left out."""
    system = layout.system
    kept = [system, *(name for name in layout.show if name in frame.columns and name != system)]
    items = [name for name in frame.columns if name not in kept]
    if text := [name for name in items if not is_numeric(frame[name])]:
        raise ValueError(
            f"{called(argument)} has the column {text[0]!r}, which is not numeric and thus no item; list it in "
            f"{called('show')}, or correct its values."
        )
    if twice := frame[system][frame[system].duplicated()].tolist():
        raise ValueError(
            f"{called(argument)} has {twice[0]!r} in several rows, and no column is called "
            f"{listed(layout.objectives)}. Name the column of the values among the objectives, or rename the rows."
        )
    if means := [name for name in items if _is_mean(frame[items], name)]:
        raise ValueError(
            f"{called(argument)} has the column {means[0]!r}, which is the mean of the others and no item; list it "
            f"in {called('show')}, or remove it."
        )
    return frame.melt(kept, items, var_name=layout.item, value_name=metric).dropna(subset=[metric])


def _further(frame: pd.DataFrame, file: Path, layout: BoardLayout) -> pd.DataFrame:
    """Return a further file as values by system and item, by system, or by item."""
    keys = [name for name in layout.keys if name in frame.columns]
    if not keys:
        raise ValueError(
            f"{called('join')} names {file.name!r}, which has none of the columns {listed(layout.keys)}; its columns "
            f"are {listed(frame.columns)}."
        )
    if any(name in frame.columns for name in (*layout.objectives, layout.cluster)):
        return frame[[*keys, *(name for name in frame.columns if name not in keys)]]
    return _melted(frame, layout, _metric_of(file, layout), "join")


def _is_mean(values: pd.DataFrame, name: str) -> bool:
    """Whether a column is the mean of all others, as far as its decimals go."""
    others, own = values.drop(columns=name).mean(axis="columns"), values[name]
    if others.isna().all() or len(values) < 3 or values.shape[1] < 3 or own.nunique() < 3:
        return False
    decimals = next((d for d in range(9) if np.allclose(own.round(d), own, rtol=0, atol=1e-12, equal_nan=True)), 9)
    return bool(((others - own).abs().dropna() <= 0.51 * 10.0**-decimals).all()) and decimals > 0


def _joined(
    found: pd.DataFrame, other: pd.DataFrame, layout: Sequence[str], file: str
) -> tuple[pd.DataFrame, list[str]]:
    """Join a further file by the keys that it has, and note what only one of them has."""
    keys = [name for name in layout if name in other.columns and name in found.columns]
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


def layout_of(
    frame: pd.DataFrame, metrics: Sequence[str], *, system: str, item: str, cluster: str, repeat: str,
    show: Sequence[str], has_errors: bool,
) -> dict[str, Any]:  # fmt: skip
    """Return what a table shows of its layout, as words for `read`: systems, and items or that columns are items.

    Parameters
    ----------
    frame : DataFrame
        The table.
    metrics : sequence of str
        The objectives.
    system, item, cluster, repeat : str
        Columns that are named; empty for those that are not.
    show : sequence of str
        Further columns.
    has_errors : bool
        Whether there are columns of standard errors.

    Raises
    ------
    ValueError
        Where nothing shows what systems and items are, with the candidates.
    """
    system = system or _first_text(frame)
    column(frame, system, "system")
    measured = [one for one in metrics if one in frame.columns]
    if not measured:
        return {"system": system, "wide": True}
    if item:
        column(frame, item, "item")
    elif not (repeat or has_errors):
        item = _item_of(frame, system, measured, [cluster, *show])
    return {"system": system, "item": item} if item else {"system": system}


def _item_of(frame: pd.DataFrame, system: str, measured: Sequence[str], others: Sequence[str]) -> str:
    """Return the column of items of a table with one row per system and item."""
    taken = {system, *measured, *others}
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


def _first_text(frame: pd.DataFrame) -> str:
    found = [str(name) for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
    if not found:
        raise ValueError(
            f"{called('system')} is empty, and no column is text; name the column that tells the systems apart: "
            f"{listed(frame.columns)}."
        )
    return found[0]
