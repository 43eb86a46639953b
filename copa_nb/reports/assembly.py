"""From an executed notebook to the files of a report: its payloads unpacked, its pages, its manifest."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import time
import unicodedata
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copa_nb.reports.catalog import heading
from copa_nb.reports.figures import with_title
from copa_nb.reports.folder import INDEX, NOTEBOOK, PAGE, PRINT, write_manifest
from copa_nb.reports.inputs import file_hash
from copa_nb.reports.jobs import Job
from copa_nb.reports.parameters import declared
from copa_nb.reports.payloads import (
    CLAIM,
    DATA,
    FIGURE,
    FILES,
    TABLE,
    answer,
    answered,
    bundles,
    main_figure,
    payloads,
    provenance,
    source_line,
)
from copa_nb.reports.pdf import to_pdf

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
_KERNEL_FILE = re.compile(r"/\S*/ipykernel_\d+/\d+\.py")


def assemble(
    job: Job, folder: Path, *, fingerprint: str, phases: Mapping[str, float] | None = None, table: str = ""
) -> None:
    """Make the files of a report around its executed notebook.

    Parameters
    ----------
    job : Job
        What was run.
    folder : Path
        Holds ``report.ipynb`` as papermill left it; everything else is written to it.
    fingerprint : str
        What it was made of.
    phases : mapping of str to float, optional
        How long the run took; the time for the pages is added.
    table : str
        Where the user's table is, seen from the output folder.
    """
    import nbformat

    from copa_nb.reports.page import to_html

    began = time.monotonic()
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    normalize(notebook)
    index = "../" * len(Path(job.name).parts) + INDEX
    notebook.metadata["copa_nb"] = {"files": True, "name": job.name, "index": index}
    nbformat.write(notebook, folder / NOTEBOOK)
    closing, main = provenance(notebook), main_figure(notebook)
    figures = [_unpack_figure(bundle, folder / "figures", source_line(closing)) for bundle in bundles(notebook, FIGURE)]
    figures.sort(key=lambda figure: figure["name"] != (main or {}).get("name"))  # the index shows the first
    tables = [_unpack_table(table, folder / "tables") for table in payloads(notebook, TABLE)]
    for stored in payloads(notebook, FILES):
        _unpack_files(stored["contents"], folder / "files")
    page = to_html(notebook)
    _write(folder / PAGE, page)
    if "pdf" in job.formats:
        (folder / PRINT).write_bytes(to_pdf(to_html(notebook, vector=True)))
    title, sentence = heading(notebook)
    defaults = {name: parameter.default for name, parameter in declared(Path(job.notebook)).items()}
    contents = {
        "name": job.name,
        "title": answered(title, answer(notebook)),
        "heading": title,
        "answer": answer(notebook),
        "sentence": sentence,
        "paper": closing.get("paper"),
        "item": closing.get("item", ""),
        "parameters": defaults | job.parameters,
        "given": job.parameters,
        "notebook": {"file": Path(job.notebook).name, "sha256": file_hash(Path(job.notebook))},
        "data": payloads(notebook, DATA),
        "versions": closing.get("versions", {}),
        "fingerprint": fingerprint,
        "claims": payloads(notebook, CLAIM),
        "figures": figures,
        "tables": tables,
        "words": words_of(page),
    }
    spent = {**(phases or {}), "pages": round(time.monotonic() - began, 3)}
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    run = {"finished": finished, "seconds": round(sum(spent.values()), 2), "phases": spent, "table": table}
    write_manifest(folder, contents, run)


def words_of(page: str) -> str:
    """Return every word that a page shows, once and in alphabetical order, for the search in the index.

    Examples
    --------
    >>> words_of("<style>p {}</style><p>CO₂ &amp; <b>more</b> CO₂</p>")
    'co2 more'
    """
    shown = re.sub(r'(?s)<(style|script)\b.*?</\1>|<section class="code">.*?</section>|<!--.*?-->', " ", page)
    shown = html.unescape(re.sub(r"(?s)<wbr>|<[^>]*>", lambda tag: "" if tag[0] == "<wbr>" else " ", shown))
    plain = unicodedata.normalize("NFKD", shown).lower()
    words = {word.strip(".,;:!?()[]“”\"'") for word in plain.split()}
    return " ".join(sorted(word for word in words if any(character.isalnum() for character in word)))


def normalize(notebook: Any) -> None:
    """Remove from an executed notebook what differs from run to run: times, paths, addresses, ids."""
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        tags = cell.metadata.get("tags", [])
        if "injected-parameters" in tags:
            cell["id"] = "injected-parameters"
        elif "papermill-error-cell-tag" in tags:
            cell["id"] = f"error-{hashlib.sha256(cell.source.encode()).hexdigest()[:8]}"
        for output in cell.get("outputs", []):
            _normalize_output(output)


def _normalize_output(output: Any) -> None:
    for holder, keys in ((output, ("text", "evalue")), (output.get("data", {}), ("text/plain", "text/html"))):
        for key in keys:
            if isinstance(holder.get(key), str):
                holder[key] = _without_addresses(holder[key])
    if "traceback" in output:
        output["traceback"] = [_without_addresses(line) for line in output["traceback"]]


def _without_addresses(text: str) -> str:
    return _KERNEL_FILE.sub("<cell>", _ADDRESS.sub("0x…", text))


def _unpack_figure(bundle: Mapping[str, Any], folder: Path, source: str) -> dict[str, Any]:
    """Write a figure in all formats, as PNG with its title and source; return what the manifest says about it."""
    figure = bundle[FIGURE]
    folder.mkdir(exist_ok=True)
    stem = folder / figure["name"]
    png = base64.b64decode(bundle["image/png"])
    stem.with_suffix(".png").write_bytes(with_title(png, figure["finding"], source))
    stem.with_suffix(".pdf").write_bytes(base64.b64decode(figure["pdf"]))
    _write(stem.with_suffix(".svg"), figure["svg"])
    if figure["csv"]:
        _write(stem.with_suffix(".csv"), figure["csv"])
    return {key: figure[key] for key in ("name", "finding", "caption", "alt", "width", "height")}


def _unpack_table(table: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write a table as CSV and LaTeX; return what the manifest says about it."""
    folder.mkdir(exist_ok=True)
    _write((folder / table["name"]).with_suffix(".csv"), table["csv"])
    _write((folder / table["name"]).with_suffix(".tex"), table["latex"])
    return {key: table[key] for key in ("name", "caption", "total")}


def _unpack_files(contents: Mapping[str, str], folder: Path) -> None:
    """Write files for other programs as they are."""
    folder.mkdir(exist_ok=True)
    for name, text in contents.items():
        _write(folder / name, text)


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
