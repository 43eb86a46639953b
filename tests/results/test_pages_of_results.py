"""Pages and reports of results: every kind of result as one self-contained file."""

import functools
import html.parser
import itertools
import json
import re
import shutil
import subprocess
import xml.etree.ElementTree as ElementTree
from base64 import b64decode
from concurrent.futures import ThreadPoolExecutor

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

import copa_nb
from copa_nb.accessor import VERBS as ALL_VERBS
from copa_nb.results import citing
from copa_nb.results.result import Grouped, Result
from tests import asked, simplest
from tests.asked import scores_after_choice
from tests.policies import check_policy

WAYS = {"recall": "max", "cost_usd": "min"}
# Labels are data: markup, dollar signs and quotes are to be read, not obeyed.
NAMES = ["<b>A</b>", 'B "$x$"', "C & co", "D"]


def _runs():
    rows = itertools.product(NAMES, range(5))
    return pd.DataFrame(
        [
            {
                "system": name, "seed": seed, "recall": 0.5 + 0.1 * NAMES.index(name) + 0.013 * (seed * 7 % 5),
                "cost_usd": 3.0 - 0.5 * NAMES.index(name) + 0.11 * (seed * 3 % 5),
            }
            for name, seed in rows
        ]
    )  # fmt: skip


def _models():
    return _runs().groupby("system", sort=False)[[*WAYS]].mean()


def _paired():
    models = _runs()
    return pd.concat([models.add_prefix("val_"), models[::-1].reset_index(drop=True).add_prefix("test_")], axis=1)


def _gap(**options):
    return asked.gap(_paired(), objectives=WAYS, **options)


def _test():
    return asked.hv_test(_runs(), system="system", repeat="seed", new="D", baseline=NAMES[0], objectives=WAYS)


def _posets():
    return asked.posets(_runs(), system="system", item="seed", objectives=WAYS)


def _gsd_front():
    return asked.gsd_front(
        _runs(), system="system", item="seed", ordinal="recall", objectives=WAYS, nan_policy="worst", progress=False
    )


KINDS = {
    "Selection": lambda: asked.copa(_models(), objectives=WAYS),
    "Selection of one objective": lambda: asked.copa(_models(), objectives={"recall": "max"}),
    "PossibleChoices": lambda: asked.copa(
        _models().mask(_models() == _models().max()), objectives=WAYS, nan_policy="bounds"
    ),
    "Grouped": lambda: asked.copa(_runs(), objectives=WAYS, by="seed"),
    "Navigation": lambda: asked.copa(_models(), objectives=WAYS).navigate("recall"),
    "Criteria": lambda: asked.copa(_models(), objectives=WAYS).criteria(["mean", "inf"]),
    "Stability": lambda: asked.copa(_models(), objectives=WAYS).stability(n_resamples=20),
    "Sensitivity": lambda: asked.copa(_models(), objectives=WAYS).sensitivity(),
    "MeanRanks": lambda: asked.mean_ranks(_runs(), system="system", item="seed", objectives={"recall": "max"}),
    "FriedmanTest": lambda: KINDS["MeanRanks"]().friedman(),
    "Preferences": lambda: copa_nb.results.Preferences.from_statements(WAYS, "recall counts 2x cost_usd"),
    "Hypervolume": lambda: asked.hypervolume(_models(), objectives=WAYS),
    "Gap": _gap,
    "Gap of repetitions": lambda: _gap(repeat="val_seed"),
    "Gap of ties": lambda: _gap(keep="bounds"),
    "Gap of groups": lambda: asked.gap(_paired().reset_index(), objectives=WAYS, by="val_seed"),
    "GapComparison": lambda: _gap().compare(_gap(), names=(NAMES[0], NAMES[1])),
    "RepeatedComparison": lambda: _gap(repeat="val_seed").compare(_gap(repeat="val_seed")),
    "GapBudgets": lambda: asked.gap(_paired(), objectives=WAYS).budgets((2, 5)),
    "HypervolumeTest": _test,
    "Reporting": lambda: _test().reporting(),
    "Audit": lambda: asked.audit(_runs(), system="system", repeat="seed", objectives=WAYS, progress=False),
    "Power": lambda: _test().power(n_runs=(2, 3), n_simulations=20),
    "GsdFront": _gsd_front,
    "GsdTest": lambda: _gsd_front().test("D", n_resamples=20),
    "PosetSample": _posets,
    "DepthResult": lambda: _posets().depth(),
    "Agreement": lambda: _posets().depth().agreement(2),
    "Consensus": lambda: _posets().consensus(),
    "SuiteReview": lambda: _posets().review(),
    "ConfidentFront": lambda: asked.confident_front(_runs(), system="system", repeat="seed", objectives=WAYS),
    "Needed": lambda: asked.compare(
        _runs(), new="D", baseline="C & co", system="system", item="seed", objectives=WAYS
    ).needed(),
    "Intervals": lambda: scores_after_choice(_runs(), system="system", item="seed", objectives=WAYS),
    "Comparison": lambda: asked.compare(
        _runs(), new="D", baseline=NAMES[0], system="system", item="seed", objectives=WAYS, margin={"recall": 0.01}
    ),
    "Board": lambda: asked.board(_runs(), system="system", repeat="seed", objectives=WAYS),
    "Forecast": lambda: KINDS["Board"]().forecast(n_simulations=3),
    "BoardChanges": lambda: KINDS["Board"]().since(KINDS["Board"]()),
    "Cheaper": lambda: asked.cheaper(_models(), NAMES[0], cost="cost_usd", objectives=WAYS),
    "Attainment": lambda: asked.attainment(_runs(), system="system", repeat="seed", objectives=WAYS),
    "Indicators": lambda: asked.attainment(_runs(), repeat="system", objectives=WAYS).indicators(),
    "Overtuning": lambda: asked.gap(_paired(), objectives=WAYS).overtuning(),
    "HypervolumeTest by R2": lambda: asked.hv_test(
        _runs(), system="system", repeat="seed", new="D", baseline=NAMES[0], objectives=WAYS, indicator="r2"
    ),
    "RunsNeeded": lambda: copa_nb.power(solve="runs", effect=0.3, noise=0.05, n_simulations=40),
    "Elicitation": lambda: asked.copa(_models(), objectives=WAYS).elicit().elicitation,
    "Checked": lambda: copa_nb.check({"objectives": WAYS, "claims": [{"rank": NAMES[0]}]}, _models()),
    "SuiteComparison": lambda: _posets().compare(_posets()),
}
# What the other verbs return, from the simplest call that their signatures allow.
KINDS |= {
    kind: functools.partial(simplest.call, verb, _runs(), WAYS)
    for verb in ALL_VERBS
    if simplest.can_be_called(verb)
    for kind in simplest.returned(verb) - KINDS.keys()
    if issubclass(getattr(copa_nb.results, kind), Result)
}


class Page(html.parser.HTMLParser):
    """The elements of a page, with their attributes, and its text."""

    def __init__(self, page):
        super().__init__()
        self.elements, self.text = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data):
        self.text.append(data)

    def of(self, tag):
        return [attributes for name, attributes in self.elements if name == tag]


def test_every_kind_of_result_is_here():
    def below(kind):
        return {kind, *itertools.chain(*map(below, kind.__subclasses__()))}

    # With the classes that these are made of.
    made = {base for make in KINDS.values() for base in type(make()).__mro__}
    # Where tests of tables in pieces ran before, their results are known, too; they are pages of the same kinds.
    public = {
        kind
        for kind in below(Result)
        if kind.__module__.startswith("copa_nb.") and not kind.__module__.startswith("copa_nb.streams")
        if not kind.__name__.startswith("_")
    }
    assert {kind.__name__ for kind in public - made} == set()


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind not in ("Grouped", "Gap of groups")])
def test_a_result_has_a_table_words_a_plot_and_a_line(kind):
    result = KINDS[kind]()
    assert isinstance(result.table, pd.DataFrame)
    line = repr(result)
    assert re.fullmatch(rf"<{_called(result)}\b[^\n]*>", line), "a line that starts with what it is"
    assert not re.search(r"array\(|DataFrame|\bnan\b|=None", line)
    words = result.explain()
    assert words.endswith(".")
    always = ("Sensitivity", "Navigation")
    assert re.search(r"\d", words) or kind in always, "numbers; one row of this table is best under all weights"
    drawn = result.plot()
    assert isinstance(drawn, Axes)
    figure = "\n".join(letters.get_text() for letters in drawn.get_figure(root=True).findobj(Text))
    card = re.sub("<[^>]*>", "", result._repr_html_())
    given = "recall counts 2x cost_usd"  # the words of the reader's own statement
    assert not re.search(r"cost_usd|\bu_\w|\bcentral_\w", "\n".join([words, figure, card]).replace(given, ""))


# What goes into a paper has more.
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Reporting"])
def test_sentences_have_three_digits_at_most(kind):
    result = KINDS[kind]()
    said = result.explain() if hasattr(result, "explain") else ""
    numbers = re.findall(r"(?<![\w.])\d+\.\d+", said)
    assert [number for number in numbers if len(number.lstrip("0.").replace(".", "")) > 3] == []


def test_tables_for_papers_have_spoken_and_escaped_names(tmp_path):
    models = _models().rename(columns={"cost_usd": "co2_kg"})
    choice = asked.copa(models, objectives={"recall": "max", "co2_kg": "min"})
    written = choice.to_latex(tmp_path / "table.tex", caption="100% done.", label="tab:x", columns=["recall", "co2_kg"])
    assert (tmp_path / "table.tex").read_text(encoding="utf-8") == written
    assert r"\caption{100\% done.}" in written
    assert r"\label{tab:x}" in written
    assert "& recall & CO$_2$ (kg)" in written
    assert r"C \& co &" in written
    assert "rank" not in written
    with pytest.raises(ValueError, match="`columns` names 'cost'"):
        choice.to_latex(columns=["cost"])
    with pytest.raises(ValueError, match=r"a folder; name a file in it, e\.g\. table\.tex"):
        choice.to_latex(tmp_path)


@pytest.mark.slow
def test_tables_of_all_results_compile(tmp_path):
    engine = next(filter(shutil.which, ("pdflatex", "lualatex", "xelatex", "tectonic")), None)
    if engine is None:
        pytest.skip("no LaTeX is installed (pdflatex, lualatex, xelatex or tectonic): the tables are not compiled")
    tables = "\\clearpage\n".join(make().to_latex(label=f"tab:{n}") for n, make in enumerate(KINDS.values()))
    packages = "\n".join(rf"\usepackage{{{name}}}" for name in ("booktabs", "amsmath", "amssymb"))
    source = f"\\documentclass{{article}}\n{packages}\n\\begin{{document}}\n{tables}\\end{{document}}\n"
    (tmp_path / "tables.tex").write_text(source, encoding="utf-8")
    options = [] if engine == "tectonic" else ["-interaction=nonstopmode", "-halt-on-error"]
    done = subprocess.run([engine, *options, "tables.tex"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-2000:]


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_a_table_of_a_paper(kind):
    written = KINDS[kind]().to_latex()
    body = written.split(r"\begin{tabular}")[1]
    assert body.count(r"\toprule") == 1
    cells = {line.count(" & ") for line in body.splitlines() if line.endswith(r" \\")}
    assert len(cells) == 1, "every line has as many cells"
    bare = re.sub(r"\$[^$]*\$", "", body.replace(r"\$", ""))
    assert not re.search(r"(?<!\\)[%#$_]", bare), "what LaTeX would obey is escaped"


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_offers_few_names(kind):
    result = KINDS[kind]()
    offered = [name for name in dir(result) if not name.startswith("_")]
    assert len(offered) <= 15, offered
    assert {"table", "to_html", "to_latex"} <= {*offered}
    absent = [name for name in getattr(type(result), "_internals", ()) if not hasattr(result, name)]
    assert not absent, "what is not offered is there"


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_one_page_of_its_own(kind, tmp_path):
    plt.close("all")
    result = KINDS[kind]()
    file = tmp_path / "page.html"
    written = result.to_html(file)
    assert file.read_text(encoding="utf-8") == written == result.to_html()
    assert plt.get_fignums() == []
    page = Page(written)
    assert written.startswith("<!DOCTYPE html>")
    assert {"title", "style", "h1", "table"} <= {name for name, _ in page.elements}
    heading = re.search("<h1>(.*?)</h1>", written)[1]
    assert not heading.startswith("&lt;")
    assert heading[:6] == repr(result)[1:7]
    # Nothing from elsewhere, nothing that runs, and no markup of the labels.
    assert not {"script", "link", "iframe", "object"} & {name for name, _ in page.elements}
    addresses = [a[name] for _, a in page.elements for name in ("src", "href", "srcset", "data") if name in a]
    assert all(address.startswith("data:") for address in addresses)
    assert "url(" not in written
    assert "prefers-color-scheme: dark" in written
    check_policy(written, images=["data:"], scripts=[])
    assert "<b>A" not in written
    words = " ".join(" ".join(page.text).split())
    if hasattr(result, "explain"):
        assert "".join(result.explain().split()) in "".join(words.split())
    assert (citing.reference(result) or "Method: " * isinstance(result, Grouped)) in words
    assert ("Method: " in words) is (kind not in ("Hypervolume", "Indicators", "Checked"))
    assert "There is no plot" not in written
    groups = len(result) if isinstance(result, Grouped) else 1
    plots = page.of("img")
    assert len(plots) == (groups if hasattr(result, "plot") or isinstance(result, Grouped) else 0)
    for plot in plots:
        assert plot["alt"].endswith("."), "a sentence on what the picture shows"
        assert not plot["alt"].startswith("Plot of ")
        kind, _, data = plot["src"].partition(";base64,")
        assert kind == "data:image/svg+xml"
        assert ElementTree.fromstring(b64decode(data)).tag.endswith("svg")


def _drawn_at_once(kinds):
    makers = [KINDS[kind]() for kind in kinds]
    with ThreadPoolExecutor(len(makers)) as pool:
        return list(pool.map(lambda result: result.to_html(), makers))


def test_pages_made_in_threads_are_those_made_one_by_one():
    kinds = ["Navigation", "Gap", "Stability", "HypervolumeTest", "Criteria", "Attainment"] * 2
    settings, figures = dict(plt.rcParams), plt.get_fignums()
    alone = [KINDS[kind]().to_html() for kind in kinds]
    assert [a == b for a, b in zip(_drawn_at_once(kinds), alone, strict=True)] == [True] * len(kinds)
    assert dict(plt.rcParams) == settings
    assert plt.get_fignums() == figures


def test_all_rows_are_in_the_page():
    models = pd.DataFrame({"recall": range(40), "cost_usd": range(40)}, index=[f"model {n}" for n in range(40)])
    page = Page(asked.copa(models, objectives=WAYS).to_html())
    words = " ".join(page.text)
    assert "Table of all 40 rows" in words
    assert all(f" model {n} " in words for n in range(40))


def test_a_plot_that_cannot_be_drawn_says_why():
    one = pd.DataFrame({"val_recall": [0.5, 0.6], "test_recall": [0.4, 0.7]})
    page = asked.gap(one, objectives={"recall": "max"}).to_html()
    assert "There is no plot: " in page
    assert "objective" in page.split("There is no plot: ")[1]


def test_a_page_is_not_written_over_a_folder(tmp_path):
    with pytest.raises(ValueError, match=r"`path` is .*, a folder; name a file in it, e.g. result\.html"):
        KINDS["Hypervolume"]().to_html(tmp_path)


def _called(result):
    """Name of the public class of a result; of the three classes of gaps it is that of their base."""
    return "Gap" if isinstance(result, copa_nb.results.Gap) else type(result).__name__


def _only_json(value):
    return json.loads(json.dumps(value, allow_nan=False)) == value


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_is_read_by_other_programs(kind, tmp_path):
    result = KINDS[kind]()
    facts = result.facts()
    assert facts["result"] == _called(result)
    assert _only_json(facts)
    document = json.loads(result.to_json(tmp_path / "result.json"))
    assert json.loads((tmp_path / "result.json").read_text(encoding="utf-8")) == document
    if kind not in ("Board", "Checked"):  # whose documents have schemas of their own
        assert {name: document[name] for name in facts} == facts
        assert len(document["table"]) == len(result.table)
    assert result.to_markdown(tmp_path / "result.md") == (tmp_path / "result.md").read_text(encoding="utf-8")
    lines = result.to_markdown().splitlines()
    rows = [re.split(r"(?<!\\)\|", line) for line in lines if line.startswith("| ")]
    assert len({len(row) for row in rows}) == 1, "every line has as many cells"
    read = pyarrow.table(result)
    assert read.num_rows == len(result.table)
    table = result.table
    for k in np.flatnonzero(table.dtypes == np.float64).tolist():
        column = read.column(read.num_columns - table.shape[1] + k).to_numpy()
        np.testing.assert_array_equal(column, table.iloc[:, k].to_numpy())
