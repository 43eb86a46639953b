"""Hasse diagrams without the drawing: layers from the top, few crossings, labels side by side.

The steps are those of layered graph drawing (Sugiyama, Tagawa and Toda, 1981): layers by the longest chain from
above, a dummy node on every layer that a long edge passes, sweeps that order each layer by its neighbors, and
positions as near to the neighbors as the widths allow. Items without any relation are in separate rows below.
Figures and explorers draw the same diagram.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from copa_nb.arrays.orders import depths_from_top, indifference_classes, transitive_reduction

# What a figure says beneath, and what its caption says.
HOW_TO_READ = "lines lead down from better to worse"
HOW_TO_READ_ALL = f"{HOW_TO_READ} systems. Systems below a dotted line are comparable to no other."
_SWEEPS = 24
_EDGE_WIDTH = 1.2
# More labels than this on one layer stand in two rows, which lets them move closer together.
_CROWDED = 5
_SQUEEZE = 0.55
_SECOND_ROW = 0.9
# Characters of the room kept between labels that lines may use.
_BOXLESS = 2.0
# Half the height of a label with its box, in layers: lines pass labels straight down and turn between layers only.
HALF_LABEL = 0.3
# Rows of items without any relation, and the space above them.
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
        Centers of the labels.
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
        """Whether any item is above another."""
        return bool(self.lines) or any(len(items) > 1 for items in self.members)


@dataclass(frozen=True)
class HasseLayout:
    """Places of items and the lines between them.

    Parameters
    ----------
    classes : list of list of int
        Items drawn as one: indifferent items of a preorder, else one item each.
    x, y : ndarray of float64, shape (n_classes,)
        Centers; x in characters, y in layers, the top at 0 and downwards negative.
    paths : list of ndarray of float64, shape (n_points, 2)
        Lines of the diagram, from above to below.
    width : float
        Characters from the leftmost to the rightmost end of labels and lines.
    """

    classes: list[list[int]]
    x: np.ndarray
    y: np.ndarray
    paths: list[np.ndarray]
    width: float


@dataclass
class _Graph:
    """Classes first, then dummy nodes; edges run from one layer to the next only."""

    layer: np.ndarray
    width: np.ndarray
    edges: list[tuple[int, int]]
    chains: list[list[int]]

    def __post_init__(self) -> None:
        n = len(self.layer)
        self.up: list[list[int]] = [[] for _ in range(n)]
        self.down: list[list[int]] = [[] for _ in range(n)]
        for above, below in self.edges:
            self.down[above].append(below)
            self.up[below].append(above)


def hasse_diagram(relation: np.ndarray, lengths: list[int], *, room: float = 0.0) -> HasseDiagram:
    """Place every item and line; items without any relation are in separate rows below.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        Row above column: a partial order, or a preorder, whose indifferent items share a label.
    lengths : list of int
        Characters of every item's label.
    room : float
        Characters for which there is room across: items without any relation are in one row if they fit.

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
        wide = [lengths[i] + 3 for i in isolated]
        rows = _rows(wide, max(width, _square_width(lengths), room))
        top = bottom - (_BETWEEN if len(connected) else 0.0)
        across = max(width, max(sum(wide[k] for k in row) for row in rows))
        # Both parts are centered: an order in a corner would look as if something were missing.
        aside = np.array([(across - width) / 2, 0.0])
        x, lines, width = [place + aside[0] for place in x], [line + aside for line in lines], across
        # Drawn above an order without any relation, too: two rows of it would else look like better and worse.
        rule = top + _BETWEEN / 2 if len(connected) or len(rows) > 1 else None
        for number, row in enumerate(rows):
            own = np.array([wide[k] for k in row])
            centers = np.cumsum(own) - own / 2 + (width - own.sum()) / 2
            members += [[int(isolated[k])] for k in row]
            x += centers.tolist()
            y += [top - _ISOLATED_ROW * number] * len(row)
        bottom = top - _ISOLATED_ROW * (len(rows) - 1)
    return HasseDiagram(members, np.array(x), np.array(y), lines, rule, width, bottom)


def hasse_layout(relation: np.ndarray, widths: list[float] | np.ndarray, *, gap: float = 3.0) -> HasseLayout:
    """Lay out a partial order or preorder.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        Row above column; both above each other are indifferent and drawn as one.
    widths : list of float
        Width of every item's label in characters.
    gap : float
        Characters between two labels.

    Returns
    -------
    HasseLayout

    Examples
    --------
    >>> layout = hasse_layout(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool), [1, 1, 1])
    >>> layout.y.tolist(), len(layout.paths)
    ([0.0, -1.0, -1.0], 2)
    """
    classes = indifference_classes(relation)
    first = [members[0] for members in classes]
    strict = relation[np.ix_(first, first)] & ~relation[np.ix_(first, first)].T
    class_widths = np.array([sum(float(widths[i]) + 3 for i in members) - 3 for members in classes])
    graph = _graph(strict, class_widths + gap)
    n = len(classes)
    crowded = _squeezed(graph, n)
    order = _ordered(graph)
    x = _placed(graph, order)
    y = _heights(graph, order, crowded, n)
    paths = [_around(chain, graph, x, y, n) for chain in graph.chains]
    left = min(float((x[:n] - class_widths / 2).min()), float(x.min()))
    right = max(float((x[:n] + class_widths / 2).max()), float(x.max()))
    return HasseLayout(classes, x[:n] - left, y[:n], [path - [left, 0] for path in paths], right - left)


def _graph(strict: np.ndarray, widths: np.ndarray) -> _Graph:
    layer = _tightened(strict, depths_from_top(strict))
    layers, all_widths = list(layer), list(widths)
    edges: list[tuple[int, int]] = []
    chains: list[list[int]] = []
    for above, below in np.argwhere(transitive_reduction(strict)):
        chain = [int(above)]
        for between in range(layer[above] + 1, layer[below]):
            chain.append(len(layers))
            layers.append(between)
            all_widths.append(_EDGE_WIDTH)
        chain.append(int(below))
        edges.extend(itertools.pairwise(chain))
        chains.append(chain)
    return _Graph(np.array(layers), np.array(all_widths), edges, chains)


def _tightened(strict: np.ndarray, layer: np.ndarray) -> np.ndarray:
    """Move items with nothing above them down to just above their successors: shorter lines."""
    layer = layer.copy()
    reduced = transitive_reduction(strict)
    for item in np.flatnonzero(reduced.any(axis=1) & ~strict.any(axis=0)):
        layer[item] = layer[reduced[item]].min() - 1
    return layer


def _ordered(graph: _Graph) -> list[list[int]]:
    """Order every layer by sweeps up and down; keep the order with the fewest crossings."""
    n_layers = int(graph.layer.max()) + 1
    order = [[int(node) for node in np.flatnonzero(graph.layer == k)] for k in range(n_layers)]
    best, fewest = [list(layer) for layer in order], _count(graph, order)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        downwards = sweep % 2 == 0
        for k in range(n_layers) if downwards else range(n_layers - 1, -1, -1):
            rank = {node: position for layer in order for position, node in enumerate(layer)}
            near = graph.up if downwards else graph.down

            def mean(node: int, near: list[list[int]] = near, rank: dict[int, int] = rank) -> float:
                return float(np.mean([rank[other] for other in near[node]])) if near[node] else float(rank[node])

            order[k] = sorted(order[k], key=mean)
            _swap_neighbors(graph, order, k)
        count = _count(graph, order)
        if count < fewest:
            best, fewest = [list(layer) for layer in order], count
    return best


def _swap_neighbors(graph: _Graph, order: list[list[int]], k: int) -> None:
    """Swap items side by side as long as that removes a crossing."""
    rank = {node: position for layer in order for position, node in enumerate(layer)}
    layer = order[k]
    for _ in range(len(layer)):
        swapped = False
        for left in range(len(layer) - 1):
            a, b = layer[left], layer[left + 1]
            now = later = 0
            for near in (graph.up, graph.down):
                for first in near[a]:
                    for second in near[b]:
                        now += rank[first] > rank[second]
                        later += rank[first] < rank[second]
            if later < now:
                layer[left], layer[left + 1] = b, a
                swapped = True
        if not swapped:
            return


def _count(graph: _Graph, order: list[list[int]]) -> int:
    rank = {node: position for layer in order for position, node in enumerate(layer)}
    count = 0
    for layer in order[:-1]:
        ends = [rank[below] for node in layer for below in sorted(graph.down[node], key=rank.__getitem__)]
        count += sum(ends[j] < ends[i] for i in range(len(ends)) for j in range(i + 1, len(ends)))
    return count


def _placed(graph: _Graph, order: list[list[int]]) -> np.ndarray:
    """Place every node near its neighbors' mean, keeping order and distances within each layer."""
    x = np.zeros(len(graph.layer))
    for layer in order:
        widths = graph.width[layer]
        x[layer] = np.cumsum(widths) - widths / 2 - widths.sum() / 2
    for sweep in range(_SWEEPS):
        downwards = sweep % 2 == 0
        near = graph.up if downwards else graph.down
        for k in range(len(order)) if downwards else range(len(order) - 1, -1, -1):
            layer = order[k]
            if sweep >= _SWEEPS - 4:
                preferred = [
                    np.mean(x[graph.up[v] + graph.down[v]]) if graph.up[v] + graph.down[v] else x[v] for v in layer
                ]
            else:
                preferred = [np.mean(x[near[v]]) if near[v] else x[v] for v in layer]
            x[layer] = _spread(np.array(preferred), graph.width[layer])
    return x


def _heights(graph: _Graph, order: list[list[int]], crowded: np.ndarray, n: int) -> np.ndarray:
    """Put layers below each other; every second label of a crowded one goes into a row of its own."""
    tops = np.concatenate([[0.0], np.cumsum(1.0 + _SECOND_ROW * crowded[:-1])])
    y = 0.0 - tops[graph.layer]
    for k in np.flatnonzero(crowded):
        labels = [node for node in order[k] if node < n]
        y[labels[1::2]] -= _SECOND_ROW
        y[[node for node in order[k] if node >= n]] -= _SECOND_ROW / 2
    return y


def _squeezed(graph: _Graph, n: int) -> np.ndarray:
    """Let labels of crowded layers overlap sideways, in two rows; return which layers those are.

    All labels of such a layer get the same room, a little more than half of the longest: then every second one,
    in the same row, is clear of the next.
    """
    crowded = np.bincount(graph.layer[:n], minlength=graph.layer.max() + 1) > _CROWDED
    for k in np.flatnonzero(crowded):
        labels = np.flatnonzero(graph.layer[:n] == k)
        passing = n + np.flatnonzero(graph.layer[n:] == k)
        longest = graph.width[labels].max()
        if _SQUEEZE * longest > graph.width[labels].mean():
            crowded[k] = False
            continue
        # Half the longest label, less half the room that its neighbor keeps, clears both rows.
        graph.width[passing] = max(_EDGE_WIDTH, (1 - _SQUEEZE) * longest - _BOXLESS)
        graph.width[labels] = _SQUEEZE * longest
    return crowded


def _around(chain: list[int], graph: _Graph, x: np.ndarray, y: np.ndarray, n: int) -> np.ndarray:
    """Lead a line straight down through every layer, so that it turns only where no label is."""
    path = []
    for place, node in enumerate(chain):
        labels = np.flatnonzero(graph.layer[:n] == graph.layer[node])
        top, bottom = y[labels].max() + HALF_LABEL, y[labels].min() - HALF_LABEL
        path += [(x[node], top if place > 0 else y[node]), (x[node], bottom if place < len(chain) - 1 else y[node])]
    return np.array(path)


def _spread(preferred: np.ndarray, widths: np.ndarray) -> np.ndarray:
    """Positions nearest to those preferred in least squares that keep the order and do not overlap."""
    offsets = np.concatenate([[0.0], np.cumsum((widths[:-1] + widths[1:]) / 2)])
    # Without the offsets the centers only have to ascend: pool neighbors that do not (isotonic regression).
    means: list[float] = []
    sizes: list[int] = []
    for value in preferred - offsets:
        means.append(float(value))
        sizes.append(1)
        while len(means) > 1 and means[-2] > means[-1]:
            total = sizes[-2] + sizes[-1]
            means[-2:] = [(means[-2] * sizes[-2] + means[-1] * sizes[-1]) / total]
            sizes[-2:] = [total]
    return np.repeat(means, sizes) + offsets


def _smooth(path: np.ndarray) -> np.ndarray:
    """Round the bends of a line that passes layers; straight where it has none."""
    if len(path) == 4:
        return path
    from scipy.interpolate import PchipInterpolator

    down = np.unique(np.concatenate([np.linspace(path[0, 1], path[-1, 1], 16 * len(path)), path[:, 1]]))[::-1]
    return np.column_stack([PchipInterpolator(path[::-1, 1], path[::-1, 0])(down), down])


def _square_width(lengths: list[int]) -> float:
    """Width of a row of labels that makes a block of isolated items about three times as wide as high."""
    total = sum(length + 3 for length in lengths)
    return max(max(lengths) + 3, float(np.sqrt(12.0 * total)))


def _rows(lengths: list[int], width: float) -> list[list[int]]:
    """Break labels into as few rows as fit, and these as evenly as possible: none is left over by itself."""
    rows = _filled(lengths, width)
    while width > max(lengths) and len(tighter := _filled(lengths, width - 1)) == len(rows):
        width, rows = width - 1, tighter
    return rows


def _filled(lengths: list[int], width: float) -> list[list[int]]:
    rows: list[list[int]] = [[]]
    used = 0.0
    for k, length in enumerate(lengths):
        if rows[-1] and used + length > width:
            rows.append([])
            used = 0.0
        rows[-1].append(k)
        used += length
    return rows
