"""The same function over many tasks, on all processors, with a progress bar.

Threads, not processes: the array work releases the interpreter's lock, a thread starts at once, and
nothing has to be importable from a notebook's ``__main__``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from copa_nb import checks
from copa_nb.scheduling.processors import processors

Task = TypeVar("Task")
Result = TypeVar("Result")

# A bar that only flashes by helps nobody.
_SECONDS_BEFORE_BAR = 1.0


def map_tasks(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    n_jobs: int | None = None,
    progress: bool = True,
    label: str = "tasks",
    scheduler: Any = None,
) -> list[Result]:
    """Apply a function to every task; results come in the order of the tasks.

    Parameters
    ----------
    function : callable
        Must not change what tasks share.
    tasks : sequence
        Its arguments.
    n_jobs : int, optional
        Threads; by default, as many as there are processors.
    progress : bool
        Whether to show a bar, once the work has taken a second.
    label : str
        What the bar counts.
    scheduler : str or distributed.Client, optional
        A Dask cluster (its address, or a client) to do the work instead, or "threads", "processes" or
        "synchronous" for one of Dask's pools. Needs the extra ``copa_nb[dask]``.

    Returns
    -------
    list

    Examples
    --------
    >>> map_tasks(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    if scheduler is not None:
        from copa_nb.scheduling.dask_tasks import map_on

        return list(_with_bar(map_on(scheduler, function, tasks), len(tasks), progress, label))
    workers = processors() if n_jobs is None else checks.integer("n_jobs", n_jobs)
    if workers == 1 or len(tasks) < 2:
        return list(_with_bar(map(function, tasks), len(tasks), progress, label))
    with ThreadPoolExecutor(workers) as pool:
        return list(_with_bar(pool.map(function, tasks), len(tasks), progress, label))


def _with_bar(results, total: int, progress: bool, label: str):  # type: ignore[no-untyped-def]
    if not progress:
        return results
    from tqdm.auto import tqdm

    return tqdm(results, total=total, desc=label, delay=_SECONDS_BEFORE_BAR, leave=False)
