"""Choosing a model by moving sliders: ``df.moo.explore()``."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any

import ipywidgets
import numpy as np
import pandas as pd

from copa_nb import text
from copa_nb.docstrings import shared_parameters
from copa_nb.explorers import choice_state as choosing
from copa_nb.explorers.choice_state import Choice, ChoiceData, ChoiceState
from copa_nb.explorers.explorer import Explorer, axis, control, group, heading, line, marks, menu, row
from copa_nb.frames import any_frame
from copa_nb.objectives import ObjectivesLike
from copa_nb.pareto.plots import plot_front
from copa_nb.plotting.style import PALETTE, shorten
from copa_nb.selection.criterion import WeightsLike, write_p
from copa_nb.selection.plots.decisions import plot_selection

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from copa_nb.selection.copa import Selection

_HOW_NAMES = {"cdf": "ranks (COPA)", "minmax": "min-max", "relative": "relative to the best", "none": "none"}
_SCALE_NAMES = {"values": "own units", "log": "own units, log if skewed", "cdf": "ranks (CDF)"}
# Decimals of the weights' sliders; the state holds more of them, so that three thirds sum to 1.
_SHOWN = 2
_MOST_ROWS = 8
_FRONT, _CHOSEN, _BESIDE, _PINNED = PALETTE[0], PALETTE[1], PALETTE[2], PALETTE[3]
_CLOUD_LEGEND = [
    {"label": "models", "color": "grey", "shape": "circle"},
    {"label": "Pareto front", "color": "front", "shape": "circle"},
]


@any_frame
@shared_parameters
def explore(
    frame: pd.DataFrame,
    *,
    objectives: ObjectivesLike = None,
    p: float | str = "inf",
    weights: WeightsLike = None,
    normalize: str = "cdf",
    x: Hashable | None = None,
    y: Hashable | None = None,
    nan_policy: str = "raise",
) -> ChoiceExplorer:
    """Choose a model by moving sliders: weights, p, normalisation, limits; see at once what is chosen and why.

    Parameters
    ----------
    %(frame)s
    %(objectives)s
    p : float or "inf"
        Initial order of the norm.
    weights : mapping of objective to share, or sequence, optional
        Initial weights.
    normalize : {"cdf", "minmax", "relative", "none"}
        Initial normalisation.
    x, y : label, optional
        Initial objectives on the axes; by default, the last against the first.
    %(nan_policy)s

    Returns
    -------
    ChoiceExplorer
        ``selection`` (what ``copa`` returns for the current positions of the controls), ``code``,
        ``to_figure()``, ``to_html()``, ``close()``.

    Raises
    ------
    ValueError
        For fewer than two objectives, and whatever ``copa`` refuses.

    See Also
    --------
    copa_nb.copa : The same choice without a widget.
    copa_nb.navigate : What is chosen as one weight goes from 0 to 1.

    Examples
    --------
    >>> import pandas as pd, copa_nb
    >>> models = pd.DataFrame(
    ...     {"accuracy": [0.9, 0.85, 0.7, 0.6], "co2_kg": [9.0, 3.0, 2.0, 1.0]},
    ...     index=["large", "medium", "small", "tiny"],
    ... ).moo.define(accuracy="max", co2_kg="min")
    >>> with models.moo.explore() as explorer:
    ...     explorer.set_weight("co2_kg", 0.9)
    ...     explorer.best
    'tiny'
    """
    data = ChoiceData.of(frame, objectives, nan_policy)
    return ChoiceExplorer(data, choosing.initial_state(data, p=p, weights=weights, normalize=normalize, x=x, y=y))


def _range_slider(label: str, values: np.ndarray) -> Any:
    """Make a slider with two handles over the values of an objective; at its ends it limits nothing."""
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    if not high > low:
        high = low + (abs(high) or 1.0)
    return control(ipywidgets.FloatRangeSlider, label, f"Allowed range of {label}", value=(low, high), min=low,
                   max=high, step=(high - low) / 200, readout_format=".3g")  # fmt: skip


def _slide(state: ChoiceState, objective: int, value: float) -> ChoiceState:
    """Move a weight, unless the slider only reports the weight it stands for, rounded to its own step."""
    same = round(value, _SHOWN) == round(state.weights[objective], _SHOWN)
    return state if same else choosing.set_weight(state, objective, value)


class ChoiceExplorer(Explorer):
    """The explorer of a choice; see :func:`explore`.

    Parameters
    ----------
    data : ChoiceData
        The table as arrays.
    state : ChoiceState
        Where the controls stand.
    """

    title = "Choice of a model"

    def __init__(self, data: ChoiceData, state: ChoiceState) -> None:
        self.data = data
        self._drawn: tuple[Any, ...] = ()
        super().__init__(state)

    @property
    def best(self) -> Hashable:
        """The chosen row."""
        return self.choice.best

    @property
    def code(self) -> str:
        """The call that makes the same choice."""
        return choosing.reproducing_code(self.data, self.state)

    @property
    def selection(self) -> Selection:
        """The same choice, made by ``copa``."""
        return choosing.select(self.data, self.state)

    def set_weight(self, objective: Hashable, value: float) -> None:
        """Move the weight of one objective, as its slider does."""
        moved = self.data.matrix.objectives.position(objective, "objective")
        self.update(lambda state: choosing.set_weight(state, moved, value))

    def pin(self, label: Hashable) -> None:
        """Keep a row for comparison, or let it go, as a click on it does."""
        labels = self.data.matrix.index.tolist()
        if label not in labels:
            raise ValueError(f"`label` is {label!r}, which is not a row of the table.")
        self._picked(labels.index(label))

    # ------------------------------------------------------------------------------------------- controls

    def _make_controls(self) -> list[Any]:
        self.view.on_pick(self._picked)
        self._weights, self._locks, self._limits, rows = [], [], [], []
        for k, label in enumerate(self.data.matrix.objectives.labels):
            weight = control(ipywidgets.FloatSlider, label, f"Weight of {label}", min=0.0, max=1.0, step=0.01,
                             readout_format=".2f")  # fmt: skip
            weight.layout.flex, weight.layout.min_width = "1 1 auto", "0"
            lock = ipywidgets.ToggleButton(icon="unlock", tooltip=f"Lock the weight of {label}",
                                           layout=ipywidgets.Layout(width="32px", flex="0 0 auto"))  # fmt: skip
            lock.add_class("copa-lock")
            self._weights.append(self.observe(weight, _slide, k))
            self._locks.append(self.observe(lock, choosing.set_lock, k))
            self._limits.append(self.observe(_range_slider(label, self.data.raw[:, k]), self._limit, k))
            rows.append(row(weight, lock))
        limits = group(heading("Allowed range; ranks stay over all models"), *self._limits)
        limits.add_class("copa-limits")
        weights = group(heading("Weights, which sum to 1; lock one to keep it"), *rows)
        return [weights, limits, self._make_criterion()]

    def _make_criterion(self) -> Any:
        orders = [(write_p(order), order) for order in sorted({*choosing.ORDERS, self.state.p})]
        hows = [(name, how) for how, name in _HOW_NAMES.items()]
        scales = [(name, scale) for scale, name in _SCALE_NAMES.items()]
        steps = control(ipywidgets.SelectionSlider, "p", "Order of the norm, 1 to infinity", options=orders)
        self._p = self._tie("p", steps)
        self._how = self._tie("normalize", menu("normalisation", "How objectives are made comparable", hows))
        self._scale = self._tie("scale", menu("axes show", "What the axes show", scales))
        axes = self._axis_menus(self.data.matrix.objectives)
        return group(heading("Criterion"), self._p, self._how, heading("Picture"), *axes, self._scale)

    def _limit(self, state: ChoiceState, k: int, value: tuple[float, float]) -> ChoiceState:
        return choosing.set_range(state, k, self._as_range(k, value))

    def _as_range(self, k: int, value: tuple[float, float]) -> choosing.Range:
        slider = self._limits[k]
        reach = slider.step / 2
        low, high = (float(f"{end:.6g}") for end in value)
        return (low if value[0] > slider.min + reach else None, high if value[1] < slider.max - reach else None)

    def _follow(self) -> None:
        super()._follow()
        for weight, lock, value, locked in zip(self._weights, self._locks, self.state.weights, self.state.locked,
                                               strict=True):  # fmt: skip
            weight.value = round(value, _SHOWN)
            weight.disabled = locked
            lock.value = locked
            lock.icon = "lock" if locked else "unlock"
        for k, (limits, (low, high)) in enumerate(zip(self._limits, self.state.ranges, strict=True)):
            # The slider snaps to its own steps; only what means something else is put back.
            if self._as_range(k, limits.value) != (low, high):
                limits.value = (limits.min if low is None else low, limits.max if high is None else high)

    def _picked(self, number: int) -> None:
        if 0 <= number < len(self.data.raw):
            self.update(lambda state: choosing.toggle_pin(state, number))

    # ----------------------------------------------------------------------------------------------- view

    def _compute(self) -> None:
        self.choice: Choice = choosing.choose(self.data, self.state)

    def _show(self, message: str) -> None:
        if not self._closed:
            with self.view.hold_sync():
                self._send_cloud()
                super()._show(message)

    def _scene(self) -> dict[str, Any]:
        return {"charts": [self._chart()], "cards": [self._card()], "tables": self._tables(), "code": self.code}

    def _points(self) -> np.ndarray:
        """Coordinates of all rows on the axes chosen, shape (n, 2)."""
        columns = [self.state.x, self.state.y]
        return (self.data.ranks if self.state.scale == "cdf" else self.data.raw)[:, columns]

    def _send_cloud(self) -> None:
        axes = (self.state.x, self.state.y, self.state.scale)
        if self._drawn[:1] != (axes,):
            with np.errstate(over="ignore"):
                self.view.xy = self._points().astype(np.float32).tobytes()
        if not self.view.names:
            self.view.names = [text.label(label) for label in self.data.matrix.index]
        if self._drawn[1:] != (self.state.ranges,):
            flags = self.data.front.astype(np.uint8) + 2 * self.choice.candidates.astype(np.uint8)
            self.view.flags = flags.tobytes()
        self._drawn = (axes, self.state.ranges)

    def _chart(self) -> dict[str, Any]:
        points, state = self._points(), self.state
        directions = self.data.matrix.objectives.directions
        path = list(dict.fromkeys(part.row for part in self.choice.path))
        beside = [part.row for part in choosing.neighbours(self.choice, state.weights[state.moved]) if part]
        names = self.data.matrix.index
        moved = self.data.matrix.objectives.names[state.moved]

        def at(rows: list[int], **looks: Any) -> dict[str, Any]:
            return marks(points[rows], ids=rows, names=[text.label(names[row]) for row in rows], **looks)

        layers = [
            line(points[path], color=_CHOSEN, width=1.3, alpha=0.75, dash=[5, 3],
                 label=f"path as {moved} counts for more"),
            at(path, shape="circle", size=3.2, color=_CHOSEN),
            at(beside, shape="diamond", size=5.2, color=_BESIDE, label="chosen next to this weight"),
            at(list(state.pinned), shape="square", size=7, color=_PINNED, hollow=True, label="pinned"),
            at([self.choice.position], shape="star", size=8.5, color=_CHOSEN, label="chosen"),
        ]  # fmt: skip
        sides = []
        for k, column in ((state.x, 0), (state.y, 1)):
            name, direction = directions[k]
            if state.scale == "cdf":
                sides.append({**axis(f"share better in {name}", np.array([0.0, 1.0])), "better": "low"})
            else:
                log = state.scale == "log" and choosing.is_skewed(points[:, column])
                sides.append(axis(str(name), points[:, column], log=log, better=direction))
        return {
            "x": sides[0], "y": sides[1], "height": 420, "layers": layers, "cloud": {"legend": _CLOUD_LEGEND},
            "description": f"{directions[state.y][0]} against {directions[state.x][0]}; chosen is "
            f"{text.label(self.choice.best)}. Arrow keys walk along the front, Enter pins a model.",
        }  # fmt: skip

    def _card(self) -> dict[str, Any]:
        candidates = int(self.choice.candidates.sum())
        return {
            "heading": f"Chosen from {candidates:,} candidates, p = {write_p(self.choice.p)}",
            "title": text.label(self.choice.best),
            "lines": choosing.sentences(self.data, self.state, self.choice),
            "tone": "chosen",
        }

    def _tables(self) -> list[dict[str, Any]]:
        shared = {"columns": ["rank", "model", "score", *self.data.matrix.objectives.labels],
                  "numeric": [True, False, True] + [True] * len(self.data.matrix.objectives),
                  "pinned": list(self.state.pinned)}  # fmt: skip
        first, pinned = self.choice.ordered[:_MOST_ROWS].tolist(), list(self.state.pinned)
        ranking = {**shared, "caption": "Ranking", "rows": self._rows(first), "ids": first, "marked": [0]}
        if not pinned:
            return [ranking]
        return [ranking, {**shared, "caption": "Pinned for comparison", "rows": self._rows(pinned), "ids": pinned}]

    def _rows(self, numbers: list[int]) -> list[list[str]]:
        return choosing.table_rows(self.data, self.choice, numbers)

    # ---------------------------------------------------------------------------------------- static twin

    def _draw(self, figure: Figure) -> None:
        """Draw the front with the path of the moved weight, and the standing of the chosen row beside it."""
        figure.set_size_inches(11, 5)
        left, right = figure.subplots(1, 2, width_ratios=[1.35, 1])
        names = self.data.matrix.objectives.names
        selection = self.selection
        log = [name for name, values in zip(names, self.data.raw.T, strict=True)
               if self.state.scale == "log" and choosing.is_skewed(values)]  # fmt: skip
        plot_front(selection, x=names[self.state.x], y=names[self.state.y], labels=1, ax=left, log=log,
                         scale="cdf" if self.state.scale == "cdf" else "raw")  # fmt: skip
        points = self._points()[list(dict.fromkeys(part.row for part in self.choice.path))]
        left.plot(*points.T, ".--", color=_CHOSEN, lw=1, ms=5, alpha=0.75, zorder=3.5,
                  label=f"path as {shorten(names[self.state.moved])} counts for more")  # fmt: skip
        left.legend(loc="upper center", bbox_to_anchor=(0.5, -0.14), ncols=2)
        plot_selection(selection, ax=right)

    def _describe(self) -> tuple[str, list[str], list[tuple[str, pd.DataFrame]]]:
        columns = ["rank", "model", "score", *self.data.matrix.objectives.labels]
        rows = self._rows(self.choice.ordered[:_MOST_ROWS].tolist())
        table = pd.DataFrame([cells[1:] for cells in rows], columns=columns[1:], index=pd.Index([c[0] for c in rows]))
        table.index.name = "rank"
        caption = f"The first of {len(self.choice.ordered):,} candidates, p = {write_p(self.choice.p)}."
        return (
            f"Chosen: {text.label(self.choice.best)}",
            choosing.sentences(self.data, self.state, self.choice),
            [(caption, table)],
        )
