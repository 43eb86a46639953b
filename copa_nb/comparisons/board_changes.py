"""What has changed between two states of a board."""

from __future__ import annotations

__all__ = ["BoardChanges"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Result, drawn

_MOST_NAMED = 5


class State(Protocol):
    """A board at one time."""

    @property
    def table(self) -> pd.DataFrame:
        """Systems with tiers and intervals of ranks."""

    @property
    def ahead(self) -> pd.DataFrame:
        """Which systems are significantly ahead of which."""

    @property
    def date(self) -> str:
        """When it was."""


@dataclass(frozen=True, repr=False, eq=False)
class BoardChanges(Result):
    """What changed between two states of a board.

    Parameters
    ----------
    table : DataFrame
        One row per system of the later board, then those that are gone: ``change`` ("new", "gone", "up", "down" a tier,
        or empty), and ``tier``, ``rank``, ``low`` and ``high`` now and, with ``_before``, in the earlier one.
    resolved, unresolved, reversed : list of pairs of labels
        Pairs of systems in both of which one is now significantly ahead, and was not, or was and is not any more,
        or the other way around; the one ahead comes first.
    date, before : str
        Dates of the two boards.
    """

    paper = "mogstad2024ranks"

    table: pd.DataFrame
    resolved: list[tuple[Hashable, Hashable]]
    unresolved: list[tuple[Hashable, Hashable]]
    reversed: list[tuple[Hashable, Hashable]]
    date: str = ""
    before: str = ""

    def __repr__(self) -> str:
        return f"<BoardChanges: {self._counts()}>"

    def _of(self, change: str) -> list[Hashable]:
        return self.table.index[self.table["change"] == change].tolist()

    def _counts(self) -> str:
        new, gone = len(self._of("new")), len(self._of("gone"))
        counted = [
            f"{_counted(new, 'system')} new",
            *([f"{gone:,} gone"] if gone else []),
            f"{_counted(len(self.resolved), 'pair')} newly resolved",
            *([f"{len(self.unresolved):,} no longer"] if self.unresolved else []),
            *([f"{len(self.reversed):,} reversed"] if self.reversed else []),
        ]
        return ", ".join(counted)

    def explain(self) -> str:
        """Report which systems are new or gone, which changed their tier, and which pairs were resolved."""
        since = f"Since {self.before}" if self.before else "Since the earlier board"
        moved = [
            f"{text.label(label)} from tier {int(row['tier_before'])} to {int(row['tier'])}"
            for label, row in self.table.iterrows()
            if row["change"] in ("up", "down")
        ]
        sentences = [
            f"{since}: {self._counts()}.",
            _named("New", self._of("new")),
            _named("Gone", self._of("gone")),
            _named("Now significantly ahead", [f"{text.label(a)} of {text.label(b)}" for a, b in self.resolved]),
            _named("Moved", moved),
        ]
        return " ".join(filter(None, sentences))

    def printed_tables(self) -> list[PrintedTable]:
        """Board and ranks now and before."""
        caption = "Board and ranks now and before."
        return [PrintedTable(frame=self.table, name="changes", caption=caption, most=40, folded=True)]

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the intervals of the ranks now; systems that are new or in another tier are in color.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; a new figure if omitted.

        Returns
        -------
        matplotlib Axes
        """
        from copa_nb.plotting.rows import draw_rows

        now = self.table[self.table["change"] != "gone"]
        return draw_rows(
            now["rank"], "rank, with the interval of the true rank; in color: new, or in another tier", ax=ax,
            intervals=now[["low", "high"]], marked=now["change"] != "",
        )  # fmt: skip


def changes_of(now: State, before: State) -> BoardChanges:
    """Compare two states of a board; see :meth:`copa_nb.results.Board.since`."""
    names, old_names = ([text.label(one) for one in board.table.index] for board in (now, before))
    columns = ["tier", "rank", "low", "high"]
    later, earlier = (
        board.table[columns].set_axis(pd.Index(labels), axis="index")
        for board, labels in ((now, names), (before, old_names))
    )
    table = later.join(earlier.add_suffix("_before"), how="outer").astype("Int64")
    table = table.reindex([*names, *(one for one in old_names if one not in set(names))])
    change = np.select(
        [
            table["tier_before"].isna(), table["tier"].isna(), (table["tier"] < table["tier_before"]).fillna(False),
            (table["tier"] > table["tier_before"]).fillna(False),
        ],
        ["new", "gone", "up", "down"], default="",
    )  # fmt: skip
    table.insert(0, "change", change)
    both = [one for one in names if one in set(old_names)]
    after, then = (
        board.ahead.to_numpy()[np.ix_(rows := [labels.index(one) for one in both], rows)]
        for board, labels in ((now, names), (before, old_names))
    )
    decided, decided_then = after | after.T, then | then.T

    def pairs(mask: np.ndarray) -> list[tuple[Hashable, Hashable]]:
        return [(both[i], both[j]) for i, j in np.argwhere(mask)]

    return BoardChanges(
        table.rename_axis(str(now.table.index.name or "system")),
        pairs(after & ~decided_then), pairs(then & ~decided), pairs(after & then.T), now.date, before.date,
    )  # fmt: skip


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'s' * (count != 1)}"


def _named(what: str, names: Sequence[Hashable]) -> str:
    if not names:
        return ""
    shown = text.listing([text.label(one) for one in names[:_MOST_NAMED]]) if len(names) <= _MOST_NAMED else (
        ", ".join(text.label(one) for one in names[:_MOST_NAMED]) + f" and {len(names) - _MOST_NAMED:,} more"
    )  # fmt: skip
    return f"{what}: {shown}."


@describes(BoardChanges.plot)
def _changes_in_words(result: BoardChanges) -> Picture:
    return Picture(
        finding=repr(result)[1:-1].partition(": ")[2].capitalize(),
        caption="Rank of each system now (markers) and the interval of its true rank (lines); in color: systems that "
        "are new or in another tier.",
        alt=f"Intervals of the ranks of {int((result.table['change'] != 'gone').sum()):,} systems.",
        data=result.table,
        height=min(4.05, max(2.4, 0.2 * len(result.table) + 1)),
    )
