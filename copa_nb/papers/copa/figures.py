"""Plots that a single figure of the COPA paper needs: results in, a Figure out."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.comparisons.plots.mean_ranks import plot_ccdf, plot_scaled_performance
from copa_nb.papers.copa.paths import plot_paths, written_name
from copa_nb.pareto.plots import plot_front
from copa_nb.plotting.axes import panels, plain_log, shared_legend
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    DOMINATED,
    PALETTE,
    chosen_looks,
    current_axes,
    is_narrow,
    lines_with_hero,
    literal,
    rival_looks,
    series_looks,
    shorten_all,
)
from copa_nb.ranking.criterion import resolve_p, write_p
from copa_nb.selection.plots.decisions import plot_stability
from copa_nb.selection.stability import OVER

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    from copa_nb.comparisons.mean_ranks import MeanRanks
    from copa_nb.selection.criteria import Criteria
    from copa_nb.selection.navigate import Navigation
    from copa_nb.selection.stability import Stability

_MOST_BARS = 8
_BOX, _AXIS = 0.26, 0.4  # inches that a row of boxes and the horizontal axis take
_FORMULAS = {"inside": r"inside: $(\sum |w u|^p)^{1/p}$", "outside": r"outside: $(\sum w |u|^p)^{1/p}$"}
# True ranks whose variance is drawn by size, as in the paper's inset.
_BY_SIZE = (0.1, 0.25, 0.5)


def plot_scaled_and_ranked(mean_ranks: MeanRanks, *, view: tuple[float, float] = (-0.5, 1.0), of: str = "") -> Figure:
    """Draw scaled performance and CCDF next to each other, one row of boxes per system.

    Parameters
    ----------
    mean_ranks : MeanRanks
        With a baseline.
    view : tuple of two float
        Range of the scaled performance that is drawn.
    of : str
        What the items are called; used by the description only.

    Returns
    -------
    Figure
    """
    figure, (left, right) = panels(2, height=_BOX * len(mean_ranks.table) + _AXIS, narrow_height=3.2)
    plot_scaled_performance(mean_ranks, ax=left, view=view)
    plot_ccdf(mean_ranks, ax=right)
    right.set_xlim(0, 1)
    left.locator_params(axis="x", nbins=4)
    if not is_narrow(figure):
        right.tick_params(axis="y", labelleft=False)
    return figure


@describes(plot_scaled_and_ranked)
def _scaled_and_ranked_in_words(
    mean_ranks: MeanRanks, *, view: tuple[float, float] = (-0.5, 1.0), of: str = ""
) -> Picture:
    table, n_items, systems = mean_ranks.table, mean_ranks.ccdf.shape[1], text.plural(mean_ranks.system, "systems")
    items = of or text.plural(mean_ranks.item, "items")
    hidden, ccdf = int(mean_ranks.count_out_of_range(view).sum()), mean_ranks.ccdf.to_numpy(dtype=float)
    within = bool(np.nanmin(ccdf) >= 0 and np.nanmax(ccdf) <= 1)
    partial = {name: int(count) for name, count in table["items"].items() if count < n_items}
    columns = {"ccdf": ccdf.ravel()}
    if mean_ranks.scaled is not None:
        columns["scaled"] = mean_ranks.scaled.to_numpy().ravel()
    return Picture(
        finding=f"{text.label(table.index[0])} comes first on {n_items} {items}; {hidden} scaled results are out of "
        f"view, {'but no CCDF is' if within else 'and so are some CCDF'}",
        caption=f"{n_items} {items}. Performance scaled between {text.label(mean_ranks.baseline)} (0) and the best "
        f"(1), where ◀ counts results out of view; and CCDF, the share of the {systems} that are no better. Boxes span "
        "the quartiles, whiskers 1.5 times their distance; the diamond is the mean, where it is in view."
        + "".join(f" {text.label(name)} has results on {count} of the {n_items}." for name, count in partial.items()),
        alt=f"Two panels of boxes, one box for each of {len(table)} {systems}: scaled performance, with {hidden} "
        "results out of view, and CCDF.",
        data=pd.DataFrame(
            columns, index=pd.MultiIndex.from_product([mean_ranks.ccdf.index, mean_ranks.ccdf.columns])
        ).reset_index(),
    )


def plot_by_kind(mean_ranks: Mapping[str, MeanRanks]) -> Figure:
    """Draw the mean CCDF of each system by kind of task, a row for each system.

    Parameters
    ----------
    mean_ranks : mapping of kind to MeanRanks
        Of the same systems.

    Returns
    -------
    Figure
        The system with the largest mean over the kinds is on top.
    """
    table = _mean_ccdf(mean_ranks)
    figure, ax = panels(height=0.24 * len(table) + 1.2, narrow_height=0.26 * len(table) + 1.4)
    rows = np.arange(len(table))
    ax.hlines(rows, table.min(axis=1), table.max(axis=1), color="0.8", lw=1.2, zorder=1)
    for number, (kind, ranked) in enumerate(mean_ranks.items()):
        looks: dict[str, Any] = {**series_looks(number), "ls": "", "ms": 6, "clip_on": False}
        items = text.plural(ranked.item, "items")
        ax.plot(table[kind], rows, label=f"{kind} ({ranked.ccdf.shape[1]} {items})", **looks)
    ax.set_yticks(rows, shorten_all(map(text.label, table.index), 24))
    ax.set(xlim=(0, 1), ylim=(len(table) - 0.5, -0.5), xlabel="mean CCDF ↑")
    ax.grid(visible=False, axis="y")
    shared_legend(ax)
    return figure


def _mean_ccdf(mean_ranks: Mapping[str, MeanRanks]) -> pd.DataFrame:
    """Return the mean CCDF of each system by kind, the best of their means first."""
    table = pd.DataFrame({kind: one.table["mean"] for kind, one in mean_ranks.items()})
    return table.loc[table.mean(axis=1).sort_values(ascending=False, kind="stable").index]


@describes(plot_by_kind)
def _by_kind_in_words(mean_ranks: Mapping[str, MeanRanks]) -> Picture:
    table = _mean_ccdf(mean_ranks)
    firsts = {kind: text.label(table[kind].idxmax()) for kind in table}
    alone = len(set(firsts.values())) == 1
    first = next(iter(firsts.values()))
    return Picture(
        finding=f"{first} has the largest mean CCDF on every kind of task"
        if alone
        else f"Largest mean CCDF: {text.listing(f'{name} ({kind})' for kind, name in firsts.items())}",
        caption="Mean CCDF of each framework, the share of the frameworks that are no better, by kind of task.",
        alt=f"Dots for {len(table)} frameworks in rows, one for each of {len(table.columns)} kinds of task: the mean "
        "CCDF.",
        data=table,
    )


def plot_sliders(paths: Mapping[Hashable, Navigation], *, cap: float | None = None) -> Figure:
    """Draw paths along fronts of two objectives with the swept one upwards, as Figure 5 does.

    Parameters
    ----------
    paths : mapping of title, or of a tuple of its parts, to Navigation
        Of the same two objectives.
    cap : float, optional
        Limit on the swept objective, under which the paths were made: drawn as a line.

    Returns
    -------
    Figure
        Stars mark the rows selected at α = 1/2, named above the panels.
    """
    swept = next(iter(paths.values())).objective
    figure = plot_paths(paths, x=_across(paths), y=swept, at=[0.5], key=True, zoom=True)
    if cap is not None:
        for ax in figure.axes[: len(paths)]:
            ax.axhline(cap, color=PALETTE[1], lw=1.2, ls="--")
    return figure


def _across(paths: Mapping[Hashable, Navigation]) -> Hashable:
    """Return the objective that is not swept."""
    first = next(iter(paths.values()))
    return next(name for name in first.matrix.objectives.names if name != first.objective)


@describes(plot_sliders)
def _sliders_in_words(paths: Mapping[Hashable, Navigation], *, cap: float | None = None) -> Picture:
    first_title, first = next(iter(paths.items()))
    swept, other = text.spoken(first.objective), text.spoken(_across(paths))
    drawn = f"{swept} against {other}, p = {write_p(first.p)}"
    levels = ["data", "normalization"][: len(first_title) if isinstance(first_title, tuple) else 1]
    data = pd.concat({title: path.path for title, path in paths.items()}, names=levels).reset_index()
    if cap is not None:
        stops = text.listing(f"{path.n_distinct} rows ({text.label(title)})" for title, path in paths.items())
        return Picture(
            finding=f"Below the cap the slider still stops at {stops}",
            caption=f"The slider when only rows with {swept} of at most {cap:g} may be chosen (dashed line). Hollow "
            "rows are not allowed. Ranks are over all rows.",
            alt=f"{len(paths)} panels of {drawn}, with a dashed line at {cap:g}; the selected rows lie below it.",
            data=data,
        )
    middle = {title: path.places[np.abs(path.path.index - 0.5).argmin()] for title, path in paths.items()}
    ends = [
        f"{text.percent(float(middle[title]))} ({written_name(title)})"
        for title in (min(middle, key=lambda name: middle[name]), max(middle, key=lambda name: middle[name]))
    ]
    return Picture(
        finding=f"At α = 1/2 (star) the slider has covered {ends[0]} to {ends[1]} of the front",
        caption="Rows (gray), front (blue) and rows selected along α (diamonds; the larger, the wider the range of α): "
        f"{drawn}. Rows far from the front are cut off.",
        alt=f"{len(paths)} panels of {drawn}. Diamonds mark the rows selected along α, stars those at α = 1/2.",
        data=data,
    )


def plot_ranks_and_rays(
    path: Navigation, ranks: pd.DataFrame, *, at: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9), ax: Axes | None = None
) -> Axes:
    """Draw the ranks of two objectives, and the direction in which each weight looks for the front.

    Parameters
    ----------
    path : Navigation
        In two objectives.
    ranks : DataFrame
        Of each row of its table: ``u1``, ``1 - u2`` and ``front``.
    at : sequence of float
        Weights of the objective swept, whose rays and choices are drawn.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    """
    ax = current_axes(ax)
    front = ranks[ranks["front"]].sort_values("u1")
    ax.plot(ranks["u1"], ranks["1 - u2"], ".", color=DOMINATED, ms=3, mew=0, rasterized=True, label="models")
    ax.plot(front["u1"], front["1 - u2"], "o-", color=PALETTE[0], ms=3.5, lw=1.2, drawstyle="steps-post", label="front")
    for importance in at:
        end = min(1.0, (1 - importance) / importance)
        ax.plot([0, end], [1, 1 - end * importance / (1 - importance)], color="0.35", lw=0.8, ls=":")
    chosen = ranks.loc[[path.at(importance) for importance in at], ["u1", "1 - u2"]].to_numpy()
    ax.plot(*chosen.T, "*", color=chosen_looks()["color"], mec="white", ms=12, ls="none", label="selected")
    swept, other = text.spoken(path.objective), text.spoken(_across({"": path}))
    ax.set(
        xlabel=f"u₁: share of models better in {literal(swept)} (better ←)",
        ylabel=f"1 − u₂, {literal(other)} (better ↑)", xlim=(0, 1), ylim=(0, 1.02),
    )  # fmt: skip
    ax.legend(loc="lower right", markerscale=1.5, frameon=True, framealpha=0.95)
    label_points(ax, chosen[:, 0], chosen[:, 1], [f"α = {importance:g}" for importance in at])
    return ax


@describes(plot_ranks_and_rays)
def _ranks_and_rays_in_words(
    path: Navigation, ranks: pd.DataFrame, *, at: Sequence[float] = (0.1, 0.25, 0.5, 0.75, 0.9)
) -> Picture:
    swept, other = text.spoken(path.objective), text.spoken(_across({"": path}))
    best = ranks.loc[[path.at(at[len(at) // 2])]].iloc[0]
    return Picture(
        finding=f"In ranks the weight is a direction: α = {at[len(at) // 2]:g} leads to u₁ = {best['u1']:.2f} and "
        f"1 − u₂ = {best['1 - u2']:.2f}",
        caption=f"All {len(ranks):,} models by the share that is better in {swept} (u₁) and by one minus that share in "
        f"{other} (1 − u₂). The front rises from the model that is best in {swept}. Dotted: where α u₁ = (1 − α) u₂; "
        "stars: the models selected.",
        alt=f"Scatter plot of ranks in {swept} and {other}, with the front as a rising step line and {len(at)} dotted "
        "rays from the upper left corner, each with a star near its crossing with the front.",
        data=ranks.reset_index(),
        height=3.6,
    )


def plot_stabilities(results: Mapping[str, Stability]) -> Figure:
    """Draw how often rows are chosen in resamples, a panel below the other for every result.

    Parameters
    ----------
    results : mapping of title to Stability
        Of the same number of resamples.

    Returns
    -------
    Figure
    """
    rows = [min(_MOST_BARS, len(one.table)) + 1.5 for one in results.values()]
    each = sum(rows) / len(rows)
    figure, axes = panels(
        len(rows), columns=1, height=0.26 * each + 0.42, narrow_height=0.36 * each + 0.42, height_ratios=rows
    )
    for ax, (title, one) in zip(np.ravel(axes), results.items(), strict=True):
        plot_stability(one, ax=ax, most=_MOST_BARS)
        ax.set(title=title, xlim=(0, 1), xticks=[0, 0.5, 1])
    for ax in np.ravel(axes)[:-1]:
        ax.set_xlabel("")
    return figure


@describes(plot_stabilities)
def _stabilities_in_words(results: Mapping[str, Stability]) -> Picture:
    shares = {title: float(one.share.iloc[one.best_row]) for title, one in results.items()}
    often = text.listing(f"{text.percent(share)} ({title})" for title, share in shares.items())
    first = next(iter(results.values()))
    return Picture(
        finding=f"The choice stays the same in {often} of the resamples",
        caption=f"How often each row is chosen in {first.n_resamples:,} resamples of {OVER[first.over]}; lines are two "
        "standard errors of the simulation.",
        alt=f"{len(results)} bar charts of how often each row is chosen. "
        + " ".join(f"{title}: {one.explain()}" for title, one in results.items()),
        data=pd.concat(
            {title: one.table[["share", "error"]] for title, one in results.items()}, names=["objectives"]
        ).reset_index(),
    )


def plot_first_places(
    comparison: Criteria, *, log: Sequence[Hashable] = (), names: Mapping[str, str] | None = None
) -> Figure:
    """Draw the front of two objectives with the row that each criterion puts first.

    Parameters
    ----------
    comparison : Criteria
        Of a table with two objectives.
    log : list of objectives
        Objectives whose axis is logarithmic.
    names : mapping of criterion to text, optional
        What to call criteria.

    Returns
    -------
    Figure
    """
    figure, ax = panels(height=4.05, narrow_height=4.8)
    across, up = comparison.objectives.names
    firsts = _criteria_by_winner(comparison, names)
    written = {name: ", ".join(criteria) for name, criteria in firsts.items()}
    directions = dict(comparison.objectives.directions)
    # On a phone the criteria are in the legend alone.
    near = {} if is_narrow(figure) else written
    plot_front(comparison.frame, x=across, y=up, objectives=directions, log=log, labels=near, ax=ax)
    # The last criterion is the one that the report chooses by; its choice looks as in the other figures.
    choice = list(comparison.winners())[-1]
    rivals = iter(map(rival_looks, range(len(firsts))))
    for name in firsts:
        point = comparison.frame.loc[[name], [across, up]].iloc[0]
        own = {**chosen_looks(), "ms": 15} if name == choice else {**next(rivals), "ms": 10}
        looks: dict[str, Any] = {**own, "mec": "white", "zorder": 7, "ls": ""}
        ax.plot(*point, label=literal(f"{written[name]}: {text.label(name)}"), **looks)
    shared_legend(ax, columns=1 if is_narrow(figure) else 2)
    return figure


def _criteria_by_winner(comparison: Criteria, names: Mapping[str, str] | None) -> dict[Hashable, list[str]]:
    firsts: dict[Hashable, list[str]] = {}
    for criterion, winner in comparison.winners().items():
        firsts.setdefault(winner, []).append((names or {}).get(str(criterion), str(criterion)))
    return firsts


@describes(plot_first_places)
def _first_places_in_words(
    comparison: Criteria, *, log: Sequence[Hashable] = (), names: Mapping[str, str] | None = None
) -> Picture:
    firsts = _criteria_by_winner(comparison, names)
    across, up = comparison.objectives.names
    values = comparison.frame[across][comparison.frame.index.isin(list(firsts))]
    return Picture(
        finding=f"{len(comparison.winners())} criteria put {len(firsts)} different rows first, with "
        f"{text.spoken(across)} from {text.number(values.min(), 2)} to {text.number(values.max(), 2)}",
        caption=f"The front of {text.spoken(across)} and {text.spoken(up)} (blue), and the row that each criterion "
        "puts first.",
        alt=f"The front of {text.spoken(up)} against {text.spoken(across)} with the rows that criteria put first.",
        data=comparison.winners(),
    )


def plot_rank_precision(simulated: pd.DataFrame) -> Figure:
    """Draw variance and bias of simulated ranks on the exact curves (Proposition 3.1).

    Parameters
    ----------
    simulated : DataFrame
        A row for each size ``N`` and true rank ``u``: ``variance``, ``exact variance``, ``bias`` and ``bias_error``.
    """
    figure, (scaled, by_size, bias) = panels(3, height=3.2)
    grid = np.linspace(0, 1, 201)
    sizes = simulated.groupby("N")
    scaled.plot(grid, grid * (1 - grid), color="0.5", lw=1.2, label="u(1 − u)")
    bias.axhline(0, color="0.5", lw=1.2)
    for i, (size, part) in enumerate(sizes):
        looks = {**series_looks(i), "ls": ""}
        scaled.plot(part["u"], part["variance"] * part["N"], **looks, ms=6, label=f"N = {size:,}")
        shifted = part["u"] + 0.008 * (i - len(sizes) / 2)
        bias.errorbar(shifted, part["bias"], 2 * part["bias_error"], **looks, ms=5, lw=1)
    scaled.set(xlabel="true rank u", ylabel="N × variance of û", title="variance, any N", xlim=(0, 1), ylim=(0, None))
    bias.set(xlabel="true rank u", ylabel="mean of û − u", title="bias", xlim=(0, 1))
    _draw_variance_by_size(by_size, simulated)
    shared_legend((scaled, by_size), columns=3 if is_narrow(figure) else 6)
    return figure


def _draw_variance_by_size(ax: Axes, simulated: pd.DataFrame) -> None:
    """Draw the variance of three ranks against the size, on logarithmic axes: of the median and two nearer the best."""
    known = simulated["u"].unique()
    for u in dict.fromkeys(known[np.abs(known - wanted).argmin()] for wanted in _BY_SIZE):
        one = simulated[simulated["u"] == u].sort_values("N")
        ax.plot(one["N"], one["exact variance"], color="0.5", lw=1.2)
        for i, (size, variance) in enumerate(zip(one["N"], one["variance"], strict=True)):
            ax.plot([size], [variance], **{**series_looks(i), "ls": ""}, ms=6)
        end = one[["N", "exact variance"]].iloc[-1]
        ax.annotate(f"u = {u:g}", end, xytext=(5, 0), textcoords="offset points", va="center", fontsize="small")
    plain_log(ax, "x")
    plain_log(ax, "y")
    low, high = simulated["N"].min(), simulated["N"].max()
    ax.set_xticks([size for size in (1, 10, 100, 1000, 10_000) if low <= size <= high])
    ax.set(xlabel="size N", ylabel="variance of û", title="variance by size")


@describes(plot_rank_precision)
def _precision_in_words(simulated: pd.DataFrame) -> Picture:
    ratio = simulated["variance"] / simulated["exact variance"]
    return Picture(
        finding=f"The variance is {ratio.min():.2f} to {ratio.max():.2f} times u(1 − u)/N, largest at the median",
        caption="The rank estimator over simulated populations: its variance times N, on u(1 − u) for every N; the "
        "variance of three ranks, which falls as 1/N and is largest at the median; and the mean minus u, with lines of "
        "two standard errors of the "
        "simulation.",
        alt="Three panels: the variance follows the parabola u(1 − u), falls as one over N, and there is no bias.",
        data=simulated,
    )


def plot_reach(times_first: pd.DataFrame, *, n_weights: int, ax: Axes | None = None) -> Axes:
    """Draw how many rows come first under random weights, and how often (section 3.3).

    Parameters
    ----------
    times_first : DataFrame
        Of each Pareto-optimal row, under how many weights it comes first, a column for each p.
    n_weights : int
        How many weights were tried.
    ax : Axes, optional
        Where to draw; the current Axes if omitted.
    """
    ax = current_axes(ax)
    reached = _reached(times_first)
    # The largest p is COPA's own.
    lines = lines_with_hero(len(reached), int(np.argmax([resolve_p(str(p)) for p in times_first])))
    for (name, counts), looks in zip(reached.items(), lines, strict=True):
        shares = 100 * np.sort(counts)[::-1] / n_weights
        label = f"{name}: {len(counts)} models"
        ax.plot(np.arange(1, len(counts) + 1), shares, **looks, markevery=4, ms=4, label=label)
    plain_log(ax, "x")
    plain_log(ax, "y")
    ax.set(xlabel="optimal models, most often chosen first", ylabel="% of the random weights")
    ax.legend(title="reached by random weights")
    return ax


def _reached(times_first: pd.DataFrame) -> dict[str, np.ndarray]:
    """Return, for each p, how often each row comes first that ever does."""
    return {
        f"p = {write_p(resolve_p(p))}": counts[counts > 0].to_numpy()
        for p, counts in ((str(name), times_first[name]) for name in times_first)
    }


@describes(plot_reach)
def _reach_in_words(times_first: pd.DataFrame, *, n_weights: int) -> Picture:
    counts = pd.Series({name: len(reached) for name, reached in _reached(times_first).items()})
    listed = text.listing(f"{count} with {name}" for name, count in counts.items())
    return Picture(
        finding=f"The larger p, the more models the same weights reach: {listed}"
        if counts.is_monotonic_increasing
        else f"How many models the same weights reach depends on p: {listed}",
        caption=f"How many of the {len(times_first):,} optimal models {n_weights} random weights lead to, and how "
        "often to each.",
        alt="Curves of how often each optimal model is chosen; those of larger p reach further.",
        data=times_first,
    )


def plot_place_of_weights(paths: pd.DataFrame) -> Figure:
    """Draw the place along the front against α, with weights inside and outside the power (Figure 10).

    Parameters
    ----------
    paths : DataFrame
        Long: ``p``, ``weights`` ("inside" or "outside"), ``α`` and ``place``; the fourth column is the objective swept.
    """
    figure, axes = panels(2, height=3.5, sharey=True)
    swept = paths.columns[3]
    for ax, (where, formula) in zip(axes, _FORMULAS.items(), strict=True):
        ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":", label="even")
        orders = list(paths[paths["weights"] == where].groupby("p", sort=False))
        lines = lines_with_hero(len(orders), len(orders) - 1)
        for (p, path), looks in zip(orders, lines, strict=True):
            looks["marker"] = ""
            ax.plot(path["α"], path["place"], drawstyle="steps-mid", label=f"p = {p}", **looks)
        ax.set(xlabel=f"α, weight of {swept}", xlim=(0, 1), ylim=(0, 1), title=formula)
        ax.set_ylabel(f"place on the front, worst to best {swept}")
        ax.label_outer()
    shared_legend(axes, columns=3 if is_narrow(figure) else 6)
    return figure


@describes(plot_place_of_weights)
def _place_in_words(paths: pd.DataFrame) -> Picture:
    inner = paths[paths["α"].between(0.1, 0.9)].groupby(["weights", "p"], sort=False)["place"]
    covered = inner.max() - inner.min()
    first, last = paths["p"].iloc[0], paths["p"].iloc[-1]
    shares = {where: [f"{covered[where, p]:.0%} at p = {p}" for p in (first, last)] for where in _FORMULAS}
    return Picture(
        finding=f"With weights outside the power, the share of the front that α from 0.1 to 0.9 covers is "
        f"{text.listing(shares['outside'])}; with weights inside, {text.listing(shares['inside'])}",
        caption="Place on the front of the row selected at each α. Outside the power, at p = ∞, every α but the two "
        "ends selects the same row.",
        alt="Two panels of step curves, one per p. Left: curves near the diagonal. Right: curves that become flat in "
        "the middle as p grows.",
        data=paths,
    )
