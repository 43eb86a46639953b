"""The gaps of several systems or groups under one reference point."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

import pandas as pd

from copa_nb.generalization.answers import parts_of_groups
from copa_nb.generalization.printing import tables_of
from copa_nb.generalization.result import ONE_METHOD, Gap, note_of_explorer
from copa_nb.generalization.searches import Searches
from copa_nb.results.answer import Answer
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Grouped
from copa_nb.results.sentences import Part
from copa_nb.tables.columns import as_names
from copa_nb.tables.objectives import Objectives


@dataclass(frozen=True, repr=False, eq=False)
class GapOfGroups(Grouped[Gap], Gap):
    """Gaps of several systems or groups, a read-only mapping of their labels; see :class:`copa_nb.results.Gap`.

    Parameters
    ----------
    results : dict of group label to Gap
        The gaps.
    by : label or list of labels
        The columns that made the groups.
    """

    _searches: Searches | None = field(default=None, repr=False, compare=False)

    # `explore` is answered with a note.
    _internals = frozenset(
        (
            "bootstrap", "details", "explore", "falls", "first_search", "get", "in_order", "interval", "overtuning",
            "report", "results", "share_with_gap", "in_short",
        )
    )  # fmt: skip
    # What a group would be called if it were one of two that are compared.
    _group = ""

    plot = Offered()

    @property
    def searches(self) -> pd.DataFrame:
        """One line for each search, under the label of its group."""
        lines = pd.concat([one.searches for one in self.results.values()], keys=self._index())
        return lines if self._is_repeated else lines.droplevel(-1)

    @property
    def _is_repeated(self) -> bool:
        return any(hasattr(one, "gaps") or hasattr(one, "ways") for one in self.results.values())

    @property
    def reference(self) -> dict[Hashable, float]:  # type: ignore[override]
        """The reference point of all groups, in the objectives' own units."""
        return self._first.reference

    @property
    def objectives(self) -> Objectives:  # type: ignore[override]
        """Names without prefix, and directions."""
        return self._first.objectives

    @property
    def first_search(self) -> Gap:
        """The gap of the first search of the first group."""
        return self._first.first_search

    def to_answer(self) -> Answer:
        """How the rows of each front change on test, and which of the first two is better."""
        return Gap.to_answer(self)

    def printed_tables(self) -> list[PrintedTable]:
        """Falls from validation to test, hypervolumes, sizes of fronts and spread over repetitions, by group."""
        return tables_of(self.results, self.by)

    @property
    def _first(self) -> Gap:
        return next(iter(self.results.values()))

    def explore(self) -> Note:
        """Say which gap has an explorer; see :meth:`Gap.explore`."""
        return note_of_explorer(self._one_search())

    def _one_search(self) -> str:
        """How the first search is written."""
        repeated = f".gaps[{next(iter(self._first.gaps))!r}]" if hasattr(self._first, "gaps") else ""
        return f"gap[{next(iter(self.results))!r}]{repeated}"

    def _where_one_is(self) -> str:
        return f"see {self._one_search()}"

    def _where_repetitions_are(self) -> str:
        return f"see gap[{next(iter(self.results))!r}]"

    def parts(self) -> list[Part]:
        """How scores change on test in each group, what the fronts keep there, and how the first two compare."""
        first, *others = as_names(self.by)
        return parts_of_groups(self.results, None if others else first)

    @property
    def _by_group(self) -> Mapping[Hashable, Gap]:
        return self.results

    def in_short(self) -> list[Part]:
        """The sizes of the gaps of all groups."""
        return [size for one in self.results.values() for size in one.in_short()]

    def __dir__(self) -> list[str]:
        return [name for name in super().__dir__() if name not in {*self._internals, "best"}]

    def __repr__(self) -> str:
        return f"<{len(self)} × Gap by {self.by!r}>"

    def facts(self) -> dict[str, Any]:
        """Return the facts of every group; see :meth:`Result.facts`."""
        return {**Grouped.facts(self), "result": "Gap"}

    def compare(self, other: Gap | None = None, *, names: tuple[str, str] | None = None) -> Grouped[Any]:
        """Compare the groups in pairs by the three criteria of section 4; see :meth:`Gap.compare`."""
        if other is not None or names is not None:
            label = next(iter(self.results))
            raise TypeError(
                f"the gaps of several groups are compared in pairs, without `other` or `names`; to compare one with "
                f"another gap, write gap[{label!r}].compare(other)."
            )
        if len(self.results) < 2:
            return cast("Grouped[Any]", ONE_METHOD)
        pairs = {
            (one, other): self.results[one].compare(self.results[other]) for one, other in combinations(self.results, 2)
        }
        return Grouped(cast(dict[Hashable, Any], pairs), ["first", "second"])

    def falls(
        self, n: int | None = None, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> pd.DataFrame:
        """Give the falls of every group; see :meth:`Gap.falls`."""
        options = {"confidence_level": confidence_level, "resplit_ratio": resplit_ratio}
        return pd.concat([one.falls(n, **options) for one in self.results.values()], keys=self._index())

    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Refuse: each group has an interval of its own; see :meth:`Gap.interval`."""
        raise TypeError(
            f"each group has an interval of its own; see gap[{next(iter(self.results))!r}].interval(...), or repeats()."
        )

    def repeats(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """Give the tables of all groups, one below the other; see :meth:`Gap.repeats`."""
        tables = [
            one.repeats(confidence_level=confidence_level, resplit_ratio=resplit_ratio) for one in self.results.values()
        ]
        return pd.concat(tables, keys=self._index())
