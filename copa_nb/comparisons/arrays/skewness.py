"""How skewed the differences between systems are, from sums over the items of their powers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

# A variance of a difference below this share of the two variances is computed again without cancellation.
_CANCELED = 1e-6
# Mean squared skewness of the differences, over that of normal differences, above which they count as skewed.
SKEWED = 2.0
# Cochran's rule: a mean counts as normal if one over its squared skewness is at least this.
COCHRAN = 25.0
# Cochran's rule for shares: how many there are at least of each of two kinds, where a share counts as normal.
FEWEST_OF_A_KIND = 5


@dataclass(frozen=True)
class Skewness:
    """How skewed the differences between systems are.

    Parameters
    ----------
    is_clear : bool
        Whether they are more skewed than normal differences are by chance.
    is_much : bool
        Whether, besides, those of some system are so skewed that means of this many are not near to normal.
    """

    is_clear: bool
    is_much: bool

    @classmethod
    def of_pairs(cls, of_means: np.ndarray, use: np.ndarray, n_items: int | np.ndarray) -> Skewness:
        """Judge pairs of systems together.

        Parameters
        ----------
        of_means : ndarray, shape (n_systems, n_systems)
            Skewness of the mean difference of each pair.
        use : ndarray of bool, shape (n_systems, n_systems)
            Pairs that differ.
        n_items : int or ndarray, shape (n_systems, n_systems)
            On which not all systems agree.
        """
        if not use.any():
            return cls(False, False)
        # The mean square of the skewness of n normal differences is 6 / n, and of their mean 6 / n**2.
        clear = bool(np.mean((of_means * n_items)[use] ** 2) / 6 > SKEWED)
        by_chance = np.divide(6.0, np.square(n_items), out=np.zeros(use.shape), where=use)
        squares = np.where(use, of_means**2 - by_chance, 0.0)
        of_systems = squares.sum(axis=1) / np.maximum(use.sum(axis=1), 1)
        return cls(clear, clear and bool(of_systems.max() * COCHRAN > 1))


def skewness_of_items(
    scores: np.ndarray, sizes: np.ndarray, rounding: float, compared: np.ndarray | None = None
) -> Skewness:
    """Judge differences between columns of shape (n_items, n_systems): all of them, or those that are compared."""
    scores = deviations_from_mean(scores, sizes)
    return skewness_of_differences(squared_differences(scores), *cubed_sums(scores), len(scores), rounding, compared)


def skewness_of_runs(runs: Sequence[np.ndarray]) -> Skewness:
    """Judge differences between means of independent runs, arrays of shape (n_runs,).

    Runs of equal numbers that are skewed alike have means whose differences are not.
    """
    counts = np.array([len(values) for values in runs])
    deviations = [values - values.mean() for values in runs]
    # Skewness has no unit, and powers of very small deviations would vanish.
    largest = max((float(np.abs(each).max()) for each in deviations), default=0.0) or 1.0
    deviations = [each / largest for each in deviations]
    squares, cubes = (np.array([(each**power).mean() for each in deviations]) for power in (2, 3))
    variances, thirds = squares / counts, cubes / counts**2
    total = variances[:, None] + variances
    use = (total > 0) & ~np.eye(len(runs), dtype=bool)
    of_means = np.divide(thirds[:, None] - thirds, total**1.5, out=np.zeros_like(total), where=use)
    return Skewness.of_pairs(of_means, use, np.minimum(counts[:, None], counts))


def has_few_of_a_kind(answers: np.ndarray, clusters: np.ndarray | None) -> bool:
    """Whether some system has one of two answers in fewer than five clusters: Cochran's rule for shares.

    The third moment of answers that are one of two follows from how many are of which kind, which says more of it than
    its estimate from the deviations of a few clusters.

    Parameters
    ----------
    answers : ndarray, shape (n_items, n_repeats, n_systems)
        Of two values.
    clusters : ndarray of int, shape (n_items,), optional
        Number of each item's cluster, counted from 0.

    Examples
    --------
    >>> answers = np.ones((30, 1, 2))
    >>> answers[:6] = 0  # wrong answers to six questions about two passages
    >>> has_few_of_a_kind(answers, None), has_few_of_a_kind(answers, np.arange(30) // 3)
    (False, True)
    """
    kinds = [(answers == end).any(axis=1) for end in (answers.min(), answers.max())]
    clusters = np.arange(len(answers)) if clusters is None else clusters
    counts = [len(np.unique(clusters[of_system])) for kind in kinds for of_system in kind.T]
    return min(counts) < FEWEST_OF_A_KIND


def cubed_sums(scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Sums of cubes of columns, and of products of the square of one column with another."""
    squared = scores * scores
    return (squared * scores).sum(axis=0), squared.T @ scores


def skewness_of_differences(
    squares: np.ndarray, cubes: np.ndarray, mixed: np.ndarray, n_items: int, rounding: float,
    compared: np.ndarray | None = None,
) -> Skewness:  # fmt: skip
    """Judge differences from sums over the items of powers of deviations from their means.

    Parameters
    ----------
    squares : ndarray, shape (n_systems, n_systems)
        Of squared differences.
    cubes, mixed : ndarray, shape (n_systems,) and (n_systems, n_systems)
        See :func:`cubed_sums`.
    n_items : int
        On which not all systems agree.
    rounding : float
        Squares up to this are no difference.
    compared : ndarray of bool, shape (n_systems, n_systems), optional
        Which pairs are compared; by default all.
    """
    use = (squares > rounding) & ~np.eye(len(squares), dtype=bool)
    if compared is not None:
        use &= compared
    thirds = cubes[:, None] - 3 * mixed + 3 * mixed.T - cubes
    of_means = np.divide(thirds, squares**1.5, out=np.zeros_like(squares), where=use)
    return Skewness.of_pairs(of_means, use, n_items)


def deviations_from_mean(scores: np.ndarray, sizes: np.ndarray) -> np.ndarray:
    """Scores less their mean, of the items on which not all systems agree: the others tell no difference.

    Sums over clusters are less the mean over items times their size.
    """
    differing = np.ptp(scores, axis=1) > 0
    scores, sizes = scores[differing], sizes[differing]
    deviations: np.ndarray = scores - sizes[:, None] * (scores.sum(axis=0) / sizes.sum() if len(scores) else 0.0)
    return deviations


def squared_differences(scores: np.ndarray) -> np.ndarray:
    """Sums of squared differences between columns, shape (n_columns, n_columns), to full accuracy."""
    products = scores.T @ scores
    squares = np.diagonal(products)
    sums = squares[:, None] + squares
    total = sums - 2 * products
    for i, j in np.argwhere(np.triu(total < _CANCELED * sums, 1)):
        total[i, j] = total[j, i] = ((scores[:, i] - scores[:, j]) ** 2).sum()
    np.fill_diagonal(total, 0.0)
    return total
