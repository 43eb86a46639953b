"""What the rows of a table seem to be: systems, runs of fewer systems, or scores of systems on items."""

from __future__ import annotations

import itertools
import warnings
from typing import Any

import pandas as pd

from copa_nb import checks
from copa_nb.tables.objectives import RunsWarning

# Columns that number the runs of a system, and columns of what systems are measured on.
_RUNS = {"seed", "run", "repeat", "repetition", "replicate", "fold", "random_state"}
_ITEMS = {"item", "task", "dataset", "data set", "data_set", "problem", "question", "benchmark", "function"}


def warn_of_runs(frame: pd.DataFrame) -> None:
    """Warn where rows are runs, or scores on items, of fewer systems."""
    if said := runs_in_words(frame):
        warnings.warn(said, RunsWarning, stacklevel=checks.callers_level())


def runs_in_words(frame: pd.DataFrame) -> str:
    """Say in a sentence that the rows of a table seem to be runs of fewer systems; nothing if they do not.

    The best of many runs is a lucky one, and the best of many scores is on an easy item: a decision among them is
    rarely what was meant.
    """
    if on_items := _items_in_words(frame):
        return on_items
    # Numbers repeat where tables were put below each other, and name nothing.
    if frame.index.is_unique or pd.api.types.is_numeric_dtype(frame.index.dtype):
        found = _numbered_runs(frame)
        if found is None:
            return ""
        name, runs = found
        n_systems, rows = frame[name].nunique(), f"Columns {name!r} and {runs!r} number runs"
        columns = f"system={name!r}, repeat={runs!r}"
    else:
        n_systems, rows = frame.index.nunique(), "Rows have the same label"
        name, runs = frame.index.name, next(iter(_numbering(frame)), None)
        columns = f"system={'...' if name is None else repr(name)}, repeat={'...' if runs is None else repr(runs)}"
    # Runs of a single system are compared on purpose.
    if not 1 < n_systems < len(frame):
        return ""
    return (
        f"{rows}: {len(frame):,} rows, {n_systems:,} systems. Each row is compared by itself, so that the luckiest run "
        f"wins; if that is not meant, say what rows are: frame = frame.moo.define({columns}). The choice by means of "
        f"runs, and how often other runs make it: frame.moo({columns}).copa().stability()."
    )


def _numbered_runs(frame: pd.DataFrame) -> tuple[Any, Any] | None:
    """The column that names systems and the one that numbers their runs, if there are such."""
    numbering = _numbering(frame)
    if not numbering or not frame.columns.is_unique:
        return None
    for name in (name for name, column in frame.items() if _is_text(column)):
        if (
            name not in numbering
            and frame[name].duplicated().any()
            and not frame.duplicated([name, numbering[0]]).any()
        ):
            return name, numbering[0]
    return None


def roles_of_rows(frame: pd.DataFrame) -> dict[str, Any]:
    """What columns seem to say about rows: the words of runs, or of scores on items; nothing if rows are systems.

    Examples
    --------
    >>> runs = pd.DataFrame({"model": ["a", "a", "b", "b"], "seed": [0, 1, 0, 1], "acc": [0.5, 0.6, 0.7, 0.7]})
    >>> roles_of_rows(runs)
    {'system': 'model', 'repeat': 'seed'}
    """
    if roles := _roles_of_items(frame):
        return roles
    found = _numbered_runs(frame) if runs_in_words(frame) else None
    return {} if found is None else {"system": found[0], "repeat": found[1]}


def _items_in_words(frame: pd.DataFrame) -> str:
    """Say in a sentence that rows are scores of systems on items, perhaps repeated; nothing if they are not."""
    roles = _roles_of_items(frame)
    if not roles:
        return ""
    system, item = roles["system"], roles["item"]
    systems = frame[system] if system in frame.columns else frame.index
    words = ", ".join(f"{word}={value!r}" for word, value in roles.items())
    return (
        f"Columns {system!r} and {item!r} say that rows are scores of systems on items: {len(frame):,} rows, "
        f"{systems.nunique():,} systems, {frame[item].nunique():,} items. Each row is compared by itself, so that the "
        f"easiest item wins; if that is not meant, say what rows are: frame = frame.moo.define({words}). Which systems "
        "differ: frame.moo.board()."
    )


def _roles_of_items(frame: pd.DataFrame) -> dict[str, Any]:
    """The words of scores of systems on items, perhaps repeated; nothing if rows are no such scores."""
    if not frame.columns.is_unique or len(frame.index.names) > 1:
        return {}
    items = [
        name
        for name, column in frame.items()
        if str(name).casefold() in _ITEMS and (_is_text(column) or pd.api.types.is_numeric_dtype(column))
    ]
    if not items:
        return {}
    texts = {name: column for name, column in frame.items() if _is_text(column) and name not in items}
    if frame.index.name is not None and not frame.index.is_unique:
        texts = {frame.index.name: frame.index.to_series(), **texts}
    repeats = _numbering(frame)[:1]
    for item, (name, systems) in itertools.product(items, texts.items()):
        cells = pd.DataFrame({"system": systems.to_numpy(), "item": frame[item].to_numpy()})
        counted = cells.assign(repeat=frame[repeats[0]].to_numpy()) if repeats else cells
        n_systems, n_items = cells["system"].nunique(), cells["item"].nunique()
        if 1 < n_systems < len(frame) and 1 < n_items < len(frame) and not counted.duplicated().any():
            n_cells = len(cells.drop_duplicates())
            if n_cells <= max(n_systems, n_items):
                continue  # nothing that several systems, or several items, have in common
            roles = {"system": name, "item": item}
            if cells.duplicated().any():
                roles["repeat"] = repeats[0]
            return roles | ({"nan_policy": "pairwise"} if n_cells < n_systems * n_items else {})
    return {}


def _numbering(frame: pd.DataFrame) -> list[Any]:
    """Columns that number runs, by their names."""
    return [name for name in frame.columns if str(name).casefold() in _RUNS]


def _is_text(column: pd.Series) -> bool:
    # Not by the dtype alone: a column of objects can hold lists, which nothing can be counted by.
    return isinstance(column.dtype, pd.CategoricalDtype) or pd.api.types.is_string_dtype(column)
