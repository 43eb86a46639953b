"""The rank that a system will have on an item that nobody has seen: prediction intervals without a distribution.

If items are exchangeable, so are a system's ranks on them, and the next one is as likely to be the most extreme as any
other. This holds for any number of items and any distribution (conformal prediction).
"""

from __future__ import annotations

import numpy as np

from copa_nb.ranking.arrays.criterion import weighted_norm
from copa_nb.ranking.arrays.ranks import strictly_better

# Sums of the same shares in another order are equal.
_ROUNDING = 1e-12


def ranks_on_items(costs: np.ndarray, weights: np.ndarray, p: float) -> np.ndarray:
    """Rank of each system on each item under COPA's criterion, ties sharing the mean of theirs.

    Where systems are missing, ranks are stretched to the number of all systems.

    Parameters
    ----------
    costs : ndarray, shape (n_items, n_systems, n_objectives)
        NaN where missing.
    weights : ndarray, shape (n_objectives,)
    p : float

    Returns
    -------
    ndarray, shape (n_items, n_systems)

    Examples
    --------
    >>> ranks_on_items(np.array([[[0.1], [0.5], [0.1]], [[0.3], [0.2], [np.nan]]]), np.ones(1), np.inf)
    array([[1.5, 3. , 1.5],
           [3. , 1. , nan]])
    """
    from scipy.stats import rankdata

    n_systems = costs.shape[1]
    ranks = np.full(costs.shape[:2], np.nan)
    for values, row in zip(costs, ranks, strict=True):
        there = ~np.isnan(values).any(axis=1)
        if (n_there := int(there.sum())) > 1:
            shares = strictly_better(values[there], values[there]) / n_there
            scores = weighted_norm(shares, weights, p)
            within = rankdata(np.round(scores / _ROUNDING))
            row[there] = 1 + (within - 1) * (n_systems - 1) / (n_there - 1)
    return ranks


def next_value(seen: np.ndarray, candidates: np.ndarray, alpha: float) -> tuple[float, float]:
    """Smallest and largest candidate that could come next, by its distance from the median of all values with it.

    Parameters
    ----------
    seen : ndarray, shape (m,)
        Exchangeable with the next value.
    candidates : ndarray, shape (n,)
        Values that the next one may have.
    alpha : float
        Probability that the next value is outside.

    Returns
    -------
    tuple of float
        All candidates are between them if `seen` has fewer than ``1 / alpha - 1`` values.

    References
    ----------
    .. [1] V. Vovk, A. Gammerman and G. Shafer, "Algorithmic Learning in a Random World", Springer 2005.

    Examples
    --------
    >>> next_value(np.arange(1.0, 40.0), np.arange(1.0, 101.0), 0.05)
    (1.0, 39.0)
    """
    order, m = np.sort(seen), len(seen)
    # The median of all values with the candidate is that of the seen ones, moved to the next of them at most.
    low, high = np.clip([(m - 1) // 2, m // 2], 0, m - 1)
    if m % 2 == 0:
        medians = np.clip(candidates, order[low], order[high])
    else:
        middle = order[low]
        neighbors = order[max(low - 1, 0)], order[min(low + 1, m - 1)]
        medians = (middle + np.clip(candidates, *neighbors)) / 2 if m > 1 else (middle + candidates) / 2
    own = np.abs(candidates - medians)
    as_far = (np.abs(order - medians[:, None]) >= own[:, None] - 1e-9).sum(axis=1) + 1
    possible = candidates[as_far > alpha * (m + 1) * (1 + 1e-12)]
    return float(possible.min()), float(possible.max())
