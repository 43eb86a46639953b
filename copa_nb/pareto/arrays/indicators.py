"""Indicators of sets of points against a reference front: IGD+, additive epsilon, R2; smaller is better in all three.

Each is a mean or a maximum over columns of the smallest entry among the set's rows of one matrix, points × reference
points (or weights): so all subsets of the same points are measured by one pass (:func:`subset_values`).
"""

from __future__ import annotations

from dataclasses import dataclass

import moocore
import numpy as np
from scipy.stats import qmc

INDICATORS = ("igd+", "epsilon", "r2")
# Weights of R2 beyond two objectives, spread evenly over the simplex.
N_WEIGHTS = 1024
_CELLS = 1 << 22


@dataclass(frozen=True, eq=False)
class Shortfalls:
    """How far each point is from each reference point, or from the ideal under each weight.

    Parameters
    ----------
    values : ndarray, shape (n_points, n_columns)
        Shortfalls.
    worst : bool
        Whether the largest column counts (epsilon) rather than the mean.
    """

    values: np.ndarray
    worst: bool


def value(points: np.ndarray, front: np.ndarray, indicator: str) -> float:
    """Indicator of one set.

    Parameters
    ----------
    points : ndarray, shape (n, k)
        Costs.
    front : ndarray, shape (m, k)
        Reference front; R2 is taken from its ideal point.
    indicator : {"igd+", "epsilon", "r2"}
        R2 is exact for two objectives, otherwise over 1,024 weights.

    Examples
    --------
    >>> front = np.array([[0.0, 1.0], [1.0, 0.0]])
    >>> value(np.array([[0.5, 1.0], [1.0, 0.5]]), front, "epsilon")
    0.5
    """
    if indicator == "igd+":
        return float(moocore.igd_plus(points, ref=front))
    if indicator == "epsilon":
        return float(moocore.epsilon_additive(points, ref=front))
    if points.shape[1] == 2:
        return float(moocore.r2_exact(points, ref=front.min(axis=0)))
    return float(subset_values(shortfalls(points, front, "r2"), np.ones((1, len(points)), dtype=bool))[0])


def shortfalls(points: np.ndarray, front: np.ndarray, indicator: str) -> Shortfalls:
    """Prepare the indicator of many subsets of the same points; see :func:`value`."""
    if indicator == "r2":
        weights = simplex_weights(points.shape[1])
        gaps = points - front.min(axis=0)
        return Shortfalls((gaps[:, None, :] * weights).max(axis=2), worst=False)
    gaps = points[:, None, :] - front
    if indicator == "epsilon":
        return Shortfalls(gaps.max(axis=2), worst=True)
    return Shortfalls(np.sqrt((np.maximum(gaps, 0.0) ** 2).sum(axis=2)), worst=False)


def subset_values(prepared: Shortfalls, members: np.ndarray) -> np.ndarray:
    """Indicator of each subset; infinite for an empty one.

    Parameters
    ----------
    prepared : Shortfalls
    members : ndarray of bool, shape (n_subsets, n_points)

    Returns
    -------
    ndarray, shape (n_subsets,)
    """
    n_points, n_columns = prepared.values.shape
    result = np.empty(len(members))
    rows = max(1, _CELLS // (n_points * n_columns))
    for start in range(0, len(members), rows):
        part = members[start : start + rows]
        nearest = np.where(part[:, :, None], prepared.values, np.inf).min(axis=1)
        result[start : start + rows] = nearest.max(axis=1) if prepared.worst else nearest.mean(axis=1)
    return result


def simplex_weights(n_objectives: int, n: int = N_WEIGHTS) -> np.ndarray:
    """Weights spread evenly over the simplex, the same at every call: shape (n, n_objectives), rows sum to 1.

    Two objectives: an even grid. More: a Sobol sequence, sorted into gaps, which are uniform on the simplex.
    """
    if n_objectives == 1:
        return np.ones((1, 1))
    if n_objectives == 2:
        first = (np.arange(n) + 0.5) / n
        return np.column_stack([first, 1 - first])
    cuts = np.sort(qmc.Sobol(n_objectives - 1, scramble=True, rng=0).random(n), axis=1)
    return np.diff(cuts, axis=1, prepend=0.0, append=1.0)
