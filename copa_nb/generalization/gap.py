"""The verb ``gap`` and its results: what a front chosen on validation data is worth on test data (section 3).

The numbers of a gap are in ``measured.py``; here is what can be asked of it further.
"""

from __future__ import annotations

__all__ = ["Gap", "GapRepeats", "GapsByGroup"]

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from typing import Any, Generic, TypeVar, cast, overload

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.arrays import fronts as arrays
from copa_nb.generalization.arrays import intervals
from copa_nb.generalization.bootstrap import Metric, resampled
from copa_nb.generalization.budgets import GapBudgets, follow_budgets
from copa_nb.generalization.comparison import (
    GapComparison,
    RepeatedComparison,
    compare_measured,
    compare_repeated,
    repetitions_text,
)
from copa_nb.generalization.measured import FEWEST_CANDIDATES, MeasuredGap, selection_sentences
from copa_nb.generalization.overtuning import Overtuning, follow_overtuning
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.generalization.searches import Searches, needed
from copa_nb.generalization.volumes import front_hypervolume, front_volumes, volumes_on_test
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.result import Grouped, Result
from copa_nb.tables.candidates import Where
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike

# What the entries of `Gap.summary` are called in a table for people.
QUANTITY_NAMES = {
    "hv_validation": "validation hypervolume",
    "hv_pessimistic": "pessimistic hypervolume on test",
    "hv_optimistic": "optimistic hypervolume on test",
    "gap": "approximation gap",
    "relative_gap": "gap ÷ optimistic hypervolume",
    "hv_test": "hypervolume of all rows on test",
    "overestimation": "optimism (validation − optimistic)",
    "leakage": "leakage",
    "n_rows": "rows",
    "n_validation_front": "rows on the validation front",
    "n_optimistic": "of these, on the optimistic front",
    "n_pessimistic": "of these, on the pessimistic front",
    "n_dominated": "of these, dominated by another on test",
    "n_reordered": "of these, in a pair that changes order",
}
# What `GapRepeats` summarizes.
QUANTITIES = ("hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "overestimation")
# Those that only shrink to 0: a mean of few repetitions has a long upper tail.
_SKEWED = ("gap", "relative_gap")
# From this many repetitions on, intervals of a mean keep the level that simulations showed.
_ENOUGH = 5
COUNTS = ("n_validation_front", "n_dominated")

OneGap = TypeVar("OneGap")


@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: None = None, repeat: None = None, order: Hashable | None = None,
    nan_policy: str = "raise",
) -> Gap: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: None = None, repeat: Any, order: Hashable | None = None, nan_policy: str = "raise",
) -> GapRepeats: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: Any, repeat: None = None, order: Hashable | None = None, nan_policy: str = "raise",
) -> GapsByGroup[Gap]: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: Any, repeat: Any, order: Hashable | None = None, nan_policy: str = "raise",
) -> GapsByGroup[GapRepeats]: ...  # fmt: skip
@any_frame
def gap(
    frame: pd.DataFrame,
    *,
    validation: str = "val_",
    test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
    by: Any = None,
    repeat: Any = None,
    order: Hashable | None = None,
    nan_policy: str = "raise",
) -> Gap | GapsByGroup[Gap] | GapRepeats | GapsByGroup[GapRepeats]:
    """Take the Pareto front on validation scores and measure what it is worth on test scores."""
    checks.one_of("keep", keep, KEEP)
    scores = pair_scores(
        frame, objectives=objectives, validation=validation, test=test, where=where, nan_policy=nan_policy
    )
    point = scores.reference(reference, reference_margin)
    asked = {"validation": repr(validation), "test": repr(test) if isinstance(test, str) else "test"}
    asked |= {"where": _as_code(where)} if where is not None else {}
    asked |= {"order": repr(order)} if order is not None else {}
    searches = Searches.of(scores, by=by, repeat=repeat, order=order, reference=point, keep=keep, asked=asked)
    return gap_of(
        scores if scores.candidates is None else scores.take(scores.allowed()), point, keep=keep, by=by, repeat=repeat,
        reference_given=not isinstance(reference, str), searches=searches,
    )  # fmt: skip


def _as_code(where: Where) -> str:
    return repr(where) if isinstance(where, str) else str(getattr(where, "__name__", "where"))


def gap_of(
    candidates: PairedScores, reference: dict[Hashable, float], *, keep: str, by: Any, repeat: Any,
    reference_given: bool, searches: Searches | None = None,
) -> Gap | GapsByGroup[Gap] | GapRepeats | GapsByGroup[GapRepeats]:  # fmt: skip
    """Measure the gap of the rows that may be on a front, by group and by repetition; see :func:`gap`."""

    def measure(part: PairedScores, among: Searches | None, group: str = "") -> Gap:
        found = measure_gap(part, reference, keep=keep, reference_given=reference_given)
        return replace(found, _group=group, _searches=among)

    def measure_repeats(part: PairedScores, among: Searches | None, group: str = "") -> GapRepeats:
        found = part.by_group(repeat, "repeat", lambda rows, label: measure(rows, among and among.of_repetition(label)))
        return GapRepeats(found, "repetitions", _group=group, _searches=among)

    measured = measure if repeat is None else measure_repeats
    if by is None:
        return measured(candidates, searches)
    found: Grouped[Any] = candidates.by_group(
        by, "by", lambda rows, label: measured(rows, searches and searches.of_group(label), text.label(label))
    )
    return GapsByGroup(found.results, by, searches)


def measure_gap(
    scores: PairedScores, reference: dict[Hashable, float], *, keep: str, reference_given: bool = False
) -> Gap:
    """Measure the gap of paired scores under a reference point in the objectives' own units."""
    fronts = arrays.fronts(scores.validation, scores.test, keep=keep)
    point = scores.as_costs(reference)
    promised, pessimistic, optimistic = front_volumes(
        scores.validation[fronts.validation], scores.test, fronts.optimistic, fronts.pessimistic, point
    )
    hypothetical = front_hypervolume(scores.test[fronts.hypothetical], point)
    return Gap(
        hv_validation=promised.value,
        hv_optimistic=optimistic.value,
        hv_pessimistic=pessimistic.value,
        hv_test=max(hypothetical.value, optimistic.value),
        reference=reference,
        exact=all(volume.exact for volume in (promised, pessimistic, optimistic, hypothetical)),
        keep=keep,
        scores=replace(scores, frame=None),
        fronts=fronts,
        reference_given=reference_given,
    )


@dataclass(frozen=True, repr=False, eq=False)
class Gap(MeasuredGap):
    """A validation front, what becomes of it on test, and the approximation gap.

    The returned set as a whole has the optimistic hypervolume on test; the pessimistic one is what remains if all
    rows are dropped that dominate another there. All numbers treat the test scores as exact: :meth:`bootstrap` shows
    how much they depend on the test instances.

    Parameters
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1).
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2).
    hv_test : float
        Hypervolume of the hypothetical front of all rows on test, which only a choice on the test data gives.
    reference : dict of objective to value
        The reference point of all four, in the objectives' own units.
    exact : bool
        False if a hypervolume was approximated.
    keep : {"all", "first"}
        How rows with equal scores were treated.
    scores : PairedScores
        Costs of all rows on validation and test.
    fronts : Fronts
        The four fronts as masks over the rows.
    reference_given : bool
        Whether the reference point was given, rather than taken from the worst values. Only then do sentences give
        percentages of a hypervolume.

    Notes
    -----
    ``hv_test >= hv_optimistic >= hv_pessimistic`` always. The gap is 0 exactly when no row of the validation
    front is dominated by another of them on test, as long as all lie inside the reference point; so a front of a
    single row has gap 0, however badly it generalizes.
    """

    _group: str = field(default="", repr=False, compare=False)
    _searches: Searches | None = field(default=None, repr=False, compare=False)

    plot = Offered()
    report = Offered()
    explore = Offered()

    def budgets(self, numbers: Sequence[int] | None = None) -> GapBudgets:
        """Follow hypervolumes and gap over the budget of the search, from this one run.

        The first n rows of a random search are a random search with a budget of n, so a single run gives the paper's
        Table 1 ([1]_, section 5.2) and a curve over every budget. All budgets share the reference point of this gap.
        Rows that `where` or ``nan_policy="omit"`` keep off the front still count as evaluations.

        Parameters
        ----------
        numbers : sequence of int, optional
            Numbers of evaluations for the table, none beyond the end of the search (the shortest of several); by
            default 40, 50, 100, 200 and 500, or those up to the end, and the end.

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
        >>> print(found.explain())
        After 4 evaluations, the incumbent has a test error of 0.5; an earlier one had 0.4, so the overtuning is 0.1...
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
    ) -> GapRepeats:
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
        GapRepeats
            With ``kind="bootstrap"`` and the gap on the test set as it is in ``estimate``. Only rows of the
            validation front take part, so ``hv_test`` of its gaps is the hypervolume of these rows. Draws show a larger
            gap than the test set itself does, on average: use :meth:`~copa_nb.results.GapRepeats.interval`, which
            corrects this, and not quantiles of ``table``.

        Raises
        ------
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
        if not self.reference_given:
            raise ValueError(
                "the reference point was taken from the worst values, which would change with every resample; measure "
                "the gap with a value per objective, e.g. reference={'precision': 0, 'recall': 0}."
            )
        front = replace(self.scores.take(np.flatnonzero(self.fronts.validation)), stands_for=None)
        named = {name: str(name) for name in front.objectives} if metrics is None else metrics
        draws = (
            measure_gap(scores, self.reference, keep=self.keep, reference_given=True)
            for scores in resampled(front, predictions, truth, named, n_resamples=n_resamples, rng=rng)
        )
        estimate = next(draws)
        return GapRepeats(Grouped(dict(enumerate(draws)), "draw"), "bootstrap", estimate, predictions.shape[1])

    def compare(self, other: MeasuredGap, *, names: tuple[str, str] | None = None) -> GapComparison:
        """Compare this method with another by the three criteria of "Mind the Gap", section 4 [1]_.

        Parameters
        ----------
        other : Gap
            Of another method, under the same reference point: measure both with ``by=``, or fix ``reference=``.
        names : tuple of str, optional
            Names of the two methods; by default those of their groups, or "A" and "B".

        Returns
        -------
        GapComparison

        Raises
        ------
        ValueError
            If objectives or reference points differ.
        TypeError
            If `other` is not a single gap.

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
        """
        if not isinstance(other, Gap):
            raise TypeError(f"`other` is a {type(other).__name__}; a gap is compared with a Gap.")
        return compare_measured(self, other, _names(names, self._group, other._group))


@dataclass(frozen=True, repr=False, eq=False)
class GapRepeats(Result):
    """Gaps of several repetitions (splits, seeds, or resamples of the test set), with their distribution.

    Parameters
    ----------
    gaps : mapping of repetition to Gap
        One per repetition, all under one reference point.
    kind : {"repetitions", "bootstrap"}
        Whether the repetitions are runs of their own (splits, seeds), or resamples of one test set.
    estimate : Gap, optional
        For "bootstrap": the gap on the test set as it is.
    n_instances : int, optional
        For "bootstrap": size of the test set.
    """

    paper = "feurer2023gap"

    gaps: Grouped[Gap]
    kind: str
    estimate: Gap | None = None
    n_instances: int | None = None
    _group: str = field(default="", repr=False, compare=False)
    _searches: Searches | None = field(default=None, repr=False, compare=False)

    # `explore` is answered with a note.
    _internals = frozenset(("explore", "in_short", "n_instances", "reference", "share_with_gap"))

    plot = Offered()

    @cached_property
    def table(self) -> pd.DataFrame:
        """One line per repetition: the hypervolumes, the gap, the front's size and its rows dominated on test.

        ``overestimation`` is :attr:`Gap.optimism`: validation minus optimistic hypervolume.
        """
        lines = [
            [
                *(getattr(gap, quantity) for quantity in QUANTITIES),
                int(gap.fronts.validation.sum()),
                int((~nondominated(gap.scores.test[gap.fronts.validation])).sum()),
            ]
            for gap in self.gaps.values()
        ]
        return pd.DataFrame(lines, columns=[*QUANTITIES, *COUNTS], index=self.gaps.collect("gap").index)

    report = Offered()

    def budgets(self, numbers: Sequence[int] | None = None) -> GapBudgets:
        """Follow hypervolumes and gap over the budget of the searches; see :meth:`Gap.budgets`."""
        return follow_budgets(needed(self._searches), numbers)

    def overtuning(self, least_progress: float = 0.001) -> Overtuning:
        """Follow how much of the progress of the searches is lost on test; see :meth:`Gap.overtuning`."""
        return follow_overtuning(needed(self._searches), least_progress)

    def explore(self) -> Note:
        """Say which gap has an explorer; see :meth:`Gap.explore`."""
        if self.estimate is not None:
            return Note("A slider follows a search, of which resamples of a test set have none; explore gap.estimate.")
        return _one_search(f"gap.gaps[{next(iter(self.gaps))!r}]")

    def compare(self, other: GapRepeats, *, names: tuple[str, str] | None = None) -> RepeatedComparison:
        """Compare this method with another in every repetition that both have; see :meth:`Gap.compare`.

        Parameters
        ----------
        other : GapRepeats
            Of another method, under the same reference point. Repetitions are matched by their labels.
        names : tuple of str, optional
            Names of the two methods; by default those of their groups, or "A" and "B".

        Returns
        -------
        RepeatedComparison
            The share of the repetitions in which each method is better.

        Raises
        ------
        ValueError
            If objectives or reference points differ, or no repetition is in both.
        TypeError
            If `other` is a single gap.
        """
        if not isinstance(other, GapRepeats):
            raise TypeError(f"`other` is a {type(other).__name__}; repetitions are compared with a GapRepeats.")
        if self.kind != other.kind:
            raise ValueError(f"this holds {self.kind}, `other` {other.kind}; both must be of the same kind.")
        return compare_repeated(self.gaps, other.gaps, _names(names, self._group, other._group), self.kind)

    @property
    def reference(self) -> dict[Hashable, float]:
        """Reference point of all repetitions, in the objectives' own units."""
        return next(iter(self.gaps.values())).reference

    @property
    def share_with_gap(self) -> float:
        """Share of the repetitions in which a row of the validation front is dominated on test."""
        return float((self.table["n_dominated"] > 0).mean())

    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Confidence interval of a quantity.

        Parameters
        ----------
        quantity : str
            A column of :attr:`table`, or "optimism" for "overestimation".
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
        quantity = "overestimation" if quantity == "optimism" else quantity
        checks.one_of("quantity", quantity, list(self.table.columns))
        confidence_level = checks.fraction("confidence_level", confidence_level)
        values = self.table[quantity].to_numpy(dtype=float)
        if self.estimate is not None:
            return self._bootstrap_interval(self.estimate, quantity, values, confidence_level)
        if not math.isfinite(resplit_ratio) or resplit_ratio < 0:
            raise ValueError(f"`resplit_ratio` is {resplit_ratio!r}; it must be a finite number of at least 0.")
        if len(values) < 2:
            return math.nan, math.nan
        low, high = intervals.interval_of_mean(
            values, 1 / len(values) + resplit_ratio, confidence_level=confidence_level, skewed=quantity in _SKEWED
        )
        if quantity in _SKEWED:
            # A gap is never more than the optimistic hypervolume.
            limit = 1.0 if quantity == "relative_gap" else float(self.table["hv_optimistic"].max())
            high = max(min(high, limit), float(values.mean()))
        return low if quantity == "overestimation" else max(low, 0.0), high

    def _bootstrap_interval(
        self, estimate: Gap, quantity: str, values: np.ndarray, confidence_level: float
    ) -> tuple[float, float]:
        if quantity in COUNTS:
            low, high = np.quantile(values, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
            return float(low), float(high)
        if quantity == "hv_validation":
            return estimate.hv_validation, estimate.hv_validation
        draws = {name: self.table[name].to_numpy(dtype=float) for name in intervals.QUANTITIES}
        measured = {name: getattr(estimate, name) for name in intervals.QUANTITIES}
        wanted = "hv_optimistic" if quantity == "overestimation" else quantity
        lower_end = intervals.LOWER_END_OF.get(wanted)
        moved, step = (None, 1.0) if lower_end is None else self._moved(lower_end)
        low, high = intervals.bootstrap_interval(
            wanted, measured, draws, moved, step, confidence_level=confidence_level
        )
        if quantity == "overestimation":
            # The validation hypervolume does not depend on the test set.
            return estimate.hv_validation - high, estimate.hv_validation - low
        return low, high

    def _moved(self, quantity: str) -> tuple[np.ndarray, float]:
        """The quantity for the draws' scores moved away from those of the test set, and by which factor."""
        if quantity not in self._moved_draws:
            if self.estimate is None or self.n_instances is None:
                raise ValueError("`n_instances` is missing; a bootstrap interval requires the size of the test set.")
            scores, step = self.estimate.scores, intervals.step_of(quantity, self.n_instances)
            point = scores.as_costs(self.reference)
            values = []
            for one in self.gaps.values():
                test = intervals.moved_away(scores.test, one.scores.test, step)
                low, high = volumes_on_test(test, *arrays.split_front(test, keep=one.keep), point)
                values.append(high.value - (low.value if quantity == "gap" else 0.0))
            self._moved_draws[quantity] = np.array(values), step
        return self._moved_draws[quantity]

    @cached_property
    def _moved_draws(self) -> dict[str, tuple[np.ndarray, float]]:
        return {}

    def falls(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """Average :meth:`Gap.falls` over the repetitions, with a confidence interval of the mean winner's curse.

        Parameters
        ----------
        confidence_level, resplit_ratio : float
            As for :meth:`interval`.

        Returns
        -------
        DataFrame
            Columns of :meth:`Gap.falls`, and ``low`` and ``high``, missing with a single repetition.

        Raises
        ------
        ValueError
            For a bootstrap of one test set, whose candidates were chosen once.
        """
        checks.fraction("confidence_level", confidence_level)
        if self.estimate is not None:
            raise ValueError(
                "resamples of a test set do not repeat the choice; use the `estimate`, e.g. result.estimate.falls()."
            )
        each = [gap.falls() for gap in self.gaps.values()]
        table = sum(each[1:], each[0]) / len(each)
        ends = [
            intervals.interval_of_mean(
                np.array([one["winners_curse"].iloc[row] for one in each]), 1 / len(each) + resplit_ratio,
                confidence_level=confidence_level, skewed=False,
            )
            if len(each) > 1 else (math.nan, math.nan)
            for row in range(len(table))
        ]  # fmt: skip
        return table.assign(low=[low for low, _ in ends], high=[high for _, high in ends])

    def summarize(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """One line per quantity: mean, standard deviation, the interval of :meth:`interval`, and the range."""
        lines = {}
        for quantity in QUANTITIES:
            values = self.table[quantity].to_numpy(dtype=float)
            low, high = self.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
            spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
            lines[quantity] = [values.mean(), spread, low, high, values.min(), values.max()]
        return pd.DataFrame.from_dict(lines, orient="index", columns=["mean", "sd", "low", "high", "min", "max"])

    @property
    def summary(self) -> pd.DataFrame:
        """:meth:`summarize` with a 95% interval."""
        return self.summarize()

    def explain(self) -> str:
        """Report the size of the gap and its precision."""
        if len(self.gaps) == 1 and self.estimate is None:
            return next(iter(self.gaps.values())).explain()
        interval = self._interval_text()
        certainty = f" ({interval})" if interval else ""
        count = f"{len(self.gaps):,} {repetitions_text(self.kind)}"
        some = text.amount(self.share_with_gap, len(self.gaps))
        dominated = "at least one row of the validation front is dominated on test."
        if self.estimate is None:
            return (
                f"The approximation gap averages {self._center_text()}{certainty} over {count}. In "
                f"{some}, {dominated}{self._selection_text()} {self.guarantee.explain()}"
            )
        return (
            f"The approximation gap is {self._center_text()}{certainty}. In {text.percent(self.share_with_gap)} of "
            f"{count}, {dominated} {self.guarantee.explain()}"
        )

    @property
    def guarantee(self) -> Guarantee:
        """What an interval of :meth:`interval` at 95% guarantees."""
        at_least = text.percent(intervals.AT_LEAST)
        if self.estimate is not None:
            return Guarantee(
                estimates="quantities of the front that was chosen, on further instances of the test set",
                sampled="independent test instances",
                holds="each interval covers its quantity",
                confidence_level=0.95,
                jointly=False,
                basis="asymptotic",
                method=f"bootstrap; at least {at_least} coverage in simulations",
            )
        if len(self.gaps) < 2:
            return Guarantee(
                estimates="the quantities of one search",
                sampled="",
                holds="",
                confidence_level=None,
                jointly=False,
                basis="none",
                method="a single repetition has no spread",
            )
        n = len(self.gaps)
        few = Caveat("few_units", f"{n} repetitions are few: intervals at 95% covered as little as 82% of three.")
        return Guarantee(
            estimates="means over repetitions",
            sampled="independent repetitions",
            holds="each interval covers its mean",
            confidence_level=0.95,
            jointly=False,
            basis="asymptotic",
            method="t, of gaps on the logarithmic scale"
            + f"; at least {at_least} coverage in simulations of independent repetitions" * (n >= _ENOUGH),
            warnings=(few,) if n < _ENOUGH else (),
        )

    def in_short(self) -> str:
        """Report the size of the gap and its precision; of a single repetition, as for the gap of one."""
        return next(iter(self.gaps.values())).in_short() if len(self.gaps) == 1 else self.explain()

    def __repr__(self) -> str:
        interval = self._interval_text()
        center = f"{'mean ' if self.estimate is None else ''}gap {self._center_text()}"
        return f"<GapRepeats over {len(self.gaps):,} {self.kind}: {center}{f', {interval}' if interval else ''}>"

    def _selection_text(self) -> str:
        sizes = {gap.scores.n_rows for gap in self.gaps.values()}
        summed = any(gap.scores.stands_for is not None for gap in self.gaps.values())
        if len(self.gaps) < 2 or min(sizes) < FEWEST_CANDIDATES or summed:
            return ""
        candidates = f"{max(sizes):,} candidates" if len(sizes) == 1 else "candidates"
        return " " + "".join(selection_sentences(self.falls(), candidates, shares=False, splits=len(self.gaps)))

    def _center_text(self) -> str:
        return text.number(self.table["gap"].mean() if self.estimate is None else self.estimate.gap, 3)

    def _card(self) -> str:
        caption = "Mean, standard deviation, 95% confidence interval and range of the values."
        return text.card(
            "Approximation gap, repeated", [self.explain()], text.html_table(self.summary, caption=caption)
        )

    def _interval_text(self) -> str:
        low, high = self.interval()
        return "" if math.isnan(low) else "95% interval " + " to ".join(text.told_apart(low, high))


@dataclass(frozen=True, repr=False)
class GapsByGroup(Grouped[OneGap], Generic[OneGap]):
    """Gaps of several groups, such as methods, under one reference point; a read-only mapping of group to gap.

    Parameters
    ----------
    results : dict of group label to Gap or GapRepeats
        The gaps.
    by : label or list of labels
        The columns that made the groups.
    """

    _searches: Searches | None = field(default=None, repr=False, compare=False)

    plot = Offered()

    def budgets(self, numbers: Sequence[int] | None = None) -> GapBudgets:
        """Follow hypervolumes and gap of every group over the budget of its searches; see :meth:`Gap.budgets`."""
        return follow_budgets(needed(self._searches), numbers)

    def overtuning(self, least_progress: float = 0.001) -> Overtuning:
        """Follow how much of the progress of all searches is lost on test; see :meth:`Gap.overtuning`."""
        return follow_overtuning(needed(self._searches), least_progress)

    def explore(self) -> Note:
        """Say which gap has an explorer; see :meth:`Gap.explore`."""
        label, one = next(iter(self.results.items()))
        repeated = f".gaps[{next(iter(one.gaps))!r}]" if isinstance(one, GapRepeats) else ""
        return _one_search(f"gap[{label!r}]{repeated}")

    def explain(self) -> str:
        """Report the gap of every group."""
        return " ".join(
            f"{text.label(label)}: {one.explain()}"  # type: ignore[attr-defined]
            for label, one in self.results.items()
        )

    def compare(self) -> Grouped[Any]:
        """Compare the groups in pairs by the three criteria of section 4; see :meth:`Gap.compare`.

        Returns
        -------
        Grouped
            A :class:`GapComparison`, or :class:`RepeatedComparison`, for each pair of labels.

        Examples
        --------
        >>> import copa_nb
        >>> both = {"precision": "max", "recall": "max"}
        >>> runs = copa_nb.datasets.load_german_credit_runs()
        >>> gaps = runs.moo(both, repeat="seed").by("model").gap(reference=dict.fromkeys(both, 0))
        >>> list(gaps.compare())
        [('random forest', 'linear model')]
        """
        pairs = {
            (one, other): self.results[one].compare(self.results[other])  # type: ignore[attr-defined]
            for one, other in combinations(self.results, 2)
        }
        return Grouped(cast(dict[Hashable, Any], pairs), ["first", "second"])


def _one_search(written: str) -> Note:
    return Note(f"A slider follows the budget of one search; explore one of them: {written}.explore().")


def _names(given: tuple[str, str] | None, one: str, other: str) -> tuple[str, str]:
    """The names of two methods: as given, those of their groups, or letters."""
    if given is not None:
        return given
    return (one, other) if one and other and one != other else ("A", "B")
