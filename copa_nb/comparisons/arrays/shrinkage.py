"""What true means may be, given measured ones: noise spreads the measured means further apart than the true ones are.

The prior is that of adaptive shrinkage: a mixture of normal distributions around the median, whose shares are estimated
from all means. It is narrow where most systems are equal, and has heavy tails where a few lead. Systems whose errors
correlate, such as those of one family, are taken to be as similar in truth.
"""

from __future__ import annotations

import numpy as np

# Standard deviations of the mixture: from this share of the smallest standard error, each larger by this factor.
_SMALLEST, _FACTOR = 0.1, 2**0.5
_MOST_SCALES, _STEPS = 40, 100


def true_means(means: np.ndarray, noise: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Draw true means, given measured ones and their noise.

    Parameters
    ----------
    means : ndarray, shape (n_systems,)
        As measured.
    noise : ndarray, shape (n_units, n_systems)
        What each independent unit contributes to the error of the means: their covariance is ``noise.T @ noise``.
    rng : Generator

    Returns
    -------
    ndarray, shape (n_systems,)
        A draw from their distribution given what was measured; the measured means where there is no noise.

    References
    ----------
    .. [1] M. Stephens, "False discovery rates: a new deal", Biostatistics 18, 2017.

    Examples
    --------
    >>> draws = [true_means(np.array([-1.0, 0.0, 1.0]), np.eye(3), np.random.default_rng(seed)) for seed in range(200)]
    >>> bool(np.ptp(np.mean(draws, axis=0)) < 1)
    True
    """
    variances = (noise**2).sum(axis=0)
    if not variances.any():
        return means.copy()
    center = float(np.median(means))
    scales = _scales(means - center, np.sqrt(variances[variances > 0].min()))
    members = _members(means - center, variances, scales)
    chosen = (members.cumsum(axis=1) < rng.random((len(means), 1))).sum(axis=1)
    prior = scales[np.minimum(chosen, len(scales) - 1)] ** 2
    kept = prior / (prior + variances)
    # Errors that systems share, as those of one family do, also separate them less from the truth.
    error = rng.standard_normal(len(noise)) @ noise
    drawn: np.ndarray = center + kept * (means - center) + np.sqrt(kept) * error
    return drawn


def _scales(deviations: np.ndarray, smallest: float) -> np.ndarray:
    """Standard deviations of the mixture, up to twice the largest deviation."""
    low, high = _SMALLEST * smallest, max(2 * float(np.abs(deviations).max()), smallest)
    count = min(_MOST_SCALES, int(np.ceil(np.log(high / low) / np.log(_FACTOR))) + 1)
    return np.geomspace(low, high, count)


def _members(deviations: np.ndarray, variances: np.ndarray, scales: np.ndarray) -> np.ndarray:
    """Probability that each system belongs to each part of the mixture, shape (n_systems, n_scales); by EM."""
    spread = scales**2 + variances[:, None]
    logs = -0.5 * (np.log(spread) + deviations[:, None] ** 2 / spread)
    likelihood = np.exp(logs - logs.max(axis=1, keepdims=True))
    shares = np.full(len(scales), 1 / len(scales))
    for _ in range(_STEPS):
        members = likelihood * shares
        members /= members.sum(axis=1, keepdims=True)
        shares = members.mean(axis=0)
    members = likelihood * shares
    result: np.ndarray = members / members.sum(axis=1, keepdims=True)
    return result
