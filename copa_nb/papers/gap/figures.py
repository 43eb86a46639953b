"""Figures of "Mind the Gap" and of what repeats it: several results side by side."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.generalization.comparison import GapComparison, RepeatedComparison
from copa_nb.generalization.plots.fronts import plot_gap, plot_gap_comparison
from copa_nb.generalization.plots.repeats import plot_gap_repeats_figure as plot_gap_repeats_figure
from copa_nb.generalization.plots.repeats import plot_verdicts
from copa_nb.generalization.result import Gap
from copa_nb.generalization.volumes import point_text
from copa_nb.plotting.axes import outer_legend, panels, shared_legend
from copa_nb.plotting.labels import label_points
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import GRAY, PALETTE, is_narrow, literal, series_looks, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_REPORTED = {
    "over-estimation": ["test", "optimistic"],
    "leakage": ["test rows", "test", "hypothetical"],
    "two honest fronts": ["test", "gap", "optimistic", "pessimistic"],
}
_STEPS = {
    "validation": ["hypothetical", "validation rows", "validation"],
    "validation → test": ["hypothetical", "validation", "arrows", "test"],
    "test": ["hypothetical", "gap", "optimistic", "pessimistic"],
}
_MARGIN = 0.04  # around the fronts, of their range
_TITLES = {
    "validation": "validation",
    "pessimistic": "pessimistic, on test",
    "optimistic": "optimistic, on test",
    "gap": "gap",
}


def draw_shifts(results: Mapping[str, Gap]) -> Figure:
    """Draw where the rows of a validation front lie on test: one panel per test set (Figure 1).

    Parameters
    ----------
    results : mapping of title to Gap
        One validation front on several test sets.

    Returns
    -------
    Figure

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> errors = pd.DataFrame({"a": [0.2, 0.6], "b": [0.6, 0.2]}, index=["A", "B"])
    >>> scores = errors.add_prefix("val_").join((errors + 0.1).add_prefix("test_"))
    >>> result = scores.moo(a="min", b="min").gap(reference={"a": 1, "b": 1})
    >>> figure = draw_shifts({"the front moves": result})
    >>> plt.close(figure)
    """
    figure, axes = _square_panels(len(results), height=3.1)
    for ax, (title, result) in zip(axes, results.items(), strict=True):
        plot_gap(result, show=["validation", "arrows", "test"], legend=False, ax=ax)
        ax.set_title(literal(title))
    _settle(axes)
    shared_legend(axes)
    for ax, result in zip(axes, results.values(), strict=True):
        before, after = (result.table.filter(regex=f"^{part} ").to_numpy() for part in ("validation", "test"))
        along = [before + share * (after - before) for share in np.linspace(0, 1, 9)]  # the arrows
        names = [literal(text.label(name)) for name in result.table.index]
        label_points(ax, after[:, 0], after[:, 1], names, avoid=np.vstack(along), fontsize="small")
    return figure


@describes(draw_shifts)
def _shifts_in_words(results: Mapping[str, Gap]) -> Picture:
    said = [
        f"{title[:1].upper()}{title[1:]}: {text.listing(result.dominated) or 'no row'} "
        f"{'are' if len(result.dominated) > 1 else 'is'} dominated on test, "
        + (f"{text.listing(result.reordered)} change" if len(result.reordered) else "no two change")
        + " their order."
        for title, result in results.items()
    ]
    return Picture(
        finding="A set of configurations that is a front on validation need not be one on test",
        caption="A validation front (dotted) and where its configurations lie on test (arrows); lower left is better. "
        + " ".join(said),
        alt=f"{len(results)} panels of {len(next(iter(results.values())).table)} points with arrows from validation to "
        "test.",
        data=pd.concat({title: result.table for title, result in results.items()}, names=["panel", "configuration"]),
    )


def draw_ways_of_reporting(result: Gap) -> Figure:
    """Draw three ways to report a front on test: over-estimation, leakage, and the paper's two fronts (Figure 2).

    Parameters
    ----------
    result : Gap
        From ``df.moo.gap()``.

    Returns
    -------
    Figure
    """
    figure, axes = _panels_of_layers(result, _REPORTED, height=3.3)
    x, y = result.table.loc[result.dominated].filter(regex="^test ").to_numpy().T[:2]
    axes[0].scatter(x, y, marker="x", s=60, color=GRAY, zorder=5, label="dominated on test, dropped")
    shared_legend(axes, columns=_columns(figure))
    return figure


@describes(draw_ways_of_reporting)
def _reporting_in_words(result: Gap) -> Picture:
    return Picture(
        finding=f"Over-estimation hides {len(result.dominated)} of {len(result.validation_front)} chosen points; "
        "leakage reports points that nobody chose",
        caption="Over-estimation: the points that are dominated on test (crosses) are dropped, and a hypervolume of "
        f"{result.hv_optimistic:.3f} is reported. Leakage: the front of all configurations on test has "
        f"{result.hv_test:.3f}. Two honest fronts: pessimistic {result.hv_pessimistic:.3f}, optimistic "
        f"{result.hv_optimistic:.3f}; the shaded area is the approximation gap, {result.gap:.3f}. Lower left is "
        "better.",
        alt="Three panels: the optimistic front with dropped points crossed out, the front of all rows on test, both "
        "fronts with the gap shaded.",
        data=result,
    )


def draw_validation_to_test(result: Gap) -> Figure:
    """Draw a front on validation, where its rows lie on test, and the two fronts there (Figure 3).

    Parameters
    ----------
    result : Gap
        From ``df.moo.gap()``.

    Returns
    -------
    Figure
    """
    figure, axes = _panels_of_layers(result, _STEPS, height=4.0)
    _zoom(axes, [result])
    shared_legend(axes, columns=_columns(figure))
    return figure


@describes(draw_validation_to_test)
def _steps_in_words(result: Gap) -> Picture:
    return Picture(
        finding=f"{len(result.dominated)} of {len(result.validation_front)} chosen configurations are dominated on "
        "test",
        caption="The front on validation; where its configurations lie on test; the optimistic and pessimistic front "
        "there with the approximation gap shaded. Gray in every panel: the front of all configurations on test. "
        f"Reference point: {point_text(result.reference)}.",
        alt="Three panels: validation front, arrows to test, optimistic and pessimistic front on test.",
        data=result,
    )


def draw_two_methods(comparison: GapComparison) -> Figure:
    """Draw validation front and gap of two methods, and both on test (Figure 4).

    Parameters
    ----------
    comparison : GapComparison
        From :meth:`copa_nb.results.Gap.compare`.

    Returns
    -------
    Figure
    """
    figure, axes = _square_panels(3, height=4.0)
    for ax, name, result in zip(axes, comparison.names, comparison.gaps, strict=False):
        plot_gap(result, legend=False, ax=ax)
        ax.set_title(literal(name))
    plot_gap_comparison(comparison, legend=False, ax=axes[2])
    axes[2].set_title("both on test")
    _settle(axes)
    _zoom(axes, comparison.gaps)
    shared_legend(axes, columns=_columns(figure))
    return figure


@describes(draw_two_methods)
def _two_methods_in_words(comparison: GapComparison) -> Picture:
    better, pairs = comparison.hypervolume.better, list(zip(comparison.names, comparison.gaps, strict=True))
    other = next(name for name in comparison.names if name != better)
    widest = max(pairs, key=lambda pair: pair[1].gap)[0]
    return Picture(
        finding=f"By hypervolume the pessimistic front of the {better} beats the optimistic front of the {other}"
        if better
        else f"The hypervolumes of the two models overlap; the {widest} has the wider gap",
        caption="The validation front of each model, where its configurations lie on test, and the gap between "
        "optimistic and pessimistic front; then both models on test. Reference point: "
        f"{point_text(comparison.gaps[0].reference)}.",
        alt=f"Three panels of recall against precision: {', '.join(comparison.names)}, both.",
        data=pd.concat({name: result.table for name, result in pairs}, names=["model", "configuration"]),
    )


def draw_printed_numbers(compared: pd.DataFrame) -> Figure:
    """Draw the numbers printed in Table 1, those found, and the range of other searches.

    Parameters
    ----------
    compared : DataFrame
        Indexed by model, evaluations and measure; columns ``printed``, ``authors' search``, ``smallest``, ``largest``.

    Returns
    -------
    Figure
    """
    budgets = compared.index.unique("evaluations")
    places = np.arange(len(budgets))
    figure, axes = panels(4, columns=2, height=2.03, narrow_height=2.6, sharex=True)
    for ax, (measure, title) in zip(axes, _TITLES.items(), strict=True):
        for i, model in enumerate(compared.index.unique("model")):
            part, x = compared.xs((model, measure), level=("model", "measure")), places + 0.24 * (i - 0.5)
            looks = {"color": PALETTE[i], "ls": "", "clip_on": False}
            ax.vlines(
                x, part["smallest"], part["largest"], color=PALETTE[i], alpha=0.3, lw=6, label=f"{model}, ten searches"
            )
            ax.plot(x, part["printed"], marker="D", ms=9, mfc="white", mew=1.6, label=f"{model}, printed", **looks)
            ax.plot(x, part["authors' search"], marker="o", ms=4, label=f"{model}, authors' search", **looks)
        ax.set(title=title, ylabel="hypervolume ↑")
        ax.set_xticks(places, [str(budget) for budget in budgets])
    axes[-1].set(ylabel="approximation gap ↓", ylim=(0, None))
    for ax in axes[-1:] if is_narrow(figure) else axes[-2:]:
        ax.set_xlabel("evaluations")
    shared_legend(axes, columns=_columns(figure))
    return figure


@describes(draw_printed_numbers)
def _printed_in_words(compared: pd.DataFrame) -> Picture:
    known = compared.dropna(subset=["printed"])
    equal = int((known["difference"] == 0).sum())
    return Picture(
        finding=f"The authors' search, run again, gives {equal} of the {len(known)} printed numbers; other splits and "
        "draws spread widely"
        if equal > len(known) / 2
        else "The printed numbers and those found",
        caption="Diamonds: numbers printed in the paper. Dots: the authors' search run again, one search per budget. "
        "Bars: smallest to largest of our ten searches, each with a split of its own.",
        alt="Four panels, one per measure. At each budget the dot of the authors' search lies inside the diamond of "
        "the printed number; bars of ten searches are wide.",
        data=compared,
    )


def plot_gaps_by_data(gaps: Mapping[tuple[Hashable, Hashable], Gap], *, ax: Axes) -> Axes:
    """Draw the gap of every search, by data set and model.

    Parameters
    ----------
    gaps : mapping of data set and model to Gap
        Searches with several seeds each.
    ax : Axes
        Where to draw.

    Returns
    -------
    Axes
    """
    data, models = (list(dict.fromkeys(names)) for names in zip(*gaps, strict=True))
    for number, model in enumerate(models):
        looks = series_looks(number)
        place = (number - (len(models) - 1) / 2) * 0.3
        shown = {name: gaps[name, model].table["gap"] for name in data if (name, model) in gaps}
        rows = np.concatenate([np.full(len(values), data.index(name) + place) for name, values in shown.items()])
        ax.plot(
            np.concatenate([values.to_numpy() for values in shown.values()]), rows, ls="", marker=looks["marker"],
            color=looks["color"], ms=6, alpha=0.6, label=literal(text.label(model)), clip_on=False,
        )  # fmt: skip
        means = {data.index(name) + place: values.mean() for name, values in shown.items()}
        ax.plot(list(means.values()), list(means), ls="", marker="|", color=looks["color"], ms=14, mew=2)
    ax.set_yticks(range(len(data)), [shorten(name) for name in data])
    ax.set(xlabel="approximation gap ↓", ylim=(len(data) - 0.5, -0.5))
    outer_legend(ax, beside=False)
    return ax


@describes(plot_gaps_by_data)
def _gaps_by_data_in_words(gaps: Mapping[tuple[Hashable, Hashable], Gap], **options: object) -> Picture:
    every = pd.concat({key: one.table for key, one in gaps.items()}, names=["data", "model", "seed"])
    n_data = every.index.get_level_values("data").nunique()
    means = {key: float(one.table["gap"].mean()) for key, one in gaps.items()}
    largest, positive = max(means, key=lambda key: means[key]), int((every["gap"] > 0).sum())
    return Picture(
        finding=f"The gap is positive in {positive} of {len(every)} searches, and largest on average on "
        f"{text.label(largest[0])} ({text.label(largest[1])})",
        caption=f"Approximation gap of searches on {n_data} data sets: a mark per seed, and lines at the means.",
        alt=f"Dots of the gap per seed for {n_data} data sets, in two rows each: one per model.",
        data=every,
        height=0.45 * n_data + 1.3,
        narrow_height=0.45 * n_data + 1.5,
    )


def draw_verdicts(results: Mapping[str, RepeatedComparison]) -> Figure:
    """Draw how often each criterion prefers a method, one panel per kind of repetition.

    Parameters
    ----------
    results : mapping of title to RepeatedComparison
        Comparisons of the same two methods.

    Returns
    -------
    Figure
    """
    figure, axes = panels(len(results), height=2.9, sharey=True)
    for ax, (title, result) in zip(np.ravel(axes), results.items(), strict=True):
        plot_verdicts(result, legend=False, ax=ax)
        drawn = "resamples" if result.kind == "bootstrap" else "splits"
        ax.set(title=literal(title), xlabel=f"share of {len(result.comparisons):,} {drawn}", xticks=[0, 0.5, 1])
    shared_legend(axes, columns=3, title="better")
    return figure


@describes(draw_verdicts)
def _verdicts_in_words(results: Mapping[str, RepeatedComparison]) -> Picture:
    title, first = next(iter(results.items()))
    silent = 1 - first.table.loc["hypervolume", list(first.names)].sum()
    return Picture(
        finding=f"By hypervolume {100 * silent:.0f}% of the {title} allow no statement",
        caption="How often each criterion prefers a model. Over resamples of a test set these are selection "
        "frequencies, not probabilities.",
        alt="Stacked bars of verdicts, one panel per kind of repetition.",
        data=pd.concat({title: result.table for title, result in results.items()}, names=["over", "criterion"]),
    )


def _square_panels(count: int, *, height: float) -> tuple[Figure, list[Axes]]:
    figure, axes = panels(count, height=height, sharex=True, sharey=True)
    return figure, list(np.ravel(axes))


def _panels_of_layers(result: Gap, shown: Mapping[str, Sequence[str]], *, height: float) -> tuple[Figure, list[Axes]]:
    """Draw layers of one gap, a panel for each title."""
    figure, axes = _square_panels(len(shown), height=height)
    for ax, (title, layers) in zip(axes, shown.items(), strict=True):
        plot_gap(result, show=layers, legend=False, ax=ax)
        ax.set_title(title)
    _settle(axes)
    return figure, axes


def _settle(axes: Sequence[Axes]) -> None:
    """Label the outer axes alone, with few ticks."""
    for ax in axes:
        ax.set(xticks=[0, 0.5, 1], yticks=[0, 0.5, 1], xlim=(0, 1), ylim=(0, 1), box_aspect=1)
        ax.label_outer()


def _zoom(axes: Sequence[Axes], results: Sequence[Gap]) -> None:
    """Set the limits of all panels to the fronts drawn in them, and let the panels fill the figure."""
    from matplotlib.ticker import MaxNLocator

    drawn = np.concatenate(
        [
            scores.own_units(costs)[result.fronts.validation][:, :2]
            for result in results
            for scores in [result.scores]
            for costs in (scores.validation, scores.test)
        ]
    )
    drawn = drawn[np.isfinite(drawn).all(axis=1)]
    for ax in axes:
        ax.set_box_aspect(None)
        for axis, values in zip("xy", drawn.T, strict=True):
            margin = _MARGIN * (float(np.ptp(values)) or 1.0)  # a front of a single point has no extent
            limits = max(0.0, float(values.min()) - margin), min(1.0, float(values.max()) + margin)
            getattr(ax, f"set_{axis}lim")(limits)
            getattr(ax, f"{axis}axis").set_major_locator(MaxNLocator(4, steps=[1, 2, 2.5, 5, 10]))


def _columns(figure: Figure) -> int:
    return 1 if is_narrow(figure) else 3
