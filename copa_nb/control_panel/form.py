"""The controls of the panel: of the table, of each column, of weights and limits, and, folded, of what is rarely set.

Controls say how other settings come from those that there are, and are moved to settings; they know no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

import ipywidgets

from copa_nb.control_panel.settings import Change, Limits, Settings
from copa_nb.control_panel.table import ARROWS, ROLES, STANDARD_ERROR, Column, SourceTable
from copa_nb.control_panel.uploads import DropZone
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS
from copa_nb.text import escape, spoken

_MOST_COLUMNS, _MOST_SYSTEMS = 80, 500
_OPTIONS = {"new": "Is", "baseline": "better than", "p": "What decides", "normalize": "Values are compared by"}
_CRITERIA = [("the worst objective", ""), ("mostly the worst (p = 4)", "4"), ("both (p = 2)", "2"),
             ("the sum of all (p = 1)", "1")]  # fmt: skip


class Form:
    """The controls.

    Parameters
    ----------
    change : callable
        Called with a function that makes other settings of those that there are.
    received : callable
        Called with parts of files; see :class:`DropZone`.
    """

    def __init__(self, change: Change, received: Callable[..., None]) -> None:
        self._quiet = False
        self._say = change
        self.zone = DropZone(received)
        self._notes = ipywidgets.HTML()
        self._columns = _box("copa-columns")
        self._weights = _box("copa-weights")
        self._of_columns: dict[str, Any] = {}
        self._about: dict[str, Any] = {}
        self._of_weights: dict[str, _Weight] = {}
        self._table: SourceTable | None = None
        self._options = {name: ipywidgets.Dropdown(description=title) for name, title in _OPTIONS.items()}
        for name, control in self._options.items():
            self._listen(control, partial(self._set, name))
        new, baseline, *rare = self._options.values()
        self._pair = _box("copa-pair", [_heading("Compare"), new, baseline])
        self._rare = ipywidgets.Accordion([_box("copa-rare", rare)], titles=("Advanced",), selected_index=None)
        self.box = _box("copa-form", [self.zone, self._notes, self._columns, self._weights, self._pair, self._rare])

    def _set(self, option: str, value: str) -> None:
        self._say(lambda now: now.with_options(**{option: value or None}))

    def _listen(self, control: Any, heard: Callable[[Any], None]) -> None:
        control.observe(lambda moved: None if self._quiet else heard(moved["new"]), names="value")

    @contextmanager
    def _quietly(self) -> Iterator[None]:
        """Move controls without hearing of it."""
        before, self._quiet = self._quiet, True
        try:
            yield
        finally:
            self._quiet = before

    def show(self, now: Settings, table: SourceTable | None, *, follows: bool) -> None:
        """Move the controls to the settings.

        Parameters
        ----------
        now : Settings
            The settings.
        table : SourceTable, optional
            Their table, if it can be read.
        follows : bool
            Whether the answer follows a weight while it moves.
        """
        with self._quietly():
            self._show_table(now, table)
            self._show_columns(now)
            self._show_weights(now, follows=follows)
            self._show_options(now)

    def _show_table(self, now: Settings, table: SourceTable | None) -> None:
        source = now.source
        if source is not None:
            self.zone.full = True
            self.zone.title = source.name
            size = "" if table is None else f"{len(table.frame):,} rows, {len(table.columns):,} columns · "
            self.zone.about = f"{size}drop another file here, or click"
        if table is self._table:
            return
        self._table = table
        columns = [] if table is None else list(table.columns.values())
        self._of_columns = {one.name: self._control_of(one) for one in columns[:_MOST_COLUMNS]}
        notes = [] if table is None else [*table.frame.attrs.get("notes", ())]
        if len(columns) > _MOST_COLUMNS:
            notes.append(f"The first {_MOST_COLUMNS} columns; {len(columns) - _MOST_COLUMNS:,} more are left out.")
        self._notes.value = "".join(f"<p>{escape(note)}</p>" for note in notes)
        self._about = {name: ipywidgets.HTML() for name in self._of_columns}
        rows = [_box("copa-column", [control, self._about[name]]) for name, control in self._of_columns.items()]
        self._columns.children = [_heading("Columns"), *rows] if rows else []

    def _control_of(self, column: Column) -> Any:
        control = ipywidgets.Dropdown(description=column.name, options=[("–", "")], tooltip=column.name)
        self._listen(control, lambda use: self._say(lambda now: now.using(column.name, use)))
        return control

    def _show_columns(self, now: Settings) -> None:
        for name, control in self._of_columns.items():
            assert self._table is not None
            kind = self._table.columns[name].kind
            self._about[name].value = _about(self._table.columns[name], now.uses.get(name, ""), self._table.proposed)
            ways = [] if kind == "text" else [("↑ more is better", "max"), ("↓ less is better", "min")]
            errors = [
                (f"standard error of {other}", f"{STANDARD_ERROR}{other}")
                for other in now.directions
                if kind != "text" and other != name
            ]
            options = [("–", ""), *ways, *((words, role) for role, words in ROLES.items()), *errors]
            _offer(control, options, now.uses.get(name, ""))

    def _show_weights(self, now: Settings, *, follows: bool) -> None:
        names = list(now.directions)
        if names != list(self._of_weights):
            self._of_weights = {name: _Weight(name) for name in names}
            for name, weight in self._of_weights.items():
                self._listen(weight.slider, partial(self._weigh, name))
                for bound in weight.bounds:
                    self._listen(bound, partial(self._limit, name))
            rows = [weight.box for weight in self._of_weights.values()]
            self._weights.children = [_heading("Weights and limits"), *rows] if rows else []
        shares, places = now.weights, now.importance
        for name, weight in self._of_weights.items():
            weight.show(now.directions[name], shares[name], places[name], now.limits.get(name, (None, None)))
            weight.slider.continuous_update = follows
            weight.slider.disabled = len(names) == 1 or now.kind == "search"  # fronts need no weights

    def _weigh(self, name: str, importance: float) -> None:
        self._say(lambda now: replace(now, counts={**now.counts, name: importance}))

    def _limit(self, name: str, _: str) -> None:
        low, high = self._of_weights[name].bounds
        self._say(lambda now: replace(now, limits={**now.limits, name: (_number(low), _number(high))}))

    def _show_options(self, now: Settings) -> None:
        self._rare.layout.display = "none" if now.source is None else ""
        compares = self._table is not None and now.kind in ("items", "runs") and "system" in now.roles
        self._pair.layout.display = "" if compares else "none"
        systems = now.table.frame[now.roles["system"]].dropna().astype(str).unique()[:_MOST_SYSTEMS] if compares else ()
        two = [("choose …", ""), *((one, one) for one in systems)]
        scales = [(one.label, "" if name == "cdf" else name) for name, one in NORMALIZATIONS.items()]
        choices = {"new": two, "baseline": two, "p": _CRITERIA, "normalize": scales}
        for name, control in self._options.items():
            _offer(control, choices[name], now.options.get(name, ""))


class _Weight:
    """Weight and limits of one objective."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._title = ipywidgets.HTML()
        self.slider = ipywidgets.FloatSlider(min=0, max=100, step=1, readout=False, description=f"Weight of {name}")
        self.bounds = [
            ipywidgets.Text(description=f"{name} {which}", placeholder=which, continuous_update=False)
            for which in ("at least", "at most")
        ]
        self.box = _box("copa-weight", [self._title, self.slider, *self.bounds])

    def show(self, way: str, share: float, place: float, limits: Limits) -> None:
        """Move to a share of the weights, and to limits."""
        self._title.value = f"<span>{escape(spoken(self.name))} {ARROWS[way]}</span><output>{share:.0%}</output>"
        self.slider.value = place
        for control, bound in zip(self.bounds, limits, strict=True):
            control.value = "" if bound is None else f"{bound:g}"


def _about(column: Column, use: str, proposed: Mapping[str, str]) -> str:
    """Say what is in a column, which numbers its text is, and, unless it is used, what its name suggests."""
    suggested = "" if use else (ARROWS | ROLES).get(proposed.get(column.name, ""), "")
    notes = [
        column.first,
        f"read as {column.read_as}" if column.read_as and use not in ROLES else "",
        f"{column.n_missing:,} missing" if column.n_missing else "",
        f"suggests\u00a0{suggested}" if suggested else "",
    ]
    return " · ".join(escape(note) for note in notes if note)


def _number(control: Any) -> float | None:
    written = control.value.strip()
    if not written:
        return None
    try:
        return float(written.replace(",", "."))
    except ValueError:
        raise ValueError(f"{control.description} is {written!r}; write a number, or leave it empty.") from None


def _offer(control: Any, options: list[tuple[str, str]], value: str) -> None:
    """Offer options, each with its words, and move to the one of them that there is."""
    if list(control.options) != options:
        control.options = options
    control.value = value if value in [one for _, one in options] else ""


def _heading(words: str) -> Any:
    return ipywidgets.HTML(f"<h3>{escape(words)}</h3>")


def _box(name: str, children: Any = ()) -> Any:
    made = ipywidgets.VBox(list(children))
    made.add_class(name)
    return made
