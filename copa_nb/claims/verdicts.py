"""Words for verdicts on claims: of papers, of this package, and of files of claims."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

HOLDS, FAILS, UNDECIDED = "holds", "fails", "undecided"
REPRODUCED, DIFFERS, NOT_CHECKABLE = "reproduced", "differs", "not checkable"
HOLDS_ELSEWHERE, FAILS_ELSEWHERE = "holds on other data", "fails on other data"
# A claim of a paper whose report has not been made.
NOT_COVERED = "not covered"

# On claims of papers; on claims of this package, which are never counted with them; on files of claims.
OF_PAPERS = (REPRODUCED, DIFFERS, HOLDS_ELSEWHERE, FAILS_ELSEWHERE, NOT_CHECKABLE)
OWN = (HOLDS, FAILS)
OF_FILES = (HOLDS, FAILS, UNDECIDED)


def counted(verdicts: Iterable[str], among: Sequence[str]) -> dict[str, int]:
    """Count the verdicts that occur, in the order of `among`.

    Examples
    --------
    >>> counted(["fails", "holds", "holds"], OF_FILES)
    {'holds': 2, 'fails': 1}
    """
    found = list(verdicts)
    return {verdict: found.count(verdict) for verdict in among if verdict in found}
