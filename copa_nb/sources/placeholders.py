"""Columns of numbers in which a few cells are none: marks for what was not measured, and anything else."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable

import pandas as pd

from copa_nb import checks
from copa_nb.sources.parse_numbers import parse_columns

# What people write in an empty cell; pandas reads some of them as missing from text, but not from other files.
PLACEHOLDERS = {"-", "--", "---", "–", "—", "−", "n/a", "n.a.", "na", "nan", "null", "none", "?", ""}
_SHOWN = 3
# A column with fewer numbers than this share is one of text.
_MOSTLY = 0.5


class PlaceholderWarning(UserWarning):
    """Says which cells of a file were read as missing, and which columns of numbers stayed text."""


def without_placeholders(
    frame: pd.DataFrame, decimal: str | None = None, *, spared: Collection[Hashable] = ()
) -> tuple[pd.DataFrame, list[str]]:
    """Read marks such as "-" as missing where all other values of a column are numbers, and name what stays text.

    Parameters
    ----------
    frame : DataFrame
        A table as it was read; it is not changed.
    decimal : {".", ","}, optional
        The decimal mark.
    spared : collection of labels
        Columns to leave alone.

    Returns
    -------
    frame : DataFrame
    notes : list of str
        A sentence for each kind of column, each also given as a :class:`PlaceholderWarning`.
    """
    read, marked, left = frame.copy(deep=False), {}, []
    for name in frame.columns:
        if name in spared or not pd.api.types.is_string_dtype(frame[name].dtype):
            continue
        if isinstance(frame[name].dtype, pd.StringDtype) and _is_text(frame[name], decimal):
            continue
        texts = frame[name].dropna().map(str).str.strip()
        is_mark = is_placeholder(texts)
        values = texts[~is_mark]
        stray = values[pd.to_numeric(_with_points(values, decimal), errors="coerce").isna()]
        if not len(values):
            continue
        if not len(stray) and is_mark.any():
            read[name] = pd.to_numeric(_with_points(frame[name].mask(is_placeholder(frame[name])), decimal)).astype(
                float
            )
            marked[name] = texts[is_mark].unique().tolist()
        elif len(stray) and 1 - len(stray) / len(values) >= _MOSTLY:
            left.append(_stays_text(name, stray, frame))
        elif is_mark.any() and _can_be_parsed(values, decimal):
            left.append(f"Column {name!r} is text: read its units with {checks.setting('parse', str(name))}.")
    notes = []
    if marked:
        marks = sorted({mark for found in marked.values() for mark in found})
        notes.append(
            f"{checks.listed(marks)} {'is' if len(marks) == 1 else 'are'} read as missing in {checks.listed(marked)}, "
            "where all other values are numbers."
        )
    notes += left[:_SHOWN]
    if len(left) > _SHOWN:
        notes.append(f"{len(left) - _SHOWN} more columns are text because of a few cells.")
    for note in notes:
        warnings.warn(note, PlaceholderWarning, stacklevel=checks.callers_level())
    return read, notes


def _is_text(column: pd.Series, decimal: str | None) -> bool:
    """Whether most values are no numbers, and none is a mark, by the distinct values, of which there may be few."""
    counts = column.value_counts()
    texts = counts.index.to_series().str.strip()
    are_numbers = pd.to_numeric(_with_points(texts, decimal), errors="coerce").notna().to_numpy()
    return not is_placeholder(texts).any() and counts[are_numbers].sum() < _MOSTLY * counts.sum()


def is_placeholder(values: pd.Series) -> pd.Series:
    """Which values only mark that there is none."""
    texts = values.map(str, na_action="ignore").str.strip().str.casefold()
    marks: pd.Series = texts.isin(PLACEHOLDERS)
    return marks


def _with_points(texts: pd.Series, decimal: str | None) -> pd.Series:
    return texts.str.replace(",", ".", regex=False) if decimal == "," else texts


def _stays_text(name: Hashable, stray: pd.Series, frame: pd.DataFrame) -> str:
    rows = (frame.index.get_indexer(stray.index[:_SHOWN]) + 1).tolist()
    examples = ", ".join(f"{value!r} in row {row}" for value, row in zip(stray[:_SHOWN], rows, strict=True))
    more = f", … ({len(stray):,} in all)" if len(stray) > _SHOWN else ""
    are = "a value is not a number" if len(stray) == 1 else "some values are not numbers"
    return (
        f"Column {name!r} is text, because {are}: {examples}{more}. Correct or empty such cells, or make them missing: "
        f'frame[{name!r}] = pd.to_numeric(frame[{name!r}], errors="coerce").'
    )


def _can_be_parsed(values: pd.Series, decimal: str | None) -> bool:
    try:
        parse_columns(values.to_frame("values"), "values", decimal=decimal, argument="parse")
    except ValueError:
        return False
    return True
