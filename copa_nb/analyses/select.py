"""Which row to choose, given the weight of each objective (COPA)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import pandas as pd

from copa_nb.analyses.base import Analysis, parameter
from copa_nb.checks import called, setting
from copa_nb.comparisons.measurements import Measurements
from copa_nb.comparisons.read_measurements import measurements
from copa_nb.ranking.criterion import resolve_p, resolve_weights
from copa_nb.ranking.normalize import HOW
from copa_nb.selection.copa import Selection
from copa_nb.tables.columns import several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS, WITH_BOUNDS, bounded_costs
from copa_nb.tables.objectives import Objectives
from copa_nb.text import listing


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Select(Analysis):
    """The choice of a row, its stability, and the choices under other weights and criteria."""

    name = "select"
    verb = "copa"
    notebook = "yours/select"
    title = "Selection"
    about = "weights, constraints and the criterion"
    offered = ("weights", "p", "where", "normalize")
    results = (Selection,)
    names_rows = "system"

    nan_policy: str = parameter("raise", "rows with missing values", choices=WITH_BOUNDS)
    bounds: dict[str, Any] = parameter(
        {},
        'with nan_policy "bounds", what a missing value may be, e.g. {example}; anything by default',
        example={"accuracy": "0:1"},
        objective=True,
        metavar="COL=LOW:HIGH",
    )
    system: str = parameter(
        "", "column that names the rows; empty: the first column if it is text, otherwise row numbers", column=True
    )
    weights: dict[str, float] = parameter(
        {},
        "weight per column, e.g. {example}; the rest is split evenly",
        example={"co2_kg": 0.5},
        objective=True,
        flag="--weight",
    )
    p: str = parameter("inf", 'order of the norm: a number from 1, or "inf"')
    where: str = parameter("", 'constraint on the choice, e.g. "latency_ms <= 50"; ranks are still over all rows')
    normalize: str = parameter("cdf", "how the columns are made comparable", choices=HOW)
    item: str = parameter(
        "",
        "column of the items that systems were measured on, if each has a row; the choice is by means",
        column=True,
        metavar="COL",
    )
    cluster: str = parameter("", "column of groups in which items are drawn", column=True, metavar="COL")
    repeat: str = parameter(
        "", "column of repetitions: of each item, or, without items, independent runs of each system", column=True,
        metavar="COL",
    )  # fmt: skip
    standard_error: dict[str, str] = parameter(
        {},
        "columns of standard errors, e.g. {example}",
        example={"accuracy": "accuracy_se"},
        metavar="COL=COL",
    )
    known: list[str] = parameter(
        [], "with items or repetitions, columns without error, such as a list price", objective=True
    )

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that chooses as a :class:`copa_nb.results.Selection` did."""
        inputs = result.inputs
        if inputs.reference is not None:
            raise ValueError(
                "`reference` was given, but reports have no such parameter; choose without it, or write this result as "
                "a page with to_html()."
            )
        if inputs.where is not None and not isinstance(inputs.where, str) and "where" not in given:
            raise ValueError(
                f"`where` is a {type(inputs.where).__name__}, but a report needs it as text, e.g. "
                "report(where='latency_ms <= 50')."
            )
        missing = several(inputs.frame, result.objectives).isna().to_numpy().any()
        options = {
            **cls.objectives_of(result.objectives.to_dict()),
            "weights": {str(name): float(weight) for name, weight in result.weights.items()},
            "p": "inf" if np.isinf(result.p) else f"{result.p:.17g}",
            "where": inputs.where if isinstance(inputs.where, str) else "",
            "normalize": result.normalize,
            "nan_policy": "omit" if inputs.n_omitted else "worst" if missing else "raise",
        }
        return cls(table=inputs.frame, **{**options, **given})

    def check_values(self) -> None:
        """Refuse an order of the norm below 1, and what does not go with measurements or with unknown values."""
        resolve_p(self.p)
        self._check_bounds()
        if self.is_measured and not self.system:
            raise ValueError(
                f"{called('system')} is empty; with {called('item')} or {called('repeat')} a system has several rows, "
                "so name the column that tells the systems apart."
            )

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse weights that are no shares, measurements without standard errors, and bounds without a value."""
        resolve_weights(Objectives.of(self.directions), self.weights or None)
        if self.nan_policy == BOUNDS:
            bounded_costs(table, self.directions, bounds=self.ends)
        if self.measuring:
            self.measurements(table)

    def _check_bounds(self) -> None:
        if self.nan_policy != BOUNDS:
            return
        if self.normalize != "cdf":
            raise ValueError(
                f"{called('normalize')} is {self.normalize!r}, but {setting('nan_policy', BOUNDS)} needs ranks "
                "among the rows of the table; leave it out."
            )
        if self.measuring:
            raise ValueError(
                f"{setting('nan_policy', BOUNDS)} is for tables with one row per system and without errors; leave out "
                f"{listing([called(name) for name, given in self.measuring.items() if given])}."
            )

    @property
    def is_measured(self) -> bool:
        """Whether the table has several rows of each system, whose means are chosen from."""
        return bool(self.item or self.repeat)

    @property
    def measuring(self) -> dict[str, Any]:
        """Keywords that tell how precise the values are; empty where nothing does."""
        found = self.given(("item", "cluster", "repeat", "standard_error"))
        if not any(found.values()):
            return {}
        return {**found, "system": self.system or None, "known": self.known or None}

    def measurements(self, table: pd.DataFrame) -> Measurements:
        """Read the measurements of the systems."""
        described = DescribedFrame.of(table, self.directions, nan_policy=self.nan_policy, **self.measuring)
        return measurements(described, nan_policies=("raise",), nested=True)

    def check_pieces(self) -> None:
        """Refuse what a table that is read in pieces cannot be asked."""
        given = [called(name) for name, value in self.measuring.items() if value and name not in ("system", "known")]
        if self.nan_policy == BOUNDS:
            given.append(setting("nan_policy", BOUNDS))
        if given:
            raise ValueError(
                f"{listing(given)} needs the whole table in memory, which is read in pieces here; aggregate it first, "
                "or name a single file."
            )
