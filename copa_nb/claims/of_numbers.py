"""The claims ``number`` and ``where``: a number is as printed, numbers or a system satisfy a condition."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import pandas as pd

from copa_nb import text
from copa_nb.analyses.parameters import parameter
from copa_nb.checks import listed
from copa_nb.claims.evidence import Evidence
from copa_nb.claims.kinds import Claim, Judgment, judged
from copa_nb.results.sentences import Part, part, say
from copa_nb.tables.candidates import allowed_mask, columns_in

_EXAMPLE = {"of": "ours", "column": "accuracy"}
_SOTA = {"of": "sota", "column": "accuracy"}
_ROUNDING = 1e-9


def number_at(place: Mapping[str, Any], evidence: Evidence, argument: str) -> float:
    """Return the number of a system in a column, a mean where it has several rows."""
    if set(place) != set(_EXAMPLE):
        raise ValueError(f"`{argument}` is {dict(place)!r}; it must have the keys {listed(_EXAMPLE)}.")
    label = evidence.system(str(place["of"]), argument)
    return evidence.value(label, str(place["column"]), argument)


def _named(place: Mapping[str, Any]) -> Part:
    return part("claims.phrases.number", column=text.spoken(place.get("column", "")), system=str(place.get("of", "")))


@dataclass(frozen=True, kw_only=True, eq=False)
class Number(Claim):
    """A number of the table is as printed, or on the right side of another one."""

    kind: ClassVar[str] = "number"
    about: ClassVar[str] = "a number equals a printed one, or lies above or below a bound or another number"
    example: ClassVar[Mapping[str, Any]] = {"number": _EXAMPLE, "equals": 0.91, "tolerance": 0.005}
    number: dict[str, Any] = parameter({}, "which number, e.g. {example}", example=_EXAMPLE, needed=True)
    equals: list[float] = parameter([], "what was printed")
    tolerance: float = parameter(0.0, "how much it may differ from what was printed", least=0)
    at_least: list[Any] = parameter([], "a bound, or another number like `number`")
    at_most: list[Any] = parameter([], "a bound, or another number like `number`")

    @classmethod
    def read(cls, given: Mapping[str, Any], **place: Any) -> Number:
        """Make a claim; a bound may be written without brackets."""
        bounds = ("equals", "at_least", "at_most")
        alone = {
            name: [value] for name, value in given.items() if name in bounds and not isinstance(value, list | tuple)
        }
        return super().read({**given, **alone}, **place)

    def check_values(self) -> None:
        """Refuse a claim that compares with nothing, or with what is no number."""
        given = {name: getattr(self, name) for name in ("equals", "at_least", "at_most") if getattr(self, name)}
        if not given:
            raise ValueError("`number` is compared with nothing; give `equals`, `at_least` or `at_most`.")
        for name, value in given.items():
            is_place = isinstance(value[0], Mapping) and name != "equals"
            is_number = isinstance(value[0], int | float) and not isinstance(value[0], bool)
            if len(value) != 1 or not (is_place or is_number):
                raise ValueError(
                    f"`{name}` is {value!r}; it must be a number{', or a mapping like `number`' * is_place}."
                )

    @property
    def excludes(self) -> Hashable:
        """A number equals one value."""
        return (*map(str, self.number.values()), self.tolerance) if self.equals else None

    def says(self) -> str:
        """Return the claim as a sentence."""
        conditions = [
            *(part("claims.phrases.is", value=value) for value in self.equals),
            *(part("claims.phrases.is_at_least", bound=_bound(bound)) for bound in self.at_least),
            *(part("claims.phrases.is_at_most", bound=_bound(bound)) for bound in self.at_most),
        ]
        return say(part("claims.says.number", number=_named(self.number), conditions=conditions))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the numbers of the table, means where systems have several rows."""
        value = number_at(self.number, evidence, "number")
        slack = _ROUNDING * max(abs(value), 1e-300)
        holds = not self.equals or abs(value - self.equals[0]) <= self.tolerance + slack
        limits = []
        for name, sign in (("at_least", 1), ("at_most", -1)):
            for bound in getattr(self, name):
                limit = number_at(bound, evidence, name) if isinstance(bound, Mapping) else float(bound)
                holds = holds and sign * (value - limit) >= -slack
                limits += [part("claims.phrases.limit", value=limit)] if isinstance(bound, Mapping) else []
        kind = "number_against" if limits else "number"
        return judged(holds, not holds, part(f"claims.found.{kind}", value=value, limits=limits))


def _bound(bound: Any) -> Part:
    return _named(bound) if isinstance(bound, Mapping) else part("claims.phrases.bound", value=bound)


@dataclass(frozen=True, kw_only=True, eq=False)
class Expression(Claim):
    """A condition on several numbers of the table."""

    kind: ClassVar[str] = "number"
    about: ClassVar[str] = "a condition on named numbers, written like `where`"
    example: ClassVar[Mapping[str, Any]] = {
        "number": "ours - sota > 0.02",
        "numbers": {"ours": _EXAMPLE, "sota": _SOTA},
    }
    number: str = parameter("", "condition, e.g. {example}", needed=True, example="ours - sota > 0.02")
    numbers: dict[str, Any] = parameter(
        {}, "the numbers by name, e.g. {example}", needed=True, example={"ours": _EXAMPLE}
    )

    @classmethod
    def is_meant(cls, given: Mapping[str, Any]) -> bool:
        """Whether the numbers are in a condition."""
        return isinstance(given.get("number"), str)

    def says(self) -> str:
        """Return the claim as a sentence."""
        return self.number

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the numbers of the table."""
        values = {}
        for name, place in self.numbers.items():
            if not isinstance(place, Mapping):
                raise ValueError(f"`numbers` has {place!r} for {name!r}; it must be a mapping, e.g. {_EXAMPLE}.")
            values[name] = number_at(place, evidence, "numbers")
        holds = bool(allowed_mask(pd.DataFrame(values, index=[0]), self.number)[0])
        found = [part("claims.phrases.equals", name=name, value=value) for name, value in values.items()]
        return judged(holds, not holds, part("claims.found.numbers", values=found))


@dataclass(frozen=True, kw_only=True, eq=False)
class Where(Claim):
    """The measured values of a system satisfy a condition."""

    kind: ClassVar[str] = "where"
    about: ClassVar[str] = "the measured values of the system satisfy a condition, as for a choice"
    example: ClassVar[Mapping[str, Any]] = {"where": "cost_usd <= 2", "of": "medium"}
    where: str = parameter("", "condition on columns, e.g. {example}", needed=True, example="cost_usd <= 2")
    of: str = parameter("", "system", needed=True)

    def says(self) -> str:
        """Return the claim as a sentence."""
        return say(part("claims.says.where", system=self.of, condition=self.where))

    def judge(self, evidence: Evidence, alpha: float) -> Judgment:
        """Judge by the values, or their means."""
        label = evidence.system(self.of, "of")
        row = evidence.means.loc[[label]]
        if missing := [name for name in columns_in(evidence.means, self.where) if row[name].isna().any()]:
            evidence.refuse_empty(label, missing)
        holds = bool(allowed_mask(evidence.means, self.where)[evidence.systems.index(label)])
        numbers = [
            part("claims.phrases.has", name=text.spoken(name), value=value)
            for name, value in row.iloc[0].items()
            if str(name) in self.where and isinstance(value, int | float)
        ]
        found = part("claims.found.numbers", values=numbers) if numbers else part("claims.found.by_the_table")
        return judged(holds, not holds, found)
