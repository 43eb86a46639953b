"""Findings about claims, and which claim a function checks.

Such a function takes results of public verbs, so it can be tested on small inputs without a notebook.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar


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
class CheckedClaim:
    """What a function checks: the claim, and its words if it is our own.

    Parameters
    ----------
    id : str
        The claim's name in the ledger.
    says : str
        The statement, for a claim of our own.
    of : str
        The listed claim that this is, where one is checked more than once under ids of their own.
    """

    id: str
    says: str = ""
    of: str = ""


Checking = TypeVar("Checking", bound=Callable[..., Finding])


def claim(id: str, *, says: str = "", of: str = "") -> Callable[[Checking], Checking]:
    """Put on a function which claim it checks; parameters are those of :class:`CheckedClaim`.

    Examples
    --------
    >>> @claim("ours", says="two is even")
    ... def evenness(number):
    ...     return Finding(found=f"the remainder is {number % 2}", holds=number % 2 == 0)
    >>> checked_by(evenness).says
    'two is even'
    """

    def mark(function: Checking) -> Checking:
        function.checked = CheckedClaim(id, says, of)  # type: ignore[attr-defined]
        return function

    return mark


def checked_by(function: Callable[..., Finding]) -> CheckedClaim:
    """Return the claim that a function checks.

    Raises
    ------
    TypeError
        If ``@claim`` does not decorate it.
    """
    checked = getattr(function, "checked", None)
    if not isinstance(checked, CheckedClaim):
        raise TypeError(f"`function` is {function!r}; it must be a function decorated with @claim.")
    return checked
