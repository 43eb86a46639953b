"""Finished reports for other places: figures and tables for a LaTeX project, pages as one file each to send."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copa_nb.claims.collection import installed
from copa_nb.reports.folder import NOTEBOOK, is_as_listed
from copa_nb.reports.overview import read_all, read_failed, section_of
from copa_nb.reports.places import slug
from copa_nb.text import latex_escape, listing

LATEX_SAMPLE = "reports.tex"
_HASHES = ".copa-nb-export.json"  # of the files as they were exported
_TEXT_WIDTH = 6.85 * 96  # CSS pixels: the width that figures are drawn for
# Scripts whose letters pdfLaTeX has no fonts for, and those of them that need fonts of their own.
_FOREIGN = re.compile(r"[^\x00-\u017f‘’‚“”„†‡•…€™]")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7af\uf900-\ufaff\uff00-\uffef]")


@dataclass(frozen=True)
class Exported:
    """What came of an export.

    Parameters
    ----------
    written : list of Path
        New files.
    failed : list of str
        Reports that there are none of, because they failed.
    """

    written: list[Path]
    failed: list[str]


def export_for_latex(reports: Path | str, target: Path | str, *, papers_only: bool = True) -> Exported:
    r"""Collect the figures and tables of a folder of reports for a LaTeX project.

    Parameters
    ----------
    reports : Path or str
        Output folder of an earlier run.
    target : Path or str
        Folder to fill: ``figures/`` (PDF, SVG, PNG, and the numbers as CSV), ``tables/`` (LaTeX and CSV) and
        ``reports.tex``, which shows all of them with ``\includegraphics`` and ``\input``, each in the width that it
        was drawn for, and the engine that the names in them need.
    papers_only : bool
        Leave out reports on the user's own tables.

    Returns
    -------
    Exported

    Raises
    ------
    ValueError
        If there are no finished reports, or `target` is not a folder, or has files that are not as they were exported.
    """
    reports, target = Path(reports), Path(target)
    if not all(path.is_dir() for path in (target, target / "figures", target / "tables") if path.exists()):
        raise ValueError(
            f"{target} must be a folder with folders `figures` and `tables`, but there is a file; choose another."
        )
    manifests, failed = _finished(reports, papers_only)
    files: dict[str, bytes] = {}
    tables = []
    for manifest in manifests:
        for name in map(Path, sorted(manifest["files"])):
            if name.parts[0] not in ("figures", "tables"):
                continue
            content = (reports / manifest["name"] / name).read_bytes()
            if name.suffix == ".tex":
                tables.append(_table(content.decode("utf-8"), prefix=slug(manifest["name"])))
                content = tables[-1].encode()
            files[f"{name.parts[0]}/{slug(manifest['name'])}-{name.name}"] = content
    files[LATEX_SAMPLE] = _latex_sample(manifests, tables).encode()
    return Exported(_written(files, target), failed)


def export_pages(reports: Path | str, target: Path | str, *, papers_only: bool = False) -> Exported:
    """Write every finished report as one file to send: figures, their downloads and tables are inside it.

    Parameters
    ----------
    reports, target, papers_only
        As for :func:`export_for_latex`.

    Returns
    -------
    Exported
    """
    import nbformat

    from copa_nb.reports.page import to_html

    reports, target = Path(reports), Path(target)
    if target.exists() and not target.is_dir():
        raise ValueError(f"{target} must be a folder, but it is a file; choose another folder.")
    manifests, failed = _finished(reports, papers_only)
    files = {}
    for manifest in manifests:
        notebook = nbformat.read(reports / manifest["name"] / NOTEBOOK, as_version=4)
        files[f"{slug(manifest['name'])}.html"] = to_html(notebook, single_file=True).encode()
    return Exported(_written(files, target), failed)


def _written(files: Mapping[str, bytes], target: Path) -> list[Path]:
    """Write files to a folder; refuse to, before the first, if one is there that was not exported as it is now."""
    try:
        exported = dict(json.loads((target / _HASHES).read_text(encoding="utf-8")))
    except (OSError, ValueError):
        exported = {}
    now = {name: hashlib.sha256(content).hexdigest() for name, content in files.items()}
    edited = [
        name
        for name in files
        if (target / name).exists()
        and not any(is_as_listed(target / name, own) for own in (exported.get(name), now[name]))
    ]
    if edited:
        raise ValueError(
            f"{target} has files that were edited, or not exported: {listing(edited)}; move them, or choose another "
            "folder."
        )
    for name, content in files.items():
        (target / name).parent.mkdir(parents=True, exist_ok=True)
        (target / name).write_bytes(content)
    (target / _HASHES).write_text(json.dumps(exported | now, indent=1), encoding="utf-8")
    return [target / name for name in files]


def _finished(reports: Path, papers_only: bool) -> tuple[list[dict[str, Any]], list[str]]:
    """Return the manifests of the reports, and the names of those that failed and that there are none of."""
    there = read_all(reports)
    manifests = [m for m in there if not papers_only or (m["paper"] and section_of(m) in installed().papers)]
    names = {m["name"] for m in there}
    failed = [run["name"] for run in read_failed(reports) if run["name"] not in names]
    if not manifests:
        what = "finished report of a paper" if papers_only else "finished report"
        failures = f" {listing(failed)} failed." if failed else ""
        raise ValueError(
            f"`reports` is {str(reports)!r}; there is no {what} in it.{failures} `copa-nb run papers` makes them."
        )
    return manifests, failed


def _latex_sample(manifests: Sequence[Mapping[str, Any]], tables: Iterable[str]) -> str:
    """Write a LaTeX document that shows every figure and table with its caption."""
    fits = r"height=.8\textheight,keepaspectratio"
    body: list[str] = []
    for manifest in manifests:
        prefix = slug(manifest["name"])
        body += ["", rf"\section*{{{latex_escape(manifest['title'])}}}"]
        for figure in manifest["figures"]:
            finding = figure["finding"] and rf"\textbf{{{latex_escape(figure['finding'].rstrip('.'))}.}} "
            file = f"{prefix}-{figure['name']}"
            width = min(1.0, figure["width"] / _TEXT_WIDTH)
            body += [
                r"\begin{figure}[htbp]",
                r"  \centering",
                rf"  \includegraphics[width={width:.3g}\linewidth,{fits}]{{figures/{file}}}",
                rf"  \caption{{{finding}{latex_escape(figure['caption'])}}}",
                rf"  \label{{fig:{file}}}",
                r"\end{figure}",
            ]
        body += [rf"\input{{tables/{prefix}-{table['name']}}}" for table in manifest["tables"]]
        body.append(r"\clearpage")
    return "\n".join([*_preamble("\n".join([*body, *tables])), r"\begin{document}", *body, "", r"\end{document}", ""])


def _preamble(text: str) -> list[str]:
    """Return the packages that the text needs, and which engine."""
    lines = [
        "% Figures were drawn for lines of 174 mm and are shown in proportion: narrower lines make letters smaller.",
        "% For serif documents, make the reports with COPA_NB_FONTS=serif.",
        r"\documentclass{article}",
        r"\usepackage{booktabs,graphicx,adjustbox}",
        r"\usepackage[a4paper,margin=18mm]{geometry}",
        r"\setlength{\belowcaptionskip}{6pt}",
    ]
    if found := "".join(sorted(set(_FOREIGN.findall(text)))):
        some = found[:12] + ("…" if len(found) > 12 else "")
        lines[:0] = [f"% Compile with LuaLaTeX or XeLaTeX: pdfLaTeX has no letters for {some}."]
        lines += [
            r"\usepackage{iftex}",
            r"\ifpdftex\errmessage{Names here have letters that pdfLaTeX lacks: compile with LuaLaTeX or XeLaTeX}\fi",
            r"\usepackage{fontspec}",
            r"\IfFontExistsTF{DejaVu Serif}{\setmainfont{DejaVu Serif}[Scale=MatchLowercase]}{}",
        ]
        if _CJK.search(found):
            lines += [
                r"% Noto has Chinese, Japanese and Korean in one font; without it the engines take their own.",
                r"\ifluatex\usepackage{luatexja-fontspec}\let\setCJKmainfont\setmainjfont",
                r"\ltjsetparameter{jacharrange={-2,-3}}\fi % Greek and Cyrillic letters are not Japanese ones",
                r"\ifxetex\usepackage{xeCJK}\fi",
                r"\IfFontExistsTF{Noto Serif CJK SC}{\setCJKmainfont{Noto Serif CJK SC}}{}",
            ]
        return lines
    return [
        "% Compiles with pdfLaTeX, LuaLaTeX and XeLaTeX.",
        *lines,
        r"\usepackage[T1]{fontenc}",
        r"\usepackage{lmodern}",
    ]


def _table(text: str, *, prefix: str) -> str:
    """Return a LaTeX table for a document of several reports."""
    # Labels are unique within a report only; a table that is too wide or too long is shown smaller.
    text = text.replace(r"\label{tab:", rf"\label{{tab:{prefix}-", 1)
    text = text.replace(r"\begin{table}[tb]", r"\begin{table}[htbp]", 1)
    text = text.replace(
        r"\begin{tabular}",
        "\\begin{adjustbox}{max width=\\linewidth,max totalheight=.85\\textheight}\n  \\begin{tabular}",
        1,
    )
    return text.replace(r"\end{tabular}", "\\end{tabular}\n  \\end{adjustbox}", 1)
