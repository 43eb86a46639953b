"""``copa-nb select | gap | significance | posets``: commands whose options are the notebook's parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import click

from copa_nb.cli.running import DEFAULT_OUT, EXIT_CODES, batch_options, job_settings, refusing, run_jobs
from copa_nb.reports.catalogue import Entry, find, plain
from copa_nb.reports.jobs import Job, make_job
from copa_nb.reports.own_columns import check_own_table
from copa_nb.reports.parameters import Parameter, declared
from copa_nb.reports.plan import OWN_REPORTS, own_name

_SHORT = {"maximise": "--max", "minimise": "--min", "weights": "--weight"}
_METAVAR = {"list": "COL", "dict": "COL=VALUE", "int": "N", "float": "X", "str": "TEXT"}


class LazyCommands(click.Group):
    """Builds the commands for tables of one's own from their notebooks, when they are asked for."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *OWN_REPORTS])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name in OWN_REPORTS:
            try:
                return _table_command(cmd_name, find(OWN_REPORTS[cmd_name]))
            except (ValueError, FileNotFoundError) as error:
                return _unavailable(cmd_name, str(error))
        return super().get_command(ctx, cmd_name)


def table_jobs(
    report: str, entry: Entry, tables: tuple[str, ...], given: Mapping[str, Any], *, name: str = "", **settings: Any
) -> list[Job]:
    """Check tables and parameters, and make one job for each table.

    Parameters
    ----------
    report : str
        The command.
    entry : Entry
        Its notebook.
    tables : tuple of str
        Paths.
    given : mapping
        Parameters other than ``table``.
    name : str
        Folder of the report, for a single table.
    **settings
        As for :func:`~copa_nb.reports.jobs.make_job`.

    Returns
    -------
    list of Job

    Raises
    ------
    ValueError, TypeError, FileNotFoundError
        For whatever can be seen to be wrong before running.
    """
    if name and len(tables) > 1:
        raise ValueError(f"`name` is {name!r}, but there are {len(tables)} tables; each report needs its own folder.")
    jobs = []
    for table in tables:
        job = make_job(entry, {**given, "table": table}, **settings)
        check_own_table(entry, job.parameters)
        folder = own_name(report, job.parameters, name)
        jobs.append(Job(folder, job.notebook, job.parameters, job.cwd, job.formats, job.timeout))
    return jobs


def _table_command(report: str, entry: Entry) -> click.Command:
    known = {name: parameter for name, parameter in declared(entry.path).items() if name != "table"}

    @refusing
    def make(tables: tuple[str, ...], name: str, **options: Any) -> None:
        settings = job_settings(options["formats"], options["timeout"])
        given = {key: _gathered(options[key], known[key]) for key in known if options[key] not in (None, ())}
        jobs = table_jobs(report, entry, tables, given, name=name, **settings)
        run_jobs(
            jobs,
            out=options["out"] or DEFAULT_OUT,
            n_jobs=options["jobs"],
            force=options["force"],
            scheduler=options["scheduler"],
        )

    command: Callable[..., Any] = batch_options(make)
    command = click.option(
        "--name", default="", metavar="DIR", help="Folder of the report; default: the table's name."
    )(command)
    for parameter in reversed(known.values()):
        command = _option(parameter)(command)
    command = click.argument("tables", nargs=-1, required=True, metavar="TABLE...")(command)
    help_text = f"{plain(entry.sentence)}\n\nTABLE is a CSV, Parquet or JSON lines file."
    return click.command(report, help=help_text, epilog=EXIT_CODES)(command)


def _option(parameter: Parameter) -> Callable[..., Any]:
    flag = _SHORT.get(parameter.name, "--" + parameter.name.replace("_", "-"))
    text = (
        f"{parameter.help} [default: {parameter.default}]" if parameter.default not in ("", [], {}) else parameter.help
    )
    if parameter.kind == "bool":
        return click.option(f"{flag}/--no-{flag[2:]}", parameter.name, default=None, help=text)
    several = parameter.kind in ("list", "dict")
    return click.option(flag, parameter.name, multiple=several, metavar=_METAVAR[parameter.kind], help=text)


def _gathered(value: Any, parameter: Parameter) -> Any:
    """Turn repeated options into the list or mapping that the parameter is."""
    if parameter.kind == "list":
        return [part for text in value for part in (text.split(",") if "," in text else [text])]
    if parameter.kind == "dict":
        return dict(_pair(text, parameter.name) for text in value)
    return value


def _pair(text: str, argument: str) -> tuple[str, Any]:
    key, equals, value = text.rpartition("=")
    if not equals or not key:
        raise ValueError(f"`{argument}` is {text!r}; write COL=VALUE, e.g. co2_kg=0.5.")
    try:
        return key, float(value)
    except ValueError:
        return key, value


def _unavailable(name: str, reason: str) -> click.Command:
    @click.command(name, help="Not available in this installation.")
    @refusing
    def command() -> None:
        raise ValueError(reason)

    return command
