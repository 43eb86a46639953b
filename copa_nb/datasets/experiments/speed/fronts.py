"""How fast the verbs are beside what people would use instead: ratios, memory, growth.

    python -m copa_nb.datasets.experiments.speed --rows 100000

Every figure is a ratio of two calls on the same data in the same run, taken in turns, so that a busy or a
slow machine changes both. Peers that are not installed are left out (``pip install "copa_nb[bench]"``).
"""

from __future__ import annotations

import argparse
import statistics
import subprocess
import sys
import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from importlib.util import find_spec

import moocore
import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from copa_nb.objectives import define

KINDS = ("uniform", "simplex", "sphere", "anti-correlated", "ties", "equal", "scales", "correlated")
PEERS = ("moocore", "paretoset", "pymoo")
COLUMNS = [
    "area", "what", "data", "rows", "objectives", "peer", "milliseconds", "peer_milliseconds", "ratio", "target",
    "verdict",
]  # fmt: skip


def costs(kind: str, rows: int, objectives: int, seed: int = 0) -> np.ndarray:
    """Costs of one of the ``KINDS``: ndarray of float64, shape (rows, objectives).

    Examples
    --------
    >>> costs("simplex", 2, 3).sum(axis=1).round(9)
    array([1., 1.])
    """
    rng = np.random.default_rng([seed, rows, objectives])
    shape = (rows, objectives)
    if kind == "simplex":  # every row is on the front
        return rng.dirichlet(np.ones(objectives), rows)
    if kind == "sphere":  # so it is here, bent the other way
        normal = np.abs(rng.normal(size=shape))
        return 1.0 - normal / np.linalg.norm(normal, axis=1, keepdims=True)
    if kind == "anti-correlated":
        points = rng.random(shape)
        return points / points.sum(axis=1, keepdims=True) * (1.0 + 0.05 * rng.normal(size=(rows, 1)))
    if kind == "ties":
        return rng.integers(0, 10, shape).astype(float)
    if kind == "equal":
        return np.ones(shape)
    if kind == "scales":
        return rng.lognormal(sigma=2.0, size=shape) * 10.0 ** np.linspace(-9, 9, objectives)
    if kind == "correlated":
        return rng.normal(size=(rows, 1)) + 0.5 * rng.normal(size=shape)
    return rng.random(shape)


def as_table(values: np.ndarray) -> pd.DataFrame:
    """The same costs as a frame with its objectives defined, every other one to be maximised."""
    names = [f"m{k}" for k in range(values.shape[1])]
    signs = np.where(np.arange(len(names)) % 2, -1.0, 1.0)
    directions = {name: "max" if k % 2 else "min" for k, name in enumerate(names)}
    return define(pd.DataFrame(values * signs, columns=names), directions)


def in_turns(ours: Callable[[], object], theirs: Callable[[], object], pairs: int) -> tuple[float, float, float]:
    """Median milliseconds of both after a first call of each, and the median of the ratios of pairs."""
    first, second = [], []
    ours(), theirs()
    for _ in range(pairs):
        first.append(_milliseconds(ours))
        second.append(_milliseconds(theirs))
    ratios = [one / other for one, other in zip(first, second, strict=True)]
    return statistics.median(first), statistics.median(second), statistics.median(ratios)


def fronts(
    rows: int, objectives: tuple[int, ...] = (2, 3, 7), kinds: tuple[str, ...] = KINDS, pairs: int = 5,
    seed: int = 0, peers: tuple[str, ...] = PEERS,
) -> pd.DataFrame:  # fmt: skip
    """``front`` through the accessor beside libraries on the bare array.

    Targets hold from 100,000 rows: .2 of moocore's time on uniform data up to three objectives, .35 beyond,
    1.15 on every other kind.
    """
    found = []
    for k in objectives:
        for kind in kinds:
            values = costs(kind, rows, k, seed)
            table = as_table(values)
            target = (0.2 if k <= 3 else 0.35) if kind == "uniform" else 1.15
            for name, peer in _front_peers(values, kind, peers):
                slow = kind in ("simplex", "sphere", "anti-correlated") and k > 3
                timed = in_turns(table.moo.front, peer, min(pairs, 2) if slow else pairs)
                goal = target if name == "moocore" and rows >= 100_000 else np.nan
                found.append(_row("front", f"front, K = {k}", kind, rows, k, name, timed, goal))
    return pd.DataFrame(found, columns=COLUMNS)


def choices(
    rows: int, objectives: int = 7, kinds: tuple[str, ...] = ("uniform", "correlated", "simplex"), pairs: int = 3,
    seed: int = 0,
) -> pd.DataFrame:  # fmt: skip
    """``navigate`` over 101 α and ``copa`` with its table, beside the ranking that others stop at."""
    found = []
    for kind in kinds:
        values = costs(kind, rows, objectives, seed)
        table = as_table(values)
        for what, ours, name, peer, target in _choice_cases(table, values, kind):
            timed = in_turns(ours, peer, pairs)
            found.append(_row("choice", what, kind, rows, objectives, name, timed, target))
    return pd.DataFrame(found, columns=COLUMNS)


def memory(rows: int, objectives: int = 7, kind: str = "correlated", seed: int = 0) -> pd.DataFrame:
    """Peak memory allocated by a call, in multiples of the table's array."""
    table = as_table(costs(kind, rows, objectives, seed))
    swept = table.columns[0]
    size = rows * objectives * 8
    found = []
    for what, call in (
        ("front", table.moo.front),
        ("navigate, 101 α", lambda: table.moo.navigate(swept)),
        ("copa", table.moo.copa),
        ("copa with its table", lambda: table.moo.copa().table),
        ("pandas, ranks only", lambda: table.rank(method="min")),
    ):
        call()
        tracemalloc.start()
        result = call()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        del result
        target = np.nan if what.startswith("pandas") else 3.0
        row = _row("memory", what, kind, rows, objectives, "the array", (np.nan, np.nan, peak / size), target)
        found.append(row)
    return pd.DataFrame(found, columns=COLUMNS)


def overhead(pairs: int = 300, loads: int = 3) -> pd.DataFrame:
    """What a small table pays: access, a front of 2,148 rows above moocore, the import above pandas.

    Here the ratio is that of the time above the peer's to the time allowed for it, so that 1 is the target.
    """
    values = costs("uniform", 2148, 7)
    table = as_table(values)
    ours, theirs, _ = in_turns(table.moo.front, lambda: moocore.is_nondominated(values, keep_weakly=True), pairs)
    access = min(_milliseconds(lambda: [table.moo for _ in range(1000)]) for _ in range(5)) / 1000
    times = [(_import_milliseconds("pandas"), _import_milliseconds("pandas, copa_nb")) for _ in range(loads)]
    alone, both = (statistics.median(side) for side in zip(*times, strict=True))
    found = [
        _row("overhead", "front above moocore, allowed .3 ms", "uniform", 2148, 7, "moocore",
             (ours, theirs, (ours - theirs) / 0.3), 1.0),
        _row("overhead", "df.moo, allowed 2 µs", "uniform", 2148, 7, "nothing", (access, np.nan, access / 0.002), 1.0),
        _row("overhead", "import above pandas, allowed 150 ms", "", 0, 0, "import pandas",
             (both, alone, (both - alone) / 150.0), 1.0),
    ]  # fmt: skip
    return pd.DataFrame(found, columns=COLUMNS)


def growth(rows: tuple[int, ...], objectives: tuple[int, ...] = (2, 3, 5, 7), pairs: int = 3) -> pd.DataFrame:
    """Exponents b of time = a · size^b, fitted to medians: over N at the most objectives, over K at the most rows."""
    found = []
    verbs: dict[str, Callable[[pd.DataFrame], object]] = {
        "front": lambda table: table.moo.front(),
        "navigate": lambda table: table.moo.navigate(table.columns[0]),
        "copa": lambda table: table.moo.copa(),
    }
    for name, verb in verbs.items():
        for size, cases in (
            ("N", [(n, max(objectives)) for n in rows]),
            ("K", [(max(rows), k) for k in objectives]),
        ):
            times = []
            for n, k in cases:
                table = as_table(costs("correlated", n, k))
                verb(table)
                times.append(statistics.median(_milliseconds(partial(verb, table)) for _ in range(pairs)))
            sizes = [case[0 if size == "N" else 1] for case in cases]
            slope = float(np.polyfit(np.log(sizes), np.log(times), 1)[0])
            found.append({"verb": name, "over": size, "from": min(sizes), "to": max(sizes), "exponent": slope})
    return pd.DataFrame(found)


def _choice_cases(
    table: pd.DataFrame, values: np.ndarray, kind: str
) -> list[tuple[str, Callable[[], object], str, Callable[[], object], float]]:
    columns = [np.ascontiguousarray(column) for column in values.T]
    swept = table.columns[0]
    # Where every row is on the front, a path may cost as much as ranking all of them.
    few = 1.0 if kind in ("simplex", "sphere") else 1 / 7
    by_pandas, by_numpy = "pandas, ranks only", "numpy, ranks in threads"
    return [
        ("navigate, 101 α", lambda: table.moo.navigate(swept), by_pandas, lambda: table.rank(method="min"), few),
        ("navigate, p = 2", lambda: table.moo.navigate(swept, p=2), by_pandas, lambda: table.rank(method="min"), few),
        ("copa", table.moo.copa, by_numpy, lambda: _ranks_in_threads(columns), np.nan),
        ("copa with its table", lambda: table.moo.copa().table, by_numpy, lambda: _ranks_in_threads(columns), 1.5),
    ]


def _front_peers(values: np.ndarray, kind: str, peers: tuple[str, ...]) -> Iterator[tuple[str, Callable[[], object]]]:
    yield "moocore", lambda: moocore.is_nondominated(values, keep_weakly=True)
    # The others are the same library once more, or take minutes where fronts are large.
    if kind != "uniform":
        return
    if "paretoset" in peers and find_spec("paretoset"):
        from paretoset import paretoset

        yield "paretoset", lambda: paretoset(values, distinct=False)
    if "pymoo" in peers and find_spec("pymoo"):
        from pymoo.util.nds.non_dominated_sorting import NonDominatedSorting

        sort = NonDominatedSorting()
        yield "pymoo", lambda: sort.do(values, only_non_dominated_front=True)


def _ranks_in_threads(columns: list[np.ndarray]) -> list[np.ndarray]:
    def rank(column: np.ndarray) -> np.ndarray:
        order = np.argsort(column)
        ranks = np.empty(len(column), dtype=np.int64)
        ranks[order] = np.arange(len(column))
        return ranks

    with ThreadPoolExecutor(2) as pool:
        return list(pool.map(rank, columns))


def _row(
    area: str, what: str, data: str, rows: int, objectives: int, peer: str, timed: tuple[float, float, float],
    target: float,
) -> dict[str, object]:  # fmt: skip
    verdict = "" if np.isnan(target) else "reached" if timed[2] <= target else "falls short"
    return dict(zip(COLUMNS, (area, what, data, rows, objectives, peer, *timed, target, verdict), strict=True))


def _milliseconds(call: Callable[[], object]) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def _import_milliseconds(modules: str) -> float:
    code = f"import time; start = time.perf_counter(); import {modules}; print((time.perf_counter() - start) * 1e3)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return float(done.stdout)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--pairs", type=int, default=5)
    given = parser.parse_args()
    found = pd.concat([fronts(given.rows, pairs=given.pairs), choices(given.rows), memory(given.rows), overhead()])
    print(found.round(3).to_string(index=False))


if __name__ == "__main__":
    main()
