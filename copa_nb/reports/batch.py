"""A batch of reports, from code or from a YAML file: current ones are kept, the rest run in processes."""

from __future__ import annotations

import itertools
import reprlib
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from copa_nb.checks import integer, listed, nearest
from copa_nb.parallel import processors
from copa_nb.reports.assembly import salvage
from copa_nb.reports.catalogue import find
from copa_nb.reports.jobs import UNCHANGED, Failure, Job, Outcome, make_job
from copa_nb.reports.overview import warm_up, write_overview
from copa_nb.reports.own_tables import OWN_REPORTS, check_own_table, default_folder
from copa_nb.reports.store import Store, checked_folder, fingerprints, read_manifest, slug
from copa_nb.reports.workers import ClusterPool, Event, Pool, cluster_size

_EXPECTED_SECONDS = 8.0
_FILE_KEYS = ("out", "jobs", "timeout", "format", "runs")
_MOST_VALUES = 100_000
_RUN_KEYS = ("report", "name", "parameters", "vary", "timeout")


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


@dataclass(frozen=True)
class Plan:
    """A checked batch file.

    Parameters
    ----------
    jobs : tuple of Job
        What to run.
    out : str or None
        Output folder, relative to the file's own folder.
    n_jobs : int or None
        Processes.
    """

    jobs: tuple[Job, ...]
    out: str | None = None
    n_jobs: int | None = None


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
        Called with a :class:`Progress` at every event, and with the outcome when a report is finished.
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
        If two jobs have one folder, if a folder is taken by anything but the report itself, or if `n_jobs` is not a
        positive number.
    """
    if scheduler is not None:
        size = cluster_size(scheduler)
    else:
        size = processors() if n_jobs is None else integer("n_jobs", n_jobs)
    if shared := _shared_folders(jobs):
        raise ValueError(f"Several reports would go to the folder {listed(shared)}; give each its own `name`.")
    store = Store(out)
    store.check_places(jobs)
    store.prepare()
    store.sweep()
    batch = _Batch(jobs, store, size, watch)
    try:
        batch.run(force, scheduler)
    finally:
        # Also after an interruption: what is finished can be read.
        write_overview(store)
    return [batch.outcomes[job.name] for job in jobs]


class _Batch:
    """The state of a running batch; estimates the time left from what each report took last time."""

    def __init__(self, jobs: Sequence[Job], store: Store, size: int, watch: Watcher | None) -> None:
        self.outcomes: dict[str, Outcome] = {}
        self._jobs = jobs
        self._store = store
        self._size = size
        self._watch = watch
        manifests = {job.name: read_manifest(store.folder_of(job.name)) for job in jobs}
        seconds = {name: manifest["run"]["seconds"] for name, manifest in manifests.items() if manifest}
        mean = sum(seconds.values()) / len(seconds) if seconds else _EXPECTED_SECONDS
        self._expected = {job.name: seconds.get(job.name, mean) for job in jobs}
        self._begun: dict[str, float] = {}
        self._shares: dict[str, float] = {}
        self._seconds_expected = self._seconds_taken = 0.0

    def run(self, force: bool, scheduler: Any) -> None:
        current = fingerprints(self._jobs)
        to_run = []
        for job in self._jobs:
            if not force and self._store.is_current(job.name, current[job.name]):
                self._finish(Outcome(job.name, UNCHANGED))
            else:
                to_run.append(job)
        # Long ones first, so that none is left running alone at the end.
        to_run.sort(key=lambda job: -self._expected[job.name])
        settings: dict[str, Any] = {"root": self._store.root, "fingerprints": current, "force": force}
        pool = Pool(self._size, **settings) if scheduler is None else ClusterPool(scheduler, **settings)
        for job, event in pool.run(to_run):
            if event["event"] in ("ended", "lost"):
                seconds = time.monotonic() - self._begun.get(job.name, time.monotonic())
                self._seconds_taken += seconds
                self._seconds_expected += self._expected[job.name]
                self._finish(self._outcome(job, event, current[job.name], seconds))
            elif event["event"] == "busy":
                del self._begun[job.name], self._shares[job.name]
                self._report(None)
            else:
                self._begun.setdefault(job.name, time.monotonic())
                self._shares[job.name] = event["cell"] / (event["total"] + 1) if event["event"] == "cell" else 0.0
                self._report(None)
                if self._shares[job.name]:
                    warm_up()

    def _outcome(self, job: Job, event: Event, fingerprint: str, seconds: float) -> Outcome:
        if event["event"] == "ended":
            outcome = Outcome(**event["outcome"])
            return replace(outcome, failure=Failure(**event["outcome"]["failure"])) if outcome.failure else outcome
        outcome = salvage(job, self._store, fingerprint=fingerprint, failure=event["failure"])
        return replace(outcome, seconds=round(seconds, 2))

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


def read_plan(path: Path | str) -> Plan:
    r"""Read and check a batch file; every mistake in it is reported at once, before anything runs.

    Parameters
    ----------
    path : Path or str
        YAML with ``runs``, a list of mappings: ``report`` (a name of the catalogue, or select, gap,
        significance, posets), ``name`` (folder, optional), ``parameters`` (mapping), ``vary`` (mapping
        of parameter to list of values: every combination is a run) and ``timeout``. Beside ``runs``:
        ``out``, ``jobs``, ``timeout``, ``format``. Relative paths start from the folder of the file.

    Returns
    -------
    Plan

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With everything that is wrong in it, one line each.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "runs.yaml"
    >>> _ = file.write_text("runs:\n- report: select\n  parametres: {p: 2}\n")
    >>> read_plan(file)
    Traceback (most recent call last):
    ValueError: ...runs.yaml cannot be run:
      run 1 (select): 'parametres' is not known here. Did you mean 'parameters'? ...
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"`runs` is {str(path)!r}; there is no such file.")
    data = _load(file)
    problems = _unknown_keys(data, _FILE_KEYS)
    n_jobs, runs = data.get("jobs"), data.get("runs")
    try:
        n_jobs = None if n_jobs is None else integer("jobs", n_jobs)
    except ValueError as error:
        problems.append(str(error))
    if not isinstance(runs, list) or not runs:
        problems.append("`runs` must be a list of at least one report.")
        runs = []
    jobs: list[Job] = []
    for number, run in enumerate(runs, start=1):
        try:
            jobs += _jobs_of(run, data, file.parent)
        except (ValueError, TypeError, FileNotFoundError) as error:
            label = f" ({run.get('report')})" if isinstance(run, Mapping) else ""
            problems.append(f"run {number}{label}: {error}")
    problems += [
        f"several runs would go to the folder {name!r}; give each its own `name`." for name in _shared_folders(jobs)
    ]
    if problems:
        raise ValueError(f"{file} cannot be run:\n" + "\n".join(f"  {problem}" for problem in problems))
    out = data.get("out")
    return Plan(tuple(jobs), None if out is None else str(file.parent / str(out)), n_jobs)


def _load(file: Path) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    _count_values(data, file)
    if not isinstance(data, dict):
        raise ValueError(f"{file} must hold a mapping with `runs`; it holds {type(data).__name__}.")
    return data


def _count_values(data: Any, file: Path) -> None:
    """Refuse a file whose aliases stand for more values than anyone writes: each is counted wherever it is used."""
    counts: dict[int, int] = {}

    def count(value: Any) -> int:
        if id(value) not in counts:
            counts[id(value)] = _MOST_VALUES + 1  # what holds itself is endless
            inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
            counts[id(value)] = 1 + sum(map(count, inner))
        return counts[id(value)]

    if count(data) > _MOST_VALUES:
        raise ValueError(f"{file} holds more than {_MOST_VALUES:,} values, its aliases (`*name`) counted; write fewer.")


def _jobs_of(run: Any, data: Mapping[str, Any], folder: Path) -> list[Job]:
    """Return the jobs of one run: one for every combination of varied parameters."""
    if not isinstance(run, Mapping):
        raise TypeError(f"a run is a mapping with `report`, not {reprlib.repr(run)}.")
    if unknown := _unknown_keys(run, _RUN_KEYS):
        raise ValueError(" ".join(unknown))
    report = str(run.get("report") or "")
    try:
        entry = find(OWN_REPORTS.get(report, report))
    except ValueError as error:
        raise ValueError(f"{error}{nearest(report, OWN_REPORTS)}") from error
    parameters, vary = (_mapping(key, run.get(key)) for key in ("parameters", "vary"))
    for name, values in vary.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"`vary` must give a list of values for {name!r}, not {reprlib.repr(values)}.")
    base = checked_folder(run["name"]) if run.get("name") else ""
    formats = data.get("format", [])
    settings: dict[str, Any] = {
        "cwd": folder,
        "formats": [formats] if isinstance(formats, str) else formats,
        "timeout": run.get("timeout", data.get("timeout")),
    }
    jobs = []
    for combination in itertools.product(*vary.values()):
        varied = dict(zip(vary, combination, strict=True))
        job = make_job(entry, {**parameters, **varied}, **settings)
        check_own_table(entry, job.parameters, folder)
        # The default folder holds the table's name already.
        suffixes = [slug(f"{key}-{value}") for key, value in varied.items() if base or key != "table"]
        jobs.append(replace(job, name="-".join([base or default_folder(entry, job.parameters), *suffixes])))
    return jobs


def _mapping(argument: str, value: Any) -> dict[str, Any]:
    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"`{argument}` must be a mapping, not {reprlib.repr(value)}.")
    return {str(key): inner for key, inner in (value or {}).items()}


def _unknown_keys(data: Mapping[Any, Any], keys: tuple[str, ...]) -> list[str]:
    return [
        f"{key!r} is not known here.{nearest(key, keys)} Known are {listed(keys)}." for key in data if key not in keys
    ]


def _shared_folders(jobs: Sequence[Job]) -> list[str]:
    """Return the folders that more than one job would write to."""
    names = [job.name for job in jobs]
    return sorted({name for name in names if names.count(name) > 1})
