"""What all explorers share: a view, named controls tied to a state, a static twin, and an end."""

from __future__ import annotations

import base64
import io
import itertools
import math
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import anywidget
import ipywidgets
import numpy as np
import pandas as pd
import traitlets

from copa_nb import text
from copa_nb.objectives import Objectives
from copa_nb.pareto.plots import staircase

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_FILES = files("copa_nb.explorers")
_NUMBERS = itertools.count(1)
# Long names are cut by CSS, never by us: the tooltip holds the whole name.
_LABEL_WIDTH = "92px"
# What belongs to each marker, and goes with it.
_PER_MARK = ("names", "ids", "notes", "colors")


class View(anywidget.AnyWidget):
    """Draws charts, cards, tables and code.

    The script and the style ship with the package. They are traits of the class, not paths: for a path anywidget
    registers a listener that keeps every view alive for as long as the process lives.

    Parameters
    ----------
    scene : dict
        What to draw; see `view.js`.
    xy : bytes
        Points of the cloud as float32 pairs, sent when the axes change, not at every move.
    flags : bytes
        One byte per point: 1 for the front, 2 for what may be chosen.
    names : list of str
        Names of the points.
    twin : str
        Marks the static picture that this view stands for while it is alive.
    """

    _esm = traitlets.Unicode((_FILES / "view.js").read_text(encoding="utf-8")).tag(sync=True)
    _css = traitlets.Unicode((_FILES / "view.css").read_text(encoding="utf-8")).tag(sync=True)
    scene = traitlets.Dict().tag(sync=True)
    xy = traitlets.Bytes(b"").tag(sync=True)
    flags = traitlets.Bytes(b"").tag(sync=True)
    names = traitlets.List(traitlets.Unicode()).tag(sync=True)
    twin = traitlets.Unicode("").tag(sync=True)

    def on_pick(self, callback: Callable[[int], None]) -> None:
        """Call back with the number of the point or row that was clicked."""

        def receive(_: Any, content: Any, __: Any) -> None:
            if isinstance(content, dict) and content.get("kind") == "pick" and isinstance(content.get("id"), int):
                callback(content["id"])

        self.on_msg(receive)

    def show(self, **scene: Any) -> None:
        """Draw a scene; one message, whatever changed."""
        self.scene = {"revision": int(self.scene.get("revision", 0)) + 1, **scene}


class Explorer(ABC):
    """Controls and a view of one analysis; what they show is in `state`, a frozen dataclass.

    Parameters
    ----------
    state : frozen dataclass
        Where the controls stand.

    Notes
    -----
    Shown in a notebook, an explorer displays its static twin and then the live view, which hides the twin for as
    long as it is alive. Where widgets cannot run (nbconvert, GitHub, a notebook without its kernel) the twin stays.
    """

    title = "Explorer"

    def __init__(self, state: Any) -> None:
        self.state = state
        # A state without an answer is refused before any widget is made.
        self._compute()
        self._updating = False
        self._closed = False
        self._tied: list[tuple[Any, str]] = []
        self.view = View()
        self.controls = self._make_controls()
        self.widget = _box(ipywidgets.VBox, "copa-explorer", _box(ipywidgets.HBox, "copa-controls", *self.controls),
                           self.view)  # fmt: skip
        self._put_controls()
        self._show("")
        # Twins are identified by content as well as by number: the output of an earlier kernel stays visible, and
        # the same notebook run twice gives the same page.
        with np.errstate(over="ignore"):  # pandas writes half precision so
            content = zlib.crc32(repr(self._describe()).encode())
        self._twin = f"{content:08x}-{next(_NUMBERS)}"
        self.view.twin = self._twin

    @abstractmethod
    def _make_controls(self) -> list[Any]:
        """Make the controls, each tied to the state or observing into :meth:`update`."""

    @abstractmethod
    def _scene(self) -> dict[str, Any]:
        """Describe charts, cards, tables and code for the view."""

    @abstractmethod
    def _draw(self, figure: Figure) -> None:
        """Draw the static twin."""

    @abstractmethod
    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        """Headline, sentences, and tables with captions, for the static page."""

    def _compute(self) -> None:  # noqa: B027 - what follows from some states is cheap enough to be a property
        """Compute what follows from the state; a ValueError leaves the last results in place."""

    def _follow(self) -> None:
        """Move the controls to where the state is."""
        for control, attribute in self._tied:
            control.value = getattr(self.state, attribute)

    def update(self, change: Callable[[Any], Any]) -> None:
        """Replace the state by a function of it, and redraw once.

        Controls that follow do not trigger redraws of their own, and a state that stays the same draws nothing.
        """
        changed = change(self.state)
        if changed == self.state:
            # The control may have moved although the state could not (a locked weight): put it back.
            self._put_controls()
            return
        self.state = changed
        message = ""
        try:
            self._compute()
        except ValueError as error:
            message = f"{error} The picture still shows the state before."
        self._put_controls()
        self._show(message)

    def observe(self, control: Any, change: Callable[..., Any], *which: Any) -> Any:
        """Let a control change the state: ``change(state, *which, value) -> state``."""

        def moved(event: Any) -> None:
            if not self._updating:
                self.update(lambda state: change(state, *which, event["new"]))

        control.observe(moved, names="value")
        return control

    def to_figure(self) -> Figure:
        """Draw what is shown as a matplotlib Figure, the static twin."""
        from matplotlib.figure import Figure

        from copa_nb.plotting.style import report_style

        with report_style():
            figure = Figure(layout="constrained")
            self._draw(figure)
        return figure

    def to_html(self) -> str:
        """Write what is shown as one self-contained, escaped piece of HTML: no script, nothing from the network."""
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        headline, sentences, tables = self._describe()
        buffer = io.BytesIO()
        FigureCanvasAgg(self.to_figure()).print_png(buffer)
        data = base64.b64encode(buffer.getvalue()).decode("ascii")
        alt = text.attribute(f"{self.title}: {headline}")
        picture = f'<img alt="{alt}" style="max-width:100%" src="data:image/png;base64,{data}">'
        return text.card(headline, sentences, picture, *(text.html_table(t, caption=caption) for caption, t in tables))

    def close(self) -> None:
        """End the explorer and free its widgets; its results remain available."""
        if self._closed:
            return
        self._closed = True
        for widget in all_widgets(self.widget):
            widget.unobserve_all()
            widget.close()
        for name in [name for name, value in vars(self).items() if _holds_widgets(value)]:
            setattr(self, name, None)

    def _tie(self, attribute: str, control: Any) -> Any:
        """Tie a control to an attribute of the state, in both directions."""
        self._tied.append((control, attribute))
        return self.observe(control, lambda state, value: replace(state, **{attribute: value}))

    def _axis_menus(self, objectives: Objectives) -> list[Any]:
        """Make the menus for the objectives on the two axes."""
        options = list(zip(objectives.labels, range(len(objectives)), strict=True))
        return [
            self._tie(axis, menu(side, f"Objective on the {side} axis", options))
            for axis, side in (("x", "horizontal"), ("y", "vertical"))
        ]

    def _put_controls(self) -> None:
        if self._closed:
            return
        self._updating = True
        try:
            self._follow()
        finally:
            self._updating = False

    def _show(self, message: str) -> None:
        if not self._closed:
            # The code of a state without an answer would only raise the error again.
            self.view.show(title=self.title, message=message, **self._scene() | ({"code": ""} if message else {}))

    def _repr_html_(self) -> str:
        return self.to_html()

    def _ipython_display_(self) -> None:
        from IPython.display import display as show

        headline, sentences, _ = self._describe()
        page = f'<div class="copa-nb-static-{self._twin}">{self.to_html()}</div>'
        show({"text/html": page, "text/plain": "\n".join([headline, *sentences])}, raw=True)
        if not self._closed:
            # Where widgets cannot run, nothing stands beside the twin: not even the name of a widget's class.
            live = self.widget._repr_mimebundle_()
            show({**live, "text/html": "", "text/plain": ""}, raw=True)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self._describe()[0]}>"

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


# ---------------------------------------------------------------------------------------------------- controls


def control(kind: Any, description: str, tooltip: str, **options: Any) -> Any:
    """Make a slider or menu of `kind` that says what it does and works from the keyboard."""
    if description.count("$") > 1 or "\\" in description:
        # ipywidgets has MathJax typeset descriptions, even between tags; the full-width signs mean nothing to it.
        description = description.translate({ord("$"): "\uff04", ord("\\"): "\uff3c"})
    return kind(description=description, tooltip=tooltip, layout=ipywidgets.Layout(width="auto"),
                style={"description_width": _LABEL_WIDTH}, **options)  # fmt: skip


def menu(description: str, tooltip: str, options: Sequence[tuple[str, Any]]) -> Any:
    """Make a menu of (text, value)."""
    return control(ipywidgets.Dropdown, description, tooltip, options=list(options))


def heading(content: str) -> Any:
    """Make a line of plain text above a group."""
    made = ipywidgets.Label(value=content)
    made.add_class("copa-heading")
    return made


def group(*members: Any) -> Any:
    """Put controls that belong together one below the other."""
    return _box(ipywidgets.VBox, "copa-group", *members)


def row(*members: Any) -> Any:
    """Put controls side by side."""
    return _box(ipywidgets.HBox, "copa-row", *members)


def _box(kind: Any, style: str, *members: Any) -> Any:
    made = kind(members)
    made.add_class(style)
    return made


def all_widgets(widget: Any) -> Iterator[Any]:
    """A widget, its children, and the layouts and styles that ipywidgets makes for each and never closes."""
    for child in getattr(widget, "children", ()):
        yield from all_widgets(child)
    for part in ("style", "layout"):
        if isinstance(owned := getattr(widget, part, None), ipywidgets.Widget):
            yield owned
    yield widget


def _holds_widgets(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return any(_holds_widgets(member) for member in value)
    return isinstance(value, ipywidgets.Widget)


# ------------------------------------------------------------------------------------------------ parts of charts


def axis(label: str, values: np.ndarray, *, log: bool = False, better: str | None = None) -> dict[str, Any]:
    """Describe an axis that holds all finite values with a little room.

    Parameters
    ----------
    label : str
        What it shows.
    values : ndarray
        What must fit.
    log : bool
        Whether it is logarithmic; the values must be positive then.
    better : {"max", "min"}, optional
        On which side better is.
    """
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if log:
        room = 0.04 * (math.log10(high / low) or 1.0)
        low, high = low * 10**-room, high * 10**room
    else:
        room = 0.04 * (high - low or abs(high) or 1.0)
        low, high = low - room, high + room
    side = {"max": "high", "min": "low", None: None}[better]
    return {"label": label, "lo": low, "hi": high, "log": log, "better": side}


def marks(points: np.ndarray, **looks: Any) -> dict[str, Any]:
    """Describe markers at (x, y); those that are not finite are left out, together with what belongs to them."""
    kept = np.isfinite(points).all(axis=1)
    chosen = {name: list(itertools.compress(looks[name], kept)) for name in _PER_MARK if name in looks}
    return {"kind": "marks", "x": points[kept, 0].tolist(), "y": points[kept, 1].tolist(), **looks, **chosen}


def line(points: np.ndarray, **looks: Any) -> dict[str, Any]:
    """Describe a line through points (x, y); those that are not finite are left out."""
    kept = points[np.isfinite(points).all(axis=1)]
    return {"kind": "line", "x": kept[:, 0].tolist(), "y": kept[:, 1].tolist(), **looks}


def outline(points: np.ndarray, directions: Sequence[str], limits: Sequence[float], **looks: Any) -> dict[str, Any]:
    """Describe the outline of what a front of two objectives dominates, up to the reference point."""
    return line(np.column_stack(staircase(points, directions, limits=limits)), **looks)


def point_text(point: Mapping[Hashable, float]) -> str:
    """Write a reference point, value by value."""
    return ", ".join(f"{name} = {text.number(value)}" for name, value in point.items())
