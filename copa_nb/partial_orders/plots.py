"""Pictures of partial orders: Hasse diagrams, depths, and how often each item stands above each other."""

from __future__ import annotations

import math
import numbers as number_types
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb import text as words
from copa_nb.docstrings import shared_parameters
from copa_nb.partial_orders.arrays.hasse_layout import hasse_diagram
from copa_nb.partial_orders.arrays.relations import is_preorder
from copa_nb.partial_orders.depth import DepthResult
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, literal, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST_FONT = 9.5
# Width of an average character and height of a line, as multiples of the font size.
_CHARACTER = 0.56
_LINE = 2.25
_WIDEST = 10.0  # inches: letters in wider figures come out too small on a page


@shared_parameters
def plot_depth(result: DepthResult, *, box: bool = True, values: bool = True, ax: Axes | None = None) -> Axes:
    """Draw a dot per order, deepest at the top, named by its group.

    Parameters
    ----------
    result : DepthResult
        From :meth:`copa_nb.PosetSample.depth`. Confidence intervals are drawn where depths were estimated.
    box : bool
        Whether to draw a box plot of all depths below the dots.
    values : bool
        Whether to write the depths at the right end.
    %(ax)s

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    table = result.table
    rows = np.arange(len(table))
    depths = table["depth"].to_numpy()
    ax.hlines(rows, 0, depths, color="0.85", lw=1.2, zorder=1)
    if "low" in table:
        ax.hlines(rows, table["low"], table["high"], color=PALETTE[0], lw=2.4, alpha=0.45, zorder=2)
    ax.scatter(depths, rows, s=30, color=PALETTE[0], zorder=3)
    if box:
        row_of_box = len(table) + 0.4
        ax.boxplot(
            depths, positions=[row_of_box], orientation="horizontal", widths=0.7, manage_ticks=False, patch_artist=True,
            boxprops={"facecolor": "white", "edgecolor": INK, "linewidth": 0.9},
            medianprops={"color": PALETTE[1], "linewidth": 1.6}, whiskerprops={"color": INK, "linewidth": 0.9},
            capprops={"color": INK, "linewidth": 0.9}, flierprops={"marker": ".", "markeredgecolor": GREY},
        )  # fmt: skip
    labels = [shorten(words.label(label), 26) for label in table.index]
    ax.set_yticks([*rows, row_of_box] if box else rows, [*labels, "all"] if box else labels)
    ax.set_ylim(len(table) + (1.1 if box else -0.4), -0.6)
    largest = max(float(table.get("high", table["depth"]).max()), 1e-3)
    ax.set_xlim(0, largest * (1.2 if values else 1.05))
    if values:
        for row, depth in enumerate(depths):
            ax.text(largest * 1.18, row, f"{depth:.3f}", ha="right", va="center", fontsize="x-small", color="0.35")
    ax.grid(False, axis="y")
    names = [str(name) for name in table.index.names if name is not None]
    ax.set_ylabel(literal(", ".join(names)) or "order")
    ax.set_xlabel("depth (outlying → central)" + (", estimated" if result.method == "sample" else ""))
    return ax


@shared_parameters
def plot_pair_counts(
    sample: PosetSample | pd.DataFrame,
    *,
    n_groups: int | None = None,
    sort: bool = True,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw in how many groups the item of the row stands above the item of the column.

    Parameters
    ----------
    sample : PosetSample or DataFrame
        The sample, or its ``pair_counts``.
    n_groups : int, optional
        What the counts are out of, for the colours; the sample's number of groups, or the largest count.
    sort : bool
        Whether to put items that stand above many others first.
    numbers : bool
        Whether to write the counts.
    %(ax)s

    Returns
    -------
    Axes
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    counts: Any = sample if isinstance(sample, pd.DataFrame) else sample.pair_counts
    if n_groups is None:
        n_groups = int(counts.to_numpy().max()) if isinstance(sample, pd.DataFrame) else len(sample)
    if sort:
        order = (counts.sum() - counts.sum(axis=1)).sort_values(kind="stable").index
        counts = counts.loc[order, order]
    values = counts.to_numpy(dtype=float)
    masked = np.ma.masked_array(values, mask=np.eye(len(values), dtype=bool))
    # Blues remain distinguishable in grey print and with any colour blindness.
    image = ax.imshow(masked, cmap="Blues", vmin=0, vmax=max(n_groups, 1), aspect="equal")
    labels = [shorten(label, 18) for label in counts.index]
    ax.set_xticks(range(len(labels)), labels, rotation=90 if max(map(len, labels)) > 3 else 0)
    ax.set_yticks(range(len(labels)), labels)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    if numbers:
        size = float(np.clip(90 / len(labels), 4.5, 9))
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool)):
            dark = values[i, j] > 0.6 * n_groups
            ax.text(
                j, i, f"{values[i, j]:.0f}", ha="center", va="center", fontsize=size, color="white" if dark else INK
            )
    ax.set_xlabel("is below")
    ax.set_ylabel("is above")
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02)
    bar.locator = MaxNLocator(6, integer=True)
    bar.update_ticks()
    bar.set_label(f"groups (of {n_groups})")
    bar.outline.set_visible(False)
    return ax


@shared_parameters
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
    %(ax)s

    Returns
    -------
    Axes
        Items without any relation stand in rows of their own below a dotted line.

    Notes
    -----
    Labels shrink to fit: give large orders a large figure.
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


def plot_hasse_figure(
    sample: PosetSample | DepthResult,
    *,
    most: int = 24,
    columns: int | None = None,
    size: tuple[float, float] | None = None,
    highlight: Any = (),
    figure: Figure | None = None,
) -> Figure:
    """Draw the Hasse diagram of every order side by side.

    Parameters
    ----------
    sample : PosetSample or DepthResult
        A result is drawn from the deepest order to the shallowest, with depths; a sample in its own order.
    most : int
        Largest number of orders drawn.
    columns : int, optional
        Diagrams per row; chosen by the number of orders and the width of a page if omitted.
    size : tuple of float, optional
        Width and height of one diagram in inches; chosen by the number of items if omitted.
    highlight : collection
        Items to draw in colour in every diagram.
    figure : Figure, optional
        Where to draw; a new one if omitted.

    Returns
    -------
    Figure
    """
    import matplotlib.pyplot as plt

    if isinstance(sample, DepthResult):
        depths, orders = sample.depth, sample.of.only(sample.order[: checks.integer("most", most)])
    else:
        depths, orders = None, sample.only(sample.groups[: checks.integer("most", most)])
    n, n_items = len(orders), len(orders.items)
    if size is None:
        size = (
            (1.8, 1.5) if n_items <= 4 else (2.4, 2.5) if n_items <= 8 else (3.2, 3.2) if n_items <= 12 else (4.8, 4.4)
        )
    columns = min(n, columns or min(math.ceil(math.sqrt(n * 1.3)), max(1, int(_WIDEST / size[0]))))
    rows = math.ceil(n / columns)
    if figure is None:
        figure = plt.figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    room, longest = int(14 * size[0]) - 6, 14 if size[0] < 3 else 18
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.canvas.draw()
    for number, ax in enumerate(axes.ravel()):
        if number >= n:
            ax.set_axis_off()
            continue
        group = orders.groups[number]
        # A bare number does not say what it counts.
        counts = isinstance(group, number_types.Number) and orders.groups.name is not None
        name = f"{orders.groups.name} {group}" if counts else words.label(group)
        plot_hasse(orders.relation(group), highlight=highlight, most=longest, arrow=number == 0, ax=ax)
        ax.set_title(shorten(name, room) + ("" if depths is None else f": {depths[group]:.3f}"), fontsize="small")
    return figure


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
