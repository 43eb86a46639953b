"""The verb ``gap_budgets`` and its result: the gap of a random search as its budget grows, from one long run."""

from __future__ import annotations

__all__ = ["GapBudgets", "gap_budgets"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.generalization.arrays.fronts import prefix_fronts, split_front
from copa_nb.generalization.gap import front_volumes, point_text
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results.citing import of_paper
from copa_nb.results.offered import Offered
from copa_nb.results.result import Result
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import as_names, column_or_level, read_labels
from copa_nb.tables.frames import any_frame
from copa_nb.tables.objectives import Objectives, ObjectivesLike

BUDGETS = (40, 50, 100, 200, 500)
CURVES = ("validation", "pessimistic", "optimistic", "gap")


@dataclass(frozen=True, repr=False, eq=False)
class GapBudgets(Result):
    """Hypervolumes and gap after every number of evaluations.

    Parameters
    ----------
    curves : DataFrame
        One row per number of evaluations (and group, and repetition): columns of `by` and `repeat`,
        ``evaluations``, ``validation``, ``pessimistic``, ``optimistic``, ``gap``, ``n_front``.
    budgets : tuple of int
        Numbers of evaluations that :attr:`table` shows.
    reference : dict of objective to value
        Reference point, in the objectives' own units.
    objectives : Objectives
        Names and directions.
    by, repeat : list of labels
        Columns that make groups and repetitions; empty without.
    """

    paper = "feurer2023gap"

    curves: pd.DataFrame
    budgets: tuple[int, ...]
    reference: dict[Hashable, float]
    objectives: Objectives
    by: list[Hashable]
    repeat: list[Hashable]

    plot = Offered()

    @cached_property
    def table(self) -> pd.DataFrame:
        """The paper's Table 1: lines validation, pessimistic, optimistic, gap; columns evaluations.

        Groups make a first level of columns. With repetitions, their mean; see :attr:`spread`.
        """
        return self._at_budgets("mean")

    @property
    def spread(self) -> pd.DataFrame:
        """Standard deviation over the repetitions, arranged as :attr:`table`."""
        return self._at_budgets("std")

    def of_repeat(self, repeat: Hashable) -> pd.DataFrame:
        """:attr:`table` of a single repeat.

        Raises
        ------
        ValueError
            If there was not exactly one `repeat` column, or for a repeat that is not in it.
        """
        if len(self.repeat) != 1:
            raise ValueError("`of_repeat` needs exactly one `repeat` column; none or several were given.")
        name = self.repeat[0]
        checks.one_of("repeat", repeat, self.curves[name].unique().tolist())
        return self._at_budgets("mean", self.curves[self.curves[name] == repeat])

    def _at_budgets(self, how: str, curves: pd.DataFrame | None = None) -> pd.DataFrame:
        curves = self.curves if curves is None else curves
        chosen = curves[curves["evaluations"].isin(self.budgets)]
        grouped = chosen.groupby([*self.by, "evaluations"], sort=False, observed=True)[list(CURVES)].agg(how)
        return grouped.T.rename_axis(index="hypervolume")

    def explain(self) -> str:
        """Describe the curves and their reference point."""
        over = f", averaged over {text.listing(self.repeat)}" if self.repeat else ""
        return (
            f"The table gives the hypervolumes after each number of evaluations{over}. The reference point is "
            f"{point_text(self.reference)}."
        )

    def __repr__(self) -> str:
        what = f" by {', '.join(map(str, self.by))}" if self.by else ""
        over = f", mean over {', '.join(map(str, self.repeat))}" if self.repeat else ""
        return f"<GapBudgets up to {self.curves['evaluations'].max():,} evaluations{what}{over}>"

    def _card(self) -> str:
        flat = self.table.set_axis([text.label(label).replace(", ", " ") for label in self.table.columns], axis=1)
        return text.html_table(flat, caption=self.explain())


@of_paper("feurer2023gap")
@any_frame
@shared_parameters
def gap_budgets(
    frame: pd.DataFrame,
    budgets: Sequence[int] = BUDGETS,
    *,
    order: Hashable | None = None,
    validation: str = "val_",
    test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    reference_margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
    by: Any = None,
    repeat: Any = None,
    nan_policy: str = "raise",
) -> GapBudgets:
    """Follow hypervolumes and gap over the budget of a search, from one run.

    The first n rows of a random search are a random search with a budget of n, so a single run gives the paper's
    Table 1 ([1]_, section 5.2) and a curve over every budget.

    Parameters
    ----------
    frame : DataFrame
        One row per evaluated configuration; see :func:`copa_nb.gap` for the shapes understood.
    budgets : sequence of int
        Numbers of evaluations for the table, none beyond the shortest run; by default those up to its end, and its end.
    order : label, optional
        Column or index level with the order of evaluation; the order of the table if omitted.
    validation, test, objectives, reference, reference_margin, keep, where, nan_policy
        See :func:`copa_nb.gap`. "worst" looks at the whole table, so that all budgets share one reference point.
        Rows that `where` or ``nan_policy="omit"`` keep off the front still count as evaluations.
    by : label or list of labels, optional
        Columns or index levels of methods or data sets: one curve each.
    repeat : label or list of labels, optional
        Columns or index levels of repetitions (seeds): the table shows their mean, the plot a band.

    Returns
    -------
    GapBudgets

    Raises
    ------
    %(gate_errors)s
    ValueError
        For budgets that are too large or not whole numbers, or an order with missing values.

    See Also
    --------
    copa_nb.gap : The gap of a whole table.

    References
    ----------
    .. [1] Feurer et al., "Mind the Gap", IDA 2023, https://arxiv.org/abs/2212.04183.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"val_precision": [0.9, 0.6, 0.7], "val_recall": [0.2, 0.5, 0.6],
    ...      "test_precision": [0.7, 0.3, 0.4], "test_recall": [0.3, 0.5, 0.6]}
    ... )
    >>> found = copa_nb.gap_budgets(
    ...     runs, [1, 2, 3], objectives={"precision": "max", "recall": "max"}, reference={"precision": 0, "recall": 0}
    ... )
    >>> found.table.round(2)
    evaluations     1     2     3
    hypervolume
    validation   0.18  0.36  0.46
    pessimistic  0.21  0.27  0.33
    optimistic   0.21  0.27  0.33
    gap          0.00  0.00  0.00
    """
    checks.one_of("keep", keep, KEEP)
    scores = pair_scores(
        frame, objectives=objectives, validation=validation, test=test, where=where, nan_policy=nan_policy
    )
    point = scores.reference(reference, reference_margin)
    by_names, repeat_names = as_names(by), as_names(repeat)
    curves = []
    for labels, run in search_runs(scores, by_names, repeat_names, order):
        curve = _curve(scores, run, scores.as_costs(point), keep)
        for position, (name, label) in enumerate(labels.items()):
            curve.insert(position, name, label)
        curves.append(curve)
    shown = _budgets(budgets, min(len(curve) for curve in curves))
    return GapBudgets(pd.concat(curves, ignore_index=True), shown, point, scores.objectives, by_names, repeat_names)


def search_runs(
    scores: PairedScores, by: list[Hashable], repeat: list[Hashable], order: Hashable | None
) -> list[tuple[dict[Any, Any], np.ndarray]]:
    """Labels of every run and, for each of its evaluations in order, the row of the scores; -1 for rows kept out."""
    frame = cast(pd.DataFrame, scores.frame)
    rows = np.full(len(frame), -1)
    rows[scores.positions[scores.allowed()]] = scores.allowed()
    for names, argument in ((by, "by"), (repeat, "repeat")):
        for name in names:
            column_or_level(frame, name, argument)
    names = [*by, *repeat]
    if not names:
        return [({}, rows[_evaluated(frame, order)])]
    runs = []
    for label, positions in read_labels(frame, names, "by").positions().items():
        labels = dict(zip(names, cast(tuple[Any, ...], label) if len(names) > 1 else (label,), strict=True))
        runs.append((labels, rows[positions[_evaluated(frame.iloc[positions], order)]]))
    return runs


def _curve(scores: PairedScores, run: np.ndarray, point: np.ndarray, keep: str) -> pd.DataFrame:
    """Hypervolumes after every evaluation of a run, whose rows of the scores are `run` (-1 for rows kept out)."""
    counted = np.flatnonzero(run >= 0) + 1
    scores = scores.take(run[run >= 0])
    changes = prefix_fronts(scores.validation, keep=keep)
    # Before the first row that may be on a front, there is none: everything is 0.
    values = np.zeros((len(changes) + 1, len(CURVES) + 1))
    for line, (_, front) in enumerate(changes, start=1):
        test = scores.test[front]
        optimistic, pessimistic = split_front(test, keep=keep)
        promised, low, high = front_volumes(scores.validation[front], test, optimistic, pessimistic, point)
        values[line] = promised.value, low.value, high.value, high.value - low.value, len(front)
    starts = counted[[n - 1 for n, _ in changes]]
    evaluations = np.arange(1, len(run) + 1)
    # Between two changes of the front nothing moves.
    curve = pd.DataFrame(values[np.searchsorted(starts, evaluations, side="right")], columns=[*CURVES, "n_front"])
    curve.insert(0, "evaluations", evaluations)
    return curve.astype({"n_front": "int64"})


def _evaluated(run: pd.DataFrame, order: Hashable | None) -> np.ndarray:
    """Positions of a run's rows in the order of their evaluation."""
    if order is None:
        return np.arange(len(run))
    column = column_or_level(run, order, "order")
    if column.isna().any():
        raise ValueError(f"`order` column {order!r} is missing in {int(column.isna().sum())} rows; fill or drop them.")
    if column.duplicated().any():
        raise ValueError(
            f"`order` column {order!r} contains {column[column.duplicated()].tolist()[0]!r} more than once within a "
            "run; distinguish the runs with `by` (methods) and `repeat` (seeds)."
        )
    return np.argsort(column.to_numpy(), kind="stable")


def _budgets(budgets: Sequence[int], longest: int) -> tuple[int, ...]:
    if isinstance(budgets, str) or not isinstance(budgets, Sequence | np.ndarray) or len(budgets) == 0:
        raise TypeError(f"`budgets` is {budgets!r}; give a list of numbers of evaluations, e.g. [40, 50, 100].")
    if budgets is BUDGETS and longest < max(BUDGETS):
        return (*(budget for budget in BUDGETS if budget < longest), longest)
    counts = sorted({checks.integer("budgets", budget) for budget in budgets})
    if counts[-1] > longest:
        raise ValueError(
            f"`budgets` asks for {counts[-1]} evaluations, but the shortest run has {longest}; drop budgets above "
            f"{longest}."
        )
    return tuple(counts)
