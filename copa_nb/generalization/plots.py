"""Pictures of gaps, budgets, repetitions and comparisons."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.budgets import GapBudgets
from copa_nb.generalization.comparison import GapComparison, RepeatedComparison
from copa_nb.generalization.gap import COUNTS, Gap, GapRepeats, repetitions_text
from copa_nb.generalization.overtuning import Overtuning
from copa_nb.pareto.plots import drawn_columns, staircase
from copa_nb.plotting.axes import check_drawable, plain_log
from copa_nb.plotting.style import (
    GREY,
    INK,
    LINESTYLES,
    PALETTE,
    current_axes,
    directed_label,
    is_narrow,
    literal,
    shorten,
)  # fmt: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes

LAYERS = (
    "validation rows", "test rows", "hypothetical", "gap", "validation", "arrows", "test", "optimistic", "pessimistic",
)  # fmt: skip
_DEFAULT = ("gap", "validation", "arrows", "optimistic", "pessimistic")
# The first two colours are left to the methods that are compared.
LOOKS: dict[str, dict[str, Any]] = {
    "hypothetical": {"color": "0.35", "linestyle": "-.", "marker": "", "linewidth": 1.1,
                     "label": "front of all rows on test"},
    "validation": {"color": PALETTE[4], "linestyle": ":", "marker": "o", "label": "validation front"},
    "optimistic": {"color": PALETTE[2], "linestyle": "-", "marker": "^", "label": "optimistic front on test"},
    "pessimistic": {"color": PALETTE[3], "linestyle": "--", "marker": "v", "label": "pessimistic front on test"},
}  # fmt: skip
# Above so many repetitions, a histogram takes the place of dots.
_FEW = 40
_BAND = (0.1, 0.9)
_SMALL_LEGEND: dict[str, Any] = {"fontsize": "small", "frameon": True, "framealpha": 0.8, "edgecolor": "none"}
_AXIS_LABELS = {
    "gap": "approximation gap ↓",
    "relative_gap": "gap as a share of the optimistic hypervolume ↓",
    "hv_validation": "validation hypervolume ↑",
    "hv_optimistic": "optimistic hypervolume on test ↑",
    "hv_pessimistic": "pessimistic hypervolume on test ↑",
    "overestimation": "optimism: validation minus optimistic hypervolume",
}


@shared_parameters
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
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> ax = plot_gap(runs.moo.gap(**options))
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
            ax.scatter(points[:, 0], points[:, 1], s=9, color=GREY, alpha=0.5, linewidths=0, zorder=1.5, label=label)
    if "gap" in show:
        _shade_gap(ax, result, columns, color=PALETTE[3], alpha=0.22, label="approximation gap")
    for layer, of_layer in LOOKS.items():
        if layer in show:
            points = validation if layer == "validation" else test
            _draw_outline(ax, result, points[getattr(fronts, layer)], columns, **of_layer)
    chosen = fronts.validation
    if "test" in show:
        looks: dict[str, Any] = {"s": 24, "color": INK, "zorder": 4, "linewidths": 0, "clip_on": False}
        ax.scatter(test[chosen, 0], test[chosen, 1], label="its rows on test", **looks)
    if "arrows" in show:
        _draw_arrows(ax, validation[chosen], test[chosen])
    _label_axes(ax, result, columns)
    if legend:
        ax.legend(**_SMALL_LEGEND)
    return ax


@shared_parameters
def plot_gap_budget(
    result: GapBudgets,
    *,
    quantity: str = "hypervolume",
    log: bool = False,
    marks: bool = True,
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw how hypervolumes, or the gap, develop over the evaluations.

    Parameters
    ----------
    result : GapBudgets
        From :func:`copa_nb.gap_budgets`.
    quantity : {"hypervolume", "gap"}
        "hypervolume": validation as a dotted line, and the area between pessimistic and optimistic as a band,
        means over the repetitions. "gap": the gap; with repetitions its mean, and a band from the 10 % to the
        90 % quantile.
    log : bool
        Whether evaluations are on a logarithmic axis.
    marks : bool
        Whether thin lines mark the budgets of the table.
    legend : bool
        Whether to draw a legend.
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown quantity.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs().query("model == 'linear model' and seed == 1337")
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> ax = plot_gap_budget(runs.moo.gap_budgets([100, 200], **options), quantity="gap")
    >>> plt.close(ax.figure)
    """
    checks.one_of("quantity", quantity, ("hypervolume", "gap"))
    ax = current_axes(ax)
    for name, curves, color, line in _groups(result.curves, result.by):
        if quantity == "hypervolume":
            _draw_hypervolumes(ax, curves, name, color)
        else:
            _draw_gap(ax, curves, name, color, line)
    if marks:
        for budget in result.budgets:
            ax.axvline(budget, color="0.75", lw=0.7, zorder=0.5)
    mean = "\n(mean over the repetitions)" if result.repeat else ""
    ax.set_ylabel(("hypervolume ↑" if quantity == "hypervolume" else "approximation gap ↓") + mean)
    return _along_evaluations(ax, log, legend)


def _groups(curves: pd.DataFrame, by: list[Hashable]) -> Iterator[tuple[str, pd.DataFrame, str, Any]]:
    """Name, rows, colour and line of each group; a single one has no name."""
    parts: Iterable[Any] = curves.groupby(by, sort=False, observed=True) if by else [("", curves)]
    for number, (label, part) in enumerate(parts):
        color, line = PALETTE[number % len(PALETTE)], LINESTYLES[number % len(LINESTYLES)]
        yield literal(text.label(label)), part, color, line


def _along_evaluations(ax: Axes, log: bool, legend: bool) -> Axes:
    if log:
        plain_log(ax, "x")
    ax.set_xlabel("evaluated configurations")
    if legend:
        ax.legend(fontsize="small")
    return ax


@shared_parameters
def plot_overtuning(result: Overtuning, *, log: bool = False, legend: bool = True, ax: Axes | None = None) -> Axes:
    """Draw what a search promises, what its incumbents are worth on test, and what is lost.

    Parameters
    ----------
    result : Overtuning
        From :func:`copa_nb.overtuning`.
    log : bool
        Whether evaluations are on a logarithmic axis.
    legend : bool
        Whether to draw a legend.
    %(ax)s

    Returns
    -------
    Axes
        Of a single run, validation and test along the search, with what is lost as an area. Of several, the overtuning:
        its mean over the repetitions, and a band from the 10 % to the 90 % quantile.

    Raises
    ------
    ValueError
        For values too large to be drawn.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs().query("model == 'linear model' and seed == 1337")
    >>> ax = plot_overtuning(runs.moo.overtuning(objectives={"precision": "max"}))
    >>> plt.close(ax.figure)
    """
    curves = result.table[["validation", "best", "test"]].to_numpy()
    check_drawable(curves, [result.measured] * curves.shape[1])
    ax = current_axes(ax)
    steps: dict[str, Any] = {"drawstyle": "steps-post"}
    if not (result.by or result.repeat):
        table = result.table.set_index("evaluations")
        ax.plot(table["validation"], color=PALETTE[4], ls=":", lw=1.6, label="on validation", **steps)
        ax.plot(table["best"], color=PALETTE[2], ls="--", lw=1.3, label="on test, best so far", **steps)
        ax.plot(table["test"], color=PALETTE[0], lw=1.6, label="on test", **steps)
        ax.fill_between(
            table.index, table["test"], table["best"], step="post", color=PALETTE[3], alpha=0.25, linewidth=0,
            label="overtuning",
        )  # fmt: skip
        direction = "max" if result.reference else result.objectives.directions[0][1]
        ax.set_ylabel(directed_label(result.measured, direction))
    else:
        for name, part, color, line in _groups(result.table, result.by):
            _draw_gap(ax, part, name, color, line, quantity="overtuning")
        mean = " (mean over the runs)" if result.repeat else ""
        ax.set_ylabel(f"overtuning, {literal(result.measured)} ↓{mean}")
        ax.set_ylim(bottom=0)
    return _along_evaluations(ax, log, legend and bool(result.by or not result.repeat))


def _draw_hypervolumes(ax: Axes, curves: pd.DataFrame, name: str, color: str) -> None:
    mean = curves.groupby("evaluations")[["validation", "pessimistic", "optimistic"]].mean()
    steps: dict[str, Any] = {"drawstyle": "steps-post", "color": color}
    lead = f"{name}, " if name else ""
    ax.plot(mean["validation"], linestyle=":", lw=1.6, label=f"{lead}validation", **steps)
    ax.plot(mean["optimistic"], linestyle="-", lw=1.3, label=f"{lead}test, optimistic", **steps)
    ax.plot(mean["pessimistic"], linestyle="--", lw=1.3, label=f"{lead}test, pessimistic", **steps)
    ax.fill_between(
        mean.index, mean["pessimistic"], mean["optimistic"], step="post", color=color, alpha=0.18, linewidth=0
    )


def _draw_gap(ax: Axes, curves: pd.DataFrame, name: str, color: str, line: Any, quantity: str = "gap") -> None:
    by_budget = curves.groupby("evaluations")[quantity]
    mean = by_budget.mean()
    ax.plot(mean, drawstyle="steps-post", color=color, linestyle=line, lw=1.6, label=name or quantity)
    if by_budget.size().max() > 1:
        low, high = (by_budget.quantile(q) for q in _BAND)
        ax.fill_between(mean.index, low, high, step="post", color=color, alpha=0.15, linewidth=0)


@shared_parameters
def plot_gap_repeats(
    result: GapRepeats,
    *,
    quantity: str = "gap",
    level: float = 0.95,
    resplit_ratio: float = 0.0,
    bins: int | Sequence[float] | str = "auto",
    color: str = PALETTE[0],
    legend: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw the values of all repetitions, their mean (or the estimate) and its confidence interval.

    Parameters
    ----------
    result : GapRepeats
        From :func:`copa_nb.gap` with ``repeat=``, or from :func:`copa_nb.gap_bootstrap`.
    quantity : str
        A column of ``result.table``.
    level : float
        Confidence level of the interval.
    resplit_ratio : float
        Rows in test over rows in training, where repetitions split the same rows again: the interval is widened
        as in :meth:`copa_nb.GapRepeats.interval`.
    bins : int, sequence of float or str
        Bins of the histogram, as for ``Axes.hist``; give several panels the same edges.
    color : str
        Colour of the dots or the histogram.
    legend : bool
        Whether to draw a legend.
    %(ax)s

    Returns
    -------
    Axes
        Dots for up to 40 repetitions, a histogram beyond.

    Raises
    ------
    ValueError
        For a quantity that is not a column of ``result.table``.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs().query("model == 'linear model'")
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> ax = plot_gap_repeats(runs.moo.gap(repeat="seed", **options))
    >>> plt.close(ax.figure)
    """
    checks.one_of("quantity", quantity, list(result.table.columns))
    ax = current_axes(ax)
    values = result.table[quantity].to_numpy(dtype=float)
    bootstrap = result.kind == "bootstrap"
    low, high = result.interval(quantity, level=level, resplit_ratio=resplit_ratio)
    if len(values) > _FEW:
        ax.hist(values, bins=cast(Any, bins), color=color, alpha=0.6, linewidth=0)
        ax.set_ylabel("resamples" if bootstrap else "repetitions")
    else:
        ax.scatter(values, np.arange(1, len(values) + 1), s=34, color=color, zorder=3)
        ax.set_yticks(np.arange(1, len(values) + 1), [shorten(text.label(label)) for label in result.table.index])
        ax.set_ylabel("repetition")
        ax.set_ylim(0.3, len(values) + 0.7)
    centre = float(result.estimate.summary[quantity]) if result.estimate is not None else float(values.mean())
    ax.axvline(centre, color=INK, lw=1.6, label="on the test set as it is" if bootstrap else "mean")
    if not math.isnan(low):
        what = "of the draws" if bootstrap and quantity in COUNTS else "interval"
        ax.axvspan(low, high, color=GREY, alpha=0.25, linewidth=0, zorder=0.5, label=f"{100 * level:g} % {what}")
    ax.set_xlabel(_AXIS_LABELS.get(quantity, literal(quantity)))
    if legend:
        ax.legend(fontsize="small")
    return ax


@shared_parameters
def plot_gap_comparison(
    result: GapComparison, *, x: Any = None, y: Any = None, legend: bool = True, ax: Axes | None = None
) -> Axes:
    """Draw the optimistic and pessimistic fronts of both methods on test, each with its gap shaded.

    Parameters
    ----------
    result : GapComparison
        From :func:`copa_nb.compare_gaps`.
    x, y : label, optional
        Objectives to draw; the first two if omitted.
    legend : bool
        Whether to draw a legend.
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
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> runs = datasets.load_german_credit_runs().query("seed == 1337")
    >>> gaps = {name: part.moo.gap(**options) for name, part in runs.groupby("model")}
    >>> ax = plot_gap_comparison(copa_nb.compare_gaps(*gaps.values(), names=tuple(gaps)))
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    columns = _drawn_objectives(result.gaps[0], x, y)
    for gap, name, color in zip(result.gaps, result.names, PALETTE, strict=False):
        _shade_gap(ax, gap, columns, color=color, alpha=0.22)
        test = gap.scores.own_units(gap.scores.test)[:, columns]
        for which in ("optimistic", "pessimistic"):
            looks = {**LOOKS[which], "color": color, "label": f"{literal(name)}, {which}"}
            _draw_outline(ax, gap, test[getattr(gap.fronts, which)], columns, **looks)
    _label_axes(ax, result.gaps[0], columns)
    if legend:
        ax.legend(**_SMALL_LEGEND)
    return ax


@shared_parameters
def plot_verdicts(result: RepeatedComparison, *, legend: bool = True, ax: Axes | None = None) -> Axes:
    """Draw, for each criterion, the share of the repetitions in which each method is the better one.

    Over resamples of a test set these are bootstrap selection frequencies, not probabilities.

    Parameters
    ----------
    result : RepeatedComparison
        From :func:`copa_nb.compare_gaps` of repeated gaps.
    legend : bool
        Whether to draw a legend.
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, copa_nb
    >>> from copa_nb import datasets
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> runs = datasets.load_german_credit_runs()
    >>> gaps = {name: part.moo.gap(repeat="seed", **options) for name, part in runs.groupby("model")}
    >>> ax = plot_verdicts(copa_nb.compare_gaps(*gaps.values(), names=tuple(gaps)))
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    shares = result.table.iloc[::-1]
    starts, rows = np.zeros(len(shares)), np.arange(len(shares))
    # A number has to fit above its part of the bar.
    least = 0.15 if is_narrow(ax.get_figure(root=True)) else 0.08
    for column, color, hatch in zip(shares, (PALETTE[0], PALETTE[1], GREY), ("", "//", ""), strict=True):
        bars = ax.barh(
            rows, shares[column], left=starts, height=0.55, label=literal(column), color=color, hatch=hatch,
            edgecolor="white", alpha=0.45 if color == GREY else None,
        )  # fmt: skip
        for bar, share in zip(bars, shares[column], strict=True):
            if share >= least:
                above = (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height())
                ax.annotate(f"{100 * share:.0f} %", above, xytext=(0, 1), textcoords="offset points", ha="center",
                            va="bottom", color=INK, fontsize="small")  # fmt: skip
        starts = starts + shares[column].to_numpy()
    ax.set_yticks(rows, list(shares.index))
    ax.set_ylim(-0.5, rows[-1] + 0.7)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f} %")
    share = "selection frequency over" if result.kind == "bootstrap" else "share of"
    ax.set_xlabel(f"{share} the {len(result.comparisons):,} {repetitions_text(result.kind)}")
    ax.grid(axis="y", visible=False)
    if legend:
        sizes: Any = {"fontsize": "small", "title_fontsize": "small"}
        columns = 1 if is_narrow(ax.get_figure(root=True)) else 3
        ax.legend(title="better", loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, alignment="left", **sizes)
    return ax


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
    """Name both axes with the objectives' directions."""
    across, up = (directed_label(*result.objectives.directions[column]) for column in columns)
    ax.set(xlabel=across, ylabel=up)


def _drawn_objectives(result: Gap, x: Hashable | None = None, y: Hashable | None = None) -> list[int]:
    """Columns of the two objectives to draw."""
    if len(result.objectives) < 2:
        raise ValueError("a front needs two objectives to be drawn; this gap was measured in one.")
    columns = drawn_columns(result.objectives, x, y)
    for costs in (result.scores.validation, result.scores.test):
        check_drawable(costs[:, columns], [result.objectives.names[k] for k in columns])
    return columns


def _draw_arrows(ax: Axes, start: np.ndarray, end: np.ndarray) -> None:
    looks = {"arrowstyle": "-|>", "color": "0.35", "lw": 0.8, "shrinkA": 2, "shrinkB": 2}
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
