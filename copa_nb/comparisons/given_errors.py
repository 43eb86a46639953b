"""Means with standard errors, and the numbers of items or runs behind them: how they are read, and what they hide."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.arrays.counted_errors import read_counts
from copa_nb.comparisons.measurements import (
    Measurements,
    known_objectives,
    refuse_extremes,
)  # fmt: skip
from copa_nb.tables.columns import column_or_level, label_order, read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.objectives import Objectives

_NORMAL_95 = 1.959963984540054
# Share of a value that counts as a rounding error.
_ROUNDING = 1e-12


def with_errors(table: DescribedFrame, instead: str) -> Measurements:
    """Read means with standard errors; see :func:`copa_nb.comparisons.read_measurements.measurements`.

    Parameters
    ----------
    table : DescribedFrame
        One row for each system.
    instead : str
        What an error says of missing means.
    """
    frame, system, n = table.frame, table.say("system"), table.say("n")
    matrix = table.costs(instead=instead)
    resolved = matrix.objectives
    declared = known_objectives(table.say("known"), resolved)
    standard_error = table.say("standard_error")
    standard_error = _by_objective(frame, resolved, standard_error, declared)
    unknown = [name for name in standard_error if name not in resolved.names]
    if unknown:
        raise ValueError(
            f"`standard_error` names {unknown[0]!r}, which is not an objective; objectives are "
            f"{checks.listed(resolved.names)}."
            f"{checks.nearest(unknown[0], resolved.names)}"
        )
    refuse_extremes(matrix.values, resolved)
    errors, numbers = np.zeros(matrix.values.shape), np.full(matrix.values.shape, np.inf)
    columns = _columns_of_numbers(n, standard_error)
    for position, name in enumerate(resolved.names):
        if name in standard_error:
            errors[:, position] = _standard_errors(frame, name, standard_error[name])[matrix.positions]
        if name in columns:
            numbers[:, position] = _numbers(frame, name, columns[name])[matrix.positions]
    counts = None
    if columns:
        counts, errors = read_counts(matrix.values * resolved.signs + 0.0, errors, numbers)
    for name in standard_error:
        of_one = errors[:, resolved.names.index(name)]
        if name in declared and of_one.any():
            raise ValueError(
                f"`known` and `standard_error` both name {name!r}; an objective is either known or has a standard "
                "error."
            )
        if name not in declared:
            _refuse_errors_of_zero(of_one, name, matrix.index, name in columns)
    labels = matrix.index if system is None else read_labels(frame.iloc[matrix.positions], system, "system").index
    if not labels.is_unique or len(labels) != len(errors):
        name = labels[labels.duplicated()][0] if not labels.is_unique else labels[0]
        raise ValueError(
            f"{text.label(name)} occurs in several rows; with `standard_error`, each system must have one row."
        )
    order = label_order(labels)
    return Measurements(
        labels[order], resolved, means=matrix.values[order], errors=errors[order],
        counts=None if counts is None else counts.of_systems(order), n_omitted=matrix.n_omitted,
    )  # fmt: skip


def _refuse_errors_of_zero(errors: np.ndarray, name: Hashable, index: pd.Index, counted: bool) -> None:
    """Refuse standard errors of 0: answers that are all right, or all alike, do not show that there is no error."""
    if (errors > 0).all():
        return
    first, count = int(np.argmin(errors)), int((errors == 0).sum())
    example = checks.setting("n", "n_items")
    of_shares = "" if counted else f"For shares of right answers, name their numbers, e.g. {example}. "
    raise ValueError(
        f"`standard_error` of {name!r} is 0 for {text.label(index[first])} ({count:,} of {len(errors):,}); results "
        f"that are all alike do not show that there is no error. {of_shares}If {name!r} has no error, like a list "
        f"price, declare it with {checks.setting('known', str(name))}; otherwise leave these rows out."
    )


def _columns_of_numbers(n: Any, standard_error: Mapping[Hashable, Any]) -> dict[Hashable, Any]:
    """Which column has the numbers of items or runs behind each objective."""
    if n is None:
        return {}
    if not isinstance(n, Mapping):
        return dict.fromkeys(standard_error, n)
    for name in n:
        if name not in standard_error:
            raise ValueError(
                f"`n` names {name!r}, which has no standard error; those with one are "
                f"{checks.listed(list(standard_error))}.{checks.nearest(name, list(standard_error))}"
            )
    return dict(n)


def _numbers(frame: pd.DataFrame, name: Hashable, column: Any) -> np.ndarray:
    """Read a column of numbers of items or runs."""
    numbers = pd.to_numeric(column_or_level(frame, column, "n"), errors="coerce").to_numpy(float)
    wrong = ~np.isfinite(numbers) | (numbers < 2)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"`n` of {name!r} gives {numbers[row]:g} items or runs behind the mean of {text.label(frame.index[row])}; "
            "it must be a finite number of at least 2."
        )
    return numbers


def _by_objective(
    frame: pd.DataFrame,
    objectives: Objectives,
    standard_error: Mapping[Hashable, Any] | str,
    declared: frozenset[Hashable],
) -> Mapping[Hashable, Any]:
    """Find the columns of standard errors where only the ending of their names is given."""
    if isinstance(standard_error, Mapping):
        return standard_error
    if not isinstance(standard_error, str):
        raise TypeError(
            f"`standard_error` is {standard_error!r}; it must map objectives to columns, or be the ending of the names "
            f"of these columns, e.g. {checks.setting('standard_error', '_stderr')}."
        )
    found = {name: f"{name}{standard_error}" for name in objectives if f"{name}{standard_error}" in frame.columns}
    found = {name: column for name, column in found.items() if name not in declared}
    if not found:
        raise ValueError(
            f"`standard_error` is {standard_error!r}, the ending of columns of standard errors, but there is no column "
            f"{f'{objectives.names[0]}{standard_error}'!r}; columns are {checks.listed(frame.columns)}. Name them: "
            f"{checks.setting('standard_error', {'cost': 'cost_se'})}."
        )
    return found


def _standard_errors(frame: pd.DataFrame, name: Hashable, given: Any) -> np.ndarray:
    """Read a column of standard errors, or the two ends of 95% intervals."""
    columns = list(given) if isinstance(given, tuple | list) else [given]
    if len(columns) > 2:
        raise ValueError(
            f"`standard_error` of {name!r} is {given!r}; give one column of standard errors, or the two ends of "
            "intervals."
        )
    ends = [
        pd.to_numeric(column_or_level(frame, column, "standard_error"), errors="coerce").to_numpy(float)
        for column in columns
    ]
    errors = ends[0] if len(ends) == 1 else (ends[1] - ends[0]) / (2 * _NORMAL_95)
    wrong = ~np.isfinite(errors) | (errors < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"`standard_error` of {name!r} gives {errors[row]} as the standard error of "
            f"{text.label(frame.index[row])}; it must be a finite number of at least 0."
        )
    if len(ends) == 2:
        _refuse_values_outside(frame, name, ends[0], ends[1])
    return errors


def _refuse_values_outside(frame: pd.DataFrame, name: Hashable, low: np.ndarray, high: np.ndarray) -> None:
    """Refuse intervals that do not contain their value: they are of something else, or in another unit."""
    values = pd.to_numeric(column_or_level(frame, name, "objectives"), errors="coerce").to_numpy(float)
    # Ends that were computed may be off by a rounding error.
    slack = _ROUNDING * np.abs(values)
    outside = (values < low - slack) | (values > high + slack)
    if outside.any():
        row = int(np.argmax(outside))
        raise ValueError(
            f"{name!r} of {text.label(frame.index[row])} is {values[row]}, outside its own interval from {low[row]} "
            f"to {high[row]}; check that `standard_error` names the two ends of intervals of {name!r}, in the same "
            "unit."
        )
