"""The tables that come with the package, by name: what notebooks show before a table of one's own is named."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from copa_nb import checks, datasets
from copa_nb.sources.formats import source
from copa_nb.tables.description import define

PREFIX = "dataset:"
_LOADER = "load_"


@source('a table of ``copa_nb.datasets``: ``"dataset:agents"``', directions="stored with the table")
def dataset(name: str, objectives: Mapping[Any, str] | None = None, **options: Any) -> pd.DataFrame:
    """Load a table that comes with the package.

    Parameters
    ----------
    name : str
        ``dataset:`` and the name of its function in ``copa_nb.datasets`` without ``load_``.
    objectives : mapping of column to {"max", "min"}, optional
        Other directions than those stored with the table.
    **options
        What that function takes.

    Returns
    -------
    DataFrame

    Raises
    ------
    ValueError
        If there is none of that name.

    Examples
    --------
    >>> import copa_nb
    >>> len(copa_nb.read("dataset:deepobs"))
    24
    """
    known = [loader.removeprefix(_LOADER) for loader in dir(datasets) if loader.startswith(_LOADER)]
    asked = name.removeprefix(PREFIX)
    if asked not in known:
        raise ValueError(
            f"{checks.called('source')} is {name!r}, but no table of that name comes with the package; there are "
            f"{checks.listed(known, len(known))}.{checks.nearest(asked, known)}"
        )
    loaded: pd.DataFrame = getattr(datasets, f"{_LOADER}{asked}")(**options)
    return loaded if objectives is None else define(loaded, objectives)
