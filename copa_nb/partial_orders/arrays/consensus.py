"""Rankings that merge partial orders: Borda's scores and Kemeny's ranking, exact by integer programming."""

from __future__ import annotations

import itertools

import numpy as np


def borda_scores(relations: np.ndarray) -> np.ndarray:
    """Mean number of items below less items above, per item.

    On linear orders this is Borda's count up to a shift and a factor; incomparable pairs count nothing.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_groups, n, n)

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> borda_scores(np.array([[[0, 1, 1], [0, 0, 0], [0, 0, 0]]], dtype=bool)).tolist()
    [2.0, -1.0, -1.0]
    """
    counts = relations.sum(axis=0, dtype=np.int64)
    scores: np.ndarray = (counts.sum(axis=1) - counts.sum(axis=0)) / len(relations)
    return scores


def kemeny_ranking(counts: np.ndarray, *, time_limit: float = 60.0) -> tuple[np.ndarray, bool]:
    """Ranking that contradicts the fewest of the counted pairs (the linear ordering problem).

    Parameters
    ----------
    counts : ndarray of int, shape (n, n)
        How often the item of the row stands above the item of the column.
    time_limit : float
        Seconds for the integer solver.

    Returns
    -------
    positions : ndarray of int64, shape (n,)
        Position of every item, 0 for the best.
    optimal : bool
        Whether the ranking is proven best; otherwise it is the best found, or Borda's.

    Examples
    --------
    >>> kemeny_ranking(np.array([[0, 2, 1], [1, 0, 3], [0, 0, 0]]))
    (array([0, 1, 2]), True)
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    n = len(counts)
    if n < 2:
        return np.zeros(n, dtype=np.int64), True
    first, second = np.triu_indices(n, k=1)
    variable = np.full((n, n), -1)
    variable[first, second] = np.arange(len(first))
    # x = 1 puts i above j (i < j). A circle of three is no ranking, either way round: 0 <= x_ij + x_jk - x_ik <= 1.
    triples = np.array(list(itertools.combinations(range(n), 3)), dtype=np.int64).reshape(-1, 3)
    columns = np.stack([variable[triples[:, a], triples[:, b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=1)
    values = np.tile([1.0, 1.0, -1.0], len(triples))
    rows = np.repeat(np.arange(len(triples)), 3)
    matrix = csr_array((values, (rows, columns.ravel())), shape=(len(triples), len(first)))
    solved = milp(
        c=(counts[second, first] - counts[first, second]).astype(float),
        integrality=np.ones(len(first), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=LinearConstraint(matrix, 0, 1) if len(triples) else (),
        options={"time_limit": time_limit},
    )
    if solved.x is None:
        order = np.argsort(-(counts.sum(axis=1) - counts.sum(axis=0)), kind="stable")
        return np.argsort(order), False
    above = np.zeros((n, n), dtype=bool)
    above[first, second] = solved.x > 0.5
    above[second, first] = solved.x <= 0.5
    return above.sum(axis=0), bool(solved.status == 0)
