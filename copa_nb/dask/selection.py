"""COPA's decision over a table in partitions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import partial
from typing import Any, NoReturn

import dask.dataframe as dd
import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.dask.findings import Findings
from copa_nb.dask.passes import decide
from copa_nb.dask.plan import Plan, ask
from copa_nb.dask.scales import placed, population_size
from copa_nb.objectives import ObjectivesLike
from copa_nb.selection.arrays import criterion
from copa_nb.selection.copa import Selection
from copa_nb.selection.criterion import WeightsLike, resolve_p, resolve_weights
from copa_nb.selection.normalize import HOW


@dataclass(frozen=True, repr=False, eq=False, kw_only=True)
class PartitionedSelection(Selection):
    """A :class:`~copa_nb.Selection` that holds the rows that could win, not the whole table.

    ``best``, ``tied``, ``score`` and the values and places of every row are those that pandas gives.
    ``scores``, ``table``, ``matrix`` and ``normalized`` cover the Pareto-optimal candidates only, since no
    other row can win, and ``rank`` is the rank among these.

    Parameters
    ----------
    better : ndarray of int64, shape (m, k)
        How many rows of the whole table are strictly better, by candidate and objective.
    n_allowed, n_rows : int
        Rows that could be chosen, and rows, in the whole table.
    """

    better: np.ndarray = field(repr=False)
    n_allowed: int
    n_rows: int

    def rank_sums(self) -> np.ndarray:
        """Sum over objectives of how many rows of the whole table are strictly better."""
        sums: np.ndarray = self.better.sum(axis=1)
        return sums

    def counts(self) -> tuple[int, int]:
        """How many rows of the whole table could be chosen, and how many it has."""
        return self.n_allowed, self.n_rows

    def stability(self, **options: Any) -> NoReturn:
        """Refuse: resampling a population needs all of it."""
        raise TypeError(
            "`stability` resamples the whole table, which is not in memory; run it on a sample of rows: "
            "ddf.sample(frac=0.01).compute().moo.copa(...).stability(). `sensitivity()` works here."
        )


def copa(
    frame: dd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    where: Any = None,
    normalize: str = "cdf",
    reference: Any = None,
    by: Any = None,
    nan_policy: str = "raise",
    compute: bool = True,
) -> Any:
    """Choose a model by preference from a table in partitions; see :func:`copa_nb.copa`.

    Two passes over the table, whatever its size: the first finds the rows that can win, the second counts
    how many rows are strictly better than each of them. The choice equals pandas' to the last tie.

    Parameters
    ----------
    frame : dask DataFrame
        One row per model.
    objectives, p, weights, normalize, reference, by, nan_policy
        As for :func:`copa_nb.copa`.
    where : str, dask Series or callable, optional
        Who may be chosen. A function is called once, with the dask frame, and returns a dask Series.
    compute : bool
        Whether to decide now. If not, the work is returned as a ``dask.delayed`` object, which can be
        computed with others; rows omitted for missing values are then counted, but not warned of.

    Returns
    -------
    PartitionedSelection, a mapping of group to it, or Delayed

    Raises
    ------
    ValueError, TypeError
        As pandas' verb does, and for a `where` that is not lazy.

    Examples
    --------
    >>> import pandas as pd, dask.dataframe as dd, copa_nb.dask
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... )
    >>> table = dd.from_pandas(models, npartitions=2, sort=False).moo.define(accuracy="max", co2_kg="min")
    >>> table.moo.copa()
    <Selection 'medium' (tied with 1 more) of 4 candidates, p=∞, cdf, weights accuracy=0.5, co2_kg=0.5>
    >>> table.moo.copa(where="co2_kg < 3").best
    'small'
    """
    checks.one_of("normalize", normalize, HOW)
    table = ask(frame, objectives=objectives, where=where, reference=reference, by=by, nan_policy=nan_policy)
    weight = resolve_weights(table.plan.objectives, weights)
    finish = partial(_select, plan=table.plan, p=resolve_p(p), weight=weight, normalize=normalize, reference=reference)
    return decide(table, finish, compute=compute)


def _select(
    found: Findings, counts: np.ndarray, *, plan: Plan, p: float, weight: np.ndarray, normalize: str, reference: Any
) -> PartitionedSelection:
    normalized = placed(found, counts, normalize, reference, plan)
    scores, positions, ranks = criterion.best_to_worst(normalized, weight, p, counts.sum(axis=1))
    assert found.rows is not None
    labels = found.rows.index
    tied: list[Hashable] = list(labels[positions[ranks == 1]])
    return PartitionedSelection(
        best=tied[0],
        tied=tied,
        scores=pd.Series(scores, index=labels, name="score"),
        ordered=positions,
        ranks=ranks,
        weights=dict(zip(plan.objectives, weight.tolist(), strict=True)),
        p=p,
        normalize=normalize,
        objectives=plan.objectives,
        positions=None,
        n_omitted=found.n_omitted,
        placed=normalized,
        candidates=np.ones(len(scores), dtype=bool),
        population_size=population_size(found, reference),
        reference=reference,
        frame=found.rows,
        where=plan.where,
        on_front=found.on_front(),
        better=counts,
        n_allowed=found.n_candidates,
        n_rows=found.n_kept,
    )
