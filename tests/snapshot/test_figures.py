"""Every public plot draws what is stored: each artist with its looks and its place, with each option turned on.

Releases of matplotlib differ in what they draw; the record holds for the one that made it. Letters are measured as
equally wide, so that nothing hangs on fonts. See `tests.snapshot.figures` for the pictures.
"""

import json

import matplotlib.pyplot as plt
import numpy as np
import pytest

from tests.snapshot.drawn import figure_as_data, plain_places
from tests.snapshot.encoding import differences, read
from tests.snapshot.figures import EXACTNESS, FIGURES, RELEASE, drawn
from tests.snapshot.make import DRAWN, RENEW

SHOWN = 12


@pytest.fixture(scope="module")
def stored():
    found = read(DRAWN)
    release = found.pop("matplotlib")["release"]
    if release != RELEASE:
        pytest.skip(
            f"plots are compared with what matplotlib {release} draws, and {RELEASE} is installed, which may place "
            "ticks and labels otherwise; no plot is known to be wrong."
        )
    return found


@pytest.mark.parametrize("name", FIGURES)
def test_plots_draw_what_is_stored(stored, name):
    assert name in stored, f"{name} is not stored; {RENEW} figures"
    lines = list(differences(stored[name], drawn(name), **EXACTNESS))
    more = [f"and {len(lines) - SHOWN} more"] if len(lines) > SHOWN else []
    assert not lines, "\n".join([f"{len(lines)} differences; {RENEW} figures", *lines[:SHOWN], *more])


def test_no_picture_was_lost(stored):
    assert list(stored) == list(FIGURES)


def _example():
    figure, (ax, other) = plt.subplots(1, 2, layout="constrained")
    ax.plot([0, 1, 2], [0, 1, 4], "o-", label="a line")
    ax.scatter([0, 1, 2], [3, 1, 0], s=20, c=[0.1, 0.5, 0.7])
    ax.barh([0, 1], [1, 2], hatch="//", label="bars")
    ax.annotate("here", (1, 1), xytext=(3, 0), textcoords="offset points", arrowprops={"arrowstyle": "->"})
    ax.set(xlabel="what is on the axis", title="two of them")
    ax.legend()
    other.imshow(np.arange(100).reshape(10, 10))
    return figure, ax


def _described(alter=None):
    with plain_places():
        figure, ax = _example()
        if alter is not None:
            alter(ax)
        found = json.loads(json.dumps(figure_as_data(figure)))
    plt.close(figure)
    return found


@pytest.fixture(scope="module")
def example():
    return _described()


def test_the_same_figure_is_described_alike(example):
    assert list(differences(example, _described(), **EXACTNESS)) == []


CHANGES = {
    "size of a marker": (lambda ax: ax.lines[0].set_markersize(6.1), "> size: 6.0 became 6.1"),
    "order": (lambda ax: ax.lines[0].set_zorder(2.1), "> z: 2.0 became 2.1"),
    "dashes": (lambda ax: ax.lines[0].set_linestyle(":"), "dashes"),
    "colour of an edge": (lambda ax: ax.lines[0].set_markeredgecolor("k"), 'edge: "#1f77b4" became "#000000"'),
    "a value": (lambda ax: ax.lines[0].set_ydata([0, 1, 4.001]), "data[1][2]: 4.0 became 4.001"),
    "sizes": (lambda ax: ax.collections[0].set_sizes([21]), "sizes[0]: 20.0 became 21.0"),
    "a map of colours": (lambda ax: ax.collections[0].set_cmap("magma"), "face[0]"),
    "a hatch": (lambda ax: ax.patches[0].set_hatch("x"), 'hatch: "//" became "x"'),
    "a width": (lambda ax: ax.patches[1].set_width(2.1), "path[1][0]: 2.0 became 2.1"),
    "a word": (lambda ax: ax.set_xlabel("what is by the axis"), '"what is on the axis" became "what is by the axis"'),
    "an offset": (lambda ax: ax.texts[0].set_position((4, 0)), "position[0]: 3.0 became 4.0"),
    "its unit": (lambda ax: ax.texts[0].set_anncoords("offset pixels"), '"offset points" became "offset pixels"'),
    "an arrow": (lambda ax: ax.texts[0].arrow_patch.set_arrowstyle("-|>"), "arrow"),
    "a limit": (lambda ax: ax.set_ylim(-0.51, 5), "limits[1][0]"),
    "ticks": (lambda ax: ax.locator_params(axis="x", nbins=3), "x > ticks"),
    "a scale": (lambda ax: ax.set_yscale("symlog"), 'y > scale[0]: "linear" became "symlog"'),
    "a grid": (lambda ax: ax.grid(visible=True, axis="y"), 'y > looks[0][0]: ["grid"] is new'),
    "a spine": (lambda ax: ax.spines["top"].set_visible(False), 'spines: ["top"] went'),
    "alignment": (lambda ax: ax.title.set_horizontalalignment("left"), 'aligned[0]: "center" became "left"'),
    "columns of a legend": (lambda ax: ax.legend(ncols=2), "columns: 1 became 2"),
    "what is behind a text": (lambda ax: ax.texts[0].set_bbox({"fc": "w"}), '["box"] is new'),
    "opacity": (lambda ax: ax.collections[0].set_alpha(0.5), '["alpha"] is new'),
    "an image": (lambda ax: ax.figure.axes[1].images[0].set_data(np.arange(100).reshape(10, 10) % 99), "values > sums"),
    "something hidden": (lambda ax: ax.texts[0].set_visible(False), "values became"),
    "under the pointer": (lambda ax: ax.lines[0].set_label("_tip\nhere"), 'named: "a line" became "_tip\\nhere"'),
}  # fmt: skip


@pytest.mark.parametrize(("alter", "said"), CHANGES.values(), ids=CHANGES)
def test_a_change_is_named(example, alter, said):
    lines = list(differences(example, _described(alter), **EXACTNESS))
    assert any(said in line for line in lines), lines
