"""Copies of items: rows that are equal more often than by chance."""

from __future__ import annotations

import numpy as np

# Least share of copies, fewest different rows, and the chance at which equal sizes of groups are no coincidence.
_LEAST_SHARE, _FEWEST_ROWS, _CHANCE = 0.5, 10, 0.02


def copies(scores: np.ndarray) -> int:
    """Count the rows that equal another row; 0 where chance explains it.

    Right and wrong answers of few systems are often equal. Rows count as copies in two cases. Every group of equal rows
    may have a size that is a multiple of the same number, as where every item is there three times; or half of the rows
    in which systems differ have an equal, although the values of a single system are too different for that.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems)
        Rows with missing values are left out.

    Examples
    --------
    >>> rng = np.random.default_rng(0)
    >>> copies(np.tile(rng.random((20, 2)), (3, 1))), copies(rng.integers(0, 2, size=(60, 2)).astype(float))
    (60, 0)
    """
    rows = scores[~np.isnan(scores).any(axis=1)]
    if len(rows) < 2:
        return 0
    different, counts = np.unique(rows, axis=0, return_counts=True)
    if len(different) == 1:  # values of systems, such as prices, and not of items
        return 0
    n_copies = int(counts[counts > 1].sum())
    common = int(np.gcd.reduce(counts))
    if common > 1 and float(common) ** -len(counts) <= _CHANCE:
        return n_copies
    telling = np.ptp(different, axis=1) > 0
    n_telling, twins = int(counts[telling].sum()), int(counts[telling & (counts > 1)].sum())
    n_values = max(len(np.unique(column)) for column in different[telling].T) if telling.any() else 0
    many_values = n_values >= telling.sum() / 2 and telling.sum() >= _FEWEST_ROWS
    return n_copies if many_values and twins >= _LEAST_SHARE * n_telling else 0
