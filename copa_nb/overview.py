"""What ``df.moo`` prints: which table this is, what it can be asked, what not and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb import text
from copa_nb.asking import DescribedTable
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import in_call
from copa_nb.tables.frames import InPieces

_CHOOSE = ("front", "layers", "plot", "copa", "explore", "normalize", "hypervolume")
_HOW_SURE = ("compare", "board", "confident_front", "cheaper")
_RANKS = ("mean_ranks", "posets", "gsd_front")
_SEARCHES, _RUNS = ("gap",), ("hv_test", "audit", "attainment")
_OF_TWO = ("plot", "explore")
# The verbs on ranks that know what to do about missing cells, by the policy.
_RANKED_WITH_GAPS = {"omit": _RANKS, "worst": ("posets",), "pairwise": ("posets",)}
_SAY_WHAT_GAPS_ARE = 'cells are missing; say what they are worth, df.moo.define(nan_policy="{}")'
_FEW = 4  # columns that are proposed


@dataclass(frozen=True)
class Shelf:
    """Verbs of one kind of question, and why they cannot be asked, if so."""

    question: str
    verbs: tuple[str, ...]
    missing: str = ""


def introduction(table: DescribedTable) -> str:
    """Say which table this is and what it can be asked.

    Examples
    --------
    >>> frame = pd.DataFrame({"accuracy": [0.9, 0.8], "cost": [2.0, 1.0]}, index=["a", "b"])
    >>> print(frame.moo(accuracy="max", cost="min"))
    <moo: 2 rows
     accuracy ↑, cost ↓
     choose   front · layers · plot · copa · explore · normalize · hypervolume
     not here compare, board, confident_front, cheaper: no item, repeat or standard_error
              gap: no validation and test scores
              hv_test, audit, attainment: no system with repeat
              mean_ranks, posets, gsd_front: no system with item>
    """
    described = table.description
    if described.objectives is None:
        return f"<moo: {_counted(table)}, no objectives defined{_proposal(table)}>"
    notes = [f" {note}" for note in table.columns.attrs.get("notes", ())]
    lines = [f"<moo: {_counted(table)}", f" {', '.join(described.objectives.labels)}", *notes]
    shelves = list(_shelves(table))
    lines += [f" {shelf.question:<8} {' · '.join(shelf.verbs)}" for shelf in shelves if not shelf.missing]
    absent = [f"{', '.join(shelf.verbs)}: {shelf.missing}" for shelf in shelves if shelf.missing]
    lines += [f" {'not here' if number == 0 else '':<8} {line}" for number, line in enumerate(absent)]
    return "\n".join(lines) + ">"


def _shelves(table: DescribedTable) -> Iterator[Shelf]:
    """The verbs by question, those that the table cannot be asked with the reason."""
    described, kind = table.description, table.description.kind(table.columns)
    has_system, has_item = described.get("system") is not None, described.get("item") is not None
    scored_twice, has_gaps = described.is_scored_twice(table.columns), has_item and _has_gaps(table)
    yield from _choosing(len(described.objectives or ()), scored_twice=scored_twice, has_gaps=has_gaps)
    if has_item:
        untreated = has_gaps and described.get("nan_policy") not in ("pairwise", "bounds")
        yield Shelf("how sure", _HOW_SURE[:1] if untreated else _HOW_SURE)  # two systems may lack nothing
        if untreated:
            yield Shelf("how sure", _HOW_SURE[1:], _SAY_WHAT_GAPS_ARE.format("pairwise"))
    else:
        is_precise = described.get("standard_error") is not None or kind == "runs"
        missing = "" if is_precise else "no item, repeat or standard_error"
        yield Shelf("how sure", _HOW_SURE[1:] if is_precise else _HOW_SURE, missing)
    yield Shelf("search", _SEARCHES, "" if scored_twice else "no validation and test scores")
    runs = has_system and described.get("repeat") is not None and not has_item and not scored_twice
    yield Shelf("runs", _RUNS, "" if runs else "no system with repeat")
    if not (has_system and has_item):
        yield Shelf("ranks", _RANKS, "no system with item")
        return
    ranked = _RANKS if not has_gaps else _RANKED_WITH_GAPS.get(described.get("nan_policy"), ("mean_ranks",))
    yield Shelf("ranks", ranked)
    if rest := tuple(verb for verb in _RANKS if verb not in ranked):
        yield Shelf("ranks", rest, _SAY_WHAT_GAPS_ARE.format("omit"))


def _choosing(n_objectives: int, *, scored_twice: bool, has_gaps: bool) -> Iterator[Shelf]:
    """The verbs on rows, and those of them that need two objectives."""
    missing = "every objective has a validation and a test score" if scored_twice else ""
    if has_gaps and not missing:
        missing = "cells are missing, and means over unlike items cannot be compared"
    alone = n_objectives == 1 and not missing
    yield Shelf("choose", tuple(verb for verb in _CHOOSE if not (alone and verb in _OF_TWO)), missing)
    if alone:
        yield Shelf("choose", _OF_TWO, "one objective")


def _has_gaps(table: DescribedTable) -> bool:
    """Whether a system lacks an item, or a value of an objective."""
    if isinstance(table.frame, InPieces):
        return False  # which only a pass over the rows would show
    described, frame = table.description, table.columns
    names = [name for name in described.objectives or () if name in frame.columns]
    return bool(frame[names].isna().to_numpy().any()) or (
        described.get("system") is not None and _share(frame, described.get("system"), described.get("item")) < 1
    )


def _counted(table: DescribedTable) -> str:
    """What there is of each role, in words."""
    described, frame = table.description, table.columns
    if isinstance(table.frame, InPieces):
        return f"{len(frame.columns)} columns, read in pieces"
    system, item, repeat = (described.get(word) for word in ("system", "item", "repeat"))
    if system is None or (item is None and repeat is None):
        return f"{len(frame):,} rows"
    counts = [_count(frame, system, "systems")]
    if item is not None:
        counts.append(_count(frame, item, "items") + _filled(frame, system, item))
    if repeat is not None:
        counts.append(_count(frame, repeat, "repetitions"))
    if described.get("cluster") is not None:
        counts.append(_count(frame, described.get("cluster"), "clusters"))
    return " × ".join(counts)


def _count(frame: pd.DataFrame, columns: object, otherwise: str) -> str:
    names = as_names(columns)
    return f"{_n_labels(frame, names):,} {text.plural(names[0], otherwise) if len(names) == 1 else otherwise}"


def _filled(frame: pd.DataFrame, system: object, item: object) -> str:
    """The share of the cells that there are, if not all."""
    share = _share(frame, system, item)
    return "" if share == 1 else f" ({text.percent(share)} of the cells)"


def _share(frame: pd.DataFrame, system: object, item: object) -> float:
    systems, items = as_names(system), as_names(item)
    return _n_labels(frame, [*systems, *items]) / (_n_labels(frame, systems) * _n_labels(frame, items))


def _n_labels(frame: pd.DataFrame, names: list[Any]) -> int:
    return len(_labels(frame, names).drop_duplicates())


def _labels(frame: pd.DataFrame, names: list[Any]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            str(name): frame[name].to_numpy() if name in frame.columns else frame.index.get_level_values(name)
            for name in names
        }
    )


def _proposal(table: DescribedTable) -> str:
    """A line that describes the table, from names and types of its columns alone."""
    numeric = list(table.columns.select_dtypes("number").columns)[:_FEW]
    if not numeric:
        return ""
    texts = [name for name in table.columns.columns if name not in numeric][:_FEW]
    directions = in_call({"objectives": {numeric[0]: "max"}})
    keeps_words = isinstance(table.frame, pd.DataFrame)
    call = f"df.moo.define({directions})" if keeps_words else f"copa_nb.moo(frame, {directions})"
    line = f"; say what is good, e.g. {call}"
    return line + (f", and what other columns are: {', '.join(map(str, texts))}" if texts else "")
