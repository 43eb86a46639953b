"""Ranking methods that people use beside COPA: Borda's mean rank, TOPSIS, and the weighted sum of ratios.

A few lines of numpy each. The libraries that offer them do not fit here: pymcdm loads matplotlib and warns
whenever one alternative dominates another, which is the rule in a table of models; scikit-criteria asks for
newer numpy and pandas than this package does.
"""

from __future__ import annotations

import numpy as np

from copa_nb.selection.arrays.normalization import DegenerateColumnError


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
    for column in np.flatnonzero(~np.isfinite(population).all(axis=0)):
        raise DegenerateColumnError(int(column), "holds infinite values, which TOPSIS cannot scale")
    norms = np.sqrt((population**2).sum(axis=0))
    unit = np.divide(weights, norms, where=norms > 0, out=np.zeros(len(weights)))
    scaled, everyone = values * unit, population * unit
    to_ideal = np.sqrt(((scaled - everyone.min(axis=0)) ** 2).sum(axis=1))
    to_worst = np.sqrt(((scaled - everyone.max(axis=0)) ** 2).sum(axis=1))
    total = to_ideal + to_worst
    # Where everything is the same, nothing is nearer to the one than to the other.
    return np.divide(to_ideal, total, where=total > 0, out=np.full(len(total), 0.5))


def ratio_shortfalls(values: np.ndarray, population: np.ndarray, maximised: np.ndarray) -> np.ndarray:
    """Shortfall of each value from the best as a ratio: 1 - y / max, or 1 - min / y for costs.

    The weighted sum of y / max and min / y is simple additive weighting; its complement is a cost.

    Parameters
    ----------
    values : ndarray of float64, shape (n, k)
        Costs of the rows to score; scores to be maximised are negated.
    population : ndarray of float64, shape (m, k)
        Costs that the best values are taken from.
    maximised : ndarray of bool, shape (k,)
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
    positive = np.where(maximised, population < 0, population > 0) & np.isfinite(population)
    own_positive = np.where(maximised, values < 0, values > 0) & np.isfinite(values)
    for column in np.flatnonzero(~(positive.all(axis=0) & own_positive.all(axis=0))):
        raise DegenerateColumnError(
            int(column),
            "holds values that are not positive and finite, whose ratios the weighted sum cannot take; "
            'use "minmax", the weighted sum after min-max scaling',
        )
    best = np.abs(population.min(axis=0))
    return 1.0 - np.where(maximised, own / best, best / own)
