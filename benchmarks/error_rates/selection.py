"""Ranks and choices: intervals of ranks, and shares of `stability` compared with repetitions.

Ranks do not depend on the distribution of values, so that these are uniform and their true ranks are known; rounded to
few levels, many tie. The column of the nominal rate has the mean share of the row that was chosen; the actual rate is
how often new seeds, or another population, choose that row again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Rate
from tests import asked
from tests.over_runs import over_runs

LEVEL = 0.95
SIZES = (5, 20, 100)
# So few levels that some rows tie in every population.
LEVELS_OF_TIES = {5: 3, 20: 8, 100: 30}
DIRECTIONS = {"a": "min", "b": "min"}
AGAIN = "stability(over={!r}).share (nominal: mean share; actual: chosen again)"
POPULATION_NOTE = "a share, not a level; it is higher than how often another population agrees, as `guarantee` says"


def rates(n: int) -> Iterator[Rate]:
    """Coverage of rank intervals, and calibration of shares."""
    yield from interval_rates(n)
    yield from band_rates(n)
    yield from seed_rates(n)
    yield from population_rates(n)


def interval_rates(n: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Rate]:
    """How often single intervals include the true rank: any row, the best row, tied rows, rows outside."""
    name = "rank_intervals()"
    for number, size in enumerate(sizes):
        rng = np.random.default_rng([11, number])
        hits = dict.fromkeys(("any row", "the best row", "rows with ties", "the best row with ties"), 0)
        for _ in range(n):
            row = rng.integers(size)
            true = rng.random(size)
            included = _included(true, true)
            hits["any row"] += included[row]
            hits["the best row"] += included[true.argmin()]
            levels = LEVELS_OF_TIES[size]
            values = np.floor(true * levels)
            included = _included(values, values / levels)
            hits["rows with ties"] += included[row]
            hits["the best row with ties"] += included[values.argmin()]
        for what, count in hits.items():
            yield Rate(name, f"{what} of {size}", "coverage", LEVEL, int(count), n)
        for u in (0.02, 0.1, 0.5):
            count = sum(_included(np.array([u]), np.array([u]), _frozen(rng.random(size)))[0] for _ in range(n))
            yield Rate("rank_intervals(reference=)", f"true rank {u}, frozen {size} rows", "coverage", LEVEL, count, n)


def _frozen(values: np.ndarray) -> copa_nb.Reference:
    return copa_nb.Reference.fit(pd.DataFrame({"cost": values}), objectives={"cost": "min"})


def _included(
    values: np.ndarray, true: np.ndarray, reference: copa_nb.Reference | None = None, *, simultaneous: bool = False
) -> np.ndarray:
    """Whether the interval of each row includes its true rank."""
    choice = asked.copa(pd.DataFrame({"cost": values}), objectives={"cost": "min"}, reference=reference)
    found = choice.rank_intervals(LEVEL, simultaneous)
    return ((found["low_cost"] <= true) & (true <= found["high_cost"])).to_numpy()


def band_rates(n: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Rate]:
    """How often the band includes the true ranks of all rows at once."""
    for number, size in enumerate(sizes):
        rng = np.random.default_rng([12, number])
        true = rng.random((n, size))
        count = sum(bool(_included(values, values, simultaneous=True).all()) for values in true)
        yield Rate("rank_intervals(simultaneous=True)", f"all of {size} rows", "coverage", LEVEL, count, n)


class Runs(NamedTuple):
    """A table of runs: two objectives, normal around means that differ from model to model."""

    n_models: int
    n_seeds: int
    spread: float
    kind: str = "equal noise"

    def __str__(self) -> str:
        return f"{self.n_models} models, {self.n_seeds} seeds, means {self.spread:g} noise apart, {self.kind}"


RUNS = (
    Runs(5, 3, 1.0), Runs(10, 3, 1.0), Runs(20, 3, 1.0), Runs(10, 5, 1.0), Runs(10, 10, 1.0), Runs(20, 5, 2.0),
    Runs(10, 3, 0.3), Runs(10, 3, 1.0, "unequal noise"), Runs(10, 3, 1.0, "noise shared by seeds, paired"),
)  # fmt: skip
N_RESAMPLES = 200
SEED_NOTE = "a share, not a level; `guarantee` of the result says: within 0.05"


def seed_rates(n: int, settings: tuple[Runs, ...] = RUNS) -> Iterator[Rate]:
    """How often new seeds choose the same row, beside the share that the observed seeds gave it."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([13, number])
        shares, hits = 0.0, 0
        for _ in range(n):
            share, again = _repeat_runs(setting, rng)
            shares, hits = shares + share, hits + again
        yield Rate(AGAIN.format("seeds"), str(setting), "share", round(shares / n, 3), hits, n, SEED_NOTE)


def _repeat_runs(setting: Runs, rng: np.random.Generator) -> tuple[float, bool]:
    m, n_seeds = setting.n_models, setting.n_seeds
    true = rng.normal(size=(m, 1, 2)) * setting.spread
    noise = np.exp(0.5 * rng.normal(size=(m, 1, 2))) if "unequal" in setting.kind else np.ones((m, 1, 2))
    paired = "paired" in setting.kind

    def runs() -> np.ndarray:
        common = 2 * rng.normal(size=(1, n_seeds, 2)) if paired else 0.0
        drawn: np.ndarray = true + common + noise * rng.normal(size=(m, n_seeds, 2))
        return drawn

    model, seed = np.repeat(np.arange(m), n_seeds), np.tile(np.arange(n_seeds), m)
    frame = pd.DataFrame(runs().reshape(-1, 2), columns=["a", "b"]).assign(model=model, seed=seed)
    said = over_runs(
        frame, objectives=DIRECTIONS, system="model", repeat="seed", paired=paired, n_resamples=N_RESAMPLES, rng=rng
    )
    again = asked.copa(pd.DataFrame(runs().mean(axis=1), columns=["a", "b"]), objectives=DIRECTIONS)
    return float(said.share.iloc[said.best_row]), bool(said.best == again.best)


POPULATIONS: tuple[tuple[int, str, Callable[[np.ndarray], np.ndarray]], ...] = (
    (20, "independent objectives", lambda x: x),
    (100, "independent objectives", lambda x: x),
    (20, "opposed objectives", lambda x: np.stack([x[..., 0], 0.3 * x[..., 1] - x[..., 0]], axis=-1)),
    (100, "opposed objectives", lambda x: np.stack([x[..., 0], 0.3 * x[..., 1] - x[..., 0]], axis=-1)),
    (50, "many ties", lambda x: np.floor(8 * x)),
)


def population_rates(n: int) -> Iterator[Rate]:
    """How often the same candidates, among another population, give the same choice, beside the share that was said."""
    for number, (size, kind, shape) in enumerate(POPULATIONS):
        rng = np.random.default_rng([14, number])
        shares, hits = 0.0, 0
        for _ in range(n):
            values, others = shape(rng.random((size, 2))), shape(rng.random((size, 2)))
            frame, population = (pd.DataFrame(drawn, columns=["a", "b"]) for drawn in (values, others))
            said = asked.copa(frame, objectives=DIRECTIONS).stability(n_resamples=N_RESAMPLES, rng=rng)
            shares += said.share.iloc[said.best_row]
            # In another order, so that ties do not always go to the same row.
            again = frame.iloc[rng.permutation(size)]
            reference = copa_nb.Reference.fit(population, objectives=DIRECTIONS)
            hits += asked.copa(again, objectives=DIRECTIONS, reference=reference).best == said.best
        yield Rate(
            AGAIN.format("population"),
            f"{size} rows, {kind}",
            "share",
            round(shares / n, 3),
            int(hits),
            n,
            POPULATION_NOTE,
        )
