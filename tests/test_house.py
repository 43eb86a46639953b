"""The structure: small modules, imports that run one way, and a public list that is complete."""

import ast
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "copa_nb"
MODULES = sorted(path for path in PACKAGE.rglob("*.py") if not {"notebooks", "templates"} & set(path.parts))
# From the ground up: a room may import what stands before it, and itself, at the top of a module or within a function.
FLOORS = [
    {"checks", "styles"},
    {"scheduling", "display", "drawing"},
    {"core"},
    {"objectives"},
    {"datasets", "analysis"},
    {"plots"},
    {"widgets", "reports"},
    {"cli", "accessor"},
    {"dask", ""},
]
HEIGHT = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def _room(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def _for_type_checkers(node):
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def _nodes(tree):
    """All parts of a module that may run."""
    for node in ast.iter_child_nodes(tree):
        if not _for_type_checkers(node):
            yield node
            yield from _nodes(node)


def _imports(path, within_functions=True):
    """Modules of the package that a module imports, or only those when it is itself imported."""
    found = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in _nodes(tree) if within_functions else tree.body:
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    known = {_name(module) for module in MODULES}
    return {name for name in found if name in known and name != "copa_nb"}


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_modules_stay_small(path):
    lines = len(path.read_text(encoding="utf-8").splitlines())
    assert lines <= 500, f"{lines} lines; split it by duty"


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_imports_run_one_way(path):
    here = _room(_name(path))
    for imported in _imports(path):
        there = _room(imported)
        assert there == here or HEIGHT[there] < HEIGHT[here] or _name(path) == "copa_nb", f"imports {imported}"


def test_no_module_imports_itself_in_a_circle():
    graph = {_name(path): _imports(path, within_functions=False) - {_name(path)} for path in MODULES}
    done, path = set(), []

    def visit(module):
        if module in done:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for imported in sorted(graph[module]):
            visit(imported)
        path.pop()
        done.add(module)

    for module in graph:
        visit(module)


def test_rooms_do_not_import_each_other():
    edges = {(_room(_name(path)), _room(name)) for path in MODULES for name in _imports(path)}
    for here, there in edges:
        assert here == there or (there, here) not in edges, f"{here} and {there} import each other"


def test_the_core_knows_no_frames_and_no_figures():
    for path in (PACKAGE / "core").glob("*.py"):
        names = {
            name.split(".")[0]
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.Import | ast.ImportFrom)
            for name in ([node.module or ""] if isinstance(node, ast.ImportFrom) else [a.name for a in node.names])
        }
        assert not names & {"pandas", "matplotlib", "seaborn", "ipywidgets"}, path.name
