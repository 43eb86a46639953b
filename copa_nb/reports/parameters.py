"""Parameters of a notebook: what its parameters cell declares, and whether values fit, before anything runs."""

from __future__ import annotations

import ast
import io
import json
import math
import numbers
import reprlib
import tokenize
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path, PurePath
from typing import Any

import numpy as np

from copa_nb.checks import listed, nearest

_TRUTH = {"true": True, "yes": True, "on": True, "1": True, "false": False, "no": False, "off": False, "0": False}


@dataclass(frozen=True)
class Parameter:
    """One line of a parameters cell: ``p: str = "inf"  # norm order``."""

    name: str
    kind: str
    default: Any
    help: str


def declared(notebook: Path) -> dict[str, Parameter]:
    """Return the parameters that a notebook declares, by name.

    Parameters
    ----------
    notebook : Path
        A notebook with one cell tagged ``parameters``.

    Raises
    ------
    ValueError
        If a line is not of the form ``name: type = value  # comment``.
    """
    stamp = notebook.stat()
    return dict(_declared(notebook, stamp.st_mtime_ns, stamp.st_size))


@lru_cache(maxsize=256)
def _declared(notebook: Path, modified: int, size: int) -> dict[str, Parameter]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) > 1:
        raise ValueError(f"{notebook.name} has {len(tagged)} cells tagged `parameters`; it may have one.")
    return read_cell("".join(tagged[0]["source"]), notebook.name) if tagged else {}


def read_cell(source: str, notebook: str = "the notebook") -> dict[str, Parameter]:
    """Read a parameters cell without running it.

    papermill's own inspection drops lines whose comment holds an equals sign; this one parses the cell as Python.

    Examples
    --------
    >>> read_cell('p: str = "inf"  # norm order, p = 1 to inf')["p"]
    Parameter(name='p', kind='str', default='inf', help='norm order, p = 1 to inf')
    """
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    parameters = {}
    for line in ast.parse(source).body:
        name, kind, default = _assignment(line, notebook)
        parameters[name] = Parameter(name, kind, default, comments.get(line.end_lineno or 0, ""))
    return parameters


def _assignment(line: ast.stmt, notebook: str) -> tuple[str, str, Any]:
    """Parse ``name: type = value``; a line without a type has that of its value."""
    if isinstance(line, ast.AnnAssign):
        target: ast.expr = line.target
        annotation = ast.unparse(line.annotation).split("[")[0]
    elif isinstance(line, ast.Assign) and len(line.targets) == 1:
        target, annotation = line.targets[0], ""
    else:
        raise ValueError(f"`{ast.unparse(line)}` in the parameters cell of {notebook} assigns no parameter.")
    try:
        default = ast.literal_eval(line.value) if line.value is not None else None
    except ValueError:
        default = None
    kind = annotation or type(default).__name__
    if not isinstance(target, ast.Name) or kind not in _KINDS or not isinstance(default, _KINDS[kind].default):
        raise ValueError(
            f"`{ast.unparse(line)}` in the parameters cell of {notebook} must read `name: type = value`, "
            f"with a plain value and one of the types {listed(_KINDS)}."
        )
    return target.id, kind, default


def checked(values: Mapping[str, Any], parameters: Mapping[str, Parameter], *, report: str) -> dict[str, Any]:
    """Return values converted to the declared types of their parameters, or refuse them.

    Parameters
    ----------
    values : mapping
        Values as Python objects, or as text from a command line.
    parameters : mapping of name to Parameter
        What the notebook declares.
    report : str
        Its name, for the error.

    Returns
    -------
    dict
        JSON data without infinities, in the order in which the notebook declares them.

    Raises
    ------
    ValueError, TypeError
        For names that the notebook does not have, with the nearest one, and for values that do not fit.
    """
    for name in values:
        if name not in parameters:
            has = f"it has {listed(parameters)}" if parameters else "it has none"
            raise ValueError(f"`{name}` is not a parameter of {report!r}; {has}.{nearest(name, parameters)}")
    return {name: converted(values[name], parameters[name]) for name in parameters if name in values}


def converted(value: Any, parameter: Parameter) -> Any:
    """Return one value as the type that its parameter declares, or refuse it."""
    value = _plain(value, parameter.name)
    kind = _KINDS[parameter.kind]
    try:
        result = kind.convert(value)
    except ValueError:
        result = None
    if result is None:
        example = json.dumps(parameter.default)
        raise TypeError(f"`{parameter.name}` is {reprlib.repr(value)}; it must be {kind.description}, e.g. {example}.")
    return result


def in_words(value: Any) -> str:
    """Write a parameter's value for a reader of the report.

    Examples
    --------
    >>> in_words(["auc", "f1"]), in_words({"auc": 0.5}), in_words(True), in_words("")
    ('auc, f1', 'auc: 0.5', 'yes', '–')
    """
    if value in ("", [], {}):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {inner}" for key, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _plain(value: Any, name: str) -> Any:
    """Turn numpy scalars, arrays, tuples and paths into JSON data; refuse what JSON does not have."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    if isinstance(value, PurePath):
        return str(value)
    if isinstance(value, Mapping):
        return {str(key): _plain(inner, name) for key, inner in value.items()}
    if isinstance(value, set | frozenset):
        value = sorted(value, key=str)
    if isinstance(value, list | tuple):
        return [_plain(inner, name) for inner in value]
    if value is None or isinstance(value, str | bool | int):
        return value
    if not isinstance(value, numbers.Real):
        raise TypeError(
            f"`{name}` holds a {type(value).__name__}; parameters are text, numbers, truth values, lists and mappings."
        )
    if math.isnan(value):
        raise ValueError(f"`{name}` holds NaN, which a notebook cannot carry; leave it out.")
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


def _to_list(value: Any) -> list | None:
    if isinstance(value, str):
        parsed = _literal(value)
        if isinstance(parsed, list | tuple):
            return [_plain(inner, "list") for inner in parsed]
        if value.strip().startswith(("[", "{", "(")):
            return None
        return [part.strip() for part in value.split(",") if part.strip()]
    return value if isinstance(value, list) else None


def _to_dict(value: Any) -> dict | None:
    if isinstance(value, str):
        value = _literal(value)
        value = _plain(value, "mapping") if isinstance(value, dict) else value
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
class _Kind:
    """A type of parameters: of its default, how a value becomes one (None if it does not fit), what errors call it."""

    default: Any
    convert: Callable[[Any], Any]
    description: str


_KINDS = {
    "str": _Kind(str, _to_text, "text"),
    "int": _Kind(int, _to_int, "a whole number"),
    "float": _Kind((int, float), _to_float, "a finite number"),
    "bool": _Kind(bool, _to_bool, "true or false"),
    "list": _Kind(list, _to_list, "a list, or names separated by commas"),
    "dict": _Kind(dict, _to_dict, "a mapping, written as JSON on the command line"),
}
