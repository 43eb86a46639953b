"""Sources of tables, each registered with its function: what it reads, and where its directions come from."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import pandas as pd

UNKNOWN_DIRECTIONS = "you name them"
_PREFIX = "from_"


@dataclass(frozen=True)
class Format:
    """A source of tables.

    Parameters
    ----------
    read : callable
        The function that reads it.
    what : str
        What a user has, e.g. "logs of Inspect".
    directions : str
        Where it is stored which objectives are better large.
    library : str
        The library whose objects it reads.
    key : str
        The entry by which a document of JSON is recognized.
    has_flag : bool
        Whether the command line names the format, with ``--source``.
    option : str
        The argument of `read` whose value stands behind the name of the format and a colon, if any does.
    """

    read: Callable[..., pd.DataFrame]
    what: str
    directions: str
    library: str = ""
    key: str = ""
    has_flag: bool = False
    option: str = ""

    @property
    def name(self) -> str:
        """Its name: that of the function without "from_"."""
        return self.read.__name__.removeprefix(_PREFIX)

    @property
    def has_items(self) -> bool:
        """Whether it can be read with one row per item."""
        return "items" in inspect.signature(self.read).parameters

    @property
    def flag(self) -> str:
        """What names it on the command line."""
        return f"--source {self.name.replace('_', '-')}{':NAME' if self.option else ''}"


SOURCES: dict[str, Format] = {}

Reader = TypeVar("Reader", bound=Callable[..., pd.DataFrame])


def source(what: str, *, directions: str = UNKNOWN_DIRECTIONS, **described: Any) -> Callable[[Reader], Reader]:
    """Register a function that reads tables; parameters are those of :class:`Format`."""

    def register(read: Reader) -> Reader:
        found = Format(read, what, directions, **described)
        SOURCES[found.name] = found
        return read

    return register
