"""The null distribution of a hypervolume test, with the observed difference in it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import text
from copa_nb.plotting.style import INK, PALETTE, current_axes, shorten
from copa_nb.significance.arrays.permutation import mark_extreme, tie_tolerance
from copa_nb.significance.runs import system_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.significance.hv_test import HypervolumeTest


def plot_null_distribution(test: HypervolumeTest, *, ax: Axes | None = None, bins: int = 40, **bar_kws: Any) -> Axes:
    """Draw the differences under all relabellings, those that count for p, and the observed one.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of :func:`copa_nb.hv_test`.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    bins : int
        Bars, about.
    **bar_kws
        Looks of the bars, for ``Axes.bar``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> test = copa_nb.hv_test(runs, system="agent", new="A", baseline="B", objectives={"cost": "min", "time": "min"})
    >>> ax = plot_null_distribution(test)
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    edges = _edges(test, bins)
    extreme = mark_extreme(
        test.statistic,
        test.null_distribution,
        alternative=test.options.alternative,
        tolerance=tie_tolerance(test.hypervolume_new, test.hypervolume_baseline),
    )
    groups = {"no": test.null_distribution[~extreme], "yes": test.null_distribution[extreme]}
    heights = {key: np.histogram(values, bins=edges)[0] for key, values in groups.items()}
    looks: dict[str, Any] = {
        "width": np.diff(edges),
        "align": "edge",
        "edgecolor": "white",
        "linewidth": 0.4,
        **bar_kws,
    }
    ax.bar(edges[:-1], heights["no"], color="0.72", label="less extreme", **looks)
    ax.bar(
        edges[:-1], heights["yes"], bottom=heights["no"], color=PALETTE[1], hatch="//",
        label="at least as extreme:\nthey count for p", **looks,
    )  # fmt: skip
    ax.axvline(test.statistic, color=INK, lw=1.6, label=f"observed Δ = {text.number(test.statistic, 3)}", zorder=3)
    if test.options.alternative == "two-sided" and test.statistic:
        ax.axvline(-test.statistic, color=INK, lw=1.2, ls=":", label="−Δ", zorder=3)
    ax.set_xlabel("hypervolume difference under relabelling, new − baseline")
    ax.set_ylabel(f"relabellings ({'all ' if test.exact else ''}{test.n_resamples:,})")
    ax.set_title(_title(test))
    ax.set_ylim(0, 1.06 * max(1, (heights["no"] + heights["yes"]).max()))
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax


def _edges(test: HypervolumeTest, bins: int) -> np.ndarray:
    """Edges of the bars, with the observed difference and its mirror image among them where that is possible.

    Then no bar holds both differences that count for p and such that do not.
    """
    observed = abs(test.statistic)
    widest = max(float(np.abs(test.null_distribution).max()), observed) or 1.0
    width = 2.1 * widest / bins
    if observed < width / 2:
        return np.linspace(-1.05 * widest, 1.05 * widest, bins + 1)
    inner = max(1, round(2 * observed / width))
    width = 2 * observed / inner
    beyond = max(1, math.ceil((1.0001 * widest - observed) / width))
    edges = (np.arange(inner + 2 * beyond + 1) - beyond - inner / 2) * width
    # A difference of -observed counts for p: it belongs to the bar on its left, which numpy leaves open there.
    edges[beyond] += 1e-7 * width
    edges[beyond + inner] -= 1e-7 * width
    return edges


def _title(test: HypervolumeTest) -> str:
    """Name both sides, in one line if there is room for it."""
    new, baseline = (shorten(text.listing(map(system_name, side)), 64) for side in (test.new, test.baseline))
    outcome = f"p = {text.number(test.pvalue, 3)}{' (exact)' if test.exact else ''}"
    between = " " if len(new) + len(baseline) < 40 else "\n"
    return f"{new}{between}against {baseline}: {outcome}"
