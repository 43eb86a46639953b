"""The smallest number of runs with which the hypervolume permutation test reaches a power."""

from __future__ import annotations

__all__ = ["RunsNeeded"]

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, explained, part
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, count_permutations
from copa_nb.significance.noise import NoiseModel
from copa_nb.significance.simulation import STATISTICS, Power, simulate, wilson_interval, with_interval

# Simulations that show whether the largest number of runs is worth searching up to, and the error of the interval.
_PROBE, _NORMAL_PROBE = 100, 3.29


@dataclass(frozen=True, repr=False)
class RunsNeeded(Worded):
    """The smallest number of runs that reaches a target power, with the simulations behind it.

    The number is subject to Monte Carlo error: ``range`` gives the numbers of runs that are consistent with it.

    Parameters
    ----------
    n_runs : int or None
        None if even the largest number of runs tried does not reach the power.
    power : float
        The target power.
    effect : float
        The effect.
    evaluated : Power
        All simulated settings.
    statistic : {"runs", "front"}
        Which comparison the power is for.
    why : tuple of parts
        Why no number of runs was found, as sentences by name; empty if one was.
    """

    paper = "boyi2026significance"

    n_runs: int | None
    power: float
    effect: float
    evaluated: Power = field(repr=False)
    statistic: str = "runs"
    why: tuple[Part, ...] = ()

    _internals = frozenset(("why",))

    @property
    def range(self) -> tuple[int, int | None]:
        """Numbers of runs that are consistent with the Monte Carlo error of the simulation, by its 95% intervals.

        From the first number after those whose interval lies below the target to the first whose interval lies above
        it; None if no such number was simulated.
        """
        table = with_interval(self.table, STATISTICS[self.statistic])
        below = table.loc[table["high"] < self.power, "n_runs"]
        above = table.loc[table["low"] >= self.power, "n_runs"]
        return (int(below.max()) if len(below) else 1) + 1, int(above.min()) if len(above) else None

    def parts(self) -> list[Part]:
        """The answer with its error, or why no number was found."""
        if self.n_runs is None:
            return list(self.why)
        low, high = self.range
        kind = "or_more" if high is None else "one" if low == high else "between"
        needed = part(f"runs_needed.phrases.{kind}", low=low, high=high)
        return [
            part("runs_needed.headline.found", n=self.n_runs, effect=100 * self.effect),
            part(f"runs_needed.reasons.{self.statistic}", power=self.power),
            part("runs_needed.certainty.error", needed=needed),
            part("runs_needed.details.sampled", noise=self.evaluated.noise.description),
        ]

    @property
    def reason(self) -> str:
        """Why no number of runs was found; empty if one was."""
        return " ".join(explained(self.why))

    @property
    def table(self) -> pd.DataFrame:
        """The simulated settings, by number of runs."""
        return self.evaluated.table

    def __repr__(self) -> str:
        found = "none found" if self.n_runs is None else self.n_runs
        return f"<RunsNeeded: {found}, for a power of {self.power:g} at an effect of {100 * self.effect:g}%>"

    plot = Offered()


def fewest_runs(
    model: NoiseModel,
    options: HypervolumeTestOptions,
    *,
    power: float,
    effect: float,
    most: int,
    statistic: str,
    **settings: Any,
) -> RunsNeeded:
    """Find the smallest number of runs with which the test reaches a power; see :meth:`HypervolumeTest.needed`.

    By doubling and bisection, assuming that power grows with the number of runs. If not even `most` runs can reach the
    power, the search stops at once and explains why.
    """
    checks.one_of("statistic", statistic, tuple(STATISTICS))
    column = STATISTICS[statistic]
    target, limit = checks.fraction("power", power), checks.integer("most", most, least=2)
    tried: dict[int, Power] = {}

    def simulated(k: int, **more: Any) -> tuple[int, int]:
        study = simulate(model, options, effect=effect, n_runs=k, **{**settings, **more})
        tried[k] = study
        n = int(study.table["n_simulations"].iloc[0])
        return round(float(study.table[column].iloc[0]) * n), n

    def reaches(k: int) -> bool:
        count, n = simulated(k)
        return count >= target * n

    def within_reach() -> bool:
        """Whether a few simulations with the largest number of runs are consistent with the power."""
        counted = simulated(limit, n_simulations=min(_PROBE, settings.get("n_simulations", 1000)))
        return wilson_interval(*counted, z=_NORMAL_PROBE)[1] >= target

    low, high = 1, min(4, limit)
    reached = reaches(high)
    promising = reached or (high < limit and within_reach())
    while not reached and promising and high < limit:
        low, high = high, min(2 * high, limit)
        reached = reaches(high)
    while reached and high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    answer = _answer(tried, high, reached, target, effect, statistic)
    # The range ends where power is above the target for certain.
    for step in (1, 2, 4, 8) if reached else ():
        if answer.range[1] is None and high + step <= limit and high + step not in tried:
            simulated(high + step)
            answer = _answer(tried, high, reached, target, effect, statistic)
    return answer if reached else replace(answer, why=_why_not(answer, tried[limit].table.iloc[0], limit))


def _answer(
    tried: dict[int, Power], n_runs: int, reached: bool, power: float, effect: float, statistic: str
) -> RunsNeeded:
    table = pd.concat([tried[k].table for k in sorted(tried)], ignore_index=True)
    evaluated = replace(tried[n_runs], table=table)
    return RunsNeeded(n_runs if reached else None, power, float(effect), evaluated, statistic)


def _why_not(answer: RunsNeeded, last: pd.Series, most: int) -> tuple[Part, ...]:
    """Explain why the largest number of runs does not reach the power."""
    reached = {"most": most, "reached": float(last[STATISTICS[answer.statistic]]), "power": answer.power,
               "n": int(last["n_simulations"])}  # fmt: skip
    start = (
        part("runs_needed.headline.none", most=most, effect=100 * answer.effect),
        part(f"runs_needed.reasons.{answer.statistic}_below", **reached),
    )
    smallest = _smallest_share(most, answer.evaluated.options)
    if smallest > answer.evaluated.options.alpha:
        return (*start, part("runs_needed.reasons.few_runs", pvalue=smallest))
    if answer.statistic != "runs" and last["power_runs"] >= answer.power:
        return (*start, part("runs_needed.reasons.luckiest", power=float(last["power_runs"])))
    return (*start, part("runs_needed.reasons.noise", noise=answer.evaluated.noise.description))


def _smallest_share(n_runs: int, options: HypervolumeTestOptions) -> float:
    sides = 2 if options.alternative == "two-sided" else 1
    counts, blocks = ([1, 1], n_runs) if options.paired else ([n_runs, n_runs], 1)
    return sides / count_permutations(counts, blocks)
