"""Arrows between points, with heads that never outgrow their shafts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from matplotlib.patches import ArrowStyle

if TYPE_CHECKING:
    from matplotlib.path import Path

# Of the arrow's length, in points of the drawing: what its head may take.
_SHARE = 0.4
_LENGTH = 0.4  # of a head, as a share of the size of the arrow
_LEAST = 1e-6


class SlightHead(ArrowStyle.CurveFilledB):
    """The arrow style ``-|>`` with a head of at most two fifths of the arrow, however the Axes are scaled.

    Examples
    --------
    >>> import matplotlib.pyplot as plt
    >>> figure, ax = plt.subplots()
    >>> _ = ax.annotate("", xy=(0.51, 0.5), xytext=(0.5, 0.5), arrowprops={"arrowstyle": SlightHead()})
    >>> plt.close(figure)
    """

    def __init__(self) -> None:
        super().__init__(head_length=_LENGTH)

    def __call__(
        self, path: Path, mutation_size: float, linewidth: float, aspect_ratio: float = 1.0
    ) -> tuple[Path, bool]:
        """Return the paths of shaft and head for a path in pixels."""
        ends = np.asarray(path.vertices)[[0, -1]]
        largest = _SHARE * float(np.hypot(*(ends[1] - ends[0]))) / _LENGTH
        # Not 0: an arrow may start where it ends.
        return super().__call__(path, max(min(mutation_size, largest), _LEAST), linewidth, aspect_ratio)
