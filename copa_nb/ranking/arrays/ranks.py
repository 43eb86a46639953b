"""Ranks as an empirical cumulative distribution: what makes objectives comparable in COPA.

û_i = #{j : y_j < y_i} / N (paper, equation 9), with strict "<": ties share the lowest value, the best
row is 0 and the worst distinct value is at most (N - 1) / N.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from copa_nb.arrays.parallel import in_threads
from copa_nb.arrays.sorting import column_ranks

# Below this many rows, searching the sorted column takes half the time of ranking it.
_ROWS_WORTH_RANKING = 500
# From this many rows on, searches that follow each other in ascending order pay for sorting them.
_ROWS_WORTH_SORTING = 10_000
# Below this many rows to place, comparing each with the whole column beats sorting the column.
_FEW = 8


def empirical_cdf(values: np.ndarray, population: np.ndarray | None = None) -> np.ndarray:
    """Share of the population that is strictly better, per row and objective.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to place.
    population : ndarray of float64, shape (m, k), optional
        Costs of the rows that the shares are taken over; `values` itself if omitted.

    Returns
    -------
    ndarray of float64, shape (n, k)
        û in [0, 1]; 0 is best. 1 is reached only by rows that are worse than the whole population.

    Examples
    --------
    >>> empirical_cdf(np.array([[3.0], [1.0], [1.0], [2.0]]))[:, 0]
    array([0.75, 0.  , 0.  , 0.5 ])
    >>> empirical_cdf(np.array([[5.0]]), population=np.array([[1.0], [2.0]]))
    array([[1.]])
    """
    return np.asarray(shares_and_rank_sums(values, population)[0])


@dataclass(frozen=True, eq=False)
class RankShares:
    """Shares of a population, kept as counts: half the memory, and divided where they are read.

    Reads like an array of shape (n, k): `len`, `shape`, `size`, indexing and ``np.asarray`` give what
    :func:`empirical_cdf` gives.

    Parameters
    ----------
    counts : ndarray of int32 or int64, shape (k, n)
        Strictly better rows of the population, one objective after the other.
    population_size : int
        Rows of the population.

    Examples
    --------
    >>> shares = RankShares(np.array([[3, 0, 0, 2]]), population_size=4)
    >>> shares[:, 0]
    array([0.75, 0.  , 0.  , 0.5 ])
    """

    counts: np.ndarray
    population_size: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and objectives."""
        n_objectives, n_rows = self.counts.shape
        return n_rows, n_objectives

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return self.counts.size

    def __len__(self) -> int:
        return self.counts.shape[1]

    def __getitem__(self, key: Any) -> np.ndarray:
        shares: np.ndarray = np.divide(self.counts.T[key], self.population_size)
        return shares

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return self[:] if dtype is None else self[:].astype(dtype)

    def taken(self, rows: np.ndarray, k: int) -> np.ndarray:
        """Shares of some rows in one objective; faster than indexing."""
        shares: np.ndarray = np.divide(self.counts[k].take(rows), self.population_size)
        return shares


# Costs on a common scale, of shape (n, k).
Placed: TypeAlias = np.ndarray | RankShares


def shares_and_rank_sums(values: np.ndarray, population: np.ndarray | None = None) -> tuple[RankShares, np.ndarray]:
    """Shares as :func:`empirical_cdf` gives them, and each row's sum of counts, from one pass of counting.

    Returns
    -------
    shares : RankShares of shape (n, k)
        Divided where they are read.
    sums : ndarray of int64, shape (n,)
        Strictly better rows, summed over objectives.
    """
    population = values if population is None else population
    counts = np.empty(values.shape[::-1], dtype=np.int32 if len(population) < 2**31 else np.int64)

    def count(k: int) -> None:
        counts[k] = _column_counts(values, population, k)

    in_threads(count, range(values.shape[1]), population.size)
    return RankShares(counts, len(population)), counts.sum(axis=0, dtype=np.int64)


def rank_sums(values: np.ndarray, population: np.ndarray | None = None) -> np.ndarray:
    """Strictly better rows of the population, summed over objectives: ndarray of int64, shape (n,)."""
    return shares_and_rank_sums(values, population)[1]


def strictly_better(values: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Count, per row and objective, the rows of the population with a smaller cost.

    Returns
    -------
    ndarray of int64, shape (n, k)
    """
    return np.array(shares_and_rank_sums(values, population)[0].counts.T, dtype=np.int64, order="C")


def better_in_piece(values: np.ndarray, piece: np.ndarray) -> np.ndarray:
    """Count the rows of one piece of a population that are strictly better, per row and objective.

    Counts over pieces add up to the count over the whole, so placing a few rows in a population of any size needs
    one piece in memory at a time.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows to place.
    piece : ndarray of float64, shape (n, k)
        Costs of one piece of the population; may be empty.

    Returns
    -------
    ndarray of int64, shape (m, k)

    Examples
    --------
    >>> better_in_piece(np.array([[2.0], [5.0]]), np.array([[1.0], [2.0], [3.0]]))
    array([[1],
           [3]])
    """
    if len(values) < _FEW:
        return np.array([(piece < row).sum(axis=0) for row in values], dtype=np.int64).reshape(values.shape)
    return strictly_better(values, piece)


def _column_counts(values: np.ndarray, population: np.ndarray, k: int) -> np.ndarray:
    column = np.ascontiguousarray(values[:, k])
    if population is values and len(column) >= _ROWS_WORTH_RANKING:
        return column_ranks(column)
    ordered = np.sort(population[:, k])
    if len(column) < _ROWS_WORTH_SORTING:
        return np.searchsorted(ordered, column, side="left")
    # Searches that follow each other stay in the processor's cache.
    order = np.argsort(column)
    places = np.empty(len(column), dtype=np.int64)
    places[order] = np.searchsorted(ordered, column[order], side="left")
    return places
