"""One order as a boolean matrix: checked, closed and reduced.

``relation[i, j]`` means that item i is above item j. A partial order is stored as its strict pairs
(irreflexive, transitive, antisymmetric); a preorder may hold both (i, j) and (j, i), which means that the
two items are indifferent. The diagonal is always False.
"""

from __future__ import annotations

import math

import numpy as np

# Orders that are continued step by step: exactly, as long as there are no more sets of items to start with; otherwise
# this many at random, in runs whose spread gives the error.
_MOST_STARTS, _SAMPLED_AT_ONCE, _RUNS = 20_000, 250, 4


def is_transitive(relation: np.ndarray) -> bool:
    """Tell whether i above j and j above k imply i above k, for different i and k."""
    implied = relation.astype(np.float32) @ relation.astype(np.float32) > 0
    np.fill_diagonal(implied, False)
    return not (implied & ~relation).any()


def is_partial_order(relation: np.ndarray) -> bool:
    """Tell whether a relation is irreflexive, transitive and antisymmetric.

    Examples
    --------
    >>> is_partial_order(np.array([[False, True], [False, False]]))
    True
    >>> is_partial_order(np.array([[False, True], [True, False]]))
    False
    """
    return is_preorder(relation) and not (relation & relation.T).any()


def is_preorder(relation: np.ndarray) -> bool:
    """Tell whether a relation (diagonal left out) is transitive; indifferent items are allowed."""
    return not relation.diagonal().any() and is_transitive(relation)


def transitive_closure(relation: np.ndarray) -> np.ndarray:
    """Smallest transitive relation that holds the given pairs (Warshall's algorithm).

    Examples
    --------
    >>> chain = np.zeros((3, 3), dtype=bool)
    >>> chain[0, 1] = chain[1, 2] = True
    >>> np.argwhere(transitive_closure(chain)).tolist()
    [[0, 1], [0, 2], [1, 2]]
    """
    n = len(relation)
    # Eight pairs in a byte: for thousands of items, the time goes into memory.
    packed = np.packbits(relation, axis=1)
    for middle in range(n):
        before = packed[:, middle // 8] & (128 >> middle % 8) > 0
        packed[before] |= packed[middle]
    closed = np.unpackbits(packed, axis=1, count=n).astype(bool)
    np.fill_diagonal(closed, False)
    return closed


def transitive_reduction(relation: np.ndarray) -> np.ndarray:
    """Pairs of a partial order that no third item explains: the edges of its Hasse diagram.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        A strict partial order.

    Returns
    -------
    ndarray of bool, shape (n, n)

    Examples
    --------
    >>> chain = np.array([[0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=bool)
    >>> np.argwhere(transitive_reduction(chain)).tolist()
    [[0, 1], [1, 2]]
    """
    return relation & ~(relation.astype(np.float32) @ relation.astype(np.float32) > 0)


def indifference_classes(relation: np.ndarray) -> list[list[int]]:
    """Items of a preorder in classes of mutual indifference, in order of first appearance.

    Examples
    --------
    >>> indifference_classes(np.array([[0, 0, 1], [0, 0, 0], [1, 0, 0]], dtype=bool))
    [[0, 2], [1]]
    """
    mutual = (relation & relation.T) | np.eye(len(relation), dtype=bool)
    return [np.flatnonzero(row).tolist() for i, row in enumerate(mutual) if not row[:i].any()]


def depths_from_top(relation: np.ndarray) -> np.ndarray:
    """Length of the longest chain that ends in each item from above: 0 for items with nothing above them.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        A strict partial order.

    Returns
    -------
    ndarray of int64, shape (n,)

    Examples
    --------
    >>> depths_from_top(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)).tolist()
    [0, 1, 1]
    """
    depths = np.zeros(len(relation), dtype=np.int64)
    # An item with fewer items above it cannot stand below one with more, so one pass is enough.
    for item in np.argsort(relation.sum(axis=0), kind="stable"):
        above = relation[:, item]
        if above.any():
            depths[item] = depths[above].max() + 1
    return depths


def width(relation: np.ndarray) -> int:
    """Size of the largest set of items of which none is above another (Dilworth's theorem, by a bipartite matching).

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        A strict partial order.

    Examples
    --------
    >>> width(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool))
    2
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import maximum_bipartite_matching

    matched = maximum_bipartite_matching(csr_array(relation.astype(np.int8)), perm_type="column")
    return len(relation) - int((matched >= 0).sum())


def log2_linear_extensions(relation: np.ndarray, rng: np.random.Generator) -> tuple[float, float]:
    """Base-2 logarithm of the number of total orders that a partial order allows, and its standard error.

    Exact, with an error of 0, while the sets of items that can come first are few. Otherwise total orders are drawn
    from the top, an item with probability proportional to the items that are left below it, and unlikely draws give way
    to copies of likely ones (sequential Monte Carlo). The estimated number is unbiased, so that its logarithm is too
    low rather than too high.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        A strict partial order.
    rng : Generator

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> log2_linear_extensions(np.array([[0, 0, 1], [0, 0, 1], [0, 0, 0]], dtype=bool), rng)
    (1.0, 0.0)
    """
    exact = _counted(relation)
    if exact is not None:
        return math.log2(exact), 0.0
    drawn = np.array([_sampled(relation, rng) for _ in range(_RUNS)]) / math.log(2)
    top = drawn.max()
    return float(top + np.log2(np.exp2(drawn - top).mean())), float(drawn.std(ddof=1) / math.sqrt(_RUNS))


def _counted(relation: np.ndarray) -> int | None:
    """Number of total orders, by the sets of items that come first; None if there are too many of these."""
    n = len(relation)
    above = [sum(1 << int(j) for j in np.flatnonzero(column)) for column in relation.T]
    starts = {0: 1}
    for _ in range(n):
        longer: dict[int, int] = {}
        for start, ways in starts.items():
            for item in range(n):
                if not start >> item & 1 and not above[item] & ~start:
                    longer[start | 1 << item] = longer.get(start | 1 << item, 0) + ways
            if len(longer) > _MOST_STARTS:
                return None
        starts = longer
    return starts[(1 << n) - 1]


def _sampled(relation: np.ndarray, rng: np.random.Generator) -> float:
    """Natural logarithm of an estimate of the number of total orders: exact for forests, by the hook formula.

    Draws are weighted by how many more the items are that the free ones have below them than those that are left.
    """
    pairs, n, size = relation.astype(np.float64), len(relation), _SAMPLED_AT_ONCE
    hooks = 1 + pairs.sum(axis=1)
    left, above = np.ones((size, n), dtype=bool), np.tile(pairs.sum(axis=0), (size, 1))
    weights, total, each = np.zeros(size), math.lgamma(n + 1) - float(np.log(hooks).sum()), np.arange(size)
    for n_left in range(n, 0, -1):
        chances = np.cumsum(np.where(left & (above == 0), hooks, 0.0), axis=1)
        chosen = (chances > (rng.random(size) * chances[:, -1])[:, None]).argmax(axis=1)
        weights += np.log(chances[:, -1] / n_left)
        left[each, chosen] = False
        above -= pairs[chosen]
        shares = np.exp(weights - weights.max())
        if shares.sum() ** 2 < size / 2 * (shares**2).sum() or n_left == 1:
            total += float(weights.max() + np.log(shares.mean()))
            places = np.searchsorted(np.cumsum(shares) / shares.sum(), (each + rng.random()) / size).clip(max=size - 1)
            left, above, weights = left[places], above[places], np.zeros(size)
    return total
