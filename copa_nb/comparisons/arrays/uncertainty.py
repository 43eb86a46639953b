"""How far measured means may be from the truth, and which differences between systems are significant.

Three kinds of measurements, all as costs: scores of all systems on the same items (:class:`PairedItems`), independent
runs of each system (:class:`IndependentRuns`), and means with standard errors (:class:`GivenErrors`). Items that are
drawn in clusters count by the sums of their clusters, which are independent; means are those over items.

A sample without spread is not a measurement without error: only what is declared as known has none. Items are compared
by sign flips of the raw differences, which reduce to McNemar's exact test for right and wrong answers. Where drawing
the signs of many items would take long, normal weights replace them: sums under such weights are normal, and their
covariance costs one pass over the items. The variance of runs has a floor.
"""

from __future__ import annotations

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any

import numpy as np

from copa_nb.arrays.compiled import kernels
from copa_nb.arrays.multiple_testing import holm
from copa_nb.arrays.parallel import in_threads, row_slices
from copa_nb.comparisons.arrays.skewness import (
    deviations_from_mean,
    has_few_of_a_kind,
    skewness_of_items,
    skewness_of_runs,
    squared_differences,
)

NUMBERS_AT_ONCE = 4_000_000
# From so many units on, tests by normal weights of them kept their level in simulations.
FEWEST_UNITS = 10_000
# Multiplications, of draws of the units, above which sums under normal weights are drawn instead: about a second. A
# random sign and a random count cost as much as the given number of them.
_MOST_MULTIPLICATIONS, _MULTIPLICATIONS_OF_A_DRAW = 2_000_000_000, 20
# Share of systems that are still compared, below which their draws are copied.
_WORTH_A_COPY = 0.9
# Rounding of a difference of two numbers, as a share of their size.
ROUNDING = 8 * np.finfo(np.float64).eps
# Draws of the weights of items; their number falls with that of the items.
_MOST_WEIGHTS, _FEWEST_WEIGHTS, _NUMBERS_IN_WEIGHTS = 20_000, 4_000, 400_000_000
# Variances count as no less than this share of the mean variance of all systems, or all of it if runs are skewed.
_FLOOR = 0.5
# Squared skewness of the deviations of all runs, over that of normal ones, above which they count as skewed.
_SKEWED_RUNS = 6.0


@dataclass(frozen=True, eq=False, kw_only=True)
class Uncertainty(ABC):
    """Means of all systems, resamples of them, and tests of their differences.

    Parameters
    ----------
    means : ndarray, shape (n_systems, n_objectives)
        Costs.
    draws : ndarray, shape (n_resamples, n_objectives, n_systems)
        Means in resamples of the measurements.
    known : ndarray of bool, shape (n_objectives, n_systems, n_systems)
        Which differences are declared to have no error.
    skewed : ndarray of bool, shape (n_objectives,)
        Whether differences are clearly skewed; tests allow for it.
    doubtful : ndarray of bool, shape (n_objectives,)
        Whether they are so skewed, for their number, that tests of means are approximate at best.
    """

    means: np.ndarray
    draws: np.ndarray
    known: np.ndarray
    skewed: np.ndarray
    doubtful: np.ndarray

    @abstractmethod
    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Test all active differences at once; True where ``[k, i, j]``: i is significantly better than j in k."""

    def is_beaten(self, one: int, others: np.ndarray, alpha: float) -> bool:
        """Test whether any of others, a mask, is significantly better than one system in the first objective."""
        active = np.zeros_like(self.known)
        active[0, :, one] = others
        return bool(self.tested(active, alpha).any())

    @abstractmethod
    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """p-values of :func:`pvalues_within`, as if nothing were known, shape (n_systems, n_objectives)."""

    @cached_property
    def differences(self) -> np.ndarray:
        """By how much j costs more than i in k, at ``[k, i, j]``."""
        costs = self.means.T
        difference: np.ndarray = costs[:, None, :] - costs[:, :, None]
        return difference

    def below(self, system: int, margins: np.ndarray) -> np.ndarray:
        """By how much the loss of each system against the given one stays below the margin, at ``[k, i]``."""
        costs = self.means.T
        below: np.ndarray = margins[:, None] - (costs - costs[:, [system]])
        return below


@dataclass(frozen=True, eq=False, kw_only=True)
class PairedItems(Uncertainty):
    """Scores of all systems on the same items, or sums of them over clusters of items.

    Parameters
    ----------
    items : ndarray, shape (n_objectives, n_items, n_systems)
        Scores of each item, less what all systems have in common; of clusters, the sums over their items, divided by
        the mean size of a cluster.
    sizes : ndarray, shape (n_items,)
        1 for each item; of clusters, the number of their items over the mean of these numbers.
    rounding : ndarray, shape (n_objectives,)
        Sum of squares that rounding alone leaves of the differences between equal systems.
    flipped : ndarray, shape (n_signs, n_objectives, n_systems)
        Sums over the items under random signs, the same for all systems and objectives, or under all signs; or under
        random normal weights.
    by_weights : bool
        Whether they are sums under normal weights.
    repeats : ndarray, shape (n_objectives, n_repeats, n_systems), or None
        Means of each repeat, where the same repeats (seeds) are under all items.
    largest : ndarray, shape (n_objectives,)
        Largest absolute score.
    rng : Generator
        For the weights of :func:`pvalues_within`.
    """

    items: np.ndarray
    sizes: np.ndarray
    rounding: np.ndarray
    flipped: np.ndarray
    by_weights: bool
    repeats: np.ndarray | None
    largest: np.ndarray
    rng: np.random.Generator

    @cached_property
    def squares(self) -> np.ndarray:
        """Sums of squared differences over the items, shape (n_objectives, n_systems, n_systems); 0 for equals."""
        return np.array(
            [
                np.where((total := squared_differences(scores)) > rounding, total, 0.0)
                for scores, rounding in zip(self.items, self.rounding, strict=True)
            ]
        )

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Step-down max-T under random signs or weights of the items, and Welch's t over repeats that are shared."""
        extremes = np.where(self.skewed[:, None], self.extremes, 0.0)
        sums = self.differences * self.items.shape[1]
        found = max_t(sums, self.squares, extremes, self.flipped, active, alpha)
        if self.repeats is None:
            return found
        return found & rejected(self._crossed_pvalues, active, alpha)

    def is_beaten(self, one: int, others: np.ndarray, alpha: float) -> bool:
        """The same from one column of all pairs, because thousands of systems are tested in turn."""
        if self.repeats is not None:
            return super().is_beaten(one, others, alpha)
        extremes = np.where(self.skewed[:1, None], self.extremes[:1], 0.0)
        return one_by_max_t(self, one, others, extremes, self.flipped, self.items.shape[1], alpha)

    @cached_property
    def _crossed_pvalues(self) -> np.ndarray:
        """Of all differences, kept for all comparisons."""
        return self._crossed(self.differences)

    @cached_property
    def extremes(self) -> np.ndarray:
        """Largest deviation of each system from its mean, shape (n_objectives, n_systems)."""
        return np.array(
            [np.abs(deviations_from_mean(part, self.sizes)).max(axis=0, initial=0.0) for part in self.items]
        )

    @cached_property
    def _kept(self) -> list[tuple[np.ndarray, ...]]:
        """What :meth:`_weighted` draws, kept for all comparisons."""
        return list(self._draw_weighted())

    def _weighted(self) -> Iterable[tuple[np.ndarray, ...]]:
        """Sums of the items under random weights of them and of one further item, the same for all comparisons.

        In parts: sums, shape (n, n_objectives, n_systems); and of each draw, the weight of the further item, and that
        of all items by their sizes.
        """
        small = _n_weights(len(self.sizes) + 1) * self.means.size <= NUMBERS_AT_ONCE * 10
        return self._kept if small else self._draw_weighted()

    def _draw_weighted(self) -> Iterator[tuple[np.ndarray, ...]]:
        sizes = np.append(self.sizes, self.sizes.max())
        for weights in _random_weights(len(sizes), self.rng):
            sums = np.tensordot(weights[:, :-1], self.items, axes=(1, 1))
            yield sums, weights[:, -1] * sizes[-1], weights @ sizes

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """Share of random weights of the items, and of one further item, under which the loss reaches the margin."""
        used = list(range(self.items.shape[2])) if among is None else list(among)
        losses = self.items[:, :, used] - self.items[:, :, [system]]
        # One further item, as bad as the worst that was seen; without any loss, as far off as the best. A further
        # cluster has the mean loss of the worst one and the size of the largest.
        of_items = losses / self.sizes[:, None]
        worst = of_items.max(axis=(1, 2))
        worst = np.where(worst > 0, worst, np.abs(of_items).max(axis=(1, 2)))
        worst = np.maximum(np.where(worst > 0, worst, self.largest), margins)
        reached, n_drawn = np.zeros((len(margins), len(used))), 0
        for sums, further, totals in self._weighted():
            limits = (margins * (1 - 1e-12))[:, None] * totals[:, None, None]
            drawn = sums[:, :, used] - sums[:, :, [system]] + further[:, None, None] * worst[:, None]
            reached += (drawn >= limits).sum(axis=0)
            n_drawn += len(sums)
        pvalues = np.ones(self.means.T.shape)
        # All of n losses that are as often above the margin as below it are below with a probability of 1 in 2**n.
        pvalues[:, used] = np.maximum((1 + reached) / (1 + n_drawn), 0.5 ** len(self.sizes))
        if self.repeats is not None:
            below = self.below(system, margins)
            crossed = self._crossed(np.broadcast_to(below[:, :, None], self.known.shape))
            pvalues = np.maximum(pvalues, crossed[:, :, system])
        return pvalues.T

    def variances(self) -> np.ndarray:
        """Variances of the differences between means over items, robust to clusters; shape as `squares`."""
        n_items = len(self.sizes)
        centered = self.items - self.sizes[:, None] * self.items.mean(axis=1, keepdims=True)
        return np.array([squared_differences(part) for part in centered]) / (n_items * (n_items - 1))

    def _crossed(self, differences: np.ndarray) -> np.ndarray:
        """p-values of t with the variance of items and that of repeats, and Satterthwaite's degrees of freedom."""
        assert self.repeats is not None
        n_items, n_repeats = self.items.shape[1], self.repeats.shape[1]
        of_items = self.variances()
        of_repeats = np.array([squared_differences(part) for part in _centered(self.repeats)])
        of_repeats = _floored(of_repeats / (n_repeats * (n_repeats - 1)))
        return student(differences, (of_items, n_items - 1), (of_repeats, n_repeats - 1))


@dataclass(frozen=True, eq=False, kw_only=True)
class IndependentRuns(Uncertainty):
    """Independent runs of each system.

    Parameters
    ----------
    variances : ndarray, shape (n_objectives, n_systems)
        Of each mean.
    freedoms : ndarray, shape (n_systems,)
        Runs less one.
    """

    variances: np.ndarray
    freedoms: np.ndarray

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Welch's t of all pairs, adjusted after Holm."""
        return rejected(self._pvalues, active, alpha)

    @cached_property
    def _pvalues(self) -> np.ndarray:
        """Of all differences, kept for all comparisons."""
        return self._welch(self.differences)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """Of Welch's t; 1 where all runs of all systems are alike, which tells nothing of how much they vary."""
        below = self.below(system, margins)
        pvalues = self._welch(np.broadcast_to(below[:, :, None], self.known.shape))[:, :, system]
        return np.where(self.variances.any(axis=1, keepdims=True), pvalues, 1.0).T

    def _welch(self, differences: np.ndarray) -> np.ndarray:
        first, second = (self.variances[:, :, None], self.freedoms[:, None]), (self.variances[:, None], self.freedoms)
        return student(differences, first, second)


@dataclass(frozen=True, eq=False, kw_only=True)
class GivenErrors(Uncertainty):
    """Means with given standard errors, normal and independent.

    Parameters
    ----------
    errors : ndarray, shape (n_resamples, n_objectives, n_systems)
        Draws of estimate minus truth.
    variances : ndarray, shape (n_objectives, n_systems, n_systems)
        Of the differences.
    """

    errors: np.ndarray
    variances: np.ndarray = field(repr=False)

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Step-down max-T under normal errors."""
        usable = active & (self.variances > 0)
        weights = np.divide(1.0, self.variances, out=np.zeros(self.variances.shape), where=usable)
        largest = partial(_largest, self.errors, self.errors)
        return step_down(np.maximum(self.differences, 0.0) ** 2 * weights, usable, largest, weights, alpha)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """Of normal errors."""
        from scipy.special import ndtr

        variances = self.variances[:, system]
        pvalues: np.ndarray = ndtr(-self.below(system, margins) / np.sqrt(np.where(variances > 0, variances, 1.0))).T
        return pvalues


def from_items(
    scores: np.ndarray,
    known: np.ndarray,
    *,
    clusters: np.ndarray | None = None,
    compared: np.ndarray | None = None,
    n_resamples: int,
    rng: np.random.Generator,
) -> PairedItems:
    """Resample items, the same for all systems and objectives, and the repeats that all items share.

    Clusters of items are resampled as wholes: one sign, or one weight, for all items of a cluster.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_repeats, n_systems, n_objectives)
        Costs.
    known : ndarray of bool, shape (n_objectives,)
        Objectives that are declared to have no error.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0; without it every item is drawn alone.
    compared : ndarray of bool, shape (n_systems, n_systems), optional
        Pairs whose skewness counts; by default all.
    n_resamples : int
    rng : Generator

    Returns
    -------
    PairedItems
        Signs are those of whole items (Rademacher): if neither of two systems is better, their differences keep their
        distribution where they are symmetric, as those of right and wrong answers are. Of many items, sums under
        random normal weights are drawn where signs would take long; repeats that are shared are resampled one by one.
    """
    n_items, n_repeats, n_systems, n_objectives = scores.shape
    clusters = np.arange(n_items) if clusters is None else clusters
    counts = np.bincount(clusters)
    n_clusters = len(counts)
    mean_size = n_items / n_clusters
    scores = scores.transpose(3, 0, 1, 2)
    means = scores.mean(axis=(1, 2)).T
    # Differences between systems stay, and what all have in common costs no digits.
    level = np.median(scores, axis=3, keepdims=True)
    centered = scores - level
    items = cluster_sums(centered.mean(axis=2), clusters) / mean_size
    largest = np.abs(scores).max(axis=(2, 3))
    repeats = centered.mean(axis=1) if n_repeats > 1 else None
    exact = [n_repeats == 1 and n_clusters == n_items and has_two_values(values) for values in scores]
    many_of_each_kind = [has_two_values(values) and not has_few_of_a_kind(values, clusters) for values in scores]
    sizes = counts / mean_size
    by_weights = n_repeats == 1 and _draws_are_costly(n_clusters, n_resamples, n_objectives * n_systems)
    if by_weights:
        draws, flipped = _normal_draws(items, sizes, means, n_resamples, rng)
    else:
        scores = cluster_sums(scores, clusters)
        draws = np.empty((n_resamples, n_objectives, n_systems))
        size = max(1, NUMBERS_AT_ONCE // (n_clusters + n_repeats * n_objectives * n_systems))
        for start in range(0, n_resamples, size):
            stop = min(start + size, n_resamples)
            counts_of_clusters = drawn_counts(stop - start, n_clusters, rng)
            of_repeats = drawn_counts(stop - start, n_repeats, rng) if n_repeats > 1 else np.ones((stop - start, 1))
            n_drawn = (counts_of_clusters @ counts)[:, None, None, None]
            drawn = np.tensordot(counts_of_clusters, scores, axes=(1, 1)) / n_drawn
            draws[start:stop] = np.einsum("bkrs,br->bks", drawn, of_repeats) / n_repeats
        all_signs = random_signs(n_resamples, n_clusters, rng)
        flipped = np.concatenate([np.tensordot(signs, items, axes=(1, 1)) for signs in all_signs])
    rounding = ((ROUNDING * cluster_sums(largest, clusters) / mean_size) ** 2).sum(axis=1)
    skewness = [skewness_of_items(part, sizes, least, compared) for part, least in zip(items, rounding, strict=True)]
    much = [one.is_much and not many for one, many in zip(skewness, many_of_each_kind, strict=True)]
    return PairedItems(
        means=means,
        draws=draws,
        known=np.broadcast_to(known[:, None, None], (n_objectives, n_systems, n_systems)),
        items=items,
        sizes=sizes,
        skewed=~np.array(exact) & [one.is_clear for one in skewness],
        doubtful=~np.array(exact) & much,
        rounding=rounding,
        flipped=flipped,
        by_weights=by_weights,
        repeats=repeats,
        largest=largest.max(axis=1),
        rng=rng,
    )


def _draws_are_costly(n_units: int, n_resamples: int, n_columns: int) -> bool:
    """Whether units are so many that sums under normal weights keep the level, and drawing units takes long."""
    multiplications = n_units * n_resamples * (_MULTIPLICATIONS_OF_A_DRAW + n_columns)
    return n_units >= FEWEST_UNITS and multiplications > _MOST_MULTIPLICATIONS


def _normal_draws(
    items: np.ndarray, sizes: np.ndarray, means: np.ndarray, n_resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Means, and sums over the units under random normal weights, each shape (n_resamples, n_objectives, n_systems).

    Parameters
    ----------
    items, sizes : ndarray
        As of :class:`PairedItems`. Means leave out what all systems have in common.
    means : ndarray, shape (n_systems, n_objectives)
    n_resamples : int
    rng : Generator
    """
    k, n_units, s = items.shape
    columns = np.ascontiguousarray(items.transpose(1, 0, 2)).reshape(n_units, -1)
    deviations = columns - sizes[:, None] * columns.mean(axis=0)
    of_means = deviations.T @ deviations / (n_units * (n_units - 1))
    draws = means.T + normal_vectors(of_means, n_resamples, rng).reshape(-1, k, s)
    return draws, normal_vectors(columns.T @ columns, n_resamples, rng).reshape(-1, k, s)


def from_runs(
    runs: Sequence[np.ndarray], known: np.ndarray, *, n_resamples: int, rng: np.random.Generator
) -> IndependentRuns:
    """Resample the runs of each system.

    A variance counts as no less than half of the mean variance of all systems, and as no less than that of half a
    step of the scale on which the values lie: a few runs that agree by chance are no proof that a system has no noise.
    Where runs are skewed, it counts as no less than the mean variance.

    Parameters
    ----------
    runs : sequence of ndarray, shape (n_runs, n_objectives)
        Costs of each system; at least two runs each.
    known : ndarray of bool, shape (n_objectives,)
        Objectives that are declared to have no error.
    n_resamples : int
    rng : Generator
    """
    n_objectives = runs[0].shape[1]
    counts = np.array([len(costs) for costs in runs])
    draws = np.empty((n_resamples, n_objectives, len(runs)))
    for system, costs in enumerate(runs):
        n = len(costs)
        draws[:, :, system] = costs[rng.integers(0, n, size=(n_resamples, n))].mean(axis=1)
    own = np.array([costs.var(axis=0, ddof=1) for costs in runs]).T
    pooled = (own * (counts - 1)).sum(axis=1, keepdims=True) / (counts - 1).sum()
    deviations = np.concatenate([costs - costs.mean(axis=0) for costs in runs])
    spread = np.sqrt((deviations**2).mean(axis=0))
    skewness = ((deviations / np.where(spread > 0, spread, 1.0)) ** 3).mean(axis=0)
    skewed = skewness**2 * len(deviations) / 6 > _SKEWED_RUNS
    floor = np.where(skewed[:, None], 1.0, _FLOOR) * pooled
    steps = np.array([_step(np.concatenate([costs[:, k] for costs in runs])) for k in range(n_objectives)])
    variances = np.maximum(np.maximum(own, floor), (steps[:, None] / 2) ** 2)
    return IndependentRuns(
        means=np.array([costs.mean(axis=0) for costs in runs]),
        draws=draws,
        known=np.broadcast_to(known[:, None, None], (n_objectives, len(runs), len(runs))),
        variances=variances / counts,
        freedoms=counts - 1.0,
        skewed=skewed,
        doubtful=skewed & [skewness_of_runs([costs[:, k] for costs in runs]).is_much for k in range(n_objectives)],
    )


def from_errors(means: np.ndarray, errors: np.ndarray, *, n_resamples: int, rng: np.random.Generator) -> GivenErrors:
    """Draw normal errors, independent between systems and objectives.

    Parameters
    ----------
    means, errors : ndarray, shape (n_systems, n_objectives)
        Costs and their standard errors; 0 where a cost is known.
    n_resamples : int
    rng : Generator
    """
    drawn = rng.standard_normal((n_resamples, *means.T.shape)) * errors.T
    variances = errors.T[:, :, None] ** 2 + errors.T[:, None, :] ** 2
    return GivenErrors(
        means=means,
        draws=means.T + drawn,
        known=variances == 0,
        skewed=np.zeros(means.shape[1], dtype=bool),
        doubtful=np.zeros(means.shape[1], dtype=bool),
        errors=drawn,
        variances=variances,
    )


def front_shares(draws: np.ndarray) -> np.ndarray:
    """Share of the draws in which nothing dominates each system.

    Parameters
    ----------
    draws : ndarray, shape (n_resamples, n_objectives, n_systems)
        Costs.

    Returns
    -------
    ndarray, shape (n_systems,)

    Examples
    --------
    >>> front_shares(np.array([[[1.0, 2.0], [2.0, 1.0]], [[1.0, 2.0], [1.0, 1.0]]]))
    array([1. , 0.5])
    """
    loops = kernels(__name__)
    n_resamples, _, n = draws.shape

    def count(part: tuple[int, int]) -> np.ndarray:
        counts = np.zeros(n, dtype=np.int64)
        loops.count_fronts(draws, *part, counts)
        return counts

    parts = row_slices(n_resamples, draws.size * n)
    return np.sum(in_threads(count, parts, draws.size * n), axis=0) / n_resamples


def significantly_better(measured: Uncertainty, *, alpha: float, among: Sequence[int] | None = None) -> np.ndarray:
    """Which systems are better than which others in which objectives, all tested at once.

    Parameters
    ----------
    measured : Uncertainty
    alpha : float
        Familywise error rate: the probability that any of them is wrong.
    among : sequence of int, optional
        The systems that are compared; by default all.

    Returns
    -------
    ndarray of bool, shape (n_objectives, n_systems, n_systems)
        Whether ``[k, i, j]``: i is better than j in k. A difference that is declared as known needs no test.

    References
    ----------
    .. [1] J. P. Romano and M. Wolf, "Exact and approximate stepdown methods for multiple hypothesis testing", Journal
       of the American Statistical Association 100, 2005.
    """
    n = measured.known.shape[1]
    used = np.ones(n, dtype=bool) if among is None else np.isin(np.arange(n), among)
    active = ~measured.known & ~np.eye(n, dtype=bool) & (used[:, None] & used)
    return np.where(measured.known, measured.differences > 0, measured.tested(active, alpha))


def beaten(measured: Uncertainty, *, alpha: float, among: Sequence[int]) -> np.ndarray:
    """Which systems are significantly not the best in the first objective: some other system is better.

    Parameters
    ----------
    measured : Uncertainty
    alpha : float
        Probability that a system that is the best, alone or with others, is called beaten.
    among : sequence of int
        The systems in question; all others are not tested. Each is compared with all systems.

    Returns
    -------
    ndarray of bool, shape (n_systems,)

    References
    ----------
    .. [1] J. C. Hsu, "Constrained simultaneous confidence intervals for multiple comparisons with the best", Annals of
       Statistics 12, 1984. The truth is one system's: its own comparisons alone count, and one side of them.
    """
    n = measured.known.shape[1]
    found = np.zeros(n, dtype=bool)
    for one in among:
        known = measured.known[0, :, one]
        worse = known & (measured.differences[0, :, one] > 0)
        found[one] = worse.any() or measured.is_beaten(one, ~known & (np.arange(n) != one), alpha)
    return found


def known_equal(measured: Uncertainty) -> np.ndarray:
    """Whether two systems are equal in an objective without error, shape as :func:`significantly_better`."""
    return measured.known & (measured.differences == 0)


def pvalues_within(
    measured: Uncertainty, system: int, margins: np.ndarray, among: Sequence[int] | None = None
) -> np.ndarray:
    """p-values against "worse than one system by at least the margin", for each system and objective.

    Parameters
    ----------
    measured : Uncertainty
    system : int
        The one to compare with.
    margins : ndarray, shape (n_objectives,)
        In costs.
    among : sequence of int, optional
        The systems that are compared with it, and itself; by default all. The worst item is one of theirs.

    Returns
    -------
    ndarray, shape (n_systems, n_objectives)
        One-sided. For items, the share of random weights of the items, and of one further item as bad as the worst
        that was seen, under which the mean loss reaches the margin [1]_: without any loss in n right and wrong answers
        it is the exact ``(1 - margin)**n``. It is never below ``0.5**n``. For runs, of Welch's t. 0 or 1 where a
        difference is known.

    References
    ----------
    .. [1] N. Gaffke, "Three test statistics for a nonparametric one-sided hypothesis on the mean of a nonnegative
       variable", Mathematical Methods of Statistics 14, 2005.
    """
    costs = measured.means.T
    known = np.where(costs - costs[:, [system]] <= margins[:, None], 0.0, 1.0)
    return np.where(measured.known[:, system].T, known.T, measured.sampled_pvalues(system, margins, among))


def one_by_max_t(
    measured: Any, one: int, others: np.ndarray, extremes: np.ndarray, flipped: np.ndarray,
    n_items: int, alpha: float,
) -> bool:  # fmt: skip
    """Test by :func:`max_t` whether any of others is better than one system in the first objective."""
    column = np.s_[:1, :, [one]]
    sums, active = measured.differences[column] * n_items, others[None, :, None]
    return bool(max_t(sums, measured.squares[column], extremes, flipped[:, :1], active, alpha, [one]).any())


def max_t(
    sums: np.ndarray, squares: np.ndarray, extremes: np.ndarray, flipped: np.ndarray, active: np.ndarray, alpha: float,
    worse: Sequence[int] | slice = slice(None),
) -> np.ndarray:  # fmt: skip
    """Step-down max-T of sums of differences over items, under random signs or weights of the items.

    Parameters
    ----------
    sums, squares : ndarray, shape (n_objectives, n_systems, n_systems)
        Sums over the items of the differences, and of their squares.
    extremes : ndarray, shape (n_objectives, n_systems)
        Where a few items weigh much, the largest deviation of each system: a difference must also survive one more
        item as extreme as the largest.
    flipped : ndarray, shape (n_draws, n_objectives, n_systems)
        Sums over the items under random signs or weights.
    active : ndarray of bool, shape as `sums`
        What is compared.
    alpha : float
        Familywise error rate.
    worse : sequence of int or slice
        Systems that the last axis of `sums`, `squares` and `active` is about; by default all.
    """
    usable = active & (squares > 0)
    penalty = np.maximum(extremes[:, :, None], extremes[:, None, worse])
    sums = np.maximum(sums - penalty, 0.0)
    statistics = np.divide(sums**2, squares + penalty**2, out=np.zeros(squares.shape), where=usable)
    weights = np.divide(1.0, squares, out=np.zeros(squares.shape), where=usable)
    return step_down(statistics, usable, partial(_largest, flipped, flipped[:, :, worse]), weights, alpha)


def step_down(
    statistics: np.ndarray,
    active: np.ndarray,
    largest: Callable[[np.ndarray], np.ndarray],
    weights: np.ndarray,
    alpha: float,
) -> np.ndarray:
    """Reject what exceeds the largest statistic of the draws, then among the rest, until nothing does.

    Parameters
    ----------
    statistics : ndarray, shape (n_objectives, n_systems, n_systems)
        Squared, 0 where the difference has the other sign.
    active : ndarray of bool, same shape
        What is compared.
    largest : callable
        The largest squared statistic of each draw, given the weights.
    weights : ndarray, same shape
        One over the variance of each difference.
    alpha : float
        Familywise error rate.

    Returns
    -------
    ndarray of bool, same shape
    """
    rejected = np.zeros(active.shape, dtype=bool)
    while active.any():
        limit = _quantile(largest(np.where(active, weights, 0.0)), 1 - alpha)
        new = active & (statistics > limit * (1 + 1e-9))
        if not new.any():
            break
        rejected |= new
        active = active & ~new
    return rejected


def _largest(against: np.ndarray, errors: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Largest squared statistic of each draw, of systems that may be better against those that may be worse."""
    loops = kernels(__name__)
    largest = np.zeros(len(errors))
    compared = weights > 0
    better, worse = (_some(compared.any(axis=axes)) for axes in ((0, 2), (0, 1)))
    if not compared.any():
        return largest
    weights = np.ascontiguousarray(weights[:, better][:, :, worse])
    against, errors = np.ascontiguousarray(against[:, :, better]), np.ascontiguousarray(errors[:, :, worse])

    def fill(part: tuple[int, int]) -> None:
        loops.largest_squares(errors, against, weights, *part, largest)

    work = errors.size * weights.shape[1]
    in_threads(fill, row_slices(len(errors), work), work)
    return largest


def _some(mask: Any) -> Any:
    """The places of a mask, or all of them where a copy of the marked ones would cost more than it saves."""
    return mask if mask.mean() < _WORTH_A_COPY else slice(None)


def _quantile(values: np.ndarray, level: float) -> float:
    """Order statistic that a further draw exceeds with probability at most 1 - level; infinite if there is none."""
    place = int(np.ceil(level * (len(values) + 1))) - 1
    return float(np.partition(values, place)[place]) if place < len(values) else float("inf")


def rejected(pvalues: np.ndarray, active: np.ndarray, alpha: float) -> np.ndarray:
    """Which of the active comparisons are rejected after Holm's adjustment for their number."""
    found = np.zeros(active.shape, dtype=bool)
    found[active] = holm(pvalues[active]) <= alpha
    return found


def student(differences: np.ndarray, *parts: tuple[np.ndarray, Any]) -> np.ndarray:
    """p-values against "not larger than 0", of t with the degrees of freedom of Welch and Satterthwaite.

    Parameters
    ----------
    differences : ndarray
        Estimates.
    *parts : pairs of ndarray
        The parts of their variances, with the degrees of freedom of each.
    """
    from scipy.special import stdtr

    variances = np.broadcast_to(sum(part for part, _ in parts), differences.shape)
    spread = variances > 0
    # By shares: squares of variances may be more, or less, than a float can hold.
    total = np.where(spread, variances, 1.0)
    freedoms = 1.0 / np.where(spread, sum((part / total) ** 2 / freedom for part, freedom in parts), 1.0)
    ratio = np.divide(differences, np.sqrt(variances), out=np.where(differences > 0, np.inf, 0.0), where=spread)
    pvalues: np.ndarray = stdtr(freedoms, -ratio)
    return pvalues


def _floored(variances: np.ndarray) -> np.ndarray:
    """Raise variances of differences to a share of their mean over all pairs, shape (k, n, n)."""
    n = variances.shape[1]
    mean = variances.sum(axis=(1, 2), keepdims=True) / (n * (n - 1)) if n > 1 else 0.0
    return np.maximum(variances, _FLOOR * mean)


def _centered(scores: np.ndarray) -> np.ndarray:
    """Scores of shape (k, n, systems) less their mean over the n."""
    centered: np.ndarray = scores - scores.mean(axis=1, keepdims=True)
    return centered


def cluster_sums(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Sums over the items of each cluster along the second axis; the values themselves if each item has its own."""
    if np.array_equal(clusters, np.arange(len(clusters))):
        return values
    order = np.argsort(clusters, kind="stable")
    starts = np.searchsorted(clusters[order], np.arange(clusters.max() + 1))
    sums: np.ndarray = np.add.reduceat(values[:, order], starts, axis=1)
    return sums


def has_two_values(scores: np.ndarray) -> bool:
    """Whether scores are one of two numbers, or all the same."""
    return bool(np.all((scores == scores.min()) | (scores == scores.max())))


def _step(values: np.ndarray) -> float:
    """Smallest difference between two different values; 0 if all are the same."""
    return float(np.diff(np.unique(values)).min(initial=np.inf)) if np.ptp(values) > 0 else 0.0


def drawn_counts(n: int, size: int, rng: np.random.Generator) -> np.ndarray:
    """How often each of `size` things is drawn in n resamples, shape (n, size)."""
    cells = rng.integers(0, size, size=(n, size)) + np.arange(n)[:, None] * size
    return np.bincount(cells.ravel(), minlength=n * size).reshape(n, size).astype(np.float64)


def random_signs(n: int, n_items: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Signs of the items in parts of shape (n, n_items): n draws, or every other combination if there are no more."""
    if 2**n_items <= n:
        # The observed signs, all positive, count in the quantile of any draws.
        yield np.array(list(itertools.product([1.0, -1.0], repeat=n_items))[1:])
        return
    size = max(1, NUMBERS_AT_ONCE // n_items)
    for start in range(0, n, size):
        yield rng.choice([-1.0, 1.0], size=(min(size, n - start), n_items))


def normal_vectors(covariance: np.ndarray, n: int, rng: np.random.Generator) -> np.ndarray:
    """Draw n normal vectors with a covariance that may be singular."""
    values, vectors = np.linalg.eigh(covariance)
    # The symmetric root does not depend on the signs of the eigenvectors.
    root = (vectors * np.sqrt(np.maximum(values, 0.0))) @ vectors.T
    drawn: np.ndarray = rng.standard_normal((n, len(root))) @ root
    return drawn


def _random_weights(n_weights: int, rng: np.random.Generator) -> Iterator[np.ndarray]:
    """Draw uniform random weights that sum to 1, in parts of shape (n, n_weights)."""
    n = _n_weights(n_weights)
    size = max(1, NUMBERS_AT_ONCE // n_weights)
    for start in range(0, n, size):
        weights = rng.standard_exponential((min(size, n - start), n_weights))
        yield weights / weights.sum(axis=1, keepdims=True)


def _n_weights(n_weights: int) -> int:
    """How often random weights are drawn."""
    return int(np.clip(_NUMBERS_IN_WEIGHTS // n_weights, _FEWEST_WEIGHTS, _MOST_WEIGHTS))
