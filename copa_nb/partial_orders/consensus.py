"""Rankings that aggregate a sample of partial orders, compared with the most central of these orders.

Borda ranks a system by the number of systems below it minus the number above it, averaged over the items.
Kemeny's ranking contradicts the fewest observed pairs. Several rankings can be optimal: they are counted, and the pairs
on which they differ are listed. Both rankings order every pair; the deepest order leaves pairs open that the items
leave open.
"""

from __future__ import annotations

__all__ = ["Consensus"]

from collections.abc import Hashable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.partial_orders.arrays.consensus import borda_scores, kemeny_optima
from copa_nb.partial_orders.depth import DepthResult, depth
from copa_nb.partial_orders.orders import Orders
from copa_nb.plotting.hasse_layout import HOW_TO_READ_ALL
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part

# Pairs in an open order that a sentence names.
_MOST_PAIRS = 5
_HEADERS = {"kemeny": "Kemeny", "borda": "Borda", "kemeny_from": "best Kemeny rank", "kemeny_to": "worst Kemeny rank"}


@dataclass(frozen=True, repr=False, eq=False)
class Consensus(Worded):
    """The most central order of a sample, compared with Borda's and Kemeny's rankings.

    Parameters
    ----------
    table : DataFrame
        One line per system in Kemeny's order: ``kemeny`` and ``borda`` (ranks, 1 is best), ``score`` (Borda's
        mean of systems below minus systems above), ``above`` and ``below`` (systems above and below it in the most
        central order), ``kemeny_from`` and ``kemeny_to`` (its best and worst rank in the rankings in `optima`).
    central : hashable
        Item with the most central order (the first, if several are).
    kemeny : list
        Systems from best to worst. If several rankings are optimal, the one that puts systems with a higher Borda
        score first, and equal scores in the order of their names. It does not depend on the order of rows.
    optimal : bool
        Whether Kemeny's ranking is proven optimal; if not, the solver ran out of time.
    optima : list of list
        Rankings that contradict as few pairs as `kemeny`, which comes first: all, or the first 100.
    n_optima : int
        How many such rankings there are; a lower bound unless `counted`.
    counted : bool
        Whether `n_optima` counts all of them. It does if no cycle or tie among the pairwise majorities connects more
        than 14 systems.
    open_pairs : DataFrame
        Pairs that the optimal rankings order differently: ``above`` and ``below`` as `kemeny` has them. Empty if
        the ranking is unique.
    disagreements : int
        Observed pairs, over all items, that Kemeny's ranking contradicts.
    contradicted : DataFrame
        Pairs of the most central order that a ranking reverses: ``ranking``, ``above``, ``below``.
    depths : DepthResult
        Depth of the rankings, taken as orders, and of the most central order, in the sample.
    """

    paper = "rodemann2024partial"

    _internals = frozenset(("counted",))

    table: pd.DataFrame
    central: Hashable
    kemeny: list[Hashable]
    optimal: bool
    disagreements: int
    contradicted: pd.DataFrame
    depths: DepthResult
    optima: list[list[Hashable]] = field(default_factory=list)
    n_optima: int = 1
    counted: bool = False
    open_pairs: pd.DataFrame = field(default_factory=lambda: pd.DataFrame(columns=["above", "below"]))

    @property
    def unique(self) -> bool | None:
        """Whether Kemeny's ranking is the only optimum; None if that is not proven."""
        if self.n_optima > 1:
            return False
        return True if self.optimal and self.counted else None

    def __repr__(self) -> str:
        return f"<Consensus of {len(self.depths.sample)} orders: best by Kemeny {self.kemeny[0]!r}>"

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the most central order as a Hasse diagram."""
        from copa_nb.plotting.hasse import plot_hasse

        return plot_hasse(self.depths.sample.relation(self.central), ax=ax)

    def parts(self) -> list[Part]:
        """The first of Kemeny's ranking, what it contradicts, and how it differs from the most central order."""
        named = {"kemeny": "Kemeny", "borda": "Borda", "central": f"most central: {self.central}"}
        depths = {name: float(self.depths.depth[label]) for name, label in named.items()}
        counts = self.contradicted["ranking"].value_counts()
        reversed_pairs = {ranking.lower(): int(counts.get(ranking, 0)) for ranking in ("Kemeny", "Borda")}
        order = {"name": text.label(self.central), "digits": text.digits_apart(*depths.values())}
        return [
            part("consensus.headline.first", names=list(map(text.label, self.kemeny[:3]))),
            part(f"consensus.reasons.{'contradicts' if self.optimal else 'contradicts_so_far'}", n=self.disagreements),
            self._uniqueness(),
            part("consensus.details.depths", **depths, **order),
            part(f"consensus.details.{'reverses' if any(reversed_pairs.values()) else 'agrees'}", **reversed_pairs),
        ]

    def printed_tables(self) -> list[PrintedTable]:
        """The ranks of every system, and its place in the most central order."""
        caption = (
            "Ranks by Kemeny and Borda; Borda's score (systems below less systems above, mean over the problems); "
            "systems above and below in the most central order; best and worst rank over all rankings that Kemeny's "
            "criterion finds equally good."
        )
        return [PrintedTable(frame=self.table, name="consensus", caption=caption, headers=_HEADERS, most=40)]

    def _uniqueness(self) -> Part:
        if self.unique:
            return part("consensus.certainty.unique")
        if self.unique is None:
            return part("consensus.certainty.unknown")
        pairs = [
            part("consensus.phrases.pair", above=above, below=below)
            for above, below in self.open_pairs.itertuples(index=False, name=None)
        ]
        shown = pairs if len(pairs) <= _MOST_PAIRS else [*pairs[:4], part("phrases.more", n=len(pairs) - 4)]
        counted = "several" if self.counted else "at_least"
        return part(f"consensus.certainty.{counted}", n=self.n_optima, pairs=shown)


def consensus(sample: Orders, *, time_limit: float = 60.0, **depth_options: Any) -> Consensus:
    """Compare the most central order of a sample with Borda's and Kemeny's rankings.

    Parameters
    ----------
    sample : Orders
    time_limit : float
        Time limit in seconds for the integer solver, which Kemeny's rankings need if cycles or ties of majorities
        connect more than 14 systems.
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
    >>> merged = datasets.load_deepobs().moo(system="optimizer", item="problem").posets().consensus()
    >>> merged.kemeny, merged.unique
    (['Adam', 'SGD', 'Momentum'], True)
    """
    observed = depth(sample, **depth_options)
    central = observed.order[0]
    # A pair of indifferent systems counts for neither order.
    strict = sample.relations & ~sample.relations.transpose(0, 2, 1)
    counts = strict.sum(axis=0)
    scores = borda_scores(strict)
    # Where the data leave the order open, Borda's scores and then names decide, not the order of the rows.
    preferred = np.array(
        sorted(range(len(scores)), key=lambda i: (-round(float(scores[i]), 12), str(sample.systems[i])))
    )
    best_rankings = kemeny_optima(counts[np.ix_(preferred, preferred)], time_limit=time_limit)
    back = np.argsort(preferred)
    optima, either = best_rankings.positions[:, back], best_rankings.above[np.ix_(back, back)]
    positions = optima[0]
    undecided = np.argwhere(either & either.T & (positions[:, None] < positions[None, :]))
    ranks = pd.Series(-scores, index=sample.systems).round(12).rank(method="min").astype(int)
    kemeny_ranks = pd.Series(positions + 1, index=sample.systems)
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
                "kemeny_from": optima.min(axis=0) + 1,
                "kemeny_to": optima.max(axis=0) + 1,
            },
            index=sample.systems,
        ).sort_values("kemeny"),
        central=central,
        kemeny=list(kemeny_ranks.sort_values().index),
        optimal=best_rankings.optimal,
        disagreements=int(counts[positions[:, None] > positions[None, :]].sum()),
        contradicted=pd.DataFrame(reversals, columns=["ranking", "above", "below"]),
        depths=depth(sample, orders, **depth_options),
        optima=[list(sample.systems[np.argsort(row)]) for row in optima],
        n_optima=best_rankings.n_optima,
        counted=best_rankings.counted,
        open_pairs=pd.DataFrame(
            [(sample.systems[i], sample.systems[j]) for i, j in undecided], columns=["above", "below"]
        ),
    )


def _as_order(ranks: pd.Series) -> pd.DataFrame:
    values = ranks.to_numpy()
    return pd.DataFrame(values[:, None] < values[None, :], index=ranks.index, columns=ranks.index)


def _pairs(relation: pd.DataFrame) -> list[tuple[Any, Any]]:
    return [(relation.index[i], relation.index[j]) for i, j in np.argwhere(relation.to_numpy())]


@describes(Consensus.plot)
def _central_in_words(consensus: Consensus) -> Picture:
    central = text.label(consensus.central)
    items = text.plural(consensus.table.index.name, "items")
    return Picture(
        finding=f"The most central order is that of {central}",
        caption=f"Order on {central}: {HOW_TO_READ_ALL}",
        alt=f"Hasse diagram of the order of {len(consensus.table):,} {items} on {central}.",
        data=consensus.table,
    )
