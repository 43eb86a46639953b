"""What a report is made of: one hash of all inputs, so that unchanged reports are skipped."""

from __future__ import annotations

import hashlib
import json
import os
from functools import lru_cache
from pathlib import Path

from copa_nb.reports.jobs import Job
from copa_nb.reports.payloads import installed_versions
from copa_nb.results.templates import PACKAGE, shipped_folder
from copa_nb.sources.table_descriptions import described_file

_LIBRARIES = (
    "ipykernel", "matplotlib", "moocore", "nbconvert", "numba", "numpy", "pandas", "papermill", "scipy", "seaborn",
)  # fmt: skip


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


def read_package() -> None:
    """Hash the package anew: the source may have been edited since this process looked last."""
    package_hash.cache_clear()
    package_hash()


@lru_cache(maxsize=1)
def library_versions() -> dict[str, str]:
    """Return the versions of Python and of the libraries that reports are made with."""
    return installed_versions(_LIBRARIES, missing="absent")
