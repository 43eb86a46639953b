"""Fronts on validation and on test data, and the gap between them, of one method or of two."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.answers import lost_on_test
from copa_nb.generalization.comparison import GapComparison
from copa_nb.generalization.printing import name_of_search
from copa_nb.generalization.result import Gap
from copa_nb.pareto.plots import drawn_columns, staircase
from copa_nb.plotting.axes import check_drawable, label_objectives, outer_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    in_palette,
    is_narrow,
    is_slim,
    literal,
    series_color,
)  # fmt: skip
from copa_nb.results.citing import of_paper
from copa_nb.results.note import NothingToShowError
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import say

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYERS = (
    "validation rows", "test rows", "hypothetical", "gap", "validation", "arrows", "test", "optimistic", "pessimistic",
)  # fmt: skip
_DEFAULT = ("gap", "validation", "arrows", "optimistic", "pessimistic")
# The first two series are left to the methods that are compared.
LOOKS: dict[str, dict[str, Any]] = {
    "hypothetical": {"color": "0.35", "linestyle": "-.", "marker": "", "linewidth": 1.1,
                     "label": "front of all rows on test"},
    "validation": {"series": 4, "linestyle": ":", "marker": "o", "label": "validation front"},
    "optimistic": {"series": 2, "linestyle": "-", "marker": "^", "label": "optimistic front on test"},
    "pessimistic": {"series": 3, "linestyle": "--", "marker": "v", "label": "pessimistic front on test"},
}  # fmt: skip
_IN_WORDS = {
    "validation rows": "all rows on validation",
    "test rows": "all rows on test",
    "hypothetical": "the front of all rows on test",
    "validation": "the validation front",
    "arrows": "arrows from its rows to their places on test",
    "test": "its rows on test",
    "optimistic": "the optimistic front on test",
    "pessimistic": "the pessimistic front on test",
}


@of_paper("feurer2023gap")
@offered_by(Gap)
@in_palette
@shared_parameters
def plot_gap(
    result: Gap,
    *,
    show: Sequence[str] = _DEFAULT,
    x: Hashable | None = None,
    y: Hashable | None = None,
    legend: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the validation front, the positions of its rows on test, and the gap between the two fronts there.

    Parameters
    ----------
    result : Gap
        From ``df.moo.gap()``.
    show : sequence of str
        What to draw, of: "validation" (its front), "arrows" (from each of its rows to its place on test),
        "test" (those places), "optimistic", "pessimistic", "gap" (the area between these two),
        "hypothetical" (front of all rows on test), "validation rows" and "test rows" (all rows there).
    x, y : label, optional
        Objectives to draw; the first cost against the first benefit if omitted. With more than two
        objectives the picture is a projection:
        points and arrows without outlines and area.
    legend : bool
        Whether to draw a legend.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown layer or objective, or a table with one objective.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs().query("model == 'linear model' and seed == 1337")
    >>> point = {"precision": 0, "recall": 0}
    >>> ax = runs.moo.gap(reference=point).plot()
    >>> ax.get_xlabel()
    'precision ↑'
    >>> plt.close(ax.figure)
    """
    if isinstance(show, str):
        raise TypeError(f"`show` is {show!r}; give a list of layers, e.g. {list(_DEFAULT)}.")
    for layer in show:
        checks.one_of("show", layer, LAYERS)
    ax = current_axes(ax)
    columns = _drawn_objectives(result, x, y)
    scores, fronts = result.scores, result.fronts
    test = scores.own_units(scores.test)[:, columns]
    validation = scores.own_units(scores.validation)[:, columns]
    for layer, points in (("validation rows", validation), ("test rows", test)):
        if layer in show:
            label = f"all rows on {layer.split()[0]}"
            ax.scatter(points[:, 0], points[:, 1], s=9, color=GRAY, alpha=0.8, linewidths=0, zorder=1.5, label=label)
    if "gap" in show:
        _shade_gap(ax, result, columns, color=series_color(3), alpha=0.22, label="approximation gap")
    for layer in LOOKS:
        if layer in show:
            points = validation if layer == "validation" else test
            _draw_outline(ax, result, points[getattr(fronts, layer)], columns, **_looks(layer))
    chosen = fronts.validation
    if "test" in show:
        looks: dict[str, Any] = {"s": 24, "color": INK, "zorder": 4, "linewidths": 0, "clip_on": False}
        whose = "its" if "validation" in show else "chosen"
        ax.scatter(test[chosen, 0], test[chosen, 1], label=f"{whose} rows on test", **looks)
    if "arrows" in show:
        _draw_arrows(ax, validation[chosen], test[chosen])
    _label_axes(ax, result, columns)
    if legend:
        outer_legend(ax)
    return ax


@describes(plot_gap)
def _gap_in_words(result: Gap, *, show: Sequence[str] = _DEFAULT, **options: Any) -> Picture:
    shown = text.listing(_IN_WORDS[layer] for layer in LAYERS if layer in show and layer != "gap")
    whose = f" ({name})" if (name := name_of_search(result)) else ""
    shaded = " The shaded area is the approximation gap." if "gap" in show else ""
    return Picture(
        finding=say(lost_on_test(len(result.dominated), len(result.validation_front))),
        caption=f"{shown[:1].upper()}{shown[1:]}{whose}.{shaded}",
        alt=f"{shown[:1].upper()}{shown[1:]}, in two objectives.{shaded}",
        data=result,
        narrow_height=4.8,
    )


@of_paper("feurer2023gap")
@offered_by(GapComparison)
@in_palette
@shared_parameters
def plot_gap_comparison(
    result: GapComparison,
    *,
    x: Any = None,
    y: Any = None,
    legend: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the optimistic and pessimistic fronts of both methods on test, each with its gap shaded.

    Parameters
    ----------
    result : GapComparison
        From :meth:`copa_nb.results.Gap.compare`.
    x, y : label, optional
        Objectives to draw; the first cost against the first benefit if omitted.
    legend : bool
        Whether to draw a legend.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown objective.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, copa_nb
    >>> from copa_nb import datasets
    >>> point = {"precision": 0, "recall": 0}
    >>> runs = datasets.load_german_credit_runs().query("seed == 1337")
    >>> gaps = runs.moo.by("model").gap(reference=point)
    >>> ax = gaps["random forest"].compare(gaps["linear model"]).plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    columns = _drawn_objectives(result.gaps[0], x, y)
    for number, (gap, name) in enumerate(zip(result.gaps, result.names, strict=True)):
        color = series_color(number)
        _shade_gap(ax, gap, columns, color=color, alpha=0.22)
        test = gap.scores.own_units(gap.scores.test)[:, columns]
        for which in ("optimistic", "pessimistic"):
            looks = {**_looks(which), "color": color, "label": f"{literal(name)}, {which}"}
            _draw_outline(ax, gap, test[getattr(gap.fronts, which)], columns, **looks)
    _label_axes(ax, result.gaps[0], columns)
    if legend:
        outer_legend(ax)
    return ax


@describes(plot_gap_comparison)
def _comparison_in_words(result: GapComparison, **options: Any) -> Picture:
    first, second = result.names
    chosen = text.listing(f"{len(gap.validation_front):,}" for gap in result.gaps)
    return Picture(
        finding=result.headline,
        caption=f"Optimistic and pessimistic fronts of {first} and {second} on test, of {chosen} rows that were chosen "
        "on validation. The shaded areas are their approximation gaps.",
        alt=f"Optimistic and pessimistic fronts of {first} and {second} on test, each with its gap shaded.",
        data=result,
        narrow_height=4.8,
    )


def _looks(layer: str) -> dict[str, Any]:
    looks = dict(LOOKS[layer])
    return {"color": series_color(looks.pop("series")), **looks} if "series" in looks else looks


def _draw_outline(ax: Axes, result: Gap, points: np.ndarray, columns: list[int], **looks: Any) -> None:
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
        ax.plot(*finite.T, **{**looks, "linestyle": "", "marker": looks["marker"] or "."}, ms=5, zorder=3)
        return
    # A front may run along the frame, where precision or recall is 1: half markers would look like other markers.
    handle: dict[str, Any] = {"linewidth": 1.6, **looks, "ms": 5}
    corners = _corners(result, finite, columns)
    if len(corners):
        ax.plot(*corners.T, **{**handle, "marker": "", "label": None}, zorder=2.8)
    ax.plot(*finite.T, **{**handle, "linestyle": "", "label": None}, zorder=3, clip_on=False)
    ax.plot([], [], **handle)


def _shade_gap(ax: Axes, result: Gap, columns: list[int], **looks: Any) -> None:
    """Fill the area that the optimistic front dominates and the pessimistic front does not.

    Parameters
    ----------
    ax, result, columns
        See :func:`_draw_outline`.
    **looks
        For ``matplotlib.patches.PathPatch``.
    """
    if len(result.objectives) != 2:
        return
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    test = result.scores.own_units(result.scores.test)[:, columns]
    worst = _limits(result, columns)
    rings = []
    for mask, turn in ((result.fronts.optimistic, 1), (result.fronts.pessimistic, -1)):
        corners = _corners(result, test[mask & np.isfinite(test).all(axis=1)], columns)
        if len(corners):
            # The second ring runs the other way round, so that its inside is a hole in the first.
            rings.append(Path(np.vstack((corners, worst, corners[:1]))[::turn], closed=True))
    if rings:
        ax.add_patch(PathPatch(Path.make_compound_path(*rings), linewidth=0, zorder=1, **looks))


def _label_axes(ax: Axes, result: Gap, columns: list[int]) -> None:
    """Name both axes with the objectives' directions; those of shares go from 0 to 1."""
    across, up = (result.objectives.directions[column] for column in columns)
    shares = [_is_share(result, column) for column in columns]
    ticks = [0, 0.25, 0.5, 0.75, 1]
    if shares[0]:
        ax.set(xlim=(0, 1), xticks=ticks)
    if shares[1]:
        ax.set(ylim=(0, 1), yticks=ticks)
    label_objectives(ax, across, up)
    figure: Any = ax.get_figure(root=True)
    if all(shares) and (is_narrow(figure) or is_slim(ax)):
        ax.set_box_aspect(1)


def _is_share(result: Gap, column: int) -> bool:
    """Whether an objective is a share (all scores lie from 0 to 1) whose reference point is as bad or worse."""
    scores = [result.scores.own_units(costs)[:, column] for costs in (result.scores.validation, result.scores.test)]
    worst = 0 if result.objectives.directions[column][1] == "max" else 1
    within = all(values.min() >= 0 and values.max() <= 1 for values in scores if len(values))
    point = result.reference[result.objectives.names[column]]
    return within and (point <= worst if worst == 0 else point >= worst)


def _drawn_objectives(result: Gap, x: Hashable | None = None, y: Hashable | None = None) -> list[int]:
    """Columns of the two objectives to draw."""
    if len(result.objectives) < 2:
        raise NothingToShowError("A front needs two objectives to be drawn; this gap was measured in one.")
    columns = drawn_columns(result.objectives, x, y)
    for costs in (result.scores.validation, result.scores.test):
        check_drawable(costs[:, columns], [result.objectives.names[k] for k in columns])
    return columns


def _draw_arrows(ax: Axes, start: np.ndarray, end: np.ndarray) -> None:
    from copa_nb.plotting.arrows import SlightHead

    looks = {
        "arrowstyle": SlightHead(), "mutation_scale": 9, "color": "0.35", "lw": 0.8, "shrinkA": 2, "shrinkB": 2,
    }  # fmt: skip
    for tail, head in zip(start, end, strict=True):
        if np.isfinite([*tail, *head]).all() and not np.array_equal(tail, head):
            ax.annotate("", xy=tuple(head), xytext=tuple(tail), arrowprops=looks, zorder=3.5)


def _limits(result: Gap, columns: list[int]) -> list[float]:
    return [result.reference[result.objectives.names[k]] for k in columns]


def _corners(result: Gap, points: np.ndarray, columns: list[int]) -> np.ndarray:
    """Corners of what points dominate inside the reference point, shape (n, 2); none if no point lies inside."""
    signs, limits = result.objectives.signs[columns], _limits(result, columns)
    inside = points[(points * signs < np.array(limits) * signs).all(axis=1)]
    if not len(inside):
        return inside
    return np.column_stack(staircase(inside, [result.objectives.directions[k][1] for k in columns], limits=limits))
