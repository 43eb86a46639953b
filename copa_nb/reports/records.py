"""What came of reports, as data for other programs: JSON records and JUnit XML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from copa_nb.reports.jobs import FAILED, Outcome
from copa_nb.reports.store import PAGE, read_manifest
from copa_nb.results.junit import Case, junit


def as_records(outcomes: Sequence[Outcome], out: Path) -> list[dict[str, Any]]:
    """Return one record for each report; its page and its answer are those that stand, also after a failed run.

    Parameters
    ----------
    outcomes : sequence of Outcome
        Of :func:`copa_nb.reports.runner.run_batch`.
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
