"""Does what the package prints hold as often as it says? Coverage of intervals, size and power of tests, simulated.

``python -m tests.benchmarks.error_rates`` runs every simulation in full and writes ``docs/coverage.csv``; ``--only
ROOM`` takes one room, ``--simulations 200`` fewer runs. Each room has a module here with a function ``rates(n)`` that
yields one :class:`Rate` for each interval or test and each setting. The tests run the same functions in small.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

# What is within this of its nominal level is said to keep it.
TOLERANCE = 0.02


@dataclass(frozen=True)
class Rate:
    """How often something held, beside how often it should.

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
        How often it held, in how many simulations.
    note : str
        What the package says where the nominal level is not kept.
    """

    what: str
    setting: str
    kind: str
    nominal: float | None
    hits: int
    n: int
    note: str = ""

    @property
    def actual(self) -> float:
        """The rate."""
        return self.hits / self.n

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        share = (self.hits + 1) / (self.n + 2)
        return math.sqrt(share * (1 - share) / self.n)

    @property
    def keeps_level(self) -> bool:
        """Whether the rate is on the right side of its nominal level, or close enough to it."""
        if self.nominal is None:
            return True
        miss = self.nominal - self.actual if self.kind == "coverage" else self.actual - self.nominal
        return miss <= max(TOLERANCE, 3 * self.error)

    @property
    def label(self) -> str:
        """What the package says, or that the rate errs on the safe side of its nominal level."""
        if self.note or self.nominal is None:
            return self.note
        spare = self.actual - self.nominal if self.kind == "coverage" else self.nominal - self.actual
        return "conservative" if spare > TOLERANCE else ""
