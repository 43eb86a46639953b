"""A table of a result as reports print it: with a name, a caption and what its columns are called."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pandas as pd


@dataclass(frozen=True, kw_only=True)
class PrintedTable:
    """A table of a result as reports print it.

    Parameters
    ----------
    frame : DataFrame
        What to print; a named or labeled index becomes the first columns.
    name : str
        File name without extension.
    caption : str
        What the table contains: never what was found.
    headers : dict of column to str
        What columns are called in place of their names.
    digits : int
        Significant digits at most.
    decimals : int, optional
        Decimals of every number that is not an integer, in place of `digits`.
    most : int
        Rows on the page; files have all of them.
    folded : bool
        Whether the page shows only the caption until its reader opens the table.
    """

    frame: pd.DataFrame
    name: str
    caption: str
    headers: Mapping[Any, str] = field(default_factory=dict)
    digits: int = 3
    decimals: int | None = None
    most: int = 25
    folded: bool = False


def first_columns(table: pd.DataFrame, *names: str) -> pd.DataFrame:
    """Return a table with some columns right after the names of its rows, where no screen cuts them off.

    Examples
    --------
    >>> first_columns(pd.DataFrame({"mean": [0.5], "verdict": ["better"]}), "verdict").columns.tolist()
    ['verdict', 'mean']
    """
    return table[[*names, *(name for name in table.columns if name not in names)]]
