"""What a claim is: a kind with its options, a verdict at a level, and the tests that it shares with other claims."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping
from dataclasses import dataclass, fields
from functools import cache
from typing import TYPE_CHECKING, Any, ClassVar, Self

from copa_nb import claims as package
from copa_nb.analyses.base import Parameter, parameter
from copa_nb.analyses.values import converted
from copa_nb.checks import listed, nearest
from copa_nb.claims.evidence import MORE
from copa_nb.claims.verdicts import FAILS, HOLDS, UNDECIDED
from copa_nb.discovery import import_all
from copa_nb.results.guarantee import Caveat

if TYPE_CHECKING:
    from copa_nb.claims.evidence import Evidence


@dataclass(frozen=True)
class Judgment:
    """The verdict on a claim.

    Parameters
    ----------
    verdict : {"holds", "fails", "undecided"}
    found : str
        The numbers that it follows from, as a clause.
    doubts : tuple of Caveat
        Warnings that keep it undecided, whatever the test says.
    """

    verdict: str
    found: str
    doubts: tuple[Caveat, ...] = ()


def judged(holds: object, fails: object, found: str) -> Judgment:
    """Return the verdict on a claim that is shown to hold, shown to fail, or neither."""
    return Judgment(HOLDS if holds else FAILS if fails else UNDECIDED, found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim(ABC):
    """One claim: its kind is the class, its subject the value under the name of the kind.

    A subclass declares its options with :func:`copa_nb.analyses.base.parameter`, the subject first and named like the
    kind, and implements :meth:`says` and :meth:`judge`.
    """

    # The key of the file that has this kind's subject, and what the claim says, for the documentation.
    kind: ClassVar[str]
    about: ClassVar[str]

    id: str = ""
    line: int = 0
    weight: float = parameter(1.0, "share of the error rate, relative to other claims")
    after: list[str] = parameter([], "ids of claims above it; it is tested, at their level, once they hold")

    def __post_init__(self) -> None:
        for declared in self.options().values():
            value = converted(getattr(self, declared.name), declared.kind, name=declared.name, default=declared.default)
            declared.check(value)
            object.__setattr__(self, declared.name, value)
        if not self.weight > 0:
            raise ValueError(f"`weight` is {self.weight!r}; it must be a number above 0.")
        self.check_values()

    @classmethod
    def options(cls) -> dict[str, Parameter]:
        """Return the subject and the options by name."""
        return {one.name: Parameter(one.name, **one.metadata) for one in fields(cls) if one.metadata}

    @classmethod
    def of(cls, given: Mapping[str, Any], **place: Any) -> Self:
        """Make a claim of the mapping that states it.

        Raises
        ------
        ValueError, TypeError
            For unknown options, with the nearest, and for values that do not fit.
        """
        known = cls.options()
        after = given.get("after")
        if isinstance(after, str | int | list):
            given = {**given, "after": [str(one) for one in (after if isinstance(after, list) else [after])]}
        for name in given:
            if name not in known:
                raise ValueError(
                    f"{name!r} is not an option of {cls.kind!r}; its options are {listed(known)}.{nearest(name, known)}"
                )
        return cls(**given, **place)

    def check_values(self) -> None:  # noqa: B027 (most kinds have nothing to refuse)
        """Refuse values that do not go together; for subclasses."""

    @abstractmethod
    def says(self) -> str:
        """Return the claim as a sentence without its period."""

    @abstractmethod
    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Return the verdict, wrong with a probability of at most `alpha`."""

    def doubts(self, evidence: Evidence, alpha: float) -> tuple[Caveat, ...]:
        """Return the warnings that the claim's test carries on this table; none where the table is taken as it is."""
        return ()

    def settle(self, evidence: Evidence, alpha: float) -> str:
        """Return what would settle the claim, undecided at a level, without a period.

        Tables with more items or runs are drawn from those at hand, and the claim is judged on each.
        """
        n, what = evidence.drawn
        if not n:
            return ""
        for times in MORE:
            tables = evidence.larger(times)
            if not tables:
                return ""
            decided = [self.judge(one, alpha).verdict != UNDECIDED for one in tables]
            if 2 * sum(decided) > len(tables):
                return settled_by(times, n, what)
        return settled_by(None, n, what)

    def shared_test(self, evidence: Evidence) -> Hashable:
        """Return what names the simultaneous test that the verdict follows from.

        Claims of the same test share one error rate, since all that follows from it holds at once. None: the verdict is
        about the table as it is, and has no error rate.
        """
        return None

    @property
    def excludes(self) -> Hashable:
        """Claims of which only one can hold have the same value here; None if there is no such claim."""
        return None


@dataclass(frozen=True, kw_only=True, eq=False)
class PlannedClaim(Claim):
    """A claim about systems that may have been named before the data were seen."""

    planned: bool = parameter(
        False, "whether its systems were named before the data were seen, so that no other choice counts"
    )


@cache
def kinds() -> dict[str, type[Claim]]:
    """Return the kinds of claims by the key that states them.

    Examples
    --------
    >>> kinds()["best"].about
    'the system is the best under weights'
    """
    import_all(package)
    return {one.kind: one for one in _below(Claim)}  # type: ignore[type-abstract]


def _below(base: type[Claim]) -> list[type[Claim]]:
    """The classes below one that are kinds."""
    found = []
    for one in base.__subclasses__():
        found += [one] if "kind" in vars(one) else []
        found += _below(one)
    return found


def settled_by(times: int | None, n: int, what: str) -> str:
    """Say that so many times as many items or runs would settle a claim; None if none of the sizes tried would."""
    if times is None:
        return f"{MORE[-1]} times as many {what} would not settle this in most simulated tables"
    return f"About {(times - 1) * n:,} more {what} would settle this in most simulated tables"


def pair(name: str, value: list[Any]) -> tuple[str, str]:
    """Return the two systems of a pair, or refuse it."""
    if len(value) != 2 or str(value[0]) == str(value[1]):
        raise ValueError(f"`{name}` is {value!r}; it must be two different systems, e.g. [ours, baseline].")
    first, second = map(str, value)
    return first, second
