"""Hypervolumes, gaps and overtuning along the evaluations of a search."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.budgets import GapBudgets
from copa_nb.generalization.overtuning import Overtuning
from copa_nb.plotting.axes import check_drawable, outer_legend, plain_log
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    LINESTYLES,
    Palette,
    current_axes,
    directed_label,
    in_palette,
    literal,
    series_color,
)  # fmt: skip
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BAND = (0.1, 0.9)


@of_paper("feurer2023gap")
@offered_by(GapBudgets)
@in_palette
@shared_parameters
def plot_gap_budget(
    result: GapBudgets,
    *,
    quantity: str = "hypervolume",
    log: bool = False,
    marks: bool = True,
    fit_from: int = 1,
    legend: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw how hypervolumes, or the gap, develop over the evaluations.

    Parameters
    ----------
    result : GapBudgets
        From :meth:`copa_nb.results.Gap.budgets`.
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
    %(palette)s
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
    >>> point = {"precision": 0, "recall": 0}
    >>> ax = runs.moo.gap(reference=point).budgets([100, 200]).plot(quantity="gap")
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
    over = ", mean over the repetitions" if result.repeat else ""
    if quantity == "gap":
        band = ", with a band from the 10% to the 90% quantile" if result.repeat else ""
        caption = f"Approximation gap against the number of evaluations{over}{band}."
        alt = f"Curves of the approximation gap from 1 to {last:,} evaluations."
    else:
        caption = (
            "Hypervolume of the validation front (dotted), and on test of its optimistic (solid) and pessimistic "
            f"(dashed) front, against the number of evaluations{over}. The band is the approximation gap."
        )
        alt = f"Curves of the validation, optimistic and pessimistic hypervolume from 1 to {last:,} evaluations."
    if options.get("marks", True) and len(result.budgets) > 1:
        caption += " Vertical lines mark the budgets."
    return Picture(finding=result.headline, caption=caption, alt=alt, data=result.curves, height=3.6, narrow_height=4.4)


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


@of_paper("feurer2023gap")
@offered_by(Overtuning)
@in_palette
@shared_parameters
def plot_overtuning(
    result: Overtuning, *, log: bool = False, legend: bool = True, palette: Palette = None, ax: Axes | None = None
) -> Axes:
    """Draw the validation and test scores of the incumbents of a search, and the overtuning.

    Parameters
    ----------
    result : Overtuning
        From :meth:`copa_nb.results.Gap.overtuning`.
    log : bool
        Whether evaluations are on a logarithmic axis.
    legend : bool
        Whether to draw a legend.
    %(palette)s
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
    >>> ax = runs.moo({"precision": "max"}).gap().overtuning().plot()
    >>> plt.close(ax.figure)
    """
    curves = result.table[["validation", "best", "test"]].to_numpy()
    check_drawable(curves, [result.measured] * curves.shape[1])
    ax = current_axes(ax)
    steps: dict[str, Any] = {"drawstyle": "steps-post"}
    if not (result.by or result.repeat):
        table = result.table.set_index("evaluations")
        ax.plot(table["validation"], color=series_color(4), ls=":", lw=1.6, label="on validation", **steps)
        ax.plot(table["best"], color=series_color(2), ls="--", lw=1.3, label="on test, best so far", **steps)
        ax.plot(table["test"], color=series_color(0), lw=1.6, label="on test", **steps)
        ax.fill_between(
            table.index, table["test"], table["best"], step="post", color=series_color(3), alpha=0.25, linewidth=0,
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
    several = bool(result.by or result.repeat)
    return Picture(
        finding=result.headline,
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
