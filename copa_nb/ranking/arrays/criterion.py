"""COPA's criterion, a weighted p-norm of comparable objectives, and which row wins under it.

The criterion is (Σ |w_k u_k|^p)^(1/p) with the weights inside the power, p in [1, inf] (paper, equations 10 and 11).
With p = inf, or with a zero weight, several rows can share the smallest value although one dominates another. Three
keys, compared one after the other, break such ties: the criterion, its value at p = 1, and the sum of unweighted
ranks. A row that dominates another is no worse in the first two and strictly better in the third, so the winner is
Pareto-optimal.

:func:`winners`, :func:`winner_of_each` for many tables and :func:`winners_along` for many weight vectors, which passes
over the rows that cannot win, compare these keys in one place; :func:`best_to_worst` ranks every row by them.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator

import numpy as np

from copa_nb.arrays.compiled import compiled_pays
from copa_nb.arrays.parallel import in_threads, row_slices
from copa_nb.arrays.sorting import PackedKeys, sorted_keys
from copa_nb.ranking.arrays.ranks import Placed

# Values that agree up to this many of their 53 binary digits count as tied: (w u)^p sums differ in the last
# digits with the order of the objectives, which must not decide.
LOOSE_BITS = 13
# Rows at a time, so that intermediate results stay in the processor's cache.
_ROWS_AT_ONCE = 1 << 14
# Numbers by which rows are ordered.
_COMPARED = 3
# Up to this order, powers of values between 0 and 1 can be summed; beyond it the largest term stands for the sum.
LARGEST_POWER = 16.0
# Rows so near to the smallest value may win: far wider than rounding, and than the digits that count as a tie.
RELATIVE_MARGIN = 1e-9
UNDERFLOW = 1e-250
# Values of the criterion that are held at a time, where many weight vectors are tried.
_CHUNK_ELEMENTS = 1 << 16


def weighted_norm(normalized: Placed, weights: np.ndarray, p: float) -> np.ndarray:
    """Evaluate the criterion for every row.

    Parameters
    ----------
    normalized : ndarray of float64 or RankShares, shape (n, k)
        Objectives on a common scale, 0 best. Negative values, which occur relative to a reference row,
        are legal for p = 1 (a signed sum) and p = inf (a signed maximum).
    weights : ndarray of float64, shape (k,)
        Non-negative, summing to 1.
    p : float
        Order of the norm, 1 <= p <= inf.

    Returns
    -------
    ndarray of float64, shape (n,)

    Examples
    --------
    >>> u = np.array([[0.0, 0.8], [0.4, 0.4]])
    >>> weighted_norm(u, np.array([0.5, 0.5]), np.inf)
    array([0.4, 0.2])
    >>> weighted_norm(u, np.array([0.5, 0.5]), 1)
    array([0.4, 0.4])
    """
    norms = np.empty(len(normalized))

    def evaluate(rows: slice) -> None:
        norms[rows] = _norm(_products(normalized[rows], weights), p)

    _by_rows(len(normalized), normalized.size, evaluate)
    return norms


def _by_rows(n_rows: int, n_numbers: int, evaluate: Callable[[slice], None]) -> None:
    """Evaluate a few rows at a time, on all processors if there are many."""
    if n_rows <= _ROWS_AT_ONCE:
        evaluate(slice(0, n_rows))
        return

    def run(piece: tuple[int, int]) -> None:
        for start in range(*piece, _ROWS_AT_ONCE):
            evaluate(slice(start, min(start + _ROWS_AT_ONCE, piece[1])))

    in_threads(run, row_slices(n_rows, n_numbers), n_numbers)


def _products(normalized: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Weighted values, of shape (objectives that count, rows)."""
    # A zero weight must hide its objective altogether, also where it is infinite.
    active = weights > 0
    columns = normalized.T if active.all() else normalized.T[active]
    # One objective after the other: the sum of a row then never depends on how the array lies in memory.
    return np.multiply(columns, weights[active][:, None], out=np.empty(columns.shape))


def _norm(products: np.ndarray, p: float) -> np.ndarray:
    if p == 1:
        with np.errstate(invalid="ignore"):
            total: np.ndarray = products.sum(axis=0)
        if np.isnan(total).any():
            raise ValueError(
                "objectives that are infinitely good and infinitely bad in the same row have no sum; use "
                'normalize="cdf", which only needs their order.'
            )
        return total
    largest: np.ndarray = products.max(axis=0)
    if np.isinf(p):
        return largest
    if products.size and products.min() < 0:
        raise ValueError(
            f"`p` is {p:g}, but some objectives are better than the reference (negative), where a p-norm has no "
            'meaning; use p=1 or p="inf", or a normalization relative to the ideal.'
        )
    # Dividing by the largest term keeps high powers from vanishing or overflowing; beside an infinite one they may.
    safe = np.where((largest > 0) & np.isfinite(largest), largest, 1.0)
    with np.errstate(over="ignore"):
        powers = (products / safe) ** p
    norm: np.ndarray = safe * powers.sum(axis=0) ** (1.0 / p)
    return norm


def tie_key(values: np.ndarray) -> np.ndarray:
    """Round to the digits that decide; monotone, and independent of the other rows.

    Examples
    --------
    >>> bool(tie_key(np.array([0.1 + 0.2]))[0] == tie_key(np.array([0.3]))[0])
    True
    """
    # The bits of a float, below its sign, are ordered as its magnitude is: round them, half to even.
    bits = np.ascontiguousarray(values, dtype=np.float64).view(np.uint64)
    half = np.uint64((1 << (LOOSE_BITS - 1)) - 1)
    rounded = (bits >> np.uint64(LOOSE_BITS)) & np.uint64(1)
    rounded += bits
    rounded += half
    rounded &= ~np.uint64((1 << LOOSE_BITS) - 1)
    return rounded.view(np.float64)


def winners(normalized: np.ndarray, weights: np.ndarray, p: float, rank_sums: np.ndarray) -> np.ndarray:
    """Find the rows that win: usually one, more if they tie on all three keys.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Objectives of the candidates on a common scale.
    weights, p
        As in :func:`weighted_norm`.
    rank_sums : ndarray of int64, shape (n,)
        Sum over objectives of each candidate's rank in its own table.

    Returns
    -------
    ndarray of int64
        Positions, ascending.
    """
    rows = np.arange(len(normalized))
    return _of_smallest_keys(rows, np.zeros_like(rows), p, rank_sums, _norm_of_rows(normalized, weights))[0]


def winner_of_each(
    tables: np.ndarray, weights: np.ndarray, p: float, rank_sums: np.ndarray, *, in_turn: bool = False
) -> np.ndarray:
    """Find the winner of each of many tables of the same rows, such as resamples.

    Parameters
    ----------
    tables : ndarray of float64, shape (b, n, k)
        Objectives of the candidates on the scale of each table.
    weights, p
        As in :func:`winners`.
    rank_sums : ndarray of int64, shape (n,) or (b, n)
        As in :func:`winners`; the same for all tables, or one row for each.
    in_turn : bool
        Whether rows that tie for a table are chosen in turn, from table to table, instead of always the first.

    Returns
    -------
    ndarray of int64, shape (b,)
        A winner of each table.

    Examples
    --------
    >>> u = np.array([[0.0, 0.8], [0.4, 0.4]])
    >>> winner_of_each(np.array([u, u[::-1]]), np.array([0.5, 0.5]), np.inf, np.array([1, 2]))
    array([1, 0])
    """
    count, n, k = tables.shape
    norm = _norm_of_rows(tables.reshape(-1, k), weights)
    rows = np.arange(count * n)
    sums = np.broadcast_to(rank_sums, (count, n)).ravel()
    rows, steps = _of_smallest_keys(rows, rows // n, p, sums, norm)
    chosen = _first_of_each(steps)
    if in_turn:
        chosen = chosen + np.arange(count) % np.diff(chosen, append=len(rows))
    return rows[chosen] % n


def _norm_of_rows(normalized: np.ndarray, weights: np.ndarray) -> Callable[..., np.ndarray]:
    """The norm under one weight vector, as :func:`_of_smallest_keys` takes it."""

    def norm(rows: np.ndarray, steps: np.ndarray, order: float) -> np.ndarray:
        return weighted_norm(normalized if len(rows) == len(normalized) else normalized[rows], weights, order)

    return norm


def _of_smallest_keys(
    rows: np.ndarray, steps: np.ndarray, p: float, rank_sums: np.ndarray, norm: Callable[..., np.ndarray]
) -> tuple[np.ndarray, np.ndarray]:
    """Keep the rows that win, for many weight vectors or tables at once.

    Parameters
    ----------
    rows, steps : ndarray of int64, shape (q,)
        Pairs of a row and the number of a weight vector or table, in the order of the latter.
    p, rank_sums
        As in :func:`winners`.
    norm : callable
        ``norm(rows, steps, order)`` evaluates the norm of that order for such pairs.
    """
    for order in (p, 1.0, None):
        key = rank_sums[rows] if order is None else tie_key(norm(rows, steps, order))
        starts = _first_of_each(steps)
        smallest = np.minimum.reduceat(key, starts)
        keep = key == (smallest[0] if len(starts) == 1 else np.repeat(smallest, np.diff(starts, append=len(rows))))
        rows, steps = rows[keep], steps[keep]
        if len(rows) == len(starts):
            break
    return rows, steps


def _first_of_each(steps: np.ndarray) -> np.ndarray:
    """Positions at which ascending numbers rise."""
    return np.flatnonzero(np.concatenate(([True], steps[1:] != steps[:-1])))


def winners_along(normalized: np.ndarray, weights: np.ndarray, p: float, rank_sums: np.ndarray) -> np.ndarray:
    """Find the winner under each of many weight vectors.

    The criterion of every row under every weight vector is evaluated in a form that is quick and need not be exact in
    the last digits; :func:`winners` judges the few rows that come near the smallest value.

    Parameters
    ----------
    normalized : ndarray of float64, shape (n, k)
        Objectives of the candidates on a common scale, 0 best.
    weights : ndarray of float64, shape (m, k)
        Weight vectors, each summing to 1.
    p, rank_sums
        As in :func:`winners`.

    Returns
    -------
    ndarray of int64, shape (m,)
        The first winner under each weight vector.

    Examples
    --------
    >>> u = np.array([[0.0, 0.8], [0.4, 0.4], [0.8, 0.0]])
    >>> winners_along(u, np.array([[0.9, 0.1], [0.5, 0.5]]), np.inf, np.array([1, 2, 1]))
    array([0, 1])
    """
    lowest, highest = normalized.min(), normalized.max()
    if lowest < 0 or not np.isfinite(highest):
        # Quick sums could mislead.
        return np.array([winners(normalized, one, p, rank_sums)[0] for one in weights], dtype=np.int64)
    chosen = np.empty(len(weights), dtype=np.int64)
    undecided: list[tuple[int, np.ndarray]] = []
    held = 0
    for step, near in _close_calls(normalized, weights, p, chosen):
        undecided.append((step, near))
        held += len(near)
        if held > _CHUNK_ELEMENTS:
            _decide(normalized, weights, p, rank_sums, undecided, chosen)
            undecided, held = [], 0
    if undecided:
        _decide(normalized, weights, p, rank_sums, undecided, chosen)
    return chosen


def _decide(
    normalized: np.ndarray,
    weights: np.ndarray,
    p: float,
    rank_sums: np.ndarray,
    undecided: list[tuple[int, np.ndarray]],
    chosen: np.ndarray,
) -> None:
    """Fill in the winners under weight vectors, each with the rows that may win."""

    def norm(rows: np.ndarray, steps: np.ndarray, order: float) -> np.ndarray:
        return _norm(np.ascontiguousarray(normalized[rows].T) * weights[steps].T, order)

    steps = np.repeat([step for step, _ in undecided], [len(near) for _, near in undecided])
    rows, steps = _of_smallest_keys(np.concatenate([near for _, near in undecided]), steps, p, rank_sums, norm)
    first = _first_of_each(steps)
    chosen[steps[first]] = rows[first]


def _close_calls(
    normalized: np.ndarray, weights: np.ndarray, p: float, chosen: np.ndarray
) -> Iterator[tuple[int, np.ndarray]]:
    """Fill in the winners that are clear; yield the other weight vectors, by number, with the rows that may win."""
    columns, largest = np.ascontiguousarray(normalized.T), normalized.max()
    maximum, factor = p > LARGEST_POWER, 1.0 + RELATIVE_MARGIN
    if maximum:
        # The norm is at least its largest term and at most k^(1/p) times it.
        factor *= len(columns) ** (1.0 / p)
    elif p > 1:
        columns, weights = (columns / largest if largest > 0 else columns) ** p, weights**p
        factor += (p - 1.0) * RELATIVE_MARGIN
    return _judge(columns, weights, maximum, factor, chosen)


def _judge(
    columns: np.ndarray, weights: np.ndarray, maximum: bool, factor: float, chosen: np.ndarray
) -> Iterator[tuple[int, np.ndarray]]:
    """Take the row whose largest weighted cost (or sum of them) is smallest, if no other comes near."""
    steps = max(1, _CHUNK_ELEMENTS // columns.shape[1])
    for start in range(0, len(weights), steps):
        part = weights[start : start + steps]
        values = largest_products(part, columns) if maximum else part @ columns
        smallest = values.argmin(axis=1)
        each = np.arange(len(part))
        limits = values[each, smallest] * factor + UNDERFLOW
        chosen[start : start + steps] = smallest
        # The smallest but one tells whether any other row comes near.
        values[each, smallest] = np.inf
        for step in np.flatnonzero(values.min(axis=1) <= limits).tolist():
            values[step, smallest[step]] = 0.0
            yield start + step, np.flatnonzero(values[step] <= limits[step])


def largest_products(weights: np.ndarray, columns: np.ndarray) -> np.ndarray:
    """Largest weighted objective for weights of shape (m, k) and objectives of shape (k, n): shape (m, n)."""
    largest = np.multiply.outer(weights[:, 0], columns[0])
    for k in range(1, len(columns)):
        np.maximum(largest, np.multiply.outer(weights[:, k], columns[k]), out=largest)
    return largest


def best_to_worst(
    normalized: Placed, weights: np.ndarray, p: float, rank_sums: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Rank every row by the three keys: 1 for the best; rows that tie on all keys share the lowest rank.

    Returns
    -------
    scores : ndarray of float64, shape (n,)
        The criterion.
    positions : ndarray of int64, shape (n,)
        Rows from best to worst.
    ranks : ndarray of int64, shape (n,)
        Their ranks, which ascend.

    Examples
    --------
    >>> u = np.array([[0.5, 0.5], [0.0, 0.5], [0.9, 0.1]])
    >>> scores, positions, ranks = best_to_worst(u, np.array([0.5, 0.5]), np.inf, np.array([2, 1, 2]))
    >>> scores[positions], ranks
    (array([0.25, 0.25, 0.45]), array([1, 2, 3]))
    """
    scores, first, second = (np.empty(len(normalized)) for _ in range(3))

    def evaluate(rows: slice) -> None:
        products = _products(normalized[rows], weights)
        scores[rows] = _norm(products, p)
        first[rows] = tie_key(scores[rows])
        second[rows] = first[rows] if p == 1 else tie_key(_norm(products, 1.0))

    _by_rows(len(normalized), normalized.size, evaluate)
    if compiled_pays(len(scores)):
        return scores, *_sorted_by_compiled(first, second, rank_sums)
    positions = np.lexsort((rank_sums, second, first))
    differs = np.zeros(len(positions), dtype=bool)
    for key in (first, second, rank_sums):
        ordered = key[positions]
        differs[1:] |= ordered[1:] != ordered[:-1]
    return scores, positions, np.maximum.accumulate(np.where(differs, np.arange(len(positions)), 0)) + 1


def _sorted_by_compiled(first: np.ndarray, second: np.ndarray, third: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Positions and ranks in order: one fast sort by the first key, then only ties are compared further.

    Uses `first` up.
    """
    from copa_nb.arrays.sorting_kernels import rank_packed, ranks_of_keys, sort_ties

    packed = sorted_keys(first)
    if packed.lost_bits <= LOOSE_BITS:  # which are empty in every key
        # Each key has been read when its place is written to: a large table has no room to spare.
        positions, ranks = first.view(np.int64), packed.keys.view(np.int64)
        row_bits = np.uint64(packed.row_bits)

        def rank_piece(piece: tuple[int, int]) -> None:
            rank_packed(packed.keys, row_bits, second, third, *piece, positions, ranks)

        in_threads(rank_piece, _whole_runs(packed), _COMPARED * len(first))
        return positions, ranks
    positions = np.argsort(first)
    ranks = np.empty(len(first), dtype=np.int64)
    sort_ties(positions, first, second, third)
    ranks_of_keys(positions, first, second, third, ranks)
    return positions, ranks


def _whole_runs(packed: PackedKeys) -> list[tuple[int, int]]:
    """Cut sorted keys into one piece per processor, none of them within a run of equal numbers."""
    keys, rows = packed.keys, np.uint64((1 << packed.row_bits) - 1)
    pieces = row_slices(len(keys), _COMPARED * len(keys))
    ends = [int(np.searchsorted(keys, keys[stop - 1] | rows, side="right")) for _, stop in pieces]
    return list(itertools.pairwise([0, *ends]))
