"""One row per system from a table of scores on items, or of runs: what verbs on rows answer for."""

from __future__ import annotations

from typing import Any

import pandas as pd

from copa_nb.comparisons.read_measurements import measurements
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import Description
from copa_nb.tables.objectives import ATTRS_KEY, Objectives


def means_of_systems(frame: pd.DataFrame, described: Description, objectives: Objectives) -> pd.DataFrame:
    """Return one row per system: means of the objectives, and the columns that have one value for each system.

    Parameters
    ----------
    frame : DataFrame
        Scores of systems on items, or runs.
    described : Description
        Names the systems, and the items or the repeats.
    objectives : Objectives
        What is averaged.

    Returns
    -------
    DataFrame
        Indexed by the system; described by the objectives alone, with a note on what the means are over.

    Raises
    ------
    ValueError
        For missing cells: systems that were measured on other items than the rest have means that cannot be compared.
    """
    system = described.get("system")
    read = measurements(
        frame, system=system, item=described.get("item"), repeat=described.get("repeat"), objectives=objectives,
        nan_policies=("raise",),
    )  # fmt: skip
    means = read.in_own_units(read.mean_costs())
    names = as_names(system)
    means.index.names = names
    further = _of_systems(frame, names, [*names, *means.columns])
    means = means.join(further) if len(further.columns) else means
    note = f"Means over {read.describe()}."
    kept = {"show", "log", "known"} & set(described.words)
    words: dict[str, Any] = {word: described.words[word] for word in described.words if word in kept}
    means.attrs = {
        **frame.attrs,
        ATTRS_KEY: Description(objectives, words).to_dict(),
        "notes": [*frame.attrs.get("notes", ()), note],
    }
    return means


def _of_systems(frame: pd.DataFrame, system: list[Any], others: list[Any]) -> pd.DataFrame:
    """Columns that have one value for each system, such as a license or a number of parameters."""
    flat = frame.reset_index() if set(system) & set(frame.index.names) else frame
    groups = flat.groupby(system, sort=False, dropna=False)
    candidates = [name for name in flat.columns if name not in others and _can_be_counted(flat[name])]
    constant = [name for name in candidates if int(groups[name].nunique(dropna=False).max()) <= 1]
    return groups[constant].first()


def _can_be_counted(column: pd.Series) -> bool:
    # Not by the dtype alone: a column of objects can hold lists, which nothing can be counted by.
    return not pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column)
