"""The rows that can win, on a common scale taken over the whole table."""

from __future__ import annotations

from typing import Any

import numpy as np

from copa_nb.dask.findings import Findings
from copa_nb.dask.plan import Plan
from copa_nb.selection.arrays.ranks import empirical_cdf
from copa_nb.selection.normalize import normalizer_from, not_one_row
from copa_nb.selection.populations import Reference


def placed(found: Findings, counts: np.ndarray, how: str, reference: Any, plan: Plan) -> np.ndarray:
    """Put the rows found on a scale; see :func:`copa_nb.normalize`.

    Parameters
    ----------
    found : Findings
        The rows, and the extremes of the table.
    counts : ndarray of int64, shape (m, k)
        How many rows of the table are strictly better.
    how : {"cdf", "minmax", "relative", "none"}
        The scale.
    reference : Reference, row label or None
        What it is taken against.
    plan : Plan
        The question.

    Returns
    -------
    ndarray of float64, shape (m, k)
    """
    frozen = reference.population(plan.objectives) if isinstance(reference, Reference) else None
    row = None
    if reference is not None and frozen is None:
        if len(found.named) != 1:
            raise ValueError(not_one_row(reference, len(found.named)))
        row = found.named[0]
    if how == "cdf" and row is None:
        return counts / found.n_kept if frozen is None else empirical_cdf(found.costs, frozen)
    # Of the population, these scales only want the extremes.
    population = np.stack([found.ideal, found.nadir]) if frozen is None else frozen
    return normalizer_from(plan.objectives, how, population, row, reference)(found.costs)


def population_size(found: Findings, reference: Any) -> int:
    """Rows that scales are taken over."""
    return len(reference.values) if isinstance(reference, Reference) else found.n_kept
