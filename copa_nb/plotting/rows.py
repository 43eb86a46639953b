"""One value per row, with its label: the plot of results that are a list."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.plotting.style import GRAY, is_narrow, literal, series_color, shorten_all

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
        ax.hlines(rows, *ends[rows].T, color=color, linewidth=2, alpha=0.5)
        # Whole at the ends of an axis of shares, too.
        ax.plot(shown[rows], rows, marker, color=color, clip_on=False)
    letters = 26 if is_narrow(ax.get_figure(root=True)) else 40
    ax.set_yticks(places, shorten_all(map(text.label, values.index[:most]), letters))
    ax.set_ylim(max(len(shown), 1) - 0.5, -0.5)
    ax.set_xlabel(literal(xlabel))
    ax.grid(False, axis="y")
    return ax
