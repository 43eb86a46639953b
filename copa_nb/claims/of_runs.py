"""Claims about runs, suites and searches: fronts improved, stochastic dominance, gaps, overtuning, depth."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from copa_nb import text
from copa_nb.analyses.base import parameter
from copa_nb.checks import listed, nearest
from copa_nb.claims.evidence import Evidence
from copa_nb.claims.kinds import Claim, Judgment, PlannedClaim, judged, pair
from copa_nb.results.guarantee import Caveat

# Verbs are imported by the kinds that call them, so that a file without such claims is checked sooner.
if TYPE_CHECKING:
    from copa_nb.significance.result import HypervolumeTest


@dataclass(frozen=True, kw_only=True, eq=False)
class Improves(PlannedClaim):
    """The front of a system's runs is better than that of another system's."""

    kind: ClassVar[str] = "improves"
    about: ClassVar[str] = "the runs of the first system have a larger hypervolume than those of the second"
    improves: list[str] = parameter([], "two systems, the new one first", needed=True, example=["new", "baseline"])

    @property
    def named(self) -> tuple[str, str]:
        """The two systems."""
        return pair(self.kind, self.improves)

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one improves on the other."""
        return (self.kind, *sorted(self.named))

    def check_values(self) -> None:
        """Refuse anything but two systems."""
        assert self.named

    def says(self) -> str:
        """Return the claim as a sentence."""
        new, baseline = self.named
        return f"the front of {new} improves on that of {baseline}"

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A test of its own."""
        return (self.kind, *sorted(self.named), self.planned)

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the permutation test on the hypervolume."""
        new, baseline = (evidence.system(name, self.kind) for name in self.named)
        test = self._test(evidence, new, baseline)
        runs = test.per_run
        significant = runs.pvalue <= self._level(evidence, alpha)
        difference = text.number(runs.difference, 3)
        found = f"mean hypervolumes of single runs differ by {difference}, {text.pvalue(runs.pvalue)}"
        return judged(significant and runs.difference > 0, significant and runs.difference < 0, found)

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings of the test."""
        new, baseline = (evidence.system(name, self.kind) for name in self.named)
        return self._test(evidence, new, baseline).guarantee.warnings

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say how many more runs would settle the claim if the measured difference is the true one."""
        from copa_nb.significance.runs_needed import runs_needed

        first, second = (evidence.system(name, self.kind) for name in self.named)
        ahead = self._test(evidence, first, second).per_run.difference > 0
        new, baseline = (first, second) if ahead else (second, first)
        test = self._test(evidence, new, baseline)
        if not test.per_run.mean_baseline > 0 or not test.per_run.difference > 0:
            return ""
        needed = runs_needed(
            evidence.table, objectives=evidence.objectives, system=evidence.settings.system, new=new, baseline=baseline,
            effect=test.per_run.difference / test.per_run.mean_baseline, alpha=self._level(evidence, alpha),
            n_simulations=200, n_resamples=1000, progress=False, rng=evidence.settings.seed,
        )  # fmt: skip
        if needed.n_runs is None:
            return needed.reason.rstrip(".")
        more = max(needed.n_runs - min(test.n_new, test.n_baseline), 1)
        return (
            f"About {more} more runs of each system would settle this with a probability of "
            f"{text.percent(needed.power)} if the true difference is the one measured"
        )

    def _level(self, evidence: Evidence, alpha: float) -> float:
        n = len(evidence.systems)
        return alpha if self.planned else alpha / (n * (n - 1) / 2)

    def _test(self, evidence: Evidence, new: Hashable, baseline: Hashable) -> HypervolumeTest:
        from copa_nb.significance.hv_test import hv_test

        return evidence.once(
            (self.kind, new, baseline),
            lambda: evidence.asked(hv_test, "system", "repeat")(new=new, baseline=baseline, rng=evidence.settings.seed),
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Undominated(PlannedClaim):
    """No other system dominates this one under all utilities."""

    kind: ClassVar[str] = "undominated"
    about: ClassVar[str] = "the system is significantly on the GSD front of the items"
    undominated: str = parameter("", "system", needed=True)
    ordinal: list[str] = parameter([], "objectives of which only the order counts")

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"no other system dominates {self.undominated} stochastically"

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A test of its own."""
        return (self.kind, self.undominated, tuple(self.ordinal), self.planned)

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say why it is not estimated."""
        return "How many more items would settle this is not estimated, since the test takes too long for many tables"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the static test."""
        from copa_nb.stochastic_dominance.gsd_front import gsd_front

        label = evidence.system(self.undominated, self.kind)
        front = evidence.once(
            ("gsd", tuple(self.ordinal)),
            lambda: evidence.asked(gsd_front, "system", "item")(ordinal=self.ordinal, progress=False),
        )
        test = evidence.once(
            (self.kind, label, tuple(self.ordinal)),
            lambda: front.test(label, n_resamples=evidence.settings.n_resamples, progress=False),
        )
        level = alpha if self.planned else alpha / len(front.systems)
        return judged(test.pvalue <= level, False, f"the static test has {text.pvalue(test.pvalue)}")


# ------------------------------------------------------------------------------------------------------------ searches


@dataclass(frozen=True, kw_only=True, eq=False)
class Bounded(Claim):
    """A claim that a quantity of searches is at most a bound, where validation and test scores are columns."""

    at_most: float = parameter(0.05, "bound, in the units of the quantity", least=0)
    validation: str = parameter("val_", "prefix of the columns of validation scores")
    test: str = parameter("test_", "prefix of the columns of test scores")

    def rows(self, evidence: Evidence, name: str) -> Any:
        """Return the table of the searches that the claim is about: of one system, or of all rows."""
        by = evidence.settings.system
        if not name or by is None:
            if name:
                raise ValueError(f"`{self.kind}` names {name!r}, but `system` does not say which column names systems.")
            return evidence.table
        rows = evidence.table[evidence.table[by].astype(str) == name]
        if rows.empty:
            evidence.system(name, self.kind)
        return rows

    def bounded(self, interval: tuple[float, float], value: float, what: str) -> Judgment:
        """Judge by an interval, or by the value where there is none."""
        low, high = (value, value) if np.isnan(interval[0]) else interval
        of = "" if low == high else f", between {text.number(low, 3)} and {text.number(high, 3)}"
        return judged(high <= self.at_most, low > self.at_most, f"{what} is {text.number(value, 3)}{of}")


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallGap(Bounded, PlannedClaim):
    """The approximation gap of searches is at most a bound."""

    kind: ClassVar[str] = "gap"
    about: ClassVar[str] = "the mean approximation gap, or one of its parts, is at most a bound"
    gap: str = parameter("", "system whose searches count; empty: all rows")
    quantity: str = parameter("gap", "quantity", choices=("gap", "relative_gap", "overestimation"))

    def says(self) -> str:
        """Return the claim as a sentence."""
        of = f" of {self.gap}" if self.gap else ""
        return f"the {text.spoken(self.quantity)}{of} is at most {text.number(self.at_most)}"

    def shared_test(self, evidence: Evidence) -> Hashable:
        """The interval of this quantity, where searches are repeated."""
        return None if evidence.settings.repeat is None else (self.kind, self.gap, self.quantity)

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the interval over repetitions, or by the gap of a single search."""
        from copa_nb.generalization.gap import gap

        found = evidence.once(
            (self.kind, self.gap, self.validation, self.test),
            lambda: evidence.asked(gap, frame=self.rows(evidence, self.gap))(
                validation=self.validation, test=self.test, repeat=evidence.settings.repeat
            ),
        )
        if evidence.settings.repeat is None:
            return self.bounded((np.nan, np.nan), float(getattr(found, self.quantity)), "it")
        # Any system might have been named because its gap looked small.
        n_systems = 1 if self.planned or not self.gap else len(evidence.table[evidence.settings.system].unique())
        interval = found.interval(self.quantity, confidence_level=1 - alpha / n_systems)
        return self.bounded(interval, float(found.table[self.quantity].mean()), "its mean")


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallOvertuning(Bounded):
    """Few searches end with an incumbent that is worse on test than an earlier one."""

    kind: ClassVar[str] = "overtuning"
    about: ClassVar[str] = "the largest overtuning at the end of the searches is at most a bound"
    overtuning: str = parameter("", "system whose searches count; empty: all rows")
    order: str = parameter("", "column of the order of evaluations; empty: that of the rows")

    def says(self) -> str:
        """Return the claim as a sentence."""
        of = f" of {self.overtuning}" if self.overtuning else ""
        return f"the overtuning{of} is at most {text.number(self.at_most)} at the end"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the worst of the searches at hand."""
        from copa_nb.generalization.gap import gap

        found = evidence.once(
            (self.kind, self.overtuning, self.order, self.validation, self.test),
            lambda: evidence.asked(gap, frame=self.rows(evidence, self.overtuning))(
                validation=self.validation, test=self.test, order=self.order or None,
                repeat=evidence.settings.repeat,
            ).overtuning(),
        )  # fmt: skip
        return self.bounded((np.nan, np.nan), float(found.final["overtuning"].max()), "the largest")


@dataclass(frozen=True, kw_only=True, eq=False)
class Deep(Claim):
    """A problem is typical of a suite: its order has at least some depth."""

    kind: ClassVar[str] = "depth"
    about: ClassVar[str] = "the depth of an item's order among those of all items is at least a bound"
    depth: str = parameter("", "item", needed=True)
    at_least: float = parameter(0.0, "bound", least=0)

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"the order of {self.depth} has a depth of at least {text.number(self.at_least)}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the depth in the suite as it is."""
        from copa_nb.partial_orders.posets import posets

        depths = evidence.once(
            self.kind, lambda: evidence.asked(posets, "system", "item")().depth(progress=False).depth
        )
        named = {text.label(label): value for label, value in depths.items()}
        if self.depth not in named:
            raise ValueError(
                f"`depth` names {self.depth!r}, which is not an item; items are {listed(named)}."
                f"{nearest(self.depth, named)}"
            )
        value = float(named[self.depth])
        return judged(value >= self.at_least, value < self.at_least, f"its depth is {text.number(value, 3)}")
