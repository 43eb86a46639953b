"""How far scores fall from validation to test: of all candidates, and of those that are best on validation."""

from __future__ import annotations

import numpy as np


def fall_of_best(validation: np.ndarray, falls: np.ndarray, n: int) -> float:
    """Mean fall of the best of n candidates that are drawn without replacement; the best that tie are averaged.

    Parameters
    ----------
    validation, falls : ndarray, shape (n_candidates,)
        Costs on validation, and how much higher the costs are on test.
    n : int
        From 1 to the number of candidates.

    Examples
    --------
    >>> costs, falls = np.array([1.0, 2.0, 3.0]), np.array([0.9, 0.6, 0.0])
    >>> [round(fall_of_best(costs, falls, n), 3) for n in (1, 2, 3)]  # the best of two is the first in 2 of 3 pairs
    [0.5, 0.8, 0.9]
    """
    from scipy.special import gammaln

    size = len(validation)
    values, counts = np.unique(validation, return_counts=True)
    # The best has a cost of at least this if no draw is below it.
    at_least = size - np.concatenate([[0], np.cumsum(counts)])
    drawn = np.full(len(at_least), -np.inf)
    possible = at_least >= n
    rest = at_least[possible]
    drawn[possible] = gammaln(rest + 1) - gammaln(rest - n + 1) - (gammaln(size + 1) - gammaln(size - n + 1))
    weights = -np.diff(np.exp(drawn))
    means = np.bincount(np.searchsorted(values, validation), weights=falls) / counts
    return float(weights @ means)
