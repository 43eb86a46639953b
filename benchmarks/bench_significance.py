"""The hypervolume permutation test beside scipy's permutation_test with moocore inside, and audits over cores.

    python benchmarks/bench_significance.py               # tests, growth with seeds, audits, memory
    python benchmarks/bench_significance.py --quick

Every figure is a ratio of medians in one run on the same data; the first call, which may compile, is timed apart.
"""

from __future__ import annotations

import argparse
import sys
import tracemalloc
from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a program: the rooms of this folder are found

from benchmarks.speed.growth import exponent
from benchmarks.speed.measure import median_milliseconds, milliseconds
from benchmarks.speed.seeds import SHAPES, audits, hv_test_of, runs, with_scipy
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, PermutationTest, split_test


def compare_tests(repeats: int, seeds: list[int], objectives: list[int]) -> pd.DataFrame:
    """Time 5,000 resamples on arrays, new relabelings each time, and through the frame."""
    rows = []
    for shape in SHAPES:
        for k in objectives:
            for n in seeds:
                points, first, reference = runs(k, n, shape), np.arange(2 * n) < n, np.full(k, 1.1)
                found: list[PermutationTest] = []
                cold = milliseconds(partial(_collect, found, points, first, reference))
                options = HypervolumeTestOptions(rng=np.random.default_rng(0))
                ours = median_milliseconds(partial(split_test, points, first, reference, options), repeats)
                verb = median_milliseconds(hv_test_of(points), repeats)
                peer = median_milliseconds(partial(with_scipy, points), max(1, repeats // 5))
                rows.append(
                    {
                        "points": shape,
                        "objectives": k,
                        "seeds": n,
                        "first call ms": cold,
                        "arrays ms": ours,
                        "hv_test ms": verb,
                        "scipy ms": peer,
                        "times faster": peer / ours,
                        "p": found[0].pvalue,
                    }
                )
    return pd.DataFrame(rows)


def _collect(found: list[PermutationTest], *arrays: np.ndarray) -> None:
    found.append(split_test(*arrays, HypervolumeTestOptions()))


def growth(table: pd.DataFrame) -> pd.DataFrame:
    """Fitted exponents of time over the number of seeds."""
    rows = []
    for (shape, k), part in table.groupby(["points", "objectives"]):
        if len(part) > 1:
            slope = exponent(part["seeds"], part["arrays ms"])
            rows.append({"points": shape, "objectives": k, "time grows as seeds to the power": slope})
    return pd.DataFrame(rows)


def peak_memory(k: int, seeds: int, n_resamples: int) -> float:
    """Largest allocation of one test, in MB."""
    points, first = runs(k, seeds), np.arange(2 * seeds) < seeds
    tracemalloc.start()
    split_test(points, first, np.full(k, 1.1), HypervolumeTestOptions(n_resamples))
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
    print(audits(8 if quick else 16, pairs=2 if quick else 5).round(3).to_string(index=False))
    for n_resamples in (5_000, 200_000):
        print(
            f"{n_resamples:,} resamples, 2 × 10 seeds, 2 objectives: {peak_memory(2, 10, n_resamples):.1f} MB at most"
        )
    worst = table.query("objectives == 2 and seeds == 10")["times faster"].min()
    if worst < 20:
        print(f"FALLS SHORT: 2-D, 2 × 10 seeds is {worst:.1f} times faster than scipy with moocore; the target is 20.")


if __name__ == "__main__":
    main()
