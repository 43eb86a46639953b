"""Results as JSON data, and what differs between two of them, in lines for people."""

from __future__ import annotations

import html
import json
import math
import re
from collections.abc import Iterator, Mapping, Set
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb.results import Objectives

# The same program gives the same bits; another processor or BLAS adds up in another order and rounds otherwise.
RELATIVE = 1e-12
# What is left of two numbers that nearly cancel has no relative exactness.
ABSOLUTE = 1e-13
LONGEST = 120
# A result may come to say more than it did; what it said must stay.
_MAY_COME = ("explain", "shown")
_ROWS = 40
_NUMBER = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_FEWEST_WORDS = 5


def plain(value: Any) -> Any:
    """Return a result as JSON data: labels as they are, numbers in full, tables column by column.

    Anything that is not known is refused, so that no address in memory or order of a set slips in.
    """
    if value is None or value is pd.NA or value is pd.NaT:
        return None
    if isinstance(value, str | bool | int | float):
        return value
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, pd.DataFrame):
        return _frame(value)
    if isinstance(value, pd.Series):
        return {"name": plain(value.name), **_frame(value.to_frame("values"))}
    if isinstance(value, np.ndarray):
        return _array(value)
    if isinstance(value, Objectives):
        return value.labels
    if isinstance(value, Mapping):
        return _mapping(value)
    if isinstance(value, Set):
        return sorted(map(plain, value), key=repr)
    if isinstance(value, list | tuple | pd.Index):
        return [plain(part) for part in value]
    raise TypeError(f"a {type(value).__name__} is not understood; hand over the attributes that matter.")


def summary(frame: pd.DataFrame) -> dict[str, Any]:
    """Describe a table that is too long to be stored: its columns, their extremes and means, where values stand."""
    columns = {str(name): _summary_of_column(frame[name]) for name in frame}
    labels = [plain(label) for label in frame.index[[0, len(frame) // 2, -1]]] if len(frame) else []
    return {"shape": list(frame.shape), "index": plain(list(frame.index.names)), "labels": labels, "columns": columns}


def said(result: Any, *attributes: str, **more: Any) -> dict[str, Any]:
    """Return what a result says of itself (its representations and words), and some of its attributes."""
    told: dict[str, Any] = {"repr": repr(result)}
    if hasattr(result, "explain"):
        told["explain"] = result.explain()
    if hasattr(result, "_repr_html_"):
        told["shown"] = visible(result._repr_html_())
    told |= {name: plain(getattr(result, name)) for name in attributes}
    return told | {name: plain(value) for name, value in more.items()}


def visible(markup: str) -> str:
    """Return the text of HTML, which is what a reader of a notebook sees."""
    return re.sub(r"\s+", " ", html.unescape(re.sub(r"<[^>]*>", " ", markup))).strip()


def differences(
    stored: Any,
    found: Any,
    *,
    relative: float = RELATIVE,
    absolute: float = ABSOLUTE,
    at: str = "",
) -> Iterator[str]:
    """Yield a line for everything that is not as it was.

    Numbers are met up to rounding, labels and all else exactly; sentences may be worded anew, with the same numbers.
    """
    place = at or "all"
    tolerance: dict[str, Any] = {"relative": relative, "absolute": absolute}
    if isinstance(stored, dict) and isinstance(found, dict):
        names = [name for name in found if name in stored or name not in _MAY_COME]
        if list(stored) != names:
            yield from _keys(list(stored), names, place)
        for key in stored:
            if key in found:
                yield from differences(stored[key], found[key], **tolerance, at=f"{at} > {key}".removeprefix(" > "))
    elif isinstance(stored, list) and isinstance(found, list):
        if len(stored) != len(found):
            yield f"{place}: {len(stored)} values became {len(found)}: {_short(stored)} -> {_short(found)}"
        for number, (before, now) in enumerate(zip(stored, found, strict=False)):
            yield from differences(before, now, **tolerance, at=f"{at}[{number}]")
    elif isinstance(stored, str) and isinstance(found, str):
        same_numbers = _is_sentence(stored) and _NUMBER.findall(stored) == _NUMBER.findall(found)
        if stored != found and not same_numbers:
            yield f"{place}: {' became '.join(_where_they_part(stored, found))}"
    elif not _same(stored, found, relative, absolute):
        yield f"{place}: {_short(stored)} became {_short(found)}"


def as_stored(value: Any, *, without: str) -> Any:
    """Return JSON data as it is after being written and read, with the path of a temporary folder taken out."""
    return json.loads(json.dumps(value).replace(json.dumps(without)[1:-1], "EMPTY FOLDER"))


def write(path: Path, content: Any) -> None:
    """Write JSON with a line for each value; what fits into one line stays on it."""
    path.write_text("\n".join(_lines(content, "")) + "\n", encoding="utf-8")


def read(path: Path) -> Any:
    """Read what :func:`write` wrote."""
    return json.loads(path.read_text(encoding="utf-8"))


def _lines(value: Any, indent: str) -> Iterator[str]:
    text = json.dumps(value, ensure_ascii=False)
    if len(indent) + len(text) <= LONGEST or not isinstance(value, dict | list):
        yield indent + text
        return
    parts = value.items() if isinstance(value, dict) else ((None, part) for part in value)
    opening, closing = "{}" if isinstance(value, dict) else "[]"
    yield indent + opening
    for number, (name, part) in enumerate(parts, start=1):
        key = "" if name is None else f"{json.dumps(name, ensure_ascii=False)}: "
        lines = list(_lines(part, indent + " "))
        lines[0] = f"{indent} {key}{lines[0].lstrip()}"
        lines[-1] += "," if number < len(value) else ""
        yield from lines
    yield indent + closing


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _is_sentence(text: str) -> bool:
    return len(text.split()) >= _FEWEST_WORDS


def _short(value: Any) -> str:
    text = _text(value)
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def _where_they_part(stored: str, found: str) -> list[str]:
    """Cut long texts to where the first difference is."""
    shared = next(
        (k for k, (a, b) in enumerate(zip(stored, found, strict=False)) if a != b), min(len(stored), len(found))
    )
    start = max(0, shared - LONGEST // 3)
    texts = (text[start : start + LONGEST] for text in (stored, found))
    return [("… " if start else "") + _text(text) for text in texts]


def _same(stored: Any, found: Any, relative: float, absolute: float) -> bool:
    # Whole numbers and truth values are counted, not measured.
    if isinstance(stored, float) and isinstance(found, float):
        return (math.isnan(stored) and math.isnan(found)) or math.isclose(
            stored, found, rel_tol=relative, abs_tol=absolute
        )
    return type(stored) is type(found) and bool(stored == found)


def _keys(stored: list[str], found: list[str], place: str) -> Iterator[str]:
    gone, new = [key for key in stored if key not in found], [key for key in found if key not in stored]
    if gone:
        yield f"{place}: {_short(gone)} went"
    if new:
        yield f"{place}: {_short(new)} is new"
    if not gone and not new:
        yield f"{place}: {_short(stored)} are in another order, {_short(found)}"


def _mapping(value: Mapping[Any, Any]) -> dict[str, Any]:
    written = {name if isinstance(name, str) else repr(plain(name)): plain(part) for name, part in value.items()}
    if len(written) != len(value):
        raise ValueError(f"two keys of {list(value)} are written alike.")
    return written


def _frame(frame: pd.DataFrame) -> dict[str, Any]:
    if len(frame) > _ROWS:
        return summary(frame)
    columns = {str(plain(name)): _column(frame.iloc[:, k]) for k, name in enumerate(frame.columns)}
    if len(columns) != frame.shape[1]:
        raise ValueError(f"two columns of {list(frame.columns)} are written alike.")
    return {
        "index": plain(list(frame.index.names)),
        "labels": plain(frame.index),
        "dtypes": " ".join(_dtype(frame.iloc[:, k]) for k in range(frame.shape[1])),
        "columns": columns,
    }


def _dtype(column: pd.Series) -> str:
    # Text has another dtype in every other release of pandas.
    return "text" if column.dtype == object or str(column.dtype).startswith("str") else str(column.dtype)


def _column(column: pd.Series) -> list[Any]:
    if _dtype(column) == "text":
        return [None if value is None or value is pd.NA or value != value else plain(value) for value in column]
    return [plain(value) for value in column]


def _array(values: np.ndarray) -> Any:
    if values.size <= _ROWS * 5:
        return plain(values.tolist())
    return {"shape": list(values.shape), **_moments(values.ravel())}


def _summary_of_column(column: pd.Series) -> dict[str, Any]:
    kind = _dtype(column)
    if kind == "text" or pd.api.types.is_bool_dtype(column):
        counts = column.value_counts(sort=False)
        some = [plain(value) for value in _column(column.iloc[[0, len(column) // 2, -1]])]
        return {"dtype": kind, "distinct": len(counts), "missing": int(column.isna().sum()), "some": some}
    return {"dtype": kind, **_moments(column.to_numpy(dtype=np.float64, na_value=np.nan))}


def _moments(values: np.ndarray) -> dict[str, Any]:
    """Say of numbers how many there are, how large they are, and where the large ones stand."""
    values = values.astype(np.float64)
    finite = np.isfinite(values)
    kept, places = values[finite], np.flatnonzero(finite) / len(values)
    # Exact sums, which no order of adding up can change.
    return {
        "n": len(kept),
        "not finite": plain(sorted(map(repr, np.unique(values[~finite]).tolist()))),
        "mean": math.fsum(kept.tolist()) / max(1, len(kept)),
        "first moment": math.fsum((kept * places).tolist()) / max(1, len(kept)),
        "smallest": plain(kept.min()) if len(kept) else None,
        "largest": plain(kept.max()) if len(kept) else None,
        # Values that tie but for rounding count once.
        "distinct": len(np.unique(kept.round(9))),
    }
