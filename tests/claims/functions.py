"""Functions of the papers, in the modules where notebooks find them."""

import inspect
from collections.abc import Callable, Iterator
from typing import Any

from copa_nb import claims
from copa_nb.discovery import import_all


def functions() -> Iterator[Callable[..., Any]]:
    """Public functions of the modules of :mod:`copa_nb.claims`."""
    import_all(claims)
    for module in filter(inspect.ismodule, vars(claims).values()):
        if module.__name__.startswith(f"{claims.__name__}."):
            for function in vars(module).values():
                if inspect.isfunction(function) and function.__module__ == module.__name__:
                    yield function
