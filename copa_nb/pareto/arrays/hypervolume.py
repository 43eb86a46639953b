"""Hypervolumes against one reference point: of a set of points, of many sets, of many subsets of the same points.

One rule, :func:`exact_is_affordable`, decides between exact and approximate values for all of them, and there is one
approximation, whose value depends on the set and the seed alone. Exact values come from moocore; where very many
small sets are measured (the permutation test), two objectives are swept in numpy and three to five go through
compiled loops.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import moocore
import numpy as np

from copa_nb import checks
from copa_nb.arrays.compiled import is_available, kernels
from copa_nb.arrays.parallel import in_threads, row_slices
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.indicators import N_WEIGHTS, NAMES, Target

METHODS = ("auto", "exact", "approximate")
# Directions of the approximation, rounded up to as many on each face of the cube. With six to twelve objectives the
# relative error is below 0.1% on fronts, and a few percent on a few points scattered in twelve objectives.
DIRECTIONS = 1 << 13
# The exact algorithm takes about n ** (k / 2) steps. Up to five objectives a step takes a fraction of a nanosecond,
# so that these are seconds. With more objectives it takes ten times as long, and a permutation test needs ten
# thousand values: these are about ten milliseconds each.
_EXACT_STEPS_UP_TO_FIVE, _EXACT_STEPS_BEYOND = 5e9, 2e6
# Beyond, squares of differences, of which spreads are made, would be more than a float can hold.
LARGEST = 1e150
# Below, hypervolumes lose digits or are zero.
_SMALLEST_VOLUME = 1e-300
# A cost that is the lowest float ends the process in moocore 0.3.2, which marks the end of its lists with it.
_LOWEST = np.nextafter(-np.finfo(float).max, 0.0)
# moocore computes no more; with this many objectives, a hypervolume tells little anyway.
MOST_OBJECTIVES = 31
# Largest subsets for which the compiled loops beat a library call, by number of objectives.
_COMPILED_UP_TO = {3: np.inf, 4: 30, 5: 25}
_CHUNK_CELLS = 1 << 18


@dataclass(frozen=True)
class HypervolumeValue:
    """A hypervolume and how it was computed.

    Parameters
    ----------
    value : float
        Volume dominated by the points and bounded by the reference point.
    exact : bool
        Whether the value is exact.
    method : str
        Algorithm.
    """

    value: float
    exact: bool
    method: str


@dataclass(frozen=True)
class Measure:
    """How many sets are measured, decided once so that all are measured in the same way.

    Parameters
    ----------
    exact : bool
        Whether values are exact.
    name : str
        The algorithm, in words for a report.
    compiled : bool
        Whether subsets go through the compiled loops.
    seed : int
        Seed of an approximation.
    target : Target, optional
        What another indicator, whose negative takes the place of the hypervolume, is measured against.
    """

    exact: bool
    name: str
    compiled: bool = False
    seed: int = 0
    target: Target | None = None


def exact_is_affordable(n_points: int, n_objectives: int) -> bool:
    """Tell whether the exact hypervolume of this many nondominated points is fast enough.

    Examples
    --------
    >>> exact_is_affordable(5_000, 4), exact_is_affordable(18, 10), exact_is_affordable(60, 10)
    (True, True, False)
    """
    if n_points < 2 or n_objectives <= 2:
        return True
    steps = _EXACT_STEPS_UP_TO_FIVE if n_objectives <= 5 else _EXACT_STEPS_BEYOND
    return n_objectives / 2 * math.log(n_points) <= math.log(steps)


def refuse_infinite(costs: np.ndarray, reference: np.ndarray) -> None:
    """Refuse a row that is infinitely good inside the reference point."""
    if not np.isfinite(costs[(costs < reference).all(axis=1)]).all():
        raise ValueError(
            "a row is infinitely good in some objective, so the hypervolume is infinite; drop or clip that value."
        )


def hypervolume(
    points: np.ndarray, reference: np.ndarray, *, rng: int | np.random.Generator | None = 0
) -> HypervolumeValue:
    """Volume between the points and the reference point, smaller costs being better.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Finite costs. Dominated points and points not strictly better than the reference add nothing.
    reference : ndarray of float64, shape (k,)
        Finite costs of the reference point.
    rng : int, Generator or None
        Seed of an approximation, or what it is drawn from.

    Returns
    -------
    HypervolumeValue
        Exact where that is affordable, otherwise approximate and labeled so.

    Examples
    --------
    >>> hypervolume(np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]]), np.array([4.0, 4.0]))
    HypervolumeValue(value=9.5, exact=True, method='exact')
    """
    inside = points[(points < reference).all(axis=1)]
    if len(inside) == 0:
        return HypervolumeValue(0.0, True, "exact")
    if points.shape[1] == 1:
        with np.errstate(over="ignore"):
            return HypervolumeValue(float(_held(reference - inside.min(axis=0), inside, reference)[0]), True, "exact")
    if points.shape[1] > MOST_OBJECTIVES:
        raise ValueError(
            f"the hypervolume can be computed for up to {MOST_OBJECTIVES} objectives, not {points.shape[1]}; choose "
            "some of the objectives, or compare ranks with `copa`."
        )
    front = inside[nondominated(inside, keep="first")]
    if exact_is_affordable(*front.shape):
        volumes, exact, method = np.array([_library(front, reference)]), True, "exact"
    else:
        seed = checks.seed(rng)
        with np.errstate(over="ignore"):
            volumes, exact, method = approximate(reference - front, seed=seed), False, _approximation(seed)
    return HypervolumeValue(float(_held(volumes, front, reference)[0]), exact, method)


def choose_measure(
    sides: Sequence[np.ndarray],
    reference: np.ndarray,
    *,
    method: str = "auto",
    rng: int | np.random.Generator | None = 0,
) -> Measure:
    """Decide how to measure sets like these, all in the same way.

    Parameters
    ----------
    sides : sequence of ndarray of float64, shape (n, k)
        Costs of sets as large as any that will be measured; the one with the largest front decides.
    reference : ndarray of float64, shape (k,)
        The reference point.
    method : {"auto", "exact", "approximate"}
        "auto" follows :func:`exact_is_affordable`, as :func:`hypervolume` does.
    rng : int, Generator or None
        See :func:`hypervolume`; nothing is drawn for exact values.

    Returns
    -------
    Measure

    Examples
    --------
    >>> choose_measure([np.array([[1.0, 2.0], [2.0, 1.0]])], np.array([3.0, 3.0])).name
    'exact hypervolume'
    """
    k, largest = sides[0].shape[1], max(map(len, sides))
    if k <= 2:
        return Measure(True, "exact hypervolume")
    if method == "approximate" or (method == "auto" and not _fronts_affordable(sides, reference, largest)):
        seed = checks.seed(rng)
        return Measure(False, f"hypervolume {_approximation(seed)}", seed=seed)
    compiled = largest <= _COMPILED_UP_TO.get(k, 0) and is_available()
    return Measure(True, "exact hypervolume", compiled)


def indicator_measure(points: np.ndarray, indicator: str) -> Measure:
    """Measure sets by minus an indicator, so that larger is better: against the front of these points.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Finite costs of all that will be compared.
    indicator : {"igd+", "epsilon", "r2"}
        The indicator.

    Examples
    --------
    >>> points = np.array([[0.0, 2.0], [2.0, 0.0], [2.0, 2.0]])
    >>> set_hypervolumes(points[:, None, :], np.zeros(2), indicator_measure(points, "epsilon"))
    array([-1., -1., -1.])
    """
    target = Target.of(points, indicator)
    how = f" over {N_WEIGHTS:,} weights" if indicator == "r2" and points.shape[1] != 2 else ""
    return Measure(True, f"{NAMES[indicator]}{how}, reference front of {len(target.front)} points", target=target)


def subset_hypervolumes(points: np.ndarray, reference: np.ndarray, members: np.ndarray, measure: Measure) -> np.ndarray:
    """Hypervolume of each subset of the same points.

    Parameters
    ----------
    points : ndarray of float64, shape (n, k)
        Costs. Points that are not better than the reference everywhere add nothing.
    reference : ndarray of float64, shape (k,)
        The reference point.
    members : ndarray of bool, shape (b, n)
        Which points each subset holds.
    measure : Measure
        From :func:`choose_measure`.

    Returns
    -------
    ndarray of float64, shape (b,)

    Examples
    --------
    >>> points, reference = np.array([[1.0, 1.0], [2.0, 3.0], [3.0, 0.5]]), np.array([4.0, 4.0])
    >>> subsets = np.array([[True, True, True], [False, True, False]])
    >>> subset_hypervolumes(points, reference, subsets, choose_measure([points], reference))
    array([9.5, 2. ])
    """
    if measure.target is not None:
        return -measure.target.of_subsets(points, members)
    order = np.flatnonzero((points < reference).all(axis=1))
    # The last objective orders the sweeps; in two dimensions so does the first, equally well.
    order = order[np.argsort(points[order, -1], kind="stable")]
    points = np.ascontiguousarray(points[order])
    if len(points) == 0 or len(members) == 0:
        return np.zeros(len(members))
    rows = max(1, _CHUNK_CELLS // len(points))
    with np.errstate(over="ignore", invalid="ignore"):
        volumes = _subset_function(points, reference, measure)
        parts = [volumes(members[start : start + rows][:, order]) for start in range(0, len(members), rows)]
    return _held(np.concatenate(parts), points, reference)


def set_hypervolumes(sets: np.ndarray, reference: np.ndarray, measure: Measure) -> np.ndarray:
    """Hypervolume of each of many small sets that share no points.

    Parameters
    ----------
    sets : ndarray of float64, shape (b, m, k)
        Costs.
    reference : ndarray of float64, shape (k,)
        The reference point.
    measure : Measure
        From :func:`choose_measure`.

    Returns
    -------
    ndarray of float64, shape (b,)

    Examples
    --------
    >>> sets, reference = np.array([[[1.0, 1.0], [3.0, 0.5]], [[2.0, 3.0], [5.0, 5.0]]]), np.array([4.0, 4.0])
    >>> set_hypervolumes(sets, reference, choose_measure(sets, reference))
    array([9.5, 2. ])
    """
    if measure.target is not None:
        return -measure.target.of_sets(sets)
    with np.errstate(over="ignore", invalid="ignore"):
        gaps = np.maximum(reference - sets, 0.0)
        gaps[(gaps == 0).any(axis=2)] = 0.0
        volumes = _set_volumes(gaps, reference, measure)
    return _held(volumes, sets.reshape(-1, sets.shape[2]), reference)


def _set_volumes(gaps: np.ndarray, reference: np.ndarray, measure: Measure) -> np.ndarray:
    k = gaps.shape[2]
    if gaps.shape[1] == 1:
        return gaps[:, 0, :].prod(axis=1)
    if k == 1:
        return gaps[:, :, 0].max(axis=1)
    if k == 2:
        return _staircases(gaps)
    if measure.exact:
        return np.array([_library(reference - each, reference) for each in gaps])
    return np.concatenate([approximate(each, seed=measure.seed) for each in gaps])


def approximate(gaps: np.ndarray, members: np.ndarray | None = None, *, seed: int = 0) -> np.ndarray:
    """Approximate hypervolumes by integrating in polar coordinates.

    The dominated region is star-shaped as seen from the reference point, so that its volume is the mean over
    directions of the k-th power of how far it reaches (Deng and Zhang, 2019). Here directions are uniform on the
    outer faces of a cube, whose sides are the set's largest gaps, rather than on a sphere: then the reach of a
    single point that dominates all others is the same in every direction, its volume is exact, and units have no
    influence.

    Parameters
    ----------
    gaps : ndarray of float64, shape (n, k), k >= 2
        How much better than the reference point each point is; zero throughout for points that are not.
    members : ndarray of bool, shape (b, n), optional
        Which points each subset holds; by default, one set of all points.
    seed : int
        Seed of the random shift of the directions.

    Returns
    -------
    ndarray of float64, shape (b,)

    References
    ----------
    Deng and Zhang, "Approximating hypervolume and hypervolume contributions using polar coordinate", IEEE
    Transactions on Evolutionary Computation 23 (2019), https://doi.org/10.1109/TEVC.2019.2895108.

    Examples
    --------
    >>> approximate(np.array([[2.0, 3.0, 4.0]])).round(9)
    array([24.])
    """
    loops = kernels(__name__)
    members = np.ones((1, len(gaps)), dtype=bool) if members is None else np.ascontiguousarray(members)
    gaps, reciprocals = np.ascontiguousarray(gaps), _reciprocal_directions(gaps.shape[1], seed)
    volumes = np.empty(len(members))
    n_numbers = len(members) * DIRECTIONS
    in_threads(
        lambda piece: loops.approximate_volumes(gaps, members, reciprocals, *piece, volumes),
        row_slices(len(members), n_numbers), n_numbers,
    )  # fmt: skip
    return volumes


def _held(volumes: np.ndarray, points: np.ndarray, reference: np.ndarray) -> np.ndarray:
    """Return hypervolumes that can be computed with; refuse larger and smaller ones for all verbs."""
    if (volumes <= LARGEST).all() and not _vanish(volumes, points, reference):
        return volumes
    with np.errstate(over="ignore", invalid="ignore"):
        widths = np.clip(reference - points.min(axis=0), 0.0, np.finfo(float).max)
    spans = " × ".join(f"{width:.2g}" for width in widths)
    if (volumes <= LARGEST).all():
        raise ValueError(
            f"the hypervolume is below {_SMALLEST_VOLUME:g}, the smallest supported value: the objectives span {spans} "
            f"up to the reference point. Rescale the narrowest objective, e.g. multiply it by {scale_up(widths.min())}."
        )
    power = 10.0 ** math.floor(math.log10(widths.max()))
    raise ValueError(
        f"the hypervolume exceeds {LARGEST:g}, the largest supported value: the objectives span "
        f"{spans} up to the reference point. Rescale the widest objective, "
        f"e.g. divide it by {power:.0e}."
    )


def _vanish(volumes: np.ndarray, points: np.ndarray, reference: np.ndarray) -> bool:
    """Whether points inside the reference point have no volume that can be computed with."""
    if volumes.max(initial=0.0) >= _SMALLEST_VOLUME:
        return False
    gaps = reference - points[(points < reference).all(axis=1)]
    return len(gaps) > 0 and float(np.log(gaps).sum(axis=1).max()) < math.log(_SMALLEST_VOLUME)


def scale_up(largest: float) -> str:
    """Return the power of ten that brings a small number to about one, as code.

    Examples
    --------
    >>> scale_up(3e-200), scale_up(5e-324)
    ('1e+200', '1e+300')
    """
    return f"{10.0 ** min(math.ceil(-math.log10(largest)), 300):.0e}"


def _approximation(seed: int) -> str:
    return f"approximated along {DIRECTIONS:,} directions, seed {seed}"


def _fronts_affordable(sides: Sequence[np.ndarray], reference: np.ndarray, largest: int) -> bool:
    k = len(reference)
    if exact_is_affordable(largest, k):
        return True
    insides = [side[(side < reference).all(axis=1)] for side in sides]
    return all(
        exact_is_affordable(int(nondominated(inside, keep="first").sum()), k) for inside in insides if len(inside)
    )


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
        return lambda members: approximate(reference - points, members, seed=measure.seed)
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
    from copa_nb.pareto.arrays.hypervolume_kernels import subset_volumes

    volumes = np.empty(len(members))
    subset_volumes(points, np.ascontiguousarray(reference), np.ascontiguousarray(members), volumes)
    return volumes


def _library(points: np.ndarray, reference: np.ndarray) -> float:
    return float(moocore.hypervolume(np.maximum(points, _LOWEST), ref=reference)) if len(points) else 0.0


@functools.lru_cache(maxsize=4)
def _reciprocal_directions(k: int, seed: int) -> np.ndarray:
    """One over the components of directions spread evenly over the outer faces of the unit cube.

    Returns
    -------
    ndarray of float64, shape (k, k, d)
        Face, component, direction. The component of a direction's own face is 1.
    """
    per_face = -(-DIRECTIONS // k)
    # A Kronecker sequence on the root of x ** k = x + 1 fills the cube of k - 1 dimensions evenly.
    root = 2.0
    for _ in range(64):
        root = (1 + root) ** (1 / k)
    shift = np.random.default_rng(seed).random(k - 1)
    evenly = (shift + np.arange(1, per_face * k + 1)[:, None] * root ** -np.arange(1.0, k)) % 1.0
    faces = evenly.reshape(per_face, k, k - 1).transpose(1, 2, 0)
    reciprocals = 1.0 / np.maximum(np.stack([np.insert(face, at, 1.0, axis=0) for at, face in enumerate(faces)]), 1e-12)
    reciprocals.setflags(write=False)
    return reciprocals
