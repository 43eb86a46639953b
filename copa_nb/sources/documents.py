"""JSON files that an evaluation wrote, one by one or in folders."""

from __future__ import annotations

import contextlib
import gzip
import json
import math
import os
import sys
import warnings
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import IO, Any

import pandas as pd

from copa_nb import checks
from copa_nb.tables.objectives import RowsOmittedWarning

_LONGEST_LINE = 1 << 28  # bytes
_MOST_NAMED = 3


class Damaged:
    """What happens to files that cannot be read: an error, or, on request, a note.

    Parameters
    ----------
    policy : {"raise", "skip"}
        As the user asks for it.
    """

    def __init__(self, policy: str) -> None:
        checks.one_of("damaged", policy, ("raise", "skip"))
        self._skip = policy == "skip"
        self._skipped: dict[str, str] = {}

    @contextlib.contextmanager
    def file(self, name: object) -> Iterator[None]:
        """Skip a file if reading it in a ``with`` statement fails, or raise the error and say how to skip it."""
        try:
            yield
        except ValueError as error:
            if not self._skip:
                raise ValueError(
                    f"{error} {checks.setting('damaged', 'skip')} leaves out files that cannot be read."
                ) from error
            self._skipped.setdefault(str(name), str(error))

    def notes(self) -> list[str]:
        """Report which files are skipped and why, as a note and as a warning."""
        if not self._skipped:
            return []
        count = len(self._skipped)
        files = "1 file that cannot be read is" if count == 1 else f"{count:,} files that cannot be read are"
        first = next(iter(self._skipped.values()))
        note = f"{files} left out: {checks.listed(self._skipped, _MOST_NAMED)}. {first}"
        warnings.warn(note, RowsOmittedWarning, stacklevel=checks.callers_level())
        return [note]


def read_documents(
    source: Any, argument: str, pattern: str, keys: Sequence[str], what: str, damaged: Damaged | None = None
) -> list[tuple[str, Mapping[str, Any]]]:
    """Read documents of one kind: a file, a folder with all that is in it, a dict, or a list of these.

    Parameters
    ----------
    source : path, mapping or list of these
        Where they are.
    argument : str
        What the user calls it, for errors.
    pattern : str
        Names of the files in a folder, e.g. "results*.json".
    keys : sequence of str
        What each document must contain; files of a folder without it are skipped.
    what : str
        What the documents are called in errors.
    damaged : Damaged, optional
        What happens to files that are not JSON; by default an error.

    Returns
    -------
    list of (str, mapping)
        The origin and the content of each.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        If there is nothing of the kind.
    """
    read = list(_each(source, argument, pattern, keys, what, damaged))
    if not read:
        raise ValueError(f"`{argument}` is {str(source)!r}, which contains no {what}; give another file or folder.")
    return read


def _each(
    source: Any, argument: str, pattern: str, keys: Sequence[str], what: str, damaged: Damaged | None
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(source, Mapping):
        yield from _checked("dict", source, argument, keys, what)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            for file in sorted(path.rglob(pattern)):
                document = None
                with damaged.file(file) if damaged else contextlib.nullcontext():
                    document = _parsed(file, argument)
                if isinstance(document, Mapping) and all(key in document for key in keys):
                    yield str(file), document
        elif path.is_file():
            with damaged.file(path) if damaged else contextlib.nullcontext():
                document = _parsed(path, argument)
                yield from _checked(str(path), document, argument, keys, what)
        else:
            raise FileNotFoundError(f"`{argument}` is {str(source)!r}, but there is no such file or folder.")
    elif isinstance(source, Sequence):
        for one in source:
            yield from _each(one, argument, pattern, keys, what, damaged)
    else:
        raise TypeError(
            f"`{argument}` must be a file, a folder, a dict or a list of these, not {type(source).__name__}."
        )


def _checked(
    name: str, document: Any, argument: str, keys: Sequence[str], what: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    lacking = [key for key in keys if not isinstance(document, Mapping) or key not in document]
    if lacking:
        raise ValueError(f"`{argument}` is {name!r}, which is not a {what}: it has no {lacking[0]!r}.")
    yield name, document


def read_lines(file: Path, argument: str, advance: Callable[[int], object]) -> Iterator[Mapping[str, Any]]:
    """Read a file with one mapping of JSON per line, one line at a time; it may end in .gz.

    Parameters
    ----------
    file : Path
        The file.
    argument : str
        What the user calls it, for errors.
    advance : callable
        Is told how many bytes were read.

    Raises
    ------
    ValueError
        For a line that is cut, or is no mapping.
    """
    with _opened(file) as stream:
        number = 0
        while line := _line(stream, file, argument):
            number += 1
            advance(len(line))
            if line.isspace():
                continue
            document = _parsed_line(line, file, argument, number)
            if not isinstance(document, Mapping):
                raise ValueError(f"`{argument}` contains {str(file)!r}, whose line {number:,} is not a mapping.")
            yield document


def _opened(file: Path) -> IO[bytes]:
    return gzip.open(file) if file.suffix == ".gz" else file.open("rb")  # type: ignore[return-value]


def _line(stream: IO[bytes], file: Path, argument: str) -> bytes:
    try:
        line = stream.readline(_LONGEST_LINE)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise ValueError(f"`{argument}` contains {str(file)!r}, which is not a whole .gz file: {error}.") from error
    if len(line) == _LONGEST_LINE:
        raise ValueError(f"`{argument}` contains {str(file)!r}, which has a line of more than 256 MB; remove the file.")
    return line


def _parsed_line(line: bytes, file: Path, argument: str, number: int) -> Any:
    try:
        return json.loads(line)
    except RecursionError as error:
        raise ValueError(
            f"`{argument}` contains {str(file)!r}, whose line {number:,} is nested too deeply; remove the file."
        ) from error
    except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
        cut = "" if line.endswith(b"\n") else " The file ends there, so it may be cut."
        raise ValueError(
            f"`{argument}` contains {str(file)!r}, whose line {number:,} is not valid JSON: {error}.{cut}"
        ) from error


def _parsed(file: Path, argument: str) -> Any:
    try:
        return json.loads(file.read_text(encoding="utf-8-sig"))
    except RecursionError as error:
        raise ValueError(
            f"`{argument}` contains {str(file)!r}, whose lists or mappings are nested too deeply; remove the file."
        ) from error
    except ValueError as error:  # no JSON, no UTF-8, or a number of thousands of digits
        raise ValueError(f"`{argument}` contains {str(file)!r}, which is not valid JSON: {error}.") from error


@contextlib.contextmanager
def laid_out(argument: str, name: str, place: str = "") -> Iterator[None]:
    """Turn what a document of another layout leads to into a sentence that names it.

    Parameters
    ----------
    argument : str
        What the user calls the source.
    name : str
        The document.
    place : str, optional
        The part of it that is read.
    """
    try:
        yield
    except (KeyError, IndexError, AttributeError, TypeError) as error:
        where = f", at {place}" if place else ""
        raise ValueError(
            f"`{argument}` contains {name!r}, which does not have the expected structure{where}; it may be truncated "
            f"or edited ({type(error).__name__}: {error})."
        ) from error


def check_shape(value: Any, whole: type, each: type, argument: str, name: str) -> None:
    """Refuse a part of a document that is not the list or mapping it should be, or holds something else."""
    parts = value.values() if isinstance(value, Mapping) else value
    if not isinstance(value, whole) or not all(isinstance(part, each) for part in parts):
        raise ValueError(
            f"`{argument}` contains {name!r}, which does not have the expected structure; it may be truncated or "
            "edited."
        )


def number(value: Any) -> float:
    """Return a measured value as a float, NaN where there is none, as in "N/A"; infinite beyond all floats."""
    if isinstance(value, int) and abs(value) > sys.float_info.max:
        return math.inf if value > 0 else -math.inf
    found = pd.to_numeric(value, errors="coerce") if isinstance(value, str | int | float) else None
    return float("nan") if found is None else float(found)


class Scores:
    """Scores of models, gathered from documents: later ones replace earlier ones, and that is counted."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[str, Any]] = {}
        self._scored: set[tuple[str, str]] = set()
        self._replaced = 0

    def add(self, model: str, score: str, values: Mapping[str, Any]) -> None:
        """Enter a score of a model: its value and what belongs to it."""
        self._replaced += (model, score) in self._scored
        self._scored.add((model, score))
        self.note(model, values)

    def note(self, model: str, values: Mapping[str, Any]) -> None:
        """Enter what else is known of a model."""
        self._rows.setdefault(model, {}).update(values)

    def table(self, first: Sequence[str]) -> pd.DataFrame:
        """Lay out models by scores, those named first in front."""
        frame = pd.DataFrame.from_dict(self._rows, orient="index").rename_axis("model")
        return frame[[*first, *(name for name in frame.columns if name not in first)]]

    def notes(self) -> list[str]:
        """Report how many scores were replaced."""
        if not self._replaced:
            return []
        were = "score was" if self._replaced == 1 else "scores were"
        return [f"{self._replaced:,} {were} measured more than once; the latest of each model and task is used."]
