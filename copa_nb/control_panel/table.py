"""The table of a panel: where it comes from, what can be said of each column, and what their names suggest."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from copa_nb.analyses import tables
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
MARKS = (".", ",")
ARROWS = {"max": "↑", "min": "↓"}
_FIRST = 3  # values of a column
_SHOWN = (*ROLES, "standard_error")  # what a description says that the form shows


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
    """

    def __init__(self, frame: pd.DataFrame, decimal: str = "") -> None:
        self.frame, self.decimal = frame, decimal
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
        return uses if not naming or "system" in uses.values() else {str(naming): "system", **uses}

    def uses_of(self, described: Description) -> dict[str, str]:
        """Return what a description says of columns, in the order of the table: each with its direction or role."""
        uses: dict[str, str] = {}
        parts = described.get("validation") or VALIDATION, described.get("test") or TEST
        for name, way in {} if described.objectives is None else described.objectives.to_dict().items():
            columns = (name,) if str(name) in self.columns else score_columns(self.frame, name, *parts)[1]
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
    """Where the table of a panel comes from: a file, or a frame, whose labels are a column that names its rows.

    Parameters
    ----------
    name : str
        What it is called.
    path : str
        The file, if it is one.
    frame : DataFrame, optional
        The table, if it is none.

    Attributes
    ----------
    encoding : str
        Of a text file that is no UTF-8, which spreadsheets of Windows write: known once it is read.
    uses : dict of column to str
        What the frame itself says of its columns; nothing for a file.
    loading : str
        The line of Python that makes of the ``frame`` the ``table`` with labels as a column.
    """

    def __init__(self, name: str, *, path: str = "", frame: pd.DataFrame | None = None) -> None:
        self.name, self.path, self.frame = name, path, frame
        self.uses: dict[str, str] = {}
        self.encoding = self.loading = ""
        self._read: dict[str, SourceTable] = {}
        if frame is not None:
            self._take(frame)

    def _take(self, given: pd.DataFrame) -> None:
        """Take a frame: what it says of its columns is what the form shows, which says it anew."""
        self.frame = tables.flat(tables.with_text_names(given))
        said = Description.of_frame(given)
        labels = [str(name) for name in self.frame.columns[: self.frame.shape[1] - given.shape[1]]]
        named = {name: "system" for name in labels if len(labels) == 1 and said.get("system") is None}
        self.uses = named | self.table().uses_of(said)
        self.frame.attrs[ATTRS_KEY] = dict(said.saying(**dict.fromkeys(_SHOWN)).words)
        renamed = f".rename_axis({labels!r})" if labels and None in given.index.names else ""
        forgotten = [f"{word}=None" for word in _SHOWN if said.get(word) is not None]
        as_text = "" if all(isinstance(name, str) for name in given.columns) else ".rename(columns=str)"
        self.loading = f"table = frame{as_text}{renamed}{'.reset_index()' if labels else ''}"
        self.loading += f".moo.define({', '.join(forgotten)})" if forgotten else ""

    def table(self, decimal: str = "") -> SourceTable:
        """Read the table, once for each decimal mark."""
        if decimal not in self._read:
            self._read[decimal] = SourceTable(self._of_file(decimal) if self.frame is None else self.frame, decimal)
        return self._read[decimal]

    def _of_file(self, decimal: str) -> pd.DataFrame:
        try:
            # Text stays as it is: what of it is read as numbers is chosen with the columns that count.
            frame = read_table(self.path, decimal=decimal or None, encoding=self.encoding or None, parse=[])
        except ValueError as error:
            if self.encoding or not isinstance(error.__cause__, UnicodeDecodeError):
                raise
            self.encoding = "cp1252"
            return self._of_file(decimal)
        texts = [name for name in frame.columns if pd.api.types.is_string_dtype(frame[name])]
        return frame.assign(**{name: frame[name].mask(is_placeholder(frame[name])) for name in texts})

    def asked(self, parse: list[str], decimal: str) -> Any:
        """Return what analyses are asked of: the file, or the frame."""
        if self.frame is None:
            return self.path
        return parse_numbers(self.frame, parse, decimal=decimal or None) if parse else self.frame
