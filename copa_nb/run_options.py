"""How computations run, said once for all of them: on how many threads or which cluster, and for how long at most."""

from __future__ import annotations

__all__ = ["options"]

import contextlib
import numbers
from collections.abc import Iterator
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import Any, Final

from copa_nb import checks

LOCAL_POOLS = ("threads", "processes", "synchronous")


class _Unsaid:
    """What was not said: each computation has a limit of its own, and None is one that can be said."""

    def __repr__(self) -> str:
        return "..."


UNSAID: Final[Any] = _Unsaid()


@dataclass(frozen=True)
class Options:
    """What was said; see :func:`options`."""

    n_jobs: int | None = None
    scheduler: Any = None
    max_seconds: Any = UNSAID
    progress: bool = True

    def limit(self, seconds: float | None) -> float | None:
        """Return the limit of time that was said, or the usual one of a computation."""
        said: float | None = seconds if self.max_seconds is UNSAID else self.max_seconds
        return said


_USUAL = Options()
_SAID: ContextVar[Options] = ContextVar("options of copa_nb", default=_USUAL)


def said() -> Options:
    """Return the options that hold here."""
    return _SAID.get()


def hide_progress() -> None:
    """Show no bars from here on, where nobody watches."""
    _SAID.set(replace(said(), progress=False))


@contextlib.contextmanager
def options(
    *,
    n_jobs: int | None = UNSAID,
    scheduler: Any = UNSAID,
    max_seconds: float | None = UNSAID,
    progress: bool = UNSAID,
) -> Iterator[None]:
    """Say how everything within a ``with`` runs; no answer depends on it.

    What is not said stays as it is, so that blocks can be nested.

    Parameters
    ----------
    n_jobs : int or None
        Number of threads of audits, simulations and GSD fronts; None for all processors, which is the default.
    scheduler : str, distributed.Client or None
        A Dask cluster to do the work of audits, simulations and sampled depths: its address, a client, or "threads",
        "processes" or "synchronous" for one of Dask's pools. None for threads of this process, which is the default.
        Needs the extra ``copa_nb[dask]``.
    max_seconds : float or None
        Refuse what is forecast to take longer; None to wait for everything. By default 30 for comparisons of all pairs
        of systems and for depths that are estimated otherwise, and 600 for audits and exact depths.
    progress : bool
        Whether audits, simulations, depths that take long, and GSD fronts and their tests show how far they are; they
        do by default.

    Raises
    ------
    ValueError
        For a number of threads below 1, a limit below 0, or a word that is no scheduler.

    Examples
    --------
    >>> import copa_nb
    >>> agents = copa_nb.datasets.load_agents("0409")
    >>> with copa_nb.options(n_jobs=2, max_seconds=60, progress=False):
    ...     audit = agents.moo(system="system", repeat="run").audit(n_resamples=100)
    >>> with copa_nb.options(max_seconds=-1):
    ...     pass
    Traceback (most recent call last):
        ...
    ValueError: `max_seconds` is -1; it must be a number of at least 0, or None to wait for everything.
    """
    given = {"n_jobs": n_jobs, "scheduler": scheduler, "max_seconds": max_seconds, "progress": progress}
    given = {name: value for name, value in given.items() if value is not UNSAID}
    _check(**given)
    before = _SAID.set(replace(said(), **given))
    try:
        yield
    finally:
        _SAID.reset(before)


def _check(n_jobs: Any = None, scheduler: Any = None, max_seconds: Any = None, progress: Any = True) -> None:
    if not isinstance(progress, bool):
        raise TypeError(f"`progress` is {progress!r}; it must be True or False.")
    if n_jobs is not None:
        checks.integer("n_jobs", n_jobs)
    if isinstance(scheduler, str) and "://" not in scheduler:
        checks.one_of("scheduler", scheduler, LOCAL_POOLS)
    is_number = isinstance(max_seconds, numbers.Real) and not isinstance(max_seconds, bool)
    if max_seconds is not None and not (is_number and max_seconds >= 0):
        raise ValueError(
            f"`max_seconds` is {max_seconds!r}; it must be a number of at least 0, or None to wait for everything."
        )
