"""Partial orders of the same systems, one per item: what they are, how often pairs occur, and which are distinct.

:class:`copa_nb.results.PosetSample` adds what is derived from them: depths, a consensus, the make-up of a suite.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self, TypeVar

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.arrays.orders import is_partial_order, is_preorder, transitive_reduction
from copa_nb.partial_orders.arrays import relations as core
from copa_nb.results.offered import Offered
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part, shortened
from copa_nb.tables.columns import label_order
from copa_nb.tables.objectives import Objectives

if TYPE_CHECKING:
    from matplotlib.axes import Axes

TIES = ("incomparable", "drop", "preorder")
Sample = TypeVar("Sample", bound="Orders")


@dataclass(frozen=True, eq=False)
class Origin:
    """Where orders come from: arguments of :func:`posets`."""

    frame: pd.DataFrame
    system: Hashable | list[Hashable]
    item: Hashable | list[Hashable]
    objectives: Objectives
    nan_policy: str


@dataclass(frozen=True, repr=False, eq=False)
class Orders(Worded):
    """One partial order (or preorder) of the same systems per item.

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
    """

    paper = "rodemann2024partial"

    _internals = frozenset(
        (
            "common_items",
            "distinct",
            "forecast",
            "items",
            "left_out",
            "need_same_systems",
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
    source: Origin | None = field(default=None, repr=False)
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
                    "copa_nb.arrays.orders.transitive_closure, or leave the diagonal out."
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
        if (self.relations & ~both_present(present)).any():
            item = int(np.argmax((self.relations & ~both_present(present)).any(axis=(1, 2))))
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
        return (
            f"<{type(self).__name__}: {len(self)} {kind} of {len(self.systems)} systems, {len(self.distinct)} distinct>"
        )

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

    def only(self, items: Iterable[Hashable]) -> Self:
        """Keep some items, in the order given."""
        positions = [self._position(item) for item in items]
        kept = self.items[positions]
        return type(self)(
            self.relations[positions], self.systems, kept, self.ties, self.tied_items.intersection(kept), self.left_out,
            present=None if self.present is None else self.present[positions],
        )  # fmt: skip

    def without(self, items: Iterable[Hashable]) -> Self:
        """Leave some items out."""
        omitted = {self._position(item) for item in items}
        return self.only(self.items[[k for k in range(len(self)) if k not in omitted]])

    def parts(self) -> list[Part]:
        """How far the orders agree, how many differ, and what the table had to leave out."""
        shared, n = int(self._shared().sum()), len(self)
        called = {"items": text.plural(self.items.name, "items"), "systems": text.plural(self.systems.name, "systems")}
        agreed = f"{'shared' if shared else 'none_shared'}{'_of_both' * (self.present is not None)}"
        missing = [text.label(item) for item in self.left_out.difference(self.tied_items)]
        return [
            part(f"posets.headline.{agreed}", shared=shared, n=n, **called),
            self._distinct(called),
            *self._absences(called),
            *self._ties(called),
            *([part("left_out.details.missing", names=shortened(missing))] if missing else []),
        ]

    def _distinct(self, called: dict[str, str]) -> Part:
        """How many orders differ, of how many systems each."""
        total, distinct = len(self.systems), len(self.distinct)
        found = {"n": len(self), "total": total, "distinct": distinct, **called}
        all_distinct = "all_distinct" if distinct == len(self) else "distinct"
        if self.present is None:
            return part(f"posets.reasons.{all_distinct}", **found)
        few, many = int(self._counts().min()), int(self._counts().max())
        ordered = part(f"posets.phrases.{'some' if few == many else 'some_to'}", few=few, many=many)
        return part(f"posets.reasons.{all_distinct}_of_some", ordered=ordered, **found)

    def _absences(self, called: dict[str, str]) -> list[Part]:
        if self.present is None:
            return []
        apart = int(np.triu(self.common_items.to_numpy() == 0, 1).sum())
        no_item = [part("posets.details.no_common_item", n=apart, **called)] if apart else []
        return [part("posets.details.at_random", **called), *no_item]

    def _ties(self, called: dict[str, str]) -> list[Part]:
        if not len(self.tied_items):
            return []
        names = shortened(map(text.label, self.tied_items), most=10)
        if self.ties == "drop":
            return [part("left_out.details.tied", names=names, **called)]
        return [part(f"posets.details.ties_{self.ties}", names=names, **called)]

    plot = Offered()

    def plot_hasse(self, item: Hashable, ax: Axes | None = None, **kwargs: Any) -> Axes:
        """Draw the Hasse diagram of one item: see :func:`copa_nb.plots.plot_hasse`."""
        from copa_nb.plotting.hasse import plot_hasse

        return plot_hasse(self.relation(item), ax=ax, **kwargs)

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

    def _shared(self) -> np.ndarray:
        """Pairs that all items share that have both systems."""
        if self.present is None:
            return np.asarray(self.relations.all(axis=0))
        both = both_present(self.present)
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


def both_present(present: np.ndarray) -> np.ndarray:
    """Whether an item has both systems, shape (n_items, n_systems, n_systems)."""
    both: np.ndarray = present[:, :, None] & present[:, None, :]
    return both


def as_sample(orders: Any, sample: Sample, argument: str = "orders") -> Sample:
    """Return orders of the sample's systems as a sample, with the systems in that sample's order.

    Parameters
    ----------
    orders : Orders, mapping of name to DataFrame, DataFrame or ndarray
        See :func:`copa_nb.partial_orders.depth.depth`.
    sample : Orders
        Sample that defines the systems and their order.
    argument : str
        Name of the argument, for errors.

    Returns
    -------
    Orders
        Of the sample's kind.
    """
    if isinstance(orders, Orders):
        orders.need_same_systems("the depth")
        if set(orders.systems) != set(sample.systems):
            raise ValueError(
                f"`{argument}` compares {checks.listed(orders.systems)}, the sample {checks.listed(sample.systems)}; "
                "both must have the same systems."
            )
        positions = orders.systems.get_indexer(sample.systems)
        return type(sample)(orders.relations[:, positions][:, :, positions], sample.systems, orders.items, orders.ties)
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
    return type(sample)(relations, sample.systems, items, ties)


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
