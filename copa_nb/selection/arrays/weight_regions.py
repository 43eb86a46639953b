"""Regions of weights in which each row wins, and how far the weights can move before the winner changes.

For p < inf the criterion is linear in w^p, and for p = inf it is a maximum of terms that are linear in w,
so that the places where the winner changes are found exactly. Values must not be negative.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np

from copa_nb.ranking.arrays.criterion import weighted_norm, winners

# Odds α / (1 - α) beyond this are α = 1 to double precision.
_LARGEST_ODDS = 1e15


@dataclass(frozen=True)
class Interval:
    """A range of α in which one row wins.

    Parameters
    ----------
    low, high : float
        The range.
    winner : int
        Row.
    """

    low: float
    high: float
    winner: int


def alpha_intervals(
    normalized: np.ndarray, rest: np.ndarray, swept: int, p: float, rank_sums: np.ndarray
) -> list[Interval]:
    """Split α in [0, 1] into the ranges in which each row wins, exactly.

    The weights are α on one objective and (1 - α) times `rest` on the others.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Objectives of the candidates, 0 best, not negative.
    rest : ndarray of float64, shape (k,)
        Shares of the other objectives, summing to 1; 0 for the swept one.
    swept : int
        The objective whose weight is α.
    p : float
        Order of the norm.
    rank_sums : ndarray of int64, shape (n,)
        As in :func:`copa_nb.ranking.arrays.criterion.winners`.

    Returns
    -------
    list of Interval
        In order of α, covering [0, 1]. At an end that two ranges share, both rows have the same criterion.

    Examples
    --------
    >>> u = np.array([[0.0, 0.75], [0.25, 0.25], [0.5, 0.0]])
    >>> [(i.winner, i.low, i.high) for i in alpha_intervals(u, np.array([0.0, 1.0]), 0, np.inf, u.sum(axis=1))]
    [(2, 0.0, 0.3333333333333333), (1, 0.3333333333333333, 0.75), (0, 0.75, 1.0)]
    """
    first = normalized[:, swept]
    others = weighted_norm(normalized, rest, p)
    odds = _breaks_of_maximum(first, others, normalized @ rest) if np.isinf(p) else _breaks_of_sum(first, others, p)
    odds = odds[(odds > 0) & (odds < _LARGEST_ODDS)]
    ends = np.unique(np.concatenate(([0.0], odds / (1.0 + odds), [1.0])))
    intervals: list[Interval] = []
    for low, high in itertools.pairwise(ends):
        alpha = (low + high) / 2
        weights = (1.0 - alpha) * rest
        weights[swept] = alpha
        winner = int(winners(normalized, weights, p, rank_sums)[0])
        if intervals and intervals[-1].winner == winner:
            intervals[-1] = Interval(intervals[-1].low, float(high), winner)
        else:
            intervals.append(Interval(float(low), float(high), winner))
    return intervals


def importance_factor(
    normalized: np.ndarray, weights: np.ndarray, p: float, winner: int
) -> tuple[float, int | None, np.ndarray]:
    """Find how wrong the importance ratios may be before another row does as well as the winner.

    Weights matter through their ratios only. The factor is the smallest F such that some change in which no
    ratio of two weights moves by more than F makes another row's criterion as small as the winner's.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Objectives of the candidates, 0 best, not negative.
    weights : ndarray of float64, shape (k,)
        Weights at which `winner` wins. A weight of zero stays zero.
    p : float
        Order of the norm.
    winner : int
        The row.

    Returns
    -------
    factor : float
        At least 1; infinite if no change of the ratios can do it.
    rival : int or None
        The row that catches up first.
    moved : ndarray of float64, shape (k,)
        Weights, summing to 1, at which it does.

    Examples
    --------
    >>> u = np.array([[0.25, 0.25], [0.5, 0.0]])
    >>> factor, rival, moved = importance_factor(u, np.array([0.5, 0.5]), np.inf, 0)
    >>> round(factor, 9), rival, moved.round(4)
    (2.0, 1, array([0.3333, 0.6667]))
    """
    terms = normalized * weights
    mine = terms[winner]
    if np.isinf(p):
        factors, pivots = _factors_of_maximum(normalized, terms, winner)
    else:
        # f^p multiplies what speaks for the rival and divides what speaks against it.
        speaking = np.logaddexp.reduce(_log_power_difference(mine, terms, p), axis=1)
        against = np.logaddexp.reduce(_log_power_difference(terms, mine, p), axis=1)
        factors = np.exp(np.subtract(against, speaking, where=against > -np.inf, out=np.zeros(len(terms))) / p)
        pivots = np.full(len(factors), -1)
    factors = np.maximum(factors, 1.0)
    factors[winner] = np.inf
    rival = int(np.argmin(factors))
    if not np.isfinite(factors[rival]):
        return np.inf, None, weights
    step = np.sqrt(factors[rival])
    favors = np.arange(len(weights)) == pivots[rival] if np.isinf(p) else mine > terms[rival]
    moved = weights * np.where(favors, step, 1.0 / step)
    return float(factors[rival]), rival, moved / moved.sum()


def simplex_grid(resolution: int) -> np.ndarray:
    """Centers of the small triangles that make up the weight triangle of three objectives.

    Parameters
    ----------
    resolution : int
        Triangles along an edge; there are resolution² in all, of equal area.

    Returns
    -------
    ndarray of float64, shape (resolution², 3)
        Each row sums to 1.

    Examples
    --------
    >>> simplex_grid(1)
    array([[0.33333333, 0.33333333, 0.33333333]])
    """
    steps = np.arange(resolution)
    first, second = (axis.ravel() for axis in np.meshgrid(steps, steps, indexing="ij"))
    upright = first + second < resolution
    inverted = first + second < resolution - 1
    up = np.column_stack([first[upright] + 1 / 3, second[upright] + 1 / 3])
    down = np.column_stack([first[inverted] + 2 / 3, second[inverted] + 2 / 3])
    two = np.concatenate([up, down]) / resolution
    return np.column_stack([two, 1.0 - two.sum(axis=1)])


def _breaks_of_sum(first: np.ndarray, others: np.ndarray, p: float) -> np.ndarray:
    """Odds at which the lower envelope of (odds · a)^p + b^p passes from one row to the next."""
    current = int(np.lexsort((first, others))[0])
    breaks: list[float] = []
    while True:
        ahead = np.flatnonzero(first < first[current])
        if len(ahead) == 0:
            return np.array(breaks)
        # Where each row with a smaller a draws level; the earliest is next, and of those the smallest a.
        level = _log_power_difference(others[ahead], others[current], p)
        level -= _log_power_difference(first[current], first[ahead], p)
        current = int(ahead[np.lexsort((first[ahead], level))[0]])
        breaks.append(float(np.exp(min(level.min() / p, np.log(_LARGEST_ODDS)))))


def _log_power_difference(larger: np.ndarray, smaller: np.ndarray, p: float) -> np.ndarray:
    """log(larger^p - smaller^p) without under- or overflow; -inf where it is not positive."""
    larger, smaller = np.broadcast_arrays(larger, smaller)
    positive = larger > smaller
    ratio = np.divide(smaller, larger, where=positive, out=np.zeros(larger.shape))
    logarithm = np.full(larger.shape, -np.inf)
    np.log(larger, where=positive, out=logarithm)
    difference: np.ndarray = p * logarithm + np.log1p(-(ratio**p))
    return difference


def _breaks_of_maximum(first: np.ndarray, others: np.ndarray, sums: np.ndarray) -> np.ndarray:
    """Odds at which the winner of max(odds · a, b) can change, ties at p = 1 included."""
    order = np.lexsort((others, first))
    ascending = order[np.concatenate(([True], np.diff(np.minimum.accumulate(others[order])) < 0))]
    a, b = first[ascending], others[ascending]
    with np.errstate(divide="ignore", invalid="ignore"):
        breaks = [b[:-1] / a[1:]]
        for value in a:
            # While odds · a decides, rows with this a tie as soon as their b is no larger.
            breaks.append(others[first == value] / value)
        for value in b:
            # While b decides, rows with this b tie as long as odds · a is no larger; among them the sums
            # odds · a + Σ decide.
            tied = np.flatnonzero(others == value)
            breaks.append(value / first[tied])
            if len(tied) > 1:
                run, rise = (np.subtract.outer(x[tied], x[tied]).ravel() for x in (first, sums))
                breaks.append(-rise[run != 0] / run[run != 0])
    odds = np.concatenate(breaks)
    finite: np.ndarray = odds[np.isfinite(odds)]
    return finite


def _factors_of_maximum(normalized: np.ndarray, terms: np.ndarray, winner: int) -> tuple[np.ndarray, np.ndarray]:
    """Factor for each rival under p = inf, and the objective whose weight rises for it."""
    factors = np.full(len(terms), np.inf)
    pivots = np.full(len(terms), -1)
    for k in range(terms.shape[1]):
        if terms[winner, k] <= 0:
            continue
        # Raised far enough, objective k decides for both; the rival must be no worse there.
        rest = np.delete(terms, k, axis=1).max(axis=1, initial=0.0)
        needed = np.maximum(rest / terms[winner, k], 1.0)
        better = (normalized[:, k] <= normalized[winner, k]) & (needed < factors)
        factors[better] = needed[better]
        pivots[better] = k
    return factors, pivots
