"""The answer of an analysis: what a page, a command line and other programs show first."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from copa_nb.results.guarantee import Guarantee
from copa_nb.results.sentences import CARD, CERTAINTY, DETAILS, HEADLINE, REASONS, Part, said
from copa_nb.results.values import json_value


@dataclass(frozen=True)
class SmallTable:
    """A small table in the answer.

    Parameters
    ----------
    columns : list of str
        Headings; the first column names the rows.
    rows : list of list of str
        Cells.
    """

    columns: list[str]
    rows: list[list[str]]


@dataclass(frozen=True)
class Answer:
    """The answer of an analysis.

    Parameters
    ----------
    headline : str
        The answer in one sentence with its number: the title of the report.
    lines : sequence of str
        One or a few sentences each: the reasons.
    question : str
        What was asked.
    certainty : str
        How certain the answer is, and how that was measured.
    used : str
        Verb whose paper the report cites, in addition to the paper that it is about.
    values : dict
        The answer as data, for programs: JSON values by name.
    card : SmallTable, optional
        What was compared, in a few numbers.
    details : sequence of str
        Further sentences, for which the card has no room.
    """

    headline: str
    lines: Sequence[str] = ()
    question: str = ""
    certainty: str = ""
    used: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    card: SmallTable | None = None
    details: Sequence[str] = ()

    @classmethod
    def of(cls, parts: Sequence[Part], guarantee: Guarantee | None = None, **given: Any) -> Answer:
        """Write what a result says, each sentence in its place; what may be wrong with it is on the card in short."""
        parts = [*parts, *([] if guarantee is None else guarantee.parts())]
        (headline,) = said(parts, HEADLINE)
        certainty = " ".join([*said(parts, CERTAINTY), *said(parts, CARD)])
        return cls(headline, said(parts, REASONS), certainty=certainty, details=said(parts, DETAILS), **given)

    def to_dict(self) -> dict[str, Any]:
        """Return what pages, manifests and the command line hand to other programs."""
        return {
            "headline": self.headline,
            "lines": list(self.lines),
            "question": self.question,
            "certainty": self.certainty,
            "values": json_value(self.values),
            "details": list(self.details),
            **({"card": {"columns": self.card.columns, "rows": self.card.rows}} if self.card else {}),
        }
