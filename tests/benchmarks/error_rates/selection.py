"""Ranks and choices: intervals of ranks, tiers, cheaper equivalents, and shares of `stability` against repetitions.

Ranks do not depend on the distribution of values, so that these are uniform and their true ranks are known; rounded to
few levels, many tie. The mean share of the row that was chosen stands in the column of the nominal rate, beside how
often new seeds, or another population, choose that row again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

import copa_nb
from copa_nb.selection.arrays import stability as arrays
from copa_nb.selection.arrays.criterion import winner_of_each
from copa_nb.selection.arrays.ranks import strictly_better
from tests.benchmarks.error_rates import Rate

LEVEL = 0.95
SIZES = (5, 20, 100)
# So few levels that some rows tie in every population.
LEVELS_OF_TIES = {5: 3, 20: 8, 100: 30}
WEIGHTS = np.array([0.5, 0.5])
# Draws of errors behind one table of tiers.
DRAWS = 500
AGAIN = "stability(over={!r}).share (nominal: mean share; actual: chosen again)"
POPULATION_NOTE = "higher than how often another population agrees; `caveat` of the result says so"


def rates(n: int) -> Iterator[Rate]:
    """Coverage of rank intervals, and calibration of shares."""
    yield from interval_rates(n)
    yield from band_rates(n)
    yield from seed_rates(n)
    yield from population_rates(n)
    yield from tier_rates(n)
    yield from equivalent_rates(n)


def interval_rates(n: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Rate]:
    """How often single intervals hold the true rank: any row, the best row, tied rows, rows outside."""
    name = "rank_intervals()"
    for number, size in enumerate(sizes):
        rng = np.random.default_rng([11, number])
        hits = dict.fromkeys(("any row", "the best row", "rows with ties", "the best row with ties"), 0)
        for _ in range(n):
            row = rng.integers(size)
            true = rng.random(size)
            held = _held(true, true)
            hits["any row"] += held[row]
            hits["the best row"] += held[true.argmin()]
            levels = LEVELS_OF_TIES[size]
            values = np.floor(true * levels)
            held = _held(values, values / levels)
            hits["rows with ties"] += held[row]
            hits["the best row with ties"] += held[values.argmin()]
        for what, count in hits.items():
            yield Rate(name, f"{what} of {size}", "coverage", LEVEL, int(count), n)
        for u in (0.02, 0.1, 0.5):
            better = rng.binomial(size, u, n)
            low, high = arrays.rank_interval(better, size, LEVEL)
            count = int(((low <= u) & (u <= high)).sum())
            yield Rate("rank_intervals(reference=)", f"true rank {u}, frozen {size} rows", "coverage", LEVEL, count, n)


def _held(values: np.ndarray, true: np.ndarray) -> np.ndarray:
    better = strictly_better(values[:, None], values[:, None])[:, 0]
    tied = np.array(len(np.unique(values)) < len(values))
    low, high = arrays.rank_interval(better, len(values), LEVEL, tied=tied)
    held: np.ndarray = (low <= true) & (true <= high)
    return held


def band_rates(n: int, sizes: tuple[int, ...] = SIZES) -> Iterator[Rate]:
    """How often the band holds the true ranks of all rows at once."""
    for number, size in enumerate(sizes):
        rng = np.random.default_rng([12, number])
        true = np.sort(rng.random((n, size)), axis=1)
        # Of the rows themselves; a row anywhere else would be held as well.
        misses = np.abs(np.arange(size) / size - true).max(axis=1)
        count = int((misses <= arrays.band_half_width(size, LEVEL)).sum())
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
SEED_NOTE = "`caveat` of the result says: within 0.05"


def seed_rates(n: int, settings: tuple[Runs, ...] = RUNS) -> Iterator[Rate]:
    """How often new seeds choose the same row, beside the share that the observed seeds gave it."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([13, number])
        shares, hits = 0.0, 0
        for _ in range(n):
            share, again = _repeat_runs(setting, rng)
            shares, hits = shares + share, hits + again
        yield Rate(AGAIN.format("seeds"), str(setting), "coverage", round(shares / n, 3), hits, n, SEED_NOTE)


def _repeat_runs(setting: Runs, rng: np.random.Generator) -> tuple[float, bool]:
    m, n_seeds = setting.n_models, setting.n_seeds
    true = rng.normal(size=(m, 1, 2)) * setting.spread
    noise = np.exp(0.5 * rng.normal(size=(m, 1, 2))) if "unequal" in setting.kind else np.ones((m, 1, 2))
    paired = "paired" in setting.kind

    def runs() -> np.ndarray:
        common = 2 * rng.normal(size=(1, n_seeds, 2)) if paired else 0.0
        drawn: np.ndarray = true + common + noise * rng.normal(size=(m, n_seeds, 2))
        return drawn

    first = runs()
    model, seed = np.repeat(np.arange(m), n_seeds), np.tile(np.arange(n_seeds), m)
    means = arrays.ResampledMeans(first.reshape(-1, 2), model, seed if paired else None)
    best, again = choices(np.stack([first.mean(axis=1), runs().mean(axis=1)]))
    share = (choices(np.stack([means.repeat(rng) for _ in range(N_RESAMPLES)])) == best).mean()
    return float(share), bool(best == again)


def choices(tables: np.ndarray, populations: np.ndarray | None = None) -> np.ndarray:
    """COPA's choice (p = infinity, even weights) in each table, with ranks over the table or over populations."""
    populations = tables if populations is None else populations
    better = (populations[:, None, :, :] < tables[:, :, None, :]).sum(axis=2)
    return winner_of_each(better / populations.shape[1], WEIGHTS, np.inf, better.sum(axis=2), in_turn=True)


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
            frame = pd.DataFrame(values, columns=["a", "b"])
            said = copa_nb.stability(frame, objectives={"a": "min", "b": "min"}, n_resamples=N_RESAMPLES, rng=rng)
            shares += said.share.iloc[said.best_row]
            # In another order, so that ties do not always go to the same row.
            order = rng.permutation(size)
            hits += order[choices(values[None, order], others[None])[0]] == said.best
        yield Rate(
            AGAIN.format("population"),
            f"{size} rows, {kind}",
            "coverage",
            round(shares / n, 3),
            int(hits),
            n,
            POPULATION_NOTE,
        )


def tier_rates(n: int) -> Iterator[Rate]:
    """How often all true ranks are within the intervals of `tiers`: equal entities, a ladder, ranks over groups."""
    settings: dict[str, tuple[np.ndarray, Callable[[np.random.Generator, np.ndarray], copa_nb.Tiers]]] = {
        "6 equal entities, 30 items, one objective": (np.zeros((6, 1)), _tiers_of_items),
        "6 entities, half a deviation apart, 30 items, one objective": (np.arange(6.0)[:, None] / 2, _tiers_of_items),
        "6 equal entities, 5 runs, two objectives": (np.zeros((6, 2)), _tiers_of_runs),
        "6 entities, one deviation apart, 5 runs, two objectives": (
            np.column_stack([np.arange(6.0), np.arange(6.0)[[1, 0, 2, 3, 5, 4]]]), _tiers_of_runs,
        ),
    }  # fmt: skip
    for number, (setting, (means, draw)) in enumerate(settings.items()):
        rng = np.random.default_rng([13, number])
        true = copa_nb.copa(pd.DataFrame(means), objectives=dict.fromkeys(range(means.shape[1]), "min")).table["rank"]
        hits = 0
        for _ in range(n):
            table = draw(rng, means).table
            ranks = true.loc[table.index]
            # Of equal ones any order is true: their ranks are from the first to the last of them.
            last = ranks + ranks.map(ranks.value_counts()) - 1
            hits += bool(((table["low"] <= ranks) & (last <= table["high"])).all())
        yield Rate("tiers() intervals of ranks", setting, "coverage", LEVEL, hits, n)
    rng, hits = np.random.default_rng([13, len(settings)]), 0
    for _ in range(n):
        values = rng.standard_normal((20, 5))
        frame = pd.DataFrame(
            {"task": np.repeat(range(20), 5), "method": np.tile(range(5), 20), "error": values.ravel()}
        )
        standing = copa_nb.standings(frame, item="method", by="task", objectives={"error": "min"})
        table = standing.tiers(n_resamples=DRAWS, rng=rng).table
        hits += bool(((table["low"] == 1) & (table["high"] == 5)).all())
    yield Rate("standings().tiers() intervals of ranks", "5 equal methods, 20 tasks", "coverage", LEVEL, hits, n)


def _long(values: np.ndarray) -> pd.DataFrame:
    """Scores of shape (n_entities, n, n_objectives) as a long table."""
    n_entities, n, k = values.shape
    frame = pd.DataFrame(values.reshape(-1, k))
    return frame.assign(entity=np.repeat(range(n_entities), n), again=np.tile(range(n), n_entities))


def _tiers_of_items(rng: np.random.Generator, means: np.ndarray) -> copa_nb.Tiers:
    values = means[:, None, :] + rng.standard_normal((len(means), 30, means.shape[1])) + rng.standard_normal((1, 30, 1))
    objectives = dict.fromkeys(range(means.shape[1]), "min")
    return copa_nb.tiers(
        _long(values), system="entity", item="again", objectives=objectives, n_resamples=DRAWS, rng=rng
    )


def _tiers_of_runs(rng: np.random.Generator, means: np.ndarray) -> copa_nb.Tiers:
    values = means[:, None, :] + rng.standard_normal((len(means), 5, means.shape[1]))
    objectives = dict.fromkeys(range(means.shape[1]), "min")
    return copa_nb.tiers(
        _long(values), system="entity", repeat="again", objectives=objectives, n_resamples=DRAWS, rng=rng
    )


def equivalent_rates(n: int) -> Iterator[Rate]:
    """How often a cheaper entity that is worse by exactly the margin is called equivalent, and one that is as good."""
    objectives = {0: "min", 1: "min"}
    for number, n_items in enumerate((10, 100)):
        rng = np.random.default_rng([17, number])
        for what, worse in (("size", 1.0), ("power", 0.0)):
            hits = 0
            for _ in range(n):
                shared = 3 * rng.standard_normal((1, n_items, 1))
                values = shared + rng.standard_normal((2, n_items, 2)) + [[[0.0, 20.0]], [[worse, 0.0]]]
                found = copa_nb.cheaper_equivalent(
                    _long(values), 1, than=0, margin={0: 1.0}, system="entity", item="again", objectives=objectives
                )  # fmt: skip
                hits += found.best is not None
            setting = f"{n_items} items, {'worse by the margin' if worse else 'as good, margin of one deviation'}"
            yield Rate("cheaper_equivalent()", setting, what, 0.05 if what == "size" else None, hits, n)
