"""Is the new front better than noise? The hypervolume permutation test over seeds."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.objectives import Objectives, ObjectivesLike
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import PlotMethod, public_explorer
from copa_nb.significance.arrays.permutation import ALTERNATIVES, PermutationTest, mean_test, split_test
from copa_nb.significance.arrays.subset_hypervolumes import METHODS, set_hypervolumes
from copa_nb.significance.caveats import find_caveats
from copa_nb.significance.runs import Runs, gather_runs, system_name

if TYPE_CHECKING:
    from copa_nb.explorers.significance import HypervolumeTestExplorer
    from copa_nb.significance.recommended_report import RecommendedReport

LEVELS = ("seeds", "mean")


@dataclass(frozen=True)
class HypervolumeTestOptions:
    """How to test, checked once for all tests of an audit.

    Parameters are those of :func:`hv_test`.
    """

    n_resamples: int = 5000
    alternative: str = "two-sided"
    paired: bool = False
    level: str = "seeds"
    method: str = "auto"
    alpha: float = 0.05
    rng: int | np.random.Generator = 0

    def __post_init__(self) -> None:
        checks.integer("n_resamples", self.n_resamples)
        checks.one_of("alternative", self.alternative, ALTERNATIVES)
        checks.one_of("level", self.level, LEVELS)
        checks.one_of("method", self.method, METHODS)
        checks.fraction("alpha", self.alpha)
        checks.generator(self.rng)
        if not isinstance(self.paired, bool | np.bool_):
            raise TypeError(f"`paired` is {self.paired!r}; it must be True or False.")


@dataclass(frozen=True, repr=False, eq=False)
class HypervolumeTest:
    """Outcome of a hypervolume permutation test, with all that a reader needs to judge it.

    Parameters
    ----------
    statistic : float
        Hypervolume of the new front minus that of the baseline front.
    relative : float
        The same as a share of the baseline's hypervolume; NaN if that is zero.
    pvalue : float
        p = (1 + count of abs(D_b) >= abs(D)) / (B + 1), or the exact proportion if all relabellings were enumerated.
    exact : bool
        Whether they were.
    null_distribution : ndarray of float64, shape (B,)
        Difference under each relabelling.
    n_resamples : int
        B, the relabellings evaluated.
    n_relabellings : int
        Distinct relabellings that there are.
    smallest_pvalue : float
        Smallest p that these numbers of runs (and B) can give.
    new, baseline : tuple of labels
        Systems on each side.
    n_new, n_baseline : int
        Runs on each side.
    hypervolume_new, hypervolume_baseline : float
        Observed hypervolumes.
    reference : dict of objective to value
        Reference point, in the objectives' own units.
    scale : dict of objective to "log"
        Objectives whose logarithm was taken.
    measure : str
        How hypervolumes were computed.
    caveats : tuple of str
        What limits the conclusion.
    rows : ndarray of int, shape (n_new + n_baseline,)
        Rows of the table (without omitted ones) that were compared.
    is_new : ndarray of bool, shape (n_new + n_baseline,)
        Which of them are of the new side.
    alone : ndarray of float64, shape (n_new + n_baseline,)
        Hypervolume of each run on its own.
    objectives : Objectives
        Names and directions.
    options : HypervolumeTestOptions
        alternative, paired, level, alpha, rng as they were given.
    frame : DataFrame
        The table that the runs come from, without omitted rows.
    columns : tuple of label or list of labels
        The system's and the seed's columns.
    """

    statistic: float
    relative: float
    pvalue: float
    exact: bool
    null_distribution: np.ndarray = field(repr=False)
    n_resamples: int
    n_relabellings: int
    smallest_pvalue: float
    new: tuple[Hashable, ...]
    baseline: tuple[Hashable, ...]
    n_new: int
    n_baseline: int
    hypervolume_new: float
    hypervolume_baseline: float
    reference: dict[Hashable, float]
    scale: dict[Hashable, str]
    measure: str
    caveats: tuple[str, ...]
    rows: np.ndarray = field(repr=False)
    is_new: np.ndarray = field(repr=False)
    alone: np.ndarray = field(repr=False)
    objectives: Objectives
    options: HypervolumeTestOptions
    frame: pd.DataFrame = field(repr=False)
    columns: tuple[Any, Any]

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run: ``side``, system, seed, objectives in own units, ``hypervolume`` of the run alone."""
        given = [names if isinstance(names, list) else [names] for names in self.columns if names is not None]
        table = self.frame.iloc[self.rows][[*itertools.chain(*given), *self.objectives.names]].copy()
        table.insert(0, "side", np.where(self.is_new, "new", "baseline"))
        table["hypervolume"] = self.alone
        return table

    @property
    def significant(self) -> bool:
        """Whether p is at most α."""
        return self.pvalue <= self.options.alpha

    @property
    def verdict(self) -> str:
        """The outcome in one sentence."""
        return _verdict(self)

    @property
    def table(self) -> pd.DataFrame:
        """One row with everything a paper should state."""
        row = {
            "new": text.listing(map(system_name, self.new)),
            "baseline": text.listing(map(system_name, self.baseline)),
            "runs_new": self.n_new,
            "runs_baseline": self.n_baseline,
            "hypervolume_new": self.hypervolume_new,
            "hypervolume_baseline": self.hypervolume_baseline,
            "difference": self.statistic,
            "relative": self.relative,
            "pvalue": self.pvalue,
            "exact": self.exact,
            "relabellings": self.n_resamples,
            "smallest_pvalue": self.smallest_pvalue,
            "alternative": self.options.alternative,
            "paired": self.options.paired,
            "level": self.options.level,
            "measure": self.measure,
        }
        for name, label in zip(self.objectives, self.objectives.labels, strict=True):
            row[f"reference {label}{' (log)' if name in self.scale else ''}"] = self.reference[name]
        return pd.DataFrame([row])

    def to_frame(self) -> pd.DataFrame:
        """The same as :attr:`table`."""
        return self.table

    def recommended_report(self) -> RecommendedReport:
        """What the paper asks authors to report, ready to use; see :func:`copa_nb.recommended_report`."""
        from copa_nb.significance.recommended_report import recommended_report

        return recommended_report(self)

    plot = PlotMethod("plot_null_distribution")

    def explore(self) -> HypervolumeTestExplorer:
        """Slide the reference point and the number of runs in the notebook, starting from this test.

        Returns
        -------
        HypervolumeTestExplorer
            See :func:`copa_nb.explore_test`. A test that was given a Generator is drawn again with seed 0.

        Raises
        ------
        ValueError
            For a single objective.
        """
        system, seed = self.columns
        given = self.options
        explorer: HypervolumeTestExplorer = public_explorer("explore_test")(
            self.frame, system=system, seed=seed, new=list(self.new), baseline=list(self.baseline),
            objectives=self.objectives, reference=self.reference, scale=self.scale, n_resamples=given.n_resamples,
            alternative=given.alternative, paired=given.paired, level=given.level, method=given.method,
            alpha=given.alpha, rng=0 if isinstance(given.rng, np.random.Generator) else given.rng,
        )  # fmt: skip
        return explorer

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"B={self.n_resamples:,}"
        return f"<HypervolumeTest Δ={text.number(self.statistic)}, p={text.number(self.pvalue)} ({how})>"

    def _repr_html_(self) -> str:
        shown = self.table.T.astype(object).set_axis([""], axis="columns")
        sentences = [self.verdict, *self.caveats]
        return text.card("Hypervolume permutation test", sentences, text.html_table(shown, most=len(shown)))


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
    rng: int | np.random.Generator = 0,
) -> HypervolumeTest:
    """Test whether the front of one or more new systems differs from a baseline's by more than seed noise.

    The statistic is the hypervolume of the new front minus that of the baseline front. If the systems do
    not differ, their labels can be exchanged over the union of the runs; p is the share of relabellings
    whose difference is at least as large.

    Parameters
    ----------
    frame : DataFrame
        One row per system and seed, with all systems that the reference point is to cover.
    system : label or list of labels
        Column or columns that name the system; with several, a system is named by a tuple.
    new, baseline : label or list of labels
        One system or several on each side.
    seed : label or list of labels, optional
        Column or columns that number the runs of a system. Without it every row counts as a run of its own.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    reference : "worst", mapping of objective to value, or Reference
        Reference point of the hypervolume in the objectives' own units. "worst" is the worst value over all
        systems of the table, moved outwards by `margin` of the range. Freeze it for a series of tests.
    margin : float
        See `reference`.
    n_resamples : int
        Random relabellings B. If there are no more than B distinct ones, all are enumerated and p is exact.
    alternative : {"two-sided", "greater", "less"}
        Whether the new front is different, better or worse.
    paired : bool
        Exchange labels only within matched seeds or folds.
    level : {"seeds", "mean"}
        Fronts over all runs, as in the paper, or over the systems' means.
    scale : mapping of objective to {"linear", "log"}, optional
        Objectives to take the logarithm of before anything else.
    method : {"auto", "exact", "approximate"}
        Whether hypervolumes are exact; "auto" approximates only what would take minutes, and says so.
    alpha : float
        Level that the verdict speaks of.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.
    rng : int or numpy Generator
        Source of the random relabellings.

    Returns
    -------
    HypervolumeTest

    Raises
    ------
    ValueError
        For unknown or overlapping systems, repeated (system, seed) rows, seeds that do not match under
        `paired`, logarithms of values that are not positive, or when no run is inside the reference point.

    References
    ----------
    The permutation test and its p-value are section 3.2 of the hypervolume-test paper.

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
    options = HypervolumeTestOptions(n_resamples, alternative, paired, level, method, alpha, rng)
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
    return claim_test(runs, runs.find(new, "new"), runs.find(baseline, "baseline"), point, options, (system, seed))


def claim_test(
    runs: Runs,
    new: list[int],
    baseline: list[int],
    point: np.ndarray,
    options: HypervolumeTestOptions,
    columns: tuple[Any, Any],
) -> HypervolumeTest:
    """Test one claim on runs that were read before; `columns` are the system's and the seed's."""
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
    outcome = _run_test(costs, numbers, np.isin(ordered, new), point, blocks, options)
    test = HypervolumeTest(
        statistic=outcome.statistic,
        relative=outcome.statistic / outcome.second_value if outcome.second_value > 0 else math.nan,
        pvalue=outcome.pvalue,
        exact=outcome.exact,
        null_distribution=outcome.null_distribution,
        n_resamples=len(outcome.null_distribution),
        n_relabellings=outcome.n_relabellings,
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
        alone=set_hypervolumes(costs[:, None, :], point),
        objectives=runs.objectives,
        options=options,
        frame=runs.frame,
        columns=columns,
    )
    return replace(test, caveats=find_caveats(test, runs, both, point, outcome.measure.exact))


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
        worst = ", ".join(f"{name}={text.number(value)}" for name, value in runs.in_own_units(point).items())
        raise ValueError(
            f"`reference` ({worst}) is not worse than a single run of these systems in every objective, so all "
            'hypervolumes are zero; choose a worse point, or reference="worst".'
        )


def _run_test(
    costs: np.ndarray,
    systems: np.ndarray,
    first: np.ndarray,
    point: np.ndarray,
    blocks: np.ndarray | None,
    options: HypervolumeTestOptions,
) -> PermutationTest:
    common: dict[str, Any] = {
        "blocks": blocks,
        "n_resamples": options.n_resamples,
        "alternative": options.alternative,
        "method": options.method,
        "rng": int(options.rng) if isinstance(options.rng, int | np.integer) else checks.generator(options.rng),
    }
    if options.level == "seeds":
        return split_test(costs, first[systems], point, **common)
    return mean_test(costs, systems, first, point, **common)


def _smallest_pvalue(
    runs: Runs, new: list[int], baseline: list[int], outcome: PermutationTest, options: HypervolumeTestOptions
) -> float:
    """Smallest attainable p: some relabellings always give the observed difference, or its mirror image."""
    sides = [sorted(runs.counts(side)) for side in (new, baseline)]
    symmetric = sides[0] == sides[1] if options.level == "mean" else sum(sides[0]) == sum(sides[1])
    alike = 2 if symmetric and options.alternative == "two-sided" else 1
    if options.level == "mean":
        for counts in sides:
            for count in set(counts):
                alike *= math.factorial(counts.count(count))
    share = min(1.0, alike / outcome.n_relabellings)
    return share if outcome.exact else max(share, 1 / (len(outcome.null_distribution) + 1))


def _many(count: int) -> str:
    """Write a count in full as long as people read it so."""
    return f"{count:,}" if count < 1e9 else text.number(float(count), 2)


def _verdict(test: HypervolumeTest) -> str:
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    if test.n_new == test.n_baseline == 1:
        return f"One run each of {new} and {baseline} cannot be compared with noise: p is 1 whatever the values."
    if test.statistic == 0:
        size = "is as large in hypervolume as"
    else:
        word = "larger" if test.statistic > 0 else "smaller"
        share = f"{100 * abs(test.relative):.3g} % " if math.isfinite(test.relative) else ""
        size = f"is {share}{word} in hypervolume than"
    how = (
        f"exact over all {test.n_relabellings:,} relabellings"
        if test.exact
        else f"{test.n_resamples:,} of {_many(test.n_relabellings)} relabellings"
    )
    side = {"two-sided": "", "greater": "one-sided, ", "less": "one-sided, "}[test.options.alternative]
    outcome = "more than" if test.significant else "not told apart from"
    return (
        f"The front of {new} {size} that of {baseline}; over {test.n_new} and {test.n_baseline} runs this is "
        f"{outcome} seed noise (p = {text.number(test.pvalue, 3)}, {side}{how}; α = {test.options.alpha:g})."
    )
