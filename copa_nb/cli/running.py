"""How every command runs its jobs: options in common, exit codes, interruption."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Callable, Sequence
from functools import wraps
from pathlib import Path
from types import FrameType
from typing import Any, NoReturn

import click

from copa_nb.cli.progress import Display, closing_lines
from copa_nb.reports.batch import run_batch
from copa_nb.reports.jobs import FAILED, FORMATS, Job
from copa_nb.reports.pdf import PdfUnavailableError, check_pdf
from copa_nb.reports.store import FolderError

DEFAULT_OUT = "reports"
EXIT_FAILED, EXIT_REFUSED, EXIT_INTERRUPTED = 1, 2, 130
EXIT_CODES = """\b
Exit codes:
  0    everything asked for is there (made now, or unchanged)
  1    at least one report failed; the others are there
  2    refused before anything ran: a wrong name, type, file or folder
  130  interrupted; the same command again goes on where it stopped
"""


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options that all commands share which make reports."""
    for option in reversed(
        [
            click.option("--out", metavar="DIR", help=f"Output folder. [default: {DEFAULT_OUT}]"),
            click.option(
                "--jobs", type=click.IntRange(min=1), metavar="N", help="Processes; default: one per processor."
            ),
            click.option(
                "--format",
                "formats",
                multiple=True,
                type=click.Choice(FORMATS),
                help="Also print to PDF: --format pdf.",
            ),
            click.option(
                "--timeout",
                type=click.FloatRange(min=0, min_open=True),
                metavar="SECONDS",
                help="Time limit of each report.",
            ),
            click.option(
                "--scheduler",
                metavar="ADDRESS",
                help="Make the reports on a Dask cluster that sees the output folder, e.g. tcp://10.0.0.1:8786.",
            ),
            click.option("--force", is_flag=True, help="Make reports again whose inputs have not changed."),
        ]
    ):
        command = option(command)
    return command


def job_settings(formats: Sequence[str], timeout: float | None) -> dict[str, Any]:
    """Return what jobs take from the shared options; the page is always written."""
    return {"formats": tuple(dict.fromkeys(("html", *formats))), "timeout": timeout}


def refusing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors about what was asked for into one line and exit code 2."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        try:
            return command(*args, **kwargs)
        except (ValueError, TypeError, ImportError, FileNotFoundError, FolderError, PdfUnavailableError) as error:
            refuse(str(error))

    return run


def refuse(message: str) -> NoReturn:
    """Say what is wrong and leave before anything runs."""
    click.echo(f"copa-nb: {message}", err=True)
    sys.exit(EXIT_REFUSED)


def run_jobs(
    jobs: Sequence[Job], *, out: str, n_jobs: int | None, force: bool, scheduler: str | None = None
) -> NoReturn:
    """Run checked jobs, say what came of them, and leave with the right exit code."""
    if any("pdf" in job.formats for job in jobs):
        check_pdf()
    signal.signal(signal.SIGTERM, _interrupt)
    began = time.monotonic()
    try:
        with Display() as display:
            outcomes = run_batch(jobs, out, n_jobs=n_jobs, force=force, watch=display, scheduler=scheduler)
    except KeyboardInterrupt:
        click.echo("Interrupted; the same command again goes on where it stopped.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except FolderError:
        raise
    except OSError as error:  # every report is whole; the pages that list them are not
        click.echo(
            f"copa-nb: The index of {out} could not be written: {error.strerror or error}. Reports that are done are "
            "whole; once that is mended, the same command goes on from there.",
            err=True,
        )
        sys.exit(EXIT_FAILED)
    for line in closing_lines(outcomes, Path(out), time.monotonic() - began):
        click.echo(line)
    sys.exit(EXIT_FAILED if any(outcome.status == FAILED for outcome in outcomes) else 0)


def _interrupt(number: int, frame: FrameType | None) -> NoReturn:
    raise KeyboardInterrupt
