"""Figures and tables of many reports in one folder, ready for a LaTeX project."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from copa_nb.reports.overview import read_all
from copa_nb.reports.plan import slug
from copa_nb.reports.store import Store
from copa_nb.text import latex_escape

SAMPLE = "reports.tex"


def export_for_latex(reports: Path | str, target: Path | str, *, papers_only: bool = True) -> list[Path]:
    r"""Gather figures and tables of a folder of reports for a LaTeX project.

    Parameters
    ----------
    reports : Path or str
        Output folder of an earlier run.
    target : Path or str
        Folder to fill: ``figures/`` (PDF, SVG, PNG, and the numbers as CSV), ``tables/`` (LaTeX and
        CSV) and ``reports.tex``, which shows all of them with ``\includegraphics`` and ``\input``.
    papers_only : bool
        Leave out reports on tables of one's own.

    Returns
    -------
    list of Path
        What was written.

    Raises
    ------
    ValueError
        If there are no finished reports.
    """
    store = Store(reports)
    manifests = [
        manifest
        for manifest in read_all(store)
        if manifest["status"] == "done" and (manifest["paper"] or not papers_only)
    ]
    if not manifests:
        what = "finished report of a paper" if papers_only else "finished report"
        raise ValueError(f"`reports` is {str(reports)!r}; there is no {what} in it. `copa-nb paper` makes them.")
    written = []
    for manifest in manifests:
        for kind in ("figures", "tables"):
            (Path(target) / kind).mkdir(parents=True, exist_ok=True)
            for name in manifest["files"]:
                if name.startswith(f"{kind}/"):
                    copy = Path(target) / kind / f"{prefix(manifest)}-{Path(name).name}"
                    _copy(store.place_of(manifest["name"]) / name, copy, manifest)
                    written.append(copy)
    sample = Path(target) / SAMPLE
    sample.write_text(sample_document(manifests), encoding="utf-8", newline="\n")
    return [*written, sample]


def prefix(manifest: Mapping[str, Any]) -> str:
    """Return what a report's files start with, so that those of many fit in one folder."""
    return slug(manifest["name"])


def sample_document(manifests: Sequence[Mapping[str, Any]]) -> str:
    """Write a LaTeX document that shows every figure and table with its caption."""
    lines = [
        r"\documentclass{article}",
        r"\usepackage{booktabs,graphicx}",
        r"\usepackage[margin=2.5cm]{geometry}",
        r"\begin{document}",
    ]
    for manifest in manifests:
        lines += ["", rf"\section*{{{latex_escape(manifest['title'])}}}"]
        for figure in manifest["figures"]:
            caption = figure["caption"] + (" Shows stand-in data." if figure["stand_in"] else "")
            file = f"{prefix(manifest)}-{figure['name']}"
            lines += [
                r"\begin{figure}[htbp]",
                r"  \centering",
                rf"  \includegraphics[width=\linewidth,height=.8\textheight,keepaspectratio]{{figures/{file}}}",
                rf"  \caption{{{latex_escape(caption)}}}",
                rf"  \label{{fig:{file}}}",
                r"\end{figure}",
            ]
        lines += [rf"\input{{tables/{prefix(manifest)}-{table['name']}}}" for table in manifest["tables"]]
        lines.append(r"\clearpage")
    return "\n".join([*lines, "", r"\end{document}", ""])


def _copy(source: Path, target: Path, manifest: Mapping[str, Any]) -> None:
    if source.suffix == ".tex":
        # Labels are unique within a report only.
        text = source.read_text(encoding="utf-8").replace(r"\label{tab:", rf"\label{{tab:{prefix(manifest)}-", 1)
        target.write_text(text, encoding="utf-8", newline="\n")
    else:
        shutil.copyfile(source, target)
