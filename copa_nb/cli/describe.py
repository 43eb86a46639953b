"""``copa-nb describe``: which table a file is, what it can be asked, and the lines that describe it and ask."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import click

from copa_nb.analyses import parameters
from copa_nb.asking import DescribedTable
from copa_nb.checks import written_as
from copa_nb.cli.options import (
    DESCRIPTION,
    GroupedCommand,
    GroupedOption,
    directions,
    read_options,
    reading_values,
    source_named,
)
from copa_nb.cli.running import refusing
from copa_nb.overview import CHECKED, first_question, found_in
from copa_nb.sources.files import STANDARD_INPUT, save_standard_input
from copa_nb.sources.read import FORMATS, read
from copa_nb.sources.table_descriptions import is_description
from copa_nb.tables.columns import as_names
from copa_nb.tables.description import Description, Kind, in_call
from copa_nb.tables.proposals import proposed

_OF_COLUMNS = ("system", "item", "cluster", "repeat", "known")
_COMMANDS: Mapping[Kind, str] = {"systems": "select", "items": "board", "runs": "select", "search": "gap"}
_CALLED = {"objectives": "--max/--min", "format": "--source", "source": "TABLE", "table": "TABLE"}


def _option_of(word: str) -> str:
    return f"--{word.replace('_', '-')}"


@click.command("describe", cls=GroupedCommand)
@click.argument("table", metavar="TABLE")
@refusing
def describe(table: str, source: str | None, reading: tuple[str, ...], **given: tuple[str, ...]) -> None:
    """Say which kind of table TABLE is, what it can be asked, and which lines describe it in Python and on the shell.

    Nothing is computed. Directions and names of columns are those of the options, and those that the file itself has.
    Where it has none, the lines propose some by the names of columns; check them.
    """
    with tempfile.TemporaryDirectory() as folder, written_as(_CALLED):
        file = str(save_standard_input(Path(folder))) if table == STANDARD_INPUT else table
        options = _reading(source_named(source), reading_values(reading))
        words = _words(_columns(file, options, given), given)
        others = {word: value for word, value in words.items() if word != "objectives"}
        frame = read(file, words.get("objectives"), **others, **options)
    known = DescribedTable(frame, Description.of_frame(frame))
    click.echo("\n".join(found_in(known)))
    found = proposed(frame, known.description)
    if found.objectives is None:
        return
    if known.description.objectives is None:
        click.echo(CHECKED)
    said = words if is_description(table) else found.to_dict()
    read_as = [f"{name}={value!r}" for name, value in options.items()]
    call = ", ".join(filter(None, [repr(table), in_call(said), *read_as]))
    click.echo(f"\nIn Python: table = copa_nb.read({call})\n           table.moo.{first_question(frame, found)}")
    line = _shell_line(table, {} if is_description(table) else found.to_dict(), found.kind(frame))
    click.echo(f"On the shell: {' '.join([line, *_as_typed(source, reading)])} --quick")


def _shell_line(table: str, words: Mapping[str, Any], kind: Kind) -> str:
    """The command that asks the first question, with the options that describe the table."""
    ways = words.get("objectives", {})
    typed = {way: [name for name, one in ways.items() if one == way] for way in ("max", "min")}
    typed |= {word: as_names(words.get(word)) for word in (*_OF_COLUMNS, "nan_policy") if word in words}
    typed["standard_error"] = [f"{name}={column}" for name, column in _pairs(words.get("standard_error"))]
    options = [f"{_option_of(word)} {shlex.quote(str(name))}" for word, names in typed.items() for name in names]
    return " ".join(["copa-nb", _COMMANDS[kind], shlex.quote(table), *options])


def _pairs(columns: Any) -> Iterable[tuple[Any, Any]]:
    return columns.items() if isinstance(columns, Mapping) else ()


def _as_typed(source: str | None, reading: Iterable[str]) -> list[str]:
    """The options that say how the table is read."""
    return [
        *([f"--source {shlex.quote(source)}"] if source else []),
        *(f"--read {shlex.quote(one)}" for one in reading),
    ]


for _add in directions():
    _add(describe)
for _word in (*_OF_COLUMNS, "standard_error"):
    _declared = parameters.words()[_word]
    click.option(
        _option_of(_word), _word, multiple=True, metavar=_declared.placeholder, help=_declared.shell_help,
        cls=GroupedOption, group=DESCRIPTION,
    )(describe)  # fmt: skip
for _add in read_options():
    _add(describe)


def _reading(formats: dict[str, str], given: dict[str, Any]) -> dict[str, Any]:
    """Return the options of `read` that say how the table is read."""
    options: dict[str, Any] = {name: value for name, value in given.items() if name != "parse"}
    if "parse" in given:
        options["parse"] = [name for text in given["parse"] for name in text.split(",")]
    for name, study in formats.items():
        options["format"] = name
        if study:
            options[FORMATS[name].option] = study
    return options


def _columns(file: str, options: dict[str, Any], given: dict[str, tuple[str, ...]]) -> set[Any]:
    """Return the names of the columns, if it depends on them what a comma means."""
    if not any("," in text for texts in given.values() for text in texts):
        return set()
    frame = read(file, **options)
    return {*frame.columns, *frame.index.names}


def _words(columns: set[Any], given: dict[str, tuple[str, ...]]) -> dict[str, Any]:
    """Return the words of the options that are given, as `read` takes them."""
    names = {word: _names(columns, texts) for word, texts in given.items() if texts}
    ways = {name: way for way in ("max", "min") for name in names.pop(way, [])}
    words: dict[str, Any] = {"objectives": ways} if ways else {}
    pairs = [text.rpartition("=") for text in names.pop("standard_error", [])]
    if pairs:
        words["standard_error"] = {name: column for name, _, column in pairs}
    return words | {word: found[0] if len(found) == 1 else found for word, found in names.items()}


def _names(columns: set[Any], texts: Iterable[str]) -> list[str]:
    """Split texts at their commas, unless a text as a whole is a column."""
    return [name for text in texts for name in ([text] if text in columns else text.split(","))]
