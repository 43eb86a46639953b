"""Which problems are typical, and what they agree on (partial rankings)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, left_out, parameter, settings, verdict_first
from copa_nb.partial_orders.depth import METHODS, DepthResult
from copa_nb.partial_orders.orders import TIES
from copa_nb.run_options import options
from copa_nb.tables.columns import as_names
from copa_nb.text import label, listing, plural

_FEW_SYSTEMS = 4  # systems whose Hasse diagram is small
_MOST_REVIEWED = 24  # problems whose depths are all computed exactly in a review


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Posets(Analysis):
    """One partial order of the systems for every problem, and how central each order is."""

    name = "posets"
    notebook = "yours/partial_orders"
    title = "Partial orders"
    bundled = "the bundled classifiers on UCI data sets"
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
    k: int = parameter(
        0, "number of deepest orders whose common pairs are drawn; 0: a quarter of the problems", least=0
    )
    method: str = parameter(
        "auto",
        '"exact", "sample" (random sets, with intervals) or "auto" (exact if that takes at most max_seconds)',
        choices=METHODS,
    )
    max_seconds: float = parameter(20.0, 'longest exact computation that "auto" starts, in seconds', least=0)
    n_samples: int = parameter(100000, 'number of random sets for "sample"', least=100)
    seed: int = parameter(0, "seed of the random sets", least=0)
    diagrams: int = parameter(
        0, "number of orders drawn, deepest first; 0: twelve, or six if there are more than four systems", least=0
    )
    review: bool = parameter(True, "whether to recompute the depths without each problem in turn")

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
        if result.method == "sample" and not {"n_samples", "seed"} <= set(given):
            raise ValueError(
                "the random sets are not stored with the depths; set `n_samples` and `seed` to draw them again, e.g. "
                "report(n_samples=100_000, seed=0)."
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
    def depth_options(self) -> dict[str, Any]:
        """Keywords of the verbs that count union-free generic sets."""
        options = self.given(("method", "n_samples"))
        return {**options, "rng": self.seed}

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled classifiers."""
        from copa_nb.datasets import load_uci_classifiers

        asked = replace(self, system=self.system or "classifier", item=self.item or "dataset")
        if not asked.directions:
            asked = replace(asked, maximize=["accuracy", "auc"], minimize=["brier_score"])
        return asked, load_uci_classifiers()

    def measure(self, table: pd.DataFrame) -> PosetsFindings:
        """Make the orders, and measure how central each is."""
        columns = self.given(("system", "item", "ties", "nan_policy"))
        sample = ask(table, "posets", objectives=self.directions, **columns)
        with options(max_seconds=self.max_seconds):
            depths = sample.depth(**self.depth_options)
        return PosetsFindings(analysis=self, table=table, sample=sample, depths=depths)


@dataclass(frozen=True, kw_only=True, eq=False)
class PosetsFindings(Findings):
    """The orders and their depths.

    Parameters
    ----------
    sample : PosetSample
        Of ``df.moo.posets()``.
    depths : DepthResult
        Of ``sample.depth()``.
    """

    sample: Any
    depths: Any

    @property
    def deepest(self) -> Any:
        """What the deepest orders share: `k` of them, or a quarter of all."""
        return self.depths.agreement(self.analysis.k or max(1, len(self.sample) // 4))

    @property
    def stands_above(self) -> pd.DataFrame:
        """Which systems each system is better than in all of the deepest orders, in words."""
        shared = self.deepest.shared
        below = shared.apply(lambda row: listing(row.index[row]), axis="columns")
        return below[below != ""].rename("better than").rename_axis(self.analysis.system).to_frame()

    @property
    def diagrams(self) -> dict[str, Any]:
        """How many orders are drawn, and how large, so that they fit on a page."""
        few = len(self.sample.systems) <= _FEW_SYSTEMS
        most = self.analysis.diagrams or (12 if few else 6)
        drawn, size = min(most, len(self.sample)), None
        if few:
            size = (1.7, 1.9 if drawn <= 8 else 1.3)
        elif len(self.sample.systems) <= 2 * _FEW_SYSTEMS and drawn <= 6:
            size = (2.28, 2.02)
        return {"most": most, "size": size}

    @property
    def review_options(self) -> dict[str, Any]:
        """Keywords of ``sample.review()``: depths of large suites are estimated from fewer sets."""
        sampled = {} if len(self.sample) <= _MOST_REVIEWED else {"method": "sample", "n_samples": 5000}
        return {"k": len(self.deepest.items), **self.analysis.depth_options, **sampled}

    @property
    def reviews(self) -> bool:
        """Whether a review was asked for, and there are enough problems to leave one out."""
        return bool(self.analysis.review) and len(self.sample) > max(2, len(self.deepest.items))

    def of_review(self, review: Any) -> pd.DataFrame:
        """Return a review of the suite as a table prints it, the verdict first."""
        return verdict_first(review.table, "center_kept").rename_axis(self.analysis.item)

    @property
    def unasked(self) -> str:
        """What would add the review of the suite; empty if it is there."""
        return left_out({} if self.analysis.review else {"review": "which problems are redundant"})

    @property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by problem."""
        return settings(self.table, self.analysis.item, self.analysis.show)

    @property
    def answer(self) -> Answer:
        """The most typical and the most outlying problem."""
        sample, depths = self.sample, self.depths
        depth, ordered = depths.table["depth"], list(depths.table.index)
        problems = plural(sample.items.name, "problems")
        ends = f"Most typical: {_few(depths.deepest)}. Most outlying: {_few(depths.shallowest)}"
        return Answer(
            f"All {problems} are equally typical" if depth.iloc[0] == depth.iloc[-1] else ends,
            filled(sample.explain(), depths.explain(), self.values_of([ordered[0], ordered[-1]])),
            question=f"Which of {len(ordered)} {problems} are typical, and which are outliers?",
            certainty=f"The depths are exact for these {problems}."
            if depths.method == "exact"
            else "The depths are estimated from random sets, with intervals.",
            used="posets",
            values={"deepest": depths.deepest, "shallowest": depths.shallowest, "depths": depth.to_dict()},
        )


def _few(labels: Sequence[Any]) -> str:
    names = [label(one) for one in labels]
    return listing(names if len(names) < 4 else [*names[:2], f"{len(names) - 2} more"])
