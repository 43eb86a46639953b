"""Plots of partial orders: Hasse diagrams, depths, and how often each system stands above each other."""

from __future__ import annotations

import math
import numbers as number_types
from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb import text as words
from copa_nb.docstrings import shared_parameters
from copa_nb.partial_orders.depth import DepthResult
from copa_nb.partial_orders.orders import Orders
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.partial_orders.suites import SuiteReview
from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.hasse import needs_key, plot_hasse
from copa_nb.plotting.hasse_layout import HOW_TO_READ, HOW_TO_READ_ALL
from copa_nb.plotting.keys import words_alone
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.plotting.style import (
    GRAY,
    INK,
    Palette,
    current_axes,
    in_palette,
    is_narrow,
    is_slim,
    literal,
    series_color,
    shorten,
    shorten_all,
)
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import offered_by

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Orders whose sizes fit into a title.
_FEW = 3


@of_paper("rodemann2024partial")
@offered_by(DepthResult)
@in_palette
@shared_parameters
def plot_depth(
    result: DepthResult, *, box: bool = True, values: bool = True, palette: Palette = None, ax: Axes | None = None
) -> Axes:
    """Draw one dot per order, deepest at the top, labeled by its item.

    Parameters
    ----------
    result : DepthResult
        From :meth:`copa_nb.results.PosetSample.depth`. Confidence intervals are drawn where depths were estimated.
    box : bool
        Whether to draw a box plot of all depths below the dots.
    values : bool
        Whether to write the depths at the right end.
    %(palette)s
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> ax = sample.depth().plot()
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = result.table
    rows = np.arange(len(table))
    depths = table["depth"].to_numpy()
    ax.hlines(rows, 0, depths, color="0.85", lw=1.2, zorder=1)
    if "low" in table:
        ax.hlines(rows, table["low"], table["high"], color=series_color(0), lw=2.4, alpha=0.45, zorder=2)
    ax.scatter(depths, rows, s=30, color=series_color(0), zorder=3)
    if box:
        row_of_box = len(table) + 0.4
        ax.boxplot(
            depths, positions=[row_of_box], orientation="horizontal", widths=0.7, manage_ticks=False, patch_artist=True,
            boxprops={"facecolor": "white", "edgecolor": INK, "linewidth": 0.9},
            medianprops={"color": series_color(1), "linewidth": 1.6}, whiskerprops={"color": INK, "linewidth": 0.9},
            capprops={"color": INK, "linewidth": 0.9}, flierprops={"marker": ".", "markeredgecolor": GRAY},
        )  # fmt: skip
    labels = shorten_all(map(words.label, table.index), 26)
    ax.set_yticks([*rows, row_of_box] if box else rows, [*labels, "all"] if box else labels)
    ax.set_ylim(len(table) + (1.1 if box else -0.4), -0.6)
    largest = max(float(table.get("high", table["depth"]).max()), 1e-3)
    ax.set_xlim(0, largest * 1.05)
    for row, depth in enumerate(depths if values else ()):
        ax.annotate(
            f"{depth:.3f}", (1.0, row), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize="small", color="0.35", annotation_clip=False,
        )  # fmt: skip
    for row in np.flatnonzero(table["pairs"].to_numpy() == 0).tolist():
        side = -1 if depths[row] > largest / 2 else 1
        ax.annotate(
            f"no pair: all {len(result.sample.systems):,} are incomparable", (depths[row], row), xytext=(side * 7, 0),
            textcoords="offset points", va="center", ha="left" if side > 0 else "right", fontsize="small", color=INK,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 1},
        )  # fmt: skip
    ax.grid(False, axis="y")
    names = [words.spoken(name) for name in table.index.names if name is not None]
    ax.set_ylabel(literal(", ".join(names)) or "order")
    ax.set_xlabel("depth (outlying → central)" + (", estimated" if result.method == "sample" else ""))
    return ax


@describes(plot_depth)
def _depth_in_words(result: DepthResult, *, box: bool = True, **options: Any) -> Picture:
    orders = words.plural(result.depth.index.name, "orders")
    low, median, high = (f"{value:.2f}" for value in np.quantile(result.depth, [0, 0.5, 1]))
    height = 0.24 * len(result.depth) + 1.2
    return Picture(
        finding=f"Depths range from {low} to {high}, with a median of {median}"
        if result.constant
        else "Every depth is 0: there is no generic set",
        caption=f"Depths of {len(result.depth):,} {orders}. A deeper order is more typical."
        + (" The box plot shows all depths." if box else "")
        + (" Lines are confidence intervals (Monte Carlo error only)." if result.low is not None else ""),
        alt=f"Dot plot of the depths of {len(result.depth):,} {orders}, the deepest "
        f"({words.label(result.order[0])}) on top.",
        data=result.table,
        height=max(2.6, min(4.05, height)),
        narrow_height=max(2.6, height),
    )


@offered_by(SuiteReview)
def plot_suite(review: SuiteReview, ax: Axes | None = None, **kwargs: Any) -> Axes:
    """Draw the depths: see :meth:`copa_nb.results.DepthResult.plot`."""
    return review.depths.plot(ax=ax, **kwargs)


@describes(plot_suite)
def _suite_in_words(review: SuiteReview, **options: Any) -> Picture:
    return _depth_in_words(review.depths, **options)


@of_paper("rodemann2024partial")
@offered_by(Orders)
@shared_parameters
def plot_pair_counts(
    sample: PosetSample | pd.DataFrame,
    *,
    n_items: int | None = None,
    sort: bool = True,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw a heat map: on how many items does the system of the row stand above the system of the column?

    Parameters
    ----------
    sample : PosetSample or DataFrame
        The sample, or its ``pair_counts``.
    n_items : int, optional
        Number of items, for the colors; by default, that of the sample, or the largest count.
    sort : bool
        Whether to sort systems by how many others they stand above.
    numbers : bool
        Whether to write the counts.
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> ax = sample.plot()
    >>> plt.close(ax.figure)
    """
    import seaborn as sns
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    counts: Any = sample if isinstance(sample, pd.DataFrame) else sample.pair_counts
    if n_items is None:
        n_items = int(counts.to_numpy().max()) if isinstance(sample, pd.DataFrame) else len(sample)
    if sort:
        order = (counts.sum() - counts.sum(axis=1)).sort_values(kind="stable").index
        counts = counts.loc[order, order]
    values = counts.to_numpy(dtype=float)
    figure: Any = ax.get_figure(root=True)
    # Blues remain distinguishable in grey print and with any color blindness; behind numbers they stay light.
    highest = max(n_items, int(values.max(initial=0)), 1)
    sns.heatmap(
        values, mask=np.eye(len(values), dtype=bool), cmap="Blues", vmin=0, vmax=highest * (1.6 if numbers else 1),
        annot=numbers, fmt=".0f", annot_kws={"fontsize": "small", "color": "black"}, cbar=not numbers,
        cbar_kws={"shrink": 0.8, "pad": 0.02, "ticks": MaxNLocator(6, integer=True), "label": f"items (of {n_items})"},
        square=is_narrow(figure) or is_slim(ax), ax=ax,
    )  # fmt: skip
    labels = shorten_all(counts.index, 18)
    places = np.arange(len(labels)) + 0.5
    if len(labels) <= 4 or max(map(len, labels)) <= 3:
        ax.set_xticks(places, labels, rotation=0)
        ax.set_yticks(places, labels, rotation=0)
    else:
        # Columns are named by the numbers of the rows: no label stands on its head, and cells have room.
        ax.set_xticks(places, [str(place) for place in range(1, len(labels) + 1)], rotation=0)
        ax.set_yticks(places, [f"{label}  {place}" for place, label in enumerate(labels, start=1)], rotation=0)
    ax.tick_params(length=0)
    ax.grid(False)
    ax.set_xlabel(f"is below (on how many of {n_items})")
    ax.set_ylabel("is above")
    return ax


@describes(plot_pair_counts)
def _counts_in_words(
    sample: PosetSample | pd.DataFrame, *, n_items: int | None = None, numbers: bool = True, **options: Any
) -> Picture:
    own = isinstance(sample, PosetSample)
    counts = sample.pair_counts if isinstance(sample, PosetSample) else sample
    problems = words.plural(sample.items.name, "items") if isinstance(sample, PosetSample) else "items"
    total = n_items or (len(sample) if own else int(counts.to_numpy().max()))
    above = counts.sum(axis=1)
    most, largest = words.label(above.idxmax()), int(counts.to_numpy().max())
    systems = words.plural(counts.index.name, "systems")
    return Picture(
        finding=f"{most} stands above another system most often: {int(above.max()):,} times",
        caption=f"Number of {problems} (of {total:,}) on which the row stands above the column.",
        alt=f"Heat map of {len(counts):,} {systems}: on how many of {total:,} {problems} the row stands above the "
        f"column; the largest count is {largest:,}.",
        data=counts,
        height=min(4.05, max(2.6, 0.3 * len(counts) + 1.2)),
        narrow_height=3.6,
    )


@of_paper("rodemann2024partial")
@offered_by(Orders, kind="orders")
@offered_by(DepthResult, kind="orders")
@in_palette
def plot_hasse_figure(
    sample: PosetSample | DepthResult,
    *,
    items: Sequence[Hashable] | None = None,
    most: int = 24,
    columns: int | None = None,
    size: tuple[float, float] | None = None,
    highlight: Any = (),
    palette: Palette = None,
    figure: Figure | None = None,
) -> Figure:
    """Draw the Hasse diagram of every order side by side.

    Parameters
    ----------
    sample : PosetSample or DepthResult
        A result is drawn from the deepest order to the shallowest, with depths; a sample in its own order.
    items : sequence of labels, optional
        Items whose orders to draw, in this order; all if omitted.
    most : int
        Largest number of orders drawn.
    columns : int, optional
        Diagrams per row; chosen by the number of orders and the width of a page if omitted.
    size : tuple of float, optional
        Width and height of one diagram in inches; chosen by the number of systems if omitted.
    highlight : collection
        Systems to draw in color in every diagram.
    palette : str or sequence of color, optional
        Colors of the series: a list, or the name of a palette of seaborn or of a colormap of matplotlib.
    figure : Figure, optional
        Where to draw; a new one if omitted.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        For `most` below 1, or an item that is not in the sample.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> figure = sample.depth().plot("orders", most=4)
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    depths, orders = _drawn(sample, items, most)
    n, n_systems = len(orders), len(orders.systems)
    if size is None:
        size = (
            (1.7, 1.6)
            if n_systems <= 4
            else (2.2, 2.5)
            if n_systems <= 8
            else (3.4, 3.4)
            if n_systems <= 12
            else (6.8, 5)
        )
    width = (plt.rcParams["figure.figsize"][0] if figure is None else figure.get_figwidth()) + 0.01
    columns = min(n, max(1, int(width / size[0])), columns or math.ceil(math.sqrt(n * 1.3)))
    rows = math.ceil(n / columns)
    if figure is None:
        figure = plt.figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    room = int(14 * size[0]) - 6
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.ravel():
        ax.set_axis_off()
    for item, ax in zip(orders.items, axes.ravel(), strict=False):
        depth = "" if depths is None else f": {depths[item]:.3f}"
        ax.set_title(shorten(_name(item, orders), room) + depth, fontsize="medium")
    if orders.relations.any():
        # Above the diagrams: a key may come below.
        options: dict[str, Any] = {"labelcolor": "0.35", "borderpad": 0, "borderaxespad": 0}
        figure.legend(loc="outside upper left", **words_alone([HOW_TO_READ]), **options)
    lay_out(figure)
    drawn = [(orders.relation(item), ax) for item, ax in zip(orders.items, axes.ravel(), strict=False)]
    # Those with numbers first: where one needs a key, all use it.
    for relation, ax in sorted(drawn, key=lambda pair: not needs_key(*pair)):
        plot_hasse(relation, highlight=highlight, arrow=False, ax=ax)
    return figure


def _drawn(
    sample: PosetSample | DepthResult, items: Sequence[Hashable] | None, most: int
) -> tuple[pd.Series | None, Orders]:
    """Return the depths, if there are any, and the orders to draw."""
    if isinstance(sample, DepthResult):
        depths, orders, everything = sample.depth, sample.orders, sample.order
    else:
        depths, orders, everything = None, sample, sample.items
    return depths, orders.only((everything if items is None else items)[: checks.integer("most", most)])


def _name(item: Hashable, orders: Orders) -> str:
    """Name an item; a number needs the name of its column."""
    counts = isinstance(item, number_types.Number) and orders.items.name is not None
    return f"{orders.items.name} {item}" if counts else words.label(item)


@describes(plot_hasse_figure)
def _orders_in_words(
    sample: PosetSample | DepthResult, *, items: Sequence[Hashable] | None = None, most: int = 24, **options: Any
) -> Picture:
    depths, orders = _drawn(sample, items, most)
    drawn, total = len(orders), len(sample.table)
    problems = words.plural(orders.items.name, "items")
    if items is None:
        which = f"{'first' if depths is None else 'deepest'} {drawn:,} of {total:,}" if drawn < total else f"{total:,}"
        first = "" if depths is None else f", {words.label(orders.items[0])} first"
        finding = f"The {which} order{'s' * (total != 1)}{first}"
    elif drawn <= _FEW:
        counts = [f"{int(pairs)} on {_name(item, orders)}" for item, pairs in orders.table["pairs"].items()]
        finding = f"Pairs ordered, of {len(orders.systems) * (len(orders.systems) - 1) // 2}: {words.listing(counts)}"
    else:
        finding = f"{drawn:,} orders"
        if depths is not None:
            finding += f", of depths {depths[orders.items[0]]:.2f} to {depths[orders.items[-1]]:.2f}"
    return Picture(
        finding=finding,
        caption=f"Hasse diagrams of the orders on {drawn:,} {problems}: {HOW_TO_READ_ALL}"
        + (" Titles have the depths." if depths is not None else ""),
        alt=f"{drawn:,} Hasse diagrams, one for each of the {problems}"
        f"{', the deepest first' * (depths is not None and items is None)}.",
        data=sample.table.loc[orders.items] if items is None or drawn > _FEW else _pairs_of(orders),
    )


def _pairs_of(orders: Orders) -> pd.DataFrame:
    """Return the orders as one table of 0 and 1: row above column."""
    relations = {item: orders.relation(item).astype(int) for item in orders.items}
    return pd.concat(relations, names=[orders.items.name, "above"])
