"""Reports made on a Dask cluster: one task each, isolated in a process of its own as on one machine.

The output folder must be the same for everybody (a shared file system): workers take the same locks,
build in the same staging folders and place whole reports, so that a batch resumes as it does locally.
"""

from __future__ import annotations

import queue
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from copa_nb import checks
from copa_nb.parallel import cluster_client, processors_of
from copa_nb.reports.fingerprint import Inputs, package_hash
from copa_nb.reports.jobs import Failure, Job
from copa_nb.reports.pool import Pool

_SECONDS_FOR_WORKERS = 30
# Workers that may die under one report before it counts as the report's fault.
_RETRIES = 3
_ENDS = ("ended", "lost")


class ClusterPool:
    """Does what :class:`~copa_nb.reports.pool.Pool` does, on the workers of a cluster.

    Parameters
    ----------
    scheduler : str or distributed.Client
        Address of the cluster, or a client.
    root : Path
        The output folder, which every worker must see under the same name.
    inputs : mapping of job name to Inputs
        What each report would be made of.
    force : bool
        Make reports again that stand already.
    """

    def __init__(self, scheduler: Any, *, root: Path, inputs: Mapping[str, Inputs], force: bool) -> None:
        self._scheduler = scheduler
        self._root = root.resolve()
        self._inputs = inputs
        self._force = force

    def run(self, jobs: list[Job]) -> Iterator[tuple[Job, dict[str, Any]]]:
        """Yield ``(job, event)`` as :meth:`copa_nb.reports.pool.Pool.run` does.

        Raises
        ------
        ValueError
            Before anything runs: if no worker is there, or one cannot do the work.
        """
        if not jobs:
            return
        by_name = {job.name: job for job in jobs}
        events: queue.Queue[dict[str, Any]] = queue.Queue()
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
                        event = _result(futures[name])
                    yield by_name[name], event
            finally:
                client.cancel(list(futures.values()))
                client.unsubscribe_topic(topic)

    def _submit(self, client: Any, job: Job, topic: str) -> Any:
        settings = {"root": str(self._root), "inputs": asdict(self._inputs[job.name]), "force": self._force}
        return client.submit(
            make_report, job.to_json(), settings, topic, pure=False, retries=_RETRIES, key=f"{topic}-{job.name}"
        )

    def _check_workers(self, client: Any, jobs: list[Job]) -> None:
        from distributed import TimeoutError as NoWorkerError

        try:
            client.wait_for_workers(1, timeout=_SECONDS_FOR_WORKERS)
        except (NoWorkerError, TimeoutError) as error:
            raise ValueError(
                f"`scheduler` has no workers after {_SECONDS_FOR_WORKERS} s; start some: dask worker ADDRESS."
            ) from error
        needed = sorted({str(self._root), *(job.notebook for job in jobs), *(job.cwd for job in jobs)})
        token = self._root / f".copa-nb-{uuid.uuid4().hex}"
        token.touch()
        try:
            answers = client.run(look_around, [*needed, str(token)])
        finally:
            token.unlink()
        here = package_hash()
        for address, (lacking, there) in answers.items():
            if lacking:
                raise ValueError(
                    f"`scheduler`: the worker at {address} does not see {checks.listed(lacking, 3)}; put the output "
                    "folder and the notebooks where all workers find them under the same names."
                )
            if there != here:
                raise ValueError(
                    f"`scheduler`: the worker at {address} has another version of copa_nb than this process; "
                    "install the same one everywhere."
                )


def size(scheduler: Any) -> int:
    """Reports that a cluster makes at once."""
    with cluster_client(scheduler) as client:
        return processors_of(client)


def look_around(paths: list[str]) -> tuple[list[str], str]:
    """Tell which paths a worker does not see, and which version of the package it has."""
    return [path for path in paths if not Path(path).exists()], package_hash()


def make_report(job: dict[str, Any], settings: dict[str, Any], topic: str) -> dict[str, Any]:
    """Make one report on a worker; returns the event it ended with.

    Parameters
    ----------
    job : dict
        :meth:`copa_nb.reports.jobs.Job.to_json`.
    settings : dict
        Output folder, inputs, and whether to make it again.
    topic : str
        Where to tell how far it is.
    """
    from distributed import get_worker

    worker, one = get_worker(), Job.from_json(job)
    inputs = {one.name: Inputs(**settings["inputs"])}
    last: dict[str, Any] = {}
    for _, event in Pool(1, root=Path(settings["root"]), inputs=inputs, force=settings["force"]).run([one]):
        if event["event"] in _ENDS:
            last = event
        else:
            worker.log_event(topic, {**event, "name": one.name})
    return last


def _result(future: Any) -> dict[str, Any]:
    """The event that a report ended with, or that it was lost with its workers."""
    error = future.exception()
    if error is None:
        ended: dict[str, Any] = future.result()
        return ended
    return {"event": "lost", "failure": Failure("running the notebook", f"{type(error).__name__}: {error}")}
