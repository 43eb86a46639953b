"""What was measured of each entity, and how precisely: scores on items, repeated runs, or standard errors.

One reader for every verb that asks which differences are established.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.columns import Labels, column_or_level, read_labels
from copa_nb.objectives import Objectives, ObjectivesLike, resolve_objectives, to_minimisation
from copa_nb.pareto.arrays import uncertainty
from copa_nb.pareto.arrays.hypervolume import LARGEST
from copa_nb.pareto.arrays.uncertainty import Uncertainty

FEWEST_RESAMPLES = 100
_NORMAL_95 = 1.959963984540054


@dataclass(frozen=True, eq=False)
class Measurements:
    """Entities with what is known of the precision of their objectives.

    Parameters
    ----------
    labels : pandas.Index
        Names of the entities.
    objectives : Objectives
        Names and directions.
    items : ndarray, shape (n_items, n_repeats, n_entities, n_objectives), optional
        Costs on the same items for every entity.
    runs : list of ndarray, shape (n_runs, n_objectives), optional
        Costs of independent runs of each entity.
    means, errors : ndarray, shape (n_entities, n_objectives), optional
        Costs and their standard errors.
    n_omitted : int
        Rows or items left out because something was missing.
    item : label
        What the items are called in the table.
    """

    labels: pd.Index
    objectives: Objectives
    items: np.ndarray | None = None
    runs: list[np.ndarray] | None = None
    means: np.ndarray | None = None
    errors: np.ndarray | None = None
    n_omitted: int = 0
    item: Hashable = None

    def uncertainty(self, n_resamples: int, rng: np.random.Generator) -> Uncertainty:
        """Means, resamples of them, and draws of their errors."""
        if self.items is not None:
            return uncertainty.from_items(self.items, n_resamples=n_resamples, rng=rng)
        if self.runs is not None:
            return uncertainty.from_runs(self.runs, n_resamples=n_resamples, rng=rng)
        assert self.means is not None
        assert self.errors is not None
        return uncertainty.from_errors(self.means, self.errors, n_resamples=n_resamples, rng=rng)

    def in_own_units(self, means: np.ndarray) -> pd.DataFrame:
        """Means of shape (n_entities, n_objectives) in the objectives' own directions, one row per entity."""
        values = means * self.objectives.signs + 0.0
        return pd.DataFrame(dict(zip(self.objectives.names, values.T, strict=True)), index=self.labels)

    def describe(self) -> str:
        """How the precision is known, e.g. "164 items with 5 repetitions each"."""
        if self.items is not None:
            n_items, n_repeats = self.items.shape[:2]
            return f"{n_items:,} {text.plural(self.item, 'items')}" + (
                f" with {n_repeats} repetitions each" if n_repeats > 1 else ""
            )
        if self.runs is not None:
            counts = sorted({len(costs) for costs in self.runs})
            return f"{counts[0]} to {counts[-1]} runs each" if len(counts) > 1 else f"{counts[0]} runs each"
        return "standard errors"


def measurements(
    frame: pd.DataFrame,
    *,
    system: Any = None,
    item: Any = None,
    repeat: Any = None,
    noise: Mapping[Hashable, Any] | None = None,
    objectives: ObjectivesLike = None,
    nan_policy: str = "raise",
) -> Measurements:
    """Read a table of scores, of runs, or of means with standard errors.

    Parameters
    ----------
    frame : DataFrame
        One row for each entity and item (and repetition), for each run, or, with `noise`, for each entity.
    system : label or list of labels, optional
        Columns or index levels that name the entity; the index where there is `noise`.
    item : label or list of labels, optional
        What every entity was measured on: questions, tasks, seeds that all share.
    repeat : label or list of labels, optional
        Repetitions: of each item where `item` is given, of each entity otherwise.
    noise : mapping of objective to column, or to a pair of columns, optional
        Columns of standard errors, or of the lower and upper ends of 95 % intervals.
    objectives : mapping of column to {"max", "min"}, optional
        Overrides what ``define`` has set.
    nan_policy : {"raise", "omit"}
        Refuse missing values, or leave out items that are not complete (runs, entities with missing values).

    Raises
    ------
    ValueError
        If it is not said how precise the table is, for missing or infinite values, incomplete items, repeated rows,
        fewer than two runs or items, or errors that are negative.
    """
    checks.one_of("nan_policy", nan_policy, ("raise", "omit"))
    if (noise is None) == (item is None and repeat is None):
        raise ValueError(
            "Say how precise the table is: `item` (scores on the same items), `repeat` (runs of each system), or "
            '`noise` (columns of standard errors), e.g. item="question" or noise={"cost": "cost_se"}.'
        )
    if noise is not None:
        return _from_noise(frame, system, noise, objectives, nan_policy)
    if system is None:
        raise ValueError('`system` is missing; name the column that says whose scores these are, e.g. system="model".')
    matrix = to_minimisation(frame, objectives, nan_policy=nan_policy)
    _refuse_extremes(matrix.values, matrix.objectives)
    kept = frame if matrix.n_omitted == 0 else frame.iloc[matrix.positions]
    systems = read_labels(kept, system, "system")
    if item is None:
        return _from_runs(matrix.values, systems, kept, repeat, matrix.objectives, matrix.n_omitted)
    items = read_labels(kept, item, "item")
    repeats = None if repeat is None else read_labels(kept, repeat, "repeat")
    return _from_items(matrix.values, systems, items, repeats, matrix.objectives, nan_policy)


def beside(computed: pd.DataFrame, means: pd.DataFrame) -> pd.DataFrame:
    """Put means beside computed columns of the same rows; neither hides the other if an objective has such a name."""
    own = {name: f"{name} (value)" for name in means.columns if name in computed.columns}
    return pd.concat([means.rename(columns=own).loc[computed.index], computed], axis=1)


def _from_items(
    values: np.ndarray, systems: Labels, items: Labels, repeats: Labels | None, objectives: Objectives, nan_policy: str
) -> Measurements:
    n_items, n_repeats = len(items.index), 1 if repeats is None else len(repeats.index)
    n_systems = len(systems.index)
    codes = items.codes * n_repeats + (0 if repeats is None else repeats.codes)
    cells = codes * n_systems + systems.codes
    counts = np.bincount(cells, minlength=n_items * n_repeats * n_systems)
    if (counts > 1).any():
        code, one = divmod(int(np.argmax(counts > 1)), n_systems)
        what = f"item {text.label(items.labels[code // n_repeats])}"
        raise ValueError(
            f"`system` {text.label(systems.labels[one])} has {counts.max()} rows for {what}; name the column that "
            "tells them apart with `repeat`, or average them first."
        )
    filled = counts.reshape(n_items, n_repeats * n_systems) > 0
    complete = filled.all(axis=1)
    if not complete.all() and nan_policy == "raise":
        first = int(np.argmin(complete))
        missing = int(np.argmin(filled[first])) % n_systems
        raise ValueError(
            f"{int((~complete).sum())} of {n_items} items were not measured for every system and repetition, e.g. "
            f"{text.label(items.labels[first])} for {text.label(systems.labels[missing])}; add these rows, or pass "
            'nan_policy="omit" to leave such items out.'
        )
    if complete.sum() < 2:
        raise ValueError(f"`item` has {int(complete.sum())} complete items; at least two are needed to see any spread.")
    scores = np.full((n_items * n_repeats * n_systems, values.shape[1]), np.nan)
    scores[cells] = values
    scores = scores.reshape(n_items, n_repeats, n_systems, -1)[complete]
    return Measurements(systems.index, objectives, scores, n_omitted=int((~complete).sum()), item=items.index.name)


def _from_runs(
    values: np.ndarray, systems: Labels, frame: pd.DataFrame, repeat: Any, objectives: Objectives, n_omitted: int
) -> Measurements:
    repeats = read_labels(frame, repeat, "repeat")
    cells = pd.Series(systems.codes * len(repeats.index) + repeats.codes)
    if cells.duplicated().any():
        one, run = divmod(int(cells[cells.duplicated()].iloc[0]), len(repeats.index))
        raise ValueError(
            f"`repeat` {text.label(repeats.labels[run])} stands in several rows of "
            f"{text.label(systems.labels[one])}; one row is one run."
        )
    runs = [values[rows] for rows in systems.positions().values()]
    for name, costs in zip(systems.labels, runs, strict=True):
        if len(costs) < 2:
            raise ValueError(
                f"`repeat`: {text.label(name)} has a single run; with one run nothing is known of its noise. Add "
                "runs, or leave it out."
            )
    return Measurements(systems.index, objectives, runs=runs, n_omitted=n_omitted)


def _from_noise(
    frame: pd.DataFrame, system: Any, noise: Mapping[Hashable, Any], objectives: ObjectivesLike, nan_policy: str
) -> Measurements:
    resolved = resolve_objectives(frame, objectives)
    unknown = [name for name in noise if name not in resolved.names]
    if unknown:
        raise ValueError(
            f"`noise` names {unknown[0]!r}, which is no objective; objectives are {checks.listed(resolved.names)}."
            f"{checks.nearest(unknown[0], resolved.names)}"
        )
    matrix = to_minimisation(frame, resolved, nan_policy=nan_policy)
    _refuse_extremes(matrix.values, resolved)
    errors = np.zeros(matrix.values.shape)
    for position, name in enumerate(resolved.names):
        if name in noise:
            errors[:, position] = _standard_errors(frame, name, noise[name])[matrix.positions]
    labels = matrix.index if system is None else read_labels(frame.iloc[matrix.positions], system, "system").index
    if not labels.is_unique or len(labels) != len(errors):
        name = labels[labels.duplicated()][0] if not labels.is_unique else labels[0]
        raise ValueError(f"{text.label(name)} stands in several rows; with `noise` every system has one row.")
    return Measurements(labels, resolved, means=matrix.values, errors=errors, n_omitted=matrix.n_omitted)


def _standard_errors(frame: pd.DataFrame, name: Hashable, given: Any) -> np.ndarray:
    """Read a column of standard errors, or the two ends of 95 % intervals."""
    columns = list(given) if isinstance(given, tuple | list) else [given]
    if len(columns) > 2:
        raise ValueError(
            f"`noise` of {name!r} is {given!r}; give one column of standard errors, or two ends of intervals."
        )
    ends = [
        pd.to_numeric(column_or_level(frame, column, "noise"), errors="coerce").to_numpy(float) for column in columns
    ]
    errors = ends[0] if len(ends) == 1 else (ends[1] - ends[0]) / (2 * _NORMAL_95)
    wrong = ~np.isfinite(errors) | (errors < 0)
    if wrong.any():
        row = int(np.argmax(wrong))
        raise ValueError(
            f"`noise` of {name!r} gives {errors[row]} as the standard error of {text.label(frame.index[row])}; it "
            "must be a finite number of at least 0."
        )
    return errors


def _refuse_extremes(values: np.ndarray, objectives: Objectives) -> None:
    """Refuse values that have no mean, or whose squares are more than a number can hold."""
    for name, column in zip(objectives.names, values.T, strict=True):
        if np.isinf(column).any():
            raise ValueError(f"objective {name!r} has infinite values, which have no mean; leave these rows out.")
        if np.abs(column).max() > LARGEST:
            largest = text.number(column[np.abs(column).argmax()])
            raise ValueError(
                f"objective {name!r} holds {largest}: beyond {LARGEST:g} no spread can be computed. Give it in "
                f"other units, e.g. frame[{name!r}] / 1e160."
            )
