"""Gaps between validation and test, budgets, repetitions, comparisons, overtuning."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import copa_nb
from copa_nb import plots
from copa_nb.generalization.plots import LAYERS
from tests.snapshot import tables
from tests.snapshot.figures.registry import Pictures, on_both, pictures

BOTH = {"precision": "max", "recall": "max"}
OPTIONS: dict[str, Any] = {"objectives": BOTH, "reference": {"precision": 0, "recall": 0}}


def _search(method: str = "forest", rows: int = 40) -> pd.DataFrame:
    runs = tables.searches(rows=rows)
    return runs[(runs["method"] == method) & (runs["split"] == 0)]


@pictures
def gap() -> Pictures:
    runs = _search()
    found = copa_nb.gap(runs, **OPTIONS)
    inside = copa_nb.gap(runs, objectives=BOTH, reference={"precision": 0.3, "recall": 0.3})
    beyond = copa_nb.gap(runs, objectives=BOTH, reference={"precision": 0.99, "recall": 0.99})
    later = tables.models(seed=31)[list(tables.THREE)].to_numpy()
    frame = tables.models()[list(tables.THREE)]
    three = copa_nb.gap(frame, test=(0.5 * frame + 0.5 * later).round(4), objectives=tables.THREE)
    costs = copa_nb.gap(frame, test=(0.9 * frame + 0.1 * later).round(4), objectives={"co2": "min", "latency": "min"})
    infinite = runs.astype({"test_recall": float})
    infinite.loc[infinite.index[[3, 8]], "test_recall"] = -np.inf
    lost = copa_nb.gap(infinite, **OPTIONS)
    same = copa_nb.gap(runs.assign(test_precision=runs["val_precision"], test_recall=runs["val_recall"]), **OPTIONS)
    return {
        "defaults": lambda: found.plot(),
        "arrows": lambda: found.plot(show=["arrows"], legend=False),
        "test": lambda: found.plot(show=["test", "test rows", "hypothetical"]),
        "all layers": lambda: found.plot(show=LAYERS),
        "x": lambda: found.plot(x="recall"),
        "x and y": lambda: three.plot(x="latency", y="accuracy"),
        "three objectives": lambda: three.plot(show=LAYERS),
        "costs": lambda: costs.plot(show=LAYERS),
        "a near reference point": lambda: inside.plot(),
        "nothing inside": lambda: beyond.plot(),
        "infinite": lambda: lost.plot(show=LAYERS),
        "no gap": lambda: same.plot(),
        "one row": lambda: copa_nb.gap(runs.iloc[:1], **OPTIONS).plot(),
    }


@pictures
def gap_budget() -> Pictures:
    runs = tables.searches(rows=24)
    one = copa_nb.gap_budgets(_search(rows=24), [5, 10, 24], order="step", **OPTIONS)
    repeated = copa_nb.gap_budgets(runs, [10, 24], order="step", by="method", repeat="split", **OPTIONS)
    forest = runs[runs["method"] == "forest"]
    splits = copa_nb.gap_budgets(forest, [10, 24], order="step", repeat="split", **OPTIONS)
    methods = copa_nb.gap_budgets(runs[runs["split"] == 0].iloc[::-1], [8], order="step", by="method", **OPTIONS)
    return {
        "defaults": lambda: one.plot(),
        "repeated": lambda: repeated.plot(),
        "log": lambda: one.plot(log=True, legend=False),
        "gap": lambda: one.plot(quantity="gap", marks=False),
        "gap, repeated": lambda: repeated.plot(quantity="gap"),
        "gap, splits": lambda: splits.plot(quantity="gap", log=True),
        "gap, methods": lambda: methods.plot(quantity="gap"),
    }


@pictures
def overtuning() -> Pictures:
    runs, one = tables.searches(rows=24), {"precision": "max"}
    found = copa_nb.overtuning(_search(rows=24), objectives=one, order="step")
    front = copa_nb.overtuning(_search(rows=24), order="step", **OPTIONS)
    repeated = copa_nb.overtuning(runs, objectives=one, by="method", repeat="split", order="step")
    splits = copa_nb.overtuning(runs[runs["method"] == "linear"], objectives=one, repeat="split")
    methods = copa_nb.overtuning(runs[runs["split"] == 0], by="method", order="step", **OPTIONS)
    costs = _search().rename(columns={"val_precision": "val_$cost", "test_precision": "test_$cost"})
    lower = copa_nb.overtuning(costs, objectives={"$cost": "min"})
    return {
        "defaults": lambda: found.plot(),
        "log": lambda: found.plot(log=True, legend=False),
        "front": lambda: front.plot(),
        "repeated": lambda: repeated.plot(),
        "repeated, no legend": lambda: repeated.plot(legend=False, log=True),
        "splits": lambda: splits.plot(),
        "methods": lambda: methods.plot(),
        "costs": lambda: lower.plot(),
    }


@pictures
def gap_repeats() -> Pictures:
    runs = tables.searches()
    found = copa_nb.gap(runs[runs["method"] == "linear"], repeat="split", **OPTIONS)
    many = pd.concat([_search().sample(20, random_state=number).assign(split=number) for number in range(41)])
    histogram = copa_nb.gap(many, repeat="split", **OPTIONS)
    few = copa_nb.gap(many[many["split"] < 40], repeat="split", **OPTIONS)
    search = _search().reset_index(drop=True)
    right = np.random.default_rng(32).uniform(size=(len(search), 60)) < 0.75
    resampled = copa_nb.gap_bootstrap(
        search, predictions=pd.DataFrame(right.astype(float)), metrics=dict.fromkeys(BOTH, "mean"), n_resamples=45,
        rng=3, **OPTIONS,
    )  # fmt: skip
    counted = next(name for name in resampled.table.columns if resampled.table[name].dtype.kind == "i")
    one = copa_nb.gap(runs[(runs["method"] == "linear") & (runs["split"] == 0)], repeat="split", **OPTIONS)
    return {
        "defaults": lambda: found.plot(),
        "overestimation": lambda: found.plot(quantity="overestimation"),
        "a count": lambda: found.plot(quantity=counted),
        "level": lambda: found.plot(level=0.5),
        "resplit": lambda: found.plot(resplit_ratio=0.5),
        "colour": lambda: found.plot(color="#009E73", legend=False),
        "histogram": lambda: histogram.plot(),
        "bins": lambda: histogram.plot(bins=[0, 0.02, 0.05, 0.2], color="#009E73"),
        "40": lambda: few.plot(),
        "bootstrap": lambda: resampled.plot(),
        "bootstrap, a count": lambda: resampled.plot(quantity=counted, bins=5),
        "one": lambda: one.plot(),
    }


@pictures
def gap_comparison() -> Pictures:
    runs = tables.searches()
    gaps = copa_nb.gap(runs, by="method", **{**OPTIONS, "reference": {"precision": 0.1, "recall": 0.1}})
    splits = copa_nb.gap(runs, by="method", repeat="split", **OPTIONS)
    many = pd.concat([runs.sample(60, random_state=number).assign(split=number) for number in range(12)])
    folds = copa_nb.gap(many, by="method", repeat="split", **OPTIONS)
    long = ("forest of the $_family with a long name", "linear")
    one = copa_nb.compare_gaps(gaps["forest"], gaps["linear"], names=("forest", "linear"))
    named = copa_nb.compare_gaps(gaps["forest"], gaps["linear"], names=long)
    repeated = copa_nb.compare_gaps(splits["forest"], splits["linear"], names=long)
    close = copa_nb.compare_gaps(folds["forest"], folds["linear"], names=("forest", "linear"))
    return on_both({"repeated": lambda: repeated.plot(), "close": lambda: close.plot()}) | {
        "one": lambda: one.plot(),
        "long names": lambda: named.plot(),
        "x": lambda: one.plot(x="recall", legend=False),
        "no legend": lambda: plots.plot_verdicts(close, legend=False),
    }  # fmt: skip
