"""The house: rooms are methods, imports run one way, and no name in a string hides an import."""

import ast
from pathlib import Path

import pytest

from tests.size import lines_of_code

PACKAGE = Path(__file__).parents[1] / "copa_nb"
MODULES = sorted(PACKAGE.rglob("*.py"))
# The house was built with 131 modules and 15,450 lines; sources, fronts with confidence, the GSD front, and what pages
# say of tiers, citations and diagrams came since.
MOST_MODULES, MOST_LINES, MOST_LINES_A_FILE = 181, 22_690, 400
METHODS = {"selection", "generalization", "significance", "partial_orders", "stochastic_dominance"}
# From the ground up: a room may import what stands below it, and itself, wherever in a module the import stands.
FLOORS = [
    {"checks", "styles", "compiled", "docstrings", "text"},
    {"parallel", "candidates", "citing", "columns", "frames", "bit_kernels", "sorting_kernels"},
    {"sorting", "results", "objectives"},
    {"plotting"},
    {"pareto"},
    METHODS | {"datasets", "sources"},
    {"plots", "explorers"},
    {"reports"},
    {"accessor", "cli"},
    {"dask", ""},
]
HEIGHT = {room: height for height, rooms in enumerate(FLOORS) for room in rooms}
# Within a method's room; files beside the folders stand between the two.
ABOVE_VERBS, BELOW_VERBS = "plots", "arrays"
# The one module that goes by names: what results open stands above them.
REGISTRY = "copa_nb.results"
NOT_IN_ARRAYS = {"pandas", "matplotlib", "seaborn", "ipywidgets", "tqdm", "anywidget"}
FIND_FRONTS = {"nondominated", "contenders", "layers", "front", "is_front", "hypervolume"}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {_name(path): path for path in MODULES}


def _room(module):
    parts = module.split(".")
    return parts[1] if len(parts) > 1 else ""


def _tree(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def _outer_imports(path):
    """Names of the packages that a module imports from anywhere."""
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module.split(".")[0]
        elif isinstance(node, ast.Import):
            yield from (alias.name.split(".")[0] for alias in node.names)


def _imports(path):
    """Modules of the package that a module imports: at its top, within functions, for type checkers, or by name."""
    imported = set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            imported.add(node.value)
    return {name for name in imported if name in NAMES and name not in ("copa_nb", _name(path))}


GRAPH = {name: _imports(path) for name, path in NAMES.items()}


def _is_kernels(path):
    return path.stem.endswith("_kernels") or path.stem == "compiled"


def test_the_house_is_small():
    lines = {_name(path): lines_of_code(path) for path in MODULES}
    assert len(MODULES) <= MOST_MODULES
    assert sum(lines.values()) <= MOST_LINES
    assert {name: n for name, n in lines.items() if n > MOST_LINES_A_FILE} == {}


@pytest.mark.parametrize("name", sorted(NAMES))
def test_imports_run_one_way(name):
    here = _room(name)
    for imported in GRAPH[name]:
        there = _room(imported)
        lower = HEIGHT[there] < HEIGHT[here] or there == here
        assert lower or (name == REGISTRY and there == "plots") or name == "copa_nb", f"imports {imported}"


def test_the_methods_do_not_import_one_another():
    between = {(name, other) for name in GRAPH for other in GRAPH[name] if _room(name) in METHODS}
    assert {(a, b) for a, b in between if _room(b) in METHODS and _room(a) != _room(b)} == set()


@pytest.mark.parametrize("name", [name for name in sorted(NAMES) if _room(name) in METHODS | {"pareto"}])
def test_floors_of_a_room_run_one_way(name):
    floors = name.split(".")[2:3]
    for imported in GRAPH[name]:
        below = imported.split(".")[2:3]
        if _room(imported) == _room(name):
            assert floors != [BELOW_VERBS] or below == [BELOW_VERBS], f"arithmetic imports {imported}"
            assert below != [ABOVE_VERBS] or floors == [ABOVE_VERBS], f"a verb imports the picture {imported}"


def test_there_are_no_circles():
    done, path = set(), []

    def visit(module):
        if module in done:
            return
        assert module not in path, " -> ".join([*path[path.index(module) :], module])
        path.append(module)
        for imported in sorted(GRAPH[module]):
            if not (module == REGISTRY and _room(imported) == "plots"):
                visit(imported)
        path.pop()
        done.add(module)

    for module in GRAPH:
        visit(module)


def test_rooms_do_not_import_each_other():
    edges = {(_room(name), _room(other)) for name in GRAPH for other in GRAPH[name] if name != REGISTRY}
    assert {(here, there) for here, there in edges if here != there and (there, here) in edges} == set()


@pytest.mark.parametrize("path", [path for path in MODULES if "arrays" in path.parts], ids=_name)
def test_arrays_know_no_frames_and_no_figures(path):
    assert set(_outer_imports(path)) & NOT_IN_ARRAYS == set()


@pytest.mark.parametrize("path", [path for path in MODULES if not _is_kernels(path)], ids=_name)
def test_only_kernels_import_the_compiler(path):
    assert "numba" not in set(_outer_imports(path))


def test_one_module_knows_tables_of_other_libraries():
    assert {_name(path) for path in MODULES if "narwhals" in _outer_imports(path)} == {"copa_nb.frames"}


@pytest.mark.parametrize("path", [path for path in MODULES if "plots" in path.parts or path.stem == "plots"], ids=_name)
def test_plots_compute_no_fronts(path):
    called = {
        node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call)
    }
    assert called & FIND_FRONTS == set()


@pytest.mark.parametrize("path", MODULES, ids=_name)
def test_only_results_go_by_names(path):
    named = [
        node
        for node in ast.walk(_tree(path))
        if (isinstance(node, ast.Attribute) and node.attr == "import_module")
        or (isinstance(node, ast.Name) and node.id in ("import_module", "__import__"))
    ]  # fmt: skip
    assert not named or _name(path) in ALLOWED_TO_GO_BY_NAMES


# The accessor and Dask find public functions by their own names; `parallel` and the experiments look for an extra.
ALLOWED_TO_GO_BY_NAMES = {REGISTRY, "copa_nb.accessor", "copa_nb.parallel"}


def test_results_open_only_what_is_public():
    import copa_nb
    from copa_nb import plots

    opened = {
        (node.func.id, node.args[0].value)
        for path in MODULES
        for node in ast.walk(_tree(path))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.args
        if node.func.id in ("PlotMethod", "plot_function", "public_explorer") and isinstance(node.args[0], ast.Constant)
    }
    assert len(opened) > 15
    for function, name in opened:
        assert name in (copa_nb.__all__ if function == "public_explorer" else plots.__all__)
