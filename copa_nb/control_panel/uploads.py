"""What the visitor of a panel hands in: files of bounded size, in a folder that goes with the panel."""

from __future__ import annotations

import gzip
import os
import re
import tempfile
import zipfile
from pathlib import Path
from typing import Any

from copa_nb.checks import PARQUET, listed, optional

MOST_BYTES = 50_000_000  # of a file on a server, once it is unpacked
MOST_EXCEL_BYTES = 20_000_000  # of a workbook, which takes fifty times as much while it is read
REPORTS = "reports"  # the folder on a server that reports are below
_CHUNK = 1_000_000
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.\-]*")


def is_served() -> bool:
    """Whether a server of pages runs this for visitors: Voila tells its kernels where it is.

    Examples
    --------
    >>> is_served()
    False
    """
    return any(name.startswith("VOILA_") for name in os.environ)


class Uploads:
    """Files that were uploaded to a panel.

    Parameters
    ----------
    served : bool
        Whether they come from visitors of a server: then they are of bounded size, and no other files are read.
    """

    def __init__(self, served: bool) -> None:
        self.served = served
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def receive(self, upload: Any) -> Path:
        """Save a file that was uploaded, and wait for the next one, which may be the same.

        Raises
        ------
        ValueError
            For a file that has no name, or is larger than visitors may upload.
        """
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="copa-nb-panel-", ignore_cleanup_errors=True)
        given = upload.value[-1]
        upload.value = ()
        name = given["name"].replace("\\", "/").rpartition("/")[2]
        if name in ("", ".", ".."):
            raise ValueError(f"{given['name']!r} is no name of a file.")
        path = Path(self._folder.name) / name
        path.write_bytes(bytes(given["content"]))
        if self.served:
            try:
                _check_size(path)
            except ValueError:
                path.unlink()
                raise
        return path

    def found(self, name: str) -> str:
        """Return where a file is that an option names: for visitors, one that they have uploaded.

        Raises
        ------
        ValueError
            If a visitor names another one.
        """
        if not self.served:
            return name
        known = [] if self._folder is None else sorted(path.name for path in Path(self._folder.name).iterdir())
        if name not in known:
            raise ValueError(
                f"{name!r} was not uploaded here; files that were: {listed(known) or 'none'}. Upload it with "
                "'Upload a table', and then the table that it goes with."
            )
        assert self._folder is not None
        return str(Path(self._folder.name) / name)

    def without_folder(self, message: str) -> str:
        """Return a message that names files as the visitor does."""
        return message if self._folder is None else message.replace(f"{self._folder.name}{os.sep}", "")

    def remove(self) -> None:
        """Remove the files."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None


def folder_of_reports(name: str, *, served: bool) -> str:
    """Return the folder that reports are written to: for visitors, one below that of all reports.

    Raises
    ------
    ValueError
        If a visitor names a folder elsewhere.
    """
    if not served:
        return name or REPORTS
    if name and not _NAME.fullmatch(name):
        raise ValueError(
            f"The folder of reports is {name!r}; here, it is one name of letters, digits, '.', '-' and '_', which "
            "begins with a letter, a digit or '_'."
        )
    return str(Path(REPORTS) / name)


def _check_size(path: Path) -> None:
    """Refuse a file that is too large once it is unpacked, without unpacking more than that."""
    size, most = path.stat().st_size, MOST_BYTES
    with path.open("rb") as opened:
        beginning = opened.read(4)
    if beginning[:2] == b"\x1f\x8b":
        size = _unzipped(path)
    elif beginning == b"PK\x03\x04" or zipfile.is_zipfile(path):
        most = MOST_EXCEL_BYTES
        try:
            with zipfile.ZipFile(path) as archive:
                size = sum(one.file_size for one in archive.infolist())
        except zipfile.BadZipFile as error:
            raise ValueError(f"{path.name!r} is damaged: {error}.") from error
    elif beginning == b"PAR1":
        size = _size_of_parquet(path)
    if size > most:
        raise ValueError(
            f"{path.name!r} is larger than {most / 1e6:g} MB once it is unpacked, which is the most that can be "
            "uploaded here. Upload an aggregate or a sample of it, or run the panel on a machine of your own."
        )


def _unzipped(path: Path) -> int:
    """Bytes that a file of gzip has unpacked, or a few more than are allowed."""
    size = 0
    try:
        with gzip.open(path) as opened:
            while size <= MOST_BYTES and (part := opened.read(_CHUNK)):
                size += len(part)
    except (EOFError, OSError) as error:
        raise ValueError(f"{path.name!r} is damaged: {error}.") from error
    return size


def _size_of_parquet(path: Path) -> int:
    """Bytes that a Parquet file takes in memory, where a repeated value takes more, or a few more than are allowed."""
    pa = optional("pyarrow", "reading Parquet", PARQUET)
    from pyarrow import parquet

    size = 0
    try:
        file = parquet.ParquetFile(path)
        pages = sum(file.metadata.row_group(k).total_byte_size for k in range(file.num_row_groups))
        size = max(pages, 8 * file.metadata.num_rows * file.metadata.num_columns)
        if size > MOST_BYTES:
            return size
        size = 0
        for batch in file.iter_batches(batch_size=1024):
            size += batch.nbytes
            if size > MOST_BYTES:
                break
    except pa.ArrowException as error:
        raise ValueError(f"{path.name!r} is damaged: {error}.") from error
    return size
