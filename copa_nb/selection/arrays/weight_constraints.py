"""Weights under linear conditions: whether any exist, how far they are fixed, and the most even ones.

A condition is a row a with a bound b: a · w = b, or a · w >= b. Weights are positive and sum to 1; those that
are said not to count are zero.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import optimize
from scipy.special import logsumexp, softmax

# The published stubs refuse argument types that scipy documents, so both solvers go unchecked.
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
    # Weights times a free scale S: w_k >= 1 then says "positive" whatever the magnitudes.
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
    conflicts = []
    while not feasible(conditions.only(remaining)):
        conflict = list(remaining)
        for candidate in remaining:
            rest = [i for i in conflict if i != candidate]
            if not feasible(conditions.only(rest)):
                conflict = rest
        conflicts.append(conflict)
        if not conflict:
            break
        remaining.remove(conflict[-1])
    return conflicts


def most_even(conditions: Conditions) -> np.ndarray:
    """Of all weights that fulfil the conditions, those of largest entropy.

    What is not said is split evenly: with no condition all weights are alike, a group shares evenly inside.

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

    signs = [(None, None) if equal else (0.0, None) for equal in conditions.equal]
    precise = {"maxiter": 10_000, "maxfun": 100_000, "ftol": 0.0, "gtol": 1e-12}
    found = _minimize(dual, np.zeros(len(rows)), jac=slope, method="L-BFGS-B", bounds=signs, options=precise)
    weights[counts] = _polished(softmax(found.x @ rows), rows, conditions, found.x)
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
            found = _linprog(
                goal, A_eq=rows[equal], b_eq=bounds[equal], A_ub=-rows[~equal], b_ub=-bounds[~equal], bounds=(0.0, 1.0)
            )
            limits[k, side] = sign * found.fun
    return np.clip(limits, 0.0, 1.0)


def _split(rows: np.ndarray, equal: np.ndarray, total: np.ndarray) -> dict[str, np.ndarray]:
    equations = np.vstack([rows[equal], total])
    return {
        "A_eq": equations,
        "b_eq": np.zeros(len(equations)),
        "A_ub": -rows[~equal],
        "b_ub": np.zeros(int((~equal).sum())),
    }


def _polished(weights: np.ndarray, rows: np.ndarray, conditions: Conditions, multipliers: np.ndarray) -> np.ndarray:
    """Take out the last rounding errors: move onto the conditions that bind."""
    binding = conditions.equal | (multipliers > 0)
    active = np.vstack([rows[binding], np.ones(len(weights))])
    missing = np.append(conditions.bounds[binding], 1.0) - active @ weights
    moved: np.ndarray = weights + np.linalg.lstsq(active, missing, rcond=None)[0]
    return moved if (moved > 0).all() else weights
