"""The verb ``gap`` and its results: what a front chosen on validation data is worth on test data (section 3)."""

from __future__ import annotations

__all__ = ["Gap", "GapRepeats", "gap"]

import math
from collections.abc import Hashable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, overload

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.arrays import fronts as arrays
from copa_nb.generalization.arrays import intervals
from copa_nb.generalization.arrays.falls import fall_of_best
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.pareto.arrays.hypervolume import HypervolumeValue, hypervolume, refuse_infinite
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import NO_SHARE, ReferencePointLike
from copa_nb.results.citing import of_paper
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.result import Grouped, Result
from copa_nb.tables.candidates import Where
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import Objectives, ObjectivesLike

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
# What robustness does not see.
ONE_ROW = "A front of a single row has gap 0, however badly it generalizes."
# What `GapRepeats` summarizes.
QUANTITIES = ("hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "overestimation")
# Those that only shrink to 0: a mean of few repetitions has a long upper tail.
_SKEWED = ("gap", "relative_gap")
# From this many repetitions on, intervals of a mean keep the level that simulations showed.
_ENOUGH = 5
COUNTS = ("n_validation_front", "n_dominated")
# Of fewer candidates, the average is that of what was chosen.
_FEWEST_CANDIDATES = 10


@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: None = None, repeat: None = None, nan_policy: str = "raise",
) -> Gap: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: None = None, repeat: Any, nan_policy: str = "raise",
) -> GapRepeats: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: Any, repeat: None = None, nan_policy: str = "raise",
) -> Grouped[Gap]: ...  # fmt: skip
@overload
def gap(
    frame: pd.DataFrame, *, validation: str = "val_", test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None, reference: ReferencePointLike = "worst", reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None, by: Any, repeat: Any, nan_policy: str = "raise",
) -> Grouped[GapRepeats]: ...  # fmt: skip
@of_paper("feurer2023gap")
@any_frame
@shared_parameters
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
    nan_policy: str = "raise",
) -> Gap | Grouped[Gap] | GapRepeats | Grouped[GapRepeats]:
    """Take the Pareto front on validation scores and measure what it is worth on test scores.

    Measures the optimistic front (equation 1), the pessimistic front (equation 2) and the approximation gap
    between their hypervolumes [1]_.

    Parameters
    ----------
    frame : DataFrame
        One row per model, in one of three shapes: columns with prefixes or suffixes (``val_recall``,
        ``test_recall``);
        validation scores only, with `test` the table of test scores on the same index; or columns of two
        levels, one of which holds the parts (``("val", "recall")``).
    validation : str
        Prefix or suffix of the validation columns (``"val_"`` also finds ``recall_val``), or their label where columns
        have two levels. Not used when `test` is a table.
    test : str or DataFrame
        Prefix, suffix or label of the test columns, or a table with the test scores.
    objectives : mapping of name to {"max", "min"}, optional
        Names without prefix or suffix. Overrides what ``define`` has set (with them or without).
    reference : "worst", mapping of objective to value, or Reference
        The reference point, in the objectives' own units. "worst" takes the worst value of each on
        validation or test, moved outwards by `reference_margin` of the range. Only a fixed point makes tables
        comparable; for precision and recall the paper's is 0 for both.
    %(reference_margin)s
    keep : {"all", "first"}
        Whether rows with equal scores stay together on a front (default), or only the first stays, as in the
        authors' program. Matters where rows with equal validation scores differ on test.
    where : str, mask or callable, optional
        Rows that may be on a front: an expression over columns, a mask, or a function of the frame. The
        pessimistic front is fragile: one row of the validation front that is worst in everything on test
        (it never predicts the class, say) is dominated by all others and forms the pessimistic front alone.
        The authors' program leaves such rows out.
    by : label or list of labels, optional
        Columns or index levels: one result per group (method, data set), under one reference point.
    repeat : label or list of labels, optional
        Column or index level that names the repetition (seed, split, fold): the gap of each, and their
        distribution.
    %(nan_policy)s
        A row that lacks either score counts as missing.

    Returns
    -------
    Gap
        Or a mapping of group to Gap with `by`, or :class:`~copa_nb.GapRepeats` with `repeat`, or a mapping
        of group to those with both.

    Raises
    ------
    %(gate_errors)s
    ValueError
        For unknown columns, indices that do not match, missing scores, or a row that is infinitely good (its
        hypervolume would be infinite).

    See Also
    --------
    copa_nb.gap_budgets : The gap of a search as its budget grows.
    copa_nb.gap_bootstrap : The gap under resampling of the test set.
    copa_nb.compare_gaps : Which of two methods has the better front.

    References
    ----------
    .. [1] Feurer, Eggensperger, Bergman, Pfisterer, Bischl and Hutter, "Mind the Gap: Measuring Generalization
       Performance Across Multiple Objectives", IDA 2023, section 3, https://arxiv.org/abs/2212.04183.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"val_precision": [0.9, 0.6, 0.4], "val_recall": [0.2, 0.5, 0.8],
    ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]},
    ...     index=["careful", "middle", "eager"],
    ... )
    >>> result = runs.moo.gap(
    ...     objectives={"precision": "max", "recall": "max"}, reference={"precision": 0, "recall": 0}
    ... )
    >>> list(result.optimistic), list(result.pessimistic)
    (['careful', 'eager'], ['careful', 'middle'])
    >>> print(f"{result.hv_optimistic:.2f} - {result.hv_pessimistic:.2f} = {result.gap:.2f}")
    0.33 - 0.27 = 0.06
    """
    checks.one_of("keep", keep, KEEP)
    scores = pair_scores(
        frame, objectives=objectives, validation=validation, test=test, where=where, nan_policy=nan_policy
    )
    point = scores.reference(reference, reference_margin)
    return gap_of(
        scores.take(scores.allowed()), point, keep=keep, by=by, repeat=repeat,
        reference_given=not isinstance(reference, str),
    )  # fmt: skip


def gap_of(
    candidates: PairedScores, reference: dict[Hashable, float], *, keep: str, by: Any, repeat: Any,
    reference_given: bool,
) -> Gap | Grouped[Gap] | GapRepeats | Grouped[GapRepeats]:  # fmt: skip
    """Measure the gap of the rows that may be on a front, by group and by repetition; see :func:`gap`."""

    def measure(part: PairedScores) -> Gap:
        return measure_gap(part, reference, keep=keep, reference_given=reference_given)

    def measure_repeats(part: PairedScores) -> GapRepeats:
        return GapRepeats(part.by_group(repeat, "repeat", measure), "repetitions")

    if repeat is None:
        return measure(candidates) if by is None else candidates.by_group(by, "by", measure)
    return measure_repeats(candidates) if by is None else candidates.by_group(by, "by", measure_repeats)


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


def front_volumes(
    validation: np.ndarray, test: np.ndarray, optimistic: np.ndarray, pessimistic: np.ndarray, point: np.ndarray
) -> tuple[HypervolumeValue, HypervolumeValue, HypervolumeValue]:
    """Hypervolumes of a validation front: on validation, and the pessimistic and optimistic ones on test."""
    return front_hypervolume(validation, point), *volumes_on_test(test, optimistic, pessimistic, point)


def volumes_on_test(
    test: np.ndarray, optimistic: np.ndarray, pessimistic: np.ndarray, point: np.ndarray
) -> tuple[HypervolumeValue, HypervolumeValue]:
    """Pessimistic and optimistic hypervolume on test."""
    low = front_hypervolume(test[pessimistic], point)
    high = low if np.array_equal(optimistic, pessimistic) else front_hypervolume(test[optimistic], point)
    # The optimistic front covers the pessimistic one, so its volume is no smaller; rounding or an approximation must
    # not say otherwise.
    return low, replace(high, value=max(high.value, low.value))


def front_hypervolume(costs: np.ndarray, point: np.ndarray) -> HypervolumeValue:
    """Hypervolume of costs; a row that is infinitely good inside the reference point is refused."""
    refuse_infinite(costs, point)
    return hypervolume(costs, point)


@dataclass(frozen=True, repr=False, eq=False)
class Gap(Result):
    """A validation front, what becomes of it on test, and the approximation gap.

    The returned set as a whole has the optimistic hypervolume on test; the pessimistic one is what remains if all
    rows are dropped that dominate another there. All numbers treat the test scores as exact:
    :func:`copa_nb.gap_bootstrap` shows how much they depend on the test instances.

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

    paper = "feurer2023gap"

    _internals = frozenset(
        (
            "dominated",
            "fronts",
            "hv_test",
            "hv_validation",
            "in_short",
            "leakage",
            "optimism",
            "order",
            "overestimation",
            "reference",
            "reference_given",
            "reordered",
            "scores",
            "test_front",
        )
    )

    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: arrays.Fronts
    reference_given: bool = False

    plot = Offered()

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
        """Validation minus optimistic hypervolume: by how much validation overstates the front."""
        return self.hv_validation - self.hv_optimistic

    @property
    def overestimation(self) -> float:
        """The same as :attr:`optimism`, under the name that summaries and tables use.

        The paper calls something else over-estimation: to report a front without its points that are dominated on
        test, which is the optimistic front.
        """
        return self.optimism

    @property
    def leakage(self) -> float:
        """Hypothetical minus optimistic hypervolume: what choosing on the test data would appear to add."""
        return self.hv_test - self.hv_optimistic

    def falls(self, n: int | None = None) -> pd.DataFrame:
        """Compare the fall from validation to test of what was chosen with that of all candidates (winner's curse).

        All candidates fall if the test data are harder, or if training has seen the validation data. What was chosen
        for its validation scores falls further, because it was partly lucky there. This excess is the winner's curse.

        Parameters
        ----------
        n : int, optional
            How many candidates, drawn at random, the best on validation is chosen from; all if omitted.

        Returns
        -------
        DataFrame
            Falls, positive where test is worse, in the objectives' own units. One row per objective: ``average`` of all
            candidates, that of the ``chosen`` (the expected fall of the best of n on validation in this objective; rows
            that tie for it are averaged), and the difference, ``winners_curse``. Without `n` a last row
            ``hypervolume``: the fall of the validation front's hypervolume if each of its rows fell by the averages of
            all candidates, its fall to the optimistic hypervolume (:attr:`optimism`), and the difference. Rows with an
            infinite score are left out of averages.

        Raises
        ------
        ValueError
            If `n` is not between 1 and the number of candidates.
        TypeError
            For a table that was read in pieces.

        Examples
        --------
        >>> import numpy as np, pandas as pd, copa_nb
        >>> rng = np.random.default_rng(0)
        >>> lucky = pd.DataFrame({f"{part}_{name}": 0.7 + 0.1 * rng.normal(size=400) for part in ("val", "test")
        ...     for name in ("precision", "recall")})  # equally good, as far as the noise tells
        >>> ways = {"precision": "max", "recall": "max"}
        >>> falls = lucky.moo.gap(objectives=ways, reference=dict.fromkeys(ways, 0)).falls()
        >>> falls["average"].round(2).tolist(), falls["chosen"].round(2).tolist()
        ([0.0, -0.01, -0.01], [0.17, 0.23, 0.31])
        """
        if self.scores.stands_for is not None:
            raise TypeError(
                "`falls` looks at all rows, and of a table that is read in pieces only those on a front were kept; "
                "take a sample of its rows."
            )
        size = len(self.scores.index)
        if n is not None and checks.integer("n", n) > size:
            raise ValueError(f"`n` is {n:,}, but there are only {size:,} candidates.")
        rows = [self._falls_of(k, n) for k in range(len(self.objectives))]
        names = list(self.objectives.names)
        if n is None:
            rows.append([self._average_fall(np.array([average for average, _ in rows])), self.optimism])
            names.append("hypervolume")
        index = pd.Index(names, name="objective", tupleize_cols=False)
        table = pd.DataFrame(rows, index=index, columns=["average", "chosen"])
        return table.assign(winners_curse=table["chosen"] - table["average"])

    def _falls_of(self, position: int, n: int | None) -> list[float]:
        """Mean fall of all candidates in an objective, and expected fall of the best of n."""
        validation, test = self.scores.validation[:, position], self.scores.test[:, position]
        finite = np.isfinite(validation) & np.isfinite(test)
        if finite.sum() < (n or 1):
            return [math.nan, math.nan]
        costs, falls = validation[finite], (test - validation)[finite]
        return [float(falls.mean()), fall_of_best(costs, falls, n or len(costs))]

    def _average_fall(self, average: np.ndarray) -> float:
        """Fall of the validation front's hypervolume if each of its rows fell by the averages of all candidates."""
        if np.isnan(average).any():
            return math.nan
        moved = self.scores.validation[self.fronts.validation] + average
        return self.hv_validation - front_hypervolume(moved, self.scores.as_costs(self.reference)).value

    @property
    def objectives(self) -> Objectives:
        """Names without prefix, and directions."""
        return self.scores.objectives

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
    def table(self) -> pd.DataFrame:
        """One line per row of the validation front, in the order of the caller's table.

        Columns: ``validation NAME`` and ``test NAME`` per objective in its own units; ``optimistic`` and
        ``pessimistic`` (is the row on that front); ``dominated_by`` (the first row of the validation front
        that dominates it on test and is itself not dominated; missing if none does); ``dominates`` (how
        many of them it dominates on test); ``swaps`` (how many of them it changed order with, summed over
        the objectives).
        """
        return self._rows.copy()

    @cached_property
    def _rows(self) -> pd.DataFrame:
        rows = np.flatnonzero(self.fronts.validation)
        front = self.scores.take(rows)
        columns: dict[str, Any] = {}
        for part, costs in (("validation", front.validation), ("test", front.test)):
            columns |= {f"{part} {name}": front.own_units(costs)[:, k] for k, name in enumerate(self.objectives)}
        named = [front.index[row] if row >= 0 else None for row in arrays.first_dominator(front.test)]
        columns |= {
            "optimistic": self.fronts.optimistic[rows],
            "pessimistic": self.fronts.pessimistic[rows],
            "dominated_by": pd.Series(named, dtype=object).to_numpy(),
            "dominates": arrays.count_dominated(front.test),
            "swaps": arrays.count_swaps(front.validation, front.test).sum(axis=1),
        }
        return pd.DataFrame(columns, index=front.index)

    @cached_property
    def order(self) -> pd.DataFrame:
        """Per objective: pairs of the validation front, pairs that changed order, and their share."""
        rows = np.flatnonzero(self.fronts.validation)
        swapped = arrays.count_swaps(self.scores.validation[rows], self.scores.test[rows]).sum(axis=0) // 2
        pairs = len(rows) * (len(rows) - 1) // 2
        return pd.DataFrame(
            {"pairs": pairs, "swapped": swapped, "share": swapped / pairs if pairs else 0.0},
            index=pd.Index(self.objectives.names, name="objective", tupleize_cols=False),
        )

    @property
    def summary(self) -> pd.Series:
        """All numbers: the hypervolumes, the quantities derived from them, and the sizes of the fronts."""
        hypervolumes = (
            "hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "hv_test", "overestimation",
            "leakage",
        )  # fmt: skip
        labels = ("validation_front", "optimistic", "pessimistic", "dominated", "reordered")
        numbers = {name: getattr(self, name) for name in hypervolumes} | {"n_rows": self.scores.n_rows}
        return pd.Series(numbers | {f"n_{name}": len(getattr(self, name)) for name in labels}, dtype=object)

    report = Offered()

    def explain(self) -> str:
        """Report what the front is worth on test and which of its rows are dominated there."""
        return " ".join(self._sentences())

    def in_short(self) -> str:
        """Report the gap, and the rows of the validation front that are dominated on test."""
        share = f", {text.percent(self.relative_gap)} of the optimistic hypervolume" if self.reference_given else ""
        return f"The approximation gap is {text.number(self.gap, 3)}{share}. {self._dominated_sentence()}"

    def __repr__(self) -> str:
        how = "" if self.exact else ", approximated"
        return (
            f"<Gap {text.number(self.gap)} between optimistic {text.number(self.hv_optimistic)} and "
            f"pessimistic {text.number(self.hv_pessimistic)}; validation {text.number(self.hv_validation)}, "
            f"{len(self.validation_front)} of {self.scores.n_rows:,} rows on the validation front{how}>"
        )

    def _card(self) -> str:
        arrows = dict(zip(self.objectives, self.objectives.titles, strict=True))
        headers: dict[object, str] = {
            f"{part} {name}": f"{part} {arrows[name]}" for part in ("validation", "test") for name in arrows
        }
        caption = (
            f"Rows of the validation front on validation and test. Reference point ({point_text(self.reference)}); "
            f"rows of equal scores: keep {self.keep}."
        )
        shown = self.table.assign(dominated_by=self.table["dominated_by"].astype(object).fillna(""))
        table = text.html_table(shown, caption=caption, headers=headers)
        return text.card("Generalization of the Pareto front", self._sentences(), table)

    def _sentences(self) -> list[str]:
        n_front = len(self.validation_front)
        validation, optimistic, pessimistic, test = text.told_apart(
            self.hv_validation, self.hv_optimistic, self.hv_pessimistic, self.hv_test
        )
        share = f". {NO_SHARE}; set `reference` to get one."
        if self.reference_given:
            share = f", {text.percent(self.relative_gap)} of the optimistic hypervolume."
        sentences = [
            f"On validation, {n_front} of {self.scores.n_rows:,} rows are Pareto-optimal, with a "
            f"hypervolume of {validation}.",
            f"On test, the pessimistic front has a hypervolume of {pessimistic}; the optimistic front (and hence the "
            f"whole set) has {optimistic}, so the approximation gap is {text.number(self.gap, 3)}{share}",
            self._dominated_sentence(),
        ]
        if n_front == 1:
            sentences.append(ONE_ROW)
        else:
            swapped, pairs = int(self.order["swapped"].sum()), int(self.order["pairs"].sum())
            sentences.append(
                f"{swapped} of {pairs} pairwise comparisons on the front (per objective) change{'s' * (swapped == 1)} "
                "order between validation and test."
            )
        direction = "optimistic" if self.optimism > 0 else "not optimistic"
        sentences.append(
            f"Validation is {direction}: the hypervolume is {validation} on validation and {optimistic} on test. "
            f"Choosing on the test data itself would give {test}."
        )
        if self.scores.stands_for is None and len(self.scores.index) >= _FEWEST_CANDIDATES:
            candidates = f"{len(self.scores.index):,} candidates"
            sentences += selection_sentences(self.falls(), candidates, shares=self.reference_given)
        if self.scores.n_omitted:
            n = self.scores.n_omitted
            sentences.append(f"{n:,} row{'s' * (n > 1)} with missing scores {'were' if n > 1 else 'was'} left out.")
        if not self.exact:
            sentences.append("Hypervolumes are approximate, because exact values would take too long to compute.")
        return sentences

    def _dominated_sentence(self) -> str:
        dominated = list(self.dominated)
        if not dominated:
            return "On test, no row of the validation front dominates another."
        shown = text.listing(map(text.label, dominated) if len(dominated) <= 5 else [*dominated[:4], "others"])
        # Numbers alone do not tell what they are.
        noun = f"{text.spoken(self.scores.index.name or 'row')} " if isinstance(dominated[0], int | np.integer) else ""
        count = f"{len(dominated)} of the {len(self.validation_front)} {'is' if len(dominated) == 1 else 'are'}"
        return f"{count} dominated by other rows of the validation front on test ({noun}{shown})."


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

    _internals = frozenset(("in_short",))

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
        if len(self.gaps) < 2 or min(sizes) < _FEWEST_CANDIDATES or summed:
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


def selection_sentences(falls: pd.DataFrame, candidates: str, *, shares: bool, splits: int = 1) -> list[str]:
    """Say how much of the fall from validation to test is due to the choice.

    Parameters
    ----------
    falls : DataFrame
        Of :meth:`Gap.falls`, or of :meth:`GapRepeats.falls` with an interval.
    candidates : str
        What the front was chosen from.
    shares : bool
        Whether a share of a hypervolume means something.
    splits : int
        How many splits the falls are means of.
    """
    average, chosen, curse = falls.iloc[-1][["average", "chosen", "winners_curse"]]
    if math.isnan(curse):
        return []
    fall, usual, excess = text.told_apart(abs(chosen), abs(average), abs(curse))
    share = f", {text.percent(curse / chosen)} of the fall," if shares and min(average, curse) >= 0 < chosen else ""
    start = "Averaged over the repetitions, the" if splits > 1 else "The"
    said = (
        f"{start} hypervolume {'falls' if chosen >= 0 else 'rises'} by {fall} from validation to test; if each row "
        f"moved by the average of all {candidates}, it would {'fall' if average >= 0 else 'rise'} by {usual}."
    )
    if curse <= 0:
        return [f"{said} Selection (winner's curse) costs nothing here."]
    if splits == 1:
        return [
            f"{said} The difference of {excess}{share} is selection (winner's curse); a single split does not tell how "
            "much of it another split would repeat."
        ]
    low, high = falls.iloc[-1][["low", "high"]]
    interval = "" if math.isnan(low) else f" (95% interval {' to '.join(text.told_apart(low, high))})"
    return [f"{said} The difference of {excess}{interval} is selection (winner's curse)."]


def repetitions_text(kind: str) -> str:
    """What the repetitions of a kind are called in words."""
    return "resamples of the test set" if kind == "bootstrap" else "repetitions"


def point_text(point: dict[Hashable, float]) -> str:
    """A reference point in words: "precision = 0, recall = 0"."""
    return ", ".join(f"{text.spoken(name)} = {text.number(value, 3)}" for name, value in point.items())
