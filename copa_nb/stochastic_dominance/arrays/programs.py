"""The linear programs of generalized stochastic dominance, with rows of R2 only where a solution violates them.

The statistic of two entities is ``min over u of weights @ u``: u runs over the utilities of their points with
u(worst) = 0 and u(best) = 1. The rows do not depend on the weights, so one program serves the sample and all its
permutations: rows that were found once stay, and the simplex starts from the last solution.
"""

from __future__ import annotations

import numpy as np

from copa_nb.stochastic_dominance.arrays.preferences import UtilityBounds
from copa_nb.stochastic_dominance.arrays.solvers import ColdSolver, Solver

# A row counts as violated from here on. Sums of four utilities between 0 and 1 are exact to about 1e-16.
_TOLERANCE = 1e-9
# Few: those that one solution violates are much alike, and the simplex pays for every row, also later.
_ROWS_A_ROUND = 20
# u(x) - u(y), and u(x) + u(w) - u(y) - u(v); the gap that a row must keep is a variable of some programs.
_ORDER, _EXCHANGE, _GAP = (1.0, -1.0), (1.0, 1.0, -1.0, -1.0), -1.0


class UtilityProgram:
    """Minimize linear functions over the utilities of a set of points.

    Parameters
    ----------
    preferences : UtilityBounds
        Points and rows.
    regularization : float
        Share of the largest possible gap by which strict preferences must differ.

    Attributes
    ----------
    gap : float
        By how much utilities differ where the preference is strict.
    """

    def __init__(self, preferences: UtilityBounds, regularization: float = 0.0) -> None:
        self._given = preferences
        self.gap = regularization * largest_gap(preferences) if regularization else 0.0
        self._solver = new_solver(*_bounds(preferences))
        self._solver.add(preferences.order, np.array(_ORDER), self.gap)
        self._solver.add(preferences.equal, np.array(_EXCHANGE), 0.0, equal=True)
        self._waiting = np.ones(len(preferences.exchanges), dtype=bool)

    def minimum(self, weights: np.ndarray) -> float:
        """Return the smallest value of ``weights @ u``.

        Parameters
        ----------
        weights : ndarray, shape (n_points,)
            One for each point.
        """
        return float(weights @ _solve(self._solver, weights, self._given.exchanges, self._waiting, self.gap))


def largest_gap(preferences: UtilityBounds) -> float:
    """Return ξ, the largest gap that all strict preferences can keep at once: one program, the gap a variable."""
    low, high = _bounds(preferences)
    solver = new_solver(np.append(low, 0.0), np.append(high, 1.0))
    solver.add(_with_gap(preferences.order, len(low)), np.array([*_ORDER, _GAP]), 0.0)
    solver.add(preferences.equal, np.array(_EXCHANGE), 0.0, equal=True)
    costs = np.append(np.zeros(len(low)), -1.0)
    waiting = np.ones(len(preferences.exchanges), dtype=bool)
    return float(_solve(solver, costs, preferences.exchanges, waiting, None)[-1])


def new_solver(low: np.ndarray, high: np.ndarray) -> Solver:
    """Return a program without rows, for the faster solver that is installed.

    Parameters
    ----------
    low, high : ndarray, shape (n,)
        Bounds of the variables.
    """
    try:
        from copa_nb.stochastic_dominance.arrays.highs import WarmSolver
    except ImportError:
        return ColdSolver(low, high)
    return WarmSolver(low, high)


def _bounds(preferences: UtilityBounds) -> tuple[np.ndarray, np.ndarray]:
    low, high = np.zeros(preferences.n_points), np.ones(preferences.n_points)
    high[preferences.worst], low[preferences.best] = 0.0, 1.0
    return low, high


def _with_gap(rows: np.ndarray, column: int) -> np.ndarray:
    return np.column_stack([rows, np.full(len(rows), column)])


def _solve(
    solver: Solver, costs: np.ndarray, exchanges: np.ndarray, waiting: np.ndarray, gap: float | None
) -> np.ndarray:
    """Solve, add the rows of R2 that the solution violates most, and start over until none is violated.

    Without a `gap`, it is the last variable.
    """
    while True:
        solution = solver.minimum(costs)
        wanted = solution[-1] if gap is None else gap
        x, w, y, v = solution[exchanges].T
        short = np.where(waiting, wanted - (x + w - y - v), 0.0)
        worst = np.flatnonzero(short > _TOLERANCE)
        if not len(worst):
            return solution
        if len(worst) > _ROWS_A_ROUND:
            worst = worst[np.argpartition(-short[worst], _ROWS_A_ROUND)[:_ROWS_A_ROUND]]
        waiting[worst] = False
        if gap is None:
            solver.add(_with_gap(exchanges[worst], len(solution) - 1), np.array([*_EXCHANGE, _GAP]), 0.0)
        else:
            solver.add(exchanges[worst], np.array(_EXCHANGE), gap)
