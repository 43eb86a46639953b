"""Rankings under several criteria: lines of ranks from criterion to criterion."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.sorting import column_ranks
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import write_upright_or_turned
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    chosen_looks,
    current_axes,
    in_palette,
    is_narrow,
    literal,
    rival_looks,
    series_looks,
    shorten_all,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.selection.criteria import Criteria, criterion_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_READABLE = 40
_MOST_CHANGED = 4  # rows in color where no choice is known

_NAMES_AT_A_RANK, _LETTERS_AT_A_RANK = 3, 30


@of_paper("javaloy2025copa")
@offered_by(Criteria)
@in_palette
@shared_parameters
def plot_bump(
    comparison: Criteria,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    highlight: int | Sequence[Hashable] | None = None,
    choice: Hashable = None,
    most: int = _READABLE,
    names: Mapping[Hashable, str] | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw a line per row through its rank under each criterion, rank 1 on top; rows that tie share a rank.

    Parameters
    ----------
    comparison : Criteria
        Ranks under several criteria.
    %(palette)s
    %(ax)s
    highlight : int or list of row labels, optional
        Rows in color: those named, or this many whose rank changes most; by default those next in rank to the choice.
        The others are gray. Rows named that are not among those drawn are left out.
    choice : row label, optional
        Row with a star, in the color that a choice has in other figures; by default, if no rows are named, the choice
        whose criterion is varied.
    most : int
        With more rows than this, only those that rank among the first `most` under some criterion are drawn.
    names : mapping of criterion to text, optional
        What to write below criteria in place of their own names.
    **line_kws
        Options of ``Axes.plot``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a row to highlight that is not there.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().criteria(["mean", 1, "inf"]).plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    ranks = comparison.ranks.to_numpy()
    shown = _shown(comparison, most)
    drawn = ranks[shown].astype(float)
    places = np.column_stack([column_ranks(np.ascontiguousarray(column)) + 1 for column in drawn.T])
    highlight, choice = _marked(comparison, highlight, choice)
    colored = _highlighted(comparison, shown, highlight, choice)
    x = np.arange(ranks.shape[1])
    for i in np.argsort([row in colored for row in range(len(shown))], kind="stable"):
        looks = colored.get(int(i), _GRAY_LINE)
        ax.plot(x, places[i], **{**looks, **line_kws})
    labels = shorten_all(comparison.ranks.index[shown], 26)
    _write_names(ax, labels, places[:, 0], colored, x[0], {"xytext": (-8, 0), "ha": "right"})
    # A phone has no room for names at both ends.
    if not is_narrow(ax.get_figure(root=True)):
        _write_names(ax, labels, places[:, -1], colored, x[-1], {"xytext": (8, 0), "ha": "left"})
    ax.set_xlim(-0.25, x[-1] + 0.25)
    written = [(names or {}).get(column, criterion_label(column)) for column in comparison.ranks]
    write_upright_or_turned(ax, x, [literal(label) for label in written])
    ax.set_ylim(places.max() + 0.7, 0.3)
    ax.set_yticks([])
    partly = f", {len(shown):,} of {len(ranks):,} rows" if len(ranks) > len(shown) else ""
    ax.set_xlabel(f"criterion (rank 1 on top{partly})")
    ax.grid(visible=False)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    return ax


@describes(plot_bump)
def _criteria_in_words(
    comparison: Criteria,
    *,
    most: int = _READABLE,
    highlight: int | Sequence[Hashable] | None = None,
    choice: Hashable = None,
    **options: Any,
) -> Picture:
    shown = _shown(comparison, most)
    highlight, choice = _marked(comparison, highlight, choice)
    looks = _highlighted(comparison, shown, highlight, choice)
    labels = comparison.ranks.index[shown]
    star = [] if choice is None else [row for row in looks if labels[row] == choice]
    marked = [text.label(labels[row]) for row in looks if row not in star]
    if not marked:
        colored = "the others are gray" if star else "all are gray"
    elif isinstance(highlight, int):
        colored = "rows whose rank changes most are in color"
    else:
        colored = f"{text.listing(marked)} {'is' if len(marked) == 1 else 'are'} in color"
    colored += f", and the star is {text.label(choice)}" if star else ""
    (n_rows, n_criteria), drawn = comparison.ranks.shape, len(shown)
    partly = f" Only the {drawn:,} of {n_rows:,} rows that some criterion ranks among its first {most} are drawn."
    return Picture(
        finding=comparison.headline,
        caption=f"Rank of each row under each criterion, rank 1 on top; {colored}." + partly * (drawn < n_rows),
        alt=f"Bump chart of the ranks of {drawn:,} rows under {n_criteria} criteria.",
        data=comparison.ranks.rename(columns=criterion_label),
        height=min(4.05, max(2.6, 0.26 * drawn + 1)),
        narrow_height=4.6,
    )


def _write_names(
    ax: Axes, labels: list[str], places: np.ndarray, colored: Mapping[int, Any], x: float, side: dict[str, Any]
) -> None:
    """Name the rows at one end of their lines; rows that share a rank share a line of text, those in color first."""
    for place in np.unique(places):
        rows = sorted(np.flatnonzero(places == place).tolist(), key=lambda row: row not in colored)
        # Long names of many rows would leave no room for the lines.
        most = _NAMES_AT_A_RANK if sum(len(labels[row]) for row in rows[:_NAMES_AT_A_RANK]) <= _LETTERS_AT_A_RANK else 1
        names = ", ".join(labels[row] for row in rows[:most])
        more = f" and {len(rows) - most} more" if len(rows) > most else ""
        # In ink: some of the lines' colors are too light for letters.
        weight = "bold" if all(row in colored for row in rows[:most]) else "normal"
        ax.annotate(names + more, (x, place), textcoords="offset points", va="center", fontsize="small", color=INK,
                    fontweight=weight, **side)  # fmt: skip


def _shown(comparison: Criteria, most: int) -> np.ndarray:
    """Positions of the rows that are drawn: all, or those that some criterion ranks among its first."""
    ranks = comparison.ranks.to_numpy()
    return np.flatnonzero(ranks.min(axis=1) <= most) if len(ranks) > most else np.arange(len(ranks))


def _marked(
    comparison: Criteria, highlight: int | Sequence[Hashable] | None, choice: Hashable
) -> tuple[int | Sequence[Hashable], Hashable]:
    """Which rows are marked, unless that is asked for: the choice whose criterion is varied, and its rivals."""
    if highlight is not None or choice is not None:
        return () if highlight is None else highlight, choice
    allowed = comparison.ranks.index
    if comparison.choice is None:
        return _MOST_CHANGED, None
    return [row for row in comparison.rivals if (allowed == row).any()], comparison.choice


def _highlighted(
    comparison: Criteria, shown: np.ndarray, highlight: int | Sequence[Hashable], choice: Hashable
) -> dict[int, dict[str, Any]]:
    """Which of the drawn rows get which looks."""
    drawn = comparison.ranks.index[shown]
    if isinstance(highlight, int):
        ranks = comparison.ranks.to_numpy()[shown]
        swing = ranks.max(axis=1) - ranks.min(axis=1)
        rows = [int(i) for i in np.argsort(-swing, kind="stable")[:highlight] if swing[i] > 0]
    else:
        rows = [_row_of(comparison, drawn, name, "highlight") for name in highlight]
    best = -1 if choice is None else _row_of(comparison, drawn, choice, "choice")
    looks_of = series_looks if choice is None else rival_looks
    found = {row: {**looks_of(number), "ms": 5.5, **_LINE} for number, row in enumerate(rows) if row >= 0}
    if best >= 0:
        found[best] = {**chosen_looks(), "ms": 11, **_LINE, "zorder": 4}
    return found


def _row_of(comparison: Criteria, drawn: pd.Index, name: Hashable, argument: str) -> int:
    """Position among the drawn rows; -1 for a row that is not drawn."""
    index = comparison.ranks.index
    if not (index == name).any():
        raise ValueError(f"`{argument}` names {name!r}, which is not compared.{checks.nearest(name, index)}")
    matches = np.flatnonzero(drawn == name)
    return int(matches[0]) if len(matches) else -1


_GRAY_LINE: dict[str, Any] = {"color": GRAY, "lw": 1.0, "marker": "o", "ms": 3, "alpha": 0.6, "zorder": 2}
_LINE: dict[str, Any] = {"lw": 2.2, "zorder": 3}
