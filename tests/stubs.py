"""Write what the package says of its public names: stubs of lazy imports.

What is public is in the ``__all__`` of its module: that of a module of plots goes to ``copa_nb/plots.pyi``, a class to
``copa_nb/results``, any other to ``copa_nb/__init__.pyi``. Errors and warnings are public by their names.

python -m tests.stubs            # writes the stubs copa_nb/*.pyi and copa_nb/results/*.pyi
python -m tests.stubs --check    # fails if a file would change
"""

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

import copa_nb

PACKAGE = Path(copa_nb.__file__).parent
NOTICE = "# Written by `make generate`; do not edit.\n"
OF_PLOTS = {"plots", "plotting"}
# The only class that users make: a population or a reference point.
AT_THE_TOP = {"Reference"}
# Classes that nobody returns to compute with: widgets, and tables that are read in pieces.
IN_NOTEBOOKS = ("Explorer", "Panel", "Scan")
NAMESPACES = ("datasets", "errors", "plots", "results")
Public = dict[str, str]


def files() -> dict[Path, str]:
    """Return what the files should contain."""
    names, plots = public(PACKAGE)
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


def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _lazy_imports(names: Public, above: str = ".") -> str:
    return "".join(f"from {above}{module} import {name} as {name}\n" for name, module in names.items())


def formatted(text: str, path: Path) -> str:
    """Return a file as ``ruff`` leaves it: imports sorted, lines wrapped."""
    for command in (["check", "--fix-only", "--select", "I", "--quiet"], ["format"]):
        ruff = [sys.executable, "-m", "ruff", *command, "--stdin-filename", str(path), "-"]
        text = subprocess.run(ruff, input=text, capture_output=True, text=True, check=True).stdout
    return text


def main() -> None:
    """Write the files, or compare them."""
    description = "Write the stubs of lazy imports from what modules list."
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
