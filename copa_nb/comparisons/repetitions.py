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
    of_numbers : ndarray, shape (n_systems, k)
        Variance of the means over all items that is due to what repetitions with one number have in common, such as
        the seed of a training; 0 where none of the numbers recurs.
    freedom : float
        Degrees of freedom of these variances, which all systems are taken to have alike; 0 where none recurs.
    """

    fewest: int
    most: int
    mean: float
    within: np.ndarray
    of_numbers: np.ndarray
    freedom: float

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
    of_numbers, freedom = variance_of_numbers(deviations, cells, counts, systems, numbers)
    return Repetitions(
        fewest=int(counts.min()), most=int(counts.max()), mean=float(len(counts) / (1 / counts).sum()), within=within,
        of_numbers=of_numbers, freedom=freedom,
    )  # fmt: skip


def variance_of_numbers(
    deviations: np.ndarray, cells: np.ndarray, counts: np.ndarray, systems: np.ndarray, numbers: np.ndarray
) -> tuple[np.ndarray, float]:
    """Variance of means over all items that is due to what repetitions with one number have in common.

    The mean square between numbers, less that within them, as in an analysis of variance. A system has that of all
    systems together, or its own if it is larger: few repetitions often agree by chance.

    Parameters
    ----------
    deviations, cells, counts, systems, numbers
        As of :func:`repetitions_of`.

    Returns
    -------
    variances : ndarray, shape (n_systems, k)
    freedom : float
        Degrees of freedom between numbers, of all systems; 0 if no number is under two items.

    Examples
    --------
    >>> rows = np.array([[-1.0], [1.0], [-3.0], [3.0]])  # two items with the repetitions 0 and 1
    >>> cells, systems = np.array([0, 0, 1, 1]), np.array([0, 0])
    >>> variance_of_numbers(rows, cells, np.array([2, 2]), systems, np.array([0, 1, 0, 1]))
    (array([[3.]]), 1.0)
    """
    n_systems, k = int(systems.max()) + 1, deviations.shape[1]
    between, within, scale = np.zeros((n_systems, k)), np.zeros(k), np.zeros(n_systems)
    free, left = np.zeros(n_systems), 0.0
    for system in range(n_systems):
        rows = (systems == system)[cells] & (counts > 1)[cells]
        part, found = deviations[rows], numbers[rows]
        of_number = np.bincount(found)
        there = of_number > 0
        if len(found) == 0 or of_number.max() == 1:
            continue
        means = np.array([np.bincount(found, column)[there] for column in part.T]).T / of_number[there, None]
        squares = (of_number[there, None] * means**2).sum(axis=0)
        free[system] = there.sum() - 1
        between[system] = squares / free[system]
        within += (part**2).sum(axis=0) - squares
        left += len(found) - len(np.unique(cells[rows])) - free[system]
        # The share of each number in the mean over all items.
        shares = np.bincount(numbers, (1 / counts)[cells] * (systems == system)[cells]) / (systems == system).sum()
        scale[system] = (shares**2).sum() / of_number[there].mean()
    if not free.any():
        return np.zeros((n_systems, k)), 0.0
    pooled = (free[:, None] * between).sum(axis=0) / free.sum()
    excess = np.maximum(pooled, between) - within / max(left, 1.0)
    return np.maximum(excess, 0.0) * scale[:, None], float(free.sum())
