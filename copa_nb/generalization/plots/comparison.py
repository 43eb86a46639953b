"""Two methods' fronts on test side by side, and how often each is the better one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.generalization.plots.gap import draw_outline, drawn_objectives, label_axes, shade_gap
from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.generalization.verdicts import GapComparison, RepeatedComparison

_LINES = {"optimistic": ("-", "^"), "pessimistic": ("--", "v")}


def plot_gap_comparison(
    result: GapComparison, *, x: Any = None, y: Any = None, legend: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the optimistic and pessimistic fronts of both methods on test, each with its gap shaded.

    Parameters
    ----------
    result : GapComparison
        From :func:`copa_nb.compare_gaps`.
    x, y : label, optional
        Objectives to draw; the first two if omitted.
    legend : bool
        Whether to draw a legend.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    columns = drawn_objectives(result.gaps[0], x, y)
    for gap, name, color in zip(result.gaps, result.names, PALETTE, strict=False):
        shade_gap(ax, gap, columns, color=color, alpha=0.22)
        test = gap.scores.own_units(gap.scores.test)[:, columns]
        for which, (line, marker) in _LINES.items():
            looks = {"color": color, "linestyle": line, "marker": marker, "label": f"{literal(name)}, {which}"}
            draw_outline(ax, gap, test[getattr(gap.fronts, which)], columns, **looks)
    label_axes(ax, result.gaps[0], columns)
    if legend:
        ax.legend(fontsize="x-small", frameon=True, framealpha=0.8, edgecolor="none")
    return ax


def plot_verdicts(result: RepeatedComparison, *, legend: bool = True, ax: Axes | None = None) -> Axes:
    """Draw, for each criterion, the share of the repetitions in which each method is the better one.

    Parameters
    ----------
    result : RepeatedComparison
        From :func:`copa_nb.compare_gaps` of repeated gaps.
    legend : bool
        Whether to draw a legend.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    shares = result.table.iloc[::-1]
    starts = np.zeros(len(shares))
    for column, color, hatch in zip(shares, (PALETTE[0], PALETTE[1], GREY), ("", "//", ""), strict=True):
        faint: dict[str, Any] = {"alpha": 0.45} if color == GREY else {}
        bars = ax.barh(
            shares.index,
            shares[column],
            left=starts,
            color=color,
            hatch=hatch,
            edgecolor="white",
            label=literal(column),
            **faint,
        )
        for bar, share in zip(bars, shares[column], strict=True):
            if share >= 0.06:
                middle = (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height() / 2)
                box = {"facecolor": "white", "edgecolor": "none", "alpha": 0.85, "boxstyle": "round,pad=0.2"}
                ax.text(
                    *middle, f"{100 * share:.0f} %", ha="center", va="center", color=INK, fontsize="small", bbox=box
                )
        starts = starts + shares[column].to_numpy()
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    what = "resamples of the test set" if result.kind == "bootstrap" else "repetitions"
    ax.set_xlabel(f"share of the {len(result.comparisons):,} {what}")
    ax.grid(axis="y", visible=False)
    if legend:
        ax.legend(
            title="better",
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            ncols=3,
            fontsize="x-small",
            title_fontsize="x-small",
            alignment="left",
        )
    return ax
