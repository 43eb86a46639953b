"""The pass of ``unknown_costs_kernels.py`` in numpy, for environments without a compiler."""

from __future__ import annotations

import numpy as np

# Others that are tried at once, the strongest first; most rows are beaten by these and are then left out.
_OTHERS_AT_ONCE = 64
_ROWS_AT_ONCE = 1024


def mark_beaten(
    asked: np.ndarray, rows: np.ndarray, others: np.ndarray, names: np.ndarray, start: int, stop: int,
    beaten: np.ndarray,
) -> None:  # fmt: skip
    """Mark which of the asked rows, shape (n, k), one of the others dominates that has another name."""
    beaten[start:stop] = False
    for first in range(start, stop, _ROWS_AT_ONCE):
        left = np.arange(first, min(first + _ROWS_AT_ONCE, stop))
        for begin in range(0, len(others), _OTHERS_AT_ONCE):
            these, costs = others[begin : begin + _OTHERS_AT_ONCE, None], asked[left]
            found = ~(these > costs).any(axis=2) & (these < costs).any(axis=2)
            found &= names[begin : begin + _OTHERS_AT_ONCE, None] != rows[left]
            by_any = found.any(axis=0)
            beaten[left[by_any]] = True
            left = left[~by_any]
            if not len(left):
                break
