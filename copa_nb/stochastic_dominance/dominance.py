"""Systems on the same problems, which of them dominate which, and the front that follows.

:class:`copa_nb.results.GsdFront` adds the tests of whether a system is on the front.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.orders import transitive_closure
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, behind_the_card, briefest, part, shortened
from copa_nb.stochastic_dominance.arrays.resampling import ZERO
from copa_nb.tables.objectives import Objectives

# Dominations that a card spells out.
_MOST_DOMINATIONS = 1
_HEADERS = {"on_front": "on the front", "dominated_by": "dominated by", "leaves_at": "leaves at δ"}


@dataclass(frozen=True, eq=False)
class Suite:
    """Systems on the same problems.

    Parameters
    ----------
    values : ndarray, shape (systems, items, objectives)
        Points of every system; larger is better. Ordinal objectives are ranks or classes.
    systems, items, left_out : Index
        Systems; problems; problems that were left out.
    objectives : Objectives
        Names and directions.
    ordinal : tuple of labels
        Objectives of which only the order matters.
    rounded : tuple of labels
        Objectives with values that differ only by rounding errors and count as equal.
    """

    values: np.ndarray
    systems: pd.Index
    items: pd.Index
    left_out: pd.Index
    objectives: Objectives
    ordinal: tuple[Hashable, ...]
    rounded: tuple[Hashable, ...] = ()

    @property
    def is_ordinal(self) -> np.ndarray:
        """Which objectives are ordinal; shape (objectives,)."""
        return np.array([name in self.ordinal for name in self.objectives])


@dataclass(frozen=True, repr=False, eq=False)
class Dominance(Worded):
    """Pairwise dominance of systems over a suite of problems, and the front that follows.

    Parameters
    ----------
    statistics : DataFrame
        ``statistics.loc[x, y]`` is the minimum over all utilities u, scaled to 0 at the pair's worst and 1 at its best
        point, of the mean of u over the points of x minus that over the points of y. It is below 0 exactly when x
        does not dominate y.
    suite : Suite
        The points of every system, and the items and objectives they come from.
    regularization : float
        Share of the largest possible gap by which utilities must separate strict preferences.
    """

    paper = "jansen2024gsd"

    _internals = frozenset(("details", "reasons"))

    statistics: pd.DataFrame
    suite: Suite
    regularization: float

    def __repr__(self) -> str:
        found = f"{len(self.front)} of {len(self.systems)} systems on the front"
        return f"<{type(self).__name__}: {found}, {len(self.items)} items>"

    @property
    def systems(self) -> pd.Index:
        """The systems."""
        return self.suite.systems

    @property
    def items(self) -> pd.Index:
        """The problems over which systems are compared."""
        return self.suite.items

    @property
    def dominance(self) -> pd.DataFrame:
        """Whether the system of the row weakly dominates that of the column."""
        above = self.statistics.to_numpy() >= -ZERO
        np.fill_diagonal(above, False)
        return pd.DataFrame(above, self.systems, self.systems)

    @property
    def order(self) -> pd.DataFrame:
        """Transitive closure of the dominance; over the points of all systems together, dominance is transitive."""
        return pd.DataFrame(transitive_closure(self.dominance.to_numpy()), self.systems, self.systems)

    @property
    def front(self) -> list[Hashable]:
        """Systems that no other dominates strictly."""
        return self.front_at(0.0)

    def front_at(self, delta: float) -> list[Hashable]:
        """Systems of the δ-empirical front (definition 6): a smaller set, less prone to sampling noise, for larger δ.

        Parameters
        ----------
        delta : float
            From 0 to 1. A system leaves the front if another dominates it up to δ and is not dominated by it.

        Raises
        ------
        ValueError
            For `delta` outside 0 to 1.
        """
        return self.systems[self._leaves_at() > checks.share("delta", delta) + ZERO].tolist()

    @property
    def table(self) -> pd.DataFrame:
        """One line per system.

        Columns: ``on_front``; ``dominates`` and ``dominated_by``, numbers of systems; ``leaves_at``, the smallest δ at
        which the system is no longer on the δ-empirical front, or infinity.
        """
        leaves, above = self._leaves_at(), self.dominance.to_numpy()
        return pd.DataFrame(
            {
                "on_front": leaves > ZERO,
                "dominates": above.sum(axis=1),
                "dominated_by": above.sum(axis=0),
                "leaves_at": leaves,
            },
            index=self.systems,
        )

    def parts(self) -> list[Part]:
        """Which systems to keep, which of them dominate others, and what the table had to leave out."""
        return [self._kept(), *self.reasons(), part("gsd_front.certainty.sample", items=self._items), *self.details()]

    def reasons(self) -> list[Part]:
        """What it means to be on the front, and a few dominations."""
        scales = [part(f"gsd_front.phrases.{kind}", names=names) for kind, names in self._scales().items() if names]
        meant = part("gsd_front.reasons.meant", n=len(self.items), items=self._items, scales=scales)
        return [meant, *self._dominations()[:_MOST_DOMINATIONS]]

    def details(self) -> list[Part]:
        """The other dominations, systems that are equal, and what the table had to leave out."""
        above, labels = self.dominance.to_numpy(), [text.label(name) for name in self.systems]
        pairs = [
            part("gsd_front.phrases.pair", one=labels[a], other=labels[b])
            for a, b in np.argwhere(np.triu(above & above.T))
        ]
        left_out, rounded = list(map(str, self.suite.left_out)), list(map(text.spoken, self.suite.rounded))
        share = self.regularization
        return [
            *map(behind_the_card, self._dominations()[_MOST_DOMINATIONS:]),
            *([part("gsd_front.details.equal", pairs=pairs)] if pairs else []),
            *([part("gsd_front.details.regularized", share=share)] if share else []),
            *([part("left_out.details.missing", names=shortened(left_out))] if left_out else []),
            *([part("gsd_front.details.rounded", names=rounded)] if rounded else []),
        ]

    def _kept(self) -> Part:
        """Which systems to keep, by name if there is room."""
        front, total = self.front, len(self.systems)
        found = {"n": len(front), "total": total, "systems": text.plural(self.systems.name, "systems")}
        if len(front) == total:
            return part("gsd_front.headline.all", **found)
        counted = part("gsd_front.headline.counted", **found)
        return briefest([part("gsd_front.headline.named", names=list(map(text.label, front)), **found), counted])

    def _dominations(self) -> list[Part]:
        """Which systems dominate which, those that dominate the same together."""
        above, labels = self.dominance.to_numpy(), [text.label(name) for name in self.systems]
        above_of: dict[tuple[str, ...], list[str]] = {}
        for name, row in zip(labels, above & ~above.T, strict=True):
            above_of.setdefault(tuple(np.array(labels, dtype=object)[row]), []).append(name)
        return [
            part("gsd_front.reasons.dominates", names=shortened(names), n=len(names), below=shortened(below))
            for below, names in sorted(above_of.items(), key=lambda pair: -len(pair[0]))
            if below
        ]

    @property
    def _items(self) -> str:
        return text.plural(self.items.name, "items")

    def printed_tables(self) -> list[PrintedTable]:
        """Every system, and the smallest difference of every two."""
        caption = (
            "On the front or not; how many a system dominates and is dominated by; the smallest δ at which it leaves "
            "the δ-empirical front."
        )
        of_pairs = (
            "Smallest difference of mean utilities, row minus column: the row dominates the column where it is not "
            "below 0."
        )
        return [
            PrintedTable(frame=self.table, name="front", caption=caption, headers=_HEADERS, most=40),
            PrintedTable(frame=self.statistics, name="statistics", caption=of_pairs, decimals=3, most=40),
        ]

    plot = Offered()

    def _scales(self) -> dict[str, list[str]]:
        """Objectives of which utilities respect the order, and those of which they respect the differences."""
        ordinal, names = self.suite.ordinal, list(self.suite.objectives)
        return {
            "order": [text.spoken(name) for name in names if name in ordinal],
            "differences": [text.spoken(name) for name in names if name not in ordinal],
        }

    def _leaves_at(self) -> np.ndarray:
        d = self.statistics.to_numpy()
        beaten = d < -ZERO  # the row does not dominate the column, so the column may beat it
        np.fill_diagonal(beaten, False)
        needed = np.where(beaten, np.maximum(-d.T, 0.0), np.inf)
        leaves: np.ndarray = needed.min(axis=1)
        return leaves
