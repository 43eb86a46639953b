"""Signs of life on standard error, from commands that take long."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from types import TracebackType

import click

SECONDS_BEFORE_PULSE = 5.0
_LONGEST_PAUSE = 60.0


def duration(seconds: float) -> str:
    """Write seconds in readable units.

    Examples
    --------
    >>> duration(4.21), duration(48.3), duration(200), duration(7300)
    ('4.2 s', '48 s', '3 min 20 s', '2 h 1 min')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds < 10 else f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


class Pulse:
    """Calls a function in a thread of its own while a ``with`` statement runs, in ever longer pauses.

    Parameters
    ----------
    beat : callable
        Given the seconds that have passed. The first call comes after five seconds, each further one when twice the
        time has passed, or a minute later.
    every : float, optional
        Seconds between calls, if these are to be as frequent at all times.
    """

    def __init__(self, beat: Callable[[float], object], *, every: float | None = None) -> None:
        self._beat = beat
        self._every = every
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> Pulse:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._is_over.set()
        self._thread.join()

    def _run(self) -> None:
        began = time.monotonic()
        while True:
            passed = time.monotonic() - began
            pause = self._every or min(max(SECONDS_BEFORE_PULSE, passed), _LONGEST_PAUSE)
            if self._is_over.wait(pause):
                return
            self._beat(time.monotonic() - began)


def lines_while(what: str) -> Pulse:
    """Print that something still runs, once it has taken five seconds."""
    return Pulse(lambda seconds: click.echo(f"{what} ({duration(seconds)} so far)", err=True))
