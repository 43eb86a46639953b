"""Shared looks: a color-blind palette, a second channel beside color, and the arrow that says where better is."""

from __future__ import annotations

__all__ = ["CONTINUOUS", "GRAY", "LINESTYLES", "MARKERS", "PALETTE", "better_arrow", "report_style"]

import re
import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from matplotlib.artist import Artist
    from matplotlib.axes import Axes

# Okabe and Ito's palette, dark enough on white; black comes last.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6A93", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
LINESTYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3))]
CONTINUOUS = "viridis"
GRAY = "#9A9A9A"
INK = "#222222"
# Inches: the lines of an A4 page, at which figures are printed as they are drawn, and those of a phone.
PAGE_WIDTH = 6.85
PHONE_WIDTH = 3.7
SMALLEST_LETTERS = 8.0  # points
_LONGEST_LABEL = 60
# What pages show under the pointer, for as long as the mark exists.
_TIPS: WeakKeyDictionary[Artist, list[str]] = WeakKeyDictionary()
_ONE_THREAD = threading.RLock()
# Control characters, for which no font has a picture.
_NO_LETTER = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_WORD_AT_END, _WORD_AT_START = re.compile(r"\w+$"), re.compile(r"^\w+")


def series_looks(number: int) -> dict[str, Any]:
    """Color, marker and line of one series of several, told apart by each of them."""
    return {
        "color": PALETTE[number % len(PALETTE)],
        "marker": MARKERS[number % len(MARKERS)],
        "ls": LINESTYLES[number % len(LINESTYLES)],
    }


@contextmanager
def report_style(narrow: bool = False) -> Iterator[None]:
    """Apply the package's style to the figures made inside the ``with`` block, and to nothing else.

    Settings of matplotlib belong to the whole process, so threads enter such blocks one after another.

    Parameters
    ----------
    narrow : bool
        Whether figures are for a phone: as wide as its screen, panels below each other.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> with report_style():
    ...     figure, ax = plt.subplots()
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    styles: list[str | dict[str, Any]] = ["copa_nb.styles.paper"]
    if narrow:
        styles.append({"figure.figsize": (PHONE_WIDTH, 3.2)})
    with _ONE_THREAD, plt.style.context(styles), warnings.catch_warnings():
        # A report says once which characters no font has; here every label measured would say it again.
        warnings.filterwarnings("ignore", message=r"Glyph \d+ .* missing from font", category=UserWarning)
        yield


def is_narrow(figure: Any) -> bool:
    """Tell whether a figure is too narrow for a legend or a second panel beside the axes."""
    return bool(figure.get_figwidth() < 0.75 * PAGE_WIDTH)


def current_axes(ax: Axes | None) -> Axes:
    """Return `ax`, or the current Axes."""
    if ax is not None:
        return ax
    import matplotlib.pyplot as plt

    return plt.gca()


def better_arrow(ax: Axes, axis: str, direction: str) -> None:
    """Mark an axis with "better →" on the side where better is.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    axis : {"x", "y"}
        Which axis.
    direction : {"max", "min"}
        Direction of the objective on it.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> better_arrow(ax, "x", "max")
    >>> plt.close(figure)
    """
    text = "better →" if direction == "max" else "← better"
    end = 0.99 if direction == "max" else 0.01
    # Two objectives that are both minimized share the corner at the origin: keep the words apart.
    position = (end, 0.012) if axis == "x" else (0.012, max(end, 0.07))
    ax.annotate(
        text, position, xycoords="axes fraction", fontsize="small", color="0.35", zorder=7,
        rotation=0 if axis == "x" else 90,
        ha=("right" if end > 0.5 else "left") if axis == "x" else "left",
        va="bottom" if axis == "x" else ("top" if end > 0.5 else "bottom"),
        bbox={"boxstyle": "round,pad=0.15", "fc": "white", "ec": "none", "alpha": 0.75},
    )  # fmt: skip


def directed_label(name: object, direction: str) -> str:
    """Axis label with the direction arrow: ``co2_kg ↓``."""
    return f"{literal(name)} {'↑' if direction == 'max' else '↓'}"


def literal(text: object) -> str:
    r"""Write a label as it is, or cut in the middle if it is so long that it would leave no room for the axes.

    Matplotlib would read what stands between dollar signs as mathematics, and leave a label that starts with an
    underscore out of every legend; a space of no width stands before that.

    Examples
    --------
    >>> literal("cost $x_{$")
    'cost \\$x_{\\$'
    """
    return shorten(text, _LONGEST_LABEL)


def shorten(label: object, most: int = 34) -> str:
    """Cut a long label in the middle, between words, and make it safe for matplotlib's mathtext and fonts.

    Examples
    --------
    >>> shorten("vonjack/Phi-3-mini-4k-instruct-LLaMAfied", 30), shorten(chr(0))
    ('vonjack/Phi-3-…-LLaMAfied', '�')
    """
    text = _NO_LETTER.sub("\ufffd", str(label))
    if len(text) > most:
        middle = (most - 1) // 2
        head, tail = text[:middle], text[-(most - 1 - middle) :]
        # Between words where there are some: half a word may be read as another.
        head, tail = _WORD_AT_END.sub("", head) or head, _WORD_AT_START.sub("", tail) or tail
        text = f"{head}…{tail}"
    # Escaped last: a cut between a dollar sign and its backslash would set the sign free.
    escaped = text.replace("$", r"\$")
    return f"\u200b{escaped}" if escaped.startswith("_") else escaped


def set_tip(artist: Artist, *words: object) -> None:
    """Keep what a page says under the pointer of a mark that has no values on axes: up to three short lines."""
    _TIPS[artist] = [" ".join(str(line).split()) for line in words]


def tip_of(artist: Artist) -> list[str]:
    """Return what :func:`set_tip` kept, nothing without it."""
    return _TIPS.get(artist, [])
