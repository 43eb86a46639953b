"""Power of the hypervolume permutation test, by simulation: how likely is it to detect a real improvement?

Two systems differ by a given share of hypervolume, and their runs have normal noise. Everything is measured as
distance from the reference point, in units of the baseline's own distance, so that the baseline's hypervolume is 1
and noise is a share of that distance. Such units change neither p nor power.
"""

from __future__ import annotations

__all__ = ["Power", "noise_for_power", "power"]

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.parallel import map_tasks
from copa_nb.docstrings import shared_parameters
from copa_nb.pareto.arrays.hypervolume import set_hypervolumes
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import Offered
from copa_nb.results.result import Result
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, permutation_test
from copa_nb.significance.noise import DRAWS, NoiseModel, noise_model
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike

NORMAL_95 = 1.959963984540054
_SETS_PER_TASK = 50
STATISTICS = {"runs": "power_runs", "front": "power"}


@dataclass(frozen=True, repr=False, eq=False)
class Power(Result):
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

    def explain(self) -> str:
        """How data sets were simulated and tested."""
        return (
            f"{'' if self.options.indicator == 'hypervolume' else NAMES[self.options.indicator] + ', '}"
            f"α = {self.options.alpha:g}, {self.options.alternative}, {self.noise.description}. Power is given for "
            "the comparison of fronts, and for that of single runs, which decides whether a result is significant. It "
            "is estimated as the share of rejections under this noise. The sampling unit is a simulated data set. The "
            "95% intervals (Wilson, approximate) cover the Monte Carlo error only, not errors in the noise "
            "model."
        )

    plot = Offered()

    def __repr__(self) -> str:
        low, high = self.table["power"].min(), self.table["power"].max()
        return f"<Power from {low:.2f} to {high:.2f} over {len(self.table)} settings, {self.noise.description}>"

    def _card(self) -> str:
        shown = text.html_table(self.table.set_axis([""] * len(self.table)), caption=self.explain())
        name = NAMES[self.options.indicator]
        return text.card(f"Power of the {name} permutation test", [], shown)


@of_paper("boyi2026significance")
@any_frame
@shared_parameters
def power(
    frame: pd.DataFrame | None = None,
    *,
    effect: float | Sequence[float] = 0.05,
    n_runs: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | Mapping[Any, float] | NoiseModel | None = None,
    system: Any = None,
    baseline: Any = None,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    log: Any = None,
    n_objectives: int = 2,
    correlation: float = 0.0,
    n_simulations: int = 1000,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    paired: bool = False,
    unit: str = "run",
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    new: Any = None,
    two_sided: str = "tails",
    n_jobs: int | None = None,
    progress: bool = True,
    scheduler: Any = None,
    indicator: str = "hypervolume",
    distribution: str = "normal",
) -> Power:
    """Simulate how often the test detects an improvement of a given size.

    Both systems have noise around their means; the new system's mean dominates a hypervolume that is `effect` larger.
    With an effect of 0 the result is the size of the test.

    Parameters
    ----------
    frame : DataFrame, optional
        Runs to which the noise is fitted; requires `system`, `baseline` and objectives.
    effect : float or sequence of float
        Share by which the new system's hypervolume exceeds the baseline's.
    n_runs : int or sequence of int
        Numbers of runs K, the same for both systems.
    noise : float, sequence, mapping of objective to float, or NoiseModel, optional
        Standard deviation as a share of the baseline's distance from the reference point, one for all
        objectives or one per objective; or, with a frame, per objective in its own units. By default, it is fitted to
        the frame.
    %(system)s
    baseline : label
        With a frame: the system whose distance from the reference point is the unit.
    objectives, reference, reference_margin, log
        See :func:`copa_nb.hv_test`.
    n_objectives : int
        Without a frame: number of objectives, if `noise` is one number.
    correlation : float
        Correlation between the noise of both systems in the same repeat, from 0 to 1, from which a paired test gains.
    n_simulations : int
        Simulated data sets per setting.
    n_resamples, alternative, paired, unit, alpha, two_sided, indicator
        See :func:`copa_nb.hv_test`. `effect` is a share of hypervolume under every indicator.
    %(rng)s
    new : label, optional
        With a frame: fit the new side's noise to the runs of this system, and the other side's to those of the
        baseline. By default one covariance is pooled over all systems, as if they were equally noisy.
    %(n_jobs)s
    %(progress)s
    %(scheduler)s
    distribution : {"normal", "uniform"}
        Distribution of the noise, with the standard deviations of `noise`. A front over all runs depends on the tails
        of the noise: under uniform noise, which has none, more runs add more power. A NoiseModel has its own
        distribution.

    Returns
    -------
    Power

    Raises
    ------
    %(gate_errors)s
    ValueError
        If noise is neither given nor fitted to runs, or if effects, numbers of runs or the correlation are out of
        range.

    See Also
    --------
    runs_needed : the smallest number of runs that reaches a power.
    noise_for_power : the noise under which the test has a given power.

    References
    ----------
    %(significance_paper)s
       Section 4.1: power.

    Examples
    --------
    >>> import copa_nb
    >>> study = copa_nb.power(effect=[0.0, 0.2], n_runs=5, noise=0.03, n_simulations=200)
    >>> study.at(0.0, 5) <= 0.1, study.at(0.2, 5) >= 0.9
    (True, True)
    """
    read = {"system": system, "objectives": objectives, "log": log, "reference": reference}
    model = noise_model(frame, noise, n_objectives, baseline, new, reference_margin, read)
    checks.one_of("distribution", distribution, tuple(DRAWS))
    if distribution != "normal" and not isinstance(noise, NoiseModel):
        model = replace(model, distribution=distribution, description=f"{model.description}, {distribution}")
    options = HypervolumeTestOptions(n_resamples, alternative, paired, unit, "auto", alpha, 0, two_sided, indicator)
    settings = [(e, k) for e in _effects(effect) for k in _numbers_of_runs(n_runs)]
    correlation = checks.share("correlation", correlation)
    checks.integer("n_simulations", n_simulations)
    # Every task has a stream of its own, so that the answer does not depend on how many run at once.
    sizes = [min(_SETS_PER_TASK, n_simulations - start) for start in range(0, n_simulations, _SETS_PER_TASK)]
    streams = iter(checks.generator(rng).spawn(len(settings) * len(sizes)))
    tasks = [(effect, k, size, next(streams)) for effect, k in settings for size in sizes]

    def rejections(task: tuple[float, int, int, np.random.Generator]) -> tuple[np.ndarray, bool]:
        effect, k, size, stream = task
        systems, blocks = np.repeat([0, 1], k), np.tile(np.arange(k), 2) if paired else None
        first, point = np.array([True, False]), np.zeros(model.n_objectives)
        sets = model.draw(effect, k, size, stream, correlation=correlation)
        outcomes = [permutation_test(costs, systems, first, point, options, blocks=blocks) for costs in sets]
        if indicator == "hypervolume":
            alone = np.maximum(-sets, 0.0).prod(axis=2)
        else:
            measured = zip(sets, outcomes, strict=True)
            alone = np.array([set_hypervolumes(costs[:, None], point, test.measure) for costs, test in measured])
        runs = per_run_tests(alone, systems == 0, options, blocks=blocks, ranks=False)
        of_fronts = np.array([outcome.pvalue for outcome in outcomes])
        return np.array([(of_fronts <= alpha).sum(), (runs.pvalue <= alpha).sum()]), outcomes[0].exact

    counted = map_tasks(
        rejections, tasks, n_jobs=n_jobs, progress=progress, label="simulations / 50", scheduler=scheduler
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


@of_paper("boyi2026significance")
def noise_for_power(
    power: float,
    *,
    effect: float = 0.05,
    n_runs: int = 5,
    tolerance: float = 0.01,
    most: float = 1.0,
    **settings: Any,
) -> float:
    """Find the noise under which the test has a given power.

    Parameters
    ----------
    power : float
        The target power.
    effect : float
        Share by which the new system's hypervolume exceeds the baseline's.
    n_runs : int
        Runs of each system.
    tolerance : float
        Relative precision at which the search stops.
    most : float
        Largest noise to try.
    **settings
        Everything else that :func:`copa_nb.power` takes, but `frame` and `noise`.

    Returns
    -------
    float
        Relative standard deviation of each objective. Every noise level is tried on the same random
        numbers, so the search finds the level at which the *simulated* power crosses `power`.

    Raises
    ------
    ValueError
        If the power is not reached without noise, or is still exceeded at `most`.

    See Also
    --------
    power : The power under a given noise.

    References
    ----------
    .. [1] boyi, "Statistical Significance of Pareto Front Improvements in Multi-Objective Benchmarks",
       clawrxiv:2604.01959, 2026.
       Section 4.1.

    Examples
    --------
    >>> import copa_nb
    >>> 0.01 < copa_nb.noise_for_power(0.8, effect=0.2, n_runs=5, n_simulations=200, tolerance=0.1) < 0.3
    True
    """
    target = checks.fraction("power", power)

    def simulated(noise: float) -> float:
        return float(_power(noise=noise, effect=effect, n_runs=n_runs, **settings).table["power"].iloc[0])

    low, high = float(effect) / 1000 or 1e-6, float(most)
    if simulated(low) < target or simulated(high) > target:
        raise ValueError(
            f"`power`={power!r} is not crossed between noise {low:g} and {high:g} with {n_runs} runs and an effect of "
            f"{effect:g}; change `n_runs`, `effect` or `most`."
        )
    while high / low > 1 + tolerance:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if simulated(middle) >= target else (low, middle)
    return math.sqrt(low * high)


# `power` is also the natural name of an argument of the function above.
_power = power


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
