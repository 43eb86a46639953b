"""Which of two methods has the better front, by three criteria (section 4)."""

from __future__ import annotations

__all__ = ["GapComparison", "RepeatedComparison"]

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import pandas as pd

from copa_nb import text
from copa_nb.generalization.arrays.fronts import weakly_dominates
from copa_nb.generalization.result import Gap
from copa_nb.generalization.volumes import point_text
from copa_nb.results.guarantee import Guarantee
from copa_nb.results.offered import Offered
from copa_nb.results.printed import PrintedTable
from copa_nb.results.result import Grouped, Worded
from copa_nb.results.sentences import Part, part, say, template

CRITERIA = ("hypervolume", "dominance", "robustness")
NO_STATEMENT = "no statement"
TIES = "ties"
# What can be asked of all pairs together.
_OF_PAIRS: Mapping[str, Any] = {
    "explain": lambda pairs: _first_of(pairs).explain(),
    "plot": lambda pairs, *args, **options: _first_of(pairs).plot(*args, **options),
    "printed_tables": lambda pairs: [_verdicts_of(pairs.results)],
}
_OF_ONE_TEST_SET = Guarantee(
    estimates="the fronts on this test set",
    sampled="",
    holds="",
    confidence_level=None,
    jointly=True,
    basis="none",
    method="all three criteria treat the test scores as exact; gap.bootstrap() shows how much they depend on the test "
    "data",
)
_OF_REPETITIONS = Guarantee(
    estimates="the fronts of these repetitions",
    sampled="",
    holds="",
    confidence_level=None,
    jointly=True,
    basis="none",
    method="shares of repetitions are frequencies, not probabilities that a method is better",
)
_OF_TIES = Guarantee(
    estimates="the fronts on this test set",
    sampled="",
    holds="",
    confidence_level=None,
    jointly=True,
    basis="none",
    method="all pairs of ways to keep one of equal rows were compared; a verdict that not all of them have is due to "
    "the choice among ties",
)
_OF_RESAMPLES = Guarantee(
    estimates="the fronts on resamples of one test set",
    sampled="",
    holds="",
    confidence_level=None,
    jointly=True,
    basis="none",
    method="these shares are bootstrap selection frequencies, not probabilities that a method is better, because "
    "resampling biases gaps upwards",
)


def compare_measured(a: Gap, b: Gap, names: tuple[str, str]) -> GapComparison:
    """Compare two methods by the three criteria; see :meth:`copa_nb.results.Gap.compare`."""
    return _compare(a, b, _checked(names))


def compare_repeated(
    a: Mapping[Hashable, Gap], b: Mapping[Hashable, Gap], names: tuple[str, str], kind: str
) -> RepeatedComparison:
    """Compare two methods in every repetition that both have; see :meth:`copa_nb.results.Gap.compare`."""
    names = _checked(names)
    shared = [label for label in a if label in b]
    if not shared:
        raise ValueError(
            "the two have no repetition in common; the `repeat` column must hold the same labels (split, seed) for "
            "both."
        )
    return RepeatedComparison({label: _compare(a[label], b[label], names) for label in shared}, names, kind)


def compare_ways(a: Mapping[Hashable, Gap], b: Mapping[Hashable, Gap], names: tuple[str, str]) -> RepeatedComparison:
    """Compare two methods for every way to keep one of equal rows of each; see :meth:`copa_nb.results.Gap.compare`."""
    names = _checked(names)
    pairs: dict[Hashable, GapComparison] = {(one, other): _compare(a[one], b[other], names) for one in a for other in b}
    return RepeatedComparison(pairs, names, TIES)


def _checked(names: tuple[str, str]) -> tuple[str, str]:
    first, second = (str(name) for name in names)
    if first == second or NO_STATEMENT in (first, second):
        raise ValueError(f"`names` is {(first, second)!r}; give two different names, neither of them {NO_STATEMENT!r}.")
    return first, second


def _compare(a: Gap, b: Gap, names: tuple[str, str]) -> GapComparison:
    if a.objectives != b.objectives:
        raise ValueError(
            f"the two gaps have different objectives ({', '.join(a.objectives.labels)}; "
            f"{', '.join(b.objectives.labels)}); measure both with the same `objectives`."
        )
    if a.reference != b.reference:
        raise ValueError(
            f"the two gaps have different reference points ({a.reference}; {b.reference}), so their hypervolumes are "
            "not comparable; measure both with one `reference=`, or in one call with `by=`."
        )
    return GapComparison(_by_hypervolume(a, b, names), _by_dominance(a, b, names), _by_gap(a, b, names), names, (a, b))


def _both_ways(a: Gap, b: Gap, names: tuple[str, str]) -> Iterator[tuple[Gap, Gap, str, str]]:
    """First `a` as the better method, then `b`: the better gap, the worse, and their names."""
    yield a, b, names[0], names[1]
    yield b, a, names[1], names[0]


def _by_hypervolume(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    for better, worse, name, other in _both_ways(a, b, names):
        if worse.hv_optimistic < better.hv_pessimistic:
            found = {"more": better.hv_pessimistic, "less": worse.hv_optimistic}
            digits = text.digits_apart(*found.values())
            reason = part("gap_comparison.reasons.hypervolume", name=name, other=other, **found, digits=digits)
            return Verdict("hypervolume", name, reason)
    ends = {"low": a.hv_pessimistic, "high": a.hv_optimistic, "other_low": b.hv_pessimistic,
            "other_high": b.hv_optimistic}  # fmt: skip
    sides = {"name": names[0], "other": names[1], "digits": text.digits_apart(*ends.values())}
    return Verdict("hypervolume", None, part("gap_comparison.reasons.hypervolume_open", **sides, **ends))


def _by_dominance(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    for better, worse, name, other in _both_ways(a, b, names):
        floor, ceiling = better.scores.test[better.fronts.pessimistic], worse.scores.test[worse.fronts.optimistic]
        if weakly_dominates(floor, ceiling) and not weakly_dominates(ceiling, floor):
            return Verdict("dominance", name, part("gap_comparison.reasons.dominance", name=name, other=other))
    reason = part("gap_comparison.reasons.dominance_open", name=names[0], other=names[1])
    return Verdict("dominance", None, reason)


def _by_gap(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    for better, worse, name, other in _both_ways(a, b, names):
        if better.gap < worse.gap:
            found = {"less": better.gap, "more": worse.gap, "digits": text.digits_apart(better.gap, worse.gap)}
            return Verdict("robustness", name, part("gap_comparison.reasons.gap", name=name, other=other, **found))
    return Verdict("robustness", None, part("gap_comparison.reasons.gap_equal", gap=a.gap))


@dataclass(frozen=True)
class Verdict:
    """Result of one criterion for two methods.

    Parameters
    ----------
    criterion : {"hypervolume", "dominance", "robustness"}
        Which criterion.
    better : str or None
        Name of the better method; None if the criterion makes no statement.
    reason : mapping
        The verdict as a part: its sentence by name, with its numbers.
    """

    criterion: str
    better: str | None
    reason: Part

    @property
    def sentence(self) -> str:
        """The verdict in words, with its numbers."""
        return say(self.reason)

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, repr=False, eq=False)
class GapComparison(Worded):
    """The three criteria of section 4 of the paper, for two methods.

    They treat the test scores as exact: a method that is better on this test set need not be better on another.
    :meth:`copa_nb.results.Gap.bootstrap` shows how much the verdicts depend on the test instances.

    Parameters
    ----------
    hypervolume : Verdict
        A method is better if its pessimistic hypervolume exceeds the other's optimistic one.
    dominance : Verdict
        A method is better if its pessimistic front dominates the other's optimistic front: every point there
        is matched or dominated by a point here, and the other way round that does not hold.
    robustness : Verdict
        A method is better if its approximation gap is smaller. A front of a single row has gap 0 however badly it
        generalizes; the sentence reports where this is the case.
    names : tuple of str
        Names of the methods.
    gaps : tuple of Gap
        What was compared.
    """

    paper = "feurer2023gap"
    _of_all_groups = _OF_PAIRS

    hypervolume: Verdict
    dominance: Verdict
    robustness: Verdict
    names: tuple[str, str]
    gaps: tuple[Gap, Gap]

    @property
    def verdicts(self) -> list[Verdict]:
        """The three verdicts in the paper's order."""
        return [self.hypervolume, self.dominance, self.robustness]

    @property
    def table(self) -> pd.DataFrame:
        """One line per criterion: the better method ("no statement" if none) and the reason."""
        lines = [[verdict.better or NO_STATEMENT, verdict.sentence] for verdict in self.verdicts]
        index = pd.Index(CRITERIA, name="criterion")
        return pd.DataFrame(lines, columns=["better", "why"], index=index)

    @property
    def numbers(self) -> pd.DataFrame:
        """Hypervolumes and gap, one column per method."""
        rows = ["hv_validation", "hv_pessimistic", "hv_optimistic", "gap", "relative_gap"]
        return pd.DataFrame(
            {name: gap.summary[rows].astype(float) for name, gap in zip(self.names, self.gaps, strict=True)}
        )

    plot = Offered()

    def printed_tables(self) -> list[PrintedTable]:
        """Which method is better by each criterion, and why."""
        return [_verdicts_of({self.names: self})]

    def parts(self) -> list[Part]:
        """Which method is better, all three verdicts, and what they do not account for."""
        single = [name for gap, name in zip(self.gaps, self.names, strict=True) if len(gap.validation_front) == 1]
        return [
            _better(self.verdicts, self.names),
            *(verdict.reason for verdict in self.verdicts),
            *([part("gap_comparison.details.one_row", names=single)] if single else []),
            *self.guarantee.parts(),
        ]

    @property
    def guarantee(self) -> Guarantee:
        """That no level is stated, and why."""
        return _OF_ONE_TEST_SET

    def __repr__(self) -> str:
        verdicts = ", ".join(f"{verdict.criterion}: {verdict.better or NO_STATEMENT}" for verdict in self.verdicts)
        return f"<GapComparison of {self.names[0]} and {self.names[1]}; {verdicts}>"

    def _card(self) -> str:
        table = text.html_table(self.numbers, caption=f"Reference point ({point_text(self.gaps[0].reference)}).")
        return text.card(f"{self.names[0]} compared with {self.names[1]}", [self.explain()], table)


@dataclass(frozen=True, repr=False, eq=False)
class RepeatedComparison(Worded):
    """The three criteria over repetitions: how often each method is the better one.

    Over resamples of one test set these are bootstrap selection frequencies. They are neither probabilities that a
    method is better nor p-values: resampling biases gaps upwards, and equal methods need not get equal shares.

    Parameters
    ----------
    comparisons : dict of repetition to GapComparison
        One per repetition that both methods have.
    names : tuple of str
        Names of the methods.
    kind : {"repetitions", "bootstrap", "ties"}
        What the repetitions are; of ties, pairs of ways to keep one of equal rows.
    """

    paper = "feurer2023gap"
    _of_all_groups = _OF_PAIRS

    comparisons: dict[Hashable, GapComparison]
    names: tuple[str, str]
    kind: str

    plot = Offered()

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One line per repetition, one column per criterion: the better method, or "no statement"."""
        lines = [[v.better or NO_STATEMENT for v in comparison.verdicts] for comparison in self.comparisons.values()]
        return pd.DataFrame(lines, columns=list(CRITERIA), index=pd.Index(list(self.comparisons)))

    @property
    def table(self) -> pd.DataFrame:
        """Share of the repetitions by criterion (lines) and verdict (columns).

        For a bootstrap, how often the draws select each method.
        """
        shares = {name: (self.verdicts == name).mean() for name in (*self.names, NO_STATEMENT)}
        return pd.DataFrame(shares, index=pd.Index(CRITERIA, name="criterion"))

    @property
    def hypervolume(self) -> Verdict:
        """The most frequent verdict of the hypervolume criterion, with its share."""
        return self._verdict("hypervolume")

    @property
    def dominance(self) -> Verdict:
        """The most frequent verdict of front dominance, with its share."""
        return self._verdict("dominance")

    @property
    def robustness(self) -> Verdict:
        """The most frequent verdict on the smaller gap, with its share."""
        return self._verdict("robustness")

    def printed_tables(self) -> list[PrintedTable]:
        """In how many repetitions each method is better, by criterion."""
        return [_verdicts_of({self.names: self})]

    def parts(self) -> list[Part]:
        """Which method is more often better, how often each is, and what these shares are."""
        single = any(len(gap.validation_front) == 1 for one in self.comparisons.values() for gap in one.gaps)
        verdicts = [self._verdict(criterion) for criterion in CRITERIA]
        return [
            _better(verdicts, self.names, "_more_often" * (self.kind != TIES)),
            *(verdict.reason for verdict in verdicts),
            *([part("gap.details.one_row")] if single else []),
            *([self._decided_by_ties()] if self.kind == TIES else []),
            *self.guarantee.parts(),
        ]

    def _decided_by_ties(self) -> Part:
        if not self.undecided:
            return part("gap_comparison.reasons.ties_decide_nothing")
        return part("gap_comparison.reasons.ties_decide", criteria=_called(self.undecided))

    @property
    def guarantee(self) -> Guarantee:
        """That no level is stated, and why."""
        return {"bootstrap": _OF_RESAMPLES, TIES: _OF_TIES}.get(self.kind, _OF_REPETITIONS)

    @property
    def undecided(self) -> list[str]:
        """Criteria that not all repetitions judge alike; of ties, those whose verdict the choice among them decides."""
        return [criterion for criterion in CRITERIA if self.table.loc[criterion].max() < 1]

    def _verdict(self, criterion: str) -> Verdict:
        shares: dict[str, float] = self.table.loc[criterion].to_dict()  # type: ignore[assignment]
        winner = max(shares, key=lambda name: shares[name])
        is_even = shares[self.names[0]] == shares[self.names[1]]
        if is_even or (self.kind == TIES and criterion in self.undecided):
            winner = NO_STATEMENT
        n = len(self.comparisons)
        names, counts = (*self.names, NO_STATEMENT), {name: text.portion(share, n) for name, share in shares.items()}
        found = dict(zip(("share", "other_share", "open"), (counts[name] for name in names), strict=True))
        favored = part(f"gap_comparison.phrases.shares{'_open' * bool(shares[NO_STATEMENT])}", name=names[0],
                       other=names[1], n=n, repetitions=repetitions_text(self.kind), **found)  # fmt: skip
        reason = part(f"gap_comparison.reasons.{criterion}_shares", shares=favored)
        return Verdict(criterion, None if winner == NO_STATEMENT else winner, reason)

    def __repr__(self) -> str:
        shares = ", ".join(
            f"{criterion}: {text.percent(float(share))} {name}"
            for criterion, row in self.table[list(self.names)].T.items()
            for name, share in row.items()
        )
        return f"<RepeatedComparison over {len(self.comparisons):,} {self.kind}; {shares}>"

    def _card(self) -> str:
        title = f"{self.names[0]} compared with {self.names[1]}, repeated"
        caption = (
            "Bootstrap selection frequency: share of the resamples in which each method is the better one."
            if self.kind == "bootstrap"
            else "Share of the repetitions in which each method is the better one."
        )
        return text.card(title, [self.explain()], text.html_table(self.table, caption=caption))


def _better(verdicts: list[Verdict], names: tuple[str, str], how_often: str = "") -> Part:
    """Which method to take, and by which criteria."""
    won = {name: [verdict.criterion for verdict in verdicts if verdict.better == name] for name in names}
    first, second = sorted(names, key=lambda name: -len(won[name]))
    if not won[first]:
        return part("gap_comparison.headline.none", name=names[0], other=names[1])
    found = {"name": first, "criteria": _called(won[first])}
    if not won[second]:
        return part(f"gap_comparison.headline.better{how_often}", **found)
    return part(f"gap_comparison.headline.split{how_often}", **found, other=second, others=_called(won[second]))


def _called(criteria: list[str]) -> list[Part]:
    return [part(f"gap_comparison.phrases.{criterion}") for criterion in criteria]


def _first_of(pairs: Grouped[Any]) -> Any:
    return next(iter(pairs.results.values()))


def _verdicts_of(pairs: Mapping[Any, GapComparison | RepeatedComparison]) -> PrintedTable:
    """The verdicts on all pairs: the better method and why, or how often each is better."""
    tables = {" / ".join(map(text.label, names)): _counted(one) for names, one in pairs.items()}
    first = next(iter(pairs.values()))
    how = (
        f": in how many of the {repetitions_text(first.kind)}" if isinstance(first, RepeatedComparison) else ", and why"
    )
    return PrintedTable(
        frame=pd.concat(tables, names=["methods", "criterion"]),
        name="verdicts",
        caption=f"Which method is better{how}.",
        most=40,
    )


def _counted(one: GapComparison | RepeatedComparison) -> pd.DataFrame:
    """The verdicts of a pair, shares of few repetitions as counts."""
    return one.table.map(text.portion, total=len(one.comparisons)) if isinstance(one, RepeatedComparison) else one.table


def repetitions_text(kind: str) -> str:
    """What the repetitions of a kind are called in words."""
    return template(f"gap_comparison.phrases.{kind}")
