"""Differences between two systems on the same items: means, standard errors, p-values and intervals.

Differences are gains: positive where the new system is better. Items may be drawn in clusters; variances are then those
of sums over clusters. Right and wrong answers on independent items have tests of their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

# Cochran's rule: a mean counts as normal from this many times the squared skewness.
_COCHRAN = 25.0
# Rounding of a difference of two numbers, as a share of their size.
_ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedDifferences:
    """Mean gains of one system over another, and how precisely they are known.

    Parameters
    ----------
    means : ndarray, shape (k,)
        Mean gains over items.
    covariance : ndarray, shape (k, k)
        Of the mean gains, robust to clusters.
    n_items, n_units : int
        Items, and what is drawn independently: clusters, or items.
    freedom : float
        Degrees of freedom: units less one; of clusters of unequal sizes, fewer.
    counts : ndarray of int, shape (k, 3)
        Items on which the new system is better, as good, and worse.
    scales : ndarray, shape (k,)
        What one right answer counts, where answers are right or wrong; otherwise 0.
    skewed : ndarray of bool, shape (k,)
        Whether the differences are too skewed for a t-test of this many.
    n_repeats : float
        Repetitions of each item; the harmonic mean where they differ.
    within : ndarray, shape (k, k), optional
        Covariance of the mean gains that is due to repetitions; None where none is repeated.
    """

    means: np.ndarray
    covariance: np.ndarray
    n_items: int
    n_units: int
    freedom: float
    counts: np.ndarray
    scales: np.ndarray
    skewed: np.ndarray
    n_repeats: float = 1.0
    within: np.ndarray | None = None

    @cached_property
    def errors(self) -> np.ndarray:
        """Standard errors of the mean gains."""
        return np.sqrt(np.diagonal(self.covariance))

    @cached_property
    def pvalues(self) -> np.ndarray:
        """Two-sided: McNemar's mid-p of right and wrong answers, t otherwise; NaN without any spread."""
        from scipy.special import stdtr

        spread = self.errors > 0
        ratios = np.divide(self.means, self.errors, out=np.full(len(self.means), np.nan), where=spread)
        pvalues = 2 * stdtr(self.freedom, -np.abs(ratios))
        for k in np.flatnonzero(self.scales):
            pvalues[k] = mcnemar_mid_p(self.counts[k, 0], self.counts[k, 2])
        return pvalues

    def intervals(self, level: float) -> np.ndarray:
        """Interval of each mean gain at the same level, shape (k, 2); infinite without any spread.

        Tango's interval of right and wrong answers is extended to 0 where McNemar's test does not reject.
        """
        from scipy.special import stdtrit

        half = stdtrit(self.freedom, (1 + level) / 2) * self.errors
        half = np.where(self.errors > 0, half, np.inf)
        ends = np.stack([self.means - half, self.means + half], axis=1)
        for k in np.flatnonzero(self.scales):
            low, high = tango_interval(self.counts[k, 0], self.counts[k, 2], self.n_items, level)
            if self.pvalues[k] > 1 - level:
                low, high = min(low, 0.0), max(high, 0.0)
            ends[k] = self.scales[k] * low, self.scales[k] * high
        return ends


def paired_differences(gains: np.ndarray, *, clusters: np.ndarray | None, scales: np.ndarray) -> PairedDifferences:
    """Summarize the gains on single items.

    Parameters
    ----------
    gains : ndarray, shape (n_items, k)
        By how much the new system is better on each item.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0.
    scales : ndarray, shape (k,)
        What one right answer counts, where answers are right or wrong; otherwise 0.

    Examples
    --------
    >>> found = paired_differences(np.array([[1.0], [2.0], [3.0]]), clusters=None, scales=np.zeros(1))
    >>> found.means, found.errors.round(4), found.freedom
    (array([2.]), array([0.5774]), 2.0)
    """
    n_items = len(gains)
    means = gains.mean(axis=0)
    deviations, sizes = gains - means, np.ones(n_items)
    if clusters is not None:
        sizes = np.bincount(clusters).astype(np.float64)
        deviations = np.stack([np.bincount(clusters, column, len(sizes)) for column in deviations.T], axis=1)
    n_units = len(sizes)
    covariance = deviations.T @ deviations * (n_units / (n_units - 1) / n_items**2)
    # What rounding alone leaves of equal differences is no spread.
    rounding = (_ROUNDING * np.abs(gains).max(axis=0)) ** 2 / n_items
    constant = np.diagonal(covariance) <= rounding
    covariance[constant] = covariance[:, constant] = 0.0
    skewness = np.divide(
        (deviations**3).mean(axis=0), np.where(constant, 1.0, (deviations**2).mean(axis=0)) ** 1.5,
    )  # fmt: skip
    return PairedDifferences(
        means=means,
        covariance=covariance,
        n_items=n_items,
        n_units=n_units,
        freedom=float(sizes.sum() ** 2 / (sizes**2).sum() - 1),
        counts=np.stack([(gains > 0).sum(axis=0), (gains == 0).sum(axis=0), (gains < 0).sum(axis=0)], axis=1),
        scales=scales,
        skewed=~constant & (scales == 0) & (n_units < _COCHRAN * skewness**2),
    )


def right_or_wrong(scores: np.ndarray) -> float:
    """What one right answer counts, if all scores are 0 or one other number; otherwise 0.

    Examples
    --------
    >>> right_or_wrong(np.array([0.0, 1.0])), right_or_wrong(np.array([0.0, 0.5, 1.0]))
    (1.0, 0.0)
    """
    sizes = np.abs(scores)
    largest = float(sizes.max())
    return largest if bool(((sizes == 0) | (sizes == largest)).all()) and (sizes.min() == 0 or largest == 1) else 0.0


def mcnemar_mid_p(wins: int, losses: int) -> float:
    """Two-sided mid-p of McNemar's test: the exact p-value less half the probability of what was observed.

    Parameters
    ----------
    wins, losses : int
        Items that only one of the two systems gets right.

    Examples
    --------
    >>> round(mcnemar_mid_p(10, 2), 4), mcnemar_mid_p(0, 0)
    (0.0225, 1.0)
    """
    from scipy.stats import binom

    n, fewer = wins + losses, min(wins, losses)
    if wins == losses:
        return 1.0
    return float(2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5))


def tango_statistic(difference: float, wins: int, losses: int, n_items: int) -> float:
    """Score statistic of a difference between two paired shares, standard normal if it is the true one.

    Parameters
    ----------
    difference : float
        Share of right answers of the new system less that of the baseline, as hypothesized.
    wins, losses : int
        Items that only one of the two systems gets right.
    n_items : int
        All items.

    References
    ----------
    .. [1] T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
       design", Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> round(tango_statistic(0.0, 10, 2, 50), 4)  # (10 - 2) / sqrt(10 + 2)
    2.3094
    """
    linear = -wins - losses + (2 * n_items - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    # Share of items that only the baseline gets right, most likely under the hypothesis.
    share = (np.sqrt(max(linear**2 - 8 * n_items * constant, 0.0)) - linear) / (4 * n_items)
    variance = n_items * (2 * share + difference * (1 - difference))
    excess = wins - losses - n_items * difference
    return float(excess / np.sqrt(variance)) if variance > 0 else float(np.sign(excess) * np.inf if excess else 0.0)


def tango_interval(wins: int, losses: int, n_items: int, level: float) -> tuple[float, float]:
    """Differences between two paired shares that the score test does not reject [1]_.

    Parameters
    ----------
    wins, losses : int
        Items that only one of the two systems gets right.
    n_items : int
        All items.
    level : float
        Confidence level.

    References
    ----------
    .. [1] T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
       design", Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> [round(end, 4) for end in tango_interval(10, 2, 50, 0.95)]
    [0.0281, 0.3005]
    """
    from scipy.optimize import brentq
    from scipy.special import ndtri

    limit, estimate = float(ndtri((1 + level) / 2)), (wins - losses) / n_items

    def end(side: float) -> float:
        """The statistic falls as the hypothesis rises."""
        edge = -side
        beyond = tango_statistic(edge * (1 - 1e-12), wins, losses, n_items) - side * limit
        if beyond * side <= 0:
            return edge
        return float(
            brentq(lambda at: tango_statistic(at, wins, losses, n_items) - side * limit, edge * (1 - 1e-12), estimate,
                   xtol=1e-14)
        )  # fmt: skip

    return end(1.0), end(-1.0)
