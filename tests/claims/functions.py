"""Functions of the papers, in the modules where notebooks find them."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

from copa_nb import papers


def functions() -> Iterator[Callable[..., Any]]:
    """Public functions of the modules of :mod:`copa_nb.papers`."""
    for found in pkgutil.walk_packages(papers.__path__, f"{papers.__name__}."):
        module = importlib.import_module(found.name)
        for function in vars(module).values():
            if inspect.isfunction(function) and function.__module__ == module.__name__:
                yield function


def checks() -> list[Callable[..., Any]]:
    """Functions that check a claim."""
    return [function for function in functions() if hasattr(function, "checked")]
