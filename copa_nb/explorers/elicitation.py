"""Choosing by comparing: ``df.moo.elicit()``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.candidates import Where
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.explorer import Explorer, menu, row
from copa_nb.frames import any_frame
from copa_nb.objectives import ObjectivesLike
from copa_nb.plotting.style import INK, PALETTE, shorten
from copa_nb.selection.arrays.ranks import empirical_cdf
from copa_nb.selection.criterion import write_p, write_place
from copa_nb.selection.elicitation import Elicitation, Question

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BUTTONS = (
    ("first", "A is better"),
    ("second", "B is better"),
    ("equal", "Equally good"),
    ("unsure", "Can't say"),
)
_NO_ANSWERS = [("none yet", -1)]
_MOST_POSSIBLE = 8


@any_frame
@shared_parameters
def elicit(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    normalize: str = "cdf",
    where: Where = None,
    tolerance: float = 0.1,
    certainty: float = 1.0,
    rng: int | np.random.Generator | None = 0,
    nan_policy: str = "raise",
) -> ElicitationExplorer:
    """Choose by comparing two models at a time, instead of naming weights.

    Each answer narrows the set of weights that agree with all answers; the next pair is the one whose answer is
    expected to be most informative about which model is best.

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    p : float or "inf"
        Order of the norm, up to 64 or infinite.
    %(normalize)s
    %(where)s
    tolerance : float
        Relative difference up to which the criteria of two rows count as equal.
    certainty : float
        Share of the remaining weights that must agree on a row for the questions to end.
    %(rng)s
    %(nan_policy)s

    Returns
    -------
    ElicitationExplorer
        ``elicitation`` holds the answers so far, ``best`` the leading row.

    See Also
    --------
    copa_nb.Elicitation : The same questions without a widget.

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
    """Questions, answers and the weights inferred from them; see :func:`elicit`.

    Parameters
    ----------
    elicitation : Elicitation
        Where to start.
    """

    title = "Choice by comparing"

    def __init__(self, elicitation: Elicitation) -> None:
        self._ranks = empirical_cdf(elicitation.matrix.values)[elicitation.front]
        super().__init__(elicitation)

    @property
    def elicitation(self) -> Elicitation:
        """The answers so far and what follows from them."""
        state: Elicitation = self.state
        return state

    @property
    def best(self) -> Hashable:
        """The row that most of the remaining weights choose."""
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
            button = ipywidgets.Button(description=words, tooltip=f"Answer: {words}")
            button.on_click(lambda _, choice=choice: self.answer(choice))
            self._answers.append(button)
        self._given = menu("said so far", "Answer to withdraw", _NO_ANSWERS)
        self._undo = ipywidgets.Button(description="Withdraw", tooltip="Withdraw the answer chosen on the left")
        self._undo.on_click(lambda _: self.withdraw(self._given.value))
        rows = [row(*self._answers), row(self._given, self._undo)]
        for made in rows:
            made.add_class("copa-answers")
        return rows

    def _compute(self) -> None:
        self.question: Question | None = self.state.ask()

    def _follow(self) -> None:
        for button in self._answers:
            button.disabled = self.question is None
        given = [(f"{i + 1}. {answer}", i) for i, answer in enumerate(self.state.answers)]
        self._given.options = given or _NO_ANSWERS
        self._given.value = self.state.conflict[-1] if self.state.conflict else len(given) - 1
        self._undo.disabled = not given

    def _scene(self) -> dict[str, Any]:
        return {"cards": [*self._question_cards(), self._weights_card(), self._possible_card()]}

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
            {
                "label": label,
                "share": float(1 - rank),
                "text": f"{text.number(float(value))} · {write_place(rank, len(self.elicitation.matrix.values))}",
            }
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

    def _draw(self, figure: Figure) -> None:
        """Draw the inferred weights with their ranges, and the rows that can still be best."""
        learnt, possible = self.elicitation.learnt, self.elicitation.possible.head(_MOST_POSSIBLE)
        figure.set_size_inches(10, 0.36 * max(len(learnt), len(possible)) + 1.5)
        left, right = figure.subplots(1, 2)
        places = np.arange(len(learnt))[::-1]
        left.hlines(places, learnt["low"], learnt["high"], color=PALETTE[0], lw=5, alpha=0.4)
        left.plot(learnt["mean"], places, "o", color=PALETTE[0], mec=INK, mew=0.5)
        left.set_yticks(places, [shorten(name) for name in learnt.index])
        left.set_xlim(0, 1)
        left.set_xlabel("weight: mean and 95 % range")
        places = np.arange(len(possible))[::-1]
        right.barh(places, possible["share of weights"], color=PALETTE[1], height=0.6)
        right.set_yticks(places, [shorten(text.label(label)) for label in possible.index])
        right.set_xlim(0, 1)
        right.set_xlabel("share of the weights left that choose it")

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        state = self.elicitation
        asked = []
        if self.question is not None:
            pair = " or ".join(text.label(label) for label in (self.question.first, self.question.second))
            asked = [f"Next question: which is better, {pair}?"]
        tables = [(f"Models that can still be best, p = {write_p(state.p)}.", state.possible.head(_MOST_POSSIBLE))]
        return f"Leading: {text.label(state.best)}", [*state.sentences(), *asked], tables
