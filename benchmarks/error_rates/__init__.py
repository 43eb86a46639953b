"""Does what the package prints keep its level? Coverage of intervals, size and power of tests, simulated.

``python -m benchmarks.error_rates`` runs every simulation in full and writes ``docs/coverage.csv`` and, for each
verb the setting that it does worst in, ``docs/coverage_worst.csv``; ``--only ROOM`` takes one room, ``--simulations
200`` fewer runs. Each room has a module here with a function ``rates(n)`` that yields one :class:`Rate` for each
interval or test and each setting. It calls the public verbs and reads what they return: what is wrong, and which
caveats the guarantee of the result carries. The tests run the same functions in small.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field

from copa_nb.results.guarantee import Guarantee

# A rate that misses its nominal level by no more than this keeps the level.
TOLERANCE = 0.02
# Answers that are wrong without a caveat may exceed the nominal level by this.
SILENT_TOLERANCE = 0.03
# Kinds of rates that have a level.
OF_LEVELS = ("coverage", "size")
# What stands in place of a caveat where a result states no level.
NO_LEVEL = "no level stated"


def excess(kind: str, nominal: float, actual: float) -> float:
    """By how much a rate is on the wrong side of its nominal level; negative on the right side."""
    return actual - nominal if kind == "size" else nominal - actual


def monte_carlo_error(hits: int, n: int) -> float:
    """Monte Carlo standard error of a rate; NaN if there is none."""
    share = (hits + 1) / (n + 2)
    return math.sqrt(share * (1 - share) / n) if n else math.nan


def names_of(guarantee: Guarantee) -> frozenset[str]:
    """What the guarantee of a result says against its level: names of caveats, or that no level is stated."""
    unstated = [NO_LEVEL] if guarantee.confidence_level is None else []
    return frozenset([*(caveat.name for caveat in guarantee.warnings), *unstated])


@dataclass(frozen=True)
class Said:
    """Which caveats answers carried.

    Parameters
    ----------
    wrong, right : tuple of sets of str
        Names of the caveats of each wrong and of each right answer.
    """

    wrong: tuple[frozenset[str], ...] = ()
    right: tuple[frozenset[str], ...] = ()

    @property
    def label(self) -> str:
        """Caveats of wrong answers, the most frequent first, and on which share of these they stand."""
        names = set().union(*self.wrong)
        shares = {name: sum(name in one for one in self.wrong) / len(self.wrong) for name in names}
        ordered = sorted(names, key=lambda name: (-shares[name], name))
        return ", ".join(f"{name} ({shares[name]:.0%})" for name in ordered)

    @property
    def n_silent(self) -> int:
        """Wrong answers without a caveat."""
        return sum(not names for names in self.wrong)


@dataclass(frozen=True)
class Rate:
    """How often something came true, and how often it should.

    Parameters
    ----------
    what : str
        The interval or test, as a user calls it: ``"gap().bootstrap().interval()"``.
    setting : str
        What was simulated.
    kind : {"coverage", "size", "share", "power"}
        Share of intervals that cover the truth, share of true null hypotheses rejected, how often what is given a share
        comes true, or share of real effects found.
    nominal : float or None
        What it should be; None for a power, which has no nominal value.
    hits, n : int
        How often it came true, among how many answers.
    note : str
        What else there is to say.
    refused : int
        Further simulations in which the verb raised an error or warned that it states no level.
    said : Said, optional
        Which caveats the answers carried.
    comparator : bool
        Whether the package shows it for comparison only, or not at all.
    """

    what: str
    setting: str
    kind: str
    nominal: float | None
    hits: int
    n: int
    note: str = ""
    refused: int = 0
    said: Said | None = None
    comparator: bool = False

    @property
    def actual(self) -> float:
        """The rate; NaN if the verb never answered."""
        return self.hits / self.n if self.n else math.nan

    @property
    def error(self) -> float:
        """Monte Carlo standard error of the rate."""
        return monte_carlo_error(self.hits, self.n)

    @property
    def keeps_level(self) -> bool:
        """Whether the rate is on the right side of its nominal level, or close enough to it."""
        if self.nominal is None or not self.n:
            return True
        return excess(self.kind, self.nominal, self.actual) <= max(TOLERANCE, 3 * self.error)

    @property
    def silent(self) -> float:
        """Share of the answers that are wrong and carry no caveat; NaN without answers, or without a level."""
        if not self.n or self.kind not in OF_LEVELS:
            return math.nan
        n_wrong = self.n - self.hits if self.kind == "coverage" else self.hits
        return (n_wrong if self.said is None else self.said.n_silent) / self.n

    @property
    def keeps_level_or_warns(self) -> bool:
        """Whether wrong answers without a caveat are as rare as wrong answers should be, or nearly."""
        if self.kind not in OF_LEVELS or self.nominal is None or not self.n:
            return True
        alpha = 1 - self.nominal if self.kind == "coverage" else self.nominal
        return self.silent - alpha <= max(TOLERANCE, 3 * self.error)

    @property
    def remark(self) -> str:
        """The note, or that the rate errs on the safe side of its nominal level."""
        if self.note or self.nominal is None:
            return self.note
        return "conservative" if -excess(self.kind, self.nominal, self.actual) > TOLERANCE else ""


@dataclass
class Answers:
    """What a verb answered on simulated tables, and where it refused.

    Parameters
    ----------
    wrong, right : list of sets of str
        Names of the caveats of each answer.
    refusals : list of str
        Errors, and warnings that no level is stated.
    """

    wrong: list[frozenset[str]] = field(default_factory=list)
    right: list[frozenset[str]] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)

    def add(self, is_wrong: bool, caveats: Iterable[str]) -> None:
        """Note an answer."""
        (self.wrong if is_wrong else self.right).append(frozenset(caveats))

    def rate(self, what: str, setting: str, kind: str = "size", nominal: float | None = 0.05, note: str = "") -> Rate:
        """How often answers are wrong, or for a coverage right."""
        n = len(self.wrong) + len(self.right)
        hits = len(self.right if kind == "coverage" else self.wrong)
        notes = [note] * bool(note) + [f"refused: {one}" for one in self.refusals[:1]]
        said = Said(tuple(self.wrong), tuple(self.right))
        return Rate(what, setting, kind, nominal, hits, n, "; ".join(notes), len(self.refusals), said)
