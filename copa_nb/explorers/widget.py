"""What all explorers share: one widget whose page computes, its Python side, an offline page, and a static twin."""

from __future__ import annotations

import base64
import contextlib
import io
import json
import re
import threading
from collections.abc import Callable, Hashable, Iterable
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np
import pandas as pd
import traitlets

from copa_nb import text
from copa_nb.explorers import constants
from copa_nb.explorers.twin import HasTwin, new_twin
from copa_nb.results import html_page

if TYPE_CHECKING:
    from typing import Self

    from matplotlib.figure import Figure

# Imported modules come before those that import them.
_MODULES = ("text", "arithmetic", "axes", "svg", "canvas", "chart", "parallel", "state", "controls", "table",
            "choice_words", "choice", "gap", "kernel", "main")  # fmt: skip
_VIEW = files("copa_nb.explorers") / "view"
# A saved notebook holds the page that still answers if its data are no larger; beyond, the picture alone.
_MOST_BYTES_IN_A_NOTEBOOK = 2_000_000
_OPEN = """const find = (id) => document.getElementById(id);
openPage(JSON.parse(find("content").textContent), find("explorer"));
"""
_PAGE_STYLE = "#explorer { padding: 12px; }\n"
_PAPER = ("#ffffff", "#16181b")


def _bundle() -> str:
    """Join the modules of the view into the one that anywidget takes.

    They name what they define differently, so leaving out the lines that import and the word ``export`` joins them.
    """
    parts = [(_VIEW / f"{name}.js").read_text(encoding="utf-8") for name in _MODULES]
    joined = re.sub(r"^(import .*\n|export (?!default))", "", "\n".join(parts), flags=re.MULTILINE)
    return constants.as_script() + joined


_BUNDLE = _bundle()


def page_script() -> str:
    """The script of exported pages; the same in all of them, so that the policy of a page around them can name it."""
    return re.sub(r"export default \{.*", _OPEN, _BUNDLE, flags=re.DOTALL)


class Explorer(HasTwin, anywidget.AnyWidget):
    """A widget of one analysis. `state`, a mapping of plain values, holds the positions of its controls.

    Shown in a notebook, an explorer displays its static twin and then the live view, which hides the twin for as long
    as it is alive. Where there is no kernel (a saved notebook, nbconvert) the twin is an interactive page; if scripts
    do not run either (GitHub, PDF), it is a picture.

    Parameters
    ----------
    data : dict
        The data that the page computes with; it does not change.
    state : dict
        Initial positions of the controls.

    Attributes
    ----------
    state : dict
        Current positions of the controls; assign a new mapping to move them.
    """

    # Traits of the class, not paths: for a path anywidget keeps every view alive for as long as the process lives.
    _esm = traitlets.Unicode(_BUNDLE).tag(sync=True)
    _css = traitlets.Unicode(constants.as_style() + (_VIEW / "style.css").read_text(encoding="utf-8")).tag(sync=True)
    kind = traitlets.Unicode("").tag(sync=True)
    data = traitlets.Dict().tag(sync=True)
    state = traitlets.Dict().tag(sync=True)
    scene = traitlets.Dict().tag(sync=True)
    twin = traitlets.Unicode("").tag(sync=True)

    title = "Explorer"
    # What a reader of a page can find out with it.
    invitation = "Try it yourself"
    # Of the page within another, in pixels.
    height = 900
    # The class of the call and its arguments, for copies.
    _made_from: tuple[Any, tuple[Any, ...], dict[str, Any]]

    def __new__(cls, *args: Any, **kwargs: Any) -> Self:
        """Remember what an explorer is made from, for copies."""
        made: Self = super().__new__(cls, *args, **kwargs)
        made._made_from = cls, args, kwargs
        return made

    def __copy__(self) -> Self:
        """A copy of the explorer with the same positions of the controls, which then move independently."""
        # The class of the call: traits that an instance adds give it a class of its own.
        kind, args, kwargs = self._made_from
        copied: Self = kind(*args, **kwargs)
        copied.state = self.state
        return copied

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        """As a copy: what an explorer is made from does not change."""
        return self.__copy__()

    def __init__(self, data: dict[str, Any], state: dict[str, Any]) -> None:
        self.at = state
        self._kept: dict[str, tuple[Any, Any]] = {}
        # Kernels have threads of their own for what a page sends, beside the one that runs the cells.
        self._computing = threading.RLock()
        self._closed = False
        super().__init__(data=data, state=state)
        self._moved()
        with np.errstate(over="ignore"):  # pandas writes half precision so
            self.twin = new_twin(self._describe())
        self.observe(lambda _: self._follow(), names="state")

    def _draw(self, figure: Figure) -> None:
        """Draw the static twin."""
        raise NotImplementedError

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        """Headline, sentences, and tables with captions, for the static page."""
        raise NotImplementedError

    def _moved(self) -> None:
        """Follow the controls. Where the page computes there is nothing to do."""
        with self._computing:
            self.at = state = self.state
            if "keys" not in self.data:
                return
            try:
                self.scene = {"state": state, **self._make_scene()}
            except ValueError as error:
                if not self.scene:
                    raise
                message = f"{error} The picture still shows the previous state."
                self.scene = {**self.scene, "state": state, "message": message, "code": ""}

    def _offline(self) -> dict[str, Any]:
        """Entries of `data` that stand in for the kernel in an exported page."""
        return {}

    def _once(self, name: str, key: Any, compute: Callable[[], Any]) -> Any:
        """Compute something once for as long as what it depends on stays the same."""
        with self._computing:
            if name not in self._kept or self._kept[name][0] != key:
                self._kept[name] = key, compute()
            return self._kept[name][1]

    def _make_scene(self) -> dict[str, Any]:
        """Describe what is shown at the position `at` of the controls, where the kernel computes."""
        raise NotImplementedError

    def _scenes_at(self, states: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
        """Scenes by position of those controls that work offline, as the page looks them up."""
        found = {}
        with self._computing:
            shown = self.state
            for state in [*states, {}]:
                self.at = {**shown, **state}
                # The last position is the one shown, whose results stay; one without an answer has no scene.
                with contextlib.suppress(ValueError):
                    scene = self._make_scene()
                    if state:
                        found[json.dumps([state[name] for name in self.data["keys"]], separators=(",", ":"))] = scene
        return found

    def move(self, **changes: Any) -> None:
        """Move some of the controls."""
        self.state = {**self.state, **changes}

    def to_figure(self) -> Figure:
        """Draw the current view as a matplotlib Figure."""
        from matplotlib.figure import Figure

        from copa_nb.plotting.style import report_style

        with report_style(own_colors=True):
            figure = Figure(layout="constrained")
            self._draw(figure)
        return figure

    def to_html(self) -> str:
        """Write the current view as self-contained, escaped HTML without scripts or network access."""
        try:
            headline, sentences, tables = self._describe()
        except ValueError as error:  # a state without an answer
            return text.card(self.title, [str(error)])
        alt = text.attribute(f"{self.title}: {headline}")
        picture = f'<img alt="{alt}" style="max-width:100%" src="data:image/png;base64,{_as_base64(self._picture())}">'
        return text.card(headline, sentences, picture, *(text.html_table(t, caption=caption) for caption, t in tables))

    def to_page(self) -> str:
        """Write the explorer as one interactive HTML page that needs neither a kernel nor a network."""
        traits = {"kind": self.kind, "data": {**self.data, **self._offline()}, "state": self.state, "scene": self.scene}
        # Nothing in a label can end the element: "<" is written as an escape.
        content = json.dumps(_with_base64(traits), allow_nan=False, separators=(",", ":")).replace("<", "\\u003c")
        script = page_script()
        start = html_page.head(
            self.title,
            self._css + _PAGE_STYLE,
            scripts=[script],
            images="data: blob:",
            inline_styles=False,
            paper=_PAPER,
        )
        return (
            f'{start}<body><main id="explorer"><h1 class="copa-spoken">{text.attribute(self.title)}</h1></main>'
            "<noscript>This page needs scripts.</noscript>"
            f'<script type="application/json" id="content">{content}</script>\n'
            f'<script type="module">{script}</script></body></html>\n'
        )

    def export_html(self, path: str | Path) -> Path:
        """Save the explorer as one interactive file that needs neither a kernel nor a network.

        Parameters
        ----------
        path : str or Path
            The file; an existing one is replaced.

        Returns
        -------
        Path
        """
        target = Path(path)
        target.write_text(self.to_page(), encoding="utf-8")
        return target

    def to_embedded(self) -> str:
        """Write one HTML fragment: the page in a frame for screens with scripts, the picture for all others.

        The picture lies below the frame, so that there is no empty space until the frame has loaded its page.
        """
        name = f"copa-nb-embedded-{self.twin}"
        style = (
            f"@media screen and (scripting: enabled) {{ .{name} {{ display: grid; }} "
            f".{name} > * {{ grid-area: 1 / 1; }} .{name} > iframe {{ display: block !important; z-index: 1; }} "
            f".{name} > div {{ max-height: {self.height}px; overflow: hidden; }} }}"
        )
        return (
            f'<div class="{name}"><style>{style}</style>{self.to_frame(hidden=True)}<div>{self.to_html()}</div></div>'
        )

    def to_frame(self, *, hidden: bool = False) -> str:
        """Write the page in a frame, as one HTML fragment."""
        # Between single quotes: a page holds thousands of double ones.
        page = self.to_page().replace("&", "&amp;").replace("'", "&#39;")
        look = f"display:{'none' if hidden else 'block'};width:100%;height:{self.height}px;border:0"
        return (
            f'<iframe style="{look}" loading="lazy" sandbox="allow-scripts allow-downloads" allow="clipboard-write" '
            f"title=\"{text.attribute(self.title)}\" srcdoc='{page}'></iframe>"
        )

    def close(self) -> None:
        """Close the explorer and free its widget; its results remain available."""
        if self._closed:
            return
        self._end_twin()
        self.unobserve_all()
        super().close()
        self.layout.close()

    def _follow(self) -> None:
        self._twin_soon()
        self._moved()

    def to_saved(self) -> str:
        """Write what a saved notebook shows: the page over the picture, or, of a large table, the picture alone."""
        small = sum(len(part) for part in _bytes_in(self.data)) <= _MOST_BYTES_IN_A_NOTEBOOK
        return self.to_embedded() if small else self.to_html()

    def _picture(self) -> bytes:
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        buffer = io.BytesIO()
        FigureCanvasAgg(self.to_figure()).print_png(buffer)
        return buffer.getvalue()

    def _repr_html_(self) -> str:
        return self.to_html()

    def __repr__(self) -> str:
        try:
            return f"<{type(self).__name__}: {self._describe()[0]}>"
        except ValueError as error:
            return f"<{type(self).__name__}: {error}>"

    def __enter__(self) -> Explorer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class RowExplorer(Explorer):
    """An explorer of the rows of a table, of which a few can be picked, to be compared or followed."""

    @property
    def labels(self) -> pd.Index:
        """Labels of the rows, in the order of the page."""
        raise NotImplementedError

    @property
    def picked(self) -> tuple[Hashable, ...]:
        """Labels of the rows that are picked."""
        return tuple(self.labels[row] for row in self.state["pinned"])

    def pick(self, labels: Iterable[Hashable]) -> None:
        """Pick these rows instead of those that are; what is no row of the table is left out."""
        rows = [row for row in map(self._row, labels) if row is not None][-constants.MOST_PINNED :]
        if tuple(self.labels[row] for row in rows) != self.picked:
            self.move(pinned=rows)

    def pin(self, label: Hashable) -> None:
        """Pick a row, too, or no longer, as a click on it does.

        Raises
        ------
        ValueError
            For a label that is not a row of the table.
        """
        row, pinned = self._row(label), self.state["pinned"]
        if row is None:
            raise ValueError(f"`label` is {label!r}, which is not a row of the table; pass a label of its index.")
        one_more = [*pinned, row][-constants.MOST_PINNED :]
        self.move(pinned=[kept for kept in pinned if kept != row] if row in pinned else one_more)

    def _row(self, label: Hashable) -> int | None:
        labels = self.labels.tolist()
        return labels.index(label) if label in labels else None


def _as_base64(content: bytes) -> str:
    return base64.b64encode(content).decode("ascii")


def _with_base64(value: Any) -> Any:
    """Plain JSON: bytes become base64, as the page reads them."""
    if isinstance(value, bytes):
        return {"base64": _as_base64(value)}
    if isinstance(value, dict):
        return {key: _with_base64(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_with_base64(item) for item in value]
    return value


def _bytes_in(value: Any) -> list[bytes]:
    if isinstance(value, bytes):
        return [value]
    return [part for item in value.values() for part in _bytes_in(item)] if isinstance(value, dict) else []
