"""The hypervolume permutation test beside scipy's ``permutation_test`` with moocore inside, audits over cores, and
resampled fronts beside evalstats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib.util import find_spec
from typing import Any

import moocore
import numpy as np
import pandas as pd
from scipy.stats import permutation_test

import copa_nb
from benchmarks.speed.measure import COLUMNS, allowance, beside, figure, least_milliseconds, median_milliseconds
from copa_nb.arrays.parallel import processors
from copa_nb.comparisons.arrays.uncertainty import from_items, front_shares, significantly_better
from copa_nb.tables.description import define
from tests import asked

RESAMPLES = 5000
SHAPES = ("uniform", "simplex")


def runs(objectives: int, seeds: int, shape: str = "uniform") -> np.ndarray:
    """Runs of two systems, the first a little better: ndarray of float64, shape (2 seeds, objectives)."""
    rng = np.random.default_rng([objectives, seeds])
    points = rng.random((2 * seeds, objectives))
    if shape == "simplex":  # nearly every run is on the front
        points = rng.exponential(size=(2 * seeds, objectives))
        points /= points.sum(axis=1, keepdims=True)
    points[:seeds] *= 0.97
    return points


def hv_test_of(points: np.ndarray) -> Callable[[], object]:
    """The test of two systems through the accessor, with new relabelings at every call."""
    names = [f"f{i}" for i in range(points.shape[1])]
    table = pd.DataFrame(points, columns=names).assign(system=np.repeat(["A", "B"], len(points) // 2))
    table = define(table, dict.fromkeys(names, "min"))
    options = {"system": "system", "new": "A", "baseline": "B", "reference": dict.fromkeys(names, 1.1)}
    generator = np.random.default_rng(0)
    return lambda: asked.hv_test(table, **options, n_resamples=RESAMPLES, rng=generator)


def with_scipy(points: np.ndarray, n_resamples: int = RESAMPLES) -> float:
    """The p-value as one would write it: a library's hypervolume per side and relabeling."""
    n = len(points) // 2
    reference = np.full(points.shape[1], 1.1)

    def difference(new: np.ndarray, old: np.ndarray) -> float:
        rows = (np.asarray(side, dtype=int) for side in (new, old))
        first, second = (moocore.hypervolume(points[chosen], ref=reference) for chosen in rows)
        return abs(first - second)

    result = permutation_test(
        (np.arange(n), np.arange(n, 2 * n)), difference, n_resamples=n_resamples, alternative="greater",
        vectorized=False, rng=0,
    )  # fmt: skip
    return float(result.pvalue)


def hypervolume_tests(
    objectives: Sequence[int] = (2, 3, 4, 5), seeds: Sequence[int] = (10,), pairs: int = 3,
    shapes: Sequence[str] = SHAPES,
) -> pd.DataFrame:  # fmt: skip
    """``hv_test`` with 5,000 resamples beside scipy; in two objectives it may take a twentieth of the time.

    ``rows`` are the runs of both systems together.
    """
    found = []
    for shape in shapes:
        for k in objectives:
            for n in seeds:
                points = runs(k, n, shape)
                call = hv_test_of(points)
                call()  # may compile
                measured = beside({"": call}, partial(with_scipy, points), pairs)[""]
                target = 1 / 20 if (k, n) == (2, 10) else np.nan
                what = f"hv_test, K = {k}, 2 × {n} seeds"
                found.append(figure("seeds", what, shape, (2 * n, k), "scipy with moocore", measured, target))
    return pd.DataFrame(found, columns=COLUMNS)


def audits(n_systems: int = 16, objectives: Sequence[int] = (2, 3, 5), pairs: int = 3) -> pd.DataFrame:
    """An audit of all claims among systems on every core, beside the same on one; ``rows`` are runs."""
    found = []
    for k in objectives:
        audit = audit_of(n_systems, k)
        claims = len(audit(1).table)
        measured = beside({"": partial(audit, processors())}, partial(audit, 1), pairs)[""]
        # The processor time of processes that share the work out is not this one's.
        measured = replace(measured, cpu_ratio=np.nan)
        what = f"audit on {processors()} cores, {claims} claims"
        found.append(figure("seeds", what, "", (10 * n_systems, k), "one core", measured))
    return pd.DataFrame(found, columns=COLUMNS)


def resampled_fronts(
    systems: int = 200, items: int = 2000, n_resamples: int = 10_000, pairs: int = 2, *,
    beside_peer: tuple[int, int, int] = (50, 500, 2000),
) -> pd.DataFrame:  # fmt: skip
    """Fronts with confidence of three metrics in 10 s, and shares of resampled fronts of two beside evalstats.

    The first has all that ``confident_front`` computes: shares, and what is established for all pairs at once. The
    second draws the same items as its peer; `beside_peer` are its systems, items and resamples.
    """
    what, kind = "resampled fronts, {:,} items, {:,} resamples", "noise"
    small, full = scores_of(beside_peer[0], beside_peer[1], 2), scores_of(systems, items, 3)
    verdicts_of(small, 100)  # may compile
    found = [
        allowance(
            "seeds", f"{what.format(items, n_resamples)}, 10 s allowed", kind, (systems, 3),
            median_milliseconds(lambda: verdicts_of(full, n_resamples), 1), 10_000.0,
        )
    ]  # fmt: skip
    if find_spec("evalstats") is not None:
        peer = partial(with_evalstats, small, beside_peer[2])
        measured = beside({"": partial(shares_of, small, beside_peer[2])}, peer, pairs)[""]
        found.append(figure("seeds", what.format(*beside_peer[1:]), kind, (beside_peer[0], 2), "evalstats", measured))
    return pd.DataFrame(found, columns=COLUMNS)


def comparisons(n_items: int = 1_000_000) -> pd.DataFrame:
    """Two systems compared in three metrics on the same items; 5 s allowed."""
    rng = np.random.default_rng(0)
    log = pd.DataFrame({"system": np.repeat(["new", "old"], n_items), "item": np.tile(np.arange(n_items), 2)})
    log["right"] = (rng.random(2 * n_items) < np.repeat([0.71, 0.7], n_items)).astype(float)
    log["cost"], log["time"] = rng.lognormal(size=2 * n_items), rng.normal(size=2 * n_items)
    ways = {"right": "max", "cost": "min", "time": "min"}
    options = {"new": "new", "baseline": "old", "system": "system", "item": "item", "objectives": ways}
    asked.compare(log.groupby("system").head(100), **options)  # imports
    took = least_milliseconds(lambda: asked.compare(log, **options), 2)
    what = f"compare, {n_items:,} items, 5 s allowed"
    return pd.DataFrame([allowance("seeds", what, "noise", (2, 3), took, 5_000.0)], columns=COLUMNS)


def scores_of(systems: int, items: int, metrics: int) -> np.ndarray:
    """Costs of systems on items: ndarray of float64, shape (items, systems, metrics); whole numbers, sums are exact."""
    rng = np.random.default_rng([systems, items, metrics])
    level = rng.normal(0, 1, (1, systems, metrics))
    return np.round(10 * (level + rng.normal(0, 3, (items, systems, metrics))))


def shares_of(scores: np.ndarray, n_resamples: int) -> np.ndarray:
    """Share of the resamples in which each system is on the front."""
    measured = from_items(
        scores[:, None], np.zeros(scores.shape[2], dtype=bool), n_resamples=n_resamples, rng=np.random.default_rng(0)
    )
    return front_shares(measured.draws)


def verdicts_of(scores: np.ndarray, n_resamples: int) -> tuple[np.ndarray, np.ndarray]:
    """These shares, and which differences are significant."""
    measured = from_items(
        scores[:, None], np.zeros(scores.shape[2], dtype=bool), n_resamples=n_resamples, rng=np.random.default_rng(0)
    )
    return front_shares(measured.draws), significantly_better(measured, alpha=0.05)


def with_evalstats(scores: np.ndarray, n_resamples: int) -> np.ndarray:
    """The same from evalstats, which takes two metrics of which more is better."""
    from evalstats.core.pareto import pareto_bootstrap

    names = [str(number) for number in range(scores.shape[1])]
    first, second = (-scores[:, :, metric].T for metric in (0, 1))
    return np.asarray(pareto_bootstrap(first, second, names, n_resamples, np.random.default_rng(0)).p_frontier)


def audit_of(n_systems: int, objectives: int) -> Callable[[int], Any]:
    """The audit of systems of ten runs each, as a function of the number of processes."""
    names = [f"f{i}" for i in range(objectives)]
    rng = np.random.default_rng(0)
    level = np.repeat(np.linspace(0, 1, n_systems), 10)[:, None]
    table = pd.DataFrame(level + rng.normal(0, 0.2, (10 * n_systems, objectives)), columns=names)
    table = table.assign(system=np.repeat(np.arange(n_systems), 10), seed=np.tile(np.arange(10), n_systems))
    table = define(table, dict.fromkeys(names, "min"))

    def audited(n_jobs: int | None) -> Any:
        with copa_nb.options(n_jobs=n_jobs):
            return asked.audit(table, system="system", repeat="seed", progress=False)

    return audited


def seconds_of_test(objectives: int, seeds: int, repeats: int = 3) -> float:
    """Median time of a test, for how it grows with seeds."""
    call = hv_test_of(runs(objectives, seeds))
    call()
    return median_milliseconds(call, repeats) / 1e3
