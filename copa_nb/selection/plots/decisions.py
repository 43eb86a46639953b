"""A decision: its ranks next to the runners-up, lines through the ranks of the front, and its stability."""

from __future__ import annotations

__all__ = ["plot_parallel"]

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.plots import plot_front
from copa_nb.plotting.axes import INSIDE, outer_legend, write_upright_or_turned
from copa_nb.plotting.pictures import Picture, describes, picture_of
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    chosen_looks,
    current_axes,
    in_palette,
    is_narrow,
    is_slim,
    literal,
    rival_looks,
    series_looks,
    shorten_all,
)
from copa_nb.ranking.arrays.ranks import empirical_cdf
from copa_nb.ranking.criterion import WORTH_SHARES, write_place
from copa_nb.ranking.normalize import rows_named
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.selection.choose import copa
from copa_nb.selection.copa import Selection
from copa_nb.selection.stability import OVER, Stability
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike, names_of_rows

if TYPE_CHECKING:
    from matplotlib.axes import Axes


# Letters of a name in a line on a phone.
_PHONE_LETTERS = 24
_LEGEND_LETTERS = 60
# Two standard errors: about 95% of the Monte-Carlo noise.
_ERRORS_SHOWN = 2.0


@offered_by(Selection)
def plot_decision(selection: Selection, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the front with the selected row: of the first cost and the first benefit, unless two others are named.

    Parameters
    ----------
    selection : Selection
        From ``df.moo.copa()``.
    ax : matplotlib Axes, optional
        Where to draw; a new figure if omitted.
    **kwargs
        Options of :func:`copa_nb.plots.plot_front`; or ``runners_up``, ``legend`` and options of ``Axes.barh``.

    Returns
    -------
    matplotlib Axes
    """
    return _plot_of(selection)(selection, ax=ax, **kwargs)


def _plot_of(selection: Selection) -> Callable[..., Axes]:
    return plot_front if len(selection.objectives) > 1 else plot_selection


@describes(plot_decision)
def _decision_in_words(selection: Selection, **options: Any) -> Picture | None:
    return picture_of(_plot_of(selection), selection, **options)


@of_paper("javaloy2025copa")
@offered_by(Selection, kind="ranks")
@in_palette
@shared_parameters
def plot_selection(
    selection: Selection,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    runners_up: int = 3,
    legend: bool = True,
    **bar_kws: Any,
) -> Axes:
    """Draw the standing of the selected row, one bar per objective.

    With ranks a bar is the share of rows that are no better: long is good. On other scales it is the normalized
    cost, of which 0 is best.

    Parameters
    ----------
    selection : Selection
        A decision.
    %(palette)s
    %(ax)s
    runners_up : int
        How many of the next best rows are shown as markers.
    legend : bool
        Whether to name the rows.
    **bar_kws
        Options of ``Axes.barh``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    columns = [f"u_{name}" for name in selection.objectives]
    by_rank = selection.normalize == "cdf"
    places = selection.table[columns].to_numpy()
    values = 1 - places if by_rank else places
    rows = np.arange(len(columns))
    others = min(runners_up, len(values) - 1)
    index = selection.table.index
    letters = _PHONE_LETTERS + 8 if is_narrow(ax.get_figure(root=True)) else _LEGEND_LETTERS
    known = names_of_rows(selection.inputs.frame, index)
    names = shorten_all(known[: 1 + others], letters, among=known)
    starred = chosen_looks()
    looks: dict[str, Any] = {"height": 0.62, "color": starred["color"], "alpha": 0.85, **bar_kws}
    ax.barh(rows, values[0], **looks)
    star = {"color": looks["color"], "ls": "", "ms": 13, "mec": "white", "mew": 0.8, "clip_on": False, "zorder": 4}
    ax.plot(values[0], rows, **{**starred, **star}, label=names[0])
    for i in range(1, others + 1):
        # Rows of their own within the bar, so that equal standings do not hide each other.
        shift = 0.18 * (i - (others + 1) / 2)
        looks = {**rival_looks(i - 1), "ls": "", "mec": "white", "mew": 0.8, "clip_on": False, "zorder": 3}
        ax.plot(values[i], rows + shift, label=f"{selection.table['rank'].iloc[i]}. {names[i]}", **looks)
    notes = [f"weight {text.percent(weight)}" for weight in selection.weights.values()]
    if by_rank:
        notes = [f"{note}, {place}" for note, place in zip(notes, _places(places[0], selection), strict=True)]
    # The numbers are next to the bars, where no marker of a runner-up can be.
    written = shorten_all(map(text.spoken, selection.objectives))
    if is_narrow(ax.get_figure(root=True)):
        notes = [note.replace(", ", "\n") for note in notes]
    # Without the objectives' arrows, which would contradict an axis of ranks or of costs.
    ticks = [f"{name}\n{note}" for name, note in zip(written, notes, strict=True)]
    ax.set_yticks(rows, ticks)
    ax.invert_yaxis()
    if by_rank:
        ax.set_xlim(0, 1)
        ax.set_xlabel("share of rows that are no better (1 is best)")
    else:
        ax.set_xlim(left=min(0.0, float(values[0].min())))
        ax.set_xlabel(f"{selection.normalize} value (0 is best)")
    ax.grid(visible=False, axis="y")
    if legend:
        if is_slim(ax):
            ax.legend(**INSIDE)
        else:
            # Names start at the left of the figure, where the longest have room.
            ax.legend(loc="lower left", bbox_to_anchor=(0.0, 1.01), borderaxespad=0)
    return ax


@describes(plot_selection)
def _standing_in_words(selection: Selection, *, runners_up: int = 3, **options: Any) -> Picture:
    count = len(selection.objectives)
    bars = "the share of rows that are no better; long is good" if selection.normalize == "cdf" else "short is good"
    return Picture(
        finding=f"Standing of {selection.best_name} in each objective",
        caption=f"Bars: the choice, {bars}. Markers: the runners-up.",
        alt=f"Horizontal bars of the standing of {selection.best_name}, one for each of {count} objectives; {bars}.",
        data=selection.table.head(1 + runners_up),
        height=max(2.2, min(4.05, 0.42 * count + 1.2)),
        narrow_height=max(2.2, min(5.2, 0.54 * count + 1.4)),
    )


def _places(shares: np.ndarray, selection: Selection) -> list[str]:
    """Describe the place of the selected row in each objective in a few words."""
    size = selection.population_size

    def place(share: float) -> str:
        if share == 0:
            return "best"
        if selection.is_frozen and size < WORTH_SHARES:
            return f"{round(share * size)} of {size} better"
        return write_place(share, size)

    return [place(float(share)) for share in shares]


@of_paper("javaloy2025copa")
@in_palette
@any_frame
@shared_parameters
def plot_parallel(
    result: pd.DataFrame | Selection,
    *,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    front_only: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
    line_kws: Mapping[str, Any] | None = None,
) -> Axes:
    """Draw each row as a line through its ranks, one vertical axis per objective, best on top.

    Parameters
    ----------
    result : DataFrame or Selection
        A table, or a decision, whose selected row is then in color.
    highlight : sequence of row labels
        Further rows in color.
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    front_only : bool
        Whether only rows on the front get gray lines, or all rows.
    %(palette)s
    %(ax)s
    line_kws : mapping, optional
        Options of ``LineCollection``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For a row to highlight that is not in the index.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> from copa_nb import plots
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = plots.plot_parallel(models, objectives={"accuracy": "max", "co2_kg": "min"}, highlight=["b"])
    >>> plt.close(ax.figure)
    """
    from matplotlib.collections import LineCollection

    ax = current_axes(ax)
    selection = result if isinstance(result, Selection) else copa(DescribedFrame.of(result, objectives))
    matrix = selection.matrix
    shares = empirical_cdf(matrix.values)
    x = np.arange(shares.shape[1])
    drawn = _lines(selection, front_only=front_only)
    selected = [selection.position] if isinstance(result, Selection) else []
    many = int(drawn.sum())
    lines = [np.column_stack((x, row)) for row in shares[drawn]]
    looks = {"colors": GRAY, "linewidths": 0.7, "alpha": max(0.08, min(0.6, 30 / max(many, 1))),
             "rasterized": many > 200, **(line_kws or {})}  # fmt: skip
    ax.add_collection(LineCollection(lines, **looks))
    rows = [*selected, *_positions(matrix.index, highlight)]
    names = shorten_all([text.label(matrix.index[row]) for row in rows], 28, among=map(text.label, matrix.index))
    colored = [{**chosen_looks(), "ms": 12, "zorder": 4} for _ in selected]
    looks_of = rival_looks if selected else series_looks
    colored += [{**looks_of(i), "zorder": 3} for i in range(len(rows) - len(selected))]
    for row, label, looks in zip(rows, names, colored, strict=True):
        ax.plot(x, shares[row], lw=2, label=label, clip_on=False, **looks)
    # Best is on top whatever the direction of an objective.
    ticks = [literal(text.spoken(name)) for name in matrix.objectives.names]
    ax.set_xlim(-0.1, x[-1] + 0.1)
    ax.set_ylim(1, 0)
    ax.set_ylabel("share of rows that are better\n(best on top)")
    ax.grid(visible=True, axis="x")
    # A legend next to the axes takes room from the labels; one below is under them.
    narrow = is_narrow(ax.get_figure(root=True))
    if narrow:
        write_upright_or_turned(ax, x, ticks)
    if ax.get_legend_handles_labels()[0]:
        outer_legend(ax)
    if not narrow:
        write_upright_or_turned(ax, x, ticks)
    return ax


@describes(plot_parallel)
def _ranks_in_words(
    result: pd.DataFrame | Selection,
    *,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    front_only: bool = True,
    **options: Any,
) -> Picture:
    selection = result if isinstance(result, Selection) else copa(DescribedFrame.of(result, objectives))
    drawn, count = _lines(selection, front_only=front_only), len(selection.objectives)
    allowed, n_rows = selection.counts()
    optimal = "rows on the front of those allowed" if allowed < n_rows else "Pareto-optimal rows"
    which = optimal if front_only else "rows allowed" if allowed < n_rows else "rows"
    best = [selection.best_name] if isinstance(result, Selection) else []
    tied = selection.tied if best else []
    colored = [*best, *(text.label(one) for one in highlight if one not in tied)]
    shown = drawn.copy()
    shown[[selection.position] if best else []] = True
    shown[_positions(selection.matrix.index, highlight)] = True
    shares = empirical_cdf(selection.matrix.values)[shown]
    columns = pd.Index([f"u_{name}" for name in selection.objectives])
    data = pd.DataFrame(shares, index=selection.matrix.index[shown], columns=columns)
    return Picture(
        finding=f"Ranks of the {which} in {count} objectives",
        caption=f"Each line is one of the {which}: the share of rows that are better in each objective, best on top."
        + (f" In color: {text.listing(colored)}." if colored else ""),
        alt=f"Parallel coordinates of the ranks of the {which} in {count} objectives."
        + (f" {text.listing(colored)} in color." if colored else ""),
        data=data,
        height=3.6,
        narrow_height=4.4,
    )


def _lines(selection: Selection, *, front_only: bool) -> np.ndarray:
    """Rows that have a line: those that may be chosen, or the front of these."""
    if not front_only:
        return selection.candidates
    drawn = np.zeros(len(selection.candidates), dtype=bool)
    drawn[selection.front] = True
    return drawn


def _positions(index: pd.Index, labels: Sequence[Hashable]) -> list[int]:
    rows = []
    for label in labels:
        named = rows_named(index, label)
        if len(named) == 0:
            raise ValueError(f"`highlight` names {label!r}, which is not in the index.{checks.nearest(label, index)}")
        rows.append(int(named[0]))
    return rows


@of_paper("javaloy2025copa")
@offered_by(Stability)
@in_palette
@shared_parameters
def plot_stability(
    stability: Stability,
    *,
    palette: Palette = None,
    ax: Axes | None = None,
    most: int = 8,
    highlight: Sequence[Hashable] | None = None,
    **bar_kws: Any,
) -> Axes:
    """Draw the share of the resamples in which each row is chosen.

    Parameters
    ----------
    Selection.stability : Stability
        The result of resampling.
    %(palette)s
    %(ax)s
    most : int
        How many rows get a bar; the rest share one. The choice itself is always among them.
    highlight : sequence of row labels, optional
        Rows in color besides the choice; by default those next in rank, in the colors that they have in other figures.
    **bar_kws
        Options of ``Axes.barh``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> choice = models.moo(accuracy="max", co2_kg="min").copa()
    >>> ax = choice.stability(n_resamples=100, rng=0).plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = stability.table
    chosen = np.arange(len(table)) == stability.best_row
    shown = np.argsort(~chosen, kind="stable")[:1] if not chosen[:most].any() else np.empty(0, dtype=int)
    shown = np.concatenate((np.arange(min(most - len(shown), len(table))), shown))
    shares, errors = (table[name].to_numpy()[shown] for name in ("share", "error"))
    names = table.index[shown]
    labels = [literal(text.label(name)) for name in names]
    if is_narrow(ax.get_figure(root=True)):
        labels = shorten_all(map(text.label, names), _PHONE_LETTERS, among=map(text.label, table.index))
    rivals: dict[Any, str] = {
        name: rival_looks(number)["color"]
        for number, name in enumerate(stability.rivals if highlight is None else highlight)
    }
    colors = [
        chosen_looks()["color"] if best else rivals.get(name, GRAY)
        for best, name in zip(chosen[shown], names, strict=True)
    ]
    if len(table) > len(shown):
        labels.append(f"{len(table) - len(shown)} more")
        rest = 1.0 - shares.sum()
        shares, errors = np.append(shares, rest), np.append(errors, np.nan)
        colors.append(GRAY)
    rows = np.arange(len(shares))
    looks = {"height": 0.66, "color": colors, "ecolor": INK, "error_kw": {"lw": 0.9}, **bar_kws}
    ax.barh(rows, shares, xerr=np.nan_to_num(_ERRORS_SHOWN * errors), **looks)
    for row, share, error in zip(rows, shares, np.nan_to_num(errors), strict=True):
        starred = row < len(shown) and chosen[shown[row]]
        end, right = (min(float(share + _ERRORS_SHOWN * error), 1.0), float(row)), (14 if starred else 4, 0)
        ax.annotate(text.percent(float(share)), end, xytext=right, textcoords="offset points", va="center",
                    fontsize="small", annotation_clip=False)  # fmt: skip
        if starred:
            ax.plot(share, row, ls="", ms=13, mec="white", mew=0.8, clip_on=False, zorder=4, **chosen_looks())
    ax.set_yticks(rows, labels)
    for tick, row in zip(ax.get_yticklabels(), [*shown, -1], strict=False):
        tick.set_fontweight("bold" if row >= 0 and chosen[row] else "normal")
    ax.invert_yaxis()
    ax.set_xlim(0.0, min(1.0, 1.15 * float((shares + _ERRORS_SHOWN * np.nan_to_num(errors)).max())))
    ax.locator_params(axis="x", nbins=2 if is_narrow(ax.get_figure(root=True)) else 6)
    ax.xaxis.set_major_formatter(lambda value, _: text.percent(value))
    gap = "\n" if is_narrow(ax.get_figure(root=True)) else " "
    ax.set_xlabel(f"share of {stability.n_resamples:,} resamples{gap}of {OVER[stability.over]}{gap}(star: the choice)")
    ax.grid(visible=False, axis="y")
    return ax


@describes(plot_stability)
def _frequencies_in_words(stability: Stability, *, most: int = 8, **options: Any) -> Picture:
    resamples = f"{stability.n_resamples:,} resamples of {OVER[stability.over]}"
    rows = min(most + 1, len(stability.table))
    return Picture(
        finding=f"How often each row is chosen in {resamples}",
        caption="Lines are two standard errors; the star is the choice.",
        alt=f"Horizontal bars of how often each row is chosen in {resamples}.",
        data=stability,
        height=1.1 + 0.28 * rows,
        narrow_height=1.3 + 0.4 * rows,
    )
