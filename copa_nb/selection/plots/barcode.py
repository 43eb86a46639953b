"""Barcodes of weights: a bar for each path, and in it a block for each row that is chosen as the weight grows.

The color of a block is the place of its row on the front, so that a weight that reaches the whole front shows the whole
gradient, and one that does little is of one color. A bar needs no legend, and can be read in gray.
"""

from __future__ import annotations

import textwrap
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    INK,
    chosen_looks,
    current_axes,
    directed_label,
    is_narrow,
    literal,
    map_of_places,
    set_tip,
    shorten_all,
)
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.sensitivity import Sensitivity
from copa_nb.tables.objectives import names_of_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_NAMED = 12  # rows of a front that blocks name; those of a larger one are numbered
_LETTERS = 26  # of a name
_LETTERS_ON_A_PAGE, _LETTERS_ON_A_PHONE = 110, 58  # of a line below the axis
_LETTER = 5.2  # points that a small letter takes
_BAR = 0.58  # share of a bar's row that is color; its words stand above it
_HEIGHT, _BELOW = 0.52, 0.8  # inches of a bar with its words, and of the axis below
_SEPARATED = 2.0  # points of a block that has room for a line between it and the next
_BESIDE_LINE = 3.0  # points from the line of the weight to a word
# The luminance of red, green and blue, and from where on black is easier to read than white. Of these two, one has
# a contrast of 4.5 on any color; ink, which is lighter than black, has not.
_GAMMA, _LUMINANCE, _HALF_LIGHT = 2.2, np.array([0.2126, 0.7152, 0.0722]), 0.179
_SAME = 1e-9  # weights that differ by less are those of one choice


@dataclass(frozen=True)
class _Bar:
    """One path: the blocks in the order of the weight, and the words above it.

    ``places`` are those on the front, from 1, and ``chosen`` marks the blocks of the choice itself.
    """

    title: str
    note: str
    low: np.ndarray
    high: np.ndarray
    rows: list[Hashable]
    places: np.ndarray
    chosen: np.ndarray
    weight: float | None = None


@of_paper("javaloy2025copa")
@offered_by(Navigation)
@shared_parameters
def plot_barcode(
    navigation: Navigation, *, normalizations: Sequence[str] | None = None, ax: Axes | None = None
) -> Axes:
    """Draw which rows are chosen as a weight grows: a bar per normalization, a block per row.

    The color of a block is the place of its row on the front. A bar of the whole gradient is a weight that reaches the
    whole front; a bar of one color, one that does little.

    Parameters
    ----------
    navigation : Navigation
        A path.
    normalizations : sequence of {"cdf", "minmax", "relative", "none"}, optional
        The bars, from the top; all that fit the table, the path's own first, if omitted.
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [9.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg").plot()
    >>> plt.close(ax.figure)
    """
    paths = _paths(navigation, normalizations)
    bars = [_bar_of_path(name, path, navigation) for name, path in paths.items()]
    ax = current_axes(ax)
    _draw_bars(ax, bars, n_front=len(navigation.front), frame=navigation.frame)
    swept = literal(text.spoken(navigation.objective))
    others = [name for name in navigation.matrix.objectives.names if name != navigation.objective]
    rest = f"the rest is on {literal(text.spoken(others[0]))}" if len(others) == 1 else "the others share the rest"
    _label_weights(ax, f"weight of {swept} ({rest})", _meaning(len(navigation.front), swept))
    return ax


def _paths(navigation: Navigation, normalizations: Sequence[str] | None) -> dict[str, Navigation]:
    paths = navigation.on_all_scales()
    if normalizations is None:
        return paths
    for name in normalizations:
        if name not in paths:
            raise ValueError(
                f"`normalizations` holds {name!r}; those that fit this table are {text.listing(map(repr, paths))}."
            )
    return {name: paths[name] for name in normalizations}


def _bar_of_path(name: str, path: Navigation, navigation: Navigation) -> _Bar:
    changes = np.flatnonzero(np.diff(path.positions)) + 1
    starts, ends = np.concatenate(([0], changes)), np.concatenate((changes, [len(path.positions)])) - 1
    steps = path.path.index.to_numpy(dtype=float)
    # Half-way between the last weight at which one row is selected and the first of the next.
    edges = np.concatenate((steps[:1], (steps[changes - 1] + steps[changes]) / 2, steps[-1:]))
    on_path = _weight_on_path(navigation)
    here = (edges[:-1] <= (on_path or 0)) & ((on_path or 0) <= edges[1:])
    own = path is navigation and on_path is not None
    return _Bar(
        title=_TITLES.get(name, NORMALIZATIONS[name].label),
        note=f"{path.n_distinct} chosen, evenness {path.evenness:.2f}",
        low=edges[:-1],
        high=edges[1:],
        rows=list(path.path["selected"].iloc[starts]),
        places=np.round(path.places[ends] * (len(path.front) - 1)).astype(int) + 1,
        chosen=here & (path.positions[starts] == navigation.choice.position) & own,
        weight=on_path,
    )


# What a reader who knows no normalization understands.
_TITLES = {"minmax": "min-max scaling", "none": "no scaling"}


def _weight_on_path(navigation: Navigation) -> float | None:
    """Return the weight of the choice itself, where the path, on which the others are equal, leads through it."""
    weights = navigation.choice.weights
    others = [weight for name, weight in weights.items() if name != navigation.objective]
    return weights[navigation.objective] if max(others) - min(others) < _SAME else None


@describes(plot_barcode)
def _path_in_words(navigation: Navigation, *, normalizations: Sequence[str] | None = None, **options: Any) -> Picture:
    paths = _paths(navigation, normalizations)
    swept, n_front = text.spoken(navigation.objective), len(navigation.front)
    lined = " The line is the weight of the choice, which is framed." if _weight_on_path(navigation) is not None else ""
    titles = {name: _TITLES.get(name, NORMALIZATIONS[name].label) for name in paths}
    first, *others = paths
    counts = [paths[name].n_distinct for name in others]
    beside = f", {min(counts)} to {max(counts)} with other scales" if len(set(counts)) > 1 else ""
    beside = f", {counts[0]} with {titles[others[0]]}" if len(set(counts)) == 1 and len(others) == 1 else beside
    return Picture(
        finding=f"The weight of {swept} reaches {paths[first].n_distinct} of {n_front} rows on the front with "
        f"{titles[first]}{beside}",
        caption=f"A bar per scale, a block per row that is chosen as the weight of {swept} grows. Evenness is 1 where "
        f"equal steps of the weight are equal steps along the front.{lined}",
        alt=f"{len(paths)} bars of blocks against the weight of {swept}: "
        + text.listing(f"{one.n_distinct} rows, evenness {one.evenness:.2f} ({titles[n]})" for n, one in paths.items())
        + ".",
        data=pd.concat({titles[name]: one.table for name, one in paths.items()}, names=["scale"]).reset_index(),
        height=_height(len(paths)),
    )


@of_paper("javaloy2025copa")
@offered_by(Sensitivity)
@shared_parameters
def plot_weights(sensitivity: Sensitivity, *, ax: Axes | None = None) -> Axes:
    """Draw how wrong the weights may be: a bar per objective, a block per row that its weight would choose.

    The other weights keep their proportions. The choice is framed, the line is its weight, and the color of a block is
    the place of its row on the front.

    Parameters
    ----------
    sensitivity : Sensitivity
        Of ``choice.sensitivity()``.
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [9.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().sensitivity().plot()
    >>> ax.get_xlabel().splitlines()[0]
    'weight of the objective (the others in proportion)'
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    bars = [_bar_of_objective(sensitivity, name, way) for name, way in _bars(sensitivity)]
    _draw_bars(ax, bars, n_front=sensitivity.n_front, frame=sensitivity.selection.inputs.frame)
    meaning = _meaning(sensitivity.n_front, "the objective")
    _label_weights(ax, "weight of the objective (the others in proportion)", meaning)
    return ax


def _bars(sensitivity: Sensitivity) -> Sequence[tuple[Hashable, str]]:
    """Objectives that have a bar: of two, whose bars would mirror each other, the cost alone."""
    directions = list(sensitivity.selection.objectives.directions)
    if len(directions) > 2:
        return directions
    return sorted(directions, key=lambda one: one[1] != "min")[:1]


def _bar_of_objective(sensitivity: Sensitivity, name: Hashable, direction: str) -> _Bar:
    blocks = sensitivity.paths[[one == name for one in sensitivity.paths["objective"]]]
    range_of = sensitivity.intervals.iloc[list(sensitivity.selection.weights).index(name)]
    low, high = blocks["low"].to_numpy(dtype=float), blocks["high"].to_numpy(dtype=float)
    stays = "every weight" if range_of["low"] <= 0 and range_of["high"] >= 1 else _range(range_of)
    return _Bar(
        title=f"{directed_label(name, direction)}",
        note=f"same choice: {stays}",
        low=low,
        high=high,
        rows=list(blocks["selected"]),
        places=blocks["place"].to_numpy(dtype=int),
        chosen=(low >= range_of["low"] - _SAME) & (high <= range_of["high"] + _SAME),
        weight=float(range_of["weight"]),
    )


def _range(ends: pd.Series) -> str:
    """Write the range of a weight in percent, with a decimal where whole ones would look the same."""
    low, high = 100 * float(ends["low"]), 100 * float(ends["high"])
    decimals = 0 if high - low >= 1 else 1
    return f"{low:.{decimals}f} to {high:.{decimals}f}%"


@describes(plot_weights)
def _weights_in_words(sensitivity: Sensitivity, **options: Any) -> Picture:
    best = text.label(sensitivity.selection.best)
    return Picture(
        finding=sensitivity.headline,
        caption="A bar per objective, a block per row that would be chosen if its weight were another and the others "
        f"kept their proportions. {best} is framed; the line is the weight given.",
        alt="Bars of blocks against the weight of each objective: "
        + text.listing(
            f"{text.spoken(name)}, {best} from {_range(row)}" for name, row in sensitivity.intervals.iterrows()
        )
        + ".",
        data=sensitivity.paths,
        height=_height(len(_bars(sensitivity))),
    )


def _height(bars: int) -> float:
    return _HEIGHT * bars + _BELOW


def _meaning(n_front: int, swept: str) -> str:
    what = "color" if n_front <= _MOST_NAMED else "color and number"
    return f"{what}: place on the front from 1, the worst in {swept}, to {n_front}, the best"


def _draw_bars(ax: Axes, bars: Sequence[_Bar], *, n_front: int, frame: pd.DataFrame | None) -> None:
    figure: Any = ax.get_figure(root=True)
    low = min(float(bar.low[0]) for bar in bars)
    high = max(float(bar.high[-1]) for bar in bars)
    ax.set_xlim(low, high if high > low else low + 1)
    ax.set_ylim(len(bars) - 1 + _BAR / 2 + 0.06, -_BAR / 2 - (1 - _BAR))
    ax.set_yticks([])
    ax.grid(visible=False)
    for side in ("left", "right", "top"):
        ax.spines[side].set_visible(False)
    lay_out(figure)
    points = ax.get_window_extent().width / figure.dpi * 72 / (ax.get_xlim()[1] - ax.get_xlim()[0])
    for row, bar in enumerate(bars):
        _draw_bar(ax, row, bar, n_front=n_front, frame=frame, points=points)


def _draw_bar(ax: Axes, row: int, bar: _Bar, *, n_front: int, frame: pd.DataFrame | None, points: float) -> None:
    colors = map_of_places()((bar.places - 1) / max(n_front - 1, 1))
    widths = bar.high - bar.low
    lines = np.where(widths * points >= _SEPARATED, 0.5, 0.0)
    ax.broken_barh(
        list(zip(bar.low, widths, strict=True)), (row - _BAR / 2, _BAR), facecolors=colors, edgecolors="white",
        linewidths=lines, zorder=2,
    )  # fmt: skip
    above: dict[str, Any] = {"xytext": (0, 3), "textcoords": "offset points", "va": "bottom", "fontsize": "small"}
    left, right = ax.get_xlim()
    ax.annotate(bar.title, (left, row - _BAR / 2), ha="left", color=INK, **above)
    ax.annotate(bar.note, (right, row - _BAR / 2), ha="right", color="0.35", **above)
    names = names_of_rows(frame, pd.Index(bar.rows, tupleize_cols=False))
    short = shorten_all(names, _LETTERS)
    for block in range(len(bar.rows)):
        number = [str(bar.places[block])] if n_front > _MOST_NAMED else []
        words = [short[block], *number] if not number or bar.chosen[block] else number
        word, middle = _within(bar, block, words, points)
        light = float(colors[block][:3] ** _GAMMA @ _LUMINANCE)
        written = ax.text(middle, row, word, ha="center", va="center", fontsize="small",
                          color="white" if light < _HALF_LIGHT else "black", zorder=4)  # fmt: skip
        place = f"place {bar.places[block]} of {n_front} on the front"
        set_tip(written, names[block], f"{100 * bar.low[block]:.0f} to {100 * bar.high[block]:.0f}% weight", place)
    if bar.chosen.any():
        start, end = float(bar.low[bar.chosen].min()), float(bar.high[bar.chosen].max())
        # White around it, so that it is seen in gray.
        for color, wide in (("white", 3.4), (chosen_looks()["color"], 2.2)):
            ax.broken_barh([(start, end - start)], (row - _BAR / 2, _BAR), facecolors="none", edgecolors=color,
                           linewidths=wide, zorder=5, clip_on=False)  # fmt: skip
    if bar.weight is not None:
        reach = _BAR / 2 + 0.05
        ax.plot([bar.weight] * 2, [row - reach, row + reach], color="white", lw=2.6, zorder=5.5, clip_on=False)
        ax.plot([bar.weight] * 2, [row - reach, row + reach], color=INK, lw=1.4, zorder=6, clip_on=False)


def _within(bar: _Bar, block: int, words: Sequence[str], points: float) -> tuple[str, float]:
    """Return the first of some words that has room in a block, beside the line of the weight, and where its middle is.

    Nothing where none has.
    """
    low, high = float(bar.low[block]), float(bar.high[block])
    parts = [(low, high)]
    if bar.weight is not None and low < bar.weight < high:
        gap = _BESIDE_LINE / points
        parts = sorted([(low, bar.weight - gap), (bar.weight + gap, high)], key=lambda part: part[0] - part[1])
    for word in words:
        wide = (_LETTER * len(word) + 2) / points
        middle = (low + high) / 2
        if bar.weight is None or abs(bar.weight - middle) > wide / 2 + _BESIDE_LINE / points:
            start, end = low, high
        else:
            start, end = parts[0]
        if wide <= end - start:
            return word, (start + end) / 2
    return "", (low + high) / 2


def _label_weights(ax: Axes, label: str, meaning: str) -> None:
    from matplotlib.ticker import PercentFormatter

    ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    wide = _LETTERS_ON_A_PHONE if is_narrow(ax.get_figure(root=True)) else _LETTERS_ON_A_PAGE
    lines = [line for words in (label, meaning) for line in textwrap.wrap(words, wide)]
    ax.set_xlabel("\n".join(lines), fontsize="small")
