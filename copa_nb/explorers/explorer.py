"""What every explorer shares: a view, named controls, a static twin, and an end."""

from __future__ import annotations

import base64
import io
import itertools
import zlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import ipywidgets
import pandas as pd

from copa_nb import text
from copa_nb.explorers.view import View

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_NUMBERS = itertools.count(1)


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
        self.view = View()
        self.controls = self._make_controls()
        box = ipywidgets.HBox(self.controls)
        box.add_class("copa-controls")
        self.widget = ipywidgets.VBox([box, self.view])
        self.widget.add_class("copa-explorer")
        self._updating = False
        self._closed = False
        self._refresh()
        # Told apart by what they show as well as by number: an output that was left by an earlier kernel stays
        # in sight, and the same notebook run twice gives the same page.
        content = zlib.crc32(repr(self._describe()).encode())
        self._twin = f"{content:08x}-{next(_NUMBERS)}"
        self.view.twin = self._twin

    @abstractmethod
    def _make_controls(self) -> list[Any]:
        """Make the controls, each observing into :meth:`_change`."""

    @abstractmethod
    def _show(self) -> None:
        """Work out what follows from the state, and send it to the view unless that is closed."""

    @abstractmethod
    def _follow(self) -> None:
        """Put the controls where the state is."""

    @abstractmethod
    def to_figure(self) -> Figure:
        """Draw what is shown as a matplotlib Figure, the static twin."""

    @abstractmethod
    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        """Headline, sentences, and tables with captions, for the static page."""

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
        self._refresh()

    def observe(self, control: Any, change: Callable[..., Any], *which: Any) -> Any:
        """Let a control change the state: ``change(state, *which, value) -> state``."""

        def moved(event: Any) -> None:
            if not self._updating:
                self.update(lambda state: change(state, *which, event["new"]))

        control.observe(moved, names="value")
        return control

    def to_html(self) -> str:
        """Write what is shown as one self-contained, escaped piece of HTML: no script, nothing from the network."""
        headline, texts, tables = self._describe()
        drawn = [text.html_table(table, caption=caption) for caption, table in tables]
        alt = text.escape(f"{self.title}: {headline}")
        picture = f'<img alt="{alt}" style="max-width:100%" src="data:image/png;base64,{self._png()}">'
        return text.card(headline, texts, picture, *drawn)

    def close(self) -> None:
        """End the explorer and give its memory back; what it showed can still be asked for."""
        if self._closed:
            return
        self._closed = True
        for widget in all_widgets(self.widget):
            widget.unobserve_all()
            widget.close()
        for name in [name for name, value in vars(self).items() if _holds_widgets(value)]:
            setattr(self, name, None)

    def _refresh(self) -> None:
        self._put_controls()
        self._show()

    def _put_controls(self) -> None:
        if self._closed:
            return
        self._updating = True
        try:
            self._follow()
        finally:
            self._updating = False

    def _png(self) -> str:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        figure = self.to_figure()
        buffer = io.BytesIO()
        FigureCanvasAgg(figure).print_png(buffer)
        return base64.b64encode(buffer.getvalue()).decode("ascii")

    def _repr_html_(self) -> str:
        return self.to_html()

    def _ipython_display_(self) -> None:
        from IPython.display import display as show

        headline, texts, _ = self._describe()
        page = f'<div class="copa-nb-static-{self._twin}">{self.to_html()}</div>'
        show({"text/html": page, "text/plain": "\n".join([headline, *texts])}, raw=True)
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
