"""Planning without a table: the power of the hypervolume permutation test, the runs or the noise for a power."""

from __future__ import annotations

__all__ = ["power"]

import math
import numbers
from collections.abc import Callable, Sequence
from typing import Any, Literal, overload

import numpy as np

from copa_nb import checks
from copa_nb.docstrings import shared_parameters
from copa_nb.results.citing import of_paper
from copa_nb.significance.arrays.permutation import HypervolumeTestOptions
from copa_nb.significance.noise import NoiseModel, planned_noise
from copa_nb.significance.runs_needed import RunsNeeded, fewest_runs
from copa_nb.significance.simulation import Power, distributed, simulate

SOLVE = ("power", "runs", "noise")
_MOST_RUNS, _MOST_NOISE, _PRECISION = 50, 1.0, 0.01


@overload
def power(
    *, effect: float | Sequence[float] = 0.05, n_runs: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | NoiseModel | None = None, solve: Literal["power"] = "power", target: float = 0.8,
    statistic: str = "runs", most: float | None = None, tolerance: float = _PRECISION, n_objectives: int = 2,
    correlation: float = 0.0, n_simulations: int = 1000, n_resamples: int = 5000, alternative: str = "two-sided",
    paired: bool = False, unit: str = "run", alpha: float = 0.05, rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
    indicator: str = "hypervolume", distribution: str = "normal",
) -> Power: ...  # fmt: skip
@overload
def power(
    *, effect: float | Sequence[float] = 0.05, n_runs: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | NoiseModel | None = None, solve: Literal["runs"], target: float = 0.8,
    statistic: str = "runs", most: float | None = None, tolerance: float = _PRECISION, n_objectives: int = 2,
    correlation: float = 0.0, n_simulations: int = 1000, n_resamples: int = 5000, alternative: str = "two-sided",
    paired: bool = False, unit: str = "run", alpha: float = 0.05, rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
    indicator: str = "hypervolume", distribution: str = "normal",
) -> RunsNeeded: ...  # fmt: skip
@overload
def power(
    *, effect: float | Sequence[float] = 0.05, n_runs: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | NoiseModel | None = None, solve: Literal["noise"], target: float = 0.8,
    statistic: str = "runs", most: float | None = None, tolerance: float = _PRECISION, n_objectives: int = 2,
    correlation: float = 0.0, n_simulations: int = 1000, n_resamples: int = 5000, alternative: str = "two-sided",
    paired: bool = False, unit: str = "run", alpha: float = 0.05, rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
    indicator: str = "hypervolume", distribution: str = "normal",
) -> float: ...  # fmt: skip
@of_paper("boyi2026significance")
@checks.refuse_others
@shared_parameters
def power(
    *,
    effect: float | Sequence[float] = 0.05,
    n_runs: int | Sequence[int] = (5, 10),
    noise: float | Sequence[float] | NoiseModel | None = None,
    solve: str = "power",
    target: float = 0.8,
    statistic: str = "runs",
    most: float | None = None,
    tolerance: float = _PRECISION,
    n_objectives: int = 2,
    correlation: float = 0.0,
    n_simulations: int = 1000,
    n_resamples: int = 5000,
    alternative: str = "two-sided",
    paired: bool = False,
    unit: str = "run",
    alpha: float = 0.05,
    rng: int | np.random.Generator | None = 0,
    two_sided: str = "tails",
    indicator: str = "hypervolume",
    distribution: str = "normal",
) -> Power | RunsNeeded | float:
    """Plan a comparison without a table: simulate how often the test detects an improvement of a given size.

    Both systems have noise around their means; the new system's mean dominates a hypervolume that is `effect` larger.
    With an effect of 0 the result is the size of the test. With runs at hand,
    :meth:`copa_nb.results.HypervolumeTest.power` and :meth:`copa_nb.results.HypervolumeTest.needed` take the noise from
    them.

    Parameters
    ----------
    effect : float or sequence of float
        Share by which the new system's hypervolume exceeds the baseline's.
    n_runs : int or sequence of int
        Numbers of runs K, the same for both systems; a single one for ``solve="noise"``.
    noise : float, sequence of float, or NoiseModel
        Standard deviation as a share of the baseline's distance from the reference point, one for all objectives or one
        per objective.
    solve : {"power", "runs", "noise"}
        What is looked for: the power of every effect and number of runs, the smallest number of runs that reaches the
        power `target`, or the noise under which the test has that power.
    target : float
        The target power, for "runs" and "noise".
    statistic : {"runs", "front"}
        For "runs", which comparison: single runs, which decides whether a result is significant, or fronts, as in the
        paper. The power of fronts grows slowly, because a front consists of its luckiest runs, however many there are.
    most : float, optional
        Largest number of runs to try, by default 50, or largest noise, by default 1.
    tolerance : float
        For "noise": relative precision at which the search stops.
    n_objectives : int
        Number of objectives, if `noise` is one number.
    correlation : float
        Correlation between the noise of both systems in the same repeat, from 0 to 1, from which a paired test gains.
    n_simulations : int
        Simulated data sets per setting.
    n_resamples, alternative, paired, unit, alpha, two_sided, indicator
        See ``df.moo.hv_test()``. `effect` is a share of hypervolume under every
        indicator.
    %(rng)s
    distribution : {"normal", "uniform"}
        Distribution of the noise, with the standard deviations of `noise`. A front over all runs depends on the tails
        of the noise: under uniform noise, which has none, more runs add more power. A NoiseModel has its own
        distribution.

    Returns
    -------
    Power, RunsNeeded or float
        For "noise", the relative standard deviation of each objective. Every noise level is tried on the same random
        numbers, so the search finds the level at which the *simulated* power crosses `target`. The Monte Carlo error of
        a number of runs is several runs where power grows slowly: see ``range``.

    Raises
    ------
    ValueError
        If effects, numbers of runs, the noise or the correlation are out of range; for "noise", if the power is not
        reached without noise, or is still exceeded at `most`.

    See Also
    --------
    copa_nb.accessor.Moo.hv_test : The test that is planned.

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
    >>> copa_nb.power(solve="runs", effect=0.3, noise=0.05, n_simulations=100).n_runs
    4
    >>> found = copa_nb.power(solve="noise", effect=0.2, n_runs=5, n_simulations=200, tolerance=0.1)
    >>> 0.01 < found < 0.3
    True
    """
    checks.one_of("solve", solve, SOLVE)
    options = HypervolumeTestOptions(n_resamples, alternative, paired, unit, "auto", alpha, 0, two_sided, indicator)
    settings: dict[str, Any] = {"correlation": correlation, "n_simulations": n_simulations, "rng": rng}

    def model(noise: Any) -> NoiseModel:
        planned = planned_noise(noise, n_objectives)
        return planned if isinstance(noise, NoiseModel) else distributed(planned, distribution)

    if solve == "power":
        return simulate(model(noise), options, effect=effect, n_runs=n_runs, **settings)
    size = _one("effect", effect, solve)
    if solve == "runs":
        limit = int(most or _MOST_RUNS)
        return fewest_runs(
            model(noise), options, power=target, effect=size, most=limit, statistic=statistic, **settings
        )
    count = int(_one("n_runs", n_runs, solve))

    def simulated(noise: float) -> float:
        study = simulate(model(noise), options, effect=size, n_runs=count, **settings)
        return float(study.table["power"].iloc[0])

    return _noise_at(simulated, checks.fraction("target", target), size, count, float(most or _MOST_NOISE), tolerance)


def _one(argument: str, value: Any, solve: str) -> float:
    """A single number, where a search goes over another argument."""
    if not isinstance(value, numbers.Real):
        raise ValueError(f"`{argument}` is {value!r}; `solve={solve!r}` needs a single number, e.g. {argument}=5.")
    return float(value)


def _noise_at(
    simulated: Callable[[float], float], target: float, effect: float, n_runs: int, most: float, tolerance: float
) -> float:
    """Bisect for the noise at which the simulated power crosses the target."""
    low, high = effect / 1000 or 1e-6, most
    if simulated(low) < target or simulated(high) > target:
        raise ValueError(
            f"`target`={target!r} is not crossed between noise {low:g} and {high:g} with {n_runs} runs and an effect "
            f"of {effect:g}; change `n_runs`, `effect` or `most`."
        )
    while high / low > 1 + tolerance:
        middle = math.sqrt(low * high)
        low, high = (middle, high) if simulated(middle) >= target else (low, middle)
    return math.sqrt(low * high)
