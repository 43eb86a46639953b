"""Picture of mean ranks and the groups that do not differ significantly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import text
from copa_nb.comparisons.friedman import FriedmanTest
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import INK, Palette, current_axes, in_palette, literal, series_color, shorten_all
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Of the axis's width: from its right end to the first bar of a group, and from bar to bar.
_FIRST_BAR, _NEXT_BAR = 1.03, 0.035


@of_paper("javaloy2025copa")
@offered_by(FriedmanTest)
@in_palette
@shared_parameters
def plot_critical_difference(result: FriedmanTest, *, palette: Palette = None, ax: Axes | None = None) -> Axes:
    """Draw a critical-difference diagram: the mean rank of each system, and bars that join those without a difference.

    Parameters
    ----------
    result : FriedmanTest
        Of :meth:`copa_nb.results.MeanRanks.friedman`.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes
        Systems from top to bottom, best first. The line on top is as long as the critical difference. A bar at the
        right joins systems whose mean ranks do not differ significantly.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> auc = [0.9, 0.8, 0.5, 0.7, 0.6, 0.1]
    >>> results = pd.DataFrame({"task": [1, 1, 1, 2, 2, 2], "tool": list("abc") * 2, "auc": auc})
    >>> ax = results.moo(auc="max", system="tool", item="task").mean_ranks().friedman().plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    mean_rank, rows = result.mean_rank, np.arange(len(result.mean_rank))
    ax.hlines(rows, 1, mean_rank, color=INK, linewidth=0.6, alpha=0.4)
    ax.plot(mean_rank, rows, "o", color=series_color(0), markersize=6, zorder=3)
    if result.significant:
        _draw_difference(ax, result)
    place = {label: row for row, label in enumerate(mean_rank.index)}
    joined = [group for group in result.cliques if len(group) > 1]
    for number, group in enumerate(joined):
        ends = [place[group[0]] - 0.25, place[group[-1]] + 0.25]
        across = _FIRST_BAR + _NEXT_BAR * number
        ax.plot(
            [across, across], ends, color=series_color(1), linewidth=3, solid_capstyle="butt", clip_on=False,
            transform=ax.get_yaxis_transform(),
        )  # fmt: skip
    ax.set_yticks(rows, shorten_all(mean_rank.index))
    ax.set(xlabel=f"mean rank over {result.n_items:,} {literal(text.plural(result.item, 'items'))} ↓", xlim=(0.9, None))
    ax.set_ylim(len(rows) - 0.5, -1.6 if result.significant else -0.5)
    return ax


def _draw_difference(ax: Axes, result: FriedmanTest) -> None:
    """Draw the critical difference to scale, starting at the best mean rank."""
    best = float(result.mean_rank.iloc[0])
    ax.plot([best, best + result.critical_difference], [-0.75, -0.75], "|-", color=INK, markersize=7, linewidth=1.5)
    # From the left, where the best rank leaves room for the words on a phone, too.
    ax.annotate(
        f"critical difference {text.number(result.critical_difference, 3)}", (best, -0.75), xytext=(0, 3),
        textcoords="offset points", ha="left", va="bottom",
    )  # fmt: skip


@describes(plot_critical_difference)
def _mean_ranks_in_words(result: FriedmanTest, **options: Any) -> Picture:
    n, systems = len(result.mean_rank), text.plural(result.system, "systems")
    return Picture(
        finding=result.headline,
        caption=f"Mean ranks over {result.n_items:,} {text.plural(result.item, 'items')}"
        + f" ({result.n_omitted:,} incomplete ones left out)" * bool(result.n_omitted)
        + f". Bars at the right join {systems} that do not differ significantly (Friedman test, "
        f"{text.pvalue(result.p_value)}, then Nemenyi's critical difference, "
        f"{text.number(result.critical_difference, 3)}; α = {result.alpha:g}).",
        alt=f"Mean ranks of {n:,} {systems} as dots, best on top, with bars that join those without a significant "
        "difference.",
        data=result.table,
        height=max(2.2, 0.23 * n + 1.1),
        narrow_height=max(2.6, 0.3 * n + 1.2),
    )
