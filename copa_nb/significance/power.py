"""How likely is a real improvement to be found? Power of the hypervolume permutation test by simulation."""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.objectives import ObjectivesLike
from copa_nb.parallel import map_tasks
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import PlotMethod
from copa_nb.significance.arrays.permutation import mean_test, split_test
from copa_nb.significance.hv_test import HypervolumeTestOptions
from copa_nb.significance.noise import NoiseModel, fitted_noise, given_noise, noise_in_own_units
from copa_nb.significance.runs import gather_runs

NORMAL_95 = 1.959963984540054
_SETS_PER_TASK = 50


@dataclass(frozen=True, repr=False, eq=False)
class Power:
    """Share of simulated data sets in which the test rejects.

    Parameters
    ----------
    table : DataFrame
        One row per effect and number of seeds: ``effect``, ``seeds``, ``power``, ``low`` and ``high``
        (95 % interval of the simulation, after Wilson), ``simulations``, ``exact`` (whether all
        relabellings were enumerated).
    noise : NoiseModel
        The noise.
    options : HypervolumeTestOptions
        How each data set was tested.
    correlation : float
        Of the noise of both systems under the same seed.
    """

    table: pd.DataFrame
    noise: NoiseModel
    options: HypervolumeTestOptions
    correlation: float = 0.0

    def to_frame(self) -> pd.DataFrame:
        """The same as :attr:`table`."""
        return self.table

    def at(self, effect: float, seeds: int) -> float:
        """Power for one effect and number of seeds that was simulated."""
        chosen = self.table[np.isclose(self.table["effect"], effect) & (self.table["seeds"] == seeds)]
        if chosen.empty:
            effects, numbers_of_seeds = (checks.listed(self.table[name].unique()) for name in ("effect", "seeds"))
            raise ValueError(
                f"`effect`={effect!r} with `seeds`={seeds!r} was not simulated; simulated are effects {effects} and "
                f"seeds {numbers_of_seeds}."
            )
        return float(chosen["power"].iloc[0])

    plot = PlotMethod("plot_power")

    def __repr__(self) -> str:
        low, high = self.table["power"].min(), self.table["power"].max()
        return f"<Power from {low:.2f} to {high:.2f} over {len(self.table)} settings, {self.noise.description}>"

    def _repr_html_(self) -> str:
        caption = f"α = {self.options.alpha:g}, {self.options.alternative}, {self.noise.description}."
        shown = self.table.set_axis([""] * len(self.table))
        return text.card("Power of the hypervolume permutation test", [], text.html_table(shown, caption=caption))


@dataclass(frozen=True)
class SeedsNeeded:
    """The smallest number of seeds that reaches a power, and what was simulated on the way.

    Parameters
    ----------
    seeds : int or None
        None if even the most seeds tried do not reach it.
    power : float
        The power asked for.
    effect : float
        The effect.
    evaluated : Power
        Everything that was simulated.
    """

    seeds: int | None
    power: float
    effect: float
    evaluated: Power = field(repr=False)

    @property
    def table(self) -> pd.DataFrame:
        """What was simulated, by number of seeds."""
        return self.evaluated.table

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the power against the number of seeds; see ``plots.power``."""
        return self.evaluated.plot(ax=ax, target=self.power, **kwargs)


def power(
    frame: pd.DataFrame | None = None,
    *,
    effect: float | Sequence[float] = 0.05,
    seeds: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | Mapping[Any, float] | NoiseModel | None = None,
    system: Any = None,
    baseline: Any = None,
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    scale: Mapping[Any, str] | None = None,
    n_objectives: int = 2,
    correlation: float = 0.0,
    n_simulations: int = 1000,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    paired: bool = False,
    level: str = "seeds",
    alpha: float = 0.05,
    rng: int | np.random.Generator = 0,
    n_jobs: int | None = None,
    progress: bool = True,
    scheduler: Any = None,
) -> Power:
    """Simulate how often the test finds an improvement of a given size.

    Both systems have normal noise around their means; the new system's mean dominates a hypervolume that
    is `effect` larger. With an effect of 0 the result is the size of the test.

    Parameters
    ----------
    frame : DataFrame, optional
        Runs to fit the noise to; needs `system`, `baseline` and objectives.
    effect : float or sequence of float
        Share by which the new system's hypervolume exceeds the baseline's.
    seeds : int or sequence of int
        Numbers of seeds K, the same for both systems.
    noise : float, sequence, mapping of objective to float, or NoiseModel, optional
        Standard deviation as a share of the baseline's distance from the reference point, one for all
        objectives or one each; or, with a frame, per objective in its own units. By default, it is fitted to
        the frame.
    system : label or list of labels
        With a frame: column or columns that name the system.
    baseline : label
        With a frame: the system whose mean and reference point set the units.
    objectives, reference, margin, scale
        With a frame: see :func:`copa_nb.hv_test`.
    n_objectives : int
        Without a frame: number of objectives, if `noise` is one number.
    correlation : float
        Of the noise of both systems under the same seed, from 0 to 1; what a paired test profits from.
    n_simulations : int
        Simulated data sets per setting.
    n_resamples, alternative, paired, level, alpha
        See :func:`copa_nb.hv_test`.
    rng : int or numpy Generator
        Source of the noise. The answer does not depend on `n_jobs`.
    n_jobs : int, optional
        Threads; all processors by default.
    progress : bool
        Whether to show a progress bar.
    scheduler : str or distributed.Client, optional
        A Dask cluster to do the work: its address, a client, or "threads" or "processes". The answer is the
        same. Needs the extra ``copa_nb[dask]``.

    Returns
    -------
    Power

    Examples
    --------
    >>> import copa_nb
    >>> study = copa_nb.power(effect=[0.0, 0.2], seeds=5, noise=0.03, n_simulations=200)
    >>> study.at(0.0, 5) <= 0.1, study.at(0.2, 5) >= 0.9
    (True, True)
    """
    model = _noise_model(frame, noise, system, baseline, objectives, reference, margin, scale, n_objectives)
    options = HypervolumeTestOptions(n_resamples, alternative, paired, level, "auto", alpha, 0)
    settings = [(e, k) for e in _effects(effect) for k in _numbers_of_seeds(seeds)]
    _check_correlation(correlation)
    return _simulate(
        model,
        settings,
        options,
        float(correlation),
        checks.integer("n_simulations", n_simulations),
        rng,
        n_jobs,
        progress,
        scheduler,
    )


def seeds_needed(
    frame: pd.DataFrame | None = None,
    *,
    power: float = 0.8,
    effect: float = 0.05,
    most: int = 50,
    objectives: ObjectivesLike = None,
    progress: bool = True,
    **settings: Any,
) -> SeedsNeeded:
    """Find the smallest number of seeds with which the test reaches a power.

    Parameters
    ----------
    frame : DataFrame, optional
        Runs to fit the noise to.
    power : float
        The power to reach.
    effect : float
        Share by which the new system's hypervolume exceeds the baseline's.
    most : int
        Largest number of seeds to try.
    objectives : mapping of column to {"max", "min"}, optional
        With a frame: overrides what ``define`` has set.
    progress : bool
        Whether to show progress bars.
    **settings
        Everything else that :func:`copa_nb.power` takes, but `seeds`.

    Returns
    -------
    SeedsNeeded
        Found by doubling and bisection, on the understanding that power grows with the seeds; the
        simulation's error (see ``table``) can move it by a seed or so.

    Examples
    --------
    >>> import copa_nb
    >>> copa_nb.seeds_needed(effect=0.3, noise=0.05, n_simulations=100).seeds
    4
    """
    target, limit = checks.fraction("power", power), checks.integer("most", most, least=2)
    known: dict[int, Power] = {}

    def reaches(k: int) -> bool:
        known[k] = _power(frame, effect=effect, seeds=k, objectives=objectives, progress=progress, **settings)
        return bool(known[k].table["power"].iloc[0] >= target)

    low, high = 1, min(4, limit)
    while not (reached := reaches(high)) and high < limit:
        low, high = high, min(2 * high, limit)
    while reached and high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    tables = [known[k].table for k in sorted(known)]
    evaluated = replace(known[high], table=pd.concat(tables, ignore_index=True))
    return SeedsNeeded(high if reached else None, target, float(effect), evaluated)


def noise_for_power(
    power: float,
    *,
    effect: float = 0.05,
    seeds: int = 5,
    tolerance: float = 0.01,
    most: float = 1.0,
    **settings: Any,
) -> float:
    """Find the noise under which the test has a given power.

    Parameters
    ----------
    power : float
        The power to find.
    effect : float
        Share by which the new system's hypervolume exceeds the baseline's.
    seeds : int
        Seeds of each system.
    tolerance : float
        Stop when the noise is known to this share of itself.
    most : float
        Largest noise to look at.
    **settings
        Everything else that :func:`copa_nb.power` takes, but `frame` and `noise`.

    Returns
    -------
    float
        Relative standard deviation of each objective. Every noise level is tried on the same random
        numbers, so the search is for the level at which the *simulated* power passes `power`.

    Raises
    ------
    ValueError
        If the power is not reached without noise, or still exceeded at `most`.

    Examples
    --------
    >>> import copa_nb
    >>> 0.01 < copa_nb.noise_for_power(0.8, effect=0.2, seeds=5, n_simulations=200, tolerance=0.1) < 0.3
    True
    """
    target = checks.fraction("power", power)

    def simulated(noise: float) -> float:
        return float(_power(noise=noise, effect=effect, seeds=seeds, **settings).table["power"].iloc[0])

    low, high = float(effect) / 1000 or 1e-6, float(most)
    if simulated(low) < target or simulated(high) > target:
        raise ValueError(
            f"`power`={power!r} is not passed between noise {low:g} and {high:g} with {seeds} seeds and an effect of "
            f"{effect:g}; change `seeds`, `effect` or `most`."
        )
    while high / low > 1 + tolerance:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if simulated(middle) >= target else (low, middle)
    return math.sqrt(low * high)


# `power` is also the natural name of an argument of the two functions above.
_power = power


def wilson_interval(successes: int, trials: int) -> tuple[float, float]:
    """95 % interval of a proportion.

    Examples
    --------
    >>> low, high = wilson_interval(81, 100)
    >>> round(low, 3), round(high, 3)
    (0.722, 0.875)
    """
    share, z = successes / trials, NORMAL_95
    centre = share + z**2 / (2 * trials)
    half = z * math.sqrt(share * (1 - share) / trials + z**2 / (4 * trials**2))
    low, high = (centre - half) / (1 + z**2 / trials), (centre + half) / (1 + z**2 / trials)
    # Rounding must not push the share itself out of its interval.
    return max(0.0, min(low, share)), min(1.0, max(high, share))


def _simulate(
    model: NoiseModel,
    settings: list[tuple[float, int]],
    options: HypervolumeTestOptions,
    correlation: float,
    n_simulations: int,
    rng: int | np.random.Generator,
    n_jobs: int | None,
    progress: bool,
    scheduler: Any,
) -> Power:
    # Every task has a stream of its own, so that the answer does not depend on how many run at once.
    sizes = [min(_SETS_PER_TASK, n_simulations - start) for start in range(0, n_simulations, _SETS_PER_TASK)]
    streams = iter(checks.generator(rng).spawn(len(settings) * len(sizes)))
    tasks = [(effect, k, size, next(streams)) for effect, k in settings for size in sizes]

    def rejections(task: tuple[float, int, int, np.random.Generator]) -> tuple[int, bool]:
        effect, k, size, stream = task
        sets = model.draw(effect, k, size, stream, correlation=correlation)
        outcomes = [_test(costs, k, options) for costs in sets]
        return sum(pvalue <= options.alpha for pvalue, _ in outcomes), outcomes[0][1]

    found = map_tasks(
        rejections, tasks, n_jobs=n_jobs, progress=progress, label="simulations / 50", scheduler=scheduler
    )
    rows = []
    for position, (effect, k) in enumerate(settings):
        part = found[position * len(sizes) : (position + 1) * len(sizes)]
        rejected = sum(count for count, _ in part)
        low, high = wilson_interval(rejected, n_simulations)
        rows.append((effect, k, rejected / n_simulations, low, high, n_simulations, part[0][1]))
    columns = ["effect", "seeds", "power", "low", "high", "simulations", "exact"]
    return Power(pd.DataFrame(rows, columns=columns), model, options, correlation)


def _test(costs: np.ndarray, k: int, options: HypervolumeTestOptions) -> tuple[float, bool]:
    common: dict[str, Any] = {
        "blocks": np.tile(np.arange(k), 2) if options.paired else None,
        "n_resamples": options.n_resamples,
        "alternative": options.alternative,
    }
    point, first = np.zeros(costs.shape[1]), np.arange(2 * k) < k
    if options.level == "seeds":
        outcome = split_test(costs, first, point, **common)
    else:
        outcome = mean_test(costs, np.repeat([0, 1], k), np.array([True, False]), point, **common)
    return outcome.pvalue, outcome.exact


def _noise_model(
    frame: pd.DataFrame | None,
    noise: Any,
    system: Any,
    baseline: Any,
    objectives: ObjectivesLike,
    reference: ReferencePointLike,
    margin: float,
    scale: Mapping[Any, str] | None,
    n_objectives: int,
) -> NoiseModel:
    if isinstance(noise, NoiseModel):
        return noise
    if frame is None:
        if noise is None or isinstance(noise, Mapping):
            raise ValueError(
                "`noise` is needed without a table of runs: the standard deviation as a share of the baseline's "
                "distance from the reference point, e.g. noise=0.03; or pass a frame with `system` and `baseline`."
            )
        return given_noise(noise, n_objectives)
    if system is None or baseline is None:
        raise ValueError(
            "`system` and `baseline` are needed with a table of runs: the column that names the system, and the "
            "system whose mean sets the units."
        )
    runs = gather_runs(frame, system=system, objectives=objectives, scale=scale, reference=reference)
    point, number = runs.reference_costs(reference, margin), runs.find([baseline], "baseline")[0]
    if noise is None:
        return fitted_noise(runs, number, point)
    if isinstance(noise, Mapping):
        return noise_in_own_units(noise, runs, number, point)
    return given_noise(noise, len(runs.objectives))


def _effects(effect: float | Sequence[float]) -> list[float]:
    values = [effect] if isinstance(effect, numbers.Real) else list(effect)  # type: ignore[arg-type]
    for value in values:
        if isinstance(value, bool) or not isinstance(value, numbers.Real) or not -1 < float(value) < math.inf:
            raise ValueError(
                f"`effect` is {value!r}; it must be a share of the baseline's hypervolume above -1, e.g. 0.05."
            )
    if not values:
        raise ValueError("`effect` is empty; give at least one, e.g. 0.05.")
    return [float(value) for value in values]


def _numbers_of_seeds(seeds: int | Sequence[int]) -> list[int]:
    values = [seeds] if isinstance(seeds, numbers.Integral) else list(seeds)  # type: ignore[arg-type]
    if not values:
        raise ValueError("`seeds` is empty; give at least one number of seeds, e.g. 5.")
    return [checks.integer("seeds", value, least=2) for value in values]


def _check_correlation(correlation: float) -> None:
    if isinstance(correlation, bool) or not isinstance(correlation, numbers.Real) or not 0 <= float(correlation) <= 1:
        raise ValueError(f"`correlation` is {correlation!r}; it must be a number from 0 to 1.")
