"""COPA's choice: ranks of every objective, aggregated by a weighted p-norm."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.ranking.criterion import Criterion, WeightsLike
from copa_nb.ranking.normalize import ReferenceLike
from copa_nb.ranking.ranking import Ranking
from copa_nb.results.grouping import per_group
from copa_nb.selection.copa import Selection, SelectionInputs
from copa_nb.selection.possible_choices import possible_choices
from copa_nb.tables.candidates import Where
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS
from copa_nb.tables.objectives import (
    snapshot,
)
from copa_nb.tables.rows import warn_of_runs


@per_group()
def copa(
    table: DescribedFrame,
    *,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Where = None,
    normalize: str = "cdf",
    reference: ReferenceLike = None,
) -> Selection:
    """Choose a model by preference: shares that are better per objective, aggregated by a weighted p-norm."""
    if table.policy(BOUNDS) == BOUNDS:
        for name, given, default in (("normalize", normalize, "cdf"), ("reference", reference, None)):
            if given != default:
                raise ValueError(
                    f'`{name}` is {given!r}, but nan_policy="bounds" needs ranks among the rows of the table; leave it '
                    "out."
                )
        warn_of_runs(table.frame)
        return possible_choices(table, p, weights, where)
    matrix = table.costs(where=where, reference=reference)
    warn_of_runs(table.frame)
    criterion = Criterion.of(matrix.objectives, p, weights, normalize, reference)
    checks.nothing_refused()
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
            frame=snapshot(table.frame),
            objectives=matrix.objectives,
            candidates=np.ones(len(ranking.scores), dtype=bool) if matrix.candidates is None else matrix.candidates,
            positions=matrix.positions if matrix.n_omitted else None,
            n_omitted=matrix.n_omitted,
            where=where,
            reference=reference,
        ),
    )
