"""Text next to points, placed so that labels do not cover each other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plots.style import INK, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def label_points(
    ax: Axes,
    x: np.ndarray,
    y: np.ndarray,
    labels: Sequence[object],
    *,
    avoid_x: np.ndarray | None = None,
    avoid_y: np.ndarray | None = None,
    **text_kws: Any,
) -> None:
    """Write a label at every point and move the labels apart, with thin lines back to their points.

    Parameters
    ----------
    ax : Axes
        Where to write; its limits and scales must be final.
    x, y : ndarray, shape (n,)
        Points, in data coordinates.
    labels : sequence of n labels
        What to write; long labels are cut in the middle.
    avoid_x, avoid_y : ndarray, optional
        Further points that labels should keep off.
    **text_kws
        Passed on to ``Axes.text``.
    """
    from adjustText import adjust_text

    style: dict[str, Any] = {"fontsize": "x-small", "color": INK, "zorder": 6, **text_kws}
    texts = [ax.text(float(a), float(b), shorten(name), **style) for a, b, name in zip(x, y, labels, strict=True)]
    if not texts:
        return
    others_x = x if avoid_x is None else np.concatenate((x, avoid_x))
    others_y = y if avoid_y is None else np.concatenate((y, avoid_y))
    adjust_text(
        texts,
        x=others_x,
        y=others_y,
        ax=ax,
        expand=(1.15, 1.5),
        force_text=(0.4, 0.6),
        max_move=None,
        iter_lim=300,
        time_lim=None,
        arrowprops={"arrowstyle": "-", "color": "0.5", "lw": 0.6, "zorder": 5},
    )
