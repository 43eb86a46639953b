"""Which of two methods has the better front, when validation and test disagree about what a front is."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import display
from copa_nb.analysis.gap import Gap
from copa_nb.analysis.gap_repeats import GapRepeats
from copa_nb.core.generalization import weakly_dominates

CRITERIA = ("hypervolume", "dominance", "robustness")
NO_STATEMENT = "no statement"


@dataclass(frozen=True)
class Verdict:
    """What one criterion says of two methods.

    Parameters
    ----------
    criterion : {"hypervolume", "dominance", "robustness"}
        Which criterion.
    better : str or None
        Name of the better method; None if the criterion makes no statement.
    sentence : str
        The verdict in words, with its numbers.
    """

    criterion: str
    better: str | None
    sentence: str

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True, repr=False, eq=False)
class GapComparison:
    """The three criteria of section 4 of the paper, for two methods.

    Parameters
    ----------
    hypervolume : Verdict
        A method is better if its pessimistic hypervolume exceeds the other's optimistic one.
    dominance : Verdict
        A method is better if its pessimistic front dominates the other's optimistic front: every point there
        is matched or dominated by a point here, and the other way round that does not hold.
    robustness : Verdict
        A method is better if its approximation gap is smaller.
    names : tuple of str
        What the methods are called.
    gaps : tuple of Gap
        What was compared.
    """

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

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def explain(self) -> str:
        """Say all three verdicts in words."""
        return " ".join(verdict.sentence for verdict in self.verdicts)

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw both methods' fronts on test; see :func:`copa_nb.plots.gap_comparison.plot_gap_comparison`."""
        from copa_nb.plots.gap_comparison import plot_gap_comparison

        return plot_gap_comparison(self, ax=ax, **kwargs)

    def __repr__(self) -> str:
        said = ", ".join(f"{v.criterion}: {v.better or NO_STATEMENT}" for v in self.verdicts)
        return f"<GapComparison of {self.names[0]} and {self.names[1]}; {said}>"

    def _repr_html_(self) -> str:
        point = ", ".join(f"{name} = {display.number(value)}" for name, value in self.gaps[0].reference.items())
        return display.card(
            f"{self.names[0]} against {self.names[1]}",
            [verdict.sentence for verdict in self.verdicts],
            display.html_table(self.numbers, caption=f"Reference point ({point})."),
        )


@dataclass(frozen=True, repr=False, eq=False)
class RepeatedComparison:
    """The three criteria over repetitions: how often each method is the better one.

    Parameters
    ----------
    comparisons : dict of repetition to GapComparison
        One per repetition that both methods have.
    names : tuple of str
        What the methods are called.
    kind : {"repetitions", "bootstrap"}
        What the repetitions are.
    """

    comparisons: dict[Hashable, GapComparison]
    names: tuple[str, str]
    kind: str

    @cached_property
    def verdicts(self) -> pd.DataFrame:
        """One line per repetition, one column per criterion: the better method, or "no statement"."""
        lines = {
            label: [verdict.better or NO_STATEMENT for verdict in comparison.verdicts]
            for label, comparison in self.comparisons.items()
        }
        return pd.DataFrame(list(lines.values()), columns=list(CRITERIA), index=pd.Index(list(lines)))

    @property
    def table(self) -> pd.DataFrame:
        """Share of the repetitions by criterion (lines) and verdict (columns)."""
        shares = {criterion: self._shares(criterion) for criterion in CRITERIA}
        return pd.DataFrame.from_dict(shares, orient="index").rename_axis("criterion")

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

    def to_frame(self) -> pd.DataFrame:
        """Return :attr:`table`."""
        return self.table

    def explain(self) -> str:
        """Say in words how often which method is better."""
        return " ".join(self._verdict(criterion).sentence for criterion in CRITERIA)

    def plot(self, ax: Any = None, **kwargs: Any) -> Any:
        """Draw the shares as stacked bars; see :func:`copa_nb.plots.gap_comparison.plot_verdicts`."""
        from copa_nb.plots.gap_comparison import plot_verdicts

        return plot_verdicts(self, ax=ax, **kwargs)

    def _shares(self, criterion: str) -> dict[str, float]:
        found = self.verdicts[criterion]
        return {column: float((found == column).mean()) for column in (*self.names, NO_STATEMENT)}

    def _verdict(self, criterion: str) -> Verdict:
        shares = self._shares(criterion)
        winner = max(shares, key=lambda name: shares[name])
        what = "resamples of the test set" if self.kind == "bootstrap" else "repetitions"
        first, second = self.names
        said = {
            "hypervolume": "has the larger hypervolume for certain (pessimistic above the other's optimistic)",
            "dominance": "has the dominating front",
            "robustness": "has the smaller gap",
        }[criterion]
        sentence = (
            f"{first} {said} in {display.percent(shares[first])} of the {len(self.comparisons):,} {what}, "
            f"{second} in {display.percent(shares[second])}; no statement in {display.percent(shares[NO_STATEMENT])}."
        )
        return Verdict(criterion, None if winner == NO_STATEMENT else winner, sentence)

    def __repr__(self) -> str:
        said = ", ".join(
            f"{criterion}: {display.percent(self._shares(criterion)[name])} {name}"
            for criterion in CRITERIA
            for name in self.names
        )
        return f"<RepeatedComparison over {len(self.comparisons):,} {self.kind}; {said}>"

    def _repr_html_(self) -> str:
        title = f"{self.names[0]} against {self.names[1]}, repeated"
        caption = "Share of the repetitions in which each method is the better one."
        return display.card(title, [self.explain()], display.html_table(self.table, caption=caption))


def compare_gaps(
    a: Gap | GapRepeats, b: Gap | GapRepeats, *, names: tuple[str, str] = ("A", "B")
) -> GapComparison | RepeatedComparison:
    """Compare two methods by the three criteria of "Mind the Gap", section 4.

    Parameters
    ----------
    a, b : Gap or GapRepeats
        From :func:`copa_nb.gap` under one reference point (measure both with ``by=``, or fix
        ``reference=``). Repetitions are matched by their labels.
    names : tuple of str
        What to call the methods.

    Returns
    -------
    GapComparison
        For two gaps. For repetitions a :class:`RepeatedComparison`: the share of the repetitions in which each
        method is better.

    Raises
    ------
    ValueError
        If objectives or reference points differ, or no repetition is in both.
    TypeError
        If a gap is compared with repetitions.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> runs = pd.DataFrame(
    ...     {"method": ["forest", "forest", "linear", "linear"],
    ...      "val_precision": [0.9, 0.5, 0.8, 0.4], "val_recall": [0.3, 0.9, 0.2, 0.7],
    ...      "test_precision": [0.8, 0.5, 0.7, 0.4], "test_recall": [0.3, 0.8, 0.2, 0.6]}
    ... )
    >>> gaps = copa_nb.gap(
    ...     runs, objectives={"precision": "max", "recall": "max"}, by="method", reference={"precision": 0, "recall": 0}
    ... )
    >>> copa_nb.compare_gaps(gaps["forest"], gaps["linear"], names=("forest", "linear"))
    <GapComparison of forest and linear; hypervolume: forest, dominance: forest, robustness: no statement>
    """
    first, second = _names(names)
    if isinstance(a, Gap) and isinstance(b, Gap):
        return _compare(a, b, (first, second))
    if not (isinstance(a, GapRepeats) and isinstance(b, GapRepeats)):
        raise TypeError(
            f"`a` and `b` must both be a Gap or both be repeated (GapRepeats), not {type(a).__name__} and "
            f"{type(b).__name__}."
        )
    if a.kind != b.kind:
        raise ValueError(f"`a` holds {a.kind} and `b` {b.kind}; compare like with like.")
    shared = [label for label in a.gaps if label in b.gaps]
    if not shared:
        raise ValueError(
            "`a` and `b` have no repetition in common; the `repeat` column must hold the same labels (split, seed) "
            "for both."
        )
    comparisons = {label: _compare(a.gaps[label], b.gaps[label], (first, second)) for label in shared}
    return RepeatedComparison(comparisons, (first, second), a.kind)


def _compare(a: Gap, b: Gap, names: tuple[str, str]) -> GapComparison:
    if a.objectives != b.objectives:
        raise ValueError(
            f"`a` and `b` have other objectives ({', '.join(a.objectives.labels)}; {', '.join(b.objectives.labels)})."
        )
    if a.reference != b.reference:
        raise ValueError(
            f"`a` and `b` have other reference points ({a.reference}; {b.reference}), so that their hypervolumes do "
            "not compare; measure both with one `reference=`, or in one call with `by=`."
        )
    return GapComparison(_by_hypervolume(a, b, names), _by_dominance(a, b, names), _by_gap(a, b, names), names, (a, b))


def _by_hypervolume(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    number = display.number
    for better, worse, name, other in ((a, b, *names), (b, a, *names[::-1])):
        if worse.hv_optimistic < better.hv_pessimistic:
            return Verdict(
                "hypervolume",
                name,
                f"By hypervolume {name} is better: its pessimistic {number(better.hv_pessimistic)} exceeds "
                f"the optimistic {number(worse.hv_optimistic)} of {other}.",
            )
    spans = [
        f"{number(gap.hv_pessimistic)} to {number(gap.hv_optimistic)} ({name})"
        for gap, name in zip((a, b), names, strict=True)
    ]
    return Verdict("hypervolume", None, f"Hypervolume allows no statement: {spans[0]} and {spans[1]} overlap.")


def _by_dominance(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    for better, worse, name, other in ((a, b, *names), (b, a, *names[::-1])):
        floor, ceiling = _test_costs(better, "pessimistic"), _test_costs(worse, "optimistic")
        if weakly_dominates(floor, ceiling) and not weakly_dominates(ceiling, floor):
            return Verdict(
                "dominance",
                name,
                f"By front dominance {name} is better: its pessimistic front covers the optimistic front of {other}.",
            )
    return Verdict(
        "dominance",
        None,
        f"Front dominance allows no statement: neither pessimistic front covers the other's optimistic front "
        f"({names[0]}, {names[1]}).",
    )


def _by_gap(a: Gap, b: Gap, names: tuple[str, str]) -> Verdict:
    number = display.number
    if a.gap == b.gap:
        return Verdict("robustness", None, f"Both have a gap of {number(a.gap)}: equally robust.")
    (small, name), (large, other) = sorted(((a.gap, names[0]), (b.gap, names[1])), key=lambda pair: pair[0])
    return Verdict(
        "robustness",
        name,
        f"By robustness {name} is better: its gap of {number(small)} is smaller than {number(large)} ({other}).",
    )


def _test_costs(gap: Gap, which: str) -> np.ndarray:
    costs: np.ndarray = gap.scores.test[getattr(gap.fronts, which)]
    return costs


def _names(names: tuple[str, str]) -> tuple[str, str]:
    first, second = (str(name) for name in names)
    if first == second or NO_STATEMENT in (first, second):
        raise ValueError(f"`names` is {names!r}; give two different names, neither of them {NO_STATEMENT!r}.")
    return first, second
