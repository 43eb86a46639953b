"""Public result files: their addresses, their local copies, and how to fetch them.

The loaders read tables in the package (``bundle.py``), which were made from these files. Each is read from the first
location that has it: the folder named by ``COPA_NB_DATA``, the cache, the public address. Its content is always checked
against the SHA-256 in ``registry.csv``.
"""

from __future__ import annotations

import csv
import functools
import os
from dataclasses import dataclass
from pathlib import Path

import pandas as pd
from platformdirs import user_cache_path

from copa_nb import checks
from copa_nb.datasets import bundle
from copa_nb.datasets.download import download, sha256_of

MIRROR_VARIABLE = "COPA_NB_DATA"
CACHE_VARIABLE = "COPA_NB_CACHE"
OFFLINE_VARIABLE = "COPA_NB_OFFLINE"
_REGISTRY_FILE = Path(__file__).with_name("registry.csv")


class DataUnavailableError(OSError):
    """A public file is neither in the mirror nor in the cache and could not be downloaded."""


class DataCorruptedError(OSError):
    """A public file exists, but it is not the file that the registry describes."""


@dataclass(frozen=True)
class PublicFile:
    """One line of the registry.

    Parameters
    ----------
    name, file : str
        Name in the registry; name of the file in a mirror and in the cache.
    url : str
        Public address, pinned to one revision.
    sha256 : str
        Hash of the content.
    n_bytes : int
        Size.
    n_rows : int or None
        Rows of data, None where the file is not a table.
    license, what : str
        License as stated by the source; one line about the content.
    """

    name: str
    file: str
    url: str
    sha256: str
    n_bytes: int
    n_rows: int | None
    license: str
    what: str


@functools.cache
def public_files() -> dict[str, PublicFile]:
    """Read the registry.

    Returns
    -------
    dict of str to PublicFile

    Examples
    --------
    >>> public_files()["german_credit"].n_bytes
    79794
    """
    with _REGISTRY_FILE.open(encoding="utf-8", newline="") as lines:
        return {row["name"]: _public_file(row) for row in csv.DictReader(lines)}


def fetch(name: str, *, network: bool = True) -> Path:
    """Return the local path of a public file, downloading it once if necessary.

    Parameters
    ----------
    name : str
        Name in the registry, see :func:`list_data`.
    network : bool
        False looks in the mirror and in the cache only.

    Returns
    -------
    pathlib.Path
        A file whose SHA-256 is that of the registry.

    Raises
    ------
    ValueError
        For a name that is not in the registry.
    DataUnavailableError
        If no location has the file; the message explains how to get it.
    DataCorruptedError
        If the mirror or the address has different content under that name.

    Notes
    -----
    Three environment variables are read at each call: ``COPA_NB_DATA`` (a folder that has the files,
    used first), ``COPA_NB_CACHE`` (the folder for downloads; by default the user's cache folder) and
    ``COPA_NB_OFFLINE`` (any value except empty or 0 forbids downloads).
    """
    entry = _entry(name)
    found = path(name)
    if found is not None:
        return found
    if not network or is_offline():
        raise DataUnavailableError(_missing_message(entry, "downloads are switched off"))
    return _download(entry)


def path(name: str) -> Path | None:
    """Return where a public file is now, without downloading it.

    Parameters
    ----------
    name : str
        Name in the registry.

    Returns
    -------
    pathlib.Path or None
        The file in the mirror, else in the cache, else None. A damaged file in the cache counts as
        missing (it would be downloaded again).

    Raises
    ------
    ValueError
        For a name that is not in the registry.
    DataCorruptedError
        If the file in the mirror has different content.
    """
    entry = _entry(name)
    mirror = mirror_folder()
    if mirror is not None and (candidate := mirror / entry.file).is_file():
        _check_hash(candidate, entry)
        return candidate
    cached = cache_folder() / entry.file
    return cached if cached.is_file() and sha256_of(cached) == entry.sha256 else None


def list_data() -> pd.DataFrame:
    """List all data: public files and the tables that are part of the package.

    Returns
    -------
    DataFrame
        Indexed by ``name``. Columns: ``kind`` ("public file", "public results", "printed table" or
        "own experiment"), ``rows``, ``bytes``, ``where`` ("mirror", "cache", "package",
        "damaged" or "not here"), ``license``, ``what`` and ``origin`` (address or source).

    Examples
    --------
    >>> from copa_nb import datasets
    >>> datasets.list_data().loc["domainbed_oracle", ["kind", "where"]].tolist()
    ['printed table', 'package']
    """
    public: list[dict[str, object]] = [
        {
            "name": entry.name,
            "kind": "public file",
            "rows": entry.n_rows,
            "bytes": entry.n_bytes,
            "where": _where(entry),
            "license": entry.license,
            "what": entry.what,
            "origin": entry.url,
        }
        for entry in public_files().values()
    ]
    table = pd.DataFrame(public + bundle.list_bundled()).astype({"rows": "Int64"})
    return table.set_index("name")


def mirror_folder() -> Path | None:
    """Folder named by ``COPA_NB_DATA``, or None if the variable is not set."""
    named = os.environ.get(MIRROR_VARIABLE)
    return Path(named).expanduser() if named else None


def cache_folder() -> Path:
    """Folder for downloads: ``COPA_NB_CACHE``, or the user's cache folder."""
    named = os.environ.get(CACHE_VARIABLE)
    return Path(named).expanduser() if named else user_cache_path("copa_nb")


def is_offline() -> bool:
    """Whether ``COPA_NB_OFFLINE`` forbids downloads."""
    return os.environ.get(OFFLINE_VARIABLE, "") not in ("", "0")


def _public_file(row: dict[str, str]) -> PublicFile:
    n_bytes, n_rows = row.pop("bytes"), row.pop("rows")
    return PublicFile(n_bytes=int(n_bytes), n_rows=int(n_rows) if n_rows else None, **row)


def _entry(name: str) -> PublicFile:
    checks.one_of("name", name, list(public_files()))
    return public_files()[name]


def _download(entry: PublicFile) -> Path:
    file = cache_folder() / entry.file
    try:
        download(entry.url, file, entry.sha256)
    except ValueError as error:
        raise DataCorruptedError(
            f"{entry.url} no longer holds the file {entry.file} that the registry describes (SHA-256 "
            f"{entry.sha256}). Put a correct copy into a folder, and set {MIRROR_VARIABLE} to that folder."
        ) from error
    except OSError as error:
        # Also a full disk and a folder without write access.
        raise DataUnavailableError(_missing_message(entry, _short(error))) from error
    return file


def _missing_message(entry: PublicFile, why: str) -> str:
    mirror = mirror_folder()
    looked = f"it is not in {MIRROR_VARIABLE} ({mirror})" if mirror else f"{MIRROR_VARIABLE} is not set"
    return (
        f"the public file {entry.name!r} ({entry.what}; {entry.n_bytes:,} bytes) is not available: {looked}, it is not "
        f"in the cache ({cache_folder()}), and {why}. Either run `copa-nb data fetch {entry.name}` with a network, or "
        f"save {entry.url} as {entry.file} in a folder and set {MIRROR_VARIABLE} to that folder."
    )


def _short(error: OSError) -> str:
    text = str(error).split("\n", maxsplit=1)[0]
    shown = text if len(text) <= 120 else text[:119] + "…"
    return f"the download failed ({type(error).__name__}: {shown})"


def _check_hash(candidate: Path, entry: PublicFile) -> None:
    found = sha256_of(candidate)
    if found != entry.sha256:
        raise DataCorruptedError(
            f"{candidate} is not the file that the registry describes: its SHA-256 is {found}, expected "
            f"{entry.sha256}. Save {entry.url} there again, or remove {candidate.name} from the folder named by "
            f"{MIRROR_VARIABLE}."
        )


def _where(entry: PublicFile) -> str:
    try:
        found = path(entry.name)
    except DataCorruptedError:
        return "damaged"
    if found is None:
        return "not here"
    return "mirror" if found.parent == mirror_folder() else "cache"
