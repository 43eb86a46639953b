"""How work is done: in threads, as tasks with a progress bar, on a Dask cluster where one is given.

Threads, not processes: the array work releases the interpreter's lock, a thread starts at once, and nothing has to
be importable from a notebook's ``__main__``.
"""

from __future__ import annotations

import itertools
import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from copa_nb import checks

Task = TypeVar("Task")
Result = TypeVar("Result")

LOCAL_POOLS = ("threads", "processes", "synchronous")
# Below this many numbers, starting threads costs more than they save.
_WORTH_THREADS = 1_000_000
# A bar that only flashes by is of no use.
_SECONDS_BEFORE_BAR = 1.0
# Few enough that what tasks share travels a few times only, many enough that no thread waits for one batch.
_BATCHES_PER_PROCESSOR = 4
# Enough that no thread waits for a long task, few enough that an interrupt has little to call off.
_WAITING_PER_THREAD = 32
_SECONDS_TO_ANSWER = "10s"


def processors() -> int:
    """Processors that this process may use.

    Examples
    --------
    >>> processors() >= 1
    True
    """
    try:
        return len(os.sched_getaffinity(0))
    except AttributeError:  # not every system knows
        return os.cpu_count() or 1


def row_slices(n_rows: int, n_numbers: int) -> list[tuple[int, int]]:
    """Cut rows into one piece per processor, or leave them whole if they hold few numbers."""
    pieces = processors() if n_numbers >= _WORTH_THREADS else 1
    edges = [n_rows * i // pieces for i in range(pieces + 1)]
    return list(itertools.pairwise(edges))


def in_threads(function: Callable[[Task], Result], parts: Sequence[Task], n_numbers: int) -> list[Result]:
    """Apply a function that releases the interpreter's lock to parts, in threads if the work is large.

    Parameters
    ----------
    function : callable
        Must not change what parts share.
    parts : sequence
        Its arguments.
    n_numbers : int
        How many numbers it works on altogether.

    Examples
    --------
    >>> in_threads(abs, [-1, 2], 2)
    [1, 2]
    """
    workers = min(processors(), len(parts))
    if workers < 2 or n_numbers < _WORTH_THREADS:
        return [function(part) for part in parts]
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, parts))


def map_tasks(
    function: Callable[[Task], Result],
    tasks: Sequence[Task],
    *,
    n_jobs: int | None = None,
    progress: bool = True,
    label: str = "tasks",
    scheduler: Any = None,
    on_error: Callable[[], object] | None = None,
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
    on_error : callable, optional
        Called in case of an error or an interrupt, before threads that still run are waited for: tell them to stop.

    Returns
    -------
    list

    Examples
    --------
    >>> map_tasks(abs, [-1, 2, -3])
    [1, 2, 3]
    """
    if scheduler is not None:
        return list(_with_bar(_map_on(scheduler, function, tasks), len(tasks), progress, label))
    workers = processors() if n_jobs is None else checks.integer("n_jobs", n_jobs)
    if workers == 1 or len(tasks) < 2:
        return list(_with_bar(map(function, tasks), len(tasks), progress, label))
    with ThreadPoolExecutor(workers) as pool:
        try:
            results = _in_order(pool, function, tasks, workers * _WAITING_PER_THREAD)
            return list(_with_bar(results, len(tasks), progress, label))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            if on_error is not None:
                on_error()
            raise


def map_ahead(function: Callable[[Task], Result], tasks: Iterable[Task]) -> Iterator[Result]:
    """Apply a function to what an iterator gives, in threads; few tasks are in memory at a time, and order is kept.

    Examples
    --------
    >>> list(map_ahead(abs, iter([-1, 2, -3])))
    [1, 2, 3]
    """
    with ThreadPoolExecutor(processors()) as pool:
        try:
            yield from _in_order(pool, function, tasks, processors())
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def _in_order(
    pool: ThreadPoolExecutor, function: Callable[[Task], Result], tasks: Iterable[Task], most_waiting: int
) -> Iterator[Result]:
    """Results in the order of the tasks, of which only a limited number is queued at a time."""
    rest = iter(tasks)
    waiting: deque[Future[Result]] = deque()
    for task in itertools.islice(rest, most_waiting):
        waiting.append(pool.submit(function, task))
    while waiting:
        result = waiting.popleft().result()
        for task in itertools.islice(rest, 1):
            waiting.append(pool.submit(function, task))
        yield result


def _with_bar(results, total: int, progress: bool, label: str):  # type: ignore[no-untyped-def]
    if not progress:
        return results
    from tqdm.auto import tqdm

    return tqdm(results, total=total, desc=label, delay=_SECONDS_BEFORE_BAR, leave=False)


def _map_on(scheduler: Any, function: Callable[[Task], Result], tasks: Sequence[Task]) -> Iterator[Result]:
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
    if _is_cluster(scheduler):
        with cluster_client(scheduler) as client:
            futures = client.map(
                _apply, _batches(tasks, processors_of(client)), function=function, pure=False, key="copa_nb"
            )
            for future in futures:
                yield from future.result()
        return
    checks.one_of("scheduler", scheduler, LOCAL_POOLS)
    work = dask().delayed(_apply)
    batches = [work(batch, function=function) for batch in _batches(tasks, _pool_size(scheduler))]
    for results in dask().compute(*batches, scheduler=scheduler):
        yield from results


def _apply(batch: list[Task], function: Callable[[Task], Result]) -> list[Result]:
    return [function(task) for task in batch]


def _batches(tasks: Sequence[Task], processors: int) -> list[list[Task]]:
    count = max(1, min(len(tasks), processors * _BATCHES_PER_PROCESSOR))
    edges = [round(i * len(tasks) / count) for i in range(count + 1)]
    return [list(tasks[start:stop]) for start, stop in itertools.pairwise(edges)]


def dask() -> Any:
    """Dask, or an error with the line for pip."""
    return checks.optional("dask", "`scheduler`", "'copa_nb[dask]'")


@contextmanager
def cluster_client(scheduler: Any) -> Iterator[Any]:
    """Give a client of a cluster; one that was made here is closed again.

    Parameters
    ----------
    scheduler : str or distributed.Client
        An address such as ``"tcp://10.0.0.1:8786"``, or a client.

    Raises
    ------
    ValueError
        If no scheduler answers at the address.
    TypeError
        For anything else.
    """
    dask()
    from distributed import Client

    if isinstance(scheduler, Client):
        yield scheduler
        return
    if not isinstance(scheduler, str) or "://" not in scheduler:
        raise TypeError(
            f'`scheduler` is {scheduler!r}; give the address of a Dask scheduler, e.g. "tcp://10.0.0.1:8786", or a '
            "distributed.Client."
        )
    try:
        client = Client(scheduler, set_as_default=False, timeout=_SECONDS_TO_ANSWER)
    except (OSError, ValueError) as error:
        raise ValueError(
            f"`scheduler` is {scheduler!r}, where no Dask scheduler answers ({error}); start one with "
            "`dask scheduler` and workers with `dask worker`, or check the address."
        ) from error
    try:
        yield client
    finally:
        client.close()


def _is_cluster(scheduler: Any) -> bool:
    """Whether a scheduler is a cluster rather than one of Dask's own pools."""
    return not (isinstance(scheduler, str) and "://" not in scheduler)


def processors_of(client: Any) -> int:
    """Tasks that a cluster runs at once; at least one, since workers may still be on their way."""
    return max(1, sum(client.nthreads().values()))


def _pool_size(scheduler: str) -> int:
    """Tasks that one of Dask's own pools runs at once."""
    return 1 if scheduler == "synchronous" else int(dask().config.get("num_workers", None) or processors())
