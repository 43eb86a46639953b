"""How a front and its gap change during a search: ``df.moo.explore_gap()``."""

from __future__ import annotations

__all__ = ["GapExplorer", "explore_gap"]

from collections.abc import Hashable
from typing import TYPE_CHECKING, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.widget import RowExplorer
from copa_nb.generalization.budgets import GapBudgets, gap_budgets
from copa_nb.generalization.gap import Gap, measure_gap
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.plotting.style import literal, series_color
from copa_nb.tables.candidates import Where
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import ObjectivesLike

if TYPE_CHECKING:
    from matplotlib.figure import Figure

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
    reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
    nan_policy: str = "raise",
) -> GapExplorer:
    """Change the budget of a search with a slider: fronts on validation and test, and their gap (equations 1-2).

    Parameters
    ----------
    frame : DataFrame
        One row per evaluated configuration of one search, in the order of evaluation.
    validation, test : str
        Prefixes of the columns; see :func:`copa_nb.gap`.
    %(objectives)s
    order : label, optional
        Column by which rows are sorted into the order of evaluation.
    reference, reference_margin, keep, where
        See :func:`copa_nb.gap`. "worst" is taken over the whole table, so that all budgets share one reference point.
        Rows that `where` excludes from the fronts still count as evaluations.
    %(nan_policy)s

    Returns
    -------
    GapExplorer
        ``gap`` is the result at the budget shown; ``pin(label)`` follows a row from validation to test.

    Raises
    ------
    %(gate_errors)s
    ValueError
        For fewer than two objectives.

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
    scores = pair_scores(
        ordered, objectives=objectives, validation=validation, test=test, where=where, nan_policy=nan_policy
    )
    if len(scores.objectives) < 2:
        raise ValueError("`explore_gap` draws fronts; define at least two objectives.")
    point = scores.reference(reference, reference_margin)
    curves = gap_budgets(
        ordered, [len(ordered)], objectives=objectives, validation=validation, test=test, reference=point, keep=keep,
        where=where, nan_policy=nan_policy,
    )  # fmt: skip
    reference_given = not isinstance(reference, str)
    candidates = scores.take(scores.allowed())
    return GapExplorer(
        candidates, point, curves, keep, (validation, test), where=where, reference_given=reference_given
    )


class GapExplorer(RowExplorer):
    """Budget slider over fronts and gap; see :func:`explore_gap`.

    Rows that are picked are followed from validation to test.

    Parameters
    ----------
    scores : PairedScores
        The rows that may be on a front, in order of evaluation.
    reference : dict of objective to value
        Reference point.
    curves : GapBudgets
        Hypervolumes after every evaluation.
    keep : {"all", "first"}
        Which of several rows with equal scores stay on a front.
    prefixes : tuple of two str
        Prefixes of validation and test, for the code shown.
    where : str, mask or callable, optional
        Rows that may be on a front, for the code shown.
    reference_given : bool
        Whether the reference point was given, so that percentages of hypervolumes are meaningful.
    """

    title = "Generalization gap by budget"
    height = 1100

    def __init__(
        self,
        scores: PairedScores,
        reference: dict[Hashable, float],
        curves: GapBudgets,
        keep: str,
        prefixes: tuple[str, str],
        *,
        where: Where = None,
        reference_given: bool = False,
    ) -> None:
        self.scores, self.reference, self.curves, self.keep = scores, reference, curves, keep
        self._where, self._reference_given = where, reference_given
        self._prefixes = prefixes
        self._longest = len(curves.curves)
        self.kind = "gap"
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
                "reference": [float(reference[name]) for name in scores.objectives],
                "curves": _bytes(_changes(curves.curves)),
                "longest": self._longest,
                "keep": keep,
                "reference_given": reference_given,
                "call": self._code("\0").split("\0"),
            },
            {"budget": self._longest, "x": 0, "y": 1, "pinned": []},
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
        return cast("Gap", self._once("gap", self.state["budget"], self._measure))

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
        objectives = self.scores.objectives.to_dict()
        validation, test = self._prefixes
        return (
            f"df.head({budget}).moo.gap(\n    validation={validation!r},\n    test={test!r},\n"
            f"    objectives={objectives!r},\n    reference={self.reference!r},\n"
            f"    keep={self.keep!r},\n{self._where_code()})"
        )

    def _where_code(self) -> str:
        if self._where is None:
            return ""
        named = repr(self._where) if isinstance(self._where, str) else getattr(self._where, "__name__", "where")
        return f"    where={named},\n"

    def _measure(self) -> Gap:
        # Rows left out, for missing scores or by `where`, count as evaluations.
        within = np.flatnonzero(self.scores.positions < self.state["budget"])
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
