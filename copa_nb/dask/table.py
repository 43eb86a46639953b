"""A table in partitions and what is asked of it: directions, the columns that matter, and what is refused unread.

Dask carries pandas' ``attrs`` along in the empty frame that describes a collection, but it also takes two frames for
the same one if they differ in ``attrs`` only. So directions count only if they were given to a dask frame, where they
are part of the expression: they are marked as such.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any, NoReturn

import dask.dataframe as dd
import numpy as np
import pandas as pd
from dask.dataframe.dispatch import make_meta

from copa_nb import checks
from copa_nb import objectives as pandas_objectives
from copa_nb.candidates import allowed_mask
from copa_nb.columns import column_or_level, positions_by_group
from copa_nb.objectives import (
    ATTRS_KEY,
    NAN_POLICIES,
    Objectives,
    ObjectivesLike,
    costs_with_gaps,
    resolve_objectives,
)
from copa_nb.selection.populations import Reference

_MARK = "given to dask"
_SAMPLE = "take a sample: ddf.sample(frac=0.01).compute().moo.{verb}(...)"
# What to call instead of verbs that look at all rows at once.
_INSTEAD = {
    "is_front": "call ddf.moo.front(), which gives the rows themselves, lazily",
    "layers": "call ddf.moo.front() for the first layer; for more, " + _SAMPLE,
    "normalize": "freeze a population and place partitions in it: reference = copa_nb.Reference.fit(sample); "
    "ddf.map_partitions(reference.place)",
    "stability": _SAMPLE,
    "rank_errors": _SAMPLE,
    "rank_intervals": _SAMPLE,
    "sensitivity": "call ddf.moo.copa(...).sensitivity(), which needs the Pareto-optimal rows only",
    "mean_ranks": "call ddf.moo.compare(criteria, rows=[...]) for the rows that matter",
    "power": "fit the noise to a few systems' rows: ddf[ddf.system.isin([...])].compute().moo.power(...)",
    "runs_needed": "fit the noise to the baseline's rows, as for power",
    "gap": "only the rows of the validation front count, under a reference point that you name (the worst of them is "
    "not the table's): "
    'ddf.moo.define(val_accuracy="max", ...).moo.front().compute().moo.gap(reference={{...}})',
    "posets": "the relations need items × groups only: aggregate first, ddf.groupby([by, item]).mean().compute()",
}


class WholeTableNeededError(TypeError):
    """An answer would need the whole table in one machine's memory."""


def refuse(verb: str) -> NoReturn:
    """Say why a verb does not run over partitions, and what to call instead."""
    instead = _INSTEAD.get(verb, "if the table fits in memory, call ddf.compute().moo.{verb}(...)").format(verb=verb)
    raise WholeTableNeededError(f"`{verb}` needs the whole table in one machine's memory; {instead}.")


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
    meta = pandas_objectives.define(make_meta(check_frame(frame)), mapping, **directions)
    defined = meta.attrs[ATTRS_KEY]["objectives"]
    meta.attrs = {**meta.attrs, ATTRS_KEY: {"objectives": defined, _MARK: True}}
    # No column is required by this step, so projections still reach the file that is read.
    return frame.map_partitions(_with_attrs, defined, meta=meta, enforce_metadata=False, required_columns=[])


def check_frame(frame: Any) -> dd.DataFrame:
    """Refuse anything but a dask DataFrame."""
    if not isinstance(frame, dd.DataFrame):
        raise TypeError(
            f"`frame` must be a dask DataFrame, not {type(frame).__name__}; a pandas DataFrame has the same verbs: "
            "frame.moo."
        )
    return frame


def without_rows(frame: dd.DataFrame) -> pd.DataFrame:
    """Return the table without rows: columns, dtypes, and the directions that were given to dask."""
    meta = make_meta(check_frame(frame))
    moo = meta.attrs.get(ATTRS_KEY, {})
    empty = meta.iloc[:0].copy(deep=False)
    empty.attrs = {ATTRS_KEY: {"objectives": moo["objectives"]}} if moo.get(_MARK) else {}
    return empty


def _with_attrs(part: pd.DataFrame, objectives: dict[str, str]) -> pd.DataFrame:
    defined = part.copy(deep=False)
    defined.attrs = {**part.attrs, ATTRS_KEY: {"objectives": objectives}}
    return defined


@dataclass(frozen=True)
class Plan:
    """What is asked of a table, in a form that travels to the workers.

    Parameters
    ----------
    objectives : Objectives
        Names and directions.
    nan_policy : {"raise", "omit", "worst"}
        How missing values are treated.
    where : str or None
        Expression that says who may be chosen.
    restricted : bool
        Whether anything says so (an expression, or a column of True and False beside the table).
    by : label, list of labels or None
        Columns that make groups.
    reference_row : label or None
        Row that "relative" compares with.
    needed : callable or None
        Marks rows to gather: ``needed(partition, complete) -> mask``.
    contenders : callable or None
        Marks further rows to gather by their costs, in a partition and again whenever parts are merged, e.g. those
        that no other row dominates: ``contenders(costs) -> mask``.
    empty : DataFrame
        The table without rows.
    """

    objectives: Objectives
    nan_policy: str
    where: str | None
    restricted: bool
    by: Any
    reference_row: Hashable
    needed: Callable[[pd.DataFrame, np.ndarray], np.ndarray] | None
    contenders: Callable[[np.ndarray], np.ndarray] | None
    empty: pd.DataFrame

    def read(self, part: pd.DataFrame) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Return the costs of a partition, which values are missing, and which rows the policy keeps.

        Under "omit" and "raise" costs are NaN where values are missing.
        """
        costs = costs_with_gaps(part, self.objectives)
        missing = np.isnan(costs)
        if self.nan_policy == "worst":
            costs[missing] = np.inf
            return costs, missing, np.ones(len(costs), dtype=bool)
        return costs, missing, ~missing.any(axis=1)

    def groups(self, part: pd.DataFrame) -> dict[Hashable, np.ndarray]:
        """Rows of a partition by group, in order of first appearance."""
        return {None: np.arange(len(part))} if self.by is None else positions_by_group(part, self.by)


@dataclass(frozen=True)
class Table:
    """A dask frame with what is asked of it.

    Parameters
    ----------
    frame : dask DataFrame
        The columns that matter; what else a file holds is never read.
    mask : dask Series or None
        Who may be chosen, row by row.
    plan : Plan
        The question.
    """

    frame: dd.DataFrame
    mask: dd.Series | None
    plan: Plan


def as_list(names: Any) -> list[Any]:
    """Return one label, several, or None as a list."""
    if names is None:
        return []
    return list(names) if isinstance(names, list | set | frozenset | pd.Index | np.ndarray) else [names]


def check_question(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    where: Any = None,
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    needed: Callable[[pd.DataFrame, np.ndarray], np.ndarray] | None = None,
    contenders: Callable[[np.ndarray], np.ndarray] | None = None,
    all_columns: bool = False,
    **labels: Any,
) -> Table:
    """Check a question as far as that is possible without reading the table.

    Parameters
    ----------
    frame : dask DataFrame
        The table.
    objectives, where, reference, by, nan_policy
        As for :func:`copa_nb.copa`.
    needed, contenders
        See :class:`Plan`.
    all_columns : bool
        Whether every column of the rows found is wanted.
    **labels
        Further columns that matter, by argument.
    """
    empty = without_rows(frame)
    resolved = resolve_objectives(empty, objectives, reference)
    checks.one_of("nan_policy", nan_policy, NAN_POLICIES)
    names = [(argument, name) for argument, given in {"by": by, **labels}.items() for name in as_list(given)]
    for argument, name in names:
        column_or_level(empty, name, argument)
    mask = _mask(frame, empty, where, by)
    expression = where if isinstance(where, str) else None
    wanted = {*resolved, *(name for _, name in names)}
    columns = [c for c in frame.columns if c in wanted or (expression and str(c) in expression)]
    row = None if isinstance(reference, Reference) else reference
    plan = Plan(resolved, nan_policy, expression, where is not None, by, row, needed, contenders, empty)
    return Table(frame if all_columns else frame[columns], mask, plan)


def _mask(frame: dd.DataFrame, empty: pd.DataFrame, where: Any, by: Any) -> dd.Series | None:
    if where is None or isinstance(where, str):
        allowed_mask(empty, where)
        return None
    if callable(where) and by is not None:
        raise ValueError(
            "`where` is a function, which pandas calls group by group; with `by=` on dask give an expression, e.g. "
            '"latency_ms <= 50", or a dask Series of True and False.'
        )
    mask: Any = where(frame) if callable(where) else where
    if not isinstance(mask, dd.Series):
        raise TypeError(
            f"`where` gives {type(mask).__name__} for a dask frame; give an expression, a dask Series of True and "
            'False, or a function of the dask frame that returns one: where=lambda frame: frame["latency_ms"] <= 50.'
        )
    if not pd.api.types.is_bool_dtype(mask.dtype):
        raise TypeError(f"`where` must give True or False for every row, not {mask.dtype}; write a comparison.")
    if mask.npartitions != frame.npartitions or (mask.known_divisions and mask.divisions != frame.divisions):
        raise ValueError("`where` is a dask Series with other partitions than the frame; build it from the frame.")
    return mask
