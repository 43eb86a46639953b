"""Pictures of rankings with confidence."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import outer_legend
from copa_nb.plotting.style import GREY, PALETTE, current_axes, shorten
from copa_nb.selection.tiers import Tiers

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@shared_parameters
def plot_tiers(result: Tiers, *, most: int = 30, ax: Axes | None = None) -> Axes:
    """Draw the interval of each rank, best on top, and who cannot be told apart from the best.

    Parameters
    ----------
    result : Tiers
        Of :func:`copa_nb.tiers`.
    most : int
        Entities drawn, from the best.
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For `most` below 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> scores = pd.DataFrame({"score": [527.0, 526, 391], "se": [2.5, 3.1, 3.0]}, index=["Japan", "Korea", "Colombia"])
    >>> ax = plot_tiers(copa_nb.tiers(scores, noise={"score": "se"}, objectives={"score": "max"}))
    >>> plt.close(ax.figure)
    """
    shown = result.table.head(checks.integer("most", most))
    ax = current_axes(ax)
    rows = np.arange(len(shown))
    first = (shown["tier"] == 1).to_numpy()
    for chosen, color, name in (
        (first, PALETTE[0], "cannot be told apart from the best"),
        (~first, GREY, "behind the best"),
    ):
        if chosen.any():
            intervals = shown[["low", "high"]].to_numpy()[chosen]
            ax.hlines(rows[chosen], *intervals.T, color=color, linewidth=3, label=name)
            ax.plot(shown["rank"].to_numpy()[chosen], rows[chosen], "o", color=color, markersize=6)
    ax.set_yticks(rows, [shorten(name) for name in shown.index])
    ax.set(xlabel="rank, and where the true one may be", ylim=(len(shown) - 0.5, -0.5))
    ax.set_xlim(0.5, shown["high"].max() + 0.5)
    ax.locator_params(axis="x", integer=True)
    outer_legend(ax)
    if len(shown) < len(result.table):
        ax.set_title(f"The first {len(shown)} of {len(result.table):,}")
    return ax
