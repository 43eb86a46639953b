"""Scores of the same rows on validation and on test, from the three ways in which tables hold them."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.objectives import ObjectiveMatrix, Objectives, ObjectivesLike, resolve_objectives, to_minimisation
from copa_nb.pareto.reference_points import ReferencePointLike, in_own_units, reference_point


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
    """

    validation: np.ndarray
    test: np.ndarray
    objectives: Objectives
    index: pd.Index
    positions: np.ndarray
    n_omitted: int = 0

    def take(self, rows: np.ndarray) -> PairedScores:
        """Return some of the rows, by position."""
        return replace(
            self,
            validation=self.validation[rows],
            test=self.test[rows],
            index=self.index[rows],
            positions=self.positions[rows],
        )

    def reference(self, reference: ReferencePointLike, margin: float) -> dict[Hashable, float]:
        """Return the reference point in the objectives' own units; "worst" looks at validation and test."""
        stacked = ObjectiveMatrix(
            np.vstack([self.validation, self.test]),
            self.objectives,
            np.tile(self.positions, 2),
            self.index.append(self.index),
        )
        return in_own_units(stacked, reference_point(stacked, reference, margin=margin))

    def own_units(self, costs: np.ndarray) -> np.ndarray:
        """Write costs as values in the objectives' own directions."""
        return np.asarray(costs * self.objectives.signs + 0.0)


def pair_scores(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike,
    validation: str,
    test: str | pd.DataFrame,
    nan_policy: str,
) -> PairedScores:
    """Bring validation and test scores together.

    Parameters
    ----------
    frame, objectives, validation, test, nan_policy
        See :func:`copa_nb.gap`.

    Returns
    -------
    PairedScores

    Raises
    ------
    ValueError
        For columns that are not there, indices that do not match, or missing scores.
    """
    checks.frame(frame)
    if isinstance(test, pd.DataFrame):
        joint, pairs, resolved = _two_frames(frame, test, objectives)
    elif frame.columns.nlevels > 1:
        joint, pairs, resolved = _two_levels(frame, objectives, validation, test)
    else:
        joint, pairs, resolved = _prefixed(frame, objectives, validation, test)
    directions = dict(resolved.directions)
    columns: dict[Hashable, str] = {pairs[name][0]: directions[name] for name in resolved}
    columns |= {pairs[name][1]: directions[name] for name in resolved}
    # One pass through the gate: a row that lacks either score is refused, left out or made worst once.
    matrix = to_minimisation(joint, columns, nan_policy=nan_policy)
    k = len(resolved)
    return PairedScores(
        np.ascontiguousarray(matrix.values[:, :k]),
        np.ascontiguousarray(matrix.values[:, k:]),
        resolved,
        matrix.index,
        matrix.positions,
        matrix.n_omitted,
    )


def validation_scores(
    frame: pd.DataFrame, objectives: ObjectivesLike, validation: str
) -> tuple[pd.DataFrame, Objectives]:
    """Return the validation columns under the objectives' own names, and the objectives."""
    directions: dict[Hashable, str] = {}
    columns: dict[Hashable, pd.Series] = {}
    for name, direction in _directions(frame, objectives).directions:
        prefixed = name in frame.columns and str(name).startswith(validation)
        stem: Hashable = str(name).removeprefix(validation) if prefixed else name
        directions[stem] = direction
        columns[stem] = checks.column(frame, f"{validation}{stem}", "validation")
    return pd.DataFrame(columns, index=frame.index), Objectives.of(directions)


Pairs = dict[Hashable, tuple[Hashable, Hashable]]


def _prefixed(
    frame: pd.DataFrame, objectives: ObjectivesLike, validation: str, test: str
) -> tuple[pd.DataFrame, Pairs, Objectives]:
    _check_names(validation, test)
    stems: dict[Hashable, str] = {}
    for name, direction in _directions(frame, objectives).directions:
        stem = _stem(frame, name, validation, test)
        if stems.setdefault(stem, direction) != direction:
            raise ValueError(
                f"`objectives` gives two directions for {stem!r}; validation and test scores of an objective share one."
            )
    pairs: Pairs = {stem: (f"{validation}{stem}", f"{test}{stem}") for stem in stems}
    return frame, pairs, Objectives.of(stems)


def _stem(frame: pd.DataFrame, name: Hashable, validation: str, test: str) -> Hashable:
    """Objective that a name stands for: itself, or what is left without one of the prefixes."""
    candidates = [name, *(str(name)[len(p) :] for p in (validation, test) if str(name).startswith(p))]
    for stem in candidates:
        if f"{validation}{stem}" in frame.columns and f"{test}{stem}" in frame.columns:
            return stem
    wanted = [f"{validation}{candidates[-1]}", f"{test}{candidates[-1]}"]
    missing = [column for column in wanted if column not in frame.columns]
    raise ValueError(
        f"objective {name!r} needs the columns {wanted[0]!r} and {wanted[1]!r}, but {checks.listed(missing)} "
        f"{'is' if len(missing) == 1 else 'are'} not there; columns are {checks.listed(frame.columns)}."
        f"{checks.nearest(missing[0], frame.columns)} Say how they are named with `validation` and `test` (the "
        "prefixes), or pass the test scores as a table: test=frame."
    )


def _two_levels(
    frame: pd.DataFrame, objectives: ObjectivesLike, validation: str, test: str
) -> tuple[pd.DataFrame, Pairs, Objectives]:
    _check_names(validation, test)
    resolved = _directions(frame, objectives)
    if frame.columns.nlevels != 2:
        raise ValueError(
            f"`frame` has {frame.columns.nlevels} levels of columns; two are understood: (part, objective)."
        )
    for level in (0, 1):
        parts = frame.columns.get_level_values(level)
        labels = [_part(given, parts) for given in (validation, test)]
        if None not in labels:
            break
    else:
        known = [list(dict.fromkeys(frame.columns.get_level_values(level))) for level in (0, 1)]
        raise ValueError(
            f"`validation`={validation!r} and `test`={test!r} are not labels of one level of the columns; levels "
            f"hold {checks.listed(known[0])} and {checks.listed(known[1])}."
        )
    order = (lambda part, name: (part, name)) if level == 0 else (lambda part, name: (name, part))
    pairs: Pairs = {name: (order(labels[0], name), order(labels[1], name)) for name in resolved}
    return frame, pairs, resolved


def _part(given: str, parts: pd.Index) -> Hashable | None:
    """Find a level's label for a part: the given word, or without the underscore of a prefix."""
    return next((label for label in (given, given.rstrip("_")) if label in parts), None)


def _two_frames(
    frame: pd.DataFrame, test: pd.DataFrame, objectives: ObjectivesLike
) -> tuple[pd.DataFrame, Pairs, Objectives]:
    resolved = resolve_objectives(frame, objectives)
    for name in resolved:
        if name not in test.columns:
            raise ValueError(
                f"`test` lacks the objective {name!r}; its columns are {checks.listed(test.columns)}."
                f"{checks.nearest(name, test.columns)}"
            )
    aligned = _align(test, frame.index)
    pairs: Pairs = {name: (f"validation {name}", f"test {name}") for name in resolved}
    columns = {pairs[name][0]: checks.column(frame, name, "objectives") for name in resolved}
    columns |= {pairs[name][1]: checks.column(aligned, name, "objectives") for name in resolved}
    joint = pd.concat([series.reset_index(drop=True) for series in columns.values()], axis=1, keys=list(columns))
    return joint.set_axis(frame.index), pairs, resolved


def _align(test: pd.DataFrame, index: pd.Index) -> pd.DataFrame:
    if test.index.equals(index):
        return test
    for name, labels in (("frame", index), ("test", test.index)):
        if not labels.is_unique:
            raise ValueError(
                f"`test` has another index than `frame`, and the index of `{name}` repeats "
                f"{labels[labels.duplicated()][0]!r}, so that rows cannot be matched; "
                "give both tables one unique label per row."
            )
    lacking, extra = index.difference(test.index, sort=False), test.index.difference(index, sort=False)
    if len(lacking) or len(extra):
        problem = (
            f"lacks {len(lacking)} rows ({checks.listed(lacking, 3)})"
            if len(lacking)
            else f"has {len(extra)} rows more ({checks.listed(extra, 3)})"
        )
        raise ValueError(
            f"`test` {problem}; both tables need the same rows. Take those in both: "
            "both = frame.index.intersection(test.index), then frame.loc[both] and test.loc[both]."
        )
    return test.loc[index]


def _directions(frame: pd.DataFrame, objectives: ObjectivesLike) -> Objectives:
    """Directions alone: the names may lack a prefix, so that they need not be columns."""
    if isinstance(objectives, Objectives):
        return objectives
    if isinstance(objectives, Mapping):
        return Objectives.of(objectives)
    return resolve_objectives(frame, objectives)


def _check_names(validation: str, test: str) -> None:
    for argument, value in (("validation", validation), ("test", test)):
        if not isinstance(value, str):
            raise TypeError(
                f"`{argument}` must be the prefix of columns such as 'val_'{' or a DataFrame' * (argument == 'test')}, "
                f"not {type(value).__name__}."
            )
    if validation == test:
        raise ValueError(
            f"`validation` and `test` are both {test!r}; they name the two parts, e.g. validation='val_', test='test_'."
        )
