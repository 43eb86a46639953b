"""Union-free generic depth where there are too many generic sets to enumerate, and how long enumerating takes.

Sets are drawn by size k with probability proportional to their weight, the product of the members' shares.
All sets of size k together weigh the elementary symmetric polynomial e_k of the shares, at most 1 / k!, so
that large sets hardly count and their share of the error is known.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import partial
from math import comb, lgamma
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from copa_nb import text
from copa_nb.arrays.parallel import processors
from copa_nb.partial_orders.arrays.ufg import Problem, exact_depth

_CHUNK = 8192
_NEGLIGIBLE = 1e-7
_LARGEST_SIZE = 40
# The time per set is measured for so long, or on such a share of the forecast number of sets if that is less.
_MEASURED_SECONDS = 0.2
_MEASURED_SHARE = 0.1


@dataclass(frozen=True)
class UfgEstimate:
    """Estimated depths.

    Parameters
    ----------
    depth, low, high : ndarray of float64, shape (n_targets,)
        Estimate and the ends of its confidence interval.
    constant : float
        Estimated weight of all generic sets.
    n_generic : float
        Estimated number of distinct generic sets of the sizes looked at.
    exact_card : int
        Sets up to this size were enumerated, not sampled.
    largest_card : int
        Sets beyond this size were left out.
    left_out : float
        Upper bound of the weight of what was left out, over `constant`; part of the intervals.
    n_samples : int
        Sets drawn.
    """

    depth: np.ndarray
    low: np.ndarray
    high: np.ndarray
    constant: float
    n_generic: float
    exact_card: int
    largest_card: int
    left_out: float
    n_samples: int


@dataclass(frozen=True)
class Effort:
    """What an exact run would cost.

    Parameters
    ----------
    n_sets : float
        Sets the enumeration will visit.
    seconds : float
        Time on all cores of this machine if nothing else runs on it.
    sets_by_size : ndarray of float64, shape (largest + 1,)
        Sets by size.
    """

    n_sets: float
    seconds: float
    sets_by_size: np.ndarray

    def explain(self) -> str:
        """Say in a sentence what an exact run would cost.

        Examples
        --------
        >>> Effort(n_sets=12_345.6, seconds=90.0, sets_by_size=np.array([1.0])).explain()
        'An exact run is expected to visit 12,346 sets in 90 seconds.'
        """
        time_taken = text.duration(self.seconds) if self.seconds >= 1.5 else "at most two seconds"
        return f"An exact run is expected to visit {self.n_sets:,.0f} sets in {time_taken}."


class _Draws(NamedTuple):
    """A unit of work: random sets of one size, from a stream of their own."""

    size: int
    n_sets: int
    rng: np.random.Generator


class _Counts(NamedTuple):
    """The result of a unit of work: generic sets, and those that hold each candidate, shape (n_candidates,)."""

    generic: int
    inside: np.ndarray


def sampled_depth(
    problem: Problem,
    rng: np.random.Generator,
    *,
    n_samples: int = 100_000,
    max_card: int | None = None,
    confidence_level: float = 0.95,
    map_units: Callable[[Callable[[Any], Any], list[Any]], Iterable[Any]] = map,
) -> UfgEstimate:
    """Estimate depths from random sets: small sizes exactly, larger ones by stratified sampling.

    Parameters
    ----------
    problem : Problem
    rng : Generator
    n_samples : int
        Sets to draw; as many may be enumerated for the small sizes.
    max_card : int, optional
        Leave out larger sets.
    confidence_level : float
        Coverage of each interval (normal approximation of the ratio's error, plus the bound on what was left
        out).
    map_units : callable
        Applies a function to every unit of work and gives the results in their order, as the built-in does, which
        runs them one after another. Both can be pickled, and neither changes anything outside itself. Every unit
        has its own random stream, so that the answer does not depend on where they run.

    Returns
    -------
    UfgEstimate
    """
    n = problem.n_distinct
    limit = min(problem.largest, _LARGEST_SIZE if max_card is None else max_card)
    symmetric = _symmetric_polynomials(problem.weights, limit)
    totals = symmetric[0]
    exact_card = 2
    while exact_card < limit and sum(comb(n, k) for k in range(2, exact_card + 2)) <= n_samples:
        exact_card += 1
    small = exact_depth(problem, max_card=exact_card)
    constant = small.constant
    by_candidate = np.zeros(problem.n_candidates)
    is_candidate = problem.candidate_of >= 0
    by_candidate[problem.candidate_of[is_candidate]] = small.depth[is_candidate] * constant

    sizes = [k for k in range(exact_card + 1, limit + 1) if totals[k:].sum() > _NEGLIGIBLE * totals[2]]
    units = _units(sizes, totals, n_samples, rng)
    counts = list(map_units(partial(_judge, problem=problem, symmetric=symmetric), units))
    strata = []
    n_generic = float(small.n_generic)
    for size in sizes:
        of_size = [number for number, unit in enumerate(units) if unit.size == size]
        drawn = sum(units[number].n_sets for number in of_size)
        share = sum(counts[number].generic for number in of_size) / drawn
        held = np.sum([counts[number].inside for number in of_size], axis=0) / drawn
        strata.append((totals[size], drawn, share, held))
        constant += totals[size] * share
        by_candidate += totals[size] * held
        n_generic += comb(n, size) * share
    depth = by_candidate / constant if constant > 0 else by_candidate
    variance = np.zeros_like(depth)
    for total, drawn, share, held in strata:
        # Linearised ratio: a generic set counts 1 - depth if it holds the target, else -depth.
        second = held * (1 - depth) ** 2 + (share - held) * depth**2
        variance += total**2 * (second - (held - depth * share) ** 2) / drawn
    tail = float(totals[(sizes[-1] if sizes else exact_card) + 1 :].sum()) if max_card is None else 0.0
    if max_card is None and limit < problem.largest:
        # All sets of size k weigh at most 1 / k!, and those factorials add up to less than twice the first.
        tail += 2.0 / np.exp(lgamma(limit + 2))
    left_out = tail / constant if constant > 0 else 0.0
    margin = (
        NormalDist().inv_cdf(0.5 + confidence_level / 2) * np.sqrt(variance.clip(min=0)) / max(constant, 1e-300)
        + left_out
    )
    return UfgEstimate(
        depth=problem.by_target(depth),
        low=problem.by_target((depth - margin).clip(min=0)),
        high=problem.by_target((depth + margin).clip(max=1)),
        constant=float(constant),
        n_generic=n_generic,
        exact_card=exact_card,
        largest_card=sizes[-1] if sizes else exact_card,
        left_out=left_out,
        n_samples=sum(unit.n_sets for unit in units),
    )


def forecast(
    problem: Problem, rng: np.random.Generator, *, max_card: int | None = None, n_chains: int = 1000
) -> Effort:
    """Estimate how many sets an exact run visits and how long it takes, in a fraction of a second.

    The number comes from random chains of sets, without bias; the time per set is measured on a few thousand
    sets of random branches.

    Parameters
    ----------
    problem : Problem
        The targets do not change the forecast much.
    rng : Generator
    max_card : int, optional
        As for the run.
    n_chains : int
        Random chains.

    Returns
    -------
    Effort
    """
    loops = problem.loops
    card = problem.largest if max_card is None else min(max_card, problem.largest)
    by_size = np.zeros(card + 1)
    if card < 2:
        return Effort(0.0, 0.0, by_size)
    choices = np.zeros(card, dtype=np.int64)
    visited = np.zeros(card + 1, dtype=bool)
    logs = np.array([lgamma(k + 1) for k in range(card + 1)])
    observed = problem.observed
    for _ in range(n_chains):
        reached = loops.grow_chain(rng.random(card), observed, problem.space(card), choices, visited)
        orders = np.exp(np.cumsum(np.log(choices[:reached])) - logs[1 : reached + 1])
        by_size[1 : reached + 1] += np.where(visited[1 : reached + 1], orders, 0.0) / n_chains
    by_size[:2] = 0.0
    n_sets = float(by_size.sum())
    return Effort(n_sets, n_sets * _seconds_per_set(problem, rng, card, n_sets) / processors(), by_size)


def _seconds_per_set(problem: Problem, rng: np.random.Generator, card: int, n_sets: float) -> float:
    loops = problem.loops
    n = problem.n_distinct
    observed = problem.observed
    sums = np.zeros(problem.n_candidates), np.zeros(card + 1, dtype=np.int64), np.zeros(card + 1)
    stop, work = np.zeros(1, dtype=np.uint8), np.zeros(1, dtype=np.int64)
    seconds = 0.0
    # The first call compiles the search, or loads it, which says nothing of what a set costs.
    warm = False
    # A forecast of a short run may not take longer than the run.
    while not seconds or (seconds < _MEASURED_SECONDS and work[0] < _MEASURED_SHARE * n_sets):
        first, second = np.sort(rng.choice(n, size=2, replace=False))
        space = problem.space(card)
        begin = time.thread_time()
        loops.enumerate_branch(
            first, second, second + 1, observed, space, problem.weights, card, stop, *sums, work, 2000
        )
        if warm:
            seconds += time.thread_time() - begin
        else:
            warm, work[0] = True, 0
    return seconds / int(work[0])


def _symmetric_polynomials(weights: np.ndarray, largest: int) -> np.ndarray:
    """Weight of all sets of each size within each tail: row i, column k is e_k(weights[i:])."""
    table = np.zeros((len(weights) + 1, largest + 1))
    table[:, 0] = 1.0
    for i in range(len(weights) - 1, -1, -1):
        table[i, 1:] = table[i + 1, 1:] + weights[i] * table[i + 1, :-1]
    return table


def _units(sizes: list[int], totals: np.ndarray, n_samples: int, rng: np.random.Generator) -> list[_Draws]:
    counts = []
    whole = sum(totals[size] for size in sizes)
    for size in sizes:
        left = max(256, round(n_samples * totals[size] / whole))
        while left > 0:
            counts.append((size, min(left, _CHUNK)))
            left -= _CHUNK
    streams = rng.spawn(len(counts))
    return [_Draws(size, count, stream) for (size, count), stream in zip(counts, streams, strict=True)]


def _judge(unit: _Draws, problem: Problem, symmetric: np.ndarray) -> _Counts:
    loops = problem.loops
    chosen = _draw(problem.weights, symmetric, unit.size, unit.n_sets, unit.rng)
    inside = np.zeros(problem.n_candidates, dtype=np.int64)
    never_stopped = np.zeros(1, dtype=np.uint8)
    return _Counts(loops.judge_sets(chosen, problem.observed, problem.space(unit.size), never_stopped, inside), inside)


def _draw(weights: np.ndarray, symmetric: np.ndarray, size: int, count: int, rng: np.random.Generator) -> np.ndarray:
    """Draw sets of one size with probability proportional to the product of their weights."""
    chosen = np.empty((count, size), dtype=np.int64)
    missing = np.full(count, size)
    for i in range(len(weights)):
        open_ = np.flatnonzero(missing > 0)
        k = missing[open_]
        probability = weights[i] * symmetric[i + 1, k - 1] / symmetric[i, k]
        taken = open_[rng.random(len(open_)) < probability]
        chosen[taken, size - missing[taken]] = i
        missing[taken] -= 1
    return chosen
