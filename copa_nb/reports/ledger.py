"""The ledger of the papers: their claims with the verdicts of the reports in a folder."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from copa_nb.claims.collection import installed
from copa_nb.claims.ledger_page import ledger_page
from copa_nb.claims.verdicts import NOT_CHECKABLE, NOT_COVERED, OF_PAPERS, OWN, counted
from copa_nb.reports.folder import INDEX, LEDGER_TABLE, PAGE

LEDGER_COLUMNS = (
    "id", "paper", "place", "says", "printed", "ours", "tolerance", "found", "verdict", "reason", "other_data",
    "note", "report",
)  # fmt: skip
OUR_CLAIMS = "Our own claims"


def ledger_rows(manifests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Collect the claims of reports, in the order of the papers.

    Parameters
    ----------
    manifests : iterable of mapping
        Those of the reports in one folder.

    Returns
    -------
    list of dict
        With the keys of the ledger's columns, and whether the claim is our own. A claim of a paper that no
        report checks has the verdict "not covered".
    """
    checked: dict[str, list[dict[str, Any]]] = {}
    for manifest in manifests:
        for claim in manifest["claims"]:
            row = {key: claim.get(key) or "" for key in LEDGER_COLUMNS} | {"report": manifest["name"]}
            checked.setdefault(claim["id"], []).append(row | {"own": bool(claim.get("own"))})
    rows = []
    for id, claim in installed().claims.items():
        missing = {
            "verdict": NOT_COVERED,
            "note": "The report that checks this claim has not been made here.",
            "own": False,
        }
        rows += checked.pop(id, [dict.fromkeys(LEDGER_COLUMNS, "") | claim | missing])
    rows += [row for more in checked.values() for row in more]
    return sorted(rows, key=lambda row: (row["own"], position(row["paper"])))


def papers_ledger(rows: Sequence[Mapping[str, Any]], frame: Mapping[str, Any]) -> str:
    """Write the ledger of the papers.

    Parameters
    ----------
    rows : sequence of mapping
        Of :func:`ledger_rows`.
    frame : mapping
        Of :func:`copa_nb.claims.ledger_page.filter_context`, with what the foot of the page says.
    """
    errata = {erratum["claim"]: erratum["error"] for erratum in installed().errata}
    groups: dict[str, list[dict[str, Any]]] = {}
    taken: set[str] = set()
    for row in rows:
        # A claim that several reports check stands there several times.
        anchor = row["id"] if row["id"] not in taken else f"{row['id']}-in-{row['report'].replace('/', '-')}"
        taken.add(anchor)
        heading = OUR_CLAIMS if row["own"] else whole_title(row["paper"])
        groups.setdefault(heading, []).append(_shown(row, anchor, errata.get(row["id"], "")))
    lead = (
        "Every verdict is computed from the numbers of a report. “On other data”: the paper’s own data are not public, "
        "and the reason names the data used. A claim opens to show both numbers and the finding."
    )
    return ledger_page(
        "Ledger of claims",
        groups,
        titles={"place": "In the paper", "ours": "Ours", "reason": "Reason"},
        tally=counted((row["verdict"] for row in rows if not row["own"]), (*OF_PAPERS, NOT_COVERED)),
        lead=lead,
        frame=frame,
        home=INDEX,
        csv=LEDGER_TABLE,
        papers=[paper for paper in installed().papers if any(row["paper"] == paper for row in rows)],
        own=counted((row["verdict"] for row in rows if row["own"]), OWN),
    )


def whole_title(paper: str) -> str:
    """Return the title of a paper, with its short name in front where that is not part of it."""
    known = installed().papers.get(paper)
    if known is None:
        return paper
    title = known["title"]
    return title if paper.casefold() in title.casefold().replace("-", " ") else f"{paper}: {title}"


def position(paper: str) -> int:
    """Return the position of a paper; what belongs to none comes last."""
    papers = list(installed().papers)
    return papers.index(paper) if paper in papers else len(papers)


def _shown(row: Mapping[str, Any], anchor: str, erratum: str) -> dict[str, Any]:
    """Return a row of the page: each thing is said once, in its columns or in its details."""
    ours = row["ours"] or row["found"]
    reasons = {"reason": row["reason"], "other_data": row["other_data"]}
    if row["verdict"] in (NOT_CHECKABLE, NOT_COVERED):
        reasons["note"] = row["note"]
    key, reason = next(((key, text) for key, text in reasons.items() if text), ("", ""))
    details = {
        "Printed": row["printed"],
        "Tolerance": row["tolerance"].strip("–"),
        "Found": row["found"] if row["ours"] else "",
        "Other data": row["other_data"] if key != "other_data" else "",
        "Note": row["note"] if key != "note" else "",
        "Erratum": "" if row["note"] else erratum,
    }
    return {
        **{name: row[name] for name in ("id", "says", "paper", "verdict", "own")},
        "anchor": anchor,
        "place": row["place"],
        "link": f"{row['report']}/{PAGE}#{row['id']}" if row["report"] else "",
        "ours": ours,
        "reason": reason,
        "details": {name: text for name, text in details.items() if text},
    }
