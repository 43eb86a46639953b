"""A description that a table may have, from names and types of its columns: to be checked and pasted, never used."""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import pandas as pd

from copa_nb.tables.columns import as_names
from copa_nb.tables.description import TEST, VALIDATION, Description
from copa_nb.tables.objectives import Objectives
from copa_nb.tables.rows import roles_of_rows

# Words in the names of columns of which less is usually better.
_COSTS = {
    "brier", "bytes", "cer", "co2", "co2e", "cost", "costs", "dollars", "duration", "emissions", "energy", "err",
    "error", "errors", "eur", "flops", "gb", "gpu", "hours", "kg", "kwh", "latency", "logloss", "loss", "losses",
    "mae", "mb", "memory", "min", "minutes", "ms", "mse", "params", "parameters", "perplexity", "ppl", "price",
    "prices", "regret", "risk", "rmse", "runtime", "s", "sec", "seconds", "size", "time", "tokens", "usd", "violation",
    "wer", "wh",
}  # fmt: skip
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[$€£]")
_MOST = 4  # objectives


def is_cost(name: Hashable) -> bool:
    """Whether a column is called as costs are.

    Examples
    --------
    >>> is_cost("latency_ms"), is_cost("$ / task"), is_cost("trainTime"), is_cost("co2_kg"), is_cost("accuracy")
    (True, True, True, True, False)
    """
    words = {word.casefold() for word in _WORD.findall(str(name))}
    return bool(words & _COSTS) or bool(words & {"$", "€", "£"}) or str(name).casefold().startswith("co2")


def proposed(frame: pd.DataFrame, described: Description) -> Description:
    """Complete a description: directions if none are said, roles of columns by their names, what gaps are worth.

    Parameters
    ----------
    frame : DataFrame
        The table.
    described : Description
        What is known of it.
    """
    words: dict[str, Any] = {}
    objectives = described.objectives
    if objectives is None:
        words = {} if described.words else roles_of_rows(frame)
        ways = _directions(frame, [*described.words.values(), *words.values()])
        objectives = Objectives.of(ways) if ways else None
    found = described.saying(objectives, **words)
    if objectives is None or found.get("nan_policy") is not None:
        return found
    if found.kind(frame) == "items":
        return found.saying(nan_policy="pairwise") if has_gaps(frame, found) else found
    return found.saying(nan_policy="omit") if has_missing(frame, found) else found


def has_gaps(frame: pd.DataFrame, described: Description) -> bool:
    """Whether a system lacks an item, or a value of an objective."""
    return has_missing(frame, described) or (
        described.get("system") is not None
        and share_of_cells(frame, described.get("system"), described.get("item")) < 1
    )


def share_of_cells(frame: pd.DataFrame, system: object, item: object) -> float:
    """The share of systems and items that have a row together."""
    systems, items = as_names(system), as_names(item)
    return n_labels(frame, [*systems, *items]) / (n_labels(frame, systems) * n_labels(frame, items))


def n_labels(frame: pd.DataFrame, names: list[Any]) -> int:
    """How many different labels some columns or index levels have together."""
    columns = {
        str(name): (frame[name] if name in frame.columns else frame.index.get_level_values(name)).array
        for name in names
    }
    return len(pd.DataFrame(columns).drop_duplicates())


def has_missing(frame: pd.DataFrame, described: Description) -> bool:
    """Whether a value of an objective is missing."""
    names = [name for name in described.objectives or () if name in frame.columns]
    return bool(frame[names].isna().to_numpy().any())


def _directions(frame: pd.DataFrame, taken: list[Any]) -> dict[Hashable, str]:
    """Directions of the first columns of numbers, or of what has a validation and a test score."""
    names = [name for name in frame.select_dtypes("number").columns if name not in taken]
    texts = [name for name in names if isinstance(name, str)]
    stems = [name.removeprefix(VALIDATION) for name in texts if name.startswith(VALIDATION)]
    twice = [stem for stem in stems if f"{TEST}{stem}" in names]
    return {name: "min" if is_cost(name) else "max" for name in (twice or names)[:_MOST]}
