"""What a hypervolume test found, and what authors should report with a claimed improvement."""

from __future__ import annotations

import math
import os
from collections.abc import Collection, Hashable
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.columns import as_names, column_or_level, several
from copa_nb.docstrings import shared_parameters
from copa_nb.objectives import Objectives
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.results import PlotMethod, ReportedResult, Result, by_direction, public_explorer
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions


def system_name(label: Hashable) -> str:
    """Write a label in words: the parts of a tuple with a slash between them."""
    return " / ".join(map(str, label)) if isinstance(label, tuple) else str(label)


# Standard deviations that differ by less than this are not worth a sentence: with five runs a side and two objectives
# equal noise does so in one case of fourteen.
UNLIKE_SPREADS = 2.0


@dataclass(frozen=True)
class PerRunComparison:
    """The hypervolumes that single runs have on their own, compared between two sides.

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
        Of the studentised permutation test; exact where all permutations are enumerated.
    welch_pvalue : float
        Of the t-test with Welch's degrees of freedom (or paired); NaN where a side has a single run.
    mann_whitney_pvalue : float
        Of the Mann-Whitney test, by the same permutations (within matched seeds under pairing).
    a12 : float
        Vargha and Delaney's effect size: how often a run of the new side is the better one of a pair, ties counted
        half; 0.5 means no tendency.
    exact : bool
        Whether all permutations were enumerated.
    studentised : bool
        Whether each side has runs enough to know its spread.
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
    studentised: bool

    @property
    def cohens_d(self) -> float:
        """Cohen's d: the difference in pooled standard deviations."""
        return self.difference / self.pooled_sd if self.pooled_sd > 0 else math.nan

    def in_numbers(self) -> str:
        """Effect sizes and p-values, for a sentence."""
        number = text.number
        parts = [f"difference {number(self.difference, 3)}"]
        if math.isfinite(self.cohens_d):
            parts.append(f"Cohen's d = {number(self.cohens_d, 2)}")
        parts.append(f"p = {number(self.pvalue, 3)}")
        ranks = f"Mann-Whitney p = {number(self.mann_whitney_pvalue, 3)}, Vargha-Delaney A12 = {number(self.a12, 2)}"
        return f"{', '.join(parts)}; {ranks}"


# Of a result that is not made by `hv_test`: it supports nothing.
_UNKNOWN = PerRunComparison(**dict.fromkeys([entry.name for entry in fields(PerRunComparison)[:-2]], math.nan),
                            exact=False, studentised=False)  # fmt: skip


@dataclass(frozen=True, repr=False, eq=False)
class HypervolumeTest(ReportedResult):
    """Outcome of a hypervolume permutation test, with all that a reader needs to judge it.

    Parameters
    ----------
    statistic : float
        Hypervolume of the new front minus that of the baseline front.
    relative : float
        The same as a share of the baseline's hypervolume; NaN if that is zero.
    pvalue : float
        Of the fronts: p = (1 + count of abs(D_b) >= abs(D)) / (B + 1), or the exact proportion if all permutations
        were enumerated; twice the smaller tail if the sides have unequal numbers of runs.
    exact : bool
        Whether they were.
    null_distribution : ndarray of float64, shape (B,)
        Difference under each permutation of the labels.
    n_resamples : int
        B, the permutations evaluated.
    n_relabellings : int
        Distinct permutations.
    smallest_pvalue : float
        Smallest p that is attainable with these numbers of runs (and B).
    new, baseline : tuple of labels
        Systems on each side.
    n_new, n_baseline : int
        Runs on each side.
    hypervolume_new, hypervolume_baseline : float
        Observed hypervolumes; minus the indicator where that is another one.
    reference : dict of objective to value
        Reference point, in the objectives' own units; empty where the indicator has none.
    scale : dict of objective to "log"
        Objectives whose logarithm was taken.
    measure : str
        How hypervolumes, or another indicator, were computed, with the seed where they are approximate.
    caveats : tuple of str
        What limits the conclusion.
    rows : ndarray of int, shape (n_new + n_baseline,)
        Rows of the table (without omitted ones) that were compared.
    is_new : ndarray of bool, shape (n_new + n_baseline,)
        Which of them are of the new side.
    alone : ndarray of float64, shape (n_new + n_baseline,)
        Hypervolume of each run on its own, or minus its indicator.
    objectives : Objectives
        Names and directions.
    options : HypervolumeTestOptions
        How the test was run: alternative, paired, level, method, alpha, rng.
    frame : DataFrame
        The table that the runs come from, without omitted rows.
    columns : tuple of label or list of labels
        Columns, or index levels, of the system and the seed.
    per_run : PerRunComparison
        The hypervolumes of single runs, compared between the sides.
    spread_ratio : float
        Standard deviation of the new side's runs over that of the baseline's, all objectives together; NaN if a side
        has one run of each system.
    tail : {"two-sided", "smaller tail", "greater", "less"}
        Which permutations count for p: abs(D_b) >= abs(D), those of the smaller tail (twice), or of one side.
    margin : float or None
        How far the reference point is moved outwards from the worst values; None if it was stated. Only under a
        stated one does a text give percentages of a hypervolume.
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
    per_run: PerRunComparison = _UNKNOWN
    spread_ratio: float = math.nan
    tail: str = "two-sided"
    margin: float | None = None

    @property
    def runs(self) -> pd.DataFrame:
        """One row per run: ``side``, system, seed, objectives in own units, ``hypervolume`` of the run alone."""
        part = self.frame.iloc[self.rows]
        names = [name for given in self.columns for name in as_names(given)]
        names_of_columns = pd.Index([*names, *self.objectives.names], dtype=object, tupleize_cols=False)
        table = pd.DataFrame({k: column_or_level(part, name) for k, name in enumerate(names_of_columns)})
        table.columns = names_of_columns
        # A level that became a column must not be both.
        table = table.reset_index(level=[name for name in names if name in table.index.names], drop=True)
        table.insert(0, "side", np.where(self.is_new, "new", "baseline"))
        table[self.options.indicator] = self._sign * self.alone
        return table

    @property
    def name(self) -> str:
        """The indicator, as sentences call it."""
        return NAMES[self.options.indicator]

    @property
    def better(self) -> str:
        """What a better front is: larger in hypervolume, or better by another indicator."""
        return "larger" if self.options.indicator == "hypervolume" else "better"

    @property
    def _sign(self) -> int:
        return 1 if self.options.indicator == "hypervolume" else -1

    @property
    def _values(self) -> str:
        return "hypervolumes" if self.options.indicator == "hypervolume" else f"{self.name} values"

    @property
    def significant(self) -> bool:
        """Whether both comparisons have p at most α, in the same direction: of fronts, and of single runs."""
        return self.pvalue <= self.options.alpha and self._supported

    @property
    def spreads_differ(self) -> bool:
        """Whether the runs of one side spread at least twice as widely as those of the other."""
        ratio = self.spread_ratio
        return ratio >= UNLIKE_SPREADS or ratio <= 1 / UNLIKE_SPREADS

    @property
    def _gives_share(self) -> bool:
        return self.margin is None and math.isfinite(self.relative)

    @property
    def _supported(self) -> bool:
        """Whether the comparison of single runs is significant, in the direction of the fronts."""
        alone = self.per_run
        return alone.pvalue <= self.options.alpha and alone.difference * self.statistic >= 0

    @property
    def verdict(self) -> str:
        """The outcome of the fronts, and of single runs where they disagree or the spreads differ."""
        new, baseline = (text.listing(map(system_name, side)) for side in (self.new, self.baseline))
        if self.n_new == self.n_baseline == 1:
            return f"One run each of {new} and {baseline} cannot be compared with noise: p is 1 whatever the values."
        if self.options.indicator != "hypervolume":
            word = {0: "the same", 1: "a smaller", -1: "a larger"}[int(np.sign(self.statistic))]
            size = f"has {word} {self.name} {'as' if self.statistic == 0 else 'than'} that of {baseline}"
            size += f", by {text.number(abs(self.statistic), 3)}" if self.statistic else ""
        elif self.statistic == 0:
            size = f"is as large in hypervolume as that of {baseline}"
        else:
            word = "larger" if self.statistic > 0 else "smaller"
            share = f"{100 * abs(self.relative):.3g} % " if self._gives_share else ""
            by = "" if self._gives_share else f", by {text.number(abs(self.statistic), 3)}"
            size = f"is {share}{word} in hypervolume than that of {baseline}{by}"
        many = _large_number(self.n_relabellings)
        how = (
            f"exact over all {self.n_relabellings:,} permutations"
            if self.exact
            else f"{self.n_resamples:,} of {many} permutations"
        )
        side = {"two-sided": "", "greater": "one-sided, ", "less": "one-sided, "}[self.options.alternative]
        small = self.pvalue <= self.options.alpha
        outcome = (
            "is more than seed noise"
            if self.significant
            else "is rare under permutation"
            if small
            else "cannot be distinguished from seed noise"
        )
        sentence = (
            f"The front of {new} {size}; over {self.n_new} and {self.n_baseline} runs this "
            f"{outcome} (p = {text.number(self.pvalue, 3)}, {side}{how}; α = {self.options.alpha:g})."
        )
        if small == self._supported and not self.spreads_differ:
            return sentence
        return f"{sentence} {self._about_single_runs(new, baseline)}"

    def _about_single_runs(self, new: str, baseline: str) -> str:
        alone, small = self.per_run, self.pvalue <= self.options.alpha
        if alone.pvalue > self.options.alpha:
            result = f"The {self._values} of single runs do not differ between {new} and {baseline} by more than noise"
        else:
            word = "larger" if alone.difference * self._sign > 0 else "smaller"
            result = f"The {self._values} of single runs of {new} are {word} than those of {baseline}"
        conclusion = "Both comparisons agree."
        if small and not self._supported:
            conclusion = (
                f"An improvement is not established: a wider spread of runs alone makes the {self.better} front."
            )
        elif not small and alone.pvalue <= self.options.alpha:
            conclusion = "The fronts do not show it: they depend on few runs."
        return f"{result} ({alone.in_numbers()}). {conclusion}"

    def explain(self) -> str:
        """The verdict, and what limits it."""
        return " ".join([self.verdict, *self.caveats])

    @property
    def table(self) -> pd.DataFrame:
        """One row with everything a paper should state."""
        row = {
            "new": text.listing(map(system_name, self.new)),
            "baseline": text.listing(map(system_name, self.baseline)),
            "runs_new": self.n_new,
            "runs_baseline": self.n_baseline,
            f"{self.options.indicator}_new": self._sign * self.hypervolume_new,
            f"{self.options.indicator}_baseline": self._sign * self.hypervolume_baseline,
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
            "mean_difference": self.per_run.difference,
            "pooled_sd": self.per_run.pooled_sd,
            "cohens_d": self.per_run.cohens_d,
            "runs_pvalue": self.per_run.pvalue,
            "mann_whitney": self.per_run.mann_whitney_pvalue,
            "a12": self.per_run.a12,
            "spread_ratio": self.spread_ratio,
            "significant": self.significant,
        }
        for name, label in zip(self.objectives, self.objectives.labels, strict=True) if self.reference else ():
            row[f"reference {label}{' (log)' if name in self.scale else ''}"] = self.reference[name]
        return pd.DataFrame([row])

    def recommended_report(self) -> RecommendedReport:
        """What the paper asks authors to report, ready to use; see :func:`copa_nb.recommended_report`."""
        return recommended_report(self)

    plot = PlotMethod("plot_null_distribution")

    def _report_inputs(self, given: Collection[str]) -> tuple[str, pd.DataFrame, dict[str, Any]]:
        options = self.options
        if options.method != "auto" or options.two_sided != "tails" or options.indicator != "hypervolume":
            raise ValueError(
                "`method`, `two_sided` or `indicator` was given, which the report has no parameter for; report a test "
                "without them, or write this one as a page with to_html()."
            )
        if not isinstance(options.rng, int | np.integer) and "seed_rng" not in given:
            raise ValueError(
                "`rng` was a Generator, so a report cannot repeat its draws; give a seed, e.g. report(seed_rng=0)."
            )
        missing = several(self.frame, self.objectives).isna().to_numpy().any()
        system, seed = map(as_names, self.columns)
        return "significance", self.frame, {
            **by_direction(dict(self.objectives.directions)),
            "system": system,
            "seed": seed,
            "new": [system_name(label) for label in self.new],
            "baseline": [system_name(label) for label in self.baseline],
            "log_scale": [str(name) for name in self.scale],
            **(
                {"margin": self.margin}
                if self.margin is not None
                else {"reference": {str(name): value for name, value in self.reference.items()}}
            ),
            "n_resamples": options.n_resamples,
            "alternative": options.alternative,
            "paired": options.paired,
            "level": options.level,
            "alpha": options.alpha,
            "nan_policy": "worst" if missing else "raise",
            "seed_rng": int(options.rng) if isinstance(options.rng, int | np.integer) else 0,
        }  # fmt: skip

    def explore(self) -> Any:
        """Slide the reference point and the number of runs in the notebook, starting from this test.

        Returns
        -------
        HypervolumeTestExplorer
            See :func:`copa_nb.explore_test`. A test that was given a Generator is drawn again with seed 0.

        Raises
        ------
        ValueError
            For a single objective, or an indicator without reference point.
        """
        if not self.reference:
            raise ValueError(f"the explorer slides the reference point, which {self.name} does not have.")
        system, seed = self.columns
        drawn = isinstance(self.options.rng, np.random.Generator)
        options = {**vars(self.options), "rng": 0 if drawn else self.options.rng}
        return public_explorer("explore_test")(
            self.frame, system=system, seed=seed, new=list(self.new), baseline=list(self.baseline),
            objectives=self.objectives, reference=self.reference, scale=self.scale, **options,
        )  # fmt: skip

    def __repr__(self) -> str:
        how = "exact" if self.exact else f"B={self.n_resamples:,}"
        return f"<HypervolumeTest Δ={text.number(self.statistic)}, p={text.number(self.pvalue)} ({how})>"

    def _card(self) -> str:
        shown = self.table.T.astype(object).set_axis([""], axis="columns")
        sentences = [self.verdict, *self.caveats]
        title = f"{self.name[0].upper()}{self.name[1:]} permutation test"
        return text.card(title, sentences, text.html_table(shown, most=len(shown)))


@dataclass(frozen=True, repr=False, eq=False)
class RecommendedReport(Result):
    """The four things to report, as files, as a paragraph and as a LaTeX table.

    Parameters
    ----------
    vectors : DataFrame
        One row per run: side, system, seed, objectives in own units, hypervolume of the run alone.
    summary : DataFrame
        One row: hypervolumes, difference, p, whether exact, B, reference point.
    paragraph : str
        Text for a paper.
    latex : str
        A booktabs table for a paper.
    """

    vectors: pd.DataFrame = field(repr=False)
    summary: pd.DataFrame = field(repr=False)
    paragraph: str
    latex: str

    @property
    def table(self) -> pd.DataFrame:
        """The runs, one row each: :attr:`vectors`."""
        return self.vectors

    def explain(self) -> str:
        """The paragraph."""
        return self.paragraph

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
        return f"<RecommendedReport of {len(self.vectors)} runs: vectors, summary, paragraph, latex>"

    def _card(self) -> str:
        shown = self.vectors.set_axis([""] * len(self.vectors))
        return text.card("What to report", [self.paragraph], text.html_table(shown, caption="Runs.", most=30))


@shared_parameters
def recommended_report(test: HypervolumeTest) -> RecommendedReport:
    """Collect what a paper should state about a claimed improvement, as recommended in [1]_.

    Parameters
    ----------
    test : HypervolumeTest
        Outcome of :func:`copa_nb.hv_test`.

    Returns
    -------
    RecommendedReport

    Raises
    ------
    TypeError
        For anything but the result of :func:`copa_nb.hv_test`.

    See Also
    --------
    copa_nb.hv_test : the test.

    References
    ----------
    %(significance_paper)s

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4, "run": [1, 2, 3, 4] * 2,
    ...     "accuracy": [0.80, 0.82, 0.81, 0.83, 0.70, 0.71, 0.69, 0.72], "cost": [2, 2.1, 1.9, 2, 3, 3.1, 2.9, 3],
    ... })
    >>> test = copa_nb.hv_test(runs, system="agent", seed="run", new="A", baseline="B",
    ...                        objectives={"accuracy": "max", "cost": "min"})
    >>> print(copa_nb.recommended_report(test).paragraph)
    We compare A with B over accuracy (maximised) and cost (minimised) by the hypervolume permutation test...
    """
    if not isinstance(test, HypervolumeTest):
        raise TypeError(f"`test` must be a HypervolumeTest, as hv_test returns it, not {type(test).__name__}.")
    return RecommendedReport(test.runs.copy(), test.table, _paragraph(test), _latex_table(test))


def _paragraph(test: HypervolumeTest) -> str:
    number = text.number
    new, baseline = (text.listing(map(system_name, side)) for side in (test.new, test.baseline))
    objectives = text.listing(
        f"{text.spoken(name)} ({'maximised' if test.objectives.direction(name) == 'max' else 'minimised'}"
        f"{', log scale' if name in test.scale else ''})"
        for name in test.objectives
    )
    point = ", ".join(f"{text.spoken(name)} = {number(value, 6)}" for name, value in test.reference.items())
    matched = " matched" if test.options.paired else ""
    fronts = "all runs" if test.options.level == "seeds" else "the systems' means"
    exchanged = "within matched seeds" if test.options.paired else "over the union of the runs"
    permutations = (
        f"all B = {test.n_relabellings:,} permutations were enumerated, so p is exact"
        if test.exact
        else f"B = {test.n_resamples:,} random permutations, p = (1 + count) / (B + 1)"
    )
    tail = {
        "two-sided": "two-sided",
        "greater": "one-sided (new front larger)",
        "less": "one-sided (new front smaller)",
    }
    share = f" ({100 * test.relative:+.3g} %)" if test._gives_share else ""
    sentences = [
        f"We compare {new} with {baseline} over {objectives} by the {test.name} permutation test, with "
        f"{test.n_new} and {test.n_baseline}{matched} runs.",
        f"The reference {f'point is ({point}); it' if point else 'front'} is the same for both fronts and for every "
        "permutation.",
        f"The front over {fronts} has {test.name} {number(test._sign * test.hypervolume_new, 5)} for {new} and "
        f"{number(test._sign * test.hypervolume_baseline, 5)} for {baseline}: a difference of "
        f"{number(test.statistic, 4)}{share}.",
        f"Labels were exchanged {exchanged} ({permutations}); the {tail[test.options.alternative]} p-value is "
        f"{number(test.pvalue, 3)}, with a smallest attainable value of {number(test.smallest_pvalue, 3)}.",
        f"{_PER_RUN[test.per_run.studentised, test.options.paired]} of the {test._values} of single runs gives "
        f"{test.per_run.in_numbers()}.",
        "The result vectors of every run accompany this paper.",
    ]
    return " ".join([*sentences, *test.caveats])


_PER_RUN = {
    (True, False): "A studentised permutation test, bounded below by Welch's t-test,",
    (True, True): "A studentised permutation test within matched seeds, bounded below by the paired t-test,",
    (False, False): "A permutation test",
    (False, True): "A permutation test within matched seeds",
}


def _large_number(count: int) -> str:
    """Write a number of permutations, in full as long as people read it so; it may be beyond what a float holds."""
    if count < 1e9:
        return f"{count:,}"
    exponent, rest = divmod(math.log10(count), 1)
    return f"{text.number(10**rest, 2)}e+{exponent:02.0f}"


def _latex_table(test: HypervolumeTest) -> str:
    labels = [
        f"{label}{' (log)' if name in test.scale else ''}"
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
        lines.append("    " + " & ".join([side, names, *cells, text.number(test._sign * volume, 5)]) + r" \\")
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
        f"p = {text.number(test.pvalue, 3)} ({kind}, B = {test.n_resamples:,}), "
        f"{test.n_new} and {test.n_baseline} runs. Means and standard deviations over runs."
    )


def _mean_and_spread(column: pd.Series) -> str:
    values = pd.Series(column.to_numpy(dtype=np.float64, na_value=np.nan))
    if len(values) < 2:
        return text.number(float(values.mean()), 4)
    return f"${text.number(float(values.mean()), 4)} \\pm {text.number(float(values.std()), 2)}$"
