"""The gap of one search: its fronts and numbers."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.answers import FEWEST_CANDIDATES, dominated_by, of_selection
from copa_nb.generalization.arrays import fronts as arrays
from copa_nb.generalization.arrays.falls import fall_of_best
from copa_nb.generalization.bootstrap import Metric, resampled
from copa_nb.generalization.comparison import GapComparison, compare_measured
from copa_nb.generalization.printing import front_of_search
from copa_nb.generalization.repeats import GapOfRepeats
from copa_nb.generalization.result import COUNTS, ONE_METHOD, QUANTITIES, Gap, named
from copa_nb.generalization.scores import PairedScores
from copa_nb.generalization.searches import Searches
from copa_nb.generalization.volumes import front_hypervolume, front_volumes, point_text
from copa_nb.pareto.arrays.dominance import nondominated
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Grouped
from copa_nb.results.sentences import Part, part
from copa_nb.tables.objectives import Objectives


def measure_gap(
    scores: PairedScores,
    reference: dict[Hashable, float],
    *,
    keep: str,
    reference_given: bool = False,
    chosen: np.ndarray | None = None,
) -> GapOfSearch:
    """Measure the gap of paired scores under a reference point in the objectives' own units.

    Rows of the validation front are those that are `chosen`, where this is given.
    """
    if chosen is None:
        fronts = arrays.fronts(scores.validation, scores.test, keep=keep)
    else:
        fronts = arrays.fronts_of(chosen, scores.test, keep=keep)
    point = scores.as_costs(reference)
    promised, pessimistic, optimistic = front_volumes(
        scores.validation[fronts.validation], scores.test, fronts.optimistic, fronts.pessimistic, point
    )
    hypothetical = front_hypervolume(scores.test[fronts.hypothetical], point)
    return GapOfSearch(
        hv_validation=promised.value,
        hv_optimistic=optimistic.value,
        hv_pessimistic=pessimistic.value,
        hv_test=max(hypothetical.value, optimistic.value),
        reference=reference,
        exact=all(volume.exact for volume in (promised, pessimistic, optimistic, hypothetical)),
        keep=keep,
        scores=replace(scores, frame=None),
        fronts=fronts,
        reference_given=reference_given,
    )


@dataclass(frozen=True, repr=False, eq=False)
class GapOfSearch(Gap):
    """The gap of one search; see :class:`copa_nb.results.Gap`.

    Parameters
    ----------
    hv_validation : float
        Hypervolume of the validation front under its validation scores.
    hv_optimistic : float
        Hypervolume on test of those of its rows that no other of them dominates there (equation 1).
    hv_pessimistic : float
        Hypervolume on test of those that dominate no other of them there (equation 2).
    hv_test : float
        Hypervolume of the hypothetical front of all rows on test, which only a choice on the test data gives.
    reference : dict of objective to value
        The reference point of all four, in the objectives' own units.
    exact : bool
        False if a hypervolume was approximated.
    keep : {"all", "first"}
        How rows with equal scores were treated.
    scores : PairedScores
        Costs of all rows on validation and test.
    fronts : Fronts
        The four fronts as masks over the rows.
    reference_given : bool
        Whether the reference point was given, rather than taken from the worst values. Only then do sentences give
        percentages of a hypervolume.
    """

    hv_validation: float
    hv_optimistic: float
    hv_pessimistic: float
    hv_test: float
    reference: dict[Hashable, float]
    exact: bool
    keep: str
    scores: PairedScores
    fronts: arrays.Fronts
    reference_given: bool = False
    _group: str = field(default="", repr=False, compare=False)
    _searches: Searches | None = field(default=None, repr=False, compare=False)

    def falls(
        self, n: int | None = None, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> pd.DataFrame:
        """Compare the fall of what was chosen with that of all candidates; see :meth:`Gap.falls`."""
        if self.scores.stands_for is not None:
            raise TypeError(
                "`falls` looks at all rows, and of a table that is read in pieces only those on a front were kept; "
                "take a sample of its rows."
            )
        size = len(self.scores.index)
        if n is not None and checks.integer("n", n) > size:
            raise ValueError(f"`n` is {n:,}, but there are only {size:,} candidates.")
        rows = [self._falls_of(k, n) for k in range(len(self.objectives))]
        names = list(self.objectives.names)
        if n is None:
            rows.append([self._average_fall(np.array([average for average, _ in rows])), self.optimism])
            names.append("hypervolume")
        index = pd.Index(names, name="objective", tupleize_cols=False)
        table = pd.DataFrame(rows, index=index, columns=["average", "chosen"])
        return table.assign(winners_curse=table["chosen"] - table["average"])

    def _falls_of(self, position: int, n: int | None) -> list[float]:
        """Mean fall of all candidates in an objective, and expected fall of the best of n."""
        validation, test = self.scores.validation[:, position], self.scores.test[:, position]
        finite = np.isfinite(validation) & np.isfinite(test)
        if finite.sum() < (n or 1):
            return [math.nan, math.nan]
        costs, falls = validation[finite], (test - validation)[finite]
        return [float(falls.mean()), fall_of_best(costs, falls, n or len(costs))]

    def _average_fall(self, average: np.ndarray) -> float:
        """Fall of the validation front's hypervolume if each of its rows fell by the averages of all candidates."""
        if np.isnan(average).any():
            return math.nan
        moved = self.scores.validation[self.fronts.validation] + average
        return self.hv_validation - front_hypervolume(moved, self.scores.as_costs(self.reference)).value

    @property
    def objectives(self) -> Objectives:  # type: ignore[override]
        """Names without prefix, and directions."""
        return self.scores.objectives

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
    def _rows(self) -> pd.DataFrame:  # type: ignore[override]
        rows = np.flatnonzero(self.fronts.validation)
        front = self.scores.take(rows)
        columns: dict[str, Any] = {}
        for data, costs in (("validation", front.validation), ("test", front.test)):
            columns |= {f"{data} {name}": front.own_units(costs)[:, k] for k, name in enumerate(self.objectives)}
        named = [front.index[row] if row >= 0 else None for row in arrays.first_dominator(front.test)]
        columns |= {
            "optimistic": self.fronts.optimistic[rows],
            "pessimistic": self.fronts.pessimistic[rows],
            "dominated_by": pd.Series(named, dtype=object).to_numpy(),
            "dominates": arrays.count_dominated(front.test),
            "swaps": arrays.count_swaps(front.validation, front.test).sum(axis=1),
        }
        return pd.DataFrame(columns, index=front.index)

    @cached_property
    def order(self) -> pd.DataFrame:  # type: ignore[override]
        """Per objective: pairs of the validation front, pairs that changed order, and their share."""
        rows = np.flatnonzero(self.fronts.validation)
        swapped = arrays.count_swaps(self.scores.validation[rows], self.scores.test[rows]).sum(axis=0) // 2
        pairs = len(rows) * (len(rows) - 1) // 2
        return pd.DataFrame(
            {"pairs": pairs, "swapped": swapped, "share": swapped / pairs if pairs else 0.0},
            index=pd.Index(self.objectives.names, name="objective", tupleize_cols=False),
        )

    def printed_tables(self) -> list[PrintedTable]:
        """Falls, hypervolumes, sizes, and the validation front; of one search among others only the last."""
        is_part = self._searches is not None and bool(self._searches.within)
        return [*([] if is_part else super().printed_tables()), front_of_search(self)]

    @property
    def summary(self) -> pd.Series:
        """All numbers: the hypervolumes, the quantities derived from them, and the sizes of the fronts."""
        hypervolumes = (
            "hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap", "hv_test", "optimism",
            "leakage",
        )  # fmt: skip
        labels = ("validation_front", "optimistic", "pessimistic", "dominated", "reordered")
        numbers = {name: getattr(self, name) for name in hypervolumes} | {"n_rows": self.scores.n_rows}
        return pd.Series(numbers | {f"n_{name}": len(getattr(self, name)) for name in labels}, dtype=object)

    def in_short(self) -> list[Part]:
        """The gap, and the rows of the validation front that are dominated on test."""
        share = {"share": self.relative_gap} if self.reference_given else {}
        rows = [text.row_name(name, self.scores.index.name) for name in self.dominated]
        gap = part(f"gap.details.gap{'_share' * bool(share)}", gap=self.gap, **share)
        return [gap, dominated_by(rows, len(self.validation_front))]

    def details(self) -> list[Part]:
        """What there is to know of the front besides: its order on test, what selection costs, and what is left out."""
        size, dominated = self.in_short()
        n_front, n_rows, n_omitted = len(self.validation_front), self.scores.n_rows, self.scores.n_omitted
        best = {"best": self.hv_test, "kept": self.hv_optimistic}
        swaps = {name: int(self.order[name].sum()) for name in ("swapped", "pairs")}
        is_whole = self.scores.stands_for is None and len(self.scores.index) >= FEWEST_CANDIDATES
        return [
            part("gap.details.front", front=n_front, rows=n_rows),
            size,
            *([] if self.reference_given else [part("reference_point.details.no_share")]),
            dominated,
            part("gap.details.one_row") if n_front == 1 else part("gap.details.reordered", **swaps),
            part("gap.details.leakage", **best, digits=text.digits_apart(*best.values())),
            *(of_selection(self.falls(), shares=self.reference_given) if is_whole else []),
            *([part("gap.details.omitted", n=n_omitted)] if n_omitted else []),
            *([] if self.exact else [part("gap.details.approximate")]),
        ]

    def __repr__(self) -> str:
        how = "" if self.exact else ", approximated"
        return (
            f"<Gap {text.number(self.gap)} between optimistic {text.number(self.hv_optimistic)} and "
            f"pessimistic {text.number(self.hv_pessimistic)}; validation {text.number(self.hv_validation)}, "
            f"{len(self.validation_front)} of {self.scores.n_rows:,} rows on the validation front{how}>"
        )

    def _card(self) -> str:
        arrows = dict(zip(self.objectives, self.objectives.titles, strict=True))
        headers: dict[object, str] = {
            f"{data} {name}": f"{data} {arrows[name]}" for data in ("validation", "test") for name in arrows
        }
        caption = (
            f"Rows of the validation front on validation and test. Reference point ({point_text(self.reference)}); "
            f"rows of equal scores: keep {self.keep}."
        )
        shown = self.table.assign(dominated_by=self.table["dominated_by"].astype(object).fillna(""))
        table = text.html_table(shown, caption=caption, headers=headers)
        return text.card("Generalization of the Pareto front", [self.explain()], table)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), "gap", "validation_front"]

    @property
    def searches(self) -> pd.DataFrame:
        """The one line of this search."""
        numbers = {name: [getattr(self, name)] for name in QUANTITIES}
        dominated = ~nondominated(self.scores.test[self.fronts.validation])
        return pd.DataFrame({**numbers, COUNTS[0]: int(self.fronts.validation.sum()), COUNTS[1]: int(dominated.sum())})

    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Two missing ends: one search has no spread; see :meth:`Gap.interval`."""
        return self._repeated.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)

    def repeats(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """Give the numbers of one search as those of repetitions; see :meth:`Gap.repeats`."""
        return self._repeated.repeats(confidence_level=confidence_level, resplit_ratio=resplit_ratio)

    @property
    def _repeated(self) -> GapOfRepeats:
        """The search as the only repetition."""
        return GapOfRepeats(Grouped({0: self}, "repetition"), "repetitions")

    def bootstrap(
        self,
        predictions: pd.DataFrame,
        truth: Any = None,
        metrics: Mapping[Any, Metric] | None = None,
        *,
        n_resamples: int = 1000,
        rng: Any = 0,
    ) -> GapOfRepeats:
        """Resample the test set; see :meth:`Gap.bootstrap`."""
        if not self.reference_given:
            raise ValueError(
                "the reference point was taken from the worst values, which would change with every resample; measure "
                "the gap with a value per objective, e.g. reference={'precision': 0, 'recall': 0}."
            )
        front = replace(self.scores.take(np.flatnonzero(self.fronts.validation)), stands_for=None)
        named = {name: str(name) for name in front.objectives} if metrics is None else metrics
        draws = (
            measure_gap(scores, self.reference, keep=self.keep, reference_given=True)
            for scores in resampled(front, predictions, truth, named, n_resamples=n_resamples, rng=rng)
        )
        estimate = next(draws)
        return GapOfRepeats(Grouped(dict(enumerate(draws)), "draw"), "bootstrap", estimate, predictions.shape[1])

    def compare(self, other: Gap | None = None, *, names: tuple[str, str] | None = None) -> GapComparison:
        """Compare this method with another by the three criteria; see :meth:`Gap.compare`."""
        if other is None:
            return cast("GapComparison", ONE_METHOD)
        if not isinstance(other, GapOfSearch):
            what = f"a {type(other).__name__}"
            raise TypeError(f"`other` is {what}; the gap of one search is compared with that of another search.")
        return compare_measured(self, other, named(names, self, other))
