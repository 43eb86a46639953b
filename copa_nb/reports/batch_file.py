"""Batch files: many reports described in YAML."""

from __future__ import annotations

import glob
import itertools
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from copa_nb.analyses.registry import of_notebook
from copa_nb.checks import integer, listed, nearest
from copa_nb.reports.jobs import Job, make_job, shared_folders
from copa_nb.reports.outcomes import Failure, refusal_lines
from copa_nb.reports.places import checked_folder, default_folder, slug
from copa_nb.reports.stated_runs import read_run
from copa_nb.sources.yaml_files import entries_of, read_mapping

_FILE_KEYS = ("out", "jobs", "timeout", "format", "runs")
_MOST_RUNS = 10_000


@dataclass(frozen=True)
class BatchFile:
    """A checked batch file.

    Parameters
    ----------
    jobs : tuple of Job
        What to run.
    out : str or None
        Output folder, relative to the file's own folder.
    n_jobs : int or None
        Most kernels at a time.
    refused : dict of name to Failure
        Jobs whose table cannot be used, and why.
    """

    jobs: tuple[Job, ...]
    out: str | None = None
    n_jobs: int | None = None
    refused: dict[str, Failure] = field(default_factory=dict)


def read_plan(path: Path | str) -> BatchFile:
    r"""Read and check a batch file; every mistake in it is reported at once, before anything runs.

    A table that cannot be used is no mistake of the file: the plan lists it, and the others can be run.

    Parameters
    ----------
    path : Path or str
        YAML with ``runs``, a list of mappings whose first key is a report (a name of the catalog, or select, gap,
        audit, posets) and whose first value is its table: a file, a YAML file that describes one, a list of them, or a
        pattern, ``"night/*.csv"``. The other keys are ``objectives``, parameters of the report, of which every
        combination of listed values is a run, ``name`` (folder) and ``timeout``. In addition to ``runs``: ``out``,
        ``jobs``, ``timeout``, ``format``. Relative paths start from the folder of the file.

    Returns
    -------
    BatchFile

    Raises
    ------
    FileNotFoundError
        If there is no such file.
    ValueError
        With everything that is wrong in it, one line each; also if no table at all can be used.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "runs.yaml"
    >>> _ = file.write_text("runs:\n- {select: models.csv, wheights: {cost: 0.5}}\n")
    >>> read_plan(file)
    Traceback (most recent call last):
    ValueError: ...runs.yaml cannot be run:
      run 1 (select): `wheights` is not a parameter of 'yours/select'; ... Did you mean 'weights'?
    """
    file = Path(path)
    if not file.is_file():
        raise FileNotFoundError(f"`runs` is {str(path)!r}, but there is no such file.")
    data, _ = read_mapping(file, "runs")
    problems = _unknown_keys(data, _FILE_KEYS)
    n_jobs, runs = data.get("jobs"), []
    try:
        n_jobs = None if n_jobs is None else integer("jobs", n_jobs)
    except ValueError as error:
        problems.append(str(error))
    try:
        runs = entries_of("runs", data.get("runs"), "report", "select: models.csv")
    except ValueError as error:
        problems.append(str(error))
    jobs: list[Job] = []
    refused: dict[str, Failure] = {}
    for number, run in enumerate(runs, start=1):
        try:
            found = _jobs_of(run, data, file.parent)
            jobs += [job for job, _ in found]
            refused |= {job.name: failure for job, failure in found if failure}
        except (ValueError, TypeError, FileNotFoundError) as error:
            label = f" ({next(iter(run))})" if isinstance(run, Mapping) and run else ""
            problems.append(f"run {number}{label}: {error}")
    problems += [
        f"several runs would write to the folder {name!r}; give each its own `name`." for name in shared_folders(jobs)
    ]
    if problems or len(refused) == len(jobs):
        lines = [*(f"  {problem}" for problem in problems), *refusal_lines(refused)]
        raise ValueError("\n".join([f"{file} cannot be run:", *lines]))
    out = data.get("out")
    return BatchFile(tuple(jobs), None if out is None else str(file.parent / str(out)), n_jobs, refused)


def _jobs_of(stated: Any, data: Mapping[str, Any], folder: Path) -> list[tuple[Job, Failure | None]]:
    """Return the jobs of one run, one for every combination of varied parameters, and why a table cannot be used."""
    run = read_run(stated)
    varied = dict(run.varied)
    if "table" in varied:
        varied["table"] = _tables(varied["table"], folder)
    for name, values in varied.items():
        if not values:
            raise ValueError(f"`{name}` is an empty list; give at least one value.")
    combinations = math.prod(map(len, varied.values()))
    if combinations > _MOST_RUNS:
        raise ValueError(
            f"its lists have {combinations:,} combinations; at most {_MOST_RUNS:,} can be run. Vary fewer parameters, "
            "or give them fewer values."
        )
    base = checked_folder(run.name) if run.name else ""
    formats = data.get("format", [])
    settings: dict[str, Any] = {
        "cwd": folder,
        "formats": [formats] if isinstance(formats, str) else formats,
        "timeout": data.get("timeout") if run.timeout is None else run.timeout,
    }
    jobs = []
    for combination in itertools.product(*varied.values()):
        chosen = dict(zip(varied, combination, strict=True))
        job = make_job(run.entry, {**run.parameters, **chosen}, **settings)
        # The default folder holds the table's name already.
        suffixes = [slug(f"{key}-{value}") for key, value in chosen.items() if base or key != "table"]
        named = replace(job, name="-".join([base or default_folder(run.entry, job.parameters), *suffixes]))
        jobs.append((named, refusal(named, run.entry.name, folder)))
    return jobs


def refusal(job: Job, notebook: str, folder: Path | str = ".") -> Failure | None:
    """Return why the table of a job cannot be used, None if it can; other mistakes are errors."""
    analysis = of_notebook(notebook)
    if analysis is None:
        return None
    asked = analysis.of(job.parameters)
    try:
        asked.check(folder)
    except (ValueError, TypeError, FileNotFoundError) as error:
        if not asked.has_table:
            raise
        return Failure(str(asked.table), str(error))
    return None


def _tables(patterns: list[Any], folder: Path) -> list[Any]:
    """Replace patterns among the tables, such as ``night/*.csv``, by the files that they match, sorted."""
    found: list[Any] = []
    for pattern in patterns:
        if not isinstance(pattern, str) or not set(pattern) & set("*?[") or (folder / pattern).is_file():
            found.append(pattern)
            continue
        files = sorted(glob.glob(pattern, root_dir=folder, recursive=True))
        if not files:
            raise FileNotFoundError(f"its table is {pattern!r}, which matches no file in {folder.resolve()}.")
        found += files
    return found


def _unknown_keys(data: Mapping[Any, Any], keys: tuple[str, ...]) -> list[str]:
    return [
        f"{key!r} is not a known key.{nearest(key, keys)} Known keys are {listed(keys)}."
        for key in data
        if key not in keys
    ]
