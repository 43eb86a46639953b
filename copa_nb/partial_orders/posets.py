"""Partial orders of systems by several criteria, one order per item.

System i stands above system j on an item if it is at least as good in every criterion and better in one
(Rodemann and Blocher [1]_, section 2). If each is better in some criterion, they are incomparable: nothing is averaged
or weighted.

.. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.
"""

from __future__ import annotations

__all__ = ["PosetSample"]

import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.partial_orders.arrays import relations as core
from copa_nb.partial_orders.consensus import consensus as consensus_of
from copa_nb.partial_orders.depth import depth as depth_of
from copa_nb.partial_orders.orders import TIES, Orders, Origin, both_present
from copa_nb.partial_orders.suites import compare_suites, review_suite
from copa_nb.run_options import options as settings
from copa_nb.run_options import said
from copa_nb.tables.columns import ItemsOmittedWarning, one_row_each
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import NAN_POLICIES, costs_with_gaps

if TYPE_CHECKING:
    from copa_nb.partial_orders.arrays.ufg_sampling import Effort

_PAIRWISE = "pairwise"
_SECONDS_OF_EXPLORERS = 10.0


@dataclass(frozen=True, repr=False, eq=False)
class PosetSample(Orders):
    """One partial order (or preorder) of the same systems per item; made by :meth:`df.moo.posets
    <copa_nb.accessor.Moo.posets>`.

    Parameters
    ----------
    relations : ndarray of bool, shape (n_items, n_systems, n_systems)
        ``relations[g, i, j]`` is true if system i stands above system j on item g; two systems that are above each
        other are indifferent.
    systems : Index
        The systems that are compared.
    items : Index
        The items with one order each: problems, data sets, users.
    ties : {"incomparable", "drop", "preorder"}
        How systems that are equal in every criterion are treated. Only "preorder" allows mutual pairs.
    tied_items : Index
        Items in which some systems were equal in every criterion.
    left_out : Index
        Items that were left out.
    source : Origin, optional
        The table and the arguments, if these are all the orders that :meth:`df.moo.posets
        <copa_nb.accessor.Moo.posets>` derived from it.
    present : ndarray of bool, shape (n_items, n_systems), optional
        Which systems an item has, where some are missing (``nan_policy="pairwise"``); the order of an item is one of
        its systems. None if every item has all.

    Examples
    --------
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
    >>> sample
    <PosetSample: 8 partial orders of 3 systems, 6 distinct>
    >>> int(sample.pair_counts.loc["Adam", "Momentum"])
    4
    """

    paper = "rodemann2024partial"

    depth = depth_of

    review = review_suite

    consensus = consensus_of

    compare = compare_suites

    def forecast(self, *, max_card: int | None = None, rng: Any = 0) -> Effort:
        """Forecast the cost of exact depths.

        Parameters
        ----------
        max_card : int, optional
            As for :meth:`depth`.
        rng : int, Generator or None
            Seed or generator of the random chains for the forecast.

        Returns
        -------
        Effort
            ``n_sets`` to visit, ``seconds`` on this machine, ``sets_by_size``.

        Raises
        ------
        ValueError
            For `max_card` below 2, or if items have different systems.
        """
        from copa_nb.partial_orders.arrays.ufg import encode
        from copa_nb.partial_orders.arrays.ufg_sampling import forecast

        if max_card is not None:
            checks.integer("max_card", max_card, least=2)
        self.need_same_systems("the depth")
        return forecast(encode(self.relations_by_label), checks.generator(rng), max_card=max_card)

    def explore(self, **options: Any) -> Any:
        """Explore the orders by depth in a notebook, and the pairs that the k deepest share.

        System i stands above system j on an item (problem, data set) when it is at least as good in every objective
        and better in one. The union-free generic depth measures how typical each order is of the sample.

        Parameters
        ----------
        **options
            See :meth:`depth`. By default, depths are estimated from random sets if an exact run is forecast to take
            more than ten seconds, with a progress bar for a large table.

        Returns
        -------
        PosetExplorer
            ``depths`` by item, ``agreed`` the pairs that the included orders share.

        Examples
        --------
        >>> from copa_nb import datasets
        >>> orders = datasets.load_deepobs().moo(system="optimizer", item="problem").posets()
        >>> with orders.explore() as explorer:
        ...     explorer.depths.round(3).head(2)
        problem
        P2    0.649
        P3    0.649
        Name: depth, dtype: float64
        """
        with settings(max_seconds=said().limit(_SECONDS_OF_EXPLORERS)):
            depths = self.depth(**{"method": "auto", **options})
        return depths.explore()


def posets(table: DescribedFrame, *, ties: str = "incomparable") -> PosetSample:
    """Order the systems on every item by all objectives at once."""
    checks.one_of("ties", ties, TIES)
    item, system = table.named("item"), table.named("system")
    nan_policy = table.policy(*NAN_POLICIES, _PAIRWISE)
    matrix = table.saying(nan_policy="worst" if nan_policy == _PAIRWISE else nan_policy).costs()
    systems, items = table.labels("system"), table.labels("item")
    if len(systems.index) < 2:
        raise ValueError(f"`system` names {system!r}, which holds only one system; at least two are needed.")
    values = costs_with_gaps(table.frame, matrix.objectives) if nan_policy == _PAIRWISE else matrix.values
    costs = one_row_each(items, systems, matrix.positions, values, nan_policy)
    present = ~np.isnan(costs).any(axis=2)
    # A single system has nobody to be compared with.
    usable = present.sum(axis=1) >= 2 if nan_policy == _PAIRWISE else present.all(axis=1)
    above, equal = (
        relation & both_present(present)
        for relation in core.relations_from_costs(np.where(np.isnan(costs), np.inf, costs))
    )
    tied = equal.any(axis=(1, 2)) & usable
    kept = usable & ~tied if ties == "drop" else usable
    _warn_of_omitted(items.index, usable, tied & (ties == "drop"))
    relations = above | equal if ties == "preorder" else above
    source = Origin(table.frame, system, item, matrix.objectives, nan_policy)
    return PosetSample(
        relations[kept], systems.index, items.index[kept], ties, items.index[tied], items.index[~kept], source,
        present[kept],
    )  # fmt: skip


def _warn_of_omitted(items: pd.Index, complete: np.ndarray, tied: np.ndarray) -> None:
    reasons = []
    if not complete.all():
        reasons.append(f"{checks.listed(items[~complete])} because data are missing")
    if tied.any():
        reasons.append(f"{checks.listed(items[tied])} because systems are equal in every objective")
    if not reasons:
        return
    if not (complete & ~tied).any():
        raise ValueError(f'no item is left: {" and ".join(reasons)}. Pass ties="incomparable" or nan_policy="worst".')
    warnings.warn(f"left out of {len(items)} items: {'; '.join(reasons)}", ItemsOmittedWarning, stacklevel=3)
