"""What is made of all reports in a folder: the index and the ledger of claims."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any

import pandas as pd

from copa_nb.claims.claim import (
    OWN_VERDICTS,
    VERDICTS,
    count_reasons,
    count_verdicts,
    known_claims,
    known_errata,
)
from copa_nb.reports.catalog import PAPER_OF_AREA, PAPERS, about_papers, reading_order, shipped_folder
from copa_nb.reports.parameters import in_words
from copa_nb.reports.store import INDEX, LEDGER_PAGE, LEDGER_TABLE, PAGE, PRINT, Store, is_done
from copa_nb.reports.templates import page_head, template_text
from copa_nb.text import csv_text

NOT_COVERED = "not covered"
_OWN = "Your own tables"
_STYLES = ("copa_report/report.css", "copa_overview/overview.css")
_LEDGER_COLUMNS = (
    "id", "paper", "place", "says", "printed", "ours", "tolerance", "found", "verdict", "reason", "other_data",
    "note", "report",
)  # fmt: skip


def write_overview(store: Store) -> None:
    """Write index and ledger of all reports in a folder, also those of earlier runs.

    Parameters
    ----------
    store : Store
        The prepared output folder.

    Notes
    -----
    The pages depend on the reports alone: the same reports give the same pages.
    """
    with store.overview():
        manifests = read_all(store)
        has_papers = any(manifest["paper"] for manifest in manifests)
        rows = ledger_rows(manifests) if has_papers else []
        context = _context(manifests, rows)
        environment = _environment()
        store.write_overview(INDEX, environment.get_template("index.html.j2").render(context))
        if has_papers:
            store.write_overview(LEDGER_PAGE, environment.get_template("ledger.html.j2").render(context))
            store.write_overview(LEDGER_TABLE, csv_text(pd.DataFrame(rows, columns=_LEDGER_COLUMNS)))


def read_all(store: Store) -> list[dict[str, Any]]:
    """Return the manifests of all reports in a folder, in reading order."""
    return sorted(
        store.manifests(), key=lambda manifest: (_position(section_of(manifest)), reading_order(manifest["name"]))
    )


def ledger_rows(manifests: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Collect the claims of finished reports, in the order of the papers.

    Parameters
    ----------
    manifests : iterable of mapping
        Those of the reports in one folder.

    Returns
    -------
    list of dict
        With the keys of the ledger's columns, and whether the claim is our own. A claim of a paper that no finished
        report checks has the verdict "not covered".
    """
    checked: dict[str, list[dict[str, Any]]] = {}
    for manifest in manifests:
        for claim in manifest["claims"] if is_done(manifest) else ():
            row = {key: claim.get(key) or "" for key in _LEDGER_COLUMNS} | {"report": manifest["name"]}
            checked.setdefault(claim["id"], []).append(row | {"own": bool(claim.get("own"))})
    rows = []
    for id, claim in known_claims().items():
        missing = {
            "verdict": NOT_COVERED,
            "note": "The report that checks this claim has not been made here.",
            "own": False,
        }
        rows += checked.pop(id, [dict.fromkeys(_LEDGER_COLUMNS, "") | claim | missing])
    rows += [row for more in checked.values() for row in more]
    return sorted(rows, key=lambda row: (row["own"], _position(row["paper"])))


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = shipped_folder("templates")
    loader = FileSystemLoader([templates / "copa_overview", templates / "copa_report"])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _context(manifests: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cards, script = [_card(manifest) for manifest in manifests], template_text("copa_overview/filter.js")
    sections = {title: [card for card in cards if card["section"] == title] for title in (*PAPERS, _OWN)}
    verdicts = [row["verdict"] for row in rows if not row["own"]]
    summary = {verdict: verdicts.count(verdict) for verdict in (*VERDICTS, NOT_COVERED) if verdict in verdicts}
    own = [row["verdict"] for row in rows if row["own"]]
    return {
        "sections": [_introduced(title, found) for title, found in sections.items() if found],
        "summary": summary,
        "own_summary": {verdict: own.count(verdict) for verdict in OWN_VERDICTS if verdict in own},
        "reasons": count_reasons(rows),
        "errata": _errata(rows),
        "columns": [verdict for verdict in (*VERDICTS, *OWN_VERDICTS) if verdict in {*summary, *own}],
        "rows": _shown_rows(rows),
        "script": script,
        "head": partial(page_head, styles=_STYLES, scripts=[script], images="'self' file: data:"),
        "failed": [card for card in cards if card["failure"]],
        "finished": max((manifest["run"]["finished"] for manifest in manifests), default=""),
        "seconds": sum(manifest["run"]["seconds"] for manifest in manifests),
        "versions": next((m["versions"] for m in reversed(manifests) if m["versions"]), {}),
        "titles": {manifest["name"]: manifest["title"] for manifest in manifests},
        "page": PAGE,
    }


def _errata(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the errors found in papers, each with what the report that shows it found."""
    evidence = {row["id"]: row for row in rows if row["report"]}
    return [
        {**erratum, "evidence": evidence[erratum["claim"]]}
        for erratum in known_errata()
        if erratum["claim"] in evidence
    ]


def _shown_rows(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows with their section of the ledger and a unique anchor."""
    shown: list[dict[str, Any]] = []
    taken: set[str] = set()
    for row in rows:
        order, group = (len(PAPERS) + 1, "Our own claims") if row["own"] else (_position(row["paper"]), row["paper"])
        # A claim that several reports check stands there several times.
        anchor = row["id"] if row["id"] not in taken else f"{row['id']}-in-{row['report'].replace('/', '-')}"
        taken.add(anchor)
        shown.append({**row, "group": f"{order} {group or _OWN}", "anchor": anchor})
    return shown


def _introduced(title: str, cards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reports of a paper with what the paper is, and the picture that shows it best."""
    paper = about_papers().get(title)
    pictured = [card for card in cards if card["thumbnail"]]
    best = next(
        (card for card in pictured if paper and card["name"] == paper["picture"]), pictured[0] if pictured else None
    )
    return {"title": title, "cards": cards, "paper": paper, "best": best}


def _card(manifest: Mapping[str, Any]) -> dict[str, Any]:
    figures, claims = manifest["figures"], manifest["claims"]
    return {
        **{key: manifest[key] for key in ("name", "title", "item", "words", "paper")},
        "sentence": _sentence(manifest),
        "heading": manifest["heading"] if manifest["heading"] != manifest["title"] else "",
        "failure": manifest["failure"] or manifest.get("failed_run"),
        "kept": "failed_run" in manifest,
        "section": section_of(manifest),
        "thumbnail": f"{manifest['name']}/figures/{figures[0]['name']}.png" if figures else "",
        "verdicts": count_verdicts(claims),
        "claims": claims,
        "seconds": manifest["run"]["seconds"],
        "print": PRINT if PRINT in manifest["files"] else "",
        "given": "; ".join(f"{name} = {in_words(value)}" for name, value in manifest["given"].items()),
    }


def _sentence(manifest: Mapping[str, Any]) -> str:
    """Return the reason for the answer of a user's own table, and what any other report shows."""
    own = section_of(manifest) == _OWN and manifest["answer"] is not None
    return str(next(iter(manifest["answer"]["lines"]), "") if own else manifest["sentence"])


def section_of(manifest: Mapping[str, Any]) -> str:
    """Return the paper that a report belongs to, also where it goes beyond what the paper shows."""
    return manifest["paper"] or PAPER_OF_AREA.get(manifest["name"].split("/")[0], _OWN)


def _position(paper: str) -> int:
    return PAPERS.index(paper) if paper in PAPERS else len(PAPERS)
