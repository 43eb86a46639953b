"""Bump chart: how ranks change from criterion to criterion."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks
from copa_nb.plotting.style import GREY, LINESTYLES, MARKERS, PALETTE, current_axes, literal, shorten
from copa_nb.selection.compare import criterion_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.compare import Comparison

_READABLE = 40


def plot_bump(
    comparison: Comparison,
    *,
    ax: Axes | None = None,
    highlight: int | Sequence[Hashable] = 4,
    most: int = _READABLE,
    **line_kws: Any,
) -> Axes:
    """Draw a line per row through its rank under each criterion, rank 1 on top.

    Parameters
    ----------
    comparison : Comparison
        Ranks under several criteria.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    highlight : int or list of row labels
        Rows in colour: those named, or so many whose rank swings most. The rest is grey.
    most : int
        With more rows than this only those are drawn that are among the best so many under some criterion.
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
    >>> ax = plot_bump(models.moo(accuracy="max", co2_kg="min").compare(["mean", 1, "inf"]))
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    ranks = comparison.ranks.to_numpy()
    shown = np.flatnonzero(ranks.min(axis=1) <= most) if len(ranks) > most else np.arange(len(ranks))
    places = _distinct_places(ranks[shown])
    coloured = _highlighted(comparison, shown, highlight)
    x = np.arange(ranks.shape[1])
    for i in np.argsort([row in coloured for row in range(len(shown))], kind="stable"):
        looks = _looks(coloured.get(int(i)))
        ax.plot(x, places[i], **{**looks, **line_kws})
        label = shorten(comparison.ranks.index[shown[i]], 28)
        style: dict[str, Any] = {
            "va": "center",
            "fontsize": "x-small",
            "color": looks["color"] if int(i) in coloured else "0.35",
        }
        ax.annotate(label, (x[0], places[i, 0]), xytext=(-8, 0), textcoords="offset points", ha="right", **style)
        ax.annotate(label, (x[-1], places[i, -1]), xytext=(8, 0), textcoords="offset points", ha="left", **style)
    ax.set_xticks(x, [literal(criterion_label(column)) for column in comparison.ranks])
    ax.set_xlim(-0.25, x[-1] + 0.25)
    ax.set_ylim(places.max() + 0.7, 0.3)
    ax.set_yticks([])
    partly = f", {len(shown):,} of {len(ranks):,} rows" if len(ranks) > len(shown) else ""
    ax.set_xlabel(f"criterion (rank 1 on top{partly})")
    ax.grid(visible=False)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    return ax


def _distinct_places(ranks: np.ndarray) -> np.ndarray:
    """Give each row a place of its own under every criterion; tied rows keep the order of the one before."""
    places = np.empty(ranks.shape, dtype=float)
    previous = np.arange(len(ranks))
    for column in range(ranks.shape[1]):
        order = np.lexsort((previous, ranks[:, column]))
        places[order, column] = np.arange(1, len(ranks) + 1)
        previous = places[:, column]
    return places


def _highlighted(comparison: Comparison, shown: np.ndarray, highlight: int | Sequence[Hashable]) -> dict[int, int]:
    """Which of the drawn rows get which colour."""
    if isinstance(highlight, int):
        ranks = comparison.ranks.to_numpy()[shown]
        swing = ranks.max(axis=1) - ranks.min(axis=1)
        rows = [int(i) for i in np.argsort(-swing, kind="stable")[:highlight] if swing[i] > 0]
    else:
        rows = []
        for name in highlight:
            matches = np.flatnonzero(comparison.ranks.index[shown] == name)
            if len(matches) == 0:
                raise ValueError(f"`highlight` names {name!r}, which is not drawn."
                                 f"{checks.nearest(name, comparison.ranks.index)}")  # fmt: skip
            rows.append(int(matches[0]))
    return {row: colour for colour, row in enumerate(rows)}


def _looks(colour: int | None) -> dict[str, Any]:
    if colour is None:
        return {"color": GREY, "lw": 1.0, "marker": "o", "ms": 3, "alpha": 0.6, "zorder": 2}
    return {"color": PALETTE[colour % len(PALETTE)], "lw": 2.2, "marker": MARKERS[colour % len(MARKERS)], "ms": 5.5,
            "ls": LINESTYLES[colour % len(LINESTYLES)], "zorder": 3}  # fmt: skip
