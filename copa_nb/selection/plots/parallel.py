"""Parallel coordinates of the front on a common scale."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.objectives import ObjectivesLike
from copa_nb.plotting.style import GREY, LINESTYLES, MARKERS, PALETTE, current_axes, literal, shorten
from copa_nb.selection.arrays.ranks import empirical_cdf
from copa_nb.selection.copa import Selection, copa
from copa_nb.selection.normalize import rows_named

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_parallel(
    result: pd.DataFrame | Selection,
    *,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    front_only: bool = True,
    ax: Axes | None = None,
    line_kws: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw each row as a line through its ranks, one vertical axis per objective, best on top.

    Parameters
    ----------
    result : DataFrame or Selection
        A table, or a decision, whose selected row is then in colour.
    highlight : sequence of row labels
        Further rows in colour.
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    front_only : bool
        Whether the grey lines are the front's rows only, or all.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    line_kws : mapping, optional
        Options of ``LineCollection``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a row to highlight that is not in the index.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = plot_parallel(models, objectives={"accuracy": "max", "co2_kg": "min"}, highlight=["b"])
    >>> plt.close(ax.figure)
    """
    from matplotlib.collections import LineCollection

    ax = current_axes(ax)
    selection = result if isinstance(result, Selection) else cast("Selection", copa(result, objectives=objectives))
    matrix = selection.matrix
    shares = empirical_cdf(matrix.values)
    x = np.arange(shares.shape[1])
    drawn = selection.pareto_optimal if front_only else np.ones(len(shares), dtype=bool)
    selected = [selection.position] if isinstance(result, Selection) else []
    many = int(drawn.sum())
    lines = [np.column_stack((x, row)) for row in shares[drawn]]
    looks = {"colors": GREY, "linewidths": 0.7, "alpha": max(0.08, min(0.6, 30 / max(many, 1))),
             "rasterized": many > 200, **(line_kws or {})}  # fmt: skip
    ax.add_collection(LineCollection(lines, **looks))
    for i, row in enumerate([*selected, *_positions(matrix.index, highlight)]):
        ax.plot(x, shares[row], color=PALETTE[i % len(PALETTE)], ls=LINESTYLES[i % len(LINESTYLES)], lw=2,
                marker=MARKERS[i % len(MARKERS)], label=shorten(matrix.index[row]), zorder=3)  # fmt: skip
    ticks = [literal(label) for label in matrix.objectives.labels]
    ax.set_xticks(x, ticks, rotation=20 if len(x) > 4 else 0, ha="right" if len(x) > 4 else "center")
    ax.set_xlim(-0.1, x[-1] + 0.1)
    ax.set_ylim(1.02, -0.02)
    ax.set_ylabel("share of models that are better\n(best on top)")
    ax.grid(visible=True, axis="x")
    if ax.get_legend_handles_labels()[0]:
        ax.legend(loc="upper left", bbox_to_anchor=(1.01, 1.0), borderaxespad=0)
    return ax


def _positions(index: pd.Index, labels: Sequence[Hashable]) -> list[int]:
    rows = []
    for label in labels:
        named = rows_named(index, label)
        if len(named) == 0:
            raise ValueError(f"`highlight` names {label!r}, which is not in the index.{checks.nearest(label, index)}")
        rows.append(int(named[0]))
    return rows
