"""The ledger: every claim of the papers beside what the reports found, and those that none looked at."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.reports.claims import PAPERS, VERDICTS
from copa_nb.text import csv_text

NOT_COVERED = "not covered"
_KNOWN_CLAIMS = Path(__file__).with_name("claims.csv")


@dataclass(frozen=True)
class LedgerRow:
    """One claim: what the paper says, what a report found, the verdict."""

    id: str
    paper: str
    says: str
    found: str
    verdict: str
    note: str
    report: str


@lru_cache(maxsize=1)
def known_claims() -> tuple[dict[str, str], ...]:
    """Return the claims of the four papers that reports should look at: id, paper, where, says."""
    with _KNOWN_CLAIMS.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def ledger_rows(manifests: Iterable[Mapping[str, Any]]) -> list[LedgerRow]:
    """Collect the claims of finished reports, in the order of the papers.

    Parameters
    ----------
    manifests : iterable of mapping
        Those of the reports in one folder.

    Returns
    -------
    list of LedgerRow
        A claim that no finished report states has the verdict "not covered".
    """
    stated: dict[str, list[LedgerRow]] = {}
    for manifest in manifests:
        if manifest["status"] != "done":
            continue
        for claim in manifest["claims"]:
            row = LedgerRow(
                claim["id"],
                claim["paper"] or "",
                claim["says"],
                claim["found"],
                claim["verdict"],
                claim["note"],
                manifest["name"],
            )
            stated.setdefault(row.id, []).append(row)
    rows = []
    for known in known_claims():
        rows += stated.pop(known["id"], []) or [
            LedgerRow(known["id"], known["paper"], known["says"], "", NOT_COVERED, "No report here states it.", "")
        ]
    rows += [row for more in stated.values() for row in more]
    return sorted(rows, key=_paper_order)


def summary(rows: Iterable[LedgerRow]) -> dict[str, int]:
    """Count the claims under each verdict, those not covered last."""
    given = [row.verdict for row in rows]
    return {verdict: given.count(verdict) for verdict in (*VERDICTS, NOT_COVERED)}


def ledger_csv(rows: Iterable[LedgerRow]) -> str:
    """Write the ledger as CSV with the columns id, paper, says, found, verdict, note, report."""
    columns = ["id", "paper", "says", "found", "verdict", "note", "report"]
    return csv_text(pd.DataFrame([asdict(row) for row in rows], columns=columns))


def _paper_order(row: LedgerRow) -> int:
    return PAPERS.index(row.paper) if row.paper in PAPERS else len(PAPERS)
