"""Whether items of one group resemble each other in how systems differ on them."""

from __future__ import annotations

import numpy as np

# Relabelings that a correlation is compared with, and how many numbers each of them may look at.
_N_PERMUTATIONS, _MOST_NUMBERS = 99, 400_000


def deviations(scores: np.ndarray) -> np.ndarray:
    """Scores less the mean of their item and that of their system, 0 where missing.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems)
        NaN where missing.

    Returns
    -------
    ndarray, shape (n_items, n_systems)
        What makes differences between systems vary from item to item.

    Examples
    --------
    >>> deviations(np.array([[1.0, 2.0], [5.0, 8.0]]))
    array([[ 0.5, -0.5],
           [-0.5,  0.5]])
    """
    present = ~np.isnan(scores)
    left = np.where(present, scores, 0.0)
    for axis in (1, 0):
        counts = np.maximum(present.sum(axis=axis, keepdims=True), 1)
        left = np.where(present, left - left.sum(axis=axis, keepdims=True) / counts, 0.0)
    return left


def intraclass_correlation(values: np.ndarray, groups: np.ndarray) -> float:
    """Correlation of the values of two items of one group: the analysis of variance of one way, over all columns.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_columns)
    groups : ndarray of int, shape (n_items,)
        Number of each item's group, counted from 0; at least two groups, and fewer than items.

    Returns
    -------
    float
        0 without correlation, 1 if all items of a group agree; NaN if no value varies.

    Examples
    --------
    >>> intraclass_correlation(np.array([[1.0], [1.0], [3.0], [3.0]]), np.array([0, 0, 1, 1]))
    1.0
    """
    counts = np.bincount(groups)
    n, n_groups = len(groups), len(counts)
    values = values - values.mean(axis=0)
    between = _between(values, groups, counts)
    within = max((values**2).sum() - between, 0.0)
    mean_between, mean_within = between / (n_groups - 1), within / (n - n_groups)
    size = (n - (counts**2).sum() / n) / (n_groups - 1)
    total = mean_between + (size - 1) * mean_within
    return float((mean_between - mean_within) / total) if total > 0 else float("nan")


def correlates(values: np.ndarray, groups: np.ndarray, rng: np.random.Generator) -> bool:
    """Whether items of one group agree more than under each of 99 random assignments of items to the groups.

    Of wide tables some of the columns are looked at.

    Parameters
    ----------
    values : ndarray, shape (n_items, n_columns)
    groups : ndarray of int, shape (n_items,)
        Number of each item's group, counted from 0.
    rng : Generator
    """
    values = values[:, :: max(1, values.size // _MOST_NUMBERS)]
    values = values - values.mean(axis=0)
    counts = np.bincount(groups)
    found = _between(values, groups, counts)
    return all(_between(values, rng.permutation(groups), counts) < found for _ in range(_N_PERMUTATIONS))


def _between(values: np.ndarray, groups: np.ndarray, counts: np.ndarray) -> float:
    """Sum of squares between groups, of values with means of 0."""
    sums = np.array([np.bincount(groups, column) for column in values.T])
    return float((sums**2 / counts).sum())
