"""The statistic of a pair of entities, in the sample and under exchanged labels (appendix A.2 of the paper)."""

from __future__ import annotations

import numpy as np

from copa_nb.stochastic_dominance.arrays.preferences import UtilityBounds, pooled_points, preferences

# Smaller differences of two means are rounding errors of the solver.
ZERO = 1e-9


class Pair:
    """Two entities on the same problems.

    Parameters
    ----------
    first, second : ndarray, shape (n, d)
        Values of each on n problems; larger is better.
    ordinal : ndarray of bool, shape (d,)
        Metrics of which only the order counts.
    """

    def __init__(self, first: np.ndarray, second: np.ndarray, ordinal: np.ndarray) -> None:
        points, self._which = pooled_points(np.vstack([first, second]), ordinal)
        self._n = len(first)
        self._given: UtilityBounds | None = preferences(points, ordinal) if len(points) > 1 else None

    def statistics(self, signs: np.ndarray, regularization: float = 0.0) -> np.ndarray:
        """Return ``min over u of (mean of u over one side - mean over the other)`` for several labelings.

        Parameters
        ----------
        signs : ndarray of +1 and -1, shape (b, 2 n)
            Side of each row, those of the first entity before those of the second.
        regularization : float
            See :class:`~copa_nb.stochastic_dominance.arrays.programs.UtilityProgram`.

        Returns
        -------
        ndarray, shape (b,)
        """
        from copa_nb.stochastic_dominance.arrays.programs import UtilityProgram

        if self._given is None:  # all values are equal: every utility is constant
            return np.zeros(len(signs))
        program = UtilityProgram(self._given, regularization)
        m = self._given.n_points
        values = [program.minimum(np.bincount(self._which, side, m) / self._n) for side in signs]
        return np.where(np.abs(values) < ZERO, 0.0, values)


def sample_signs(n: int) -> np.ndarray:
    """Return the labeling of the sample; shape (2 n,)."""
    return np.repeat([1.0, -1.0], n)


def resampled_signs(n: int, n_resamples: int, paired: bool, rng: np.random.Generator) -> np.ndarray:
    """Exchange labels at random; shape (n_resamples, 2 n).

    Parameters
    ----------
    n : int
        Problems.
    n_resamples : int
        Labelings.
    paired : bool
        Exchange the two entities within problems, rather than split all 2 n rows at random.
    rng : Generator
        Source of randomness.
    """
    if paired:
        first = rng.choice([1.0, -1.0], size=(n_resamples, n))
        return np.hstack([first, -first])
    return rng.permuted(np.tile(sample_signs(n), (n_resamples, 1)), axis=1)


def contaminated_pvalue(statistic: float, null: np.ndarray, contaminated: int, n: int) -> float:
    """Return the p-value if an unknown part of the problems were arbitrary (section 4.2).

    Parameters
    ----------
    statistic : float
        Of the sample.
    null : ndarray, shape (b,)
        Under exchanged labels.
    contaminated, n : int
        Problems that may be contaminated, and all.

    Returns
    -------
    float
        Share of the labelings, the sample's included, whose statistic is not more than 2 k / (n - k) above the
        sample's: the most that k problems can move both.
    """
    if contaminated >= n:
        return 1.0
    margin = 2 * contaminated / (n - contaminated)
    return float((1 + np.count_nonzero(null - statistic <= margin + ZERO)) / (1 + len(null)))
