"""Plots as methods of results: the documented function, with the result in first place."""

import inspect

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
