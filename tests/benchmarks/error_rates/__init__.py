"""Does what the package prints keep its level? Coverage of intervals, size and power of tests, simulated.

``python -m tests.benchmarks.error_rates`` runs every simulation in full and writes ``docs/coverage.csv`` and, for each
verb the setting that it does worst in, ``docs/coverage_worst.csv``; ``--only ROOM`` takes one room, ``--simulations
200`` fewer runs. Each room has a module here with a function ``rates(n)`` that yields one :class:`Rate` for each
interval or test and each setting. It calls the public verbs and reads what they return. The tests run the same
functions in small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# A rate that misses its nominal level by no more than this keeps the level.
TOLERANCE = 0.02


def excess(kind: str, nominal: float, actual: float) -> float:
    """By how much a rate is on the wrong side of its nominal level; negative on the right side."""
    return nominal - actual if kind == "coverage" else actual - nominal


@dataclass(frozen=True)
class Rate:
    """How often something came true, and how often it should.

    Parameters
    ----------
    what : str
        The interval or test, as a user calls it: ``"gap_bootstrap().interval()"``.
    setting : str
        What was simulated.
    kind : {"coverage", "size", "power"}
        Share of intervals that cover the truth, share of true null hypotheses rejected, or share of real effects found.
    nominal : float or None
        What it should be; None for a power, which has no nominal value.
    hits, n : int
        How often it came true, among how many answers.
    note : str
        What the package reports where the nominal level is not kept.
    refused : int
        Further simulations in which the verb raised an error or warned that it states no level.
    """

    what: str
    setting: str
    kind: str
    nominal: float | None
    hits: int
    n: int
    note: str = ""
    refused: int = 0

    @property
    def actual(self) -> float:
        """The rate; NaN if the verb never answered."""
        return self.hits / self.n if self.n else math.nan

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        share = (self.hits + 1) / (self.n + 2)
        return math.sqrt(share * (1 - share) / self.n) if self.n else math.nan

    @property
    def keeps_level(self) -> bool:
        """Whether the rate is on the right side of its nominal level, or close enough to it."""
        if self.nominal is None or not self.n:
            return True
        return excess(self.kind, self.nominal, self.actual) <= max(TOLERANCE, 3 * self.error)

    @property
    def label(self) -> str:
        """What the package reports, or that the rate errs on the safe side of its nominal level."""
        if self.note or self.nominal is None:
            return self.note
        return "conservative" if -excess(self.kind, self.nominal, self.actual) > TOLERANCE else ""
