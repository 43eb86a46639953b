"""What measured means leave open: resampled fronts, and which differences are established (step-down max-T).

Three kinds of measurements, all as costs: scores on the same items for every entity (:func:`from_items`), independent
runs of each entity (:func:`from_runs`), and means with standard errors (:func:`from_errors`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from copa_nb.parallel import in_threads, row_slices

_NUMBERS_AT_ONCE = 4_000_000


@dataclass(frozen=True, eq=False)
class Uncertainty:
    """Means of all entities, resamples of them, and draws of their errors.

    Draws have shape (n_resamples, n_objectives, n_entities): comparisons run over entities.

    Parameters
    ----------
    means : ndarray, shape (n_entities, n_objectives)
        Costs.
    draws : ndarray
        Means in resamples of the measurements.
    errors : ndarray
        Draws of estimate minus truth.
    variances : ndarray, shape (n_objectives, n_entities, n_entities)
        Estimated variance of the difference between the means of two entities.
    of_errors : ndarray
        Variance of the difference between the errors of two entities, shape as `variances`; if `anew`, the variance of
        each mean as estimated in each draw, shape as `errors`.
    freedoms : float or ndarray, shape (n_objectives, n_entities, n_entities)
        Degrees of freedom of `variances`.
    signs : bool
        Whether errors are of random signs: the variance of a draw then follows from its error.
    anew : bool
        Whether every draw has variances of its own.
    """

    means: np.ndarray
    draws: np.ndarray
    errors: np.ndarray
    variances: np.ndarray
    of_errors: np.ndarray
    freedoms: float | np.ndarray = np.inf
    signs: bool = False
    anew: bool = False


def from_items(scores: np.ndarray, *, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
    """Resample items, the same for all entities and objectives, and repetitions within each.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_repeats, n_entities, n_objectives)
        Costs.
    n_resamples : int
    rng : Generator

    Returns
    -------
    Uncertainty
        Errors are those of the items' centred means under random signs, which keep the variance of every difference
        (Rademacher multipliers).
    """
    n_items, n_repeats, n_entities, n_objectives = scores.shape
    flat = scores.transpose(0, 1, 3, 2).reshape(n_items * n_repeats, n_objectives * n_entities)
    of_items = flat.reshape(n_items, n_repeats, -1).mean(axis=1)
    centred = of_items - of_items.mean(axis=0)
    draws, errors = np.empty((2, n_resamples, flat.shape[1]))
    size = max(1, _NUMBERS_AT_ONCE // len(flat))
    for start in range(0, n_resamples, size):
        stop = min(start + size, n_resamples)
        draws[start:stop] = _item_counts(stop - start, n_items, n_repeats, rng) @ flat / len(flat)
    for start in range(0, n_resamples, size):
        stop = min(start + size, n_resamples)
        errors[start:stop] = rng.choice([-1.0, 1.0], size=(stop - start, n_items)) @ centred / n_items
    shape = (n_resamples, n_objectives, n_entities)
    parts = centred.T.reshape(n_objectives, n_entities, n_items)
    squares = _of_differences(parts @ parts.transpose(0, 2, 1) / n_items)
    return Uncertainty(
        means=flat.mean(axis=0).reshape(n_objectives, n_entities).T,
        draws=draws.reshape(shape),
        errors=errors.reshape(shape),
        variances=squares / (n_items - 1),
        of_errors=squares,
        freedoms=n_items - 1,
        signs=True,
    )


def from_runs(runs: Sequence[np.ndarray], *, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
    """Resample the runs of each entity; errors are those of normal runs with its covariance, with their own variances.

    Parameters
    ----------
    runs : sequence of ndarray, shape (n_runs, n_objectives)
        Costs of each entity; at least two runs each.
    n_resamples : int
    rng : Generator
    """
    n_objectives = runs[0].shape[1]
    shape = (n_resamples, n_objectives, len(runs))
    draws, errors, own = np.empty(shape), np.empty(shape), np.empty(shape)
    for entity, costs in enumerate(runs):
        n = len(costs)
        draws[:, :, entity] = costs[rng.integers(0, n, size=(n_resamples, n))].mean(axis=1)
        values, vectors = np.linalg.eigh(np.atleast_2d(np.cov(costs.T)))
        simulated = rng.standard_normal((n_resamples, n, n_objectives)) * np.sqrt(np.maximum(values, 0)) @ vectors.T
        errors[:, :, entity] = simulated.mean(axis=1)
        own[:, :, entity] = simulated.var(axis=1, ddof=1) / n
    of_means = np.array([costs.var(axis=0, ddof=1) / len(costs) for costs in runs]).T
    variances = of_means[:, :, None] + of_means[:, None, :]
    squares = of_means**2 / (np.array([len(costs) for costs in runs]) - 1)
    # Welch and Satterthwaite.
    freedoms = np.divide(
        variances**2, squares[:, :, None] + squares[:, None, :], out=np.ones(variances.shape), where=variances > 0
    )
    return Uncertainty(
        means=np.array([costs.mean(axis=0) for costs in runs]),
        draws=draws,
        errors=errors,
        variances=variances,
        freedoms=freedoms,
        of_errors=own,
        anew=True,
    )


def from_errors(means: np.ndarray, errors: np.ndarray, *, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
    """Draw normal errors, independent between entities and objectives.

    Parameters
    ----------
    means, errors : ndarray, shape (n_entities, n_objectives)
        Costs and their standard errors; 0 where a cost is known.
    n_resamples : int
    rng : Generator
    """
    drawn = rng.standard_normal((n_resamples, *means.T.shape)) * errors.T
    variances = errors.T[:, :, None] ** 2 + errors.T[:, None, :] ** 2
    return Uncertainty(
        means=means,
        draws=means.T + drawn,
        errors=drawn,
        variances=variances,
        of_errors=variances,
    )


def front_shares(draws: np.ndarray) -> np.ndarray:
    """Share of the draws in which nothing dominates each entity.

    Parameters
    ----------
    draws : ndarray, shape (n_resamples, n_objectives, n_entities)
        Costs.

    Returns
    -------
    ndarray, shape (n_entities,)

    Examples
    --------
    >>> front_shares(np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [1.0, 1.0]]]))
    array([1. , 0.5])
    """
    from copa_nb.pareto.arrays.uncertainty_kernels import count_fronts

    n_resamples, _, n = draws.shape

    def count(part: tuple[int, int]) -> np.ndarray:
        counts = np.zeros(n, dtype=np.int64)
        count_fronts(draws, *part, counts)
        return counts

    parts = row_slices(n_resamples, draws.size * n)
    return np.sum(in_threads(count, parts, draws.size * n), axis=0) / n_resamples


def established(measured: Uncertainty, *, alpha: float) -> np.ndarray:
    """Which entities are better than which others in which objectives, all at once, by step-down max-T.

    Parameters
    ----------
    measured : Uncertainty
    alpha : float
        Largest probability that any of them is wrong.

    Returns
    -------
    ndarray of bool, shape (n_objectives, n_entities, n_entities)
        Whether ``[k, i, j]``: i is better than j in k. A difference that is measured without error is established.

    References
    ----------
    .. [1] J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", Journal
       of the American Statistical Association 100, 2005.
    """
    costs = measured.means.T
    differences = costs[:, None, :] - costs[:, :, None]
    known = measured.variances <= 0
    with np.errstate(divide="ignore", invalid="ignore"):
        statistics = np.where(known | (differences <= 0), 0.0, differences**2 / measured.variances)
    rejected = known & (differences > 0)
    active = ~known
    while True:
        limit = _quantile(_largest(measured, active), 1 - alpha)
        new = active & (statistics > limit)
        if not new.any():
            return rejected
        rejected |= new
        active &= ~new


def equal_for_sure(measured: Uncertainty) -> np.ndarray:
    """Whether two entities are equal in an objective that is measured without error, shape as :func:`established`."""
    costs = measured.means.T
    return (measured.variances <= 0) & (costs[:, None, :] == costs[:, :, None])


def pvalues_within(measured: Uncertainty, entity: int, margins: np.ndarray) -> np.ndarray:
    """p-values against "worse than one entity by at least the margin", for each entity and objective.

    Parameters
    ----------
    measured : Uncertainty
    entity : int
        The one to compare with.
    margins : ndarray, shape (n_objectives,)
        In costs.

    Returns
    -------
    ndarray, shape (n_entities, n_objectives)
        One-sided, of Student's t (Welch's for independent runs); 0 or 1 where a difference is known.
    """
    from scipy.special import stdtr

    costs = measured.means.T
    below = margins[:, None] - (costs - costs[:, [entity]])
    variances = measured.variances[:, entity]
    freedoms = np.broadcast_to(measured.freedoms, measured.variances.shape)[:, entity]
    with np.errstate(divide="ignore", invalid="ignore"):
        tested = stdtr(np.minimum(freedoms, 1e9), -below / np.sqrt(variances))
    return np.where(variances > 0, tested, np.where(below >= 0, 0.0, 1.0)).T


def _item_counts(n: int, n_items: int, n_repeats: int, rng: np.random.Generator) -> np.ndarray:
    """How often each measurement is drawn in n resamples, shape (n, n_items * n_repeats)."""
    cells = rng.integers(0, n_items, size=(n, n_items))
    if n_repeats > 1:
        cells = cells[:, :, None] * n_repeats + rng.integers(0, n_repeats, size=(n, n_items, n_repeats))
    cells = cells.reshape(n, -1)
    length = n_items * n_repeats
    counts = np.bincount((cells + np.arange(n)[:, None] * length).ravel(), minlength=n * length)
    return counts.reshape(n, length).astype(np.float64)


def _of_differences(covariances: np.ndarray) -> np.ndarray:
    """Variances of differences from covariances, shape (n_objectives, n_entities, n_entities), never below 0."""
    diagonal = np.diagonal(covariances, axis1=1, axis2=2)
    variances = diagonal[:, :, None] + diagonal[:, None, :] - 2 * covariances
    # What rounding leaves of two entities with the same scores is no variance.
    return np.where(variances > 1e-13 * (diagonal[:, :, None] + diagonal[:, None, :]), variances, 0.0)


def _largest(measured: Uncertainty, active: np.ndarray) -> np.ndarray:
    """Largest squared statistic of each draw among the comparisons that are active."""
    from copa_nb.pareto.arrays.uncertainty_kernels import largest_squares, largest_squares_of_runs

    n_resamples = len(measured.errors)
    largest = np.empty(n_resamples)

    def fill(part: tuple[int, int]) -> None:
        if measured.anew:
            largest_squares_of_runs(measured.errors, measured.of_errors, weights, *part, largest)
        else:
            largest_squares(measured.errors, weights, *part, largest)

    usable = active if measured.anew else active & (measured.of_errors > 0)
    weights = np.divide(1.0, 1.0 if measured.anew else measured.of_errors, out=np.zeros(active.shape), where=usable)
    work = measured.errors.size * measured.errors.shape[2]
    in_threads(fill, row_slices(n_resamples, work), work)
    if not measured.signs:
        return largest
    with np.errstate(divide="ignore"):
        return measured.freedoms * largest / np.maximum(1 - largest, 0)


def _quantile(values: np.ndarray, level: float) -> float:
    """Order statistic that a further draw exceeds with probability at most 1 - level; infinite if there is none."""
    place = int(np.ceil(level * (len(values) + 1))) - 1
    return float(np.partition(values, place)[place]) if place < len(values) else float("inf")
