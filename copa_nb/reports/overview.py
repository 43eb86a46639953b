"""The pages of an output folder: the index that a reader enters from, and the ledger."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from copa_nb.reports.assembly import MANIFEST, PAGE, PRINT, read_manifest
from copa_nb.reports.catalogue import AREAS, PAPER_OF_AREA, shipped_folder
from copa_nb.reports.claims import PAPERS, VERDICTS, count_verdicts
from copa_nb.reports.ledger import NOT_COVERED, LedgerRow, ledger_csv, ledger_rows, summary
from copa_nb.reports.parameters import in_words
from copa_nb.reports.store import Store

INDEX, LEDGER_PAGE, LEDGER_TABLE = "index.html", "ledger.html", "ledger.csv"
_OWN = "Your own tables"


def write_overview(store: Store) -> None:
    """Write index and ledger of all reports in a folder, also those of earlier runs.

    Parameters
    ----------
    store : Store
        The prepared output folder.

    Notes
    -----
    The pages follow from the reports alone: the same reports give the same pages.
    """
    with store.lock("%overview"):
        manifests = read_all(store)
        rows = ledger_rows(manifests)
        has_papers = any(manifest["paper"] for manifest in manifests)
        context = _context(manifests, rows if has_papers else [])
        environment = _environment()
        store.write(INDEX, environment.get_template("index.html.j2").render(context))
        if has_papers:
            store.write(LEDGER_PAGE, environment.get_template("ledger.html.j2").render(context))
            store.write(LEDGER_TABLE, ledger_csv(rows))


def read_all(store: Store) -> list[dict[str, Any]]:
    """Return the manifests of all reports in a folder, in reading order."""
    found = []
    for path in store.root.glob("**/" + MANIFEST):
        inside = path.relative_to(store.root).parts
        manifest = None if inside[0].startswith(".") else read_manifest(path.parent)
        if manifest is not None and "/".join(inside[:-1]) == manifest["name"]:
            found.append(manifest)
    return sorted(found, key=_reading_order)


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = shipped_folder("templates")
    loader = FileSystemLoader([templates / "copa_overview", templates / "copa_report"])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _context(manifests: Sequence[Mapping[str, Any]], rows: Sequence[LedgerRow]) -> dict[str, Any]:
    cards = [_card(manifest) for manifest in manifests]
    return {
        "sections": [
            {"title": title, "cards": [card for card in cards if card["section"] == title]}
            for title in (*PAPERS, _OWN)
            if any(card["section"] == title for card in cards)
        ],
        "summary": summary(rows) if rows else {},
        "verdicts": (*VERDICTS, NOT_COVERED),
        "rows": rows,
        "papers": [paper for paper in PAPERS if any(row.paper == paper for row in rows)],
        "failed": [card for card in cards if card["failure"]],
        "stand_ins": sorted({name for card in cards for name in card["stand_ins"]}),
        "finished": max((manifest["run"]["finished"] for manifest in manifests), default=""),
        "seconds": sum(manifest["run"]["seconds"] for manifest in manifests),
        "versions": next((m["versions"] for m in reversed(manifests) if m["versions"]), {}),
        "titles": {manifest["name"]: manifest["title"] for manifest in manifests},
        "page": PAGE,
    }


def _card(manifest: Mapping[str, Any]) -> dict[str, Any]:
    figures = manifest["figures"]
    stand_ins = [source["name"] for source in manifest["data"] if source["kind"] == "stand-in"]
    return {
        "name": manifest["name"],
        "section": _section(manifest),
        "title": manifest["title"],
        "item": manifest["item"],
        "sentence": manifest["sentence"],
        "thumbnail": f"{manifest['name']}/figures/{figures[0]['name']}.png" if figures else "",
        "alt": figures[0]["alt"] if figures else "",
        "verdicts": count_verdicts(manifest["claims"]),
        "claimed": " ".join(f"{claim['id']} {claim['says']}" for claim in manifest["claims"]),
        "failure": manifest["failure"],
        "stand_ins": stand_ins,
        "seconds": manifest["run"]["seconds"],
        "print": PRINT if PRINT in manifest["files"] else "",
        "given": "; ".join(f"{name} = {in_words(value)}" for name, value in manifest["given"].items()),
    }


def _section(manifest: Mapping[str, Any]) -> str:
    """Name the paper that a report belongs to, also where it goes beyond what the paper shows."""
    return manifest["paper"] or PAPER_OF_AREA.get(manifest["name"].split("/")[0], _OWN)


def _reading_order(manifest: Mapping[str, Any]) -> tuple[Any, ...]:
    area, _, rest = manifest["name"].partition("/")
    position = AREAS.index(area) if area in AREAS else len(AREAS)
    paper = PAPERS.index(_section(manifest)) if _section(manifest) in PAPERS else len(PAPERS)
    pieces = [(int(part), "") if part.isdigit() else (-1, part) for part in re.split(r"(\d+)", rest)]
    return (paper, position, area, pieces)
