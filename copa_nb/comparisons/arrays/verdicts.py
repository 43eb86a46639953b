"""What simultaneous intervals of gains show: of each objective, and jointly."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

UNDECIDED = "undecided"
VERDICTS = ("dominates", "is dominated", "better", "worse", "equivalent", "trade-off")


def verdicts_of_each(intervals: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Verdict of each objective.

    Parameters
    ----------
    intervals : ndarray, shape (..., k, 2)
        Of the gains; without width where they are known.
    margins : ndarray, shape (k,)
        Losses that are acceptable.

    Returns
    -------
    ndarray of str, shape (..., k)
        "better", "worse", "equivalent" (within the margin on both sides), "not worse", "not better", or "undecided".

    Examples
    --------
    >>> verdicts_of_each(np.array([[0.1, 0.2], [-0.1, 0.2], [-0.3, 0.1]]), np.array([0.0, 0.15, 0.15])).tolist()
    ['better', 'not worse', 'not better']
    """
    return shown_by(intervals, margins).of_each()


def verdict_of(intervals: np.ndarray, margins: np.ndarray) -> np.ndarray:
    """Joint verdict on all objectives: what holds wherever in the intervals the true gains are.

    Parameters
    ----------
    intervals : ndarray, shape (..., k, 2)
        Of the gains; without width where they are known.
    margins : ndarray, shape (k,)
        Losses that are acceptable.

    Returns
    -------
    ndarray of str, shape (...)

    Examples
    --------
    >>> gains = np.array([[0.1, 0.2], [-0.1, 0.2]])
    >>> str(verdict_of(gains, np.array([0.0, 0.15]))), str(verdict_of(gains, np.array([0.0, 0.05])))
    ('better', 'undecided')
    """
    return shown_by(intervals, margins).jointly()


@dataclass(frozen=True, eq=False)
class ShownGains:
    """What is shown of gains, each of shape (..., k).

    Parameters
    ----------
    better, worse : ndarray of bool
        Whether gains are positive, and negative.
    not_worse, not_better : ndarray of bool
        Whether gains are above minus the margin, and below the margin.
    equal : ndarray of bool
        Whether gains are known to be 0.
    """

    better: np.ndarray
    worse: np.ndarray
    not_worse: np.ndarray
    not_better: np.ndarray
    equal: np.ndarray

    def of_each(self) -> np.ndarray:
        """The verdict on each gain."""
        both = self.not_worse & self.not_better
        names = ["better", "worse", "equivalent", "not worse", "not better"]
        found: np.ndarray = np.select(
            [self.better, self.worse, both, self.not_worse, self.not_better], names, UNDECIDED
        )  # fmt: skip
        return found

    def jointly(self) -> np.ndarray:
        """The verdict on all gains."""
        better, worse, equal = self.better, self.worse, self.equal
        several = better.shape[-1] > 1
        wins = self.not_worse.all(axis=-1) & better.any(axis=-1)
        loses = self.not_better.all(axis=-1) & worse.any(axis=-1)
        found = {
            "dominates" if several else "better": (better | equal).all(axis=-1) & better.any(axis=-1),
            "is dominated" if several else "worse": (worse | equal).all(axis=-1) & worse.any(axis=-1),
        }
        equivalent = (self.not_worse & self.not_better).all(axis=-1)
        conditions = [*found.values(), wins & ~loses, loses & ~wins, equivalent]
        names = [*found, "better", "worse", "equivalent", "trade-off"]
        verdict: np.ndarray = np.select([*conditions, better.any(axis=-1) & worse.any(axis=-1)], names, UNDECIDED)
        return verdict


def shown_by(intervals: np.ndarray, margins: np.ndarray) -> ShownGains:
    """What intervals of gains show; equal known values are neither worse nor better by the margin."""
    low, high = intervals[..., 0], intervals[..., 1]
    equal = (low == 0) & (high == 0)
    return ShownGains(low > 0, high < 0, (low > -margins) | equal, (high < margins) | equal, equal)
