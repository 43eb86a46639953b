"""Linear programs over one set of variables, solved again and again as costs change and rows are added.

HiGHS solves them either way: through highspy (``highs.py``), which starts from the last solution, or through scipy,
which starts anew and takes two to ten times as long.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_array, vstack

from copa_nb.arrays.compiled import warn_once

# Distances to a row, and to optimality, that count as none.
TOLERANCE = 1e-10
# So many take seconds.
_SOLUTIONS_WORTH_A_WORD = 1000


class Solver(Protocol):
    """A program in variables between bounds."""

    def add(self, columns: np.ndarray, signs: np.ndarray, low: float, *, equal: bool = False) -> None:
        """Add rows ``signs @ u[columns] >= low``.

        Parameters
        ----------
        columns : ndarray of int, shape (rows, k)
            The variables of each row, some of which may be the same.
        signs : ndarray, shape (k,)
            What they are multiplied by.
        low : float
            Right side.
        equal : bool
            Whether the two sides are equal.
        """

    def minimum(self, costs: np.ndarray) -> np.ndarray:
        """Return variables at which ``costs @ u`` is smallest.

        Raises
        ------
        RuntimeError
            If the solver stops without a solution.
        """


class ColdSolver:
    """Through scipy."""

    def __init__(self, low: np.ndarray, high: np.ndarray) -> None:
        self._bounds = np.column_stack([low, high])
        nothing = csr_array((0, len(low)))
        self._rows, self._right = {False: nothing, True: nothing}, {False: np.empty(0), True: np.empty(0)}
        self._solutions = 0

    def add(self, columns: np.ndarray, signs: np.ndarray, low: float, *, equal: bool = False) -> None:
        """Add rows; see :class:`Solver`."""
        n_rows, k = columns.shape
        places = np.repeat(np.arange(n_rows), k), columns.ravel()
        rows = csr_array((np.tile(signs, n_rows), places), shape=(n_rows, len(self._bounds)))
        self._rows[equal] = vstack([self._rows[equal], rows], format="csr")
        self._right[equal] = np.append(self._right[equal], np.full(n_rows, low))

    def minimum(self, costs: np.ndarray) -> np.ndarray:
        """Return variables at which ``costs @ u`` is smallest; see :class:`Solver`."""
        self._solutions += 1
        if self._solutions == _SOLUTIONS_WORTH_A_WORD:
            warn_once("highspy", "tests of dominance")
        some: dict[str, Any] = {}
        if len(self._right[True]):
            some = {"A_eq": self._rows[True], "b_eq": self._right[True]}
        found = linprog(
            costs, A_ub=-self._rows[False], b_ub=-self._right[False], bounds=self._bounds, method="highs-ds", **some,
            options={
                "presolve": False, "primal_feasibility_tolerance": TOLERANCE, "dual_feasibility_tolerance": TOLERANCE,
            },
        )  # fmt: skip
        if not found.success:
            raise RuntimeError(f"HiGHS stopped with {found.message}")
        return np.asarray(found.x)
