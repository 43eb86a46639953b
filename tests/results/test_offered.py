"""Methods of results that higher layers supply: each is there, and is the documented function."""

import inspect
import subprocess
import sys

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from copa_nb.analyses.registry import analyses
from copa_nb.results.offered import Offered, offered_by, plot_of
from copa_nb.selection.copa import Selection
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.plots.barcode import plot_barcode
from copa_nb.selection.plots.distributions import plot_pairs
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
    assert Navigation.plot.__doc__ == plot_barcode.__doc__
    options = list(inspect.signature(plot_barcode).parameters)
    assert list(inspect.signature(navigation.plot).parameters) == options[1:]


def test_a_result_has_kinds_of_plots():
    choice = MODELS.moo(accuracy="max", co2_kg="min").copa()
    assert inspect.unwrap(plot_of(choice, "pairs")) is inspect.unwrap(plot_pairs)
    assert len(choice.plot("distributions").axes) == 2
    assert "co2" in choice.plot("distribution", x="co2_kg").get_xlabel().casefold().replace("₂", "2")
    plt.close("all")


@pytest.mark.parametrize("kind", ["ranks", "pairs", "distribution", "distributions"])
def test_kinds_are_documented_and_completed(kind):
    assert f'"{kind}"' in inspect.getdoc(Selection.plot)
    assert list(inspect.signature(Selection.plot).parameters)[:2] == ["selection", "kind"]


def test_a_kind_that_is_not_there_names_those_that_are(navigation):
    choice = MODELS.moo(accuracy="max", co2_kg="min").copa()
    for draw in (choice.plot, lambda kind: plot_of(choice, kind)):
        with pytest.raises(ValueError, match=r"`kind` is 'pair'.*distribution.*pairs.*ranks"):
            draw("pair")
    with pytest.raises(TypeError, match="Axes are given as `ax=`"):
        choice.plot(plt.figure().subplots())
    plt.close("all")
    with pytest.raises(ValueError, match="a Navigation has one plot only"):
        plot_of(navigation, "pairs")
    with pytest.raises(TypeError, match="a dict, which has no plot"):
        plot_of({}, "pairs")


def test_plots_and_reports_import_no_widgets():
    program = "import sys, copa_nb; copa_nb.results.Hypervolume.plot; copa_nb.results.Gap.report; "
    program += "print('ipywidgets' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
