"""What is made of all reports in a folder: the index, and the ledger of claims beside it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import pandas as pd

from copa_nb.claims.collection import installed
from copa_nb.claims.ledger import count_reasons, count_verdicts
from copa_nb.claims.ledger_page import environment, filter_context
from copa_nb.claims.verdicts import NOT_COVERED, OF_PAPERS, OWN, counted
from copa_nb.reports.catalog import reading_order
from copa_nb.reports.ledger import (
    LEDGER_COLUMNS,
    ledger_rows,
    papers_ledger,
    position,
    whole_title,
)
from copa_nb.reports.parameters import in_words
from copa_nb.reports.store import INDEX, LEDGER_PAGE, LEDGER_TABLE, PAGE, PRINT, Store
from copa_nb.text import csv_text

_OWN = "Your own tables"
_HOME = "https://copa-nb.readthedocs.io"


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
        frame = _frame(manifests)
        index = environment().get_template("index.html.j2")
        store.write_overview(INDEX, index.render(**_context(manifests, rows), **frame))
        if has_papers:
            store.write_overview(LEDGER_PAGE, papers_ledger(rows, frame))
            store.write_overview(LEDGER_TABLE, csv_text(pd.DataFrame(rows, columns=LEDGER_COLUMNS)))


def read_all(store: Store) -> list[dict[str, Any]]:
    """Return the manifests of all reports in a folder, in reading order."""
    return sorted(
        store.manifests(), key=lambda manifest: (position(section_of(manifest)), reading_order(manifest["name"]))
    )


def _context(manifests: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    cards = [_card(manifest) for manifest in manifests]
    sections = {title: [card for card in cards if card["section"] == title] for title in (*installed().papers, _OWN)}
    introduced = [_introduced(title, found) for title, found in sections.items() if found]
    of_papers, own = ([row for row in rows if row["own"] is whose] for whose in (False, True))
    return {
        "sections": introduced,
        "summary": counted((row["verdict"] for row in of_papers), (*OF_PAPERS, NOT_COVERED)),
        "checked": sum(row["verdict"] != NOT_COVERED for row in of_papers),
        "matrix": _matrix(of_papers, [section["title"] for section in introduced]),
        "own": own,
        "own_summary": counted((row["verdict"] for row in own), OWN),
        "reasons": count_reasons(rows),
        "errata": _errata(rows),
        "failed": [card for card in cards if card["failure"]],
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
        "title": title, "whole": whole_title(title), "cards": [card for card in cards if card not in beyond],
        "beyond": beyond, "paper": paper, "best": best,
    }  # fmt: skip


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
    return manifest["paper"] or installed().paper_of_area.get(manifest["name"].split("/")[0], _OWN)
