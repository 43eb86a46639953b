"""What holds of every file of the package, and import contracts cannot say (those are in ``pyproject.toml``)."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "copa_nb"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Methods of the accessors find public functions by their own names; analyses and sources are found in their folders;
# `parallel` looks for an extra.
GO_BY_NAMES = {"accessor.py", "discovery.py", "arrays/parallel.py"}
FIND_FRONTS = {"nondominated", "contenders", "layers", "front", "hypervolume"}


def _name(path):
    return path.relative_to(PACKAGE).as_posix()


def _nodes(path):
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def _called(nodes):
    """Names of what is called, without what they are attributes of."""
    calls = [node.func for node in nodes if isinstance(node, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_by_name_are_in_few_places(path):
    by_name = _called(_nodes(path)) & {"import_module", "__import__"}
    assert not by_name or _name(path) in GO_BY_NAMES


@pytest.mark.parametrize("path", [path for path in MODULES if "plots" in path.parts or path.stem == "plots"], ids=_name)
def test_plots_compute_no_fronts(path):
    assert _called(_nodes(path)) & FIND_FRONTS == set()


@pytest.mark.parametrize("path", [path for path in MODULES if path != PACKAGE / "__init__.py"], ids=_name)
def test_nothing_imports_what_the_package_lists(path):
    """Public names are imported where they are defined; ``copa_nb`` itself is above all of its modules."""
    inside = {one.stem if one.suffix else one.name for one in PACKAGE.iterdir()}
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            assert "copa_nb" not in [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "copa_nb":
            assert {alias.name for alias in node.names} <= inside
