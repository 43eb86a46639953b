"""Where the time of the reports goes: kernel start, imports, computing, pictures, pages; cold and unchanged.

    python tests/benchmarks/bench_reports.py                    # every report of the papers
    python tests/benchmarks/bench_reports.py --quick            # three of them
    python tests/benchmarks/bench_reports.py --out folder       # keep the reports there

What the runner records in each manifest is read from there: seconds until the first cell (kernel), of the cells,
and of the pages. What imports and pictures take of the cells is noted within the kernels, see kernel_probe.py.
Everything but computing is overhead. The papers may take two minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pandas as pd

sys.path.insert(0, str(Path(__file__).parents[2]))  # run as a program: tests.benchmarks is found from the root

from tests.benchmarks.speed.measure import COLUMNS, Measured, allowance, figure

ALLOWED_SECONDS = 120.0
QUICK = ("copa/figure_1", "gap/figure_2", "significance/definition")
SHARES = ["kernel", "imports", "computing", "pictures", "pages"]
OVERHEAD = ["kernel", "imports", "pictures", "pages"]


def measure(folder: Path, names: tuple[str, ...] = ()) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Make the reports cold, then once more unchanged.

    Parameters
    ----------
    folder : Path
        An empty output folder.
    names : tuple of str
        Reports; all of the papers by default.

    Returns
    -------
    figures : DataFrame
        With the columns of the table of figures.
    reports : DataFrame
        Seconds of each report in ``SHARES``, by its name.
    """
    with tempfile.TemporaryDirectory() as notes:
        cold = _run(folder, names, notes)
        reports = split(folder, Path(notes))
        unchanged = _run(folder, names, notes)
    shape = (len(reports), 0)
    what = f"{len(names)} reports" if names else "copa-nb paper"
    rows = [
        allowance("reports", f"{what}, cold, 120 s allowed", "", shape, 1e3 * cold, 1e3 * ALLOWED_SECONDS),
        figure("reports", f"{what}, unchanged", "", shape, "cold",
               Measured(unchanged / cold, 1e3 * unchanged, 1e3 * cold)),
    ]  # fmt: skip
    return pd.DataFrame(rows, columns=COLUMNS), reports


def split(folder: Path, notes: Path) -> pd.DataFrame:
    """Seconds of each finished report by what they were spent on; shape (reports, len(SHARES))."""
    noted = [json.loads(path.read_text(encoding="utf-8")) for path in notes.glob("*.json")]
    by_item = {(note["paper"], note["item"]): note for note in noted}
    found = {}
    for path in sorted(folder.glob("*/*/manifest.json")):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        phases, note = manifest["run"]["phases"], by_item[manifest["paper"], manifest["item"]]
        # IPython's own imports before the first cell are part of the start of the kernel.
        spent = {
            "kernel": phases["kernel"],
            "imports": note["imports"],
            "pictures": note["pictures"],
            "pages": phases["pages"],
        }
        spent["computing"] = phases["cells"] - note["imports"] - note["pictures"]
        found[manifest["name"]] = spent
    return pd.DataFrame.from_dict(found, orient="index")[SHARES]


def summary(reports: pd.DataFrame) -> pd.DataFrame:
    """Sum, mean and share of all seconds, by what they were spent on."""
    total = reports.sum()
    return pd.DataFrame({"seconds": total, "each": reports.mean(), "share": total / total.sum()}).rename_axis(
        "spent on"
    )


def print_reports(reports: pd.DataFrame) -> None:
    """Print the split, most overhead first."""
    shown = reports.assign(overhead=reports[OVERHEAD].sum(axis=1)).sort_values("overhead", ascending=False)
    print("Seconds of each report, other reports running beside it\n" + shown.round(2).to_string())
    print(summary(reports).round(2).to_string())


def _run(folder: Path, names: tuple[str, ...], notes: str) -> float:
    command = [sys.executable, "-m", "copa_nb.cli", *(["run", *names] if names else ["paper"]), "--out", str(folder)]
    probe = {"PYTHONSTARTUP": str(Path(__file__).with_name("kernel_probe.py")), "COPA_NB_PROBE": notes}
    start = time.perf_counter()
    done = subprocess.run(command, env={**os.environ, **probe}, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}")
    return time.perf_counter() - start


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    parser.add_argument("--out", type=Path, help="an empty folder to keep the reports in")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures, reports = measure(given.out or Path(folder), QUICK if given.quick else ())
    print_reports(reports)
    print("\n" + figures[["what", "milliseconds", "ratio", "target", "verdict"]].round(3).to_string(index=False))


if __name__ == "__main__":
    main()
