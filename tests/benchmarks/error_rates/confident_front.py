"""Verdicts of ``confident_front``: any wrong verdict where the true means are known, and how many are reached.

Equal entities are the hardest case for "on the front" and "dominated" alike: among equals every comparison that is
called established is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.uncertainty import Uncertainty, established, from_errors, from_items, from_runs
from tests.benchmarks.error_rates import Rate

WHAT = "confident_front() verdicts"
ALPHA, N_RESAMPLES = 0.05, 500


def items(n: int, means: np.ndarray, *, shared: float = 0.0, n_repeats: int = 1, binary: bool = False) -> Callable:
    """Scores on items: a difficulty that all share, and noise of each entity, item and repetition."""

    def draw(rng: np.random.Generator) -> Uncertainty:
        scores = (
            means + shared * rng.standard_normal((n, 1, 1, means.shape[1])) + rng.standard_normal((n, 1, *means.shape))
        )
        scores = scores + (rng.standard_normal((n, n_repeats, *means.shape)) if n_repeats > 1 else 0)
        return from_items((scores > 0.5).astype(float) if binary else scores, n_resamples=N_RESAMPLES, rng=rng)

    return draw


def runs(counts: list[int], means: np.ndarray, spreads: list[float]) -> Callable:
    """Independent normal runs of each entity."""

    def draw(rng: np.random.Generator) -> Uncertainty:
        drawn = [
            mean + spread * rng.standard_normal((n, len(mean)))
            for n, mean, spread in zip(counts, means, spreads, strict=True)
        ]
        return from_runs(drawn, n_resamples=N_RESAMPLES, rng=rng)

    return draw


def noise(means: np.ndarray) -> Callable:
    """Means with normal errors of a known size, one objective without any."""

    def draw(rng: np.random.Generator) -> Uncertainty:
        errors = np.ones(means.shape)
        errors[:, -1] = 0
        return from_errors(means + errors * rng.standard_normal(means.shape), errors, n_resamples=N_RESAMPLES, rng=rng)

    return draw


EQUAL, LADDER = np.zeros((6, 2)), np.column_stack([np.arange(6.0), -np.arange(6.0)]) / 2
SETTINGS: dict[str, tuple[np.ndarray, Callable]] = {
    "6 equal entities, 20 items": (EQUAL, items(20, EQUAL)),
    "6 equal entities, 100 items of shared difficulty": (EQUAL, items(100, EQUAL, shared=2)),
    "6 equal entities, 100 items, right or wrong": (EQUAL, items(100, EQUAL, binary=True)),
    "6 equal entities, 30 items, 3 repetitions": (EQUAL, items(30, EQUAL, n_repeats=3)),
    "6 equal entities, 5 runs": (EQUAL, runs([5] * 6, EQUAL, [1] * 6)),
    "6 equal entities, 3 runs": (EQUAL, runs([3] * 6, EQUAL, [1] * 6)),
    "6 equal entities, 5 and 15 runs, one 3 times as noisy": (EQUAL, runs([5, 15] * 3, EQUAL, [1, 1, 3, 1, 1, 1])),
    "6 equal entities, standard errors of one objective": (EQUAL, noise(EQUAL)),
    "6 entities along a front, 200 items": (LADDER, items(200, LADDER)),
}


def rates(n: int) -> Iterator[Rate]:
    """Share of simulations in which any comparison is wrongly called established, and power along a front."""
    for number, (setting, (means, draw)) in enumerate(SETTINGS.items()):
        rng = np.random.default_rng([5, number])
        wrong = found = 0
        costs = means.T
        untrue = costs[:, None, :] <= costs[:, :, None]  # [k, i, j]: i is not better than j
        for _ in range(n):
            better = established(draw(rng), alpha=ALPHA)
            wrong += bool((better & untrue).any())
            sure = np.all(better.any(axis=0) | np.eye(len(means), dtype=bool), axis=1)
            found += bool((sure == nondominated(means)).all())
        yield Rate(WHAT, setting, "size", ALPHA, wrong, n)
        if means is LADDER:
            yield Rate(WHAT, f"{setting}: all are called on the front", "power", None, found, n)
