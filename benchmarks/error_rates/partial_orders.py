"""Intervals of depths and p-values of suites: problems drawn from a population in which every depth is known.

An order comes from items whose mean costs are spread evenly, with normal noise of its own on every problem; the
population is 20,000 such orders.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import pandas as pd

from benchmarks.error_rates import Answers, Rate, names_of
from copa_nb.partial_orders.arrays.relations import distinct_relations, relations_from_costs
from copa_nb.partial_orders.arrays.ufg import encode, exact_depth
from copa_nb.results import PosetSample

POPULATION = 20_000
N_RESAMPLES = 200


class Setting(NamedTuple):
    """What the problems compare, and how many there are."""

    n_items: int
    n_criteria: int
    spread: float
    n_problems: int

    def __str__(self) -> str:
        return (
            f"{self.n_items} items, {self.n_criteria} criteria, {self.n_problems} problems, items "
            f"{self.spread:g} standard deviations apart"
        )

    def orders(self, rng: np.random.Generator, n: int) -> np.ndarray:
        """Draw orders."""
        means = np.arange(self.n_items)[:, None] * self.spread
        return relations_from_costs(means + rng.normal(size=(n, self.n_items, self.n_criteria)))[0]


SETTINGS = (
    Setting(3, 2, 0.5, 10), Setting(3, 2, 0.5, 30), Setting(3, 2, 1.0, 20), Setting(4, 2, 1.5, 15),
    Setting(4, 2, 1.5, 40),
)  # fmt: skip
SUITES = ((Setting(4, 2, 0.5, 8), 8), (Setting(4, 2, 1.0, 10), 20), (Setting(3, 2, 0.5, 15), 15))
SAMPLED = (Setting(3, 2, 0.5, 20), Setting(4, 2, 1.0, 20), Setting(5, 2, 1.0, 20))


def rates(n: int) -> Iterator[Rate]:
    """Coverage of the intervals of ``depth``, and size of the test of ``posets().compare``."""
    yield from bootstrap_rates(n)
    yield from sampling_rates(n)
    yield from suite_rates(n)


def suite_rates(n: int, settings: tuple[tuple[Setting, int], ...] = SUITES) -> Iterator[Rate]:
    """How often two suites drawn from the same population are called different at 5%."""
    for number, (setting, others) in enumerate(settings):
        rng = np.random.default_rng([5, number])
        answers = Answers()
        for _ in range(n):
            first, second = (
                PosetSample(setting.orders(rng, size), pd.RangeIndex(setting.n_items), pd.RangeIndex(size))
                for size in (setting.n_problems, others)
            )
            found = first.compare(second, rng=rng)
            answers.add(found.pvalue <= 0.05, names_of(found.guarantee))
        yield answers.rate("posets().compare().pvalue", f"{setting}; and {others} problems")


def bootstrap_rates(n: int, settings: tuple[Setting, ...] = SETTINGS) -> Iterator[Rate]:
    """How often intervals of ``depth().bootstrap()`` cover the depth in the population; a problem of each sample."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([3, number])
        population = setting.orders(np.random.default_rng(99), POPULATION)
        first, _ = distinct_relations(population)
        depths = exact_depth(encode(population, population[first])).depth
        true = {population[row].tobytes(): depth for row, depth in zip(first, depths, strict=True)}
        answers = Answers()
        for _ in range(n):
            orders = setting.orders(rng, setting.n_problems)
            result = PosetSample(orders, pd.RangeIndex(setting.n_items), pd.RangeIndex(len(orders))).depth()
            line = result.bootstrap(N_RESAMPLES, rng=rng).loc[0]
            covers = line["low"] <= true.get(orders[0].tobytes(), 0.0) <= line["high"]
            answers.add(not covers, names_of(result.guarantee))
        yield answers.rate("depth().bootstrap()", str(setting), "coverage", 0.95)


def sampling_rates(n: int, settings: tuple[Setting, ...] = SAMPLED) -> Iterator[Rate]:
    """How often intervals of ``depth(method="sample")`` cover the exact depth in the same sample."""
    for number, setting in enumerate(settings):
        rng = np.random.default_rng([4, number])
        hits = 0
        for _ in range(n):
            orders = setting.orders(rng, setting.n_problems)
            sample = PosetSample(orders, pd.RangeIndex(setting.n_items), pd.RangeIndex(len(orders)))
            estimate = sample.depth(method="sample", n_samples=1000, rng=rng).table.loc[0]
            hits += bool(estimate["low"] - 1e-12 <= sample.depth().depth.loc[0] <= estimate["high"] + 1e-12)
        note = "Monte Carlo error only: what the same sample's exact depth is"
        yield Rate('depth(method="sample")', str(setting), "coverage", 0.95, hits, n, note)
