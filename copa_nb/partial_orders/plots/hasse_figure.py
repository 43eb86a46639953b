"""Small multiples of Hasse diagrams: all orders of a sample, from the deepest to the shallowest."""

from __future__ import annotations

import math
import numbers
from typing import TYPE_CHECKING, Any

from copa_nb import checks, text
from copa_nb.partial_orders.plots.hasse import plot_hasse
from copa_nb.plotting.style import shorten

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copa_nb.partial_orders.depth import DepthResult
    from copa_nb.partial_orders.posets import PosetSample

_WIDEST = 10.0  # inches: letters in wider figures come out too small on a page


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
    """
    import matplotlib.pyplot as plt

    depths = None
    if hasattr(sample, "depth") and not callable(sample.depth):
        result: Any = sample
        depths, orders = result.depth, result.of.only(result.order[: checks.integer("most", most)])
    else:
        plain: Any = sample
        orders = plain.only(plain.groups[: checks.integer("most", most)])
    n, n_items = len(orders), len(orders.items)
    if size is None:
        size = (
            (1.8, 1.5) if n_items <= 4 else (2.4, 2.5) if n_items <= 8 else (3.2, 3.2) if n_items <= 12 else (4.8, 4.4)
        )
    columns = min(n, columns or min(math.ceil(math.sqrt(n * 1.3)), max(1, int(_WIDEST / size[0]))))
    rows = math.ceil(n / columns)
    if figure is None:
        figure = plt.figure(figsize=(size[0] * columns, size[1] * rows), layout="constrained")
    room, longest = int(14 * size[0]) - 6, 14 if size[0] < 3 else 18
    axes = figure.subplots(rows, columns, squeeze=False)
    figure.canvas.draw()
    for place, ax in enumerate(axes.ravel()):
        if place >= n:
            ax.set_axis_off()
            continue
        group = orders.groups[place]
        # A bare number does not say what it counts.
        counts = isinstance(group, numbers.Number) and orders.groups.name is not None
        name = f"{orders.groups.name} {group}" if counts else text.label(group)
        plot_hasse(orders.relation(group), highlight=highlight, most=longest, arrow=place == 0, ax=ax)
        ax.set_title(shorten(name, room) + ("" if depths is None else f": {depths[group]:.3f}"), fontsize="small")
    return figure
