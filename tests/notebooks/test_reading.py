"""Notebooks can be read: short cells that call public functions, and neither draw nor format."""

import ast
import json
from pathlib import Path

import pytest

NOTEBOOKS = Path(__file__).parents[2] / "notebooks"
MOST_LINES = 15
DRAWING = {"matplotlib", "seaborn"}


def _cells(path):
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            yield cell["metadata"].get("tags", []), "".join(cell["source"])


def _formats(tree):
    """What in a cell is the work of a result, a plot or a claim."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FormattedValue) and (node.format_spec or node.conversion != -1):
            yield "a formatted number"
        elif isinstance(node, ast.FunctionDef):
            yield "a function"
        elif isinstance(node, ast.Import | ast.ImportFrom):
            modules = [node.module or ""] if isinstance(node, ast.ImportFrom) else [alias.name for alias in node.names]
            yield from (f"import of {module}" for module in modules if module.split(".")[0] in DRAWING)
            if isinstance(node, ast.ImportFrom) and any(alias.name == "text" for alias in node.names):
                yield "import of text"


@pytest.mark.parametrize("path", sorted(NOTEBOOKS.rglob("*.ipynb")), ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_cells_are_short_and_neither_draw_nor_format(path):
    for tags, source in _cells(path):
        lines = [line for line in source.splitlines() if line.strip()]
        assert len(lines) <= MOST_LINES or "parameters" in tags, f"{len(lines)} lines:\n{source}"
        assert list(_formats(ast.parse(source))) == [], source
