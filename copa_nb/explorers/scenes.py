"""Parts of the scenes that the kernel describes: axes, markers, lines and controls; the view draws them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from copa_nb import text
from copa_nb.pareto.plots import staircase
from copa_nb.plotting.style import shorten
from copa_nb.tables.objectives import Objectives

# What belongs to each marker, and goes with it.
_PER_MARK = ("names", "ids", "notes", "colors")


def control(kind: str, key: str, label: str, name: str, **options: Any) -> dict[str, Any]:
    """Describe a slider or menu tied to an entry of the state; see `controls.js`."""
    return {"kind": kind, "key": key, "label": label, "name": name, **options}


def axis_menus(objectives: Objectives) -> list[dict[str, Any]]:
    """Describe the menus for the objectives on the two axes."""
    options = [[label, k] for k, label in enumerate(objectives.titles)]
    sides = (("x", "horizontal"), ("y", "vertical"))
    return [control("menu", key, side, f"Objective on the {side} axis", options=options) for key, side in sides]


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
    return ", ".join(f"{text.spoken(name)} = {text.number(value)}" for name, value in point.items())


def cut(label: str, most: int) -> str:
    """Cut a long label in the middle as figures do; on a canvas a dollar sign needs no backslash."""
    return shorten(label, most).replace(r"\$", "$")
