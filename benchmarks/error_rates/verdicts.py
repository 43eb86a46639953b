"""What verbs say of a table, read from their results, and whether it is true."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Answers, Rate, names_of
from benchmarks.error_rates.generators import Benchmark
from tests import asked

# Draws behind one answer.
N_RESAMPLES = 300


# Whether anything in an answer is wrong, and the names of its caveats.
Answer = tuple[bool, frozenset[str]]
Reader = Callable[[Benchmark, pd.DataFrame, np.random.Generator], Answer]


def rate_of_wrong_answers(
    what: str, setting: str, benchmark: Benchmark, read: Reader, n: int, rng: np.random.Generator
) -> Rate:
    """How often an answer has a wrong verdict, among those given without a warning; the others count as refused."""
    answers = Answers()
    for _ in range(n):
        frame = benchmark.table(rng)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            try:
                answer = read(benchmark, frame, rng)
            except ValueError as error:
                answers.refusals.append(str(error))
                continue
        warned = [str(warning.message) for warning in caught if issubclass(warning.category, UserWarning)]
        if warned:
            answers.refusals.append(warned[0])
        else:
            answers.add(*answer)
    return answers.rate(what, setting)


def costs_of(benchmark: Benchmark) -> np.ndarray:
    """True means, smaller is better, shape (n_systems, n_objectives)."""
    signs = [1 if direction == "min" else -1 for direction in benchmark.directions.values()]
    costs: np.ndarray = benchmark.truth.to_numpy() * signs
    return costs


def truly_dominated(benchmark: Benchmark) -> pd.Series:
    """Which systems another one dominates by the true means."""
    costs = costs_of(benchmark)
    dominated = [((costs <= own).all(axis=1) & (costs < own).any(axis=1)).any() for own in costs]
    return pd.Series(dominated, index=benchmark.truth.index)


def verdicts_of_front(benchmark: Benchmark, front: copa_nb.results.ConfidentFront) -> tuple[int, int]:
    """How many verdicts are right, and how many are wrong; the others are undecided."""
    table = front.table
    truth = np.where(truly_dominated(benchmark).loc[table.index], "dominated", "on the front")
    closed = table["verdict"] != "undecided"
    return int((closed & (table["verdict"] == truth)).sum()), int((closed & (table["verdict"] != truth)).sum())


def wrong_front(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    """Read the verdicts of ``confident_front``."""
    front = asked.confident_front(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
    return verdicts_of_front(benchmark, front)[1] > 0, names_of(front.guarantee)


def true_ranks(benchmark: Benchmark) -> pd.DataFrame:
    """First and last rank of each system under COPA's criterion of the true means; equal systems share all theirs."""
    score = asked.copa(benchmark.truth, objectives=benchmark.directions).table["score"]
    values = score.to_numpy()
    better = (values[None, :] < values[:, None] - 1e-12).sum(axis=1)
    worse = (values[None, :] > values[:, None] + 1e-12).sum(axis=1)
    return pd.DataFrame({"first": 1 + better, "last": len(values) - worse}, index=score.index)


def ranks_missed(table: pd.DataFrame, truth: pd.DataFrame) -> bool:
    """Whether any interval leaves out a rank that is true of its system.

    Of equal systems any order is true. An interval that leaves out one of their ranks rests on a claim that one of them
    is better than another, which is wrong. So the whole range has to be inside, as in Mogstad, Romano, Shaikh and
    Wilhelm's definition of ranks with ties.
    """
    ranks = truth.loc[table.index]
    return bool(((table["low"] > ranks["first"]) | (table["high"] < ranks["last"])).any())


def wrong_tiers(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    """Read the intervals of ``board``."""
    tiers = asked.board(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
    return ranks_missed(tiers.table, true_ranks(benchmark)), names_of(tiers.guarantee)


def wrong_first(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    """Read who may rank first by ``board``: the best system is among them, and of equally good ones the first is."""
    tiers = asked.board(frame, **benchmark.options, n_resamples=N_RESAMPLES, rng=rng)
    best = benchmark.truth.index[costs_of(benchmark)[:, 0].argmin()]
    return best not in tiers.may_be_first, names_of(tiers.guarantee)


def wrong_mean_ranks(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
    """Read the intervals of ``mean_ranks().board()``; systems with the same mean have the same distribution."""
    standing = asked.mean_ranks(frame, system="system", item="item", objectives=benchmark.directions)
    nan_policy = benchmark.reading.get("nan_policy", "raise")
    tiers = standing.board(n_resamples=N_RESAMPLES, nan_policy=nan_policy, rng=rng)
    return ranks_missed(tiers.table, true_ranks(benchmark)), names_of(tiers.guarantee)


class WrongEquivalent:
    """Read ``cheaper``: does it recommend a system that is worse by the margin or more, or not cheaper?

    Parameters
    ----------
    margin : dict of objective to number
        The last system is compared with.
    best : bool
        Whether the recommended one counts, or the first candidate alone.
    """

    def __init__(self, margin: dict[str, float], *, best: bool = False) -> None:
        self.margin, self.best = margin, best

    def __call__(self, benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> Answer:
        """Ask and compare with the truth."""
        found = self.ask(benchmark, frame)
        named = [found.best] if self.best else found.table.index[found.table["equivalent"]].intersection([0]).tolist()
        wrong = any(one is not None and self.is_wrong(benchmark, one) for one in named)
        return wrong, names_of(found.guarantee)

    def ask(self, benchmark: Benchmark, frame: pd.DataFrame) -> copa_nb.results.Cheaper:
        """Compare all systems with the last one."""
        than = len(benchmark.truth) - 1
        return asked.cheaper(frame, than, cost="cost", margin=self.margin, **benchmark.options)

    def is_wrong(self, benchmark: Benchmark, one: int) -> bool:
        """Whether a system is no cheaper, or worse by the margin or more, by the true means."""
        costs = dict(zip(benchmark.objectives, costs_of(benchmark).T, strict=True))
        if costs["cost"][one] >= costs["cost"][-1]:
            return True
        others = [name for name in costs if name != "cost"]
        return any(costs[name][one] - costs[name][-1] >= self.margin.get(name, 0.0) - 1e-12 for name in others)


def wrong_groups(benchmark: Benchmark, n_groups: int, margin: dict[str, float], rng: np.random.Generator) -> Answer:
    """Whether ``cheaper(by=)`` calls any candidate equivalent; all are worse by the margin."""
    frame = pd.concat([benchmark.table(rng).assign(kind=group) for group in range(n_groups)])
    than = len(benchmark.truth) - 1
    found = asked.cheaper(frame, than, cost="cost", margin=margin, by="kind", **benchmark.options)
    named = [one for one in found.values() if one.best is not None]
    shown = named or list(found.values())
    return bool(named), frozenset().union(*(names_of(one.guarantee) for one in shown))
