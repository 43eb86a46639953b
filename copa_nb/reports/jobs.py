"""What is to be run, and what came of it: plain data that travels between processes as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from copa_nb.checks import one_of
from copa_nb.reports.catalogue import Entry
from copa_nb.reports.parameters import checked, declared

DONE, UNCHANGED, FAILED = "done", "unchanged", "failed"
FORMATS = ("html", "pdf")


@dataclass(frozen=True)
class Job:
    """One notebook with its parameters, and the folder its report goes to.

    Parameters
    ----------
    name : str
        The report's folder below the output folder, with ``/`` between its parts.
    notebook : str
        Path of the notebook.
    parameters : dict
        Checked parameters, JSON data only.
    cwd : str
        Folder that relative paths among the parameters start from.
    formats : tuple of {"html", "pdf"}
        Pages to write.
    timeout : float or None
        Seconds the notebook may take.
    """

    name: str
    notebook: str
    parameters: dict[str, Any]
    cwd: str = "."
    formats: tuple[str, ...] = ("html",)
    timeout: float | None = None

    def to_json(self) -> dict[str, Any]:
        """Return the job as JSON data."""
        return asdict(self) | {"formats": list(self.formats)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Job:
        """Rebuild a job from JSON data."""
        return cls(**{**data, "formats": tuple(data["formats"])})


@dataclass(frozen=True)
class Failure:
    """Why a report is not complete.

    Parameters
    ----------
    where : str
        The cell, or the step after the cells.
    what : str
        The error in one or a few lines.
    traceback : str
        As the kernel gave it, without colours.
    """

    where: str
    what: str
    traceback: str = ""

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


@dataclass(frozen=True)
class Outcome:
    """What came of a job.

    Parameters
    ----------
    name : str
        That of the job.
    status : {"done", "unchanged", "failed"}
        Unchanged: an earlier run with the same inputs stands.
    seconds : float
        Time taken.
    failure : Failure or None
        For failed jobs.
    phases : dict
        Seconds for starting the kernel, for the cells, and for the pages and files.
    """

    name: str
    status: str
    seconds: float = 0.0
    failure: Failure | None = None
    phases: dict[str, float] = field(default_factory=dict)

    def to_json(self) -> dict[str, Any]:
        """Return the outcome as JSON data."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Outcome:
        """Rebuild an outcome from JSON data."""
        failure = Failure(**data["failure"]) if data["failure"] else None
        return cls(**{**data, "failure": failure})


def make_job(
    entry: Entry,
    parameters: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    cwd: Path | str = ".",
    formats: tuple[str, ...] = ("html",),
    timeout: float | None = None,
) -> Job:
    """Check everything about a job that can be checked before it runs.

    Parameters
    ----------
    entry : Entry
        The notebook.
    parameters : mapping, optional
        Values as Python objects or as text.
    name : str
        Folder of the report; by default that of the notebook.
    cwd, formats, timeout
        See :class:`Job`.

    Returns
    -------
    Job

    Raises
    ------
    ValueError, TypeError
        For unknown names and for values that do not fit.
    """
    for kind in formats:
        one_of("format", kind, FORMATS)
    if timeout is not None and not timeout > 0:
        raise ValueError(f"`timeout` is {timeout!r}; it must be a positive number of seconds.")
    values = checked(parameters or {}, declared(entry.path), report=entry.name)
    return Job(name or entry.name, str(entry.path), values, str(Path(cwd).resolve()), formats, timeout)
