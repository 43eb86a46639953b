"""Verdicts of ``confident_front``, ranks of ``board``, and ``cheaper``: any that is wrong, and power.

Among equal systems every comparison that a verdict rests on is wrong, which makes them the hardest case.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np
import pandas as pd
from scipy.stats import ttest_rel
from statsmodels.stats.multitest import multipletests

from benchmarks.error_rates import Answers, Rate, names_of, settings
from benchmarks.error_rates.generators import Benchmark
from benchmarks.error_rates.verdicts import (
    N_RESAMPLES,
    WrongEquivalent,
    rate_of_wrong_answers,
    verdicts_of_front,
    wrong_first,
    wrong_front,
    wrong_groups,
    wrong_mean_ranks,
    wrong_tiers,
)  # fmt: skip
from tests import asked

FRONT, TIERS, MEAN_RANKS = "confident_front() verdicts", "board() intervals of ranks", "mean_ranks().board() intervals"
EQUIVALENT, BEST = "cheaper().table: one candidate", "cheaper().best: among all candidates"
NEW_ITEM, PAIRS = "board().ranks_on_new_item()", "board() pairs ordered"
PAIRS_AFTER_HOLM = "paired t-tests after Holm: pairs ordered"
GROUPS = "cheaper(by=): any system of any group"
FIRST = "board().may_be_first"
MEASURED = (
    settings.WITH_PRICES
    | settings.ON_ITEMS
    | settings.ON_CLUSTERS
    | settings.ON_SEEDS
    | settings.ON_RUNS
    | settings.WITH_ERRORS
)
RANKED = MEASURED | settings.WITH_GAPS | settings.LIKE_LEADERBOARDS | settings.WITH_SELECTIVE_GAPS
ASKED = (
    settings.EQUIVALENTS | settings.EQUIVALENTS_ON_CLUSTERS | settings.EQUIVALENTS_WITH_GAPS | settings.MANY_CANDIDATES
)


def rates(n: int) -> Iterator[Rate]:
    """All of them."""
    yield from front_rates(n)
    yield from tier_rates(n)
    yield from new_item_rates(n)
    yield from standing_rates(n)
    yield from equivalent_rates(n)
    yield from group_rates(n)
    yield from first_rates(n)
    yield from powers(n)


def front_rates(n: int, benchmarks: Mapping[str, Benchmark] = MEASURED | settings.FRONTS_WITH_GAPS) -> Iterator[Rate]:
    """How often any verdict of ``confident_front`` is wrong."""
    for setting, benchmark in benchmarks.items():
        yield rate_of_wrong_answers(FRONT, setting, benchmark, wrong_front, n, _generator(setting))


def tier_rates(n: int, benchmarks: Mapping[str, Benchmark] = RANKED) -> Iterator[Rate]:
    """How often any interval of ``board`` leaves out a true rank."""
    for setting, benchmark in benchmarks.items():
        yield rate_of_wrong_answers(TIERS, setting, benchmark, wrong_tiers, n, _generator(setting))


def new_item_rates(n: int, benchmarks: Mapping[str, Benchmark] = settings.ON_A_NEW_ITEM) -> Iterator[Rate]:
    """How often the predicted interval has the rank of a system, drawn at random, on the last item or cluster."""
    for setting, benchmark in benchmarks.items():
        rng, answers = _generator(setting), Answers()
        for _ in range(n):
            frame = replace(benchmark, missing=0.0).table(rng)
            unit = frame[str(benchmark.reading.get("cluster", "item"))]
            last, seen = frame[unit == unit.max()], frame[unit != unit.max()]
            seen = seen[rng.random(len(seen)) >= benchmark.missing]
            tiers = asked.board(seen, **benchmark.options, n_resamples=100, rng=rng)
            ranks = tiers.ranks_on_new_item()
            values = last.groupby("system")[list(benchmark.objectives)].mean()
            true = asked.copa(values, objectives=benchmark.directions).scores.round(12).rank()
            one = rng.choice(values.index)
            covers = ranks.loc[one, "low"] <= true[one] <= ranks.loc[one, "high"]
            answers.add(not covers, names_of(tiers.guarantee))
        yield answers.rate(NEW_ITEM, setting, "coverage", 0.95)


def standing_rates(
    n: int, benchmarks: Mapping[str, Benchmark] = settings.MEAN_RANKS | settings.MEAN_RANKS_WITH_GAPS
) -> Iterator[Rate]:
    """How often any interval of ``mean_ranks().board()`` leaves out a true rank."""
    for setting, benchmark in benchmarks.items():
        yield rate_of_wrong_answers(MEAN_RANKS, setting, benchmark, wrong_mean_ranks, n, _generator(setting))


def equivalent_rates(n: int, questions: Mapping[str, tuple[dict[str, float], Benchmark]] = ASKED) -> Iterator[Rate]:
    """How often a candidate is wrongly called equivalent, and how often the recommended one is not equivalent."""
    for setting, (margin, benchmark) in questions.items():
        for what, best in ((EQUIVALENT, False), (BEST, True)):
            wrong = WrongEquivalent(margin, best=best)
            yield rate_of_wrong_answers(what, setting, benchmark, wrong, n, _generator(setting))


def group_rates(
    n: int, questions: Mapping[str, tuple[int, dict[str, float], Benchmark]] = settings.GROUPS
) -> Iterator[Rate]:
    """How often any candidate of any group is wrongly called equivalent."""
    for setting, (n_groups, margin, benchmark) in questions.items():
        rng, answers = _generator(setting), Answers()
        for _ in range(n):
            answers.add(*wrong_groups(benchmark, n_groups, margin, rng))
        yield answers.rate(GROUPS, setting)


def first_rates(n: int, benchmarks: Mapping[str, Benchmark] = settings.WITH_A_BEST) -> Iterator[Rate]:
    """How often the best system, of equally good ones the first, is not among those that may rank first."""
    for setting, benchmark in benchmarks.items():
        yield rate_of_wrong_answers(FIRST, setting, benchmark, wrong_first, n, _generator(setting))


def powers(n: int) -> Iterator[Rate]:
    """Shares of right verdicts, of ranks that are known exactly, and of cheaper systems that are found."""
    for setting, benchmark in settings.APART_ON_ITEMS.items():
        rng, size = _generator(setting), len(benchmark.truth)
        right = exact = 0
        for _ in range(n):
            frame = benchmark.table(rng)
            front = asked.confident_front(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
            ranks = asked.board(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng).table
            right += verdicts_of_front(benchmark, front)[0]
            exact += int((ranks["low"] == ranks["high"]).sum())
        yield Rate(FRONT, f"{setting}: share of right verdicts", "power", None, right, n * size)
        yield Rate(TIERS, f"{setting}: share of ranks known exactly", "power", None, exact, n * size)
    for setting, benchmark in settings.IN_A_ROW.items():
        rng, size = _generator(setting), len(benchmark.truth)
        ours = holm = 0
        for _ in range(n):
            frame = benchmark.table(rng)
            ours += asked.board(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng).n_ordered
            holm += ordered_after_holm(
                frame.pivot(index="item", columns="system", values=next(iter(benchmark.objectives)))
            )
        for what, found in ((PAIRS, ours), (PAIRS_AFTER_HOLM, holm)):
            n_pairs = n * size * (size - 1) // 2
            yield Rate(what, setting, "power", None, found, n_pairs, comparator=what == PAIRS_AFTER_HOLM)
    for setting, (margin, benchmark) in settings.AS_GOOD.items():
        rng, question = _generator(setting), WrongEquivalent(margin)
        found = sum(question.ask(benchmark, benchmark.table(rng)).best is not None for _ in range(n))
        yield Rate(EQUIVALENT, setting, "power", None, found, n)


def ordered_after_holm(wide: pd.DataFrame) -> int:
    """Pairs of columns whose means differ by two-sided paired t-tests, after Holm's adjustment for all pairs."""
    pairs = [ttest_rel(wide[one], wide[other]).pvalue for one, other in itertools.combinations(wide, 2)]
    return int((multipletests(pairs, 0.05, "holm")[0]).sum())


def _generator(setting: str) -> np.random.Generator:
    """The same draws for a setting, whichever others are simulated."""
    return np.random.default_rng(list(setting.encode()))
