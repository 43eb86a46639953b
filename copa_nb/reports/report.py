"""``copa_nb.report(...)``: one report, from a notebook or a program."""

from __future__ import annotations

__all__ = ["report"]

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.analyses.base import Request
from copa_nb.analyses.registry import analyses, of_notebook, of_result
from copa_nb.analyses.tables import write_frame
from copa_nb.reports.batch import run_batch
from copa_nb.reports.catalog import find
from copa_nb.reports.folder import NOTEBOOK, PAGE, PRINT, failed_notebook, read_manifest
from copa_nb.reports.jobs import make_job
from copa_nb.reports.outcomes import FAILED, Outcome, Progress
from copa_nb.reports.pdf import check_pdf
from copa_nb.reports.places import checked_folder, default_folder, keep_table, refuse_foreign
from copa_nb.sources.files import read_table as read_table
from copa_nb.tables.frames import to_pandas
from copa_nb.text import attribute, escape


class ReportFailedError(RuntimeError):
    """A report failed; the message names the cell and the partial notebook."""


@dataclass(frozen=True)
class Report:
    """Where a report is.

    Parameters
    ----------
    title : str
        Its heading.
    folder : Path
        Its folder; ``page``, ``notebook``, ``figures`` and ``tables`` are in it.
    status : {"done", "unchanged"}
        Unchanged: it was there already, made of the same inputs.
    """

    title: str
    folder: Path
    status: str

    @property
    def page(self) -> Path:
        """The HTML page."""
        return self.folder / PAGE

    @property
    def notebook(self) -> Path:
        """The executed notebook."""
        return self.folder / NOTEBOOK

    @property
    def figures(self) -> tuple[Path, ...]:
        """The figures in all formats, and their numbers as CSV."""
        return tuple(sorted((self.folder / "figures").glob("*")))

    @property
    def tables(self) -> tuple[Path, ...]:
        """The tables as CSV and LaTeX."""
        return tuple(sorted((self.folder / "tables").glob("*")))

    def _repr_html_(self) -> str:
        links = [("Report", self.page), ("PDF", self.folder / PRINT), ("Notebook", self.notebook)]
        anchors = " · ".join(
            f'<a href="{attribute(_address(path))}" target="_blank">{label}</a>'
            for label, path in links
            if path.is_file()
        )
        return f"<p><strong>{escape(self.title)}</strong> ({escape(self.status)})<br>{anchors}</p>"


def report(
    name: Any,
    *,
    out: Path | str = "reports",
    folder: str = "",
    formats: tuple[str, ...] = ("html",),
    timeout: float | None = None,
    force: bool = False,
    progress: bool | Callable[[float], None] = True,
    **parameters: Any,
) -> Report:
    """Make one report and return where it is.

    Parameters
    ----------
    name : str or result
        A name of ``copa-nb run --list``, in full or its last part; for your own tables ``"select"``, ``"gap"``,
        ``"audit"``, ``"posets"``, ``"gsd_front"`` or ``"front"``; or the result of such an analysis.
    out : Path or str
        Output folder; its index is updated.
    folder : str
        Folder of the report in it; by default its name, or that of the table.
    formats : tuple of {"html", "pdf"}
        Pages to write.
    timeout : float, optional
        Seconds the notebook may take.
    force : bool
        Make it again even if nothing has changed.
    progress : bool or callable
        Show a bar while it runs; or call a function with the share that is done, which may raise an error to stop.
    **parameters
        Parameters of the notebook, see ``copa-nb run --list NAME``. `table` may be a DataFrame: it is kept next to
        the reports as Parquet, with its types and labels. Objectives that ``df.moo.define`` has set are taken over.

    Returns
    -------
    Report
        In a notebook, links to what was written.

    Raises
    ------
    ValueError, TypeError
        For unknown names and for values that do not fit, before anything runs.
    ReportFailedError
        If the notebook failed.

    Examples
    --------
    >>> import copa_nb
    >>> copa_nb.report("selekt", table="models.csv")
    Traceback (most recent call last):
    ValueError: `name` is 'selekt', but there is no such report. Did you mean 'select'? ...
    """
    from tqdm.auto import tqdm

    if "pdf" in formats:
        check_pdf()
    kind = of_result(name)
    if not isinstance(name, str) and kind is None:
        can = sorted(result.__name__ for one in analyses().values() for result in one.results)
        table = ' A table goes to `table`: copa_nb.report("select", table=..., objectives={"accuracy": "max"}).'
        raise TypeError(
            f"`name` is a {type(name).__name__}; it must be the name of a report or a result: {', '.join(can)}."
            f"{table if hasattr(name, 'columns') else ''}"
        )
    entry = find(name if kind is None else kind.notebook)
    kind = kind or of_notebook(entry.name)
    settings: dict[str, Any] = {"formats": formats, "timeout": timeout}
    if kind is None:
        job = make_job(entry, parameters, name=checked_folder(folder or entry.name), **settings)
    else:
        if "table" in parameters:
            parameters["table"] = to_pandas(parameters["table"])
        asked = kind.of(parameters) if isinstance(name, str) else kind.again_of(name, parameters)
        asked.check()
        place = checked_folder(folder or default_folder(entry, {"table": asked.place if asked.has_table else ""}))
        refuse_foreign([make_job(entry, name=place, **settings)], Path(out))
        job = make_job(entry, handed_over(asked, Path(out)), name=place, **settings)
    shape = "{desc} |{bar}| {percentage:3.0f}% [{elapsed}]"
    with tqdm(total=1.0, desc=entry.title[:50], bar_format=shape, disable=progress is not True) as bar:

        def draw(state: Progress, outcome: Outcome | None) -> None:
            bar.n = 1.0 if outcome else max(state.running.values(), default=0.0)
            bar.refresh()
            if callable(progress):
                progress(bar.n)

        (outcome,) = run_batch([job], out, n_jobs=1, force=force, watch=draw)
    made = Path(out) / job.name
    if outcome.status == FAILED:
        path = failed_notebook(Path(out), job.name)
        partial = f" The partial notebook is {path}." if path.is_file() else ""
        raise ReportFailedError(f"The report {entry.name!r} failed in {outcome.failure}.{partial}")
    manifest = read_manifest(made) or {}
    return Report(manifest.get("title", entry.title), made, outcome.status)


def handed_over(asked: Request, out: Path) -> dict[str, Any]:
    """Return the parameters of a notebook: those given; a frame becomes a file.

    Parameters
    ----------
    asked : Request
        What to run.
    out : Path
        The output folder; a frame is kept next to the reports, where the notebook reads it.
    """
    if not isinstance(asked.table, pd.DataFrame):
        return dict(asked.given)
    with tempfile.TemporaryDirectory() as folder:
        return {**asked.given, "table": str(keep_table(write_frame(asked.table, Path(folder)), out))}


def _address(path: Path) -> str:
    """Return a link that a notebook can follow: relative where the file lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.resolve().as_uri()
