"""The table of a panel: where it comes from, what can be said of each column, and what their names suggest."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.checks import written_as
from copa_nb.generalization.scores import score_columns
from copa_nb.sources.files import first_text_column, read_table
from copa_nb.sources.parse_numbers import parse_numbers
from copa_nb.sources.placeholders import is_placeholder
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import TEST, VALIDATION, Description
from copa_nb.tables.objectives import ATTRS_KEY
from copa_nb.tables.proposals import proposed
from copa_nb.text import cell_text

# What a column can be besides an objective; each is one column. Controls call a system by its name.
ROLES = {"system": "name", "item": "item", "repeat": "repeat", "cluster": "cluster"}
STANDARD_ERROR = "standard_error:"
MARKS = {".": "a point", ",": "a comma"}
DECIMAL, ENCODING = "Decimal mark", "Letters of a text file"
_FIRST = 3  # values of a column


@dataclass(frozen=True)
class Column:
    """A column as the form describes it.

    Parameters
    ----------
    name : str
        The column.
    kind : {"numbers", "numbers as text", "open", "text"}
        Whether it can be an objective as it is, once its text is read, once its decimal mark is known, or not at all.
    first : str
        Its first values.
    read_as : str
        The numbers that these are read as, if they are text.
    n_missing : int
        How many values are missing.
    """

    name: str
    kind: str
    first: str
    read_as: str = ""
    n_missing: int = 0


class SourceTable:
    """A table as it was read.

    Parameters
    ----------
    frame : DataFrame
        With every label as a column, and text as it is.
    decimal : {"", ".", ","}
        Decimal mark of text; detected if empty.
    index_names : collection of str
        Columns that are labels of the rows.
    """

    def __init__(self, frame: pd.DataFrame, decimal: str = "", index_names: Collection[str] = ()) -> None:
        self.frame, self.decimal, self.index_names = frame, decimal, index_names
        self.numbers: dict[str, pd.Series] = {}  # of columns of text
        self.columns = {name: self._column(name) for name in map(str, frame.columns)}

    def _column(self, name: str) -> Column:
        """Describe a column.

        Examples
        --------
        >>> columns = {"model": ["a", "b"], "price": ["$1,299.50", "$80"], "tokens": ["1,450", None]}
        >>> table = SourceTable(pd.DataFrame(columns))
        >>> [(one.kind, one.read_as, one.n_missing) for one in table.columns.values()]
        [('text', '', 0), ('numbers as text', '1299.5, 80', 0), ('open', '', 1)]
        """
        values = self.frame[name]
        first = ", ".join(map(cell_text, values.dropna().head(_FIRST)))
        kind, read_as = "text", ""
        if pd.api.types.is_bool_dtype(values) or pd.api.types.is_datetime64_any_dtype(values):
            pass
        elif pd.api.types.is_numeric_dtype(values):
            kind = "numbers"
        elif any(character.isdigit() for character in first):
            numbers = _parsed(values, name, self.decimal)
            if numbers is not None:
                kind, self.numbers[name] = "numbers as text", numbers
                read_as = ", ".join(f"{value:g}" for value in numbers.dropna().head(_FIRST))
            elif not self.decimal and all(_parsed(values, name, mark) is not None for mark in MARKS):
                kind = "open"
        return Column(name, kind, first, read_as, int(values.isna().sum()))

    def readings(self, name: str) -> dict[str, str]:
        """Say what the first value of a column with an open decimal mark is under each mark."""
        values = self.frame[name].dropna()
        marked = values[values.map(lambda text: any(mark in str(text) for mark in MARKS))].head(1)
        read = {mark: _parsed(marked, name, mark) for mark in MARKS}
        return {
            mark: f"{marked.iloc[0]} is {numbers.iloc[0]:g}" for mark, numbers in read.items() if numbers is not None
        }

    @cached_property
    def proposed(self) -> dict[str, str]:
        """What the names of columns suggest: to be offered, and never taken unasked."""
        frame = self.frame.assign(**self.numbers)
        frame.attrs = {}
        uses = self.uses_of(proposed(frame, Description.of({})))
        naming = first_text_column(self.frame)
        is_named = not naming or "system" in uses.values() or naming in self.index_names
        return uses if is_named else {str(naming): "system", **uses}

    def uses_of(self, described: Description) -> dict[str, str]:
        """Return what a description says of columns, in the order of the table: each with its direction or role."""
        uses: dict[str, str] = {}
        parts = described.get("validation") or VALIDATION, described.get("test") or TEST
        for name, way in {} if described.objectives is None else described.objectives.to_dict().items():
            columns = (name,) if name in self.columns else score_columns(self.frame, name, *parts)[1]
            uses |= dict.fromkeys(map(str, columns), way)
        for word in ROLES:
            uses |= {str(name): word for name in as_names(described.get(word))[:1] if name in self.columns}
        errors = described.get("standard_error")
        for name, column in errors.items() if isinstance(errors, dict) else ():
            uses[str(column)] = f"{STANDARD_ERROR}{name}"
        return {name: uses[name] for name in self.columns if name in uses}


def _parsed(values: pd.Series, name: str, decimal: str) -> pd.Series | None:
    try:
        return parse_numbers(values.to_frame(name), name, decimal=decimal or None)[name]
    except ValueError:
        return None


class Source:
    """Where the table of a panel comes from.

    Parameters
    ----------
    name : str
        What it is called.
    path : str
        The file, if it is one.
    frame : DataFrame, optional
        The table, if it is none.
    """

    def __init__(self, name: str, *, path: str = "", frame: pd.DataFrame | None = None) -> None:
        self.name, self.path, self.frame = name, path, frame
        self._read: dict[tuple[str, str], SourceTable] = {}

    @property
    def in_batch(self) -> str:
        """The file that a batch reads; a frame is saved there first."""
        return self.name if self.path else f"{self.name}.parquet"

    def table(self, decimal: str = "", encoding: str = "") -> SourceTable:
        """Read the table, once for each way of reading it."""
        if (decimal, encoding) not in self._read:
            with written_as({"decimal": DECIMAL, "encoding": ENCODING}):
                self._read[decimal, encoding] = self._table(decimal, encoding)
        return self._read[decimal, encoding]

    def _table(self, decimal: str, encoding: str) -> SourceTable:
        if self.frame is None:
            # Text stays as it is: what of it is read as numbers is chosen with the columns that count.
            frame = read_table(self.path, decimal=decimal or None, encoding=encoding or None, parse=[])
            texts = [name for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
            return SourceTable(
                frame.assign(**{name: frame[name].mask(is_placeholder(frame[name])) for name in texts}), decimal
            )
        flat = tables.flat(tables.with_text_names(self.frame))
        known = {str(name).strip() for name in self.frame.columns}
        return SourceTable(flat, decimal, [name for name in map(str, flat.columns) if name not in known])

    def described(self) -> dict[str, str]:
        """Return what the frame itself says of its columns; nothing for a file."""
        if self.frame is None:
            return {}
        return self.table().uses_of(Description.of_frame(self.frame))

    def asked(self, flat: bool, parse: list[str], decimal: str) -> Any:
        """Return what analyses are asked of: the file, or the frame with its labels or with all of them as columns.

        Roles that the frame remembers are those that the form shows, which says them anew.
        """
        if self.frame is None:
            return self.path
        frame = self.table(decimal).frame if flat else self.frame
        frame = parse_numbers(frame, parse, decimal=decimal or None) if parse else frame.copy(deep=False)
        words = Description.of_frame(self.frame).saying(**dict.fromkeys((*ROLES, "standard_error"))).words
        frame.attrs = {**self.frame.attrs, ATTRS_KEY: dict(words)}
        return frame
