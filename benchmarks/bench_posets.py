"""Union-free generic depth: run times, first call in a process, forecasts, and random sets beside the exact run.

    python benchmarks/bench_posets.py               # everything; a few minutes
    python benchmarks/bench_posets.py --quick       # the paper's suites, start-up and small samples

Times are wall-clock, the least of several runs; CPU seconds stand beside them, as the machine may have other work.
The authors' R program took 0.5 s, 8.6 s and 5.2 h for the three suites of the paper.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a program: the rooms of this folder are found

from benchmarks.speed.posets import AUTHORS, exact_run, random_orders, suites, warm_up
from copa_nb.arrays.parallel import map_tasks, processors
from copa_nb.partial_orders.arrays.ufg import encode
from copa_nb.partial_orders.arrays.ufg_sampling import forecast, sampled_depth

_COLD = """
import time
begin = time.perf_counter()
import numpy as np
from copa_nb.partial_orders.arrays.ufg import encode, exact_depth
from copa_nb.partial_orders.arrays.relations import relations_from_costs
costs = np.random.default_rng(0).random((20, 11, 2))
loaded = time.perf_counter()
exact_depth(encode(relations_from_costs(costs)[0]))
print(loaded - begin, time.perf_counter() - loaded)
"""


def start_up() -> None:
    """Times of a first and a second process, with a cache of their own."""
    print("\nStart-up (20 orders of 11 items): import, then first call")
    with tempfile.TemporaryDirectory() as folder:
        for process in ("first process, compiles", "second process, from the cache"):
            done = subprocess.run(
                [sys.executable, "-c", _COLD], capture_output=True, text=True, check=True,
                env={**os.environ, "NUMBA_CACHE_DIR": folder},
            )  # fmt: skip
            load, call = map(float, done.stdout.split())
            print(f"  {process:32} {load:6.2f} s  {call:6.2f} s")


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="leave out runs of more than a few seconds")
    quick = parser.parse_args().quick
    warm_up()
    print(
        f"{processors()} cores, load {os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else f"{processors()} cores"
    )
    print("\nSuites of the paper, warm (least of 5)")
    for name, relations in suites().items():
        run, theirs = exact_run(relations, repeats=5), AUTHORS[name]
        print(
            f"  {name:26} {run.wall:8.4f} s, CPU {run.cpu:7.4f} s  {run.n_generic:9,} sets  "
            f"authors {theirs:9,.1f} s: {theirs / run.wall:9,.0f} x"
        )
    start_up()

    cases = [(40, 5, 2, 0), (80, 5, 2, 3), (80, 5, 3, 2), (20, 11, 2, 0)]
    if not quick:
        cases += [(150, 5, 2, 3), (150, 5, 3, 3), (150, 5, 2, 2), (80, 5, 2, 0), (30, 11, 2, 0)]
    print("\nRandom orders: exact run, its forecast, and 100,000 random sets instead")
    print(
        "  orders x items, criteria, spread: distinct | exact, CPU / cores | forecast (share of sets visited) | "
        "generic | random sets, largest error"
    )
    for n_orders, n_items, n_criteria, spread in cases:
        relations = random_orders(n_orders, n_items, n_criteria, spread)
        problem = encode(relations)
        told = forecast(problem, np.random.default_rng(0))
        run = exact_run(relations)
        begin = time.perf_counter()
        estimate = sampled_depth(
            problem, np.random.default_rng(0), map_units=partial(map_tasks, progress=False, label="random sets")
        )
        sampling = time.perf_counter() - begin
        error = np.abs(estimate.depth - run.depth).max()
        print(
            f"  {n_orders:4} x {n_items:2}, {n_criteria}, {spread}: {problem.n_distinct:4} | "
            f"{run.wall:7.2f} s, {run.cpu / processors():6.2f} s | "
            f"{told.seconds:6.2f} s ({told.n_sets / run.n_visited:4.2f} of {run.n_visited:11,}) | "
            f"{run.n_generic:11,} generic | {sampling:5.2f} s, {error:.5f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
