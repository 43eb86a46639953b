"""Plots as methods of results: the documented function, with the result in first place."""

import base64
import inspect
import re

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

import copa_nb
from copa_nb import text
from copa_nb.results.result import drawn
from tests import asked

MODELS = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))


@pytest.fixture
def navigation():
    return MODELS.moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg")


def test_the_axes_may_come_by_position_or_by_name(navigation):
    _, (left, right) = plt.subplots(1, 2)
    assert navigation.plot(left) is left
    assert navigation.plot(ax=right) is right
    assert len(left.lines) == len(right.lines) > 0
    plt.close("all")


@pytest.mark.parametrize(
    "result",
    [
        copa_nb.results.Cheaper, copa_nb.results.Consensus, copa_nb.results.Elicitation,
        copa_nb.results.Preferences, copa_nb.results.Reporting, copa_nb.results.SuiteComparison,
    ],
)  # fmt: skip
def test_plots_of_a_sentence_describe_what_all_plots_take(result):
    of_its_own = ["objective"] if result is copa_nb.results.Cheaper else []
    lines = inspect.getdoc(result.plot).splitlines()
    assert lines[0].startswith("Draw ")
    described = [line.split(" : ")[0] for line in lines if " : " in line]
    assert described == ["ax", *of_its_own, "figsize", "title", "palette"]
    assert set(of_its_own) <= set(inspect.signature(result.plot).parameters)


def test_a_picture_that_is_too_large_as_a_drawing_is_one_of_points(navigation, monkeypatch):
    monkeypatch.setattr("copa_nb.results.result._LARGEST_SVG", 1000)
    page = navigation.to_html()
    (picture,) = re.findall(r'src="data:image/(\S+);base64,([^"]*)"', page)
    assert picture[0] == "png"
    assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_a_page_of_many_groups_shows_the_first(monkeypatch):
    grouped = asked.copa(
        pd.concat([MODELS.assign(task=task) for task in "uvw"]).moo(accuracy="max", co2_kg="min"), by="task"
    )
    monkeypatch.setattr("copa_nb.results.result.picture_html", lambda result: "")
    assert "groups.</p>" not in grouped.to_html()
    monkeypatch.setattr("copa_nb.results.result._MOST_GROUPS", 2)
    page = grouped.to_html()
    assert re.findall("<h2>(.*?)</h2>", page) == ["u", "v"]
    assert page.endswith("<p>First 2 of 3 groups.</p></body></html>")


def test_a_figure_of_ones_own_is_closed_where_nothing_can_be_drawn():
    def fail(result, *, ax=None):
        raise ValueError("nothing to draw")

    with pytest.raises(ValueError, match="nothing to draw"):
        drawn(fail)(None)
    assert plt.get_fignums() == []
    _, ax = plt.subplots()
    with pytest.raises(ValueError, match="nothing to draw"):
        drawn(fail)(None, ax)
    assert len(plt.get_fignums()) == 1, "that of the caller stays"
    assert drawn(lambda result, ax: ax)(None) is not ax
    assert len(plt.get_fignums()) == 2


def test_results_of_groups_are_a_mapping_in_order_of_appearance():
    frame = pd.concat([MODELS.assign(task=task) for task in "vu"])
    results = asked.copa(frame.moo(accuracy="max", co2_kg="min"), by="task", weights={"accuracy": 1})
    assert list(results) == ["v", "u"]
    assert len(results) == 2
    assert results["v"].best == "a"
    assert repr(results) == "<2 × Selection by 'task'>"
    pd.testing.assert_series_equal(results.best, pd.Series(["a", "a"], pd.Index(["v", "u"], name="task"), name="best"))
    counted = results.collect(lambda result: len(result.table))
    assert (counted.tolist(), counted.name) == ([3, 3], None)
    assert results.table.index.names[0] == "task"
    assert results.table.loc["u"].equals(results["u"].table)
    shown = results._repr_html_()
    assert "One result per task.</caption>" in shown
    assert ">result</th>" in shown
    assert text.escape(repr(results["v"])) in shown


@pytest.mark.parametrize(
    ("by", "columns", "names", "labels"),
    [
        (["task"], {"task": ["v", "u"]}, ["task"], ["v", "u"]),
        (["task", "run"], {"task": ["v", "v"], "run": [2, 1]}, ["task", "run"], [("v", 2), ("v", 1)]),
        ("task", {"task": [("v", 1), ("u", 2)]}, ["task"], [("v", 1), ("u", 2)]),
    ],
)
def test_groups_are_named_by_what_made_them(by, columns, names, labels):
    frame = pd.concat([MODELS, MODELS])
    frame = frame.assign(**{name: pd.Series(np.repeat(np.arange(2), 3)).map(dict(enumerate(values))).to_numpy()
                            for name, values in columns.items()})  # fmt: skip
    results = asked.copa(frame.moo(accuracy="max", co2_kg="min"), by=by)
    assert results.best.index.names == names
    assert results.best.index.tolist() == labels
    table = results.table
    assert table.index.names[: len(names)] == names
    assert len(table) == 6
    whole = labels if len(names) > 1 else [(label,) for label in labels]
    assert [row[: len(names)] for row in table.index] == [label for label in whole for _ in range(3)]


def test_errors_name_the_group_they_arose_in():
    frame = pd.concat([MODELS.assign(task="v"), MODELS.assign(task="u", co2_kg=np.nan)])
    with pytest.raises(ValueError, match=r"^in group 'u' of `by`='task': missing values in objective 'co2_kg'"):
        asked.copa(frame.moo(accuracy="max", co2_kg="min"), by="task")
    unnamed = frame.assign(task=["v"] * 5 + [None]).moo(accuracy="max", co2_kg="min")
    with pytest.raises(ValueError, match="`by` column 'task' is missing in 1 of 6 rows; fill it or drop those rows"):
        asked.copa(unnamed, by="task")
    said = r"^`frame` has no rows; there is nothing to group\. Check the filter or file it comes from\.$"
    with pytest.raises(ValueError, match=said):
        asked.copa(frame[:0].moo(accuracy="max"), by="task")
