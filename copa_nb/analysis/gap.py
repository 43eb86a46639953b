"""Generalisation of Pareto fronts: what a front chosen on validation data is worth on test data."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, display
from copa_nb.analysis.candidates import Where, candidate_mask
from copa_nb.analysis.gap_scores import PairedScores, pair_scores
from copa_nb.analysis.grouping import Grouped, by_group
from copa_nb.analysis.pareto import KEEP
from copa_nb.analysis.reference_points import ReferencePointLike
from copa_nb.core import generalization
from copa_nb.core import hypervolume as core
from copa_nb.objectives import Objectives, ObjectivesLike

if TYPE_CHECKING:
    from copa_nb.analysis.gap_repeats import GapRepeats

ROW = "copa_nb: row of the scores"


@dataclass(frozen=True, repr=False, eq=False)
class Gap:
    """A validation front, what becomes of it on test, and the approximation gap.

    Parameters
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores: what is promised.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1).
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2).
    hv_test : float
        Hypervolume of the hypothetical front of all rows on test: what only choosing on the test data gives.
    reference : dict of objective to value
        The reference point of all four, in the objectives' own units.
    exact : bool
        False if a hypervolume was approximated.
    keep : {"all", "first"}
        What was done with rows of equal scores.
    scores : PairedScores
        Costs of all rows on validation and test.
    fronts : Fronts
        The four fronts as masks over the rows.

    Notes
    -----
    ``hv_test >= hv_optimistic >= hv_pessimistic`` always. The gap is 0 exactly when no row of the validation
    front is dominated by another of them on test, as long as all lie inside the reference point.
    """

    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: generalization.Fronts

    @property
    def gap(self) -> float:
        """Approximation gap: optimistic minus pessimistic hypervolume."""
        return self.hv_optimistic - self.hv_pessimistic

    @property
    def relative_gap(self) -> float:
        """Gap as a share of the optimistic hypervolume; 0 where that is 0."""
        return self.gap / self.hv_optimistic if self.hv_optimistic > 0 else 0.0

    @property
    def overestimation(self) -> float:
        """Validation minus optimistic hypervolume: what validation promised beyond the best case on test."""
        return self.hv_validation - self.hv_optimistic

    @property
    def leakage(self) -> float:
        """Hypothetical minus optimistic hypervolume: what choosing on the test data would seem to add."""
        return self.hv_test - self.hv_optimistic

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
        dominators = generalization.first_dominator(front.test)
        named = [front.index[d] if d >= 0 else None for d in dominators]
        columns: dict[str, Any] = {}
        for part, costs in (("validation", front.validation), ("test", front.test)):
            values = front.own_units(costs)
            columns |= {f"{part} {name}": values[:, k] for k, name in enumerate(self.objectives)}
        columns |= {
            "optimistic": self.fronts.optimistic[rows],
            "pessimistic": self.fronts.pessimistic[rows],
            "dominated_by": pd.Series(named, index=front.index, dtype=object),
            "dominates": generalization.count_dominated(front.test),
            "swaps": generalization.count_swaps(front.validation, front.test).sum(axis=1),
        }
        columns["dominated_by"] = columns["dominated_by"].to_numpy()
        return pd.DataFrame(columns, index=front.index)

    @cached_property
    def order(self) -> pd.DataFrame:
        """Per objective: pairs of the validation front, pairs that changed order, and their share."""
        rows = np.flatnonzero(self.fronts.validation)
        swaps = generalization.count_swaps(self.scores.validation[rows], self.scores.test[rows])
        pairs = len(rows) * (len(rows) - 1) // 2
        swapped = swaps.sum(axis=0) // 2
        return pd.DataFrame(
            {"pairs": pairs, "swapped": swapped, "share": swapped / pairs if pairs else 0.0},
            index=pd.Index(self.objectives.names, name="objective"),
        )

    @property
    def summary(self) -> pd.Series:
        """All numbers: the hypervolumes, what follows from them, and how many rows each front has."""
        return pd.Series(
            {
                "hv_validation": self.hv_validation,
                "hv_pessimistic": self.hv_pessimistic,
                "hv_optimistic": self.hv_optimistic,
                "gap": self.gap,
                "relative_gap": self.relative_gap,
                "hv_test": self.hv_test,
                "overestimation": self.overestimation,
                "leakage": self.leakage,
                "n_rows": len(self.scores.index),
                "n_validation_front": int(self.fronts.validation.sum()),
                "n_optimistic": int(self.fronts.optimistic.sum()),
                "n_pessimistic": int(self.fronts.pessimistic.sum()),
                "n_dominated": len(self.dominated),
                "n_reordered": len(self.reordered),
            },
            dtype=object,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def explain(self) -> str:
        """Say in words what the front is worth on test and which rows fail there."""
        return " ".join(_sentences(self))

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the fronts with the gap shaded; see :func:`copa_nb.plots.gap.plot_gap`."""
        from copa_nb.plots.gap import plot_gap

        return plot_gap(self, ax=ax, **kwargs)

    def __repr__(self) -> str:
        how = "" if self.exact else ", approximated"
        return (
            f"<Gap {display.number(self.gap)} between optimistic {display.number(self.hv_optimistic)} and "
            f"pessimistic {display.number(self.hv_pessimistic)}; validation {display.number(self.hv_validation)}, "
            f"{len(self.validation_front)} of {len(self.scores.index):,} rows on the validation front{how}>"
        )

    def _repr_html_(self) -> str:
        point = ", ".join(f"{name} = {display.number(value)}" for name, value in self.reference.items())
        arrows = dict(zip(self.objectives, self.objectives.labels, strict=True))
        headers: dict[object, str] = {
            f"{part} {name}": f"{part} {arrows[name]}" for part in ("validation", "test") for name in arrows
        }
        caption = (
            f"Rows of the validation front on validation and test. Reference point ({point}); rows of equal "
            f"scores: keep {self.keep}."
        )
        shown = self.table.assign(dominated_by=self.table["dominated_by"].fillna(""))
        return display.card(
            "Generalisation of the Pareto front",
            _sentences(self),
            display.html_table(shown, caption=caption, headers=headers),
        )


def gap(
    frame: pd.DataFrame,
    *,
    validation: str = "val_",
    test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
    by: Any = None,
    repeat: Any = None,
    nan_policy: str = "raise",
) -> Gap | Grouped[Gap] | GapRepeats | Grouped[GapRepeats]:
    """Take the Pareto front on validation scores and measure what it is worth on test scores.

    Implements "Mind the Gap: Measuring Generalization Performance Across Multiple Objectives" (Feurer et
    al., IDA 2023): the optimistic front (equation 1), the pessimistic front (equation 2) and the
    approximation gap between their hypervolumes.

    Parameters
    ----------
    frame : DataFrame
        One row per model, in one of three shapes: columns with prefixes (``val_recall``, ``test_recall``);
        validation scores only, with `test` the table of test scores on the same index; or columns of two
        levels, one of which holds the parts (``("val", "recall")``).
    validation : str
        Prefix of the validation columns, or their label where columns have two levels. Not used when
        `test` is a table.
    test : str or DataFrame
        Prefix or label of the test columns, or a table with the test scores.
    objectives : mapping of name to {"max", "min"}, optional
        Names without prefix. Overrides what ``define`` has set (with prefix or without).
    reference : "worst", mapping of objective to value, or Reference
        The reference point, in the objectives' own units. "worst" takes the worst value of each on
        validation or test, moved outwards by `margin` of the range. Only a fixed point makes tables
        comparable; for precision and recall the paper's is 0 for both.
    margin : float
        See `reference`.
    keep : {"all", "first"}
        Whether rows with equal scores stay together on a front (default), or only the first stays, as the
        authors' program does it. Matters where equal validation scores part on test.
    where : str, mask or callable, optional
        Which rows may be on a front: an expression over columns, a mask, or a function of the frame. The
        pessimistic front is fragile: one row of the validation front that is worst in everything on test
        (it never predicts the class, say) is dominated by all others, and alone makes the pessimistic front.
        The authors' program leaves such rows out.
    by : label or list of labels, optional
        One result per group (method, data set), under one reference point.
    repeat : label or list of labels, optional
        Column that tells repetitions apart (seed, split, fold): the gap of each, and their distribution.
    nan_policy : {"raise", "omit", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`; a row that lacks either score counts as missing.

    Returns
    -------
    Gap
        Or a mapping of group to Gap with `by`, or :class:`~copa_nb.GapRepeats` with `repeat`, or a mapping
        of group to those with both.

    Raises
    ------
    ValueError
        For columns that are not there, indices that do not match, missing scores, or a row that is
        infinitely good (its hypervolume would be infinite).

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
    scores = pair_scores(frame, objectives=objectives, validation=validation, test=test, nan_policy=nan_policy)
    point = scores.reference(reference, margin)
    rows = with_score_rows(frame, scores, where)
    rows = rows[rows[ROW] >= 0]

    def measure(part: pd.DataFrame) -> Gap:
        return measure_gap(scores.take(part[ROW].to_numpy()), point, keep=keep)

    if by is None and repeat is None:
        return measure(rows)
    if repeat is None:
        return by_group(rows, by, measure)
    from copa_nb.analysis.gap_repeats import GapRepeats

    def measure_repeats(part: pd.DataFrame) -> GapRepeats:
        return GapRepeats(by_group(part, repeat, measure), "repetitions")

    return measure_repeats(rows) if by is None else by_group(rows, by, measure_repeats)


def measure_gap(scores: PairedScores, reference: dict[Hashable, float], *, keep: str) -> Gap:
    """Measure the gap of paired scores under a reference point in the objectives' own units."""
    found = generalization.fronts(scores.validation, scores.test, keep=keep)
    point = np.array([reference[name] for name in scores.objectives]) * scores.objectives.signs
    promised = front_hypervolume(scores.validation[found.validation], point)
    pessimistic = front_hypervolume(scores.test[found.pessimistic], point)
    optimistic = (
        pessimistic
        if np.array_equal(found.optimistic, found.pessimistic)
        else front_hypervolume(scores.test[found.optimistic], point)
    )
    hypothetical = front_hypervolume(scores.test[found.hypothetical], point)
    # Each set holds points that cover the one before it, so its volume is no smaller; a rounding error or an
    # approximation must not say otherwise.
    hv_optimistic = max(optimistic.value, pessimistic.value)
    return Gap(
        hv_validation=promised.value,
        hv_optimistic=hv_optimistic,
        hv_pessimistic=pessimistic.value,
        hv_test=max(hypothetical.value, hv_optimistic),
        reference=reference,
        exact=promised.exact and pessimistic.exact and optimistic.exact and hypothetical.exact,
        keep=keep,
        scores=scores,
        fronts=found,
    )


def front_hypervolume(costs: np.ndarray, point: np.ndarray) -> core.HypervolumeValue:
    """Hypervolume of costs; a row that is infinitely good inside the reference point is refused."""
    inside = (costs < point).all(axis=1)
    if not np.isfinite(costs[inside]).all():
        raise ValueError(
            "a row is infinitely good in some objective, so the hypervolume is infinite; drop or clip that value."
        )
    return core.hypervolume(costs, point)


def with_score_rows(frame: pd.DataFrame, scores: PairedScores, where: Where) -> pd.DataFrame:
    """Return the caller's rows with their place in the scores in column ``ROW``; -1 for rows that take no part."""
    allowed = candidate_mask(frame, where)
    places = np.full(len(frame), -1)
    places[scores.positions] = np.arange(len(scores.positions))
    places[~allowed] = -1
    if (places < 0).all():
        raise ValueError("`where` leaves only rows that lack a score; relax it or fill the scores.")
    rows = frame.copy(deep=False)
    if rows.columns.nlevels > 1:
        # A group column of a table with two levels is named by its first label.
        rows.columns = pd.Index([label[0] if label[-1] == "" else label for label in rows.columns], tupleize_cols=False)
    rows[ROW] = places
    return rows


def _sentences(result: Gap) -> list[str]:
    number = display.number
    n_front, dominated = len(result.validation_front), list(result.dominated)
    sentences = [
        f"On validation, {n_front} of {len(result.scores.index):,} rows are Pareto-optimal and promise a "
        f"hypervolume of {number(result.hv_validation)}.",
        f"On test they are worth between {number(result.hv_pessimistic)} (pessimistic) and "
        f"{number(result.hv_optimistic)} (optimistic): an approximation gap of {number(result.gap)}, "
        f"{display.percent(result.relative_gap)} of the optimistic hypervolume.",
        _dominated_sentence(result, n_front, dominated),
    ]
    if n_front > 1:
        swapped, pairs = int(result.order["swapped"].sum()), int(result.order["pairs"].sum())
        sentences.append(
            f"{swapped} of {pairs} comparisons along the front (pairs of rows, per objective) change order "
            "between validation and test."
        )
    direction = "over-estimates" if result.overestimation > 0 else "does not over-estimate"
    sentences.append(
        f"Validation {direction} the test hypervolume ({number(result.hv_validation)} against at most "
        f"{number(result.hv_optimistic)}); choosing on the test data itself would show {number(result.hv_test)}."
    )
    if result.scores.n_omitted:
        sentences.append(f"{result.scores.n_omitted} rows without all scores are left out.")
    if not result.exact:
        sentences.append("Hypervolumes are approximated: the exact ones would cost too much.")
    return sentences


def _dominated_sentence(result: Gap, n_front: int, dominated: list[Hashable]) -> str:
    if not dominated:
        return "None of them is dominated by another of them on test."
    shown = display.listing(dominated) if len(dominated) <= 5 else f"{display.listing(dominated[:4])} and others"
    verb = "is" if len(dominated) == 1 else "are"
    return f"{len(dominated)} of the {n_front} {verb} dominated by others of them on test ({shown})."
