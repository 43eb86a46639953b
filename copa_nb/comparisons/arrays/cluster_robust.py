"""Variance of a mean over items that are drawn in clusters of unequal sizes, and its degrees of freedom.

Bias-reduced linearization for a model with an intercept alone [1]_, where its matrices have a closed form: with a share
p of the items in a cluster, the sum of its deviations is divided by the square root of 1 - p.

References
----------
.. [1] R. M. Bell and D. F. McCaffrey, "Bias reduction in standard errors for linear regression with multi-stage
   samples", Survey Methodology 28 (2002).
"""

from __future__ import annotations

import numpy as np

# Designs with more degrees of freedom than this keep their level, and draws that show whether others do.
_ENOUGH_FREEDOM, _N_DRAWS = 15.0, 10_000


def covariance_of_means(deviations: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Covariance of means over items, unbiased if all items are independent.

    Parameters
    ----------
    deviations : ndarray, shape (n_clusters, k)
        Sums over the items of each cluster of what they deviate from the mean.
    sizes : ndarray, shape (n_clusters,)
        Items of each cluster.

    Examples
    --------
    >>> covariance_of_means(np.array([[-1.0], [0.0], [1.0]]), np.ones(3)).round(4)  # variance 1, over 3 items
    array([[0.3333]])
    """
    n_items = sizes.sum()
    scaled = deviations / np.sqrt(1 - sizes / n_items)[:, None] / n_items
    covariance: np.ndarray = scaled.T @ scaled
    return covariance


def freedom_of_clusters(sizes: np.ndarray) -> float:
    """Degrees of freedom of Bell and McCaffrey: those of the scaled chi-squared that the variance is most like.

    Examples
    --------
    >>> round(freedom_of_clusters(np.full(8, 5.0)), 9), round(freedom_of_clusters(np.array([500.0, *[39.0] * 5])), 2)
    (7.0, 1.68)
    """
    shares = sizes / sizes.sum()
    leverages = shares**2 / (1 - shares)
    return float(1 / ((shares**2).sum() + leverages.sum() ** 2 - (leverages**2).sum()))


def size_of_test(sizes: np.ndarray, alpha: float) -> float:
    """How often the t-test of a mean rejects if clusters differ as wholes, more than items within them.

    Few clusters that hold most of the items are where the degrees of freedom, which are those of independent items, may
    be too many. Rates of normal effects are drawn; those of many clusters are taken to be `alpha`.

    Parameters
    ----------
    sizes : ndarray, shape (n_clusters,)
        Items of each cluster.
    alpha : float
        Nominal level.
    """
    from scipy.special import stdtrit

    freedom = freedom_of_clusters(sizes)
    if freedom > _ENOUGH_FREEDOM:
        return alpha
    shares = sizes / sizes.sum()
    rng = np.random.default_rng(0)
    rejected = []
    # Effects of clusters, from a tenth of the noise of an item to more than it.
    for spread in (0.1, 0.5, 3.0):
        effects = rng.standard_normal((_N_DRAWS, len(sizes))) * np.sqrt(spread**2 + 1 / sizes)
        means = effects @ shares
        variances = ((effects - means[:, None]) ** 2) @ (shares**2 / (1 - shares))
        rejected.append(np.mean(np.abs(means) > stdtrit(freedom, 1 - alpha / 2) * np.sqrt(variances)))
    return float(max(rejected))
