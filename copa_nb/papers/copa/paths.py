"""Several paths along the same front: side by side, and how evenly each covers it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.plots import name_rows, plot_front
from copa_nb.plotting.axes import outer_legend, panels
from copa_nb.plotting.keys import numbered_key
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    Palette,
    current_axes,
    in_palette,
    is_narrow,
    lines_with_hero,
    literal,
    map_of_importance,
    shorten,
)
from copa_nb.ranking.criterion import write_p
from copa_nb.results.citing import of_paper
from copa_nb.selection.navigate import Navigation

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# Of a panel in inches: in a single row, in one of several, of which two fit on half a page, and on a phone.
_ALONE, _HEIGHT, _NARROW_HEIGHT = 2.8, 2.0, 2.4
_LINE = "\n"
# Inches that the bar and the labels of the axes take, and points of a small letter.
_BESIDE, _LETTER = 1.3, 4.8


@of_paper("javaloy2025copa")
@in_palette
def plot_paths(
    navigations: Mapping[Hashable, Navigation],
    *,
    columns: int = 2,
    at: Sequence[float] = (),
    key: bool = False,
    palette: Palette = None,
    **front_options: Any,
) -> Figure:
    """Draw paths along the same front side by side: one panel per norm, normalization or constraint.

    Parameters
    ----------
    navigations : mapping of name to Navigation
        Navigations of the same objective. Panels of the same table share their axes. A name may be a tuple of parts.
    columns : int
        Panels in a row of a page; a phone has one in a row.
    at : list of float
        Values of α whose selected row gets a star.
    key : bool
        Whether to name those rows: above its panel if there is one α, else by numbers and a key below the figure.
    palette : str or sequence of color, optional
        Colors of the series: a list, or the name of a palette of seaborn or of a colormap of matplotlib.
    **front_options
        Options of :func:`plot_front`, such as ``x``, ``y``, ``normalize``, ``log`` and ``zoom``.

    Returns
    -------
    Figure

    Raises
    ------
    TypeError
        If `navigations` is no mapping, or empty.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> view = models.moo(accuracy="max", co2_kg="min")
    >>> figure = plot_paths({f"p = {p}": view.copa(p=p).navigate("co2_kg") for p in (1, "inf")}, at=[0.5])
    >>> [ax.get_title() for ax in figure.axes[:2]]
    ['p = 1: 2 selected', 'p = inf: 3 selected']
    >>> plt.close(figure)
    """
    from matplotlib.cm import ScalarMappable
    from matplotlib.colors import Normalize

    if not isinstance(navigations, Mapping) or not navigations:
        raise TypeError(
            f"`navigations` is {navigations!r}; give a mapping of name to path, "
            'e.g. {"p = 1": table.moo.copa(p=1).navigate("co2_kg")}.'
        )
    checks.integer("columns", columns)
    same_table = _same_table(navigations)
    figure, drawn = panels(
        len(navigations),
        columns=columns,
        height=_ALONE if len(navigations) <= columns else _HEIGHT,
        narrow_height=_NARROW_HEIGHT,
        sharex=same_table,
        sharey=same_table,
    )
    axes: list[Axes] = [drawn] if len(navigations) == 1 else drawn
    bar = ScalarMappable(norm=Normalize(0, 1), cmap=map_of_importance())
    figure.colorbar(bar, ax=axes, label="mean α", aspect=40, pad=0.01)
    numbers = _numbers(navigations, at) if key and len(at) > 1 else {}
    across = 1 if is_narrow(figure) else min(columns, len(navigations))
    letters = int(72 * (figure.get_figwidth() - _BESIDE) / across / _LETTER)
    for ax, (name, path) in zip(axes, navigations.items(), strict=True):
        plot_front(path, labels=(), at=at, colorbar=False, ax=ax, **front_options)
        # The parts of a name in lines of their own: panels are narrow.
        titles = [f"{literal(written_name(name, separator=_LINE))}: {path.n_distinct} selected"]
        allowed, n_rows = len(path.matrix.allowed()), len(path.matrix.values)
        if allowed < n_rows:
            titles.append(f"{allowed:,} of {n_rows:,} allowed")
        for row in _numbers({name: path}, at) if key and len(at) == 1 else ():
            ax.annotate(f"★ {shorten(text.label(row), letters)}", (0, 1), xycoords="axes fraction", xytext=(0, 4),
                        textcoords="offset points", va="bottom", fontsize="small")  # fmt: skip
        ax.set_title("\n".join(titles), pad=17 if key and len(at) == 1 else None)
    if same_table:
        _label_outer(axes, 1 if is_narrow(figure) else columns)
    if numbers:
        numbered_key(figure, {number: text.label(row) for row, number in numbers.items()})
        for ax, path in zip(axes, navigations.values(), strict=True):
            name_rows(ax, path, {row: numbers[row] for row in map(path.at, at) if row in numbers}, **front_options)
    return figure


def written_name(name: Hashable, *, separator: str = ", ") -> str:
    """Write the name of a panel, which may be a tuple of parts."""
    return separator.join(map(str, name)) if isinstance(name, tuple) else str(name)


def _same_table(navigations: Mapping[Hashable, Navigation]) -> bool:
    first, *others = (path.matrix for path in navigations.values())
    return all(
        one.objectives == first.objectives and np.array_equal(one.values, first.values, equal_nan=True)
        for one in others
    )


def _numbers(navigations: Mapping[Hashable, Navigation], at: Sequence[float]) -> dict[Hashable, str]:
    """Number the rows that are selected; one whose label is missing cannot be told from others like it."""
    rows = dict.fromkeys(path.at(alpha) for path in navigations.values() for alpha in at)
    named = (row for row in rows if not pd.isna(pd.Series([row], dtype=object)).item())
    return {row: str(number) for number, row in enumerate(named, start=1)}


def _label_outer(axes: Sequence[Axes], columns: int) -> None:
    """Label the panels of the first column and those with no panel below them."""
    across = axes[0].get_xlabel()
    for ax in axes:
        ax.label_outer()
    for ax in axes[-columns:]:
        ax.tick_params(labelbottom=True)
        ax.set_xlabel(across)


@describes(plot_paths)
def _paths_in_words(
    navigations: Mapping[Hashable, Navigation], *, at: Sequence[float] = (), key: bool = False, **options: Any
) -> Picture:
    paths = {written_name(name): path for name, path in navigations.items()}
    first = next(iter(paths.values()))
    names, importances = list(first.matrix.objectives.names), first.path.index
    swept, orders = text.spoken(first.objective), {write_p(path.p) for path in paths.values()}
    stars = f" Stars mark the choice at {text.listing(f'α = {alpha:g}' for alpha in at)}" if at else ""
    named = (f", named {'above' if len(at) == 1 else 'below'}." if key else ".") if at else ""
    log = [f" {text.spoken(name)} is on a logarithmic scale." for name in options.get("log", ())]
    return Picture(
        finding=_most_stops(pd.Series({name: path.n_distinct for name, path in paths.items()})),
        caption=f"{len(first.matrix.values):,} rows (gray), the Pareto front (blue), and the rows selected as the "
        f"weight α of {swept} goes from {importances[0]:g} to {importances[-1]:g} (diamonds, counted in the titles; "
        f"the color is the mean α, the size the range of α).{stars}{named}"
        + (f" p = {orders.pop()}." if len(orders) == 1 else "")
        + "".join(log),
        alt=f"{len(paths)} panels with the front of {text.listing(map(text.spoken, names))}; diamonds mark the rows "
        f"selected: {text.listing(f'{path.n_distinct} with {name}' for name, path in paths.items())}.",
        data=pd.concat({name: path.path[["selected", *names]] for name, path in paths.items()}, names=["path"]),
    )


def _most_stops(stops: pd.Series) -> str:
    """Name the path with which the slider selects the most rows."""
    if stops.min() == stops.max():
        return f"The slider stops at {stops.iloc[0]} rows in every panel"
    most, others = stops.idxmax(), stops.drop(stops.idxmax())
    fewer = f"{others.min()} to {others.max()}" if others.min() < others.max() else str(others.max())
    rest = f"with {others.index[0]}" if len(others) == 1 else "with the others"
    return f"The slider stops at {stops.max()} rows with {most}, and at {fewer} {rest}"


@of_paper("javaloy2025copa")
@in_palette
@shared_parameters
def plot_sweep(
    navigations: Mapping[Hashable, Navigation],
    *,
    at: Sequence[float] = (),
    palette: Palette = None,
    ax: Axes | None = None,
    **line_kws: Any,
) -> Axes:
    """Draw the position of the selected row along the front against α, one line per navigation.

    Equal steps in α that make equal steps along the front give the dotted diagonal; a line that stays at
    one end means that most of the slider does nothing.

    Parameters
    ----------
    navigations : mapping of name to Navigation
        Navigations of the same objective over the same rows, e.g. one per p.
    at : list of float
        Values of α that a vertical line marks.
    %(palette)s
    %(ax)s
    **line_kws
        Options of ``Axes.plot``.

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt, pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 2.0, 1.0]}, index=list("abc"))
    >>> view = models.moo(accuracy="max", co2_kg="min")
    >>> ax = plot_sweep({p: view.copa(p=p).navigate("co2_kg") for p in (1, "inf")})
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    ax.plot([0, 1], [0, 1], color="0.6", lw=1, ls=":", zorder=1, label="even")
    for alpha in at:
        ax.axvline(alpha, color="0.5", lw=0.8)
    objective: Hashable = None
    lines = lines_with_hero(len(navigations), _copa_itself(list(navigations.values())))
    for (name, navigation), line in zip(navigations.items(), lines, strict=True):
        objective = navigation.objective
        looks: dict[str, Any] = {**line, "marker": "", **line_kws}
        label = f"{literal(name)} (evenness {navigation.evenness:.2f})"
        ax.plot(navigation.path.index, navigation.places, drawstyle="steps-mid", label=label, **looks)
    ax.set(xlim=(0, 1), ylim=(-0.03, 1.03))
    ax.set_xlabel(f"α, weight of {literal(text.spoken(objective))}")
    ax.set_ylabel(f"place on the front, worst to best {literal(text.spoken(objective))}")
    outer_legend(ax)
    return ax


def _copa_itself(navigations: Sequence[Navigation]) -> int | None:
    """Place of COPA among what it is compared with: ranks, with the largest p; None without ranks."""
    orders = [one.p if one.normalize == "cdf" else 0.0 for one in navigations]
    return int(np.argmax(orders)) if any(orders) else None


@describes(plot_sweep)
def _sweep_in_words(navigations: Mapping[Hashable, Navigation], *, at: Sequence[float] = (), **options: Any) -> Picture:
    evenness = {text.label(name): one.evenness for name, one in navigations.items()}
    swept = text.spoken(next(iter(navigations.values())).objective)
    best = max(evenness, key=lambda name: evenness[name])
    marks = "Vertical lines mark" if len(at) > 1 else "The vertical line marks"
    lines = f" {marks} {text.listing(f'α = {alpha:g}' for alpha in at)}." if at else ""
    return Picture(
        finding=f"The weight of {swept} covers the front most evenly with {best} (evenness {evenness[best]:.2f})",
        caption=f"Position of the selected row on the front, from the worst to the best {swept}, against its weight α. "
        f"A line along the dotted diagonal makes equal steps along the front; evenness is 1 there.{lines}",
        alt="Step lines of the place on the front against α, with evenness "
        + text.listing(f"{value:.2f} ({name})" for name, value in evenness.items())
        + ".",
        data=pd.DataFrame({name: pd.Series(one.places, one.path.index) for name, one in navigations.items()}),
    )
