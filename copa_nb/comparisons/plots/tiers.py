"""Pictures of rankings with confidence."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks, text
from copa_nb.comparisons.board import Board
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import outer_legend
from copa_nb.plotting.keys import numbered_as
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import GRAY, Palette, current_axes, in_palette, is_narrow, series_color, shorten_all
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where scores are missing, on how many items a system was measured.
_ITEMS = "items"
_LETTERS = 16  # of the longest name that a phone has room for


@of_paper("javaloy2025copa")
@offered_by(Board)
@in_palette
@shared_parameters
def plot_tiers(
    result: Board,
    *,
    most: int = 30,
    key: bool | Sequence[Hashable] = False,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the interval of each rank, best on top, and which systems are not significantly behind the best.

    Parameters
    ----------
    result : Board
        From ``df.moo.board()``.
    most : int
        Systems drawn, from the best.
    key : bool or sequence of labels
        Whether to write numbers, and the names in a key below the figure; on phones where names are long. Or all
        labels in the order of their numbers, so that a system has one number in several figures.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For `most` below 1, or a `key` without a label that is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> scores = pd.DataFrame({"score": [527.0, 526, 391], "se": [2.5, 3.1, 3.0]}, index=["Japan", "Korea", "Colombia"])
    >>> ax = copa_nb.moo(scores, {"score": "max"}, standard_error={"score": "se"}).board().plot()
    >>> plt.close(ax.figure)
    """
    shown = result.table.head(checks.integer("most", most))
    ax = current_axes(ax)
    rows = np.arange(len(shown))
    first = shown["may_be_first"].to_numpy()
    for chosen, color, name in (
        (first, series_color(0), "may rank first"),
        (~first, GRAY, "significantly behind"),
    ):
        if chosen.any():
            intervals = shown[["low", "high"]].to_numpy()[chosen]
            ax.hlines(rows[chosen], *intervals.T, color=color, linewidth=3, label=name)
            ax.plot(shown["rank"].to_numpy()[chosen], rows[chosen], "o", color=color, markersize=6)
    figure: Any = ax.get_figure(root=True)
    counts = [f" ({n:,})" for n in shown[_ITEMS]] if _ITEMS in shown else [""] * len(shown)
    whole = list(map(text.label, shown.index))
    # Beside long names nothing of a phone's width is left.
    order = key or (is_narrow(figure) and max(map(len, whole), default=0) > _LETTERS)
    written = whole if order else shorten_all(shown.index)
    names = [f"{name}{count}" for name, count in zip(written, counts, strict=True)]
    ax.set_yticks(rows, numbered_as(figure, list(shown.index), names, order) if order else names)
    if order:
        ax.set_ylabel("number in the key")
    ax.set(xlabel="rank, with the interval of the true rank", ylim=(len(shown) - 0.5, -0.5))
    ax.set_xlim(0.5, shown["high"].max() + 0.5)
    ax.locator_params(axis="x", integer=True)
    outer_legend(ax)
    if len(shown) < len(result.table):
        ax.set_title(f"The first {len(shown)} of {len(result.table):,}")
    return ax


@describes(plot_tiers)
def _tiers_in_words(
    result: Board, *, most: int = 30, key: bool | Sequence[Hashable] = False, **options: Any
) -> Picture:
    total, drawn = len(result.table), min(most, len(result.table))
    systems = text.plural(result.table.index.name, "systems")
    first = text.label(result.table.index[0])
    some = f"All {total:,}" if len(result.may_be_first) == total else f"{len(result.may_be_first):,} of {total:,}"
    alone = (
        f"{first} is significantly better than the other {total - 1:,} {systems}"
        if result.table["high"].iloc[0] == 1
        else f"{first} alone of {total:,} {systems} may rank first"
    )
    return Picture(
        finding=alone if len(result.may_be_first) == 1 else f"{some} {systems} may rank first",
        caption="Rank by the means (dots), and simultaneous intervals of the true ranks (lines). In blue: "
        f"{systems} that may rank first (α = {result.alpha:g})."
        + f" By tier; in parentheses, the number of items that {systems} were measured on." * (_ITEMS in result.table)
        + (f" Only the first {drawn:,} of {total:,} {systems} are drawn." if drawn < total else ""),
        alt=f"Intervals of the ranks of {drawn:,} {systems}, best on top.",
        data=result.table,
        height=min(4.05, max(2.4, (0.28 if key else 0.2) * drawn + 1)),
        narrow_height=max(2.4, (0.44 if key else 0.3) * drawn + 1),
    )
