"""Figures of the paper on the significance of Pareto improvements, and of its replications."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.comparisons.confident_front import ConfidentFront
from copa_nb.comparisons.plots.systems import plot_confident_front
from copa_nb.pareto.front import layers
from copa_nb.plotting.axes import outer_legend, panels, plain_log, put_best_up_right, shared_legend
from copa_nb.plotting.keys import numbered_key
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import DOMINATED, INK, MARKERS, PALETTE, current_axes
from copa_nb.significance.audit import Audit
from copa_nb.significance.plots import plot_audit
from copa_nb.tables.described_frame import DescribedFrame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# When the language models behind a batch of agents were published.
_PUBLISHED = {"0409": "April 2024", "0613": "June 2023"}
_MEASURED = ["accuracy", "cost_usd", "time_s"]


def plot_agents(runs: pd.DataFrame, *, batch: str, first: int = 1, ax: Axes | None = None) -> Axes:
    """Draw the mean accuracy and cost of agents, with the spread of the accuracy over their runs.

    Parameters
    ----------
    runs : DataFrame
        One row per agent and run, of :func:`copa_nb.datasets.load_agents`.
    batch : str
        Name of the batch of agents.
    first : int
        Number of the first agent, for figures of several batches whose agents all have numbers of their own.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    table = _by_cost(runs)
    cost, accuracy = table["cost_usd", "mean"], table["accuracy", "mean"]
    means = pd.DataFrame({"cost": cost, "accuracy": accuracy})
    front = layers(DescribedFrame.of(means, {"cost": "min", "accuracy": "max"}), 1).to_numpy() == 1
    kinds = {"Pareto-optimal by the means": (front, "o", PALETTE[0]), "dominated": (~front, "o", DOMINATED)}
    for name, (chosen, marker, color) in kinds.items():
        spread = table["accuracy", "std"][chosen].fillna(0)
        looks: dict[str, Any] = {"ls": "", "marker": marker, "color": color, "lw": 1, "ms": 5}
        ax.errorbar(cost[chosen], accuracy[chosen], yerr=spread, label=name, **looks)
    ax.set(xlabel="cost of one run ($, log scale) ↓", ylabel="accuracy on HumanEval ↑")
    plain_log(ax, "x")
    ax.set_ylim(accuracy.min() - 0.03, min(1, accuracy.max() + 0.03))
    ax.set_xlim(cost.min() / 1.6, cost.max() * 1.6)
    put_best_up_right(ax, "min", "max")
    ax.legend(loc="lower left")
    numbers = {str(place): name for place, name in enumerate(table.index, start=first)}
    figure: Any = ax.get_figure(root=True)
    numbered_key(figure, numbers, columns=2)
    label_points(ax, cost.to_numpy(), accuracy.to_numpy(), list(numbers), fontsize="small")
    return ax


@describes(plot_agents)
def _agents_in_words(runs: pd.DataFrame, *, batch: str, **options: Any) -> Picture:
    table = _by_cost(runs)
    cost, accuracy = table["cost_usd", "mean"], table["accuracy", "mean"]
    return Picture(
        finding=f"Models of {_PUBLISHED.get(batch, f'batch {batch}')}: cost per run spans "
        f"${text.number(cost.min(), 2)} to ${text.number(cost.max(), 3)}, accuracy {accuracy.min():.2f} to "
        f"{accuracy.max():.2f}",
        caption=f"Mean accuracy and cost of the agents of batch {batch}; bars are one standard deviation of the "
        "accuracy over up to five runs. Agents are numbered by cost.",
        alt="Scatter plot of accuracy against cost on a log scale; few agents are Pareto-optimal.",
        data=table.set_axis([" ".join(column) for column in table.columns], axis="columns").sort_index(),
        narrow_height=5.6,
    )


def _by_cost(runs: pd.DataFrame) -> pd.DataFrame:
    """Mean, standard deviation and number of runs of each agent, the cheapest first."""
    table = runs.groupby("system")[_MEASURED].agg(["mean", "std", "size"])
    return table.iloc[np.argsort(table["cost_usd", "mean"])]


_LETTERED = 2  # claims of each batch


def draw_claims(audits: Mapping[str, Audit]) -> Figure:
    """Draw the audits of several batches below one another.

    Parameters
    ----------
    audits : mapping of batch to Audit
        Of the same objectives.

    Returns
    -------
    Figure
    """
    # Two batches with their letters fit on half a page, over one axis that holds the effects of both.
    figure, axes = panels(len(audits), columns=1, height=2.0, narrow_height=4.2, sharex=True)
    ranges = []
    for ax, (batch, audit) in zip(np.ravel(axes), audits.items(), strict=True):
        plot_audit(audit, ax=ax, labels=_LETTERED)
        ranges.append(ax.get_xlim())
        ax.set_title(f"batch {batch}, {text.listing(map(text.spoken, audit.objectives))}")
    for ax in np.ravel(axes):
        ax.set_xlim(np.min(ranges), np.max(ranges))
        ax.label_outer()
    return figure


@describes(draw_claims)
def _claims_in_words(audits: Mapping[str, Audit]) -> Picture:
    shown = pd.concat({batch: audit.table for batch, audit in audits.items()}, names=["batch"])
    significant = sum(len(audit.significant) for audit in audits.values())
    tested = len(shown) - sum(len(audit.untestable) for audit in audits.values())
    objectives = text.listing(map(text.spoken, next(iter(audits.values())).objectives))
    return Picture(
        finding=f"{significant} of the {tested} claims in {objectives} that have enough runs are significant",
        caption="Every claim: the difference between the hypervolumes of single runs in standard deviations (Cohen's "
        f"d), and p after Holm's adjustment. The {_LETTERED} claims with the largest p of each batch are lettered."
        + " Claims with too few runs to test are at p = 1."
        * any(len(one.untestable) for one in audits.values()),
        alt=f"Scatter plot of adjusted p against effect, one panel per batch; {significant} of {tested} testable "
        "claims lie at or below α.",
        data=shown,
    )


def plot_dominated_area(points: pd.DataFrame, *, reference: Sequence[float], ax: Axes | None = None) -> Axes:
    """Shade the area that points dominate, up to a reference point, for two minimized objectives.

    Parameters
    ----------
    points : DataFrame
        Two columns of values of at least 0; the index names the points.
    reference : sequence of two float
        The reference point.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    right, top = reference
    for x, y in points.to_numpy():
        ax.fill_between([x, right], y, top, color=PALETTE[0], alpha=0.18, lw=0)
    ax.plot(*points.to_numpy().T, ls="", marker="o", color=PALETTE[0], ms=7)
    ax.plot(right, top, marker="X", color=INK, ms=9, ls="")
    near: dict[str, Any] = {"textcoords": "offset points", "ha": "right"}
    for label, (x, y) in zip(points.index, points.to_numpy(), strict=True):
        ax.annotate(label, (x, y), xytext=(-6, -5), va="top", **near)
    ax.annotate("reference point", (right, top), xytext=(4, 8), va="bottom", **near)
    first, second = points.columns
    ax.set(xlim=(0, right + 0.35), ylim=(0, top + 0.6), xlabel=f"{first} ↓", ylabel=f"{second} ↓")
    return ax


@describes(plot_dominated_area)
def _area_in_words(points: pd.DataFrame, *, reference: Sequence[float], **options: Any) -> Picture:
    right, top = reference
    return Picture(
        finding=f"The shaded area is dominated by {len(points)} points",
        caption=f"The area that {len(points)} points dominate, up to the reference point ({right:g}, {top:g}).",
        alt=f"{len(points)} points and the shaded area above and to the right of them.",
        data=points,
    )


def plot_decisions(compared: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw p with the hypervolume against p with the printed listing.

    Parameters
    ----------
    compared : DataFrame
        One row per comparison: ``p`` and ``printed p``.
    alpha : float
        Level of the tests.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    changed = (compared["p"] <= alpha) != (compared["printed p"] <= alpha)
    looks: dict[str, Any] = {"s": 26, "alpha": 0.7, "edgecolor": "white", "lw": 0.4, "clip_on": False}
    for decision, chosen, marker in (("same decision", ~changed, "o"), ("different decision", changed, "X")):
        part = compared[chosen]
        ax.scatter(part["p"], part["printed p"], marker=marker, label=f"{decision} ({chosen.sum()})", **looks)
    ax.plot([0.005, 1], [0.005, 1], color="0.5", ls=":", lw=1, label="both equal")
    ax.axhline(alpha, color="0.5", lw=0.8, ls="--", label=f"α = {alpha:g}")
    ax.axvline(alpha, color="0.5", lw=0.8, ls="--")
    limits = (0.005, 1)
    ax.set(xlabel="p with the hypervolume", ylabel="p with the printed listing", xlim=limits, ylim=limits)
    for axis in "xy":
        plain_log(ax, axis)
    outer_legend(ax)
    return ax


@describes(plot_decisions)
def _decisions_in_words(compared: pd.DataFrame, *, alpha: float = 0.05, **options: Any) -> Picture:
    changed = int(((compared["p"] <= alpha) != (compared["printed p"] <= alpha)).sum())
    return Picture(
        finding=f"The printed listing changes the decision in {changed} of {len(compared)} comparisons",
        caption=f"p of {len(compared)} simulated comparisons, with the hypervolume and with the printed listing.",
        alt="Scatter plot of both p-values; many points are far from the diagonal.",
        data=compared,
        height=4.05,
        narrow_height=4.2,
    )


def draw_confident_fronts(fronts: Mapping[str, ConfidentFront], *, x: Hashable, y: Hashable) -> Figure:
    """Draw the fronts with confidence of several batches side by side, with a log-scaled horizontal axis.

    Parameters
    ----------
    fronts : mapping of batch to ConfidentFront
        Of the same objectives.
    x, y : label
        Objectives to draw.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(fronts), height=3.9)
    for ax, (batch, front) in zip(np.ravel(axes), fronts.items(), strict=True):
        plot_confident_front(front, x=x, y=y, log=[x], labels=front.central, key=True, ax=ax)
        ax.set_title(f"batch {batch}")
        ax.get_legend().remove()
        for drawn in ax.collections:
            # Counts differ between batches, which share a legend.
            drawn.set_label(str(drawn.get_label()).split(" (")[0])
    # The key is below.
    shared_legend(np.ravel(axes), loc="outside upper center")
    return figure


@describes(draw_confident_fronts)
def _confident_fronts_in_words(fronts: Mapping[str, ConfidentFront], *, x: Hashable, y: Hashable) -> Picture:
    sure, central = (
        sum(len(getattr(front, part)) for front in fronts.values()) for part in ("conservative", "central")
    )
    return Picture(
        finding=f"Of the {central} agents on the fronts of means, {sure or 'none'} {'is' if sure <= 1 else 'are'} "
        "significantly on the front",
        caption=f"{text.spoken(y).capitalize()} against {text.spoken(x)}, means over runs. The true front lies within "
        "the dashed line, which joins the agents that may be on it, and in the shaded zone where an agent is "
        "significantly on it. Agents on the front of means are numbered.",
        alt=f"Scatter plots of {len(fronts)} batches of agents, with the zone between the conservative and the "
        "optimistic front.",
        data=pd.concat({batch: front.table for batch, front in fronts.items()}, names=["batch"]).reset_index("batch"),
    )


def draw_paired_pvalues(audits: Mapping[tuple[str, bool], Audit], titles: Mapping[str, str]) -> Figure:
    """Draw p of the same claims with and without pairing, one panel per kind of front.

    Parameters
    ----------
    audits : mapping of (kind of front, paired) to Audit
        Audits of the same claims.
    titles : mapping of kind of front to str
        Titles of the panels.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(titles), height=3.9, narrow_height=3.4, sharex=True, sharey=True)
    for ax, (kind, title) in zip(np.ravel(axes), titles.items(), strict=True):
        plain, matched = audits[kind, False], audits[kind, True]
        _scatter_by_domain(ax, plain, matched)
        ax.plot([1e-4, 1], [1e-4, 1], color="0.5", ls=":", lw=1)
        for draw_level in (ax.axhline, ax.axvline):
            draw_level(plain.options.alpha, color="0.5", ls="--", lw=0.8)
        ax.set(xlabel="p, labels exchanged over all folds", title=title, xlim=(1e-4, 1), ylim=(1e-3, 1))
        for axis in "xy":
            plain_log(ax, axis)
        if ax.get_subplotspec().is_first_col():
            ax.set_ylabel("p, exchanged within folds")
    shared_legend(axes, columns=3)
    return figure


def _scatter_by_domain(ax: Axes, plain: Audit, matched: Audit) -> None:
    domains = plain.table[plain.by[0]]
    looks: dict[str, Any] = {"s": 24, "alpha": 0.75, "lw": 0.4, "edgecolor": "white", "clip_on": False, "zorder": 3}
    for i, domain in enumerate(domains.unique()):
        chosen = domains == domain
        ax.scatter(
            plain.table.loc[chosen, "pvalue"],
            matched.table.loc[chosen, "pvalue"],
            color=PALETTE[i % len(PALETTE)],
            marker=MARKERS[i % len(MARKERS)],
            label=domain,
            **looks,
        )


@describes(draw_paired_pvalues)
def _pairing_in_words(audits: Mapping[tuple[str, bool], Audit], titles: Mapping[str, str]) -> Picture:
    kind = list(titles)[-1]
    plain, matched = audits[kind, False].table["pvalue"], audits[kind, True].table["pvalue"]
    smaller = int((matched.to_numpy() < plain.to_numpy()).sum())
    return Picture(
        finding=f"For {titles[kind].removesuffix(' over folds')}, pairing gives the smaller p in {smaller} of "
        f"{len(plain)} claims",
        caption="p of every claim with and without pairing. Below the dotted diagonal, pairing gives the smaller p; "
        f"dashed: α = {audits[kind, True].options.alpha:g}. Ten matched folds cannot give a p below 2/1,024.",
        alt="Scatter plots of paired against unpaired p-values, one panel per kind of front.",
        data=pd.concat(
            {
                f"{kind}, {'within folds' if paired else 'over all folds'}": audit.table
                for (kind, paired), audit in audits.items()
            },
            names=["test", "claim"],
        ),
    )


def plot_rejections(size: pd.DataFrame, *, alpha: float = 0.05, ax: Axes | None = None) -> Axes:
    """Draw how often the test rejects a true null hypothesis, with intervals of the simulation.

    Parameters
    ----------
    size : DataFrame
        One row per setting and number of runs: ``setting``, ``n_runs``, ``rejected``, ``low`` and ``high``.
    alpha : float
        Level of the tests.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.

    Returns
    -------
    Axes
    """
    ax = current_axes(ax)
    settings, counts = size["setting"].unique(), size["n_runs"].unique()
    for i, count in enumerate(counts):
        part = size[size["n_runs"] == count].set_index("setting").reindex(settings)
        place = np.arange(len(part)) + 0.16 * (i - (len(counts) - 1) / 2)
        reach = [part["rejected"] - part["low"], part["high"] - part["rejected"]]
        looks: dict[str, Any] = {"ls": "", "marker": MARKERS[i], "color": PALETTE[i], "capsize": 2, "lw": 1, "ms": 4}
        ax.errorbar(part["rejected"], place, xerr=reach, clip_on=False, label=f"{count} runs", **looks)
    ax.axvline(alpha, color="0.4", ls="--", lw=1, label=f"α = {alpha:g}")
    ax.set_yticks(range(len(settings)), [_in_two_lines(name) for name in settings])
    ax.invert_yaxis()
    ax.set(xlabel="share of simulations with p ≤ α", xlim=(0, None), xticks=np.arange(5) * 0.02)
    outer_legend(ax)
    return ax


def _in_two_lines(name: str) -> str:
    """Break the name of a setting before its last words, or after a comma."""
    return name.replace(" objectives", "\nobjectives").replace(" reference", "\nreference").replace(", ", ",\n")


@describes(plot_rejections)
def _rejections_in_words(size: pd.DataFrame, *, alpha: float = 0.05, **options: Any) -> Picture:
    beyond = int((size["low"] > alpha).sum())
    return Picture(
        finding=f"{beyond} of {len(size)} intervals lie entirely above α"
        if beyond
        else "No setting rejects significantly more often than α",
        caption=f"Rejection rate under the null hypothesis, {size['n_simulations'].iloc[0]:,} simulations each, with "
        "95% intervals. A test exceeds its level if an interval lies entirely above α.",
        alt=f"Intervals of the rejection rate per setting and number of runs; {beyond} lie entirely above α.",
        data=size,
        height=4.05,
        narrow_height=5.4,
    )
