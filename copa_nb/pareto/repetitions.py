"""Repetitions of single items: how much they vary, and whether the same ones vary alike on all items."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True, eq=False)
class Repetitions:
    """Repetitions of the items of several systems.

    Parameters
    ----------
    fewest, most : int
        Repetitions of an item by a system.
    mean : float
        Harmonic mean of their numbers.
    within : ndarray, shape (n_systems, k, k)
        Covariance of an item's mean that is due to repetitions, averaged over items; NaN where none is repeated.
    shared : float
        p-value of "repetitions with one number are not alike on different items"; NaN where they have no common
        numbers.
    """

    fewest: int
    most: int
    mean: float
    within: np.ndarray
    shared: float

    def describe(self) -> str:
        """How many repetitions there are, as in "with 3 repetitions each"."""
        if self.most == 1:
            return ""
        return f" with {self.fewest if self.fewest == self.most else f'{self.fewest} to {self.most}'} repetitions each"


def repetitions_of(
    deviations: np.ndarray, cells: np.ndarray, counts: np.ndarray, systems: np.ndarray, numbers: np.ndarray
) -> Repetitions:
    """Summarize how rows deviate from the means of their cells.

    Parameters
    ----------
    deviations : ndarray, shape (n_rows, k)
        Values less the mean of their cell.
    cells : ndarray of int, shape (n_rows,)
        Number of the cell of each row: one system on one item.
    counts : ndarray of int, shape (n_cells,)
        Rows of each cell.
    systems : ndarray of int, shape (n_cells,)
        Number of each cell's system.
    numbers : ndarray of int, shape (n_rows,)
        Number of each row's repetition.

    Examples
    --------
    >>> rows = np.array([[-1.0], [1.0], [2.0], [-2.0]])
    >>> found = repetitions_of(rows, np.array([0, 0, 1, 1]), np.array([2, 2]), np.array([0, 1]), np.array([0, 1, 0, 1]))
    >>> found.within.ravel(), found.mean
    (array([1., 4.]), 2.0)
    """
    n_systems, k = int(systems.max()) + 1, deviations.shape[1]
    repeated = counts > 1
    # A row's part of the variance of its cell's mean.
    weights = (repeated / np.maximum(counts * (counts - 1), 1))[cells]
    within = np.full((n_systems, k, k), np.nan)
    for system in range(n_systems):
        n_cells = int((repeated & (systems == system)).sum())
        if n_cells:
            rows = (systems == system)[cells]
            part = deviations[rows]
            within[system] = (part * weights[rows, None]).T @ part / n_cells
    return Repetitions(
        fewest=int(counts.min()), most=int(counts.max()), mean=float(len(counts) / (1 / counts).sum()), within=within,
        shared=_alike(deviations, cells, counts, systems, numbers),
    )  # fmt: skip


def _alike(
    deviations: np.ndarray, cells: np.ndarray, counts: np.ndarray, systems: np.ndarray, numbers: np.ndarray
) -> float:
    """F-tests of the effect of a repetition on all items of a system, adjusted for their number; complete tables."""
    n_repeats = int(numbers.max()) + 1
    n_systems, k = int(systems.max()) + 1, deviations.shape[1]
    n_items = len(counts) // n_systems
    if n_repeats == 1 or n_items < 2 or (counts != n_repeats).any() or len(counts) != n_items * n_systems:
        return float("nan")
    from scipy.special import fdtrc

    smallest = 1.0
    free, left = n_repeats - 1, (n_repeats - 1) * (n_items - 1)
    for system in range(n_systems):
        rows = (systems == system)[cells]
        for column in deviations[rows].T:
            between = n_items * ((np.bincount(numbers[rows], column) / n_items) ** 2).sum()
            within = (column**2).sum() - between
            if within > 0:
                smallest = min(smallest, float(fdtrc(free, left, between / free / (within / left))))
    return min(1.0, smallest * n_systems * k)
