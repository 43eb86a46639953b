"""Rankings that merge a sample of partial orders, beside the most central of these orders.

Borda ranks an item by how many others it stands above, less those above it, on average over the groups.
Kemeny's ranking contradicts the fewest observed pairs; it is found exactly by scipy's integer solver (HiGHS).
Both force an answer on every pair; the deepest order leaves open what the groups leave open.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.partial_orders.arrays.consensus import borda_scores, kemeny_ranking
from copa_nb.partial_orders.depth import DepthResult, depth
from copa_nb.partial_orders.posets import PosetSample
from copa_nb.results import Result


@dataclass(frozen=True, repr=False, eq=False)
class Consensus(Result):
    """The most central order of a sample beside Borda's and Kemeny's rankings.

    Parameters
    ----------
    table : DataFrame
        One line per item in Kemeny's order: ``kemeny`` and ``borda`` (ranks, 1 is best), ``score`` (Borda's
        mean of items below minus items above), ``above`` and ``below`` (items above and below it in the most
        central order).
    central : hashable
        Group with the most central order (the first of equals).
    kemeny : list
        Items from best to worst.
    optimal : bool
        Whether Kemeny's ranking is proven best; if not, the solver ran out of time.
    disagreements : int
        Observed pairs, over all groups, that Kemeny's ranking contradicts.
    contradicted : DataFrame
        Pairs of the most central order that a ranking reverses: ``ranking``, ``above``, ``below``.
    depths : DepthResult
        Depth of the rankings, taken as orders, and of the most central order, in the sample.
    """

    table: pd.DataFrame
    central: Hashable
    kemeny: list[Hashable]
    optimal: bool
    disagreements: int
    contradicted: pd.DataFrame
    depths: DepthResult

    def __repr__(self) -> str:
        return f"<Consensus of {len(self.depths.sample)} orders: best by Kemeny {self.kemeny[0]!r}>"

    def explain(self) -> str:
        """Say in words how the rankings differ from the most central order."""
        depths = self.depths.depth
        sentences = [
            f"Kemeny's ranking {'contradicts' if self.optimal else 'was found to contradict'} {self.disagreements} "
            f"observed pairs, and starts with {text.listing(self.kemeny[:3])}.",
            f"As orders, Kemeny's ranking has depth {depths['Kemeny']:.4g} and Borda's {depths['Borda']:.4g}; the most "
            f"central observed order ({self.central}) has {depths[f'most central: {self.central}']:.4g}.",
        ]
        reversals = self.contradicted["ranking"].value_counts()
        kemeny, borda = (int(reversals.get(ranking, 0)) for ranking in ("Kemeny", "Borda"))
        if kemeny or borda:
            sentences.append(f"Of its pairs Kemeny's ranking reverses {kemeny} and Borda's {borda}.")
        else:
            sentences.append("Neither ranking reverses any of its pairs.")
        return " ".join(sentences)


def consensus(sample: PosetSample, *, time_limit: float = 60.0, **depth_options: Any) -> Consensus:
    """Compare the most central order of a sample with Borda's and Kemeny's rankings.

    Parameters
    ----------
    sample : PosetSample
    time_limit : float
        Seconds that the search for Kemeny's ranking may take.
    **depth_options
        Passed to :func:`copa_nb.partial_orders.depth.depth`.

    Returns
    -------
    Consensus

    See Also
    --------
    copa_nb.partial_orders.depth.depth : The depths that define the most central order.

    References
    ----------
    .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.

    Examples
    --------
    >>> from copa_nb import datasets
    >>> merged = datasets.load_deepobs().moo.posets(item="optimizer", by="problem").consensus()
    >>> merged.kemeny
    ['Adam', 'SGD', 'Momentum']
    """
    observed = depth(sample, **depth_options)
    central = observed.order[0]
    # A pair of indifferent items counts for neither order.
    strict = sample.relations & ~sample.relations.transpose(0, 2, 1)
    counts = strict.sum(axis=0)
    positions, optimal = kemeny_ranking(counts, time_limit=time_limit)
    scores = borda_scores(strict)
    ranks = pd.Series(-scores, index=sample.items).round(12).rank(method="min").astype(int)
    kemeny_ranks = pd.Series(positions + 1, index=sample.items)
    best = sample.relation(central)
    best_strict = best & ~best.T
    orders = {
        f"most central: {central}": best,
        "Kemeny": _as_order(kemeny_ranks),
        "Borda": _as_order(ranks),
    }
    reversals = [
        {"ranking": name, "above": i, "below": j}
        for name in ("Kemeny", "Borda")
        for i, j in _pairs(best_strict)
        if orders[name].loc[j, i]
    ]
    return Consensus(
        table=pd.DataFrame(
            {
                "kemeny": kemeny_ranks,
                "borda": ranks,
                "score": scores,
                "above": best_strict.sum(),
                "below": best_strict.sum(axis=1),
            },
            index=sample.items,
        ).sort_values("kemeny"),
        central=central,
        kemeny=list(kemeny_ranks.sort_values().index),
        optimal=optimal,
        disagreements=int(counts[positions[:, None] > positions[None, :]].sum()),
        contradicted=pd.DataFrame(reversals, columns=["ranking", "above", "below"]),
        depths=depth(sample, orders, **depth_options),
    )


def _as_order(ranks: pd.Series) -> pd.DataFrame:
    values = ranks.to_numpy()
    return pd.DataFrame(values[:, None] < values[None, :], index=ranks.index, columns=ranks.index)


def _pairs(relation: pd.DataFrame) -> list[tuple[Any, Any]]:
    return [(relation.index[i], relation.index[j]) for i, j in np.argwhere(relation.to_numpy())]
