"""The result of measuring a generalisation gap: numbers, tables and words."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.generalization.arrays import fronts as generalization
from copa_nb.generalization.scores import PairedScores
from copa_nb.objectives import Objectives
from copa_nb.results import PlotMethod

# What the entries of `Gap.summary` are called in a table for people.
QUANTITY_NAMES = {
    "hv_validation": "validation hypervolume",
    "hv_pessimistic": "pessimistic hypervolume on test",
    "hv_optimistic": "optimistic hypervolume on test",
    "gap": "approximation gap",
    "relative_gap": "gap ÷ optimistic hypervolume",
    "hv_test": "hypervolume of all rows on test",
    "overestimation": "over-estimation",
    "leakage": "leakage",
    "n_rows": "rows",
    "n_validation_front": "rows on the validation front",
    "n_optimistic": "of these, on the optimistic front",
    "n_pessimistic": "of these, on the pessimistic front",
    "n_dominated": "of these, dominated by another on test",
    "n_reordered": "of these, in a pair that changes order",
}


@dataclass(frozen=True, repr=False, eq=False)
class Gap:
    """A validation front, what becomes of it on test, and the approximation gap.

    Parameters
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores: what is promised.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1).
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2).
    hv_test : float
        Hypervolume of the hypothetical front of all rows on test: what only choosing on the test data gives.
    reference : dict of objective to value
        The reference point of all four, in the objectives' own units.
    exact : bool
        False if a hypervolume was approximated.
    keep : {"all", "first"}
        What was done with rows of equal scores.
    scores : PairedScores
        Costs of all rows on validation and test.
    fronts : Fronts
        The four fronts as masks over the rows.

    Notes
    -----
    ``hv_test >= hv_optimistic >= hv_pessimistic`` always. The gap is 0 exactly when no row of the validation
    front is dominated by another of them on test, as long as all lie inside the reference point.
    """

    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: generalization.Fronts

    @property
    def gap(self) -> float:
        """Approximation gap: optimistic minus pessimistic hypervolume."""
        return self.hv_optimistic - self.hv_pessimistic

    @property
    def relative_gap(self) -> float:
        """Gap as a share of the optimistic hypervolume; 0 where that is 0."""
        return self.gap / self.hv_optimistic if self.hv_optimistic > 0 else 0.0

    @property
    def overestimation(self) -> float:
        """Validation minus optimistic hypervolume: what validation promised beyond the best case on test."""
        return self.hv_validation - self.hv_optimistic

    @property
    def leakage(self) -> float:
        """Hypothetical minus optimistic hypervolume: what choosing on the test data would seem to add."""
        return self.hv_test - self.hv_optimistic

    @property
    def objectives(self) -> Objectives:
        """Names without prefix, and directions."""
        return self.scores.objectives

    @property
    def validation_front(self) -> pd.Index:
        """Labels of the rows that no row dominates on validation."""
        return self.scores.index[self.fronts.validation]

    @property
    def optimistic(self) -> pd.Index:
        """Labels of the optimistic front."""
        return self.scores.index[self.fronts.optimistic]

    @property
    def pessimistic(self) -> pd.Index:
        """Labels of the pessimistic front."""
        return self.scores.index[self.fronts.pessimistic]

    @property
    def test_front(self) -> pd.Index:
        """Labels of the hypothetical front of all rows on test."""
        return self.scores.index[self.fronts.hypothetical]

    @property
    def dominated(self) -> pd.Index:
        """Labels of validation-front rows that another of them dominates on test."""
        return self.validation_front[self._rows["dominated_by"].notna().to_numpy()]

    @property
    def reordered(self) -> pd.Index:
        """Labels of validation-front rows whose order to another of them is reversed in some objective."""
        return self.validation_front[(self._rows["swaps"] > 0).to_numpy()]

    @property
    def table(self) -> pd.DataFrame:
        """One line per row of the validation front, in the order of the caller's table.

        Columns: ``validation NAME`` and ``test NAME`` per objective in its own units; ``optimistic`` and
        ``pessimistic`` (is the row on that front); ``dominated_by`` (the first row of the validation front
        that dominates it on test and is itself not dominated; missing if none does); ``dominates`` (how
        many of them it dominates on test); ``swaps`` (how many of them it changed order with, summed over
        the objectives).
        """
        return self._rows.copy()

    @cached_property
    def _rows(self) -> pd.DataFrame:
        rows = np.flatnonzero(self.fronts.validation)
        front = self.scores.take(rows)
        dominators = generalization.first_dominator(front.test)
        named = [front.index[d] if d >= 0 else None for d in dominators]
        columns: dict[str, Any] = {}
        for part, costs in (("validation", front.validation), ("test", front.test)):
            values = front.own_units(costs)
            columns |= {f"{part} {name}": values[:, k] for k, name in enumerate(self.objectives)}
        columns |= {
            "optimistic": self.fronts.optimistic[rows],
            "pessimistic": self.fronts.pessimistic[rows],
            "dominated_by": pd.Series(named, index=front.index, dtype=object),
            "dominates": generalization.count_dominated(front.test),
            "swaps": generalization.count_swaps(front.validation, front.test).sum(axis=1),
        }
        columns["dominated_by"] = columns["dominated_by"].to_numpy()
        return pd.DataFrame(columns, index=front.index)

    @cached_property
    def order(self) -> pd.DataFrame:
        """Per objective: pairs of the validation front, pairs that changed order, and their share."""
        rows = np.flatnonzero(self.fronts.validation)
        swaps = generalization.count_swaps(self.scores.validation[rows], self.scores.test[rows])
        pairs = len(rows) * (len(rows) - 1) // 2
        swapped = swaps.sum(axis=0) // 2
        return pd.DataFrame(
            {"pairs": pairs, "swapped": swapped, "share": swapped / pairs if pairs else 0.0},
            index=pd.Index(self.objectives.names, name="objective", tupleize_cols=False),
        )

    @property
    def summary(self) -> pd.Series:
        """All numbers: the hypervolumes, what follows from them, and how many rows each front has."""
        return pd.Series(
            {
                "hv_validation": self.hv_validation,
                "hv_pessimistic": self.hv_pessimistic,
                "hv_optimistic": self.hv_optimistic,
                "gap": self.gap,
                "relative_gap": self.relative_gap,
                "hv_test": self.hv_test,
                "overestimation": self.overestimation,
                "leakage": self.leakage,
                "n_rows": len(self.scores.index),
                "n_validation_front": int(self.fronts.validation.sum()),
                "n_optimistic": int(self.fronts.optimistic.sum()),
                "n_pessimistic": int(self.fronts.pessimistic.sum()),
                "n_dominated": len(self.dominated),
                "n_reordered": len(self.reordered),
            },
            dtype=object,
        )

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def explain(self) -> str:
        """Say in words what the front is worth on test and which rows fail there."""
        return " ".join(_sentences(self))

    plot = PlotMethod("plot_gap")

    def __repr__(self) -> str:
        how = "" if self.exact else ", approximated"
        return (
            f"<Gap {text.number(self.gap)} between optimistic {text.number(self.hv_optimistic)} and "
            f"pessimistic {text.number(self.hv_pessimistic)}; validation {text.number(self.hv_validation)}, "
            f"{len(self.validation_front)} of {len(self.scores.index):,} rows on the validation front{how}>"
        )

    def _repr_html_(self) -> str:
        point = ", ".join(f"{name} = {text.number(value)}" for name, value in self.reference.items())
        arrows = dict(zip(self.objectives, self.objectives.labels, strict=True))
        headers: dict[object, str] = {
            f"{part} {name}": f"{part} {arrows[name]}" for part in ("validation", "test") for name in arrows
        }
        caption = (
            f"Rows of the validation front on validation and test. Reference point ({point}); rows of equal "
            f"scores: keep {self.keep}."
        )
        shown = self.table.assign(dominated_by=self.table["dominated_by"].fillna(""))
        return text.card(
            "Generalisation of the Pareto front",
            _sentences(self),
            text.html_table(shown, caption=caption, headers=headers),
        )


def _sentences(result: Gap) -> list[str]:
    number = text.number
    n_front, dominated = len(result.validation_front), list(result.dominated)
    sentences = [
        f"On validation, {n_front} of {len(result.scores.index):,} rows are Pareto-optimal and promise a "
        f"hypervolume of {number(result.hv_validation)}.",
        f"On test they are worth between {number(result.hv_pessimistic)} (pessimistic) and "
        f"{number(result.hv_optimistic)} (optimistic): an approximation gap of {number(result.gap)}, "
        f"{text.percent(result.relative_gap)} of the optimistic hypervolume.",
        _dominated_sentence(result, n_front, dominated),
    ]
    if n_front > 1:
        swapped, pairs = int(result.order["swapped"].sum()), int(result.order["pairs"].sum())
        sentences.append(
            f"{swapped} of {pairs} comparisons along the front (pairs of rows, per objective) change order "
            "between validation and test."
        )
    direction = "over-estimates" if result.overestimation > 0 else "does not over-estimate"
    sentences.append(
        f"Validation {direction} the test hypervolume ({number(result.hv_validation)} against at most "
        f"{number(result.hv_optimistic)}); choosing on the test data itself would show {number(result.hv_test)}."
    )
    if result.scores.n_omitted:
        sentences.append(f"{result.scores.n_omitted} rows without all scores are left out.")
    if not result.exact:
        sentences.append("Hypervolumes are approximated: the exact ones would cost too much.")
    return sentences


def _dominated_sentence(result: Gap, n_front: int, dominated: list[Hashable]) -> str:
    if not dominated:
        return "None of them is dominated by another of them on test."
    shown = text.listing(dominated) if len(dominated) <= 5 else f"{text.listing(dominated[:4])} and others"
    verb = "is" if len(dominated) == 1 else "are"
    return f"{len(dominated)} of the {n_front} {verb} dominated by others of them on test ({shown})."
