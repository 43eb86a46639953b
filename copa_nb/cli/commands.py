"""The commands of ``copa-nb``; those for the user's own tables follow from the analyses."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import click
import pandas as pd

from copa_nb.analyses.registry import check, commands
from copa_nb.checks import listed, nearest
from copa_nb.cli.describe import describe
from copa_nb.cli.old_lines import instead_of_command
from copa_nb.cli.own_tables import own_table_command
from copa_nb.cli.pulse import lines_while
from copa_nb.cli.running import DEFAULT_OUT, EXIT_CODES, batch_options, formats_of, refusing, run_jobs
from copa_nb.reports.batch_file import read_plan
from copa_nb.reports.catalog import catalog, find, paper_entries
from copa_nb.reports.export import LATEX_SAMPLE, export_for_latex, export_pages
from copa_nb.reports.jobs import make_job
from copa_nb.reports.parameters import parameters_of

_SHARED = """\b
Options for your own tables (copa-nb COMMAND --help lists the rest):
  --max, --min, --system, --item, --cluster, --repeat, --known, --standard-error, --nan-policy
                            what the columns of the table are
  -p KEY VALUE              rarer parameters
  --source NAME[:STUDY], --read KEY=VALUE
                            what the table is, and how its file is read; - is standard input
  --quick                   print the answer and write no report
\b
Options for all reports:
  --out DIR, --pdf, --json
"""


PAPERS = "papers"
EXIT_UNDECIDED = 3
CHECK_EXIT_CODES = """\b
Exit codes:
  0    every claim holds (with --undecided ok: none fails)
  1    at least one claim fails
  3    none fails, but at least one is undecided
  2    invalid input (a file, column, kind of claim or system); nothing is written
  70   an error in copa-nb itself
"""


class OwnTableCommands(click.Group):
    """Builds the commands for the user's own tables, only when they are needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands."""
        return sorted([*super().list_commands(ctx), *commands()])

    def resolve_command(self, ctx: click.Context, args: list[str]) -> Any:
        """Return the command, or suggest one with a similar name."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            instead = instead_of_command(args[0])
            said = instead or f"{error.message}{nearest(args[0], self.list_commands(ctx))}"
            raise click.UsageError(said, ctx) from error

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return one command."""
        if cmd_name not in commands():
            return super().get_command(ctx, cmd_name)
        try:
            return own_table_command(commands()[cmd_name])
        except (ValueError, FileNotFoundError) as error:
            return _unavailable(cmd_name, error)


@click.group(
    cls=OwnTableCommands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=f"{_SHARED}\n{EXIT_CODES}"
)
@click.version_option(package_name="copa_nb")
def main() -> None:
    """From a table of models and metrics to a defensible decision and a report: the methods of five papers."""


@main.command(epilog=EXIT_CODES)
@click.argument("names", nargs=-1, metavar="[NAME]... | papers | FILE.yaml")
@click.option(
    "-p",
    "--parameter",
    "parameters",
    multiple=True,
    nargs=2,
    metavar="KEY VALUE",
    help="Set a parameter; `copa-nb run --list NAME` lists them.",
)
@click.option("--list", "listing", is_flag=True, help="List all reports, or the parameters of the reports NAME.")
@batch_options
@refusing
def run(
    names: tuple[str, ...],
    parameters: tuple[tuple[str, str], ...],
    listing: bool,
    pdf: bool,
    timeout: float | None,
    **options: Any,
) -> None:
    """Make the reports NAME, every figure and table of the papers, or the reports that FILE.yaml describes.

    For example copa/figure_1, or figure_1 if that is unambiguous; `copa-nb run --list` lists all names. With papers, an
    index lists the reports, and a ledger compares the papers' claims with the results.

    All parameters and tables of FILE.yaml are checked first. Tables that cannot be used are listed, and the other
    reports are made.

    \b
    out: reports                  # overridden by --out
    format: pdf
    runs:
      # or gap, audit, posets, front, or any name of `copa-nb run --list`; a list makes a report of each value
      - {select: models.csv, objectives: {accuracy: max, co2_kg: min}, p: ["1", "2", "inf"]}
      - {board: "night/*.csv", objectives: {accuracy: max}, system: agent, item: task}
      - {select: bench.yaml}      # which describes its table
    """  # noqa: D301 (the mark that keeps lines is one character)
    if listing:
        _list_reports(names)
        return
    if not names:
        raise ValueError("No report is named; `copa-nb run --list` lists all reports.")
    settings: dict[str, Any] = {"formats": formats_of(pdf=pdf), "timeout": timeout}
    if any(map(_is_plan, names)):
        _run_plan(names, parameters, **settings, **options)
        return
    jobs = []
    for name in dict.fromkeys(names):
        for entry in paper_entries() if name == PAPERS else [find(name)]:
            jobs.append(make_job(entry, dict(parameters), **settings))
            check(entry.name, jobs[-1].parameters)
    run_jobs(jobs, **options)


def _is_plan(name: str) -> bool:
    return Path(name).suffix in (".yaml", ".yml")


def _run_plan(
    names: tuple[str, ...], parameters: tuple[tuple[str, str], ...], *, formats: tuple[str, ...],
    timeout: float | None, out: str | None, jobs: int | None, **options: Any,
) -> None:  # fmt: skip
    """Run the reports that a file describes."""
    if len(names) > 1:
        raise ValueError(f"{listed(names)} are given, but a YAML file is run by itself.")
    if parameters:
        raise ValueError(f"`-p` is given, but {names[0]} states the parameters of its reports; write them there.")
    with lines_while(f"copa-nb run: checking the tables of {names[0]!r}"):
        plan = read_plan(names[0])
    checked = [
        replace(job, formats=tuple(dict.fromkeys((*job.formats, *formats))), timeout=timeout or job.timeout)
        for job in plan.jobs
    ]
    run_jobs(checked, out=out or plan.out, jobs=jobs or plan.n_jobs, refused=plan.refused, **options)


def _list_reports(names: tuple[str, ...]) -> None:
    """Print a line for each report; with names, those reports and their parameters."""
    entries = [find(name) for name in names] or catalog()
    width = max((len(entry.name) for entry in entries), default=0)
    for entry in entries:
        click.echo(f"{entry.name:<{width}}  {entry.title}")
        for parameter in parameters_of(entry).values() if names else ():
            click.echo(f"    {parameter.name}: {parameter.kind} = {parameter.default!r}  {parameter.help}")


main.add_command(describe)


@main.command("check", epilog=CHECK_EXIT_CODES)
@click.argument("files", nargs=-1, required=True, metavar="CLAIMS.YAML...")
@click.option("--undecided", type=click.Choice(["fail", "ok"]), default="fail", help="What undecided claims count as.")
@click.option("--json", "json_path", metavar="FILE", help="Write the verdicts as JSON.")
@click.option("--junit", "junit_path", metavar="FILE", help="Write the verdicts as JUnit XML.")
@click.option("--markdown", "markdown_path", metavar="FILE", help="Write the verdicts as Markdown.")
@click.option("--page", metavar="FILE", help="Write the verdicts as an HTML page.")
@click.option("--since", metavar="FILE", help="JSON of an earlier check: say first what has changed, in Markdown.")
@refusing
def check_claims(files: tuple[str, ...], undecided: str, since: str | None, **paths: str | None) -> None:
    """Check the claims in CLAIMS.YAML: each holds, fails or is undecided.

    \b
    table: runs.csv
    objectives: {accuracy: max, cost_usd: min}
    system: agent
    item: task
    claims:
      - rank: medium
      - {rank: medium, at_most: 2, weights: {cost_usd: 0.5}}
      - {not_worse: [medium, large], margin: {accuracy: 0.02}, planned: true}
      - {where: cost_usd <= 1, of: medium}

    All kinds of claims: https://copa-nb.readthedocs.io, or help(copa_nb.check).
    """  # noqa: D301 (the mark that keeps lines is one character)
    from copa_nb.claims.check import check

    written = {name: path for name, path in paths.items() if path}
    if len(files) > 1 and (written or since):
        raise ValueError(
            f"{len(files)} files are given, but --json, --junit, --markdown, --page and --since are for one."
        )
    with lines_while(f"copa-nb check: working on {listed(files, 3)}"):
        found = [check(file) for file in files]
    for one in found:
        writers: dict[str, Callable[..., str]] = {
            "json_path": one.to_json, "junit_path": one.to_junit, "page": one.to_html,
            "markdown_path": partial(one.to_markdown, since=since),
        }  # fmt: skip
        if since and "markdown_path" not in written:
            click.echo(one.to_markdown(since=since).partition("\n| |")[0])
        for name, path in written.items():
            writers[name](path)
        for id, row in one.table.iterrows():
            settle = f" {row['settle']}." if row["settle"] else ""
            name = f"{id}: " if id != row["says"] else ""
            click.echo(f"{row['verdict']:<10} {name}{row['says']} ({row['found']}).{settle}")
        click.echo(one.explain().split(". ")[0] + ".")
    counts = pd.DataFrame([one.counts for one in found]).sum()
    sys.exit(1 if counts["fails"] else EXIT_UNDECIDED if counts["undecided"] and undecided == "fail" else 0)


@main.command()
@click.argument("target", metavar="DIR")
@click.option(
    "--from", "reports", default=DEFAULT_OUT, show_default=True, metavar="DIR", help="Folder with the reports."
)
@click.option("--paper", "papers_only", is_flag=True, help="Export only the reports of the papers.")
@click.option("--single-file", is_flag=True, help="Export each report as a single HTML file.")
@refusing
def export(target: str, reports: str, papers_only: bool, single_file: bool) -> None:
    """Collect finished reports in DIR.

    By default, their figures and tables for a LaTeX project; with --single-file, each as one HTML file.
    """
    if single_file:
        made = export_pages(reports, target, papers_only=papers_only)
    else:
        made = export_for_latex(reports, target, papers_only=papers_only)
    for name in made.failed:
        click.echo(f"Skipped {name}, because its last run failed. Fix the error and rerun it.", err=True)
    sample = "" if single_file else f"; {Path(target) / LATEX_SAMPLE} includes them all"
    click.echo(f"Wrote {len(made.written)} files to {target}{sample}.")


@main.group()
def data() -> None:
    """List, download and locate the public data."""


@data.command("list")
def data_list() -> None:
    """List all tables and where they are stored."""
    from copa_nb.datasets import list_data

    columns = ["name", "kind", "rows", "where", "license"]
    table = list_data().reset_index()[columns].astype(object)
    lines = [columns, *(["" if pd.isna(value) else str(value) for value in row] for row in table.to_numpy())]
    widths = [max(map(len, texts)) for texts in zip(*lines, strict=True)]
    for line in lines:
        click.echo("  ".join(f"{text:<{width}}" for text, width in zip(line, widths, strict=True)).rstrip())


@data.command("fetch")
@click.argument("names", nargs=-1, metavar="[NAME]...")
@refusing
def data_fetch(names: tuple[str, ...]) -> None:
    """Download the public files NAME... (default: all) to the cache."""
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
    """Print the path of the public file NAME; the exit code is 1 if it is not stored on this computer."""
    from copa_nb.datasets import path

    file = path(name)
    if file is None:
        click.echo(f"{name} is not stored on this computer; `copa-nb data fetch {name}` downloads it.", err=True)
        raise SystemExit(1)
    click.echo(str(file))


def _unavailable(name: str, error: Exception) -> click.Command:
    @click.command(name, help="Not available in this installation.")
    @refusing
    def command() -> None:
        raise error

    return command
