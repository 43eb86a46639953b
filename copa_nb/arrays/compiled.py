"""Array loops: compiled where numba is installed, elsewhere in numpy and Python, with the same answers.

The loops of a module ``x.py`` are in ``x_kernels.py``. Those that are needed whatever the size of a table have
counterparts of the same names in ``x_plain.py``, which numpy makes fast enough, and :func:`kernels` chooses between
the two files. Loops that only pay in large tables have none: :func:`compiled_pays` is false without numba, and numpy
and moocore do the work. Nothing else depends on numba, which takes a third of a second to import: only a call that
needs loops asks for it.
"""

from __future__ import annotations

import functools
import importlib
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from copa_nb import checks

# "0" computes as if numba were not installed.
VARIABLE = "COPA_NB_COMPILED"
# From 20,000 rows on, compiled fronts and ranks are three to eight times as fast as moocore and numpy: 2 to 100 ms less
# per call, which repeated calls (resampling, explorers) regain.
_ROWS_WORTH_COMPILING = 20_000
# Above, the difference is one between seconds and parts of a second.
_ROWS_WORTH_A_WORD = 100_000


class NotCompiledWarning(UserWarning):
    """Something large is computed without what the extra ``fast`` installs: the same answer takes longer."""


@functools.cache
def _compiler() -> Any | None:
    try:
        import numba
    except ImportError:  # also where it does not work with this version of numpy
        return None
    return numba


def is_available() -> bool:
    """Whether loops are compiled: numba is installed, and ``COPA_NB_COMPILED`` is not 0."""
    return os.environ.get(VARIABLE) != "0" and _compiler() is not None


def compiled_pays(n_rows: int) -> bool:
    """Tell whether a table is large enough for compiled passes over its rows, and whether there are any."""
    if n_rows < _ROWS_WORTH_COMPILING:
        return False
    if is_available():
        return True
    if n_rows >= _ROWS_WORTH_A_WORD:
        warn_if_plain(f"{n_rows:,} rows")
    return False


def kernels(module: str, *, pays: bool = True) -> Any:
    """Import the loops of a module: compiled, or else those in numpy and Python.

    Parameters
    ----------
    module : str
        The module whose loops they are, mostly ``__name__``.
    pays : bool
        Whether there is work enough: before the first compiled call, some loops take seconds to be compiled.

    Examples
    --------
    >>> kernels("copa_nb.comparisons.arrays.uncertainty").__name__.rpartition("_")[0]
    'copa_nb.comparisons.arrays.uncertainty'
    """
    return importlib.import_module(f"{module}_{'kernels' if pays and is_available() else 'plain'}")


def warn_if_plain(what: str) -> None:
    """Warn, once in a process, that something large takes longer than it would if it were compiled."""
    if is_available():
        return
    if _compiler() is None:
        warn_once("numba", what)
    else:
        _say_once(f"{VARIABLE} is 0, so {what} take longer; the answer is the same")


def warn_once(package: str, what: str) -> None:
    """Warn, once in a process, that something takes long because a package of the extra ``fast`` is missing."""
    _say_once(f"{package} is not installed, so {what} take longer; the answer is the same: pip install 'copa_nb[fast]'")


def _say_once(message: str) -> None:
    if not _warned:
        _warned.append(message)
        warnings.warn(message, NotCompiledWarning, stacklevel=checks.callers_level())


_warned: list[str] = []


def compiled(function: Callable[..., Any]) -> Any:
    """Compile without the interpreter's lock, so that threads can share the work.

    Parameters
    ----------
    function : callable
        A loop over arrays. It must not call itself: such functions crash when they come out of the cache.

    Returns
    -------
    callable
        Compiled at its first call, or read from the cache. Where no folder for a cache can be written to
        (a read-only installation without a home), it is compiled once per process instead. Without numba, the loop
        as it is: right, and slow.
    """
    numba = _compiler()
    if numba is None or not is_available():
        return _as_it_is(function)
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function into its callers.

    A call that passes arrays counts references, and threads that count the same ones wait for each other.
    """
    numba = _compiler()
    if numba is None or not is_available():
        return _as_it_is(function)
    return numba.njit(inline="always", nogil=True)(function)


def _as_it_is(function: Callable[..., Any]) -> Any:
    # Words of bits overflow on purpose.
    return np.errstate(over="ignore")(function)
