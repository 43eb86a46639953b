"""How a result draws itself: a function of ``copa_nb.plots`` as a method of the result.

Plots read results, so results cannot import plots without going in a circle; they name the function
that draws them, and it is looked up among the public ones when it is first called.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import types
from collections.abc import Callable
from typing import Any


def plot_function(name: str) -> Callable[..., Any]:
    """Return a public function of ``copa_nb.plots``.

    Parameters
    ----------
    name : str
        As it is listed there.

    Examples
    --------
    >>> plot_function("plot_bump").__name__
    'plot_bump'
    """
    function: Callable[..., Any] = getattr(importlib.import_module("copa_nb.plots"), name)
    return function


def public_explorer(name: str) -> Callable[..., Any]:
    """Return a public explorer of the package, or the function that opens it.

    Parameters
    ----------
    name : str
        As it is listed in ``copa_nb``.

    Examples
    --------
    >>> public_explorer("PosetExplorer").__name__
    'PosetExplorer'
    """
    found: Callable[..., Any] = getattr(importlib.import_module("copa_nb"), name)
    return found


class PlotMethod:
    """A function of ``copa_nb.plots`` as a method of the result that it takes first.

    Options and documentation are those of the function, by construction; matplotlib is imported when
    the method is first looked up.

    Parameters
    ----------
    name : str
        The function.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._method: Callable[..., Any] | None = None

    def __get__(self, result: object | None, owner: type) -> Callable[..., Any]:
        if self._method is None:
            self._method = _as_method(plot_function(self._name))
        return self._method if result is None else types.MethodType(self._method, result)


def _as_method(function: Callable[..., Any]) -> Callable[..., Any]:
    """Take the Axes by position, too, as pandas and seaborn users are used to from methods."""
    if "ax" not in inspect.signature(function).parameters:
        return function

    @functools.wraps(function)
    def method(result: object, ax: Any = None, **options: Any) -> Any:
        return function(result, ax=ax, **options)

    return method
