"""What a claim is: a kind with its options, a verdict at a level, and the tests that it shares with other claims.

Some kinds have several *forms*, told apart by their options, such as ``rank: medium`` and ``rank: medium, tier: 1``;
each form is a class.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from inspect import isabstract
from keyword import iskeyword
from typing import TYPE_CHECKING, Any, ClassVar, Self

from copa_nb import claims as package
from copa_nb.analyses.parameters import Parameter, parameter
from copa_nb.analyses.values import converted
from copa_nb.checks import listed, nearest
from copa_nb.claims.evidence import MORE
from copa_nb.claims.verdicts import FAILS, HOLDS, UNDECIDED
from copa_nb.discovery import import_all
from copa_nb.results.guarantee import Caveat
from copa_nb.results.sentences import Part, part, say

if TYPE_CHECKING:
    from copa_nb.claims.evidence import Evidence

# Names the simultaneous test of which system is better than which: all that follows from it holds at once.
ALL_DIFFERENCES = "differences of all systems"


@dataclass(frozen=True)
class Judgment:
    """The verdict on a claim.

    Parameters
    ----------
    verdict : {"holds", "fails", "undecided"}
    found : Part
        The sentence, a clause, with the numbers that it follows from.
    doubts : tuple of Caveat
        Warnings that keep it undecided, whatever the test says.
    """

    verdict: str
    found: Part
    doubts: tuple[Caveat, ...] = ()


def judged(holds: object, fails: object, found: Part) -> Judgment:
    """Return the verdict on a claim that is shown to hold, shown to fail, or neither."""
    return Judgment(HOLDS if holds else FAILS if fails else UNDECIDED, found)


@dataclass(frozen=True, kw_only=True, eq=False)
class Claim(ABC):
    """One claim: its kind is the key that states it, its subject the value of this key.

    A subclass declares its options with :func:`copa_nb.analyses.parameters.parameter`, the subject first and named like
    the kind, and implements :meth:`says` and :meth:`judge`. An option that is a word of Python, such as ``in``, is a
    field with an underscore behind it.
    """

    # The key of the file that has the subject; what the claim says, and one as it is written, for the documentation.
    kind: ClassVar[str]
    about: ClassVar[str]
    example: ClassVar[Mapping[str, Any]]

    id: str = ""
    line: int = 0
    weight: float = parameter(1.0, "share of the error rate, relative to other claims")
    after: list[str] = parameter([], "ids of claims above it; it is tested, at their level, once they hold")

    def __post_init__(self) -> None:
        for name, declared in self.options().items():
            value = converted(getattr(self, _field(name)), declared.kind, name=name, default=declared.default)
            declared.check(value)
            object.__setattr__(self, _field(name), value)
        if not self.weight > 0:
            raise ValueError(f"`weight` is {self.weight!r}; it must be a number above 0.")
        self.check_values()
        if not self.id:
            object.__setattr__(self, "id", self.says())

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether a claim with these options is of this form; the form that never says so is the usual one."""
        return False

    @classmethod
    def options(cls) -> dict[str, Parameter]:
        """Return the subject and the options by name."""
        named = {one.name.removesuffix("_"): one.metadata for one in fields(cls) if one.metadata}
        return {name: Parameter(name, **declared) for name, declared in named.items()}

    @classmethod
    def read(cls, given: Mapping[str, Any], **place: Any) -> Self:
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
                raise ValueError(_unknown_option(name, cls))
        missing = [name for name, one in known.items() if one.needed and given.get(name) in (None, "")]
        if missing:
            raise ValueError(f"`{missing[0]}` is empty; it is {known[missing[0]].help}.")
        return cls(**{_field(name): value for name, value in given.items()}, **place)

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
            decided = [found for one in tables if (found := self.judge(one, alpha).verdict) != UNDECIDED]
            if 2 * len(decided) > len(tables):
                return settled_by(times, n, what, decided)
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
def kinds() -> dict[str, tuple[type[Claim], ...]]:
    """Return the forms of each kind of claim by the key that states it, the usual form first.

    Examples
    --------
    >>> kinds()["on_front"][0].about
    'the system is Pareto-optimal'
    """
    import_all(package)
    found: dict[str, list[type[Claim]]] = {}
    for form in sorted(_forms_below(Claim), key=lambda form: "is_meant" in vars(form)):  # type: ignore[type-abstract]
        found.setdefault(form.kind, []).append(form)
    return {kind: tuple(found[kind]) for kind in sorted(found)}


def form_of(kind: str, given: Mapping[str, Any]) -> type[Claim]:
    """Return the form of a kind that a claim with these options is of.

    Examples
    --------
    >>> form_of("on_front", {"on_front": "medium", "under": "any_utility"}).__name__
    'OnFrontUnderAnyUtility'
    """
    forms = kinds()[kind]
    return next((form for form in forms if form.is_meant(given)), forms[0])


def _forms_below(base: type[Claim]) -> list[type[Claim]]:
    """The classes below one of which claims are made."""
    below = base.__subclasses__()
    own = [one for one in below if not isabstract(one) and hasattr(one, "kind")]
    # A form that takes after two classes is below both.
    return list(dict.fromkeys([*own, *(form for one in below for form in _forms_below(one))]))


def _field(option: str) -> str:
    """The field of an option."""
    return f"{option}_" if iskeyword(option) else option


def _unknown_option(name: str, form: type[Claim]) -> str:
    """Say which options there are, or with what an option of another form goes."""
    known = form.options()
    for other in kinds()[form.kind]:
        if name in other.options():
            written = ", ".join(f"{key}: {value}" for key, value in other.example.items())
            return f"`{name}` does not go with the other options; it is one of claims such as {{{written}}}."
    return f"{name!r} is not an option of {form.kind!r}; its options are {listed(known)}.{nearest(name, known)}"


def settled_by(times: int | None, n: int, what: str, verdicts: Sequence[str] = ()) -> str:
    """Say that so many times as many items or runs would settle a claim; None if none of the sizes tried would.

    Parameters
    ----------
    times : int, optional
        How many times as many.
    n, what : int and str
        How many there are, and what.
    verdicts : sequence of str
        Those of the simulated tables in which the claim is settled.

    Examples
    --------
    >>> settled_by(2, 40, "questions", ["fails", "holds", "fails"])
    'About 40 more questions would settle this in most simulated tables, where it most often fails'
    """
    if times is None:
        return say(part("claims.settle.never", times=MORE[-1], what=what))
    more = {"more": (times - 1) * n, "what": what}
    if not verdicts:
        return say(part("claims.settle.more", **more))
    return say(part("claims.settle.more_likely", **more, verdict=max(sorted(set(verdicts)), key=verdicts.count)))
