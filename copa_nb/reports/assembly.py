"""One report from its job: the notebook run, its payloads unpacked into files, pages, manifest, put into place."""

from __future__ import annotations

import base64
import hashlib
import html
import re
import shutil
import time
import unicodedata
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from copa_nb.reports.catalog import heading
from copa_nb.reports.jobs import DONE, FAILED, UNCHANGED, Execution, Failure, Job, Outcome, execute
from copa_nb.reports.parameters import declared
from copa_nb.reports.pdf import to_pdf
from copa_nb.reports.record import CLAIM, DATA, FIGURE, FILES, TABLE, answer, answered, bundles, payloads, provenance
from copa_nb.reports.store import (
    FAILED_NOTEBOOK,
    NOTEBOOK,
    PAGE,
    PRINT,
    Store,
    file_hash,
    is_as_listed,
    is_done,
    read_manifest,
    write_manifest,
)
from copa_nb.text import escape, listing

_ADDRESS = re.compile(r"\b0x[0-9a-f]{6,16}\b")
# Where a page says that a later run of it failed.
_NOTICE = re.compile(r"(<!-- later run -->).*?(<!-- /later run -->)", re.DOTALL)
_KERNEL_FILE = re.compile(r"/\S*/ipykernel_\d+/\d+\.py")


def produce(
    job: Job,
    store: Store,
    *,
    fingerprint: str,
    force: bool = False,
    wait: bool = True,
    on_cell: Callable[[int, int], None] | None = None,
) -> Outcome | None:
    """Make one report, whole or not at all, unless it is already current.

    Parameters
    ----------
    job : Job
        What to make.
    store : Store
        The prepared output folder.
    fingerprint : str
        What it would be made of now.
    force : bool
        Make it again in any case.
    wait : bool
        Whether to wait while another run makes this report.
    on_cell : callable, optional
        Called with the number of cells begun and their total.

    Returns
    -------
    Outcome or None
        None if another run is making it and this one does not wait.
    """
    began, notes = time.monotonic(), []
    with store.lock(job.name, wait=wait) as acquired:
        if not acquired:
            return None
        store.recover(job.name)
        # Another run may have made it while this one waited for the lock.
        if not force and store.is_current(job.name, fingerprint):
            return Outcome(job.name, UNCHANGED)
        try:
            staged = store.new_staging_folder(job.name)
            execution = execute(job, staged / NOTEBOOK, on_cell=on_cell)
            notes = _publish(job, store, fingerprint=fingerprint, execution=execution)
            failure = execution.failure
        except OSError as error:
            shutil.rmtree(store.staging_folder(job.name), ignore_errors=True)
            failure = Failure("writing the report", f"{error.strerror or error} ({store.folder_of(job.name)})")
    return Outcome(job.name, FAILED if failure else DONE, round(time.monotonic() - began, 2), failure, notes)


def salvage(job: Job, store: Store, *, fingerprint: str, failure: Failure) -> Outcome:
    """Make a failed report from the files left by a worker that was killed or could not finish.

    Parameters
    ----------
    job, store, fingerprint
        As for :func:`produce`.
    failure : Failure
        Why it ended.

    Returns
    -------
    Outcome
    """
    notes = []
    with store.lock(job.name), suppress(OSError, ValueError, KeyError):
        staged = store.staging_folder(job.name)
        if not (staged / NOTEBOOK).is_file():
            staged.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(job.notebook, staged / NOTEBOOK)
        # No PDF: printing may be what failed.
        job = replace(job, formats=("html",))
        notes = _publish(job, store, fingerprint=fingerprint, execution=Execution(failure))
    return Outcome(job.name, FAILED, 0.0, failure, notes)


def _publish(job: Job, store: Store, *, fingerprint: str, execution: Execution) -> list[str]:
    """Make a report of the notebook in the staging folder and put it in place; return notes for the user.

    A failed run does not replace a finished report: its notebook is added to the report's folder.
    """
    staged, standing = store.staging_folder(job.name), read_manifest(store.folder_of(job.name))
    notebook, notes = store.free_notebook(job.name), []
    if execution.failure and standing is not None and is_done(standing):
        notebook = NOTEBOOK
        _assemble_last_good(job, staged, store.folder_of(job.name), standing, execution)
        notes.append(f"the last successful report is kept; the notebook of the failed run is {FAILED_NOTEBOOK}.")
    else:
        table = store.table_of(job)
        assemble(job, staged, fingerprint=fingerprint, execution=execution, notebook_name=notebook, table=table)
    kept = store.publish(job.name)
    if kept:
        new = f"; the new notebook is {notebook}" if notebook != NOTEBOOK else ""
        notes.append(f"kept {listing(kept)}, which was added or edited by hand{new}.")
    return notes


def _assemble_last_good(job: Job, staged: Path, folder: Path, manifest: dict[str, Any], execution: Execution) -> None:
    """Fill the staging folder with the last successful report, the notebook of a failed run, and a notice."""
    import nbformat

    assert execution.failure is not None
    notebook = nbformat.read(staged / NOTEBOOK, as_version=4)
    normalize(notebook, killed_cell=execution.killed_cell)
    shutil.rmtree(staged)
    staged.mkdir()
    for file, digest in manifest["files"].items():
        # What is no longer as listed is the user's, and stays where it is.
        if file != FAILED_NOTEBOOK and is_as_listed(folder / file, digest):
            (staged / file).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder / file, staged / file)
    nbformat.write(notebook, staged / FAILED_NOTEBOOK)
    failure = execution.failure
    finished = manifest["run"]["finished"].replace("T", " ").replace("+00:00", " UTC")
    notice = (
        '<aside class="notice failed" role="alert"><strong>A later run of this report failed.</strong>'
        f"<p>{escape(failure)}</p><p>This page is the last successful report, of {escape(finished)}. Partial notebook "
        f'of the later run: <a href="{FAILED_NOTEBOOK}">{FAILED_NOTEBOOK}</a>.</p></aside>'
    )
    if (staged / PAGE).is_file():
        page = (staged / PAGE).read_text(encoding="utf-8")
        _write(staged / PAGE, _NOTICE.sub(lambda match: f"{match[1]}{notice}{match[2]}", page, count=1))
    contents = {key: value for key, value in manifest.items() if key not in ("schema", "files", "run")}
    write_manifest(staged, contents | {"failed_run": asdict(failure)}, manifest["run"])


def assemble(
    job: Job, folder: Path, *, fingerprint: str, execution: Execution, notebook_name: str = NOTEBOOK, table: str = ""
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
    execution : Execution
        How the run went; the time for the pages is added to its phases.
    notebook_name : str
        What the executed notebook is called in the report.
    table : str
        Where the user's table is, seen from the output folder.
    """
    import nbformat

    from copa_nb.reports.page import to_html

    began = time.monotonic()
    failure = asdict(execution.failure) if execution.failure else None
    notebook = nbformat.read(folder / NOTEBOOK, as_version=4)
    normalize(notebook, killed_cell=execution.killed_cell)
    notebook.metadata["copa_nb"] = {
        "files": True,
        "name": job.name,
        "notebook": notebook_name,
        "index": "../" * len(Path(job.name).parts) + "index.html",
        "failure": failure,
    }
    (folder / NOTEBOOK).unlink()
    nbformat.write(notebook, folder / notebook_name)
    figures = [_unpack_figure(bundle, folder / "figures") for bundle in bundles(notebook, FIGURE)]
    tables = [_unpack_table(table, folder / "tables") for table in payloads(notebook, TABLE)]
    for stored in payloads(notebook, FILES):
        _unpack_files(stored["contents"], folder / "files")
    page = to_html(notebook)
    _write(folder / PAGE, page)
    if "pdf" in job.formats:
        (folder / PRINT).write_bytes(to_pdf(to_html(notebook, vector=True)))
    phases = execution.phases | {"pages": round(time.monotonic() - began, 3)}
    title, sentence = heading(notebook)
    closing = provenance(notebook)
    sources = payloads(notebook, DATA)
    defaults = {name: parameter.default for name, parameter in declared(Path(job.notebook)).items()}
    contents = {
        "name": job.name,
        "title": answered(title, answer(notebook)),
        "heading": title,
        "answer": answer(notebook),
        "sentence": sentence,
        "paper": closing.get("paper"),
        "item": closing.get("item", ""),
        "status": FAILED if failure else DONE,
        "failure": failure,
        "parameters": defaults | job.parameters,
        "given": job.parameters,
        "notebook": {"file": Path(job.notebook).name, "sha256": file_hash(Path(job.notebook))},
        "data": sources,
        "versions": closing.get("versions", {}),
        "executed": notebook_name,
        "fingerprint": fingerprint,
        "claims": payloads(notebook, CLAIM),
        "figures": figures,
        "tables": tables,
        "words": words_of(page),
    }
    finished = datetime.now(UTC).isoformat(timespec="seconds")
    run = {"finished": finished, "seconds": round(sum(phases.values()), 2), "phases": phases, "table": table}
    write_manifest(folder, contents, run)


def words_of(page: str) -> str:
    """Return every word that a page shows, once and in alphabetical order, for the search in the index.

    Examples
    --------
    >>> words_of("<style>p {}</style><p>CO₂ &amp; <b>more</b> CO₂</p>")
    'co2 more'
    """
    shown = re.sub(r'(?s)<(style|script)\b.*?</\1>|<details class="code">.*?</details>|<!--.*?-->', " ", page)
    shown = html.unescape(re.sub(r"(?s)<wbr>|<[^>]*>", lambda tag: "" if tag[0] == "<wbr>" else " ", shown))
    plain = unicodedata.normalize("NFKD", shown).lower()
    words = {word.strip(".,;:!?()[]“”\"'") for word in plain.split()}
    return " ".join(sorted(word for word in words if any(character.isalnum() for character in word)))


def normalize(notebook: Any, *, killed_cell: str | None = None) -> None:
    """Remove from an executed notebook what differs from run to run: times, paths, addresses, ids.

    Parameters
    ----------
    notebook : NotebookNode
        Changed in place.
    killed_cell : str, optional
        Id of the cell that was killed: whether the kernel had reported that it began is a matter of timing.
    """
    notebook.metadata.pop("papermill", None)
    notebook.metadata.pop("widgets", None)
    for cell in notebook.cells:
        if cell.cell_type == "code" and cell.get("id") == killed_cell:
            cell["execution_count"] = None
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


def _unpack_figure(bundle: Mapping[str, Any], folder: Path) -> dict[str, Any]:
    """Write a figure in all formats; return what the manifest says about it."""
    figure = bundle[FIGURE]
    folder.mkdir(exist_ok=True)
    stem = folder / figure["name"]
    stem.with_suffix(".png").write_bytes(base64.b64decode(bundle["image/png"]))
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
