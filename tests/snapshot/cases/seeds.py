"""Improvements beyond seed noise: the permutation test, audits of claims, what to report, power."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import attributes_of

TEST = ("statistic", "relative", "pvalue", "smallest_pvalue", "n_relabelings", "reference", "verdict")
SIDES = {"system": "system", "repeat": "seed", "new": "new", "baseline": "old"}


def _sort(objectives: int = 2, seeds: int = 5) -> pd.DataFrame:
    runs = tables.system_runs(objectives, seeds)
    return runs[runs["task"] == "sort"]


@case()
def hv_test_sampled() -> dict[str, Any]:
    options = {**SIDES, "n_resamples": 300}
    found = {
        f"{k} objectives": called("hv_test", _sort(k, 10), objectives=tables.costs(k), rng=6, **options)
        for k in (2, 3, 4)
    }
    found["generator"] = asked.hv_test(
        _sort(2, 10), objectives=tables.costs(2), rng=np.random.default_rng(1), **options
    )
    found["approximate"] = asked.hv_test(
        _sort(4, 10), objectives=tables.costs(4), method="approximate", rng=2, **options
    )
    return {name: attributes_of(one, *TEST) for name, one in found.items()}


@case("Reporting")
def recommended_report() -> dict[str, Any]:
    tests = {
        "exact": asked.hv_test(_sort(), objectives=tables.costs(2), **SIDES),
        "sampled": asked.hv_test(
            _sort(3, 10), objectives=tables.costs(3), n_resamples=200, rng=5, log=["cost 1"],
            alternative="greater", **SIDES,
        ),
    }  # fmt: skip
    reports = {name: test.reporting() for name, test in tests.items()}
    return {name: attributes_of(one, "summary") for name, one in reports.items()}


@case()
def audit_of_agents() -> dict[str, Any]:
    runs = datasets.load_agents("0409")
    log = ["cost_usd", "time_s"]
    names = runs["system"].unique()[:2].tolist()
    options: dict[str, Any] = {"system": "system", "repeat": "run", "log": log, "n_resamples": 400}
    audited = asked.audit(runs, progress=False, **options)
    test = asked.hv_test(
        runs.moo(accuracy="max", cost_usd="min"),
        system="system",
        repeat="run",
        new=names[0],
        baseline=names[1],
        log=["cost_usd"],
    )
    return {"audit": attributes_of(audited, "table", "by_domain"), "test": attributes_of(test, *TEST)}


@case("power", "Power", "NoiseModel")
def power() -> dict[str, Any]:
    runs, objectives = _sort(), tables.costs(2)
    options: dict[str, Any] = {"n_simulations": 60, "rng": 2}
    test = asked.hv_test(runs, "new", "old", system="system", objectives=objectives, n_resamples=5000)
    model = copa_nb.results.NoiseModel(np.diag([0.01, 0.0004]), "by hand")
    found = {
        "given noise": copa_nb.power(effect=[0.0, 0.1], n_runs=[4, 5], noise=0.04, **options),
        "three objectives": copa_nb.power(effect=0.1, n_runs=4, noise=[0.02, 0.05, 0.1], **options),
        "sampled": copa_nb.power(effect=0.1, n_runs=8, noise=0.05, n_resamples=200, **options),
        "means, one-sided": copa_nb.power(
            effect=0.05, n_runs=5, noise=0.05, unit="mean", alternative="greater", **options
        ),
        "paired": copa_nb.power(effect=0.05, n_runs=6, noise=0.05, paired=True, correlation=0.7, **options),
        "model": copa_nb.power(effect=0.05, n_runs=4, noise=model, **options),
        "fitted": test.power(effect=0.1, n_runs=4, pooled=True, **options),
        "own units": test.power(effect=0.1, n_runs=4, noise={"cost 0": 0.01, "cost 1": 0.03}, **options),
    }
    attributes = ("table", "correlation")
    return {
        name: attributes_of(one, *attributes, deviations=one.noise.deviations, noise=one.noise.description)
        for name, one in found.items()
    } | {"at": found["given noise"].at(0.1, 5), "scaled": model.scaled(2.0).covariance}


@case("RunsNeeded")
def runs_needed() -> dict[str, Any]:
    options: dict[str, Any] = {"n_simulations": 50, "rng": 3, "n_resamples": 400}
    test = asked.hv_test(_sort(), "new", "old", system="system", objectives=tables.costs(2))
    given = copa_nb.power(solve="runs", effect=0.3, noise=0.05, **options)
    fitted = test.needed(power=0.7, effect=0.3, pooled=True, **options)
    never = copa_nb.power(solve="runs", effect=0.001, noise=0.2, most=5, **options)
    noise = copa_nb.power(solve="noise", effect=0.2, n_runs=5, tolerance=0.1, **options)
    return {
        "given": [given.n_runs, given.power, given.effect],
        "given table": given.table,
        "fitted": [fitted.n_runs, fitted.power, fitted.effect],
        "fitted table": fitted.table,
        "never": [never.n_runs, len(never.table)],
        "noise for power": noise,
    }
