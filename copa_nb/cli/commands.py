"""The commands of ``copa-nb``; those for the user's own tables take their options from the notebooks' parameters."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from copa_nb.checks import nearest
from copa_nb.cli.running import DEFAULT_OUT, EXIT_CODES, answer_lines, batch_options, refusing, run_jobs
from copa_nb.cli.sources import read_source, source_options, taken_options
from copa_nb.reports.batch import read_plan
from copa_nb.reports.catalogue import Entry, catalogue, find, paper_entries, plain
from copa_nb.reports.export import LATEX_SAMPLE, export_for_latex, export_pages
from copa_nb.reports.jobs import make_job
from copa_nb.reports.own_tables import (
    OWN_REPORTS,
    check_own_table,
    frame_parameters,
    own_folder,
    quick_answer_of,
    split_names,
    write_frame,
)
from copa_nb.reports.parameters import Parameter, declared
from copa_nb.reports.store import Store, checked_folder
from copa_nb.sources.files import STANDARD_INPUT, read_table, save_standard_input
from copa_nb.sources.read import kind_of_file

_SHORT = {"maximise": "--max", "minimise": "--min", "weights": "--weight", "separator": "--sep"}
# How a file is read: entries of one parameter of the notebooks, each an option of its own.
_READING = {
    "separator": ("CHAR", "What separates columns: one character, or tab. [default: found in the file]"),
    "decimal": ("CHAR", "Decimal mark of numbers, '.' or ','. [default: .]"),
    "encoding": ("NAME", "Encoding of the text, e.g. cp1252. [default: utf-8]"),
    "sheet": ("NAME", "Sheet of an Excel file, by name or number from 1."),
    "parse": ("COL", "Column whose numbers have units or thousands separators: 64.7%, $1,299; may be repeated."),
}
# What errors of the verbs call what the command line calls otherwise.
_CALLED = {"table": "TABLE", "frame": "TABLE", "objectives": "--max/--min", "name": "--name", "repeat": "--repeat"}
_METAVAR = {"list": "COL", "dict": "COL=VALUE", "int": "N", "float": "X", "str": "TEXT"}
_TYPED = "copa_nb.typed"
# A setting as Python writes it: nan_policy="omit", noise={"cost": "cost_se"}.
_SETTING = re.compile(r'\b(\w+)=(?:"([^"]+)"|\{"([^"]+)": "([^"]+)"\})')
_METAVAR_OF = {"new": "NAME", "baseline": "NAME", "test": "NAME", "budgets": "N"}


_SHARED = """\b
Tables of your own (copa-nb COMMAND --help has the rest):
  --max COL, --min COL      what is better
  --show COL, --index COL   what else to show, and what names the rows
  --sep, --decimal, --encoding, --sheet, --parse COL
                            how the file is read; - is standard input
  --nan-policy TEXT         what missing values mean
  --quick, --name DIR       the answer alone; the folder of the report
\b
All reports:
  --out DIR, --jobs N, --format pdf, --timeout SECONDS, --force, --scheduler ADDRESS
"""


class OwnTableCommands(click.Group):
    """Builds the commands for the user's own tables from their notebooks, only when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *OWN_REPORTS])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command that is meant, or say which one may be."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            raise click.UsageError(f"{error.message}{nearest(args[0], self.list_commands(ctx))}", ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name not in OWN_REPORTS:
            return super().get_command(ctx, cmd_name)
        try:
            return _own_table_command(cmd_name, find(OWN_REPORTS[cmd_name]))
        except (ValueError, FileNotFoundError) as error:
            return _unavailable(cmd_name, error)


@click.group(
    cls=OwnTableCommands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=f"{_SHARED}\n{EXIT_CODES}"
)
@click.version_option(package_name="copa_nb")
def main() -> None:
    """From a table of models and metrics to a defensible decision and a report."""


@main.command("list")
@click.option("--parameters", is_flag=True, help="Show the parameters of each report as well.")
@refusing
def list_reports(parameters: bool) -> None:
    """List all reports, one line each."""
    entries = catalogue()
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        click.echo(f"{entry.name:<{width}}  {entry.title}")
        for parameter in declared(entry.path).values() if parameters else ():
            click.echo(f"    {parameter.name}: {parameter.kind} = {parameter.default!r}  {parameter.help}")


@main.command(epilog=EXIT_CODES)
@click.argument("names", nargs=-1, required=True, metavar="NAME...")
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    nargs=2,
    metavar="KEY VALUE",
    help="Set a parameter; `copa-nb list --parameters` shows them.",
)
@batch_options
@refusing
def run(
    names: tuple[str, ...],
    parameters: tuple[tuple[str, str], ...],
    formats: tuple[str, ...],
    timeout: float | None,
    **options: Any,
) -> None:
    """Make the reports NAME..., e.g. copa/figure_1, or figure_1 where that is unambiguous."""
    settings: dict[str, Any] = {"formats": formats, "timeout": timeout}
    jobs = []
    for name in dict.fromkeys(names):
        entry = find(name)
        jobs.append(make_job(entry, dict(parameters), **settings))
        check_own_table(entry, jobs[-1].parameters)
    run_jobs(jobs, **options)


@main.command(epilog=EXIT_CODES)
@batch_options
@refusing
def paper(formats: tuple[str, ...], timeout: float | None, **options: Any) -> None:
    """Make every figure and table of the five papers, with an index and a ledger of their claims."""
    run_jobs([make_job(entry, formats=formats, timeout=timeout) for entry in paper_entries()], **options)


@main.command(epilog=EXIT_CODES)
@click.argument("runs", metavar="RUNS.YAML")
@batch_options
@refusing
def batch(
    runs: str, out: str | None, jobs: int | None, formats: tuple[str, ...], timeout: float | None, **options: Any
) -> None:
    """Run a batch written in YAML: many tables, many parameter sets, checked before anything runs.

    \b
    out: reports                  # options of the command line win
    format: pdf
    runs:
      - report: select            # or gap, significance, posets, or any name of `copa-nb list`
        parameters: {table: models.csv, maximise: [accuracy], minimise: [co2_kg]}
        vary: {p: ["1", "2", "inf"]}
    """  # noqa: D301 (the mark that keeps lines is one character)
    plan = read_plan(runs)
    checked = [
        replace(job, formats=tuple(dict.fromkeys((*job.formats, *formats))), timeout=timeout or job.timeout)
        for job in plan.jobs
    ]
    run_jobs(checked, out=out or plan.out, jobs=jobs or plan.n_jobs, **options)


@main.command()
@click.argument("target", metavar="DIR")
@click.option("--from", "reports", default=DEFAULT_OUT, show_default=True, metavar="DIR", help="Folder of the reports.")
@click.option("--paper", "papers_only", is_flag=True, help="Only reports of the papers, none of your own tables.")
@click.option("--single-file", is_flag=True, help="Instead, each report as one HTML file to send.")
@refusing
def export(target: str, reports: str, papers_only: bool, single_file: bool) -> None:
    """Collect figures and tables of finished reports in DIR for a LaTeX project, or reports to send."""
    if single_file:
        made = export_pages(reports, target, papers_only=papers_only)
    else:
        made = export_for_latex(reports, target, papers_only=papers_only)
    for old, new in made.kept.items():
        click.echo(f"Kept {old}, which changed since it was exported; the new one is {new.name}.", err=True)
    for name in made.failed:
        click.echo(f"Left out {name}: its last run failed; fix and rerun it.", err=True)
    sample = "" if single_file else f"; {Path(target) / LATEX_SAMPLE} shows them all"
    click.echo(f"{len(made.written)} files in {target}{sample}.")


@main.group()
def data() -> None:
    """List, fetch and locate the public data."""


@data.command("list")
def data_list() -> None:
    """List all tables: what they are and where they are now."""
    from copa_nb.datasets import list_data

    columns = ["name", "kind", "rows", "where", "licence"]
    table = list_data().reset_index()[columns].astype(object)
    lines = [columns, *(["" if pd.isna(value) else str(value) for value in row] for row in table.to_numpy())]
    widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip())


@data.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@refusing
def data_fetch(names: tuple[str, ...]) -> None:
    """Download public files NAME... (default: all) into the cache."""
    from copa_nb.datasets import fetch
    from copa_nb.datasets.registry import DataCorruptedError, DataUnavailableError, public_files

    missing = 0
    for name in names or tuple(public_files()):
        try:
            click.echo(f"{name}: {fetch(name)}")
        except (DataUnavailableError, DataCorruptedError) as error:
            missing += 1
            click.echo(f"{name}: {error}", err=True)
    raise SystemExit(1 if missing else 0)


@data.command("path")
@click.argument("name")
@refusing
def data_path(name: str) -> None:
    """Print where the public file NAME is; exit code 1 if it is not here."""
    from copa_nb.datasets import path

    file = path(name)
    if file is None:
        click.echo(f"{name} is not here; `copa-nb data fetch {name}` gets it.", err=True)
        raise SystemExit(1)
    click.echo(str(file))


def _own_table_command(report: str, entry: Entry) -> click.Command:
    """Build a command whose options are the parameters of a notebook."""
    parameters = {
        name: parameter for name, parameter in declared(entry.path).items() if name not in ("table", "reading")
    }

    @refusing
    def make(
        tables: tuple[str, ...],
        name: str,
        out: str | None,
        jobs: int | None,
        formats: tuple[str, ...],
        timeout: float | None,
        force: bool,
        scheduler: str | None,
        quick: bool,
        **values: Any,
    ) -> None:
        formats_of_tables = taken_options(values)
        with tempfile.TemporaryDirectory() as folder, _flags_in_errors(parameters):
            if name and len(tables) > 1:
                raise ValueError(
                    f"`name` is {name!r}, but there are {len(tables)} tables; each report needs its own folder."
                )
            made = []
            _refuse_columns(tables)
            for table in tables:
                piped = table == STANDARD_INPUT
                file = str(save_standard_input(Path(folder))) if piped else table
                place = checked_folder(name) if name else own_folder(report, {"table": file})
                frame = read_source(table, formats_of_tables, values)
                if frame is not None:
                    piped, file = True, str(write_frame(frame, Path(tempfile.mkdtemp(dir=folder))))
                chosen = _collected(values, parameters, entry, file)
                if frame is not None:
                    chosen = {**frame_parameters(entry, frame, chosen), "table": file}
                job = make_job(entry, chosen, name=place, formats=formats, timeout=timeout)
                check_own_table(entry, job.parameters)
                if piped and not quick:
                    kept = Store(out or DEFAULT_OUT).keep_table(Path(file))
                    job = replace(job, parameters={**job.parameters, "table": str(kept)})
                made.append(job)
            if quick:
                for job in made:
                    answer = quick_answer_of(entry, job.parameters)
                    for line in answer_lines(job.name if len(made) > 1 else "", asdict(answer)):
                        click.echo(line)
                return
        run_jobs(made, out=out, jobs=jobs, force=force, scheduler=scheduler)

    command: Callable[..., Any] = click.option(
        "--quick", is_flag=True, help="Print the answer alone; write no report."
    )(batch_options(make))
    command = click.option(
        "--name", default="", metavar="DIR", help="Folder of the report; default: the table's name."
    )(command)
    for parameter in reversed(parameters.values()):
        command = _option(parameter)(command)
    for option, (metavar, text) in reversed(_READING.items()):
        several = option == "parse"
        command = click.option(_flag(option), option, metavar=metavar, multiple=several, help=text)(command)
    command = click.argument("tables", nargs=-1, required=True, metavar="TABLE...")(source_options(command))
    help_text = (
        f"{plain(entry.sentence)}\n\nTABLE is a file: .csv, .tsv or .txt, .json or .jsonl, .xlsx or .parquet; - is "
        "standard input; or a study of Optuna, or a folder of results of lm-evaluation-harness, Inspect, Every Eval "
        "Ever or IOHprofiler. Options that take several columns may be repeated, or name them separated by commas."
    )
    return click.command(report, cls=_OwnTableCommand, help=help_text, epilog=EXIT_CODES)(command)


class _OwnTableCommand(click.Command):
    """Remembers what was typed, for errors that quote it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        ctx.meta[_TYPED] = list(args)
        return super().parse_args(ctx, args)


def _refuse_columns(tables: Iterable[str]) -> None:
    """Refuse columns in the place of tables: an option was given several, separated by spaces."""
    missing = [table for table in tables if table != STANDARD_INPUT and not Path(table).exists()]
    files = [table for table in tables if Path(table).is_file() and kind_of_file(table) == "table"]
    stray = [name for name in missing if files and name in read_table(files[0]).columns]
    if not stray:
        return
    typed = click.get_current_context().meta[_TYPED]
    before = ["--max", "COL", *typed[: typed.index(stray[0])]]
    place = max(place for place, word in enumerate(before) if word.startswith("-"))
    option, _, value = before[place].partition("=")
    column = value or next(iter(before[place + 1 :]))
    raise ValueError(
        f"{stray[0]!r} is a column of {files[0]!r}, not a table. Options take columns separated by commas, or are "
        f"repeated: {option} {column},{stray[0]} or {option} {column} {option} {stray[0]}."
    )


def _option(parameter: Parameter) -> Callable[..., Any]:
    flag = _flag(parameter.name)
    # Notebooks write mappings as Python does.
    text = re.sub(r'[{,] ?"(\w+)": ([^,}]+)}?', rf" {flag} \1=\2", parameter.help).replace("  ", " ")
    has_default = parameter.default not in ("", [], {})
    text = f"{text} [default: {parameter.default}]" if has_default else text
    if parameter.kind == "bool":
        return click.option(f"{flag}/--no-{flag[2:]}", parameter.name, default=None, help=text)
    several, metavar = parameter.kind in ("list", "dict"), _METAVAR_OF.get(parameter.name, _METAVAR[parameter.kind])
    return click.option(flag, parameter.name, multiple=several, metavar=metavar, help=text)


def _flag(name: str) -> str:
    return _SHORT.get(name, "--" + name.replace("_", "-"))


@contextmanager
def _flags_in_errors(parameters: Iterable[str]) -> Iterator[None]:
    """Call arguments in errors as the command line does: --max, not `maximise`."""
    called = {**_CALLED, **{name: _flag(name) for name in (*_READING, *parameters)}}
    try:
        yield
    except (ValueError, TypeError, ImportError, FileNotFoundError) as error:
        said = re.sub(r"`(\w+)(?:=True)?`", lambda found: f"`{called.get(found[1], found[1])}`", str(error))
        said = _SETTING.sub(lambda found: _as_typed(found, called), said)
        raise ValueError(said) from error


def _as_typed(setting: re.Match[str], called: Mapping[str, str]) -> str:
    name, value, key, inner = setting.groups()
    return f"{called[name]} {value or f'{key}={inner}'}" if name in called else setting[0]


def _collected(
    values: Mapping[str, Any], parameters: Mapping[str, Parameter], entry: Entry, table: str
) -> dict[str, Any]:
    """Turn options into parameters of the notebook: repeated ones into the list or mapping that they are."""
    given = {name: value for name, value in values.items() if value not in (None, ())}
    chosen: dict[str, Any] = {name: value for name, value in given.items() if name in parameters}
    reading = {name: given[name] for name in _READING if name in given}
    chosen |= {"table": table, "reading": reading}
    kinds = {name: parameters[name].kind for name in chosen if name in parameters}
    for name in [name for name in kinds if kinds[name] == "dict"]:
        # Split at commas, unless what stands before the value is a name.
        pairs: list[str] = []
        for text in chosen[name]:
            key = text.rpartition("=")[0]
            whole = split_names([key], name, entry, {"table": table, "reading": reading}) == [key]
            pairs += [text] if whole else text.split(",")
        chosen[name] = dict(_pair(pair, name) for pair in pairs)
    if "parse" in reading:
        reading["parse"] = split_names(reading["parse"], "parse", entry, {**chosen, "reading": reading})
    texts = {name: chosen[name] for name in kinds if kinds[name] == "list"}
    # The columns that tell systems apart come first: with them the names of systems are known.
    for name in sorted(texts, key=lambda name: name in ("new", "baseline")):
        chosen[name] = split_names(texts[name], name, entry, {**chosen, "reading": reading})
    return chosen if reading else {name: value for name, value in chosen.items() if name != "reading"}


def _pair(text: str, argument: str) -> tuple[str, Any]:
    key, _, value = text.rpartition("=")
    if not key:
        raise ValueError(f"`{argument}` is {text!r}; write COL=VALUE, e.g. co2_kg=0.5.")
    try:
        return key, float(value)
    except ValueError:
        return key, value


def _unavailable(name: str, error: Exception) -> click.Command:
    @click.command(name, help="Not available in this installation.")
    @refusing
    def command() -> None:
        raise error

    return command
