"""Layers: packages are methods, imports run one way, and no name in a string hides an import."""

import ast
import graphlib
import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[1] / "copa_nb"
MODULES = sorted(PACKAGE.rglob("*.py"))
METHODS = {"selection", "generalization", "significance", "partial_orders", "stochastic_dominance"}
# From the base up: a package may import from lower layers, and itself, wherever in a module the import is.
LAYERS = [
    {"checks", "discovery", "styles", "compiled", "docstrings", "logs", "text", "verbs", "verdicts", "junit"},
    {"parallel", "candidates", "citing", "costs", "html_page", "columns", "frames", "guarantee", "orders"}
    | {"bit_kernels", "multiple_testing", "sorting_kernels"},
    {"sorting", "objectives", "page_templates"},
    {"missing_values", "rows"},
    {"plotting"},
    {"results"},
    {"grouping", "offered"},
    {"pareto"},
    METHODS | {"datasets", "sources"},
    {"streams"},
    {"plots", "explorers"},
    {"analyses"},
    {"claims"},
    {"reports"},
    {"gate"},
    {"control_panel"},
    {"accessor", "cli"},
    {"dask", "polars", ""},
]
HEIGHT = {package: height for height, packages in enumerate(LAYERS) for package in packages}
# Within a method's package; the modules next to these folders are the layer between the two.
ABOVE_VERBS, BELOW_VERBS = "plots", "arrays"
# Figures of a paper that show several results, drawn by the plots.
OF_PAPERS = "paper_figures"
# Methods of the accessors find public functions by their own names; analyses and sources are found in their folders;
# `parallel` looks for an extra.
ALLOWED_TO_GO_BY_NAMES = {"copa_nb.accessor", "copa_nb.discovery", "copa_nb.parallel"}
NOT_IN_ARRAYS = {"pandas", "matplotlib", "seaborn", "ipywidgets", "tqdm", "anywidget"}
FIND_FRONTS = {"nondominated", "contenders", "layers", "front", "is_front", "hypervolume"}


def _name(path):
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


NAMES = {_name(path): path for path in MODULES}


def _package(module):
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


def _module_in(words):
    """Possible names of the module that a string refers to, such as "copa_nb.text.label" or "copa_nb.text:label"."""
    parts = words.replace(":", ".").split(".") if re.fullmatch(r"copa_nb(\.\w+)+(:\w+)?", words) else []
    return {".".join(parts[:length]) for length in range(1, len(parts) + 1)}


def _imports(path, nodes):
    """Modules of the package that some nodes of a module's tree import, or name in a string."""
    imported = set()
    for node in nodes:
        if isinstance(node, ast.Import):
            imported |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            imported |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            imported |= _module_in(node.value)
    return {name for name in imported if name in NAMES and name not in ("copa_nb", _name(path))}


GRAPH = {name: _imports(path, ast.walk(_tree(path))) for name, path in NAMES.items()}


def _is_kernels(path):
    return path.stem.endswith("_kernels") or path.stem == "compiled"


@pytest.mark.parametrize("name", sorted(NAMES))
def test_imports_run_one_way(name):
    here = _package(name)
    for imported in GRAPH[name]:
        there = _package(imported)
        lower = HEIGHT[there] < HEIGHT[here] or there == here
        assert lower or name == "copa_nb", f"imports {imported}"


def test_the_methods_do_not_import_one_another():
    between = {(name, other) for name in GRAPH for other in GRAPH[name] if _package(name) in METHODS}
    assert {(a, b) for a, b in between if _package(b) in METHODS and _package(a) != _package(b)} == set()


@pytest.mark.parametrize("name", [name for name in sorted(NAMES) if _package(name) in METHODS | {"pareto"}])
def test_layers_of_a_package_run_one_way(name):
    layers = name.split(".")[2:3]
    for imported in GRAPH[name]:
        below = imported.split(".")[2:3]
        if _package(imported) == _package(name):
            assert layers != [BELOW_VERBS] or below == [BELOW_VERBS], f"arithmetic imports {imported}"
            drawn = [ABOVE_VERBS], [OF_PAPERS]
            assert below not in drawn or layers in drawn, f"a verb imports the picture {imported}"


def test_there_are_no_circles():
    """Neither where modules are imported, nor in functions, nor for type checkers: the verb is above its result."""
    graphlib.TopologicalSorter(GRAPH).prepare()


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"copa_nb"}))
def test_nothing_imports_what_the_package_lists(name):
    """Public names are imported where they are defined; ``copa_nb`` itself is above all of its modules."""
    for node in ast.walk(_tree(NAMES[name])):
        if isinstance(node, ast.Import):
            assert "copa_nb" not in [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module == "copa_nb":
            assert {f"copa_nb.{alias.name}" for alias in node.names} <= set(NAMES)


def test_no_two_packages_import_each_other():
    edges = {(_package(name), _package(other)) for name in GRAPH for other in GRAPH[name]}
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
def test_imports_by_name_are_in_few_places(path):
    named = [
        node
        for node in ast.walk(_tree(path))
        if (isinstance(node, ast.Attribute) and node.attr == "import_module")
        or (isinstance(node, ast.Name) and node.id in ("import_module", "__import__"))
    ]  # fmt: skip
    assert not named or _name(path) in ALLOWED_TO_GO_BY_NAMES


@pytest.mark.parametrize("words", ["copa_nb.text", "copa_nb.text.label", "copa_nb.text:label"])
def test_a_string_that_names_a_module_counts_as_an_import(words):
    assert "copa_nb.text" in _module_in(words)
    assert not _module_in("See copa_nb.text.")
