"""Which row to choose, given the weight of each objective (COPA)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np
import pandas as pd

from copa_nb.analyses.base import Analysis, Answer, Findings, filled, parameter
from copa_nb.candidates import limits_of
from copa_nb.columns import several
from copa_nb.objectives import Objectives, runs_in_words
from copa_nb.selection.compare import Comparison
from copa_nb.selection.criterion import resolve_p, resolve_weights, write_p
from copa_nb.selection.normalize import HOW
from copa_nb.selection.populations import Reference
from copa_nb.selection.sensitivity import Sensitivity
from copa_nb.text import label, listing, number, spoken

_MOST_RESAMPLED, _FEWEST_RESAMPLES = 50_000_000, 20  # rows of all resamples of a table; resamples of any
_EXPLORED = 20_000  # rows of a table that a page can hold
_LARGE = 100_000  # rows of a table whose criteria are compared on its front alone


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Select(Analysis):
    """The choice of a row, its stability, and the choices under other weights and criteria."""

    name = "select"
    notebook = "yours/select"
    title = "Selection"
    bundled = "the bundled DomainBed table"
    about = "weights, constraints, the criterion, and the bootstrap of the choice"
    results = ("Selection",)
    names_rows = "system"

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
    sweep: str = parameter(
        "",
        "column whose importance is swept from 0 to 1; empty: the one with the largest weight",
        objective=True,
        metavar="COL",
    )
    n_resamples: int = parameter(
        500, "bootstrap resamples for the stability of the choice; fewer for more than 100,000 rows", least=1
    )
    seed: int = parameter(0, "seed of the bootstrap", least=0)

    @classmethod
    def from_result(cls, result: Any, given: Mapping[str, Any]) -> Self:
        """Make the analysis that chooses as a :class:`copa_nb.Selection` did."""
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
            **cls.objectives_of(result.objectives),
            "weights": {str(name): float(weight) for name, weight in result.weights.items()},
            "p": "inf" if np.isinf(result.p) else f"{result.p:.17g}",
            "where": inputs.where if isinstance(inputs.where, str) else "",
            "normalize": result.normalize,
            "nan_policy": "omit" if inputs.n_omitted else "worst" if missing else "raise",
        }
        return cls(table=inputs.frame, **{**options, **given})

    def check_values(self) -> None:
        """Refuse an order of the norm below 1."""
        resolve_p(self.p)

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse weights that are no shares."""
        resolve_weights(Objectives.of(self.directions), self.weights or None)

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of :func:`copa_nb.copa` without the weights, for verbs that vary these."""
        return self.given(("p", "where", "normalize", "nan_policy"))

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled table."""
        from copa_nb.datasets import load_domainbed

        table = load_domainbed()
        return (self if self.directions else replace(self, **self.objectives_of(table.moo.objectives))), table

    def measure(self, table: pd.DataFrame) -> SelectFindings:
        """Choose a row, and resample the table to measure the stability of the choice."""
        choice = table.moo.copa(objectives=self.directions, weights=self.weights or None, **self.options)
        count = affordable(self.n_resamples, len(table))
        return SelectFindings(
            analysis=self,
            table=table,
            choice=choice,
            stability=choice.stability(n_resamples=count, rng=self.seed),
            n_resamples=count,
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectFindings(Findings):
    """The choice and its stability.

    Parameters
    ----------
    choice : Selection
        Of :func:`copa_nb.copa`.
    stability : Stability
        Of ``choice.stability()``.
    n_resamples : int
        Resamples of the table.
    """

    choice: Any
    stability: Any
    n_resamples: int

    @property
    def answer(self) -> Answer:
        """Which row is chosen, why, and how often it would be chosen again."""
        choice = self.choice
        standing, values, *rest = choice.sentences(spoken)
        tied = f" (tied with {len(choice.tied) - 1} more)" if len(choice.tied) > 1 else ""
        return Answer(
            f"{label(choice.best)}{tied}",
            filled(f"{standing} {values}", " ".join(rest), self.values_of([choice.best])),
            question=f"Which of {len(choice.table):,} rows is the best compromise between "
            f"{listing(map(spoken, choice.objectives))}?",
            certainty=self.stability.explain(),
            used="copa",
            values={
                "selected": choice.best,
                "tied": choice.tied,
                "objectives": choice.values,
                "parameters": choice.parameters,
                "weights": choice.weights,
                "firm": self.stability.is_firm,
                "share_of_resamples": float(self.stability.share.iloc[self.stability.best_row]),
            },
        )

    @property
    def models(self) -> Any:
        """The rows, bound to their objectives, for the verbs of ``df.moo``."""
        rows: Any = self.rows
        return rows.moo(self.directions)

    @property
    def swept(self) -> str:
        """The objective whose weight goes from 0 to 1: the one asked for, or that with the largest weight."""
        weights = self.choice.weights
        return self.analysis.sweep or max(weights, key=weights.get)

    @property
    def criterion(self) -> str:
        """The order of the norm and the weights, in words."""
        weights = (f"{spoken(name)} {number(weight, 3)}" for name, weight in self.choice.weights.items())
        return f"p = {write_p(self.choice.p)}, weights {', '.join(weights)}"

    def compare(self, criteria: Sequence[str | float]) -> tuple[Comparison, list[str]]:
        """Rank the rows by criteria, with the weights given, and note what limits that.

        Parameters
        ----------
        criteria : sequence
            As for :func:`copa_nb.compare`; "minmax" is left out where a column does not vary.
        """
        models, asked, notes = self.models, self.analysis, []
        options = {"weights": asked.weights or None, "nan_policy": asked.nan_policy}
        if asked.where:
            notes.append("The comparison of criteria ranks all rows and ignores the constraint.")
        if len(self.table) > _LARGE:
            notes.append(
                "Because the table is large, only its Pareto-optimal rows are listed, with their ranks among all rows."
            )
            options["reference"] = Reference.fit(self.table, objectives=models.objectives, nan_policy=asked.nan_policy)
            models = models.front(nan_policy=asked.nan_policy).moo(self.directions)
        try:
            return models.compare(criteria, **options), notes
        except ValueError as error:
            rest = [one for one in criteria if one != "minmax"]
            return models.compare(rest, **options), [*notes, f"Min-max scaling is left out: {error}"]

    def acceptability(self, sensitivity: Sensitivity) -> pd.DataFrame:
        """Describe the rows chosen under some weights; large tables are not resampled for it."""
        large = len(self.table) > _LARGE
        count = 1 if large else min(self.n_resamples, 200)
        table = sensitivity.acceptability(n_resamples=count, rng=self.analysis.seed)
        return table.drop(columns="confidence") if large else table

    @property
    def unexplored(self) -> str:
        """Why the page has no explorer; empty if it has one."""
        if len(self.table) > _EXPLORED:
            return f"There is no explorer, because the table has more than {_EXPLORED:,} rows."
        where = self.analysis.where
        if where and limits_of(self.rows, where, list(self.directions)) is None:
            return (
                f"There is no explorer, because it has limits of objectives only, and the constraint {where!r} is "
                "another one."
            )
        return ""

    @property
    def u(self) -> str:
        """What the columns called u contain."""
        normalize = self.analysis.normalize
        return "share of rows that are better" if normalize == "cdf" else f"{normalize} value"

    @property
    def cautions(self) -> list[str]:
        """What the reader should know of the rows: missing values, runs, and fewer resamples than requested."""
        asked, runs, cautions = self.analysis.n_resamples, runs_in_words(self.table), super().cautions
        if runs:
            cautions.append(runs)
        if self.n_resamples < asked:
            cautions.append(
                f"{self.n_resamples:,} resamples were drawn instead of {asked:,}, because each ranks "
                f"{len(self.table):,} rows."
            )
        return cautions


def affordable(n_resamples: int, n_rows: int) -> int:
    """Return how many resamples of a table take seconds rather than minutes: all of them up to 100,000 rows.

    Examples
    --------
    >>> affordable(500, 100_000), affordable(500, 2_000_000), affordable(10, 2_000_000)
    (500, 25, 10)
    """
    return min(n_resamples, max(_FEWEST_RESAMPLES, _MOST_RESAMPLED // n_rows))
