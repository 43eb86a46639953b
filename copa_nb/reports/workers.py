"""Worker processes, on this machine or on a Dask cluster: a crash or a time limit costs one report, not the batch.

A worker (this module, run by ``kernels.py``) takes jobs as JSON lines on standard input and reports events as JSON
lines on standard output: "begun", "cell" (with ``cell`` and ``total``) and "ended" (with ``outcome``), or "busy" for a
job that another run is at: the pool offers it again when there is nothing else to do. The pools add
"lost" (with a ``failure``) for a job whose worker died or was killed. A worker exits when its input ends, so that
nothing outlives the run that started it, however that ends.
"""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import IO, Any

from copa_nb import checks
from copa_nb.parallel import cluster_client, processors_of
from copa_nb.reports.assembly import produce, salvage
from copa_nb.reports.jobs import STEADY_ENVIRONMENT, Failure, Job
from copa_nb.reports.store import Store, package_hash

# Time that a worker itself may take beyond a notebook's time limit: kernel start, pages, waiting disks.
GRACE_SECONDS = 90.0
_NOISE = ("running over TCP without encryption", "Use IPC transport", "frozen modules", "PYDEVD_DISABLE")
_SECONDS_FOR_CLUSTER = 30
# Workers of a cluster that may die under one report before it counts as the report's fault.
_RETRIES = 3
_ENDS = ("ended", "lost")

Event = dict[str, Any]


class Pool:
    """Runs jobs in worker processes and yields what happens.

    Parameters
    ----------
    size : int
        Most workers at a time.
    root : Path
        The output folder.
    fingerprints : mapping of job name to str
        What each report would be made of.
    force : bool
        Make reports again that are current.
    """

    def __init__(self, size: int, *, root: Path, fingerprints: Mapping[str, str], force: bool) -> None:
        self._size = size
        self._settings = {"root": str(root.resolve()), "force": force}
        self._fingerprints = fingerprints
        self._events: queue.Queue[tuple[_Worker, Event | None]] = queue.Queue()
        self._workers: list[_Worker] = []

    def run(self, jobs: list[Job]) -> Iterator[tuple[Job, Event]]:
        """Yield ``(job, event)`` for every event of every job; the last of a job is "ended" or "lost"."""
        waiting = deque((job, False) for job in jobs)
        unfinished = len(jobs)
        try:
            for _ in range(min(self._size, len(jobs))):
                self._send(*waiting.popleft())
            while unfinished:
                worker, event = self._next_event()
                job = worker.job
                if worker not in self._workers or job is None:
                    continue
                if event is None:
                    event = {"event": "lost", "failure": worker.death()}
                    self._workers.remove(worker)
                    worker.close()
                if event["event"] == "busy":
                    waiting.append((job, True))  # when the others are made it waits for that run
                unfinished -= event["event"] in _ENDS
                is_free = event["event"] in (*_ENDS, "busy")
                if is_free:
                    worker.job = None
                yield job, event
                if is_free and waiting:
                    self._send(*waiting.popleft(), worker if worker in self._workers else None)
        finally:
            for worker in self._workers:
                if worker.job is not None:
                    worker.kill()
            for worker in self._workers:
                worker.close()
            self._workers = []

    def _send(self, job: Job, wait: bool, worker: _Worker | None = None) -> None:
        if worker is None:
            worker = _Worker(self._events, job.cwd)
            self._workers.append(worker)
        worker.send(job, {**self._settings, "wait": wait, "fingerprint": self._fingerprints[job.name]})

    def _next_event(self) -> tuple[_Worker, Event | None]:
        while True:
            try:
                return self._events.get(timeout=0.5)
            except queue.Empty:
                for worker in self._workers:
                    worker.kill_if_overdue()  # its listener reports the end


class _Worker:
    """One worker process and its current job."""

    def __init__(self, events: queue.Queue[tuple[_Worker, Event | None]], cwd: str) -> None:
        self.job: Job | None = None
        self._begun_at = 0.0
        self._overdue: Failure | None = None
        self._log: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115 - lives as long as the process
        self._process = subprocess.Popen(
            [sys.executable, "-P", str(Path(__file__).with_name("kernels.py")), cwd, __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            env=STEADY_ENVIRONMENT | os.environ,
            start_new_session=os.name == "posix",  # Ctrl-C is for the parent, who ends its workers in order
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._orders, self._answers = self._process.stdin, self._process.stdout
        self._listener = threading.Thread(target=self._listen, args=(events,), daemon=True)
        self._listener.start()

    def send(self, job: Job, settings: Mapping[str, Any]) -> None:
        """Send a job."""
        self.job, self._begun_at = job, time.monotonic()
        line = json.dumps({"job": asdict(job), **settings}) + "\n"
        with suppress(OSError):  # if the process died, its listener reports it
            self._orders.write(line.encode())
            self._orders.flush()

    def kill_if_overdue(self) -> None:
        """Kill the process if its job has outlived its time limit and the worker did not end it."""
        limit = self.job.timeout if self.job else None
        if limit is not None and time.monotonic() - self._begun_at > limit + GRACE_SECONDS:
            what = f"the report did not end within its time limit of {limit:g} s and was killed"
            self._overdue = Failure("running the notebook", what)
            self.kill()

    def kill(self) -> None:
        """Kill the process at once; its kernel follows within a second."""
        self._process.kill()
        self._process.wait()

    def close(self) -> None:
        """Let the process exit by itself, or kill it."""
        with suppress(OSError):
            self._orders.close()
        try:
            self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.kill()
        self._listener.join(timeout=5)
        self._answers.close()
        self._log.close()

    def death(self) -> Failure:
        """Describe how the process ended, with the last lines that it and its kernels printed."""
        if self._overdue is not None:
            return self._overdue
        code = self._process.wait()
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        self._log.seek(0)
        lines = self._log.read().decode("utf-8", "replace").splitlines()
        printed = "\n".join(line for line in lines if line.strip() and not any(noise in line for noise in _NOISE))
        what = f"the worker process ended unexpectedly ({how})"
        return Failure("running the notebook", what, printed[-2000:])

    def _listen(self, events: queue.Queue[tuple[_Worker, Event | None]]) -> None:
        for line in self._answers:
            with suppress(ValueError):
                events.put((self, json.loads(line)))
        events.put((self, None))


class ClusterPool:
    """Does what :class:`Pool` does, on the workers of a Dask cluster: one task for each report.

    All workers must see the same output folder (a shared file system): they take the same locks, build in the same
    staging folders and publish whole reports, so that a batch resumes as it does on one machine.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Address of the cluster, or a client.
    root : Path
        The output folder, which every worker must see under the same name.
    fingerprints : mapping of job name to str
        What each report would be made of.
    force : bool
        Make reports again that are current.
    """

    def __init__(self, scheduler: Any, *, root: Path, fingerprints: Mapping[str, str], force: bool) -> None:
        self._scheduler = scheduler
        self._root = root.resolve()
        self._fingerprints = fingerprints
        self._force = force

    def run(self, jobs: list[Job]) -> Iterator[tuple[Job, Event]]:
        """Yield ``(job, event)`` as :meth:`Pool.run` does.

        Raises
        ------
        ValueError
            Before anything runs: if there is no worker, or one cannot do the work.
        """
        if not jobs:
            return
        by_name = {job.name: job for job in jobs}
        events: queue.Queue[Event] = queue.Queue()
        topic = f"copa_nb-{uuid.uuid4().hex}"
        with cluster_client(self._scheduler) as client:
            self._check_workers(client, jobs)
            client.subscribe_topic(topic, lambda event: events.put(event[1]))
            futures = {job.name: self._submit(client, job, topic) for job in jobs}
            for name, future in futures.items():
                future.add_done_callback(lambda done, name=name: events.put({"name": name, "event": "finished"}))
            unfinished = set(futures)
            try:
                while unfinished:
                    event = events.get()
                    name = event["name"]
                    if name not in unfinished:
                        continue
                    if event["event"] == "finished":
                        unfinished.discard(name)
                        event = _last_event(futures[name])
                    yield by_name[name], event
            finally:
                client.cancel(list(futures.values()))
                client.unsubscribe_topic(topic)

    def _submit(self, client: Any, job: Job, topic: str) -> Any:
        arguments = (asdict(job), str(self._root), self._fingerprints[job.name], self._force, topic)
        return client.submit(make_on_cluster, *arguments, pure=False, retries=_RETRIES, key=f"{topic}-{job.name}")

    def _check_workers(self, client: Any, jobs: list[Job]) -> None:
        from distributed import TimeoutError as NoWorkerError

        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_CLUSTER)
        except (NoWorkerError, TimeoutError) as error:
            raise ValueError(
                f"`scheduler` has no workers after {_SECONDS_FOR_CLUSTER} s; start some: dask worker ADDRESS."
            ) from error
        needed = sorted({str(self._root), *(job.notebook for job in jobs), *(job.cwd for job in jobs)})
        token = self._root / f".copa-nb-{uuid.uuid4().hex}"
        token.touch()
        try:
            answers = client.run(missing_paths, [*needed, str(token)])
        finally:
            token.unlink()
        here = package_hash()
        for address, (missing, there) in answers.items():
            if missing:
                raise ValueError(
                    f"`scheduler`: the worker at {address} does not see {checks.listed(missing, 3)}; put the output "
                    "folder and the notebooks where all workers find them under the same names."
                )
            if there != here:
                raise ValueError(
                    f"`scheduler`: the worker at {address} has another version of copa_nb than this process; "
                    "install the same one everywhere."
                )


def cluster_size(scheduler: Any) -> int:
    """Return how many reports a cluster makes at once."""
    with cluster_client(scheduler) as client:
        return processors_of(client)


def missing_paths(paths: list[str]) -> tuple[list[str], str]:
    """Return, on a worker of a cluster, the paths that it does not see and the hash of its copa_nb."""
    return [path for path in paths if not Path(path).exists()], package_hash()


def make_on_cluster(job: dict[str, Any], root: str, fingerprint: str, force: bool, topic: str) -> Event:
    """Make one report on a worker of a cluster, in a process of its own; return its last event.

    Parameters
    ----------
    job : dict
        The fields of a Job.
    fingerprint : str
        What the report would be made of.
    root : str
        The output folder.
    force : bool
        Make it again even if it is current.
    topic : str
        Where to log the other events.
    """
    from distributed import get_worker

    pool = Pool(1, root=Path(root), fingerprints={job["name"]: fingerprint}, force=force)
    event: Event = {}
    for _, event in pool.run([Job(**job)]):
        if event["event"] not in _ENDS:
            get_worker().log_event(topic, {**event, "name": job["name"]})
    return event


def _last_event(future: Any) -> Event:
    """Return the event that a report ended with, or that it was lost with its workers."""
    error = future.exception()
    if error is not None:
        return {"event": "lost", "failure": Failure("running the notebook", f"{type(error).__name__}: {error}")}
    event: Event = future.result()
    return event


def main() -> None:
    """Make reports as a worker process, until standard input ends."""
    # What libraries print must not get between the lines that the parent reads.
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8", buffering=1)
    os.dup2(2, 1)
    orders: queue.Queue[str] = queue.Queue()
    sys.setswitchinterval(0.0005)  # warming up must not hold up the messages of the kernel
    threading.Thread(target=_read_orders, args=(orders,), daemon=True).start()
    # jsonschema would build a grammar for addresses, which notebooks do not have; it takes longer than
    # all the rest together, and jsonschema does without it where it is not installed.
    sys.modules.setdefault("rfc3987_syntax", None)  # type: ignore[arg-type]
    while True:
        _make(json.loads(orders.get()), answers)


def _read_orders(orders: queue.Queue[str]) -> None:
    for line in sys.stdin:
        orders.put(line)
    from copa_nb.reports.kernels import remove_sockets

    # The parent is gone, or has no more work; kernels notice within a second that this process is gone.
    remove_sockets()
    os._exit(0)


def _warm_up_pages(notebook: str) -> None:
    """Import what makes pages, and compile its templates, while the kernel is busy with its first cells."""
    import nbformat

    from copa_nb.explorers import widget as widget  # whose script a page names
    from copa_nb.reports.page import to_html

    to_html(nbformat.read(notebook, as_version=4))


def _make(order: dict[str, Any], answers: IO[str]) -> None:
    def tell(event: str, **details: Any) -> None:
        answers.write(json.dumps({"event": event, **details}) + "\n")

    job, store, fingerprint = Job(**order["job"]), Store(order["root"]), order["fingerprint"]

    def on_cell(cell: int, total: int) -> None:
        tell("cell", cell=cell, total=total)
        if cell == 1:
            threading.Thread(target=_warm_up_pages, args=(job.notebook,), daemon=True).start()

    tell("begun")
    try:
        outcome = produce(
            job,
            store,
            fingerprint=fingerprint,
            force=order["force"],
            wait=order["wait"],
            on_cell=on_cell,
        )
    except Exception as error:
        import traceback

        failure = Failure("making the report", f"{type(error).__name__}: {error}", traceback.format_exc())
        outcome = salvage(job, store, fingerprint=fingerprint, failure=failure)
    if outcome is None:
        tell("busy")
    else:
        tell("ended", outcome=asdict(outcome))


if __name__ == "__main__":
    main()
