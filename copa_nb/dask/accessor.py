"""``ddf.moo``: the verbs of every table, over partitions; those that need all rows say what to call instead."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dask.dataframe as dd

from copa_nb import checks
from copa_nb.accessor import Moo
from copa_nb.dask.partitions import Partitions, define
from copa_nb.tables.description import Description


class DaskMoo(Moo[Any]):
    """Multi-objective analysis of a table in partitions.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2)
    >>> table.moo(accuracy="max", co2_kg="min").copa().best
    'b'
    >>> table.moo(accuracy="max", co2_kg="min").layers()
    Traceback (most recent call last):
    copa_nb.streams.batches.WholeTableNeededError: `layers` needs the whole table in one machine's memory; ...
    """

    def __init__(
        self, frame: dd.DataFrame | Partitions, described: Description | None = None, groups: Any = None
    ) -> None:
        super().__init__(frame if isinstance(frame, Partitions) else Partitions(frame), described, groups)

    @checks.briefly
    def define(self, mapping: Mapping[str, str] | None = None, /, **words: Any) -> dd.DataFrame:
        """Return a dask frame that remembers what its columns are; see :func:`copa_nb.dask.define`."""
        return define(self._frame.frame, mapping, **words)
