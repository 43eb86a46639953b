"""How likely is the hypervolume permutation test to detect a real improvement? Its power, by simulation.

Two systems differ by a stated share of hypervolume, and their runs have normal noise. Everything is measured as
distance from the reference point, in units of the baseline's own distance, so that the baseline's hypervolume is 1
and noise is a share of that distance. Such units change neither p nor power.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.objectives import ObjectivesLike
from copa_nb.parallel import map_tasks
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import PlotMethod, Result
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions, permutation_test
from copa_nb.significance.hv_test import Runs, gather_runs

NORMAL_95 = 1.959963984540054
_SETS_PER_TASK = 50


@dataclass(frozen=True)
class NoiseModel:
    """Normal noise around two systems that are both better than the reference point.

    Parameters
    ----------
    covariance : ndarray of float64, shape (k, k)
        Of the relative distances from the reference point.
    description : str
        Where it comes from, for tables and captions.
    """

    covariance: np.ndarray
    description: str

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
        return NoiseModel(self.covariance * factor**2, self.description)

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
            Of the noise of both systems under the same seed.

        Returns
        -------
        ndarray of float64, shape (n_sets, 2 * n_runs, k)
            Costs with the reference point at 0: the new system's runs, then the baseline's.
        """
        k = self.n_objectives
        own = rng.standard_normal((n_sets, 2, n_runs, k))
        shared = rng.standard_normal((n_sets, 1, n_runs, k))
        mixed = np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared
        distances = 1.0 + mixed @ _root(self.covariance).T
        distances[:, 0] += (1.0 + effect) ** (1.0 / k) - 1.0
        costs: np.ndarray = -distances.reshape(n_sets, 2 * n_runs, k)
        return costs


@dataclass(frozen=True, repr=False, eq=False)
class Power(Result):
    """Share of simulated data sets in which the test rejects.

    Parameters
    ----------
    table : DataFrame
        One row per effect and number of seeds: ``effect``, ``seeds``, ``power``, ``low`` and ``high``
        (95 % interval of the simulation, after Wilson), ``simulations``, ``exact`` (whether all
        permutations were enumerated).
    noise : NoiseModel
        Noise of the runs.
    options : HypervolumeTestOptions
        How each data set was tested.
    correlation : float
        Of the noise of both systems under the same seed.
    """

    table: pd.DataFrame
    noise: NoiseModel
    options: HypervolumeTestOptions
    correlation: float = 0.0

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

    def explain(self) -> str:
        """How data sets were simulated and tested."""
        return f"α = {self.options.alpha:g}, {self.options.alternative}, {self.noise.description}."

    plot = PlotMethod("plot_power")

    def __repr__(self) -> str:
        low, high = self.table["power"].min(), self.table["power"].max()
        return f"<Power from {low:.2f} to {high:.2f} over {len(self.table)} settings, {self.noise.description}>"

    def _repr_html_(self) -> str:
        shown = text.html_table(self.table.set_axis([""] * len(self.table)), caption=self.explain())
        return text.card("Power of the hypervolume permutation test", [], shown)


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


@shared_parameters
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
    rng: int | np.random.Generator | None = 0,
    n_jobs: int | None = None,
    progress: bool = True,
    scheduler: Any = None,
) -> Power:
    """Simulate how often the test detects an improvement of a given size.

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
    %(system)s
    baseline : label
        With a frame: the system whose mean and reference point set the units.
    objectives, reference, margin, scale
        See :func:`copa_nb.hv_test`.
    n_objectives : int
        Without a frame: number of objectives, if `noise` is one number.
    correlation : float
        Of the noise of both systems under the same seed, from 0 to 1; what a paired test profits from.
    n_simulations : int
        Simulated data sets per setting.
    n_resamples, alternative, paired, level, alpha
        See :func:`copa_nb.hv_test`.
    %(rng)s
    %(n_jobs)s
    %(progress)s
    %(scheduler)s

    Returns
    -------
    Power

    See Also
    --------
    seeds_needed : the smallest number of seeds that reaches a power.
    noise_for_power : the noise under which the test has a given power.

    References
    ----------
    %(significance_paper)s
       Section 4.1: power.

    Examples
    --------
    >>> import copa_nb
    >>> study = copa_nb.power(effect=[0.0, 0.2], seeds=5, noise=0.03, n_simulations=200)
    >>> study.at(0.0, 5) <= 0.1, study.at(0.2, 5) >= 0.9
    (True, True)
    """
    read = {"system": system, "objectives": objectives, "scale": scale, "reference": reference}
    model = _noise_model(frame, noise, n_objectives, baseline, margin, read)
    options = HypervolumeTestOptions(n_resamples, alternative, paired, level, "auto", alpha, 0)
    settings = [(e, k) for e in _effects(effect) for k in _numbers_of_seeds(seeds)]
    _check_correlation(correlation)
    checks.integer("n_simulations", n_simulations)
    # Every task has a stream of its own, so that the answer does not depend on how many run at once.
    sizes = [min(_SETS_PER_TASK, n_simulations - start) for start in range(0, n_simulations, _SETS_PER_TASK)]
    streams = iter(checks.generator(rng).spawn(len(settings) * len(sizes)))
    tasks = [(effect, k, size, next(streams)) for effect, k in settings for size in sizes]

    def rejections(task: tuple[float, int, int, np.random.Generator]) -> tuple[int, bool]:
        effect, k, size, stream = task
        systems, blocks = np.repeat([0, 1], k), np.tile(np.arange(k), 2) if paired else None
        first, point = np.array([True, False]), np.zeros(model.n_objectives)
        sets = model.draw(effect, k, size, stream, correlation=float(correlation))
        outcomes = [permutation_test(costs, systems, first, point, options, blocks=blocks) for costs in sets]
        return sum(outcome.pvalue <= alpha for outcome in outcomes), outcomes[0].exact

    counted = map_tasks(
        rejections, tasks, n_jobs=n_jobs, progress=progress, label="simulations / 50", scheduler=scheduler
    )
    rows = []
    for position, (effect, k) in enumerate(settings):
        part = counted[position * len(sizes) : (position + 1) * len(sizes)]
        rejected = sum(count for count, _ in part)
        low, high = wilson_interval(rejected, n_simulations)
        rows.append((effect, k, rejected / n_simulations, low, high, n_simulations, part[0][1]))
    columns = ["effect", "seeds", "power", "low", "high", "simulations", "exact"]
    return Power(pd.DataFrame(rows, columns=columns), model, options, float(correlation))


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
        By doubling and bisection, assuming that power grows with the number of seeds; the error of the simulation
        (see ``table``) can move it by a seed or so.

    Examples
    --------
    >>> import copa_nb
    >>> copa_nb.seeds_needed(effect=0.3, noise=0.05, n_simulations=100).seeds
    4
    """
    target, limit = checks.fraction("power", power), checks.integer("most", most, least=2)
    tried: dict[int, Power] = {}

    def reaches(k: int) -> bool:
        tried[k] = _power(frame, effect=effect, seeds=k, objectives=objectives, progress=progress, **settings)
        return bool(tried[k].table["power"].iloc[0] >= target)

    low, high = 1, min(4, limit)
    while not (reached := reaches(high)) and high < limit:
        low, high = high, min(2 * high, limit)
    while reached and high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle, high)
    tables = [tried[k].table for k in sorted(tried)]
    evaluated = replace(tried[high], table=pd.concat(tables, ignore_index=True))
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


def _noise_model(
    frame: pd.DataFrame | None, noise: Any, n_objectives: int, baseline: Any, margin: float, read: dict[str, Any]
) -> NoiseModel:
    """Model the noise as given, or fit it to the runs of a table, which are gathered by the options `read`."""
    if isinstance(noise, NoiseModel):
        return noise
    if frame is None:
        if noise is None or isinstance(noise, Mapping):
            raise ValueError(
                "`noise` is needed without a table of runs: the standard deviation as a share of the baseline's "
                "distance from the reference point, e.g. noise=0.03; or pass a frame with `system` and `baseline`."
            )
        return given_noise(noise, n_objectives)
    if read["system"] is None or baseline is None:
        raise ValueError(
            "`system` and `baseline` are needed with a table of runs: the column that names the system, and the "
            "system whose mean sets the units."
        )
    runs = gather_runs(frame, **read)
    point, number = runs.reference_costs(read["reference"], margin), runs.find([baseline], "baseline")[0]
    if noise is None:
        return fitted_noise(runs, number, point)
    if isinstance(noise, Mapping):
        return noise_in_own_units(noise, runs, number, point)
    return given_noise(noise, len(runs.objectives))


def given_noise(noise: float | Sequence[float], n_objectives: int = 2) -> NoiseModel:
    """Model independent noise from relative standard deviations.

    Parameters
    ----------
    noise : float or sequence of float
        One for all objectives, or one each.
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


def fitted_noise(runs: Runs, baseline: int, point: np.ndarray) -> NoiseModel:
    """Fit the noise of a table of runs: the covariance of runs around their system's mean, pooled.

    Parameters
    ----------
    runs : Runs
        Runs of all systems; those with a single run add nothing.
    baseline : int
        System whose distance from the reference point is the unit.
    point : ndarray of float64, shape (k,)
        Costs of the reference point.

    Raises
    ------
    ValueError
        If no system has two runs, a cost is infinite, or the baseline is beyond the reference point.
    """
    costs = runs.costs
    if not np.isfinite(costs).all():
        raise ValueError("noise cannot be fitted to infinite values; drop or clip those runs.")
    means = np.array([costs[runs.systems == s].mean(axis=0) for s in range(len(runs.labels))])
    freedom = len(costs) - len(means)
    if freedom < 1:
        raise ValueError(
            "noise cannot be fitted: no system has more than one run. Add runs, or give `noise`, the standard "
            "deviation as a share of the baseline's distance from the reference point."
        )
    residuals = (costs - means[runs.systems]) / _distance(runs, baseline, point)
    covariance = residuals.T @ residuals / freedom
    shares = ", ".join(
        f"{name} {text.number(value, 2)}"
        for name, value in zip(runs.objectives, np.sqrt(np.diag(covariance)), strict=True)
    )
    return NoiseModel(covariance, f"fitted to {len(costs)} runs of {len(means)} systems ({shares})")


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
    distance: np.ndarray = point - runs.costs[runs.systems == baseline].mean(axis=0)
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
