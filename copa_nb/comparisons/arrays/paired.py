"""Differences between two systems on the same items: means, standard errors, p-values and intervals.

Differences are gains: positive where the new system is better. Items may be drawn in clusters, and measured repeatedly
with seeds that all of them share; variances allow for both. Right and wrong answers on independent items have tests of
their own.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from copa_nb.comparisons.arrays.betting import betting_interval, betting_pvalue
from copa_nb.comparisons.arrays.cluster_robust import covariance_of_means, freedom_of_clusters
from copa_nb.comparisons.arrays.skewness import COCHRAN

# Rounding of a difference of two numbers, as a share of their size.
_ROUNDING = 8 * np.finfo(np.float64).eps


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedDifferences:
    """Mean gains of one system over another, and how precisely they are known.

    Parameters
    ----------
    means : ndarray, shape (k,)
        Mean gains over items.
    of_units : ndarray, shape (k, k)
        Covariance of the mean gains that is due to units: what is drawn independently, clusters or items.
    of_repeats : ndarray, shape (k, k)
        Covariance that is due to repeats which all items share, such as seeds; 0 without any.
    gains : ndarray, shape (n_items, k)
        Gains on single items.
    clusters : ndarray of int, shape (n_items,), or None
        Number of each item's cluster, counted from 0.
    n_items, n_units : int
        Items, and units.
    unit_freedom : float
        Degrees of freedom of the covariance of units.
    freedom : ndarray, shape (k,)
        Degrees of freedom of the variance of each mean gain.
    counts : ndarray of int, shape (k, 3)
        Items on which the new system is better, as good, and worse.
    scales : ndarray, shape (k,)
        What one right answer counts, where answers are right or wrong; otherwise 0.
    reaches : ndarray, shape (k,)
        How large a gain or loss on an item may be, where scores are declared to lie in a range; otherwise infinite.
    skewed : ndarray of bool, shape (k,)
        Whether the differences are too skewed for a t-test of this many.
    shares_repeats : bool
        Whether items share their repeats.
    n_repeats : float
        Repetitions of each item; the harmonic mean where they differ.
    within : ndarray, shape (k, k), optional
        Covariance of the mean gains that is due to repetitions of single items; None where none is repeated.
    """

    means: np.ndarray
    of_units: np.ndarray
    of_repeats: np.ndarray
    gains: np.ndarray
    clusters: np.ndarray | None
    n_items: int
    n_units: int
    unit_freedom: float
    freedom: np.ndarray
    counts: np.ndarray
    scales: np.ndarray
    reaches: np.ndarray
    skewed: np.ndarray
    shares_repeats: bool
    n_repeats: float = 1.0
    within: np.ndarray | None = None

    @property
    def covariance(self) -> np.ndarray:
        """Of the mean gains."""
        return self.of_units + self.of_repeats

    @property
    def least_pvalue(self) -> float:
        """That of the sign test if all units agree: fewer units cannot show more, whatever their values are."""
        return float(2.0 ** (1 - self.n_units))

    @cached_property
    def n_units_that_differ(self) -> np.ndarray:
        """Units on which the two systems differ in some item, shape (k,)."""
        clusters = np.arange(self.n_items) if self.clusters is None else self.clusters
        return np.array([len(np.unique(clusters[column != 0])) for column in self.gains.T])

    @cached_property
    def errors(self) -> np.ndarray:
        """Standard errors of the mean gains."""
        return np.sqrt(np.diagonal(self.covariance))

    def pvalues(self, level: float) -> np.ndarray:
        """Two-sided; NaN without any spread.

        McNemar's mid-p of right and wrong answers, that of bets for one level where scores have a range, t otherwise.
        """
        from scipy.special import stdtr

        spread = self.errors > 0
        ratios = np.divide(self.means, self.errors, out=np.full(len(self.means), np.nan), where=spread)
        pvalues = 2 * stdtr(self.freedom, -np.abs(ratios))
        for k in np.flatnonzero(self.scales):
            pvalues[k] = float(mcnemar_mid_p(self.counts[k, 0], self.counts[k, 2]))
        pvalues = np.maximum(pvalues, self.least_pvalue)
        for k in np.flatnonzero(np.isfinite(self.reaches)):
            reach = self.reaches[k]
            both = [
                betting_pvalue(side * self.gains[:, k], 0.0, -reach, reach, (1 - level) / 2, self.clusters)
                for side in (1, -1)
            ]
            pvalues[k] = min(1.0, 2 * min(both))
        return pvalues

    def intervals(self, level: float) -> np.ndarray:
        """Interval of each mean gain at the same level, shape (k, 2); infinite without any spread or with few units.

        Tango's interval of right and wrong answers is extended to 0 where McNemar's test does not reject.
        """
        from scipy.special import stdtrit

        enough, pvalues = self.least_pvalue <= 1 - level, self.pvalues(level)
        half = stdtrit(self.freedom, (1 + level) / 2) * self.errors
        half = np.where(enough & (self.errors > 0), half, np.inf)
        ends = np.stack([self.means - half, self.means + half], axis=1)
        for k in np.flatnonzero(self.scales):
            low, high = tango_interval(self.counts[k, 0], self.counts[k, 2], self.n_items, level)
            if pvalues[k] > 1 - level:
                low, high = min(low, 0.0), max(high, 0.0)
            ends[k] = (self.scales[k] * low, self.scales[k] * high) if enough else (-self.scales[k], self.scales[k])
        for k in np.flatnonzero(np.isfinite(self.reaches)):
            ends[k] = betting_interval(self.gains[:, k], -self.reaches[k], self.reaches[k], 1 - level, self.clusters)
        return ends


def paired_differences(
    gains: np.ndarray, *, clusters: np.ndarray | None, scales: np.ndarray, reaches: np.ndarray
) -> PairedDifferences:
    """Summarize the gains on single items.

    Parameters
    ----------
    gains : ndarray, shape (n_items, n_repeats, k)
        By how much the new system is better on each item, with each of the repeats that all items share.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0.
    scales : ndarray, shape (k,)
        What one right answer counts, where answers are right or wrong; otherwise 0.
    reaches : ndarray, shape (k,)
        How large a gain or loss on an item may be; infinite where that is not known.

    Examples
    --------
    >>> found = paired_differences(
    ...     np.array([[[1.0]], [[2.0]], [[3.0]]]), clusters=None, scales=np.zeros(1), reaches=np.full(1, np.inf))
    >>> found.means, found.errors.round(4), found.freedom
    (array([2.]), array([0.5774]), array([2.]))
    """
    n_items = len(gains)
    of_items = gains.mean(axis=1)
    means = of_items.mean(axis=0)
    deviations, sizes = of_items - means, np.ones(n_items)
    if clusters is not None:
        sizes = np.bincount(clusters).astype(np.float64)
        deviations = np.stack([np.bincount(clusters, column, len(sizes)) for column in deviations.T], axis=1)
    n_units = len(sizes)
    of_units = covariance_of_means(deviations, sizes)
    # What rounding alone leaves of equal differences is no spread.
    rounding = (_ROUNDING * np.abs(gains).max(axis=(0, 1))) ** 2 / n_items
    constant = np.diagonal(of_units) <= rounding
    of_units[constant] = of_units[:, constant] = 0.0
    # Sums over clusters vary with the sizes of these, which is no skewness: the mean has that of sums of one size,
    # times what unequal sizes add.
    scaled = deviations / np.sqrt(sizes)[:, None]
    skewness = (scaled**3).mean(axis=0) / np.where(constant, 1.0, (scaled**2).mean(axis=0)) ** 1.5
    skewness_of_means = skewness * (sizes**1.5).sum() / n_items**1.5
    unit_freedom = freedom_of_clusters(sizes)
    of_repeats, within, freedom = _of_shared_repeats(gains, of_units, unit_freedom)
    return PairedDifferences(
        means=means,
        of_units=of_units,
        of_repeats=of_repeats,
        gains=of_items,
        clusters=clusters,
        n_items=n_items,
        n_units=n_units,
        unit_freedom=unit_freedom,
        freedom=freedom,
        counts=np.stack([(of_items > 0).sum(axis=0), (of_items == 0).sum(axis=0), (of_items < 0).sum(axis=0)], axis=1),
        scales=scales,
        reaches=np.where(scales > 0, np.inf, reaches),
        skewed=~constant & (scales == 0) & np.isinf(reaches) & (COCHRAN * skewness_of_means**2 > 1),
        shares_repeats=gains.shape[1] > 1,
        n_repeats=float(gains.shape[1]),
        within=within,
    )


def _of_shared_repeats(
    gains: np.ndarray, of_units: np.ndarray, unit_freedom: float
) -> tuple[np.ndarray, np.ndarray | None, np.ndarray]:
    """Covariance that repeats add to that of units, that of repetitions of single items, and degrees of freedom.

    Units and repeats cross. The variance of a mean is that between units, plus that between repeats, less that of
    single values, which is in both; it counts as no less than that between units. Its degrees of freedom are those of
    Welch and Satterthwaite, in which all of the variance between repeats counts.
    """
    n_items, n_repeats, k = gains.shape
    if n_repeats == 1:
        return np.zeros((k, k)), None, np.full(k, unit_freedom)
    centered = gains - gains.mean(axis=1, keepdims=True)
    of_seeds = centered.mean(axis=0)
    between = of_seeds.T @ of_seeds / (n_repeats * (n_repeats - 1))
    left = (centered - of_seeds).reshape(-1, k)
    single = left.T @ left / ((n_items - 1) * (n_repeats - 1) * n_items * n_repeats)
    all_between, of_single, of_unit = (np.diagonal(part) for part in (between, single, of_units))
    added = np.divide(
        np.maximum(all_between - of_single, 0.0), all_between, out=np.zeros(k), where=all_between > 0
    )  # fmt: skip
    of_repeats = between * np.sqrt(added[:, None] * added)
    total = of_unit + np.diagonal(of_repeats)
    return of_repeats, single, satterthwaite(total, (of_unit, unit_freedom), (all_between, n_repeats - 1))


def satterthwaite(
    total: np.ndarray, units: tuple[np.ndarray, float], repeats: tuple[np.ndarray, float]
) -> np.ndarray:  # fmt: skip
    """Degrees of freedom of a variance, no more than those of its part that is due to units.

    Parameters
    ----------
    total : ndarray, shape (k,)
        The variance.
    units, repeats : pair of ndarray and float
        Variances between units and between repeats, each with its degrees of freedom.
    """
    parts = units[0] ** 2 / units[1]
    if repeats[0].any():
        parts = parts + repeats[0] ** 2 / repeats[1]
    freedom = np.divide(total**2, parts, out=np.full(len(total), units[1]), where=parts > 0)
    return np.minimum(freedom, units[1])


def right_or_wrong(scores: np.ndarray) -> float:
    """What one right answer counts, if all scores are 0 or one other, positive number; otherwise 0.

    Scores that may be negative, such as preferences of -1, 0 and 1, are no right and wrong answers: what differs by 1
    may be a whole preference or half of one.

    Examples
    --------
    >>> right_or_wrong(np.array([0.0, 1.0])), right_or_wrong(np.array([-1.0, 0.0, 1.0]))
    (1.0, 0.0)
    """
    largest, smallest = float(scores.max()), float(scores.min())
    two_values = bool(((scores == 0) | (scores == largest)).all())
    return largest if two_values and smallest >= 0 and (smallest == 0 or largest == 1) else 0.0


def mcnemar_mid_p(wins: np.ndarray | int, losses: np.ndarray | int) -> np.ndarray:
    """Two-sided mid-p of McNemar's test: the exact p-value less half the probability of what was observed.

    Parameters
    ----------
    wins, losses : int or ndarray of int
        Items that only one of the two systems gets right.

    Examples
    --------
    >>> mcnemar_mid_p(np.array([10, 0]), np.array([2, 0])).round(4)
    array([0.0225, 1.    ])
    """
    from scipy.stats import binom

    n, fewer = np.add(wins, losses), np.minimum(wins, losses)
    pvalues = 2 * binom.cdf(fewer, n, 0.5) - binom.pmf(fewer, n, 0.5)
    found: np.ndarray = np.where(np.equal(wins, losses), 1.0, pvalues)
    return found


def tango_statistic(
    difference: float, wins: np.ndarray | int, losses: np.ndarray | int, n_items: int
) -> np.ndarray:  # fmt: skip
    """Score statistic of a difference between two paired shares, standard normal if it is the true one.

    Parameters
    ----------
    difference : float
        Share of right answers of the new system less that of the baseline, as hypothesized.
    wins, losses : int or ndarray of int
        Items that only one of the two systems gets right.
    n_items : int
        All items.

    References
    ----------
    .. [1] T. Tango, "Equivalence test and confidence interval for the difference in proportions for the paired-sample
       design", Statistics in Medicine 17, 1998.

    Examples
    --------
    >>> float(tango_statistic(0.0, 10, 2, 50).round(4))  # (10 - 2) / sqrt(10 + 2)
    2.3094
    """
    wins, losses = np.asarray(wins, dtype=np.float64), np.asarray(losses, dtype=np.float64)
    linear = -wins - losses + (2 * n_items - wins + losses) * difference
    constant = -losses * difference * (1 - difference)
    # Share of items that only the baseline gets right, most likely under the hypothesis.
    share = (np.sqrt(np.maximum(linear**2 - 8 * n_items * constant, 0.0)) - linear) / (4 * n_items)
    variance = n_items * (2 * share + difference * (1 - difference))
    excess = wins - losses - n_items * difference
    certain = np.where(excess == 0, 0.0, np.copysign(np.inf, excess))
    statistic: np.ndarray = np.divide(excess, np.sqrt(np.maximum(variance, 0.0)), out=certain, where=variance > 0)
    return statistic


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
        beyond = float(tango_statistic(edge * (1 - 1e-12), wins, losses, n_items)) - side * limit
        if beyond * side <= 0:
            return edge
        return float(
            brentq(
                lambda at: float(tango_statistic(at, wins, losses, n_items)) - side * limit,
                edge * (1 - 1e-12), estimate, xtol=1e-14,
            )
        )  # fmt: skip

    return end(1.0), end(-1.0)
