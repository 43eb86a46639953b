"""Pictures of generalised stochastic dominance: who dominates whom, the tests of one item, and what they stand."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import outer_legend
from copa_nb.plotting.style import GREY, INK, PALETTE, current_axes, is_narrow, literal, series_looks, shorten
from copa_nb.results import plot_function
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.stochastic_dominance.gsd_test import GsdTest

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_BINS = 40
# Heights of the bars of one competitor; the next one's start at 1.
_TALLEST = 0.8


@shared_parameters
def plot_gsd_front(front: GsdFront, *, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw who dominates whom as a Hasse diagram, with the items of the front in colour.

    Parameters
    ----------
    front : GsdFront
        From :func:`copa_nb.gsd_front`.
    %(ax)s
    **kwargs
        For :func:`copa_nb.plots.plot_hasse`.

    Returns
    -------
    Axes
        Items that neither dominate nor are dominated stand below a dotted line.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo.gsd_front(item="optimizer", by="problem")
    >>> ax = plot_gsd_front(front)
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    plot_function("plot_hasse")(front.order, ax=ax, **{"highlight": front.front, **kwargs})
    count = f"In colour: on the front, {len(front.front)} of {len(front.items)}"
    ax.set_title(count if front.dominance.to_numpy().any() else "None dominates another", fontsize="medium")
    return ax


@shared_parameters
def plot_gsd_test(test: GsdTest, *, step: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the statistic of every competitor in its distribution under exchanged labels.

    Parameters
    ----------
    test : GsdTest
        From :meth:`copa_nb.GsdFront.test`.
    step : int, optional
        Width of a bar in steps of one over the number of groups, for several pictures with the same bars.
    %(ax)s

    Returns
    -------
    Axes
        One row of bars for each competitor, the smallest p on top; hatched where the static test rejects.

    Raises
    ------
    ValueError
        For `step` below 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo.gsd_front(item="optimizer", by="problem", progress=False)
    >>> test = front.test("Adam", n_resamples=99, progress=False)
    >>> ax = plot_gsd_test(test)
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    order = np.argsort(-test.pvalues.to_numpy(), kind="stable")
    nulls, statistics, pvalues = test.null_distributions.to_numpy(), test.statistics.to_numpy(), test.pvalues.to_numpy()
    # Statistics are often multiples of 1 / n: bars that are centred on these leave no gaps that mean nothing.
    steps = test.n_groups * np.array([nulls.min(), nulls.max(), *statistics])
    width = max(1, math.ceil(np.ptp(steps) / _BINS)) if step is None else checks.integer("step", step)
    edges = (np.arange(math.floor(steps.min()), math.ceil(steps.max()) + width + 1, width) - 0.5) / test.n_groups
    for row, place in enumerate(order):
        null = nulls[:, place]
        heights = np.histogram(null, edges)[0]
        heights = heights * (_TALLEST / heights.max())
        critical = np.quantile(null, test.alpha, method="lower")
        inside = edges[1:] <= critical
        looks: dict[str, Any] = {"width": np.diff(edges), "align": "edge", "edgecolor": "white", "linewidth": 0.3}
        for chosen, color, hatch in ((~inside, "0.75", None), (inside, PALETTE[1], "//")):
            ax.bar(
                edges[:-1][chosen], heights[chosen], bottom=row, color=color, hatch=hatch,
                **{**looks, "width": looks["width"][chosen]},
            )  # fmt: skip
        ax.plot([statistics[place]] * 2, [row, row + 0.9], color=INK, lw=2, zorder=3)
        ax.annotate(
            f"p = {text.number(pvalues[place], 2)}", (1, row + 0.35), xycoords=("axes fraction", "data"),
            xytext=(4, 0), textcoords="offset points", va="center", annotation_clip=False,
        )  # fmt: skip
    ax.set_yticks(np.arange(len(order)) + 0.35, [shorten(test.competitors[place], 24) for place in order])
    ax.tick_params(axis="y", length=0)
    ax.set_ylim(-0.1, len(order))
    ax.axvline(0, color=GREY, lw=0.8, ls=":", zorder=0)
    gap = "\n" if is_narrow(ax.get_figure(root=True)) else " "
    ax.set_xlabel(f"statistic under exchanged labels{gap}(line: observed; hatched: rejected by the static test)")
    ax.set_title(f"Far left: the competitor does not{gap}dominate {shorten(test.item, 24)}", fontsize="medium")
    return ax


@shared_parameters
def plot_gsd_robustness(test: GsdTest, *, most: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw the p-value of every competitor against the number of contaminated groups.

    Parameters
    ----------
    test : GsdTest
        From :meth:`copa_nb.GsdFront.test`.
    most : int, optional
        Largest number of contaminated groups; see :meth:`GsdTest.robustness`.
    %(ax)s

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For `most` below 0.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo.gsd_front(item="optimizer", by="problem", progress=False)
    >>> test = front.test("Adam", n_resamples=99, progress=False)
    >>> ax = plot_gsd_robustness(test, most=3)
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = test.robustness(most)
    for k, name in enumerate(table):
        looks = {**series_looks(k), "label": literal(name), "ms": 4, "lw": 1.4, "clip_on": False}
        ax.plot(table.index, table.iloc[:, k], **looks)
    levels = [(test.alpha, "level, static test", "--"), (test.level, "level, dynamic test", ":")]
    for level, word, style in levels if len(test.competitors) > 1 else [(test.alpha, "level", "--")]:
        ax.axhline(level, color=INK, lw=0.9, ls=style, label=f"{word} ({text.number(level, 2)})")
    ax.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    ax.set_yticks([0, 0.01, 0.05, 0.1, 0.5, 1], ["0", "0.01", "0.05", "0.1", "0.5", "1"])
    ax.minorticks_off()
    ax.set_ylim(0, 1)
    ax.set_xlabel(f"contaminated {text.plural(test.by, 'groups')}, of {test.n_groups}")
    ax.set_ylabel("p-value")
    ax.set_title(f"Does the competitor dominate {shorten(test.item, 24)}?", fontsize="medium")
    outer_legend(ax)
    return ax
