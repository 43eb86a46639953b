"""How precise ranks are, if the population is a sample (COPA, Proposition 3.1)."""

from __future__ import annotations

import numpy as np
import pandas as pd

from copa_nb.ranking.arrays.ranks import strictly_better
from copa_nb.ranking.populations import Reference
from copa_nb.selection.arrays import stability as arrays
from copa_nb.selection.sensitivity import Chosen


def rank_intervals(choice: Chosen, confidence_level: float, simultaneous: bool) -> pd.DataFrame:
    """Give every rank a standard error and an interval; see :meth:`copa_nb.results.Selection.rank_intervals`."""
    if isinstance(confidence_level, bool) or not 0 < confidence_level < 1:
        raise ValueError(
            f"`confidence_level` is {confidence_level!r}; it must be a number between 0 and 1, such as 0.95."
        )
    values = choice.matrix.values
    inside = not isinstance(choice.reference, Reference)
    population = values if inside else choice.reference.population(choice.objectives)
    better, n = strictly_better(values, population), len(population)
    ranks = better / n
    if simultaneous:
        half = arrays.band_half_width(n, confidence_level)
        low, high = np.maximum(ranks - half, 0.0), np.minimum(ranks + half, 1.0)
    else:
        tied = np.array([len(np.unique(column)) < len(column) for column in values.T]) if inside else None
        low, high = arrays.rank_interval(better, n, confidence_level, tied=tied)
    errors = arrays.order_statistic_errors(better, n - inside)
    columns = {}
    for k, name in enumerate(choice.objectives):
        for prefix, array in (("u", ranks), ("error", errors), ("low", low), ("high", high)):
            columns[f"{prefix}_{name}"] = array[:, k]
    return pd.DataFrame(columns, index=choice.matrix.index)
