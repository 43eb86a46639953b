"""Results of single items: long tables of logs, and what has to be known before two systems in them are compared."""

from __future__ import annotations

import hashlib
import json
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from copa_nb import checks
from copa_nb.sources.described import described
from copa_nb.tables.objectives import DIFFERENCES_KEY

SYSTEM, ITEM, TASK, GROUP, CLUSTER, REPEAT = "system", "item", "task", "group", "cluster", "repeat"
# Columns of a part that do not reach the table: the item's id, and what its text and its prompt are known by.
ID, CONTENT, PROMPT = "id", "content", "prompt"
_INTERNAL = (ID, CONTENT, PROMPT)
_LONGEST = 40  # characters of a setting that are shown
_MOST_SETTINGS = 8
_MOST_NAMED = 3


class LogsDifferWarning(UserWarning):
    """Warns that systems were evaluated with different settings, or on different items."""


@dataclass
class Part:
    """Results of one system on one task.

    Parameters
    ----------
    system, task, group : str
        Names; `group` is empty for a task that is part of none.
    frame : DataFrame
        One row per item and repetition: "id", what the item is called in its task, "content", a fingerprint of its
        text, "prompt", a fingerprint of what the system was asked (both 0 where unknown), "repeat", "cluster" where
        it was asked for, and the metrics.
    settings : mapping of str to object
        How the system was evaluated on the task.
    """

    system: str
    task: str
    frame: pd.DataFrame
    group: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)


def fingerprint(text: str) -> int:
    """Return a number by which a text is recognized; never 0, which stands for what is unknown.

    Examples
    --------
    >>> fingerprint("2 + 2 = ?") == fingerprint("2 + 2 = ?") != fingerprint("2 + 3 = ?")
    True
    """
    return int.from_bytes(hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()[:8], "big") or 1


def long_table(
    parts: Sequence[Part],
    objectives: Mapping[Any, str],
    *,
    name: str,
    notes: Iterable[str] = (),
    left_out: Mapping[str, int] | None = None,
    n_kept: int | None = None,
    rows: str = "rows",
    chosen: Mapping[Any, str] | None = None,
) -> pd.DataFrame:
    """Lay out parts as one long table, and say what differs between the systems.

    Parameters
    ----------
    parts : sequence of Part
        At least one.
    objectives : mapping of column to {"max", "min"}
        As far as the source knows them.
    name, notes, left_out, n_kept, rows
        See :func:`copa_nb.sources.described.described`.
    chosen : mapping of column to {"max", "min"}, optional
        What the user asked for instead.

    Returns
    -------
    DataFrame
        Columns "system", "item", "task", "group" and "cluster" where there are any, "repeat", and the metrics.
    """
    # First: items of another text get names of their own.
    of_items = _items_that_differ(parts)
    differences = [*_settings_that_differ(parts), *of_items]
    for difference in differences:
        warnings.warn(difference, LogsDifferWarning, stacklevel=checks.callers_level())
    frames = []
    for part in parts:
        labels = pd.DataFrame({SYSTEM: part.system, ITEM: _names(part), TASK: part.task}, part.frame.index)
        if any(one.group for one in parts):
            labels[GROUP] = part.group or part.task
        frames.append(pd.concat([labels, part.frame.drop(columns=[*_INTERNAL])], axis="columns"))
    table = pd.concat(frames, ignore_index=True) if frames else pd.DataFrame({SYSTEM: []})
    if CLUSTER in table:
        table[CLUSTER] = table[CLUSTER].fillna(table[ITEM])
    first = [column for column in (SYSTEM, ITEM, TASK, GROUP, CLUSTER, REPEAT) if column in table]
    table = table[[*first, *(column for column in table if column not in first)]]
    known = {column: way for column, way in objectives.items() if column in table}
    notes = list(dict.fromkeys([*differences, *notes]))
    found = described(
        table, known, name=name, repeated=True, notes=notes, left_out=left_out, n_kept=n_kept, rows=rows,
        objectives=chosen, words={"system": SYSTEM, "item": ITEM, "cluster": CLUSTER, "repeat": REPEAT},
    )  # fmt: skip
    found.attrs[DIFFERENCES_KEY] = differences
    return found


def need_items(**options: Any) -> None:
    """Refuse options that only apply to single items."""
    for argument, value in options.items():
        if value is not None:
            raise ValueError(f"{checks.called(argument)} is {value!r}, which only applies to items; set items=True.")


def chosen_tasks(names: Sequence[Sequence[str]], tasks: Sequence[str] | None) -> list[bool]:
    """Tell which logs belong to the tasks chosen.

    Parameters
    ----------
    names : sequence of sequences of str
        What each log can be chosen by: its task, and groups of it.
    tasks : list of str or None
        The choice; None for all.

    Examples
    --------
    >>> chosen_tasks([["sums_add", "sums"], ["words"]], ["sums"])
    [True, False]
    """
    if tasks is None:
        return [True] * len(names)
    if isinstance(tasks, str):
        tasks = [tasks]
    for task in tasks:
        checks.one_of("tasks", task, sorted({name for of in names for name in of}))
    return [not set(tasks).isdisjoint(of) for of in names]


def need_clusters(parts: Sequence[Part], cluster: str | None) -> None:
    """Refuse a field that no item has."""
    if cluster is not None and not any(CLUSTER in part.frame and part.frame[CLUSTER].notna().any() for part in parts):
        raise ValueError(
            f"{checks.called('cluster')} is {cluster!r}, which no item has; it must be {TASK!r}, {GROUP!r} or a field "
            "of the items, such as the number of a passage."
        )


def _names(part: Part) -> pd.Series:
    return part.task + "/" + part.frame[ID].astype(str)


# ------------------------------------------------------------------------------------------------------------- items


def _items_that_differ(parts: Sequence[Part]) -> list[str]:
    """Tell apart items that share a name but not their text, and report which items are not common to all systems."""
    systems = list(dict.fromkeys(part.system for part in parts))
    if len(systems) < 2:
        return []
    other_text, other_prompt, n_compared = [], 0, 0
    for same in _by_task(parts).values():
        if len(same) > 1:
            other_text += _rename_other_texts(same)
            different, compared = _other_prompts(same)
            other_prompt, n_compared = other_prompt + different, n_compared + compared
    notes = []
    if other_text:
        example = checks.listed(other_text[:1])
        are = "1 item has" if len(other_text) == 1 else f"{len(other_text):,} items have"
        notes.append(f"{are} the same name but another text in some systems, e.g. {example}; they are different items.")
    if other_prompt:
        notes.append(f"The prompts of {other_prompt:,} of {n_compared:,} common items differ between the systems.")
    return notes + _not_common(parts, systems)


def _by_task(parts: Iterable[Part]) -> dict[str, list[Part]]:
    tasks: dict[str, list[Part]] = {}
    for part in parts:
        tasks.setdefault(part.task, []).append(part)
    return tasks


def _rename_other_texts(parts: Sequence[Part]) -> list[str]:
    """Add the fingerprint to the names of items whose texts differ between systems; return their former names."""
    texts = pd.concat([part.frame[[ID, CONTENT]].drop_duplicates() for part in parts])
    texts = texts[texts[CONTENT] != 0].drop_duplicates()
    several = pd.Index(texts.loc[texts[ID].duplicated(), ID].unique())
    for part in parts:
        wrong = part.frame[ID].isin(several) & (part.frame[CONTENT] != 0)
        if wrong.any():
            own = zip(part.frame.loc[wrong, ID], part.frame.loc[wrong, CONTENT], strict=True)
            marked = [f"{one} ({int(text):016x})" for one, text in own]
            part.frame[ID] = part.frame[ID].astype(object)
            part.frame.loc[wrong, ID] = pd.Series(marked, part.frame.index[wrong], dtype=object)
    return [f"{parts[0].task}/{one}" for one in several]


def _other_prompts(parts: Sequence[Part]) -> tuple[int, int]:
    """Count the items whose prompts differ between systems, and those that can be compared."""
    prompts = pd.concat([part.frame[[ID, PROMPT]].drop_duplicates(ID) for part in parts])
    prompts = prompts[prompts[PROMPT] != 0].groupby(ID)[PROMPT].agg(["size", "nunique"])
    compared = prompts[prompts["size"] > 1]
    return int((compared["nunique"] > 1).sum()), len(compared)


def _not_common(parts: Sequence[Part], systems: Sequence[str]) -> list[str]:
    """Report, for each system that lacks items of others, how many and an example."""
    own: dict[str, list[pd.Series]] = {system: [] for system in systems}
    for part in parts:
        own[part.system].append(_names(part))
    items = {system: pd.Index(pd.concat(names)).unique() for system, names in own.items()}
    everything = pd.Index(np.concatenate([one.to_numpy(dtype=object) for one in items.values()])).unique()
    lacking = {system: everything.difference(one, sort=False) for system, one in items.items()}
    lacking = {system: one for system, one in lacking.items() if len(one)}
    if not lacking:
        return []
    common = len(everything) - len(pd.Index(np.concatenate([one.to_numpy() for one in lacking.values()])).unique())
    shown = [f"{system!r} lacks {len(one):,} (e.g. {one[0]!r})" for system, one in lacking.items()]
    also = f" and {len(shown) - _MOST_NAMED} more systems lack some" if len(shown) > _MOST_NAMED else ""
    are = "is" if common == 1 else "are"
    return [
        f"{common:,} of {len(everything):,} items {are} common to all systems: {', '.join(shown[:_MOST_NAMED])}{also}."
    ]


# ---------------------------------------------------------------------------------------------------------- settings


def _settings_that_differ(parts: Sequence[Part]) -> list[str]:
    """Report which settings are not the same for all systems, in the order in which the source lists them."""
    found: dict[tuple[str, tuple[tuple[str, tuple[str, ...]], ...]], list[str]] = {}
    tasks = {task: same for task, same in _by_task(parts).items() if len(same) > 1}
    for task, same in tasks.items():
        for setting in dict.fromkeys(name for part in same for name in part.settings):
            values: dict[str, list[str]] = {}
            for part in same:
                value = json.dumps(part.settings.get(setting), sort_keys=True, default=str, ensure_ascii=False)
                values.setdefault(value, []).append(part.system)
            if len(values) > 1:
                key = tuple((value, tuple(systems)) for value, systems in values.items())
                found.setdefault((setting, key), []).append(task)
    if not found:
        return []
    shown = [_sentence(difference, of, len(tasks)) for difference, of in list(found.items())[:_MOST_SETTINGS]]
    more = f"; and {len(found) - _MOST_SETTINGS} more settings differ" if len(found) > _MOST_SETTINGS else ""
    return [f"The systems were evaluated with different settings: {'; '.join(shown)}{more}."]


def _sentence(difference: tuple[str, Any], tasks: Sequence[str], n_tasks: int) -> str:
    setting, values = difference
    texts = _shortened([value for value, _ in values])
    pairs = [f"{text} for {checks.listed(of, _MOST_NAMED)}" for text, (_, of) in zip(texts, values, strict=True)]
    where = "" if len(tasks) == n_tasks else f" on {checks.listed(tasks, _MOST_NAMED)}"
    return f"{setting} is {', '.join(pairs)}{where}"


def _shortened(texts: Sequence[str]) -> list[str]:
    """Shorten long values to where they begin to differ.

    Examples
    --------
    >>> _shortened(["0", "5"]), _shortened([60 * "a" + "b", 60 * "a" + "c"])
    (['0', '5'], ['…aaaaaaaaaab', '…aaaaaaaaaac'])
    """
    texts = ["not set" if text == "null" else text for text in texts]
    if max(map(len, texts)) <= _LONGEST:
        return texts
    shortest, longest = min(texts), max(texts)
    same = next((k for k, letter in enumerate(shortest) if letter != longest[k : k + 1]), len(shortest))
    start = max(same - 10, 0)
    if start < 10:
        start = 0
    cut = [text[start : start + _LONGEST] for text in texts]
    return [
        ("…" if start and text != "not set" else "") + part + ("…" if len(text) > start + _LONGEST else "")
        for text, part in zip(texts, cut, strict=True)
    ]


def flattened(settings: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested settings under names with points, without those that are not set.

    Examples
    --------
    >>> flattened({"generation_kwargs": {"until": ["."], "temperature": 0}, "gen_prefix": None})
    {'generation_kwargs.until': ['.'], 'generation_kwargs.temperature': 0}
    """
    found: dict[str, Any] = {}
    for key, value in settings.items():
        if isinstance(value, Mapping):
            found |= flattened(value, f"{prefix}{key}.")
        elif value is not None:
            found[f"{prefix}{key}"] = value
    return found


def systems_of(models: Sequence[str], tasks: Sequence[str], sides: Sequence[int], places: Sequence[str]) -> list[str]:
    """Name the systems of several logs: after the model, and where two sources have the same model after both.

    Parameters
    ----------
    models, tasks, sides
        Of each log; `sides` says from which source it comes.
    places : sequence of str
        What the sources are called.

    Examples
    --------
    >>> systems_of(["m", "m", "n"], ["sums", "sums", "sums"], [0, 1, 1], ["runs/a", "runs/b"])
    ['m (a)', 'm (b)', 'n']
    """
    seen: dict[tuple[str, str], set[int]] = {}
    for model, task, side in zip(models, tasks, sides, strict=True):
        seen.setdefault((model, task), set()).add(side)
    shared = {model for (model, _), of in seen.items() if len(of) > 1}
    short = told_apart(places) if shared else []
    return [f"{model} ({short[side]})" if model in shared else model for model, side in zip(models, sides, strict=True)]


def told_apart(names: Sequence[str]) -> list[str]:
    """Shorten paths to the parts in which they differ.

    Examples
    --------
    >>> told_apart(["runs/new/org__model", "runs/old/org__model"]), told_apart(["a.eval", "b.eval"])
    (['new', 'old'], ['a.eval', 'b.eval'])
    """
    if len(set(names)) < len(names):
        names = [f"{name} {number}" for number, name in enumerate(names, start=1)]
    parts = [[part for part in name.replace("\\", "/").split("/") if part] for name in names]
    shortest = min(map(len, parts))
    start = next((k for k in range(shortest) if len({one[k] for one in parts}) > 1), 0)
    end = next((k for k in range(shortest - start) if len({one[-1 - k] for one in parts}) > 1), 0)
    return ["/".join(one[start : len(one) - end]) or name for one, name in zip(parts, names, strict=True)]


def table_of_items(
    rows: Sequence[Mapping[str, Any]],
    directions: Mapping[str, str],
    *,
    name: str,
    left_out: Mapping[str, int],
    objectives: Mapping[Any, str] | None,
) -> pd.DataFrame:
    """Lay out results of single items, each with its system and its item; what recurs is a repetition.

    Parameters
    ----------
    rows : sequence of mapping
        With "system", "item" and what was measured.
    directions : mapping of column to {"max", "min"}
        As far as the source knows them; a cost that is the same in all rows is not among the objectives.
    name, left_out, objectives
        See :func:`copa_nb.sources.described.described`.
    """
    table = pd.DataFrame.from_records(list(rows)) if rows else pd.DataFrame(columns=[SYSTEM, ITEM])
    table.insert(2, REPEAT, table.groupby([SYSTEM, ITEM], sort=False).cumcount())
    if not table[REPEAT].any():
        table = table.drop(columns=REPEAT)
    table = table.dropna(axis="columns", how="all")
    varies = [column for column in directions if column in table and len(table[column].unique()) > 1]
    known = {column: way for column, way in directions.items() if column in varies or way == "max"}
    return described(
        table, {column: way for column, way in known.items() if column in table}, name=name, repeated=True,
        left_out=left_out, rows="results", objectives=objectives,
        words={"system": SYSTEM, "item": ITEM, "repeat": REPEAT},
    )  # fmt: skip
