"""How much depths depend on the problems that happen to be in the sample: the bootstrap over observed orders."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
from scipy.special import expit, logit, ndtri

# Share of the nominal 95% intervals that covered the depth among all problems in every setting simulated, at least.
AT_LEAST = 0.93


def resampled_depths(
    relations: np.ndarray,
    measure: Callable[[np.ndarray], np.ndarray],
    n_resamples: int,
    rng: np.random.Generator,
    *,
    max_seconds: float | None = None,
) -> np.ndarray | float:
    """Measure the depths of the same targets in samples drawn with replacement from the observed orders.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_observed, n, n)
    measure : callable
        Takes a sample of such relations to the depths of the targets in it, shape (n_targets,).
    n_resamples : int
    rng : Generator
    max_seconds : float, optional
        Stop if the first draws forecast that all will take longer.

    Returns
    -------
    ndarray of float64, shape (n_resamples, n_targets), or float
        The forecast in seconds where they were stopped.
    """
    n = len(relations)
    rows = rng.integers(n, size=(n_resamples, n))
    draws = [measure(relations[rows[0]])]
    begin = time.monotonic()
    for number in range(1, n_resamples):
        draws.append(measure(relations[rows[number]]))
        elapsed = time.monotonic() - begin
        if max_seconds is not None and elapsed > 1 and elapsed / number * n_resamples > max_seconds:
            return elapsed / number * n_resamples
    return np.array(draws)


def depth_intervals(depth: np.ndarray, draws: np.ndarray, *, confidence_level: float) -> tuple[np.ndarray, np.ndarray]:
    """Intervals of depths: the normal ones on the scale of the depth and on that of its logit, together.

    Parameters
    ----------
    depth : ndarray of float64, shape (n_targets,)
        In the sample.
    draws : ndarray of float64, shape (n_resamples, n_targets)
        In resamples of it.
    confidence_level : float
        Confidence level.

    Returns
    -------
    low, high : ndarray of float64, shape (n_targets,)
        Between 0 and 1. Percentile intervals cover as little as 86% in the settings in which these cover 93%.

    Examples
    --------
    >>> low, high = depth_intervals(np.array([0.5]), np.array([[0.4], [0.5], [0.6]]), confidence_level=0.95)
    >>> low.round(3), high.round(3)
    (array([0.304]), array([0.696]))
    """
    spread = draws.std(axis=0, ddof=1)
    half = ndtri((1 + confidence_level) / 2) * spread
    low, high = depth - half, depth + half
    inside = (depth > 0) & (depth < 1)
    middle = depth[inside]
    scaled = half[inside] / (middle * (1 - middle))
    low[inside] = np.minimum(low[inside], expit(logit(middle) - scaled))
    high[inside] = np.maximum(high[inside], expit(logit(middle) + scaled))
    return low.clip(min=0.0), high.clip(max=1.0)
