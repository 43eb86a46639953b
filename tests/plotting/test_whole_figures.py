"""What a plot draws lies within its figure, so that ``savefig`` in a plain script cuts nothing off."""

import io

import matplotlib.pyplot as plt
import pandas as pd
import pytest

from copa_nb import datasets, plots
from docs.gallery import PICTURES, whole
from tests.plots.test_pictures_in_words import DRAWN, PLOTS

ROUNDING = 0.01  # inches


def sides_cut(figure):
    """Sides of a figure, saved with matplotlib's settings, on which something is drawn beyond its edge."""
    figure.savefig(io.BytesIO())
    drawn, (width, height) = figure.get_tightbbox(), figure.get_size_inches()
    beyond = {"left": -drawn.x0, "bottom": -drawn.y0, "right": drawn.x1 - width, "top": drawn.y1 - height}
    return {side: inches for side, inches in beyond.items() if inches > ROUNDING}


@pytest.mark.slow
@pytest.mark.parametrize(
    "code",
    [pytest.param(picture[-1], id=picture[0]) for picture in PICTURES],
)
def test_a_picture_of_the_gallery_is_saved_whole_by_a_plain_script(code):
    exec(whole(code), {})
    assert sides_cut(plt.gcf()) == {}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "case"), [(name, case) for name, cases in DRAWN.items() for case in range(len(cases))]
)
def test_a_plot_without_axes_makes_a_figure_that_is_saved_whole(name, case):
    make, options, _ = DRAWN[name][case]
    result = make()
    plt.close("all")
    PLOTS[name](result, **options)
    assert sides_cut(plt.gcf()) == {}


def test_the_figure_of_a_method_is_saved_whole():
    methods = datasets.load_domainbed().moo.copa()
    assert sides_cut(methods.plot(figsize=(4, 3)).figure) == {}


def test_a_figure_of_the_user_keeps_its_layout():
    figure = plt.figure()
    models = pd.DataFrame({"a": [1.0, 2.0], "b": [2.0, 1.0]})
    assert plots.plot_front(models, objectives={"a": "max", "b": "max"}).figure is figure
    assert figure.get_layout_engine() is None


def test_what_lies_beyond_the_edge_is_seen():
    figure, ax = plt.subplots()
    ax.plot([0, 1], label="a line")
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0))
    assert set(sides_cut(figure)) == {"right"}
