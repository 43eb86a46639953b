"""The hypervolume permutation test beside scipy's permutation_test with moocore inside, and audits over cores.

    python tests/benchmarks/bench_significance.py               # tests, growth with seeds, audits, memory
    python tests/benchmarks/bench_significance.py --quick

Every figure is a ratio of medians in one run on the same data; the first call, which may compile, is timed apart.
"""

from __future__ import annotations

import argparse
import statistics
import time
import tracemalloc
from collections.abc import Callable

import moocore
import numpy as np
import pandas as pd
from scipy.stats import permutation_test

import copa_nb
from copa_nb.core.permutation import split_test
from copa_nb.scheduling.processors import processors

RESAMPLES = 5000


def sample(k: int, seeds: int, shape: str) -> np.ndarray:
    """Runs of two systems, the first a little better."""
    rng = np.random.default_rng([k, seeds])
    points = rng.random((2 * seeds, k))
    if shape == "simplex":  # nearly every run is on the front
        points = rng.exponential(size=(2 * seeds, k))
        points /= points.sum(axis=1, keepdims=True)
    points[:seeds] *= 0.97
    return points


def seconds(function: Callable[[], object], repeats: int) -> float:
    """Median time of a call."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        function()
        times.append(time.perf_counter() - start)
    return statistics.median(times)


def with_scipy(points: np.ndarray, reference: np.ndarray, n_resamples: int) -> float:
    """What a user would write: one library call per side and permutation."""
    n = len(points) // 2

    def difference(new: np.ndarray, old: np.ndarray) -> float:
        rows = (np.asarray(side, dtype=int) for side in (new, old))
        first, second = (moocore.hypervolume(points[chosen], ref=reference) for chosen in rows)
        return abs(first - second)

    result = permutation_test(
        (np.arange(n), np.arange(n, 2 * n)),
        difference,
        n_resamples=n_resamples,
        alternative="greater",
        vectorized=False,
        rng=0,
    )
    return float(result.pvalue)


def compare_tests(repeats: int, seeds: list[int], objectives: list[int]) -> pd.DataFrame:
    """Time 5,000 resamples on arrays, new relabellings each time, and through the frame."""
    rows = []
    for shape in ("uniform", "simplex"):
        for k in objectives:
            for n in seeds:
                points, first, reference = sample(k, n, shape), np.arange(2 * n) < n, np.full(k, 1.1)
                start = time.perf_counter()
                found = split_test(points, first, reference)
                cold = time.perf_counter() - start
                generator = np.random.default_rng(0)
                ours = seconds(
                    lambda a=(points, first, reference), g=generator: split_test(*a, rng=g), repeats
                )  # fmt: skip
                names = [f"f{i}" for i in range(k)]
                frame = pd.DataFrame(points, columns=names).assign(system=np.repeat(["A", "B"], n))
                options = {"system": "system", "new": "A", "baseline": "B", "objectives": dict.fromkeys(names, "min")}
                verb = seconds(lambda f=frame, o=options: copa_nb.hv_test(f, **o), repeats)
                peer = seconds(lambda a=(points, reference): with_scipy(*a, RESAMPLES), max(1, repeats // 5))
                rows.append(
                    {
                        "points": shape,
                        "objectives": k,
                        "seeds": n,
                        "first call ms": 1e3 * cold,
                        "arrays ms": 1e3 * ours,
                        "hv_test ms": 1e3 * verb,
                        "scipy ms": 1e3 * peer,
                        "times faster": peer / ours,
                        "p": found.pvalue,
                    }
                )
    return pd.DataFrame(rows)


def growth(table: pd.DataFrame) -> pd.DataFrame:
    """Fitted exponents of time over the number of seeds."""
    rows = []
    for (shape, k), part in table.groupby(["points", "objectives"]):
        if len(part) > 1:
            slope = np.polyfit(np.log(part["seeds"]), np.log(part["arrays ms"]), 1)[0]
            rows.append({"points": shape, "objectives": k, "time grows as seeds to the power": slope})
    return pd.DataFrame(rows)


def compare_cores(n_systems: int, repeats: int) -> pd.DataFrame:
    """Time an audit on one core and on all of them."""
    rng = np.random.default_rng(0)
    rows = []
    for k in (2, 3, 5):
        names = [f"f{i}" for i in range(k)]
        level = np.repeat(np.linspace(0, 1, n_systems), 10)[:, None]
        runs = pd.DataFrame(level + rng.normal(0, 0.2, (10 * n_systems, k)), columns=names)
        runs = runs.assign(system=np.repeat(np.arange(n_systems), 10), seed=np.tile(np.arange(10), n_systems))
        options = {"system": "system", "seed": "seed", "objectives": dict.fromkeys(names, "min"), "progress": False}
        times = {
            n: seconds(lambda n=n, r=runs, o=options: copa_nb.audit(r, **o, n_jobs=n), repeats)
            for n in (1, processors())
        }
        claims = len(copa_nb.audit(runs, **options).table)
        one, every = times[1], times[processors()]
        rows.append(
            {
                "objectives": k,
                "claims": claims,
                "one core s": one,
                f"{processors()} cores s": every,
                "times faster": one / every,
                "ms a claim": 1e3 * every / claims,
            }
        )
    return pd.DataFrame(rows)


def peak_memory(k: int, seeds: int, n_resamples: int) -> float:
    """Largest allocation of one test, in MB."""
    points, first = sample(k, seeds, "uniform"), np.arange(2 * seeds) < seeds
    tracemalloc.start()
    split_test(points, first, np.full(k, 1.1), n_resamples=n_resamples)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer settings and repeats")
    quick = parser.parse_args().quick
    table = compare_tests(3 if quick else 15, [10] if quick else [10, 20, 50], [2, 3] if quick else [2, 3, 4, 5])
    print(table.round(3).to_string(index=False))
    print(growth(table).round(2).to_string(index=False))
    print(compare_cores(8 if quick else 16, 2 if quick else 5).round(3).to_string(index=False))
    for n_resamples in (5_000, 200_000):
        print(
            f"{n_resamples:,} resamples, 2 × 10 seeds, 2 objectives: {peak_memory(2, 10, n_resamples):.1f} MB at most"
        )
    worst = table.query("objectives == 2 and seeds == 10")["times faster"].min()
    if worst < 20:
        print(f"FALLS SHORT: 2-D, 2 × 10 seeds is {worst:.1f} times faster than scipy with moocore; the target is 20.")


if __name__ == "__main__":
    main()
