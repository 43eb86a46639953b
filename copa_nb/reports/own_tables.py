"""Tables of one's own: CSV, Parquet and JSON lines, read with their origin."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd

from copa_nb.checks import column, listed
from copa_nb.reports.fingerprint import file_hash

CSV, PARQUET, JSON_LINES = (".csv", ".csv.gz", ".tsv"), (".parquet", ".pq"), (".jsonl", ".ndjson", ".json")
ENDINGS = (*CSV, *PARQUET, *JSON_LINES)


def read_table(path: str | Path, *, index: str | None = None) -> pd.DataFrame:
    """Read a table and note where it comes from.

    Parameters
    ----------
    path : str or Path
        A file whose name ends in .csv, .csv.gz or .tsv, .parquet or .pq, .jsonl, .ndjson or .json.
    index : str, optional
        Column that names the rows; ``""`` takes the first column if it holds text and names every row
        differently. By default all columns stay columns.

    Returns
    -------
    DataFrame
        With ``attrs["source"]`` (kind "own"), for ``report.data(frame)``.

    Raises
    ------
    FileNotFoundError, ValueError
        If the file is missing, empty, of another kind or cannot be read as what its name says, or if
        there is no such column.
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"`table` is {str(path)!r}; there is no such file.")
    ending = next((known for known in ENDINGS if file.name.lower().endswith(known)), None)
    if ending is None:
        raise ValueError(f"`table` is {str(path)!r}; its name must end in one of {listed(ENDINGS)}.")
    if not file.stat().st_size:
        raise ValueError(f"`table` is {str(path)!r}, an empty file; it must have a header and at least one row.")
    try:
        frame = _read(file, ending)
    except (ValueError, TypeError, AttributeError, OSError) as error:  # pandas' and pyarrow's errors are ValueErrors
        reason = str(error).strip().split("\n")[0]
        raise ValueError(f"`table` is {str(path)!r}, which cannot be read as {ending[1:]}: {reason}") from error
    if frame.empty:
        raise ValueError(f"`table` is {str(path)!r}, which has no {'rows' if len(frame.columns) else 'columns'}.")
    _check_headers(frame, path)
    named_by = _first_text_column(frame) if index == "" else index
    if named_by:
        column(frame, named_by, "index")
        frame = frame.set_index(named_by)
    frame.attrs["source"] = {"name": file.name, "kind": "own", "sha256": file_hash(file), "origin": str(path)}
    return frame


def _read(file: Path, ending: str) -> pd.DataFrame:
    if ending in PARQUET:
        try:
            return pd.read_parquet(file)
        except ImportError as error:
            raise ValueError("reading Parquet needs pyarrow: pip install 'copa_nb[parquet]'") from error
    if ending in JSON_LINES:
        text = file.read_text(encoding="utf-8").strip()
        records = json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines() if line]
        return pd.DataFrame.from_records(records)
    return pd.read_csv(file, sep="\t" if ending == ".tsv" else ",")


def _check_headers(frame: pd.DataFrame, path: str | Path) -> None:
    frame.columns = pd.Index([str(name).strip() for name in frame.columns])
    double = frame.columns[frame.columns.duplicated()].unique()
    if len(double):
        raise ValueError(f"`table` is {str(path)!r}, which has several columns named {listed(double)}.")


def _first_text_column(frame: pd.DataFrame) -> str:
    is_numbered = isinstance(frame.index, pd.RangeIndex)
    first = frame.iloc[:, 0]
    is_text = pd.api.types.is_string_dtype(first) or isinstance(first.dtype, pd.CategoricalDtype)
    names_rows = is_numbered and is_text and frame.shape[1] > 1 and first.is_unique and first.notna().all()
    return str(frame.columns[0]) if names_rows else ""
