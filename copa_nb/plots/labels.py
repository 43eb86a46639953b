"""Text next to points, placed so that labels cover neither each other nor the points they name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plots.style import INK, shorten

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where a label may go, in points from what it names: near places first, beside before above.
_RADII = (9, 16, 26, 40, 58, 80, 105, 135)
_ANGLES = (0, 180, 30, -30, 150, -150, 60, -60, 120, -120, 90, -90)
_GAP = 2.0
_MARKER_GAP = 4.0


def label_points(
    ax: Axes,
    x: np.ndarray,
    y: np.ndarray,
    labels: Sequence[object],
    *,
    avoid: np.ndarray | None = None,
    markers: np.ndarray | None = None,
    **text_kws: Any,
) -> list[Any]:
    """Write a label near every point, with a thin line back to it where it had to move away.

    Each label takes, among places in rings around its point that lie inside the Axes and overlap no label
    placed before, the one that covers the fewest points and is nearest.

    Parameters
    ----------
    ax : Axes
        Where to write; its limits and scales must be final.
    x, y : ndarray, shape (n,)
        Points, in data coordinates.
    labels : sequence of n labels
        What to write; long labels are cut in the middle.
    avoid : ndarray, shape (m, 2), optional
        Small points that labels should keep off where they can.
    markers : ndarray, shape (m, 2), optional
        Large markers that labels should not cover.
    **text_kws
        Passed on to ``Axes.annotate``.

    Returns
    -------
    list of Annotation
    """
    if len(x) == 0:
        return []
    from matplotlib import patheffects

    figure: Any = ax.get_figure(root=True)
    # Layout engines move the Axes when the figure is drawn: settle that first, or the places are wrong.
    figure.draw_without_rendering()
    named = ax.transData.transform(np.column_stack((x, y)))
    crowd = _in_pixels(ax, avoid)
    large = np.vstack((named, _in_pixels(ax, markers)))
    limits = ax.get_window_extent()
    frame = np.array([limits.x0, limits.y0, limits.x1, limits.y1])
    scale = figure.dpi / 72.0
    taken: list[np.ndarray] = []
    annotations = []
    halo = [patheffects.withStroke(linewidth=2.2, foreground="white")]
    for point, a, b, name in zip(named, x, y, labels, strict=True):
        style: dict[str, Any] = {"fontsize": "x-small", "color": INK, "zorder": 6, "path_effects": halo, **text_kws}
        text = ax.annotate(shorten(name), (float(a), float(b)), xytext=(0, 0), textcoords="offset points",
                           ha="left", va="center", annotation_clip=False, **style)  # fmt: skip
        extent = text.get_window_extent()
        shift, box = _place(point, np.array([extent.width, extent.height]), frame, taken, (crowd, large), scale)
        text.set_position(tuple(shift / scale))
        taken.append(box)
        annotations.append(text)
        _connect(ax, text, point, box, scale)
    return annotations


def _place(
    point: np.ndarray,
    size: np.ndarray,
    frame: np.ndarray,
    taken: list[np.ndarray],
    points: tuple[np.ndarray, np.ndarray],
    scale: float,
) -> tuple[np.ndarray, np.ndarray]:
    """Find the offset (pixels, of the label's left centre) and the box of one label."""
    best: tuple[float, np.ndarray, np.ndarray] | None = None
    for ring, radius in enumerate(_RADII):
        for angle in _ANGLES:
            turn = np.deg2rad(angle)
            centre = radius * scale * np.array([np.cos(turn), np.sin(turn)])
            # The ring is the nearest edge of the label, so wide labels do not lie across their point.
            centre = centre + np.array([np.sign(round(np.cos(turn), 6)), 0.0]) * size[0] / 2
            low = point + centre - size / 2
            box = np.concatenate((low, low + size))
            cost = _cost(box, frame, taken, points, scale) + ring * 2.0
            if best is None or cost < best[0]:
                best = (cost, centre - np.array([size[0] / 2, 0.0]), box)
    if best is None:  # pragma: no cover - there is always a first candidate
        raise AssertionError
    return best[1], best[2]


def _cost(
    box: np.ndarray,
    frame: np.ndarray,
    taken: list[np.ndarray],
    points: tuple[np.ndarray, np.ndarray],
    scale: float,
) -> float:
    """Weigh what a box would cover: other labels and the frame's edge count most, then markers, then points."""
    outside = np.maximum(frame[:2] - box[:2], 0).sum() + np.maximum(box[2:] - frame[2:], 0).sum()
    overlapping = sum(
        bool((box[:2] < other[2:] + _GAP).all() and (other[:2] - _GAP < box[2:]).all()) for other in taken
    )
    covered = [
        float(((xy > box[:2] - gap) & (xy < box[2:] + gap)).all(axis=1).sum())
        for xy, gap in zip(points, (_GAP, _MARKER_GAP * scale), strict=True)
    ]
    edge = 50.0 * (outside > 0) + 10.0 * float(outside)
    return 1000.0 * overlapping + edge + 0.5 * min(covered[0], 20.0) + 12.0 * covered[1]


def _in_pixels(ax: Axes, points: np.ndarray | None) -> np.ndarray:
    if points is None or len(points) == 0:
        return np.empty((0, 2))
    pixels: np.ndarray = ax.transData.transform(points)
    return pixels


def _connect(ax: Axes, text: Any, point: np.ndarray, box: np.ndarray, scale: float) -> None:
    nearest = np.clip(point, box[:2], box[2:])
    if np.hypot(*(nearest - point)) < 14 * scale:
        return
    ends = ax.transData.inverted().transform(np.vstack((point, nearest)))
    ax.plot(*ends.T, color="0.5", lw=0.6, zorder=4.5, scalex=False, scaley=False)
