"""Dask DataFrames as tables in pieces: how a pass is made, and how directions stay with a frame.

Dask carries pandas' ``attrs`` along in the empty frame that describes a collection, but it also takes two frames for
the same one if they differ in ``attrs`` only. So directions count only if they were given to a dask frame, where they
are part of the expression: they are marked as such.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NoReturn

import dask.dataframe as dd
import pandas as pd
from dask.base import persist
from dask.dataframe.dispatch import make_meta
from dask.delayed import Delayed, delayed

from copa_nb.streams.batches import Batches, Merge, Piece, Table, refuse
from copa_nb.streams.scan import scan
from copa_nb.tables import description as pandas_description
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ATTRS_KEY

_MARK = "given to dask"
# Partial results that one task merges: a shallow tree, and never more than these in one worker's memory.
_BRANCHES = 8
_SAMPLE = "take a sample: ddf.sample(frac=0.01).compute().moo.{verb}(...)"
_DEFAULT = "if the table fits in memory, call ddf.compute().moo.{verb}(...)"
# Verbs that bring the rows of an item, or of a front, together on the machine that calls them.
_IN_TURN = ("board", "confident_front", "compare", "gap")
# The verbs that run over partitions, which :mod:`copa_nb.dask.verbs` adds.
IN_PASSES: dict[str, Callable[..., Any]] = {}
# What to call instead of verbs that look at all rows at once.
_INSTEAD = {
    "layers": "call ddf.moo.front() for the first layer; for more, " + _SAMPLE,
    "normalize": "freeze a population and place partitions in it: reference = copa_nb.Reference.fit(sample); "
    "ddf.map_partitions(reference.place)",
    "mean_ranks": "call ddf.moo.copa(...).criteria(), which ranks the rows that can win",
    "posets": "the relations need items × groups only: aggregate first, ddf.groupby([by, item]).mean().compute()",
}


class Partitions(Batches):
    """A dask DataFrame; a pass is a tree of tasks, on whatever scheduler runs them.

    Parameters
    ----------
    frame : dask DataFrame
        The table.
    """

    def __init__(self, frame: Any) -> None:
        if not isinstance(frame, dd.DataFrame):
            raise TypeError(
                f"`frame` must be a dask DataFrame, not {type(frame).__name__}; a pandas DataFrame has the same "
                "verbs: frame.moo."
            )
        self.frame = frame

    @property
    def empty(self) -> pd.DataFrame:
        """The table without rows, and the words that were given to dask."""
        meta = make_meta(self.frame)
        moo = meta.attrs.get(ATTRS_KEY, {})
        empty = meta.iloc[:0].copy(deep=False)
        words = {word: value for word, value in moo.items() if word != _MARK}
        empty.attrs = {ATTRS_KEY: words} if moo.get(_MARK) else {}
        return empty

    def named_by(self, system: Any) -> NoReturn:
        """Refuse: partitions are indexed by Dask."""
        raise TypeError("`system` cannot name the rows of a dask frame; set its index: ddf.set_index(...).")

    def answer(self, verb: str, described: DescribedFrame, **options: Any) -> Any:
        """Answer a verb in passes or one partition after the other, or refuse one that needs all rows at once."""
        if verb in IN_PASSES:
            return IN_PASSES[verb](self, described, **options)
        if verb not in _IN_TURN:
            refuse(verb, _INSTEAD, _DEFAULT)
        frame = self.frame
        return scan(lambda: (part.compute() for part in frame.partitions)).answer(verb, described, **options)

    def condition(self, where: Any, by: Any) -> dd.Series:
        """Return who may be chosen as a dask Series."""
        if callable(where) and by is not None:
            raise ValueError(
                "`where` is a function, which pandas calls group by group; with `by=` on dask give an expression, e.g. "
                '"latency_ms <= 50", or a dask Series of True and False.'
            )
        mask: Any = where(self.frame) if callable(where) else where
        if not isinstance(mask, dd.Series):
            raise TypeError(
                f"`where` gives {type(mask).__name__} for a dask frame; give an expression, a dask Series of True and "
                "False, or a function of the dask frame that returns one: "
                'where=lambda frame: frame["latency_ms"] <= 50.'
            )
        if not pd.api.types.is_bool_dtype(mask.dtype):
            raise TypeError(f"`where` must give True or False for every row, not {mask.dtype}; write a comparison.")
        known = mask.known_divisions and mask.divisions != self.frame.divisions
        if mask.npartitions != self.frame.npartitions or known:
            raise ValueError("`where` is a dask Series with other partitions than the frame; build it from the frame.")
        return mask

    def reduce(self, table: Table, function: Callable[..., Any], *arguments: Any, merge: Merge) -> Delayed:
        """Plan one pass, merging neighbors first, so that their order is kept."""
        return in_tree(self.parts(table, function, *arguments), merge)

    def parts(self, table: Table, function: Callable[..., Any], *arguments: Any, columns: bool = True) -> list[Delayed]:
        """Apply ``function(piece, *arguments)`` to every partition, in order; `columns` leaves out what is not needed.

        Reading a partition is fused into its task, so that no partition outlives the task that looks at it.
        """
        frame = self.frame[table.columns] if columns else self.frame
        mapped = dd.map_partitions(
            _of_partition, frame, table.mask, function, *arguments,
            meta=(None, object), enforce_metadata=False, align_dataframes=False,
        )  # fmt: skip
        return list(mapped.to_delayed())

    def call(self, function: Callable[..., Any], *values: Any) -> Delayed:
        """Apply a function to results of passes, on a worker."""
        return delayed(function)(*values)

    def value(self, result: Delayed) -> Any:
        """Compute the result of a pass."""
        return result.compute()

    def keep(self, result: Delayed) -> Delayed:
        """Compute the result of a pass and leave it on its worker."""
        kept: Delayed = persist(result)[0]
        return kept


def _of_partition(
    part: pd.DataFrame, mask: Any, function: Callable[..., Any], *arguments: Any, partition_info: Any = None
) -> Any:
    return function(Piece(partition_info["number"] if partition_info else 0, part, mask), *arguments)


def in_tree(parts: Sequence[Delayed], merge: Merge) -> Delayed:
    """Merge partial results, neighbors first, so that their order is kept."""
    merged = delayed(merge)
    level = list(parts)
    while True:
        level = [merged(level[i : i + _BRANCHES]) for i in range(0, len(level), _BRANCHES)]
        if len(level) == 1:
            return level[0]


def define(frame: dd.DataFrame, mapping: Mapping[str, str] | None = None, /, **words: Any) -> dd.DataFrame:
    """Return a dask frame that remembers what its columns are; see ``df.moo.define()``.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model, one column per metric.
    mapping, **words
        Columns and directions, ``"max"`` or ``"min"``, and what other columns are: ``item="task"``.

    Returns
    -------
    dask DataFrame
        The same table, not computed. Filtering, projecting, assigning, repartitioning and persisting keep
        the words; a computed frame has them in its ``attrs``. Words in the ``attrs`` of a pandas
        frame that a dask frame was made from do not count: define them on the dask frame.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> table = dd.from_pandas(models, npartitions=2).moo.define(accuracy="max", co2_kg="min")
    >>> table[table.accuracy < 0.9].moo.description["objectives"]
    {'accuracy': 'max', 'co2_kg': 'min'}
    """
    meta = pandas_description.define(make_meta(Partitions(frame).frame), mapping, **words)
    defined = meta.attrs[ATTRS_KEY]
    meta.attrs = {**meta.attrs, ATTRS_KEY: {**defined, _MARK: True}}
    # No column is required by this step, so projections still reach the file that is read.
    return frame.map_partitions(_with_attrs, defined, meta=meta, enforce_metadata=False, required_columns=[])


def _with_attrs(part: pd.DataFrame, words: dict[str, Any]) -> pd.DataFrame:
    defined = part.copy(deep=False)
    defined.attrs = {**part.attrs, ATTRS_KEY: words}
    return defined
