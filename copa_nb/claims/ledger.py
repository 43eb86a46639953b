"""Entries of the ledger: claims of papers, compared with the findings of reports, and the resulting verdicts."""

from __future__ import annotations

import numbers
import re
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from copa_nb.checks import nearest
from copa_nb.claims.collection import installed
from copa_nb.claims.verdicts import (
    DIFFERS,
    FAILS,
    FAILS_ELSEWHERE,
    HOLDS,
    HOLDS_ELSEWHERE,
    NOT_CHECKABLE,
    OF_PAPERS,
    OWN,
    REPRODUCED,
    counted,
)
from copa_nb.text import escape, number

# Why a number of a paper was not found again on the paper's own data.
PAPER_IN_ERROR, NOT_FOUND = "the paper is in error", "not found"
REASONS = (PAPER_IN_ERROR, "other random draws", "another state of the data", "unstated setting", NOT_FOUND)
_ID = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


@dataclass(frozen=True)
class LedgerEntry:
    """One statement and the finding about it; the verdict is computed, never typed in.

    Parameters
    ----------
    id : str
        Lower case words joined by hyphens, e.g. ``"copa-fig1-half"``.
    paper : str or None
        One of the papers.
    says, found : str
        The statement in our words, and the numbers for or against it.
    holds : bool or None
        Whether the numbers support it; None if that cannot be checked.
    note : str
        Why it differs or cannot be checked, or other remarks.
    reason : str
        One of ``REASONS``, kept if the verdict is "differs"; "not found" if none is given.
    place : str
        The section, figure or table of the paper.
    printed, ours, tolerance : str
        The number in the paper, the number found, and how much they may differ.
    other_data : str
        Data other than the paper's on which it was checked, and why.
    own : bool
        Whether the claim is this package's, not a paper's.
    """

    id: str
    paper: str | None
    says: str
    found: str
    holds: bool | None
    note: str = ""
    place: str = ""
    printed: str = ""
    ours: str = ""
    tolerance: str = ""
    other_data: str = ""
    own: bool = False
    reason: str = ""

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _ID.fullmatch(self.id):
            raise ValueError(f"`id` is {self.id!r}; it must be lower-case words joined by hyphens.")
        if self.holds is not None and not isinstance(self.holds, bool | np.bool_):
            raise TypeError(
                f"`holds` is {self.holds!r}; it must be True, False or None: compare numbers, "
                "e.g. holds=abs(found - printed) < 0.005."
            )
        if self.reason and self.reason not in REASONS:
            raise ValueError(f"`reason` of the claim {self.id!r} is {self.reason!r}; it must be one of {REASONS}.")
        object.__setattr__(self, "reason", (self.reason or NOT_FOUND) if self.verdict == DIFFERS else "")
        for argument in ("says", "found"):
            if not getattr(self, argument).strip():
                raise ValueError(f"`{argument}` of the claim {self.id!r} is empty; pass a sentence.")
        if self.holds is None and self.own:
            raise ValueError(
                f"`holds` of the claim {self.id!r} is None; a claim of our own must be checked: pass True or False."
            )
        if self.holds is None and not self.note.strip():
            raise ValueError(f"`note` of the claim {self.id!r} is empty; explain why the claim cannot be checked.")

    @property
    def verdict(self) -> str:
        """One of ``copa_nb.claims.verdicts.OF_PAPERS``, or of ``OWN`` for a claim of our own."""
        if self.holds is None:
            return NOT_CHECKABLE
        if self.own:
            return HOLDS if self.holds else FAILS
        if self.other_data:
            return HOLDS_ELSEWHERE if self.holds else FAILS_ELSEWHERE
        return REPRODUCED if self.holds else DIFFERS

    def payload(self) -> dict[str, object]:
        """Return the claim with its verdict as JSON data."""
        return asdict(self) | {"holds": None if self.holds is None else bool(self.holds), "verdict": self.verdict}

    def to_html(self) -> str:
        """Return the claim in a few lines for a notebook."""
        verdict = f"{self.verdict}: {self.reason}" if self.reason else self.verdict
        lines = [f"<strong>{escape(verdict)}</strong> ({escape(self.id)}) {escape(self.statement)}"]
        lines.append(f"Found: {escape(self.found)}")
        if self.numbers:
            lines.append(escape(self.numbers))
        lines += [f"<em>{escape(line)}</em>" for line in (self.other_data, self.note) if line]
        return f"<p style='border-left:3px solid #8886;padding-left:.8em'>{'<br>'.join(lines)}</p>"

    @property
    def statement(self) -> str:
        """Who makes the statement, and where."""
        who = "We claim" if self.own else f"The paper{f', {self.place},' if self.place else ''} says"
        return f"{who}: {self.says}"

    @property
    def numbers(self) -> str:
        """The two numbers and the tolerance in one line."""
        named = {"Printed": self.printed, "ours": self.ours, "tolerance": self.tolerance}
        return "; ".join(f"{name}: {value}" for name, value in named.items() if value)


def listed_claim(id: str, *, says: str = "", of: str = "") -> Mapping[str, str]:
    """Return the row of a claim in the list of the papers' claims, which is empty for a claim of our own.

    Parameters
    ----------
    id, says, of : str
        As for :meth:`copa_nb.reports.Record.claim`.

    Raises
    ------
    ValueError
        If it is not listed and `says` is empty, or if it is listed and `says` is not.
    """
    known = installed().claims.get(of or id)
    if known is None and (of or not str(says).strip()):
        raise ValueError(
            f"`{'of' if of else 'id'}` is {of or id!r}, which no paper's list of claims has."
            f"{nearest(of or id, installed().claims)} For a claim of your own, pass `says`."
        )
    if known is not None and says:
        raise ValueError(
            f"`says` of {id!r} was passed, but the list of claims has the words of this one; leave it out."
        )
    return known or {}


def written(value: object) -> str:
    """Write a number of a claim, nothing for None."""
    return "" if value is None else number(value)


def check_tolerance(id: str, holds: bool | None, ours: object, printed: object, tolerance: object) -> None:
    """Reject a verdict that contradicts the three numbers."""
    if not (
        isinstance(ours, numbers.Real) and isinstance(printed, numbers.Real) and isinstance(tolerance, numbers.Real)
    ):
        return
    apart, most = abs(float(ours) - float(printed)), float(tolerance)
    if holds is not None and bool(holds) and apart > most * (1 + 1e-9):
        raise ValueError(
            f"`holds` of {id!r} is True, but `ours` {ours!r} and `printed` {printed!r} differ by {apart:.4g}, more "
            f"than `tolerance` {tolerance!r}."
        )


def count_verdicts(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count the claims under each verdict that occurs, in the order of the verdicts, our own last."""
    return counted((claim["verdict"] for claim in claims), (*OF_PAPERS, *OWN))


def count_reasons(claims: Iterable[Mapping[str, Any]]) -> dict[str, int]:
    """Count why claims differ, in the order of ``REASONS``; only the reasons that occur."""
    return counted((claim["reason"] for claim in claims if claim["verdict"] == DIFFERS), REASONS)
