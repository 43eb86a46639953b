"""Where work is sent: a cluster by its address, a client that the user holds, or one of Dask's own pools."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from copa_nb import checks
from copa_nb.scheduling.processors import processors

try:
    import dask
except ImportError as error:
    raise ImportError("`scheduler` needs dask: pip install 'copa_nb[dask]'") from error

LOCAL = ("threads", "processes", "synchronous")
_SECONDS_TO_ANSWER = "10s"


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
        If nobody answers at the address.
    TypeError
        For anything else.
    """
    from distributed import Client

    if isinstance(scheduler, Client):
        yield scheduler
        return
    if not isinstance(scheduler, str) or "://" not in scheduler:
        raise TypeError(
            f'`scheduler` is {scheduler!r}; give the address of a Dask scheduler, e.g. "tcp://10.0.0.1:8786", or a '
            f"distributed.Client{_or_local(scheduler)}."
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


def pool_options(scheduler: str) -> dict[str, Any]:
    """Options of ``dask.compute`` for one of Dask's own pools."""
    checks.one_of("scheduler", scheduler, LOCAL)
    return {"scheduler": scheduler}


def is_cluster(scheduler: Any) -> bool:
    """Whether a scheduler is a cluster rather than one of Dask's own pools."""
    return not (isinstance(scheduler, str) and "://" not in scheduler)


def processors_of(client: Any) -> int:
    """Tasks that a cluster runs at once; at least one, since workers may still be on their way."""
    return max(1, sum(client.nthreads().values()))


def configured_processors(scheduler: str) -> int:
    """Tasks that one of Dask's own pools runs at once."""
    return 1 if scheduler == "synchronous" else int(dask.config.get("num_workers", None) or processors())


def _or_local(scheduler: Any) -> str:
    return f"; {', '.join(map(repr, LOCAL))} work for studies, not for reports" if scheduler in LOCAL else ""
