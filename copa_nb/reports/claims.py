"""What a paper says, what came out, and the verdict: computed, never typed in."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from copa_nb.checks import one_of
from copa_nb.text import escape

PAPERS = ("COPA", "Mind the Gap", "HV test", "Partial rankings")
REPRODUCED, DIFFERS, STAND_IN, NOT_CHECKABLE = "reproduced", "differs", "stand-in", "not checkable"
VERDICTS = (REPRODUCED, DIFFERS, STAND_IN, NOT_CHECKABLE)
_IDENTIFIER = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class Claim:
    """One statement of a paper beside what was found.

    Parameters
    ----------
    id : str
        Lower case words joined by hyphens, e.g. ``"copa-fig1-half"``.
    paper : str or None
        One of the four papers.
    says, found : str
        The statement, and the numbers that speak for or against it.
    holds : bool or None
        Whether the numbers bear it out; None if that cannot be checked.
    note : str
        Why it differs or cannot be checked, or what the reader must know besides.
    stand_in : bool
        Whether it was looked at on other data than the paper's.
    """

    id: str
    paper: str | None
    says: str
    found: str
    holds: bool | None
    note: str = ""
    stand_in: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _IDENTIFIER.fullmatch(self.id):
            raise ValueError(f"`id` is {self.id!r}; it must be lower case words joined by hyphens.")
        if self.paper is not None:
            one_of("paper", self.paper, PAPERS)
        if self.holds is not None and not isinstance(self.holds, bool | np.bool_):
            raise TypeError(
                f"`holds` is {self.holds!r}; it must be True, False or None: compare numbers, "
                "e.g. holds=abs(found - printed) < 0.005."
            )
        for argument in ("says", "found"):
            if not str(getattr(self, argument)).strip():
                raise ValueError(f"`{argument}` of the claim {self.id!r} is empty.")

    @property
    def verdict(self) -> str:
        """``"reproduced"``, ``"differs"``, ``"stand-in"`` or ``"not checkable"``."""
        if self.holds is None:
            return NOT_CHECKABLE
        if self.stand_in:
            return STAND_IN
        return REPRODUCED if self.holds else DIFFERS

    def payload(self) -> dict[str, object]:
        """Return the claim with its verdict as JSON data."""
        holds = None if self.holds is None else bool(self.holds)
        note = self.note
        if self.stand_in and holds is not None:
            note = f"{'Holds' if holds else 'Does not hold'} on the stand-in data. {note}".strip()
        return asdict(self) | {"holds": holds, "note": note, "verdict": self.verdict}

    def to_html(self) -> str:
        """Return the claim in two lines for a notebook."""
        said = self.payload()["note"]
        note = f"<br><em>{escape(said)}</em>" if said else ""
        return (
            "<p style='border-left:3px solid #8886;padding-left:.8em'>"
            f"<strong>{escape(self.verdict)}</strong> ({escape(self.id)}) The paper: {escape(self.says)}"
            f"<br>Found: {escape(self.found)}{note}</p>"
        )


def count_verdicts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the claims under each verdict that occurs, in the order of the verdicts."""
    given = [claim["verdict"] for claim in claims]
    return {verdict: given.count(verdict) for verdict in VERDICTS if verdict in given}
