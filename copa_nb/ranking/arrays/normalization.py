"""Scales on which objectives are comparable, and scoring methods from the literature; 0 is best in each.

The rank transform is COPA's (paper, equation 9; see :mod:`copa_nb.ranking.arrays.ranks`); what is here is what it is
compared with: min-max and relative scaling, Borda's mean rank, TOPSIS, the weighted sum of ratios, and lexicographic
order. Libraries that offer the middle three do not fit: pymcdm loads matplotlib and warns whenever one alternative
dominates another, which is the rule in a table of models; scikit-criteria requires newer numpy and pandas than this
package does.

``NORMALIZATIONS`` and ``CRITERIA`` list them by name. Options, menus, error messages and docstrings are made from these
lists.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import TypeAlias

import numpy as np

from copa_nb.ranking.arrays.ranks import empirical_cdf


class DegenerateColumnError(ValueError):
    """A column cannot be put on a scale.

    Parameters
    ----------
    column : int
        Which column.
    reason : str
        What is wrong with it, and how to fix it.
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

    def __call__(self, values: np.ndarray) -> np.ndarray:
        """Map costs of shape (n, k)."""
        with np.errstate(over="ignore"):
            scaled: np.ndarray = (values - self.origin) / self.unit
        beyond = (np.isinf(scaled) & np.isfinite(values)).any(axis=0)
        _refuse(beyond, 'exceeds the range of a float once it is scaled; rescale it, or use normalize="cdf"')
        return scaled


def minmax_scale(population: np.ndarray) -> Scale:
    """(y - ideal) / (nadir - ideal), ideal and nadir taken over the population.

    Raises
    ------
    DegenerateColumnError
        For a constant or an infinite column.

    Examples
    --------
    >>> minmax_scale(np.array([[1.0], [3.0]]))(np.array([[2.0]]))
    array([[0.5]])
    """
    ideal, nadir = population.min(axis=0), population.max(axis=0)
    _require_finite(ideal, nadir, "minmax")
    _refuse(
        nadir == ideal,
        'has only one value, so its range is zero and min-max cannot scale it; leave it out, or use normalize="cdf"',
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
    >>> relative_scale(np.array([[2.0], [3.0]]))(np.array([[3.0]]))
    array([[0.5]])
    """
    origin = population.min(axis=0) if reference is None else reference
    _require_finite(origin, origin, "relative")
    what = "best value" if reference is None else "reference value"
    _refuse(
        origin == 0,
        f'has a {what} of zero, which rules out relative values; give another reference row, or use normalize="cdf"',
    )
    _range(population.max(axis=0), origin)
    return Scale(origin, np.abs(origin))


def ceiling_scale(population: np.ndarray, maximized: np.ndarray) -> Scale:
    """Leave costs as they are; turn scores to be maximized into shortfalls from their ceiling.

    A p-norm needs costs that are not negative. A score within [0, 1] becomes 1 - score and one within
    [0, 100] becomes 100 - score, as an accuracy becomes an error.

    Parameters
    ----------
    population : ndarray of float64, shape (n, k)
        Costs; scores to be maximized are negated.
    maximized : ndarray of bool, shape (k,)
        Which columns are scores.

    Raises
    ------
    DegenerateColumnError
        For a score without a known ceiling, or a negative cost.

    Examples
    --------
    >>> scale = ceiling_scale(np.array([[-0.9, 3.0], [-0.8, 1.0]]), np.array([True, False]))
    >>> scale(np.array([[-0.9, 3.0]])).round(3)
    array([[0.1, 3. ]])
    """
    low, high = population.min(axis=0), population.max(axis=0)
    _refuse(
        ~maximized & (low < 0), 'has negative costs, which normalize="none" cannot aggregate; shift it, or use "cdf"'
    )
    _refuse(
        maximized & ((high > 0) | (low < -100)),
        "is to be maximized and lies outside [0, 1] and [0, 100], so its best possible value is unknown to "
        'normalize="none"; turn it into a cost (e.g. best - value, direction "min"), or use "cdf"',
    )
    return Scale(np.where(maximized, np.where(low >= -1, -1.0, -100.0), 0.0), np.ones(len(low)))


def mean_rank(values: np.ndarray, population: np.ndarray) -> np.ndarray:
    """Place each row among the population, ties in the middle of their places (Borda's count, from 0).

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to place.
    population : ndarray of float64, shape (m, k)
        Costs to place them among.

    Returns
    -------
    ndarray of float64, shape (n, k)
        Share of the population that is better, plus half the share that is equal. Its weighted mean over the
        columns orders rows as Borda's count does.

    Examples
    --------
    >>> column = np.array([[1.0], [1.0], [2.0], [3.0]])
    >>> mean_rank(column, column)[:, 0]
    array([0.25 , 0.25 , 0.625, 0.875])
    """
    places = np.empty(values.shape)
    for k in range(values.shape[1]):
        ordered = np.sort(population[:, k])
        below = np.searchsorted(ordered, values[:, k], side="left")
        through = np.searchsorted(ordered, values[:, k], side="right")
        places[:, k] = (below + through) / 2.0 / len(ordered)
    return places


def lexicographic(values: np.ndarray, population: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Share of the population that comes first if the most important objective decides, and the next one breaks ties.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to score.
    population : ndarray of float64, shape (m, k)
        Costs of the rows that are counted.
    weights : ndarray of float64, shape (k,)
        The larger, the more important; objectives of equal weight are important in their order.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> costs = np.array([[2.0, 1.0], [1.0, 9.0], [1.0, 3.0]])
    >>> lexicographic(costs, costs, np.array([0.5, 0.5])).round(2)
    array([0.67, 0.33, 0.  ])
    """
    important = np.argsort(-weights, kind="stable")
    everyone = np.concatenate([population, values])[:, important]
    places = np.unique(everyone, axis=0, return_inverse=True)[1].ravel()
    before = np.searchsorted(np.sort(places[: len(population)]), places[len(population) :], side="left")
    shares: np.ndarray = before / len(population)
    return shares


def topsis(values: np.ndarray, population: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Distance to the ideal point, relative to the distances to the ideal and the worst point (TOPSIS).

    Columns are divided by their Euclidean norm and multiplied by their weights (Hwang and Yoon, 1981).

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to score.
    population : ndarray of float64, shape (m, k)
        Costs that norms, ideal and worst point are taken from.
    weights : ndarray of float64, shape (k,)
        Non-negative, summing to 1.

    Returns
    -------
    ndarray of float64, shape (n,)
        D+ / (D+ + D-): 0 for the ideal, 1 for the worst point (one minus TOPSIS' closeness).

    Raises
    ------
    DegenerateColumnError
        For an infinite column.

    Examples
    --------
    >>> costs = np.array([[-0.9, 9.0], [-0.85, 3.0], [-0.7, 2.0]])
    >>> topsis(costs, costs, np.array([0.5, 0.5])).round(4)
    array([0.837 , 0.1479, 0.163 ])
    """
    _refuse(~np.isfinite(population).all(axis=0), "has infinite values, which TOPSIS cannot scale")
    # Of values whose squares are more, or less, than a float can hold, too.
    largest = np.abs(population).max(axis=0)
    norms = largest * np.sqrt(((population / np.where(largest > 0, largest, 1.0)) ** 2).sum(axis=0))
    unit = np.divide(weights, norms, where=norms > 0, out=np.zeros(len(weights)))
    scaled, everyone = values * unit, population * unit
    to_ideal = np.sqrt(((scaled - everyone.min(axis=0)) ** 2).sum(axis=1))
    to_worst = np.sqrt(((scaled - everyone.max(axis=0)) ** 2).sum(axis=1))
    total = to_ideal + to_worst
    # Where everything is the same, nothing is nearer to the one than to the other.
    return np.divide(to_ideal, total, where=total > 0, out=np.full(len(total), 0.5))


def ratio_shortfalls(values: np.ndarray, population: np.ndarray, maximized: np.ndarray) -> np.ndarray:
    """Shortfall of each value from the best as a ratio: 1 - y / max, or 1 - min / y for costs.

    The weighted sum of y / max and min / y is simple additive weighting; its complement is a cost.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to score; scores to be maximized are negated.
    population : ndarray of float64, shape (m, k)
        Costs that the best values are taken from.
    maximized : ndarray of bool, shape (k,)
        Which columns are scores.

    Returns
    -------
    ndarray of float64, shape (n, k)

    Raises
    ------
    DegenerateColumnError
        For a column with values that are not positive and finite, for which ratios have no meaning.

    Examples
    --------
    >>> costs = np.array([[-0.9, 4.0], [-0.45, 2.0]])
    >>> ratio_shortfalls(costs, costs, np.array([True, False]))
    array([[0. , 0.5],
           [0.5, 0. ]])
    """
    own = np.abs(values)
    positive = np.where(maximized, population < 0, population > 0) & np.isfinite(population)
    own_positive = np.where(maximized, values < 0, values > 0) & np.isfinite(values)
    _refuse(
        ~(positive.all(axis=0) & own_positive.all(axis=0)),
        "has values that are not positive and finite, for which the weighted sum has no ratios; use "
        '"minmax", the weighted sum after min-max scaling',
    )
    best = np.abs(population.min(axis=0))
    return 1.0 - np.where(maximized, own / best, best / own)


Fit: TypeAlias = Callable[[np.ndarray, np.ndarray, np.ndarray | None], Callable[[np.ndarray], np.ndarray]]
Score: TypeAlias = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray]


@dataclass(frozen=True)
class Normalization:
    """A way to make objectives comparable.

    Parameters
    ----------
    name : str
        What ``normalize=`` takes.
    label : str
        What menus show.
    meaning : str
        What it computes, for docstrings.
    fit : callable
        Makes the scale from the costs of a population, shape (m, k), a mask of the objectives to be maximized, and the
        costs of a baseline row or None. For all but "cdf" it is a :class:`Scale`, taken from the smallest and the
        largest costs of the population only: tables in partitions know no more, and pages of explorers compute it.
    takes_row : bool
        Whether it can be relative to a baseline row.
    fixed : bool
        Whether a resample of the rows leaves the scale as it is.
    """

    name: str
    label: str
    meaning: str
    fit: Fit
    takes_row: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class NamedCriterion:
    """A criterion that ``compare`` knows by name; smaller scores are better.

    Parameters
    ----------
    name : str
        What `criteria` takes.
    meaning : str
        What it computes, for docstrings.
    scale : str
        The normalization whose weighted mean it is; empty: costs as they are.
    score : callable, optional
        Computes the scores from the costs of the rows and of the population, the weights, and a mask of the objectives
        to be maximized, where the criterion is no weighted mean on a scale.
    """

    name: str
    meaning: str
    scale: str = ""
    score: Score | None = None


NORMALIZATIONS = {
    one.name: one
    for one in (
        Normalization(
            "cdf",
            "ranks (COPA)",
            "share of the population that is strictly better (equation 9 of [1]_; ties share the lowest value)",
            lambda population, _maximized, _row: partial(empirical_cdf, population=population),
        ),
        Normalization(
            "minmax",
            "min-max",
            "(y - ideal) / (nadir - ideal)",
            lambda population, _maximized, _row: minmax_scale(population),
        ),
        Normalization(
            "relative",
            "relative to the best",
            "(y - ideal) / abs(ideal), or against the row named by `reference`",
            lambda population, _maximized, row: relative_scale(population, row),
            takes_row=True,
        ),
        Normalization(
            "none",
            "none",
            "costs as they are; a score to be maximized becomes its shortfall from 1 (if all values lie in [0, 1]) or "
            "from 100 (in [0, 100])",
            lambda population, maximized, _row: ceiling_scale(population, maximized),
            fixed=True,
        ),
    )
}
CRITERIA = {
    one.name: one
    for one in (
        NamedCriterion("mean", "weighted mean of the raw values, each counted so that smaller is better"),
        NamedCriterion(
            "relative",
            "mean of (y - ideal) / abs(ideal), or of the relative difference to the row named by `reference` (the Δ of "
            "multi-task learning)",
            scale="relative",
        ),
        NamedCriterion("minmax", "mean of the min-max scaled values", scale="minmax"),
        NamedCriterion(
            "borda",
            "mean rank, ties in the middle",
            score=lambda values, population, weights, _maximized: mean_rank(values, population) @ weights,
        ),
        NamedCriterion(
            "topsis",
            "distance to the ideal relative to that to the worst point",
            score=lambda values, population, weights, _maximized: topsis(values, population, weights),
        ),
        NamedCriterion(
            "weighted sum",
            "of value / best and best / cost (simple additive weighting)",
            score=lambda values, population, weights, maximized: (
                ratio_shortfalls(values, population, maximized) @ weights
            ),
        ),
        NamedCriterion(
            "lexicographic",
            "the objective with the largest weight decides, and the next breaks ties; among equal weights the first",
            score=lambda values, population, weights, _maximized: lexicographic(values, population, weights),
        ),
    )
}


def _range(nadir: np.ndarray, ideal: np.ndarray) -> np.ndarray:
    """Subtract, unless the difference is more than a float can hold."""
    with np.errstate(over="ignore"):
        difference: np.ndarray = nadir - ideal
    _refuse(~np.isfinite(difference), 'spans more than the range of a float; rescale it, or use normalize="cdf"')
    return difference


def _require_finite(first: np.ndarray, second: np.ndarray, how: str) -> None:
    _refuse(
        ~(np.isfinite(first) & np.isfinite(second)),
        f'has infinite values, which normalize="{how}" cannot scale; use normalize="cdf", which only needs their order',
    )


def _refuse(columns: np.ndarray, reason: str) -> None:
    """Raise for the first column of a mask."""
    if columns.any():
        raise DegenerateColumnError(int(columns.argmax()), reason)
