"""The solver of ``solvers.py`` that starts from its last solution: HiGHS through highspy, which an extra installs."""

from __future__ import annotations

import highspy
import numpy as np

from copa_nb.stochastic_dominance.arrays.solvers import TOLERANCE


class WarmSolver:
    """Through highspy."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self._solver = _SilentHighs()  # type: ignore[no-untyped-call]
        for option, value in (
            ("output_flag", False), ("threads", 1), ("presolve", "off"),
            ("primal_feasibility_tolerance", TOLERANCE), ("dual_feasibility_tolerance", TOLERANCE),
        ):  # fmt: skip
            self._solver.setOptionValue(option, value)
        self._solver.addVars(len(low), low, high)
        self._columns = np.arange(len(low), dtype=np.int32)

    def add(self, columns: np.ndarray, signs: np.ndarray, low: float, *, equal: bool = False) -> None:
        """Add rows; see :class:`~copa_nb.stochastic_dominance.arrays.solvers.Solver`."""
        n_rows = len(columns)
        if not n_rows:
            return
        values = np.broadcast_to(signs, columns.shape)
        order = np.argsort(columns, axis=1, kind="stable")
        columns, values = np.take_along_axis(columns, order, axis=1), np.take_along_axis(values, order, axis=1)
        # A row may not name a column twice: the second mention is added to the first.
        repeats = columns[:, 1:] == columns[:, :-1]
        values = values.copy()
        for k in range(columns.shape[1] - 1, 0, -1):
            again = repeats[:, k - 1]
            values[again, k - 1] += values[again, k]
            values[again, k] = 0.0
        kept = np.column_stack([np.ones(n_rows, dtype=bool), ~repeats])
        starts = np.concatenate([[0], np.cumsum(kept.sum(axis=1))])[:-1]
        self._solver.addRows(
            n_rows, np.full(n_rows, low), np.full(n_rows, low if equal else highspy.kHighsInf), int(kept.sum()),
            starts.astype(np.int32), columns[kept].astype(np.int32), values[kept],
        )  # fmt: skip

    def minimum(self, costs: np.ndarray) -> np.ndarray:
        """Return variables at which ``costs @ u`` is smallest."""
        self._solver.changeColsCost(len(self._columns), self._columns, costs)
        self._solver.run()
        status = self._solver.getModelStatus()
        if status != highspy.HighsModelStatus.kOptimal:
            raise RuntimeError(f"HiGHS stopped with {self._solver.modelStatusToString(status)}")
        return np.asarray(self._solver.getSolution().col_value)


class _SilentHighs(highspy.Highs):
    """HiGHS with its output off from the start: its constructor writes a copyright notice to standard output."""

    def enableCallbacks(self) -> None:  # noqa: N802
        """Turn the output off first: this is what the constructor calls, and what writes the notice."""
        self.setOptionValue("output_flag", False)
        super().enableCallbacks()  # type: ignore[no-untyped-call]
