"""The claim ``gap``: how much of a front on validation scores is lost on test scores is at most a bound."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.claims.evidence import Evidence
from copa_nb.claims.kinds import Claim, Judgment, PlannedClaim, judged
from copa_nb.results.sentences import Part, part, say

if TYPE_CHECKING:
    from copa_nb.generalization.result import Gap

# Verbs are imported where they are called, so that a file without such claims is checked sooner.
OVERTUNING = "overtuning"


@dataclass(frozen=True, kw_only=True, eq=False)
class Bounded(Claim):
    """What the forms of this claim share: a bound, and of which searches."""

    kind: ClassVar[str] = "gap"
    gap: float = parameter(0.05, "bound, in the units of the quantity", needed=True, least=0)
    of: str = parameter("", "system whose searches count; empty: all rows")
    quantity: str = parameter("gap", "what is bounded", choices=("gap", "relative_gap", "optimism", OVERTUNING))

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(self.said())

    def said(self) -> Part:
        """The claim with its numbers."""
        found = {"quantity": text.spoken(self.quantity), "bound": self.gap, "system": self.of}
        return part(f"claims.says.gap{'_of' * bool(self.of)}", **found)

    def rows(self, evidence: Evidence) -> Any:
        """Return the table of the searches that the claim is about: of one system, or of all rows."""
        by = evidence.settings.system
        if not self.of or by is None:
            if self.of:
                raise ValueError(f"`of` names {self.of!r}, but `system` does not say which column names systems.")
            return evidence.table
        rows = evidence.table[evidence.table[by].astype(str) == self.of]
        if rows.empty:
            evidence.system(self.of, "of")
        return rows

    def measured(self, evidence: Evidence) -> Gap:
        """Return the gap of these searches."""
        from copa_nb.generalization.gap import gap

        return evidence.once(
            ("gap", self.of),
            lambda: gap(evidence.described(frame=self.rows(evidence)).saying(repeat=evidence.settings.repeat)),
        )

    def bounded(self, interval: tuple[float, float], value: float, what: str) -> Judgment:
        """Judge by an interval, or by the value where there is none; `what` names the phrase for what is bounded."""
        low, high = (value, value) if np.isnan(interval[0]) else interval
        found = {"what": part(f"claims.phrases.{what}"), "value": value, "low": low, "high": high}
        said = part(f"claims.found.bounded{'_between' * (low != high)}", **found)
        return judged(high <= self.gap, low > self.gap, said)


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallGap(Bounded, PlannedClaim):
    """The approximation gap of searches is at most a bound."""

    about: ClassVar[str] = "the mean approximation gap, or one of its parts, is at most a bound"
    example: ClassVar[Mapping[str, Any]] = {"gap": 0.05, "of": "random search"}

    def shared_test(self, evidence: Evidence) -> Hashable:
        """The interval of this quantity, where searches are repeated."""
        return None if evidence.settings.repeat is None else ("gap", self.of, self.quantity)

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the interval over repetitions, or by the gap of a single search."""
        from copa_nb.generalization.repeats import GapOfRepeats

        found = self.measured(evidence)
        if not isinstance(found, GapOfRepeats):
            return self.bounded((np.nan, np.nan), float(getattr(found, self.quantity)), "it")
        # Any system might have been named because its gap looked small.
        n_systems = 1 if self.planned or not self.of else len(evidence.table[evidence.settings.system].unique())
        interval = found.interval(self.quantity, confidence_level=1 - alpha / n_systems)
        return self.bounded(interval, float(found.table[self.quantity].mean()), "its_mean")


@dataclass(frozen=True, kw_only=True, eq=False)
class SmallOvertuning(Bounded):
    """Few searches end with an incumbent that is worse on test than an earlier one."""

    about: ClassVar[str] = "the largest overtuning at the end of the searches is at most a bound"
    example: ClassVar[Mapping[str, Any]] = {"gap": 0.05, "quantity": OVERTUNING}

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether this is the quantity."""
        return given.get("quantity") == OVERTUNING

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(part("claims.says.at_the_end", claim=self.said()))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the worst of the searches at hand."""
        found = evidence.once((OVERTUNING, self.of), lambda: self.measured(evidence).overtuning())
        return self.bounded((np.nan, np.nan), float(found.final["overtuning"].max()), "the_largest")
