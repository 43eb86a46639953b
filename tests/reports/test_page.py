"""Pages and print: from payloads to HTML and PDF, with nothing from a network."""

import base64
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from bs4 import BeautifulSoup

from copa_nb.claims.verdicts import OF_PAPERS, OWN
from copa_nb.explorers.widget import page_script
from copa_nb.reports import pdf
from copa_nb.reports.page import parameter_rows, to_html
from copa_nb.reports.payloads import ANSWER, CLAIM, FIGURE, TABLE, TEXT
from copa_nb.reports.typography import breakable, table_layout, width_class
from copa_nb.results.templates import shipped_folder, template_text
from tests.policies import allowed, check_policy, hashed

SVG = '<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg" width="40" height="30"><path d="M0 0L40 30"/></svg>'
PNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="


def shown(kind=None, payload=None, **data):
    bundle = {"text/plain": "plain", **data} | ({kind: payload} if kind else {})
    return {"output_type": "display_data", "data": bundle, "metadata": {}}


POINTS = {"axes": [["x", "y"]], "points": [[100, 200, 0, "</script><b>", "1", "2"]]}


def figure(svg=SVG, png=PNG, narrow=False):
    payload = {"name": "f", "finding": "It <rises>.", "caption": "Caption <&>.", "alt": 'Alt "text"', "width": 40}
    payload |= {"height": 30, "svg": svg, "points": POINTS, "pdf": "JVBERg==", "csv": "a\n1\n", "narrow": None}
    if narrow:
        payload["narrow"] = {"svg": svg.replace("40", "20"), "width": 20, "height": 30, "points": POINTS}
    return shown(FIGURE, payload, **{"image/png": png})


def table(n_columns, folded=False):
    columns = [f"column_<{number}>" for number in range(n_columns)]
    rows = [["a/very_long-name" if number == 0 else "0.1234" for number in range(n_columns)]] * 30
    payload = {"name": "t", "caption": "Numbers.", "folded": folded, "columns": columns, "rows": rows, "total": 90}
    return shown(TABLE, payload | {"numeric": [False] + [True] * (n_columns - 1), "csv": "a", "latex": "b"})


def claims():
    for verdict in (*OF_PAPERS, *OWN):
        payload = {"id": verdict.replace(" ", "-"), "paper": "COPA", "says": "<s>", "found": "f<1>", "verdict": verdict}
        payload |= {"note": "<n>", "reason": "<r>", "place": "p. <3>", "printed": "<18>", "ours": "<17>"}
        payload |= {"tolerance": "<1>", "other_data": "<o>", "own": verdict in OWN}
        yield shown(CLAIM, payload)


def answer():
    return shown(ANSWER, {"headline": "<H> is best", "lines": ["<l>"], "question": "Which <one>?", "certainty": "<c>"})


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
    assert "Figure 1" not in page, "only the papers' figures have numbers"
    assert "It &lt;rises&gt;." in page
    assert "Caption &lt;&amp;&gt;." in page
    assert "First 30 of 90 rows" in page
    assert "column_<wbr/>&lt;0&gt;" in page.replace("<wbr>", "<wbr/>")
    assert "7 claims" in page
    for verdict in (*OF_PAPERS, *OWN):
        assert f'id="{verdict.replace(" ", "-")}"' in page
    for hostile in ("<s>", "<n>", "<r>", "<18>", "<17>", "<o>", "<3>", "<rises>"):
        assert hostile not in page
        assert page.count(hostile.replace("<", "&lt;").replace(">", "&gt;")) >= 1
    assert "</script><b>" not in page


def test_the_page_opens_with_the_answer_wherever_it_was_recorded(executed):
    page = to_html(executed(figure(), *claims(), answer()))
    assert "<title>&lt;H&gt; is best</title>" in page
    assert "<h1>&lt;H&gt; is best</h1>" in page
    assert page.count("<h1>") == 1
    assert page.index("<span>A report</span>") < page.index("<h1>"), "the notebook's heading stands above"
    box = str(BeautifulSoup(page, "html.parser").find(id="answer"))
    for text in ("Which &lt;one&gt;?", "&lt;l&gt;", "&lt;c&gt;", "reproduced", "fails on other data"):
        assert text in box
    assert page.index("Which &lt;one&gt;?") < page.index("It &lt;rises&gt;.")


def test_results_in_words_are_prose(executed):
    page = to_html(executed(shown(TEXT, {"blocks": ["a_b <1>", ["*one*", "two"]]})))
    assert "<p>a_b &lt;1&gt;</p>" in page
    assert "<ul><li>*one*</li><li>two</li></ul>" in page


@pytest.mark.parametrize("notes", [(True,), (True, True), (True, False), (False,)])
def test_a_section_that_has_only_notes_loses_its_heading(executed, notes):
    outputs = [shown(TEXT, {"blocks": [f"Sentence {number}."], "note": one}) for number, one in enumerate(notes)]
    made = executed(*outputs)
    made.cells.insert(-1, nbformat.v4.new_markdown_cell("## A section\n\nOf the section.", id="section"))
    page = to_html(made)
    assert ("A section" in page) == ("Of the section." in page) == (not all(notes))
    assert "Sentence 0." in page


def test_figures_are_vectors_unless_they_are_huge(executed, monkeypatch):
    assert "data:image/svg+xml" in to_html(executed(figure()))
    monkeypatch.setattr("copa_nb.reports.page._LARGEST_SVG", 10)
    assert "data:image/png" in to_html(executed(figure()))
    assert "data:image/png" not in to_html(executed(figure()), vector=True)


def test_phones_get_the_narrow_variant(executed):
    page = to_html(executed(figure(narrow=True)))
    source = BeautifulSoup(page, "html.parser").find("source")
    assert source["media"] == "screen and (max-width: 34rem)"
    assert b'width="20"' in base64.b64decode(source["srcset"].removeprefix("data:image/svg+xml;base64,"))
    assert "<source" not in to_html(executed(figure()))


def test_nothing_runs_on_a_page_but_its_own_script(executed):
    page = to_html(executed(figure(), shown(**{"text/html": "<p onclick='x()'><script>alert(1)</script>"})))
    foreign, own = re.findall(r"(?s)<script>(.*?)</script>", page)
    assert foreign == "alert(1)"
    assert own == template_text("copa_report/points.js")
    check_policy(page, images=["'self'", "data:"], scripts=[own])


def test_a_page_to_send_has_its_downloads_inside_and_no_dead_links(executed):
    made = executed(figure(), table(3))
    made.metadata["copa_nb"] = {"files": True, "notebook": "report.ipynb", "index": "../index.html", "name": "a"}
    beside, alone = to_html(made), to_html(made, single_file=True)
    assert 'href="figures/f.pdf"' in beside
    assert 'href="manifest.json"' in beside
    links = re.findall(r'href="([^"]+)"', alone)
    assert all(link.startswith(("#", "data:")) for link in links)
    downloads = {link["download"]: link["href"] for link in BeautifulSoup(alone, "html.parser")(download=True)}
    assert set(downloads) == {"f.pdf", "f.svg", "f.png", "f.csv", "t.csv", "t.tex"}
    assert base64.b64decode(downloads["f.csv"].removeprefix("data:text/csv;base64,")) == b"a\n1\n"
    assert not re.findall(r'href="(?!#)', to_html(executed(figure(), table(3)))), (
        "without files there is nothing to link to"
    )


def test_numbers_are_aligned_at_the_decimal_point(executed):
    wide = table(2)
    wide["data"][TABLE]["rows"] = [["a", "13.0"], ["b", "0.470"], ["c", "7"], ["d", "–"]]
    page = to_html(executed(wide))
    cells = re.findall(r'<td class="number">(.*?)</td>', page)
    unseen = [re.sub(r".*?<span[^>]*>(.*)</span>", r"\1", cell) if "<span" in cell else "" for cell in cells]
    assert unseen == ["00", "", ".000", ".000"]


def test_long_evidence_can_be_folded(executed):
    assert "<details><summary>" in to_html(executed(table(3, folded=True)))
    assert "<details><summary>" not in to_html(executed(table(3)))


def figure_called(name):
    drawn = figure()
    drawn["data"][FIGURE] |= {"name": name}
    return nbformat.from_dict(drawn)


def sectioned(executed, *, named=False):
    """An answered notebook with method, data and two figures, the second of them named as the main one or not."""
    made = executed(answer())
    code, text = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell
    preview = nbformat.from_dict(shown(**{"text/html": "<table><tr><td>first rows</td></tr></table>"}))
    tags = {"tags": ["main-figure"]} if named else {}
    made.cells += [
        text("## The data", id="a"), code("data", id="b", outputs=[preview]),
        text("## First\n\nOf the first.", id="c"), code("one", id="d", outputs=[figure_called("one")]),
        text("## Second", id="e"), code("two", id="f", outputs=[figure_called("two")], metadata=tags),
    ]  # fmt: skip
    return made


@pytest.mark.parametrize("named", [False, True])
def test_the_card_has_the_first_figure_or_the_one_that_is_named(executed, named):
    page = BeautifulSoup(to_html(sectioned(executed, named=named)), "html.parser")
    main, other = ("two", "one") if named else ("one", "two")
    assert [one["id"] for one in page.select("#answer figure.plot")] == [f"figure-{main}"]
    assert [one["id"] for one in page.select("figure.plot")] == [f"figure-{main}", f"figure-{other}"]
    headings = [one.text for one in page.select("main > .prose h2")]
    assert headings == (["First"] if named else ["First", "Second"]), "a heading that nothing follows is left out"


def test_method_and_data_fold_away_in_the_card(executed):
    page = BeautifulSoup(to_html(sectioned(executed)), "html.parser")
    (folded,) = page.select("#answer details.behind")
    assert "first rows" in folded.text
    assert "The data" in folded.text
    assert "Of the first." not in folded.text
    assert page.select("#provenance details")
    assert len(page.select("details:not(.menu)")) == 2


def test_code_is_behind_one_switch(executed):
    page = BeautifulSoup(to_html(sectioned(executed)), "html.parser")
    assert len(page.select("#show-code")) == 1
    assert [one.text.strip() for one in page.select("section.code")][-2:] == ["one", "two"]
    assert not page.select("details .code details, details.code")
    bare = executed()
    bare.cells = [cell for cell in bare.cells if cell.cell_type == "markdown"]
    assert not BeautifulSoup(to_html(bare), "html.parser").select("#show-code")


def test_the_card_folds_what_is_beyond_seventy_words(executed):
    sentence = f"{'Word ' * 29}end."
    given = {"headline": "H", "lines": [f"{sentence} {sentence}", "Short."], "question": "", "certainty": sentence}
    page = BeautifulSoup(to_html(executed(shown(ANSWER, given))), "html.parser")
    seen = " ".join(one.text for one in page.select(".reasons p"))
    folded = " ".join(one.text for one in page.select("details.behind > p"))
    assert len(seen.split()) == 61
    assert folded == sentence
    assert "Short." in seen


def test_a_page_that_is_shared_has_title_sentence_and_picture(executed):
    made = executed(answer(), figure())
    made.metadata["copa_nb"] = {"files": True, "index": "../index.html", "name": "a"}
    page = BeautifulSoup(to_html(made), "html.parser")
    shared = {one["property"]: one["content"] for one in page.select("meta[property]")}
    assert shared == {"og:title": "<H> is best", "og:description": "<l>", "og:image": "figures/f.png"}


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
    rows = BeautifulSoup(page, "html.parser").select("#parameters tbody tr")
    assert [row.code.text for row in rows] == ["p", "w", "n"], "what was changed comes first"
    assert [bool(row.get("class")) for row in rows] == [True, True, False]


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
    assert "warned" not in page.replace(".printed.warned", "").replace("--warned", ""), "warnings stay in the notebook"
    assert "printed &lt;b&gt;red" in page
    assert "E: v&lt;1" in page
    assert "\x1b" not in page


def test_a_page_has_minus_signs_and_its_files_the_hyphens_that_programs_read(executed):
    shown_table = table(2)
    shown_table["data"][TABLE] |= {"rows": [["gpt-4", "-0.5"], ["b", "12.25"]], "caption": "From -1 to 2."}
    shown_table["data"][TABLE]["csv"] = "a,-0.5"
    page = to_html(executed(shown_table), single_file=True)
    assert re.search(r">−0\.5<span[^>]*>0</span></td>", page), "below one another at the decimal point"
    assert "gpt-4" in page
    assert "From −1 to 2." in page
    assert base64.b64encode(b"a,-0.5").decode() in page


def test_labels_break_where_names_are_joined():
    assert breakable("models/b_<c>") == "models/<wbr>b_<wbr>&lt;c&gt;"
    assert breakable("co2_<kg> ↓") == "co2_<wbr>&lt;kg&gt;\u00a0↓"
    assert breakable("co2_kg ↓") == "co2_kg\u00a0↓"
    assert breakable("p = ∞") == "p\u00a0=\u00a0∞"
    assert breakable("-0.5") == "−0.5", "numbers stay whole"
    assert breakable("random forest") == "random\u00a0forest"
    assert breakable("random forest", 10) == "random forest", "a heading may be broken"
    assert [width_class(n) for n in (1, 7, 8, 10, 11, 13, 14)] == ["", "", "wide", "wide", "wider", "wider", "widest"]
    columns = [f"c{n}" for n in range(20)]
    table = {"columns": columns, "rows": [["1"] * 20], "numeric": [True] * 20}
    assert table_layout(table)["width"] == "widest"
    assert table_layout(table | {"folded": True})["width"] == "wider", "no page on its side for what paper hides"


@pytest.mark.parametrize(("width", "broad"), [(400, False), (900, True)])
def test_wide_figures_can_be_scrolled_on_a_narrow_screen(executed, width, broad):
    wide = figure()
    wide["data"][FIGURE]["width"] = width
    page = to_html(executed(wide))
    assert ('class="plot large broad"' in page) is broad
    assert ('aria-label="It &lt;rises&gt;."' in page) is broad


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
@pytest.mark.parametrize(("height", "printed"), [(400, 400), (850, 850), (1210, 877)])
def test_a_figure_is_printed_at_its_size_where_a_page_has_room(executed, height, printed):
    weasyprint = pytest.importorskip("weasyprint")
    drawn = figure(svg=SVG.replace('"40"', '"657"').replace('"30"', f'"{height}"'))
    drawn["data"][FIGURE] |= {"width": 657, "height": height}
    pages = weasyprint.HTML(string=to_html(executed(drawn), vector=True)).render().pages
    boxes = [box for page in pages for box in page._page_box.descendants() if box.element_tag == "img"]
    assert [round(box.height) for box in boxes] == [printed]
    assert round(boxes[0].width) == round(657 * printed / height)


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
    assert "It &lt;rises&gt;." in page
    assert "7 claims" in page
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


def test_what_was_printed_in_pieces_is_shown_in_one(executed):
    def said(text, name="stdout"):
        return {"output_type": "stream", "name": name, "text": text}

    pieces = [said("one "), said("warned", "stderr"), said("two\n"), shown(**{"text/html": "<p>"}), said("three")]
    page = BeautifulSoup(to_html(executed(*pieces, shown(**{"text/html": "<p>"}), said("\n \n"))), "html.parser")
    assert [block.text for block in page.select("pre") if " = " not in block.text] == ["one two\n", "three"]


def test_frames_are_known_by_their_page(executed):
    framed, plain = (executed(shown(**{"text/html": text})) for text in ('<iframe srcdoc="x">', "<p>"))
    assert hashed(page_script()) in allowed(to_html(framed))["script-src"]
    assert hashed(page_script()) not in allowed(to_html(plain))["script-src"]


def test_sections_that_show_nothing_are_left_out_and_their_code_stays(executed):
    notebook = executed(figure())
    code, text = nbformat.v4.new_code_cell, nbformat.v4.new_markdown_cell
    drawn = nbformat.from_dict(figure())
    tags = {"tags": ["if-shown"]}
    notebook.cells += [
        text("## Not asked for", id="a", metadata=tags), code("silent_one()", id="b"), code("silent_two()", id="c"),
        text("## Plain and silent", id="d"), code("silent_three()", id="e"),
        text("## Asked for", id="f", metadata=tags), code("loud()", id="g", outputs=[drawn]),
        text("## Last", id="h", metadata=tags), code("silent_four()", id="i"),
    ]  # fmt: skip
    page = BeautifulSoup(to_html(notebook), "html.parser")
    headings = [heading.text for heading in page.find_all("h2")]
    assert headings == ["Asked for"]
    source = " ".join(block.text for block in page.select(".code"))
    assert [f"silent_{word}()" in source for word in ("one", "two", "three", "four")] == [True] * 4
    assert not any("silent_" in block.text for block in page.select(".prose"))


def test_the_card_of_an_answer_is_a_table_under_its_headline(executed):
    card = {"columns": ["", "★ <a>", "best"], "rows": [["cost ↓", "1 (2nd)", "<0>"]]}
    said = shown(ANSWER, {"headline": "H", "lines": [], "question": "", "certainty": "", "card": card})
    page = BeautifulSoup(to_html(executed(said)), "html.parser").select_one("section.answer")
    assert [cell.text for cell in page.select("table th, table td")] == [
        "",
        "★ <a>",
        "best",
        "cost ↓",
        "1 (2nd)",
        "<0>",
    ]
    assert [one.name for one in page.find_all(["h1", "table"])] == ["h1", "table"]
