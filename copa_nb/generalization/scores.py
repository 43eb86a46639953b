"""Read validation and test scores of the same rows, from the three shapes in which tables hold them."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeAlias, TypeVar, cast

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point
from copa_nb.results.result import Grouped, of_groups
from copa_nb.tables.candidates import Where
from copa_nb.tables.columns import read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import TEST, VALIDATION, spellings
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, resolve_objectives

OneResult = TypeVar("OneResult")


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Costs of the same rows on validation and on test.

    Parameters
    ----------
    validation, test : ndarray of float64, shape (n, k)
        Costs (smaller is better), without NaN.
    objectives : Objectives
        Names without prefix, and directions.
    index : pandas.Index of length n
        Labels of the rows.
    positions : ndarray of int, shape (n,)
        Row of the caller's table that each row comes from.
    n_omitted : int
        Rows left out because a score is missing.
    candidates : ndarray of bool, shape (n,), optional
        Rows that may be on a front; None if all may.
    frame : DataFrame, optional
        The caller's table, for the columns that make groups; None in results, which need it no more.
    stands_for : ndarray of int, shape (n,), optional
        How many rows of a table each row stands for, where only those were kept that are on a front.
    """

    validation: np.ndarray
    test: np.ndarray
    objectives: Objectives
    index: pd.Index
    positions: np.ndarray
    n_omitted: int = 0
    candidates: np.ndarray | None = None
    frame: pd.DataFrame | None = None
    stands_for: np.ndarray | None = None

    @property
    def n_rows(self) -> int:
        """Rows of the table."""
        return len(self.index) if self.stands_for is None else int(self.stands_for.sum())

    def take(self, rows: np.ndarray) -> PairedScores:
        """Return some of the rows, by position."""
        return replace(
            self,
            validation=self.validation[rows],
            test=self.test[rows],
            index=self.index[rows],
            positions=self.positions[rows],
            candidates=None if self.candidates is None else self.candidates[rows],
            stands_for=None if self.stands_for is None else self.stands_for[rows],
        )

    def allowed(self) -> np.ndarray:
        """Positions of the rows that may be on a front: ndarray of int64, ascending."""
        return np.arange(len(self.index)) if self.candidates is None else np.flatnonzero(self.candidates)

    def by_group(
        self, names: Any, argument: str, verb: Callable[[PairedScores, Hashable], OneResult]
    ) -> Grouped[OneResult]:
        """Run a verb on the rows and the label of every group that columns or index levels make, in table order."""
        frame = cast(pd.DataFrame, self.frame)
        complete = read_labels(frame.iloc[self.positions], names, argument).positions()
        labels = [name for name in read_labels(frame, names, argument).positions() if name in complete]
        return of_groups(
            {name: name for name in labels}, names, lambda name: verb(self.take(complete[name]), name), argument
        )

    def reference(self, reference: ReferencePointLike, reference_margin: float) -> dict[Hashable, float]:
        """Return the reference point in the objectives' own units; "worst" looks at validation and test."""
        both = ObjectiveMatrix(
            np.vstack([self.validation, self.test]),
            self.objectives,
            np.tile(self.positions, 2),
            self.index.append(self.index),
        )
        return in_own_units(both, reference_point(both, reference, reference_margin=reference_margin))

    def as_costs(self, point: Mapping[Hashable, float]) -> np.ndarray:
        """Return a point given in the objectives' own units as costs."""
        return np.array([point[name] for name in self.objectives]) * self.objectives.signs

    def own_units(self, costs: np.ndarray) -> np.ndarray:
        """Return costs as values in the objectives' own directions."""
        return np.asarray(costs * self.objectives.signs + 0.0)


def parts_of(table: DescribedFrame) -> tuple[str, str]:
    """How the columns of validation and of test scores begin or end."""
    said = (table.say("validation"), VALIDATION), (table.say("test"), TEST)
    validation, test = (usual if part is None else part for part, usual in said)
    return validation, test


def pair_scores(table: DescribedFrame, where: Where = None) -> PairedScores:
    """Turn a table of validation and test scores into two matrices of costs, one row per row of the table.

    Parameters
    ----------
    table : DescribedFrame
        One row for each candidate. Of its words, ``validation``, ``test`` and ``nan_policy`` matter.
    where : str, mask or callable, optional
        See ``df.moo.gap()``.

    Returns
    -------
    PairedScores

    Raises
    ------
    ValueError
        For unknown columns, missing scores, or a constraint that leaves no row.
    """
    frame = table.frame
    find = _two_levels if frame.columns.nlevels > 1 else score_pairs
    pairs, resolved = find(frame, table.description.objectives, *parts_of(table))
    columns = {pairs[name][part]: direction for part in (0, 1) for name, direction in resolved.directions}
    # One pass through the gate: a row that lacks either score is refused, omitted or counted as worst once.
    matrix = table.saying(Objectives.of(columns)).costs(where=where)
    k = len(resolved)
    return PairedScores(
        np.ascontiguousarray(matrix.values[:, :k]),
        np.ascontiguousarray(matrix.values[:, k:]),
        resolved,
        matrix.index,
        matrix.positions,
        matrix.n_omitted,
        matrix.candidates,
        _one_level(frame),
    )


# Columns of the validation and of the test score of each objective.
Pairs: TypeAlias = dict[Hashable, tuple[Hashable, ...]]


def score_pairs(
    frame: pd.DataFrame, objectives: ObjectivesLike, validation: str, test: str
) -> tuple[Pairs, Objectives]:
    """Find the columns of all validation and test scores by their prefixes or suffixes."""
    _check_names(validation, test)
    stems: dict[Hashable, str] = {}
    pairs: Pairs = {}
    for name, direction in _directions(frame, objectives).directions:
        stem, pairs[stem] = score_columns(frame, name, validation, test)
        if stems.setdefault(stem, direction) != direction:
            raise ValueError(
                f"`objectives` gives two directions for {stem!r}; validation and test scores of an objective share one."
            )
    return pairs, Objectives.of(stems)


def score_columns(
    frame: pd.DataFrame, name: Hashable, *parts: str, argument: str = "objectives"
) -> tuple[Hashable, tuple[Hashable, ...]]:
    """Find the columns of a score, whose names have `parts` in front or behind.

    Parameters
    ----------
    frame : DataFrame
        With one column per part.
    name : label
        The score, or one of its columns.
    *parts : str
        E.g. "val_" and "test_", which also find names that end in "_val" and "_test".
    argument : str
        What errors call the argument that names the score.

    Returns
    -------
    label
        The score without its parts.
    tuple of label
        Its columns, one per part.
    """
    stems = [name]
    for part in parts:
        before, behind = (part, f"{_core(part)}_"), (part, f"_{_core(part)}")
        stems += [str(name)[len(one) :] for one in before if one and str(name).startswith(one)]
        stems += [str(name)[: -len(one)] for one in behind if one and str(name).endswith(one)]
    for stem in stems:
        for columns in zip(*(spellings(part, stem) for part in parts), strict=True):
            if all(column in frame.columns for column in columns):
                return stem, columns
    wanted = [f"{part}{stems[-1]}" for part in parts]
    missing = [column for column in wanted if column not in frame.columns]
    said = (
        f"{checks.called('validation')} and {checks.called('test')}"
        if len(parts) > 1
        else f"{checks.called('validation')}"
    )
    # The objective's own name is near to that of its scores, and is not one of them.
    near = checks.nearest(missing[0], [column for column in frame.columns if column != name])
    joined = (
        " Join scores in another table first: both = validation.add_prefix('val_').join(test.add_prefix('test_'))."
        if len(parts) > 1 and argument == "objectives"
        else ""
    )
    raise ValueError(
        f"{checks.called(argument)} names {name!r}, which needs the column{'s' * (len(parts) > 1)} "
        f"{' and '.join(map(repr, wanted))}, but {checks.listed(missing)} {'is' if len(missing) == 1 else 'are'} "
        f"missing; columns are {checks.listed(frame.columns)}.{near} Set "
        f"{said} to the prefix or suffix of their names.{joined}"
    )


def _core(part: str) -> str:
    return part.strip("_")


def _two_levels(
    frame: pd.DataFrame, objectives: ObjectivesLike, validation: str, test: str
) -> tuple[Pairs, Objectives]:
    _check_names(validation, test)
    resolved = _directions(frame, objectives)
    if frame.columns.nlevels != 2:
        raise ValueError(
            f"`frame` has {frame.columns.nlevels} levels of columns; two are supported: (part, objective)."
        )
    levels = [frame.columns.get_level_values(level) for level in (0, 1)]
    for level, labels in enumerate(levels):
        parts = [_part(argument, labels) for argument in (validation, test)]
        if None not in parts:
            pairs: Pairs = {name: tuple((p, name) if level == 0 else (name, p) for p in parts) for name in resolved}
            return pairs, resolved
    raise ValueError(
        f"{checks.called('validation')}={validation!r} and {checks.called('test')}={test!r} are not labels of one "
        "level of the columns; levels hold "
        f"{checks.listed(levels[0].unique())} and {checks.listed(levels[1].unique())}."
    )


def _part(argument: str, labels: pd.Index) -> Hashable | None:
    """Label of a level that an argument names: the word itself, or without the underscore of a prefix."""
    return next((label for label in (argument, argument.rstrip("_")) if label in labels), None)


def _one_level(frame: pd.DataFrame) -> pd.DataFrame:
    """The table with one level of columns: a column that makes groups is named by its first label."""
    if frame.columns.nlevels == 1:
        return frame
    labels = [label[0] if label[-1] == "" else label for label in frame.columns]
    return frame.set_axis(pd.Index(labels, tupleize_cols=False), axis=1)


def _directions(frame: pd.DataFrame, objectives: ObjectivesLike) -> Objectives:
    """Return the directions; names may lack their prefix or suffix, so they need not be columns."""
    if isinstance(objectives, Objectives):
        return objectives
    if isinstance(objectives, Mapping):
        return Objectives.of(objectives)
    return resolve_objectives(frame, objectives)


def _check_names(validation: str, test: str) -> None:
    for argument, value in (("validation", validation), ("test", test)):
        if not isinstance(value, str):
            raise TypeError(
                f"{checks.called(argument)} must be the prefix or suffix of columns such as 'val_', not "
                f"{type(value).__name__}."
            )
    if validation == test:
        raise ValueError(
            f"{checks.called('validation')} and {checks.called('test')} are both {test!r}; they must differ, e.g. "
            "validation='val_', test='test_'."
        )
