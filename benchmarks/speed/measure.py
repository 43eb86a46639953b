"""Data to measure on, time and memory of calls taken in turns, and one row of the table of figures."""

from __future__ import annotations

import ctypes
import statistics
import time
import tracemalloc
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from copa_nb.tables.description import define

KINDS = ("uniform", "simplex", "sphere", "anti-correlated", "ties", "equal", "scales", "correlated")
# Kinds whose rows are nearly all on the front as soon as there are more than three objectives.
CROWDED = ("simplex", "sphere", "anti-correlated")
COLUMNS = [
    "area", "what", "data", "rows", "objectives", "peer", "milliseconds", "peer_milliseconds", "megabytes",
    "peer_megabytes", "ratio", "cpu_ratio", "ratio_of", "target", "verdict",
]  # fmt: skip
# Rows from which the targets of fronts, choices and their memory hold: below, calls cost more than rows.
ENOUGH_ROWS = 100_000
BY_TIME = "time / peer's time"
BY_ALLOWANCE = "time / time allowed"
_STATUS, _CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")
_RESET_PEAK = "5"


@dataclass(frozen=True)
class Measured:
    """A call, or a call beside a peer's: milliseconds, megabytes at most, and the ratio that is judged.

    ``cpu_ratio`` is that of processor time over all cores, which other work on the machine hardly changes.
    """

    ratio: float
    milliseconds: float = np.nan
    peer_milliseconds: float = np.nan
    megabytes: float = np.nan
    peer_megabytes: float = np.nan
    cpu_ratio: float = np.nan


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
    """The same costs as a frame with its objectives defined, every other one to be maximized."""
    names = [f"m{k}" for k in range(values.shape[1])]
    signs = np.where(np.arange(len(names)) % 2, -1.0, 1.0)
    directions = {name: "max" if k % 2 else "min" for k, name in enumerate(names)}
    return define(pd.DataFrame(values * signs, columns=names), directions)


def milliseconds(call: Callable[[], object]) -> float:
    """Time of one call."""
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1e3


def median_milliseconds(call: Callable[[], object], repeats: int) -> float:
    """Median time of a call."""
    return statistics.median(milliseconds(call) for _ in range(repeats))


def least_milliseconds(call: Callable[[], object], repeats: int) -> float:
    """Least time of a call: what it takes when nothing else runs, for targets that are times and not ratios."""
    return min(milliseconds(call) for _ in range(repeats))


def megabytes(call: Callable[[], object]) -> float:
    """Most memory that a call takes above what is taken before it.

    Counted in the process's resident pages where the system keeps a mark of them (Linux), so that compiled
    libraries count too; elsewhere in what Python and numpy allocate.
    """
    if not _peak_is_reset():
        return _traced_megabytes(call)
    before = _status("VmRSS")
    call()
    return max(0.0, _status("VmHWM") - before)


def beside(
    ours: Mapping[str, Callable[[], object]], peer: Callable[[], object], pairs: int, *, seconds: float = 4.0
) -> dict[str, Measured]:
    """Measure calls and a peer's in turns: the least times and their ratio, and the memory of first calls.

    The least time is that of the quiet moments of a machine that has other work; whatever else runs only adds to it.

    Parameters
    ----------
    ours : mapping of str to callable
        What is compared with the peer.
    peer : callable
        What people would use instead.
    pairs : int
        Turns; short calls take more of them, up to ten times as many in a tenth of `seconds`.
    seconds : float
        No further turn is begun after so long; where the peer takes half of it in processor time, first calls count.
    """
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in ours}
    peer_times: list[tuple[float, float]] = []
    memory = {name: _noting_memory(call, times[name]) for name, call in ours.items()}
    peer_memory = _noting_memory(peer, peer_times)
    if peer_times[0][1] <= seconds * 500:
        for noted in (*times.values(), peer_times):
            noted.clear()
        began = time.perf_counter()
        while _goes_on(len(peer_times), pairs, time.perf_counter() - began, seconds):
            for name, call in ours.items():
                times[name].append(wall_and_cpu(call))
            peer_times.append(wall_and_cpu(peer))
    wall, cpu = np.min(peer_times, axis=0)
    found = {}
    for name, noted in times.items():
        our_wall, our_cpu = np.min(noted, axis=0)
        cpu_ratio = our_cpu / cpu if cpu > 0 else np.nan
        found[name] = Measured(our_wall / wall, our_wall, wall, memory[name], peer_memory, cpu_ratio)
    return found


def _goes_on(turns: int, pairs: int, spent: float, seconds: float) -> bool:
    if turns == 0:
        return True
    return spent < seconds if turns < pairs else turns < 10 * pairs and spent < seconds / 10


def size_that_ends(call: Callable[[int], object], rows: int, *, seconds: float = 0.4, start: int = 500) -> int:
    """The largest of start, 4 start, 16 start, ... rows at which a quadratic call takes no more processor time."""
    size = min(start, rows)
    call(size)  # may compile
    while size < rows:
        larger = min(4 * size, rows)
        if wall_and_cpu(partial(call, size))[1] * (larger / size) ** 2 > seconds * 1e3:
            break
        size = larger
    return size


def figure(
    area: str, what: str, data: str, shape: tuple[int, int], peer: str, measured: Measured, target: float = np.nan, *,
    ratio_of: str = BY_TIME,
) -> dict[str, object]:  # fmt: skip
    """One row of the table, with its verdict where there is a target."""
    verdict = "" if np.isnan(target) else "reached" if measured.ratio <= target else "falls short"
    values = (
        area, what, data, *shape, peer, measured.milliseconds, measured.peer_milliseconds, measured.megabytes,
        measured.peer_megabytes, measured.ratio, measured.cpu_ratio, ratio_of, target, verdict,
    )  # fmt: skip
    return dict(zip(COLUMNS, values, strict=True))


def allowance(
    area: str, what: str, data: str, shape: tuple[int, int], spent: float, allowed: float, *, peer: str = "",
    above: float = 0.0, cpu_ratio: float = np.nan,
) -> dict[str, object]:  # fmt: skip
    """One row for a target in milliseconds: time spent (above a peer's) as a share of the time allowed."""
    ratio = (spent - above) / allowed
    known = np.nan if not peer else above
    ratio_of = "time above peer's / time allowed" if above else BY_ALLOWANCE
    return figure(
        area, what, data, shape, peer, Measured(ratio, spent, known, cpu_ratio=cpu_ratio), 1.0, ratio_of=ratio_of
    )


def wall_and_cpu(call: Callable[[], object]) -> tuple[float, float]:
    """Milliseconds of one call, and those of processor time over all threads."""
    start, cpu = time.perf_counter(), time.process_time()
    call()
    return (time.perf_counter() - start) * 1e3, (time.process_time() - cpu) * 1e3


def _noting_memory(call: Callable[[], object], times: list[tuple[float, float]]) -> float:
    return megabytes(lambda: times.append(wall_and_cpu(call)))


def _peak_is_reset() -> bool:
    try:
        ctypes.CDLL(None).malloc_trim(0)  # pages kept from earlier calls would hide what this one takes
        _CLEAR.write_text(_RESET_PEAK)
    except (OSError, AttributeError, TypeError):
        return False
    return True


def _status(name: str) -> float:
    line = next(line for line in _STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024 / 1e6


def _traced_megabytes(call: Callable[[], object]) -> float:
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
