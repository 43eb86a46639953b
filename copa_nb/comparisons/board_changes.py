"""What has changed between two states of a board."""

from __future__ import annotations

__all__ = ["BoardChanges"]

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part, say, shortened

_MOST_NAMED = 6
# Counts that are said even if they are 0.
_ALWAYS = ("new", "resolved")


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
class BoardChanges(Worded):
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
        return f"<BoardChanges: {', '.join(map(say, self._counts()))}>"

    def _of(self, change: str) -> list[Hashable]:
        return self.table.index[self.table["change"] == change].tolist()

    def _counts(self) -> list[Part]:
        """How many systems and pairs have changed; what has not is left out, but for new ones."""
        numbers = {
            "new": len(self._of("new")), "gone": len(self._of("gone")), "resolved": len(self.resolved),
            "unresolved": len(self.unresolved), "reversed": len(self.reversed),
        }  # fmt: skip
        return [part(f"board_changes.phrases.{kind}", n=n) for kind, n in numbers.items() if n or kind in _ALWAYS]

    def parts(self) -> list[Part]:
        """Which systems are new or gone, which changed their tier, and which pairs were resolved."""
        headline = (
            part("board_changes.headline.since", date=self.before, changes=self._counts())
            if self.before
            else part("board_changes.headline.since_earlier", changes=self._counts())
        )
        ahead = [part("board_changes.phrases.ahead", ahead=text.label(a), behind=text.label(b))
                 for a, b in self.resolved]  # fmt: skip
        moves = [
            part("board_changes.phrases.move", name=text.label(label), before=row["tier_before"], now=row["tier"])
            for label, row in self.table.iterrows()
            if row["change"] in ("up", "down")
        ]
        named = {name: [text.label(one) for one in self._of(name)] for name in ("new", "gone")}
        reasons: dict[str, list[Any]] = {**named, "resolved": ahead, "moved": moves}
        said = (part(f"board_changes.reasons.{name}", named=shortened(them, _MOST_NAMED)) for name, them in
                reasons.items() if them)  # fmt: skip
        return [headline, *said]

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


@describes(BoardChanges.plot)
def _changes_in_words(result: BoardChanges) -> Picture:
    return Picture(
        finding=result.headline,
        caption="Rank of each system now (markers) and the interval of its true rank (lines); in color: systems that "
        "are new or in another tier.",
        alt=f"Intervals of the ranks of {int((result.table['change'] != 'gone').sum()):,} systems.",
        data=result.table,
        height=min(4.05, max(2.4, 0.2 * len(result.table) + 1)),
    )
