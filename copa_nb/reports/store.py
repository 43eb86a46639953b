"""The output folder: one lock per report, and reports that appear whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_HIDDEN = ".copa-nb"


class FolderError(OSError):
    """The output folder cannot be written to."""


class Store:
    """An output folder.

    A report is built in a staging folder beside its place. Placing it is three renames: the finished
    copy to ``ready``, the old report out of the way, the copy into its place. Whoever next takes the
    lock of that report completes what a kill left between two of them.

    Parameters
    ----------
    root : Path
        The folder; made if it does not exist.
    """

    def __init__(self, root: Path | str) -> None:
        self.root = Path(root)
        self._hidden = self.root / _HIDDEN

    def prepare(self) -> None:
        """Make the folder and see that it can be written to.

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
            raise FolderError(f"The output folder {self.root} cannot be written to: {why}.") from error

    def place_of(self, name: str) -> Path:
        """Return the folder of a report."""
        return self.root / name

    @contextmanager
    def lock(self, name: str, *, wait: bool = True) -> Iterator[bool]:
        """Hold the lock of one report; yields whether it was had.

        The lock belongs to the process and goes with it, however it ends.
        """
        with (self._hidden / "locks" / _flat(name)).open("a+b") as handle:
            had = _acquire(handle.fileno(), wait=wait)
            try:
                yield had
            finally:
                if had:
                    _release(handle.fileno())

    def staging(self, name: str) -> Path:
        """Return an empty folder to build a report in; to be called with its lock held."""
        self.recover(name)
        folder = self._hidden / "staging" / _flat(name)
        folder.mkdir(parents=True)
        return folder

    def left_behind(self, name: str) -> Path:
        """Return where the work on a report lies whose process was killed."""
        return self._hidden / "staging" / _flat(name)

    def place(self, staged: Path, name: str) -> None:
        """Put a finished report into its place; to be called with its lock held."""
        _flush(staged)
        staged.rename(self._hidden / "ready" / _flat(name))
        self.recover(name)

    def recover(self, name: str) -> None:
        """Complete or clear away what a killed run left of a report; to be called with its lock held."""
        ready, replaced = self._hidden / "ready" / _flat(name), self._hidden / "replaced" / _flat(name)
        place = self.place_of(name)
        if ready.exists():
            if place.exists():
                shutil.rmtree(replaced, ignore_errors=True)
                place.rename(replaced)
            place.parent.mkdir(parents=True, exist_ok=True)
            ready.rename(place)
        for leftover in (replaced, self._hidden / "staging" / _flat(name)):
            if leftover.exists():
                shutil.rmtree(leftover)

    def sweep(self) -> None:
        """Complete or clear away what killed runs left, except where another run is at work."""
        names = {path.name for part in ("ready", "staging", "replaced") for path in (self._hidden / part).iterdir()}
        for name in sorted(names):
            if name.startswith("file-"):
                continue
            with self.lock(_unflat(name), wait=False) as had:
                if had:
                    self.recover(_unflat(name))

    def write(self, name: str, text: str) -> Path:
        """Write one file of the folder whole or not at all."""
        target = self.root / name
        handle, temporary = tempfile.mkstemp(prefix="file-", dir=self._hidden / "staging")
        try:
            with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
                file.flush()
                os.fsync(file.fileno())
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, target)
        except BaseException:
            with suppress(OSError):
                os.unlink(temporary)
            raise
        return target


def _flat(name: str) -> str:
    return name.replace("%", "%25").replace("/", "%2F")


def _unflat(name: str) -> str:
    return name.replace("%2F", "/").replace("%25", "%")


def _flush(folder: Path) -> None:
    """See the files on the disk before they are renamed, so that a power cut leaves no empty ones."""
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
