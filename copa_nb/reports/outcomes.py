"""What came of reports: how a batch tells of it while it runs, and as data for other programs, JSON and JUnit XML."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from copa_nb.reports.folder import PAGE, read_manifest
from copa_nb.results.junit import Case, junit

DONE, UNCHANGED, FAILED = "done", "unchanged", "failed"


@dataclass(frozen=True)
class Failure:
    """Why there is no report.

    Parameters
    ----------
    where : str
        The cell, or the step after the cells.
    what : str
        The error in one or a few lines.
    traceback : str
        As the kernel gave it, without colors.
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
        Unchanged: the report of an earlier run with the same inputs is still there.
    seconds : float
        Time taken.
    failure : Failure or None
        For failed jobs.
    notes : sequence of str
        What the user should know besides, e.g. where files of their own are now.
    """

    name: str
    status: str
    seconds: float = 0.0
    failure: Failure | None = None
    notes: Sequence[str] = ()


@dataclass(frozen=True)
class Progress:
    """How far a batch is.

    Parameters
    ----------
    total, finished : int
        Reports in all, and those that are finished.
    running : dict
        Share done of each report in progress.
    """

    total: int
    finished: int = 0
    running: dict[str, float] = field(default_factory=dict)


Watcher = Callable[[Progress, Outcome | None], None]


def refusal_lines(refused: Mapping[str, Failure]) -> list[str]:
    """List reports whose tables cannot be used, each with the reason."""
    return [f"  {name}: {failure}" for name, failure in refused.items()]


def refusal_text(refused: Mapping[str, Failure], n_tables: int) -> str:
    """Say which tables cannot be used and why: once if all of them have one reason, such as an option."""
    reasons = {failure.what for failure in refused.values()}
    if len(refused) == n_tables and len(reasons) == 1:
        return reasons.pop()
    return "\n".join([f"{len(refused)} of {n_tables} tables cannot be used:", *refusal_lines(refused)])


def as_records(outcomes: Sequence[Outcome], out: Path) -> list[dict[str, Any]]:
    """Return one record for each report; its page is the one that stands, also after a failed run.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of :func:`copa_nb.reports.batch.run_batch`.
    out : Path
        The output folder.
    """
    records = []
    for outcome in outcomes:
        folder = out / outcome.name
        manifest = read_manifest(folder) or {}
        page = (folder / PAGE).as_posix() if (folder / PAGE).is_file() else None
        failure = asdict(outcome.failure) if outcome.failure else None
        answer = manifest.get("answer") if outcome.status != FAILED else None
        records.append(
            {
                **record(outcome.name, manifest.get("run", {}).get("table", ""), outcome.status, answer, failure),
                "seconds": outcome.seconds,
                "page": page,
                "notes": list(outcome.notes),
            }
        )
    return records


def record(name: str, table: str, status: str, answer: Any, failure: Mapping[str, str] | None) -> dict[str, Any]:
    """Return what every record has: the report's name, its table, its status, and its answer or why there is none."""
    return {
        "name": name,
        "table": table or None,
        "status": status,
        "answer": answer,
        "failure": failure and {"where": failure["where"], "what": failure["what"]},
    }


def junit_of(records: Sequence[Mapping[str, Any]]) -> str:
    """Write records as JUnit XML: one test case for each report.

    Examples
    --------
    >>> failed = record("select/a", "a.csv", "failed", None, {"where": "a.csv", "what": "no columns"})
    >>> junit_of([failed]).count("<failure")
    1
    """
    return junit("copa-nb", [_case(one) for one in records])


def _case(one: Mapping[str, Any]) -> Case:
    group, _, name = one["name"].rpartition("/")
    failure, answer = one["failure"], one["answer"]
    return Case(
        name=name, group=group, seconds=one.get("seconds", 0.0),
        failure=f"{failure['where']}: {failure['what']}" if failure else "",
        output="\n".join([answer["headline"], *answer["lines"]]) if answer and not failure else "",
    )  # fmt: skip
