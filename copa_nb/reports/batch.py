"""Many reports: in threads, since each notebook has a kernel process of its own, and the index of all of them."""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from queue import SimpleQueue

from copa_nb import logs
from copa_nb.arrays.parallel import processors
from copa_nb.checks import integer, listed
from copa_nb.reports.folder import locked, prepare, recover_all
from copa_nb.reports.inputs import read_package
from copa_nb.reports.jobs import Job, shared_folders
from copa_nb.reports.outcomes import FAILED, Failure, Outcome, Progress, Watcher
from copa_nb.reports.overview import write_overview
from copa_nb.reports.places import refuse_foreign
from copa_nb.reports.run import keep_failure, make

# The name of a report, and the share of it that is done or, in the end, what became of it.
Event = tuple[str, float | Future[Outcome]]


def run_batch(
    jobs: Sequence[Job],
    out: Path | str,
    *,
    n_jobs: int | None = None,
    force: bool = False,
    watch: Watcher | None = None,
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
        Most kernels at a time; by default one per processor.
    force : bool
        Make reports again whose inputs have not changed.
    watch : callable, optional
        Called with a :class:`Progress` at every event, and with the outcome when a report is finished.
    refused : mapping of name to Failure, optional
        Jobs that cannot run, because of their tables; they are listed as failed.
    fail_fast : bool
        Stop as soon as a report has failed.

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
    from copa_nb.reports.kernels import Kernels

    size = processors() if n_jobs is None else integer("n_jobs", n_jobs)
    if shared := shared_folders(jobs):
        raise ValueError(f"Several reports would be written to the folder {listed(shared)}; give each its own `name`.")
    out = Path(out)
    refuse_foreign(jobs, out)
    prepare(out)
    out = out.absolute()  # whoever called may go to another folder while reports are made in threads
    recover_all(out)
    read_package()
    kernels, pool = Kernels(), ThreadPoolExecutor(size)
    batch = _Batch(jobs, watch)
    try:
        with logs.at_level(logging.ERROR, logging.getLogger("papermill")):
            for job in jobs:
                if failure := (refused or {}).get(job.name):
                    with locked(out, job.name):
                        keep_failure(job, out, failure)
                    batch.finish(Outcome(job.name, FAILED, failure=failure))
                    continue
                tell = partial(batch.tell, job.name)
                pool.submit(make, job, out, kernels, force=force, on_share=tell).add_done_callback(tell)
            batch.follow(until_failure=fail_fast)
    finally:
        kernels.end()
        pool.shutdown(cancel_futures=True)
        # Also after an interruption: what is finished can be read.
        write_overview(out)
    return [batch.outcomes[job.name] for job in jobs if job.name in batch.outcomes]


class _Batch:
    """What is known of a batch: threads tell of their reports, and the caller's own thread passes it on."""

    def __init__(self, jobs: Sequence[Job], watch: Watcher | None) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._total = len(jobs)
        self._shares: dict[str, float] = {}
        self._events: SimpleQueue[Event] = SimpleQueue()
        self._watch = watch

    def tell(self, name: str, event: float | Future[Outcome]) -> None:
        """Note an event, from any thread."""
        self._events.put((name, event))

    def follow(self, *, until_failure: bool) -> None:
        """Pass events on until all reports are finished, or one has failed."""
        while len(self.outcomes) < self._total:
            name, event = self._events.get()
            if isinstance(event, Future):
                self.finish(event.result())
                if until_failure and self.outcomes[name].status == FAILED:
                    return
            else:
                self._shares[name] = event
                self._pass_on(None)

    def finish(self, outcome: Outcome) -> None:
        """Note what came of a report."""
        self.outcomes[outcome.name] = outcome
        self._shares.pop(outcome.name, None)
        self._pass_on(outcome)

    def _pass_on(self, outcome: Outcome | None) -> None:
        if self._watch is not None:
            self._watch(Progress(self._total, len(self.outcomes), dict(self._shares)), outcome)
