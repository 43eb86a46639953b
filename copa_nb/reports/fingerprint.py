"""What a report depends on, as hashes: equal hashes, equal report."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from platform import python_version
from typing import Any

from copa_nb.reports.catalogue import PACKAGE, shipped_folder
from copa_nb.reports.jobs import Job

_LIBRARIES = (
    "ipykernel", "matplotlib", "moocore", "nbconvert", "numba", "numpy", "pandas", "papermill", "scipy", "seaborn",
)  # fmt: skip
ABSENT = "absent"


@dataclass(frozen=True)
class Inputs:
    """What a report would be made of now.

    Parameters
    ----------
    fingerprint : str
        Hash of notebook, parameters, files, package and libraries.
    available : dict
        Public data at hand, see :func:`available_data`.
    """

    fingerprint: str
    available: dict[str, str]


def inputs_of(jobs: Sequence[Job]) -> dict[str, Inputs]:
    """Return what the reports of a batch would be made of now, by name."""
    # The source may have been edited, and data fetched, since this process looked last.
    package_hash.cache_clear()
    available = available_data()
    return {job.name: Inputs(fingerprint(job), available) for job in jobs}


def fingerprint(job: Job) -> str:
    """Return one hash of everything a job depends on except public data.

    Parameters
    ----------
    job : Job
        Notebook, parameters, files that parameters name, formats; besides them the package's source
        and the versions of the libraries it computes and draws with.

    Returns
    -------
    str
        Hexadecimal SHA-256.
    """
    inputs = {
        "notebook": file_hash(Path(job.notebook)),
        "parameters": job.parameters,
        "files": {path: file_hash(found) for path, found in parameter_files(job).items()},
        "formats": sorted(job.formats),
        "package": package_hash(),
        "versions": library_versions(),
    }
    return hashlib.sha256(json.dumps(inputs, sort_keys=True).encode()).hexdigest()


def parameter_files(job: Job) -> dict[str, Path]:
    """Return the files that text parameters (or lists of text) name, by what the parameter says."""
    named = [text for value in job.parameters.values() for text in (value if isinstance(value, list) else [value])]
    found = {}
    for text in named:
        if isinstance(text, str) and text and "\n" not in text and len(text) < 1024:
            path = Path(job.cwd) / text
            if path.is_file():
                found[text] = path
    return found


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
            elsewhere = inside.parts[0] in ("notebooks", "templates") or "__pycache__" in inside.parts
            if path.is_file() and not elsewhere:
                digest.update(f"{inside.as_posix()}\0{file_hash(path)}\0".encode())
    return digest.hexdigest()


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that reports are made with."""
    return {"python": python_version()} | {name: _version(name) for name in _LIBRARIES}


def available_data() -> dict[str, str]:
    """Return for every public file its hash if it is at hand without a network, or ``"absent"``."""
    from copa_nb.datasets.registry import DataCorruptedError, path, public_files

    state = {}
    for name, public in public_files().items():
        try:
            state[name] = ABSENT if path(name) is None else public.sha256
        except DataCorruptedError:
            state[name] = "damaged"
    return state


def data_state(sources: Iterable[Mapping[str, str]], available: Mapping[str, str]) -> dict[str, str]:
    """Say what a report found of each public file that it used.

    Parameters
    ----------
    sources : iterable of mapping
        The data that the report recorded.
    available : mapping
        What was at hand before it ran, see :func:`available_data`.

    Returns
    -------
    dict
        Real data: their hash, also where they were fetched during the run. Stand-ins: what was at
        hand instead, so that the report is made again once the real data have come.
    """
    state: dict[str, str] = {}
    for source in sources:
        if source["name"] in available:
            real = source["kind"] == "real"
            state[source["name"]] = source["sha256"] if real else available[source["name"]]
        elif source["kind"] in ("real", "stand-in"):
            # Made of public files that it does not name: any of them may be the one.
            state = dict(available) | state
    return state


def is_current(manifest: Mapping[str, Any], folder: Path, inputs: Inputs) -> bool:
    """Tell whether a report is complete and was made of the same inputs."""
    if manifest.get("status") != "done" or manifest.get("fingerprint") != inputs.fingerprint:
        return False
    if any(inputs.available.get(name) != state for name, state in manifest["data_state"].items()):
        return False
    return all(
        (folder / name).is_file() and file_hash(folder / name) == digest for name, digest in manifest["files"].items()
    )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"
