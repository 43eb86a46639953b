"""Which systems are significantly on the front, given the noise of their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, parameter
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements
from copa_nb.tables.described_frame import DescribedFrame


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Front(Analysis):
    """The front with confidence: which systems are on it, which are dominated, and which are undecided."""

    name = "front"
    verb = "confident_front"
    only_of_notebook = ("log",)
    notebook = "yours/confident_front"
    title = "Fronts with confidence"
    about = "systems, items and runs or standard errors, and the error rate of the tests"
    offered = ("log",)
    what_is_measured = "objectives"

    nan_policy: str = parameter("raise", "missing values and items", choices=MEASUREMENT_POLICIES)
    bounds: dict[str, Any] = parameter(
        {},
        'with nan_policy "bounds", what a missing value may be, e.g. {example}; by default what was observed, or '
        "anything where systems have one row each",
        example={"accuracy": "0:1"},
        objective=True,
        metavar="COL=LOW:HIGH",
    )
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

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table without a source of uncertainty, and logarithms that do not exist."""
        for name in self.log:
            tables.need_positive(table[name], "log")
        columns = self.given(("system", "item", "cluster", "repeat", "standard_error", "known"))
        words = {"nan_policy": self.nan_policy, "bounds": self.ends, **columns}
        measurements(DescribedFrame.of(table, self.directions, **words))
