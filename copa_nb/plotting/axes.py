"""One legend for a row of panels, and log axes with numbers as people write them: 0.5 and 20, not 5 × 10⁻¹."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend

_LARGEST_DRAWN = 1e300


def shared_legend(axes: Axes | Iterable[Axes], *, columns: int = 4, **kwargs: Any) -> Legend:
    """Draw one legend below a figure, with every label of its panels once.

    Parameters
    ----------
    axes : Axes, or iterable or array of Axes of one figure
        Panels whose entries are gathered, in order of first appearance.
    columns : int
        Columns of the legend.
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
    options: dict[str, Any] = {"loc": "outside lower center", "ncols": columns, **kwargs}
    legend: Legend = figure.legend(list(entries.values()), list(entries), **options)
    return legend


def check_drawable(points: np.ndarray, names: Sequence[object], advice: str = "") -> None:
    """Refuse finite values so large that their differences overflow, which matplotlib cannot draw.

    Parameters
    ----------
    points : ndarray, shape (n, k)
        Values to draw.
    names : sequence of label
        The k objectives.
    advice : str
        What can be done besides rescaling.
    """
    for name, values in zip(names, points.T, strict=True):
        if (np.abs(values[np.isfinite(values)]) > _LARGEST_DRAWN).any():
            raise ValueError(
                f"objective {name!r} holds values beyond {_LARGEST_DRAWN:g}, which cannot be drawn; rescale it{advice}."
            )


def plain_log(ax: Axes, axis: str) -> None:
    """Put an axis on the log scale and label it with plain numbers, as many as suit its range.

    Parameters
    ----------
    ax : Axes
        Its range is that of what has been drawn.
    axis : {"x", "y"}
        Which axis.

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
    low, high = ticks.get_view_interval()
    decades = math.log10(high / low) if low > 0 else math.inf
    if decades < 0.5:
        ticks.set_major_locator(MaxNLocator(5))
    else:
        ticks.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0) if decades < 2.5 else (1.0,)))
    ticks.set_major_formatter(lambda value, _: f"{value:g}")
    ticks.set_minor_formatter(NullFormatter())
