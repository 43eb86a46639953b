"""Files of claims: how often one that holds only false claims has a verdict "holds", beside tests claim by claim.

All systems are equal, so that every claim that one is ahead of another is false. The systems that claims name are those
that look best in the same data.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

import copa_nb
from benchmarks.error_rates import Answers, Rate, names_of
from benchmarks.error_rates.generators import (
    Benchmark,
    equal,
    normal,
    on_clusters,
    on_items,
    on_runs,
    rare_failures,
    right_or_wrong,
    with_cluster_effects,
)
from benchmarks.error_rates.settings import RARE_FAILURES

N_CLAIMS = 20
_SIZES = (5,) * 12
SETTINGS: dict[str, Benchmark] = {
    "21 systems right or wrong at .8, 100 items": on_items(accuracy=right_or_wrong(equal(21, 0.8), (100, 1))),
    "21 systems right or wrong at .97, 40 items": on_items(accuracy=right_or_wrong(equal(21, 0.97), (40, 1))),
    "6 systems, two objectives, normal, 30 items": on_items(
        error=normal(equal(6), (30, 1)), cost=normal(equal(6), (30, 1))
    ),
    "6 systems, normal, 12 clusters of 5": on_clusters(
        _SIZES, error=with_cluster_effects(normal(equal(6), (60, 1)), _SIZES)
    ),
    "6 systems, normal, 5 runs each": on_runs(error=normal(equal(6), (1, 5))),
    f"{RARE_FAILURES} of one of two systems, 100 items": on_items(
        cost=rare_failures(equal(2, 1.0), (100, 1), failing=[False, True])
    ),
}
# The first system is better than the others, which are equal.
_ONE_BETTER = np.array([0.97, *[0.7] * 5])
IN_ORDER: dict[str, Benchmark] = {
    "6 systems right or wrong at .97 and .7, 100 items": on_items(accuracy=right_or_wrong(_ONE_BETTER, (100, 1))),
    "6 systems, normal, the first 2 deviations better, 12 clusters of 5": on_clusters(
        _SIZES, error=with_cluster_effects(normal(np.array([-2.0, *[0.0] * 5]), (60, 1)), _SIZES)
    ),
    "6 systems, normal, the first 4 deviations better, 8 runs each": on_runs(
        error=normal(np.array([-4.0, *[0.0] * 5]), (1, 8))
    ),
}


def rates(n: int) -> Iterator[Rate]:
    """How often a file of null claims has any that holds."""
    for number, (setting, benchmark) in enumerate(SETTINGS.items()):
        rng = np.random.default_rng([71, number])
        answers, uncorrected = Answers(), 0
        for _ in range(n):
            frame = benchmark.table(rng)
            claims = null_claims(benchmark, frame)
            checked = copa_nb.check({**_settings(benchmark), "claims": claims}, frame, settle=False)
            answers.add(checked.counts["holds"] > 0, names_of(checked.guarantee))
            uncorrected += any(_looks_true(benchmark, frame, claim) for claim in claims)
        yield answers.rate(f"check() of {N_CLAIMS} false claims: any holds", setting)
        yield Rate(
            "paired t-tests of the same claims at 5% each: any holds" if benchmark.reading.get("item") else
            "t-tests of the same claims at 5% each: any holds",
            setting, "size", 0.05, uncorrected, n, "not what copa_nb reports", comparator=True,
        )  # fmt: skip
    yield from _in_order(n)


def _in_order(n: int) -> Iterator[Rate]:
    """How often a claim that is false holds, where each is tested once the one before it holds; the first is true."""
    for number, (setting, benchmark) in enumerate(IN_ORDER.items()):
        rng = np.random.default_rng([72, number])
        names = list(benchmark.directions)
        answers = Answers()
        for _ in range(n):
            frame = benchmark.table(rng)
            systems = frame["system"].astype(str).unique().tolist()
            claims = [
                {"id": f"c{k}", "better": list(pair), "in": names[:1], "planned": True}
                | ({"after": f"c{k - 1}"} if k else {})
                for k, pair in enumerate(pairwise(systems))
            ]
            checked = copa_nb.check({**_settings(benchmark), "claims": claims}, frame, settle=False)
            wrong = bool((checked.table["verdict"].iloc[1:] == "holds").any())
            answers.add(wrong, names_of(checked.guarantee))
        yield answers.rate("check() of claims in an order, all but the first false: any false one holds", setting)


def null_claims(benchmark: Benchmark, frame: pd.DataFrame) -> list[dict[str, Any]]:
    """Claims that are false where all systems are equal, about the systems that look best."""
    names = list(benchmark.directions)
    means = frame.groupby("system")[names].mean()
    signs = [1 if benchmark.directions[name] == "max" else -1 for name in names]
    ranked = (means * signs).sum(axis=1).sort_values(ascending=False).index.astype(str).tolist()
    leader, others = ranked[0], ranked[1:]
    claims: list[dict[str, Any]] = [{"rank": leader}, {"rank": leader, "at_most": 1}]
    claims += [{"better": [leader, other], "in": names[:1]} for other in reversed(others)]
    claims += [{"better": [leader, other], "in": "dominance"} for other in reversed(others)]
    margin = dict.fromkeys(names, 0.0)
    claims += [{"not_worse": [leader, others[-1]], "margin": margin}]
    claims += [{"better": [second, others[-1]], "in": names[:1]} for second in others[:-1]]
    chosen = [*claims[:2], *[one for one in claims if "not_worse" in one], *claims[2:]]
    return [{"id": f"c{number}", **claim} for number, claim in enumerate(chosen[:N_CLAIMS])]


def _settings(benchmark: Benchmark) -> dict[str, Any]:
    return {"objectives": dict(benchmark.directions), "system": "system", "n_resamples": 300, **benchmark.reading}


def _looks_true(benchmark: Benchmark, frame: pd.DataFrame, claim: dict[str, Any]) -> bool:
    """Whether a one-sided t-test at 5% supports a claim that a system is better than another one."""
    pair = claim.get("better")
    if pair is None:
        return False
    name = next(iter(benchmark.directions))
    sign = 1 if benchmark.directions[name] == "max" else -1
    first, second = (sign * frame.loc[frame["system"].astype(str) == one, name].to_numpy(float) for one in pair)
    paired = "item" in benchmark.reading
    if np.ptp(first - second if paired and len(first) == len(second) else first) == 0:
        return False
    test = stats.ttest_rel if paired else stats.ttest_ind
    return bool(test(first, second, alternative="greater").pvalue <= 0.05)
