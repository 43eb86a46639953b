"""Union-free generic depth directly by its definition (appendix B), for a few orders of three or four systems.

It enumerates every set of orders and every order: slow, but short enough to follow an example by hand and to check
the search in ``arrays/ufg``.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from math import prod

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.partial_orders.arrays.relations import all_relations
from copa_nb.partial_orders.posets import PosetSample


def orders_of_pairs(
    pairs: Mapping[Hashable, Iterable[tuple[Hashable, Hashable]]], systems: Sequence[Hashable]
) -> PosetSample:
    """Make orders of pairs as the paper prints them: (a, b) reads "a is below b".

    Parameters
    ----------
    pairs : mapping of name to pairs
        All pairs of each order, including those implied by others.
    systems : sequence of labels
        The systems.

    Examples
    --------
    >>> orders_of_pairs({"first": [("SGD", "Adam")]}, ["SGD", "Adam"]).relation("first").loc["Adam", "SGD"].item()
    True
    """
    index: pd.Index = pd.Index(np.array(systems, dtype=object))
    relations = np.zeros((len(pairs), len(index), len(index)), dtype=bool)
    for relation, printed in zip(relations, pairs.values(), strict=True):
        for below, above in printed:
            relation[index.get_loc(above), index.get_loc(below)] = True
    return PosetSample(relations, index, pd.Index(list(pairs), name="order"))


def every_order(systems: Sequence[Hashable]) -> PosetSample:
    """Return all partial orders of three or four systems, numbered.

    Examples
    --------
    >>> len(every_order(["SGD", "Momentum", "Adam"]))
    19
    """
    relations = np.array(list(all_relations(len(systems))))
    return PosetSample(relations, pd.Index(systems), pd.RangeIndex(len(relations), name="order"))


@dataclass(frozen=True)
class Derivation:
    """Depths of the orders of a sample, by the definition.

    Parameters
    ----------
    sample : PosetSample
        A few partial orders of at most four systems.

    Examples
    --------
    >>> sample = orders_of_pairs({"a": [("x", "y")], "b": [("y", "x")]}, ["x", "y"])
    >>> Derivation(sample).depths.map(str).tolist()
    ['1', '1']
    """

    sample: PosetSample

    @cached_property
    def generated(self) -> dict[tuple[Hashable, ...], frozenset[bytes]]:
        """The orders between the intersection and the union of each set of distinct orders."""
        every = list(all_relations(len(self.sample.systems)))
        distinct = self.sample.distinct.index
        found = {}
        for size in range(1, len(distinct) + 1):
            for names in combinations(distinct, size):
                chosen = self.sample.only(names).relations
                low, high = chosen.all(axis=0), chosen.any(axis=0)
                between = (order for order in every if (low <= order).all() and (order <= high).all())
                found[names] = frozenset(order.tobytes() for order in between)
        return found

    @cached_property
    def generic(self) -> list[tuple[Hashable, ...]]:
        """Sets of two or more orders that generate an order which none of their proper parts generates."""
        return [names for names in self.generated if len(names) > 1 and self._says_something(names)]

    def _says_something(self, names: tuple[Hashable, ...]) -> bool:
        parts = (part for size in range(1, len(names)) for part in combinations(names, size))
        return bool(self.generated[names].difference(*(self.generated[part] for part in parts)))

    def generates(self, names: tuple[Hashable, ...], item: Hashable) -> bool:
        """Whether the order of an item lies between the intersection and the union of a set."""
        return self.sample.relation(item).to_numpy().tobytes() in self.generated[names]

    @property
    def depths(self) -> pd.Series:
        """The share of the generic sets, by weight, that generate each order: fractions."""
        share = {name: Fraction(int(n), len(self.sample)) for name, n in self.sample.distinct["multiplicity"].items()}
        weights = {names: prod((share[name] for name in names), start=Fraction(1)) for names in self.generic}
        whole = sum(weights.values(), start=Fraction(0))
        depths = {
            item: sum((w for names, w in weights.items() if self.generates(names, item)), start=Fraction(0)) / whole
            for item in self.sample.items
        }
        index = pd.Index(list(depths), name=self.sample.items.name)
        return pd.Series(list(depths.values()), index=index, name="depth")

    @property
    def table(self) -> pd.DataFrame:
        """One line per set of two or more orders: its common pairs and the orders it generates."""
        rows = {}
        for names in self.generated:
            if len(names) > 1:
                chosen = self.sample.only(names)
                rows[text.listing(names)] = {
                    "in common": _pairs(chosen.intersection),
                    "in any": _pairs(chosen.union),
                    "orders generated": len(self.generated[names]),
                    "generic": names in self.generic,
                    "of the sample it generates": text.listing(
                        item for item in self.sample.items if self.generates(names, item)
                    ),
                }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("set")


def _pairs(relation: pd.DataFrame) -> str:
    systems = relation.index
    return ", ".join(f"{systems[i]} > {systems[j]}" for i, j in np.argwhere(relation.to_numpy())) or "nothing"
