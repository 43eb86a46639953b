"""The user's own tables: read once, and handed to another process bit for bit."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.checks import PARQUET, called, listed, nearest, optional
from copa_nb.sources.files import read_table
from copa_nb.text import with_index

FRAME = "frame.parquet"


def read_once(path: Path, name: str, reading: Mapping[str, Any]) -> pd.DataFrame:
    """Read a table from a file; runs that vary something else share it.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        As the user gave it, for errors.
    reading : mapping
        Options of :func:`copa_nb.reports.read_table`.
    """
    need_file(path, name)
    state = path.stat()
    frame = _read(str(path), state.st_mtime_ns, state.st_size, json.dumps(dict(reading)))
    return frame.copy(deep=False)


def need_file(path: Path, name: str) -> None:
    """Refuse a file that is not there, with the nearest name.

    Parameters
    ----------
    path : Path
        The file.
    name : str
        As the user gave it.
    """
    if not path.is_file():
        where = "" if Path(name).is_absolute() else f" in {path.parent.resolve()}"
        beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FileNotFoundError(
            f"{called('table')} is {name!r}, but there is no such file{where}.{nearest(path.name, beside)}"
        )


@lru_cache(maxsize=1)
def _read(path: str, changed: int, size: int, reading: str) -> pd.DataFrame:
    return read_table(path, **json.loads(reading))


def write_frame(frame: pd.DataFrame, folder: Path) -> Path:
    """Write a frame to ``frame.parquet``: values, types, labels and attributes are read back as they are.

    Without pyarrow, one of numbers and text goes to ``frame.json``, with its labels as columns.

    Raises
    ------
    ImportError
        Without pyarrow, for other values.
    ValueError
        For several columns of one name, and for values that Parquet cannot store.
    """
    frame, path = with_text_names(frame), folder / FRAME
    if importlib.util.find_spec("pyarrow") is None:
        return _write_records(flat(frame), path.with_suffix(".json"))
    try:
        frame.to_parquet(path, engine="pyarrow")
    except (ValueError, TypeError, OverflowError) as error:  # errors of pyarrow are among them
        wrong = next((name for name in frame.columns if not _is_storable(frame[[name]])), None)
        what = f"column {wrong!r}" if wrong is not None else "labels or attributes"
        raise ValueError(
            f"{called('table')} has {what} that Parquet cannot store ({str(error).splitlines()[0]}); convert the "
            "values to one type, e.g. frame[name].astype(str), or drop the column."
        ) from error
    return path


def _write_records(frame: pd.DataFrame, path: Path) -> Path:
    """Write numbers with all their digits, and text."""
    for name, values in frame.items():
        is_plain = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values)
        if not is_plain and pd.api.types.infer_dtype(values, skipna=True) not in ("string", "empty"):
            optional("pyarrow", f"a report of column {name!r}, whose values are neither numbers nor text,", PARQUET)
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return path


def _is_storable(frame: pd.DataFrame) -> bool:
    import pyarrow as pa

    try:
        pa.Table.from_pandas(frame.reset_index(drop=True))
    except (ValueError, TypeError, OverflowError):
        return False
    return True


def with_text_names(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose columns have names as files have them: text, each once."""
    names = [str(name).strip() for name in frame.columns]
    if len(set(names)) < len(names):
        raise ValueError(
            f"{called('table')} has several columns of the same name: {listed(sorted(names))}; rename them."
        )
    renamed = frame.set_axis(names, axis="columns")
    renamed.attrs = dict(frame.attrs)
    return renamed


def flat(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame whose labels are columns, unless they are row numbers."""
    if isinstance(frame.index, pd.RangeIndex) and frame.index.name is None:
        return frame
    names = [f"label {number}" if name is None else name for number, name in enumerate(frame.index.names, start=1)]
    attrs = dict(frame.attrs)
    found = with_text_names(with_index(frame.set_axis(frame.index.set_names(names), axis="index")))
    found.attrs = attrs
    return found


def system_names(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Name systems by the columns that identify them, as text that can be given on the command line."""
    return table[list(columns)].astype(str).agg(" / ".join, axis=1)
