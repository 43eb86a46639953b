"""Repetitions of single items: how many there are, and how much they vary."""

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
    """

    fewest: int
    most: int
    mean: float
    within: np.ndarray

    def describe(self) -> str:
        """How many repetitions there are, as in "with 3 repetitions each"."""
        if self.most == 1:
            return ""
        return f" with {self.fewest if self.fewest == self.most else f'{self.fewest} to {self.most}'} repetitions each"


def repetitions_of(deviations: np.ndarray, cells: np.ndarray, counts: np.ndarray, systems: np.ndarray) -> Repetitions:
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

    Examples
    --------
    >>> rows = np.array([[-1.0], [1.0], [2.0], [-2.0]])
    >>> found = repetitions_of(rows, np.array([0, 0, 1, 1]), np.array([2, 2]), np.array([0, 1]))
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
        fewest=int(counts.min()), most=int(counts.max()), mean=float(len(counts) / (1 / counts).sum()), within=within
    )  # fmt: skip
