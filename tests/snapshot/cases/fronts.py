"""Fronts, layers, scales, hypervolumes and frozen populations."""

from __future__ import annotations

from typing import Any

import pandas as pd

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import plain, said, summary

POLICIES = ("omit", "worst")


@case("front")
def front() -> dict[str, Any]:
    models = tables.models()
    return {
        "two": plain(called("front", models, objectives=tables.TWO)),
        "first of equals": plain(called("front", models, objectives=tables.THREE, keep="first").index),
        "all of equals": plain(called("front", models, objectives=tables.THREE).index),
        "five": plain(called("front", models, objectives=tables.FIVE).index),
        "by family": plain(called("front", models, objectives=tables.TWO, by="family").index),
        "infinite": plain(called("front", tables.boundless(), objectives=tables.THREE).index),
        "one objective": plain(called("front", models, objectives={"f1": "max"}).index),
        **{
            policy: plain(called("front", tables.gappy(), objectives=tables.THREE, nan_policy=policy).index)
            for policy in POLICIES
        },
    }


@case("layers")
def first_layers() -> dict[str, Any]:
    gappy = tables.gappy()
    return {
        "three": plain(called("layers", tables.models(), 1, objectives=tables.THREE)),
        "two of three": plain(called("layers", tables.models(), 2, objectives=tables.THREE)),
        "by family and accuracy": plain(called("layers", gappy.dropna(), 1, objectives=tables.TWO, by=["family"])),
        **{policy: plain(called("layers", gappy, 1, objectives=tables.TWO, nan_policy=policy)) for policy in POLICIES},
        "domainbed": plain(datasets.load_domainbed().moo.layers(1)),
        "leaderboard": summary(datasets.load_open_llm_leaderboard().moo.layers(1).to_frame()),
    }


@case("front", "layers")
def long_fronts() -> dict[str, Any]:
    parts = {}
    for rows, objectives, digits in ((30_000, 2, 6), (30_000, 3, 2), (6_000, 3, 6), (1_500, 5, 1), (1_500, 5, 6)):
        table = tables.many(11, rows, objectives, digits)
        found = asked.layers(table, 1, objectives=tables.costs(objectives))
        first = asked.front(table, objectives=tables.costs(objectives), keep="first")
        rows_found = (found.to_numpy() == 1).nonzero()[0]
        parts[f"{rows} rows, {objectives} objectives, {digits} digits"] = {
            "front": plain(rows_found),
            "first of equals": len(first),
        }
    layers = asked.layers(tables.many(12, 3_000, 3, 2), objectives=tables.costs(3))
    return parts | {"layers": summary(layers.to_frame())}


@case("layers")
def layers() -> dict[str, Any]:
    gappy = tables.gappy()
    return {
        "three": plain(called("layers", tables.models(), objectives=tables.THREE)),
        "by family": plain(called("layers", tables.models(), objectives=tables.TWO, by="family")),
        "infinite": plain(called("layers", tables.boundless(), objectives=tables.THREE)),
        **{policy: plain(called("layers", gappy, objectives=tables.THREE, nan_policy=policy)) for policy in POLICIES},
    }


@case("Objectives")
def define() -> dict[str, Any]:
    defined = tables.models().moo.define({"accuracy": "max"}, co2="min")
    objectives = copa_nb.results.Objectives.of(tables.THREE)
    return {
        "attrs": plain(defined.attrs),
        "accessor": [repr(tables.models().moo), repr(defined.moo), repr(defined.moo(latency="min"))],
        "objectives": [repr(objectives), plain(objectives.names), plain(objectives.to_dict())],
        "signs": plain(objectives.signs),
        "after a query": plain(defined.query("co2 < 3").moo.define(f1="max").attrs),
    }


@case("normalize")
def normalize() -> dict[str, Any]:
    models = tables.models(rows=12)
    table = {
        how: plain(called("normalize", models, objectives=tables.THREE, method=how))
        for how in ("cdf", "minmax", "relative")
    }
    scores = {"accuracy": "max", "f1": "max", "co2": "min"}
    return table | {
        "none": plain(called("normalize", models, objectives=scores, method="none")),
        "none, in per cent": plain(asked.normalize(datasets.load_domainbed(), method="none")),
        "relative to a row": plain(
            called("normalize", models, objectives=tables.THREE, method="relative", reference="m04")
        ),
        "by family": plain(called("normalize", models, objectives=tables.TWO, by="family")),
        "infinite": plain(called("normalize", tables.boundless(), objectives=tables.THREE)),
        **{
            policy: plain(called("normalize", tables.gappy(), objectives=tables.THREE, nan_policy=policy))
            for policy in POLICIES
        },
        "relative to single tasks": plain(asked.normalize(datasets.load_mtl_qm9(), method="relative", reference="STL")),
        "long": summary(asked.normalize(tables.many(13, 15_000, 3, 4), objectives=tables.costs(3))),
    }


@case("normalize", "Reference")
def reference() -> dict[str, Any]:
    models, new = tables.models(), tables.models(seed=21, rows=8)
    fitted = copa_nb.Reference.fit(models, objectives=tables.THREE)
    given = copa_nb.Reference.fit(models, objectives=tables.TWO, reference_point={"accuracy": 0.4, "co2": 20})
    infinite = copa_nb.Reference.fit(tables.boundless(), objectives=tables.THREE)
    again = copa_nb.Reference.from_dict(fitted.to_dict())
    return {
        "worst": said(fitted, "reference_point", "values", "source"),
        "given": said(given, "reference_point"),
        "infinite": said(infinite, "reference_point", place=infinite.place(new)),
        "place": plain(fitted.place(new)),
        "place, omit": plain(fitted.place(tables.gappy(rows=12), nan_policy="omit")),
        "read again": plain(again.place(new)),
        "format": fitted.to_dict()["format"],
        "omit": said(copa_nb.Reference.fit(tables.gappy(), objectives=tables.TWO, nan_policy="omit"), "values"),
        **{
            how: plain(called("normalize", new, objectives=tables.THREE, method=how, reference=fitted))
            for how in ("cdf", "minmax", "relative")
        },
    }


@case("hypervolume", "Hypervolume")
def hypervolume() -> dict[str, Any]:
    models = tables.models()
    attributes = ("value", "reference", "exact", "method", "n_front", "n_beyond", "table")
    point = {"accuracy": 0.5, "co2": 8.0, "latency": 25}
    fitted = copa_nb.Reference.fit(models, objectives=tables.THREE)
    found = {
        "two": called("hypervolume", models, objectives=tables.TWO),
        "three": called("hypervolume", models, objectives=tables.THREE),
        "four": called("hypervolume", models, objectives={**tables.THREE, "f1": "max"}),
        "five": called("hypervolume", models, objectives=tables.FIVE),
        "one": called("hypervolume", models, objectives={"co2": "min"}),
        "wide margin": called("hypervolume", models, objectives=tables.THREE, reference_margin=0.5),
        "given point": called("hypervolume", models, objectives=tables.THREE, reference=point),
        "frozen point": called("hypervolume", models.iloc[:9], objectives=tables.THREE, reference=fitted),
        "infinite": called(
            "hypervolume", tables.boundless().drop("m05"), objectives=tables.TWO, reference={"accuracy": 0, "co2": 9}
        ),
        "omit": called("hypervolume", tables.gappy(), objectives=tables.THREE, nan_policy="omit"),
        "approximated": asked.hypervolume(tables.many(14, 300, 9, 3), objectives=tables.costs(9)),
        "synthetic": datasets.synthetic_front(500).moo.hypervolume(reference={"y1": 0.25, "y2": 4}),
    }
    return {name: said(one, *attributes) for name, one in found.items()}


@case("hypervolume")
def hypervolume_by_group() -> dict[str, Any]:
    grouped = called("hypervolume", tables.models(), objectives=tables.THREE, by="family")
    several = asked.hypervolume(
        tables.system_runs(2),
        objectives=tables.costs(2),
        by=["task", "system"],
        reference=dict.fromkeys(tables.costs(2), 2),
    )
    leaderboard = datasets.load_open_llm_leaderboard()
    return {
        "family": said(grouped, values=grouped.collect("value")),
        "table": plain(grouped.table),
        "task and system": plain(several.collect("value")),
        "leaderboard": plain(asked.hypervolume(leaderboard.moo(average="max", co2_kg="min"), by="type").collect(float)),
    }


@case()
def rank_intervals() -> dict[str, Any]:
    models = tables.models(rows=12)
    fitted = copa_nb.Reference.fit(tables.models(seed=22), objectives=tables.TWO)
    return {
        "three": plain(called("copa", models, objectives=tables.THREE).rank_intervals()),
        "by family": plain(
            pd.concat(dict(called("copa", models, objectives=tables.TWO, by="family").each("rank_intervals")))
        ),
        "frozen": plain(called("copa", models, objectives=tables.TWO, reference=fitted).rank_intervals(0.9)),
        "all at once": plain(called("copa", models, objectives=tables.TWO).rank_intervals(simultaneous=True)),
        "omit": plain(called("copa", tables.gappy(), objectives=tables.TWO, nan_policy="omit").rank_intervals()),
    }
