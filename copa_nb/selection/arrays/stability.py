"""How sure ranks and choices are, when the population is a sample.

The rank û of a row is a share of the population, so that it has the standard error of a share (COPA,
Proposition 3.1). A bootstrap over the population shows what that does to the choice: under a resample with
multiplicities c, û_i = Σ {c_j : y_j < y_i} / N, so one sort per objective serves every resample.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from copa_nb.selection.arrays.criterion import winner_of_each
from copa_nb.selection.arrays.ranks import strictly_better

# Multiplicities held at a time: bounds the memory, and leaves the random numbers as they are.
_CHUNK_ELEMENTS = 4_000_000


def rank_standard_errors(ranks: np.ndarray, population_size: int) -> np.ndarray:
    """Standard error of estimated ranks: sqrt(û (1 - û) / N), at most 0.5 / sqrt(N) at the median.

    Parameters
    ----------
    ranks : ndarray of float64
        Estimated shares û in [0, 1], any shape.
    population_size : int
        Rows that the shares were taken over.

    Returns
    -------
    ndarray of float64, of the same shape

    Examples
    --------
    >>> rank_standard_errors(np.array([0.0, 0.5]), 100)
    array([0.  , 0.05])
    """
    errors: np.ndarray = np.sqrt(ranks * (1.0 - ranks) / population_size)
    return errors


def multiplicities(n: int, n_resamples: int, rng: np.random.Generator, *, elements: int = 1) -> Iterator[np.ndarray]:
    """Draw how often each of n rows is in each bootstrap resample, in chunks of shape (b, n).

    `elements` are the numbers that the caller will hold per resample.
    """
    rows = max(1, _CHUNK_ELEMENTS // max(n, elements))
    shares = np.full(n, 1.0 / n)
    for start in range(0, n_resamples, rows):
        yield rng.multinomial(n, shares, size=min(rows, n_resamples - start))


class ResampledRanks:
    """Ranks of some rows within resamples of a population.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows to place.
    population : ndarray of float64, shape (n, k)
        Costs of the population.

    Examples
    --------
    >>> column = np.array([[1.0], [2.0], [3.0]])
    >>> ResampledRanks(column, column).under(np.array([[3, 0, 0]]))[0, :, 0]
    array([0., 1., 1.])
    """

    def __init__(self, values: np.ndarray, population: np.ndarray) -> None:
        self._orders = np.argsort(population, axis=0)
        # The rows that are strictly better come first in the order, so a cumulative sum counts them.
        self._better = strictly_better(values, population)

    def under(self, counts: np.ndarray) -> np.ndarray:
        """Ranks under multiplicities of shape (b, n): ndarray of float64, shape (b, m, k)."""
        resamples, n = counts.shape
        ranks = np.empty((resamples, *self._better.shape))
        cumulated = np.zeros((resamples, n + 1), dtype=np.int64)
        for k in range(self._better.shape[1]):
            np.cumsum(counts[:, self._orders[:, k]], axis=1, out=cumulated[:, 1:])
            ranks[:, :, k] = cumulated[:, self._better[:, k]]
        total: np.ndarray = ranks / counts.sum(axis=1)[:, None, None]
        return total


def bootstrap_population(
    values: np.ndarray,
    population: np.ndarray,
    weights: np.ndarray,
    p: float,
    rank_sums: np.ndarray,
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose among the same rows again and again, with ranks over resamples of the population.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows that may be chosen.
    population : ndarray of float64, shape (n, k)
        Costs of the population.
    weights, p, rank_sums
        As in :func:`copa_nb.selection.arrays.criterion.winners`.
    n_resamples : int
        How many.
    rng : Generator
        Source of the resamples.

    Returns
    -------
    chosen : ndarray of int64, shape (n_resamples,)
        Position in `values` of the row chosen under each resample.
    means, deviations : ndarray of float64, shape (m, k)
        Mean and standard deviation of every rank over the resamples.
    """
    placed = ResampledRanks(values, population)
    chosen = []
    sums, squares = np.zeros(values.shape), np.zeros(values.shape)
    for counts in multiplicities(len(population), n_resamples, rng, elements=values.size):
        ranks = placed.under(counts)
        sums += ranks.sum(axis=0)
        squares += (ranks**2).sum(axis=0)
        chosen.append(winner_of_each(ranks, weights, p, rank_sums))
    means = sums / n_resamples
    return np.concatenate(chosen), means, np.sqrt(np.maximum(squares / n_resamples - means**2, 0.0))


class ResampledMeans:
    """Means of the runs of every model, with the runs of each model drawn with replacement.

    Parameters
    ----------
    values : ndarray of float64, shape (n_runs, k)
        Costs of the runs.
    model : ndarray of int64, shape (n_runs,)
        Number of the model that each run is of: 0 to m - 1, each at least once.
    seed : ndarray of int64, shape (n_runs,), optional
        Number of the seed of each run. If given, all models share the draws of seeds, which keeps what the
        runs of one seed have in common (the split of the data); every model needs every seed once.

    Examples
    --------
    >>> means = ResampledMeans(np.array([[1.0], [1.0], [4.0]]), np.array([0, 0, 1]))
    >>> means.draw(np.random.default_rng(0))
    array([[1.],
           [4.]])
    """

    def __init__(self, values: np.ndarray, model: np.ndarray, seed: np.ndarray | None = None) -> None:
        order = np.lexsort((model,) if seed is None else (seed, model))
        self._values = values[order]
        self._sizes = np.bincount(model)
        self._starts = np.concatenate(([0], np.cumsum(self._sizes)[:-1]))
        self._paired = seed is not None
        if self._paired and (self._sizes != self._sizes[0]).any():
            raise ValueError("paired seeds need every model to have every seed once.")

    @property
    def observed(self) -> np.ndarray:
        """Means of all runs: ndarray of float64, shape (m, k)."""
        return self._means(self._values)

    def draw(self, rng: np.random.Generator) -> np.ndarray:
        """Means of one resample: ndarray of float64, shape (m, k)."""
        if self._paired:
            n_seeds = int(self._sizes[0])
            taken = (self._starts[:, None] + rng.integers(n_seeds, size=n_seeds)).ravel()
        else:
            sizes = np.repeat(self._sizes, self._sizes)
            taken = np.repeat(self._starts, self._sizes) + rng.integers(sizes)
        return self._means(self._values[taken])

    def _means(self, values: np.ndarray) -> np.ndarray:
        means: np.ndarray = np.add.reduceat(values, self._starts, axis=0) / self._sizes[:, None]
        return means
