"""Choosing by comparing: ``choice.elicit()``."""

from __future__ import annotations

__all__ = ["ElicitationExplorer"]

import json
from collections.abc import Hashable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.explorers.scenes import axis, control, cut, marks
from copa_nb.explorers.widget import Explorer
from copa_nb.plotting.style import INK, PALETTE, series_color, shorten_all
from copa_nb.ranking.arrays.criterion import winners_along
from copa_nb.ranking.arrays.ranks import empirical_cdf
from copa_nb.ranking.criterion import write_p, write_place
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import explained, say
from copa_nb.selection.copa import ONE_OBJECTIVE, Selection
from copa_nb.selection.elicitation import ANSWERS, Elicitation, Question

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BUTTONS = (
    ("first", "A is better"),
    ("second", "B is better"),
    ("equal", "Equally good"),
    ("unsure", "Can't say"),
)
# Bits of doubt about which row is best, times these, are the comparisons that simulated users still had to make until
# 90% of the weights left agreed: the middle, and what eight of ten stayed within.
_PER_BIT, _FEWEST_PER_BIT, _MOST_PER_BIT = 1.7, 1.1, 2.0
_AGREED = 0.9
_DRAWN = 400
_SHAPES = ("circle", "triangle", "square", "diamond", "star")
_COLORED = len(_SHAPES)
_MOST_POSSIBLE = 8
_COLUMNS = ("first", "second", "choice")


@offered_by(Selection, "elicit")
def elicit(
    choice: Selection,
    *,
    tolerance: float = 0.1,
    confidence_level: float = 1.0,
    statements: pd.DataFrame | str | Path | None = None,
    rng: int | np.random.Generator | None = 0,
) -> ElicitationExplorer:
    """Choose by comparing two models at a time, instead of setting weights.

    Each answer narrows the set of weights that agree with all answers; the next pair is the one whose answer is
    expected to be most informative about which model is best. The table, the norm (p up to 64 or infinite), the scale
    and the limit are those of this decision; its weights are not used.

    Parameters
    ----------
    tolerance : float
        Relative difference up to which the criteria of two rows count as equal.
    confidence_level : float
        Share of the remaining weights that must agree on a row before the questions end.
    statements : DataFrame or path, optional
        Earlier answers to continue from: ``explorer.statements``, or the file that the page saves.
    rng : int, Generator or None
        Seed of the weights that are drawn.

    Returns
    -------
    ElicitationExplorer
        ``elicitation`` holds the answers so far, ``best`` the leading row, ``statements`` the answers as a table.
        With one objective, a sentence in its place.

    Raises
    ------
    ValueError
        For saved statements that do not match the table.

    See Also
    --------
    copa_nb.results.Elicitation : The same questions without a widget.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> with models.moo.copa().elicit() as explorer:
    ...     question = explorer.question
    ...     explorer.answer("second")
    ...     len(explorer.elicitation.answers)
    1
    """
    if len(choice.objectives) == 1:
        return cast("ElicitationExplorer", ONE_OBJECTIVE)
    start = Elicitation.of(choice, tolerance=tolerance, confidence_level=confidence_level, rng=rng)
    return ElicitationExplorer(start, _read_statements(start, statements))


def _read_statements(start: Elicitation, statements: pd.DataFrame | str | Path | None) -> list[list[Any]]:
    """Answers as the state holds them: two rows of the front, and which is better."""
    if statements is None:
        return []
    if not isinstance(statements, pd.DataFrame):
        statements = pd.DataFrame(json.loads(Path(statements).read_text(encoding="utf-8")), columns=list(_COLUMNS))
    rows = {text.label(start.matrix.index[row]): number for number, row in reversed(list(enumerate(start.front)))}
    found = []
    for pair in statements[list(_COLUMNS)].itertuples(index=False, name=None):
        labels = [text.label(label) for label in pair[:2]]
        if unknown := [label for label in labels if label not in rows]:
            raise ValueError(
                f"`statements` compares {unknown[0]!r}, which is not on the front of this table; remove that line."
            )
        checks.one_of("choice", pair[2], ANSWERS)
        found.append([*(rows[label] for label in labels), pair[2]])
    return found


class ElicitationExplorer(Explorer):
    """Questions, answers and the weights inferred from them; see :func:`elicit`.

    Parameters
    ----------
    start : Elicitation
        Initial state.
    statements : list of [row, row, choice]
        Earlier answers.
    """

    title = "Choice by comparing"
    invitation = "Answer which of two you prefer"

    def __init__(self, start: Elicitation, statements: Sequence[list[Any]] = ()) -> None:
        self._start = self._elicitation = start
        self._ranks = empirical_cdf(start.matrix.values)[start.front]
        self.kind = "elicitation"
        buttons = [{"does": "answer", "choice": choice, "text": words} for choice, words in _BUTTONS]
        buttons += [
            {
                "does": "withdraw",
                "text": "Withdraw",
                "name": "Withdraw the last answer, or one that contradicts others",
            },
            {"does": "save", "text": "Save statements", "name": "Save the answers to a file, to continue later"},
        ]
        labels = [[label, k] for k, label in enumerate(start.matrix.objectives.titles)]
        axes = [control("menu", key, side, f"Weight on the {side} axis", options=labels)
                for key, side in (("x", "horizontal"), ("y", "vertical"))]  # fmt: skip
        controls = [{"heading": "Your answer", "items": [{"kind": "buttons", "items": buttons}]},
                    {"heading": "Picture", "items": axes}]  # fmt: skip
        super().__init__({"controls": controls, "keys": ["statements"]},
                         {"statements": [list(one) for one in statements], "x": 0, "y": len(labels) - 1})  # fmt: skip

    @property
    def elicitation(self) -> Elicitation:
        """The answers so far and the weights inferred from them."""
        return self._elicitation

    @property
    def question(self) -> Question | None:
        """The pair to compare next; None if nothing is left to ask."""
        question: Question | None = self._once("question", self._elicitation, self._elicitation.ask)
        return question

    @property
    def best(self) -> Hashable:
        """The row that most of the remaining weights choose."""
        return self.elicitation.best

    @property
    def statements(self) -> pd.DataFrame:
        """The answers: ``first`` and ``second`` row of each comparison, and ``choice``."""
        answers = self.elicitation.answers
        return pd.DataFrame([[a.first, a.second, a.choice] for a in answers], columns=list(_COLUMNS))

    def answer(self, choice: str, pair: tuple[Hashable, Hashable] | None = None) -> None:
        """Answer the question shown, as its button does, or compare any two rows of the front.

        Raises
        ------
        ValueError
            For an answer that is not among those allowed, or rows that are not in the table.
        """
        checks.one_of("choice", choice, ANSWERS)
        if pair is not None:
            asked: tuple[int, int] | None = self.elicitation.answer(choice, pair).answers[-1].rows
        else:
            asked = self.question.rows if self.question is not None else None
        if asked is not None:
            self.move(statements=[*self.state["statements"], [*asked, choice]])

    def withdraw(self, number: int = -1) -> None:
        """Take back an answer, by default the last."""
        kept = list(self.state["statements"])
        if kept:
            del kept[number]
            self.move(statements=kept)

    def save_statements(self, path: str | Path) -> Path:
        """Save the answers to a file, from which ``elicit(statements=...)`` continues."""
        target = Path(path)
        target.write_text(json.dumps(self._plain_statements(), indent=1), encoding="utf-8")
        return target

    def _plain_statements(self) -> list[list[str]]:
        return [[text.label(a.first), text.label(a.second), a.choice] for a in self.elicitation.answers]

    def _choices(self, state: Elicitation) -> np.ndarray:
        """The row that each of the remaining weights chooses."""

        def choose() -> np.ndarray:
            return winners_along(state.normalized, state.draws, state.p, state.rank_sums)

        return cast("np.ndarray", self._once("choices", state, choose))

    def _leading(self, state: Elicitation) -> tuple[np.ndarray, np.ndarray]:
        """Rows that some of the remaining weights choose, the most frequent first, and how many do."""
        rows, counts = np.unique(self._choices(state), return_counts=True)
        order = np.argsort(-counts, kind="stable")
        return rows[order], counts[order]

    def _follow_answers(self) -> None:
        """Apply the changed answers; start again if that is not enough."""
        wanted = [(first, second, choice) for first, second, choice in self.at["statements"]]
        state = self._elicitation
        given = [(*answer.rows, answer.choice) for answer in state.answers]
        apart = next(
            (i for i, (a, b) in enumerate(zip(wanted, given, strict=False)) if a != b), min(len(wanted), len(given))
        )
        if len(given) > len(wanted) and given[apart + 1 :] == wanted[apart:]:
            self._elicitation = state.withdraw(apart)
            return
        if apart < len(given):
            state, apart = self._start, 0
        labels = state.matrix.index[state.front]
        for first, second, choice in wanted[apart:]:
            state = state.answer(choice, Question(labels[first], labels[second], 0.0, 0.5, (first, second)))
        self._elicitation = state

    def _make_scene(self) -> dict[str, Any]:
        self._follow_answers()
        state, question = self.elicitation, self.question
        said = [[str(number), str(answer)] for number, answer in enumerate(state.answers, start=1)]
        return {
            "title": self.title,
            "announce": self._announcement(),
            "charts": [self._region()],
            "cards": [*self._question_cards(), self._weights_card(), self._possible_card()],
            "tables": [{"caption": "Answers so far", "columns": ["question", "answer"], "rows": said}] if said else [],
            "asks": None if question is None else list(question.rows),
            "withdraws": state.conflict[-1] if state.conflict else None,
            "statements": self._plain_statements(),
        }

    def _announcement(self) -> str:
        state, question = self.elicitation, self.question
        if state.conflict:
            return state.headline
        if question is None:
            return f"Settled: {text.label(state.best)}"
        return f"Question {len(state.answers) + 1}: which is better, {_either(question)}?"

    def _question_cards(self) -> list[dict[str, Any]]:
        state, question = self.elicitation, self.question
        if state.conflict:
            headline, clash, withdraw = state.parts()
            return [{"heading": say(headline), "title": "These answers contradict each other", "tone": "warning",
                     "lines": [*map(say, clash["answers"]), say(withdraw)]}]  # fmt: skip
        if question is None:
            return [{"heading": "No questions left" if not state.converged else "Settled", "tone": "chosen",
                     "title": text.label(state.best), "lines": explained(state.parts())}]  # fmt: skip
        number = len(state.answers) + 1
        cards: list[dict[str, Any]] = [
            {
                "heading": f"Question {number}: which is better? Model {letter}",
                "title": text.label(label),
                "bars": self._standing(row),
            }
            for letter, label, row in zip("AB", (question.first, question.second), question.rows, strict=True)
        ]
        return [*cards, {"heading": "Why this pair, and how many questions are left", "lines": self._why(question)}]

    def _why(self, question: Question) -> list[str]:
        """What the answer is worth, and how many comparisons are left."""
        _, counts = self._leading(self.elicitation)
        shares = counts / counts.sum()
        doubt = float(-(shares * np.log2(shares)).sum())
        why = (
            f"{text.percent(question.share)} of the remaining weights prefer A. The answer is expected to remove "
            f"{question.gain:.2g} of {doubt:.2g} bits of uncertainty about the best model, the most of all pairs."
        )
        if self.elicitation.share >= _AGREED:
            return [why, f"{text.percent(self.elicitation.share)} of the remaining weights agree; you can stop here."]
        low, middle, high = (max(1, round(doubt * each)) for each in (_FEWEST_PER_BIT, _PER_BIT, _MOST_PER_BIT))
        span = f" ({low} to {high} for eight of ten simulated users)" if high > low else ""
        more = f"About {middle} more comparison{'s' if middle > 1 else ''}{span} until 90% of the remaining weights "
        "agree."
        return [why, more]

    def _region(self) -> dict[str, Any]:
        """Weights that agree with the answers, by two of the objectives, colored by the model that they choose."""
        state, names = self.elicitation, self.elicitation.matrix.objectives.names
        columns = [self.at["x"], self.at["y"]]
        draws, chosen = state.draws[:_DRAWN, columns], self._choices(state)[:_DRAWN]
        leading = self._leading(state)[0][:_COLORED]
        labels = state.matrix.index[state.front]
        layers = []
        for number, row in enumerate(leading):
            mine, label = draws[chosen == row], text.label(labels[row])
            layers.append(marks(mine, color=PALETTE[number], shape=_SHAPES[number], size=3, plain=True,
                                label=cut(label, 28), names=[label] * len(mine)))  # fmt: skip
        rest = draws[~np.isin(chosen, leading)]
        layers.append(marks(rest, color="grey", size=2, plain=True, label="other models"))
        sides = [axis(f"weight of {text.spoken(names[k])}", np.array([0.0, 1.0])) for k in columns]
        return {"title": "Remaining weights, by the model that they choose", "x": sides[0], "y": sides[1],
                "height": 340, "layers": layers}  # fmt: skip

    def _standing(self, row: int) -> list[dict[str, Any]]:
        own = self.elicitation.matrix.original()[self.elicitation.front[row]]
        labels = self.elicitation.matrix.objectives.titles
        return [
            {
                "label": label,
                "share": float(1 - rank),
                "text": f"{text.number(float(value))} · {write_place(rank, len(self.elicitation.matrix.values))}",
            }
            for label, value, rank in zip(labels, own, self._ranks[row], strict=True)
        ]

    def _weights_card(self) -> dict[str, Any]:
        learnt = self.elicitation.weight_ranges
        bars = [
            {"label": text.spoken(name), "share": float(row["mean"]), "low": float(row["low"]),
             "high": float(row["high"]), "text": f"{100 * row['low']:.0f} – {100 * row['high']:.0f}%"}
            for name, row in learnt.iterrows()
        ]  # fmt: skip
        return {"heading": "Weights that agree with the answers (95% range)", "bars": bars}

    def _possible_card(self) -> dict[str, Any]:
        possible = self.elicitation.potentially_optimal
        shown = possible.head(_MOST_POSSIBLE)
        bars = [
            {"label": text.label(label), "share": float(share), "text": text.percent(float(share))}
            for label, share in zip(shown.index, shown["share of weights"], strict=True)
        ]
        more = len(possible) - len(shown)
        return {
            "heading": f"Models that can still be best ({len(possible)}), by share of the remaining weights",
            "bars": bars,
            "foot": f"and {more} more" if more else "",
        }

    def _draw(self, figure: Figure) -> None:
        """Draw the inferred weights with their ranges, and the rows that can still be best."""
        learnt, possible = self.elicitation.weight_ranges, self.elicitation.potentially_optimal.head(_MOST_POSSIBLE)
        figure.set_size_inches(10, 0.36 * max(len(learnt), len(possible)) + 1.5)
        left, right = figure.subplots(1, 2)
        places = np.arange(len(learnt))[::-1]
        left.hlines(places, learnt["low"], learnt["high"], color=series_color(0), lw=5, alpha=0.4)
        left.plot(learnt["mean"], places, "o", color=series_color(0), mec=INK, mew=0.5)
        left.set_yticks(places, shorten_all(learnt.index))
        left.set_xlim(0, 1)
        left.set_xlabel("weight: mean and 95% range")
        places = np.arange(len(possible))[::-1]
        right.barh(places, possible["share of weights"], color=series_color(1), height=0.6)
        right.set_yticks(places, shorten_all(map(text.label, possible.index)))
        right.set_xlim(0, 1)
        right.set_xlabel("share of the remaining weights that choose it")

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        state = self.elicitation
        asked = []
        question = self.question
        if question is not None:
            asked = [f"Next question: which is better, {_either(question)}?"]
        tables = [
            (f"Models that can still be best, p = {write_p(state.p)}.", state.potentially_optimal.head(_MOST_POSSIBLE))
        ]
        return f"Leading: {text.label(state.best)}", [*explained(state.parts()), *asked], tables


def _either(question: Question) -> str:
    return " or ".join(text.label(label) for label in (question.first, question.second))
