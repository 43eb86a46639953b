"""Methods of results that higher layers supply: plots, explorers and reports read results, so results import none.

A class says that it has such a method; the function says whose it is; the root of the package says what is imported
before the first look.
"""

from __future__ import annotations

import inspect
import types
from collections.abc import Callable
from typing import Any, TypeVar

_SUPPLIED: dict[tuple[type, str], Callable[..., Any]] = {}
_LOADERS: list[Callable[[], None]] = []

Function = TypeVar("Function", bound=Callable[..., Any])


def offered_by(kind: type, method: str = "plot") -> Callable[[Function], Function]:
    """Make a function the method of a result that it takes first; options and documentation are the function's.

    Parameters
    ----------
    kind : type
        Class of the result, in which ``Offered()`` stands under the name of the method.
    method : str
        The method's name.
    """

    def register(function: Function) -> Function:
        # The root imports this file at the start, and what results need only when a function is registered.
        from copa_nb.results.result import drawn

        draws = "ax" in inspect.signature(function).parameters
        _SUPPLIED[kind, method] = drawn(function) if draws else function
        return function

    return register


def load_before_first_look(*loaders: Callable[[], None]) -> None:
    """Set what imports the functions that results offer.

    Parameters
    ----------
    *loaders : callable
        Each imports modules with such functions. They are called in this order until the function that is looked for
        is there, so that a plot waits for no explorer.
    """
    _LOADERS[:] = loaders


class Offered:
    """A method of a result that a higher layer supplies; it is imported when the method is first looked up."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = owner, name

    def __get__(self, result: object | None, owner: type) -> Callable[..., Any]:
        function = self._function()
        return function if result is None else types.MethodType(function, result)

    def _function(self) -> Callable[..., Any]:
        for load in _LOADERS:
            if self._key in _SUPPLIED:
                break
            load()
        if self._key not in _SUPPLIED:
            kind, name = self._key
            raise NotImplementedError(f"No function is decorated with @offered_by({kind.__name__}, {name!r}).")
        return _SUPPLIED[self._key]
