"""``copa_nb.report(...)``: one report, from a notebook or a program."""

from __future__ import annotations

import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from copa_nb.frames import to_pandas
from copa_nb.reports.batch import Progress, run_batch
from copa_nb.reports.catalogue import Entry, find
from copa_nb.reports.jobs import FAILED, Job, Outcome, make_job
from copa_nb.reports.own_tables import OWN_REPORTS, check_own_table, default_folder, frame_parameters, write_frame
from copa_nb.reports.pdf import check_pdf
from copa_nb.reports.store import PAGE, PRINT, Store, checked_folder, executed_notebook, failed_notebook, read_manifest
from copa_nb.text import attribute, escape


class ReportFailedError(RuntimeError):
    """A report stopped before its end; the message names the cell and the half-run notebook."""


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
        return self.folder / executed_notebook(read_manifest(self.folder) or {})

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
    name: str,
    *,
    out: Path | str = "reports",
    folder: str = "",
    formats: tuple[str, ...] = ("html",),
    timeout: float | None = None,
    force: bool = False,
    progress: bool = True,
    **parameters: Any,
) -> Report:
    """Make one report and say where it is.

    Parameters
    ----------
    name : str
        A name of ``copa-nb list``, in full or its last part, or ``"select"``, ``"gap"``,
        ``"significance"``, ``"posets"`` for your own tables.
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
    progress : bool
        Show a bar while it runs.
    **parameters
        Parameters of the notebook, see ``copa-nb list --parameters``. `table` may be a DataFrame: its objectives, if
        they were defined with ``df.moo.define``, and the labels of its rows are taken over.

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
    ValueError: `name` is 'selekt'; there is no such report. Did you mean 'select'? ...
    """
    from tqdm.auto import tqdm

    if "pdf" in formats:
        check_pdf()
    entry = find(OWN_REPORTS.get(name, name))
    table = to_pandas(parameters.get("table"))
    place = {"table": "frame"} if isinstance(table, pd.DataFrame) else parameters
    name = checked_folder(folder or default_folder(entry, place))
    settings: dict[str, Any] = {"name": name, "formats": formats, "timeout": timeout}
    if isinstance(table, pd.DataFrame):
        job = _job_on_frame(entry, table, parameters, Store(out), settings)
    else:
        job = make_job(entry, parameters, **settings)
        check_own_table(entry, job.parameters)
    shape = "{desc} |{bar}| {percentage:3.0f} % [{elapsed}]"
    with tqdm(total=1.0, desc=entry.title[:50], bar_format=shape, disable=not progress) as bar:

        def draw(state: Progress, outcome: Outcome | None) -> None:
            bar.n = 1.0 if outcome else max(state.running.values(), default=0.0)
            bar.refresh()

        (outcome,) = run_batch([job], out, n_jobs=1, force=force, watch=draw)
    made = Path(out) / job.name
    if outcome.status == FAILED:
        path = failed_notebook(made)
        half_run = f" As far as it got: {path}." if path else ""
        raise ReportFailedError(f"The report {entry.name!r} failed in {outcome.failure}.{half_run}")
    manifest = read_manifest(made) or {}
    return Report(manifest.get("title", entry.title), made, outcome.status)


def _job_on_frame(
    entry: Entry, table: pd.DataFrame, parameters: dict[str, Any], store: Store, settings: dict[str, Any]
) -> Job:
    """Check a report on a frame, then write the frame beside the reports, where the notebook reads it."""
    chosen = frame_parameters(entry, table, parameters)
    with tempfile.TemporaryDirectory() as folder:
        file = write_frame(table, Path(folder))
        job = make_job(entry, {**chosen, "table": str(file)}, **settings)
        check_own_table(entry, job.parameters)
        store.check_places([job])
        return replace(job, parameters={**job.parameters, "table": str(store.keep_table(file))})


def _address(path: Path) -> str:
    """Return a link that a notebook can follow: relative where the file lies below it."""
    try:
        return path.resolve().relative_to(Path.cwd()).as_posix()
    except ValueError:
        return path.resolve().as_uri()
