"""Scores on items of which some are missing: systems are compared on the items that both of them have.

The differences of two systems over their common items, their squares and their sums under random signs are as for
complete items (:mod:`copa_nb.comparisons.arrays.uncertainty`). This is valid if cells are missing at random: whether a
system lacks an item must not depend on how much it differs from others there.

:class:`WorstCaseItems` assumes nothing of why cells are missing, only between which ends they lie: a system is better
than another one if it is with its own missing costs at their largest, and the other's at their smallest. If it is not
better in truth, its mean with these costs is no better either, so that the tests keep their level.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from copa_nb.arrays.compiled import kernels
from copa_nb.arrays.parallel import in_threads, row_slices
from copa_nb.comparisons.arrays.skewness import Skewness
from copa_nb.comparisons.arrays.uncertainty import (
    NUMBERS_AT_ONCE,
    ROUNDING,
    PairedItems,
    Uncertainty,
    drawn_counts,
    from_items,
    random_signs,
    step_down,
)  # fmt: skip

# Digits of adjusted means that are kept, as a share of their spread: equal systems have equal means.
_DIGITS = 12


@dataclass(frozen=True, eq=False, kw_only=True)
class IncompleteItems(Uncertainty):
    """Scores of systems on items, some of them missing.

    Parameters
    ----------
    scores : ndarray, shape (n_objectives, n_items, n_systems)
        Scores of each item, less what the systems have in common there; 0 where missing.
    levels : ndarray, shape (n_objectives, n_items, 1)
        What the systems have in common on each item.
    present : ndarray of bool, shape (n_objectives, n_items, n_systems)
        Which cells are not missing.
    clusters : ndarray of int, shape (n_items,)
        Number of each item's cluster, counted from 0.
    signs : ndarray, shape (n_signs, n_clusters)
        Random signs of the clusters, or all signs.
    squares : ndarray, shape (n_objectives, n_systems, n_systems)
        Sums over the clusters of squared sums of differences over the common items; 0 for equals.
    sums : ndarray, shape (n_objectives, n_systems, n_systems)
        By how much j costs more than i in k over the common items, at ``[k, i, j]``.
    common : ndarray of int, shape (n_objectives, n_systems, n_systems)
        Number of clusters with common items.
    extreme : ndarray, shape (n_objectives, n_systems, n_systems)
        Where differences are skewed, the largest deviation of a cluster's sum from what its systems' means make it, of
        the one of the two that deviates more; otherwise 0.
    """

    scores: np.ndarray
    levels: np.ndarray
    present: np.ndarray
    clusters: np.ndarray
    signs: np.ndarray
    squares: np.ndarray
    sums: np.ndarray
    common: np.ndarray
    extreme: np.ndarray

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Step-down max-T under random signs of the items; a difference must also have the sign of that of the means.

        Means are adjusted for the items that a system lacks, so their differences are not those over common items.
        """
        usable = active & (self.squares > 0)
        sums = np.maximum(self.sums - self.extreme, 0.0)
        statistics = np.divide(sums**2, self.squares + self.extreme**2, out=np.zeros(sums.shape), where=usable)
        weights = np.divide(1.0, self.squares, out=np.zeros(sums.shape), where=usable)
        largest = np.zeros(len(self.signs))
        places = np.full(len(self.signs), -1)

        def largest_of(weights: np.ndarray) -> np.ndarray:
            # A draw keeps its largest statistic until that comparison is rejected.
            stale = np.flatnonzero((places < 0) | (weights.ravel()[places] == 0))
            largest[stale], places[stale] = self._largest(self.signs[stale], weights)
            return largest

        return step_down(statistics, usable, largest_of, weights, alpha) & (self.differences > 0)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """As for complete items, over the common items of each pair; 1 without any."""
        n_systems, n_objectives = self.means.shape
        pvalues = np.ones((n_systems, n_objectives))
        for k, i in itertools.product(range(n_objectives), range(n_systems) if among is None else among):
            both = self.present[k, :, i] & self.present[k, :, system]
            if not both.any():
                continue
            pair = from_items(
                (self.scores + self.levels)[k, both][:, None, [system, i], None], np.zeros(1, dtype=bool),
                clusters=np.unique(self.clusters[both], return_inverse=True)[1], n_resamples=1,
                rng=np.random.default_rng(0),
            )  # fmt: skip
            pvalues[i, k] = pair.sampled_pvalues(0, margins[[k]])[1, 0]
        return pvalues

    def _largest(self, signs: np.ndarray, weights: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Largest squared statistic under each row of signs, and its place among the weights."""
        loops = kernels("copa_nb.comparisons.arrays.uncertainty")
        worse = np.flatnonzero(weights.any(axis=(0, 1)))
        if len(worse) == 1:
            return self._largest_against(signs, weights, int(worse[0]))
        n_objectives, n_items, n_systems = self.scores.shape
        largest, places = np.zeros(len(signs)), np.zeros(len(signs), dtype=np.int64)
        size = max(1, NUMBERS_AT_ONCE // (n_systems * max(n_items, n_systems)))

        def fill(part: tuple[int, int]) -> None:
            for start in range(*part, size):
                rows = slice(start, min(start + size, part[1]))
                of_items = signs[rows][:, self.clusters].astype(np.float64)
                for k in range(n_objectives):
                    signed = self.present[k].T * of_items[:, None, :]
                    products = signed.reshape(-1, n_items) @ self.scores[k]
                    products = products.reshape(-1, n_systems, n_systems)
                    offset = k * weights[k].size
                    loops.largest_squares_of_pairs(products, weights[k], offset, largest[rows], places[rows])

        work = len(signs) * self.scores.size * n_systems
        in_threads(fill, row_slices(len(signs), work), work)
        return largest, places

    def _largest_against(self, signs: np.ndarray, weights: np.ndarray, one: int) -> tuple[np.ndarray, np.ndarray]:
        """The same where all are compared with one system: its differences are few enough to be held."""
        n_systems = self.scores.shape[2]
        squares = []
        for scores, present, weight in zip(self.scores, self.present, weights, strict=True):
            losses = (scores[:, [one]] - scores) * (present[:, [one]] & present)
            sums = signs @ _sums_of_clusters(losses.T, self.clusters).T
            squares.append(np.maximum(sums, 0.0) ** 2 * weight[:, one])
        flat = np.concatenate(squares, axis=1)
        place = flat.argmax(axis=1)
        return flat[np.arange(len(flat)), place], place * n_systems + one


@dataclass(frozen=True, eq=False, kw_only=True)
class WorstCaseItems(Uncertainty):
    """Scores of systems on items, some of them known only between two ends.

    The error rate holds whatever the missing costs are. The critical value is that of the costs at these ends. Between
    them it may be larger, so that a few fillings (1 in 70 in simulations) order fewer pairs than this test does.

    Parameters
    ----------
    ends : PairedItems
        Each system twice: with its missing costs at their largest, then, in the same order, at their smallest.
    """

    ends: PairedItems

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Whether i at its worst is better than j at its best; a difference must also have the sign of the means'."""
        n = active.shape[1]
        within = np.zeros((len(active), 2 * n, 2 * n), dtype=bool)
        within[:, :n, n:] = active
        return self.ends.tested(within, alpha)[:, :n, n:] & (self.differences > 0)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """As for complete items, of each system at its worst against the given one at its best."""
        n = len(self.means)
        ends = None if among is None else [*among, n + system]
        return self.ends.sampled_pvalues(n + system, margins, ends)[:n]


def from_items_at_worst(
    scores: np.ndarray,
    known: np.ndarray,
    lowest: np.ndarray,
    highest: np.ndarray,
    *,
    clusters: np.ndarray | None = None,
    n_resamples: int,
    rng: np.random.Generator,
) -> WorstCaseItems:
    """Compare systems whatever their missing costs are.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, n_objectives)
        Costs; NaN where missing.
    known : ndarray of bool, shape (n_objectives,)
        Objectives that are declared to have no error.
    lowest, highest : ndarray, shape (n_objectives,)
        Between which costs the missing ones lie.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0; without it every item is drawn alone.
    n_resamples : int
        Draws of signs.
    rng : Generator
    """
    n_systems, n_objectives = scores.shape[1:]
    means, draws = _means_and_resamples(scores, known, clusters, n_resamples, rng)
    missing = np.isnan(scores)
    # An objective without error has one value for each system, on the items that it lacks as well.
    filling = [np.where(known, means, end) for end in (highest, lowest)]
    both = np.concatenate([np.where(missing, one, scores) for one in filling], axis=1)
    # One system at one end is compared with another at the other end.
    at_ends = np.kron(1 - np.eye(2), 1 - np.eye(n_systems)).astype(bool)
    ends = from_items(both[:, None], known, clusters=clusters, compared=at_ends, n_resamples=n_resamples, rng=rng)
    return WorstCaseItems(
        means=means,
        draws=draws,
        known=np.broadcast_to(known[:, None, None], (n_objectives, n_systems, n_systems)),
        skewed=ends.skewed,
        doubtful=ends.doubtful,
        ends=ends,
    )


def from_incomplete_items(
    scores: np.ndarray,
    known: np.ndarray,
    *,
    clusters: np.ndarray | None = None,
    n_resamples: int,
    rng: np.random.Generator,
) -> IncompleteItems:
    """Compare every two systems on the items that both have.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, n_objectives)
        Costs; NaN where missing.
    known : ndarray of bool, shape (n_objectives,)
        Objectives that are declared to have no error.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0; without it every item is drawn alone.
    n_resamples : int
        Draws of signs, and resamples of the means.
    rng : Generator
    """
    n_items, n_systems, n_objectives = scores.shape
    means, draws = _means_and_resamples(scores, known, clusters, n_resamples, rng)
    clusters = np.arange(n_items) if clusters is None else clusters
    alone = np.array_equal(clusters, np.arange(n_items))
    values = scores.transpose(2, 0, 1)
    present = ~np.isnan(values)
    levels = _levels(values)
    centered = np.where(present, values - levels, 0.0)
    largest = np.abs(np.where(present, values, 0.0)).max(axis=2)
    rounding = ((ROUNDING * _sums_of_clusters(largest, clusters)) ** 2).sum(axis=1)
    pairs = [
        _pairs(part, there, clusters, least)
        for part, there, least in zip(centered, present, rounding, strict=True)
    ]  # fmt: skip
    exact = np.array([alone and len(np.unique(part[there])) <= 2 for part, there in zip(values, present, strict=True)])
    skewed = ~exact & [pair.skewness.is_clear for pair in pairs]
    all_signs = random_signs(n_resamples, int(clusters.max()) + 1, rng)
    return IncompleteItems(
        means=means,
        draws=draws,
        known=np.broadcast_to(known[:, None, None], (n_objectives, n_systems, n_systems)),
        skewed=skewed,
        doubtful=~exact & [pair.skewness.is_much for pair in pairs],
        scores=centered,
        levels=levels,
        present=present,
        clusters=clusters,
        signs=np.concatenate([part.astype(np.int8) for part in all_signs]),
        squares=np.array([pair.squares for pair in pairs]),
        sums=np.array([pair.sums for pair in pairs]),
        common=np.array([pair.common for pair in pairs]),
        extreme=np.array([pair.extreme * is_skewed for pair, is_skewed in zip(pairs, skewed, strict=True)]),
    )


def adjusted_means(scores: np.ndarray) -> np.ndarray:
    """Means of systems over all items, each missing score replaced by the sum of a system's and an item's effect.

    The effects are those of least squares. Systems that no chain of common items connects are adjusted apart, for the
    items that are measured among those they are connected with.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems)
        NaN where missing; every system has at least one score.

    Returns
    -------
    ndarray, shape (n_systems,)
        The plain means if no score is missing.

    Examples
    --------
    >>> adjusted_means(np.array([[1.0, 2.0], [5.0, np.nan]]))
    array([3., 4.])
    """
    if not np.isnan(scores).any():
        means: np.ndarray = scores.mean(axis=0)
        return means
    return AdditiveFit.of(scores).means


@dataclass(frozen=True, eq=False)
class AdditiveFit:
    """Least squares of an effect of each system and one of each item; items without any score are left out.

    Parameters
    ----------
    means, effects : ndarray, shape (n_systems,)
        Adjusted means, and their part without the effects of the items.
    kept : ndarray of bool, shape (n_all_items,)
        Items with a score.
    of_items : ndarray, shape (n_items,)
        Effects of the items.
    residuals, shares : ndarray, shape (n_items, n_systems)
        What the effects leave of each score, 0 where missing; and the share of each score in those of its item.
    inverse : ndarray, shape (n_systems, n_systems)
        Of the normal equations.
    components : list of pairs of ndarray of bool
        Systems that chains of common items connect, and these items.
    """

    means: np.ndarray
    effects: np.ndarray
    kept: np.ndarray
    of_items: np.ndarray
    residuals: np.ndarray
    shares: np.ndarray
    inverse: np.ndarray
    components: list[tuple[np.ndarray, np.ndarray]]

    @classmethod
    def of(cls, scores: np.ndarray) -> AdditiveFit:
        """Fit scores of shape (n_items, n_systems), NaN where missing."""
        from scipy.sparse.csgraph import connected_components

        kept = ~np.isnan(scores).all(axis=1)
        scores = scores[kept]
        present = ~np.isnan(scores)
        levels = _levels(scores[None])[0]
        values, there = np.where(present, scores - levels, 0.0), present.astype(np.float64)
        shares = there / there.sum(axis=1, keepdims=True)
        inverse = np.linalg.pinv(np.diag(there.sum(axis=0)) - there.T @ shares, hermitian=True)
        effects = inverse @ (values - shares * values.sum(axis=1, keepdims=True)).sum(axis=0)
        above = ((values - there * effects) * shares).sum(axis=1)
        of_items = levels[:, 0] + above
        n_components, component = connected_components(there.T @ there > 0, directed=False)
        components = [(members := component == one, present[:, members].any(axis=1)) for one in range(n_components)]
        means = np.empty(scores.shape[1])
        for members, items in components:
            means[members] = effects[members] + of_items[items].mean()
        unit = 10.0 ** (np.ceil(np.log10(max(np.ptp(means), np.abs(means).max() * 1e-3, 1e-290))) - _DIGITS)
        residuals = there * (values - above[:, None] - effects)
        return cls(np.round(means / unit) * unit, effects, kept, of_items, residuals, shares, inverse, components)

    def resampled(self, counts: np.ndarray) -> np.ndarray:
        """Adjusted means where each item counts several times, or not at all.

        The fit is updated by one step, as in a bootstrap of scores [1]_: this is exact where no score is missing.

        Parameters
        ----------
        counts : ndarray, shape (n_resamples, n_all_items)
            How often each item counts.

        Returns
        -------
        ndarray, shape (n_resamples, n_systems)

        References
        ----------
        .. [1] P. Kline and A. Santos, "A Score Based Approach to Wild Bootstrap Inference", Journal of Econometric
           Methods 1, 2012.

        Examples
        --------
        >>> fit = AdditiveFit.of(np.array([[1.0, 2.0], [5.0, 8.0]]))
        >>> fit.resampled(np.array([[2.0, 0.0], [1.0, 1.0]])).tolist()
        [[1.0, 2.0], [3.0, 5.0]]
        """
        counts = counts[:, self.kept]
        shares = counts / np.maximum(counts.sum(axis=1, keepdims=True), 1)
        moved = (shares * shares.shape[1] - 1) @ self.residuals @ self.inverse
        drawn: np.ndarray = self.effects + moved
        for members, items in self.components:
            total = counts[:, items].sum(axis=1)
            weights = np.where(total[:, None] > 0, counts[:, items], 1.0)
            # The effect of an item is its mean score less those of the systems on it, which have moved.
            of_items = self.of_items[items] - moved @ self.shares[items].T
            drawn[:, members] += ((weights * of_items).sum(axis=1) / weights.sum(axis=1))[:, None]
        return drawn


def _means_and_resamples(
    scores: np.ndarray, known: np.ndarray, clusters: np.ndarray | None, n_resamples: int, rng: np.random.Generator
) -> tuple[np.ndarray, np.ndarray]:
    """Adjusted means of shape (n_systems, n_objectives), and resamples of them; what is known stays."""
    n_items, n_systems, n_objectives = scores.shape
    clusters = np.arange(n_items) if clusters is None else clusters
    of_known = np.array([_one_value_each(part) for part in scores.transpose(2, 0, 1)])
    fits = {k: AdditiveFit.of(scores[:, :, k]) for k in range(n_objectives) if not known[k]}
    means = np.array([fits[k].means if k in fits else of_known[k] for k in range(n_objectives)])
    draws = np.broadcast_to(means, (n_resamples, n_objectives, n_systems)).copy()
    # The draws of signs do not depend on these.
    of_resamples = rng.spawn(1)[0]
    size = max(1, NUMBERS_AT_ONCE // (n_items + n_systems))
    for start in range(0, n_resamples, size):
        rows = slice(start, min(start + size, n_resamples))
        counts = drawn_counts(rows.stop - start, int(clusters.max()) + 1, of_resamples)[:, clusters]
        for k, fit in fits.items():
            draws[rows, k] = fit.resampled(counts)
    return means.T, draws


@dataclass(frozen=True, eq=False)
class _Pairs:
    """Sums over clusters of the differences of all pairs in one objective; see :class:`IncompleteItems`."""

    sums: np.ndarray
    squares: np.ndarray
    common: np.ndarray
    extreme: np.ndarray
    skewness: Skewness


def _pairs(scores: np.ndarray, present: np.ndarray, clusters: np.ndarray, rounding: float) -> _Pairs:
    n = scores.shape[1]
    sums, squares, common, sizes = (np.zeros((n, n)) for _ in range(4))
    for differences, counts in _differences_by_cluster(scores, present, clusters):
        sums += differences
        squares += differences**2
        common += counts > 0
        sizes += counts * bool(differences.any())
    squares = np.where(squares > rounding, squares, 0.0)
    means = np.divide(sums, sizes, out=np.zeros((n, n)), where=sizes > 0)
    seconds, thirds, differing = (np.zeros((n, n)) for _ in range(3))
    for differences, counts in _differences_by_cluster(scores, present, clusters):
        # A cluster on which all systems agree says nothing of differences.
        if differences.any():
            deviations = differences - counts * means
            seconds += deviations**2
            thirds += deviations**3
            differing += counts > 0
    use = (squares > 0) & (seconds > rounding)
    of_means = np.divide(thirds, seconds**1.5, out=np.zeros((n, n)), where=use)
    skewness = Skewness.of_pairs(of_means, use, differing)
    extreme = _largest_deviations(scores, present, clusters)
    return _Pairs(sums, squares, common.astype(np.int64), np.maximum(extreme[:, None], extreme), skewness)


def _largest_deviations(scores: np.ndarray, present: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Largest deviation of a cluster's sum from the system's mean times the number of its items, for each system."""
    differing = np.array(
        [np.ptp(row[there]) > 0 if there.any() else False for row, there in zip(scores, present, strict=True)]
    )
    there = present & differing[:, None]
    n_items = there.sum(axis=0)
    means = np.divide((scores * there).sum(axis=0), n_items, out=np.zeros(scores.shape[1]), where=n_items > 0)
    largest: np.ndarray = np.zeros(scores.shape[1])
    for rows in np.split(np.argsort(clusters, kind="stable"), np.cumsum(np.bincount(clusters))[:-1]):
        largest = np.maximum(largest, np.abs(((scores[rows] - means) * there[rows]).sum(axis=0)))
    return largest


def _differences_by_cluster(
    scores: np.ndarray, present: np.ndarray, clusters: np.ndarray
) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    """Yield for each cluster by how much j costs more than i over their common items, and how many these are."""
    order = np.argsort(clusters, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(clusters))[:-1]):
        there = present[rows].astype(np.float64)
        products = there.T @ scores[rows]
        yield products - products.T, there.T @ there


def _sums_of_clusters(values: np.ndarray, clusters: np.ndarray) -> np.ndarray:
    """Sums over the items of each cluster, shape (k, n_clusters)."""
    return np.array([np.bincount(clusters, row) for row in values])


def _levels(values: np.ndarray) -> np.ndarray:
    """Median of the scores of each item, shape (k, n_items, 1); 0 for an item without scores."""
    empty = np.isnan(values).all(axis=2, keepdims=True)
    levels: np.ndarray = np.nanmedian(np.where(empty, 0.0, values), axis=2, keepdims=True)
    return levels


def _one_value_each(scores: np.ndarray) -> np.ndarray:
    """The value of each system in an objective without error, which is the same on all items that it has."""
    return np.nanmax(scores, axis=0)
