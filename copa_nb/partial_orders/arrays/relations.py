"""Partial orders of the same items: made from costs, counted and listed.

Relations are boolean matrices, as in :mod:`copa_nb.arrays.orders`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from copa_nb.arrays.orders import is_partial_order, is_preorder


def relations_from_costs(costs: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compare every two items of every group in all criteria at once.

    Item i stands above item j when it is at least as good in every criterion and better in one
    (Rodemann and Blocher, "Partial Rankings of Optimizers", section 2).

    Parameters
    ----------
    costs : ndarray of float64, shape (n_groups, n_items, n_criteria)
        Smaller is better; no NaN. Infinite costs are legal, and two of them are equal.

    Returns
    -------
    above : ndarray of bool, shape (n_groups, n_items, n_items)
        Strict partial orders.
    equal : ndarray of bool, shape (n_groups, n_items, n_items)
        Pairs of different items that agree in every criterion.

    Examples
    --------
    >>> above, equal = relations_from_costs(np.array([[[1.0, 1.0], [2.0, 1.0], [0.0, 3.0], [2.0, 1.0]]]))
    >>> above[0].astype(int)
    array([[0, 1, 0, 1],
           [0, 0, 0, 0],
           [0, 0, 0, 0],
           [0, 0, 0, 0]])
    >>> np.argwhere(equal[0]).tolist()
    [[1, 3], [3, 1]]
    """
    n_groups, n_items, n_criteria = costs.shape
    no_worse = np.ones((n_groups, n_items, n_items), dtype=bool)
    for k in range(n_criteria):
        no_worse &= costs[:, :, None, k] <= costs[:, None, :, k]
    equal = no_worse & no_worse.transpose(0, 2, 1)
    above = no_worse & ~equal
    equal[:, np.arange(n_items), np.arange(n_items)] = False
    return above, equal


def distinct_relations(relations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find equal relations.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_groups, n, n)

    Returns
    -------
    first : ndarray of int64, shape (n_distinct,)
        Position at which each distinct relation is seen first, ascending.
    which : ndarray of int64, shape (n_groups,)
        Which distinct relation each observation equals.
    """
    packed = np.packbits(relations.reshape(len(relations), -1), axis=1)
    _, first, inverse = np.unique(packed, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return first[order].astype(np.int64), rank[inverse.reshape(-1)].astype(np.int64)


def all_relations(n_items: int, *, ties: bool = False) -> Iterator[np.ndarray]:
    """Every partial order (or every preorder) on a few items, by checking every relation.

    Parameters
    ----------
    n_items : int
        At most 4: there are 19 and 219 partial orders (29 and 355 preorders) on 3 and 4 items.
    ties : bool
        Preorders instead of partial orders.

    Yields
    ------
    ndarray of bool, shape (n_items, n_items)

    Examples
    --------
    >>> sum(1 for _ in all_relations(3)), sum(1 for _ in all_relations(3, ties=True))
    (19, 29)
    """
    if n_items > 4:
        raise ValueError(f"`n_items` is {n_items}; relations can be listed in full for at most 4 items.")
    rows, columns = np.nonzero(~np.eye(n_items, dtype=bool))
    accepts = is_preorder if ties else is_partial_order
    for code in range(1 << len(rows)):
        relation = np.zeros((n_items, n_items), dtype=bool)
        relation[rows, columns] = [code >> bit & 1 for bit in range(len(rows))]
        if accepts(relation):
            yield relation
