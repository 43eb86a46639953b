"""Tables that are several times as large: what was measured, and simulated further items or runs of the same kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from copa_nb.comparisons.arrays.incomplete import adjusted_means
from copa_nb.comparisons.arrays.shrinkage import true_means
from copa_nb.comparisons.measurements import Measurements


def enlarged(read: Measurements, times: int, rng: np.random.Generator) -> Measurements:
    """Add simulated items, runs or precision, so that there is `times` as much of it as was measured.

    What was measured stays. True means are drawn given the measured ones, which are further apart than the truth.
    Further items (whole clusters where there are clusters) are drawn from those at hand and moved to these means.

    Parameters
    ----------
    read : Measurements
    times : int
        At least 2.
    rng : Generator
    """
    if read.items is not None:
        return _with_items(read, read.items, times, rng)
    if read.runs is not None:
        return _with_runs(read, read.runs, times, rng)
    if read.means is None or read.errors is None:
        raise ValueError(f"further items are drawn from those that are known, and {read.missing_items}")
    truth = np.column_stack(
        [true_means(*pair, rng) for pair in zip(read.means.T, map(np.diag, read.errors.T), strict=True)]
    )
    further = truth + rng.standard_normal(truth.shape) * read.errors / np.sqrt(times - 1)
    return replace(
        read,
        means=(read.means + (times - 1) * further) / times,
        errors=read.errors / np.sqrt(times),
        counts=None if read.counts is None else read.counts.times(times),
    )


def _with_items(read: Measurements, items: np.ndarray, times: int, rng: np.random.Generator) -> Measurements:
    clusters = np.arange(len(items)) if read.clusters is None else read.clusters
    members = np.split(np.argsort(clusters, kind="stable"), np.cumsum(np.bincount(clusters))[:-1])
    moves = np.zeros(items.shape[2:])
    for k, name in enumerate(read.objectives.names):
        if name not in read.known:
            means, noise = _of_items(items[..., k].mean(axis=1), clusters)
            moves[:, k] = true_means(means, noise, rng) - means
    drawn = rng.integers(0, len(members), size=(times - 1) * len(members))
    rows = np.concatenate([members[one] for one in drawn])
    numbers = np.repeat(np.arange(len(drawn)), [len(members[one]) for one in drawn]) + len(members)
    return replace(
        read,
        items=np.concatenate([items, items[rows] + moves]),
        clusters=None if read.clusters is None else np.concatenate([clusters, numbers]),
        groupings=(),
    )


def _of_items(scores: np.ndarray, clusters: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Means of systems over items, some of which may be missing, and the noise that each cluster adds to them."""
    means = adjusted_means(scores)
    rest = scores - means
    rest = np.nan_to_num(rest - np.nanmean(rest, axis=1, keepdims=True))
    n_units = int(clusters.max()) + 1
    sums = np.zeros((n_units, scores.shape[1]))
    np.add.at(sums, clusters, rest)
    return means, sums / (~np.isnan(scores)).sum(axis=0) * np.sqrt(n_units / max(n_units - 1, 1))


def _with_runs(read: Measurements, runs: list[np.ndarray], times: int, rng: np.random.Generator) -> Measurements:
    means = np.array([costs.mean(axis=0) for costs in runs])
    errors = np.array([costs.std(axis=0, ddof=1) / np.sqrt(len(costs)) for costs in runs])
    moves = np.zeros(means.shape)
    for k, name in enumerate(read.objectives.names):
        if name not in read.known:
            moves[:, k] = true_means(means[:, k], np.diag(errors[:, k]), rng) - means[:, k]
    more = [
        np.concatenate([costs, costs[rng.integers(0, len(costs), size=(times - 1) * len(costs))] + move])
        for costs, move in zip(runs, moves, strict=True)
    ]
    return replace(read, runs=more)
