"""The Pareto front in two of its objectives, and attainment surfaces of repeated runs."""

from __future__ import annotations

__all__ = ["plot_front", "staircase"]

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.arrays.sorting import column_ranks
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.attainment import LEVELS, NORMALIZATIONS, Attainment
from copa_nb.pareto.front import matrix_with_front
from copa_nb.pareto.hypervolume import Hypervolume
from copa_nb.plotting.axes import (
    check_drawable,
    is_skewed,
    label_objectives,
    outer_legend,
    plain_log,
    put_best_up_right,
)
from copa_nb.plotting.keys import numbered, numbered_where_narrow
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    DOMINATED,
    GRAY,
    INK,
    LINESTYLES,
    Palette,
    chosen_looks,
    current_axes,
    directed_label,
    in_palette,
    literal,
    map_of_importance,
    marker_looks,
    rival_looks,
    series_color,
    shorten,
)
from copa_nb.results.offered import offered_by
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, names_of_rows
from copa_nb.text import label, listing, number, percent, spoken

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MANY = 800
_CROWDED = 100  # rows on a front that are small and light
_MOST_STOPS = 40  # diamonds of a path; a longer one is a line
_MOST_NAMED = 3  # objectives that the label of an axis lists
_LONG_NAME = 16  # letters
_MOST_DRAWN = 50_000  # of rows that would only cover one another
# What a zoom shows on either side of the front, in lengths of the front.
_BETTER_SIDE, _WORSE_SIDE = 0.15, 1.5
# Area of a selected row in square points: of one that is hardly ever selected, and what the whole range of α adds.
_SMALLEST, _GROWTH = 22.0, 120.0


class HoldsFront(Protocol):
    """What a picture reads from a decision or a path.

    A decision also has the selected row's ``position`` and the mask ``candidates``; a path has the ``positions``
    selected at each α, and ``path``, indexed by α.
    """

    @property
    def matrix(self) -> ObjectiveMatrix:
        """Costs of all rows."""

    @property
    def front(self) -> np.ndarray:
        """Rows of `matrix` on the front of the candidates."""


@in_palette
@any_frame
@shared_parameters
def plot_front(
    result: pd.DataFrame | HoldsFront,
    *,
    x: Hashable | list[Hashable] | None = None,
    y: Hashable | list[Hashable] | None = None,
    normalize: str = "none",
    objectives: ObjectivesLike = None,
    log: Sequence[Hashable] | None = None,
    zoom: bool = False,
    labels: int | Sequence[Hashable] | Mapping[Hashable, object] = 12,
    key: bool = False,
    at: Sequence[float] = (),
    choice: Hashable = None,
    highlight: Sequence[Hashable] = (),
    colorbar: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
    point_kws: Mapping[str, Any] | None = None,
    front_kws: Mapping[str, Any] | None = None,
    selected_kws: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw all rows, the front, and what was selected.

    Parameters
    ----------
    result : DataFrame, Selection or Navigation
        A table, a decision, or a path: the selected rows are then colored by α, and the larger the more of the
        range of α they are selected for.
    x, y : label or list of labels, optional
        Objectives to draw; the first cost against the first benefit if omitted. With ``normalize="cdf"``, a list is
        drawn as one: rows are ranked by the worst of their ranks in these objectives.
    normalize : {"none", "cdf"}
        The objectives' own values, or their ranks û as "share of models that are better" (0 is best).
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    log : list of objectives, optional
        Objectives whose axis is logarithmic (for ``normalize="none"``); if omitted, those of positive values of which
        the largest is more than ten times the median.
    zoom : bool
        Whether to cut off the rows that are far from the front, so that a short front fills the axes.
    labels : int, list of row labels, or mapping of row label to text
        How many of the selected rows to name, those selected over the widest ranges of α first (and, of a front of no
        more rows than that, all of them); which rows to name; or what to write at which rows,
        such as numbers that a key explains.
    at : list of float
        For a path: values of α whose selected row gets a star.
    choice : row label, optional
        Row with a star and its name, in the color that a choice has in other figures.
    highlight : list of row labels
        Rows with their names, in the colors and with the marks that the runners-up have in other figures.
    colorbar : bool
        Whether a path gets a bar for α.
    %(palette)s
    %(ax)s
    point_kws, front_kws, selected_kws : mapping, optional
        Style of the other rows, the front and the selected rows, for ``Axes.scatter`` (and ``Axes.plot`` for
        the outline of a front in two objectives).

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown objective, normalization or row, or a table with one objective.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> from copa_nb import plots
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> ax = plots.plot_front(models, objectives={"accuracy": "max", "co2_kg": "min"})
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('CO₂ (kg) ↓', 'accuracy ↑')
    >>> plt.close(ax.figure)
    """
    checks.one_of("normalize", normalize, NORMALIZATIONS)
    ax = current_axes(ax)
    scene = _scene(result, objectives, x, y, normalize)
    _draw_rows(ax, scene, point_kws or {}, front_kws or {})
    _draw_selected(ax, scene, colorbar, selected_kws or {})
    _draw_stars(ax, scene, at)
    scene = _draw_named(ax, scene, choice, highlight)
    _label_axes(ax, scene, log)
    if zoom:
        _zoom(ax, scene)
    _draw_labels(ax, scene, labels, key)
    return ax


@describes(plot_front)
def _front_in_words(
    result: pd.DataFrame | HoldsFront, *, objectives: ObjectivesLike = None, at: Sequence[float] = (), **options: Any
) -> Picture:
    scene = _scene(result, objectives, options.get("x"), options.get("y"), options.get("normalize", "none"))
    n_front, total = int(scene.front.sum()), len(scene.points)
    across, up = (spoken(name) for name, _ in scene.drawn)
    allowed = int(scene.candidates.sum())
    caption = f"{total:,} rows (gray), {n_front:,} of them on the Pareto front (blue)."
    which = "Pareto-optimal rows"
    if allowed < total:
        caption = (
            f"{total:,} rows, of which the constraint allows {allowed:,} (filled); {n_front:,} of these are on their "
            "Pareto front (blue)."
        )
        which = "rows on the front of those allowed"
    caption += "".join(
        f" {spoken(name)} is on a logarithmic scale." for name in _logarithmic(scene, options.get("log"))
    )
    if scene.n_objectives > 2:
        caption = f"{scene.n_objectives} objectives, 2 shown. {caption}"
    alt = f"Scatter plot of {up} against {across}; the Pareto front is in color."
    if isinstance(result, pd.DataFrame):
        return Picture(
            finding=f"{n_front:,} of {total:,} rows are Pareto-optimal", caption=caption, alt=alt, data=result
        )
    if scene.importances is None:
        (best,) = names_of_rows(scene.frame, scene.labels[scene.selected])
        return Picture(
            finding=f"{best} is one of {n_front:,} {which}"
            if n_front > 1
            else f"{best} is the only {which.replace('rows', 'row', 1)}",
            caption=f"{caption} The star marks the selected row.",
            alt=f"{alt} The star marks {best}.",
            data=_drawn_rows(scene, result),
        )
    path: Any = result
    swept = spoken(path.objective)
    first, last = scene.importances[[0, -1]]
    starred = "The star marks the row" if len(at) == 1 else "Stars mark the rows"
    stars = f" {starred} selected at {listing(f'α = {alpha:g}' for alpha in at)}." if at else ""
    choice, others = options.get("choice"), list(map(label, options.get("highlight", ())))
    stars += "" if choice is None else f" The star marks {label(choice)}."
    stars += f" Smaller marks in color are the runners-up, {listing(others)}." if others else ""
    return Picture(
        finding=path.headline,
        caption=f"{caption} Diamonds mark the {path.n_distinct} selected as the weight α of {swept} goes from "
        f"{first:g} to {last:g}; the larger the diamond, the wider its range of α.{stars}"
        if path.n_distinct <= _MOST_STOPS
        else f"{caption} The line leads through the {path.n_distinct} selected as the weight α of {swept} goes from "
        f"{first:g} to {last:g}.{stars}",
        alt=f"{alt} {'Diamonds mark' if path.n_distinct <= _MOST_STOPS else 'A line shows'} the rows selected along α.",
        data=_drawn_rows(scene, result),
    )


def _drawn_rows(scene: _Scene, result: HoldsFront) -> pd.DataFrame:
    """Return the rows that are drawn with their values, whether they are allowed, on the front, and selected."""
    matrix = result.matrix
    names = pd.Index(matrix.objectives.names, dtype=object, tupleize_cols=False)
    values = pd.DataFrame(matrix.original(), index=scene.labels, columns=names)
    flags = {"allowed": scene.candidates, "front": scene.front}
    flags["selected"] = np.isin(np.arange(len(values)), scene.selected)
    new = {name: flag for name, flag in flags.items() if name not in values.columns}
    return values.assign(**new)


def staircase(
    points: np.ndarray, directions: Sequence[str], *, limits: Sequence[float] | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Outline of the region that a 2-D front dominates, as a step line that follows the directions.

    Parameters
    ----------
    points : ndarray, shape (n, 2)
        Values in their own units; dominated points are ignored.
    directions : sequence of two of {"max", "min"}
        Direction of each coordinate.
    limits : sequence of two float, optional
        Where the outline ends on the worse side of each axis, e.g. the reference point.

    Returns
    -------
    x, y : ndarray
        Corners of the outline, by ascending cost of the first coordinate.

    Examples
    --------
    >>> import numpy as np
    >>> from copa_nb import plots
    >>> x, y = plots.staircase(np.array([[1.0, 3.0], [2.0, 1.0]]), ["min", "min"], limits=[4.0, 4.0])
    >>> x, y
    (array([1., 1., 2., 2., 4.]), array([4., 3., 3., 1., 1.]))
    """
    signs = np.array([-1.0 if direction == "max" else 1.0 for direction in directions])
    costs = points * signs
    costs = costs[np.lexsort((costs[:, 1], costs[:, 0]))]
    # Sorted by the first cost, a row is on the front if its second is below all before it; the first row always is.
    before = np.minimum.accumulate(costs[:, 1])[:-1]
    costs = costs[np.concatenate(([True], costs[1:, 1] < before))]
    # Between two neighbors lies the inner corner: the next first cost, this second cost.
    first, second = np.repeat(costs[:, 0], 2)[1:], np.repeat(costs[:, 1], 2)[:-1]
    if limits is not None:
        worst = np.asarray(limits, dtype=float) * signs
        first, second = np.r_[first[0], first, worst[0]], np.r_[worst[1], second, second[-1]]
    return first * signs[0], second * signs[1]


@dataclass(frozen=True)
class _Scene:
    """What there is to draw, whichever result it came from: points of two objectives, and which rows they are."""

    points: np.ndarray
    drawn: list[tuple[Hashable, str]]
    normalize: str
    n_objectives: int
    labels: pd.Index
    front: np.ndarray
    candidates: np.ndarray
    selected: np.ndarray
    importances: np.ndarray | None
    frame: pd.DataFrame | None = None
    swept: Hashable = None
    named: np.ndarray = field(default_factory=lambda: np.empty(0, dtype=int))


def _scene(result: pd.DataFrame | HoldsFront, objectives: ObjectivesLike, x: Any, y: Any, normalize: str) -> _Scene:
    selected, importances, candidates, swept = np.empty(0, dtype=int), None, None, None
    if isinstance(result, pd.DataFrame):
        matrix, rows = matrix_with_front(result, objectives)
    else:
        matrix, rows, candidates = result.matrix, result.front, getattr(result, "candidates", result.matrix.candidates)
        path = getattr(result, "path", None)
        if path is None:
            selected = np.array([result.position])  # type: ignore[attr-defined]
        else:
            selected, importances = result.positions, path.index.to_numpy(dtype=float)  # type: ignore[attr-defined]
            swept = result.objective  # type: ignore[attr-defined]
    front = np.zeros(len(matrix.values), dtype=bool)
    front[rows] = True
    if len(matrix.objectives) < 2:
        raise ValueError("a front needs two objectives to be drawn; define another one.")
    columns = _drawn_groups(matrix.objectives, x, y, normalize)
    return _Scene(
        points=_points(matrix, columns, normalize),
        drawn=[_axis_of(matrix.objectives, group) for group in columns],
        normalize=normalize,
        n_objectives=len(matrix.objectives),
        labels=matrix.index,
        front=front,
        candidates=np.ones(len(front), dtype=bool) if candidates is None else candidates,
        selected=selected,
        importances=importances,
        frame=matrix.frame,
        swept=swept,
    )


def drawn_columns(objectives: Objectives, x: Hashable | None, y: Hashable | None) -> list[int]:
    """Columns of the two objectives to draw: those named, or the first cost against the first benefit.

    Without both, the first ones; of a single objective twice the same.
    """
    ways = [way for _, way in objectives.directions]
    up = None if y is None else objectives.position(y, "y")
    across = _first(ways, "min", [up]) if x is None else objectives.position(x, "x")
    return [across, _first(ways, "max", [across]) if up is None else up]


def _first(ways: Sequence[str], way: str, taken: Sequence[int | None]) -> int:
    """Return the first column with a direction that is not taken; else the first that is not; else the first."""
    free = [k for k in range(len(ways)) if k not in taken]
    return next((k for k in free if ways[k] == way), free[0] if free else 0)


def _drawn_groups(objectives: Objectives, x: Any, y: Any, normalize: str) -> list[list[int]]:
    """Columns of the objectives on either axis: one each, or several whose worst rank is drawn."""
    groups = {axis: given for axis, given in (("x", x), ("y", y)) if isinstance(given, list)}
    if groups and normalize != "cdf":
        axis, given = next(iter(groups.items()))
        raise ValueError(
            f'`{axis}` is {given!r}; several objectives can share an axis only as ranks; pass normalize="cdf".'
        )
    for axis, given in groups.items():
        if not given:
            raise ValueError(f"`{axis}` is an empty list; name an objective, or several.")
    columns = {axis: [objectives.position(name, axis) for name in given] for axis, given in groups.items()}
    single = drawn_columns(objectives, *(None if isinstance(given, list) else given for given in (x, y)))
    return [columns.get(axis, [k]) for axis, k in zip("xy", single, strict=True)]


def _axis_of(objectives: Objectives, group: list[int]) -> tuple[Hashable, str]:
    """Label of an axis, and which direction is better."""
    if len(group) == 1:
        return objectives.directions[group[0]]
    names = [spoken(objectives.names[k]) for k in group]
    weakest = f"the weakest of {len(names)}"
    return f"{weakest}: {listing(names)}" if len(names) <= _MOST_NAMED else f"{weakest} objectives", "min"


def _points(matrix: ObjectiveMatrix, columns: list[list[int]], normalize: str) -> np.ndarray:
    """Values in their own units, or the shares of rows that are better (û, equation 9 of COPA).

    The worst of several ranks is no share of rows until it is ranked, too: it is 0 only for a row that is best in all.
    """
    if normalize == "cdf":
        worst = [np.max([column_ranks(matrix.values[:, k]) for k in group], axis=0) for group in columns]
        return np.column_stack([column_ranks(ranks.astype(float)) / len(matrix.values) for ranks in worst])
    single = [k for (k,) in columns]
    points = matrix.original()[:, single]
    check_drawable(points, [matrix.objectives.names[k] for k in single], ', or use normalize="cdf"')
    return points


def _finite(points: np.ndarray) -> np.ndarray:
    return points[np.isfinite(points).all(axis=1)]


def _thinned(points: np.ndarray) -> np.ndarray:
    """Take evenly spaced rows of very many, and the outermost ones, so that the picture stays what it is."""
    step = -(-len(points) // _MOST_DRAWN)
    if step <= 1:
        return points
    outermost = np.concatenate([points.argmin(axis=0), points.argmax(axis=0)])
    return points[np.union1d(np.arange(0, len(points), step), outermost)]


def _draw_rows(ax: Axes, scene: _Scene, point_kws: Mapping[str, Any], front_kws: Mapping[str, Any]) -> None:
    points, many = scene.points, len(scene.points) > _MANY
    rest, excluded = ~scene.front & scene.candidates, ~scene.candidates
    base: dict[str, Any] = {"s": 9 if many else 22, "linewidths": 0, "color": DOMINATED, "alpha": 0.5 if many else 0.8,
                            "rasterized": many, "zorder": 2}  # fmt: skip
    ax.scatter(
        *_thinned(points[rest]).T, label=f"dominated ({int(rest.sum()):,})", **marker_looks({**base, **point_kws})
    )
    if excluded.any():
        hollow = {**base, "color": "none", "edgecolors": GRAY, "linewidths": 0.6}
        ax.scatter(
            *_thinned(points[excluded]).T,
            label=f"not allowed ({int(excluded.sum()):,})",
            **marker_looks({**hollow, **point_kws}),
        )
    crowded = scene.front.sum() > _CROWDED
    front_looks = {"s": 10 if crowded else 16 if many else 34, "linewidths": 0, "color": series_color(0),
                   "alpha": 0.55 if crowded else 1.0, "zorder": 3, **front_kws}  # fmt: skip
    # Ranks of 0 lie on the frame.
    front_drawn = ax.scatter(
        *_thinned(points[scene.front]).T,
        label=f"Pareto front ({int(scene.front.sum()):,})",
        **marker_looks(front_looks),
    )
    front_drawn.set_clip_on(scene.normalize != "cdf")
    finite = _finite(points[scene.front])
    if scene.n_objectives == 2 and scene.front.sum() > 1 and len(finite):
        ax.plot(*staircase(finite, _ways(scene)), color=front_looks["color"], lw=0.9, alpha=0.7, zorder=2.5)


def _draw_selected(ax: Axes, scene: _Scene, colorbar: bool, selected_kws: Mapping[str, Any]) -> None:
    if len(scene.selected) == 0:
        return
    if scene.importances is None:
        looks = {"s": 190, **chosen_looks(), "edgecolors": "white", "linewidths": 1.0,
                 "zorder": 5}  # fmt: skip
        star = ax.scatter(*scene.points[scene.selected].T, label="selected", **marker_looks({**looks, **selected_kws}))
        star.set_clip_on(scene.normalize != "cdf")
        return
    # Distinct rows in order of appearance, each with the mean α that it is selected for.
    rows = pd.unique(scene.selected)
    middle = [scene.importances[scene.selected == row].mean() for row in rows]
    shares = np.array([(scene.selected == row).mean() for row in rows])
    if len(rows) > _MOST_STOPS:
        drawn = _draw_stops_as_line(ax, scene.points[rows], middle)
    else:
        drawn = _draw_stops(ax, scene.points[rows], middle, shares, selected_kws)
    drawn.set_clip_on(scene.normalize != "cdf")
    if colorbar:
        ax.figure.colorbar(drawn, ax=ax, label=f"α, weight of {literal(spoken(scene.swept))}", pad=0.02, aspect=30)


def _draw_stops(
    ax: Axes, points: np.ndarray, middle: list[float], shares: np.ndarray, selected_kws: Mapping[str, Any]
) -> Any:
    """Draw the rows of a path as diamonds in the color of their α, the larger the longer they are selected."""
    looks = {"s": _SMALLEST + _GROWTH * shares, "c": middle, "cmap": map_of_importance(), "vmin": 0.0, "vmax": 1.0,
             "edgecolors": INK, "linewidths": 0.7, "marker": "D", "zorder": 5}  # fmt: skip
    return ax.scatter(*points.T, label=f"selected ({len(points)})", **marker_looks({**looks, **selected_kws}))


def _draw_stops_as_line(ax: Axes, points: np.ndarray, middle: list[float]) -> Any:
    """Draw the rows of a long path as one line in the colors of α, where diamonds would hide one another."""
    from matplotlib.collections import LineCollection

    parts = np.stack([points[:-1], points[1:]], axis=1)
    drawn = np.isfinite(parts).all(axis=(1, 2))
    line = LineCollection(list(parts[drawn]), cmap=map_of_importance(), linewidths=2.6, capstyle="round", zorder=5,
                          label=f"selected ({len(points)})")  # fmt: skip
    line.set_array(((np.array(middle)[1:] + np.array(middle)[:-1]) / 2)[drawn])
    line.set_clim(0.0, 1.0)
    ax.add_collection(line)
    return line


def _draw_stars(ax: Axes, scene: _Scene, at: Sequence[float]) -> None:
    for alpha in at:
        if scene.importances is None:
            raise ValueError("`at` gives values of α, which only a path has; leave it out.")
        row = scene.selected[np.abs(scene.importances - alpha).argmin()]
        x, y = scene.points[row]
        looks: dict[str, Any] = {**chosen_looks(), "s": 190, "edgecolors": "white", "zorder": 6}
        ax.scatter([x], [y], label=f"selected at α = {alpha:g}", **looks)


def _draw_named(ax: Axes, scene: _Scene, choice: Hashable, highlight: Sequence[Hashable]) -> _Scene:
    """Mark the choice with a star, and further rows; return a scene whose names begin with theirs."""
    named: list[tuple[str, Hashable, dict[str, Any]]] = []
    if choice is not None:
        named.append(("choice", choice, {**chosen_looks(), "s": 190, "zorder": 6}))
    for place, one in enumerate(highlight):
        looks = rival_looks(place)
        named.append(("highlight", one, {"color": looks["color"], "marker": looks["marker"], "s": 60, "zorder": 5.5}))
    rows = []
    for argument, one, looks in named:
        found = np.flatnonzero(scene.labels == one)
        if not len(found):
            nearest = checks.nearest(one, scene.labels)
            raise ValueError(f"`{argument}` names {one!r}, which is not in the index.{nearest}")
        ax.scatter(*scene.points[found[:1]].T, label=shorten(label(one)), edgecolors="white", linewidths=0.8, **looks)
        rows.append(int(found[0]))
    return replace(scene, named=np.array(rows, dtype=int))


def _logarithmic(scene: _Scene, log: Sequence[Hashable] | None) -> list[Hashable]:
    """Objectives on a logarithmic axis: those named, or those of which a linear one would show little but its end."""
    if scene.normalize == "cdf":
        return []
    names = [name for name, _ in scene.drawn]
    if log is not None:
        return [name for name in names if name in log]
    return [name for name, values in zip(names, scene.points.T, strict=True) if is_skewed(values)]


def _label_axes(ax: Axes, scene: _Scene, log: Sequence[Hashable] | None) -> None:
    logarithmic = _logarithmic(scene, log)
    for axis, (name, direction) in zip("xy", scene.drawn, strict=True):
        if scene.normalize == "cdf":
            # A long name would run beyond the height of a low figure.
            gap = "\n" if axis == "y" and len(str(name)) > _LONG_NAME else " "
            ax.set(**{f"{axis}label": f"share of rows better in{gap}{literal(spoken(name))} ↓", f"{axis}lim": (0, 1)})
            continue
        ax.set(**{f"{axis}label": directed_label(name, direction)})
        if name in logarithmic:
            plain_log(ax, axis)
    put_best_up_right(ax, *_ways(scene))


def _ways(scene: _Scene) -> list[str]:
    """Which values are good on either axis: of ranks, the small ones."""
    return ["min" if scene.normalize == "cdf" else direction for _, direction in scene.drawn]


def _zoom(ax: Axes, scene: _Scene) -> None:
    """Set the limits to the front and its surroundings, of which there are more on the worse side."""
    front = _finite(scene.points[scene.front])
    for axis, (_, direction), values in zip("xy", scene.drawn, front.T, strict=True):
        if scene.normalize == "cdf" or np.ptp(values) == 0:
            continue
        transform = getattr(ax, f"{axis}axis").get_transform()
        low, high = transform.transform(np.array([values.min(), values.max()]))
        better, worse = _BETTER_SIDE * (high - low), _WORSE_SIDE * (high - low)
        below, above = (better, worse) if direction == "min" else (worse, better)
        ax.set(**{f"{axis}lim": transform.inverted().transform(np.array([low - below, high + above]))})
    put_best_up_right(ax, *_ways(scene))


def name_rows(
    ax: Axes,
    result: HoldsFront,
    names: Mapping[Hashable, object],
    *,
    x: Any = None,
    y: Any = None,
    normalize: str = "none",
    **others: Any,
) -> None:
    """Write names at rows that :func:`plot_front` has drawn with the same options, once all panels are drawn."""
    _draw_labels(ax, _scene(result, others.get("objectives"), x, y, normalize), names, key=False)


def _draw_labels(
    ax: Axes, scene: _Scene, labels: int | Sequence[Hashable] | Mapping[Hashable, object], key: bool
) -> None:
    if isinstance(labels, int):
        rows, spans = np.unique(scene.selected, return_counts=True)
        rows = rows[np.argsort(-spans, kind="stable")[:labels]]
        rows = np.concatenate([scene.named, rows[~np.isin(rows, scene.named)]])[: max(labels, len(scene.named))]
        others = np.setdiff1d(np.flatnonzero(scene.front), rows)
        if len(scene.selected) and len(rows) + len(others) <= labels:
            rows = np.concatenate([rows, others])
    else:
        # In the order given, so that the numbers of a key are too.
        places = {label: place for place, label in enumerate(labels)}
        rows = np.flatnonzero(np.array([label in places for label in scene.labels], dtype=bool))
        rows = rows[np.argsort([places[label] for label in scene.labels[rows]], kind="stable")]
    points = scene.points
    rows = rows[np.isfinite(points[rows]).all(axis=1)]
    written = zip(scene.labels[rows], names_of_rows(scene.frame, scene.labels[rows]), strict=True)
    names = [labels.get(label, name) if isinstance(labels, Mapping) else name for label, name in written]
    figure = cast("Figure", ax.get_figure(root=True))
    if key:
        names = list(numbered(figure, names))
    elif isinstance(labels, int):
        names = numbered_where_narrow(figure, names)
    label_points(ax, points[rows, 0], points[rows, 1], names)


@offered_by(Hypervolume)
@in_palette
@shared_parameters
def plot_hypervolume(
    result: Hypervolume,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw a front, its reference point, and with two objectives the region between them.

    Parameters
    ----------
    result : Hypervolume
        Of ``df.moo.hypervolume()``, with two objectives or more.
    x, y : label, optional
        Objectives to draw; the first cost against the first benefit if omitted.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        With a single objective, or for an unknown one.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> points = pd.DataFrame({"cost": [1.0, 2.0, 3.0], "time": [1.0, 3.0, 0.5]})
    >>> ax = points.moo(cost="min", time="min").hypervolume(reference={"cost": 4, "time": 4}).plot()
    >>> ax.get_xlabel()
    'cost ↓'
    >>> plt.close(ax.figure)
    """
    if len(result.objectives) < 2:
        raise ValueError(f"a front needs two objectives to be drawn; this one has {listing(result.objectives.labels)}.")
    ax = current_axes(ax)
    columns = drawn_columns(result.objectives, x, y)
    drawn = [result.objectives.directions[k] for k in columns]
    counts, points = _within_reference(result), result.front.to_numpy(dtype=float)[:, columns]
    point = [result.reference[name] for name, _ in drawn]
    check_drawable(points, [name for name, _ in drawn])
    color = series_color(0)
    if len(result.objectives) == 2 and counts.any():
        across, up = staircase(points[counts], [direction for _, direction in drawn], limits=point)
        ax.fill([*across, point[0]], [*up, point[1]], color=color, alpha=0.15, linewidth=0, label="hypervolume")
        ax.plot(across, up, color=color, lw=0.9, alpha=0.7)
    looks: dict[str, Any] = {"s": 34, "linewidths": 0.8, "zorder": 3}
    ax.scatter(*points[counts].T, color=color, label=f"Pareto front ({len(points):,})", **looks)
    if not counts.all():
        name = f"beyond the reference point ({int((~counts).sum()):,})"
        ax.scatter(*points[~counts].T, facecolors="none", edgecolors=color, label=name, **looks)
    ax.scatter(point[0], point[1], marker="X", s=60, color=INK, zorder=4, clip_on=False, label="reference point")
    label_objectives(ax, *drawn)
    outer_legend(ax)
    return ax


def _within_reference(result: Hypervolume) -> np.ndarray:
    """Mark the rows of the front that are better than the reference point in every objective, and so count."""
    signs, point = result.objectives.signs, np.array([result.reference[name] for name in result.objectives.names])
    return (result.front.to_numpy(dtype=float) * signs < point * signs).all(axis=1)


@describes(plot_hypervolume)
def _hypervolume_in_words(result: Hypervolume, *, x: Hashable | None = None, y: Hashable | None = None) -> Picture:
    names = [spoken(result.objectives.names[k]) for k in drawn_columns(result.objectives, x, y)]
    point = ", ".join(f"{spoken(name)} = {number(value)}" for name, value in result.reference.items())
    lost = int((~_within_reference(result)).sum())
    two = len(result.objectives) == 2
    return Picture(
        finding=result.headline,
        caption=f"The Pareto front and the reference point ({point})"
        + (
            "; the hypervolume is the shaded area."
            if two
            else f", of whose {len(result.objectives)} objectives two "
            "are drawn; the hypervolume is a volume in all of them."
        )
        + f" Hollow rows ({lost:,}) are no better than the point in some objective and add nothing." * bool(lost),
        alt=f"The Pareto front of {listing(names)} and a reference point{', with the area between them' * two}.",
        data=result.front,
    )


@offered_by(Attainment)
@in_palette
@shared_parameters
def plot_attainment(
    result: Attainment,
    *,
    levels: Sequence[float] = LEVELS,
    systems: Sequence[Hashable] | None = None,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw attainment surfaces: what each share of a system's runs attains.

    Parameters
    ----------
    result : Attainment
        Of ``df.moo.attainment()``, with two objectives.
    levels : sequence of float
        Shares of the runs; the middle one is drawn as a full line, the space between the outer ones is shaded.
    systems : list of labels, optional
        Which systems; all of them if omitted.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        With other than two objectives, or for an unknown system or level.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"seed": [1, 1, 2, 2], "cost": [1.0, 2.0, 1.5, 3.0], "time": [3.0, 1.0, 2.0, 1.0]})
    >>> found = runs.assign(method="A").moo(cost="min", time="min", system="method", repeat="seed").attainment()
    >>> ax = found.plot()
    >>> plt.close(ax.figure)
    """
    names = result.objectives.names
    if len(names) != 2:
        raise ValueError(
            f"`result` has {len(names)} objectives; surfaces can be drawn for two only. Choose two of them."
        )
    ax = current_axes(ax)
    levels = sorted(map(float, levels))
    directions = ["min", "min"] if result.normalize == "cdf" else [result.objectives.direction(name) for name in names]
    signs = np.array([-1.0 if way == "max" else 1.0 for way in directions])
    limits = np.max([points.max(axis=0) for points in result.points.values()], axis=0) * signs
    for position, system in enumerate(result.points if systems is None else systems):
        color = series_color(position)
        outlines = [staircase(result.surface(system, level) * signs, directions, limits=limits) for level in levels]
        if len(outlines) > 1:
            ax.fill(*np.hstack([outlines[0], np.fliplr(outlines[-1])]), color=color, alpha=0.15, linewidth=0)
        for level, outline in zip(levels, outlines, strict=True):
            middle = level == levels[len(levels) // 2]
            style = LINESTYLES[position % len(LINESTYLES)] if middle else "-"
            name = f"{shorten(system)}: {level * 100:.0f}% of {result.n_runs(system)} runs" if middle else None
            ax.plot(*outline, color=color, linewidth=1.8 if middle else 0.7, linestyle=style, label=name)
    # Surfaces run to the ends of the axes, so that no line seems to stop at a value.
    ax.margins(0)
    unit = " (rank, 0 is best)" if result.normalize == "cdf" else ""
    ax.set(xlabel=directed_label(names[0], directions[0]) + unit, ylabel=directed_label(names[1], directions[1]) + unit)
    put_best_up_right(ax, *directions)
    ax.legend()
    return ax


@describes(plot_attainment)
def _attainment_in_words(
    result: Attainment, *, levels: Sequence[float] = LEVELS, systems: Sequence[Hashable] | None = None, **options: Any
) -> Picture:
    drawn = list(map(label, result.points if systems is None else systems))
    shares = sorted(map(float, levels))
    middle = shares[len(shares) // 2]
    names = listing(drawn if len(drawn) < 4 else [*drawn[:2], f"{len(drawn) - 2} more"])
    objectives = listing(map(spoken, result.objectives.names))
    outer = f" The shading goes from {percent(shares[0])} to {percent(shares[-1])}." if len(shares) > 1 else ""
    return Picture(
        finding=f"Fronts attained by {percent(middle)} of the runs of {names}",
        caption=f"Attainment surfaces in {objectives}. Each line bounds the region that {percent(middle)} of a "
        f"system's runs attain.{outer}",
        alt=f"Step lines of the attainment surfaces of {names} in {objectives}.",
        data=result.surfaces(shares),
    )
