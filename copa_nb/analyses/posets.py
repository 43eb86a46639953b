"""Which problems are typical, and what they agree on (partial rankings)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from copa_nb.analyses.base import Analysis, parameter
from copa_nb.partial_orders.depth import METHODS, DepthResult
from copa_nb.partial_orders.orders import TIES
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import in_call

_OF_DEPTH = ("method", "n_samples", "rng")


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Posets(Analysis):
    """One partial order of the systems for every problem, and how central each order is."""

    name = verb = "posets"
    notebook = "yours/partial_orders"
    title = "Partial orders"
    about = "systems and items, treatment of ties, and exact or sampled depths"
    offered = ("ties",)
    results = (DepthResult,)
    what_is_measured = "criteria"

    system: str = parameter(
        "", "column that names what is compared, e.g. model", column=True, needed=True, metavar="COL"
    )
    item: str = parameter("", "column that names the problems, e.g. dataset", column=True, needed=True, metavar="COL")
    ties: str = parameter(
        "incomparable",
        'systems that are equal in every criterion: "incomparable", "drop" (the problem) or "preorder" (equivalent)',
        choices=TIES,
    )
    method: str = parameter(
        "auto", '"exact", "sample" (random sets, with intervals) or "auto" (exact if that is quick)', choices=METHODS
    )
    n_samples: int = parameter(100000, 'number of random sets for "sample"', least=100)
    rng: int = parameter(0, "seed of the random sets", least=0)

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that gives a :class:`copa_nb.results.DepthResult` again."""
        source = result.sample.source
        if source is None or result.orders is not result.sample:
            raise ValueError(
                "a report needs all orders that posets() makes from one table, and these are others; report the depths "
                "of such a sample, e.g. df.moo.posets().depth().report(), or write this result as a page "
                "with to_html()."
            )
        if result.max_card is not None:
            raise ValueError(
                "`max_card` was given, but reports have no such parameter; compute the depths without it, or write "
                "this result as a page with to_html()."
            )
        if result.method == "sample" and not {"n_samples", "rng"} <= set(given):
            raise ValueError(
                "the random sets are not stored with the depths; set `n_samples` and `rng` to draw them again, e.g. "
                "report(n_samples=100_000, rng=0)."
            )
        system, item = ([*map(str, as_names(names))] for names in (source.system, source.item))
        if len(system) > 1 or len(item) > 1:
            raise ValueError(
                "`system` and `item` must each be a single column in a report; join several columns into one, or write "
                "this result as a page with to_html()."
            )
        options = {
            **cls.objectives_of(source.objectives.to_dict()),
            "system": system[0],
            "item": item[0],
            "ties": result.sample.ties,
            "nan_policy": source.nan_policy,
            "method": result.method,
        }
        return cls(table=source.frame, **{**options, **given})

    @property
    def options_of_verb(self) -> dict[str, Any]:
        """What makes the orders."""
        return {name: one for name, one in super().options_of_verb.items() if name not in _OF_DEPTH}

    @property
    def options_of_depth(self) -> dict[str, Any]:
        """What measures how central each order is."""
        given = {name: one for name, one in super().options_of_verb.items() if name in _OF_DEPTH}
        return {"method": self.method, **given}

    def ask(self, described: Any) -> DepthResult:
        """Make the orders, and measure how central each is."""
        depths: DepthResult = super().ask(described).depth(**self.options_of_depth)
        return depths

    def calls(self) -> list[str]:
        """Write the lines of Python that measure the depths and print the answer."""
        sample = f"table.moo.posets({in_call(self.options_of_verb)})"
        return [f"depths = {sample}.depth({in_call(self.options_of_depth)})", "print(depths.explain())"]
