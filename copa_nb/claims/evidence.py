"""The table that claims are about, and every test that they rest on, run once for each level."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any, NoReturn, TypeVar

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.uncertainty import Uncertainty, known_equal, pvalues_within, significantly_better
from copa_nb.comparisons.board import Board, board_of
from copa_nb.comparisons.many_items import SummedMeasurements
from copa_nb.comparisons.measurements import Measurements
from copa_nb.comparisons.rare_losses import caveats_of_rare_losses, decided_within
from copa_nb.comparisons.read_measurements import measurements, refuse_other_policies
from copa_nb.results.guarantee import Caveat, Guarantee
from copa_nb.results.sentences import Part, part, say
from copa_nb.selection.choose import copa
from copa_nb.selection.copa import Selection
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS
from copa_nb.tables.objectives import Objectives, resolve_objectives

Made = TypeVar("Made")

# How many times as many items or runs are simulated, how many such tables, and the most rows of one.
MORE, N_TABLES, LARGEST = (2, 4, 8, 16), 9, 100_000
_COLUMNS = ("system", "item", "cluster", "repeat", "standard_error", "n", "known")
# Words that say something of whatever rows there are.
_ALSO_SAID = ("nan_policy", "known", "log", "validation", "test", "order")


@dataclass(frozen=True, kw_only=True)
class Reading:
    """What a file of claims says of its table, in the words that describe every table.

    Parameters
    ----------
    objectives : mapping of column to {"max", "min"}
        Directions; those of the table where it is empty.
    system, item, cluster, repeat, standard_error, n, known
        Columns; see ``df.moo.confident_front()``.
    order : label, optional
        Column of the order of evaluations in a search; by default that of the rows.
    validation, test : str
        Prefixes of the columns of validation and test scores.
    log : list, optional
        Objectives that live on a logarithmic scale, for claims about hypervolumes.
    show : list, optional
        Columns that other commands print; no claim is about them.
    nan_policy : {"raise", "omit", "worst", "pairwise", "bounds"}
        How missing values are treated.
    bounds : mapping of objective to (low, high)
        With nan_policy "bounds", what a missing value may be; by default what was observed.
    n_resamples, seed : int
        Of the tests.
    """

    objectives: Mapping[str, str] = field(default_factory=dict)
    system: Any = None
    item: Any = None
    cluster: Any = None
    repeat: Any = None
    standard_error: Any = None
    n: Any = None
    known: Any = None
    order: Any = None
    validation: str = "val_"
    test: str = "test_"
    log: Any = None
    show: Any = None
    nan_policy: str = "raise"
    bounds: Mapping[str, tuple[float | None, float | None]] = field(default_factory=dict)
    n_resamples: int = 2000
    seed: int = 0

    @property
    def columns(self) -> dict[str, Any]:
        """Keywords that name columns."""
        return {name: getattr(self, name) for name in _COLUMNS}

    @property
    def is_sample(self) -> bool:
        """Whether the rows are a sample of items or runs, or have standard errors."""
        return any(value is not None for value in (self.item, self.repeat, self.standard_error))


class EmptyCellError(Exception):
    """A claim is about a value that is missing, of which nothing is known; `found` names the cell, as a clause."""

    def __init__(self, found: Part) -> None:
        super().__init__(say(found))
        self.found = found


@dataclass(frozen=True, eq=False)
class Compared:
    """Which systems are significantly better than which, all at once.

    Parameters
    ----------
    labels : list of label
        The systems.
    means : DataFrame
        Means of the objectives by system.
    better, equal : ndarray of bool, shape (n_objectives, n, n)
        Whether ``[k, i, j]``: i is significantly better than j in k; whether they are known to be equal.
    """

    labels: list[Hashable]
    means: pd.DataFrame
    better: np.ndarray
    equal: np.ndarray

    def between(self, first: Hashable, second: Hashable) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """In which objectives the first is better than the second, worse, and known to be equal."""
        i, j = self.labels.index(first), self.labels.index(second)
        return self.better[:, i, j], self.better[:, j, i], self.equal[:, i, j]


class Evidence:
    """A table and the tests of it.

    Parameters
    ----------
    table : DataFrame
        As it was read.
    settings : Reading
        What its columns mean.
    folder : Path
        What relative paths of claims start from.
    summed : SummedMeasurements, optional
        Sums over the items of a table that is read in pieces, in place of its rows.

    Raises
    ------
    ValueError
        If the column that names systems is missing.
    """

    def __init__(
        self, table: pd.DataFrame, settings: Reading, folder: Path = Path(), summed: SummedMeasurements | None = None
    ) -> None:
        self.settings = settings
        self._folder = folder
        self._summed = summed
        self._table = table
        if settings.system is not None and not settings.is_sample:
            checks.column(table, settings.system, "system")
            self._table = table.set_index(settings.system)
        self._tests: dict[Hashable, Compared] = {}
        self._made: dict[Hashable, Any] = {}
        self._pvalues: dict[Hashable, dict[Hashable, np.ndarray]] = {}

    # ------------------------------------------------------------------------------------------------- larger tables

    @property
    def drawn(self) -> tuple[int, str]:
        """How many items, clusters or runs of a system were drawn independently, and what they are; 0 if none were."""
        settings = self.settings
        if settings.item is None and settings.repeat is not None:
            return min(len(_parts(rows, settings.repeat)) for rows in self._by_system), "runs"
        return (self.measured.n_units(), self.measured.more_of) if settings.is_sample else (0, "")

    def larger(self, times: int) -> list[Evidence]:
        """Return tables with so many times as many items or runs, drawn from those at hand; none if too large."""
        if times * self.n_rows > LARGEST:
            return []
        return self.once(("larger", times), lambda: [self._redrawn(times, k) for k in range(N_TABLES)])

    def _redrawn(self, times: int, number: int) -> Evidence:
        rng, settings = np.random.default_rng([self.settings.seed, times, number]), self.settings
        if settings.item is None:  # runs of different systems have nothing to do with each other
            table = pd.concat([_drawn_again(rows, [settings.repeat], times, rng) for rows in self._by_system])
        else:
            units = [one for one in (settings.cluster, settings.item) if one is not None]
            table = _drawn_again(self._flat, units, times, rng)
        return Evidence(table, settings, self._folder)

    @property
    def _flat(self) -> pd.DataFrame:
        """The rows, with levels of the index as columns."""
        return self.table if self.table.index.names == [None] else self.table.reset_index()

    @cached_property
    def _by_system(self) -> list[pd.DataFrame]:
        by = self.settings.system
        return [self._flat] if by is None else _parts(self._flat, by)

    # ----------------------------------------------------------------------------------------------- what there is

    @property
    def table(self) -> pd.DataFrame:
        """The rows."""
        if self._summed is not None:
            raise TypeError(f"the claim needs the rows of the table, and {self._summed.missing_items}")
        return self._table

    @property
    def n_rows(self) -> float:
        """Rows of the table; infinite where they were summed."""
        return len(self._table) if self._summed is None else np.inf

    @cached_property
    def objectives(self) -> Objectives:
        """Names and directions."""
        return resolve_objectives(self._table, self.settings.objectives or None)

    @cached_property
    def measured(self) -> Measurements:
        """The measurements of all systems."""
        return self._measurements(self.table) if self._summed is None else self._summed

    def describe(self) -> str:
        """How the precision is known, of what was used for the verdicts."""
        return self.measured.describe() if "measured" in vars(self) else "repetitions"

    @property
    def sampled(self) -> str:
        """What another sample would have drawn anew."""
        return self.measured.sampled if "measured" in vars(self) else "repetitions"

    @cached_property
    def means(self) -> pd.DataFrame:
        """Means of the objectives by system; the values where each system has one row."""
        if not self.settings.is_sample:
            return self.table
        return self.measured.in_own_units(self._uncertainty.means)

    @property
    def systems(self) -> list[Hashable]:
        """The systems."""
        labels: list[Hashable] = self.means.index.tolist()
        return labels

    def system(self, name: str, argument: str) -> Hashable:
        """Return the label of a system, or refuse a name that none has."""
        found = [label for label in self.systems if text.label(label) == name]
        if not found:
            known = [text.label(label) for label in self.systems]
            raise ValueError(
                f"`{argument}` names {name!r}, which is not a system; systems are {checks.listed(known)}."
                f"{checks.nearest(name, known)}"
            )
        if len(found) > 1:
            raise ValueError(
                f"`{argument}` names {name!r}, which is the name of {len(found)} rows; give each its own name, "
                "or name the column of items or repetitions."
            )
        return found[0]

    def missing_of(self, label: Hashable) -> list[Hashable]:
        """Return the objectives that a system has no value of."""
        row = self.means[list(self.objectives.names)].iloc[self.systems.index(label)].isna()
        missing: list[Hashable] = row.index[row].tolist()
        return missing

    def file(self, path: str) -> str:
        """Return the path of a file that a claim names."""
        return str(self._folder / path)

    def objective(self, name: str, argument: str) -> int:
        """Return the position of an objective, or refuse a name that is none."""
        names = [str(one) for one in self.objectives.names]
        if name not in names:
            raise ValueError(
                f"`{argument}` names {name!r}, which is not an objective; objectives are {checks.listed(names)}."
                f"{checks.nearest(name, names)}"
            )
        return names.index(name)

    def value(self, system: Hashable, column: str, argument: str) -> float:
        """Return the number of a system in a column; of repeated rows their mean.

        Raises
        ------
        EmptyCellError
            If it is missing, or one of those of which it is the mean and no policy says what to do about that.
        """
        by, table = self.settings.system, self.table
        labels = table[by] if by is not None and by in table.columns else table.index
        if column in [str(name) for name in self.means.columns]:
            table, labels = self.means, self.means.index
        values = table[self._column(table, column, argument)]
        if not pd.api.types.is_numeric_dtype(values):
            raise ValueError(f"`{argument}` names {column!r}, which is not a column of numbers.")
        numbers = values[labels == system].to_numpy(dtype=float, na_value=np.nan)
        missing = np.isnan(numbers)
        if missing.all() or (missing.any() and self.settings.nan_policy not in ("omit", "pairwise")):
            self.refuse_empty(system, [column], of=(int(missing.sum()), len(missing)))
        return float(numbers[~missing].mean())

    def refuse_empty(self, system: Hashable, columns: Sequence[Hashable], *, of: tuple[int, int] = (1, 1)) -> NoReturn:
        """Leave a claim undecided for values of a system that are missing: all of them, or so many of each column."""
        found = {"columns": list(map(text.spoken, columns)), "system": text.label(system), "n": len(columns)}
        if of[1] > 1:
            raise EmptyCellError(part("claims.found.some_missing", **found, missing=of[0], rows=of[1]))
        raise EmptyCellError(part("claims.found.missing", **found))

    def _column(self, table: pd.DataFrame, name: str, argument: str) -> Hashable:
        """Return the label of a column by its name as text."""
        named = {str(label): label for label in table.columns}
        checks.column(table, named.get(name, name), argument)
        return named[name]

    # -------------------------------------------------------------------------------------------------- what was tested

    def compared(self, alpha: float, only: tuple[Hashable, ...] = ()) -> Compared:
        """Compare all systems, or only some, in every objective at one simultaneous level."""
        key = (alpha, only)
        if key not in self._tests:
            read, measured, among = self._of(only)
            self._tests[key] = Compared(
                read.labels.tolist(),
                read.in_own_units(measured.means),
                significantly_better(measured, alpha=alpha, among=among),
                known_equal(measured),
            )
        return self._tests[key]

    def guarantee(self, alpha: float, only: tuple[Hashable, ...] = (), *, equivalence: bool = False) -> Guarantee:
        """What the comparison of all systems, or only some, guarantees; `equivalence`: within margins.

        Nobody reads a gate's table: what it does not show, failures that few items may hide, keeps claims undecided.
        """
        read, measured, _ = self._of(only)
        stated = self.once(
            ("guarantee", only, equivalence),
            lambda: read.guarantee(measured, alpha, "no verdict is wrong", equivalence=equivalence),
        )
        return replace(stated, confidence_level=1 - alpha).but(warnings=read.caveats_of_unseen_failures())

    def pvalues_within(
        self, system: Hashable, *, than: Hashable, margins: tuple[float, ...], only: tuple[Hashable, ...] = ()
    ) -> np.ndarray:
        """Return p-values against "the system costs more than another one by at least the margin", by objective."""
        key = (than, margins, only)
        if key not in self._pvalues:
            read, measured, among = self._of(only)
            found = pvalues_within(measured, read.labels.tolist().index(than), np.array(margins), among)
            self._pvalues[key] = dict(zip(read.labels.tolist(), found, strict=True))
        return self._pvalues[key][system]

    def rare_losses(
        self, system: Hashable, *, than: Hashable, margins: tuple[float, ...], only: tuple[Hashable, ...] = ()
    ) -> list[Caveat]:
        """Warn of losses that may not have been seen, and would undo what holds within margins."""
        read, measured, _ = self._of(only)
        labels = read.labels.tolist()
        decided = decided_within(read, measured, labels.index(system), labels.index(than), np.array(margins))
        return caveats_of_rare_losses(read, decided)

    def once(self, key: Hashable, run: Callable[[], Made]) -> Made:
        """Return what a call gives, which is made once."""
        if key not in self._made:
            self._made[key] = run()
        made: Made = self._made[key]
        return made

    def described(self, *columns: str, frame: pd.DataFrame | None = None) -> DescribedFrame:
        """Return the table, or some of its rows, with what the file says of it; refuse it where it lacks a column."""
        for column in columns:
            if getattr(self.settings, column) is None:
                raise ValueError(f"`{column}` is missing; name the column with `{column}: ...` in the file of claims.")
        words = {word: getattr(self.settings, word) for word in (*columns, *_ALSO_SAID)}
        table = self.table if frame is None else frame
        return DescribedFrame.of(table, self.settings.objectives or None, **words)

    def choice(self, p: str, weights: Mapping[str, float]) -> Selection:
        """COPA's choice on the means."""
        if self._policy_of_means == BOUNDS:
            raise ValueError(
                f"`nan_policy` is {BOUNDS!r}, under which systems have no single rank; of such tables, claim what is "
                '`on_front`, or set nan_policy: "omit" or "worst".'
            )
        return self.once(
            ("choice", p, tuple(sorted(weights.items()))),
            lambda: copa(self.described_means(), p=p, weights=dict(weights) or None),
        )  # fmt: skip

    def described_means(self) -> DescribedFrame:
        """The means, as the functions behind verbs read them."""
        return DescribedFrame.of(self.means, self.objectives, nan_policy=self._policy_of_means)

    def board(self, p: str, weights: Mapping[str, float], alpha: float = 0.05) -> Board:
        """The board of all systems under a criterion, at a level."""
        return self.once(
            ("board", p, tuple(sorted(weights.items())), alpha),
            lambda: board_of(
                self.measured, p, dict(weights) or None, alpha, self.settings.n_resamples,
                checks.generator(self.settings.seed),
            ),
        )  # fmt: skip

    @property
    def _policy_of_means(self) -> str:
        return "raise" if self.settings.is_sample else self.settings.nan_policy

    @cached_property
    def _uncertainty(self) -> Uncertainty:
        return self._drawn(self.measured)

    def _of(self, only: tuple[Hashable, ...]) -> tuple[Measurements, Uncertainty, list[int] | None]:
        """The measurements of all systems, and the places of those to compare; or of some, which may miss fewer."""
        if only and self.settings.nan_policy == "pairwise" and self._summed is None:
            pair = tuple(sorted(only, key=str))
            return *self.once(("pair", pair), lambda: self._alone(pair)), None
        labels = self.measured.labels.tolist()
        return self.measured, self._uncertainty, [labels.index(one) for one in only] or None

    def _alone(self, only: tuple[Hashable, ...]) -> tuple[Measurements, Uncertainty]:
        read = self._measurements(self.rows_of(only))
        return read, self._drawn(read)

    def rows_of(self, only: tuple[Hashable, ...]) -> pd.DataFrame:
        """Return the rows of some systems."""
        by = self.settings.system
        labels = self.table.index if by is None else self.table[by]
        return self.table[labels.isin(list(only))]

    def _drawn(self, read: Measurements) -> Uncertainty:
        return read.uncertainty(self.settings.n_resamples, checks.generator(self.settings.seed))

    def _measurements(self, table: pd.DataFrame) -> Measurements:
        words = {"nan_policy": self.settings.nan_policy, "bounds": dict(self.settings.bounds) or None}
        described = DescribedFrame.of(table, self.objectives, **words, **self.settings.columns)
        refuse_other_policies(described)
        return measurements(described)


def _parts(rows: pd.DataFrame, by: Any) -> list[pd.DataFrame]:
    return [part for _, part in rows.groupby(by, sort=False)]


def _drawn_again(rows: pd.DataFrame, units: list[Any], times: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw units (clusters, items, runs: those of the first column) with replacement, with names of their own."""
    parts = _parts(rows, units[0])
    chosen = rng.integers(len(parts), size=times * len(parts))
    drawn = pd.concat([parts[one] for one in chosen], ignore_index=True)
    copies = np.repeat(np.arange(len(chosen)), [len(parts[one]) for one in chosen])
    for unit in units:
        drawn[unit] = [f"{name} ({copy})" for name, copy in zip(drawn[unit], copies, strict=True)]
    return drawn
