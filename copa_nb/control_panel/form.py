"""The controls of the panel: of the table, of each column, of weights and limits, and, folded, of what is rarely set.

Controls say how other settings come from those that there are, and are moved to settings; they know no answer.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any, TypeAlias

import ipywidgets

from copa_nb.control_panel.settings import Limits, Settings
from copa_nb.control_panel.table import DECIMAL, MARKS, ROLES, STANDARD_ERROR, Column, SourceTable
from copa_nb.control_panel.uploads import DropZone
from copa_nb.ranking.arrays.normalization import NORMALIZATIONS
from copa_nb.ranking.criterion import resolve_weights
from copa_nb.tables.objectives import Objectives
from copa_nb.text import escape, spoken

Change: TypeAlias = Callable[[Callable[[Settings], Settings]], None]
_MOST_COLUMNS, _MOST_SYSTEMS = 80, 500
_WAYS = {"max": "↑ more is better", "min": "↓ less is better"}
_MIDDLE = 50.0  # of a weight, of 100
_CRITERIA = [("the worst objective", "inf"), ("mostly the worst (p = 4)", "4"), ("both (p = 2)", "2"),
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
        self._make_rare()
        self._sides = {
            side: ipywidgets.Dropdown(description=words, options=[("choose …", "")])
            for side, words in {"new": "Is", "baseline": "better than"}.items()
        }
        for side, control in self._sides.items():
            self._listen(control, partial(self._set, side))
        self.pair = _box("copa-pair", self._sides.values())
        self.box = _box(
            "copa-form",
            [self.zone, self._notes, self._columns, self._weights, self._rare],
        )

    def _make_rare(self) -> None:
        """Make the controls of what is rarely set."""
        self._decimal = ipywidgets.Dropdown(
            description=DECIMAL, options=[("as detected", ""), *((words, mark) for mark, words in MARKS.items())]
        )
        self._criterion = ipywidgets.Dropdown(description="What decides", options=_CRITERIA)
        self._normalize = ipywidgets.Dropdown(
            description="Values are compared by", options=[(one.label, one.name) for one in NORMALIZATIONS.values()]
        )
        self._listen(self._decimal, lambda mark: self._say(lambda now: replace(now, decimal=mark)))
        self._listen(self._criterion, lambda p: self._set("p", "" if p == "inf" else p))
        self._listen(self._normalize, lambda how: self._set("normalize", "" if how == "cdf" else how))
        controls = [self._decimal, self._criterion, self._normalize]
        self._rare = ipywidgets.Accordion([_box("copa-rare", controls)], titles=("Advanced",), selected_index=None)
        self._rare.add_class("copa-advanced")

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

    # ------------------------------------------------------------------------------------------------- from settings

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
            self._show_rare(now)

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
            ways = [] if kind == "text" else [(words, way) for way, words in _WAYS.items()]
            errors = [
                (f"standard error of {other}", f"{STANDARD_ERROR}{other}")
                for other in now.directions
                if kind != "text" and other != name
            ]
            options = [("–", ""), *ways, *((words, role) for role, words in ROLES.items()), *errors]
            if list(control.options) != options:
                control.options = options
            use = now.uses.get(name, "")
            control.value = use if use in [value for _, value in options] else ""

    def _show_weights(self, now: Settings, *, follows: bool) -> None:
        names = list(now.directions)
        if names != list(self._of_weights):
            self._of_weights = {name: _Weight(name) for name in names}
            for name, weight in self._of_weights.items():
                self._listen(weight.slider, lambda _: self._say(self._weighted))
                for bound in weight.bounds:
                    self._listen(bound, partial(self._limit, name))
            rows = [weight.box for weight in self._of_weights.values()]
            self._weights.children = [_heading("Weights and limits"), *rows] if rows else []
        if not names:
            return
        shares = resolve_weights(Objectives.of(now.directions), now.options.get("weights")).tolist()
        places = self._places(shares)
        for (name, weight), share, place in zip(self._of_weights.items(), shares, places, strict=True):
            weight.show(now.directions[name], share, place, now.limits.get(name, (None, None)))
            weight.slider.continuous_update = follows
            weight.slider.disabled = len(names) == 1 or now.kind == "search"  # fronts need no weights

    def _places(self, shares: list[float]) -> list[float]:
        """Where sliders stand for these shares: where they are, if that gives them."""
        places = [weight.slider.value for weight in self._of_weights.values()]
        total = sum(places)
        if total and all(abs(place / total - share) < 1e-3 for place, share in zip(places, shares, strict=True)):
            return places
        scale = min(_MIDDLE * len(shares), 100 / max(shares))
        return [share * scale for share in shares]

    def _weighted(self, now: Settings) -> Settings:
        places = {name: weight.slider.value for name, weight in self._of_weights.items()}
        if len({*places.values()}) == 1:
            return now.with_options(weights=None)
        return now.with_options(
            weights={name: round(place / sum(places.values()), 4) for name, place in places.items()}
        )

    def _limit(self, name: str, _: str) -> None:
        self._say(lambda now: now.limited(name, *map(_number, self._of_weights[name].bounds)))

    def _show_rare(self, now: Settings) -> None:
        self._rare.layout.display = "none" if now.source is None else ""
        self._decimal.value = now.decimal
        p = now.options.get("p", "inf")
        if p not in [value for _, value in self._criterion.options]:
            self._criterion.options = [*_CRITERIA, (f"p = {p}", p)]
        self._criterion.value = p
        self._normalize.value = now.options.get("normalize", "cdf")
        if self._table is None or "system" not in now.roles:
            return
        systems = self._table.frame[now.roles["system"]].dropna().astype(str).unique()[:_MOST_SYSTEMS].tolist()
        for side, control in self._sides.items():
            options = [("choose …", ""), *((one, one) for one in systems)]
            if list(control.options) != options:
                control.options = options
            side_now = now.options.get(side, "")
            control.value = side_now if side_now in systems else ""


class _Weight:
    """Weight and limits of one objective."""

    def __init__(self, name: str) -> None:
        self.name = name
        self._title = ipywidgets.HTML()
        self.slider = ipywidgets.FloatSlider(
            value=_MIDDLE, min=0, max=100, step=1, readout=False, description=f"Weight of {name}"
        )
        self.bounds = [_text(f"{name} {which}", which) for which in ("at least", "at most")]
        self.box = _box("copa-weight", [self._title, self.slider, *self.bounds])

    def show(self, way: str, share: float, place: float, limits: Limits) -> None:
        """Move to a share of the weights, and to limits."""
        arrow = "↑" if way == "max" else "↓"
        self._title.value = f"<span>{escape(spoken(self.name))} {arrow}</span><output>{share:.0%}</output>"
        self.slider.value = place
        for control, bound in zip(self.bounds, limits, strict=True):
            control.value = "" if bound is None else f"{bound:g}"


def _about(column: Column, use: str, proposed: Mapping[str, str]) -> str:
    """Say what is in a column, which numbers its text is, and, unless it is used, what its name suggests."""
    suggested = "" if use else {"max": "↑", "min": "↓", **ROLES}.get(proposed.get(column.name, ""), "")
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


def _text(description: str, placeholder: str) -> Any:
    return ipywidgets.Text(description=description, placeholder=placeholder, continuous_update=False)


def _heading(words: str) -> Any:
    return ipywidgets.HTML(f"<h3>{escape(words)}</h3>")


def _box(name: str, children: Any = ()) -> Any:
    made = ipywidgets.VBox(list(children))
    made.add_class(name)
    return made
