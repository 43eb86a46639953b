"""Methods of results that higher layers supply: each is there, and is the documented function."""

import copy
import inspect
import pickle
import subprocess
import sys

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from copa_nb import plots
from copa_nb.analyses.registry import analyses
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.results.offered import Offered, offered_by
from copa_nb.selection.navigate import Navigation
from tests import everything

MODELS = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
PUBLIC = list(everything.public().values())
OFFERED = {
    f"{owner.__name__}.{name}": (owner, name)
    for kind in PUBLIC if inspect.isclass(kind)
    for owner in kind.__mro__
    for name, method in vars(owner).items() if isinstance(method, Offered)
}  # fmt: skip


@pytest.fixture
def navigation():
    return MODELS.moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg")


@pytest.mark.parametrize("written", OFFERED)
def test_every_method_that_a_result_offers_has_its_function(written):
    owner, name = OFFERED[written]
    method = getattr(owner, name)
    assert inspect.isfunction(method)
    assert method.__doc__


def test_what_is_offered_is_found():
    assert {"Selection.plot", "MeanRanks.plot_scaled", "Dominance.plot", "Tiers.explore", "Gap.report"} <= set(OFFERED)


def test_every_result_of_an_analysis_has_its_report():
    of_analyses = {kind for one in analyses().values() for kind in one.results}
    assert {owner for owner, name in OFFERED.values() if name == "report"} == of_analyses


def test_a_method_without_a_function_says_what_is_missing():
    class Forgotten:
        plot = Offered()

    with pytest.raises(NotImplementedError, match=r"@offered_by\(Forgotten, 'plot'\)"):
        Forgotten().plot()


def test_a_function_is_the_method_of_the_class_and_of_those_derived_from_it():
    class Kind:
        size = Offered()

    class Derived(Kind):
        pass

    @offered_by(Kind, "size")
    def size_of(kind, factor=1):
        return 2 * factor

    assert Derived().size(3) == 6
    assert Derived.size is size_of


def test_options_and_documentation_are_those_of_the_function(navigation):
    assert Navigation.plot.__doc__ == plots.plot_navigation.__doc__
    options = list(inspect.signature(plots.plot_navigation).parameters)
    assert list(inspect.signature(navigation.plot).parameters) == options[1:]


def test_a_function_without_axes_is_the_method_itself():
    assert PosetSample.plot_figure is plots.plot_hasse_figure


def test_a_result_is_copied_and_pickled_without_its_plot(navigation):
    for again in (copy.deepcopy(navigation), pickle.loads(pickle.dumps(navigation))):
        assert len(again.plot().lines) == len(navigation.plot().lines) > 0
    plt.close("all")


@pytest.mark.parametrize("method", ["Hypervolume.plot", "Gap.report"])
def test_plots_and_reports_import_no_widgets(method):
    program = f"import sys, copa_nb; copa_nb.results.{method}; print('ipywidgets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
