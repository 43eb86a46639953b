"""Pictures of partial orders: Hasse diagrams, depths, and how often each item stands above each other."""

from __future__ import annotations

import math
import numbers as number_types
import unicodedata
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb import text as words
from copa_nb.docstrings import shared_parameters
from copa_nb.partial_orders.arrays.hasse_layout import HasseDiagram, hasse_diagram
from copa_nb.partial_orders.arrays.relations import is_preorder
from copa_nb.partial_orders.depth import DepthResult
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.keys import key_of, numbered_key, words_alone
from copa_nb.plotting.style import (
    GREY,
    INK,
    PALETTE,
    SMALLEST_LETTERS,
    current_axes,
    is_narrow,
    literal,
    set_tip,
    shorten,
)

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_LARGEST_FONT = 9.5
# Width of an average character and height of a line, as multiples of the font size.
_CHARACTER = 0.58
_LINE = 2.9  # heights of letters from one layer to the next; less only where letters would be too small
_SHORTEST_LINE = 1.9
_HOW_TO_READ = "lines lead down from better to worse"


@shared_parameters
def plot_depth(result: DepthResult, *, box: bool = True, values: bool = True, ax: Axes | None = None) -> Axes:
    """Draw a dot per order, deepest at the top, named by its group.

    Parameters
    ----------
    result : DepthResult
        From :meth:`copa_nb.PosetSample.depth`. Confidence intervals are drawn where depths were estimated.
    box : bool
        Whether to draw a box plot of all depths below the dots.
    values : bool
        Whether to write the depths at the right end.
    %(ax)s

    Returns
    -------
    Axes

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    >>> ax = plot_depth(sample.depth())
    >>> plt.close(ax.figure)
    """
    ax = current_axes(ax)
    table = result.table
    rows = np.arange(len(table))
    depths = table["depth"].to_numpy()
    ax.hlines(rows, 0, depths, color="0.85", lw=1.2, zorder=1)
    if "low" in table:
        ax.hlines(rows, table["low"], table["high"], color=PALETTE[0], lw=2.4, alpha=0.45, zorder=2)
    ax.scatter(depths, rows, s=30, color=PALETTE[0], zorder=3)
    if box:
        row_of_box = len(table) + 0.4
        ax.boxplot(
            depths, positions=[row_of_box], orientation="horizontal", widths=0.7, manage_ticks=False, patch_artist=True,
            boxprops={"facecolor": "white", "edgecolor": INK, "linewidth": 0.9},
            medianprops={"color": PALETTE[1], "linewidth": 1.6}, whiskerprops={"color": INK, "linewidth": 0.9},
            capprops={"color": INK, "linewidth": 0.9}, flierprops={"marker": ".", "markeredgecolor": GREY},
        )  # fmt: skip
    labels = [shorten(words.label(label), 26) for label in table.index]
    ax.set_yticks([*rows, row_of_box] if box else rows, [*labels, "all"] if box else labels)
    ax.set_ylim(len(table) + (1.1 if box else -0.4), -0.6)
    largest = max(float(table.get("high", table["depth"]).max()), 1e-3)
    ax.set_xlim(0, largest * 1.05)
    for row, depth in enumerate(depths if values else ()):
        ax.annotate(
            f"{depth:.3f}", (1.0, row), xycoords=("axes fraction", "data"), xytext=(3, 0), textcoords="offset points",
            va="center", fontsize="small", color="0.35", annotation_clip=False,
        )  # fmt: skip
    ax.grid(False, axis="y")
    names = [words.spoken(name) for name in table.index.names if name is not None]
    ax.set_ylabel(literal(", ".join(names)) or "order")
    ax.set_xlabel("depth (outlying → central)" + (", estimated" if result.method == "sample" else ""))
    return ax


@shared_parameters
def plot_pair_counts(
    sample: PosetSample | pd.DataFrame,
    *,
    n_groups: int | None = None,
    sort: bool = True,
    numbers: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw in how many groups the item of the row stands above the item of the column.

    Parameters
    ----------
    sample : PosetSample or DataFrame
        The sample, or its ``pair_counts``.
    n_groups : int, optional
        What the counts are out of, for the colours; the sample's number of groups, or the largest count.
    sort : bool
        Whether to put items that stand above many others first.
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
    >>> sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    >>> ax = plot_pair_counts(sample)
    >>> plt.close(ax.figure)
    """
    from matplotlib.ticker import MaxNLocator

    ax = current_axes(ax)
    counts: Any = sample if isinstance(sample, pd.DataFrame) else sample.pair_counts
    if n_groups is None:
        n_groups = int(counts.to_numpy().max()) if isinstance(sample, pd.DataFrame) else len(sample)
    if sort:
        order = (counts.sum() - counts.sum(axis=1)).sort_values(kind="stable").index
        counts = counts.loc[order, order]
    values = counts.to_numpy(dtype=float)
    masked = np.ma.masked_array(values, mask=np.eye(len(values), dtype=bool))
    # Blues remain distinguishable in grey print and with any colour blindness.
    # Behind numbers they stay light: in the middle of the scale neither black nor white stands out well.
    image = ax.imshow(masked, cmap="Blues", vmin=0, vmax=max(n_groups, 1) * (1.6 if numbers else 1), aspect="equal")
    labels = [shorten(label, 18) for label in counts.index]
    if len(labels) <= 4 or max(map(len, labels)) <= 3:
        ax.set_xticks(range(len(labels)), labels)
        ax.set_yticks(range(len(labels)), labels)
    else:
        # Columns are named by the numbers of the rows: no label stands on its head, and cells have room.
        ax.set_xticks(range(len(labels)), [str(place) for place in range(1, len(labels) + 1)])
        ax.set_yticks(range(len(labels)), [f"{label}  {place}" for place, label in enumerate(labels, start=1)])
    ax.tick_params(length=0)
    ax.grid(False)
    ax.spines[:].set_visible(False)
    if numbers:
        for i, j in np.argwhere(~np.eye(len(values), dtype=bool)):
            linear = ((np.array(image.to_rgba(values[i, j])[:3]) + 0.055) / 1.055) ** 2.4
            # Where the ground has this luminance, black and white stand out alike.
            color = "white" if linear @ (0.2126, 0.7152, 0.0722) < 0.179 else "black"
            ax.text(j, i, f"{values[i, j]:.0f}", ha="center", va="center", fontsize="small", color=color)
    ax.set_xlabel(f"is below (in how many of {n_groups})")
    ax.set_ylabel("is above")
    if numbers:
        return ax
    bar = ax.figure.colorbar(image, ax=ax, shrink=0.8, pad=0.02)
    bar.locator = MaxNLocator(6, integer=True)
    bar.update_ticks()
    bar.set_label(f"groups (of {n_groups})")
    bar.outline.set_visible(False)
    return ax


@shared_parameters
def plot_hasse(
    relation: Any,
    *,
    labels: Any = None,
    highlight: Any = (),
    most: int = 20,
    arrow: bool = True,
    ax: Axes | None = None,
) -> Axes:
    """Draw an order: an item stands above all items that lines lead down to from it, directly or by others.

    Parameters
    ----------
    relation : DataFrame or ndarray of bool, shape (n, n)
        Row above column; a partial order, or a preorder, whose indifferent items are drawn as ``A = B``.
    labels : list, optional
        Names of the items; the DataFrame's index if omitted.
    highlight : collection
        Labels to draw in colour.
    most : int
        Longest label, in characters; longer ones are cut in the middle.
    arrow : bool
        Whether to say below the diagram how to read it.
    %(ax)s

    Returns
    -------
    Axes
        Items without any relation stand in rows of their own below a dotted line. Only lines say what is better:
        two items without a line between them, direct or by others, are not comparable, whatever their heights.

    Notes
    -----
    Where labels would be too small to read, boxes hold numbers, and a key below the figure says what they stand for.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    >>> ax = plot_hasse(sample.relation("P1"))
    >>> plt.close(ax.figure)
    """
    matrix, names = _read(relation, labels)
    ax = current_axes(ax)
    ax.set_axis_off()
    texts = [shorten(name, most) for name in names]
    diagram, size = _fitted(ax, matrix, texts)
    figure: Any = ax.get_figure(root=True)
    if size < SMALLEST_LETTERS and figure.get_layout_engine() is not None and max(map(len, texts)) > 2:
        texts = _share_key(figure, names)
        diagram, size = _fitted(ax, matrix, texts)
    for line in diagram.lines:
        (drawn,) = ax.plot(*line.T, color=INK, lw=0.9, alpha=0.75, zorder=1)
        ends = (np.hypot(diagram.x - x, diagram.width * (diagram.y - y)).argmin() for x, y in (line[0], line[-1]))
        set_tip(drawn, " above ".join(" = ".join(words.label(names[i]) for i in diagram.members[end]) for end in ends))
    if diagram.rule is not None:
        ax.plot([0, diagram.width], [diagram.rule] * 2, ls=":", lw=0.8, color="0.6", zorder=0)
    for items, place_x, place_y in zip(diagram.members, diagram.x, diagram.y, strict=True):
        marked = any(names[i] in set(highlight) for i in items)
        text = " = ".join(texts[i] for i in items)
        box = ax.text(
            place_x, place_y, text, ha="center", va="center", fontsize=size, color="white" if marked else INK, zorder=3,
            bbox={
                "boxstyle": "round,pad=0.22", "fc": PALETTE[0] if marked else "white", "ec": PALETTE[0], "lw": 0.8
            },
        )  # fmt: skip
        others = np.ones(len(names), dtype=bool)
        others[items] = False
        above, below = matrix[items[0]] & others, matrix[:, items[0]] & others
        set_tip(box, " = ".join(words.label(names[i]) for i in items), f"above {above.sum()}", f"below {below.sum()}")
    if arrow and diagram.has_relations:
        ax.annotate(_HOW_TO_READ, (0.0, 0.0), xycoords="axes fraction", va="top", fontsize="small", color="0.35")
    return ax


def plot_hasse_figure(
    sample: PosetSample | DepthResult,
    *,
    most: int = 24,
    columns: int | None = None,
    size: tuple[float, float] | None = None,
    highlight: Any = (),
    figure: Figure | None = None,
) -> Figure:
    """Draw the Hasse diagram of every order side by side.

    Parameters
    ----------
    sample : PosetSample or DepthResult
        A result is drawn from the deepest order to the shallowest, with depths; a sample in its own order.
    most : int
        Largest number of orders drawn.
    columns : int, optional
        Diagrams per row; chosen by the number of orders and the width of a page if omitted.
    size : tuple of float, optional
        Width and height of one diagram in inches; chosen by the number of items if omitted.
    highlight : collection
        Items to draw in colour in every diagram.
    figure : Figure, optional
        Where to draw; a new one if omitted.

    Returns
    -------
    Figure

    Raises
    ------
    ValueError
        For `most` below 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo.posets(item="optimizer", by="problem")
    >>> figure = plot_hasse_figure(sample.depth(), most=4)
    >>> plt.close(figure)
    """
    import matplotlib.pyplot as plt

    if isinstance(sample, DepthResult):
        depths, orders = sample.depth, sample.of.only(sample.order[: checks.integer("most", most)])
    else:
        depths, orders = None, sample.only(sample.groups[: checks.integer("most", most)])
    n, n_items = len(orders), len(orders.items)
    if size is None:
        size = (1.7, 1.6) if n_items <= 4 else (2.2, 2.5) if n_items <= 8 else (3.4, 3.4) if n_items <= 12 else (6.8, 5)
    width = (plt.rcParams["figure.figsize"][0] if figure is None else figure.get_figwidth()) + 0.01
    columns = min(n, max(1, int(width / size[0])), columns or math.ceil(math.sqrt(n * 1.3)))
    rows = math.ceil(n / columns)
    if figure is None:
        figure = plt.figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    room = int(14 * size[0]) - 6
    axes = figure.subplots(rows, columns, squeeze=False)
    for ax in axes.ravel():
        ax.set_axis_off()
    for group, ax in zip(orders.groups, axes.ravel(), strict=False):
        # A bare number does not say what it counts.
        counts = isinstance(group, number_types.Number) and orders.groups.name is not None
        name = f"{orders.groups.name} {group}" if counts else words.label(group)
        ax.set_title(shorten(name, room) + ("" if depths is None else f": {depths[group]:.3f}"), fontsize="medium")
    if orders.relations.any():
        # Above the diagrams: a key may come below.
        options: dict[str, Any] = {"labelcolor": "0.35", "borderpad": 0, "borderaxespad": 0}
        figure.legend(loc="outside upper left", **words_alone([_HOW_TO_READ]), **options)
    lay_out(figure)
    for group, ax in zip(orders.groups, axes.ravel(), strict=False):
        plot_hasse(orders.relation(group), highlight=highlight, arrow=False, ax=ax)
    return figure


def _read(relation: Any, labels: Any) -> tuple[np.ndarray, list[Any]]:
    if isinstance(relation, pd.DataFrame):
        names = list(relation.index) if labels is None else list(labels)
        matrix = relation.to_numpy(dtype=bool)
    else:
        matrix = np.asarray(relation, dtype=bool)
        names = list(range(len(matrix))) if labels is None else list(labels)
    if matrix.ndim != 2 or matrix.shape != (len(names), len(names)):
        raise ValueError(
            f"`relation` has shape {matrix.shape} for {len(names)} labels; it must be square and have one each."
        )
    if not is_preorder(matrix):
        raise ValueError(
            f"`relation` of {checks.listed(names, 4)} is not a transitive order without a diagonal; close it with "
            "copa_nb.partial_orders.arrays.relations.transitive_closure."
        )
    return matrix, names


def _share_key(figure: Any, names: list[Any]) -> list[str]:
    """Write below a figure, once for all its diagrams, which number stands for which item; return the numbers."""
    numbers = {str(place): name for place, name in enumerate(names, start=1)}
    if not any(key_of(legend) == numbers for legend in figure.legends):
        numbered_key(figure, numbers, ncols=2 if is_narrow(figure) else 4)
        lay_out(figure)
    return list(numbers)


def _length(text: str) -> int:
    """Characters drawn: an escaped dollar sign is one, a Chinese or Japanese one takes the room of two."""
    return sum(1 + (unicodedata.east_asian_width(character) in "WF") for character in text.replace(r"\$", "$"))


def _fitted(ax: Axes, matrix: np.ndarray, texts: list[str]) -> tuple[HasseDiagram, float]:
    """Lay out an order, set the limits of the Axes and return the diagram with the largest font that fits."""
    diagram = hasse_diagram(matrix, [_length(text) for text in texts])
    ax.set_xlim(-1, diagram.width + 1)
    ax.set_ylim(diagram.bottom - 0.5, 0.5 if diagram.has_relations else 0.7)
    return diagram, _font_size(ax, diagram.width + 2, 1 - diagram.bottom)


def _font_size(ax: Axes, characters: float, layers: float) -> float:
    """Largest font with which labels fit side by side and layers below each other."""
    box = ax.get_window_extent()
    figure = ax.get_figure(root=True)
    points = 72.0 / (figure.dpi if figure is not None else 100.0)
    across = box.width * points / characters / _CHARACTER
    layer = box.height * points / layers
    down = max(layer / _LINE, min(layer / _SHORTEST_LINE, SMALLEST_LETTERS))
    return float(np.clip(min(across, down), 3.5, _LARGEST_FONT))
