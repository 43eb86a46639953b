"""Log axes with numbers as people write them: 0.5 and 20, not 5 × 10⁻¹ and 2 × 10¹."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from copa_nb import checks

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plain_log(ax: Axes, axis: str) -> None:
    """Put an axis on the log scale and write plain numbers on it, as many as its range asks for.

    Parameters
    ----------
    ax : Axes
        What has been drawn already decides about the range.
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
