"""``copa_nb.panel()``: from a table to a decision and a report by controls alone."""

from __future__ import annotations

__all__ = ["Panel", "panel"]

import threading
from collections.abc import Callable, Iterator
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
from copa_nb.analyses.tables import with_text_names
from copa_nb.checks import written_as
from copa_nb.control_panel import questions
from copa_nb.control_panel.answers import TABS, Shown, allowed
from copa_nb.control_panel.form import Form
from copa_nb.control_panel.place import Place, link
from copa_nb.control_panel.settings import Settings
from copa_nb.control_panel.table import ROLES, Source
from copa_nb.control_panel.uploads import Uploads, is_served
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.constants import as_style
from copa_nb.explorers.twin import HasTwin, hiding, new_twin
from copa_nb.reports.report import ReportFailedError, report
from copa_nb.tables.description import define
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import ObjectivesLike, resolve_objectives
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


@shared_parameters
def panel(frame: Any = None, *, objectives: ObjectivesLike = None, served: bool | None = None) -> Panel:
    """Open a panel: from a table to a decision and a report without typing code.

    Drop a file; say for each column whether more or less of it is better, or
    what else it is: the name of what is compared, an item, a repeat, a cluster, a standard error. What the names of
    columns suggest is offered. Where something is open, such as what a missing value is worth, the panel asks.

    Each tab answers a question that the table allows: which row to choose, how sure that is, which of two is better, a
    board with ties, and what is left of a validation front on test data. Weights and limits are set once and hold in
    all tabs. What is on the screen can be saved as a report or an offline page, and is shown as lines of Python, of the
    shell and of a batch file that give the same.

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
        A widget of ipywidgets: ``settings`` (what the controls say), ``sentences`` (the answer of the open tab), and
        ``code`` (the same in Python, on the shell, and as a batch file).

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
    if objectives is not None:
        ways = {str(name): way for name, way in resolve_objectives(table, objectives).to_dict().items()}
        table = define(with_text_names(table), ways)
    return Panel(Source("table", frame=table), served=served)


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

    def __init__(self, source: Source | None = None, *, served: bool = False) -> None:
        self._uploads = Uploads(served)
        self._shown: dict[str, tuple[Settings, Shown]] = {}
        self._thread: threading.Thread | None = None
        self._closed = False
        super().__init__(settings=Settings())
        self.add_class("copa-control-panel")
        self._style = ipywidgets.HTML(_STYLE)
        self._form = Form(self._change, self._received)
        self._begin = Place(_BEGIN)
        self._places = {name: Place() for name in TABS}
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
            self._use(source)

    def _make_keeping(self) -> list[Any]:
        """Make what keeps the answer: as a report, a page, or code."""
        self._save = _button("Save the report", self._begin_report)
        self._save.add_class("copa-main")
        self._code = ipywidgets.ToggleButton(description="The same in code")
        self._code.observe(lambda _: self._show_code(), names="value")
        self._outcome, self._lines = ipywidgets.HTML(), ipywidgets.HTML()
        self._keeping = ipywidgets.HBox([self._save, _button("Offline page", self._make_page), self._code])
        self._keeping.add_class("copa-keeping")
        return [self._keeping, self._outcome, self._lines]

    def _use(self, source: Source) -> None:
        self.settings = Settings(source=source, uses=source.uses)

    def _received(self, name: str, content: bytes, first: bool, last: bool) -> None:
        """Take a part of a file."""
        with self._refusing(self._say):
            if path := self._uploads.receive(name, content, first=first, last=last):
                self._use(Source(path.name, path=str(path)))

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
                table = now.table
                if question := questions.of_columns(now):
                    self._begin.show_question(question, self._change)
                else:
                    names = allowed(now)
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
            place.show_question(question, self._change)
            return
        shown = self._once(name, analysis)
        self.sentences = shown.sentences
        place.show(shown)

    def _once(self, name: str, analysis: str) -> Shown:
        """Answer once for the same settings; an explorer of the same table moves instead of being made anew."""
        now = self.settings
        before, shown = self._shown.get(name, (now, None))
        opened = None if shown is None else shown.explorer
        picked = () if opened is None else opened.picked
        if opened is not None and _of_table(before, name) != _of_table(now, name):
            opened.close()
            self._shown.pop(name)  # what comes may be refused
            shown = opened = None
        if shown is None or before != now:
            shown = TABS[name].answer(now, opened)
            if shown.explorer not in (None, opened):
                shown.explorer.pick(picked)
        self._shown[name] = now, shown
        return shown

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

    @property
    def analysis(self) -> str:
        """The analysis of the open tab; nothing before there is one."""
        return TABS[self._tab].analysis(self.settings) if self._tab else ""

    @property
    def code(self) -> dict[str, str]:
        """Lines of Python that give what is on the screen, and a line of the shell and a batch file for its report."""
        if not self.sentences:
            return {}
        now, name = self.settings, self.analysis
        python = now.python(name, self._shown[self._tab][1].calls)
        return {"Python": python, "Shell": now.shell(name), "YAML": now.yaml(name)}

    def _show_code(self) -> None:
        written = self.code if self._code.value else {}
        self._lines.value = "".join(f"<h3>{title}</h3><pre>{escape(lines)}</pre>" for title, lines in written.items())

    def _make_page(self) -> None:
        """Make an offline page of the open tab."""
        with self._refusing(self._say):
            shown = self._shown[self._tab][1]
            page = shown.results[0].to_html() if shown.explorer is None else shown.explorer.to_page()
            self._outcome.value = link(page, f"{self.analysis}.html", "text/html", "Save the offline page")

    def _begin_report(self) -> None:
        name, now = self.analysis, self.settings
        with self._refusing(self._say):
            asked = now.asked(name)
            asked.check()
            self._save.disabled = True
            self._report_moved(0.0)
            folder = self._uploads.folder / "reports" if self._uploads.served else Path("reports")
            given = {"table": asked.table, **now.parameters(name)}
            self._thread = threading.Thread(target=self._write_report, args=(name, folder, given), daemon=True)
            self._thread.start()

    def _write_report(self, name: str, folder: Path, given: dict[str, Any]) -> None:
        try:
            made = report(name, out=folder, progress=self._report_moved, **given)
        except (ValueError, TypeError, OSError, ReportFailedError) as error:
            self._say(self._uploads.without_folder(str(error)))
        else:
            page = made.page.read_text(encoding="utf-8")
            saved = link(page, f"{made.page.parent.name}.html", "text/html", "Save it as a file")
            where = "ready" if self._uploads.served else f"at {escape(str(made.page))}"
            self._outcome.value = f"<p role='status'>The report is {where}.</p>{saved}"
        finally:
            self._save.disabled = False

    def _report_moved(self, share: float) -> None:
        self._outcome.value = f"<p role='status'>Writing the report … <progress value='{share:.2f}'></progress></p>"

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
        code = f"<details><summary>The same in Python</summary><pre>{escape(self.code.get('Python'))}</pre></details>"
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
    if name != "choose":
        return now
    options = {option: value for option, value in now.options.items() if option not in ("weights", "p", "normalize")}
    return replace(now, options=options, counts={}, limits={})


@cache
def _titles() -> dict[str, str]:
    """Name the arguments of analyses in errors as the form calls them."""
    own = {name: spoken(name) for kind in analyses().values() for name in kind.parameters()}
    roles = {role: f"the {title}" for role, title in ROLES.items()}
    columns = {"objectives": "↑ more or ↓ less is better", "where": "limits", "parse": "Columns"}
    return own | roles | columns


def _button(title: str, act: Callable[[], None]) -> Any:
    button = ipywidgets.Button(description=title)
    button.on_click(lambda _: act())
    return button
