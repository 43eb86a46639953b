"""Write what the package says of its public names: lazy imports, the methods of ``df.moo`` and their signatures.

What is public is in the ``__all__`` of its module: that of a module of plots goes to ``copa_nb/plots.pyi``, a class to
``copa_nb/results``, any other to ``copa_nb/__init__.pyi``. A public function of a `frame` and its `objectives` is a
verb. Errors and warnings are public by their names.

python -m tests.stubs            # writes the stubs copa_nb/*.pyi and copa_nb/results/*.pyi, and verbs.py
python -m tests.stubs --check    # fails if a file would change
"""

import argparse
import ast
import importlib
import inspect
import re
import subprocess
import sys
import typing
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import copa_nb

PACKAGE = Path(copa_nb.__file__).parent
NOTICE = "# Written by `make generate`; do not edit.\n"
OF_PLOTS = {"plots", "plotting"}
# The only class that users make: a population or a reference point.
AT_THE_TOP = {"Reference"}
# Classes that nobody returns to compute with: widgets, and tables that are read in pieces.
IN_NOTEBOOKS = ("Explorer", "Panel", "Scan")
NAMESPACES = ("datasets", "errors", "plots", "results")
# Without the option `objectives`: it returns a pandas frame that keeps its directions.
OF_PANDAS = ("define",)
# Functions that can begin without a table, by an upload.
NO_METHODS = ("panel",)
MODULE = '''"""Names of the functions that are methods of ``df.moo``; ``verbs.pyi`` has their signatures."""

OF_ANY_TABLE = {any}
OF_PANDAS = {pandas}
'''
# What an option answers can depend on its value: a literal of the type that all others have.
SIGNATURES = """# mypy: disable-error-code="overload-overlap"
from typing import Any, Self, overload

from matplotlib.axes import Axes

from copa_nb.asking import DescribedTable
from copa_nb.tables.description import Description
from copa_nb.tables.objectives import ObjectivesLike
"""
CONSTANTS = """
OF_ANY_TABLE: tuple[str, ...]
OF_PANDAS: tuple[str, ...]
"""
ACCESSOR = """    def __init__(self, frame: Any, described: Description | None = None, groups: Any = None) -> None: ...
    def __call__(self, objectives: ObjectivesLike = None, /, **given: Any) -> Self: ...
    def by(self, columns: Any) -> Self: ...
    def _table(self) -> DescribedTable: ...
    def plot(self, x: Any = None, y: Any = None, *, ax: Any = None, **looks: Any) -> Axes: ...
    @property
    def description(self) -> dict[str, Any]: ...
"""
_SIMPLE = (bool, int, float, str, type(None))

Public = dict[str, str]


def files() -> dict[Path, str]:
    """Return what the files should contain."""
    names, plots = public(PACKAGE)
    verbs = [name for name, module in names.items() if name not in NO_METHODS and is_verb(PACKAGE, module, name)]
    classes = {name for name, module in names.items() if is_class(PACKAGE, module, name)} - AT_THE_TOP
    refusals = errors(PACKAGE)
    widgets = {name for name in classes if name.endswith(IN_NOTEBOOKS)}
    spaces = "".join(f"from . import {name} as {name}\n" for name in NAMESPACES)
    top = _lazy_imports({name: module for name, module in names.items() if name not in classes})
    found = {
        "__init__.pyi": f"__version__: str\n\n{spaces}{top}",
        "plots.pyi": _lazy_imports(plots),
        "errors.pyi": _lazy_imports(refusals),
        "results/__init__.pyi": "".join(
            [
                "from . import explorers as explorers\n",
                _lazy_imports({name: names[name] for name in names if name in classes - widgets - {*refusals}}, ".."),
            ]
        ),
        "results/explorers.pyi": _lazy_imports({name: names[name] for name in names if name in widgets}, ".."),
        "verbs.py": MODULE.format(any=_written_out(verbs), pandas=_written_out(OF_PANDAS)),
        "verbs.pyi": signatures(names, verbs),
    }
    return {PACKAGE / name: formatted(NOTICE + text, PACKAGE / name) for name, text in found.items()}


def public(package: Path) -> tuple[Public, Public]:
    """Map public names to their modules, without importing any: those of the package, and those of its plots."""
    names: Public = {}
    plots: Public = {}
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        kind = plots if OF_PLOTS & set(parts) else names
        for name in _listed(path):
            if name in kind:
                raise ValueError(f"{name!r} is public in {kind[name]} and in {'.'.join(parts)}; rename one of them.")
            kind[name] = ".".join(parts)
    return names, plots


def _listed(path: Path) -> list[str]:
    """Read the ``__all__`` of a module."""
    for statement in _tree(path).body:
        if isinstance(statement, ast.Assign) and [getattr(one, "id", "") for one in statement.targets] == ["__all__"]:
            listed: list[str] = ast.literal_eval(statement.value)
            return listed
    return []


def errors(package: Path) -> Public:
    """Map errors and warnings to their modules: classes that are called so, but for what no caller ever sees."""
    return {
        statement.name: ".".join(path.relative_to(package).with_suffix("").parts)
        for path in sorted(package.rglob("*.py"))
        for statement in _tree(path).body
        if isinstance(statement, ast.ClassDef)
        and re.fullmatch(r"[A-Z]\w*(Error|Warning)", statement.name)
        and [getattr(base, "id", "") for base in statement.bases] != ["Exception"]
    }


def is_class(package: Path, module: str, name: str) -> bool:
    """Whether a public name is a class."""
    tree = _tree(package.joinpath(*module.split(".")).with_suffix(".py"))
    return any(isinstance(one, ast.ClassDef) and one.name == name for one in tree.body)


def is_verb(package: Path, module: str, name: str) -> bool:
    """Whether a public name is a function of a `frame` and its `objectives`."""
    for statement in _tree(package.joinpath(*module.split(".")).with_suffix(".py")).body:
        if isinstance(statement, ast.FunctionDef) and statement.name == name:
            given = statement.args
            first = [one.arg for one in given.args[:1]]
            return first == ["frame"] and "objectives" in [one.arg for one in given.args + given.kwonlyargs]
    return False


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _lazy_imports(names: Public, above: str = ".") -> str:
    return "".join(f"from {above}{module} import {name} as {name}\n" for name, module in names.items())


def _written_out(names: Sequence[str]) -> str:
    return f"({', '.join(map(repr, names))},)"


def signatures(names: Public, verbs: Sequence[str]) -> str:
    """Write the classes of methods as type checkers read them."""
    imports: dict[str, set[str]] = defaultdict(set)
    lines = [
        f"\nclass {head}" + "".join(_method(_function(names, name), imports) for name in listed)
        for head, listed in ((f"MooVerbs:\n{ACCESSOR}", verbs), ("PandasVerbs(MooVerbs):\n", OF_PANDAS))
    ]
    used = [f"from {module} import {', '.join(sorted(found))}" for module, found in imports.items() if module]
    used += [f"import {name}" for name in sorted(imports[""])]
    return "\n".join([SIGNATURES, *used, CONSTANTS, *lines])


def _function(names: Public, name: str) -> Callable[..., Any]:
    """Import a verb from its module: the package may not list it yet."""
    function: Callable[..., Any] = getattr(importlib.import_module(f"copa_nb.{names[name]}"), name)
    return function


def _method(function: Callable[..., Any], imports: dict[str, set[str]]) -> str:
    """Write a function without its first parameter, the frame, as a method; once for each of its overloads."""
    overloads = typing.get_overloads(function)
    known = _imported_names(inspect.unwrap(function).__module__)
    text = ""
    for form in overloads or [inspect.unwrap(function)]:
        signature = inspect.signature(form)
        parameters = list(signature.parameters.values())[1:]
        for annotation in [*(parameter.annotation for parameter in parameters), signature.return_annotation]:
            for name in _names(annotation):
                if name in known:
                    module, original = known[name]
                    imports[module].add(original)
        marked = "    @overload\n" if overloads else ""
        text += f"{marked}    def {function.__name__}({', '.join(_written(parameters))}) -> "
        text += f"{signature.return_annotation}: ...\n"
    return text


def _written(parameters: list[inspect.Parameter]) -> Iterator[str]:
    """Write parameters as a signature has them."""
    yield "self"
    kinds = [parameter.kind for parameter in parameters]
    for place, parameter in enumerate(parameters):
        first_keyword = parameter.kind is parameter.KEYWORD_ONLY and parameter.kind not in kinds[:place]
        if first_keyword and parameter.VAR_POSITIONAL not in kinds:
            yield "*"
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        default = parameter.default
        shown = repr(default) if isinstance(default, _SIMPLE) else "..."
        yield f"{stars}{parameter.name}: {parameter.annotation}" + ("" if default is parameter.empty else f" = {shown}")
        if parameter.kind is parameter.POSITIONAL_ONLY and parameter.POSITIONAL_ONLY not in kinds[place + 1 :]:
            yield "/"


def _names(annotation: str) -> Iterator[str]:
    for node in ast.walk(ast.parse(annotation, mode="eval")):
        if isinstance(node, ast.Name):
            yield node.id


def _imported_names(module: str) -> dict[str, tuple[str, str]]:
    """Map the names that a module's annotations may use to the module that they come from and what to import of it."""
    tree = ast.parse(inspect.getsource(importlib.import_module(module)))
    known: dict[str, tuple[str, str]] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                known[alias.asname or alias.name] = (node.module, _as(alias))
        elif isinstance(node, ast.Import):
            for alias in node.names:
                known[alias.asname or alias.name] = ("", _as(alias))
    for statement in tree.body:
        target = statement.target if isinstance(statement, ast.AnnAssign) else statement
        name = getattr(target, "id", getattr(target, "name", None))
        if name is not None:
            known[name] = (module, name)
    return known


def _as(alias: ast.alias) -> str:
    return f"{alias.name} as {alias.asname}" if alias.asname else alias.name


def formatted(text: str, path: Path) -> str:
    """Return a file as ``ruff`` leaves it: imports sorted, lines wrapped."""
    for command in (["check", "--fix-only", "--select", "I", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> None:
    """Write the files, or compare them."""
    description = "Write copa_nb/__init__.pyi, plots.pyi, verbs.py and verbs.pyi from the public functions."
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--check", action="store_true", help="fail if a file would change, and write nothing")
    check = parser.parse_args().check
    differing = {path: text for path, text in files().items() if not path.exists() or path.read_text("utf-8") != text}
    if check and differing:
        named = ", ".join(str(path.relative_to(PACKAGE.parent)) for path in differing)
        sys.exit(f"{named}: not what the package says; run `make generate` and commit what it writes.")
    for path, text in differing.items():
        path.write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
