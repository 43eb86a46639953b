"""From an executed notebook to the folder of a report: notebook, files, pages, manifest."""

from __future__ import annotations

import base64
import json
import re
import time
from collections.abc import Mapping
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copa_nb.reports import payloads
from copa_nb.reports.catalogue import heading
from copa_nb.reports.export import to_html
from copa_nb.reports.fingerprint import Inputs, data_state, file_hash
from copa_nb.reports.jobs import DONE, FAILED, Failure, Job
from copa_nb.reports.parameters import declared
from copa_nb.reports.pdf import to_pdf

MANIFEST, NOTEBOOK, PAGE, PRINT = "manifest.json", "report.ipynb", "report.html", "report.pdf"
SCHEMA = 1
_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
_KERNEL_FILE = re.compile(r"/\S*/ipykernel_\d+/\d+\.py")


def assemble(
    job: Job,
    folder: Path,
    *,
    inputs: Inputs,
    failure: Failure | None,
    phases: dict[str, float],
    cut_short: str | None = None,
) -> dict[str, Any]:
    """Make the files of a report around its executed notebook.

    Parameters
    ----------
    job : Job
        What was run.
    folder : Path
        Holds ``report.ipynb`` as papermill left it; gets everything else.
    inputs : Inputs
        What it was made of.
    failure : Failure or None
        Why the notebook did not end, if it did not.
    phases : dict
        Seconds so far; the time for the pages is added.
    cut_short : str, optional
        Id of the cell in which the kernel died or the time was up.

    Returns
    -------
    dict
        The manifest, as written. Of the same inputs everything but its entry ``run`` is the same.
    """
    import nbformat

    began = time.monotonic()
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    normalize(notebook, cut_short=cut_short)
    notebook.metadata["copa_nb"] = {
        "files": True,
        "index": "../" * len(Path(job.name).parts) + "index.html",
        "failure": asdict(failure) if failure else None,
    }
    nbformat.write(notebook, folder / NOTEBOOK)
    figures = [_unpack_figure(found, folder) for found in _bundles(notebook, payloads.FIGURE)]
    tables = [_unpack_table(found, folder) for found in payloads.payloads(notebook, payloads.TABLE)]
    (folder / PAGE).write_text(to_html(notebook), encoding="utf-8", newline="\n")
    if "pdf" in job.formats:
        (folder / PRINT).write_bytes(to_pdf(to_html(notebook, vector=True)))
    phases = phases | {"pages": round(time.monotonic() - began, 3)}
    manifest = _manifest(job, notebook, inputs, failure) | {
        "figures": figures,
        "tables": tables,
        "files": _hashes(folder),
        "run": {
            "finished": datetime.now(UTC).isoformat(timespec="seconds"),
            "seconds": round(sum(phases.values()), 2),
            "phases": phases,
        },
    }
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")
    return manifest


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a report's folder, None if there is no readable one of this layout."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("schema") == SCHEMA else None


def normalize(notebook: Any, *, cut_short: str | None = None) -> None:
    """Take out of an executed notebook what differs from run to run: times, paths, addresses, ids.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place.
    cut_short : str, optional
        Id of the cell that was ended from outside: the kernel may have said that it began it, or not yet.
    """
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.get("id") == cut_short:
            cell["execution_count"] = None
        cell.metadata.pop("papermill", None)
        cell.metadata.pop("execution", None)
        for tag in ("injected-parameters", "papermill-error-cell-tag"):
            if tag in cell.metadata.get("tags", []):
                cell["id"] = tag if tag == "injected-parameters" else f"error-{_digest(cell.source)}"
        for output in cell.get("outputs", []):
            _steady_output(output)


def _steady_output(output: Any) -> None:
    for holder, keys in ((output, ("text", "evalue")), (output.get("data", {}), ("text/plain", "text/html"))):
        for key in keys:
            if isinstance(holder.get(key), str):
                holder[key] = _steady(holder[key])
    if "traceback" in output:
        output["traceback"] = [_steady(line) for line in output["traceback"]]


def _steady(text: str) -> str:
    return _KERNEL_FILE.sub("<cell>", _ADDRESS.sub("0x…", text))


def _digest(text: str) -> str:
    import hashlib

    return hashlib.sha256(text.encode()).hexdigest()[:8]


def _bundles(notebook: Any, kind: str) -> list[dict[str, Any]]:
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output["data"] for output in outputs if kind in output.get("data", {})]


def _unpack_figure(bundle: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    data = bundle[payloads.FIGURE]
    target = folder / "figures"
    target.mkdir(exist_ok=True)
    stem = target / data["name"]
    stem.with_suffix(".png").write_bytes(base64.b64decode(bundle["image/png"]))
    stem.with_suffix(".pdf").write_bytes(base64.b64decode(data["pdf"]))
    stem.with_suffix(".svg").write_text(data["svg"], encoding="utf-8", newline="\n")
    if data["csv"]:
        stem.with_suffix(".csv").write_text(data["csv"], encoding="utf-8", newline="\n")
    return {key: data[key] for key in ("name", "caption", "alt", "stand_in", "width", "height")}


def _unpack_table(data: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    target = folder / "tables"
    target.mkdir(exist_ok=True)
    stem = target / data["name"]
    stem.with_suffix(".csv").write_text(data["csv"], encoding="utf-8", newline="\n")
    stem.with_suffix(".tex").write_text(data["latex"], encoding="utf-8", newline="\n")
    return {key: data[key] for key in ("name", "caption", "stand_in", "total")}


def _manifest(job: Job, notebook: Any, inputs: Inputs, failure: Failure | None) -> dict[str, Any]:
    provenance: dict[str, Any] = next(payloads.payloads(notebook, payloads.PROVENANCE), {})
    sources = list(payloads.payloads(notebook, payloads.DATA))
    title, sentence = heading(notebook)
    defaults = {name: parameter.default for name, parameter in declared(Path(job.notebook)).items()}
    return {
        "schema": SCHEMA,
        "name": job.name,
        "title": title,
        "sentence": sentence,
        "paper": provenance.get("paper"),
        "item": provenance.get("item", ""),
        "status": FAILED if failure else DONE,
        "failure": asdict(failure) if failure else None,
        "parameters": defaults | job.parameters,
        "given": job.parameters,
        "notebook": {"file": Path(job.notebook).name, "sha256": file_hash(Path(job.notebook))},
        "data": sources,
        "data_state": data_state(sources, inputs.available),
        "versions": provenance.get("versions", {}),
        "fingerprint": inputs.fingerprint,
        "claims": list(payloads.payloads(notebook, payloads.CLAIM)),
    }


def _hashes(folder: Path) -> dict[str, str]:
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    return {path.relative_to(folder).as_posix(): file_hash(path) for path in files}
