"""Every color has one meaning, and one place says which."""

from pathlib import Path

import matplotlib as mpl
from matplotlib.colors import to_hex

from copa_nb import plots
from copa_nb.explorers.constants import as_style
from copa_nb.plotting.style import CHOICE, PALETTE, ROLES, chosen_looks, rival_looks
from tests.contract.results import KINDS
from tests.plots.pictures import colors_of

ARCHITECTURE = Path(__file__).parents[2] / "docs" / "architecture.md"


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
    assert CHOICE.lower() in colors_of(KINDS["Selection"]().plot().figure)
    assert f"--copa-accent: {CHOICE.lower()}" in as_style()
