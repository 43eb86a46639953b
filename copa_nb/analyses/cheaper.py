"""Which cheaper system is not worse, per kind of task."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from copa_nb.analyses.base import ABOUT_RANGES, Analysis, Answer, Findings, ask, left_out, parameter, verdict_first
from copa_nb.analyses.tables import need_objective
from copa_nb.checks import called, listed, nearest
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements_in_ranges
from copa_nb.results.result import Grouped
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.text import label, listing, number, percent, spoken

_MOST_NAMED = 5


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class CheaperAnalysis(Analysis):
    """The cheapest system that is not worse than a given one, per kind of task, for a router."""

    name = "cheaper"
    notebook = "yours/cheaper"
    title = "Cheaper equivalents"
    bundled = "the bundled coding agents"
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
    cost: str = parameter("", "objective that should be lower; empty: the first to minimize", objective=True)
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
        cost = self.named_cost
        need_objective(self.minimize, cost, "cost")
        if cost in self.margin:
            raise ValueError(f"{called('margin')} names the cost {cost!r}; an equivalent must be cheaper.")
        systems = list(dict.fromkeys(map(str, table[self.system])))
        if self.than and self.than not in systems:
            raise ValueError(
                f"{called('than')} is {self.than!r}, which is not a system; the systems are {listed(systems)}."
                f"{nearest(self.than, systems)}"
            )
        described = DescribedFrame.of(table, self.directions, nan_policy=self.nan_policy, **self.columns)
        measurements_in_ranges(described, self.ends)

    @property
    def named_cost(self) -> str:
        """The objective that counts as cost."""
        return self.cost or next(iter(self.minimize), "")

    @property
    def columns(self) -> dict[str, Any]:
        """Keywords that name columns."""
        return self.given(("system", "item", "cluster", "repeat", "standard_error", "known"))

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled runs."""
        from copa_nb.datasets import load_agents

        repeat = self.repeat or ("" if self.item or self.standard_error else "run")
        asked = replace(self, system=self.system or "system", repeat=repeat)
        if not asked.directions:
            margin = asked.margin or {"accuracy": 0.05}
            asked = replace(asked, maximize=["accuracy"], minimize=["cost_usd"], margin=margin)
        return asked, load_agents("0409")

    def measure(self, table: pd.DataFrame) -> CheaperFindings:
        """Compare all cheaper systems with the given one, in every group."""
        options = {**self.columns, **self.given(("alpha", "margin", "nan_policy"))}
        means = table.groupby(self.system)[self.named_cost].mean()
        than = {str(one): one for one in means.index}[self.than or str(means.idxmax())]
        found = ask(
            table,
            "cheaper",
            than,
            cost=self.named_cost,
            objectives=self.directions,
            by=self.by or None,
            bounds=self.ends,
            **options,
        )
        return CheaperFindings(analysis=self, table=table, found=found)


@dataclass(frozen=True, kw_only=True, eq=False)
class CheaperFindings(Findings):
    """The cheapest systems that are not worse.

    Parameters
    ----------
    found : Cheaper, or Grouped of them
        Of ``df.moo.cheaper(...)``.
    """

    found: Any

    @property
    def groups(self) -> dict[Any, Any]:
        """The answers by group; one group without a name if there is no `by`."""
        return dict(self.found) if isinstance(self.found, Grouped) else {"": self.found}

    @property
    def numbered(self) -> dict[str, Any]:
        """The answers by a number for the names of figures, which a single one does not need."""
        results = self.groups.values()
        return {f"-{number}" * (len(results) > 1): one for number, one in enumerate(results, start=1)}

    @property
    def files(self) -> dict[str, str]:
        """What a router reads, by the name of the file."""
        return {"routes.json": json.dumps(self.found.routes(), ensure_ascii=False, indent=1, allow_nan=False) + "\n"}

    @property
    def savings(self) -> pd.DataFrame:
        """Means, savings and p-values of all cheaper systems as a table prints them, the verdict first."""
        return verdict_first(self.found.table, "equivalent")

    @property
    def unasked(self) -> str:
        """What would add an answer for each kind of task; empty if it is there."""
        return left_out({} if self.analysis.by else {"by": "a system for each kind of task"})

    @property
    def routes(self) -> pd.DataFrame:
        """The system for each group, its saving, and the adjusted p-value."""
        rows = pd.DataFrame([one.route() for one in self.groups.values()])
        return rows.set_axis(pd.Index(map(label, self.groups), name=", ".join(self.analysis.by) or "tasks"))

    @property
    def answer(self) -> Answer:
        """Where a cheaper system is not worse, and what it saves."""
        groups = self.groups
        first = next(iter(groups.values()))
        than, kinds = label(first.than), {group: one for group, one in groups.items() if one.best is not None}
        if len(groups) == 1:
            headline, *lines = first.sentences
        else:
            headline = f"{than} can be replaced in {len(kinds)} of {len(groups)} groups"
            named = list(kinds.items())[:_MOST_NAMED]
            lines = [f"{label(group)}: {label(one.best)} {_saved(one)}." for group, one in named]
        cheap = self.spoken[self.analysis.named_cost]
        others = listing(words for name, words in self.spoken.items() if name != self.analysis.named_cost)
        return Answer(
            headline.removesuffix("."),
            lines,
            question=f"Which system with less {cheap} than {than} is not worse in {others}?",
            certainty=first.certainty,
            used="cheaper",
            values={"than": first.than, "routes": {label(group): one.route() for group, one in groups.items()}},
        )


def _saved(one: Any) -> str:
    saving = one.route()["saving"]
    return f"lowers {spoken(one.cost)} by {percent(saving) if one.relative else number(saving, 3)}"
