"""Hypervolumes of fronts on validation and on test, and their reference point in words."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import replace

import numpy as np

from copa_nb import text
from copa_nb.pareto.arrays.hypervolume import HypervolumeValue, hypervolume, refuse_infinite


def front_volumes(
    validation: np.ndarray, test: np.ndarray, optimistic: np.ndarray, pessimistic: np.ndarray, point: np.ndarray
) -> tuple[HypervolumeValue, HypervolumeValue, HypervolumeValue]:
    """Hypervolumes of a validation front: on validation, and the pessimistic and optimistic ones on test."""
    return front_hypervolume(validation, point), *volumes_on_test(test, optimistic, pessimistic, point)


def volumes_on_test(
    test: np.ndarray, optimistic: np.ndarray, pessimistic: np.ndarray, point: np.ndarray
) -> tuple[HypervolumeValue, HypervolumeValue]:
    """Pessimistic and optimistic hypervolume on test."""
    low = front_hypervolume(test[pessimistic], point)
    high = low if np.array_equal(optimistic, pessimistic) else front_hypervolume(test[optimistic], point)
    # The optimistic front covers the pessimistic one, so its volume is no smaller; rounding or an approximation must
    # not say otherwise.
    return low, replace(high, value=max(high.value, low.value))


def front_hypervolume(costs: np.ndarray, point: np.ndarray) -> HypervolumeValue:
    """Hypervolume of costs; a row that is infinitely good inside the reference point is refused."""
    refuse_infinite(costs, point)
    return hypervolume(costs, point)


def point_text(point: dict[Hashable, float]) -> str:
    """A reference point in words: "precision = 0, recall = 0"."""
    return ", ".join(f"{text.spoken(name)} = {text.number(value, 3)}" for name, value in point.items())
