"""``copa-nb describe``: which table a file is, what it can be asked, and the line of Python that describes it."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import click

from copa_nb.checks import written_as
from copa_nb.cli.options import (
    DESCRIPTION,
    GroupedCommand,
    GroupedOption,
    read_options,
    reading_values,
    source_named,
)
from copa_nb.cli.running import refusing
from copa_nb.sources.files import STANDARD_INPUT, save_standard_input
from copa_nb.sources.read import FORMATS, read
from copa_nb.sources.table_descriptions import is_description
from copa_nb.tables.description import in_call

_COLUMNS = {
    "max": "objectives of which more is better",
    "min": "objectives of which less is better",
    "system": "columns that name what is compared",
    "item": "columns that name what it was measured on",
    "cluster": "columns of groups in which items are drawn",
    "repeat": "columns that name repetitions of a measurement",
    "known": "objectives without error, such as a list price",
    "standard_error": "columns of standard errors, e.g. --standard-error accuracy=accuracy_se",
}
_CALLED = {"objectives": "--max/--min", "format": "--source", "source": "TABLE", "table": "TABLE"}


def _option_of(word: str) -> str:
    return f"--{word.replace('_', '-')}"


@click.command("describe", cls=GroupedCommand)
@click.argument("table", metavar="TABLE")
@refusing
def describe(table: str, source: str | None, reading: tuple[str, ...], **given: tuple[str, ...]) -> None:
    """Say which kind of table TABLE is, what it can be asked, and which line of Python describes it.

    Nothing is computed. Directions and names of columns are those of the options, and those that the file itself has.
    """
    with tempfile.TemporaryDirectory() as folder, written_as(_CALLED):
        file = str(save_standard_input(Path(folder))) if table == STANDARD_INPUT else table
        options = _reading(source_named(source), reading_values(reading))
        words = _words(_columns(file, options, given), given)
        others = {word: value for word, value in words.items() if word != "objectives"}
        described = read(file, words.get("objectives"), **others, **options).moo
    click.echo(repr(described))
    said = words if is_description(table) else described.description
    if described.description:
        read_as = [f"{name}={value!r}" for name, value in options.items()]
        call = ", ".join(filter(None, [repr(table), in_call(said), *read_as]))
        click.echo(f"\nIn Python: table = copa_nb.read({call})")


for _word, _text in _COLUMNS.items():
    click.option(
        _option_of(_word), _word, multiple=True, metavar="COL=COL" if _word == "standard_error" else "COL", help=_text,
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
