"""Does a new front differ from a baseline's by more than seed noise? The hypervolume permutation test.

A table of runs is read once (:func:`gather_runs`); :func:`claim_test` then tests one claim on it, here, in audits and
in explorers.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import read_labels, several
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, resolve_objectives, to_minimisation
from copa_nb.pareto.arrays.hypervolume import LARGEST, set_hypervolumes
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import (
    HypervolumeTestOptions,
    PermutationTest,
    permutation_test,
    tie_tolerance,
)
from copa_nb.significance.result import HypervolumeTest, PerRunComparison, system_name

SCALES = ("linear", "log")
FEW_SEEDS = 5


@dataclass(frozen=True)
class Runs:
    """Costs of every run, with the system and the seed that each belongs to.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        Costs, on the log scale where that was asked for.
    systems : ndarray of int, shape (n,)
        Number of the system of each run.
    labels : list
        Name of each system; a tuple where several columns name it.
    seeds : ndarray of int, shape (n,), or None
        Number of the seed of each run; None if the table has no such column.
    seed_labels : list
        Name of each seed.
    scale : dict of objective to "log"
        Objectives that are on the log scale.
    frame : DataFrame
        The table, without omitted rows.
    """

    matrix: ObjectiveMatrix
    systems: np.ndarray
    labels: list[Hashable]
    seeds: np.ndarray | None
    seed_labels: list[Hashable]
    scale: dict[Hashable, str]
    frame: pd.DataFrame

    @property
    def costs(self) -> np.ndarray:
        """Costs, shape (n, k); smaller is better."""
        return self.matrix.values

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return self.matrix.objectives

    def reference_costs(self, reference: ReferencePointLike, margin: float) -> np.ndarray:
        """Turn a reference point in own units, "worst" or a frozen one into costs on the scale used."""
        if isinstance(reference, str) or not self.scale:
            return reference_point(self.matrix, reference, margin=margin)
        point = reference if isinstance(reference, Mapping) else getattr(reference, "reference_point", reference)
        if isinstance(point, Mapping):
            point = {name: self._scaled(name, value) for name, value in point.items()}
        return reference_point(self.matrix, point, margin=margin)

    def in_own_units(self, point: np.ndarray) -> dict[Hashable, float]:
        """Write a point of costs in the objectives' own units and directions."""
        values = in_own_units(self.matrix, point)
        return {name: float(np.exp(v)) if name in self.scale else v for name, v in values.items()}

    def find(self, names: Any, argument: str) -> list[int]:
        """Numbers of the systems that the user names: one label, or a list of labels."""
        labels = list(names) if isinstance(names, list | set | frozenset | pd.Index | np.ndarray) else [names]
        if not labels:
            raise ValueError(f"`{argument}` is empty; name at least one system: {checks.listed(self.labels)}.")
        return list(dict.fromkeys(self._number(label, argument) for label in labels))

    def rows(self, systems: Sequence[int]) -> np.ndarray:
        """Mark the runs of some systems; shape (n,)."""
        return np.isin(self.systems, systems)

    def counts(self, systems: Sequence[int]) -> list[int]:
        """Runs of each of some systems."""
        return [int((self.systems == s).sum()) for s in systems]

    def check_unique(self, systems: Sequence[int]) -> None:
        """Refuse systems that have several rows for one seed."""
        if self.seeds is None:
            return
        chosen = self.rows(systems)
        pairs = self.systems[chosen] * len(self.seed_labels) + self.seeds[chosen]
        distinct, times = np.unique(pairs, return_counts=True)
        if times.max(initial=0) > 1:
            system, seed = divmod(int(distinct[times > 1][0]), len(self.seed_labels))
            where = f"system {self.labels[system]!r} with seed {self.seed_labels[seed]!r}"
            raise ValueError(
                f"`seed` does not distinguish the runs of a system: {where} is in {int(times[times > 1][0])} rows "
                f"({int(times[times > 1].sum())} rows repeat a pair). Keep one row per system and seed, name the "
                "columns that distinguish them as a list, e.g. seed=['task', 'fold'], or average the repetitions first."
            )

    def check_matched(self, systems: Sequence[int]) -> None:
        """Refuse to pair systems that did not run with the same seeds."""
        if self.seeds is None:
            raise ValueError("`paired=True` needs `seed`, the column whose values are matched between systems.")
        every = set(self.seeds[self.rows(systems)].tolist())
        for s in systems:
            lacking = every - set(self.seeds[self.systems == s].tolist())
            if lacking:
                names = [self.seed_labels[seed] for seed in sorted(lacking)]
                raise ValueError(
                    f"`paired=True` needs every system to have every seed, but {self.labels[s]!r} lacks "
                    f"{checks.listed(names, 5)}; keep the seeds that all share, or pass paired=False."
                )

    def _number(self, label: Hashable, argument: str) -> int:
        if label in self.labels:
            return self.labels.index(label)
        hint = ""
        if isinstance(label, tuple) and all(part in self.labels for part in label):
            hint = " A tuple is one label; for several systems pass a list."
        raise ValueError(
            f"`{argument}` names {label!r}, which is not a system; systems are {checks.listed(self.labels)}."
            f"{hint or checks.nearest(label, self.labels)}"
        )

    def _scaled(self, name: Hashable, value: float) -> float:
        if name not in self.scale:
            return value
        if not value > 0:
            raise ValueError(
                f"`reference` gives {value!r} for {name!r}, which is on the log scale; it must be above zero."
            )
        return float(np.log(value))


@shared_parameters
def gather_runs(
    frame: pd.DataFrame,
    *,
    system: Any,
    seed: Any = None,
    objectives: ObjectivesLike = None,
    scale: Mapping[Any, str] | None = None,
    reference: object = None,
    nan_policy: str = "raise",
) -> Runs:
    """Read the runs of a long table, one row per system and seed.

    Parameters
    ----------
    frame : DataFrame
        One row per run.
    %(system)s
    %(seed)s
    %(objectives)s
    scale : mapping of objective to {"linear", "log"}, optional
        Objectives to take the logarithm of.
    reference : Reference, optional
        May supply the objectives.
    %(nan_policy)s

    Returns
    -------
    Runs

    Raises
    ------
    ValueError
        For unknown columns or objectives, missing labels, or values that have no logarithm.
    """
    resolved = resolve_objectives(frame, objectives, reference)
    logged = _logged(scale, resolved)
    matrix = to_minimisation(_on_log_scale(frame, logged), resolved, nan_policy=nan_policy)
    kept = frame.iloc[matrix.positions]
    _check_range(several(kept, resolved))
    systems = read_labels(kept, system, "system")
    seeds = None if seed is None else read_labels(kept, seed, "seed")
    return Runs(
        matrix=matrix,
        systems=systems.codes,
        labels=systems.labels,
        seeds=None if seeds is None else seeds.codes,
        seed_labels=[] if seeds is None else seeds.labels,
        scale=dict.fromkeys(logged, "log"),
        frame=kept,
    )


@any_frame
@shared_parameters
def hv_test(
    frame: pd.DataFrame,
    *,
    system: Any,
    new: Any,
    baseline: Any,
    seed: Any = None,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    paired: bool = False,
    level: str = "seeds",
    scale: Mapping[Any, str] | None = None,
    method: str = "auto",
    alpha: float = 0.05,
    nan_policy: str = "raise",
    rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
) -> HypervolumeTest:
    """Test whether the front of one or more new systems differs from a baseline's by more than seed noise.

    The statistic [1]_ is the hypervolume of the new front minus that of the baseline front. If the systems do not
    differ, their labels are exchangeable over the union of the runs; p is the share of permutations of the labels
    whose difference is at least as large.

    Exchangeable labels mean equal noise as well as equal means: the front over all runs is made by the luckiest runs,
    and a noisier system has the larger one. Every result therefore carries the comparison of the hypervolumes that
    single runs have on their own (``per_run``), whose mean does not grow with the spread of the runs, and nothing is
    called significant that this comparison does not support.

    Parameters
    ----------
    frame : DataFrame
        One row per system and seed, with all systems that the reference point is to cover.
    %(system)s
    new, baseline : label or list of labels
        One system or several on each side.
    %(seed)s
    %(objectives)s
    %(reference_point)s
    %(margin)s
    n_resamples : int
        Random permutations B. If there are no more than B distinct ones, all are enumerated and p is exact.
    alternative : {"two-sided", "greater", "less"}
        Whether the new front is different, better or worse.
    paired : bool
        Exchange labels only within matched seeds or folds.
    level : {"seeds", "mean"}
        Fronts over all runs, as in the paper, or over the systems' means.
    scale : mapping of objective to {"linear", "log"}, optional
        Objectives to take the logarithm of before anything else.
    method : {"auto", "exact", "approximate"}
        Whether hypervolumes are exact; "auto" approximates where :func:`copa_nb.hypervolume` does, and says so.
    alpha : float
        Level of significance for the verdict.
    %(nan_policy)s
    %(rng)s
    two_sided : {"tails", "paper"}
        How a two-sided p counts: twice the smaller tail, or ``|D_b| >= |D|`` as in the paper. With equal numbers of
        runs a side both are the same, and the paper's count is used. With unequal numbers the null distribution is
        not centred at zero, and the paper's count can miss any difference.

    Returns
    -------
    HypervolumeTest

    Raises
    ------
    ValueError
        For unknown or overlapping systems, repeated (system, seed) rows, seeds that do not match under `paired`,
        logarithms of values that are not positive, or if no run is better than the reference point.

    See Also
    --------
    copa_nb.audit : many claims against the same reference point.
    copa_nb.power : how likely the test is to detect an improvement.
    copa_nb.recommended_report : what to report.

    References
    ----------
    %(significance_paper)s
       Section 3.2: the test and its p-value.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> test = copa_nb.hv_test(runs, system="agent", seed="run", new="A", baseline="B",
    ...                        objectives={"accuracy": "max", "cost": "min"})
    >>> test
    <HypervolumeTest Δ=0.1902, p=0.02857 (exact)>
    """
    options = HypervolumeTestOptions(n_resamples, alternative, paired, level, method, alpha, rng, two_sided)
    runs = gather_runs(
        frame,
        system=system,
        seed=seed,
        objectives=objectives,
        scale=scale,
        reference=reference,
        nan_policy=nan_policy,
    )
    point = runs.reference_costs(reference, margin)
    sides = runs.find(new, "new"), runs.find(baseline, "baseline")
    return claim_test(runs, *sides, point, options, (system, seed), margin if isinstance(reference, str) else None)


def claim_test(
    runs: Runs,
    new: list[int],
    baseline: list[int],
    point: np.ndarray,
    options: HypervolumeTestOptions,
    columns: tuple[Any, Any],
    margin: float | None = None,
) -> HypervolumeTest:
    """Test one claim on runs that were read before; `columns` are the system's and the seed's.

    `margin` is that of a reference point at the worst values, None for a stated one.
    """
    both = _checked_sides(runs, new, baseline, options.paired)
    rows = np.flatnonzero(runs.rows(both))
    costs, systems = runs.costs[rows], runs.systems[rows]
    first = np.isin(systems, new)
    _check_values(costs, point, runs, options.level)
    # Matching is by seed; where seeds are not matched their numbers mean nothing across systems.
    blocks = None if not options.paired or runs.seeds is None else runs.seeds[rows]
    # Systems are numbered by name, whatever the order of rows and sides.
    ordered = sorted(both, key=lambda s: repr(runs.labels[s]))
    numbers = np.array([ordered.index(s) for s in systems])
    outcome = permutation_test(costs, numbers, np.isin(ordered, new), point, options, blocks=blocks)
    alone = set_hypervolumes(costs[:, None, :], point, outcome.measure)
    test = HypervolumeTest(
        statistic=outcome.statistic,
        relative=outcome.statistic / outcome.second_value if outcome.second_value > 0 else math.nan,
        pvalue=outcome.pvalue,
        exact=outcome.exact,
        null_distribution=outcome.null_distribution,
        n_resamples=len(outcome.null_distribution),
        n_relabellings=outcome.n_permutations,
        smallest_pvalue=_smallest_pvalue(runs, new, baseline, outcome, options),
        new=tuple(runs.labels[s] for s in new),
        baseline=tuple(runs.labels[s] for s in baseline),
        n_new=int(first.sum()),
        n_baseline=int((~first).sum()),
        hypervolume_new=outcome.first_value,
        hypervolume_baseline=outcome.second_value,
        reference=runs.in_own_units(point),
        scale=runs.scale,
        measure=outcome.measure.name,
        caveats=(),
        rows=rows,
        is_new=first,
        alone=alone,
        objectives=runs.objectives,
        options=options,
        frame=runs.frame,
        columns=columns,
        per_run=compare_runs(alone, first, options, blocks),
        spread_ratio=_spread_ratio(costs, systems, first),
        tail=outcome.tail,
        margin=margin,
    )
    return replace(test, caveats=tuple(_caveats(test, runs, both, point, outcome.measure.exact)))


def compare_runs(
    alone: np.ndarray, first: np.ndarray, options: HypervolumeTestOptions, blocks: np.ndarray | None
) -> PerRunComparison:
    """Compare the hypervolumes that the runs of both sides have on their own."""
    tests = per_run_tests(alone[None, :], first, options, blocks=blocks)
    new, baseline = alone[first], alone[~first]
    freedom = len(alone) - 2
    # Divided by a power of two, which changes no digit, squares of small values do not vanish.
    exponent = int(np.frexp(np.abs(alone).max())[1])
    squares = sum(float((np.ldexp(side - side.mean(), -exponent) ** 2).sum()) for side in (new, baseline))
    return PerRunComparison(
        mean_new=float(new.mean()),
        mean_baseline=float(baseline.mean()),
        difference=float(new.mean() - baseline.mean()),
        pooled_sd=float(np.ldexp(math.sqrt(squares / freedom), exponent)) if freedom > 0 else math.nan,
        statistic=float(tests.statistic[0]),
        pvalue=float(tests.pvalue[0]),
        permutation_pvalue=float(tests.permutation_pvalue[0]),
        welch_pvalue=float(tests.t_pvalue[0]) if tests.studentised else math.nan,
        mann_whitney_pvalue=float(tests.rank_pvalue[0]),
        a12=float(tests.superiority[0]),
        exact=tests.exact,
        studentised=tests.studentised,
    )


def _spread_ratio(costs: np.ndarray, systems: np.ndarray, first: np.ndarray) -> float:
    """Standard deviation of the new side's runs around their systems' means over that of the baseline's.

    Of all objectives together, each in units of its spread over both sides.
    """
    # Divided by a power of two, which changes no digit, squares of small values do not vanish.
    costs = np.ldexp(costs, -np.frexp(np.abs(costs).max(axis=0))[1])
    with np.errstate(invalid="ignore"):
        means = np.array([costs[systems == s].mean(axis=0) for s in np.unique(systems)])
        squares = (costs - means[np.searchsorted(np.unique(systems), systems)]) ** 2
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


def _checked_sides(runs: Runs, new: list[int], baseline: list[int], paired: bool) -> list[int]:
    shared = [runs.labels[s] for s in new if s in baseline]
    if shared:
        raise ValueError(
            f"`new` and `baseline` both name {checks.listed(shared)}; a system can be on one side only. To ask what "
            "a system adds, put it alone in `new` and the others in `baseline`."
        )
    both = [*new, *baseline]
    runs.check_unique(both)
    if paired:
        runs.check_matched(both)
    return both


def _check_values(costs: np.ndarray, point: np.ndarray, runs: Runs, level: str) -> None:
    inside = (costs < point).all(axis=1)
    if np.isneginf(costs[inside]).any():
        raise ValueError("a run is infinitely good in some objective, so its hypervolume is infinite; drop or clip it.")
    if level == "mean" and not np.isfinite(costs).all():
        raise ValueError('`level="mean"` needs finite values, but a run has an infinite one; drop or clip it.')
    if level == "seeds" and not inside.any():
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
    symmetric = sides[0] == sides[1] if options.level == "mean" else sum(sides[0]) == sum(sides[1])
    alike = 2 if symmetric and options.alternative == "two-sided" else 1
    times = 2 if outcome.tail == "smaller tail" else 1
    if options.level == "mean":
        for counts in sides:
            for count in set(counts):
                alike *= math.factorial(counts.count(count))
    share = alike / outcome.n_permutations
    return min(1.0, times * (share if outcome.exact else max(share, 1 / (len(outcome.null_distribution) + 1))))


def _caveats(
    test: HypervolumeTest, runs: Runs, systems: list[int], point: np.ndarray, exact_measure: bool
) -> Iterator[str]:
    """Say what limits the conclusion of a test of some systems."""
    yield from _about_counts(test, runs, systems)
    yield from _about_spreads(test)
    yield from _about_ties(test)
    if test.margin is not None and test.statistic:
        yield (
            "A percentage would depend on the reference point, here near the worst values; state one with `reference`."
        )
    yield from _about_values(runs, systems, point)
    if not exact_measure:
        yield f"Hypervolumes are not exact: {test.measure}, the same for every permutation."
    error = math.sqrt(test.pvalue * (1 - test.pvalue) / test.n_resamples)
    if not test.exact and abs(test.pvalue - test.options.alpha) < 2 * error:
        yield (
            f"p is within Monte-Carlo error (± {2 * error:.2g}) of α: raise `n_resamples` before reading anything into "
            "which side it falls on."
        )


_UNEQUAL = {
    "smaller tail": "p, twice the smaller tail, allows for it; the difference itself does not.",
    "two-sided": "The paper's count of |D_b| >= |D| does not allow for it and can miss any difference.",
    "greater": "p allows for it; the difference itself does not.",
    "less": "p allows for it; the difference itself does not.",
}


def _about_spreads(test: HypervolumeTest) -> Iterator[str]:
    if test.options.level != "seeds" or not test.spreads_differ:
        return
    noisier, other = (test.new, test.baseline) if test.spread_ratio > 1 else (test.baseline, test.new)
    ratio = max(test.spread_ratio, 1 / test.spread_ratio if test.spread_ratio else math.inf)
    times = f"{text.number(ratio, 2)} times as widely as" if math.isfinite(ratio) else "and not"
    yield (
        f"The runs of {text.listing(map(system_name, noisier))} spread {times} those of "
        f"{text.listing(map(system_name, other))}: the front over all runs is larger for the noisier side by chance "
        "alone, and its p does not allow for that. The comparison of single runs does."
    )


def _about_counts(test: HypervolumeTest, runs: Runs, systems: list[int]) -> Iterator[str]:
    counts = runs.counts(systems)
    smallest = f"{test.smallest_pvalue:.3g}"
    if test.smallest_pvalue > test.options.alpha:
        yield (
            f"With {test.n_new} and {test.n_baseline} runs the smallest attainable p is {smallest}: no difference, "
            f"however large, can be significant at α = {test.options.alpha:g}. More seeds are needed."
        )
    elif min(counts) < FEW_SEEDS:
        yield f"Few seeds ({min(counts)} for some system): the smallest attainable p is {smallest}."
    if test.options.level == "seeds" and test.n_new != test.n_baseline:
        yield (
            f"Unequal numbers of runs ({test.n_new} and {test.n_baseline}): the front over more runs is larger "
            "by chance alone. " + _UNEQUAL[test.tail]
        )
    if len(systems) > 2:
        yield (
            f"Labels are exchanged among {len(systems)} systems: differences between systems of one side widen "
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
            "Few of these runs are on a front, so that many permutations tie: none of them gives a p below "
            f'{share:.3g}. Fronts of means (level="mean") use every run.'
        )


def _about_values(runs: Runs, systems: list[int], point: np.ndarray) -> Iterator[str]:
    still = [s for s in systems if (rows := runs.costs[runs.systems == s]).shape[0] > 1 and (rows == rows[0]).all()]
    if still:
        names = text.listing(system_name(runs.labels[s]) for s in still)
        yield f"No variation between the runs of {names}: check that changing the seed has an effect."
    beyond = ~(runs.costs < point).all(axis=1)
    for s in systems:
        count = int((beyond & (runs.systems == s)).sum())
        if count:
            yield (
                f"{count} of {int((runs.systems == s).sum())} runs of {system_name(runs.labels[s])} are not better "
                "than the reference point in every objective and add nothing to the hypervolume."
            )
    if runs.matrix.n_omitted:
        yield f"{runs.matrix.n_omitted} rows with missing values were left out."


def _check_range(values: pd.DataFrame) -> None:
    """Refuse values of which means and spreads would be more than a float can hold."""
    for name, column in values.items():
        sizes = np.abs(column.to_numpy(dtype=np.float64, na_value=np.nan))
        widest = sizes[np.isfinite(sizes)].max(initial=0.0)
        if widest > LARGEST:
            raise ValueError(
                f"objective {name!r} has values up to {widest:.2g} in size, of which no means and spreads can be "
                f"computed beyond {LARGEST:g}; rescale the column, e.g. frame[{name!r}] / 1e300."
            )


def _logged(scale: Mapping[Any, str] | None, objectives: Objectives) -> list[Hashable]:
    if scale is None:
        return []
    if not isinstance(scale, Mapping):
        raise TypeError(f'`scale` must map objectives to scales, e.g. {{"cost": "log"}}, not {type(scale).__name__}.')
    for name, how in scale.items():
        objectives.position(name, "scale")
        checks.one_of("scale", how, SCALES)
    return [name for name, how in scale.items() if how == "log"]


def _on_log_scale(frame: pd.DataFrame, names: list[Hashable]) -> pd.DataFrame:
    if not names:
        return frame
    scaled = frame.copy(deep=False)
    for name in names:
        column = frame[name]
        wrong = column <= 0
        if wrong.any():
            first = frame.index[wrong.to_numpy(dtype=bool, na_value=False)].tolist()[0]
            raise ValueError(
                f"`scale` asks for the logarithm of {name!r}, but {int(wrong.sum())} of {len(frame)} values are "
                f"not above zero (first in row {first!r}); shift or drop them, or leave {name!r} linear."
            )
        scaled[name] = np.log(column.to_numpy(dtype=np.float64, na_value=np.nan))
    return scaled
