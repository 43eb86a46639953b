"""Hypervolumes of many point sets against one reference point: the engine of the permutation test.

Two dimensions are swept in numpy, many subsets at a time; three to five go through compiled loops while
the subsets are small; beyond, moocore is called per set; and where exact values would take too long, all
sets are measured along the same random directions.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import moocore
import numpy as np

METHODS = ("auto", "exact", "approximate")
DIRECTIONS = 2048

# Largest subsets for which the compiled loops beat a library call, by number of objectives.
_COMPILED_UP_TO = {3: np.inf, 4: 30, 5: 25}
# One exact hypervolume takes about n ** (k / 2) steps of some nanoseconds; past this sum it would take minutes.
_EXACT_STEPS = 2e10
_CHUNK_CELLS = 1 << 18


@dataclass(frozen=True)
class Measure:
    """How hypervolumes are computed, decided once so that every set is measured in the same way.

    Parameters
    ----------
    exact : bool
        Whether values are exact.
    name : str
        The algorithm, in words for a report.
    compiled : bool
        Whether subsets go through the compiled loops.
    seed : int
        Seed of the directions of an approximation.
    """

    exact: bool
    name: str
    compiled: bool = False
    seed: int = 0


def choose_measure(n_objectives: int, largest: int, n_sets: int, *, method: str = "auto", seed: int = 0) -> Measure:
    """Decide how to measure `n_sets` sets of up to `largest` points.

    Parameters
    ----------
    n_objectives, largest, n_sets : int
        Size of the task.
    method : {"auto", "exact", "approximate"}
        "auto" is exact as far as it is affordable.
    seed : int
        Seed of an approximation.

    Returns
    -------
    Measure

    Examples
    --------
    >>> choose_measure(2, 10, 5000).name
    'exact hypervolume (sweep)'
    >>> choose_measure(10, 100, 5000).exact
    False
    """
    if n_objectives <= 2:
        return Measure(True, "exact hypervolume (sweep)")
    affordable = n_sets * float(largest) ** (n_objectives / 2) <= _EXACT_STEPS
    if method == "approximate" or (method == "auto" and not affordable):
        return Measure(False, f"hypervolume approximated along {DIRECTIONS:,} directions", seed=seed)
    compiled = largest <= _COMPILED_UP_TO.get(n_objectives, 0)
    return Measure(True, f"exact hypervolume ({'slices' if compiled else 'moocore'})", compiled)


def subset_hypervolumes(
    points: np.ndarray, reference: np.ndarray, members: np.ndarray, measure: Measure | None = None
) -> np.ndarray:
    """Hypervolume of each subset of the same points.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Costs. Points that are not better than the reference everywhere add nothing.
    reference : ndarray of float64, shape (k,)
        The reference point.
    members : ndarray of bool, shape (b, n)
        Which points each subset holds.
    measure : Measure, optional
        From :func:`choose_measure`; exact where affordable by default.

    Returns
    -------
    ndarray of float64, shape (b,)

    Examples
    --------
    >>> points = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]])
    >>> subsets = np.array([[True, True, True], [False, True, False]])
    >>> subset_hypervolumes(points, np.array([4.0, 4.0]), subsets)
    array([9.5, 2. ])
    """
    members = np.asarray(members, dtype=bool)
    if measure is None:
        measure = choose_measure(points.shape[1], int(members.sum(axis=1).max(initial=0)), len(members))
    inside = (points < reference).all(axis=1)
    order = np.flatnonzero(inside)
    # The last objective orders the sweeps; in two dimensions so does the first, equally well.
    order = order[np.argsort(points[order, -1], kind="stable")]
    points = np.ascontiguousarray(points[order])
    if len(points) == 0 or len(members) == 0:
        return np.zeros(len(members))
    compute = _subset_function(points, reference, measure)
    rows = max(1, _CHUNK_CELLS // len(points))
    parts = [compute(members[start : start + rows][:, order]) for start in range(0, len(members), rows)]
    return np.concatenate(parts)


def set_hypervolumes(sets: np.ndarray, reference: np.ndarray, measure: Measure | None = None) -> np.ndarray:
    """Hypervolume of each of many small sets that share no points.

    Parameters
    ----------
    sets : ndarray of float64, shape (b, m, k)
        Costs.
    reference : ndarray of float64, shape (k,)
        The reference point.
    measure : Measure, optional
        From :func:`choose_measure`; exact where affordable by default.

    Returns
    -------
    ndarray of float64, shape (b,)

    Examples
    --------
    >>> set_hypervolumes(np.array([[[1.0, 1.0], [3.0, 0.5]], [[2.0, 3.0], [5.0, 5.0]]]), np.array([4.0, 4.0]))
    array([9.5, 2. ])
    """
    n_sets, size, k = sets.shape
    measure = measure or choose_measure(k, size, n_sets)
    gaps = np.maximum(reference - sets, 0.0)
    gaps[(gaps == 0).any(axis=2)] = 0.0
    if size == 1:
        return gaps[:, 0, :].prod(axis=1)
    if k == 1:
        return gaps[:, :, 0].max(axis=1)
    if k == 2:
        return _staircases(gaps)
    if not measure.exact:
        return _along_directions_of_sets(gaps, _directions(k, measure.seed))
    return np.array([moocore.hypervolume(reference - each, ref=reference) for each in gaps])


def _subset_function(points: np.ndarray, reference: np.ndarray, measure: Measure) -> Callable[[np.ndarray], np.ndarray]:
    k = points.shape[1]
    if k == 1:
        return lambda members: np.where(members, reference[0] - points[:, 0], 0.0).max(axis=1)
    if k == 2:
        heights = (reference[0] - points[:, 0])[:, None]
        widths = np.empty(len(points))
        np.subtract(points[1:, 1], points[:-1, 1], out=widths[:-1])
        widths[-1] = reference[1] - points[-1, 1]
        return lambda members: _sweep(heights, widths, members)
    if not measure.exact:
        gaps = reference - points
        lengths = _lengths(gaps, _scale(gaps), _directions(k, measure.seed))
        return lambda members: _along_directions(lengths, members)
    if measure.compiled:
        return lambda members: _compiled(points, reference, members)
    return lambda members: np.array([_library(points[chosen], reference) for chosen in members])


def _sweep(heights: np.ndarray, widths: np.ndarray, members: np.ndarray) -> np.ndarray:
    # One row per point, so that each step of the running maximum is one pass over contiguous memory.
    running = np.where(members.T, heights, 0.0)
    for i in range(1, len(running)):
        np.maximum(running[i], running[i - 1], out=running[i])
    areas: np.ndarray = widths @ running
    return areas


def _staircases(gaps: np.ndarray) -> np.ndarray:
    order = np.argsort(-gaps[:, :, 0], axis=1)
    gaps = np.take_along_axis(gaps, order[:, :, None], axis=1)
    heights = np.maximum.accumulate(gaps[:, :, 1], axis=1)
    widths = -np.diff(gaps[:, :, 0], axis=1, append=0.0)
    areas: np.ndarray = (heights * widths).sum(axis=1)
    return areas


def _compiled(points: np.ndarray, reference: np.ndarray, members: np.ndarray) -> np.ndarray:
    # Imported here: two objectives, the usual case, need no compiler.
    from copa_nb.significance.arrays.subset_kernels import subset_volumes

    volumes = np.empty(len(members))
    subset_volumes(points, np.ascontiguousarray(reference), np.ascontiguousarray(members), volumes)
    return volumes


def _library(points: np.ndarray, reference: np.ndarray) -> float:
    return float(moocore.hypervolume(points, ref=reference)) if len(points) else 0.0


def _directions(k: int, seed: int) -> np.ndarray:
    """Spread directions over the positive part of the sphere; shape (DIRECTIONS, k)."""
    from scipy.special import ndtri

    # A Kronecker sequence on the root of x ** (k + 1) = x + 1 fills the cube evenly in any dimension.
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / (k + 1))
    steps = root ** -np.arange(1.0, k + 1)
    shift = np.random.default_rng(seed).random(k)
    uniform = (shift + np.arange(1, DIRECTIONS + 1)[:, None] * steps) % 1.0
    directions = np.maximum(ndtri(0.5 + uniform / 2), 1e-12)
    unit: np.ndarray = directions / np.linalg.norm(directions, axis=1, keepdims=True)
    return unit


def _lengths(gaps: np.ndarray, scale: np.ndarray, directions: np.ndarray) -> np.ndarray:
    """Volume per direction that each point dominates, seen from the reference; shape (..., d).

    The mean over directions of the largest of these is the hypervolume, by integration in polar
    coordinates (Deng and Zhang, 2019).
    """
    k = gaps.shape[-1]
    reach = np.full((*gaps.shape[:-1], len(directions)), np.inf)
    for d in range(k):
        np.minimum(reach, (gaps[..., d] / scale[d])[..., None] / directions[:, d], out=reach)
    lengths: np.ndarray = reach**k * (_orthant_volume(k) * scale.prod())
    return lengths


def _scale(gaps: np.ndarray) -> np.ndarray:
    # Units must not decide which directions matter: measure in multiples of the largest gaps.
    largest = gaps.reshape(-1, gaps.shape[-1]).max(axis=0)
    return np.where(largest > 0, largest, 1.0)


def _orthant_volume(k: int) -> float:
    return math.pi ** (k / 2) / (2**k * math.gamma(k / 2 + 1))


def _along_directions(lengths: np.ndarray, members: np.ndarray) -> np.ndarray:
    values = np.empty(len(members))
    rows = max(1, _CHUNK_CELLS // lengths.shape[1])
    for start in range(0, len(members), rows):
        chosen = members[start : start + rows]
        farthest = np.zeros((len(chosen), lengths.shape[1]))
        for i, length in enumerate(lengths):
            np.maximum(farthest, length * chosen[:, i, None], out=farthest)
        values[start : start + rows] = farthest.mean(axis=1)
    return values


def _along_directions_of_sets(gaps: np.ndarray, directions: np.ndarray) -> np.ndarray:
    rows = max(1, _CHUNK_CELLS // (gaps.shape[1] * len(directions)))
    scale = _scale(gaps)
    parts = [
        _lengths(gaps[start : start + rows], scale, directions).max(axis=1).mean(axis=1)
        for start in range(0, len(gaps), rows)
    ]
    return np.concatenate(parts)
