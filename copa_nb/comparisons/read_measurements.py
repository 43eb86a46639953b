"""Reading what was measured: scores on items, repeated runs, or standard errors; one reader for every verb."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.comparisons.given_errors import with_errors
from copa_nb.comparisons.measurements import Measurements, known_objectives, refuse_extremes
from copa_nb.comparisons.nesting import Grouping, groupings
from copa_nb.comparisons.repetitions import repetitions_of
from copa_nb.tables.columns import Labels, as_names, read_labels
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.missing_values import BOUNDS, Bounds
from copa_nb.tables.objectives import ObjectiveMatrix, Objectives, costs_with_gaps, missing_in

# What may be done about missing scores on items, and about missing values of runs or of means. Whole items are never
# left out: a system may be missing where it fails.
_CELL_BY_CELL = ("pairwise", BOUNDS)
OF_ITEMS = ("raise", *_CELL_BY_CELL)
MEASUREMENT_POLICIES = (*OF_ITEMS, "omit")


def measurements(
    table: DescribedFrame, *, nan_policies: Sequence[str] = OF_ITEMS, bounds: Bounds = None, nested: bool = False
) -> Measurements:
    """Read a table of scores, of runs, or of means with standard errors.

    Parameters
    ----------
    table : DescribedFrame
        One row for each system and item (and repetition), for each run, or, with standard errors, for each system. Of
        its words, ``system``, ``item``, ``cluster``, ``repeat``, ``standard_error``, ``n``, ``known``, ``nan_policy``
        and ``bounds`` matter.
    nan_policies : sequence of str
        Which ways to treat missing scores on items the verb allows: "raise" an error for missing values and incomplete
        items, compare two systems on the items that both have ("pairwise"), or compare them whatever the missing values
        are ("bounds").
    bounds : mapping of objective to (low, high), optional
        With "bounds", what a missing value may be; by default as described, and then what was observed.
    nested : bool
        Whether repetitions are those of single items, although they are numbered in the same way for all of them.

    Raises
    ------
    ValueError
        If the source of uncertainty is not specified, for missing or infinite values, incomplete items, repeated rows,
        fewer than two runs or items, or errors that are negative.
    """
    system, item, cluster, repeat, standard_error, n = (
        table.say(word) for word in ("system", "item", "cluster", "repeat", "standard_error", "n")
    )
    nan_policy = _policy(table, nan_policies)
    of_items = table.advice(instead_of_raising(nan_policies), *nan_policies)
    of_rows = table.advice(f"pass {checks.setting('nan_policy', 'omit')} to leave those rows out", "omit")
    table = table.saying(nan_policy=nan_policy)
    frame = table.frame
    if (standard_error is None) == (item is None and repeat is None):
        raise ValueError(
            f"specify the source of uncertainty: {checks.called('item')} (paired scores per item), "
            f"{checks.called('repeat')} (repeated runs of each system) or {checks.called('standard_error')} (columns "
            f"of standard errors), e.g. {checks.setting('item', 'question')} or "
            f"{checks.setting('standard_error', {'cost': 'cost_se'})}."
        )
    if cluster is not None and item is None:
        raise ValueError(
            f"`cluster` is {cluster!r}, without `item`; clusters are groups of items. Name the column of items with "
            f"{checks.called('item')}, or leave out {checks.called('cluster')}."
        )
    if standard_error is not None:
        return with_errors(table, of_rows)
    if n is not None:
        raise ValueError(
            f"`n` is {n!r}, without `standard_error`; it names the numbers of items or runs behind means with standard "
            f"errors, e.g. {checks.setting('standard_error', {'cost': 'cost_se'})}. Items and runs that have rows of "
            "their own are counted."
        )
    system = table.named("system")
    matrix = table.costs(instead=of_rows) if item is None else _with_gaps(table)
    missing = np.isnan(matrix.values)
    if nan_policy == "raise" and missing.any():
        raise ValueError(missing_in(frame, missing, matrix.objectives, instead=of_items))
    refuse_extremes(matrix.values, matrix.objectives)
    kept = frame if matrix.n_omitted == 0 else frame.iloc[matrix.positions]
    systems = read_labels(kept, system, "system").in_label_order()
    declared = known_objectives(table.say("known"), matrix.objectives)
    for name in declared:
        _refuse_varying(matrix.values[:, matrix.objectives.names.index(name)], systems, name)
    if item is None:
        repeats = read_labels(kept, repeat, "repeat").in_label_order()
        return _from_runs(matrix.values, systems, repeats, matrix.objectives, declared, matrix.n_omitted)
    # Without draws nothing depends on the order of the items.
    items = read_labels(kept, item, "item")
    items = items if nested else items.in_label_order()
    clusters = None if cluster is None else _outermost(kept, cluster).of_items(items)
    named = [*as_names(system), *as_names(item), *as_names(repeat), *matrix.objectives.names]
    arranged = partial(
        _from_items, clusters=clusters, found=[] if clusters else groupings(kept, items, named),
        objectives=matrix.objectives, known=declared, nan_policy=nan_policy,
        instead=of_items,
    )  # fmt: skip
    bounds = table.bounds if bounds is None else bounds
    if repeat is None:
        arrangement = arranged(matrix.values, systems, items)
        return arrangement.at_worst(bounds) if nan_policy == BOUNDS else arrangement
    repeats = read_labels(kept, repeat, "repeat").in_label_order()
    if not nested and len(np.unique(items.codes * len(repeats.index) + repeats.codes)) > len(repeats.index):
        return arranged(matrix.values, systems, items, repeats)
    # No repeat is under two items: they are repeats of single items, whose mean counts.
    cells = items.codes * len(systems.index) + systems.codes
    runs = cells * len(repeats.index) + repeats.codes
    if len(np.unique(runs)) < len(runs):
        row = int(np.argmax(pd.Series(runs).duplicated()))
        raise ValueError(
            f"`repeat` {text.label(repeats.labels[repeats.codes[row]])} occurs in several rows of "
            f"{text.label(systems.labels[systems.codes[row]])} on item {text.label(items.labels[items.codes[row]])}; "
            "each repetition must have one row."
        )
    number, cells = pd.factorize(cells, sort=True)
    counts = np.bincount(number)
    # Of a cell with fewer rows than others the mean of these. A repetition without a value may have failed, so that the
    # mean of the others says nothing of the cell.
    means = pd.DataFrame(matrix.values).groupby(number).mean().to_numpy(copy=True)
    lacking = np.zeros(means.shape, dtype=bool)
    np.logical_or.at(lacking, number, np.isnan(matrix.values))
    means[lacking] = np.nan
    of_cells, of_systems = np.divmod(cells, len(systems.index))
    read = arranged(means, Labels(of_systems, systems.index), Labels(of_cells, items.index))
    read = read.at_worst(bounds) if nan_policy == BOUNDS else read
    if np.isnan(means).any():
        return read
    deviations = matrix.values - means[number]
    return replace(read, repetitions=repetitions_of(deviations, number, counts, of_systems, repeats.codes))


def measurements_in_ranges(
    table: DescribedFrame, bounds: Bounds, *, nan_policies: Sequence[str] = OF_ITEMS
) -> Measurements:
    """Read a table whose scores may be declared to lie in ranges, for comparisons of two systems.

    Parameters
    ----------
    table, nan_policies
        See :func:`measurements`.
    bounds : mapping of objective to (low, high), optional
        Range that no score can leave; under "bounds", what a missing one may be.
    """
    if table.policy(BOUNDS) == BOUNDS:
        return measurements(table, nan_policies=nan_policies, bounds=bounds)
    return measurements(table, nan_policies=nan_policies).within(bounds)


def _policy(table: DescribedFrame, of_items: Sequence[str]) -> str:
    """How missing values are treated; of scores on items, whole items are never left out."""
    if table.say("item") is not None:
        return table.policy(*of_items)
    policy = table.policy("omit", *_CELL_BY_CELL)
    if policy in _CELL_BY_CELL:
        how = "on the items that both have" if policy == "pairwise" else "item by item"
        raise ValueError(
            f"`nan_policy` is {policy!r}, which compares systems {how}, and `item` is missing. Name the column of "
            f"items with {checks.called('item')}, or pass {checks.setting('nan_policy', 'omit')}."
        )
    return policy


def refuse_other_policies(table: DescribedFrame, of_items: Sequence[str] = OF_ITEMS) -> None:
    """Refuse a policy that was stated for these scores on items alone, where it is none of those that apply.

    Raises
    ------
    ValueError
        With what may be stated instead.
    """
    said = table.say("nan_policy")
    if said is None or table.say("item") is None or said in of_items:
        return
    if said == "omit":
        raise would_omit_items(of_items)
    raise ValueError(
        f"`nan_policy` is {said!r}, which does not apply here; it must be {text.listing(map(repr, of_items), 'or')}."
    )


def would_omit_items(of_items: Sequence[str]) -> ValueError:
    """The error for leaving out items that some system lacks."""
    return ValueError(
        "`nan_policy` is 'omit', which would leave out whole items; systems are often missing where they fail, and the "
        f"items that are left would favor them. Instead, {instead_of_raising(of_items)}."
    )


def instead_of_raising(nan_policies: Sequence[str] = OF_ITEMS) -> str:
    """What to do about items that some system lacks, as the end of a sentence."""
    how = {
        "pairwise": "to compare two systems on the items that both have",
        BOUNDS: "for what holds whatever the missing values are",
    }
    ways = [f"{checks.setting('nan_policy', one)} {what}" for one, what in how.items() if one in nan_policies]
    if not ways:
        return (
            "count them as what they are worth, e.g. frame['score'].fillna(0) for answers that never came, or leave "
            "out the systems that lack items"
        )
    return f"pass {', or '.join(ways)}"


def _with_gaps(table: DescribedFrame) -> ObjectiveMatrix:
    """Turn the objectives into costs in which missing values are NaN; an objective without any value is refused."""
    filled = table.saying(nan_policy="worst").costs()
    return replace(filled, values=costs_with_gaps(table.frame, filled.objectives))


@dataclass(frozen=True, eq=False)
class _Clusters:
    """Clusters of the rows of a table, or of its items.

    Parameters
    ----------
    codes : ndarray of int
        Number of the cluster of each row or item.
    name : label
        The column they are from.
    labels : list of label
        Name of each cluster.
    """

    codes: np.ndarray
    name: Hashable
    labels: list[Hashable]

    def of_items(self, items: Labels) -> _Clusters:
        """Clusters of items in place of rows; an item must lie in one cluster."""
        codes = np.zeros(len(items.index), dtype=np.int64)
        codes[items.codes] = self.codes
        torn = np.flatnonzero(codes[items.codes] != self.codes)
        if len(torn):
            one = int(items.codes[torn[0]])
            both = text.listing(text.label(self.labels[code]) for code in (self.codes[torn[0]], codes[one]))
            names = ", ".join(repr(name) for name in (self.name, *items.index.names))
            raise ValueError(
                f"`cluster` {text.label(self.name)}: item {text.label(items.labels[one])} is in more than one cluster "
                f"({both}). If items are numbered anew in each cluster, name these columns with "
                f"{checks.called('item')}: [{names}]."
            )
        return _Clusters(codes, self.name, self.labels)

    def kept(self, complete: np.ndarray) -> np.ndarray:
        """Number the clusters of the items that are left in order of first appearance."""
        codes: np.ndarray = pd.factorize(self.codes[complete])[0].astype(np.int64)
        if codes.max() < 1:
            raise ValueError(
                f"`cluster` {text.label(self.name)} has one value for all {len(codes)} complete items; at least two "
                "clusters are needed to see any spread. Name a finer grouping, or leave it out."
            )
        return codes


def _outermost(frame: pd.DataFrame, cluster: Any) -> _Clusters:
    """Clusters of all rows: of several columns, the one in whose groups those of all others lie."""
    columns = {name: read_labels(frame, name, "cluster") for name in as_names(cluster)}
    if not columns:
        raise ValueError("`cluster` is an empty list; name at least one column.")
    name, outer = min(columns.items(), key=lambda column: len(column[1].index))
    for other, inner in columns.items():
        if len(np.unique(inner.codes * len(outer.index) + outer.codes)) > len(inner.index):
            raise ValueError(
                f"`cluster` names {other!r} and {name!r}, which are not nested: some {other!r} is in several {name!r}. "
                f"Name the outermost alone, e.g. {checks.setting('cluster', name)}, which allows for any dependence "
                "within it. Clusters that cross are not supported."
            )
    return _Clusters(outer.codes, name, outer.labels)


def _refuse_varying(values: np.ndarray, systems: Labels, name: Hashable) -> None:
    """Refuse an objective that is declared as known and has several values for one system."""
    for label, rows in systems.positions().items():
        if len(np.unique(values[rows][~np.isnan(values[rows])])) > 1:
            raise several_values(name, label)


def several_values(name: Hashable, label: Hashable) -> ValueError:
    """The error for an objective that is declared as known and has several values for one system."""
    return ValueError(
        f"`known` names {name!r}, which has several values for {text.label(label)}; an objective without error "
        "has one value per system. Leave it out of `known`, or average it first."
    )


def _from_items(
    values: np.ndarray,
    systems: Labels,
    items: Labels,
    repeats: Labels | None = None,
    *,
    clusters: _Clusters | None,
    found: Sequence[Grouping],
    objectives: Objectives,
    known: frozenset[Hashable],
    nan_policy: str,
    instead: str,
) -> Measurements:
    n_items, n_repeats = len(items.index), 1 if repeats is None else len(repeats.index)
    n_systems = len(systems.index)
    if n_repeats == 2:
        raise ValueError(
            "`repeat` has only two values, shared by all items: too few to estimate the variation between repeats. Add "
            "a third, or average the two first; the conclusion then holds for these two only."
        )
    codes = items.codes * n_repeats + (0 if repeats is None else repeats.codes)
    cells = codes * n_systems + systems.codes
    counts = np.bincount(cells, minlength=n_items * n_repeats * n_systems)
    if (counts > 1).any():
        code, one = divmod(int(np.argmax(counts > 1)), n_systems)
        what = f"item {text.label(items.labels[code // n_repeats])}"
        raise ValueError(
            f"`system` {text.label(systems.labels[one])} has {counts.max()} rows for {what}; pass the column that "
            "distinguishes them as `repeat`, or average them first."
        )
    filled = counts.reshape(n_items, n_repeats * n_systems) > 0
    complete = filled.all(axis=1)
    if not complete.all() and nan_policy == "raise":
        first = int(np.argmin(complete))
        missing = int(np.argmin(filled[first])) % n_systems
        raise ValueError(
            f"{int((~complete).sum())} of {n_items} items were not measured for every system and repetition, e.g. "
            f"{text.label(items.labels[first])} for {text.label(systems.labels[missing])}; add these rows, or "
            f"{instead}."
        )
    by_cell = np.full((n_items * n_repeats * n_systems, values.shape[1]), np.nan)
    by_cell[cells] = values
    scores = by_cell.reshape(n_items, n_repeats, n_systems, -1)
    # An item without any value says nothing, whether it has rows or not.
    measured = ~np.isnan(scores).all(axis=(1, 2, 3))
    if measured.sum() < 2:
        raise ValueError(
            f"`item` has {int(measured.sum())} items with values; at least two are needed to estimate a spread."
        )
    of_items = None if clusters is None else clusters.kept(measured)
    scores = scores[measured]
    _refuse_gaps(scores, systems, objectives)
    return Measurements(
        systems.index, objectives, scores, known=known, n_omitted=int((~measured).sum()), item=items.index.name,
        repeat=None if repeats is None or n_repeats == 1 else repeats.index.name,
        clusters=of_items, cluster=None if clusters is None else clusters.name,
        groupings=[one.kept(measured) for one in found],
    )  # fmt: skip


def _refuse_gaps(scores: np.ndarray, systems: Labels, objectives: Objectives) -> None:
    """Refuse what cannot be compared in pairs: a system without any value, and gaps in repeats that all items share."""
    missing = np.isnan(scores)
    if missing.any() and scores.shape[1] > 1:
        raise ValueError(
            f"`repeat` has values that all items share, and {int(missing.sum()):,} values are missing; missing values "
            "are supported for one value per system and item. Average the repetitions first, e.g. "
            "frame.groupby(['system', 'item']).mean()."
        )
    without = np.argwhere(missing.all(axis=(0, 1)))
    if len(without):
        one, position = without[0]
        raise ValueError(
            f"`system` {text.label(systems.labels[one])} has no value of {objectives.names[position]!r}; leave this "
            "system out."
        )


def _from_runs(
    values: np.ndarray,
    systems: Labels,
    repeats: Labels,
    objectives: Objectives,
    known: frozenset[Hashable],
    n_omitted: int,
) -> Measurements:
    cells = pd.Series(systems.codes * len(repeats.index) + repeats.codes)
    if cells.duplicated().any():
        one, run = divmod(int(cells[cells.duplicated()].iloc[0]), len(repeats.index))
        raise ValueError(
            f"`repeat` {text.label(repeats.labels[run])} occurs in several rows of "
            f"{text.label(systems.labels[one])}; each run must have one row."
        )
    order = np.argsort(cells.to_numpy())
    runs = np.split(values[order], np.cumsum(np.bincount(systems.codes))[:-1])
    for name, costs in zip(systems.labels, runs, strict=True):
        if len(costs) < 2:
            raise ValueError(
                f"`repeat`: {text.label(name)} has a single run, from which its noise cannot be estimated. Add "
                "runs, or leave this system out."
            )
    return Measurements(systems.index, objectives, runs=runs, known=known, n_omitted=n_omitted)
