"""What a validation front is worth on test: gaps, budgets, repetitions, resampled test sets, comparisons."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import attributes_of

BOTH = {"precision": "max", "recall": "max"}
ORIGIN = {"precision": 0, "recall": 0}
GAP = ("summary", "reference", "validation_front", "optimistic", "pessimistic")
REPEATS = ("table", "summary", "share_with_gap", "reference", "kind")
COMPARISON = ("table", "verdicts")


def _asked(verb: str, frame: pd.DataFrame, *args: Any, **options: Any) -> Any:
    # Precision is no column of these tables, only val_precision is.
    return called(verb, frame, *args, bound=False, **options)


def _one_search(method: str = "forest") -> pd.DataFrame:
    runs = tables.searches()
    return runs[(runs["method"] == method) & (runs["split"] == 0)]


@case()
def gap_by_ties() -> dict[str, Any]:
    runs = datasets.load_german_credit_authors_search()
    options: dict[str, Any] = {"objectives": BOTH, "reference": ORIGIN, "keep": "bounds"}
    found = _asked("gap", runs[runs["search"] == 200], by="model", **options)
    compared = found["random forest"].compare(found["linear model"])
    return {**{str(name): attributes_of(one, "table", "n_ties") for name, one in found.items()},
            "compared": attributes_of(compared, "table", "undecided")}  # fmt: skip


@case()
def gap_by_and_repeat() -> dict[str, Any]:
    runs = tables.searches()
    options = {"objectives": BOTH, "reference": ORIGIN}
    by_method = _asked("gap", runs, by="method", **options)
    repeats = _asked("gap", runs, by="method", repeat="split", **options)
    alone = _asked("gap", runs[runs["method"] == "linear"], repeat=["split"], **options)
    return {
        "by method": attributes_of(by_method, gaps=by_method.collect("gap"), table=by_method.table),
        **{str(method): attributes_of(one, *REPEATS) for method, one in repeats.items()},
        "splits": attributes_of(
            alone,
            *REPEATS,
            interval=alone.interval("hv_optimistic", confidence_level=0.8, resplit_ratio=0.5),
            summarize=alone.repeats(confidence_level=0.9, resplit_ratio=0.25),
        ),
    }


@case("GapBudgets")
def gap_budgets() -> dict[str, Any]:
    runs = tables.searches()
    options = {"objectives": BOTH, "reference": ORIGIN, "order": "step"}
    attributes = ("curves", "table", "spread")
    one = _asked("gap", _one_search(), **options).budgets([5, 10, 40])
    repeated = _asked("gap", runs, by="method", repeat="split", **options).budgets([10, 40])
    constrained = _asked("gap", _one_search("linear"), objectives=BOTH, where="val_precision > 0.2", keep="first")
    return {
        "one search": attributes_of(one, *attributes),
        "methods and splits": attributes_of(repeated, *attributes, of_repeat=repeated.of_repeat(1)),
        "constraint": attributes_of(constrained.budgets([10, 30]), *attributes),
    }


@case()
def gap_bootstrap() -> dict[str, Any]:
    rng = np.random.default_rng(32)
    runs = _one_search().reset_index(drop=True)
    truth = rng.integers(0, 2, 60)
    right = rng.uniform(size=(len(runs), 60)) < 0.75
    predictions = pd.DataFrame(np.where(right, truth, 1 - truth), index=runs.index)
    options: dict[str, Any] = {"objectives": BOTH, "reference": ORIGIN}
    drawn: dict[str, Any] = {"n_resamples": 60, "rng": 3}
    result = asked.gap(runs, **options)
    scores = pd.DataFrame(right, index=runs.index).astype(float)
    alone = asked.gap(runs, keep="first", **options)
    metrics = {"precision": "accuracy", "recall": lambda true, said_so: float((true == said_so).mean())}
    found = {
        "precision and recall": result.bootstrap(predictions, truth, **drawn),
        "means": alone.bootstrap(scores, metrics=dict.fromkeys(BOTH, "mean"), **drawn),
        "accuracy and a function": result.bootstrap(predictions, truth, metrics, **drawn),
    }
    return {
        name: attributes_of(one, *REPEATS, estimate=one.estimate.summary, interval=one.interval())
        for name, one in found.items()
    }


@case("GapComparison", "RepeatedComparison")
def compare_gaps() -> dict[str, Any]:
    runs = tables.searches()
    options = {"objectives": BOTH, "reference": ORIGIN, "by": "method"}
    gaps = asked.gap(runs, **options)
    repeats = asked.gap(runs, repeat="split", **options)
    one = gaps["forest"].compare(gaps["linear"], names=("forest", "linear"))
    many = repeats["forest"].compare(repeats["linear"], names=("forest", "linear"))
    unnamed = gaps["linear"].compare(gaps["linear"])
    return {
        "forest and linear": attributes_of(
            one, "table", "numbers", verdicts=[str(verdict) for verdict in one.verdicts]
        ),
        "repeated": attributes_of(
            many, *COMPARISON, dominance=str(many.dominance), hypervolume=many.hypervolume.better
        ),
        "with itself": attributes_of(unnamed, "table", better=[verdict.better for verdict in unnamed.verdicts]),
    }


@case()
def gaps_on_german_credit() -> dict[str, Any]:
    runs = datasets.load_german_credit_runs()
    runs = runs[datasets.nondegenerate(runs) & runs["configuration"].lt(200)]
    forest = runs[(runs["model"] == "random forest") & (runs["seed"] == 1337)].set_index("configuration")
    options: dict[str, Any] = {"objectives": BOTH, "reference": ORIGIN}
    predictions, truth = datasets.load_german_credit_predictions("random forest", 1337)
    resampled = asked.gap(forest, **options).bootstrap(predictions, truth, n_resamples=40, rng=1)
    repeats = asked.gap(runs, by="model", repeat="seed", **options)
    compared = next(iter(repeats.compare().values()))
    return {
        "forest": attributes_of(asked.gap(forest, **options), *GAP),
        "budgets": attributes_of(asked.gap(forest, **options).budgets([40, 100]), "table"),
        "bootstrap": attributes_of(resampled, "summary", "share_with_gap"),
        "repeats": {name: attributes_of(one, "table", "summary") for name, one in repeats.items()},
        "compared": attributes_of(compared, *COMPARISON),
        "objectives": runs.attrs["moo"]["objectives"],
    }
