"""Rankings that merge partial orders: Borda's scores and Kemeny's rankings, all optimal ones where they can be counted.

A pair of items that most observations order alike is ordered so in every optimal ranking if the two lie in different
strongly connected components of "stands above at least as often as below" (Truchon's extended Condorcet criterion).
Components are ranked on their own: small ones by dynamic programming over subsets, which counts every optimum; larger
ones by scipy's integer solver (HiGHS).
"""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

# Dynamic programming looks at every subset of a component of up to this many items.
_MOST_ITEMS = 14


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


@dataclass(frozen=True, eq=False)
class KemenyOptima:
    """The rankings that contradict the fewest of the counted pairs.

    Parameters
    ----------
    positions : ndarray of int64, shape (n_listed, n)
        Position of every item, 0 for the best, in each ranking listed. The first puts items of smaller index first
        wherever optimal rankings differ, as far as they are listed.
    n_optima : int
        Number of optimal rankings; a lower bound unless `counted`.
    above : ndarray of bool, shape (n, n)
        Whether the row stands above the column in some optimal ranking; as far as they are listed unless `counted`.
    optimal : bool
        Whether the rankings are proven best.
    counted : bool
        Whether every optimal ranking is accounted for.
    """

    positions: np.ndarray
    n_optima: int
    above: np.ndarray
    optimal: bool
    counted: bool


def kemeny_optima(counts: np.ndarray, *, most: int = 100, time_limit: float = 60.0) -> KemenyOptima:
    """Find all rankings that contradict the fewest of the counted pairs.

    Parameters
    ----------
    counts : ndarray of int, shape (n, n)
        How often the item of the row stands above the item of the column.
    most : int
        How many rankings to list.
    time_limit : float
        Seconds for the integer solver, which is needed for components of more than 14 items.

    Returns
    -------
    KemenyOptima

    Examples
    --------
    >>> found = kemeny_optima(np.array([[0, 1, 2], [1, 0, 2], [0, 0, 0]]))
    >>> found.positions.tolist(), found.n_optima
    ([[0, 1, 2], [1, 0, 2]], 2)
    """
    n = len(counts)
    end = time.monotonic() + time_limit
    parts = []
    above = np.zeros((n, n), dtype=bool)
    rest = np.ones(n, dtype=bool)
    for items in _components(counts):
        own = counts[np.ix_(items, items)]
        few = len(items) <= _MOST_ITEMS
        part = _by_subsets(own, most) if few else _by_solver(own, most, max(end - time.monotonic(), 0.0))
        parts.append((items, part))
        above[np.ix_(items, items)] = part.above
        rest[items] = False
        above[np.ix_(items, np.flatnonzero(rest))] = True
    nobody = np.empty(0, dtype=np.int64)
    rankings = [
        np.concatenate([nobody, *(items[np.argsort(row)] for (items, _), row in zip(parts, choice, strict=True))])
        for choice in itertools.islice(itertools.product(*(part.positions for _, part in parts)), most)
    ]
    return KemenyOptima(
        np.argsort(np.array(rankings, dtype=np.int64).reshape(len(rankings), n), axis=1),
        math.prod(part.n_optima for _, part in parts),
        above,
        all(part.optimal for _, part in parts),
        all(part.counted for _, part in parts),
    )


def _components(counts: np.ndarray) -> list[np.ndarray]:
    """Strongly connected components of "at least as often above as below", best first."""
    from scipy.sparse.csgraph import connected_components

    if not len(counts):
        return []
    n_components, component = connected_components(counts >= counts.T, connection="strong")
    # Every item stands above all items of later components and of no earlier one.
    outside = component[:, None] != component[None, :]
    beaten = ((counts > counts.T) & outside).sum(axis=1)
    members = [np.flatnonzero(component == k) for k in range(n_components)]
    return sorted(members, key=lambda items: -beaten[items[0]])


def _by_subsets(counts: np.ndarray, most: int) -> KemenyOptima:
    """All optimal rankings by dynamic programming over the set of items that are ranked first."""
    n = len(counts)
    subsets = np.arange(1 << n)
    size = np.bitwise_count(subsets).astype(np.int64)
    has = (subsets[:, None] >> np.arange(n)) & 1 == 1
    # Putting item j right behind a set contradicts every observation of j below an item outside it.
    cost = np.where(has, np.iinfo(np.int64).max // 4, (~has).astype(np.int64) @ counts)
    after = np.minimum(subsets[:, None] | (1 << np.arange(n)), len(subsets) - 1)
    least = np.zeros(len(subsets), dtype=np.int64)
    ways = np.ones(len(subsets), dtype=np.int64)
    best = np.zeros_like(has)
    for ranked in range(n - 1, -1, -1):
        rows = np.flatnonzero(size == ranked)
        total = cost[rows] + least[after[rows]]
        least[rows] = total.min(axis=1)
        best[rows] = (total == least[rows, None]) & ~has[rows]
        ways[rows] = np.where(best[rows], ways[after[rows]], 0).sum(axis=1)
    reached = np.zeros(len(subsets), dtype=bool)
    reached[0] = True
    for ranked in range(n):
        rows = np.flatnonzero((size == ranked) & reached)
        reached[after[rows][best[rows]]] = True
    before = [np.bitwise_or.reduce(subsets[reached & best[:, j]]) for j in range(n)]
    above = ((np.array(before)[None, :] >> np.arange(n)[:, None]) & 1) == 1
    orders = np.array(list(itertools.islice(_paths(best), most)), dtype=np.int64).reshape(-1, n)
    return KemenyOptima(np.argsort(orders, axis=1), int(ways[0]), above, True, True)


def _paths(best: np.ndarray) -> Iterator[list[int]]:
    """Rankings along the best next items, in lexicographic order."""
    n = best.shape[1]
    stack: list[tuple[int, list[int]]] = [(0, [])]
    while stack:
        subset, order = stack.pop()
        if len(order) == n:
            yield order
        stack += [(subset | 1 << j, [*order, j]) for j in np.flatnonzero(best[subset])[::-1].tolist()]


def _by_solver(counts: np.ndarray, most: int, time_limit: float) -> KemenyOptima:
    """An optimal ranking, the others that moving single items leads to, and whether a solver finds more."""
    end = time.monotonic() + time_limit
    first, optimal = kemeny_ranking(counts, time_limit=time_limit)
    orders = [tuple(np.argsort(first).tolist())]
    counted = False
    while optimal:
        orders = _moved(orders, counts, most)
        left = end - time.monotonic()
        if len(orders) >= most or left <= 0:
            break
        other, complete = _solve(counts, left, np.argsort(np.array(orders), axis=1))
        if other is None:
            counted = complete
            break
        orders.append(tuple(np.argsort(other).tolist()))
    positions = np.argsort(np.array(sorted(orders)), axis=1)
    above = np.asarray((positions[:, :, None] < positions[:, None, :]).any(axis=0))
    return KemenyOptima(positions, len(orders), above, optimal, counted)


def _moved(orders: list[tuple[int, ...]], counts: np.ndarray, most: int) -> list[tuple[int, ...]]:
    """Rankings that moving one item after the other leads to without a further contradiction."""
    found = dict.fromkeys(orders)
    waiting = list(orders)
    while waiting and len(found) < most:
        order = waiting.pop()
        for start, item in enumerate(order):
            others = np.array(order[:start] + order[start + 1 :], dtype=np.int64)
            # Contradictions of the item at every place among the others: those above it that should be below, and
            # those below it that should be above.
            total = np.append(0, np.cumsum(counts[item, others])) + np.append(
                np.cumsum(counts[others, item][::-1])[::-1], 0
            )
            for place in np.flatnonzero(total == total[start]).tolist():
                moved = (*others[:place].tolist(), item, *others[place:].tolist())
                if moved not in found and len(found) < most:
                    found[moved] = None
                    waiting.append(moved)
    return list(found)


def kemeny_ranking(counts: np.ndarray, *, time_limit: float = 60.0) -> tuple[np.ndarray, bool]:
    """One ranking that contradicts the fewest of the counted pairs (the linear ordering problem).

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
    if len(counts) < 2:
        return np.zeros(len(counts), dtype=np.int64), True
    positions, optimal = _solve(counts, time_limit)
    if positions is None:
        order = np.argsort(-(counts.sum(axis=1) - counts.sum(axis=0)), kind="stable")
        return np.argsort(order), False
    return positions, optimal


def _solve(counts: np.ndarray, time_limit: float, besides: np.ndarray | None = None) -> tuple[np.ndarray | None, bool]:
    """A ranking of fewest contradictions, or one as good as, and other than, optimal ones that are known.

    The second value says whether the answer is proven: that the ranking is best, or that there is no other.
    """
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    n = len(counts)
    first, second = np.triu_indices(n, k=1)
    variable = np.full((n, n), -1)
    variable[first, second] = np.arange(len(first))
    # x = 1 puts i above j (i < j). A circle of three is no ranking, either way round: 0 <= x_ij + x_jk - x_ik <= 1.
    triples = np.array(list(itertools.combinations(range(n), 3)), dtype=np.int64).reshape(-1, 3)
    columns = np.stack([variable[triples[:, a], triples[:, b]] for a, b in ((0, 1), (1, 2), (0, 2))], axis=1)
    values = np.tile([1.0, 1.0, -1.0], len(triples))
    rows = np.repeat(np.arange(len(triples)), 3)
    matrix = csr_array((values, (rows, columns.ravel())), shape=(len(triples), len(first)))
    constraints = [LinearConstraint(matrix, 0, 1)] if len(triples) else []
    cost = (counts[second, first] - counts[first, second]).astype(float)
    if besides is not None:
        known = (besides[:, first] < besides[:, second]).astype(float)
        # As good as the known ones, up to less than one contradiction, and other than each in at least one pair.
        constraints.append(LinearConstraint(cost[None], -np.inf, float(cost @ known[0]) + 0.5))
        constraints.append(LinearConstraint(1.0 - 2.0 * known, 1.0 - known.sum(axis=1), np.inf))
    solved = milp(
        c=cost,
        integrality=np.ones(len(first), dtype=np.int64),
        bounds=Bounds(0, 1),
        constraints=constraints,
        options={"time_limit": time_limit},
    )
    if solved.x is None:
        # Status 2: no ranking meets the constraints.
        return None, bool(solved.status == 2)
    above = np.zeros((n, n), dtype=bool)
    above[first, second] = solved.x > 0.5
    above[second, first] = solved.x <= 0.5
    return above.sum(axis=0), bool(solved.status == 0)
