"""The commands for the user's own tables: options, choices and ranges are those that each analysis declares."""

from __future__ import annotations

import sys
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, NoReturn

import click
import pandas as pd

from copa_nb.analyses.base import READING, Analysis, Request
from copa_nb.analyses.parameters import Parameter
from copa_nb.checks import called, in_these_words, listed, written_as
from copa_nb.cli.options import (
    DIRECTIONS,
    SOURCE,
    GroupedOption,
    TableCommand,
    further_values,
    reading_values,
    source_named,
    table_options,
    typed,
)  # fmt: skip
from copa_nb.cli.pulse import lines_while
from copa_nb.cli.running import (
    DEFAULT_OUT,
    EXIT_CODES,
    EXIT_FAILED,
    answer_lines,
    formats_of,
    refusing,
    run_jobs,
    write_records,
)
from copa_nb.reports.catalog import find, plain
from copa_nb.reports.jobs import Job, make_job
from copa_nb.reports.outcomes import DONE, FAILED, Failure, record, refusal_text
from copa_nb.reports.places import default_folder, keep_table
from copa_nb.reports.report import handed_over
from copa_nb.sources.files import STANDARD_INPUT, first_text_column, read_table, save_standard_input
from copa_nb.sources.formats import UNKNOWN_DIRECTIONS
from copa_nb.sources.items import CLUSTER, ITEM, SYSTEM, LogsDifferWarning, told_apart
from copa_nb.sources.read import FORMATS, kind_of_file, read, read_pair
from copa_nb.sources.table_descriptions import is_description, read_description
from copa_nb.streams.readers import is_in_pieces
from copa_nb.tables.description import cautions
from copa_nb.tables.objectives import RowsOmittedWarning
from copa_nb.text import listing

# What functions call what the command line calls otherwise.
_CALLED = {"table": "TABLE", "frame": "TABLE", "objectives": "--max/--min", "format": "--source"}
_OF_SOURCES = {
    **dict.fromkeys(("source", "study", "results", "folder", "logs", "runs"), "TABLE"),
    "name": "--source optuna:",
}
_GLANCED = 10_000  # rows of a table in pieces that show whether its first column names rows
_HELP = (
    "TABLE is a file (.csv, .tsv, .txt, .json, .jsonl, .xlsx or .parquet), a YAML file that describes one as files of "
    "claims do, - for standard input, the storage of an Optuna study, or a folder with results of "
    "lm-evaluation-harness, Inspect, Every Eval Ever or IOHprofiler. The commands select and board also take a folder "
    "or a quoted glob of Parquet files, 'runs/*.parquet', of any size. Options that take several columns may be "
    "repeated or given names separated by commas."
)


def own_table_command(analysis: Analysis) -> click.Command:
    """Return the command of an analysis, whose options are its parameters."""
    entry = find(analysis.notebook)

    @refusing
    def make(
        tables: tuple[str, ...], source: str | None, reading: tuple[str, ...], further: tuple[tuple[str, str], ...],
        out: str | None, pdf: bool, as_json: bool, quick: bool, **values: Any,
    ) -> None:  # fmt: skip
        waiting = lines_while(f"copa-nb {analysis.command}: working on {listed(tables, 3)}")
        with tempfile.TemporaryDirectory() as folder, written_as({**analysis.flags(), **_CALLED}), waiting:
            formats = source_named(source)
            values |= {**reading_values(reading), **further_values(analysis, further)}
            given = {name: value for name, value in values.items() if value not in (None, ())}
            files = [read_description(table).path if is_description(table) else table for table in tables]
            if any(map(is_in_pieces, files)):
                _choose_in_pieces(analysis, tables, given, quick=quick, out=out, as_json=as_json)
                return
            _refuse_columns(tables)
            asked: list[Request | Failure] = []
            answers: dict[str, tuple[pd.DataFrame, Any]] = {}
            of_logs = _asked_of_logs(analysis, tables, formats, given) if _are_logs(analysis, tables, formats) else None
            if of_logs is not None:
                tables = ("-".join(told_apart(tables)) if len(tables) > 1 else tables[0],)
            places = [_place(analysis, table) for table in tables]
            for table in tables:
                try:
                    one = of_logs or _asked(analysis, table, formats, given, Path(folder))
                    if quick:
                        answers[table] = one.run()
                    else:
                        one.check()
                except (ValueError, TypeError, FileNotFoundError) as error:
                    if len(tables) == 1:
                        raise
                    asked.append(Failure(table, str(error)))
                else:
                    asked.append(one)
            refused = {place: one for place, one in zip(places, asked, strict=True) if isinstance(one, Failure)}
            if len(refused) == len(tables):
                raise ValueError(refusal_text(refused, len(tables)))
            if quick:
                _print_answers(tables, places, refused, answers, as_json=as_json)
            written: dict[str, Any] = {"out": Path(out or DEFAULT_OUT), "formats": formats_of(pdf=pdf)}
            jobs = [
                make_job(find(analysis.notebook), {"table": table}, name=place, formats=written["formats"])
                if isinstance(one, Failure)
                else _job(one, piped=one.place.is_relative_to(folder), name=place, **written)
                for table, place, one in zip(tables, places, asked, strict=True)
            ]
        run_jobs(jobs, refused=refused, out=out, as_json=as_json)

    command = click.option(
        "--quick", is_flag=True, help="Print the answer and write no report.", cls=GroupedOption, group=SOURCE
    )(make)
    command = table_options(analysis)(command)
    command = click.argument("tables", nargs=-1, required=True, metavar="TABLE...")(command)
    text = f"{plain(entry.sentence)}\n\n{_HELP}"
    shown = {"help": text, "short_help": plain(entry.title), "epilog": EXIT_CODES}
    return click.command(analysis.command, cls=TableCommand, analysis=analysis, **shown)(command)


def _print_answers(
    tables: Sequence[str],
    places: Sequence[str],
    refused: Mapping[str, Failure],
    answers: Mapping[str, tuple[pd.DataFrame, Any]],
    *,
    as_json: bool,
) -> NoReturn:
    """Print the answers without reports, list the tables that cannot be used, and exit with the right code."""
    records = []
    for table, place in zip(tables, places, strict=True):
        if table not in answers:
            records.append(record(place, table, FAILED, None, asdict(refused[place])))
            click.echo(f"{place}: {refused[place]}", err=True)
            continue
        read, found = answers[table]
        answer = found.to_answer().to_dict()
        answer["lines"] = [*read.attrs.get("notes", ()), *cautions(read), *answer["lines"]]
        records.append(record(place, table, DONE, answer, None))
        for line in [] if as_json else answer_lines(place if len(places) > 1 else "", answer):
            click.echo(line)
    write_records(records, as_json=as_json)
    sys.exit(EXIT_FAILED if refused else 0)


def _choose_in_pieces(
    analysis: Analysis, tables: Sequence[str], given: Mapping[str, Any], *, quick: bool, out: str | None, as_json: bool,
) -> None:  # fmt: skip
    """Answer for a folder or glob of Parquet files, print the answer, and write a page."""
    if len(tables) > 1:
        raise ValueError(f"{called('table')} is a folder or glob of Parquet files; give one at a time.")
    described = read_description(tables[0]) if is_description(tables[0]) else None
    source = tables[0] if described is None else described.path
    if not analysis.in_pieces:
        raise ValueError(
            f"{called('table')} is {source!r}, which is read in pieces; `copa-nb {analysis.command}` needs the "
            "whole table in memory. Aggregate it first, or name a single file."
        )
    from copa_nb.streams.scan import scan

    table = scan(source, progress=sys.stderr.isatty())
    asked = _with_options(analysis, table.empty, dict(given))
    _refuse_in_pieces(asked)
    told = {} if described is None else described.words_about(asked["objectives"])
    words = {**told, **asked.words}
    ways = asked["objectives"] or words.get("objectives", {})
    words.pop("objectives", None)
    system = words.get("system") or first_text_column(next(table.frames()).iloc[:_GLANCED])
    named = table.named_by(system) if system else table
    with in_these_words():
        choice = asked.ask(named.moo(ways, **words))
    answer = choice.to_answer()
    files = choice.files() if hasattr(choice, "files") else None
    folder = Path(source) if Path(source).exists() else Path(source).parent
    place = f"{analysis.command}/{folder.resolve().stem}"
    page = None if quick else Path(out or DEFAULT_OUT) / place / f"{'board' if files else 'choice'}.html"
    if page is not None:
        page.parent.mkdir(parents=True, exist_ok=True)
        if files:
            files.write(page.parent)
        choice.to_html(page)
    for line in [] if as_json else answer_lines("", answer.to_dict(), page):
        click.echo(line)
    write_records([record(place, tables[0], DONE, answer.to_dict(), None)], as_json=as_json)


def _refuse_in_pieces(asked: Request) -> None:
    """Refuse what the notebook does with a whole table, and what would be detected in it."""
    further = [one.name for one in asked.analysis.also if isinstance(one, Parameter)]
    given = [called(name) for name in (*further, "show") if asked.given.get(name)]
    if given:
        raise ValueError(
            f"{listing(given)} needs the whole table in memory, which is read in pieces here; join in its engine "
            "first, or name a single file."
        )
    unnamed = [called(word) for word in ("system", "item") if not asked[word]]
    if asked.analysis.arranged is not None and unnamed:
        raise ValueError(f"{called('table')} is read in pieces, which needs {listing(unnamed)} to be named.")


def _place(analysis: Analysis, table: str) -> str:
    source = "standard-input" if table == STANDARD_INPUT else table
    # The folder is that of the command, which is shorter than the notebook's name.
    of_notebook = default_folder(find(analysis.notebook), {"table": source})
    return f"{analysis.command}/{of_notebook.split('/')[1]}"


def _job(asked: Request, *, out: Path, piped: bool, name: str, **settings: Any) -> Job:
    """Return a checked job; a table that is not a file of the user's is kept next to the reports."""
    if not isinstance(asked.table, pd.DataFrame) and piped:
        asked = asked.of_table(str(keep_table(asked.place, out)))
    return make_job(find(asked.analysis.notebook), handed_over(asked, out), name=name, **settings)


# ------------------------------------------------------------------------------------------------------------ values


def _asked(
    analysis: Analysis, table: str, formats: Mapping[str, Any], given: Mapping[str, Any], folder: Path
) -> Request:
    """Return the request of one table, with the values of the options."""
    source = _read_source(table, formats, given)
    file = str(save_standard_input(folder)) if source is None and table == STANDARD_INPUT else table
    return _with_options(analysis, file if source is None else source, dict(given))


def _are_logs(analysis: Analysis, tables: tuple[str, ...], formats: Mapping[str, Any]) -> bool:
    """Whether the tables are logs of two systems, or a folder with those of both, which are compared item by item."""
    if not analysis.compares_logs or len(tables) > 2 or not all(Path(table).exists() for table in tables):
        return False
    kinds = list(formats) * len(tables) or [kind_of_file(table) for table in tables]
    return all(FORMATS[kind].has_items for kind in kinds)


def _asked_of_logs(
    analysis: Analysis, tables: tuple[str, ...], formats: Mapping[str, Any], values: Mapping[str, Any]
) -> Request:
    """Return the request for the logs of two systems, the new one first, or for a folder with both."""
    given, options = dict(values), dict[str, Any]()
    cluster = ",".join(given.get("cluster", (CLUSTER,)))
    if cluster != CLUSTER:
        options["cluster"], given["cluster"] = cluster, (CLUSTER,)
    with written_as({**_OF_SOURCES, "cluster": "--cluster"}), warnings.catch_warnings():
        warnings.simplefilter("ignore", RowsOmittedWarning)
        warnings.simplefilter("ignore", LogsDifferWarning)
        format = next(iter(formats), kind_of_file(tables[0]))
        ways = _directions(given) if FORMATS[format].directions == UNKNOWN_DIRECTIONS else None
        told: dict[str, Any] = {"system": (SYSTEM,), "item": (ITEM,)}
        if len(tables) > 1:
            frame, told["new"], told["baseline"] = read_pair(tables[0], tables[1], ways, **options)
        else:
            frame = read(tables[0], ways, format=format, items=True, **options)
    for note in frame.attrs.get("notes", ()):
        click.echo(note, err=True)
    asked = _with_options(analysis, frame, told | given)
    # Items of other tasks measure none of the objectives.
    measured = frame[[name for name in asked["objectives"] if name in frame]].notna().any(axis="columns")
    return asked.of_table(frame[measured]) if measured.any() else asked


def _with_options(analysis: Analysis, table: Any, given: dict[str, Any]) -> Request:
    """Return the request of a table or its file, with the values of the options."""
    chosen: dict[str, Any] = {"table": table}
    if reading := {name: given.pop(name) for name in READING if name in given}:
        chosen["reading"] = reading
    if "parse" in reading:
        reading["parse"] = _split(analysis, "parse", reading["parse"], {**chosen, "reading": {**reading, "parse": []}})
    typed_ways = {way: given.pop(way) for way in DIRECTIONS if way in given}
    known = analysis.parameters()
    # Prefixes, and the columns that name systems and items, come first: with them all names are known.
    for name in sorted(given, key=lambda name: (not known[name].column, known[name].kind in ("list", "dict"))):
        value = given[name]
        if isinstance(value, tuple) and known[name].kind == "list":
            value = _split(analysis, name, value, chosen)
        elif isinstance(value, tuple) and known[name].or_text and len(value) == 1 and "=" not in value[0]:
            value = value[0]
        elif isinstance(value, tuple):
            value = dict(_pair(pair, name) for pair in _split_pairs(analysis, name, value, chosen))
        chosen[name] = value
    ways = {way: _split(analysis, "objectives", texts, chosen) for way, texts in typed_ways.items()}
    if both := sorted(set(ways.get("max", [])) & set(ways.get("min", []))):
        raise ValueError(f"`--max` and `--min` both name {both[0]!r}; remove it from one of them.")
    if ways:
        chosen["objectives"] = {name: way for way, names in ways.items() for name in names}
    return analysis.of(chosen)


def _split(analysis: Analysis, name: str, texts: Iterable[str], chosen: Mapping[str, Any]) -> list[str]:
    """Split the texts of a repeated option at their commas, unless a text as a whole is a name in the table."""
    parts: list[str] = []
    for text in texts:
        whole = "," not in text or analysis.is_name(text, name, _columns(analysis, chosen), chosen)
        parts += [text] if whole else filter(None, text.split(","))
    return parts


def _split_pairs(analysis: Analysis, name: str, texts: Iterable[str], chosen: Mapping[str, Any]) -> list[str]:
    """Split pairs at their commas, unless the text before the value is a name."""
    pairs: list[str] = []
    for text in texts:
        key = text.rpartition("=")[0]
        pairs += [text] if _split(analysis, name, [key], chosen) in ([key], []) else text.split(",")
    return pairs


def _columns(analysis: Analysis, chosen: Mapping[str, Any]) -> pd.DataFrame:
    source = {name: chosen[name] for name in ("table", "reading") if name in chosen}
    return analysis.of(source).load()


def _pair(text: str, argument: str) -> tuple[str, Any]:
    key, _, value = text.rpartition("=")
    if not key:
        raise ValueError(f"{called(argument)} is {text!r}; it must be COL=VALUE, e.g. co2_kg=0.5.")
    try:
        return key, float(value)
    except ValueError:
        return key, value


def _read_source(table: str, formats: Mapping[str, Any], given: Mapping[str, Any]) -> pd.DataFrame | None:
    """Read a table of another format, and report what was left out; None for a plain table."""
    with written_as(_OF_SOURCES):
        format = next(iter(formats), "table" if table == STANDARD_INPUT else kind_of_file(table))
        if format == "table":
            return None
        source = FORMATS[format]
        options = {source.option: formats[format]} if formats.get(format) else {}
        directions = _directions(given) if source.directions == UNKNOWN_DIRECTIONS else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", RowsOmittedWarning)
            warnings.simplefilter("ignore", LogsDifferWarning)
            frame = read(table, directions, format=format, **options)
    for note in frame.attrs.get("notes", ()):
        click.echo(note, err=True)
    return frame


def _directions(given: Mapping[str, Any]) -> dict[str, str]:
    return {name.strip(): way for way in DIRECTIONS for text in given.get(way, ()) for name in text.split(",")}


def _refuse_columns(tables: Iterable[str]) -> None:
    """Refuse columns in the place of tables: an option was given several, separated by spaces."""
    missing = [table for table in tables if table != STANDARD_INPUT and not Path(table).exists()]
    files = [table for table in tables if Path(table).is_file() and kind_of_file(table) == "table"]
    stray = [name for name in missing if files and name in read_table(files[0]).columns]
    if not stray:
        return
    words = typed()
    before = ["--max", "COL", *words[: words.index(stray[0])]]
    place = max(place for place, word in enumerate(before) if word.startswith("-"))
    option, _, value = before[place].partition("=")
    column = value or next(iter(before[place + 1 :]))
    raise ValueError(
        f"{stray[0]!r} is a column of {files[0]!r}, not a table. To give an option several columns, separate them by "
        f"commas or repeat the option: {option} {column},{stray[0]} or {option} {column} {option} {stray[0]}."
    )
