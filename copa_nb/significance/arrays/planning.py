"""How likely a comparison of two systems is to be settled, by the number of items and of their repetitions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from copa_nb.significance.arrays.paired import PairedDifferences, satterthwaite
from copa_nb.significance.arrays.verdicts import UNDECIDED, verdict_of

MOST_ITEMS, MOST_REPEATS = 10**9, 10_000


@dataclass(frozen=True, eq=False, kw_only=True)
class Plan:
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
    verdict : str or None
        The joint verdict that is wanted; None for any but "undecided".
    normal, uniform : ndarray, shape (n_draws, k)
        Independent draws, for means and for standard errors.
    """

    pilot: PairedDifferences
    gains: np.ndarray
    sampled: np.ndarray
    margins: np.ndarray
    level: float
    verdict: str | None
    normal: np.ndarray
    uniform: np.ndarray

    def power(self, n_items: int, n_repeats: float | None = None) -> float:
        """Share of comparisons on so many items that have the verdict."""
        from scipy.special import chdtri, ndtri, stdtrit

        covariance, freedom = self._covariance(n_items, n_repeats)
        errors = np.sqrt(np.diagonal(covariance))
        estimates = self.gains + self.normal @ _root(covariance)
        spreads = np.sqrt(chdtri(freedom, self.uniform) / freedom)
        half = stdtrit(freedom, (1 + self.level) / 2) * errors * spreads
        # The variance of right and wrong answers is taken as if both systems were equal.
        null = np.sqrt(errors**2 + self.pilot.means**2 / n_items)
        half = np.where(self.pilot.scales > 0, ndtri((1 + self.level) / 2) * null, half)
        half = np.where(self.sampled, half, 0.0)
        estimates = np.where(self.sampled, estimates, self.gains)
        found = verdict_of(np.stack([estimates - half, estimates + half], axis=-1), self.margins)
        return float(np.mean(found != UNDECIDED if self.verdict is None else found == self.verdict))

    def items(self, power: float) -> int | None:
        """Fewest items that reach a power; None if a billion do not."""
        return fewest(lambda n: self.power(n) >= power, least=2, most=MOST_ITEMS)

    def repeats(self, power: float) -> int | None:
        """Fewest repetitions of each item that reach a power on as many items; None if no number does."""
        if self.pilot.within is None or self.power(self.pilot.n_items, np.inf) < power:
            return None
        return fewest(lambda n: self.power(self.pilot.n_items, n) >= power, least=1, most=MOST_REPEATS)

    def _covariance(self, n_items: int, n_repeats: float | None) -> tuple[np.ndarray, np.ndarray]:
        """Covariance of the mean gains, and degrees of freedom of their variances.

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
        between = (np.diagonal(of_repeats) + single / ratio) if pilot.shares_repeats else np.zeros(len(pilot.means))
        covariance = of_units / ratio + of_repeats
        freedom = satterthwaite(
            np.diagonal(covariance), (np.diagonal(of_units) / ratio, unit_freedom), (between, n_repeats - 1)
        )
        return covariance, freedom


def plan(
    pilot: PairedDifferences, gains: np.ndarray, sampled: np.ndarray, margins: np.ndarray, level: float,
    verdict: str | None, *, n_draws: int, rng: np.random.Generator,
) -> Plan:  # fmt: skip
    """Draw what all numbers of items have in common, so that the power rises smoothly."""
    shape = (n_draws, len(gains))
    return Plan(
        pilot=pilot, gains=gains, sampled=sampled, margins=margins, level=level, verdict=verdict,
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


def _root(covariance: np.ndarray) -> np.ndarray:
    """Symmetric square root."""
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    return root
