"""Named controls: sliders, locks and menus that say what they do and work from the keyboard."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import ipywidgets
import numpy as np

# Long names are cut by CSS, never by us: the tooltip holds the whole name.
_LABEL_WIDTH = "92px"


def slider(
    description: str, tooltip: str, *, value: float, low: float, high: float, step: float, **options: Any
) -> Any:
    """A slider with a read-out that can be typed into."""
    made = ipywidgets.FloatSlider(
        value=value, min=low, max=high, step=step, description=description, tooltip=tooltip,
        layout=ipywidgets.Layout(flex="1 1 auto", width="auto", min_width="0"),
        style={"description_width": _LABEL_WIDTH}, **options,
    )  # fmt: skip
    return made


def choice(description: str, tooltip: str, options: Sequence[tuple[str, Any]], value: Any) -> Any:
    """A menu."""
    made = ipywidgets.Dropdown(
        options=list(options), value=value, description=description, tooltip=tooltip,
        layout=ipywidgets.Layout(width="auto"), style={"description_width": _LABEL_WIDTH},
    )  # fmt: skip
    return made


def steps(description: str, tooltip: str, options: Sequence[tuple[str, Any]], value: Any) -> Any:
    """A slider over a few values."""
    made = ipywidgets.SelectionSlider(
        options=list(options), value=value, description=description, tooltip=tooltip,
        layout=ipywidgets.Layout(width="auto"), style={"description_width": _LABEL_WIDTH},
    )  # fmt: skip
    return made


def whole_numbers(description: str, tooltip: str, *, value: int, low: int, high: int) -> Any:
    """A slider over whole numbers."""
    made = ipywidgets.IntSlider(
        value=value, min=low, max=high, description=description, tooltip=tooltip,
        layout=ipywidgets.Layout(width="auto"), style={"description_width": _LABEL_WIDTH},
    )  # fmt: skip
    return made


def lock(name: str) -> Any:
    """A button that stays down: the weight of one objective does not move with the others."""
    tooltip = f"Lock the weight of {name}"
    made = ipywidgets.ToggleButton(
        value=False, icon="unlock", tooltip=tooltip, layout=ipywidgets.Layout(width="32px", flex="0 0 auto")
    )
    made.add_class("copa-lock")
    return made


def limits(description: str, tooltip: str, column: np.ndarray) -> Any:
    """A slider with two handles over the values of an objective; at its ends it limits nothing."""
    finite = column[np.isfinite(column)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    span = high - low
    if not span > 0:
        span = abs(high) or 1.0
        high = low + span
    made = ipywidgets.FloatRangeSlider(
        value=(low, high), min=low, max=high, step=span / 200, description=description, tooltip=tooltip,
        readout_format=".3g", layout=ipywidgets.Layout(width="auto"), style={"description_width": _LABEL_WIDTH},
    )  # fmt: skip
    return made


def button(text: str, tooltip: str, **options: Any) -> Any:
    """A button."""
    return ipywidgets.Button(description=text, tooltip=tooltip, **options)


def heading(text: str) -> Any:
    """A line of plain text above a group."""
    made = ipywidgets.Label(value=text)
    made.add_class("copa-heading")
    return made


def group(*members: Any) -> Any:
    """Controls that belong together, one below the other."""
    made = ipywidgets.VBox(members)
    made.add_class("copa-group")
    return made


def row(*members: Any) -> Any:
    """Controls side by side."""
    made = ipywidgets.HBox(members)
    made.add_class("copa-row")
    return made
