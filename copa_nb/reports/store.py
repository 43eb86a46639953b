"""The output folder: what reports were made of, whether they are still current, and how they are put in place.

A report is current if its manifest names the same inputs as now and every file it lists still has the hash it lists.
A report appears whole or not at all: it is built in a staging folder under a lock of its own and renamed into place.
A report takes only a place that is empty or its own. Only files that its manifest lists, with the hash that it lists,
are ever replaced: what a user put or edited there stays.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import re
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import lru_cache
from pathlib import Path
from typing import Any

from copa_nb.checks import called
from copa_nb.reports.catalog import Entry
from copa_nb.reports.jobs import DONE, Job
from copa_nb.reports.record import installed_versions
from copa_nb.results.templates import PACKAGE, shipped_folder
from copa_nb.sources.table_descriptions import described_file

MANIFEST, NOTEBOOK, PAGE, PRINT = "manifest.json", "report.ipynb", "report.html", "report.pdf"
FAILED_NOTEBOOK = "report-failed.ipynb"
INDEX, LEDGER_PAGE, LEDGER_TABLE = "index.html", "ledger.html", "ledger.csv"
OVERVIEW = (INDEX, LEDGER_PAGE, LEDGER_TABLE)
SCHEMA = 2
_LIBRARIES = (
    "ipykernel", "matplotlib", "moocore", "nbconvert", "numba", "numpy", "pandas", "papermill", "scipy", "seaborn",
)  # fmt: skip
_HIDDEN = ".copa-nb"
_WRITTEN = "overview.json"  # in the hidden folder: hashes of the pages about all reports, as they were written
_OVERVIEW_LOCK = "%overview"
_MARKS = (b'content="copa_nb"', b"id,paper,place,says")  # of the pages, and of the ledger's table


class FolderError(OSError):
    """The output folder cannot be written to."""


def fingerprints(jobs: Sequence[Job]) -> dict[str, str]:
    """Return what the reports of a batch would be made of now: the fingerprint of each, by name."""
    # The source may have been edited since this process looked last.
    package_hash.cache_clear()
    return {job.name: fingerprint(job) for job in jobs}


def fingerprint(job: Job) -> str:
    """Return one hash of everything a job depends on.

    Parameters
    ----------
    job : Job
        Notebook, parameters, files that parameters name, formats; besides them the package's source and
        tables, and the versions of the libraries it computes and draws with.

    Returns
    -------
    str
        Hexadecimal SHA-256.
    """
    inputs = {
        "notebook": file_hash(Path(job.notebook)),
        "parameters": job.parameters,
        "files": {name: file_hash(path) for name, path in parameter_files(job).items()},
        "formats": sorted(job.formats),
        "package": package_hash(),
        "versions": library_versions(),
        "fonts": os.environ.get("COPA_NB_FONTS"),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def parameter_files(job: Job) -> dict[str, Path]:
    """Return the files that text parameters (or lists of text) name, by the text, and tables that these describe."""
    texts = [text for value in job.parameters.values() for text in (value if isinstance(value, list) else [value])]
    files = {}
    for text in texts:
        if isinstance(text, str) and text and "\n" not in text and len(text) < 1024:
            path = Path(job.cwd) / text
            if path.is_file():
                files[text] = path
            if (described := described_file(path)) is not None:
                files[f"the table of {text}"] = described
    return files


def file_hash(path: Path) -> str:
    """Return the SHA-256 of a file."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


@lru_cache(maxsize=1)
def package_hash() -> str:
    """Return one hash of the package's source, bundled tables and templates."""
    digest = hashlib.sha256()
    for root in (PACKAGE, shipped_folder("templates")):
        for path in sorted(root.rglob("*")):
            inside = path.relative_to(root)
            skipped = inside.parts[0] in ("notebooks", "templates") or "__pycache__" in inside.parts
            if path.is_file() and not skipped:
                digest.update(f"{inside.as_posix()}\0{file_hash(path)}\0".encode())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that reports are made with."""
    return installed_versions(_LIBRARIES, missing="absent")


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


def slug(text: str) -> str:
    """Turn any text into a folder name.

    Examples
    --------
    >>> slug("p=∞, A&B ../x")
    'p-A-B-x'
    """
    return re.sub(r"[^A-Za-z0-9_]+", "-", text).strip("-") or "x"


def default_folder(entry: Entry, parameters: Mapping[str, Any]) -> str:
    """Return the folder of a report unless the user names one: that of the notebook, or of the user's table.

    Examples
    --------
    >>> from copa_nb.reports.catalog import find
    >>> default_folder(find("select"), {"table": "data/my models.csv"})
    'select/my-models'
    """
    if entry.area != "yours":
        return entry.name
    table = Path(str(parameters.get("table") or "example"))
    return f"{entry.name.split('/')[1]}/{slug(table.name.split('.')[0])}"


def executed_notebook(manifest: Mapping[str, Any]) -> str:
    """Return the name of a report's executed notebook, which is another one where a user's file has the usual name."""
    return str(manifest.get("executed", NOTEBOOK))


def is_done(manifest: Mapping[str, Any] | None) -> bool:
    """Tell whether a manifest is that of a report that ran to its end."""
    return manifest is not None and manifest.get("status") == DONE


def failed_notebook(folder: Path) -> Path | None:
    """Return the partial notebook of a failed run, None if it left none."""
    manifest = read_manifest(folder) or {}
    path = folder / (FAILED_NOTEBOOK if "failed_run" in manifest else executed_notebook(manifest))
    return path if path.is_file() else None


def checked_folder(name: str) -> str:
    """Refuse a folder that is not below the output folder, or has the name of a page about all reports."""
    if not all(re.fullmatch(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*", part) for part in str(name).split("/")):
        raise ValueError(
            f"{called('name')} is {name!r}, but it is used as a folder; allowed are letters, digits, '.', '-' and '_', "
            "with '/' between folders."
        )
    top = str(name).split("/")[0]
    if top.lower() in OVERVIEW:
        raise ValueError(
            f"{called('name')} is {name!r}, but {top} is the overview of all reports; choose another name."
        )
    return str(name)


class Store:
    """An output folder.

    Publishing a report is three renames: the finished copy to ``ready``, the old report to ``replaced``, the copy into
    its place. Then what a user put or edited in the old report is moved back, and the rest of it removed. If a run is
    killed in between, whoever next takes the lock of that report completes these steps.

    Parameters
    ----------
    root : Path
        The folder; made if it does not exist.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        self._hidden = self.root / _HIDDEN

    def prepare(self) -> None:
        """Make the folder and check that it can be written to.

        Raises
        ------
        FolderError
            If not, with the reason.
        """
        try:
            for part in ("locks", "staging", "ready", "replaced"):
                (self._hidden / part).mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self._hidden / "staging"):
                pass
        except OSError as error:
            why = error.strerror or str(error)
            raise FolderError(f"The output folder {self.root} is not writable: {why}.") from error

    def folder_of(self, name: str) -> Path:
        """Return the folder of a report."""
        return self.root / name

    def check_places(self, jobs: Sequence[Job]) -> None:
        """Refuse reports whose places are not their own, before anything runs or is written.

        Raises
        ------
        ValueError
            With the conflict and how to resolve it.
        """
        if read_manifest(self.root) is not None:
            raise ValueError(f"The output folder {self.root} is itself a report; choose another one.")
        with self.lock(_OVERVIEW_LOCK) if (self._hidden / "locks").is_dir() else nullcontext():
            for name in OVERVIEW:
                if (self.root / name).exists() and not self._is_as_written(name):
                    raise ValueError(
                        f"{self.root / name} was not written by copa-nb or was edited, and would be replaced; move it, "
                        "or choose another output folder."
                    )
        names = [job.name for job in jobs]
        for job in jobs:
            outer = next((name for name in names if job.name.startswith(f"{name}/")), None)
            if outer is not None:
                raise ValueError(
                    f"The folder of the report {job.name!r} would be inside that of {outer!r}; rename one of them."
                )
            self._check_place(job)

    def _check_place(self, job: Job) -> None:
        folder, remedy = self.folder_of(job.name), "choose another name for the report or another output folder"
        for path in list(folder.parents)[: len(Path(job.name).parts) - 1]:
            if path.exists() and not path.is_dir():
                raise ValueError(f"{path} is a file, but must be a folder; {remedy}.")
            if read_manifest(path) is not None:
                raise ValueError(f"{folder} would be inside the folder of the report {path}; {remedy}.")
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise ValueError(f"{folder} is a file or a link, but must be a folder; {remedy}.")
        for text, path in {job.notebook: Path(job.notebook), **parameter_files(job)}.items():
            if path.resolve().is_relative_to(folder.resolve()):
                raise ValueError(f"{text} is in {folder}, which the report would replace; {remedy}.")
        if not folder.exists() or not any(folder.iterdir()):
            return
        below = [path.parent for path in sorted(folder.rglob(MANIFEST)) if path.parent != folder]
        if nested := [path for path in below if read_manifest(path) is not None]:
            raise ValueError(f"{folder} contains other reports ({nested[0]}); {remedy}.")
        manifest = read_manifest(folder)
        if manifest is None or manifest.get("name") != job.name:
            raise ValueError(f"{folder} contains files that do not belong to this report; {remedy}, or move them.")
        made_from = manifest["notebook"]["file"]
        if made_from != Path(job.notebook).name:
            raise ValueError(f"{folder} contains another report, made from {made_from}; {remedy}.")
        before, now = manifest["run"].get("table"), self.table_of(job)
        # By default a report has the name of its table; under a name of its own it may follow the tables of the day.
        if before and now and before != now and Path(job.name).name.startswith(slug(Path(now).name.split(".")[0])):
            raise ValueError(
                f"{folder} contains the report of another table, {self.root / before}; {remedy}, or remove it."
            )

    def table_of(self, job: Job) -> str:
        """Return where a report's table is, seen from this folder; empty if it has none or a program handed it over."""
        table = job.parameters.get("table")
        path = (Path(job.cwd) / str(table)).resolve()
        if not table or path.is_relative_to(self._hidden.resolve()):
            return ""
        return Path(os.path.relpath(path, self.root.resolve())).as_posix()

    def keep_table(self, file: Path, name: str = "") -> Path:
        """Keep a table that a program handed over, for the report that is made of it; return where it is."""
        kept = self._hidden / "tables" / file_hash(file)[:16] / (name or file.name)
        if not kept.is_file():
            kept.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, kept.with_suffix(".part"))
            kept.with_suffix(".part").replace(kept)
        return kept

    def is_current(self, name: str, fingerprint: str) -> bool:
        """Tell whether a report is complete, undamaged and made of what this fingerprint stands for."""
        folder = self.folder_of(name)
        manifest = read_manifest(folder)
        if manifest is None or not is_done(manifest) or manifest["fingerprint"] != fingerprint:
            return False
        if "failed_run" in manifest:  # the page says so: make it again without
            return False
        return all(is_as_listed(folder / file, digest) for file, digest in manifest["files"].items())

    def free_notebook(self, name: str) -> str:
        """Return a name for the executed notebook that no file of the user has: one that was edited stays."""
        folder = self.folder_of(name)
        own = (read_manifest(folder) or {}).get("files", {})
        names = (f"report-{number}.ipynb" if number > 1 else NOTEBOOK for number in itertools.count(1))
        return next(
            file for file in names if not (folder / file).exists() or is_as_listed(folder / file, own.get(file))
        )

    def manifests(self) -> list[dict[str, Any]]:
        """Return the manifests of all reports in the folder."""
        manifests = []
        for path in self.root.glob(f"**/{MANIFEST}"):
            *inside, _ = path.relative_to(self.root).parts
            manifest = read_manifest(path.parent)
            if manifest is not None and "/".join(inside) == manifest["name"]:
                manifests.append(manifest)
        return manifests

    @contextmanager
    def lock(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock of one report; yields whether it was acquired.

        The lock belongs to the process and is released when it ends, however it ends.
        """
        with self._path("locks", name).open("a+b") as handle:
            acquired = _acquire(handle.fileno(), wait=wait)
            try:
                yield acquired
            finally:
                if acquired:
                    _release(handle.fileno())

    def staging_folder(self, name: str) -> Path:
        """Return the folder that a report is built in."""
        return self._path("staging", name)

    def new_staging_folder(self, name: str) -> Path:
        """Return an empty folder to build a report in; call this with its lock held."""
        self.recover(name)
        folder = self.staging_folder(name)
        folder.mkdir(parents=True)
        return folder

    def publish(self, name: str) -> list[str]:
        """Move a finished report from its staging folder into its place; call this with its lock held.

        Returns
        -------
        list of str
            Files of the user that stood there and were kept, as they are called now.
        """
        staged = self.staging_folder(name)
        _flush(staged)
        staged.rename(self._path("ready", name))
        return self.recover(name)

    def recover(self, name: str) -> list[str]:
        """Complete or remove what a killed run left of a report; call this with its lock held.

        Returns
        -------
        list of str
            As of :meth:`publish`.
        """
        ready, replaced = self._path("ready", name), self._path("replaced", name)
        folder = self.folder_of(name)
        kept = []
        if ready.exists():
            if folder.exists():
                if replaced.exists():
                    kept += _clear(replaced, folder)
                folder.rename(replaced)
            folder.parent.mkdir(parents=True, exist_ok=True)
            ready.rename(folder)
        if replaced.exists():
            kept += _clear(replaced, folder)
        if self.staging_folder(name).exists():
            shutil.rmtree(self.staging_folder(name))
        return kept

    def sweep(self) -> None:
        """Complete or remove what killed runs left, except where another run is at work."""
        names = {path.name for part in ("ready", "staging", "replaced") for path in (self._hidden / part).iterdir()}
        for flat_name in sorted(names):
            if flat_name.startswith("file-"):
                continue
            name = flat_name.replace("%2F", "/").replace("%25", "%")
            with self.lock(name, wait=False) as acquired:
                if acquired:
                    self.recover(name)

    @contextmanager
    def overview(self) -> Iterator[None]:
        """Hold the lock of the pages about all reports."""
        with self.lock(_OVERVIEW_LOCK):
            yield

    def write_overview(self, name: str, text: str) -> None:
        """Write one of the pages about all reports, and remember its hash; call this with their lock held."""
        written = self._written()
        digest = hashlib.sha256(text.encode("utf-8")).hexdigest()
        # Both hashes are remembered until the page is there: whenever a kill comes, it is known as our own.
        for hashes in ([*written.get(name, []), digest], [digest]):
            if hashes == [digest]:
                self.write(name, text)
            self.write(f"{_HIDDEN}/{_WRITTEN}", json.dumps(written | {name: hashes}, indent=1))

    def _is_as_written(self, name: str) -> bool:
        path, hashes = self.root / name, self._written().get(name)
        if hashes is None:  # the hidden folder is lost when the others are copied
            return path.is_file() and any(mark in path.read_bytes()[:2000] for mark in _MARKS)
        return any(is_as_listed(path, digest) for digest in hashes)

    def _written(self) -> dict[str, list[str]]:
        try:
            return dict(json.loads((self._hidden / _WRITTEN).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return {}

    def write(self, name: str, text: str) -> None:
        """Write one file of the folder whole or not at all."""
        handle, temporary = tempfile.mkstemp(prefix="file-", dir=self._hidden / "staging")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, self.root / name)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise

    def _path(self, part: str, name: str) -> Path:
        return self._hidden / part / name.replace("%", "%25").replace("/", "%2F")


def is_as_listed(path: Path, digest: str | None) -> bool:
    """Tell whether a file has the hash that a manifest lists for it."""
    return digest is not None and path.is_file() and file_hash(path) == digest


def _clear(replaced: Path, folder: Path) -> list[str]:
    """Remove the files of a replaced report, move what is not its own to the new one, and return their names there."""
    own = (read_manifest(replaced) or {}).get("files", {})
    kept = []
    for path in sorted(replaced.rglob("*")):
        inside = path.relative_to(replaced)
        if inside == Path(MANIFEST) or (path.is_dir() and not path.is_symlink()):
            continue
        if is_as_listed(path, own.get(inside.as_posix())):
            path.unlink()
            continue
        target = _free(folder / inside)
        target.parent.mkdir(parents=True, exist_ok=True)
        path.rename(target)
        if not any(part.startswith(".") for part in inside.parts):
            kept.append(target.relative_to(folder).as_posix())
    shutil.rmtree(replaced)
    return kept


def _free(path: Path) -> Path:
    """Return a path that is free: the one given, or one in the same folder that ends in ``-kept``."""
    suffixes = itertools.chain(("", "-kept"), (f"-kept-{number}" for number in itertools.count(2)))
    places = (path.with_name(f"{path.stem}{suffix}{path.suffix}") for suffix in suffixes)
    return next(place for place in places if not place.exists() and not place.is_symlink())


def _flush(folder: Path) -> None:
    """Flush files to disk before they are renamed, so that a power cut leaves no empty ones."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())


def _umask() -> int:
    current = os.umask(0o022)
    os.umask(current)
    return current


if os.name == "posix":
    import fcntl

    def _acquire(handle: int, *, wait: bool) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        except BlockingIOError:
            return False
        return True

    def _release(handle: int) -> None:
        fcntl.flock(handle, fcntl.LOCK_UN)

else:  # pragma: no cover - Windows
    import msvcrt
    import time

    def _acquire(handle: int, *, wait: bool) -> bool:
        while True:
            try:
                msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
                return True
            except OSError:
                if not wait:
                    return False
                time.sleep(0.2)

    def _release(handle: int) -> None:
        msvcrt.locking(handle, msvcrt.LK_UNLCK, 1)  # type: ignore[attr-defined]
