"""An audit at a glance: p-value of every claim against the size of its effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.plotting.style import GREY, PALETTE, current_axes, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.significance.audit import Audit

CORRECTIONS = ("pvalue", "holm", "benjamini_hochberg")
_NAMES = {"pvalue": "p", "holm": "p after Holm", "benjamini_hochberg": "p after Benjamini-Hochberg"}


def plot_audit(
    outcome: Audit, *, correction: str = "pvalue", labels: int = 6, ax: Axes | None = None, **scatter_kws: Any
) -> Axes:
    """Draw one point per claim: its effect in spreads across runs, and its p-value.

    Parameters
    ----------
    outcome : Audit
        Outcome of :func:`copa_nb.audit`.
    correction : {"pvalue", "holm", "benjamini_hochberg"}
        Which p-value.
    labels : int
        How many of the claims within noise to name, the largest p first.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    **scatter_kws
        Looks of the points, for ``Axes.scatter``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> outcome = copa_nb.audit(runs, system="agent", objectives={"cost": "min", "time": "min"})
    >>> ax = plot_audit(outcome)
    >>> plt.close(ax.figure)
    """
    checks.one_of("correction", correction, CORRECTIONS)
    ax = current_axes(ax)
    table, alpha = outcome.table, outcome.options.alpha
    untestable = table["smallest_pvalue"] > alpha
    failing = (table[correction] > alpha) & ~untestable
    kinds = {
        "within noise": (failing, PALETTE[1], "X", 55),
        "more than noise": (~failing & ~untestable, PALETTE[0], "o", 34),
        "too few runs to tell": (untestable, GREY, "v", 34),
    }
    for name, (chosen, color, marker, size) in kinds.items():
        part = table[chosen]
        if part.empty and name == "too few runs to tell":
            continue
        looks: dict[str, Any] = {"s": size, "alpha": 0.8, "edgecolor": "white", "linewidth": 0.5, **scatter_kws}
        label = f"{name} ({len(part)})"
        ax.scatter(part["effect"], part[correction], color=color, marker=marker, label=label, zorder=3, **looks)
    ax.set_yscale("log")
    ax.set_xscale("symlog", linthresh=1.0)
    effects = table["effect"].to_numpy(dtype=np.float64)
    effects = effects[np.isfinite(effects)]
    ax.set_xlim(min(-0.3, 1.5 * effects.min(initial=0.0)), 1.5 * max(1.0, effects.max(initial=1.0)))
    lowest = min(float(table["smallest_pvalue"].min()), float(table[correction].min()), alpha) if len(table) else alpha
    ax.set_ylim(lowest / 1.7, 1.6)
    ax.axhline(alpha, color="0.45", lw=1, ls="--", zorder=1)
    ax.text(
        0.01,
        alpha * 1.07,
        f"α = {alpha:g}",
        transform=ax.get_yaxis_transform(),
        ha="left",
        fontsize="small",
        color="0.35",
    )
    _mark_smallest(ax, table, correction)
    _label_failing(ax, table[failing], correction, labels)
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel("effect: difference of the runs' mean hypervolumes ÷ spread across runs (log beyond ±1)")
    ax.set_ylabel(_NAMES[correction])
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax


def _mark_smallest(ax: Axes, table: pd.DataFrame, correction: str) -> None:
    smallest = table["smallest_pvalue"].min() if len(table) else np.nan
    if correction == "pvalue" and np.isfinite(smallest):
        ax.axhline(smallest, color="0.6", lw=1, ls=":", zorder=1)
        ax.text(
            0.01, smallest * 0.95, "smallest attainable", transform=ax.get_yaxis_transform(), ha="left", va="top",
            fontsize="small", color="0.35",
        )  # fmt: skip


def _label_failing(ax: Axes, part: pd.DataFrame, correction: str, most: int) -> None:
    part = part[np.isfinite(part["effect"])]
    for _, claim in part.sort_values(correction, ascending=False).head(most).iterrows():
        ax.annotate(
            f"{shorten(claim['new'], 50)}\nover {shorten(claim['baseline'], 50)}",
            (claim["effect"], claim[correction]), xytext=(8, 0), textcoords="offset points",
            va="center", fontsize="x-small", color="0.25",
        )  # fmt: skip
