"""What is chosen whatever the missing values are, and what may be."""

from __future__ import annotations

__all__ = ["PossibleChoices"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.ranking.criterion import Criterion, WeightsLike, write_p
from copa_nb.results.answer import Answer
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.sentences import Part, part, say, shortened
from copa_nb.selection.arrays.unknown_costs import UnknownRanks
from copa_nb.selection.copa import Selection, SelectionInputs
from copa_nb.selection.decision import weights_in_words
from copa_nb.tables.candidates import Where
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import snapshot

_MOST_NAMED = 5
_NEEDS_RANKS = Note(
    "This needs ranks, which are not known while missing values may be anything; choose with nan_policy='omit' or "
    "nan_policy='worst' first."
)
_NEEDS_A_TABLE = Note("The report starts from the table: copa_nb.report('select', frame, nan_policy='bounds', ...).")
# What is answered with a note.
_OF_RANKS = frozenset(
    (
        "claim", "criteria", "elicit", "explore", "intervals", "navigate", "rank_intervals", "report", "sensitivity",
        "stability",
    )
)  # fmt: skip
# Values of the criterion that differ by less count as tied.
_ROUNDING = 1e-11


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PossibleChoices(Selection):
    """A choice under missing values: the rows that COPA chooses whatever these are, and those that it may choose.

    What is asked of a choice whose ranks are known is answered with a note.

    Parameters
    ----------
    ends : DataFrame
        The candidates in the order of the table, with the ends of criterion and rank; see `table`.
    n_missing : int
        Cells with more than one possible value.
    given : str
        What a missing value may be, as a sentence.

    Attributes
    ----------
    best : label or None
        The first of the rows that are certain to be chosen; None if no row is.
    tied : list of labels
        The rows that are certain to be chosen.
    scores : Series
        The largest value of the criterion of every candidate.
    table : DataFrame
        The candidates, those that may be chosen first, then by the largest value of the criterion: the objectives,
        ``certain`` and ``possible``, the ends of the criterion ``score_low`` and ``score_high`` (smaller is better),
        and ``low`` and ``high``, between which the rank among the candidates lies.
    """

    ends: pd.DataFrame
    n_missing: int
    given: str

    _internals = Selection._internals - {"certain", "possible"} | _OF_RANKS | {"ends", "given"}

    @property
    def table(self) -> pd.DataFrame:
        """The candidates, those that may be chosen first."""
        return self.ends

    @property
    def certain(self) -> list[Hashable]:
        """Rows that are chosen for all values of the missing cells: usually one or none, more if they tie."""
        return self.table.index[self.table["certain"]].tolist()

    @property
    def possible(self) -> list[Hashable]:
        """Rows that may be chosen; all others are chosen for no values of the missing cells."""
        return self.table.index[self.table["possible"]].tolist()

    @property
    def values(self) -> dict[Hashable, float]:
        """The objectives' values of the row that is certain to be chosen; nothing if no row is."""
        return {} if self.best is None else super().values

    @property
    def parameters(self) -> dict[str, Any]:
        """What the table shows of the row that is certain to be chosen; nothing if no row is."""
        return {} if self.best is None else super().parameters

    def parts(self) -> list[Part]:
        """What is chosen whatever the missing values are, how many rows may be, and what a missing value may be."""
        sure, may, missing = self.certain, self.possible, self.n_missing
        whatever = "_whatever" * (missing > 0)
        said: list[Part]
        if sure:
            named = shortened(self._named(sure), _MOST_NAMED)
            kind = "tied" if len(sure) > 1 else "chosen"
            said = [part(f"possible_choices.headline.{kind}{whatever}", rows=named, missing=missing)]
            others = len(may) - len(sure)
            said += [part(f"possible_choices.reasons.may_tie{'_with_several' * (len(sure) > 1)}",
                          others=others)] * (others > 0)  # fmt: skip
        else:
            few = len(may) <= _MOST_NAMED
            which = {"possible": self._named(may)} if few else {}
            said = [
                part(f"possible_choices.headline.none{'_named' * few}", may=len(may), rows=len(self.table), **which),
                part("possible_choices.reasons.none", missing=missing),
            ]
        return [*said, *([part("possible_choices.reasons.given", given=self.given)] if missing else [])]

    def to_answer(self) -> Answer:
        """Which row is chosen whatever the missing values are, and which may be."""
        values = {
            "certain": self.certain, "possible": self.possible, "missing": self.n_missing, "weights": self.weights,
        }  # fmt: skip
        objectives = list(map(text.spoken, self.objectives))
        question = part("possible_choices.question", rows=len(self.table), objectives=objectives)
        return Answer.of(self.parts(), question=say(question), used="copa", values=values)

    def printed_tables(self) -> list[PrintedTable]:
        """The candidates, those that may be chosen first."""
        caption = (
            "Candidates: whether they are chosen whatever the missing values are, whether they may be, and between "
            f"which ends their score (smaller is better) and their rank lie; p = {write_p(self.p)}, weights "
            f"{weights_in_words(self.weights)}."
        )
        return [PrintedTable(frame=self.table, name="ranking", caption=caption, folded=True)]

    def _named(self, rows: Sequence[Hashable]) -> list[str]:
        return [text.row_name(row, self.table.index.name) for row in rows]

    def __repr__(self) -> str:
        sure = ", ".join(map(repr, self.certain[:_MOST_NAMED])) or "none"
        return (
            f"<PossibleChoices among {len(self.table):,}: certain {sure}; {len(self.possible):,} possible, "
            f"p={write_p(self.p)}, {self.n_missing:,} missing>"
        )

    def _card(self) -> str:
        return text.card(repr(self)[1:-1], [self.explain()], text.html_table(self.table))

    plot = Offered()

    if not TYPE_CHECKING:  # which would take them for other methods than those of a choice

        def _needs_ranks(self, *args: Any, **options: Any) -> Note:
            """Say that ranks are needed, and how to have them."""
            return _NEEDS_RANKS

        def report(self, *args: Any, **options: Any) -> Note:
            """Say how to make the report."""
            return _NEEDS_A_TABLE

        navigate = criteria = stability = sensitivity = rank_intervals = intervals = _needs_ranks
        elicit = explore = claim = _needs_ranks


def possible_choices(table: DescribedFrame, p: float | str, weights: WeightsLike, where: Where) -> PossibleChoices:
    """Choose for all values of the missing cells at once; see ``df.moo.copa()``."""
    frame, costs = table.frame, table.bounded_costs(where)
    criterion = Criterion.of(costs.objectives, p, weights)
    checks.nothing_refused()
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
    ends = pd.concat([values.rename(columns=own), computed], axis=1).iloc[order]
    certain = ends.index[ends["certain"]].tolist()
    return PossibleChoices(
        best=certain[0] if certain else None,
        tied=certain,
        scores=ends["score_high"],
        ordered=rows[order],
        ranks=ends["low"].to_numpy(),
        weights=criterion.named_weights(costs.objectives),
        p=criterion.p,
        normalize="cdf",
        normalized_costs=np.full(costs.low.shape, np.nan),
        population_size=len(frame),
        inputs=SelectionInputs(
            frame=snapshot(frame),
            objectives=costs.objectives,
            candidates=np.isin(np.arange(len(frame)), rows),
            where=where,
        ),
        ends=ends,
        n_missing=int(costs.unknown.sum()),
        given=costs.in_words(),
    )
