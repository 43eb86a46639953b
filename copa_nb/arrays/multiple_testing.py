"""p-values of many tests, adjusted so that a family of claims keeps its error rate."""

from __future__ import annotations

import numpy as np


def holm(pvalues: np.ndarray) -> np.ndarray:
    """Adjust p-values by Holm's method, which controls the familywise error rate.

    Parameters
    ----------
    pvalues : ndarray of float64, shape (n,)
        Raw p-values.

    Returns
    -------
    ndarray of float64, shape (n,)
        The smallest level at which each hypothesis is rejected; never below the raw value.

    Examples
    --------
    >>> holm(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.06, 0.06])
    """
    n = len(pvalues)
    order = np.argsort(pvalues)
    stepped = np.maximum.accumulate(pvalues[order] * (n - np.arange(n)))
    adjusted = np.empty(n)
    adjusted[order] = np.minimum(stepped, 1.0)
    return adjusted


def benjamini_hochberg(pvalues: np.ndarray) -> np.ndarray:
    """Adjust p-values by the method of Benjamini and Hochberg, which controls the false discovery rate.

    Parameters
    ----------
    pvalues : ndarray of float64, shape (n,)
        Raw p-values.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> benjamini_hochberg(np.array([0.01, 0.04, 0.03]))
    array([0.03, 0.04, 0.04])
    """
    n = len(pvalues)
    order = np.argsort(pvalues)[::-1]
    stepped = np.minimum.accumulate(pvalues[order] * n / np.arange(n, 0, -1))
    adjusted = np.empty(n)
    adjusted[order] = stepped
    return adjusted


def benjamini_yekutieli(pvalues: np.ndarray) -> np.ndarray:
    """Adjust p-values by the method of Benjamini and Yekutieli: :func:`benjamini_hochberg` under any dependence.

    Parameters
    ----------
    pvalues : ndarray of float64, shape (n,)
        Raw p-values.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> benjamini_yekutieli(np.array([0.01, 0.04, 0.03])).round(3)
    array([0.055, 0.073, 0.073])
    """
    harmonic = (1 / np.arange(1, len(pvalues) + 1)).sum()
    adjusted: np.ndarray = np.minimum(1.0, harmonic * benjamini_hochberg(pvalues))
    return adjusted
