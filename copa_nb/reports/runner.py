"""Reports in processes of their own, here or on a Dask cluster: a crash or a time limit costs one report only.

A worker process (:func:`work`) reads orders as JSON lines from standard input and appends events, JSON lines too, to a
file in a temporary folder that is its own and its kernels': everything that they leave behind goes with that folder.
A worker ends when its input ends, so that nothing outlives the run that started it, however that ends.

An event has ``cell`` and ``total`` (cells begun, of how many), ``busy`` (another run is making this report: it is
offered again after the others), ``outcome`` (the report is finished) or ``failure`` (its worker died or was stopped).
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import uuid
from collections import deque
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from copa_nb.arrays.parallel import cluster_client, processors, processors_of
from copa_nb.checks import integer, listed
from copa_nb.reports.assembly import produce, salvage
from copa_nb.reports.jobs import FAILED, UNCHANGED, Failure, Job, Outcome, shared_folders
from copa_nb.reports.overview import write_overview
from copa_nb.reports.store import Store, fingerprints, package_hash, parameter_files, read_manifest

# What a worker itself may take beyond the time limit of a notebook: kernel start, pages, waiting disks.
GRACE_SECONDS = 90.0
# One thread per kernel and a fixed hash seed: the same sums and the same order of sets on every run.
_STEADY = {
    "PYTHONHASHSEED": "0",
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "PYDEVD_DISABLE_FILE_VALIDATION": "1",
}
_EVENTS, _LOG = "events.jsonl", "log.txt"
_NOISE = ("running over TCP without encryption", "Use IPC transport", "frozen modules", "PYDEVD_DISABLE")
_SECONDS_BETWEEN_LOOKS = 0.05
_SECONDS_TO_END = 10.0
_SECONDS_FOR_CLUSTER = 30
# Workers of a cluster that may die during one report before this counts as the report's fault.
_RETRIES = 3
_EXPECTED_SECONDS = 8.0

Event = dict[str, Any]
Order = dict[str, Any]


@dataclass(frozen=True)
class Progress:
    """How far a batch is.

    Parameters
    ----------
    total, finished : int
        Reports in all, and those that are finished.
    seconds_left : float or None
        An estimate from earlier runs and from this one.
    running : dict
        Share done of each report in progress.
    """

    total: int
    finished: int = 0
    seconds_left: float | None = None
    running: dict[str, float] = field(default_factory=dict)


Watcher = Callable[[Progress, Outcome | None], None]


def run_batch(
    jobs: Sequence[Job],
    out: Path | str,
    *,
    n_jobs: int | None = None,
    force: bool = False,
    watch: Watcher | None = None,
    scheduler: Any = None,
    refused: Mapping[str, Failure] | None = None,
    fail_fast: bool = False,
) -> list[Outcome]:
    """Make reports and the overview of the folder.

    Parameters
    ----------
    jobs : sequence of Job
        Checked jobs, each with a folder of its own.
    out : Path
        The output folder.
    n_jobs : int, optional
        Processes; by default one per processor.
    force : bool
        Make reports again whose inputs have not changed.
    watch : callable, optional
        Called with a :class:`Progress` at every event, and with the outcome when a report is finished.
    scheduler : str or distributed.Client, optional
        A Dask cluster to make the reports on, one task each; its workers must see `out`. `n_jobs` is then
        the cluster's.
    refused : mapping of name to Failure, optional
        Jobs that cannot run, because of their tables; they are listed as failed.
    fail_fast : bool
        Start no other report once one has failed.

    Returns
    -------
    list of Outcome
        In the order of the jobs; without those that were not finished.

    Raises
    ------
    FolderError
        If the output folder cannot be written to.
    ValueError
        If two jobs have one folder, if a folder is taken by anything but the report itself, or if `n_jobs` is not a
        positive number.
    """
    if scheduler is not None:
        with cluster_client(scheduler) as client:
            size = processors_of(client)
    else:
        size = processors() if n_jobs is None else integer("n_jobs", n_jobs)
    if shared := shared_folders(jobs):
        raise ValueError(f"Several reports would be written to the folder {listed(shared)}; give each its own `name`.")
    store = Store(out)
    store.check_places(jobs)
    store.prepare()
    store.sweep()
    batch = _Batch([_with_readable_names(job, store) for job in jobs], store, size, watch)
    try:
        batch.run(force, scheduler, refused or {}, fail_fast)
    finally:
        # Also after an interruption: what is finished can be read.
        write_overview(store)
    return [batch.outcomes[job.name] for job in jobs if job.name in batch.outcomes]


def _with_readable_names(job: Job, store: Store) -> Job:
    """Replace files by copies where their names are not UTF-8: neither notebooks nor pages can hold such names."""
    copies = {}
    for text, path in parameter_files(job).items():
        if "\ufffd" in (name := os.fsencode(text).decode("utf-8", "replace")):
            copies[text] = os.path.relpath(store.keep_table(path, Path(name).name), job.cwd)

    def readable(value: Any) -> Any:
        if isinstance(value, list):
            return [readable(inner) for inner in value]
        return copies.get(value, value) if isinstance(value, str) else value

    return replace(job, parameters={name: readable(value) for name, value in job.parameters.items()})


class _Batch:
    """The state of a running batch; estimates the time left from what each report took last time."""

    def __init__(self, jobs: Sequence[Job], store: Store, size: int, watch: Watcher | None) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._jobs = {job.name: job for job in jobs}
        self._store = store
        self._size = size
        self._watch = watch
        manifests = {name: read_manifest(store.folder_of(name)) for name in self._jobs}
        seconds = {name: manifest["run"]["seconds"] for name, manifest in manifests.items() if manifest}
        mean = sum(seconds.values()) / len(seconds) if seconds else _EXPECTED_SECONDS
        self._expected = {name: seconds.get(name, mean) for name in self._jobs}
        self._begun: dict[str, float] = {}
        self._shares: dict[str, float] = {}
        self._seconds_expected = self._seconds_taken = 0.0

    def run(self, force: bool, scheduler: Any, refused: Mapping[str, Failure], fail_fast: bool) -> None:
        current = fingerprints(list(self._jobs.values()))
        orders: list[Order] = []
        for name, job in self._jobs.items():
            if failure := refused.get(name):
                self._finish(salvage(job, self._store, fingerprint=current[name], failure=failure))
            elif not force and self._store.is_current(name, current[name]):
                self._finish(Outcome(name, UNCHANGED))
            else:
                settings = {"root": str(self._store.root.resolve()), "force": force, "wait": False}
                orders.append({"job": asdict(job), "fingerprint": current[name], **settings})
        # Long ones first, so that none is left running alone at the end.
        orders.sort(key=lambda order: -self._expected[order["job"]["name"]])
        made = make_here(orders, self._size) if scheduler is None else make_on_cluster(orders, scheduler)
        with closing(made) as events:
            for name, event in events:
                if "cell" in event:
                    self._begun.setdefault(name, time.monotonic())
                    self._shares[name] = event["cell"] / (event["total"] + 1)
                    self._report(None)
                elif "busy" in event:
                    del self._begun[name], self._shares[name]
                    self._report(None)
                else:
                    self._end(name, event, current[name])
                    if fail_fast and self.outcomes[name].status == FAILED:
                        return

    def _end(self, name: str, event: Event, fingerprint: str) -> None:
        seconds = time.monotonic() - self._begun.get(name, time.monotonic())
        self._seconds_taken += seconds
        self._seconds_expected += self._expected[name]
        if "outcome" in event:
            outcome = Outcome(**event["outcome"])
            failure = event["outcome"]["failure"]
            outcome = replace(outcome, failure=failure and Failure(**failure))
        else:
            failure = Failure(**event["failure"])
            outcome = salvage(self._jobs[name], self._store, fingerprint=fingerprint, failure=failure)
            outcome = replace(outcome, seconds=round(seconds, 2))
        self._finish(outcome)

    def _finish(self, outcome: Outcome) -> None:
        self.outcomes[outcome.name] = outcome
        self._shares.pop(outcome.name, None)
        self._report(outcome)

    def _report(self, outcome: Outcome | None) -> None:
        if self._watch is None:
            return
        left = [
            seconds * (1 - self._shares.get(name, 0.0))
            for name, seconds in self._expected.items()
            if name not in self.outcomes
        ]
        pace = self._seconds_taken / self._seconds_expected if self._seconds_expected else 1.0
        seconds_left = max(sum(left) / self._size, max(left, default=0.0)) * pace
        self._watch(Progress(len(self._jobs), len(self.outcomes), seconds_left, dict(self._shares)), outcome)


def make_here(orders: Sequence[Order], size: int) -> Generator[tuple[str, Event], None, None]:
    """Make reports in up to `size` worker processes; yield the name of the report and the event, whenever one happens.

    Parameters
    ----------
    orders : sequence of dict
        ``job`` (the fields of a Job), ``root`` (the output folder), ``fingerprint`` (what the report would be made of),
        ``force`` (make it again even if it is current) and ``wait`` (while another run makes it).
    size : int
        Most workers at a time.
    """
    waiting = deque(orders)
    busy: list[_Worker] = []
    idle: list[_Worker] = []
    try:
        while waiting or busy:
            while waiting and len(busy) < size:
                worker = idle.pop() if idle else _Worker()
                busy.append(worker)
                worker.begin(waiting.popleft())
                yield worker.name, {"cell": 0, "total": 1}
            time.sleep(_SECONDS_BETWEEN_LOOKS)
            for worker in list(busy):
                for event in worker.events():
                    if "cell" not in event:
                        busy.remove(worker)
                        if "failure" in event:
                            worker.close()  # releases the lock of the report, too
                        else:
                            idle.append(worker)
                        if "busy" in event:
                            waiting.append(worker.order | {"wait": True})
                    yield worker.name, event
    finally:
        for worker in busy:
            worker.hang_up()
        for worker in busy:
            worker.close()
        for worker in idle:
            worker.close(at_once=True)


class _Worker:
    """A process that makes one report after the other, and its temporary folder."""

    def __init__(self) -> None:
        self.order: Order = {}
        self._begun_at = 0.0
        self._rest = b""
        self._folder = tempfile.TemporaryDirectory(prefix="copa-nb-", ignore_cleanup_errors=True)
        folder = Path(self._folder.name)
        places = dict.fromkeys(("TMPDIR", "TEMP", "TMP", "JUPYTER_RUNTIME_DIR"), self._folder.name)
        self._events = (folder / _EVENTS).open("w+b")
        with (folder / _LOG).open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", __name__, self._folder.name],
                stdin=subprocess.PIPE,
                stdout=log,
                stderr=subprocess.STDOUT,
                # In UTF-8 mode every file name can be read and passed on, whatever the locale.
                env=_STEADY | os.environ | places | {"PYTHONUTF8": "1"},
                start_new_session=os.name == "posix",  # Ctrl-C is for the parent, who ends its workers in order
            )

    @property
    def name(self) -> str:
        """That of the report."""
        return str(self.order["job"]["name"])

    def begin(self, order: Order) -> None:
        """Send an order."""
        self.order, self._begun_at = order, time.monotonic()
        assert self._process.stdin is not None
        with suppress(OSError):  # if the process died, `events` reports it
            # Undecodable bytes of file names travel as they are.
            line = json.dumps(order, ensure_ascii=False) + "\n"
            self._process.stdin.write(line.encode("utf-8", "surrogateescape"))
            self._process.stdin.flush()

    def events(self) -> Iterator[Event]:
        """Yield what has happened since the last call, up to the end of the report."""
        code = self._process.poll()  # looked at first: what an ended process reported is in the file
        *lines, self._rest = (self._rest + self._events.read()).split(b"\n")
        for event in map(json.loads, lines):
            yield event
            if "cell" not in event:
                return
        limit = self.order["job"]["timeout"]
        if code is not None:
            yield {"failure": asdict(self._death(code))}
        elif limit is not None and time.monotonic() - self._begun_at > limit + GRACE_SECONDS:
            what = f"the report exceeded its time limit of {limit:g} s and was stopped"
            yield {"failure": asdict(Failure("running the notebook", what))}

    def _death(self, code: int) -> Failure:
        """Describe how the process ended, with the last lines that it and its kernels printed."""
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        log = Path(self._folder.name) / _LOG
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines() if log.exists() else []
        printed = "\n".join(line for line in lines if line.strip() and not any(noise in line for noise in _NOISE))
        what = f"the worker process ended unexpectedly ({how})"
        return Failure("running the notebook", what, printed[-2000:])

    def hang_up(self) -> None:
        """Tell the process to stop what it does and to end."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def close(self, *, at_once: bool = False) -> None:
        """Let the process end, or kill it, and remove what it left; an idle one has no kernel, and nothing to lose."""
        self.hang_up()
        try:
            self._process.wait(timeout=0 if at_once else _SECONDS_TO_END)
        except subprocess.TimeoutExpired:
            self._process.kill()  # a kernel follows within a second
            self._process.wait()
        self._events.close()
        self._folder.cleanup()


def work() -> None:
    """Make reports as a worker process, until standard input ends."""
    folder, orders = Path(sys.argv[1]), queue.SimpleQueue[bytes]()
    # An end while a notebook runs interrupts it as Ctrl-C would, so that its kernel is shut down.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with suppress(KeyboardInterrupt), (folder / _EVENTS).open("a", encoding="ascii", buffering=1) as events:
        threading.Thread(target=_listen, args=(orders,), daemon=True).start()
        for line in iter(orders.get, b""):
            order = json.loads(line.decode("utf-8", "surrogateescape"))
            _make(order, lambda **event: print(json.dumps(event), file=events))
    # The parent does so as well, unless it was killed.
    shutil.rmtree(folder, ignore_errors=True)


def _listen(orders: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        orders.put(line)
    os.kill(os.getpid(), signal.SIGTERM)
    orders.put(b"")  # in case something swallowed the interruption


def _make(order: Order, tell: Callable[..., None]) -> None:
    job, store, fingerprint = Job(**order["job"]), Store(order["root"]), order["fingerprint"]
    settings = {"fingerprint": fingerprint, "force": order["force"], "wait": order["wait"]}

    def on_cell(cell: int, total: int) -> None:
        tell(cell=cell, total=total)
        if cell == 1:  # while the kernel is busy
            threading.Thread(target=_warm_up_pages, args=(job.notebook,), daemon=True).start()

    try:
        outcome = produce(job, store, **settings, on_cell=on_cell)
    except Exception as error:
        failure = Failure("making the report", f"{type(error).__name__}: {error}", traceback.format_exc())
        outcome = salvage(job, store, fingerprint=fingerprint, failure=failure)
    tell(**({"busy": True} if outcome is None else {"outcome": asdict(outcome)}))


def _warm_up_pages(notebook: str) -> None:
    """Import what makes pages and compile its templates, by drawing the notebook before it has outputs."""
    import nbformat

    from copa_nb.reports.page import to_html

    to_html(nbformat.read(notebook, as_version=4))


def make_on_cluster(orders: Sequence[Order], scheduler: Any) -> Generator[tuple[str, Event], None, None]:
    """Do what :func:`make_here` does on the workers of a Dask cluster: one task for each report.

    All workers must see the same output folder (a shared file system): they take the same locks, build in the same
    staging folders and publish whole reports, so that a batch resumes as it does on one machine.

    Parameters
    ----------
    orders : sequence of dict
        As for :func:`make_here`.
    scheduler : str or distributed.Client
        Address of the cluster, or a client.

    Raises
    ------
    ValueError
        Before anything runs: if there is no worker, or one cannot do the work.
    """
    if not orders:
        return
    events: queue.Queue[tuple[str, Event | None]] = queue.Queue()
    topic = f"copa_nb-{uuid.uuid4().hex}"
    with cluster_client(scheduler) as client:
        _check_cluster(client, orders)
        client.subscribe_topic(topic, lambda event: events.put(event[1]))
        futures: dict[str, Any] = {}
        for order in orders:
            name = order["job"]["name"]
            key = f"{topic}-{name}"
            futures[name] = client.submit(_make_as_task, order, topic, pure=False, retries=_RETRIES, key=key)
            futures[name].add_done_callback(lambda done, name=name: events.put((name, None)))
        try:
            unfinished = set(futures)
            while unfinished:
                name, event = events.get()
                if name in unfinished:
                    if event is None:
                        unfinished.discard(name)
                        event = _last_event(futures[name])
                    yield name, event
        finally:
            client.cancel(list(futures.values()))
            client.unsubscribe_topic(topic)


def _make_as_task(order: Order, topic: str) -> Event:
    """Make one report in a process on a worker of a cluster; log its events, and return the last one."""
    from distributed import get_worker

    event: Event = {}
    for name, event in make_here([order], 1):
        if "cell" in event or "busy" in event:
            get_worker().log_event(topic, (name, event))
    return event


def _last_event(future: Any) -> Event:
    """Return the event that a report ended with, or that it was lost with its workers."""
    error = future.exception()
    if error is not None:
        return {"failure": asdict(Failure("running the notebook", f"{type(error).__name__}: {error}"))}
    event: Event = future.result()
    return event


def _check_cluster(client: Any, orders: Sequence[Order]) -> None:
    from distributed import TimeoutError as NoWorkerError

    try:
        client.wait_for_workers(1, timeout=_SECONDS_FOR_CLUSTER)
    except (NoWorkerError, TimeoutError) as error:
        raise ValueError(
            f"`scheduler` had no workers after {_SECONDS_FOR_CLUSTER} s; start one with: dask worker ADDRESS."
        ) from error
    root = Path(orders[0]["root"])
    needed = {str(root), *(order["job"][key] for order in orders for key in ("notebook", "cwd"))}
    # A file that is new, in case the worker has a folder of the same name.
    with tempfile.NamedTemporaryFile(dir=root, prefix=".copa-nb-") as token:
        answers = client.run(_missing, [*sorted(needed), token.name])
    here = package_hash()
    for address, (missing, there) in answers.items():
        if missing:
            raise ValueError(
                f"`scheduler`: the worker at {address} cannot access {listed(missing, 3)}; put the output folder and "
                "the notebooks where all workers can access them under the same paths."
            )
        if there != here:
            raise ValueError(
                f"`scheduler`: the worker at {address} has a different version of copa_nb; install the same version "
                "on every machine."
            )


def _missing(paths: list[str]) -> tuple[list[str], str]:
    """Return, on a worker of a cluster, the paths that it does not see and the hash of its copa_nb."""
    return [path for path in paths if not Path(path).exists()], package_hash()


if __name__ == "__main__":
    work()
