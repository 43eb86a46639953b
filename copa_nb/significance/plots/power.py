"""Power of the hypervolume test against the number of seeds or the effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from copa_nb import checks
from copa_nb.plotting.style import LINESTYLES, MARKERS, PALETTE, current_axes

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.significance.power import Power

ALONG = ("seeds", "effect")


def plot_power(
    study: Power, *, along: str | None = None, target: float = 0.8, ax: Axes | None = None, **line_kws: Any
) -> Axes:
    """Draw power curves with their simulation intervals.

    Parameters
    ----------
    study : Power
        Outcome of :func:`copa_nb.power`.
    along : {"seeds", "effect"}, optional
        What is on the horizontal axis; by default, whichever has more values.
    target : float
        Power to mark with a horizontal line.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    **line_kws
        Looks of the lines, for ``Axes.plot``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, copa_nb
    >>> ax = plot_power(copa_nb.power(effect=[0.1, 0.2], seeds=[3, 4, 5], noise=0.05, n_simulations=50))
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    table = study.table
    if along is None:
        along = "effect" if table["effect"].nunique() > table["seeds"].nunique() else "seeds"
    checks.one_of("along", along, ALONG)
    other = "effect" if along == "seeds" else "seeds"
    for i, value in enumerate(sorted(table[other].unique())):
        part = table[table[other] == value].sort_values(along)
        x = part[along] * (1 if along == "seeds" else 100)
        name = f"effect {100 * value:g} %" if other == "effect" else f"{value} seeds"
        looks: dict[str, Any] = {
            "color": PALETTE[i % len(PALETTE)],
            "marker": MARKERS[i % len(MARKERS)],
            "ls": LINESTYLES[i % len(LINESTYLES)],
            **line_kws,
        }
        ax.plot(x, part["power"], label=name, zorder=3, **looks)
        ax.fill_between(x, part["low"], part["high"], color=looks["color"], alpha=0.15, lw=0)
    ax.axhline(target, color="0.45", lw=1, ls="--", zorder=1, label=f"power {target:g}")
    ax.axhline(study.options.alpha, color="0.45", lw=1, ls=":", zorder=1, label=f"α = {study.options.alpha:g}")
    ax.set_ylim(0, 1.03)
    ax.set_xlabel("seeds of each system" if along == "seeds" else "true hypervolume gap, % of the baseline's")
    ax.set_ylabel("share of simulations with p ≤ α")
    if along == "seeds":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax
