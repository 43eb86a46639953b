"""Power of the hypervolume permutation test, by simulation: how likely is it to detect a real improvement?

Two systems differ by a given share of hypervolume, and their runs have normal noise. Everything is measured as
distance from the reference point, in units of the baseline's own distance, so that the baseline's hypervolume is 1
and noise is a share of that distance. Such units change neither p nor power.
"""

from __future__ import annotations

__all__ = ["NoiseModel", "Power", "RunsNeeded", "noise_for_power", "power", "runs_needed"]

import math
import numbers
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import ObjectivesLike
from copa_nb.parallel import map_tasks
from copa_nb.pareto.arrays.hypervolume import set_hypervolumes
from copa_nb.pareto.arrays.indicators import NAMES
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.plotting.pictures import Picture, describes, picture_of
from copa_nb.results import PlotMethod, Result, plot_function
from copa_nb.significance.arrays.per_run import per_run_tests
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, count_permutations, permutation_test
from copa_nb.significance.runs import Runs, gather_runs

NORMAL_95 = 1.959963984540054
_SETS_PER_TASK = 50
STATISTICS = {"both": "power_both", "front": "power", "runs": "power_runs"}
# Simulations that show whether the largest number of runs is worth searching up to, and the error of the interval.
_PROBE, _NORMAL_PROBE = 100, 3.29


# Draws with mean 0 and standard deviation 1.
_DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
    "normal": lambda rng, shape: rng.standard_normal(shape),
    "uniform": lambda rng, shape: rng.uniform(-math.sqrt(3), math.sqrt(3), shape),
}


@dataclass(frozen=True)
class NoiseModel:
    """Noise around two systems that are both better than the reference point.

    Parameters
    ----------
    covariance : ndarray of float64, shape (k, k)
        Covariance of the runs' relative distances from the reference point, for both systems or for the baseline.
    description : str
        Where it comes from, for tables and captions.
    covariance_new : ndarray of float64, shape (k, k), optional
        Covariance for the new system's runs, if it differs. By default both systems have the same covariance. A noisier
        system has the larger front by chance alone, which a common covariance does not show.
    distribution : {"normal", "uniform"}
        Distribution of independent noise. Correlated noise is a weighted sum of independent noise, so its marginal
        distributions are not uniform even if the terms are.
    """

    covariance: np.ndarray
    description: str
    covariance_new: np.ndarray | None = None
    distribution: str = "normal"

    def __post_init__(self) -> None:
        checks.one_of("distribution", self.distribution, tuple(_DRAWS))

    @property
    def n_objectives(self) -> int:
        """Number of objectives."""
        return len(self.covariance)

    @property
    def deviations(self) -> np.ndarray:
        """Relative standard deviation of each objective, shape (k,)."""
        return np.sqrt(np.diag(self.covariance))

    def scaled(self, factor: float) -> NoiseModel:
        """The same model with every standard deviation multiplied by `factor`."""
        own = None if self.covariance_new is None else self.covariance_new * factor**2
        return replace(self, covariance=self.covariance * factor**2, covariance_new=own)

    def draw(
        self, effect: float, n_runs: int, n_sets: int, rng: np.random.Generator, *, correlation: float = 0.0
    ) -> np.ndarray:
        """Simulate the runs of both systems.

        Parameters
        ----------
        effect : float
            The new system's hypervolume is 1 + effect times the baseline's, before noise; each objective
            contributes the same factor.
        n_runs : int
            Runs of each system.
        n_sets : int
            Simulated data sets.
        rng : numpy Generator
            Source of randomness.
        correlation : float
            Correlation between the noise of both systems in the same repeat.

        Returns
        -------
        ndarray of float64, shape (n_sets, 2 * n_runs, k)
            Costs with the reference point at 0: the new system's runs, then the baseline's.
        """
        k = self.n_objectives
        draw = _DRAWS[self.distribution]
        own = draw(rng, (n_sets, 2, n_runs, k))
        shared = draw(rng, (n_sets, 1, n_runs, k))
        mixed = np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared
        distances = 1.0 + mixed @ _root(self.covariance).T
        if self.covariance_new is not None:
            distances[:, 0] = 1.0 + mixed[:, 0] @ _root(self.covariance_new).T
        distances[:, 0] += (1.0 + effect) ** (1.0 / k) - 1.0
        costs: np.ndarray = -distances.reshape(n_sets, 2 * n_runs, k)
        return costs


@dataclass(frozen=True, repr=False, eq=False)
class Power(Result):
    """Share of simulated data sets in which the test rejects.

    Parameters
    ----------
    table : DataFrame
        One row per effect and number of runs: ``effect``, ``n_runs``, ``power`` of the comparison of fronts, ``low``
        and ``high`` (95% interval of the simulation, after Wilson), ``n_simulations``, ``exact`` (whether all
        permutations were enumerated), ``power_runs`` of the comparison of single runs, and ``power_both``: how often
        the result is significant, because both reject in the same direction.
    noise : NoiseModel
        Noise of the runs.
    options : HypervolumeTestOptions
        How each data set was tested.
    correlation : float
        Correlation between the noise of both systems in the same repeat.
    """

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
            "the comparison of fronts, for that of single runs, and for both together, which a significant result "
            "needs. It is estimated as the share of rejections under this noise. The sampling unit is a simulated data "
            "set. The 95% intervals (Wilson, approximate) cover the Monte Carlo error only, not errors in the noise "
            "model."
        )

    plot = PlotMethod("plot_power")

    def __repr__(self) -> str:
        low, high = self.table["power"].min(), self.table["power"].max()
        return f"<Power from {low:.2f} to {high:.2f} over {len(self.table)} settings, {self.noise.description}>"

    def _card(self) -> str:
        shown = text.html_table(self.table.set_axis([""] * len(self.table)), caption=self.explain())
        name = NAMES[self.options.indicator]
        return text.card(f"Power of the {name} permutation test", [], shown)


@dataclass(frozen=True, repr=False)
class RunsNeeded(Result):
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
    statistic : {"both", "front", "runs"}
        Which comparison the power is for.
    reason : str
        Why no number of runs was found; empty if one was.
    """

    n_runs: int | None
    power: float
    effect: float
    evaluated: Power = field(repr=False)
    statistic: str = "front"
    reason: str = ""

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

    def explain(self) -> str:
        """The answer with its error, or why no number was found."""
        if self.n_runs is None:
            return self.reason
        low, high = self.range
        beyond = f"{low} to {high}" if high is not None else f"{low} or more"
        return (
            f"{self.n_runs} runs per system reach a power of {self.power:g} for an effect of "
            f"{100 * self.effect:g}% ({_WHOSE[self.statistic]}). With the Monte Carlo error of the simulation "
            f"(approximate 95% intervals), the number needed is {beyond}. The sampling unit is a simulated data set "
            f"with {self.evaluated.noise.description}. The range does not include errors in the noise model."
        )

    @property
    def table(self) -> pd.DataFrame:
        """The simulated settings, by number of runs."""
        return self.evaluated.table

    def __repr__(self) -> str:
        found = "none found" if self.n_runs is None else self.n_runs
        return f"<RunsNeeded: {found}, for a power of {self.power:g} at an effect of {100 * self.effect:g}%>"

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the power against the number of runs; see :func:`copa_nb.plots.plot_power`."""
        return self.evaluated.plot(ax=ax, target=self.power, statistic=self.statistic, **kwargs)


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
    model = _noise_model(frame, noise, n_objectives, baseline, new, reference_margin, read)
    checks.one_of("distribution", distribution, tuple(_DRAWS))
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
        rejected = np.array([outcome.pvalue for outcome in outcomes]) <= alpha, runs.pvalue <= alpha
        alike = np.array([outcome.statistic for outcome in outcomes]) * runs.statistic >= 0
        both = rejected[0] & rejected[1] & alike
        return np.array([rejected[0].sum(), rejected[1].sum(), both.sum()]), outcomes[0].exact

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
    columns = ["effect", "n_runs", "power", "low", "high", "n_simulations", "exact", "power_runs", "power_both"]
    return Power(pd.DataFrame(rows, columns=columns), model, options, correlation)


@any_frame
def runs_needed(
    frame: pd.DataFrame | None = None,
    *,
    power: float = 0.8,
    effect: float = 0.05,
    most: int = 50,
    objectives: ObjectivesLike = None,
    progress: bool = True,
    statistic: str = "both",
    **settings: Any,
) -> RunsNeeded:
    """Find the smallest number of runs with which the test reaches a power.

    The power of the comparison of fronts grows slowly, because a front consists of its luckiest runs, however many runs
    there are. If not even `most` runs can reach the power, the search stops at once and explains why.

    Parameters
    ----------
    frame : DataFrame, optional
        Runs to which the noise is fitted.
    power : float
        The target power.
    effect : float
        Share by which the new system's hypervolume exceeds the baseline's.
    most : int
        Largest number of runs to try.
    objectives : mapping of column to {"max", "min"}, optional
        With a frame: overrides the objectives set by ``define``.
    progress : bool
        Whether to show progress bars.
    statistic : {"both", "front", "runs"}
        Which comparison: fronts and single runs together, which a significant result needs; fronts, as in the paper;
        or single runs.
    **settings
        Everything else that :func:`copa_nb.power` takes, but `n_runs`.

    Returns
    -------
    RunsNeeded
        Found by doubling and bisection, assuming that power grows with the number of runs. Its Monte Carlo error is
        several runs where power grows slowly: see ``range``.

    Raises
    ------
    ValueError
        If noise is neither given nor fitted to runs, for an unknown `statistic`, or if power or effect is out of range.

    See Also
    --------
    power : Power for given numbers of runs.

    References
    ----------
    .. [1] boyi, "Statistical Significance of Pareto Front Improvements in Multi-Objective Benchmarks",
       clawrxiv:2604.01959, 2026.
       Section 4.1.

    Examples
    --------
    >>> import copa_nb
    >>> copa_nb.runs_needed(effect=0.3, noise=0.05, n_simulations=100).n_runs
    4
    """
    checks.one_of("statistic", statistic, tuple(STATISTICS))
    column = STATISTICS[statistic]
    target, limit = checks.fraction("power", power), checks.integer("most", most, least=2)
    tried: dict[int, Power] = {}

    def simulate(k: int, **more: Any) -> tuple[int, int]:
        study = _power(frame, effect=effect, n_runs=k, objectives=objectives, progress=progress, **{**settings, **more})
        tried[k] = study
        n = int(study.table["n_simulations"].iloc[0])
        return round(float(study.table[column].iloc[0]) * n), n

    def reaches(k: int) -> bool:
        count, n = simulate(k)
        return count >= target * n

    def within_reach() -> bool:
        """Whether a few simulations with the largest number of runs are consistent with the power."""
        counted = simulate(limit, n_simulations=min(_PROBE, settings.get("n_simulations", 1000)))
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
            simulate(high + step)
            answer = _answer(tried, high, reached, target, effect, statistic)
    return answer if reached else replace(answer, reason=_why_not(answer, tried[limit].table.iloc[0], limit))


def _answer(
    tried: dict[int, Power], n_runs: int, reached: bool, power: float, effect: float, statistic: str
) -> RunsNeeded:
    table = pd.concat([tried[k].table for k in sorted(tried)], ignore_index=True)
    evaluated = replace(tried[n_runs], table=table)
    return RunsNeeded(n_runs if reached else None, power, float(effect), evaluated, statistic)


_WHOSE = {"both": "for the comparisons of fronts and single runs together",
          "front": "for the comparison of fronts", "runs": "for the comparison of single runs"}  # fmt: skip


def _why_not(answer: RunsNeeded, last: pd.Series, most: int) -> str:
    """Explain why the largest number of runs does not reach the power."""
    reached = float(last[STATISTICS[answer.statistic]])
    start = (
        f"With {most} runs per system the power is only {reached:.2f}, below the target of {answer.power:g}, for an "
        f"effect of {100 * answer.effect:g}% ({_WHOSE[answer.statistic]}; {int(last['n_simulations'])} simulations). "
    )
    share = _smallest_share(most, answer.evaluated.options)
    if share > answer.evaluated.options.alpha:
        return f"{start}With this few runs, no difference can be significant: the smallest attainable p is {share:.2g}."
    if answer.statistic != "runs" and last["power_runs"] >= answer.power:
        return (
            f"{start}The comparison of fronts limits the power, because a front consists of the luckiest runs, however "
            f'many there are. The comparison of single runs reaches {last["power_runs"]:.2f}: see statistic="runs" and '
            'unit="mean".'
        )
    return f"{start}The effect is too small for the noise ({answer.evaluated.noise.description})."


def _smallest_share(n_runs: int, options: HypervolumeTestOptions) -> float:
    sides = 2 if options.alternative == "two-sided" else 1
    counts, blocks = ([1, 1], n_runs) if options.paired else ([n_runs, n_runs], 1)
    return sides / count_permutations(counts, blocks)


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


# `power` is also the natural name of an argument of the two functions above.
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


def _noise_model(
    frame: pd.DataFrame | None,
    noise: Any,
    n_objectives: int,
    baseline: Any,
    new: Any,
    reference_margin: float,
    read: dict[str, Any],
) -> NoiseModel:
    """Model the noise as given, or fit it to the runs of a table, which are gathered by the options `read`."""
    if new is not None and (frame is None or noise is not None):
        raise ValueError("`new` fits noise to the runs of a table; pass a frame and leave `noise` out.")
    if isinstance(noise, NoiseModel):
        return noise
    if isinstance(noise, str):
        raise ValueError(
            f"`noise` is {noise!r}; it must be the standard deviation, e.g. 0.03. To choose the distribution, pass "
            '`distribution`, "normal" or "uniform".'
        )
    if frame is None:
        if noise is None or isinstance(noise, Mapping):
            raise ValueError(
                "`noise` is required without a table of runs: the standard deviation as a share of the baseline's "
                "distance from the reference point, e.g. noise=0.03. Or pass a frame with `system` and `baseline`."
            )
        return given_noise(noise, n_objectives)
    if read["system"] is None or baseline is None:
        raise ValueError(
            "`system` and `baseline` are required with a table of runs: the column that names the system, and the "
            "system whose distance from the reference point is the unit."
        )
    runs = gather_runs(frame, **read)
    point, number = runs.reference_costs(read["reference"], reference_margin), runs.find([baseline], "baseline")[0]
    if noise is None:
        return fitted_noise(runs, number, point, new=None if new is None else runs.find([new], "new")[0])
    if isinstance(noise, Mapping):
        return noise_in_own_units(noise, runs, number, point)
    return given_noise(noise, len(runs.objectives))


def given_noise(noise: float | Sequence[float], n_objectives: int = 2) -> NoiseModel:
    """Model independent noise from relative standard deviations.

    Parameters
    ----------
    noise : float or sequence of float
        One value for all objectives, or one per objective.
    n_objectives : int
        Number of objectives if `noise` is one number.

    Examples
    --------
    >>> given_noise(0.03).deviations
    array([0.03, 0.03])
    """
    values = np.atleast_1d(np.asarray(noise, dtype=np.float64))
    if values.ndim != 1 or not np.isfinite(values).all() or (values < 0).any():
        raise ValueError(
            f"`noise` is {noise!r}; it must be a number, or one per objective, of at least 0: the standard deviation "
            "as a share of the baseline's distance from the reference point, e.g. 0.03."
        )
    deviations = np.full(checks.integer("n_objectives", n_objectives), values[0]) if len(values) == 1 else values
    shares = sorted(set(deviations.tolist()))
    return NoiseModel(np.diag(deviations**2), f"given noise {', '.join(f'{share:.3g}' for share in shares)}")


def fitted_noise(runs: Runs, baseline: int, point: np.ndarray, *, new: int | None = None) -> NoiseModel:
    """Fit the noise of a table of runs: the covariance of runs around their system's mean, pooled or one for each side.

    Parameters
    ----------
    runs : Runs
        Runs of all systems; systems with a single run contribute nothing.
    baseline : int
        System whose distance from the reference point is the unit.
    point : ndarray of float64, shape (k,)
        Costs of the reference point.
    new : int, optional
        System whose runs give the noise of the new side; the baseline's runs then give that of the baseline.

    Raises
    ------
    ValueError
        If no system has two runs, a cost is infinite, or the baseline is beyond the reference point.
    """
    if not np.isfinite(runs.costs).all():
        raise ValueError("noise cannot be fitted to objectives that are infinite; drop or clip those runs.")
    if new is not None:
        return _fitted_apart(runs, baseline, new, point)
    # Sums of rows in one order only, so that what is simulated does not depend on that of the table.
    order = _canonical_order(runs)
    costs, systems = runs.costs[order], runs.systems[order]
    means = np.array([costs[systems == s].mean(axis=0) for s in range(len(runs.labels))])
    freedom = len(costs) - len(means)
    if freedom < 1:
        raise ValueError(
            "noise cannot be fitted: no system has more than one run. Add runs, or give `noise`, the standard "
            "deviation as a share of the baseline's distance from the reference point."
        )
    residuals = (costs - means[systems]) / _distance(runs, baseline, point)
    covariance = residuals.T @ residuals / freedom
    shares = _deviations_in_words(runs, covariance)
    return NoiseModel(
        covariance, f"fitted to {len(costs)} runs of {len(means)} systems, one covariance pooled over all ({shares})"
    )


def _canonical_order(runs: Runs) -> np.ndarray:
    """Rows by the names of their systems and their costs, whatever their order in the table."""
    names = np.array([repr(label) for label in runs.labels])[runs.systems]
    return np.lexsort((*runs.costs.T, names))


def _fitted_apart(runs: Runs, baseline: int, new: int, point: np.ndarray) -> NoiseModel:
    unit, sides, order = _distance(runs, baseline, point), [], _canonical_order(runs)
    for number in (baseline, new):
        own = runs.costs[order][runs.systems[order] == number]
        if len(own) < 2:
            raise ValueError(
                f"noise cannot be fitted to a single run of {runs.labels[number]!r}; leave `new` out to pool the noise."
            )
        sides.append((np.cov((own / unit).T, ddof=1).reshape(len(unit), len(unit)), len(own), runs.labels[number]))
    parts = [
        f"{count} runs of {label} ({_deviations_in_words(runs, covariance)})" for covariance, count, label in sides
    ]
    return NoiseModel(sides[0][0], f"fitted to {' and '.join(parts)}", sides[1][0])


def _deviations_in_words(runs: Runs, covariance: np.ndarray) -> str:
    return ", ".join(
        f"{text.spoken(name)} {text.number(value, 2)}"
        for name, value in zip(runs.objectives, np.sqrt(np.diag(covariance)), strict=True)
    )


def noise_in_own_units(noise: Mapping[Any, float], runs: Runs, baseline: int, point: np.ndarray) -> NoiseModel:
    """Model independent noise from standard deviations per objective in its own units (or their logarithms)."""
    names = runs.objectives.names
    if set(noise) != set(names):
        raise ValueError(
            f"`noise` names {checks.listed(noise)}; it needs one standard deviation for each of {checks.listed(names)}."
        )
    unit = _distance(runs, baseline, point)
    return given_noise([float(noise[name]) / float(unit[k]) for k, name in enumerate(names)])


def _distance(runs: Runs, baseline: int, point: np.ndarray) -> np.ndarray:
    """How much better than the reference point a system's mean is in each objective."""
    distance: np.ndarray = point - np.sort(runs.costs[runs.systems == baseline], axis=0).mean(axis=0)
    wrong = [name for name, share in zip(runs.objectives, distance, strict=True) if share <= 0]
    if wrong:
        raise ValueError(
            f"`reference` is not worse than the mean of {runs.labels[baseline]!r} in {checks.listed(wrong)}; choose a "
            "worse point."
        )
    return distance


def _root(covariance: np.ndarray) -> np.ndarray:
    # Not Cholesky: an objective may have no noise at all.
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root


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


@describes(RunsNeeded.plot)
def _needed_in_words(answer: RunsNeeded, **options: Any) -> Picture | None:
    return picture_of(
        plot_function("plot_power"), answer.evaluated, target=answer.power, statistic=answer.statistic, **options
    )
