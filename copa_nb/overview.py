"""What ``df.moo`` prints: which table this is, what it can be asked, what not and why."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb import text
from copa_nb.asking import DescribedTable
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import Description, Kind, in_call
from copa_nb.tables.frames import InPieces

_CHOOSE = ("front", "layers", "plot", "copa", "explore", "normalize", "hypervolume")
_HOW_SURE = ("compare", "board", "confident_front", "cheaper")
_RANKS = ("mean_ranks", "posets", "gsd_front")
_SEARCHES, _RUNS = ("gap",), ("hv_test", "audit", "attainment")
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
    scored_twice = described.is_scored_twice(table.columns)
    shelves = list(_shelves(described, described.kind(table.columns), scored_twice=scored_twice))
    lines += [f" {shelf.question:<8} {' · '.join(shelf.verbs)}" for shelf in shelves if not shelf.missing]
    absent = [f"{', '.join(shelf.verbs)}: {shelf.missing}" for shelf in shelves if shelf.missing]
    lines += [f" {'not here' if number == 0 else '':<8} {line}" for number, line in enumerate(absent)]
    return "\n".join(lines) + ">"


def _shelves(described: Description, kind: Kind, *, scored_twice: bool) -> Iterator[Shelf]:
    has_system, has_item = described.get("system") is not None, described.get("item") is not None
    yield Shelf("choose", _CHOOSE, "every objective has a validation and a test score" if scored_twice else "")
    if has_item:
        yield Shelf("how sure", _HOW_SURE)
    else:
        is_precise = described.get("standard_error") is not None or kind == "runs"
        missing = "" if is_precise else "no item, repeat or standard_error"
        yield Shelf("how sure", _HOW_SURE[1:] if is_precise else _HOW_SURE, missing)
    yield Shelf("search", _SEARCHES, "" if scored_twice else "no validation and test scores")
    runs = has_system and described.get("repeat") is not None and not has_item and not scored_twice
    yield Shelf("runs", _RUNS, "" if runs else "no system with repeat")
    yield Shelf("ranks", _RANKS, "" if has_system and has_item else "no system with item")


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
    systems, items = as_names(system), as_names(item)
    share = _n_labels(frame, [*systems, *items]) / (_n_labels(frame, systems) * _n_labels(frame, items))
    return "" if share == 1 else f" ({text.percent(share)} of the cells)"


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
