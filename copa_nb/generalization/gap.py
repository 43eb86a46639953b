"""Generalisation of Pareto fronts: what a front chosen on validation data is worth on test data."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.candidates import Where, candidate_mask
from copa_nb.generalization.arrays import fronts as generalization
from copa_nb.generalization.gap_result import Gap
from copa_nb.generalization.repeats import GapRepeats
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.arrays import hypervolume as core
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import Grouped, by_group

ROW = "copa_nb: row of the scores"


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
