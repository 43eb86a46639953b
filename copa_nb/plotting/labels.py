"""Text next to points, placed so that labels cover neither each other nor the points they name."""

from __future__ import annotations

__all__ = ["label_points"]

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.style import INK, shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where a label may go, in points from what it names: near positions first, beside before above.
_RADII = (9, 16, 26, 40, 58, 80, 105)
_ANGLES = (0, 180, 30, -30, 150, -150, 60, -60, 120, -120, 90, -90)
_GAP = 2.0
_MARKER_GAP = 4.0
# Cost of a position: each ring further away, being nearer to another marker, and a line back that runs through one.
_FURTHER = 3.0
_MISLEADING = 4.0
_CROSSING = 6.0
_OVERLAP = 1000.0
_MOST_LETTERS, _FEW = 34, 4  # of a label, unless there are few
_SHARE_OF_WIDTH, _POINTS_PER_LETTER = 0.6, 4.6


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

    Each label takes, among positions in rings around its point that lie inside the Axes and overlap no text that
    is there already, the one that covers the fewest points, is nearest and could not be taken for the name of
    another marker. Where it could be, the line is drawn even if the label is near.

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

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np
    >>> figure, ax = plt.subplots()
    >>> x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    >>> _ = ax.scatter(x, y)
    >>> [label.get_text() for label in label_points(ax, x, y, ["first", "second"])]
    ['first', 'second']
    >>> plt.close(figure)
    """
    if len(x) == 0:
        return []
    from matplotlib import patheffects

    figure: Any = ax.get_figure(root=True)
    # Layout engines move the Axes when the figure is drawn: do that first, or the positions are wrong.
    lay_out(figure)
    named = ax.transData.transform(np.column_stack((x, y)))
    crowd = _in_pixels(ax, avoid)
    large = np.vstack((named, _in_pixels(ax, markers)))
    limits = ax.get_window_extent()
    scale = figure.dpi / 72.0
    frame = np.array([limits.x0, limits.y0, limits.x1, limits.y1]) + _GAP * scale * np.array([1, 1, -1, -1])
    halo = [patheffects.withStroke(linewidth=2.2, foreground="white")]
    style: dict[str, Any] = {"fontsize": "small", "color": INK, "zorder": 6, "path_effects": halo, **text_kws}
    written = _written(ax)
    annotations = [
        ax.annotate(name, (float(a), float(b)), xytext=(0, 0), textcoords="offset points", ha="left",
                    va="center", annotation_clip=False, **style)
        for a, b, name in zip(x, y, shorten_all(labels, _letters(ax, len(labels))), strict=True)
    ]  # fmt: skip
    sizes = [np.array(text.get_window_extent().size) for text in annotations]
    # Markers that lie on a point cannot be distinguished from it by any position of the label.
    others = [large[np.hypot(*(large - point).T) > _MARKER_GAP * scale] for point in named]
    boxes = np.array([_boxes(point, size, frame, scale) for point, size in zip(named, sizes, strict=True)])
    costs = np.array(
        [
            [_cost(box, frame, (crowd, large), scale) + _confusion(box, point, near, scale) for box in positions]
            for positions, point, near in zip(boxes, named, others, strict=True)
        ]
    )
    costs += _FURTHER * np.repeat(np.arange(len(_RADII)), len(_ANGLES))
    if written:
        costs += _OVERLAP * _overlap(boxes.reshape(-1, 4), np.array(written)).sum(axis=1).reshape(costs.shape)
    for i, position in enumerate(_choose(boxes, costs, named)):
        box = boxes[i, position]
        left_center = np.array([box[0], (box[1] + box[3]) / 2])
        annotations[i].set_position(tuple((left_center - named[i]) / scale))
        _connect(ax, named[i], box, scale, always=_names_another(box, named[i], others[i]))
    return annotations


def _letters(ax: Axes, count: int) -> int:
    """Return how many letters a label may have: few labels take more than half of the width, if they need it."""
    figure: Any = ax.get_figure(root=True)
    width = ax.get_window_extent().width * 72.0 / figure.dpi
    return max(_MOST_LETTERS, int(_SHARE_OF_WIDTH * width / _POINTS_PER_LETTER)) if count <= _FEW else _MOST_LETTERS


def _boxes(point: np.ndarray, size: np.ndarray, frame: np.ndarray, scale: float) -> np.ndarray:
    """Return all boxes, in pixels, that a label may take: ring by ring, angle by angle."""
    turns = np.deg2rad(_ANGLES)
    across = np.column_stack((np.cos(turns), np.sin(turns)))
    # The ring is the nearest edge of the label, so wide labels do not lie across their point.
    aside = np.column_stack((np.sign(np.round(across[:, 0], 6)) * size[0] / 2, np.zeros(len(turns))))
    centers = np.concatenate([radius * scale * across + aside for radius in _RADII]) + point
    # Near an edge a label moves along its ring into the Axes.
    low = np.clip(centers - size / 2, frame[:2], np.maximum(frame[2:] - size, frame[:2]))
    return np.hstack((low, low + size))


def _choose(boxes: np.ndarray, costs: np.ndarray, points: np.ndarray) -> list[int]:
    """Choose a position for every label: greedily in several orders, each then improved label by label."""
    count = len(boxes)
    clashes = [[_overlap(boxes[i], boxes[j]) for j in range(count)] for i in range(count)]

    def weighed(i: int, chosen: dict[int, int]) -> np.ndarray:
        clash = sum((clashes[i][j][:, position] for j, position in chosen.items() if j != i), np.zeros(boxes.shape[1]))
        return np.asarray(costs[i] + _OVERLAP * clash)

    best: tuple[float, list[int]] = (np.inf, [])
    for order in (np.arange(count), np.argsort(points[:, 0]), np.argsort(points[:, 1])):
        for turn in (order, order[::-1]):
            chosen: dict[int, int] = {}
            for i in [*turn, *turn, *turn]:
                chosen[int(i)] = int(weighed(int(i), chosen).argmin())
            total = float(sum(weighed(i, chosen)[position] for i, position in chosen.items()))
            if total < best[0]:
                best = (total, [chosen[i] for i in range(count)])
    return best[1]


def _overlap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tell which boxes of two sets overlap or nearly do: bool, shape (n, m)."""
    low, high = first[:, None, :2], first[:, None, 2:]
    return np.asarray(((low < second[None, :, 2:] + _GAP) & (second[None, :, :2] - _GAP < high)).all(axis=-1))


def _cost(box: np.ndarray, frame: np.ndarray, points: tuple[np.ndarray, np.ndarray], scale: float) -> float:
    """Weigh what a box would cover: the frame's edge counts most, then markers, then points."""
    outside = float(np.maximum(frame[:2] - box[:2], 0).sum() + np.maximum(box[2:] - frame[2:], 0).sum())
    covered = [
        float(((xy > box[:2] - gap) & (xy < box[2:] + gap)).all(axis=1).sum())
        for xy, gap in zip(points, (_GAP, _MARKER_GAP * scale), strict=True)
    ]
    edge = 50.0 * (outside > 0) + 10.0 * outside
    return edge + 0.5 * min(covered[0], 20.0) + 12.0 * covered[1]


def _confusion(box: np.ndarray, point: np.ndarray, others: np.ndarray, scale: float) -> float:
    """Weigh how easily a label at a box would be taken for the name of another marker."""
    crossed = _crossed(box, point, others, _MARKER_GAP * scale)
    return _MISLEADING * _names_another(box, point, others) + _CROSSING * crossed


def _in_pixels(ax: Axes, points: np.ndarray | None) -> np.ndarray:
    if points is None or len(points) == 0:
        return np.empty((0, 2))
    pixels: np.ndarray = ax.transData.transform(points)
    return pixels


def _written(ax: Axes) -> list[np.ndarray]:
    """Boxes of the texts that stand in the Axes already, in pixels."""
    texts = [text for text in ax.texts if text.get_visible() and text.get_text()]
    return [np.array(text.get_window_extent().extents) for text in texts]


def _distance(box: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance from a box to each point, 0 within."""
    away = points - np.clip(points, box[:2], box[2:])
    return np.hypot(*away.T)


def _names_another(box: np.ndarray, point: np.ndarray, others: np.ndarray) -> bool:
    """Tell whether another marker is nearer to a label than the point it names."""
    own = float(_distance(box, point[None])[0])
    return bool((_distance(box, others) < own).any())


def _crossed(box: np.ndarray, point: np.ndarray, others: np.ndarray, gap: float) -> int:
    """Count the markers on the way from a point to its label."""
    way = np.clip(point, box[:2], box[2:]) - point
    length = float(way @ way)
    if length == 0:
        return 0
    along = np.clip((others - point) @ way / length, 0.0, 1.0)
    return int((np.hypot(*(point + along[:, None] * way - others).T) < gap).sum())


def _connect(ax: Axes, point: np.ndarray, box: np.ndarray, scale: float, *, always: bool) -> None:
    nearest = np.clip(point, box[:2], box[2:])
    if not always and np.hypot(*(nearest - point)) < 14 * scale:
        return
    ends = ax.transData.inverted().transform(np.vstack((point, nearest)))
    ax.plot(*ends.T, color="0.5", lw=0.6, zorder=4.5, scalex=False, scaley=False)
