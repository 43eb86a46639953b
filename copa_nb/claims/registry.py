"""Functions that check claims or state the answer of a report, by name.

Each takes results of public verbs, so it can be tested on small inputs without a notebook.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeVar

from copa_nb.analyses.base import Answer
from copa_nb.checks import nearest
from copa_nb.claims.collection import installed


@dataclass(frozen=True, kw_only=True)
class Finding:
    """The finding about a claim, from which its verdict follows.

    Parameters
    ----------
    found : str
        The numbers found, in a sentence.
    holds : bool or None
        Computed from the numbers; None if it cannot be checked, with the reason in `note`.
    ours, printed : number or str, optional
        The number found, and the one in the paper where it differs from the list's.
    tolerance : number or str, optional
        How much they may differ, if not as in the list.
    note : str
        Why it differs or cannot be checked.
    other_data : str
        Data other than the paper's on which it was checked, and why.
    reason : str
        Why it differs; see :meth:`copa_nb.reports.Record.claim`.
    """

    found: str
    holds: bool | None
    ours: object = None
    printed: object = None
    tolerance: object = ""
    note: str = ""
    other_data: str = ""
    reason: str = ""


@dataclass(frozen=True)
class Check:
    """A function that checks a claim, and the words of the claim if it is our own.

    Parameters
    ----------
    function : callable
        Takes results, returns a :class:`Finding`.
    says : str
        The statement, for a claim of our own.
    of : str
        The listed claim that this is, where one is checked more than once under ids of their own.
    """

    function: Callable[..., Finding]
    says: str = ""
    of: str = ""


_CHECKS: dict[str, Check] = {}
_ANSWERS: dict[str, Callable[..., Answer]] = {}

Checking = TypeVar("Checking", bound=Callable[..., Finding])
Answering = TypeVar("Answering", bound=Callable[..., Answer])


def claim(id: str, *, says: str = "", of: str = "") -> Callable[[Checking], Checking]:
    """Register a function that checks a claim; parameters are those of :class:`Check`."""

    def register(function: Checking) -> Checking:
        _CHECKS[id] = Check(function, says, of)
        return function

    return register


def answer(report: str) -> Callable[[Answering], Answering]:
    """Register the function that states the answer of a report, named as in ``copa-nb list``."""

    def register(function: Answering) -> Answering:
        _ANSWERS[report] = function
        return function

    return register


def check_of(id: str) -> Check:
    """Return the check of a claim.

    Raises
    ------
    ValueError
        If no function checks it.

    Examples
    --------
    >>> check_of("copa-fig4-gpt2").function.__module__
    'copa_nb.claims.copa'
    """
    return _found(id, _checks(), "a claim that a function checks")


def answer_of(report: str) -> Callable[..., Answer]:
    """Return the function that states the answer of a report.

    Raises
    ------
    ValueError
        If there is none.
    """
    return _found(report, _answers(), "a report whose answer a function states")


Entry = TypeVar("Entry")


def _found(name: str, known: dict[str, Entry], what: str) -> Entry:
    if name not in known:
        raise ValueError(f"{name!r} is not {what}.{nearest(name, known)}")
    return known[name]


@lru_cache(maxsize=1)
def _checks() -> dict[str, Check]:
    installed().register()
    return _CHECKS


def _answers() -> dict[str, Callable[..., Answer]]:
    _checks()
    return _ANSWERS
