"""The output folder: whether a report is current, and how it is put in place.

A report is built aside, under a lock of its own, and put in place by two renames: the old one out, the new one in. A
run that is killed in between is completed by the next one. Only what an earlier run has written is ever removed: a
folder with anything that its manifest does not list is set aside whole, as ``NAME-kept-1``.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from copa_nb.reports.inputs import file_hash

MANIFEST, NOTEBOOK, PAGE, PRINT = "manifest.json", "report.ipynb", "report.html", "report.pdf"
INDEX, LEDGER_PAGE, LEDGER_TABLE = "index.html", "ledger.html", "ledger.csv"
OVERVIEW = (INDEX, LEDGER_PAGE, LEDGER_TABLE)
PARTIAL = "failed"  # folder of the notebooks of failed runs
HIDDEN = ".copa-nb"
SCHEMA = 2
_WRITTEN = "written.txt"  # in the hidden folder: hashes of all single files that were ever written
_MARKS = (b'content="copa_nb"', b"id,paper,place,says")  # of the pages, and of the ledger's table
_OF_FILE_MANAGERS = (".DS_Store", "Thumbs.db", "desktop.ini")
_SECONDS_BETWEEN_TRIES = 0.5


class FolderError(OSError):
    """The output folder cannot be written to."""


def prepare(out: Path) -> None:
    """Make the output folder and check that it can be written to.

    Raises
    ------
    FolderError
        If not, with the reason.
    """
    try:
        (out / HIDDEN).mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=out / HIDDEN):
            pass
    except OSError as error:
        raise FolderError(f"The output folder {out} is not writable: {error.strerror or error}.") from error


# ------------------------------------------------------------------------------------------------------ manifests


def read_manifest(folder: Path) -> dict[str, Any] | None:
    """Return the manifest of a report's folder, None if there is no readable one of this layout."""
    try:
        manifest = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("schema") == SCHEMA else None


def write_manifest(folder: Path, contents: Mapping[str, Any], run: Mapping[str, Any]) -> None:
    """Write the manifest of a report whose other files are in the folder.

    Parameters
    ----------
    folder : Path
        The report; the hash of each of its files goes into the manifest.
    contents : mapping
        What the report shows and was made of: the same for the same inputs.
    run : mapping
        What differs from run to run: when it finished, and how long it took.
    """
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.name != MANIFEST)
    hashes = {path.relative_to(folder).as_posix(): file_hash(path) for path in files}
    manifest = {"schema": SCHEMA, **contents, "files": hashes, "run": run}
    text = json.dumps(manifest, indent=1, ensure_ascii=False, allow_nan=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8", newline="\n")


def manifests(out: Path) -> list[dict[str, Any]]:
    """Return the manifests of all reports in the output folder."""
    found = []
    for path in out.glob(f"**/{MANIFEST}"):
        manifest = read_manifest(path.parent)
        if manifest is not None and path.parent.relative_to(out).as_posix() == manifest["name"]:
            found.append(manifest)
    return found


def is_as_listed(path: Path, digest: str | None) -> bool:
    """Tell whether a file has the hash that a manifest lists for it."""
    return digest is not None and path.is_file() and file_hash(path) == digest


def is_current(folder: Path, fingerprint: str) -> bool:
    """Tell whether a report is whole, undamaged and made of what this fingerprint stands for."""
    manifest = read_manifest(folder)
    if manifest is None or manifest["fingerprint"] != fingerprint:
        return False
    return all(is_as_listed(folder / file, digest) for file, digest in manifest["files"].items())


def is_own(folder: Path) -> bool:
    """Tell whether a folder has only files that its manifest lists, as it lists them."""
    listed = (read_manifest(folder) or {}).get("files", {})
    for path in folder.rglob("*"):
        is_ours = path.name in _OF_FILE_MANAGERS or path == folder / MANIFEST or path.is_dir()
        if path.is_symlink() or not (is_ours or is_as_listed(path, listed.get(path.relative_to(folder).as_posix()))):
            return False
    return True


# -------------------------------------------------------------------------------------------------------- reports


@contextmanager
def locked(out: Path, name: str, *, while_waiting: Callable[[], None] = lambda: None) -> Iterator[None]:
    """Hold the lock of one report, and complete first what a killed run has left of it.

    The lock is released when the process ends, however it ends.

    Parameters
    ----------
    out : Path
        The prepared output folder.
    name : str
        The report.
    while_waiting : callable, optional
        Called while another run holds the lock; may raise an error to give up.
    """
    from filelock import FileLock, Timeout  # imports asyncio, which other commands do not need

    lock = FileLock(_aside(out, name, "lock"))
    while not lock.is_locked:
        try:
            lock.acquire(timeout=_SECONDS_BETWEEN_TRIES)
        except Timeout:
            while_waiting()
    try:
        _recover(out, name)
        yield
    finally:
        lock.release()


@contextmanager
def building(out: Path, name: str) -> Iterator[Path]:
    """Yield an empty folder to build a report in; call this with its lock held.

    Afterwards it is gone, and after an error the earlier report is in its place.
    """
    staged = _aside(out, name, "new")
    staged.mkdir()
    try:
        yield staged
    finally:
        _recover(out, name)


def put_in_place(out: Path, name: str) -> str:
    """Move a report that is built into its place; call this with its lock held.

    Returns
    -------
    str
        Where the earlier report is now, if it had files of the user's; else empty.
    """
    place, old = out / name, _aside(out, name, "old")
    if place.exists():
        place.rename(old)
    place.parent.mkdir(parents=True, exist_ok=True)
    _aside(out, name, "new").rename(place)
    return _settle(out, name)


def _recover(out: Path, name: str) -> None:
    """Complete or remove what a run has left of a report that was killed, or ended by an error."""
    place, old = out / name, _aside(out, name, "old")
    if old.exists() and not place.exists():
        old.rename(place)
    _settle(out, name)
    for part in ("new", "trash"):
        shutil.rmtree(_aside(out, name, part), ignore_errors=True)


def _settle(out: Path, name: str) -> str:
    """Remove a report that has been replaced, or set it aside; return where it is then."""
    old, trash, kept = _aside(out, name, "old"), _aside(out, name, "trash"), ""
    if old.exists() and is_own(old):
        old.rename(trash)  # half a folder would not be known as our own
        shutil.rmtree(trash, ignore_errors=True)
    elif old.exists():
        beside = free(out / name)
        old.rename(beside)
        kept = beside.relative_to(out).as_posix()
    return kept


def recover_all(out: Path) -> None:
    """Put back what killed runs have taken out of its place, except where another run is at work."""
    from filelock import FileLock, Timeout

    for old in (out / HIDDEN).glob("*.old"):
        name = old.stem.replace("%", "/")
        try:
            with FileLock(_aside(out, name, "lock"), timeout=0):
                _recover(out, name)
        except Timeout:
            continue


def _aside(out: Path, name: str, part: str) -> Path:
    return out / HIDDEN / f"{name.replace('/', '%')}.{part}"


def free(path: Path) -> Path:
    """Return a path beside this one that is free: ``NAME-kept-1`` and so on."""
    stem, ending = (path.stem, path.suffix) if path.is_file() else (path.name, "")
    numbered = (path.with_name(f"{stem}-kept-{number}{ending}") for number in itertools.count(1))
    return next(beside for beside in numbered if not os.path.lexists(beside))


# --------------------------------------------------------------------------------------------------- single files


def write(out: Path, name: str, text: str) -> None:
    """Write a file of the output folder whole or not at all; one that was edited is kept beside it."""
    path, content = out / name, text.encode("utf-8")
    put_away(out, name)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = _aside(out, name, "part")
    part.write_bytes(content)
    with (out / HIDDEN / _WRITTEN).open("a", encoding="ascii") as written:
        written.write(f"{hashlib.sha256(content).hexdigest()}\n")
    part.replace(path)


def put_away(out: Path, name: str, *, remove: bool = False) -> None:
    """Keep a file of the output folder beside its place if a user has written or edited it; remove our own."""
    path = out / name
    if path.is_file() and not is_as_written(out, name):
        path.rename(free(path))
    elif remove:
        path.unlink(missing_ok=True)


def is_as_written(out: Path, name: str) -> bool:
    """Tell whether a file of the output folder is as it was written there."""
    path, written = out / name, out / HIDDEN / _WRITTEN
    if not path.is_file():
        return False
    if not written.is_file():  # the hidden folder is lost when the others are copied
        return any(mark in path.read_bytes()[:2000] for mark in _MARKS)
    return file_hash(path) in written.read_text(encoding="ascii").split()


def failed_notebook(out: Path, name: str) -> Path:
    """Return where the partial notebook of a report's last run is, if that failed."""
    return out / PARTIAL / f"{name}.ipynb"
