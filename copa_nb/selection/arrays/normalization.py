"""Ways of putting objectives on a common scale; 0 is best in each.

The rank transform is COPA's (paper, equation 6); the others are what it is compared with.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from copa_nb.selection.arrays.ranks import empirical_cdf


class DegenerateColumnError(ValueError):
    """A column cannot be put on the scale asked for.

    Parameters
    ----------
    column : int
        Which column.
    reason : str
        What is wrong with it, and what would help.
    """

    def __init__(self, column: int, reason: str) -> None:
        super().__init__(reason)
        self.column = column
        self.reason = reason


@dataclass(frozen=True)
class Scale:
    """An affine map (y - origin) / unit per objective, taken from a population.

    Parameters
    ----------
    origin, unit : ndarray of float64, shape (k,)
        Costs that map to 0, and what counts as one step.
    """

    origin: np.ndarray
    unit: np.ndarray

    def apply(self, values: np.ndarray) -> np.ndarray:
        """Map costs of shape (n, k)."""
        scaled: np.ndarray = (values - self.origin) / self.unit
        return scaled


def cdf(values: np.ndarray, population: np.ndarray | None = None) -> np.ndarray:
    """Ranks as shares of the population that is strictly better (COPA)."""
    return empirical_cdf(values, population)


def minmax_scale(population: np.ndarray) -> Scale:
    """(y - ideal) / (nadir - ideal), ideal and nadir taken over the population.

    Raises
    ------
    DegenerateColumnError
        For a constant or an infinite column.

    Examples
    --------
    >>> minmax_scale(np.array([[1.0], [3.0]])).apply(np.array([[2.0]]))
    array([[0.5]])
    """
    ideal, nadir = population.min(axis=0), population.max(axis=0)
    _require_finite(ideal, nadir, "minmax")
    for column in np.flatnonzero(nadir == ideal):
        raise DegenerateColumnError(
            int(column),
            "has one value only, so that its range is zero and min-max cannot scale it; leave it "
            'out, or use normalize="cdf"',
        )
    return Scale(ideal, _range(nadir, ideal))


def relative_scale(population: np.ndarray, reference: np.ndarray | None = None) -> Scale:
    """(y - reference) / |reference|, against a reference row or else the ideal point.

    Raises
    ------
    DegenerateColumnError
        Where the reference value is zero or infinite.

    Examples
    --------
    >>> relative_scale(np.array([[2.0], [3.0]])).apply(np.array([[3.0]]))
    array([[0.5]])
    """
    origin = population.min(axis=0) if reference is None else reference
    _require_finite(origin, origin, "relative")
    for column in np.flatnonzero(origin == 0):
        what = "best value" if reference is None else "reference value"
        raise DegenerateColumnError(
            int(column),
            f"has a {what} of zero, which nothing can be relative to; give another reference row, "
            'or use normalize="cdf"',
        )
    _range(population.max(axis=0), origin)
    return Scale(origin, np.abs(origin))


def ceiling_scale(population: np.ndarray, maximised: np.ndarray) -> Scale:
    """Leave costs as they are; turn scores to be maximised into shortfalls from their ceiling.

    A p-norm needs costs that are not negative. A score within [0, 1] becomes 1 - score and one within
    [0, 100] becomes 100 - score, as one turns an accuracy into an error.

    Parameters
    ----------
    population : ndarray of float64, shape (n, k)
        Costs; scores to be maximised are negated.
    maximised : ndarray of bool, shape (k,)
        Which columns are scores.

    Raises
    ------
    DegenerateColumnError
        For a score without a known ceiling, or a negative cost.

    Examples
    --------
    >>> scale = ceiling_scale(np.array([[-0.9, 3.0], [-0.8, 1.0]]), np.array([True, False]))
    >>> scale.apply(np.array([[-0.9, 3.0]])).round(3)
    array([[0.1, 3. ]])
    """
    origin = np.zeros(population.shape[1])
    low, high = population.min(axis=0), population.max(axis=0)
    for column in range(population.shape[1]):
        if not maximised[column] and low[column] < 0:
            raise DegenerateColumnError(
                column,
                'holds negative costs, which normalize="none" cannot aggregate; shift it, or use "cdf"',
            )
        if maximised[column]:
            if high[column] > 0 or low[column] < -100:
                raise DegenerateColumnError(
                    column,
                    'is to be maximised and lies outside [0, 1] and [0, 100], so that normalize="none" '
                    "does not know what would be perfect; turn it into a cost (e.g. best - value, direction "
                    '"min"), or use "cdf"',
                )
            origin[column] = -1.0 if low[column] >= -1 else -100.0
    return Scale(origin, np.ones(population.shape[1]))


def _range(nadir: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """Subtract, unless the difference is more than a float can hold."""
    with np.errstate(over="ignore"):
        difference: np.ndarray = nadir - ideal
    for column in np.flatnonzero(~np.isfinite(difference)):
        raise DegenerateColumnError(int(column), 'spans more than a float can hold; rescale it, or use normalize="cdf"')
    return difference


def _require_finite(first: np.ndarray, second: np.ndarray, how: str) -> None:
    for column in np.flatnonzero(~(np.isfinite(first) & np.isfinite(second))):
        raise DegenerateColumnError(
            int(column),
            f'holds infinite values, which normalize="{how}" cannot scale; use normalize="cdf", '
            "which only needs their order",
        )
