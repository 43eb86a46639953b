"""Plots as methods of results: the documented function, with the result in first place."""

import base64
import inspect
import re

import matplotlib.pyplot as plt
import pandas as pd
import pytest

import copa_nb  # noqa: F401
from copa_nb import plots
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.results import PlotMethod, plot_function
from copa_nb.selection.navigate import Navigation

MODELS = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))


@pytest.fixture
def navigation():
    return MODELS.moo(accuracy="max", co2_kg="min").navigate("co2_kg")


def test_options_and_documentation_are_those_of_the_function(navigation):
    assert Navigation.plot.__doc__ == plots.plot_navigation.__doc__
    options = list(inspect.signature(plots.plot_navigation).parameters)
    assert list(inspect.signature(navigation.plot).parameters) == options[1:]


def test_the_axes_may_come_by_position_or_by_name(navigation):
    _, (left, right) = plt.subplots(1, 2)
    assert navigation.plot(left) is left
    assert navigation.plot(ax=right) is right
    assert len(left.lines) == len(right.lines) > 0
    plt.close("all")


def test_a_function_without_axes_is_the_method_itself():
    assert PosetSample.plot_figure is plots.plot_hasse_figure


def test_a_name_that_is_not_public_is_refused():
    with pytest.raises(AttributeError, match="plot_nothing"):
        plot_function("plot_nothing")
    with pytest.raises(AttributeError, match="plot_nothing"):
        PlotMethod("plot_nothing").__get__(None, Navigation)


def test_a_picture_that_is_too_large_as_a_drawing_is_one_of_points(navigation, monkeypatch):
    assert 'src="data:image/svg+xml;base64,' in navigation.to_html()
    monkeypatch.setattr("copa_nb.results._LARGEST_SVG", 1000)
    page = navigation.to_html()
    (picture,) = re.findall(r'src="data:image/(\S+);base64,([^"]*)"', page)
    assert picture[0] == "png"
    assert base64.b64decode(picture[1]).startswith(b"\x89PNG")
    assert plt.get_fignums() == []


def test_a_page_of_many_groups_shows_the_first(monkeypatch):
    grouped = pd.concat([MODELS.assign(task=task) for task in "uvw"]).moo(accuracy="max", co2_kg="min").copa(by="task")
    monkeypatch.setattr("copa_nb.results._picture", lambda result: "")
    assert "groups.</p>" not in grouped.to_html()
    monkeypatch.setattr("copa_nb.results._MOST_GROUPS", 2)
    page = grouped.to_html()
    assert re.findall("<h2>(.*?)</h2>", page) == ["u", "v"]
    assert page.endswith("<p>First 2 of 3 groups.</p></body></html>")
