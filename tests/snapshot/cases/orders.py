"""Partial orders: samples of them, depths, suites of problems, rankings that merge them."""

from __future__ import annotations

from typing import Any

import numpy as np

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import called, case
from tests.snapshot.encoding import plain, said

SAMPLE = ("relations", "systems", "items", "ties", "tied_items", "left_out", "distinct", "table", "pair_counts",
          "intersection", "union")  # fmt: skip
DEPTH = ("depth", "n_generic", "constant", "method", "sizes", "order", "deepest", "shallowest", "table", "summary")
BOTH = {"error": "min", "steps": "min"}


def _benchmark(seed: int = 7, **options: Any) -> copa_nb.results.PosetSample:
    sample = asked.posets(tables.benchmark(seed), system="optimiser", item="problem", objectives=BOTH, **options)
    return sample


@case("posets", "PosetSample")
def posets() -> dict[str, Any]:
    table = tables.benchmark()
    gaps = table.assign(error=table["error"].mask(table.index == 12))
    options: dict[str, Any] = {"system": "optimiser", "item": "problem", "objectives": BOTH}
    found = {
        "incomparable": called("posets", table, **options),
        "drop": called("posets", table, ties="drop", **options),
        "preorder": called("posets", table, ties="preorder", **options),
        "omit": called("posets", gaps, nan_policy="omit", **options),
        "worst": called("posets", gaps, nan_policy="worst", **options),
        "deepobs": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem"),
        "two columns": called(
            "posets", table.assign(half="all"), system="optimiser", item=["half", "problem"], objectives=BOTH
        ),
    }
    return {name: said(one, *SAMPLE) for name, one in found.items()}


@case("posets", "PosetSample")
def parts_of_a_sample() -> dict[str, Any]:
    sample = _benchmark()
    relations = np.array([[[0, 1], [0, 0]], [[0, 0], [0, 0]]], dtype=bool)
    made = copa_nb.results.PosetSample(relations, ["a", "b"], ["x", "y"])
    forecast = sample.forecast(rng=1)
    return {
        "relation": plain(sample.relation("P3")),
        "reduction": plain(sample.reduction("P3")),
        "only": said(sample.only(["P4", "P1"]), "items", "relations"),
        "without": said(sample.without(["P4", "P1"]), "items"),
        "made": said(made, *SAMPLE),
        # How many seconds a run takes is the machine's.
        "forecast": plain([forecast.n_sets, forecast.sets_by_size]),
    }


@case("DepthResult", "Agreement")
def depth_exact() -> dict[str, Any]:
    sample = _benchmark()
    wanted = {"as P1": sample.relation("P1"), "nothing": sample.relation("P1") & False}
    results = {
        "benchmark": sample.depth(),
        "small sets": sample.depth(max_card=3),
        "preorder": _benchmark(ties="preorder").depth(),
        "of others": sample.depth(wanted),
        "of a suite": sample.depth(_benchmark(8)),
        "equal orders": sample.only(["P1"]).depth(),
        "deepobs": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").depth(),
        "moea": asked.posets(datasets.load_moea(), system="algorithm", item="problem").depth(),
        "classifiers": asked.posets(datasets.load_uci_classifiers(), system="classifier", item="dataset").depth(
            max_card=5
        ),
    }
    agreements = {
        f"{name}, {which}": said(results[name].agreement(3, which=which), "shared", "absent", "pairs", "counts")
        for name in ("benchmark", "moea")
        for which in ("deepest", "shallowest")
    }
    return {name: said(one, *DEPTH) for name, one in results.items()} | agreements


@case("DepthResult")
def depth_of_bbob() -> dict[str, Any]:
    table = datasets.load_bbob(dimension=2)
    sample = asked.posets(table, system="optimizer", item="function", ties="drop")
    return {"depths": said(sample.depth(max_card=4), *DEPTH), "sample": said(sample, "left_out", "tied_items")}


@case("DepthResult")
def depth_sampled() -> dict[str, Any]:
    sample = _benchmark()
    moea = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    results = {
        "benchmark": sample.depth(method="sample", n_samples=3000, rng=4),
        "of a suite": sample.depth(_benchmark(8), method="sample", n_samples=2000, rng=5, confidence_level=0.8),
        "moea": moea.depth(method="sample", n_samples=4000, rng=6, max_card=6),
        "decided by itself": sample.depth(method="auto", rng=0),
    }
    return {name: said(one, *DEPTH, "low", "high", "confidence_level", "max_card") for name, one in results.items()}


@case("SuiteReview")
def review() -> dict[str, Any]:
    attributes = ("table", "dispersion", "center", "k", "removable")
    results = {
        "benchmark": _benchmark().review(),
        "of three": _benchmark().review(k=3),
        "deepobs": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").review(),
    }
    return {name: said(one, *attributes) for name, one in results.items()}


@case("SuiteComparison")
def compare_suites() -> dict[str, Any]:
    attributes = ("names", "depths", "table", "shares", "central", "statistic", "pvalue")
    first, second = _benchmark(7), _benchmark(8)
    moea = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    half, rest = moea.only(moea.items[:6]), moea.only(moea.items[6:])
    options = {"names": ("FDA", "rest"), "k": 2, "rng": np.random.default_rng(2), "n_resamples": 300}
    results = {
        "two benchmarks": first.compare(second, rng=1, n_resamples=400),
        "named": half.compare(rest, **options),
    }
    return {name: said(one, *attributes) for name, one in results.items()}


@case("Consensus")
def consensus() -> dict[str, Any]:
    attributes = ("table", "central", "kemeny", "optimal", "disagreements", "contradicted")
    samples = {
        "benchmark": _benchmark(),
        "preorder": _benchmark(ties="preorder"),
        "deepobs": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem"),
        "moea": asked.posets(datasets.load_moea(), system="algorithm", item="problem"),
    }
    found = {name: sample.consensus() for name, sample in samples.items()}
    return {name: said(one, *attributes, depths=one.depths.depth) for name, one in found.items()}
