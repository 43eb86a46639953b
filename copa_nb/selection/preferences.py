"""Weights from stated preferences: importance ratios, shares of groups, and indifferences."""

from __future__ import annotations

__all__ = ["ConflictError", "Preferences"]

import re
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.docstrings import shared_parameters
from copa_nb.plotting.pictures import Picture, describes
from copa_nb.results.result import Worded, drawn
from copa_nb.results.sentences import Part, part
from copa_nb.selection.arrays import weight_constraints as arrays
from copa_nb.tables.objectives import Objectives

_NUMBER = r"(\d+(?:\.\d+)?(?:\s*/\s*\d+(?:\.\d+)?)?)"
_NAME = r"§(\d+)§"
_NAMES = r"((?:§\d+§(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)?)+)"
_BOUND = r"(at least|at most|exactly)?"
_COUNTS = "(?:counts|count|weighs|matters)"
_HAS = "(?:has|have|gets|get|shares?|counts?|together have)"
_FORMS = {
    "ratio": rf"{_NAME} {_COUNTS} {_BOUND}\s*{_NUMBER}\s*(?:x|×|times)\s*(?:as much as\s+)?{_NAME}",
    "same": rf"{_NAME} {_COUNTS} {_BOUND}\s*(?:as much as|the same as) {_NAME}",
    "share": rf"{_NAMES} {_HAS} {_BOUND}\s*{_NUMBER}\s*(%)?(?: of the weight)?",
    "nothing": rf"{_NAME} does not count",
    "indifference": (
        rf"(?:the )?top {_NUMBER}\s*% (?:in|for) {_NAME} (?:is|are) (?:worth|worth as much as|as good as) "
        rf"(?:the )?top {_NUMBER}\s*% (?:in|for) {_NAME}"
    ),
}
_EXAMPLES = (
    "'accuracy counts 3x co2_kg' (also: at least 3x, as much as), 'accuracy, f1 and auc have 50%' (also: at least, "
    "at most), 'top 10% in co2_kg is worth top 30% in accuracy', 'latency does not count'"
)
_FIXED = 1e-6


class ConflictError(ValueError):
    """Statements about weights contradict each other.

    Parameters
    ----------
    conflicts : list of list of str
        Sets of statements; leaving out any one statement of a set makes the rest of that set agree.
    """

    paper = "javaloy2025copa"

    def __init__(self, conflicts: list[list[str]]) -> None:
        parts = [
            f"{conflict[0]!r} cannot hold: every objective has a positive weight unless a statement excludes it"
            if len(conflict) == 1
            else text.listing(map(repr, conflict)) + " contradict each other"
            for conflict in conflicts
        ]
        super().__init__(f"`statements`: {'; '.join(parts)}. Change or drop one statement of each.")
        self.conflicts = conflicts


@dataclass(frozen=True, repr=False)
class Preferences(Worded, Mapping[Hashable, float]):
    """Weights that satisfy a set of statements; accepted wherever ``weights=`` is an option.

    Parameters
    ----------
    weights : dict of objective to float
        The most even weights that agree with every statement; they sum to 1.
    statements : tuple of str
        The statements.
    ranges : DataFrame
        Per objective: ``weight``, and the ``low`` and ``high`` that the statements would also allow.
    """

    paper = "javaloy2025copa"

    weights: dict[Hashable, float]
    statements: tuple[str, ...]
    ranges: pd.DataFrame = field(compare=False)

    @classmethod
    @shared_parameters
    def from_statements(
        cls,
        objectives: Objectives | Mapping[Any, str],
        *statements: str,
        groups: Mapping[str, Sequence[Hashable]] | None = None,
    ) -> Preferences:
        """Turn statements in words into weights.

        Parameters
        ----------
        objectives : Objectives or mapping of column to direction
            The objectives.
        *statements : str
            Any number of these, with the names of objectives or groups (in backticks if you like):

            - ratios: ``"accuracy counts 3x co2_kg"``, ``"accuracy counts at least 2 times co2_kg"``,
              ``"accuracy counts as much as co2_kg"``;
            - shares, alone or together: ``"co2_kg has 50%"``, ``"bbh, math and gpqa have at most 1/2"``;
            - indifferences: ``"top 10% in co2_kg is worth top 30% in accuracy"``: being among the best tenth
              in the one is as good as being among the best three tenths in the other, for every p;
            - ``"latency does not count"``.
        groups : mapping of name to list of objectives, optional
            Names for groups, e.g. ``{"performance": ["bbh", "math"]}``; a group's weight is the sum of its members',
            which share it evenly unless a statement specifies otherwise.

        Returns
        -------
        Preferences
            A mapping of objective to weight. Where the statements leave weights open, the most even ones
            (largest entropy) are taken and the range left open is in ``ranges``.

        Raises
        ------
        ConflictError
            If statements contradict each other; it names the smallest sets that do, and nothing is averaged.
        ValueError
            For a statement that is not understood, or an unknown name.

        See Also
        --------
        copa_nb.accessor.Moo.copa : The decision under these weights.
        Selection.elicit : Weights from comparisons of rows.

        References
        ----------
        %(copa_paper)s
           An indifference makes two terms of the criterion (equations 10 and 11) equal.

        Examples
        --------
        >>> from copa_nb.results import Preferences
        >>> directions = {"accuracy": "max", "f1": "max", "co2_kg": "min"}
        >>> Preferences.from_statements(directions, "accuracy counts 3x co2_kg", "f1 has 20%")
        <Preferences from 2 statements: accuracy=0.6, f1=0.2, co2_kg=0.2>
        >>> Preferences.from_statements(directions, "quality has 50%", groups={"quality": ["accuracy", "f1"]})
        <Preferences from 1 statements: accuracy=0.25, f1=0.25, co2_kg=0.5>
        >>> Preferences.from_statements(directions, "accuracy counts 2x f1", "f1 counts as much as accuracy")
        Traceback (most recent call last):
        ...
        copa_nb.selection.preferences.ConflictError: `statements`: 'accuracy counts 2x f1' and 'f1 counts as much as
        accuracy' contradict each other. Change or drop one statement of each.
        """
        resolved = objectives if isinstance(objectives, Objectives) else Objectives.of(objectives)
        language = _Language.of(resolved, groups or {})
        parsed = [language.parse(text) for text in statements]
        conditions = arrays.Conditions(
            np.array([one.row for one in parsed]).reshape(len(parsed), len(resolved)),
            np.array([one.bound for one in parsed]),
            np.array([one.equal for one in parsed], dtype=bool),
            ~np.any([one.excluded for one in parsed] or [np.zeros(len(resolved), dtype=bool)], axis=0),
        )
        conflicts = arrays.minimal_conflicts(conditions)
        if conflicts:
            raise ConflictError([_with_exclusions(conflict, parsed) for conflict in conflicts])
        weights = arrays.most_even(conditions)
        limits = arrays.ranges(conditions)
        table = pd.DataFrame(
            {"weight": weights, "low": limits[:, 0], "high": limits[:, 1]},
            index=pd.Index(resolved.names, name="objective", tupleize_cols=False),
        )
        return cls(dict(zip(resolved, weights.tolist(), strict=True)), tuple(statements), table)

    def __getitem__(self, name: Hashable) -> float:
        return self.weights[name]

    def __iter__(self) -> Iterator[Hashable]:
        return iter(self.weights)

    def __len__(self) -> int:
        return len(self.weights)

    @property
    def undecided(self) -> list[Hashable]:
        """Objectives whose weight the statements leave open; it was chosen as even as possible."""
        open_ = (self.ranges["high"] - self.ranges["low"]) > _FIXED
        return list(self.ranges.index[open_])

    @property
    def table(self) -> pd.DataFrame:
        """Return :attr:`ranges`."""
        return self.ranges

    def parts(self) -> list[Part]:
        """The weights that follow, the largest first, and what was left open."""
        weights = [
            part("preferences.phrases.weight", name=text.spoken(name), weight=weight)
            for name, weight in self.weights.items()
        ]
        largest = max(self.weights, key=lambda name: self.weights[name])
        undecided = list(map(text.spoken, self.undecided))
        return [
            part("preferences.headline.largest", name=text.spoken(largest), weight=self.weights[largest]),
            part("preferences.reasons.weights", weights=weights),
            *([part("preferences.details.open", names=undecided, n=len(undecided))] if undecided else []),
        ]

    @drawn
    def plot(self, ax: Any = None) -> Any:
        """Draw the weights, each with the range that the statements allow."""
        from copa_nb.plotting.rows import draw_rows

        return draw_rows(
            self.ranges["weight"].rename(text.spoken), "weight (line: range that the statements allow)", ax=ax,
            intervals=self.ranges[["low", "high"]],
        )  # fmt: skip

    def __repr__(self) -> str:
        weights = ", ".join(f"{name}={weight:.3g}" for name, weight in self.weights.items())
        return f"<Preferences from {len(self.statements)} statements: {weights}>"

    def _card(self) -> str:
        caption = f"From: {'; '.join(self.statements)}." if self.statements else "No statements: all weights are equal."
        return text.card("Weights", [self.explain()], text.html_table(self.ranges, caption=caption))


@dataclass(frozen=True)
class _Statement:
    """A condition row · w = bound (or >= bound), and objectives that do not count."""

    text: str
    row: np.ndarray
    bound: float
    equal: bool
    excluded: np.ndarray


def _with_exclusions(conflict: list[int], parsed: list[_Statement]) -> list[str]:
    """Texts of a conflict, with the statements that took the objectives concerned out of the count."""
    concerned = np.any([parsed[i].row != 0 for i in conflict], axis=0) if conflict else True
    taken_out = [i for i, one in enumerate(parsed) if (one.excluded & concerned).any() or not conflict]
    return [parsed[i].text for i in sorted({*conflict, *taken_out})]


@dataclass(frozen=True)
class _Language:
    """The names that statements may use, each with the objectives behind it."""

    names: list[str]
    members: np.ndarray
    objectives: Objectives

    @classmethod
    def of(cls, objectives: Objectives, groups: Mapping[str, Sequence[Hashable]]) -> _Language:
        names = [str(name) for name in objectives]
        members = list(np.eye(len(objectives)))
        for group, listed in groups.items():
            if group in names:
                raise ValueError(f"`groups` has {group!r}, which is the name of an objective; choose another.")
            if isinstance(listed, str) or len(listed) == 0:
                raise ValueError(f"`groups` gives {listed!r} for {group!r}; it must be a list of objectives.")
            row = np.zeros(len(objectives))
            row[[objectives.position(name, "groups") for name in listed]] = 1.0
            names.append(group)
            members.append(row)
        return cls(names, np.array(members), objectives)

    def parse(self, text: str) -> _Statement:
        if not isinstance(text, str):
            raise TypeError(f"`statements` must be sentences, not {type(text).__name__}, e.g. {_EXAMPLES}.")
        coded = self._coded(text)
        for form, pattern in _FORMS.items():
            if match := re.fullmatch(pattern, coded, flags=re.IGNORECASE):
                return self._statement(text, form, match.groups())
        unknown = re.findall(r"[^\W\d]\w+", re.sub(r"§\d+§", "", coded))
        near = next((hint for word in unknown if (hint := checks.nearest(word, self.names))), "")
        raise ValueError(
            f"`statements` holds {text!r}, which is not understood.{near} Known names are {checks.listed(self.names)}; "
            f"statements read like {_EXAMPLES}."
        )

    def _coded(self, text: str) -> str:
        """Replace names, longest first, by their numbers, and tidy the spaces."""
        for number in sorted(range(len(self.names)), key=lambda i: -len(self.names[i])):
            name = re.escape(self.names[number])
            text = re.sub(rf"`{name}`|'{name}'|\"{name}\"|(?<![\w§]){name}(?![\w§])", f"§{number}§", text)
        return re.sub(r"\s+", " ", text.strip().rstrip("."))

    def _statement(self, text: str, form: str, parts: Sequence[str | None]) -> _Statement:
        nothing = np.zeros(len(self.objectives), dtype=bool)
        if form == "ratio":
            first, bound, number, second = parts
            return self._compared(text, first, bound, self._amount(text, number), second)
        if form == "same":
            first, bound, second = parts
            return self._compared(text, first, bound, 1.0, second)
        if form == "nothing":
            excluded = self.members[int(str(parts[0]))] > 0
            return _Statement(text, np.zeros(len(nothing)), 0.0, True, excluded)
        if form == "indifference":
            share, name, other_share, other = parts
            # The same criterion from either: w a = v b.
            ratio = self._amount(text, other_share) / self._amount(text, share)
            for one in (name, other):
                if self.members[int(str(one))].sum() != 1:
                    raise ValueError(f"`statements` holds {text!r}; only single objectives have ranks, not groups.")
            return self._compared(text, name, None, ratio, other)
        names, bound, number, percent = parts
        share_of_all = self._amount(text, number) / (100.0 if percent else 1.0)
        if not 0 < share_of_all <= 1:
            raise ValueError(f"`statements` holds {text!r}; a share lies between 0 and 100% (or write 1/2, 0.5).")
        row = self.members[[int(i) for i in re.findall(r"\d+", str(names))]].max(axis=0)
        sign = -1.0 if bound == "at most" else 1.0
        return _Statement(text, sign * row, sign * share_of_all, bound in (None, "exactly"), nothing)

    def _compared(
        self, text: str, first: str | None, bound: str | None, times: float, second: str | None
    ) -> _Statement:
        one, other = (self.members[int(str(number))] for number in (first, second))
        if (one * other).any():
            raise ValueError(f"`statements` holds {text!r}, which compares an objective with itself.")
        sign = -1.0 if bound == "at most" else 1.0
        row = sign * (one - times * other) / max(1.0, times)
        return _Statement(text, row, 0.0, bound in (None, "exactly"), np.zeros(len(one), dtype=bool))

    def _amount(self, text: str, number: str | None) -> float:
        numerator, _, denominator = str(number).partition("/")
        below = float(denominator or 1.0)
        if below == 0 or float(numerator) == 0:
            raise ValueError(f"`statements` holds {text!r}; {number} is not a positive number.")
        return float(numerator) / below


@describes(Preferences.plot)
def _weights_in_words(preferences: Preferences) -> Picture:
    return Picture(
        finding=preferences.headline,
        caption="The weights (dots), and the range of each that the statements allow (lines).",
        alt=f"Dots with the weight of each of {len(preferences.weights):,} objectives, and lines for their ranges.",
        data=preferences.ranges,
    )
