"""Which row to choose, given the weight of each objective (COPA)."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, parameter, settings
from copa_nb.analyses.decision import Decision
from copa_nb.checks import called, setting
from copa_nb.comparisons.intervals import Intervals
from copa_nb.comparisons.measurements import Measurements
from copa_nb.comparisons.read_measurements import measurements
from copa_nb.ranking.criterion import resolve_p, resolve_weights, write_p
from copa_nb.ranking.normalize import HOW
from copa_nb.ranking.populations import Reference
from copa_nb.selection.copa import Selection
from copa_nb.selection.criteria import Criteria
from copa_nb.selection.sensitivity import Sensitivity
from copa_nb.selection.stability import Stability
from copa_nb.tables.candidates import candidate_mask, limits_of
from copa_nb.tables.columns import several
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS, WITH_BOUNDS, bounded_costs
from copa_nb.tables.objectives import ATTRS_KEY, Objectives, RunsWarning
from copa_nb.tables.rows import runs_in_words
from copa_nb.text import label, listing, number, spoken

_MOST_RESAMPLED, _FEWEST_RESAMPLES = 50_000_000, 20  # rows of all resamples of a table; resamples of any
_EXPLORED = 20_000  # rows of a table that a page can hold
_MOST_NAMED = 5  # rows that a headline names
_RIVALS = 3
CRITERIA = ("mean", "minmax", 1, 2, 4, 8, "inf")
_SPREAD = 20  # times the median that the largest value of an objective is on a logarithmic axis
_LARGE = 100_000  # rows of a table whose criteria are compared on its front alone


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class Select(Analysis):
    """The choice of a row, its stability, and the choices under other weights and criteria."""

    name = "select"
    notebook = "yours/select"
    title = "Selection"
    bundled = "the bundled DomainBed table"
    about = "weights, constraints, the criterion, and the bootstrap of the choice"
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
    sweep: str = parameter(
        "",
        "column whose importance is swept from 0 to 1; empty: the one with the largest weight",
        objective=True,
        metavar="COL",
    )
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
    n_resamples: int = parameter(
        500, "bootstrap resamples for the stability of the choice; fewer for more than 100,000 rows", least=1
    )
    seed: int = parameter(0, "seed of the bootstrap", least=0)

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

    def read(self, folder: Path | str = ".") -> pd.DataFrame:
        """Return the table with its rows named, unless systems have several rows each."""
        return tables.flat(self.load(folder)) if self.is_measured else super().read(folder)

    def means_of(self, table: pd.DataFrame) -> pd.DataFrame:
        """Return one row per system: means of the objectives, and the further columns asked for."""
        read = self.measurements(table)
        means = read.in_own_units(read.mean_costs()).rename_axis(self.system)
        shown = [name for name in self.show if name in table.columns and name not in (*means.columns, self.system)]
        means = means.join(settings(table, self.system, shown))
        note = f"{len(table):,} rows; means over {read.describe()}."
        described = {"objectives": read.objectives.to_dict()}
        means.attrs = {**table.attrs, ATTRS_KEY: described, "notes": [*table.attrs.get("notes", ()), note]}
        return means

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.copa()`` without the weights, for verbs that vary these."""
        return self.given(("p", "where", "normalize", "nan_policy"))

    def possible_choices(self, table: pd.DataFrame, p: float | str | None = None) -> Any:
        """Choose for all values of the missing cells at once, under the order of the norm asked for or another one."""
        options = {"p": p or self.p, "where": self.where or None, "nan_policy": BOUNDS, "bounds": self.ends}
        return ask(table, "copa", objectives=self.directions, weights=self.weights or None, **options)

    def example(self) -> tuple[Self, pd.DataFrame]:
        """Return the analysis of the bundled table."""
        from copa_nb.datasets import load_domainbed

        table = load_domainbed()
        known = self.objectives_of(table.moo.description["objectives"])
        return (self if self.directions else replace(self, **known)), table

    def choose(self, table: Any) -> tuple[Any, Answer, dict[str, str]]:
        """Choose a row of a table that is read in pieces, and say which and why."""
        self.check_values()
        given = [called(name) for name, value in self.measuring.items() if value and name not in ("system", "known")]
        if self.nan_policy == BOUNDS:
            given.append(setting("nan_policy", BOUNDS))
        if given:
            raise ValueError(
                f"{listing(given)} needs the whole table in memory, which is read in pieces here; aggregate it first, "
                "or name a single file."
            )
        choice = ask(table, "copa", objectives=self.directions, weights=self.weights or None, **self.options)
        standing, values, *rest = choice.sentences()
        tied = f" (tied with {len(choice.tied) - 1} more)" if len(choice.tied) > 1 else ""
        return (
            choice,
            Answer(
                f"{label(choice.best)}{tied}",
                filled(f"{standing} {values}", " ".join(rest)),
                question=question_of(choice, choice.counts()[0]),
                used="copa",
                values=facts(choice),
                certainty="How stable this choice is was not measured, because that takes the whole table in memory.",
            ),
            {},
        )

    def measure(self, table: pd.DataFrame) -> SelectFindings:
        """Choose a row, and resample the table to measure the stability of the choice."""
        if self.nan_policy == BOUNDS:
            return PossibleChoice(
                analysis=self, table=table, choice=self.possible_choices(table), stability=None, n_resamples=0
            )
        given, table = table, self.means_of(table) if self.is_measured else table
        choice = ask(table, "copa", objectives=self.directions, weights=self.weights or None, **self.options)
        count = affordable(self.n_resamples, len(table))
        return SelectFindings(
            analysis=self,
            table=table,
            choice=choice,
            stability=self.stability_of(choice, given, count),
            n_resamples=count,
            after_choice=self.after_choice(choice, given),
        )

    def stability_of(self, choice: Selection, table: pd.DataFrame, n_resamples: int) -> Stability:
        """Resample the independent runs of the systems if there are any, otherwise the population."""
        if not self.repeat or self.item:
            return choice.stability(n_resamples=n_resamples, rng=self.seed)
        found = choice.stability(table, system=self.system, repeat=self.repeat, n_resamples=n_resamples, rng=self.seed)
        return replace(found, scores=None)  # the report has them by themselves

    def after_choice(self, choice: Selection, table: pd.DataFrame) -> Intervals | None:
        """Give the scores of the choice intervals that are valid after it; None where nothing shows the precision."""
        if not self.measuring:
            return None
        measuring = self.measuring
        if not self.is_measured:
            measuring["system"] = None  # the index names the rows
        found: Intervals = choice.intervals(table, **measuring, nan_policy=self.nan_policy, rng=self.seed)
        return found


@dataclass(frozen=True, kw_only=True, eq=False)
class SelectFindings(Findings):
    """The choice and its stability.

    Parameters
    ----------
    choice : Selection
        Of ``df.moo.copa()``.
    Selection.stability : Stability
        Of ``choice.stability()``.
    n_resamples : int
        Resamples of the table.
    after_choice : Intervals, optional
        Scores of the choice with intervals that are valid after it, where the table shows how precise they are.
    """

    # Whether every value is known, or counts as known: otherwise nothing is resampled.
    is_complete: ClassVar[bool] = True

    choice: Any
    stability: Any
    n_resamples: int
    after_choice: Intervals | None = None

    @property
    def answer(self) -> Answer:
        """Which row is chosen, why, and how often it would be chosen again."""
        choice, decision = self.choice, self.decision
        # The standing, the values and the ties are in the card and its sentence.
        trade = [one for one in choice.sentences()[2:] if not one.startswith("It is tied with")]
        return Answer(
            decision.headline,
            filled(*decision.sentences, " ".join(trade) if decision.is_open else "", self.values_of(choice.tied[:3])),
            question=question_of(choice, len(choice.table)),
            certainty=" ".join(filter(None, [decision.certainty, self._scores])),
            used="copa",
            card=decision.card,
            values={
                **facts(choice),
                "firm": self.stability.is_firm,
                "share_of_resamples": float(self.stability.share.iloc[self.stability.best_row]),
            },
        )

    @cached_property
    def decision(self) -> Decision:
        """The choice as a reader asks for it first."""
        return Decision(self.choice, self.stability, self._winners)

    @property
    def _winners(self) -> pd.Series | None:
        """The choice of each criterion; None where there are too many rows for an answer, or nothing to weigh."""
        if len(self.table) > _LARGE or len(self.choice.objectives) < 2:
            return None
        return self.comparison[0].winners()

    @cached_property
    def comparison(self) -> tuple[Criteria, list[str]]:
        """The rows under the usual criteria, and what limits the comparison."""
        return self.compare(CRITERIA)

    @property
    def _scores(self) -> str:
        return "" if self.after_choice is None else self.after_choice.in_short()

    @property
    def models(self) -> Any:
        """The rows, bound to their objectives, for the verbs of ``df.moo``."""
        rows: Any = self.rows
        return rows.moo(self.directions, nan_policy=self.analysis.nan_policy)

    @property
    def differs(self) -> bool:
        """Whether there are rows that the choice is better than."""
        return self.decision.differs

    @property
    def is_open(self) -> bool:
        """Whether weights could choose another row."""
        return self.decision.is_open

    @property
    def rivals(self) -> list[Any]:
        """The rows next in rank, which keep a color each through the page."""
        return list(self.choice.table.index[1 : 1 + _RIVALS])

    @property
    def swept(self) -> str:
        """The objective whose weight goes from 0 to 1: the one asked for, or that with the largest weight."""
        weights = self.choice.weights
        return self.analysis.sweep or max(weights, key=weights.get)

    @property
    def logged(self) -> list[Any]:
        """Objectives with positive values of which a few are so large that the others would share a corner."""
        values = self.choice.inputs.kept_rows()[list(self.choice.objectives)].astype(float)
        values = values[np.isfinite(values).all(axis="columns")]
        spread = (values.min() > 0) & (values.max() > _SPREAD * values.median())
        return spread.index[spread].tolist()

    @property
    def scale(self) -> dict[str, Any]:
        """Options of the figure of the choice: two objectives are drawn in their own units."""
        return {"log": self.logged} if self.is_complete and len(self.choice.objectives) == 2 else {}

    @property
    def criterion(self) -> str:
        """The order of the norm and the weights, in words."""
        weights = (f"{spoken(name)} {number(weight, 3)}" for name, weight in self.choice.weights.items())
        return f"p = {write_p(self.choice.p)}, weights {', '.join(weights)}"

    def compare(self, criteria: Sequence[str | float]) -> tuple[Criteria, list[str]]:
        """Rank the rows by criteria, with the weights given, and note what limits that.

        Parameters
        ----------
        criteria : sequence
            As for :meth:`copa_nb.results.Selection.criteria`; "minmax" is left out where a column does not vary.
        """
        asked, notes = self.analysis, []
        models = self.models
        options: dict[str, Any] = {"weights": asked.weights or None}
        if len(self.table) > _LARGE:
            notes.append(
                f"Because the table is large, only its Pareto-optimal rows{' allowed' if asked.where else ''} are "
                "listed, with their ranks among all rows."
            )
            options["reference"] = Reference.fit(self.table, objectives=self.directions, nan_policy=asked.nan_policy)
            allowed = self.rows[candidate_mask(self.rows, asked.where or None)]
            models = ask(allowed, "front", objectives=self.directions, nan_policy=asked.nan_policy).moo(self.directions)
        else:
            options["where"] = asked.where or None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RunsWarning)  # the cautions say that rows are runs
            try:
                return models.copa(**options).criteria(criteria), notes
            except ValueError as error:
                rest = [one for one in criteria if one != "minmax"]
                return models.copa(**options).criteria(rest), [*notes, f"Min-max scaling is left out: {error}"]

    def acceptability(self, sensitivity: Sensitivity) -> pd.DataFrame:
        """Describe the rows chosen under some weights; large tables are not resampled for it."""
        large = len(self.table) > _LARGE
        count = 1 if large else min(self.n_resamples, 200)
        table = sensitivity.acceptability(n_resamples=count, rng=self.analysis.seed)
        return table.drop(columns="confidence") if large else table

    @property
    def ranking(self) -> str:
        """What the table of the candidates contains."""
        return (
            "Candidates from best to worst: rank, score (smaller is better), whether Pareto-optimal, values, and their "
            f"{self.u}; {self.criterion}."
        )

    @property
    def unasked(self) -> str:
        """What would add the sections that the report leaves out; empty if it has them all."""
        if self.after_choice is not None or not self.is_complete:
            return ""
        columns = listing([called(name) for name in ("item", "repeat", "standard_error")], "or")
        return f"Not asked for: intervals of the chosen row's scores that allow for the choice ({columns})."

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
        """What a choice is made of."""
        normalize = self.analysis.normalize
        return "shares of rows that are better" if normalize == "cdf" else f"{normalize} values"

    def headers_of(self, table: pd.DataFrame) -> dict[str, str]:
        """Return what columns of a table of results are called for people."""
        scaled = "rows better in" if self.analysis.normalize == "cdf" else f"{self.analysis.normalize} value of"
        known = {
            **self.titles,
            **{f"u_{name}": f"{scaled} {words}" for name, words in self.spoken.items()},
            **{f"central_{name}": f"mean weight of {words}" for name, words in self.spoken.items()},
        }
        return {name: words for name, words in known.items() if name in table.columns}

    @property
    def cautions(self) -> list[str]:
        """What the reader should know of the rows: missing values, runs, and fewer resamples than requested."""
        asked, runs, cautions = self.analysis.n_resamples, runs_in_words(self.table), super().cautions
        if runs:
            cautions.append(runs)
        if self.is_complete and self.n_resamples < asked:
            cautions.append(
                f"{self.n_resamples:,} resamples were drawn instead of {asked:,}, because each ranks "
                f"{len(self.table):,} rows."
            )
        return cautions


@dataclass(frozen=True, kw_only=True, eq=False)
class PossibleChoice(SelectFindings):
    """What is chosen whatever the missing values are, and what may be; without resamples."""

    is_complete: ClassVar[bool] = False
    # Scores with intervals are for values that are known.
    unmeasured: ClassVar[str] = ""
    differs: ClassVar[bool] = True
    is_open: ClassVar[bool] = False

    @property
    def answer(self) -> Answer:
        """Which row is chosen whatever the missing values are, and which may be."""
        choice, front, n = self.choice, self.front, len(self.choice.table)
        sure, may, cells = choice.certain, choice.possible, choice.n_missing
        whatever = f"whatever the {cells:,} missing values are" if cells > 1 else "whatever the missing value is"
        if sure:
            headline = ", ".join([listing(map(label, sure)), *[whatever] * (cells > 0)])
        else:
            named = f": {listing(map(label, may))}" if len(may) <= _MOST_NAMED else ""
            headline = f"{len(may):,} of {n:,} rows may be chosen{named}"
        on_front = f"{int(front['certain'].sum()):,} of {n:,} rows are on the Pareto front {whatever}"
        return Answer(
            headline,
            filled(
                choice.explain(),
                f"{on_front}; {len(front):,} may be." if cells else "",
                self.values_of((sure or may)[:_MOST_NAMED]),
            ),
            question=f"Which of {n:,} rows is the best compromise between {listing(map(spoken, choice.objectives))}, "
            "whatever the missing values are?",
            used="copa",
            values={
                "certain": sure,
                "possible": may,
                "missing": cells,
                "front_certain": front.index[front["certain"]].tolist(),
                "front_possible": front.index.tolist(),
                "weights": choice.weights,
            },
        )

    @property
    def ranking(self) -> str:
        """What the table of the candidates contains."""
        return (
            "Candidates: whether they are chosen whatever the missing values are, whether they may be, and between "
            f"which ends their score (smaller is better) and their rank lie; {self.criterion}."
        )

    @cached_property
    def front(self) -> pd.DataFrame:
        """Candidates that may be on their Pareto front, and whether they are certain to be."""
        asked = self.analysis
        rows = self.table[candidate_mask(self.table, asked.where)] if asked.where else self.table
        options = {"objectives": self.directions, "nan_policy": BOUNDS, "bounds": asked.ends}
        found: pd.DataFrame = ask(rows[list(self.directions)], "front", **options)
        return found

    def under_other_norms(self, orders: Sequence[str | float]) -> pd.DataFrame:
        """Choose under several orders of the norm, whatever the missing values are."""
        found = {write_p(resolve_p(p)): self.analysis.possible_choices(self.table, p) for p in orders}
        rows = {
            p: {
                "certain": listing(map(label, one.certain)) or "none",
                "possible": len(one.possible),
                "first of them": listing(map(label, one.possible[:_MOST_NAMED])),
            }
            for p, one in found.items()
        }
        return pd.DataFrame.from_dict(rows, orient="index").rename_axis("p")


def question_of(choice: Any, n_rows: int) -> str:
    """The question that a choice answers."""
    return f"Which of {n_rows:,} rows is the best compromise between {listing(map(spoken, choice.objectives))}?"


def facts(choice: Any) -> dict[str, Any]:
    """The values of a choice that programs read from an answer."""
    return {
        "selected": choice.best,
        "tied": choice.tied,
        "objectives": choice.values,
        "parameters": choice.parameters,
        "weights": choice.weights,
    }


def affordable(n_resamples: int, n_rows: int) -> int:
    """Return how many resamples of a table take seconds rather than minutes: all of them up to 100,000 rows.

    Examples
    --------
    >>> affordable(500, 100_000), affordable(500, 2_000_000), affordable(10, 2_000_000)
    (500, 25, 10)
    """
    return min(n_resamples, max(_FEWEST_RESAMPLES, _MOST_RESAMPLED // n_rows))
