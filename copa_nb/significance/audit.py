"""Audit of claimed improvements: which of them are more than seed noise?"""

from __future__ import annotations

import itertools
from collections.abc import Collection, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import as_names, positions_by_group, several
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import Objectives, ObjectivesLike
from copa_nb.parallel import map_tasks
from copa_nb.pareto.arrays.dominance import dominates
from copa_nb.pareto.arrays.hypervolume import Measure, indicator_measure, set_hypervolumes
from copa_nb.pareto.arrays.indicators import INDICATORS, NAMES
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import PlotMethod, ReportedResult
from copa_nb.significance.arrays.multiple_testing import benjamini_hochberg, benjamini_yekutieli, holm, step_down
from copa_nb.significance.arrays.per_run import joint_null
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions
from copa_nb.significance.hv_test import bounding_point, claim_test
from copa_nb.significance.result import HypervolumeTest, system_name
from copa_nb.significance.runs import Runs, gather_runs

ClaimsLike: TypeAlias = "pd.DataFrame | Iterable[tuple[Any, Any]] | None"

CORRECTIONS = {
    "pvalue": "raw",
    "holm": "Holm",
    "max_t": "step-down max-T",
    "benjamini_hochberg": "Benjamini-Hochberg",
    "benjamini_yekutieli": "Benjamini-Yekutieli",
}
_ADJUSTMENTS = {
    "holm": holm,
    "benjamini_hochberg": benjamini_hochberg,
    "benjamini_yekutieli": benjamini_yekutieli,
}
_COMPARED = {"hypervolume": "hypervolumes", **{name: f"minus {NAMES[name]}" for name in INDICATORS}}
# Permutations that the max-T is taken over, for all pairs of systems at once.
_FAMILY_RESAMPLES = 2000
# Columns of the table of claims that are attributes of the tests.
_OF_TEST = {"runs_new": "n_new", "runs_baseline": "n_baseline", "difference": "statistic", "relative": "relative",
            "pvalue": "pvalue", "exact": "exact", "smallest_pvalue": "smallest_pvalue"}  # fmt: skip
_OF_RUNS = {"mean_difference": "difference", "spread": "pooled_sd", "effect": "cohens_d", "runs_pvalue": "pvalue",
            "mann_whitney": "mann_whitney_pvalue", "a12": "a12"}  # fmt: skip
_SUGGESTED = (
    "In simulations of five systems, such a claim of two that do not differ has a raw p of at most .05 in 7 to 10 % of "
    "cases, and some claim of the audit does in 17 to 27 % (fronts: in 46 % if one system is noisier)."
)


@dataclass(frozen=True, repr=False, eq=False)
class Audit(ReportedResult):
    """Tests of many claims, with p-values adjusted for their number.

    Parameters
    ----------
    table : DataFrame
        One row per claim: the `by` columns, ``new``, ``baseline``, ``runs_new`` and ``runs_baseline``.

        Of the fronts over all runs: ``difference`` and ``relative`` (of hypervolumes), ``pvalue``, ``holm``,
        ``benjamini_hochberg``, ``benjamini_yekutieli``, ``exact``, ``smallest_pvalue``.

        Of the hypervolumes of single runs: ``mean_difference``, ``spread`` (pooled standard deviation) and ``effect``
        (Cohen's d, their ratio), and for this estimand ``runs_pvalue``, ``runs_holm``, ``runs_max_t`` (step-down
        max-T of Westfall and Young within a domain, times the number of domains), ``runs_benjamini_hochberg``,
        ``runs_benjamini_yekutieli``, ``mann_whitney`` (p) and ``a12`` (Vargha and Delaney's effect size).

        ``spread_ratio`` (standard deviation of the new runs over that of the baseline's) and ``significant``: whether
        both comparisons have a raw p of at most α, in the same direction.
    tests : list of HypervolumeTest
        The tests, in the order of the rows.
    references : dict
        Reference point of each domain, in own units; under None if there are no domains. It is the same
        for every claim of a domain.
    by : list of labels
        Columns that make the domains.
    objectives : Objectives
        Names and directions.
    options : HypervolumeTestOptions
        How each claim was tested.
    suggested : bool
        Whether the claims were suggested by the same runs: every pair of systems whose means are an improvement. Then
        ``runs_max_t`` is over all pairs of systems, and allows for the choice.
    """

    table: pd.DataFrame
    tests: list[HypervolumeTest] = field(repr=False)
    references: dict[Hashable, dict[Hashable, float]]
    by: list[Hashable]
    objectives: Objectives
    options: HypervolumeTestOptions
    suggested: bool = False

    @property
    def significant(self) -> pd.DataFrame:
        """The claims that both comparisons support by raw p: fronts, and single runs."""
        return self.table[self.table["significant"].astype(bool)]

    @property
    def unsupported(self) -> pd.DataFrame:
        """The claims whose front is larger by raw p, without support from the comparison of single runs."""
        return self.table[(self.table["pvalue"] <= self.options.alpha) & ~self.table["significant"].astype(bool)]

    @property
    def within_noise(self) -> pd.DataFrame:
        """The claims with enough runs to be tested that cannot be distinguished from seed noise."""
        return self.table[self._testable & (self.table["pvalue"] > self.options.alpha)]

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

        ``standing`` are claims with a front p of at most α (raw, after Holm, after Benjamini and Hochberg),
        ``supported`` those that the comparison of single runs supports as well (by raw p, with Holm's adjustment of
        both, and with max-T for single runs), ``unsupported`` the others that stand.
        """
        parts = {"all": self.table}
        if self.by:
            groups = self.table.groupby(list(self.by), sort=False)
            parts = {**{system_name(key): part for key, part in groups}, **parts}
        rows = [_summarise(part, self.options.alpha) for part in parts.values()]
        return pd.DataFrame(rows, index=pd.Index(list(parts), name="domain"))

    @property
    def verdict(self) -> str:
        """The outcome in a few sentences."""
        if self.table.empty:
            return "There is no claim to test: no system's means are a Pareto improvement on another's."
        total = self.by_domain.loc["all"]
        sentences = [
            f"Claimed improvements within seed noise at α = {self.options.alpha:g}: {total['within_noise']:.0f} of "
            f"{total['claims']:.0f}. Significant, by fronts and by single runs: {total['supported']:.0f} by raw p, "
            f"{total['supported_holm']:.0f} after Holm's adjustment, {total['supported_max_t']:.0f} with step-down "
            "max-T for single runs."
        ]
        if total["unsupported"]:
            sentences.append(
                f"Larger fronts that single runs do not support: {total['unsupported']:.0f}; they are not established."
            )
        if total["untestable"]:
            sentences.append(f"Too few runs for any difference to be significant: {total['untestable']:.0f}.")
        smallest = self.table["smallest_pvalue"].min() * len(self.table)
        if smallest > self.options.alpha:
            sentences.append(
                "With so few seeds no claim can be significant after Holm's adjustment: the smallest attainable p "
                f"times {len(self.table)} claims is {text.number(smallest, 2)}."
            )
        return " ".join(sentences)

    def explain(self) -> str:
        """The verdict, and what the p-values mean for claims chosen by the data."""
        return " ".join([self.verdict, *self.notes])

    @property
    def notes(self) -> list[str]:
        """What limits the conclusion."""
        if self.table.empty:
            return []
        notes = [
            "Benjamini and Hochberg's adjustment needs tests that depend positively on one another, which claims that "
            "share a system need not; Benjamini and Yekutieli's (in the table) does not need it."
        ]
        if self.suggested:
            notes.insert(
                0,
                "The claims were suggested by the same runs: every pair of systems whose means are an improvement. "
                f"{_SUGGESTED} The step-down max-T p is over all pairs of systems and allows for the choice.",
            )
        return notes

    plot = PlotMethod("plot_audit")

    def _report_inputs(self, given: Collection[str]) -> tuple[str, pd.DataFrame, dict[str, Any]]:
        if not self.tests:
            raise ValueError("there is no claim to test, and so nothing to report.")
        if self.by or not (self.suggested or len(self.tests) == 1):
            raise ValueError(
                "a report tests one claim, or every pair that the means suggest, in one domain; report one of the "
                "claims, e.g. audit.tests[0].report(), or write all as a page with to_html()."
            )
        name, table, parameters = self.tests[0]._report_inputs(given)
        return name, table, {**parameters, "new": [], "baseline": []} if self.suggested else parameters

    def __repr__(self) -> str:
        return f"<Audit of {len(self.table)} claims, {len(self.within_noise)} within seed noise>"

    def _card(self) -> str:
        caption = (
            f"Differences are of {_COMPARED[self.options.indicator]}; effect is Cohen's d: the difference of the means "
            "of single runs over their pooled standard deviation, which runs_pvalue tests."
        )
        shown = self.table.set_axis([""] * len(self.table))
        tables = [text.html_table(shown, caption=caption)]
        if self.by:
            tables.insert(0, text.html_table(self.by_domain))
        return text.card("Audit of claimed improvements", [self.verdict, *self.notes], *tables)


@any_frame
@shared_parameters
def audit(
    frame: pd.DataFrame,
    *,
    system: Any,
    seed: Any = None,
    claims: ClaimsLike = None,
    by: Any = None,
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
    n_jobs: int | None = None,
    progress: bool = True,
    scheduler: Any = None,
    indicator: str = "hypervolume",
) -> Audit:
    """Test many claims of improvement, all against the same reference point [1]_.

    Parameters
    ----------
    frame : DataFrame
        One row per system and seed (and domain).
    %(system)s
    %(seed)s
    claims : DataFrame or list of (new, baseline), optional
        What to test: a table with columns ``new`` and ``baseline`` (one system, or a list of them) and, if claims
        belong to one domain each, the `by` columns; or pairs, tested in every domain. By default, every ordered pair
        of systems in which the means of one are a Pareto improvement on the other's.
    by : label or list of labels, optional
        Columns, or index levels, of the domains (benchmarks, tasks). Each has its own reference point, unless one is
        given.
    objectives, reference, margin, n_resamples, alternative, paired, level, scale, method, alpha, nan_policy, two_sided
        See :func:`copa_nb.hv_test`.
    indicator : {"hypervolume", "r2", "igd+", "epsilon"}
        See :func:`copa_nb.hv_test`; for step-down max-T the reference front is that of all runs of the domain.
    rng : int, Generator or None
        Every claim is tested with the same seed, so that its p is that of :func:`copa_nb.hv_test`.
    %(n_jobs)s
    %(progress)s
    %(scheduler)s

    Returns
    -------
    Audit
        p-values are adjusted over all claims of the audit: after Holm, by step-down max-T [2]_, after Benjamini and
        Hochberg, and after Benjamini and Yekutieli [3]_, which holds under any dependence.

    Raises
    ------
    %(gate_errors)s
    ValueError
        As :func:`copa_nb.hv_test`; for claims that name an unknown domain, or a table without the columns.

    See Also
    --------
    copa_nb.hv_test : a single claim.

    References
    ----------
    %(significance_paper)s
       Section 4: audits of claimed improvements.
    .. [2] P. H. Westfall and S. S. Young, Resampling-Based Multiple Testing, Wiley, 1993.
    .. [3] Y. Benjamini and D. Yekutieli, "The control of the false discovery rate in multiple testing under
       dependency", Annals of Statistics 29, 2001.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "agent": ["A"] * 4 + ["B"] * 4 + ["C"] * 4, "run": [1, 2, 3, 4] * 3,
    ...     "accuracy": [0.8, 0.82, 0.81, 0.83, 0.7, 0.71, 0.69, 0.72, 0.7, 0.72, 0.71, 0.69],
    ...     "cost": [2.0, 2.1, 1.9, 2.0, 3.0, 3.1, 2.9, 3.0, 2.9, 3.1, 2.9, 3.0],
    ... })
    >>> outcome = copa_nb.audit(runs, system="agent", seed="run", objectives={"accuracy": "max", "cost": "min"})
    >>> outcome
    <Audit of 3 claims, 1 within seed noise>
    >>> outcome.table[["new", "baseline", "pvalue", "holm"]].round(3)
      new baseline  pvalue   holm
    0   A        B   0.029  0.086
    1   A        C   0.029  0.086
    2   C        B   0.743  0.743
    """
    checks.frame(frame)
    columns = as_names(by)
    options = HypervolumeTestOptions(
        n_resamples, alternative, paired, level, method, alpha, checks.seed(rng), two_sided, indicator
    )
    read = partial(gather_runs, system=system, seed=seed, objectives=objectives, scale=scale, reference=reference,
                   nan_policy=nan_policy)  # fmt: skip
    parts: dict[Hashable, Any] = {None: slice(None)}
    if by is not None:
        parts = positions_by_group(frame, columns if len(columns) > 1 else columns[0])
    gathered = {domain: read(frame.iloc[rows]) for domain, rows in parts.items()}
    points = {domain: bounding_point(runs, reference, margin, options) for domain, runs in gathered.items()}
    named = _list_claims(claims, columns, gathered)
    tests = map_tasks(
        lambda claim: claim_test(*claim, options, (system, seed), margin if isinstance(reference, str) else None),
        [(gathered[domain], new, baseline, points[domain]) for domain, new, baseline in named],
        n_jobs=n_jobs,
        progress=progress,
        label="claims",
        scheduler=scheduler,
    )
    family = np.ones(len(named))
    for domain, runs in gathered.items():
        chosen = [number for number, claim in enumerate(named) if claim[0] == domain]
        pairs = [(named[number][1], named[number][2]) for number in chosen]
        family[chosen] = _max_t(runs, points[domain], pairs, options, suggested=claims is None)
    table = _claims_table([domain for domain, _, _ in named], tests, columns, family, len(gathered))
    named_point = indicator == "hypervolume"
    references = {domain: runs.in_own_units(points[domain]) if named_point else {} for domain, runs in gathered.items()}
    return Audit(table, tests, references, columns, next(iter(gathered.values())).objectives, options, claims is None)


def pareto_improvements(runs: Runs) -> list[tuple[int, int]]:
    """Ordered pairs (new, baseline) of systems in which the new one's means dominate the baseline's.

    Means are arithmetic and in the objectives' own units, as papers report them, also where the test
    takes logarithms.
    """
    own = several(runs.frame, runs.objectives).to_numpy(dtype=np.float64, na_value=np.nan) * runs.objectives.signs
    own = np.where(np.isnan(own), np.inf, own)
    means = np.array([own[runs.systems == s].mean(axis=0) for s in range(len(runs.labels))])
    return [(int(new), int(baseline)) for new, baseline in np.argwhere(dominates(means, means))]


def _list_claims(
    claims: ClaimsLike, columns: list[Hashable], gathered: dict[Hashable, Runs]
) -> list[tuple[Hashable, list[int], list[int]]]:
    if claims is None:
        return [(d, [a], [b]) for d, runs in gathered.items() for a, b in pareto_improvements(runs)]
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
                f"`claims` names the domain {domain!r}, which is not in the table; domains are "
                f"{checks.listed(domains)}.{checks.nearest(domain, domains)}"
            )
    return list(zip(named, new, baseline, strict=True))


def _pair(claim: Any) -> tuple[Any, Any]:
    if not isinstance(claim, tuple | list) or len(claim) != 2:
        raise ValueError(f"`claims` holds {claim!r}; every claim must be a pair (new, baseline).")
    return claim[0], claim[1]


def _max_t(
    runs: Runs,
    point: np.ndarray,
    claims: list[tuple[list[int], list[int]]],
    options: HypervolumeTestOptions,
    *,
    suggested: bool,
) -> np.ndarray:
    """p-values of single runs, adjusted by step-down max-T within a domain: over all pairs if the data chose."""
    if not claims:
        return np.ones(0)
    pairs, alternative = list(claims), options.alternative
    if suggested:
        alternative = "two-sided"
        named = {frozenset([*new, *baseline]) for new, baseline in claims}
        every = itertools.combinations(range(len(runs.labels)), 2)
        pairs += [([a], [b]) for a, b in every if frozenset([a, b]) not in named]
    # No claim about a system with an infinitely good run is tested.
    finite = ~np.isin(runs.systems, runs.systems[np.isneginf(runs.costs).any(axis=1)])
    costs, measure = runs.costs[finite], Measure(True, "of single runs")
    if options.indicator != "hypervolume":
        measure = indicator_measure(costs, options.indicator)
    pvalues, null = joint_null(
        set_hypervolumes(costs[:, None, :], point, measure),
        runs.systems[finite],
        pairs,
        blocks=runs.seeds[finite] if options.paired and runs.seeds is not None else None,
        alternative=alternative,
        n_resamples=min(options.n_resamples, _FAMILY_RESAMPLES),
        rng=options.rng,
    )
    return step_down(pvalues, null)[: len(claims)]


def _claims_table(
    domains: list[Hashable],
    tests: list[HypervolumeTest],
    columns: list[Hashable],
    family: np.ndarray,
    n_domains: int,
) -> pd.DataFrame:
    rows = []
    for domain, test, max_t in zip(domains, tests, family, strict=True):
        keys = domain if isinstance(domain, tuple) and len(columns) > 1 else (domain,)
        row: dict[Hashable, Any] = dict(zip(columns, keys, strict=False))
        for side, systems in (("new", test.new), ("baseline", test.baseline)):
            row[side] = text.listing(map(system_name, systems))
        row |= {column: getattr(test, attribute) for column, attribute in _OF_TEST.items()}
        row |= {column: getattr(test.per_run, attribute) for column, attribute in _OF_RUNS.items()}
        rows.append(row | {"runs_max_t": max_t, "spread_ratio": test.spread_ratio, "significant": test.significant})
    numeric = [*_OF_TEST, *_OF_RUNS, "runs_max_t", "spread_ratio", "significant"]
    table = pd.DataFrame(rows, columns=[*columns, "new", "baseline", *numeric])
    # Without rows there is nothing to infer dtypes from.
    return adjusted(table if rows else table.astype(dict.fromkeys(numeric, np.float64)), n_domains)


def adjusted(table: pd.DataFrame, n_domains: int = 1) -> pd.DataFrame:
    """Adjust the p-values of a table of claims for their number, in columns next to them.

    Parameters
    ----------
    table : DataFrame
        Claims, with `runs_max_t` of each domain by itself.
    n_domains : int
        Domains that were looked at.
    """
    result = table.drop(columns=[before + name for before in ("", "runs_") for name in _ADJUSTMENTS], errors="ignore")
    result["runs_max_t"] = np.minimum(1.0, n_domains * result["runs_max_t"])
    for before in ("", "runs_"):
        pvalues = result[f"{before}pvalue"].to_numpy(dtype=np.float64)
        at = list(result.columns).index(f"{before}pvalue")
        for number, (name, adjust) in enumerate(_ADJUSTMENTS.items(), start=1):
            result.insert(at + number, before + name, adjust(pvalues))
    return result


def _summarise(part: pd.DataFrame, alpha: float) -> dict[str, float]:
    testable = part["smallest_pvalue"] <= alpha
    standing = part["pvalue"] <= alpha
    failing = testable & ~standing
    supported = part["significant"].astype(bool)
    by_holm = supported & (part["holm"] <= alpha)
    return {
        "claims": len(part),
        "untestable": int((~testable).sum()),
        "within_noise": int(failing.sum()),
        "standing": int(standing.sum()),
        "standing_holm": int((part["holm"] <= alpha).sum()),
        "standing_benjamini_hochberg": int((part["benjamini_hochberg"] <= alpha).sum()),
        "supported": int(supported.sum()),
        "supported_holm": int((by_holm & (part["runs_holm"] <= alpha)).sum()),
        "supported_max_t": int((supported & (part["runs_max_t"] <= alpha)).sum()),
        "unsupported": int((standing & ~supported).sum()),
        "median_effect_standing": float(part.loc[standing, "effect"].median()),
        "median_effect_within_noise": float(part.loc[failing, "effect"].median()),
    }
