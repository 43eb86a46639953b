"""What ``df.moo`` prints: which table this is, what it can be asked, what not and why."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import pandas as pd

from copa_nb import text
from copa_nb.asking import DescribedTable
from copa_nb.comparisons.pass_k import successes
from copa_nb.sources.units import numbers_in_disguise, read_units
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import Description, Kind, cautions, in_call
from copa_nb.tables.frames import InPieces
from copa_nb.tables.proposals import has_gaps, has_missing, n_labels, proposed, share_of_cells
from copa_nb.tables.rows import runs_in_words

_CHOOSE = ("front", "layers", "plot", "copa", "explore", "normalize", "hypervolume")
_HOW_SURE = ("compare", "board", "confident_front", "cheaper")
_RANKS = ("mean_ranks", "posets", "gsd_front")
_SEARCHES, _RUNS = ("gap",), ("hv_test", "audit", "attainment")
_ATTEMPTS = ("pass_k",)
_OF_TWO = ("plot", "explore")
# The verbs on ranks that know what to do about missing cells, by the policy.
_RANKED_WITH_GAPS = {"omit": _RANKS, "worst": ("posets",), "pairwise": ("posets",)}
_SAY_WHAT_GAPS_ARE = 'cells are missing; say what they are worth, df.moo.define(nan_policy="{}")'
_PREVIEWED = 3  # rows
_FEW, _NAMED = 4, 12  # columns that are named
CHECKED = "Say what is good, once you have checked these directions:"
_SEARCHED = 1_000_000  # rows among which repeated ones are looked for
_FIRST: Mapping[Kind, str] = {
    "systems": "copa()", "items": "board()", "runs": "copa().stability()", "search": "gap()",
}  # fmt: skip


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
    return "<moo: " + "\n ".join([*found_in(table), *_to_paste(table)]) + ">"


def found_in(table: DescribedTable) -> list[str]:
    r"""Say which table this is, what is in its columns, and what it can be asked, line by line.

    Examples
    --------
    >>> frame = pd.DataFrame({"model": ["a", "b", "c"], "size": ["7B", "13B", "7B"], "cost": [2.0, None, 1.0]})
    >>> print(*found_in(DescribedTable(frame, Description.of({}))), sep="\n")
    3 rows, no objectives defined
    numbers  cost (1 missing)
    text     model · size
    as text  size, e.g. '7B': copa_nb.parse_numbers(df, ["size"]) makes numbers of it
    """
    described = table.description
    notes = [str(note) for note in table.columns.attrs.get("notes", ())]
    if described.objectives is None:
        return [f"{_counted(table)}, no objectives defined", *notes, *_columns(table)]
    lines = [_counted(table), ", ".join(described.objectives.labels), *notes, *_particular(table)]
    shelves = list(_shelves(table))
    lines += [f"{shelf.question:<8} {' · '.join(shelf.verbs)}" for shelf in shelves if not shelf.missing]
    absent = [f"{', '.join(shelf.verbs)}: {shelf.missing}" for shelf in shelves if shelf.missing]
    return [*lines, *(f"{'not here' if number == 0 else '':<8} {line}" for number, line in enumerate(absent))]


def _columns(table: DescribedTable) -> list[str]:
    """What kinds of columns a table has, and what rows seem to be."""
    frame = table.columns
    if isinstance(table.frame, InPieces) or not frame.columns.is_unique:
        return []
    numbers = [*frame.select_dtypes("number").columns]
    disguised = numbers_in_disguise(frame)
    texts = [name for name in frame.columns if name not in numbers]
    lines = [f"names    {_some(map(str, frame.index.names))}"] if frame.index.names != [None] else []
    lines += [f"numbers  {_some(_with_missing(frame, numbers))}"] if numbers else []
    lines += [f"text     {_some(map(str, texts))}"] if texts else []
    if disguised:
        examples = ", ".join(f"{name}, e.g. {one.first!r}" for name, one in [*disguised.items()][:_FEW])
        call = f"copa_nb.parse_numbers(df, {_in_code(disguised)})"
        lines.append(f"as text  {examples}: {call} makes numbers of {'it' if len(disguised) == 1 else 'them'}")
    said = runs_in_words(frame).partition(": ")[0]
    return [*lines, *([f"rows     {said}"] if said else []), *_particular(table)]


def _particular(table: DescribedTable) -> list[str]:
    """What is to be known of rows and objectives before anything is asked: sentences, if any."""
    frame, described = table.columns, table.description
    if isinstance(table.frame, InPieces) or not frame.columns.is_unique:
        return []
    names = [*(described.objectives or frame.select_dtypes("number").columns)]
    numbers = [name for name in names if name in frame.columns]
    lines = []
    if len(frame) == 1:
        lines.append("One row alone has nothing to be compared with.")
    elif constant := [name for name in numbers if _is_constant(frame[name])]:
        lines.append(f"The same in all rows: {_some(map(str, constant))}; that decides nothing.")
    if 1 < len(frame) <= _SEARCHED and (n_repeated := _n_repeated(frame)):
        rows = "1 row repeats" if n_repeated == 1 else f"{n_repeated:,} rows repeat"
        lines.append(f"{rows} another one in all columns: df.drop_duplicates() keeps the first.")
    if described.objectives is not None and has_missing(frame, described):
        lacking = _with_missing(frame, [name for name in numbers if frame[name].isna().any()])
        lines.append(f"values   {_some(lacking)}")
    return lines


def _is_constant(column: pd.Series) -> bool:
    return bool(column.isna().all()) or bool((column == column.iloc[0]).all())


def _n_repeated(frame: pd.DataFrame) -> int:
    """Rows that repeat another one, its name included unless rows are only counted."""
    counted = isinstance(frame.index, pd.RangeIndex)
    try:
        return int((frame if counted else frame.reset_index()).duplicated().sum())
    except (TypeError, ValueError):  # lists in cells have no equal, and an index may be called as a column is
        return 0


def _with_missing(frame: pd.DataFrame, names: Iterable[Hashable]) -> list[str]:
    counts = {name: int(frame[name].isna().sum()) for name in names}
    return [f"{name} ({count:,} missing)" if count else str(name) for name, count in counts.items()]


def _some(names: Iterable[str]) -> str:
    known = list(names)
    return " · ".join(known[:_NAMED]) + (f" … ({len(known):,} in all)" if len(known) > _NAMED else "")


def _to_paste(table: DescribedTable) -> list[str]:
    """The lines that describe a table which is not described, and ask the first question of it."""
    if table.description.objectives is not None:
        return []
    frame = table.columns if isinstance(table.frame, InPieces) else read_units(table.columns)[0]
    found = proposed(frame, table.description)
    if found.objectives is None:
        return []
    known = [name for name in found.objectives if name in frame.columns]
    read = [name for name in known if frame[name].dtype != table.columns[name].dtype]
    keeps_words = isinstance(table.frame, pd.DataFrame)
    given = "df" if keeps_words else "frame"
    lines = [f"{given} = copa_nb.parse_numbers({given}, {_in_code(read)})"] if read else []
    call = in_call(found.to_dict())
    lines.append(f"df = df.moo.define({call})" if keeps_words else f"table = copa_nb.moo(frame, {call})")
    asked = "df.moo" if keeps_words else "table"
    return [CHECKED, *(f"  {line}" for line in (*lines, f"{asked}.{first_question(frame, found)}"))]


def _in_code(names: Iterable[Hashable]) -> str:
    return json.dumps([*map(str, names)], ensure_ascii=False)


def first_question(frame: pd.DataFrame, described: Description) -> str:
    """The call that answers the question that people have of a table of this kind."""
    return _FIRST[described.kind(frame)]


def show_table(table: DescribedTable, record: Any) -> None:
    """Show in the record of a report where a table comes from, what there is to know of it, and its first rows."""
    from IPython.display import display

    frame, described = table.columns, table.description
    if "source" in frame.attrs:
        record.data(frame)
    labels = [] if described.objectives is None else described.objectives.labels
    record.text(
        *frame.attrs.get("notes", ()),
        ". ".join([_counted(table), ", ".join(labels)]) + ".",
        *cautions(frame),
    )
    named = {*described.columns, *described.scores(frame), *as_names(described.get("show"))}
    first = frame.loc[:, [name in named for name in frame.columns]].head(_PREVIEWED)
    display(first.set_axis(text.spoken_columns(first), axis="columns"))


def _shelves(table: DescribedTable) -> Iterator[Shelf]:
    """The verbs by question, those that the table cannot be asked with the reason."""
    described, kind = table.description, table.description.kind(table.columns)
    is_in_pieces = isinstance(table.frame, InPieces)  # then only a pass over the rows would show what is missing
    has_system, has_item = described.get("system") is not None, described.get("item") is not None
    scored_twice, gaps = (
        described.is_scored_twice(table.columns),
        has_item and not is_in_pieces and has_gaps(table.columns, described),
    )
    missing = "cells are missing, and means over unlike items cannot be compared" if gaps else ""
    if kind == "systems" and described.get("nan_policy") is None and has_missing(table.columns, described):
        missing = "values are missing; " + _SAY_WHAT_GAPS_ARE.format("omit").partition("; ")[2]
    if scored_twice:
        missing = "every objective has a validation and a test score"
    yield from _choosing(len(described.objectives or ()), missing)
    if has_item:
        untreated = gaps and described.get("nan_policy") not in ("pairwise", "bounds")
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
    repeated = has_system and has_item and described.get("repeat") is not None and not is_in_pieces
    if repeated and described.objectives is not None and successes(table.columns, described.objectives):
        yield Shelf("attempts", _ATTEMPTS)
    if not (has_system and has_item):
        yield Shelf("ranks", _RANKS, "no system with item")
        return
    ranked = _RANKS if not gaps else _RANKED_WITH_GAPS.get(described.get("nan_policy"), ("mean_ranks",))
    yield Shelf("ranks", ranked)
    if rest := tuple(verb for verb in _RANKS if verb not in ranked):
        yield Shelf("ranks", rest, _SAY_WHAT_GAPS_ARE.format("omit"))


def _choosing(n_objectives: int, missing: str) -> Iterator[Shelf]:
    """The verbs on rows, and those of them that need two objectives."""
    alone = n_objectives == 1 and not missing
    yield Shelf("choose", tuple(verb for verb in _CHOOSE if not (alone and verb in _OF_TWO)), missing)
    if alone:
        yield Shelf("choose", _OF_TWO, "one objective")


def _counted(table: DescribedTable) -> str:
    """What there is of each role, in words."""
    described, frame = table.description, table.columns
    if isinstance(table.frame, InPieces):
        return f"{len(frame.columns)} columns, read in pieces"
    system, item, repeat = (described.get(word) for word in ("system", "item", "repeat"))
    if system is None or (item is None and repeat is None):
        return "1 row" if len(frame) == 1 else f"{len(frame):,} rows"
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
    return f"{n_labels(frame, names):,} {text.plural(names[0], otherwise) if len(names) == 1 else otherwise}"


def _filled(frame: pd.DataFrame, system: object, item: object) -> str:
    """The share of the cells that there are, if not all."""
    share = share_of_cells(frame, system, item)
    return "" if share == 1 else f" ({text.percent(share)} of the cells)"
