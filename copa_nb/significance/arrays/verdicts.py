"""What simultaneous intervals of gains show: of each objective, and jointly."""

from __future__ import annotations

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
    better, worse, not_worse, not_better = _shown(intervals, margins)
    names = ["better", "worse", "equivalent", "not worse", "not better"]
    shown: np.ndarray = np.select([better, worse, not_worse & not_better, not_worse, not_better], names, UNDECIDED)
    return shown


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
    better, worse, not_worse, not_better = _shown(intervals, margins)
    equal = (intervals == 0).all(axis=-1)
    several = intervals.shape[-2] > 1
    wins = not_worse.all(axis=-1) & better.any(axis=-1)
    loses = not_better.all(axis=-1) & worse.any(axis=-1)
    found = {
        "dominates" if several else "better": (better | equal).all(axis=-1) & better.any(axis=-1),
        "is dominated" if several else "worse": (worse | equal).all(axis=-1) & worse.any(axis=-1),
    }
    conditions = [*found.values(), wins & ~loses, loses & ~wins, (not_worse & not_better).all(axis=-1)]
    names = [*found, "better", "worse", "equivalent", "trade-off"]
    shown: np.ndarray = np.select([*conditions, better.any(axis=-1) & worse.any(axis=-1)], names, UNDECIDED)
    return shown


def _shown(intervals: np.ndarray, margins: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Whether gains are positive, negative, above minus the margin, below the margin; equal known values are both."""
    low, high = intervals[..., 0], intervals[..., 1]
    equal = (low == 0) & (high == 0)
    return low > 0, high < 0, (low > -margins) | equal, (high < margins) | equal
