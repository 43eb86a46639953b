"""Hypervolume of a set of cost vectors against a reference point, through moocore."""

from __future__ import annotations

import math
from dataclasses import dataclass

import moocore
import numpy as np

from copa_nb.pareto.arrays import dominance

# Exact computation grows like n ** (k / 2); past this many elementary steps the value is approximated.
EXACT_STEPS = 5e9
APPROXIMATION = "DZ2019-HW"
# moocore computes no more; at that number a hypervolume says little anyway.
MOST_OBJECTIVES = 31


@dataclass(frozen=True)
class HypervolumeValue:
    """A hypervolume with how it was come by.

    Parameters
    ----------
    value : float
        Volume dominated by the points and bounded by the reference point.
    exact : bool
        Whether moocore's exact algorithm was used.
    method : str
        Name of the algorithm.
    """

    value: float
    exact: bool
    method: str


def hypervolume(points: np.ndarray, reference: np.ndarray, *, rng: int = 0) -> HypervolumeValue:
    """Volume between the points and the reference point, smaller costs being better.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Finite costs. Dominated points and points not strictly better than the reference add nothing.
    reference : ndarray of float64, shape (k,)
        Finite costs of the reference point.
    rng : int
        Seed of the approximation.

    Returns
    -------
    HypervolumeValue
        Exact up to a stated cost, otherwise approximated and labelled so.

    Examples
    --------
    >>> hypervolume(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]]), np.array([4.0, 4.0]))
    HypervolumeValue(value=9.5, exact=True, method='exact')
    """
    inside = points[(points < reference).all(axis=1)]
    if len(inside) == 0:
        return HypervolumeValue(0.0, True, "exact")
    if points.shape[1] == 1:
        return HypervolumeValue(float(reference[0] - inside.min()), True, "exact")
    if points.shape[1] > MOST_OBJECTIVES:
        raise ValueError(
            f"the hypervolume of {points.shape[1]} objectives cannot be computed, only up to {MOST_OBJECTIVES}; choose "
            "some of the objectives, or compare ranks with `copa`."
        )
    front = inside[dominance.nondominated(inside, keep="first")]
    if exact_steps(*front.shape) <= EXACT_STEPS:
        return HypervolumeValue(_bounded(moocore.hypervolume(front, ref=reference)), True, "exact")
    approximate = moocore.hv_approx(front, ref=reference, seed=rng, method=APPROXIMATION)
    return HypervolumeValue(_bounded(approximate), False, f"{APPROXIMATION} approximation")


def _bounded(volume: float) -> float:
    if not np.isfinite(volume):
        raise ValueError("the hypervolume is more than a float can hold; rescale the objectives, e.g. divide by 1e150.")
    return float(volume)


def exact_steps(n: int, k: int) -> float:
    """Estimate the elementary steps of the exact algorithm for n nondominated points of k >= 2 objectives."""
    return math.exp(min(k / 2.0 * math.log(n), 700.0))
