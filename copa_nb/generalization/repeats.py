"""The gap of several repetitions (splits, seeds) or resamples of a test set, and its precision."""

from __future__ import annotations

import math
from collections.abc import Hashable
from dataclasses import dataclass, field
from functools import cached_property
from typing import cast

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.generalization.answers import FEWEST_CANDIDATES, of_selection
from copa_nb.generalization.arrays import fronts as arrays
from copa_nb.generalization.arrays import intervals
from copa_nb.generalization.comparison import RepeatedComparison, compare_repeated
from copa_nb.generalization.result import COUNTS, ONE_METHOD, QUANTITIES, Gap, named, note_of_explorer
from copa_nb.generalization.searches import Searches
from copa_nb.generalization.volumes import volumes_on_test
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.note import Note
from copa_nb.results.offered import Offered
from copa_nb.results.result import Grouped
from copa_nb.results.sentences import Part, amount, part
from copa_nb.tables.objectives import Objectives

# Those that only shrink to 0: a mean of few repetitions has a long upper tail.
_SKEWED = ("gap", "relative_gap")
# From this many repetitions on, intervals of a mean keep the level that simulations showed.
_ENOUGH = 5


@dataclass(frozen=True, repr=False, eq=False)
class GapOfRepeats(Gap):
    """Gaps of several repetitions (splits, seeds, or resamples of the test set), with their distribution.

    Parameters
    ----------
    gaps : mapping of repetition to Gap
        One per repetition, all under one reference point.
    kind : {"repetitions", "bootstrap"}
        Whether the repetitions are runs of their own (splits, seeds), or resamples of one test set.
    estimate : Gap, optional
        For "bootstrap": the gap on the test set as it is.
    n_instances : int, optional
        For "bootstrap": size of the test set.
    """

    gaps: Grouped[Gap]
    kind: str
    estimate: Gap | None = None
    n_instances: int | None = None
    _group: str = field(default="", repr=False, compare=False)
    _searches: Searches | None = field(default=None, repr=False, compare=False)

    # `explore` is answered with a note.
    _internals = frozenset(
        (
            "bootstrap", "details", "explore", "first_search", "in_order", "in_short", "n_instances", "searches",
            "share_with_gap",
        )
    )  # fmt: skip

    plot = Offered()

    @cached_property
    def table(self) -> pd.DataFrame:
        """One line per repetition or draw, with the columns of :attr:`Gap.searches`."""
        lines = pd.concat([one.searches for one in self.gaps.values()])
        return lines.set_axis(self.gaps.collect("gap").index)

    @property
    def first_search(self) -> Gap:
        """The gap of the first repetition; of resamples, that of the search."""
        return next(iter(self.gaps.values())) if self.estimate is None else self.estimate

    @property
    def searches(self) -> pd.DataFrame:
        """One line for each repetition; of resamples of a test set, that of the search."""
        return self.table.copy() if self.estimate is None else self.estimate.searches

    def explore(self) -> Note:
        """Say which gap has an explorer; see :meth:`Gap.explore`."""
        if self.estimate is not None:
            return Note("A slider follows a search, of which resamples of a test set have none; explore gap.estimate.")
        return note_of_explorer(f"gap.gaps[{next(iter(self.gaps))!r}]")

    def compare(self, other: Gap | None = None, *, names: tuple[str, str] | None = None) -> RepeatedComparison:
        """Compare this method with another in every repetition that both have; see :meth:`Gap.compare`."""
        if other is None:
            return cast("RepeatedComparison", ONE_METHOD)
        if not isinstance(other, GapOfRepeats):
            what = f"a {type(other).__name__}"
            raise TypeError(f"`other` is {what}; the gap of repetitions is compared with that of other repetitions.")
        if self.kind != other.kind:
            raise ValueError(f"this holds {self.kind}, `other` {other.kind}; both must be of the same kind.")
        return compare_repeated(self.gaps, other.gaps, named(names, self, other), self.kind)

    def _where_one_is(self) -> str:
        if self.estimate is not None:
            return "see gap.estimate"
        return f"see gap.gaps[{next(iter(self.gaps))!r}]"

    @property
    def reference(self) -> dict[Hashable, float]:  # type: ignore[override]
        """Reference point of all repetitions, in the objectives' own units."""
        return next(iter(self.gaps.values())).reference

    @property
    def objectives(self) -> Objectives:  # type: ignore[override]
        """Names without prefix, and directions."""
        return next(iter(self.gaps.values())).objectives

    @property
    def share_with_gap(self) -> float:
        """Share of the repetitions or draws in which a row of the validation front is dominated on test."""
        return float((self.table["n_dominated"] > 0).mean())

    def interval(
        self, quantity: str = "gap", *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> tuple[float, float]:
        """Confidence interval of a quantity; see :meth:`Gap.interval`."""
        checks.one_of("quantity", quantity, list(self.table.columns))
        confidence_level = checks.fraction("confidence_level", confidence_level)
        values = self.table[quantity].to_numpy(dtype=float)
        if self.estimate is not None:
            return self._bootstrap_interval(self.estimate, quantity, values, confidence_level)
        if not math.isfinite(resplit_ratio) or resplit_ratio < 0:
            raise ValueError(f"`resplit_ratio` is {resplit_ratio!r}; it must be a finite number of at least 0.")
        if len(values) < 2:
            return math.nan, math.nan
        low, high = intervals.interval_of_mean(
            values, 1 / len(values) + resplit_ratio, confidence_level=confidence_level, skewed=quantity in _SKEWED
        )
        if quantity in _SKEWED:
            # A gap is never more than the optimistic hypervolume.
            limit = 1.0 if quantity == "relative_gap" else float(self.table["hv_optimistic"].max())
            high = max(min(high, limit), float(values.mean()))
        return low if quantity == "optimism" else max(low, 0.0), high

    def _bootstrap_interval(
        self, estimate: Gap, quantity: str, values: np.ndarray, confidence_level: float
    ) -> tuple[float, float]:
        if quantity in COUNTS:
            low, high = np.quantile(values, [(1 - confidence_level) / 2, (1 + confidence_level) / 2])
            return float(low), float(high)
        if quantity == "hv_validation":
            return estimate.hv_validation, estimate.hv_validation
        draws = {name: self.table[name].to_numpy(dtype=float) for name in intervals.QUANTITIES}
        measured = {name: getattr(estimate, name) for name in intervals.QUANTITIES}
        wanted = "hv_optimistic" if quantity == "optimism" else quantity
        lower_end = intervals.LOWER_END_OF.get(wanted)
        moved, step = (None, 1.0) if lower_end is None else self._moved(lower_end)
        low, high = intervals.bootstrap_interval(
            wanted, measured, draws, moved, step, confidence_level=confidence_level
        )
        if quantity == "optimism":
            # The validation hypervolume does not depend on the test set.
            return estimate.hv_validation - high, estimate.hv_validation - low
        return low, high

    def _moved(self, quantity: str) -> tuple[np.ndarray, float]:
        """The quantity for the draws' scores moved away from those of the test set, and by which factor."""
        if quantity not in self._moved_draws:
            if self.estimate is None or self.n_instances is None:
                raise ValueError("`n_instances` is missing; a bootstrap interval requires the size of the test set.")
            scores, step = self.estimate.scores, intervals.step_of(quantity, self.n_instances)
            point = scores.as_costs(self.reference)
            values = []
            for one in self.gaps.values():
                test = intervals.moved_away(scores.test, one.scores.test, step)
                low, high = volumes_on_test(test, *arrays.split_front(test, keep=one.keep), point)
                values.append(high.value - (low.value if quantity == "gap" else 0.0))
            self._moved_draws[quantity] = np.array(values), step
        return self._moved_draws[quantity]

    @cached_property
    def _moved_draws(self) -> dict[str, tuple[np.ndarray, float]]:
        return {}

    def falls(
        self, n: int | None = None, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0
    ) -> pd.DataFrame:
        """Average the falls over the repetitions; see :meth:`Gap.falls`."""
        checks.fraction("confidence_level", confidence_level)
        if self.estimate is not None:
            raise ValueError(
                "resamples of a test set do not repeat the choice; use the `estimate`, e.g. result.estimate.falls()."
            )
        each = [gap.falls(n) for gap in self.gaps.values()]
        table = sum(each[1:], each[0]) / len(each)
        ends = [
            intervals.interval_of_mean(
                np.array([one["winners_curse"].iloc[row] for one in each]), 1 / len(each) + resplit_ratio,
                confidence_level=confidence_level, skewed=False,
            )
            if len(each) > 1 else (math.nan, math.nan)
            for row in range(len(table))
        ]  # fmt: skip
        return table.assign(low=[low for low, _ in ends], high=[high for _, high in ends])

    def repeats(self, *, confidence_level: float = 0.95, resplit_ratio: float = 0.0) -> pd.DataFrame:
        """One line per quantity, over the repetitions or draws; see :meth:`Gap.repeats`."""
        lines = {}
        for quantity in QUANTITIES:
            values = self.table[quantity].to_numpy(dtype=float)
            low, high = self.interval(quantity, confidence_level=confidence_level, resplit_ratio=resplit_ratio)
            spread = float(values.std(ddof=1)) if len(values) > 1 else math.nan
            lines[quantity] = [values.mean(), spread, low, high, values.min(), values.max()]
        return pd.DataFrame.from_dict(lines, orient="index", columns=["mean", "sd", "low", "high", "min", "max"])

    @property
    def summary(self) -> pd.DataFrame:
        """:meth:`repeats` with a 95% interval."""
        return self.repeats()

    def in_short(self) -> list[Part]:
        """The gap with its interval, and how often a row of the validation front is dominated on test."""
        if len(self.gaps) == 1 and self.estimate is None:
            return self.first_search.in_short()
        low, high = self.interval()
        ends = {} if math.isnan(low) else {"low": low, "high": high, "digits": text.digits_apart(low, high)}
        with_interval, n, share = "_interval" * bool(ends), len(self.gaps), amount(self.share_with_gap, len(self.gaps))
        if self.estimate is not None:
            return [
                part(f"gap.details.gap{with_interval}", gap=self.estimate.gap, **ends),
                part("gap.details.dominated_in_resamples", share=share),
            ]
        return [
            part(f"gap.details.gap_mean{with_interval}", gap=float(self.table["gap"].mean()), n=n, **ends),
            part("gap.details.dominated_in_repetitions", share=share),
        ]

    def details(self) -> list[Part]:
        """The gap, and what selection costs on average; of a single repetition, what there is to know of it."""
        if len(self.gaps) == 1 and self.estimate is None:
            return self.first_search.details()
        is_whole = all(
            gap.scores.n_rows >= FEWEST_CANDIDATES and gap.scores.stands_for is None for gap in self.gaps.values()
        )
        falls = is_whole and self.estimate is None
        return [*self.in_short(), *(of_selection(self.falls(), shares=False, splits=len(self.gaps)) if falls else [])]

    @property
    def guarantee(self) -> Guarantee:
        """What an interval of :meth:`interval` at 95% guarantees."""
        at_least = text.percent(intervals.AT_LEAST)
        if self.estimate is not None:
            return Guarantee(
                estimates="quantities of the front that was chosen, on further instances of the test set",
                sampled="independent test instances",
                holds="each interval covers its quantity",
                confidence_level=0.95,
                jointly=False,
                basis="asymptotic",
                method=f"bootstrap; at least {at_least} coverage in simulations",
            )
        if len(self.gaps) < 2:
            return Guarantee(
                estimates="the quantities of one search",
                sampled="",
                holds="",
                confidence_level=None,
                jointly=False,
                basis="none",
                method="a single repetition has no spread",
            )
        n = len(self.gaps)
        few = Caveat("few_units", f"{n} repetitions are few: intervals at 95% covered as little as 82% of three.")
        return Guarantee(
            estimates="means over repetitions",
            sampled="independent repetitions",
            holds="each interval covers its mean",
            confidence_level=0.95,
            jointly=False,
            basis="asymptotic",
            method="t, of gaps on the logarithmic scale"
            + f"; at least {at_least} coverage in simulations of independent repetitions" * (n >= _ENOUGH),
            warnings=(few,) if n < _ENOUGH else (),
        )

    def __repr__(self) -> str:
        interval = self._interval_text()
        center = f"{'mean ' if self.estimate is None else ''}gap {self._center_text()}"
        return f"<Gap over {len(self.gaps):,} {self.kind}: {center}{f', {interval}' if interval else ''}>"

    def _center_text(self) -> str:
        return text.number(self.table["gap"].mean() if self.estimate is None else self.estimate.gap, 3)

    def _card(self) -> str:
        caption = "Mean, standard deviation, 95% confidence interval and range of the values."
        return text.card(
            "Approximation gap, repeated", [self.explain()], text.html_table(self.summary, caption=caption)
        )

    def _interval_text(self) -> str:
        low, high = self.interval()
        return "" if math.isnan(low) else "95% interval " + " to ".join(text.told_apart(low, high))
