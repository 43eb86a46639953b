"""Distribution of the approximation gap over repetitions or resamples."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from copa_nb import checks, text
from copa_nb.plotting.style import INK, PALETTE, current_axes, literal, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.generalization.repeats import GapRepeats

_NAMES = {
    "gap": "approximation gap ↓",
    "relative_gap": "gap as a share of the optimistic hypervolume ↓",
    "hv_validation": "validation hypervolume ↑",
    "hv_optimistic": "optimistic hypervolume on test ↑",
    "hv_pessimistic": "pessimistic hypervolume on test ↑",
    "overestimation": "validation minus optimistic hypervolume",
}
_FEW = 40


def plot_gap_repeats(
    result: GapRepeats,
    *,
    quantity: str = "gap",
    level: float = 0.95,
    resplit_ratio: float = 0.0,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the values of all repetitions, their mean (or the estimate) and its confidence interval.

    Parameters
    ----------
    result : GapRepeats
        From :func:`copa_nb.gap` with ``repeat=``, or from :func:`copa_nb.gap_bootstrap`.
    quantity : str
        A column of ``result.table``.
    level : float
        Confidence level of the interval.
    resplit_ratio : float
        Rows in test over rows in training, where repetitions split the same rows again: the interval is widened
        as in :meth:`copa_nb.generalization.repeats.GapRepeats.interval`.
    legend : bool
        Whether to draw a legend.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
        Dots for up to 40 repetitions, a histogram beyond.
    """
    checks.one_of("quantity", quantity, list(result.table.columns))
    ax = current_axes(ax)
    values = result.table[quantity].to_numpy(dtype=float)
    bootstrap = result.kind == "bootstrap"
    low, high = result.interval(quantity, level=level, resplit_ratio=resplit_ratio)
    if len(values) > _FEW:
        ax.hist(values, bins="auto", color=PALETTE[0], alpha=0.5, linewidth=0)
        ax.set_ylabel("resamples" if bootstrap else "repetitions")
    else:
        ax.scatter(values, np.arange(1, len(values) + 1), s=34, color=PALETTE[0], zorder=3)
        ax.set_yticks(np.arange(1, len(values) + 1), [shorten(text.label(label)) for label in result.table.index])
        ax.set_ylabel("repetition")
        ax.set_ylim(0.3, len(values) + 0.7)
    centre = float(result.estimate.summary[quantity]) if result.estimate is not None else float(values.mean())
    ax.axvline(centre, color=INK, lw=1.6, label="on the test set as it is" if bootstrap else "mean")
    if not math.isnan(low):
        ax.axvspan(low, high, color=PALETTE[1], alpha=0.18, linewidth=0, label=f"{100 * level:g} % interval")
    ax.set_xlabel(_NAMES.get(quantity, literal(quantity)))
    if legend:
        ax.legend(fontsize="x-small")
    return ax
