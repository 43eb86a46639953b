"""All benchmarks: what ``make bench`` runs.

    python tests/benchmarks/run.py                 # about ten minutes on two cores
    python tests/benchmarks/run.py --quick         # a smaller choice of sizes
    python tests/benchmarks/run.py --only speed    # without the programs of other rooms

Prints every figure with its target and marks what falls short; writes ``benchmarks.csv``, ``growth.csv`` and
``benchmarks.json`` to ``--out``. ``notebooks/yours/benchmarks.ipynb`` draws them: pass it ``results=<out>``.
"""

from __future__ import annotations

import argparse
import json
import platform
import subprocess
import sys
import time
from importlib.metadata import version
from pathlib import Path

import pandas as pd

from copa_nb.datasets.experiments import speed
from copa_nb.scheduling.processors import processors

HERE = Path(__file__).parent
# Programs of their own, which print their own tables: name -> options of a quick and of a whole run.
OTHERS = {
    "bench_significance.py": (["--quick"], []),
    "bench_posets.py": (["--quick"], []),
    "bench_reports.py": (["--quick"], []),
}


def measure(quick: bool) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Figures beside peers, and fitted exponents."""
    small, large = (100_000, 200_000) if quick else (100_000, 1_000_000)
    steps = [
        lambda: speed.fronts(small, pairs=3 if quick else 7),
        lambda: speed.fronts(large, kinds=("uniform", "ties", "correlated"), pairs=3, peers=("moocore",)),
        lambda: speed.choices(large, kinds=("uniform", "correlated")),
        lambda: speed.choices(small, kinds=("simplex",)),
        lambda: speed.memory(large),
        lambda: speed.overhead(),
    ]
    tables = []
    for step in steps:
        start = time.perf_counter()
        tables.append(step())
        print(f"{time.perf_counter() - start:6.1f} s", file=sys.stderr, flush=True)
    sizes = (50_000, 100_000, 200_000) if quick else (100_000, 300_000, 1_000_000)
    return pd.concat(tables, ignore_index=True), speed.growth(sizes)


def main() -> int:
    """Run, print and write; the exit code does not depend on speed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer pairs")
    parser.add_argument("--only", choices=["speed", "others"], help="one half of the suite")
    parser.add_argument("--out", type=Path, default=Path("benchmarks"), help="folder for the tables")
    given = parser.parse_args()
    if given.only != "others":
        figures, exponents = measure(given.quick)
        write(figures, exponents, given.out)
        print(figures.drop(columns="area").round(3).to_string(index=False))
        print("\nGrowth: time = a · size^exponent\n" + exponents.round(2).to_string(index=False))
        short = figures[figures["verdict"] == "falls short"]
        print(f"\n{len(short)} of {(figures['verdict'] != '').sum()} targets fall short.")
    if given.only != "speed":
        for name, (quick, whole) in OTHERS.items():
            if (HERE / name).exists():
                print(f"\n== {name}", flush=True)
                subprocess.run([sys.executable, str(HERE / name), *(quick if given.quick else whole)], check=False)
    return 0


def write(figures: pd.DataFrame, exponents: pd.DataFrame, folder: Path) -> None:
    """Write the tables, and what they were measured with."""
    folder.mkdir(parents=True, exist_ok=True)
    figures.to_csv(folder / "benchmarks.csv", index=False)
    exponents.to_csv(folder / "growth.csv", index=False)
    known = {name: version(name) for name in ("copa_nb", "moocore", "numpy", "pandas", "numba", "scipy")}
    content = {
        "machine": {"processors": processors(), "system": platform.platform(), "python": platform.python_version()},
        "versions": known,
        "figures": json.loads(figures.to_json(orient="records")),
        "growth": json.loads(exponents.to_json(orient="records")),
    }
    (folder / "benchmarks.json").write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


if __name__ == "__main__":
    raise SystemExit(main())
