"""Kernels of reports.

``python kernels.py FOLDER MODULE`` runs a module whose first kernel starts while the module imports what it needs: each
takes most of a second. So this file imports nothing of the package.
"""

from __future__ import annotations

import asyncio
import gc
import os
import runpy
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from queue import Empty

from jupyter_client.asynchronous.client import AsyncKernelClient
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync

KERNEL = "python3"
# The libraries' own objects stay: the collector, which would go through them for every figure, need not.
_ARGUMENTS = [
    "--HistoryManager.hist_file=:memory:",
    "--IPKernelApp.exec_lines=__import__('copa_nb.reports.figures'); __import__('matplotlib.pyplot'); "
    "__import__('gc').freeze(); __import__('gc').set_threshold(50_000)",
]
_LONGEST_SOCKET_PATH = 90  # systems allow 104 to 108 characters, of which the port takes some
_socket_folders: set[str] = set()
_waiting: dict[str, tuple[AsyncKernelManager, str]] = {}


class _Client(AsyncKernelClient):
    """Is ready as soon as the kernel answers; the stock client listens on for messages that nobody would read."""

    async def wait_for_ready(self, timeout: float | None = None) -> None:
        """Wait until the kernel answers and its outputs arrive.

        Raises
        ------
        RuntimeError
            If it died.
        TimeoutError
            If it did not answer in `timeout` seconds.
        """
        async with asyncio.timeout(timeout):
            while True:
                self.kernel_info()
                with suppress(Empty):
                    await self.get_shell_msg(timeout=1)
                    await self.get_iopub_msg(timeout=0.2)
                    return
                if not await self.is_alive():
                    raise RuntimeError("Kernel died before replying to kernel_info")


@contextmanager
def started_kernel(cwd: str) -> Iterator[AsyncKernelManager]:
    """Give a kernel that imports what all notebooks need, and end it; do not wait until it is ready."""
    manager, sockets = _waiting.pop(cwd) if cwd in _waiting else _start(cwd)
    try:
        yield manager
    finally:
        if process := getattr(manager.provisioner, "process", None):
            # By itself: the manager would look again after a tenth of a second.
            process.kill()
            process.wait()
        run_sync(manager.shutdown_kernel)(now=True)
        _remove(sockets)


def _start(cwd: str) -> tuple[AsyncKernelManager, str]:
    """Start a kernel, connected through sockets in a private folder: no port to collide on or to listen in on."""
    manager = AsyncKernelManager(kernel_name=KERNEL, client_factory=_Client)
    folder = tempfile.mkdtemp(prefix="copa-nb-")
    _socket_folders.add(folder)
    sockets = Path(folder) / "kernel"
    if os.name == "posix" and len(str(sockets)) < _LONGEST_SOCKET_PATH:
        manager.transport, manager.ip = "ipc", str(sockets)
    try:
        # Its output goes where errors go: the output of a worker is read as events.
        run_sync(manager.start_kernel)(cwd=cwd, extra_arguments=_ARGUMENTS, stdout=sys.stderr)
    except BaseException:
        _remove(folder)
        raise
    return manager, folder


def remove_sockets() -> None:
    """Remove the folders of all kernels' sockets, for a process that is about to exit at once."""
    for folder in list(_socket_folders):
        _remove(folder)


def _remove(folder: str) -> None:
    shutil.rmtree(folder, ignore_errors=True)
    _socket_folders.discard(folder)


if __name__ == "__main__":
    folder, module = sys.argv[1:]
    gc.set_threshold(50_000)  # as in the kernel: importing and writing make many objects, and hardly any garbage
    sys.modules["copa_nb.reports.kernels"] = sys.modules[__name__]
    with suppress(Exception):  # the first report says why a kernel cannot start
        _waiting[folder] = _start(folder)
    runpy.run_module(module, run_name="__main__")
