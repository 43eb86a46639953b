"""Long tables: one row per value, as databases and plotting libraries like them."""

from __future__ import annotations

__all__ = ["from_long"]

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described, given_directions, plain
from copa_nb.sources.formats import source
from copa_nb.tables.columns import column_or_level
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import DirectionLike


@source("a long table, one row per value")
def from_long(
    frame: pd.DataFrame,
    objectives: Mapping[Any, str] | None = None,
    /,
    *,
    system: Hashable,
    metric: Hashable,
    value: Hashable,
    repeat: Hashable | None = None,
    **directions: DirectionLike,
) -> pd.DataFrame:
    """Turn a long table, one row per value, into one row per system and one column per metric.

    Parameters
    ----------
    frame : DataFrame
        The long table.
    objectives : mapping of metric to {"max", "min"}, optional
        Directions, if you want to define them right away.
    system, metric, value : label
        The columns of the system, the metric and the value.
    repeat : label, optional
        The column of repetitions (seed, fold, run): one row per system and repetition.
    **directions : {"max", "min"}
        Metrics and directions as keywords.

    Returns
    -------
    DataFrame
        Indexed by system, with `repeat` as a column. A combination that does not occur is missing.

    Raises
    ------
    ValueError
        If a system has several values of one metric, and `repeat` does not identify them.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> long = pd.DataFrame({
    ...     "system": ["a", "a", "b", "b"], "metric": ["acc", "ms", "acc", "ms"], "value": [0.9, 30.0, 0.8, 10.0],
    ... })
    >>> copa_nb.from_long(long, system="system", metric="metric", value="value", acc="max", ms="min").moo.front()
           acc    ms
    system
    a      0.9  30.0
    b      0.8  10.0
    """
    frame = checks.frame(to_pandas(frame))
    named = {"system": system, "metric": metric, "value": value} | ({} if repeat is None else {"repeat": repeat})
    parts = {argument: column_or_level(frame, name, argument) for argument, name in named.items()}
    for argument, part in parts.items():
        if argument != "value" and part.isna().any():
            raise ValueError(
                f"`{argument}` column {named[argument]!r} is missing in {int(part.isna().sum())} rows; fill in the "
                "values or drop the rows."
            )
    keys = [argument for argument in parts if argument != "value"]
    flat = pd.DataFrame({argument: part.array for argument, part in parts.items()})
    # Of half precision pandas makes no index, and its text with warnings.
    half = [argument for argument in flat if flat[argument].dtype == np.float16]
    flat = flat.astype(dict.fromkeys(half, float))
    for argument in keys:
        if not flat[argument].map(pd.api.types.is_hashable).all():
            raise TypeError(
                f"`{argument}` is {named[argument]!r}, a column with lists or other values that cannot be names; "
                "convert them to text or numbers."
            )
    repeated = flat[flat.duplicated(keys)]
    if len(repeated):
        first = repeated.iloc[0]
        count = int(flat[keys].eq(first[keys]).all(axis="columns").sum())
        raise ValueError(
            f"system {plain(first['system'])!r} has {count} values of metric {first['metric']!r}"
            + ("" if repeat is None else f" in repetition {plain(first['repeat'])!r}")
            + "; set `repeat` to the column that identifies them, or average them first."
        )
    metrics = list(dict.fromkeys(flat["metric"]))
    wide = flat.set_index(keys)["value"].unstack("metric", sort=False)[metrics]  # noqa: PD010
    if repeat is not None:
        if repeat in metrics:
            raise ValueError(f"`repeat` is {repeat!r}, which is also a value of {metric!r}; rename one of them.")
        wide = wide.reset_index("repeat").rename(columns={"repeat": repeat})
    wide.index.name, wide.columns.name = system, None
    chosen = given_directions(objectives, directions, metrics, source="`frame`", required=False)
    return described(wide, chosen, name="a long table", repeated=repeat is not None)
