"""A run that fails keeps the last good report, and nothing of the user's is lost by any run."""

import json
from dataclasses import replace

import pytest

from copa_nb.reports.assembly import salvage
from copa_nb.reports.catalog import catalog
from copa_nb.reports.jobs import Failure, make_job
from copa_nb.reports.runner import run_batch
from copa_nb.reports.store import Store

pytestmark = pytest.mark.slow
RECORDING = """
import matplotlib.pyplot as plt
from copa_nb import reports
report = reports.Record()
figure, ax = plt.subplots(figsize=(3, 2))
ax.plot([0, 1], [n, 1])
report.figure(figure, name="line", caption="A line.", alt="From n to 1")
"""
FAILING = """
import os, signal
from pathlib import Path
way = Path("way.txt").read_text() if Path("way.txt").exists() else ""
if n == 0:
    raise ValueError("no <b>points</b>")
if way == "kernel":
    os._exit(3)
if way == "worker":
    os.kill(os.getppid(), signal.SIGKILL)
    import time; time.sleep(60)
"""


@pytest.fixture
def job(tmp_path, notebook, monkeypatch):
    monkeypatch.chdir(tmp_path)
    notebook(tmp_path / "notebooks/copa/a.ipynb", RECORDING, FAILING, "report.close()")
    (entry,) = catalog(tmp_path / "notebooks")
    return make_job(entry)


def run(job, tmp_path, **options):
    (outcome,) = run_batch([job], tmp_path / "out", n_jobs=1, **options)
    return outcome


def files_in(folder):
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("way", ["value", "kernel", "worker"])
def test_a_run_that_fails_keeps_the_last_good_report(job, tmp_path, way):
    assert run(job, tmp_path).status == "done"
    folder = tmp_path / "out/copa/a"
    before = files_in(folder)
    (tmp_path / "way.txt").write_text(way, encoding="utf-8")
    failing = replace(job, parameters={"n": 0}) if way == "value" else job
    outcome = run(failing, tmp_path, force=way != "value")
    assert outcome.status == "failed"
    assert "last successful report is kept" in outcome.notes[0]
    after = files_in(folder)
    assert set(after) == {*before, "report-failed.ipynb"}
    changed = {name for name in before if after[name] != before[name]}
    assert changed == {"manifest.json", "report.html"}
    page = after["report.html"].decode()
    assert "A later run of this report failed" in page
    assert "report-failed.ipynb" in page
    assert "<b>points</b>" not in page
    manifest = json.loads(after["manifest.json"])
    assert manifest["status"] == "done"
    assert set(manifest["files"]) == set(after) - {"manifest.json"}
    index = (tmp_path / "out/index.html").read_text(encoding="utf-8")
    assert "later run failed" in index
    assert "The last successful report is kept" in index
    (tmp_path / "way.txt").unlink()
    assert run(failing, tmp_path).status == ("failed" if way == "value" else "done")
    assert page.count("A later run") == 1
    assert run(job, tmp_path).status == ("done" if way == "value" else "unchanged")
    clean = files_in(folder)
    assert set(clean) == set(before), "the notice and the notebook of the failed run are gone"
    assert b"A later run" not in clean["report.html"]


def test_files_of_the_user_survive_good_and_failed_runs(job, tmp_path):
    run(job, tmp_path)
    folder = tmp_path / "out/copa/a"
    (folder / "notes.txt").write_text("mine", encoding="utf-8")
    notebook = folder / "report.ipynb"
    edited = notebook.read_text(encoding="utf-8").replace("A report", "An edited report")
    notebook.write_text(edited, encoding="utf-8")
    for parameters, status in (({"n": 0}, "failed"), ({"n": 3}, "done"), ({"n": 3}, "unchanged"), ({"n": 4}, "done")):
        outcome = run(replace(job, parameters=parameters), tmp_path)
        assert outcome.status == status
        assert notebook.read_text(encoding="utf-8") == edited
        assert (folder / "notes.txt").read_text(encoding="utf-8") == "mine"
        assert status == "unchanged" or "notes.txt and report.ipynb" in outcome.notes[-1]
    assert "report-2.ipynb" in outcome.notes[-1]
    assert (folder / "report-2.ipynb").is_file()
    assert not (folder / "report-3.ipynb").exists()
    page = (folder / "report.html").read_text(encoding="utf-8")
    assert 'href="report-2.ipynb"' in page


def test_a_worker_killed_while_it_writes_pages_keeps_the_last_good_report(job, tmp_path):
    run(job, tmp_path)
    store = Store(tmp_path / "out")
    staged = store.new_staging_folder(job.name)
    (staged / "report.ipynb").write_bytes((tmp_path / "notebooks/copa/a.ipynb").read_bytes())
    (staged / "figures").mkdir()
    (staged / "report.html").write_text("half", encoding="utf-8")
    outcome = salvage(job, store, fingerprint="x", failure=Failure("the pages", "it was killed"))
    assert outcome.notes
    page = (tmp_path / "out/copa/a/report.html").read_text(encoding="utf-8")
    assert "it was killed" in page
    assert 'id="figure-line"' in page


def test_a_place_that_is_not_free_is_refused_before_anything_runs(job, tmp_path):
    (tmp_path / "out/copa/a").mkdir(parents=True)
    (tmp_path / "out/copa/a/models.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="do not belong to this report"):
        run(job, tmp_path, force=True)
    assert files_in(tmp_path / "out") == {"copa/a/models.csv": b"mine"}
