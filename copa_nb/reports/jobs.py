"""A job: one notebook with checked parameters, its run through papermill, and its outcome."""

from __future__ import annotations

import contextlib
import json
import logging
import os
import re
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copa_nb.checks import one_of
from copa_nb.reports.catalog import Entry
from copa_nb.reports.parameters import checked, declared

if TYPE_CHECKING:
    from jupyter_client.manager import AsyncKernelManager

DONE, UNCHANGED, FAILED = "done", "unchanged", "failed"
FORMATS = ("html", "pdf")
KERNEL = "python3"
_DRAWING = ("copa_nb.reports.figures", "matplotlib.pyplot")
_LONGEST_SOCKET_PATH = 90  # systems allow 104 to 108 characters, of which the port takes some
_COLOR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")


@dataclass(frozen=True)
class Job:
    """One notebook with its parameters, and the folder its report goes to; plain data that travels as JSON.

    Parameters
    ----------
    name : str
        The report's folder below the output folder, with ``/`` between its parts.
    notebook : str
        Path of the notebook.
    parameters : dict
        Checked parameters, JSON data only.
    cwd : str
        Folder that relative paths among the parameters start from.
    formats : sequence of {"html", "pdf"}
        Pages to write.
    timeout : float or None
        Seconds the notebook may take.
    """

    name: str
    notebook: str
    parameters: dict[str, Any]
    cwd: str = "."
    formats: Sequence[str] = ("html",)
    timeout: float | None = None


@dataclass(frozen=True)
class Failure:
    """Why a report is not complete.

    Parameters
    ----------
    where : str
        The cell, or the step after the cells.
    what : str
        The error in one or a few lines.
    traceback : str
        As the kernel gave it, without colors.
    """

    where: str
    what: str
    traceback: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


def refusal_lines(refused: Mapping[str, Failure]) -> list[str]:
    """List reports whose tables cannot be used, each with the reason."""
    return [f"  {name}: {failure}" for name, failure in refused.items()]


def refusal_text(refused: Mapping[str, Failure], n_tables: int) -> str:
    """Say which tables cannot be used and why: once if all of them have one reason, such as an option."""
    reasons = {failure.what for failure in refused.values()}
    if len(refused) == n_tables and len(reasons) == 1:
        return reasons.pop()
    return "\n".join([f"{len(refused)} of {n_tables} tables cannot be used:", *refusal_lines(refused)])


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Parameters
    ----------
    name : str
        That of the job.
    status : {"done", "unchanged", "failed"}
        Unchanged: the report of an earlier run with the same inputs is still there.
    seconds : float
        Time taken.
    failure : Failure or None
        For failed jobs.
    notes : sequence of str
        What the user should know besides, e.g. which files of their own were kept.
    """

    name: str
    status: str
    seconds: float = 0.0
    failure: Failure | None = None
    notes: Sequence[str] = ()


def make_job(
    entry: Entry,
    parameters: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    cwd: Path | str = ".",
    formats: Sequence[str] = (),
    timeout: float | None = None,
) -> Job:
    """Check everything about a job that can be checked before it runs.

    Parameters
    ----------
    entry : Entry
        The notebook.
    parameters : mapping, optional
        Values as Python objects or as text.
    name : str
        Folder of the report; by default that of the notebook.
    cwd, formats, timeout
        See :class:`Job`; the HTML page is always written.

    Returns
    -------
    Job

    Raises
    ------
    ValueError, TypeError
        For unknown names and for values that do not fit.
    """
    for kind in formats:
        one_of("format", kind, FORMATS)
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and timeout > 0):
        raise ValueError(f"`timeout` is {timeout!r}; it must be a positive number of seconds.")
    values = checked(parameters or {}, declared(entry.path), report=entry.name)
    pages = tuple(dict.fromkeys(("html", *formats)))
    return Job(name or entry.name, str(entry.path), values, str(Path(cwd).resolve()), pages, timeout)


@dataclass
class Execution:
    """How a run went: why it failed, if it did, seconds per phase, and the id of a cell that was killed."""

    failure: Failure | None = None
    phases: dict[str, float] = field(default_factory=dict)
    killed_cell: str | None = None


def execute(job: Job, target: Path, *, on_cell: Callable[[int, int], None] | None = None) -> Execution:
    """Run the notebook of a job through papermill; if it fails, `target` is the partial notebook.

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
    cells = json.loads(Path(job.notebook).read_text(encoding="utf-8"))["cells"]
    clock = _Clock(job.timeout, on_cell, n_cells=sum(cell["cell_type"] == "code" for cell in cells))
    failure, killed_cell = None, None
    with _started_kernel(job.cwd) as kernel, contextlib.chdir(target.parent):
        # Imported only now, while the kernel starts.
        import papermill
        from nbclient.exceptions import CellTimeoutError, DeadKernelError
        from papermill.exceptions import PapermillExecutionError

        logging.getLogger("papermill").setLevel(logging.ERROR)
        try:
            papermill.execute_notebook(
                os.path.abspath(job.notebook),
                target.name,  # papermill writes the path into the notebook, which cannot hold every folder's name
                parameters=job.parameters,
                kernel_name=KERNEL,
                km=kernel,
                progress_bar=False,
                on_cell_execute=clock.begin,
                timeout_func=clock.remaining,
            )
        except PapermillExecutionError as error:
            traceback = _COLOR_CODES.sub("", "\n".join(error.traceback))
            failure = Failure(_cell_in_words(clock.cell_id, cells), f"{error.ename}: {error.evalue}", traceback)
        except (CellTimeoutError, DeadKernelError) as error:
            what = f"the kernel died ({error}); it may have run out of memory"
            if isinstance(error, CellTimeoutError):
                what = f"the report exceeded its time limit of {job.timeout:g} s"
            failure, killed_cell = Failure(_cell_in_words(clock.cell_id, cells), what), clock.cell_id
    return Execution(failure, clock.phases(), killed_cell)


@contextlib.contextmanager
def _started_kernel(cwd: str) -> Iterator[AsyncKernelManager]:
    """Start a kernel, do not wait until it is ready, and end it; sockets in files cannot collide as ports do."""
    from jupyter_client.manager import AsyncKernelManager
    from jupyter_core.utils import run_sync

    with tempfile.TemporaryDirectory() as folder:
        manager, sockets = AsyncKernelManager(kernel_name=KERNEL), os.path.join(folder, "kernel")
        if os.name == "posix" and len(os.fsencode(sockets)) < _LONGEST_SOCKET_PATH:
            manager.transport, manager.ip = "ipc", sockets
        run_sync(manager.start_kernel)(cwd=cwd, extra_arguments=_kernel_arguments())
        try:
            yield manager
        finally:
            run_sync(manager.shutdown_kernel)(now=True)


def _kernel_arguments() -> list[str]:
    """Let the kernel import what draws while it waits for this process, which imports papermill at its first report.

    That takes longer than the start of a kernel, so seaborn, which not every report needs, costs nothing then.
    """
    modules = _DRAWING if "papermill" in sys.modules else (*_DRAWING, "seaborn")
    lines = "; ".join(f"__import__({module!r})" for module in modules)
    return ["--HistoryManager.hist_file=:memory:", f"--IPKernelApp.exec_lines={lines}"]


class _Clock:
    """Keeps the deadline and remembers which cell is running."""

    def __init__(self, timeout: float | None, on_cell: Callable[[int, int], None] | None, *, n_cells: int) -> None:
        self._started = time.monotonic()
        self._first_cell: float | None = None
        self._timeout = timeout
        self._on_cell = on_cell
        self._n_cells = n_cells
        self._n_begun = 0
        self.cell_id: str | None = None

    def begin(self, cell: dict[str, Any], cell_index: int) -> None:
        self._first_cell = self._first_cell or time.monotonic()
        self.cell_id = cell.get("id", "")
        self._n_begun += 1
        if self._on_cell is not None:
            self._on_cell(min(self._n_begun, self._n_cells), self._n_cells)

    def remaining(self, cell: dict[str, Any]) -> float | None:
        if self._timeout is None:
            return None
        return max(0.05, self._started + self._timeout - time.monotonic())

    def phases(self) -> dict[str, float]:
        now = time.monotonic()
        first = self._first_cell or now
        return {"kernel": round(first - self._started, 3), "cells": round(now - first, 3)}


def _cell_in_words(cell_id: str | None, cells: list[dict[str, Any]]) -> str:
    """Name a cell as its author knows it: its number in the notebook and its id."""
    if cell_id is None:
        return "starting the kernel"
    for number, cell in enumerate(cells, start=1):
        if cell.get("id") == cell_id:
            return f"cell {number} of {len(cells)} ({cell_id})"
    return "the injected parameters"


def shared_folders(jobs: Sequence[Job]) -> list[str]:
    """Return the folders that more than one job would write to."""
    names = [job.name for job in jobs]
    return sorted({name for name in names if names.count(name) > 1})
