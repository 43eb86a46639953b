"""The view that all explorers share: canvas, cards and tables, drawn from a scene that the kernel describes."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from importlib.resources import files
from typing import Any

import anywidget
import numpy as np
import traitlets

_FILES = files("copa_nb.explorers")


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


def marks(x: Sequence[float], y: Sequence[float], **looks: Any) -> dict[str, Any]:
    """Describe markers; those that are not finite are left out, together with what belongs to them."""
    kept = [i for i, (a, b) in enumerate(zip(x, y, strict=True)) if math.isfinite(a) and math.isfinite(b)]
    for name in ("names", "ids", "notes", "colors"):
        if name in looks:
            looks[name] = [looks[name][i] for i in kept]
    return {"kind": "marks", "x": [float(x[i]) for i in kept], "y": [float(y[i]) for i in kept], **looks}


def line(x: Sequence[float], y: Sequence[float], **looks: Any) -> dict[str, Any]:
    """Describe a line through points; those that are not finite are left out."""
    kept = [i for i, (a, b) in enumerate(zip(x, y, strict=True)) if math.isfinite(a) and math.isfinite(b)]
    return {"kind": "line", "x": [float(x[i]) for i in kept], "y": [float(y[i]) for i in kept], **looks}
