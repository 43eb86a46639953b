"""How a front and its gap move as a search goes on: ``df.moo.explore_gap()``."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.explorer import Explorer, axis, control, group, line, marks, outline, point_text
from copa_nb.frames import any_frame
from copa_nb.generalization.budgets import GapBudgets, gap_budgets
from copa_nb.generalization.gap import Gap, measure_gap
from copa_nb.generalization.plots import LOOKS
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.plotting.style import PALETTE

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DASHES: dict[str, list[int]] = {"validation": [2, 3], "optimistic": [], "pessimistic": [7, 4]}
_SHAPES = {"validation": "circle", "optimistic": "triangle", "pessimistic": "diamond"}
_MOST_ROWS = 8


@any_frame
@shared_parameters
def explore_gap(
    frame: pd.DataFrame,
    *,
    validation: str = "val_",
    test: str = "test_",
    objectives: ObjectivesLike = None,
    order: Hashable | None = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    keep: str = "all",
    nan_policy: str = "raise",
) -> GapExplorer:
    """Slide over the budget of a search: its fronts on validation and test, and the gap between them (equations 1-2).

    Parameters
    ----------
    frame : DataFrame
        One row per evaluated configuration of one search, in the order of evaluation.
    validation, test : str
        Prefixes of the columns; see :func:`copa_nb.gap`.
    %(objectives)s
    order : label, optional
        Column by which rows are sorted into the order of evaluation.
    reference, margin, keep
        See :func:`copa_nb.gap`. "worst" is taken over the whole table, so that all budgets share one reference point.
    %(nan_policy)s

    Returns
    -------
    GapExplorer
        ``gap`` is the result at the budget shown.

    See Also
    --------
    copa_nb.gap : The gap of a whole table.
    copa_nb.gap_budgets : Hypervolumes and gap over all budgets.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"val_precision": [0.9, 0.6, 0.7], "val_recall": [0.2, 0.5, 0.6],
    ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]}
    ... )
    >>> with copa_nb.explore_gap(runs, objectives={"precision": "max", "recall": "max"}) as explorer:
    ...     explorer.set_budget(2)
    ...     len(explorer.gap.validation_front)
    2
    """
    ordered = frame if order is None else frame.sort_values(order, kind="stable")  # type: ignore[call-overload]
    scores = pair_scores(ordered, objectives=objectives, validation=validation, test=test, nan_policy=nan_policy)
    if len(scores.objectives) < 2:
        raise ValueError("`explore_gap` draws fronts; define at least two objectives.")
    point = scores.reference(reference, margin)
    curves = gap_budgets(
        ordered, [len(ordered)], objectives=objectives, validation=validation, test=test, reference=point, keep=keep,
        nan_policy=nan_policy,
    )  # fmt: skip
    return GapExplorer(scores, point, curves, keep, (validation, test))


@dataclass(frozen=True)
class GapState:
    """How many rows were evaluated, and which two objectives are looked at."""

    budget: int
    x: int = 0
    y: int = 1


def gap_at(scores: PairedScores, state: GapState, reference: dict[Hashable, float], keep: str) -> Gap:
    """Measure the gap of the first rows; rows left out for missing scores count as evaluations."""
    within = np.flatnonzero(scores.positions < state.budget)
    if len(within) == 0:
        raise ValueError("No row with all scores was evaluated yet; raise the budget.")
    return measure_gap(scores.take(within), reference, keep=keep)


class GapExplorer(Explorer):
    """Budget slider over fronts and gap; see :func:`explore_gap`.

    Parameters
    ----------
    scores : PairedScores
        All rows in order of evaluation.
    reference : dict of objective to value
        Reference point.
    curves : GapBudgets
        Hypervolumes after every evaluation.
    keep : {"all", "first"}
        Which of several rows with equal scores stay on a front.
    prefixes : tuple of two str
        Prefixes of validation and test, for the code shown.
    """

    title = "Generalisation gap by budget"

    def __init__(
        self,
        scores: PairedScores,
        reference: dict[Hashable, float],
        curves: GapBudgets,
        keep: str,
        prefixes: tuple[str, str],
    ) -> None:
        self.scores, self.reference, self.curves, self.keep = scores, reference, curves, keep
        self._prefixes = prefixes
        self._longest = len(curves.curves)
        super().__init__(GapState(budget=self._longest))

    def set_budget(self, budget: int) -> None:
        """Move to a number of evaluations, as the slider does."""
        count = min(checks.integer("budget", budget), self._longest)
        self.update(lambda state: replace(state, budget=count))

    @property
    def code(self) -> str:
        """The call that gives the same gap."""
        objectives = self.scores.objectives.to_dict()
        validation, test = self._prefixes
        return (
            f"df.head({self.state.budget}).moo.gap(\n    validation={validation!r},\n    test={test!r},\n"
            f"    objectives={objectives!r},\n    reference={self.reference!r},\n    keep={self.keep!r},\n)"
        )

    def _make_controls(self) -> list[Any]:
        slider = control(ipywidgets.IntSlider, "budget", "Evaluations so far", min=1, max=self._longest)
        self._budget = self._tie("budget", slider)
        return [group(self._budget), *map(group, self._axis_menus(self.scores.objectives))]

    def _compute(self) -> None:
        self.gap = gap_at(self.scores, self.state, self.reference, self.keep)

    def _scene(self) -> dict[str, Any]:
        return {
            "charts": [self._fronts(), self._curves()],
            "cards": [self._card()],
            "tables": [self._table()],
            "code": self.code,
        }

    def _fronts(self) -> dict[str, Any]:
        gap, columns = self.gap, [self.state.x, self.state.y]
        names = [gap.objectives.names[k] for k in columns]
        directions = [gap.objectives.direction(name) for name in names]
        limits = [self.reference[name] for name in names]
        sources = {"validation": (gap.scores.validation, gap.fronts.validation),
                   "optimistic": (gap.scores.test, gap.fronts.optimistic),
                   "pessimistic": (gap.scores.test, gap.fronts.pessimistic)}  # fmt: skip
        layers = []
        for kind, (costs, mask) in sources.items():
            points = gap.scores.own_units(costs[mask])[:, columns]
            color, label = LOOKS[kind]["color"], {"label": LOOKS[kind]["label"]}
            outlined = len(gap.objectives) == 2 and np.isfinite(points).all()
            if outlined:
                layers.append(outline(points, directions, limits, color=color, dash=_DASHES[kind], width=2, **label))
            names_of_rows = [text.label(row) for row in gap.scores.index[mask]]
            layers.append(marks(points, color=color, names=names_of_rows, shape=_SHAPES[kind], size=4.5,
                                **({} if outlined else label)))  # fmt: skip
        layers.append(marks(np.array([limits]), shape="square", hollow=True, size=5, color="ink",
                            names=["reference point"], label="reference point"))  # fmt: skip
        both = np.vstack([self.scores.own_units(self.scores.validation), self.scores.own_units(self.scores.test)])
        sides = [axis(str(name), np.append(both[:, k], limit), better=direction)
                 for name, k, limit, direction in zip(names, columns, limits, directions, strict=True)]  # fmt: skip
        return {"x": sides[0], "y": sides[1], "height": 380, "layers": layers,
                "title": f"Fronts after {self.state.budget:,} evaluations"}  # fmt: skip

    def _curves(self) -> dict[str, Any]:
        curves = self.curves.curves
        looks = {kind: {"color": LOOKS[kind]["color"], "dash": _DASHES[kind], "width": 2} for kind in _DASHES}
        looks["gap"] = {"color": PALETTE[0], "width": 1.4}
        layers = [line(curves[["evaluations", kind]].to_numpy(), label=kind, **look) for kind, look in looks.items()]
        layers.append({"kind": "rule", "axis": "x", "at": self.state.budget, "color": "soft", "dash": [3, 3]})
        return {"x": axis("evaluations", np.array([0.0, float(curves["evaluations"].iloc[-1])])),
                "y": axis("hypervolume", np.append(curves[list(looks)].to_numpy(), 0.0)),
                "height": 380, "layers": layers, "title": "Hypervolumes by budget"}  # fmt: skip

    def _card(self) -> dict[str, Any]:
        point = point_text(self.reference)
        return {
            "heading": f"After {self.state.budget:,} of {self._longest:,} evaluations; reference point ({point})",
            "title": f"Approximation gap {text.number(self.gap.gap)}",
            "lines": [self.gap.explain()],
            "tone": "chosen",
        }

    def _rows(self) -> pd.DataFrame:
        table = self.gap.table
        return table.assign(dominated_by=table["dominated_by"].astype(object).fillna(""))

    def _table(self) -> dict[str, Any]:
        table = self._rows().head(_MOST_ROWS)
        rows = [[text.label(row), *map(text.cell_text, cells)]
                for row, cells in zip(table.index, table.itertuples(index=False, name=None), strict=True)]  # fmt: skip
        numeric = [False, *map(pd.api.types.is_numeric_dtype, table.dtypes)]
        more = len(self.gap.table) - len(rows)
        caption = "Rows of the validation front" + (f", the first {len(rows)} of {len(rows) + more}" if more else "")
        columns = ["row", *(str(column).replace("_", " ") for column in table.columns)]
        return {"caption": caption, "columns": columns, "rows": rows, "numeric": numeric}

    def _draw(self, figure: Figure) -> None:
        """Draw the fronts at this budget and the curves over all budgets."""
        figure.set_size_inches(12, 4.4)
        left, right = figure.subplots(1, 2)
        names = self.scores.objectives.names
        self.gap.plot(ax=left, x=names[self.state.x], y=names[self.state.y])
        self.curves.plot(ax=right)
        right.axvline(self.state.budget, color="0.5", lw=1, ls=":")

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        headline = f"Approximation gap {text.number(self.gap.gap)} after {self.state.budget:,} evaluations"
        return headline, [self.gap.explain()], [("Rows of the validation front.", self._rows().head(_MOST_ROWS))]
