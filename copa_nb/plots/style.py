"""Shared looks: a colour-blind palette, a second channel beside colour, and the arrow that says where better is."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Okabe and Ito's palette, dark enough on white; black comes last.
PALETTE = ["#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7F6A93", "#000000"]
MARKERS = ["o", "s", "^", "D", "v", "P", "X", "*"]
LINESTYLES = ["-", "--", "-.", ":", (0, (5, 1)), (0, (3, 1, 1, 1)), (0, (1, 1)), (0, (8, 3))]
CONTINUOUS = "viridis"
GREY = "#9A9A9A"
INK = "#222222"


@contextmanager
def report_style() -> Iterator[None]:
    """Apply the package's style to the figures made inside the ``with`` block, and to nothing else.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> with report_style():
    ...     figure, ax = plt.subplots()
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    with plt.style.context("copa_nb.styles.paper"):
        yield


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
    """
    rising = direction == "max"
    style: dict[str, Any] = {
        "xycoords": "axes fraction",
        "fontsize": "x-small",
        "color": "0.4",
        "annotation_clip": False,
    }
    if axis == "x":
        text = "better →" if rising else "← better"
        ax.annotate(text, (1.0 if rising else 0.0, 1.01), ha="right" if rising else "left", va="bottom", **style)
    else:
        text = "better →" if rising else "← better"
        ax.annotate(
            text, (1.012, 1.0 if rising else 0.0), rotation=90, ha="left", va="top" if rising else "bottom", **style
        )


def directed_label(name: object, direction: str) -> str:
    """Axis label with the direction arrow: ``co2_kg ↓``."""
    return f"{name} {'↑' if direction == 'max' else '↓'}"


def shorten(label: object, most: int = 34) -> str:
    """Cut a long label in the middle, keeping both ends, and make it safe for matplotlib's mathtext."""
    text = str(label).replace("$", r"\$")
    if len(text) <= most:
        return text
    head = (most - 1) // 2
    return f"{text[:head]}…{text[-(most - 1 - head) :]}"
