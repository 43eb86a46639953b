"""Choosing by comparing: ``df.moo.elicit()``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.candidates import Where
from copa_nb.explorers import controls
from copa_nb.explorers.explorer import Explorer
from copa_nb.objectives import ObjectivesLike
from copa_nb.plotting.style import INK, PALETTE
from copa_nb.selection.arrays.ranks import empirical_cdf
from copa_nb.selection.elicitation import Elicitation, Question
from copa_nb.selection.weights import write_p

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BUTTONS = (
    ("first", "A is better"),
    ("second", "B is better"),
    ("equal", "Equally good"),
    ("unsure", "Can't say"),
)
_MOST_POSSIBLE = 8


def elicit(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    normalize: str = "cdf",
    where: Where = None,
    tolerance: float = 0.1,
    certainty: float = 1.0,
    rng: int = 0,
    nan_policy: str = "raise",
) -> ElicitationExplorer:
    """Choose by comparing two models at a time, instead of naming weights.

    Each answer narrows the weights that agree with everything said; the next pair is the one whose answer is
    expected to tell most about which model is best. :class:`copa_nb.Elicitation` does the same without a widget.

    Parameters
    ----------
    frame : DataFrame
        One row per model.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    p : float or "inf"
        Order of the norm, up to 64 or infinite.
    normalize : {"cdf", "minmax", "relative", "none"}
        How to make objectives comparable.
    where : str, mask or callable, optional
        Who may be chosen; ranks are over all rows nevertheless.
    tolerance : float
        Share by which the criteria of two rows may differ that are said to be equal.
    certainty : float
        Share of the weights left that must agree on a row for the questions to end.
    rng : int
        Seed of the draws of weights.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`.

    Returns
    -------
    ElicitationExplorer
        ``elicitation`` holds the answers so far, ``best`` the leading row.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> with models.moo.elicit() as explorer:
    ...     question = explorer.question
    ...     explorer.answer("second")
    ...     len(explorer.elicitation.answers)
    1
    """
    start = Elicitation.of(
        frame, objectives=objectives, p=p, normalize=normalize, where=where, tolerance=tolerance, certainty=certainty,
        rng=rng, nan_policy=nan_policy,
    )  # fmt: skip
    return ElicitationExplorer(start)


class ElicitationExplorer(Explorer):
    """Questions, answers and what has been learnt; see :func:`elicit`.

    Parameters
    ----------
    elicitation : Elicitation
        Where to start.
    """

    title = "Choice by comparing"

    def __init__(self, elicitation: Elicitation) -> None:
        self.question: Question | None = elicitation.ask()
        self._ranks = empirical_cdf(elicitation.matrix.values)[elicitation.front]
        super().__init__(elicitation)

    @property
    def elicitation(self) -> Elicitation:
        """The answers so far and what follows from them."""
        state: Elicitation = self.state
        return state

    @property
    def best(self) -> Hashable:
        """The row that most of the weights left choose."""
        return self.elicitation.best

    def answer(self, choice: str) -> None:
        """Answer the question shown, as its button does."""
        asked = self.question
        self.update(lambda state: state.answer(choice, asked) if asked is not None else state)

    def withdraw(self, number: int = -1) -> None:
        """Take back an answer, by default the last."""
        self.update(lambda state: state.withdraw(number) if state.answers else state)

    def _make_controls(self) -> list[Any]:
        self._answers = []
        for choice, words in _BUTTONS:
            made = controls.button(words, f"Answer: {words}")
            made.on_click(lambda _, choice=choice: self.answer(choice))
            self._answers.append(made)
        self._given = controls.choice("said so far", "Answer to withdraw", [("none yet", -1)], -1)
        self._undo = controls.button("Withdraw", "Withdraw the answer chosen on the left")
        self._undo.on_click(lambda _: self.withdraw(self._given.value))
        answers = ipywidgets.HBox(self._answers)
        answers.add_class("copa-answers")
        withdrawing = controls.row(self._given, self._undo)
        withdrawing.add_class("copa-answers")
        return [answers, withdrawing]

    def _follow(self) -> None:
        self.question = self.state.ask()
        for made in self._answers:
            made.disabled = self.question is None
        given = [(f"{i + 1}. {answer}", i) for i, answer in enumerate(self.state.answers)]
        self._given.options = given or [("none yet", -1)]
        last = self.state.conflict[-1] if self.state.conflict else len(given) - 1
        self._given.value = last
        self._undo.disabled = not given

    def _show(self) -> None:
        if self.view is None:
            self.question = self.state.ask()
            return
        self.view.show(title=self.title, cards=[*self._question_cards(), self._weights_card(), self._possible_card()])

    def _question_cards(self) -> list[dict[str, Any]]:
        state = self.elicitation
        if state.conflict:
            lines = [f"({number + 1}) {state.answers[number]}" for number in state.conflict]
            return [{"heading": "No weights agree with all answers", "title": "These answers clash", "tone": "warning",
                     "lines": [*lines, "Withdraw one of them to go on."]}]  # fmt: skip
        if self.question is None:
            return [{"heading": "Nothing left to ask" if not state.settled else "Settled", "tone": "chosen",
                     "title": text.label(state.best), "lines": state.sentences()}]  # fmt: skip
        number = len(state.answers) + 1
        return [
            {
                "heading": f"Question {number}: which is better? Model {letter}",
                "title": text.label(label),
                "bars": self._standing(row),
            }
            for letter, label, row in zip(
                "AB", (self.question.first, self.question.second), self.question.rows, strict=True
            )
        ]

    def _standing(self, row: int) -> list[dict[str, Any]]:
        own = self.elicitation.matrix.original()[self.elicitation.front[row]]
        labels = self.elicitation.matrix.objectives.labels
        return [
            {"label": label, "share": float(1 - rank), "text": f"{text.number(float(value))} · top {_percent(rank)}"}
            for label, value, rank in zip(labels, own, self._ranks[row], strict=True)
        ]

    def _weights_card(self) -> dict[str, Any]:
        learnt = self.elicitation.learnt
        bars = [
            {"label": str(name), "share": float(row["mean"]), "low": float(row["low"]), "high": float(row["high"]),
             "text": f"{row['low']:.0%} – {row['high']:.0%}"}
            for name, row in learnt.iterrows()
        ]  # fmt: skip
        return {"heading": "Weights that agree with the answers (95 % range)", "bars": bars}

    def _possible_card(self) -> dict[str, Any]:
        possible = self.elicitation.possible
        shown = possible.head(_MOST_POSSIBLE)
        bars = [
            {"label": text.label(label), "share": float(share), "text": f"{share:.0%}"}
            for label, share in zip(shown.index, shown["share of weights"], strict=True)
        ]
        more = len(possible) - len(shown)
        return {
            "heading": f"Models that can still be best ({len(possible)}), by share of the weights left",
            "bars": bars,
            "foot": f"and {more} more" if more else "",
        }

    def to_figure(self) -> Figure:
        """Draw the weights learnt with their ranges, and the rows that can still be best."""
        from matplotlib.figure import Figure

        from copa_nb.plotting.style import report_style, shorten

        learnt, possible = self.elicitation.learnt, self.elicitation.possible.head(_MOST_POSSIBLE)
        with report_style():
            figure = Figure(figsize=(10, 0.36 * max(len(learnt), len(possible)) + 1.5), layout="constrained")
            left, right = figure.subplots(1, 2)
            places = np.arange(len(learnt))[::-1]
            left.hlines(places, learnt["low"], learnt["high"], color=PALETTE[0], lw=5, alpha=0.4)
            left.plot(learnt["mean"], places, "o", color=PALETTE[0], mec=INK, mew=0.5)
            left.set_yticks(places, [shorten(name) for name in learnt.index])
            left.set_xlim(0, 1)
            left.set_xlabel("weight: mean and 95 % range")
            rows = np.arange(len(possible))[::-1]
            right.barh(rows, possible["share of weights"], color=PALETTE[1], height=0.6)
            right.set_yticks(rows, [shorten(text.label(label)) for label in possible.index])
            right.set_xlim(0, 1)
            right.set_xlabel("share of the weights left that choose it")
        return figure

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        state = self.elicitation
        asked = []
        if self.question is not None:
            pair = " or ".join(text.label(label) for label in (self.question.first, self.question.second))
            asked = [f"Next question: which is better, {pair}?"]
        tables = [(f"Models that can still be best, p = {write_p(state.p)}.", state.possible.head(_MOST_POSSIBLE))]
        return f"Leading: {text.label(state.best)}", [*state.sentences(), *asked], tables


def _percent(share: float) -> str:
    return text.percent(float(share)) if share > 0 else "0 %"
