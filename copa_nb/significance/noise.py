"""A model of seed noise: two systems that differ by a stated share of hypervolume, and their runs.

Everything is measured as distance from the reference point, in units of the baseline's own distance, so
that the baseline's hypervolume is 1 and noise is a share of that distance. Such units change neither p
nor power.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from copa_nb import checks, text
from copa_nb.objectives import Objectives
from copa_nb.significance.runs import Runs


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
    unit = point - means[baseline]
    if (unit <= 0).any():
        wrong = [name for name, share in zip(runs.objectives, unit, strict=True) if share <= 0]
        raise ValueError(
            f"`reference` is not worse than the mean of {runs.labels[baseline]!r} in {checks.listed(wrong)}; choose a "
            "worse point."
        )
    residuals = (costs - means[runs.systems]) / unit
    covariance = residuals.T @ residuals / freedom
    shares = ", ".join(
        f"{name} {text.number(value, 2)}"
        for name, value in zip(runs.objectives, np.sqrt(np.diag(covariance)), strict=True)
    )
    return NoiseModel(covariance, f"fitted to {len(costs)} runs of {len(means)} systems ({shares})")


def noise_in_own_units(noise: Mapping[Any, float], runs: Runs, baseline: int, point: np.ndarray) -> NoiseModel:
    """Model independent noise from standard deviations per objective in its own units (or their logarithms)."""
    objectives: Objectives = runs.objectives
    names: list[Hashable] = objectives.names
    if set(noise) != set(names):
        raise ValueError(
            f"`noise` names {checks.listed(noise)}; it needs one standard deviation for each of {checks.listed(names)}."
        )
    unit = point - runs.costs[runs.systems == baseline].mean(axis=0)
    if (unit <= 0).any():
        raise ValueError("`reference` is not worse than the baseline's mean in every objective; choose a worse point.")
    return given_noise([float(noise[name]) / float(unit[k]) for k, name in enumerate(names)])


def _root(covariance: np.ndarray) -> np.ndarray:
    # Not Cholesky: an objective may have no noise at all.
    values, vectors = np.linalg.eigh(covariance)
    root: np.ndarray = vectors * np.sqrt(np.maximum(values, 0.0))
    return root
