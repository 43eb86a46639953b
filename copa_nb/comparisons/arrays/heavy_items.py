"""Costs whose mean depends on a few items: one costs many times as much as most of them, or systems differ on few."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

# Exponential values, and differences of two, exceed this many medians once in 2**15: on fewer than 299 items in less
# than one of a hundred samples. What does has a heavier tail, and its largest value says little of the next one.
_HEAVY = 15.0


class HeaviestItem(NamedTuple):
    """How many times the median the largest cost is, and the largest difference between systems.

    Parameters
    ----------
    of_costs : float
        Of the system in which it is most; infinite if most of its costs are 0.
    of_differences : float
        Infinite if all systems cost the same on most items, and not on all.
    """

    of_costs: float
    of_differences: float

    @property
    def has_heavy_costs(self) -> bool:
        """Whether the mean cost of a system depends on a few items."""
        return self.of_costs > _HEAVY

    @property
    def has_heavy_differences(self) -> bool:
        """Whether differences between mean costs do."""
        return self.of_differences > _HEAVY


def heaviest_item(costs: np.ndarray) -> HeaviestItem:
    """Compare the largest costs, and differences between systems, with the median ones.

    Parameters
    ----------
    costs : ndarray, shape (n_items, n_repeats, n_systems)
        Not negative; NaN where missing.

    Examples
    --------
    >>> heaviest_item(np.array([[[1.0, 2.0]], [[2.0, 3.0]], [[60.0, 3.0]]]))
    HeaviestItem(of_costs=30.0, of_differences=57.0)
    """
    of_systems = costs.reshape(-1, costs.shape[2]).T
    ranges = np.fmax.reduce(costs, axis=(1, 2)) - np.fmin.reduce(costs, axis=(1, 2))
    return HeaviestItem(max(map(_times_the_median, of_systems)), _times_the_median(ranges))


def _times_the_median(values: np.ndarray) -> float:
    values = values[~np.isnan(values)]
    if not values.any():
        return 0.0
    median = float(np.median(values))
    return float(values.max() / median) if median > 0 else float("inf")
