"""``board`` and ``confident_front`` of many items in passes, which test under random normal weights of the items."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Rate, names_of
from benchmarks.error_rates.generators import (
    Benchmark,
    equal,
    log_normal,
    normal,
    on_clusters,
    on_items,
    rare_failures,
    right_or_wrong,
)
from benchmarks.error_rates.settings import RARE_FAILURES
from benchmarks.error_rates.verdicts import (
    N_RESAMPLES,
    Answer,
    ranks_missed,
    rate_of_wrong_answers,
    true_ranks,
    verdicts_of_front,
)
from copa_nb.comparisons.arrays.uncertainty import FEWEST_UNITS
from tests import asked

TIERS, FRONT = "board() in passes: intervals of ranks", "confident_front() in passes: verdicts"
MANY = (FEWEST_UNITS, 1)
SIZES = [1 + one % 3 for one in range(FEWEST_UNITS)]
SETTINGS: dict[str, Benchmark] = {
    "normal, 10,000 items of shared difficulty, two objectives": on_items(
        error=normal(equal(6), MANY, shared=2), cost=normal(equal(6), MANY)
    ),
    "right or wrong at .5, 10,000 items": on_items(accuracy=right_or_wrong(equal(6, 0.5), MANY)),
    "right or wrong at .999, 10,000 items": on_items(accuracy=right_or_wrong(equal(6, 0.999), MANY)),
    "log-normal costs (sigma 1.5), 10,000 items": on_items(cost=log_normal(equal(6, 1.0), MANY, sigma=1.5)),
    f"{RARE_FAILURES} of one of two systems, 10,000 items": on_items(
        cost=rare_failures(equal(2, 1.0), MANY, failing=[False, True])
    ),
    "right or wrong at .9, 10,000 clusters of 1 to 3 items": on_clusters(
        SIZES, accuracy=right_or_wrong(equal(6, 0.9), (sum(SIZES), 1))
    ),
}


def rates(n: int) -> Iterator[Rate]:
    """How often any interval, or any verdict, is wrong; both rest on the same tests."""
    asked = ((TIERS, _wrong_tiers, list(SETTINGS)), (FRONT, _wrong_front, list(SETTINGS)[:2]))
    for what, wrong, settings in asked:
        for setting in settings:
            benchmark = SETTINGS[setting]
            rng = np.random.default_rng([len(what), len(setting), 5])
            yield rate_of_wrong_answers(what, setting, benchmark, wrong, n, rng)


def _in_passes(frame: pd.DataFrame) -> copa_nb.results.explorers.Scan:
    return copa_nb.scan([frame], rows_in_memory=0)


def _wrong_tiers(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    tiers = asked.board(_in_passes(frame), **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
    return ranks_missed(tiers.table, true_ranks(benchmark)), names_of(tiers.guarantee)


def _wrong_front(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    front = asked.confident_front(_in_passes(frame), **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
    return verdicts_of_front(benchmark, front)[1] > 0, names_of(front.guarantee)
