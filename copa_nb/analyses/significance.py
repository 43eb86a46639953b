"""Whether the fronts of systems differ by more than the noise of repeated runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, parameter, settings
from copa_nb.checks import called, listed, nearest
from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE
from copa_nb.run_options import options
from copa_nb.significance.arrays.permutation import ALTERNATIVES, UNITS
from copa_nb.significance.audit import Audit
from copa_nb.significance.result import HypervolumeTest, system_name
from copa_nb.tables.columns import as_names, several
from copa_nb.text import label, listing, number, pvalue, spoken

SYSTEM = "system_"  # the column with the names of systems, which several columns may make
_CLAIMS = {
    "new": "new",
    "baseline": "baseline",
    "significant": "significant",
    "holm": "Holm",
    "difference": "gain",
    "pvalue": "p of fronts",
    "smallest_pvalue": "smallest p",
    "effect": "Cohen's d",
    "mean_difference": "difference",
    "low": "low",
    "high": "high",
    "runs_pvalue": "p of single runs",
    "a12": "A12",
}
_MOST_NAMED = 3
_QUANTITIES = {
    "relative": "relative difference",
    "pvalue": "p of fronts",
    "relabelings": "permutations",
    "smallest_pvalue": "smallest p attainable",
    "pooled_sd": "pooled standard deviation",
    "cohens_d": "Cohen's d",
    "runs_pvalue": "p of single runs",
    "mann_whitney": "Mann–Whitney p",
    "a12": "Vargha and Delaney's A12",
    "low": "lower end of the interval",
    "high": "upper end of the interval",
    "spread_ratio": "ratio of standard deviations",
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Significance(Analysis):
    """Tests of one claim, or of every pair of systems whose means are a Pareto improvement."""

    name = "audit"
    notebook = "yours/significance"
    title = "Significance"
    bundled = "public runs of coding agents"
    about = "the claim, and how it is tested"
    offered = ("new", "baseline", "reference", "log", "paired")
    results = (HypervolumeTest, Audit)

    system: list[str] = parameter([], "column or columns that name the system", column=True, needed=True)
    repeat: list[str] = parameter(
        [], "column or columns that number the runs of a system; empty: every row is a run", column=True
    )
    new: list[str] = parameter(
        [], "the new system, or several; empty: audit every Pareto improvement of the means", metavar="NAME"
    )
    baseline: list[str] = parameter([], "the baseline system, or several", metavar="NAME")
    log: list[str] = parameter([], "objectives measured on a logarithmic scale", objective=True)
    reference: dict[str, float] = parameter(
        {},
        "reference point: a value per objective, e.g. {example}; empty: the worst values observed, moved outward",
        example={"accuracy": 0, "cost": 10},
        objective=True,
    )
    reference_margin: float = parameter(0.1, "how far outward, as a share of the range", least=0)
    worst_multiple: bool = parameter(
        False, "take this share of the worst value instead of the range, as in 1.1 times the highest cost"
    )
    n_resamples: int = parameter(5000, "random permutations, if there are too many to enumerate", least=1)
    alternative: str = parameter(
        "two-sided",
        'whether the new front is different ("two-sided"), better ("greater") or worse ("less")',
        choices=ALTERNATIVES,
    )
    paired: bool = parameter(False, "permute labels only within matched repeats")
    unit: str = parameter("run", 'fronts over all runs ("run") or of the systems\' means ("mean")', choices=UNITS)
    alpha: float = parameter(0.05, "significance level of the test", is_fraction=True)
    seed: int = parameter(0, "seed of the permutations", least=0)
    n_simulations: int = parameter(300, "simulated data sets per setting of the power study", least=1)

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that tests as a :class:`copa_nb.results.HypervolumeTest` or an Audit did."""
        if not hasattr(result, "tests"):
            return cls(**{**_options_of(cls, result, given), **given})
        if not result.tests:
            raise ValueError("this audit has no claims, so there is nothing to report; name some in `claims`.")
        if result.by or not (result.suggested or len(result.tests) == 1):
            raise ValueError(
                "a report tests either one claim or every pair suggested by the means, without `by`; report one of the "
                "claims, e.g. audit.tests[0].report(), or write all as a page with to_html()."
            )
        options = _options_of(cls, result.tests[0], given)
        return cls(**{**options, **({"new": [], "baseline": []} if result.suggested else {}), **given})

    def check_values(self) -> None:
        """Refuse one side of a claim without the other, and two ways to find the reference point."""
        if bool(self.new) != bool(self.baseline):
            raise ValueError(
                f"only one of {called('new')} and {called('baseline')} is given; give both, or neither to audit all "
                "pairs."
            )
        tables.need_one_reference(self.reference, worst_multiple=self.worst_multiple)
        if both := sorted(set(self.new) & set(self.baseline)):
            raise ValueError(
                f"{called('new')} and {called('baseline')} both name {both[0]!r}; remove it from one of them."
            )
        if self.paired and not self.repeat:
            raise ValueError(
                f"{called('paired')} needs {called('repeat')}, the column that shows which runs belong together."
            )

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse systems that are not there, and logarithms that do not exist."""
        for name in self.log:
            tables.need_positive(table[name], "log")
        systems = system_names(table, self.system).unique().tolist()
        for argument in ("new", "baseline"):
            for name in getattr(self, argument):
                if name not in systems:
                    raise ValueError(
                        f"{called(argument)} names {name!r}, which is not a system; the systems are {listed(systems)}."
                        f"{nearest(name, systems)}"
                    )

    @classmethod
    def is_name(cls, text: str, argument: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text is a column, or a system."""
        system = chosen.get("system", [])
        if argument in ("new", "baseline") and set(system) <= set(table.columns) and system:
            return text in set(system_names(table, system))
        return text in table.columns

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.audit()``, without the claims."""
        options = self.given(
            ("reference_margin", "n_resamples", "alternative", "paired", "unit", "alpha", "nan_policy")
        )
        repeat = self.repeat[0] if len(self.repeat) == 1 else self.repeat or None
        return {
            **options,
            "system": SYSTEM,
            "repeat": repeat,
            "objectives": self.directions,
            "reference": self.reference or (WORST_MULTIPLE if self.worst_multiple else WORST),
            "log": self.log,
            "rng": self.seed,
        }

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled runs."""
        from copa_nb.datasets import load_agents

        asked = self if self.directions else replace(self, maximize=["accuracy"], minimize=["cost_usd"])
        log = asked.log or [name for name in asked.directions if name == "cost_usd"]
        asked = replace(asked, system=asked.system or ["system"], repeat=asked.repeat or ["run"], log=log)
        return asked, load_agents("0409")

    def measure(self, table: pd.DataFrame) -> SignificanceFindings:
        """Test the claims."""
        table = table.assign(**{SYSTEM: system_names(table, self.system)})
        claims = [(self.new, self.baseline)] if self.new else None
        with options(progress=False):
            tested = ask(table, "audit", claims=claims, **self.options)
        return SignificanceFindings(analysis=self, table=table, audit=tested)


@dataclass(frozen=True, kw_only=True, eq=False)
class SignificanceFindings(Findings):
    """The claims and their tests.

    Parameters
    ----------
    audit : Audit
        Of ``df.moo.audit()``.
    """

    audit: Any

    @property
    def claim_titles(self) -> dict[object, str]:
        """Columns of `claims` and what they are called; gains are shares only where a reference point is stated."""
        gain = "relative" if self.analysis.reference else "difference"
        return {gain if name == "difference" else name: title for name, title in _CLAIMS.items()}

    @property
    def claims(self) -> pd.DataFrame:
        """The claims, the least certain first."""
        table = self.audit.table.sort_values(["pvalue", "effect"], ascending=[False, True])
        return table[list(self.claim_titles)].reset_index(drop=True)

    @property
    def point(self) -> str:
        """The reference point in words."""
        return ", ".join(f"{spoken(name)} {number(value, 3)}" for name, value in self.audit.references[None].items())

    @property
    def least_certain(self) -> Any:
        """The test with the largest p; None without a claim."""
        return max(self.audit.tests, key=lambda test: test.pvalue, default=None)

    @property
    def of_least_certain(self) -> list[str]:
        """What its test shows, and its limits, without what the answer says already."""
        test, said = self.least_certain, " ".join([*self.answer.lines, self.answer.certainty])
        return [one for one in (test.verdict, *test.guarantee.sentences()) if one not in said]

    @property
    def summary(self) -> pd.DataFrame:
        """Every number of the least certain test, in words."""
        points = {f"reference {title.replace(spoken(name), name)}": name for name, title in self.titles.items()}
        names = _QUANTITIES | {column: f"reference point: {spoken(name)}" for column, name in points.items()}
        values = self.least_certain.table.iloc[0].astype(object)
        written = {names.get(name, name.replace("_", " ")): _written(value) for name, value in values.items()}
        return pd.DataFrame({"value": written}).rename_axis("quantity")

    @property
    def effects(self) -> list[float]:
        """Gaps to simulate, as shares of the baseline's hypervolume; the one observed is among them."""
        relative = self.least_certain.relative
        observed = float(f"{abs(relative):.2g}") if np.isfinite(relative) else 0.1
        return sorted({0.05, 0.1, 0.2, observed} - {0.0})

    @property
    def systems(self) -> pd.DataFrame:
        """Runs of each system, and mean and standard deviation of every objective."""
        groups = self.table.groupby(SYSTEM)
        columns = {title: groups[name].agg(_mean_and_spread) for name, title in self.titles.items()}
        return pd.DataFrame({"runs": groups.size(), **columns}).rename_axis("system")

    @property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by system."""
        return settings(self.table, SYSTEM, self.analysis.show)

    @property
    def answer(self) -> Answer:
        """The p-value of the one claim and its result, or how many of the claims are significant."""
        audit, question = self.audit, "Are the improvements larger than the noise of repeated runs?"
        if len(audit.tests) != 1:
            return Answer(
                _headline_of_many(audit) if audit.tests else "No pair of systems suggests a claim to test",
                [audit.verdict],
                question=question,
                certainty=audit.guarantee.explain(),
                used="hv_test",
                values=self._values,
            )
        (test,) = audit.tests
        verdict = test.verdict
        outcome = "not significant" if audit.options.alternative == "two-sided" else "no evidence of a difference"
        if len(audit.significant):
            outcome = "significant"
        elif len(audit.significant_unadjusted):
            # The claim alone would be called significant: one verdict, with the correction.
            outcome = f"not significant after the correction for {audit.n_comparisons} comparisons"
            verdict = audit.verdict
        return Answer(
            f"{listing(map(label, test.new))} over {listing(map(label, test.baseline))}: "
            f"{pvalue(test.per_run.pvalue)} by single runs, {outcome}",
            filled(verdict, self.values_of([*test.new, *test.baseline])),
            question=question,
            certainty=test.guarantee.explain(),
            used="hv_test",
            values=self._values,
        )

    @property
    def _values(self) -> dict[str, Any]:
        named = self.audit.table[["new", "baseline", "pvalue", "runs_pvalue", "significant"]]
        return {"tests": named.to_dict("records")}


def _headline_of_many(audit: Any) -> str:
    """How many improvements survive the correction, and which; if none does, which would have alone."""
    total, significant = len(audit.tests), audit.significant
    claims = "improvements" if audit.suggested else "claims"
    if len(significant):
        count = f"All {total}" if len(significant) == total else f"{len(significant)} of {total}"
        verb = "survives" if len(significant) == 1 else "survive"
        return f"{count} {claims} {verb} the correction: {_claimed(significant)}"
    alone = audit.significant_unadjusted
    headline = f"None of {total} {claims} survives the correction"
    if not len(alone):
        return headline
    largest = pvalue(float(alone["runs_pvalue"].max()))
    return f"{headline}; {_claimed(alone)} would alone, {largest.replace(' = ', ' ≤ ') if len(alone) > 1 else largest}"


def _claimed(claims: pd.DataFrame) -> str:
    """Name improvements, the surest first: "G over H and I", and how many more there are."""
    ordered = claims.sort_values(["holm", "runs_pvalue"], kind="stable")
    new = ordered["new"].iloc[0]
    own = ordered.loc[ordered["new"] == new, "baseline"]
    names = [label(one) for one in own[:_MOST_NAMED]]
    rest = len(claims) - len(names)
    return f"{label(new)} over {listing(names)}" + (f", and {rest} more" if rest else "")


def system_names(table: pd.DataFrame, columns: Sequence[str]) -> pd.Series:
    """Name systems by the columns that identify them, as text that can be given on the command line."""
    return table[list(columns)].astype(str).agg(" / ".join, axis=1)


def _written(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return number(value, 4) if isinstance(value, float) else str(value)


def _mean_and_spread(values: pd.Series) -> str:
    """Write mean ± standard deviation, with as many decimals as show two digits of the deviation."""
    mean, spread = float(values.mean()), float(values.std())
    if not spread > 0:
        rounded = f"{float(f'{mean:.3g}'):,.12g}"
        return rounded + ("\u00a0±\u00a00" if values.count() > 1 else "")
    decimals = max(0, 1 - int(np.floor(np.log10(spread))))
    return f"{mean:,.{decimals}f}\u00a0±\u00a0{spread:,.{decimals}f}"


def _options_of(cls: type[Significance], test: Any, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that give a test again."""
    inputs, options = test.inputs, test.options
    if options.method != "auto" or options.two_sided != "tails" or options.indicator != "hypervolume":
        raise ValueError(
            "`method`, `two_sided` or `indicator` was given, but reports have no such parameters; test without them, "
            "or write this result as a page with to_html()."
        )
    is_seed = isinstance(options.rng, int | np.integer)
    if not is_seed and "seed" not in given:
        raise ValueError("`rng` is a Generator, whose draws a report cannot repeat; give a seed, e.g. report(seed=0).")
    missing = several(inputs.frame, test.objectives).isna().to_numpy().any()
    system, repeat = map(as_names, inputs.columns)
    reference = {str(name): value for name, value in test.reference.items()}
    return {
        "table": inputs.frame,
        **cls.objectives_of(test.objectives.to_dict()),
        "system": system,
        "repeat": repeat,
        "new": [system_name(name) for name in test.new],
        "baseline": [system_name(name) for name in test.baseline],
        "log": [str(name) for name in test.log],
        **(
            {"reference_margin": inputs.reference_margin, "worst_multiple": inputs.worst_multiple}
            if inputs.reference_margin is not None
            else {"reference": reference}
        ),
        "n_resamples": options.n_resamples,
        "alternative": options.alternative,
        "paired": options.paired,
        "unit": options.unit,
        "alpha": options.alpha,
        "nan_policy": "worst" if missing else "raise",
        "seed": int(options.rng) if is_seed else 0,
    }
