"""Hasse diagram of one partial order: better stands higher, lines lead downwards to what is worse."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.partial_orders.arrays.relations import is_preorder
from copa_nb.partial_orders.plots.hasse_diagram import hasse_diagram
from copa_nb.plotting.style import INK, PALETTE, current_axes, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST_FONT = 9.5
# Width of an average character and height of a line, as multiples of the font size.
_CHARACTER = 0.56
_LINE = 2.25


def plot_hasse(
    relation: Any,
    *,
    labels: Any = None,
    highlight: Any = (),
    most: int = 20,
    arrow: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw an order: an item stands above all items that lines lead down to from it, directly or by others.

    Parameters
    ----------
    relation : DataFrame or ndarray of bool, shape (n, n)
        Row above column; a partial order, or a preorder, whose indifferent items are drawn as ``A = B``.
    labels : list, optional
        Names of the items; the DataFrame's index if omitted.
    highlight : collection
        Labels to draw in colour.
    most : int
        Longest label, in characters; longer ones are cut in the middle.
    arrow : bool
        Whether to mark in which direction better is.
    ax : Axes, optional
        Where to draw; the current Axes if omitted. Give large orders a large figure: labels shrink to fit.

    Returns
    -------
    Axes
        Items without any relation stand in rows of their own below a dotted line.
    """
    matrix, names = _read(relation, labels)
    ax = current_axes(ax)
    texts = [shorten(name, most) for name in names]
    diagram = hasse_diagram(matrix, [_length(text) for text in texts])
    width, bottom = diagram.width, diagram.bottom
    ax.set_axis_off()
    for line in diagram.lines:
        ax.plot(*line.T, color=INK, lw=0.9, alpha=0.75, zorder=1)
    if diagram.rule is not None:
        ax.plot([0, width], [diagram.rule] * 2, ls=":", lw=0.8, color="0.6", zorder=0)
    room = 3.0 if arrow and diagram.has_relations else 0.0
    ax.set_xlim(-1 - room, width + 1)
    ax.set_ylim(bottom - 0.5, 0.5 if diagram.has_relations else 0.7)
    size = _font_size(ax, width + 2 + room, 1 - bottom)
    for items, place_x, place_y in zip(diagram.members, diagram.x, diagram.y, strict=True):
        marked = any(names[i] in set(highlight) for i in items)
        text = " = ".join(texts[i] for i in items)
        ax.text(
            place_x, place_y, text, ha="center", va="center", fontsize=size, color="white" if marked else INK, zorder=3,
            bbox={
                "boxstyle": "round,pad=0.22", "fc": PALETTE[0] if marked else "white", "ec": PALETTE[0], "lw": 0.8
            },
        )  # fmt: skip
    if room:
        _mark_better(ax, size)
    return ax


def _read(relation: Any, labels: Any) -> tuple[np.ndarray, list[Any]]:
    if isinstance(relation, pd.DataFrame):
        names = list(relation.index) if labels is None else list(labels)
        matrix = relation.to_numpy(dtype=bool)
    else:
        matrix = np.asarray(relation, dtype=bool)
        names = list(range(len(matrix))) if labels is None else list(labels)
    if matrix.ndim != 2 or matrix.shape != (len(names), len(names)):
        raise ValueError(
            f"`relation` has shape {matrix.shape} for {len(names)} labels; it must be square and have one each."
        )
    if not is_preorder(matrix):
        raise ValueError(
            f"`relation` of {checks.listed(names, 4)} is not a transitive order without a diagonal; close it with "
            "copa_nb.partial_orders.arrays.relations.transitive_closure."
        )
    return matrix, names


def _length(text: str) -> int:
    """Characters drawn: an escaped dollar sign is one, a Chinese or Japanese one takes the room of two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text.replace(r"\$", "$"))


def _font_size(ax: Axes, characters: float, layers: float) -> float:
    """Largest font with which labels fit side by side and layers below each other."""
    box = ax.get_window_extent()
    figure = ax.get_figure(root=True)
    points = 72.0 / (figure.dpi if figure is not None else 100.0)
    across = box.width * points / characters / _CHARACTER
    down = box.height * points / layers / _LINE
    return float(np.clip(min(across, down), 3.5, _LARGEST_FONT))


def _mark_better(ax: Axes, size: float) -> None:
    ax.annotate(
        "better →", (0.0, 0.98), xycoords="axes fraction", rotation=90, ha="left", va="top",
        fontsize=max(5.0, min(size, 8.0)), color="0.35",
    )  # fmt: skip
