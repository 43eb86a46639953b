"""Choosing by comparing: questions about pairs of rows, until the remaining weights agree on the choice."""

from __future__ import annotations

__all__ = ["Elicitation"]

import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.pareto.front import front_of_candidates
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.ranking.arrays.criterion import weighted_norm, winners, winners_along
from copa_nb.ranking.criterion import WeightsLike, resolve_weights, write_p
from copa_nb.ranking.normalize import rows_named
from copa_nb.results.answer import Answer
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, explained, part, say
from copa_nb.selection.arrays import weight_constraints as arrays
from copa_nb.selection.choose import copa
from copa_nb.selection.copa import Selection
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import label_order, several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import ObjectiveMatrix

ANSWERS = ("first", "second", "equal", "unsure")
# Rows that questions are made of: those most likely to be best.
_ASKED_ABOUT = 60
_LEAST_GAIN = 1e-6
_STEPS, _STEPS_FROM_ONE_POINT = 12, 80


@dataclass(frozen=True)
class Question:
    """Two rows to compare.

    Parameters
    ----------
    first, second : label
        The rows.
    gain : float
        Bits by which the answer is expected to narrow down which row is best.
    share : float
        Share of the remaining weights that prefer the first.
    rows : tuple of two int
        Their positions among the candidates' front.
    """

    first: Hashable
    second: Hashable
    gain: float
    share: float
    rows: tuple[int, int] = field(repr=False)


@dataclass(frozen=True)
class Reply:
    """The answer to a question: "first" or "second" is better, "equal", or "unsure"."""

    first: Hashable
    second: Hashable
    choice: str
    rows: tuple[int, int] = field(repr=False)

    def __str__(self) -> str:
        words = {"first": "is better than", "second": "is worse than", "equal": "is as good as",
                 "unsure": "cannot be compared with"}  # fmt: skip
        return f"{text.label(self.first)} {words[self.choice]} {text.label(self.second)}"


@dataclass(frozen=True, repr=False, eq=False)
class Elicitation(Worded):
    """Weights inferred from a person's comparisons, and what to ask next; every answer makes a new one.

    Parameters
    ----------
    matrix : ObjectiveMatrix
        Costs of all rows.
    front : ndarray of int64
        Rows of `matrix` that can be best: the Pareto-optimal candidates.
    normalized : ndarray of float64, shape (len(front), k)
        Their values on the common scale.
    p : float
        Order of the norm.
    normalize : str
        Normalization.
    tolerance : float
        Two rows are "equal" if their criteria differ by at most this share.
    confidence_level : float
        Share of the remaining weights that must choose the same row for the questions to end.
    answers : tuple of Reply
        The answers so far.
    draws : ndarray of float64, shape (m, k)
        Weights drawn uniformly from those that agree with the answers.
    conflict : tuple of int
        Numbers of answers that contradict each other, a minimal set; empty if all agree.
    rng : int
        Seed of the draws.
    frame : DataFrame
        The table itself.
    where : str, mask, callable or None
        Rows that may be chosen.
    rank_sums : ndarray of int64, shape (len(front),)
        For each row of `front`, how many rows are strictly better, summed over objectives: this breaks ties.
    """

    paper = "javaloy2025copa"

    _internals = frozenset(
        (
            "answers",
            "conflict",
            "draws",
            "front",
            "normalized",
            "of",
            "rank_sums",
            "simulate_user",
            "simulate_users",
        )
    )

    matrix: ObjectiveMatrix
    front: np.ndarray
    normalized: np.ndarray
    p: float
    normalize: str
    tolerance: float
    confidence_level: float
    answers: tuple[Reply, ...]
    draws: np.ndarray
    conflict: tuple[int, ...]
    rng: int
    frame: pd.DataFrame
    where: Where
    rank_sums: np.ndarray
    _winners: np.ndarray

    @classmethod
    def of(
        cls,
        choice: Selection,
        *,
        tolerance: float = 0.1,
        confidence_level: float = 1.0,
        n_draws: int = 1000,
        rng: int | np.random.Generator | None = 0,
    ) -> Elicitation:
        """Start without answers: all weights are possible.

        Parameters
        ----------
        choice : Selection
            Of ``df.moo.copa()``: its table, norm (p up to 64 or infinite), scale and
            limits. Its weights are not used.
        tolerance : float
            Share by which the criteria of two rows may differ if they are answered as equal.
        confidence_level : float
            Stop asking when this share of the remaining weights chooses the same row; at 1, when all weights drawn
            do.
        n_draws : int
            Weights drawn from those that agree with the answers.
        rng : int, Generator or None
            Seed of the draws.

        Returns
        -------
        Elicitation

        Raises
        ------
        ValueError
            For fewer than two objectives, and for p between 64 and infinity.

        See Also
        --------
        copa_nb.results.Selection.elicit : The same, in a notebook with buttons.

        References
        ----------
        .. [1] A. Javaloy, A. Vergari and I. Valera, "COPA: Comparing the incomparable in multi-objective model
           evaluation", arXiv:2503.14321, 2025. Equations 9 to 11 define the criterion whose weights are elicited.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
        ...     index=["large", "medium", "small", "tiny"],
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> start = copa_nb.results.Elicitation.of(models.moo.copa())
        >>> question = start.ask()
        >>> question.first, question.second
        ('tiny', 'large')
        >>> start.answer("second").answer("first", ("medium", "large")).best
        'medium'
        """
        if arrays.LARGEST_P < choice.p < np.inf:
            raise ValueError(f'`p` is {choice.p:g}; above {arrays.LARGEST_P:g}, powers underflow; use p="inf".')
        count = len(choice.objectives)
        if count < 2:
            raise ValueError("`elicit` trades objectives against each other; define at least two objectives.")
        if isinstance(confidence_level, bool) or not 0.5 <= confidence_level <= 1:
            raise ValueError(f"`confidence_level` is {confidence_level!r}; it must be a number from 0.5 to 1.")
        rng = checks.seed(rng)
        draws = np.random.default_rng(rng).dirichlet(np.ones(count), checks.integer("n_draws", n_draws, least=50))
        matrix = replace(choice.matrix, candidates=None if choice.candidates.all() else choice.candidates)
        front = front_of_candidates(matrix, keep="first")
        # Whatever the order of the table, the same seed asks the same questions.
        front = front[label_order(matrix.index[front], matrix.values[front])]
        normalized, sums = choice.normalized_costs[front], choice.rank_sums(front)
        return cls(
            matrix=matrix,
            front=front,
            normalized=normalized,
            p=choice.p,
            normalize=choice.normalize,
            tolerance=checks.fraction("tolerance", tolerance),
            confidence_level=float(confidence_level),
            answers=(),
            draws=draws,
            conflict=(),
            rng=rng,
            frame=choice.inputs.frame,
            where=choice.inputs.where,
            rank_sums=sums,
            _winners=winners_along(normalized, draws, choice.p, sums),
        )

    # -------------------------------------------------------------------------------- questions and answers

    def ask(self) -> Question | None:
        """Return the pair whose comparison is expected to narrow most, or None if nothing is left to ask.

        Among pairs of the rows most likely to be best, it is the pair that leaves the least expected
        uncertainty (Shannon entropy) about which row is best. No pair is asked about twice.
        """
        if self.conflict or self.converged:
            return None
        rows, counts = np.unique(self._winners, return_counts=True)
        likely = rows[np.argsort(-counts, kind="stable")][:_ASKED_ABOUT]
        answered = {frozenset(answer.rows) for answer in self.answers}
        pairs = [pair for pair in itertools.combinations(likely.tolist(), 2) if frozenset(pair) not in answered]
        if not pairs:
            return None
        keys = arrays.criterion_keys(self.normalized[likely], self.draws, self.p)
        column = {row: i for i, row in enumerate(likely.tolist())}
        first, second = (np.array([column[pair[side]] for pair in pairs]) for side in (0, 1))
        prefers = keys[:, first] < keys[:, second]
        left = arrays.expected_entropies(prefers, self._winners)
        best = int(np.argmin(left))
        gain = float(arrays.expected_entropies(np.ones((len(self.draws), 1)), self._winners)[0] - left[best])
        if gain < _LEAST_GAIN:
            return None
        a, b = pairs[best]
        return Question(self._label(a), self._label(b), gain, float(prefers[:, best].mean()), (a, b))

    def answer(self, choice: str, question: Question | tuple[Hashable, Hashable] | None = None) -> Elicitation:
        """Record an answer.

        Parameters
        ----------
        choice : {"first", "second", "equal", "unsure"}
            Which row is better.
        question : Question or pair of labels, optional
            The pair compared; by default the one that :meth:`ask` returns. Any two candidates may be compared.

        Returns
        -------
        Elicitation
            With the answer among `answers`. If it contradicts earlier ones, `conflict` names the answers that
            do, and the draws stay as they were until one of them is withdrawn.

        Raises
        ------
        ValueError
            For an answer that is not among those allowed, rows that are not candidates, or when no question is left.
        """
        checks.one_of("choice", choice, ANSWERS)
        question = self.ask() if question is None else question
        if question is None:
            raise ValueError("there is no question left; name two rows: answer(choice, (first, second)).")
        if not isinstance(question, Question):
            question = self._question(question)
        answer = Reply(question.first, question.second, choice, question.rows)
        return self._with((*self.answers, answer), self.draws)

    def withdraw(self, number: int) -> Elicitation:
        """Withdraw the answer with this number, counted from 0.

        Raises
        ------
        ValueError
            For an answer that was not given.
        """
        if not -len(self.answers) <= number < len(self.answers):
            raise ValueError(f"`number` is {number!r}; there are {len(self.answers)} answers, counted from 0.")
        kept = list(self.answers)
        del kept[number]
        fresh = np.random.default_rng([self.rng, 1]).dirichlet(np.ones(self.draws.shape[1]), len(self.draws))
        return self._with(tuple(kept), fresh)

    # ---------------------------------------------------------------------------------------- what is known

    @property
    def converged(self) -> bool:
        """Whether a share of at least `confidence_level` of the remaining weights chooses the same row."""
        return not self.conflict and self.share >= self.confidence_level

    @property
    def share(self) -> float:
        """Share of the remaining weights that choose :attr:`best`."""
        return float((self._winners == self._leader()).mean())

    @property
    def best(self) -> Hashable:
        """The row that most of the remaining weights choose."""
        return self._label(self._leader())

    @property
    def weights(self) -> dict[Hashable, float]:
        """Weights in the middle of those that agree with the answers and choose :attr:`best`."""
        mine = self.draws[self._winners == self._leader()]
        middle = mine[np.argmin(((mine - mine.mean(axis=0)) ** 2).sum(axis=1))]
        return dict(zip(self.matrix.objectives, middle.tolist(), strict=True))

    @property
    def weight_ranges(self) -> pd.DataFrame:
        """Per objective: mean, 2.5% and 97.5% quantile of the weights that agree with the answers."""
        low, high = np.quantile(self.draws, [0.025, 0.975], axis=0)
        return pd.DataFrame(
            {"mean": self.draws.mean(axis=0), "low": low, "high": high},
            index=pd.Index(self.matrix.objectives.names, name="objective", tupleize_cols=False),
        )

    @property
    def potentially_optimal(self) -> pd.DataFrame:
        """Rows that some remaining weights choose: the share of weights that do, and the objectives' values."""
        rows, counts = np.unique(self._winners, return_counts=True)
        order = np.argsort(-counts, kind="stable")
        rows, counts = rows[order], counts[order]
        values = several(self.frame, self.matrix.objectives).iloc[self.matrix.positions[self.front[rows]]]
        values.columns = pd.Index(list(values.columns), tupleize_cols=False)
        values.insert(0, "share of weights", counts / counts.sum(), allow_duplicates=True)
        return values

    @property
    def table(self) -> pd.DataFrame:
        """Return :attr:`potentially_optimal`."""
        return self.potentially_optimal

    def to_answer(self) -> Answer:
        """Which row fits the answers, and how sure that is."""
        return Answer.of(
            self.parts(),
            question=say(part("elicitation.question")),
            used="copa",
            values={"best": self.best, "share": self.share, "answers": len(self.answers)},
        )

    def printed_tables(self) -> list[PrintedTable]:
        """The weights that agree with the answers, and the rows that can still be best."""
        ranges = "Weights that agree with all answers: mean and 95% range."
        possible = "Rows that can still be best, by share of the remaining weights."
        return [
            PrintedTable(frame=self.weight_ranges.rename(index=text.spoken), name="weight-ranges", caption=ranges),
            PrintedTable(frame=self.potentially_optimal, name="potentially-optimal", caption=possible, most=8),
        ]

    def selection(self) -> Selection:
        """Make the choice with ``copa`` under the mean of the weights that agree with the answers."""
        rows = self.frame.iloc[self.matrix.positions]
        return copa(
            DescribedFrame.of(rows, self.matrix.objectives, nan_policy="worst"), p=self.p, weights=self.weights,
            normalize=self.normalize, where=self.matrix.candidates,
        )  # fmt: skip

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the share of the remaining weights that chooses each row."""
        from copa_nb.plotting.rows import draw_rows

        return draw_rows(
            self.potentially_optimal.iloc[:, 0], "share of the remaining weights that chooses the row", ax=ax
        )

    def parts(self) -> list[Part]:
        """Which row the remaining weights choose, which may still be best, or which answers contradict each other."""
        n = len(self.answers)
        if self.conflict:
            clash = [
                part("elicitation.phrases.answer", number=number + 1, answer=str(self.answers[number]))
                for number in self.conflict
            ]
            return [
                part("elicitation.headline.conflict", n=n),
                part("elicitation.reasons.conflict", answers=clash),
                part("elicitation.reasons.withdraw"),
            ]
        if self.converged and self.share == 1:
            return [part("elicitation.headline.converged", n=n, best=self._best_name)]
        possible = {"possible": len(np.unique(self._winners)), "front": len(self.front)}
        return [
            part("elicitation.headline.leads", best=self._best_name, share=self.share),
            part("elicitation.reasons.possible", n=n, **possible),
        ]

    @property
    def _best_name(self) -> str:
        return text.row_name(self.best, self.matrix.index.name)

    def __repr__(self) -> str:
        state = "contradictory" if self.conflict else f"{len(np.unique(self._winners))} rows can still be best"
        return f"<Elicitation: {len(self.answers)} answers, {state}, leading {self.best!r}, p={write_p(self.p)}>"

    def _card(self) -> str:
        weights = text.html_table(self.weight_ranges, caption="Weights that agree with the answers (95% range).")
        rows = text.html_table(self.potentially_optimal, caption="Rows that can still be best.", most=8)
        return text.card(f"Leading: {self._best_name}", explained(self.parts()), weights, rows)

    # -------------------------------------------------------------------------------------------- internals

    def _leader(self) -> int:
        return int(np.bincount(self._winners).argmax())

    def _label(self, row: int) -> Hashable:
        label: Hashable = self.matrix.index[self.front[row]]
        return label

    def _question(self, pair: tuple[Hashable, Hashable]) -> Question:
        rows = []
        for label in pair:
            matches = rows_named(self.matrix.index[self.front], label)
            if not len(matches):
                raise ValueError(f"`question` names {label!r}, which is not on the front of the candidates.")
            rows.append(int(matches[0]))
        keys = arrays.criterion_keys(self.normalized[rows], self.draws, self.p)
        return Question(pair[0], pair[1], 0.0, float((keys[:, 0] < keys[:, 1]).mean()), (rows[0], rows[1]))

    def _comparisons(self, answers: Sequence[Reply]) -> arrays.Comparisons:
        """Comparisons that the answers imply: "equal" is two, "unsure" none."""
        better: list[int] = []
        worse: list[int] = []
        factors: list[float] = []
        for one in answers:
            first, second = one.rows
            factor = 1.0 + self.tolerance if one.choice == "equal" else 1.0
            for choice, preferred, other in (("first", first, second), ("second", second, first)):
                if one.choice in (choice, "equal"):
                    better.append(preferred)
                    worse.append(other)
                    factors.append(factor)
        rows = self.normalized
        return arrays.Comparisons(
            rows[np.array(better, dtype=int)], rows[np.array(worse, dtype=int)], np.array(factors), self.p
        )

    def _with(self, answers: tuple[Reply, ...], draws: np.ndarray) -> Elicitation:
        comparisons = self._comparisons(answers)
        rng = np.random.default_rng([self.rng, 2, len(answers)])
        survivors = draws[comparisons.agree(draws)]
        if len(survivors) == len(draws):
            steps = 0 if draws is self.draws else _STEPS
        elif len(survivors):
            survivors, steps = survivors[rng.integers(len(survivors), size=len(draws))], _STEPS
        else:
            inside = arrays.interior_weights(comparisons)
            if inside is None:
                clash = arrays.minimal_conflict(
                    range(len(answers)),
                    lambda kept: arrays.interior_weights(self._comparisons([answers[i] for i in kept])) is not None,
                )
                return replace(self, answers=answers, conflict=tuple(clash))
            survivors, steps = np.tile(inside, (len(draws), 1)), _STEPS_FROM_ONE_POINT
        moved = arrays.walk(survivors, comparisons, rng, steps)
        leading = winners_along(self.normalized, moved, self.p, self.rank_sums)
        return replace(self, answers=answers, draws=moved, conflict=(), _winners=leading)

    def simulate_user(self, weights: WeightsLike, *, indifference: float = 0.0, most: int = 200) -> Elicitation:
        """Answer every question as a user with these weights would, until no question is left.

        Parameters
        ----------
        weights : mapping or sequence
            The weights that the answers follow.
        indifference : float
            Rows whose criteria differ by at most this share are answered with "equal".
        most : int
            Questions after which to give up.

        Returns
        -------
        Elicitation
            ``len(result.answers)`` is the number of questions.

        Raises
        ------
        ValueError
            For weights of unknown objectives or below 0, or fewer than one question.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]}, index=list("abcd")
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> done = copa_nb.results.Elicitation.of(models.moo.copa()).simulate_user({"co2_kg": 0.9})
        >>> done.best, done.converged
        ('d', True)
        """
        true = resolve_weights(self.matrix.objectives, weights)
        now = self
        for _ in range(checks.integer("most", most)):
            question = now.ask()
            if question is None:
                break
            rows = np.array(question.rows)
            pair = self.normalized[rows]
            choice = ANSWERS[winners(pair, true, self.p, self.rank_sums[rows])[0]]
            values = weighted_norm(pair, true, self.p)
            if indifference and values.max() <= (1 + indifference) * values.min():
                choice = "equal"
            now = now.answer(choice, question)
        return now

    def simulate_users(self, count: int, *, rng: int | np.random.Generator | None = 0) -> pd.DataFrame:
        """Ask simulated users without errors, whose weights are drawn uniformly from all possible ones.

        Parameters
        ----------
        count : int
            Users.
        rng : int, Generator or None
            Seed of their weights.

        Returns
        -------
        DataFrame
            One row per user: ``questions``, ``right`` (whether the row found is the one that ``copa`` chooses under
            these weights), and ``share`` of the remaining weights that choose it.

        Raises
        ------
        ValueError
            For fewer than one user.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> models = pd.DataFrame(
        ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]}, index=list("abcd")
        ... ).moo.define(accuracy="max", co2_kg="min")
        >>> copa_nb.results.Elicitation.of(models.moo.copa()).simulate_users(3)["right"].tolist()
        [True, True, True]
        """
        generator, objectives = checks.generator(rng), self.matrix.objectives
        rows = []
        for _ in range(checks.integer("count", count)):
            weights = generator.dirichlet(np.ones(len(objectives))).tolist()
            found = self.simulate_user(weights)
            table = DescribedFrame.of(self.frame, objectives, nan_policy="worst")
            wanted = copa(table, p=self.p, weights=weights, normalize=self.normalize, where=self.where)
            rows.append((len(found.answers), found.best == wanted.best, found.share))
        return pd.DataFrame(rows, columns=["questions", "right", "share"])


@describes(Elicitation.plot)
def _possible_in_words(elicitation: Elicitation) -> Picture:
    shares = elicitation.potentially_optimal.iloc[:, 0]
    best, largest = text.row_name(shares.index[0], elicitation.matrix.index.name), float(shares.iloc[0])
    return Picture(
        finding=elicitation.headline,
        caption="Share of the weights that agree with the answers so far, by the row that they choose.",
        alt="Horizontal lines with the share of the remaining weights that chooses each row; "
        f"{best} has {text.percent(largest)}.",
        data=elicitation.potentially_optimal,
    )
