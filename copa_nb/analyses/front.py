"""Which systems are significantly on the front, given the noise of their scores."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Self

import pandas as pd

from copa_nb.analyses import tables
from copa_nb.analyses.base import Analysis, Answer, Findings, ask, filled, parameter, settings, verdict_first
from copa_nb.checks import called, setting
from copa_nb.comparisons.read_measurements import MEASUREMENT_POLICIES, measurements
from copa_nb.costs import MOST_SECONDS_OF_REPORTS
from copa_nb.run_options import options, said
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS, bounded_costs
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
    seed: int = parameter(0, "seed of the resamples", least=0)

    @property
    def is_of_single_values(self) -> bool:
        """Whether systems have one row each, without noise, and missing values are all that is unknown."""
        return self.nan_policy == BOUNDS and not any((self.item, self.repeat, self.standard_error))

    def check_values(self) -> None:
        """Refuse what would say something of noise where there is none."""
        given = [name for name in ("cluster", "known") if getattr(self, name)]
        if self.is_of_single_values and given:
            raise ValueError(
                f"{called(given[0])} is given, but without {called('item')}, {setting('nan_policy', BOUNDS)} compares "
                f"one value per system, without noise. Name {called('item')}, or leave out {called(given[0])}."
            )

    def check_table(self, table: pd.DataFrame) -> None:
        """Refuse a table without a source of uncertainty, and logarithms that do not exist."""
        for name in self.log:
            tables.need_positive(table[name], "log")
        if self.is_of_single_values:
            _need_one_row_each(table, self.system)
            bounded_costs(table, self.directions, bounds=self.ends)
        else:
            words = {"nan_policy": self.nan_policy, "bounds": self.ends, **self.columns}
            measurements(DescribedFrame.of(table, self.directions, **words))

    @property
    def columns(self) -> dict[str, Any]:
        """Keywords that name columns."""
        return self.given(("system", "item", "cluster", "repeat", "standard_error", "known"))

    @property
    def options(self) -> dict[str, Any]:
        """Keywords of ``df.moo.confident_front()`` and ``df.moo.board()``."""
        options = self.given(("alpha", "n_resamples", "nan_policy"))
        return {
            **self.columns, **options, "objectives": self.directions, "bounds": self.ends, "rng": self.seed,
        }  # fmt: skip

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
        """Find the systems that are significantly on the front, or that are whatever the missing values are."""
        if self.is_of_single_values:
            values: Any = table.set_index(self.system)[list(self.directions)]
            systems = values.moo(self.directions, nan_policy=BOUNDS, bounds=self.ends)
            return PossibleFront(analysis=self, table=table, front=systems.front(), choices=systems.copa())
        with options(max_seconds=said().limit(MOST_SECONDS_OF_REPORTS)):
            front = ask(table, "confident_front", **self.options)
        return FrontFindings(analysis=self, table=table, front=front)


@dataclass(frozen=True, kw_only=True, eq=False)
class FrontFindings(Findings):
    """The front with confidence.

    Parameters
    ----------
    front : ConfidentFront
        Of ``df.moo.confident_front()``.
    """

    front: Any
    # Whether systems have noise, rather than one value each.
    is_measured: ClassVar[bool] = True

    @cached_property
    def tiers(self) -> Any:
        """Ranks of the systems with intervals, of ``df.moo.board()``."""
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the notes report what is left out
            with options(max_seconds=said().limit(MOST_SECONDS_OF_REPORTS)):
                return ask(self.table, "board", **self.analysis.options)

    @property
    def printed(self) -> pd.DataFrame:
        """The systems as a table prints them, the verdict first."""
        return self.with_shown(verdict_first(self.front.table, "verdict", "on_front").round({"share": 3}))

    @property
    def caption(self) -> str:
        """What the table of the systems contains."""
        return "Verdicts, means, and how often a system is on the front of resampled data (share)."

    @property
    def headers(self) -> dict[str, str]:
        """What columns of the table are called."""
        headers = {
            "on_front": "on the front of means",
            "dominated_by": "dominated by",
            "survives": "verdict holds in the worst case",
        }
        return {name: header for name, header in headers.items() if name in self.printed}

    @property
    def named(self) -> list[Any]:
        """Systems that the picture names: those that are on the front for sure, then that of the means."""
        return list(dict.fromkeys(self.front.conservative + self.front.central))[:_MOST_LABELS]

    @property
    def key(self) -> bool | list[Any]:
        """Where names are so long that pictures number them, all systems in the order of their numbers."""
        is_long = max(len(label(one)) for one in self.front.table.index) > _LONG_NAME
        return list(self.tiers.table.index) if is_long else False

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
            filled(front.outcome, self.values_of(sure[:_MOST_NAMED])),
            question=f"Which of {n} {plural(front.table.index.name, 'systems')} are on the front, given their noise?",
            certainty=front.certainty,
            used="confident_front",
            values={"significant": list(sure), "possible": list(front.optimistic), "systems": n},
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class PossibleFront(FrontFindings):
    """Which systems are on the front whatever the missing values are, and which may be; one value per system.

    Parameters
    ----------
    choices : PossibleChoices
        Of ``df.moo.copa()``, at equal weights.
    """

    choices: Any
    is_measured: ClassVar[bool] = False

    @property
    def printed(self) -> pd.DataFrame:
        """The systems that may be on the front."""
        return self.with_shown(self.front)

    @property
    def caption(self) -> str:
        """What the table of the systems contains."""
        return "Systems that may be on the front, and whether they are whatever the missing values are."

    @property
    def answer(self) -> Answer:
        """Which systems are on the front whatever the missing values are."""
        certain = self.front.index[self.front["certain"]].tolist()
        n, may, cells = len(self.table), len(self.front), self.choices.n_missing
        named = listing(map(label, certain))
        if not 0 < len(named) <= _LONGEST_NAMES:
            named = f"{len(certain) or 'None'} of {n}"
        verb = "is" if len(certain) <= 1 else "are"
        whatever = f" whatever the {cells:,} missing value{'s are' if cells > 1 else ' is'}" if cells else ""
        return Answer(
            f"{named} {verb} on the front{whatever}; up to {may} of {n} may be",
            filled(self.choices.given if cells else "", self.values_of(certain[:_MOST_NAMED])),
            question=f"Which of {n} {plural(self.front.index.name, 'systems')} are on the front, whatever the missing "
            "values are?",
            used="copa",
            values={"certain": certain, "possible": self.front.index.tolist(), "missing": cells, "systems": n},
        )


def _need_one_row_each(table: pd.DataFrame, system: str) -> None:
    """Refuse several rows of a system where it must have one value per objective."""
    repeated = table[system][table[system].duplicated()]
    if len(repeated):
        raise ValueError(
            f"{called('system')} has {repeated.iloc[0]!r} in several rows, but without {called('item')}, "
            f"{setting('nan_policy', BOUNDS)} compares one value per system. Name {called('item')}, or average the "
            "rows first."
        )
