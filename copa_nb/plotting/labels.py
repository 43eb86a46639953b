"""Text next to points, placed so that no label can be taken for the name of another point."""

from __future__ import annotations

__all__ = ["label_points"]

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from copa_nb.plotting.axes import lay_out
from copa_nb.plotting.style import INK, shorten_all

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# Where a label may go, in points from what it names: the first are preferred, beside before above.
_RADII = (9, 16, 6, 26, 40, 58, 80, 105, 140, 180)
_ANGLES = (0, 180, 30, -30, 150, -150, 60, -60, 120, -120, 90, -90, 15, -15, 165, -165)
# Points to keep from labels to the frame and to markers, from a line to markers that it passes, and from a label with
# such a line to all markers.
_GAP, _MARKER_GAP, _PASSING, _CLEAR = 2.0, 1.0, 3.0, 5.0
_LINE_FROM = 14.0  # points away, from which a line leads back
_AS_NEAR = 1.0  # points by which the label's own marker must be nearer than any other
# Cost of a position: each ring further away, needing its line, and per small marker that the line passes.
_FURTHER, _BY_LINE, _PASSED = 3.0, 60.0, 2.0
_OVERLAP, _LEFT_OUT = 1000.0, 300.0
_SMALL = 1.1  # times the radius of the smallest markers
_MOST_LETTERS, _FEWEST_LETTERS, _FEW = 34, 8, 4  # of a label, unless there are few
_SHORTER = (26, 20, 14)  # letters of a label that has no place otherwise
_SHARE_OF_WIDTH, _POINTS_PER_LETTER = 0.6, 4.6


def label_points(
    ax: Axes,
    x: np.ndarray,
    y: np.ndarray,
    labels: Sequence[object],
    *,
    avoid: np.ndarray | None = None,
    **text_kws: Any,
) -> list[Any]:
    """Write a label near every point, where it cannot be taken for the name of another one.

    A label lies inside the Axes, on no line, marker or text that is there already, and is nearer to its own point
    than to any other marker. Where no such place is free, it stands clear of all markers and a thin line leads back
    to its point, past no other labeled point and no marker that stands out. A label for which there is no such place
    either is cut shorter or, in the end, left out; the first labels have precedence.

    Parameters
    ----------
    ax : Axes
        Where to write; all else must be drawn, and limits and scales must be final.
    x, y : ndarray, shape (n,)
        Points, in data coordinates.
    labels : sequence of n labels
        What to write, the most important first; long labels are cut in the middle.
    avoid : ndarray, shape (m, 2), optional
        Further places that labels must not cover, such as along arrows.
    **text_kws
        Passed on to ``Axes.annotate``.

    Returns
    -------
    list of Annotation
        The labels that are written.

    Examples
    --------
    >>> import matplotlib.pyplot as plt, numpy as np
    >>> from copa_nb import plots
    >>> figure, ax = plt.subplots()
    >>> x, y = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    >>> _ = ax.scatter(x, y)
    >>> [label.get_text() for label in plots.label_points(ax, x, y, ["first", "second"])]
    ['first', 'second']
    >>> plt.close(figure)
    """
    if len(x) == 0:
        return []
    from matplotlib import patheffects

    figure: Any = ax.get_figure(root=True)
    # Layout engines move the Axes when the figure is drawn: do that first, or the positions are wrong.
    lay_out(figure)
    scale = figure.dpi / 72.0
    surroundings = _surroundings(ax, avoid, scale)
    halo = [patheffects.withStroke(linewidth=2.2, foreground="white")]
    style: dict[str, Any] = {"fontsize": "small", "color": INK, "zorder": 6, "path_effects": halo, **text_kws}
    texts = shorten_all(labels, _letters(ax, len(labels)))
    annotations = [
        ax.annotate(name, (float(a), float(b)), xytext=(0, 0), textcoords="offset points", ha="left",
                    va="center", annotation_clip=False, **style)
        for a, b, name in zip(x, y, texts, strict=True)
    ]  # fmt: skip
    points = ax.transData.transform(np.column_stack((x, y)))

    def weigh(i: int) -> _Options:
        return _options(points, i, np.array(annotations[i].get_window_extent().size), surroundings, scale)

    options = [weigh(i) for i in range(len(annotations))]
    chosen = _choose(options, points)
    for fewer in _SHORTER:
        # What is left out may have a place if it is written shorter.
        for i in [i for i, position in enumerate(chosen) if position is None]:
            annotations[i].set_text(shorten_all(labels, fewer)[i])
            options[i] = weigh(i)
        if None in chosen:
            chosen = _choose(options, points)
    written = []
    for annotation, option, position in zip(annotations, options, chosen, strict=True):
        if position is None:
            annotation.remove()
            continue
        box = option.boxes[position]
        place = np.array([box[0], (box[1] + box[3]) / 2]) - option.point
        annotation.set_position(tuple(place / scale))
        if option.by_line[position]:
            # As an annotation, it still ends at the label if the Axes are laid out anew.
            end = (option.ends[position] - option.point) / scale
            ax.annotate("", annotation.xy, xytext=tuple(end), textcoords="offset points", annotation_clip=False,
                        zorder=4.5, arrowprops=_LINE)  # fmt: skip
        written.append(annotation)
    return written


_LINE = {"arrowstyle": "-", "color": "0.4", "lw": 0.7, "shrinkA": 0, "shrinkB": 0}


@dataclass(frozen=True)
class _Surroundings:
    """What is drawn in Axes, in pixels.

    Attributes
    ----------
    frame : ndarray
        Left, bottom, right and top of the Axes.
    marks, radii : ndarray
        Centers of all markers, shape (m, 2), and how far they reach.
    starts, ends : ndarray
        Both ends of the straight parts of all lines, shape (n, 2).
    texts : ndarray
        Boxes of texts and of the legend, shape (k, 4).
    places : ndarray
        Further places to keep off, shape (l, 2).
    """

    frame: np.ndarray
    marks: np.ndarray
    radii: np.ndarray
    starts: np.ndarray
    ends: np.ndarray
    texts: np.ndarray
    places: np.ndarray


@dataclass(frozen=True)
class _Options:
    """The boxes that a label may take, the cost of each, and whether a line leads from there to the point."""

    point: np.ndarray
    boxes: np.ndarray
    costs: np.ndarray
    by_line: np.ndarray
    ends: np.ndarray


def _surroundings(ax: Axes, avoid: np.ndarray | None, scale: float) -> _Surroundings:
    limits = ax.get_window_extent()
    marks, radii = (np.concatenate(parts) for parts in zip(_NO_MARKS, *_marks(ax, scale), strict=True))
    lines = list(_lines(ax))
    inside = ((marks > limits.min - radii[:, None]) & (marks < limits.max + radii[:, None])).all(axis=1)
    legend = ax.get_legend()
    texts = [text for text in ax.texts if text.get_visible() and text.get_text()]
    boxes = [part.get_window_extent().extents for part in [*texts, *([] if legend is None else [legend])]]
    return _Surroundings(
        frame=limits.extents + _GAP * scale * np.array([1, 1, -1, -1]),
        marks=marks[inside],
        radii=radii[inside],
        starts=np.concatenate([np.empty((0, 2)), *(line[:-1] for line in lines)]),
        ends=np.concatenate([np.empty((0, 2)), *(line[1:] for line in lines)]),
        texts=np.array(boxes).reshape(-1, 4),
        places=np.empty((0, 2)) if avoid is None or len(avoid) == 0 else ax.transData.transform(avoid),
    )


_NO_MARKS = (np.empty((0, 2)), np.empty(0))


def _marks(ax: Axes, scale: float) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield the centers of the markers of every scatter and line, in pixels, and how far they reach."""
    from matplotlib.collections import PathCollection

    for collection in ax.collections:
        if isinstance(collection, PathCollection) and collection.get_visible():
            offsets: np.ndarray = np.ma.filled(np.ma.asarray(collection.get_offsets(), dtype=float), np.nan)
            areas = np.resize(collection.get_sizes(), len(offsets))
            yield _finite(collection.get_offset_transform().transform(offsets), np.sqrt(areas) / 2 * scale)
    for line in ax.lines:
        if line.get_marker() not in ("", " ", "None", None) and line.get_visible():
            places = line.get_transform().transform(np.asarray(line.get_xydata(), dtype=float))
            yield _finite(places, np.full(len(places), line.get_markersize() / 2 * scale))


def _finite(places: np.ndarray, radii: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    kept = np.isfinite(places).all(axis=1)
    return places[kept], radii[kept]


def _lines(ax: Axes) -> Iterator[np.ndarray]:
    """Yield the corners of every line, in pixels."""
    from matplotlib.cbook import STEP_LOOKUP_MAP
    from matplotlib.collections import LineCollection

    for line in ax.lines:
        if line.get_visible() and line.get_linestyle() not in ("None", "", " "):
            corners = np.column_stack(
                STEP_LOOKUP_MAP[line.get_drawstyle()](*np.asarray(line.get_xydata(), dtype=float).T)
            )
            yield line.get_transform().transform(corners)
    for collection in ax.collections:
        if isinstance(collection, LineCollection) and collection.get_visible():
            for segment in collection.get_segments():
                yield collection.get_transform().transform(segment)


def _letters(ax: Axes, count: int) -> int:
    """Return how many letters a label may have: few labels take more than half of the width, if they need it."""
    figure: Any = ax.get_figure(root=True)
    room = ax.get_window_extent().width * 72.0 / figure.dpi / _POINTS_PER_LETTER
    most = max(_MOST_LETTERS, int(_SHARE_OF_WIDTH * room)) if count <= _FEW else _MOST_LETTERS
    return max(_FEWEST_LETTERS, min(most, int(room) - 2))


def _options(points: np.ndarray, number: int, size: np.ndarray, around: _Surroundings, scale: float) -> _Options:
    """Weigh all boxes that the label of one point may take."""
    point = points[number]
    boxes = _boxes(point, size, around.frame, scale)
    ends = np.clip(point, boxes[:, :2], boxes[:, 2:])
    own = np.hypot(*(ends - point).T)
    costs = _FURTHER * np.repeat(np.arange(len(_RADII), dtype=float), len(_ANGLES))
    padded = boxes + _GAP / 2 * scale * np.array([-1, -1, 1, 1])
    barred = (boxes[:, :2] < around.frame[:2] - 1e-6).any(axis=1) | (boxes[:, 2:] > around.frame[2:] + 1e-6).any(axis=1)
    barred |= _overlap(boxes, around.texts).any(axis=1)
    covered = (around.places > padded[:, None, :2]) & (around.places < padded[:, None, 2:])
    barred |= np.asarray(covered.all(axis=-1)).any(axis=1)
    # Markers exactly on the point cannot be distinguished from it by any position of the label.
    here = np.hypot(*(around.marks - point).T) < 0.5 * scale
    barred |= own < around.radii[here].max(initial=0.0) + _MARKER_GAP * scale
    barred[~barred] = _crossed(padded[~barred], around.starts, around.ends).any(axis=1)
    marks, radii = around.marks[~here], around.radii[~here]
    # A line must not lead past another labeled point, nor past any marker but the smallest, of which crowds are made.
    named = np.hypot(*(points - point).T) >= 0.5 * scale
    large = (radii >= around.radii[here].max(initial=0.0)) | (radii > _SMALL * around.radii.min(initial=np.inf))
    by_line = own >= _LINE_FROM * scale
    for k in np.flatnonzero(~barred):
        away = _distances(boxes[k], marks)
        if (away < radii + _MARKER_GAP * scale).any():
            barred[k] = True
        elif (away < own[k] + _AS_NEAR * scale).any():
            by_line[k] = True
            costs[k] += _BY_LINE
            barred[k] = (away < radii + _CLEAR * scale).any()
        if by_line[k] and not barred[k]:
            passed = _passed(point, ends[k], marks, radii + _PASSING * scale)
            others = _passed(point, ends[k], points[named], np.full(named.sum(), _PASSING * scale))
            barred[k] = others.any() or (passed & large).any()
            costs[k] += _PASSED * passed.sum()
    free = ~barred
    return _Options(point, boxes[free], costs[free], by_line[free], ends[free])


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


def _choose(options: Sequence[_Options], points: np.ndarray) -> list[int | None]:
    """Choose a box for every label, or None: greedily in several orders, each then improved label by label."""
    count = len(options)
    clashes: dict[tuple[int, int], np.ndarray] = {}
    for i, j in itertools.combinations(range(count), 2):
        clashes[i, j] = _clash(options[i], options[j])
        clashes[j, i] = clashes[i, j].T
    # The last choice is to leave a label out, which costs most for the first.
    own = [np.append(one.costs, _LEFT_OUT * (2 - i / count)) for i, one in enumerate(options)]
    left_out = [len(one.boxes) for one in options]

    def weighed(i: int, chosen: dict[int, int]) -> np.ndarray:
        costs = own[i].copy()
        for j, position in chosen.items():
            if j != i and position != left_out[j]:
                costs[:-1] += _OVERLAP * clashes[i, j][:, position]
        return costs

    best: tuple[float, list[int]] = (np.inf, [])
    for order in (np.arange(count), np.argsort(points[:, 0]), np.argsort(points[:, 1])):
        for turn in (order, order[::-1]):
            chosen: dict[int, int] = {}
            for i in [*turn, *turn, *turn]:
                chosen[int(i)] = int(weighed(int(i), chosen).argmin())
            total = float(sum(weighed(i, chosen)[position] for i, position in chosen.items()))
            if total < best[0]:
                best = (total, [chosen[i] for i in range(count)])
    return [None if position == last else position for position, last in zip(best[1], left_out, strict=True)]


def _clash(first: _Options, second: _Options) -> np.ndarray:
    """Tell which boxes of two labels overlap, or lie on the other one's line."""
    clash = _overlap(first.boxes, second.boxes)
    for one, other, way in ((first, second, clash), (second, first, clash.T)):
        lines = np.flatnonzero(one.by_line)
        # From the label to its point, which is the same for all.
        starts, ends = one.ends[lines], np.broadcast_to(one.point, (len(lines), 2))
        way[lines] |= _crossed(other.boxes, starts, ends).T
    return clash


def _overlap(first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """Tell which boxes of two sets overlap or nearly do: bool, shape (n, m)."""
    low, high = first[:, None, :2], first[:, None, 2:]
    return np.asarray(((low < second[None, :, 2:] + _GAP) & (second[None, :, :2] - _GAP < high)).all(axis=-1))


def _crossed(boxes: np.ndarray, starts: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """Tell which boxes are crossed by which straight lines: bool, shape (n, m)."""
    way = ends - starts
    with np.errstate(divide="ignore", invalid="ignore"):
        # Shares of each line after which it passes the sides of a box; a line along an axis never does, or is between.
        sides = [(boxes[:, None, corner] - starts) / way for corner in (slice(0, 2), slice(2, 4))]
    enter = np.fmax(np.fmin(*sides).max(axis=-1), 0.0)
    leave = np.fmin(np.fmax(*sides).min(axis=-1), 1.0)
    return np.asarray(enter <= leave)


def _distances(box: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Distance from a box to each point, 0 within."""
    away = points - np.clip(points, box[:2], box[2:])
    return np.asarray(np.hypot(*away.T))


def _passed(start: np.ndarray, end: np.ndarray, points: np.ndarray, gaps: np.ndarray) -> np.ndarray:
    """Tell which points a straight line passes at less than the given gaps."""
    way = end - start
    along = np.clip((points - start) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
    return np.asarray(np.hypot(*(start + along[:, None] * way - points).T) < gaps)
