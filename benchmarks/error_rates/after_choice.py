"""``scores_after_choice``: how often intervals cover the true scores of the chosen system, and naive ones do."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

import numpy as np
import pandas as pd

from benchmarks.error_rates import Answers, Rate, names_of
from benchmarks.error_rates.generators import (
    COUNT,
    ERROR,
    Benchmark,
    accuracies,
    attempts,
    attempts_in_clusters,
    constant,
    equal,
    log_normal,
    mostly_zero,
    normal,
    on_clusters,
    on_items,
    on_items_and_seeds,
    on_runs,
    on_summaries,
    right_or_wrong,
    with_cluster_effects,
    with_options,
    with_seed_effects,
)  # fmt: skip
from tests.asked import scores_after_choice

VALID, NAIVE = "intervals().table: low and high", "intervals().table: naive intervals"
NAIVE_NOTE = "the interval ignores the choice"
# No system passes a limit, or answers that are all right have a standard error of 0.
REFUSED = re.compile("excludes all|do not show that there is no error")

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
    **{f"best of 50 equal systems that pass {limit:g}, right or wrong at 0.7, {n} items": with_options(
        on_items(accuracy=right_or_wrong(equal(50, 0.7), (n, 1))), where=f"accuracy >= {limit}")
       for limit, n in ((0.75, 100), (0.72, 400))},
    **{f"cheapest of 20 equal systems that pass 0.75, {name}, 100 items": with_options(
        on_items(accuracy=measured, price=constant(range(1, 21))), known="price",
        where="accuracy >= 0.75", weights={"price": 1})
       for name, measured in (("right or wrong at 0.7", right_or_wrong(equal(20, 0.7), (100, 1))),
                              ("shares of 10 tasks at 0.74", accuracies(equal(20, 0.74), 10, (100, 1))))},
    **{f"best of 20 equal systems, right or wrong at {share:g}, 100 items": on_items(
        accuracy=right_or_wrong(equal(20, share), (100, 1))) for share in (0.03, 0.995)},
    **{f"best of 20 equal systems, log-normal costs (sigma {sigma:g}), {n} items": on_items(
        cost=log_normal(equal(20, 1.0), (n, 1), sigma=sigma))
       for sigma, n in ((1, 100), (1, 1000), (1.5, 200), (2, 200))},
    "best of 20 equal systems, costs of 0 on 95% of 100 items": on_items(cost=mostly_zero(equal(20, 1.0), (100, 1))),
    "best of 20 equal systems, scores of 0 on 95% of 100 items": on_items(
        score=mostly_zero(equal(20, 0.02), (100, 1), bounded=True)),
    **{f"best of 20 equal systems, three attempts at {share:g} on each of 100 items{how}": on_items_and_seeds(
        accuracy=attempts(equal(20, share), (100, 3), alike=alike))
       for share in (0.7, 0.97) for alike, how in ((0.0, ""), (0.5, ", half of the items alike"))},
    **{f"best of {n_systems} equal systems, 400 items with 3 seeds that all share, which vary by {spread:g}":
       on_items_and_seeds(score=with_seed_effects(normal(equal(n_systems), (400, 3), shared=1), spread))
       for n_systems in (2, 20) for spread in (0.05, 0.3)},
    **{f"best of 20 equal systems, right or wrong at {share:g}, clusters of {name} items": on_clusters(
        sizes, accuracy=attempts_in_clusters(equal(20, share), sizes)) for share in (0.7, 0.97)
       for name, sizes in (("5", [5] * 20), ("1 to 20", list(range(1, 21))))},
    **{f"best of 20 equal systems, standard errors of right or wrong at {share:g}, {n} items{how}": with_options(
        on_summaries(accuracy=right_or_wrong(equal(20, share), (1, n))), **given)
       for share in (0.7, 0.97, 0.995) for n in (100,) for how, given in ((", counted", {"n": COUNT}), ("", {}))},
    "best of 20 equal systems that pass 0.98, standard errors of right or wrong at 0.97, 100 items, counted":
        with_options(on_summaries(accuracy=right_or_wrong(equal(20, 0.97), (1, 100))), n=COUNT,
                     where="accuracy >= 0.98"),
    "20 systems of known prices, standard errors of right or wrong at 0.97, 100 items, counted": with_options(
        on_summaries(accuracy=right_or_wrong(equal(20, 0.97), (1, 100)), price=constant(range(1, 21))), n=COUNT,
        standard_error={"accuracy": "accuracy" + ERROR}, known="price"),
}  # fmt: skip


def rates(n: int, benchmarks: Mapping[str, Benchmark] = SETTINGS) -> Iterator[Rate]:
    """How often all intervals cover, after the choice and naively."""
    for setting, benchmark in benchmarks.items():
        rng, answers, naive = np.random.default_rng(list(setting.encode())), Answers(), 0
        for _ in range(n):
            table = benchmark.table(rng)
            try:
                found = scores_after_choice(table, **benchmark.options, n_resamples=2000, rng=rng)
            except ValueError as error:
                if REFUSED.search(str(error)) is None:
                    raise
                answers.refusals.append(str(error))
                continue
            truth = benchmark.truth.loc[found.best]
            naive += covers(found.table, truth, "naive_")
            answers.add(not covers(found.table, truth), names_of(found.guarantee))
        valid = answers.rate(VALID, setting, "coverage", 0.95)
        yield valid
        yield Rate(NAIVE, setting, "coverage", 0.95, naive, valid.n, NAIVE_NOTE, valid.refused, comparator=True)


def covers(table: pd.DataFrame, truth: pd.Series, which: str = "") -> bool:
    """Whether all intervals include the true scores."""
    return bool(((table[f"{which}low"] <= truth + 1e-12) & (table[f"{which}high"] >= truth - 1e-12)).all())
