"""BibTeX: an entry for each method, and the one place where references are typed twice agrees with itself."""

import re
from pathlib import Path

import pytest

import copa_nb
from copa_nb import citations, datasets
from copa_nb.accessor import VERBS, PandasMoo
from copa_nb.results import citing
from copa_nb.results.result import Result
from tests import everything
from tests.plot_functions import plot_functions

# Public names by the paper that they are of; of no paper are, among others, fronts and hypervolumes.
CITED = {
    "rodemann2024partial": ("Agreement Consensus DepthResult PosetSample SuiteComparison SuiteReview posets"),
    "grunert2001attainment": "Attainment attainment",
    "boyi2026significance": ("Audit HypervolumeTest Needed NoiseModel Power Reporting RunsNeeded audit hv_test power"),
    "mogstad2024ranks": "Board BoardChanges Forecast board",
    "romano2005stepdown": "Cheaper ConfidentFront cheaper confident_front",
    "javaloy2025copa": (
        "Criteria Elicitation MeanRanks Navigation PossibleChoices Preferences Reference "
        "Intervals Selection Sensitivity Stability copa mean_ranks normalize"
    ),
    "demsar2006comparisons": "FriedmanTest",
    "feurer2023gap": ("Gap GapBudgets GapComparison RepeatedComparison gap"),
    "jansen2024gsd": "GsdFront GsdTest gsd_front",
    "schneider2025overtuning": "Overtuning",
    "tango1998equivalence": "Comparison compare",
}
CITED_PLOTS = {
    "rodemann2024partial": "plot_depth plot_hasse_figure plot_pair_counts",
    "boyi2026significance": (
        "plot_audit plot_confident_front plot_null_distribution plot_power plot_runs plot_system_comparison"
    ),
    "javaloy2025copa": (
        "plot_agreement plot_barcode plot_bump plot_ccdf plot_critical_difference plot_ecdf "
        "plot_ecdf_figure plot_pairs plot_parallel plot_paths plot_possible_choices "
        "plot_scaled_performance plot_selection plot_stability plot_sweep plot_tiers plot_weights"
    ),
    "feurer2023gap": (
        "plot_gap plot_gap_budget plot_gap_comparison plot_gap_repeats plot_gap_repeats_figure plot_overtuning "
        "plot_verdicts"
    ),
    "jansen2024gsd": "plot_gsd_front plot_gsd_robustness plot_gsd_test",
}
CITATION = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")


def test_a_verb_a_function_and_a_result_give_the_same_entry():
    pick = datasets.load_domainbed().moo.copa()
    assert citations("copa") == citations(PandasMoo.copa) == citations(pick)
    assert citations("copa") == citations(datasets.load_domainbed().moo.copa) == citations(type(pick))
    assert "2503.14321" in citations(pick)


def test_every_result_and_verb_of_a_paper_names_it():
    for public, cited in ((everything.public(), CITED), (plot_functions(), CITED_PLOTS)):
        keys = {name: getattr(one, "paper", "") for name, one in public.items()}
        expected = {name: key for key, names in cited.items() for name in names.split()}
        assert {name: key for name, key in keys.items() if isinstance(key, str) and key} == expected


def test_every_paper_that_is_named_has_an_entry():
    keys = {*CITED, *CITED_PLOTS, *(kind.paper for kind in kinds_of(Result))} - {""}
    assert keys == {key for key, entry in citing._entries().items() if not citing._keywords(entry)}


def kinds_of(kind):
    """All classes that are derived from one, and were imported."""
    return {kind, *(each for derived in kind.__subclasses__() for each in kinds_of(derived))}


def test_further_methods_name_verbs_and_results_that_there_are():
    used = {key: citing._keywords(entry) for key, entry in citing._entries().items()}
    public = {*copa_nb.__all__, *VERBS, *everything.public()}
    assert {name for names in used.values() for name in names} <= public


def test_what_a_verb_uses_besides_its_paper_is_cited_with_it():
    assert "2411.00640" in citations("compare")
    assert "Multiple Comparisons with the Best" in citations("board")
    assert citations(copa_nb.results.Board) == citations("board")
    assert "Hsu" not in citations("confident_front")
    assert citing.reference("board").startswith("Mogstad"), "the paper alone, in short"


def test_every_verb_can_be_cited():
    for name in copa_nb.__all__:
        assert "@software{copa_nb" in citations(name)


def test_what_is_used_twice_is_cited_once():
    assert citations("copa", "normalize", "gap").count("@") == 3


def test_entries_say_what_the_citation_file_says():
    titles = [re.sub(r"[{}]", "", title) for title in re.findall(r"title = \{(.*)\},", citations())]
    for title in titles:
        assert title.replace("\\_", "_") in CITATION


def test_braces_close():
    assert citations().count("{") == citations().count("}")


@pytest.mark.parametrize("wrong", ["cop", 3, print, str.join])
def test_what_is_not_ours_is_refused(wrong):
    with pytest.raises(ValueError, match="`used`"):
        citations(wrong)


def test_every_paper_is_named_in_short():
    """As ``references.bib`` has them: three names at most, and the most lasting address that it has."""
    short = {citing.reference(one) for one in everything.public().values()}
    assert short == {
        "",
        "Demšar (2006), Journal of Machine Learning Research",
        "Feurer et al. (2023), doi:10.1007/978-3-031-30047-9_11",
        "Grunert da Fonseca, Fonseca and Hall (2001), Evolutionary Multi-Criterion Optimization",
        "Jansen et al. (2024), arXiv:2406.03924",
        "Javaloy, Vergari and Valera (2025), arXiv:2503.14321",
        "Mogstad et al. (2024), Review of Economic Studies",
        "Rodemann and Blocher (2024), arXiv:2402.16565",
        "Romano and Wolf (2005), Journal of the American Statistical Association",
        "Schneider, Bischl and Feurer (2025), arXiv:2506.19540",
        "Tango (1998), Statistics in Medicine",
        "boyi (2026), clawrxiv:2604.01959",
    }
    assert citing.reference("copa").startswith("Javaloy")
    assert citing.reference(PandasMoo.hv_test).startswith("boyi")
    assert citing.reference("read") == ""


def test_without_a_name_all_papers_are_cited_and_the_package_last():
    entries = citations().split("\n\n")
    assert len(entries) == 5 + 1
    assert entries[-1] == (
        "@software{copa_nb,\n"
        "  title = {copa\\_nb: from a table of models and metrics to a defensible decision and a report},\n"
        "  author = {{The copa\\_nb developers}},\n"
        f"  version = {{{copa_nb.__version__}}}\n}}"
    )
    assert citations("gap", "read", "copa").split("\n\n") == [entries[1], entries[0], entries[-1]], "as they come"
