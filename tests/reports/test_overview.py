"""The index, the ledger, and what is exported of finished reports."""

import csv
import json
import re
import shutil
import subprocess

import pytest
from bs4 import BeautifulSoup

from copa_nb.claims.collection import installed
from copa_nb.reports.assembly import words_of
from copa_nb.reports.export import _preamble, export_for_latex, export_pages
from copa_nb.reports.overview import write_overview
from copa_nb.results.templates import template_text
from tests.policies import check_policy
from tests.reports.made import NAMES, make_reports


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        return make_reports(tmp_path_factory.mktemp("made"), patch)


def soup(path):
    return BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")


@pytest.mark.parametrize("name", ["index.html", "ledger.html"])
def test_only_the_filter_runs_on_index_and_ledger(folder, name):
    page = (folder / name).read_text(encoding="utf-8")
    assert soup(folder / name).title.text in (
        "Five papers on choosing among models, reproduced",
        "Ledger of claims",
    )
    scripts = re.findall(r"(?s)<script>(.*?)</script>", page)
    assert scripts == [template_text("copa_overview/filter.js")]
    check_policy(page, images=["'self'", "file:", "data:"], scripts=scripts)


def test_the_index_introduces_the_papers_and_titles_cards_by_findings(folder):
    index = soup(folder / "index.html")
    card = index.find("li", attrs={"data-name": NAMES[0]})
    assert card.h3.text == "Phi-3 emits 0.5 kg of CO₂"
    assert card.find(class_="item").text == "COPA, Figure 1 · Heading of copa/figure_1"
    assert {link["href"] for link in index.select(".reference a")} == {
        "https://arxiv.org/abs/2503.14321", "https://arxiv.org/abs/2212.04183"
    }  # fmt: skip
    assert "Javaloy" in index.select_one(".reference").text
    picture = index.select_one(".introduced .picture img")["src"]
    assert (folder / picture).is_file()


def claim_row(folder, id):
    return soup(folder / "ledger.html").find(id=id)


def details(row):
    return dict(zip((dt.text for dt in row("dt")), (dd.text for dd in row("dd")), strict=True))


def test_every_claim_is_one_click_from_its_evidence(folder):
    marks = soup(folder / "index.html").select(".matrix .mark")
    entries = soup(folder / "ledger.html").select("tr.claim a[href*='report.html']")
    assert len(marks) == len(entries) == 5
    for link in (*marks, *entries):
        page, anchor = link["href"].split("#")
        assert soup(folder / page).find(id=anchor)


def test_the_matrix_has_a_mark_for_each_claim_of_a_paper_under_its_verdict(folder):
    matrix = soup(folder / "index.html").select_one(".matrix")
    verdicts = [cell.span.text for cell in matrix.select("thead a")]
    copa = matrix.select_one("tbody tr")
    assert copa.th.text == "COPA: Comparing the incomparable in multi-objective model evaluation"
    found = {verdict: len(cell.select(".mark")) for verdict, cell in zip(verdicts, copa("td"), strict=True)}
    assert found == {"reproduced": 1, "differs": 1, "fails on other data": 1, "not covered": 0}


def test_a_false_claim_says_what_was_found(folder):
    row = claim_row(folder, "copa-front-size")
    says = installed().claims["copa-front-size"]["says"]
    assert [cell.get_text(strip=True) for cell in row("td")[1:]] == ["Section 1", "409", "differs", "not found"]
    assert row.summary.text == says
    assert details(row)["Found"] == "409 of them"
    assert row.get_text().count("two populations") == 1


def test_reasons_and_errata_are_counted_and_linked_to_their_evidence(folder):
    index = soup(folder / "index.html")
    assert "Why claims differ: 1 not found." in re.sub(r"\s+", " ", index.select_one(".matrix").text)
    assert index.select_one("#errata h2").text.startswith("Errata: 1 error in the papers")
    (erratum,) = index.select("#errata li")
    page, anchor = erratum.a["href"].split("#")
    assert (anchor, soup(folder / page).find(id=anchor).name) == ("copa-front-size", "article")
    assert erratum.text.startswith("COPA, Section 1: 487 is the size of the front")


def test_counts_keep_our_own_claims_apart(folder):
    index, ledger = (soup(folder / name) for name in ("index.html", "ledger.html"))
    expected = {"reproduced": 2, "differs": 1, "fails on other data": 1, "not covered": len(installed().claims) - 4}
    assert {a.span.text: int(a.b.text) for a in index.select(".matrix thead a")} == expected
    assert {a.span.text: int(a.b.text) for a in ledger.select(".tally a")} == expected
    assert "1 holds" in index.select(".matrix tbody tr")[-1].text
    assert claim_row(folder, "our-own").select_one(".own").text == "ours"


def test_what_a_paper_does_not_have_comes_after_what_it_has(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "reports")
    file = tmp_path / "reports" / NAMES[0] / "manifest.json"
    manifest = json.loads(file.read_text(encoding="utf-8"))
    file.write_text(json.dumps(manifest | {"paper": None}), encoding="utf-8")
    write_overview(tmp_path / "reports")
    section = soup(tmp_path / "reports/index.html").select_one("#paper-1")
    heading = section.select_one("h3.beyond")
    assert heading.text == "Beyond the paper"
    assert heading.find_previous("li")["data-name"] == NAMES[1]
    assert heading.find_next("li")["data-name"] == NAMES[0]


def test_the_ledger_has_the_papers_number_beside_ours(folder):
    row = claim_row(folder, "copa-fig1-half")
    assert (details(row)["Printed"], row("td")[2].text, row["data-verdict"]) == ("18%", "17%", "reproduced")
    with (folder / "ledger.csv").open(encoding="utf-8", newline="") as file:
        rows = {row["id"]: row for row in csv.DictReader(file)}
    assert (rows["copa-fig1-half"]["printed"], rows["copa-fig1-half"]["ours"]) == ("18%", "17%")
    assert len(rows) == len(installed().claims) + 1
    assert rows["ufg-example"]["verdict"] == "not covered"
    assert details(claim_row(folder, "ufg-example"))["Printed"] == "2/3, 2/3, 2/3"


@pytest.mark.parametrize(("word", "name"), [("co2", NAMES[0]), ("domainnet", NAMES[1]), ("模型", NAMES[0])])
def test_search_knows_every_word_of_a_page(folder, word, name):
    found = {
        other
        for other in NAMES
        if word in json.loads((folder / other / "manifest.json").read_text(encoding="utf-8"))["words"].split()
    }
    assert found == {name}


def test_words_are_those_that_a_reader_sees():
    hidden = '<script>no</script><section class="code">no</section><!-- no -->'
    assert words_of(f"{hidden}<p>A&lt;b <i>Å</i>x</p>") == "a<b a\u030a x"


def test_pages_to_send_link_to_nothing_beside_them(folder, tmp_path):
    made = export_pages(folder, tmp_path / "sent")
    written = made.written
    assert not made.failed
    assert [path.name for path in written] == ["copa-figure_1.html", "copa-figure_7.html", "gap-table_1.html"]
    for path in written:
        links = [link["href"] for link in soup(path)(href=True)]
        assert all(link.startswith(("#", "data:")) for link in links)
        assert all(soup(path).find(id=link[1:]) for link in links if link.startswith("#"))


def test_latex_has_widths_and_the_engine_that_names_need(folder, tmp_path):
    export_for_latex(folder, tmp_path / "latex")
    text = (tmp_path / "latex/reports.tex").read_text(encoding="utf-8")
    assert text.startswith("% Compile with LuaLaTeX or XeLaTeX: pdfLaTeX has no letters for 型模.")
    width = float(re.search(r"width=([\d.]+)\\linewidth", text)[1])
    assert 0.9 <= width <= 1
    assert r"\textbf{Two models.}" in text
    assert "luatexja" in text


def test_an_export_writes_nothing_where_a_file_was_edited_since_the_last_one(folder, tmp_path):
    target = tmp_path / "latex"
    written = export_for_latex(folder, target).written
    (target / "main.tex").write_text("mine", encoding="utf-8")
    assert export_for_latex(folder, target).written == written, "other files of the project do not matter"
    edited, lost = written[0], written[1]
    edited.write_text("edited", encoding="utf-8")
    lost.unlink()
    with pytest.raises(
        ValueError, match=f"latex has files that were edited, or not exported: figures/{edited.name}; move"
    ):
        export_for_latex(folder, target)
    assert edited.read_text(encoding="utf-8") == "edited"
    assert not lost.exists()
    edited.rename(tmp_path / "mine")
    assert export_for_latex(folder, target).written == written


def test_latex_without_such_names_needs_no_engine(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "reports")
    shutil.rmtree(tmp_path / "reports/copa/figure_1")
    export_for_latex(tmp_path / "reports", tmp_path / "paper")
    assert "Compiles with pdfLaTeX" in (tmp_path / "paper/reports.tex").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("engine", ["pdflatex", "lualatex", "xelatex"])
def test_the_sample_compiles(folder, tmp_path, engine):
    if shutil.which(engine) is None:
        pytest.skip(f"there is no {engine} here")
    shutil.copytree(folder, tmp_path / "reports")
    if engine == "pdflatex":
        shutil.rmtree(tmp_path / "reports/copa/figure_1")  # its names need another engine
    export_for_latex(tmp_path / "reports", tmp_path / "paper")
    command = [engine, "-interaction=nonstopmode", "-halt-on-error", "reports.tex"]
    done = subprocess.run(command, cwd=tmp_path / "paper", capture_output=True, text=True, timeout=600, check=False)
    if lacking := re.search(r"File `(.*?)' not found", done.stdout):
        pytest.skip(f"the TeX here lacks {lacking[1]}")
    assert done.returncode == 0, done.stdout[-2000:]
    assert "Missing character" not in (tmp_path / "paper/reports.log").read_text(encoding="utf-8", errors="replace")


def test_pages_to_send_go_into_a_folder(folder, tmp_path):
    (tmp_path / "sent").write_text("mine", encoding="utf-8")
    with pytest.raises(ValueError, match=r"sent must be a folder, but it is a file"):
        export_pages(folder, tmp_path / "sent")


def test_greek_needs_another_engine_but_no_fonts_for_chinese():
    greek = "\n".join(_preamble("ΔΩ and more"))
    assert greek.startswith("% Compile with LuaLaTeX or XeLaTeX: pdfLaTeX has no letters for ΔΩ.\n")
    assert "fontspec" in greek
    assert "luatexja" not in greek
