"""Comparison of the hypervolumes that single runs have on their own, by permutation.

The front over all runs of a system is made by its luckiest runs, so that its hypervolume grows with the spread of the
runs. The mean hypervolume of a run does not. Its difference is tested by a studentised permutation test: the
statistic is Welch's t (or the paired t, within matched blocks), whose null distribution does not depend on the
spreads of the two sides in large samples [1]_; the test is exact if the sides do not differ at all. With few runs of
unequal number the noisier side still makes it reject too often (.13 instead of .05 for 5 runs with three times the
standard deviation of 15 others), where the t distribution with Welch's degrees of freedom does not. The larger of
both p-values is taken: it keeps the level where either does.

References
----------
.. [1] E. Chung and J. P. Romano, "Exact and asymptotically robust permutation tests", Annals of Statistics 41, 2013.
.. [2] A. Vargha and H. D. Delaney, "A critique and improvement of the CL common language effect size statistics of
   McGraw and Wong", Journal of Educational and Behavioral Statistics 25, 2000.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from scipy.special import stdtr

from copa_nb.significance.arrays.permutation import (
    HypervolumeTestOptions,
    count_permutations,
    counted_tail,
    draw_permutations,
    order_rows,
    permutation_pvalue,
)

# Rounding of sums of a few dozen products, as a share of what is summed.
_ROUNDING = 1e-10
_CELLS = 1 << 16


@dataclass(frozen=True)
class PerRunTests:
    """Tests of several data sets with the same labels.

    Parameters
    ----------
    statistic : ndarray of float64, shape (m,)
        Welch's t, or the paired t; the difference of means where a side has a single run.
    pvalue : ndarray of float64, shape (m,)
        The larger of the next two; the first of them alone if it is not studentised.
    permutation_pvalue, t_pvalue : ndarray of float64, shape (m,)
        Of the studentised permutation test, and of t with Welch's degrees of freedom.
    rank_pvalue : ndarray of float64, shape (m,)
        Of the Mann-Whitney test, by the same permutations.
    superiority : ndarray of float64, shape (m,)
        Vargha and Delaney's A12 [2]_: how often a run of the first side has the larger value, ties counted half.
    studentised : bool
        False where a side has a single run (or there is a single block), so that its spread is unknown.
    exact : bool
        Whether all permutations were enumerated.
    """

    statistic: np.ndarray
    pvalue: np.ndarray
    permutation_pvalue: np.ndarray
    t_pvalue: np.ndarray
    rank_pvalue: np.ndarray
    superiority: np.ndarray
    studentised: bool
    exact: bool


def per_run_tests(
    values: np.ndarray,
    first: np.ndarray,
    options: HypervolumeTestOptions,
    *,
    blocks: np.ndarray | None = None,
    ranks: bool = True,
) -> PerRunTests:
    """Test whether the values of one side are larger than those of the other.

    Parameters
    ----------
    values : ndarray of float64, shape (m, n)
        m data sets.
    first : ndarray of bool, shape (n,)
        Which values belong to the first side, in every data set.
    options : HypervolumeTestOptions
        How to test.
    blocks : ndarray of int, shape (n,), optional
        Matched blocks; see :func:`~copa_nb.significance.arrays.permutation.split_test`.
    ranks : bool
        Whether to test ranks as well; without, `rank_pvalue` is NaN.

    Examples
    --------
    >>> values = np.array([[5.0, 6.0, 7.0, 8.0, 1.0, 2.0, 3.0, 4.0]])
    >>> tests = per_run_tests(values, np.arange(8) < 4, HypervolumeTestOptions())
    >>> tests.pvalue.round(3).tolist(), tests.superiority.tolist()
    ([0.029], [1.0])
    """
    layouts = [order_rows(row[:, None], first, blocks) for row in values]
    ordered = np.array([row[layout.order] for row, layout in zip(values, layouts, strict=True)])
    drawn = np.array([layout.drawn for layout in layouts])
    sign = np.array([layout.sign for layout in layouts])
    n_blocks, size = layouts[0].n_blocks, layouts[0].size
    n_drawn = int(drawn[0].sum()) // n_blocks
    counts = n_drawn, size - n_drawn
    data = _Sums.of(ordered, counts, n_blocks)
    exact = count_permutations(counts, n_blocks) <= options.n_resamples
    observed = [sign * one for one in data.statistics(drawn, own=True)]
    used = slice(None) if ranks else slice(1)
    permuted: list[list[np.ndarray]] = []
    for chunk in draw_permutations(counts, n_blocks, options):
        step = max(1, _CELLS // len(values))
        parts = (chunk[start : start + step] == 0 for start in range(0, len(chunk), step))
        permuted += [data.statistics(part, ranks=ranks) for part in parts]
    tail = counted_tail(options.alternative, options.two_sided, symmetric=counts[0] == counts[1])
    pvalues = [
        permutation_pvalue(
            one, sign * np.concatenate(null), alternative=tail, exact=exact, tolerance=1e-9 * (1.0 + _finite(one))
        )
        for one, null in zip(observed[used], zip(*permuted, strict=True), strict=True)
    ]
    n_first = int(first.sum())
    by_t, statistic = pvalues[0], values[:, first].mean(axis=1) - values[:, ~first].mean(axis=1)
    if data.studentised:
        statistic, freedom = t_statistics(values, first, blocks)
        by_t = t_pvalues(statistic, freedom, options.alternative)
    return PerRunTests(
        statistic=statistic,
        pvalue=np.maximum(pvalues[0], by_t),
        permutation_pvalue=pvalues[0],
        t_pvalue=by_t,
        rank_pvalue=pvalues[1] if ranks else np.full(len(values), np.nan),
        superiority=0.5 + observed[1] / (n_first * (len(first) - n_first)),
        studentised=data.studentised,
        exact=exact,
    )


def t_statistics(values: np.ndarray, first: np.ndarray, blocks: np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Welch's t, or the paired t of the blocks' mean differences, with its degrees of freedom.

    Parameters
    ----------
    values, first, blocks
        See :func:`per_run_tests`.

    Returns
    -------
    statistic, freedom : ndarray of float64, shape (m,)
    """
    values = _below_one(values)
    if blocks is None:
        sides = [values[:, first], values[:, ~first]]
        errors = [_variance(side) / side.shape[1] for side in sides]
        freedoms = [side.shape[1] - 1 for side in sides]
        difference, error = sides[0].mean(axis=1) - sides[1].mean(axis=1), errors[0] + errors[1]
        with np.errstate(divide="ignore", invalid="ignore"):
            freedom = error**2 / (errors[0] ** 2 / freedoms[0] + errors[1] ** 2 / freedoms[1])
        return _ratio(difference, np.sqrt(error)), np.where(error > 0, freedom, sum(freedoms))
    members = blocks[:, None] == np.unique(blocks)
    weights = [(members & side[:, None]) / (members & side[:, None]).sum(axis=0) for side in (first, ~first)]
    differences = values @ (weights[0] - weights[1])
    n = differences.shape[1]
    return _ratio(differences.mean(axis=1), np.sqrt(_variance(differences) / n)), np.full(len(values), n - 1.0)


def t_pvalues(statistic: np.ndarray, freedom: np.ndarray | float, alternative: str) -> np.ndarray:
    """p-values of t.

    Examples
    --------
    >>> t_pvalues(np.array([2.0, -2.0]), 10.0, "two-sided").round(4)
    array([0.0734, 0.0734])
    """
    if alternative == "two-sided":
        return 2 * stdtr(freedom, -np.abs(statistic))
    return stdtr(freedom, -statistic if alternative == "greater" else statistic)


def joint_null(
    values: np.ndarray,
    systems: np.ndarray,
    pairs: list[tuple[list[int], list[int]]],
    *,
    blocks: np.ndarray | None,
    alternative: str,
    n_resamples: int,
    rng: int | np.random.Generator | None,
) -> tuple[np.ndarray, np.ndarray]:
    """p-values of t for many pairs of sides: observed, and drawn jointly where no system differs from another.

    The residuals of the runs around their system's mean are permuted among all systems, within matched blocks if there
    are any, so that what holds of one pair does not depend on whether another differs (subset pivotality).

    Parameters
    ----------
    values : ndarray of float64, shape (n,)
        Hypervolumes of single runs.
    systems : ndarray of int, shape (n,)
        System of each run.
    pairs : list of (systems of the first side, systems of the second)
        The family.
    blocks : ndarray of int, shape (n,), optional
        Matched blocks.
    alternative : {"two-sided", "greater", "less"}
        Of each pair.
    n_resamples, rng
        Permutations, and their source.

    Returns
    -------
    pvalues : ndarray of float64, shape (m,)
        Observed; 1 where a side has a single run or seeds do not match.
    null : ndarray of float64, shape (n_resamples, m)
        Under the permutations.
    """
    counts = np.bincount(systems)
    means = np.bincount(systems, values) / np.maximum(counts, 1)
    # A mean of few runs follows them closely; this gives all residuals the same variance.
    stretch = np.sqrt(counts / np.maximum(counts - 1, 1))
    residuals = (values - means[systems]) * stretch[systems]
    keys, places = np.random.default_rng(rng).random((n_resamples, len(values))), np.arange(len(values))
    if blocks is not None:
        places = np.argsort(blocks, kind="stable")
        keys += np.unique(blocks, return_inverse=True)[1]
    permuted = np.empty_like(keys)
    permuted[:, places] = residuals[np.argsort(keys, axis=1)]
    pvalues, null = np.ones(len(pairs)), np.ones((n_resamples, len(pairs)))
    for number, (new, baseline) in enumerate(pairs):
        rows = np.flatnonzero(np.isin(systems, [*new, *baseline]))
        first, matched = np.isin(systems[rows], new), None if blocks is None else blocks[rows]
        if min(first.sum(), (~first).sum()) < 2:
            continue
        if matched is not None and set(matched[first]) != set(matched[~first]):
            continue
        pvalues[number] = t_pvalues(*t_statistics(values[None, rows], first, matched), alternative)[0]
        null[:, number] = t_pvalues(*t_statistics(permuted[:, rows], first, matched), alternative)
    return pvalues, null


def _below_one(values: np.ndarray) -> np.ndarray:
    """Divide each row by a power of two, which changes no digit; squares of what is below 1 cannot overflow."""
    largest = np.abs(values).max(axis=1, keepdims=True)
    scaled: np.ndarray = np.ldexp(values, -np.frexp(largest)[1])
    return scaled


def _variance(values: np.ndarray) -> np.ndarray:
    squares = ((values - values.mean(axis=1, keepdims=True)) ** 2).sum(axis=1)
    return _clipped(squares, (values**2).sum(axis=1) * _ROUNDING) / (values.shape[1] - 1)


@dataclass(frozen=True)
class _Sums:
    """What statistics are computed from: standardised values and centred ranks, shape (m, n), block by block."""

    values: np.ndarray
    ranks: np.ndarray
    counts: tuple[int, int]
    n_blocks: int

    @classmethod
    def of(cls, ordered: np.ndarray, counts: tuple[int, int], n_blocks: int) -> _Sums:
        ordered = _below_one(ordered)
        centred = ordered - ordered.mean(axis=1, keepdims=True)
        scale = np.sqrt((centred**2).mean(axis=1, keepdims=True))
        ranks = np.array([_midranks(row) for row in ordered])
        ranks -= ranks.mean(axis=1, keepdims=True)
        return cls(centred / np.where(scale > 0, scale, 1.0), ranks, counts, n_blocks)

    @property
    def studentised(self) -> bool:
        return min(self.counts) > 1 if self.n_blocks == 1 else True

    @property
    def monotone(self) -> bool:
        """Whether t orders permutations as the sum of the rows drawn does.

        With equal numbers of runs the sums of squares in Welch's standard error depend on that sum alone; with matched
        pairs the squared differences are the same whatever their signs.
        """
        return not self.studentised or self.counts[0] == self.counts[1] == (1 if self.n_blocks > 1 else self.counts[0])

    def statistics(self, drawn: np.ndarray, *, own: bool = False, ranks: bool = True) -> list[np.ndarray]:
        """Return what orders permutations as t does, and the centred rank sum, of the rows drawn.

        Each has shape (b, m), or (m,) with `own` rows for each data set.
        """
        members = np.asarray(drawn, dtype=np.float64)
        sums = (lambda x: (members * x).sum(axis=1)) if own else (lambda x: members @ x.T)
        if self.monotone:
            statistic = sums(self.values)
        else:
            statistic = self._welch(sums) if self.n_blocks == 1 else self._paired(members, own)
        return [statistic, sums(self.ranks)] if ranks else [statistic]

    def _welch(self, sums: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
        a, b = self.counts
        squares = (self.values**2).sum(axis=1)
        first, first_squares = sums(self.values), sums(self.values**2)
        # Values are centred, so that the sum of the others is minus this one.
        difference = first / a + first / b
        spread = _clipped(first_squares - first**2 / a, squares) / (a * (a - 1))
        spread += _clipped(squares - first_squares - first**2 / b, squares) / (b * (b - 1))
        return _ratio(difference, np.sqrt(spread))

    def _paired(self, members: np.ndarray, own: bool) -> np.ndarray:
        (a, b), n = self.counts, self.n_blocks
        cubes, values = members.reshape(len(members), n, -1), self.values.reshape(len(self.values), n, -1)
        first = np.einsum("mjs,mjs->mj" if own else "bjs,mjs->bmj", cubes, values)
        difference = first * (1 / a + 1 / b) - values.sum(axis=2) / b
        mean = difference.mean(axis=-1)
        squares = (difference**2).sum(axis=-1)
        return _ratio(mean, np.sqrt(_clipped(squares - n * mean**2, squares) / (n * (n - 1))))


def _clipped(squares: np.ndarray, total: np.ndarray) -> np.ndarray:
    """Sums of squares around a mean, without what rounding leaves of those that are zero."""
    return np.where(squares > _ROUNDING * total, squares, 0.0)


def _ratio(difference: np.ndarray, error: np.ndarray) -> np.ndarray:
    """Difference over its standard error; infinite where the error is zero, zero where both are."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = difference / error
    return np.where(error > 0, ratio, np.where(np.abs(difference) > _ROUNDING, np.copysign(np.inf, difference), 0.0))


def _finite(values: np.ndarray) -> np.ndarray:
    return np.where(np.isfinite(values), np.abs(values), 0.0)


def _midranks(values: np.ndarray) -> np.ndarray:
    ordered = np.sort(values)
    return (np.searchsorted(ordered, values, "left") + np.searchsorted(ordered, values, "right") + 1) / 2
