"""Whether a new system is better than a baseline on the same items, in which objective, and how certain that is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb.analyses.base import ABOUT_RANGES, Analysis, parameter
from copa_nb.checks import called, listed, nearest
from copa_nb.comparisons.compare import POLICIES
from copa_nb.comparisons.read_measurements import measurements_in_ranges
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import WORDS as DESCRIBING


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Compare(Analysis):
    """Two systems compared item by item."""

    name = verb = "compare"
    words = tuple(word for word in DESCRIBING if word != "bounds")  # which also limit scores that are there
    notebook = "yours/compare"
    title = "Comparison of two systems"
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
