"""``front`` and ``layers(1)`` beside what other libraries and a few lines of one's own take."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from benchmarks.speed.measure import (
    COLUMNS,
    ENOUGH_ROWS,
    KINDS,
    as_table,
    beside,
    costs,
    figure,
    size_that_ends,
)  # fmt: skip
from benchmarks.speed.peers import PEERS, finder


def fronts(
    rows: int, objectives: Sequence[int] = (2, 3, 7), kinds: Sequence[str] = KINDS, pairs: int = 5, seed: int = 0,
    peers: Sequence[str] = PEERS, *, seconds: float = 0.4,
) -> pd.DataFrame:  # fmt: skip
    """``front`` and ``layers(1)`` through the accessor beside peers on the bare array.

    Targets hold from 100,000 rows: .2 of moocore's time on uniform data up to three objectives, .35 beyond,
    1.15 on every other kind.

    Parameters
    ----------
    rows : int
        Rows of the tables. Peers other than moocore are measured on fewer where a call would take more than
        `seconds`, and so are both sides then; the column ``rows`` says on how many.
    objectives, kinds, peers : sequence
        What to combine.
    pairs : int
        Turns at most.
    seed : int
        Of the data.
    seconds : float
        See `rows`.

    Returns
    -------
    DataFrame
        With the columns ``COLUMNS``.
    """
    found = []
    for k in objectives:
        as_table(costs("uniform", min(rows, ENOUGH_ROWS), k)).moo.front()  # may compile
        for kind in kinds:
            values = costs(kind, rows, k, seed)
            for peer in peers:
                find = finder(peer)
                if find is not None:
                    found += _beside(values, kind, peer, find, pairs, seconds)
    return pd.DataFrame(found, columns=COLUMNS)


def _beside(
    values: np.ndarray, kind: str, peer: str, find: Callable[[np.ndarray], np.ndarray], pairs: int, seconds: float
) -> list[dict[str, object]]:
    rows, k = values.shape
    if peer != "moocore":
        rows = size_that_ends(lambda size: find(values[:size]), rows, seconds=seconds)
    part = np.ascontiguousarray(values[:rows])
    table = as_table(part)
    # The rows themselves are asked for less often than which they are; beside every peer, one of the two is enough.
    ours: dict[str, Callable[[], object]] = {"front": table.moo.front}
    if peer == "moocore":
        ours["layers(1)"] = lambda: table.moo.layers(1)
    measured = beside(ours, lambda: find(part), pairs, seconds=10 * seconds)
    goal = _target(kind, rows, k) if peer == "moocore" else np.nan
    return [figure("front", f"{verb}, K = {k}", kind, (rows, k), peer, measured[verb], goal) for verb in ours]


def _target(kind: str, rows: int, objectives: int) -> float:
    if rows < ENOUGH_ROWS:
        return np.nan
    if kind == "uniform":
        return 0.2 if objectives <= 3 else 0.35
    return 1.15
