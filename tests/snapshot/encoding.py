"""Results as rows of a table, one for each number, column or sequence, and what differs between two such tables.

A column is not stored value by value: how many values it has, their mean and the mean of each times its place, the
smallest and the largest change with any of them. Labels are stored as far as a line holds them. Of a sentence only the
numbers count: it may be worded anew.
"""

from __future__ import annotations

import csv
import hashlib
import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.results import Objectives

# The same program gives the same bits; another processor or BLAS adds up in another order and rounds otherwise.
RELATIVE = 1e-12
# What is left of two numbers that nearly cancel has no relative exactness.
ABSOLUTE = 1e-13
MEASURED = ("mean", "moment", "smallest", "largest")
EXACT = ("kind", "n", "text")
LONGEST = 80
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_FEWEST_WORDS = 5

Row = dict[str, Any]
Rows = dict[tuple[str, str], Row]  # by case and place


def attributes_of(result: Any, *attributes: str, **more: Any) -> dict[str, Any]:
    """Return some attributes of a result, and what else was found of it."""
    return {name: getattr(result, name) for name in attributes} | more


def rows_of_case(name: str, parts: Mapping[str, Any]) -> Rows:
    """Return a row for everything that a case found."""
    rows: Rows = {}
    for place, row in rows_of(parts):
        if (name, place) in rows:
            raise ValueError(f"two parts of {name} are written alike: {place}.")
        rows[name, place] = row
    return rows


def rows_of(value: Any, place: str = "") -> Iterator[tuple[str, Row]]:
    """Yield place and description of everything that a result holds.

    Anything that is not known is refused, so that no address in memory or order of a set slips in.
    """
    if isinstance(value, Mapping):
        for name, part in value.items():
            yield from rows_of(part, f"{place} > {name}".removeprefix(" > "))
    elif isinstance(value, pd.DataFrame):
        yield f"{place} > index", _sequence(value.index) | {"kind": f"index {list(value.index.names)}"}
        for number, name in enumerate(value.columns):
            yield f"{place} > {name}", _column(value.iloc[:, number])
    elif isinstance(value, pd.Series):
        yield from rows_of(value.to_frame("values" if value.name is None else value.name), place)
    elif isinstance(value, np.ndarray):
        yield place, _numbers(value.ravel(), f"{value.dtype} {'x'.join(map(str, value.shape))}")
    elif isinstance(value, Objectives):
        yield place, _sequence(value.labels)
    elif isinstance(value, Set):
        yield place, _sequence(sorted(value, key=repr))
    elif isinstance(value, list | tuple | pd.Index):
        parts = list(value)
        if any(isinstance(part, Mapping | pd.DataFrame | np.ndarray) for part in parts):
            for number, part in enumerate(parts):
                yield from rows_of(part, f"{place}[{number}]")
        else:
            yield place, _sequence(parts)
    else:
        yield place, _scalar(value)


def differences(stored: Rows, found: Rows, *, relative: float = RELATIVE, absolute: float = ABSOLUTE) -> Iterator[str]:
    """Yield a line for everything that is not as it was: numbers up to rounding, all else exactly."""
    if [key for key in stored if key in found] != [key for key in found if key in stored]:
        yield f"{next(iter(stored))[0]}: its parts are in another order"
    for key in stored:
        if key not in found:
            yield f"{' > '.join(key)}: went"
    for key, now in found.items():
        if key not in stored:
            yield f"{' > '.join(key)}: is new"
            continue
        for name, before in stored[key].items():
            after = now[name]
            close = isinstance(before, float) and isinstance(after, float) and name in MEASURED
            if not (math.isclose(before, after, rel_tol=relative, abs_tol=absolute) if close else before == after):
                yield f"{' > '.join(key)}: {name} {before!r} became {after!r}"


def write(path: Path, rows: Rows) -> None:
    """Write a line for each row, in their order."""
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["case", "place", *EXACT, *MEASURED])
        writer.writerows([*key, *(row[name] for name in (*EXACT, *MEASURED))] for key, row in rows.items())


def read(path: Path) -> Rows:
    """Read what :func:`write` wrote."""
    with path.open(encoding="utf-8", newline="") as file:
        return {(line["case"], line["place"]): _read_row(line) for line in csv.DictReader(file)}


def _read_row(line: Mapping[str, str]) -> Row:
    measured = {name: float(line[name]) if line[name] else "" for name in MEASURED}
    return {"kind": line["kind"], "n": int(line["n"]), "text": line["text"], **measured}


def _row(kind: str, n: int, text: str = "", measured: Sequence[float] = ()) -> Row:
    return {"kind": kind, "n": n, "text": text, **dict(zip(MEASURED, [*measured, "", "", "", ""], strict=False))}


def _column(column: pd.Series) -> Row:
    # Text has another dtype in every other release of pandas.
    if column.dtype == object or str(column.dtype).startswith("str"):
        return _sequence(column)
    return _numbers(column.to_numpy(dtype=np.float64, na_value=np.nan), str(column.dtype))


def _sequence(values: Any) -> Row:
    parts = [None if value is None or value is pd.NA or value != value else value for value in values]
    if parts and all(_is_number(part) for part in parts):
        return _numbers(np.array(parts, dtype=np.float64), ", ".join(sorted({_kind(part) for part in parts})))
    return _row("labels", len(parts), _shortened(" | ".join(map(_label, parts))))


def _scalar(value: Any) -> Row:
    if _is_number(value):
        number = float(value)
        return _row(_kind(value), 1, "" if math.isfinite(number) else repr(number), [number])
    if value is None or isinstance(value, str):
        is_sentence = value is not None and len(value.split()) >= _FEWEST_WORDS
        return _row("sentence", 1, " ".join(_NUMBER.findall(value))) if is_sentence else _row("label", 1, _label(value))
    raise TypeError(f"a {type(value).__name__} is not understood; hand over the attributes that matter.")


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number | np.bool_)


def _kind(value: Any) -> str:
    return type(value).__name__.rstrip("_")


def _label(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:.9g}"  # which another processor's rounding does not reach
    if value is None or isinstance(value, str | int | np.generic):
        return str(value)
    if isinstance(value, list | tuple | Set):
        return f"({', '.join(map(_label, sorted(value, key=repr) if isinstance(value, Set) else value))})"
    raise TypeError(f"a {type(value).__name__} is no label; hand over the attributes that matter.")


def _shortened(text: str) -> str:
    """Cut a text that no line holds, and stand a hash of it for the rest."""
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}… {hashlib.sha256(text.encode()).hexdigest()[:8]}"


def _numbers(values: np.ndarray, kind: str) -> Row:
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    kept, places = values[finite], np.flatnonzero(finite) / max(1, len(values))
    others = Counter(map(repr, values[~finite].tolist()))
    text = ", ".join(f"{count} {name}" for name, count in sorted(others.items()))
    if not len(kept):
        return _row(kind, 0, text)
    # Exact sums, which no order of adding up can change.
    means = [math.fsum(kept.tolist()) / len(kept), math.fsum((kept * places).tolist()) / len(kept)]
    return _row(kind, len(kept), text, [*means, float(kept.min()), float(kept.max())])
