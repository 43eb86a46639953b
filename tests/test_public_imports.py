"""Notebooks and pages use what users can use: public names, and what belongs to a paper from the paper."""

import ast
import json
import re
from pathlib import Path

import pytest

import copa_nb
from tests.each import hold_for_each

ROOT = Path(__file__).parents[1]
NOTEBOOKS = sorted((ROOT / "notebooks").rglob("*.ipynb"))
PAGES = [ROOT / "README.md", *sorted(path for path in (ROOT / "docs").rglob("*.md") if "_build" not in path.parts)]
# Modules that are imported by their own names: engines, papers, reports, and what reports of own tables ask.
MODULES = ("dask", "polars", "papers", "reports", "analyses")
CELL = re.compile(r"^```(?:\{code-cell\}|python)[^\n]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def cells(path):
    """The code of a notebook, or of a page."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        return ["".join(cell["source"]) for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    return CELL.findall(text)


def parsed(source):
    """A cell as Python; options of the page, magics and commands of the shell are left out."""
    code = re.sub(r"\A---\n.*?^---\n", "", source, flags=re.MULTILINE | re.DOTALL)
    if code.startswith("%%"):
        return ast.Module([], [])
    lines = ["pass" if re.match(r"\s*[!%:]", line) else line for line in code.splitlines()]
    return ast.parse("\n".join(lines))


def is_public(module, name=""):
    """Whether a module of the package, or a name in it, is for users."""
    place = module.split(".")[1:]
    first = place[0] if place else name
    return first in ("", *MODULES) or first in dir(copa_nb) or first.startswith("__")


def inner_names(tree):
    """What a cell takes from inner rooms of the package."""
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and (node.module or "").partition(".")[0] == "copa_nb":
            yield from (f"{node.module}.{one.name}" for one in node.names if not is_public(node.module, one.name))
        elif isinstance(node, ast.Import):
            named = [one.name for one in node.names if one.name.partition(".")[0] == "copa_nb"]
            yield from (name for name in named if not is_public(name))
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "copa_nb":
            yield from [] if is_public("copa_nb", node.attr) else [f"copa_nb.{node.attr}"]


def test_only_public_names_are_used():
    hold_for_each([*NOTEBOOKS, *PAGES], _uses_public_names_only)


def _uses_public_names_only(path):
    assert not [name for cell in cells(path) for name in inner_names(parsed(cell))]


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("from copa_nb.selection.elicitation import simulate_user", ["copa_nb.selection.elicitation.simulate_user"]),
        ("from copa_nb import checks, datasets", ["copa_nb.checks"]),
        ("import copa_nb.streams", ["copa_nb.streams"]),
        ("copa_nb.accessor.Moo", ["copa_nb.accessor"]),
        ("from copa_nb.papers.gap import claims; copa_nb.results.Gap; import copa_nb.dask", []),
        ("from copa_nb import datasets, read, results; copa_nb.options(n_jobs=1)", []),
    ],
)
def test_inner_names_are_found(line, found):
    assert list(inner_names(parsed(line))) == found
