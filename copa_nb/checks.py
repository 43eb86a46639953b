"""Checks of arguments, with errors that state the value, what is allowed and the fix."""

from __future__ import annotations

import contextlib
import difflib
import functools
import importlib
import inspect
import numbers
import os
import re
import traceback
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FrameType, MappingProxyType
from typing import Any, TypeVar, cast

import numpy as np
import pandas as pd

Function = TypeVar("Function", bound=Callable[..., Any])

_ALMOST_THE_SAME = 0.8  # of 1, as difflib measures how alike two texts are
_SHORTEST_PART = 3  # letters
# Options as other libraries, or earlier versions, call them.
_OTHER_WORDS = {"alphas": "importances", "seed": "rng", "random_state": "rng"}
# What is said for all calls at once, of how they run.
_OF_ALL_CALLS = ("n_jobs", "scheduler", "max_seconds", "progress")
# The extra that brings pyarrow, as `optional` names it to pip.
PARQUET = "'copa_nb[parquet]'"
_PACKAGE = os.path.join(os.path.dirname(__file__), "")
# How errors write arguments: as in Python, unless a command line sets its own form.
_FLAGS: ContextVar[Mapping[str, str]] = ContextVar("flags", default=MappingProxyType({}))
_ARGUMENT = re.compile(r"`(\w+)`")
_REFUSALS_ONLY: ContextVar[bool] = ContextVar("refusals only", default=False)


@contextmanager
def written_as(flags: Mapping[str, str]) -> Iterator[None]:
    """Write arguments in errors as a command line does, e.g. ``{"item": "--item"}``, within a ``with`` statement."""
    token = _FLAGS.set(flags)
    try:
        yield
    finally:
        _FLAGS.reset(token)


def called(argument: str) -> str:
    """Return an argument as the reader of an error writes it.

    Examples
    --------
    >>> with written_as({"item": "--item"}):
    ...     called("item")
    '`--item`'
    >>> called("item")
    '`item`'
    """
    return f"`{_FLAGS.get().get(argument, argument)}`"


@contextmanager
def in_these_words(names: Mapping[str, str] = MappingProxyType({})) -> Iterator[None]:
    """Write arguments in errors that verbs raise within a ``with`` statement as :func:`written_as` says.

    Parameters
    ----------
    names : mapping of str to str
        What arguments of functions are called here.

    Examples
    --------
    >>> with written_as({"item": "--item"}), in_these_words():
    ...     raise ValueError("`item` is missing")
    Traceback (most recent call last):
        ...
    ValueError: `--item` is missing
    """
    try:
        yield
    except (ValueError, TypeError, FileNotFoundError) as error:
        if error.args and isinstance(error.args[0], str):
            said = _ARGUMENT.sub(lambda found: called(names.get(found[1], found[1])), error.args[0])
            error.args = (said, *error.args[1:])
        raise


class _NothingRefused(BaseException):
    """Ends a verb that was asked for its refusals; no error, so that nothing between takes it for one."""


@contextmanager
def refusals_only() -> Iterator[None]:
    """Let a verb refuse what it refuses, and end where its numbers would begin, within a ``with`` statement.

    Examples
    --------
    >>> def double(number):
    ...     checked = integer("number", number)
    ...     nothing_refused()
    ...     print("doubled")
    >>> with refusals_only():
    ...     double(2)
    >>> with refusals_only():
    ...     double(0)
    Traceback (most recent call last):
        ...
    ValueError: `number` is 0; it must be a whole number of at least 1.
    """
    token = _REFUSALS_ONLY.set(True)
    try:
        yield
    except _NothingRefused:
        pass
    finally:
        _REFUSALS_ONLY.reset(token)


def nothing_refused() -> None:
    """Mark in a verb where its refusals end and its numbers begin; see :func:`refusals_only`."""
    if _REFUSALS_ONLY.get():
        raise _NothingRefused


def setting(argument: str, value: str | Mapping[str, str]) -> str:
    """Return an argument with its value as the reader of an error writes both.

    Examples
    --------
    >>> setting("nan_policy", "omit"), setting("standard_error", {"cost": "cost_se"})
    ('nan_policy="omit"', 'standard_error={"cost": "cost_se"}')
    >>> with written_as({"nan_policy": "--nan-policy", "standard_error": "--standard-error"}):
    ...     setting("nan_policy", "omit"), setting("standard_error", {"cost": "cost_se"})
    ('--nan-policy omit', '--standard-error cost=cost_se')
    """
    flag = _FLAGS.get().get(argument)
    if isinstance(value, Mapping):
        if flag is not None:
            return " ".join(f"{flag} {key}={inner}" for key, inner in value.items())
        pairs = ", ".join(f'"{key}": "{inner}"' for key, inner in value.items())
        return f"{argument}={{{pairs}}}"
    return f'{argument}="{value}"' if flag is None else f"{flag} {value}"


def listed(names: Iterable[object], most: int = 12) -> str:
    """Quote names for an error message, shortened after `most`."""
    names = list(names)
    shown = ", ".join(repr(name) for name in names[:most])
    return shown + (f", … ({len(names)} in all)" if len(names) > most else "")


def nearest(name: object, names: Iterable[object]) -> str:
    """Suggest the known name that is closest in spelling, or that begins or ends in this one, as a sentence, if any.

    Examples
    --------
    >>> nearest("normalise", ["p", "normalize"]), nearest("roc_auc", ["mean_test_roc_auc", "std_test_roc_auc"])
    (" Did you mean 'normalize'?", " Did you mean 'mean_test_roc_auc'?")
    >>> nearest("cost", ["accuracy"])
    ''
    """
    given, known = str(name), [str(one) for one in names]
    # What is called as the end of the name is meant, whatever else is spelled alike: of "mean_test_roc_auc", "roc_auc".
    close = [one for one in known if one != given and given.endswith(one) and _is_part(given, one)]
    close = close or difflib.get_close_matches(given, known, n=1, cutoff=_ALMOST_THE_SAME)
    longer = [] if close else [one for one in known if _is_part(given, one)]
    close = close or longer or difflib.get_close_matches(given, known, n=1) or _abbreviated(given, known)
    if not close:
        return ""
    # Of several columns of one metric, as searches have them, the mean is meant.
    means = [one for one in close if one.casefold().startswith("mean")]
    return f" Did you mean {(means or sorted(close, key=len))[0]!r}?"


def _abbreviated(given: str, known: list[str]) -> list[str]:
    """The one name that begins like this one: "accuracy" of "acc"."""
    longer = [one for one in known if one.casefold().startswith(given.casefold())]
    return longer if len(longer) == 1 and len(given) >= _SHORTEST_PART else []


def _is_part(given: str, known: str) -> bool:
    """Whether a name is the beginning or the end of another one, where that has a mark between words; or holds it."""
    given, known = given.casefold(), known.casefold()
    if min(len(given), len(known)) < _SHORTEST_PART:
        return given == known
    if given == known:
        return True
    part, whole = sorted((given, known), key=len)
    ends = whole.endswith(part) and not whole[-len(part) - 1].isalnum()
    return ends or (whole.startswith(part) and not whole[len(part)].isalnum())


def one_of(
    argument: str, value: object, allowed: Collection[object], *, meanings: Mapping[str, str] = MappingProxyType({})
) -> None:
    """Refuse a value that is not among those allowed, and say what these mean if they do not say it themselves.

    Examples
    --------
    >>> one_of("normalize", "rank", ["cdf", "none"], meanings={"cdf": "ranks"})
    Traceback (most recent call last):
        ...
    ValueError: `normalize` is 'rank'; allowed are 'cdf' (ranks), 'none'.
    """
    if not isinstance(value, Hashable) or value not in allowed:
        known = listed(allowed)
        for name, meaning in meanings.items():
            known = known.replace(repr(name), f"{name!r} ({meaning})")
        raise ValueError(f"{called(argument)} is {value!r}; allowed are {known}.{nearest(value, allowed)}")


def options(function: Callable[..., object], given: Iterable[str], *, instead: Callable[[], str] = lambda: "") -> None:
    """Refuse options that a function does not have, and say what to write instead, or the nearest that it has.

    Examples
    --------
    >>> options(sorted, ["revers"])
    Traceback (most recent call last):
        ...
    TypeError: sorted() got an unexpected keyword argument 'revers'. Did you mean 'reverse'?
    """
    parameters = inspect.signature(function).parameters.values()
    if any(one.kind is one.VAR_KEYWORD for one in parameters):
        return
    known = [one.name for one in parameters]
    for name in given:
        if name not in known:
            word = _OTHER_WORDS.get(name)
            hint = instead() or (f" Did you mean {word!r}?" if word in known else nearest(name, known))
            if name in _OF_ALL_CALLS:
                hint = f" It is said for all calls within: with copa_nb.options({name}=...): ..."
            raise TypeError(f"{_name_of(function)}() got an unexpected keyword argument {name!r}.{hint}")


def refuse_others(function: Function) -> Function:
    """Refuse options that a public function does not have with what to write instead; see :func:`options`.

    Examples
    --------
    >>> @refuse_others
    ... def draw(*, n_runs=10):
    ...     return n_runs
    >>> draw(runs=2)
    Traceback (most recent call last):
        ...
    TypeError: draw() got an unexpected keyword argument 'runs'. Did you mean 'n_runs'?
    """
    known = inspect.signature(function).parameters.keys()

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not kwargs.keys() <= known:
            options(function, kwargs)
        return function(*args, **kwargs)

    return cast(Function, call)


def positional(function: Callable[..., object], given: Sequence[object]) -> None:
    """Refuse more values without a name than a function takes, and list the names of its options.

    Examples
    --------
    >>> positional(sorted, [[3, 1], True])
    Traceback (most recent call last):
        ...
    TypeError: sorted() takes options by name, and True has none; its options are 'key', 'reverse'.
    """
    parameters = inspect.signature(function).parameters.values()
    taken = sum(one.kind in (one.POSITIONAL_ONLY, one.POSITIONAL_OR_KEYWORD) for one in parameters)
    if len(given) > taken and not any(one.kind is one.VAR_POSITIONAL for one in parameters):
        known = listed(one.name for one in parameters if one.kind is one.KEYWORD_ONLY)
        raise TypeError(
            f"{_name_of(function)}() takes options by name, and {given[taken]!r} has none; its options are {known}."
        )


def _name_of(function: Callable[..., object]) -> str:
    return getattr(function, "__name__", "function")


def integer(argument: str, value: object, *, least: int = 1) -> int:
    """Return `value` as an int, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, numbers.Integral | np.integer) or int(value) < least:
        raise ValueError(f"{called(argument)} is {value!r}; it must be a whole number of at least {least}.")
    return int(value)


def fraction(argument: str, value: object) -> float:
    """Return `value` as a float strictly between 0 and 1, or refuse it."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 < float(value) < 1:
        raise ValueError(f"{called(argument)} is {value!r}; it must be a number strictly between 0 and 1.")
    return float(value)


def share(argument: str, value: object) -> float:
    """Refuse anything but a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, numbers.Real) or not 0 <= float(value) <= 1:
        raise ValueError(f"{called(argument)} is {value!r}; it must be a number from 0 to 1.")
    return float(value)


def frame(value: object, argument: str = "frame") -> pd.DataFrame:
    """Refuse anything but a DataFrame of pandas; those of other libraries were read before."""
    if not isinstance(value, pd.DataFrame):
        raise TypeError(
            f"{called(argument)} must be a DataFrame with one row per model, not {_how_to_frame(value, argument)}."
        )
    return value


def _how_to_frame(value: object, argument: str) -> str:
    """Name the kind of a table and the call that makes a DataFrame of it."""
    kind = type(value)
    library = kind.__module__.partition(".")[0]
    if library == "dask":
        return "a Dask DataFrame; import copa_nb.dask and call the method: ddf.moo.front(...)"
    if library == "optuna":
        return (
            f"an Optuna {kind.__name__}; pass copa_nb.from_optuna({'study' if kind.__name__ == 'Study' else argument})"
        )
    if library == "pymoo":
        return (
            f"a pymoo {kind.__name__}; pass pd.DataFrame(result.F) and objectives={{0: "
            '"min", 1: "min", ...}, since pymoo minimizes every column of F'
        )
    if isinstance(value, pd.api.typing.DataFrameGroupBy | pd.api.typing.SeriesGroupBy):
        return f"{kind.__name__}; pass the table itself and name its groups with by="
    if isinstance(value, str | os.PathLike):
        return f"a {kind.__name__}; read it first: copa_nb.read({argument})"
    for method in ("to_pandas", "toPandas", "collect", "to_frame"):
        if callable(getattr(value, method, None)):
            return f"{library}'s {kind.__name__}; pass {argument}.{method}()"
    if isinstance(getattr(value, "table", None), pd.DataFrame):
        return f"{library}'s {kind.__name__}; pass {argument}.table"
    if isinstance(value, np.ndarray):
        return f"an array; name its columns: pd.DataFrame({argument}, columns=[...])"
    if isinstance(value, Mapping | list | tuple):
        return f"{kind.__name__}; wrap it: pd.DataFrame({argument})"
    return kind.__name__


def optional(module: str, what: str, install: str) -> Any:
    """Import a module that does not come with the package, or raise the error that says how to install it.

    Parameters
    ----------
    module : str
        Its name; a module within a package counts as the package.
    what : str
        What needs it, as the beginning of a sentence.
    install : str
        What pip is to install.

    Raises
    ------
    ImportError
        With the line for pip.

    Examples
    --------
    >>> optional("decimal", "reading prices", "decimal").Decimal("0.1")
    Decimal('0.1')
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise needs(module.partition(".")[0], install, what) from error


def needs(package: str, install: str, what: str) -> ImportError:
    """Make the error for a package that is not installed, with the line that installs it.

    Examples
    --------
    >>> needs("pyarrow", PARQUET, "reading Parquet")
    ImportError("reading Parquet needs pyarrow, which is not installed: pip install 'copa_nb[parquet]'")
    """
    return ImportError(f"{what} needs {package}, which is not installed: pip install {install}")


def callers_level() -> int:
    """Find the ``stacklevel`` with which the caller's warning points at the first line outside the package."""
    level, calling = 0, inspect.currentframe()
    while calling is not None and _is_of_package(calling):
        level, calling = level + 1, calling.f_back
    return level


def shorten_traceback(error: BaseException) -> None:
    """Hide the lines of the package in the traceback of an error that it raises itself, but for the one that does.

    IPython and pytest leave out frames that are marked in this way; ``%debug`` and ``--full-trace`` have them all.
    """
    frames = [frame for frame, _ in traceback.walk_tb(error.__traceback__)]
    if _is_of_package(frames[-1]):
        for frame in frames[:-1]:
            is_within = _is_of_package(frame) or frame.f_code.co_filename == contextlib.__file__
            if is_within and frame.f_locals is not frame.f_globals:
                frame.f_locals["__tracebackhide__"] = True


def briefly(function: Function) -> Function:
    """Shorten the tracebacks of errors that a public function raises for its arguments.

    Examples
    --------
    >>> @briefly
    ... def half(share):
    ...     return fraction("share", share) / 2
    >>> half(2)
    Traceback (most recent call last):
        ...
    ValueError: `share` is 2; it must be a number strictly between 0 and 1.
    """

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except (TypeError, ValueError, OSError) as error:
            shorten_traceback(error)
            raise

    return cast(Function, call)


def _is_of_package(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_PACKAGE)


def column(table: pd.DataFrame, name: Hashable, argument: str) -> pd.Series:
    """Return one column, or refuse a name that is missing or names several columns."""
    column_position(table, name, argument)
    return table[name]


def column_position(table: pd.DataFrame, name: Hashable, argument: str) -> int:
    """Return the position of a column, or refuse a name that is missing or names several columns."""
    if name not in table.columns:
        raise ValueError(
            f"{called(argument)} names {name!r}, which is not a column; columns are {listed(table.columns)}."
            f"{_as_a_value(table, name) or nearest(name, table.columns)}"
        )
    position = table.columns.get_loc(name)
    if isinstance(position, slice | np.ndarray):
        raise ValueError(
            f"{called(argument)} names {name!r}, which is the label of several columns; rename them so that each "
            "is one column."
        )
    return int(position)


def _as_a_value(table: pd.DataFrame, name: Hashable) -> str:
    """Say, as a sentence, if a name is a value of a column or labels a row: the table is a long or a turned one."""
    if isinstance(name, str) and name in table.index:
        return f" {name!r} is the name of a row: frame.T has it as a column."
    for position, column in enumerate(table.columns):
        values = table.iloc[:, position]
        if isinstance(name, str) and pd.api.types.is_string_dtype(values.dtype) and values.eq(name).any():
            if values.is_unique:
                return f" {name!r} is in a row: frame.set_index({column!r}).T has it as a column."
            return (
                f" {name!r} is a value of column {column!r}: copa_nb.from_long(frame, system=..., metric={column!r}, "
                "value=...) makes a column of it."
            )
    return ""


def generator(rng: object) -> np.random.Generator:
    """Make a Generator: from a whole number, from None (fresh entropy), or pass one through; refuse anything else."""
    try:
        return np.random.default_rng(rng)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise ValueError(
            f"`rng` is {rng!r}; it must be None, a whole number of at least 0 or a numpy Generator."
        ) from error


def seed(rng: object) -> int:
    """Make a whole number for what takes no Generator, under the rule of :func:`generator`."""
    is_number = isinstance(rng, numbers.Integral) and not isinstance(rng, bool)
    drawn = generator(rng)
    return int(rng) if is_number else int(drawn.integers(2**31))  # type: ignore[call-overload]
