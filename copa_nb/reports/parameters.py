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

from copa_nb.analyses.parameters import Parameter
from copa_nb.analyses.registry import of_notebook
from copa_nb.analyses.values import KINDS, converted
from copa_nb.checks import listed, nearest
from copa_nb.reports.catalog import Entry

_OR = " | "


@dataclass(frozen=True)
class CellParameter:
    """One line of a parameters cell: ``p: str = "inf"  # norm order``, or ``where: str | None = None  # a limit``.

    Of several types the first is that of the values; the others are ``None`` and ``str``, for a word in its place.
    """

    name: str
    kind: str
    default: Any
    help: str
    is_optional: bool = False
    may_be_word: bool = False

    def take(self, value: Any) -> Any:
        """Return a value as the type declared, or refuse it; an optional parameter may be None."""
        if (value is None and self.is_optional) or (isinstance(value, str) and self.may_be_word):
            return value
        return converted(value, self.kind, name=self.name, default=self.default)


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
    >>> read = read_cell('p: str = "inf"  # norm order, p = 1 to inf')["p"]
    >>> read.kind, read.default, read.help
    ('str', 'inf', 'norm order, p = 1 to inf')
    """
    comments = {
        token.start[0]: token.string.lstrip("# ").strip()
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    parameters = {}
    for line in ast.parse(source).body:
        comment = comments.get(line.end_lineno or 0, "")
        parameter = _assignment(line, notebook, comment)
        parameters[parameter.name] = parameter
    return parameters


def _assignment(line: ast.stmt, notebook: str, comment: str) -> CellParameter:
    """Parse ``name: type = value``; a line without a type has that of its value."""
    is_optional = may_be_word = False
    if isinstance(line, ast.AnnAssign):
        target: ast.expr = line.target
        first, *others = ast.unparse(line.annotation).split(_OR)
        is_optional, may_be_word = "None" in others, "str" in others
        annotation = first.split("[")[0]
    elif isinstance(line, ast.Assign) and len(line.targets) == 1:
        target, annotation = line.targets[0], ""
    else:
        raise ValueError(f"`{ast.unparse(line)}` in the parameters cell of {notebook} assigns no parameter.")
    try:
        default = ast.literal_eval(line.value) if line.value is not None else None
    except ValueError:
        default = None
    kind = annotation or type(default).__name__
    instead = (is_optional and default is None) or (may_be_word and isinstance(default, str))
    # What papermill sets has no type.
    is_unset = not annotation and ast.unparse(line.value or ast.Constant(...)) == "None"
    fits = is_unset or (kind in KINDS and (isinstance(default, KINDS[kind].default) or instead))
    if not isinstance(target, ast.Name) or not fits:
        raise ValueError(
            f"`{ast.unparse(line)}` in the parameters cell of {notebook} must read `name: type = value`, "
            f"with a plain value and one of the types {listed(KINDS)}."
        )
    return CellParameter(target.id, kind, default, comment, is_optional, may_be_word)


def parameters_of(entry: Entry) -> Mapping[str, CellParameter | Parameter]:
    """Return the parameters of a report: of an analysis of a user's own table its own, of others those of the cell."""
    analysis = of_notebook(entry.name)
    return declared(entry.path) if analysis is None else analysis.parameters()


def checked(
    values: Mapping[str, Any], parameters: Mapping[str, CellParameter | Parameter], *, report: str
) -> dict[str, Any]:
    """Return values converted to the declared types of their parameters, or refuse them.

    Parameters
    ----------
    values : mapping
        Values as Python objects, or as text from a command line.
    parameters : mapping of name to CellParameter or Parameter
        What the notebook or the analysis declares.
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
    return {name: parameter.take(values[name]) for name, parameter in parameters.items() if name in values}


def in_words(value: Any) -> str:
    """Write a parameter's value for a reader of the report.

    Examples
    --------
    >>> in_words(["auc", "f1"]), in_words({"auc": 0.5}), in_words(True), in_words("")
    ('auc, f1', 'auc: 0.5', 'yes', '–')
    """
    if value in ("", [], {}, None):
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, dict):
        return ", ".join(f"{key}: {inner}" for key, inner in value.items())
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
