"""Claims about systems: which is best, on the front, better than another one, or not worse."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.analyses.base import parameter
from copa_nb.claims.evidence import LARGEST, MORE, N_TABLES, Compared, Evidence
from copa_nb.claims.kinds import Claim, Judgment, PlannedClaim, judged, pair, settled_by
from copa_nb.claims.verdicts import FAILS, HOLDS
from copa_nb.comparisons.compare_systems import POLICIES, compare_systems
from copa_nb.comparisons.confident_front import DOMINATED, ON_FRONT, front_verdicts
from copa_nb.comparisons.tiers import significantly_ahead
from copa_nb.pareto.front import is_front
from copa_nb.ranking.populations import Reference
from copa_nb.results.guarantee import Caveat
from copa_nb.selection.copa import copa
from copa_nb.sources.read import read
from copa_nb.tables.candidates import allowed_mask, columns_in

# All that follows from which systems are significantly better than which holds at once.
ALL_DIFFERENCES = "differences of all systems"


@dataclass(frozen=True)
class Ranks:
    """A rank under a criterion, and between which ranks the true one lies."""

    rank: int
    low: int
    high: int
    n: int

    def __str__(self) -> str:
        interval = f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"
        return f"it ranks {self.rank} of {self.n}, and its true rank is {interval}"


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranked(Claim):
    """A claim about the rank of a system under COPA's criterion."""

    weights: dict[str, Any] = parameter({}, "weight of objectives, e.g. {example}", example={"cost_usd": 0.5})
    p: str = parameter("inf", "norm of the criterion, at least 1, or inf")

    @property
    def named(self) -> str:
        """The system."""
        name: str = getattr(self, self.kind)
        return name

    def shared_test(self, evidence: Evidence) -> Hashable:
        """All differences, whatever the weights; none for a table without a sample."""
        return ALL_DIFFERENCES if evidence.settings.is_sample else None

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings about objectives that have a weight."""
        if self.shared_test(evidence) is None:
            return ()
        weights = evidence.choice(self.p, self.weights).weights
        return evidence.guarantee(alpha).about(name for name, weight in weights.items() if weight).warnings

    def ranks(self, evidence: Evidence, alpha: float) -> Ranks:
        """Return the rank, with the interval that holds at a level."""
        choice = evidence.choice(self.p, self.weights)
        label = evidence.system(self.named, self.kind)
        if label not in choice.table.index:  # nan_policy="omit" leaves it out
            evidence.refuse_empty(label, _missing(evidence, label))
        rank = int(choice.table["rank"].to_numpy()[choice.table.index.tolist().index(label)])
        if not evidence.settings.is_sample:
            return Ranks(rank, rank, rank, len(choice.table))
        compared = evidence.compared(alpha)
        ahead = significantly_ahead(compared.better, compared.equal, choice)
        i = compared.labels.index(label)
        n = len(compared.labels)
        return Ranks(rank, 1 + int(ahead[:, i].sum()), n - int(ahead[i].sum()), n)

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say how many more items or runs would settle the claim, by simulated tables with more of them."""
        n, what = evidence.drawn
        if self.places is None or not n:
            return ""
        board = evidence.tiers(self.p, self.weights, alpha)
        label = evidence.system(self.named, self.kind)
        for times in MORE:
            if times * evidence.n_rows > LARGEST:
                return ""
            forecast = evidence.once(
                ("forecast", self.p, tuple(sorted(self.weights.items())), alpha, times),
                partial(board.forecast, times=times, n_simulations=N_TABLES, rng=evidence.settings.seed),
            )
            assert forecast.ranks is not None
            low, high = forecast.ranks.xs((times, label)).to_numpy()
            if high <= self.places or low > self.places:
                return settled_by(times, n, what)
        return settled_by(None, n, what)

    @property
    def places(self) -> int | None:
        """The claim holds if the rank is at most this; None if it is about something else."""
        return None

    def _under(self) -> str:
        weights = ", ".join(f"{name} {text.number(value)}" for name, value in self.weights.items())
        return f" under the weights {weights}" if weights else ""


@dataclass(frozen=True, kw_only=True, eq=False)
class Best(Ranked):
    """The system is the best under the criterion."""

    kind: ClassVar[str] = "best"
    about: ClassVar[str] = "the system is the best under weights"
    best: str = parameter("", "system", needed=True)

    @property
    def places(self) -> int:
        """The first."""
        return 1

    @property
    def excludes(self) -> Hashable:
        """Only one system is the best under the same weights."""
        return self.kind, self.p, tuple(sorted(self.weights.items()))

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.best} is the best system{self._under()}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the interval of the rank."""
        ranks = self.ranks(evidence, alpha)
        return judged(ranks.high == 1, ranks.low > 1, str(ranks))


@dataclass(frozen=True, kw_only=True, eq=False)
class Top(Ranked):
    """The system is among the first k."""

    kind: ClassVar[str] = "top"
    about: ClassVar[str] = "the system is among the first k under weights"
    top: str = parameter("", "system", needed=True)
    k: int = parameter(3, "number of places", least=1)

    @property
    def places(self) -> int:
        """The first k."""
        return self.k

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.top} is among the first {self.k}{self._under()}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the interval of the rank."""
        ranks = self.ranks(evidence, alpha)
        return judged(ranks.high <= self.k, ranks.low > self.k, str(ranks))


@dataclass(frozen=True, kw_only=True, eq=False)
class CouldBeFirst(Ranked):
    """Nothing shows that another system is ahead of this one."""

    kind: ClassVar[str] = "could_be_first"
    about: ClassVar[str] = "no system is significantly ahead of this one"
    could_be_first: str = parameter("", "system", needed=True)

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.could_be_first} could be first{self._under()}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the lower end of the rank."""
        ranks = self.ranks(evidence, alpha)
        return judged(ranks.low == 1, ranks.low > 1, str(ranks))


@dataclass(frozen=True, kw_only=True, eq=False)
class InTier(Ranked):
    """A board that prints ties has the system in one of its first tiers."""

    kind: ClassVar[str] = "tier"
    about: ClassVar[str] = "a board that prints ties has the system in this tier or a better one"
    tier: str = parameter("", "system", needed=True)
    at_most: int = parameter(1, "the tier, counted from 1", least=1)

    def says(self) -> str:
        """Return the claim as a sentence."""
        which = "the first tier" if self.at_most == 1 else f"tier {self.at_most} or a better one"
        return f"{self.tier} is in {which}{self._under()}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the tiers at this level: a system is in a later one only where others are significantly ahead."""
        label = evidence.system(self.tier, self.kind)
        board = evidence.tiers(self.p, self.weights, alpha or 0.05).table["tier"]
        tier = int(board.to_numpy()[board.index.tolist().index(label)])
        return judged(tier <= self.at_most, tier > self.at_most, f"it is in tier {tier} of {int(board.max())}")


@dataclass(frozen=True, kw_only=True, eq=False)
class TopOnNewItem(Ranked):
    """The system is among the first k on an item that it was not yet measured on."""

    kind: ClassVar[str] = "top_on_new_item"
    about: ClassVar[str] = "the system ranks among the first k on the next item or cluster"
    top_on_new_item: str = parameter("", "system", needed=True)
    k: int = parameter(3, "number of places", least=1)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A prediction of its own."""
        return (self.kind, self.top_on_new_item, self.p, tuple(sorted(self.weights.items())))

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.top_on_new_item} ranks among the first {self.k} on a new item{self._under()}"

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say that items differ, however many there are."""
        return "More items show better how ranks differ between items, which makes them differ no less"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the prediction interval; any of the systems might have been named."""
        label = evidence.system(self.top_on_new_item, self.kind)
        found = evidence.tiers(self.p, self.weights).ranks_on_new_item(
            confidence_level=1 - alpha / len(evidence.systems)
        )
        low, high = found.loc[[label], ["low", "high"]].to_numpy()[0]
        interval = f"between {text.number(low)} and {text.number(high)} of {len(found)}"
        return judged(high <= self.k, low > self.k, f"its rank there is predicted to be {interval}")


@dataclass(frozen=True, kw_only=True, eq=False)
class Unchanged(Ranked):
    """The system is still chosen where ranks are taken among a frozen population."""

    kind: ClassVar[str] = "unchanged"
    about: ClassVar[str] = "the system is chosen with ranks among the rows of another table"
    unchanged: str = parameter("", "system", needed=True)
    reference: str = parameter("", "file with the rows that ranks are taken among", needed=True)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """None: the choice on the table as it is."""
        return None

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.unchanged} is chosen{self._under()}, with ranks among the rows of {self.reference}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the choice."""
        label = evidence.system(self.unchanged, self.kind)
        frozen = read(evidence.file(self.reference))
        population = Reference.fit(frozen, objectives=evidence.objectives)
        choice = copa(
            evidence.means, objectives=evidence.objectives, p=self.p, weights=self.weights or None, reference=population
        )
        return judged(choice.best == label, choice.best != label, f"{text.label(choice.best)} is chosen")


# --------------------------------------------------------------------------------------------------- fronts and pairs


@dataclass(frozen=True, kw_only=True, eq=False)
class OnFront(Claim):
    """The system is on the Pareto front."""

    kind: ClassVar[str] = "on_front"
    about: ClassVar[str] = "the system is Pareto-optimal"
    on_front: str = parameter("", "system", needed=True)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """All differences; none for a table without a sample."""
        return ALL_DIFFERENCES if evidence.settings.is_sample else None

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Warnings about any objective."""
        return evidence.guarantee(alpha).warnings if evidence.settings.is_sample else ()

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.on_front} is on the Pareto front"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the front with confidence, or by the front of the values."""
        label = evidence.system(self.on_front, self.kind)
        if not evidence.settings.is_sample:
            policy, missing = evidence.settings.nan_policy, _missing(evidence, label)
            front = is_front(evidence.means, objectives=evidence.objectives, nan_policy=policy)
            on_front = front.iloc[evidence.systems.index(label)]
            if missing and (policy == "omit" or pd.isna(on_front)):
                evidence.refuse_empty(label, missing)
            if pd.isna(on_front):
                return judged(False, False, "whether another row dominates it depends on missing values")
            return judged(on_front, not on_front, "another row dominates it" if not on_front else "no row dominates it")
        compared = evidence.compared(alpha)
        over, verdicts = front_verdicts(compared.better, compared.equal)
        i = compared.labels.index(label)
        dominators = [text.label(compared.labels[j]) for j in np.flatnonzero(over[:, i])]
        found = {
            ON_FRONT: "every other system is significantly worse in some objective",
            DOMINATED: f"{text.listing(dominators[:3])} dominates it significantly",
        }.get(verdicts[i], "neither this nor that it is dominated is significant")
        return judged(verdicts[i] == ON_FRONT, verdicts[i] == DOMINATED, found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Paired(PlannedClaim):
    """A claim about two systems: alone if they were named before the data were seen, otherwise among all pairs."""

    @property
    def named(self) -> tuple[str, str]:
        """The two systems."""
        return pair(self.kind, getattr(self, self.kind))

    def check_values(self) -> None:
        """Refuse anything but two systems."""
        assert self.named

    def shared_test(self, evidence: Evidence) -> Hashable:
        """The differences of the two, or all differences; none for a table without a sample."""
        if not evidence.settings.is_sample:
            return None
        return ("differences", *sorted(self.named)) if self.planned else ALL_DIFFERENCES

    def labels(self, evidence: Evidence) -> tuple[Hashable, Hashable]:
        """Return the labels of the two systems."""
        first, second = self.named
        return evidence.system(first, self.kind), evidence.system(second, self.kind)

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
        margin: Mapping[str, float] | None = getattr(self, "margin", None)
        settings, n = evidence.settings, len(evidence.systems)
        if settings.item is None or settings.nan_policy not in POLICIES:
            return super().settle(evidence, alpha)
        new, baseline = self.labels(evidence)
        level = alpha if self.planned else alpha / (n * (n - 1) / 2)
        options = {"cluster": settings.cluster, "repeat": settings.repeat, "known": settings.known}
        rows = evidence.rows_of((new, baseline))
        found = evidence.asked(compare_systems, "system", "item", frame=rows)(
            new=new, baseline=baseline, alpha=level, margin=margin, bounds=dict(settings.bounds) or None, **options
        )
        if found.at_worst:
            return super().settle(evidence, alpha)
        asked = [evidence.objectives.names[k] for k in self.asked(evidence)]
        return found.items_needed(rng=settings.seed).hint_about(asked).rstrip(".")

    def values(self, evidence: Evidence, objectives: list[Hashable]) -> str:
        """Write the means of the two systems."""
        means = evidence.means.loc[list(self.labels(evidence)), objectives]
        return "; ".join(
            f"{text.spoken(name)} {' against '.join(text.told_apart(*map(float, means[name])))}" for name in objectives
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class Better(Paired):
    """A system is better than another one in an objective, or in all of them."""

    kind: ClassVar[str] = "better"
    about: ClassVar[str] = "the first system is better than the second in the objectives named"
    better: list[str] = parameter([], "two systems", needed=True, example=["ours", "baseline"])
    objectives: list[str] = parameter([], "objectives in which it is better; empty: all")

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one is better in an objective."""
        return (self.kind, *sorted(self.named), tuple(sorted(self.objectives)))

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        return (
            f"{first} is better than {second} in {text.listing(map(text.spoken, self.objectives)) or 'all objectives'}"
        )

    def asked(self, evidence: Evidence) -> list[int]:
        """Those that are named, or all."""
        return [evidence.objective(name, "objectives") for name in self.objectives] or super().asked(evidence)

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the significant differences, or by the values."""
        names, asked = list(evidence.objectives.names), self.asked(evidence)
        ahead, behind, equal = _differences(self, evidence, alpha)
        holds, fails = ahead[asked].all(), (behind | equal)[asked].any()
        return judged(holds, fails, self.values(evidence, [names[k] for k in asked]))


@dataclass(frozen=True, kw_only=True, eq=False)
class Dominates(Paired):
    """A system is at least as good as another one everywhere, and better somewhere."""

    kind: ClassVar[str] = "dominates"
    about: ClassVar[str] = "the first system dominates the second"
    dominates: list[str] = parameter([], "two systems", needed=True, example=["ours", "baseline"])

    @property
    def excludes(self) -> Hashable:
        """Of two systems only one dominates the other."""
        return (self.kind, *sorted(self.named))

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        return f"{first} dominates {second}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the significant differences, or by the values."""
        ahead, behind, equal = _differences(self, evidence, alpha)
        holds = (ahead | equal).all() and ahead.any()
        return judged(holds, behind.any() or equal.all(), self.values(evidence, list(evidence.objectives.names)))


def _differences(claim: Paired, evidence: Evidence, alpha: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """In which objectives the first system is better, worse, known to be equal: significantly, or by the values."""
    first, second = claim.labels(evidence)
    if evidence.settings.is_sample:
        return claim.compared(evidence, alpha).between(first, second)
    costs = _costs_of(claim, evidence)
    return costs[0] < costs[1], costs[0] > costs[1], costs[0] == costs[1]


def _missing(evidence: Evidence, label: Hashable) -> list[Hashable]:
    """The objectives that a system has no value of."""
    row = evidence.means[list(evidence.objectives.names)].iloc[evidence.systems.index(label)].isna()
    return row.index[row].tolist()


def _costs_of(claim: Paired, evidence: Evidence) -> np.ndarray:
    """The values of two systems as costs, shape (2, n_objectives); of missing ones nothing is known."""
    labels = claim.labels(evidence)
    for label in labels:
        missing = _missing(evidence, label)
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
    not_worse: list[str] = parameter([], "two systems", needed=True, example=["small", "large"])
    margin: dict[str, Any] = parameter(
        {}, "how much worse is still acceptable, e.g. {example}", example={"accuracy": 0.02}
    )
    cheaper: str = parameter("", "objective that counts as cost and must be lower; the margins are for the others")

    def says(self) -> str:
        """Return the claim as a sentence."""
        first, second = self.named
        within = ", ".join(f"{text.spoken(name)} {text.number(size)}" for name, size in self.margin.items())
        lower = f", at a lower {text.spoken(self.cheaper)}" if self.cheaper else ""
        return f"{first} is not worse than {second}{f' by more than {within}' if within else ''}{lower}"

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


# ------------------------------------------------------------------------------------------------------- constraints


@dataclass(frozen=True, kw_only=True, eq=False)
class Allowed(Claim):
    """The measured values of a system satisfy a condition."""

    kind: ClassVar[str] = "allowed"
    about: ClassVar[str] = "the measured values of the system satisfy a condition"
    allowed: str = parameter("", "system", needed=True)
    where: str = parameter("", "condition on columns, e.g. {example}", needed=True, example="cost_usd <= 2")

    def says(self) -> str:
        """Return the claim as a sentence."""
        return f"{self.allowed} satisfies {self.where}"

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the values, or their means."""
        label = evidence.system(self.allowed, self.kind)
        row = evidence.means.loc[[label]]
        if missing := [name for name in columns_in(evidence.means, self.where) if row[name].isna().any()]:
            evidence.refuse_empty(label, missing)
        holds = bool(allowed_mask(evidence.means, self.where)[evidence.systems.index(label)])
        numbers = [
            f"{text.spoken(name)} {text.number(value)}"
            for name, value in row.iloc[0].items()
            if str(name) in self.where and isinstance(value, int | float)
        ]
        return Judgment(HOLDS if holds else FAILS, ", ".join(numbers) or "by the table")
