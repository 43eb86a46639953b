"""The drawing standard of ``tests.drawing`` finds what breaks it; pictures of the gallery keep it, as reports do."""

from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.patheffects import withStroke

from copa_nb import plots
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import catalog, find
from copa_nb.reports.jobs import make_job
from docs.gallery import PICTURES, whole
from tests.drawing import colors, contrast, examined, examined_reports, faults, faults_of_report

FOLDER = Path(__file__).parents[2]


def plain():
    """A figure that keeps the standard."""
    figure, ax = plots.panels(height=3)
    ax.plot([0, 1], [0, 1], label="kept")
    ax.set(xlabel="recall", ylabel="cost", xlim=(0, 1))
    ax.legend(loc="lower right")
    return figure, ax


def small_letters(ax):
    ax.set_title("small", fontsize=7)


def shrunk_in_print(ax):
    ax.figure.set_size_inches(9, 3)


def too_tall_in_print(ax):
    ax.figure.set_size_inches(6, 6)


def pale_letters(ax):
    ax.text(0.1, 0.8, "pale", color="0.6")


def dark_on_dark(ax):
    ax.axhspan(0.7, 1, color="#0072B2")
    ax.text(0.1, 0.8, "dark", color="0.2")


def cut_in_a_word(ax):
    ax.set_title("gpt-4-tur…9+reflexion")


def text_on_text(ax):
    ax.text(0.1, 0.8, "one label")
    ax.text(0.12, 0.8, "another label")


def text_on_a_line(ax):
    ax.text(0.3, 0.5, "on the line, for some way", va="center")


def text_that_hides_a_line(ax):
    ax.text(0.3, 0.5, "on the line, for some way", va="center", bbox={"fc": "white", "ec": "none"})


def cut_by_the_axes(ax):
    ax.text(0.9, 0.3, "longer than there is room", clip_on=True)


def beyond_one(ax):
    ax.set_xlim(0, 1.05)


def below_none(ax):
    ax.set_xlim(-0.05, 1)


def squeezed(ax):
    ax.figure.add_axes([0.2, 0.6, 0.1, 0.2])


def called_like_a_column(ax):
    ax.set_xlabel("co2_kg")


def carbon_without_subscript(ax):
    ax.set_xlabel("CO2 (kg)")


def spelt_another_way(ax):
    ax.set_title("Optimisers")


def turned_on_each_other(ax):
    for x in (0.1, 0.12):
        ax.text(x, 0.6, "turned alike", rotation=45, rotation_mode="anchor")


def turned_differently(ax):
    for turn in (30, 45):
        ax.text(0.1, 0.6, "from one place", rotation=turn, rotation_mode="anchor")


def without_a_name(ax):
    ax.set_ylabel("")


def a_line_through_a_box(ax):
    for x, y in ((0.1, 0.9), (0.3, 0.7), (0.5, 0.5)):
        ax.text(x, y, "box", bbox={"fc": "white", "ec": "black"}, zorder=3)
    ax.plot([0.12, 0.52], [0.92, 0.52])


def another_count(ax):
    ax.scatter([0.1, 0.2], [0.5, 0.6], label="points (3)", color="black")


def twice_the_same_look(ax):
    ax.plot([0, 1], [1, 0], color=ax.lines[0].get_color(), label="the same")
    ax.legend(loc="lower right")


def called_result(ax):
    ax.set_xlabel("result ↑")


def arrow_on_ranks(ax):
    ax.set_xlabel("share of rows that are better")
    ax.set_yticks([0.2], ["price ↑"])


def hatched(ax):
    ax.bar([0.2], [0.3], hatch="//")


def mostly_head(ax):
    ax.annotate("", (0.51, 0.5), (0.5, 0.5), arrowprops={"arrowstyle": "-|>", "shrinkA": 0, "shrinkB": 0})


def triangle_without_ticks(ax):
    ax.set_axis_off()
    ax.add_patch(plt.Polygon([(0, 0), (1, 0), (0.5, 0.9)], fill=False))


BROKEN = {
    small_letters: "too small", shrunk_in_print: "too small",
    too_tall_in_print: "half a page", pale_letters: "contrast", dark_on_dark: "contrast",
    cut_in_a_word: "cut inside a word", text_on_text: "overlaps", text_on_a_line: "on data",
    text_that_hides_a_line: "on data", cut_by_the_axes: "cut off", beyond_one: "from 0 to 1",
    below_none: "from 0 to 1", squeezed: "too narrow", spelt_another_way: "optimiz", turned_on_each_other: "overlaps",
    turned_differently: "overlaps", called_like_a_column: "like a column", carbon_without_subscript: "CO₂",
    without_a_name: "no name",
    a_line_through_a_box: "touches", another_count: "stands for 2", twice_the_same_look: "looks like",
    triangle_without_ticks: "ternary",
    called_result: "only called", arrow_on_ranks: "has an arrow", hatched: "hatches", mostly_head: "mostly head",
}  # fmt: skip


@pytest.mark.parametrize("narrow", [False, True])
def test_a_figure_that_keeps_the_standard_passes(narrow):
    with plots.report_style(narrow=narrow):
        figure, _ = plain()
        assert faults(figure) == []


@pytest.mark.slow
@pytest.mark.parametrize("spoil", BROKEN, ids=lambda spoil: spoil.__name__)
def test_what_breaks_the_standard_is_found(spoil):
    with plots.report_style():
        figure, ax = plain()
        spoil(ax)
        assert any(BROKEN[spoil] in fault for fault in faults(figure))


def test_letters_turned_alike_may_run_beside_each_other():
    with plots.report_style():
        figure, ax = plain()
        for x in (0.1, 0.16):
            ax.text(x, 0.6, "turned alike", rotation=45, rotation_mode="anchor")
        assert faults(figure) == []


def test_one_name_in_two_colors_is_found():
    told = {}
    render = examined(lambda figure, **options: figure, told.__setitem__)
    with plots.report_style():
        for name, color in (("first", "#0072B2"), ("second", "#D55E00")):
            figure, ax = plots.panels(height=3)
            ax.plot([0, 1], [0, 1], label="kept", color=color)
            ax.set(xlabel="loss", ylabel="cost")
            assert render(figure, salt=name) is figure
    assert told == {"first": [], "second": ["'kept' is #d55e00 here and #0072b2 in 'first'"]}


def test_unequal_bins_are_found():
    with plots.report_style():
        figure, axes = plots.panels(2)
        for ax, bins in zip(axes, (10, 20), strict=True):
            ax.hist(np.linspace(0, 1, 50), bins=bins)
            ax.set(xlabel="difference", ylabel="runs")
        assert any("widths" in fault for fault in faults(figure))


def test_letters_in_a_halo_may_stand_in_a_crowd_but_not_on_a_block():
    with plots.report_style():
        figure, ax = plain()
        halo = [withStroke(linewidth=2, foreground="white")]
        ax.plot([0.2, 0.4], [0.82, 0.9], ls="", marker=".")
        ax.text(0.1, 0.8, "a name of some length", path_effects=halo)
        assert faults(figure) == []
        ax.text(0.5, 0.1, "a name of some length", va="center", path_effects=halo)
        ax.barh(0.1, 0.5, left=0.1, height=0.1)
        assert any("on data" in fault for fault in faults(figure))


def test_contrast_is_that_of_the_guidelines():
    assert contrast((0, 0, 0), (1, 1, 1)) == pytest.approx(21)
    assert contrast(*[(0x77 / 255,) * 3, (1, 1, 1)]) == pytest.approx(4.48, abs=0.005)  # the known border case #777


def test_colours_are_told_by_name():
    with plots.report_style():
        figure, ax = plain()
        ax.scatter([0.5], [0.2], color="#D55E00", label="points (1)")
        assert colors(figure) == {"kept": "#0072b2", "points": "#d55e00"}


@pytest.mark.slow
@pytest.mark.parametrize("picture", PICTURES, ids=lambda picture: picture[0])
def test_the_gallery_keeps_the_standard(picture):
    *_, notebook, size, code = picture
    assert find(notebook).name == notebook
    with plots.report_style():
        plt.figure(figsize=size)
        exec(whole(code), {})
        assert faults(plt.gcf()) == []


@pytest.mark.slow
def test_figures_of_the_benchmarks_keep_the_standard(tmp_path):
    """Of the measurements that the documentation quotes."""
    (entry,) = (entry for entry in catalog(FOLDER) if entry.area == "benchmarks")
    job = make_job(entry, parameters={"results": str(FOLDER / "docs" / "benchmarks.json")})
    with examined_reports():
        (outcome,) = run_batch([job], tmp_path)
    assert not outcome.failure, outcome.failure
    found = faults_of_report(tmp_path / entry.name / "report.ipynb")
    assert {"targets", "fronts", "report_seconds"} <= set(found)
    assert not any(found.values()), found
