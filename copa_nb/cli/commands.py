"""The commands of ``copa-nb``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pandas as pd

from copa_nb.cli.running import DEFAULT_OUT, EXIT_CODES, batch_options, job_settings, refusing, run_jobs
from copa_nb.cli.tables import LazyCommands
from copa_nb.reports.catalogue import catalogue, find, paper_entries
from copa_nb.reports.jobs import make_job
from copa_nb.reports.parameters import declared
from copa_nb.reports.plan import read_plan
from copa_nb.reports.publishing import SAMPLE, export_for_latex


@click.group(cls=LazyCommands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EXIT_CODES)
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
    "given",
    multiple=True,
    nargs=2,
    metavar="KEY VALUE",
    help="Set a parameter; `copa-nb list --parameters` shows them.",
)
@batch_options
@refusing
def run(names: tuple[str, ...], given: tuple[tuple[str, str], ...], **options: Any) -> None:
    """Make the reports NAME..., e.g. copa/figure_1, or figure_1 where that is unambiguous."""
    settings = job_settings(options["formats"], options["timeout"])
    jobs = [make_job(find(name), dict(given), **settings) for name in dict.fromkeys(names)]
    run_jobs(
        jobs,
        out=options["out"] or DEFAULT_OUT,
        n_jobs=options["jobs"],
        force=options["force"],
        scheduler=options["scheduler"],
    )


@main.command(epilog=EXIT_CODES)
@batch_options
@refusing
def paper(**options: Any) -> None:
    """Make every figure and table of the four papers, with an index and a ledger of their claims."""
    settings = job_settings(options["formats"], options["timeout"])
    jobs = [make_job(entry, **settings) for entry in paper_entries()]
    run_jobs(
        jobs,
        out=options["out"] or DEFAULT_OUT,
        n_jobs=options["jobs"],
        force=options["force"],
        scheduler=options["scheduler"],
    )


@main.command(epilog=EXIT_CODES)
@click.argument("runs", metavar="RUNS.YAML")
@batch_options
@refusing
def batch(runs: str, **options: Any) -> None:
    r"""Run a batch written in YAML: many tables, many parameter sets, checked before anything runs.

    \b
    out: reports                  # options of the command line win
    format: pdf
    runs:
      - report: select            # or gap, significance, posets, or any name of `copa-nb list`
        parameters: {table: models.csv, maximise: [accuracy], minimise: [co2_kg]}
        vary: {p: ["1", "2", "inf"]}
    """
    settings = job_settings(options["formats"], options["timeout"])
    plan = read_plan(runs)
    jobs = [
        replace(
            job,
            formats=tuple(dict.fromkeys((*job.formats, *settings["formats"]))),
            timeout=settings["timeout"] or job.timeout,
        )
        for job in plan.jobs
    ]
    out = options["out"] or plan.out or DEFAULT_OUT
    run_jobs(
        jobs, out=out, n_jobs=options["jobs"] or plan.n_jobs, force=options["force"], scheduler=options["scheduler"]
    )


@main.command()
@click.argument("target", metavar="DIR")
@click.option("--from", "reports", default=DEFAULT_OUT, show_default=True, metavar="DIR", help="Folder of the reports.")
@click.option("--paper", "papers_only", is_flag=True, help="Only reports of the papers, none of one's own tables.")
@refusing
def export(target: str, reports: str, papers_only: bool) -> None:
    """Gather figures and tables of finished reports in DIR for a LaTeX project."""
    written = export_for_latex(reports, target, papers_only=papers_only)
    click.echo(f"{len(written)} files in {target}; {Path(target) / SAMPLE} shows them all.")


@main.group()
def data() -> None:
    """Look at, fetch and find the public data."""


@data.command("list")
def data_list() -> None:
    """List all tables: what they are and where they are now."""
    from copa_nb.datasets import list_data

    table = list_data()
    columns = ["name", "kind", "rows", "where", "licence"]
    lines = [columns, *([_word(row[c]) for c in columns] for row in table.reset_index().to_dict("records"))]
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

    found: Path | None = path(name)
    if found is None:
        click.echo(f"{name} is not here; `copa-nb data fetch {name}` gets it.", err=True)
        raise SystemExit(1)
    click.echo(str(found))


def _word(value: object) -> str:
    return "" if pd.isna(value) else str(value)  # type: ignore[call-overload]
