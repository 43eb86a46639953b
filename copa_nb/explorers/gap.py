"""How a front and its gap change during a search: ``df.moo.gap().explore()``."""

from __future__ import annotations

__all__ = ["GapExplorer"]

from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.explorers.widget import RowExplorer
from copa_nb.generalization.budgets import GapBudgets
from copa_nb.generalization.one_search import measure_gap
from copa_nb.generalization.result import Gap
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.searches import Searches, needed
from copa_nb.pareto.plots import drawn_columns
from copa_nb.plotting.style import literal, series_color
from copa_nb.results.note import Note
from copa_nb.results.offered import offered_by
from copa_nb.tables.description import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_MOST_ROWS = 8


@offered_by(Gap, "explore")
def explorer_of_gap(gap: Gap) -> GapExplorer:
    """Change the budget of the search with a slider: fronts on validation and test, and their gap (equations 1-2).

    All budgets share the reference point of this gap, and rows that `where` excludes from the fronts still count as
    evaluations.

    Returns
    -------
    GapExplorer
        ``gap`` is the result at the budget shown; ``pin(label)`` follows a row from validation to test.

        A sentence in its place for a single objective.

    Raises
    ------
    TypeError
        For a table that was read in pieces, and for resamples of a test set.

    See Also
    --------
    copa_nb.results.Gap.budgets : Hypervolumes and gap over all budgets.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"val_precision": [0.9, 0.6, 0.7], "val_recall": [0.2, 0.5, 0.6],
    ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]}
    ... )
    >>> with runs.moo({"precision": "max", "recall": "max"}).gap().explore() as explorer:
    ...     explorer.set_budget(2)
    ...     len(explorer.gap.validation_front)
    2
    """
    searches = needed(gap._searches)
    if len(gap.objectives) < 2:
        return cast("GapExplorer", Note("The explorer draws fronts, which need two objectives."))
    (run,) = searches.runs
    here = np.flatnonzero(run.rows >= 0)
    # Rows are counted by their evaluations, of which some may be on no front.
    candidates = replace(searches.scores.take(run.rows[here]), positions=here)
    return GapExplorer(candidates, searches, gap.budgets([len(run.rows)]), reference_given=gap.reference_given)


class GapExplorer(RowExplorer):
    """Budget slider over fronts and gap; see :meth:`copa_nb.results.Gap.explore`.

    Rows that are picked are followed from validation to test.

    Parameters
    ----------
    scores : PairedScores
        The rows that may be on a front, in order of evaluation.
    searches : Searches
        The search, and how its gap was asked for.
    curves : GapBudgets
        Hypervolumes after every evaluation.
    reference_given : bool
        Whether the reference point was given, so that percentages of hypervolumes are meaningful.
    """

    title = "Generalization gap by budget"
    invitation = "Slide over the rows evaluated: the fronts and the gap"
    height = 1100

    def __init__(
        self, scores: PairedScores, searches: Searches, curves: GapBudgets, *, reference_given: bool = False
    ) -> None:
        self.scores, self.curves = scores, curves
        self.reference, self.keep = searches.reference, searches.keep
        self._searches, self._reference_given = searches, reference_given
        self._longest = len(curves.curves)
        self.kind = "gap"
        first, second = drawn_columns(scores.objectives, None, None)
        described = zip(scores.objectives.titles, scores.objectives.directions, strict=True)
        super().__init__(
            {
                "labels": [text.label(label) for label in scores.index],
                "objectives": [
                    {"label": label, "name": text.spoken(name), "direction": d} for label, (name, d) in described
                ],
                "validation": _bytes(scores.own_units(scores.validation)),
                "test": _bytes(scores.own_units(scores.test)),
                "positions": _bytes(scores.positions[:, None]),
                "reference": [float(self.reference[name]) for name in scores.objectives],
                "curves": _bytes(_changes(curves.curves)),
                "longest": self._longest,
                "keep": self.keep,
                "reference_given": reference_given,
                "call": self._code("\0").split("\0"),
            },
            {"budget": self._longest, "x": first, "y": second, "pinned": []},
        )

    @property
    def labels(self) -> pd.Index:
        """Labels of the rows that may be on a front."""
        return self.scores.index

    @property
    def gap(self) -> Gap:
        """The gap at the budget shown.

        Raises
        ------
        ValueError
            If no row with all scores has been evaluated yet.
        """
        budget = self.state["budget"]
        return cast("Gap", self._once("gap", budget, lambda: self._measure(budget)))

    def set_budget(self, budget: int) -> None:
        """Set the number of evaluations, as the slider does.

        Raises
        ------
        ValueError
            For a budget that is not a whole number of at least 1.
        """
        self.move(budget=min(checks.integer("budget", budget), self._longest))

    @property
    def code(self) -> str:
        """The call that gives the same gap."""
        return self._code(str(self.state["budget"]))

    def _code(self, budget: str) -> str:
        asked = dict(self._searches.asked)
        group = " & ".join(f"(df[{name!r}] == {label!r})" for name, label in self._searches.within.items())
        rows = f"df[{group}]" if group else "df"
        if (order := asked.pop("order", None)) is not None:
            rows += f".sort_values({order})"
        asked |= {"objectives": repr(self.scores.objectives.to_dict()), "reference": repr(self.reference)}
        asked |= {"keep": repr(self.keep)}
        said = [f"{name}={asked.pop(name)}" for name in WORDS if name in asked]
        words = ", ".join([asked.pop("objectives"), *said])
        options = "".join(f"    {name}={value},\n" for name, value in asked.items())
        return f"{rows}.head({budget}).moo({words}).gap(\n{options})"

    def _measure(self, budget: int) -> Gap:
        # Rows left out, for missing scores or by `where`, count as evaluations.
        within = np.flatnonzero(self.scores.positions < budget)
        if len(within) == 0:
            raise ValueError("No row with all scores has been evaluated yet; increase the budget.")
        return measure_gap(
            self.scores.take(within), self.reference, keep=self.keep, reference_given=self._reference_given
        )

    def _draw(self, figure: Figure) -> None:
        """Draw the fronts at this budget and the curves over all budgets."""
        figure.set_size_inches(12, 4.4)
        left, right = figure.subplots(1, 2)
        names = self.scores.objectives.names
        self.gap.plot(ax=left, x=names[self.state["x"]], y=names[self.state["y"]])
        axes = [self.state["x"], self.state["y"]]
        for row in self.state["pinned"]:
            costs = np.array([self.scores.validation[row], self.scores.test[row]])
            ends = self.scores.own_units(costs)[:, axes]
            left.plot(*ends.T, "--o", color=series_color(0), mfc="none", ms=8)
            left.annotate(literal(self.labels[row]), ends[1], (6, 0), textcoords="offset points", fontsize="small")
        self.curves.plot(ax=right)
        right.axvline(self.state["budget"], color="0.5", lw=1, ls=":")

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        table = self.gap.table
        named = [
            "" if name is None or (isinstance(name, float) and name != name) else text.label(name)
            for name in table["dominated_by"]
        ]
        rows = table.assign(dominated_by=named)
        headline = f"Approximation gap {text.number(self.gap.gap)} after {self.state['budget']:,} evaluations"
        return headline, [self.gap.explain()], [("Rows of the validation front.", rows.head(_MOST_ROWS))]


def _bytes(values: np.ndarray) -> bytes:
    """Columns one after the other, as the page reads them."""
    return np.ascontiguousarray(values.T, dtype="<f8").tobytes()


def _changes(curves: pd.DataFrame) -> np.ndarray:
    """The lines of the curves at which something changes."""
    values = curves[["evaluations", "validation", "optimistic", "pessimistic", "gap"]].to_numpy(dtype=float)
    return values[np.append(True, (values[1:, 1:] != values[:-1, 1:]).any(axis=1))]
