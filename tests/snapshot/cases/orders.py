"""Partial orders: samples of them, depths, suites of problems, rankings that merge them."""

from __future__ import annotations

from typing import Any

import numpy as np

import copa_nb
from copa_nb import datasets
from tests import asked
from tests.snapshot import tables
from tests.snapshot.cases.registry import case
from tests.snapshot.encoding import attributes_of

DEPTH = ("depth", "n_generic", "sizes", "deepest", "shallowest")
BOTH = {"error": "min", "steps": "min"}


def _benchmark(seed: int = 7, **options: Any) -> copa_nb.results.PosetSample:
    sample = asked.posets(tables.benchmark(seed), system="optimiser", item="problem", objectives=BOTH, **options)
    return sample


@case()
def work_ahead() -> dict[str, Any]:
    # How many seconds a run takes is the machine's.
    return {"forecast": attributes_of(_benchmark().forecast(rng=1), "n_sets", "sets_by_size")}


@case()
def depth_of_bbob() -> dict[str, Any]:
    table = datasets.load_bbob(dimension=2)
    sample = asked.posets(table, system="optimizer", item="function", ties="drop")
    return {
        "depths": attributes_of(sample.depth(max_card=4), *DEPTH),
        "sample": attributes_of(sample, "left_out", "tied_items"),
    }


@case()
def depth_sampled() -> dict[str, Any]:
    sample = _benchmark()
    moea = asked.posets(datasets.load_moea(), system="algorithm", item="problem")
    results = {
        "benchmark": sample.depth(method="sample", n_samples=3000, rng=4),
        "of a suite": sample.depth(_benchmark(8), method="sample", n_samples=2000, rng=5, confidence_level=0.8),
        "moea": moea.depth(method="sample", n_samples=4000, rng=6, max_card=6),
        "decided by itself": sample.depth(method="auto", rng=0),
    }
    return {
        name: attributes_of(one, *DEPTH, "low", "high", "confidence_level", "max_card") for name, one in results.items()
    }


@case("SuiteReview")
def review() -> dict[str, Any]:
    attributes = ("table", "dispersion", "center", "k", "removable")
    results = {
        "benchmark": _benchmark().review(),
        "of three": _benchmark().review(k=3),
        "deepobs": asked.posets(datasets.load_deepobs(), system="optimizer", item="problem").review(),
    }
    return {name: attributes_of(one, *attributes) for name, one in results.items()}


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
    return {name: attributes_of(one, *attributes) for name, one in results.items()}


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
    return {name: attributes_of(one, *attributes, depths=one.depths.depth) for name, one in found.items()}
