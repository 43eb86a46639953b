"""Weights that satisfy stated preferences: whether there are any, which are typical, and what to ask next.

Statements in words (:class:`Conditions`) are linear: a row a with a bound b means a · w = b, or a · w >= b. Weights are
positive and sum to 1; those of objectives that do not count are zero.

A comparison of two rows (:class:`Comparisons`) means f(better) <= factor · f(worse) for the weighted p-norm f. For
p < inf it is linear in w^p, so a linear program decides whether comparisons agree; for p = inf it is a choice among k
linear conditions, which an integer program decides. Draws come from a hit-and-run walk, which only needs to know
whether a weight vector agrees.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import logsumexp, softmax

from copa_nb.ranking.arrays.criterion import largest_products

LARGEST_P = 64.0
_LEAST_SLACK = 1e-9
_SHRINKS = 40
# A search for the most even weights is repeated until its slope vanishes, but not for ever.
_SEARCHES = 50
_MISSED = 1e-10
# Share of the p = 1 value that breaks ties of the maximum, as the criterion itself does.
_TIE_SHARE = 1e-9
# The published stubs refuse argument types that scipy documents, so these solvers go unchecked.
_linprog: Any = optimize.linprog
_minimize: Any = optimize.minimize


@dataclass(frozen=True)
class Conditions:
    """Linear conditions on k weights.

    Parameters
    ----------
    rows : ndarray of float64, shape (m, k)
        Coefficients.
    bounds : ndarray of float64, shape (m,)
        Right-hand sides.
    equal : ndarray of bool, shape (m,)
        Whether a condition is an equation; otherwise a · w >= b.
    counts : ndarray of bool, shape (k,)
        Which weights are positive; the others are zero.
    """

    rows: np.ndarray
    bounds: np.ndarray
    equal: np.ndarray
    counts: np.ndarray

    def only(self, kept: list[int]) -> Conditions:
        """Some of the conditions."""
        return Conditions(self.rows[kept], self.bounds[kept], self.equal[kept], self.counts)


def feasible(conditions: Conditions) -> bool:
    """Tell whether any positive weights fulfil the conditions.

    Examples
    --------
    >>> rows, bounds = np.array([[1.0, -3.0], [1.0, -1.0]]), np.zeros(2)
    >>> feasible(Conditions(rows, bounds, np.array([True, True]), np.array([True, True])))
    False
    """
    # Weights times a free scale S: w_k >= 1 then means "positive" whatever the magnitudes.
    count = conditions.counts.sum()
    if count == 0:
        return False
    rows = np.column_stack([conditions.rows[:, conditions.counts], -conditions.bounds])
    total = np.append(np.ones(count), -1.0)
    positive = [(1.0, None)] * (count + 1)
    return bool(_linprog(np.zeros(count + 1), bounds=positive, **_split(rows, conditions.equal, total)).success)


def minimal_conflicts(conditions: Conditions) -> list[list[int]]:
    """Find sets of conditions that contradict each other, each minimal: without any one of it the rest agrees.

    Returns
    -------
    list of list of int
        Positions of conditions; empty if all agree. Sets share no condition that was named last in another.
    """
    remaining = list(range(len(conditions.rows)))
    conflicts: list[list[int]] = []
    while not feasible(conditions.only(remaining)):
        conflicts.append(minimal_conflict(remaining, lambda kept: feasible(conditions.only(kept))))
        if not conflicts[-1]:
            break
        remaining.remove(conflicts[-1][-1])
    return conflicts


def minimal_conflict(statements: Sequence[int], possible: Callable[[list[int]], bool]) -> list[int]:
    """Find statements that contradict each other, such that without any one of them the others agree.

    Parameters
    ----------
    statements : sequence of int
        Numbers of statements that together contradict each other.
    possible : callable
        Tells whether the statements with these numbers agree.

    Returns
    -------
    list of int
        Some of `statements`, in order; the last is among them if it brought the contradiction.
    """
    conflict = list(statements)
    for candidate in statements:
        rest = [number for number in conflict if number != candidate]
        if not possible(rest):
            conflict = rest
    return conflict


def most_even(conditions: Conditions) -> np.ndarray:
    """Of all weights that fulfil the conditions, those of largest entropy.

    What the conditions leave open is split evenly: without conditions all weights are equal.

    Returns
    -------
    ndarray of float64, shape (k,)

    Examples
    --------
    >>> share = Conditions(np.array([[1.0, 0.0, 0.0]]), np.array([0.5]), np.array([True]), np.ones(3, dtype=bool))
    >>> most_even(share)
    array([0.5 , 0.25, 0.25])
    """
    counts = conditions.counts
    rows = conditions.rows[:, counts]
    weights = np.zeros(len(counts))
    if len(rows) == 0:
        weights[counts] = 1.0 / counts.sum()
        return weights

    # The dual is smooth and convex, and repeated statements do it no harm: w is a softmax of λ · rows.
    def dual(multipliers: np.ndarray) -> float:
        return float(logsumexp(multipliers @ rows) - multipliers @ conditions.bounds)

    def slope(multipliers: np.ndarray) -> np.ndarray:
        gradient: np.ndarray = rows @ softmax(multipliers @ rows) - conditions.bounds
        return gradient

    lowest = np.where(conditions.equal, -np.inf, 0.0)
    precise = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 0.0, "gtol": 1e-12}
    multipliers = np.zeros(len(rows))
    # Conditions that almost repeat one another make a narrow ridge, on which a search may stop early; from there a new
    # one, which knows nothing of the steps before, goes on.
    for _ in range(_SEARCHES):
        found = _minimize(
            dual, multipliers, jac=slope, method="L-BFGS-B", bounds=optimize.Bounds(lowest), options=precise
        )
        stands_still = np.array_equal(found.x, multipliers)
        multipliers = found.x
        missed = np.abs(multipliers - np.maximum(multipliers - slope(multipliers), lowest)).max()
        if missed < _MISSED or stands_still:
            break
    binding = conditions.equal | (multipliers > slope(multipliers))
    weights[counts] = _polished(softmax(multipliers @ rows), rows[binding], conditions.bounds[binding])
    return weights


def ranges(conditions: Conditions) -> np.ndarray:
    """Smallest and largest value of each weight that the conditions allow.

    Returns
    -------
    ndarray of float64, shape (k, 2)
    """
    counts = conditions.counts
    rows = np.vstack([conditions.rows[:, counts], np.ones(counts.sum())])
    bounds = np.append(conditions.bounds, 1.0)
    equal = np.append(conditions.equal, True)
    limits = np.zeros((len(counts), 2))
    for position, k in enumerate(np.flatnonzero(counts)):
        for side, sign in enumerate((1.0, -1.0)):
            goal = np.zeros(counts.sum())
            goal[position] = sign
            solution = _linprog(
                goal, A_eq=rows[equal], b_eq=bounds[equal], A_ub=-rows[~equal], b_ub=-bounds[~equal], bounds=(0.0, 1.0)
            )
            limits[k, side] = sign * solution.fun
    return np.clip(limits, 0.0, 1.0)


def _split(rows: np.ndarray, equal: np.ndarray, total: np.ndarray) -> dict[str, np.ndarray]:
    equations = np.vstack([rows[equal], total])
    return {
        "A_eq": equations,
        "b_eq": np.zeros(len(equations)),
        "A_ub": -rows[~equal],
        "b_ub": np.zeros(int((~equal).sum())),
    }


def _polished(weights: np.ndarray, rows: np.ndarray, bounds: np.ndarray) -> np.ndarray:
    """Take out the last rounding errors: move onto the conditions that bind."""
    active = np.vstack([rows, np.ones(len(weights))])
    missing = np.append(bounds, 1.0) - active @ weights
    moved: np.ndarray = weights + np.linalg.lstsq(active, missing, rcond=None)[0]
    return moved if (moved > 0).all() else weights


@dataclass(frozen=True, eq=False)
class Comparisons:
    """Statements f(better) <= factor · f(worse).

    Parameters
    ----------
    better, worse : ndarray of float64, shape (s, k)
        Objectives on a common scale, 0 best, not negative.
    factors : ndarray of float64, shape (s,)
        1 for "better", a little more for each half of "about equal".
    p : float
        Order of the norm.
    """

    better: np.ndarray
    worse: np.ndarray
    factors: np.ndarray
    p: float

    def agree(self, weights: np.ndarray) -> np.ndarray:
        """Tell for each weight vector of shape (m, k) whether it fulfils every statement.

        Examples
        --------
        >>> comparisons = Comparisons(np.array([[0.0, 0.5]]), np.array([[0.5, 0.0]]), np.ones(1), 1.0)
        >>> comparisons.agree(np.array([[0.7, 0.3], [0.3, 0.7]]))
        array([ True, False])
        """
        if len(self.better) == 0:
            return np.ones(len(weights), dtype=bool)
        if np.isinf(self.p):
            held = largest_products(weights, self.better.T) <= self.factors * largest_products(weights, self.worse.T)
        else:
            held = weights**self.p @ self.differences.T <= 0
        agreed: np.ndarray = held.all(axis=1)
        return agreed

    @functools.cached_property
    def differences(self) -> np.ndarray:
        """Coefficients d with d · w^p <= 0, for p < inf, each scaled to a largest entry of 1."""
        rows = self.better**self.p - (self.factors**self.p)[:, None] * self.worse**self.p
        largest = np.abs(rows).max(axis=1, keepdims=True)
        scaled: np.ndarray = rows / np.where(largest > 0, largest, 1.0)
        return scaled


def criterion_keys(normalized: np.ndarray, weights: np.ndarray, p: float) -> np.ndarray:
    """Values that order rows as the criterion does, for many weights: f^p, or f with ties broken for p = inf.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Rows on a common scale, 0 best, not negative.
    weights : ndarray of float64, shape (m, k)
        Weights, each summing to 1.
    p : float
        Order of the norm, at most 64 or infinite.

    Returns
    -------
    ndarray of float64, shape (m, n)

    Examples
    --------
    >>> criterion_keys(np.array([[0.2, 0.4]]), np.array([[0.5, 0.5]]), 2.0).round(3)
    array([[0.05]])
    """
    if np.isinf(p):
        return largest_products(weights, normalized.T) + _TIE_SHARE * (weights @ normalized.T)
    keys: np.ndarray = weights**p @ (normalized**p).T
    return keys


def interior_weights(comparisons: Comparisons) -> np.ndarray | None:
    """Find weights that fulfil every statement with room to spare, or tell that there are none.

    Returns
    -------
    ndarray of float64, shape (k,), or None

    Examples
    --------
    >>> rows = np.array([[0.0, 0.5], [0.5, 0.0]])
    >>> interior_weights(Comparisons(rows, rows[::-1], np.ones(2), 1.0)) is None
    True
    """
    count = comparisons.better.shape[1]
    if len(comparisons.better) == 0:
        return np.full(count, 1.0 / count)
    if np.isinf(comparisons.p):
        return _by_choices(comparisons)
    powers = _with_most_slack(comparisons.differences)
    if powers is None:
        return None
    weights: np.ndarray = powers ** (1.0 / comparisons.p)
    return weights / weights.sum()


def walk(weights: np.ndarray, comparisons: Comparisons, rng: np.random.Generator, steps: int) -> np.ndarray:
    """Move weights that satisfy all statements to other such weights, towards a uniform distribution.

    Each step takes a random direction and a uniform place on the chord through the simplex; a place that does
    not agree becomes the new end of the chord (slice sampling), which is right for regions of any shape.

    Parameters
    ----------
    weights : ndarray of float64, shape (m, k)
        Where the walks start; each must agree.
    comparisons : Comparisons
        The statements.
    rng : Generator
        Source of randomness.
    steps : int
        Moves per walk.

    Returns
    -------
    ndarray of float64, shape (m, k)
    """
    weights = weights.copy()
    for _ in range(steps):
        direction = rng.normal(size=weights.shape)
        direction -= direction.mean(axis=1, keepdims=True)
        low, high = _chord(weights, direction)
        open_ = np.arange(len(weights))
        for _ in range(_SHRINKS):
            place = rng.uniform(low[open_], high[open_])
            moved = np.clip(weights[open_] + place[:, None] * direction[open_], 0.0, None)
            moved /= moved.sum(axis=1, keepdims=True)
            agreed = comparisons.agree(moved)
            weights[open_[agreed]] = moved[agreed]
            ahead = place > 0
            high[open_[ahead]], low[open_[~ahead]] = place[ahead], place[~ahead]
            open_ = open_[~agreed]
            if len(open_) == 0:
                break
    return weights


def expected_entropies(prefers: np.ndarray, winners: np.ndarray) -> np.ndarray:
    """How uncertain the winner is expected to be after each question, in bits.

    Parameters
    ----------
    prefers : ndarray of bool, shape (m, q)
        For each draw of weights and each question, whether the first of the two rows is preferred.
    winners : ndarray of int64, shape (m,)
        The winner for each draw.

    Returns
    -------
    ndarray of float64, shape (q,)

    Examples
    --------
    >>> expected_entropies(np.array([[True, True], [False, True]]), np.array([4, 7]))
    array([0., 1.])
    """
    _, codes = np.unique(winners, return_inverse=True)
    member = np.zeros((len(winners), codes.max() + 1))
    member[np.arange(len(winners)), codes] = 1.0
    first = prefers.T.astype(np.float64) @ member
    second = member.sum(axis=0) - first
    return (_bits(first) + _bits(second)) / len(winners)


def _bits(counts: np.ndarray) -> np.ndarray:
    """Entropy of each row of counts, times its total."""
    totals = counts.sum(axis=1)
    logs = np.log2(counts, out=np.zeros_like(counts), where=counts > 0)
    total_logs = np.log2(totals, out=np.zeros_like(totals), where=totals > 0)
    entropies: np.ndarray = totals * total_logs - (counts * logs).sum(axis=1)
    return entropies


def _chord(weights: np.ndarray, direction: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """How far each weight can go back and forth along its direction within the simplex."""
    reach = np.divide(-weights, direction, out=np.full_like(weights, np.inf), where=direction != 0)
    low = np.where(direction > 0, reach, -np.inf).max(axis=1)
    high = np.where(direction < 0, reach, np.inf).min(axis=1)
    return low, high


def _with_most_slack(rows: np.ndarray) -> np.ndarray | None:
    """Positive x that sums to 1, with rows · x < 0 and everything as far from its bound as can be."""
    count = rows.shape[1]
    # Variables x and the slack; the scale of x is free.
    solution = _linprog(
        np.append(np.zeros(count), -1.0),
        A_ub=np.vstack(
            [np.column_stack([rows, np.ones(len(rows))]), np.column_stack([-np.eye(count), np.ones(count)])]
        ),
        b_ub=np.zeros(len(rows) + count),
        A_eq=np.append(np.ones(count), 0.0)[None, :],
        b_eq=[1.0],
        bounds=[(0.0, 1.0)] * count + [(None, 1.0)],
    )
    if solution.x is None or solution.x[-1] <= _LEAST_SLACK:
        return None
    inside: np.ndarray = np.maximum(solution.x[:-1], 0.0)
    return inside


def _by_choices(comparisons: Comparisons) -> np.ndarray | None:
    """For p = inf: some objective of the worse row outweighs every objective of the better one."""
    n_statements, count = comparisons.better.shape
    size = count + n_statements * count + 1
    # w_k better_k + slack <= factor w_pivot worse_pivot, unless this pivot is not the one chosen.
    i, pivot, k = np.indices((n_statements, count, count)).reshape(3, -1)
    each, rows = np.arange(len(i)), np.zeros((len(i), size))
    rows[each, k] += comparisons.better[i, k]
    rows[each, pivot] -= comparisons.factors[i] * comparisons.worse[i, pivot]
    rows[each, count + i * count + pivot] = 3.0
    rows[:, -1] = 1.0
    positive = np.column_stack([-np.eye(count), np.zeros((count, n_statements * count)), np.ones(count)])
    bounds = np.concatenate([np.full(len(rows), 3.0), np.zeros(count)])
    sums = np.zeros((1 + n_statements, size))
    sums[0, :count] = 1.0
    sums[1:, count:-1] = np.kron(np.eye(n_statements), np.ones(count))
    solution = optimize.milp(
        np.append(np.zeros(size - 1), -1.0),
        constraints=[
            optimize.LinearConstraint(np.vstack([rows, positive]), ub=bounds),
            optimize.LinearConstraint(sums, 1.0, 1.0),
        ],
        integrality=np.concatenate([np.zeros(count), np.ones(n_statements * count), [0.0]]),
        bounds=optimize.Bounds(np.append(np.zeros(size - 1), -1.0), np.ones(size)),
    )
    if solution.x is None:
        return None
    # Integers hold to a tolerance only, which leaks into the slack: with the choices made, it is solved exactly.
    pivots = solution.x[count:-1].reshape(n_statements, count).argmax(axis=1)
    weights = _with_most_slack(_chosen_conditions(comparisons, pivots))
    return weights if weights is None or comparisons.agree(weights[None, :])[0] else None


def _chosen_conditions(comparisons: Comparisons, pivots: np.ndarray) -> np.ndarray:
    """Rows a with a · w <= 0: no objective of the better row exceeds the chosen one of the worse row."""
    n_statements, count = comparisons.better.shape
    rows = np.zeros((n_statements, count, count))
    objectives = np.arange(count)
    rows[:, objectives, objectives] = comparisons.better
    rows[np.arange(n_statements), :, pivots] -= (
        comparisons.factors * comparisons.worse[np.arange(n_statements), pivots]
    )[:, None]
    return rows.reshape(n_statements * count, count)
