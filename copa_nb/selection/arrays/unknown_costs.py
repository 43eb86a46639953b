"""COPA's criterion where costs are known between two ends, each cell independently of all others.

All unknown costs of an objective lie between the same two ends; known ones may lie outside.

The rank of a row depends on its own cost and on those of all others, so the values of missing cells act on all rows at
once. For two rows the extreme is simple. The first is worst off against the second if, in every objective, it has its
largest cost and the second its smallest one, and if each other unknown cost lies between the two where the second is
better (it then counts against the first alone), and behind both where it is not. All three keys that decide between two
rows (the criterion, its value at p = 1, and the sum of ranks) are then as far apart as they can be. Only with p = inf
there is a second extreme: where both have the same cost in some objective, all other unknown costs may lie before it,
which may make that rank the worst of both, and the other keys decide.

A row is chosen for all values if no other row beats it in its worst case: that is exact. A row that some other row
beats even in its best case is chosen for none; the others may be.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from copa_nb.ranking.arrays.criterion import tie_key, weighted_norm

# Rows that others are compared with, to find those that are never chosen.
N_STRONGEST = 100
_NUMBERS_AT_ONCE = 2_000_000


@dataclass(frozen=True, eq=False)
class UnknownRanks:
    """How many rows may be strictly better than each row.

    Parameters
    ----------
    low, high : ndarray of float64, shape (n, k)
        Ends of the costs: where they differ, the same for all rows.
    weights : ndarray of float64, shape (k,)
        Weights of the objectives; they sum to 1.
    p : float
        Order of the norm.
    """

    low: np.ndarray
    high: np.ndarray
    weights: np.ndarray
    p: float

    @cached_property
    def unknown(self) -> np.ndarray:
        """Cells with more than one possible cost, shape (n, k)."""
        unknown: np.ndarray = self.low < self.high
        return unknown

    @cached_property
    def ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest unknown cost of each objective, shape (k,); infinite if none is unknown."""
        smallest = np.where(self.unknown, self.low, np.inf).min(axis=0)
        largest = np.where(self.unknown, self.high, -np.inf).max(axis=0)
        return smallest, largest

    @cached_property
    def n_others(self) -> np.ndarray:
        """Unknown costs of other rows, shape (n, k)."""
        counts: np.ndarray = self.unknown.sum(axis=0) - self.unknown
        return counts

    @cached_property
    def at_best(self) -> np.ndarray:
        """Costs that always lie below the smallest one of each cell: the fewest better rows, shape (n, k)."""
        return self._known_below(self.low) + self.n_others * (self.ends[1] < self.low)

    @cached_property
    def at_worst(self) -> np.ndarray:
        """Known costs below the largest one of each cell, shape (n, k)."""
        return self._known_below(self.high)

    @cached_property
    def others(self) -> np.ndarray:
        """Unknown costs of other rows that may lie below the largest cost of each cell, shape (n, k)."""
        counts: np.ndarray = self.n_others * (self.ends[0] < self.high)
        return counts

    def score_ends(self) -> tuple[np.ndarray, np.ndarray]:
        """The smallest and the largest value of the criterion of each row, each attained for some costs."""
        return self._norm(self.at_best, self.p), self._norm(self.at_worst + self.others, self.p)

    def certain(self, rows: np.ndarray) -> np.ndarray:
        """Which of the rows none of the others may beat: those that are chosen among them for all costs."""
        # A row that is chosen for all costs is chosen for some: those at which unknown ones are the largest.
        below = [np.searchsorted(np.sort(column), column[rows]) for column in self.high.T]
        keys = self._keys(np.array(below).T)
        first = np.lexsort(keys[::-1])[:1]
        tied = rows[(keys == keys[:, first]).all(axis=0)]
        found = [row for row in tied if not self._may_beat(rows[rows != row], row, or_tie=False).any()]
        return np.array(found, dtype=np.int64)

    def possible(self, rows: np.ndarray) -> np.ndarray:
        """Which of the rows the strongest of them do not beat in every case; the others are chosen for no costs."""
        _, highest = self.score_ends()
        strongest = rows[np.argsort(highest[rows], kind="stable")[:N_STRONGEST]]
        left = rows
        for other in strongest:
            left = left[(left == other) | self._may_beat(left, other, or_tie=True)]
        return left

    def _may_beat(self, rows: np.ndarray, other: int, *, or_tie: bool) -> np.ndarray:
        """Whether each of the rows is ahead of another one for some costs, or ties with it."""
        answers = np.zeros(len(rows), dtype=bool)
        size = max(1, _NUMBERS_AT_ONCE // self.low.shape[1])
        for start in range(0, len(rows), size):
            part = slice(start, start + size)
            answers[part] = self._may_beat_at_once(rows[part], other, or_tie)
        return answers

    def _may_beat_at_once(self, rows: np.ndarray, other: int, or_tie: bool) -> np.ndarray:
        # Unknown costs of others count against the other row: between the two, or where all of them lie before both.
        better = (self.low[rows] < self.high[other]) | (self.ends[1] < self.low[rows])
        own = self.at_best[rows]
        counts = self.at_worst[other] + np.where(better, self.others[other], 0)
        found = _is_ahead(self._keys(own), self._keys(counts), or_tie)
        if np.isinf(self.p):
            equal = self.low[rows] == self.high[other]
            free = equal & (self.ends[0] < self.high[other]) & ~(self.ends[1] < self.high[other])
            before = np.where(free, self.n_others[other] - self.unknown[rows], 0)
            if before.any():
                found |= _is_ahead(self._keys(own + before), self._keys(counts + before), or_tie)
        return found

    def _keys(self, counts: np.ndarray) -> np.ndarray:
        """What decides between rows, in this order, by counts of better rows: shape (3, m)."""
        norms = [tie_key(self._norm(counts, order)) for order in (self.p, 1.0)]
        return np.array([*norms, counts.sum(axis=1)])

    def _norm(self, counts: np.ndarray, p: float) -> np.ndarray:
        return weighted_norm(np.divide(counts, len(self.low)), self.weights, p)

    def _known_below(self, costs: np.ndarray) -> np.ndarray:
        return np.array(
            [
                np.searchsorted(np.sort(known[~unknown]), column)
                for known, unknown, column in zip(self.low.T, self.unknown.T, costs.T, strict=True)
            ]
        ).T


def _is_ahead(first: np.ndarray, second: np.ndarray, or_tie: bool) -> np.ndarray:
    """Whether the keys of the first are smaller, compared one after the other; shape (3, m) each."""
    ahead, level = np.zeros(first.shape[1], dtype=bool), np.ones(first.shape[1], dtype=bool)
    for one, other in zip(first, second, strict=True):
        ahead |= level & (one < other)
        level &= one == other
    return ahead | level if or_tie else ahead
