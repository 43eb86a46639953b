"""All benchmarks: what ``make bench`` runs.

    python -m benchmarks.run                        # about ten minutes on two idle cores
    python -m benchmarks.run --quick                # smaller tables, fewer pairs: about two minutes
    python -m benchmarks.run --only fronts seeds    # some areas
    python -m benchmarks.run --only hundred_million # 10⁸ rows, 4 GB on disk, an hour
    python -m benchmarks.run --details              # then also the programs that look closer at one package

Prints every figure with its target, then once more what falls short; the exit code does not depend on it. Writes
``benchmarks.csv``, ``growth.csv``, ``reports.csv`` and ``benchmarks.json`` to ``--out``;
``benchmarks.ipynb`` draws them: ``papermill benchmarks/benchmarks.ipynb report.ipynb -p results measured``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a program: the rooms of this folder are found

from benchmarks import bench_reports, speed
from copa_nb.arrays.parallel import processors

HERE = Path(__file__).parent
AREAS = ("overhead", "memory", "choices", "seeds", "posets", "growth", "fronts", "large", "reports")
ON_REQUEST = ("hundred_million",)
DETAILS = ("bench_significance.py", "bench_posets.py", "bench_widgets.py", "bench_dask.py")
SHORT_NAMES = {
    "milliseconds": "ms", "peer_milliseconds": "peer ms", "megabytes": "MB", "peer_megabytes": "peer MB",
    "cpu_ratio": "cpu ratio",
}  # fmt: skip
FEW = ("uniform", "ties", "equal", "scales", "correlated")


@dataclass
class Results:
    """Tables as they come: figures with targets, fitted exponents, seconds of reports."""

    figures: list[pd.DataFrame] = field(default_factory=list)
    growth: pd.DataFrame = field(default_factory=pd.DataFrame)
    reports: pd.DataFrame = field(default_factory=pd.DataFrame)

    def table(self) -> pd.DataFrame:
        """All figures under each other."""
        return pd.concat(self.figures, ignore_index=True) if self.figures else pd.DataFrame(columns=speed.COLUMNS)


def fronts(quick: bool) -> pd.DataFrame:
    """Every kind of data beside every peer; where nearly all rows are optimal only moocore ends at full size."""
    others = tuple(peer for peer in speed.PEERS if peer != "moocore")
    if quick:
        plan = [
            {"rows": 100_000, "objectives": (2, 3), "pairs": 3, "peers": ("moocore",), "seconds": 0.1},
            {"rows": 100_000, "objectives": (7,), "kinds": FEW, "pairs": 3, "peers": ("moocore",), "seconds": 0.1},
            {"rows": 100_000, "kinds": ("uniform", "simplex"), "peers": others, "pairs": 1, "seconds": 0.1},
        ]
    else:
        few = ("uniform", "ties", "correlated")
        plan = [
            {"rows": 100_000, "peers": ("moocore",), "pairs": 5, "seconds": 0.25},
            {"rows": 100_000, "peers": others, "pairs": 1, "seconds": 0.2},
            {"rows": 1_000_000, "kinds": few, "pairs": 3, "peers": ("moocore",), "seconds": 0.5},
        ]
    return pd.concat([speed.fronts(**settings) for settings in plan])


def choices(quick: bool) -> pd.DataFrame:
    """Paths and tables where few rows can win, and where all can."""
    large = 200_000 if quick else 1_000_000
    return pd.concat(
        [speed.choices(large, kinds=("uniform", "correlated")), speed.choices(100_000, kinds=("simplex",))]
    )


def seeds(quick: bool) -> pd.DataFrame:
    """Tests beside scipy, audits over cores, resampled fronts beside evalstats."""
    if quick:
        parts = [speed.hypervolume_tests((2, 3)), speed.audits(8, (2, 3), pairs=2)]
        parts.append(speed.resampled_fronts(pairs=1, beside_peer=(20, 200, 500)))
        return pd.concat([*parts, speed.comparisons(100_000)])
    return pd.concat([speed.hypervolume_tests(), speed.audits(), speed.resampled_fronts(), speed.comparisons()])


def large(quick: bool) -> pd.DataFrame:
    """A pick among ten million rows, and tiers of as many."""
    systems, items = (20, 50_000) if quick else (100, 100_000)
    return pd.concat([speed.large(1_000_000 if quick else 10_000_000), speed.large_items(systems, items)])


def growth(quick: bool) -> pd.DataFrame:
    """Exponents over rows, objectives, seeds and posets."""
    if quick:
        return speed.growth((50_000, 100_000, 200_000), seeds=(10, 20, 40), posets=(20, 40, 60), pairs=2)
    return speed.growth((100_000, 300_000, 1_000_000), seeds=(10, 20, 40, 80), posets=(20, 40, 80))


def measure(areas: list[str], quick: bool, folder: Path) -> Results:
    """Measure the areas one after the other and write each at once, so that an interrupted run leaves something."""
    results = Results()
    steps: dict[str, Callable[[bool], pd.DataFrame]] = {
        "fronts": fronts,
        "choices": choices,
        "memory": lambda quick: speed.memory(200_000 if quick else 1_000_000),
        "overhead": lambda quick: speed.overhead(loads=3 if quick else 7),
        "seeds": seeds,
        "large": large,
        "hundred_million": lambda quick: pd.concat([speed.large(100_000_000), speed.large_items(200, 500_000)]),
        "posets": lambda quick: speed.depths(speed.QUICK_CASES if quick else speed.CASES),
    }
    for area in areas:
        start = time.perf_counter()
        if area == "growth":
            results.growth = growth(quick)
        elif area == "reports":
            with tempfile.TemporaryDirectory() as made:
                found, results.reports = bench_reports.measure(Path(made), bench_reports.QUICK if quick else ())
            results.figures.append(found)
        else:
            results.figures.append(steps[area](quick))
        write(results, folder)
        print(f"{area:>10}: {time.perf_counter() - start:6.1f} s", file=sys.stderr, flush=True)
    return results


def show(results: Results) -> None:
    """Print the tables, and what falls short."""
    figures = results.table()
    shown = figures.drop(columns=["area", "ratio_of"]).rename(columns=SHORT_NAMES)
    for (area, of), part in shown.groupby([figures["area"], figures["ratio_of"]], sort=False):
        print(f"\n== {area}: ratio = {of}")
        print(part.dropna(axis="columns", how="all").to_string(index=False, float_format="{:.4g}".format, na_rep=""))
    if len(results.growth):
        print("\n== growth: time = a · size^exponent\n" + results.growth.round(2).to_string(index=False))
    if len(results.reports):
        print("\n== reports")
        bench_reports.print_reports(results.reports)
    short = figures[figures["verdict"] == "falls short"]
    print(f"\n{len(short)} of {(figures['verdict'] != '').sum()} targets fall short.")
    if len(short):
        columns = ["what", "data", "rows", "peer", "ratio", "ratio_of", "target"]
        print(short[columns].round(3).to_string(index=False))
    if load() > 1.5 * processors():
        print(
            f"Over the last five minutes {load():.1f} processes wanted {processors()} cores: times that are no ratios, "
            "and ratios of calls on several cores to calls on one, say little; the cpu ratio says more."
        )


def load() -> float:
    """Processes that wanted to run over the last five minutes; 0 where the system does not count them."""
    return os.getloadavg()[1] if hasattr(os, "getloadavg") else 0.0


def write(results: Results, folder: Path) -> None:
    """Write the tables that were measured, and what they were measured with."""
    folder.mkdir(parents=True, exist_ok=True)
    figures = results.table()
    figures.to_csv(folder / "benchmarks.csv", index=False)
    if len(results.growth):
        results.growth.to_csv(folder / "growth.csv", index=False)
    if len(results.reports):
        results.reports.rename_axis("report").to_csv(folder / "reports.csv")
    names = ("copa_nb", "moocore", "numpy", "pandas", "numba", "scipy", "paretoset", "pymoo")
    content = {
        "date": time.strftime("%Y-%m-%d"),
        "machine": {
            "processors": processors(),
            "system": f"{platform.system()} {platform.machine()}",
            "python": platform.python_version(),
        },
        "load": load(),
        "versions": {name: version(name) for name in names if find_spec(name)},
        "figures": json.loads(figures.to_json(orient="records")),
        "growth": json.loads(results.growth.to_json(orient="records")),
        "reports": json.loads(results.reports.to_json(orient="index")),
    }
    (folder / "benchmarks.json").write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")


def main() -> int:
    """Run, print and write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="smaller tables, fewer pairs")
    parser.add_argument("--only", choices=AREAS + ON_REQUEST, nargs="+", default=list(AREAS), help="some areas")
    parser.add_argument("--details", action="store_true", help=f"then also {', '.join(DETAILS)}")
    parser.add_argument("--out", type=Path, default=Path("measured"), help="folder for the tables")
    options = parser.parse_args()
    results = measure(options.only, options.quick, options.out)
    show(results)
    for name in DETAILS if options.details else ():
        print(f"\n== {name}", flush=True)
        subprocess.run([sys.executable, str(HERE / name)], check=False)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
