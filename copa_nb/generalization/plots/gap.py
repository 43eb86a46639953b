"""How a front moves from validation to test, and the gap between what may be left of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks
from copa_nb.pareto.plots import staircase
from copa_nb.plotting.style import GREY, INK, PALETTE, better_arrow, current_axes, directed_label

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.generalization.gap_result import Gap

LAYERS = (
    "validation rows",
    "test rows",
    "hypothetical",
    "gap",
    "validation",
    "arrows",
    "test",
    "optimistic",
    "pessimistic",
)
_DEFAULT = ("gap", "validation", "arrows", "optimistic", "pessimistic")
LOOKS: dict[str, dict[str, Any]] = {
    "validation": {"color": PALETTE[1], "linestyle": ":", "marker": "o", "label": "validation front"},
    "optimistic": {"color": PALETTE[2], "linestyle": "-", "marker": "^", "label": "optimistic front on test"},
    "pessimistic": {"color": PALETTE[3], "linestyle": "--", "marker": "v", "label": "pessimistic front on test"},
    "hypothetical": {
        "color": "0.35",
        "linestyle": "-.",
        "marker": "",
        "linewidth": 1.1,
        "label": "hypothetical front of all rows on test",
    },
}


def plot_gap(
    result: Gap,
    *,
    show: Sequence[str] = _DEFAULT,
    x: Hashable | None = None,
    y: Hashable | None = None,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the validation front, where its rows land on test, and the gap between the two fronts there.

    Parameters
    ----------
    result : Gap
        From :func:`copa_nb.gap`.
    show : sequence of str
        What to draw, of: "validation" (its front), "arrows" (from each of its rows to its place on test),
        "test" (those places), "optimistic", "pessimistic", "gap" (the area between these two),
        "hypothetical" (front of all rows on test), "validation rows" and "test rows" (all rows there).
    x, y : label, optional
        Objectives to draw; the first two if omitted. With more than two objectives the picture is a projection:
        points and arrows without outlines and area.
    legend : bool
        Whether to draw a legend.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown layer or objective, or a table with one objective.
    """
    if isinstance(show, str):
        raise TypeError(f"`show` is {show!r}; give a list of layers, e.g. {list(_DEFAULT)}.")
    for layer in show:
        checks.one_of("show", layer, LAYERS)
    ax = current_axes(ax)
    columns = drawn_objectives(result, x, y)
    scores, fronts = result.scores, result.fronts
    test = scores.own_units(scores.test)[:, columns]
    validation = scores.own_units(scores.validation)[:, columns]
    for layer, points in (("validation rows", validation), ("test rows", test)):
        if layer in show:
            label = f"all rows on {layer.split()[0]}"
            ax.scatter(points[:, 0], points[:, 1], s=9, color=GREY, alpha=0.5, linewidths=0, zorder=1.5, label=label)
    if "gap" in show:
        shade_gap(ax, result, columns, color=PALETTE[3], alpha=0.22, label="approximation gap")
    masks = {
        "hypothetical": (test, fronts.hypothetical),
        "validation": (validation, fronts.validation),
        "optimistic": (test, fronts.optimistic),
        "pessimistic": (test, fronts.pessimistic),
    }
    for layer, (points, mask) in masks.items():
        if layer in show:
            draw_outline(ax, result, points[mask], columns, **LOOKS[layer])
    chosen = fronts.validation
    if "test" in show:
        ax.scatter(test[chosen, 0], test[chosen, 1], s=24, color=INK, zorder=4, linewidths=0, label="its rows on test")
    if "arrows" in show:
        _draw_arrows(ax, validation[chosen], test[chosen])
    label_axes(ax, result, columns)
    if legend:
        ax.legend(fontsize="x-small", frameon=True, framealpha=0.8, edgecolor="none")
    return ax


def draw_outline(ax: Axes, result: Gap, points: np.ndarray, columns: list[int], **looks: Any) -> None:
    """Draw the points of a front and, with two objectives, the outline of what they dominate.

    Parameters
    ----------
    ax : Axes
        Where to draw.
    result : Gap
        Whose objectives and reference point count.
    points : ndarray, shape (n, 2)
        The front, in the objectives' own units.
    columns : list of two int
        Objectives on the axes.
    **looks
        ``color``, ``linestyle``, ``marker``, ``label``.
    """
    finite = points[np.isfinite(points).all(axis=1)]
    if len(result.objectives) != 2:
        ax.plot(*finite.T, **{**looks, "linestyle": ""}, ms=5, zorder=3)
        return
    inside = finite[_inside(result, finite, columns)]
    handle: dict[str, Any] = {"linewidth": 1.6, **looks, "ms": 5}
    if len(inside):
        directions, limits = _directions(result, columns), _limits(result, columns)
        ax.plot(*staircase(inside, directions, limits=limits), **{**handle, "marker": "", "label": None}, zorder=2.8)
    ax.plot(*finite.T, **{**handle, "linestyle": "", "label": None}, zorder=3)
    ax.plot([], [], **handle)


def shade_gap(ax: Axes, result: Gap, columns: list[int], **looks: Any) -> None:
    """Fill the area that the optimistic front dominates and the pessimistic front does not.

    Parameters
    ----------
    ax, result, columns
        See :func:`draw_outline`.
    **looks
        For ``matplotlib.patches.PathPatch``.
    """
    if len(result.objectives) != 2:
        return
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    test = result.scores.own_units(result.scores.test)[:, columns]
    rings = []
    for mask, turn in ((result.fronts.optimistic, 1), (result.fronts.pessimistic, -1)):
        points = test[mask & np.isfinite(test).all(axis=1)]
        points = points[_inside(result, points, columns)]
        if len(points):
            corners = np.column_stack(staircase(points, _directions(result, columns), limits=_limits(result, columns)))
            # The second ring runs the other way round, so that its inside is a hole in the first.
            rings.append(Path(np.vstack((corners, _limits(result, columns), corners[:1]))[::turn], closed=True))
    if rings:
        ax.add_patch(PathPatch(Path.make_compound_path(*rings), linewidth=0, zorder=1, **looks))


def label_axes(ax: Axes, result: Gap, columns: list[int]) -> None:
    """Name both axes with the objectives' directions."""
    for axis, column in zip("xy", columns, strict=True):
        name, direction = result.objectives.directions[column]
        getattr(ax, f"set_{axis}label")(directed_label(name, direction))
        better_arrow(ax, axis, direction)


def drawn_objectives(result: Gap, x: Hashable | None = None, y: Hashable | None = None) -> list[int]:
    """Columns of the two objectives to draw."""
    if len(result.objectives) < 2:
        raise ValueError("a front needs two objectives to be drawn; this gap was measured in one.")
    first = 0 if x is None else result.objectives.position(x, "x")
    rest = [k for k in range(len(result.objectives)) if k != first]
    return [first, rest[0] if y is None else result.objectives.position(y, "y")]


def _draw_arrows(ax: Axes, start: np.ndarray, end: np.ndarray) -> None:
    for tail, head in zip(start, end, strict=True):
        if np.isfinite([*tail, *head]).all() and not np.array_equal(tail, head):
            ax.annotate(
                "",
                xy=tuple(head),
                xytext=tuple(tail),
                arrowprops={"arrowstyle": "-|>", "color": "0.35", "lw": 0.8, "shrinkA": 2, "shrinkB": 2},
                zorder=3.5,
            )


def _directions(result: Gap, columns: list[int]) -> list[str]:
    return [result.objectives.directions[k][1] for k in columns]


def _limits(result: Gap, columns: list[int]) -> list[float]:
    return [result.reference[result.objectives.names[k]] for k in columns]


def _inside(result: Gap, points: np.ndarray, columns: list[int]) -> np.ndarray:
    signs = result.objectives.signs[columns]
    inside: np.ndarray = (points * signs < np.array(_limits(result, columns)) * signs).all(axis=1)
    return inside
