"""Papers and what they claim, found by entry points of the group ``copa_nb.papers``.

Nothing of the library imports the papers, so that they can be a package of their own.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property, lru_cache
from importlib.metadata import entry_points
from pathlib import Path

GROUP = "copa_nb.papers"


@dataclass(frozen=True, eq=False)
class Collection:
    """Papers, their claims, and the errors found in them.

    Parameters
    ----------
    folders : tuple of Path
        Each with ``papers.csv``, ``claims.csv`` and ``errata.csv``.
    """

    folders: tuple[Path, ...]

    @cached_property
    def papers(self) -> Mapping[str, dict[str, str]]:
        """Area, title, authors, link, abstract in our words, best picture (a report) and a verb, of every paper."""
        return {row["paper"]: row for row in self._rows("papers.csv")}

    @cached_property
    def paper_of_area(self) -> Mapping[str, str]:
        """The paper that each folder of notebooks reproduces."""
        return {row["area"]: paper for paper, row in self.papers.items()}

    @cached_property
    def claims(self) -> Mapping[str, dict[str, str]]:
        """The claims of the papers by id: paper, place, says, printed and tolerance.

        ``says`` states the claim in our words, with all of its parts.
        """
        return {row["id"]: row for row in self._rows("claims.csv")}

    @cached_property
    def errata(self) -> tuple[dict[str, str], ...]:
        """The errors found in papers and in their data: paper, place, what is wrong, and the claim that shows it."""
        return tuple(self._rows("errata.csv"))

    def _rows(self, name: str) -> Iterator[dict[str, str]]:
        for folder in self.folders:
            with (folder / name).open(encoding="utf-8", newline="") as file:
                yield from csv.DictReader(file)


@lru_cache(maxsize=1)
def installed() -> Collection:
    """Return the papers of all installed packages; none is needed for reports on one's own tables."""
    found: list[Collection] = list(dict.fromkeys(one.load() for one in entry_points(group=GROUP)))
    return Collection(tuple(folder for one in found for folder in one.folders))
