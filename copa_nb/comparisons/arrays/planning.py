"""How likely a comparison of two systems is to be settled, by the number of items and of their repetitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from copa_nb.comparisons.arrays.paired import PairedDifferences, mcnemar_mid_p, satterthwaite, tango_statistic
from copa_nb.comparisons.arrays.verdicts import UNDECIDED, ShownGains, shown_by

MOST_ITEMS, MOST_REPEATS = 10**9, 10_000
# Variances of a pilot are estimates: plans are made with what they exceed with this probability.
LIMIT_OF_VARIANCES = 0.8


@dataclass(frozen=True, eq=False, kw_only=True)
class LargerComparison:
    """Comparisons to come, with the variances of one that is there.

    Parameters
    ----------
    pilot : PairedDifferences
        The comparison that is there.
    gains : ndarray, shape (k,)
        True gains that are assumed.
    sampled : ndarray of bool, shape (k,)
        Objectives that are not known.
    margins : ndarray, shape (k,)
        Losses that are acceptable.
    level : float
        Confidence level of each interval.
    normal, uniform : ndarray, shape (n_draws, k)
        Independent draws, for means and for standard errors or numbers of items on which systems differ.
    """

    pilot: PairedDifferences
    gains: np.ndarray
    sampled: np.ndarray
    margins: np.ndarray
    level: float
    normal: np.ndarray
    uniform: np.ndarray

    def shown(self, n_items: int, n_repeats: float | None = None) -> ShownGains:
        """What comparisons on so many items show, each of shape (n_draws, k)."""
        from scipy.special import chdtri, stdtrit

        covariance, freedom = self._covariance(n_items, n_repeats)
        errors = np.sqrt(np.diagonal(covariance))
        deviations = self.normal @ _root(covariance)
        spreads = np.sqrt(chdtri(freedom, self.uniform) / freedom)
        half = stdtrit(freedom, (1 + self.level) / 2) * errors * spreads
        half = np.where(np.isfinite(self.pilot.reaches), self._half_of_bets(errors, n_items), half)
        n_units = n_items * self.pilot.n_units / self.pilot.n_items
        if 2 ** (1 - n_units) > 1 - self.level:
            half = np.full(half.shape, np.inf)
        half = np.where(self.sampled, half, 0.0)
        estimates = self.gains + np.where(self.sampled, deviations, 0.0)
        found = shown_by(np.stack([estimates - half, estimates + half], axis=-1), self.margins)
        for k in np.flatnonzero((self.pilot.scales > 0) & self.sampled):
            of_answers = self._of_answers(int(k), n_items, deviations[:, k] / (errors[k] or 1.0))
            for name, shown in of_answers.items():
                getattr(found, name)[:, k] = shown
        return found

    def power(self, n_items: int, verdict: str | None, n_repeats: float | None = None) -> float:
        """Share of comparisons on so many items with a joint verdict; None: any but undecided."""
        found = self.shown(n_items, n_repeats).jointly()
        return float(np.mean(found != UNDECIDED if verdict is None else found == verdict))

    def items(self, power: float, verdict: str | None) -> int | None:
        """Fewest items that reach a power; None if a billion do not."""
        return fewest(lambda n: self.power(n, verdict) >= power, least=2, most=MOST_ITEMS)

    def items_of(self, position: int, power: float) -> tuple[int | None, str]:
        """Fewest items that decide one objective, and the verdict that is most likely then."""
        alone = self._alone(position)
        n_items = fewest(lambda n: np.mean(alone.shown(n).of_each() != UNDECIDED) >= power, least=2, most=MOST_ITEMS)
        verdicts, counts = np.unique(alone.shown(n_items or MOST_ITEMS).of_each(), return_counts=True)
        return n_items, str(verdicts[np.argmax(counts)])

    def repeats(self, power: float, verdict: str | None) -> int | None:
        """Fewest repetitions of each item that reach a power on as many items; None if no number does."""
        n_items = self.pilot.n_items
        if self.pilot.within is None or self.power(n_items, verdict, np.inf) < power:
            return None
        # One seed for all items says nothing of how seeds vary.
        least = 2 if self.pilot.shares_repeats else 1
        return fewest(lambda n: self.power(n_items, verdict, n) >= power, least=least, most=MOST_REPEATS)

    def _alone(self, position: int) -> LargerComparison:
        """The same plan for one objective, at the level that it has among all."""
        k = slice(position, position + 1)
        pilot = self.pilot
        of_one = replace(
            pilot, means=pilot.means[k], of_units=pilot.of_units[k, k], of_repeats=pilot.of_repeats[k, k],
            gains=pilot.gains[:, k], freedom=pilot.freedom[k], counts=pilot.counts[k], scales=pilot.scales[k],
            reaches=pilot.reaches[k], skewed=pilot.skewed[k],
            within=None if pilot.within is None else pilot.within[k, k],
        )  # fmt: skip
        return replace(
            self, pilot=of_one, gains=self.gains[k], sampled=self.sampled[k], margins=self.margins[k],
            normal=self.normal[:, k], uniform=self.uniform[:, k],
        )  # fmt: skip

    @cached_property
    def _differing(self) -> np.ndarray:
        """Upper limits of the shares of items that one system alone gets right."""
        from scipy.special import betaincinv

        differing = self.pilot.counts[:, 0] + self.pilot.counts[:, 2]
        limits: np.ndarray = betaincinv(
            differing + 1, np.maximum(self.pilot.n_items - differing, 1e-9), LIMIT_OF_VARIANCES
        )
        return limits

    def _of_answers(self, k: int, n_items: int, normal: np.ndarray) -> dict[str, np.ndarray]:
        """What McNemar's test and Tango's interval show of drawn numbers of items that one system alone gets right."""
        from scipy.special import ndtr, ndtri
        from scipy.stats import binom

        gain, margin = self.gains[k] / self.pilot.scales[k], self.margins[k] / self.pilot.scales[k]
        differing = min(max(float(self._differing[k]), abs(gain)), 1.0)
        n_differing = binom.ppf(self.uniform[:, k], n_items, differing)
        wins = binom.ppf(ndtr(normal), n_differing, (1 + gain / differing) / 2)
        wins = np.where(n_differing > 0, wins, 0.0)
        losses, limit = n_differing - wins, float(ndtri((1 + self.level) / 2))
        alpha = 1 - self.level
        enough = 2.0 ** (1 - n_items) <= alpha
        significant = (mcnemar_mid_p(wins, losses) <= alpha) & enough
        at_zero = tango_statistic(0.0, wins, losses, n_items)
        better, worse = significant & (at_zero > limit), significant & (at_zero < -limit)
        if margin == 0:
            return {"better": better, "worse": worse, "not_worse": better, "not_better": worse}
        if margin >= 1:
            within = np.full(len(wins), margin > 1 or enough)
            return {"better": better, "worse": worse, "not_worse": within, "not_better": within}
        return {
            "better": better,
            "worse": worse,
            "not_worse": enough & (tango_statistic(-margin, wins, losses, n_items) > limit),
            "not_better": enough & (tango_statistic(margin, wins, losses, n_items) < -limit),
        }

    def _half_of_bets(self, errors: np.ndarray, n_items: int) -> np.ndarray:
        """Half the width of intervals by betting.

        Bets against a spread give ``sqrt(2 log(2 / alpha))`` standard errors; without any, the largest allowed bets
        rule out means at which n of them win 2 / alpha.
        """
        n_units = n_items * self.pilot.n_units / self.pilot.n_items
        needed = np.log(2 / (1 - self.level))
        without_spread = 1 - 1 / (1 + np.expm1(needed / n_units) / 0.75)
        half: np.ndarray = np.hypot(np.sqrt(2 * needed) * errors, self.pilot.reaches * without_spread)
        return half

    def _covariance(self, n_items: int, n_repeats: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Upper limits of the covariance of the mean gains, and degrees of freedom of their variances.

        More items do not make repeats vary less that all of them share.
        """
        pilot, ratio = self.pilot, n_items / self.pilot.n_items
        n_repeats = pilot.n_repeats if n_repeats is None else n_repeats
        of_units, of_repeats, single = pilot.of_units, pilot.of_repeats, np.zeros(len(pilot.means))
        if pilot.within is not None:
            kept = pilot.n_repeats / n_repeats
            values, vectors = np.linalg.eigh(of_units - (1 - kept) * pilot.within)
            of_units = (vectors * np.maximum(values, 0.0)) @ vectors.T
            of_repeats, single = kept * of_repeats, kept * np.diagonal(pilot.within)
        unit_freedom = max((pilot.unit_freedom + 1) * ratio - 1, 1.0)
        of_units = of_units * _upper_limit(pilot.unit_freedom) / ratio
        between = np.zeros(len(pilot.means))
        if pilot.shares_repeats:
            of_repeats = of_repeats * _upper_limit(pilot.n_repeats - 1)
            between = np.diagonal(of_repeats) + single / ratio
        covariance = of_units + of_repeats
        freedom = satterthwaite(
            np.diagonal(covariance), (np.diagonal(of_units), unit_freedom), (between, n_repeats - 1)
        )  # fmt: skip
        return covariance, freedom


def plan(
    pilot: PairedDifferences, gains: np.ndarray, sampled: np.ndarray, margins: np.ndarray, level: float, *,
    n_draws: int, rng: np.random.Generator,
) -> LargerComparison:  # fmt: skip
    """Draw what all numbers of items have in common, so that the power rises smoothly."""
    shape = (n_draws, len(gains))
    return LargerComparison(
        pilot=pilot, gains=gains, sampled=sampled, margins=margins, level=level,
        normal=rng.standard_normal(shape), uniform=rng.random(shape),
    )  # fmt: skip


def fewest(reaches: Callable[[int], bool], *, least: int, most: int) -> int | None:
    """Smallest number that reaches something, if larger ones do; None if the largest does not.

    Examples
    --------
    >>> fewest(lambda n: n >= 37, least=2, most=1000), fewest(lambda n: False, least=2, most=1000)
    (37, None)
    """
    low, high = least - 1, least
    while not reaches(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    return high


def _upper_limit(freedom: float) -> float:
    """What a variance with these degrees of freedom is multiplied by for its upper confidence limit."""
    from scipy.special import chdtri

    return float(freedom / chdtri(freedom, LIMIT_OF_VARIANCES))


def _root(covariance: np.ndarray) -> np.ndarray:
    """Symmetric square root."""
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root
