"""One order as a boolean matrix: checked, closed and reduced.

``relation[i, j]`` means that item i is above item j. A partial order is stored as its strict pairs
(irreflexive, transitive, antisymmetric); a preorder may hold both (i, j) and (j, i), which means that the
two items are indifferent. The diagonal is always False.
"""

from __future__ import annotations

import numpy as np


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
    closed = relation.copy()
    for middle in range(len(closed)):
        closed |= closed[:, middle, None] & closed[middle]
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
