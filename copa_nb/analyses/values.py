"""What people give for a parameter, as Python objects or as text, becomes the type that the parameter declares."""

from __future__ import annotations

import ast
import json
import math
import numbers
import reprlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np

from copa_nb.checks import called

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


def converted(value: Any, kind: str, *, name: str, default: Any) -> Any:
    """Return a value as the type that its parameter declares, JSON data without infinities, or refuse it.

    Parameters
    ----------
    value : object
        As Python objects, or as text from a command line.
    kind : {"str", "int", "float", "bool", "list", "dict"}
        The type.
    name : str
        The parameter, for errors.
    default : object
        Its default, the example in errors.

    Raises
    ------
    TypeError, ValueError
        For values that do not fit.
    """
    value = plain(value, name)
    try:
        result = KINDS[kind].convert(value)
    except ValueError:
        result = None
    if result is None:
        example = json.dumps(default)
        raise TypeError(
            f"{called(name)} is {reprlib.repr(value)}; it must be {KINDS[kind].description}, e.g. {example}."
        )
    return result


def plain(value: Any, name: str) -> Any:
    """Turn numpy scalars, arrays, tuples and paths into JSON data; refuse what JSON does not have."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): plain(inner, name) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return [plain(inner, name) for inner in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if not isinstance(value, numbers.Real):
        raise TypeError(
            f"{called(name)} contains a {type(value).__name__}; parameters may be text, numbers, True or False, lists "
            "and mappings."
        )
    if math.isnan(value):
        raise ValueError(f"{called(name)} contains NaN, which a notebook parameter cannot be; remove it.")
    return float(value) if math.isfinite(value) else str(float(value))


def _to_text(value: Any) -> str | None:
    return str(value) if isinstance(value, str | int | float) and not isinstance(value, bool) else None


def _to_int(value: Any) -> int | None:
    if isinstance(value, str):
        return int(value.strip().replace("_", ""))
    is_whole = isinstance(value, int | float) and not isinstance(value, bool) and float(value).is_integer()
    return int(value) if is_whole else None


def _to_float(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return float(value) if math.isfinite(float(value)) else None


def _to_bool(value: Any) -> bool | None:
    return value if isinstance(value, bool) else _TRUTH.get(str(value).strip().lower())


def _to_list(value: Any) -> list[Any] | None:
    if isinstance(value, str):
        parsed = _literal(value)
        if isinstance(parsed, list | tuple):
            return [plain(inner, "list") for inner in parsed]
        if value.strip().startswith(("[", "{", "(")):
            return None
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else None


def _to_dict(value: Any) -> dict[Any, Any] | None:
    if isinstance(value, str):
        value = _literal(value)
        value = plain(value, "mapping") if isinstance(value, dict) else value
    return value if isinstance(value, dict) else None


def _literal(text: str) -> Any:
    """Read JSON or a Python literal; never evaluate."""
    for read in (json.loads, ast.literal_eval):
        try:
            return read(text)
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
    return None


@dataclass(frozen=True)
class Kind:
    """A type of parameters.

    Parameters
    ----------
    default : type or tuple of type
        Of its default.
    convert : callable
        How a value becomes one; None if it does not fit.
    description : str
        What errors call it.
    """

    default: Any
    convert: Callable[[Any], Any]
    description: str


KINDS = {
    "str": Kind(str, _to_text, "text"),
    "int": Kind(int, _to_int, "a whole number"),
    "float": Kind((int, float), _to_float, "a finite number"),
    "bool": Kind(bool, _to_bool, "true or false"),
    "list": Kind(list, _to_list, "a list or names separated by commas"),
    "dict": Kind(dict, _to_dict, "a mapping, written as JSON on the command line"),
}
