"""Plots of generalized stochastic dominance: Hasse diagram, tests of one system, and their robustness."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import outer_legend
from copa_nb.plotting.hasse import plot_hasse
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.rows import draw_rows
from copa_nb.plotting.style import (
    INK,
    Palette,
    current_axes,
    in_palette,
    literal,
    series_looks,
    shorten,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import say
from copa_nb.stochastic_dominance.dominance import Dominance
from copa_nb.stochastic_dominance.gsd_front import GsdFront
from copa_nb.stochastic_dominance.gsd_test import GsdTest

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@of_paper("jansen2024gsd")
@offered_by(Dominance)
@in_palette
@shared_parameters
def plot_gsd_front(
    front: GsdFront, *, palette: Palette = None, ax: Axes | None = None, title: bool = True, **kwargs: Any
) -> Axes:
    """Draw dominance as a Hasse diagram, with the systems of the front in color.

    Parameters
    ----------
    front : GsdFront
        From ``df.moo.gsd_front()``.
    %(palette)s
    %(ax)s
    title : bool
        Whether to write above the plot how many systems are on the front.
    **kwargs
        For :func:`copa_nb.plots.plot_hasse`.

    Returns
    -------
    Axes
        Systems that neither dominate nor are dominated are below a dotted line.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> front = datasets.load_deepobs().moo(system="optimizer", item="problem").gsd_front()
    >>> ax = front.plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    plot_hasse(front.order, ax=ax, **{"highlight": front.front, **kwargs})
    count = f"In color: on the front, {len(front.front)} of {len(front.systems)}"
    if title:
        ax.set_title(count if front.dominance.to_numpy().any() else "No system dominates another", fontsize="medium")
    return ax


@describes(plot_gsd_front)
def _front_in_words(front: GsdFront, **options: Any) -> Picture:
    systems, items = text.plural(front.systems.name, "systems"), text.plural(front.items.name, "items")
    total = len(front.systems)
    return Picture(
        finding=front.headline,
        caption=f"Dominance over {len(front.items):,} {items}: lines lead down to dominated {systems}. In color: "
        f"{systems} that no other dominates. Those below a dotted line are comparable to no other.",
        alt=f"Hasse diagram of the dominance between {total:,} {systems}; on the front: {text.listing(front.front)}.",
        data=front.table,
        height=3.2,
        narrow_height=3.6,
    )


@of_paper("jansen2024gsd")
@offered_by(GsdTest)
@in_palette
@shared_parameters
def plot_gsd_test(test: GsdTest, *, palette: Palette = None, ax: Axes | None = None) -> Axes:
    """Draw what is shown of every competitor: that it does not dominate the system, or nothing.

    Parameters
    ----------
    test : GsdTest
        From :meth:`copa_nb.results.GsdFront.test`.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes
        A row for each competitor, the smallest p on top: its statistic as a dot, the range that the test allows under
        exchanged labels as a line, and p. In color where the dynamic test rejects.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> with copa_nb.options(progress=False):
    ...     front = datasets.load_deepobs().moo(system="optimizer", item="problem").gsd_front()
    ...     test = front.test("Adam", n_resamples=99)
    >>> ax = test.plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    order = np.argsort(test.pvalues.to_numpy(), kind="stable")
    nulls = test.null_distributions.to_numpy()[:, order]
    competitors = test.competitors[order]
    ends = np.column_stack([np.quantile(nulls, test.alpha, axis=0, method="lower"), nulls.max(axis=0)])
    draw_rows(
        pd.Series(test.statistics.to_numpy()[order], index=competitors),
        "smallest difference of mean utilities",
        ax=ax,
        intervals=pd.DataFrame(ends, index=competitors),
        marked=pd.Series(competitors.isin(test.subset), index=competitors),
        notes=[f"{text.number(pvalue, 2)}" for pvalue in test.pvalues.to_numpy()[order]],
        notes_label="p",
        most=len(competitors),
    )
    ax.axvline(0, color=INK, linewidth=0.8, zorder=1)
    return ax


@describes(plot_gsd_test)
def _test_in_words(test: GsdTest, **options: Any) -> Picture:
    rejected, total = len(test.subset), len(test.competitors)
    name, height = text.label(test.system), 0.25 * total + 1.1
    count = (
        f"{rejected:,} of {total:,} competitors do" if total > 1 else f"the competitor {'does' if rejected else 'may'}"
    )
    no = " not" if total > 1 or rejected else ""
    return Picture(
        finding=say(test.of_system()),
        caption=f"It is shown that {count}{no} dominate {name} (in color); of those in gray the test cannot tell. "
        "Dots: the statistic of each competitor; at 0 or to the right of it, the competitor dominates in the sample. "
        f"Lines: what exchanged labels give in {text.percent(1 - test.alpha)} of cases.",
        alt=f"A row for each of {total:,} competitors with its statistic, its range under exchanged labels and p; far "
        f"left means that the competitor does not dominate {name}.",
        data=test.table,
        height=max(2.2, height),
    )


@of_paper("jansen2024gsd")
@offered_by(GsdTest, kind="robustness")
@in_palette
@shared_parameters
def plot_gsd_robustness(
    test: GsdTest, *, most: int | None = None, palette: Palette = None, ax: Axes | None = None
) -> Axes:
    """Draw the p-value of every competitor against the number of contaminated items.

    Parameters
    ----------
    test : GsdTest
        From :meth:`copa_nb.results.GsdFront.test`.
    most : int, optional
        Largest number of contaminated items; see :meth:`GsdTest.robustness`.
    %(palette)s
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
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> with copa_nb.options(progress=False):
    ...     front = datasets.load_deepobs().moo(system="optimizer", item="problem").gsd_front()
    ...     test = front.test("Adam", n_resamples=99)
    >>> ax = test.plot("robustness", most=3)
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = test.robustness(most)
    for k, name in enumerate(table):
        looks = {**series_looks(k), "label": literal(name), "ms": 4, "lw": 1.4, "clip_on": False}
        ax.plot(table.index, table.iloc[:, k], **looks)
    levels = [(test.alpha, "level, static test", "--"), (test.adjusted_alpha, "level, dynamic test", ":")]
    for level, word, style in levels if len(test.competitors) > 1 else [(test.alpha, "level", "--")]:
        ax.axhline(level, color=INK, lw=0.9, ls=style, label=f"{word} ({text.number(level, 2)})")
    ax.set_yscale("symlog", linthresh=0.01, linscale=0.5)
    ax.set_yticks([0, 0.01, 0.05, 0.1, 0.5, 1], ["0", "0.01", "0.05", "0.1", "0.5", "1"])
    ax.minorticks_off()
    ax.set_ylim(0, 1)
    ax.set_xlabel(f"contaminated {text.plural(test.item, 'items')}, of {test.n_items}")
    ax.set_ylabel("p-value")
    ax.set_title(f"Does the competitor dominate {shorten(test.system, 24)}?", fontsize="medium")
    outer_legend(ax)
    return ax


@describes(plot_gsd_robustness)
def _robustness_in_words(test: GsdTest, *, most: int | None = None, **options: Any) -> Picture:
    name, items = text.label(test.system), text.plural(test.item, "items")
    withstands = test.table.loc[test.table["dynamic"], "contaminated"]
    fewest = int(withstands.min()) if len(withstands) else 0
    return Picture(
        finding=f"{name}: rejections hold with up to {fewest} of {test.n_items:,} {items} contaminated"
        if len(withstands)
        else f"{name}: the dynamic test rejects for no competitor, even without contamination",
        caption=f"p-value of each competitor if up to this many {items} were arbitrary; horizontal lines are the "
        "tests' levels.",
        alt=f"Rising lines of p against the number of contaminated {items}, one for each of "
        f"{len(test.competitors):,} competitors, and the levels of the tests.",
        data=test.robustness(most),
        height=3.4,
        narrow_height=3.8,
    )
