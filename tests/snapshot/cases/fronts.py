"""Descriptions, and intervals of ranks."""

from __future__ import annotations

from typing import Any

import pandas as pd

import copa_nb
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import plain


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
