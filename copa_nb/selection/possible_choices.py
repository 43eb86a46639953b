"""What is chosen whatever the missing values are, and what may be."""

from __future__ import annotations

__all__ = ["PossibleChoices"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.ranking.criterion import Criterion, WeightsLike, write_p
from copa_nb.results.offered import Offered
from copa_nb.results.result import Result
from copa_nb.selection.arrays.unknown_costs import UnknownRanks
from copa_nb.tables.candidates import Where
from copa_nb.tables.missing_values import Bounds, bounded_costs
from copa_nb.tables.objectives import Objectives, ObjectivesLike

_MOST_NAMED = 5
# Values of the criterion that differ by less count as tied.
_ROUNDING = 1e-11


@dataclass(frozen=True, repr=False, eq=False)
class PossibleChoices(Result):
    """Rows that COPA chooses whatever the missing values are, and rows that it may choose; of :func:`copa_nb.copa`.

    Parameters
    ----------
    table : DataFrame
        The candidates, those that may be chosen first, then by the largest value of the criterion: the objectives,
        ``certain`` and ``possible``, the ends of the criterion ``score_low`` and ``score_high`` (smaller is better),
        and ``low`` and ``high``, between which the rank among the candidates lies.
    weights : dict of objective to float
        The weights used; they sum to 1.
    p : float
        Order of the norm.
    objectives : Objectives
        Names and directions.
    n_missing : int
        Cells with more than one possible value.
    given : str
        What a missing value may be, as a sentence.
    """

    paper = "javaloy2025copa"

    table: pd.DataFrame
    weights: dict[Hashable, float]
    p: float
    objectives: Objectives
    n_missing: int
    given: str

    @property
    def certain(self) -> list[Hashable]:
        """Rows that are chosen for all values of the missing cells: usually one or none, more if they tie."""
        return self.table.index[self.table["certain"]].tolist()

    @property
    def possible(self) -> list[Hashable]:
        """Rows that may be chosen; all others are chosen for no values of the missing cells."""
        return self.table.index[self.table["possible"]].tolist()

    def explain(self) -> str:
        """Report what is chosen whatever the missing values are, and how many rows may be."""
        n, cells = (
            len(self.table),
            f"{self.n_missing:,} missing values are" if self.n_missing > 1 else "missing value is",
        )
        whatever = f"whatever the {cells}" if self.n_missing else "and no value is missing"
        sure, may = self.certain, self.possible
        verb = "are tied for the first place" if len(sure) > 1 else "is chosen"
        if sure:
            said = f"{text.listing(self._named(sure, first=True))} {verb} {whatever}."
            rest = len(may) - len(sure)
            if rest:
                them = "them" if len(sure) > 1 else "it"
                said += f" For some values, {rest:,} other{'s' * (rest > 1)} may tie with {them}."
        else:
            named = f": {text.listing(self._named(may))}" if len(may) <= _MOST_NAMED else ""
            said = f"No row is chosen {whatever}; {len(may):,} of {n:,} may be{named}."
        return f"{said} {self.given}" if self.n_missing else said

    def _named(self, rows: Sequence[Hashable], *, first: bool = False) -> list[str]:
        name = self.table.index.name
        return [text.row_name(row, name, first=first and not place) for place, row in enumerate(rows)]

    def __repr__(self) -> str:
        sure = ", ".join(map(repr, self.certain[:_MOST_NAMED])) or "none"
        return (
            f"<PossibleChoices among {len(self.table):,}: certain {sure}; {len(self.possible):,} possible, "
            f"p={write_p(self.p)}, {self.n_missing:,} missing>"
        )

    plot = Offered()


def possible_choices(
    frame: pd.DataFrame, objectives: ObjectivesLike, p: float | str, weights: WeightsLike, where: Where, bounds: Bounds
) -> PossibleChoices:
    """Choose for all values of the missing cells at once; see :func:`copa_nb.copa`."""
    costs = bounded_costs(frame, objectives, bounds=bounds, where=where)
    criterion = Criterion.of(costs.objectives, p, weights)
    ranks = UnknownRanks(costs.low, costs.high, criterion.weights, criterion.p)
    rows = np.arange(len(frame)) if costs.candidates is None else np.flatnonzero(costs.candidates)
    lowest, highest = (ends[rows] for ends in ranks.score_ends())
    computed = pd.DataFrame(
        {
            "certain": np.isin(rows, ranks.certain(rows)),
            "possible": np.isin(rows, ranks.possible(rows)),
            "score_low": lowest,
            "score_high": highest,
            "low": 1 + np.searchsorted(np.sort(highest), lowest * (1 - _ROUNDING)),
            "high": np.searchsorted(np.sort(lowest), highest * (1 + _ROUNDING), side="right"),
        },
        index=costs.index[rows],
    )
    order = np.lexsort((lowest, highest, ~computed["possible"], ~computed["certain"]))
    values = frame[costs.objectives.names].iloc[rows]
    own = {name: f"{name} (value)" for name in values.columns if name in computed.columns}
    table = pd.concat([values.rename(columns=own), computed], axis=1).iloc[order]
    return PossibleChoices(
        table=table,
        weights=criterion.named_weights(costs.objectives),
        p=criterion.p,
        objectives=costs.objectives,
        n_missing=int(costs.unknown.sum()),
        given=costs.in_words(),
    )
