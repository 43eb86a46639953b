"""The user's own tables: read once, checked column by column, and handed to another process bit for bit."""

from __future__ import annotations

import importlib.util
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.checks import PARQUET, called, listed, nearest, optional, setting
from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE
from copa_nb.sources.files import read_table
from copa_nb.sources.parse_numbers import parse_numbers
from copa_nb.text import with_index

FRAME = "frame.parquet"
_SHOWN = 3


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
    if not path.is_file():
        where = "" if Path(name).is_absolute() else f" in {path.parent.resolve()}"
        beside = [file.name for file in path.parent.iterdir()] if path.parent.is_dir() else []
        raise FileNotFoundError(
            f"{called('table')} is {name!r}, but there is no such file{where}.{nearest(path.name, beside)}"
        )
    state = path.stat()
    frame = _read(str(path), state.st_mtime_ns, state.st_size, json.dumps(dict(reading)))
    return frame.copy(deep=False)


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


def with_reference(asked: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return options of a verb, with the rule that finds the reference point in the place of ``worst_multiple``.

    Parameters
    ----------
    asked : Analysis
        With the parameters ``reference`` and ``worst_multiple``.
    options : mapping
        Those of its parameters that are options.
    """
    kept = {name: value for name, value in options.items() if name != "worst_multiple"}
    return {**kept, "reference": WORST_MULTIPLE} if asked.worst_multiple else kept


def cell_with_reference(asked: Any, found: Mapping[str, Any], cell: Mapping[str, Any]) -> dict[str, Any]:
    """Return variables of a notebook with the reference point as a value per objective, or the rule that finds it.

    Parameters
    ----------
    asked : Analysis
        As for :func:`with_reference`.
    found : mapping
        The variables as they were named.
    cell : mapping of name to default
        What the parameters cell declares.
    """
    options = {name: value for name, value in found.get("options", {}).items() if name != "worst_multiple"}
    written = {**found, **({"options": options} if "options" in found else {})}
    if "reference" in cell and (asked.has_table or asked.reference or asked.worst_multiple):
        written["reference"] = asked.reference or (WORST_MULTIPLE if asked.worst_multiple else WORST)
    return written


def _write_records(frame: pd.DataFrame, path: Path) -> Path:
    """Write numbers with all their digits, and text."""
    for name, values in frame.items():
        is_plain = pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values)
        if not is_plain and pd.api.types.infer_dtype(values, skipna=True) not in ("string", "empty"):
            optional("pyarrow", f"a report of column {name!r}, whose values are neither numbers nor text,", PARQUET)
    records = frame.astype(object).where(frame.notna(), None).to_dict("records")
    path.write_text(json.dumps(records, ensure_ascii=False), encoding="utf-8")
    return path


def need_one_reference(reference: Mapping[str, float], *, worst_multiple: bool) -> None:
    """Refuse a reference point together with a rule that finds one.

    Raises
    ------
    ValueError
        If both are given.
    """
    if reference and worst_multiple:
        raise ValueError(
            f"{called('worst_multiple')} is given with {called('reference')}, which states the point; leave one of "
            "them out."
        )


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


def need_all_numbers(columns: Iterable[tuple[pd.Series, str]], decimal: str | None) -> None:
    """Refuse all columns at once that are not ones of numbers, each with the argument that names it."""
    refused = []
    for values, argument in columns:
        try:
            need_numbers(values, argument, decimal)
        except ValueError as error:
            refused.append(str(error))
    if refused:
        raise ValueError("\n".join(refused))


def need_numbers(values: pd.Series, argument: str, decimal: str | None, *, verb: str = "names") -> None:
    """Refuse a column that is not one of numbers, with the rows and what to do."""
    named = f"{called(argument)} {verb} {values.name!r}"
    if pd.api.types.is_bool_dtype(values):
        raise ValueError(
            f"{named}, whose values are true or false, not numbers; write 1 and 0 if one of them is better."
        )
    if pd.api.types.is_numeric_dtype(values) and not pd.api.types.is_complex_dtype(values):
        return
    text = values.map(str, na_action="ignore")
    wrong = (text.notna() & pd.to_numeric(text, errors="coerce").isna()).to_numpy().nonzero()[0]
    count = len(wrong)
    examples = ", ".join(f"{text.iloc[i]!r} in row {i + 1}" for i in wrong[:_SHOWN])
    are_not = "is not a number" if count == 1 else "are not numbers"
    reason, fix = f"{count:,} of its {len(values):,} values {are_not} ({examples})", "use plain numbers"
    if not count:
        reason, fix = f"its type is {values.dtype}", "store it as numbers"
    elif parsing := _parsing(values, decimal):
        fix = parsing
    elif count < len(values) and not text.iloc[wrong].str.contains(r"\d").any():
        fix = f"leave these cells empty and set {called('nan_policy')}"
    elif text.iloc[wrong].str.fullmatch(r"[^/]*\d[^/]*/[^/]*\d[^/]*").any():
        fix += ", one in a cell"
    elif count > len(values) / 2:
        fix += ", without units or thousands separators"
    else:
        fix += f", or leave these cells empty and set {called('nan_policy')}"
    raise ValueError(f"{named}, which is not a numeric column: {reason}; {fix}.")


def _parsing(values: pd.Series, decimal: str | None) -> str:
    """Describe how a column of text can be read as numbers, if it can."""
    for mark in (decimal, ".", ","):
        try:
            parse_numbers(values.to_frame(), [values.name], decimal=mark)
        except ValueError:
            continue
        which = "" if mark == decimal else f", and set {called('decimal')}: with {mark!r} all of them are numbers"
        return f"list it in {called('parse')}, which reads such values{which}"
    return ""


def need_objective(objectives: Collection[str], name: str, argument: str) -> None:
    """Refuse a name that is not among the objectives."""
    if name not in objectives:
        known = f"the objectives are {listed(objectives)}.{nearest(name, objectives)}"
        raise ValueError(f"{called(argument)} names {name!r}, which is not an objective; {known}")


def need_positive(values: pd.Series, argument: str) -> None:
    """Refuse a column that has no logarithm."""
    low = values[values <= 0]
    if len(low):
        raise ValueError(
            f"{called(argument)} names {values.name!r}, which has {_counted(len(low), 'value')} of 0 or less, e.g. "
            f"{low.iloc[0]:g}. Only positive numbers have a logarithm: remove it from {called(argument)}, or correct "
            "the table."
        )


def check_missing(table: pd.DataFrame, objectives: Sequence[tuple[str, str]], nan_policy: str) -> None:
    """Refuse missing values unless the policy allows them."""
    missing = table[list(dict.fromkeys(name for _, name in objectives))].isna()
    incomplete = missing.any(axis="columns")
    if nan_policy not in ("raise", "omit") or not incomplete.any():
        return
    if nan_policy == "omit":
        if incomplete.all():
            raise ValueError(
                f"{setting('nan_policy', 'omit')} would leave no rows: each of the {len(table):,} rows lacks a value "
                f"in {listed(missing.columns)}. Fill in the values, or use {setting('nan_policy', 'worst')}."
            )
        return
    (argument, name), *others = [pair for pair in objectives if missing[pair[1]].any()]
    rows = missing[name].to_numpy().nonzero()[0] + 1
    shown = ", ".join(map(str, rows[:_SHOWN])) + (", …" if len(rows) > _SHOWN else "")
    also = f", as do{'es' * (len(others) == 1)} {listed(other for _, other in others)}" if others else ""
    raise ValueError(
        f"{called(argument)} names {name!r}, which has {_counted(len(rows), 'missing value')} "
        f"(row{'s' * (len(rows) > 1)} {shown}){also}, and {called('nan_policy')} is 'raise'. Fill them in, or use "
        f"{setting('nan_policy', 'omit')} to leave out {int(incomplete.sum()):,} of {len(table):,} rows, or "
        f"{setting('nan_policy', 'worst')} to count a missing value as worse than any other."
    )


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"
