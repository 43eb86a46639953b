"""Which rows may be chosen, whatever the missing values are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import outer_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import GRAY, Palette, current_axes, in_palette, series_color, shorten_all
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.selection.possible_choices import PossibleChoices

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@of_paper("javaloy2025copa")
@offered_by(PossibleChoices)
@in_palette
@shared_parameters
def plot_possible_choices(
    result: PossibleChoices, *, most: int = 30, palette: Palette = None, ax: Axes | None = None
) -> Axes:
    """Draw between which ends the criterion of each row lies, those that may be chosen on top.

    Parameters
    ----------
    result : PossibleChoices
        From ``df.moo.copa()`` with ``nan_policy="bounds"``.
    most : int
        Rows drawn, from the top.
    %(palette)s
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
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, None], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> choices = copa_nb.moo(models, {"accuracy": "max", "co2_kg": "min"}, nan_policy="bounds").copa()
    >>> ax = choices.plot()
    >>> plt.close(ax.figure)
    """
    shown = result.table.head(checks.integer("most", most))
    ax = current_axes(ax)
    rows, certain, possible = np.arange(len(shown)), shown["certain"].to_numpy(), shown["possible"].to_numpy()
    for drawn, color, marker, name in (
        (certain, series_color(0), "D", "chosen whatever is missing"),
        (possible & ~certain, series_color(1), "o", "chosen for some values"),
        (~possible, GRAY, "|", "never chosen"),
    ):
        if drawn.any():
            ends = shown[["score_low", "score_high"]].to_numpy()[drawn]
            ax.hlines(rows[drawn], *ends.T, color=color, linewidth=3)
            ax.plot(ends.T, np.tile(rows[drawn], (2, 1)), marker, color=color, markersize=5)
            ax.plot([], [], marker, linestyle="-", linewidth=3, color=color, markersize=5, label=name)
    ax.set_yticks(rows, shorten_all(shown.index))
    ax.set(xlabel="criterion, from its smallest to its largest value (left is better)", ylim=(len(shown) - 0.5, -0.5))
    outer_legend(ax)
    if len(shown) < len(result.table):
        ax.set_title(f"The first {len(shown)} of {len(result.table):,}")
    return ax


@describes(plot_possible_choices)
def _choices_in_words(result: PossibleChoices, *, most: int = 30, **options: Any) -> Picture:
    total, drawn = len(result.table), min(most, len(result.table))
    return Picture(
        finding=result.headline,
        caption="The smallest and the largest value of the criterion of each row, over all values of missing cells. "
        "Rows that may be chosen are on top."
        + (f" Only the first {drawn:,} of {total:,} rows are drawn." if drawn < total else ""),
        alt=f"Ranges of the criterion of {drawn:,} rows, those that may be chosen on top.",
        data=result.table,
        height=min(4.05, max(2.4, 0.2 * drawn + 1)),
        narrow_height=max(2.4, 0.3 * drawn + 1),
    )
