"""The search of ``preferences_kernels.py`` in numpy, for environments without a compiler."""

from __future__ import annotations

import numpy as np


def covers(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Find which row covers which in the componentwise order; rows and results are as in the compiled search."""
    columns = np.ascontiguousarray(rows.T)
    upper = []
    for low in range(len(rows)):
        above = np.arange(low + 1, len(rows))
        for column in columns:
            above = above[column[above] >= column[low]]
        found = []
        # The first of those that are left covers this row: only an earlier one could stand in between.
        while len(above):
            nearest, above = above[0], above[1:]
            found.append(nearest)
            if len(above):
                above = above[(columns[:, above] < columns[:, [nearest]]).any(axis=0)]
        upper.append(np.array(found, dtype=np.int64))
    lower = np.repeat(np.arange(len(rows)), [len(found) for found in upper])
    return np.concatenate([np.empty(0, dtype=np.int64), *upper]), lower
