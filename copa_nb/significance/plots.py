"""Pictures of the hypervolume test (null distribution, audit of claims, power) and of fronts with confidence."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.plots import drawn_columns, staircase
from copa_nb.plotting.axes import outer_legend, plain_log
from copa_nb.plotting.keys import numbered
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.style import (
    GREY,
    INK,
    PALETTE,
    current_axes,
    directed_label,
    is_narrow,
    literal,
    series_looks,
)
from copa_nb.significance.arrays.permutation import mark_extreme, tie_tolerance
from copa_nb.significance.audit import CORRECTIONS, Audit
from copa_nb.significance.confident_front import DOMINATED, ON_FRONT, OPEN, VERDICTS, ConfidentFront
from copa_nb.significance.power import STATISTICS, Power, with_interval
from copa_nb.significance.result import HypervolumeTest, system_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALONG = ("seeds", "effect")
_CORRECTED = {
    "pvalue": "p",
    "holm": "p after Holm",
    "max_t": "p by step-down max-T",
    "benjamini_hochberg": "p after Benjamini-Hochberg",
    "benjamini_yekutieli": "p after Benjamini-Yekutieli",
}
# Effect and p are of one estimand: mean hypervolumes of single runs, or hypervolumes of fronts.
_ESTIMANDS = {
    "runs": ("effect", "runs_", "Cohen's d of single runs (log beyond ±1)"),
    "front": ("relative", "", "relative difference of the fronts (log beyond ±1)"),
}

_SMALLEST_DRAWN = 1e-300  # differences below are drawn as none: bars would have no width


@shared_parameters
def plot_null_distribution(test: HypervolumeTest, *, ax: Axes | None = None, bins: int = 40, **bar_kws: Any) -> Axes:
    """Draw the differences under all permutations, those that count for p, and the observed one.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of :func:`copa_nb.hv_test`.
    %(ax)s
    bins : int
        Bars, about.
    **bar_kws
        Looks of the bars, for ``Axes.bar``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> test = copa_nb.hv_test(runs, system="agent", new="A", baseline="B", objectives={"cost": "min", "time": "min"})
    >>> ax = plot_null_distribution(test)
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    edges = _edges(test, bins)
    extreme = mark_extreme(
        test.statistic,
        test.null_distribution,
        alternative=test.tail,
        tolerance=tie_tolerance(test.hypervolume_new, test.hypervolume_baseline),
    )
    groups = {"no": test.null_distribution[~extreme], "yes": test.null_distribution[extreme]}
    heights = {key: np.histogram(values, bins=edges)[0] for key, values in groups.items()}
    looks: dict[str, Any] = {
        "width": np.diff(edges),
        "align": "edge",
        "edgecolor": "white",
        "linewidth": 0.4,
        **bar_kws,
    }
    ax.bar(edges[:-1], heights["no"], color="0.72", label="less extreme", **looks)
    times = " twice" if test.tail == "smaller tail" else ""
    ax.bar(
        edges[:-1], heights["yes"], bottom=heights["no"], color=PALETTE[1], hatch="//",
        label=f"at least as extreme:\nthey count{times} for p", **looks,
    )  # fmt: skip
    ax.axvline(test.statistic, color=INK, lw=1.6, label=f"observed Δ = {text.number(test.statistic, 3)}", zorder=3)
    if test.tail == "two-sided" and test.statistic:
        ax.axvline(-test.statistic, color=INK, lw=1.2, ls=":", label="−Δ", zorder=3)
    of = "hypervolume difference" if test.reference else f"difference of minus {test.name}"
    ax.set_xlabel(f"{of}, new − baseline")
    ax.set_ylabel(f"permutations ({'all ' if test.exact else ''}{test.n_resamples:,})")
    ax.set_title(_title(test, 45 if is_narrow(ax.get_figure(root=True)) else 80))
    ax.set_ylim(0, 1.06 * max(1, (heights["no"] + heights["yes"]).max()))
    if is_narrow(ax.get_figure(root=True)):
        ax.xaxis.set_major_locator(MaxNLocator(4))
    outer_legend(ax)
    return ax


def _edges(test: HypervolumeTest, bins: int) -> np.ndarray:
    """Edges of the bars, with the observed difference and its mirror image among them where that is possible.

    Then no bar holds both differences that count for p and such that do not.
    """
    observed = abs(test.statistic)
    widest = max(float(np.abs(test.null_distribution).max()), observed)
    widest = widest if widest > _SMALLEST_DRAWN else 1.0
    width = 2.1 * widest / bins
    if observed < width / 2:
        return np.linspace(-1.05 * widest, 1.05 * widest, bins + 1)
    inner = max(1, round(2 * observed / width))
    width = 2 * observed / inner
    beyond = max(1, math.ceil((1.0001 * widest - observed) / width))
    edges = (np.arange(inner + 2 * beyond + 1) - beyond - inner / 2) * width
    # A difference of -observed counts for p: it belongs to the bar on its left, which numpy leaves open there.
    edges[beyond] += 1e-7 * width
    edges[beyond + inner] -= 1e-7 * width
    return edges


def _title(test: HypervolumeTest, wide: int) -> str:
    """Name both sides, in as few lines of a number of characters as they need."""
    new, baseline = (literal(text.listing(map(system_name, side))) for side in (test.new, test.baseline))
    outcome = f"p = {text.number(test.pvalue, 3)}{' (exact)' if test.exact else ''}"
    return textwrap.fill(f"{new} against {baseline}: {outcome}", wide, break_long_words=False)


@shared_parameters
def plot_audit(
    outcome: Audit,
    *,
    correction: str = "pvalue",
    labels: int = 6,
    ax: Axes | None = None,
    statistic: str = "runs",
    **scatter_kws: Any,
) -> Axes:
    """Draw one point per claim: its effect size and the p-value of that effect.

    Parameters
    ----------
    outcome : Audit
        Outcome of :func:`copa_nb.audit`.
    correction : {"pvalue", "holm", "max_t", "benjamini_hochberg", "benjamini_yekutieli"}
        Which p-value.
    labels : int
        How many of the claims within noise to name, the largest p first.
    %(ax)s
    statistic : {"runs", "front"}
        Cohen's d of the hypervolumes of single runs and its p, or the relative difference of the fronts' hypervolumes
        (of another indicator, the difference) and its p (which has no max-T). A claim is significant only if both
        support it: where one does and the other does not, it is drawn by itself.
    **scatter_kws
        Looks of the points, for ``Axes.scatter``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown correction or statistic, or max-T of the fronts, which there is for single runs only.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> outcome = copa_nb.audit(runs, system="agent", objectives={"cost": "min", "time": "min"})
    >>> ax = plot_audit(outcome)
    >>> plt.close(ax.figure)
    """
    checks.one_of("correction", correction, CORRECTIONS)
    ax = current_axes(ax)
    checks.one_of("statistic", statistic, tuple(_ESTIMANDS))
    effect, before, label_of_effect = _ESTIMANDS[statistic]
    # Another indicator may be zero or negative: its differences have no share.
    plain = statistic == "front" and outcome.options.indicator != "hypervolume"
    if plain:
        effect, label_of_effect = "difference", f"difference of minus {NAMES[outcome.options.indicator]} of the fronts"
    if correction == "max_t" and statistic == "front":
        raise ValueError('`correction` is "max_t", which is there for single runs only; use statistic="runs".')
    table, alpha = outcome.table, outcome.options.alpha
    other = ("" if before else "runs_") + ("holm" if correction == "max_t" else correction)
    correction = before + correction
    untestable = table["smallest_pvalue"] > alpha
    failing = (table[correction] > alpha) & ~untestable
    alone = ~failing & ~untestable & ((table[other] > alpha) | (table["difference"] * table["mean_difference"] < 0))
    kinds = {
        "within noise": (failing, PALETTE[1], "X", 55),
        "more than noise": (~failing & ~untestable & ~alone, PALETTE[0], "o", 34),
        f"by {'single runs' if before else 'fronts'} alone": (alone, PALETTE[2], "D", 34),
        "too few runs to tell": (untestable, GREY, "v", 34),
    }
    looks: dict[str, Any] = {"alpha": 0.8, "clip_on": False, "edgecolor": "white", "linewidth": 0.5, **scatter_kws}
    for name, (chosen, color, marker, size) in kinds.items():
        part = table[chosen]
        if part.empty and not name.endswith("noise"):
            continue
        own = {"s": size, **looks}
        label = f"{name} ({len(part)})"
        ax.scatter(part[effect], part[correction], color=color, marker=marker, label=label, zorder=3, **own)
    ax.set_yscale("log")
    if not plain:
        ax.set_xscale("symlog", linthresh=1.0)
        effects = table[effect].to_numpy(dtype=np.float64)
        effects = effects[np.isfinite(effects)]
        ax.set_xlim(min(-0.3, 1.5 * effects.min(initial=0.0)), 1.5 * max(1.0, effects.max(initial=1.0)))
    lowest = min(float(table["smallest_pvalue"].min()), float(table[correction].min()), alpha) if len(table) else alpha
    ax.set_ylim(lowest / 1.7, 1.0)
    ax.axhline(alpha, color="0.45", lw=1, ls="--", zorder=1, label=f"α = {alpha:g}")
    smallest = table["smallest_pvalue"].min() if len(table) else np.nan
    if correction.endswith("pvalue") and np.isfinite(smallest):
        ax.axhline(
            smallest, color="0.6", lw=1, ls=":", zorder=1, label=f"smallest attainable p, {text.number(smallest, 2)}"
        )
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel(label_of_effect)
    ax.set_ylabel(_CORRECTED[correction.removeprefix("runs_")])
    outer_legend(ax)
    _label_failing(ax, table[failing], effect, correction, labels)
    return ax


def _label_failing(ax: Axes, part: pd.DataFrame, effect: str, correction: str, most: int) -> None:
    """Number the claims with the largest p, and name them below the figure, where one claim after another has room."""
    part = part[np.isfinite(part[effect])].sort_values(correction, ascending=False).head(most)
    figure: Any = ax.get_figure(root=True)
    if part.empty:
        return
    names = [f"{claim['new']} over {claim['baseline']}" for _, claim in part.iterrows()]
    for number, (_, claim) in zip(numbered(figure, names, columns=1), part.iterrows(), strict=True):
        ax.annotate(
            number, (claim[effect], claim[correction]), xytext=(7, 0), textcoords="offset points", va="center",
            fontsize="small", color=INK,
        )  # fmt: skip


_REJECTED = {
    "front": "share of simulations with p ≤ α",
    "runs": "share of simulations with p ≤ α for single runs",
    "both": "share of simulations called significant",
}


@shared_parameters
def plot_power(
    study: Power,
    *,
    along: str | None = None,
    target: float = 0.8,
    ax: Axes | None = None,
    statistic: str = "front",
    **line_kws: Any,
) -> Axes:
    """Draw power curves with their simulation intervals.

    Parameters
    ----------
    study : Power
        Outcome of :func:`copa_nb.power`.
    along : {"seeds", "effect"}, optional
        What is on the horizontal axis; by default, whichever has more values.
    target : float
        Power to mark with a horizontal line.
    %(ax)s
    statistic : {"front", "runs", "both"}
        Whose power: of the comparison of fronts, of single runs, or of both together, which a result needs to be
        called significant.
    **line_kws
        Looks of the lines, for ``Axes.plot``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown `statistic` or `along`.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, copa_nb
    >>> ax = plot_power(copa_nb.power(effect=[0.1, 0.2], seeds=[3, 4, 5], noise=0.05, n_simulations=50))
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    checks.one_of("statistic", statistic, tuple(STATISTICS))
    table = with_interval(study.table, STATISTICS[statistic])
    if along is None:
        along = "effect" if table["effect"].nunique() > table["seeds"].nunique() else "seeds"
    checks.one_of("along", along, ALONG)
    other = "effect" if along == "seeds" else "seeds"
    for i, value in enumerate(sorted(table[other].unique())):
        part = table[table[other] == value].sort_values(along)
        x = part[along] * (1 if along == "seeds" else 100)
        name = f"effect {100 * value:g} %" if other == "effect" else f"{value} seeds"
        looks = {**series_looks(i), **line_kws}
        ax.plot(x, part["power"], label=name, zorder=3, **{"clip_on": False, **looks})
        ax.fill_between(x, part["low"], part["high"], color=looks["color"], alpha=0.15, lw=0)
    ax.axhline(target, color="0.45", lw=1, ls="--", zorder=1, label=f"power {target:g}")
    ax.axhline(study.options.alpha, color="0.45", lw=1, ls=":", zorder=1, label=f"α = {study.options.alpha:g}")
    ax.set_ylim(0, 1)
    ax.set_xlabel("seeds of each system" if along == "seeds" else "true hypervolume gap, % of the baseline's")
    ax.set_ylabel(_REJECTED[statistic])
    if along == "seeds":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    outer_legend(ax)
    return ax


# Marker and colour of each verdict.
_VERDICT_LOOKS = {ON_FRONT: ("o", PALETTE[0]), OPEN: ("D", PALETTE[4]), DOMINATED: ("x", GREY)}


@shared_parameters
def plot_confident_front(
    result: ConfidentFront,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    log: Sequence[Hashable] = (),
    labels: int = 8,
    ax: Axes | None = None,
) -> Axes:
    """Draw who is on the front for sure, who is dominated, and the zone in which the front lies.

    Parameters
    ----------
    result : ConfidentFront
        Of :func:`copa_nb.confident_front`.
    x, y : label, optional
        Objectives to draw; the first two if omitted.
    log : list of objectives
        Objectives whose axis is logarithmic.
    labels : int
        How many entities to name; those on the front for sure come first.
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
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [3.0, 1.0], "se": 0.01}, index=["a", "b"])
    >>> front = copa_nb.confident_front(models, noise={"accuracy": "se"}, objectives={"accuracy": "max", "cost": "min"})
    >>> ax = plot_confident_front(front)
    >>> plt.close(ax.figure)
    """
    names = result.objectives.names
    first, second = (names[k] for k in drawn_columns(result.objectives, x, y))
    ax = current_axes(ax)
    points = result.means[[first, second]].to_numpy(float)
    directions = [result.objectives.direction(name) for name in (first, second)]
    if len(names) == 2:
        _shade_open_zone(ax, result, points, directions)
    for verdict in reversed(VERDICTS):
        chosen = (result.table["verdict"] == verdict).to_numpy()
        marker, color = _VERDICT_LOOKS[verdict]
        ax.scatter(*points[chosen].T, marker=marker, color=color, label=f"{verdict} ({int(chosen.sum())})", zorder=3)
    for name, axis in ((first, "x"), (second, "y")):
        if name in log:
            plain_log(ax, axis)
    ax.set(xlabel=directed_label(first, directions[0]), ylabel=directed_label(second, directions[1]))
    named = np.flatnonzero((result.table["verdict"] != DOMINATED).to_numpy())[:labels]
    label_points(ax, points[named, 0], points[named, 1], list(result.table.index[named]), avoid=points)
    ax.legend()
    return ax


def _shade_open_zone(ax: Axes, result: ConfidentFront, points: np.ndarray, directions: Sequence[str]) -> None:
    """Shade what lies between the outline of those that are sure and that of all that may be on the front."""
    worst = [column.min() if way == "max" else column.max() for column, way in zip(points.T, directions, strict=True)]
    sure, possible = (result.table.index.isin(labels) for labels in (result.conservative, result.optimistic))
    outer = staircase(points[possible], directions, limits=worst)
    ax.plot(*outer, color=_VERDICT_LOOKS[OPEN][1], linestyle="--", linewidth=1, zorder=1)
    if sure.any():
        inner = staircase(points[sure], directions, limits=worst)
        ax.fill(*np.hstack([outer, np.fliplr(inner)]), color=_VERDICT_LOOKS[OPEN][1], alpha=0.15)
        ax.plot(*inner, color=_VERDICT_LOOKS[ON_FRONT][1], linewidth=1.5, zorder=2)
