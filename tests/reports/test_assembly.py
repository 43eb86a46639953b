"""What is kept of an executed notebook: nothing that differs from run to run."""

import base64
import hashlib
import io

import nbformat
import pytest
from PIL import Image

from copa_nb.reports.assembly import assemble, normalize
from copa_nb.reports.folder import SCHEMA, read_manifest
from copa_nb.reports.jobs import Job
from copa_nb.reports.payloads import ANSWER, DATA, FIGURE, TABLE

KERNEL = {"name": "python3", "display_name": "Python 3"}


def executed(*counts):
    cells = [nbformat.v4.new_code_cell(f"x = {k}", id=f"c{k}", execution_count=n) for k, n in enumerate(counts)]
    first = nbformat.v4.new_markdown_cell("# A report\n\nWhat it shows.", id="a")
    return nbformat.v4.new_notebook(cells=[first, *cells])


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
    drawn = io.BytesIO()
    Image.new("RGB", (400, 300), "navy").save(drawn, "png")
    drawn = drawn.getvalue()
    outputs = [
        payload(FIGURE, figure, **{"image/png": base64.b64encode(drawn).decode()}),
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
    assemble(job, folder, fingerprint="x", phases={"cells": 2.5}, table="../m.csv")
    manifest = read_manifest(folder)
    run = manifest.pop("run")
    assert run["table"] == "../m.csv"
    assert run["phases"]["cells"] == 2.5
    assert run["seconds"] == pytest.approx(2.5 + run["phases"]["pages"], abs=0.006)
    assert set(manifest.pop("files")) == {
        "figures/f.csv", "figures/f.pdf", "figures/f.png", "figures/f.svg", "report.ipynb", "report.html",
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
        "parameters": {"p": "inf", "n": 5},
        "given": {"n": 5},
        "notebook": {"file": "a.ipynb", "sha256": hashlib.sha256(source_file.read_bytes()).hexdigest()},
        "data": [source],
        "versions": {},
        "fingerprint": "x",
        "claims": [],
        "figures": [{key: figure[key] for key in ("name", "finding", "caption", "alt", "width", "height")}],
        "tables": [{"name": "t", "caption": "T.", "total": 2}],
    }
    assert (folder / "figures/f.pdf").read_bytes() == b"%PDF"
    with Image.open(folder / "figures/f.png") as picture:
        assert picture.width == 400
        assert picture.height > 350, "title and source have room above and below"
        colors = picture.convert("RGB").getcolors(picture.width * picture.height)
    assert {color: count for count, color in colors}[0, 0, 128] == 400 * 300, "the picture itself is whole"
    assert (folder / "figures/f.svg").read_text() == "<svg/>"
    assert (folder / "tables/t.tex").read_text() == "x"
    kept = nbformat.read(folder / "report.ipynb", as_version=4).metadata["copa_nb"]
    assert kept == {"files": True, "name": "copa/a", "index": "../../index.html"}
