"""Constants that Python and the page of an explorer share: defined in Python, written into the page's script and style.

Modules of ``view`` import them from ``constants.js``, which is no file: :func:`as_script` writes it.
"""

from __future__ import annotations

import json

from copa_nb.plotting.axes import SKEWED
from copa_nb.plotting.style import CHOICE, GRAY, INK, PALETTE
from copa_nb.ranking.arrays.criterion import LARGEST_POWER, LOOSE_BITS, RELATIVE_MARGIN, UNDERFLOW
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS
from copa_nb.ranking.criterion import WORTH_SHARES
from copa_nb.results.sentences import SENTENCES
from copa_nb.selection.decision import EXAMPLE_SHARE, MOST_TIED, SAME_WEIGHT

# Weights are rounded to this many decimals, so that the code shown contains exactly the numbers used.
WEIGHT_DECIMALS = 4
# Rows that can be compared with the chosen one.
MOST_PINNED = 3
_SHARED = {
    "LOOSE_BITS": LOOSE_BITS,
    "LARGEST_POWER": LARGEST_POWER,
    "RELATIVE_MARGIN": RELATIVE_MARGIN,
    "UNDERFLOW": UNDERFLOW,
    "SKEWED": SKEWED,
    "WEIGHT_DECIMALS": WEIGHT_DECIMALS,
    "MOST_PINNED": MOST_PINNED,
    "NORMALIZATIONS": [(one.label, one.name) for one in NORMALIZATIONS.values()],
    "WORTH_SHARES": WORTH_SHARES,
    "MOST_TIED": MOST_TIED,
    "EXAMPLE_SHARE": EXAMPLE_SHARE,
    "SAME_WEIGHT": SAME_WEIGHT,
    # What the pages say in sentences; of other results they say nothing.
    "SENTENCES": {name: SENTENCES[name] for name in ("phrases", "choice", "gap")},
}
# Colors of letters and surfaces: those of the front end's theme where it has one, so that light and dark both read
# well.
_THEMED = {
    "ink": ("ui-font-color1", INK, "#e4e4e4"), "soft": ("ui-font-color2", "#5f6368", "#a9adb3"),
    "faint": ("border-color3", "#e6e6e6", "#34373b"), "line": ("border-color2", "#d4d4d4", "#4a4d52"),
    "paper": ("layout-color0", "#ffffff", "#16181b"), "panel": ("layout-color1", "#fafafa", "#1e2125"),
}  # fmt: skip
# As in figures: fronts on validation and on test have the colors of ``plot_gap``.
_LIGHT = {
    "grey": GRAY, "front": PALETTE[0], "accent": CHOICE, "second": PALETTE[2], "third": PALETTE[3],
    "validation": PALETTE[4],
}  # fmt: skip
_DARK = {"front": PALETTE[5], "accent": "#F2803A", "grey": "#8d9096", "second": "#2fc99d"}


def as_script() -> str:
    """Write the constants as JavaScript."""
    return "".join(f"const {name} = {json.dumps(value)};\n" for name, value in _SHARED.items())


def as_style(light: str = ".copa-view", dark: str = '.copa-view[data-theme="dark"]') -> str:
    """Write the colors as CSS.

    Parameters
    ----------
    light, dark : str
        What has them, and where it is dark.
    """
    surfaces = [
        {name: f"var(--jp-{theme}, {colors[mode]})" for name, (theme, *colors) in _THEMED.items()} for mode in range(2)
    ]
    return (
        f"{light} {{ {_properties(surfaces[0] | _LIGHT)} color-scheme: light; }}\n"
        f"{dark} {{ {_properties(surfaces[1] | _DARK)} color-scheme: dark; }}\n"
    )


def _properties(colors: dict[str, str]) -> str:
    return " ".join(f"--copa-{name}: {color.lower()};" for name, color in colors.items())
