"""``compare``: coverage of all intervals at once, wrong verdicts, and power."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Answers, Rate, names_of
from benchmarks.error_rates.generators import (
    Benchmark,
    Objective,
    counts,
    distilled,
    equal,
    log_normal,
    normal,
    on_clusters,
    on_items,
    on_items_and_seeds,
    on_scales,
    rare_failures,
    right_or_wrong,
    rounded,
    with_cluster_effects,
    with_seed_effects,
)  # fmt: skip
from benchmarks.error_rates.settings import RARE_FAILURES, UNEQUAL
from tests import asked

PLAN = "compare().needed().n_items"
INTERVALS, VERDICT = "compare().table: all intervals", "compare().verdict"


# Items of each cluster where a few hold most of them; the second as in SWE-bench.
ONE_LARGE = [500, *[39] * 5]
REPOSITORIES = [231, 75, 44, 34, 32, 22, 22, 19, 8, 8, 4, 1]


def clustered(objective: Objective, sizes: list[int], spread: float) -> Benchmark:
    """Clusters that make one system better or worse on all of their items."""
    return on_clusters(sizes, score=with_cluster_effects(objective, sizes, spread))


def attempts(share: float, n_items: int, n_repeats: int) -> Benchmark:
    """Right or wrong answers in several attempts at each item, half of the items alike for both systems."""
    return on_items_and_seeds(accuracy=right_or_wrong(equal(2, share), (n_items, n_repeats), shared=0.5))


def either(n_items: int) -> Objective:
    """Every item is much better or much worse for one of the systems."""
    means = equal(2)

    def draw(rng: np.random.Generator) -> np.ndarray:
        return rng.choice([-0.5, 0.5], size=(2, n_items, 1)) + 0.001 * rng.standard_normal((2, n_items, 1))

    return Objective(means, draw)


def preferences(n_items: int) -> Objective:
    """Judgments of a pair: for one, for the other, or a tie."""
    return Objective(equal(2), lambda rng: rng.integers(-1, 2, size=(2, n_items, 1)).astype(float))


def zero_inflated(n_items: int) -> Objective:
    """Most items cost nothing, and one in twenty a log-normal amount."""
    costs = log_normal(equal(2, 20.0), (n_items, 1), sigma=1.0)
    return Objective(
        equal(2, 1.0), lambda rng: np.where(rng.random((2, n_items, 1)) < 0.05, costs.draw(rng), 0.0)
    )  # fmt: skip


def three_times(objective: Objective) -> Objective:
    """Every item is there three times."""
    return objective._replace(draw=lambda rng: np.tile(objective.draw(rng), (1, 3, 1)))


def on_three(n_items: int) -> Benchmark:
    """Accuracy, cost and time."""
    return on_items(
        accuracy=right_or_wrong(equal(2, 0.8), (n_items, 1), shared=0.5),
        cost=log_normal(equal(2, 1.0), (n_items, 1), sigma=0.5),
        time=normal(equal(2, 5.0), (n_items, 1), shared=2),
    )


EQUAL: dict[str, Benchmark] = {
    **{
        f"right or wrong at {share:g}, {n} items, half of them alike for both":
            on_items(accuracy=right_or_wrong(equal(2, share), (n, 1), shared=0.5))
        for share in (0.5, 0.9, 0.98) for n in (20, 100, 500, 2000)
    },
    **{f"normal, {n} items of shared difficulty": on_items(score=normal(equal(2), (n, 1), shared=2))
       for n in (5, 20, 2000)},
    "values rounded to one standard deviation, 20 items": on_items(score=rounded(normal(equal(2), (20, 1)), 1.0)),
    "counts of mean .1, 50 items": on_items(errors=counts(equal(2, 0.1), (50, 1))),
    **{f"accuracy, cost and time, {n} items": on_three(n) for n in (20, 200)},
    **{f"{n} clusters of 5 items, effects as large as the noise":
       clustered(normal(equal(2), (5 * n, 1), shared=1), [5] * n, 1.0) for n in (5, 10, 40)},
    **{f"{10 * n} clusters of 1 to 20 items, effects as large as the noise":
       clustered(normal(equal(2), (sum(UNEQUAL) * n, 1)), list(UNEQUAL * n), 1.0) for n in (1, 4)},
    "right or wrong at .5, 20 clusters of 5 items": on_clusters(
        [5] * 20, score=rounded(
            with_cluster_effects(normal(equal(2, 0.5), (100, 1), noise=0.2), [5] * 20, spread=0.2), 1.0)),
    **{f"right or wrong at {share:g}, 5 attempts at each of {n} items": attempts(share, n, 5)
       for share in (0.7, 0.98) for n in (20, 200)},
    **{f"a skewed and a steady system (log-normal, sigma 1.5 and .2), {n} items":
       on_items(cost=log_normal(equal(2, 1.0), (n, 1), sigma=[1.5, 0.2])) for n in (5, 10, 50, 500)},
    **{f"seeds that all items share, {n} items and {m} seeds, effects of {spread:g}":
       on_items_and_seeds(score=with_seed_effects(normal(equal(2), (n, m), shared=1), spread))
       for n, m, spread in ((100, 3, 0.3), (400, 3, 0.1), (100, 5, 0.3), (100, 5, 0.0))},
    "right or wrong, seeds that all items share, 400 items and 3 seeds": on_items_and_seeds(
        accuracy=rounded(with_seed_effects(normal(equal(2, 0.5), (400, 3), noise=0.3), 0.1), 1.0)),
    **{f"{len(sizes)} clusters, the largest of {sizes[0]} items, effects of {spread:g}":
       clustered(normal(equal(2), (sum(sizes), 1), shared=1), sizes, spread)
       for sizes in (ONE_LARGE, REPOSITORIES) for spread in (0.0, 0.3)},
    **{f"differences of -1 or 1, {n} items": on_items(score=either(n)) for n in (3, 4, 6, 8)},
    "normal, 30 items, every one three times": on_items(score=three_times(normal(equal(2), (30, 1)))),
    **{f"zero-inflated costs (1 item in 20, log-normal), {n} items": on_items(cost=zero_inflated(n))
       for n in (30, 100, 300)},
    **{f"log-normal costs (sigma {sigma:g}) on items of different scales, {n} items":
       on_items(cost=on_scales(log_normal(equal(2, 1.0), (n, 1), sigma=sigma), 1.0))
       for sigma in (1.0, 2.0) for n in (30, 300)},
    "preferences of -1, 0 and 1, 50 items": on_items(score=preferences(50)),
    "log-normal costs (sigma 1.5), 20 items": on_items(cost=log_normal(equal(2, 1.0), (20, 1), sigma=1.5)),
    f"{RARE_FAILURES} of one system, 100 items":
        on_items(cost=rare_failures(equal(2, 1.0), (100, 1), failing=[False, True])),
}  # fmt: skip

# The new system comes first.
APART: dict[str, Benchmark] = {
    **{f"right in {new:g} and {old:g}, {n} items": on_items(accuracy=right_or_wrong(np.array([new, old]), (n, 1)))
       for new, old in ((0.9, 0.7), (0.99, 0.9)) for n in (20, 100, 500)},
    **{f"right in .9 and .7, 5 attempts at each of {n} items":
       on_items_and_seeds(accuracy=right_or_wrong(np.array([0.9, 0.7]), (n, 5), shared=0.5)) for n in (20, 200)},
    "right in .99 and .95, 5 attempts at each of 20 items":
        on_items_and_seeds(accuracy=right_or_wrong(np.array([0.99, 0.95]), (20, 5), shared=0.5)),
    **{f"better by {shift:g}, {len(sizes)} clusters, the largest of {sizes[0]} items":
       clustered(normal(np.array([-shift, 0.0]), (sum(sizes), 1), shared=1), sizes, 0.0)
       for sizes in (ONE_LARGE, REPOSITORIES) for shift in (0.3,)},
    "right more often by .1, at twice the cost, 200 items": on_items(
        accuracy=right_or_wrong(np.array([0.8, 0.7]), (200, 1), shared=0.5),
        cost=log_normal(np.array([2.0, 1.0]), (200, 1), sigma=0.5)),
}  # fmt: skip

# Worse by exactly the margin: no verdict may say that it is not worse.
AT_THE_MARGIN: dict[str, tuple[dict[str, float], Benchmark]] = {
    **{f"right or wrong: .90 compared with .95, margin .05, {n} items": (
        {"accuracy": 0.05}, on_items(accuracy=right_or_wrong(np.array([0.90, 0.95]), (n, 1)))
    ) for n in (20, 200, 2000)},
    "normal, worse by the margin, 20 items": (
        {"score": 1.0}, on_items(score=normal(np.array([1.0, 0.0]), (20, 1), shared=3))),
    **{f"distilled: alike on most items, worse by .6 on 3% of {n}": (
        {"score": 0.018}, on_items(score=distilled(np.array([0.682, 0.7]), (n, 1)))) for n in (50, 200)},
    "better in cost, less accurate by the margin, 200 items": (
        {"accuracy": 0.05}, on_items(
            accuracy=right_or_wrong(np.array([0.85, 0.90]), (200, 1)),
            cost=log_normal(np.array([1.0, 2.0]), (200, 1), sigma=0.5))),
}  # fmt: skip

# What is wrong of the first objective in these.
NOT_WORSE = {"better", "equivalent", "not worse"}

# Two systems that differ, by the number of items.
PLANNED: dict[str, Callable[[int], Benchmark]] = {
    "right in .78 and .7, half of the items alike for both": lambda n: on_items(
        accuracy=right_or_wrong(np.array([0.78, 0.70]), (n, 1), shared=0.5)
    ),
    "accuracy higher by .08, cost lower by a tenth": lambda n: on_items(
        accuracy=right_or_wrong(np.array([0.78, 0.70]), (n, 1), shared=0.5),
        cost=log_normal(np.array([0.9, 1.0]), (n, 1), sigma=0.5),
    ),
}


# Two systems that differ, on five seeds that all items share, by the number of items.
PLANNED_WITH_SEEDS: dict[str, Callable[[int], Benchmark]] = {
    f"better by .5, 5 seeds that all items share, effects of {spread:g}": lambda n, spread=spread: on_items_and_seeds(
        score=with_seed_effects(normal(np.array([-0.5, 0.0]), (n, 5), shared=1), spread)
    )
    for spread in (0.05, 0.1)
}
ITEMS_OF_PILOT, MOST_ITEMS_OF_PLAN = 50, 2000


def compared(
    benchmark: Benchmark, rng: np.random.Generator, margin: dict[str, float] | None = None
) -> copa_nb.results.Comparison:
    """Compare system 0 with system 1 in a new table."""
    return asked.compare(benchmark.table(rng), new=0, baseline=1, margin=margin, **benchmark.options)


def rates(n: int) -> Iterator[Rate]:
    """All of them."""
    yield from interval_rates(n)
    yield from verdict_rates(n)
    yield from powers(n)
    yield from planned_powers(n)
    yield from planned_powers_with_seeds(n)


def interval_rates(n: int, benchmarks: Mapping[str, Benchmark] = EQUAL | APART) -> Iterator[Rate]:
    """How often all intervals cover the true differences, and how often a difference between equal systems is found."""
    for setting, benchmark in benchmarks.items():
        rng, intervals, verdicts = _generator(setting), Answers(), Answers()
        for _ in range(n):
            result = compared(benchmark, rng)
            intervals.add(misses(result.table, benchmark.truth), names_of(result.guarantee))
            verdicts.add(bool(result.better or result.worse), names_of(result.guarantee))
        yield intervals.rate(INTERVALS, setting, "coverage", 0.95)
        if setting in EQUAL:
            yield verdicts.rate(VERDICT, setting)


def verdict_rates(n: int) -> Iterator[Rate]:
    """How often a system that is worse by the margin counts as not worse."""
    for setting, (margin, benchmark) in AT_THE_MARGIN.items():
        rng, answers = _generator(setting), Answers()
        for _ in range(n):
            result = compared(benchmark, rng, margin)
            answers.add(not NOT_WORSE.isdisjoint(result.table["verdict"].iloc[:1]), names_of(result.guarantee))
        yield answers.rate(VERDICT, setting)


def powers(n: int) -> Iterator[Rate]:
    """How often two systems that differ are told apart in every objective."""
    for setting, benchmark in APART.items():
        rng = _generator(setting)
        found = sum(bool((compared(benchmark, rng).table["verdict"] != "undecided").all()) for _ in range(n))
        yield Rate(VERDICT, setting, "power", None, found, n)


def planned_powers(n: int, benchmarks: Mapping[str, Callable[[int], Benchmark]] | None = None) -> Iterator[Rate]:
    """How often a comparison on the number of items that was planned for 80%, or a tenth more or fewer, is settled."""
    for setting, sized in (PLANNED if benchmarks is None else benchmarks).items():
        rng = _generator(setting)
        planned = items_planned(sized(20_000), rng)
        for words, share in (("as planned for a power of .8", 1.0), ("a tenth fewer", 0.9), ("a tenth more", 1.1)):
            benchmark = sized(round(share * planned))
            found = sum(compared(benchmark, rng).decided for _ in range(n))
            yield Rate(PLAN, f"{setting}: {words}", "power", None, found, n)


def planned_powers_with_seeds(n: int) -> Iterator[Rate]:
    """How often a comparison is settled that was planned for 80%, where every plan has a pilot of its own.

    The variance of few seeds is known badly from any pilot, however many items it has. Where a plan asks for very many
    items, or says that no number is enough, nothing is compared.
    """
    for setting, sized in PLANNED_WITH_SEEDS.items():
        rng, found, planned = _generator(setting), 0, 0
        for _ in range(n):
            n_items = items_planned(sized(ITEMS_OF_PILOT), rng)
            if n_items is not None and n_items <= MOST_ITEMS_OF_PLAN:
                planned += 1
                found += compared(sized(n_items), rng).decided
        words = f"as planned for a power of .8 from {ITEMS_OF_PILOT} items each time"
        yield Rate(PLAN, f"{setting}: {words}", "power", None, found, planned)


def items_planned(pilot: Benchmark, rng: np.random.Generator) -> int | None:
    """Items that a plan for 80% asks for, made from a new table of the pilot; None where no number is enough."""
    return compared(pilot, rng).needed(effect=differences_of(pilot.truth).to_dict(), power=0.8).n_items


def differences_of(truth: pd.DataFrame) -> pd.Series:
    """True means of system 0 less those of system 1."""
    return truth.loc[0] - truth.loc[1]


def misses(table: pd.DataFrame, truth: pd.DataFrame) -> bool:
    """Whether any interval leaves out the true difference."""
    differences = differences_of(truth)
    slack = 1e-12
    return bool(((table["low"] > differences + slack) | (table["high"] < differences - slack)).any())


def _generator(setting: str) -> np.random.Generator:
    return np.random.default_rng(list(setting.encode()))
