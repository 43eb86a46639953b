"""What the weights decide: rows selected along the weight of one objective, and regions of weights by row."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import lay_out, outer_legend
from copa_nb.plotting.keys import numbered, numbered_where_narrow, words_alone
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    LINESTYLES,
    Palette,
    chosen_looks,
    current_axes,
    directed_label,
    in_palette,
    is_narrow,
    literal,
    rival_looks,
    series_color,
    shorten_all,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.selection.navigate import Navigation
from copa_nb.selection.sensitivity import Sensitivity
from copa_nb.tables.objectives import names_of_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


_MOST_COLORS = 7
_SMALLEST_NUMBERED = 0.02  # share of all weights in which a number has room
_ROOM_ON_A_PHONE = 0.03  # from a number to the end of its region, of an edge of the triangle
_LIGHT = "#E4E4E4"
# Names above a path: degrees they are turned by, and points from line to line.
_TURN, _LINE = 38, 11.0
_NAMES_ON_A_PHONE = 4
_TICKS = (0.2, 0.4, 0.6, 0.8)
_CORNERS = np.array([[0.0, 0.0], [1.0, 0.0], [0.5, np.sqrt(3.0) / 2]])


@of_paper("javaloy2025copa")
@offered_by(Navigation)
@in_palette
@shared_parameters
def plot_navigation(
    navigation: Navigation,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    names: int | Mapping[Hashable, object] = 8,
    key: bool = False,
    legend: bool = True,
    **line_kws: Any,
) -> Axes:
    """Draw the normalized objectives of the selected row against α, one step line per objective.

    Parameters
    ----------
    navigation : Navigation
        A path.
    %(palette)s
    %(ax)s
    names : int or mapping of row label to text
        How many selected rows to name above the plot, those selected over the longest ranges of α first; or the
        text to write for each row.
    key : bool
        Whether to write numbers, and the names in a key below the figure.
    legend : bool
        Whether to name the objectives.
    **line_kws
        Options of ``Axes.step``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().navigate("co2_kg").plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    importances = navigation.path.index.to_numpy(dtype=float)
    for k, name in enumerate(navigation.matrix.objectives.names):
        swept = name == navigation.objective
        looks: dict[str, Any] = {"color": series_color(k), "ls": LINESTYLES[k % len(LINESTYLES)]}
        looks |= {"lw": 2.4 if swept else 1.2, "label": literal(text.spoken(name)), **line_kws}
        ax.step(importances, navigation.path[f"u_{name}"].to_numpy(), where="mid", **looks)
    ax.set_xlim(importances[0], importances[-1])
    ax.set_xlabel(f"α, weight of {literal(text.spoken(navigation.objective))}")
    unit = "share of rows that are better" if navigation.normalize == "cdf" else f"{navigation.normalize} value"
    # As everywhere, up is good; the arrows of the objectives are not those of their ranks.
    ax.set_ylabel(f"{unit}\n(best on top)")
    if navigation.normalize == "cdf":
        ax.set_ylim(1, 0)
    else:
        ax.invert_yaxis()
    if legend:
        outer_legend(ax)
    _name_rows(ax, navigation, names, key)
    return ax


@describes(plot_navigation)
def _path_in_words(navigation: Navigation, **options: Any) -> Picture:
    swept, n_distinct = text.spoken(navigation.objective), navigation.n_distinct
    first, last = navigation.path.index[[0, -1]]
    return Picture(
        finding=f"{n_distinct} rows are selected as the weight of {swept} grows"
        if n_distinct > 1
        else f"{text.label(navigation.at(first))} is selected at every weight of {swept}",
        caption=f"Ranks of the selected row in each objective as the weight α of {swept} goes from {first:g} to "
        f"{last:g}, best on top. Thin lines mark where the choice changes.",
        alt=f"Step lines, one per objective, against the weight of {swept}.",
        data=navigation,
    )


def _name_rows(ax: Axes, navigation: Navigation, names: int | Mapping[Hashable, object], key: bool) -> None:
    table = navigation.table
    figure: Any = ax.get_figure(root=True)
    widths = (table["importance_to"] - table["importance_from"]).to_numpy()
    if isinstance(names, Mapping):
        shown = [i for i, label in enumerate(table.index) if label in names]
        written = [str(names[table.index[i]]) for i in shown]
        if key:
            written = numbered(figure, written)
        looks: dict[str, Any] = {"ha": "center"}
    else:
        most = min(names, _NAMES_ON_A_PHONE) if is_narrow(figure) else names
        shown = sorted(np.argsort(-widths, kind="stable")[:most].tolist())
        labels = names_of_rows(navigation.matrix.frame, (table.index[i] for i in shown))
        drawn = numbered(figure, labels) if key else numbered_where_narrow(figure, labels)
        written = shorten_all(drawn, 30)
        turned_names = {"rotation": _TURN, "ha": "left", "rotation_mode": "anchor"}
        looks = turned_names if drawn == labels else {"ha": "center"}
    span = navigation.path.index[-1] - navigation.path.index[0]
    for i in range(1, len(table)):
        ax.axvline(float(table["importance_from"].iloc[i]), color="0.8", lw=0.6, zorder=0)
    # Names need room of their own: one that would run into its neighbor is left out, and numbers become a range.
    lay_out(figure)
    turned = "rotation" in looks
    closest = (_LINE / math.sin(math.radians(_TURN)) if turned else _LINE) * figure.dpi / 72
    least = closest / ax.get_window_extent().width * span
    marks: list[tuple[str, float]] = []
    for i, name in zip(shown, written, strict=True):
        middle = float(table["importance_from"].iloc[i] + table["importance_to"].iloc[i]) / 2
        if not marks or middle - marks[-1][1] >= least:
            marks.append((name, middle))
        elif name.isdigit():
            marks[-1] = (f"{marks[-1][0].partition('–')[0]}–{name}", middle)
    for name, middle in marks:
        ax.annotate(
            name, (middle, 1.0), xycoords=("data", "axes fraction"), xytext=(0, 3), textcoords="offset points",
            va="bottom", fontsize="small", annotation_clip=False, **looks,
        )  # fmt: skip


@of_paper("javaloy2025copa")
@offered_by(Sensitivity)
@in_palette
@shared_parameters
def plot_weight_regions(
    sensitivity: Sensitivity, *, palette: Palette = None, ax: Axes | None = None, most: int = 7, **legend_kws: Any
) -> Axes:
    """Draw where in the space of weights each row is chosen.

    Two objectives: the range of the first weight, cut into the rows chosen. Three: the triangle of all
    weights. More: for each objective the range of its weight over which the choice stays.

    Parameters
    ----------
    Selection.sensitivity : Sensitivity
        The regions.
    %(palette)s
    %(ax)s
    most : int
        How many rows get a color (at most 7); the others are gray.
    **legend_kws
        Options of ``Axes.legend``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().sensitivity().plot()
    >>> ax.get_xlabel()
    'weight of accuracy (the rest is on CO₂ (kg))'
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    count = len(sensitivity.selection.weights)
    if count > 3:
        return _draw_ranges(sensitivity, ax)
    colors = _colors(sensitivity, min(most, _MOST_COLORS))
    if count == 2:
        _draw_interval(sensitivity, ax, colors)
        columns = 1 if is_narrow(ax.get_figure(root=True)) else 2
        place: dict[str, Any] = {"loc": "upper left", "bbox_to_anchor": (0.0, 0.0), "ncols": columns,
                                 "bbox_transform": _below_axis(ax)}  # fmt: skip
    else:
        _draw_triangle(sensitivity, ax, colors)
        place = {"loc": "center left", "bbox_to_anchor": (1.02, 0.5), "handlelength": 1.5}
        if is_narrow(ax.get_figure(root=True)):
            place = {"loc": "upper center", "bbox_to_anchor": (0.5, 0.0), "bbox_transform": _below_axis(ax)}
    _draw_legend(sensitivity, ax, colors, {**place, **legend_kws})
    return ax


@describes(plot_weight_regions)
def _regions_in_words(sensitivity: Sensitivity, *, most: int = 7, **options: Any) -> Picture:
    weights, best = list(sensitivity.selection.weights), text.label(sensitivity.selection.best)
    finding = f"{text.percent(sensitivity.best_share, first=True)} of all weights select {best}"
    if len(weights) > 3:
        return Picture(
            finding=finding,
            caption=f"Range of each weight over which {best} is chosen while the other weights keep their proportions; "
            "dots are the weights given.",
            alt=f"A horizontal line for each of {len(weights)} weights: the range over which {best} is chosen.",
            data=sensitivity.intervals,
            height=max(2.2, min(4.05, 0.36 * len(weights) + 1)),
        )
    return Picture(
        finding=finding,
        caption=f"The row chosen for each weighting of {text.listing(map(text.spoken, weights))}; the mark shows the "
        "weighting given.",
        alt=f"A {'bar' if len(weights) < 3 else 'triangle'} of all weights, divided into the "
        f"regions of {text.listing(map(text.label, sensitivity.regions.index[:most]))}"
        f"{' and others' * (len(sensitivity.regions) > most)}.",
        data=sensitivity.regions,
        height=1.6 if len(weights) < 3 else 4.0,
        # On a phone, the names are in one column.
        narrow_height=1.2 + 0.22 * min(len(sensitivity.regions), most + 1) if len(weights) < 3 else None,
    )


def _colors(sensitivity: Sensitivity, most: int) -> dict[int, str]:
    """Color of the largest regions by their row, the choice itself, in its own color, always among them."""
    rows = list(range(min(most, len(sensitivity.regions))))
    best = sensitivity.best_row
    if best is not None and best not in rows:
        rows[-1] = best
    if len(sensitivity.selection.weights) == 2:
        # In the order of the strip, so that a reader who cannot tell colors apart counts.
        rows.sort(key=lambda row: float(sensitivity.regions["low"].iloc[row]))
    rivals = iter([series_color(0), *(rival_looks(number)["color"] for number in range(_MOST_COLORS))])
    return {row: chosen_looks()["color"] if row == best else next(rivals) for row in rows}


def _draw_interval(sensitivity: Sensitivity, ax: Axes, colors: dict[int, str]) -> None:
    first, second = sensitivity.selection.weights
    for row, (low, high) in enumerate(sensitivity.regions[["low", "high"]].itertuples(index=False)):
        ax.axvspan(low, high, facecolor=colors.get(row, _LIGHT), edgecolor="white", lw=0.8)
    weight = sensitivity.selection.weights[first]
    ax.plot([weight], [0.5], marker="v", ms=9, color=INK, mec="white", transform=ax.get_xaxis_transform(), zorder=5)
    ax.axvline(weight, color=INK, lw=1.4)
    ax.set_xlim(0, 1)
    ax.set_yticks([])
    ax.grid(visible=False)
    ax.set_xlabel(f"weight of {literal(text.spoken(first))} (the rest is on {literal(text.spoken(second))})")


def _below_axis(ax: Axes) -> Any:
    """Coordinates of the Axes, moved down by the height of the tick labels and the axis label."""
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    return ax.transAxes + ScaledTranslation(0, -0.55, figure.dpi_scale_trans)


def _draw_triangle(sensitivity: Sensitivity, ax: Axes, colors: dict[int, str]) -> None:
    from matplotlib.colors import ListedColormap
    from matplotlib.tri import Triangulation

    points = sensitivity.weights @ _CORNERS
    rows = np.where(np.isin(sensitivity.chosen, list(colors)), sensitivity.chosen, -1)
    triangles, faces = _triangles(sensitivity.weights)
    mesh = Triangulation(triangles[:, 0], triangles[:, 1], faces)
    for row in np.unique(rows):
        inside = rows == row
        color = colors.get(int(row), _LIGHT)
        shown = Triangulation(mesh.x, mesh.y, faces[inside])
        ax.tripcolor(shown, facecolors=np.zeros(int(inside.sum())), cmap=ListedColormap([color]), rasterized=True)
    ax.plot(*_CORNERS[[0, 1, 2, 0]].T, color=INK, lw=1.0)
    ax.plot(*(np.array(list(sensitivity.selection.weights.values())) @ _CORNERS), marker="*", ms=15, color="white",
            mec=INK, mew=1.2, zorder=5)  # fmt: skip
    numbers = {row: str(place) for place, row in enumerate(colors, start=1)}
    least = _ROOM_ON_A_PHONE if is_narrow(ax.get_figure(root=True)) else 0.0
    for row in colors:
        inside = sensitivity.chosen == row
        place, room = _innermost(points, inside)
        if inside.mean() >= _SMALLEST_NUMBERED and room >= least:
            ax.annotate(numbers[row], tuple(place), ha="center", va="center", zorder=4,
                        bbox={"boxstyle": "circle,pad=0.18", "fc": "white", "ec": "none"})  # fmt: skip
    _label_edges(ax, [literal(text.spoken(name)) for name in sensitivity.selection.weights])
    # The limits give way rather than the Axes, whose place the layout would look for at every drawing anew.
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.06)
    ax.set_axis_off()


def _label_edges(ax: Axes, names: list[str]) -> None:
    """Write a scale along each edge of the triangle: the weight of the objective at the corner it grows towards."""
    for k, (name, (right, up)) in enumerate(zip(names, ((-1, 0.5), (0, -1), (1, 0.5)), strict=True)):
        start, end = _CORNERS[(k + 2) % 3], _CORNERS[k]
        for share in _TICKS:
            x, y = start + share * (end - start)
            ax.plot([x, x + 0.015 * right], [y, y + 0.015 * up], color=INK, lw=0.8, clip_on=False)
            ax.annotate(f"{share:g}", (x, y), xytext=(11 * right, 9 * up), textcoords="offset points", ha="center",
                        va="center", fontsize="small")  # fmt: skip
        top = k == len(names) - 1
        place: dict[str, Any] = {"xytext": (0, 5 if top else -20), "va": "bottom" if top else "top"}
        ax.annotate(f"all weight on\n{name}", tuple(_CORNERS[k]), textcoords="offset points", ha="center",
                    fontsize="small", **place)  # fmt: skip


def _triangles(centers: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Corners, in the plane, of the small triangle around each center of the grid."""
    resolution = round(np.sqrt(len(centers)))
    # An upright triangle's center lies a third of a step from its lattice point, an inverted one's two thirds.
    upright = np.abs(centers[:, 0] * resolution % 1 - 1 / 3) < 1 / 6
    reach = np.where(upright, 1.0, -1.0)[:, None, None] * (np.eye(3) - 1 / 3) / resolution
    corners = (centers[:, None, :] + reach) @ _CORNERS
    return corners.reshape(-1, 2), np.arange(3 * len(centers)).reshape(-1, 3)


def _innermost(points: np.ndarray, inside: np.ndarray) -> tuple[np.ndarray, float]:
    """Return the point of a region that is farthest from all others and from the edges of the triangle, and how far."""
    from scipy.spatial import KDTree

    own = points[inside]
    height = _CORNERS[2, 1]
    slanted = np.abs(own @ np.array([[height, height], [-0.5, 0.5]]) - [0.0, height])
    edges = np.minimum(own[:, 1], slanted.min(axis=1) / np.hypot(height, 0.5))
    away = KDTree(points[~inside]).query(own)[0] if not inside.all() else edges
    room = np.minimum(away, edges)
    return own[room.argmax()], float(room.max())


def _draw_ranges(sensitivity: Sensitivity, ax: Axes) -> Axes:
    table = sensitivity.intervals
    rows = np.arange(len(table))
    labels = {name: directed_label(name, way) for name, way in sensitivity.selection.objectives.directions}
    end = min(1.0, 1.2 * float(table["high"].max()))
    ax.hlines(rows, 0, end, color=GRAY, lw=0.8, alpha=0.6)
    ax.hlines(rows, table["low"], table["high"], color=series_color(0), lw=6, alpha=0.8)
    ax.plot(table["weight"], rows, "o", color="white", mec=INK, ms=6, zorder=4)
    successors = pd.concat([table["below"][table["low"] > 0], table["above"][table["high"] < 1]])
    # By what they are called: a missing label does not equal itself.
    names = list(dict.fromkeys(map(text.label, successors)))
    narrow = is_narrow(ax.get_figure(root=True))
    # Names where two fit above a line; else numbers, and a key.
    written = [str(number) for number, _ in enumerate(names, start=1)] if narrow else shorten_all(names, 30)
    keys = dict(zip(names, written, strict=True))
    for row, (low, high, below, above) in enumerate(table[["low", "high", "below", "above"]].itertuples(index=False)):
        beyond = {0.0: f"below {low:.2g}: {keys[text.label(below)]}"} if low > 0 else {}
        beyond |= {end: f"above {high:.2g}: {keys[text.label(above)]}"} if high < 1 else {}
        for place, label in (beyond or {end: "chosen at every weight"}).items():
            ax.annotate(label, (place, row), xytext=(0, 5), textcoords="offset points", va="bottom", fontsize="small",
                        ha="right" if place else "left", color="0.3")  # fmt: skip
    ax.set_yticks(rows, [labels[name] for name in table.index])
    ax.set_ylim(len(rows) - 0.5, -0.7)
    ax.set_xlim(0, end)
    ax.grid(visible=False)
    ax.set_xlabel("weight (blue: same choice; circle: as given)")
    if narrow:
        _draw_key(ax, keys)
    return ax


def _draw_key(ax: Axes, keys: Mapping[str, str]) -> None:
    ax.legend(title="chosen beyond", loc="upper left", bbox_to_anchor=(0.0, 0.0), borderaxespad=0, alignment="left",
              bbox_transform=_below_axis(ax), title_fontsize="small",
              **words_alone(f"{number}  {literal(name)}" for name, number in keys.items()))  # fmt: skip


def _draw_legend(sensitivity: Sensitivity, ax: Axes, colors: dict[int, str], legend_kws: dict[str, Any]) -> None:
    from matplotlib.patches import Patch

    names, shares = sensitivity.regions.index, sensitivity.regions["share"].to_numpy()
    most = 30 if len(sensitivity.selection.weights) == 3 else 44
    written = shorten_all([text.label(names[row]) for row in colors], most)
    numbered_regions = len(sensitivity.selection.weights) == 3
    handles = [
        Patch(facecolor=color, edgecolor="white", label=f"{f'{place}  ' if numbered_regions else ''}"
              f"{name} ({text.percent(shares[row])})")
        for place, (name, (row, color)) in enumerate(zip(written, colors.items(), strict=True), start=1)
    ]  # fmt: skip
    rest = len(shares) - len(colors)
    if rest:
        share = float(np.delete(shares, list(colors)).sum())
        handles.append(Patch(facecolor=_LIGHT, label=f"{rest} more ({text.percent(share)})"))
    ax.legend(handles=handles, borderaxespad=0, fontsize="small", **legend_kws)
