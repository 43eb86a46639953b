"""Which columns of a dask frame are objectives, remembered by the frame itself.

Dask carries pandas' ``attrs`` along in the empty frame that describes a collection, but it also takes two
frames for the same one if they differ in ``attrs`` only. So directions count only if they were given to a
dask frame, where they are part of the expression: they are marked as such.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import dask.dataframe as dd
import pandas as pd

from copa_nb import objectives as pandas_objectives
from copa_nb.objectives import ATTRS_KEY

_MARK = "given to dask"


def define(frame: dd.DataFrame, mapping: Mapping[str, str] | None = None, /, **directions: str) -> dd.DataFrame:
    """Return a dask frame that remembers which columns are objectives; see :func:`copa_nb.define`.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model, one column per metric.
    mapping, **directions
        Columns and directions, ``"max"`` or ``"min"``.

    Returns
    -------
    dask DataFrame
        The same table, not computed. Filtering, projecting, assigning, repartitioning and persisting keep
        the directions; a computed frame has them in its ``attrs``. Directions in the ``attrs`` of a pandas
        frame that a dask frame was made from do not count: define them on the dask frame.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2).moo.define(accuracy="max", co2_kg="min")
    >>> table[table.accuracy < 0.9].moo.objectives
    Objectives(accuracy ↑, co2_kg ↓)
    """
    described = pandas_objectives.define(check_frame(frame)._meta, mapping, **directions)
    known = described.attrs[ATTRS_KEY]["objectives"]
    described.attrs = {**described.attrs, ATTRS_KEY: {"objectives": known, _MARK: True}}
    # No column is required by this step, so projections still reach the file that is read.
    return frame.map_partitions(_remember, known, meta=described, enforce_metadata=False, required_columns=[])


def check_frame(frame: Any) -> dd.DataFrame:
    """Refuse anything but a dask DataFrame."""
    if not isinstance(frame, dd.DataFrame):
        raise TypeError(
            f"`frame` must be a dask DataFrame, not {type(frame).__name__}; a pandas DataFrame has the same verbs: "
            "frame.moo."
        )
    return frame


def described(frame: dd.DataFrame) -> pd.DataFrame:
    """Return the table without rows: columns, dtypes, and the directions that were given to dask."""
    meta = check_frame(frame)._meta
    known = meta.attrs.get(ATTRS_KEY, {})
    empty = meta.iloc[:0].copy(deep=False)
    empty.attrs = {ATTRS_KEY: {"objectives": known["objectives"]}} if known.get(_MARK) else {}
    return empty


def _remember(part: pd.DataFrame, known: dict[str, str]) -> pd.DataFrame:
    remembered = part.copy(deep=False)
    remembered.attrs = {**part.attrs, ATTRS_KEY: {"objectives": known}}
    return remembered
