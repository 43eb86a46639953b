"""Names of earlier versions, and the line to write now; looked up only where a name is not found.

No old name works: two ways to say one thing are two things to learn. Until version 1.0 each says what replaced it.
"""

from __future__ import annotations

from collections.abc import Mapping

# Of `copa_nb` and of `df.moo`; what belonged to a result or to a module stands under it, "Selection.tiers", and what
# remains in the package but not as a method of tables under "moo".
NOW_WRITTEN: Mapping[str, str] = {
    "moo.objectives": '`df.moo.description["objectives"]`',
    "moo.panel": "`copa_nb.panel(df)`",
    "moo.parse_numbers": "`copa_nb.parse_numbers(df, columns)`",
    "HypervolumeTest.recommended_report": "`test.reporting()`",
    "Result.to_frame": "`result.table`",
    "RecommendedReport": "`copa_nb.results.Reporting`, which `df.moo.hv_test(...).reporting()` returns",
    "ItemsNeeded": "`copa_nb.results.Needed`",
    "SystemComparison": "`copa_nb.results.Comparison`",
    "Comparison.items_needed": "`comparison.needed(...)`",
    "compare_systems": "`df.moo.compare(new, baseline)`",
    "items_needed": "`df.moo.compare(new, baseline).needed(...)`",
    "ScoresAfterChoice": "`copa_nb.results.Intervals`",
    "MeanRanks.tiers": "`df.moo.mean_ranks().board(...)`",
    "Selection.cheaper_equivalent": "`df.moo.cheaper(...)`",
    "Selection.scores_after_choice": "`choice.intervals(...)`",
    "Selection.tiers": "`df.moo.board(...)`",
    "cheaper_equivalent": "`df.moo.cheaper(than, cost=...)`",
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
    "routes": "`df.moo.cheaper(...).routes()`",
    "runs_needed": "`df.moo.hv_test(...).needed(effect=...)`, or `copa_nb.power(solve='runs', ...)` without runs",
    "scores_after_choice": "`df.moo.copa(...).intervals(...)`",
    "sensitivity": "`df.moo.copa(...).sensitivity(...)`",
    "stability": "`df.moo.copa(...).stability(...)`",
    "weights_from": "`df.moo.copa(weights={...})`, or `df.moo.copa(...).elicit()`",
    # Classes, which are for annotations and for what starts without a table.
    "Agreement": "`copa_nb.results.Agreement`",
    "Attainment": "`copa_nb.results.Attainment`",
    "Audit": "`copa_nb.results.Audit`",
    "Board": "`copa_nb.results.Board`",
    "Board.card": "`board.write(folder, title=..., date=...)`, or `board.published(title=..., date=...)`",
    "Card": "`copa_nb.results.Board`, which `df.moo.board(...)` returns",
    "BoardChanges": "`copa_nb.results.BoardChanges`",
    "CardChanges": "`copa_nb.results.BoardChanges`",
    "Cheaper": "`copa_nb.results.Cheaper`",
    "CheaperByGroup": "`copa_nb.results.CheaperByGroup`",
    "CheaperEquivalents": "`copa_nb.results.Cheaper`, which `df.moo.cheaper(...)` returns",
    "Checked": "`copa_nb.results.Checked`",
    "Comparison": "`copa_nb.results.Comparison`",
    "ConfidentFront": "`copa_nb.results.ConfidentFront`",
    "Consensus": "`copa_nb.results.Consensus`",
    "Criteria": "`copa_nb.results.Criteria`",
    "DepthResult": "`copa_nb.results.DepthResult`",
    "Elicitation": "`copa_nb.results.Elicitation`",
    "Forecast": "`copa_nb.results.Forecast`",
    "FriedmanTest": "`copa_nb.results.FriedmanTest`",
    "Gap": "`copa_nb.results.Gap`",
    "GapBudgets": "`copa_nb.results.GapBudgets`",
    "GapComparison": "`copa_nb.results.GapComparison`",
    "GapRepeats": "`copa_nb.results.GapRepeats`",
    "GapsByGroup": "`copa_nb.results.GapsByGroup`",
    "GsdFront": "`copa_nb.results.GsdFront`",
    "GsdTest": "`copa_nb.results.GsdTest`",
    "Hypervolume": "`copa_nb.results.Hypervolume`",
    "HypervolumeTest": "`copa_nb.results.HypervolumeTest`",
    "Indicators": "`copa_nb.results.Indicators`",
    "Intervals": "`copa_nb.results.Intervals`",
    "MeanRanks": "`copa_nb.results.MeanRanks`",
    "Navigation": "`copa_nb.results.Navigation`",
    "Needed": "`copa_nb.results.Needed`",
    "NoiseModel": "`copa_nb.results.NoiseModel`",
    "Objectives": "`copa_nb.results.Objectives`",
    "Overtuning": "`copa_nb.results.Overtuning`",
    "PosetSample": "`copa_nb.results.PosetSample`",
    "PossibleChoices": "`copa_nb.results.PossibleChoices`",
    "Power": "`copa_nb.results.Power`",
    "Preferences": "`copa_nb.results.Preferences`",
    "RepeatedComparison": "`copa_nb.results.RepeatedComparison`",
    "Reporting": "`copa_nb.results.Reporting`",
    "RunsNeeded": "`copa_nb.results.RunsNeeded`",
    "Selection": "`copa_nb.results.Selection`",
    "Sensitivity": "`copa_nb.results.Sensitivity`",
    "Stability": "`copa_nb.results.Stability`",
    "SuiteComparison": "`copa_nb.results.SuiteComparison`",
    "SuiteReview": "`copa_nb.results.SuiteReview`",
    "Tiers": "`copa_nb.results.Board`, which `df.moo.board(...)` returns",
    "tiers": "`df.moo.board(...)`",
    "ChoiceExplorer": "`copa_nb.results.explorers.ChoiceExplorer`",
    "ElicitationExplorer": "`copa_nb.results.explorers.ElicitationExplorer`",
    "GapExplorer": "`copa_nb.results.explorers.GapExplorer`",
    "HypervolumeTestExplorer": "`copa_nb.results.explorers.HypervolumeTestExplorer`",
    "Panel": "`copa_nb.results.explorers.Panel`",
    "PosetExplorer": "`copa_nb.results.explorers.PosetExplorer`",
    "Scan": "`copa_nb.results.explorers.Scan`",
    "ConflictError": "`copa_nb.errors.ConflictError`",
    # Of `copa_nb.plots`: a result draws itself.
    "plots.CONTINUOUS": '`"viridis"`',
    "plots.GRAY": '`"#9A9A9A"`',
    "plots.SlightHead": "`copa_nb.plotting.arrows.SlightHead`",
    "plots.count_out_of_range": "`copa_nb.comparisons.plots.mean_ranks.count_out_of_range`",
    "plots.front_positions": "`copa_nb.papers.copa.paths.front_positions`",
    "plots.numbered_key": "`copa_nb.plotting.keys.numbered_key`",
    "plots.picture_of": "`copa_nb.plotting.pictures.picture_of`",
    "plots.plain_log": "`copa_nb.plotting.axes.plain_log`",
    "plots.plot_agreement": '`choice.criteria().plot("agreement")`',
    "plots.plot_attainment": "`df.moo.attainment(...).plot()`",
    "plots.plot_audit": "`df.moo.audit(...).plot()`",
    "plots.plot_bump": "`choice.criteria().plot()`",
    "plots.plot_ccdf": "`df.moo.mean_ranks(...).plot()`",
    "plots.plot_confident_front": "`df.moo.confident_front(...).plot()`",
    "plots.plot_critical_difference": "`df.moo.mean_ranks(...).friedman().plot()`",
    "plots.plot_depth": "`df.moo.posets(...).depth().plot()`",
    "plots.plot_ecdf": '`choice.plot("distribution", x=...)`',
    "plots.plot_ecdf_figure": '`choice.plot("distributions")`',
    "plots.plot_gap": "`df.moo.gap(...).plot()`",
    "plots.plot_gap_budget": "`df.moo.gap(...).budgets(numbers).plot()`",
    "plots.plot_gap_comparison": "`gap.compare(other).plot()`",
    "plots.plot_gap_repeats": "`df.moo(repeat=...).gap().plot()`",
    "plots.plot_gap_repeats_figure": "`df.moo(repeat=...).by(...).gap().plot()`",
    "plots.plot_gsd_front": "`df.moo.gsd_front(...).plot()`",
    "plots.plot_gsd_robustness": '`gsd_front.test(...).plot("robustness")`',
    "plots.plot_gsd_test": "`gsd_front.test(...).plot()`",
    "plots.plot_hasse_figure": '`df.moo.posets(...).depth().plot("orders")`',
    "plots.plot_hypervolume": "`df.moo.hypervolume(...).plot()`",
    "plots.plot_navigation": "`choice.navigate(...).plot()`",
    "plots.plot_null_distribution": "`df.moo.hv_test(...).plot()`",
    "plots.plot_overtuning": "`df.moo.gap(...).overtuning().plot()`",
    "plots.plot_pair_counts": "`df.moo.posets(...).plot()`",
    "plots.plot_pairs": '`choice.plot("pairs")`',
    "plots.plot_paths": "`copa_nb.papers.copa.paths.plot_paths`",
    "plots.plot_possible_choices": "`possible_choices.plot()`",
    "plots.plot_power": "`copa_nb.power(...).plot()`",
    "plots.plot_runs": '`df.moo.hv_test(...).plot("runs")`',
    "plots.plot_scaled_performance": '`df.moo.mean_ranks(...).plot("scaled")`',
    "plots.plot_selection": '`choice.plot("ranks")`',
    "plots.plot_stability": "`choice.stability(...).plot()`",
    "plots.plot_sweep": "`copa_nb.papers.copa.paths.plot_sweep`",
    "plots.plot_system_comparison": "`df.moo.compare(new, baseline).plot()`",
    "plots.plot_tiers": "`df.moo.board(...).plot()`",
    "plots.plot_verdicts": "`gap.compare(other).plot()` of gaps with repetitions",
    "plots.plot_weight_regions": "`choice.sensitivity(...).plot()`",
    "plots.shared_legend": "`copa_nb.plotting.axes.shared_legend`",
    # Further pictures of one result.
    "DepthResult.plot_figure": '`depths.plot("orders")`',
    "GsdTest.plot_robustness": '`test.plot("robustness")`',
    "MeanRanks.plot_scaled": '`mean_ranks.plot("scaled")`',
    "PosetSample.plot_figure": '`sample.plot("orders")`',
}


def instead_of(name: str, owner: str = "") -> str:
    """Say, as a sentence, what is written now in place of an old name; nothing if it never was one.

    Parameters
    ----------
    name : str
        The name that was not found.
    owner : str
        Class of the result, or module, that was asked for it, or "moo"; empty for names of both the package and
        ``df.moo``.

    Examples
    --------
    >>> instead_of("frnt")
    ''
    """
    line = NOW_WRITTEN.get(f"{owner}.{name}" if owner else name)
    return f" It is written {line} now." if line else ""
