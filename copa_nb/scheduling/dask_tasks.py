"""The same function over many tasks, on a Dask cluster or in one of Dask's pools."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from copa_nb.scheduling.clusters import cluster_client, configured_processors, is_cluster, pool_options, processors_of

Task = TypeVar("Task")
Result = TypeVar("Result")

# Few enough that what tasks share travels a few times only, many enough that nobody waits for one batch.
_BATCHES_PER_PROCESSOR = 4


def map_on(scheduler: Any, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
    """Apply a function to every task, in batches; results come in the order of the tasks.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Address of a cluster, a client, or "threads", "processes" or "synchronous".
    function : callable
        Travels to the workers (a closure may).
    tasks : sequence
        Its arguments. What several tasks of a batch share travels once.

    Yields
    ------
    result
    """
    if is_cluster(scheduler):
        with cluster_client(scheduler) as client:
            futures = client.map(
                _apply, _batches(tasks, processors_of(client)), function=function, pure=False, key="copa_nb"
            )
            for future in futures:
                yield from future.result()
        return
    from dask.base import compute
    from dask.delayed import delayed

    options = pool_options(scheduler)
    work = delayed(_apply)
    batches = [work(batch, function=function) for batch in _batches(tasks, configured_processors(scheduler))]
    for results in compute(*batches, **options):
        yield from results


def _apply(batch: list[Task], function: Callable[[Task], Result]) -> list[Result]:
    return [function(task) for task in batch]


def _batches(tasks: Sequence[Task], processors: int) -> list[list[Task]]:
    count = max(1, min(len(tasks), processors * _BATCHES_PER_PROCESSOR))
    edges = [round(i * len(tasks) / count) for i in range(count + 1)]
    return [list(tasks[start:stop]) for start, stop in pairwise(edges)]
