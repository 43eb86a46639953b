"""Ranks of systems averaged over items: box plots of where they rank and how they perform."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.mean_ranks import MeanRanks
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    INK,
    Palette,
    current_axes,
    in_palette,
    literal,
    series_color,
    shorten,
    shorten_all,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_WHISKER = 1.5


# Points between the axis and the names, where counts stand.
_ROOM_FOR_COUNTS = 30


@of_paper("javaloy2025copa")
@offered_by(MeanRanks)
@in_palette
@shared_parameters
def plot_ccdf(
    mean_ranks: MeanRanks,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    order: Sequence[Hashable] | None = None,
    **box_kws: Any,
) -> Axes:
    """Draw a box per system: over the items, the share of systems that are no better.

    Parameters
    ----------
    mean_ranks : MeanRanks
        Ranks of systems over items.
    %(palette)s
    %(ax)s
    order : list of labels, optional
        Systems from top to bottom; by mean, best first, if omitted.
    **box_kws
        Options of ``Axes.boxplot``.

    Returns
    -------
    Axes
        The diamond is the mean. Everything lies between 0 and 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> results = pd.DataFrame({"task": [1, 1, 2, 2], "tool": list("abab"), "auc": [0.9, 0.8, 0.7, 0.6]})
    >>> ax = results.moo(auc="max", system="tool", item="task").mean_ranks().plot()
    >>> plt.close(ax.figure)
    """
    ax = _boxes(mean_ranks, mean_ranks.ccdf, ax, order, series_color(0), box_kws)
    ax.set_xlim(0, 1)
    # Marks at the ends of the axis are drawn whole; what is empty would lie in a corner of the figure.
    for line in ax.lines:
        line.set_clip_on(np.size(line.get_xdata()) == 0)
    ax.set_xlabel(f"CCDF: share of the\n{literal(mean_ranks.system)}s no better ↑")
    return ax


@describes(plot_ccdf)
def _mean_ranks_in_words(mean_ranks: MeanRanks, *, order: Sequence[Hashable] | None = None, **options: Any) -> Picture:
    systems, items = _described_boxes(mean_ranks)
    return Picture(
        finding=mean_ranks.headline,
        caption=f"Over {mean_ranks.ccdf.shape[1]:,} {items}: the share of the {systems} that are no better. Boxes "
        "span the quartiles, lines mark the medians and diamonds the means.",
        alt=f"Horizontal box plots, one for each of {len(_order(mean_ranks, order)):,} {systems}, of the share of the "
        f"{systems} that are no better.",
        data=mean_ranks.ccdf.T,
        **_height_of_boxes(mean_ranks, order),
    )


def _described_boxes(mean_ranks: MeanRanks) -> tuple[str, str]:
    """Return what systems and items are called."""
    return text.plural(mean_ranks.system, "systems"), text.plural(mean_ranks.item, "items")


def _height_of_boxes(mean_ranks: MeanRanks, order: Sequence[Hashable] | None) -> dict[str, float]:
    boxes = len(_order(mean_ranks, order))
    return {"height": max(2.2, min(4.05, 0.26 * boxes + 1)), "narrow_height": max(2.4, 0.3 * boxes + 1)}


@of_paper("javaloy2025copa")
@offered_by(MeanRanks, kind="scaled")
@in_palette
@shared_parameters
def plot_scaled_performance(
    mean_ranks: MeanRanks,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    order: Sequence[Hashable] | None = None,
    view: tuple[float, float] = (-0.5, 1.05),
    **box_kws: Any,
) -> Axes:
    """Draw a box per system: over the items, the performance between the baseline (0) and the best (1).

    Parameters
    ----------
    mean_ranks : MeanRanks
        Ranks of systems over items, with a baseline.
    %(palette)s
    %(ax)s
    order : list of labels, optional
        Systems from top to bottom; by mean CCDF, best first, if omitted.
    view : tuple of two float
        Range of the axis. Values outside it are counted next to the names.
    **box_kws
        Options of ``Axes.boxplot``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If `mean_ranks` has no baseline, or one that is the best on every item.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> results = pd.DataFrame({"task": [1, 1, 2, 2], "tool": list("abab"), "auc": [0.9, 0.8, 0.7, 0.8]})
    >>> standing = results.moo(auc="max", system="tool", item="task").mean_ranks(baseline="b")
    >>> ax = standing.plot("scaled")
    >>> plt.close(ax.figure)
    """
    if mean_ranks.scaled is None:
        raise ValueError("`mean_ranks` has no baseline to scale against; pass baseline= to mean_ranks().")
    if not _n_scaled(mean_ranks.scaled):
        raise ValueError(
            f"`baseline` of mean_ranks is {mean_ranks.baseline!r}, which is the best on every item, so that there is "
            "nothing between it and the best; pass another baseline= to mean_ranks()."
        )
    ax = _boxes(mean_ranks, mean_ranks.scaled, ax, order, series_color(4), box_kws)
    ax.axvline(0, color=INK, lw=0.8, ls=":")
    ax.set_xlim(*view)
    counts = mean_ranks.count_out_of_range(view).reindex(pd.Index(_order(mean_ranks, order)))
    if counts.any():
        ax.tick_params(axis="y", pad=_ROOM_FOR_COUNTS)
    for position, count in enumerate(counts, start=1):
        if count:
            # Beside the axis, so that no count covers a box.
            ax.annotate(f"{count} ◀", (0.0, position), xycoords=("axes fraction", "data"), xytext=(-3, 0),
                        textcoords="offset points", ha="right", va="center", fontsize="small", color=INK)  # fmt: skip
    ax.set_xlabel(f"scaled performance ↑\n(0: {shorten(mean_ranks.baseline, 20)}, 1: best)")
    return ax


@describes(plot_scaled_performance)
def _scaled_in_words(
    mean_ranks: MeanRanks,
    *,
    order: Sequence[Hashable] | None = None,
    view: tuple[float, float] = (-0.5, 1.05),
    **options: Any,
) -> Picture | None:
    if mean_ranks.scaled is None or not (n_scaled := _n_scaled(mean_ranks.scaled)):
        return None
    systems, items = _described_boxes(mean_ranks)
    medians, hidden = mean_ranks.scaled.median(axis=1), int(mean_ranks.count_out_of_range(view).sum())
    boxes = len(_order(mean_ranks, order))
    best, baseline = text.label(medians.idxmax()), text.label(mean_ranks.baseline)
    counted = f" {hidden:,} values lie outside the axis and are counted on the left." if hidden else ""
    total = mean_ranks.scaled.shape[1]
    left_out = f" of {total:,}, without those where {baseline} is the best" if n_scaled < total else ""
    return Picture(
        finding=f"{best} has the highest median of scaled performance, {text.number(float(medians.max()), 3)}",
        caption=f"Over {n_scaled:,} {items}{left_out}: performance from 0 for {baseline} to 1 for the best. "
        f"Boxes span the quartiles, lines mark the medians and diamonds the means.{counted}",
        alt=f"Horizontal box plots, one for each of {boxes:,} {systems}, of performance scaled "
        f"between {baseline} and the best.",
        data=mean_ranks.scaled.T,
        **_height_of_boxes(mean_ranks, order),
    )


def _n_scaled(scaled: pd.DataFrame) -> int:
    """Count the items where another system is better than the baseline."""
    return int(scaled.notna().any().sum())


def _order(mean_ranks: MeanRanks, order: Sequence[Hashable] | None) -> list[Hashable]:
    if order is None:
        return list(mean_ranks.table.index)
    for name in order:
        if name not in mean_ranks.ccdf.index:
            raise ValueError(
                f"`order` names {name!r}, which is not a system.{checks.nearest(name, mean_ranks.ccdf.index)}"
            )
    return list(order)


def _boxes(
    mean_ranks: MeanRanks,
    table: pd.DataFrame,
    ax: Axes | None,
    order: Sequence[Hashable] | None,
    color: str,
    box_kws: dict[str, Any],
) -> Axes:
    ax = current_axes(ax)
    names = _order(mean_ranks, order)
    rows = [row[np.isfinite(row)] for row in table.loc[names].to_numpy(dtype=float)]
    looks: dict[str, Any] = {
        "widths": 0.62,
        "whis": _WHISKER,
        "showmeans": True,
        "patch_artist": True,
        "boxprops": {"facecolor": color, "alpha": 0.45, "edgecolor": INK, "linewidth": 0.8},
        "medianprops": {"color": INK, "linewidth": 1.4},
        "whiskerprops": {"color": INK, "linewidth": 0.8},
        "capprops": {"color": INK, "linewidth": 0.8},
        "meanprops": {"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK, "markersize": 4},
        "flierprops": {"marker": ".", "markersize": 3.5, "markerfacecolor": "0.4", "markeredgecolor": "none"},
        **box_kws,
    }
    # Names that are read without turning the head.
    ax.boxplot(rows, orientation="horizontal", **looks)
    ax.set_yticks(range(1, len(names) + 1), shorten_all(names, 20))
    ax.set_ylim(len(names) + 0.6, 0.4)
    ax.grid(visible=False, axis="y")
    return ax
