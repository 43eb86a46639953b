"""Precision of ranks and stability of choices when the population is a sample.

The rank û of a row is a share of the population. Of a row in the table it is an order statistic: if r - 1 of the other
N - 1 rows are better, the true rank has the distribution Beta(r, N - r + 1), whatever the distribution of the values.
Of a row outside, û N is binomial (COPA, Proposition 3.1). A bootstrap over the population shows what that does to the
choice: under a resample with multiplicities c, û_i = Σ {c_j : y_j < y_i} / N, so one sort per objective serves every
resample.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np

from copa_nb.ranking.arrays.criterion import winner_of_each
from copa_nb.ranking.arrays.ranks import strictly_better

# Multiplicities held at a time: bounds the memory, and leaves the random numbers as they are.
_CHUNK_ELEMENTS = 4_000_000


def rank_standard_errors(ranks: np.ndarray, population_size: int) -> np.ndarray:
    """Standard error of the rank of a given value, as Proposition 3.1 has it: sqrt(û (1 - û) / N).

    It is 0 where û is 0 or 1, so that û ± 1.96 of it is no interval there: see :func:`rank_interval`.

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


def order_statistic_errors(better: np.ndarray, n_others: int) -> np.ndarray:
    """Standard deviation of the true rank of rows, from the number of better ones among the others; never 0.

    Parameters
    ----------
    better : ndarray of int64
        Strictly better rows among the others, any shape.
    n_others : int
        Other rows: N - 1 for a row in a population of N, N for one that is not.

    Returns
    -------
    ndarray of float64, of the same shape
        Of Beta(better + 1, n_others - better + 1).

    Examples
    --------
    >>> order_statistic_errors(np.array([0, 2, 4]), 4).round(3)
    array([0.141, 0.189, 0.141])
    """
    errors: np.ndarray = np.sqrt((better + 1.0) * (n_others - better + 1.0) / (n_others + 3.0)) / (n_others + 2.0)
    return errors


def rank_interval(
    better: np.ndarray, population_size: int, confidence_level: float, *, tied: np.ndarray | None = None
) -> tuple[np.ndarray, np.ndarray]:
    """Bound true ranks by exact intervals, each with the given confidence level by itself.

    Parameters
    ----------
    better : ndarray of int64
        Strictly better rows of the population, any shape.
    population_size : int
        Rows of the population.
    confidence_level : float
        Share of intervals that hold the true rank.
    tied : ndarray of bool, optional
        For rows of the population itself: whether their objective takes values more than once, so that ranks are not
        those of continuous values. Omitted for rows outside the population.

    Returns
    -------
    low, high : ndarray of float64
        Quantiles of Beta(better + 1, N - better), the order statistic, for a row of the population. The true rank of
        values that tie lies between this order statistic and the one before, so that the lower end is that of
        Beta(better, N - better + 1) then: this is conservative. Outside the population, the exact binomial interval of
        Clopper and Pearson (1934), conservative too.

    Examples
    --------
    >>> low, high = rank_interval(np.array([0, 4]), 5, 0.95, tied=np.array([False, False]))
    >>> low.round(3), high.round(3)
    (array([0.005, 0.478]), array([0.522, 0.995]))
    """
    from scipy.special import betaincinv

    tail, n = (1.0 - confidence_level) / 2.0, population_size
    below = np.maximum(better, 1)
    low = np.where(better > 0, betaincinv(below, n - below + 1, tail), 0.0)
    if tied is None:
        missed = np.maximum(n - better, 1)
        return low, np.where(better < n, betaincinv(better + 1, missed, 1.0 - tail), 1.0)
    low = np.where(tied, low, betaincinv(better + 1, n - better, tail))
    return low, betaincinv(better + 1, n - better, 1.0 - tail)


def band_half_width(population_size: int, confidence_level: float) -> float:
    """Half the width of the band that holds the true ranks of all rows in one objective at once.

    The inequality of Dvoretzky, Kiefer and Wolfowitz (1956) with the constant of Massart (1990):
    sqrt(log(2 / (1 - confidence_level)) / (2 N)).

    Examples
    --------
    >>> round(band_half_width(100, 0.95), 3)
    0.136
    """
    return float(np.sqrt(np.log(2.0 / (1.0 - confidence_level)) / (2.0 * population_size)))


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
    *,
    n_resamples: int,
    rng: np.random.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Choose among the same rows again and again, with ranks over resamples of the population.

    Ties are broken by the sum of ranks within the same resample: the full table would favor its own choice. Rows that
    tie within a resample are chosen in turn.

    Parameters
    ----------
    values : ndarray of float64, shape (m, k)
        Costs of the rows that may be chosen.
    population : ndarray of float64, shape (n, k)
        Costs of the population.
    weights, p
        As in :func:`copa_nb.ranking.arrays.criterion.winners`.
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
        resample_sums = np.rint(ranks.sum(axis=2) * len(population)).astype(np.int64)
        chosen.append(winner_of_each(ranks, weights, p, resample_sums, in_turn=True))
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
        signs = [np.logical_or.reduceat(self._values == limit, self._starts, axis=0) for limit in (np.inf, -np.inf)]
        if (signs[0] & signs[1]).any():
            raise ValueError(
                "an objective is inf in one run and -inf in another run of the same model, whose mean is undefined; "
                "correct those runs or leave them out."
            )
        if self._paired and (self._sizes != self._sizes[0]).any():
            raise ValueError("paired seeds need every model to have every seed once.")

    @functools.cached_property
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

    def repeat(self, rng: np.random.Generator) -> np.ndarray:
        """Means as new runs of all models would give them: ndarray of float64, shape (m, k).

        The bootstrap of few runs is too narrow, by (n - 1) / n, and centered at means that are themselves off by as
        much as new means would be: models that were lucky stay lucky in every resample. The true means are therefore
        taken to lie around the observed ones, drawn towards their average by the share of the spread between models
        that is noise (empirical Bayes), and the deviations of the bootstrap are stretched to the spread of
        new means around the observed ones. Models with one run stay as they are.
        """
        drawn = self._draw_apart(rng) if self._paired and len(self._sizes) > 1 else self.draw(rng)
        repeats = self._sizes[:, None]
        stretch = np.sqrt((1.0 + self._reliability) * repeats / np.maximum(repeats - 1, 1))
        with np.errstate(invalid="ignore", over="ignore"):
            repeated = self._center + stretch * (drawn - self.observed)
        return np.where(np.isfinite(repeated), repeated, drawn)

    def _draw_apart(self, rng: np.random.Generator) -> np.ndarray:
        """Draw what the runs of a seed have in common once for all models, and the rest for each model by itself.

        Few seeds drawn for all models at once would often be the observed ones, or one seed again and again.
        """
        n_models, n_seeds = len(self._sizes), int(self._sizes[0])
        values = self._values.reshape(n_models, n_seeds, -1)
        with np.errstate(invalid="ignore", over="ignore"):
            common = values.mean(axis=0)
            rest = values - common
            spread = rest - rest.mean(axis=1, keepdims=True)
        own = np.take_along_axis(spread, rng.integers(n_seeds, size=(n_models, n_seeds))[:, :, None], axis=1)
        with np.errstate(invalid="ignore", over="ignore"):
            shared = common[rng.integers(n_seeds, size=n_seeds)].mean(axis=0) - common.mean(axis=0)
            # Residuals from the mean over models are too small by their own share in it.
            drawn: np.ndarray = self.observed + shared + own.mean(axis=1) * np.sqrt(n_models / (n_models - 1.0))
        return np.where(np.isfinite(drawn), drawn, self.observed)

    @functools.cached_property
    def _reliability(self) -> np.ndarray:
        """Share of the variance between observed means that is not noise, by objective: 0 to 1."""
        observed, repeated = self.observed, self._sizes > 1
        if len(observed) < 2 or not repeated.any():
            return np.ones(observed.shape[1])
        with np.errstate(invalid="ignore", divide="ignore", over="ignore"):
            residuals = self._values - np.repeat(observed, self._sizes, axis=0)
            freedom = self._sizes - 1.0
            if self._paired:
                # What the runs of one seed have in common moves all models alike and decides nothing.
                by_seed = residuals.reshape(len(observed), int(self._sizes[0]), -1)
                residuals = (by_seed - by_seed.mean(axis=0)).reshape(residuals.shape)
                freedom = freedom * (1.0 - 1.0 / len(observed))
            squares = np.add.reduceat(residuals**2, self._starts, axis=0)[repeated]
            noise = (squares / (freedom * self._sizes)[repeated, None]).mean(axis=0)
            between = observed.var(axis=0, ddof=1)
            share = 1.0 - noise / between
        return np.clip(np.where(np.isfinite(share), share, 1.0), 0.0, 1.0)

    @functools.cached_property
    def _center(self) -> np.ndarray:
        """Estimated true means."""
        observed = self.observed
        with np.errstate(invalid="ignore", over="ignore"):
            # Added to the observed means, which stay as they are to the last digit where nothing is noise.
            moved = observed + (1.0 - self._reliability) * (observed.mean(axis=0) - observed)
        return np.where((self._sizes > 1)[:, None] & np.isfinite(moved), moved, observed)

    def _means(self, values: np.ndarray) -> np.ndarray:
        with np.errstate(over="ignore", invalid="ignore"):
            means: np.ndarray = np.add.reduceat(values, self._starts, axis=0) / self._sizes[:, None]
            if not np.isfinite(means).all():  # a sum can overflow where the mean does not
                shares = np.add.reduceat(values / np.repeat(self._sizes, self._sizes)[:, None], self._starts, axis=0)
                means = np.where(np.isfinite(means), means, shares)
        return means


def standard_deviations(draws: np.ndarray) -> np.ndarray:
    """Standard deviations along the first axis, also of values whose squares are more than a float can hold.

    Examples
    --------
    >>> standard_deviations(np.array([[1.0, 2e300], [3.0, 6e300]]))
    array([1.e+000, 2.e+300])
    """
    # Divided by a power of two, which changes no digit.
    exponents = np.frexp(np.abs(draws).max(axis=0))[1]
    with np.errstate(invalid="ignore"):
        deviations: np.ndarray = np.ldexp(np.ldexp(draws, -exponents).std(axis=0), exponents)
    return deviations
