"""What a choice says of itself: which sentences, with which numbers; and the tables that reports print of it."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb.comparisons.intervals import Intervals
from copa_nb.ranking.arrays.criterion import tie_key, weighted_norm
from copa_nb.ranking.arrays.ranks import RankShares
from copa_nb.ranking.criterion import WORTH_SHARES, write_p
from copa_nb.results.answer import SmallTable
from copa_nb.results.note import Note
from copa_nb.results.printed import PrintedTable
from copa_nb.results.sentences import Part, apart, behind_the_card, measured, part, say, shortened
from copa_nb.selection.sensitivity import Chosen, against_other_weights
from copa_nb.selection.stability import OVER, Stability
from copa_nb.tables.columns import as_names
from copa_nb.tables.objectives import ATTRS_KEY, Objectives, row_in_words
from copa_nb.text import cell_text, label, number, ordinal, percent, spoken, told_apart

MOST_TIED = 4
_MOST_VALUES = 4  # objectives whose values a card spells out
_MOST_SETTINGS = 8
_MOST_RIVALS = 2
# A choice is fragile to weights if another row draws level before the ratio of any two changes by this factor.
_FRAGILE = 1.5
# The trade spelled out for a large table: what it costs to be behind a tenth of it in the heaviest objective.
EXAMPLE_SHARE = 0.1
# Ratios of weights that are nearer to 1 than this are written as 1.
SAME_WEIGHT = 0.005


class Explained(Chosen, Protocol):
    """What is asked of a choice in addition, to put it in words; a ``Selection`` has it."""

    @property
    def ordered(self) -> np.ndarray:
        """Rows that may be chosen, from best to worst."""

    @property
    def scores(self) -> pd.Series:
        """The criterion for every row."""

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

    @property
    def population_size(self) -> int:
        """Rows that ranks are taken over."""

    @property
    def is_frozen(self) -> bool:
        """Whether these are other rows than those of the table."""

    @property
    def scored_rows(self) -> str:
        """What the scored rows are called."""

    def ordered_scores(self) -> np.ndarray:
        """The criterion of the rows that may be chosen, from best to worst."""


@dataclass(frozen=True, kw_only=True, eq=False)
class DecisionCertainty:
    """What was computed to see how certain a choice is.

    Parameters
    ----------
    stability : Stability
        How often each row is chosen in resamples.
    level : tuple of float and label or None, optional
        The factor by which the ratio of two weights must change for another row to draw level, and that row; see
        :func:`copa_nb.selection.sensitivity.point_of_change`.
    winners : Series, optional
        The choice under each criterion; None where criteria were not compared among the same rows.
    intervals : Intervals or Note, optional
        Scores of the choice with intervals that are valid after it, where the table shows how precise they are; or why
        there are none.
    """

    stability: Stability
    level: tuple[float, Hashable | None] | None = None
    winners: pd.Series | None = None
    intervals: Intervals | Note | None = None


@dataclass(frozen=True, eq=False)
class Decision:
    """A choice among the rows that were allowed: its sentences and its card.

    Parameters
    ----------
    choice : Explained
        Of ``df.moo.copa()``.
    certainty : DecisionCertainty, optional
        Where it was computed; nothing is said of it otherwise.
    """

    choice: Explained
    certainty: DecisionCertainty | None = None

    def parts(self) -> list[Part]:
        """The headline, the reasons, how certain the choice is, and the details, each where it applies."""
        found = self.certainty
        shown = [self._headline(), *self._reasons()]
        if found is None:
            return [*shown, *self._details()]
        shown += self._certainties(found) if self.is_open else []
        shown += self._intervals(found.intervals)
        return [*shown, *self._details(), *(found.stability.guarantee.stated() if self.is_open else [])]

    # ---------------------------------------------------------------------------------------------- what there is

    @property
    def n_allowed(self) -> int:
        """Rows that may be chosen."""
        return self.choice.counts()[0]

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return self.choice.counts()[1]

    @property
    def is_whole(self) -> bool:
        """Whether all rows of the table are in memory, and not only those that could win."""
        return len(self.choice.candidates) == self.n_rows

    @property
    def names(self) -> list[str]:
        """Names of the objectives in sentences, without their units."""
        return [measured(name, 0.0)["name"] for name in self.choice.objectives]

    @cached_property
    def placed(self) -> np.ndarray:
        """What orders all rows in each objective, shape (n, k), smaller is better: counts of better rows, or costs."""
        placed = self.choice.normalized_costs
        counted = isinstance(placed, RankShares) and not self.choice.is_frozen
        return placed.counts.T if counted and isinstance(placed, RankShares) else self.choice.matrix.values

    @cached_property
    def allowed(self) -> np.ndarray:
        """The same of the rows that may be chosen, from best to worst."""
        return self.placed[self.choice.ordered]

    @cached_property
    def costs(self) -> np.ndarray:
        """Costs of the choice and of the runner-up."""
        return self.choice.matrix.values[self.choice.ordered[:2]]

    @cached_property
    def places(self) -> np.ndarray | None:
        """Places of the choice and the runner-up in each objective, among all rows: those not allowed, too.

        None where they cannot be counted, because the table is not in memory, and the scale is not one of ranks.
        """
        if self.is_whole:
            return np.array([(self.placed < row).sum(axis=0) + 1 for row in self.allowed[:2]])
        if self.choice.is_frozen or self.choice.normalize != "cdf":
            return None
        return np.rint(self.choice.normalized_costs[self.choice.ordered[:2]] * self.n_rows).astype(np.int64) + 1

    @property
    def last(self) -> list[str]:
        """Objectives in which no row of the table is worse than the choice, but others are better."""
        if self.is_whole:
            own = self.allowed[0]
            is_last = (own == self.placed.max(axis=0)) & (own > self.placed.min(axis=0))
        else:
            is_last = np.zeros(len(self.names), bool) if self.places is None else self.places[0] == self.n_rows
        return [name for name, found in zip(self.names, is_last.tolist(), strict=True) if found]

    @property
    def all_equal(self) -> bool:
        """Whether there is nothing to choose; rows that are equal are all on the front, which is always at hand."""
        at_hand = len(self.allowed) == self.n_allowed > 1
        return at_hand and bool((self.allowed == self.allowed[0]).all())

    @property
    def dominates_all(self) -> bool:
        """Whether the choice is better than every other row somewhere, and worse than none anywhere."""
        if self.n_allowed < 2:
            return False
        # Rows that are not at hand are not on the front: one that is there dominates them.
        others, own = self.allowed[1:], self.allowed[0]
        return bool(((others >= own).all(axis=1) & (others > own).any(axis=1)).all())

    @property
    def is_open(self) -> bool:
        """Whether weights could choose another row."""
        return self.n_allowed > 1 and not self.dominates_all and not self.all_equal

    def named(self, row: Hashable) -> str:
        """What sentences call a row."""
        return row_in_words(self.choice.inputs.frame, row)

    # -------------------------------------------------------------------------------------------------- headline

    def _headline(self) -> Part:
        limited = "_allowed" * (self.n_allowed < self.n_rows)
        best, rows = self.named(self.choice.best), self.n_allowed
        if rows == 1:
            return part(f"choice.headline.only{limited}", best=best)
        if self.all_equal:
            return part(f"choice.headline.equal{limited}", rows=rows)
        if len(self.choice.tied) > 1:
            tied = shortened(map(self.named, self.choice.tied), MOST_TIED)
            return part(f"choice.headline.tied{'_two' * (len(self.choice.tied) == 2)}", tied=tied)
        if self.dominates_all:
            return part(f"choice.headline.dominates{limited}", best=best, others=rows - 1)
        if (rival := self._favored()) is None:
            return self._strongest_reason(best)
        if self.certainty is not None and self.certainty.stability.is_firm:
            return part("choice.headline.doubted", best=best, **rival)
        return part("choice.headline.hair", best=best, rival=rival["rival"])

    def _strongest_reason(self, best: str) -> Part:
        """What speaks most for the choice, and where it is last."""
        if self.places is None:
            return part("choice.headline.chosen", best=best)
        places, rows, last = self.places[0], self.n_rows, shortened(self.last, 2)
        counted = np.array(list(self.choice.weights.values())) > 0
        first = [name for name, place, counts in zip(self.names, places, counted, strict=True) if place == 1 and counts]
        if first:
            said = {"best": best, "first": shortened(first)}
            return part("choice.headline.best_and_last", **said, last=last) if last else part("choice.headline.best",
                                                                                              **said)  # fmt: skip
        if last:
            return part("choice.headline.last", best=best, last=last)
        worst = int(places[counted].max())
        if counted.sum() == 1:
            only = self.names[int(np.argmax(counted))]
            return part("choice.headline.one_counts", best=best, place=worst, rows=rows, objective=only)
        if rows < WORTH_SHARES:
            return part("choice.headline.no_worse", best=best, place=worst, rows=rows)
        return part("choice.headline.among", best=best, share=worst / rows, rows=rows)

    def _favored(self) -> dict[str, Any] | None:
        """The row that resamples or criteria favor over the choice, and by how many criteria; None if there is none."""
        if self.certainty is None:
            return None
        stability, winners = self.certainty.stability, self.certainty.winners
        resampled = dict(zip(map(label, stability.table.index), stability.share, strict=True))
        counts = {} if winners is None else dict(winners.map(label).value_counts())
        best, n_criteria = label(self.choice.best), sum(counts.values())
        # A firm choice is in doubt only where most criteria agree on another row.
        least = n_criteria / 2 if stability.is_firm else counts.get(best, 0)
        favored = {name for name, count in counts.items() if count > least and name != best}
        favored |= {name for name, share in resampled.items() if share > resampled.get(best, 0.0)}
        if not favored:
            return None
        rival = max(favored, key=lambda name: (resampled.get(name, 0.0), counts.get(name, 0), name))
        rows = [*stability.table.index, *([] if winners is None else winners)]
        named = self.named(next(row for row in rows if label(row) == rival))
        return {"rival": named, "favored": counts.get(rival, 0), "criteria": n_criteria}

    # --------------------------------------------------------------------------------------------------- reasons

    def _reasons(self) -> list[Part]:
        if self.all_equal:
            return []
        values = self._values()
        found = [values if len(self.names) <= _MOST_VALUES else behind_the_card(values)]
        if self.last and self._headline()["say"] in ("choice.headline.hair", "choice.headline.doubted"):
            found.append(part("choice.reasons.last", rows=self.n_rows, last=shortened(self.last)))
        if self.is_open and self.is_whole and len(self.choice.tied) == 1:
            found.append(self._against_the_runner_up())
        if self.n_allowed < self.n_rows:
            found.append(part("choice.reasons.limit", allowed=self.n_allowed, rows=self.n_rows))
        return [*found, *self._settings()]

    def _values(self) -> Part:
        values = [measured(name, value) for name, value in self.choice.values.items()]
        tied = self.allowed[: len(self.choice.tied)]
        if len(tied) > 1 and not (tied == tied[0]).all():
            kind = "has" if self.places is None else "has_placed"
            return part(
                "choice.reasons.values_of_first",
                best=self.named(self.choice.best),
                values=[part(f"choice.phrases.{kind}", **one, **self._place(k)) for k, one in enumerate(values)],
            )
        if self.choice.is_frozen:
            behind = np.rint(self.choice.normalized_costs[self.choice.position] * self.choice.population_size)
            rows = {"rows": self.choice.population_size}
            said = [
                part("choice.phrases.value_frozen", **one, **rows, behind=int(count))
                for one, count in zip(values, behind, strict=True)
            ]
        else:
            first, further = ("value", "value") if self.places is None else ("value_placed_of", "value_placed")
            said = [
                part(f"choice.phrases.{further if k else first}", **one, **self._place(k))
                for k, one in enumerate(values)
            ]
        return part("choice.reasons.values", objectives=said)

    def _place(self, k: int) -> dict[str, int]:
        return {} if self.places is None else {"place": int(self.places[0][k]), "rows": self.n_rows}

    def _against_the_runner_up(self) -> Part:
        name = self.named(self.choice.scores.index[int(self.choice.ordered[1])])
        gains: list[Part] = []
        losses: list[Part] = []
        for objective, own, other, cost, cost_of_other in zip(
            self.choice.objectives, *self._own_values(), *self.costs, strict=True
        ):
            if cost != cost_of_other:
                by = part("choice.phrases.by", **{**apart(objective, own - other), "digits": 2})
                (gains if cost < cost_of_other else losses).append(by)
        if not gains and not losses:
            return part("choice.reasons.against_equal", name=name)
        if gains and losses and len(gains) + len(losses) > _MOST_VALUES:
            named = [shortened([one["name"] for one in side]) for side in (gains, losses)]
            return part("choice.reasons.against_several", name=name, gains=named[0], losses=named[1])
        which = "" if gains and losses else "_better" if gains else "_worse"
        sides = {"gains": gains} if not losses else {"losses": losses} if not gains else {"gains": gains,
                                                                                         "losses": losses}  # fmt: skip
        return part(f"choice.reasons.against{which}", name=name, **sides)

    def _own_values(self) -> np.ndarray:
        return np.asarray(self.costs * self.choice.objectives.signs + 0.0)

    def _settings(self) -> list[Part]:
        """What the table shows of the row, unless its name consists of it."""
        shown = self.choice.parameters
        if not shown or all(f"{name}={value}" in str(self.choice.best) for name, value in shown.items()):
            return []
        # Columns that begin alike are settings, as sources have them; one that is named as a whole may be anything.
        named = as_names(self.choice.inputs.frame.attrs.get(ATTRS_KEY, {}).get("show"))
        kind = "shown" if {*shown} <= {*map(str, named)} else "setting"
        cells = [
            say(part(f"choice.phrases.{kind}", name=spoken(name), value=cell_text(value)))
            for name, value in shown.items()
        ]
        listed = shortened(cells, _MOST_SETTINGS)
        if kind == "shown":
            return [part("choice.reasons.shown", shown=listed)]
        return [part("choice.reasons.settings", settings=listed)]

    # ------------------------------------------------------------------------------------------------- certainty

    def _certainties(self, found: DecisionCertainty) -> list[Part]:
        stability, level = found.stability, found.level
        said: list[Part] = []
        if len(self.choice.tied) > 1:
            said.append(self._one_of_tied(stability))
        else:
            verdict = "firm" if stability.is_firm else "fragile"
            if level is not None:
                verdict += "_fragile" if level[0] < _FRAGILE else "_firm"
            said += [part(f"choice.certainty.{verdict}"), *stability.parts_of_shares(_MOST_RIVALS)]
            if level is not None:
                factor, rival_of_weights = level
                named = None if rival_of_weights is None else self.named(rival_of_weights)
                weights = against_other_weights(factor, named)
                said.append(weights if level[0] < _FRAGILE else behind_the_card(weights))
            rival = self._favored()
            if rival is not None and rival["favored"] and not stability.is_firm:
                said.append(part("choice.certainty.criteria", **rival))
        return said

    def _intervals(self, found: Intervals | Note | None) -> list[Part]:
        if found is None or isinstance(found, Note):
            return [] if found is None else [part("choice.details.note", note=str(found))]
        scores = found.in_short()
        return [scores if len(self.names) <= _MOST_VALUES else behind_the_card(scores)]

    def _one_of_tied(self, stability: Stability) -> Part:
        """How often one of the rows that tie is chosen."""
        tied = set(map(label, self.choice.tied))
        together = sum(
            share for name, share in zip(stability.table.index, stability.share, strict=True) if label(name) in tied
        )
        return part("choice.certainty.one_of_tied", n=len(tied), share=float(together),
                    resamples=stability.n_resamples, over=OVER[stability.over])  # fmt: skip

    # --------------------------------------------------------------------------------------------------- details

    def _details(self) -> list[Part]:
        if self.all_equal:
            return []
        said = [*trade(self.choice), *ties(self.choice)]
        if len(self.choice.tied) > 1:
            said.append(part("choice.details.tied", tied=shortened(map(self.named, self.choice.tied[1:]), MOST_TIED)))
        if self.choice.normalize != "cdf":
            row = self.choice.normalized_costs[self.choice.position]
            values = [part("choice.phrases.scaled", name=name, value=float(value))
                      for name, value in zip(self.names, row, strict=True)]  # fmt: skip
            said.append(part("choice.details.scaled", normalize=self.choice.normalize, values=values))
        return said

    # ------------------------------------------------------------------------------------------------------ card

    @property
    def card(self) -> SmallTable | None:
        """Per objective the value of the choice with its rank, that of the runner-up, and the best there is."""
        if not self.is_whole or len(self.allowed) < 2 or self.all_equal or self.places is None:
            return None
        ordered = self.choice.ordered
        signs = self.choice.objectives.signs
        best = np.asarray(self.choice.matrix.values[ordered].min(axis=0) * signs + 0.0)
        first, second = self._own_values()
        rows = []
        for k, title in enumerate(self.choice.objectives.titles):
            own, other, top = told_apart(first[k], second[k], best[k])
            mine, theirs = (ordinal(int(place)) for place in self.places[:, k])
            rows.append([title, f"{own} ({mine})", f"{other} ({theirs})", top])
        tied = len(self.choice.tied) > 1
        limited = " allowed" * (self.n_allowed < self.n_rows)
        second_name = self.named(self.choice.scores.index[int(ordered[1])])
        names = ["", f"★ {self.named(self.choice.best)}", f"{'tied' if tied else 'runner-up'}: {second_name}",
                 f"best of {self.n_allowed:,}{limited}"]  # fmt: skip
        return SmallTable(names, rows)


def trade(choice: Explained) -> list[Part]:
    """Report what a loss in the heaviest objective costs in the others, by the weights, and which had none."""
    names = [measured(name, 0.0)["name"] for name in choice.objectives]
    weights, size = np.array(list(choice.weights.values())), choice.population_size
    said: list[Part] = []
    if choice.normalize == "cdf" and (weights > 0).sum() > 1:
        # w_j u_j = w_k u_k: equal contributions to the criterion, whatever p is.
        heaviest, in_ranks = int(np.argmax(weights)), size < WORTH_SHARES
        share = 1.0 / size if in_ranks else EXAMPLE_SHARE
        last: list[str] = []
        equal: dict[str, tuple[float, list[str]]] = {}
        for k in np.flatnonzero(weights > 0):
            if k == heaviest:
                continue
            worth = float(weights[heaviest] / weights[k])
            if share * worth >= 1:
                last.append(names[k])
                continue
            loss = (1.0 if abs(worth - 1) < SAME_WEIGHT else worth) if in_ranks else share * worth
            written = number(loss, 3) if in_ranks else percent(loss)
            equal.setdefault(written, (loss, []))[1].append(names[k])
        kind, unit = ("ranks", "n") if in_ranks else ("rows", "share")
        losses = [
            part(f"choice.phrases.{kind}", **{unit: loss}, objectives=members) for loss, members in equal.values()
        ]
        costs = [part(f"choice.phrases.equal_{kind}", losses=losses)] if losses else []
        costs += [part("choice.phrases.ranking_last", objectives=last)] if last else []
        lost = part("choice.phrases.one_rank") if in_ranks else part("choice.phrases.rows_behind", share=share)
        given = {"p": write_p(choice.p), "objective": names[heaviest]}
        said.append(part("choice.details.trade", **given, lost=lost, costs=costs))
    ignored = [name for name, weight in zip(names, weights, strict=True) if weight == 0]
    return [*said, part("choice.details.ignored", objectives=ignored)] if ignored else said


def ties(choice: Explained) -> list[Part]:
    """Report what broke the tie between rows that share the best value of the criterion."""
    scores = tie_key(choice.ordered_scores())
    sharing = int(np.searchsorted(scores, scores[0], side="right"))
    if sharing == len(choice.tied):
        return []
    how = "tie_ranks"
    if choice.p != 1:
        weights = np.array(list(choice.weights.values()))
        sums = tie_key(weighted_norm(choice.normalized_costs[choice.ordered[:sharing]], weights, 1.0))
        how = "tie_sums" if (sums == sums[:1]).sum() == len(choice.tied) else "tie_sums_and_ranks"
    if choice.is_frozen and how != "tie_sums":
        how = "tie_frozen"
    score = float(choice.ordered_scores()[0])
    return [part(f"choice.details.{how}", score=score, sharing=sharing, rows=choice.scored_rows)]


def question_of(choice: Explained) -> Part:
    """The question that a choice answers."""
    return part("choice.question", rows=choice.counts()[0], objectives=list(map(spoken, choice.objectives)))


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
