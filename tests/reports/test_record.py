"""What a notebook records is what later leaves it: every payload complete, escaped and steady."""

import base64
import io
import platform
import re

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb.reports import Answer, Record
from copa_nb.reports import record as module
from copa_nb.reports.figures import render
from copa_nb.reports.payloads import FIGURE
from copa_nb.reports.record import FOR_NOTEBOOKS_ONLY
from copa_nb.text import csv_text, latex_text

matplotlib.use("Agg")
BUNDLED = {"name": "board", "kind": "bundled", "sha256": "ab" * 32, "origin": "a leaderboard"}


@pytest.fixture
def shown(monkeypatch):
    """Collect what would be displayed, as (kind, payload, shown, metadata)."""
    outputs = []

    def keep(payload=None, *, kind="", metadata=None, **parts):
        outputs.append({"kind": kind, "payload": payload, "metadata": metadata or {}} | parts)

    monkeypatch.setattr(module, "emit", keep)
    return outputs


def draw():
    figure, ax = plt.subplots(figsize=(4, 3))
    ax.plot([0, 1], [0, 1])
    return figure, ax


def test_a_figure_travels_in_three_formats_with_its_numbers(shown):
    figure, ax = draw()
    Record(paper="COPA").figure(ax, name="front", caption="A <front>.", alt="A line", data=pd.DataFrame({"y": [1.5]}))
    payload = shown[0]["payload"]
    assert shown[0]["png"].startswith(b"\x89PNG")
    assert payload["svg"].startswith("<?xml")
    assert base64.b64decode(payload["pdf"]).startswith(b"%PDF")
    assert pd.read_csv(io.StringIO(payload["csv"]))["y"].tolist() == [1.5]
    assert not plt.fignum_exists(figure.number), "an open figure would be shown twice"
    assert "&lt;front&gt;" in shown[1]["html"]
    assert shown[1]["metadata"] == FOR_NOTEBOOKS_ONLY


def test_the_same_figure_gives_the_same_bytes(shown):
    for _ in range(2):
        figure, _ax = draw()
        Record().figure(figure, name="front", caption="c", alt="a")
    first, second = shown[0], shown[2]
    assert first["png"] == second["png"]
    assert first["payload"] == second["payload"]


def test_the_three_formats_show_the_same_area_and_leave_the_figure_as_it_was(shown):
    fig, axes = plt.subplots(1, 2, figsize=(5, 2), layout="constrained", dpi=70)
    image = axes[0].imshow([[0, 1], [2, 3]])
    axes[1].set_ylabel("a label that needs room")
    fig.colorbar(image, ax=axes)
    engine = fig.get_layout_engine()
    rendered = render(fig, salt="areas")
    box = re.search(rb"/MediaBox \[ *0 0 ([\d.]+) ([\d.]+) *\]", rendered.pdf)
    width, height = re.search(rb'width="([\d.]+)pt" height="([\d.]+)pt"', rendered.svg).groups()
    in_points = np.array([rendered.width, rendered.height]) * 72 / 96
    assert np.abs(np.array(box.groups(), dtype=float) - in_points).max() <= 1
    assert np.abs(np.array([width, height], dtype=float) - in_points).max() <= 1
    assert (fig.dpi, fig.get_layout_engine()) == (70, engine)


def test_a_claim_has_one_verdict_per_report(shown):
    report = Record(paper="COPA")
    report.claim("a-b", says="s", found="f", holds=True)
    with pytest.raises(ValueError, match="checked already"):
        report.claim("a-b", says="s", found="f", holds=False)


def test_a_report_has_one_answer_and_shows_it_escaped(shown):
    report = Record(paper="COPA")
    report.answer(Answer("<b>ViT</b> is chosen", ["because"], question="Which?", certainty="in 9 of 10"))
    payload = shown[0]["payload"]
    assert payload == {
        "headline": "<b>ViT</b> is chosen",
        "lines": ["because"],
        "question": "Which?",
        "certainty": "in 9 of 10",
        "values": {},
        "details": [],
    }
    assert "&lt;b&gt;ViT" in shown[0]["html"]
    with pytest.raises(ValueError, match="already given"):
        report.answer(Answer("another"))


def test_results_are_shown_in_words_and_labels_are_not_read_as_markup(shown):
    class Result:
        def explain(self):
            return "a_b_c is *first*.\n\n<i>d</i> is last."

    Record().text(Result(), ["one", "", "two"], "")
    assert shown[0]["payload"]["blocks"] == ["a_b_c is *first*.", "<i>d</i> is last.", ["one", "two"]]
    assert "a_b_c is *first*." in shown[0]["html"]
    assert "<i>" not in shown[0]["html"]
    Record().text("", [])
    assert len(shown) == 1, "nothing to say, nothing shown"


def test_a_figure_from_a_function_is_drawn_for_the_page_and_for_a_phone(shown):
    drawn, open_before = [], plt.get_fignums()

    def draw_here():
        figure, _ax = plt.subplots()
        drawn.append(figure.get_figwidth())
        return figure

    Record().figure(draw_here, name="front", finding="It falls", caption="c", alt="a")
    payload = next(output["payload"] for output in shown if output["kind"] == FIGURE)
    assert len(drawn) == 2
    assert drawn[1] < drawn[0]
    assert payload["narrow"]["width"] < payload["width"]
    assert payload["narrow"]["svg"].startswith("<?xml")
    assert "It falls" in shown[0]["html"], "the finding stands above the figure"
    assert plt.get_fignums() == open_before


def test_tables_carry_everything_and_show_the_first_rows(shown):
    table = pd.DataFrame({"loss": np.linspace(-1, 1, 30)}, index=pd.Index([f"m{i}" for i in range(30)], name="model"))
    Record().table(table, name="t", caption="All & sundry", headers={"loss": "loss ↓"}, most=5)
    payload = shown[0]["payload"]
    assert payload["columns"] == ["model", "loss ↓"]
    assert [row[1] for row in payload["rows"]] == ["-1.00", "-0.93", "-0.86", "-0.79", "-0.72"]
    assert payload["numeric"] == [False, True]
    assert len(payload["rows"]) == 5
    assert payload["total"] == 30
    assert len(pd.read_csv(io.StringIO(payload["csv"]))) == 30
    assert r"All \& sundry" in payload["latex"]
    assert r"loss $\downarrow$" in payload["latex"]
    assert "First 5 of 30 rows" in shown[0]["html"]


def test_a_single_wide_row_is_read_from_top_to_bottom(shown):
    row = pd.DataFrame({"co2_kg": [1.5], "rows": [3], "best": ["b"], "p": [0.25], "n": [7]}, index=["a"])
    Record().table(row, name="wide", caption="c", headers={"p": "p of fronts"})
    Record().table(row.iloc[:, :4], name="narrow", caption="c")
    Record().table(pd.concat([row, row]), name="two", caption="c")
    wide, narrow, two = (one["payload"] for one in shown)
    assert wide["columns"] == ["", "a"]
    assert wide["rows"] == [["CO₂ (kg)", "1.50"], ["rows", "3"], ["best", "b"], ["p of fronts", "0.250"], ["n", "7"]]
    assert (len(narrow["rows"]), len(two["rows"])) == (1, 2)
    assert pd.read_csv(io.StringIO(wide["csv"])).shape == (1, 6), "files keep the row"


def test_columns_of_one_scale_have_fixed_decimals(shown):
    table = pd.DataFrame({"hv": [0.617, 0.51234, float("nan")], "rows": [27, 4, 1]})
    Record().table(table, name="t", caption="c", decimals=4)
    payload = shown[0]["payload"]
    assert payload["rows"] == [["0.6170", "27"], ["0.5123", "4"], ["–", "1"]]
    assert "0.6170 & 27" in payload["latex"]
    assert "0.51234" in payload["csv"]


def test_hostile_labels_are_escaped_everywhere(shown):
    label = "<b>x</b>"
    frame = pd.DataFrame({label: ["=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "safe"], "n": [-1, -2, -3, 4, 5, 6]})
    Record().table(frame, name="t", caption=label)
    assert label not in shown[0]["html"]
    back = pd.read_csv(io.StringIO(shown[0]["payload"]["csv"]))
    assert all(text.startswith(("'", "safe")) for text in back[label])
    assert back["n"].tolist() == [-1, -2, -3, 4, 5, 6], "numbers are not text"


@pytest.mark.parametrize(
    "start", ["=", "+", "-", "@", "\t", "\r", "\n=", "\n", " =", "＝", "＋", "－", "＠", "\u00a0="]
)
def test_no_cell_is_a_formula_however_it_starts(start):
    (cell,) = pd.read_csv(io.StringIO(csv_text(pd.DataFrame({"a": [f"{start}1+1"]}))), dtype=str)["a"]
    assert cell.startswith("'")


def test_a_further_line_of_a_cell_is_no_formula_either():
    text = csv_text(pd.DataFrame({"a": ["x\n=1", "x\n- item", "a = b", "x=1", -1.0, "a@b"]}))
    assert "\n'=1" in text
    for unchanged in ("x\n- item", "\na = b", "\nx=1", "\n-1.0", "\na@b"):
        assert unchanged in text


def test_csv_guards_headers_and_row_labels_too():
    text = csv_text(pd.DataFrame({"=a": [1]}, index=["=b"]))
    assert text == ",'=a\n'=b,1\n"


def test_latex_escapes_commands():
    text = latex_text(pd.DataFrame({r"\input{x}": ["a_b & 5% $"]}), caption="c", label="tab:t")
    assert r"\textbackslash{}input\{x\}" in text
    assert r"a\_b \& 5\% \$" in text


def test_latex_names_symbols_and_aligns_numbers():
    table = pd.DataFrame({"τ of y₁ ↓": [-0.5, 0.125], "σ² ÷ √10⁻⁸": ["▼ μ", "½"]})
    text = latex_text(table, caption="c", label="tab:t", digits=3)
    assert r"$\tau$ of y$_1$ $\downarrow$ & $\sigma$$^2$ $\div$ $\surd$10$^-$$^8$ \\" in text
    assert r"$-$0.500 & $\bigtriangledown$ $\mu$ \\" in text
    assert "    0.125 & ½" in text


def test_latex_breaks_what_makes_a_table_wider_than_a_page():
    long = pd.DataFrame({"score on all the held-out data": [0.5], "words": ["word " * 20]})
    narrow, wide = (latex_text(table, caption="c", label="tab:t") for table in (long[:1].iloc[:, :1], long))
    assert "shortstack" not in narrow
    assert r"\shortstack[r]{score on \\ all the \\ held-out \\ data} & words" in wide
    assert r"\begin{tabular}{rp{18em}}" in wide


@pytest.mark.parametrize("name", ["", "a/b", "../up", "a b", None, "_x"])
def test_names_become_files_and_are_checked(shown, name):
    with pytest.raises(ValueError, match="`name`"):
        Record().table(pd.DataFrame({"a": [1]}), name=name, caption="c")


def test_a_name_serves_once(shown):
    report = Record()
    report.table(pd.DataFrame({"a": [1]}), name="t", caption="c")
    with pytest.raises(ValueError, match="already used"):
        report.table(pd.DataFrame({"a": [1]}), name="t", caption="c")


@pytest.mark.parametrize("argument", ["caption", "alt"])
def test_figures_need_words(shown, argument):
    figure, _ax = draw()
    words = {"caption": "c", "alt": "a"} | {argument: " "}
    with pytest.raises(ValueError, match=argument):
        Record().figure(figure, name="front", **words)
    plt.close(figure)


def test_data_says_where_it_comes_from(shown):
    report = Record()
    frame = pd.DataFrame({"a": [1]})
    with pytest.raises(TypeError, match="`source`"):
        report.data(frame)
    with pytest.raises(ValueError, match="`kind`"):
        report.data(BUNDLED | {"kind": "invented"})
    frame.attrs["source"] = BUNDLED
    report.data(frame)
    report.data(BUNDLED)
    assert report.sources == [BUNDLED], "the same source is recorded once"


def test_papers_are_known_by_name():
    with pytest.raises(ValueError, match="Mind the Gap"):
        Record(paper="Mind the gap")
    with pytest.raises(ValueError, match="`id`"):
        Record().claim("Not An Id", says="s", found="f", holds=True)


def test_the_footer_has_versions_and_data(shown):
    report = Record(paper="COPA", item="Figure 1")
    report.data(BUNDLED)
    report.claim("copa-fig1-half", found="<i>s</i>", ours=0.2, holds=False, note="why")
    report.close()
    footer = shown[-1]["payload"]
    assert footer["data"] == [BUNDLED]
    assert {"python", "copa_nb", "numpy", "pandas", "matplotlib"} <= set(footer["versions"])
    table = shown[-2]["html"]
    assert "&lt;i&gt;s" in table
    assert "differs" in table
    assert "18%" in table, "the printed number stands beside ours"


@pytest.mark.parametrize(
    ("paper", "used", "names"),
    [("COPA", "", ["Javaloy"]), ("COPA", "gap", ["Javaloy", "Feurer"]), (None, "board", ["Mogstad"]), (None, "", [])],
)
def test_a_report_ends_with_what_to_cite(shown, paper, used, names):
    report = Record(paper=paper)
    report.data(BUNDLED)
    report.answer(Answer("so", used=used))
    report.close()
    footer = shown[-1]["payload"]
    assert [part.split()[0].rstrip(",") for part in footer["cite"].split("; ")] == [*names, "the", "copa_nb"]
    verbs = [verb for verb in ("copa" if paper else "", used) if verb]
    assert footer["bibtex"] == copa_nb.citations(*verbs or ["report"])
    assert all(name in footer["bibtex"] for name in names)
    assert f"Cite {footer['cite']}." in shown[-1]["text"]


def test_a_record_says_what_is_in_it(shown):
    report = Record(paper="COPA", item="Figure 1")
    report.table(pd.DataFrame({"a": [1]}), name="t", caption="c")
    report.data(BUNDLED)
    assert repr(report) == "<Record of COPA, Figure 1: 0 figures, 1 tables, 0 claims, 1 data sources>"
    assert repr(Record()) == "<Record of own analysis: 0 figures, 0 tables, 0 claims, 0 data sources>"


def test_versions_of_what_is_not_installed_are_said_to_be_missing():
    versions = module.installed_versions(["numpy", "no-such-library"], missing="absent")
    assert versions == {"python": platform.python_version(), "numpy": np.__version__, "no-such-library": "absent"}


def test_what_is_shown_in_a_notebook_and_outside(monkeypatch, capsys):
    module.emit({"a": 1}, kind="x/y", text="in words", html="<p>", png=b"p")
    assert capsys.readouterr().out == "in words\n"
    displayed = []
    monkeypatch.setattr("IPython.get_ipython", lambda: object())
    monkeypatch.setattr("IPython.display.display", lambda *given, **options: displayed.append((*given, options)))
    module.emit({"a": 1}, kind="x/y", metadata={"m": 2}, text="in words", html="<p>", png=b"p")
    module.emit(text="in words")
    full = {"text/plain": "in words", "text/html": "<p>", "image/png": "cA==", "x/y": {"a": 1}}
    assert displayed == [
        (full, {"raw": True, "metadata": {"m": 2}}),
        ({"text/plain": "in words"}, {"raw": True, "metadata": {}}),
    ]
    assert capsys.readouterr().out == ""


@pytest.mark.parametrize("lacking", ["name", "kind"])
def test_a_source_without_a_name_or_a_kind_is_refused(lacking):
    said = f"`source` lacks {lacking!r}; it must have name, kind, sha256 and origin."
    with pytest.raises(ValueError, match=re.escape(said)):
        Record().data(BUNDLED | {lacking: ""})


def test_headers_are_of_columns_that_are_there(shown):
    table = pd.DataFrame({"loss": [1.0], ("a_b", "c"): [2.0]})
    with pytest.raises(ValueError, match=r"`headers` names 'los', which is not a column\. Did you mean 'loss'\?"):
        Record().table(table, name="t", caption="c", headers={"los": "loss"})
    Record().table(table, name="t", caption="c", headers={"loss": "Loss ↓"})
    assert shown[0]["payload"]["columns"] == ["Loss ↓", "a b, c"]
