"""Tables in files: text with separators, Excel, JSON and Parquet, read by the format that their names state."""

from __future__ import annotations

import csv
import gzip
import hashlib
import io
import json
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd

from copa_nb.checks import PARQUET, called, column, listed, nearest, one_of, optional, setting
from copa_nb.sources.described import numbered
from copa_nb.sources.margins import second_header, without_margins
from copa_nb.sources.parse_numbers import parse_columns
from copa_nb.sources.placeholders import is_placeholder, without_placeholders
from copa_nb.sources.units import read_units

STANDARD_INPUT = "-"
AUTO = "auto"
_TEXT, _PARQUET, _EXCEL = (".csv", ".tsv", ".txt"), (".parquet", ".pq"), (".xlsx", ".xlsm")
_JSON = (".json", ".jsonl", ".ndjson")
_ENDINGS = (*_TEXT, *_JSON, *_PARQUET, *_EXCEL)
_COMPRESSED = ".gz"
# How a file that has no name begins; everything else is text with separators.
_BEGINNINGS = ((b"PAR1", ".parquet"), (b"PK\x03\x04", ".xlsx"), (b"[", ".json"), (b"{", ".json"))
_SEPARATORS = {",": "a comma", ";": "a semicolon", "\t": "a tab", "|": "a bar"}
# Of numbers in a file with semicolons; three digits behind a comma may be thousands.
_POINT = re.compile(r"(?:^|;)[+-]?\d+\.\d+(?=;|\r?$)", re.MULTILINE)
_COMMA = re.compile(r"(?:^|;)[+-]?\d+,(?!\d{3}(?:;|\r?$))\d+(?=;|\r?$)", re.MULTILINE)
_WIDTHS = re.compile(r"Expected (\d+) fields in line (\d+), saw (\d+)")
_GZIP, _ZIP, _UTF_16 = b"\x1f\x8b", b"PK", (b"\xff\xfe", b"\xfe\xff")
_SAMPLE = 1 << 16
_SHOWN = 3
_MOST_CELLS = 20_000_000  # of a sheet
# pandas takes 0.1 ms for every column, however few rows there are.
_MOST_COLUMNS = 20_000
_MOST_NAMED = 100_000  # rows that are called "row 1" rather than 1, which takes memory


def read_table(
    table: str | Path,
    *,
    system: str | None = None,
    separator: str | None = None,
    decimal: str | None = None,
    encoding: str | None = None,
    sheet: str | int | None = None,
    parse: str | Sequence[str] = AUTO,
) -> pd.DataFrame:
    r"""Read a table from a file and note where it comes from.

    Parameters
    ----------
    table : str or Path
        A file whose name ends in .csv, .tsv or .txt, .json, .jsonl or .ndjson (all of these also with .gz), .xlsx, or
        .parquet; "-" is standard input.
    system : str, optional
        Column that names the rows; ``""`` takes the first column if it contains text and names most rows
        differently, and else numbers the rows from 1. Rows that share a name are numbered: "a", "a (2)".
        By default all columns stay columns.
    separator : str, optional
        Separator of columns: a character, or "tab". By default a comma, a semicolon, a tab or a bar, if with
        only one of them all rows have as many columns as the header; .tsv has tabs.
    decimal : {".", ","}, optional
        The decimal mark of text; a point by default.
    encoding : str, optional
        Of text, e.g. "cp1252"; by default UTF-8, or UTF-16 if the file begins with its mark.
    sheet : str or int, optional
        Name of a sheet of an Excel file, or its number from 1; needed if several sheets contain data.
    parse : "auto" or list of str
        Columns in which percent signs, currencies and other units, thousands separators and decimal commas are
        understood, see :func:`copa_nb.parse_numbers`. By default those of text in which a unit leaves no doubt,
        such as "$0.0034", "1,450 ms" and "64.7%": a decimal mark of another column settles what "1,450" is, and
        ``attrs["notes"]`` names all columns that are read. An empty list leaves text as it is.

    Returns
    -------
    DataFrame
        With ``attrs["source"]`` (kind "own"), for ``report.data(frame)``, and ``attrs["notes"]``, sentences
        about how its rows are named, which cells are read as missing ("-" in a column of numbers), which columns
        of numbers stay text because of a few cells ("98.6/99.2"), and what exports leave around a table.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, empty, of another kind or cannot be read as what its name says, or if
        there is no such column.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> file = Path(tempfile.mkdtemp()) / "models.csv"
    >>> _ = file.write_text("model;accuracy\na;64,7\nb;70,1\n")
    >>> read_table(file, system="model", decimal=",")["accuracy"].tolist()
    [64.7, 70.1]
    """
    if decimal is not None:
        one_of("decimal", decimal, (".", ","))
    content, name = _content(table)
    ending = _ending(table, content)
    _refuse_options(str(table), ending, separator=separator, encoding=encoding, sheet=sheet)
    if isinstance(parse, bool):
        raise TypeError(f"{called('parse')} is {parse!r}; list the columns to parse, e.g. parse=['price'].")
    is_automatic = parse == AUTO
    parse = [] if is_automatic else [parse] if isinstance(parse, str) else list(parse or ())
    encoding, has_commas = encoding or _marked_encoding(content), False
    notes: list[str] = []
    understood: list[str] = []
    try:
        if ending in _TEXT:
            separator, skipped, has_commas = _layout(content, ending, separator, encoding or "utf-8-sig")
            if has_commas and is_automatic and decimal is None:
                decimal, has_commas = ",", False
                understood.append("Commas are read as decimal marks, since no number has a point.")
            frame = _read_text(content, separator, decimal or ".", encoding or "utf-8-sig", parse, skipped)
        elif ending in _JSON:
            frame = _read_json(content, encoding or "utf-8-sig")
        elif ending in _EXCEL:
            frame = _read_excel(content, sheet)
        else:
            frame = _read_parquet(content)
    except UnicodeError as error:
        raise ValueError(
            f"{called('table')} is {str(table)!r}, which is not {(encoding or 'utf-8').upper()} text "
            f"({error.reason}); set "
            f'{called("encoding")}, e.g. "cp1252" (Windows) or "utf-16".'
            if isinstance(error, UnicodeDecodeError)
            else f"{called('table')} is {str(table)!r}: {error}"
        ) from error
    except Exception as error:  # whatever pandas, openpyxl and pyarrow make of a damaged file
        if type(error) is LookupError:  # not one of its kinds, an index or a key
            raise ValueError(f"{called('encoding')} is {encoding!r}: {error}.") from error
        reason = _in_words(str(error).strip().split("\n")[0]) or type(error).__name__
        if isinstance(error, RecursionError):
            reason = "its lists or mappings are nested too deeply"
        raise ValueError(
            f"{called('table')} is {str(table)!r}, which cannot be read as {ending[1:]}: {reason}"
        ) from error
    if frame.empty:
        raise ValueError(
            f"{called('table')} is {str(table)!r}, which has no {'rows' if len(frame.columns) else 'columns'}."
        )
    frame.columns = pd.Index([str(name).strip() for name in frame.columns])
    if has_commas and not (decimal or parse):
        notes.append(f"Decimal marks seem to be commas; set {setting('decimal', ',')}.")
    if ending in _TEXT + _EXCEL:
        if problem := second_header(frame, table):
            raise ValueError(f"{called('table')} is {str(table)!r}, and {problem}.")
        frame, notes = without_margins(frame, notes)
    repeated = frame.columns[frame.columns.duplicated()].unique()
    if len(repeated):
        raise ValueError(f"{called('table')} is {str(table)!r}, which has several columns named {listed(repeated)}.")
    for parsed in parse:
        if parsed in frame.columns and pd.api.types.is_string_dtype(frame[parsed].dtype):
            frame[parsed] = frame[parsed].mask(is_placeholder(frame[parsed]))
    frame = parse_columns(frame, parse, decimal=decimal, argument="parse")
    spared = [system] if system else []
    if is_automatic:
        points = _with_fractions(frame) if ending in _TEXT else {}
        frame, more = read_units(frame, decimal=decimal, shown=points, spared=spared)
        understood += more
    frame, more = without_placeholders(frame, decimal, spared=spared)
    frame = name_rows(frame, system)
    frame.attrs["notes"] += understood + notes + more
    frame.attrs["source"] = {"name": name, "kind": "own", "sha256": _hash(content), "origin": str(table)}
    return frame


def _with_fractions(frame: pd.DataFrame) -> dict[str, str]:
    """The decimal mark of a text file, if a column of numbers has fractions, and the first such column."""
    floats = frame.select_dtypes("float")
    found = next((str(name) for name, column in floats.items() if (column % 1 > 0).any()), None)
    return {} if found is None else {".": found}


def _content(table: str | Path) -> tuple[Path | bytes, str]:
    """Return the file, or the content of standard input, and the name of the source."""
    if str(table) == STANDARD_INPUT:
        content = sys.stdin.buffer.read()
        if not content:
            raise ValueError(f"{called('table')} is '-', but standard input is empty; pipe a table into it.")
        return content, "standard input"
    file = Path(table)
    if not file.is_file():
        raise FileNotFoundError(f"{called('table')} is {str(table)!r}, but there is no such file.{_files_nearby(file)}")
    if not file.stat().st_size:
        raise ValueError(
            f"{called('table')} is {str(table)!r}, an empty file; it must have a header and at least one row."
        )
    return file, file.name


def _files_nearby(missing: Path) -> str:
    """Name, in a sentence, the file of the same folder that is called almost like a missing one; else the folder."""
    folder = missing.parent
    names = [file.name for file in folder.iterdir() if file.is_file()] if folder.is_dir() else []
    return nearest(missing.name, names) or f" Names are relative to {str(Path.cwd())!r}."


def _ending(table: str | Path, content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return next((ending for beginning, ending in _BEGINNINGS if content.lstrip().startswith(beginning)), ".csv")
    name = content.name.lower()
    packed = name.endswith(_COMPRESSED)
    ending = Path(name.removesuffix(_COMPRESSED)).suffix
    if ending not in (_TEXT + _JSON if packed else _ENDINGS):
        raise ValueError(
            f"{called('table')} is {str(table)!r}; its name must end in one of {listed(_ENDINGS)}, and may have "
            f"{_COMPRESSED} added if it is a text file."
        )
    return ending


def _refuse_options(table: str, ending: str, *, separator: Any, encoding: Any, sheet: Any) -> None:
    """Refuse options that do not apply to a file of this kind."""
    given = {
        "separator": (separator, _TEXT, "a text file with separators"),
        "encoding": (encoding, _TEXT + _JSON, "a text file"),
        "sheet": (sheet, _EXCEL, "an Excel file"),
    }
    for argument, (value, endings, kind) in given.items():
        if value not in (None, "") and ending not in endings:
            raise ValueError(f"{called(argument)} is {value!r}, but {table!r} is not {kind}; leave it out.")


def _open(content: Path | bytes) -> IO[bytes]:
    if isinstance(content, bytes):
        return io.BytesIO(content)
    # By what is in it: downloads are unpacked on the way, and keep their names.
    return gzip.open(content) if _beginning(content).startswith(_GZIP) else content.open("rb")  # type: ignore[return-value]


def _beginning(content: Path | bytes) -> bytes:
    if isinstance(content, bytes):
        return content[:2]
    with content.open("rb") as file:
        return file.read(2)


def _marked_encoding(content: Path | bytes) -> str | None:
    return "utf-16" if _beginning(content) in _UTF_16 else None


def _in_words(reason: str) -> str:
    """Say what to do about a line of text that cannot be read."""
    if widths := _WIDTHS.search(reason):
        expected, line, found = widths.groups()
        return (
            f"line {line} has {found} values, and those above have {expected}; correct the line, put text that "
            "contains a separator between quotes, or delete what is above the names of the columns"
        )
    if "EOF inside string" in reason:
        return f"a quotation mark in row {reason.split()[-1]} is not closed"
    return reason


def _hash(content: Path | bytes) -> str:
    if isinstance(content, bytes):
        return hashlib.sha256(content).hexdigest()
    with content.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _layout(content: Path | bytes, ending: str, separator: str | None, encoding: str) -> tuple[str, int, bool]:
    """Find how a text file is laid out: the separator, lines to skip, and whether decimal marks are commas."""
    with _open(content) as file:
        sample = file.read(_SAMPLE)
    # A character may be cut at the end of the sample.
    text = sample.decode(encoding, errors="strict" if len(sample) < _SAMPLE else "ignore")
    if text.lstrip().lower().startswith(("<!doctype", "<html")):
        raise ValueError("it is a web page; download the file itself")
    comments = _n_comments(text)
    text = "".join(text.splitlines(keepends=True)[comments:]) if comments else text
    separator = "\t" if separator in ("tab", "\\t") or (separator is None and ending == ".tsv") else separator
    separator = _sniffed(text, whole=len(sample) < _SAMPLE) if separator is None else separator
    if len(separator) != 1:
        raise ValueError(f'{called("separator")} is {separator!r}; it must be one character, or "tab"')
    has_commas = separator == ";" and bool(_COMMA.search(text)) and not _POINT.search(text)
    return separator, comments, has_commas


def _n_comments(text: str) -> int:
    """Count the lines before the header that begin with "#"; the header may do so itself."""
    lines = text.splitlines()
    n = next((n for n, line in enumerate(lines) if not line.startswith("#")), 0)
    is_header = n and any(lines[n].count(separator) == lines[n - 1].count(separator) > 0 for separator in _SEPARATORS)
    return n - 1 if is_header else n


def _read_text(
    content: Path | bytes, separator: str, decimal: str, encoding: str, parse: Sequence[str], skipped: int
) -> pd.DataFrame:
    with _open(content) as file, io.TextIOWrapper(file, encoding) as lines:
        _refuse_many_columns(lines.readline().count(separator) + 1)
    options: dict[str, Any] = {"sep": separator, "decimal": decimal, "encoding": encoding, "low_memory": False}
    options |= {"skiprows": skipped}

    def read(**more: Any) -> pd.DataFrame:
        with _open(content) as file:
            return pd.read_csv(file, **options, **more)

    # As they are written: a point may separate thousands.
    texts = {name: str for name in read(nrows=0).columns if str(name).strip() in parse} if parse else {}
    frame = read(dtype=texts)
    if len(frame.columns) == 1 and len(str(frame.columns[0]).split()) > 1 and _has_as_many_words(frame):
        raise ValueError(
            f"it has one column, {str(frame.columns[0])!r}, whose words seem to be columns; set "
            f"{setting('separator', ' ')}"
        )
    if frame.index.equals(pd.RangeIndex(len(frame))):
        return frame
    # Rows have more values than the header has names, so pandas takes the first ones for the names of rows.
    if frame.iloc[:, -1].isna().all():
        return read(dtype=texts, index_col=False)  # a separator ends every row
    if frame.index.nlevels > 1 or not pd.api.types.is_string_dtype(frame.index):
        raise ValueError("its rows have more values than its header has names; add the missing column names")
    return frame


def _has_as_many_words(frame: pd.DataFrame) -> bool:
    """Whether all rows of a single column have as many words as its name."""
    counts = {len(str(value).split()) for value in frame.iloc[:, 0]}
    return counts == {len(str(frame.columns[0]).split())}


def _refuse_many_columns(n_columns: int) -> None:
    if n_columns > _MOST_COLUMNS:
        raise ValueError(
            f"it has {n_columns:,} columns, but at most {_MOST_COLUMNS:,} can be read. Keep the metrics of interest, "
            "or write one row per value and use copa_nb.from_long"
        )


def _sniffed(sample: str, *, whole: bool) -> str:
    """Return the separator with which all rows have as many columns as the header, or refuse to choose."""
    fitting = [separator for separator in _SEPARATORS if _fits(sample, separator, whole)]
    if len(fitting) > 1:
        raise ValueError(
            f"its separator is ambiguous: with {listed(_SEPARATORS[one] for one in fitting)}, all rows have the same "
            f"number of columns; set {called('separator')}"
        )
    in_header = [separator for separator in _SEPARATORS if separator in sample.partition("\n")[0]]
    return (fitting or (in_header if len(in_header) == 1 else [","]))[0]


def _fits(sample: str, separator: str, whole: bool) -> bool:
    try:
        rows = list(csv.reader(io.StringIO(sample, newline=""), delimiter=separator))
    except csv.Error:
        return False
    widths = [len(row) for row in (rows if whole else rows[:-1]) if row]
    # Rows may have one more: names without a header, as R writes them.
    return bool(widths) and widths[0] > 1 and len(set(widths[1:])) <= 1 and 0 <= (widths[-1] - widths[0]) <= 1


def _read_json(content: Path | bytes, encoding: str) -> pd.DataFrame:
    with _open(content) as file:
        text = file.read().decode(encoding).strip()
    try:
        data = json.loads(text)
    except ValueError:
        data = [json.loads(line) for line in text.splitlines() if line.strip()]
    tables = [name for name, value in data.items() if _is_of_records(value)] if isinstance(data, dict) else []
    if tables:
        raise ValueError(
            f"its rows seem to be in {tables[0]!r}; read them: pd.DataFrame(json.load(open(...))[{tables[0]!r}])"
        )
    if isinstance(data, dict) and data and all(isinstance(values, list) for values in data.values()):
        _refuse_many_columns(len(data))
        return pd.DataFrame(data)
    if isinstance(data, dict) and data and all(isinstance(values, dict) for values in data.values()):
        raise ValueError(
            f"it maps {listed(data, _SHOWN)} to mappings, and these may be rows or columns; say which: "
            'pd.DataFrame.from_dict(json.load(open(...)), orient="index") for rows, pd.read_json(...) for columns'
        )
    records = data if isinstance(data, list) else [data]
    if not all(isinstance(record, dict) for record in records):
        raise ValueError("it must contain a list of rows, one row per line, or one list per column")
    _refuse_many_columns(len({name for record in records for name in record}))
    return pd.DataFrame.from_records(records)


def _is_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) for one in value)


def _read_excel(content: Path | bytes, sheet: str | int | None) -> pd.DataFrame:
    if not _beginning(content).startswith(_ZIP):
        raise ValueError("it is no Excel workbook; save an old one as .xlsx, and give text a name that ends in .csv")
    with _open(content) as file:
        try:
            book = pd.ExcelFile(file, engine="openpyxl")
        except ImportError as error:
            raise ValueError("reading Excel needs openpyxl: pip install 'copa_nb[excel]'") from error
        with book:
            name = _sheet(book, sheet)
            _refuse_stray_cells(book.book[name])
            return pd.read_excel(book, sheet_name=name)


def _refuse_stray_cells(sheet: Any) -> None:
    """Refuse a sheet whose last cell is so far away that a table up to there would fill the memory."""
    # Counted, since what the file says of its size may be missing or wrong.
    sheet.reset_dimensions()
    sheet.calculate_dimension(force=True)
    n_rows, n_columns = sheet.max_row, sheet.max_column
    if n_rows * n_columns > _MOST_CELLS:
        raise ValueError(
            f"its sheet {sheet.title!r} has {n_rows:,} rows and {n_columns:,} columns, but at most {_MOST_CELLS:,} "
            "cells can be read. Delete the cells outside the table, or save the table as CSV"
        )


def _sheet(book: pd.ExcelFile, sheet: str | int | None) -> str:
    names = [str(name) for name in book.sheet_names]
    if sheet is None or sheet == "":
        filled = [name for name in names if not pd.read_excel(book, sheet_name=name, nrows=1).empty] or names[:1]
        if len(filled) > 1:
            raise ValueError(f"it has several sheets, {listed(filled)}; choose one with {called('sheet')}")
        return filled[0]
    if str(sheet) in names:
        return str(sheet)
    if str(sheet).isdecimal() and 1 <= int(sheet) <= len(names):
        return names[int(sheet) - 1]
    raise ValueError(f"{called('sheet')} is {sheet!r}; the sheets are {listed(names)}.{nearest(sheet, names)}")


def _read_parquet(content: Path | bytes) -> pd.DataFrame:
    parquet = optional("pyarrow.parquet", "reading Parquet", PARQUET)
    with _open(content) as file:
        _refuse_many_columns(len(parquet.read_schema(file).names))
        file.seek(0)
        return pd.read_parquet(file)


def name_rows(frame: pd.DataFrame, system: str | None, argument: str = "system") -> pd.DataFrame:
    """Name the rows of a table by a column or by their numbers, see `system` of :func:`read_table`, and note how."""
    names = first_text_column(frame) if system == "" else system
    if names:
        column(frame, names, argument)
    frame = frame.set_index(names) if names else frame.copy(deep=False)
    frame.attrs = {**frame.attrs, "notes": [*frame.attrs.get("notes", ())]}
    if system == "" and not names and isinstance(frame.index, pd.RangeIndex):
        frame.index = _row_numbers(len(frame))
    elif system is not None and frame.index.nlevels == 1:
        _number_repeated(frame)
    return frame


def save_standard_input(folder: Path) -> Path:
    """Write standard input to a file whose ending shows its format."""
    content, _ = _content(STANDARD_INPUT)
    assert isinstance(content, bytes)
    file = folder / f"standard-input{_ending(STANDARD_INPUT, content)}"
    file.write_bytes(content)
    return file


def first_text_column(frame: pd.DataFrame) -> str:
    """Return the first column if it is text that differs between most rows, so that it names them; else nothing."""
    is_numbered = isinstance(frame.index, pd.RangeIndex)
    first = frame.iloc[:, 0]
    is_text = pd.api.types.is_string_dtype(first) or isinstance(first.dtype, pd.CategoricalDtype)
    if not (is_numbered and is_text and frame.shape[1] > 1 and first.notna().all()):
        return ""
    # A column of few values says of what kind a row is, not what it is called.
    return str(frame.columns[0]) if 2 * first.nunique() > len(first) else ""


def _number_repeated(frame: pd.DataFrame) -> None:
    """Number the rows that share a name, and note it: "a", "a (2)"."""
    repeated = frame.index[frame.index.duplicated()].unique()
    if not len(repeated):
        return
    frame.index, example = numbered(frame)
    frame.attrs["notes"] += [f"Several rows are named {listed(repeated, _SHOWN)}; they are numbered, e.g. {example!r}."]


def _row_numbers(n_rows: int) -> pd.Index:
    """Name rows that have no name by their numbers, from 1 as people count."""
    numbers = pd.RangeIndex(1, n_rows + 1, name="row")
    return numbers if n_rows > _MOST_NAMED else pd.Index([f"row {number}" for number in numbers])
