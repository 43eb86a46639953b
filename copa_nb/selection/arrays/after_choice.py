"""Scores of a system that was chosen by them: intervals that allow for the choice, and how optimistic they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

_MOST_DRAWN = 4_000_000  # normal numbers at once
N_FOLDS = 10


def unit_deviations(scores: np.ndarray, clusters: np.ndarray | None) -> tuple[np.ndarray, float]:
    """Sums of deviations over what is drawn independently, scaled so that their sum of squares is a variance.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, k)
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0.

    Returns
    -------
    deviations : ndarray, shape (n_units, n_systems, k)
    freedom : float
        Degrees of freedom: those of as many clusters of equal size, less one.

    Examples
    --------
    >>> deviations, freedom = unit_deviations(np.array([[[1.0]], [[2.0]], [[3.0]]]), None)
    >>> round(float((deviations**2).sum()), 4), freedom  # the variance of the mean of 1, 2 and 3
    (0.3333, 2.0)
    """
    deviations, sizes = scores - scores.mean(axis=0), np.ones(len(scores))
    if clusters is not None:
        sizes = np.bincount(clusters).astype(np.float64)
        order = np.argsort(clusters, kind="stable")
        starts = np.concatenate([[0], np.cumsum(sizes)[:-1]]).astype(np.int64)
        deviations = np.add.reduceat(deviations[order], starts, axis=0)
    n_units = len(sizes)
    factor = np.sqrt(n_units / (n_units - 1)) / len(scores)
    return factor * deviations, float(sizes.sum() ** 2 / (sizes**2).sum() - 1)


def largest_of_all(deviations: np.ndarray, level: float, n_draws: int, rng: np.random.Generator) -> float:
    """Quantile of the largest of all standardized errors, as normal numbers with the correlations of the scores.

    Parameters
    ----------
    deviations : ndarray, shape (n_units, n_systems, k)
        Of :func:`unit_deviations`.
    level : float
        Share of draws in which no error is larger.
    n_draws : int
    rng : Generator
    """
    columns = deviations.reshape(len(deviations), -1)
    errors = np.sqrt((columns**2).sum(axis=0))
    columns = columns[:, errors > 0] / errors[errors > 0]
    if not columns.shape[1]:
        return 0.0
    if len(columns) > columns.shape[1]:
        values, vectors = np.linalg.eigh(columns.T @ columns)
        columns = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    size = max(1, _MOST_DRAWN // max(columns.shape))
    largest = np.concatenate(
        [
            np.abs(rng.standard_normal((min(size, n_draws - start), len(columns))) @ columns).max(axis=1)
            for start in range(0, n_draws, size)
        ]
    )
    return float(np.quantile(largest, level))


def largest_of_independent(level: float, number: int) -> float:
    """Limit that the largest of independent standard normal errors stays within, in the given share of draws.

    Examples
    --------
    >>> round(largest_of_independent(0.95, 1), 2), round(largest_of_independent(0.95, 20), 2)
    (1.96, 3.02)
    """
    from scipy.special import ndtri

    return float(ndtri((1 + level ** (1 / number)) / 2))


def intervals(
    means: np.ndarray, errors: np.ndarray, critical: float, *, n_items: int, freedom: float, right_or_wrong: np.ndarray
) -> np.ndarray:
    """Intervals of means: Wilson's of right and wrong answers, t otherwise, shape (k, 2).

    Parameters
    ----------
    means, errors : ndarray, shape (k,)
        Means and their standard errors.
    critical : float
        Quantile of the standard normal distribution that bounds the error.
    n_items : int
    freedom : float
        Degrees of freedom of the standard errors.
    right_or_wrong : ndarray of bool, shape (k,)
        Whether scores are 1 or 0.

    Examples
    --------
    >>> intervals(np.array([1.0]), np.array([0.0]), 1.96, n_items=20, freedom=19.0,
    ...     right_or_wrong=np.array([True])).round(3).tolist()
    [[0.839, 1.0]]
    """
    from scipy.special import ndtr, stdtrit

    half = stdtrit(freedom, ndtr(critical)) * errors
    half = np.where(errors > 0, half, np.inf)
    ends = np.stack([means - half, means + half], axis=1)
    shrunk = 1 + critical**2 / n_items
    center = (means + critical**2 / (2 * n_items)) / shrunk
    inside = np.clip(means * (1 - means), 0, None) / n_items + (critical / (2 * n_items)) ** 2
    width = critical / shrunk * np.sqrt(inside)
    wilson = np.clip(np.stack([center - width, center + width], axis=1), 0.0, 1.0)
    found: np.ndarray = np.where(right_or_wrong[:, None], wilson, ends)
    return found


def optimism(
    scores: np.ndarray,
    clusters: np.ndarray | None,
    choose: Callable[[np.ndarray], np.ndarray],
    n_splits: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """By how much scores of a chosen system are too good, by cross-validation of the choice, shape (k,).

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, k)
        Costs.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0.
    choose : callable
        Takes means of shape (b, n_systems, k) and returns the position of the system chosen for each.
    n_splits : int
        How often the items are divided into ten parts.
    rng : Generator

    Returns
    -------
    ndarray, shape (k,)
        Mean cost of the chosen system on the tenth that was left out, less that on the other nine, times the
        ratio of the errors of all items to those of nine tenths.
    """
    units = np.arange(len(scores)) if clusters is None else clusters
    n_units = int(units.max()) + 1
    n_folds = min(N_FOLDS, n_units)
    total, kept, left = scores.sum(axis=0), [], []
    for _ in range(n_splits):
        fold = (rng.permutation(n_units) % n_folds)[units]
        for one in range(n_folds):
            out = fold == one
            part = scores[out].sum(axis=0)
            kept.append((total - part) / (~out).sum())
            left.append(part / out.sum())
    chosen = choose(np.array(kept))
    rows = np.arange(len(chosen))
    found: np.ndarray = (np.array(left)[rows, chosen] - np.array(kept)[rows, chosen]).mean(axis=0)
    # Errors of means of all items are smaller than those of nine tenths.
    return found * np.sqrt(1 - 1 / n_folds)


def optimism_with_errors(
    means: np.ndarray,
    errors: np.ndarray,
    choose: Callable[[np.ndarray], np.ndarray],
    n_draws: int,
    rng: np.random.Generator,
) -> np.ndarray:
    """By how much scores of a chosen system are too good, where only their standard errors are known, shape (k,).

    Adding noise to the means, and subtracting the same noise on a larger scale, gives two independent scores as nine
    tenths of the items and the last tenth would: one to choose by, one to score the choice.

    Parameters
    ----------
    means, errors : ndarray, shape (n_systems, k)
        Costs and their standard errors.
    choose : callable
        Takes means of shape (b, n_systems, k) and returns the position of the system chosen for each.
    n_draws : int
    rng : Generator
    """
    ratio = np.sqrt(1 / (N_FOLDS - 1))
    noise = errors * rng.standard_normal((n_draws, *means.shape))
    kept, left = means + ratio * noise, means - noise / ratio
    chosen, rows = choose(kept), np.arange(n_draws)
    found: np.ndarray = (left[rows, chosen] - kept[rows, chosen]).mean(axis=0)
    return found * np.sqrt(1 - 1 / N_FOLDS)
