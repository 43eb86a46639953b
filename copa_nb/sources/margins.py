"""What programs leave around a table when they export it: counts of rows, empty cells, second headers, totals."""

from __future__ import annotations

import re
import warnings
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.sources.placeholders import is_placeholder

_UNNAMED = re.compile(r"Unnamed: \d+|")
_RENAMED = re.compile(r"(.+)\.\d+")
_SUMMARIES = {"total", "totals", "sum", "average", "avg", "avg.", "mean", "overall", "median", "std", "min", "max"}
_HIGHEST = 5  # rows in which a second header is looked for
_SHOWN = 6


class MarginWarning(UserWarning):
    """Says what around a table was left out, and which rows and columns seem to be no part of it."""


def without_margins(frame: pd.DataFrame, notes: Sequence[str] = ()) -> tuple[pd.DataFrame, list[str]]:
    """Leave out columns without a name that only count rows or are empty, and empty rows; name what may be no data.

    Parameters
    ----------
    frame : DataFrame
        A table as it was read from text or a spreadsheet; it is not changed.
    notes : sequence of str
        What is known already.

    Returns
    -------
    frame : DataFrame
    notes : list of str
        A sentence for each thing that a reader should know, each also given as a :class:`MarginWarning`.

    Examples
    --------
    >>> exported = pd.DataFrame({"Unnamed: 0": [0, 1], "model": ["a", "b"], "cost": [1.0, 2.0], "": None})
    >>> without_margins(exported)
    (  model  cost
    0     a   1.0
    1     b   2.0, [])
    """
    unnamed = [name for name in frame.columns if _UNNAMED.fullmatch(str(name))]
    margins = [name for name in unnamed if frame[name].isna().all()]
    if unnamed[:1] == frame.columns[:1].tolist() and _counts_rows(frame.iloc[:, 0]):
        margins.append(unnamed[0])
    table = frame.drop(columns=margins) if len(margins) < len(frame.columns) else frame
    notes = list(notes)
    empty = table.isna().all(axis="columns").to_numpy()
    if empty.any() and not empty.all() and isinstance(table.index, pd.RangeIndex):
        table = table[~empty].reset_index(drop=True).infer_objects()
        notes.append(f"{empty.sum():,} empty {'row is' if empty.sum() == 1 else 'rows are'} left out.")
    notes += [
        f"Column {name!r} has the name of another column in the file, {match[1]!r}; rename one if both are needed."
        for name in table.columns
        if (match := _RENAMED.fullmatch(str(name))) and match[1] in table.columns
    ]
    last = table.iloc[-1, 0] if len(table) > 1 else None
    if isinstance(last, str) and last.strip().casefold() in _SUMMARIES:
        first = table.columns[0]
        notes.append(
            f"The last row is called {last!r} and is compared like the others; if it sums them up, leave it out: "
            f"frame = frame.drop({last!r}), or frame[frame[{first!r}] != {last!r}]."
        )
    for note in notes:
        warnings.warn(note, MarginWarning, stacklevel=checks.callers_level())
    return table, notes


def _counts_rows(column: pd.Series) -> bool:
    """Whether values are 0, 1, 2, ... or 1, 2, 3, ..., as pandas and R number rows."""
    if not pd.api.types.is_integer_dtype(column.dtype):
        return False
    return any(np.array_equal(column, np.arange(start, start + len(column))) for start in (0, 1))


def second_header(frame: pd.DataFrame, table: str | Path) -> str:
    """Say, in a sentence, which of the first rows of a file is a header, where numbers begin below it; else nothing.

    Examples
    --------
    >>> below = pd.DataFrame({"Models": ["model", "a", "b"], "Unnamed: 1": ["acc", "1", "2"],
    ...     "Unnamed: 2": ["kg", "3", "4"]})
    >>> second_header(below, "m.csv").partition(";")[0]
    "the names of its columns seem to be in row 2: 'model', 'acc', 'kg'"
    """
    starts = [_first_number(column) for _, column in frame.items()]
    below = [start for start in starts if start]
    if len(below) < 2 or len(set(below)) > 1 or any(start == 0 for start in starts):
        return ""
    row = below[0]
    names = [str(name) for name in frame.iloc[row - 1].dropna()]
    if len(set(names)) < len(names) or len(names) < 2:
        return ""
    reader = "excel" if Path(table).suffix.lower() in (".xlsx", ".xlsm") else "csv"
    call = f"copa_nb.read(pd.read_{reader}({Path(table).name!r}, {{}}), ...)"
    shown = checks.listed(names, _SHOWN)
    if sum(bool(_UNNAMED.fullmatch(str(name))) for name in frame.columns) * 2 >= len(frame.columns):
        fix = call.format(f"header={row}")
        return f"the names of its columns seem to be in row {row + 1}: {shown}; delete what is above it, or {fix}"
    fix = call.format(f"skiprows=[{row}]")
    return (
        f"row {row + 1} has text where the rows below have numbers: {shown}; keep one row of names, without units. "
        f"Delete it or the row above it, or {fix}"
    )


def _first_number(column: pd.Series) -> int | None:
    """The first row from which on there are only numbers, below text; 0 if all are; None if there are none, or late."""
    if pd.api.types.is_numeric_dtype(column.dtype):
        return 0 if column.notna().any() else None
    written = column.map(str, na_action="ignore")
    numbers = pd.to_numeric(written, errors="coerce")
    texts = np.flatnonzero((numbers.isna() & column.notna() & ~is_placeholder(written)).to_numpy())
    if not len(texts) or texts[-1] >= _HIGHEST or numbers.notna().sum() == 0:
        return None
    return int(texts[-1]) + 1
