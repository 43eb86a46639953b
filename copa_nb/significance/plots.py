"""Plots of the hypervolume test (null distribution, audit of claims, power) and of fronts with confidence."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.plots import drawn_columns
from copa_nb.plotting.axes import label_objectives, outer_legend, plain_log, put_best_up_right
from copa_nb.plotting.keys import numbered
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    directed_label,
    in_palette,
    is_narrow,
    literal,
    series_color,
    series_looks,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import part, say
from copa_nb.significance.arrays.permutation import mark_extreme, tie_tolerance
from copa_nb.significance.audit import CORRECTIONS, Audit
from copa_nb.significance.result import HypervolumeTest
from copa_nb.significance.runs import system_name
from copa_nb.significance.runs_needed import RunsNeeded
from copa_nb.significance.simulation import STATISTICS, Power, with_interval
from copa_nb.tables.columns import several

if TYPE_CHECKING:
    from matplotlib.axes import Axes

ALONG = ("n_runs", "effect")
_CORRECTED = {
    "runs_pvalue": "p, unadjusted (single runs)",
    "holm": "p after Holm",
    "benjamini_hochberg": "p after Benjamini-Hochberg",
    "benjamini_yekutieli": "p after Benjamini-Yekutieli",
}
_EFFECTS = {
    "runs": ("effect", "Cohen's d of single runs (log beyond ±1)"),
    "front": ("relative", "relative difference of the fronts (log beyond ±1)"),
}


_SIDES = {"baseline": ("s", 1), "new": ("o", 0)}  # marker, and number of the series whose color it has
_SMALLEST_DRAWN = 1e-300  # differences below are drawn as none: bars would have no width


@of_paper("boyi2026significance")
@offered_by(HypervolumeTest)
@in_palette
@shared_parameters
def plot_null_distribution(
    test: HypervolumeTest,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    bins: int = 40,
    title: bool = True,
    **bar_kws: Any,
) -> Axes:
    """Draw the null distribution of the difference, the part of it that counts for p, and the observed difference.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of ``df.moo.hv_test()``.
    %(palette)s
    %(ax)s
    bins : int
        Approximate number of bars.
    title : bool
        Whether to name both sides above the plot.
    **bar_kws
        Keyword arguments for the bars, passed to ``seaborn.histplot``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> test = copa_nb.moo(runs, {"cost": "min", "time": "min"}, system="agent").hv_test(new="A", baseline="B")
    >>> ax = test.plot()
    >>> plt.close(ax.figure)
    """
    import seaborn as sns
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    edges = _edges(test, bins)
    extreme = mark_extreme(
        test.statistic,
        test.null_distribution,
        alternative=test.tail,
        tolerance=tie_tolerance(test.hypervolume_new, test.hypervolume_baseline),
    )
    times = " twice" if test.tail == "smaller tail" else ""
    colors = {f"at least as extreme:\ncounted{times} in p": series_color(1), "less extreme": "0.72"}
    more, less = colors
    looks: dict[str, Any] = {"edgecolor": "white", "linewidth": 0.4, "alpha": 1, **bar_kws}
    sns.histplot(
        x=test.null_distribution, hue=np.where(extreme, more, less), hue_order=[more, less], palette=colors,
        multiple="stack", bins=edges.tolist(), legend=False, ax=ax, **looks,
    )  # fmt: skip
    drawn = [kind for kind, some in ((less, ~extreme), (more, extreme)) if some.any()]
    bars = dict(zip(drawn, ax.containers, strict=True))
    for kind, container in bars.items():
        container.set_label(kind)
    ax.axvline(
        test.statistic, color=INK, lw=1.6, label=f"observed Δ = {text.minus(text.number(test.statistic, 3))}", zorder=3
    )
    if test.tail == "two-sided" and test.statistic:
        ax.axvline(-test.statistic, color=INK, lw=1.2, ls=":", label="−Δ", zorder=3)
    of = "hypervolume difference" if test.reference else f"difference of minus {test.name}"
    ax.set_xlabel(f"{of}, new − baseline")
    ax.set_ylabel(f"permutations ({'all ' if test.exact else ''}{test.n_resamples:,})")
    if title:
        ax.set_title(_title(test), wrap=True)
    ax.set_ylim(0, 1.06 * max(1, np.histogram(test.null_distribution, edges)[0].max()))
    if is_narrow(ax.get_figure(root=True)):
        ax.xaxis.set_major_locator(MaxNLocator(4))
    outer_legend(ax)
    return ax


@describes(plot_null_distribution)
def _null_in_words(test: HypervolumeTest, **options: Any) -> Picture:
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    extreme = {"greater": "at least as large as", "less": "at most as large as"}.get(
        test.options.alternative, "at least as far from 0 as"
    )
    drawn = f"{'all ' if test.exact else ''}{test.n_resamples:,} permutations"
    difference = "hypervolume difference" if test.reference else f"difference in {test.name}"
    return Picture(
        finding=f"{text.percent(test.pvalue, first=True)} of the permutations give a {difference} {extreme} "
        "the observed one",
        caption=f"The {difference} between {new} and {baseline} under {drawn} of their labels (bars), and the observed "
        f"difference (line); {text.pvalue(test.pvalue)}. Orange bars count for p.",
        alt=f"Histogram of the {difference} under {drawn}, with a line at the observed difference, "
        f"{text.number(test.statistic, 3)}.",
        data=pd.DataFrame({"difference": test.null_distribution}),
        height=3.0,
        narrow_height=3.6,
    )


def _edges(test: HypervolumeTest, bins: int) -> np.ndarray:
    """Edges of the bars, with the observed difference and its mirror image among them where that is possible.

    Then the differences within a bar either all count for p or all do not.
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


def _title(test: HypervolumeTest) -> str:
    """Name both sides and the outcome."""
    new, baseline = (literal(text.listing(map(system_name, side))) for side in (test.new, test.baseline))
    outcome = f"{text.pvalue(test.pvalue)}{' (exact)' if test.exact else ''}"
    return f"{new} against {baseline}: {outcome}"


@of_paper("boyi2026significance")
@offered_by(HypervolumeTest, kind="runs")
@in_palette
@shared_parameters
def plot_runs(
    test: HypervolumeTest,
    *,
    x: Hashable | None = None,
    y: Hashable | None = None,
    others: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
) -> Axes:
    """Draw the runs of both sides of a claim in two objectives, and their means.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of ``df.moo.hv_test()``.
    x, y : label, optional
        Objectives to draw; the first cost against the first benefit if omitted, and a single one along one axis.
        Those whose logarithm the test takes have logarithmic axes.
    others : bool
        Whether to draw the runs of the table's other systems in gray.
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
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> test = copa_nb.moo(runs, {"cost": "min", "time": "min"}, system="agent").hv_test(new="A", baseline="B")
    >>> ax = test.plot("runs")
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    names = _drawn_names(test, x, y)
    for row, (side, (marker, series)) in enumerate(_SIDES.items()):
        points = _points(test.runs.loc[test.runs["side"] == side], names, row)
        looks: dict[str, Any] = {"marker": marker, "color": series_color(series)}
        ax.scatter(points[:, 0], points[:, 1], s=36, edgecolor="white", lw=0.5, alpha=0.6, zorder=3, **looks)
        mean = points.mean(axis=0)
        ax.scatter(mean[0], mean[1], s=150, edgecolor=INK, lw=1.2, label=side, zorder=4, **looks)
    rest = _points(_other_runs(test), names, row=len(_SIDES))
    if others and len(rest):
        ax.scatter(rest[:, 0], rest[:, 1], s=12, color=GRAY, alpha=0.6, label="other systems")
    for axis, name in zip("xy", names, strict=False):
        if name in test.log:
            plain_log(ax, axis)
    across, *up = ((name, test.objectives.direction(name)) for name in names)
    if up:
        label_objectives(ax, across, *up)
        outer_legend(ax)
    else:
        _label_rows(ax, across, [*_SIDES, "other systems"] if others and len(rest) else list(_SIDES))
    return ax


def _drawn_names(test: HypervolumeTest, x: Hashable | None, y: Hashable | None) -> list[Hashable]:
    """Return the objectives to draw: a single one is drawn along one axis."""
    return list(dict.fromkeys(test.objectives.names[k] for k in drawn_columns(test.objectives, x, y)))


def _points(runs: pd.DataFrame, names: Sequence[Hashable], row: int) -> np.ndarray:
    """Return where runs are drawn; those of a single objective lie in a row of their own."""
    points = runs[list(names)].to_numpy(dtype=float)
    return points if len(names) > 1 else np.column_stack([points, np.full(len(points), row, dtype=float)])


def _label_rows(ax: Axes, across: tuple[Hashable, str], rows: Sequence[str]) -> None:
    """Name the only objective, and the row of each side."""
    name, direction = across
    ax.set_xlabel(directed_label(name, direction))
    ax.set_yticks(range(len(rows)), rows)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    put_best_up_right(ax, direction, "max")


def _other_runs(test: HypervolumeTest) -> pd.DataFrame:
    frame = test.inputs.frame
    return frame.iloc[np.setdiff1d(np.arange(len(frame)), test.inputs.rows)]


def _differences_in_words(test: HypervolumeTest, x: Hashable | None, y: Hashable | None) -> str:
    """By how much the means differ, in the units of the objectives."""
    names = _drawn_names(test, x, y)
    means = several(test.runs, names).groupby(test.runs["side"].to_numpy()).mean()
    said = []
    for name in names:
        difference = float(means[name]["new"] - means[name]["baseline"])
        said.append(f"{text.spoken(name)} {'+' if difference > 0 else ''}{text.number(difference, 2)}")
    return text.minus(", ".join(said))


@describes(plot_runs)
def _runs_in_words(
    test: HypervolumeTest, *, x: Hashable | None = None, y: Hashable | None = None, others: bool = True
) -> Picture:
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    axes = " against ".join(reversed(list(map(text.spoken, _drawn_names(test, x, y)))))
    gray = ", and those of the other systems (gray)" if others and len(_other_runs(test)) else ""
    return Picture(
        finding=f"New against baseline, on average: {_differences_in_words(test, x, y)}",
        caption=f"The {test.n_new} runs of {new} (new) and the {test.n_baseline} runs of {baseline} (baseline){gray}; "
        "large marks are the means.",
        alt=f"Scatter plot of {axes}: {test.n_new} runs of {new} as circles, {test.n_baseline} of "
        f"{baseline} as squares.",
        data=test.runs,
        height=3.4,
        narrow_height=3.8,
    )


@of_paper("boyi2026significance")
@offered_by(Audit)
@in_palette
@shared_parameters
def plot_audit(
    outcome: Audit,
    *,
    correction: str = "holm",
    labels: int = 6,
    palette: Palette = None,
    ax: Axes | None = None,
    statistic: str = "runs",
    **scatter_kws: Any,
) -> Axes:
    """Draw one point per claim: its effect size and its adjusted p-value.

    Parameters
    ----------
    outcome : Audit
        Outcome of ``df.moo.audit()``.
    correction : {"holm", "benjamini_hochberg", "benjamini_yekutieli", "runs_pvalue"}
        Which p-value: adjusted, or ("runs_pvalue") unadjusted, that of single runs.
    labels : int
        How many of the claims that are not significant to name, the largest p first.
    %(palette)s
    %(ax)s
    statistic : {"runs", "front"}
        Which effect: Cohen's d of the hypervolumes of single runs, or the relative difference of the fronts'
        hypervolumes (of another indicator, the difference).
    **scatter_kws
        Keyword arguments for the points, passed to ``Axes.scatter``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown correction or statistic.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> runs = pd.DataFrame({"agent": ["A"] * 3 + ["B"] * 3, "cost": [1, 2, 3, 3, 4, 5], "time": [3, 2, 1, 5, 4, 3]})
    >>> outcome = copa_nb.moo(runs, {"cost": "min", "time": "min"}, system="agent").audit()
    >>> ax = outcome.plot()
    >>> plt.close(ax.figure)
    """
    checks.one_of("correction", correction, CORRECTIONS)
    ax = current_axes(ax)
    checks.one_of("statistic", statistic, tuple(_EFFECTS))
    from matplotlib.ticker import SymmetricalLogLocator

    effect, label_of_effect = _EFFECTS[statistic]
    # Another indicator may be zero or negative: its differences have no share.
    plain = statistic == "front" and outcome.options.indicator != "hypervolume"
    if plain:
        effect, label_of_effect = "difference", f"difference of minus {NAMES[outcome.options.indicator]} of the fronts"
    table, alpha = outcome.table, outcome.options.alpha
    untestable = table["smallest_pvalue"] > alpha
    significant = table[correction] <= alpha
    failing = ~significant & ~untestable
    # Marked on top, and counted among those that are not distinguishable.
    alone = failing & table.index.isin(outcome.unsupported.index)
    kinds = {
        f"not significant ({failing.sum()})": (failing, series_color(1), "X", 55),
        f"of these, fronts differ ({alone.sum()})": (alone, series_color(2), "D", 34),
        f"significant ({significant.sum()})": (significant, series_color(0), "o", 34),
        f"too few runs to test ({untestable.sum()})": (untestable, GRAY, "v", 34),
    }
    looks: dict[str, Any] = {"alpha": 0.8, "clip_on": False, "edgecolor": "white", "linewidth": 0.5, **scatter_kws}
    for label, (chosen, color, marker, size) in kinds.items():
        part = table[chosen]
        if part.empty and marker in "Dv":
            continue
        own = {"s": size, **looks}
        ax.scatter(part[effect], part[correction], color=color, marker=marker, label=label, zorder=3, **own)
    ax.set_yscale("log")
    if not plain:
        ax.set_xscale("symlog", linthresh=1.0)
        ax.xaxis.set_major_locator(SymmetricalLogLocator(base=10, linthresh=1.0, subs=[1, 2, 5]))
        effects = table[effect].to_numpy(dtype=np.float64)
        effects = effects[np.isfinite(effects)]
        ax.set_xlim(min(-0.3, 1.5 * effects.min(initial=0.0)), 1.5 * max(1.0, effects.max(initial=1.0)))
    lowest = min(float(table["smallest_pvalue"].min()), float(table[correction].min()), alpha) if len(table) else alpha
    # Many adjusted p-values are 1: their labels need room above.
    ax.set_ylim(lowest / 1.7, 3.0 if (table[correction] >= 1).sum() > 1 else 1.0)
    ax.axhline(alpha, color="0.45", lw=1, ls="--", zorder=1, label=f"α = {alpha:g}")
    smallest = table["smallest_pvalue"].min() if len(table) else np.nan
    if correction == "runs_pvalue" and np.isfinite(smallest):
        ax.axhline(
            smallest, color="0.6", lw=1, ls=":", zorder=1, label=f"smallest attainable p, {text.number(smallest, 2)}"
        )
    ax.xaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.yaxis.set_major_formatter(lambda value, _: f"{value:g}")
    ax.set_xlabel(label_of_effect)
    ax.set_ylabel(_CORRECTED[correction])
    outer_legend(ax)
    _label_failing(ax, table[failing], effect, correction, labels)
    return ax


@describes(plot_audit)
def _audit_in_words(
    outcome: Audit, *, correction: str = "holm", labels: int = 6, statistic: str = "runs", **options: Any
) -> Picture:
    checks.one_of("correction", correction, CORRECTIONS)
    table, alpha = outcome.table, outcome.options.alpha
    effect = "Cohen's d of single runs" if statistic == "runs" else "the difference of the fronts"
    drawn = _CORRECTED[correction].split(" (")[0]
    significant = int((table[correction] <= alpha).sum())
    return Picture(
        finding=say(part("audit.phrases.significant", significant=significant, total=len(table))),
        caption=f"One point per claim: {effect}, and {drawn}. The dashed line is α = {alpha:g}."
        + (
            " Letters name claims that are not significant, from the largest p."
            if labels and significant < len(table)
            else ""
        ),
        alt=f"Scatter plot of {drawn} against {effect}, one point for each of {len(table):,} claims; "
        f"{significant:,} lie at or below α = {alpha:g}.",
        data=table,
        height=3.8,
        narrow_height=4.4,
    )


def _label_failing(ax: Axes, part: pd.DataFrame, effect: str, correction: str, most: int) -> None:
    """Letter the claims with the largest p, and list them in a key below the figure."""
    part = part[np.isfinite(part[effect])].sort_values(correction, ascending=False).head(most)
    figure: Any = ax.get_figure(root=True)
    if part.empty:
        return
    names = [f"{claim['new']} over {claim['baseline']}" for _, claim in part.iterrows()]
    # Letters: systems may have numbers of their own.
    numbers = numbered(figure, names, letters=True, columns=1)
    places = part[[effect, correction]].to_numpy(dtype=np.float64)
    label_points(ax, places[:, 0], places[:, 1], numbers, fontsize="small", color=INK)


_REJECTED = {
    "front": "share of simulations with p ≤ α",
    "runs": "share of simulations with p ≤ α for single runs",
}


@of_paper("boyi2026significance")
@offered_by(Power)
@in_palette
@shared_parameters
def plot_power(
    study: Power,
    *,
    along: str | None = None,
    target: float = 0.8,
    palette: Palette = None,
    ax: Axes | None = None,
    statistic: str = "runs",
    **line_kws: Any,
) -> Axes:
    """Draw power curves with their simulation intervals.

    Parameters
    ----------
    study : Power
        Outcome of :func:`copa_nb.power`.
    along : {"n_runs", "effect"}, optional
        What is on the horizontal axis; by default, whichever has more values.
    target : float
        Power to mark with a horizontal line.
    %(palette)s
    %(ax)s
    statistic : {"runs", "front"}
        Which comparison: single runs, which decides whether a result is significant, or fronts.
    **line_kws
        Keyword arguments for the lines, passed to ``Axes.plot``.

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
    >>> ax = copa_nb.power(effect=[0.1, 0.2], n_runs=[3, 4, 5], noise=0.05, n_simulations=50).plot()
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    checks.one_of("statistic", statistic, tuple(STATISTICS))
    table = with_interval(study.table, STATISTICS[statistic])
    along = _drawn_along(table, along)
    other = "effect" if along == "n_runs" else "n_runs"
    for i, value in enumerate(sorted(table[other].unique())):
        part = table[table[other] == value].sort_values(along)
        x = part[along] * (1 if along == "n_runs" else 100)
        name = f"effect {100 * value:g}%" if other == "effect" else f"{value} runs"
        looks = {**series_looks(i), **line_kws}
        ax.plot(x, part["power"], label=name, zorder=3, **{"clip_on": False, **looks})
        ax.fill_between(x, part["low"], part["high"], color=looks["color"], alpha=0.15, lw=0)
    ax.axhline(target, color="0.45", lw=1, ls="--", zorder=1, label=f"power {target:g}")
    ax.axhline(study.options.alpha, color="0.45", lw=1, ls=":", zorder=1, label=f"α = {study.options.alpha:g}")
    ax.set_ylim(0, 1)
    ax.set_xlabel(
        "runs of each system" if along == "n_runs" else "true effect: gain in hypervolume, % of the baseline's"
    )
    ax.set_ylabel(_REJECTED[statistic])
    if along == "n_runs":
        ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    outer_legend(ax)
    return ax


def _drawn_along(table: pd.DataFrame, along: str | None) -> str:
    """What the horizontal axis shows: as asked for, else what has more values."""
    if along is None:
        return "effect" if table["effect"].nunique() > table["n_runs"].nunique() else "n_runs"
    checks.one_of("along", along, ALONG)
    return along


@describes(plot_power)
def _power_in_words(
    study: Power, *, along: str | None = None, target: float = 0.8, statistic: str = "runs", **options: Any
) -> Picture:
    table = with_interval(study.table, STATISTICS[statistic])
    low, high = table["power"].min(), table["power"].max()
    reached = table.loc[table["power"] >= target]
    finding = f"No setting reaches a power of {target:g}; the largest is {text.number(high, 2)}"
    if len(reached):
        least = reached.sort_values(["n_runs", "effect"]).iloc[0]
        finding = (
            f"{least['n_runs']:.0f} runs per system reach a power of {target:g} for an effect of "
            f"{100 * least['effect']:g}%"
        )
    if low >= target:
        finding = f"Every setting reaches a power of {target:g}"
    way = {"n_runs": "the number of runs", "effect": "the effect"}[_drawn_along(table, along)]
    whose = {"front": "the comparison of fronts", "runs": "the comparison of single runs"}
    return Picture(
        finding=finding,
        caption=f"Power of {whose[statistic]} against {way}, with 95% intervals"
        f" of {table['n_simulations'].max():,} simulations for each of {len(table):,} settings; "
        f"{study.noise.description}, α = {study.options.alpha:g}.",
        alt=f"Power curves from {text.number(low, 2)} to {text.number(high, 2)}, with lines at {target:g} and at α.",
        data=study,
        height=3.4,
        narrow_height=3.8,
    )


@offered_by(RunsNeeded)
def plot_runs_needed(answer: RunsNeeded, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the power against the number of runs; see :meth:`copa_nb.results.Power.plot`."""
    return answer.evaluated.plot(ax=ax, target=answer.power, statistic=answer.statistic, **kwargs)


@describes(plot_runs_needed)
def _needed_in_words(answer: RunsNeeded, **options: Any) -> Picture:
    drawn = _power_in_words(answer.evaluated, target=answer.power, statistic=answer.statistic, **options)
    return replace(drawn, finding=answer.headline)
