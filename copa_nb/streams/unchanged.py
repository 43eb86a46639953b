"""Whether a source gives the same rows whenever it is read, from sums of what each pass has read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

# Text takes a hundred times as long as numbers: in tables with more rows, only numbers are compared.
_MOST_ROWS_WITH_TEXT = 200_000
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class RowSums:
    """Sums over rows that follow each other, which two passes over the same rows have in common.

    They depend neither on how the rows are cut into pieces nor on their order, because engines may give the rows of a
    query in any order. Where rows are numbered, the number is part of the row.

    Parameters
    ----------
    n_rows : int
        Rows.
    numbers : int
        Sum of the hashes of all numbers in a row, modulo 2⁶⁴.
    everything : int or None
        The same, with names and other text; None in tables with more than 200,000 rows.
    """

    n_rows: int
    numbers: int = 0
    everything: int | None = 0


def row_sums(frame: pd.DataFrame, start: int) -> RowSums:
    """Sum up the rows of a piece.

    Parameters
    ----------
    frame : DataFrame
        The piece.
    start : int
        Number of its first row in the table.
    """
    columns: list[Any] = [frame.index, *(frame.iloc[:, k] for k in range(frame.shape[1]))]
    hashes = np.zeros(len(frame), dtype=np.uint64)
    others: list[Any] = []
    for column in columns:
        if not isinstance(column, pd.MultiIndex) and column.dtype.kind in "iufb":
            # A column of integers has another dtype in pieces with missing values.
            values = pd.Series(column).to_numpy(dtype=np.float64, na_value=np.nan)
            hashes = _mixed(hashes, values.view(np.uint64))
        else:
            others.append(column)
    numbers = int(hashes.sum())
    if start >= _MOST_ROWS_WITH_TEXT:
        return RowSums(len(frame), numbers, None)
    for column in others:
        hashed = pd.util.hash_pandas_object(column, index=False, categorize=False)
        hashes = _mixed(hashes, hashed.to_numpy())
    return RowSums(len(frame), numbers, int(hashes.sum()))


def summed(parts: Iterable[RowSums]) -> RowSums:
    """Return the sums of several pieces together."""
    n_rows, numbers, everything = 0, 0, 0
    for part in parts:
        n_rows += part.n_rows
        numbers += part.numbers
        everything += part.everything or 0
    few = n_rows <= _MOST_ROWS_WITH_TEXT
    return RowSums(n_rows, numbers % 2**64, everything % 2**64 if few else None)


def _mixed(hashes: np.ndarray, bits: np.ndarray) -> np.ndarray:
    """Add one value to the hash of each row; products wrap around modulo 2⁶⁴."""
    mixed = hashes * np.uint64(31) + (bits ^ (bits >> np.uint64(32))) * _ODD
    mixed ^= mixed >> np.uint64(29)
    mixed *= _ODD
    return mixed ^ (mixed >> np.uint64(32))
