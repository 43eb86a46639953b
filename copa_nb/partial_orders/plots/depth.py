"""Depths of orders as dots, from the most central downwards, with a box plot of their distribution."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, literal, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.partial_orders.depth import DepthResult


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
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

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
        place = len(table) + 0.4
        ax.boxplot(
            depths, positions=[place], orientation="horizontal", widths=0.7, manage_ticks=False, patch_artist=True,
            boxprops={"facecolor": "white", "edgecolor": INK, "linewidth": 0.9},
            medianprops={"color": PALETTE[1], "linewidth": 1.6}, whiskerprops={"color": INK, "linewidth": 0.9},
            capprops={"color": INK, "linewidth": 0.9}, flierprops={"marker": ".", "markeredgecolor": GREY},
        )  # fmt: skip
    labels = [shorten(_name(label), 26) for label in table.index]
    ax.set_yticks([*rows, place] if box else rows, [*labels, "all"] if box else labels)
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


def _name(label: object) -> str:
    return ", ".join(map(str, label)) if isinstance(label, tuple) else str(label)
