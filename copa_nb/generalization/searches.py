"""The searches that a gap was measured of: their evaluations in order, for what is asked of it further."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

import numpy as np
import pandas as pd

from copa_nb.generalization.scores import PairedScores
from copa_nb.tables.columns import as_names, column_or_level, read_labels

# Every way to keep one of equal rows.
BOUNDS = "bounds"


@dataclass(frozen=True, eq=False)
class Run:
    """One search.

    Parameters
    ----------
    labels : dict of column to label
        Which group and repetition it is.
    rows : ndarray of int
        For each of its evaluations, in order, the row of the scores; -1 for one that cannot be on a front.
    """

    labels: dict[Hashable, Any]
    rows: np.ndarray


@dataclass(frozen=True, eq=False)
class Searches:
    """All searches of a gap, and how it was asked for.

    Parameters
    ----------
    scores : PairedScores
        Costs of all rows that have both scores.
    runs : sequence of Run
        The searches.
    by, repeat : list of labels
        Columns that make groups and repetitions; empty without.
    reference : dict of objective to value
        The reference point that all share.
    keep : {"all", "first"}
        How rows with equal scores are treated.
    asked : dict of str to str
        Further options, as they are written in code.
    within : dict of column to label
        The group, or repetition, that these searches are a part of.
    """

    scores: PairedScores
    runs: Sequence[Run]
    by: list[Hashable]
    repeat: list[Hashable]
    reference: dict[Hashable, float]
    keep: str
    asked: Mapping[str, str]
    within: Mapping[Hashable, Any]

    @classmethod
    def of(
        cls, scores: PairedScores, *, by: Any, repeat: Any, order: Hashable | None, reference: dict[Hashable, float],
        keep: str, asked: Mapping[str, str],
    ) -> Searches:  # fmt: skip
        """Find the searches in the caller's table, of which nothing is kept."""
        by_names, repeat_names = as_names(by), as_names(repeat)
        runs = _runs(scores, by_names, repeat_names, order)
        return cls(replace(scores, frame=None), runs, by_names, repeat_names, reference, keep, asked, {})

    def of_group(self, label: Hashable) -> Searches:
        """The searches of one group."""
        return replace(self._within(self.by, label), by=[])

    def of_repetition(self, label: Hashable) -> Searches:
        """The search of one repetition."""
        return replace(self._within(self.repeat, label), repeat=[])

    def _within(self, names: list[Hashable], label: Hashable) -> Searches:
        chosen = dict(zip(names, cast(tuple[Any, ...], label) if len(names) > 1 else (label,), strict=True))
        runs = [
            Run({name: run.labels[name] for name in run.labels if name not in chosen}, run.rows)
            for run in self.runs
            if all(run.labels[name] == wanted for name, wanted in chosen.items())
        ]
        return replace(self, runs=runs, within={**self.within, **chosen})

    def table_of(self, parts: Sequence[pd.DataFrame]) -> pd.DataFrame:
        """Put the tables of all searches, which have a row for each evaluation, below each other, with their labels."""
        for run, part in zip(self.runs, parts, strict=True):
            for position, (name, label) in enumerate(run.labels.items()):
                part.insert(position, cast(str, name), label)
        return pd.concat(parts, ignore_index=True)


def _runs(scores: PairedScores, by: list[Hashable], repeat: list[Hashable], order: Hashable | None) -> list[Run]:
    frame = cast(pd.DataFrame, scores.frame)
    rows = np.full(len(frame), -1)
    rows[scores.positions[scores.allowed()]] = scores.allowed()
    for names, argument in ((by, "by"), (repeat, "repeat")):
        for name in names:
            column_or_level(frame, name, argument)
    names = [*by, *repeat]
    if not names:
        return [Run({}, rows[_evaluated(frame, order)])]
    runs = []
    for label, positions in read_labels(frame, names, "by").positions().items():
        labels = dict(zip(names, cast(tuple[Any, ...], label) if len(names) > 1 else (label,), strict=True))
        runs.append(Run(labels, rows[positions[_evaluated(frame.iloc[positions], order)]]))
    return runs


def _evaluated(run: pd.DataFrame, order: Hashable | None) -> np.ndarray:
    """Positions of a run's rows in the order of their evaluation."""
    if order is None:
        return np.arange(len(run))
    column = column_or_level(run, order, "order")
    if column.isna().any():
        raise ValueError(f"`order` column {order!r} is missing in {int(column.isna().sum())} rows; fill or drop them.")
    if column.duplicated().any():
        raise ValueError(
            f"`order` column {order!r} contains {column[column.duplicated()].tolist()[0]!r} more than once within a "
            "run; distinguish the runs with `by` (methods) and `repeat` (seeds)."
        )
    return np.argsort(column.to_numpy(), kind="stable")


def needed(searches: Searches | None) -> Searches:
    """The searches, refused where a result was made without their evaluations."""
    if searches is None:
        raise TypeError(
            "this has a row for each evaluation, and the result holds the rows on a front only: its table was read in "
            "pieces, or it is a resample of a test set. Filter one search after the other in the engine, and call "
            "`gap` on its rows."
        )
    if searches.keep == BOUNDS:
        raise TypeError(
            "a search is followed under one rule for equal rows; measure the gap with keep='all' or keep='first'."
        )
    return searches
