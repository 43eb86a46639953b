"""How every command runs its jobs: shared options, a bar or plain lines, interruption, exit codes."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Collection, Mapping, Sequence
from functools import wraps
from pathlib import Path
from typing import Any, NoReturn

import click

from copa_nb.cli.pulse import Pulse, duration
from copa_nb.reports.batch import run_batch
from copa_nb.reports.folder import INDEX, PAGE, FolderError, failed_notebook, read_manifest
from copa_nb.reports.jobs import Job
from copa_nb.reports.outcomes import (
    DONE,
    FAILED,
    UNCHANGED,
    Failure,
    Outcome,
    Progress,
    as_records,
    junit_of,
    refusal_text,
)
from copa_nb.reports.pdf import PdfUnavailableError, check_pdf

DEFAULT_OUT = "reports"
# That of a bug says nothing about reports or claims; that of a closed pipe is what shells give for SIGPIPE.
EXIT_FAILED, EXIT_REFUSED, EXIT_BUG, EXIT_INTERRUPTED, EXIT_PIPE = 1, 2, 70, 130, 141
_TRACEBACKS = "COPA_NB_TRACEBACK"
EXIT_CODES = """\b
Exit codes:
  0    every report was made or is up to date
  1    at least one report failed or has a table that cannot be used; the others were made
  2    invalid input (a name, value, file or folder); nothing ran
  70   an error in copa-nb itself
  130  interrupted; rerun the same command to resume
"""
_OPTIONS = (
    click.option(
        "--jobs", type=click.IntRange(min=1), metavar="N", help="Reports made at a time. [default: one per processor]"
    ),
    click.option(
        "--timeout", type=click.FloatRange(min=0, min_open=True), metavar="SECONDS", help="Time limit of each report."
    ),
    click.option("--force", is_flag=True, help="Make reports again even if nothing has changed."),
    click.option("--fail-fast", is_flag=True, help="Make nothing if a table cannot be used; stop when a report fails."),
    click.option("--junit", metavar="FILE", help="Write the outcomes as JUnit XML, for continuous integration."),
)


def output_options(**settings: Any) -> list[Callable[..., Any]]:
    """Return the options of everything that makes reports: where they are written, and what else is.

    Parameters
    ----------
    **settings
        Of every option.
    """
    return [
        click.option(
            "--out",
            metavar="DIR",
            help="Output folder; each report has a folder of its own below it, e.g. DIR/select/models for models.csv. "
            f"[default: {DEFAULT_OUT}]",
            **settings,
        ),
        click.option("--pdf", is_flag=True, help="Also write a PDF.", **settings),
        click.option("--json", "as_json", is_flag=True, help="Print the answers as JSON.", **settings),
    ]


def batch_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of the commands that make many reports."""
    for option in reversed([*output_options(), *_OPTIONS]):
        command = option(command)
    return command


def formats_of(*, pdf: bool) -> tuple[str, ...]:
    """Return the formats that a report is written in, besides its page."""
    return ("pdf",) if pdf else ()


def refusing(command: Callable[..., Any]) -> Callable[..., Any]:
    """Turn errors into one line: exit code 2 for what the user wrote; and let Ctrl-C interrupt from here on."""

    @wraps(command)
    def run(*args: Any, **kwargs: Any) -> Any:
        if signal.getsignal(signal.SIGINT) is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            return command(*args, **kwargs)
        except (click.ClickException, click.exceptions.Exit, click.Abort):
            raise
        except BrokenPipeError:  # the reader has ended, as `head` does; what is left must not fail at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(EXIT_PIPE)
        except (ValueError, TypeError, ImportError, FileNotFoundError, FolderError, PdfUnavailableError) as error:
            click.echo(f"copa-nb: {error}", err=True)
            sys.exit(EXIT_REFUSED)
        except OSError as error:
            place = f" ({error.filename})" if error.filename else ""
            click.echo(f"copa-nb: {error.strerror or error}{place}.", err=True)
            sys.exit(EXIT_REFUSED)
        except Exception as error:
            if os.environ.get(_TRACEBACKS):
                traceback.print_exc()
            what = " ".join(f"{type(error).__name__}: {error}".split())
            click.echo(
                f"copa-nb: {what}. This is a bug. Please report it with the command and its traceback "
                f"(set {_TRACEBACKS}=1).",
                err=True,
            )
            sys.exit(EXIT_BUG)
        except KeyboardInterrupt:
            click.echo("Interrupted before any report was started.", err=True)
            sys.exit(EXIT_INTERRUPTED)

    return run


def run_jobs(
    checked: Sequence[Job],
    *,
    out: str | None,
    jobs: int | None = None,
    force: bool = False,
    fail_fast: bool = False,
    as_json: bool = False,
    junit: str | None = None,
    refused: Mapping[str, Failure] | None = None,
) -> NoReturn:
    """Run checked jobs with the shared options, print the outcomes, and exit with the right code."""
    if refused and fail_fast:
        raise ValueError(refusal_text(refused, len(checked)))
    if any("pdf" in job.formats for job in checked):
        check_pdf()
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    folder = Path(out or DEFAULT_OUT)
    began = time.monotonic()
    try:
        with Display() as display:
            outcomes = run_batch(
                checked,
                folder,
                n_jobs=jobs,
                force=force,
                watch=display,
                refused=refused,
                fail_fast=fail_fast,
            )
    except KeyboardInterrupt:
        click.echo("Interrupted; rerun the same command to resume.", err=True)
        sys.exit(EXIT_INTERRUPTED)
    except FolderError:
        raise
    except OSError as error:  # every report is whole; the pages that list them are not
        click.echo(
            f"copa-nb: The index of {folder} could not be written: {error.strerror or error}. The finished reports are "
            "complete. Fix the problem and rerun the same command to resume.",
            err=True,
        )
        sys.exit(EXIT_FAILED)
    seconds = time.monotonic() - began
    records = as_records(outcomes, folder)
    write_records(records, as_json=as_json, junit=junit)
    # Standard output holds the JSON alone.
    for line in closing_lines(outcomes, folder, seconds, n_jobs=len(checked), refused=refused or ()):
        click.echo(line, err=as_json)
    sys.exit(EXIT_FAILED if any(outcome.status == FAILED for outcome in outcomes) else 0)


def write_records(records: Sequence[Mapping[str, Any]], *, as_json: bool, junit: str | None = None) -> None:
    """Print what came of every table as JSON, and write it as JUnit XML."""
    if junit:
        Path(junit).write_text(junit_of(records), encoding="utf-8")
    if as_json:
        click.echo(json.dumps({"reports": records}, indent=1))


def outcome_line(outcome: Outcome) -> str:
    """Return the outcome of a report in a line."""
    if outcome.status == FAILED:
        return f"FAILED     {outcome.name}: {outcome.failure}"
    seconds = "" if outcome.status == UNCHANGED else f" ({duration(outcome.seconds)})"
    return f"{outcome.status:<10} {outcome.name}{seconds}"


class Display:
    """Shows a batch on standard error, as a bar or as plain lines; use in a ``with`` statement.

    Parameters
    ----------
    terminal : bool, optional
        Whether to draw a bar; by default, whether standard error is a terminal.
    """

    def __init__(self, *, terminal: bool | None = None) -> None:
        self._terminal = sys.stderr.isatty() if terminal is None else terminal
        self._bar: Any = None
        self._last = Progress(0)
        self._pulse = Pulse(self._refresh, every=1.0) if self._terminal else Pulse(self._running)

    def __enter__(self) -> Display:
        self._pulse.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._pulse.__exit__(*error)
        if self._bar is not None:
            self._bar.close()

    def __call__(self, progress: Progress, outcome: Outcome | None) -> None:
        """Show an event of the batch."""
        self._last = progress
        if self._terminal:
            self._draw(progress, outcome)
        elif outcome is not None:
            click.echo(f"[{progress.finished}/{progress.total}] {outcome_line(outcome)}", err=True)

    def _refresh(self, seconds: float) -> None:
        if self._bar is not None:
            self._bar.refresh()

    def _running(self, seconds: float) -> None:
        shares = ", ".join(f"{name} at {share:.0%}" for name, share in self._last.running.items())
        if shares:
            done = f"[{self._last.finished}/{self._last.total}]"
            click.echo(f"{done} running    {shares} ({duration(seconds)} so far)", err=True)

    def _draw(self, progress: Progress, outcome: Outcome | None) -> None:
        from tqdm import tqdm

        if self._bar is None:
            shape = "{percentage:3.0f}% |{bar:24}| {elapsed} {desc}"
            self._bar = tqdm(total=progress.total, bar_format=shape, file=sys.stderr, leave=False)
        if outcome is not None and outcome.status != UNCHANGED:
            tqdm.write(outcome_line(outcome), file=sys.stderr)
        self._bar.n = min(progress.finished + sum(progress.running.values()), progress.total)
        running = f" · {', '.join(progress.running)}" if progress.running else ""
        self._bar.set_description_str(f"{progress.finished} of {progress.total}{running}")


def answer_lines(name: str, answer: Mapping[str, Any] | None, page: Path | None = None) -> list[str]:
    """Write the answer of a report for the terminal: its headline, its lines, and the path of its page.

    Examples
    --------
    >>> answer_lines("select/m", {"headline": "ViT-B", "lines": ["It is best."]}, Path("out/report.html"))
    ['select/m: ViT-B', '  It is best.', '  Page: out/report.html']
    """
    if answer is None:
        return []
    headline = f"{name}: {answer['headline']}" if name else str(answer["headline"])
    said = [*answer["lines"], *filter(None, [answer.get("certainty")]), *([f"Page: {page}"] if page else [])]
    lines = [headline, *(f"  {line}" for line in said)]
    # Labels may hold what a terminal would obey: line breaks, colors, directions of writing.
    return ["".join(character if character.isprintable() else " " for character in line) for line in lines]


def closing_lines(
    outcomes: Sequence[Outcome],
    out: Path,
    seconds: float,
    *,
    n_jobs: int | None = None,
    refused: Collection[str] = (),
) -> list[str]:
    """Sum up a batch: the answers, how many of each status, which failed, where to look."""
    answers = []
    for outcome in outcomes:
        if outcome.status != FAILED:
            answer = (read_manifest(out / outcome.name) or {}).get("answer")
            answers += answer_lines(outcome.name, answer, out / outcome.name / PAGE)
    counts = [(status, sum(o.status == status for o in outcomes)) for status in (DONE, UNCHANGED, FAILED)]
    n_jobs = len(outcomes) if n_jobs is None else n_jobs
    counts.append(("not finished", n_jobs - len(outcomes)))
    tally = ", ".join(f"{count} {status}" for status, count in counts if count)
    reports = "1 report" if n_jobs == 1 else f"{n_jobs} reports"
    lines = [*answers, f"{reports} in {duration(seconds)}: {tally}."]
    for outcome in outcomes:
        if outcome.status == FAILED:
            lines.append(f"  {outcome.name}: {outcome.failure}")
            partial = failed_notebook(out, outcome.name)
            if partial.is_file() and outcome.name not in refused:
                lines.append(f"    partial notebook: {partial}")
        lines += [f"  {outcome.name}: {note}" for note in outcome.notes]
    lines.append(f"Index of all reports: {out / INDEX}")
    return lines
