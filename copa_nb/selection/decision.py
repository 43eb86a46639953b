"""A choice as reports show it: how good it is, what the runner-up has instead, how clear it was, and its tables."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb.comparisons.intervals import Intervals
from copa_nb.ranking.criterion import WORTH_SHARES, ordinal, write_p
from copa_nb.results.answer import Answer, SmallTable
from copa_nb.results.printed import PrintedTable
from copa_nb.selection.sensitivity import Chosen
from copa_nb.selection.stability import OVER, Stability
from copa_nb.tables.columns import as_names
from copa_nb.tables.objectives import ATTRS_KEY, Objectives, row_in_words
from copa_nb.text import amount, cell_text, label, listing, number, percent, spoken, told_apart

_MOST_TIED = 4


class Explained(Chosen, Protocol):
    """What is asked of a choice in addition, to put it in words; a ``Selection`` has it."""

    @property
    def ordered(self) -> np.ndarray:
        """Rows that may be chosen, from best to worst."""

    @property
    def tied(self) -> list[Hashable]:
        """Rows that tie for first place."""

    @property
    def table(self) -> pd.DataFrame:
        """The candidates from best to worst."""

    @property
    def values(self) -> dict[Hashable, float]:
        """The objectives' values of the row."""

    @property
    def parameters(self) -> dict[str, Any]:
        """What the table shows of the row."""

    def counts(self) -> tuple[int, int]:
        """Number of rows that may be chosen, and number of rows."""

    def sentences(self) -> list[str]:
        """The standing, the trade-off, the constraint and the ties."""


@dataclass(frozen=True, eq=False)
class Decision:
    """A choice among the rows that were allowed, in words and as a card.

    Parameters
    ----------
    choice : Explained
        Of ``df.moo.copa()``.
    stability : Stability
        How often each row is chosen in resamples.
    winners : Series, optional
        The choice under each criterion; None where criteria were not compared among the same rows.
    intervals : Intervals, optional
        Scores of the choice with intervals that are valid after it, where the table shows how precise they are.
    """

    choice: Explained
    stability: Stability
    winners: pd.Series | None = None
    intervals: Intervals | None = None

    def answer(self) -> Answer:
        """Which row is chosen, why, and how often it would be chosen again."""
        # The standing, the values and the ties are in the card and its sentence; what the table shows has its own.
        said = ("It is tied with", "Its parameters are")
        trade = [one for one in self.choice.sentences()[2:] if not one.startswith(said)]
        sentences = [*self.sentences, " ".join(trade) if self.is_open else "", self._shown()]
        scores = "" if self.intervals is None else getattr(self.intervals, "in_short", self.intervals.explain)()
        return Answer(
            self.headline,
            list(filter(None, sentences)),
            question=question_of(self.choice, self.choice.counts()[0]),
            certainty=" ".join(filter(None, [self.certainty, scores])),
            used="copa",
            card=self.card,
            values={
                **facts_of(self.choice),
                "firm": self.stability.is_firm,
                "share_of_resamples": float(self.stability.share.iloc[self.stability.best_row]),
            },
        )

    @cached_property
    def costs(self) -> np.ndarray:
        """Costs of the rows allowed, from best to worst."""
        return self.choice.matrix.values[self.choice.ordered]

    @property
    def names(self) -> list[str]:
        """Names of the objectives."""
        return [spoken(name) for name in self.choice.objectives]

    @cached_property
    def places(self) -> np.ndarray:
        """Ranks of the choice and the runner-up in each objective, among all rows: those that were not allowed, too."""
        population = self.choice.matrix.values
        return np.array([(population < row).sum(axis=0) + 1 for row in self.costs[:2]])

    @property
    def n_ranked(self) -> int:
        """Rows that ranks are taken over."""
        return self.choice.counts()[1]

    @property
    def dominates_all(self) -> bool:
        """Whether the choice is better than every other row somewhere, and worse than none anywhere."""
        better = self.costs[1:] > self.costs[0]
        return len(better) > 0 and bool(((self.costs[1:] >= self.costs[0]).all(axis=1) & better.any(axis=1)).all())

    @property
    def all_equal(self) -> bool:
        """Whether there is nothing to choose."""
        return len(self.costs) > 1 and bool((self.costs == self.costs[0]).all())

    @property
    def differs(self) -> bool:
        """Whether there are rows that the choice is better than."""
        return len(self.costs) > 1 and not self.all_equal

    @property
    def is_open(self) -> bool:
        """Whether weights could choose another row."""
        return len(self.costs) > 1 and not self.dominates_all and not self.all_equal

    def named(self, row: Hashable, *, first: bool = False) -> str:
        """What sentences call a row: its label, or its number and what its text says."""
        return row_in_words(self.choice.inputs.frame, row, first=first)

    # --------------------------------------------------------------------------------------------------- sentences

    @property
    def headline(self) -> str:
        """The choice and its strongest reason, or what makes it doubtful."""
        best, n_rows = self.named(self.choice.best, first=True), len(self.costs)
        allowed = self._allowed
        if n_rows == 1:
            return f"{best} is the only row{allowed}"
        if self.all_equal:
            return f"All {n_rows:,} rows{allowed} are equal"
        if len(self.choice.tied) > 1:
            return f"{first_names(self.choice)} tie for first place"
        if self.dominates_all:
            others = "the only other row" if n_rows == 2 else f"all {n_rows - 1:,} other rows"
            return f"{best} dominates {others}{allowed}"
        if doubt := self._doubt():
            return f"{best}{', but' if self.stability.is_firm else ', by a hair:'} {doubt}"
        return f"{best}: {self._reason()}"

    @property
    def _allowed(self) -> str:
        return " allowed" if len(self.costs) < len(self.choice.candidates) else ""

    def _reason(self) -> str:
        places, n_rows = self.places[0], self.n_ranked
        counted = np.array(list(self.choice.weights.values())) > 0
        if not counted.any():
            return "chosen"
        first = [name for name, place, is_counted in zip(self.names, places, counted, strict=True)
                 if place == 1 and is_counted]  # fmt: skip
        if first:
            return f"best in {listing(first)}"
        worst = int(places[counted].max())
        if counted.sum() == 1:
            return f"{ordinal(worst)} of {n_rows:,} in {self.names[int(np.argmax(counted))]}"
        if n_rows < WORTH_SHARES:
            return f"no worse than {ordinal(worst)} of {n_rows} in any objective"
        return f"among the best {percent(worst / n_rows)} of {n_rows:,} in every objective"

    def _doubt(self) -> str:
        """Which other row resamples or criteria favor; empty if none."""
        resampled = dict(zip(map(label, self.stability.table.index), self.stability.share, strict=True))
        counts = {} if self.winners is None else dict(self.winners.map(label).value_counts())
        best, n_criteria = label(self.choice.best), sum(counts.values())
        firm = self.stability.is_firm
        # A firm choice is in doubt only where most criteria agree on another row.
        least = n_criteria / 2 if firm else counts.get(best, 0)
        favored = {name for name, count in counts.items() if count > least and name != best}
        favored |= {name for name, share in resampled.items() if share > resampled.get(best, 0.0)}
        if not favored:
            return ""
        rival = max(favored, key=lambda name: (resampled.get(name, 0.0), counts.get(name, 0), name))
        parts = []
        if (share := resampled.get(rival, 0.0)) and not firm:
            parts.append(f"in {amount(share, self.stability.n_resamples)} resamples")
        if count := counts.get(rival, 0):
            parts.append(f"by {count} of {n_criteria} criteria")
        favorites = [*self.stability.table.index, *([] if self.winners is None else self.winners)]
        return f"{self.named(next(row for row in favorites if label(row) == rival))} is chosen {listing(parts)}"

    @property
    def sentences(self) -> list[str]:
        """The values of the choice with their ranks, and what it gains and gives up against the runner-up."""
        n_rows, values = len(self.costs), list(self.choice.values.values())
        written = [f"{name} {number(value, 3)}" for name, value in zip(self.names, values, strict=True)]
        if not self.is_open:
            return [f"It has {listing(written)}."] if n_rows == 1 or self.dominates_all else []
        places = [ordinal(int(place)) for place in self.places[0]]
        places[0] += f" of {self.n_ranked:,}"
        has = listing(f"{one} ({place})" for one, place in zip(written, places, strict=True))
        subject = self.named(self.choice.best, first=True)
        if len(self.choice.tied) > 1:
            equal = all((self.costs[k] == self.costs[0]).all() for k in range(len(self.choice.tied)))
            return [f"{first_names(self.choice)} {'have' if equal else 'tie; the first has'} {has}."]
        return [f"{subject} has {has}. {self._against_the_runner_up()}"]

    def _against_the_runner_up(self) -> str:
        first, second = self._own_values(0), self._own_values(1)
        gains: list[str] = []
        losses: list[str] = []
        for name, own, other, cost, cost_of_other in zip(self.names, first, second, *self.costs[:2], strict=True):
            if cost != cost_of_other:
                gap = abs(own - other)
                (gains if cost > cost_of_other else losses).append(f"by {number(gap, 2)} in {name}")
        runner_up = self.named(self.choice.table.index[1], first=True)
        parts = [f"better {listing(gains)}"] if gains else []
        parts += [f"worse {listing(losses)}"] if losses else []
        return (
            f"{runner_up}, the runner-up, is {' and '.join(parts)}." if parts else f"{runner_up} has the same values."
        )

    def _own_values(self, rank: int) -> np.ndarray:
        return np.asarray(self.costs[rank] * self.choice.objectives.signs + 0.0)

    @property
    def certainty(self) -> str:
        """How often the same choice is made in resamples; of rows that tie, one of them."""
        if not self.is_open:
            return ""
        if len(self.choice.tied) == 1:
            return self.stability.explain()
        tied = set(map(label, self.choice.tied))
        together = sum(
            share for name, share in zip(self.stability.table.index, self.stability.share, strict=True)
            if label(name) in tied
        )  # fmt: skip
        resamples = f"{self.stability.n_resamples:,} resamples of {OVER[self.stability.over]}"
        return f"One of these {len(tied)} is chosen in {percent(together)} of {resamples}."

    def _shown(self) -> str:
        """What the table shows of the choice besides its objectives: "y: license MIT, layers 12."."""
        shown = [f"{spoken(name)} {cell_text(value)}" for name, value in self.choice.parameters.items()]
        return f"{label(self.choice.best)}: {', '.join(shown)}." if shown else ""

    # --------------------------------------------------------------------------------------------------------- card

    @property
    def card(self) -> SmallTable | None:
        """Per objective the value of the choice with its rank, that of the runner-up, and the best there is."""
        if len(self.costs) < 2 or self.all_equal:
            return None
        best = np.asarray(self.costs.min(axis=0) * self.choice.objectives.signs + 0.0)
        rows = []
        for k, title in enumerate(self.choice.objectives.titles):
            own, other, top = told_apart(self._own_values(0)[k], self._own_values(1)[k], best[k])
            mine, theirs = (ordinal(int(place)) for place in self.places[:, k])
            rows.append([title, f"{own} ({mine})", f"{other} ({theirs})", top])
        tied = len(self.choice.tied) > 1
        names = ["", f"★ {label(self.choice.best)}", f"{'tied' if tied else 'runner-up'}: "
                 f"{label(self.choice.table.index[1])}", f"best of {len(self.costs):,}{self._allowed}"]  # fmt: skip
        return SmallTable(names, rows)


def question_of(choice: Explained, n_rows: int) -> str:
    """The question that a choice answers."""
    return f"Which of {n_rows:,} rows is the best compromise between {listing(map(spoken, choice.objectives))}?"


def facts_of(choice: Explained) -> dict[str, object]:
    """The values of a choice that programs read from an answer."""
    return {
        "selected": choice.best,
        "tied": choice.tied,
        "objectives": choice.values,
        "parameters": choice.parameters,
        "weights": choice.weights,
    }


def ranking_of(choice: Explained) -> PrintedTable:
    """The candidates from best to worst."""
    scale = "shares of rows that are better" if choice.normalize == "cdf" else f"{choice.normalize} values"
    caption = (
        "Candidates from best to worst: rank, score (smaller is better), whether Pareto-optimal, values, and their "
        f"{scale}; p = {write_p(choice.p)}, weights {weights_in_words(choice.weights)}."
    )
    headers = headers_of(choice.objectives, choice.normalize)
    frame = choice.inputs.frame
    shown = [name for name in as_names(frame.attrs.get(ATTRS_KEY, {}).get("show")) if name in frame]
    table = choice.table.join(frame[[name for name in shown if name not in choice.table]])
    named = {name: title for name, title in headers.items() if name in table}
    return PrintedTable(frame=table, name="ranking", caption=caption, headers=named, folded=True)


def headers_of(objectives: Objectives, normalize: str) -> dict[object, str]:
    """What columns of objectives and of their normalized values are called for people."""
    scaled = "rows better in" if normalize == "cdf" else f"{normalize} value of"
    own = dict(zip(objectives.names, objectives.titles, strict=True))
    return {**own, **{f"u_{name}": f"{scaled} {spoken(name)}" for name in objectives}}


def weights_in_words(weights: Mapping[Hashable, float]) -> str:
    """Write weights: "accuracy 0.667, CO₂ (kg) 0.333"."""
    return ", ".join(f"{spoken(name)} {number(weight, 3)}" for name, weight in weights.items())


def first_names(selection: Explained) -> str:
    """Name the selected row, or the rows that tie for first place: "D, E and F"."""
    tied = [label(name) for name in selection.tied]
    few = tied if len(tied) <= _MOST_TIED else [*tied[: _MOST_TIED - 1], f"{len(tied) - _MOST_TIED + 1} more"]
    return listing(few)
