"""Pictures of gaps, budgets, repetitions and comparisons."""

from __future__ import annotations

__all__ = [
    "plot_gap",
    "plot_gap_budget",
    "plot_gap_comparison",
    "plot_gap_repeats",
    "plot_gap_repeats_figure",
    "plot_overtuning",
    "plot_verdicts",
]

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from itertools import cycle
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
from copa_nb.plotting.axes import check_drawable, outer_legend, panels, plain_log, shared_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    LINESTYLES,
    PALETTE,
    current_axes,
    directed_label,
    is_narrow,
    literal,
    series_color,
    shorten,
)  # fmt: skip

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LAYERS = (
    "validation rows", "test rows", "hypothetical", "gap", "validation", "arrows", "test", "optimistic", "pessimistic",
)  # fmt: skip
_DEFAULT = ("gap", "validation", "arrows", "optimistic", "pessimistic")
# The first two colors are left to the methods that are compared.
LOOKS: dict[str, dict[str, Any]] = {
    "hypothetical": {"color": "0.35", "linestyle": "-.", "marker": "", "linewidth": 1.1,
                     "label": "front of all rows on test"},
    "validation": {"color": PALETTE[4], "linestyle": ":", "marker": "o", "label": "validation front"},
    "optimistic": {"color": PALETTE[2], "linestyle": "-", "marker": "^", "label": "optimistic front on test"},
    "pessimistic": {"color": PALETTE[3], "linestyle": "--", "marker": "v", "label": "pessimistic front on test"},
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
# Above this many repetitions, a histogram takes the place of dots.
_FEW = 40
_BAND = (0.1, 0.9)
_PANEL_HEIGHTS = (3.2, 1.95)  # inches of a panel of up to two, and of more
_IN_SENTENCES = {
    "gap": "approximation gap",
    "relative_gap": "gap as a share of the optimistic hypervolume",
    "hv_validation": "validation hypervolume",
    "hv_optimistic": "optimistic hypervolume on test",
    "hv_pessimistic": "pessimistic hypervolume on test",
    "hv_test": "hypervolume of the front of all rows on test",
    "overestimation": "optimism (validation minus optimistic hypervolume)",
}
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
    """Draw the validation front, the positions of its rows on test, and the gap between the two fronts there.

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
            ax.scatter(points[:, 0], points[:, 1], s=9, color=GRAY, alpha=0.5, linewidths=0, zorder=1.5, label=label)
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
        outer_legend(ax)
    return ax


@describes(plot_gap)
def _gap_in_words(result: Gap, *, show: Sequence[str] = _DEFAULT, **options: Any) -> Picture:
    chosen, lost = len(result.validation_front), len(result.dominated)
    are = "is" if lost == 1 else "are"
    shown = text.listing(_IN_WORDS[layer] for layer in LAYERS if layer in show and layer != "gap")
    shaded = " The shaded area is the approximation gap." if "gap" in show else ""
    return Picture(
        finding=f"{lost or 'None'} of the {chosen:,} rows on the validation front {are} dominated on test",
        caption=f"{shown[:1].upper()}{shown[1:]}.{shaded}",
        alt=f"{shown[:1].upper()}{shown[1:]}, in two objectives.{shaded}",
        data=result,
        narrow_height=4.8,
    )


@shared_parameters
def plot_gap_budget(
    result: GapBudgets,
    *,
    quantity: str = "hypervolume",
    log: bool = False,
    marks: bool = True,
    fit_from: int = 1,
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
        means over the repetitions. "gap": the gap; with repetitions its mean, and a band from the 10% to the
        90% quantile.
    log : bool
        Whether evaluations are on a logarithmic axis.
    marks : bool
        Whether thin lines mark the budgets of the table.
    fit_from : int
        The axis of hypervolumes fits the values from this number of evaluations on; the first few often lie far below.
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
    if not log:
        ax.set_xlim(left=0)
    if quantity == "gap":
        ax.set_ylim(bottom=0)
    elif checks.integer("fit_from", fit_from) > 1:
        _fit_from(ax, result, fit_from)
    _along_evaluations(ax, log, legend=False)
    if legend and (quantity == "hypervolume" or result.by):
        outer_legend(ax, columns=3 if quantity == "hypervolume" else 4, beside=False)
    return ax


def _fit_from(ax: Axes, result: GapBudgets, evaluations: int) -> None:
    """Fit the vertical axis to the mean curves from a number of evaluations on."""
    later = result.curves[result.curves["evaluations"] >= evaluations]
    if later.empty:
        longest = result.curves["evaluations"].max()
        raise ValueError(f"`fit_from` is {evaluations}, but the search has {longest:,} evaluations; give fewer.")
    shown = ["validation", "pessimistic", "optimistic"]
    mean = later.groupby([*result.by, "evaluations"], observed=True)[shown].mean()
    low, high = mean.min().min(), mean.max().max()
    if high > low:
        room = 0.05 * (high - low)
        ax.set_ylim(low - room, high + room)


@describes(plot_gap_budget)
def _budget_in_words(result: GapBudgets, *, quantity: str = "hypervolume", **options: Any) -> Picture:
    last = int(result.curves["evaluations"].max())
    final = result.curves[result.curves["evaluations"] == last]
    groups = final.groupby(result.by, sort=False, observed=True) if result.by else [("", final)]
    over = ", mean over the repetitions" if result.repeat else ""
    sizes = {text.label(name): float(part["gap"].mean()) for name, part in groups}
    named = text.listing(f"{text.number(size, 3)}{f' ({name})' * bool(name)}" for name, size in sizes.items())
    mean = "mean " if result.repeat else ""
    finding = f"After {last:,} evaluations, the {mean}approximation gap is {named}"
    if quantity == "gap":
        band = ", with a band from the 10% to the 90% quantile" if result.repeat else ""
        caption = f"Approximation gap against the number of evaluations{over}{band}."
        alt = f"Curves of the approximation gap from 1 to {last:,} evaluations."
    else:
        caption = (
            "Hypervolume of the validation front (dotted), and on test of its optimistic (solid) and pessimistic "
            f"(dashed) front, against the number of evaluations{over}. The band is the approximation gap."
        )
        if not result.repeat and (fall := _largest_fall(result)) > 0:
            caption += f" A single evaluation lowers the pessimistic hypervolume by up to {text.number(fall, 2)}."
        alt = f"Curves of the validation, optimistic and pessimistic hypervolume from 1 to {last:,} evaluations."
    return Picture(finding=finding, caption=caption, alt=alt, data=result.curves, height=3.6, narrow_height=4.4)


def _largest_fall(result: GapBudgets) -> float:
    """By how much one evaluation lowers the pessimistic hypervolume of a search at most."""
    curves = result.curves.groupby(result.by, observed=True) if result.by else result.curves
    return -float(curves["pessimistic"].diff().min())


def _groups(curves: pd.DataFrame, by: list[Hashable]) -> Iterator[tuple[str, pd.DataFrame, str, Any]]:
    """Name, rows, color and line of each group; a single one has no name."""
    parts: Iterable[Any] = curves.groupby(by, sort=False, observed=True) if by else [("", curves)]
    for number, (label, part) in enumerate(parts):
        color, line = series_color(number), LINESTYLES[number % len(LINESTYLES)]
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
    """Draw the validation and test scores of the incumbents of a search, and the overtuning.

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
        its mean over the repetitions, and a band from the 10% to the 90% quantile.

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


@describes(plot_overtuning)
def _overtuning_in_words(result: Overtuning, **options: Any) -> Picture:
    final, several = result.final, bool(result.by or result.repeat)
    lost = int((final["overtuning"] > 0).sum())
    single = text.number(float(final["overtuning"].iloc[0]), 3)
    return Picture(
        finding=f"{lost:,} of {len(final):,} runs end with overtuning"
        if several
        else f"The search ends with an overtuning of {single} in {text.spoken(result.measured)}",
        caption=f"Overtuning: how much worse the {text.spoken(result.measured)} on test is than that of an earlier "
        "incumbent. The line is the mean over the runs, the band spans the 10% to 90% quantiles."
        if several
        else f"The incumbent's {text.spoken(result.measured)} on validation and on test, and the best on test so far. "
        "The shaded area is the overtuning.",
        alt=f"Curves of {'the overtuning' if several else text.spoken(result.measured)} against the number of "
        "evaluations.",
        data=result.table,
    )


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
    confidence_level: float = 0.95,
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
    confidence_level : float
        Confidence level of the interval.
    resplit_ratio : float
        Rows in test over rows in training, where repetitions split the same rows again: the interval is widened
        as in :meth:`copa_nb.GapRepeats.interval`.
    bins : int, sequence of float or str
        Bins of the histogram, as for ``Axes.hist``; give several panels the same edges.
    color : str
        Color of the dots or the histogram.
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
    low, high = result.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
    if len(values) > _FEW:
        ax.hist(values, bins=cast(Any, bins), color=color, alpha=0.6, linewidth=0)
        ax.set_ylabel("resamples" if bootstrap else "repetitions")
    else:
        ax.scatter(values, np.arange(1, len(values) + 1), s=34, color=color, zorder=3)
        ax.set_yticks(np.arange(1, len(values) + 1), [shorten(text.label(label)) for label in result.table.index])
        ax.set_ylabel(literal(text.label(result.table.index.name or "repetition")))
        ax.set_ylim(0.3, len(values) + 0.7)
    center = _center(result, quantity)
    ax.axvline(center, color=INK, lw=1.6, label="on the test set as it is" if bootstrap else "mean")
    if not math.isnan(low):
        what = "of the draws" if bootstrap and quantity in COUNTS else "interval"
        ax.axvspan(
            low, high, color=GRAY, alpha=0.25, linewidth=0, zorder=0.5, label=f"{100 * confidence_level:g}% {what}"
        )
    ax.set_xlabel(_AXIS_LABELS.get(quantity, literal(quantity)))
    if legend:
        ax.legend(fontsize="small")
    return ax


@describes(plot_gap_repeats)
def _repeats_in_words(
    result: GapRepeats,
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    resplit_ratio: float = 0.0,
    **options: Any,
) -> Picture:
    low, high = result.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
    values, name = result.table[quantity], _IN_SENTENCES.get(quantity, text.spoken(quantity))
    center = _center(result, quantity)
    kind, repeated = repetitions_text(result.kind), result.kind != "bootstrap"
    between = (
        f" ({100 * confidence_level:g}% interval {text.number(low, 3)} to {text.number(high, 3)})" * math.isfinite(low)
    )
    many = len(values) > _FEW
    return Picture(
        finding=f"The {'mean ' * repeated}{name} is {text.number(center, 3)}{between}",
        caption=f"The {name} in {len(values):,} {kind}. The line is {'their mean' if repeated else 'its value'}"
        f"{'' if repeated else ' on the test set as it is'}, the shaded area its {100 * confidence_level:g}% interval.",
        alt=f"{'Histogram' if many else 'Dots'} of the {name} in {len(values):,} {kind}.",
        data=result.table,
        height=3.2 if many else max(2.4, min(4.05, 0.2 * len(values) + 1.2)),
    )


def plot_gap_repeats_figure(
    results: Mapping[Hashable, GapRepeats],
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    resplit_ratio: float = 0.0,
    most: int = 4,
) -> Figure:
    """Draw the values of all repetitions of several systems, a panel each on one scale and with the same bins.

    Parameters
    ----------
    results : mapping of name to GapRepeats
        From :func:`copa_nb.gap` with ``by=`` and ``repeat=``, or one of :func:`copa_nb.gap_bootstrap` per system.
    quantity, confidence_level, resplit_ratio
        As for :func:`plot_gap_repeats`.
    most : int
        Systems drawn, from the first.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        For `most` below 1, or a quantity that is not a column of the tables.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> runs = datasets.load_german_credit_runs()
    >>> options = {"objectives": {"precision": "max", "recall": "max"}, "reference": {"precision": 0, "recall": 0}}
    >>> figure = plot_gap_repeats_figure(runs.moo.gap(by="model", repeat="seed", **options))
    >>> len(figure.axes)
    2
    >>> plt.close(figure)
    """
    drawn = dict(list(results.items())[: checks.integer("most", most)])
    height = _PANEL_HEIGHTS[0] if len(drawn) <= 2 else _PANEL_HEIGHTS[1]
    figure, axes = panels(len(drawn), columns=2, height=height, narrow_height=3.0, sharex=True)
    axes = list(np.ravel(axes))
    options: dict[str, Any] = {"confidence_level": confidence_level, "resplit_ratio": resplit_ratio}
    bins = _shared_bins(drawn, quantity)
    for ax, (name, result), color in zip(axes, drawn.items(), cycle(PALETTE), strict=False):
        plot_gap_repeats(result, quantity=quantity, bins=bins, color=color, legend=False, ax=ax, **options)
        ax.set_title(shorten(text.label(name)))
        ax.locator_params(axis="x", nbins=4)
    shared_legend(axes)
    return figure


def _center(result: GapRepeats, quantity: str) -> float:
    """Return the mean of repetitions, or for resamples the value of the test set as it is."""
    return float(result.table[quantity].mean() if result.estimate is None else result.estimate.summary[quantity])


def _shared_bins(results: Mapping[Hashable, GapRepeats], quantity: str) -> list[float] | str:
    values = np.concatenate([one.table[quantity].to_numpy(dtype=float) for one in results.values()])
    values = values[np.isfinite(values)]
    return np.histogram_bin_edges(values, bins=30).tolist() if len(values) else "auto"


@describes(plot_gap_repeats_figure)
def _repeats_of_methods_in_words(
    results: Mapping[Hashable, GapRepeats],
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    most: int = 4,
    **options: Any,
) -> Picture:
    drawn, name = dict(list(results.items())[:most]), _IN_SENTENCES.get(quantity, text.spoken(quantity))
    centers = {text.label(method): text.number(_center(one, quantity), 3) for method, one in drawn.items()}
    said = text.listing(f"{center} ({method})" if method else center for method, center in centers.items())
    bootstrap = all(one.kind == "bootstrap" for one in drawn.values())
    center, each = ("value on the test set as it is", "resample") if bootstrap else ("mean", "repetition")
    return Picture(
        finding=f"The {'' if bootstrap else 'mean '}{name} is {said}",
        caption=f"The {name} of each {each}, the {center} (line) and its {100 * confidence_level:g}% interval (shaded)"
        + (f" for {len(drawn):,} of {len(results):,} systems." if len(drawn) < len(results) else "."),
        alt=f"A panel for each of {text.listing(map(text.label, drawn))}: the {name} of each {each}, with the {center} "
        "and its interval.",
        data=pd.concat({method: one.table for method, one in results.items()}),
    )


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
    for number, (gap, name) in enumerate(zip(result.gaps, result.names, strict=True)):
        color = series_color(number)
        _shade_gap(ax, gap, columns, color=color, alpha=0.22)
        test = gap.scores.own_units(gap.scores.test)[:, columns]
        for which in ("optimistic", "pessimistic"):
            looks = {**LOOKS[which], "color": color, "label": f"{literal(name)}, {which}"}
            _draw_outline(ax, gap, test[getattr(gap.fronts, which)], columns, **looks)
    _label_axes(ax, result.gaps[0], columns)
    if legend:
        outer_legend(ax)
    return ax


@describes(plot_gap_comparison)
def _comparison_in_words(result: GapComparison, **options: Any) -> Picture:
    first, second = result.names
    better = [f"{verdict.better} by {verdict.criterion}" for verdict in result.verdicts if verdict.better]
    gaps = text.listing(text.number(gap.gap, 3) for gap in result.gaps)
    return Picture(
        finding=f"Better: {text.listing(better)}"
        if better
        else f"Neither {first} nor {second} is better by any criterion",
        caption=f"Optimistic and pessimistic fronts of {first} and {second} on test. The shaded areas are their "
        f"approximation gaps, {gaps}.",
        alt=f"Optimistic and pessimistic fronts of {first} and {second} on test, each with its gap shaded ({gaps}).",
        data=result,
        narrow_height=4.8,
    )


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
    for column, color, hatch in zip(shares, (PALETTE[0], PALETTE[1], GRAY), ("", "//", ""), strict=True):
        bars = ax.barh(
            rows, shares[column], left=starts, height=0.55, label=literal(column), color=color, hatch=hatch,
            edgecolor="white", alpha=0.45 if color == GRAY else None,
        )  # fmt: skip
        for bar, share in zip(bars, shares[column], strict=True):
            if share >= least:
                above = (bar.get_x() + bar.get_width() / 2, bar.get_y() + bar.get_height())
                ax.annotate(f"{100 * share:.0f}%", above, xytext=(0, 1), textcoords="offset points", ha="center",
                            va="bottom", color=INK, fontsize="small")  # fmt: skip
        starts = starts + shares[column].to_numpy()
    ax.set_yticks(rows, list(shares.index))
    ax.set_ylim(-0.5, rows[-1] + 0.7)
    ax.set_xlim(0, 1)
    ax.xaxis.set_major_formatter(lambda value, _: f"{100 * value:.0f}%")
    share = "selection frequency over" if result.kind == "bootstrap" else "share of"
    ax.set_xlabel(f"{share} the {len(result.comparisons):,} {repetitions_text(result.kind)}")
    ax.grid(axis="y", visible=False)
    if legend:
        sizes: Any = {"fontsize": "small", "title_fontsize": "small"}
        columns = 1 if is_narrow(ax.get_figure(root=True)) else 3
        ax.legend(title="better", loc="lower left", bbox_to_anchor=(0, 1), ncols=columns, alignment="left", **sizes)
    return ax


@describes(plot_verdicts)
def _verdicts_in_words(result: RepeatedComparison, **options: Any) -> Picture:
    first, second = result.names
    table, kind = result.table, repetitions_text(result.kind)
    most = table[[first, second]].max(axis=1)
    criterion = str(most.idxmax())
    shares = [text.percent(float(table[name][criterion])) for name in (first, second)]
    what = (
        "How often the resamples select each method"
        if result.kind == "bootstrap"
        else "How often each method is better"
    )
    return Picture(
        finding=f"By {criterion}, {first} is better in {shares[0]} and {second} in {shares[1]} of the {kind}"
        if most.max() > 0
        else f"Neither {first} nor {second} is better in any of the {kind}",
        caption=f"{what}, by each criterion, over {len(result.comparisons):,} {kind}.",
        alt=f"Stacked bars, one for each criterion: shares of the {kind} in which {first}, {second} or neither is "
        "better.",
        data=result,
        height=2.6,
    )


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
    across, up = (directed_label(*result.objectives.directions[column]) for column in columns)
    ax.set(xlabel=across, ylabel=up)
    shares = [_is_share(result, column) for column in columns]
    ticks = [0, 0.25, 0.5, 0.75, 1]
    if shares[0]:
        ax.set(xlim=(0, 1), xticks=ticks)
    if shares[1]:
        ax.set(ylim=(0, 1), yticks=ticks)
    if all(shares):
        ax.set_box_aspect(1)


def _is_share(result: Gap, column: int) -> bool:
    """Whether an objective is a share (all scores lie from 0 to 1) whose worst value is the reference point."""
    scores = [result.scores.own_units(costs)[:, column] for costs in (result.scores.validation, result.scores.test)]
    worst = 0 if result.objectives.directions[column][1] == "max" else 1
    within = all(values.min() >= 0 and values.max() <= 1 for values in scores if len(values))
    return within and result.reference[result.objectives.names[column]] == worst


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
