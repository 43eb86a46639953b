"""``scores_after_choice``: how often intervals cover the true scores of the chosen system, and naive ones do."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

import copa_nb
from tests.benchmarks.error_rates import Rate
from tests.benchmarks.error_rates.generators import (
    Benchmark,
    equal,
    log_normal,
    normal,
    on_clusters,
    on_items,
    on_runs,
    on_summaries,
    right_or_wrong,
    with_cluster_effects,
)  # fmt: skip

VALID, NAIVE = "scores_after_choice().table: low and high", "scores_after_choice().table: naive intervals"
NAIVE_NOTE = "shown for comparison: the interval ignores the choice"
FEW = "fewer than 20"

SETTINGS: dict[str, Benchmark] = {
    **{f"best of {n_systems} equal systems, right or wrong at {share:g}, {n} items": on_items(
        accuracy=right_or_wrong(equal(n_systems, share), (n, 1))) for n_systems, share, n in
       ((20, 0.7, 20), (20, 0.7, 100), (100, 0.7, 100), (20, 0.7, 1000), (20, 0.97, 100))},
    "best of 20 equal systems, right or wrong at 0.7, 200 items, half of them alike for all": on_items(
        accuracy=right_or_wrong(equal(20, 0.7), (200, 1), shared=0.5)),
    "best of 20 systems right in .5 to .8, 200 items": on_items(
        accuracy=right_or_wrong(np.linspace(0.5, 0.8, 20), (200, 1))),
    **{f"best of 20 equal systems, normal, {n} items": on_items(score=normal(equal(20), (n, 1))) for n in (10, 50)},
    "20 equal systems, accuracy and cost, 100 items": on_items(
        accuracy=right_or_wrong(equal(20, 0.7), (100, 1)), cost=log_normal(equal(20, 1.0), (100, 1), sigma=0.5)),
    "best of 20 equal systems, 20 clusters of 5 items": on_clusters(
        [5] * 20, score=with_cluster_effects(normal(equal(20), (100, 1)), [5] * 20)),
    **{f"best of {n_systems} equal systems, {n} runs each": on_runs(score=normal(equal(n_systems), (1, n)))
       for n_systems, n in ((10, 3), (20, 10))},
    "10 equal systems, accuracy and cost, 5 runs each": on_runs(
        accuracy=normal(equal(10), (1, 5)), cost=log_normal(equal(10, 1.0), (1, 5), sigma=0.3)),
    "best of 20 equal systems, standard errors of 50 runs": on_summaries(score=normal(equal(20), (1, 50))),
}  # fmt: skip


def rates(n: int, benchmarks: Mapping[str, Benchmark] = SETTINGS) -> Iterator[Rate]:
    """How often all intervals cover, after the choice and naively."""
    for setting, benchmark in benchmarks.items():
        rng = np.random.default_rng(list(setting.encode()))
        missed: list[str] = []
        naive = 0
        for _ in range(n):
            found = copa_nb.scores_after_choice(benchmark.table(rng), **benchmark.options, n_resamples=2000, rng=rng)
            truth = benchmark.truth.loc[found.best]
            naive += covers(found.table, truth, "naive_")
            if not covers(found.table, truth):
                missed.append(found.explain())
        share = np.mean([FEW in one for one in missed]) if missed else 0.0
        note = f'labeled: {share:.0%} of the wrong answers say "{FEW}"' if share else ""
        yield Rate(VALID, setting, "coverage", 0.95, n - len(missed), n, note)
        yield Rate(NAIVE, setting, "coverage", 0.95, naive, n, NAIVE_NOTE)


def covers(table: pd.DataFrame, truth: pd.Series, which: str = "") -> bool:
    """Whether all intervals include the true scores."""
    return bool(((table[f"{which}low"] <= truth + 1e-12) & (table[f"{which}high"] >= truth - 1e-12)).all())
