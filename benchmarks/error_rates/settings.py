"""The benchmarks that verbs with confidence are simulated on: where a verb may be more certain than its data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import numpy as np

from benchmarks.error_rates.generators import (
    Benchmark,
    Objective,
    accuracies,
    constant,
    counts,
    equal,
    heavy_item,
    log_normal,
    normal,
    on_clusters,
    on_items,
    on_items_and_seeds,
    on_runs,
    on_scales,
    on_summaries,
    rare_failures,
    resampled,
    right_or_wrong,
    rounded,
    with_cluster_effects,
    with_gaps,
    with_seed_effects,
)  # fmt: skip
from copa_nb.datasets import load_mteb

ASCENDING = np.linspace(0.95, 0.995, 6)
PRICES = range(1, 7)
LADDER = np.arange(6.0) / 2
RARE_FAILURES = "rare failures (1 item in 100 costs 1000 times as much)"


def with_prices(benchmark: Benchmark, name: str) -> Benchmark:
    """The same, with an objective declared as known."""
    return replace(benchmark, reading={**benchmark.reading, "known": [name]})


def dearer_is_better(n_questions: int, *, known: bool) -> Benchmark:
    """Accuracies close to 1 and a price list, declared as known or not: every model is on the front."""
    benchmark = on_items(accuracy=right_or_wrong(ASCENDING, (n_questions, 1)), price=constant(PRICES))
    return with_prices(benchmark, "price") if known else benchmark


def along_a_front(n_items: int) -> Benchmark:
    """Systems that differ: the better in one objective, the worse in the other."""
    return on_items(error=normal(LADDER, (n_items, 1)), cost=normal(-LADDER, (n_items, 1)))


ALTERNATE = [False, True] * 3

ON_ITEMS: dict[str, Benchmark] = {
    "normal, 20 items": on_items(error=normal(equal(6), (20, 1))),
    "normal, 100 items of shared difficulty, two objectives": on_items(
        error=normal(equal(6), (100, 1), shared=2), cost=normal(equal(6), (100, 1))
    ),
    "right or wrong at .5, 2 items": on_items(accuracy=right_or_wrong(equal(6, 0.5), (2, 1))),
    "right or wrong at .5, 3 items": on_items(accuracy=right_or_wrong(equal(6, 0.5), (3, 1))),
    "right or wrong at .5, 5 items": on_items(accuracy=right_or_wrong(equal(6, 0.5), (5, 1))),
    "right or wrong at .5, 30 items": on_items(accuracy=right_or_wrong(equal(6, 0.5), (30, 1))),
    "right or wrong at .97, 20 items": on_items(accuracy=right_or_wrong(equal(6, 0.97), (20, 1))),
    "right or wrong at .97, 100 items, half of them alike for all": on_items(
        accuracy=right_or_wrong(equal(6, 0.97), (100, 1), shared=0.5)
    ),
    "right or wrong at .03, 50 items": on_items(accuracy=right_or_wrong(equal(6, 0.03), (50, 1))),
    "counts of mean .1, 20 items": on_items(errors=counts(equal(6, 0.1), (20, 1))),
    "counts of mean 3, 10 items": on_items(errors=counts(equal(6, 3.0), (10, 1))),
    "values rounded to one standard deviation, 5 items": on_items(error=rounded(normal(equal(6), (5, 1)), 1.0)),
    "log-normal costs (sigma 1.5), 20 items": on_items(cost=log_normal(equal(6, 1.0), (20, 1), sigma=1.5)),
    f"{RARE_FAILURES} of one of two systems, 100 items": on_items(
        cost=rare_failures(equal(2, 1.0), (100, 1), failing=[False, True])
    ),
    "rare failures of three of six systems, 100 items": on_items(
        cost=rare_failures(equal(6, 1.0), (100, 1), failing=ALTERNATE)
    ),
    **{
        f"a skewed and a steady system (log-normal, sigma 1.5 and .2), {n} items": on_items(
            cost=log_normal(equal(2, 1.0), (n, 1), sigma=[1.5, 0.2])
        )
        for n in (10, 50)
    },
    "one item of 20 weighs 100 times as much": on_items(error=heavy_item(normal(equal(6), (20, 1)))),
    "skewed and steady systems on items of different scales, 20 items": on_items(
        cost=on_scales(log_normal(equal(6, 1.0), (20, 1), sigma=[0.2, 1.0] * 3))
    ),
    "skewed and steady systems on items of different scales, 100 items": on_items(
        cost=on_scales(log_normal(equal(6, 1.0), (100, 1), sigma=[0.2, 1.0] * 3))
    ),
    "levels of items vary 1e7 times as much as the noise, 20 items": on_items(
        error=normal(equal(6), (20, 1), shared=1e7)
    ),
    "levels of items vary 1e8 times as much as the noise, 20 items": on_items(
        error=normal(equal(6), (20, 1), shared=1e8)
    ),
    "a constant column beside a normal one, 20 items": on_items(
        error=normal(equal(6), (20, 1)), memory=constant([4.0] * 6)
    ),
}  # fmt: skip

ON_SEEDS: dict[str, Benchmark] = {
    "seeds that all questions share, 100 questions and 3 seeds": on_items_and_seeds(
        error=with_seed_effects(normal(equal(6), (100, 3)), 0.5)
    ),
    "seeds that all questions share, right or wrong, 100 questions and 3 seeds": on_items_and_seeds(
        error=rounded(with_seed_effects(normal(equal(6, 0.5), (100, 3), noise=0.3), 0.1), 1.0)
    ),
    "seeds that all questions share, 100 questions and 2 seeds": on_items_and_seeds(
        error=with_seed_effects(normal(equal(6), (100, 2)), 0.5)
    ),
    "two systems, seeds that all questions share, 100 questions and 3 seeds": on_items_and_seeds(
        error=with_seed_effects(normal(equal(2), (100, 3)), 0.5)
    ),
    "normal, 30 items, 3 repetitions": on_items_and_seeds(error=normal(equal(6), (30, 3), shared=1)),
}

UNEQUAL = (1, 1, 2, 2, 3, 4, 6, 8, 13, 20)


def in_clusters(n_systems: int, sizes: Sequence[int]) -> Benchmark:
    """Equal systems, and clusters of items that make one system better or worse by as much as the noise."""
    return on_clusters(sizes, error=with_cluster_effects(normal(equal(n_systems), (sum(sizes), 1), shared=1), sizes))


ON_CLUSTERS: dict[str, Benchmark] = {
    **{
        f"{n_systems} systems, {n_clusters} clusters of {size} items": in_clusters(n_systems, [size] * n_clusters)
        for n_systems, n_clusters, size in (
            (6, 5, 5), (6, 6, 5), (6, 8, 20), (6, 20, 2), (6, 20, 5), (6, 20, 20), (40, 8, 5), (40, 40, 5)
        )
    },
    **{
        f"6 systems, {10 * n} clusters of 1 to 20 items": in_clusters(6, UNEQUAL * n) for n in (1, 4)
    },
    "6 systems, one cluster of 500 items and five of 39": in_clusters(6, [500] + [39] * 5),
    "6 systems, one cluster of 500 items and eleven of 39": in_clusters(6, [500] + [39] * 11),
    "6 systems, right or wrong, 20 clusters of 5 items": on_clusters(
        [5] * 20,
        error=rounded(with_cluster_effects(normal(equal(6, 0.5), (100, 1), noise=0.2), [5] * 20, spread=0.2), 1.0),
    ),
}  # fmt: skip

ON_RUNS: dict[str, Benchmark] = {
    "normal, 3 runs": on_runs(error=normal(equal(6), (1, 3)), cost=normal(equal(6), (1, 3))),
    "normal, 5 runs": on_runs(error=normal(equal(6), (1, 5))),
    "2 runs of 20 tasks at .97": on_runs(accuracy=accuracies(equal(6, 0.97), 20, (1, 2))),
    "3 runs of 20 tasks at .97": on_runs(accuracy=accuracies(equal(6, 0.97), 20, (1, 3))),
    "5 runs of 20 tasks at .97": on_runs(accuracy=accuracies(equal(6, 0.97), 20, (1, 5))),
    "values rounded to one standard deviation, 3 runs": on_runs(error=rounded(normal(equal(6), (1, 3)), 1.0)),
    "2, 3 and 20 runs, equal spreads": on_runs([2, 3, 20] * 2, error=normal(equal(6), (1, 20))),
    "2, 3 and 20 runs, the fewest vary 5 times as much": on_runs(
        [2, 3, 20] * 2, error=normal(equal(6), (1, 20), noise=[5, 1, 1] * 2)
    ),
    "3 and 20 runs, the fewest vary 5 times as much": on_runs(
        [3, 20] * 3, error=normal(equal(6), (1, 20), noise=[5, 1] * 3)
    ),
    "5 and 20 runs, the fewest vary 5 times as much": on_runs(
        [5, 20] * 3, error=normal(equal(6), (1, 20), noise=[5, 1] * 3)
    ),
    "2 to 20 runs, the fewer the more they vary": on_runs(
        [2, 3, 5, 8, 12, 20], error=normal(equal(6), (1, 20), noise=[6, 5, 4, 3, 2, 1])
    ),
    "two systems with 2 and 20 runs, the fewer vary 5 times as much": on_runs(
        [2, 20], error=normal(equal(2), (1, 20), noise=[5, 1])
    ),
    "skewed and steady systems (log-normal, sigma 1.5 and .2), 10 runs": on_runs(
        cost=log_normal(equal(6, 1.0), (1, 10), sigma=[1.5, 0.2] * 3)
    ),
    **{
        f"a skewed and a steady system (log-normal, sigma 1.5 and .2), {n} runs": on_runs(
            cost=log_normal(equal(2, 1.0), (1, n), sigma=[1.5, 0.2])
        )
        for n in (5, 20)
    },
}

WITH_ERRORS: dict[str, Benchmark] = {
    "standard errors of means of 200 normal runs, and a constant column": on_summaries(
        error=normal(equal(6), (1, 200)), memory=constant([4.0] * 6)
    ),
    "standard errors estimated from 5 normal runs": on_summaries(error=normal(equal(6), (1, 5))),
    "standard errors of shares of 100 right answers at .97": on_summaries(
        accuracy=right_or_wrong(equal(6, 0.97), (1, 100))
    ),
}

# On the front or not, by what is declared.
WITH_PRICES: dict[str, Benchmark] = {
    f"accuracies .95 to .995, each dearer model better, {n} questions, prices {'declared' if known else 'a column'}":
        dearer_is_better(n, known=known)
    for known in (False, True) for n in (10, 20, 50, 100)
}  # fmt: skip


def ranks_of_equal_methods(n_methods: int, n_tasks: int) -> Benchmark:
    """Methods that do not differ, each task of a difficulty of its own."""
    return on_items(error=normal(equal(n_methods), (n_tasks, 1), shared=1))


MEAN_RANKS: dict[str, Benchmark] = {
    f"{n_methods} equal methods, {n_tasks} tasks": ranks_of_equal_methods(n_methods, n_tasks)
    for n_methods in (5, 10) for n_tasks in (3, 4, 5, 20)
} | {
    "5 equal methods, 10 tasks, right or wrong at .9": on_items(accuracy=right_or_wrong(equal(5, 0.9), (10, 1))),
    "2 equal methods, 3 tasks": ranks_of_equal_methods(2, 3),
}  # fmt: skip


MEAN_RANKS_WITH_GAPS: dict[str, Benchmark] = {
    f"{name}, {share:.0%} of the values missing at random": with_gaps(benchmark, share)
    for name, benchmark in {
        "6 equal methods, 41 tasks": ranks_of_equal_methods(6, 41),
        "20 equal methods, 41 tasks": ranks_of_equal_methods(20, 41),
        "10 equal methods, 100 tasks, right or wrong at .7": on_items(
            accuracy=right_or_wrong(equal(10, 0.7), (100, 1), shared=0.5)
        ),
        "10 methods, one of them far ahead, 41 tasks": on_items(
            error=normal(np.append(equal(9), -2.0), (41, 1), shared=1)
        ),
    }.items()
    for share in (0.25, 0.6)
} | {
    "10 methods in two groups, one of which lacks half of the tasks": replace(
        on_items(error=normal(np.repeat([0.0, 1.0], 5), (60, 1), shared=1)), lacking=0.5,
        reading={"item": "item", "nan_policy": "pairwise"},
    )
}  # fmt: skip


def at_the_margin(objective: str, measured: Objective, sizes: Sequence[int] | None = None) -> Benchmark:
    """Candidates, the cheapest first, and last the system that they are compared with; prices are declared."""
    objectives = {objective: measured, "cost": constant(range(1, len(measured.means) + 1))}
    return with_prices(on_items(**objectives) if sizes is None else on_clusters(sizes, **objectives), "cost")


def _worse_by(margin: float, n_candidates: int, best: float = 0.0) -> np.ndarray:
    return np.append(np.full(n_candidates, best + margin), best)


# Margins, and candidates that are all worse by exactly that much, or by more.
EQUIVALENTS: dict[str, tuple[dict[str, float], Benchmark]] = {
    "right or wrong: .90 compared with .995, margin .05, 20 questions":
        ({"accuracy": 0.05}, at_the_margin("accuracy", right_or_wrong(np.array([0.9, 0.995]), (20, 1)))),
    "right or wrong: .90 compared with .95, margin .05, 20 questions":
        ({"accuracy": 0.05}, at_the_margin("accuracy", right_or_wrong(np.array([0.9, 0.95]), (20, 1)))),
    "right or wrong: .94 compared with .99, margin .05, 100 questions":
        ({"accuracy": 0.05}, at_the_margin("accuracy", right_or_wrong(np.array([0.94, 0.99]), (100, 1)))),
    "normal, worse by the margin, 10 items":
        ({"error": 1.0}, at_the_margin("error", normal(_worse_by(1.0, 1), (10, 1), shared=3))),
    "normal, worse by the margin, 100 items":
        ({"error": 1.0}, at_the_margin("error", normal(_worse_by(1.0, 1), (100, 1), shared=3))),
    "skewed, worse by the margin, 20 items":
        ({"latency": 1.0}, at_the_margin("latency", log_normal(_worse_by(1.0, 1, 1.0), (20, 1), sigma=[1.5, 0.2]))),
    "counts of mean .3 compared with .1, margin .2, 20 items":
        ({"errors": 0.2}, at_the_margin("errors", counts(np.array([0.3, 0.1]), (20, 1)))),
    "levels of items vary 1e8 times as much as the noise, worse by the margin, 20 items":
        ({"error": 1.0}, at_the_margin("error", normal(_worse_by(1.0, 1), (20, 1), shared=1e8))),
    f"{RARE_FAILURES}, worse by the margin, 100 items":
        ({"tokens": 1.0}, at_the_margin(
            "tokens", rare_failures(_worse_by(1.0, 1, 1.0), (100, 1), failing=[True, False])
        )),
}  # fmt: skip

# Systems are compared on the items that both have.
WITH_GAPS: dict[str, Benchmark] = {
    f"{name}, {share:.0%} of the values missing at random": with_gaps(benchmark, share)
    for name, benchmark in {
        "6 systems, 41 items of shared difficulty": on_items(error=normal(equal(6), (41, 1), shared=2)),
        "40 systems, 41 items of shared difficulty": on_items(error=normal(equal(40), (41, 1), shared=2)),
        "20 systems, 200 items, right or wrong at .7": on_items(
            accuracy=right_or_wrong(equal(20, 0.7), (200, 1), shared=0.5)
        ),
        "6 systems, 20 clusters of 5 items": in_clusters(6, [5] * 20),
    }.items()
    for share in (0.25, 0.6)
}

LEADER, NEAR = 0.5, 0.1


@cache
def deviations_on_mteb() -> np.ndarray:
    """Scores on each task of MTEB less the mean of each of the 183 complete models, shape (tasks, models)."""
    scores = load_mteb(complete=True).pivot(index="task", columns="model", values="score")
    deviations: np.ndarray = (scores - scores.mean()).to_numpy()
    return deviations


# Shapes of public leaderboards, systems by items: all equal, with one leader, and in pairs that differ by little.
LIKE_LEADERBOARDS: dict[str, Benchmark] = {
    **{
        f"{n} equal systems, {n_items} items of shared difficulty": on_items(
            error=normal(equal(n), (n_items, 1), shared=2)
        )
        for n, n_items in ((90, 10), (181, 41), (134, 500), (21, 100), (10, 1000))
    },
    "40 equal systems, 200 items, right or wrong at .7": on_items(
        accuracy=right_or_wrong(equal(40, 0.7), (200, 1), shared=0.5)
    ),
    "90 systems with one leader, 10 items of shared difficulty": on_items(
        error=normal(np.append(equal(89), -LEADER), (10, 1), shared=2)
    ),
    "181 systems with one leader, 41 items of shared difficulty": on_items(
        error=normal(np.append(equal(180), -LEADER), (41, 1), shared=2)
    ),
    "40 systems, half of them worse by .1, 200 items of shared difficulty": on_items(
        error=normal(np.repeat([0, NEAR], 20), (200, 1), shared=2)
    ),
    "183 equal systems, 41 items with the deviations of MTEB": on_items(
        score=resampled(equal(183), deviations_on_mteb(), (41, 1))
    ),
    "40 equal systems, 41 items with the deviations of MTEB": on_items(
        score=resampled(equal(40), deviations_on_mteb()[:, :160:4], (41, 1))
    ),
    "40 equal systems, 41 items with the deviations of MTEB, 25% of the values missing at random": with_gaps(
        on_items(score=resampled(equal(40), deviations_on_mteb()[:, :160:4], (41, 1))), 0.25
    ),
}

# The last item, or cluster, is the one that ranks are predicted on.
ON_A_NEW_ITEM: dict[str, Benchmark] = {
    f"{n_items} items of shared difficulty": on_items(error=normal(LADDER, (n_items + 1, 1), shared=1))
    for n_items in (10, 20, 41, 200)
} | {
    "60 items, log-normal costs (sigma 1.5)": on_items(cost=log_normal(1 + LADDER, (61, 1), sigma=1.5)),
    "100 items, right or wrong at .4 to .9": on_items(
        accuracy=right_or_wrong(np.linspace(0.4, 0.9, 6), (101, 1), shared=0.5)
    ),
    "40 items, two objectives": along_a_front(41),
    "41 items with the deviations of MTEB": on_items(
        score=resampled(equal(40), deviations_on_mteb()[:, :160:4], (42, 1))
    ),
    "41 items of shared difficulty, 25% of the values missing at random": with_gaps(
        on_items(error=normal(LADDER, (42, 1), shared=1)), 0.25
    ),
    "40 clusters of 5 items, the rank on a new cluster": in_clusters(6, [5] * 41),
}

# Pairs that are found to differ, compared with other tests.
IN_A_ROW: dict[str, Benchmark] = {
    "40 systems, each .05 better than the next, 100 items of shared difficulty": on_items(
        error=normal(0.05 * np.arange(40), (100, 1), shared=2)
    ),
    "40 models right in .5 to .9 of 200 questions": on_items(
        accuracy=right_or_wrong(np.linspace(0.5, 0.9, 40), (200, 1), shared=0.5)
    ),
}

# Systems that report only where they do well are equal to those that report at random.
LACKING_FAILURES = "values missing where every other system fails"
WITH_SELECTIVE_GAPS: dict[str, Benchmark] = {
    f"{name}, {share:.0%} of the {LACKING_FAILURES}{how}": with_gaps(
        benchmark, share, nan_policy=nan_policy, selective=True
    )
    for name, benchmark, share in (
        (
            f"{n} systems, 100 items, right or wrong at .7",
            on_items(accuracy=right_or_wrong(equal(n, 0.7), (100, 1), shared=0.5)),
            share,
        )
        for n, share in ((6, 0.1), (6, 0.25), (20, 0.1))
    )
    for how, nan_policy in (("", "pairwise"), (", in the worst case", "bounds"))
}

# Two objectives, of which the second is a price: among equal systems, and at the same price, no verdict is right.
FRONTS_WITH_GAPS: dict[str, Benchmark] = {
    f"{name}, {share:.0%} of the values missing at random": with_gaps(benchmark, share)
    for name, benchmark in {
        "6 systems, two objectives, 41 items of shared difficulty": on_items(
            error=normal(equal(6), (41, 1), shared=2), time=normal(equal(6), (41, 1), shared=1)
        ),
        "6 systems of one price, 100 items, right or wrong at .7": with_prices(
            on_items(accuracy=right_or_wrong(equal(6, 0.7), (100, 1), shared=0.5), price=constant([1.0] * 6)), "price"
        ),
        "6 systems, 20 clusters of 5 items": in_clusters(6, [5] * 20),
    }.items()
    for share in (0.25, 0.6)
} | {
    f"6 systems of one price, 100 items, right or wrong at .7, {share:.0%} of the {LACKING_FAILURES}{how}": with_gaps(
        with_prices(
            on_items(accuracy=right_or_wrong(equal(6, 0.7), (100, 1), shared=0.5), price=constant([1.0] * 6)), "price"
        ), share, nan_policy=nan_policy, selective=True,
    )
    for share in (0.1, 0.25)
    for how, nan_policy in (("", "pairwise"), (", in the worst case", "bounds"))
}  # fmt: skip

EQUIVALENTS_WITH_GAPS: dict[str, tuple[dict[str, float], Benchmark]] = {
    f"normal, worse by the margin, 40 items, {share:.0%} of the values missing at random":
        ({"error": 1.0}, with_gaps(at_the_margin("error", normal(_worse_by(1.0, 1), (40, 1), shared=3)), share))
    for share in (0.25, 0.6)
} | {
    f"2 candidates, right or wrong: .70 compared with .75, margin .05, 200 items, 10% of the {LACKING_FAILURES}{how}":
        ({"accuracy": 0.05}, with_gaps(
            at_the_margin("accuracy", right_or_wrong(_worse_by(-0.05, 2, 0.75), (200, 1), shared=0.5)),
            0.1, nan_policy=nan_policy, selective=True,
        ))
    for how, nan_policy in (("", "pairwise"), (", in the worst case", "bounds"))
}  # fmt: skip

EQUIVALENTS_ON_CLUSTERS: dict[str, tuple[dict[str, float], Benchmark]] = {
    f"normal, worse by the margin, {len(sizes)} clusters of {name} items": (
        {"error": 1.0}, at_the_margin(
            "error", with_cluster_effects(normal(_worse_by(1.0, 1), (sum(sizes), 1), shared=3), sizes), sizes
        )
    )
    for name, sizes in (("5", [5] * 6), ("5", [5] * 40), ("1 to 20", list(UNEQUAL)), ("1 to 20", list(UNEQUAL * 4)))
}  # fmt: skip

MANY_CANDIDATES: dict[str, tuple[dict[str, float], Benchmark]] = {
    f"best of {n} candidates at the margin, normal, 30 items":
        ({"error": 1.0}, at_the_margin("error", normal(_worse_by(1.0, n), (30, 1))))
    for n in (1, 5, 20, 50)
}  # fmt: skip


# As above, asked for each of several kinds of items at once.
GROUPS: dict[str, tuple[int, dict[str, float], Benchmark]] = {
    f"{n_groups} kinds of items, {n} candidates each at the margin, {what}, {n_items} items":
        (n_groups, {name: margin}, at_the_margin(name, measured))
    for n_groups, n, n_items in ((2, 4, 30), (10, 4, 30))
    for what, name, margin, measured in (
        ("normal", "error", 1.0, normal(_worse_by(1.0, n), (n_items, 1), shared=1)),
        ("right or wrong", "accuracy", 0.1, right_or_wrong(_worse_by(-0.1, n, 0.85), (n_items, 1), shared=0.5)),
    )
}  # fmt: skip

# One objective: the first of equal systems is the best as well as any other, and the hardest to keep.
WITH_A_BEST: dict[str, Benchmark] = {
    "10 equal systems, 100 items of shared difficulty": on_items(error=normal(equal(10), (100, 1), shared=1)),
    "10 graded systems, 100 items of shared difficulty": on_items(
        error=normal(np.linspace(0, 0.5, 10), (100, 1), shared=1)
    ),
    "10 equal models, right or wrong at .97, 100 items": on_items(
        accuracy=right_or_wrong(equal(10, 0.97), (100, 1), shared=0.5)
    ),
    "10 equal systems, 20 clusters of 5 items": in_clusters(10, [5] * 20),
    "10 equal systems, 40 clusters of 1 to 20 items": in_clusters(10, UNEQUAL * 4),
    "10 equal systems, 100 items of shared difficulty, 25% of the values missing at random": with_gaps(
        on_items(error=normal(equal(10), (100, 1), shared=1)), 0.25
    ),
}

# Systems that do differ, for the share of what verbs find.
APART_ON_ITEMS: dict[str, Benchmark] = {
    "6 systems along a front, half a deviation apart, 200 items": along_a_front(200),
    "6 systems half a deviation apart, 200 items": on_items(error=normal(LADDER, (200, 1), shared=1)),
    "6 models right in .40 to .90 of 200 questions": on_items(
        accuracy=right_or_wrong(np.linspace(0.4, 0.9, 6), (200, 1), shared=0.5)
    ),
    "6 systems one deviation apart, 5 runs": on_runs(error=normal(2 * LADDER, (1, 5))),
}

AS_GOOD: dict[str, tuple[dict[str, float], Benchmark]] = {
    "normal, as good, margin of one deviation, 10 items":
        ({"error": 1.0}, at_the_margin("error", normal(equal(2), (10, 1), shared=3))),
    "normal, as good, margin of one deviation, 100 items":
        ({"error": 1.0}, at_the_margin("error", normal(equal(2), (100, 1), shared=3))),
    "right or wrong: .95 both, margin .05, 200 questions":
        ({"accuracy": 0.05}, at_the_margin("accuracy", right_or_wrong(equal(2, 0.95), (200, 1), shared=0.5))),
}  # fmt: skip
