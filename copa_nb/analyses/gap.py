"""How a front that was chosen on validation data performs on test data (Mind the Gap)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, left_out, parameter
from copa_nb.checks import called, integer
from copa_nb.generalization.comparison import RepeatedComparison
from copa_nb.generalization.result import Gap
from copa_nb.generalization.scores import score_columns
from copa_nb.pareto.front import KEEP
from copa_nb.pareto.reference_points import WORST, WORST_MULTIPLE
from copa_nb.tables.candidates import candidate_mask
from copa_nb.text import label, number, portion, spoken, told_apart

_MOST_NAMED = 3  # rows whose further columns are written out
_HYPERVOLUMES = ["hv_validation", "hv_optimistic", "hv_pessimistic", "hv_test", "gap"]
_SIZES = ["n_rows", "n_validation_front", "n_optimistic", "n_pessimistic", "n_dominated"]
_FALLS = {"average": "all candidates", "winners_curse": "winner's curse", "low": "from", "high": "to"}
_QUANTITIES = {
    "hv_validation": "hypervolume on validation",
    "hv_optimistic": "optimistic hypervolume",
    "hv_pessimistic": "pessimistic hypervolume",
    "relative_gap": "relative gap",
    "optimism": "optimism (validation − optimistic)",
}


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class GapAnalysis(Analysis):
    """The front on validation data, its performance on test data, and which of several methods is better."""

    name = "gap"
    notebook = "yours/gap"
    title = "Generalization gap"
    bundled = "the bundled random search on German credit"
    about = "columns with validation and test scores (by prefix or suffix), and the methods to compare"
    offered = ("validation", "test", "configuration", "order", "budgets", "where")
    results = (Gap,)
    names_rows = "configuration"
    what_is_measured = "scores, without prefix or suffix,"

    configuration: str = parameter("", "column that names the rows; empty: row numbers", column=True)
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
        "", "column that names the method, to compare several; empty: one method", column=True, metavar="COL"
    )
    repeat: str = parameter(
        "", "column of repetitions (splits, seeds); empty: one repetition", column=True, metavar="COL"
    )
    order: str = parameter(
        "", "column with the order of evaluation, for the curve over budgets; empty: no curve", column=True,
        metavar="COL",
    )  # fmt: skip
    budgets: list[int] = parameter(
        [], "numbers of evaluations to tabulate; empty: an eighth, a quarter, half and all", metavar="N"
    )
    keep: str = parameter("all", "rows with equal scores", choices=KEEP)
    where: str = parameter("", 'which rows may be on a front, e.g. "val_recall > 0"')
    confidence_level: float = parameter(0.95, "confidence level of the intervals", is_fraction=True)

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
        rows = int(table.groupby(self.groups).size().min()) if self.groups else len(table)
        asked = max(int(budget) for budget in self.budgets)
        if asked > rows:
            each = " of each method and repetition" if self.groups else ""
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
    def options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.gap()``, without those that divide the rows."""
        options = self.given(("validation", "test", "keep", "nan_policy"))
        worst = WORST_MULTIPLE if self.worst_multiple else WORST
        reference = self.reference or worst
        return {**options, "objectives": self.directions, "reference": reference, "where": self.where or None}

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled runs."""
        from copa_nb.datasets import load_german_credit_runs

        asked = replace(
            self,
            system=self.system or "model",
            repeat=self.repeat or "seed",
            order=self.order or "configuration",
            where=self.where or "val_precision + val_recall > 0 and test_precision + test_recall > 0",
            maximize=self.maximize if self.directions else ["precision", "recall"],
        )
        stated: dict[str, float] = {} if asked.worst_multiple else dict.fromkeys(asked.directions, 0.0)
        return replace(asked, reference=asked.reference or stated), load_german_credit_runs()

    def measure(self, table: pd.DataFrame) -> GapFindings:
        """Measure the gap, of each method and over repetitions where there are any, and compare two methods."""
        for column in (self.repeat, self.system):
            table = table.sort_values(column, kind="stable") if column else table
        divided = {"by": self.system or None, "repeat": self.repeat or None, "order": self.order or None}
        found = ask(table, "gap", **divided, **self.options)
        gaps = dict(found.items()) if self.system else {"all rows": found}
        pairs = found.compare() if self.system else {}
        comparisons = {f"{a} / {b}": pair for (a, b), pair in pairs.items()}
        return GapFindings(analysis=self, table=table, measured=found, gaps=gaps, comparisons=comparisons)


@dataclass(frozen=True, kw_only=True, eq=False)
class GapFindings(Findings):
    """The gap of each method, and how methods compare.

    Parameters
    ----------
    measured : Gap
        All gaps, as ``gap`` returned them.
    gaps : dict of label to Gap
        One, or one for each method.
    comparisons : dict of str to GapComparison or RepeatedComparison
        Of all pairs of methods.
    """

    measured: Gap
    gaps: dict[Any, Gap]
    comparisons: dict[str, Any]

    @property
    def answer(self) -> Answer:
        """The approximation gap, or that of each method, and which method is better."""
        gaps, first = self.gaps, next(iter(self.gaps.values()))
        explained = [
            f"{label(name)}: {one.in_short()}" if len(gaps) > 1 else one.in_short() for name, one in gaps.items()
        ]
        comparison = next(iter(self.comparisons.values()), None)
        front = "" if self.analysis.repeat else self.values_of(first.optimistic[:_MOST_NAMED])
        certainty = "The uncertainty of a single split is unknown: repeat the split to estimate it."
        if self.is_repeated:
            certainty = (
                "If repetitions are random splits of one data set, they share rows and the intervals are too narrow."
            )
        return Answer(
            self._headline(),
            filled(*explained[:2], comparison.explain() if comparison is not None else "", front),
            question="How does the front that was chosen on validation data perform on test data?",
            certainty=certainty,
            used="gap",
            values={"gaps": {name if self.analysis.system else "all": _mean_gap(one) for name, one in gaps.items()}},
        )

    @property
    def single(self) -> dict[Any, Any]:
        """The gap of each system, repetition, or both as a tuple, by their names."""
        if not self.analysis.repeat:
            return dict(self.gaps)
        several = bool(self.analysis.system)
        return {
            (name, repetition) if several else repetition: gap
            for name, one in self.gaps.items()
            for repetition, gap in one.gaps.items()
        }

    @property
    def first(self) -> Any:
        """The first of the gaps, which is drawn."""
        return next(iter(self.single.values()))

    @property
    def first_name(self) -> str:
        """The system and the repetition of the first gap: "linear model, seed 1337"."""
        name, columns = next(iter(self.single)), self.analysis.groups or ["rows"]
        parts = name if isinstance(name, tuple) else (name,)
        # A number alone does not say what it numbers.
        said = [
            part if isinstance(part, str) else f"{spoken(column)} {part}"
            for column, part in zip(columns, parts, strict=True)
        ]
        return ", ".join(said)

    @property
    def numbers(self) -> pd.DataFrame:
        """Hypervolumes, gaps and sizes of fronts, one row for each of the gaps."""
        table = pd.DataFrame({name: gap.summary for name, gap in self.single.items()}).T
        return table.rename_axis(self.analysis.groups or "rows")

    @property
    def hypervolumes(self) -> pd.DataFrame:
        """Hypervolumes and gaps; also as a share where a reference point is stated, on which the share depends."""
        columns = [*_HYPERVOLUMES, *["relative_gap"] * bool(self.analysis.reference)]
        return self.numbers[columns].astype(float)

    @property
    def sizes(self) -> pd.DataFrame:
        """Numbers of rows, and of those on each front."""
        return self.numbers[_SIZES].astype(int)

    @property
    def point(self) -> str:
        """The reference point in words."""
        return ", ".join(f"{spoken(name)} {number(value)}" for name, value in self.first.reference.items())

    @property
    def spread(self) -> pd.DataFrame:
        """Mean, interval and range of every quantity over the repetitions, by system."""
        tables = {name: one.repeats(confidence_level=self.analysis.confidence_level) for name, one in self.gaps.items()}
        found = pd.concat(tables, names=[self.analysis.system or "rows", "quantity"])
        return self._by_system(found.rename(_QUANTITIES))

    def _by_system(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return a table without the names of systems if there is only one."""
        return table if len(self.gaps) > 1 else table.droplevel(0)

    @property
    def is_repeated(self) -> bool:
        """Whether there are several repetitions, so that their spread can be shown."""
        return bool(self.analysis.repeat) and any(len(one.gaps) > 1 for one in self.gaps.values())

    @property
    def unasked(self) -> str:
        """What would add the sections that the report leaves out; empty if it has them all."""
        asked = self.analysis
        sections = {
            "repeat": "the spread over repetitions",
            "system": "a comparison of systems",
            "order": "the curve over budgets",
        }
        return left_out({name: what for name, what in sections.items() if not getattr(asked, name)})

    @property
    def falls(self) -> pd.DataFrame:
        """How far scores fall from validation to test: of all candidates, of what was chosen, and the difference."""
        tables = {name: one.falls() for name, one in self.gaps.items()}
        found = pd.concat(tables, names=[self.analysis.system or "rows", "score"])
        return self._by_system(found.dropna(axis="columns", how="all").rename(columns=_FALLS).rename(index=self.spoken))

    @property
    def verdicts(self) -> pd.DataFrame:
        """Which of two systems is better, by each criterion: in how many repetitions, or in which share of many."""
        tables = {pair: self._counted(one) for pair, one in self.comparisons.items()}
        return pd.concat(tables, names=["methods", "criterion"])

    @staticmethod
    def _counted(one: Any) -> pd.DataFrame:
        table: pd.DataFrame = one.table
        if not isinstance(one, RepeatedComparison):
            return table
        return table.map(portion, total=len(one.comparisons))

    @property
    def budgets(self) -> list[int]:
        """Numbers of evaluations: those asked for, or four that double up to the smallest search."""
        groups = self.analysis.groups
        least = int(self.table.groupby(groups).size().min() if groups else len(self.table))
        asked = [int(budget) for budget in self.analysis.budgets]
        return asked or sorted({max(1, least // part) for part in (8, 4, 2, 1)})

    def rows_of(self, group: Any) -> pd.DataFrame:
        """Return the rows of one method or repetition, or of both as a tuple, that may be on a front."""
        columns, rows = self.analysis.groups, self.rows
        if columns:
            parts = group if isinstance(group, tuple) else (group,)
            rows = rows[(rows[columns] == list(parts)).all(axis="columns")]
        return rows[candidate_mask(rows, self.analysis.where)] if self.analysis.where else rows

    def _headline(self) -> str:
        kept = {label(name): _kept(one) for name, one in self.gaps.items()}
        mean = "on average " if self.is_repeated else ""
        if len(kept) == 1:
            return f"{'On average the' if mean else 'The'} front {next(iter(kept.values()))} on test"
        return f"On test, {mean}" + "; ".join(f"{name} {said}" for name, said in kept.items())


def _kept(one: Gap) -> str:
    """What a front is worth on test, next to what validation promised: "keeps 0.74–0.77 of the promised 0.82"."""
    promised, low, high = one.searches[["hv_validation", "hv_pessimistic", "hv_optimistic"]].mean()
    promise, least, most = told_apart(promised, low, high)
    ends = most if low == high else f"{least}–{most}"
    return f"keeps {ends} of the promised {promise}" if high <= promised else f"has {ends}, promised {promise},"


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


def _mean_gap(one: Gap) -> float:
    return float(one.searches["gap"].mean())
