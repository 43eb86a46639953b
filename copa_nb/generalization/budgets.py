"""The approximation gap of a random search as its budget grows, from one long run."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.candidates import Where
from copa_nb.columns import positions_by_group
from copa_nb.generalization.arrays import fronts as generalization
from copa_nb.generalization.gap import ROW, front_hypervolume, with_score_rows
from copa_nb.generalization.scores import PairedScores, pair_scores
from copa_nb.objectives import Objectives, ObjectivesLike
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import ReferencePointLike
from copa_nb.results import PlotMethod

BUDGETS = (40, 50, 100, 200, 500)
CURVES = ("validation", "pessimistic", "optimistic", "gap")


@dataclass(frozen=True, repr=False, eq=False)
class GapBudgets:
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

    curves: pd.DataFrame
    budgets: tuple[int, ...]
    reference: dict[Hashable, float]
    objectives: Objectives
    by: list[Hashable]
    repeat: list[Hashable]

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

    def of_repeat(self, repetition: Hashable) -> pd.DataFrame:
        """:attr:`table` of a single repetition."""
        if len(self.repeat) != 1:
            raise ValueError("`of_repeat` picks a value of the one `repeat` column; none or several were given.")
        name = self.repeat[0]
        known = self.curves[name].unique().tolist()
        checks.one_of("repetition", repetition, known)
        return self._at_budgets("mean", self.curves[self.curves[name] == repetition])

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    plot = PlotMethod("plot_gap_budget")

    def _at_budgets(self, how: str, curves: pd.DataFrame | None = None) -> pd.DataFrame:
        curves = self.curves if curves is None else curves
        chosen = curves[curves["evaluations"].isin(self.budgets)]
        grouped = chosen.groupby([*self.by, "evaluations"], sort=False, observed=True)[list(CURVES)].agg(how)
        return grouped.T.rename_axis(index="hypervolume")

    def __repr__(self) -> str:
        what = f" by {', '.join(map(str, self.by))}" if self.by else ""
        over = f", mean over {', '.join(map(str, self.repeat))}" if self.repeat else ""
        return f"<GapBudgets up to {self.curves['evaluations'].max():,} evaluations{what}{over}>"

    def _repr_html_(self) -> str:
        point = ", ".join(f"{name} = {text.number(value)}" for name, value in self.reference.items())
        flat = self.table.set_axis(
            [" ".join(map(str, label)) if isinstance(label, tuple) else label for label in self.table.columns], axis=1
        )
        return text.html_table(flat, caption=f"Hypervolumes by evaluations. Reference point ({point}).")


def gap_budgets(
    frame: pd.DataFrame,
    budgets: Sequence[int] = BUDGETS,
    *,
    order: Hashable | None = None,
    validation: str = "val_",
    test: str | pd.DataFrame = "test_",
    objectives: ObjectivesLike = None,
    reference: ReferencePointLike = "worst",
    margin: float = 0.1,
    keep: str = "all",
    where: Where = None,
    by: Any = None,
    repeat: Any = None,
    nan_policy: str = "raise",
) -> GapBudgets:
    """Follow hypervolumes and gap over the budget of a search, from one run.

    The first n rows of a random search are a random search with a budget of n, so that a single run gives the
    table of section 5.2 of "Mind the Gap" and a curve over every budget.

    Parameters
    ----------
    frame : DataFrame
        One row per evaluated configuration; see :func:`copa_nb.gap` for the shapes understood.
    budgets : sequence of int
        Numbers of evaluations for the table. Those beyond the shortest run are refused.
    order : label, optional
        Column that says in which order rows were evaluated; the order of the table if omitted.
    validation, test, objectives, reference, margin, keep, where, nan_policy
        See :func:`copa_nb.gap`. "worst" looks at the whole table, so that all budgets share one reference point.
        Rows that `where` or ``nan_policy="omit"`` keep off the front still count as evaluations.
    by : label or list of labels, optional
        Methods or data sets: one curve each.
    repeat : label or list of labels, optional
        Repetitions (seeds): the table shows their mean, the plot a band.

    Returns
    -------
    GapBudgets

    Raises
    ------
    ValueError
        For budgets that are too large or not whole numbers, or an order with missing values.

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
    scores = pair_scores(frame, objectives=objectives, validation=validation, test=test, nan_policy=nan_policy)
    point = scores.reference(reference, margin)
    costs = np.array([point[name] for name in scores.objectives]) * scores.objectives.signs
    rows = with_score_rows(frame, scores, where)
    by_names, repeat_names = _listed(by), _listed(repeat)
    parts = []
    for label, positions in _groups(rows, by_names + repeat_names):
        curve = _curve(scores, _in_order(rows.iloc[positions], order), costs, keep)
        for position, name in enumerate(by_names + repeat_names):
            curve.insert(position, cast(Any, name), cast(Any, label[position]))
        parts.append(curve)
    shortest = min(len(part) for part in parts)
    allowed = _budgets(budgets, shortest)
    return GapBudgets(pd.concat(parts, ignore_index=True), allowed, point, scores.objectives, by_names, repeat_names)


def _curve(scores: PairedScores, places: np.ndarray, point: np.ndarray, keep: str) -> pd.DataFrame:
    """Hypervolumes after every evaluation; `places` holds the evaluations' rows in the scores, or -1."""
    counted = np.flatnonzero(places >= 0) + 1
    scores = scores.take(places[places >= 0])
    changes = generalization.prefix_fronts(scores.validation, keep=keep)
    # Before the first row that may be on a front, there is none: everything is 0.
    values = np.zeros((len(changes) + 1, len(CURVES) + 1))
    for line, (_, front) in enumerate(changes, start=1):
        test = scores.test[front]
        optimistic, pessimistic = generalization.split_front(test, keep=keep)
        promised = front_hypervolume(scores.validation[front], point).value
        low = front_hypervolume(test[pessimistic], point).value
        same = np.array_equal(optimistic, pessimistic)
        high = low if same else max(low, front_hypervolume(test[optimistic], point).value)
        values[line] = promised, low, high, high - low, len(front)
    starts = counted[[n - 1 for n, _ in changes]]
    evaluations = np.arange(1, len(places) + 1)
    # Between two changes of the front nothing moves.
    curve = pd.DataFrame(values[np.searchsorted(starts, evaluations, side="right")], columns=[*CURVES, "n_front"])
    curve.insert(0, "evaluations", evaluations)
    return curve.astype({"n_front": "int64"})


def _groups(rows: pd.DataFrame, names: list[Hashable]) -> Iterator[tuple[tuple[Hashable, ...], np.ndarray]]:
    if not names:
        yield (), np.arange(len(rows))
        return
    for label, positions in positions_by_group(rows, names).items():
        yield (label if isinstance(label, tuple) and len(names) > 1 else (label,)), positions


def _in_order(part: pd.DataFrame, order: Hashable | None) -> np.ndarray:
    places = part[ROW].to_numpy()
    if order is None:
        return places
    column = checks.column(part, order, "order")
    if column.isna().any():
        raise ValueError(f"`order` column {order!r} is missing in {int(column.isna().sum())} rows; fill or drop them.")
    if column.duplicated().any():
        repeated = column[column.duplicated()].tolist()[0]
        raise ValueError(
            f"`order` column {order!r} holds {repeated!r} more than once within a run; say what tells the runs apart "
            "with `by` (methods) and `repeat` (seeds)."
        )
    return places[np.argsort(column.to_numpy(), kind="stable")]


def _budgets(budgets: Sequence[int], longest: int) -> tuple[int, ...]:
    if isinstance(budgets, str) or not isinstance(budgets, Sequence | np.ndarray) or len(budgets) == 0:
        raise TypeError(f"`budgets` is {budgets!r}; give a list of numbers of evaluations, e.g. [40, 50, 100].")
    whole = [checks.integer("budgets", budget) for budget in budgets]
    if max(whole) > longest:
        raise ValueError(
            f"`budgets` asks for {max(whole)} evaluations, but the shortest run has {longest}; leave out what is "
            f"larger than {longest}."
        )
    return tuple(sorted(set(whole)))


def _listed(names: Any) -> list[Hashable]:
    if names is None:
        return []
    return list(names) if isinstance(names, list) else [names]
