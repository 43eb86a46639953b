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
from copa_nb.results.result import Result
from copa_nb.stochastic_dominance.arrays.resampling import ZERO
from copa_nb.tables.objectives import Objectives

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
class Dominance(Result):
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

    def explain(self) -> str:
        """Report which systems are on the front and which dominate others."""
        above = self.dominance.to_numpy()
        items, labels = text.plural(self.items.name, "items"), [text.label(name) for name in self.systems]
        sentences = [
            f"Over {len(self.items)} {items}, {text.listing(self.front)} {'is' if len(self.front) == 1 else 'are'} "
            f"on the front of {len(self.systems)} {text.plural(self.systems.name, 'systems')}: no other one has a "
            f"mean utility at least as high for every utility that respects {self._scales()}."
        ]
        above_of: dict[str, list[str]] = {}
        for name, row in zip(labels, above & ~above.T, strict=True):
            above_of.setdefault(text.listing(self.systems[row]), []).append(name)
        for below, names in above_of.items():
            sentences += [f"{text.listing(names)} dominate{'s' * (len(names) == 1)} {below}."] * (below != "")
        pairs = [f"{labels[a]} and {labels[b]}" for a, b in np.argwhere(np.triu(above & above.T))]
        if pairs:
            sentences.append(f"Equal under every utility: {text.listing(pairs)}.")
        if self.regularization:
            sentences.append(
                f"Utilities must separate strict preferences by {text.number(self.regularization)} of the largest "
                "possible gap (`regularization`), so this is not the dominance of the definition."
            )
        if len(self.suite.left_out):
            sentences.append(f"Left out because data are missing: {text.listing(self.suite.left_out)}.")
        if self.suite.rounded:
            rounded = text.listing(map(text.spoken, self.suite.rounded))
            sentences.append(f"Values of {rounded} that differ only by rounding errors count as equal.")
        sentences.append(f"This describes the sample; a test covers the population of {items}.")
        return " ".join(sentences)

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

    def _scales(self) -> str:
        ordinal = [text.spoken(name) for name in self.suite.ordinal]
        cardinal = [text.spoken(name) for name in self.suite.objectives if name not in self.suite.ordinal]
        parts = [f"the order of {text.listing(ordinal)}"] if ordinal else []
        return " and ".join(parts + ([f"the differences of {text.listing(cardinal)}"] if cardinal else []))

    def _leaves_at(self) -> np.ndarray:
        d = self.statistics.to_numpy()
        beaten = d < -ZERO  # the row does not dominate the column, so the column may beat it
        np.fill_diagonal(beaten, False)
        needed = np.where(beaten, np.maximum(-d.T, 0.0), np.inf)
        leaves: np.ndarray = needed.min(axis=1)
        return leaves
