"""The claims ``better`` and ``not_worse``: about two systems."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.claims.evidence import Compared, Evidence
from copa_nb.claims.kinds import ALL_DIFFERENCES, Judgment, PlannedClaim, judged
from copa_nb.comparisons.compare import POLICIES, compare
from copa_nb.results.guarantee import Caveat
from copa_nb.results.sentences import Part, part, say

# The verb on hypervolumes is imported where it is called, so that a file without such claims is checked sooner.
if TYPE_CHECKING:
    from copa_nb.significance.result import HypervolumeTest

DOMINANCE, HYPERVOLUME = "dominance", "hypervolume"


@dataclass(frozen=True, kw_only=True, eq=False)
class OfTwo(PlannedClaim):
    """A claim about two systems."""

    @property
    def named(self) -> tuple[str, str]:
        """The two systems."""
        value = getattr(self, self.kind)
        if len(value) != 2 or str(value[0]) == str(value[1]):
            raise ValueError(f"`{self.kind}` is {value!r}; it must be two different systems, e.g. [ours, baseline].")
        first, second = map(str, value)
        return first, second

    def check_values(self) -> None:
        """Refuse anything but two systems."""
        assert self.named

    def labels(self, evidence: Evidence) -> tuple[Hashable, Hashable]:
        """Return the labels of the two systems."""
        first, second = self.named
        return evidence.system(first, self.kind), evidence.system(second, self.kind)


@dataclass(frozen=True, kw_only=True, eq=False)
class Paired(OfTwo):
    """A claim about two systems: alone if they were named before the data were seen, otherwise among all pairs."""

    def shared_test(self, evidence: Evidence) -> Hashable:
        """The differences of the two, or all differences; none for a table without a sample."""
        if not evidence.settings.is_sample:
            return None
        return ("differences", *sorted(self.named)) if self.planned else ALL_DIFFERENCES

    def compared(self, evidence: Evidence, alpha: float) -> Compared:
        """Return the comparison that the claim rests on."""
        return evidence.compared(alpha, self.labels(evidence) if self.planned else ())

    def asked(self, evidence: Evidence) -> list[int]:
        """Return the positions of the objectives that the claim is about."""
        return list(range(len(evidence.objectives.names)))

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings about these objectives."""
        if not evidence.settings.is_sample:
            return ()
        only = self.labels(evidence) if self.planned else ()
        stated = evidence.guarantee(alpha, only, equivalence=isinstance(self, NotWorse))
        return stated.about(evidence.objectives.names[k] for k in self.asked(evidence)).warnings

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say how many more items would settle the claim; of runs and incomplete tables, by simulated tables."""
        margin: Mapping[Hashable, float] | None = getattr(self, "margin", None)
        settings, n = evidence.settings, len(evidence.systems)
        if settings.item is None or settings.nan_policy not in POLICIES:
            return super().settle(evidence, alpha)
        new, baseline = self.labels(evidence)
        level = alpha if self.planned else alpha / (n * (n - 1) / 2)
        table = evidence.described("system", "item", frame=evidence.rows_of((new, baseline)))
        table = table.saying(cluster=settings.cluster, repeat=settings.repeat)
        found = compare(table, new, baseline, alpha=level, margin=margin, bounds=dict(settings.bounds) or None)
        if found.at_worst:
            return super().settle(evidence, alpha)
        asked = [evidence.objectives.names[k] for k in self.asked(evidence)]
        return found.needed(rng=settings.seed).hint_about(asked).rstrip(".")

    def values(self, evidence: Evidence, objectives: list[Hashable]) -> Part:
        """The means of the two systems."""
        means = evidence.means.loc[list(self.labels(evidence)), objectives]
        values = []
        for name in objectives:
            first, second = map(float, means[name])
            values.append(part("claims.phrases.against", name=text.spoken(name), first=first, second=second,
                               digits=text.digits_apart(first, second)))  # fmt: skip
        return part("claims.found.values", values=values)


@dataclass(frozen=True, kw_only=True, eq=False)
class Better(Paired):
    """A system is better than another one in an objective, or in all of them."""

    kind: ClassVar[str] = "better"
    about: ClassVar[str] = "the first system is better than the second in all objectives, or in those named"
    example: ClassVar[Mapping[str, Any]] = {"better": ["ours", "baseline"], "in": ["accuracy"]}
    better: list[str] = parameter([], "two systems", needed=True, example=["ours", "baseline"])
    in_: list[str] = parameter([], "objectives in which it is better; empty: all", example=["accuracy"])

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one is better in an objective."""
        return (*sorted(self.named), tuple(sorted(self.in_)))

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        if not self.in_:
            return say(part("claims.says.better_in_all", first=first, second=second))
        return say(part("claims.says.better", first=first, second=second, objectives=list(map(text.spoken, self.in_))))

    def asked(self, evidence: Evidence) -> list[int]:
        """Those that are named, or all."""
        return [evidence.objective(name, "in") for name in self.in_] or super().asked(evidence)

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the significant differences, or by the values."""
        names, asked = list(evidence.objectives.names), self.asked(evidence)
        ahead, behind, equal = _differences(self, evidence, alpha)
        holds, fails = ahead[asked].all(), (behind | equal)[asked].any()
        return judged(holds, fails, self.values(evidence, [names[k] for k in asked]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Dominates(Paired):
    """A system is at least as good as another one everywhere, and better somewhere."""

    kind: ClassVar[str] = "better"
    about: ClassVar[str] = "the first system dominates the second: better in some objective, and worse in none"
    example: ClassVar[Mapping[str, Any]] = {"better": ["ours", "baseline"], "in": DOMINANCE}
    better: list[str] = parameter([], "two systems", needed=True, example=["ours", "baseline"])
    in_: str = parameter(DOMINANCE, "what it is better in", choices=(DOMINANCE,))

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether this is what it is better in."""
        return given.get("in") == DOMINANCE

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one dominates the other."""
        return tuple(sorted(self.named))

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        return say(part("claims.says.dominates", first=first, second=second))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the significant differences, or by the values."""
        ahead, behind, equal = _differences(self, evidence, alpha)
        holds = (ahead | equal).all() and ahead.any()
        return judged(holds, behind.any() or equal.all(), self.values(evidence, list(evidence.objectives.names)))


@dataclass(frozen=True, kw_only=True, eq=False)
class LargerHypervolume(OfTwo):
    """The front of a system's runs is better than that of another system's."""

    kind: ClassVar[str] = "better"
    about: ClassVar[str] = "the runs of the first system have a larger hypervolume than those of the second"
    example: ClassVar[Mapping[str, Any]] = {"better": ["ours", "baseline"], "in": HYPERVOLUME}
    better: list[str] = parameter([], "two systems, the new one first", needed=True, example=["ours", "baseline"])
    in_: str = parameter(HYPERVOLUME, "what it is better in", choices=(HYPERVOLUME,))

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether this is what it is better in."""
        return given.get("in") == HYPERVOLUME

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one is better than the other."""
        return tuple(sorted(self.named))

    def says(self) -> str:
        """Return the claim as a sentence."""
        new, baseline = self.named
        return say(part("claims.says.hypervolume", first=new, second=baseline))

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A test of its own."""
        return HYPERVOLUME, *sorted(self.named), self.planned

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the permutation test on the hypervolume."""
        new, baseline = self.labels(evidence)
        test = self._test(evidence, new, baseline)
        runs = test.per_run
        significant = runs.pvalue <= self._level(evidence, alpha)
        found = part("claims.found.hypervolumes", difference=runs.difference, pvalue=runs.pvalue)
        return judged(significant and runs.difference > 0, significant and runs.difference < 0, found)

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings of the test."""
        new, baseline = self.labels(evidence)
        return self._test(evidence, new, baseline).guarantee.warnings

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say how many more runs would settle the claim if the measured difference is the true one."""
        first, second = self.labels(evidence)
        ahead = self._test(evidence, first, second).per_run.difference > 0
        new, baseline = (first, second) if ahead else (second, first)
        test = self._test(evidence, new, baseline)
        if not test.per_run.mean_baseline > 0 or not test.per_run.difference > 0:
            return ""
        needed = test.needed(
            effect=test.per_run.difference / test.per_run.mean_baseline, alpha=self._level(evidence, alpha),
            n_simulations=200, n_resamples=1000, rng=evidence.settings.seed,
        )  # fmt: skip
        if needed.n_runs is None:
            return needed.reason.rstrip(".")
        more = max(needed.n_runs - min(test.n_new, test.n_baseline), 1)
        return say(part("claims.settle.runs", more=more, power=needed.power))

    def _level(self, evidence: Evidence, alpha: float) -> float:
        n = len(evidence.systems)
        return alpha if self.planned else alpha / (n * (n - 1) / 2)

    def _test(self, evidence: Evidence, new: Hashable, baseline: Hashable) -> HypervolumeTest:
        from copa_nb.significance.hv_test import hv_test

        return evidence.once(
            (HYPERVOLUME, new, baseline),
            lambda: hv_test(evidence.described("system", "repeat"), new, baseline, rng=evidence.settings.seed),
        )


def _differences(claim: Paired, evidence: Evidence, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In which objectives the first system is better, worse, known to be equal: significantly, or by the values."""
    first, second = claim.labels(evidence)
    if evidence.settings.is_sample:
        return claim.compared(evidence, alpha).between(first, second)
    costs = _costs_of(claim, evidence)
    return costs[0] < costs[1], costs[0] > costs[1], costs[0] == costs[1]


def _costs_of(claim: Paired, evidence: Evidence) -> np.ndarray:
    """The values of two systems as costs, shape (2, n_objectives); of missing ones nothing is known."""
    labels = claim.labels(evidence)
    for label in labels:
        missing = evidence.missing_of(label)
        if missing and evidence.settings.nan_policy == "raise":
            names = text.listing(map(str, missing))
            raise ValueError(f"`{claim.kind}` names {text.label(label)}, which has no value of {names}; fill it in.")
        if missing:
            evidence.refuse_empty(label, missing)
    means = evidence.means.loc[list(labels), list(evidence.objectives.names)].to_numpy(dtype=float)
    costs: np.ndarray = means * evidence.objectives.signs
    return costs


@dataclass(frozen=True, kw_only=True, eq=False)
class NotWorse(Paired):
    """A system is not worse than another one by more than margins, and cheaper where that is claimed."""

    kind: ClassVar[str] = "not_worse"
    about: ClassVar[str] = "the first system is not worse than the second by more than margins"
    example: ClassVar[Mapping[str, Any]] = {"not_worse": ["small", "large"], "margin": {"accuracy": 0.02}}
    not_worse: list[str] = parameter([], "two systems", needed=True, example=["small", "large"])
    margin: dict[str, Any] = parameter(
        {}, "how much worse is still acceptable, e.g. {example}", example={"accuracy": 0.02}
    )
    cheaper: str = parameter("", "objective that counts as cost and must be lower; the margins are for the others")

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        claim = part("claims.says.not_worse", first=first, second=second)
        margins = [part("claims.phrases.has", name=text.spoken(name), value=size) for name, size in self.margin.items()]
        if margins:
            claim = part("claims.says.by_margins", claim=claim, margins=margins)
        if self.cheaper:
            claim = part("claims.says.at_lower_cost", claim=claim, cost=text.spoken(self.cheaper))
        return say(claim)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """The comparison within these margins; none for a table without a sample."""
        if not evidence.settings.is_sample:
            return None
        return (self.kind, *(self.named if self.planned else ()), tuple(self.margin.items()), self.cheaper)

    def asked(self, evidence: Evidence) -> list[int]:
        """Those with a margin, or all; with a cost to lower, all, and the cost last."""
        names = [str(name) for name in evidence.objectives.names]
        for name, size in self.margin.items():
            evidence.objective(name, "margin")
            if isinstance(size, bool) or not isinstance(size, int | float) or not 0 <= size < np.inf:
                raise ValueError(f"`margin` of {name!r} is {size!r}; it must be a number of at least 0.")
        asked = [name for name in names if name in self.margin or not self.margin]
        if self.cheaper:
            if evidence.objectives.signs[evidence.objective(self.cheaper, "cheaper")] < 0:
                raise ValueError(f"`cheaper` names {self.cheaper!r}, of which more is better; name a cost to minimize.")
            asked = [name for name in names if name != self.cheaper or name in self.margin] + [self.cheaper]
        return [names.index(name) for name in dict.fromkeys(asked)]

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by tests within the margins, or by the values."""
        names, positions = [str(name) for name in evidence.objectives.names], self.asked(evidence)
        margins = np.array(self._margins(evidence))
        found = self.values(evidence, [evidence.objectives.names[k] for k in positions])
        first, second = self.labels(evidence)
        if not evidence.settings.is_sample:
            costs = _costs_of(self, evidence)
            losses = (costs[0] - costs[1])[positions]
            bounds = margins[positions]
            strict = np.array([names[k] == self.cheaper for k in positions])
            holds = bool(np.where(strict, losses < 0, losses <= bounds).all())
            return judged(holds, not holds, found)
        only = (first, second) if self.planned else ()
        # Each ordered pair might have been picked.
        n = len(only or evidence.systems)
        tests = 1 if self.planned else n * (n - 1)
        within = evidence.pvalues_within(first, than=second, margins=tuple(margins), only=only)
        beyond = evidence.pvalues_within(second, than=first, margins=tuple(-margins), only=only)
        if self.cheaper and not self._is_cheaper(evidence):
            # Equal samples do not show that it costs no less; equal prices do.
            return judged(False, self.cheaper in map(str, evidence.measured.known), found)
        holds = within[positions].max() * tests <= alpha
        fails = (beyond[positions] * len(positions) * tests <= alpha).any()
        return judged(holds, fails, found)

    def _margins(self, evidence: Evidence) -> tuple[float, ...]:
        """The margin of each objective; 0 where none is named."""
        return tuple(float(self.margin.get(str(name), 0.0)) for name in evidence.objectives.names)

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings about these objectives, and of losses that would undo the claim and may not have been seen."""
        found = super().doubts(evidence, alpha)
        if not evidence.settings.is_sample:
            return found
        first, second = self.labels(evidence)
        asked = {evidence.objectives.names[k] for k in self.asked(evidence)}
        rare = evidence.rare_losses(
            first, than=second, margins=self._margins(evidence), only=(first, second) if self.planned else ()
        )
        return (*found, *(one for one in rare if one.is_about(asked)))

    def _is_cheaper(self, evidence: Evidence) -> bool:
        first, second = (evidence.value(label, self.cheaper, "cheaper") for label in self.labels(evidence))
        return first < second
