"""One row per system from a table of scores on items, or of runs: what verbs on rows answer for."""

from __future__ import annotations

from typing import Any

import pandas as pd

from copa_nb import text
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame
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
    names, items = as_names(described.get("system")), as_names(described.get("item"))
    table = DescribedFrame(frame, described.saying(objectives))
    worth = f"count them as what they are worth, e.g. frame[{objectives.names[0]!r}].fillna(0), before means are taken"
    table.saying(nan_policy="raise").costs(instead=table.advice(worth))  # refuses what has no mean
    flat = _flat(frame, [*names, *items])
    scores = [*objectives]
    cells = flat.groupby([*names, *items], dropna=False)[scores].mean() if items else flat
    means = cells.groupby(names, dropna=False)[scores].mean()
    if items:
        _refuse_gaps(cells, len(means), items)
        over = f"{len(cells) // len(means):,} {text.plural(items[-1], 'items')}"
    else:
        over = text.plural(described.get("repeat"), "runs")
    further = _of_systems(frame, names, [*names, *means.columns])
    means = means.join(further) if len(further.columns) else means
    note = f"Means over {over}."
    kept = {"show", "log", "known"} & set(described.words)
    words: dict[str, Any] = {word: described.words[word] for word in described.words if word in kept}
    means.attrs = {
        **frame.attrs,
        ATTRS_KEY: Description(objectives, words).to_dict(),
        "notes": [*frame.attrs.get("notes", ()), note],
    }
    return means


def _flat(frame: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    """The table with the names of systems and items as columns."""
    levels = [name for name in names if name not in frame.columns]
    return frame.reset_index(levels) if levels else frame


def _refuse_gaps(cells: pd.DataFrame, n_systems: int, items: list[Any]) -> None:
    """Refuse systems that were measured on other items than the rest."""
    n_items = len(cells.reset_index()[items].drop_duplicates())
    missing = n_systems * n_items - len(cells)
    if missing:
        raise ValueError(
            f"{missing:,} of {n_systems * n_items:,} cells of systems and {text.plural(items[-1], 'items')} have no "
            "row: means over other items cannot be compared. Count missing scores as what they are worth, leave out "
            'the systems that lack items, or compare two systems at a time: df.moo(nan_policy="pairwise").board().'
        )


def _of_systems(frame: pd.DataFrame, system: list[Any], others: list[Any]) -> pd.DataFrame:
    """Columns that have one value for each system, such as a license or a number of parameters."""
    flat = _flat(frame, system)
    groups = flat.groupby(system, sort=False, dropna=False)
    candidates = [name for name in flat.columns if name not in others and _can_be_counted(flat[name])]
    constant = [name for name in candidates if int(groups[name].nunique(dropna=False).max()) <= 1]
    return groups[constant].first()


def _can_be_counted(column: pd.Series) -> bool:
    # Not by the dtype alone: a column of objects can hold lists, which nothing can be counted by.
    return not pd.api.types.is_object_dtype(column.dtype) or pd.api.types.is_string_dtype(column)
