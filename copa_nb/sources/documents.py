"""JSON files that an evaluation wrote, one by one or in folders."""

from __future__ import annotations

import contextlib
import json
import math
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd


def read_documents(
    source: Any, argument: str, pattern: str, keys: Sequence[str], what: str
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

    Returns
    -------
    list of (str, mapping)
        The origin and the content of each.

    Raises
    ------
    FileNotFoundError, TypeError, ValueError
        If there is nothing of the kind.
    """
    read = list(_each(source, argument, pattern, keys, what))
    if not read:
        raise ValueError(f"`{argument}` is {str(source)!r}, which contains no {what}; give another file or folder.")
    return read


def _each(
    source: Any, argument: str, pattern: str, keys: Sequence[str], what: str
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(source, Mapping):
        yield from _checked("dict", source, argument, keys, what)
    elif isinstance(source, str | os.PathLike):
        path = Path(source)
        if path.is_dir():
            for file in sorted(path.rglob(pattern)):
                document = _parsed(file, argument)
                if isinstance(document, Mapping) and all(key in document for key in keys):
                    yield str(file), document
        elif path.is_file():
            yield from _checked(str(path), _parsed(path, argument), argument, keys, what)
        else:
            raise FileNotFoundError(f"`{argument}` is {str(source)!r}, but there is no such file or folder.")
    elif isinstance(source, Sequence):
        for one in source:
            yield from _each(one, argument, pattern, keys, what)
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
