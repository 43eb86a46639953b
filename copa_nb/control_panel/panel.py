"""``copa_nb.panel()``: from a table to a decision and a report by controls alone."""

from __future__ import annotations

__all__ = ["Panel", "panel"]

import base64
import inspect
import secrets
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import ipywidgets
import pandas as pd
import traitlets

from copa_nb import checks, datasets
from copa_nb.analyses.registry import analyses
from copa_nb.checks import written_as
from copa_nb.control_panel import views
from copa_nb.control_panel.controls import WIDE, Control, controls_of, full
from copa_nb.control_panel.settings import DECIMAL, ENCODING, ROLES, SIDES, ChosenTable, Column, Settings, columns_of
from copa_nb.control_panel.uploads import Uploads, folder_of_reports, is_served
from copa_nb.control_panel.views import VIEWS, Shown, View
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers.choice import ChoiceExplorer
from copa_nb.explorers.twin import HasTwin, hiding, new_twin
from copa_nb.explorers.widget import RowExplorer
from copa_nb.reports.report import ReportFailedError, report
from copa_nb.tables.description import Description
from copa_nb.tables.frames import to_pandas
from copa_nb.tables.objectives import ATTRS_KEY, ObjectivesLike, resolve_objectives
from copa_nb.text import attribute, cell_text, escape, html_table, spoken

_ACCEPTED = ".csv,.tsv,.txt,.json,.jsonl,.ndjson,.xlsx,.parquet,.gz,.yaml,.yml"
_WAYS = [("not used", ""), ("more is better", "max"), ("less is better", "min")]
_NONE = ("(none)", "")
_MOST_COLUMNS, _MOST_SIDES = 80, 500
_STYLE = """<style>
.copa-panel { container-type: inline-size; overflow-x: hidden; }
.copa-panel h2 { font-size: 1.1em; margin: .8em 0 .2em; }
.copa-panel .copa-error { border-left: 4px solid #B03A00; padding: .2em .6em; }
.copa-panel .lm-TabBar-content { flex-wrap: wrap; }
.copa-panel .widget-tab > .lm-TabBar .lm-TabBar-tab { flex: 0 1 auto; min-width: 5em; max-width: none; }
.copa-panel :is(button, input, select, textarea, [role=tab]):focus-visible { outline: 2px solid #0072B2 !important; }
.copa-panel .widget-label { white-space: normal; line-height: 1.3; height: auto; }
.copa-panel .widget-tab { transition: opacity .2s; }
.copa-busy { cursor: progress; }
.copa-busy .widget-tab { opacity: .4; transition-delay: .3s; }
.copa-panel :is(.widget-html, .widget-html-content) { min-width: 0; }
.copa-panel a[download] { color: var(--jp-content-link-color, #0072B2); text-decoration: underline; }
.copa-panel table { display: block; overflow-x: auto; max-width: 100%; }
</style>"""


# In a tab that is opened while the kernel is still busy with another.
_WAIT = "<p>Computing …</p>"
_TO_OPEN = "The panel opens here when the notebook runs, to get from a table to a decision and a report without code."
_SAVED = "The answer of the panel as it was saved. Run the notebook to change the table, columns, limits and weights."
_NOT_HERE = (
    "marimo does not support ipywidgets, of which the panel consists. Open it in JupyterLab, Notebook or Voila; "
    "<code>df.moo.explore()</code>, the explorer of its first tab, works here."
)


class _StoppedError(Exception):
    """The report is not wanted any more."""


def bundled() -> dict[str, Callable[[], pd.DataFrame]]:
    """Return the tables of the package that have objectives or columns of numbers, by name.

    Examples
    --------
    >>> "load_domainbed" in bundled()
    True
    """
    return {
        name: getattr(datasets, name)
        for name in dir(datasets)
        if name.startswith("load_")
        and name != "load_bundled"
        and all(one.default is not one.empty for one in inspect.signature(getattr(datasets, name)).parameters.values())
    }


@shared_parameters
def panel(frame: Any = None, *, objectives: ObjectivesLike = None, served: bool | None = None) -> Panel:
    """Open a panel: from a table to a decision and a report without typing code.

    Upload a table, or choose one of the package's; say for each column whether more or less of it is better, which
    column names the rows, and what else there is: systems, items, repetitions, scores on validation and test data.
    Each tab answers a question with an explorer or plots, and a sentence. What is on the screen can be written as a
    report, saved as an offline page, and shown as lines of Python and of the shell that give the same.

    Weights, p, normalization and limits that are set in one tab hold in all tabs that use them, and a row that is
    picked in one explorer is picked in all and marked in plots. Two things stay in their tab: the budget of "Validation
    to test", because only a search has one, and the axes of pictures, because tabs draw different ones. Weights and p
    have no effect on that tab: fronts and their gap depend on no weights.

    Parameters
    ----------
    frame : DataFrame, or a table of polars, pyarrow or duckdb, optional
        The table. Without one, the panel begins with an upload.
    %(objectives)s
    served : bool, optional
        Whether visitors use the panel, who read no files of this machine but those that they upload, of bounded size,
        and write reports below the folder "reports" only. By default whether Voila runs it.

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
    opened = Panel(served=is_served() if served is None else served)
    if frame is None:
        return opened
    table = checks.frame(to_pandas(frame))
    if objectives is not None or table.attrs.get(ATTRS_KEY, {}).get("objectives"):
        stated = resolve_objectives(table, objectives).to_dict()
    else:
        stated = {}
    opened.use(ChosenTable(name="table", frame=table, code="frame"), stated)
    return opened


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

    def __init__(self, *, served: bool = False) -> None:
        self._quiet = 0
        self._columns: dict[str, Column] = {}
        self._shown: dict[str, tuple[Any, Shown]] = {}
        self._uploads = Uploads(served)
        self._thread: threading.Thread | None = None
        self._stop = threading.Event()
        self._closed = False
        super().__init__(settings=Settings())
        self.add_class("copa-panel")
        self._style = ipywidgets.HTML(_STYLE)
        self._make_table_section()
        self._make_tabs()
        self._make_actions()
        self.children = [
            self._style, _heading("1. Table"), *self._table_section, _heading("2. Columns"),
            self._column_section, _heading("3. Answers"), self._tabs, self._more, _heading("4. Keep it"),
            *self._action_section,
        ]  # fmt: skip
        self.observe(lambda _: self._follow(), names="settings")
        self._refresh()

    # ------------------------------------------------------------------------------------------------------ sections

    def _make_table_section(self) -> None:
        self._upload = ipywidgets.FileUpload(
            accept=_ACCEPTED, description="Upload a table", tooltip="CSV, Excel, JSON or Parquet", layout=full()
        )
        names = [(name.removeprefix("load_").replace("_", " "), name) for name in bundled()]
        self._bundled = _dropdown("or one of the package's", [_NONE, *names])
        marks = [("detected", ""), ("point, as in 1,450.5", "."), ("comma, as in 1.450,5", ",")]
        self._decimal = _dropdown(DECIMAL, marks)
        self._encoding = _dropdown(
            ENCODING, [("UTF-8", ""), ("Windows (cp1252)", "cp1252"), ("UTF-16", "utf-16")], "Letters of a text file"
        )
        self._asked_for: ChosenTable | None = None
        self._preview = ipywidgets.HTML()
        self._upload.observe(lambda _: self._uploaded(), names="value")
        self._bundled.observe(lambda _: self._chose_bundled(), names="value")
        self._decimal.observe(lambda _: self._reread(), names="value")
        self._encoding.observe(lambda _: self._reread(), names="value")
        self._table_section = (self._upload, self._bundled, self._decimal, self._encoding, self._preview)
        self._column_section = ipywidgets.VBox()
        self._roles: dict[str, Any] = {}
        self._ways: dict[str, Any] = {}
        self._bounds: dict[str, tuple[Any, Any]] = {}

    def _make_tabs(self) -> None:
        self._places = [_Place() for _ in VIEWS]
        self._tabs = ipywidgets.Tab([place.box for place in self._places], layout=ipywidgets.Layout(width="auto"))
        self._tabs.titles = [view.title for view in VIEWS]
        self._tabs.observe(lambda _: self._refresh(), names="selected_index")
        # A further tab for analyses that have none of their own; which one is a choice.
        self._other = _dropdown("Another analysis", [_NONE, *views.others().items()])
        self._other_place = _Place()
        self._other.observe(lambda _: self._refresh(), names="value")
        self._more = ipywidgets.VBox([self._other, self._other_place.box])
        self._controls: dict[str, dict[str, Control]] = {}
        self._boxes: dict[str, tuple[list[str], Any]] = {}

    def _make_actions(self) -> None:
        self._write = _button("Write the report", self._begin_report, "primary")
        self._cancel = _button("Cancel", lambda: self._stop.set())
        self._cancel.disabled = True
        self._progress = ipywidgets.FloatProgress(
            value=0.0, max=1.0, description="Report", style=WIDE, layout=full(), tooltip="Progress of the report"
        )
        # Visitors whose tables have the same name do not replace the reports of each other.
        folder = secrets.token_hex(4) if self._uploads.served else "reports"
        self._folder = ipywidgets.Text(value=folder, description="Folder of reports", style=WIDE, layout=full())
        self._page = _button("Offline page", self._make_page)
        self._show_code = ipywidgets.ToggleButton(
            description="Show code", icon="code", tooltip="The same in Python and on the shell", layout=_of_button()
        )
        self._load = ipywidgets.FileUpload(
            accept=".yaml,.yml",
            description="Load settings",
            tooltip="A YAML file that was saved here",
            layout=_of_button(),
        )
        self._load.observe(lambda _: self._load_settings(), names="value")
        self._outcome = ipywidgets.HTML()
        self._python, self._shell, self._yaml = (
            ipywidgets.Textarea(description=title, style=WIDE, rows=rows, layout=ipywidgets.Layout(width="auto"))
            for title, rows in (("Python", 8), ("Shell", 3), ("Settings", 8))
        )
        self._download = ipywidgets.HTML()
        self._code = ipywidgets.VBox([self._python, self._shell, self._yaml, self._download])
        self._code.layout.display = "none"
        self._show_code.observe(self._toggle_code, names="value")
        buttons = ipywidgets.HBox(
            [self._write, self._cancel, self._page, self._show_code, self._load],
            layout=ipywidgets.Layout(flex_flow="row wrap", width="auto"),
        )
        self._action_section = (buttons, self._folder, self._progress, self._outcome, self._code)

    # --------------------------------------------------------------------------------------------------------- table

    def use(self, source: ChosenTable, directions: Mapping[Any, str] | None = None) -> None:
        """Open a table.

        Parameters
        ----------
        source : ChosenTable
            The table.
        directions : mapping of column to {"max", "min"}, optional
            Its objectives.
        """
        named = {str(name): way for name, way in (directions or {}).items()}
        self._asked_for = source
        reading = {"decimal": self._decimal.value, "encoding": self._encoding.value if source.path else ""}
        self._open(Settings(source=source, directions=named, **reading))

    def _open(self, stated: Settings) -> None:
        """Read the table of settings, and move all controls to what they state."""
        source = stated.source
        assert source is not None
        raw = source.raw(stated.decimal, stated.encoding)
        self._columns = columns_of(raw, stated.decimal)
        self._preview.value = _preview(source, raw, self._columns)
        self._close_explorers()
        directions = {name: way for name, way in stated.directions.items() if self._kind(name) != "text"}
        with self._silently():
            self._decimal.value, self._encoding.value = stated.decimal, stated.encoding
            self._outcome.value = ""
            for place in self._places:
                place.clear(_WAIT)
            self._make_column_section(source, raw)
            self._controls.clear()
            self.settings = replace(stated, directions=directions, parse=self._to_parse(directions))
        self._follow()

    def _kind(self, name: str) -> str:
        return self._columns[name].kind if name in self._columns else "text"

    def _to_parse(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(name for name in names if self._kind(name) == "numbers as text")

    def _uploaded(self) -> None:
        if not self._upload.value:
            return
        with self._silently():
            self._bundled.value = ""

        def read() -> None:
            path = self._uploads.receive(self._upload)
            self.use(ChosenTable(name=path.name, path=str(path)))

        self._trying(read, self._say_of_table)

    def _chose_bundled(self) -> None:
        if self._quiet or not self._bundled.value:
            return
        name = self._bundled.value

        def load() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                frame = bundled()[name]()
            described = Description.of_frame(frame)
            stated = {} if described.is_scored_twice(frame) else dict(described.to_dict().get("objectives", {}))
            self.use(ChosenTable(name=name.removeprefix("load_"), frame=frame, code=f"datasets.{name}()"), stated)

        self._trying(load, self._say_of_table)

    def _reread(self) -> None:
        """Read the table again, also one that could not be read as it was."""
        source, now = self._asked_for, self.settings
        if source is None or self._quiet:
            return
        kept = now if now.source is source else Settings(source=source)
        stated = replace(kept, decimal=self._decimal.value, encoding=self._encoding.value if source.path else "")
        self._trying(lambda: self._open(stated), self._say_of_table)

    def _say_of_table(self, message: str) -> None:
        self._preview.value = message

    def _make_column_section(self, source: ChosenTable, raw: pd.DataFrame) -> None:
        self._raw = raw
        names = [(name, name) for name in self._columns]
        self._roles = {role: _dropdown(title, [_NONE, *names]) for role, title in ROLES.items() if role not in SIDES}
        self._roles["names"].options = [(f"detected: {source.named_by(raw)}", ""), *names]
        self._roles |= {role: _dropdown(ROLES[role], [_NONE]) for role in SIDES}
        usable = [one for one in self._columns.values() if one.kind != "text"][:_MOST_COLUMNS]
        self._ways = {one.name: _dropdown(one.name, _WAYS, tooltip=one.advice) for one in usable}
        self._bounds = {one.name: (_limit(one.name, "at least"), _limit(one.name, "at most")) for one in usable}
        rows = []
        for one in usable:
            bounds = ipywidgets.HBox(self._bounds[one.name], layout=ipywidgets.Layout(flex_flow="row wrap"))
            bounds.layout.display = "none"
            rows.append(ipywidgets.VBox([self._ways[one.name], bounds]))
        for control in [
            *self._roles.values(),
            *self._ways.values(),
            *(b for pair in self._bounds.values() for b in pair),
        ]:
            control.observe(lambda _: self._heard(), names="value")
        note = "" if usable else "<p>The table has no column of numbers.</p>"
        left_out = len([one for one in self._columns.values() if one.kind != "text"]) - len(usable)
        if left_out:
            note = f"<p>The first {_MOST_COLUMNS} columns of numbers; {left_out:,} more are left out.</p>"
        self._column_section.children = [
            ipywidgets.VBox(list(self._roles.values())), ipywidgets.HTML(f"<strong>Objectives</strong>{note}"), *rows
        ]  # fmt: skip

    # ------------------------------------------------------------------------------------------- controls to settings

    @contextmanager
    def _silently(self) -> Iterator[None]:
        """Move controls without hearing of it."""
        self._quiet += 1
        try:
            yield
        finally:
            self._quiet -= 1

    def _heard(self) -> None:
        """Take over what the controls of columns say."""
        if not self._quiet:
            self._trying(self._take_over, self._say_in_tab)

    def _take_over(self) -> None:
        directions = {name: control.value for name, control in self._ways.items() if control.value}
        self.settings = replace(
            self.settings,
            directions=directions,
            parse=self._to_parse(directions),
            roles={role: control.value for role, control in self._roles.items() if control.value},
            limits={name: bounds for name in directions if (bounds := self._bounds_of(name)) != (None, None)},
        )
        self._refresh()  # after a mistake that is mended, settings are what they were

    def _bounds_of(self, name: str) -> tuple[float | None, float | None]:
        low, high = self._bounds[name]
        return _bound(low), _bound(high)

    def _heard_option(self, analysis: str, name: str) -> None:
        if not self._quiet:
            control = self._controls[analysis][name]
            self._trying(lambda: self._set_option(analysis, name, control.value), self._say_in_tab)

    def _hears(self, analysis: str, name: str) -> Callable[[Any], None]:
        return lambda _: self._heard_option(analysis, name)

    def _set_option(self, analysis: str, name: str, value: Any) -> None:
        self.settings = self.settings.with_options(analysis, **{name: value})
        self._refresh()

    def _follow(self) -> None:
        """Move the controls to the settings, and show the answer."""
        if self._quiet:
            return
        now = self.settings
        with self._silently():
            self._offer_sides(now)
            for name, control in self._ways.items():
                control.value = now.directions.get(name, "")
                low, high = self._bounds[name]
                low.layout.display = high.layout.display = ""
                self._column_row(name).layout.display = "" if control.value else "none"
                for control_of_bound, bound in zip((low, high), now.limits.get(name, (None, None)), strict=True):
                    control_of_bound.value = "" if bound is None else f"{bound:g}"
            for role, control in self._roles.items():
                values = [value for _, value in control.options]
                control.value = now.roles.get(role, "") if now.roles.get(role, "") in values else ""
            for analysis, controls in self._controls.items():
                for name, one in controls.items():
                    one.put(now.options.get(analysis, {}).get(name, one.declared.default))
        self._refresh()

    def _column_row(self, name: str) -> Any:
        place = list(self._ways).index(name) + 2
        return self._column_section.children[place].children[1]

    def _offer_sides(self, now: Settings) -> None:
        """Offer the systems of the table as the new one and the baseline."""
        column = now.roles.get("system", "")
        found: list[str] = []
        if column in self._columns:
            found = self._raw[column].dropna().astype(str).unique()[:_MOST_SIDES].tolist()
        for role in SIDES:
            if role in self._roles:
                self._roles[role].options = [_NONE, *((one, one) for one in found)]

    # -------------------------------------------------------------------------------------------- settings to answers

    def _visible(self) -> tuple[View, Any]:
        """Return the view that is asked for, and where it is shown."""
        if self._other.value:
            return views.view_of(self._other.value), self._other_place
        number = self._tabs.selected_index or 0
        return VIEWS[number], self._places[number]

    @property
    def analysis(self) -> str:
        """The analysis of the open tab."""
        return self._visible()[0].analysis(self.settings)

    def _refresh(self) -> None:
        view, place = self._visible()
        if not self._other.value:
            self._other_place.clear()
        name = view.analysis(self.settings)
        self.add_class("copa-busy")
        try:
            with written_as(_titles(name)):
                shown = self._once(view, name)
        except (ValueError, TypeError, FileNotFoundError) as error:
            self.sentences = ()
            # Options may be what is wrong.
            place.show_error(self._error(error), *([self._options_of(name)] if self.settings.directions else []))
        else:
            self.sentences = shown.sentences
            place.show(shown, self._options_of(name))
        finally:
            self.remove_class("copa-busy")
        self._update_code()
        self._twin_soon()

    def _once(self, view: View, name: str) -> Shown:
        kept = self._shown.get(view.title)
        if kept is not None and kept[0] == self._asked(name, kept[1]):
            self._pick(kept[1].explorer)
            return kept[1]
        live = kept[1].explorer if kept is not None else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what is left out is in the sentences
            shown = view.show(self.settings, self._with_files(name).asked(name))
        if shown.explorer is not None:
            shown = self._with_live_explorer(view, shown, live)
        elif live is not None:
            live.close()
        self._pick(shown.explorer)
        self._shown[view.title] = (self._asked(name, shown), shown)
        return shown

    def _asked(self, name: str, shown: Shown) -> tuple[Settings, str]:
        """Return what an answer depends on: an explorer follows the rows that are picked without another answer."""
        return (self.settings if shown.explorer is None else replace(self.settings, picked=())), name

    def _pick(self, explorer: RowExplorer | None) -> None:
        if explorer is not None:
            with self._silently():
                explorer.pick(self.settings.picked)

    def _with_live_explorer(self, view: View, shown: Shown, live: Any) -> Shown:
        """Move the explorer that is open to where a new one stands, if it shows the same table."""
        fresh: Any = shown.explorer
        if live is not None and live.kind == fresh.kind and live.data == fresh.data:
            if isinstance(live, ChoiceExplorer):
                with self._silently():
                    live.move(**{name: fresh.state[name] for name in ("weights", "p", "normalize", "ranges")})
            fresh.close()
            return replace(shown, explorer=live)
        if live is not None:
            if live.kind == fresh.kind == "gap" and live.data["longest"] == fresh.data["longest"]:
                fresh.set_budget(live.state["budget"])
            live.close()
        fresh.observe(lambda _: self._explorer_moved(fresh), names="state")
        return shown

    def _explorer_moved(self, explorer: RowExplorer) -> None:
        if self._quiet:
            return

        def take_over() -> None:
            changed = views.moved(self.settings, explorer)
            if changed != self.settings:
                self.settings = changed

        self._trying(take_over, self._say_in_tab)

    def _options_of(self, analysis: str) -> Any:
        """Return the controls of the parameters of an analysis, the same in all tabs that show it."""
        names = list(self.settings.directions)
        if analysis not in self._controls or self._boxes[analysis][0] != names:
            given = self.settings.options.get(analysis, {})
            made = controls_of(analysis, list(self._columns), names, given)
            for name, control in made.items():
                control.observe(self._hears(analysis, name))
            self._controls[analysis] = made
            self._boxes[analysis] = names, _folded(f"Options of {analyses()[analysis].title.lower()}", made)
        return self._boxes[analysis][1]

    # ----------------------------------------------------------------------------------------------------------- code

    @property
    def python(self) -> str:
        """Lines of Python that give what is on the screen."""
        view, _ = self._visible()
        kept = self._shown.get(view.title)
        return self.settings.python(self.analysis, kept[1].calls if kept else ())

    @property
    def shell(self) -> str:
        """The line of the shell that writes the report."""
        return self.settings.shell(self.analysis)

    @property
    def yaml(self) -> str:
        """A batch file with the analyses that were set up; the panel reads it, too."""
        names = dict.fromkeys([self.analysis, *self.settings.options])
        return self.settings.yaml([name for name in names if name in analyses()])

    def _update_code(self) -> None:
        if not self._show_code.value:
            return
        self._python.value, self._shell.value, self._yaml.value = self.python, self.shell, self.yaml
        self._download.value = _link(self.yaml, "settings.yaml", "text/yaml", "Save settings (settings.yaml)")

    def _toggle_code(self, _: Any) -> None:
        self._code.layout.display = "" if self._show_code.value else "none"
        self._update_code()

    def _load_settings(self) -> None:
        if not self._load.value:
            return

        def read() -> None:
            path = self._uploads.receive(self._load)
            if self.settings.source is None:
                raise ValueError("Upload the table first: settings are for the columns of a table.")
            self._open(self.settings.read(path))
            self._outcome.value = f"<p role='status'>{escape(path.name)} is loaded.</p>"

        self._trying(read, self._say_at_end)

    def _make_page(self) -> None:
        def make() -> None:
            view, _ = self._visible()
            shown = self._once(view, self.analysis)
            self._outcome.value = _link(shown.page(), f"{self.analysis}.html", "text/html", "Save the offline page")

        self._trying(make, self._say_at_end)

    # --------------------------------------------------------------------------------------------------------- report

    def _begin_report(self) -> None:
        if self._thread is not None and self._thread.is_alive():
            return
        name = self.analysis

        def begin() -> None:
            settings = self._with_files(name)
            folder = folder_of_reports(self._folder.value.strip(), served=self._uploads.served)
            asked = settings.asked(name)
            asked.check()
            self._stop.clear()
            self._write.disabled, self._cancel.disabled = True, False
            self._outcome.value = "<p role='status'>Writing the report …</p>"
            given = {"table": asked.table, **settings.parameters(name)}
            self._thread = threading.Thread(target=self._write_report, args=(name, folder, given), daemon=True)
            self._thread.start()

        self._trying(begin, self._say_at_end)

    def _write_report(self, name: str, folder: str, given: dict[str, Any]) -> None:
        try:
            made = report(name, out=folder, progress=self._report_moved, **given)
        except _StoppedError:
            self._outcome.value = "<p role='status'>The report was cancelled; nothing was kept of it.</p>"
            self._progress.value = 0.0
        except (ValueError, TypeError, OSError, ReportFailedError) as error:
            self._outcome.value = self._error(error)
        else:
            page = made.page.read_text(encoding="utf-8")
            saved = _link(page, f"{made.page.parent.name}.html", "text/html", "Save the report")
            self._progress.value = 1.0
            where = "ready" if self._uploads.served else f"at {escape(str(made.page))}"
            self._outcome.value = f"<p role='status'>The report is {where}.</p>{saved}"
        finally:
            self._write.disabled, self._cancel.disabled = False, True

    def _report_moved(self, share: float) -> None:
        if self._stop.is_set():
            raise _StoppedError
        self._progress.value = share

    def _trying(self, act: Callable[[], None], say: Callable[[str], None]) -> None:
        """Do something that a user asked for; what is wrong with it is a sentence in place."""
        try:
            with written_as({"decimal": DECIMAL, "encoding": ENCODING}):
                act()
        except (ValueError, TypeError, OSError) as error:
            say(self._error(error))

    def _error(self, error: Exception) -> str:
        message = self._uploads.without_folder(str(error))
        return f"<p role='alert' class='copa-error'>{escape(message)}</p>"

    def _with_files(self, analysis: str) -> Settings:
        """Return the settings with the places of files that the options of an analysis name."""
        declared, found = analyses()[analysis].parameters(), {}
        for name, value in self.settings.options.get(analysis, {}).items():
            if name in declared and declared[name].is_file and value:
                found[name] = (
                    list(map(self._uploads.found, value)) if isinstance(value, list) else (self._uploads.found(value))
                )
        return self.settings.with_options(analysis, **found) if found else self.settings

    def _say_in_tab(self, message: str) -> None:
        self.sentences = ()
        place = self._visible()[1]
        place.show_error(message, *place.options)
        self._twin_soon()

    def _say_at_end(self, message: str) -> None:
        self._outcome.value = message

    def _close_explorers(self) -> None:
        for _, shown in self._shown.values():
            if shown.explorer is not None:
                shown.explorer.close()
        self._shown.clear()

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
        return f"<p><em>{_TO_OPEN if self.settings.source is None else _SAVED}</em></p>{self._answer()}"

    def _answer(self) -> str:
        source = self.settings.source
        if source is None:
            return ""
        view, place = self._visible()
        code = f"<details><summary>The same in Python</summary><pre>{escape(self.python)}</pre></details>"
        return (
            f"<h2>{escape(view.title)}</h2><p>{escape(f'{source.name}: {self.settings.described()}')}</p>"
            f"{place.to_saved()}{code if self.sentences else ''}"
        )

    def _mime_(self) -> tuple[str, str]:
        """What marimo shows, which has no ipywidgets."""
        return "text/html", f"<p><em>{_NOT_HERE}</em></p>{self._answer()}"

    def _ipython_display_(self) -> None:
        self.twin = new_twin((self.settings.source and self.settings.source.name, self.sentences))
        self._style.value = _STYLE + hiding(self.twin)
        super()._ipython_display_()

    def close(self) -> None:
        """Close the panel and its explorers, and remove what was uploaded."""
        self._end_twin()
        self._close_explorers()
        self._uploads.remove()
        super().close()

    def __repr__(self) -> str:
        source = self.settings.source
        return f"<Panel of {'no table' if source is None else source.name}>"


class _Place:
    """Where a view is shown: sentences, plots or an explorer, and the options."""

    def __init__(self) -> None:
        self._words, self._drawn = ipywidgets.HTML(_WAIT), ipywidgets.HTML()
        self.box = ipywidgets.VBox([self._words], layout=ipywidgets.Layout(width="auto", min_width="0"))
        self._last: Shown | None = None

    def show(self, shown: Shown, options: Any) -> None:
        """Show an answer."""
        said = "".join(f"<p>{escape(sentence)}</p>" for sentence in shown.sentences)
        self._words.value = f"<div role='status' aria-live='polite'>{said}</div>"
        if shown is not self._last and shown.explorer is None:
            self._drawn.value = shown.pictures()
        self._last = shown
        children = (self._words, self._drawn if shown.explorer is None else shown.explorer, options)
        if self.box.children != children:
            self.box.children = children

    def to_saved(self) -> str:
        """Write what is shown, without the controls."""
        shown = self._last
        if shown is None:
            return str(self._words.value)
        drawn = self._drawn.value if shown.explorer is None else shown.explorer.to_saved()
        return f"{self._words.value}{drawn}"

    @property
    def options(self) -> tuple[Any, ...]:
        """The controls below what is shown."""
        return tuple(one for one in self.box.children if isinstance(one, ipywidgets.Accordion))

    def show_error(self, message: str, *options: Any) -> None:
        """Show why there is no answer, and the options."""
        self._words.value, self._last = message, None
        self.box.children = (self._words, *options)

    def clear(self, words: str = "") -> None:
        """Show nothing but words."""
        self._words.value, self._last = words, None
        self.box.children = (self._words,)


def _titles(analysis: str) -> dict[str, str]:
    """Name the arguments of an analysis in errors as their controls are called."""
    kind = analyses()[analysis]
    own = {name: spoken(name).capitalize() for name in kind.parameters()}
    roles = {role: title for role, title in ROLES.items() if role in own}
    of_names = {kind.names_rows: ROLES["names"]} if kind.names_rows else {}
    if kind.names_rows == "system":
        of_names = {"system": f"{ROLES['names']}, or of several rows each: {ROLES['system']}"}
    columns = {"maximize": "more is better", "minimize": "less is better", "where": "limits", "parse": "Objectives"}
    return own | roles | of_names | columns | {"decimal": DECIMAL, "encoding": ENCODING}


def _heading(title: str) -> Any:
    return ipywidgets.HTML(f"<h2>{escape(title)}</h2>")


def _dropdown(title: str, options: list[tuple[str, str]], tooltip: str = "") -> Any:
    return ipywidgets.Dropdown(
        options=options, value=options[0][1], description=title, style=WIDE, layout=full(), tooltip=tooltip or title
    )


def _limit(name: str, which: str) -> Any:
    return ipywidgets.Text(
        description=f"{name} {which}", placeholder="no limit", continuous_update=False, style=WIDE,
        layout=ipywidgets.Layout(width="auto", max_width="17em", min_width="0"),
    )  # fmt: skip


def _bound(control: Any) -> float | None:
    written = control.value.strip()
    if not written:
        return None
    try:
        return float(written.replace(",", "."))
    except ValueError:
        raise ValueError(f"{control.description} is {written!r}; write a number, or leave it empty.") from None


def _of_button() -> Any:
    return ipywidgets.Layout(width="auto", min_height="32px")


def _button(title: str, act: Callable[[], None], style: str = "") -> Any:
    button = ipywidgets.Button(description=title, button_style=style, tooltip=title, layout=_of_button())
    button.on_click(lambda _: act())
    return button


def _folded(title: str, controls: dict[str, Control]) -> Any:
    inside = ipywidgets.VBox([control.widget for control in controls.values()])
    return ipywidgets.Accordion([inside], titles=(title,), selected_index=None, layout=ipywidgets.Layout(width="auto"))


def _link(content: str, name: str, kind: str, title: str) -> str:
    """Write a link that saves what it holds."""
    held = base64.b64encode(content.encode("utf-8")).decode("ascii")
    return f"<p><a download='{attribute(name)}' href='data:{kind};charset=utf-8;base64,{held}'>{escape(title)}</a></p>"


def _preview(source: ChosenTable, raw: pd.DataFrame, columns: dict[str, Column]) -> str:
    """Show the first rows, and what is particular about columns."""
    caption = f"{source.name}: {len(raw):,} rows, {raw.shape[1]:,} columns; the first rows."
    head = raw.head(3).iloc[:, :12].astype(object).map(cell_text)
    noted = [f"{one.name} (text such as {one.examples}): {one.advice}" if one.kind == "numbers as text" else
             f"{one.name}: {one.advice}" for one in columns.values() if one.advice]  # fmt: skip
    notes = "".join(f"<li>{escape(note)}</li>" for note in [*raw.attrs.get("notes", ()), *noted])
    return f"{html_table(head, caption=caption)}<ul>{notes}</ul>"
