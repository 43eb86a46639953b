"""One report: the notebook run through papermill, in a kernel of its own, and the report put in its place."""

from __future__ import annotations

import json
import re
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from copa_nb.reports.assembly import assemble, normalize
from copa_nb.reports.folder import (
    NOTEBOOK,
    building,
    failed_notebook,
    is_current,
    locked,
    put_away,
    put_in_place,
    read_manifest,
    write,
)
from copa_nb.reports.inputs import fingerprint
from copa_nb.reports.jobs import Job
from copa_nb.reports.outcomes import DONE, FAILED, UNCHANGED, Failure, Outcome
from copa_nb.reports.places import table_of

if TYPE_CHECKING:
    from copa_nb.reports.kernels import Kernels

_COLOR_CODES = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_SCHEME = "copa-nb:"
_SECONDS_TO_START = 300
_one_page_at_a_time = threading.Lock()  # nbconvert is not made for threads


def make(
    job: Job, out: Path, kernels: Kernels, *, force: bool = False, on_share: Callable[[float], None] | None = None
) -> Outcome:
    """Make one report, whole or not at all, unless it is already current.

    Parameters
    ----------
    job : Job
        What to make.
    out : Path
        The prepared output folder.
    kernels : Kernels
        Those of the batch.
    force : bool
        Make it again in any case.
    on_share : callable, optional
        Called with the share of it that is done, once it begins and at each cell.

    Returns
    -------
    Outcome

    Raises
    ------
    EndedError
        If the kernels were ended meanwhile; then nothing has changed.
    """
    began, made_of = time.monotonic(), fingerprint(job)
    with locked(out, job.name, while_waiting=kernels.check):
        # Another run may have made it while this one waited for the lock.
        if not force and is_current(out / job.name, made_of):
            forget_failure(job.name, out)
            return Outcome(job.name, UNCHANGED)
        clock = Clock(job, on_share)
        try:
            kept = _build(job, out, kernels, clock, made_of)
            status, failure = DONE, None
            notes = [f"the earlier report has files of yours and is now {kept}."] if kept else []
        except Exception as error:
            kernels.check()
            status, failure = FAILED, failure_of(error, job, clock)
            notes = ["the last successful report is kept."] if read_manifest(out / job.name) else []
    return Outcome(job.name, status, round(time.monotonic() - began, 2), failure, notes)


def _build(job: Job, out: Path, kernels: Kernels, clock: Clock, made_of: str) -> str:
    """Build a report and put it in place; return where an earlier one is now that has files of the user's."""
    with building(out, job.name) as staged:
        try:
            execute(job, staged / NOTEBOOK, kernels, clock)
            with _one_page_at_a_time:
                kernels.check()
                assemble(job, staged, fingerprint=made_of, phases=clock.phases(), table=table_of(job, out))
            kernels.check()
        except Exception as error:
            kernels.check()  # what ends the kernels is no failure of the report
            keep_failure(job, out, failure_of(error, job, clock), partial=staged / NOTEBOOK)
            raise
        kept = put_in_place(out, job.name)
    forget_failure(job.name, out)
    return kept


def execute(job: Job, target: Path, kernels: Kernels, clock: Clock) -> None:
    """Run the notebook of a job through papermill, which writes `target` after every cell and raises its errors.

    What the cells of a notebook show that makes no record itself is recorded for it.
    """
    composes = any("reports.Record(" in "".join(cell["source"]) for cell in clock.cells)
    with kernels.started(job.cwd, records=not composes) as kernel:
        papermill = _papermill()
        kernels.check()
        papermill.execute_notebook(
            _address(job.notebook),
            _address(target),
            parameters=job.cell(),
            kernel_name=kernel.kernel_name,
            km=kernel,
            progress_bar=False,
            start_timeout=_SECONDS_TO_START,
            on_cell_execute=clock.begin,
            timeout_func=clock.remaining,
        )


@lru_cache(maxsize=1)
def _papermill() -> Any:
    """Import papermill, which takes as long as a kernel to start, and let it read and write at addresses of ours."""
    import papermill
    from papermill.iorw import papermill_io

    papermill_io.register(_SCHEME, _Notebooks)
    return papermill


class _Notebooks:
    """How papermill reads and writes what has an address of ours.

    Its own way goes to the folder where it was called first and back each time: with threads, every path of this
    process that is relative means something else meanwhile, and once that folder is gone, nothing can be written.
    """

    @staticmethod
    def read(address: str) -> str:
        """Return a notebook."""
        return Path(address.removeprefix(_SCHEME)).read_text(encoding="utf-8")

    @staticmethod
    def write(text: str, address: str) -> None:
        """Write a notebook."""
        Path(address.removeprefix(_SCHEME)).write_text(text, encoding="utf-8")

    @staticmethod
    def pretty_path(address: str) -> str:
        """Return how the log calls a notebook."""
        return address


def _address(path: Path | str) -> str:
    """Return a path for papermill, which fills in what stands in braces."""
    return _SCHEME + str(Path(path).absolute()).replace("{", "{{").replace("}", "}}")


class Clock:
    """Keeps the time limit of a report, and remembers which cell is running."""

    def __init__(self, job: Job, on_share: Callable[[float], None] | None = None) -> None:
        self.cells = json.loads(Path(job.notebook).read_text(encoding="utf-8"))["cells"]
        self.cell_id: str | None = None
        self._started = time.monotonic()
        self._first_cell: float | None = None
        self._timeout = job.timeout
        self._on_share = on_share or (lambda share: None)
        self._n_cells = sum(cell["cell_type"] == "code" for cell in self.cells)
        self._n_begun = 0
        self._on_share(0.0)

    def begin(self, cell: dict[str, Any], cell_index: int) -> None:
        """Note that a cell begins; papermill adds one, of parameters."""
        self._first_cell = self._first_cell or time.monotonic()
        self.cell_id = cell.get("id", "")
        self._n_begun += 1
        self._on_share(min(self._n_begun, self._n_cells) / (self._n_cells + 1))

    def remaining(self, cell: dict[str, Any]) -> float | None:
        """Return how many seconds a cell may take; 0 would mean no limit."""
        return None if self._timeout is None else max(0.05, self._started + self._timeout - time.monotonic())

    def phases(self) -> dict[str, float]:
        """Return the seconds until the first cell, and of the cells."""
        now = time.monotonic()
        first = self._first_cell or now
        return {"kernel": round(first - self._started, 3), "cells": round(now - first, 3)}

    def place(self) -> str:
        """Name the cell that runs as its author knows it: its number in the notebook and its id."""
        if self.cell_id is None:
            return "starting the kernel"
        for number, cell in enumerate(self.cells, start=1):
            if cell.get("id") == self.cell_id:
                return f"cell {number} of {len(self.cells)} ({self.cell_id})"
        return "the injected parameters"


def failure_of(error: Exception, job: Job, clock: Clock) -> Failure:
    """Say where a report failed, and why."""
    from nbclient.exceptions import CellTimeoutError, DeadKernelError
    from papermill.exceptions import PapermillExecutionError

    if isinstance(error, PapermillExecutionError):
        lines = _COLOR_CODES.sub("", "\n".join(error.traceback))
        return Failure(clock.place(), f"{error.ename}: {error.evalue}", lines)
    if isinstance(error, CellTimeoutError):
        return Failure(clock.place(), f"the report exceeded its time limit of {job.timeout:g} s")
    if isinstance(error, DeadKernelError):
        return Failure(clock.place(), f"the kernel died ({error}); it may have run out of memory")
    if isinstance(error, OSError):
        return Failure("writing the report", f"{error.strerror or error} ({error.filename or job.name})")
    return Failure("making the report", f"{type(error).__name__}: {error}", traceback.format_exc())


def keep_failure(job: Job, out: Path, failure: Failure, *, partial: Path | None = None) -> None:
    """Keep the partial notebook of a run that failed, with the reason, apart from the reports.

    Parameters
    ----------
    job, out
        As for :func:`make`.
    failure : Failure
        Why it failed.
    partial : Path, optional
        The notebook as far as it ran; without one, it did not.
    """
    import nbformat

    ran = partial is not None and partial.is_file()
    notebook = nbformat.read(partial if ran else job.notebook, as_version=4)
    normalize(notebook)
    notebook.metadata["copa_nb"] = {"name": job.name, "failure": asdict(failure)}
    with suppress(OSError):  # of a full disk the outcome tells
        write(out, failed_notebook(Path(), job.name).as_posix(), nbformat.writes(notebook))


def forget_failure(name: str, out: Path) -> None:
    """Remove the notebook of an earlier run that failed; one that was edited is kept under another name."""
    inside = failed_notebook(Path(), name)
    if (out / inside).is_file():
        put_away(out, inside.as_posix(), remove=True)
        for folder in inside.parents[:-1]:
            with suppress(OSError):  # it is not empty
                (out / folder).rmdir()
