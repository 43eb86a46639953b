"""Run one notebook through papermill, and say what happened to it."""

from __future__ import annotations

import json
import logging
import os
import re
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from copa_nb.reports.jobs import Failure, Job

# One thread per kernel and a fixed hash seed: the same sums and the same order of sets on every run.
STEADY_ENVIRONMENT = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
_LONGEST_SOCKET_PATH = 90  # systems allow 104 to 108 characters, of which the port takes some
_socket_folders: set[str] = set()
_COLOUR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass
class Execution:
    """How a run went: why it failed, if it did, the seconds of each phase, and the cell that was cut short."""

    failure: Failure | None = None
    phases: dict[str, float] = field(default_factory=dict)
    cut_short: str | None = None


def execute(job: Job, target: Path, *, on_cell: Callable[[int, int], None] | None = None) -> Execution:
    """Run the notebook of a job; whatever happens, the copy as far as it got is in `target`.

    Parameters
    ----------
    job : Job
        What to run.
    target : Path
        The executed notebook, written after every cell.
    on_cell : callable, optional
        Called with the number of cells begun and their total.

    Returns
    -------
    Execution

    Raises
    ------
    OSError
        If `target` cannot be written.
    """
    import papermill
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    logging.getLogger("papermill").setLevel(logging.ERROR)
    cells = json.loads(Path(job.notebook).read_text(encoding="utf-8"))["cells"]
    clock = _Clock(job.timeout, on_cell, n_cells=sum(cell["cell_type"] == "code" for cell in cells))
    execution = Execution()
    try:
        with _kernel_settings() as settings:
            papermill.execute_notebook(
                job.notebook,
                str(target),
                parameters=job.parameters,
                kernel_name="python3",
                progress_bar=False,
                cwd=job.cwd,
                on_cell_start=clock.begin,
                timeout_func=clock.remaining,
                shutdown_kernel="immediate",
                config=settings,
            )
    except PapermillExecutionError as error:
        traceback = _COLOUR_CODES.sub("", "\n".join(error.traceback))
        execution.failure = Failure(_spoken(clock.cell, cells), f"{error.ename}: {error.evalue}", traceback)
    except CellTimeoutError:
        what = f"the report did not end within its time limit of {job.timeout:g} s"
        execution.failure = Failure(_spoken(clock.cell, cells), what)
        execution.cut_short = clock.cell_id
    except DeadKernelError as error:
        what = f"the kernel died ({error}); it may have run out of memory"
        execution.failure = Failure(_spoken(clock.cell, cells), what)
        execution.cut_short = clock.cell_id
    execution.phases = clock.phases()
    return execution


class _Clock:
    """Keeps the deadline and remembers which cell is running."""

    def __init__(self, timeout: float | None, on_cell: Callable[[int, int], None] | None, *, n_cells: int) -> None:
        self._started = time.monotonic()
        self._first_cell: float | None = None
        self._timeout = timeout
        self._on_cell = on_cell
        self._n_cells = n_cells
        self._begun = 0
        self.cell: dict[str, Any] | None = None

    def begin(self, cell: dict[str, Any], cell_index: int) -> None:
        if self._first_cell is None:
            self._first_cell = time.monotonic()
        self.cell = cell
        self._begun += 1
        if self._on_cell is not None:
            self._on_cell(min(self._begun, self._n_cells), self._n_cells)

    @property
    def cell_id(self) -> str | None:
        return None if self.cell is None else self.cell.get("id")

    def remaining(self, cell: dict[str, Any]) -> float | None:
        if self._timeout is None:
            return None
        return max(0.05, self._started + self._timeout - time.monotonic())

    def phases(self) -> dict[str, float]:
        ended, first = time.monotonic(), self._first_cell or time.monotonic()
        return {"kernel": round(first - self._started, 3), "cells": round(ended - first, 3)}


def spoken_cell(cell_id: str, cells: list[dict[str, Any]]) -> str:
    """Name a cell as its author knows it: its number in the notebook and its id."""
    for number, cell in enumerate(cells, start=1):
        if cell.get("id") == cell_id:
            return f"cell {number} of {len(cells)} ({cell_id})"
    return "the injected parameters"


def _spoken(cell: dict[str, Any] | None, cells: list[dict[str, Any]]) -> str:
    return "starting the kernel" if cell is None else spoken_cell(cell.get("id", ""), cells)


@contextmanager
def _kernel_settings() -> Iterator[Any]:
    """Sockets in a folder of the run's own instead of TCP ports: none to collide on, none to listen in on."""
    from traitlets.config import Config

    settings = Config()
    folder = tempfile.mkdtemp(prefix="copa-nb-")
    _socket_folders.add(folder)
    try:
        sockets = Path(folder) / "kernel"
        if os.name == "posix" and len(str(sockets)) < _LONGEST_SOCKET_PATH:
            settings.KernelManager.transport = "ipc"
            settings.KernelManager.ip = str(sockets)
        yield settings
    finally:
        remove_sockets()


def remove_sockets() -> None:
    """Remove the folders of kernels' sockets; also for a process that is about to end at once."""
    for folder in list(_socket_folders):
        shutil.rmtree(folder, ignore_errors=True)
        _socket_folders.discard(folder)
