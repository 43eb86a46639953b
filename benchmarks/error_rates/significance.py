"""Size and power of the hypervolume tests, familywise error of audits, and what a number of runs promises.

Everything is asked of the public verbs, on runs as benchmarks have them: noisy systems among quiet ones, 2, 3 and 20
runs, rounded shares of right answers near 1, costs with a long tail.
"""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

import copa_nb
from benchmarks.error_rates import Answers, Rate, names_of
from copa_nb.significance.simulation import wilson_interval
from tests import asked

ALPHA = 0.05
FRONT, RUNS, SIGNIFICANT = "hv_test().pvalue", "hv_test().per_run.pvalue", "hv_test().significant"
RANKS, INTERVAL = "hv_test().per_run.mann_whitney_pvalue", "hv_test().per_run low, high"
DIRECTIONS = {"error": "min", "cost": "min"}
UNLIKE = "its null hypothesis is equal distributions, which does not hold here; single runs decide what is significant"
Costs = Callable[[np.random.Generator, int], np.ndarray]


def normal(deviation: float = 1.0, shift: float = 0.0, correlation: float = 0.0) -> Costs:
    """Normal errors and costs of a system that is better by `shift` in both."""
    root = np.linalg.cholesky([[1.0, correlation], [correlation, 1.0]])
    return lambda rng, n: deviation * rng.standard_normal((n, 2)) @ root.T - shift


def near_ceiling(questions: int, share: float = 0.97) -> Costs:
    """Shares of wrong answers of a system that is right with a probability of `share`, and quiet costs."""
    return lambda rng, n: np.c_[rng.binomial(questions, 1 - share, n) / questions, rng.normal(1.0, 0.02, n)]


def long_tailed(sigma: float) -> Costs:
    """Log-normal costs of mean 1, and quiet errors."""
    return lambda rng, n: np.c_[rng.normal(0.3, 0.03, n), rng.lognormal(-(sigma**2) / 2, sigma, n)]


def long_tailed_in_both(sigma: float) -> Costs:
    """Log-normal errors and costs of mean 1."""
    return lambda rng, n: rng.lognormal(-(sigma**2) / 2, sigma, (n, 2))


@dataclass(frozen=True)
class Setting:
    """Systems, and their numbers of runs."""

    systems: Sequence[Costs]
    counts: Sequence[int]

    def draw(self, seed: int) -> pd.DataFrame:
        """Runs, one row each; systems are called s0, s1 and so on."""
        rng = np.random.default_rng(seed)
        costs = np.concatenate([system(rng, n) for system, n in zip(self.systems, self.counts, strict=True)])
        names = np.repeat([f"s{i}" for i in range(len(self.counts))], self.counts)
        return pd.DataFrame(costs, columns=list(DIRECTIONS)).assign(system=names)


# Two systems with the same expected hypervolume of a run.
NULLS = {
    "equal noise, 5 and 5 runs": Setting([normal()] * 2, (5, 5)),
    "equal noise, 10 and 10 runs": Setting([normal()] * 2, (10, 10)),
    "equal noise, 5 and 15 runs": Setting([normal()] * 2, (5, 15)),
    "standard deviations 3 and 1, 5 and 5 runs": Setting([normal(3), normal()], (5, 5)),
    "standard deviations 3 and 1, 10 and 10 runs": Setting([normal(3), normal()], (10, 10)),
    "standard deviations 3 and 1, 5 and 15 runs": Setting([normal(3), normal()], (5, 15)),
    "standard deviations 3 and 1, 15 and 5 runs": Setting([normal(3), normal()], (15, 5)),
    "standard deviations 4 and 1, 2 and 20 runs": Setting([normal(4), normal()], (2, 20)),
    "standard deviations 4 and 1, 3 and 20 runs": Setting([normal(4), normal()], (3, 20)),
    "97% of 20 questions right, 3 and 20 runs": Setting([near_ceiling(20)] * 2, (3, 20)),
    "97% of 20 and of 200 questions right, 10 and 10 runs": Setting([near_ceiling(20), near_ceiling(200)], (10, 10)),
    "log-normal costs, σ 1, 10 and 10 runs": Setting([long_tailed(1)] * 2, (10, 10)),
    "log-normal costs, σ 1 and 0.3, 10 and 10 runs": Setting([long_tailed(1), long_tailed(0.3)], (10, 10)),
    "log-normal costs, σ 1.5 and 0.3, 20 and 20 runs": Setting([long_tailed(1.5), long_tailed(0.3)], (20, 20)),
    "log-normal in both, σ 1.5 and 0.3": Setting([long_tailed_in_both(1.5), long_tailed_in_both(0.3)], (20, 20)),
}
# The advantage of the new side in both objectives, in standard deviations of the baseline.
EFFECTS = {
    "better by 1 standard deviation, 8 and 8 runs": Setting([normal(shift=1.0), normal()], (8, 8)),
    "better by 1 standard deviation, 24 and 24 runs": Setting([normal(shift=1.0), normal()], (24, 24)),
    "better by 1.5 standard deviations, 5 and 15 runs": Setting([normal(shift=1.5), normal()], (5, 15)),
}
# Several systems with the same expected hypervolume of a run, but for one that is better where that is said.
AUDITS = {
    "3 systems, standard deviations 1, 1 and 4, 3 runs each": Setting([normal(), normal(), normal(4)], (3, 3, 3)),
    "5 systems alike, 10 runs each": Setting([normal()] * 5, [10] * 5),
    "5 systems, standard deviations 1, 1, 1, 1 and 4, 5 runs each": Setting([normal()] * 4 + [normal(4)], [5] * 5),
    "5 systems, standard deviations 1, 1, 1, 1 and 3, 10 runs each": Setting([normal()] * 4 + [normal(3)], [10] * 5),
    "8 systems, standard deviations 1 and once 4, 10 runs each": Setting([normal()] * 7 + [normal(4)], [10] * 8),
    "3 systems, standard deviations 1, 1 and 5, 10 runs each": Setting([normal(), normal(), normal(5)], [10] * 3),
    "3 systems, standard deviations 4, 1 and 1, 2, 3 and 20 runs": Setting([normal(4), normal(), normal()], (2, 3, 20)),
    "3 systems, standard deviations 1, 4 and 1, 2, 3 and 20 runs": Setting([normal(), normal(4), normal()], (2, 3, 20)),
    "4 systems, standard deviations 1, 4, 1 and 4, 20, 3, 20 and 3 runs": Setting(
        [normal(), normal(4)] * 2, (20, 3, 20, 3)
    ),
    "5 systems, 97% of 20 questions right, 5 runs each": Setting([near_ceiling(20)] * 5, [5] * 5),
    "8 systems, 97% of 20 questions right, 4 runs each": Setting([near_ceiling(20)] * 8, [4] * 8),
    "8 systems, standard deviations 1 and 4, 4 runs each": Setting([normal(), normal(4)] * 4, [4] * 8),
    "3 systems, 97% of 20, 200 and 200 questions right, 3, 20 and 20 runs": Setting(
        [near_ceiling(20), near_ceiling(200), near_ceiling(200)], (3, 20, 20)
    ),
    "5 systems, log-normal costs of σ 1, 10 runs each": Setting([long_tailed(1)] * 5, [10] * 5),
    "3 systems, log-normal costs of σ 1, 2, 3 and 20 runs": Setting([long_tailed(1)] * 3, (2, 3, 20)),
    "3 systems, log-normal costs of σ 1, 0.3 and 0.3, 10 runs each": Setting(
        [long_tailed(1), long_tailed(0.3), long_tailed(0.3)], [10] * 3
    ),
    "3 systems, log-normal costs of σ 1.5, 0.3 and 0.3, 20 runs each": Setting(
        [long_tailed(1.5), long_tailed(0.3), long_tailed(0.3)], [20] * 3
    ),
}
AUDITS["4 systems alike and one better by 3 standard deviations, 10 runs each"] = Setting(
    [normal(shift=3.0), *[normal()] * 4], [10] * 5
)
# True differences of expected hypervolumes against a stated reference point, beyond which no run is.
POINT = {"error": 12.0, "cost": 12.0}
CEILING_POINT = {"error": 1.2, "cost": 2.0}
TAIL_POINT = {"error": 1.0, "cost": 200.0}
INTERVALS = {
    "equal noise, 5 and 5 runs": (Setting([normal(shift=1.0), normal()], (5, 5)), POINT, 13.0**2 - 12.0**2),
    "standard deviations 4 and 1, 3 and 3 runs": (Setting([normal(2), normal(0.5)], (3, 3)), POINT, 0.0),
    "standard deviations 4 and 1, 2 and 20 runs": (Setting([normal(2), normal(0.5)], (2, 20)), POINT, 0.0),
    "standard deviations 4 and 1, 20 and 2 runs": (Setting([normal(2), normal(0.5)], (20, 2)), POINT, 0.0),
    "correlations −0.9 and 0, 10 and 10 runs": (Setting([normal(correlation=-0.9), normal()], (10, 10)), POINT, -0.9),
    "97% of 20 questions right, 3 and 3 runs": (Setting([near_ceiling(20)] * 2, (3, 3)), CEILING_POINT, 0.0),
    "97% of 20 questions right, 2 and 20 runs": (Setting([near_ceiling(20)] * 2, (2, 20)), CEILING_POINT, 0.0),
    "99% and 90% of 20 questions right, 5 and 20 runs": (
        Setting([near_ceiling(20, 0.99), near_ceiling(20, 0.9)], (5, 20)), CEILING_POINT, 0.09,
    ),
    "log-normal costs, σ 1, 3 and 20 runs": (Setting([long_tailed(1)] * 2, (3, 20)), TAIL_POINT, 0.0),
    "log-normal costs, σ 1 and 0.3, 10 and 10 runs": (
        Setting([long_tailed(1), long_tailed(0.3)], (10, 10)), TAIL_POINT, 0.0,
    ),
    "log-normal costs, σ 1.5 and 0.3, 20 and 20 runs": (
        Setting([long_tailed(1.5), long_tailed(0.3)], (20, 20)), TAIL_POINT, 0.0,
    ),
}  # fmt: skip


def rates(n: int) -> Iterator[Rate]:
    """Rates of the package, each over n simulations (audits and searches over fewer)."""
    yield from sizes(n)
    yield from correlations(n)
    yield from intervals(n)
    yield from powers(n)
    yield from audits(max(10, n // 4))
    yield from searches(max(4, n // 20))
    yield from simulated_powers(n)


def tests_of(setting: Setting, n: int, start: int, **options: object) -> Iterator[copa_nb.results.HypervolumeTest]:
    """Tests of the first system against the second, on n data sets."""
    for seed in range(start, start + n):
        yield asked.hv_test(
            setting.draw(seed), system="system", new="s0", baseline="s1", objectives=DIRECTIONS,
            **{"n_resamples": 999, **options},
        )  # fmt: skip


def decisions(test: copa_nb.results.HypervolumeTest) -> dict[str, bool]:
    """Which comparisons reject."""
    return {
        FRONT: test.pvalue <= ALPHA,
        RUNS: test.per_run.pvalue <= ALPHA,
        SIGNIFICANT: test.significant,
        RANKS: test.per_run.mann_whitney_pvalue <= ALPHA,
        f"{FRONT}, larger front": test.pvalue <= ALPHA and test.statistic > 0,
        f"{SIGNIFICANT}, better runs": test.significant and test.per_run.difference > 0,
    }


def rejections(setting: Setting, n: int, start: int, **options: object) -> dict[str, int]:
    """How often each comparison rejects."""
    found = pd.DataFrame([decisions(test) for test in tests_of(setting, n, start, **options)])
    return {what: int(count) for what, count in found.sum().items()}


def answers_of(setting: Setting, n: int, start: int) -> dict[str, Answers]:
    """What each comparison answers where no rejection is right."""
    answers: dict[str, Answers] = defaultdict(Answers)
    for test in tests_of(setting, n, start):
        for what, rejects in decisions(test).items():
            answers[what].add(rejects, names_of(test.guarantee))
    return answers


def sizes(n: int) -> Iterator[Rate]:
    """Rejections of true null hypotheses: equal expected hypervolumes of a run."""
    for number, (name, setting) in enumerate(NULLS.items()):
        found = answers_of(setting, n, start=10_000 * number)
        unlike = setting.systems[0] is not setting.systems[1]
        for what in (FRONT, RUNS, SIGNIFICANT, RANKS):
            rate = found[what].rate(what, name)
            yield replace(rate, note=UNLIKE, comparator=True) if unlike and what in (FRONT, RANKS) else rate
    name = "worse by 1 standard deviation in both objectives, standard deviations 3 and 1, 10 and 10 runs"
    found = answers_of(Setting([normal(3, shift=-1.0), normal()], (10, 10)), n, start=900_000)
    larger, better = f"{FRONT}, larger front", f"{SIGNIFICANT}, better runs"
    yield replace(found[larger].rate(larger, name), note=UNLIKE, comparator=True)
    yield found[better].rate(better, name)


def correlations(n: int) -> Iterator[Rate]:
    """Rejections where means are equal, but correlations make the expected hypervolumes of a run differ."""
    setting = Setting([normal(correlation=-0.9), normal()], (30, 30))
    note = "a true difference: the correlation changes the expected hypervolume of a run, and the result names it"
    tests = list(tests_of(setting, n, start=950_000))
    name = "equal means, correlations −0.9 and 0, 30 and 30 runs"
    for what, rejected in (
        (RUNS, [test.per_run.pvalue <= ALPHA for test in tests]),
        (SIGNIFICANT, [test.significant for test in tests]),
        (f"{SIGNIFICANT}, without naming the correlations", [
            test.significant and not any("correlation" in caveat for caveat in test.guarantee.remarks) for test in tests
        ]),
    ):  # fmt: skip
        yield Rate(what, name, "power", None, sum(rejected), n, note)


def intervals(n: int) -> Iterator[Rate]:
    """Whether the interval covers the true difference of the expected hypervolumes; none covers any."""
    for number, (name, (setting, point, truth)) in enumerate(INTERVALS.items()):
        answers = Answers()
        for test in tests_of(setting, n, start=10_000 * number, n_resamples=19, reference=point):
            answers.add(not test.per_run.low <= truth <= test.per_run.high, names_of(test.guarantee))
        yield answers.rate(INTERVAL, name, "coverage", 1 - ALPHA)


def powers(n: int) -> Iterator[Rate]:
    """Rejections where the new side is better."""
    for number, (name, setting) in enumerate(EFFECTS.items()):
        found = rejections(setting, n, start=10_000 * (50 + number))
        for what in (FRONT, RUNS, SIGNIFICANT):
            yield Rate(what, name, "power", None, found[what], n)
        if len(set(setting.counts)) > 1:
            paper = rejections(setting, n, start=10_000 * (50 + number), two_sided="paper")
            note = "the paper's D_b at least D in size, for equal numbers of runs"
            yield Rate('hv_test(two_sided="paper").pvalue', name, "power", None, paper[FRONT], n, note)


def audits(n: int, only: Sequence[str] = ()) -> Iterator[Rate]:
    """Chance that any claim about equal systems is called significant, where the data suggest the claims or not."""
    for name in only or AUDITS:
        setting = AUDITS[name]
        names = [f"s{i}" for i in range(len(setting.counts))]
        better = {"s0"} if "better" in name else set()
        for kind, claims in (("suggested", None), ("named", list(itertools.combinations(names, 2)))):
            false, discoveries, unadjusted = Answers(), Answers(), 0
            for seed in range(1000, 1000 + n):
                outcome = asked.audit(
                    setting.draw(seed), system="system", objectives=DIRECTIONS, claims=claims, n_resamples=499,
                    progress=False,
                )  # fmt: skip
                null = outcome.table[~outcome.table["new"].isin(better)]
                caveats = names_of(outcome.guarantee)
                false.add(bool(null["significant"].any()), caveats)
                unadjusted += bool((null["runs_pvalue"] <= ALPHA).any())
                called = int((outcome.table["benjamini_hochberg"] <= ALPHA).sum())
                share = int((null["benjamini_hochberg"] <= ALPHA).sum()) / max(called, 1)
                # An answer of which a part is false is wrong as often as that part.
                discoveries.add(bool(np.random.default_rng(seed).random() < share), caveats)
            where = f"{name}; {kind} claims"
            yield false.rate("audit().significant: any false claim", where)
            note = "claims one by one, of many"
            what = "audit().significant_unadjusted: any"
            yield Rate(what, where, "size", ALPHA, unadjusted, n, note, comparator=True)
            yield discoveries.rate("audit().table: share of false claims by benjamini_hochberg", where)


def simulated_powers(n: int) -> Iterator[Rate]:
    """Coverage of the intervals of a simulated power, whose count is binomial."""
    rng = np.random.default_rng(6)
    for power, trials in ((0.05, 200), (0.5, 200), (0.8, 1000), (0.99, 1000)):
        counts = rng.binomial(trials, power, size=n)
        hits = sum(low <= power <= high for low, high in (wilson_interval(int(count), trials) for count in counts))
        yield Rate("power().table low, high", f"power {power:g}, {trials} simulations", "coverage", 0.95, hits, n)


def searches(n: int, truth_from: int = 4000) -> Iterator[Rate]:
    """Whether the range of a number of runs holds the true number of seeds."""
    for effect, noise, statistic in ((0.15, 0.06, "front"), (0.1, 0.045, "runs"), (0.3, 0.1, "runs")):
        settings = {"effect": effect, "noise": noise, "statistic": statistic, "n_resamples": 199}
        truth = copa_nb.power(solve="runs", **settings, n_simulations=truth_from, rng=12345).n_runs
        hits = near = 0
        for seed in range(n):
            answer = copa_nb.power(solve="runs", **settings, n_simulations=200, rng=seed)
            low, high = answer.range
            hits += low <= truth and (high is None or truth <= high)
            near += answer.n_runs is not None and abs(answer.n_runs - truth) <= 1
        setting = f"effect {effect:g}, noise {noise:g}, statistic {statistic!r}: {truth} seeds"
        yield Rate("power(solve='runs').range", setting, "coverage", 0.95, hits, n)
        yield Rate("power(solve='runs').n_runs within one of the truth", setting, "power", None, near, n)
