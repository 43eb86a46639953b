"""Figures as files: characters that no font has, and where the marks are."""

import io
import re
import warnings
import zlib

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from copa_nb import plots, reports
from copa_nb.plotting.style import set_tip
from copa_nb.reports.figures import figure_of, points_of, render
from copa_nb.selection.plots.decisions import plot_selection

PRIVATE = "\ue123"  # a code point that no font assigns


def titled(text):
    figure, ax = plt.subplots(figsize=(2, 1))
    ax.set_title(text)
    return figure


def test_characters_without_a_glyph_are_listed_once_and_do_not_warn(monkeypatch):
    monkeypatch.setattr("copa_nb.reports.figures._fonts_with", lambda letters: ())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        rendered = render(titled(f"model {PRIVATE}{PRIVATE}"), salt="t")
    assert rendered.missing == PRIVATE
    assert render(titled("naïve"), salt="t").missing == ""


def test_other_warnings_still_come_through(monkeypatch):
    figure = titled("plain")
    save = figure.savefig

    def save_and_warn(*args, **kwargs):
        warnings.warn("something else", UserWarning, stacklevel=1)
        save(*args, **kwargs)

    monkeypatch.setattr(figure, "savefig", save_and_warn)
    with pytest.warns(UserWarning, match="something else"):
        render(figure, salt="t")


def test_a_report_tells_of_boxes_once(capsys, monkeypatch):
    monkeypatch.setattr("copa_nb.reports.figures._fonts_with", lambda letters: ())
    report = reports.Record()
    for name in ("one", "two"):
        report.figure(titled(PRIVATE), name=name, caption="A title.", alt="A title.")
    assert capsys.readouterr().out.count("No font that matplotlib finds here has") == 1


def marked():
    """Two panels: a scatter with a log axis, and bars with names; marks lie where the pixels say."""
    table = pd.DataFrame({"kg": [0.1, 1.0, 10.0], "score": [1.0, 5.0, 3.0]}, index=["a", "b", "<c>"])
    figure, (left, right) = plt.subplots(1, 2, figsize=(5, 2), layout="constrained")
    left.scatter(table["kg"], table["score"], s=60, color="red", lw=0)
    left.set(xscale="log", xlabel="CO₂ (kg) ↓", ylabel="score ↑")
    right.barh([0, 1], [2.0, 4.0])
    right.set_yticks([0, 1], ["slow", "fast"])
    return figure, table


def test_points_are_where_the_picture_has_them_and_know_their_rows():
    figure, table = marked()
    rendered = render(figure, salt="t")
    found = points_of(figure, rendered.area, table)
    assert found["axes"][0] == ["CO₂ (kg)", "score"]
    scatter = [point for point in found["points"] if point[2] == 0]
    assert [point[3:] for point in scatter] == [["a", "0.1", "1"], ["b", "1", "5"], ["<c>", "10", "3"]]
    picture = plt.imread(io.BytesIO(rendered.png))
    for left, top, *_ in scatter:
        row, column = round(top / 1000 * picture.shape[0]), round(left / 1000 * picture.shape[1])
        red, green, blue = picture[row, column, :3]
        assert red > 0.9
        assert max(green, blue) < 0.1
    bars = [point for point in found["points"] if point[2] == 1]
    assert [point[4:] for point in bars] == [["2", "slow"], ["4", "fast"]]
    plt.close(figure)


def test_categories_are_named_by_their_ticks():
    figure, ax = plt.subplots(figsize=(3, 2))
    ax.scatter(["a", "b"], [1.0, 2.0])
    found = points_of(figure, render(figure, salt="t").area)
    assert [point[3:] for point in found["points"]] == [["", "a", "1"], ["", "b", "2"]]
    plt.close(figure)


def test_a_dollar_sign_is_shown_without_its_backslash():
    models = pd.DataFrame({"$ / 1k tok": [1.0, 2.0], "$y$": [2.0, 1.0]}, index=["a", "b"])
    view = models.moo({"$ / 1k tok": "min", "$y$": "min"})
    front, bars = view.copa().plot().figure, plot_selection(view.copa(), ax=plt.figure().gca()).figure
    assert points_of(front, render(front, salt="t").area)["axes"] == [["$ / 1k tok", "$y$"]]
    shown = points_of(bars, render(bars, salt="t").area)["points"]
    assert {point[5].split(" weight")[0] for point in shown if " weight" in point[5]} == {"$ / 1k tok", "$y$"}
    assert "\\" not in repr(shown)


def test_a_large_cloud_answers_only_where_it_has_names():
    rng = np.random.default_rng(0)
    cloud = rng.random((2000, 2))
    table = pd.DataFrame(cloud[:3], columns=["x", "y"], index=["a", "b", "c"])
    figure, ax = plt.subplots(figsize=(3, 3))
    ax.scatter(*cloud.T)
    found = points_of(figure, render(figure, salt="t").area, table)
    assert sorted(point[3] for point in found["points"]) == ["a", "b", "c"]
    plt.close(figure)


@pytest.mark.parametrize(
    ("index", "names"),
    [(None, ["us", "them"]), (pd.RangeIndex(5, 7, name="run"), ["5", "6"]), ([8, 9], ["8", "9"])],
)
def test_points_are_called_by_the_index_unless_it_only_counts(index, names):
    table = pd.DataFrame({"x": [0.25, 0.5], "made by": ["us", "them"], "y": [1.0, 2.0]}, index=index)
    figure, ax = plt.subplots()
    ax.scatter(table["x"], table["y"])
    found = points_of(figure, render(figure, salt="t").area, table)
    assert [point[3] for point in found["points"]] == names


def test_a_straight_line_answers_at_four_places_along_it_and_a_bent_one_at_its_parts():
    figure, ax = plt.subplots()
    for path in ([0, 1], [0, 1, 0]):
        set_tip(ax.plot(path, color="black")[0], f"{len(path)} points")
    found = points_of(figure, render(figure, salt="t").area)
    assert [point[3] for point in found["points"]] == ["2 points"] * 4 + ["3 points"] * 2


def test_figures_in_print_have_the_letters_of_the_document(monkeypatch):
    plain = render(titled("t"), salt="t")
    monkeypatch.setenv("COPA_NB_FONTS", "serif")
    serif = render(titled("t"), salt="t")
    assert b"STIX" in serif.pdf
    assert b"STIX" not in plain.pdf
    monkeypatch.setenv("COPA_NB_FONTS", "comic")
    with pytest.raises(ValueError, match="`COPA_NB_FONTS`"):
        render(titled("t"), salt="t")


def test_embedded_fonts_are_truetype_and_hold_the_letters_that_are_drawn():
    from fontTools.ttLib import TTFont

    written = render(titled("AVA"), salt="t").pdf
    streams = [
        zlib.decompressobj().decompress(part) for part in re.findall(rb"stream\r?\n(x.*?)endstream", written, re.S)
    ]
    fonts = [TTFont(io.BytesIO(stream)) for stream in streams if stream.startswith(b"\0\1\0\0")]
    glyphs = {glyph for font in fonts for glyph in font.getGlyphOrder()}
    assert {"A", "V"} <= glyphs
    assert "Q" not in glyphs, "and no others"


@pytest.mark.parametrize("letters", ["sans", "serif"])
def test_letters_that_the_first_font_lacks_come_from_one_that_has_them(monkeypatch, letters):
    monkeypatch.setenv("COPA_NB_FONTS", letters)
    # DejaVu Sans has no script g, STIX no subscript: each of them draws a box alone.
    rendered = render(titled("CO₂ ℊ"), salt="t")
    assert rendered.missing == ""
    assert (b"STIX" in rendered.pdf) or letters == "sans"
    assert b"DejaVu" in rendered.pdf
    assert b"LastResort" not in rendered.pdf


def test_a_font_installed_since_is_found(monkeypatch, tmp_path):
    from matplotlib import font_manager

    from copa_nb.reports import figures

    path = font_manager.findfont("STIXGeneral")
    others = [font for font in font_manager.fontManager.ttflist if font.name == "DejaVu Sans"]
    monkeypatch.setattr(font_manager.fontManager, "ttflist", others)
    monkeypatch.setattr(font_manager, "findSystemFonts", list)
    figures._fonts_with.cache_clear()
    assert render(titled("ℊ"), salt="t").missing == "ℊ"
    monkeypatch.setattr(font_manager, "findSystemFonts", lambda: [path])
    figures._fonts_with.cache_clear()
    assert render(titled("ℊ"), salt="t").missing == ""
    figures._fonts_with.cache_clear()


def test_the_narrow_variant_is_a_vector_only():
    with plots.report_style(narrow=True):
        rendered = render(titled("t"), salt="t", narrow=True)
    assert rendered.svg
    assert not rendered.png + rendered.pdf


def test_boxes_and_lines_of_orders_say_what_they_stand_for():
    relation = pd.DataFrame(np.triu(np.ones((3, 3), dtype=bool), 1), index=["a", "b", "c $x$"])
    figure, ax = plt.subplots(figsize=(3, 3))
    plots.plot_hasse(relation, ax=ax)
    rendered = render(figure, salt="t")
    found = points_of(figure, rendered.area)
    said = {tuple(point[3:]) for point in found["points"]}
    boxes = {("a", "above 2", "below 0"), ("b", "above 1", "below 1"), ("c $x$", "above 0", "below 2")}
    assert said == boxes | {("a above b", "", ""), ("b above c $x$", "", "")}
    heights = {point[3]: point[1] for point in found["points"]}
    assert heights["a"] < heights["a above b"] < heights["b"] < heights["b above c $x$"] < heights["c $x$"]
    assert ax.get_legend_handles_labels() == ([], [])
    plt.close(figure)


def test_the_figure_of_axes_within_a_part_of_it_is_the_whole():
    figure = plt.figure()
    part, _ = figure.subfigures(1, 2)
    ax = part.subfigures(2, 1)[0].subplots()
    assert figure_of(ax) is figure
    assert figure_of(np.array([[ax]])) is figure
    assert figure_of(figure) is figure
    for nothing in ([], np.array([]), "figure.png", None):
        with pytest.raises(TypeError, match=r"^`figure` must be a matplotlib Figure or Axes, not "):
            figure_of(nothing)


def test_large_numbers_are_written_whole():
    figure, (left, right) = plt.subplots(1, 2, layout="constrained")
    left.plot([0, 3e6], [0, 2])
    right.plot([0, 3], [0, 40_000])
    render(figure, salt="x")
    written = [[text.get_text() for text in axis.get_majorticklabels()] for axis in (left.xaxis, right.xaxis)]
    assert {"0", "1M", "2M", "3M"} <= {*written[0]}
    assert {"0", "1", "2", "3"} <= {*written[1]}
    assert not any(axis.get_offset_text().get_text() for ax in (left, right) for axis in (ax.xaxis, ax.yaxis))
    plt.close(figure)
