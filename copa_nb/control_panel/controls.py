"""A control for each parameter of an analysis, made of its declaration: a new analysis gets its controls for free."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import ipywidgets

from copa_nb.analyses.base import Analysis, Parameter
from copa_nb.analyses.registry import analyses
from copa_nb.analyses.values import converted
from copa_nb.control_panel.settings import ROLES
from copa_nb.text import escape, spoken

WIDE = {"description_width": "initial"}
# Parameters that the panel asks for once, for all analyses.
_ASKED_ONCE = {"table", "reading", "maximize", "minimize", "show", "where", *ROLES}


def full() -> Any:
    """Return a layout as wide as the panel, up to what is read at a glance."""
    return ipywidgets.Layout(width="auto", max_width="34em", min_width="0")


class Control:
    """The control of one parameter.

    Parameters
    ----------
    declared : Parameter
        The parameter.
    columns : sequence of str
        Columns of the table.
    objectives : sequence of str
        Those with a direction.
    value : object
        What is set.
    """

    def __init__(self, declared: Parameter, columns: Sequence[str], objectives: Sequence[str], value: Any) -> None:
        self.declared = declared
        self._parts: dict[str, Any] | None = None
        self.widget = self._made(columns, objectives, value)

    def _made(self, columns: Sequence[str], objectives: Sequence[str], value: Any) -> Any:
        declared, title = self.declared, spoken(self.declared.name).capitalize()
        looks: dict[str, Any] = {"description": title, "style": WIDE, "layout": full(), "tooltip": declared.comment}
        if declared.choices:
            return ipywidgets.Dropdown(options=list(declared.choices), value=value, **looks)
        if declared.kind == "bool":
            return ipywidgets.Checkbox(value=value, indent=False, **looks)
        if declared.kind == "int":
            least = -(2**31) if declared.least is None else int(declared.least)
            return ipywidgets.BoundedIntText(value=value, min=least, max=2**31 - 1, **looks)
        if declared.kind == "float":
            low, high = (0.001, 0.999) if declared.is_fraction else (declared.least or 0.0, 1e12)
            return ipywidgets.BoundedFloatText(value=value, min=low, max=high, step=0.01, **looks)
        names = list(objectives if declared.objective else columns)
        if declared.kind == "dict" and declared.objective:
            self._parts = {
                name: ipywidgets.Text(
                    value=_text(value.get(name, "")), description=f"{title} of {spoken(name)}",
                    placeholder="not set", continuous_update=False, style=WIDE, layout=full(),
                )
                for name in names
            }  # fmt: skip
            heading = ipywidgets.HTML(f"<strong>{title}</strong>: {escape(declared.comment)}")
            return ipywidgets.VBox([heading, *self._parts.values()])
        if declared.kind == "list" and (declared.column or declared.objective):
            return ipywidgets.SelectMultiple(
                options=names, value=[one for one in value if one in names], rows=min(5, len(names) + 1), **looks
            )
        if declared.column or declared.objective:
            options = [("(none)", ""), *((name, name) for name in names)]
            return ipywidgets.Dropdown(options=options, value=value if value in names else "", **looks)
        text = value if isinstance(value, str) else _written(value)
        return ipywidgets.Text(value=text, placeholder=declared.comment, continuous_update=False, **looks)

    @property
    def value(self) -> Any:
        """What is set, as the type that the parameter declares.

        Raises
        ------
        TypeError, ValueError
            For text that does not fit.
        """
        if self._parts is not None:
            filled = {name: part.value.strip() for name, part in self._parts.items()}
            return {name: _value(text) for name, text in filled.items() if text}
        value, declared = self.widget.value, self.declared
        if declared.kind == "dict":
            pairs = [pair.rpartition("=") for pair in value.split(",") if pair.strip()]
            return {name.strip(): _value(text.strip()) for name, _, text in pairs}
        return converted(value, declared.kind, name=declared.name, default=declared.default)

    def put(self, value: Any) -> None:
        """Set the control."""
        if self._parts is not None:
            for name, part in self._parts.items():
                part.value = _text(value.get(name, ""))
        elif isinstance(self.widget, ipywidgets.Text):
            self.widget.value = value if isinstance(value, str) else _written(value)
        else:
            self.widget.value = value

    def observe(self, heard: Callable[[Any], None]) -> None:
        """Call a function when the control is moved."""
        for part in [self.widget] if self._parts is None else self._parts.values():
            part.observe(heard, names="value")


def _written(value: Any) -> str:
    if isinstance(value, Mapping):
        return ", ".join(f"{name}={one}" for name, one in value.items())
    return ", ".join(map(str, value)) if isinstance(value, Sequence) else str(value)


def _text(value: Any) -> str:
    return f"{value:g}" if isinstance(value, int | float) else str(value)


def _value(text: str) -> float | str:
    """Read a number with a point or a comma; what is none, such as limits "0:1", is for the analysis to read."""
    try:
        return float(text.replace(",", "."))
    except ValueError:
        return text


def own_parameters(analysis: str) -> Iterator[Parameter]:
    """Yield the parameters of an analysis that the panel does not ask for elsewhere."""
    kind: type[Analysis] = analyses()[analysis]
    for name, declared in kind.parameters().items():
        if name not in _ASKED_ONCE and name != kind.names_rows:
            yield declared


def controls_of(
    analysis: str, columns: Sequence[str], objectives: Sequence[str], given: Mapping[str, Any]
) -> dict[str, Control]:
    """Make the controls of an analysis.

    Parameters
    ----------
    analysis : str
        Its name.
    columns, objectives : sequence of str
        Columns of the table, and those that are objectives.
    given : mapping
        Parameters that are set.
    """
    return {
        one.name: Control(one, columns, objectives, given.get(one.name, one.default))
        for one in own_parameters(analysis)
    }
