"""Methods of results that higher layers supply: plots, explorers and reports read results, so results import none.

A class says that it has such a method; the function says whose it is; the root of the package says what is imported
before the first look.
"""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Callable
from typing import Any, TypeVar

from copa_nb import checks

_SUPPLIED: dict[tuple[type, str], dict[str, Callable[..., Any]]] = {}
_WITH_KINDS: dict[tuple[type, str], Callable[..., Any]] = {}
_DESCRIBED_KIND = """
kind : {%s}, optional
    Something else to draw of the result, which takes options of its own."""
_LOADERS: list[Callable[[], None]] = []

Function = TypeVar("Function", bound=Callable[..., Any])


def offered_by(owner: type, method: str = "plot", *, kind: str = "") -> Callable[[Function], Function]:
    """Make a function the method of a result that it takes first; options and documentation are the function's.

    Parameters
    ----------
    owner : type
        Class of the result, in which ``Offered()`` stands under the name of the method.
    method : str
        The method's name.
    kind : str
        What the method is given to call this function rather than its main one: ``result.plot("pairs")``.
    """

    def register(function: Function) -> Function:
        # The root imports this file at the start, and what results need only when a function is registered.
        from copa_nb.results.result import drawn, drawn_as_figure

        supplied: Callable[..., Any] = function
        if "ax" in inspect.signature(function).parameters:
            supplied = drawn(function)
        elif method == "plot":
            supplied = drawn_as_figure(function)
        _SUPPLIED.setdefault((owner, method), {})[kind] = supplied
        _WITH_KINDS.pop((owner, method), None)
        return function

    return register


def plot_of(result: object, kind: str = "") -> Callable[..., Any]:
    """Return the function that draws a kind of plot of a result, to be called with the result.

    Parameters
    ----------
    result : object
        What is drawn.
    kind : str
        The kind, as ``result.plot(kind)`` takes it; its main plot if omitted.

    Raises
    ------
    ValueError
        If there is no such kind.
    TypeError
        If there is no plot at all.
    """
    name, method = type(result).__name__, inspect.getattr_static(type(result), "plot", None)
    if method is None:
        raise TypeError(f"`result` is a {name}, which has no plot; give `plot`, e.g. plots.plot_front.")
    kinds = method.kinds() if isinstance(method, Offered) else {}
    if not kind:
        return kinds.get("") or type(result).plot  # type: ignore[attr-defined]
    _check_kind(kind, kinds, name)
    return kinds[kind]


def _check_kind(kind: object, kinds: dict[str, Callable[..., Any]], name: str) -> None:
    if not (named := sorted(filter(None, kinds))):
        raise ValueError(f"`kind` is {kind!r}, but a {name} has one plot only: `plot()`.")
    checks.one_of("kind", kind, named)


def load_before_first_look(*loaders: Callable[[], None]) -> None:
    """Set what imports the functions that results offer.

    Parameters
    ----------
    *loaders : callable
        Each imports modules with such functions. They are called in this order until the function that is looked for
        is there, so that a plot waits for no explorer.
    """
    _LOADERS[:] = map(functools.cache, loaders)  # each looks through folders


class Offered:
    """A method of a result that a higher layer supplies; it is imported when the method is first looked up."""

    def __set_name__(self, owner: type, name: str) -> None:
        self._key = owner, name

    def __get__(self, result: object | None, owner: type) -> Callable[..., Any]:
        function = self._function()
        return function if result is None else types.MethodType(function, result)

    def kinds(self) -> dict[str, Callable[..., Any]]:
        """Return the functions by the kind that the method is given for them; the main one has the name ''."""
        for load in _LOADERS:
            load()  # also where a module with some of the kinds was imported by itself
            if self._key in _SUPPLIED:
                break
        if self._key not in _SUPPLIED:
            kind, name = self._key
            raise NotImplementedError(f"No function is decorated with @offered_by({kind.__name__}, {name!r}).")
        return _SUPPLIED[self._key]

    def _function(self) -> Callable[..., Any]:
        kinds = self.kinds()
        if len(kinds) == 1:
            return kinds[""]
        # One object for each method, as functions are: words of a plot are found by it.
        return _WITH_KINDS.setdefault(self._key, _with_kinds(kinds))


def _with_kinds(kinds: dict[str, Callable[..., Any]]) -> Callable[..., Any]:
    """Make one method of the functions of all kinds; without a kind it is the main function."""
    main = kinds[""]

    @checks.briefly
    @functools.wraps(main)
    def method(result: object, kind: str | None = None, **options: Any) -> Any:
        if kind is not None and not isinstance(kind, str):
            raise TypeError(f"`kind` is a {type(kind).__name__}; it must be a word. Axes are given as `ax=`.")
        if kind is not None:
            _check_kind(kind, kinds, type(result).__name__)
        return kinds[kind or ""](result, **options)

    first, *others = inspect.signature(main).parameters.values()
    given = inspect.Parameter("kind", inspect.Parameter.POSITIONAL_OR_KEYWORD, default=None, annotation="str | None")
    keyword_only = [
        one.replace(kind=one.KEYWORD_ONLY) if one.kind is one.POSITIONAL_OR_KEYWORD else one for one in others
    ]
    method.__signature__ = inspect.Signature([first, given, *keyword_only])  # type: ignore[attr-defined]
    described = _DESCRIBED_KIND % ", ".join(f'"{name}"' for name in sorted(filter(None, kinds)))
    method.__doc__ = re.sub(r"(?=\n\nReturns\n)", lambda _: described, inspect.cleandoc(main.__doc__ or ""), count=1)
    return method
