"""Tables as benchmarks have them, drawn so that the true means are known.

An :class:`Objective` has the true mean of every system and a function that draws values of shape (n_systems, n_items,
n_repeats). A :class:`Benchmark` is a set of objectives, drawn into a long table, and how the table is to be read.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

Draw = Callable[[np.random.Generator], np.ndarray]
Shape = tuple[int, int]
# What the columns of standard errors end in.
ERROR = " (standard error)"
# The column of the numbers of values behind means.
COUNT = "values"


class Objective(NamedTuple):
    """What is measured: the mean of each system in its own units, and how values are drawn."""

    means: np.ndarray
    draw: Draw
    direction: str = "min"


@dataclass(frozen=True)
class Benchmark:
    """Systems, what is measured of them, and how a table of measurements is read.

    Parameters
    ----------
    objectives : dict of name to Objective
    reading : dict
        What a verb is told of the table: ``item``, ``repeat``, ``known``.
    counts : sequence of int, optional
        Runs of each system, where they differ.
    summarized : bool
        Whether the table has means and standard errors in place of the runs.
    sizes : sequence of int, optional
        Items of each cluster, where items are drawn in clusters.
    missing : float
        Share of the rows that are missing.
    lacking : float
        Share of the items that the first half of the systems has not been measured on.
    selective : bool
        Whether every other system lacks the rows with its worst values of the first objective; otherwise rows are
        missing at random.
    """

    objectives: Mapping[str, Objective]
    reading: Mapping[str, Any]
    counts: Sequence[int] | None = None
    summarized: bool = False
    sizes: Sequence[int] | None = None
    missing: float = 0.0
    lacking: float = 0.0
    selective: bool = False

    @property
    def options(self) -> dict[str, Any]:
        """Keywords for a verb."""
        return {"system": "system", "objectives": self.directions, **self.reading}

    @property
    def directions(self) -> dict[str, str]:
        """Direction of each objective."""
        return {name: objective.direction for name, objective in self.objectives.items()}

    @property
    def truth(self) -> pd.DataFrame:
        """True means, one row for each system."""
        return pd.DataFrame({name: objective.means for name, objective in self.objectives.items()})

    def table(self, rng: np.random.Generator) -> pd.DataFrame:
        """Draw a table: one row for each system, item and repetition, or for each system if it is summarized."""
        drawn = {name: objective.draw(rng) for name, objective in self.objectives.items()}
        shape = np.broadcast_shapes(*(values.shape for values in drawn.values()))
        system, item, repeat = np.indices(shape).reshape(3, -1)
        frame = pd.DataFrame({"system": system, "item": item, "repeat": repeat})
        for name, values in drawn.items():
            frame[name] = np.broadcast_to(values, shape).ravel()
        if self.sizes is not None:
            frame["cluster"] = np.repeat(np.arange(len(self.sizes)), self.sizes)[item]
        if self.missing:
            frame = self._with_gaps(frame, rng)
        if self.lacking:
            strong = frame["system"] < system.max() // 2 + 1
            frame = frame[~(strong & (frame["item"] < self.lacking * (item.max() + 1)))]
        if self.counts is not None:
            frame = frame[repeat < np.array(self.counts)[system]]
        if not self.summarized:
            return frame
        groups = frame.groupby("system")[list(drawn)]
        errors = groups.std() / np.sqrt(groups.count())
        numbers = groups.count().iloc[:, 0].rename(COUNT)
        return pd.concat([groups.mean(), errors.add_suffix(ERROR), numbers], axis=1).reset_index()

    def _with_gaps(self, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Without the rows that are missing. A run has no item by which it would be missed: its first value is NaN."""
        missing = self._is_missing(frame, rng)
        if "item" in self.reading:
            return frame[~missing]
        name = next(iter(self.objectives))
        return frame.assign(**{name: frame[name].mask(missing)})

    def _is_missing(self, frame: pd.DataFrame, rng: np.random.Generator) -> np.ndarray:
        """Which rows are missing; of equal values any."""
        drawn = rng.random(len(frame))
        if not self.selective:
            missing: np.ndarray = drawn < self.missing
            return missing
        name, direction = next(iter(self.directions.items()))
        costs = frame[name].to_numpy() * (1 if direction == "min" else -1)
        place = np.empty(len(frame))
        place[np.lexsort((drawn, -costs, frame["system"]))] = frame.groupby("system").cumcount()
        share = place / frame.groupby("system")["item"].transform("size").to_numpy()
        failing: np.ndarray = np.where(frame["system"] % 2 == 1, share, drawn) < self.missing
        return failing


def on_items(**objectives: Objective) -> Benchmark:
    """Every system is measured once on the same items."""
    return Benchmark(objectives, {"item": "item"})


def on_clusters(sizes: Sequence[int], **objectives: Objective) -> Benchmark:
    """Every system is measured once on the same items, which are drawn in clusters."""
    return Benchmark(objectives, {"item": "item", "cluster": "cluster"}, sizes=sizes)


def with_gaps(
    benchmark: Benchmark, missing: float, *, nan_policy: str = "pairwise", selective: bool = False
) -> Benchmark:
    """The same with a share of the rows missing, at random or where every other system does worst."""
    reading = {**benchmark.reading, "nan_policy": nan_policy}
    return replace(benchmark, missing=missing, selective=selective, reading=reading)


def on_runs(counts: Sequence[int] | None = None, **objectives: Objective) -> Benchmark:
    """Every system has independent runs, numbered within the system."""
    return Benchmark(objectives, {"repeat": "repeat"}, counts)


def on_summaries(**objectives: Objective) -> Benchmark:
    """The table has the mean of the runs of each system, with its standard error."""
    return Benchmark(objectives, {"standard_error": {name: name + ERROR for name in objectives}}, summarized=True)


def on_items_and_seeds(**objectives: Objective) -> Benchmark:
    """Every system is measured on every item with every seed."""
    return Benchmark(objectives, {"item": "item", "repeat": "repeat"})


def with_options(benchmark: Benchmark, **options: Any) -> Benchmark:
    """The same, with further keywords for the verb."""
    return replace(benchmark, reading={**benchmark.reading, **options})


def equal(n: int, mean: float = 0.0) -> np.ndarray:
    """Means of systems that do not differ."""
    return np.full(n, mean)


def resampled(means: np.ndarray, deviations: np.ndarray, shape: Shape) -> Objective:
    """Items drawn from real ones: on each, systems deviate from their means as on one of them.

    Parameters
    ----------
    means : ndarray, shape (n_systems,)
    deviations : ndarray, shape (n_real_items, n_systems)
        Of mean 0 for each system.
    shape : tuple of int
        Numbers of items and of repetitions.
    """

    def draw(rng: np.random.Generator) -> np.ndarray:
        drawn = rng.integers(len(deviations), size=shape)
        return means[:, None, None] + np.moveaxis(deviations[drawn], -1, 0)

    return Objective(means, draw, "max")


def distilled(means: np.ndarray, shape: Shape, *, loss: float = 0.6) -> Objective:
    """Scores in which systems are alike, but that those with a lower mean lose much on few items."""
    best = means.max()

    def draw(rng: np.random.Generator) -> np.ndarray:
        size = (len(means), *shape)
        common = best + 0.1 * rng.uniform(-1, 1, size=(1, *shape))
        lost = rng.random(size) < ((best - means) / loss)[:, None, None]
        return common + 0.02 * rng.uniform(-1, 1, size=size) - loss * lost

    return Objective(means, draw, "max")


def two_modes(means: np.ndarray, shape: Shape, *, distance: float = 1.0) -> Objective:
    """Values near one of two modes, which are equally frequent."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        size = (len(means), *shape)
        modes = rng.choice([-0.5, 0.5], size=size) * distance
        return means[:, None, None] + modes + 0.05 * distance * rng.standard_normal(size)

    return Objective(means, draw)


def constant(values: Sequence[float], direction: str = "min") -> Objective:
    """A price list: the same number on every item."""
    means = np.asarray(values, dtype=float)
    return Objective(means, lambda rng: means[:, None, None], direction)


def normal(means: np.ndarray, shape: Shape, *, noise: float | Sequence[float] = 1.0, shared: float = 0.0) -> Objective:
    """Normal noise, of each system's own size, and levels of items that all systems share."""
    spread = np.broadcast_to(np.asarray(noise, dtype=float), means.shape)[:, None, None]

    def draw(rng: np.random.Generator) -> np.ndarray:
        levels = shared * rng.standard_normal((1, shape[0], 1))
        return means[:, None, None] + levels + spread * rng.standard_normal((len(means), *shape))

    return Objective(means, draw)


def right_or_wrong(shares: np.ndarray, shape: Shape, *, shared: float = 0.0) -> Objective:
    """1 for right and 0 for wrong; a share of the items is hard or easy for all systems alike."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        alone = rng.random((len(shares), *shape))
        common = np.broadcast_to(rng.random((1, shape[0], 1)), alone.shape)
        alike = rng.random((1, shape[0], 1)) < shared
        return (np.where(alike, common, alone) < shares[:, None, None]).astype(float)

    return Objective(shares, draw, "max")


def attempts(shares: np.ndarray, shape: Shape, *, alike: float = 0.0) -> Objective:
    """1 for right and 0 for wrong, several times for each item; on some of the items a system repeats itself."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        alone = rng.random((len(shares), *shape))
        same = rng.random((len(shares), shape[0], 1)) < alike
        return (np.where(same, alone[..., :1], alone) < shares[:, None, None]).astype(float)

    return Objective(shares, draw, "max")


def attempts_in_clusters(shares: np.ndarray, sizes: Sequence[int]) -> Objective:
    """1 for right and 0 for wrong; half of the clusters are right, or wrong, as wholes."""
    clusters = np.repeat(np.arange(len(sizes)), sizes)

    def draw(rng: np.random.Generator) -> np.ndarray:
        of_clusters = rng.random((len(shares), len(sizes)))[:, clusters]
        whole = rng.random((len(shares), len(sizes)))[:, clusters] < 0.5
        drawn = np.where(whole, of_clusters, rng.random(of_clusters.shape)) < shares[:, None]
        return drawn[..., None].astype(float)

    return Objective(shares, draw, "max")


def mostly_zero(means: np.ndarray, shape: Shape, *, share: float = 0.05, bounded: bool = False) -> Objective:
    """Values of 0 but for a share of the items: log-normal costs, or scores of up to twice their mean."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        size = (len(means), *shape)
        there = rng.random(size) < share
        drawn = rng.uniform(0, 2, size) if bounded else np.exp(rng.standard_normal(size) - 0.5)
        return np.where(there, drawn * means[:, None, None] / share, 0.0)

    return Objective(means, draw, "max" if bounded else "min")


def accuracies(shares: np.ndarray, n_tasks: int, shape: Shape) -> Objective:
    """Shares of right answers among a number of tasks, of each run or item: few different values."""
    return Objective(
        shares, lambda rng: rng.binomial(n_tasks, shares[:, None, None], (len(shares), *shape)) / n_tasks, "max"
    )


def counts(means: np.ndarray, shape: Shape) -> Objective:
    """Poisson numbers, such as failed tests."""
    return Objective(means, lambda rng: rng.poisson(means[:, None, None], (len(means), *shape)).astype(float))


def rounded(objective: Objective, step: float) -> Objective:
    """Values as tables print them. Means of equal systems stay equal; others move by less than a step."""
    return objective._replace(draw=lambda rng: np.round(objective.draw(rng) / step) * step)


def log_normal(means: np.ndarray, shape: Shape, *, sigma: float | Sequence[float] = 1.0) -> Objective:
    """Costs and times: many small, few large; the spread of logarithms may differ from system to system."""
    spread = np.broadcast_to(np.asarray(sigma, dtype=float), means.shape)[:, None, None]

    def draw(rng: np.random.Generator) -> np.ndarray:
        noise = spread * rng.standard_normal((len(means), *shape)) - spread**2 / 2
        return means[:, None, None] * np.exp(noise)

    return Objective(means, draw)


def rare_failures(means: np.ndarray, shape: Shape, *, failing: Sequence[bool], share: float = 0.01) -> Objective:
    """Costs that vary by a tenth; some systems fail on few items, which then cost 1000 times as much.

    The mean counts the failures: a system that fails is cheaper than its mean on all other items.
    """
    factor = 1000.0
    fails = np.asarray(failing)[:, None, None]

    def draw(rng: np.random.Generator) -> np.ndarray:
        usual = means[:, None, None] * (1 + 0.1 * rng.standard_normal((len(means), *shape)))
        failed = fails & (rng.random(usual.shape) < share)
        return usual * np.where(failed, factor, 1) / np.where(fails, 1 + share * (factor - 1), 1)

    return Objective(means, draw)


def heavy_item(objective: Objective, weight: float = 100.0) -> Objective:
    """The noise of the first item counts many times as much as that of the others."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = objective.draw(rng)
        means = objective.means[:, None]
        values[:, 0] = means + weight * (values[:, 0] - means)
        return values

    return objective._replace(draw=draw)


def on_scales(objective: Objective, sigma: float = 1.0) -> Objective:
    """Items of different scales: all values of an item are multiplied by a number of mean 1."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = objective.draw(rng)
        return values * np.exp(sigma * rng.standard_normal((1, values.shape[1], 1)) - sigma**2 / 2)

    return objective._replace(draw=draw)


def with_cluster_effects(objective: Objective, sizes: Sequence[int], spread: float = 1.0) -> Objective:
    """Every cluster of items makes a system better or worse on all of them at once."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = objective.draw(rng)
        effects = spread * rng.standard_normal((len(values), len(sizes), 1))
        return values + np.repeat(effects, sizes, axis=1)

    return objective._replace(draw=draw)


def with_seed_effects(objective: Objective, spread: float) -> Objective:
    """Every seed makes a system better or worse on all items at once."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = objective.draw(rng)
        return values + spread * rng.standard_normal((len(values), 1, values.shape[2]))

    return objective._replace(draw=draw)


def repeated(objective: Objective, n_repeats: int) -> Objective:
    """Several repetitions of every item, of which a half are as the first one."""

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = np.concatenate([objective.draw(rng) for _ in range(n_repeats)], axis=2)
        return np.where(rng.random(values.shape) < 0.5, values[..., :1], values)

    return objective._replace(draw=draw)


def alike_in_clusters(objective: Objective, sizes: Sequence[int]) -> Objective:
    """Items drawn in clusters, of which a half are as the first one of their cluster, for all systems."""
    first = np.repeat(np.cumsum([0, *sizes[:-1]]), sizes)

    def draw(rng: np.random.Generator) -> np.ndarray:
        values = objective.draw(rng)
        alike = rng.random((1, values.shape[1], 1)) < 0.5
        return np.where(alike, values[:, first], values)

    return objective._replace(draw=draw)


def first_items(objective: Objective, n_items: int) -> Objective:
    """The same on fewer items."""
    return objective._replace(draw=lambda rng: objective.draw(rng)[:, :n_items])
