"""Parameters of a notebook: what its parameters cell declares, and whether values fit, before anything runs."""

from __future__ import annotations

import ast
import io
import json
import tokenize
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from copa_nb.analyses.values import KINDS, converted
from copa_nb.checks import listed, nearest


@dataclass(frozen=True)
class CellParameter:
    """One line of a parameters cell: ``p: str = "inf"  # norm order``."""

    name: str
    kind: str
    default: Any
    help: str


def declared(notebook: Path) -> dict[str, CellParameter]:
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
def _declared(notebook: Path, modified: int, size: int) -> dict[str, CellParameter]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    tagged = [cell for cell in cells if "parameters" in cell.get("metadata", {}).get("tags", [])]
    if len(tagged) > 1:
        raise ValueError(f"{notebook.name} has {len(tagged)} cells tagged `parameters`, but at most one is allowed.")
    return read_cell("".join(tagged[0]["source"]), notebook.name) if tagged else {}


def read_cell(source: str, notebook: str = "the notebook") -> dict[str, CellParameter]:
    """Read a parameters cell without running it.

    papermill's own inspection drops lines whose comment holds an equals sign; this one parses the cell as Python.

    Examples
    --------
    >>> read_cell('p: str = "inf"  # norm order, p = 1 to inf')["p"]
    CellParameter(name='p', kind='str', default='inf', help='norm order, p = 1 to inf')
    """
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    parameters = {}
    for line in ast.parse(source).body:
        name, kind, default = _assignment(line, notebook)
        parameters[name] = CellParameter(name, kind, default, comments.get(line.end_lineno or 0, ""))
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
    if not isinstance(target, ast.Name) or kind not in KINDS or not isinstance(default, KINDS[kind].default):
        raise ValueError(
            f"`{ast.unparse(line)}` in the parameters cell of {notebook} must read `name: type = value`, "
            f"with a plain value and one of the types {listed(KINDS)}."
        )
    return target.id, kind, default


def checked(values: Mapping[str, Any], parameters: Mapping[str, CellParameter], *, report: str) -> dict[str, Any]:
    """Return values converted to the declared types of their parameters, or refuse them.

    Parameters
    ----------
    values : mapping
        Values as Python objects, or as text from a command line.
    parameters : mapping of name to CellParameter
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
            has = f"its parameters are {listed(parameters)}" if parameters else "it has none"
            raise ValueError(f"`{name}` is not a parameter of {report!r}; {has}.{nearest(name, parameters)}")
    return {
        name: converted(values[name], parameter.kind, name=name, default=parameter.default)
        for name, parameter in parameters.items()
        if name in values
    }


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
