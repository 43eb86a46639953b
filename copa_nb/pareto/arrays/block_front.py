"""Fronts of four objectives and more: whom a row has to be compared with, found by sets of bits.

Rows that lie near each other form blocks. Whether some row of a block may dominate a given row can be told
from the smallest rank of each objective in the block, and for all blocks at once: for each objective and
level there is a set, a bit to a block, of the blocks that hold a rank no worse. Where the sets of a row's
levels meet, a few blocks are left, whose rows are compared one by one. Where every row is on the front, the
hardest case, 10^5 rows of seven objectives take an eighth of the work of comparing them in lexicographic order.
"""

from __future__ import annotations

import numpy as np

from copa_nb.parallel import in_threads
from copa_nb.sorting import column_ranks

# Rows of a block: few, so that the smallest ranks say much of each of them; more where there are many blocks.
_LANES, _MORE_LANES = 8, 16
_ROWS_WORTH_MORE = 200_000
# Blocks whose sets are made at once, and levels of an objective: together they fit the processor's cache.
_BLOCKS_AT_ONCE = 8192
_LEVELS = 256
# Parts for the processors: more than there are, since rows differ in how long they take.
_PARTS = 8
_LARGEST_SMALL_SUM = np.iinfo(np.int32).max


def front_by_blocks(columns: np.ndarray, keep: str) -> np.ndarray:
    """Mark the rows that no other row dominates.

    Parameters
    ----------
    columns : ndarray of float64, shape (k, n)
        Costs without NaN, one objective after the other; infinite values are legal.
    keep : {"all", "first"}
        See :func:`copa_nb.pareto.arrays.dominance.nondominated`.

    Returns
    -------
    ndarray of bool, shape (n,)

    Examples
    --------
    >>> front_by_blocks(np.array([[1.0, 2.0, 2.0], [2.0, 1.0, 2.0]]), "all")
    array([ True,  True, False])
    """
    from copa_nb.pareto.arrays.block_kernels import drop_dominated, note_blocks

    n_objectives, n_rows = columns.shape
    ranks = np.empty(columns.shape, dtype=np.int32 if n_objectives * n_rows <= _LARGEST_SMALL_SUM else np.int64)

    def rank(k: int) -> None:
        ranks[k] = column_ranks(columns[k])

    in_threads(rank, range(n_objectives), columns.size)
    order = _neighbours_together(ranks)
    blocks, corners = _blocks(ranks, order)
    widths = np.full(n_objectives + 1, n_rows // _LEVELS + 1)
    widths[-1] = int(ranks.max(axis=1).sum(dtype=np.int64)) // _LEVELS + 1
    alive = np.ones(n_rows, dtype=bool)
    parts = [(n_rows * part // _PARTS, n_rows * (part + 1) // _PARTS) for part in range(_PARTS)]
    for first in range(0, len(blocks), _BLOCKS_AT_ONCE):
        last = min(first + _BLOCKS_AT_ONCE, len(blocks))
        sets = np.empty((n_objectives + 1, _LEVELS, -(-(last - first) // 64)), dtype=np.uint64)
        note_blocks(corners, first, last, widths, sets)

        def drop(part: tuple[int, int], first: int = first, sets: np.ndarray = sets) -> None:
            drop_dominated(blocks, first, sets, widths, keep == "all", *part, alive)

        # Many comparisons a number: threads pay long before they do for a single pass.
        in_threads(drop, parts, blocks.size * _LANES)
    mask = np.empty(n_rows, dtype=bool)
    mask[order] = alive
    return mask


def _neighbours_together(ranks: np.ndarray) -> np.ndarray:
    """Rows in the order of their interleaved ranks: ndarray of int64, shape (n,)."""
    from copa_nb.pareto.arrays.block_kernels import pack_places

    n_rows = ranks.shape[1]
    row_bits = max(1, (n_rows - 1).bit_length())
    # More cells than rows tell neighbours apart; beyond 64 bits only the first objectives have a say.
    leading = ranks[: 64 - row_bits]
    digits = min(row_bits // len(leading) + 2, row_bits, (64 - row_bits) // len(leading))
    keys = np.empty(n_rows, dtype=np.uint64)
    pack_places(leading, digits, row_bits - digits, np.uint64(row_bits), keys)
    keys.sort()
    return (keys & np.uint64(2**row_bits - 1)).astype(np.int64)


def _blocks(ranks: np.ndarray, order: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Blocks of shape (blocks, columns, lanes), and their corners of shape (blocks, columns)."""
    from copa_nb.pareto.arrays.block_kernels import fill_blocks

    lanes = _LANES if len(order) < _ROWS_WORTH_MORE else _MORE_LANES
    n_blocks = -(-len(order) // lanes)
    largest = np.iinfo(ranks.dtype).max
    blocks = np.full((n_blocks, len(ranks) + 1, lanes), largest, dtype=ranks.dtype)
    corners = np.full(blocks.shape[:2], largest, dtype=ranks.dtype)
    fill_blocks(ranks, order, blocks, corners)
    return blocks, corners
