"""The hypervolume permutation test: does a new front differ from a baseline's by more than run-to-run noise?

A table of runs is read once (``runs.py``); :func:`claim_test` then tests one claim on it, here, in audits and in
explorers.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from copa_nb import checks, text
from copa_nb.pareto.arrays.hypervolume import set_hypervolumes
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.reference_points import WORST_MULTIPLE, ReferencePointLike
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.sentences import part, say
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import (
    HypervolumeTestOptions,
    PermutationTest,
    permutation_test,
    tie_tolerance,
)
from copa_nb.significance.result import HypervolumeTest, HypervolumeTestInputs, PerRunComparison, counts_of_runs
from copa_nb.significance.runs import Runs, gather_runs, system_name
from copa_nb.tables.described_frame import DescribedFrame

FEW_SEEDS = 5
FEW_PERMUTATIONS = 1000
PAIRING_HINT = (
    "All systems have the same run labels. If equal labels mean the same seed, fold or question, use `paired=True` "
    "to compare within them."
)
# Correlations are compared from this many degrees of freedom on, and named from this many standard errors on.
_FREEDOM_OF_CORRELATIONS, _UNLIKE_CORRELATIONS = 4, 2.0
_NEARLY_ONE = 1 - 1e-9
# Below this many runs of a side, its spread is hardly known.
_FEWEST_RUNS = 4
# A tail shows in the squared skewness of a side's runs, over that of normal ones, or in the standard deviation of a
# cost over its mean; it matters where the spreads of the sides have this ratio.
_SKEWED_RUNS, _LARGE_SPREAD, _UNLIKE_TAILS = 3.0, 0.5, 1.5
_TINY = 1e-300


def hv_test(
    table: DescribedFrame,
    new: Any,
    baseline: Any,
    *,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    paired: bool = False,
    unit: str = "run",
    method: str = "auto",
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
    indicator: str = "hypervolume",
) -> HypervolumeTest:
    """Test whether the front of one or more new systems differs from a baseline's by more than run-to-run noise."""
    options = HypervolumeTestOptions(n_resamples, alternative, paired, unit, method, alpha, rng, two_sided, indicator)
    runs = gather_runs(table, reference)
    point = bounding_point(runs, reference, reference_margin, options)
    sides = runs.find(new, "new"), runs.find(baseline, "baseline")
    margin = reference_margin if isinstance(reference, str) else None
    return claim_test(
        runs,
        *sides,
        point,
        options,
        (table.say("system"), table.say("repeat")),
        margin,
        worst_multiple=reference == WORST_MULTIPLE,
    )


def bounding_point(
    runs: Runs, reference: ReferencePointLike, reference_margin: float, options: HypervolumeTestOptions
) -> np.ndarray:
    """Costs of the reference point; infinite for indicators that have none."""
    if options.indicator == "hypervolume":
        return runs.reference_costs(reference, reference_margin)
    if not isinstance(reference, str):
        raise ValueError(
            f"`reference` bounds hypervolumes, but `indicator` is {options.indicator!r}, which is measured against the "
            "front of all runs of both sides; leave `reference` out."
        )
    return np.full(len(runs.objectives), np.inf)


def claim_test(
    runs: Runs,
    new: list[int],
    baseline: list[int],
    point: np.ndarray,
    options: HypervolumeTestOptions,
    columns: tuple[Any, Any],
    reference_margin: float | None = None,
    *,
    worst_multiple: bool = False,
) -> HypervolumeTest:
    """Test one claim on runs that were read before; `columns` are the system's and the repeat's.

    `reference_margin` is that of a reference point at the worst values, or at a multiple of them (`worst_multiple`),
    None for a stated one.
    """
    both = checked_sides(runs, new, baseline, options.paired)
    rows = np.flatnonzero(runs.rows(both))
    costs, systems = runs.costs[rows], runs.systems[rows]
    first = np.isin(systems, new)
    _check_values(costs, point, runs, options)
    # Matching is by repeat; where repeats are not matched their numbers mean nothing across systems.
    blocks = None if not options.paired or runs.repeats is None else runs.repeats[rows]
    # Systems are numbered by name, whatever the order of rows and sides.
    ordered = sorted(both, key=lambda s: repr(runs.labels[s]))
    numbers = np.array([ordered.index(s) for s in systems])
    outcome = permutation_test(costs, numbers, np.isin(ordered, new), point, options, blocks=blocks)
    alone = set_hypervolumes(costs[:, None, :], point, outcome.measure)
    inputs = HypervolumeTestInputs(
        frame=runs.frame,
        columns=columns,
        new=tuple(runs.labels[s] for s in new),
        baseline=tuple(runs.labels[s] for s in baseline),
        rows=rows,
        is_new=first,
        objectives=runs.objectives,
        log=runs.log,
        reference_margin=reference_margin,
        options=options,
        worst_multiple=worst_multiple,
    )
    test = HypervolumeTest(
        statistic=outcome.statistic,
        pvalue=outcome.pvalue,
        exact=outcome.exact,
        null_distribution=outcome.null_distribution,
        n_relabelings=outcome.n_permutations,
        smallest_pvalue=_smallest_pvalue(runs, new, baseline, outcome, options),
        hypervolume_new=outcome.first_value,
        hypervolume_baseline=outcome.second_value,
        reference={} if outcome.measure.target is not None else runs.in_own_units(point),
        measure=outcome.measure.name,
        guarantee=_guarantee(options, first, runs, rows),
        run_values=alone,
        inputs=inputs,
        per_run=compare_runs(alone, first, options, blocks),
        spread_ratio=_spread_ratio(costs, systems, first),
        tail=outcome.tail,
    )
    remarks = _remarks(test, runs, both, point, outcome.measure.exact)
    return replace(test, guarantee=test.guarantee.but(remarks=remarks))


def compare_runs(
    alone: np.ndarray, first: np.ndarray, options: HypervolumeTestOptions, blocks: np.ndarray | None
) -> PerRunComparison:
    """Compare the hypervolumes of single runs of both sides."""
    tests = per_run_tests(alone[None, :], first, options, blocks=blocks)
    low, high = math.nan, math.nan
    if tests.means is not None:
        low, high = (float(end[0]) for end in tests.means.interval(1 - options.alpha))
    new, baseline = np.sort(alone[first]), np.sort(alone[~first])
    freedom = len(alone) - 2
    # Divided by a power of two, which changes no digit, squares of small values do not vanish.
    exponent = int(np.frexp(np.abs(alone).max())[1])
    squares = sum(float(_squared_deviations(np.ldexp(side, -exponent)).sum()) for side in (new, baseline))
    return PerRunComparison(
        mean_new=float(new.mean()),
        mean_baseline=float(baseline.mean()),
        difference=float(new.mean() - baseline.mean()),
        pooled_sd=float(np.ldexp(math.sqrt(squares / freedom), exponent)) if freedom > 0 else math.nan,
        statistic=float(tests.statistic[0]),
        pvalue=float(tests.pvalue[0]),
        permutation_pvalue=float(tests.permutation_pvalue[0]),
        welch_pvalue=float(tests.t_pvalue[0]),
        mann_whitney_pvalue=float(tests.rank_pvalue[0]),
        a12=float(tests.superiority[0]),
        exact=tests.exact,
        studentized=tests.studentized,
        low=low,
        high=high,
        confidence_level=1 - options.alpha,
    )


def _squared_deviations(values: np.ndarray) -> np.ndarray:
    """Squared differences from the mean along the first axis, exactly 0 where all values are equal.

    The mean of equal values is not always their value.
    """
    apart = values - values[0]
    squares: np.ndarray = (apart - apart.mean(axis=0)) ** 2
    return squares


def _spread_ratio(costs: np.ndarray, systems: np.ndarray, first: np.ndarray) -> float:
    """Standard deviation of the new side's runs around their systems' means over that of the baseline's.

    Of all objectives together, each in units of its spread over both sides.
    """
    # Divided by a power of two, which changes no digit, squares of small values do not vanish.
    costs = np.ldexp(costs, -np.frexp(np.abs(costs).max(axis=0))[1])
    squares = np.empty_like(costs)
    with np.errstate(invalid="ignore"):
        for s in np.unique(systems):
            squares[systems == s] = _squared_deviations(costs[systems == s])
    freedoms = [int(side.sum()) - len(np.unique(systems[side])) for side in (first, ~first)]
    if min(freedoms) < 1 or not np.isfinite(squares).all():
        return math.nan
    new, baseline = (
        squares[side].sum(axis=0) / freedom for side, freedom in zip((first, ~first), freedoms, strict=True)
    )
    noisy = new + baseline > 0
    new, baseline = ((variance[noisy] / (new + baseline)[noisy]).sum() for variance in (new, baseline))
    if not noisy.any():
        return 1.0
    return math.sqrt(new / baseline) if baseline > 0 else math.inf


def checked_sides(runs: Runs, new: list[int], baseline: list[int], paired: bool) -> list[int]:
    """Refuse a system on both sides, runs that nothing tells apart, and pairs that do not match; return both sides."""
    shared = [runs.labels[s] for s in new if s in baseline]
    if shared:
        raise ValueError(
            f"`new` and `baseline` both name {checks.listed(shared)}; a system can be on one side only. To test what "
            "one system adds to others, pass it as `new` and the others as `baseline`."
        )
    both = [*new, *baseline]
    runs.check_unique(both)
    if paired:
        runs.check_matched(both)
    return both


def _check_values(costs: np.ndarray, point: np.ndarray, runs: Runs, options: HypervolumeTestOptions) -> None:
    if options.indicator != "hypervolume":
        if not np.isfinite(costs).all():
            raise ValueError(
                f"a run has an infinite value, for which `indicator={options.indicator!r}` has no distance; drop it."
            )
        return
    inside = (costs < point).all(axis=1)
    if np.isneginf(costs[inside]).any():
        raise ValueError(
            "a run is infinitely good in some objective, so its hypervolume is infinite; drop it or clip the value."
        )
    if options.unit == "mean" and not np.isfinite(costs).all():
        raise ValueError(
            '`unit="mean"` needs finite values, but a run has an infinite one; drop the run or clip the value.'
        )
    if options.unit == "run" and not inside.any():
        worst = ", ".join(f"{name}={value:.4g}" for name, value in runs.in_own_units(point).items())
        raise ValueError(
            f"`reference` ({worst}) is not worse than a single run of these systems in every objective, so all "
            'hypervolumes are zero; choose a worse point, or reference="worst".'
        )


def _smallest_pvalue(
    runs: Runs, new: list[int], baseline: list[int], outcome: PermutationTest, options: HypervolumeTestOptions
) -> float:
    """Smallest attainable p: some permutations always give the observed difference, or its mirror image."""
    sides = [sorted(runs.counts(side)) for side in (new, baseline)]
    symmetric = sides[0] == sides[1] if options.unit == "mean" else sum(sides[0]) == sum(sides[1])
    alike = 2 if symmetric and options.alternative == "two-sided" else 1
    times = 2 if outcome.tail == "smaller tail" else 1
    if options.unit == "mean":
        for counts in sides:
            for count in set(counts):
                alike *= math.factorial(counts.count(count))
    share = alike / outcome.n_permutations
    return min(1.0, times * (share if outcome.exact else max(share, 1 / (len(outcome.null_distribution) + 1))))


def _guarantee(options: HypervolumeTestOptions, first: np.ndarray, runs: Runs, rows: np.ndarray) -> Guarantee:
    """What the comparison of single runs guarantees, and what these runs give to doubt it."""
    measured = "hypervolume" if options.indicator == "hypervolume" else NAMES[options.indicator]
    warnings = []
    few = min(int(first.sum()), int((~first).sum()))
    if few < _FEWEST_RUNS:
        warnings.append(
            Caveat("few_units", f"{few} run{'s' * (few != 1)} of a side are too few to estimate its spread well.")
        )
    if skewed := _skewed(runs, rows, first):
        names = text.listing(map(text.spoken, skewed))
        warnings.append(
            Caveat(
                "skewed",
                f"The runs of the two sides are spread differently in {names}, with a long tail: the side that has not "
                "yet had its rare bad runs looks better than it is. Take the logarithm (`log`), or add runs.",
                skewed,
            )
        )
    return Guarantee(
        estimates=f"the difference in the expected {measured} of a single run, which depends on the spreads and "
        "correlations of the objectives as well as on their means",
        sampled="matched pairs of runs" if options.paired else "independent runs",
        holds="the verdict on single runs is right",
        confidence_level=1 - options.alpha,
        jointly=False,
        basis="exact if both sides have the same distribution, and asymptotic otherwise",
        method="the larger p-value of a studentized permutation test and a t-test",
        warnings=tuple(warnings),
    )


def _skewed(runs: Runs, rows: np.ndarray, first: np.ndarray) -> tuple[Hashable, ...]:
    """Objectives with a long tail in which the sides have different spreads.

    With equal distributions permutations are exact, whatever the tails. A tail shows in the third moment; of few runs
    of a cost it shows sooner in a standard deviation above half the mean.
    """
    costs, systems = runs.costs[rows], runs.systems[rows]
    if not np.isfinite(costs).all():
        return ()
    sides = [deviations / (np.abs(deviations).max(axis=0) + _TINY) for deviations, _ in
             _within_systems(costs, systems, first)]  # fmt: skip
    found = []
    for k, name in enumerate(runs.objectives.names):
        squares = [float((side[:, k] ** 2).mean()) for side in sides]
        thirds = [
            len(side) * (side[:, k] ** 3).mean() ** 2 / square**3 / 6 if square > 0 else 0.0
            for side, square in zip(sides, squares, strict=True)
        ]
        spreads = np.array([costs[side, k].std() for side in (first, ~first)])
        if runs.objectives.signs[k] > 0 and name not in runs.log and costs[:, k].min() > 0:
            spreads /= [costs[side, k].mean() for side in (first, ~first)]
            varies = spreads.max() > _LARGE_SPREAD
        else:
            varies = False
        if spreads.max() > _UNLIKE_TAILS * spreads.min() and (max(thirds) > _SKEWED_RUNS or varies):
            found.append(name)
    return tuple(found)


def _remarks(
    test: HypervolumeTest, runs: Runs, systems: list[int], point: np.ndarray, exact_measure: bool
) -> Iterator[str]:
    """Yield what limits the conclusion of a test, and what would make it sharper."""
    yield from _about_counts(test, runs, systems)
    yield from _about_matching(runs, systems, test.options)
    yield from _about_spreads(test)
    sides = _within_systems(runs.costs[test.inputs.rows], runs.systems[test.inputs.rows], test.inputs.is_new)
    yield from _about_correlations(test, sides)
    yield from _about_ties(test)
    if test.options.indicator != "hypervolume":
        yield (
            f"{test.name[0].upper()}{test.name[1:]} is smaller for better fronts. Differences are those of minus its "
            "values, so a positive difference is an improvement. The reference is the front of all "
            f"{len(test.run_values)} runs of both sides, with objectives scaled by their range over these runs."
        )
    elif test.inputs.reference_margin is not None and test.statistic:
        yield say(part("reference_point.details.no_share"))
    yield from _about_values(runs, systems, point)
    if not exact_measure:
        yield f"Hypervolumes are not exact: {test.measure}, the same for every permutation."
    if not test.exact and test.n_resamples < FEW_PERMUTATIONS:
        yield (
            f"With only {test.n_resamples} random permutations, p is coarse: use `n_resamples=5000` or more for a "
            "p-value that you publish."
        )
    error = math.sqrt(test.pvalue * (1 - test.pvalue) / test.n_resamples)
    if not test.exact and abs(test.pvalue - test.options.alpha) < 2 * error:
        yield (
            f"p is within Monte Carlo error (± {2 * error:.2g}) of α: increase `n_resamples` before you draw a "
            "conclusion."
        )


_UNEQUAL = {
    "smaller tail": "p, twice the smaller tail, accounts for this; the difference itself does not.",
    "two-sided": "The paper's count of |D_b| >= |D| does not account for this and can miss any difference.",
    "greater": "p accounts for this; the difference itself does not.",
    "less": "p accounts for this; the difference itself does not.",
}


def _about_spreads(test: HypervolumeTest) -> Iterator[str]:
    if test.options.unit != "run" or not test.spreads_differ:
        return
    noisier, other = (test.new, test.baseline) if test.spread_ratio > 1 else (test.baseline, test.new)
    ratio = max(test.spread_ratio, 1 / test.spread_ratio if test.spread_ratio else math.inf)
    names = [text.listing(map(system_name, side)) for side in (noisier, other)]
    spread = f"The runs of {names[0]} vary, but those of {names[1]} do not"
    if math.isfinite(ratio):
        spread = f"The spread of the runs of {names[0]} is {text.number(ratio, 2)} times that of {names[1]}"
    yield (
        f"{spread}. The noisier side has the {test.better} front over all runs by chance alone, and the p-value of "
        f"the fronts does not account for this. {_OF_SPREADS[test.options.indicator == 'hypervolume']}"
    )


_OF_SPREADS = {
    True: "The expected hypervolume of a single run does not depend on the spreads of independent objectives.",
    False: "The expected value of a single run also depends on its spread.",
}


def _about_correlations(test: HypervolumeTest, sides: list[tuple[np.ndarray, int]]) -> Iterator[str]:
    """Name the two objectives whose correlations differ most, if that is more than their error."""
    contrast = correlation_contrast(*sides)
    if contrast is None:
        return
    one, other, correlations = contrast
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    signs = test.objectives.signs[one] * test.objectives.signs[other]
    first, second = (text.number(float(signs * value), 2) for value in correlations)
    names = [text.spoken(test.objectives.names[k]) for k in (one, other)]
    yield (
        f"The correlation of {names[0]} and {names[1]} over the runs differs: {text.minus(first)} for {new}, "
        f"{text.minus(second)} for {baseline}. The expected {test.name} of a single run depends on this "
        "correlation, so it can differ between systems with equal means."
    )


def correlation_contrast(
    one: tuple[np.ndarray, int], other: tuple[np.ndarray, int]
) -> tuple[int, int, tuple[float, float]] | None:
    """Find the two objectives whose correlation differs most between two sides, in standard errors of Fisher's z.

    Parameters
    ----------
    one, other : (residuals, shape (n, k); degrees of freedom)
        Runs around the means of their systems.

    Returns
    -------
    tuple of (int, int, (float, float)) or None
        Both objectives, and their correlation on each side; None if no difference is as large as two standard errors.
    """
    if min(one[1], other[1]) < _FREEDOM_OF_CORRELATIONS:
        return None
    error = math.sqrt(1 / (one[1] - 2) + 1 / (other[1] - 2))
    found = None
    for i, j in itertools.combinations(range(one[0].shape[1]), 2):
        pair = _correlation(one[0], i, j), _correlation(other[0], i, j)
        size = abs(math.atanh(pair[0]) - math.atanh(pair[1])) / error
        if size >= _UNLIKE_CORRELATIONS and (found is None or size > found[0]):
            found = size, (i, j, pair)
    return None if found is None else found[1]


def _correlation(residuals: np.ndarray, i: int, j: int) -> float:
    """Correlation of two objectives, off the ends; 0 where one of them does not vary."""
    scale = math.sqrt(float((residuals[:, i] ** 2).sum() * (residuals[:, j] ** 2).sum()))
    correlation = float(residuals[:, i] @ residuals[:, j]) / scale if scale > 0 else 0.0
    return float(np.clip(correlation, -_NEARLY_ONE, _NEARLY_ONE))


def _within_systems(costs: np.ndarray, systems: np.ndarray, first: np.ndarray) -> list[tuple[np.ndarray, int]]:
    """Costs of each side around the means of their systems, with degrees of freedom; in units that do not overflow."""
    if not np.isfinite(costs).all():
        return [(costs, 0)] * 2
    scaled = np.ldexp(costs, -np.frexp(np.abs(costs).max(axis=0))[1])
    numbers = np.unique(systems, return_inverse=True)[1]
    means = np.array([scaled[numbers == s].mean(axis=0) for s in range(numbers.max() + 1)])
    residuals = scaled - means[numbers]
    return [(residuals[side], int(side.sum()) - len(np.unique(systems[side]))) for side in (first, ~first)]


def _about_matching(runs: Runs, systems: list[int], options: HypervolumeTestOptions) -> Iterator[str]:
    if not options.paired and runs.share_repeats(systems):
        yield PAIRING_HINT


def _about_counts(test: HypervolumeTest, runs: Runs, systems: list[int]) -> Iterator[str]:
    counts = runs.counts(systems)
    smallest = f"{test.smallest_pvalue:.3g}"
    if test.smallest_pvalue > test.options.alpha:
        yield (
            f"With {counts_of_runs(test)}, the smallest attainable p is {smallest}: no difference, however large, can "
            f"be significant at α = {test.options.alpha:g}. More runs are needed."
        )
    elif min(counts) < FEW_SEEDS:
        yield f"Few runs ({min(counts)} for some systems): the smallest attainable p is {smallest}."
    if test.options.unit == "run" and test.n_new != test.n_baseline:
        yield (
            f"Unequal numbers of runs ({test.n_new} and {test.n_baseline}): the side with more runs has the "
            f"{test.better} front by chance alone. " + _UNEQUAL[test.tail]
        )
    if len(systems) > 2:
        yield (
            f"Labels are exchanged among {len(systems)} systems. Differences between systems on the same side widen "
            "the null distribution."
        )


def _about_ties(test: HypervolumeTest) -> Iterator[str]:
    tolerance = tie_tolerance(test.hypervolume_new, test.hypervolume_baseline)
    null, tails = test.null_distribution, {"less": [-1], "greater": [1]}.get(test.tail, [-1, 1])
    if test.tail == "two-sided":
        null, tails = np.abs(null), [1]
    shares = [float((sign * null >= (sign * null).max() - tolerance).mean()) for sign in tails]
    share = min(1.0, len(tails) * min(shares))
    if share > test.options.alpha >= test.smallest_pvalue:
        yield (
            "Few of these runs are on a front, so many permutations tie: none of them gives a p below "
            f'{share:.3g}. Fronts of means (unit="mean") use every run.'
        )


def _about_values(runs: Runs, systems: list[int], point: np.ndarray) -> Iterator[str]:
    still = [s for s in systems if (rows := runs.costs[runs.systems == s]).shape[0] > 1 and (rows == rows[0]).all()]
    if still:
        names = text.listing(system_name(runs.labels[s]) for s in still)
        yield f"The runs of {names} do not vary: check that the seed has an effect."
    beyond = ~(runs.costs < point).all(axis=1)
    for s in systems:
        count = int((beyond & (runs.systems == s)).sum())
        if count:
            yield (
                f"{count} of {int((runs.systems == s).sum())} runs of {system_name(runs.labels[s])} are not better "
                "than the reference point in every objective, so they add nothing to the hypervolume."
            )
    if runs.matrix.n_omitted:
        yield say(part("caveats.details.omitted_rows", n=runs.matrix.n_omitted))
