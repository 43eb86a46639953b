"""Gaps over repetitions and resamples, and how often each of two methods is better there."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.comparison import RepeatedComparison, repetitions_text
from copa_nb.generalization.groups import GapOfGroups
from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.generalization.result import COUNTS, Gap
from copa_nb.plotting.axes import panels, shared_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    in_palette,
    is_narrow,
    literal,
    series_color,
    shorten,
    shorten_all,
)  # fmt: skip
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Above this many repetitions, a histogram takes the place of dots.
_FEW = 40
_PANEL_HEIGHTS = (3.2, 1.95)  # inches of a panel of up to two, and of more
_IN_SENTENCES = {
    "gap": "approximation gap",
    "relative_gap": "gap as a share of the optimistic hypervolume",
    "hv_validation": "validation hypervolume",
    "hv_optimistic": "optimistic hypervolume on test",
    "hv_pessimistic": "pessimistic hypervolume on test",
    "hv_test": "hypervolume of the front of all rows on test",
    "optimism": "optimism (validation minus optimistic hypervolume)",
}
_AXIS_LABELS = {
    "gap": "approximation gap ↓",
    "relative_gap": "gap as a share of the optimistic hypervolume ↓",
    "hv_validation": "validation hypervolume ↑",
    "hv_optimistic": "optimistic hypervolume on test ↑",
    "hv_pessimistic": "pessimistic hypervolume on test ↑",
    "optimism": "optimism: validation minus optimistic hypervolume",
}


@of_paper("feurer2023gap")
@offered_by(GapOfRepeats)
@in_palette
@shared_parameters
def plot_gap_repeats(
    result: Gap,
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    resplit_ratio: float = 0.0,
    bins: int | Sequence[float] | str = "auto",
    color: str | None = None,
    legend: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the values of all repetitions, their mean (or the estimate) and its confidence interval.

    Parameters
    ----------
    result : Gap
        From ``df.moo.gap()`` with ``repeat=``, or from
        :meth:`copa_nb.results.Gap.bootstrap`.
    quantity : str
        A column of ``result.table``.
    confidence_level : float
        Confidence level of the interval.
    resplit_ratio : float
        Rows in test over rows in training, where repetitions split the same rows again: the interval is widened
        as in :meth:`copa_nb.results.Gap.interval`.
    bins : int, sequence of float or str
        Bins of the histogram, as for ``seaborn.histplot``; give several panels the same edges.
    color : str, optional
        Color of the dots or the histogram; the first one of series if omitted.
    legend : bool
        Whether to draw a legend.
    %(palette)s
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
    >>> point = {"precision": 0, "recall": 0}
    >>> ax = runs.moo.gap(reference=point).plot()
    >>> plt.close(ax.figure)
    """
    checks.one_of("quantity", quantity, list(_drawn(result).columns))
    ax = current_axes(ax)
    values = _drawn(result)[quantity].to_numpy(dtype=float)
    bootstrap = _kind(result) == "bootstrap"
    color = series_color(0) if color is None else color
    low, high = result.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
    if len(values) > _FEW:
        import seaborn as sns

        sns.histplot(x=values, bins=cast(Any, bins), color=color, alpha=0.6, linewidth=0, ax=ax)
        ax.set_ylabel("resamples" if bootstrap else "repetitions")
    else:
        ax.scatter(values, np.arange(1, len(values) + 1), s=34, color=color, zorder=3)
        ax.set_yticks(np.arange(1, len(values) + 1), shorten_all(map(text.label, _drawn(result).index)))
        ax.set_ylabel(literal(text.label(_drawn(result).index.name or "repetition")))
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
    result: Gap,
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    resplit_ratio: float = 0.0,
    **options: Any,
) -> Picture:
    low, high = result.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
    values, name = _drawn(result)[quantity], _IN_SENTENCES.get(quantity, text.spoken(quantity))
    center = _center(result, quantity)
    kind, repeated = repetitions_text(_kind(result)), _kind(result) != "bootstrap"
    between = (
        f" ({100 * confidence_level:g}% interval {text.number(low, 3)} to {text.number(high, 3)})" * math.isfinite(low)
    )
    many = len(values) > _FEW
    return Picture(
        finding=f"The {'mean ' * repeated}{name} is {text.number(center, 3)}{between}",
        caption=f"The {name} in {len(values):,} {kind}. The line is {'their mean' if repeated else 'its value'}"
        f"{'' if repeated else ' on the test set as it is'}, the shaded area its {100 * confidence_level:g}% interval.",
        alt=f"{'Histogram' if many else 'Dots'} of the {name} in {len(values):,} {kind}.",
        data=_drawn(result),
        height=3.2 if many else max(2.4, min(4.05, 0.2 * len(values) + 1.2)),
    )


@of_paper("feurer2023gap")
@offered_by(GapOfGroups)
@in_palette
def plot_gap_repeats_figure(
    results: Mapping[Hashable, Gap],
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    resplit_ratio: float = 0.0,
    most: int = 4,
    palette: Palette = None,
) -> Figure:
    """Draw the values of all repetitions of several systems, a panel each on one scale and with the same bins.

    Parameters
    ----------
    results : mapping of name to Gap
        From ``df.moo.gap()`` with ``by=`` and ``repeat=``, or one of
        :meth:`copa_nb.results.Gap.bootstrap` per system.
    quantity, confidence_level, resplit_ratio
        As for :func:`plot_gap_repeats`.
    most : int
        Systems drawn, from the first.
    palette : str or sequence of color, optional
        Colors of the series: a list, or the name of a palette of seaborn or of a colormap of matplotlib.

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
    >>> point = {"precision": 0, "recall": 0}
    >>> figure = runs.moo.by("model").gap(reference=point).plot()
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
    for ax, (name, result), color in zip(axes, drawn.items(), map(series_color, count()), strict=False):
        plot_gap_repeats(result, quantity=quantity, bins=bins, color=color, legend=False, ax=ax, **options)
        ax.set_title(shorten(text.label(name)))
        ax.locator_params(axis="x", nbins=4)
        ax.tick_params(labelbottom=True)
    shared_legend(axes)
    return figure


def _drawn(result: Gap) -> pd.DataFrame:
    """Return the lines of repetitions and draws; one search is the only one."""
    lines: pd.DataFrame = result.table if hasattr(result, "gaps") else result.searches
    return lines


def _kind(result: Gap) -> str:
    return result.kind if hasattr(result, "gaps") else "repetitions"


def _center(result: Gap, quantity: str) -> float:
    """Return the mean of repetitions, or for resamples the value of the test set as it is."""
    estimate = getattr(result, "estimate", None)
    return float(_drawn(result)[quantity].mean() if estimate is None else estimate.summary[quantity])


def _shared_bins(results: Mapping[Hashable, Gap], quantity: str) -> list[float] | str:
    values = np.concatenate([_drawn(one)[quantity].to_numpy(dtype=float) for one in results.values()])
    values = values[np.isfinite(values)]
    return np.histogram_bin_edges(values, bins=30).tolist() if len(values) else "auto"


@describes(plot_gap_repeats_figure)
def _repeats_of_methods_in_words(
    results: Mapping[Hashable, Gap],
    *,
    quantity: str = "gap",
    confidence_level: float = 0.95,
    most: int = 4,
    **options: Any,
) -> Picture:
    drawn, name = dict(list(results.items())[:most]), _IN_SENTENCES.get(quantity, text.spoken(quantity))
    written = text.column_texts(_center(one, quantity) for one in drawn.values())
    centers = dict(zip(map(text.label, drawn), written, strict=True))
    said = text.listing(f"{center} ({method})" if method else center for method, center in centers.items())
    bootstrap = all(_kind(one) == "bootstrap" for one in drawn.values())
    center, each = ("value on the test set as it is", "resample") if bootstrap else ("mean", "repetition")
    return Picture(
        finding=f"The {'' if bootstrap else 'mean '}{name} is {said}",
        caption=f"The {name} of each {each}, the {center} (line) and its {100 * confidence_level:g}% interval (shaded)"
        + (f" for {len(drawn):,} of {len(results):,} systems." if len(drawn) < len(results) else "."),
        alt=f"A panel for each of {text.listing(map(text.label, drawn))}: the {name} of each {each}, with the {center} "
        "and its interval.",
        data=pd.concat({method: _drawn(one) for method, one in results.items()}),
    )


@of_paper("feurer2023gap")
@offered_by(RepeatedComparison)
@in_palette
@shared_parameters
def plot_verdicts(
    result: RepeatedComparison, *, legend: bool = True, palette: Palette = None, ax: Axes | None = None
) -> Axes:
    """Draw, for each criterion, the share of the repetitions in which each method is the better one.

    Over resamples of a test set these are bootstrap selection frequencies, not probabilities.

    Parameters
    ----------
    result : RepeatedComparison
        From :meth:`copa_nb.results.Gap.compare`.
    legend : bool
        Whether to draw a legend.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, copa_nb
    >>> from copa_nb import datasets
    >>> point = {"precision": 0, "recall": 0}
    >>> runs = datasets.load_german_credit_runs()
    >>> gaps = runs.moo.by("model").gap(reference=point)
    >>> ax = gaps["random forest"].compare(gaps["linear model"]).plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    shares = result.table.iloc[::-1]
    starts, rows = np.zeros(len(shares)), np.arange(len(shares))
    # A number has to fit above its part of the bar.
    least = 0.15 if is_narrow(ax.get_figure(root=True)) else 0.08
    for column, color in zip(shares, (series_color(0), series_color(1), GRAY), strict=True):
        bars = ax.barh(
            rows, shares[column], left=starts, height=0.55, label=literal(column), color=color,
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
    kind = repetitions_text(result.kind)
    what = (
        "How often the resamples select each method"
        if result.kind == "bootstrap"
        else "How often each method is better"
    )
    return Picture(
        finding=result.headline,
        caption=f"{what}, by each criterion, over {len(result.comparisons):,} {kind}.",
        alt=f"Stacked bars, one for each criterion: shares of the {kind} in which {first}, {second} or neither is "
        "better.",
        data=result,
        height=2.6,
    )
