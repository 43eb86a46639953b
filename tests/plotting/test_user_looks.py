"""Looks that users ask for: markers, sizes, titles, colors, and panels of their own."""

import inspect
import sys
from contextlib import contextmanager
from functools import partial

import matplotlib as mpl
import matplotlib.pyplot as plt
import nbformat
import numpy as np
import pandas as pd
import pytest
import seaborn as sns
from matplotlib.colors import to_hex
from nbclient import NotebookClient

import copa_nb
from copa_nb import datasets, plots
from copa_nb.pareto.plots import plot_hypervolume
from copa_nb.plotting.pictures import picture_of
from copa_nb.plotting.style import PAGE_WIDTH, PALETTE, series_color
from copa_nb.reports.figures import drawn_figures
from copa_nb.results.offered import Offered
from copa_nb.results.result import picture_html
from copa_nb.selection.plots.decisions import plot_selection
from copa_nb.selection.plots.distributions import plot_ecdf
from tests import asked
from tests.contract.results import KINDS, WAYS, models, runs
from tests.plots.pictures import colors_of

MODELS = pd.DataFrame(
    {"a": [0.9, 0.8, 0.7, 0.6, 0.5], "b": [5.0, 3.0, 4.0, 1.0, 2.0], "c": [1.0, 4.0, 2.0, 5.0, 3.0]},
    index=[f"model {letter}" for letter in "vwxyz"],
)
TWO, THREE = MODELS.moo(a="max", b="min"), MODELS.moo(a="max", b="min", c="min")


@pytest.mark.parametrize("marker", ["x", "+", "1", "|"])
@pytest.mark.parametrize("which", ["point_kws", "front_kws", "selected_kws"])
def test_markers_that_are_lines_are_visible(marker, which):
    ax = TWO.copa(where=MODELS["b"] < 5).plot(**{which: {"marker": marker}})
    drawn = [points for points in ax.collections if len(points.get_offsets())]
    assert len(drawn) == 4
    for points in drawn:
        colors = points.get_facecolors() if len(points.get_facecolors()) else points.get_edgecolors()
        edges = points.get_edgecolors()
        shown = (len(edges) and edges[:, 3].max() > 0 and max(points.get_linewidths()) > 0) or colors[:, 3].max() > 0
        assert shown, points.get_label()
        path = points.get_paths()[0]
        if len(path) < 5 and not np.isclose(path.vertices[0], path.vertices[-1]).all():  # a line has no area to fill
            assert max(points.get_linewidths()) > 0
            assert edges[:, 3].max() > 0


@pytest.mark.parametrize(
    "result", [TWO.copa(), THREE.copa(), TWO.copa().navigate("a"), THREE.copa().criteria([1, "inf"])]
)
def test_a_new_figure_takes_a_size(result):
    assert result.plot(figsize=(3.5, 2.5)).figure.get_size_inches().tolist() == [3.5, 2.5]
    _, own = plt.subplots()
    with pytest.raises(ValueError, match="`figsize` is for a new figure"):
        result.plot(ax=own, figsize=(3, 2))


@pytest.mark.parametrize("result", [TWO.copa(), THREE.copa(), TWO.hypervolume()])
def test_series_take_the_colors_of_the_user(result):
    own = ["#123456", "#654321", "#abcdef"]
    assert not colors_of(result.plot().figure) & set(own)
    assert "#123456" in colors_of(result.plot(palette=own).figure)
    with mpl.rc_context({"axes.prop_cycle": mpl.cycler(color=own)}):
        assert "#123456" in colors_of(result.plot().figure)
    assert not colors_of(result.plot().figure) & set(own), "for one plot only"
    assert {to_hex(mpl.colormaps["tab10"](k)) for k in range(2)} & colors_of(result.plot(palette="tab10").figure)


OWN = ["#123456", "#654321", "#abcdef", "#fedcba", "#556677", "#775566"]
SCORES = pd.DataFrame({f"{part}_{name}": MODELS["a"] * scale for part, scale in (("val", 1.0), ("test", 0.9))
                       for name in ("a", "b")}).assign(val_b=MODELS["b"], test_b=MODELS["c"])  # fmt: skip
RUNS = pd.DataFrame({"system": list("AABB"), "x": [3.0, 4.0, 1.0, 2.0], "y": [1.0, 2.0, 3.0, 4.0]}).moo.define(
    x="max", y="max"
)


@contextmanager
def _theme():
    with mpl.rc_context():
        sns.set_theme(palette=OWN)
        yield


@pytest.mark.parametrize(
    "opened",
    [
        THREE.explore,
        THREE.copa().elicit,
        lambda: asked.gap(SCORES, objectives={"a": "max", "b": "max"}).explore(),
        lambda: asked.hv_test(RUNS, system="system", new="A", baseline="B").explore(),
        lambda: asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").explore(),
    ],
    ids=["choice", "questions", "gap", "test", "posets"],
)
def test_static_pictures_of_explorers_have_the_colors_of_a_theme(opened):
    with opened() as explorer:
        assert colors_of(explorer.to_figure()) & set(map(str.lower, PALETTE))
        with _theme():
            themed = colors_of(explorer.to_figure())
    assert themed & set(OWN)
    assert not themed & set(map(str.lower, PALETTE[:-1]))


def test_pages_of_results_and_pictures_of_the_panel_have_the_colors_of_a_theme():
    choice = TWO.copa()
    page, panel = choice.to_html(), picture_html(choice)
    with _theme():
        assert choice.to_html() != page
        assert picture_html(choice) != panel
    assert choice.to_html() == page


def _colors(ax):
    return {to_hex(line.get_color()) for line in ax.lines} | {
        to_hex(color) for points in ax.collections for color in points.get_facecolors()
    } | {to_hex(bar.get_facecolor()) for bar in ax.patches}  # fmt: skip


def test_reports_look_the_same_under_any_theme():
    def drawn():
        return [_colors(ax) for _, figure in drawn_figures(lambda: THREE.copa().plot()) for ax in figure.axes]

    plain = drawn()
    assert plain[0] & set(map(str.lower, PALETTE))
    with _theme():
        assert drawn() == plain


@pytest.mark.parametrize(
    "draw", [plots.plot_front, plot_selection, partial(plots.plot_parallel, highlight=["model w"]), plot_ecdf]
)
def test_functions_take_the_palette_that_methods_take(draw):
    choice = THREE.copa()
    assert not colors_of(draw(choice).figure) & set(OWN)
    assert colors_of(draw(choice, palette=OWN).figure) & set(OWN)
    assert series_color(0) == PALETTE[0], "for one plot only"


# Of the tables of the contract, nothing is shown by these.
SHOWN = {
    "Stability": lambda: asked.copa(models().assign(recall=[0.9, 0.8, 0.91, 0.7]), objectives=WAYS).stability(
        n_resamples=20
    ),
    "Comparison": lambda: asked.compare(
        pd.DataFrame({"system": ["new"] * 30 + ["old"] * 30, "item": [*range(30)] * 2,
                      "recall": 0.5 + np.repeat([0.2, 0.0], 30) + 0.01 * (np.arange(60) * 7 % 11)}),
        new="new", baseline="old", system="system", item="item", objectives={"recall": "max"},
    ),
    "GsdTest": lambda: asked.gsd_front(
        runs(), system="system", item="seed", ordinal="recall", objectives=WAYS, progress=False
    ).test("D", n_resamples=100, alpha=0.2),
}  # fmt: skip


def plots_of(result):
    """The functions that draw a result, as they are called without its method, which has a palette of its own."""
    method = inspect.getattr_static(type(result), "plot", None)
    kinds = method.kinds().values() if isinstance(method, Offered) else ()
    return [getattr(sys.modules[kind.__module__], kind.__name__) for kind in kinds]


@pytest.mark.slow
def test_every_function_that_a_result_offers_draws_in_its_palette():
    """A picture of some result of the contract, or of one that shows something."""
    in_it = {}
    for result in [make() for make in [*KINDS.values(), *SHOWN.values()]]:
        for plot in plots_of(result):
            if "palette" in inspect.signature(plot).parameters and not in_it.get(plot):
                assert not colors_of(plot(result).get_figure(root=True)) & set(OWN)
                plt.close("all")
                in_it[plot] = bool(colors_of(plot(result, palette=OWN).get_figure(root=True)) & set(OWN))
                plt.close("all")
    assert len(in_it) > 20
    assert [plot.__name__ for plot, has_color in in_it.items() if not has_color] == []


def test_words_of_a_picture_are_the_same_in_any_colors():
    found = TWO.hypervolume()
    words = picture_of(plot_hypervolume, found)
    assert picture_of(plot_hypervolume, found, palette=OWN).caption == words.caption


# Nothing in them is told apart by the colors of series: what stays the same or is not significant is gray, a choice has
# a color of its own, and places on a front have a map.
WITHOUT_SERIES = {
    "BoardChanges", "Comparison", "GsdTest", "Intervals", "Navigation", "PosetSample", "Sensitivity", "Stability",
    "SuiteComparison",
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "Grouped"])
def test_every_result_is_drawn_in_the_colors_of_a_palette_and_of_a_theme(kind):
    result = KINDS[kind]()
    assert not colors_of(result.plot().figure) & set(OWN)
    given = colors_of(result.plot(palette=OWN).figure)
    with _theme():
        themed = colors_of(result.plot().figure)
    assert bool(given & set(OWN)) == bool(themed & set(OWN)) == (kind not in WITHOUT_SERIES)
    assert not themed & set(map(str.lower, PALETTE[:-1]))


@pytest.mark.parametrize("palette", ["no colors", ["red", "no color"], []])
def test_what_is_no_palette_is_refused(palette):
    with pytest.raises(ValueError, match=r"`palette` is .*list of colors.*name of a colormap"):
        TWO.copa().plot(palette=palette)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("layout", [None, "constrained", "tight"])
def test_panels_keep_their_room(layout):
    figure, axes = plt.subplots(2, 2, layout=layout, figsize=(6.4, 4.8))
    results = [
        THREE.copa(),
        THREE.copa().navigate("a"),
        THREE.copa().stability(n_resamples=20),
        TWO.copa().sensitivity(),
    ]
    for ax, result in zip(axes.flat, results, strict=True):
        result.plot(ax=ax)
    figure.draw_without_rendering()
    for ax in axes.flat:
        share = ax.get_position()
        assert share.width > 0.14
        assert share.height > 0.2


def test_what_is_no_axes_is_refused():
    figure, axes = plt.subplots(2, 2)
    with pytest.raises(TypeError, match=r"`ax` is several Axes; pass one Axes, e\.g\. ax=axes\.flat\[0\]"):
        TWO.copa().plot(ax=axes)
    with pytest.raises(TypeError, match="`ax` is a Figure; pass one Axes"):
        copa_nb.plots.plot_front(MODELS, objectives={"a": "max", "b": "min"}, ax=figure)
    with pytest.raises(TypeError, match="`ax` is 'front'; pass one Axes"):
        TWO.copa().plot(ax="front")


def test_an_unknown_kind_of_plot_is_refused():
    with pytest.raises(ValueError, match="`kind` is 'front'; allowed are 'distribution'"):
        TWO.copa().plot("front")


def test_an_unknown_option_is_named_with_the_nearest():
    with pytest.raises(TypeError, match=r"copa\(\) got an unexpected keyword argument 'normalise'.*'normalize'"):
        TWO.copa(normalise="minmax")
    with pytest.raises(TypeError, match=r"unexpected keyword argument 'label'.*'labels'"):
        TWO.copa().plot(label=3)


@pytest.mark.slow
@pytest.mark.parametrize(
    "first",
    [
        "with plots.report_style():\n    choice.plot()",
        'choice.plot(palette="Set2")',
        'choice.plot("pairs")',
    ],
)
def test_figures_of_a_notebook_are_shown_after_one_with_settings_of_its_own(first):
    """The first figure chooses the backend, which in notebooks shows every figure from then on."""
    begin = "from copa_nb import datasets, plots\nchoice = datasets.load_domainbed().moo.copa()\n"
    cells = [nbformat.v4.new_code_cell(begin + first), nbformat.v4.new_code_cell("choice.plot();")]
    notebook = nbformat.v4.new_notebook(cells=cells)
    NotebookClient(notebook, kernel_name="python3").execute()
    for cell in notebook.cells:
        assert any("image/png" in output.get("data", {}) for output in cell.outputs), cell.source


@pytest.mark.parametrize(
    "kind", ["Selection", "Stability", "Navigation", "Sensitivity", "Gap", "HypervolumeTest", "Board"]
)
def test_a_plot_of_a_plain_script_looks_as_in_a_report_and_is_not_cut_off(kind):
    before = dict(mpl.rcParams)
    result = KINDS[kind]()
    ax = result.plot()
    figure = ax.get_figure()
    height = picture_of(type(result).plot, result).height
    assert figure.get_size_inches().tolist() == [PAGE_WIDTH, height]
    figure.draw_without_rendering()
    with plots.report_style():
        sizes = {f"{axis}tick": mpl.rcParams[f"{axis}tick.labelsize"] for axis in "xy"}
    for name, axis in (("xtick", ax.xaxis), ("ytick", ax.yaxis)):
        assert {label.get_fontsize() for label in axis.get_ticklabels() if label.get_text()} <= {sizes[name]}
    box, tolerance = figure.get_tightbbox(), 0.03
    assert min(box.x0, box.y0) > -tolerance
    assert box.x1 < PAGE_WIDTH + tolerance
    assert box.y1 < height + tolerance
    assert dict(mpl.rcParams) == before


def test_what_a_user_has_set_stays_in_a_plain_script():
    with mpl.rc_context({"figure.figsize": (4.0, 3.0), "axes.labelsize": 17.0, "xtick.labelsize": 5.0}):
        ax = TWO.copa().plot()
        assert ax.get_figure().get_size_inches().tolist() == [4.0, 3.0]
        ax.get_figure().draw_without_rendering()
        assert ax.xaxis.label.get_fontsize() == 17.0
        assert {label.get_fontsize() for label in ax.xaxis.get_ticklabels()} == {5.0}
    assert TWO.copa().plot().xaxis.label.get_fontsize() != 17.0
