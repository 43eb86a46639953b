"""Batch files: many reports described in YAML."""

from __future__ import annotations

import glob
import itertools
import math
import reprlib
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from copa_nb.analyses.registry import of_notebook
from copa_nb.checks import integer, listed, nearest
from copa_nb.reports.catalog import find
from copa_nb.reports.jobs import Failure, Job, make_job, refusal_lines, shared_folders
from copa_nb.reports.store import checked_folder, default_folder, slug
from copa_nb.sources.yaml_files import entries_of, mapping_of, read_mapping

_FILE_KEYS = ("out", "jobs", "timeout", "format", "runs")
_MOST_RUNS = 10_000
_RUN_KEYS = ("report", "name", "parameters", "vary", "timeout")


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
        Processes.
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
        YAML with ``runs``, a list of mappings: ``report`` (a name of the catalog, or select, gap,
        audit, posets), ``name`` (folder, optional), ``parameters`` (mapping), ``vary`` (mapping
        of parameter to list of values: every combination is a run; tables also by a pattern, ``"night/*.csv"``) and
        ``timeout``. In addition to ``runs``:
        ``out``, ``jobs``, ``timeout``, ``format``. Relative paths start from the folder of the file.

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
    >>> _ = file.write_text("runs:\n- report: select\n  parametres: {p: 2}\n")
    >>> read_plan(file)
    Traceback (most recent call last):
    ValueError: ...runs.yaml cannot be run:
      run 1 (select): 'parametres' is not a known key. Did you mean 'parameters'? ...
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
        runs = entries_of("runs", data.get("runs"), "report", "report: select")
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
            label = f" ({run.get('report')})" if isinstance(run, Mapping) else ""
            problems.append(f"run {number}{label}: {error}")
    problems += [
        f"several runs would write to the folder {name!r}; give each its own `name`." for name in shared_folders(jobs)
    ]
    if problems or len(refused) == len(jobs):
        lines = [*(f"  {problem}" for problem in problems), *refusal_lines(refused)]
        raise ValueError("\n".join([f"{file} cannot be run:", *lines]))
    out = data.get("out")
    return BatchFile(tuple(jobs), None if out is None else str(file.parent / str(out)), n_jobs, refused)


def _jobs_of(run: Any, data: Mapping[str, Any], folder: Path) -> list[tuple[Job, Failure | None]]:
    """Return the jobs of one run, one for every combination of varied parameters, and why a table cannot be used."""
    if not isinstance(run, Mapping):
        raise TypeError(f"a run is a mapping with `report`, not {reprlib.repr(run)}.")
    if unknown := _unknown_keys(run, _RUN_KEYS):
        raise ValueError(" ".join(unknown))
    report = str(run.get("report") or "")
    entry = find(report)
    parameters, vary = (mapping_of(key, run.get(key)) for key in ("parameters", "vary"))
    if "table" in vary:
        vary["table"] = _tables(vary["table"], folder)
    for name, values in vary.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"`vary` must give a list of values for {name!r}, not {reprlib.repr(values)}.")
    combinations = math.prod(map(len, vary.values()))
    if combinations > _MOST_RUNS:
        raise ValueError(
            f"`vary` has {combinations:,} combinations; at most {_MOST_RUNS:,} can be run. Vary fewer parameters, or "
            "give them fewer values."
        )
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
        # The default folder holds the table's name already.
        suffixes = [slug(f"{key}-{value}") for key, value in varied.items() if base or key != "table"]
        named = replace(job, name="-".join([base or default_folder(entry, job.parameters), *suffixes]))
        jobs.append((named, refusal(named, entry.name, folder)))
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


def _tables(given: Any, folder: Path) -> Any:
    """Replace patterns among the tables, such as ``night/*.csv``, by the files that they match, sorted."""
    patterns = [given] if isinstance(given, str) else given
    if not isinstance(patterns, list):
        return given
    found: list[Any] = []
    for pattern in patterns:
        if not isinstance(pattern, str) or not set(pattern) & set("*?[") or (folder / pattern).is_file():
            found.append(pattern)
            continue
        files = sorted(glob.glob(pattern, root_dir=folder, recursive=True))
        if not files:
            raise FileNotFoundError(
                f"`vary` gives {pattern!r} for 'table', which matches no file in {folder.resolve()}."
            )
        found += files
    return found


def _unknown_keys(data: Mapping[Any, Any], keys: tuple[str, ...]) -> list[str]:
    return [
        f"{key!r} is not a known key.{nearest(key, keys)} Known keys are {listed(keys)}."
        for key in data
        if key not in keys
    ]
