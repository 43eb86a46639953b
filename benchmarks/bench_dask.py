"""COPA over partitions: time, memory and bytes moved on two worker processes, beside pandas.

    python benchmarks/bench_dask.py                      # 10^6 and 10^7 rows × 7
    python benchmarks/bench_dask.py --rows 50000000 --no-pandas
    python benchmarks/bench_dask.py --candidates         # how many rows can win, as K grows

The table is read from Parquet under ``--folder``, which is made first and deleted afterwards. The
memory limit of each worker is Dask's; what the workers really took at most is measured as well.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pandas as pd

from tests import asked

NAMES = [f"m{k}" for k in range(7)]
OBJECTIVES = {name: "max" if k % 2 else "min" for k, name in enumerate(NAMES)}
ROWS_PER_FILE = 500_000


def table(rows: int, columns: int, seed: int, correlation: float) -> np.ndarray:
    """Models whose metrics share a common factor; a tenth of a column's values are ties."""
    rng = np.random.default_rng(seed)
    common = rng.standard_normal((rows, 1))
    values = np.sqrt(correlation) * common + np.sqrt(1 - correlation) * rng.standard_normal((rows, columns))
    values[:, 0] = values[:, 0].round(3)
    return values * np.where(np.arange(columns) % 2, -1.0, 1.0)


def write(folder: Path, rows: int, correlation: float) -> None:
    """Write the table as Parquet files of half a million rows."""
    for number, start in enumerate(range(0, rows, ROWS_PER_FILE)):
        size = min(ROWS_PER_FILE, rows - start)
        frame = pd.DataFrame(table(size, len(NAMES), number, correlation), columns=NAMES)
        # A stored column: dask's reader stumbles over an index that Parquet holds as a range.
        frame.index = pd.Index(np.arange(start, start + size), name="model")
        frame.to_parquet(folder / f"part-{number:05d}.parquet")


def with_dask(folder: Path, limit: str) -> dict[str, object]:
    """Time front, choice, path and hypervolume on two worker processes."""
    import dask.dataframe as dd
    from distributed import Client, LocalCluster

    import copa_nb.dask  # noqa: F401

    settings = {"n_workers": 2, "threads_per_worker": 1, "memory_limit": limit, "dashboard_address": ":0"}
    with LocalCluster(processes=True, **settings) as cluster, Client(cluster) as client:
        frame = dd.read_parquet(folder).moo.define(OBJECTIVES)
        client.run(_warm_up)
        found: dict[str, object] = {"partitions": frame.npartitions}
        before = _traffic(client)
        began = time.perf_counter()
        pick = frame.moo.copa(p=2)
        found["copa seconds"] = time.perf_counter() - began
        found["bytes between workers"] = _traffic(client) - before
        found["bytes to the client"] = int(
            pick.matrix.values.nbytes + pick.better.nbytes + pick.inputs.frame.memory_usage().sum()
        )
        found["front"] = len(pick.scores)
        found["best"], found["tied"] = int(pick.best), len(pick.tied)
        began = time.perf_counter()
        frame.moo.copa().navigate("m0", importances=101)
        found["navigate seconds"] = time.perf_counter() - began
        began = time.perf_counter()
        front = frame.moo.front().compute()
        found["front seconds"] = time.perf_counter() - began
        assert len(front) == found["front"]
        found["peak MiB per worker"] = max(client.run(_peak).values())
    return found


def with_pandas(folder: Path) -> dict[str, object]:
    """Time the same in pandas, reading included."""

    asked.copa(pd.DataFrame(table(1000, 7, 0, 0.5), columns=NAMES), objectives=OBJECTIVES)
    began = time.perf_counter()
    frame = pd.read_parquet(folder)
    read = time.perf_counter() - began
    pick = asked.copa(frame, objectives=OBJECTIVES, p=2)
    seconds = time.perf_counter() - began
    return {
        "pandas copa seconds": seconds, "of which reading": read, "pandas best": int(pick.best),
        "pandas tied": len(pick.tied), "pandas front": int(pick.table["front"].sum()), "pandas peak MiB": _peak(),
    }  # fmt: skip


def candidates() -> pd.DataFrame:
    """Rows on the front of n rows × K: measured, and expected for independent metrics."""
    from copa_nb.pareto.arrays.dominance import nondominated

    rows = []
    for n in (10_000, 100_000, 1_000_000):
        for k in (2, 3, 5, 7):
            row: dict[str, object] = {"rows": n, "K": k, "expected": round(expected_front(n, k))}
            for correlation in (0.0, 0.5):
                costs = table(n, k, 1, correlation) * np.where(np.arange(k) % 2, -1.0, 1.0)
                began = time.perf_counter()
                row[f"front, correlation {correlation}"] = int(nondominated(np.ascontiguousarray(costs)).sum())
                row[f"seconds {correlation}"] = round(time.perf_counter() - began, 2)
            rows.append(row)
    for n in (10**8, 10**9):
        rows += [{"rows": n, "K": k, "expected": round(expected_front(n, k))} for k in (2, 3, 5, 7, 9)]
    return pd.DataFrame(rows)


def expected_front(rows: int, columns: int) -> float:
    """Expected size of the front of independent continuous metrics.

    It is the complete homogeneous symmetric polynomial of degree K - 1 in 1, 1/2, ..., 1/n, here by Newton's
    identities from the power sums (generalised harmonic numbers).
    """
    from scipy.special import digamma, zeta

    powers = [digamma(rows + 1.0) + np.euler_gamma]
    powers += [zeta(j) - zeta(j, rows + 1.0) for j in range(2, columns)]
    complete = [1.0]
    for degree in range(1, columns):
        complete.append(sum(powers[i - 1] * complete[degree - i] for i in range(1, degree + 1)) / degree)
    return float(complete[-1])


def _warm_up() -> None:

    asked.front(pd.DataFrame(table(1000, 7, 0, 0.5), columns=NAMES), objectives=OBJECTIVES)


def _traffic(client: object) -> int:
    """Bytes that workers have received from each other so far."""
    return sum(client.run(_received).values())  # type: ignore[attr-defined]


def _received(dask_worker: object) -> int:
    return int(sum(entry["total"] for entry in dask_worker.transfer_incoming_log))  # type: ignore[attr-defined]


def _peak() -> float:
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, nargs="+", default=[1_000_000, 10_000_000])
    parser.add_argument("--correlation", type=float, default=0.5)
    parser.add_argument("--limit", default="4GiB", help="memory limit of each worker")
    parser.add_argument("--folder", default=None)
    parser.add_argument("--no-pandas", action="store_true")
    parser.add_argument("--candidates", action="store_true")
    parser.add_argument("--pandas-on", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pandas_on:
        print(json.dumps(with_pandas(Path(options.pandas_on))))
        return
    if options.candidates:
        print(candidates().to_string(index=False))
        return
    for rows in options.rows:
        folder = Path(tempfile.mkdtemp(prefix="bench-dask-", dir=options.folder))
        try:
            write(folder, rows, options.correlation)
            size = sum(path.stat().st_size for path in folder.iterdir())
            found = {"rows": rows, "MiB on disk": size / 2**20, **with_dask(folder, options.limit)}
            if not options.no_pandas:
                # In a process of its own, so that its peak memory is its own.
                command = [sys.executable, __file__, "--pandas-on", str(folder)]
                found |= json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
                assert (found["best"], found["tied"]) == (found["pandas best"], found["pandas tied"])
        finally:
            shutil.rmtree(folder)
        for name, value in found.items():
            print(f"{name:>24}: {value:,.2f}" if isinstance(value, float) else f"{name:>24}: {value:,}")
        print(flush=True)


if __name__ == "__main__":
    main()
