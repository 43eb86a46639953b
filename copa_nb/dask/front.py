"""The front of a table in partitions, as a dask frame."""

from __future__ import annotations

from functools import partial
from typing import Any

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.delayed import delayed

from copa_nb import checks
from copa_nb.dask.findings import ByGroup, check, examine, merge, together, without_rows
from copa_nb.dask.graphs import in_tree, over_partitions
from copa_nb.dask.passes import warn_omitted
from copa_nb.dask.plan import Plan, ask
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.front import KEEP


def front(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    keep: str = "all",
    by: Any = None,
    nan_policy: str = "raise",
) -> dd.DataFrame:
    """Return the Pareto-optimal rows of a table in partitions, lazily; see :func:`copa_nb.front`.

    One pass. Every partition keeps the rows of its own front; only their costs travel to be compared.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, keep, by, nan_policy
        As for :func:`copa_nb.front`.

    Returns
    -------
    dask DataFrame
        Rows of `frame` in their order and partitions, with index, columns, dtypes and directions kept.
        ``.compute()`` gives what pandas gives. What only the data can show, missing values above all, is
        refused when it is computed.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3, 1, 2]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.front().compute()
       accuracy  co2_kg
    a       0.9       3
    b       0.8       1
    """
    checks.one_of("keep", keep, KEEP)
    plan = ask(frame, objectives=objectives, by=by, nan_policy=nan_policy, keep=keep).plan
    parts = over_partitions(frame, None, examine, plan)
    known = [delayed(without_rows)(part) for part in parts]
    places = delayed(_places)(in_tree(known, partial(merge, plan=plan)), plan)
    pieces = [delayed(_rows)(part, places, number, frame._meta) for number, part in enumerate(parts)]
    divisions = frame.divisions if frame.known_divisions else None
    return dd.from_delayed(pieces, meta=frame._meta, divisions=divisions, verify_meta=False)


def _places(found: ByGroup, plan: Plan) -> np.ndarray:
    """Partition and position of every row on the front, over all groups; in order."""
    whole = check(together(found), plan)
    warn_omitted(whole.n_omitted, whole.n_rows, stacklevel=1)
    places = np.concatenate([findings.places for findings in found.values()])
    return places[np.lexsort((places[:, 1], places[:, 0]))]


def _rows(part: ByGroup, places: np.ndarray, number: int, meta: pd.DataFrame) -> pd.DataFrame:
    """The rows of one partition that stay."""
    stay = places[places[:, 0] == number, 1]
    frames = [findings.rows for findings in part.values() if findings.rows is not None]
    if not len(stay):
        return frames[0].iloc[:0] if frames else meta
    rows = frames[0] if len(frames) == 1 else pd.concat(frames)
    held = np.concatenate([findings.places[:, 1] for findings in part.values()])
    order = np.argsort(held)
    return rows.iloc[order[np.searchsorted(held[order], stay)]]
