"""Means with standard errors and the numbers of items or runs behind them.

Shares of right answers have Jeffreys' intervals, and are compared by intervals of differences that are made of these.
Near 0 and 1 these keep the level far out in the tails, where normal errors do not; nor do Wilson's intervals and score
tests, if the numbers are unequal, or likelihood ratios, if there is no wrong answer. All other means have Student's
intervals and Welch's tests.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from copa_nb.comparisons.arrays.uncertainty import Uncertainty, rejected, student

# Distances of limits, in standard errors, between which p-values are interpolated.
_DISTANCES = np.linspace(0.0, 8.0, 161)
# Means between 0 and 1 are taken for shares of right answers if their variance is at least this part of that of shares.
_LIKE_SHARES = 0.5
# Clusters of unequal sizes leave standard errors that are a little larger than those of equal ones can be.
_ROUNDED_UP = 1.05
_MOST_FREEDOM = 1e9


@dataclass(frozen=True, eq=False)
class Counts:
    """How many items or runs are behind means.

    Parameters
    ----------
    numbers : ndarray, shape (n_systems, k)
        Items or runs; infinite where they are not given.
    alike : ndarray, shape (n_systems, k)
        Of shares, the number of independent right and wrong answers that would be as precise; NaN of other means.
    highest : ndarray, shape (k,)
        The share of all answers, 1 or 100; shares start at 0.
    """

    numbers: np.ndarray
    alike: np.ndarray
    highest: np.ndarray

    @property
    def are_shares(self) -> np.ndarray:
        """Which objectives are shares of right answers, shape (k,)."""
        found: np.ndarray = ~np.isnan(self.alike).any(axis=0)
        return found

    def of_systems(self, rows: np.ndarray) -> Counts:
        """The same of some of the systems."""
        return replace(self, numbers=self.numbers[rows], alike=self.alike[rows])

    def times(self, factor: float) -> Counts:
        """The same for several times as many items or runs."""
        return replace(self, numbers=self.numbers * factor, alike=self.alike * factor)


def read_counts(values: np.ndarray, errors: np.ndarray, numbers: np.ndarray) -> tuple[Counts, np.ndarray]:
    """Tell shares of right answers from other means, and give those without a single wrong or right answer an error.

    Parameters
    ----------
    values, errors : ndarray, shape (n_systems, k)
        Means in their own units, and their standard errors; 0 of what is known.
    numbers : ndarray, shape (n_systems, k)
        Items or runs behind them; infinite where they are not given.

    Returns
    -------
    counts : Counts
    errors : ndarray, shape (n_systems, k)
        Of a share without wrong, or without right answers, that of half an answer more of each kind.

    Examples
    --------
    >>> values, errors = np.array([[0.9], [1.0]]), np.array([[0.03], [0.0]])
    >>> counts, errors = read_counts(values, errors, np.array([[100.0], [100.0]]))
    >>> counts.alike.ravel().round(1), errors.ravel().round(3)
    (array([100., 100.]), array([0.03 , 0.007]))
    """
    alike, highest, errors = np.full(values.shape, np.nan), np.ones(values.shape[1]), errors.copy()
    for k, column in enumerate(values.T):
        if not np.isfinite(numbers[:, k]).all() or column.min() < 0 or column.max() > 100:
            continue
        highest[k] = 1.0 if column.max() <= 1 else 100.0
        shares, n = column / highest[k], numbers[:, k]
        binomial, own = shares * (1 - shares), n * (errors[:, k] / highest[k]) ** 2
        inside = binomial > 0
        # However alike the answers of a cluster are, a mean of numbers of at least 0 is at least its standard error,
        # which it is if all but one of them are 0. A larger error, also from 1, is that of values outside of 0 to 1.
        outside = errors[:, k] / highest[k] > _ROUNDED_UP * np.minimum(shares, 1 - shares)
        unlike = (own < _LIKE_SHARES * binomial) | outside
        if (inside & unlike).any() or (~inside & (own > 0)).any():
            continue
        # Items in clusters, or attempts at the same items, are worth fewer independent answers. A share near 0 or 1
        # says little of that, so that none counts as more precise than all together.
        together = ((n * own).sum() + 1) / ((n * binomial).sum() + 1)
        alone = np.divide(own, binomial, out=np.zeros(len(n)), where=inside)
        alike[:, k] = n / np.maximum(np.maximum(alone, together), 1.0)
        moved = (alike[:, k] * shares + 0.5) / (alike[:, k] + 1)
        floor = highest[k] * np.sqrt(moved * (1 - moved) / alike[:, k])
        errors[:, k] = np.where(inside, errors[:, k], floor)
    return Counts(numbers, alike, highest), errors


@dataclass(frozen=True, eq=False, kw_only=True)
class CountedErrors(Uncertainty):
    """Means of known numbers of items or runs, independent between systems.

    Parameters
    ----------
    errors : ndarray, shape (n_objectives, n_systems)
        Standard errors.
    counts : Counts
        Numbers of items or runs.
    """

    errors: np.ndarray
    counts: Counts

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """All pairs, adjusted after Holm."""
        return rejected(self._pvalues(np.zeros(len(self.errors)), slice(None)), active, alpha)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """Of the tests of each system against the given one."""
        return self._pvalues(margins, [system])[:, :, 0].T

    def _pvalues(self, margins: np.ndarray, others: slice | list[int]) -> np.ndarray:
        """p-values against "i costs at least the margin more than j", at ``[k, i, j]``."""
        costs = self.means.T
        pvalues = np.ones((*costs.shape, costs[:, others].shape[1]))
        for k, row in enumerate(costs):
            if self.counts.are_shares[k]:
                highest, alike = self.counts.highest[k], self.counts.alike[:, k]
                # A share of wrong answers, or less one of right answers: the difference is the same.
                shares = row / highest + (row.min() < 0)
                pvalues[k] = share_pvalues(
                    shares[:, None], shares[others], alike[:, None], alike[others], margins[k] / highest
                )
                continue
            variances, freedoms = self.errors[k] ** 2, np.minimum(self.counts.numbers[:, k] - 1, _MOST_FREEDOM)
            below = margins[k] - (row[:, None] - row[others])
            first, second = (variances[:, None], freedoms[:, None]), (variances[others], freedoms[others])
            pvalues[k] = student(below, first, second)
        return pvalues


def from_counted_errors(
    means: np.ndarray, errors: np.ndarray, counts: Counts, *, n_resamples: int, rng: np.random.Generator
) -> CountedErrors:
    """Draw normal errors, independent between systems and objectives, for what is no test.

    Parameters
    ----------
    means, errors : ndarray, shape (n_systems, n_objectives)
        Costs and their standard errors; 0 where a cost is known.
    counts : Counts
    n_resamples : int
    rng : Generator
    """
    n = len(means)
    known = np.broadcast_to((errors == 0).all(axis=0)[:, None, None], (means.shape[1], n, n))
    return CountedErrors(
        means=means,
        draws=means.T + rng.standard_normal((n_resamples, *means.T.shape)) * errors.T,
        known=known,
        skewed=np.zeros(means.shape[1], dtype=bool),
        doubtful=np.zeros(means.shape[1], dtype=bool),
        errors=errors.T,
        counts=counts,
    )


def limits_of_shares(shares: np.ndarray, alike: np.ndarray, distances: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Jeffreys' limits of shares of right answers.

    Far out, Wilson's interval of a rare share misses several times as often as it should, and Jeffreys' does not [1]_.
    A limit is never nearer to 0 or 1 than the exact one without any right or any wrong answer, and includes the share.

    Parameters
    ----------
    shares, alike : ndarray
        Observed shares, and of how many independent answers; not necessarily whole.
    distances : ndarray
        How far out the limits are, as quantiles of the standard normal distribution.

    References
    ----------
    .. [1] L. D. Brown, T. T. Cai and A. DasGupta, "Interval estimation for a binomial proportion", Statistical Science
       16, 2001.

    Examples
    --------
    >>> low, high = limits_of_shares(np.array([0.5, 1.0]), np.array([20.0, 20.0]), np.array([1.96, 1.96]))
    >>> low.round(3), high.round(3)
    (array([0.293, 0.832]), array([0.707, 1.   ]))
    """
    from scipy.special import betaincinv, ndtr

    tail, right, wrong = ndtr(-distances), alike * shares, alike * (1 - shares)
    of_none = tail ** (1 / alike)
    low = np.minimum(betaincinv(right + 0.5, wrong + 0.5, tail), of_none)
    high = 1 - np.minimum(betaincinv(wrong + 0.5, right + 0.5, tail), of_none)
    return np.where(right > 0, np.minimum(low, shares), 0.0), np.where(wrong > 0, np.maximum(high, shares), 1.0)


def share_pvalues(
    first: np.ndarray, second: np.ndarray, n_first: np.ndarray, n_second: np.ndarray, margin: float = 0.0
) -> np.ndarray:
    """p-values against "the first share exceeds the second by at least a margin".

    The distance at which the limit of the difference reaches the margin. That limit is as far from the difference as
    those of both shares are from these, squared and added [1]_.

    Parameters
    ----------
    first, second : ndarray, shape (n_first, 1) and (n_second,)
        Observed shares of independent answers.
    n_first, n_second : ndarray, same shapes
        Numbers of answers; not necessarily whole.
    margin : float
        At least 0 and less than 1.

    References
    ----------
    .. [1] R. G. Newcombe, "Interval estimation for the difference between independent proportions: comparison of eleven
       methods", Statistics in Medicine 17, 1998: method 10, with Jeffreys' limits in place of Wilson's.

    Examples
    --------
    >>> of_none, of_five = np.array([[0.0]]), np.array([0.1])
    >>> share_pvalues(of_none, of_five, np.array([[50.0]]), np.array([50.0])).round(3)  # Fisher's exact test: .028
    array([[0.018]])
    """
    from scipy.special import ndtr

    difference = first - second
    lows, highs = limits_of_shares(first, n_first, _DISTANCES)
    low, high = limits_of_shares(second[:, None], n_second[:, None], _DISTANCES)
    below, above = first - lows, highs - first
    under, over = second[:, None] - low, high - second[:, None]
    rows, columns = np.indices(difference.shape)
    less = difference < margin
    gap = np.abs(margin - difference)

    def reach(place: np.ndarray) -> np.ndarray:
        upwards = np.hypot(above[rows, place], under[columns, place])
        downwards = np.hypot(below[rows, place], over[columns, place])
        return np.where(less, upwards, downwards)

    # The last distance whose limit does not reach the margin, by bisection.
    last, beyond = np.zeros(gap.shape, dtype=np.int64), np.full(gap.shape, len(_DISTANCES) - 1)
    for _ in range(int(np.ceil(np.log2(len(_DISTANCES))))):
        middle = (last + beyond) // 2
        inside = reach(middle) < gap
        last, beyond = np.where(inside, middle, last), np.where(inside, beyond, middle)
    start, end = reach(last), reach(beyond)
    part = np.clip(np.divide(gap - start, end - start, out=np.zeros(gap.shape), where=end > start), 0.0, 1.0)
    distance = _DISTANCES[last] + part * (_DISTANCES[beyond] - _DISTANCES[last])
    pvalues: np.ndarray = ndtr(np.where(less, -distance, distance))
    return pvalues
