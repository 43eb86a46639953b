"""What is made of all reports in a folder: the index, and the ledger of claims beside it."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.claims.collection import installed
from copa_nb.claims.ledger import count_reasons, count_verdicts
from copa_nb.claims.ledger_page import environment, filter_context
from copa_nb.claims.verdicts import NOT_COVERED, OF_PAPERS, OWN, counted
from copa_nb.reports.catalog import heading, reading_order
from copa_nb.reports.folder import (
    INDEX,
    LEDGER_PAGE,
    LEDGER_TABLE,
    PAGE,
    PARTIAL,
    PRINT,
    failed_notebook,
    locked,
    manifests,
    write,
)
from copa_nb.reports.ledger import (
    LEDGER_COLUMNS,
    ledger_rows,
    papers_ledger,
    position,
    whole_title,
)
from copa_nb.reports.outcomes import Failure
from copa_nb.reports.parameters import in_words
from copa_nb.text import csv_text

_OWN = "Your reports"
_OVERVIEW = "%overview"  # its lock has a name that no report has
_HOME = "https://copa-nb.readthedocs.io"


def write_overview(out: Path) -> None:
    """Write index and ledger of all reports in a folder, also those of earlier runs.

    Parameters
    ----------
    out : Path
        The prepared output folder.

    Notes
    -----
    The pages depend on the reports alone: the same reports give the same pages.
    """
    with locked(out, _OVERVIEW):
        reports, failed = read_all(out), read_failed(out)
        has_papers = any(manifest["paper"] for manifest in reports)
        rows = ledger_rows(reports) if has_papers else []
        frame = _frame(reports)
        index = environment().get_template("index.html.j2")
        write(out, INDEX, index.render(**_context(reports, failed, rows), **frame))
        if has_papers:
            write(out, LEDGER_PAGE, papers_ledger(rows, frame))
            write(out, LEDGER_TABLE, csv_text(pd.DataFrame(rows, columns=LEDGER_COLUMNS)))


def read_all(out: Path) -> list[dict[str, Any]]:
    """Return the manifests of all reports in a folder, in reading order."""
    return sorted(
        manifests(out), key=lambda manifest: (position(section_of(manifest)), reading_order(manifest["name"]))
    )


def read_failed(out: Path) -> list[dict[str, Any]]:
    """Return the last runs that failed, in reading order: ``name``, ``title``, ``failure`` and ``notebook``."""
    found = []
    for path in (out / PARTIAL).rglob("*.ipynb"):
        try:
            notebook = json.loads(path.read_text(encoding="utf-8"))
            of_run = notebook["metadata"]["copa_nb"]
            failure = Failure(**of_run["failure"])
            run = {"name": of_run["name"], "failure": str(failure), "title": heading(notebook)[0]}
        except (ValueError, KeyError, TypeError):  # it is not ours
            continue
        if path == failed_notebook(out, run["name"]):
            found.append(run | {"notebook": path.relative_to(out).as_posix()})
    return sorted(found, key=lambda run: reading_order(run["name"]))


def _context(
    reports: Sequence[Mapping[str, Any]], failed: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    cards = [_card(manifest, failed) for manifest in reports]
    sections = {title: [card for card in cards if card["section"] == title] for title in (*installed().papers, _OWN)}
    introduced = [_introduced(title, found) for title, found in sections.items() if found]
    of_papers, own = ([row for row in rows if row["own"] is whose] for whose in (False, True))
    pictured = [section["best"] for section in introduced if section["best"]]
    return {
        "title": "Five papers on choosing among models, reproduced" if rows else _OWN,
        # With its title and source, for those to whom the index is sent.
        "preview": pictured[0]["thumbnail"].removesuffix("svg") + "png" if pictured else "",
        "description": pictured[0]["title"] if pictured else "",
        "sections": introduced,
        "summary": counted((row["verdict"] for row in of_papers), (*OF_PAPERS, NOT_COVERED)),
        "checked": sum(row["verdict"] != NOT_COVERED for row in of_papers),
        "matrix": _matrix(of_papers, [section["title"] for section in introduced]),
        "own": own,
        "own_summary": counted((row["verdict"] for row in own), OWN),
        "reasons": count_reasons(rows),
        "errata": _errata(rows),
        "failed": [{**run, "kept": any(card["name"] == run["name"] for card in cards)} for run in failed],
        "page": PAGE,
        "home": _HOME,
    }


def _frame(manifests: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return what the foot of both pages says."""
    return filter_context() | {
        "finished": max((manifest["run"]["finished"] for manifest in manifests), default=""),
        "seconds": sum(manifest["run"]["seconds"] for manifest in manifests),
        "versions": next((m["versions"] for m in reversed(manifests) if m["versions"]), {}),
    }


def _matrix(rows: Sequence[Mapping[str, Any]], sections: Sequence[str]) -> list[dict[str, Any]]:
    """Return the claims of each paper by verdict, and the number of its section of the page."""
    return [
        {
            "title": whole_title(paper),
            "section": sections.index(paper) + 1 if paper in sections else 0,
            "verdicts": {
                verdict: [row for row in rows if row["paper"] == paper and row["verdict"] == verdict]
                for verdict in (*OF_PAPERS, NOT_COVERED)
            },
        }
        for paper in installed().papers
    ]


def _errata(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Return the errors found in papers, each with what the report that shows it found."""
    evidence = {row["id"]: row for row in rows if row["report"]}
    return [
        {**erratum, "evidence": evidence[erratum["claim"]]}
        for erratum in installed().errata
        if erratum["claim"] in evidence
    ]


def _introduced(title: str, cards: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the reports of a paper with what the paper is, and the picture that shows it best."""
    paper = installed().papers.get(title)
    pictured = [card for card in cards if card["thumbnail"]]
    best = next(
        (card for card in pictured if paper and card["name"] == paper["picture"]), pictured[0] if pictured else None
    )
    # What a paper does not have comes after what it has.
    beyond = [card for card in cards if paper and not card["paper"]]
    return {
        "title": title, "whole": whole_title(title), "is_own": title == _OWN,
        "cards": [card for card in cards if card not in beyond], "beyond": beyond, "paper": paper,
        "best": best,
    }  # fmt: skip


def _card(manifest: Mapping[str, Any], failed: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    figures, claims = manifest["figures"], manifest["claims"]
    return {
        **{key: manifest[key] for key in ("name", "title", "item", "words", "paper")},
        "sentence": _sentence(manifest),
        "heading": manifest["heading"] if manifest["heading"] != manifest["title"] else "",
        "failed": any(run["name"] == manifest["name"] for run in failed),
        "section": section_of(manifest),
        "thumbnail": f"{manifest['name']}/figures/{figures[0]['name']}.svg" if figures else "",
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
    """Return the paper that a report belongs to, also where it goes beyond what the paper shows.

    A report of a user's own table may stand in a folder that is called as one of a paper.
    """
    if manifest["paper"] or "table" in manifest["parameters"]:
        return manifest["paper"] or _OWN
    return installed().paper_of_area.get(manifest["name"].split("/")[0], _OWN)
