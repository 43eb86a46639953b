"""What a page of a user's own table does not show: figures and tables that say nothing beyond a sentence.

All rules are here: notebooks of own tables have no conditions, and most tables are not like their example.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.results.printed import PrintedTable
from copa_nb.text import as_frame

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_FEWEST_MARKS = 3
_DIGITS = 9


def says_nothing(figure: Figure) -> bool:
    """Tell whether a figure has at most two distinct marks, two bars or one color, and nothing else.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, (left, right) = plt.subplots(1, 2)
    >>> line = left.plot([0, 1, 0], [2, 3, 2], "o")
    >>> says_nothing(figure)
    True
    >>> line = right.plot([0, 1, 2], [2, 3, 5], "o")
    >>> says_nothing(figure)
    False
    >>> plt.close(figure)
    """
    return all(_is_bare(ax) for ax in figure.axes if ax.get_visible() and ax.name == "rectilinear")


def is_worth_printing(printed: PrintedTable) -> bool:
    """Tell whether a table has rows to compare; one alone is in the answer."""
    return len(as_frame(printed.frame, "frame")) > 1


def _is_bare(ax: Axes) -> bool:
    """Whether one panel says nothing: it may still stand beside one that does."""
    from matplotlib.collections import QuadMesh

    fields = [*ax.images, *(one for one in ax.collections if isinstance(one, QuadMesh))]
    shades: list[Any] = [np.ma.compressed(np.ma.asarray(one.get_array())) for one in fields]
    colors = {round(float(value), _DIGITS) for shade in shades for value in shade}
    bars = [bar for container in ax.containers for bar in getattr(container, "patches", [])]
    heights = [bar for bar in bars if abs(bar.get_width() * bar.get_height()) > 0]
    if (fields and len(colors) > 1) or len(heights) >= _FEWEST_MARKS:
        return False
    others = [patch for patch in ax.patches if patch not in bars]
    if others or _intervals(ax):
        return False
    return len(set(_marks(ax))) < _FEWEST_MARKS


def _intervals(ax: Axes) -> bool:
    """Whether marks have something beside their place: an interval, a link, a band."""
    from matplotlib.collections import PathCollection, QuadMesh

    return any(
        not isinstance(one, PathCollection | QuadMesh) and len(one.get_paths()) >= _FEWEST_MARKS
        for one in ax.collections
    )


def _marks(ax: Axes) -> Iterator[tuple[float, ...]]:
    """Places of marks, and of the corners of lines, in the units of the axes."""
    from matplotlib.collections import PathCollection

    places: list[Any] = [line.get_xydata() for line in ax.lines if line.get_transform() == ax.transData]
    places += [
        one.get_offsets() for one in ax.collections
        if isinstance(one, PathCollection) and one.get_offset_transform() == ax.transData
    ]  # fmt: skip
    for values in places:
        for place in np.ma.filled(np.ma.asarray(values, dtype=float), np.nan):
            if np.isfinite(place).all():
                yield tuple(round(float(value), _DIGITS) for value in place)
    # Names in boxes, as in diagrams of orders.
    yield from ((*one.get_position(), 0.0) for one in ax.texts if one.get_bbox_patch() is not None)
