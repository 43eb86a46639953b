"""Audit of claimed improvements: which of them are significant when they are tested together?"""

from __future__ import annotations

__all__ = ["Audit"]

import math
import time
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.multiple_testing import benjamini_hochberg, benjamini_yekutieli, holm
from copa_nb.arrays.parallel import map_tasks
from copa_nb.costs import MOST_SECONDS_OF_REPORTS, refuse_costly
from copa_nb.pareto.arrays.dominance import dominates
from copa_nb.pareto.arrays.indicators import INDICATORS, NAMES
from copa_nb.pareto.reference_points import WORST_MULTIPLE, ReferencePointLike
from copa_nb.results.answer import Answer
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, explained, part, say
from copa_nb.run_options import said
from copa_nb.significance import printing
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions
from copa_nb.significance.hv_test import PAIRING_HINT, bounding_point, checked_sides, claim_test
from copa_nb.significance.result import HypervolumeTest
from copa_nb.significance.runs import Runs, gather_runs, system_name
from copa_nb.tables.columns import as_names, positions_by_group, several
from copa_nb.tables.described_frame import DescribedFrame, takes_groups
from copa_nb.tables.objectives import Objectives

ClaimsLike: TypeAlias = "pd.DataFrame | Iterable[tuple[Any, Any]] | None"
# Domain, new systems, baseline systems.
Claim: TypeAlias = tuple[Hashable, list[int], list[int]]

NO_CLAIM = Note("There is no claim to test: no system's means are a Pareto improvement on those of another.")
CORRECTIONS = {
    "runs_pvalue": "unadjusted",
    "holm": "Holm",
    "benjamini_hochberg": "Benjamini-Hochberg",
    "benjamini_yekutieli": "Benjamini-Yekutieli",
}
_ADJUSTMENTS = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "benjamini_yekutieli": benjamini_yekutieli,
}
_COMPARED = {"hypervolume": "hypervolumes", **{name: f"minus {NAMES[name]}" for name in INDICATORS}}
# Columns of the table of claims that are attributes of the tests.
_OF_TEST = {"runs_new": "n_new", "runs_baseline": "n_baseline", "difference": "statistic", "relative": "relative",
            "pvalue": "pvalue", "exact": "exact", "smallest_pvalue": "smallest_pvalue"}  # fmt: skip
_OF_RUNS = {"mean_difference": "difference", "low": "low", "high": "high", "spread": "pooled_sd", "effect": "cohens_d",
            "runs_pvalue": "pvalue", "t_pvalue": "t_pvalue", "mann_whitney": "mann_whitney_pvalue",
            "a12": "a12"}  # fmt: skip
_NUMERIC = [*_OF_TEST, *_OF_RUNS, "spread_ratio"]
# Below this many claims an audit is over before it could be forecast.
_FEW = 100
_TIMED = 5
# Above this many systems, claims are counted on as many of them, evenly spaced.
_COUNTED_SYSTEMS = 300
# What the objects of one test take besides its arrays.
_BYTES_PER_TEST = 3_500


@dataclass(frozen=True, repr=False, eq=False)
class Audit(Worded):
    """Tests of many claims, with p-values adjusted for their number.

    Parameters
    ----------
    table : DataFrame
        One row per claim: the `by` columns, ``new``, ``baseline``, ``runs_new`` and ``runs_baseline``.

        For the fronts over all runs: ``difference`` and ``relative`` (of hypervolumes), ``pvalue``, ``exact``,
        ``smallest_pvalue``.

        For the hypervolumes of single runs: ``mean_difference`` with its interval from ``low`` to ``high``, ``spread``
        (pooled standard deviation) and ``effect`` (Cohen's d, their ratio), ``runs_pvalue`` (of permutations and t),
        ``t_pvalue`` (of t alone, or of permutations where t is not defined), ``mann_whitney`` (p) and ``a12`` (Vargha
        and Delaney's effect size). Each interval is for one claim, at level 1 - α.

        ``spread_ratio`` (standard deviation of the new runs over that of the baseline's).

        ``holm``, ``benjamini_hochberg`` and ``benjamini_yekutieli`` are ``t_pvalue``, adjusted for the number of
        comparisons, or ``runs_pvalue`` if that is larger. ``significant`` is whether ``holm`` is at most α.
    tests : list of HypervolumeTest
        The tests, in the order of the rows.
    references : dict
        Reference point of each domain, in the units of the objectives; the key is None if there are no domains.
        All claims of a domain share it.
    by : list of labels
        Columns that define the domains.
    objectives : Objectives
        Names and directions.
    options : HypervolumeTestOptions
        How each claim was tested.
    suggested : bool
        Whether the same runs suggested the claims: every pair of systems whose means show an improvement.
    n_comparisons : int
        Number of comparisons for which p-values are adjusted: the claims in `claims`, or every pair of systems
        among which the runs suggested them (in both directions if the test is one-sided).
    """

    paper = "boyi2026significance"

    _internals = frozenset(("least_certain", "suggested"))

    table: pd.DataFrame
    tests: list[HypervolumeTest] = field(repr=False)
    references: dict[Hashable, dict[Hashable, float]]
    by: list[Hashable]
    objectives: Objectives
    options: HypervolumeTestOptions
    suggested: bool = False
    n_comparisons: int = 0
    # The runs of each domain.
    _runs: Mapping[Hashable, Runs] = field(default_factory=dict, repr=False)

    @property
    def least_certain(self) -> HypervolumeTest:
        """The test with the largest p, of fronts; a sentence in its place without a claim."""
        return max(self.tests, key=lambda test: test.pvalue, default=cast("HypervolumeTest", NO_CLAIM))

    def to_answer(self) -> Answer:
        """The p-value of the one claim and its result, or how many of the claims are significant."""
        named = self.table[["new", "baseline", "pvalue", "runs_pvalue", "significant"]]
        question = say(part("test.question"))
        return Answer.of(self.parts(), question=question, used="hv_test", values={"tests": named.to_dict("records")})

    def printed_tables(self) -> list[PrintedTable]:
        """The systems, and the claims from the least certain to the surest."""
        return printing.tables_of(self, self._runs)

    @property
    def significant(self) -> pd.DataFrame:
        """The claims that are significant after Holm's adjustment, by single runs."""
        return self.table[self.table["significant"].astype(bool)]

    @property
    def significant_unadjusted(self) -> pd.DataFrame:
        """The claims that are significant before adjustment. Among many equal systems, some such claim is likely."""
        return self.table[self.table["runs_pvalue"] <= self.options.alpha]

    @property
    def unsupported(self) -> pd.DataFrame:
        """The claims whose fronts differ by unadjusted p, but whose single runs do not support the difference."""
        alpha = self.options.alpha
        return self.table[(self.table["pvalue"] <= alpha) & (self.table["runs_pvalue"] > alpha)]

    @property
    def not_distinguishable(self) -> pd.DataFrame:
        """The claims with enough runs to be tested that are not significant. They need not be wrong."""
        return self.table[self._testable & ~self.table["significant"].astype(bool)]

    @property
    def untestable(self) -> pd.DataFrame:
        """The claims with too few runs: their smallest attainable p is above α."""
        return self.table[~self._testable]

    @property
    def _testable(self) -> pd.Series:
        return self.table["smallest_pvalue"] <= self.options.alpha

    @property
    def by_domain(self) -> pd.DataFrame:
        """Per domain and in total: numbers of claims and median effects.

        ``claims`` are ``significant``, ``not_distinguishable`` or ``untestable``; see the properties of these names,
        ``significant_unadjusted`` and ``unsupported``.
        """
        parts = {"all": self.table}
        if self.by:
            groups = self.table.groupby(list(self.by), sort=False)
            parts = {**{system_name(key): part for key, part in groups}, **parts}
        rows = [_summarize(part, self.options.alpha) for part in parts.values()]
        return pd.DataFrame(rows, index=pd.Index(list(parts), name="domain"))

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        return " ".join(explained(self._counts()))

    def parts(self) -> list[Part]:
        """The result of the one claim, or how many claims survive the correction; counts, and what limits them."""
        if not self.tests:
            return [part("audit.headline.no_claim"), *self._counts()]
        if len(self.tests) > 1:
            return [printing.headline_of_many(self), *self._counts(), *self.guarantee.parts()]
        (test,) = self.tests
        if len(self.significant) or not len(self.significant_unadjusted):
            counts = self._counts() if self.n_comparisons > 1 else []
            return [*test.parts_of_runs(), *counts, *test.guarantee.parts()]
        # The claim alone would be called significant: one verdict, with the correction.
        return [printing.corrected(self), *test.parts_of_runs()[1:], *self._counts(), *test.guarantee.parts()]

    def _counts(self) -> list[Part]:
        """The sentences of :attr:`verdict`."""
        if self.table.empty:
            return [part("audit.reasons.note", note=str(NO_CLAIM))]
        names = ["claims", "significant", "not_distinguishable", "unsupported", "untestable"]
        total = self.by_domain.loc["all", names].astype(int)
        counts = {"alpha": self.options.alpha, "n": self.n_comparisons, "significant": total["significant"],
                  "total": total["claims"]}  # fmt: skip
        return [
            part("audit.reasons.significant", **counts),
            part("audit.reasons.tested", n=total["not_distinguishable"]),
            *([part("audit.reasons.unsupported", n=total["unsupported"])] if total["unsupported"] else []),
            *([part("audit.reasons.untestable", n=total["untestable"])] if total["untestable"] else []),
        ]

    @property
    def guarantee(self) -> Guarantee:
        """What all verdicts together guarantee, and what the runs give to doubt them."""
        if not self.tests:
            return Guarantee(
                estimates="nothing",
                sampled="",
                holds="",
                confidence_level=None,
                jointly=True,
                basis="none",
                method="there is no claim to test",
            )
        own = self.tests[0].guarantee
        warnings = {caveat: None for test in self.tests for caveat in test.guarantee.warnings}
        remarks = ["Intervals are not adjusted."]
        if self.suggested:
            remarks.append(
                "The claims were suggested by the same runs: every pair of systems whose means show an improvement. "
                f"Therefore p-values are adjusted for all {self.n_comparisons} possible comparisons."
            )
        if any(PAIRING_HINT in test.guarantee.remarks for test in self.tests):
            remarks.append(PAIRING_HINT)
        return replace(
            own, holds="no claim that is false is called significant", jointly=True,
            basis="asymptotic", method=f"{own.method}, Holm's adjustment", warnings=tuple(warnings),
            remarks=tuple(remarks),
        )  # fmt: skip

    plot = Offered()

    report = Offered()

    def __repr__(self) -> str:
        return f"<Audit of {len(self.table)} claims, {len(self.not_distinguishable)} not significant>"

    def _card(self) -> str:
        caption = (
            f"Differences are those of {_COMPARED[self.options.indicator]}. effect is Cohen's d: the difference of the "
            "means of single runs, which runs_pvalue tests, divided by their pooled standard deviation."
        )
        shown = self.table.set_axis([""] * len(self.table))
        tables = [text.html_table(shown, caption=caption)]
        if self.by:
            tables.insert(0, text.html_table(self.by_domain))
        return text.card("Audit of claimed improvements", [self.explain()], *tables)


@takes_groups
def audit(
    table: DescribedFrame,
    claims: ClaimsLike = None,
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
) -> Audit:
    """Test many claims of improvement against the same reference point."""
    columns = as_names(table.groups)
    options = HypervolumeTestOptions(
        n_resamples, alternative, paired, unit, method, alpha, checks.seed(rng), two_sided, indicator
    )
    domains: dict[Hashable, DescribedFrame] = {None: table}
    if columns:
        parts = positions_by_group(table.frame, columns if len(columns) > 1 else columns[0])
        domains = {domain: table.take(rows) for domain, rows in parts.items()}
    gathered = {domain: gather_runs(part, reference) for domain, part in domains.items()}
    points = {domain: bounding_point(runs, reference, reference_margin, options) for domain, runs in gathered.items()}

    named_columns = table.say("system"), table.say("repeat")

    def task(claim: Claim) -> tuple[Runs, list[int], list[int], np.ndarray]:
        domain, new, baseline = claim
        return gathered[domain], new, baseline, points[domain]

    def test(task: tuple[Runs, list[int], list[int], np.ndarray]) -> HypervolumeTest:
        margin = reference_margin if isinstance(reference, str) else None
        return claim_test(*task, options, named_columns, margin, worst_multiple=reference == WORST_MULTIPLE)

    named = None if claims is None else _list_claims(claims, columns, gathered)
    for domain, new, baseline in named or ():
        checked_sides(gathered[domain], new, baseline, paired)
    if paired:
        for runs in gathered.values():
            runs.check_matched([])  # whichever systems the data suggest, their runs are matched
    checks.nothing_refused()
    max_seconds = said().limit(MOST_SECONDS_OF_REPORTS)
    if max_seconds is not None:
        n_claims, some = _some_suggested(gathered) if named is None else (len(named), named)
        _check_cost(n_claims, lambda claim: test(task(claim)), _spread(some, _TIMED), max_seconds)
    if named is None:
        named = [(domain, [a], [b]) for domain, runs in gathered.items() for a, b in pareto_improvements(runs)]
    tests = map_tasks(
        test,
        [task(claim) for claim in named],
        n_jobs=said().n_jobs,
        progress=said().progress,
        label="claims",
        scheduler=said().scheduler,
    )
    n_comparisons = _count_comparisons(gathered.values(), options) if claims is None else len(named)
    tested = _claims_table([domain for domain, _, _ in named], tests, columns)
    named_point = indicator == "hypervolume"
    references = {domain: runs.in_own_units(points[domain]) if named_point else {} for domain, runs in gathered.items()}
    return Audit(
        table=adjusted(tested, n_comparisons, alpha),
        tests=tests,
        references=references,
        by=columns,
        objectives=next(iter(gathered.values())).objectives,
        options=options,
        suggested=claims is None,
        n_comparisons=n_comparisons,
        _runs=gathered,
    )


def _count_comparisons(domains: Iterable[Runs], options: HypervolumeTestOptions) -> int:
    """Pairs of systems among which the data choose claims; for a one-sided test, in both directions."""
    directions = 1 if options.alternative == "two-sided" else 2
    return directions * sum(math.comb(len(runs.labels), 2) for runs in domains)


def pareto_improvements(runs: Runs) -> list[tuple[int, int]]:
    """Ordered pairs (new, baseline) of systems in which the new one's means dominate the baseline's.

    Means are arithmetic and in the objectives' own units, as papers report them, also where the test
    takes logarithms.
    """
    means = _means(runs)
    return [(int(new), int(baseline)) for new, baseline in np.argwhere(dominates(means, means))]


def _means(runs: Runs) -> np.ndarray:
    own = several(runs.frame, runs.objectives).to_numpy(dtype=np.float64, na_value=np.nan) * runs.objectives.signs
    own = np.where(np.isnan(own), np.inf, own)
    by_system = np.split(
        own[np.argsort(runs.systems, kind="stable")],
        np.bincount(runs.systems, minlength=len(runs.labels)).cumsum()[:-1],
    )
    # Sorted, so that rounding does not depend on the order of rows.
    return np.array([np.sort(rows, axis=0).mean(axis=0) for rows in by_system])


def _some_suggested(gathered: dict[Hashable, Runs]) -> tuple[int, list[Claim]]:
    """Estimate how many claims the runs suggest, and return some of them, without listing them all."""
    count, some = 0.0, []
    for domain, runs in gathered.items():
        means = _means(runs)
        step = math.ceil(len(means) / _COUNTED_SYSTEMS)
        pairs = np.argwhere(dominates(means[::step], means))
        count += len(pairs) * len(means) / len(means[::step])
        some += [(domain, [int(new) * step], [int(baseline)]) for new, baseline in _spread(pairs, _TIMED)]
    return round(count), some


def _spread(values: Any, number: int) -> Any:
    """Some of the values, evenly spaced."""
    return values[:: max(1, len(values) // number)][:number]


def _check_cost(n_claims: int, test: Callable[[Claim], HypervolumeTest], some: list[Claim], max_seconds: float) -> None:
    """Refuse an audit that would take too long or too much memory, by an estimate from some of its claims."""
    if n_claims <= _FEW:
        return
    # The first call loads what the others share.
    first = test(some[0])
    begin = time.thread_time()
    for claim in some:
        test(claim)
    seconds = (time.thread_time() - begin) / len(some) * n_claims
    size = (_BYTES_PER_TEST + first.null_distribution.nbytes) * n_claims
    refuse_costly(
        f"{n_claims:,} claims", seconds, size, max_seconds,
        "List the claims to test in `claims`, keep fewer systems, reduce `n_resamples`",
    )  # fmt: skip


def _list_claims(claims: ClaimsLike, columns: list[Hashable], gathered: dict[Hashable, Runs]) -> list[Claim]:
    if isinstance(claims, pd.DataFrame):
        triples = _from_table(claims, columns, list(gathered))
    elif isinstance(claims, Iterable) and not isinstance(claims, str | Mapping):
        pairs = [_pair(claim) for claim in claims]
        triples = [(domain, new, baseline) for domain in gathered for new, baseline in pairs]
    else:
        raise TypeError(
            "`claims` must be a table with columns 'new' and 'baseline' or a list of (new, baseline) pairs, not "
            f"{type(claims).__name__}."
        )
    return [
        (domain, gathered[domain].find(new, "claims"), gathered[domain].find(baseline, "claims"))
        for domain, new, baseline in triples
    ]


def _from_table(
    claims: pd.DataFrame, columns: list[Hashable], domains: list[Hashable]
) -> list[tuple[Hashable, Any, Any]]:
    new, baseline = (checks.column(claims, name, "claims") for name in ("new", "baseline"))
    if not columns or not set(columns) <= set(claims.columns):
        return [(domain, a, b) for domain in domains for a, b in zip(new, baseline, strict=True)]
    keys = list(claims[columns].itertuples(index=False, name=None))
    named = [key[0] if len(columns) == 1 else key for key in keys]
    for domain in named:
        if domain not in domains:
            raise ValueError(
                f"`claims` names the domain {domain!r}, which is not in the table; the domains are "
                f"{checks.listed(domains)}.{checks.nearest(domain, domains)}"
            )
    return list(zip(named, new, baseline, strict=True))


def _pair(claim: Any) -> tuple[Any, Any]:
    if not isinstance(claim, tuple | list) or len(claim) != 2:
        raise ValueError(f"`claims` contains {claim!r}; every claim must be a pair (new, baseline).")
    return claim[0], claim[1]


def _claims_table(domains: list[Hashable], tests: list[HypervolumeTest], columns: list[Hashable]) -> pd.DataFrame:
    rows = []
    for domain, test in zip(domains, tests, strict=True):
        keys = domain if isinstance(domain, tuple) and len(columns) > 1 else (domain,)
        row: dict[Hashable, Any] = dict(zip(columns, keys, strict=False))
        for side, systems in (("new", test.new), ("baseline", test.baseline)):
            row[side] = text.listing(map(system_name, systems))
        row |= {column: getattr(test, attribute) for column, attribute in _OF_TEST.items()}
        row |= {column: getattr(test.per_run, attribute) for column, attribute in _OF_RUNS.items()}
        rows.append(row | {"spread_ratio": test.spread_ratio})
    table = pd.DataFrame(rows, columns=[*columns, "new", "baseline", *_NUMERIC])
    # Without rows there is nothing to infer dtypes from.
    return table if rows else table.astype(dict.fromkeys(_NUMERIC, np.float64))


def adjusted(table: pd.DataFrame, n_comparisons: int, alpha: float) -> pd.DataFrame:
    """Adjust the p-values of a table of claims, and mark the significant ones.

    Parameters
    ----------
    table : DataFrame
        Claims, with their ``runs_pvalue`` and ``t_pvalue``.
    n_comparisons : int
        Comparisons from which the claims come. Comparisons that are not claims count as if their p were 1, which is
        conservative.
    alpha : float
        Level of significance.
    """
    alone, pvalues = (table[name].to_numpy(dtype=np.float64) for name in ("runs_pvalue", "t_pvalue"))
    every = np.append(pvalues, np.ones(n_comparisons - len(pvalues)))
    columns = {name: np.maximum(alone, adjust(every)[: len(pvalues)]) for name, adjust in _ADJUSTMENTS.items()}
    return table.assign(**columns, significant=columns["holm"] <= alpha)


def _summarize(part: pd.DataFrame, alpha: float) -> dict[str, float]:
    significant = part["significant"].astype(bool)
    testable = part["smallest_pvalue"] <= alpha
    unclear = testable & ~significant
    unadjusted = part["runs_pvalue"] <= alpha
    return {
        "claims": len(part),
        "untestable": int((~testable).sum()),
        "not_distinguishable": int(unclear.sum()),
        "significant": int(significant.sum()),
        "significant_unadjusted": int(unadjusted.sum()),
        "unsupported": int(((part["pvalue"] <= alpha) & ~unadjusted).sum()),
        "median_effect_significant": float(part.loc[significant, "effect"].median()),
        "median_effect_not_distinguishable": float(part.loc[unclear, "effect"].median()),
    }
