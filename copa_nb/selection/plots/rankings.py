"""Rankings: boxes of how items stand over groups, and lines of ranks from criterion to criterion."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.plotting.axes import write_upright_or_turned
from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, is_narrow, literal, series_looks, shorten
from copa_nb.selection.compare import criterion_label
from copa_nb.sorting import column_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.selection.compare import Comparison
    from copa_nb.selection.standings import Standings

_WHISKER = 1.5
# Points between the axis and the names, where counts stand.
_ROOM_FOR_COUNTS = 30

_READABLE = 40

_NAMES_AT_A_RANK, _LETTERS_AT_A_RANK = 3, 30


def plot_ccdf(
    standings: Standings, *, ax: Axes | None = None, order: Sequence[Hashable] | None = None, **box_kws: Any
) -> Axes:
    """Draw a box per item: over the groups, the share of items that are no better.

    Parameters
    ----------
    standings : Standings
        How items stand.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    order : list of labels, optional
        Items from top to bottom; by mean, best first, if omitted.
    **box_kws
        Options of ``Axes.boxplot``.

    Returns
    -------
    Axes
        The diamond is the mean. Everything lies between 0 and 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> results = pd.DataFrame({"task": [1, 1, 2, 2], "tool": list("abab"), "auc": [0.9, 0.8, 0.7, 0.6]})
    >>> ax = plot_ccdf(results.moo(auc="max").standings(item="tool", by="task"))
    >>> plt.close(ax.figure)
    """
    ax = _boxes(standings, standings.ccdf, ax, order, PALETTE[0], box_kws)
    ax.set_xlim(-0.03, 1.04)
    ax.set_xlabel(f"CCDF: share of the\n{literal(standings.item)}s no better ↑")
    return ax


def plot_scaled_performance(
    standings: Standings,
    *,
    ax: Axes | None = None,
    order: Sequence[Hashable] | None = None,
    view: tuple[float, float] = (-0.5, 1.05),
    **box_kws: Any,
) -> Axes:
    """Draw a box per item: over the groups, the performance between the baseline (0) and the best (1).

    Parameters
    ----------
    standings : Standings
        How items stand, with a baseline.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    order : list of labels, optional
        Items from top to bottom; by mean CCDF, best first, if omitted.
    view : tuple of two float
        Range of the axis. Values out of it are counted beside the names.
    **box_kws
        Options of ``Axes.boxplot``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        If the standings have no baseline.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> results = pd.DataFrame({"task": [1, 1, 2, 2], "tool": list("abab"), "auc": [0.9, 0.8, 0.7, 0.8]})
    >>> standing = results.moo(auc="max").standings(item="tool", by="task", baseline="b")
    >>> ax = plot_scaled_performance(standing)
    >>> plt.close(ax.figure)
    """
    if standings.scaled is None:
        raise ValueError("`standings` has no baseline to scale against; pass baseline= to standings().")
    ax = _boxes(standings, standings.scaled, ax, order, PALETTE[4], box_kws)
    ax.axvline(0, color=INK, lw=0.8, ls=":")
    ax.set_xlim(*view)
    counts = out_of_view(standings, view).reindex(pd.Index(_order(standings, order)))
    if counts.any():
        ax.tick_params(axis="y", pad=_ROOM_FOR_COUNTS)
    for position, count in enumerate(counts, start=1):
        if count:
            # Beside the axis, so that no count covers a box.
            ax.annotate(f"{count} ◀", (0.0, position), xycoords=("axes fraction", "data"), xytext=(-3, 0),
                        textcoords="offset points", ha="right", va="center", fontsize="small", color=INK)  # fmt: skip
    ax.set_xlabel(f"scaled performance ↑\n(0: {shorten(standings.baseline, 20)}, 1: best)")
    return ax


def out_of_view(standings: Standings, view: tuple[float, float] = (-0.5, 1.05)) -> pd.Series:
    """Count, per item, the groups whose scaled performance lies outside a view.

    Parameters
    ----------
    standings : Standings
        From :func:`copa_nb.standings` with ``baseline=``.
    view : tuple of float
        Lowest and highest value that is in view.

    Returns
    -------
    Series of int, by item

    Raises
    ------
    ValueError
        If the standings have no baseline.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> results = pd.DataFrame(
    ...     {"task": [1, 1, 1, 2, 2, 2], "tool": list("abcabc"), "auc": [0.9, 0.8, 0.5, 0.7, 0.8, 0.9]})
    >>> out_of_view(results.moo(auc="max").standings(item="tool", by="task", baseline="b")).to_dict()
    {'a': 1, 'b': 0, 'c': 1}
    """
    if standings.scaled is None:
        raise ValueError("`standings` has no baseline to scale against; pass baseline= to standings().")
    outside: pd.Series = ((standings.scaled < view[0]) | (standings.scaled > view[1])).sum(axis=1)
    return outside


def _order(standings: Standings, order: Sequence[Hashable] | None) -> list[Hashable]:
    if order is None:
        return list(standings.table.index)
    for name in order:
        if name not in standings.ccdf.index:
            raise ValueError(
                f"`order` names {name!r}, which is not an item.{checks.nearest(name, standings.ccdf.index)}"
            )
    return list(order)


def _boxes(
    standings: Standings,
    table: pd.DataFrame,
    ax: Axes | None,
    order: Sequence[Hashable] | None,
    colour: str,
    box_kws: dict[str, Any],
) -> Axes:
    ax = current_axes(ax)
    names = _order(standings, order)
    rows = [row[np.isfinite(row)] for row in table.loc[names].to_numpy(dtype=float)]
    looks: dict[str, Any] = {
        "widths": 0.62,
        "whis": _WHISKER,
        "showmeans": True,
        "patch_artist": True,
        "boxprops": {"facecolor": colour, "alpha": 0.45, "edgecolor": INK, "linewidth": 0.8},
        "medianprops": {"color": INK, "linewidth": 1.4},
        "whiskerprops": {"color": INK, "linewidth": 0.8},
        "capprops": {"color": INK, "linewidth": 0.8},
        "meanprops": {"marker": "D", "markerfacecolor": "white", "markeredgecolor": INK, "markersize": 4},
        "flierprops": {"marker": ".", "markersize": 3.5, "markerfacecolor": "0.4", "markeredgecolor": "none"},
        **box_kws,
    }
    # Names that are read without turning the head.
    ax.boxplot(rows, orientation="horizontal", **looks)
    ax.set_yticks(range(1, len(names) + 1), [shorten(name, 20) for name in names])
    ax.set_ylim(len(names) + 0.6, 0.4)
    ax.grid(visible=False, axis="y")
    return ax


def plot_bump(
    comparison: Comparison,
    *,
    ax: Axes | None = None,
    highlight: int | Sequence[Hashable] = 4,
    most: int = _READABLE,
    **line_kws: Any,
) -> Axes:
    """Draw a line per row through its rank under each criterion, rank 1 on top; rows that tie share a rank.

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
    drawn = ranks[shown].astype(float)
    places = np.column_stack([column_ranks(np.ascontiguousarray(column)) + 1 for column in drawn.T])
    coloured = _highlighted(comparison, shown, highlight)
    x = np.arange(ranks.shape[1])
    for i in np.argsort([row in coloured for row in range(len(shown))], kind="stable"):
        looks = _looks(coloured.get(int(i)))
        ax.plot(x, places[i], **{**looks, **line_kws})
    labels = [shorten(label, 26) for label in comparison.ranks.index[shown]]
    _write_names(ax, labels, places[:, 0], coloured, x[0], {"xytext": (-8, 0), "ha": "right"})
    # A phone has no room for names at both ends.
    if not is_narrow(ax.get_figure(root=True)):
        _write_names(ax, labels, places[:, -1], coloured, x[-1], {"xytext": (8, 0), "ha": "left"})
    ax.set_xlim(-0.25, x[-1] + 0.25)
    write_upright_or_turned(ax, x, [literal(criterion_label(column)) for column in comparison.ranks])
    ax.set_ylim(places.max() + 0.7, 0.3)
    ax.set_yticks([])
    partly = f", {len(shown):,} of {len(ranks):,} rows" if len(ranks) > len(shown) else ""
    ax.set_xlabel(f"criterion (rank 1 on top{partly})")
    ax.grid(visible=False)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    return ax


def _write_names(
    ax: Axes, labels: list[str], places: np.ndarray, coloured: dict[int, int], x: float, side: dict[str, Any]
) -> None:
    """Name the rows at one end of their lines; rows that share a rank share a line of text, those in colour first."""
    for place in np.unique(places):
        rows = sorted(np.flatnonzero(places == place).tolist(), key=lambda row: row not in coloured)
        # Long names of many rows would leave no room for the lines.
        most = _NAMES_AT_A_RANK if sum(len(labels[row]) for row in rows[:_NAMES_AT_A_RANK]) <= _LETTERS_AT_A_RANK else 1
        names = ", ".join(labels[row] for row in rows[:most])
        more = f" and {len(rows) - most} more" if len(rows) > most else ""
        # In ink: some of the lines' colours are too light for letters.
        weight = "bold" if rows[0] in coloured else "normal"
        ax.annotate(names + more, (x, place), textcoords="offset points", va="center", fontsize="small", color=INK,
                    fontweight=weight, **side)  # fmt: skip


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
    return {**series_looks(colour), "lw": 2.2, "ms": 5.5, "zorder": 3}
