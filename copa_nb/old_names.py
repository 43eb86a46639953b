"""Names of earlier versions, and the line to write now; looked up only where a name is not found.

No old name works: two ways to say one thing are two things to learn. Until version 1.0 each says what replaced it.
"""

from __future__ import annotations

from collections.abc import Mapping

# Of `copa_nb` and of `df.moo`; what belonged to a result stands under its class: "Selection.tiers".
NOW_WRITTEN: Mapping[str, str] = {
    "HypervolumeTest.recommended_report": "`test.reporting()`",
    "RecommendedReport": "`copa_nb.Reporting`, which `df.moo.hv_test(...).reporting()` returns",
    "ItemsNeeded": "`copa_nb.Needed`",
    "SystemComparison": "`copa_nb.Comparison`",
    "Comparison.items_needed": "`comparison.needed(...)`",
    "compare_systems": "`df.moo.compare(new, baseline)`",
    "items_needed": "`df.moo.compare(new, baseline).needed(...)`",
    "ScoresAfterChoice": "`copa_nb.Intervals`",
    "Selection.cheaper_equivalent": "`df.moo.cheaper_equivalent(...)`",
    "Selection.scores_after_choice": "`choice.intervals(...)`",
    "Selection.tiers": "`df.moo.tiers(...)`",
    "compare_gaps": "`df.moo.gap(...).compare(other)`",
    "compare_suites": "`df.moo.posets(...).compare(other)`",
    "elicit": "`df.moo.copa(...).elicit(...)`",
    "explore_gap": "`df.moo.gap(...).explore()`",
    "explore_posets": "`df.moo.posets(...).explore()`",
    "explore_test": "`df.moo.hv_test(...).explore()`",
    "gap_bootstrap": "`df.moo.gap(...).bootstrap(predictions, truth)`",
    "gap_budgets": "`df.moo.gap(...).budgets(numbers)`",
    "indicators": "`df.moo.attainment(...).indicators(which)`",
    "is_front": "`df.moo.layers(1) == 1`",
    "navigate": "`df.moo.copa(...).navigate(...)`",
    "noise_for_power": "`copa_nb.power(solve='noise', target=0.8, ...)`",
    "overtuning": "`df.moo.gap(...).overtuning()`",
    "rank_errors": '`df.moo.copa(...).rank_intervals()`, column "error_..."',
    "rank_intervals": "`df.moo.copa(...).rank_intervals(...)`",
    "recommended_report": "`df.moo.hv_test(...).reporting()`",
    "runs_needed": "`df.moo.hv_test(...).needed(effect=...)`, or `copa_nb.power(solve='runs', ...)` without runs",
    "scores_after_choice": "`df.moo.copa(...).intervals(...)`",
    "sensitivity": "`df.moo.copa(...).sensitivity(...)`",
    "stability": "`df.moo.copa(...).stability(...)`",
    "weights_from": "`df.moo.copa(weights={...})`, or `df.moo.copa(...).elicit()`",
}


def instead_of(name: str, owner: str = "") -> str:
    """Say, as a sentence, what is written now in place of an old name; nothing if it never was one.

    Parameters
    ----------
    name : str
        The name that was not found.
    owner : str
        Class of the result that was asked for it; empty for the package and for ``df.moo``.

    Examples
    --------
    >>> instead_of("frnt")
    ''
    """
    line = NOW_WRITTEN.get(f"{owner}.{name}" if owner else name)
    return f" It is written {line} now." if line else ""
