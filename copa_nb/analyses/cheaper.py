"""Which cheaper system is not worse, per kind of task."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb.analyses.base import ABOUT_RANGES, Analysis, parameter
from copa_nb.analyses.tables import need_objective
from copa_nb.checks import called, listed, nearest
from copa_nb.comparisons.cheaper import cost_of
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements_in_ranges
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import WORDS as DESCRIBING
from copa_nb.tables.description import in_call
from copa_nb.tables.objectives import Objectives


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CheaperAnalysis(Analysis):
    """The cheapest system that is not worse than a given one, per kind of task, for a router."""

    name = verb = "cheaper"
    words = tuple(word for word in DESCRIBING if word != "bounds")  # which also limit scores that are there
    notebook = "yours/cheaper"
    title = "Cheaper equivalents"
    about = "the cost, the system to compare with, margins, and kinds of tasks"
    offered = ("cost", "than", "margin", "by")
    what_is_measured = "objectives"

    nan_policy: str = parameter("raise", "missing values and items", choices=MEASUREMENT_POLICIES)
    bounds: dict[str, Any] = parameter(
        {},
        ABOUT_RANGES,
        example={"accuracy": "0:1"},
        objective=True,
        metavar="COL=LOW:HIGH",
    )
    cost: str = parameter("", "objective that should be lower; empty: the only one to minimize", objective=True)
    than: str = parameter("", "system to compare with; empty: the most expensive", metavar="NAME")
    margin: dict[str, float] = parameter(
        {}, "how much worse is still acceptable, e.g. {example}; 0 where left out", example={"accuracy": 0.01},
        objective=True,
    )  # fmt: skip
    by: list[str] = parameter([], "columns of groups, e.g. the kind of task: one answer for each", column=True)
    system: str = parameter(
        "", "column that names what is compared, e.g. model", column=True, needed=True, metavar="COL"
    )
    item: str = parameter(
        "",
        "column of the items that every system was measured on: questions, tasks, folds",
        column=True,
        metavar="COL",
    )
    cluster: str = parameter(
        "", "column of groups in which items are drawn: passages, families of tasks", column=True, metavar="COL"
    )
    repeat: str = parameter(
        "",
        "column of repetitions: of each item if an item column is given, otherwise independent runs of each system",
        column=True,
        metavar="COL",
    )
    standard_error: dict[str, str] = parameter(
        {},
        "instead of items or runs, columns of standard errors, e.g. {example}",
        example={"accuracy": "accuracy_se"},
        metavar="COL=COL",
    )
    known: list[str] = parameter(
        [], "objectives without error, with one value per system, such as a list price", objective=True
    )
    alpha: float = parameter(0.05, "familywise error rate over all candidates and groups", is_fraction=True)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a cost that is not minimized, an unknown system, and a table without a source of uncertainty."""
        if self.cost:
            need_objective(self.minimize, self.cost, "cost")
        cost = cost_of(Objectives.of(self.directions), self.cost or None)
        if cost in self.margin:
            raise ValueError(f"{called('margin')} names the cost {cost!r}; an equivalent must be cheaper.")
        systems = list(dict.fromkeys(map(str, table[self.system])))
        if self.than and self.than not in systems:
            raise ValueError(
                f"{called('than')} is {self.than!r}, which is not a system; the systems are {listed(systems)}."
                f"{nearest(self.than, systems)}"
            )
        columns = self.given(("system", "item", "cluster", "repeat", "standard_error", "known"))
        described = DescribedFrame.of(table, self.directions, nan_policy=self.nan_policy, **columns)
        measurements_in_ranges(described, self.ends)

    def calls(self) -> list[str]:
        """Write the lines of Python that ask the verb of each group; see :meth:`Analysis.calls`."""
        given = {name: one for name, one in self.options_of_verb.items() if name != "by"}
        groups = f".by({self.by!r})" if self.by else ""
        return [f"found = table.moo{groups}.cheaper({in_call(given)})", "print(found.to_answer().headline)"]

    def ask(self, described: Any) -> Any:
        """Ask the verb of each group; see :meth:`Analysis.ask`."""
        given = {name: one for name, one in self.options_of_verb.items() if name != "by"}
        return described.by(self.by).cheaper(**given)
