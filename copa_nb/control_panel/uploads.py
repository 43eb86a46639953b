"""What is handed in to a panel: files, in parts, in a folder that goes with the panel; of visitors, of bounded size."""

from __future__ import annotations

import os
import tempfile
import zipfile
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path

import anywidget
import traitlets

MOST_BYTES = 50_000_000  # of a file on a server
MOST_EXCEL_BYTES = 20_000_000  # of a workbook, which takes fifty times as much while it is read
ACCEPTED = ".csv,.tsv,.txt,.json,.jsonl,.ndjson,.xlsx,.parquet,.gz"
_PACKED = (b"\x1f\x8b", b"PAR1")  # how files of gzip and Parquet begin
_SCRIPT = (files("copa_nb.control_panel") / "view" / "drop_zone.js").read_text(encoding="utf-8")


class DropZone(anywidget.AnyWidget):
    """A place to drop a file on, or to choose one by a click.

    Parameters
    ----------
    received : callable
        Called with the name of a file, a part of its content, and whether this is the first and the last part.

    Attributes
    ----------
    title, about : str
        What stands in it.
    full : bool
        Whether there is a file, so that it needs less room.
    """

    _esm = traitlets.Unicode(_SCRIPT).tag(sync=True)
    accept = traitlets.Unicode(ACCEPTED).tag(sync=True)
    title = traitlets.Unicode("Drop a table here").tag(sync=True)
    about = traitlets.Unicode("or click to choose a file: CSV, Excel, JSON, Parquet").tag(sync=True)
    full = traitlets.Bool(False).tag(sync=True)

    def __init__(self, received: Callable[[str, bytes, bool, bool], None]) -> None:
        super().__init__()
        self.received = received
        self.on_msg(
            lambda _, content, buffers: received(
                str(content["name"]), bytes(buffers[0]), bool(content["first"]), bool(content["last"])
            )
        )


def is_served() -> bool:
    """Whether a server of pages runs this for visitors: Voila tells its kernels where it is.

    Examples
    --------
    >>> is_served()
    False
    """
    return any(name.startswith("VOILA_") for name in os.environ)


class Uploads:
    """Files that were handed in to a panel, and, on a server, the reports of its visitor.

    Parameters
    ----------
    served : bool
        Whether they come from visitors of a server: then they are of bounded size.
    """

    def __init__(self, served: bool) -> None:
        self.served = served
        self._temporary: tempfile.TemporaryDirectory[str] | None = None

    @property
    def folder(self) -> Path:
        """The folder that goes with the panel."""
        if self._temporary is None:
            self._temporary = tempfile.TemporaryDirectory(prefix="copa-nb-panel-", ignore_cleanup_errors=True)
        return Path(self._temporary.name)

    def receive(self, given: str, content: bytes, *, first: bool = True, last: bool = True) -> Path | None:
        """Save a part of a file; returns where the file is once it is whole.

        Raises
        ------
        ValueError
            For a file that has no name, or is larger than visitors may upload.
        """
        name = given.replace("\\", "/").rpartition("/")[2]
        if name in ("", ".", ".."):
            raise ValueError(f"{given!r} is no name of a file.")
        path = self.folder / name
        if not first and not path.is_file():
            return None  # the rest of a file that was refused
        with path.open("wb" if first else "ab") as file:
            file.write(content)
        try:
            if self.served:
                _check_size(path) if last else _check_bytes(path, path.stat().st_size, MOST_BYTES)
        except ValueError:
            path.unlink()
            raise
        return path if last else None

    def without_folder(self, message: str) -> str:
        """Return a message that names files as the visitor does."""
        return message if self._temporary is None else message.replace(f"{self._temporary.name}{os.sep}", "")

    def remove(self) -> None:
        """Remove the files."""
        if self._temporary is not None:
            self._temporary.cleanup()
            self._temporary = None


def _check_size(path: Path) -> None:
    """Refuse a file that is too large, also once it is unpacked; a workbook says how large that is, others do not."""
    with path.open("rb") as opened:
        beginning = opened.read(4)
    if beginning.startswith(_PACKED):
        raise ValueError(f"{path.name!r} is packed, so that its size cannot be told; upload it as CSV, JSON or Excel.")
    if not zipfile.is_zipfile(path):
        _check_bytes(path, path.stat().st_size, MOST_BYTES)
        return
    with zipfile.ZipFile(path) as archive:
        _check_bytes(path, sum(one.file_size for one in archive.infolist()), MOST_EXCEL_BYTES)


def _check_bytes(path: Path, size: int, most: int) -> None:
    if size > most:
        raise ValueError(
            f"{path.name!r} is larger than {most / 1e6:g} MB once it is unpacked, which is the most that can be "
            "uploaded here. Upload an aggregate or a sample of it, or run the panel on a machine of your own."
        )
