"""A batch of reports: what is unchanged stays, the rest runs in processes, a failure costs one report."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copa_nb.checks import integer, listed
from copa_nb.parallel import processors
from copa_nb.reports.assembly import read_manifest
from copa_nb.reports.fingerprint import Inputs, inputs_of
from copa_nb.reports.jobs import UNCHANGED, Job, Outcome
from copa_nb.reports.overview import write_overview
from copa_nb.reports.pool import Pool
from copa_nb.reports.store import Store
from copa_nb.reports.worker import salvage, standing

_EXPECTED_SECONDS = 8.0


@dataclass
class Progress:
    """How far a batch is, for whoever shows it.

    Parameters
    ----------
    total, finished : int
        Reports in all, and those that are ready.
    seconds_left : float or None
        An estimate from earlier runs and from this one.
    running : dict
        Share done of each report at work.
    """

    total: int
    finished: int = 0
    seconds_left: float | None = None
    running: dict[str, float] | None = None


Watcher = Callable[[Progress, Outcome | None], None]


def run_batch(
    jobs: Sequence[Job],
    out: Path | str,
    *,
    n_jobs: int | None = None,
    force: bool = False,
    watch: Watcher | None = None,
    scheduler: Any = None,
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
        Called with a :class:`Progress`, and with the outcome when a report is ready.
    scheduler : str or distributed.Client, optional
        A Dask cluster to make the reports on, one task each; its workers must see `out`. `n_jobs` is then
        the cluster's.

    Returns
    -------
    list of Outcome
        In the order of the jobs.

    Raises
    ------
    FolderError
        If the output folder cannot be written to.
    ValueError
        If two jobs have one folder, or `n_jobs` is not a positive number.
    """
    size = _size(n_jobs, scheduler)
    _need_folders_of_their_own(jobs)
    store = Store(out)
    store.prepare()
    store.sweep()
    outcomes: dict[str, Outcome] = {}
    try:
        _run(jobs, store, size, force, outcomes, watch or (lambda progress, outcome: None), scheduler)
    finally:
        # Also after an interruption: what is finished can be read.
        write_overview(store)
    return [outcomes[job.name] for job in jobs]


def _size(n_jobs: int | None, scheduler: Any) -> int:
    if scheduler is None:
        return processors() if n_jobs is None else integer("n_jobs", n_jobs)
    from copa_nb.reports import cluster

    return cluster.size(scheduler)


def _pool(size: int, scheduler: Any, **settings: Any) -> Any:
    if scheduler is None:
        return Pool(size, **settings)
    from copa_nb.reports.cluster import ClusterPool

    return ClusterPool(scheduler, **settings)


def _run(
    jobs: Sequence[Job],
    store: Store,
    size: int,
    force: bool,
    outcomes: dict[str, Outcome],
    watch: Watcher,
    scheduler: Any,
) -> None:
    inputs = inputs_of(jobs)
    estimate = _Estimate(jobs, store, size)
    to_run = []
    for job in jobs:
        if not force and standing(job, store, inputs[job.name]):
            outcomes[job.name] = Outcome(job.name, UNCHANGED)
            estimate.ended(job.name, ran=False)
            watch(estimate.progress(), outcomes[job.name])
        else:
            to_run.append(job)
    # Long ones first, so that none is left running alone at the end.
    to_run.sort(key=lambda job: -estimate.expected[job.name])
    pool = _pool(size, scheduler, root=store.root, inputs=inputs, force=force)
    for job, event in pool.run(to_run):
        outcome = None
        if event["event"] == "cell":
            estimate.running[job.name] = event["cell"] / (event["total"] + 1)
        elif event["event"] in ("ended", "lost"):
            outcome = _outcome(job, event, store, inputs[job.name], estimate.since_begun(job.name))
            outcomes[job.name] = outcome
            estimate.ended(job.name, ran=True)
        else:
            estimate.begin(job.name)
        watch(estimate.progress(), outcome)


def _outcome(job: Job, event: dict[str, Any], store: Store, inputs: Inputs, seconds: float) -> Outcome:
    if event["event"] == "ended":
        return Outcome.from_json(event["outcome"])
    return replace(salvage(job, store, inputs=inputs, failure=event["failure"]), seconds=round(seconds, 2))


def _need_folders_of_their_own(jobs: Sequence[Job]) -> None:
    names = [job.name for job in jobs]
    double = sorted({name for name in names if names.count(name) > 1})
    if double:
        raise ValueError(f"Several reports would go to the folder {listed(double)}; give each its own `name`.")


class _Estimate:
    """Time left, from what each report took last time, corrected by how this run compares."""

    def __init__(self, jobs: Sequence[Job], store: Store, size: int) -> None:
        manifests = {job.name: read_manifest(store.place_of(job.name)) for job in jobs}
        known = {name: found["run"]["seconds"] for name, found in manifests.items() if found}
        usual = sum(known.values()) / len(known) if known else _EXPECTED_SECONDS
        self.expected = {job.name: known.get(job.name, usual) for job in jobs}
        self.running: dict[str, float] = {}
        self._size = size
        self._begun: dict[str, float] = {}
        self._finished: list[str] = []
        self._expected_done = self._taken = 0.0

    def begin(self, name: str) -> None:
        self._begun[name] = time.monotonic()
        self.running[name] = 0.0

    def since_begun(self, name: str) -> float:
        return time.monotonic() - self._begun.get(name, time.monotonic())

    def ended(self, name: str, *, ran: bool) -> None:
        self._finished.append(name)
        self.running.pop(name, None)
        if ran:
            self._taken += self.since_begun(name)
            self._expected_done += self.expected[name]

    def progress(self) -> Progress:
        shares = {name: self.running.get(name, 0.0) for name in self.expected if name not in self._finished}
        left = [self.expected[name] * (1 - share) for name, share in shares.items()]
        pace = self._taken / self._expected_done if self._expected_done else 1.0
        seconds = max(sum(left) / self._size, max(left, default=0.0)) * pace
        return Progress(len(self.expected), len(self._finished), seconds, dict(self.running))
