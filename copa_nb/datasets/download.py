"""Fetching a file from a public address: checked, and put in its place whole or not at all."""

from __future__ import annotations

import hashlib
import sys
import tempfile
from pathlib import Path
from urllib.request import Request, urlopen

_LONGEST_SILENCE = 30.0  # seconds until a server that sends nothing counts as out of reach
_CHUNK = 1 << 16


def sha256_of(file: Path) -> str:
    """Return the SHA-256 of a file.

    Examples
    --------
    >>> sha256_of(Path(__file__)) == sha256_of(Path(__file__))
    True
    """
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def download(url: str, file: Path, sha256: str) -> None:
    """Download a file, and show a bar where standard error is a terminal.

    Parameters
    ----------
    url : str
        Public address.
    file : pathlib.Path
        Where the file goes; its folder is made.
    sha256 : str
        Hash of the content.

    Raises
    ------
    OSError
        If the address cannot be reached or the folder cannot be written to, and if the connection breaks.
    ValueError
        If the content has another hash; nothing is kept.
    """
    file.parent.mkdir(parents=True, exist_ok=True)
    # A folder of its own next to the file, so that the last step is a renaming and a half is never left.
    with tempfile.TemporaryDirectory(dir=file.parent, prefix=".download-") as folder:
        part = Path(folder) / file.name
        _receive(url, part)
        if sha256_of(part) != sha256:
            raise ValueError(f"{url} has another SHA-256 than {sha256}")
        part.replace(file)


def _receive(url: str, part: Path) -> None:
    from tqdm import tqdm

    # Some servers refuse the name that urllib gives itself.
    request = Request(url, headers={"User-Agent": "copa_nb"})
    with urlopen(request, timeout=_LONGEST_SILENCE) as answer, part.open("wb") as written:
        announced = answer.headers.get("Content-Length")
        size = int(announced) if announced else None
        with tqdm(total=size, unit="B", unit_scale=True, leave=False, disable=not sys.stderr.isatty()) as bar:
            while chunk := answer.read(_CHUNK):
                written.write(chunk)
                bar.update(len(chunk))
    received = part.stat().st_size
    if size is not None and received < size:
        raise ConnectionError(f"the connection broke after {received:,} of {size:,} bytes")
