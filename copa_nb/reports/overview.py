"""What is made of all reports in a folder: the index, the ledger of claims, and an export for LaTeX."""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.reports.catalogue import PAPER_OF_AREA, PAPERS, reading_order, shipped_folder
from copa_nb.reports.claims import VERDICTS, count_verdicts, known_claims
from copa_nb.reports.parameters import in_words
from copa_nb.reports.store import INDEX, LEDGER_PAGE, LEDGER_TABLE, PAGE, PRINT, Store, is_done, slug
from copa_nb.text import csv_text, latex_escape, listing

LATEX_SAMPLE = "reports.tex"
NOT_COVERED = "not covered"
_OWN = "Your own tables"
_LEDGER_COLUMNS = ("id", "paper", "says", "found", "verdict", "note", "report")


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
        store.manifests(), key=lambda manifest: (_position(_section(manifest)), reading_order(manifest["name"]))
    )


def ledger_rows(manifests: Iterable[Mapping[str, Any]]) -> list[dict[str, str]]:
    """Collect the claims of finished reports, in the order of the papers.

    Parameters
    ----------
    manifests : iterable of mapping
        Those of the reports in one folder.

    Returns
    -------
    list of dict
        With the keys id, paper, says, found, verdict, note and report. A claim that no finished report checks has
        the verdict "not covered".
    """
    checked: dict[str, list[dict[str, str]]] = {}
    for manifest in manifests:
        for claim in manifest["claims"] if is_done(manifest) else ():
            row = {key: claim[key] or "" for key in _LEDGER_COLUMNS[:-1]} | {"report": manifest["name"]}
            checked.setdefault(claim["id"], []).append(row)
    rows = []
    for claim in known_claims().values():
        missing = {"found": "", "verdict": NOT_COVERED, "note": "No report here states it.", "report": ""}
        rows += checked.pop(claim["id"], [{key: claim[key] for key in ("id", "paper", "says")} | missing])
    rows += [row for more in checked.values() for row in more]
    return sorted(rows, key=lambda row: _position(row["paper"]))


def export_for_latex(
    reports: Path | str, target: Path | str, *, papers_only: bool = True
) -> tuple[list[Path], list[str]]:
    r"""Collect the figures and tables of a folder of reports for a LaTeX project.

    Parameters
    ----------
    reports : Path or str
        Output folder of an earlier run.
    target : Path or str
        Folder to fill: ``figures/`` (PDF, SVG, PNG, and the numbers as CSV), ``tables/`` (LaTeX and CSV) and
        ``reports.tex``, which shows all of them with ``\includegraphics`` and ``\input``.
    papers_only : bool
        Leave out reports on the user's own tables.

    Returns
    -------
    list of Path
        What was written.
    list of str
        Reports that were left out because they failed.

    Raises
    ------
    ValueError
        If there are no finished reports, or `target` is not a folder.
    """
    store, target = Store(reports), Path(target)
    if not all(path.is_dir() for path in (target, target / "figures", target / "tables") if path.exists()):
        raise ValueError(f"{target} must be a folder, with folders `figures` and `tables`, but there is a file.")
    shown = [m for m in read_all(store) if _section(m) in PAPERS or not papers_only]
    failed = [m["name"] for m in shown if not is_done(m)]
    manifests = [m for m in shown if is_done(m) and (m["paper"] or not papers_only)]
    if not manifests:
        what = "finished report of a paper" if papers_only else "finished report"
        failures = f" {listing(failed)} failed." if failed else ""
        raise ValueError(
            f"`reports` is {str(reports)!r}; there is no {what} in it.{failures} `copa-nb paper` makes them."
        )
    written = []
    for kind in ("figures", "tables"):
        (target / kind).mkdir(parents=True, exist_ok=True)
    for manifest in manifests:
        for name in map(Path, manifest["files"]):
            if name.parts[0] in ("figures", "tables"):
                copy = target / name.parts[0] / f"{slug(manifest['name'])}-{name.name}"
                _copy(store.folder_of(manifest["name"]) / name, copy, prefix=slug(manifest["name"]))
                written.append(copy)
    sample = target / LATEX_SAMPLE
    sample.write_text(_latex_sample(manifests), encoding="utf-8", newline="\n")
    return [*written, sample], failed


def _latex_sample(manifests: Sequence[Mapping[str, Any]]) -> str:
    """Write a LaTeX document that shows every figure and table with its caption."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage{booktabs,graphicx}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\begin{document}",
    ]
    for manifest in manifests:
        prefix = slug(manifest["name"])
        lines += ["", rf"\section*{{{latex_escape(manifest['title'])}}}"]
        for figure in manifest["figures"]:
            caption = figure["caption"]
            file = f"{prefix}-{figure['name']}"
            lines += [
                r"\begin{figure}[htbp]",
                r"  \centering",
                rf"  \includegraphics[width=\linewidth,height=.8\textheight,keepaspectratio]{{figures/{file}}}",
                rf"  \caption{{{latex_escape(caption)}}}",
                rf"  \label{{fig:{file}}}",
                r"\end{figure}",
            ]
        lines += [rf"\input{{tables/{prefix}-{table['name']}}}" for table in manifest["tables"]]
        lines.append(r"\clearpage")
    return "\n".join([*lines, "", r"\end{document}", ""])


def _copy(source: Path, target: Path, *, prefix: str) -> None:
    if source.suffix == ".tex":
        # Labels are unique within a report only.
        text = source.read_text(encoding="utf-8").replace(r"\label{tab:", rf"\label{{tab:{prefix}-", 1)
        target.write_text(text, encoding="utf-8", newline="\n")
    else:
        shutil.copyfile(source, target)


def _environment() -> Any:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    templates = shipped_folder("templates")
    loader = FileSystemLoader([templates / "copa_overview", templates / "copa_report"])
    return Environment(loader=loader, autoescape=True, undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True)


def _context(manifests: Sequence[Mapping[str, Any]], rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    cards = [_card(manifest) for manifest in manifests]
    verdicts = [row["verdict"] for row in rows]
    sections = {title: [card for card in cards if card["section"] == title] for title in (*PAPERS, _OWN)}
    return {
        "sections": [{"title": title, "cards": found} for title, found in sections.items() if found],
        "summary": {verdict: verdicts.count(verdict) for verdict in (*VERDICTS, NOT_COVERED)} if rows else {},
        "verdicts": (*VERDICTS, NOT_COVERED),
        "rows": rows,
        "failed": [card for card in cards if card["failure"]],
        "finished": max((manifest["run"]["finished"] for manifest in manifests), default=""),
        "seconds": sum(manifest["run"]["seconds"] for manifest in manifests),
        "versions": next((m["versions"] for m in reversed(manifests) if m["versions"]), {}),
        "titles": {manifest["name"]: manifest["title"] for manifest in manifests},
        "page": PAGE,
    }


def _card(manifest: Mapping[str, Any]) -> dict[str, Any]:
    figures = manifest["figures"]
    return {
        **{key: manifest[key] for key in ("name", "title", "item", "sentence")},
        "failure": manifest["failure"] or manifest.get("failed_run"),
        "kept": "failed_run" in manifest,
        "section": _section(manifest),
        "thumbnail": f"{manifest['name']}/figures/{figures[0]['name']}.png" if figures else "",
        "verdicts": count_verdicts(manifest["claims"]),
        "claimed": " ".join(f"{claim['id']} {claim['says']}" for claim in manifest["claims"]),
        "seconds": manifest["run"]["seconds"],
        "print": PRINT if PRINT in manifest["files"] else "",
        "given": "; ".join(f"{name} = {in_words(value)}" for name, value in manifest["given"].items()),
    }


def _section(manifest: Mapping[str, Any]) -> str:
    """Return the paper that a report belongs to, also where it goes beyond what the paper shows."""
    return manifest["paper"] or PAPER_OF_AREA.get(manifest["name"].split("/")[0], _OWN)


def _position(paper: str) -> int:
    return PAPERS.index(paper) if paper in PAPERS else len(PAPERS)
