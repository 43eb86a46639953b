"""The Pareto front in two of its objectives, and attainment surfaces of repeated runs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike
from copa_nb.pareto.attainment import LEVELS, Attainment
from copa_nb.pareto.front import matrix_with_front
from copa_nb.plotting.axes import check_drawable, plain_log
from copa_nb.plotting.keys import numbered_where_narrow
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.style import (
    CONTINUOUS,
    GREY,
    INK,
    LINESTYLES,
    PALETTE,
    current_axes,
    directed_label,
    literal,
    shorten,
)
from copa_nb.sorting import column_ranks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

SCALES = ("raw", "cdf")
_MANY = 800
_MOST_DRAWN = 50_000  # of rows that would only cover one another
# Area of a selected row in square points: of one that is hardly ever selected, and what the whole range of α adds.
_SMALLEST, _GROWTH = 22.0, 120.0


class HoldsFront(Protocol):
    """What a picture reads from a decision or a path.

    A decision has the selected row's ``position`` and the mask ``candidates`` besides; a path has the ``positions``
    selected at each α, and ``path``, indexed by α.
    """

    @property
    def matrix(self) -> ObjectiveMatrix:
        """Costs of all rows."""

    @property
    def front(self) -> np.ndarray:
        """Rows of `matrix` on the front of the candidates."""


@any_frame
@shared_parameters
def plot_front(
    result: pd.DataFrame | HoldsFront,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    scale: str = "raw",
    objectives: ObjectivesLike = None,
    log: Sequence[Hashable] = (),
    labels: int | Sequence[Hashable] | Mapping[Hashable, object] = 8,
    at: Sequence[float] = (),
    colorbar: bool = True,
    ax: Axes | None = None,
    point_kws: Mapping[str, Any] | None = None,
    front_kws: Mapping[str, Any] | None = None,
    selected_kws: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw all rows, the front, and what was selected.

    Parameters
    ----------
    result : DataFrame, Selection or Navigation
        A table, a decision, or a path: the selected rows are then coloured by α, and the larger the more of the
        range of α they are selected for.
    x, y : label, optional
        Objectives to draw; the first two if omitted.
    scale : {"raw", "cdf"}
        The objectives' own values, or their ranks û as "share of models that are better" (0 is best).
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    log : list of objectives
        Objectives whose axis is logarithmic (for ``scale="raw"``).
    labels : int, list of row labels, or mapping of row label to text
        How many of the selected rows to name, those selected over the widest ranges of α first; which
        rows to name; or what to write at which rows, such as numbers that a key explains.
    at : list of float
        For a path: values of α whose selected row gets a star.
    colorbar : bool
        Whether a path gets a bar for α.
    %(ax)s
    point_kws, front_kws, selected_kws : mapping, optional
        Looks of the other rows, the front and the selected rows, for ``Axes.scatter`` (and ``Axes.plot`` for
        the outline of a front in two objectives).

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown objective or scale, or a table with one objective.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> ax = plot_front(models, objectives={"accuracy": "max", "co2_kg": "min"})
    >>> ax.get_xlabel()
    'accuracy ↑'
    >>> plt.close(ax.figure)
    """
    checks.one_of("scale", scale, SCALES)
    ax = current_axes(ax)
    scene = _scene(result, objectives, x, y, scale)
    _draw_rows(ax, scene, point_kws or {}, front_kws or {})
    _draw_selected(ax, scene, colorbar, selected_kws or {})
    _draw_stars(ax, scene, at)
    _label_axes(ax, scene, log)
    _draw_labels(ax, scene, labels)
    return ax


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
    >>> x, y = staircase(np.array([[1.0, 3.0], [2.0, 1.0]]), ["min", "min"], limits=[4.0, 4.0])
    >>> x, y
    (array([1., 1., 2., 2., 4.]), array([4., 3., 3., 1., 1.]))
    """
    signs = np.array([-1.0 if direction == "max" else 1.0 for direction in directions])
    costs = points * signs
    costs = costs[np.lexsort((costs[:, 1], costs[:, 0]))]
    # Sorted by the first cost, a row is on the front if its second is below all before it; the first row always is.
    before = np.minimum.accumulate(costs[:, 1])[:-1]
    costs = costs[np.concatenate(([True], costs[1:, 1] < before))]
    # Between two neighbours lies the inner corner: the next first cost, this second cost.
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
    scale: str
    two_only: bool
    labels: pd.Index
    front: np.ndarray
    candidates: np.ndarray
    selected: np.ndarray
    alphas: np.ndarray | None


def _scene(
    result: pd.DataFrame | HoldsFront, objectives: ObjectivesLike, x: Hashable | None, y: Hashable | None, scale: str
) -> _Scene:
    selected, alphas, candidates = np.empty(0, dtype=int), None, None
    if isinstance(result, pd.DataFrame):
        matrix, rows = matrix_with_front(result, objectives)
    else:
        matrix, rows, candidates = result.matrix, result.front, getattr(result, "candidates", None)
        path = getattr(result, "path", None)
        if path is None:
            selected = np.array([result.position])  # type: ignore[attr-defined]
        else:
            selected, alphas = result.positions, path.index.to_numpy(dtype=float)  # type: ignore[attr-defined]
    front = np.zeros(len(matrix.values), dtype=bool)
    front[rows] = True
    if len(matrix.objectives) < 2:
        raise ValueError("a front needs two objectives to be drawn; define another one.")
    columns = drawn_columns(matrix.objectives, x, y)
    return _Scene(
        points=_points(matrix, columns, scale),
        drawn=[matrix.objectives.directions[k] for k in columns],
        scale=scale,
        two_only=len(matrix.objectives) == 2,
        labels=matrix.index,
        front=front,
        candidates=np.ones(len(front), dtype=bool) if candidates is None else candidates,
        selected=selected,
        alphas=alphas,
    )


def drawn_columns(objectives: Objectives, x: Hashable | None, y: Hashable | None) -> list[int]:
    """Columns of the two objectives to draw: those named, or the first ones; of a single one twice."""
    first = 0 if x is None else objectives.position(x, "x")
    rest = [k for k in range(len(objectives)) if k != first] or [first]
    return [first, rest[0] if y is None else objectives.position(y, "y")]


def _points(matrix: ObjectiveMatrix, columns: list[int], scale: str) -> np.ndarray:
    """Values in their own units, or the shares of rows that are better (û, eq. 6 of the COPA paper)."""
    if scale == "cdf":
        return np.column_stack([column_ranks(matrix.values[:, k]) / len(matrix.values) for k in columns])
    points = matrix.original()[:, columns]
    check_drawable(points, [matrix.objectives.names[k] for k in columns], ', or use scale="cdf"')
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
    base: dict[str, Any] = {"s": 9 if many else 22, "linewidths": 0, "color": GREY, "alpha": 0.35 if many else 0.6,
                            "rasterized": many, "zorder": 2}  # fmt: skip
    ax.scatter(*_thinned(points[rest]).T, label=f"dominated ({int(rest.sum()):,})", **{**base, **point_kws})
    if excluded.any():
        hollow = {**base, "color": "none", "edgecolors": GREY, "linewidths": 0.6}
        ax.scatter(
            *_thinned(points[excluded]).T, label=f"not allowed ({int(excluded.sum()):,})", **{**hollow, **point_kws}
        )
    front_looks = {"s": 16 if many else 34, "linewidths": 0, "color": PALETTE[0], "zorder": 3, **front_kws}
    ax.scatter(*_thinned(points[scene.front]).T, label=f"Pareto front ({int(scene.front.sum()):,})", **front_looks)
    finite = _finite(points[scene.front])
    if scene.two_only and scene.front.sum() > 1 and len(finite):
        directions = ["min", "min"] if scene.scale == "cdf" else [direction for _, direction in scene.drawn]
        ax.plot(*staircase(finite, directions), color=front_looks["color"], lw=0.9, alpha=0.7, zorder=2.5)


def _draw_selected(ax: Axes, scene: _Scene, colorbar: bool, selected_kws: Mapping[str, Any]) -> None:
    if len(scene.selected) == 0:
        return
    if scene.alphas is None:
        looks = {"s": 130, "marker": "*", "color": PALETTE[1], "edgecolors": "white", "linewidths": 0.8, "zorder": 5}
        ax.scatter(*scene.points[scene.selected].T, label="selected", **{**looks, **selected_kws})
        return
    # Distinct rows in order of appearance, each with the mean α that it is selected for.
    rows = pd.unique(scene.selected)
    middle = [scene.alphas[scene.selected == row].mean() for row in rows]
    shares = np.array([(scene.selected == row).mean() for row in rows])
    looks = {"s": _SMALLEST + _GROWTH * shares, "c": middle, "cmap": CONTINUOUS, "vmin": 0.0, "vmax": 1.0,
             "edgecolors": INK, "linewidths": 0.7, "marker": "D", "zorder": 5}  # fmt: skip
    drawn = ax.scatter(*scene.points[rows].T, label=f"selected ({len(rows)})", **{**looks, **selected_kws})
    if colorbar:
        ax.figure.colorbar(drawn, ax=ax, label="α, weight of the swept objective", pad=0.02, aspect=30)


def _draw_stars(ax: Axes, scene: _Scene, at: Sequence[float]) -> None:
    for alpha in at:
        if scene.alphas is None:
            raise ValueError("`at` names values of α, which only a path has; leave it out.")
        row = scene.selected[np.abs(scene.alphas - alpha).argmin()]
        x, y = scene.points[row]
        looks: dict[str, Any] = {"s": 190, "marker": "*", "color": PALETTE[1], "edgecolors": "white", "zorder": 6}
        ax.scatter([x], [y], label=f"selected at α = {alpha:g}", **looks)


def _label_axes(ax: Axes, scene: _Scene, log: Sequence[Hashable]) -> None:
    for axis, (name, direction) in zip("xy", scene.drawn, strict=True):
        if scene.scale == "cdf":
            ax.set(**{f"{axis}label": f"share of rows better in {literal(name)} ↓", f"{axis}lim": (-0.03, 1.03)})
            continue
        ax.set(**{f"{axis}label": directed_label(name, direction)})
        if name in log:
            plain_log(ax, axis)


def _draw_labels(ax: Axes, scene: _Scene, labels: int | Sequence[Hashable] | Mapping[Hashable, object]) -> None:
    if isinstance(labels, int):
        rows, spans = np.unique(scene.selected, return_counts=True)
        rows = rows[np.argsort(-spans, kind="stable")[:labels]]
    else:
        wanted = set(labels)
        rows = np.flatnonzero(np.array([label in wanted for label in scene.labels], dtype=bool))
    points = scene.points
    rows = rows[np.isfinite(points[rows]).all(axis=1)]
    markers = _finite(points[pd.unique(scene.selected)])
    names = [labels.get(label, label) if isinstance(labels, Mapping) else label for label in scene.labels[rows]]
    if isinstance(labels, int):
        names = numbered_where_narrow(cast("Figure", ax.get_figure(root=True)), names)
    near: dict[str, Any] = {"avoid": _finite(_thinned(points)), "markers": markers, "fontsize": "small"}
    label_points(ax, points[rows, 0], points[rows, 1], names, **near)


@shared_parameters
def plot_attainment(
    result: Attainment,
    *,
    levels: Sequence[float] = LEVELS,
    systems: Sequence[Hashable] | None = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw attainment surfaces: what each share of a system's runs attains.

    Parameters
    ----------
    result : Attainment
        Of :func:`copa_nb.attainment`, with two objectives.
    levels : sequence of float
        Shares of the runs; the middle one is drawn as a full line, the space between the outer ones is shaded.
    systems : list of labels, optional
        Which systems; all of them if omitted.
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
    >>> found = runs.assign(method="A").moo(cost="min", time="min").attainment(system="method", seed="seed")
    >>> ax = plot_attainment(found)
    >>> plt.close(ax.figure)
    """
    names = result.objectives.names
    if len(names) != 2:
        raise ValueError(f"`result` has {len(names)} objectives; surfaces are drawn for two. Choose two of them.")
    ax = current_axes(ax)
    levels = sorted(map(float, levels))
    directions = ["min", "min"] if result.scale == "cdf" else [result.objectives.direction(name) for name in names]
    signs = np.array([-1.0 if way == "max" else 1.0 for way in directions])
    limits = np.max([points.max(axis=0) for points in result.points.values()], axis=0) * signs
    for position, system in enumerate(result.points if systems is None else systems):
        color = PALETTE[position % len(PALETTE)]
        outlines = [staircase(result.surface(system, level) * signs, directions, limits=limits) for level in levels]
        if len(outlines) > 1:
            ax.fill(*np.hstack([outlines[0], np.fliplr(outlines[-1])]), color=color, alpha=0.15, linewidth=0)
        for level, outline in zip(levels, outlines, strict=True):
            middle = level == levels[len(levels) // 2]
            style = LINESTYLES[position % len(LINESTYLES)] if middle else "-"
            name = f"{shorten(system)}: {level * 100:.0f} % of {result.n_runs(system)} runs" if middle else None
            ax.plot(*outline, color=color, linewidth=1.8 if middle else 0.7, linestyle=style, label=name)
    unit = " (rank, 0 is best)" if result.scale == "cdf" else ""
    ax.set(xlabel=directed_label(names[0], directions[0]) + unit, ylabel=directed_label(names[1], directions[1]) + unit)
    ax.legend()
    return ax
