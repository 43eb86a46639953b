"""The passes of ``uncertainty_kernels.py`` in numpy, for environments without a compiler.

Arguments are the same; numbers that are missing never count as larger.
"""

from __future__ import annotations

import numpy as np

# Numbers of an intermediate result, so that it stays in the processor's cache.
_NUMBERS_AT_ONCE = 1 << 17


def count_fronts(draws: np.ndarray, start: int, stop: int, counts: np.ndarray) -> None:
    """Add to `counts`, shape (systems,), in how many draws nothing dominates each system."""
    for part in _parts(start, stop, draws[0].size):
        these = draws[part]
        for i in range(these.shape[2]):
            one = these[:, :, [i]]
            dominates = np.logical_and((these <= one).all(axis=1), (these < one).any(axis=1))
            counts[i] += len(these) - np.count_nonzero(np.any(dominates, axis=1))


def largest_squares(
    errors: np.ndarray, against: np.ndarray, weights: np.ndarray, start: int, stop: int, largest: np.ndarray
) -> None:
    """Write the largest squared statistic of each draw to `largest`."""
    n_objectives, n_better, n_worse = weights.shape
    for part in _parts(start, stop, n_worse):
        most = np.zeros((part.stop - part.start, n_worse))
        for k in range(n_objectives):
            for i in range(n_better):
                error = np.fmax(errors[part, k] - against[part, k, i, None], 0.0)
                np.fmax(most, error * error * weights[k, i], out=most)
        largest[part] = most.max(axis=1)


def largest_squares_of_pairs(
    products: np.ndarray, weights: np.ndarray, offset: int, largest: np.ndarray, places: np.ndarray
) -> None:
    """Raise `largest`, shape (draws,), to the largest squared statistic of each draw in one objective."""
    n = products.shape[1]
    first, second = np.tril_indices(n, -1)
    if not len(first):
        return
    for part in _parts(0, len(products), n * n):
        errors = products[part, first, second] - products[part, second, first]
        forward = errors > 0.0
        squares = errors * errors * np.where(forward, weights[first, second], weights[second, first])
        pair = squares.argmax(axis=1)
        each = np.arange(len(pair))
        one, other = first[pair], second[pair]
        place = offset + np.where(forward[each, pair], one * n + other, other * n + one)
        raised = squares[each, pair] > largest[part]
        largest[part][raised] = squares[each, pair][raised]
        places[part][raised] = place[raised]


def _parts(start: int, stop: int, numbers_of_one: int) -> list[slice]:
    """Cut draws into parts that are small enough to be worked on at once."""
    size = max(1, _NUMBERS_AT_ONCE // max(1, numbers_of_one))
    return [slice(begin, min(begin + size, stop)) for begin in range(start, stop, size)]
