"""Pairs of options: every verb with confidence, two of its options at a time, on families of data.

A family says how values are distributed; an option changes the table and the call. Every pair of the options that a
verb has is asked on every family, of few tables; the settings in which most answers are wrong without a caveat are
asked again, of many new ones.
"""

from __future__ import annotations

import itertools
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Answers, Rate, names_of
from benchmarks.error_rates.after_choice import covers
from benchmarks.error_rates.comparisons import NOT_WORSE, misses
from benchmarks.error_rates.generators import (
    COUNT,
    ERROR,
    Benchmark,
    Objective,
    Shape,
    alike_in_clusters,
    constant,
    distilled,
    equal,
    first_items,
    log_normal,
    mostly_zero,
    normal,
    on_items,
    on_runs,
    repeated,
    right_or_wrong,
    two_modes,
    with_seed_effects,
)  # fmt: skip
from benchmarks.error_rates.verdicts import WrongEquivalent, ranks_missed, true_ranks, verdicts_of_front
from tests import asked
from tests.asked import scores_after_choice

N_ITEMS, N_RUNS, N_REPEATS = 60, 20, 5
SIZES = [3] * 20
N_RESAMPLES = 200
# A setting in which this many tables are refused, and none is answered, is not asked again.
ENOUGH_REFUSALS = 3
# Settings of each verb that are asked again, of many tables.
N_WORST = 2
NOMINAL = 0.05


@dataclass(frozen=True)
class Family:
    """How values are distributed.

    Parameters
    ----------
    name : str
    usual : float
        True mean of the systems.
    margin : float
        By how much the mean of some is worse, where the question is about a margin.
    objective : callable
        Makes the objective of the true means of the systems and the numbers of items and repeats.
    needs : set of str
        Options of which a pair must have one, to differ from another family.
    alike : bool
        Whether systems with the same mean have the same distribution.
    apart : bool
        Whether every other system is worse by the margin in every question.
    seed_effects : float
        By how much a repeat makes a system better or worse on all items.
    selective : bool
        Whether values are missing where systems do worst, rather than at random.
    well_behaved : bool
        Whether textbooks would doubt nothing.
    """

    name: str
    usual: float
    margin: float
    objective: Callable[[np.ndarray, Shape], Objective]
    needs: frozenset[str] = frozenset()
    alike: bool = True
    apart: bool = False
    seed_effects: float = 0.0
    selective: bool = False
    well_behaved: bool = False

    def measured(self, n_systems: int, shape: Shape, *, at_margin: bool = False) -> Objective:
        """The objective; at the margin, all systems but the last are worse by it."""
        number = np.arange(n_systems)
        worse = number < n_systems - 1 if at_margin else (number % 2 == 0) & self.apart
        direction = self.objective(equal(2, self.usual), shape).direction
        return self.objective(self.usual + np.where(worse, self.margin, 0) * (1 if direction == "min" else -1), shape)


def _drawn_as(name: str) -> str:
    for word, drawn_with in _WORDS_OF_SEEDS.items():
        name = name.replace(word, drawn_with)
    return name


def _skewed_and_steady(means: np.ndarray, shape: Shape) -> Objective:
    return log_normal(means, shape, sigma=np.resize([1.5, 0.2], len(means)).tolist())


def _shared(share: float) -> Callable[[np.ndarray, Shape], Objective]:
    return lambda means, shape: right_or_wrong(means, shape, shared=share)


POLICIES = ("pairwise", "bounds", "omit")
# What is stored was drawn with these words in the seed, and is drawn again with them.
_WORDS_OF_SEEDS = {"bounds": "worst_case", "cheaper()": "cheaper_equivalent()", "board()": "tiers()"}
FAMILIES = (
    Family("normal", 0.0, 1.0, lambda means, shape: normal(means, shape, shared=1), well_behaved=True),
    Family("right or wrong at .7", 0.7, 0.1, _shared(0.5), well_behaved=True),
    Family("near the ceiling (.97)", 0.97, 0.05, _shared(0.5)),
    Family("zero-inflated costs (1 item in 20)", 1.0, 0.5, mostly_zero),
    Family("log-normal costs (sigma 1.5)", 1.0, 0.5, lambda means, shape: log_normal(means, shape, sigma=1.5)),
    Family("skewed and steady costs (log-normal, sigma 1.5 and .2)", 1.0, 0.5, _skewed_and_steady, alike=False),
    Family("steady costs (log-normal, sigma .3)", 1.0, 0.2, lambda means, shape: log_normal(means, shape, sigma=0.3),
           well_behaved=True),
    Family("bimodal", 0.0, 0.5, two_modes, well_behaved=True),
    Family("distilled (alike, but for a loss of .6 on 3% of the items)", 0.7, 0.018, distilled, alike=False,
           apart=True),
    Family("shared seeds", 0.0, 1.0, lambda means, shape: normal(means, shape, shared=1),
           needs=frozenset(["repeat"]), seed_effects=0.3),
    Family("missing by value, right or wrong at .7", 0.7, 0.1, _shared(0.5), needs=frozenset(POLICIES), selective=True),
)  # fmt: skip


@dataclass(frozen=True)
class Option:
    """An option of verbs.

    Parameters
    ----------
    name : str
    keyword : str
        Of the verb.
    change : callable
        Changes the table, and the call, of a question about a family.
    """

    name: str
    keyword: str
    change: Callable[[Benchmark, Family], Benchmark]


def _with(benchmark: Benchmark, score: Objective | None = None, **reading: Any) -> Benchmark:
    """The same, with another objective and more keywords for the verb; those that are None are dropped."""
    objectives = benchmark.objectives if score is None else {**benchmark.objectives, "score": score}
    keywords = {name: value for name, value in {**benchmark.reading, **reading}.items() if value is not None}
    return replace(benchmark, objectives=objectives, reading=keywords)


def _margin(benchmark: Benchmark, family: Family) -> Benchmark:
    at_margin = family.measured(len(benchmark.truth), (N_ITEMS, 1), at_margin=True)
    return _with(benchmark, at_margin, margin={"score": family.margin})


def _repeat(benchmark: Benchmark, family: Family) -> Benchmark:
    drawn_again = repeated(benchmark.objectives["score"], N_REPEATS)
    return _with(benchmark, with_seed_effects(drawn_again, family.seed_effects), repeat="repeat")


def _runs(benchmark: Benchmark, family: Family) -> Benchmark:
    return _with(benchmark, first_items(benchmark.objectives["score"], N_RUNS), item=None, repeat="item")


def _cluster(benchmark: Benchmark, family: Family) -> Benchmark:
    clustered = _with(benchmark, alike_in_clusters(benchmark.objectives["score"], SIZES), cluster="cluster")
    return replace(clustered, sizes=SIZES)


def _known(benchmark: Benchmark, family: Family) -> Benchmark:
    if "cost" in benchmark.objectives:
        return _with(benchmark, known=["cost"])
    priced = {**benchmark.objectives, "price": constant([1.0] * len(benchmark.truth))}
    return _with(replace(benchmark, objectives=priced), known=["price"])


def _where(benchmark: Benchmark, family: Family) -> Benchmark:
    sign = "<=" if benchmark.directions["score"] == "min" else ">="
    return _with(benchmark, where=f"score {sign} {family.usual}")


def _missing(nan_policy: str) -> Callable[[Benchmark, Family], Benchmark]:
    def change(benchmark: Benchmark, family: Family) -> Benchmark:
        return _with(replace(benchmark, missing=0.1, selective=family.selective), nan_policy=nan_policy)

    return change


def _standard_error(benchmark: Benchmark, family: Family) -> Benchmark:
    columns = {"score": f"score{ERROR}"}
    return _with(replace(benchmark, summarized=True), item=None, standard_error=columns)


def _keyword(**keywords: Any) -> Callable[[Benchmark, Family], Benchmark]:
    return lambda benchmark, family: _with(benchmark, **keywords)


OPTIONS = {
    option.name: option
    for option in (
        Option("margin", "margin", _margin),
        Option("repeat", "repeat", _repeat),
        Option("cluster", "cluster", _cluster),
        Option("runs", "repeat", _runs),
        Option("known", "known", _known),
        Option("where", "where", _where),
        *(Option(policy, "nan_policy", _missing(policy)) for policy in POLICIES),
        Option("standard_error", "standard_error", _standard_error),
        Option("n", "n", _keyword(n=COUNT)),
        Option("baseline", "baseline", _keyword(baseline=0)),
        Option("paired", "paired", _keyword(paired=True)),
        Option("log", "log", _keyword(log=["score"])),
        Option("unit of means", "unit", _keyword(unit="mean")),
        Option("one-sided", "alternative", _keyword(alternative="greater")),
    )
}
_OF_MEASUREMENTS = ("repeat", "runs", "cluster", "known", *POLICIES, "standard_error", "n")
_OF_RUNS = ("omit", "paired", "log", "unit of means", "one-sided")

Ask = Callable[[Benchmark, pd.DataFrame, np.random.Generator], Any]


@dataclass(frozen=True)
class Verb:
    """A verb with confidence, and how its answer is judged.

    Parameters
    ----------
    name : str
    call : callable
    options : tuple of str
        Those that are asked, of which it takes the keywords.
    n_systems : int
    ask : callable
        Asks about a table; the result has a guarantee.
    is_wrong : callable
        Whether anything in a result is wrong.
    start : callable
        Makes the question of a family without any option.
    takes : callable
        Whether the truth is known in a family.
    """

    name: str
    call: Callable[..., Any]
    options: tuple[str, ...]
    n_systems: int
    ask: Ask
    is_wrong: Callable[[Benchmark, Any], bool]
    start: Callable[[Family, int], Benchmark]
    takes: Callable[[Family, tuple[str, ...]], bool] = lambda family, pair: True

    @property
    def what(self) -> str:
        """What the rows of the table are called."""
        return f"{self.name} with pairs of options"

    def pairs(self) -> Iterator[tuple[str, ...]]:
        """Two options at a time, which do not set the same keyword; of a verb that has only two, also each alone."""
        ordered = [name for name in OPTIONS if name in self.options]
        if len(ordered) == 2:
            yield from ((name,) for name in ordered)
        for pair in itertools.combinations(ordered, 2):
            if OPTIONS[pair[0]].keyword != OPTIONS[pair[1]].keyword:
                yield pair


def _on_items(family: Family, n_systems: int) -> Benchmark:
    return on_items(score=family.measured(n_systems, (N_ITEMS, 1)))


def _with_costs(family: Family, n_systems: int) -> Benchmark:
    """Candidates, the cheapest first, and last the system that they are compared with."""
    score = family.measured(n_systems, (N_ITEMS, 1))
    return on_items(score=score, cost=constant(range(1, n_systems + 1)))


def _in_runs(family: Family, n_systems: int) -> Benchmark:
    score = family.measured(n_systems, (1, N_RUNS))
    return on_runs(score=score, error=normal(equal(n_systems), (1, N_RUNS)))


def _asks(call: Callable[..., Any], **options: Any) -> Ask:
    """Ask a verb that draws resamples."""
    return lambda benchmark, frame, rng: call(frame, **benchmark.options, **options, rng=rng)


def _compare(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> copa_nb.results.Comparison:
    return asked.compare(frame, new=0, baseline=1, **benchmark.options)


def _miscompared(benchmark: Benchmark, found: copa_nb.results.Comparison) -> bool:
    if "margin" in benchmark.reading:
        return not NOT_WORSE.isdisjoint(found.table.loc[["score"], "verdict"])
    return misses(found.table, benchmark.truth)


def _misranked(benchmark: Benchmark, found: copa_nb.results.Board) -> bool:
    return ranks_missed(found.table, true_ranks(benchmark))


def _equivalent(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> copa_nb.results.Cheaper:
    return asked.cheaper(frame, len(benchmark.truth) - 1, cost="cost", **benchmark.options)


def _is_not_equivalent(benchmark: Benchmark, found: copa_nb.results.Cheaper) -> bool:
    asked = WrongEquivalent(benchmark.reading.get("margin", {}))
    return found.best is not None and asked.is_wrong(benchmark, int(str(found.best)))


def _not_covered(benchmark: Benchmark, found: copa_nb.results.Intervals) -> bool:
    return not covers(found.table, benchmark.truth.loc[found.best])


def _mean_ranks(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> copa_nb.results.Board:
    options = dict(benchmark.options)
    policy = options.pop("nan_policy", "raise")
    return asked.mean_ranks(frame, **options).board(n_resamples=N_RESAMPLES, nan_policy=policy, rng=rng)


def false_claims(benchmark: Benchmark, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Claims that the system which looks best, or any other, is ahead of the last one, which is as good or better."""
    scores = frame["score"] * (1 if benchmark.directions["score"] == "max" else -1)
    means = scores.groupby(frame["system"]).mean()
    last = len(benchmark.truth) - 1
    leader = str(means.drop(last).idxmax())
    margin = benchmark.reading.get("margin", {"score": 0.0})
    claims: list[dict[str, Any]] = [{"rank": leader}, {"rank": leader, "at_most": 1}]
    for number in range(last):
        pair = [str(number), str(last)]
        claims += [
            {"better": pair, "in": ["score"]},
            {"better": pair, "in": "dominance"},
            {"not_worse": pair, "margin": margin},
        ]
    return [{"id": f"c{number}", **claim} for number, claim in enumerate(claims)]


def _check(benchmark: Benchmark, frame: pd.DataFrame, rng: np.random.Generator) -> copa_nb.results.Checked:
    given = {name: value for name, value in benchmark.options.items() if name != "margin"}
    file = {**given, "n_resamples": N_RESAMPLES, "claims": false_claims(benchmark, frame)}
    return copa_nb.check(file, frame, settle=False)


def _equal_when_logged(family: Family, pair: tuple[str, ...]) -> bool:
    """Whether systems have the same expected hypervolume of a run; equal means have not when logarithms are taken."""
    return not family.apart and (family.alike or "log" not in pair)


VERBS = (
    Verb("compare()", asked.compare, ("margin", "repeat", "cluster", "known", *POLICIES), 2,
         _compare, _miscompared, _on_items),
    Verb("board()", asked.board, _OF_MEASUREMENTS, 6,
         _asks(asked.board, n_resamples=N_RESAMPLES), _misranked, _on_items),
    Verb("confident_front()", asked.confident_front, _OF_MEASUREMENTS, 6,
         _asks(asked.confident_front, n_resamples=N_RESAMPLES),
         lambda benchmark, found: verdicts_of_front(benchmark, found)[1] > 0, _on_items),
    Verb("cheaper()", asked.cheaper, ("margin", *_OF_MEASUREMENTS), 4,
         _equivalent, _is_not_equivalent, _with_costs),
    Verb("intervals()", scores_after_choice, ("where", *_OF_MEASUREMENTS), 8,
         _asks(scores_after_choice, n_resamples=1000), _not_covered, _on_items),
    Verb("check() of false claims", copa_nb.check, ("margin", *_OF_MEASUREMENTS), 4,
         _check, lambda benchmark, found: found.counts["holds"] > 0, _on_items),
    Verb("mean_ranks().board()", asked.mean_ranks, ("pairwise", "baseline"), 6,
         _mean_ranks, _misranked, _on_items, lambda family, pair: family.alike),
    Verb("hv_test()", asked.hv_test, _OF_RUNS, 2,
         _asks(asked.hv_test, new=0, baseline=1, n_resamples=N_RESAMPLES),
         lambda benchmark, found: found.significant, _in_runs, _equal_when_logged),
    Verb("audit()", asked.audit, _OF_RUNS, 3,
         _asks(asked.audit, n_resamples=N_RESAMPLES, progress=False),
         lambda benchmark, found: bool(found.table["significant"].any()), _in_runs, _equal_when_logged),
)  # fmt: skip


@dataclass(frozen=True)
class Setting:
    """A verb, a pair of its options, and a family of data."""

    verb: Verb
    pair: tuple[str, ...]
    family: Family

    def __str__(self) -> str:
        return f"{' and '.join(self.pair)}: {self.family.name}"

    @property
    def benchmark(self) -> Benchmark:
        """How tables are drawn and read."""
        found = self.verb.start(self.family, self.verb.n_systems)
        for name in self.pair:
            found = OPTIONS[name].change(found, self.family)
        return found

    def rate(self, n: int, seed: int = 0) -> Rate:
        """How often anything in the answer is wrong."""
        rng = np.random.default_rng([seed, *_drawn_as(f"{self.verb.name}{self}").encode()])
        benchmark, answers = self.benchmark, Answers()
        for number in range(n):
            if number == ENOUGH_REFUSALS == len(answers.refusals):
                break
            frame = benchmark.table(rng)
            try:
                with warnings.catch_warnings():
                    warnings.simplefilter("ignore")  # of rows that are left out, as was asked
                    found = self.verb.ask(benchmark, frame, rng)
            except ValueError as error:
                answers.refusals.append(str(error).splitlines()[-1].strip())
            else:
                answers.add(self.verb.is_wrong(benchmark, found), names_of(found.guarantee))
        return answers.rate(self.verb.what, str(self), nominal=NOMINAL)


def settings_of(verb: Verb) -> list[Setting]:
    """All pairs of options on all families in which the truth is known, and which differ with these options."""
    return [
        Setting(verb, pair, family)
        for pair in verb.pairs()
        for family in FAMILIES
        if (not family.needs or family.needs.intersection(pair)) and verb.takes(family, pair)
    ]


def rates(n: int) -> Iterator[Rate]:
    """All of them: of few tables each, and the worst of many."""
    for verb in VERBS:
        yield from rates_of(verb, few=min(20, n), many=max(20, min(60, n)))


def rates_of(verb: Verb, few: int, many: int) -> list[Rate]:
    """Rates of a verb, few tables each; the worst are replaced by rates of many other tables.

    These are the two in which answers are most often wrong without a caveat, and all in which that is so more often
    than answers may be wrong at all.
    """
    settings = settings_of(verb)
    found = [setting.rate(few) for setting in settings]
    silent = np.array([rate.silent if rate.n else -1.0 for rate in found])
    again = {*np.argsort(-silent, kind="stable")[:N_WORST].tolist(), *np.flatnonzero(silent > NOMINAL).tolist()}
    for position in sorted(again):
        found[position] = settings[position].rate(many, seed=1)
    return _without_refused_pairs(settings, found)


def _without_refused_pairs(settings: list[Setting], found: list[Rate]) -> list[Rate]:
    """One rate for all families of a pair that is refused for all of them."""
    by_pair: dict[tuple[str, ...], list[Rate]] = {}
    for setting, rate in zip(settings, found, strict=True):
        by_pair.setdefault(setting.pair, []).append(rate)
    kept: list[Rate] = []
    for pair, rates in by_pair.items():
        if any(rate.n for rate in rates):
            kept += rates
        else:
            refused = sum(rate.refused for rate in rates)
            kept.append(replace(rates[0], setting=f"{' and '.join(pair)}: all families", refused=refused))
    return kept
