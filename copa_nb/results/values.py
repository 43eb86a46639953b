"""What programs read of a result: values of JSON, a table of Markdown, a stream of Arrow."""

from __future__ import annotations

import dataclasses
import datetime
import json
import math
from collections.abc import Hashable, Iterator, Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text

# Longer ones are no facts, but what the result was computed from.
_MOST_ENTRIES = 50
# What has a value for each row, and belongs in tables.
_PER_ROW = (pd.DataFrame, pd.Series, pd.Index, np.ndarray)
# Properties that headlines are made of.
_HEADLINES = (
    "headline",
    "best",
    "values",
    "weights",
    "verdict",
    "significant",
    "gap",
    "relative_gap",
    "more",
    "summary",
)
# What pyarrow reads a column of objects as; a column of anything else is written as text.
_OF_ONE_TYPE = ("string", "empty", "boolean", "integer", "floating", "bytes", "date", "datetime64", "datetime")


class _NotJsonError(TypeError):
    """A value has no counterpart in JSON."""


def json_value(value: object) -> Any:
    """Write a value as JSON has it: missing numbers as null, infinite ones and labels as people read them.

    Raises
    ------
    _NotJsonError
        For a value that is neither a scalar nor made of scalars.

    Examples
    --------
    >>> json_value({"a": np.float64(1.5), ("b", 1): [np.nan, float("inf")], "c": pd.Series([True], index=["x"])})
    {'a': 1.5, 'b, 1': [None, 'inf'], 'c': {'x': True}}
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, str):
        return str(value)
    if isinstance(value, bool | np.bool_):
        return bool(value)
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, float | np.floating):
        number = float(value)
        return number if math.isfinite(number) else None if math.isnan(number) else str(number)
    if isinstance(value, datetime.date | pd.Timestamp):
        return value.isoformat()
    if isinstance(value, pd.DataFrame):
        return _records(value)
    if isinstance(value, pd.Series):
        return {text.label(name): json_value(one) for name, one in zip(value.index, value, strict=True)}
    if isinstance(value, Mapping):
        return {text.label(name): json_value(one) for name, one in value.items()}
    if isinstance(value, list | tuple | set | frozenset | np.ndarray | pd.Index | pd.Categorical):
        return [json_value(one) for one in value]
    raise _NotJsonError(f"a {type(value).__name__} is no value of JSON.")


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    """The rows of a table, with what names them."""
    flat = _flat(frame)
    columns = [[_shown(one) for one in flat.iloc[:, k]] for k in range(flat.shape[1])]
    return [dict(zip(flat.columns, row, strict=True)) for row in zip(*columns, strict=True)]


def _shown(value: object) -> Any:
    try:
        return json_value(value)
    except _NotJsonError:
        return str(value)


def _flat(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with its row names as columns, and texts as names of columns, each once."""
    flat = text.with_index(frame)
    names: list[str] = []
    for name in flat.columns:
        spelled = text.label(name)
        count = sum(spelled == one or one.startswith(f"{spelled}.") for one in names)
        names.append(f"{spelled}.{count}" if spelled in names else spelled)
    return flat.set_axis(pd.Index(names, dtype=object), axis="columns")


def facts_of(result: Any) -> dict[str, Any]:
    """Collect what the headline of a result is made of: its kind, its own scalars, its summary and its guarantee."""
    facts: dict[str, Any] = {"result": type(result).__name__}
    for field in dataclasses.fields(result) if dataclasses.is_dataclass(result) else ():
        if not field.name.startswith("_") and field.name not in ("table", "summary", "guarantee"):
            value = getattr(result, field.name)
            if not isinstance(value, _PER_ROW) and _is_small(value):
                facts |= _fact(field.name, value)
    for name in _HEADLINES:
        if name not in facts and isinstance(getattr(type(result), name, None), property) and hasattr(result, name):
            facts |= _fact(name, getattr(result, name))
    guarantee = getattr(result, "guarantee", None)
    return facts if guarantee is None else facts | {"guarantee": json_value(guarantee.to_dict())}


def _is_small(value: object) -> bool:
    if isinstance(value, Mapping) and any(isinstance(one, _PER_ROW) for one in value.values()):
        return False
    return not hasattr(value, "__len__") or isinstance(value, str) or len(value) <= _MOST_ENTRIES


def _fact(name: str, value: object) -> dict[str, Any]:
    """A value under its name; nothing if JSON has no such value."""
    try:
        return {name: json_value(value)}
    except _NotJsonError:
        return {}


def json_text(result: Any) -> str:
    """Write the facts of a result and its table as JSON."""
    document = {**result.facts(), "table": json_value(result.table)}
    return json.dumps(document, ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def markdown_text(title: str, words: str, table: pd.DataFrame) -> str:
    """Write a title, words and a table as Markdown."""
    return (
        "\n\n".join(part for part in (f"**{_escaped(title)}**", _escaped(words), markdown_table(table)) if part) + "\n"
    )


def markdown_table(frame: pd.DataFrame) -> str:
    r"""Write a table as Markdown, with row names, numbers as people write them, and names as they say them.

    Examples
    --------
    >>> print(markdown_table(pd.DataFrame({"time_s": [91.0, 84.5]}, index=pd.Index(["A|B", "C"], name="model"))))
    | model | time (s) |
    | --- | ---: |
    | A\|B | 91.0 |
    | C | 84.5 |
    """
    flat = text.with_index(text.spoken_index(frame))
    columns = [flat.iloc[:, k] for k in range(flat.shape[1])]
    sides = ["---:" if text.is_numeric(column) else "---" for column in columns]
    cells = [text.column_texts(column) for column in columns]
    rows: Iterator[tuple[str, ...]] = zip(*cells, strict=True)
    names = [_escaped(name) for name in text.spoken_columns(flat)]
    lines = [names, sides, *([_escaped(one) for one in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def _escaped(words: object) -> str:
    """Text in which Markdown marks nothing."""
    written = " ".join(str(words).split())
    for mark in "\\|*_`<":
        written = written.replace(mark, f"\\{mark}")
    return written


def arrow_stream(table: pd.DataFrame, requested_schema: object) -> object:
    """Stream a table as Arrow has it: row names as columns, and columns of mixed objects as text."""
    flat = _flat(table)
    columns = {name: _of_one_type(flat.iloc[:, k]) for k, name in enumerate(flat.columns)}
    return pd.DataFrame(columns, columns=flat.columns).reset_index(drop=True).__arrow_c_stream__(requested_schema)


def _of_one_type(column: pd.Series) -> pd.Series:
    if column.dtype != object or pd.api.types.infer_dtype(column, skipna=True) in _OF_ONE_TYPE:
        return column
    missing = column.isna()
    return column.map(_label).where(~missing, None)


def _label(value: Hashable) -> str:
    return text.label(value)
