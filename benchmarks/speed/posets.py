"""Union-free generic depth: warm runs of exact depths, their forecasts, and the suites of the paper."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import copa_nb  # noqa: F401  (registers df.moo)
from benchmarks.speed.measure import COLUMNS, Measured, allowance, figure
from copa_nb import datasets
from copa_nb.arrays.parallel import processors
from copa_nb.partial_orders.arrays.relations import relations_from_costs
from copa_nb.partial_orders.arrays.ufg import encode, exact_depth
from copa_nb.partial_orders.arrays.ufg_sampling import forecast
from tests import asked

# Seconds that the authors' R program took.
AUTHORS = {"DeepOBS": 0.5, "evolutionary algorithms": 8.6, "BBOB, dimension 2": 5.2 * 3600}
ALLOWED = {"BBOB, dimension 2": 0.5}
# Orders, items, criteria, and how many standard deviations of the noise lie between the best and the worst item;
# then the seconds allowed, if any. The more criteria and the less spread, the fewer pairs are ordered, and the more
# sets there are.
CASES = (
    ((80, 5, 2, 2), 1.0),
    ((150, 5, 2, 2), 20.0),
    ((30, 11, 2, 0), 60.0),
    ((80, 5, 2, 0), None),
)
QUICK_CASES = (((80, 5, 2, 2), 1.0), ((20, 11, 2, 0), 60.0))
_SHORT_SECONDS = 1.0  # below this a run is repeated: one alone would time what else the machine does


@dataclass(frozen=True)
class Run:
    """A warm exact run: wall-clock and CPU seconds, least of its repeats, what was found, and the forecast."""

    wall: float
    cpu: float
    n_generic: int
    n_visited: int
    depth: np.ndarray
    n_distinct: int


def suites() -> dict[str, np.ndarray]:
    """Relations of the three analyses of the paper: ndarrays of bool, shape (posets, items, items)."""
    bbob = datasets.load_bbob().query("function not in [1, 18, 24]")
    found = {
        "DeepOBS": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem"),
        "evolutionary algorithms": asked.posets(datasets.load_moea(), system="algorithm", item="problem"),
        "BBOB, dimension 2": asked.posets(
            bbob, system="optimizer", item="function", objectives={"ert": "min", "n_precisions": "min"}
        ),
    }
    return {name: sample.relations for name, sample in found.items()}


def random_orders(n_orders: int, n_items: int, n_criteria: int, spread: float) -> np.ndarray:
    """Orders of items whose quality differs by `spread` standard deviations of the noise from best to worst."""
    rng = np.random.default_rng([n_orders, n_items, n_criteria])
    quality = np.linspace(0, spread, n_items)[None, :, None]
    return relations_from_costs(quality + rng.normal(size=(n_orders, n_items, n_criteria)))[0]


def warm_up() -> None:
    """Compile the search, or load it."""
    for shape in ((8, 4, 2, 0), (8, 11, 2, 0)):
        exact_depth(encode(random_orders(*shape)))


def exact_run(relations: np.ndarray, repeats: int = 1) -> Run:
    """Run the exact depth; encoding the relations is part of the time."""
    walls, cpus = [], []
    for _ in range(repeats):
        wall, cpu = time.perf_counter(), time.process_time()
        problem = encode(relations)
        result = exact_depth(problem)
        walls.append(time.perf_counter() - wall)
        cpus.append(time.process_time() - cpu)
    return Run(min(walls), min(cpus), result.n_generic, result.n_visited, result.depth, problem.n_distinct)


def depths(cases: Sequence[tuple[tuple[int, int, int, float], float | None]] = CASES, repeats: int = 5) -> pd.DataFrame:
    """Depths of the paper's suites and of random orders in the time allowed, and how well the time was foretold.

    ``rows`` are posets, ``objectives`` the criteria that they come from. The forecast is of the time on idle
    cores; it is judged by the CPU time of the run over the number of cores, and may be off by a factor of two.

    Parameters
    ----------
    cases : sequence
        Shapes of random orders with the seconds allowed, or None.
    repeats : int
        Runs of the paper's suites, and of other short ones; the least time counts.
    """
    warm_up()
    found = []
    for name, relations in suites().items():
        run = exact_run(relations, repeats)
        shape = (len(relations), 2 if name != "evolutionary algorithms" else 4)
        found.append(_timed_row(f"depth, {name}", shape, run, ALLOWED.get(name), AUTHORS[name]))
    for settings, allowed in cases:
        relations = random_orders(*settings)
        orders, items, criteria, spread = settings
        told = forecast(encode(relations), np.random.default_rng(0)).seconds
        run = exact_run(relations, repeats if told < _SHORT_SECONDS else 1)
        what = f"depth, {orders} orders of {items} items, spread {spread:g}"
        found.append(_timed_row(what, (orders, criteria), run, allowed, None))
        taken = run.cpu / processors()
        off = Measured(max(told / taken, taken / told), 1e3 * told, 1e3 * taken)
        of = "larger / smaller of forecast and time"
        found.append(
            figure("posets", f"forecast of {what}", "random", (orders, criteria), "the run", off, 2.0, ratio_of=of)
        )
    return pd.DataFrame(found, columns=COLUMNS)


def _timed_row(
    what: str, shape: tuple[int, int], run: Run, allowed: float | None, authors: float | None
) -> dict[str, object]:
    idle = run.cpu / processors()  # seconds where all cores are free, if the work is shared out evenly
    if allowed is None:
        theirs = authors or np.nan
        measured = Measured(run.wall / theirs, 1e3 * run.wall, 1e3 * theirs, cpu_ratio=idle / theirs)
        peer = "the authors' program" if authors else ""
        return figure("posets", what, "the paper's" if authors else "random", shape, peer, measured)
    row = allowance(
        "posets", f"{what}, {allowed:g} s allowed", "random", shape, 1e3 * run.wall, 1e3 * allowed,
        cpu_ratio=idle / allowed,
    )  # fmt: skip
    if authors is not None:
        row |= {"data": "the paper's", "peer": "the authors' program", "peer_milliseconds": 1e3 * authors}
    return row
