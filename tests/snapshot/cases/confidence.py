"""How sure a choice is: resampled populations and seeds, regions of weights."""

from __future__ import annotations

from typing import Any

import numpy as np

import copa_nb
from copa_nb import datasets
from tests.snapshot import tables
from tests.snapshot.cases.registry import asked, case, refusal
from tests.snapshot.encoding import said

STABILITY = ("best", "chosen", "table", "over", "weights", "n_resamples", "best_row")
SENSITIVITY = ("intervals", "factor", "rival", "rival_weights", "regions", "weights", "chosen", "best_share")


@case("stability", "Stability")
def stability_over_the_population() -> dict[str, Any]:
    models = tables.models()
    options = {"n_resamples": 200, "rng": 7}
    found = {
        "three": asked("stability", models, objectives=tables.THREE, **options),
        "p = 1, weights": asked("stability", models, objectives=tables.THREE, p=1, weights={"co2": 0.7}, **options),
        "constraint": asked("stability", models, objectives=tables.THREE, where="latency > 12", **options),
        "min-max": asked("stability", models, objectives=tables.TWO, normalize="minmax", p=1, **options),
        "relative": asked("stability", models, objectives=tables.TWO, normalize="relative", p=1, **options),
        "against a row": asked(
            "stability", models, objectives=tables.TWO, normalize="relative", reference="m04", p=1, **options
        ),
        "omit": asked("stability", tables.gappy(), objectives=tables.THREE, nan_policy="omit", **options),
        "of a selection": copa_nb.copa(models, objectives=tables.FIVE, p=2).stability(**options),
        "generator": copa_nb.stability(models, objectives=tables.TWO, n_resamples=50, rng=np.random.default_rng(9)),
        "domainbed": datasets.load_domainbed().moo.stability(**options),
    }
    # A row may be better than the best of a resample, which only the norms of order 1 and infinity take.
    refused = refusal(lambda: copa_nb.stability(models, objectives=tables.TWO, normalize="minmax", p=2, **options))
    return {name: said(one, *STABILITY) for name, one in found.items()} | {"min-max, p = 2": refused}


@case("stability")
def stability_over_seeds() -> dict[str, Any]:
    runs = tables.training_runs()
    options = {"objectives": tables.THREE, "system": "model", "repeat": "seed", "n_resamples": 150, "rng": 8}
    fitted = copa_nb.Reference.fit(tables.models(), objectives=tables.THREE)
    found = {
        "seeds": asked("stability", runs, **options),
        "paired": asked("stability", runs, paired=True, **options),
        "both": asked("stability", runs, over="both", **options),
        "both, min-max": asked("stability", runs, over="both", normalize="minmax", **options),
        "constraint": asked("stability", runs, where="latency < 25", **options),
        "frozen": asked("stability", runs, reference=fitted, **options),
        "of a selection": copa_nb.copa(runs, objectives=tables.THREE).stability(
            system="model", repeat="seed", n_resamples=100, rng=3
        ),
    }
    return {name: said(one, *STABILITY) for name, one in found.items()}


@case("stability")
def stability_by_group() -> dict[str, Any]:
    grouped = asked("stability", tables.models(), objectives=tables.TWO, by="family", n_resamples=60, rng=2)
    return {str(group): said(one, *STABILITY) for group, one in grouped.items()}


@case("sensitivity", "Sensitivity")
def sensitivity() -> dict[str, Any]:
    models = tables.models()
    options = {"n_weights": 500, "rng": 4}
    found = {
        "two": asked("sensitivity", models, objectives=tables.TWO, **options),
        "three": asked("sensitivity", models, objectives=tables.THREE, **options),
        "three, p = 2, weights": asked(
            "sensitivity", models, objectives=tables.THREE, p=2, weights={"co2": 0.6}, where="latency > 6", **options
        ),
        "five": asked("sensitivity", models, objectives=tables.FIVE, **options),
        "five, p = 1": asked("sensitivity", models, objectives=tables.FIVE, p=1, **options),
        "min-max": asked("sensitivity", models, objectives=tables.THREE, normalize="minmax", p=2, **options),
        "omit": asked("sensitivity", tables.gappy(), objectives=tables.TWO, nan_policy="omit", **options),
        "of a selection": copa_nb.copa(models, objectives=tables.FIVE, weights={"f1": 0.0}).sensitivity(**options),
        "domainbed": datasets.load_domainbed().moo.sensitivity(**options),
    }
    parts = {name: said(one, *SENSITIVITY) for name, one in found.items()}
    grouped = asked("sensitivity", models, objectives=tables.TWO, by="family", p=1, **options)
    return parts | {f"family {group}": said(one, *SENSITIVITY) for group, one in grouped.items()}
