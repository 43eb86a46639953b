"""What holds of every file of the package, and import contracts cannot say (those are in ``pyproject.toml``)."""

import ast
import functools
from pathlib import Path

PACKAGE = Path(__file__).parents[1] / "copa_nb"
MODULES = sorted(PACKAGE.rglob("*.py"))
# Methods of the accessors find public functions by their own names; analyses and sources are found in their folders;
# `checks` looks for what extras bring, and `compiled` chooses between two forms of the same loops.
GO_BY_NAMES = {"accessor.py", "checks.py", "discovery.py", "arrays/compiled.py"}
FIND_FRONTS = {"nondominated", "contenders", "layers", "front", "hypervolume"}


def _name(path):
    return path.relative_to(PACKAGE).as_posix()


@functools.cache
def _trees():
    return {_name(path): ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}


def _called(tree):
    """Names of what is called, without what they are attributes of."""
    calls = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {call.attr if isinstance(call, ast.Attribute) else getattr(call, "id", "") for call in calls}


def test_imports_by_name_are_in_few_places():
    assert {name for name, tree in _trees().items() if _called(tree) & {"import_module", "__import__"}} <= GO_BY_NAMES


def test_plots_compute_no_fronts():
    plots = {name: tree for name, tree in _trees().items() if "plots" in name.removesuffix(".py").split("/")}
    assert len(plots) > 10
    assert {name for name, tree in plots.items() if _called(tree) & FIND_FRONTS} == set()


def test_nothing_imports_what_the_package_lists():
    """Public names are imported where they are defined; ``copa_nb`` itself is above all of its modules."""
    inside = {one.stem if one.suffix else one.name for one in PACKAGE.iterdir()}
    wrong = []
    for name, tree in _trees().items():
        for node in ast.walk(tree) if name != "__init__.py" else ():
            if isinstance(node, ast.Import) and "copa_nb" in [alias.name for alias in node.names]:
                wrong.append(name)
            elif isinstance(node, ast.ImportFrom) and node.module == "copa_nb":
                wrong += [(name, alias.name) for alias in node.names if alias.name not in inside]
    assert not wrong
