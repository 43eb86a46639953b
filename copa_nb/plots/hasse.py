"""Hasse diagram of one partial order: better stands higher, lines lead downwards to what is worse."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.core.posets import is_preorder
from copa_nb.plots.hasse_layout import hasse_layout
from copa_nb.plots.style import INK, PALETTE, current_axes, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_LARGEST_FONT = 9.5
# Width of an average character and height of a line, as multiples of the font size.
_CHARACTER = 0.56
_LINE = 2.25
_ISOLATED_ROW = 0.75


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
    related = matrix.any(axis=0) | matrix.any(axis=1)
    connected, isolated = np.flatnonzero(related), np.flatnonzero(~related)
    width, bottom = 0.0, 0.0
    ax.set_axis_off()
    x, y, shown, coloured = [], [], [], []
    if len(connected):
        layout = hasse_layout(matrix[np.ix_(connected, connected)], [_length(texts[i]) for i in connected])
        width, bottom = layout.width, float(layout.y.min())
        for path in layout.paths:
            ax.plot(*_smooth(path).T, color=INK, lw=0.9, alpha=0.75, zorder=1)
        for members, place_x, place_y in zip(layout.classes, layout.x, layout.y, strict=True):
            items = connected[members]
            x.append(place_x)
            y.append(place_y)
            shown.append(" = ".join(texts[i] for i in items))
            coloured.append(any(names[i] in set(highlight) for i in items))
    if len(isolated):
        rows = _rows([_length(texts[i]) + 2 for i in isolated], max(width, _square_width(matrix, texts)))
        top = bottom - (1.2 if len(connected) else 0.0)
        width = max(width, max(sum(_length(texts[isolated[k]]) + 2 for k in row) for row in rows))
        # Drawn above an order without any relation, too: two rows of it would else look like better and worse.
        if len(connected) or len(rows) > 1:
            ax.plot([0, width], [top + 0.6] * 2, ls=":", lw=0.8, color="0.6", zorder=0)
        for number, row in enumerate(rows):
            lengths = np.array([_length(texts[isolated[k]]) + 2 for k in row])
            places = np.cumsum(lengths) - lengths / 2 + (width - lengths.sum()) / 2
            for k, place_x in zip(row, places, strict=True):
                x.append(place_x)
                y.append(top - _ISOLATED_ROW * number)
                shown.append(texts[isolated[k]])
                coloured.append(names[isolated[k]] in set(highlight))
        bottom = top - _ISOLATED_ROW * (len(rows) - 1)
    room = 3.0 if arrow and len(connected) else 0.0
    ax.set_xlim(-1 - room, width + 1)
    ax.set_ylim(bottom - 0.5, 0.5 if len(connected) else 0.7)
    size = _font_size(ax, width + 2 + room, 1 - bottom)
    for place_x, place_y, text, marked in zip(x, y, shown, coloured, strict=True):
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
            "copa_nb.core.posets.transitive_closure."
        )
    return matrix, names


def _smooth(path: np.ndarray) -> np.ndarray:
    """Round the bends of a line that passes layers; straight where it has none."""
    if len(path) == 2:
        return path
    from scipy.interpolate import PchipInterpolator

    down = np.linspace(path[0, 1], path[-1, 1], 16 * len(path))
    return np.column_stack([PchipInterpolator(path[::-1, 1], path[::-1, 0])(down), down])


def _length(text: str) -> int:
    """Characters drawn: an escaped dollar sign is one."""
    return len(text.replace(r"\$", "$"))


def _square_width(matrix: np.ndarray, texts: list[str]) -> float:
    """Width of a row of labels that makes a block of isolated items about three times as wide as high."""
    total = sum(_length(text) + 2 for text in texts)
    return max(max(_length(text) + 2 for text in texts), float(np.sqrt(12.0 * total)))


def _rows(lengths: list[int], width: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for k, length in enumerate(lengths):
        if rows[-1] and used + length > width:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += length
    return rows


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
