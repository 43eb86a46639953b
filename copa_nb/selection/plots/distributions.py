"""How the objectives are distributed: one by one, where ranks come from, and in pairs."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.axes import check_drawable, panels, shared_legend
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    MARKERS,
    PAGE_WIDTH,
    Palette,
    chosen_looks,
    current_axes,
    in_palette,
    inside,
    is_narrow,
    literal,
    series_color,
    shorten,
)
from copa_nb.ranking.criterion import WORTH_SHARES, write_place
from copa_nb.ranking.normalize import rows_named
from copa_nb.ranking.populations import Reference
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import say
from copa_nb.selection.choose import copa
from copa_nb.selection.copa import Selection
from copa_nb.selection.criteria import Criteria
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_MOST_STEPS = 20_000  # of a curve; more would not show
_MOST_POINTS = 5_000  # of a panel of pairs, and the front
_MARGIN = 0.04  # of the range of an axis
_MOST_COLORS = 12
_LIGHT = 1.7  # ends of the colors of correlations: those behind numbers stay light
_LETTERS_PER_INCH = 13
_HALF_A_PAGE = 4.05  # inches
_FRONT, _REST = "on the front", "not on the front"
_SHAPES = {_FRONT: "D", _REST: "o"}


@dataclass(frozen=True)
class _Standing:
    """An objective: what its ranks are taken over, in its own units, and where a few rows are among that."""

    name: Hashable
    direction: str
    population: np.ndarray
    values: np.ndarray
    shares: np.ndarray


def _decision(result: pd.DataFrame | Selection, objectives: ObjectivesLike) -> tuple[Selection, list[int]]:
    """Return a decision, and its row if it is one that was asked for."""
    if isinstance(result, Selection):
        return result, [result.position]
    return copa(DescribedFrame.of(result, objectives)), []


def _standings(selection: Selection, rows: Sequence[int]) -> list[_Standing]:
    matrix, reference = selection.matrix, selection.reference
    frozen = reference.population(matrix.objectives) if isinstance(reference, Reference) else matrix.values
    found = []
    for k, (name, direction) in enumerate(matrix.objectives.directions):
        sign, costs = -1.0 if direction == "max" else 1.0, matrix.values[list(rows), k]
        shares = np.searchsorted(np.sort(frozen[:, k]), costs) / len(frozen)
        found.append(_Standing(name, direction, sign * frozen[:, k], sign * costs, shares))
    return found


def _marked(selection: Selection, chosen: list[int], highlight: Sequence[Hashable]) -> dict[int, str]:
    """Rows to mark, and their labels; no row twice."""
    for name in highlight:
        if len(rows_named(selection.matrix.index, name)) == 0:
            near = checks.nearest(name, selection.matrix.index)
            raise ValueError(f"`highlight` names {name!r}, which is not in the index.{near}")
    rows = dict.fromkeys([*chosen, *(int(rows_named(selection.matrix.index, name)[0]) for name in highlight)])
    return {row: text.label(selection.matrix.index[row]) for row in rows}


@of_paper("javaloy2025copa")
@offered_by(Selection, kind="distribution")
@in_palette
@any_frame
@shared_parameters
def plot_ecdf(
    result: pd.DataFrame | Selection,
    *,
    x: Hashable | None = None,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    legend: bool = True,
    palette: Palette = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the share of rows that are better than each value of an objective, and where the selected row is.

    That share is the rank û that COPA decides with (eq. 9): the curve turns units into ranks.

    Parameters
    ----------
    result : DataFrame or Selection
        A table, or a decision, whose selected row is then marked by a star.
    x : label, optional
        The objective; the first one if omitted.
    highlight : sequence of row labels
        Further rows to mark.
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    legend : bool
        Whether to name the marked rows and their places.
    %(palette)s
    %(ax)s
    **line_kws
        Options of ``seaborn.ecdfplot``.

    Returns
    -------
    Axes

    Raises
    ------
    ValueError
        For an unknown objective, or a row to highlight that is not in the index.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().plot("distribution", x="co2_kg")
    >>> ax.get_legend().get_texts()[0].get_text()
    'b: 2nd of 3'
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    selection, chosen = _decision(result, objectives)
    marked = _marked(selection, chosen, highlight)
    k = 0 if x is None else selection.objectives.position(x, "x")
    size = selection.population_size
    standing = _standings(selection, list(marked))[k]
    labels = [
        f"{shorten(name, 24)}: {write_place(float(share), size)}"
        for name, share in zip(marked.values(), standing.shares, strict=True)
    ]
    _draw_standing(ax, standing, labels, starred=len(chosen), line_kws=line_kws)
    ax.set_ylabel("share of rows that are better")
    if legend and labels:
        ax.legend(fontsize="small")
    return ax


@describes(plot_ecdf)
def _ecdf_in_words(
    result: pd.DataFrame | Selection,
    *,
    x: Hashable | None = None,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    **options: Any,
) -> Picture:
    selection, chosen = _decision(result, objectives)
    k = 0 if x is None else selection.objectives.position(x, "x")
    standing = _standings(selection, chosen)[k]
    name, size = text.spoken(standing.name), selection.population_size
    finding = f"The distribution of {name} over {size:,} rows"
    if chosen:
        finding = f"{text.label(selection.best)} is {_place(standing.shares[0], size)} in {name}"
    return Picture(
        finding=finding,
        caption=f"The share of {size:,} rows that are better than each value of {name}: the rank û."
        + (" The star marks the selected row." if chosen else ""),
        alt=f"Empirical distribution of {name} over {size:,} rows, rising from the best value to the worst."
        + (f" A star marks {text.label(selection.best)}." if chosen else ""),
        data=_values_and_ranks(selection),
        height=3.2,
    )


@of_paper("javaloy2025copa")
@offered_by(Selection, kind="distributions")
@in_palette
@any_frame
def plot_ecdf_figure(
    result: pd.DataFrame | Selection,
    *,
    highlight: Sequence[Hashable] = (),
    objectives: ObjectivesLike = None,
    columns: int = 4,
    palette: Palette = None,
) -> Figure:
    """Draw how each objective is distributed, and where the selected row is: how values become ranks.

    Parameters
    ----------
    result, highlight, objectives
        As for :func:`plot_ecdf`.
    columns : int
        Panels in a row at most; a phone has two.
    palette : str or sequence of color, optional
        Colors of the series: a list, or the name of a palette of seaborn or of a colormap of matplotlib.

    Returns
    -------
    Figure
        A panel per objective. All share the vertical axis, on which COPA compares them.

    Raises
    ------
    ValueError
        For a row to highlight that is not in the index.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> figure = models.moo(accuracy="max", co2_kg="min").copa().plot("distributions")
    >>> len(figure.axes)
    2
    >>> plt.close(figure)
    """
    selection, chosen = _decision(result, objectives)
    marked = _marked(selection, chosen, highlight)
    standings = _standings(selection, list(marked))
    count = len(standings)
    across = min(count, checks.integer("columns", columns))
    down = -(-count // across)
    figure, axes = panels(count, columns=across, height=_HALF_A_PAGE / max(down, 1.35), narrow_height=2.0, sharey=True)
    axes = [axes] if count == 1 else axes
    names = [literal(name) if len(marked) == 1 else shorten(name) for name in marked.values()]
    for place, (ax, standing) in enumerate(zip(axes, standings, strict=True)):
        _draw_standing(ax, standing, names, starred=len(chosen), line_kws={})
        ax.locator_params(axis="x", nbins=4)
        if place % across == 0 or is_narrow(figure):
            ax.set_ylabel("share better")
        if chosen:
            place_of_chosen = write_place(float(standing.shares[0]), selection.population_size)
            weight = text.percent(list(selection.weights.values())[place])
            ax.set_title(f"{place_of_chosen}\nweight {weight}", fontsize="small")
    if names:
        shared_legend(axes)
    return figure


@describes(plot_ecdf_figure)
def _ecdfs_in_words(
    result: pd.DataFrame | Selection, *, objectives: ObjectivesLike = None, columns: int = 4, **options: Any
) -> Picture:
    selection, chosen = _decision(result, objectives)
    standings, size = _standings(selection, chosen), selection.population_size
    finding = f"How {len(standings)} objectives are distributed over {size:,} rows"
    if chosen:
        shares = [float(standing.shares[0]) for standing in standings]
        worst = int(np.argmax(shares))
        finding = (
            f"{text.label(selection.best)} is {_place(shares[worst], size)} in {text.spoken(standings[worst].name)}, "
            "its weakest objective"
        )
    return Picture(
        finding=finding,
        caption=f"How values become ranks: for each objective, the share of {size:,} rows that are better than a value."
        + (" The star marks the selected row, above each panel its place and the weight." if chosen else ""),
        alt=f"A panel for each of {len(standings)} objectives with its empirical distribution over {size:,} rows."
        + (f" A star marks {text.label(selection.best)} in each." if chosen else ""),
        data=_values_and_ranks(selection),
    )


def _place(share: float, size: int) -> str:
    if size < WORTH_SHARES:
        return write_place(share, size)
    return "behind none of the rows" if share == 0 else f"behind {text.percent(share)} of the rows"


def _values_and_ranks(selection: Selection) -> pd.DataFrame:
    matrix = selection.matrix
    standings = _standings(selection, range(len(matrix.values)))
    columns = {one.name: one.values for one in standings} | {f"u_{one.name}": one.shares for one in standings}
    return pd.DataFrame(columns, index=matrix.index)


def _draw_standing(
    ax: Axes, standing: _Standing, labels: Sequence[str], *, starred: int, line_kws: dict[str, Any]
) -> None:
    """Draw the share of better rows at each value: the values below it, or above it where more is better."""
    import seaborn as sns

    finite = standing.population[np.isfinite(standing.population)]
    check_drawable(finite[:, None], [standing.name])
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    # The share of a number that is hardly above 0 may be 0.
    margin = _MARGIN * ((high - low) or abs(high)) or _MARGIN
    # What is infinite lies out of sight, so that the shares stay those of all rows.
    drawn = np.sort(np.clip(standing.population, low - 4 * margin, high + 4 * margin))
    drawn = drawn[:: -(-len(drawn) // _MOST_STEPS)]
    looks: dict[str, Any] = {"color": series_color(0), "lw": 1.6, **line_kws}
    sns.ecdfplot(x=drawn, complementary=standing.direction == "max", ax=ax, **looks)
    ax.set(xlim=(low - margin, high + margin), ylim=(0, 1), ylabel="")
    left = ax.get_xlim()[0]
    for i, (value, share, label) in enumerate(zip(standing.values, standing.shares, labels, strict=True)):
        color = chosen_looks()["color"] if i < starred else series_color(i + 1)
        value = float(np.clip(value, low, high))
        ax.plot([value, value, left], [0, share, share], color=color, lw=0.9, ls=":", zorder=2)
        marker = "*" if i < starred else MARKERS[(i + 1) % (len(MARKERS) - 1)]
        ax.scatter(
            [value], [share], s=130 if marker == "*" else 40, marker=marker, color=color, edgecolors="white",
            linewidths=0.8, zorder=4, clip_on=False, label=label,
        )  # fmt: skip
    ax.set_xlabel(_axis_label(standing.name, standing.direction, 24))


def _axis_label(name: Hashable, direction: str, most: int) -> str:
    return f"{shorten(text.spoken(name), most)} {'↑' if direction == 'max' else '↓'}"


@of_paper("javaloy2025copa")
@offered_by(Selection, kind="pairs")
@any_frame
def plot_pairs(
    result: pd.DataFrame | Selection,
    *,
    objectives: ObjectivesLike = None,
    show: Sequence[Hashable] | None = None,
    hue: Hashable | None = None,
    palette: Any = None,
    most: int = 5,
    height: float | None = None,
) -> Figure:
    """Draw each two objectives against each other, with the front marked and the selected row as a star.

    Parameters
    ----------
    result : DataFrame or Selection
        A table, or a decision.
    objectives : mapping of column to {"max", "min"}, optional
        For a table without defined objectives.
    show : list of objectives, optional
        Which to draw, in this order; the first `most` if omitted.
    hue : label, optional
        Column whose values color the rows. The front is then marked by shape alone.
    palette : optional
        Colors of `hue`, or of the front and the rest: a list, a mapping, or a name that seaborn knows.
    most : int
        Objectives drawn at most, unless `show` names them.
    height : float, optional
        Height of the figure in inches.

    Returns
    -------
    Figure
        Histograms are on the diagonal.

    Raises
    ------
    ValueError
        For an unknown objective or column, for fewer than two objectives, for `most` below 2, or without a row of
        finite values.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 2.5]}, index=list("abc"))
    >>> figure = models.moo(accuracy="max", co2_kg="min").copa().plot("pairs")
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt
    import seaborn as sns

    selection, chosen = _decision(result, objectives)
    drawn = _pairs_drawn(selection, show, most)
    points, kinds, group = _rows_of_pairs(selection, drawn, hue)
    if points.empty:
        raise ValueError("no row has finite values in all objectives to be drawn; name others in `show`.")
    colors = _colors_of_pairs(kinds, group, palette)
    width = float(plt.rcParams["figure.figsize"][0])
    tall = height or min(_HALF_A_PAGE if width > 0.7 * PAGE_WIDTH else 1.3 * _HALF_A_PAGE, width)
    # The grid has a layout of its own until it is complete.
    with inside(plt.rc_context({"figure.constrained_layout.use": False, "figure.autolayout": False})):
        grid = sns.PairGrid(points, corner=True, diag_sharey=False)
    figure: Figure = grid.figure
    figure.set_layout_engine("constrained")
    figure.set_size_inches(width, tall)
    shared: dict[str, Any] = {"hue": kinds if group is None else group, "palette": colors, "hue_order": list(colors),
                              "legend": False}  # fmt: skip
    grid.map_lower(
        sns.scatterplot, style=kinds, markers=_SHAPES, size=kinds, sizes={_FRONT: 26, _REST: 12}, alpha=0.8,
        linewidth=0.3, rasterized=len(points) > 800, **shared,
    )  # fmt: skip
    grid.map_diag(sns.histplot, multiple="stack", linewidth=0.3, **shared)
    star = selection.matrix.original()[chosen, :][:, drawn]
    for i, j in zip(*np.tril_indices(len(drawn)), strict=True):
        ax = grid.axes[i, j]
        ax.locator_params(nbins=3)
        if i > j:
            ax.scatter(
                star[:, j], star[:, i], s=130, **chosen_looks(), edgecolors="white", linewidths=0.8,
                zorder=5,
            )  # fmt: skip
    for k, objective in enumerate(drawn):
        name, direction = selection.objectives.directions[objective]
        across, up = (
            _axis_label(name, direction, max(8, int(_LETTERS_PER_INCH * room / len(drawn)) - 2))
            for room in (width, tall)
        )
        grid.axes[-1, k].set_xlabel(across, fontsize="small")
        grid.axes[k, 0].set_ylabel(up if k else "", fontsize="small")
    _explain_marks(figure, kinds, colors, hue, star=bool(chosen))
    return figure


def _pairs_drawn(selection: Selection, show: Sequence[Hashable] | None, most: int) -> list[int]:
    """Columns of the objectives to draw."""
    if len(selection.objectives) < 2:
        raise ValueError("pairs need two objectives to be drawn; define another one.")
    if show is None:
        return list(range(len(selection.objectives)))[: checks.integer("most", most, least=2)]
    drawn = [selection.objectives.position(name, "show") for name in show]
    if len(set(drawn)) < max(2, len(drawn)):
        raise ValueError(f"`show` is {list(show)!r}; name at least two objectives, each once.")
    return drawn


def _rows_of_pairs(
    selection: Selection, drawn: list[int], hue: Hashable | None
) -> tuple[pd.DataFrame, np.ndarray, np.ndarray | None]:
    """Return the values of the rows that are drawn, which are on the front, and the groups that color them."""
    values = selection.matrix.original()[:, drawn]
    names = [selection.objectives.names[k] for k in drawn]
    check_drawable(values, names)
    on_front = np.zeros(len(values), dtype=bool)
    on_front[selection.front] = True
    kept = np.isfinite(values).all(axis=1)
    kept &= on_front | (np.arange(len(values)) % -(-len(values) // _MOST_POINTS) == 0)
    # The front is drawn last, on top.
    rows = np.flatnonzero(kept)[np.argsort(on_front[kept], kind="stable")]
    points = pd.DataFrame(values[rows], columns=[f"{place}" for place in range(len(names))])  # labeled later
    kinds = np.where(on_front, _FRONT, _REST)[rows]
    if hue is None:
        return points, kinds, None
    frame = selection.inputs.kept_rows()
    column = frame.iloc[:, checks.column_position(frame, hue, "hue")]
    count = column.nunique(dropna=False)
    if count > _MOST_COLORS:
        raise ValueError(
            f"`hue` is {hue!r}, which has {count:,} values; at most {_MOST_COLORS} colors can be distinguished. Pass a "
            "column of groups, e.g. one made by pandas.cut."
        )
    return points, kinds, np.array([text.label(value) for value in column], dtype=object)[rows]


def _colors_of_pairs(kinds: np.ndarray, group: np.ndarray | None, palette: Any) -> dict[str, Any]:
    """Return the color of each group in the order in which they are drawn."""
    import seaborn as sns

    if isinstance(palette, Mapping):
        return dict(palette)
    if group is None:
        levels = [one for one in (_FRONT, _REST) if one in kinds]
        tones = [series_color(0), GRAY] if palette is None else palette
    else:
        levels = sorted(set(group))
        tones = [series_color(k) for k in range(len(levels))] if palette is None and len(levels) <= 8 else palette
    return dict(zip(levels, sns.color_palette(tones, len(levels)), strict=True))


def _explain_marks(
    figure: Figure, kinds: np.ndarray, colors: dict[str, Any], hue: Hashable | None, *, star: bool
) -> None:
    """Explain colors and marks in the corner that the pairs leave free."""
    from matplotlib.lines import Line2D

    looks: dict[str, Any] = {"ls": "", "ms": 6, "mec": "white", "mew": 0.4}

    def mark(marker: str, color: Any, label: str, **more: Any) -> Line2D:
        return Line2D([], [], marker=marker, color=color, label=label, **{**looks, **more})

    if hue is None:
        handles = [mark(_SHAPES[one], tone, f"{one} ({(kinds == one).sum():,})") for one, tone in colors.items()]
    else:
        handles = [mark("o", tone, shorten(one, 24)) for one, tone in colors.items()]
        handles.append(mark("D", INK, _FRONT))
    if star:
        handles.append(mark("*", chosen_looks()["color"], "selected", ms=11))
    title = None if hue is None else literal(text.spoken(hue))
    figure.legend(handles=handles, loc="upper right", title=title)


@describes(plot_pairs)
def _pairs_in_words(
    result: pd.DataFrame | Selection,
    *,
    objectives: ObjectivesLike = None,
    show: Sequence[Hashable] | None = None,
    hue: Hashable | None = None,
    most: int = 5,
    **options: Any,
) -> Picture:
    selection, chosen = _decision(result, objectives)
    drawn = _pairs_drawn(selection, show, most)
    names = text.listing(text.spoken(selection.objectives.names[k]) for k in drawn)
    n_front, (allowed, total) = len(selection.front), selection.counts()
    best = text.label(selection.best)
    which = f"{n_front:,} of {allowed:,} rows are" if n_front != 1 else f"1 of {allowed:,} rows is"
    points = selection.matrix.original()[:, drawn]
    data = pd.DataFrame(
        points, index=selection.matrix.index, columns=pd.Index([selection.objectives.names[k] for k in drawn])
    )
    return Picture(
        finding=f"{which} on the front" + (f", {best} among them" if chosen else ""),
        caption=f"{names}, each against each other; diamonds are on the Pareto front of all "
        f"{len(selection.objectives)} objectives."
        + (f" The star marks {best}." if chosen else "")
        + (f" Colors show {text.spoken(hue)}." if hue is not None else "")
        + (f" Constraints allow {allowed:,} of {total:,} rows." if allowed < total else ""),
        alt=f"Scatter plots of each two of {names} for {total:,} rows, and a histogram of each.",
        data=data,
        narrow_height=4.05,
    )


@of_paper("javaloy2025copa")
@offered_by(Criteria, kind="agreement")
@shared_parameters
def plot_agreement(comparison: Criteria, *, ax: Axes | None = None, **heatmap_kws: Any) -> Axes:
    """Draw a heat map of Kendall's τ-b between the rankings of each two criteria.

    Parameters
    ----------
    comparison : Criteria
        Ranks under several criteria.
    %(ax)s
    **heatmap_kws
        Options of ``seaborn.heatmap``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> ax = models.moo(accuracy="max", co2_kg="min").copa().criteria(["mean", 1, "inf"]).plot("agreement")
    >>> plt.close(ax.figure)
    """
    import seaborn as sns

    ax = current_axes(ax)
    agreement = comparison.agreement
    names = [literal(name) for name in agreement]
    looks: dict[str, Any] = {
        "annot": True, "fmt": ".2f", "vmin": -_LIGHT, "vmax": _LIGHT, "cmap": "RdBu", "square": True, "cbar": False,
        "linewidths": 0.5, "annot_kws": {"fontsize": "small", "color": "black"},
        "mask": np.triu(np.ones(agreement.shape, dtype=bool), 1), **heatmap_kws,
    }  # fmt: skip
    sns.heatmap(agreement.set_axis(names).set_axis(names, axis="columns"), ax=ax, **looks)
    ax.set(xlabel="", ylabel="")
    ax.tick_params(length=0)
    ax.set_xticklabels(names, rotation=30, ha="right", rotation_mode="anchor")
    ax.set_yticklabels(names, rotation=0)
    ax.grid(visible=False)
    return ax


@describes(plot_agreement)
def _agreement_in_words(comparison: Criteria, **options: Any) -> Picture:
    agreement = comparison.agreement
    count = len(agreement)
    least = comparison.least_agreement()
    return Picture(
        finding=say(least[0]).removesuffix(".") if least else comparison.headline,
        caption=f"Kendall's τ-b between the rankings of {len(comparison.ranks):,} rows by {count} criteria; 1 is the "
        "same order, −1 the opposite.",
        alt=f"Heat map of the agreement of {count} criteria.",
        data=agreement,
        height=3.4,
    )
