"""Pages and print: from payloads to HTML and PDF, with nothing from a network."""

import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest

from copa_nb.reports import pdf
from copa_nb.reports.catalogue import shipped_folder
from copa_nb.reports.page import breakable, parameter_rows, to_html, width_class
from copa_nb.reports.record import CLAIM, FIGURE, TABLE, VERDICTS

SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M0 0L40 30"/></svg>'
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def shown(kind=None, payload=None, **data):
    bundle = {"text/plain": "plain", **data} | ({kind: payload} if kind else {})
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


def figure(svg=SVG, png=PNG):
    payload = {"name": "f", "caption": "Caption <&>.", "alt": 'Alt "text"', "stand_in": True, "width": 40, "height": 30}
    return shown(FIGURE, payload | {"svg": svg, "pdf": "", "csv": None}, **{"image/png": png})


def table(n_columns):
    columns = [f"column_<{number}>" for number in range(n_columns)]
    rows = [["a/very_long-name" if number == 0 else "0.1234" for number in range(n_columns)]] * 30
    payload = {"name": "t", "caption": "Numbers.", "stand_in": False, "columns": columns, "rows": rows, "total": 90}
    return shown(TABLE, payload | {"numeric": [False] + [True] * (n_columns - 1), "csv": "", "latex": ""})


def claims():
    for verdict in VERDICTS:
        identifier = verdict.replace(" ", "-")
        payload = {"id": identifier, "paper": "COPA", "says": "<s>", "found": "f", "verdict": verdict, "note": "<n>"}
        yield shown(CLAIM, payload)


@pytest.fixture
def executed(tmp_path, notebook):
    def build(*outputs, parameters='p: str = "inf"  # order', injected=""):
        made = nbformat.read(notebook(tmp_path / "a.ipynb", "x = 1", "y = 2", parameters=parameters), as_version=4)
        if injected:
            cell = nbformat.v4.new_code_cell(injected, id="injected", metadata={"tags": ["injected-parameters"]})
            made.cells.insert(2, cell)
        made.cells[-1].outputs = [nbformat.from_dict(output) for output in outputs]
        return made

    return build


def test_the_page_shows_every_kind_of_payload(executed):
    page = to_html(executed(figure(), table(3), *claims()))
    assert page.lower().startswith("<!doctype html>")
    assert "Figure 1." in page
    assert "Caption &lt;&amp;&gt;." in page
    assert "Shows stand-in data" in page
    assert "First 30 of 90 rows" in page
    assert "column_<wbr/>&lt;0&gt;" in page.replace("<wbr>", "<wbr/>")
    assert "4 claims" in page
    for verdict in VERDICTS:
        assert f'id="{verdict.replace(" ", "-")}"' in page
    assert "<s>" not in page
    assert "<n>" not in page


def test_the_smaller_of_png_and_svg_is_shown_on_screen_and_svg_in_print(executed):
    assert "data:image/png" in to_html(executed(figure(svg=SVG * 3)))
    assert "data:image/svg+xml" in to_html(executed(figure(png=PNG * 50)))
    assert "data:image/png" not in to_html(executed(figure(svg=SVG * 3)), vector=True)


def test_parameters_are_listed_with_what_was_changed(executed):
    parameters = 'p: str = "inf"  # order\nn: int = 3  # number\nw: dict = {}  # weights'
    made = executed(parameters=parameters, injected='# Parameters\np = "2"\nw = {"a": 0.5}')
    rows = parameter_rows(made)
    assert [(r["name"], r["value"], r["default"], r["changed"]) for r in rows] == [
        ("p", "2", "inf", True),
        ("n", "3", "3", False),
        ("w", "a: 0.5", "–", True),
    ]
    page = to_html(made)
    assert "(default inf)" in page
    assert page.count(">Code<") == 1, "cells that show nothing share one fold"


def test_other_notebooks_are_shown_as_well(executed):
    outputs = [
        shown(**{"text/html": "<table><tr><td>1</td></tr></table>"}),
        shown(**{"image/png": PNG}),
        shown(**{"image/svg+xml": SVG}),
        shown(**{"text/markdown": "*stressed*"}),
        shown(**{"application/javascript": "alert(1)"}),
        {"output_type": "stream", "name": "stdout", "text": "printed <b>\x1b[31mred\x1b[0m"},
        {"output_type": "stream", "name": "stderr", "text": "warned"},
        {"output_type": "error", "ename": "E", "evalue": "v", "traceback": ["\x1b[0;31mE\x1b[0m: v<1"]},
    ]
    page = to_html(executed(*outputs, parameters="n: int = 1  # n"))
    assert "<td>1</td>" in page
    assert "<em>stressed</em>" in page
    assert "alert(1)" not in page
    assert "printed &lt;b&gt;red" in page
    assert "E: v&lt;1" in page
    assert "\x1b" not in page


def test_labels_break_where_names_are_joined():
    assert breakable("models/b_<c>") == "models/<wbr>b_<wbr>&lt;c&gt;"
    assert breakable("co2_<kg> ↓") == "co2_<wbr>&lt;kg&gt;\u00a0↓"
    assert breakable("co2_kg ↓") == "co2_kg\u00a0↓"
    assert breakable("p = ∞") == "p\u00a0=\u00a0∞"
    assert breakable("-0.5") == "-0.5", "numbers stay whole"
    assert [width_class(n) for n in (1, 7, 8, 10, 11, 13, 14)] == ["", "", "wide", "wide", "wider", "wider", "widest"]


@pytest.mark.parametrize(("width", "broad"), [(400, False), (900, True)])
def test_wide_figures_can_be_scrolled_on_a_narrow_screen(executed, width, broad):
    wide = figure()
    wide["data"][FIGURE]["width"] = width
    page = to_html(executed(wide))
    assert ('class="plot broad"' in page) is broad
    assert ('aria-label="Figure 1"' in page) is broad


def test_code_that_shows_nothing_at_the_end_joins_the_code_before_it(executed):
    notebook = executed(figure())
    notebook.cells.append(nbformat.v4.new_code_cell("report.close()", id="close"))
    page = to_html(notebook)
    assert page.count("<summary>Code</summary>") == 1
    assert "close" in page


@pytest.mark.slow
def test_weasyprint_prints_vectors_and_embeds_fonts(executed):
    pytest.importorskip("weasyprint")
    made = executed(figure(), table(9), table(12), table(16), *claims())
    printed = pdf.to_pdf(to_html(made, vector=True))
    assert printed.startswith(b"%PDF")
    assert printed == pdf.to_pdf(to_html(made, vector=True))
    assert b"/FontFile" in printed or b"/FontFile" in _inflated(printed)
    assert b"/Subtype /Image" not in _inflated(printed)


@pytest.mark.slow
@pytest.mark.skipif(pdf.find_browser() is None, reason="there is no Chromium here")
def test_a_chromium_prints_where_weasyprint_is_missing(executed, monkeypatch):
    monkeypatch.setattr(pdf, "has_weasyprint", lambda: False)
    pdf.check_pdf()
    printed = pdf.to_pdf(to_html(executed(figure(), table(3)), vector=True))
    assert printed.startswith(b"%PDF")
    assert b"20000101000000" in printed


def test_without_either_the_error_has_the_line_that_helps(monkeypatch):
    monkeypatch.setattr(pdf, "has_weasyprint", lambda: False)
    monkeypatch.setattr(pdf, "find_browser", lambda: None)
    for call in (pdf.check_pdf, lambda: pdf.to_pdf("<p>")):
        with pytest.raises(pdf.PdfUnavailableError, match=r"pip install 'copa_nb\[pdf\]'"):
            call()


def test_print_loads_nothing_from_outside(tmp_path, monkeypatch):
    weasyprint = pytest.importorskip("weasyprint")
    secret = tmp_path / "secret.svg"
    secret.write_text(SVG, encoding="utf-8")
    opened = []
    opener = weasyprint.urls.URLFetcher.open
    monkeypatch.setattr(
        weasyprint.urls.URLFetcher, "open", lambda self, *a, **k: opened.append(a) or opener(self, *a, **k)
    )
    pdf.to_pdf(f'<img src="{secret.as_uri()}"><img src="http://127.0.0.1:9/x.png">')
    assert not opened


@pytest.mark.slow
def test_nbconvert_finds_the_template_where_it_is_installed(executed, tmp_path):
    # An installation puts templates below share/jupyter/nbconvert/templates of the environment.
    share = tmp_path / "share/jupyter"
    shutil.copytree(shipped_folder("templates") / "copa_report", share / "nbconvert/templates/copa_report")
    source = tmp_path / "executed.ipynb"
    nbformat.write(executed(figure(), *claims()), source)
    command = [sys.executable, "-m", "nbconvert", "--to", "html", "--template", "copa_report", str(source)]
    done = subprocess.run(
        command, env={**os.environ, "JUPYTER_PATH": str(share)}, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    page = (tmp_path / "executed.html").read_text(encoding="utf-8")
    assert "Figure 1." in page
    assert "4 claims" in page
    assert not re.search(r"(src|href)=.https?:", page)
    assert "manifest.json" not in page, "there are no files beside it to link to"
    assert json.loads(source.read_text(encoding="utf-8"))["cells"]


def _inflated(document):
    import zlib

    found = []
    for match in re.finditer(rb"stream\r?\n(.*?)\r?\nendstream", document, re.DOTALL):
        try:
            found.append(zlib.decompress(match[1]))
        except zlib.error:
            continue
    return document + b"".join(found)
