"""What is refused, and in which words: a message that names another place or argument is a change, too."""

from __future__ import annotations

from typing import Any

import pandas as pd

import copa_nb
from copa_nb import datasets
from copa_nb.results import Preferences
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import case, refusal

TWO = tables.TWO


@case()
def refused_tables() -> dict[str, Any]:
    models, gappy = tables.models(), tables.gappy()
    calls = {
        "no objectives": lambda: models.moo.front(),
        "not a frame": lambda: asked.front([1, 2], objectives=TWO),
        "unknown column": lambda: models.moo(acuracy="max"),
        "unknown direction": lambda: models.moo(accuracy="up"),
        "text": lambda: asked.front(models, objectives={"family": "max"}),
        "missing": lambda: asked.copa(gappy, objectives=tables.THREE),
        "empty": lambda: asked.copa(models.iloc[:0], objectives=TWO),
        "unknown policy": lambda: asked.layers(models, objectives=TWO, nan_policy="drop"),
        "unknown group": lambda: asked.front(models, objectives=TWO, by="famly"),
        "define": lambda: models.moo.define(),
        "unknown table": lambda: datasets.load_bundled("mtl_qm8"),
        "unknown batch": lambda: datasets.load_agents("0614"),
        "no public file": lambda: datasets.fetch("agents_0409"),
    }
    return {name: refusal(call) for name, call in calls.items()}


@case()
def refused_options() -> dict[str, Any]:
    models = tables.models().moo.define(TWO)
    calls = {
        "p": lambda: models.moo.copa(p=0.5),
        "weights": lambda: models.moo.copa(weights={"co2": -1}),
        "weight of another": lambda: models.moo.copa(weights={"latency": 0.5}),
        "nobody left": lambda: models.moo.copa(where="co2 < 0"),
        "a call": lambda: models.moo.copa(where="abs(co2) < 2"),
        "normalize": lambda: models.moo.copa(normalize="rank"),
        "in a group": lambda: asked.copa(models.assign(co2=1.0), normalize="minmax", by="family"),
        "constant": lambda: asked.normalize(models.assign(co2=1.0), method="minmax"),
        "reference": lambda: models.moo.hypervolume(reference={"accuracy": 0}),
        "importances": lambda: models.moo.copa().navigate("co2", importances=[0.5, 0.1]),
        "objective": lambda: models.moo.copa().navigate("latency"),
        "criteria": lambda: models.moo.copa().criteria(["average"]),
        "over": lambda: models.moo.copa().stability(over="runs"),
        "statement": lambda: Preferences.from_statements(models.moo.description["objectives"], "accuracy is important"),
        "rng": lambda: models.moo.copa().stability(rng="one"),
        "other reference": lambda: asked.copa(models, objectives=tables.THREE, reference=copa_nb.Reference.fit(models)),
    }
    return {name: refusal(call) for name, call in calls.items()}


@case()
def refused_runs() -> dict[str, Any]:
    runs, objectives = tables.system_runs(), tables.costs(2)
    sides: dict[str, Any] = {"system": "system", "repeat": "seed", "new": "new", "baseline": "old"}
    sort = runs[runs["task"] == "sort"]
    searches = tables.searches().head(10)
    both = {"precision": "max", "recall": "max"}
    calls = {
        "repeated runs": lambda: asked.hv_test(runs, objectives=objectives, **sides),
        "unknown system": lambda: asked.hv_test(sort, objectives=objectives, **{**sides, "new": "newer"}),
        "on both sides": lambda: asked.hv_test(sort, objectives=objectives, **{**sides, "new": "old"}),
        "not matched": lambda: asked.hv_test(sort.iloc[1:], objectives=objectives, paired=True, **sides),
        "claims": lambda: asked.audit(sort, objectives=objectives, system="system", claims=[("new",)]),
        "noise": lambda: copa_nb.power(),
        "prefix": lambda: asked.gap(searches, objectives=both, validation="cv_"),
        "budget": lambda: asked.gap(searches, objectives=both).budgets([20]),
        "bootstrap": lambda: asked.gap(searches, objectives=both).bootstrap(pd.DataFrame()),
        "gaps": lambda: asked.gap(searches, objectives=both).compare(2),
        "repeats of an item": lambda: asked.posets(runs, system="system", item="task", objectives=objectives),
        "a single item": lambda: asked.posets(runs.head(3), system="system", item="seed", objectives=objectives),
        "report name": lambda: copa_nb.report("selekt"),
    }
    return {name: refusal(call) for name, call in calls.items()}
