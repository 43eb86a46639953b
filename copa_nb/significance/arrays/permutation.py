"""The hypervolume permutation test on arrays: does one front differ from another by more than the noise of repeated
runs?

The statistic is the hypervolume of the first side minus that of the second. Its null distribution comes from
permuting the labels, among all rows or within matched blocks (seeds or folds) of equal size. With B random
permutations p = (1 + #{|D_b| >= |D|}) / (B + 1); if all permutations are enumerated, p is the exact proportion, the
observed one included.

That two-sided form needs a null distribution that is symmetric around zero, which swapping the labels gives if both
sides have equally many runs. With unequal numbers the larger side has the larger front by chance alone, the null
distribution is off center, and twice the smaller tail takes the place of the paper's form.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from copa_nb import checks
from copa_nb.pareto.arrays.hypervolume import (
    METHODS,
    Measure,
    choose_measure,
    indicator_measure,
    set_hypervolumes,
    subset_hypervolumes,
)
from copa_nb.pareto.arrays.indicators import NAMES

ALTERNATIVES = ("two-sided", "greater", "less")
UNITS = ("run", "mean")
TWO_SIDED = ("tails", "paper")
# Sums of a few dozen products agree to this share of the hypervolume in whatever order they are taken.
_TIE_TOLERANCE = 1e-12
_REMEMBERED_CELLS = 1 << 18
# Permutations come in chunks of bounded size, so that memory does not grow with their number.
_CHUNK_CELLS = 1 << 20


@dataclass(frozen=True)
class HypervolumeTestOptions:
    """How to test, checked once for all tests of an audit.

    Parameters are those of ``df.moo.hv_test()``: all permutations are enumerated if they are no more than
    `n_resamples`, and `rng` is the source of the random ones and of the directions of an approximation.
    """

    n_resamples: int = 5000
    alternative: str = "two-sided"
    paired: bool = False
    unit: str = "run"
    method: str = "auto"
    alpha: float = 0.05
    rng: int | np.random.Generator | None = 0
    two_sided: str = "tails"
    indicator: str = "hypervolume"

    def __post_init__(self) -> None:
        checks.integer("n_resamples", self.n_resamples)
        checks.one_of("alternative", self.alternative, ALTERNATIVES)
        checks.one_of("unit", self.unit, UNITS)
        checks.one_of("two_sided", self.two_sided, TWO_SIDED)
        checks.one_of("method", self.method, METHODS)
        checks.one_of("indicator", self.indicator, tuple(NAMES))
        checks.fraction("alpha", self.alpha)
        checks.generator(self.rng)
        if not isinstance(self.paired, bool | np.bool_):
            raise TypeError(f"`paired` is {self.paired!r}; it must be True or False.")


@dataclass(frozen=True)
class PermutationTest:
    """Outcome of a permutation test.

    Parameters
    ----------
    statistic : float
        Observed difference.
    pvalue : float
        Share of permutations at least as extreme.
    null_distribution : ndarray of float64, shape (b,)
        Difference under each permutation.
    exact : bool
        Whether every permutation was enumerated, each once.
    n_permutations : int
        Number of distinct permutations.
    first_value, second_value : float
        Observed hypervolume of each side, or minus its indicator.
    measure : Measure
        How hypervolumes were computed.
    tail : {"two-sided", "smaller tail", "greater", "less"}
        Which differences count for p; see :func:`permutation_pvalue`.
    """

    statistic: float
    pvalue: float
    null_distribution: np.ndarray
    exact: bool
    n_permutations: int
    first_value: float
    second_value: float
    measure: Measure
    tail: str


@dataclass(frozen=True)
class Layout:
    """Rows in an order that depends on their values alone, block by block."""

    order: np.ndarray
    size: int
    n_blocks: int
    # True for the rows of the side whose members are drawn: the smaller one, so that the same permutations are drawn
    # whichever side is called first.
    drawn: np.ndarray
    sign: float


def counted_tail(alternative: str, two_sided: str, *, symmetric: bool) -> str:
    """Which differences count for p, as :func:`permutation_pvalue` takes it.

    Parameters
    ----------
    alternative, two_sided : str
        See ``df.moo.hv_test()``.
    symmetric : bool
        Whether swapping the sides is a permutation of the labels, which makes the null distribution symmetric: the
        paper's count is twice the smaller tail then, and of random permutations it uses both tails.
    """
    return "smaller tail" if alternative == "two-sided" and two_sided == "tails" and not symmetric else alternative


def permutation_pvalue(
    statistic: Any,
    null_distribution: np.ndarray,
    *,
    alternative: str = "two-sided",
    exact: bool,
    tolerance: Any = 0.0,
) -> Any:
    """Share of permutations whose difference is at least as extreme as the observed one.

    Parameters
    ----------
    statistic : float or ndarray of float64, shape (m,)
        Observed difference D, or those of m tests.
    null_distribution : ndarray of float64, shape (b,) or (b, m)
        Differences D_b under the permutations.
    alternative : {"two-sided", "smaller tail", "greater", "less"}
        Counts ``|D_b| >= |D|``; twice the smaller of the next two, at most 1; ``D_b >= D``; or ``D_b <= D``.
    exact : bool
        True if `null_distribution` holds every permutation once (the observed one among them): the plain
        proportion. False for random permutations: ``(1 + count) / (b + 1)``.
    tolerance : float or ndarray of float64, shape (m,)
        Differences closer than this count as equal.

    Returns
    -------
    float or ndarray of float64, shape (m,)

    Examples
    --------
    >>> permutation_pvalue(2.0, np.array([-2.0, -1.0, 1.0, 2.0]), exact=True)
    0.5
    >>> permutation_pvalue(2.0, np.array([-2.0, -1.0, 1.0, 2.0]), exact=False)
    0.6
    >>> permutation_pvalue(2.0, np.array([-4.0, -1.0, 1.0, 2.0]), alternative="smaller tail", exact=True)
    0.5
    """
    if alternative == "smaller tail":
        tails = [
            permutation_pvalue(statistic, null_distribution, alternative=side, exact=exact, tolerance=tolerance)
            for side in ("greater", "less")
        ]
        doubled = np.minimum(1.0, 2 * np.minimum(*tails))
        return doubled if np.ndim(statistic) else float(doubled)
    extreme = mark_extreme(statistic, null_distribution, alternative=alternative, tolerance=tolerance)
    count, total = extreme.sum(axis=0), len(null_distribution)
    share = count / total if exact else (1 + count) / (total + 1)
    return share if np.ndim(statistic) else float(share)


def mark_extreme(
    statistic: Any, null_distribution: np.ndarray, *, alternative: str = "two-sided", tolerance: Any = 0.0
) -> np.ndarray:
    """Mark the permutations whose difference is at least as extreme as the observed one.

    Parameters
    ----------
    statistic, null_distribution, alternative, tolerance
        See :func:`permutation_pvalue`.

    Returns
    -------
    ndarray of bool, shape (b,)
        For "smaller tail" the permutations of that tail, whose number counts twice.
    """
    if alternative == "smaller tail":
        both = [
            mark_extreme(statistic, null_distribution, alternative=side, tolerance=tolerance)
            for side in ("greater", "less")
        ]
        return min(both, key=np.count_nonzero)
    if alternative == "two-sided":
        marked: np.ndarray = np.abs(null_distribution) >= abs(statistic) - tolerance
        return marked
    if alternative == "greater":
        return np.asarray(null_distribution >= statistic - tolerance)
    return np.asarray(null_distribution <= statistic + tolerance)


def tie_tolerance(first: float, second: float) -> float:
    """Differences of these two hypervolumes that are closer than this are equal but for rounding."""
    return _TIE_TOLERANCE * max(abs(first), abs(second))


def permutation_test(
    points: np.ndarray,
    systems: np.ndarray,
    first: np.ndarray,
    reference: np.ndarray,
    options: HypervolumeTestOptions,
    *,
    blocks: np.ndarray | None = None,
) -> PermutationTest:
    """Test at the level of runs (:func:`split_test`) or of the systems' means (:func:`mean_test`).

    Parameters
    ----------
    points, systems, first, reference, blocks
        See :func:`mean_test`.
    options : HypervolumeTestOptions
        How to test.
    """
    if options.unit == "run":
        return split_test(points, first[systems], reference, options, blocks=blocks)
    return mean_test(points, systems, first, reference, options, blocks=blocks)


def split_test(
    points: np.ndarray,
    first: np.ndarray,
    reference: np.ndarray,
    options: HypervolumeTestOptions,
    *,
    blocks: np.ndarray | None = None,
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
    options : HypervolumeTestOptions
        How to test. Of an indicator other than the hypervolume, minus its values are compared, against the front of
        all rows, which no permutation changes.
    blocks : ndarray of int, shape (n,), optional
        Matched blocks; rows are exchanged within them only. Each must hold as many rows, and as many of
        the first side, as every other.

    Returns
    -------
    PermutationTest
        Depends neither on the order of the rows nor, but for the sign, on which side is first.

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, 2.0], [2.0, 1.0], [3.0, 3.0], [3.0, 2.5], [2.5, 3.0]])
    >>> first = np.array([True, True, True, False, False, False])
    >>> test = split_test(points, first, np.array([4.0, 4.0]), HypervolumeTestOptions())
    >>> test.statistic, test.pvalue, test.exact
    (7.0, 0.1, True)
    """
    layout = order_rows(points, first, blocks)
    points = np.ascontiguousarray(points[layout.order])
    n_drawn = int(layout.drawn.sum()) // layout.n_blocks
    counts = n_drawn, layout.size - n_drawn
    measure = _measure(points, [points[layout.drawn], points[~layout.drawn]], reference, options)

    def both(members: np.ndarray) -> np.ndarray:
        sides = np.concatenate([members, ~members])
        return subset_hypervolumes(points, reference, sides, measure).reshape(2, len(members))

    chunks = iter(draw_permutations(counts, layout.n_blocks, options))
    # The observed labels go along with the first chunk: a call costs more than a row.
    values = both(np.concatenate([layout.drawn[None, :], next(chunks) == 0]))
    drawn_value, other_value = values[:, 0]
    differences = [layout.sign * (values[0, 1:] - values[1, 1:])]
    differences += [layout.sign * np.subtract(*both(labels == 0)) for labels in chunks]
    observed = (drawn_value, other_value) if layout.sign > 0 else (other_value, drawn_value)
    total = count_permutations(counts, layout.n_blocks)
    return _conclude(observed, differences, total, measure, options, symmetric=counts[0] == counts[1])


def mean_test(
    points: np.ndarray,
    systems: np.ndarray,
    first: np.ndarray,
    reference: np.ndarray,
    options: HypervolumeTestOptions,
    *,
    blocks: np.ndarray | None = None,
) -> PermutationTest:
    """Test the hypervolumes of the fronts of means by permuting the systems' labels among the runs.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Finite costs, one row per run.
    systems : ndarray of int, shape (n,)
        System of each row, from 0 on.
    first : ndarray of bool, shape (n_systems,)
        Which systems belong to the first side.
    reference, options, blocks
        See :func:`split_test`; within blocks every system must have one row.

    Returns
    -------
    PermutationTest

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [1.0, 3.0], [3.0, 3.0], [3.0, 2.0]])
    >>> systems, first, reference = np.array([0, 0, 1, 1]), np.array([True, False]), np.array([4.0, 4.0])
    >>> mean_test(points, systems, first, reference, HypervolumeTestOptions()).statistic
    4.5
    """
    layout = order_rows(points, np.zeros(len(points), dtype=bool), blocks)
    points, systems = points[layout.order], systems[layout.order]
    runs_of = np.bincount(systems, minlength=len(first))
    counts = tuple(int(count) // layout.n_blocks for count in runs_of)

    def means(labels: np.ndarray) -> np.ndarray:
        return np.stack([(labels == s) @ points / runs_of[s] for s in range(len(first))], axis=1)

    observed = means(systems[None, :])
    measure = _measure(points, [observed[0, first], observed[0, ~first]], reference, options)

    def both(fronts: np.ndarray) -> np.ndarray:
        return np.stack([set_hypervolumes(fronts[:, side], reference, measure) for side in (first, ~first)])

    values = both(observed)[:, 0]
    chunks = draw_permutations(counts, layout.n_blocks, options)
    differences = [np.subtract(*both(means(labels))) for labels in chunks]
    total, symmetric = count_permutations(counts, layout.n_blocks), sorted(runs_of[first]) == sorted(runs_of[~first])
    return _conclude((values[0], values[1]), differences, total, measure, options, symmetric=symmetric)


def _measure(
    points: np.ndarray, sides: list[np.ndarray], reference: np.ndarray, options: HypervolumeTestOptions
) -> Measure:
    """How the fronts of all points are measured, whichever side they are on."""
    if options.indicator == "hypervolume":
        return choose_measure(sides, reference, method=options.method, rng=options.rng)
    return indicator_measure(points, options.indicator)


def count_permutations(counts: Sequence[int], n_blocks: int = 1) -> int:
    """Number of distinct ways to assign labels, the i-th of them `counts[i]` times in each block.

    Examples
    --------
    >>> count_permutations([2, 2, 2]), count_permutations([1, 1], n_blocks=10)
    (90, 1024)
    """
    ways = math.factorial(sum(counts))
    for count in counts:
        ways //= math.factorial(count)
    return int(ways**n_blocks)


def all_permutations(counts: Sequence[int], n_blocks: int = 1) -> Iterator[np.ndarray]:
    """Enumerate every distinct assignment of labels.

    Parameters
    ----------
    counts : sequence of int
        How often each label occurs in a block.
    n_blocks : int
        Blocks; the rows of a block are neighbors.

    Yields
    ------
    ndarray of int8, shape (b, n_blocks * sum(counts))
        Label of each row; all chunks together hold each assignment once.

    Examples
    --------
    >>> np.concatenate(list(all_permutations([1, 2])))
    array([[0, 1, 1],
           [1, 0, 1],
           [1, 1, 0]], dtype=int8)
    """
    block = np.full((1, sum(counts)), -1, dtype=np.int8)
    for label, count in enumerate(counts):
        free = np.nonzero(block < 0)[1].reshape(len(block), -1)
        chosen = np.array(list(itertools.combinations(range(free.shape[1]), count)), dtype=np.int64)
        block = np.repeat(block, len(chosen), axis=0)
        np.put_along_axis(block, free[:, chosen].reshape(len(block), count), label, axis=1)
    if n_blocks == 1:
        yield block
        return
    for start, stop in _chunks(len(block) ** n_blocks, block.shape[1] * n_blocks):
        codes = np.arange(start, stop)
        yield np.concatenate([block[codes // len(block) ** b % len(block)] for b in range(n_blocks)], axis=1)


def random_permutations(
    counts: Sequence[int], n_blocks: int, n_resamples: int, rng: np.random.Generator
) -> Iterator[np.ndarray]:
    """Draw assignments of labels, each with the same probability and independently of the others.

    Parameters
    ----------
    counts, n_blocks : sequence of int, int
        See :func:`all_permutations`.
    n_resamples : int
        How many.
    rng : numpy Generator
        Source of randomness.

    Yields
    ------
    ndarray of int8, shape (b, n_blocks * sum(counts))
    """
    size = sum(counts)
    block = np.repeat(np.arange(len(counts), dtype=np.int8), counts)
    for start, stop in _chunks(n_resamples, size * n_blocks):
        rows = stop - start
        if len(counts) > 2:
            drawn = rng.permuted(np.broadcast_to(block, (rows * n_blocks, size)), axis=1)
            yield drawn.reshape(rows, n_blocks * size)
            continue
        # Selection sampling: a row is taken with probability (still to take) / (still to come).
        uniform = rng.random((size, n_blocks * rows), dtype=np.float32)
        second = np.empty((size, n_blocks * rows), dtype=np.int8)
        missing = np.full(n_blocks * rows, counts[0], dtype=np.float32)
        for i in range(size):
            taken = uniform[i] * np.float32(size - i) < missing
            missing -= taken
            np.logical_not(taken, out=second[i])
        # The transpose keeps one row of points contiguous, which is what the sweeps read.
        yield second.reshape(size, n_blocks, rows).transpose(1, 0, 2).reshape(n_blocks * size, rows).T


def draw_permutations(counts: tuple[int, ...], n_blocks: int, options: HypervolumeTestOptions) -> Iterable[np.ndarray]:
    """Random permutations, in chunks, or all of them if there are no more."""
    total = count_permutations(counts, n_blocks)
    exact, n_rows = total <= options.n_resamples, min(total, options.n_resamples)
    seed = 0 if exact else options.rng
    if isinstance(seed, int | np.integer) and n_rows * sum(counts) * n_blocks <= _REMEMBERED_CELLS:
        return _remembered_permutations(counts, n_blocks, None if exact else n_rows, int(seed))
    return _fresh_permutations(counts, n_blocks, None if exact else n_rows, seed)


def _fresh_permutations(
    counts: tuple[int, ...], n_blocks: int, n_resamples: int | None, rng: int | np.random.Generator | None
) -> Iterator[np.ndarray]:
    if n_resamples is None:
        return all_permutations(counts, n_blocks)
    return random_permutations(counts, n_blocks, n_resamples, np.random.default_rng(rng))


# Audits and power studies test many data sets of the same shape with the same seed.
@functools.lru_cache(maxsize=16)
def _remembered_permutations(
    counts: tuple[int, ...], n_blocks: int, n_resamples: int | None, seed: int
) -> tuple[np.ndarray, ...]:
    chunks = tuple(_fresh_permutations(counts, n_blocks, n_resamples, seed))
    for chunk in chunks:
        chunk.setflags(write=False)
    return chunks


def _chunks(total: int, width: int) -> Iterator[tuple[int, int]]:
    rows = max(1, _CHUNK_CELLS // max(width, 1))
    for start in range(0, total, rows):
        yield start, min(start + rows, total)


def _conclude(
    values: tuple[float, float],
    differences: list[np.ndarray],
    total: int,
    measure: Measure,
    options: HypervolumeTestOptions,
    *,
    symmetric: bool,
) -> PermutationTest:
    exact = total <= options.n_resamples
    tail = counted_tail(options.alternative, options.two_sided, symmetric=symmetric)
    statistic = float(values[0] - values[1])
    null = np.concatenate(differences)
    tolerance = tie_tolerance(*values)
    pvalue = permutation_pvalue(statistic, null, alternative=tail, exact=exact, tolerance=tolerance)
    return PermutationTest(statistic, pvalue, null, exact, total, float(values[0]), float(values[1]), measure, tail)


def order_rows(points: np.ndarray, first: np.ndarray, blocks: np.ndarray | None) -> Layout:
    """Order rows by their values, block by block, and decide which side's members are drawn."""
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
    swap = 2 * n_first > len(points) or (2 * n_first == len(points) and _comes_later(points[order], drawn, size))
    return Layout(order, size, n_blocks, ~drawn if swap else drawn, -1.0 if swap else 1.0)


def _comes_later(points: np.ndarray, drawn: np.ndarray, size: int) -> bool:
    """Whether the side drawn has the later one of the first points that the two sides do not share.

    Rows of equal values have no order among themselves, so that a single row must not decide.
    """
    blocks = points.reshape(len(points) // size, -1)
    content = np.r_[0, (blocks[1:] != blocks[:-1]).any(axis=1).cumsum()]
    within = points.reshape(len(blocks), size, -1)
    changes = (within[:, 1:] != within[:, :-1]).any(axis=2)
    value = np.hstack([np.zeros((len(blocks), 1), dtype=np.int64), changes.cumsum(axis=1)])
    balance = np.bincount((content[:, None] * size + value).ravel(), np.where(drawn, 1.0, -1.0))
    return bool((balance[balance != 0][:1] < 0).any())
