"""What all sources hand over: directions, where the rows come from, and a sentence about rows that are left out."""

from __future__ import annotations

import warnings
from collections.abc import Collection, Hashable, Mapping, Sequence
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import define
from copa_nb.tables.objectives import DirectionLike, Objectives, RowsOmittedWarning, in_code, spelled


def described(
    frame: pd.DataFrame,
    directions: Mapping[Any, str],
    *,
    name: str,
    left_out: Mapping[str, int] | None = None,
    n_kept: int | None = None,
    rows: str = "rows",
    keep: str = "",
    repeated: bool = False,
    notes: Sequence[str] = (),
    words: Mapping[str, Any] | None = None,
    objectives: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Return the frame with its objectives, its origin, and what was left out of it.

    Parameters
    ----------
    frame : DataFrame
        The rows that are kept; at least one.
    directions : mapping of column to {"max", "min"}
        The objectives, as far as the source knows them.
    name : str
        Where the rows come from.
    left_out : mapping of reason to number of rows, optional
        What is not in the frame; noted in ``attrs["notes"]`` and warned of.
    n_kept : int, optional
        How many of the same are in it; by default the number of rows.
    rows : str
        What the source calls its rows.
    keep : str
        The option that keeps what can be kept, for the sentence.
    repeated : bool
        Whether rows share a name on purpose, as repetitions; otherwise such names are numbered.
    notes : sequence of str
        Further notes on the rows.
    words : mapping of str to column, optional
        What other columns are, for those that there are; see ``df.moo.define()``.
    objectives : mapping of column to {"max", "min"}, optional
        What the user asked for instead.

    Returns
    -------
    DataFrame
    """
    counted = {reason: int(number) for reason, number in (left_out or {}).items() if number}
    n_left_out = sum(counted.values())
    n_rows = n_left_out + (len(frame) if n_kept is None else n_kept)
    reasons = ", ".join(f"{number:,} {reason}" for reason, number in counted.items())
    if frame.empty:
        raise ValueError(
            f"{name} has no {rows} to compare"
            + (f": {n_rows:,} in all, {reasons}. {keep}".rstrip() if counted else ".")
        )
    notes = list(notes)
    if counted:
        notes.append(f"{n_left_out:,} of {n_rows:,} {rows} are left out: {reasons}. {keep}".rstrip())
        warnings.warn(notes[-1], RowsOmittedWarning, stacklevel=checks.callers_level())
    known = frame.copy(deep=False) if repeated else number_repeated(frame, notes)
    asked = given_directions(objectives, {}, list(known.columns), source=name, required=False)
    chosen: Mapping[Any, str] = asked or directions
    roles = _of_columns(words or {}, known)
    known = define(known, chosen, **roles) if chosen or roles else known
    known.attrs = {**known.attrs, "source": {"name": name, "kind": "own"}, "notes": notes}
    return known


def _of_columns(words: Mapping[str, Any], frame: pd.DataFrame) -> dict[str, Any]:
    """Words about columns that the table has, or about the beginnings and endings of their names."""
    names = [*map(str, frame.columns), *map(str, frame.index.names)]
    return {
        word: value
        for word, value in words.items()
        if all(any(name.startswith(one) or name.endswith(one) for name in names) for one in as_names(value))
    }


def number_repeated(frame: pd.DataFrame, notes: list[str]) -> pd.DataFrame:
    """Number the rows that share a name, "a", "a (2)", and note it; a frame of its own."""
    if frame.index.is_unique or frame.index.nlevels > 1:
        return frame.copy(deep=False)
    index, example = numbered(frame)
    notes.append(f"Some rows share a name; they are numbered, e.g. {example!r}.")
    return frame.set_axis(index, axis="index")


def numbered(frame: pd.DataFrame) -> tuple[pd.Index, Any]:
    """Names of the rows, with those that rows share numbered, and the first numbered one."""
    times = frame.groupby(level=0, sort=False, dropna=False).cumcount().to_numpy()
    taken, names = set(map(str, frame.index)), []
    for label, number in zip(frame.index, times, strict=True):
        name = label
        while number and (name := f"{label} ({number + 1})") in taken:
            number += 1
        taken.add(str(name))
        names.append(name)
    return pd.Index(names, name=frame.index.name, tupleize_cols=False), names[int((times > 0).argmax())]


def given_directions(
    objectives: Mapping[Any, str] | None,
    directions: Mapping[str, DirectionLike],
    columns: Collection[Hashable],
    *,
    source: str,
    required: bool = True,
) -> dict[Hashable, str]:
    """Check the directions that the user gives for a source.

    Parameters
    ----------
    objectives, directions : mapping of column to {"max", "min"}
        As a mapping, for names that are not identifiers, and as keywords.
    columns : collection of labels
        What the source measures; empty for an empty table.
    source : str
        What it is called in errors.
    required : bool
        Whether there must be one.
    """
    if objectives is not None and not isinstance(objectives, Mapping):
        raise TypeError(
            f"`objectives` must map columns to directions, not {type(objectives).__name__}, e.g. "
            f'{{{next(iter(columns), "accuracy")!r}: "max"}}.'
        )
    given = spelled(objectives, directions)
    known = list(columns)
    if not given:
        if not required:
            return {}
        raise ValueError(
            f"{source} does not state whether more or less is better; name the directions, e.g. "
            f"{in_code({next(iter(known), 'accuracy'): 'max'})}. "
            f"The columns are {checks.listed(known) or 'none'}."
        )
    for name in given:
        if known and name not in columns:
            raise ValueError(
                f"`{name}` is not a column of {source}; the columns are {checks.listed(known) or 'none'}."
                f"{checks.nearest(name, known)}"
            )
    return Objectives.of(given).to_dict()


def plain(value: Any) -> Any:
    """Return a setting as a value of a table: numbers, text and booleans unchanged, anything else as text."""
    return value if value is None or isinstance(value, bool | int | float | str) else _scalar(value)


def _scalar(value: Any) -> Any:
    item = getattr(value, "item", None)
    return item() if item is not None and getattr(value, "ndim", None) == 0 else str(value)


def numbers_where_all_are(column: pd.Series) -> pd.Series:
    """Return texts as numbers if all of them are numbers, as settings are logged."""
    try:
        return pd.to_numeric(column)
    except (ValueError, TypeError):
        return column
