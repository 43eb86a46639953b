"""The programs of the benchmarks: what they write, what they print, and where the seconds of a report go."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks import bench_reports, run, speed
from benchmarks.speed.measure import Measured, allowance, figure
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog, find
from copa_nb.reports.jobs import make_job
from copa_nb.reports.payloads import FIGURE, TABLE, payloads

HERE = Path(__file__).parent
# The run whose figures docs/benchmarks.md quotes.
QUOTED = HERE.parents[1] / "docs" / "benchmarks.json"


@pytest.fixture
def results():
    peer = Measured(0.5, 10.0, 20.0, 3.0, 4.0)
    rows = [
        figure("front", "front, K = 2", "uniform", (100_000, 2), "moocore", peer, 0.2),
        figure("front", "layers(1), K = 2", "uniform", (100_000, 2), "moocore", peer, 1.15),
        figure("front", "front, K = 2", "uniform", (500, 2), "pandas", peer),
        allowance("overhead", "import above pandas, 150 ms allowed", "", (0, 0), 350.0, 150.0, peer="x", above=400.0),
    ]  # fmt: skip
    found = run.Results([pd.DataFrame(rows[:3]), pd.DataFrame(rows[3:])])
    found.growth = pd.DataFrame(
        [{"verb": "front", "over": "N, rows", "from": 1, "to": 9, "exponent": 1.5, "milliseconds": 2.0}]
    )
    found.reports = pd.DataFrame({"gap/figure_2": dict.fromkeys(bench_reports.SHARES, 1.0)}).T
    return found


def test_results_are_written_in_full(results, tmp_path):
    run.write(results, tmp_path)
    assert pd.read_csv(tmp_path / "benchmarks.csv").columns.tolist() == speed.COLUMNS
    assert pd.read_csv(tmp_path / "growth.csv")["exponent"].tolist() == [1.5]
    assert pd.read_csv(tmp_path / "reports.csv", index_col="report").loc["gap/figure_2", "imports"] == 1.0
    written = json.loads((tmp_path / "benchmarks.json").read_text(encoding="utf-8"))
    assert len(written["figures"]) == 4
    assert {"moocore", "numpy", "copa_nb"} <= set(written["versions"])


def test_tables_that_were_not_measured_are_not_overwritten(results, tmp_path):
    run.write(results, tmp_path)
    run.write(run.Results(results.figures[:1]), tmp_path)
    assert (tmp_path / "growth.csv").is_file()
    assert len(pd.read_csv(tmp_path / "benchmarks.csv")) == 3


def test_areas_are_written_one_after_the_other(results, tmp_path, monkeypatch):
    asked = []

    def reports(folder, names):
        assert folder.is_dir()
        assert len(pd.read_csv(tmp_path / "benchmarks.csv")) == 1, "what came before is on the disk"
        asked.append(names)
        return results.figures[0], results.reports

    monkeypatch.setattr(run.speed, "overhead", lambda loads: results.figures[1])
    monkeypatch.setattr(run, "growth", lambda quick: results.growth)
    monkeypatch.setattr(run.bench_reports, "measure", reports)
    found = run.measure(["overhead", "growth", "reports"], True, tmp_path)
    assert asked == [bench_reports.QUICK]
    assert len(found.table()) == len(pd.read_csv(tmp_path / "benchmarks.csv")) == 4
    assert {path.name for path in tmp_path.glob("*.csv")} == {"benchmarks.csv", "growth.csv", "reports.csv"}


def test_what_falls_short_is_printed_last(results, capsys, monkeypatch):
    monkeypatch.setattr(run, "load", lambda: 0.0)
    run.show(results)
    printed = capsys.readouterr().out
    assert "1 of 3 targets fall short." in printed
    last = printed.split("fall short.")[1]
    assert "front, K = 2" in last
    assert "layers(1)" not in last
    assert "time above peer's / time allowed" in printed


def test_a_busy_machine_is_mentioned(results, capsys, monkeypatch):
    monkeypatch.setattr(run, "load", lambda: 99.0)
    run.show(results)
    assert "99.0 processes wanted" in capsys.readouterr().out


def test_seconds_of_reports_are_split(tmp_path):
    folder, notes = tmp_path / "reports", tmp_path / "notes"
    for name, paper, item, cells in (("a/x", "COPA", "Figure 1", 9.0), ("a/y", None, "", 2.0)):
        (folder / name).mkdir(parents=True)
        manifest = {"name": name, "paper": paper, "item": item}
        manifest["run"] = {"phases": {"kernel": 0.5, "cells": cells, "pages": 0.25}}
        (folder / name / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    notes.mkdir()
    for number, (paper, item) in enumerate([("COPA", "Figure 1"), (None, "")]):
        note = {"paper": paper, "item": item, "imports": 1.0, "pictures": 0.5 + number / 4}
        (notes / f"{number}.json").write_text(json.dumps(note), encoding="utf-8")
    found = bench_reports.split(folder, notes)
    assert found.loc["a/x"].to_dict() == {"kernel": 0.5, "imports": 1, "computing": 7.5, "pictures": 0.5, "pages": 0.25}
    assert found.loc["a/y", "computing"] == 0.25
    assert bench_reports.summary(found)["share"].sum() == pytest.approx(1)


def test_the_probe_notes_imports_and_pictures(tmp_path):
    code = """
import time
exec(open(PROBE).read())
start = time.perf_counter()
import matplotlib
matplotlib.use("agg")
import matplotlib.pyplot as plt
from copa_nb import reports
imported = time.perf_counter() - start
report = reports.Record(paper="COPA", item="Figure 1")
fig, ax = plt.subplots()
drawing = time.perf_counter()
report.figure(fig, name="f", caption="c", alt="a")
end = time.perf_counter()
print(imported, end - drawing, end - start)
""".replace("PROBE", repr(str(HERE / "kernel_probe.py")))
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "COPA_NB_PROBE": str(tmp_path)}, capture_output=True,
        text=True, check=True,
    )  # fmt: skip
    imported, drawn, whole = map(float, done.stdout.splitlines()[-1].split())
    (file,) = tmp_path.glob("*.json")
    noted = json.loads(file.read_text(encoding="utf-8"))
    assert (noted["paper"], noted["item"]) == ("COPA", "Figure 1")
    # Nearly all of what importing took is noted, and no second is noted twice.
    assert noted["imports"] > 0.5 * imported
    assert 0 < noted["pictures"] < drawn
    assert noted["imports"] + noted["pictures"] < whole


@pytest.mark.slow
@pytest.mark.parametrize("measured", [str(QUOTED), "found"], ids=["the run of the documentation", "a folder"])
def test_the_report_draws_what_was_measured(results, tmp_path, measured):
    run.write(results, tmp_path / "found")
    given = {"results": str(tmp_path / measured)}
    job = make_job(find("benchmarks/benchmarks", catalog(HERE.parent)), given, cwd=HERE.parents[1])
    (outcome,) = run_batch([job], tmp_path / "out", n_jobs=1)
    assert outcome.failure is None, outcome.failure
    notebook = json.loads((tmp_path / "out" / "benchmarks" / "benchmarks" / "report.ipynb").read_text(encoding="utf-8"))
    drawn = {shown["name"] for shown in payloads(notebook, FIGURE)}
    tables = {shown["name"]: shown for shown in payloads(notebook, TABLE)}
    assert {"targets", "fronts"} <= drawn
    if measured == "found":
        assert "report_seconds" in drawn
        assert tables["falls_short"]["total"] == 1
        assert not {"choice", "memory", "seeds", "posets"} & set(tables), "areas that were not measured are left out"
        assert np.any([["0.5 (500)" in row for row in tables["front_ratios"]["rows"]]])
    else:
        assert {"choice", "memory", "seeds", "posets", "overhead", "growth"} <= set(tables)


@pytest.mark.slow
def test_the_report_says_how_to_measure_where_nothing_was(tmp_path):
    job = make_job(find("benchmarks/benchmarks", catalog(HERE.parent)), {"results": "nowhere"}, cwd=HERE.parents[1])
    (outcome,) = run_batch([job], tmp_path / "out", n_jobs=1)
    assert "`results` is 'nowhere'" in str(outcome.failure)
    assert "make bench" in str(outcome.failure)


def test_the_run_of_the_documentation_gives_machine_and_date():
    stored = json.loads(QUOTED.read_text(encoding="utf-8"))
    assert stored["machine"]["processors"] >= 1
    assert len(stored["date"]) == len("2026-01-31")
    assert list(stored["figures"][0]) == speed.COLUMNS
    assert min(min(spent.values()) for spent in stored["reports"].values()) >= 0, "no second is counted twice"
