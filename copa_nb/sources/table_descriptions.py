"""YAML files that describe a table: they are read in the place of the table, by every reader and command."""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from copa_nb.checks import listed, nearest
from copa_nb.sources.yaml_files import mapping_of, read_mapping
from copa_nb.tables.description import COLUMN_WORDS, WORDS
from copa_nb.tables.missing_values import ends_of

# How random draws are made, which is no word of a table.
DRAWS = ("n_resamples", "seed")
KEYS = ("table", "reading", "objectives", *WORDS, *DRAWS, "alpha", "accept", "claims")
_COLUMNS = (*COLUMN_WORDS, "known", "log", "show")
_OF_OBJECTIVES = ("known", "standard_error", "n", "bounds", "log")
_ENDINGS = (".yaml", ".yml")
# Values that words had before.
OLD_VALUES: Mapping[tuple[str, str], str] = {("nan_policy", "worst_case"): "bounds"}


@dataclass(frozen=True)
class TableDescription:
    """What a file says of a table.

    Parameters
    ----------
    table : str
        The table, as the file names it: relative paths start from the folder of the file.
    file : Path
        The file.
    words : dict
        What its columns are, ``objectives`` among them.
    reading : dict
        Options of the function that reads the table.
    draws : dict
        ``n_resamples`` and ``seed``.
    """

    table: str
    file: Path
    words: Mapping[str, Any]
    reading: Mapping[str, Any]
    draws: Mapping[str, Any]

    @property
    def path(self) -> str:
        """Where the table is."""
        return self.table if "://" in self.table else str(self.file.parent / self.table)

    def words_about(self, objectives: Mapping[Any, str] | None) -> dict[str, Any]:
        """Return the words with other objectives, without what they say of the objectives that are left out."""
        if not objectives:
            return dict(self.words)
        left_out = set(self.words.get("objectives", {})) - set(objectives)
        words = {
            word: _without(value, left_out) if word in _OF_OBJECTIVES else value for word, value in self.words.items()
        }
        return {**{word: value for word, value in words.items() if value}, "objectives": dict(objectives)}


def is_description(source: Any) -> bool:
    """Whether a source is a file that describes a table: YAML with `table` and the words of its columns."""
    if not isinstance(source, str | os.PathLike):
        return False
    path = Path(source)
    return path.suffix in _ENDINGS and path.is_file()


def read_description(file: str | os.PathLike[str]) -> TableDescription:
    """Read what a file says of its table, with or without claims about it.

    Parameters
    ----------
    file : path
        YAML with ``table`` and the words that describe it.

    Returns
    -------
    TableDescription

    Raises
    ------
    ValueError, TypeError
        For unknown keys, for words that have other values, and without a table.
    """
    data, _ = read_mapping(Path(file), "table")
    for key in data:
        if key not in KEYS:
            raise ValueError(
                f"{file} has the key {key!r}, which is not known.{nearest(key, KEYS)} Known keys are "
                f"{listed(KEYS, most=30)}."
            )
    if not data.get("table"):
        raise ValueError(f"{file} names no table; add `table: results.csv`.")
    return TableDescription(
        str(data["table"]),
        Path(file),
        words_of(data),
        mapping_of("reading", data.get("reading")),
        {name: data[name] for name in DRAWS if data.get(name) is not None},
    )


def described_file(source: Any) -> Path | None:
    """Return the file of the table that a source describes; None if it describes none, or not as it should."""
    try:
        path = Path(read_description(source).path) if is_description(source) else None
    except (ValueError, TypeError):
        return None
    return path if path is not None and path.is_file() else None


def words_of(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the words among the keys of a file, ``objectives`` first, or refuse values that they cannot have.

    Raises
    ------
    ValueError, TypeError
        For such a value.
    """
    words = {word: data[word] for word in WORDS if data.get(word) is not None}
    for (word, old), now in OLD_VALUES.items():
        if words.get(word) == old:
            raise ValueError(f"`{word}: {old}` is written `{word}: {now}` now.")
    for word in ("validation", "test"):
        if not isinstance(words.get(word, ""), str):
            raise ValueError(f"`{word}` is {words[word]!r}; it must be how names of columns begin, e.g. {word[:3]}_.")
    for word in _COLUMNS:
        _check_columns(word, words.get(word))
    objectives = mapping_of("objectives", data.get("objectives"))
    for name, way in objectives.items():
        if way not in ("max", "min"):
            raise ValueError(f"`objectives` gives {way!r} for {name!r}; it must be 'max' or 'min'.")
    if bounds := mapping_of("bounds", words.pop("bounds", None)):
        words["bounds"] = ends_of(bounds)
    return {**({"objectives": objectives} if objectives else {}), **words}


def _check_columns(word: str, value: Any) -> None:
    several = word != "order"
    names = value if isinstance(value, list) and several else [value]
    if any(isinstance(one, list | Mapping) for one in names):
        raise ValueError(f"`{word}` is {value!r}; it must be the name of a column{', or a list of names' * several}.")


def _without(value: Any, objectives: Collection[str]) -> Any:
    if isinstance(value, dict):
        return {name: inner for name, inner in value.items() if name not in objectives}
    if isinstance(value, list):
        return [name for name in value if name not in objectives]
    return None if value in objectives else value
