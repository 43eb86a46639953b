"""What reports print of an audit and of a test: the answer, the systems, the claims, and one test in numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb.results.answer import Answer
from copa_nb.results.printed import PrintedTable
from copa_nb.significance.runs import Runs, system_name
from copa_nb.tables.columns import several
from copa_nb.text import label, listing, number, pvalue, spoken

if TYPE_CHECKING:
    from copa_nb.significance.audit import Audit
    from copa_nb.significance.result import HypervolumeTest

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
_MOST_NAMED = 3  # baselines in a headline
_FEW = 8  # claims that a page lists at once


def answer_of(audit: Audit) -> Answer:
    """The p-value of the one claim and its result, or how many of the claims are significant."""
    question = "Are the improvements larger than the noise of repeated runs?"
    named = audit.table[["new", "baseline", "pvalue", "runs_pvalue", "significant"]]
    values = {"tests": named.to_dict("records")}
    if len(audit.tests) != 1:
        headline = _headline_of_many(audit) if audit.tests else "No pair of systems suggests a claim to test"
        certainty = audit.guarantee.explain()
        return Answer(headline, [audit.verdict], question=question, certainty=certainty, used="hv_test", values=values)
    (test,) = audit.tests
    verdict = test.verdict
    outcome = "not significant" if audit.options.alternative == "two-sided" else "no evidence of a difference"
    if len(audit.significant):
        outcome = "significant"
    elif len(audit.significant_unadjusted):
        # The claim alone would be called significant: one verdict, with the correction.
        outcome = f"not significant after the correction for {audit.n_comparisons} comparisons"
        verdict = audit.verdict
    new, baseline = (listing(map(system_name, side)) for side in (test.new, test.baseline))
    return Answer(
        f"{new} over {baseline}: {pvalue(test.per_run.pvalue)} by single runs, {outcome}",
        [verdict],
        question=question,
        certainty=test.guarantee.explain(),
        used="hv_test",
        values=values,
    )


def _headline_of_many(audit: Audit) -> str:
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


def tables_of(audit: Audit, runs: Mapping[Hashable, Runs]) -> list[PrintedTable]:
    """The systems, and the claims from the least certain to the surest.

    Parameters
    ----------
    audit : Audit
        The claims.
    runs : mapping of domain to Runs
        What the claims are about.
    """
    tables = [_systems(audit, runs)] if runs else []
    return [*tables, _claims(audit)] if audit.tests else tables


def _systems(audit: Audit, runs: Mapping[Hashable, Runs]) -> PrintedTable:
    tables = {system_name(domain): _means(one) for domain, one in runs.items()}
    domains = ", ".join(map(str, audit.by))
    (only,) = tables.values() if not audit.by else (None,)
    return PrintedTable(
        frame=pd.concat(tables, names=[domains]) if only is None else only,
        name="systems",
        caption="The systems: mean and standard deviation over their runs.",
    )


def _means(runs: Runs) -> pd.DataFrame:
    """Runs of each system, and mean and standard deviation of every objective."""
    names = pd.Index(list(map(system_name, runs.labels)), name="system")
    values = several(runs.frame, runs.objectives).set_axis(runs.objectives.titles, axis="columns")
    groups = values.groupby(runs.systems)
    found = groups.agg(_mean_and_spread)
    found.insert(0, "runs", groups.size())
    return found.set_axis(names)


def _mean_and_spread(values: pd.Series) -> str:
    """Write mean ± standard deviation, with as many decimals as show two digits of the deviation."""
    mean, spread = float(values.mean()), float(values.std())
    if not spread > 0:
        rounded = f"{float(f'{mean:.3g}'):,.12g}"
        return rounded + ("\u00a0±\u00a00" if values.count() > 1 else "")
    decimals = max(0, 1 - int(np.floor(np.log10(spread))))
    return f"{mean:,.{decimals}f}\u00a0±\u00a0{spread:,.{decimals}f}"


def _claims(audit: Audit) -> PrintedTable:
    """All claims; gains are shares only where a reference point is stated."""
    is_stated = audit.tests[0].inputs.reference_margin is None and audit.options.indicator == "hypervolume"
    gain = "relative" if is_stated else "difference"
    headers: dict[object, str] = {gain if name == "difference" else name: title for name, title in _CLAIMS.items()}
    ordered = audit.table.sort_values(["pvalue", "effect"], ascending=[False, True])
    point = ", ".join(
        f"{spoken(name)} {number(value, 3)}" for name, value in next(iter(audit.references.values())).items()
    )
    return PrintedTable(
        frame=ordered[[*audit.by, *headers]].reset_index(drop=True),
        name="claims",
        caption="Claims, the least certain first. Of fronts: gain (difference of hypervolumes, relative if a reference "
        "point is given), its p and the smallest p that this number of runs can give. Of the hypervolumes of single "
        "runs: Cohen's d, the difference of the means with its interval, p and Vargha and Delaney's A12. Holm: p of "
        "the t-test of single runs, adjusted for all comparisons, or p of single runs where that is larger; at most α "
        "for significant claims." + (f" Reference point: {point}." if point and not audit.by else ""),
        headers=headers,
        folded=len(audit.table) > _FEW,
    )


def numbers_of(test: HypervolumeTest) -> PrintedTable:
    """Every number of a test, in words."""
    named = zip(test.objectives.labels, test.objectives, strict=True)
    points = {f"reference {title}{' (log)' if name in test.log else ''}": name for title, name in named}
    names: dict[Hashable, str] = {
        **dict[Hashable, str](_QUANTITIES.items()),
        **{column: f"reference point: {spoken(name)}" for column, name in points.items()},
    }
    values = test.table.iloc[0].astype(object)
    written = {names.get(name, str(name).replace("_", " ")): _written(value) for name, value in values.items()}
    return PrintedTable(
        frame=pd.DataFrame({"value": written}).rename_axis("quantity"),
        name="summary",
        caption="The test in numbers.",
        most=40,
        folded=True,
    )


def _written(value: Any) -> str:
    if isinstance(value, bool | np.bool_):
        return "yes" if value else "no"
    return number(value, 4) if isinstance(value, float) else str(value)
