"""What came of reports, as data for other programs: JSON records and JUnit XML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from copa_nb.reports.jobs import FAILED, Outcome
from copa_nb.reports.store import PAGE, read_manifest


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


def junit_of(records: Sequence[Mapping[str, Any]]) -> bytes:
    """Write records as JUnit XML: one test case for each report.

    Examples
    --------
    >>> failed = record("select/a", "a.csv", "failed", None, {"where": "a.csv", "what": "no columns"})
    >>> junit_of([failed]).count(b"<failure")
    1
    """
    failed = sum(one["status"] == FAILED for one in records)
    totals = {"tests": str(len(records)), "failures": str(failed)}
    root = ElementTree.Element("testsuites", totals)
    suite = ElementTree.SubElement(root, "testsuite", {"name": "copa-nb", **totals})
    for one in records:
        group, _, name = one["name"].rpartition("/")
        seconds = f"{one.get('seconds', 0.0):.2f}"
        case = ElementTree.SubElement(suite, "testcase", {"classname": group, "name": name, "time": seconds})
        if one["failure"]:
            message = _printable(f"{one['failure']['where']}: {one['failure']['what']}")
            ElementTree.SubElement(case, "failure", {"message": message}).text = message
        elif one["answer"]:
            ElementTree.SubElement(case, "system-out").text = _printable(
                "\n".join([one["answer"]["headline"], *one["answer"]["lines"]])
            )
    return ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)


def _printable(text: str) -> str:
    """Replace characters that XML cannot hold."""
    return "".join(character if character.isprintable() or character == "\n" else "\ufffd" for character in text)
