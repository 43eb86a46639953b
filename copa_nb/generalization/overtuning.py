"""How much of the progress of a search on validation is lost on test."""

from __future__ import annotations

__all__ = ["Overtuning"]

import numbers
from collections.abc import Hashable
from dataclasses import dataclass
from typing import cast

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.generalization.arrays.fronts import prefix_fronts
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.searches import Searches
from copa_nb.generalization.volumes import front_hypervolume, point_text
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Worded
from copa_nb.results.sentences import Part, part
from copa_nb.tables.objectives import Objectives


@dataclass(frozen=True, repr=False, eq=False)
class Overtuning(Worded):
    """What the incumbents of a search are worth on test, and how much better an earlier one was.

    Parameters
    ----------
    table : DataFrame
        One row per evaluation (of each run): columns of `by` and `repeat`, ``evaluations``, ``validation`` and ``test``
        (of the incumbent, in the objective's own units; hypervolumes with several objectives), ``best`` (the best test
        value of the incumbents so far), ``overtuning`` (how much worse ``test`` is) and ``relative`` (as a share of
        the progress of ``best`` since the first incumbent; NaN where there is less than `least_progress`).
    reference : dict of objective to value
        Reference point of the hypervolumes, in own units; empty with one objective.
    least_progress : float
        Progress on test below which there is no relative overtuning.
    objectives : Objectives
        Names and directions.
    by, repeat : list of labels
        Columns that make groups and repetitions; empty without.
    """

    paper = "schneider2025overtuning"

    table: pd.DataFrame
    reference: dict[Hashable, float]
    least_progress: float
    objectives: Objectives
    by: list[Hashable]
    repeat: list[Hashable]

    plot = Offered()

    @property
    def final(self) -> pd.DataFrame:
        """The last row of every run."""
        runs = [*self.by, *self.repeat]
        if not runs:
            return self.table.tail(1)
        return self.table.groupby(runs, sort=False, observed=True).tail(1).reset_index(drop=True)

    @property
    def measured(self) -> str:
        """What is measured on test: the objective, or the hypervolume of the incumbent front."""
        return "hypervolume" if self.reference else str(self.objectives.names[0])

    def parts(self) -> list[Part]:
        """What the search has lost on test, how much of its progress this is, and the reference point."""
        reference = {"point": point_text(self.reference)}
        return [
            *(self._of_one(self.final.iloc[0]) if len(self.final) == 1 else self._of_several(self.final)),
            *([part("reference_point.details.point", **reference)] if self.reference else []),
        ]

    def _of_one(self, end: pd.Series) -> list[Part]:
        lost, test, best = (float(end[name]) for name in ("overtuning", "test", "best"))
        found = {"evaluations": int(end["evaluations"]), "measured": text.spoken(self.measured), "test": test,
                 "best": best, "lost": lost, "digits": text.digits_apart(test, best)}  # fmt: skip
        is_share = lost > 0 and bool(np.isfinite(end["relative"]))
        incumbent = "incumbent_front" if self.reference else "incumbent"
        return [
            part(f"overtuning.headline.{'one' if lost > 0 else 'none'}", **found),
            part(f"overtuning.reasons.{incumbent}{'_worse' * (lost > 0)}", **found),
            *([part("overtuning.reasons.share", share=float(end["relative"]))] if is_share else []),
        ]

    def _of_several(self, final: pd.DataFrame) -> list[Part]:
        told = final["relative"].dropna()
        progress = {"least": self.least_progress}
        headline = part("overtuning.headline.several", lost=int((final["overtuning"] > 0).sum()),
                        n=len(final), measured=text.spoken(self.measured))  # fmt: skip
        if not len(told):
            return [headline, part("overtuning.reasons.no_progress", **progress)]
        found = {"n": len(told), "all": int((told >= 1).sum()), "median": float(told.median())}
        return [headline, part("overtuning.reasons.of_progress", **progress, **found)]

    def printed_tables(self) -> list[PrintedTable]:
        """Where each search ends."""
        labels = [*self.by, *self.repeat]
        return [
            PrintedTable(
                frame=self.final.set_index(labels or "evaluations"),
                name="overtuning",
                caption=f"The {self._incumbent} after the last evaluation: its {self.measured} on validation and on "
                "test, the best of all incumbents on test, and the overtuning, also as a share of the progress.",
                folded=True,
            )
        ]

    @property
    def _incumbent(self) -> str:
        return "incumbent front" if self.reference else "incumbent"

    def __repr__(self) -> str:
        final = self.final
        lost = int((final["overtuning"] > 0).sum())
        return f"<Overtuning of {self.measured}: in {lost} of {len(final)} runs>"

    def _card(self) -> str:
        final = self.final
        return text.html_table(final.set_axis([""] * len(final)), caption=self.explain(), most=30)


def follow_overtuning(searches: Searches, least_progress: float) -> Overtuning:
    """Follow how much of the progress of searches is lost on test; see :meth:`copa_nb.results.Gap.overtuning`."""
    if not (isinstance(least_progress, numbers.Real) and least_progress >= 0):
        raise ValueError(f"`least_progress` is {least_progress!r}; it must be a number of at least 0, e.g. 0.001.")
    scores = searches.scores
    several = len(scores.objectives) > 1
    if not several and not (np.isfinite(scores.validation).all() and np.isfinite(scores.test).all()):
        raise ValueError("the table has infinite scores, for which overtuning is undefined; leave these rows out.")
    point = scores.as_costs(searches.reference)
    sign = -1.0 if several or scores.objectives.signs[0] < 0 else 1.0
    curves = (
        _front_curve(scores, run.rows, point, searches.keep) if several else _curve(scores, run.rows)
        for run in searches.runs
    )
    table = searches.table_of([_lost(curve, sign, float(least_progress)) for curve in curves])
    reference = searches.reference if several else {}
    return Overtuning(table, reference, float(least_progress), scores.objectives, searches.by, searches.repeat)


def _curve(scores: PairedScores, run: np.ndarray) -> np.ndarray:
    """Validation and test value of the incumbent after every evaluation, NaN before the first row that has scores."""
    costs = np.full((len(run), 2), np.nan)
    here = run >= 0
    costs[here] = np.column_stack([scores.validation[run[here], 0], scores.test[run[here], 0]])
    filled = np.where(here, costs[:, 0], np.inf)
    # The incumbent changes where validation becomes strictly better: of equals the first stays.
    improves = filled < np.minimum.accumulate(np.concatenate([[np.inf], filled[:-1]]))
    at = np.maximum.accumulate(np.where(improves, np.arange(len(run)), -1))
    curve = np.where((at >= 0)[:, None], costs[at], np.nan)
    return cast(np.ndarray, curve * scores.objectives.signs[0] + 0.0)


def _front_curve(scores: PairedScores, run: np.ndarray, point: np.ndarray, keep: str) -> np.ndarray:
    """Hypervolumes of the incumbent front on validation and on test after every evaluation, NaN before the first."""
    counted = np.flatnonzero(run >= 0) + 1
    scores = scores.take(run[run >= 0])
    changes = prefix_fronts(scores.validation, keep=keep)
    values = np.full((len(changes) + 1, 2), np.nan)
    for line, (_, front) in enumerate(changes, start=1):
        values[line] = [front_hypervolume(costs[front], point).value for costs in (scores.validation, scores.test)]
    starts = counted[[n - 1 for n, _ in changes]]
    curve: np.ndarray = values[np.searchsorted(starts, np.arange(1, len(run) + 1), side="right")]
    return curve


def _lost(curve: np.ndarray, sign: float, least_progress: float) -> pd.DataFrame:
    """Overtuning along a run; `sign` turns its values into costs."""
    test = sign * curve[:, 1]
    best = np.fmin.accumulate(test)
    known = test[np.isfinite(test)]
    progress = (known[0] if len(known) else np.nan) - best
    lost = test - best
    with np.errstate(invalid="ignore", divide="ignore"):
        relative = np.where(progress >= max(least_progress, np.finfo(float).tiny), lost / progress, np.nan)
    return pd.DataFrame(
        {
            "evaluations": np.arange(1, len(curve) + 1),
            "validation": curve[:, 0],
            "test": curve[:, 1],
            "best": sign * best + 0.0,
            "overtuning": lost,
            "relative": relative,
        }
    )
