"""Partial orders of systems by several criteria, one order per item.

System i stands above system j on an item if it is at least as good in every criterion and better in one
(Rodemann and Blocher [1]_, section 2). If each is better in some criterion, they are incomparable: nothing is averaged
or weighted.

.. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565.
"""

from __future__ import annotations

__all__ = ["PosetSample", "posets"]

import warnings
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import ItemsOmittedWarning, label_order, one_row_each, read_labels
from copa_nb.docstrings import shared_parameters
from copa_nb.frames import any_frame
from copa_nb.objectives import NAN_POLICIES, Objectives, ObjectivesLike, costs_with_gaps, to_minimization
from copa_nb.orders import is_partial_order, is_preorder, transitive_reduction
from copa_nb.partial_orders.arrays import relations as core
from copa_nb.results import PlotMethod, Result, VerbMethod

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from copa_nb.partial_orders.arrays.ufg_sampling import Forecast

TIES = ("incomparable", "drop", "preorder")
_PAIRWISE = "pairwise"


@dataclass(frozen=True, eq=False)
class Source:
    """Where orders come from: arguments of :func:`posets`."""

    frame: pd.DataFrame
    system: Hashable | list[Hashable]
    item: Hashable | list[Hashable]
    objectives: Objectives
    nan_policy: str


def _depth() -> Callable[..., Any]:
    from copa_nb.partial_orders.depth import depth

    return depth


def _review_suite() -> Callable[..., Any]:
    from copa_nb.partial_orders.suites import review_suite

    return review_suite


def _consensus() -> Callable[..., Any]:
    from copa_nb.partial_orders.consensus import consensus

    return consensus


@dataclass(frozen=True, repr=False, eq=False)
class PosetSample(Result):
    """One partial order (or preorder) of the same systems per item; made by :func:`copa_nb.posets`.

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
    source : Source, optional
        The table and the arguments, if these are all the orders that :func:`copa_nb.posets` derived from it.
    present : ndarray of bool, shape (n_items, n_systems), optional
        Which systems an item has, where some are missing (``nan_policy="pairwise"``); the order of an item is one of
        its systems. None if every item has all.

    Examples
    --------
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> sample = datasets.load_deepobs().moo.posets(system="optimizer", item="problem")
    >>> sample
    <PosetSample: 8 partial orders of 3 systems, 6 distinct>
    >>> int(sample.pair_counts.loc["Adam", "Momentum"])
    4
    """

    _internals = frozenset(
        (
            "common_items",
            "distinct",
            "items",
            "left_out",
            "need_same_systems",
            "plot_figure",
            "present",
            "reduction",
            "relation",
            "relations",
            "relations_by_label",
            "source",
            "systems",
            "tied_items",
            "ties",
            "union",
        )
    )

    relations: np.ndarray
    systems: pd.Index
    items: pd.Index
    ties: str = "incomparable"
    tied_items: pd.Index = field(default_factory=lambda: pd.Index([]))
    left_out: pd.Index = field(default_factory=lambda: pd.Index([]))
    source: Source | None = field(default=None, repr=False)
    present: np.ndarray | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        checks.one_of("ties", self.ties, TIES)
        relations = np.array(self.relations, dtype=bool)
        systems, items = pd.Index(self.systems), pd.Index(self.items)
        if relations.shape != (len(items), len(systems), len(systems)) or len(items) == 0:
            raise ValueError(
                f"`relations` has shape {relations.shape}; it must be (items, systems, systems) with at least one "
                f"item, here ({len(items)}, {len(systems)}, {len(systems)})."
            )
        for argument, index in (("systems", systems), ("items", items)):
            if not index.is_unique:
                repeated = index[index.duplicated()].unique()
                raise ValueError(f"`{argument}` repeats {checks.listed(repeated)}; every label must be unique.")
        legal = is_preorder if self.ties == "preorder" else is_partial_order
        for item, relation in zip(items, relations, strict=True):
            if not legal(relation):
                kind = (
                    "preorder" if self.ties == "preorder" else "partial order (irreflexive, transitive, antisymmetric)"
                )
                raise ValueError(
                    f"`relations` of item {item!r} is not a {kind}; close it with "
                    "copa_nb.orders.transitive_closure, or leave the diagonal out."
                )
        relations.flags.writeable = False
        for name, value in (("relations", relations), ("systems", systems), ("items", items)):
            object.__setattr__(self, name, value)
        if self.present is not None:
            object.__setattr__(self, "present", self._checked_presence())

    def _checked_presence(self) -> np.ndarray | None:
        present = np.array(self.present, dtype=bool)
        if present.shape != self.relations.shape[:2]:
            raise ValueError(
                f"`present` has shape {present.shape}; it must be (items, systems), here {self.relations.shape[:2]}."
            )
        if (self.relations & ~_both(present)).any():
            item = int(np.argmax((self.relations & ~_both(present)).any(axis=(1, 2))))
            raise ValueError(f"`relations` of item {self.items[item]!r} orders systems that `present` says it lacks.")
        present.flags.writeable = False
        return None if present.all() else present

    def __len__(self) -> int:
        return len(self.items)

    @property
    def relations_by_label(self) -> np.ndarray:
        """Relations in the order of the items' labels: what is drawn from them does not depend on that of the rows."""
        return self.relations[label_order(self.items)]

    def __repr__(self) -> str:
        kind = "preorders" if self.ties == "preorder" else "partial orders"
        return f"<PosetSample: {len(self)} {kind} of {len(self.systems)} systems, {len(self.distinct)} distinct>"

    @property
    def distinct(self) -> pd.DataFrame:
        """The distinct relations, indexed by the first item with each.

        Columns: ``multiplicity`` (number of items with it), ``items`` (their labels) and ``pairs`` (number of ordered
        pairs).
        """
        first, which = core.distinct_relations(self._with_presence())
        members = [list(self.items[which == k]) for k in range(len(first))]
        return pd.DataFrame(
            {
                "multiplicity": [len(labels) for labels in members],
                "items": members,
                "pairs": self.relations[first].sum(axis=(1, 2)),
            },
            index=self.items[first],
        )

    @property
    def table(self) -> pd.DataFrame:
        """One line per item.

        Columns: ``pairs`` (ordered pairs), ``incomparable`` (pairs of systems of which neither stands above the
        other), ``multiplicity`` (number of items with this relation); ``systems`` that the item has, where some are
        missing.
        """
        _, which = core.distinct_relations(self._with_presence())
        comparable = self.relations | self.relations.transpose(0, 2, 1)
        n = self._counts()
        table = pd.DataFrame(
            {
                "pairs": self.relations.sum(axis=(1, 2)),
                "incomparable": n * (n - 1) // 2 - comparable.sum(axis=(1, 2)) // 2,
                "multiplicity": np.bincount(which)[which],
            },
            index=self.items,
        )
        return table if self.present is None else table.assign(systems=n)

    @property
    def pair_counts(self) -> pd.DataFrame:
        """On how many items the system of the row stands above the system of the column."""
        return self._square(self.relations.sum(axis=0))

    @property
    def common_items(self) -> pd.DataFrame:
        """How many items have both the system of the row and that of the column."""
        if self.present is None:
            return self._square(np.full((len(self.systems),) * 2, len(self)))
        return self._square(self.present.T.astype(np.int64) @ self.present)

    @property
    def intersection(self) -> pd.DataFrame:
        """Pairs (row above column) that all items share, or all that have both systems."""
        return self._square(self._shared())

    @property
    def union(self) -> pd.DataFrame:
        """Pairs (row above column) of at least one item."""
        return self._square(np.asarray(self.relations.any(axis=0)))

    def relation(self, item: Hashable) -> pd.DataFrame:
        """Relation of one item: row above column, of the systems that the item has."""
        position = self._position(item)
        there = slice(None) if self.present is None else self.present[position]
        return self._square(self.relations[position]).loc[there, there]

    def reduction(self, item: Hashable) -> pd.DataFrame:
        """Pairs of one item with no system between them: the edges of its Hasse diagram.

        Raises
        ------
        ValueError
            For an unknown item, or one in which systems are indifferent: a preorder has no unique reduction.
        """
        found = self.relation(item)
        relation = found.to_numpy()
        if (relation & relation.T).any():
            raise ValueError(
                f"`item` is {item!r}, in which some systems are indifferent; a preorder has no unique reduction. "
                "Draw it with plot_hasse, which joins indifferent systems."
            )
        return pd.DataFrame(transitive_reduction(relation), index=found.index, columns=found.columns)

    def only(self, items: Iterable[Hashable]) -> PosetSample:
        """Keep some items, in the order given."""
        positions = [self._position(item) for item in items]
        kept = self.items[positions]
        return PosetSample(
            self.relations[positions], self.systems, kept, self.ties, self.tied_items.intersection(kept), self.left_out,
            present=None if self.present is None else self.present[positions],
        )  # fmt: skip

    def without(self, items: Iterable[Hashable]) -> PosetSample:
        """Leave some items out."""
        omitted = {self._position(item) for item in items}
        return self.only(self.items[[k for k in range(len(self)) if k not in omitted]])

    depth = VerbMethod(_depth)

    def forecast(self, *, max_card: int | None = None, rng: Any = 0) -> Forecast:
        """Forecast the cost of exact depths.

        Parameters
        ----------
        max_card : int, optional
            As for :meth:`depth`.
        rng : int, Generator or None
            Seed or generator of the random chains for the forecast.

        Returns
        -------
        Forecast
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

    review = VerbMethod(_review_suite)

    consensus = VerbMethod(_consensus)

    def explain(self) -> str:
        """Summarize the sample."""
        shared = int(self._shared().sum())
        items, systems = text.plural(self.items.name, "items"), text.plural(self.systems.name, "systems")
        distinct = "all" if len(self.distinct) == len(self) else f"{len(self.distinct)} of these"
        sentences = [
            f"Each of {len(self)} {items} orders {self._its_systems()} {systems}; {distinct} orders are distinct.",
            f"{shared or 'No'} pair{'s' * (shared > 1)} of {systems} {'are' if shared > 1 else 'is'} ordered the same "
            f"way on all {items}{'' if self.present is None else ' that have both'}.",
        ]
        if self.present is not None:
            apart = int(np.triu(self.common_items.to_numpy() == 0, 1).sum())
            sentences.append(
                f"Counts of pairs can be compared if {systems} are missing from {items} at random"
                + (f"; {apart:,} pair{'s' * (apart > 1)} of {systems} share no item." if apart else ".")
            )
        if len(self.tied_items):
            tied = f"ome {systems} are equal in every criterion"
            sentences.append(
                f"Left out because s{tied}: {text.listing(self.tied_items)}."
                if self.ties == "drop"
                else f"S{tied} and count as {'indifferent' if self.ties == 'preorder' else 'incomparable'} on these "
                f"{items}: {text.listing(self.tied_items)}."
            )

        missing = self.left_out.difference(self.tied_items)
        if len(missing):
            sentences.append(f"Left out because data are missing: {text.listing(missing)}.")
        return " ".join(sentences)

    plot = PlotMethod("plot_pair_counts")

    def plot_hasse(self, item: Hashable, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draw the Hasse diagram of one item: see :func:`copa_nb.plots.plot_hasse`."""
        from copa_nb.plotting.hasse import plot_hasse

        return plot_hasse(self.relation(item), ax=ax, **kwargs)

    plot_figure = PlotMethod("plot_hasse_figure")

    def explore(self, **options: Any) -> Any:
        """Explore the orders by depth in a notebook; see :func:`copa_nb.explore_posets`.

        Parameters
        ----------
        **options
            See :meth:`depth`. By default, depths are estimated if an exact run is forecast to take more than ten
            seconds.

        Returns
        -------
        PosetExplorer
        """
        return self.depth(**{"method": "auto", "max_seconds": 10.0, **options}).explore()

    def need_same_systems(self, what: str) -> None:
        """Refuse a sample in which items have different systems, and name the ways out.

        Parameters
        ----------
        what : str
            What is defined for orders of the same systems only.

        Raises
        ------
        ValueError
            If some item lacks some system.
        """
        if self.present is None:
            return
        complete, lacking = int(self.present.all(axis=1).sum()), (~self.present).sum(axis=0)
        most = int(np.argmax(lacking))
        raise ValueError(
            f"{len(self) - complete:,} of {len(self):,} items lack some systems, and {what} is defined for orders of "
            "the same systems only: a missing system is unknown, not incomparable. Call posets with "
            f"{checks.setting('nan_policy', 'omit')} to keep the {complete:,} items with all systems, or with "
            f"{checks.setting('nan_policy', 'worst')} to put missing ones below all others. Or leave out systems "
            f"first: {text.label(self.systems[most])} is missing from {int(lacking[most]):,} items."
        )

    def _counts(self) -> Any:
        """How many systems each item has."""
        return len(self.systems) if self.present is None else self.present.sum(axis=1)

    def _its_systems(self) -> str:
        if self.present is None:
            return f"the {len(self.systems)}"
        few, many = self._counts().min(), self._counts().max()
        return f"{few if few == many else f'{few} to {many}'} of the {len(self.systems)}"

    def _shared(self) -> np.ndarray:
        """Pairs that all items share that have both systems."""
        if self.present is None:
            return np.asarray(self.relations.all(axis=0))
        both = _both(self.present)
        return np.asarray((self.relations | ~both).all(axis=0) & both.any(axis=0))

    def _with_presence(self) -> np.ndarray:
        """Relations that differ where the systems do: on the diagonal, which systems there are."""
        if self.present is None:
            return self.relations
        return self.relations | (self.present[:, :, None] & np.eye(len(self.systems), dtype=bool))

    def _square(self, values: np.ndarray) -> pd.DataFrame:
        return pd.DataFrame(values, index=self.systems, columns=self.systems)

    def _position(self, item: Hashable) -> int:
        labels = list(self.items)
        if item not in labels:
            raise ValueError(
                f"`item` is {item!r}, which is not in the sample; the items are {checks.listed(self.items)}."
                f"{checks.nearest(item, self.items)}"
            )
        return labels.index(item)


@any_frame
@shared_parameters
def posets(
    frame: pd.DataFrame,
    *,
    system: Hashable | list[Hashable],
    item: Hashable | list[Hashable],
    objectives: ObjectivesLike = None,
    ties: str = "incomparable",
    nan_policy: str = "raise",
) -> PosetSample:
    """Order the systems on every item by all objectives at once.

    Parameters
    ----------
    frame : DataFrame
        One row per item and system.
    system : label or list of labels
        Columns or index levels that name the systems (optimizers, models).
    item : label or list of labels
        Columns or index levels that name the items (problems, data sets).
    %(objectives)s
    ties : {"incomparable", "drop", "preorder"}
        Systems that are equal in every criterion: leave them incomparable (default), drop the item (with an
        :class:`ItemsOmittedWarning`), or keep them as indifferent, which makes preorders. The papers treat only
        partial orders: depths of preorders use a closure of this package's own, see
        :func:`~copa_nb.partial_orders.depth.depth`.
    nan_policy : {"raise", "omit", "worst", "pairwise"}
        Missing values, and systems without a row on some item: raise an error (default), omit these items, count
        them as worse than everything (+inf as a cost; two infinite costs are equal), or order on each item the systems
        that it has with all objectives.

    Returns
    -------
    PosetSample

    Raises
    ------
    %(gate_errors)s
    ValueError
        For unknown columns, fewer than two systems, repeated rows of a system on an item, or missing data.

    Notes
    -----
    With ``nan_policy="pairwise"`` the orders are of different systems. Counts of pairs are then over the items that
    have both (``common_items``), and may be compared if the systems that an item has do not depend on how they compare
    there. Depths, Kemeny's ranking and reviews of suites are refused: they rest on which pairs are in the intersection
    and in the union of some orders, and of a system that is missing neither is known. To count it as incomparable would
    make the items with the fewest systems the deepest.

    See Also
    --------
    copa_nb.partial_orders.depth.depth : How central each order is.
    copa_nb.compare_suites : Two samples of the same systems.

    References
    ----------
    .. [1] J. Rodemann and H. Blocher, "Partial Rankings of Optimizers", ICLR Tiny Papers 2024, arXiv:2402.16565,
       section 2.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame({
    ...     "task": ["t1", "t1", "t1", "t2", "t2", "t2"], "model": list("abcabc"),
    ...     "error": [0.1, 0.2, 0.3, 0.3, 0.2, 0.2], "seconds": [1.0, 3.0, 2.0, 1.0, 2.0, 2.0]})
    >>> sample = copa_nb.posets(runs, system="model", item="task", objectives={"error": "min", "seconds": "min"})
    >>> sample.relation("t1").astype(int)
    model  a  b  c
    model
    a      0  1  1
    b      0  0  0
    c      0  0  0
    """
    checks.one_of("nan_policy", nan_policy, (*NAN_POLICIES, _PAIRWISE))
    matrix = to_minimization(frame, objectives, nan_policy="worst" if nan_policy == _PAIRWISE else nan_policy)
    checks.one_of("ties", ties, TIES)
    systems, items = read_labels(frame, system, "system"), read_labels(frame, item, "item")
    if len(systems.index) < 2:
        raise ValueError(f"`system` names {system!r}, which holds only one system; at least two are needed.")
    values = costs_with_gaps(frame, matrix.objectives) if nan_policy == _PAIRWISE else matrix.values
    costs = one_row_each(items, systems, matrix.positions, values, nan_policy)
    present = ~np.isnan(costs).any(axis=2)
    # A single system has nobody to be compared with.
    usable = present.sum(axis=1) >= 2 if nan_policy == _PAIRWISE else present.all(axis=1)
    above, equal = (
        relation & _both(present) for relation in core.relations_from_costs(np.where(np.isnan(costs), np.inf, costs))
    )
    tied = equal.any(axis=(1, 2)) & usable
    kept = usable & ~tied if ties == "drop" else usable
    _warn_of_omitted(items.index, usable, tied & (ties == "drop"))
    relations = above | equal if ties == "preorder" else above
    source = Source(frame, system, item, matrix.objectives, nan_policy)
    return PosetSample(
        relations[kept], systems.index, items.index[kept], ties, items.index[tied], items.index[~kept], source,
        present[kept],
    )  # fmt: skip


def _both(present: np.ndarray) -> np.ndarray:
    """Whether an item has both systems, shape (n_items, n_systems, n_systems)."""
    both: np.ndarray = present[:, :, None] & present[:, None, :]
    return both


def as_sample(orders: Any, sample: PosetSample, argument: str = "orders") -> PosetSample:
    """Return orders of the sample's systems as a sample, with the systems in that sample's order.

    Parameters
    ----------
    orders : PosetSample, mapping of name to DataFrame, DataFrame or ndarray
        See :func:`copa_nb.partial_orders.depth.depth`.
    sample : PosetSample
        Sample that defines the systems and their order.
    argument : str
        Name of the argument, for errors.

    Returns
    -------
    PosetSample
    """
    if isinstance(orders, PosetSample):
        orders.need_same_systems("the depth")
        if set(orders.systems) != set(sample.systems):
            raise ValueError(
                f"`{argument}` compares {checks.listed(orders.systems)}, the sample {checks.listed(sample.systems)}; "
                "both must have the same systems."
            )
        positions = orders.systems.get_indexer(sample.systems)
        return PosetSample(orders.relations[:, positions][:, :, positions], sample.systems, orders.items, orders.ties)
    if isinstance(orders, pd.DataFrame):
        orders = {"given": orders}
    if isinstance(orders, Mapping):
        relations = np.stack([_matrix(relation, sample.systems, name, argument) for name, relation in orders.items()])
        items = pd.Index(list(orders))
    else:
        relations = np.asarray(orders, dtype=bool)
        relations = relations[None] if relations.ndim == 2 else relations
        items = pd.RangeIndex(len(relations))
    ties = "preorder" if (relations & relations.transpose(0, 2, 1)).any() else "incomparable"
    return PosetSample(relations, sample.systems, items, ties)


def _matrix(relation: pd.DataFrame, systems: pd.Index, name: Hashable, argument: str) -> np.ndarray:
    if (
        not isinstance(relation, pd.DataFrame)
        or set(relation.index) != set(systems)
        or set(relation.columns) != set(systems)
    ):
        raise ValueError(
            f"`{argument}` must give each order as a DataFrame with the systems {checks.listed(systems)} as rows and "
            f"columns; {name!r} is not."
        )
    return relation.loc[systems, systems].to_numpy(dtype=bool)


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
