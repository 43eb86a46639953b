"""Hasse diagrams: the drawing of one order, for every method that finds one."""

from __future__ import annotations

__all__ = ["plot_hasse"]

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb import text as words
from copa_nb.arrays.orders import is_preorder
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.hasse_layout import HOW_TO_READ, HasseDiagram, hasse_diagram
from copa_nb.plotting.keys import key_of, numbered_key
from copa_nb.plotting.style import (
    INK,
    SMALLEST_LETTERS,
    Palette,
    current_axes,
    in_palette,
    is_narrow,
    series_color,
    set_tip,
    shorten_all,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST_FONT = 9.5
# Width of an average character and height of a line, as multiples of the font size.
_CHARACTER = 0.58
_LINE = 2.9  # heights of letters from one layer to the next; less only where letters would be too small
_SHORTEST_LINE = 1.9


@in_palette
@shared_parameters
def plot_hasse(
    relation: Any,
    *,
    labels: Any = None,
    highlight: Any = (),
    most: int = 20,
    arrow: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw an order: lines lead down from each item to the items below it, directly or through others.

    Parameters
    ----------
    relation : DataFrame or ndarray of bool, shape (n, n)
        Row above column; a partial order, or a preorder, whose indifferent items are drawn as ``A = B``.
    labels : list, optional
        Names of the items; the DataFrame's index if omitted.
    highlight : collection
        Labels to draw in color.
    most : int
        Longest label, in characters; longer ones are cut in the middle.
    arrow : bool
        Whether to explain below the diagram how to read it.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes
        Items without any relation are in separate rows below a dotted line. Only lines show what is better: two
        items that no path of lines connects are incomparable, at any heights.

    Notes
    -----
    Where labels would be too small to read, boxes hold numbers, and a key below the figure explains them.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import plots
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> ax = plots.plot_hasse(sample.relation("P1"))
    >>> plt.close(ax.figure)
    """
    matrix, names = _read(relation, labels)
    ax = current_axes(ax)
    ax.set_axis_off()
    texts = shorten_all(names, most)
    diagram, size = _fitted(ax, matrix, texts)
    figure: Any = ax.get_figure(root=True)
    if _has_key(figure, names) or _is_too_small(figure, texts, size):
        texts = _share_key(figure, names)
        diagram, size = _fitted(ax, matrix, texts)
    for line in diagram.lines:
        (drawn,) = ax.plot(*line.T, color=INK, lw=0.9, alpha=0.75, zorder=1)
        ends = (np.hypot(diagram.x - x, diagram.width * (diagram.y - y)).argmin() for x, y in (line[0], line[-1]))
        set_tip(drawn, " above ".join(" = ".join(words.label(names[i]) for i in diagram.members[end]) for end in ends))
    if diagram.rule is not None:
        ax.plot([0, diagram.width], [diagram.rule] * 2, ls=":", lw=0.8, color="0.6", zorder=0)
    for items, place_x, place_y in zip(diagram.members, diagram.x, diagram.y, strict=True):
        marked = any(names[i] in set(highlight) for i in items)
        text = " = ".join(texts[i] for i in items)
        box = ax.text(
            place_x, place_y, text, ha="center", va="center", fontsize=size, color="white" if marked else INK, zorder=3,
            bbox={
                "boxstyle": "round,pad=0.22", "fc": series_color(0) if marked else "white", "ec": series_color(0),
                "lw": 0.8,
            },
        )  # fmt: skip
        others = np.ones(len(names), dtype=bool)
        others[items] = False
        above, below = matrix[items[0]] & others, matrix[:, items[0]] & others
        set_tip(box, " = ".join(words.label(names[i]) for i in items), f"above {above.sum()}", f"below {below.sum()}")
    if arrow and diagram.has_relations:
        ax.annotate(HOW_TO_READ, (0.0, 0.0), xycoords="axes fraction", va="top", fontsize="small", color="0.35")
    return ax


def needs_key(relation: Any, ax: Axes, *, most: int = 20) -> bool:
    """Whether boxes of a diagram would hold numbers: a figure of several diagrams has these in all of them."""
    matrix, names = _read(relation, None)
    texts = shorten_all(names, most)
    return _is_too_small(ax.get_figure(root=True), texts, _fitted(ax, matrix, texts)[1])


def _is_too_small(figure: Any, texts: list[str], size: float) -> bool:
    return size < SMALLEST_LETTERS and figure.get_layout_engine() is not None and max(map(len, texts)) > 2


def _has_key(figure: Any, names: list[Any]) -> bool:
    return any(key_of(legend) == _numbers(names) for legend in figure.legends)


def _numbers(names: list[Any]) -> dict[str, Any]:
    return {str(place): name for place, name in enumerate(names, start=1)}


def _read(relation: Any, labels: Any) -> tuple[np.ndarray, list[Any]]:
    if isinstance(relation, pd.DataFrame):
        names = list(relation.index) if labels is None else list(labels)
        matrix = relation.to_numpy(dtype=bool)
    else:
        matrix = np.asarray(relation, dtype=bool)
        names = list(range(len(matrix))) if labels is None else list(labels)
    if matrix.ndim != 2 or matrix.shape != (len(names), len(names)):
        raise ValueError(
            f"`relation` has shape {matrix.shape} for {len(names)} labels; it must be square, with one row per label."
        )
    if not is_preorder(matrix):
        raise ValueError(
            f"`relation` of {checks.listed(names, 4)} is not a transitive order with a False diagonal; close it with "
            "copa_nb.arrays.orders.transitive_closure."
        )
    return matrix, names


def _share_key(figure: Any, names: list[Any]) -> list[str]:
    """Write a key of numbers and items below a figure, once for all its diagrams; return the numbers."""
    numbers = _numbers(names)
    if not _has_key(figure, names):
        numbered_key(figure, numbers, ncols=2 if is_narrow(figure) else 4)
        lay_out(figure)
    return list(numbers)


def _length(text: str) -> int:
    """Characters drawn: an escaped dollar sign is one, a Chinese or Japanese one takes the room of two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text.replace(r"\$", "$"))


def _fitted(ax: Axes, matrix: np.ndarray, texts: list[str]) -> tuple[HasseDiagram, float]:
    """Lay out an order, set the limits of the Axes and return the diagram with the largest font that fits."""
    box, figure = ax.get_window_extent(), ax.get_figure(root=True)
    inches = box.width / (figure.dpi if figure is not None else 100.0)
    room = 72.0 * inches / (_CHARACTER * SMALLEST_LETTERS) - 2
    diagram = hasse_diagram(matrix, [_length(text) for text in texts], room=room)
    ax.set_xlim(-1, diagram.width + 1)
    ax.set_ylim(diagram.bottom - 0.5, 0.5 if diagram.has_relations else 0.7)
    return diagram, _font_size(ax, diagram.width + 2, 1 - diagram.bottom)


def _font_size(ax: Axes, characters: float, layers: float) -> float:
    """Largest font with which labels fit side by side and layers below each other."""
    box = ax.get_window_extent()
    figure = ax.get_figure(root=True)
    points = 72.0 / (figure.dpi if figure is not None else 100.0)
    across = box.width * points / characters / _CHARACTER
    layer = box.height * points / layers
    down = max(layer / _LINE, min(layer / _SHORTEST_LINE, SMALLEST_LETTERS))
    return float(np.clip(min(across, down), 3.5, _LARGEST_FONT))
