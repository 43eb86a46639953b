"""Figures of "Partial Rankings of Optimizers" that no other page needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.partial_orders.depth import Agreement, DepthResult
from copa_nb.plotting.axes import lay_out, panels, plain_log, shared_legend
from copa_nb.plotting.hasse_layout import HOW_TO_READ_ALL
from copa_nb.plotting.pictures import Picture, describes

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


def plot_depths_side_by_side(results: Mapping[str, DepthResult]) -> Figure:
    """Draw the depths of several samples of the same items on one scale.

    Parameters
    ----------
    results : mapping of title to DepthResult
        One panel each.

    Returns
    -------
    Figure
    """
    problems = max(len(result.depth) for result in results.values())
    height = 0.14 * problems + 1.1
    figure, axes = panels(len(results), height=height, narrow_height=height + 0.75, sharex=True)
    for ax, (title, result) in zip(axes, results.items(), strict=True):
        result.plot(ax=ax)
        ax.set_title(title)
        if ax is not axes[0]:
            ax.set_ylabel("")
    engine: Any = figure.get_layout_engine()
    engine.set(wspace=0.08)  # between the depths of one panel and the items of the next
    return figure


@describes(plot_depths_side_by_side)
def _depths_in_words(results: Mapping[str, DepthResult]) -> Picture:
    first, *others = results.values()
    same = all(first.deepest == other.deepest and first.shallowest == other.shallowest for other in others)
    problems = text.plural(first.depth.index.name, "orders")
    ends = [f"{text.listing(result.deepest)} ({title})" for title, result in results.items()]
    return Picture(
        finding=f"The deepest and the shallowest {problems} are the same: {text.listing(first.deepest)} and "
        f"{text.listing(first.shallowest)}"
        if same
        else f"The deepest {problems} differ: {text.listing(ends)}",
        caption=f"Depths of {len(first.depth):,} {problems}, with box plots: {text.listing(results)}.",
        alt=f"{len(results)} dot plots of depths by {text.spoken(first.depth.index.name)}, the deepest on top.",
        data=pd.concat(
            {title: result.table for title, result in results.items()}, names=["sample", first.depth.index.name]
        ),
    )


def plot_agreements(agreements: Mapping[str, Agreement], *, highlight: Any = ()) -> Figure:
    """Draw the common pairs of the orders of several samples, one Hasse diagram each.

    Parameters
    ----------
    agreements : mapping of title to Agreement
        One panel each.
    highlight : collection
        Systems to draw in color in every diagram.

    Returns
    -------
    Figure
    """
    # Two fit below one another on half a page, in their whole width, which names need.
    two = len(agreements) == 2
    figure, axes = panels(len(agreements), height=2.03 if two else 3.4, narrow_height=3.4, columns=1 if two else None)
    for ax, title in zip(axes, agreements, strict=True):
        ax.set_axis_off()
        ax.set_title(title, fontsize="medium")
    lay_out(figure)
    for ax, agreement in zip(axes, agreements.values(), strict=True):
        agreement.plot(ax=ax, highlight=highlight, arrow=ax is axes[0])
    return figure


@describes(plot_agreements)
def _agreements_in_words(agreements: Mapping[str, Agreement], **options: Any) -> Picture:
    shared = [f"{len(agreement.pairs)} ({title})" for title, agreement in agreements.items()]
    orders = [f"{text.listing(agreement.items)} ({title})" for title, agreement in agreements.items()]
    return Picture(
        finding=f"Pairs shared: {text.listing(shared)}",
        caption=f"Pairs common to the orders on {text.listing(orders)}: {HOW_TO_READ_ALL}",
        alt=f"{len(agreements)} Hasse diagrams of the pairs that all of some orders share: {text.listing(shared)}.",
        data=pd.concat({title: agreement.table for title, agreement in agreements.items()}, names=["sample", "pair"]),
    )


def plot_run_times(timing: pd.DataFrame, *, ax: Axes) -> Axes:
    """Draw the run times of two programs on several suites, on a log scale.

    Parameters
    ----------
    timing : DataFrame
        Indexed by suite: ``here (s)`` and ``authors' program (s)``.
    ax : Axes
        Where to draw.

    Returns
    -------
    Axes
    """
    here, theirs = timing["here (s)"], timing["authors' program (s)"]
    places = np.arange(len(timing))
    ax.hlines(places, here, theirs, color="0.8", lw=1.5, zorder=1)
    ax.plot(here, places, ls="", marker="o", ms=7, label="here")
    ax.plot(theirs, places, ls="", marker="s", ms=7, label="authors' program")
    ax.set_yticks(places, [name.replace(" ", "\n", 1) for name in timing.index])
    ax.set(xlabel="seconds (log scale)", ylim=(len(timing) - 0.5, -0.5))
    plain_log(ax, "x")
    shared_legend(ax, columns=2)
    return ax


@describes(plot_run_times)
def _times_in_words(timing: pd.DataFrame) -> Picture:
    largest, factor = timing.index[-1], float(f"{timing['times faster'].iloc[-1]:.2g}")
    return Picture(
        finding=f"{factor:,.0f} times faster on {largest}",
        caption="Time for the exact depths of the paper's three analyses, measured here and as reported in the "
        "authors' repository.",
        alt="Dot plot of seconds on a log scale: faster here than with the authors' program by orders of magnitude.",
        data=timing.drop(columns="paper says"),
        height=2.6,
    )
