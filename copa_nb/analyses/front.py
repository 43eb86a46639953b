"""Which systems are significantly on the front, given the noise of their scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Self

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, filled, parameter, settings
from copa_nb.pareto.measurements import measurements
from copa_nb.text import label, listing, plural

_MOST_NAMED = 3  # rows whose further columns are written out
_LONGEST_NAMES = 60  # characters of all names in a headline
_LONG_NAME, _MOST_LABELS = 24, 12  # characters of a name that pictures number; systems that they name


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Front(Analysis):
    """The front with confidence: which systems are on it, which are dominated, and which are undecided."""

    name = "front"
    notebook = "yours/confident_front"
    title = "Fronts with confidence"
    bundled = "the bundled coding agents"
    about = "systems, items and runs or standard errors, and the error rate of the tests"
    what_is_measured = "objectives"

    nan_policy: str = parameter("raise", "missing values and items", choices=("raise", "omit"))
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
    log: list[str] = parameter([], "objectives whose axis is logarithmic", objective=True)
    alpha: float = parameter(0.05, "familywise error rate", is_fraction=True)
    n_resamples: int = parameter(2000, "bootstrap resamples, or draws of errors", least=100)
    seed: int = parameter(0, "seed of the resamples", least=0)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table without a source of uncertainty, and logarithms that do not exist."""
        for name in self.log:
            tables.need_positive(table[name], "log")
        measurements(table, objectives=self.directions, nan_policy=self.nan_policy, **self.columns)

    @property
    def columns(self) -> dict[str, Any]:
        """Keywords that name columns."""
        return self.given(("system", "item", "cluster", "repeat", "standard_error", "known"))

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of :func:`copa_nb.confident_front` and :func:`copa_nb.tiers`."""
        options = self.given(("alpha", "n_resamples", "nan_policy"))
        return {**self.columns, **options, "objectives": self.directions, "rng": self.seed}

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled runs."""
        from copa_nb.datasets import load_agents

        repeat = self.repeat or ("" if self.item or self.standard_error else "run")
        asked = replace(self, system=self.system or "system", repeat=repeat)
        if not asked.directions:
            log = asked.log or ["cost_usd"]
            asked = replace(asked, maximize=["accuracy"], minimize=["cost_usd"], log=log)
        return asked, load_agents("0409")

    def measure(self, table: pd.DataFrame) -> FrontFindings:
        """Find the systems that are significantly on the front."""
        return FrontFindings(analysis=self, table=table, front=table.moo.confident_front(**self.options))


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontFindings(Findings):
    """The front with confidence.

    Parameters
    ----------
    front : ConfidentFront
        Of :func:`copa_nb.confident_front`.
    """

    front: Any

    @cached_property
    def tiers(self) -> Any:
        """Ranks of the systems with intervals, of :func:`copa_nb.tiers`."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the notes report what is left out
            return self.table.moo.tiers(**self.analysis.options)

    @property
    def named(self) -> list[Any]:
        """Systems that the picture names: those that are on the front for sure, then that of the means."""
        return list(dict.fromkeys(self.front.conservative + self.front.central))[:_MOST_LABELS]

    @property
    def has_long_names(self) -> bool:
        """Whether names are so long that pictures number them."""
        return max(len(label(one)) for one in self.front.table.index) > _LONG_NAME

    @property
    def logged(self) -> list[str]:
        """Of the two objectives drawn, those whose axis is logarithmic."""
        return [name for name in self.front.objectives.names[:2] if name in self.analysis.log]

    @property
    def shown(self) -> pd.DataFrame:
        """The further columns asked for, by system."""
        return settings(self.table, self.analysis.system, self.analysis.show)

    @property
    def answer(self) -> Answer:
        """Which systems are significantly on the front."""
        front, sure, n = self.front, self.front.conservative, len(self.front.table)
        named = listing(map(label, sure))
        if not 0 < len(named) <= _LONGEST_NAMES:
            named = f"{len(sure) or 'None'} of {n}"
        verb = "is" if len(sure) <= 1 else "are"
        return Answer(
            f"{named} {verb} significantly on the front; up to {len(front.optimistic)} of {n} may be",
            filled(front.explain(), self.values_of(sure[:_MOST_NAMED])),
            question=f"Which of {n} {plural(front.table.index.name, 'systems')} are on the front, given their noise?",
            used="confident_front",
            values={"significant": list(sure), "possible": list(front.optimistic), "systems": n},
        )
