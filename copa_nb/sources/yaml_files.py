"""YAML files that a person wrote: a mapping, bounded in size, with the line of every entry of its lists."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

_MOST_VALUES = 100_000


def read_mapping(file: Path, key: str) -> tuple[dict[str, Any], list[int]]:
    """Read a YAML file that is a mapping; nothing in it is executed.

    Parameters
    ----------
    file : Path
        The file.
    key : str
        The list in it whose entries are numbered by line.

    Returns
    -------
    dict
        The mapping.
    list of int
        The line of each entry of the list, from 1; empty if there is no such list.

    Raises
    ------
    ValueError
        If it is not valid YAML, not a mapping, too large or nested too deeply, or has a key twice.
    """
    import yaml

    try:
        loader = yaml.SafeLoader(file.read_text(encoding="utf-8"))
        node = loader.get_single_node()
        if _count_values(node) > _MOST_VALUES:
            raise ValueError(
                f"{file} contains more than {_MOST_VALUES:,} values, including those repeated by aliases (`*name`) and "
                "merge keys (`<<`); write fewer."
            )
        lines = _lines(node, key)
        _refuse_repeated_keys(node, file)
        data = None if node is None else _made(loader, node, file)
    except (yaml.YAMLError, UnicodeError) as error:
        raise ValueError(f"{file} is not valid YAML: {' '.join(str(error).split())}") from error
    except RecursionError as error:
        raise ValueError(f"{file} cannot be read: its lists or mappings are nested too deeply.") from error
    if not isinstance(data, dict):
        raise ValueError(f"{file} contains a {type(data).__name__}; it must be a mapping with the key `{key}`.")
    return data, lines


def mapping_of(argument: str, value: Any) -> dict[str, Any]:
    """Return a mapping with text as keys, empty for None, or refuse anything else."""
    import reprlib

    if value is not None and not isinstance(value, Mapping):
        raise TypeError(f"`{argument}` must be a mapping, not {reprlib.repr(value)}.")
    return {str(key): inner for key, inner in (value or {}).items()}


def entries_of(key: str, value: Any, what: str, example: str) -> list[Any]:
    """Return the entries of a list, or refuse anything else: an empty list, a mapping."""
    if isinstance(value, list) and value:
        return value
    found = ", not a mapping" if isinstance(value, Mapping) else ""
    raise ValueError(
        f"`{key}` must be a list of at least one {what}{found}. Write a hyphen before each, e.g. `- {example}`."
    )


def _made(loader: Any, node: Any, file: Path) -> Any:
    try:
        return loader.construct_document(node)
    except ValueError as error:  # of what looks like a date or a number and is none
        raise ValueError(f"{file} has a value that cannot be read: {error}. Write text in quotes.") from error


def _lines(node: Any, key: str) -> list[int]:
    pairs = node.value if node is not None and isinstance(node.value, list) else []
    lists = [value for name, value in filter(_is_pair, pairs) if name.value == key and value.id == "sequence"]
    return [one.start_mark.line + 1 for one in lists[0].value] if lists else []


def _is_pair(entry: Any) -> bool:
    return isinstance(entry, tuple)


def _refuse_repeated_keys(node: Any, file: Path) -> None:
    """Refuse a mapping that has a key twice, of which only the last would count."""
    waiting, seen = [node] if node is not None else [], set()
    while waiting:
        one = waiting.pop()
        if id(one) in seen or not isinstance(one.value, list):
            continue
        seen.add(id(one))
        entries = [entry for entry in one.value if _is_pair(entry)]
        names: set[Any] = set()
        for name, _ in entries:
            if isinstance(name.value, str) and name.value != "<<" and name.value in names:
                raise ValueError(f"{file} has the key {name.value!r} twice, again in line {name.start_mark.line + 1}.")
            names.add(name.value if isinstance(name.value, str) else id(name))
        waiting += [value for _, value in entries] or [value for value in one.value if not _is_pair(value)]


def _count_values(node: Any) -> int:
    """Count the values of a file before they are made, each wherever an alias or a merge key repeats it."""
    counts: dict[int, int] = {}

    def count(node: Any) -> int:
        if id(node) not in counts:
            counts[id(node)] = _MOST_VALUES + 1  # what holds itself is endless
            inner = node.value if isinstance(node.value, list) else []
            # Of a mapping, pairs of a key and a value.
            counts[id(node)] = 1 + sum(count(one[1]) if isinstance(one, tuple) else count(one) for one in inner)
        return counts[id(node)]

    return 0 if node is None else count(node)
