"""Tests of the differences between systems on many items, from sums over the items.

Scores are reduced in two steps, block by block, where a block has all items of its clusters: :func:`reduced` sums them
over clusters, and :func:`moments` adds up powers and products. What is left does not grow with the items. It is all
that random normal weights of the items need: sums under such weights are normal, with the products as covariance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from copa_nb.comparisons.arrays.skewness import cubed_sums, skewness_of_differences, squared_differences
from copa_nb.comparisons.arrays.uncertainty import (
    ROUNDING,
    Uncertainty,
    cluster_sums,
    max_t,
    normal_vectors,
    one_by_max_t,
)


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums over the items of one or several blocks, where k objectives of s systems are measured on u units.

    Parameters
    ----------
    n_items, n_units : int
        Items; and clusters, or items again.
    sums, lows, highs : ndarray, shape (k, s)
        Of scores: their sum, the smallest and the largest.
    values : tuple of frozenset
        Different scores of each objective, of up to three.
    rounding : ndarray, shape (k,)
        Sum of squares that rounding alone leaves.
    differing, differing_sizes, n_differing : ndarray, shape (k, s), (k,) and (k,)
        Over the units on which not all systems agree: sums of scores less what systems have in common, sum of the
        numbers of items, and how many units these are.
    """

    n_items: int
    n_units: int
    sums: np.ndarray
    lows: np.ndarray
    highs: np.ndarray
    values: tuple[frozenset[float], ...]
    rounding: np.ndarray
    differing: np.ndarray
    differing_sizes: np.ndarray
    n_differing: np.ndarray


def reduced(scores: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray, Totals]:
    """Sum the scores of a block over clusters.

    Parameters
    ----------
    scores : ndarray, shape (n_items, n_systems, n_objectives)
        Costs; at least one item.
    clusters : ndarray of int, shape (n_items,)
        Number of each item's cluster.

    Returns
    -------
    ndarray, shape (n_objectives, n_units, n_systems)
        Sums over each cluster of the scores, less what all systems have in common on an item.
    ndarray, shape (n_units,)
        Items of each cluster.
    Totals
    """
    scores = np.ascontiguousarray(scores.transpose(2, 0, 1))
    items = cluster_sums(scores - np.median(scores, axis=2, keepdims=True), clusters)
    sizes = np.bincount(clusters).astype(np.float64)
    lows, highs = scores.min(axis=1), scores.max(axis=1)
    differing = np.ptp(items, axis=2) > 0
    largest = ROUNDING * cluster_sums(np.abs(scores).max(axis=2), clusters)
    totals = Totals(
        scores.shape[1], len(sizes), scores.sum(axis=1), lows, highs, tuple(map(_up_to_three, scores)),
        (largest**2).sum(axis=1), np.where(differing[:, :, None], items, 0.0).sum(axis=1), differing @ sizes,
        differing.sum(axis=1),
    )  # fmt: skip
    return items, sizes, totals


def _up_to_three(scores: np.ndarray) -> frozenset[float]:
    """Different numbers, of which three are enough to tell that they are not two."""
    ends = scores.min(), scores.max()
    others = scores[(scores != ends[0]) & (scores != ends[1])]
    return frozenset({*map(float, ends), *map(float, others[:1])})


def together(parts: Sequence[Totals]) -> Totals:
    """Add up the totals of several blocks."""
    added = {
        name: sum(getattr(part, name) for part in parts)
        for name in (
            "n_items", "n_units", "sums", "rounding", "differing", "differing_sizes", "n_differing",
        )
    }  # fmt: skip
    return Totals(
        lows=np.min([part.lows for part in parts], axis=0),
        highs=np.max([part.highs for part in parts], axis=0),
        values=tuple(frozenset.union(*sets) for sets in zip(*(part.values for part in parts), strict=True)),
        **added,
    )


@dataclass(frozen=True, eq=False)
class Moments:
    """What tests of differences need of many items.

    Parameters
    ----------
    totals : Totals
        Sums of all items.
    squares : ndarray, shape (k, s, s)
        Sums of squared differences over the units; 0 for equals.
    products : ndarray, shape (k * s, k * s)
        Sums of products of scores, less what all systems have in common.
    centered, sized : ndarray, shape (k * s,)
        Sums of these scores; and of these times the number of items of a unit.
    size_squares : float
        Sum of the squared numbers of items.
    spread, cubes, mixed : ndarray, shape (k, s, s), (k, s) and (k, s, s)
        Sums of powers of deviations, over the units on which not all systems agree; see
        :func:`copa_nb.comparisons.arrays.skewness.cubed_sums`.
    extremes : ndarray, shape (k, s)
        Largest deviation of each system.
    """

    totals: Totals
    squares: np.ndarray
    products: np.ndarray
    centered: np.ndarray
    sized: np.ndarray
    size_squares: float
    spread: np.ndarray
    cubes: np.ndarray
    mixed: np.ndarray
    extremes: np.ndarray

    @property
    def means(self) -> np.ndarray:
        """Mean scores, shape (s, k)."""
        return self.totals.sums.T / self.totals.n_items

    def of_systems(self, rows: np.ndarray) -> Moments:
        """The same of some of the systems; items on which only others differ are not told from the rest."""
        k, s = self.totals.sums.shape
        both = (np.arange(k)[:, None] * s + rows).ravel()
        totals = {name: getattr(self.totals, name)[:, rows] for name in ("sums", "lows", "highs", "differing")}
        pairs = {name: getattr(self, name)[:, rows][:, :, rows] for name in ("squares", "spread", "mixed")}
        return replace(
            self, totals=replace(self.totals, **totals), products=self.products[np.ix_(both, both)],
            centered=self.centered[both], sized=self.sized[both], cubes=self.cubes[:, rows],
            extremes=self.extremes[:, rows], **pairs,
        )  # fmt: skip


def moments(blocks: Iterator[tuple[np.ndarray, np.ndarray]], totals: Totals) -> Moments:
    """Add up powers and products over blocks.

    Parameters
    ----------
    blocks : iterator of (ndarray, ndarray)
        Scores and sizes of the units of each block; see :func:`reduced`.
    totals : Totals
        Of all blocks.
    """
    k, s = totals.sums.shape
    squares, spread, mixed = (np.zeros((k, s, s)) for _ in range(3))
    cubes, extremes = np.zeros((k, s)), np.zeros((k, s))
    products, centered, sized, size_squares = np.zeros((k * s, k * s)), np.zeros(k * s), np.zeros(k * s), 0.0
    centers = totals.differing / np.maximum(totals.differing_sizes, 1)[:, None]
    for items, sizes in blocks:
        flat = items.transpose(1, 0, 2).reshape(len(sizes), -1)
        products += flat.T @ flat
        centered += flat.sum(axis=0)
        sized += sizes @ flat
        size_squares += float(sizes @ sizes)
        for one, scores in enumerate(items):
            squares[one] += squared_differences(scores)
            differing = np.ptp(scores, axis=1) > 0
            deviations = scores[differing] - sizes[differing, None] * centers[one]
            spread[one] += squared_differences(deviations)
            thirds, mixture = cubed_sums(deviations)
            cubes[one] += thirds
            mixed[one] += mixture
            extremes[one] = np.maximum(extremes[one], np.abs(deviations).max(axis=0, initial=0.0))
    squares = np.where(squares > totals.rounding[:, None, None], squares, 0.0)
    return Moments(totals, squares, products, centered, sized, size_squares, spread, cubes, mixed, extremes)


@dataclass(frozen=True, eq=False, kw_only=True)
class ManyItems(Uncertainty):
    """Scores of all systems on so many items that sums of them are normal.

    Parameters
    ----------
    squares, extremes : ndarray, shape (n_objectives, n_systems, n_systems) and (n_objectives, n_systems)
        As of :class:`copa_nb.comparisons.arrays.uncertainty.PairedItems`.
    weighted : ndarray, shape (n_resamples, n_objectives, n_systems)
        Sums over the items under random normal weights, the same for all systems and objectives.
    n_items : int
        Over which means are taken.
    """

    squares: np.ndarray
    extremes: np.ndarray
    weighted: np.ndarray
    n_items: int

    def tested(self, active: np.ndarray, alpha: float) -> np.ndarray:
        """Step-down max-T under random normal weights of the items."""
        extremes = np.where(self.skewed[:, None], self.extremes, 0.0)
        return max_t(self.differences * self.n_items, self.squares, extremes, self.weighted, active, alpha)

    def is_beaten(self, one: int, others: np.ndarray, alpha: float) -> bool:
        """The same from one column of all pairs, because thousands of systems are tested in turn."""
        extremes = np.where(self.skewed[:1, None], self.extremes[:1], 0.0)
        return one_by_max_t(self, one, others, extremes, self.weighted, self.n_items, alpha)

    def sampled_pvalues(self, system: int, margins: np.ndarray, among: Sequence[int] | None = None) -> np.ndarray:
        """Refuse: items that are weighed at random must be at hand."""
        raise TypeError(
            "differences are compared with a margin by weighing single items, and only sums over the items of a table "
            "that is read in pieces were kept; take a sample of them, or raise `rows_in_memory` of `scan`."
        )


def from_moments(found: Moments, known: np.ndarray, *, n_resamples: int, rng: np.random.Generator) -> ManyItems:
    """Weigh items at random: in place of random signs, and of resamples, sums of them are drawn from the normal.

    Parameters
    ----------
    found : Moments
    known : ndarray of bool, shape (n_objectives,)
        Objectives that are declared to have no error.
    n_resamples : int
    rng : Generator

    Returns
    -------
    ManyItems
        Its draws of means leave out what all systems have in common.

    References
    ----------
    .. [1] V. Chernozhukov, D. Chetverikov and K. Kato, "Gaussian approximations and multiplier bootstrap for maxima of
       sums of high-dimensional random vectors", Annals of Statistics 41, 2013.
    """
    totals = found.totals
    k, s = totals.sums.shape
    n, units = totals.n_items, totals.n_units
    exact = [units == n and len(values) <= 2 for values in totals.values]
    skewness = [
        skewness_of_differences(*of_one)
        for of_one in zip(found.spread, found.cubes, found.mixed, totals.n_differing, totals.rounding, strict=True)
    ]
    means = found.centered / n
    crossed = np.outer(means, found.sized)
    deviations = found.products - crossed - crossed.T + found.size_squares * np.outer(means, means)
    of_means = deviations * (units / (units - 1) / n**2)
    return ManyItems(
        means=found.means,
        draws=found.means.T + normal_vectors(of_means, n_resamples, rng).reshape(-1, k, s),
        known=np.broadcast_to(known[:, None, None], found.squares.shape),
        skewed=~np.array(exact) & [one.is_clear for one in skewness],
        doubtful=~np.array(exact) & [one.is_much for one in skewness],
        squares=found.squares,
        extremes=found.extremes,
        weighted=normal_vectors(found.products, n_resamples, rng).reshape(-1, k, s),
        n_items=n,
    )
