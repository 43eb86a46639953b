"""Batches: failures stay apart, reports are whole, unchanged ones stand, the same inputs give the same bytes."""

import hashlib
import json
import re
import shutil
import threading
from contextlib import contextmanager
from pathlib import Path

import pytest

from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog
from copa_nb.reports.folder import FolderError, locked, prepare
from copa_nb.reports.jobs import make_job
from copa_nb.reports.outcomes import Failure
from copa_nb.reports.overview import write_overview
from copa_nb.reports.places import refuse_foreign


def contents(folder):
    """Hashes of all files below a folder, without the time stamps that manifests and pages state."""
    found = {}
    for path in sorted(folder.rglob("*")):
        if path.is_file() and ".copa-nb" not in path.parts:
            data = path.read_bytes()
            if path.name == "manifest.json":
                data = json.dumps({k: v for k, v in json.loads(data).items() if k != "run"}).encode()
            if path.name == "index.html" or path.name == "ledger.html":
                data = re.sub(rb"(?s)<p>Last report finished.*?</p>|<span class=\"took\">.*?</span>", b"", data)
            found[path.relative_to(folder).as_posix()] = hashlib.sha256(data).hexdigest()
    return found


@pytest.mark.parametrize(
    ("name", "cell", "what"),
    [
        ("copa/raises", "cell 4 of 4 (cell-3)", "ValueError: no 1"),
        ("gap/dies", "cell 4 of 4 (cell-3)", "kernel died"),
    ],
)
def test_a_failure_names_the_cell_and_leaves_the_partial_notebook(batch, name, cell, what):
    failure = batch.outcomes[name].failure
    assert cell in failure.where
    assert what in failure.what
    notebook = json.loads((batch.out / f"failed/{name}.ipynb").read_text(encoding="utf-8"))
    counts = [c["execution_count"] for c in notebook["cells"] if c["cell_type"] == "code"]
    assert counts[1] == 2, "the cells before the failure were run"
    assert not (batch.out / name).exists()
    index = (batch.out / "index.html").read_text(encoding="utf-8")
    assert f"{name} (It" in index, "not the banner that papermill puts above the title"
    assert what in index


def test_a_report_has_its_files(batch):
    folder = batch.out / "copa" / "good"
    found = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    figures = {f"figures/line{kind}" for kind in (".png", ".svg", ".pdf", ".csv")}
    assert found == {
        "report.html", "report.ipynb", "manifest.json", "tables/losses.csv", "tables/losses.tex", *figures
    }  # fmt: skip
    manifest = batch.manifest("copa/good")
    assert manifest["parameters"] == {"p": "inf", "n": 20, "names": []}
    assert set(manifest["files"]) == found - {"manifest.json"}
    assert manifest["data"][0]["name"] == "numbers"
    assert manifest["versions"]["python"]


def test_pages_escape_what_came_from_outside(batch):
    for path in batch.out.rglob("*.html"):
        page = path.read_text(encoding="utf-8")
        assert "<b>good</b>" not in page
        assert "<b>x</b>" not in page
        assert "<i>line</i>" not in page
        assert "n is 20 <of> 20" not in page
        assert "<script>alert" not in page
    page = (batch.out / "copa/good/report.html").read_text(encoding="utf-8")
    assert "&lt;b&gt;x&lt;/b&gt;" in page
    assert 'alt="From &quot;n&quot; to 1"' in page or "alt='From \"n\" to 1'" in page
    losses = (batch.out / "copa/good/tables/losses.csv").read_text(encoding="utf-8")
    assert "'=cmd,0.3333333333333333" in losses


def test_parameters_cannot_become_code(batch):
    assert batch.outcomes["significance/hostile"].status == "done"
    notebook = json.loads((batch.out / "significance/hostile/report.ipynb").read_text(encoding="utf-8"))
    printed = "".join("".join(o["text"]) for c in notebook["cells"] for o in c.get("outputs", []))
    assert repr(batch.hostile["p"]) in printed
    assert str(batch.hostile["names"]) in printed


def test_reports_show_no_bars_of_what_took_long(batch):
    text = (batch.out / "copa/good/report.ipynb").read_text(encoding="utf-8")
    assert "bars are shown: False" in text


def test_executed_notebooks_are_rid_of_what_differs_from_run_to_run(batch):
    text = (batch.out / "significance/hostile/report.ipynb").read_text(encoding="utf-8")
    assert "0x7" not in text
    assert "/ipykernel_1" not in text
    assert "papermill" not in json.loads(text)["metadata"]
    assert str(batch.out) not in text


@pytest.mark.slow
def test_the_same_inputs_give_the_same_bytes(batch, tmp_path):
    job = next(job for job in batch.jobs if job.name == "copa/good")
    run_batch([job], tmp_path, n_jobs=1)
    elsewhere = contents(tmp_path / "copa/good")
    assert {"report.html", "report.ipynb", "figures/line.pdf", "figures/line.svg", "tables/losses.tex"} < set(elsewhere)
    assert elsewhere == contents(batch.out / "copa/good")


@pytest.mark.slow
def test_pages_need_no_network(batch):
    pages = list(batch.out.rglob("*.html"))
    assert {"index.html", "ledger.html", "report.html"} == {page.name for page in pages}
    for path in pages:
        page = path.read_text(encoding="utf-8")
        loaded = re.findall(r"""(?:src|srcset|<link[^>]*href)=["']?([^"'\s>]+)""", page)
        assert not [address for address in loaded if re.match(r"(https?:)?//", address)], path
        assert "@import" not in page
        assert "url(" not in page
        assert "mathjax" not in page.lower()


def test_unchanged_reports_are_not_made_again(batch):
    before = contents(batch.out)
    stamps = {p: p.stat().st_mtime_ns for p in (batch.out / "copa/good").rglob("*") if p.is_file()}
    outcomes, events = batch.run(n_jobs=2)
    assert outcomes["copa/good"].status == "unchanged"
    assert outcomes["significance/hostile"].status == "unchanged"
    assert outcomes["copa/raises"].status == "failed", "failed ones are tried again"
    assert stamps == {p: p.stat().st_mtime_ns for p in stamps}
    after = contents(batch.out)
    assert {name for name in before if after[name] != before[name]} <= {"failed/gap/dies.ipynb"}
    progress = [event for event, _ in events]
    assert progress[-1].finished == progress[-1].total == 4
    assert all(0 <= share < 1 for state in progress for share in state.running.values())
    assert {name for state in progress for name in state.running} == {"copa/raises", "gap/dies"}


def test_a_folder_that_is_not_a_report_of_its_own_is_refused(batch, tmp_path):
    (tmp_path / "copa/good").mkdir(parents=True)
    (tmp_path / "copa/good/models.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match="do not belong to this report"):
        run_batch(batch.jobs, tmp_path, force=True)
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["models.csv"]


def test_a_folder_that_cannot_be_written_to_is_refused_before_anything_runs(batch, tmp_path):
    (tmp_path / "file").write_text("not a folder", encoding="utf-8")
    with pytest.raises(FolderError, match="is not writable"):
        run_batch(batch.jobs, tmp_path / "file/out")


def test_two_jobs_with_one_folder_are_refused(batch, tmp_path):
    job = batch.jobs[0]
    with pytest.raises(ValueError, match="copa/good"):
        run_batch([job, job], tmp_path)


def test_a_folder_that_was_copied_without_its_hidden_part_can_be_used(batch, tmp_path):
    shutil.copytree(batch.out, tmp_path / "out", ignore=shutil.ignore_patterns(".copa-nb"))
    assert (tmp_path / "out/ledger.csv").is_file()
    refuse_foreign(batch.jobs, tmp_path / "out")


def test_the_overview_follows_from_the_reports_alone(batch):
    before = contents(batch.out)
    for name in ("index.html", "ledger.html", "ledger.csv"):
        (batch.out / name).unlink()
    write_overview(batch.out)
    assert contents(batch.out) == before


@contextmanager
def held(out, name):
    """Be another run that is at a report; yields what releases it."""
    prepare(out)
    holds, released = threading.Event(), threading.Event()

    def other_run():
        with locked(out, name):
            holds.set()
            released.wait(60)

    other = threading.Thread(target=other_run)
    other.start()
    holds.wait()
    try:
        yield released.set
    finally:
        released.set()
        other.join()


@pytest.mark.slow
def test_a_report_that_another_run_is_at_is_waited_for(tmp_path, notebook):
    for name in "ab":
        notebook(tmp_path / f"notebooks/copa/{name}.ipynb", "print(1)")
    finished = []
    with held(tmp_path / "out", "copa/a") as release:

        def watch(progress, outcome):
            if outcome is not None:
                finished.append(outcome.name)
                release()

        jobs = [make_job(entry) for entry in catalog(tmp_path / "notebooks")]
        made = run_batch(jobs, tmp_path / "out", n_jobs=2, watch=watch)
    assert finished == ["copa/b", "copa/a"]
    assert [outcome.status for outcome in made] == ["done", "done"]


@pytest.mark.slow
def test_the_folder_of_the_caller_may_change_or_go(tmp_path, notebook, monkeypatch):
    wait = "from pathlib import Path\nimport time\nwhile not Path({!r}).exists(): time.sleep(0.1)"
    notebook(tmp_path / "notebooks/copa/a.ipynb", wait.format("b runs"))
    notebook(tmp_path / "notebooks/copa/b.ipynb", "open('b runs', 'w').close()", wait.format("out/copa/a"), "print(2)")

    def what_came(folder):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        jobs = [make_job(entry) for entry in catalog(tmp_path / "notebooks")]
        with held(Path("out").absolute(), "copa/b") as release:

            def watch(progress, outcome):
                if progress.running.get("copa/a"):
                    release()  # b begins after a and ends after it
                if outcome is not None:
                    monkeypatch.chdir(tmp_path)

            made = run_batch(jobs, "out", n_jobs=2, watch=watch)
        assert (tmp_path / folder / "out/index.html").is_file()
        return [str(outcome.failure or outcome.status) for outcome in made]

    assert what_came("here") == ["done", "done"]
    shutil.rmtree(tmp_path / "here")
    assert what_came("there") == ["done", "done"]
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_what_cannot_run_is_listed_as_failed_and_the_first_failure_may_end_a_batch(tmp_path, notebook):
    for name in "ab":
        notebook(tmp_path / f"notebooks/copa/{name}.ipynb", "print(1)")
    jobs = [make_job(entry) for entry in catalog(tmp_path / "notebooks")]
    out, refused = tmp_path / "out", {"copa/a": Failure("a.csv", "no <columns>")}
    lost, made = run_batch(jobs, out, refused=refused)
    assert (lost.status, lost.failure, made.status) == ("failed", refused["copa/a"], "done")
    assert "a.csv: no &lt;columns&gt;" in (out / "index.html").read_text(encoding="utf-8")
    notebook(tmp_path / "notebooks/copa/a.ipynb", "1 / 0")
    notebook(tmp_path / "notebooks/copa/b.ipynb", "import time", "time.sleep(60)")
    (only,) = run_batch(jobs, out, fail_fast=True, n_jobs=2)
    assert (only.name, only.status) == ("copa/a", "failed")
    assert (out / "copa/b/report.html").is_file(), "the report of the earlier run stands"
