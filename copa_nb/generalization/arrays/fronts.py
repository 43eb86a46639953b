"""How a Pareto front chosen on validation data holds up on test data, on arrays of costs.

"Mind the Gap: Measuring Generalization Performance Across Multiple Objectives" (Feurer et al., IDA 2023),
section 3. The rows of the validation front are compared again on test data. Some may be dominated there
by others of them, so it is not clear which of them a user ends up with:

- the optimistic front (equation 1) holds those that no other of them dominates on test;
- the pessimistic front (equation 2) holds those that dominate no other of them on test.

The difference of the two hypervolumes is the approximation gap.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copa_nb.pareto.arrays.dominance import dominates, nondominated

# Pairs of rows compared at a time; bounds the memory of tables of pairs.
_PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True)
class Fronts:
    """The four fronts of a table that was scored on validation and on test, as masks over its rows.

    Parameters
    ----------
    validation : ndarray of bool, shape (n,)
        Rows that no row dominates on validation.
    optimistic : ndarray of bool, shape (n,)
        Rows of the validation front that no other row of it dominates on test (equation 1).
    pessimistic : ndarray of bool, shape (n,)
        Rows of the validation front that dominate no other row of it on test (equation 2).
    hypothetical : ndarray of bool, shape (n,)
        Rows that no row dominates on test: what choosing on the test data would give.
    """

    validation: np.ndarray
    optimistic: np.ndarray
    pessimistic: np.ndarray
    hypothetical: np.ndarray


def fronts(validation: np.ndarray, test: np.ndarray, *, keep: str = "all") -> Fronts:
    """Find the validation front and what becomes of it on test.

    Parameters
    ----------
    validation, test : ndarray of float64, shape (n, k)
        Costs of the same rows, without NaN; infinite values are legal.
    keep : {"all", "first"}
        Whether rows with equal costs stay together on a front, or only the first of them stays (the
        authors' rule, which they apply to every front).

    Returns
    -------
    Fronts

    Examples
    --------
    >>> validation = np.array([[1.0, 3.0], [2.0, 2.0], [3.0, 1.0], [3.0, 3.0]])
    >>> test = np.array([[1.0, 2.0], [2.0, 3.0], [3.0, 1.0], [0.0, 4.0]])
    >>> found = fronts(validation, test)
    >>> found.validation, found.optimistic
    (array([ True,  True,  True, False]), array([ True, False,  True, False]))
    >>> found.pessimistic, found.hypothetical
    (array([False,  True,  True, False]), array([ True, False,  True,  True]))
    """
    return fronts_of(nondominated(validation, keep=keep), test, keep=keep)


def fronts_of(chosen: np.ndarray, test: np.ndarray, *, keep: str = "all") -> Fronts:
    """Find what becomes on test of a validation front whose rows are `chosen`; see :func:`fronts`."""
    rows = np.flatnonzero(chosen)
    optimistic, pessimistic = split_front(test[rows], keep=keep)
    return Fronts(
        chosen,
        _mask(rows[optimistic], len(test)),
        _mask(rows[pessimistic], len(test)),
        nondominated(test, keep=keep),
    )


def split_front(test: np.ndarray, *, keep: str = "all") -> tuple[np.ndarray, np.ndarray]:
    """Mark the optimistic and the pessimistic front among the rows of a validation front.

    Parameters
    ----------
    test : ndarray of float64, shape (m, k)
        Test costs of the rows on the validation front.
    keep : {"all", "first"}
        See :func:`fronts`.

    Returns
    -------
    optimistic, pessimistic : ndarray of bool, shape (m,)
        Equations 1 and 2.
    """
    # A row dominates none of the others iff none of the others dominates it once all costs change sign.
    return nondominated(test, keep=keep), nondominated(np.ascontiguousarray(-test), keep=keep)


def equal_rows(values: np.ndarray, among: np.ndarray) -> list[np.ndarray]:
    """Group rows of equal values.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs.
    among : ndarray of bool, shape (n,)
        Rows to group.

    Returns
    -------
    list of ndarray of int64
        Positions of the rows of each group, in the order of the first of them.

    Examples
    --------
    >>> values = np.array([[1.0, 2.0], [2.0, 1.0], [1.0, 2.0], [0.0, 9.0]])
    >>> [rows.tolist() for rows in equal_rows(values, np.array([True, True, True, False]))]
    [[0, 2], [1]]
    """
    rows = np.flatnonzero(among)
    if not len(rows):
        return []
    labels = np.unique(values[rows], axis=0, return_inverse=True)[1].reshape(-1)
    groups = [rows[labels == label] for label in range(labels.max() + 1)]
    return sorted(groups, key=lambda group: int(group[0]))


def first_dominator(values: np.ndarray) -> np.ndarray:
    """Name, for every row, the first row that dominates it and is dominated by none.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs.

    Returns
    -------
    ndarray of int64, shape (n,)
        Positions; -1 for rows that nothing dominates.

    Examples
    --------
    >>> first_dominator(np.array([[2.0, 2.0], [1.0, 1.0], [0.0, 3.0]]))
    array([ 1, -1, -1])
    """
    best = np.flatnonzero(nondominated(values))
    found = np.full(len(values), -1, dtype=np.int64)
    for rows in _blocks(len(values), len(best) * values.shape[1]):
        above = dominates(values[best], values[rows])
        hit = above.any(axis=0)
        found[rows][hit] = best[above.argmax(axis=0)[hit]]
    return found


def count_dominated(values: np.ndarray) -> np.ndarray:
    """Count, for every row, how many others it dominates.

    Returns
    -------
    ndarray of int64, shape (n,)
    """
    counts = np.empty(len(values), dtype=np.int64)
    for rows in _blocks(len(values), values.size):
        counts[rows] = dominates(values[rows], values).sum(axis=1)
    return counts


def count_swaps(before: np.ndarray, after: np.ndarray) -> np.ndarray:
    """Count, per row and objective, the rows whose order relative to it is reversed.

    Parameters
    ----------
    before, after : ndarray of float64, shape (n, k)
        Costs of the same rows on validation and on test.

    Returns
    -------
    ndarray of int64, shape (n, k)
        A pair counts where one row is strictly better before and strictly worse after. Each reversed pair
        is counted at both of its rows.

    Examples
    --------
    >>> count_swaps(np.array([[1.0], [2.0], [3.0]]), np.array([[2.0], [1.0], [3.0]]))[:, 0]
    array([1, 1, 0])
    """
    counts = np.empty(before.shape, dtype=np.int64)
    for rows in _blocks(len(before), before.size):
        better, worse = before[rows, None] < before[None], before[rows, None] > before[None]
        now_better, now_worse = after[rows, None] < after[None], after[rows, None] > after[None]
        counts[rows] = ((better & now_worse) | (worse & now_better)).sum(axis=1)
    return counts


def prefix_fronts(values: np.ndarray, *, keep: str = "all") -> list[tuple[int, np.ndarray]]:
    """Follow the front while rows come in one after the other.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs in order of evaluation.
    keep : {"all", "first"}
        See :func:`fronts`.

    Returns
    -------
    list of (int, ndarray of int64)
        For every number of rows at which the front changes: that number, and the positions of the rows
        that are then on the front, in order.

    Examples
    --------
    >>> prefix_fronts(np.array([[2.0, 2.0], [3.0, 3.0], [1.0, 1.0]]))
    [(1, array([0])), (3, array([2]))]
    """
    changes: list[tuple[int, np.ndarray]] = []
    archive = np.empty(0, dtype=np.int64)
    for row, value in enumerate(values):
        members = values[archive]
        no_worse = (members <= value).all(axis=1)
        equal = no_worse & (members >= value).all(axis=1)
        if (no_worse & ~equal).any() or (keep == "first" and equal.any()):
            continue
        beaten = (value <= members).all(axis=1) & ~equal
        archive = np.append(archive[~beaten], row)
        changes.append((row + 1, archive))
    return changes


def weakly_dominates(first: np.ndarray, second: np.ndarray) -> bool:
    """Tell whether every row of `second` is matched or dominated by some row of `first`.

    Parameters
    ----------
    first, second : ndarray of float64, shape (n, k) and (m, k)
        Costs.

    Returns
    -------
    bool
    """
    for rows in _blocks(len(second), first.size):
        covered = np.less_equal(first[None], second[rows, None]).all(axis=2)
        if not np.asarray(covered).any(axis=1).all():
            return False
    return True


def _mask(rows: np.ndarray, n: int) -> np.ndarray:
    mask = np.zeros(n, dtype=bool)
    mask[rows] = True
    return mask


def _blocks(n: int, cost: int) -> list[slice]:
    size = max(1, _PAIRS_AT_ONCE // max(cost, 1))
    return [slice(start, start + size) for start in range(0, n, size)]
