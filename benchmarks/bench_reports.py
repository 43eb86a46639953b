"""Where the time of the reports goes: kernel start, imports, computing, pictures, pages; cold and unchanged.

    python benchmarks/bench_reports.py                    # every report of the papers
    python benchmarks/bench_reports.py --quick            # three of them
    python benchmarks/bench_reports.py --out folder       # keep the reports there

What a run records in each manifest is read from there: seconds until the first cell (kernel), of the cells,
and of the pages. What imports and pictures take of the cells is noted within the kernels, see kernel_probe.py.
Everything but computing is overhead. The papers may take three minutes on two cores.

A report is mostly imports and drawing by other libraries, so the times allowed are those of a machine that imports
seaborn in 1.3 seconds. On a slower one they are longer by the same factor, which is measured in the same run.

`copa-nb select` is measured on tables of 40 rows, with its page and without, and of two million rows: seconds, memory
of all its processes together, and what it writes.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from functools import partial
from pathlib import Path

import pandas as pd
import psutil

sys.path.insert(0, str(Path(__file__).parents[1]))  # run as a program: the rooms of this folder are found

from benchmarks.speed.measure import (
    BY_ALLOWANCE,
    COLUMNS,
    Measured,
    allowance,
    as_table,
    costs,
    figure,
    least_milliseconds,
)  # fmt: skip

ALLOWED_SECONDS = 180.0
SEABORN_SECONDS = 1.3  # for `import seaborn` in a new process, on the machine that the times allowed are meant for
SMALL, LARGE = 40, 2_000_000  # rows of the user's own tables
OWN_SECONDS = {(SMALL, "--quick"): 1.0, (SMALL, "with its page"): 6.0, (LARGE, "with its page"): 60.0}
OWN_MEGABYTES, OWN_WRITTEN = 2_000.0, 50.0
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
    slowness = times_slower()
    longer = max(1.0, slowness)  # never less than the target
    shape = (len(reports), 0)
    what = f"{len(names)} reports" if names else "copa-nb run papers"
    rows = [
        figure("reports", "import seaborn", "", (0, 0), f"{SEABORN_SECONDS:g} s", Measured(
            slowness, 1e3 * SEABORN_SECONDS * slowness, 1e3 * SEABORN_SECONDS)),
        allowance("reports", f"{what}, cold, {ALLOWED_SECONDS:g} s allowed", "", shape, 1e3 * cold,
                  1e3 * ALLOWED_SECONDS * longer),
        figure("reports", f"{what}, unchanged", "", shape, "cold",
               Measured(unchanged / cold, 1e3 * unchanged, 1e3 * cold)),
    ]  # fmt: skip
    rows += own_tables((SMALL,) if names else (SMALL, LARGE), longer=longer)
    return pd.DataFrame(rows, columns=COLUMNS), reports


def times_slower(runs: int = 5) -> float:
    """How many times as long this machine takes to import seaborn as the one that the times allowed are meant for."""
    importing = partial(subprocess.run, [sys.executable, "-c", "import seaborn"], check=True)
    return least_milliseconds(importing, runs) / (1e3 * SEABORN_SECONDS)


def own_tables(sizes: tuple[int, ...], *, longer: float) -> list[dict[str, object]]:
    """Figures of ``copa-nb select`` on tables with four objectives, for the least of three runs of small ones."""
    rows = []
    for (size, what), allowed in OWN_SECONDS.items():
        if size not in sizes:
            continue
        runs = []
        for _ in range(3 if size == SMALL else 1):
            with tempfile.TemporaryDirectory() as folder:
                as_table(costs("uniform", size, 4)).round(6).to_csv(Path(folder) / "models.csv", index=False)
                runs.append((*_watched(Path(folder), quick=what == "--quick"), _megabytes_in(Path(folder) / "out")))
        seconds, memory, written = min(runs)
        shape = (size, 4)
        name = f"copa-nb select {what}"
        within = Measured(seconds / (allowed * longer), 1e3 * seconds, megabytes=memory)
        rows.append(figure("reports", f"{name}, {allowed:g} s allowed", "uniform", shape, "", within, 1.0,
                           ratio_of=BY_ALLOWANCE))  # fmt: skip
        if size == LARGE:
            for measured, most, kind in ((memory, OWN_MEGABYTES, "memory"), (written, OWN_WRITTEN, "written")):
                rows.append(figure("reports", f"{name}, {kind}: {most:,.0f} MB allowed", "uniform", shape, "",
                                   Measured(measured / most, megabytes=measured), 1.0,
                                   ratio_of="megabytes / megabytes allowed"))  # fmt: skip
    return rows


def _watched(folder: Path, *, quick: bool) -> tuple[float, float]:
    """Seconds of ``copa-nb select`` in a folder, and the most megabytes that it and its children held together."""
    objectives = ("--min", "m0", "--max", "m1", "--min", "m2", "--max", "m3")
    ending = ("--quick",) if quick else ("--out", "out")
    command = [sys.executable, "-m", "copa_nb.cli", "select", "models.csv", *objectives, *ending]
    start, most = time.perf_counter(), 0
    with tempfile.TemporaryFile() as said:
        process = psutil.Popen(command, cwd=folder, stdout=said, stderr=said)
        while process.poll() is None:
            with suppress(psutil.Error):
                most = max(most, sum(map(_resident, [process, *process.children(recursive=True)])))
            time.sleep(0.02)
        seconds = time.perf_counter() - start
        if process.returncode:
            said.seek(0)
            raise RuntimeError(f"{' '.join(command)} failed:\n{said.read().decode()[-2000:]}")
    return seconds, most / 1e6


def _resident(process: psutil.Process) -> int:
    try:
        return int(process.memory_info().rss)
    except psutil.Error:  # it has ended since
        return 0


def _megabytes_in(folder: Path) -> float:
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file()) / 1e6


def split(folder: Path, notes: Path) -> pd.DataFrame:
    """Seconds of each finished report by what they were spent on; shape (reports, len(SHARES))."""
    noted = [json.loads(path.read_text(encoding="utf-8")) for path in notes.glob("*.json")]
    by_item = {(note["paper"], note["item"]): note for note in noted}
    found = {}
    for path in sorted(folder.glob("*/*/manifest.json")):
        manifest = json.loads(path.read_text(encoding="utf-8"))
        phases, note = manifest["run"]["phases"], by_item[manifest["paper"], manifest["item"]]
        # Imports before the first cell are part of the start of the kernel.
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
    command = [sys.executable, "-m", "copa_nb.cli", "run", *(names or ["papers"]), "--out", str(folder)]
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
