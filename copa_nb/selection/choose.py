"""COPA's choice: ranks of every objective, aggregated by a weighted p-norm."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.ranking.criterion import Criterion, WeightsLike
from copa_nb.ranking.normalize import ReferenceLike
from copa_nb.ranking.ranking import Ranking
from copa_nb.results.grouping import per_group
from copa_nb.results.result import Grouped
from copa_nb.selection.copa import Selection, SelectionInputs
from copa_nb.selection.possible_choices import possible_choices
from copa_nb.tables.candidates import Where
from copa_nb.tables.frames import any_frame
from copa_nb.tables.missing_values import BOUNDS, WITH_BOUNDS, Bounds, bounds_without_policy
from copa_nb.tables.objectives import (
    ObjectivesLike,
    snapshot,
    to_minimization,
)
from copa_nb.tables.rows import warn_of_runs


@overload
def copa(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, by: None = None,
    nan_policy: str = "raise", bounds: Bounds = None,
) -> Selection: ...  # fmt: skip
@overload
def copa(
    frame: pd.DataFrame, *, objectives: ObjectivesLike = None, p: float | str = "inf", weights: WeightsLike = None,
    where: Where = None, normalize: str = "cdf", reference: ReferenceLike = None, by: Any, nan_policy: str = "raise",
    bounds: Bounds = None,
) -> Grouped[Selection]: ...  # fmt: skip
@any_frame
@per_group()
def copa(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
    by: Any = None,
    nan_policy: str = "raise",
    bounds: Bounds = None,
) -> Selection | Grouped[Selection]:
    """Choose a model by preference: ranks per objective, aggregated by a weighted p-norm."""
    checks.one_of("nan_policy", nan_policy, WITH_BOUNDS)
    if nan_policy == BOUNDS:
        for name, given, default in (("normalize", normalize, "cdf"), ("reference", reference, None)):
            if given != default:
                raise ValueError(
                    f'`{name}` is {given!r}, but nan_policy="bounds" needs ranks among the rows of the table; leave it '
                    "out."
                )
        warn_of_runs(frame)
        return possible_choices(frame, objectives, p, weights, where, bounds)
    if bounds is not None:
        raise bounds_without_policy(nan_policy)
    matrix = to_minimization(frame, objectives, where=where, nan_policy=nan_policy, reference=reference)
    warn_of_runs(frame)
    criterion = Criterion.of(matrix.objectives, p, weights, normalize, reference)
    ranking = Ranking.of(matrix, criterion)
    return Selection(
        best=ranking.best,
        tied=ranking.tied,
        scores=pd.Series(ranking.scores, index=matrix.index, name="score", copy=False),
        ordered=ranking.ordered,
        ranks=ranking.ranks,
        weights=ranking.weights,
        p=ranking.p,
        normalize=normalize,
        normalized_costs=ranking.placed,
        population_size=criterion.population_size(matrix),
        inputs=SelectionInputs(
            frame=snapshot(frame),
            objectives=matrix.objectives,
            candidates=np.ones(len(ranking.scores), dtype=bool) if matrix.candidates is None else matrix.candidates,
            positions=matrix.positions if matrix.n_omitted else None,
            n_omitted=matrix.n_omitted,
            where=where,
            reference=reference,
        ),
    )
