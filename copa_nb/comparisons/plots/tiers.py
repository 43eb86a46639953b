"""The picture of a board: tiers, scores and ranks."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.board import Board
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.keys import numbered_as
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.rows import write_at_right
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    directed_label,
    in_palette,
    is_narrow,
    series_color,
    shorten_all,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where scores are missing, on how many items a system was measured.
_ITEMS = "items"
_ROOM_FOR_TIERS = {False: 0.14, True: 0.32}  # of the width that marks take, for the names of tiers; on a phone


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
    """Draw a board: systems by tier, best on top, with their scores or ranks and the intervals of these.

    With one objective, the scores are drawn, and the ranks that are possible stand at the right.

    Parameters
    ----------
    result : Board
        From ``df.moo.board()``.
    most : int
        Systems drawn, from the best.
    key : bool or sequence of labels
        Whether to write numbers, and the names in a key below the figure. Or all labels in the order of their numbers,
        so that a system has one number in several figures.
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
    shown = _by_tier(result).head(checks.integer("most", most))
    ax = current_axes(ax)
    rows, first = np.arange(len(shown)), shown["may_be_first"].to_numpy()
    value, ends, xlabel = _drawn(result, shown)
    for chosen, color, name in (
        (first, series_color(0), "may rank first"),
        (~first, GRAY, "significantly behind"),
    ):
        if chosen.any():
            ax.hlines(rows[chosen], *ends[chosen].T, color=color, linewidth=3, label=name)
            ax.plot(value[chosen], rows[chosen], "o", color=color, markersize=6)
    figure: Any = ax.get_figure(root=True)
    counts = [f" ({n:,})" for n in shown[_ITEMS]] if _ITEMS in shown else [""] * len(shown)
    written = list(map(text.label, shown.index)) if key else shorten_all(shown.index, _letters(figure))
    names = [f"{name}{count}" for name, count in zip(written, counts, strict=True)]
    ax.set_yticks(rows, numbered_as(figure, list(shown.index), names, key) if key else names)
    if key:
        ax.set_ylabel("number in the key")
    ax.set(xlabel=xlabel, ylim=(len(shown) - 0.5, -0.5))
    ax.grid(visible=False, axis="y")
    _draw_bands(ax, shown["tier"].to_numpy())
    if result.scores is not None:
        _write_ranks(ax, shown)
    else:
        ax.locator_params(axis="x", integer=True)
        ax.set_xticks([tick for tick in ax.get_xticks() if 1 <= tick <= len(result.table)])
    if first.any() and not first.all():
        # Up to the right end of the Axes: what stands above the ranks is not covered.
        ax.legend(loc="lower right", bbox_to_anchor=(1.0, 1.0), ncols=2, frameon=False, borderaxespad=0.1)
    if len(shown) < len(result.table):
        ax.set_title(f"The first {len(shown)} of {len(result.table):,}", pad=22)
    return ax


def _by_tier(result: Board) -> pd.DataFrame:
    """The board as it is printed: by tier, and in a tier as it is."""
    return result.table.sort_values("tier", kind="stable")


def _drawn(result: Board, shown: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, str]:
    """Values, their intervals, and what they are: scores in an only objective, otherwise ranks."""
    if result.scores is None:
        return shown["rank"].to_numpy(), shown[["low", "high"]].to_numpy(), "rank, with the interval of the true rank"
    ((name, way),) = result.choice.objectives.to_dict().items()
    ends = result.scores.iloc[result.table.index.get_indexer(shown.index)].to_numpy()
    return shown.iloc[:, 0].to_numpy(dtype=float), ends, directed_label(f"mean {text.spoken(name)}", way)


def _letters(figure: Any) -> int:
    """How long a name may be."""
    return 20 if is_narrow(figure) else 34


def _draw_bands(ax: Axes, tiers: np.ndarray) -> None:
    """Shade every other tier, and write at the left which it is."""
    low, high = ax.get_xlim()
    # Beside the intervals, not on them.
    room = _ROOM_FOR_TIERS[is_narrow(ax.get_figure(root=True))]
    ax.set_xlim(low - room * (high - low), high)
    for tier in dict.fromkeys(tiers.tolist()):
        of_tier = np.flatnonzero(tiers == tier)
        if tier % 2 == 0:
            ax.axhspan(of_tier[0] - 0.5, of_tier[-1] + 0.5, color=GRAY, alpha=0.12, linewidth=0, zorder=0)
        ax.text(
            0.015, of_tier[0], f"tier {tier}", transform=ax.get_yaxis_transform(), va="center", fontsize="small",
            color=INK,
        )  # fmt: skip


def _write_ranks(ax: Axes, shown: pd.DataFrame) -> None:
    """Write at the right which ranks are possible."""
    low_high = zip(shown["low"], shown["high"], strict=True)
    write_at_right(ax, [f"{low}" if low == high else f"{low}–{high}" for low, high in low_high], "ranks")


@describes(plot_tiers)
def _tiers_in_words(
    result: Board, *, most: int = 30, key: bool | Sequence[Hashable] = False, **options: Any
) -> Picture:
    total, drawn = len(result.table), min(most, len(result.table))
    systems = text.plural(result.table.index.name, "systems")
    return Picture(
        finding=result.headline,
        caption=_CAPTIONS[result.scores is not None].format(level=text.percent(1 - result.alpha), systems=systems)
        + f" In blue: {systems} that may rank first (α = {result.alpha:g})."
        + f" In parentheses, the number of items that {systems} were measured on." * (_ITEMS in result.table)
        + (f" Only the first {drawn:,} of {total:,} {systems} are drawn." if drawn < total else ""),
        alt=f"Intervals of the {'ranks' if result.scores is None else 'scores'} of {drawn:,} {systems} by tier, best "
        "on top.",
        data=_numbers(result),
        height=min(6.0, max(2.4, (0.28 if key else 0.22) * drawn + 1.1)),
        narrow_height=max(2.4, (0.44 if key else 0.25) * drawn + 1.1),
    )


_CAPTIONS = {
    True: "Mean scores (dots), each with an interval of its own ({level}), by tier. At the right, the ranks that are "
    "possible: they hold for all {systems} together and allow for what {systems} share, so that they decide ties, not "
    "the overlap of the lines.",
    False: "Rank by the means (dots), and simultaneous intervals of the true ranks (lines), by tier.",
}


def _numbers(result: Board) -> pd.DataFrame:
    """The table, with the intervals of scores that are drawn."""
    if result.scores is None:
        return result.table
    return result.table.join(result.scores.add_prefix("score_"))
