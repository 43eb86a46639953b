"""How often each row is chosen under resampling, as bars."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import text
from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.stability import Stability

_SUBJECT = {"population": "the population", "seeds": "the seeds", "both": "the seeds and the population"}
# Two standard errors: about 95 % of the Monte-Carlo noise.
_ERRORS_SHOWN = 2.0


def plot_stability(stability: Stability, *, ax: Axes | None = None, most: int = 8, **bar_kws: Any) -> Axes:
    """Draw the share of the resamples in which each row is chosen.

    Parameters
    ----------
    stability : Stability
        The result of resampling.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    most : int
        How many rows get a bar; the rest share one. The choice itself is always among them.
    **bar_kws
        Options of ``Axes.barh``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> choice = models.moo(accuracy="max", co2_kg="min").copa()
    >>> ax = plot_stability(choice.stability(n_resamples=100, rng=0))
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = stability.table
    chosen = np.arange(len(table)) == stability.best_row
    shown = np.argsort(~chosen, kind="stable")[:1] if not chosen[:most].any() else np.empty(0, dtype=int)
    shown = np.concatenate((np.arange(min(most - len(shown), len(table))), shown))
    shares, errors = (table[name].to_numpy()[shown] for name in ("share", "error"))
    labels = [shorten(text.label(name), 44) for name in table.index[shown]]
    colours = [PALETTE[1] if chosen[row] else PALETTE[0] for row in shown]
    if len(table) > len(shown):
        labels.append(f"{len(table) - len(shown)} more")
        rest = 1.0 - shares.sum()
        shares, errors = np.append(shares, rest), np.append(errors, np.nan)
        colours.append(GREY)
    rows = np.arange(len(shares))
    looks = {"height": 0.66, "color": colours, "ecolor": INK, "error_kw": {"lw": 0.9}, **bar_kws}
    ax.barh(rows, shares, xerr=np.nan_to_num(_ERRORS_SHOWN * errors), **looks)
    for row, share, error in zip(rows, shares, np.nan_to_num(errors), strict=True):
        ax.annotate(text.percent(float(share)), (float(share + _ERRORS_SHOWN * error), float(row)), xytext=(4, 0),
                    textcoords="offset points", va="center", fontsize="x-small")  # fmt: skip
    ax.set_yticks(rows, labels)
    for tick, row in zip(ax.get_yticklabels(), [*shown, -1], strict=False):
        tick.set_fontweight("bold" if row >= 0 and chosen[row] else "normal")
    ax.invert_yaxis()
    ax.set_xlim(0.0, min(1.0, 1.18 * float((shares + _ERRORS_SHOWN * np.nan_to_num(errors)).max())) + 0.02)
    ax.set_xlabel(f"share of {stability.n_resamples:,} resamples of {_SUBJECT[stability.over]} (bold: the choice)")
    ax.grid(visible=False, axis="y")
    return ax
