"""The gap of a random search as its budget grows, from one long run (section 5.2)."""

from __future__ import annotations

__all__ = ["GapBudgets"]

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.arrays.fronts import prefix_fronts, split_front
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.searches import Searches
from copa_nb.generalization.volumes import front_volumes, point_text
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.tables.objectives import Objectives

BUDGETS = (40, 50, 100, 200, 500)
CURVES = ("validation", "pessimistic", "optimistic", "gap")

_FEW = 6  # numbers of evaluations whose table a page shows unfolded


@dataclass(frozen=True, repr=False, eq=False)
class GapBudgets(Worded):
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

    def parts(self) -> list[Part]:
        """The gap at the end of the search, and the reference point."""
        last = int(self.curves["evaluations"].max())
        final = self.curves[self.curves["evaluations"] == last]
        groups = final.groupby(self.by, sort=False, observed=True) if self.by else [("", final)]
        sizes = {text.label(name): float(rows["gap"].mean()) for name, rows in groups}
        named = [
            part(f"gap_budgets.phrases.{'gap_of' if name else 'gap'}", gap=size, name=name)
            for name, size in sizes.items()
        ]
        end = part(f"gap_budgets.headline.end{'_on_average' * bool(self.repeat)}", evaluations=last, gaps=named)
        return [end, part("reference_point.details.point", point=point_text(self.reference))]

    def printed_tables(self) -> list[PrintedTable]:
        """Hypervolumes and gap, with a line for each number of evaluations."""
        mean = ", mean over the repetitions" * bool(self.repeat)
        caption = f"Hypervolumes and gap by evaluations{mean}."
        return [PrintedTable(frame=self.table.T, name="budgets", caption=caption, folded=self.table.shape[1] > _FEW)]

    def __repr__(self) -> str:
        what = f" by {', '.join(map(str, self.by))}" if self.by else ""
        over = f", mean over {', '.join(map(str, self.repeat))}" if self.repeat else ""
        return f"<GapBudgets up to {self.curves['evaluations'].max():,} evaluations{what}{over}>"

    def _card(self) -> str:
        flat = self.table.set_axis([text.label(label).replace(", ", " ") for label in self.table.columns], axis=1)
        return text.html_table(flat, caption=self.explain())


def follow_budgets(searches: Searches, numbers: Sequence[int] | None) -> GapBudgets:
    """Follow hypervolumes and gap over the evaluations of searches; see :meth:`copa_nb.results.Gap.budgets`."""
    scores, point = searches.scores, searches.scores.as_costs(searches.reference)
    curves = [_curve(scores, run.rows, point, searches.keep) for run in searches.runs]
    shown = _budgets(numbers, min(len(curve) for curve in curves))
    return GapBudgets(
        searches.table_of(curves), shown, searches.reference, scores.objectives, searches.by, searches.repeat
    )


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


def _budgets(numbers: Sequence[int] | None, longest: int) -> tuple[int, ...]:
    if numbers is None:
        return BUDGETS if longest >= max(BUDGETS) else (*(number for number in BUDGETS if number < longest), longest)
    if isinstance(numbers, str) or not isinstance(numbers, Sequence | np.ndarray) or len(numbers) == 0:
        raise TypeError(f"`numbers` is {numbers!r}; give a list of numbers of evaluations, e.g. [40, 50, 100].")
    counts = sorted({checks.integer("numbers", number) for number in numbers})
    if counts[-1] > longest:
        raise ValueError(
            f"`numbers` asks for {counts[-1]} evaluations, but the shortest run has {longest}; drop those above "
            f"{longest}."
        )
    return tuple(counts)
