"""A job: one notebook with checked parameters, and the folder that its report goes to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copa_nb.analyses.registry import analyses, of_notebook
from copa_nb.checks import one_of
from copa_nb.reports.catalog import Entry
from copa_nb.reports.parameters import checked, declared, parameters_of

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
    formats : sequence of {"html", "pdf"}
        Pages to write.
    timeout : float or None
        Seconds the notebook may take.
    analysis : str
        Name of the analysis of a user's own table that the parameters are those of; empty for other notebooks.
    """

    name: str
    notebook: str
    parameters: dict[str, Any]
    cwd: str = "."
    formats: Sequence[str] = ("html",)
    timeout: float | None = None
    analysis: str = ""

    def cell(self) -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to."""
        if not self.analysis:
            return self.parameters
        cell = {name: one.default for name, one in declared(Path(self.notebook)).items()}
        asked = analyses()[self.analysis].of(self.parameters)
        table = {"table": asked.table} if asked.has_table else {}
        return {**table, **asked.variables(cell, folder=self.cwd)}


def make_job(
    entry: Entry,
    parameters: Mapping[str, Any] | None = None,
    *,
    name: str = "",
    cwd: Path | str = ".",
    formats: Sequence[str] = (),
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
        See :class:`Job`; the HTML page is always written.

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
    is_number = isinstance(timeout, int | float) and not isinstance(timeout, bool)
    if timeout is not None and not (is_number and timeout > 0):
        raise ValueError(f"`timeout` is {timeout!r}; it must be a positive number of seconds.")
    values = checked(parameters or {}, parameters_of(entry), report=entry.name)
    pages, analysis = tuple(dict.fromkeys(("html", *formats))), of_notebook(entry.name)
    return Job(
        name or entry.name, str(entry.path), values, str(Path(cwd).resolve()), pages, timeout,
        analysis.name if analysis else "",
    )  # fmt: skip


def shared_folders(jobs: Sequence[Job]) -> list[str]:
    """Return the folders that more than one job would write to."""
    names = [job.name for job in jobs]
    return sorted({name for name in names if names.count(name) > 1})
