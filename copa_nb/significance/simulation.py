"""Simulated data sets of two systems, and the share of them in which the hypervolume permutation test rejects.

Two systems differ by a given share of hypervolume, and their runs have normal noise. Everything is measured as
distance from the reference point, in units of the baseline's own distance, so that the baseline's hypervolume is 1
and noise is a share of that distance. Such units change neither p nor power.
"""

from __future__ import annotations

__all__ = ["Power"]

import math
import numbers
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.parallel import map_tasks
from copa_nb.pareto.arrays.hypervolume import set_hypervolumes
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.run_options import said
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, permutation_test
from copa_nb.significance.noise import DRAWS, NoiseModel

NORMAL_95 = 1.959963984540054
_SETS_PER_TASK = 50
STATISTICS = {"runs": "power_runs", "front": "power"}


@dataclass(frozen=True, repr=False, eq=False)
class Power(Worded):
    """Share of simulated data sets in which the test rejects.

    Parameters
    ----------
    table : DataFrame
        One row per effect and number of runs: ``effect``, ``n_runs``, ``power`` of the comparison of fronts, ``low``
        and ``high`` (95% interval of the simulation, after Wilson), ``n_simulations``, ``exact`` (whether all
        permutations were enumerated), and ``power_runs`` of the comparison of single runs, which decides whether a
        result is significant.
    noise : NoiseModel
        Noise of the runs.
    options : HypervolumeTestOptions
        How each data set was tested.
    correlation : float
        Correlation between the noise of both systems in the same repeat.
    """

    paper = "boyi2026significance"

    table: pd.DataFrame
    noise: NoiseModel
    options: HypervolumeTestOptions
    correlation: float = 0.0

    def at(self, effect: float, n_runs: int) -> float:
        """Power for one of the simulated effects and numbers of runs.

        Raises
        ------
        ValueError
            For an effect or a number of runs that was not simulated.
        """
        chosen = self.table[np.isclose(self.table["effect"], effect) & (self.table["n_runs"] == n_runs)]
        if chosen.empty:
            effects, counts = (checks.listed(self.table[name].unique()) for name in ("effect", "n_runs"))
            raise ValueError(
                f"`effect`={effect!r} with `n_runs`={n_runs!r} was not simulated; the simulated effects are {effects}, "
                f"the numbers of runs {counts}."
            )
        return float(chosen["power"].iloc[0])

    def parts(self) -> list[Part]:
        """The powers that were found, and how data sets were simulated and tested."""
        power = self.table[STATISTICS["runs"]]
        found = {"low": float(power.min()), "high": float(power.max()), "n": len(self.table)}
        indicator = self.options.indicator
        setting = {"name": NAMES[indicator], "alpha": self.options.alpha, "alternative": self.options.alternative,
                   "noise": self.noise.description}  # fmt: skip
        return [
            part(f"power.headline.{'one' if found['low'] == found['high'] else 'range'}", **found),
            part("power.reasons.setting", **setting),
            part("power.certainty.error"),
            part("power.details.meant"),
        ]

    plot = Offered()

    def __repr__(self) -> str:
        low, high = self.table["power"].min(), self.table["power"].max()
        return f"<Power from {low:.2f} to {high:.2f} over {len(self.table)} settings, {self.noise.description}>"

    def _card(self) -> str:
        shown = text.html_table(self.table.set_axis([""] * len(self.table)), caption=self.explain())
        name = NAMES[self.options.indicator]
        return text.card(f"Power of the {name} permutation test", [], shown)


def distributed(model: NoiseModel, distribution: str) -> NoiseModel:
    """The same noise with another distribution."""
    checks.one_of("distribution", distribution, tuple(DRAWS))
    if distribution == "normal":
        return model
    return replace(model, distribution=distribution, description=f"{model.description}, {distribution}")


@checks.refuse_others
def simulate(
    model: NoiseModel,
    options: HypervolumeTestOptions,
    *,
    effect: float | Sequence[float],
    n_runs: int | Sequence[int],
    correlation: float = 0.0,
    n_simulations: int = 1000,
    rng: int | np.random.Generator | None = 0,
) -> Power:
    """Simulate how often the test detects an improvement of a given size; see :func:`copa_nb.power`."""
    settings = [(e, k) for e in _effects(effect) for k in _numbers_of_runs(n_runs)]
    correlation = checks.share("correlation", correlation)
    checks.integer("n_simulations", n_simulations)
    # Every task has a stream of its own, so that the answer does not depend on how many run at once.
    sizes = [min(_SETS_PER_TASK, n_simulations - start) for start in range(0, n_simulations, _SETS_PER_TASK)]
    streams = iter(checks.generator(rng).spawn(len(settings) * len(sizes)))
    tasks = [(effect, k, size, next(streams)) for effect, k in settings for size in sizes]

    def rejections(task: tuple[float, int, int, np.random.Generator]) -> tuple[np.ndarray, bool]:
        effect, k, size, stream = task
        systems, blocks = np.repeat([0, 1], k), np.tile(np.arange(k), 2) if options.paired else None
        first, point = np.array([True, False]), np.zeros(model.n_objectives)
        sets = model.draw(effect, k, size, stream, correlation=correlation)
        outcomes = [permutation_test(costs, systems, first, point, options, blocks=blocks) for costs in sets]
        if options.indicator == "hypervolume":
            alone = np.maximum(-sets, 0.0).prod(axis=2)
        else:
            measured = zip(sets, outcomes, strict=True)
            alone = np.array([set_hypervolumes(costs[:, None], point, test.measure) for costs, test in measured])
        runs = per_run_tests(alone, systems == 0, options, blocks=blocks, ranks=False)
        of_fronts = np.array([outcome.pvalue for outcome in outcomes])
        return np.array([(of_fronts <= options.alpha).sum(), (runs.pvalue <= options.alpha).sum()]), outcomes[0].exact

    counted = map_tasks(
        rejections,
        tasks,
        n_jobs=said().n_jobs,
        progress=said().progress,
        label="simulations / 50",
        scheduler=said().scheduler,
    )
    rows = []
    for position, (effect, k) in enumerate(settings):
        part = counted[position * len(sizes) : (position + 1) * len(sizes)]
        rejected = np.sum([counts for counts, _ in part], axis=0).tolist()
        low, high = wilson_interval(rejected[0], n_simulations)
        shares = [count / n_simulations for count in rejected]
        rows.append((effect, k, shares[0], low, high, n_simulations, part[0][1], *shares[1:]))
    columns = ["effect", "n_runs", "power", "low", "high", "n_simulations", "exact", "power_runs"]
    return Power(pd.DataFrame(rows, columns=columns), model, options, correlation)


def with_interval(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Put the power of one comparison, with its interval, in the columns ``power``, ``low`` and ``high``."""
    counts = zip((table[column] * table["n_simulations"]).round().astype(int), table["n_simulations"], strict=True)
    low, high = np.array([wilson_interval(count, trials) for count, trials in counts]).T
    return table.assign(power=table[column], low=low, high=high)


def wilson_interval(successes: int, trials: int, *, z: float = NORMAL_95) -> tuple[float, float]:
    """Wilson interval of a proportion, 95% by default.

    Examples
    --------
    >>> low, high = wilson_interval(81, 100)
    >>> round(low, 3), round(high, 3)
    (0.722, 0.875)
    """
    share = successes / trials
    center = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    low, high = (center - half) / (1 + z**2 / trials), (center + half) / (1 + z**2 / trials)
    # Rounding must not push the share itself out of its interval.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def _effects(effect: float | Sequence[float]) -> list[float]:
    values = [effect] if isinstance(effect, numbers.Real) else list(effect)  # type: ignore[arg-type]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not -1 < float(value) < math.inf:
            raise ValueError(
                f"`effect` is {value!r}; it must be a share of the baseline's hypervolume above -1, e.g. 0.05."
            )
    if not values:
        raise ValueError("`effect` is empty; pass at least one, e.g. 0.05.")
    return [float(value) for value in values]


def _numbers_of_runs(n_runs: int | Sequence[int]) -> list[int]:
    values = [n_runs] if isinstance(n_runs, numbers.Integral) else list(n_runs)  # type: ignore[arg-type]
    if not values:
        raise ValueError("`n_runs` is empty; pass at least one number of runs, e.g. 5.")
    return [checks.integer("n_runs", value, least=2) for value in values]
