"""Batches written down in YAML: checked wholly, every mistake said at once, before anything runs."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from copa_nb.checks import listed, nearest
from copa_nb.reports.catalogue import catalogue, find
from copa_nb.reports.jobs import Job, make_job
from copa_nb.reports.own_columns import check_own_table

OWN_REPORTS = {
    "select": "yours/select",
    "gap": "yours/gap",
    "significance": "yours/significance",
    "posets": "yours/partial_orders",
}
_TOP = ("out", "jobs", "timeout", "format", "runs")
_RUN = ("report", "name", "parameters", "vary", "timeout")


@dataclass(frozen=True)
class Plan:
    """A checked batch.

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


def read_plan(path: Path | str) -> Plan:
    r"""Read and check a batch file.

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
    problems = _unknown_keys(data, _TOP)
    n_jobs = _whole("jobs", data.get("jobs"), problems)
    runs = data.get("runs")
    if not isinstance(runs, list) or not runs:
        problems.append("`runs` must be a list of at least one report.")
        runs = []
    jobs: list[Job] = []
    for number, run in enumerate(runs, start=1):
        label = f"run {number}" + (f" ({run.get('report')})" if isinstance(run, Mapping) else "")
        try:
            jobs += _jobs_of(run, data, file.parent)
        except (ValueError, TypeError, FileNotFoundError) as error:
            problems.append(f"{label}: {error}")
    problems += _shared_folders(jobs)
    if problems:
        raise ValueError(f"{file} cannot be run:\n" + "\n".join(f"  {problem}" for problem in problems))
    out = data.get("out")
    return Plan(tuple(jobs), None if out is None else str(file.parent / str(out)), n_jobs)


def own_name(report: str, parameters: Mapping[str, Any], given: str = "") -> str:
    """Return the folder of a report on a table of one's own: the command and the table's name.

    Examples
    --------
    >>> own_name("select", {"table": "data/my models.csv"})
    'select/my-models'
    """
    table = Path(str(parameters.get("table") or "example"))
    return checked_folder(given) if given else f"{report}/{slug(table.name.split('.')[0])}"


def slug(text: str) -> str:
    """Turn any text into a folder name.

    Examples
    --------
    >>> slug("p=∞, A&B ../x")
    'p-A-B-x'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-") or "x"


def checked_folder(name: str) -> str:
    """Refuse a folder that is not below the output folder."""
    parts = str(name).split("/")
    if not all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*", part) for part in parts):
        raise ValueError(
            f"`name` is {name!r}; it becomes a folder: letters, digits, '.', '-' and '_', with '/' between parts."
        )
    return str(name)


def _load(file: Path) -> dict[str, Any]:
    import yaml

    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError(f"{file} is not YAML: {' '.join(str(error).split())}") from error
    if not isinstance(data, dict):
        raise ValueError(f"{file} must hold a mapping with `runs`; it holds {type(data).__name__}.")
    return data


def _jobs_of(run: Any, data: Mapping[str, Any], folder: Path) -> list[Job]:
    if not isinstance(run, Mapping):
        raise TypeError(f"a run is a mapping with `report`, not {run!r}.")
    unknown = _unknown_keys(run, _RUN)
    if unknown:
        raise ValueError(" ".join(unknown))
    report = str(run.get("report") or "")
    entries = catalogue()
    try:
        entry = find(OWN_REPORTS.get(report, report), entries)
    except ValueError as error:
        hint = nearest(report, OWN_REPORTS)
        raise ValueError(f"{error}{hint}") from error
    parameters = _mapping("parameters", run.get("parameters"))
    base = checked_folder(run["name"]) if run.get("name") else ""
    formats = data.get("format", [])
    settings: dict[str, Any] = {
        "cwd": folder,
        "formats": tuple(dict.fromkeys(("html", *([formats] if isinstance(formats, str) else formats)))),
        "timeout": _seconds(run.get("timeout", data.get("timeout"))),
    }
    jobs = []
    for varied in _combinations(_mapping("vary", run.get("vary"))):
        job = make_job(entry, {**parameters, **varied}, **settings)
        name = base or (own_name(entry.name.split("/")[1], job.parameters) if entry.area == "yours" else entry.name)
        suffix = "-".join(slug(f"{key}-{value}") for key, value in varied.items() if base or key != "table")
        check_own_table(entry, job.parameters, folder)
        jobs.append(replace(job, name="-".join(filter(None, (name, suffix)))))
    return jobs


def _combinations(vary: Mapping[str, Any]) -> list[dict[str, Any]]:
    for name, values in vary.items():
        if not isinstance(values, list) or not values:
            raise ValueError(f"`vary` must give a list of values for {name!r}, not {values!r}.")
    return [dict(zip(vary, values, strict=True)) for values in itertools.product(*vary.values())]


def _mapping(argument: str, value: Any) -> dict[str, Any]:
    if value is None:
        return {}
    if not isinstance(value, Mapping):
        raise TypeError(f"`{argument}` must be a mapping, not {value!r}.")
    return {str(key): inner for key, inner in value.items()}


def _seconds(value: Any) -> float | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"`timeout` is {value!r}; it must be a number of seconds.")
    return float(value)


def _whole(argument: str, value: Any, problems: list[str]) -> int | None:
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and value >= 1):
        return value
    problems.append(f"`{argument}` is {value!r}; it must be a whole number of at least 1.")
    return None


def _unknown_keys(data: Mapping[Any, Any], known: tuple[str, ...]) -> list[str]:
    return [
        f"{key!r} is not known here.{nearest(key, known)} Known are {listed(known)}."
        for key in data
        if key not in known
    ]


def _shared_folders(jobs: list[Job]) -> list[str]:
    names = [job.name for job in jobs]
    double = sorted({name for name in names if names.count(name) > 1})
    return [f"several runs would go to the folder {name!r}; give each its own `name`." for name in double]
