"""One report: its clock knows what is running and how long it may, and what fails stays apart from what is done."""

import json

import nbformat
import pytest

from copa_nb.reports import run as module
from copa_nb.reports.catalog import catalog
from copa_nb.reports.folder import failed_notebook, prepare, read_manifest
from copa_nb.reports.jobs import Job, make_job
from copa_nb.reports.kernels import EndedError, Kernels
from copa_nb.reports.outcomes import Failure
from copa_nb.reports.overview import read_failed, write_overview
from copa_nb.reports.run import Clock, make


@pytest.fixture
def entry(tmp_path, notebook):
    notebook(tmp_path / "copa/a.ipynb", "x = 1")
    (found,) = catalog(tmp_path)
    return found


def test_a_job_is_what_was_asked_for(entry, tmp_path):
    plain = make_job(entry)
    assert (plain.name, plain.notebook, plain.parameters, plain.formats, plain.timeout) == (
        "copa/a", str(entry.path), {}, ("html",), None
    )  # fmt: skip
    asked = make_job(entry, {"n": "3"}, name="x", cwd=tmp_path / ".", formats=["pdf", "html", "pdf"], timeout=0.5)
    assert (asked.name, asked.parameters, asked.cwd, asked.formats, asked.timeout) == (
        "x", {"n": 3}, str(tmp_path.resolve()), ("html", "pdf"), 0.5
    )  # fmt: skip
    for timeout in (0, -1, True, "3", float("nan")):
        with pytest.raises(ValueError, match=rf"^`timeout` is {timeout!r}; it must be a positive number of seconds\.$"):
            make_job(entry, timeout=timeout)


@pytest.fixture
def at(monkeypatch):
    now = [100.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    return lambda seconds: now.__setitem__(0, 100.0 + seconds)


def test_the_clock_tells_starting_from_running(at, entry):
    shares = []
    clock = Clock(make_job(entry), shares.append)
    for number, seconds in enumerate((4, 5, 9)):
        at(seconds)
        clock.begin({"id": f"c{number}"}, number)
        assert clock.cell_id == f"c{number}"
    assert shares == [0, 1 / 3, 2 / 3, 2 / 3], "papermill adds a cell of parameters"
    assert clock.remaining({}) is None
    at(10)
    assert clock.phases() == {"kernel": 4.0, "cells": 6.0}
    clock.begin({}, 3)
    assert clock.cell_id == ""


def test_the_time_limit_is_of_the_whole_report(at, entry):
    clock = Clock(make_job(entry, timeout=10.0))
    at(4)
    clock.begin({"id": "c"}, 0)
    assert clock.remaining({}) == 6.0
    at(30)
    assert clock.remaining({}) == 0.05, "0 would mean no limit"


def test_a_kernel_that_runs_no_cell_took_all_the_time(at, entry):
    clock = Clock(make_job(entry))
    at(3.25)
    assert clock.phases() == {"kernel": 3.25, "cells": 0.0}


def test_cells_are_named_as_in_the_notebook(entry):
    clock = Clock(make_job(entry))
    said = []
    for clock.cell_id in ("cell-2", "cell-0", "injected", None):
        said.append(clock.place())
    assert said == ["cell 3 of 3 (cell-2)", "cell 1 of 3 (cell-0)", "the injected parameters", "starting the kernel"]
    assert str(Failure("cell 2 of 3 (x)", "ValueError: no", "long")) == "cell 2 of 3 (x): ValueError: no"


def executed(text):
    first = nbformat.v4.new_markdown_cell("# A report\n\nWhat it shows.", id="a")
    output = nbformat.v4.new_output("stream", text=text)
    return nbformat.v4.new_notebook(cells=[first, nbformat.v4.new_code_cell("x", id="b", outputs=[output])])


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Make a report of a notebook that a stand-in runs, which may raise an error: ``made(error)`` gives the outcome."""
    out = tmp_path / "out"
    prepare(out)
    source = tmp_path / "a.ipynb"
    nbformat.write(executed("nothing"), source)
    job = Job(name="copa/a", notebook=str(source), parameters={}, cwd=str(tmp_path))
    runs = []

    def run(error=None, made_of="x", *, kernels=None, **options):
        def execute(job, path, kernels, clock):
            runs.append(path)
            nbformat.write(executed(f"made of {made_of}"), path)
            if error == "ended":
                kernels.end()
            elif error:
                raise error

        monkeypatch.setattr(module, "execute", execute)
        monkeypatch.setattr(module, "fingerprint", lambda job: made_of)
        return make(job, out, kernels or Kernels(), **options)

    run.out, run.runs, run.folder, run.failed = out, runs, out / "copa/a", failed_notebook(out, "copa/a")
    return run


def test_a_report_is_made_where_what_it_is_made_of_changed(made):
    first = made()
    assert (first.name, first.status, first.failure, first.notes) == ("copa/a", "done", None, [])
    again = made()
    assert (again.status, again.seconds) == ("unchanged", 0.0)
    assert [made(made_of="y").status, made(made_of="y", force=True).status] == ["done", "done"]
    assert len(made.runs) == 3


def test_a_failed_run_leaves_the_standing_report_and_its_half_notebook_apart(made):
    first = made(ValueError("<no>"))
    assert (first.status, str(first.failure), first.notes) == ("failed", "making the report: ValueError: <no>", [])
    assert not made.folder.exists()
    assert "made of x" in made.failed.read_text(encoding="utf-8")
    assert made().status == "done"
    assert not (made.out / "failed").exists(), "it is no longer the last run"
    before = {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()}
    later = made(ValueError("<no>"), made_of="y")
    assert later.notes == ["the last successful report is kept."]
    assert {path: path.read_bytes() for path in made.folder.rglob("*") if path.is_file()} == before
    (run,) = read_failed(made.out)
    assert (run["name"], run["title"], run["notebook"]) == ("copa/a", "A report", "failed/copa/a.ipynb")
    assert run["failure"] == "making the report: ValueError: <no>"
    write_overview(made.out)
    index = (made.out / "index.html").read_text(encoding="utf-8")
    assert "1 run failed" in index
    assert "ValueError: &lt;no&gt;" in index
    assert 'href="failed/copa/a.ipynb"' in index
    assert "the last successful report is kept" in index
    assert "later run failed" in index
    assert made().status == "unchanged", "the report of these inputs stands"
    assert read_failed(made.out) == []


def test_a_failed_notebook_that_was_edited_is_kept(made):
    made(ValueError())
    notebook = json.loads(made.failed.read_text(encoding="utf-8"))
    notebook["cells"][0]["source"] = "# Mine"
    made.failed.write_text(json.dumps(notebook), encoding="utf-8")
    assert [run["title"] for run in read_failed(made.out)] == ["Mine"]
    (made.failed.parent / "other.ipynb").write_text("{}", encoding="utf-8")
    assert made().status == "done"
    assert "# Mine" in (made.failed.parent / "a-kept-1.ipynb").read_text(encoding="utf-8")
    assert read_failed(made.out) == [], "neither a kept one nor any other notebook is a run that failed"


def test_files_of_the_user_are_set_aside_with_the_report_that_they_are_in(made):
    made()
    (made.folder / "notes.txt").write_text("mine", encoding="utf-8")
    assert made().status == "unchanged"
    assert made(made_of="y").notes == ["the earlier report has files of yours and is now copa/a-kept-1."]
    assert (made.out / "copa/a-kept-1/notes.txt").read_text(encoding="utf-8") == "mine"
    assert "made of x" in (made.out / "copa/a-kept-1/report.html").read_text(encoding="utf-8")
    assert read_manifest(made.folder)["fingerprint"] == "y"


def test_a_full_disk_is_a_failure_of_the_report(made, monkeypatch):
    outcome = made(OSError(28, "No space left on device"))
    assert str(outcome.failure) == "writing the report: No space left on device (copa/a)"
    assert not list((made.out / ".copa-nb").glob("*.new"))
    assert str(made(OSError("gone")).failure) == "writing the report: gone (copa/a)"
    assert made(OSError(2, "no such file", "x.svg")).failure.what == "no such file (x.svg)"

    def full(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(module, "write", full)
    assert made(ValueError("no"), made_of="z").failure.what == "ValueError: no"
    assert not made.failed.is_file() or "made of z" not in made.failed.read_text(encoding="utf-8")


def test_what_ends_the_kernels_changes_nothing(made):
    made()
    before = {path: path.read_bytes() for path in made.out.rglob("*") if path.is_file()}
    for error in ("ended", RuntimeError("it was killed")):
        kernels = Kernels()
        if error != "ended":
            kernels.end()
        with pytest.raises(EndedError):
            made(error, made_of="y", kernels=kernels)
    assert {path: path.read_bytes() for path in made.out.rglob("*") if path.is_file()} == before
