"""Modules that describe something, such as an analysis or a source of tables, are found by being in their folder."""

from __future__ import annotations

import importlib
import pkgutil
from types import ModuleType


def import_all(package: ModuleType) -> None:
    """Import every module of a package, so that each can register what it describes; programs are left out."""
    for module in pkgutil.iter_modules(package.__path__):
        if not module.name.startswith("_"):
            importlib.import_module(f"{package.__name__}.{module.name}")
