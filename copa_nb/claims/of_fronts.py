"""The claim ``on_front``: nothing dominates a system, in means or under any utility."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.claims.evidence import Evidence
from copa_nb.claims.kinds import ALL_DIFFERENCES, Claim, Judgment, PlannedClaim, judged
from copa_nb.comparisons.confident_front import DOMINATED, ON_FRONT, front_verdicts
from copa_nb.pareto.front import layers
from copa_nb.results.guarantee import Caveat
from copa_nb.results.sentences import part, say
from copa_nb.tables.described_frame import DescribedFrame

_MOST_NAMED = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class OnFront(Claim):
    """The system is on the Pareto front."""

    kind: ClassVar[str] = "on_front"
    about: ClassVar[str] = "the system is Pareto-optimal"
    example: ClassVar[Mapping[str, Any]] = {"on_front": "medium"}
    on_front: str = parameter("", "system", needed=True)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """All differences; none for a table without a sample."""
        return ALL_DIFFERENCES if evidence.settings.is_sample else None

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings about any objective."""
        return evidence.guarantee(alpha).warnings if evidence.settings.is_sample else ()

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(part("claims.says.on_front", system=self.on_front))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the front with confidence, or by the front of the values."""
        label = evidence.system(self.on_front, self.kind)
        if not evidence.settings.is_sample:
            return _by_values(evidence, label)
        compared = evidence.compared(alpha)
        over, verdicts = front_verdicts(compared.better, compared.equal)
        i = compared.labels.index(label)
        dominators = [text.label(compared.labels[j]) for j in np.flatnonzero(over[:, i])]
        if verdicts[i] == DOMINATED:
            by = dominators[:_MOST_NAMED]
            return judged(False, True, part("claims.found.dominated", by=by, n=len(by)))
        on_front = verdicts[i] == ON_FRONT
        return judged(on_front, False, part(f"claims.found.{'on_front' if on_front else 'front_open'}"))


def _by_values(evidence: Evidence, label: Hashable) -> Judgment:
    """Judge by the front of a table that is taken as it is."""
    policy, missing = evidence.settings.nan_policy, evidence.missing_of(label)
    numbers = layers(DescribedFrame.of(evidence.means, evidence.objectives, nan_policy=policy), 1)
    layer = numbers.iloc[evidence.systems.index(label)]
    if missing and (policy == "omit" or pd.isna(layer)):
        evidence.refuse_empty(label, missing)
    if pd.isna(layer):
        return judged(False, False, part("claims.found.front_unknown"))
    on_front = bool(layer == 1)
    return judged(on_front, not on_front, part(f"claims.found.{'no_row_dominates' if on_front else 'row_dominates'}"))


@dataclass(frozen=True, kw_only=True, eq=False)
class OnFrontUnderAnyUtility(PlannedClaim):
    """No other system dominates this one under all utilities."""

    kind: ClassVar[str] = "on_front"
    about: ClassVar[str] = "the system is significantly on the GSD front of the items"
    example: ClassVar[Mapping[str, Any]] = {"on_front": "medium", "under": "any_utility"}
    on_front: str = parameter("", "system", needed=True)
    under: str = parameter("any_utility", "what dominance means", choices=("any_utility",))
    ordinal: list[str] = parameter([], "objectives of which only the order counts")

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether it is said what dominance means."""
        return "under" in given

    def says(self) -> str:
        """Return the claim as a sentence."""
        if not self.ordinal:
            return say(part("claims.says.on_front_under_any_utility", system=self.on_front))
        ordinal = list(map(text.spoken, self.ordinal))
        return say(part("claims.says.on_front_under_any_order", system=self.on_front, ordinal=ordinal))

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A test of its own."""
        return "stochastic dominance", self.on_front, tuple(self.ordinal), self.planned

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say why it is not estimated."""
        return say(part("claims.settle.not_estimated"))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the static test."""
        from copa_nb.stochastic_dominance.gsd_front import gsd_front

        label = evidence.system(self.on_front, self.kind)
        front = evidence.once(
            ("gsd", tuple(self.ordinal)),
            lambda: gsd_front(evidence.described("system", "item"), ordinal=self.ordinal),
        )
        test = evidence.once(
            ("test of gsd", label, tuple(self.ordinal)),
            lambda: front.test(label, n_resamples=evidence.settings.n_resamples),
        )
        level = alpha if self.planned else alpha / len(front.systems)
        return judged(test.pvalue <= level, False, part("claims.found.static_test", pvalue=test.pvalue))
