"""How a front that was chosen on validation data performs on test data (Mind the Gap)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, parameter
from copa_nb.checks import called, integer
from copa_nb.generalization.result import Gap
from copa_nb.generalization.scores import score_columns
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE
from copa_nb.text import label


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class GapAnalysis(Analysis):
    """The front on validation data, its performance on test data, and which of several methods is better."""

    name = verb = "gap"
    only_of_notebook = ("budgets",)
    notebook = "yours/gap"
    title = "Generalization gap"
    about = "columns with validation and test scores (by prefix or suffix), and the methods to compare"
    offered = ("validation", "test", "order", "budgets", "where")
    results = (Gap,)
    what_is_measured = "scores, without prefix or suffix,"

    validation: str = parameter(
        "val_", 'prefix or suffix of the columns with validation scores ("val_" also finds auc_val)'
    )
    test: str = parameter("test_", "prefix or suffix of the columns with test scores")
    reference: dict[str, float] = parameter(
        {},
        "reference point: a value per score, e.g. {example}; empty: the worst values observed, moved outward by 10%",
        example={"recall": 0},
        objective=True,
    )
    worst_multiple: bool = parameter(
        False, "move them by 10% of the values instead of the range, as in 0.9 times the lowest recall"
    )
    system: str = parameter(
        "",
        "column that names the method, to compare several, or the rows, if each has another name; empty: one method",
        column=True,
        metavar="COL",
    )
    repeat: str = parameter(
        "", "column of repetitions (splits, seeds); empty: one repetition", column=True, metavar="COL"
    )
    order: str = parameter(
        "", "column with the order of evaluation, for the curve over budgets; empty: no curve", column=True,
        metavar="COL",
    )  # fmt: skip
    budgets: list[int] = parameter(
        [], "numbers of evaluations to tabulate; empty: 40, 50, 100, 200 and 500, as far as there are", metavar="N"
    )
    keep: str = parameter("all", "rows with equal scores", choices=KEEP)
    where: str = parameter("", 'which rows may be on a front, e.g. "val_recall > 0"')

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis of a :class:`copa_nb.results.Gap`, or of one for each repetition."""
        if not hasattr(result, "gaps"):
            table, options = _scores_of(result)
            return cls(table=table, **{**cls.objectives_of(result.objectives.to_dict()), **options, **given})
        if result.estimate is not None:
            raise ValueError(
                "resamples of a test set have no table from which a report could be made; report the `estimate`, e.g. "
                "result.estimate.report(), or write this result as a page with to_html()."
            )
        parts = [(label(name), *_scores_of(gap)) for name, gap in result.gaps.items()]
        table = pd.concat([rows.assign(repetition=name) for name, rows, _ in parts])
        objectives = cls.objectives_of(next(iter(result.gaps.values())).objectives.to_dict())
        return cls(table=table, **{**objectives, **parts[0][2], "repeat": "repetition", **given})

    def check_values(self) -> None:
        """Refuse budgets that are not whole numbers of at least 1, and two ways to find the reference point."""
        tables.need_one_reference(self.reference, worst_multiple=self.worst_multiple)
        for value in self.budgets:
            integer("budgets", int(value) if str(value).isdecimal() else value)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse budgets that are larger than the search."""
        if not (self.order and self.budgets):
            return
        groups = [name for name in self.groups if table[name].duplicated().any()]  # what differs everywhere names rows
        rows = int(table.groupby(groups).size().min()) if groups else len(table)
        asked = max(int(budget) for budget in self.budgets)
        if asked > rows:
            each = " of each method and repetition" if groups else ""
            raise ValueError(
                f"{called('budgets')} contains {asked:,}, but there are only {rows:,} evaluations{each}; the largest "
                f"budget allowed is {rows:,}."
            )

    def columns_of(self, table: pd.DataFrame, name: str, argument: str) -> tuple[str, ...]:
        """Return the columns with the scores on validation and test."""
        return tuple(map(str, score_columns(table, name, self.validation, self.test, argument=argument)[1]))

    @classmethod
    def is_name(cls, text: str, argument: str, table: pd.DataFrame, chosen: Mapping[str, Any]) -> bool:
        """Tell whether a text is a column, or a score."""
        if text in table.columns or argument not in ("maximize", "minimize"):
            return text in table.columns
        parts = {name: chosen[name] for name in ("validation", "test") if name in chosen}
        try:
            return bool(cls(**parts).columns_of(table, text, argument))
        except ValueError:
            return False

    @property
    def groups(self) -> list[str]:
        """The columns that divide the rows."""
        return [name for name in (self.system, self.repeat) if name]

    @property
    def options_of_verb(self) -> dict[str, Any]:
        """What the verb is given; the reference point is a value per score, or how it is found."""
        return tables.with_reference(self, super().options_of_verb)

    def variables(
        self, cell: Mapping[str, Any], stated: Iterable[str] = (), *, folder: Path | str = "."
    ) -> dict[str, Any]:
        """Return what the parameters cell of the notebook is set to; see :meth:`Analysis.variables`."""
        found = tables.cell_with_reference(self, super().variables(cell, stated, folder=folder), cell)
        return {name: None if name == "budgets" and not value else value for name, value in found.items()}


def _scores_of(gap: Any) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the scores that could be chosen, in their own units, and the options of their gap."""
    parts = {"val_": gap.scores.validation, "test_": gap.scores.test}
    columns = [
        pd.DataFrame(gap.scores.own_units(costs), gap.scores.index, [f"{part}{name}" for name in gap.objectives])
        for part, costs in parts.items()
    ]
    options: dict[str, Any] = {"keep": gap.keep}
    # A reference point that a report finds by itself is not named.
    rules = () if gap.reference_given else (WORST, WORST_MULTIPLE)
    rule = next((rule for rule in rules if gap.scores.reference(rule, 0.1) == gap.reference), None)
    if rule is None:
        options["reference"] = {str(name): value for name, value in gap.reference.items()}
    elif rule == WORST_MULTIPLE:
        options["worst_multiple"] = True
    return pd.concat(columns, axis=1), options
