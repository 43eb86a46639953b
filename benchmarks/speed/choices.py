"""``navigate`` and ``copa`` beside the ranking that others stop at, and the memory that each verb takes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from benchmarks.speed.measure import (
    COLUMNS,
    CROWDED,
    ENOUGH_ROWS,
    Measured,
    as_table,
    beside,
    costs,
    figure,
    megabytes,
)  # fmt: skip
from benchmarks.speed.peers import finder

# Times the peer's that a path and a table may take.
_MOST = 1.5
_Calls = dict[str, Callable[[], object]]
# A peer, what it does, what is measured beside it, and the ratios that are aimed at.
_Case = tuple[str, Callable[[], object], _Calls, dict[str, float]]


def choices(
    rows: int, objectives: int = 7, kinds: Sequence[str] = ("uniform", "correlated", "simplex"), pairs: int = 3,
    seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """``navigate`` over 101 α and ``copa`` with its table, beside ranking every value and nothing else.

    Target, from 100,000 rows: a path, and a whole table, in 1.5 times what the fastest ranking takes, numpy's in
    threads. Both tell which rows are on the front; where all of them are, and finding that out is most of the work,
    the peer finds it out too, with moocore.
    """
    found = []
    _warm_up(min(rows, ENOUGH_ROWS), objectives)
    for kind in kinds:
        values = costs(kind, rows, objectives, seed)
        for peer, ranking, ours, goals in _cases(as_table(values), values, kind):
            measured = beside(ours, ranking, pairs)
            found += [
                figure("choice", what, kind, (rows, objectives), peer, measured[what], _goal(goals.get(what), rows))
                for what in ours
            ]
    return pd.DataFrame(found, columns=COLUMNS)


def memory(rows: int, objectives: int = 7, kind: str = "correlated", seed: int = 0) -> pd.DataFrame:
    """Most memory that a call takes, in multiples of the table's array; three times is what a verb may take."""
    table = as_table(costs(kind, rows, objectives, seed))
    swept = table.columns[0]
    size = rows * objectives * 8 / 1e6
    calls: _Calls = {
        "front": table.moo.front,
        "layers(1)": lambda: table.moo.layers(1),
        "navigate, 101 α": lambda: table.moo.copa().navigate(swept),
        "copa": table.moo.copa,
        "copa with its table": lambda: table.moo.copa().table,
        "pandas, ranks only": lambda: table.rank(method="min"),
    }
    found = []
    for what, call in calls.items():
        call()
        taken = megabytes(call)
        target = _goal(None if what.startswith("pandas") else 3.0, rows)
        measured = Measured(taken / size, megabytes=taken, peer_megabytes=size)
        of = "memory / the array's"
        found.append(figure("memory", what, kind, (rows, objectives), "the array", measured, target, ratio_of=of))
    return pd.DataFrame(found, columns=COLUMNS)


def _warm_up(rows: int, objectives: int) -> None:
    values = costs("uniform", rows, objectives)
    for _, _, ours, _ in _cases(as_table(values), values, "uniform"):
        for call in ours.values():
            call()


def _goal(target: float | None, rows: int) -> float:
    return np.nan if target is None or rows < ENOUGH_ROWS else target


def _cases(table: pd.DataFrame, values: np.ndarray, kind: str) -> list[_Case]:
    columns = [np.ascontiguousarray(column) for column in values.T]
    swept = table.columns[0]
    complete: _Calls = {
        "navigate, 101 α": lambda: table.moo.copa().navigate(swept),
        "navigate, p = 2": lambda: table.moo.copa(p=2).navigate(swept),
        "copa with its table": lambda: table.moo.copa().table,
    }
    goals = dict.fromkeys(complete, _MOST)
    crowded = kind in CROWDED
    peer = "numpy, ranks in threads"
    cases: list[_Case] = [
        (peer, lambda: _ranks_in_threads(columns), {"copa": table.moo.copa} | complete, {} if crowded else goals)
    ]
    if crowded:
        cases.append((f"{peer}, moocore's front", lambda: _ranks_and_front(columns, values), complete, goals))
    return cases


def _ranks_and_front(columns: list[np.ndarray], values: np.ndarray) -> None:
    front = finder("moocore")
    assert front is not None
    front(values)
    _ranks_in_threads(columns)


def _ranks_in_threads(columns: list[np.ndarray]) -> list[np.ndarray]:
    def rank(column: np.ndarray) -> np.ndarray:
        order = np.argsort(column)
        ranks = np.empty(len(column), dtype=np.int64)
        ranks[order] = np.arange(len(column))
        return ranks

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(rank, columns))
