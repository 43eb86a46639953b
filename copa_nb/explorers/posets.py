"""Exploring partial orders by depth: ``df.moo.posets(...).explore()``."""

from __future__ import annotations

__all__ = ["PosetExplorer"]

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.explorers.scenes import control, cut, line
from copa_nb.explorers.widget import Explorer
from copa_nb.partial_orders.depth import Agreement, DepthResult
from copa_nb.plotting.hasse import plot_hasse
from copa_nb.plotting.hasse_layout import hasse_diagram
from copa_nb.plotting.style import series_color, shorten
from copa_nb.results.offered import offered_by
from copa_nb.results.sentences import part, say

if TYPE_CHECKING:
    from matplotlib.figure import Figure

ORDERS = ("deepest first", "shallowest first")
_MOST_PAIRS_NAMED = 6
# Longest label of an item in a diagram, and height of a layer in pixels.
_LONGEST = 24
_LAYER = 54
# Steps from either end that a page without a kernel holds, and items in all of them: large diagrams take long to draw.
_MOST_STEPS, _MOST_ITEMS = 30, 600


@offered_by(DepthResult, "explore")
def explorer_of_depths(depths: DepthResult) -> PosetExplorer:
    """Explore the orders by depth, and the pairs that the k deepest share; see ``PosetSample.explore``."""
    return PosetExplorer(depths)


class PosetExplorer(Explorer):
    """Orders by depth and the pairs that they share; see :meth:`copa_nb.results.PosetSample.explore`.

    Parameters
    ----------
    result : DepthResult
        Depths, with the orders that they belong to.
    """

    title = "Partial orders by depth"
    invitation = "Step through the orders by depth"

    def __init__(self, result: DepthResult) -> None:
        self.result = result
        names = [text.label(name) for name in result.orders.items.names if name is not None]
        self._by = ", ".join(names) or "order"
        self.kind = "posets"
        count = control("slider", "count", "orders", "Number of orders included", min=1, max=len(result.depth), step=1,
                        whole=True, offline=True)  # fmt: skip
        order = control("menu", "order", "from", "Order of inclusion", options=[[o, o] for o in ORDERS],
                        offline=True)  # fmt: skip
        controls = [{"heading": "Included orders", "items": [count, order]}]
        super().__init__({"controls": controls, "keys": ["count", "order"]}, {"count": 1, "order": ORDERS[0]})

    @property
    def depths(self) -> pd.Series:
        """Depth per item, from the deepest to the shallowest."""
        return self.result.depth.loc[self.result.order]

    @property
    def agreement(self) -> Agreement:
        """What all included orders have in common."""
        return self.result.agreement(self.at["count"], which=self._which)

    @property
    def agreed(self) -> list[tuple[Hashable, Hashable]]:
        """Pairs (better, worse) that all included orders share."""
        return self.agreement.pairs

    def set_count(self, count: int) -> None:
        """Set the number of included orders, as the slider does.

        Raises
        ------
        ValueError
            For a count that is not a whole number of at least 1.
        """
        self.move(count=min(checks.integer("count", count), len(self.result.depth)))

    @property
    def _which(self) -> str:
        """The end from which orders are included, in one word."""
        return str(self.at["order"]).split()[0]

    def _make_scene(self) -> dict[str, Any]:
        agreement = self.agreement
        last = agreement.items[-1]
        name = f"{self._by} {text.label(last)}"
        heading = self._heading()
        return {
            "title": self.title,
            "announce": f"{heading}: {name}",
            "charts": [
                _chart(self.result.orders.relation(last), f"{name}, depth {self.result.depth[last]:.4f}"),
                _chart(agreement.shared, self._agreed_title()),
            ],
            "cards": [
                {"heading": heading, "title": name, "lines": self._sentences(agreement), "tone": "chosen"},
                self._depth_card(agreement),
            ],
        }

    def _offline(self) -> dict[str, Any]:
        most = min(len(self.result.depth), _MOST_STEPS, max(1, _MOST_ITEMS // len(self.result.orders.systems)))
        states = [{"count": count, "order": order} for order in ORDERS for count in range(1, most + 1)]
        return {"scenes": self._once("scenes", None, lambda: self._scenes_at(states))}

    def _agreed_title(self) -> str:
        which = self._which
        return f"Pairs that the {self.at['count']} {which} share" if self.at["count"] > 1 else f"The {which} order"

    def _heading(self) -> str:
        return f"Order {self.at['count']} of {len(self.result.depth)}, {self.at['order']}"

    def _sentences(self, agreement: Agreement) -> list[str]:
        last = agreement.items[-1]
        orders = self.result.orders
        shown = orders.relation(last).to_numpy()
        equal = [item for item, relation in zip(orders.items, orders.relations, strict=True)
                 if item != last and np.array_equal(relation, shown)]  # fmt: skip
        pairs = agreement.pairs
        named = [f"{text.label(a)} above {text.label(b)}" for a, b in pairs[:_MOST_PAIRS_NAMED]]
        more = f" and {len(pairs) - len(named)} more" if len(pairs) > len(named) else ""
        texts = [f"It orders {int(shown.sum())} pairs."]
        if equal:
            texts.append(f"The same order occurs in {text.listing(map(text.label, equal))}.")
        if pairs:
            texts.append(
                f"All included orders share {len(pairs)} pair{'s' * (len(pairs) != 1)}: {', '.join(named)}{more}."
            )
        else:
            texts.append("The included orders share no pair.")
        if self.result.method == "sample":
            texts.append(say(part("depths.certainty.estimated")))
        return texts

    def _depth_card(self, agreement: Agreement) -> dict[str, Any]:
        counted = set(agreement.items)
        largest = float(self.result.depth.max()) or 1.0
        bars = [
            {"label": f"{'● ' if item in counted else '○ '}{text.label(item)}", "share": float(depth) / largest,
             "text": f"{depth:.4f}"}
            for item, depth in self.depths.items()
        ]  # fmt: skip
        return {"heading": "Depth of every order (● included)", "bars": bars}

    def _draw(self, figure: Figure) -> None:
        """Draw the last included order, the pairs that all included orders share, and the depths."""
        figure.set_size_inches(12, 4)
        left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.2])
        agreement, depths = self.agreement, self.depths
        last = agreement.items[-1]
        plot_hasse(self.result.orders.relation(last), ax=left)
        left.set_title(shorten(f"{self._by} {text.label(last)}"))
        plot_hasse(agreement.shared, arrow=False, ax=middle)
        middle.set_title(self._agreed_title())
        rows = np.arange(len(depths))[::-1]
        colors = np.where(depths.index.isin(agreement.items), series_color(1), "0.75")
        right.barh(rows, depths, color=colors, height=0.6)
        right.set_yticks(rows, [shorten(text.label(item)) for item in depths.index])
        right.set_xlabel("depth (colored: included)")

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        return self._heading(), self._sentences(self.agreement), [("Depths.", self.depths.to_frame())]


def _chart(relation: pd.DataFrame, title: str) -> dict[str, Any]:
    """Describe a Hasse diagram; one unit across is a character, so that the view can fit the letters."""
    names = [cut(text.label(system), _LONGEST) for system in relation.index]
    matrix = relation.to_numpy()
    diagram = hasse_diagram(matrix, [len(name) for name in names])
    layers = [line(path, color="soft", width=1.2) for path in diagram.lines]
    if diagram.rule is not None:
        layers.append({"kind": "rule", "axis": "y", "at": diagram.rule, "color": "soft", "width": 1, "dash": [2, 4]})
    texts = [" = ".join(names[i] for i in systems) for systems in diagram.members]
    layers.append({"kind": "texts", "x": diagram.x.tolist(), "y": diagram.y.tolist(), "texts": texts, "color": "ink",
                   "bold": True, "size": 13, "fit": True})  # fmt: skip
    top = 0.5
    if diagram.has_relations:
        top = 1.2
        layers.append({"kind": "texts", "x": [0.0], "y": [0.85], "texts": ["↑ better"], "color": "soft", "size": 11,
                       "align": "left"})  # fmt: skip
    return {
        "title": title,
        "description": f"{title}: {len(diagram.lines)} lines of a Hasse diagram, better above",
        "bare": True,
        "height": int(np.clip(_LAYER * (top + 0.5 - diagram.bottom) + 22, 130, 560)),
        "x": {"label": "", "lo": -1.0, "hi": diagram.width + 1.0},
        "y": {"label": "", "lo": diagram.bottom - 0.5, "hi": top},
        "layers": layers,
    }
