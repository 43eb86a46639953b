"""Results of hypervolume tests, and what authors should report with a claimed improvement."""

from __future__ import annotations

__all__ = ["HypervolumeTest", "Reporting"]

import math
import os
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.reference_points import WORST
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.note import Note, NothingToShowError
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Result, Worded, drawn
from copa_nb.results.sentences import Part, briefest, explained, measured, part, said, say
from copa_nb.results.values import json_value
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions
from copa_nb.significance.noise import NoiseModel, noise_of_runs
from copa_nb.significance.printing import numbers_of
from copa_nb.significance.runs import gather_runs, system_name
from copa_nb.significance.runs_needed import RunsNeeded, fewest_runs
from copa_nb.significance.simulation import Power, distributed, simulate
from copa_nb.tables.columns import as_names, column_or_level, several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives

# Of a reference point at the worst values, for indicators that need none themselves.
REFERENCE_MARGIN = 0.1
# Standard deviations that differ by less than this are not worth a sentence: with five runs a side and two objectives
# equal noise does so in one case of fourteen.
UNLIKE_SPREADS = 2.0
_MOST_MEANS = 3  # objectives whose means a card spells out
_OBSERVED = "observed"


@dataclass(frozen=True)
class PerRunComparison:
    """Comparison of the hypervolumes of single runs between two sides.

    Parameters
    ----------
    mean_new, mean_baseline, difference : float
        Means over the runs of each side, and their difference.
    pooled_sd : float
        Pooled standard deviation of the runs around the mean of their side; NaN with one run a side.
    statistic : float
        Welch's t, or the paired t; the difference where a side has a single run.
    pvalue : float
        The larger of the next two.
    permutation_pvalue : float
        Of the studentized permutation test; exact where all permutations are enumerated.
    welch_pvalue : float
        Of Welch's t-test (or the paired one), with the degrees of freedom of the smaller side if the numbers of runs
        differ; NaN where a side has a single run or neither side shows any spread.
    mann_whitney_pvalue : float
        Of the Mann-Whitney test, by the same permutations (within matched repeats under pairing).
    a12 : float
        Vargha and Delaney's effect size: how often a run of the new side is the better one of a pair, ties counted
        half; 0.5 means no tendency.
    exact : bool
        Whether all permutations were enumerated.
    studentized : bool
        Whether each side has enough runs to estimate its spread.
    low, high : float
        Two-sided t interval of the difference, after Welch or paired; NaN where `welch_pvalue` is.
    confidence_level : float
        Its nominal level, 1 - α. It is reached for runs of normal hypervolumes, and for others with many runs.
    """

    mean_new: float
    mean_baseline: float
    difference: float
    pooled_sd: float
    statistic: float
    pvalue: float
    permutation_pvalue: float
    welch_pvalue: float
    mann_whitney_pvalue: float
    a12: float
    exact: bool
    studentized: bool
    low: float = math.nan
    high: float = math.nan
    confidence_level: float = 0.95

    @property
    def t_pvalue(self) -> float:
        """The p-value of t; that of permutations where t is not defined."""
        return self.permutation_pvalue if math.isnan(self.welch_pvalue) else self.welch_pvalue

    @property
    def cohens_d(self) -> float:
        """Cohen's d: the difference in pooled standard deviations."""
        return self.difference / self.pooled_sd if self.pooled_sd > 0 else math.nan

    def parts(self, indicator: str) -> list[Part]:
        """The difference of the means with its interval, and effect sizes."""
        found = {"indicator": indicator, "difference": self.difference}
        effects = {"mann_whitney": self.mann_whitney_pvalue, "a12": self.a12}
        if math.isfinite(self.low):
            ends = {"low": self.low, "high": self.high, "level": text.number(100 * self.confidence_level, 3)}
            difference = part("test.reasons.difference", **found, **ends)
        else:
            difference = part(f"test.reasons.{'equal' if self.studentized else 'single'}_runs", **found)
        if math.isfinite(self.cohens_d):
            return [difference, part("test.details.effects", **effects, d=self.cohens_d)]
        return [difference, part("test.details.effects_of_ranks", **effects)]


# Of a result that is not made by `hv_test`: it supports nothing.
_UNKNOWN = PerRunComparison(
    **dict.fromkeys([entry.name for entry in fields(PerRunComparison) if entry.type == "float"], math.nan),
    exact=False,
    studentized=False,
)


@dataclass(frozen=True, eq=False)
class HypervolumeTestInputs:
    """The table and the options of a hypervolume permutation test.

    Parameters
    ----------
    frame : DataFrame
        The table that the runs come from, without omitted rows.
    columns : tuple of label or list of labels
        Columns, or index levels, of the system and the repeat.
    new, baseline : tuple of labels
        Systems on each side.
    rows : ndarray of int, shape (n_new + n_baseline,)
        Rows of the table that were compared.
    is_new : ndarray of bool, shape (n_new + n_baseline,)
        Which of them are of the new side.
    objectives : Objectives
        Names and directions.
    log : tuple of labels
        Objectives whose logarithm was taken.
    reference_margin : float or None
        How far the reference point is moved outwards from the worst values; None if it was stated. Only under a
        stated one does a text give percentages of a hypervolume.
    options : HypervolumeTestOptions
        How the test was run: alternative, paired, unit, method, alpha, rng.
    worst_multiple : bool
        Whether `reference_margin` is a share of the worst values themselves, not of the range.
    """

    frame: pd.DataFrame = field(repr=False)
    columns: tuple[Any, Any]
    new: tuple[Hashable, ...]
    baseline: tuple[Hashable, ...]
    rows: np.ndarray = field(repr=False)
    is_new: np.ndarray = field(repr=False)
    objectives: Objectives
    log: tuple[Hashable, ...]
    reference_margin: float | None
    options: HypervolumeTestOptions
    worst_multiple: bool = False


@dataclass(frozen=True, repr=False, eq=False)
class HypervolumeTest(Worded):
    """Result of a hypervolume permutation test, with everything that a reader needs to judge it.

    Parameters
    ----------
    statistic : float
        Hypervolume of the new front minus that of the baseline front.
    pvalue : float
        Of the fronts: p = (1 + count of abs(D_b) >= abs(D)) / (B + 1), or the exact proportion if all permutations
        were enumerated; twice the smaller tail if the sides have unequal numbers of runs.
    exact : bool
        Whether all permutations were enumerated.
    null_distribution : ndarray of float64, shape (B,)
        Difference under each permutation of the labels.
    n_relabelings : int
        Distinct permutations.
    smallest_pvalue : float
        Smallest p that these numbers of runs (and B) can attain.
    hypervolume_new, hypervolume_baseline : float
        Observed hypervolumes, or minus the values of another indicator.
    reference : dict of objective to value
        Reference point, in the objectives' own units; empty where the indicator has none.
    measure : str
        How hypervolumes, or another indicator, were computed, with the seed where they are approximate.
    guarantee : Guarantee
        What the verdict on single runs guarantees, what these runs give to doubt it, and limits of the conclusion.
    run_values : ndarray of float64, shape (n_new + n_baseline,)
        Hypervolume of each single run, or minus its indicator.
    inputs : HypervolumeTestInputs
        The table and the options, from which reports and explorers start.
    per_run : PerRunComparison
        The hypervolumes of single runs, compared between the sides.
    spread_ratio : float
        Standard deviation of the new side's runs over that of the baseline's, all objectives together; NaN if a side
        has one run of each system.
    tail : {"two-sided", "smaller tail", "greater", "less"}
        Which permutations count for p: abs(D_b) >= abs(D), those of the smaller tail (twice), or of one side.
    """

    paper = "boyi2026significance"

    _internals = frozenset(
        (
            "baseline",
            "better",
            "hypervolume_baseline",
            "hypervolume_new",
            "log",
            "measure",
            "n_baseline",
            "n_new",
            "n_relabelings",
            "name",
            "new",
            "null_distribution",
            "per_run",
            "reference",
            "relative",
            "run_values",
            "parts_of_runs",
            "runs",
            "smallest_pvalue",
            "spread_ratio",
            "spreads_differ",
            "tail",
        )
    )

    statistic: float
    pvalue: float
    exact: bool
    null_distribution: np.ndarray = field(repr=False)
    n_relabelings: int
    smallest_pvalue: float
    hypervolume_new: float
    hypervolume_baseline: float
    reference: dict[Hashable, float]
    measure: str
    guarantee: Guarantee = field(repr=False)
    run_values: np.ndarray = field(repr=False)
    inputs: HypervolumeTestInputs = field(repr=False)
    per_run: PerRunComparison = _UNKNOWN
    spread_ratio: float = math.nan
    tail: str = "two-sided"

    @property
    def new(self) -> tuple[Hashable, ...]:
        """Systems of the new side."""
        return self.inputs.new

    @property
    def baseline(self) -> tuple[Hashable, ...]:
        """Systems of the baseline."""
        return self.inputs.baseline

    @property
    def n_new(self) -> int:
        """Runs of the new side."""
        return int(self.inputs.is_new.sum())

    @property
    def n_baseline(self) -> int:
        """Runs of the baseline."""
        return len(self.inputs.is_new) - self.n_new

    @property
    def n_resamples(self) -> int:
        """B, the permutations evaluated."""
        return len(self.null_distribution)

    @property
    def relative(self) -> float:
        """The statistic as a share of the baseline's hypervolume; NaN if that is not positive."""
        return self.statistic / self.hypervolume_baseline if self.hypervolume_baseline > 0 else math.nan

    @property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return self.inputs.objectives

    @property
    def log(self) -> tuple[Hashable, ...]:
        """Objectives whose logarithm was taken, as a mapping to "log"."""
        return self.inputs.log

    @property
    def options(self) -> HypervolumeTestOptions:
        """How the test was run: alternative, paired, unit, method, alpha, rng."""
        return self.inputs.options

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run: ``side``, system, repeat, objectives in own units, ``hypervolume`` of the run alone."""
        part = self.inputs.frame.iloc[self.inputs.rows]
        names = [name for given in self.inputs.columns for name in as_names(given)]
        names_of_columns = pd.Index([*names, *self.objectives.names], dtype=object, tupleize_cols=False)
        table = pd.DataFrame({k: column_or_level(part, name) for k, name in enumerate(names_of_columns)})
        table.columns = names_of_columns
        # A level that became a column must not be both.
        table = table.reset_index(level=[name for name in names if name in table.index.names], drop=True)
        table.insert(0, "side", np.where(self.inputs.is_new, "new", "baseline"))
        table[self.options.indicator] = _sign(self) * self.run_values
        return table

    @property
    def name(self) -> str:
        """Name of the indicator in sentences."""
        return NAMES[self.options.indicator]

    @property
    def better(self) -> str:
        """The word for a better front: larger by hypervolume, better by another indicator."""
        return "larger" if self.options.indicator == "hypervolume" else "better"

    @property
    def significant(self) -> bool:
        """Whether the hypervolumes of single runs differ significantly: the studentized permutation test decides.

        The front over all runs consists of the luckiest ones, so that its own permutation test (``pvalue``, the
        paper's) detects spreads as well as means, and loses power as runs are added.
        """
        return self.per_run.pvalue <= self.options.alpha

    @property
    def spreads_differ(self) -> bool:
        """Whether the standard deviation of one side's runs is at least twice that of the other's."""
        ratio = self.spread_ratio
        return ratio >= UNLIKE_SPREADS or ratio <= 1 / UNLIKE_SPREADS

    @property
    def verdict(self) -> str:
        """The conclusion from single runs, their comparison with an interval, and the comparison of the fronts."""
        return " ".join(explained(self.parts_of_runs()))

    def parts(self) -> list[Part]:
        """The verdict, what the test estimates, how exact its level is, and what limits the conclusion."""
        return [*self.parts_of_runs(), *self.guarantee.parts()]

    def parts_of_runs(self) -> list[Part]:
        """The sentences of :attr:`verdict`."""
        sides = {"new": _listed(self.new), "baseline": _listed(self.baseline)}
        if self.n_new == self.n_baseline == 1:
            return [part("test.headline.one_run", **sides), part("test.reasons.single_run")]
        return [self._conclusion(sides), *self._means(sides), *self._disagreement(), *self.per_run.parts(self.name),
                self._of_fronts(sides)]  # fmt: skip

    def _conclusion(self, sides: Mapping[str, str]) -> Part:
        """What follows from single runs; with long names of systems, of one of them."""
        pvalue, expected = self.per_run.pvalue, self.options.alternative
        if self.significant:
            take, other = ("new", "baseline") if self.per_run.difference > 0 else ("baseline", "new")
            found, kind = {"better": sides[take], "worse": sides[other], "pvalue": pvalue}, "better"
        else:
            kind = {"two-sided": "no_difference", "greater": "not_better", "less": "not_worse"}[expected]
            found = {**sides, "pvalue": pvalue}
        return briefest(part(f"test.headline.{kind}{shorter}", **found) for shorter in ("", "_in_short"))

    def _means(self, sides: Mapping[str, str]) -> list[Part]:
        """The means of both sides, in own units."""
        runs = self.runs
        if len(self.objectives) > _MOST_MEANS or runs.columns.has_duplicates:
            return []
        means = several(runs, self.objectives).groupby(runs["side"].to_numpy()).mean().to_dict("index")
        both = []
        for name in self.objectives:
            new, baseline = (float(means[side][name]) for side in ("new", "baseline"))
            both.append(part("test.phrases.means", **measured(name, new, baseline), baseline=baseline))
        return [part("test.reasons.means", **sides, means=both)]

    def _of_fronts(self, sides: Mapping[str, str]) -> Part:
        """What the permutation test of fronts finds, and how it was made."""
        facts: dict[str, Any] = {"new": sides["new"], "pvalue": self.pvalue, "alpha": self.options.alpha}
        facts["how"] = part(f"test.phrases.{'exact' if self.exact else 'sampled'}", n=self.n_resamples,
                            all=_large_number(self.n_relabelings))  # fmt: skip
        facts["runs"] = _number_of_runs(self)
        size = {0: "same", 1: "larger", -1: "smaller"}[int(np.sign(self.statistic * _sign(self)))]
        of = {"indicator": self.name, "baseline": sides["baseline"]}
        which = "test.details.front" + "_one_sided" * (self.options.alternative != "two-sided")
        if self.statistic and self.options.indicator == "hypervolume" and _gives_share(self):
            share = part(f"test.phrases.{size}_by_share", **of, share=100 * abs(self.relative))
            return part(which, **facts, size=share)
        size_of = part(f"test.phrases.{size}", **of)
        if not self.statistic:
            return part(which, **facts, size=size_of)
        is_signed = self.options.indicator == "hypervolume"
        difference = self.statistic if is_signed else abs(self.statistic)
        return part(f"{which}_by", **facts, size=size_of, difference=difference)

    def _disagreement(self) -> list[Part]:
        """Why fronts and single runs may say different things, where they do."""
        if self.pvalue <= self.options.alpha and not self.significant:
            return [part("test.reasons.wider_spread", better=self.better)]
        if self.significant and self.per_run.difference * self.statistic < 0:
            return [part("test.reasons.other_way")]
        if self.significant and self.pvalue > self.options.alpha:
            return [part("test.reasons.less_power")]
        return []

    def to_answer(self) -> Answer:
        """Whether single runs of one side are better, and how certain that is."""
        table = self.table[["new", "baseline", "pvalue", "runs_pvalue", "significant"]]
        question = say(part("test.question"))
        return Answer.of(self.parts(), question=question, used="hv_test", values={"tests": table.to_dict("records")})

    @property
    def table(self) -> pd.DataFrame:
        """One row with everything that a paper should state."""
        row = {
            "new": text.listing(map(system_name, self.new)),
            "baseline": text.listing(map(system_name, self.baseline)),
            "runs_new": self.n_new,
            "runs_baseline": self.n_baseline,
            f"{self.options.indicator}_new": _sign(self) * self.hypervolume_new,
            f"{self.options.indicator}_baseline": _sign(self) * self.hypervolume_baseline,
            "difference": self.statistic,
            "relative": self.relative,
            "pvalue": self.pvalue,
            "exact": self.exact,
            "relabelings": self.n_resamples,
            "smallest_pvalue": self.smallest_pvalue,
            "alternative": self.options.alternative,
            "paired": self.options.paired,
            "unit": self.options.unit,
            "measure": self.measure,
            "mean_difference": self.per_run.difference,
            "low": self.per_run.low,
            "high": self.per_run.high,
            "pooled_sd": self.per_run.pooled_sd,
            "cohens_d": self.per_run.cohens_d,
            "runs_pvalue": self.per_run.pvalue,
            "mann_whitney": self.per_run.mann_whitney_pvalue,
            "a12": self.per_run.a12,
            "spread_ratio": self.spread_ratio,
            "significant": self.significant,
        }
        for name, label in zip(self.objectives, self.objectives.labels, strict=True) if self.reference else ():
            row[f"reference {label}{' (log)' if name in self.log else ''}"] = self.reference[name]
        return pd.DataFrame([row])

    def printed_tables(self) -> list[PrintedTable]:
        """The test in numbers."""
        return [numbers_of(self)]

    def reporting(self) -> Reporting:
        """Collect what a paper should state about a claimed improvement, as recommended in [1]_.

        Returns
        -------
        Reporting
            The runs, a summary, a paragraph and a LaTeX table.

        References
        ----------
        .. [1] boyi, "Statistical Significance of Pareto Front Improvements in Multi-Objective Benchmarks",
           clawrxiv:2604.01959, 2026.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
        ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
        ... })
        >>> test = runs.moo(accuracy="max", cost="min", system="agent", repeat="run").hv_test("A", "B")
        >>> print(test.reporting().paragraph)
        We compare A with B on accuracy (maximized) and cost (minimized) by the hypervolume permutation test...
        """
        return Reporting(self.runs.copy(), self.table, _paragraph(self), _latex_table(self))

    def power(
        self,
        effect: float | str | Sequence[float | str] = 0.05,
        n_runs: int | Sequence[int] = (5, 10),
        *,
        noise: float | Sequence[float] | Mapping[Any, float] | NoiseModel | None = None,
        pooled: bool = False,
        distribution: str = "normal",
        n_resamples: int | None = None,
        alpha: float | None = None,
        **settings: Any,
    ) -> Power:
        """Simulate how often this test detects an improvement of a given size, with the noise of these runs.

        Tests as this one did: alternative, pairing, unit, indicator and reference point. See :func:`copa_nb.power` for
        planning without runs.

        Parameters
        ----------
        effect : float, "observed", or sequence of these
            Share by which the new system's hypervolume exceeds the baseline's. "observed" is the size of the one found
            here, to two digits; among others it is left out if there is none.
        n_runs : int or sequence of int
            Numbers of runs, the same for both systems.
        noise : float, sequence, mapping of objective to float, or NoiseModel, optional
            By default, that of the runs of each side. A number, or one per objective, is a standard deviation as a
            share of the baseline's distance from the reference point; a mapping has them in the objectives' own units.
        pooled : bool
            Whether both sides have one covariance, pooled over all systems of the table as if they were equally noisy.
        distribution : {"normal", "uniform"}
            Distribution of the noise.
        n_resamples : int, optional
            Permutations of each simulated data set; as in this test if omitted.
        alpha : float, optional
            Level of significance; as in this test if omitted.
        **settings
            ``correlation``, ``n_simulations`` and ``rng`` of
            :func:`copa_nb.power`.

        Returns
        -------
        Power
            A sentence in its place, where the runs do not show their noise.

        Raises
        ------
        ValueError
            If effects, numbers of runs or settings are out of range.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
        ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
        ... })
        >>> test = runs.moo(accuracy="max", cost="min", system="agent", repeat="run").hv_test("A", "B")
        >>> study = test.power(effect=1.0, n_runs=[4, 6], n_simulations=50, n_resamples=99)
        >>> study.table["n_runs"].tolist()
        [4, 6]
        """
        try:
            model = self._noise(noise, pooled, distribution)
        except NothingToShowError as error:
            return cast("Power", Note(f"No power study: {error}"))
        options = self._simulated_options(n_resamples, alpha)
        return simulate(model, options, effect=self._with_observed(effect), n_runs=n_runs, **settings)

    def needed(
        self,
        power: float = 0.8,
        effect: float = 0.05,
        statistic: str = "runs",
        *,
        most: int = 50,
        noise: float | Sequence[float] | Mapping[Any, float] | NoiseModel | None = None,
        pooled: bool = False,
        distribution: str = "normal",
        n_resamples: int | None = None,
        alpha: float | None = None,
        **settings: Any,
    ) -> RunsNeeded:
        """Find the smallest number of runs with which this test reaches a power, with the noise of these runs.

        The power of the comparison of fronts grows slowly, because a front consists of its luckiest runs, however many
        runs there are. If not even `most` runs can reach the power, the search stops at once and explains why.

        Parameters
        ----------
        power : float
            The target power.
        effect : float
            Share by which the new system's hypervolume exceeds the baseline's.
        statistic : {"runs", "front"}
            Which comparison: single runs, which decides whether a result is significant, or fronts, as in the paper.
        most : int
            Largest number of runs to try.
        noise, pooled, distribution, n_resamples, alpha, **settings
            See :meth:`power`.

        Returns
        -------
        RunsNeeded
            Its Monte Carlo error is several runs where power grows slowly: see ``range``.

        Raises
        ------
        ValueError
            If noise cannot be fitted, for an unknown `statistic`, or if power or effect is out of range.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame({
        ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
        ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
        ... })
        >>> test = runs.moo(accuracy="max", cost="min", system="agent", repeat="run").hv_test("A", "B")
        >>> test.needed(effect=1.0, n_simulations=50, n_resamples=99).n_runs
        6
        """
        model, options = self._noise(noise, pooled, distribution), self._simulated_options(n_resamples, alpha)
        return fewest_runs(model, options, power=power, effect=effect, most=most, statistic=statistic, **settings)

    def _with_observed(self, effect: Any) -> Any:
        """The effects to simulate, in ascending order where one of them is that of these runs."""
        effects = [effect] if isinstance(effect, str) or not isinstance(effect, Iterable) else list(effect)
        if _OBSERVED not in effects:
            return effect
        found = float(f"{abs(self.relative):.2g}") if math.isfinite(self.relative) else 0.0
        others = [one for one in effects if one != _OBSERVED]
        return sorted({*others, found} - {0.0}) or [found]

    def _noise(self, noise: Any, pooled: bool, distribution: str) -> NoiseModel:
        system, repeat = self.inputs.columns
        runs = gather_runs(
            DescribedFrame.of(self.inputs.frame, self.objectives, system=system, repeat=repeat, log=self.log)
        )
        point = runs.reference_costs(self.reference or WORST, REFERENCE_MARGIN)
        new, baseline = runs.find(list(self.new), "new"), runs.find(list(self.baseline), "baseline")
        model = noise_of_runs(runs, noise, new, baseline, point, pooled=pooled)
        return model if isinstance(noise, NoiseModel) else distributed(model, distribution)

    def _simulated_options(self, n_resamples: int | None, alpha: float | None) -> HypervolumeTestOptions:
        """The options of this test for simulated data sets, which have seeds of their own."""
        return replace(
            self.options, method="auto", rng=0, n_resamples=n_resamples or self.options.n_resamples,
            alpha=self.options.alpha if alpha is None else alpha,
        )  # fmt: skip

    def facts(self) -> dict[str, Any]:
        """Return the two sides, their numbers of runs, and both comparisons, as values of JSON."""
        sides = {"new": list(map(system_name, self.new)), "baseline": list(map(system_name, self.baseline))}
        counts = {"runs_new": self.n_new, "runs_baseline": self.n_baseline}
        return {**super().facts(), **sides, **counts, "single_runs": json_value(vars(self.per_run))}

    plot = Offered()

    report = Offered()

    explore = Offered()

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"B={self.n_resamples:,}"
        return f"<HypervolumeTest Δ={text.number(self.statistic)}, p={text.number(self.pvalue)} ({how})>"

    def _card(self) -> str:
        table = self.table.rename(columns=self.objectives.reference_titles)
        shown = table.T.astype(object).set_axis([""], axis="columns")
        sentences = explained(self.parts())
        title = f"{self.name[0].upper()}{self.name[1:]} permutation test"
        return text.card(title, sentences, text.html_table(shown, most=len(shown)))


@dataclass(frozen=True, repr=False, eq=False)
class Reporting(Result):
    """What to report: the runs, a summary, a paragraph and a LaTeX table.

    Parameters
    ----------
    vectors : DataFrame
        One row per run: side, system, repeat, objectives in their own units, hypervolume of the single run.
    summary : DataFrame
        One row: hypervolumes, difference, p, whether exact, B, reference point.
    paragraph : str
        Text for a paper.
    latex : str
        A booktabs table for a paper.
    """

    paper = "boyi2026significance"
    _to_copy = "A paragraph for a paper"

    vectors: pd.DataFrame = field(repr=False)
    summary: pd.DataFrame = field(repr=False)
    paragraph: str
    latex: str

    @property
    def table(self) -> pd.DataFrame:
        """The runs, one row each: :attr:`vectors`."""
        return self.vectors

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the hypervolume, or another indicator, of every single run, one row per side."""
        import seaborn as sns

        from copa_nb.plotting.style import MARKERS, series_color

        values = self.vectors.iloc[:, -1]
        sides = ["new", "baseline"]
        for row, side in enumerate(sides):
            own = values[(self.vectors["side"] == side).to_numpy()].to_numpy(dtype=float)
            sns.swarmplot(
                x=own,
                y=[side] * len(own),
                order=sides,
                marker=MARKERS[row],
                color=series_color(row),
                warn_thresh=1,
                ax=ax,
            )
        ax.set(xlabel=f"{NAMES[str(values.name)]} of single runs", ylabel="")
        return ax

    def explain(self) -> str:
        """The paragraph."""
        return self.paragraph

    def printed_tables(self) -> list[PrintedTable]:
        """The result of every run."""
        caption = "Result of every run, and the hypervolume of the run alone."
        vectors = self.vectors.reset_index(drop=True)
        return [PrintedTable(frame=vectors, name="vectors", caption=caption, folded=True)]

    def save(self, folder: str | os.PathLike[str], *, name: str = "hv_test") -> list[Path]:
        """Write ``<name>_vectors.csv``, ``<name>_summary.csv``, ``<name>.txt`` and ``<name>.tex``.

        Parameters
        ----------
        folder : path
            Created if it does not exist.
        name : str
            Start of the file names.

        Returns
        -------
        list of Path
        """
        target = Path(folder)
        target.mkdir(parents=True, exist_ok=True)
        contents = {
            f"{name}_vectors.csv": text.csv_text(self.vectors.reset_index(drop=True)),
            f"{name}_summary.csv": text.csv_text(self.summary),
            f"{name}.txt": self.paragraph + "\n",
            f"{name}.tex": self.latex,
        }
        for file, content in contents.items():
            (target / file).write_text(content, encoding="utf-8")
        return [target / file for file in contents]

    def __repr__(self) -> str:
        return f"<Reporting of {len(self.vectors)} runs: vectors, summary, paragraph, latex>"

    def _card(self) -> str:
        shown = self.vectors.set_axis([""] * len(self.vectors))
        return text.card("What to report", [self.paragraph], text.html_table(shown, caption="Runs.", most=30))


def _sign(test: HypervolumeTest) -> int:
    return 1 if test.options.indicator == "hypervolume" else -1


def _values(test: HypervolumeTest) -> str:
    return "hypervolumes" if test.options.indicator == "hypervolume" else f"{test.name} values"


def counts_of_runs(test: HypervolumeTest) -> str:
    """How many runs each side has, in words."""
    return say(_number_of_runs(test))


def _number_of_runs(test: HypervolumeTest) -> Part:
    equal = test.n_new == test.n_baseline
    return part(f"test.phrases.runs{'_each' * equal}", new=test.n_new, baseline=test.n_baseline)


def _in_numbers(test: HypervolumeTest) -> str:
    """The difference of single runs with its interval, effect sizes, and p-values."""
    return " ".join(said(test.per_run.parts(test.name)))


def _gives_share(test: HypervolumeTest) -> bool:
    return test.inputs.reference_margin is None and math.isfinite(test.relative)


def _paragraph(test: HypervolumeTest) -> str:
    number = text.number
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    objectives = text.listing(
        f"{text.spoken(name)} ({'maximized' if test.objectives.direction(name) == 'max' else 'minimized'}"
        f"{', log scale' if name in test.log else ''})"
        for name in test.objectives
    )
    point = ", ".join(f"{text.spoken(name)} = {number(value, 6)}" for name, value in test.reference.items())
    matched = " matched" if test.options.paired else ""
    runs = f"{test.n_new} and {test.n_baseline}{matched} runs"
    if test.n_new == test.n_baseline:
        runs = f"{test.n_new}{matched} runs each"
    fronts = "all runs" if test.options.unit == "run" else "the systems' means"
    exchanged = "within matched repeats" if test.options.paired else "over the union of the runs"
    permutations = (
        f"all B = {test.n_relabelings:,} permutations were enumerated, so p is exact"
        if test.exact
        else f"B = {test.n_resamples:,} random permutations, p = (1 + count) / (B + 1)"
    )
    tail = {
        "two-sided": "two-sided",
        "greater": "one-sided (new front larger)",
        "less": "one-sided (new front smaller)",
    }
    share = f" ({100 * test.relative:+.3g}%)" if _gives_share(test) else ""
    sentences = [
        f"We compare {new} with {baseline} on {objectives} by the {test.name} permutation test, with {runs}.",
        f"The reference {f'point is ({point}); it' if point else 'front'} is the same for both fronts and for every "
        "permutation.",
        f"The front over {fronts} has {test.name} {number(_sign(test) * test.hypervolume_new, 5)} for {new} and "
        f"{number(_sign(test) * test.hypervolume_baseline, 5)} for {baseline}: a difference of "
        f"{number(test.statistic, 4)}{share}.",
        f"Labels were exchanged {exchanged} ({permutations}); the {tail[test.options.alternative]} p-value is "
        f"{number(test.pvalue, 3)}, and the smallest attainable value is {number(test.smallest_pvalue, 3)}.",
        f"{_PER_RUN[test.per_run.studentized, test.options.paired]} of the {_values(test)} of single runs gives "
        f"{text.pvalue(test.per_run.pvalue)}. {_in_numbers(test)}",
        "The result vectors of all runs accompany this paper.",
    ]
    return " ".join([*sentences, test.guarantee.explain()])


_PER_RUN = {
    (True, False): "A studentized permutation test, with a p-value no smaller than that of Welch's t-test,",
    (True, True): "A studentized permutation test within matched repeats, with a p-value no smaller than that of the "
    "paired t-test,",
    (False, False): "A permutation test",
    (False, True): "A permutation test within matched repeats",
}


def _listed(side: Iterable[Hashable]) -> str:
    """The systems of one side."""
    return text.listing(map(system_name, side))


def _large_number(count: int) -> str:
    """Write a number of permutations, in full as long as people read it so; it may be beyond what a float holds."""
    if count < 1e9:
        return f"{count:,}"
    exponent, rest = divmod(math.log10(count), 1)
    return f"{text.number(10**rest, 2)}e+{exponent:02.0f}"


def _latex_table(test: HypervolumeTest) -> str:
    labels = [
        f"{label}{' (log)' if name in test.log else ''}"
        for name, label in zip(test.objectives, test.objectives.labels, strict=True)
    ]
    columns = "ll" + "r" * len(labels) + "r"
    lines = [
        r"\begin{table}",
        r"  \centering",
        f"  \\caption{{{text.latex_escape(_caption(test))}}}",
        r"  \label{tab:hv-test}",
        f"  \\begin{{tabular}}{{{columns}}}",
        r"    \toprule",
        "    " + " & ".join(map(text.latex_escape, ["side", "systems", *labels, test.name])) + r" \\",
        r"    \midrule",
    ]
    sides = {"new": (test.new, test.hypervolume_new), "baseline": (test.baseline, test.hypervolume_baseline)}
    for side, (systems, volume) in sides.items():
        part = test.runs.loc[test.runs["side"] == side]
        cells = [_mean_and_spread(part[name]) for name in test.objectives]
        names = text.latex_escape(text.listing(map(system_name, systems)))
        lines.append("    " + " & ".join([side, names, *cells, text.number(_sign(test) * volume, 5)]) + r" \\")
    if test.reference:
        point = [text.number(test.reference[name], 5) for name in test.objectives]
        lines += [r"    \midrule", "    " + " & ".join(["reference", "", *point, ""]) + r" \\"]
    lines += [
        r"    \bottomrule",
        r"  \end{tabular}",
        r"\end{table}",
    ]
    return "\n".join(lines) + "\n"


def _caption(test: HypervolumeTest) -> str:
    kind = "exact" if test.exact else "Monte Carlo"
    return (
        f"{test.name[0].upper()}{test.name[1:]} permutation test: Δ = {text.number(test.statistic, 4)}, "
        f"{text.pvalue(test.pvalue)} ({kind}, B = {test.n_resamples:,}), "
        f"{counts_of_runs(test)}. Means and standard deviations over runs."
    )


def _mean_and_spread(column: pd.Series) -> str:
    values = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if len(values) < 2:
        return text.number(float(values.mean()), 4)
    return f"${text.number(float(values.mean()), 4)} \\pm {text.number(float(values.std()), 2)}$"


@describes(Reporting.plot)
def _picture_of_runs(report: Reporting) -> Picture:
    values = report.vectors.iloc[:, -1]
    name, sizes = NAMES[str(values.name)], report.vectors["side"].value_counts()
    means = values.groupby(report.vectors["side"].to_numpy()).mean()
    return Picture(
        finding=f"Mean {name} of single runs: {text.number(means['new'], 3)} for the new side, "
        f"{text.number(means['baseline'], 3)} for the baseline",
        caption=f"The {name} of each single run: {sizes['new']} new runs and {sizes['baseline']} baseline runs.",
        alt=f"Dot plot with two rows: the {name} of single runs, new and baseline.",
        data=report.vectors,
        height=2.2,
    )
