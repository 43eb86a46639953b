"""Fronts, ranks and searches that are measured with error, and fronts as sets."""

from __future__ import annotations

from typing import Any

import pandas as pd

from copa_nb import datasets
from tests import asked
from tests.asked import scores_after_choice
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import attributes_of

BOTH = {"precision": "max", "recall": "max"}
RUNS = {"objectives": tables.THREE, "system": "model", "repeat": "seed", "n_resamples": 200}
ON_SEEDS = {"objectives": tables.TWO, "system": "model", "item": "seed"}
IN_PAIRS_AND_AT_WORST = ("pairwise", "bounds")


def _incomplete(runs: pd.DataFrame) -> pd.DataFrame:
    """Some of the runs are missing."""
    return runs[runs.reset_index().index % 9 != 4]


@case("confident_front", "ConfidentFront")
def confident_front() -> dict[str, Any]:
    runs = tables.training_runs()
    found = {
        "runs": called("confident_front", runs, **RUNS),
        "items": called(
            "confident_front", runs, objectives=tables.TWO, system="model", item="seed", n_resamples=200, rng=3
        ),
        "errors": called(
            "confident_front",
            tables.models(),
            objectives=tables.TWO,
            standard_error={"accuracy": "f1"},
            n_resamples=200,
        ),
    }
    found |= {
        policy: called("confident_front", _incomplete(runs), **ON_SEEDS, nan_policy=policy, n_resamples=200)
        for policy in IN_PAIRS_AND_AT_WORST
    }
    return {name: attributes_of(one, "table", "alpha", "measured") for name, one in found.items()}


@case("board", "Board", "cheaper", "Cheaper")
def board_and_cheaper() -> dict[str, Any]:
    runs = tables.training_runs()
    return {
        "tiers": attributes_of(called("board", runs, **RUNS), "table", "may_be_first"),
        "one objective": attributes_of(called("board", runs, **{**RUNS, "objectives": {"accuracy": "max"}}), "table"),
        "equivalents": attributes_of(
            called("cheaper", tables.models(), "m04", cost="co2", objectives=tables.TWO,
                  margin={"accuracy": 0.2}), "table", "best",
        ),
        "routes": called(
            "cheaper", pd.concat(dict.fromkeys(["chat", "code"], tables.models()), names=["kind"]).reset_index("kind"),
            "m04", objectives=tables.TWO, by="kind", margin={"accuracy": 0.2},
        ).routes(),
        **{
            policy: attributes_of(
                called("board", _incomplete(runs), **ON_SEEDS, nan_policy=policy, n_resamples=200),
                "table", "may_be_first",
            )
            for policy in IN_PAIRS_AND_AT_WORST
        },
    }  # fmt: skip


@case("compare", "Comparison", "Needed", "Intervals")
def on_the_same_items() -> dict[str, Any]:
    runs = tables.training_runs()
    first, *_, last = runs["model"].unique()
    items = {"objectives": tables.TWO, "system": "model", "item": "seed"}
    two = {**items, "new": last, "baseline": first}
    return {
        "two systems": attributes_of(called("compare", runs, **two), "table", "verdict"),
        "items needed": attributes_of(called("compare", runs, **two).needed(), "table", "n_items"),
        "after the choice": attributes_of(scores_after_choice(runs, n_resamples=1000, **items), "table", "best"),
    }


@case("attainment", "Attainment", "Indicators", "Overtuning")
def fronts_as_sets() -> dict[str, Any]:
    runs = tables.training_runs()
    sides = {"objectives": tables.TWO, "system": "model", "repeat": "seed"}
    which = ["hypervolume", "igd+", "epsilon", "r2"]
    alone = asked.attainment(runs, objectives=tables.TWO, repeat="seed")
    three = asked.attainment(runs, objectives=tables.THREE, repeat="seed")
    lost = asked.gap(tables.searches(), objectives=BOTH, by=["method", "split"]).overtuning()
    return {
        "attainment": attributes_of(called("attainment", runs, **sides), "table"),
        "ranks": attributes_of(called("attainment", runs, normalize="cdf", **sides), "table"),
        "indicators": attributes_of(alone.indicators(which), "table", "reference"),
        "three": attributes_of(three.indicators(["r2"]), "table"),
        "overtuning": attributes_of(lost, "table"),
    }


@case("gsd_front", "GsdFront", "GsdTest")
def stochastic_dominance() -> dict[str, Any]:
    suite = datasets.load_uci_classifiers()
    suite = suite[suite["classifier"].isin(sorted(suite["classifier"].unique())[:4])]
    front = asked.gsd_front(suite, system="classifier", item="dataset", ordinal=["auc"], progress=False)
    test = front.test(sorted(suite["classifier"].unique())[0], n_resamples=30)
    return {
        "front": attributes_of(front, "statistics", "front", "table"),
        "test": attributes_of(test, "pvalue", "table"),
    }
