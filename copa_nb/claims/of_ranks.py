"""The claim ``rank``: the place of a system under COPA's criterion, which may be named in five ways."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.claims.evidence import LARGEST, MORE, N_TABLES, Evidence
from copa_nb.claims.kinds import ALL_DIFFERENCES, Claim, Judgment, judged, settled_by
from copa_nb.claims.verdicts import FAILS, HOLDS
from copa_nb.comparisons.board import significantly_ahead
from copa_nb.ranking.populations import Reference
from copa_nb.results.guarantee import Caveat
from copa_nb.results.sentences import Part, part, say
from copa_nb.selection.choose import copa
from copa_nb.sources.read import read


@dataclass(frozen=True)
class Ranks:
    """A rank under a criterion, and between which ranks the true one lies."""

    rank: int
    low: int
    high: int
    n: int

    def part(self) -> Part:
        """What was found, as a sentence."""
        found = {"rank": self.rank, "rows": self.n, "low": self.low, "high": self.high}
        return part(f"claims.found.rank{'s' * (self.low < self.high)}", **found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Ranked(Claim):
    """What the forms of this claim share: the system, and the criterion."""

    kind: ClassVar[str] = "rank"
    rank: str = parameter("", "system", needed=True)
    weights: dict[str, Any] = parameter({}, "weight of objectives, e.g. {example}", example={"cost_usd": 0.5})
    p: str = parameter("inf", "norm of the criterion, at least 1, or inf")

    @property
    def criterion(self) -> Hashable:
        """What tells criteria apart."""
        return self.p, tuple(sorted(self.weights.items()))

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
        label = self.label(evidence)
        if label not in choice.table.index:  # nan_policy="omit" leaves it out
            evidence.refuse_empty(label, evidence.missing_of(label))
        rank = int(choice.table["rank"].to_numpy()[choice.table.index.tolist().index(label)])
        if not evidence.settings.is_sample:
            return Ranks(rank, rank, rank, len(choice.table))
        compared = evidence.compared(alpha)
        ahead = significantly_ahead(compared.better, compared.equal, choice)
        i = compared.labels.index(label)
        n = len(compared.labels)
        return Ranks(rank, 1 + int(ahead[:, i].sum()), n - int(ahead[i].sum()), n)

    def label(self, evidence: Evidence) -> Hashable:
        """Return the label of the system."""
        return evidence.system(self.rank, "rank")

    def said(self, place: Part) -> Part:
        """A place with the criterion, as a sentence about the system."""
        weights = [part("claims.phrases.has", name=name, value=value) for name, value in self.weights.items()]
        criterion = [
            *[part("claims.phrases.weights", weights=weights)] * bool(weights),
            *[part("claims.phrases.p", p=self.p)] * (self.p != "inf"),
        ]
        if not criterion:
            return part("claims.says.rank", system=self.rank, place=place)
        return part("claims.says.rank_under", system=self.rank, place=place, criterion=criterion)


def _ranks(at_most: int, verb: str = "ranks") -> Part:
    return part(f"claims.phrases.{verb}_{'first' if at_most == 1 else 'among'}", n=at_most)


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksFirst(Ranked):
    """The system is the best, or among the first few."""

    about: ClassVar[str] = "the system ranks first, or among the first `at_most`"
    example: ClassVar[Mapping[str, Any]] = {"rank": "medium"}
    at_most: int = parameter(1, "number of places", least=1)

    @property
    def excludes(self) -> Hashable:
        """Only one system ranks first under the same criterion."""
        return self.criterion if self.at_most == 1 else None

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(self.said(_ranks(self.at_most)))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the interval of the rank."""
        ranks = self.ranks(evidence, alpha)
        return judged(ranks.high <= self.at_most, ranks.low > self.at_most, ranks.part())

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say how many more items or runs would settle the claim, by simulated tables with more of them."""
        n, what = evidence.drawn
        if not n:
            return ""
        board = evidence.board(self.p, self.weights, alpha)
        label = self.label(evidence)
        for times in MORE:
            if times * evidence.n_rows > LARGEST:
                return ""
            forecast = evidence.once(
                ("forecast", self.criterion, alpha, times),
                partial(board.forecast, times=times, n_simulations=N_TABLES, rng=evidence.settings.seed),
            )
            assert forecast.ranks is not None
            low, high = forecast.ranks.xs((times, label)).to_numpy()
            if high <= self.at_most or low > self.at_most:
                return settled_by(times, n, what, [HOLDS if high <= self.at_most else FAILS])
        return settled_by(None, n, what)


@dataclass(frozen=True, kw_only=True, eq=False)
class MayRankFirst(Ranked):
    """Nothing shows that other systems are ahead of this one."""

    about: ClassVar[str] = "the system may rank first (or at that place): no others are significantly ahead of it"
    example: ClassVar[Mapping[str, Any]] = {"rank": "medium", "may_be": 1}
    may_be: int = parameter(1, "a place that is still possible", least=1)

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether a possible place is named."""
        return "may_be" in given

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(self.said(_ranks(self.may_be, "may_rank")))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the lower end of the rank."""
        ranks = self.ranks(evidence, alpha)
        return judged(ranks.low <= self.may_be, ranks.low > self.may_be, ranks.part())


@dataclass(frozen=True, kw_only=True, eq=False)
class InTier(Ranked):
    """A board that prints ties has the system in one of its first tiers."""

    about: ClassVar[str] = "a board that prints ties has the system in this tier or a better one"
    example: ClassVar[Mapping[str, Any]] = {"rank": "medium", "tier": 1}
    tier: int = parameter(1, "the tier, counted from 1", least=1)

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether a tier is named."""
        return "tier" in given

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(self.said(part(f"claims.phrases.{'first_tier' if self.tier == 1 else 'tier'}", n=self.tier)))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the tiers at this level: a system is in a later one only where others are significantly ahead."""
        label = self.label(evidence)
        board = evidence.board(self.p, self.weights, alpha or 0.05).table["tier"]
        tier = int(board.to_numpy()[board.index.tolist().index(label)])
        return judged(tier <= self.tier, tier > self.tier, part("claims.found.tier", tier=tier, tiers=int(board.max())))


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksOnNewItem(Ranked):
    """The system is among the first on an item that it was not yet measured on."""

    about: ClassVar[str] = "the system ranks among the first `at_most` on the next item or cluster"
    example: ClassVar[Mapping[str, Any]] = {"rank": "medium", "for": "new_item", "at_most": 2}
    # Not `on`, which YAML reads as true.
    for_: str = parameter("new_item", "what it ranks on", choices=("new_item",))
    at_most: int = parameter(1, "number of places", least=1)

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether it is said what the system ranks on."""
        return "for" in given

    def shared_test(self, evidence: Evidence) -> Hashable:
        """A prediction of its own."""
        return "rank on a new item", self.rank, self.criterion

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(self.said(part("claims.phrases.on_new_item", place=_ranks(self.at_most))))

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Say that items differ, however many there are."""
        return say(part("claims.settle.items_differ"))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the prediction interval; any of the systems might have been named."""
        label = self.label(evidence)
        found = evidence.board(self.p, self.weights).ranks_on_new_item(
            confidence_level=1 - alpha / len(evidence.systems)
        )
        low, high = found.loc[[label], ["low", "high"]].to_numpy()[0]
        predicted = part("claims.found.rank_on_new_item", low=low, high=high, rows=len(found))
        return judged(high <= self.at_most, low > self.at_most, predicted)


@dataclass(frozen=True, kw_only=True, eq=False)
class RanksFirstInReference(Ranked):
    """The system is still chosen where ranks are taken among a frozen population."""

    about: ClassVar[str] = "the system is chosen with ranks among the rows of another table"
    example: ClassVar[Mapping[str, Any]] = {"rank": "medium", "reference": "last_year.csv"}
    reference: str = parameter("", "file with the rows that ranks are taken among", needed=True)

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether another table is named."""
        return "reference" in given

    def shared_test(self, evidence: Evidence) -> Hashable:
        """None: the choice on the table as it is."""
        return None

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(part("claims.says.in_reference", claim=self.said(_ranks(1)), reference=self.reference))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the choice."""
        label = self.label(evidence)
        frozen = read(evidence.file(self.reference))
        population = Reference.fit(frozen, objectives=evidence.objectives)
        choice = copa(evidence.described_means(), p=self.p, weights=self.weights or None, reference=population)
        chosen = part("claims.found.chosen", best=text.label(choice.best))
        return judged(choice.best == label, choice.best != label, chosen)
