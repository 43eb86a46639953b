"""Whether a new system is better than a baseline on the same items, in which objective, and how certain that is."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from copa_nb.analyses.base import (
    ABOUT_RANGES,
    Analysis,
    Answer,
    Findings,
    ask,
    filled,
    left_out,
    parameter,
    settings,
    verdict_first,
)
from copa_nb.checks import called, listed, nearest
from copa_nb.comparisons.compare import POLICIES
from copa_nb.comparisons.read_measurements import measurements_in_ranges
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.text import label, plural


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Compare(Analysis):
    """Two systems compared item by item."""

    name = "compare"
    notebook = "yours/compare"
    title = "Comparison of two systems"
    bundled = "the bundled classifiers on 16 data sets"
    about = "the two systems, items, clusters and repetitions, margins, and the error rate"
    offered = ("new", "baseline", "margin")
    what_is_measured = "objectives"
    compares_logs = True

    nan_policy: str = parameter("raise", "missing values and items", choices=POLICIES)
    bounds: dict[str, Any] = parameter(
        {},
        ABOUT_RANGES,
        example={"accuracy": "0:1"},
        objective=True,
        metavar="COL=LOW:HIGH",
    )
    system: str = parameter(
        "", "column that names what is compared, e.g. model", column=True, needed=True, metavar="COL"
    )
    new: str = parameter("", "the system that may be better; empty: the last in the table", metavar="NAME")
    baseline: str = parameter("", "the system that it is compared with; empty: the first in the table", metavar="NAME")
    item: str = parameter(
        "",
        "column of the items that both were measured on: questions, tasks, folds",
        column=True,
        needed=True,
        metavar="COL",
    )
    cluster: str = parameter(
        "", "column of groups in which items are drawn: passages, families of tasks", column=True, metavar="COL"
    )
    repeat: str = parameter("", "column of repetitions of an item: epochs, attempts", column=True, metavar="COL")
    known: list[str] = parameter(
        [], "objectives without error, with one value per system, such as a list price", objective=True
    )
    margin: dict[str, float] = parameter(
        {}, "how much worse is still acceptable, e.g. {example}", example={"accuracy": 0.01}, objective=True
    )
    alpha: float = parameter(0.05, "error rate of all intervals and verdicts together", is_fraction=True)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse systems that are not in the table, and items that do not match."""
        new, baseline = self.sides(table)
        rows = table[table[self.system].isin([new, baseline])]
        words = self.given(("system", "item", "cluster", "repeat", "known", "nan_policy"))
        measurements_in_ranges(DescribedFrame.of(rows, self.directions, **words), self.ends, nan_policies=POLICIES)

    def sides(self, table: pd.DataFrame) -> tuple[Any, Any]:
        """Labels of the new system and of the baseline; those left out are the last and the first of the table."""
        labels = list(dict.fromkeys(table[self.system]))
        by_text = {str(one): one for one in labels}
        found = []
        for argument, place in (("new", -1), ("baseline", 0)):
            name = getattr(self, argument)
            if name and name not in by_text:
                raise ValueError(
                    f"{called(argument)} is {name!r}, which is not in the column {self.system!r}; systems are "
                    f"{listed(labels)}.{nearest(name, by_text)}"
                )
            if not name and len(labels) > 2:
                raise ValueError(
                    f"{called(argument)} is empty, and the table has {len(labels)} systems; name one of "
                    f"{listed(labels)}."
                )
            found.append(by_text[name] if name else labels[place])
        if found[0] == found[1]:
            raise ValueError(f"{called('new')} and {called('baseline')} are both {found[0]!r}; two systems are needed.")
        return found[0], found[1]

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.compare()`` without the two systems."""
        names = ("system", "item", "cluster", "repeat", "known", "margin", "alpha", "nan_policy")
        return {**self.given(names), "objectives": self.directions, "bounds": self.ends}

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled classifiers."""
        from copa_nb.datasets import load_uci_classifiers

        table = load_uci_classifiers()
        asked = replace(
            self, system="classifier", item="dataset", new=self.new or "rf", baseline=self.baseline or "GBM",
        )  # fmt: skip
        if not asked.directions:
            asked = replace(asked, **self.objectives_of(table.moo.description["objectives"]))
        return asked, table

    def measure(self, table: pd.DataFrame) -> CompareFindings:
        """Compare both systems."""
        new, baseline = self.sides(table)
        found = ask(table, "compare", new=new, baseline=baseline, **self.options)
        return CompareFindings(analysis=self, table=table, comparison=found)


@dataclass(frozen=True, kw_only=True, eq=False)
class CompareFindings(Findings):
    """The comparison.

    Parameters
    ----------
    comparison : Comparison
        Of ``df.moo.compare()``.
    """

    comparison: Any

    @property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by system."""
        return settings(self.table, self.analysis.system, self.analysis.show)

    @property
    def differences(self) -> pd.DataFrame:
        """The comparison in each objective as a table prints it, the verdict first."""
        return verdict_first(self.comparison.table, "verdict").rename(index=self.spoken)

    @property
    def unasked(self) -> str:
        """What would add equivalence to the comparison; empty if it was asked for."""
        return left_out({} if self.analysis.margin else {"margin": "whether a system is not worse, or equivalent"})

    @property
    def answer(self) -> Answer:
        """Whether the new system is better."""
        found = self.comparison
        certainty = found.guarantee.explain()
        return Answer(
            found.headline,
            filled(*(one for one in found.reasons if one != certainty), self.values_of([found.new, found.baseline])),
            question=f"Is {label(found.new)} better than {label(found.baseline)} on the same "
            f"{plural(self.analysis.item, 'items')}?",
            certainty=certainty,
            used="compare",
            values={
                "verdict": found.verdict,
                "objectives": found.table[["difference", "low", "high", "adjusted", "verdict"]].to_dict("index"),
            },
        )
