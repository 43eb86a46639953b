"""The kernels of a batch: each is a process of its own, and one call ends all of them.

Jupyter's libraries are slow to import: import this module where kernels are started, not at the top of a module.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import ensure_event_loop, run_sync

NAME = "python3"
# One thread per kernel and a fixed hash seed: the same sums and the same order of sets on every run.
_STEADY = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
}
_DRAWING = ("copa_nb.reports.figures", "matplotlib.pyplot")
_WITHOUT_BARS = "__import__('copa_nb.run_options', fromlist=['hide_progress']).hide_progress()"
_LONGEST_SOCKET_PATH = 90  # systems allow 104 to 108 characters, of which the port takes some
_KILL = getattr(signal, "SIGKILL", signal.SIGTERM)


class EndedError(Exception):
    """The batch has ended before this report."""


class Manager(AsyncKernelManager):
    """A kernel with its client: nbclient leaves the end of both to whoever has started the kernel."""

    _client: Any = None

    def client(self, **settings: Any) -> Any:
        """Return a client, which is ended with the kernel."""
        self._client = super().client(**settings)
        return self._client

    def end(self) -> None:
        """End the kernel and its client."""
        run_sync(self.shutdown_kernel)(now=True)
        if self._client is not None:
            self._client.stop_channels()


class Kernels:
    """The kernels that run, from whatever thread."""

    def __init__(self) -> None:
        self._running: set[Manager] = set()
        self._starting = threading.Lock()
        self._have_ended = False

    def check(self) -> None:
        """Raise :class:`EndedError` once they have been ended."""
        if self._have_ended:
            raise EndedError

    @contextmanager
    def started(self, cwd: str, *, records: bool = False) -> Iterator[Manager]:
        """Start a kernel in a folder, do not wait until it is ready, and end it with all that it has left behind.

        Call this in a thread without an event loop. papermill would start the kernel as well, but change the folder of
        this whole process, in which other notebooks run, for as long as it lasts.

        Parameters
        ----------
        cwd : str
            The folder.
        records : bool
            Whether the kernel records what cells show, for a notebook that makes no record of its own.
        """
        with tempfile.TemporaryDirectory(prefix="copa-nb-", ignore_cleanup_errors=True) as folder:
            files = os.path.join(folder, "kernel")
            manager = Manager(kernel_name=NAME, connection_file=f"{files}.json")
            if os.name == "posix" and len(os.fsencode(files)) < _LONGEST_SOCKET_PATH:
                manager.transport, manager.ip = "ipc", files  # ports may collide
            with self._starting:
                self.check()
                run_sync(manager.start_kernel)(
                    cwd=cwd,
                    env=_STEADY | os.environ | {"TMPDIR": folder},
                    stdout=subprocess.DEVNULL,
                    stderr=subprocess.DEVNULL,
                    extra_arguments=_arguments(records=records),
                )
                self._running.add(manager)
            try:
                yield manager
            finally:
                self._running.discard(manager)
                manager.end()
                ensure_event_loop().close()  # that of this thread, which Jupyter's libraries have opened

    def end(self) -> None:
        """End all kernels at once, and start no more."""
        with self._starting:
            self._have_ended = True
            for manager in tuple(self._running):
                run_sync(manager.signal_kernel)(_KILL)


def _arguments(*, records: bool) -> list[str]:
    """Let a kernel import what draws while this process imports papermill, at its first report, and show no bars.

    That takes longer than the start of a kernel, so seaborn, which not every report needs, costs nothing then.
    """
    modules = _DRAWING if "papermill" in sys.modules else (*_DRAWING, "seaborn")
    lines = "; ".join([*(f"__import__({module!r})" for module in modules), _WITHOUT_BARS])
    extensions = ["--IPKernelApp.extra_extensions=copa_nb.reports.display"] if records else []
    return ["--HistoryManager.hist_file=:memory:", f"--IPKernelApp.exec_lines={lines}", *extensions]
