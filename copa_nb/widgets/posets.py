"""Stepping through partial orders from the deepest outwards: ``df.moo.explore_posets()``."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from copa_nb import checks, display
from copa_nb.core.posets import depths_from_top, relations_from_costs, transitive_reduction
from copa_nb.core.ufg import encode, exact_depth
from copa_nb.objectives import ObjectivesLike, to_minimisation
from copa_nb.plots.style import INK, PALETTE, shorten
from copa_nb.widgets import controls
from copa_nb.widgets.explorer import Explorer

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ORDERS = ("deepest first", "shallowest first")
_MOST_PAIRS_NAMED = 6


def explore_posets(
    frame: pd.DataFrame,
    *,
    item: Hashable,
    by: Hashable,
    objectives: ObjectivesLike = None,
    nan_policy: str = "raise",
) -> PosetExplorer:
    """Step through the partial orders of a benchmark suite by depth, and see what the k deepest agree on.

    Item i stands above item j in a group (problem, data set) when it is at least as good in every objective and
    better in one. The union-free generic depth says how typical each of these orders is of all of them.

    Parameters
    ----------
    frame : DataFrame
        One row per item and group.
    item, by : label
        Columns that name the items compared (optimisers, methods) and the groups.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    nan_policy : {"raise", "worst"}
        See :func:`copa_nb.objectives.to_minimisation`; every group needs every item.

    Returns
    -------
    PosetExplorer
        ``depths`` by group, ``agreed`` the pairs that the orders shown agree on.

    Raises
    ------
    ValueError
        If an item is missing in a group or there more than once.

    Examples
    --------
    >>> import copa_nb
    >>> from copa_nb import datasets
    >>> with copa_nb.explore_posets(datasets.load_deepobs(), item="optimizer", by="problem") as explorer:
    ...     explorer.depths.round(3).head(2)
    problem
    P2    0.649
    P3    0.649
    Name: depth, dtype: float64
    """
    checks.one_of("nan_policy", nan_policy, ("raise", "worst"))
    return PosetExplorer(PosetData.of(frame, item, by, objectives, nan_policy))


@dataclass(frozen=True, eq=False)
class PosetData:
    """Partial orders of the same items, one per group, from the deepest to the shallowest.

    Parameters
    ----------
    items, groups : list of labels
        What is compared, and where; groups by descending depth.
    relations : ndarray of bool, shape (n_groups, n_items, n_items)
        ``[g, i, j]``: item i stands above item j in group g.
    depths : ndarray of float64, shape (n_groups,)
        Depth of each order among all of them.
    by : label
        Name of the groups' column.
    """

    items: list[Hashable]
    groups: list[Hashable]
    relations: np.ndarray
    depths: np.ndarray
    by: Hashable

    @classmethod
    def of(
        cls, frame: pd.DataFrame, item: Hashable, by: Hashable, objectives: ObjectivesLike, policy: str
    ) -> PosetData:
        """Compare the items of every group."""
        items, groups = (
            list(pd.unique(checks.column(frame, name, what))) for name, what in ((item, "item"), (by, "by"))
        )
        counts = pd.crosstab(frame[by], frame[item]).reindex(index=groups, columns=items)
        wrong = np.argwhere(counts.to_numpy() != 1)
        if len(wrong):
            group, label = groups[wrong[0][0]], items[wrong[0][1]]
            found = int(counts.iloc[wrong[0][0], wrong[0][1]])
            raise ValueError(
                f"`frame` has {found} rows for {item} {label!r} in {by} {group!r}; "
                "every group needs every item exactly once. Aggregate repeats, or drop incomplete groups."
            )
        values = to_minimisation(frame, objectives, nan_policy=policy).values
        places = np.empty((len(groups), len(items)), dtype=np.int64)
        places[pd.Categorical(frame[by], groups).codes, pd.Categorical(frame[item], items).codes] = np.arange(
            len(frame)
        )
        relations, _ = relations_from_costs(values[places])
        depths = exact_depth(encode(relations)).depth if len(groups) > 1 else np.ones(len(groups))
        order = np.argsort(-depths.round(12), kind="stable")
        return cls(items, [groups[g] for g in order], relations[order], depths[order], by)

    def chosen(self, state: PosetState) -> np.ndarray:
        """Groups that count, the one shown last."""
        places = np.arange(len(self.groups))
        return (places if state.order == ORDERS[0] else places[::-1])[: state.count]

    def agreed(self, state: PosetState) -> np.ndarray:
        """Pairs on which all orders that count agree, shape (n_items, n_items)."""
        agreed: np.ndarray = self.relations[self.chosen(state)].all(axis=0)
        return agreed


@dataclass(frozen=True)
class PosetState:
    """How many orders count, from which end."""

    count: int = 1
    order: str = ORDERS[0]


def hasse_layout(relation: np.ndarray) -> np.ndarray:
    """Place items in levels, those that nothing stands above on top, and order levels so that few edges cross.

    Parameters
    ----------
    relation : ndarray of bool, shape (n, n)
        A strict partial order.

    Returns
    -------
    ndarray of float64, shape (n, 2)
        Horizontal place, centred on 0, and height.

    Examples
    --------
    >>> hasse_layout(np.array([[0, 1, 1], [0, 0, 0], [0, 0, 0]], dtype=bool)).tolist()
    [[0.0, 0.0], [-0.5, -1.0], [0.5, -1.0]]
    """
    levels = depths_from_top(relation)
    edges = transitive_reduction(relation)
    edges = edges | edges.T
    places = np.column_stack([np.zeros(len(levels)), 0.0 - levels])
    ranks = np.arange(len(levels), dtype=float)
    for _ in range(4):
        for level in range(int(levels.max(initial=0)) + 1):
            members = np.flatnonzero(levels == level)
            near = [places[edges[i] & (levels < level), 0] for i in members]
            wanted = [
                part.mean() if len(part) else ranks[i] - len(levels) / 2 for i, part in zip(members, near, strict=True)
            ]
            ordered = members[np.argsort(wanted, kind="stable")]
            places[ordered, 0] = np.arange(len(members)) - (len(members) - 1) / 2
    return places


class PosetExplorer(Explorer):
    """Orders by depth and what they agree on; see :func:`explore_posets`.

    Parameters
    ----------
    data : PosetData
        Orders from the deepest to the shallowest.
    """

    title = "Partial orders by depth"

    def __init__(self, data: PosetData) -> None:
        self.data = data
        super().__init__(PosetState())

    @property
    def depths(self) -> pd.Series:
        """Depth per group, from the deepest to the shallowest."""
        return pd.Series(self.data.depths, index=pd.Index(self.data.groups, name=self.data.by), name="depth")

    @property
    def agreed(self) -> list[tuple[Hashable, Hashable]]:
        """Pairs (better, worse) on which all orders that count agree."""
        items = self.data.items
        return [(items[i], items[j]) for i, j in np.argwhere(self.data.agreed(self.state))]

    def set_count(self, count: int) -> None:
        """Let so many orders count, as the slider does."""
        wanted = min(checks.integer("count", count), len(self.data.groups))
        self.update(lambda state: replace(state, count=wanted))

    def _make_controls(self) -> list[Any]:
        self._count = controls.whole_numbers(
            "orders", "How many orders count", value=1, low=1, high=len(self.data.groups)
        )
        self._order = controls.choice("from", "From which end orders are taken", [(o, o) for o in ORDERS], ORDERS[0])
        self.observe(self._count, _put, "count")
        self.observe(self._order, _put, "order")
        return [controls.group(self._count), controls.group(self._order)]

    def _follow(self) -> None:
        self._count.value, self._order.value = self.state.count, self.state.order

    def _show(self) -> None:
        if self.view is None:
            return
        last = int(self.data.chosen(self.state)[-1])
        group = display.label(self.data.groups[last])
        self.view.show(
            title=self.title,
            charts=[
                self._hasse(self.data.relations[last], f"{self.data.by} {group}, depth {self.data.depths[last]:.4f}"),
                self._hasse(self.data.agreed(self.state), self._agreed_title()),
            ],
            cards=[
                {
                    "heading": self._heading(),
                    "title": f"{self.data.by} {group}",
                    "lines": self._sentences(),
                    "tone": "chosen",
                },
                self._depth_card(),
            ],
        )

    def _agreed_title(self) -> str:
        which = self.state.order.split()[0]
        return f"What the {self.state.count} {which} agree on" if self.state.count > 1 else f"The {which} order"

    def _heading(self) -> str:
        return f"Order {self.state.count} of {len(self.data.groups)}, {self.state.order}"

    def _sentences(self) -> list[str]:
        last = int(self.data.chosen(self.state)[-1])
        equal = [display.label(self.data.groups[g]) for g in range(len(self.data.groups))
                 if g != last and np.array_equal(self.data.relations[g], self.data.relations[last])]  # fmt: skip
        pairs = self.agreed
        named = [f"{display.label(a)} above {display.label(b)}" for a, b in pairs[:_MOST_PAIRS_NAMED]]
        more = f" and {len(pairs) - len(named)} more" if len(pairs) > len(named) else ""
        texts = [f"{int(self.data.relations[last].sum())} pairs are ordered here."]
        if equal:
            texts.append(f"The same order is found in {display.listing(equal)}.")
        if pairs:
            texts.append(f"All orders that count agree on {len(pairs)} pairs: {', '.join(named)}{more}.")
        else:
            texts.append("The orders that count agree on no pair.")
        return texts

    def _depth_card(self) -> dict[str, Any]:
        counted = set(self.data.chosen(self.state).tolist())
        largest = float(self.data.depths.max()) or 1.0
        bars = [
            {"label": f"{'● ' if g in counted else '○ '}{display.label(group)}", "share": float(depth) / largest,
             "text": f"{depth:.4f}"}
            for g, (group, depth) in enumerate(zip(self.data.groups, self.data.depths, strict=True))
        ]  # fmt: skip
        return {"heading": "Depth of every order (● counts)", "bars": bars}

    def _hasse(self, relation: np.ndarray, title: str) -> dict[str, Any]:
        places = hasse_layout(relation)
        edges = np.argwhere(transitive_reduction(relation))
        names = [shorten(display.label(item), 24).replace(r"\$", "$") for item in self.data.items]
        width = max(1.0, float(np.abs(places[:, 0]).max()) + 0.7)
        return {
            "title": title,
            "description": f"{title}: {len(edges)} edges of a Hasse diagram, better above",
            "bare": True,
            "height": int(min(560, 120 + 80 * (1 - places[:, 1].min()))),
            "x": {"label": "", "lo": -width, "hi": width},
            "y": {"label": "", "lo": float(places[:, 1].min()) - 0.5, "hi": 0.5},
            "layers": [
                {"kind": "arrows", "from": places[edges[:, 0]].tolist(), "to": places[edges[:, 1]].tolist(),
                 "color": "soft", "width": 1.4, "gap": 15},
                {"kind": "texts", "x": places[:, 0].tolist(), "y": places[:, 1].tolist(), "texts": names,
                 "color": "ink", "bold": True, "size": 13},
            ],
        }  # fmt: skip

    def to_figure(self) -> Figure:
        """Draw the last order that counts, what all that count agree on, and the depths."""
        from matplotlib.figure import Figure

        from copa_nb.plots.style import report_style

        last = int(self.data.chosen(self.state)[-1])
        with report_style():
            figure = Figure(figsize=(12, 4), layout="constrained")
            left, middle, right = figure.subplots(1, 3, width_ratios=[1, 1, 1.2])
            _draw_hasse(left, self.data.relations[last], self.data.items)
            left.set_title(shorten(f"{self.data.by} {display.label(self.data.groups[last])}"))
            _draw_hasse(middle, self.data.agreed(self.state), self.data.items)
            middle.set_title(self._agreed_title())
            rows = np.arange(len(self.data.groups))[::-1]
            counted = np.isin(np.arange(len(self.data.groups)), self.data.chosen(self.state))
            right.barh(rows, self.data.depths, color=np.where(counted, PALETTE[1], "0.75"), height=0.6)
            right.set_yticks(rows, [shorten(display.label(group)) for group in self.data.groups])
            right.set_xlabel("depth (coloured: counts)")
        return figure

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        return self._heading(), self._sentences(), [("Depths.", self.depths.to_frame())]


def _draw_hasse(ax: Axes, relation: np.ndarray, items: list[Hashable]) -> None:
    places = hasse_layout(relation)
    for better, worse in np.argwhere(transitive_reduction(relation)):
        ax.annotate("", places[worse], places[better],
                    arrowprops={"arrowstyle": "-|>", "color": "0.4", "shrinkA": 12, "shrinkB": 12})  # fmt: skip
    for (x, y), item in zip(places, items, strict=True):
        ax.text(x, y, shorten(display.label(item), 20), ha="center", va="center", color=INK,
                bbox={"boxstyle": "round,pad=0.2", "fc": "white", "ec": "none"})  # fmt: skip
    ax.set_xlim(np.abs(places[:, 0]).max() * -1 - 0.7, np.abs(places[:, 0]).max() + 0.7)
    ax.set_ylim(places[:, 1].min() - 0.5, 0.5)
    ax.axis("off")


def _put(state: PosetState, name: str, value: Any) -> PosetState:
    return replace(state, **{name: value})
