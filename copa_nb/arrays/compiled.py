"""Compiling array loops so that they load from a cache where there is one.

Numba takes a third of a second to import, which small tables and ``import copa_nb`` must not pay: it is imported by
the modules of kernels (``*_kernels.py``), and these by the functions that need them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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
        (a read-only installation without a home), it is compiled once per process instead.
    """
    import numba

    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)


def inlined(function: Callable[..., Any]) -> Any:
    """Compile a small function into its callers.

    A call that passes arrays counts references, and threads that count the same ones wait for each other.
    """
    import numba

    return numba.njit(inline="always", nogil=True)(function)
