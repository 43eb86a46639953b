"""Noise of runs around two systems, as given or fitted to a table, for simulations of power."""

from __future__ import annotations

__all__ = ["NoiseModel"]

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from copa_nb import checks, text
from copa_nb.results.note import NothingToShowError
from copa_nb.significance.runs import Runs

# Draws with mean 0 and standard deviation 1.
DRAWS: dict[str, Callable[[np.random.Generator, tuple[int, ...]], np.ndarray]] = {
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

    paper = "boyi2026significance"

    covariance: np.ndarray
    description: str
    covariance_new: np.ndarray | None = None
    distribution: str = "normal"

    def __post_init__(self) -> None:
        checks.one_of("distribution", self.distribution, tuple(DRAWS))

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
        draw = DRAWS[self.distribution]
        own = draw(rng, (n_sets, 2, n_runs, k))
        shared = draw(rng, (n_sets, 1, n_runs, k))
        mixed = np.sqrt(1 - correlation) * own + np.sqrt(correlation) * shared
        distances = 1.0 + mixed @ _root(self.covariance).T
        if self.covariance_new is not None:
            distances[:, 0] = 1.0 + mixed[:, 0] @ _root(self.covariance_new).T
        distances[:, 0] += (1.0 + effect) ** (1.0 / k) - 1.0
        costs: np.ndarray = -distances.reshape(n_sets, 2 * n_runs, k)
        return costs


def planned_noise(noise: Any, n_objectives: int) -> NoiseModel:
    """Model noise that is given without a table."""
    if isinstance(noise, NoiseModel):
        return noise
    _refuse_words(noise)
    if noise is None or isinstance(noise, Mapping):
        raise ValueError(
            "`noise` is required without a table of runs: the standard deviation as a share of the baseline's "
            "distance from the reference point, e.g. noise=0.03. With runs, call `power` of their `hv_test`."
        )
    return given_noise(noise, n_objectives)


def noise_of_runs(
    runs: Runs, noise: Any, new: list[int], baseline: list[int], point: np.ndarray, *, pooled: bool
) -> NoiseModel:
    """Model noise as given, or fit it to runs: that of each side, or one covariance pooled over all systems."""
    if isinstance(noise, NoiseModel):
        return noise
    _refuse_words(noise)
    if isinstance(noise, Mapping):
        return noise_in_own_units(noise, runs, baseline[0], point)
    if noise is not None:
        return given_noise(noise, len(runs.objectives))
    if pooled:
        return fitted_noise(runs, baseline[0], point)
    if len(new) > 1 or len(baseline) > 1:
        raise ValueError(
            "power is simulated for one new system and one baseline, and a side of this test has several; pass "
            "`pooled=True` to give both the noise of all systems."
        )
    return fitted_noise(runs, baseline[0], point, new=new[0])


def _refuse_words(noise: Any) -> None:
    if isinstance(noise, str):
        raise ValueError(
            f"`noise` is {noise!r}; it must be the standard deviation, e.g. 0.03. To choose the distribution, pass "
            '`distribution`, "normal" or "uniform".'
        )


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
        raise NothingToShowError("noise cannot be fitted to objectives that are infinite; drop or clip those runs.")
    if new is not None:
        return _fitted_apart(runs, baseline, new, point)
    # Sums of rows in one order only, so that what is simulated does not depend on that of the table.
    order = _canonical_order(runs)
    costs, systems = runs.costs[order], runs.systems[order]
    means = np.array([costs[systems == s].mean(axis=0) for s in range(len(runs.labels))])
    freedom = len(costs) - len(means)
    if freedom < 1:
        raise NothingToShowError(
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
                f"noise cannot be fitted to a single run of {runs.labels[number]!r}; pass `pooled=True` to pool the "
                "noise of all systems."
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
        raise NothingToShowError(
            f"`reference` is not worse than the mean of {runs.labels[baseline]!r} in {checks.listed(wrong)}; choose a "
            "worse point."
        )
    return distance


def _root(covariance: np.ndarray) -> np.ndarray:
    # Not Cholesky: an objective may have no noise at all.
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
