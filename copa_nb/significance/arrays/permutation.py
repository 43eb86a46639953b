"""The hypervolume permutation test on arrays: is one front better than another beyond seed noise?

Statistic: hypervolume of the first side minus that of the second. Its null distribution comes from
handing out the labels anew, among all rows or within matched blocks. With B random relabellings
p = (1 + #{|D_b| >= |D|}) / (B + 1); where all relabellings are enumerated, p is the exact proportion, the
observed labelling included.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from copa_nb.significance.arrays import relabelling
from copa_nb.significance.arrays.subset_hypervolumes import (
    Measure,
    choose_measure,
    set_hypervolumes,
    subset_hypervolumes,
)

ALTERNATIVES = ("two-sided", "greater", "less")
# Sums of a few dozen products agree to this share of the hypervolume in whatever order they are taken.
_TIE_TOLERANCE = 1e-12
_REMEMBERED_CELLS = 1 << 18
# "splits" or "labelings", how often each label occurs in a block, number of blocks.
_Kind: TypeAlias = "tuple[str, tuple[int, ...], int]"


@dataclass(frozen=True)
class PermutationTest:
    """Outcome of a permutation test.

    Parameters
    ----------
    statistic : float
        Observed difference.
    pvalue : float
        Share of relabellings at least as extreme.
    null_distribution : ndarray of float64, shape (b,)
        Difference under each relabelling.
    exact : bool
        Whether every relabelling was enumerated, each once.
    n_relabellings : int
        Number of distinct relabellings.
    first_value, second_value : float
        Observed hypervolume of each side.
    measure : Measure
        How hypervolumes were computed.
    """

    statistic: float
    pvalue: float
    null_distribution: np.ndarray
    exact: bool
    n_relabellings: int
    first_value: float
    second_value: float
    measure: Measure


@dataclass(frozen=True)
class _Layout:
    """Rows in an order that depends on their values alone, block by block."""

    order: np.ndarray
    size: int
    n_blocks: int
    # True for the rows of the side whose members are drawn: the smaller one, so that the same
    # relabellings are drawn whichever side is called first.
    drawn: np.ndarray
    sign: float


def permutation_pvalue(
    statistic: float,
    null_distribution: np.ndarray,
    *,
    alternative: str = "two-sided",
    exact: bool,
    tolerance: float = 0.0,
) -> float:
    """Share of relabellings whose difference is at least as extreme as the observed one.

    Parameters
    ----------
    statistic : float
        Observed difference D.
    null_distribution : ndarray of float64, shape (b,)
        Differences D_b under the relabellings.
    alternative : {"two-sided", "greater", "less"}
        Counts ``|D_b| >= |D|``, ``D_b >= D`` or ``D_b <= D``.
    exact : bool
        True if `null_distribution` holds every relabelling once (the observed one among them): the plain
        proportion. False for random relabellings: ``(1 + count) / (b + 1)``.
    tolerance : float
        Differences closer than this count as equal.

    Returns
    -------
    float

    Examples
    --------
    >>> permutation_pvalue(2.0, np.array([-2.0, -1.0, 1.0, 2.0]), exact=True)
    0.5
    >>> permutation_pvalue(2.0, np.array([-2.0, -1.0, 1.0, 2.0]), exact=False)
    0.6
    """
    extreme = mark_extreme(statistic, null_distribution, alternative=alternative, tolerance=tolerance)
    count, total = int(np.count_nonzero(extreme)), len(null_distribution)
    return count / total if exact else (1 + count) / (total + 1)


def mark_extreme(
    statistic: float, null_distribution: np.ndarray, *, alternative: str = "two-sided", tolerance: float = 0.0
) -> np.ndarray:
    """Mark the relabellings whose difference is at least as extreme as the observed one.

    Parameters
    ----------
    statistic, null_distribution, alternative, tolerance
        See :func:`permutation_pvalue`.

    Returns
    -------
    ndarray of bool, shape (b,)
    """
    if alternative == "two-sided":
        return np.abs(null_distribution) >= abs(statistic) - tolerance
    if alternative == "greater":
        return null_distribution >= statistic - tolerance
    return null_distribution <= statistic + tolerance


def tie_tolerance(first: float, second: float) -> float:
    """Differences of these two hypervolumes that are closer than this are equal but for rounding."""
    return _TIE_TOLERANCE * max(first, second)


def split_test(
    points: np.ndarray,
    first: np.ndarray,
    reference: np.ndarray,
    *,
    blocks: np.ndarray | None = None,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    method: str = "auto",
    rng: np.random.Generator | int = 0,
) -> PermutationTest:
    """Test the hypervolumes of two sets of points by exchanging which points belong to which set.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Costs of both sides.
    first : ndarray of bool, shape (n,)
        Which rows belong to the first side.
    reference : ndarray of float64, shape (k,)
        The reference point.
    blocks : ndarray of int, shape (n,), optional
        Matched blocks; rows are exchanged within them only. Each must hold as many rows, and as many of
        the first side, as every other.
    n_resamples : int
        Random relabellings; all are enumerated if they are no more than this.
    alternative : {"two-sided", "greater", "less"}
        See :func:`permutation_pvalue`.
    method : {"auto", "exact", "approximate"}
        How hypervolumes are measured.
    rng : int or numpy Generator
        Source of randomness.

    Returns
    -------
    PermutationTest
        Depends neither on the order of the rows nor, but for the sign, on which side is first.

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [3.0, 2.5], [2.5, 3.0]])
    >>> first = np.array([True, True, True, False, False, False])
    >>> test = split_test(points, first, np.array([4.0, 4.0]))
    >>> test.statistic, test.pvalue, test.exact
    (7.0, 0.1, True)
    """
    layout = _layout(points, first, blocks)
    points = np.ascontiguousarray(points[layout.order])
    n_drawn = int(layout.drawn.sum()) // layout.n_blocks
    total = relabelling.count_splits(layout.size, n_drawn, layout.n_blocks)
    exact = total <= n_resamples
    n_sets = 2 * (total if exact else n_resamples)
    larger = max(n_drawn, layout.size - n_drawn) * layout.n_blocks
    measure = choose_measure(points.shape[1], larger, n_sets, method=method)

    def both(members: np.ndarray) -> np.ndarray:
        sides = np.concatenate([members, ~members])
        return subset_hypervolumes(points, reference, sides, measure).reshape(2, len(members))

    kind = "splits", (n_drawn, layout.size - n_drawn), layout.n_blocks
    splits = iter(_relabellings(kind, total if exact else n_resamples, None if exact else rng))
    # The observed labelling goes along with the first chunk: a call costs more than a row.
    chunk = both(np.concatenate([layout.drawn[None, :], next(splits)]))
    drawn_value, other_value = chunk[:, 0]
    differences = [layout.sign * (chunk[0, 1:] - chunk[1, 1:])]
    differences += [layout.sign * np.subtract(*both(members)) for members in splits]
    values = (drawn_value, other_value) if layout.sign > 0 else (other_value, drawn_value)
    return _conclude(values, differences, exact, total, alternative, measure)


def mean_test(
    points: np.ndarray,
    systems: np.ndarray,
    first: np.ndarray,
    reference: np.ndarray,
    *,
    blocks: np.ndarray | None = None,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    method: str = "auto",
    rng: np.random.Generator | int = 0,
) -> PermutationTest:
    """Test the hypervolumes of the fronts of means by handing out the systems' labels anew.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Finite costs, one row per run.
    systems : ndarray of int, shape (n,)
        System of each row, from 0 on.
    first : ndarray of bool, shape (n_systems,)
        Which systems belong to the first side.
    reference, blocks, n_resamples, alternative, method, rng
        See :func:`split_test`; within blocks every system must have one row.

    Returns
    -------
    PermutationTest

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 2.0]])
    >>> mean_test(points, np.array([0, 0, 1, 1]), np.array([True, False]), np.array([4.0, 4.0])).statistic
    4.5
    """
    layout = _layout(points, np.zeros(len(points), dtype=bool), blocks)
    points, systems = points[layout.order], systems[layout.order]
    counts = np.bincount(systems, minlength=len(first))
    in_block = [int(count) // layout.n_blocks for count in counts]
    total = relabelling.count_labelings(in_block, layout.n_blocks)
    exact = total <= n_resamples
    larger = int(max(first.sum(), (~first).sum()))
    measure = choose_measure(points.shape[1], larger, 2 * min(total, n_resamples), method=method)

    def both(labels: np.ndarray) -> np.ndarray:
        means = np.stack([(labels == s) @ points / counts[s] for s in range(len(first))], axis=1)
        return np.stack([set_hypervolumes(means[:, side], reference, measure) for side in (first, ~first)])

    values = both(systems[None, :])[:, 0]
    kind = "labelings", tuple(in_block), layout.n_blocks
    labelings = _relabellings(kind, total if exact else n_resamples, None if exact else rng)
    differences = [np.subtract(*both(labels)) for labels in labelings]
    return _conclude((values[0], values[1]), differences, exact, total, alternative, measure)


def _conclude(
    values: tuple[float, float],
    differences: list[np.ndarray],
    exact: bool,
    total: int,
    alternative: str,
    measure: Measure,
) -> PermutationTest:
    statistic = float(values[0] - values[1])
    null = np.concatenate(differences)
    tolerance = tie_tolerance(*values)
    pvalue = permutation_pvalue(statistic, null, alternative=alternative, exact=exact, tolerance=tolerance)
    return PermutationTest(statistic, pvalue, null, exact, total, float(values[0]), float(values[1]), measure)


def _layout(points: np.ndarray, first: np.ndarray, blocks: np.ndarray | None) -> _Layout:
    by_value = np.lexsort(points.T[::-1])
    if blocks is None:
        order, size, n_blocks = by_value, len(points), 1
    else:
        within = by_value[np.argsort(blocks[by_value], kind="stable")]
        n_blocks = len(np.unique(blocks))
        size = len(points) // n_blocks
        cubes = within.reshape(n_blocks, size)
        order = cubes[np.lexsort(points[cubes].reshape(n_blocks, -1).T[::-1])].ravel()
    drawn = first[order]
    n_first = int(drawn.sum())
    swap = 2 * n_first > len(points) or (2 * n_first == len(points) and not drawn[0])
    return _Layout(order, size, n_blocks, ~drawn if swap else drawn, -1.0 if swap else 1.0)


def _relabellings(kind: _Kind, count: int, rng: np.random.Generator | int | None) -> Iterable[np.ndarray]:
    """`count` random relabellings, or all of them if there is no `rng`."""
    remembered = count * sum(kind[1]) * kind[2] <= _REMEMBERED_CELLS
    if isinstance(rng, np.random.Generator) or not remembered:
        return _fresh_relabellings(kind, count, rng)
    return _remembered_relabellings(kind, count, rng)


def _fresh_relabellings(kind: _Kind, count: int, rng: np.random.Generator | int | None) -> Iterator[np.ndarray]:
    what, counts, n_blocks = kind
    size, generator = sum(counts), np.random.default_rng(rng)
    if what == "labelings":
        if rng is None:
            return relabelling.all_labelings(counts, n_blocks)
        return relabelling.random_labelings(counts, n_blocks, count, generator)
    if rng is None:
        return relabelling.all_splits(size, counts[0], n_blocks)
    return relabelling.random_splits(size, counts[0], n_blocks, count, generator)


# Audits and power studies test many data sets of the same shape with the same seed.
@functools.lru_cache(maxsize=16)
def _remembered_relabellings(kind: _Kind, count: int, seed: int | None) -> tuple[np.ndarray, ...]:
    relabellings = tuple(_fresh_relabellings(kind, count, seed))
    for chunk in relabellings:
        chunk.setflags(write=False)
    return relabellings
