"""Hypervolumes and approximation gap over the budget of a search."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pandas as pd

from copa_nb import checks, text
from copa_nb.plotting.style import LINESTYLES, PALETTE, current_axes, literal

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.generalization.budgets import GapBudgets

QUANTITIES = ("hypervolume", "gap")
_BAND = (0.1, 0.9)


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
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    checks.one_of("quantity", quantity, QUANTITIES)
    ax = current_axes(ax)
    for number, (name, curves) in enumerate(_groups(result)):
        color = PALETTE[number % len(PALETTE)]
        if quantity == "hypervolume":
            _draw_hypervolumes(ax, curves, name, color)
        else:
            _draw_gap(ax, curves, name, color, LINESTYLES[number % len(LINESTYLES)])
    if marks:
        for budget in result.budgets:
            ax.axvline(budget, color="0.75", lw=0.7, zorder=0.5)
    if log:
        ax.set_xscale("log")
    mean = " (mean over the repetitions)" if result.repeat else ""
    ax.set_xlabel("evaluated configurations")
    ax.set_ylabel(("hypervolume ↑" if quantity == "hypervolume" else "approximation gap ↓") + mean)
    if legend:
        ax.legend(fontsize="x-small")
    return ax


def _groups(result: GapBudgets) -> Iterator[tuple[str, pd.DataFrame]]:
    if not result.by:
        yield "", result.curves
        return
    for label, curves in result.curves.groupby(result.by, sort=False, observed=True):
        yield literal(text.label(label)), curves


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


def _draw_gap(ax: Axes, curves: pd.DataFrame, name: str, color: str, line: Any) -> None:
    by_budget = curves.groupby("evaluations")["gap"]
    mean = by_budget.mean()
    ax.plot(mean, drawstyle="steps-post", color=color, linestyle=line, lw=1.6, label=name or "gap")
    if by_budget.size().max() > 1:
        low, high = (by_budget.quantile(q) for q in _BAND)
        ax.fill_between(mean.index, low, high, step="post", color=color, alpha=0.15, linewidth=0)
