"""``copa_nb.panel()``: from a table to a decision and a report by controls alone."""

from __future__ import annotations

__all__ = ["Panel", "panel"]

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

import ipywidgets
import traitlets

from copa_nb import checks
from copa_nb.analyses.registry import analyses
from copa_nb.checks import written_as
from copa_nb.control_panel import questions
from copa_nb.control_panel.answers import TABS, Shown, allowed, beyond_limits
from copa_nb.control_panel.form import Form
from copa_nb.control_panel.place import Place, link
from copa_nb.control_panel.settings import Settings
from copa_nb.control_panel.table import DECIMAL, ENCODING, ROLES, Source
from copa_nb.control_panel.uploads import Uploads, is_served
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.constants import as_style
from copa_nb.explorers.twin import HasTwin, hiding, new_twin
from copa_nb.explorers.widget import RowExplorer
from copa_nb.reports.report import ReportFailedError, report
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import ATTRS_KEY, ObjectivesLike, resolve_objectives
from copa_nb.text import escape, spoken

_VIEW = files("copa_nb.control_panel") / "view"
_STYLE = (
    f"<style>{as_style('.copa-control-panel', 'body[data-jp-theme-light=false] .copa-control-panel')}"
    f"{(_VIEW / 'style.css').read_text(encoding='utf-8')}</style>"
)
_BEGIN = "<p>Drop a table, and say what is good. The answer comes here.</p>"
_TO_OPEN = "The panel opens here when the notebook runs, to get from a table to a decision and a report without code."
_SAVED = "The answer of the panel as it was saved. Run the notebook to change the table, columns, limits and weights."
_NOT_HERE = (
    "marimo does not support ipywidgets, of which the panel consists. Open it in JupyterLab, Notebook or Voila; "
    "<code>df.moo.explore()</code>, the explorer of its first tab, works here."
)
_SAVE, _CANCEL = "Save the report", "Cancel"


class _StoppedError(Exception):
    """The report is not wanted any more."""


@shared_parameters
def panel(frame: Any = None, *, objectives: ObjectivesLike = None, served: bool | None = None) -> Panel:
    """Open a panel: from a table to a decision and a report without typing code.

    Drop a file; say for each column whether more or less of it is better, or
    what else it is: the name of what is compared, an item, a repeat, a cluster, a standard error. What the names of
    columns suggest is offered. Where something is open, such as what a missing value is worth, the panel asks.

    Each tab answers a question that the table allows: which row to choose, how sure that is, which of two is better, a
    board with ties, and what is left of a validation front on test data. Weights and limits are set once and hold in
    all tabs, and a row that is picked in one explorer is picked in all. What is on the screen can be saved as a report
    or an offline page, and is shown as lines of Python, of the shell and of a batch file that give the same.

    Parameters
    ----------
    frame : DataFrame, or a table of polars, pyarrow or duckdb, optional
        The table. Without one, the panel begins with a file.
    %(objectives)s
    served : bool, optional
        Whether visitors use the panel: they read no files of this machine but those that they hand in, of bounded
        size, and these and their reports are removed with the page. By default whether Voila runs it.

    Returns
    -------
    Panel
        A widget of ipywidgets: ``settings`` (what the controls say), ``sentences`` (the answer of the open tab),
        ``python``, ``shell`` and ``yaml`` (the same in code).

    Raises
    ------
    TypeError
        If `frame` is not a table.
    ValueError
        For objectives that the table does not have.

    See Also
    --------
    copa_nb.accessor.Moo.explore : The explorer of the first tab alone.
    copa_nb.report : The report that the panel writes.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame({"accuracy": [0.9, 0.8, 0.7], "co2_kg": [3.0, 1.0, 2.0]}, index=list("abc"))
    >>> opened = copa_nb.panel(models, objectives={"accuracy": "max", "co2_kg": "min"})
    >>> opened.sentences[0]
    'Choose b: best in CO₂. accuracy: 0.8 (2nd of 3); CO₂: 1 kg (1st)...'
    >>> opened.close()
    """
    served = is_served() if served is None else served
    if frame is None:
        return Panel(served=served)
    table = checks.frame(to_pandas(frame))
    stated: Mapping[Any, str] = {}
    if objectives is not None or table.attrs.get(ATTRS_KEY, {}).get("objectives"):
        stated = resolve_objectives(table, objectives).to_dict()
    return Panel(Source("table", frame=table), stated, served=served)


class Panel(HasTwin, ipywidgets.VBox):
    """The panel; see :func:`panel`.

    A notebook without a kernel (on GitHub, exported by nbconvert) shows the answer of the open tab instead, in words
    and pictures, with a sentence that says so.

    Attributes
    ----------
    settings : Settings
        What the controls say; assign others to move the controls.
    sentences : tuple of str
        The answer of the open tab.
    """

    settings = traitlets.Instance(Settings)
    sentences = traitlets.Tuple()

    def __init__(
        self, source: Source | None = None, directions: Mapping[Any, str] | None = None, *, served: bool = False
    ) -> None:
        self._uploads = Uploads(served)
        self._shown: dict[str, tuple[Settings, Shown]] = {}
        self._follows = True  # explorers that move
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._closed = False
        super().__init__(settings=Settings())
        self.add_class("copa-control-panel")
        self._style = ipywidgets.HTML(_STYLE)
        self._form = Form(self._change, self._received)
        self._begin = Place(_BEGIN)
        self._places = {name: Place(above=[self._form.pair] if name == "two" else ()) for name in TABS}
        self._tabs = ipywidgets.Tab()
        self._tabs.observe(lambda _: self._refresh(), names="selected_index")
        self._open: list[str] = []
        answer = ipywidgets.VBox([*self._make_keeping(), self._begin.box, self._tabs])
        answer.add_class("copa-answer")
        both = ipywidgets.VBox([self._form.box, answer])
        both.add_class("copa-both")
        self.children = [self._style, both]
        self.observe(lambda _: self._refresh(), names="settings")
        if source is None:
            self._refresh()
        else:
            self._use(source, directions or {})

    def _make_keeping(self) -> list[Any]:
        """Make what keeps the answer: as a report, a page, or code."""
        self._save = _button(_SAVE, self._save_or_cancel)
        self._save.add_class("copa-main")
        self._page = _button("Offline page", self._make_page)
        self._code = ipywidgets.ToggleButton(description="The same in code")
        self._code.observe(lambda _: self._show_code(), names="value")
        self._progress = ipywidgets.FloatProgress(value=0.0, max=1.0)
        self._outcome, self._lines = ipywidgets.HTML(), ipywidgets.HTML()
        self._keeping = ipywidgets.HBox([self._save, self._page, self._code, self._progress])
        self._keeping.add_class("copa-keeping")
        return [self._keeping, self._outcome, self._lines]

    # --------------------------------------------------------------------------------------------------------- table

    def _use(self, source: Source, directions: Mapping[Any, str]) -> None:
        """Open a table, with objectives in the place of those that it states itself."""
        named = {str(name): way for name, way in directions.items()}
        said = {name: use for name, use in source.described().items() if not (named and use in ("max", "min"))}
        uses = {**said, **named}
        columns = source.table().columns if uses else {}
        self.settings = Settings(source=source, uses={name: uses[name] for name in columns if name in uses})

    def _received(self, name: str, content: bytes, first: bool, last: bool) -> None:
        """Take a part of a file."""
        with self._refusing(self._say):
            if path := self._uploads.receive(name, content, first=first, last=last):
                self._use(Source(path.name, path=str(path)), {})

    # ---------------------------------------------------------------------------------------- from settings to answers

    def _change(self, make: Callable[[Settings], Settings]) -> None:
        """Take over what a control says; what is wrong with it is said where the answer was."""
        with self._refusing(self._refuse):
            changed = make(self.settings)
            if changed == self.settings:
                self._refresh()  # after a mistake that is mended
            self.settings = changed

    def _refresh(self) -> None:
        """Show what the settings ask for: a question, or the answer of the open tab."""
        self.add_class("copa-busy")
        self.sentences = ()
        if self._thread is None or not self._thread.is_alive():
            self._outcome.value = ""  # which is about another answer
        now, names, table = self.settings, [], None
        self._begin.show_words(_BEGIN)
        if now.source is not None:
            with self._refusing(self._begin.show_error):
                question = questions.of_file(now)
                table = now.table if question is None else None
                question = question or questions.of_columns(now)
                if question is None:
                    names = allowed(now)
                else:
                    self._begin.show_question(question, self._answered)
        self._offer(names)
        self._form.show(now, table, follows=self._tab == "choose")
        if name := self._tab:
            with self._refusing(self._refuse):
                self._answer(name)
        self._keeping.layout.display = "" if self.sentences else "none"
        asks = now.source is not None and not self.sentences
        (self.add_class if asks else self.remove_class)("copa-asks")
        self._show_code()
        self.remove_class("copa-busy")
        self._twin_soon()

    def _offer(self, names: list[str]) -> None:
        """Offer these tabs; the open one stays open."""
        self._begin.box.layout.display = "none" if names else ""
        self._tabs.layout.display = "" if names else "none"
        if names == self._open:
            return
        opened = self._tab
        with self._tabs.hold_trait_notifications():
            self._open = names
            self._tabs.children = [self._places[name].box for name in names]
            self._tabs.titles = [TABS[name].title for name in names]
            self._tabs.selected_index = (names.index(opened) if opened in names else 0) if names else None

    @property
    def _tab(self) -> str:
        """The name of the open tab."""
        place = self._tabs.selected_index
        return self._open[place] if place is not None and place < len(self._open) else ""

    def _answer(self, name: str) -> None:
        """Show the answer of a tab, or what has to be said before."""
        now, place = self.settings, self._places[name]
        analysis = TABS[name].analysis(now)
        if question := questions.of_rows(now, analysis):
            place.show_question(question, self._answered)
            return
        shown = self._once(name, analysis)
        self.sentences = shown.sentences
        place.show(shown, note=beyond_limits(now, analysis))

    def _answered(self, settings: Settings) -> None:
        self._change(lambda _: settings)

    def _once(self, name: str, analysis: str) -> Shown:
        """Answer once for the same settings; an explorer of the same table moves instead of being made anew."""
        now = self.settings
        before, shown = self._shown.get(name, (now, None))
        opened = None if shown is None else shown.explorer
        if opened is not None and _of_table(before, name) != _of_table(now, name):
            opened.close()
            self._shown.pop(name)  # what comes may be refused
            shown = opened = None
        with self._moving():
            if shown is None or before != (replace(now, picked=before.picked) if opened else now):
                shown = TABS[name].show(now, now.asked(analysis), opened)
                if shown.explorer not in (None, opened):
                    shown.explorer.observe(lambda moved: self._explorer_moved(moved["owner"]), names="state")
            if shown.explorer is not None:
                shown.explorer.pick(now.picked)
        self._shown[name] = now, shown
        return shown

    @contextmanager
    def _moving(self) -> Iterator[None]:
        """Move explorers without following them."""
        before, self._follows = self._follows, False
        try:
            yield
        finally:
            self._follows = before

    def _explorer_moved(self, explorer: RowExplorer) -> None:
        if self._follows:
            self._change(lambda now: now.moved(explorer))

    @contextmanager
    def _refusing(self, say: Callable[[str], None]) -> Iterator[None]:
        """Say what is wrong with what a user asked for, in place."""
        try:
            with written_as(_titles()):
                yield
        except (ValueError, TypeError, OSError) as error:
            say(self._uploads.without_folder(str(error)))

    def _refuse(self, message: str) -> None:
        """Say in the place of the answer why there is none."""
        self.sentences = ()
        self._places.get(self._tab, self._begin).show_error(message)
        self._twin_soon()

    def _say(self, message: str) -> None:
        """Say beside the answer what is wrong with something else."""
        self._outcome.value = f"<p role='alert' class='copa-error'>{escape(message)}</p>"

    # ------------------------------------------------------------------------------------------------- to be kept

    @property
    def analysis(self) -> str:
        """The analysis of the open tab; nothing before there is one."""
        return TABS[self._tab].analysis(self.settings) if self._tab else ""

    @property
    def python(self) -> str:
        """Lines of Python that give what is on the screen."""
        kept = self._shown.get(self._tab)
        return self.settings.python(self.analysis, kept[1].calls) if self.sentences and kept else ""

    @property
    def shell(self) -> str:
        """The line of the shell that writes the report."""
        return self.settings.shell(self.analysis) if self.sentences else ""

    @property
    def yaml(self) -> str:
        """A batch file that writes the report."""
        return self.settings.yaml(self.analysis) if self.sentences else ""

    def _show_code(self) -> None:
        if not (self._code.value and self.sentences):
            self._lines.value = ""
            return
        written = {"Python": self.python, "Shell": self.shell, "YAML": self.yaml}
        self._lines.value = "".join(f"<h3>{title}</h3><pre>{escape(lines)}</pre>" for title, lines in written.items())

    def _make_page(self) -> None:
        with self._refusing(self._say):
            page = self._shown[self._tab][1].page()
            self._outcome.value = link(page, f"{self.analysis}.html", "text/html", "Save the offline page")

    def _save_or_cancel(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            self._stop.set()
            return
        with self._refusing(self._say):
            self._begin_report()

    def _begin_report(self) -> None:
        name, now = self.analysis, self.settings
        asked = now.asked(name)
        asked.check()
        self._stop.clear()
        self._save.description = _CANCEL
        self._progress.add_class("copa-runs")
        self._outcome.value = "<p role='status'>Writing the report …</p>"
        folder = self._uploads.folder / "reports" if self._uploads.served else Path("reports")
        given = {"table": asked.table, **now.parameters(name)}
        self._thread = threading.Thread(target=self._write_report, args=(name, folder, given), daemon=True)
        self._thread.start()

    def _write_report(self, name: str, folder: Path, given: dict[str, Any]) -> None:
        try:
            made = report(name, out=folder, progress=self._report_moved, **given)
        except _StoppedError:
            self._outcome.value = "<p role='status'>The report was cancelled; nothing was kept of it.</p>"
        except (ValueError, TypeError, OSError, ReportFailedError) as error:
            self._say(self._uploads.without_folder(str(error)))
        else:
            page = made.page.read_text(encoding="utf-8")
            saved = link(page, f"{made.page.parent.name}.html", "text/html", "Save it as a file")
            where = "ready" if self._uploads.served else f"at {escape(str(made.page))}"
            self._outcome.value = f"<p role='status'>The report is {where}.</p>{saved}"
        finally:
            self._save.description = _SAVE
            self._progress.remove_class("copa-runs")
            self._progress.value = 0.0

    def _report_moved(self, share: float) -> None:
        if self._stop.is_set():
            raise _StoppedError
        self._progress.value = share

    # ------------------------------------------------------------------------------------------------ without a kernel

    def to_saved(self) -> str:
        """Write the answer of the open tab as one HTML fragment: what a saved notebook shows without a kernel.

        Returns
        -------
        str

        Examples
        --------
        >>> import copa_nb
        >>> opened = copa_nb.panel()
        >>> print(opened.to_saved())
        <p><em>The panel opens here when the notebook runs, ...
        >>> opened.close()
        """
        return f"<p><em>{_TO_OPEN if self.settings.source is None else _SAVED}</em></p>{self._answer_saved()}"

    def _answer_saved(self) -> str:
        source = self.settings.source
        if source is None:
            return ""
        title = f"<h2>{TABS[self._tab].title}</h2>" if self._tab else ""
        code = f"<details><summary>The same in Python</summary><pre>{escape(self.python)}</pre></details>"
        return (
            f"{title}<p>{escape(': '.join(filter(None, [source.name, self.settings.where])))}</p>"
            f"{self._places.get(self._tab, self._begin).to_saved()}{code if self.sentences else ''}"
        )

    def _mime_(self) -> tuple[str, str]:
        """What marimo shows, which has no ipywidgets."""
        return "text/html", f"<p><em>{_NOT_HERE}</em></p>{self._answer_saved()}"

    def _ipython_display_(self) -> None:
        self.twin = new_twin((self.settings.source and self.settings.source.name, self.sentences))
        self._style.value = _STYLE + hiding(self.twin)
        super()._ipython_display_()

    def close(self) -> None:
        """Close the panel and its explorers, and remove what was handed in."""
        self._end_twin()
        for _, shown in self._shown.values():
            if shown.explorer is not None:
                shown.explorer.close()
        self._uploads.remove()
        super().close()

    def __repr__(self) -> str:
        source = self.settings.source
        return f"<Panel of {'no table' if source is None else source.name}>"


def _of_table(now: Settings, name: str) -> Settings:
    """Return what an explorer cannot follow: of a choice, all but the position of its controls."""
    moves = {"weights", "p", "normalize"} if name == "choose" else set()
    options = {option: value for option, value in now.options.items() if option not in moves}
    return replace(now, picked=(), options=options, limits={} if name == "choose" else now.limits)


@cache
def _titles() -> dict[str, str]:
    """Name the arguments of analyses in errors as the form calls them."""
    own = {name: spoken(name) for kind in analyses().values() for name in kind.parameters()}
    roles = {role: f"the {title}" for role, title in ROLES.items()}
    columns = {"objectives": "↑ more or ↓ less is better", "where": "limits", "parse": "Columns"}
    return own | roles | columns | {"decimal": DECIMAL, "encoding": ENCODING}


def _button(title: str, act: Callable[[], None]) -> Any:
    button = ipywidgets.Button(description=title)
    button.on_click(lambda _: act())
    return button
