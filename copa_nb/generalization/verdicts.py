"""Verdicts on two methods by the three criteria of "Mind the Gap", once and over repetitions."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import pandas as pd

from copa_nb import text
from copa_nb.generalization.gap_result import Gap
from copa_nb.results import PlotMethod

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

    plot = PlotMethod("plot_gap_comparison")

    def __repr__(self) -> str:
        said = ", ".join(f"{v.criterion}: {v.better or NO_STATEMENT}" for v in self.verdicts)
        return f"<GapComparison of {self.names[0]} and {self.names[1]}; {said}>"

    def _repr_html_(self) -> str:
        point = ", ".join(f"{name} = {text.number(value)}" for name, value in self.gaps[0].reference.items())
        return text.card(
            f"{self.names[0]} against {self.names[1]}",
            [verdict.sentence for verdict in self.verdicts],
            text.html_table(self.numbers, caption=f"Reference point ({point})."),
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

    plot = PlotMethod("plot_verdicts")

    def _shares(self, criterion: str) -> dict[str, float]:
        found = self.verdicts[criterion]
        return {column: float((found == column).mean()) for column in (*self.names, NO_STATEMENT)}

    def _verdict(self, criterion: str) -> Verdict:
        shares = self._shares(criterion)
        winner = max(shares, key=lambda name: shares[name])
        what = "resamples of the test set" if self.kind == "bootstrap" else "repetitions"
        first, second = self.names
        measure = {
            "hypervolume": "Hypervolume (pessimistic above the other's optimistic)",
            "dominance": "Front dominance",
            "robustness": "Robustness (the smaller gap)",
        }[criterion]
        undecided = f"; no statement in {text.percent(shares[NO_STATEMENT])}" if shares[NO_STATEMENT] else ""
        sentence = (
            f"{measure} prefers {first} in {text.percent(shares[first])} and {second} in "
            f"{text.percent(shares[second])} of the {len(self.comparisons):,} {what}{undecided}."
        )
        return Verdict(criterion, None if winner == NO_STATEMENT else winner, sentence)

    def __repr__(self) -> str:
        said = ", ".join(
            f"{criterion}: {text.percent(self._shares(criterion)[name])} {name}"
            for criterion in CRITERIA
            for name in self.names
        )
        return f"<RepeatedComparison over {len(self.comparisons):,} {self.kind}; {said}>"

    def _repr_html_(self) -> str:
        title = f"{self.names[0]} against {self.names[1]}, repeated"
        caption = "Share of the repetitions in which each method is the better one."
        return text.card(title, [self.explain()], text.html_table(self.table, caption=caption))
