"""What a result guarantees: what it estimates, what was sampled, at which level, and what this table gives to doubt it.

Every result with an interval, a p-value or a verdict holds one :class:`Guarantee`. Pages, the panel, JSON and the gate
print it from there; no other place words certainty.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any

from copa_nb import text
from copa_nb.results.sentences import Part, explained, part, said

# What may keep a stated level from being reached. A file of claims accepts one by its name.
CAVEATS = {
    "skewed": "a few items or runs account for much of a difference",
    "few_units": "there are too few items or runs to see whether differences are skewed",
    "rare_failures": "costs without a known limit depend on few items, and a failure on 1 in 100 may be unseen",
    "rare_losses": "two systems agree on most items, and a rare large loss may not have been seen",
    "dependent_items": "differences correlate within groups of items that are counted as independent",
    "duplicated_items": "items have the same scores under all systems, as copies of one item have",
    "few_clusters": "there are few clusters, or a few of them hold most of the items",
    "few_repeats": "repeats are shared by all items, and too few to see how much they vary",
    "missing_values": "values are missing, and whether they are missing may depend on what they would have been",
    "unknown_counts": "standard errors are given without the number of runs or items behind them",
}


@dataclass(frozen=True)
class Caveat:
    """A reason, found in this table, why a stated level may not be reached.

    Parameters
    ----------
    name : str
        One of ``CAVEATS``.
    sentence : str
        The reason, with numbers of this table.
    objectives : tuple of label
        What it is about; empty: everything.
    """

    name: str
    sentence: str
    objectives: tuple[Hashable, ...] = ()

    def __post_init__(self) -> None:
        if self.name not in CAVEATS:
            raise ValueError(f"`name` is {self.name!r}; it must be one of {text.listing(CAVEATS)}.")

    def is_about(self, objectives: Iterable[Hashable]) -> bool:
        """Whether it concerns any of these objectives."""
        return not self.objectives or not set(self.objectives).isdisjoint(objectives)


@dataclass(frozen=True, kw_only=True)
class Guarantee:
    """What a result guarantees.

    Parameters
    ----------
    estimates : str
        What is estimated, e.g. "differences of means over questions".
    sampled : str
        What another sample would have drawn anew, e.g. "independent questions"; empty if nothing was sampled.
    holds : str
        What holds at the level, as a clause: "all intervals cover the true differences".
    confidence_level : float, optional
        How often it holds over repeated samples; None if no level is stated.
    jointly : bool
        Whether the level is that of everything at once, or of each interval or verdict alone.
    basis : {"exact", "asymptotic", "none"}
        Whether the level is exact, a limit for large samples, or not stated.
    method : str
        The tests or intervals behind it; without a level, why none is stated.
    warnings : tuple of Caveat
        Why the level may not be reached on this table.
    remarks : tuple of str
        Sentences on what was used and what would make the result sharper; they cast no doubt on the level.
    """

    estimates: str
    sampled: str
    holds: str
    confidence_level: float | None
    jointly: bool
    basis: str
    method: str
    warnings: tuple[Caveat, ...] = ()
    remarks: tuple[str, ...] = ()

    def parts(self) -> list[Part]:
        """How often what holds, what may be wrong with it, what is estimated how, and remarks."""
        return [*self.stated(), *self.doubts()]

    def doubts(self) -> list[Part]:
        """What may be wrong with the level, for a card in short, and remarks."""
        warnings = [part("guarantee.details.warning", sentence=one.sentence) for one in self.warnings]
        named = list(dict.fromkeys(CAVEATS[one.name] for one in self.warnings))
        return [
            *([part("guarantee.card.caution", warnings=named)] if named else []),
            *warnings,
            *(part("guarantee.details.remark", sentence=one) for one in self.remarks),
        ]

    def stated(self) -> list[Part]:
        """How often what holds, and what is estimated how; or why no level is stated."""
        if self.confidence_level is None:
            return [part("guarantee.details.no_level", method=self.method)]
        level = part(f"guarantee.certainty.level{'_jointly' * self.jointly}", sampled=self.sampled, holds=self.holds,
                     level=self.confidence_level)  # fmt: skip
        how = {"estimates": self.estimates, "method": self.method, "basis": self.basis}
        return [level, part("guarantee.details.method", **how)]

    @property
    def statement(self) -> str:
        """How often what holds, and what is estimated by which method."""
        return " ".join(said(self.stated()))

    def explain(self) -> str:
        """The statement, why it may not hold on this table, and remarks."""
        return " ".join(self.sentences())

    def sentences(self) -> list[str]:
        """The parts of :meth:`explain`."""
        return explained(self.parts())

    def about(self, objectives: Iterable[Hashable]) -> Guarantee:
        """The same, with the warnings that concern some objectives."""
        names = list(objectives)
        return replace(self, warnings=tuple(one for one in self.warnings if one.is_about(names)))

    def but(self, *, warnings: Iterable[Caveat] = (), remarks: Iterable[str] = ()) -> Guarantee:
        """The same with more warnings and remarks."""
        return replace(self, warnings=(*self.warnings, *warnings), remarks=(*self.remarks, *remarks))

    def to_dict(self) -> dict[str, Any]:
        """What JSON holds of it.

        Examples
        --------
        >>> from copa_nb.results.guarantee import Caveat, Guarantee
        >>> means = Guarantee(estimates="means over tasks", sampled="independent tasks", holds="all intervals hold",
        ...     confidence_level=0.95, jointly=True, basis="asymptotic", method="t",
        ...     warnings=(Caveat("skewed", "Costs are skewed.", ("cost",)),))
        >>> means.to_dict()["warnings"]
        [{'name': 'skewed', 'sentence': 'Costs are skewed.', 'objectives': ['cost']}]
        >>> Guarantee.from_dict(means.to_dict()) == means
        True
        """
        found = asdict(self)
        found["warnings"] = [
            {**one, "objectives": [str(name) for name in one["objectives"]]} for one in found["warnings"]
        ]
        found["remarks"] = list(found["remarks"])
        return found

    @classmethod
    def from_dict(cls, document: Mapping[str, Any]) -> Guarantee:
        """Read what :meth:`to_dict` has written."""
        warnings = tuple(Caveat(one["name"], one["sentence"], tuple(one["objectives"])) for one in document["warnings"])
        return cls(**{**document, "warnings": warnings, "remarks": tuple(document["remarks"])})
