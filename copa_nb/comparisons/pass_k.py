"""Whether all of k attempts at an item succeed, or one of them: an objective made of repeated right and wrong."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks, text
from copa_nb.tables.columns import as_names
from copa_nb.tables.described_frame import DescribedFrame
from copa_nb.tables.description import define
from copa_nb.tables.objectives import Objectives

ALL, ANY = "all", "any"


def pass_k(table: DescribedFrame, *, k: int, objective: Hashable | None = None, of: str = ALL) -> pd.DataFrame:
    """Return one row per system and item: the estimate for k attempts, and means of the other objectives."""
    checks.integer("k", k)
    checks.one_of("of", of, (ALL, ANY))
    objectives = table.objectives()
    name = _counted(table.frame, objectives, objective)
    roles = {word: as_names(table.named(word)) for word in ("system", "item")}
    cluster = as_names(table.say("cluster"))
    by = list(dict.fromkeys([*roles["system"], *roles["item"], *cluster]))
    levels = [one for one in by if one not in table.frame.columns]
    groups: Any = (table.frame.reset_index(levels) if levels else table.frame).groupby(by, sort=False, dropna=False)
    table.saying(nan_policy="raise").costs(instead="leave out the attempts that lack a value")
    attempts = groups[name].size()
    _refuse_few(attempts, k)
    found = groups[[one for one in objectives if one != name]].mean()
    right, count = groups[name].sum().round().to_numpy(), attempts.to_numpy()
    shares = chance_of_all(right, count, k) if of == ALL else 1 - chance_of_all(count - right, count, k)
    called = f"{name}_pass_{k}" if of == ALL else f"{name}_pass_at_{k}"
    found.insert(0, called, shares)
    others = {str(one): way for one, way in objectives.to_dict().items() if one != name}
    ways = {called: "max", **others}
    words: dict[str, Any] = {word: table.say(word) for word in ("system", "item", "cluster", "known", "nan_policy")}
    rows = found.reset_index()
    rows.attrs = {}  # which say what the attempts were
    described = define(rows, ways, **{word: value for word, value in words.items() if value is not None})
    described.attrs = {**table.frame.attrs, **described.attrs}
    return described


def chance_of_all(successes: np.ndarray, attempts: np.ndarray, k: int) -> np.ndarray:
    """Estimate how likely k attempts all succeed, without bias: C(c, k) / C(n, k) for c successes in n attempts.

    Examples
    --------
    >>> chance_of_all(np.array([4.0, 3.0, 1.0]), np.array([4, 4, 4]), 2)
    array([1. , 0.5, 0. ])
    """
    steps = np.arange(k)
    left = np.maximum(np.asarray(successes, dtype=float)[:, None] - steps, 0)
    shares: np.ndarray = (left / (np.asarray(attempts)[:, None] - steps)).prod(axis=1)
    return shares


def successes(frame: pd.DataFrame, objectives: Objectives) -> list[Hashable]:
    """Objectives that say by 1 and 0 whether an attempt succeeded."""
    maximized = [name for name, way in objectives.directions if way == "max" and name in frame.columns]
    return [name for name in maximized if _is_right_or_wrong(frame[name])]


def _counted(frame: pd.DataFrame, objectives: Objectives, objective: Hashable | None) -> Hashable:
    """The objective that says whether an attempt succeeded, or an error that says which may."""
    candidates = successes(frame, objectives)
    if objective is not None:
        objectives.position(objective)
        if objective not in candidates:
            raise ValueError(
                f"`objective` is {objective!r}; it must be maximized, and 0 or 1 in each attempt"
                f"{_what_else(frame[objective])}."
            )
        return objective
    if len(candidates) != 1:
        known = checks.listed(candidates) if candidates else "none"
        raise ValueError(
            f"`objective` is needed where not one objective alone says, by 0 or 1, whether an attempt succeeded; such "
            f"objectives are {known}."
        )
    return candidates[0]


def _is_right_or_wrong(values: pd.Series) -> bool:
    return bool(values.isin([0, 1]).all())


def _what_else(values: pd.Series) -> str:
    others = values[~values.isin([0, 1])]
    if others.empty:
        return ""
    missing = int(others.isna().sum())
    return f", and {missing:,} values are missing" if missing else f", not {text.number(float(others.iloc[0]), 3)}"


def _refuse_few(attempts: pd.Series, k: int) -> None:
    few = attempts[attempts < k]
    if len(few):
        raise ValueError(
            f"`k` is {k}, and {len(few):,} of {len(attempts):,} systems on items have fewer attempts, e.g. "
            f"{text.label(few.index[0])} {int(few.iloc[0])}; k may be at most {int(attempts.min())}."
        )
