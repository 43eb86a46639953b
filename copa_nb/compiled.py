"""Compiling array loops so that they load from a cache where there is one.

Modules of kernels import this one, and are themselves imported inside the functions that need them:
numba takes a third of a second to import, which small tables and ``import copa_nb`` must not pay.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba


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
    try:
        return numba.njit(cache=True, nogil=True)(function)
    except RuntimeError:
        return numba.njit(nogil=True)(function)


# For small functions: a call that passes arrays counts references, and threads that count the same ones wait.
inlined = numba.njit(inline="always", nogil=True)
