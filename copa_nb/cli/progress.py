"""What a batch looks like while it runs: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Any

import click

from copa_nb.reports.batch import Progress
from copa_nb.reports.jobs import DONE, FAILED, UNCHANGED, Outcome


def duration(seconds: float) -> str:
    """Write seconds as a reader would say them.

    Examples
    --------
    >>> duration(4.21), duration(48.3), duration(200), duration(7300)
    ('4.2 s', '48 s', '3 min 20 s', '2 h 1 min')
    """
    if seconds < 10:
        return f"{seconds:.1f} s"
    if seconds < 60:
        return f"{seconds:.0f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"


def outcome_line(outcome: Outcome) -> str:
    """Say in a line what came of a report."""
    if outcome.status == FAILED:
        return f"FAILED     {outcome.name}: {outcome.failure}"
    took = "" if outcome.status == UNCHANGED else f" ({duration(outcome.seconds)})"
    return f"{outcome.status:<10} {outcome.name}{took}"


class Display:
    """Shows a batch on standard error; to be used in a ``with`` statement.

    Parameters
    ----------
    terminal : bool, optional
        Whether to draw a bar; by default, whether standard error is a terminal.
    """

    def __init__(self, *, terminal: bool | None = None) -> None:
        self._terminal = sys.stderr.isatty() if terminal is None else terminal
        self._bar: Any = None

    def __enter__(self) -> Display:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, where: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def __call__(self, progress: Progress, outcome: Outcome | None) -> None:
        """Take an event of the batch."""
        if self._terminal:
            self._draw(progress, outcome)
        elif outcome is not None:
            left = ""
            if progress.finished < progress.total and progress.seconds_left and outcome.status != UNCHANGED:
                left = f", about {duration(progress.seconds_left)} left"
            click.echo(f"[{progress.finished}/{progress.total}] {outcome_line(outcome)}{left}", err=True)

    def _draw(self, progress: Progress, outcome: Outcome | None) -> None:
        from tqdm import tqdm

        if self._bar is None:
            shape = "{percentage:3.0f} % |{bar:24}| {desc}"
            self._bar = tqdm(total=progress.total, bar_format=shape, file=sys.stderr, leave=False)
        if outcome is not None and outcome.status != UNCHANGED:
            tqdm.write(outcome_line(outcome), file=sys.stderr)
        running = progress.running or {}
        left = f", about {duration(progress.seconds_left)} left" if progress.seconds_left else ""
        self._bar.n = min(progress.finished + sum(running.values()), progress.total)
        at_work = f" · {', '.join(running)}" if running else ""
        self._bar.set_description_str(f"{progress.finished} of {progress.total}{left}{at_work}")


def closing_lines(outcomes: Sequence[Outcome], out: Path, seconds: float) -> list[str]:
    """Sum a batch up: how many of each, where to look, which failed."""
    counts = [(status, sum(o.status == status for o in outcomes)) for status in (DONE, UNCHANGED, FAILED)]
    tally = ", ".join(f"{count} {status}" for status, count in counts if count)
    reports = "1 report" if len(outcomes) == 1 else f"{len(outcomes)} reports"
    lines = [f"{reports} in {duration(seconds)}: {tally}."]
    for outcome in outcomes:
        if outcome.status == FAILED:
            lines.append(f"  {outcome.name}: {outcome.failure}")
            half_run = out / outcome.name / "report.ipynb"
            if half_run.is_file():
                lines.append(f"    as far as it got: {half_run}")
    lines.append(f"Read on: {out / 'index.html'}")
    return lines
