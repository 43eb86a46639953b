"""Rows in the order that a criterion gives them: scores, ranks and ties (COPA, equations 9 to 11)."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import pandas as pd

from copa_nb.ranking.arrays import criterion as arrays
from copa_nb.ranking.arrays.ranks import Placed
from copa_nb.ranking.criterion import Criterion
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives


class Weighed(Protocol):
    """What rows were ordered by; a :class:`Ranking` and a :class:`copa_nb.results.Selection` have it."""

    @property
    def weights(self) -> dict[Hashable, float]:
        """Of the objectives; they sum to 1."""

    @property
    def p(self) -> float:
        """Order of the norm."""


@dataclass(frozen=True, eq=False)
class Ranking:
    """Rows of a table, ordered by a criterion; what is decided by the order is in ``copa.py``.

    Parameters
    ----------
    objectives : Objectives
        Names and directions.
    criterion : Criterion
        Weights, order of the norm, and the scale.
    labels : pandas.Index of length n
        Names of all rows.
    placed : ndarray of float64 or RankShares, shape (n, k)
        Their costs on the common scale.
    scores : ndarray of float64, shape (n,)
        The criterion for every row, smaller is better.
    ordered : ndarray of int64
        Rows that may be chosen, from best to worst.
    ranks : ndarray of int64
        Their ranks, in that order; 1 is best, rows that tie share the lowest.
    """

    objectives: Objectives
    criterion: Criterion
    labels: pd.Index = field(repr=False)
    placed: Placed = field(repr=False)
    scores: np.ndarray = field(repr=False)
    ordered: np.ndarray = field(repr=False)
    ranks: np.ndarray = field(repr=False)

    @classmethod
    def of(cls, matrix: ObjectiveMatrix, criterion: Criterion) -> Ranking:
        """Order the rows of a table that may be chosen; ties of the criterion are broken as in :meth:`df.moo.copa
        <copa_nb.accessor.Moo.copa>`.

        Parameters
        ----------
        matrix : ObjectiveMatrix
            The table; its ranks are taken over all rows, unless the criterion has a frozen population.
        criterion : Criterion
            What the rows are ordered by.
        """
        placed, sums = criterion.place(matrix)
        allowed = None if matrix.candidates is None or matrix.candidates.all() else matrix.allowed()
        if allowed is None:
            scores, ordered, ranks = arrays.best_to_worst(placed, criterion.weights, criterion.p, sums)
        else:
            scores = arrays.weighted_norm(placed, criterion.weights, criterion.p)
            _, order, ranks = arrays.best_to_worst(placed[allowed], criterion.weights, criterion.p, sums[allowed])
            ordered = allowed[order]
        return cls(matrix.objectives, criterion, matrix.index, placed, scores, ordered, ranks)

    @property
    def tied(self) -> list[Hashable]:
        """All rows that tie for first place on every criterion: usually just the best."""
        return list(self.labels[self.ordered[self.ranks == 1]])

    @property
    def best(self) -> Hashable:
        """The first row."""
        return self.tied[0]

    @property
    def weights(self) -> dict[Hashable, float]:
        """Weight by objective."""
        return self.criterion.named_weights(self.objectives)

    @property
    def p(self) -> float:
        """Order of the norm."""
        return self.criterion.p

    @property
    def table(self) -> pd.DataFrame:
        """Rank and score of the rows that may be chosen, from best to worst."""
        columns = {"rank": self.ranks, "score": self.scores[self.ordered]}
        return pd.DataFrame(columns, index=self.labels[self.ordered])


def criterion_of_claim(order: Weighed) -> dict[str, Any]:
    """Return the weights and the norm of an order as options of a claim; equal weights and p = ∞ are left out."""
    weights = {str(name): float(f"{weight:.9g}") for name, weight in order.weights.items()}
    return {
        "weights": weights if len(set(weights.values())) > 1 else {},
        "p": "" if order.p == math.inf else f"{order.p:g}",
    }
