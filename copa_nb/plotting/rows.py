"""One value per row, with its label: the plot of results that are a list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.plotting.style import GRAY, INK, is_narrow, literal, series_color, shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

MOST_ROWS = 30


def draw_rows(
    values: pd.Series,
    xlabel: str,
    *,
    ax: Axes,
    intervals: pd.DataFrame | None = None,
    marked: pd.Series | None = None,
    notes: Sequence[str] | None = None,
    notes_label: str = "",
    most: int = MOST_ROWS,
) -> Axes:
    """Draw a dot per row from top to bottom, and a line for its interval or from zero.

    Parameters
    ----------
    values : Series
        Values by label.
    xlabel : str
        What they are.
    ax : matplotlib Axes
        Where to draw.
    intervals : DataFrame, optional
        Two columns, the ends of each row's line; lines start at zero if omitted.
    marked : Series of bool, optional
        Rows to draw in color and as circles; the others are gray squares. All are in color if omitted.
    notes : sequence of str, optional
        What stands at the right of each row, and `notes_label`, what these are.
    most : int
        Rows drawn, from the first.

    Returns
    -------
    Axes
    """
    shown = values.iloc[:most].to_numpy(dtype=float)
    ends = np.column_stack([np.zeros(len(shown)), shown])
    if intervals is not None:
        ends = intervals.iloc[:most].to_numpy(dtype=float)
    chosen = np.ones(len(shown), dtype=bool) if marked is None else marked.iloc[:most].to_numpy(dtype=bool)
    places = np.arange(len(shown))
    for rows, color, marker in ((places[chosen], series_color(0), "o"), (places[~chosen], GRAY, "s")):
        if not rows.size:  # an unclipped line without points would take room at the figure's origin
            continue
        ax.hlines(rows, *ends[rows].T, color=color, linewidth=2, alpha=0.5)
        # Whole at the ends of an axis of shares, too.
        ax.plot(shown[rows], rows, marker, color=color, clip_on=False)
    letters = 26 if is_narrow(ax.get_figure(root=True)) else 40
    ax.set_yticks(places, shorten_all(map(text.label, values.index[:most]), letters))
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlabel(literal(xlabel))
    ax.grid(False, axis="y")
    if notes is not None:
        write_at_right(ax, list(notes)[:most], notes_label)
    return ax


def write_at_right(ax: Axes, notes: Sequence[str], label: str) -> None:
    """Write what belongs to each row at its right end, outside the Axes, and above it in a word what it is."""
    at_right: dict[str, Any] = {"textcoords": "offset points", "annotation_clip": False, "color": INK}
    ax.annotate(label, (1, 1), xycoords="axes fraction", xytext=(6, 2), va="bottom", **at_right)
    for place, note in enumerate(notes):
        ax.annotate(note, (1, place), xycoords=ax.get_yaxis_transform(), xytext=(6, 0), va="center", **at_right)
