"""What every result keeps, whatever it is of: words, a picture, a page, files, and a guarantee where it is not certain.

A class of results that is not in ``results.py`` fails here; a test of a room looks only at what is its own.
"""

import html
import itertools
import json
import pickle
import re
import xml.etree.ElementTree as ElementTree
from base64 import b64decode

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pyarrow
import pytest
from matplotlib.axes import Axes
from matplotlib.text import Text

import copa_nb
from copa_nb import text
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import CHOICE
from copa_nb.results import citing
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.result import Grouped, Result
from tests.contract.results import KINDS, Page
from tests.each import hold_for_each
from tests.plots.pictures import check_words, colors_of
from tests.policies import check_policy

# What has a choice, which vermilion marks.
WITH_A_CHOICE = {
    "Cheaper", "Criteria", "Intervals", "Navigation", "PartitionedSelection", "Selection", "Sensitivity", "Stability",
}  # fmt: skip
# Columns and fields of results that are uncertain: ends of intervals, p-values and verdicts of tests.
UNCERTAIN = {"low", "high", "pvalue", "holm", "verdict", "p_value", "runs_pvalue"}
# Ranges and frequencies that are no intervals: what a choice may be, shares of resamples, a plan.
WITHOUT_LEVEL = {
    "PossibleChoices", "Sensitivity", "Elicitation", "Preferences", "Power", "RunsNeeded", "Needed",
    "Attainment", "BoardChanges", "Reporting", "Forecast",
}  # fmt: skip


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


@pytest.mark.parametrize("kind", KINDS)
def test_a_result_keeps_the_contract(kind, tmp_path):
    result = KINDS[kind]()
    clauses = OF_ALL if isinstance(result, Grouped) else OF_ALL + OF_ONE
    hold_for_each(clauses, lambda clause: clause(result, tmp_path))


def name_of(result):
    """Name of the public class of a result; of the three classes of gaps it is that of their base."""
    return "Gap" if isinstance(result, copa_nb.results.Gap) else type(result).__name__


def is_a_line_and_words(result, _):
    """A line that starts with what it is, and sentences with numbers, of three digits at most."""
    assert isinstance(result.table, pd.DataFrame)
    line, words = repr(result), result.explain()
    assert re.fullmatch(rf"<{name_of(result)}\b[^\n]*>", line)
    assert not re.search(r"array\(|DataFrame|\bnan\b|=None", line)
    assert words.endswith(".")
    always = ("Sensitivity", "Navigation")
    assert re.search(r"\d", words) or name_of(result) in always, "one row of this table is best at all weights"
    numbers = re.findall(r"(?<![\w.])\d+\.\d+", words)
    # What goes into a paper has more.
    long = [number for number in numbers if len(number.lstrip("0.").replace(".", "")) > 3]
    assert long == [] or name_of(result) == "Reporting"


def is_drawn_where_it_is_told(result, _):
    """On the axes that are given, under the title that is given; else in a figure of its own."""
    plt.close("all")
    _, (left, right) = plt.subplots(1, 2)
    drawn = result.plot()
    assert isinstance(drawn, Axes)
    assert drawn.get_figure(root=True) is not left.figure
    assert (colors_of(drawn.get_figure(root=True)) >= {CHOICE.lower()}) <= (type(result).__name__ in WITH_A_CHOICE)
    speaks_of_objectives(result, drawn.get_figure(root=True))
    assert result.plot(ax=left, title="Mine") is left
    assert left.get_title() == "Mine"
    assert not right.has_data()
    assert result.plot(ax=right, title=False) is right
    assert right.get_title() == ""
    plt.close("all")


def speaks_of_objectives(result, figure):
    """Words, card and picture have the names that people say; a reader's own statement stays as it is written."""
    letters = "\n".join(words.get_text() for words in figure.findobj(Text))
    card = re.sub("<[^>]*>", "", result._repr_html_())
    shown = "\n".join([result.explain(), letters, card]).replace("recall counts 2x cost_usd", "")
    assert not re.search(r"cost_usd|\bu_\w|\bcentral_\w", shown)


def is_described_where_it_is_drawn(result, _):
    """Its picture has a title that is a finding, a caption and a text for those who do not see it."""
    if hasattr(result, "plot"):
        check_words(picture_of(type(result).plot, result), ".")


def is_copied(result, _):
    """It goes to another process and comes back as it is."""
    again = pickle.loads(pickle.dumps(result))
    assert again.facts() == result.facts()
    pd.testing.assert_frame_equal(again.table, result.table)


def is_a_table_of_a_paper(result, _):
    """In LaTeX every line has as many cells, and what LaTeX would obey is escaped."""
    body = result.to_latex().split(r"\begin{tabular}")[1]
    assert body.count(r"\toprule") == 1
    assert len({line.count(" & ") for line in body.splitlines() if line.endswith(r" \\")}) == 1
    bare = re.sub(r"\$[^$]*\$", "", body.replace(r"\$", ""))
    assert not re.search(r"(?<!\\)[%#$_]", bare)


def offers_few_names(result, _):
    """What is completed after the dot is read at a glance; what is not offered is there."""
    offered = [name for name in dir(result) if not name.startswith("_")]
    assert len(offered) <= 15, offered
    assert {"table", "to_html", "to_latex"} <= {*offered}
    assert not [name for name in getattr(type(result), "_internals", ()) if not hasattr(result, name)]


def is_one_page_of_its_own(result, folder):
    """A page that takes nothing from elsewhere and runs nothing, in which no label is markup."""
    plt.close("all")
    written = result.to_html(folder / "page.html")
    assert (folder / "page.html").read_text(encoding="utf-8") == written
    assert plt.get_fignums() == []
    page = Page(written)
    assert written.startswith("<!DOCTYPE html>")
    assert {"title", "style", "h1", "table"} <= {name for name, _ in page.elements}
    title = repr(result).removeprefix("<").removesuffix(">")
    assert f"<h1>{text.escape(title)}</h1>" in written
    assert html.unescape(re.search("<title>(.*?)</title>", written)[1]) == title
    assert not {"script", "link", "iframe", "object"} & {name for name, _ in page.elements}
    addresses = [a[name] for _, a in page.elements for name in ("src", "href", "srcset", "data") if name in a]
    assert all(address.startswith("data:") for address in addresses)
    assert "url(" not in written
    assert "prefers-color-scheme: dark" in written
    check_policy(written, images=["data:"], scripts=[])
    assert "<b>A" not in written + result._repr_html_()
    words = " ".join(" ".join(page.text).split())
    if hasattr(result, "explain"):
        assert "".join(result.explain().split()) in "".join(words.split())
    assert (citing.reference(result) or "Method: " * isinstance(result, Grouped)) in words
    assert ("Method: " in words) is (name_of(result) not in ("Hypervolume", "Indicators", "Checked"))
    assert "There is no plot" not in written
    has_pictures(result, page)


def has_pictures(result, page):
    """One picture, or one for each group, each with a sentence on what it shows."""
    groups = len(result) if isinstance(result, Grouped) else 1
    pictures = page.of("img")
    assert len(pictures) == (groups if hasattr(result, "plot") or isinstance(result, Grouped) else 0)
    for picture in pictures:
        assert picture["alt"].endswith(".")
        assert not picture["alt"].startswith("Plot of ")
        kind, _, data = picture["src"].partition(";base64,")
        assert kind == "data:image/svg+xml"
        assert ElementTree.fromstring(b64decode(data)).tag.endswith("svg")


def is_read_by_other_programs(result, folder):
    """As facts, JSON, Markdown and Arrow, with the numbers of its table."""
    facts = result.facts()
    assert facts["result"] == name_of(result)
    assert json.loads(json.dumps(facts, allow_nan=False)) == facts
    document = json.loads(result.to_json(folder / "result.json"))
    assert json.loads((folder / "result.json").read_text(encoding="utf-8")) == document
    if name_of(result) not in ("Board", "Checked"):  # whose documents have schemas of their own
        assert {name: document[name] for name in facts} == facts
        assert len(document["table"]) == len(result.table)
    written = result.to_markdown(folder / "result.md")
    assert (folder / "result.md").read_text(encoding="utf-8") == written
    rows = [re.split(r"(?<!\\)\|", line) for line in written.splitlines() if line.startswith("| ")]
    assert len({len(row) for row in rows}) == 1, "every line has as many cells"
    table, read = result.table, pyarrow.table(result)
    assert read.num_rows == len(table)
    for k in np.flatnonzero(table.dtypes == np.float64).tolist():
        column = read.column(read.num_columns - table.shape[1] + k).to_numpy()
        np.testing.assert_array_equal(column, table.iloc[:, k].to_numpy())


def guarantees_what_is_uncertain(result, _):
    """Intervals, p-values and verdicts have a guarantee, whose statement is among the sentences."""
    uncertain = UNCERTAIN & (set(map(str, result.table.columns)) | set(vars(result)))
    if type(result).__name__ in WITHOUT_LEVEL or not uncertain:
        return
    assert isinstance(result.guarantee, Guarantee), uncertain
    assert result.guarantee.statement in result.explain() or result.guarantee.confidence_level is None


OF_ALL = [
    is_copied, is_a_table_of_a_paper, offers_few_names, is_one_page_of_its_own, is_read_by_other_programs,
    guarantees_what_is_uncertain, is_described_where_it_is_drawn,
]  # fmt: skip
OF_ONE = [is_a_line_and_words, is_drawn_where_it_is_told]
