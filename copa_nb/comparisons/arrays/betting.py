"""Confidence intervals of a mean of bounded values that hold for any distribution and any number of values.

Whoever bets on each value to lie above a hypothetical mean, never more than is owned, expects no gain if that is the
true mean. A capital of 1 / alpha or more is then as unlikely as alpha, and rejects it [1]_:

    capital(m) = prod over t of (1 + bet_t(m) * (x_t - m)),    bet_t(m) = min(lambda_t, 3 / (4 m)),
    lambda_t = sqrt(2 log(1 / alpha) / (n * variance_t)),

with the variance of the values before t. The capital is averaged over several orders of the values, which has the same
expectation and leaves less to the order.

References
----------
.. [1] I. Waudby-Smith and A. Ramdas, "Estimating means of bounded random variables by betting", Journal of the Royal
   Statistical Society B 86 (2024), https://doi.org/10.1093/jrsssb/qkad009.
"""

from __future__ import annotations

import numpy as np

_LARGEST_SHARE = 0.75
_N_ORDERS, _N_HALVINGS = 16, 50


def betting_interval(
    values: np.ndarray, low: float, high: float, alpha: float, clusters: np.ndarray | None = None
) -> tuple[float, float]:
    """Interval of the mean of values that lie between two ends.

    Parameters
    ----------
    values : ndarray, shape (n,)
    low, high : float
        Ends that no value can lie beyond.
    alpha : float
        Probability that either end misses the mean.
    clusters : ndarray of int, shape (n,), optional
        Number of each value's cluster, counted from 0; clusters are independent in place of values.

    Examples
    --------
    >>> low, high = betting_interval(np.tile([0.0, 0.5, 1.0], 40), 0.0, 1.0, 0.05)
    >>> round(low, 2), round(high, 2)
    (0.4, 0.6)
    """
    shares, weights = _of_units((values - low) / (high - low), clusters)
    ends = _least_mean(shares, weights, alpha / 2), 1 - _least_mean(1 - shares, weights, alpha / 2)
    return low + (high - low) * ends[0], low + (high - low) * ends[1]


def betting_pvalue(
    values: np.ndarray, limit: float, low: float, high: float, alpha: float, clusters: np.ndarray | None = None
) -> float:
    """One-sided p-value against "the mean is at least the limit"; other parameters as in :func:`betting_interval`.

    Parameters
    ----------
    limit : float
    alpha : float
        Level for which bets are placed; the p-value holds at any.

    Examples
    --------
    >>> betting_pvalue(np.zeros(50), 0.1, 0.0, 1.0, 0.05) < 0.05 < betting_pvalue(np.zeros(20), 0.1, 0.0, 1.0, 0.05)
    True
    """
    if limit >= high or limit <= low:
        return 0.0 if limit > high else 1.0
    shares, weights = _of_units((values - low) / (high - low), clusters)
    capital = _log_capital(1 - shares, weights, _bets(1 - shares, weights, alpha), 1 - (limit - low) / (high - low))
    return float(min(1.0, np.exp(-capital)))


def _of_units(shares: np.ndarray, clusters: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Means of clusters and their sizes, as shares of the largest, in several orders, shape (n_orders, n)."""
    weights = np.ones(len(shares))
    if clusters is not None:
        sizes = np.bincount(clusters)
        shares, weights = np.bincount(clusters, shares) / sizes, sizes / sizes.max()
    rng = np.random.default_rng(0)
    orders = rng.permuted(np.tile(np.arange(len(shares)), (_N_ORDERS, 1)), axis=1)
    return shares[orders], weights[orders]


def _bets(shares: np.ndarray, weights: np.ndarray, alpha: float) -> np.ndarray:
    """The bets on each value, from those before it; half a value of 1/2 and a variance of 1/4 count as seen."""
    n = shares.shape[1]
    seen = np.cumsum(weights, axis=1)
    means = (0.5 + np.cumsum(weights * shares, axis=1)) / (1 + seen)
    variances = (0.25 + np.cumsum((weights * (shares - means)) ** 2, axis=1)) / np.arange(2, n + 2)
    before = np.concatenate([np.full((len(shares), 1), 0.25), variances[:, :-1]], axis=1)
    bets: np.ndarray = np.sqrt(2 * np.log(1 / alpha) / (n * before))
    return bets


def _log_capital(shares: np.ndarray, weights: np.ndarray, bets: np.ndarray, mean: float) -> float:
    """Logarithm of the capital of bets that values lie above a mean."""
    limited = np.minimum(bets, _LARGEST_SHARE / mean)
    return float(np.logaddexp.reduce(np.log1p(limited * weights * (shares - mean)).sum(axis=1)) - np.log(len(shares)))


def _least_mean(shares: np.ndarray, weights: np.ndarray, alpha: float) -> float:
    """Smallest mean that bets on larger values do not reject; their capital falls as the mean rises."""
    bets = _bets(shares, weights, alpha)
    rejected, kept = 0.0, float(shares.mean())
    for _ in range(_N_HALVINGS):
        middle = (rejected + kept) / 2
        if middle > 0 and _log_capital(shares, weights, bets, middle) >= -np.log(alpha):
            rejected = middle
        else:
            kept = middle
    return rejected
