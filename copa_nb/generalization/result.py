"""What ``df.moo.gap()`` returns: the gap of one search, or of several, by what was asked."""

from __future__ import annotations

__all__ = ["Gap"]

from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, ItemsView, Mapping, Sequence, ValuesView
from typing import TYPE_CHECKING, Any, cast

import pandas as pd

from copa_nb.generalization import printing
from copa_nb.generalization.answers import parts_of
from copa_nb.generalization.budgets import GapBudgets, follow_budgets
from copa_nb.generalization.overtuning import Overtuning, follow_overtuning
from copa_nb.generalization.searches import BOUNDS, Searches, needed
from copa_nb.results.answer import Answer
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part, say

if TYPE_CHECKING:
    from copa_nb.generalization.arrays.fronts import Fronts
    from copa_nb.generalization.bootstrap import Metric
    from copa_nb.generalization.scores import PairedScores
    from copa_nb.results.result import Grouped
    from copa_nb.tables.objectives import Objectives

ONE_METHOD = Note(
    "There is one method, so there is nothing to compare it with; describe the column that names several as the "
    "system, or give the gap of another one."
)
NOT_IN_ORDER = Note(
    "The table does not say in which order rows were evaluated; with a column described as the order, the first of "
    "them are a search with a smaller budget."
)
# What the entries of `Gap.summary` are called in a table for people.
QUANTITY_NAMES = {
    "hv_validation": "validation hypervolume",
    "hv_pessimistic": "pessimistic hypervolume on test",
    "hv_optimistic": "optimistic hypervolume on test",
    "gap": "approximation gap",
    "relative_gap": "gap ÷ optimistic hypervolume",
    "hv_test": "hypervolume of all rows on test",
    "optimism": "optimism (validation − optimistic)",
    "leakage": "leakage",
    "n_rows": "rows",
    "n_validation_front": "rows on the validation front",
    "n_optimistic": "of these, on the optimistic front",
    "n_pessimistic": "of these, on the pessimistic front",
    "n_dominated": "of these, dominated by another on test",
    "n_reordered": "of these, in a pair that changes order",
}
# Columns of `Gap.searches`.
QUANTITIES = ("hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "optimism")
COUNTS = ("n_validation_front", "n_dominated")
# Of one search, and of repetitions, and of groups: the others say where to look.
_OF_ONE_SEARCH = frozenset(
    (
        "dominated", "exact", "fronts", "gap", "hv_optimistic", "hv_pessimistic", "hv_test", "hv_validation", "keep",
        "leakage", "optimism", "optimistic", "order", "pessimistic", "reference_given",
        "relative_gap", "reordered", "scores", "test_front", "validation_front",
    )
)  # fmt: skip
_OF_REPETITIONS = frozenset(("estimate", "gaps", "kind", "n_instances"))
_OF_TIES = frozenset(("n_ties", "ways"))
_OF_GROUPS = frozenset(("by", "collect", "each", "items", "keys", "results", "values"))


class Gap(Worded, ABC):
    """What a front that was chosen on validation data is worth on test data: of one search, or of several.

    Every gap has the methods below and :attr:`searches`, a table with one line for each search. A gap of one search has
    its numbers and fronts as attributes; one of several repetitions has them in ``gaps``, and one of several systems or
    groups is a mapping of their labels to their gaps. What a gap does not have is refused with the line to write.

    Attributes
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1). The returned set as
        a whole has this hypervolume on test.
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2): what remains if all rows are
        dropped that dominate another.
    hv_test : float
        Hypervolume on test of the hypothetical front of all rows there, which only a choice on the test data gives.
    reference : dict of objective to value
        The reference point of all hypervolumes, in the objectives' own units.
    gaps : mapping of repetition to Gap
        Of several repetitions, or of resamples of a test set: each of them.
    kind : {"repetitions", "bootstrap"}
        Which of the two they are.
    estimate : Gap or None
        Of resamples: the gap on the test set as it is.
    ways : mapping of number to Gap
        With ``keep="bounds"``: the gap for every way to keep one of the rows with equal validation scores. ``table``
        has the smallest and the largest values.

    Notes
    -----
    ``hv_test >= hv_optimistic >= hv_pessimistic`` always. The gap is 0 exactly when no row of the validation
    front is dominated by another of them on test, as long as all lie inside the reference point; so a front of a
    single row has gap 0, however badly it generalizes. All numbers treat the test scores as exact: :meth:`bootstrap`
    shows how much they depend on the test instances.
    """

    paper = "feurer2023gap"

    # Of one search, `summary` and `table` have what these do.
    _internals = frozenset(
        ("details", "first_search", "in_order", "interval", "repeats", "searches", "share_with_gap", "in_short")
    )

    # Of one search; a gap of several says where to look.
    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: Fronts
    reference_given: bool
    objectives: Objectives
    order: pd.DataFrame
    summary: Any
    # Of repetitions and resamples.
    gaps: Grouped[Gap]
    kind: str
    estimate: Gap | None
    n_instances: int | None
    # Of all ways to keep one of equal rows.
    ways: Grouped[Gap]
    n_ties: int
    # Of systems and groups.
    results: dict[Hashable, Gap]
    by: Any
    items: Callable[[], ItemsView[Hashable, Gap]]
    values: Callable[[], ValuesView[Gap]]
    collect: Callable[[Any], pd.Series]
    each: Callable[..., Grouped[Any]]

    _rows: pd.DataFrame
    _group: str
    _searches: Searches | None

    plot = Offered()
    report = Offered()
    explore = Offered()

    if not TYPE_CHECKING:  # which would take every name for one that is there

        def __getattr__(self, name: str) -> Any:
            if name in _OF_ONE_SEARCH:
                raise AttributeError(f"`{name}` is of one search; {self._where_one_is()}, or see `searches`.")
            if name in _OF_REPETITIONS:
                raise AttributeError(
                    f"`{name}` is of repetitions; {self._where_repetitions_are()}, or see `searches` and `repeats()`."
                )
            if name in _OF_TIES:
                raise AttributeError(f"`{name}` is of a gap that was measured with keep='bounds'.")
            if name in _OF_GROUPS:
                raise AttributeError(
                    f"`{name}` is of several systems or groups; measure them with df.moo.by(...).gap()."
                )
            return super().__getattr__(name)

    def __dir__(self) -> list[str]:
        # A gap of one search has most of these, and `summary` their numbers.
        return [name for name in super().__dir__() if name not in _OF_ONE_SEARCH and name != "reference"]

    def __getitem__(self, group: Hashable) -> Gap:
        """Return the gap of a system or group."""
        raise TypeError(
            f"this gap has no group {group!r}: it is of one system; measure several with df.moo.by(...).gap()."
        )

    def _where_one_is(self) -> str:
        """How the gap of one search is had of this one."""
        return "this is one"

    def _where_repetitions_are(self) -> str:
        """How the gap of repetitions is had of this one."""
        return "this is one search, of which df.moo.define(repeat=...) makes several"

    @property
    def gap(self) -> float:
        """Approximation gap: optimistic minus pessimistic hypervolume."""
        return self.hv_optimistic - self.hv_pessimistic

    @property
    def relative_gap(self) -> float:
        """Gap as a share of the optimistic hypervolume; 0 where that is 0."""
        return self.gap / self.hv_optimistic if self.hv_optimistic > 0 else 0.0

    @property
    def optimism(self) -> float:
        """Validation minus optimistic hypervolume: by how much validation overstates the front.

        The paper speaks of over-estimation where a front is reported without its points that are dominated on test.
        """
        return self.hv_validation - self.hv_optimistic

    @property
    def leakage(self) -> float:
        """Hypothetical minus optimistic hypervolume: what choosing on the test data would appear to add."""
        return self.hv_test - self.hv_optimistic

    @property
    def validation_front(self) -> pd.Index:
        """Labels of the rows that no row dominates on validation."""
        return self.scores.index[self.fronts.validation]

    @property
    def optimistic(self) -> pd.Index:
        """Labels of the optimistic front."""
        return self.scores.index[self.fronts.optimistic]

    @property
    def pessimistic(self) -> pd.Index:
        """Labels of the pessimistic front."""
        return self.scores.index[self.fronts.pessimistic]

    @property
    def test_front(self) -> pd.Index:
        """Labels of the hypothetical front of all rows on test."""
        return self.scores.index[self.fronts.hypothetical]

    @property
    def dominated(self) -> pd.Index:
        """Labels of validation-front rows that another of them dominates on test."""
        return self.validation_front[self._rows["dominated_by"].notna().to_numpy()]

    @property
    def reordered(self) -> pd.Index:
        """Labels of validation-front rows whose order to another of them is reversed in some objective."""
        return self.validation_front[(self._rows["swaps"] > 0).to_numpy()]

    @property
    def share_with_gap(self) -> float:
        """Share of the searches, or of the draws, in which a row of the validation front is dominated on test."""
        return float((self.searches["n_dominated"] > 0).mean())

    @property
    @abstractmethod
    def searches(self) -> pd.DataFrame:
        """One line for each search: its hypervolumes and gap, the size of its front, and rows dominated on test."""

    @property
    def first_search(self) -> Gap:
        """The gap of the first search; one search is its own."""
        return self

    @property
    def in_order(self) -> Gap:
        """The gap itself, if its table says in which order rows were evaluated; a note if it does not."""
        if self._searches is not None and self._searches.keep != BOUNDS and "order" in self._searches.asked:
            return self
        return cast("Gap", NOT_IN_ORDER)

    def parts(self) -> list[Part]:
        """How scores change on test, what the front keeps of what validation promised, and how certain this is."""
        return parts_of(self)

    @abstractmethod
    def in_short(self) -> list[Part]:
        """The size of the gap, in a sentence or two."""

    def details(self) -> list[Part]:
        """What the answer has no room for."""
        return self.in_short()

    @property
    def _by_group(self) -> Mapping[Hashable, Gap]:
        return {"all": self}

    def facts(self) -> dict[str, Any]:
        """Return what the headline is made of, as values of JSON; see :meth:`Result.facts`."""
        return {**super().facts(), "result": "Gap"}

    def to_answer(self) -> Answer:
        """What the front keeps on test of what validation promised."""
        gaps = {name: float(one.searches["gap"].mean()) for name, one in self._by_group.items()}
        return Answer.of(self.parts(), question=say(part("gap.question")), used="gap", values={"gaps": gaps})

    def printed_tables(self) -> list[PrintedTable]:
        """Falls from validation to test, hypervolumes, sizes of fronts; of repetitions, their spread."""
        return printing.tables_of(self._by_group)

    def budgets(self, numbers: Sequence[int] | None = None) -> GapBudgets:
        """Follow hypervolumes and gap over the budget of the search, from this one run.

        The first n rows of a random search are a random search with a budget of n, so a single run gives the paper's
        Table 1 ([1]_, section 5.2) and a curve over every budget. All budgets share the reference point of this gap.
        Rows that `where` or ``nan_policy="omit"`` keep off the front still count as evaluations.

        Parameters
        ----------
        numbers : sequence of int, optional
            Numbers of evaluations for the table; by default 40, 50, 100, 200 and 500, or those up to the end, and the
            end. None may be beyond the end of the search (the shortest of several).

        Returns
        -------
        GapBudgets

        Raises
        ------
        ValueError
            For numbers that are too large or not whole.
        TypeError
            For a table that was read in pieces, and for resamples of a test set.

        References
        ----------
        .. [1] Feurer et al., "Mind the Gap", IDA 2023, https://arxiv.org/abs/2212.04183.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame(
        ...     {"val_precision": [0.9, 0.6, 0.7], "val_recall": [0.2, 0.5, 0.6],
        ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]}
        ... )
        >>> both = {"precision": "max", "recall": "max"}
        >>> runs.moo(both).gap(reference={"precision": 0, "recall": 0}).budgets([1, 2, 3]).table.round(2)
        evaluations     1     2     3
        hypervolume
        validation   0.18  0.36  0.46
        pessimistic  0.21  0.27  0.33
        optimistic   0.21  0.27  0.33
        gap          0.00  0.00  0.00
        """
        return follow_budgets(needed(self._searches), numbers)

    def overtuning(self, least_progress: float = 0.001) -> Overtuning:
        """Follow how much of the progress of the search on validation is lost on test.

        With one objective this is the overtuning of [1]_. The incumbent after t evaluations has the best validation
        score so far, the first of them if several have it. Overtuning is how much worse its test score is than that of
        the best incumbent up to then; relative overtuning divides this by how much better that one is than the first
        incumbent.

        With several objectives (not in [1]_) the incumbents are the rows of the validation front, and the hypervolume
        of their test scores, under the reference point of this gap, takes the place of the test score.

        Parameters
        ----------
        least_progress : float
            Progress on test below which a share of it is meaningless and NaN; .001 in the authors' code.

        Returns
        -------
        Overtuning

        Raises
        ------
        ValueError
            For infinite scores of a single objective.
        TypeError
            For a table that was read in pieces, and for resamples of a test set.

        References
        ----------
        .. [1] L. Schneider, B. Bischl and M. Feurer, "Overtuning in Hyperparameter Optimization", AutoML 2025,
           https://arxiv.org/abs/2506.19540.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> run = pd.DataFrame({"val_error": [0.5, 0.4, 0.45, 0.3], "test_error": [0.6, 0.4, 0.2, 0.5]})
        >>> found = run.moo({"error": "min"}).gap().overtuning()
        >>> found.table[["test", "best", "overtuning", "relative"]].round(2).to_numpy().tolist()
        [[0.6, 0.6, 0.0, nan], [0.4, 0.4, 0.0, 0.0], [0.4, 0.4, 0.0, 0.0], [0.5, 0.4, 0.1, 0.5]]
        >>> print(found.headline)
        Stop earlier: going on costs 0.1 in error on test
        """
        return follow_overtuning(needed(self._searches), least_progress)

    def bootstrap(
        self,
        predictions: pd.DataFrame,
        truth: Any = None,
        metrics: Mapping[Any, Metric] | None = None,
        *,
        n_resamples: int = 1000,
        rng: Any = 0,
    ) -> Gap:
        """Resample the test set, to measure how much the gap depends on the instances that it happens to contain.

        The validation front stays fixed; the test instances are drawn with replacement and its rows are scored
        again on each draw. Two methods resampled with the same seed see the same draws, so that ``compare`` compares
        them draw by draw. Extends the gap of section 3 of "Mind the Gap" [1]_.

        Parameters
        ----------
        predictions : DataFrame
            One row per model (labels as in the table; those on the validation front suffice), one column per test
            instance: predicted labels, or per-instance scores for the metric "mean".
        truth : array-like of length n_instances, optional
            True labels. "precision" and "recall" take the label 1 (or True) as positive.
        metrics : mapping of objective to metric
            How each objective is computed from predictions: "accuracy", "error", "precision", "recall" (against
            `truth`), "mean" (of per-instance scores), or a function ``metric(truth, predicted) -> float``.
            Precision and recall of no positives are 0. By default, the metric that is called as the objective.
        n_resamples : int
            Number of draws.
        rng : int or Generator
            Seed or generator; the default gives the same result every time, None a different one.

        Returns
        -------
        Gap
            With ``kind="bootstrap"`` and the gap on the test set as it is in ``estimate``. Only rows of the
            validation front take part, so ``hv_test`` of its gaps is the hypervolume of these rows. Draws show a larger
            gap than the test set itself does, on average: use :meth:`~copa_nb.results.Gap.interval`, which
            corrects this, and not quantiles of ``table``.

        Raises
        ------
        TypeError
            For repetitions and groups: each search has predictions of its own.
        ValueError
            If the reference point was taken from the worst values, which would change with every resample, or if
            predictions, truth or metrics do not fit the rows of the validation front.

        References
        ----------
        .. [1] Feurer et al., "Mind the Gap", IDA 2023, https://arxiv.org/abs/2212.04183.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> frame = pd.DataFrame({"val_precision": [1.0, 0.5], "val_recall": [0.5, 1.0],
        ...     "test_precision": [1.0, 0.67], "test_recall": [0.5, 1.0]}, index=["a", "b"])
        >>> truth = np.array([1, 1, 0, 0, 1, 0, 0, 1])
        >>> predictions = pd.DataFrame([[1, 0, 0, 0, 0, 0, 0, 1], [1, 1, 1, 0, 1, 1, 0, 1]], index=["a", "b"])
        >>> both = {"precision": "max", "recall": "max"}
        >>> found = frame.moo(both).gap(reference={"precision": 0, "recall": 0})
        >>> resampled = found.bootstrap(predictions, truth, n_resamples=50)
        >>> resampled.estimate.gap
        0.0
        >>> resampled.table.shape
        (50, 8)
        """
        raise TypeError(f"predictions are of one search; {self._where_one_is()}.bootstrap(...).")

    @abstractmethod
    def compare(self, other: Gap | None = None, *, names: tuple[str, str] | None = None) -> Any:
        """Compare methods by the three criteria of "Mind the Gap", section 4 [1]_.

        Parameters
        ----------
        other : Gap, optional
            Of another method, under the same reference point: measure both in one call, or fix ``reference=``. Without
            it, all systems or groups of this gap are compared in pairs. Repetitions are matched by their labels.
        names : tuple of str, optional
            Names of the two methods; by default those of their groups, or "A" and "B".

        Returns
        -------
        GapComparison
            Or a :class:`RepeatedComparison` of repetitions, with the share of them in which each method is better; or
            either of them for each pair of labels. A sentence in its place, where there is one method only.

        Raises
        ------
        ValueError
            If objectives or reference points differ, or no repetition is in both.
        TypeError
            If `other` is of another kind.

        References
        ----------
        .. [1] Feurer et al., "Mind the Gap", IDA 2023, https://arxiv.org/abs/2212.04183.

        Examples
        --------
        >>> import pandas as pd, copa_nb
        >>> runs = pd.DataFrame(
        ...     {"method": ["forest", "forest", "linear", "linear"],
        ...      "val_precision": [0.9, 0.5, 0.8, 0.4], "val_recall": [0.3, 0.9, 0.2, 0.7],
        ...      "test_precision": [0.8, 0.5, 0.7, 0.4], "test_recall": [0.3, 0.8, 0.2, 0.6]}
        ... )
        >>> both = {"precision": "max", "recall": "max"}
        >>> gaps = runs.moo(both).by("method").gap(reference={"precision": 0, "recall": 0})
        >>> gaps["forest"].compare(gaps["linear"])
        <GapComparison of forest and linear; hypervolume: forest, dominance: forest, robustness: no statement>
        >>> list(gaps.compare())
        [('forest', 'linear')]
        """

    @abstractmethod
    def falls(
        self, n: int | None = None, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> pd.DataFrame:
        """Compare the fall from validation to test of what was chosen with that of all candidates (winner's curse).

        All candidates fall if the test data are harder, or if training has seen the validation data. What was chosen
        for its validation scores falls further, because it was partly lucky there. This excess is the winner's curse.

        Parameters
        ----------
        n : int, optional
            How many candidates, drawn at random, the best on validation is chosen from; all if omitted.

        confidence_level, resplit_ratio : float
            As for :meth:`interval`; of repetitions.

        Returns
        -------
        DataFrame
            Falls, positive where test is worse, in the objectives' own units. One row per objective: ``average`` of all
            candidates, that of the ``chosen`` (the expected fall of the best of n on validation in this objective; rows
            that tie for it are averaged), and the difference, ``winners_curse``. Without `n` a last row
            ``hypervolume``: the fall of the validation front's hypervolume if each of its rows fell by the averages of
            all candidates, its fall to the optimistic hypervolume (:attr:`optimism`), and the difference. Rows with an
            infinite score are left out of averages. Of repetitions, their means, and the confidence interval of the
            mean winner's curse: ``low`` and ``high``, missing with a single one.

        Raises
        ------
        ValueError
            If `n` is not between 1 and the number of candidates, or for resamples of one test set, whose
            candidates were chosen once.
        TypeError
            For a table that was read in pieces.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> lucky = pd.DataFrame({f"{part}_{name}": 0.7 + 0.1 * rng.normal(size=400) for part in ("val", "test")
        ...     for name in ("precision", "recall")})  # equally good, as far as the noise tells
        >>> ways = {"precision": "max", "recall": "max"}
        >>> falls = lucky.moo(ways).gap(reference=dict.fromkeys(ways, 0)).falls()
        >>> falls["average"].round(2).tolist(), falls["chosen"].round(2).tolist()
        ([0.0, -0.01, -0.01], [0.17, 0.23, 0.31])
        """

    @abstractmethod
    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Confidence interval of a quantity.

        Parameters
        ----------
        quantity : str
            A column of :attr:`searches`.
        confidence_level : float
            Confidence level.
        resplit_ratio : float
            Rows in test over rows in training, if the repetitions split the same data at random. Such
            repetitions share rows, so that the plain interval is too narrow; Nadeau and Bengio's (2003)
            correction adds this ratio to 1 / number of repetitions. 0 treats them as independent.

        Returns
        -------
        tuple of float
            It holds the mean, or the estimate, and is not negative for a quantity that cannot be.

            For repetitions, Student's interval of the mean; missing with a single one. The gap has a long upper
            tail, so that its upper end is taken on the logarithmic scale. Intervals at 95% covered at least
            93% in simulations with five or more independent repetitions; with three, as little as 82%.

            For a bootstrap, the interval of the quantity itself for the front that was chosen. Percentiles of the
            draws cover 0 to 80% for the gap, since resampling moves it upwards; see
            :mod:`copa_nb.generalization.arrays.intervals` for what is done instead. At 95% it covered at least
            93% in simulations, also where all models are equal. For the counts it is the range that holds
            `confidence_level` of the draws, which is no confidence interval.

        Raises
        ------
        ValueError
            For an unknown quantity, a `confidence_level` that is not strictly between 0 and 1, or a negative
            `resplit_ratio`.
        """

    @abstractmethod
    def repeats(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """One line per quantity: mean, standard deviation, the interval of :meth:`interval`, and the range.

        Parameters
        ----------
        confidence_level, resplit_ratio : float
            As for :meth:`interval`.

        Returns
        -------
        DataFrame
            Columns ``mean``, ``sd``, ``low``, ``high``, ``min``, ``max``; of one search, what needs several is missing.
            Of several systems or groups, their tables below each other.
        """


def named(given: tuple[str, str] | None, one: Gap, other: Gap) -> tuple[str, str]:
    """Return the names of two methods: as given, those of their groups, or letters."""
    if given is not None:
        return given
    first, second = one._group, other._group
    return (first, second) if first and second and first != second else ("A", "B")


def note_of_explorer(written: str) -> Note:
    """Say which gap has an explorer."""
    return Note(f"A slider follows the budget of one search; explore one of them: {written}.explore().")
