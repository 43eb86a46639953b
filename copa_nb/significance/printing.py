"""What reports print of an audit and of a test: its headline, the systems, the claims, and one test in numbers."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb.results.printed import PrintedTable
from copa_nb.results.sentences import Part, briefest, part
from copa_nb.significance.runs import Runs, system_name
from copa_nb.tables.columns import several
from copa_nb.text import label, listing, number, spoken

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


def corrected(audit: Audit) -> Part:
    """What is said of one claim that would be significant alone."""
    (test,) = audit.tests
    new, baseline = (listing(map(system_name, side)) for side in (test.new, test.baseline))
    found = {"n": audit.n_comparisons, "new": new, "baseline": baseline, "pvalue": test.per_run.pvalue}
    return briefest(part(f"audit.headline.corrected{shorter}", **found) for shorter in ("", "_in_short"))


def headline_of_many(audit: Audit) -> Part:
    """How many improvements survive the correction, and which; if none does, which would have alone."""
    total, significant, alone = len(audit.tests), audit.significant, audit.significant_unadjusted
    claims = part(f"audit.phrases.{'improvements' if audit.suggested else 'claims'}")
    found: dict[str, Any] = {"total": total, "claims": claims}
    if len(significant):
        kind = "all" if len(significant) == total else "some"
        found |= {"significant": len(significant), "named": _claimed(significant)}
    elif len(alone):
        kind = "none_but_alone"
        found |= {"named": _claimed(alone)}
    else:
        return part("audit.headline.none", **found)
    return briefest(part(f"audit.headline.{kind}{shorter}", **found) for shorter in ("", "_in_short"))


def _claimed(claims: pd.DataFrame) -> Part:
    """Name improvements, the surest first: "G over H and I", and how many more there are."""
    ordered = claims.sort_values(["holm", "runs_pvalue"], kind="stable")
    new = ordered["new"].iloc[0]
    own = ordered.loc[ordered["new"] == new, "baseline"]
    names = [label(one) for one in own[:_MOST_NAMED]]
    rest = len(claims) - len(names)
    if rest:
        return part("audit.phrases.named_and_more", new=label(new), baselines=names, more=rest)
    return part("audit.phrases.named", new=label(new), baselines=names)


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
