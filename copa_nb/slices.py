"""Splitting work on rows or columns of an array over the processors."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from copa_nb.scheduling.processors import processors

Part = TypeVar("Part")
Result = TypeVar("Result")

# Below this many numbers, starting threads costs more than they save.
_WORTH_THREADS = 1_000_000


def row_slices(n_rows: int, n_numbers: int) -> list[tuple[int, int]]:
    """Cut rows into one piece per processor, or leave them whole if they hold few numbers."""
    pieces = processors() if n_numbers >= _WORTH_THREADS else 1
    edges = [n_rows * i // pieces for i in range(pieces + 1)]
    return list(itertools.pairwise(edges))


def in_threads(function: Callable[[Part], Result], parts: Sequence[Part], n_numbers: int) -> list[Result]:
    """Apply a function that releases the interpreter's lock to parts, in threads if the work is large.

    Parameters
    ----------
    function : callable
        Must not change what parts share.
    parts : sequence
        Its arguments.
    n_numbers : int
        How many numbers it works on altogether.

    Examples
    --------
    >>> in_threads(abs, [-1, 2], 2)
    [1, 2]
    """
    workers = min(processors(), len(parts))
    if workers < 2 or n_numbers < _WORTH_THREADS:
        return [function(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, parts))
