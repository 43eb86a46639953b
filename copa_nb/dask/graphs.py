"""From partitions to tasks: one task per partition and pass, results merged in a tree."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import Any

import dask.dataframe as dd
from dask.delayed import Delayed, delayed

# Partial results that one task merges: a shallow tree, and never more than these in one worker's hands.
_BRANCHES = 8


def over_partitions(
    frame: dd.DataFrame, mask: dd.Series | None, function: Callable[..., Any], *arguments: Any,
    columns: Sequence[Hashable] | None = None,
) -> list[Delayed]:  # fmt: skip
    """Apply ``function(partition, mask or None, *arguments)`` to every partition.

    Parameters
    ----------
    frame : dask DataFrame
        The table.
    mask : dask Series or None
        Partitioned like the table.
    function : callable
        May take ``partition_info``.
    *arguments
        Plain or delayed.
    columns : sequence of labels, optional
        All that the function looks at.

    Returns
    -------
    list of Delayed
        One per partition, in order. Reading a partition is fused into its task, so that no partition
        outlives the task that looks at it.
    """
    source = frame if columns is None else frame[list(columns)]
    mapped = dd.map_partitions(
        function, source, mask, *arguments, meta=(None, object), enforce_metadata=False, align_dataframes=False
    )
    return list(mapped.to_delayed())


def in_tree(parts: Sequence[Delayed], merge: Callable[[list[Any]], Any]) -> Delayed:
    """Merge partial results, neighbours first, so that their order is kept."""
    merged = delayed(merge)
    level = list(parts)
    while True:
        level = [merged(level[i : i + _BRANCHES]) for i in range(0, len(level), _BRANCHES)]
        if len(level) == 1:
            return level[0]
