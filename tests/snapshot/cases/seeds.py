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
from tests.snapshot.encoding import plain, said

TEST = ("statistic", "relative", "pvalue", "exact", "null_distribution", "n_resamples", "n_relabelings",
        "smallest_pvalue", "new", "baseline", "n_new", "n_baseline", "hypervolume_new", "hypervolume_baseline",
        "reference", "log", "measure", "run_values", "significant", "verdict", "table")  # fmt: skip
SIDES = {"system": "system", "repeat": "seed", "new": "new", "baseline": "old"}


def _sort(objectives: int = 2, seeds: int = 5) -> pd.DataFrame:
    runs = tables.system_runs(objectives, seeds)
    return runs[runs["task"] == "sort"]


@case("hv_test", "HypervolumeTest")
def hv_test_exact() -> dict[str, Any]:
    found = {
        f"{k} objectives": called("hv_test", _sort(k), objectives=tables.costs(k), **SIDES) for k in (1, 2, 3, 4, 5)
    }
    return {name: said(one, *TEST, runs=one.runs) for name, one in found.items()}


@case("hv_test")
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
    return {name: said(one, *TEST) for name, one in found.items()}


@case("hv_test")
def hv_test_options() -> dict[str, Any]:
    runs, objectives = _sort(), tables.costs(2)
    point = {"cost 0": 1.5, "cost 1": 1.4}
    missing = runs.assign(**{"cost 1": runs["cost 1"].mask(runs.index == 1)})
    found = {
        "greater": called("hv_test", runs, objectives=objectives, alternative="greater", **SIDES),
        "less": called("hv_test", runs, objectives=objectives, alternative="less", **SIDES),
        "paired": called("hv_test", runs, objectives=objectives, paired=True, **SIDES),
        "means": called("hv_test", runs, objectives=objectives, unit="mean", **SIDES),
        "means, paired": called("hv_test", runs, objectives=objectives, unit="mean", paired=True, **SIDES),
        "given point": called("hv_test", runs, objectives=objectives, reference=point, alpha=0.1, **SIDES),
        "log scale": called("hv_test", runs, objectives=objectives, log=["cost 0"], **SIDES),
        "several systems": called(
            "hv_test", runs, objectives=objectives, system="system", repeat="seed", new=["new"],
            baseline=["old", "slow"],
            n_resamples=500,
        ),
        "without seeds": called("hv_test", runs, objectives=objectives, system="system", new="older", baseline="slow"),
        "omit": called("hv_test", missing, objectives=objectives, nan_policy="omit", **SIDES),
        "two columns": asked.hv_test(
            tables.system_runs(), objectives=objectives, system=["task", "system"], repeat="seed",
            new=("sort", "new"), baseline=("search", "slow"),
        ),
    }  # fmt: skip
    return {name: said(one, *TEST) for name, one in found.items()}


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
    same = tests["exact"].reporting()
    return {name: said(one, "vectors", "summary", "paragraph", "latex") for name, one in reports.items()} | {
        "of a test": {"same words": same.paragraph == reports["exact"].paragraph}
    }


@case("audit", "Audit")
def audit() -> dict[str, Any]:
    runs, objectives = tables.system_runs(), tables.costs(2)
    options: dict[str, Any] = {"system": "system", "repeat": "seed", "n_resamples": 400, "progress": False}
    claims = pd.DataFrame({"new": ["new", "old"], "baseline": ["old", "slow"], "task": ["sort", "search"]})
    found = {
        "all claims": called("audit", runs, objectives=objectives, by="task", **options),
        "table of claims": called("audit", runs, objectives=objectives, by="task", claims=claims, **options),
        "pairs": called(
            "audit", _sort(), objectives=objectives, claims=[("new", "old"), (["new"], ["old", "slow"])], **options
        ),
        "paired means": called(
            "audit", _sort(3), objectives=tables.costs(3), paired=True, unit="mean", rng=3, **options
        ),
        "few seeds": called("audit", _sort(2, 2), objectives=objectives, **options),
        "no claim": called("audit", _sort(), objectives={"cost 0": "min", "cost 1": "max"}, **options),
    }
    attributes = ("table", "by_domain", "not_distinguishable", "untestable", "verdict", "references", "by")
    return {name: said(one, *attributes) for name, one in found.items()}


@case("audit", "hv_test")
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
    return {"audit": said(audited, "table", "by_domain"), "test": said(test, *TEST)}


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
        name: said(one, *attributes, deviations=one.noise.deviations, noise=one.noise.description)
        for name, one in found.items()
    } | {"at": found["given noise"].at(0.1, 5), "scaled": plain(model.scaled(2.0).covariance)}


@case("RunsNeeded")
def runs_needed() -> dict[str, Any]:
    options: dict[str, Any] = {"n_simulations": 50, "rng": 3, "n_resamples": 400}
    test = asked.hv_test(_sort(), "new", "old", system="system", objectives=tables.costs(2))
    given = copa_nb.power(solve="runs", effect=0.3, noise=0.05, **options)
    fitted = test.needed(power=0.7, effect=0.3, pooled=True, **options)
    never = copa_nb.power(solve="runs", effect=0.001, noise=0.2, most=5, **options)
    noise = copa_nb.power(solve="noise", effect=0.2, n_runs=5, tolerance=0.1, **options)
    return {
        "given": plain([given.n_runs, given.power, given.effect]),
        "given table": plain(given.table),
        "fitted": plain([fitted.n_runs, fitted.power, fitted.effect]),
        "fitted table": plain(fitted.table),
        "never": plain([never.n_runs, len(never.table)]),
        "noise for power": plain(noise),
    }
