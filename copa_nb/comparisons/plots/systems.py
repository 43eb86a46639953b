"""Fronts with confidence, and two systems compared: what is decided, and how certain it is."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.comparisons.compare import Comparison
from copa_nb.comparisons.confident_front import DOMINATED, ON_FRONT, UNDECIDED, VERDICTS, ConfidentFront
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.plots import drawn_columns, staircase
from copa_nb.plotting.axes import label_objectives, outer_legend, plain_log
from copa_nb.plotting.keys import numbered_as, numbered_where_narrow
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    in_palette,
    literal,
    series_color,
    shorten,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Marker and color of each side of a claim.
def _color(series: int | None) -> str:
    """Color of a series, and gray for what is none."""
    return GRAY if series is None else series_color(series)


# Marker and series of each verdict.
_VERDICT_LOOKS = {ON_FRONT: ("o", 0), UNDECIDED: ("D", 4), DOMINATED: (".", None)}


@of_paper("boyi2026significance")
@offered_by(ConfidentFront)
@in_palette
@shared_parameters
def plot_confident_front(
    result: ConfidentFront,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    log: Sequence[Hashable] = (),
    labels: int | Sequence[Hashable] = 12,
    key: bool | Sequence[Hashable] = False,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the systems by verdict, with intervals of their means, and the zone that contains the front.

    Parameters
    ----------
    result : ConfidentFront
        Of ``df.moo.confident_front()``.
    x, y : label, optional
        Objectives to draw; the first cost against the first benefit if omitted.
    log : list of objectives
        Objectives whose axis is logarithmic.
    labels : int or list of labels
        How many systems to name, those significantly on the front first, and of more than these no dominated ones; or
        the systems to name.
    key : bool or sequence of labels
        Whether to number the systems and list their names in a key below the figure, as where many long names would
        cover a narrow one; or all labels in the order of their numbers, so that a system has one number in several
        figures.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown objective, or a `key` without a label that is drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [3.0, 1.0], "se": 0.01}, index=["a", "b"])
    >>> models = models.moo.define(accuracy="max", cost="min", standard_error={"accuracy": "se"})
    >>> front = models.moo.confident_front()
    >>> ax = front.plot()
    >>> plt.close(ax.figure)
    """
    names = result.objectives.names
    first, second = (names[k] for k in drawn_columns(result.objectives, x, y))
    ax = current_axes(ax)
    points = np.column_stack([result.means[first], result.means[second]]).astype(float)
    directions = [result.objectives.direction(name) for name in (first, second)]
    if len(names) == 2:
        _shade_undecided_zone(ax, result, points, directions)
    for verdict in reversed(VERDICTS):
        chosen = (result.table["verdict"] == verdict).to_numpy()
        marker, series = _VERDICT_LOOKS[verdict]
        color = _color(series)
        if result.low is not None and result.high is not None:
            low, high = (np.column_stack([end[first], end[second]])[chosen] for end in (result.low, result.high))
            ax.hlines(points[chosen, 1], low[:, 0], high[:, 0], color=color, alpha=0.45, linewidth=1.5)
            ax.vlines(points[chosen, 0], low[:, 1], high[:, 1], color=color, alpha=0.45, linewidth=1.5)
        if not chosen.any():
            continue
        ax.scatter(*points[chosen].T, marker=marker, color=color, label=f"{verdict} ({int(chosen.sum())})", zorder=3)
    for name, axis in ((first, "x"), (second, "y")):
        if name in log:
            plain_log(ax, axis)
    label_objectives(ax, (first, directions[0]), (second, directions[1]))
    outer_legend(ax)
    if isinstance(labels, int):
        all_fit = len(result.table) <= labels
        named = np.flatnonzero(all_fit | (result.table["verdict"] != DOMINATED).to_numpy())[:labels]
    else:
        named = np.flatnonzero(result.table.index.isin(labels))
    figure: Any = ax.get_figure(root=True)
    names_written: list[Any] = list(result.table.index[named])
    if not key:
        names_written = numbered_where_narrow(figure, names_written)
    else:
        names_written = list(numbered_as(figure, names_written, list(map(text.label, names_written)), key))
    label_points(ax, points[named, 0], points[named, 1], names_written)
    return ax


def _shade_undecided_zone(ax: Axes, result: ConfidentFront, points: np.ndarray, directions: Sequence[str]) -> None:
    """Shade the zone between the conservative and the optimistic front."""
    worst = [column.min() if way == "max" else column.max() for column, way in zip(points.T, directions, strict=True)]
    sure, possible = (result.table.index.isin(labels) for labels in (result.conservative, result.optimistic))
    outer = staircase(points[possible], directions, limits=worst)
    ax.plot(*outer, color=_color(_VERDICT_LOOKS[UNDECIDED][1]), linestyle="--", linewidth=1, zorder=1)
    if sure.any():
        inner = staircase(points[sure], directions, limits=worst)
        ax.fill(*np.hstack([outer, np.fliplr(inner)]), color=_color(_VERDICT_LOOKS[UNDECIDED][1]), alpha=0.15)
        ax.plot(*inner, color=_color(_VERDICT_LOOKS[ON_FRONT][1]), linewidth=1.5, zorder=2)


@describes(plot_confident_front)
def _confident_front_in_words(
    result: ConfidentFront,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    key: bool | Sequence[Hashable] = False,
    **options: Any,
) -> Picture:
    sure, possible, total = len(result.conservative), len(result.optimistic), len(result.table)
    systems, names = text.plural(result.table.index.name, "systems"), result.objectives.names
    across, up = (text.spoken(names[k]) for k in drawn_columns(result.objectives, x, y))
    zone = (
        "The true front runs through the shaded zone: the solid line joins the systems that are significantly on the "
        "front, the dashed line those that may be."
        if sure
        else "The true front lies within the dashed line, which joins the systems that may be on it."
    )
    return Picture(
        finding=result.headline,
        caption=f"Means of {total:,} {systems} by verdict (α = {result.alpha:g})"
        + f", each with an interval of its own ({text.percent(1 - result.alpha)})." * (result.low is not None)
        + "." * (result.low is None)
        + f" {zone}" * (len(names) == 2),
        alt=f"Scatter plot of {up} against {across}; of {total:,} {systems}, {sure:,} on the front, "
        f"{possible - sure:,} undecided and {total - possible:,} dominated.",
        data=result.table,
        height=4.05 if key else 3.8,
        narrow_height=4.8,
    )


_GAINS = {  # marker and series of what an interval shows
    "better": ("o", 0),
    "worse": ("s", 1),
    "equivalent": ("D", 2),
    "not worse": ("D", 2),
    "not better": ("D", 2),
    "undecided": ("D", None),
}


_MOST_ACROSS = 60.0  # multiple of an interval's reach at which a margin is no longer drawn


@of_paper("boyi2026significance")
@offered_by(Comparison)
@in_palette
@shared_parameters
def plot_system_comparison(result: Comparison, *, palette: Palette = None, ax: Axes | None = None) -> Axes:
    """Draw the difference in each objective with its interval, zero, and the margins.

    Every row has a scale of its own, because objectives have units of their own; to the right, the new system is
    better. The numbers are next to the rows.

    Parameters
    ----------
    result : Comparison
        Of ``df.moo.compare()``.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> log = pd.DataFrame({"agent": ["A"] * 4 + ["B"] * 4, "task": [1, 2, 3, 4] * 2, "cost": [3, 5, 2, 4, 1, 4, 1, 2]})
    >>> found = copa_nb.moo(log, {"cost": "min"}, system="agent", item="task").compare(new="B", baseline="A")
    >>> ax = found.plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = result.table
    for place, (name, row) in enumerate(table.iterrows()):
        sign = 1.0 if result.objectives.direction(name) == "max" else -1.0
        margin = result.margin[name]
        ends = np.array([row["low"], row["high"]])
        ends = np.where(np.isfinite(ends), ends, row["difference"])
        reach = np.abs([*ends, row["difference"]]).max()
        scale = sign / (max(reach, margin if margin <= _MOST_ACROSS * reach else 0.0) or 1.0)
        marker, series = _GAINS[row["verdict"]]
        color = _color(series)
        ax.hlines(place, *sorted(scale * ends), color=color, linewidth=2.5)
        ax.plot(scale * row["difference"], place, marker, color=color, zorder=3)
        if margin and margin <= _MOST_ACROSS * reach:
            at = -margin * abs(scale)
            ax.vlines([at, -at], place - 0.28, place + 0.28, color=INK, linewidth=1, linestyle=":")
        ax.text(
            np.clip(scale * row["difference"], -0.6, 0.6), place - 0.2, _difference_in_words(row), ha="center",
            va="bottom", fontsize="small", color=INK, bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    ax.set_yticks(range(len(table)), [literal(text.spoken(name)) for name in table.index])
    ax.set_ylim(len(table) - 0.5, -0.75)
    ax.set_xlim(-1.15, 1.15)
    ax.set_xticks([])
    new, baseline = (literal(shorten(text.label(one), 18)) for one in (result.new, result.baseline))
    ax.set_xlabel(f"← {baseline} is better        {new} is better →")
    ax.grid(False)
    return ax


def _difference_in_words(row: pd.Series) -> str:
    """A difference and its interval, as a row of the picture has them."""
    difference, low, high = text.column_texts(row[name] for name in ("difference", "low", "high"))
    if row["test"] == "known":
        return text.minus(f"{difference}, known")
    if np.isinf(row["low"]):
        return text.minus(f"{difference}, not tested")
    return text.minus(f"{difference} ({low} to {high})")


@describes(plot_system_comparison)
def _comparison_in_words(result: Comparison) -> Picture:
    new, baseline = text.label(result.new), text.label(result.baseline)
    margins = " Dotted: the margins." if any(result.margin.values()) else ""
    return Picture(
        finding=f"Difference between {new} and {baseline} in each objective",
        caption=(
            f"Intervals of {text.percent(1 - result.alpha)} confidence for all objectives together. Each row has its "
            f"own scale; to the right, {new} is better.{margins}"
        ),
        alt=f"Rows with the difference in each of {len(result.table)} objectives, its interval, and a line at zero.",
        data=result.table,
        height=0.9 + 0.75 * len(result.table),
    )
