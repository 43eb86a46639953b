"""Lettered panels that stack on a phone, legends next to or below them, and log axes with plain numbers."""

from __future__ import annotations

__all__ = ["outer_legend", "panels"]

import itertools
import math
import string
import warnings
from collections.abc import Hashable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks
from copa_nb.plotting.style import PAGE_WIDTH, directed_label, is_narrow, is_slim

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend

_LARGEST_DRAWN = 1e300
SKEWED = 10.0  # a column is skewed if its largest value exceeds its median by this factor
# A legend outside one panel of several would take its room, or that of the next one.
INSIDE: dict[str, Any] = {"loc": "best", "fontsize": "small"}


def panels(
    count: int = 1,
    *,
    height: float = 3.2,
    columns: int | None = None,
    narrow_height: float | None = None,
    **kwargs: Any,
) -> tuple[Figure, Any]:
    """Make a figure with panels side by side, or below each other on a phone; several have letters to speak of them.

    Parameters
    ----------
    count : int
        Panels.
    height : float
        Height of one panel, in inches.
    columns : int, optional
        Panels in a row of a page; all of them if omitted. A phone has one in a row.
    narrow_height : float, optional
        Height of one panel on a phone; `height` if omitted.
    **kwargs
        Passed on to ``Figure.subplots``.

    Returns
    -------
    figure : Figure
        As wide as the style in use sets it: a page or a phone.
    axes : Axes or list of Axes
        The panels in reading order; a single panel by itself.

    Raises
    ------
    ValueError
        For `count` below 1.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import plots
    >>> for narrow in (False, True):
    ...     with plots.report_style(narrow=narrow):
    ...         figure, axes = plots.panels(2, height=3)
    ...     figure.get_size_inches().tolist()
    ...     plt.close(figure)
    [6.85, 3.0]
    [3.7, 6.0]
    """
    import matplotlib.pyplot as plt

    checks.integer("count", count)
    width = float(plt.rcParams["figure.figsize"][0])
    narrow = width < 0.75 * PAGE_WIDTH
    across = 1 if narrow else min(count, columns or count)
    down = -(-count // across)
    size = (width, down * (narrow_height or height if narrow else height))
    figure = plt.figure(figsize=size, layout="constrained")
    if across == 1:
        # Ratios of widths are for panels side by side.
        kwargs.pop("width_ratios", None)
    axes = list(figure.subplots(down, across, squeeze=False, **kwargs).flat)
    for spare in axes[count:]:
        spare.remove()
    if count > 1:
        _letter(axes[:count])
    return figure, axes[0] if count == 1 else axes[:count]


def _letter(axes: Sequence[Axes]) -> None:
    """Write a, b, c, ... at the upper left of panels, on the line of their titles."""
    import matplotlib.pyplot as plt

    size, pad = plt.rcParams["axes.titlesize"], plt.rcParams["axes.titlepad"]
    for letter, ax in zip(string.ascii_lowercase, axes, strict=False):
        ax.annotate(
            letter, (0, 1), xycoords="axes fraction", xytext=(-8, pad), textcoords="offset points",
            ha="right", va="baseline", fontsize=size, fontweight="bold",
        )  # fmt: skip


def label_objectives(ax: Axes, across: tuple[Hashable, str], up: tuple[Hashable, str]) -> None:
    """Label the axes with objectives, and turn those of costs around: the best is up and right in every picture.

    Parameters
    ----------
    ax : Axes
        Whose limits are set.
    across, up : tuple of label and {"max", "min"}
        The objectives, and which of their values are good.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> label_objectives(ax, ("co2_kg", "min"), ("accuracy", "max"))
    >>> ax.get_xlabel(), bool(ax.xaxis_inverted()), bool(ax.yaxis_inverted())
    ('CO₂ (kg) ↓', True, False)
    >>> plt.close(figure)
    """
    ax.set(xlabel=directed_label(*across), ylabel=directed_label(*up))
    put_best_up_right(ax, across[1], up[1])


def put_best_up_right(ax: Axes, across: str, up: str) -> None:
    """Turn the axes of what is minimized around, so that the best is up and right; others stay as they are."""
    for axis, direction in ((ax.xaxis, across), (ax.yaxis, up)):
        if direction == "min":
            axis.set_inverted(True)  # not toggled: panels may share it


def lay_out(figure: Figure) -> None:
    """Put everything into its place, as drawing the figure would: at a third of the cost where an engine does it."""
    from matplotlib.layout_engine import ConstrainedLayoutEngine

    engine = figure.get_layout_engine()
    if isinstance(engine, ConstrainedLayoutEngine):
        engine.execute(figure)
    else:
        figure.draw_without_rendering()


def outer_legend(ax: Axes, *, columns: int = 2, beside: bool = True, **kwargs: Any) -> Legend:
    """Put the legend of an Axes next to it; below in a narrow figure, and inside one panel of several.

    Parameters
    ----------
    ax : Axes
        Whose entries are shown.
    columns : int
        Columns of a legend below at most; on a phone two.
    beside : bool
        Whether the legend may be next to the Axes.
    **kwargs
        Passed on to ``Axes.legend``.

    Returns
    -------
    Legend

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> from copa_nb import plots
    >>> figure, ax = plt.subplots()
    >>> _ = ax.plot([0, 1], label="a line")
    >>> legend = plots.outer_legend(ax)
    >>> plt.close(figure)
    """
    narrow = is_narrow(ax.get_figure(root=True))
    if is_slim(ax):
        return ax.legend(**{**INSIDE, **kwargs})
    if beside and not narrow:
        return ax.legend(**{"loc": "upper left", "bbox_to_anchor": (1.01, 1.0), "borderaxespad": 0, **kwargs})
    # Below the label of the horizontal axis; in fewer columns where they would be wider than the figure.
    from matplotlib.transforms import ScaledTranslation

    figure: Any = ax.get_figure(root=True)
    with warnings.catch_warnings():
        # The layout is not final: a legend next to the axes may still take all their room.
        warnings.filterwarnings("ignore", message="constrained_layout not applied")
        lay_out(figure)
    box, place = ax.get_tightbbox(), ax.get_window_extent()
    deep = 0.05 if box is None else 0.05 + (place.y0 - box.y0) / figure.dpi
    shift = ScaledTranslation(0, -deep, figure.dpi_scale_trans)
    below = {
        "loc": "upper left",
        "bbox_to_anchor": (0.0, 0.0),
        "borderaxespad": 0,
        "handlelength": 1.6,
        "columnspacing": 1,
    }
    options = {**below, **kwargs, "bbox_transform": ax.transAxes + shift}
    for ncols in range(min(columns, 2) if narrow else columns, 0, -1):
        legend = ax.legend(**{**options, "ncols": ncols})
        if place.x0 + legend.get_window_extent().width <= figure.bbox.width:
            break
    return legend


def shared_legend(axes: Axes | Iterable[Axes], *, columns: int = 4, **kwargs: Any) -> Legend:
    """Draw one legend below a figure, with every label of its panels once.

    Parameters
    ----------
    axes : Axes, or iterable or array of Axes of one figure
        Panels whose entries are gathered, in order of first appearance.
    columns : int
        Columns of the legend at most; fewer where they would be wider than the figure.
    **kwargs
        Passed on to ``Figure.legend``.

    Returns
    -------
    Legend

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, axes = plt.subplots(1, 2, layout="constrained")
    >>> for ax in axes:
    ...     _ = ax.plot([0, 1], label="same in both")
    >>> len(shared_legend(axes).get_texts())
    1
    >>> plt.close(figure)
    """
    panels: list[Axes] = list(np.ravel(np.asarray(axes, dtype=object)))
    entries: dict[str, Any] = {}
    for ax in panels:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            entries.setdefault(label, handle)
    figure: Any = panels[0].get_figure(root=True)
    columns = min(columns, 2) if is_narrow(figure) else columns
    while True:
        options: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, **kwargs}
        legend: Legend = figure.legend(list(entries.values()), list(entries), **options)
        if columns == 1 or legend.get_window_extent().width <= figure.bbox.width:
            return legend
        legend.remove()
        columns -= 1


def write_upright_or_turned(ax: Axes, places: np.ndarray, labels: Sequence[str]) -> None:
    """Write labels below the horizontal axis, turned where they would run into one another."""
    figure: Any = ax.get_figure(root=True)
    ticks = ax.set_xticks(places, labels)
    lay_out(figure)
    boxes = [tick.label1.get_window_extent() for tick in ticks]
    room = 3 * figure.dpi / 72
    if any(after.x0 < before.x1 + room for before, after in itertools.pairwise(boxes)):
        ax.set_xticks(places, labels, rotation=30, ha="right", rotation_mode="anchor")


def check_drawable(points: np.ndarray, names: Sequence[object], advice: str = "") -> None:
    """Refuse finite values so large that their differences overflow, which matplotlib cannot draw.

    Parameters
    ----------
    points : ndarray, shape (n, k)
        Values to draw.
    names : sequence of label
        The k objectives.
    advice : str
        What else can be done, other than rescaling.
    """
    for name, values in zip(names, points.T, strict=True):
        if (np.abs(values[np.isfinite(values)]) > _LARGEST_DRAWN).any():
            raise ValueError(
                f"objective {name!r} holds values beyond {_LARGEST_DRAWN:g}, which cannot be drawn; rescale it{advice}."
            )


def is_skewed(values: np.ndarray) -> bool:
    """Tell whether positive values are so skewed that only a logarithmic axis separates them.

    Examples
    --------
    >>> is_skewed(np.array([1.0, 2.0, 30.0])), is_skewed(np.array([1.0, 2.0, 3.0]))
    (True, False)
    """
    finite = values[np.isfinite(values)]
    with np.errstate(over="ignore"):
        return len(finite) > 0 and bool(finite.min() > 0 and finite.max() > SKEWED * np.median(finite))


def plain_log(ax: Axes, axis: str) -> None:
    """Put an axis on the log scale and label it with plain numbers, as many as suit its range.

    Parameters
    ----------
    ax : Axes
        Its range is that of what has been drawn.
    axis : {"x", "y"}
        Which axis.

    Raises
    ------
    ValueError
        For an axis that is neither "x" nor "y".

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> _ = ax.plot([2, 40], [0, 1])
    >>> plain_log(ax, "x")
    >>> figure.draw_without_rendering()
    >>> [text.get_text() for text in ax.get_xticklabels() if 2 <= text.get_position()[0] <= 40]
    ['2', '5', '10', '20']
    >>> plt.close(figure)
    """
    from matplotlib.ticker import LogLocator, MaxNLocator, NullFormatter

    checks.one_of("axis", axis, ("x", "y"))
    (ax.set_xscale if axis == "x" else ax.set_yscale)("log")
    ticks: Any = ax.xaxis if axis == "x" else ax.yaxis
    low, high = sorted(ticks.get_view_interval())  # panels that share an axis may have turned it around
    decades = math.log10(high / low) if low > 0 else math.inf
    if decades < 0.5:
        ticks.set_major_locator(MaxNLocator(5))
    else:
        ticks.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)))
    ticks.set_major_formatter(lambda value, _: f"{value:g}")
    ticks.set_minor_formatter(NullFormatter())
