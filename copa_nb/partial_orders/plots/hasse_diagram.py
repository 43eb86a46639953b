"""All that a Hasse diagram shows, with its place: labels, lines, and rows of items without any relation.

Figures and explorers draw the same diagram; this is what they share.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copa_nb.partial_orders.plots.hasse_layout import hasse_layout

_ISOLATED_ROW = 0.75
_BETWEEN = 1.2


@dataclass(frozen=True)
class HasseDiagram:
    """Labels and lines, in characters across (0 is the left end) and layers down (0 is the top, negative below).

    Parameters
    ----------
    members : list of list of int
        Items of every label: several where they are indifferent.
    x, y : ndarray of float64, shape (n_labels,)
        Centres of the labels.
    lines : list of ndarray of float64, shape (n_points, 2)
        From above to below.
    rule : float or None
        Height of the line that parts the items without any relation from the others.
    width : float
        Characters from the leftmost to the rightmost end of labels and lines.
    bottom : float
        Height of the lowest label.
    """

    members: list[list[int]]
    x: np.ndarray
    y: np.ndarray
    lines: list[np.ndarray]
    rule: float | None
    width: float
    bottom: float

    @property
    def has_relations(self) -> bool:
        """Whether any item stands above another."""
        return bool(self.lines) or any(len(items) > 1 for items in self.members)


def hasse_diagram(relation: np.ndarray, lengths: list[int]) -> HasseDiagram:
    """Give every item and line its place; items without any relation stand in rows of their own below.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        Row above column: a partial order, or a preorder, whose indifferent items share a label.
    lengths : list of int
        Characters of every item's label.

    Returns
    -------
    HasseDiagram

    Examples
    --------
    >>> diagram = hasse_diagram(np.array([[0, 1, 0], [0, 0, 0], [0, 0, 0]], dtype=bool), [1, 1, 1])
    >>> diagram.members, diagram.y.tolist(), len(diagram.lines)
    ([[0], [1], [2]], [0.0, -1.0, -2.2], 1)
    """
    related = relation.any(axis=0) | relation.any(axis=1)
    connected, isolated = np.flatnonzero(related), np.flatnonzero(~related)
    members: list[list[int]] = []
    x: list[float] = []
    y: list[float] = []
    lines: list[np.ndarray] = []
    width = bottom = 0.0
    rule = None
    if len(connected):
        layout = hasse_layout(relation[np.ix_(connected, connected)], [lengths[i] for i in connected])
        width, bottom = layout.width, float(layout.y.min())
        members = [[int(item) for item in connected[group]] for group in layout.classes]
        x, y = layout.x.tolist(), layout.y.tolist()
        lines = [_smooth(path) for path in layout.paths]
    if len(isolated):
        room = [lengths[i] + 2 for i in isolated]
        rows = _rows(room, max(width, _square_width(lengths)))
        top = bottom - (_BETWEEN if len(connected) else 0.0)
        width = max(width, max(sum(room[k] for k in row) for row in rows))
        # Drawn above an order without any relation, too: two rows of it would else look like better and worse.
        rule = top + _BETWEEN / 2 if len(connected) or len(rows) > 1 else None
        for number, row in enumerate(rows):
            wide = np.array([room[k] for k in row])
            places = np.cumsum(wide) - wide / 2 + (width - wide.sum()) / 2
            members += [[int(isolated[k])] for k in row]
            x += places.tolist()
            y += [top - _ISOLATED_ROW * number] * len(row)
        bottom = top - _ISOLATED_ROW * (len(rows) - 1)
    return HasseDiagram(members, np.array(x), np.array(y), lines, rule, width, bottom)


def _smooth(path: np.ndarray) -> np.ndarray:
    """Round the bends of a line that passes layers; straight where it has none."""
    if len(path) == 2:
        return path
    from scipy.interpolate import PchipInterpolator

    down = np.linspace(path[0, 1], path[-1, 1], 16 * len(path))
    return np.column_stack([PchipInterpolator(path[::-1, 1], path[::-1, 0])(down), down])


def _square_width(lengths: list[int]) -> float:
    """Width of a row of labels that makes a block of isolated items about three times as wide as high."""
    total = sum(length + 2 for length in lengths)
    return max(max(lengths) + 2, float(np.sqrt(12.0 * total)))


def _rows(lengths: list[int], width: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for k, length in enumerate(lengths):
        if rows[-1] and used + length > width:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += length
    return rows
