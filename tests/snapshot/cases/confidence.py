"""How sure a choice is: resampled populations and seeds, regions of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.over_runs import over_runs
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import attributes_of

STABILITY = ("chosen", "table")
SENSITIVITY = ("intervals", "factor", "rival", "rival_weights", "regions", "best_share")


@case("Stability")
def stability_over_the_population() -> dict[str, Any]:
    models = tables.models()
    options = {"n_resamples": 200, "rng": 7}
    found = {
        "three": called("copa", models, objectives=tables.THREE).stability(**options),
        "p = 1, weights": called("copa", models, objectives=tables.THREE, p=1, weights={"co2": 0.7}).stability(
            **options
        ),
        "constraint": called("copa", models, objectives=tables.THREE, where="latency > 12").stability(**options),
        "min-max": called("copa", models, objectives=tables.TWO, normalize="minmax", p=1).stability(**options),
        "relative": called("copa", models, objectives=tables.TWO, normalize="relative", p=1).stability(**options),
        "against a row": called(
            "copa", models, objectives=tables.TWO, normalize="relative", reference="m04", p=1
        ).stability(**options),
        "omit": called("copa", tables.gappy(), objectives=tables.THREE, nan_policy="omit").stability(**options),
        "of a selection": asked.copa(models, objectives=tables.FIVE, p=2).stability(**options),
        "generator": asked.copa(models, objectives=tables.TWO).stability(n_resamples=50, rng=np.random.default_rng(9)),
        "domainbed": datasets.load_domainbed().moo.copa().stability(**options),
    }
    return {name: attributes_of(one, *STABILITY) for name, one in found.items()}


@case()
def stability_over_seeds() -> dict[str, Any]:
    runs = tables.training_runs()
    options = {"objectives": tables.THREE, "system": "model", "repeat": "seed", "n_resamples": 150, "rng": 8}
    fitted = copa_nb.Reference.fit(tables.models(), objectives=tables.THREE)
    found = {
        "seeds": over_runs(runs, **options),
        "paired": over_runs(runs, paired=True, **options),
        "both": over_runs(runs, over="both", **options),
        "both, min-max": over_runs(runs, over="both", normalize="minmax", **options),
        "constraint": over_runs(runs, where="latency < 25", **options),
        "frozen": over_runs(runs, reference=fitted, **options),
        "of a selection": over_runs(
            runs, objectives=tables.THREE, system="model", repeat="seed", n_resamples=100, rng=3
        ),
    }
    return {name: attributes_of(one, *STABILITY) for name, one in found.items()}


@case()
def stability_by_group() -> dict[str, Any]:
    grouped = called("copa", tables.models(), objectives=tables.TWO, by="family").each(
        "stability", n_resamples=60, rng=2
    )
    return {str(group): attributes_of(one, *STABILITY) for group, one in grouped.items()}


@case("Sensitivity")
def sensitivity() -> dict[str, Any]:
    models = tables.models()
    options = {"n_weights": 500, "rng": 4}
    found = {
        "two": called("copa", models, objectives=tables.TWO).sensitivity(**options),
        "three": called("copa", models, objectives=tables.THREE).sensitivity(**options),
        "three, p = 2, weights": called(
            "copa", models, objectives=tables.THREE, p=2, weights={"co2": 0.6}, where="latency > 6"
        ).sensitivity(**options),
        "five": called("copa", models, objectives=tables.FIVE).sensitivity(**options),
        "five, p = 1": called("copa", models, objectives=tables.FIVE, p=1).sensitivity(**options),
        "min-max": called("copa", models, objectives=tables.THREE, normalize="minmax", p=2).sensitivity(**options),
        "omit": called("copa", tables.gappy(), objectives=tables.TWO, nan_policy="omit").sensitivity(**options),
        "of a selection": asked.copa(models, objectives=tables.FIVE, weights={"f1": 0.0}).sensitivity(**options),
        "domainbed": datasets.load_domainbed().moo.copa().sensitivity(**options),
    }
    parts = {name: attributes_of(one, *SENSITIVITY) for name, one in found.items()}
    grouped = called("copa", models, objectives=tables.TWO, by="family", p=1).each("sensitivity", **options)
    return parts | {f"family {group}": attributes_of(one, *SENSITIVITY) for group, one in grouped.items()}
