"""The approximation of ``hypervolume_kernels.py`` in numpy, for environments without a compiler.

Exact values come from moocore there, one call for each subset.
"""

from __future__ import annotations

import numpy as np

# Points whose reach is computed at once, in all directions of a face.
_POINTS_AT_ONCE = 32


def approximate_volumes(
    gaps: np.ndarray, members: np.ndarray, reciprocals: np.ndarray, start: int, stop: int, volumes: np.ndarray
) -> None:
    """Approximate the hypervolumes of the subsets from `start` to `stop`; see `hypervolume.approximate`."""
    k, _, n_directions = reciprocals.shape
    for b in range(start, stop):
        points = gaps[members[b]]
        scale = points.max(axis=0, initial=0.0)
        volumes[b] = 0.0
        if scale.min() == 0.0:
            continue
        total = sum(float((_farthest(points / scale, face, reciprocals[face]) ** k).sum()) for face in range(k))
        volumes[b] = total / (k * n_directions) * scale.prod()


def _farthest(points: np.ndarray, face: int, reciprocals: np.ndarray) -> np.ndarray:
    """How far the points reach in the directions of a face, by whichever of them reaches farthest."""
    farthest = np.zeros(reciprocals.shape[1])
    for begin in range(0, len(points), _POINTS_AT_ONCE):
        these = points[begin : begin + _POINTS_AT_ONCE]
        reach = np.broadcast_to(these[:, [face]], (len(these), len(farthest))).copy()
        for j, reciprocal in enumerate(reciprocals):
            np.minimum(reach, these[:, [j]] * reciprocal, out=reach)
        np.maximum(farthest, reach.max(axis=0), out=farthest)
    return farthest
