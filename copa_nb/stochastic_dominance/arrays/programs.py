"""The linear programs of generalized stochastic dominance, with rows of R2 only where a solution violates them.

The statistic of two entities is ``min over u of weights @ u``: u runs over the utilities of their points with
u(worst) = 0 and u(best) = 1. The rows do not depend on the weights, so one program serves the sample and all its
permutations: rows that were found once stay, and the simplex starts from the last solution.
"""

from __future__ import annotations

import highspy
import numpy as np

from copa_nb.stochastic_dominance.arrays.preferences import UtilityBounds

# A row counts as violated from here on. Sums of four utilities between 0 and 1 are exact to about 1e-16.
_TOLERANCE = 1e-9
# Few: those that one solution violates are much alike, and the simplex pays for every row, also later.
_ROWS_A_ROUND = 20


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
        self._solver = _solver()
        n = preferences.n_points
        low, high = np.zeros(n), np.ones(n)
        high[preferences.worst], low[preferences.best] = 0.0, 1.0
        self._columns = np.arange(n, dtype=np.int32)
        self._solver.addVars(n, low, high)
        _add(self._solver, preferences.order, [1.0, -1.0], self.gap, highspy.kHighsInf)
        _add(self._solver, preferences.equal, [1.0, 1.0, -1.0, -1.0], 0.0, 0.0)
        self._waiting = np.ones(len(preferences.exchanges), dtype=bool)

    def minimum(self, weights: np.ndarray) -> float:
        """Return the smallest value of ``weights @ u``.

        Parameters
        ----------
        weights : ndarray, shape (n_points,)
            One for each point.
        """
        self._solver.changeColsCost(len(self._columns), self._columns, weights)
        return float(weights @ _solve(self._solver, self._given.exchanges, self._waiting, self.gap, None))


def largest_gap(preferences: UtilityBounds) -> float:
    """Return ξ, the largest gap that all strict preferences can keep at once: one program, the gap a variable."""
    solver = _solver()
    n = preferences.n_points
    low, high = np.zeros(n + 1), np.ones(n + 1)
    high[preferences.worst], low[preferences.best] = 0.0, 1.0
    solver.addVars(n + 1, low, high)
    solver.changeColCost(n, -1.0)
    _add(solver, preferences.order, [1.0, -1.0], 0.0, highspy.kHighsInf, gap_column=n)
    _add(solver, preferences.equal, [1.0, 1.0, -1.0, -1.0], 0.0, 0.0)
    waiting = np.ones(len(preferences.exchanges), dtype=bool)
    return float(_solve(solver, preferences.exchanges, waiting, 0.0, n)[n])


class _SilentHighs(highspy.Highs):
    """HiGHS with its output off from the start: its constructor writes a copyright notice to standard output."""

    def enableCallbacks(self) -> None:  # noqa: N802
        """Turn the output off first: this is what the constructor calls, and what writes the notice."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()


def _solver() -> highspy.Highs:
    solver = _SilentHighs()
    for option, value in (
        ("output_flag", False), ("threads", 1), ("presolve", "off"),
        ("primal_feasibility_tolerance", 1e-10), ("dual_feasibility_tolerance", 1e-10),
    ):  # fmt: skip
        solver.setOptionValue(option, value)
    return solver


def _add(
    solver: highspy.Highs,
    rows: np.ndarray,
    signs: list[float],
    low: float,
    high: float,
    gap_column: int | None = None,
) -> None:
    """Add rows: points with their signs, some of which may be the same point, and the gap."""
    if not len(rows):
        return
    columns, values = rows, np.broadcast_to(np.array(signs), rows.shape)
    if gap_column is not None:
        columns = np.column_stack([columns, np.full(len(rows), gap_column)])
        values = np.column_stack([values, np.full(len(rows), -1.0)])
    order = np.argsort(columns, axis=1, kind="stable")
    columns, values = np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)
    # A row may not name a column twice: the second mention is added to the first.
    repeats = columns[:, 1:] == columns[:, :-1]
    values = values.copy()
    for k in range(columns.shape[1] - 1, 0, -1):
        again = repeats[:, k - 1]
        values[again, k - 1] += values[again, k]
        values[again, k] = 0.0
    kept = np.column_stack([np.ones(len(rows), dtype=bool), ~repeats])
    starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])[:-1]
    solver.addRows(
        len(rows), np.full(len(rows), low), np.full(len(rows), high), int(kept.sum()),
        starts.astype(np.int32), columns[kept].astype(np.int32), values[kept],
    )  # fmt: skip


def _solve(
    solver: highspy.Highs, exchanges: np.ndarray, waiting: np.ndarray, gap: float, gap_column: int | None
) -> np.ndarray:
    """Solve, add the rows of R2 that the solution violates most, and start over until none is violated."""
    while True:
        solver.run()
        if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS stopped with {solver.modelStatusToString(solver.getModelStatus())}")
        solution = np.asarray(solver.getSolution().col_value)
        wanted = gap if gap_column is None else solution[gap_column]
        x, w, y, v = solution[exchanges].T
        short = np.where(waiting, wanted - (x + w - y - v), 0.0)
        worst = np.flatnonzero(short > _TOLERANCE)
        if not len(worst):
            return solution
        if len(worst) > _ROWS_A_ROUND:
            worst = worst[np.argpartition(-short[worst], _ROWS_A_ROUND)[:_ROWS_A_ROUND]]
        waiting[worst] = False
        _add(solver, exchanges[worst], [1.0, 1.0, -1.0, -1.0], gap, highspy.kHighsInf, gap_column)
