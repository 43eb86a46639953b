"""Worker processes, and the events they send: a crash or a time limit costs one report, not the batch."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from copa_nb.reports.fingerprint import Inputs
from copa_nb.reports.jobs import Failure, Job

# What the worker itself may take beyond a notebook's time limit: kernel start, pages, waiting disks.
GRACE_SECONDS = 90.0
_NOISE = ("running over TCP without encryption", "Use IPC transport", "frozen modules", "PYDEVD_DISABLE")


class Worker:
    """One worker process and the job it is at."""

    def __init__(self, events: queue.Queue[tuple[Worker, dict[str, Any] | None]]) -> None:
        self.job: Job | None = None
        self.begun_at = 0.0
        self._reason: Failure | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", "copa_nb.reports.worker"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            start_new_session=os.name == "posix",  # Ctrl-C is for the parent, who ends it in order
        )
        self._listener = threading.Thread(target=self._listen, args=(events,), daemon=True)
        self._listener.start()

    def order(self, job: Job, settings: Mapping[str, Any]) -> None:
        """Send a job."""
        self.job, self.begun_at = job, time.monotonic()
        line = json.dumps({"job": job.to_json(), **settings}) + "\n"
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):  # if it died, its listener says so
            self._process.stdin.write(line.encode())
            self._process.stdin.flush()

    def is_overdue(self) -> bool:
        """Tell whether its job has outlived its time limit although the worker should have ended it."""
        limit = self.job.timeout if self.job else None
        return limit is not None and time.monotonic() - self.begun_at > limit + GRACE_SECONDS

    def kill_overdue(self) -> None:
        """End the process because its job has outlived its time limit."""
        assert self.job is not None
        what = f"the report did not end within its time limit of {self.job.timeout:g} s and was killed"
        self._reason = Failure("running the notebook", what)
        self.kill()

    def kill(self) -> None:
        """End the process at once; its kernel follows within a second."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Let the process end by itself, or end it."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
        self._listener.join(timeout=5)
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._log.close()

    def last_words(self) -> str:
        """Return the end of what the process and its kernels printed, without known noise."""
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").splitlines()
        return "\n".join(line for line in lines if line.strip() and not any(n in line for n in _NOISE))[-2000:]

    def death(self) -> Failure:
        """Say how the process ended."""
        if self._reason is not None:
            return self._reason
        code = self._process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        return Failure("running the notebook", f"the worker process ended unexpectedly ({how})", self.last_words())

    def _listen(self, events: queue.Queue[tuple[Worker, dict[str, Any] | None]]) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            try:
                events.put((self, json.loads(line)))
            except ValueError:
                continue
        events.put((self, None))


class Pool:
    """Runs jobs in worker processes and yields what happens.

    Parameters
    ----------
    size : int
        How many workers at most.
    root : Path
        The output folder.
    inputs : mapping of job name to Inputs
        What each report would be made of.
    force : bool
        Make reports again that stand already.
    """

    def __init__(self, size: int, *, root: Path, inputs: Mapping[str, Inputs], force: bool) -> None:
        self._size = size
        self._settings = {"root": str(root.resolve()), "force": force}
        self._inputs = inputs
        self._events: queue.Queue[tuple[Worker, dict[str, Any] | None]] = queue.Queue()
        self._workers: list[Worker] = []

    def run(self, jobs: list[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Yield ``(job, event)``; every job ends with an event "ended" or "lost".

        Events are "begun", "cell" (with ``cell`` and ``total``), "ended" (with ``outcome``) and "lost"
        (with a ``failure``: the worker died or had to be killed).
        """
        waiting = list(reversed(jobs))
        unfinished = len(jobs)
        try:
            for _ in range(min(self._size, len(jobs))):
                self._start().order(*self._next(waiting))
            while unfinished:
                worker, event = self._next_event()
                job = worker.job
                if worker not in self._workers or job is None:
                    continue
                if event is None:
                    event = {"event": "lost", "failure": worker.death()}
                    self._workers.remove(worker)
                    worker.close()
                ended = event["event"] in ("ended", "lost")
                if ended:
                    unfinished -= 1
                    worker.job = None
                yield job, event
                if ended and waiting:
                    follower = worker if worker in self._workers else self._start()
                    follower.order(*self._next(waiting))
        finally:
            self.end()

    def end(self) -> None:
        """End all workers: idle ones by themselves, busy ones at once."""
        for worker in self._workers:
            if worker.job is not None:
                worker.kill()
        for worker in self._workers:
            worker.close()
        self._workers = []

    def _next(self, waiting: list[Job]) -> tuple[Job, dict[str, Any]]:
        job = waiting.pop()
        return job, {**self._settings, "inputs": asdict(self._inputs[job.name])}

    def _start(self) -> Worker:
        worker = Worker(self._events)
        self._workers.append(worker)
        return worker

    def _next_event(self) -> tuple[Worker, dict[str, Any] | None]:
        while True:
            try:
                return self._events.get(timeout=0.5)
            except queue.Empty:
                for worker in self._workers:
                    if worker.is_overdue():
                        worker.kill_overdue()  # its listener reports the end
