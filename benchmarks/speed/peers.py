"""Fronts as other libraries find them, and as people write them in numpy and pandas."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import moocore
import numpy as np
import pandas as pd

PEERS = ("moocore", "paretoset", "pymoo", "numpy", "pandas")


def finder(peer: str) -> Callable[[np.ndarray], np.ndarray] | None:
    """A function from costs, shape (n, k), to which rows no other dominates; None if the peer is not installed.

    Examples
    --------
    >>> finder("numpy")(np.array([[1.0, 2.0], [2.0, 1.0], [2.0, 2.0]]))
    array([ True,  True, False])
    """
    if peer == "moocore":
        return lambda values: moocore.is_nondominated(values, keep_weakly=True)
    if peer == "numpy":
        return with_numpy
    if peer == "pandas":
        return with_pandas
    if peer not in PEERS:
        raise ValueError(f"`peer` is {peer!r}; it must be one of {', '.join(PEERS)}.")
    if find_spec(peer) is None:
        return None
    return _paretoset() if peer == "paretoset" else _pymoo()


def with_numpy(values: np.ndarray) -> np.ndarray:
    """Drop what a row dominates, one row after the other: the few lines that most projects have somewhere."""
    keep = np.ones(len(values), dtype=bool)
    for i, row in enumerate(values):
        if keep[i]:
            keep &= ~((values >= row).all(axis=1) & (values > row).any(axis=1))
    return keep


def with_pandas(values: np.ndarray) -> np.ndarray:
    """Ask of every row whether another one dominates it, as the definition reads."""
    table = pd.DataFrame(values)

    def is_dominated(row: pd.Series) -> bool:
        return bool(((table <= row).all(axis=1) & (table < row).any(axis=1)).any())

    return ~table.apply(is_dominated, axis=1).to_numpy()


def _paretoset() -> Callable[[np.ndarray], np.ndarray]:
    from paretoset import paretoset

    return lambda values: paretoset(values, distinct=False)


def _pymoo() -> Callable[[np.ndarray], np.ndarray]:
    from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

    sort = NonDominatedSorting()

    def find(values: np.ndarray) -> np.ndarray:
        keep = np.zeros(len(values), dtype=bool)
        keep[sort.do(values, only_non_dominated_front=True)] = True
        return keep

    return find
