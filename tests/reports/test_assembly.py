"""What is kept of an executed notebook: nothing that differs from run to run."""

import base64
import hashlib
from dataclasses import replace

import nbformat
import pytest

from copa_nb.reports.assembly import assemble, normalize, produce, salvage
from copa_nb.reports.jobs import Execution, Failure, Job
from copa_nb.reports.record import ANSWER, DATA, FIGURE, TABLE
from copa_nb.reports.store import SCHEMA, Store, read_manifest

KERNEL = {"name": "python3", "display_name": "Python 3"}


def executed(*counts):
    cells = [nbformat.v4.new_code_cell(f"x = {k}", id=f"c{k}", execution_count=n) for k, n in enumerate(counts)]
    first = nbformat.v4.new_markdown_cell("# A report\n\nWhat it shows.", id="a")
    return nbformat.v4.new_notebook(cells=[first, *cells])


def counts(notebook):
    return [cell["execution_count"] for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("last", [2, None], ids=["kernel said it began", "kernel had not said so"])
def test_a_kernel_that_died_leaves_the_same_bytes_whatever_it_said_last(last, tmp_path):
    source = tmp_path / "a.ipynb"
    nbformat.write(executed(None, None), source)
    nbformat.write(executed(1, last), tmp_path / "report.ipynb")
    job = Job(name="a", notebook=str(source), parameters={}, cwd=str(tmp_path))
    execution = Execution(Failure("cell 2", "the kernel died"), killed_cell="c1")
    assemble(job, tmp_path, fingerprint="x", execution=execution)
    assert counts(nbformat.read(tmp_path / "report.ipynb", as_version=4)) == [1, None]


def test_cells_that_ran_keep_their_numbers():
    notebook = executed(1, 2)
    normalize(notebook)
    assert counts(notebook) == [1, 2]


def test_nothing_that_differs_from_run_to_run_is_kept():
    ran = {"papermill": {"duration": 3}, "execution": {"iopub": "now"}}
    text = "<m.X at 0x7f00aa11> in /tmp/ipykernel_12/345.py 0xabc 0x7F00AA11"
    steady = "<m.X at 0x…> in <cell> 0xabc 0x7F00AA11"
    outputs = [
        nbformat.v4.new_output("stream", text=text),
        nbformat.v4.new_output("display_data", {"text/plain": text, "text/html": text, "image/svg+xml": text}),
        nbformat.v4.new_output("error", ename="E", evalue=text, traceback=[text, "kept"]),
    ]
    cells = [
        nbformat.v4.new_code_cell(
            "x = 1", id="one", metadata=ran | {"tags": ["a"]}, execution_count=1, outputs=outputs
        ),
        nbformat.v4.new_code_cell("p = 2", id="two", metadata={"tags": ["injected-parameters"]}),
        nbformat.v4.new_markdown_cell("Failed.", id="three", metadata={"tags": ["papermill-error-cell-tag"]}),
    ]
    notebook = nbformat.v4.new_notebook(cells=cells, metadata={"papermill": {}, "widgets": {}, "kernelspec": KERNEL})
    normalize(notebook)
    assert notebook.metadata == {"kernelspec": KERNEL}
    first, second, third = notebook.cells
    assert first.metadata == {"tags": ["a"]}
    assert [first["id"], second["id"]] == ["one", "injected-parameters"]
    assert third["id"] == f"error-{hashlib.sha256(b'Failed.').hexdigest()[:8]}"
    stream, shown, error = first.outputs
    assert stream.text == steady
    assert shown.data == {"text/plain": steady, "text/html": steady, "image/svg+xml": text}
    assert (error.evalue, error.traceback) == (steady, [steady, "kept"])


def payload(kind, content, **data):
    return nbformat.v4.new_output("display_data", {kind: content, **data})


def test_the_manifest_says_what_a_report_was_made_of_and_shows(tmp_path):
    figure = {
        "name": "f",
        "finding": "It falls.",
        "caption": "C.",
        "alt": "A.",
        "width": 40,
        "height": 30,
        "points": None,
    }
    figure |= {"svg": "<svg/>", "pdf": base64.b64encode(b"%PDF").decode(), "csv": "a\n1\n", "narrow": None}
    table = {"name": "t", "caption": "T.", "total": 2, "csv": "a\n1\n", "latex": "x", "columns": ["a"], "rows": [["1"]]}
    table |= {"numeric": [True], "folded": False}
    source = {"name": "board", "kind": "bundled", "sha256": "", "origin": ""}
    outputs = [
        payload(FIGURE, figure, **{"image/png": base64.b64encode(b"png").decode()}),
        payload(TABLE, table),
        payload(DATA, source),
        payload(ANSWER, {"headline": "b wins", "lines": [], "question": "", "certainty": ""}),
    ]
    notebook = executed(1)
    notebook.cells[1].outputs = outputs
    parameters = nbformat.v4.new_code_cell('p: str = "inf"  # order\nn: int = 3  # how many', id="p")
    parameters.metadata["tags"] = ["parameters"]
    notebook.cells.insert(1, parameters)
    source_file = tmp_path / "a.ipynb"
    nbformat.write(notebook, source_file)
    folder = tmp_path / "out"
    folder.mkdir()
    nbformat.write(notebook, folder / "report.ipynb")
    job = Job(name="copa/a", notebook=str(source_file), parameters={"n": 5}, cwd=str(tmp_path))
    execution = Execution(None, phases={"cells": 2.5})
    assemble(job, folder, fingerprint="x", execution=execution, notebook_name="report-2.ipynb", table="../m.csv")
    manifest = read_manifest(folder)
    run = manifest.pop("run")
    assert run["table"] == "../m.csv"
    assert run["phases"]["cells"] == 2.5
    assert run["seconds"] == pytest.approx(2.5 + run["phases"]["pages"], abs=0.006)
    assert set(manifest.pop("files")) == {
        "figures/f.csv", "figures/f.pdf", "figures/f.png", "figures/f.svg", "report-2.ipynb", "report.html",
        "tables/t.csv", "tables/t.tex",
    }  # fmt: skip
    assert "falls" in manifest.pop("words").split()
    assert manifest == {
        "schema": SCHEMA,
        "name": "copa/a",
        "title": "b wins",
        "heading": "A report",
        "answer": {"headline": "b wins", "lines": [], "question": "", "certainty": ""},
        "sentence": "What it shows.",
        "paper": None,
        "item": "",
        "status": "done",
        "failure": None,
        "parameters": {"p": "inf", "n": 5},
        "given": {"n": 5},
        "notebook": {"file": "a.ipynb", "sha256": hashlib.sha256(source_file.read_bytes()).hexdigest()},
        "data": [source],
        "versions": {},
        "executed": "report-2.ipynb",
        "fingerprint": "x",
        "claims": [],
        "figures": [{key: figure[key] for key in ("name", "finding", "caption", "alt", "width", "height")}],
        "tables": [{"name": "t", "caption": "T.", "total": 2}],
    }
    assert (folder / "figures/f.pdf").read_bytes() == b"%PDF"
    assert (folder / "figures/f.png").read_bytes() == b"png"
    assert (folder / "figures/f.svg").read_text() == "<svg/>"
    assert (folder / "tables/t.tex").read_text() == "x"
    kept = nbformat.read(folder / "report-2.ipynb", as_version=4).metadata["copa_nb"]
    assert kept == {
        "files": True, "name": "copa/a", "notebook": "report-2.ipynb", "index": "../../index.html", "failure": None
    }  # fmt: skip


@pytest.fixture
def made(tmp_path, monkeypatch):
    """Make a report of a notebook that a stand-in runs: ``made(failure)`` gives its outcome."""
    store = Store(tmp_path / "out")
    store.prepare()
    source = tmp_path / "a.ipynb"
    nbformat.write(executed(None), source)
    job = Job(name="copa/a", notebook=str(source), parameters={}, cwd=str(tmp_path))
    runs = []

    def run(failure=None, fingerprint="x", **options):
        def execute(job, path, *, on_cell):
            runs.append(on_cell)
            if isinstance(failure, OSError):
                raise failure
            nbformat.write(executed(1), path)
            return Execution(failure)

        monkeypatch.setattr("copa_nb.reports.assembly.execute", execute)
        return produce(job, store, fingerprint=fingerprint, **options)

    run.store, run.job, run.runs, run.folder = store, job, runs, store.folder_of("copa/a")
    return run


def test_a_report_is_made_where_what_it_is_made_of_changed(made):
    first = made()
    assert (first.name, first.status, first.failure, first.notes) == ("copa/a", "done", None, [])
    again = made()
    assert (again.status, again.seconds) == ("unchanged", 0.0)
    assert [made(fingerprint="y").status, made(fingerprint="y", force=True).status] == ["done", "done"]
    assert len(made.runs) == 3
    with made.store.lock("copa/a"):
        assert made(fingerprint="z", wait=False) is None
    assert len(made.runs) == 3


def test_a_failed_run_stands_beside_the_last_good_report(made):
    failure = Failure("cell 2 of 3", "ValueError: <no>")
    first = made(failure)
    assert (first.status, first.failure, first.notes) == ("failed", failure, [])
    assert read_manifest(made.folder)["status"] == "failed"
    assert made().status == "done"
    (made.folder / "mine.txt").write_text("mine")
    later = made(failure, fingerprint="y")
    assert (later.status, later.failure) == ("failed", failure)
    assert later.notes == [
        "the last successful report is kept; the notebook of the failed run is report-failed.ipynb.",
        "kept mine.txt, which was added or edited by hand.",
    ]
    manifest = read_manifest(made.folder)
    assert (manifest["status"], manifest["fingerprint"]) == ("done", "x")
    assert manifest["failed_run"] == {"where": "cell 2 of 3", "what": "ValueError: <no>", "traceback": ""}
    page = (made.folder / "report.html").read_text(encoding="utf-8")
    assert page.count('<aside class="notice failed" role="alert">') == 1
    assert "<p>cell 2 of 3: ValueError: &lt;no&gt;</p>" in page
    finished = manifest["run"]["finished"]
    assert f"<p>This page is the last successful report, of {finished[:10]} {finished[11:19]} UTC." in page
    assert 'Partial notebook of the later run: <a href="report-failed.ipynb">report-failed.ipynb</a>.</p>' in page
    assert (made.folder / "report-failed.ipynb").is_file()
    assert made(failure, fingerprint="z").notes[0].startswith("the last successful report is kept")
    page = (made.folder / "report.html").read_text(encoding="utf-8")
    assert page.count('<aside class="notice failed"') == 1, "the notice is replaced"
    assert made().status == "done"
    assert 'class="notice failed"' not in (made.folder / "report.html").read_text(encoding="utf-8")
    assert not (made.folder / "report-failed.ipynb").exists()


def test_a_notebook_that_was_edited_stays_and_the_new_one_gets_another_name(made):
    made()
    (made.folder / "report.ipynb").write_text("edited")
    assert made(force=True).notes == [
        "kept report.ipynb, which was added or edited by hand; the new notebook is report-2.ipynb."
    ]
    assert (made.folder / "report.ipynb").read_text() == "edited"
    assert (made.folder / "report-2.ipynb").is_file()


def test_a_full_disk_is_a_failure_of_the_report(made):
    outcome = made(OSError(28, "No space left on device"))
    assert outcome.status == "failed"
    assert str(outcome.failure) == f"writing the report: No space left on device ({made.folder})"
    assert not made.store.staging_folder("copa/a").exists()
    assert str(made(OSError("gone")).failure) == f"writing the report: gone ({made.folder})"


def test_what_a_killed_worker_left_becomes_a_failed_report(made):
    failure = Failure("cell 1", "killed")
    outcome = salvage(replace(made.job, formats=("html", "pdf")), made.store, fingerprint="x", failure=failure)
    assert (outcome.status, outcome.failure, outcome.seconds, outcome.notes) == ("failed", failure, 0.0, [])
    manifest = read_manifest(made.folder)
    assert manifest["failure"] == {"where": "cell 1", "what": "killed", "traceback": ""}
    assert not (made.folder / "report.pdf").exists(), "printing may be what failed"
    with made.store.lock("copa/a"):
        staged = made.store.new_staging_folder("copa/a")
    nbformat.write(executed(1), staged / "report.ipynb")
    salvage(made.job, made.store, fingerprint="x", failure=failure)
    assert counts(nbformat.read(made.folder / "report.ipynb", as_version=4)) == [1], "as far as it got"
