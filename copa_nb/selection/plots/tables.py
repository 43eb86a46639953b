"""A table as a picture: its rows and its front."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import pandas as pd
from matplotlib.axes import Axes

from copa_nb.pareto.plots import plot_front
from copa_nb.results.result import drawn
from copa_nb.selection.plots.decisions import plot_parallel
from copa_nb.tables.objectives import Objectives

_FLAT = 2  # objectives that two axes show
_NAMED = 12  # rows of a front that are named
_LINES = 100  # rows whose lines can be told apart


@drawn
def draw_table(
    frame: pd.DataFrame,
    x: Hashable | None = None,
    y: Hashable | None = None,
    *,
    objectives: Objectives,
    on_front: list[Hashable],
    ax: Axes | None = None,
    **options: Any,
) -> Axes:
    """Draw all rows and the front: two objectives as points, more as lines through the shares that are better."""
    named = {"highlight": on_front if len(on_front) <= _NAMED else ()}
    if x is None and y is None and len(objectives) > _FLAT:
        few = {"front_only": len(frame) > _LINES}
        return plot_parallel(frame, objectives=objectives, ax=ax, **{**named, **few, **options})
    others = [name for name in objectives if name not in (x, y)]
    across = others.pop(0) if x is None and others else x
    up = others.pop(0) if y is None and others else y
    if up is None or across is None:
        raise ValueError(
            f"a picture of the front needs two objectives, and {next(iter(objectives))!r} is the only one; describe a "
            'second one, e.g. df.moo(accuracy="max", cost="min").plot().'
        )
    return plot_front(frame, x=across, y=up, objectives=objectives, ax=ax, **{**named, **options})
