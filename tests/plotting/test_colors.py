"""Every color has one meaning, and one place says which."""

from itertools import chain
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure

from copa_nb import plots
from copa_nb.explorers.constants import as_style
from copa_nb.plotting.style import CHOICE, PALETTE, ROLES, chosen_looks, rival_looks
from tests.results.test_pages_of_results import KINDS

# What has a choice, which vermilion marks.
WITH_A_CHOICE = {
    "Cheaper", "Criteria", "Intervals", "Navigation", "PartitionedSelection", "Selection", "Sensitivity", "Stability",
}  # fmt: skip
ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"


def _colors(figure):
    found = set()
    for part in chain(figure.findobj(), *(ax.get_children() for ax in figure.axes)):
        for name in ("get_facecolor", "get_edgecolor", "get_color", "get_markerfacecolor"):
            color = getattr(part, name, lambda: "none")()
            found |= {to_hex(one) for one in np.atleast_2d(mpl.colors.to_rgba_array(color)) if len(one)}
    return found


def test_the_documentation_has_the_roles_of_colors():
    rows = [f"| {role} | `{color}` | {mark} | {meaning} |" for role, (color, mark, meaning) in ROLES.items()]
    table = "\n".join(["| role | color | mark | meaning |", "|---|---|---|---|", *rows])
    assert table in ARCHITECTURE.read_text(encoding="utf-8"), table


def test_no_series_has_the_color_of_the_choice():
    assert chosen_looks()["color"] == CHOICE
    assert CHOICE not in PALETTE
    assert all(rival_looks(number)["color"] != CHOICE for number in range(10))
    with plots.report_style():
        assert CHOICE.lower() not in {to_hex(color) for color in mpl.rcParams["axes.prop_cycle"].by_key()["color"]}
    assert CHOICE.lower() in _colors(KINDS["Selection"]().plot().figure)
    assert f"--copa-accent: {CHOICE.lower()}" in as_style()


@pytest.mark.parametrize("name", KINDS)
def test_vermilion_is_in_pictures_of_a_choice_only(name):
    result = KINDS[name]()
    drawn = result.plot() if hasattr(result, "plot") else None
    if not isinstance(drawn, Axes | Figure):
        pytest.skip("there is nothing to draw")
    figure = drawn.figure if isinstance(drawn, Axes) else drawn
    assert (CHOICE.lower() in _colors(figure)) <= (type(result).__name__ in WITH_A_CHOICE), type(result).__name__
    plt.close("all")
