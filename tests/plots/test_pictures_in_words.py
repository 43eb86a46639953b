"""Every plot of a result says what it shows, in words made of the result."""

import inspect

import pandas as pd
import pytest

from copa_nb import datasets
from copa_nb.plotting.pictures import picture_of
from tests import asked
from tests.contract.results import KINDS
from tests.plot_functions import plot_functions
from tests.plots import pictures
from tests.plots.pictures import check_words

WAYS = {"accuracy": "max", "co2_kg": "min", "ms": "min"}


def _models(*names):
    return pictures.models().moo({name: WAYS[name] for name in names or WAYS})


def _paths():
    view = _models("accuracy", "co2_kg")
    return {p: view.copa(p=p).navigate("co2_kg") for p in (1, "inf")}


def _gaps(n_seeds=1, **options):
    runs = datasets.load_german_credit_runs()
    runs = runs[runs["seed"].isin(runs["seed"].unique()[:n_seeds])]
    corner = {"precision": 0, "recall": 0}
    return asked.gap(runs, by="model", objectives={"precision": "max", "recall": "max"}, reference=corner, **options)


def _compared(gaps):
    return next(iter(gaps.compare().values()))


def _gap():
    return asked.gap(pictures.runs(), objectives={"precision": "max", "recall": "max"})


def _standings():
    table = pd.DataFrame(pictures.spread(36, 37, 61), columns=["auc", "seconds"])
    table = table.assign(tool=list("abcd") * 9, task=[task for task in range(9) for _ in "abcd"])
    return asked.mean_ranks(table.moo(auc="max"), system="tool", item="task", baseline="a")


def _test(**options):
    agents = pictures.agents().assign(run=[0, 1, 2, 3, 4] * 2)
    objectives = {"accuracy": "max", "cost": "min"}
    return asked.hv_test(agents, system="agent", new="new", baseline="old", objectives=objectives, **options)


def _depth():
    return asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").depth()


def _gsd():
    return asked.gsd_front(datasets.load_deepobs(), system="optimizer", item="problem", progress=False)


# By plot: results, each with options; words that must stand in the finding, caption or alternative text.
DRAWN = {
    "plot_front": [
        (lambda: _models("accuracy", "co2_kg").copa(), {}, r"one of \d+ Pareto-optimal rows"),
        (lambda: _models("accuracy", "co2_kg").copa().navigate("co2_kg"), {}, r"weight of CO₂ \(kg\) chooses"),
        (lambda: pictures.models().moo.define(accuracy="max", ms="min"), {}, r"\d+ of 40 rows"),
    ],
    "plot_selection": [(lambda: _models().copa(), {}, "Standing of model 6")],
    "plot_barcode": [
        (lambda: _models().copa().navigate("co2_kg"), {}, r"CO₂ \(kg\) reaches \d+ of \d+ rows"),
        (lambda: _models().copa().navigate("co2_kg"), {"normalizations": ["minmax", "cdf"]}, r"\d+ with ranks"),
    ],
    "plot_ecdf": [
        (lambda: _models().copa(), {"x": "co2_kg"}, "of 40 in CO₂"),
        (lambda: pictures.models().moo.define(**WAYS), {"highlight": ["model 3"]}, "distribution of accuracy over 40"),
    ],
    "plot_ecdf_figure": [
        (lambda: _models().copa(), {}, "its weakest objective"),
        (lambda: pictures.models().moo.define(**WAYS), {"columns": 2}, "3 objectives are distributed"),
    ],
    "plot_pairs": [
        (lambda: _models().copa(), {}, "on the front, model"),
        (lambda: _models().copa(), {"show": ["ms", "accuracy"]}, "ms and accuracy"),
    ],
    "plot_parallel": [
        (lambda: _models().copa(), {"highlight": ["model 3"]}, "model 3"),
        (lambda: pictures.models().moo.define(**WAYS), {"front_only": False}, "Ranks of the rows in 3 objectives"),
    ],
    "plot_stability": [(lambda: _models().copa().stability(n_resamples=50), {}, "in 50 resamples")],
    "plot_bump": [(lambda: datasets.load_domainbed().iloc[:8].moo.copa().criteria(), {"most": 3}, "of 8 rows")],
    "plot_ccdf": [(_standings, {}, "4 tools")],
    "plot_critical_difference": [(lambda: _standings().friedman(), {}, "Mean ranks over 9 tasks")],
    "plot_scaled_performance": [(_standings, {}, "from 0 for a to 1")],
    "plot_tiers": [
        (KINDS["Board"], {}, "the 3 other systems"),
        (KINDS["Board"], {"most": 2, "key": True}, "the first 2 of 4 systems"),
    ],
    "plot_sweep": [(_paths, {}, "evenly with"), (_paths, {"at": [0.25]}, "α = 0.25")],
    "plot_paths": [
        (
            lambda: {p: _models("accuracy", "co2_kg").copa(p=p).navigate("co2_kg") for p in (1, "inf")},
            {"at": [0.5]},
            "stops at",
        )
    ],
    "plot_weights": [
        (lambda: _models("accuracy", "co2_kg").copa().sensitivity(), {}, "of all weights"),
        (lambda: datasets.load_domainbed().moo.copa().sensitivity(n_weights=100), {}, "4 bars|each objective"),
    ],
    "plot_gap": [
        (_gap, {}, "dominated by others on test"),
        (_gap, {"show": ["test rows", "hypothetical"]}, "All rows on test and the front of all rows on test"),
    ],
    "plot_gap_budget": [
        (KINDS["GapBudgets"], {}, "After 20 evaluations"),
        (KINDS["GapBudgets"], {"quantity": "gap"}, "Approximation gap"),
    ],
    "plot_gap_repeats": [
        (lambda: _gaps(3, repeat="seed")["linear model"], {}, "mean approximation gap"),
        (lambda: _gaps(3, repeat="seed")["linear model"], {"quantity": "hv_optimistic"}, "optimistic hypervolume"),
    ],
    "plot_gap_repeats_figure": [
        (lambda: _gaps(3, repeat="seed"), {}, r"mean approximation gap is [\d.]+ \([a-z ]+\) and [\d.]+ \("),
        (lambda: _gaps(3, repeat="seed"), {"most": 1, "quantity": "hv_optimistic"}, "for 1 of 2 systems"),
    ],
    "plot_gap_comparison": [(lambda: _compared(_gaps()), {}, "of random forest and linear model on")],
    "plot_verdicts": [(lambda: _compared(_gaps(3, repeat="seed")), {}, "3 repetitions")],
    "plot_null_distribution": [
        (_test, {}, "under all 252 permutations"),
        (lambda: _test(alternative="greater"), {}, "as large as"),
    ],
    "plot_runs": [(_test, {}, "on average: cost"), (_test, {"x": "cost"}, "accuracy against cost")],
    "plot_audit": [
        (KINDS["Audit"], {}, "of 6 claims"),
        (KINDS["Audit"], {"correction": "runs_pvalue", "statistic": "front"}, "unadjusted"),
    ],
    "plot_power": [
        (KINDS["Power"], {}, "comparison of single runs"),
        (KINDS["Power"], {"statistic": "front"}, "of fronts"),
    ],
    "plot_confident_front": [(KINDS["ConfidentFront"], {"key": True, "labels": ["D"]}, "of 4 systems, 1 on the front")],
    "plot_pair_counts": [(lambda: _depth().sample, {}, "8 problems"), (lambda: _depth().sample.pair_counts, {}, "row")],
    "plot_hasse_figure": [(_depth, {"most": 3}, "deepest 3 of 8"), (lambda: _depth().sample, {}, "8 Hasse diagrams")],
    "plot_gsd_front": [(_gsd, {}, "Keep all 3 optimizers")],
    "plot_gsd_test": [(lambda: _gsd().test("Adam", n_resamples=50), {}, "on the front of 3")],
    "plot_gsd_robustness": [(lambda: _gsd().test("Adam", n_resamples=50), {"most": 2}, "contaminat")],
}
# A relation is no result: it does not know what its items are.
OF_NO_RESULT = {"plot_hasse"}
PLOTS = {name: plot for name, plot in plot_functions().items() if name not in OF_NO_RESULT}


def _drawn(plot):
    """The result that a plot draws, by the annotation of its first parameter."""
    first, *_ = inspect.signature(PLOTS[plot]).parameters.values()
    return KINDS[first.annotation]


DRAWN |= {plot: [(_drawn(plot), {}, ".")] for plot in sorted(PLOTS.keys() - DRAWN.keys())}


def test_only_plots_that_are_there_are_listed():
    assert DRAWN.keys() == PLOTS.keys()


@pytest.mark.parametrize(
    ("plot", "make", "options", "says"),
    [(plot, *case) for plot, cases in DRAWN.items() for case in cases],
    ids=[f"{plot}-{number}" for plot, cases in DRAWN.items() for number in range(len(cases))],
)
def test_words_are_made_of_the_result(plot, make, options, says):
    check_words(picture_of(PLOTS[plot], make(), **options), says)


def test_what_is_said_takes_the_options_of_the_plot():
    for plot, cases in DRAWN.items():
        known = inspect.signature(PLOTS[plot]).parameters
        assert [option for _, options, _ in cases for option in options if option not in known] == []
