"""Scores of a system that was chosen by them: intervals that allow for the choice, and how optimistic they are."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from copa_nb.comparisons.arrays.counted_errors import limits_of_shares

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


def largest_of_all(
    deviations: np.ndarray, apart: np.ndarray, level: float, n_draws: int, rng: np.random.Generator
) -> float:
    """Quantile of the largest of all standardized errors, as normal numbers with the correlations of the scores.

    Parameters
    ----------
    deviations : ndarray, shape (n_units, n_systems, k)
        Of :func:`unit_deviations`.
    apart : ndarray, shape (n_systems, k)
        Variances of what adds to these errors, independent between systems. Errors without any variance count as
        independent: nothing is known of their correlations.
    level : float
        Share of draws in which no error is larger.
    n_draws : int
    rng : Generator
    """
    columns, apart = deviations.reshape(len(deviations), -1), apart.ravel()
    variances = (columns**2).sum(axis=0)
    apart = np.where(variances + apart > 0, apart, 1.0)
    size_of_each = np.sqrt(variances + apart)
    columns, apart = columns / size_of_each, np.sqrt(apart) / size_of_each
    if len(columns) > columns.shape[1]:
        values, vectors = np.linalg.eigh(columns.T @ columns)
        columns = np.sqrt(np.maximum(values, 0.0))[:, None] * vectors.T
    size = max(1, _MOST_DRAWN // max(columns.shape))
    largest = []
    for start in range(0, n_draws, size):
        drawn = rng.standard_normal((min(size, n_draws - start), len(columns))) @ columns
        if apart.any():
            drawn += rng.standard_normal(drawn.shape) * apart
        largest.append(np.abs(drawn).max(axis=1))
    return float(np.quantile(np.concatenate(largest), level))


def largest_of_independent(level: float, number: int) -> float:
    """Limit that the largest of independent standard normal errors stays within, in the given share of draws.

    Examples
    --------
    >>> round(largest_of_independent(0.95, 1), 2), round(largest_of_independent(0.95, 20), 2)
    (1.96, 3.02)
    """
    from scipy.special import ndtri

    return float(ndtri((1 + level ** (1 / number)) / 2))


def intervals(means: np.ndarray, errors: np.ndarray, limits: np.ndarray, n_alike: np.ndarray) -> np.ndarray:
    """Intervals of means: Jeffreys' of shares, symmetric ones otherwise, shape (k, 2).

    Parameters
    ----------
    means, errors : ndarray, shape (k,)
        Means and their standard errors.
    limits : ndarray, shape (k,)
        How many standard errors a mean may be off.
    n_alike : ndarray, shape (k,)
        Of shares, the number of right and wrong answers that would be as precise; NaN of what is no share.

    Examples
    --------
    >>> all_right = np.array([1.0]), np.array([0.0]), np.array([1.96])
    >>> intervals(*all_right, np.array([20.0])).round(3).tolist(), intervals(*all_right, np.array([np.nan])).tolist()
    ([[0.832, 1.0]], [[-inf, inf]])
    """
    half = np.where(errors > 0, limits * errors, np.inf)
    ends = np.stack([means - half, means + half], axis=1)
    are_shares = ~np.isnan(n_alike)
    ends[are_shares] = np.stack(limits_of_shares(means[are_shares], n_alike[are_shares], limits[are_shares]), axis=1)
    return ends


def answers_alike(means: np.ndarray, errors: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Numbers of right and wrong answers that would be as precise as scores between 0 and 1, shape (n_systems, k).

    Means near 0 or 1 say little of their own error. Thus no system counts as more precise, given its mean, than all
    of them together, and as if one more unit had the opposite score on all of its items.

    Parameters
    ----------
    means, errors : ndarray, shape (n_systems, k)
        Means of scores from 0 to 1, and their standard errors.
    sizes : ndarray, shape (n_units,)
        Number of items of each unit.

    Examples
    --------
    >>> right = np.array([[0.5], [1.0]])
    >>> answers_alike(right, np.sqrt(right * (1 - right) / 99), np.ones(99)).ravel().round(4)
    array([99., 99.])
    """
    n_items = sizes.sum()
    binomial = np.maximum(means * (1 - means), 0.0)
    one_more = sizes.max()
    together = ((n_items * errors**2).sum(axis=0) + one_more**2 / n_items) / (binomial.sum(axis=0) + one_more / n_items)
    own = np.divide(n_items * errors**2, binomial, out=np.zeros(means.shape), where=binomial > 0)
    alike: np.ndarray = n_items / np.maximum(own, together)
    return alike


def skewness_of_means(deviations: np.ndarray) -> np.ndarray:
    """Skewness that the errors of means have if they are those of the sample, shape (n_systems, k); 0 without spread.

    Parameters
    ----------
    deviations : ndarray, shape (n_units, n_systems, k)
        Of :func:`unit_deviations`.

    Examples
    --------
    >>> deviations, _ = unit_deviations(np.array([[[0.0]], [[0.0]], [[0.0]], [[4.0]]]), None)
    >>> skewness_of_means(deviations).round(3)  # that of 0, 0, 0, 4 is 1.155, and that of their mean half of it
    array([[0.577]])
    """
    squares = (deviations**2).sum(axis=0)
    found: np.ndarray = np.divide(
        (deviations**3).sum(axis=0), squares**1.5, out=np.zeros(squares.shape), where=squares > 0
    )
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
