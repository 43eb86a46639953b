"""What is found rather than listed: modules by being in a folder, names by the stub beside a file."""

from __future__ import annotations

import ast
import importlib
import pkgutil
from collections.abc import Callable
from importlib.util import resolve_name
from pathlib import Path
from types import ModuleType
from typing import Any


def import_all(package: ModuleType) -> None:
    """Import every module of a package, so that each can register what it describes; programs are left out."""
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package.__name__}.{module.name}")


def import_files(package: str, *patterns: str) -> None:
    """Import the modules of a package whose files match one of the patterns; no other package on the way to them.

    Parameters
    ----------
    package : str
        Name of a package that is imported.
    *patterns : str
        As for ``Path.glob``, from the folder of the package.
    """
    folder = Path(str(importlib.import_module(package).__file__)).parent
    for path in sorted(path for pattern in patterns for path in folder.glob(pattern)):
        parts = path.relative_to(folder).with_suffix("").parts
        if parts[-1] != "__init__":
            importlib.import_module(".".join((package, *parts)))


def lazily(package: str, file: str) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Give what a module needs to import the names in the stub beside it when each is first used.

    As ``lazy_loader.attach_stub`` does, for stubs that import from other packages, too.

    Parameters
    ----------
    package : str
        From where the imports of the stub are relative.
    file : str
        Of the module, whose stub has the suffix ``.pyi``.

    Returns
    -------
    tuple
        The module's ``__getattr__``, ``__dir__`` and ``__all__``.
    """
    origins: dict[str, str] = {}
    modules: set[str] = set()
    for node in ast.parse(Path(file).with_suffix(".pyi").read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            origin = resolve_name("." * node.level + (node.module or ""), package)
            names = [alias.asname or alias.name for alias in node.names]
            origins |= dict.fromkeys(names, origin)
            modules |= set() if node.module else set(names)

    def find(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{origins[name]}.{name}")
        if name not in origins:
            raise AttributeError(f"module {package!r} has no {name!r}; it has {', '.join(sorted(origins))}.")
        return getattr(importlib.import_module(origins[name]), name)

    return find, lambda: sorted(origins), sorted(origins.keys() - modules)
